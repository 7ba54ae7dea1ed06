//! The adapter: FCP main processor, outgoing frame construction, incoming frame process, single frame transfer, and how
//! DMA and the loop port hang together.
//!
//! Source: Wang 2005, section 4.3.2 (figures 4.11, 4.12) and tables 6.2, 6.3. One model serves as initiator and as target.
//!
//! * A command from the host costs the main processor `command_time`, then the request package is fetched by DMA, then
//!   FCP_CMND is queued at the port.
//! * Every received frame passes the incoming frame process (`frame_time`), which empties the port's buffer. FCP_DATA goes
//!   on to the DMA queue, FCP_XFER_RDY to the main processor (`xfer_rdy_time`, then DMA of the burst), FCP_CMND and
//!   FCP_RSP to the single frame transfer (`single_frame_time`).
//! * Data frames of a sequence are queued at the port one by one as their payload comes in from DMA, and payload is fetched
//!   as the outgoing FIFO empties. So a command waits behind the data frames that are in the FIFO already and may land
//!   between the frames of one write.
//! * At the target a received command costs the main processor `command_time` before the drive's firmware has it. FCP_RSP is
//!   generated in `response_time`. With a circuit of its own it waits until that of the data is over; the time in which it
//!   is generated goes on beside the transfer.
//!
//! Assumption: frame construction and, unless `message_time` says otherwise, messages and interrupts take no time.

mod effect;
mod outgoing;
mod parameters;
mod stage;
mod transfers;

pub use effect::{AdapterBlock, AdapterEffect};
pub use parameters::{
    AdapterParameters, BurstDone, DmaSetupPer, ProcessorOrder, ResponseCircuit, ResponseStart, UnitSizes,
};

use crate::dma::{Dma, DmaKind, DmaRequest};
use crate::exchange::{AdapterStage, ExchangeTable};
use crate::server::Server;
use sansim_fc::al_pa::AlPa;
use sansim_fc::frame::{ExchangeId, Frame, FrameKind};
use sansim_kernel::{Span, Time};
use stage::{leads_on, stage, tell};
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    Command(ExchangeId),
    TransferReady(ExchangeId),
    Response(ExchangeId),
}

impl Task {
    fn exchange(self) -> ExchangeId {
        match self {
            Self::Command(id) | Self::TransferReady(id) | Self::Response(id) => id,
        }
    }

    /// Whether it goes before the others.
    fn is_first(self, order: ProcessorOrder) -> bool {
        match order {
            ProcessorOrder::Fcfs => false,
            ProcessorOrder::TransferReadyFirst => matches!(self, Self::TransferReady(_)),
            ProcessorOrder::CommandFirst => matches!(self, Self::Command(_)),
        }
    }

    fn stage(self) -> AdapterStage {
        match self {
            Self::Command(_) => AdapterStage::Command,
            Self::TransferReady(_) => AdapterStage::TransferReady,
            Self::Response(_) => AdapterStage::Response,
        }
    }
}

/// At which end of the loop an adapter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Address of its port.
    pub al_pa: AlPa,
    /// Target or initiator.
    pub target: bool,
}

/// An adapter. See the module text.
#[derive(Clone, Debug)]
pub struct Adapter {
    parameters: AdapterParameters,
    sizes: UnitSizes,
    end: End,
    message_in: Server<ExchangeId>,
    message_out: Server<ExchangeId>,
    /// Initiator: commands that are being executed, and those that wait until they may be.
    executing: u64,
    waiting: VecDeque<ExchangeId>,
    processor: Server<Task>,
    dma: Dma,
    dma_in: Dma,
    incoming: Server<Frame>,
    single_frame: Server<ExchangeId>,
    /// Sequences to be sent: exchange, bytes not yet asked of the DMA, overhead of the scheduler not yet paid.
    sequences: VecDeque<(ExchangeId, u64, Span)>,
    /// Data frames in the outgoing FIFO or on their way into it.
    outgoing: u32,
    /// With a circuit of its own for FCP_RSP: reads whose last data have been sent in the present circuit.
    leaving: Vec<ExchangeId>,
    /// The same: reads whose FCP_RSP is ready before the circuit of their data is over.
    held: Vec<ExchangeId>,
    /// Units whose job took no time, to be finished within the same call.
    at_once: VecDeque<AdapterBlock>,
}

impl Adapter {
    /// An idle adapter at one end of the loop.
    pub fn new(parameters: &AdapterParameters, sizes: &UnitSizes, end: End) -> Self {
        let dma = Dma::new(
            parameters.dma_order,
            parameters.dma_request_first,
            parameters.dma_bandwidth,
            parameters.max_payload,
        );
        Self {
            parameters: *parameters,
            sizes: *sizes,
            end,
            message_in: Server::default(),
            message_out: Server::default(),
            executing: 0,
            waiting: VecDeque::new(),
            processor: Server::default(),
            dma_in: dma.clone(),
            dma,
            incoming: Server::default(),
            single_frame: Server::default(),
            sequences: VecDeque::with_capacity(64),
            outgoing: 0,
            leaving: Vec::new(),
            held: Vec::new(),
            at_once: VecDeque::with_capacity(8),
        }
    }

    /// The parameters.
    pub fn parameters(&self) -> &AdapterParameters {
        &self.parameters
    }

    /// The address of its port.
    pub fn al_pa(&self) -> AlPa {
        self.end.al_pa
    }

    /// Time in which a block was at work, up to now.
    pub fn busy(&self, now: Time, block: AdapterBlock) -> Span {
        match block {
            AdapterBlock::MessageIn => self.message_in.busy(now),
            AdapterBlock::MessageOut => self.message_out.busy(now),
            AdapterBlock::Processor => self.processor.busy(now),
            AdapterBlock::Dma => self.dma.busy(now),
            AdapterBlock::DmaIn => self.dma_in.busy(now),
            AdapterBlock::Incoming => self.incoming.busy(now),
            AdapterBlock::SingleFrame => self.single_frame.busy(now),
        }
    }

    /// The exchange that a block works for.
    pub fn at_work(&self, block: AdapterBlock) -> Option<ExchangeId> {
        match block {
            AdapterBlock::MessageIn => self.message_in.current().copied(),
            AdapterBlock::MessageOut => self.message_out.current().copied(),
            AdapterBlock::Processor => self.processor.current().map(|task| task.exchange()),
            AdapterBlock::Dma => self.dma.current().map(|(id, _)| id),
            AdapterBlock::DmaIn => self.dma_in.current().map(|(id, _)| id),
            AdapterBlock::Incoming => self.incoming.current().map(|frame| frame.exchange),
            AdapterBlock::SingleFrame => self.single_frame.current().copied(),
        }
    }

    /// Jobs with a block, the one in work included.
    pub fn queue(&self, block: AdapterBlock) -> usize {
        match block {
            AdapterBlock::MessageIn => self.message_in.len(),
            AdapterBlock::MessageOut => self.message_out.len(),
            AdapterBlock::Processor => self.processor.len(),
            AdapterBlock::Dma => self.dma.len(),
            AdapterBlock::DmaIn => self.dma_in.len(),
            AdapterBlock::Incoming => self.incoming.len(),
            AdapterBlock::SingleFrame => self.single_frame.len(),
        }
    }

    /// Initiator: the driver hands over a command.
    pub fn submit(
        &mut self,
        now: Time,
        id: ExchangeId,
        table: &mut ExchangeTable,
        out: &mut Vec<AdapterEffect>,
    ) {
        let due = self.message_in.arrive(now, id, self.parameters.message_time);
        tell(id, stage(due, AdapterStage::Message, AdapterStage::MessageQueue), table, out);
        self.when(now, AdapterBlock::MessageIn, due, out);
        self.run_at_once(now, table, out);
    }

    /// Target: the drive has data of a read ready, up to byte `end`. They are sent as one sequence.
    pub fn send_data(
        &mut self,
        now: Time,
        id: ExchangeId,
        end: u64,
        table: &mut ExchangeTable,
        out: &mut Vec<AdapterEffect>,
    ) {
        let start = table[id].sequence_end;
        table[id].sequence_end = end;
        self.fetch(now, id, end - start, table, out);
        self.run_at_once(now, table, out);
    }

    /// Target: the drive has a buffer for the next burst of a write.
    pub fn ask_for_data(&mut self, id: ExchangeId, table: &mut ExchangeTable, out: &mut Vec<AdapterEffect>) {
        let exchange = &mut table[id];
        exchange.sequence_end = (exchange.sequence_end + exchange.burst_bytes).min(exchange.bytes);
        exchange.dma_claimed = false;
        self.enqueue(id, FrameKind::TransferReady, self.sizes.xfer_rdy_payload, table, out);
    }

    /// Target: the drive has finished a write; the status is to be sent.
    pub fn respond(
        &mut self,
        now: Time,
        id: ExchangeId,
        table: &mut ExchangeTable,
        out: &mut Vec<AdapterEffect>,
    ) {
        self.process(now, Task::Response(id), table, out);
        self.run_at_once(now, table, out);
    }

    /// The port has received a frame.
    pub fn received(
        &mut self,
        now: Time,
        frame: Frame,
        table: &mut ExchangeTable,
        out: &mut Vec<AdapterEffect>,
    ) {
        let exchange = &mut table[frame.exchange];
        exchange.frames_under_way -= 1;
        if frame.kind == FrameKind::Data {
            exchange.received_bytes += u64::from(frame.payload_bytes);
        }
        let due = self.incoming.arrive(now, frame, self.parameters.frame_time);
        if leads_on(&frame, table) {
            tell(frame.exchange, stage(due, AdapterStage::Incoming, AdapterStage::IncomingQueue), table, out);
        } else {
            // More is to follow; where that is was kept while frames were under way.
            tell(frame.exchange, table[frame.exchange].stage, table, out);
        }
        self.when(now, AdapterBlock::Incoming, due, out);
        self.run_at_once(now, table, out);
    }

    /// A data frame has left the outgoing FIFO of the port.
    pub fn started(&mut self, now: Time, table: &mut ExchangeTable, out: &mut Vec<AdapterEffect>) {
        self.outgoing -= 1;
        self.fetch_next(now, table, out);
        self.run_at_once(now, table, out);
    }

    /// The port has sent the last data frame of an exchange to its end.
    pub fn sent(&mut self, now: Time, frame: Frame, table: &mut ExchangeTable, out: &mut Vec<AdapterEffect>) {
        if self.end.target && self.parameters.response_circuit == ResponseCircuit::Own {
            self.leaving.push(frame.exchange);
        }
        if self.end.target && self.parameters.response_start == ResponseStart::Sent {
            self.process(now, Task::Response(frame.exchange), table, out);
            self.run_at_once(now, table, out);
        }
    }

    /// A block has finished its job.
    pub fn due(
        &mut self,
        now: Time,
        block: AdapterBlock,
        table: &mut ExchangeTable,
        out: &mut Vec<AdapterEffect>,
    ) {
        self.at_once.push_back(block);
        self.run_at_once(now, table, out);
    }

    /// Notes when a block will be done; a job that takes no time is done within this call.
    fn when(&mut self, now: Time, block: AdapterBlock, due: Option<Time>, out: &mut Vec<AdapterEffect>) {
        match due {
            Some(at) if at == now => self.at_once.push_back(block),
            Some(at) => out.push(AdapterEffect::Due(block, at)),
            None => {}
        }
    }

    fn run_at_once(&mut self, now: Time, table: &mut ExchangeTable, out: &mut Vec<AdapterEffect>) {
        while let Some(block) = self.at_once.pop_front() {
            match block {
                AdapterBlock::MessageIn => self.message_in_done(now, table, out),
                AdapterBlock::MessageOut => self.message_out_done(now, table, out),
                AdapterBlock::Processor => self.task_done(now, table, out),
                AdapterBlock::Dma | AdapterBlock::DmaIn => self.chunk_done(now, block, table, out),
                AdapterBlock::Incoming => self.frame_processed(now, table, out),
                AdapterBlock::SingleFrame => self.single_frame_done(now, table, out),
            }
        }
    }

    fn message_in_done(&mut self, now: Time, table: &mut ExchangeTable, out: &mut Vec<AdapterEffect>) {
        let (done, next) = self.message_in.finish(now);
        if let Some((id, _)) = next {
            tell(id, AdapterStage::Message, table, out);
        }
        self.when(now, AdapterBlock::MessageIn, next.map(|n| n.1), out);
        if let Some(id) = done {
            self.waiting.push_back(id);
            tell(id, AdapterStage::CommandLimit, table, out);
            self.execute(now, table, out);
        }
    }

    fn message_out_done(&mut self, now: Time, table: &mut ExchangeTable, out: &mut Vec<AdapterEffect>) {
        let (done, next) = self.message_out.finish(now);
        if let Some((id, _)) = next {
            tell(id, AdapterStage::Message, table, out);
        }
        self.when(now, AdapterBlock::MessageOut, next.map(|n| n.1), out);
        if let Some(id) = done {
            out.push(if self.end.target {
                AdapterEffect::CommandArrived(id)
            } else {
                AdapterEffect::Completed(id)
            });
        }
    }

    /// Initiator: executes as many commands as the limit allows (Wang 3.2.3). A command is in execution until FCP_CMND has
    /// been handed to the port.
    fn execute(&mut self, now: Time, table: &mut ExchangeTable, out: &mut Vec<AdapterEffect>) {
        while self.parameters.commands_in_execution.is_none_or(|most| self.executing < most) {
            let Some(id) = self.waiting.pop_front() else { return };
            self.executing += 1;
            self.process(now, Task::Command(id), table, out);
        }
    }

    /// Gives the main processor a task.
    fn process(&mut self, now: Time, task: Task, table: &mut ExchangeTable, out: &mut Vec<AdapterEffect>) {
        let takes = match task {
            Task::Command(_) => self.parameters.command_time,
            Task::TransferReady(_) => self.parameters.xfer_rdy_time,
            Task::Response(_) => self.parameters.response_time,
        };
        let order = self.parameters.processor_order;
        let due = if task.is_first(order) {
            self.processor.arrive_first(now, task, takes, |other| other.is_first(order))
        } else {
            self.processor.arrive(now, task, takes)
        };
        tell(task.exchange(), stage(due, task.stage(), AdapterStage::ProcessorQueue), table, out);
        self.when(now, AdapterBlock::Processor, due, out);
    }

    fn task_done(&mut self, now: Time, table: &mut ExchangeTable, out: &mut Vec<AdapterEffect>) {
        let (done, next) = self.processor.finish(now);
        if let Some((task, _)) = next {
            tell(task.exchange(), task.stage(), table, out);
        }
        self.when(now, AdapterBlock::Processor, next.map(|n| n.1), out);
        match done {
            Some(Task::Command(id)) if self.end.target => self.tell_host(now, id, table, out),
            Some(Task::Command(id)) => {
                let request = DmaRequest {
                    exchange: id,
                    kind: DmaKind::Request,
                    bytes: self.parameters.request_bytes,
                    setup: self.parameters.dma_setup_time,
                };
                tell(id, AdapterStage::DmaQueue, table, out);
                self.push_dma(now, AdapterBlock::Dma, request, table, out);
            }
            Some(Task::TransferReady(id)) => {
                let exchange = &table[id];
                let burst = exchange.sequence_end - exchange.queued_bytes;
                self.fetch(now, id, burst, table, out);
            }
            Some(Task::Response(id)) => self.response_made(id, table, out),
            None => {}
        }
    }

    fn frame_processed(&mut self, now: Time, table: &mut ExchangeTable, out: &mut Vec<AdapterEffect>) {
        let (done, next) = self.incoming.finish(now);
        if let Some((frame, _)) = next
            && leads_on(&frame, table)
        {
            tell(frame.exchange, AdapterStage::Incoming, table, out);
        }
        self.when(now, AdapterBlock::Incoming, next.map(|n| n.1), out);
        let Some(frame) = done else { return };
        out.push(AdapterEffect::BufferFreed);
        let id = frame.exchange;
        match frame.kind {
            FrameKind::Data => {
                let last = leads_on(&frame, table);
                let exchange = &mut table[id];
                let pays = self.parameters.dma_setup_per == DmaSetupPer::Frame || !exchange.dma_claimed;
                exchange.dma_claimed = true;
                let setup = if pays { self.parameters.dma_setup_time } else { Span::ZERO };
                let bytes = u64::from(frame.payload_bytes);
                let request = DmaRequest { exchange: id, kind: DmaKind::Incoming, bytes, setup };
                let block = self.dma_of_incoming();
                self.push_dma(now, block, request, table, out);
                if last && self.parameters.burst_done == BurstDone::Received {
                    out.push(AdapterEffect::BurstIn(id));
                } else if last {
                    table[id].storing = true;
                    self.tell_storing(block, id, table, out);
                }
            }
            FrameKind::TransferReady => self.process(now, Task::TransferReady(id), table, out),
            FrameKind::Command | FrameKind::Response => {
                if frame.kind == FrameKind::Command {
                    table[id].command_received = now;
                }
                let due = self.single_frame.arrive(now, id, self.parameters.single_frame_time);
                tell(id, stage(due, AdapterStage::SingleFrame, AdapterStage::SingleFrameQueue), table, out);
                self.when(now, AdapterBlock::SingleFrame, due, out);
            }
        }
    }

    fn single_frame_done(&mut self, now: Time, table: &mut ExchangeTable, out: &mut Vec<AdapterEffect>) {
        let (done, next) = self.single_frame.finish(now);
        if let Some((id, _)) = next {
            tell(id, AdapterStage::SingleFrame, table, out);
        }
        self.when(now, AdapterBlock::SingleFrame, next.map(|n| n.1), out);
        let Some(id) = done else { return };
        if self.end.target {
            self.process(now, Task::Command(id), table, out);
            return;
        }
        let exchange = &mut table[id];
        exchange.status_in = true;
        if exchange.write || exchange.stored_bytes == exchange.bytes {
            self.tell_host(now, id, table, out);
        } else {
            // The status overtook the data on the way to memory.
            exchange.storing = true;
            self.tell_storing(self.dma_of_incoming(), id, table, out);
        }
    }

    /// Interrupts the host (initiator) or passes the command to the firmware (target).
    fn tell_host(
        &mut self,
        now: Time,
        id: ExchangeId,
        table: &mut ExchangeTable,
        out: &mut Vec<AdapterEffect>,
    ) {
        let due = self.message_out.arrive(now, id, self.parameters.message_time);
        tell(id, stage(due, AdapterStage::Message, AdapterStage::MessageQueue), table, out);
        self.when(now, AdapterBlock::MessageOut, due, out);
    }
}

//! The adapter: FCP main processor, outgoing frame construction, incoming frame process, single frame transfer, and how DMA and the loop
//! port work together.
//!
//! Source: Wang 2005, section 4.3.2 (figures 4.11, 4.12) and tables 6.2, 6.3. One model serves as initiator and as target: this module has
//! the blocks, `initiator.rs` and `target.rs` have the use that each [`ExchangeUse`] makes of them.
//!
//! * A command from the host costs the main processor `command_time`, or `write_command_time` for a write; then the request package is
//!   fetched by DMA, and then FCP_CMND is queued at the port.
//! * Every received frame passes the incoming frame process (`frame_time`), which empties the port's buffer. FCP_DATA goes on to the DMA
//!   queue, FCP_XFER_RDY to the main processor (`xfer_rdy_time`, then DMA of the burst), FCP_CMND and FCP_RSP to the single frame transfer
//!   (`single_frame_time`).
//! * Data frames of a sequence are queued at the port one by one as their payload arrives from DMA, and payload is fetched as the outgoing
//!   FIFO empties. A command therefore waits behind the data frames in the FIFO, and may be sent between the frames of one write.
//! * The main processor of an initiator takes `completion_time` for a complete I/O before the adapter notifies the host. The main processor
//!   of a target works for `completion_time` on an exchange after the port has accepted FCP_RSP.
//! * At the target a received command costs the main processor the same times before the drive's firmware has it. FCP_RSP is generated
//!   within `response_time`. An FCP_RSP with a circuit of its own waits for the end of the circuit of the data, and is made meanwhile.
//!
//! An adapter that fails loses the connection to the device behind it; its network end continues: exchanges in flight end, without use of
//! their data and status. A failed initiator answers present and new requests as unreachable to its host; a failed target answers the
//! initiator with a status in FCP_RSP, as a port of a storage array does that has lost its device (SCSI: not accessible, target port in
//! unavailable state; NVMe: inaccessible). After a repair new requests proceed as before.
//!
//! Assumption: frame construction and, unless `message_time` says otherwise, messages and interrupts take no time.

mod aborts;
pub mod accepted;
pub mod announced;
pub mod burst;
mod catalogue;
mod component;
mod demand;
mod incoming;
mod logout;
mod messages;
mod outgoing;
mod parameters;
pub mod prefetch;
mod processor_order;
mod registers;
mod silence;
mod slowness;
mod stage;
mod transfers;
mod whole;
mod whole_units;

pub(crate) use aborts::{ABORT_TIMER, LOGIN_TIMER, NOTICE_TIMER, RECOVERY_TIMER};
use aborts::{DELAY_TIMER, STATUS_TIMER};
use accepted::Accepting;
use announced::Announcing;
pub use catalogue::{AdapterBlock, AdapterStage, CATALOGUE};
pub(crate) use outgoing::Draft;
pub use parameters::{
    AdapterParameters, BurstDone, DmaSetupPer, ProcessorOrder, ResponseCircuit, ResponseStart,
};

pub use crate::unit_sizes::UnitSizes;

use crate::dma::Dma;
use crate::exchange::{ExchangeId, Exchanges};
use crate::nvme::queues::SubmissionQueues;
use crate::server::FcfsServer;
use messages::MessageRules;
use prefetch::Made;
use processor_order::TaskOrder;
use registers::Registers;
pub(crate) use registers::STATUS_TURN;
use sansim_component::policy::AccessState;
use sansim_component::{
    AdapterRole, BuildContext, Context, EventTurn, LeftoverFindings, Message, ObservableKind, Timer,
    UnitTransport,
};
use sansim_kernel::{RandomStream, Span, Time};
use sansim_pdu::{Address, Notice, Pdu, RequestTag};
use slowness::Slowness;
use stage::stage;
use std::collections::VecDeque;
use whole::Whole;
use whole_units::WholeUnits;

/// The port by which an adapter is attached to its network.
pub const NETWORK: u16 = 0;
/// The port by which a target sends requests to its server, and the first port by which an initiator receives requests; an initiator has
/// one for each port of a device that it reaches. The ports of the adapter at a bus have the numbers after these.
pub const BLOCK: u16 = 1;

/// A task of the main processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Command(ExchangeId),
    TransferReady(ExchangeId),
    Response(ExchangeId),
    Completion(ExchangeId),
    /// The last work of a target for an exchange comes after the port has accepted FCP_RSP. The exchange may be closed then.
    CloseExchange,
    /// The status report for which the driver has asked.
    StatusReport,
}

impl Task {
    fn exchange(self) -> Option<ExchangeId> {
        match self {
            Self::Command(id) | Self::TransferReady(id) | Self::Response(id) | Self::Completion(id) => {
                Some(id)
            }
            Self::CloseExchange | Self::StatusReport => None,
        }
    }

    /// Whether the task goes before other waiting tasks.
    fn is_first(self, order: ProcessorOrder) -> bool {
        match order {
            ProcessorOrder::Fcfs => false,
            ProcessorOrder::TransferReadyFirst => matches!(self, Self::TransferReady(_)),
            ProcessorOrder::CommandFirst => matches!(self, Self::Command(_)),
        }
    }

    fn stage(self) -> AdapterStage {
        match self {
            Self::Command(_) | Self::StatusReport => AdapterStage::Command,
            Self::TransferReady(_) => AdapterStage::TransferReady,
            Self::Response(_) | Self::Completion(_) | Self::CloseExchange => AdapterStage::Response,
        }
    }
}

/// The use that one end of an exchange makes of the blocks of its adapter.
pub trait ExchangeUse: Sized {
    /// Whether a task that the main processor has completed may give the DMA something to fetch.
    const FETCHES_BY_PROCESSOR: bool;
    /// Whether another component is notified when the last data of a sequence have been fetched.
    const ENDS_CONCERN: bool;
    /// Whether the role is the end that sends commands.
    const INITIATES: bool;
    /// An idle adapter with this role.
    fn build(parameters: &AdapterParameters, cx: &BuildContext<'_, AdapterRole>) -> Adapter<Self>;
    /// Handles a message at a port that carries no frames.
    fn receive(adapter: &mut Adapter<Self>, cx: &mut Context<'_>, port: u16, message: Message);
    /// The adapter has failed; its open exchanges are marked as unreachable.
    fn failed(adapter: &mut Adapter<Self>, cx: &mut Context<'_>);
    /// The state that the role still holds at the end of a run.
    fn leftovers(&self, leftovers: &mut LeftoverFindings);
    /// The exchange of a received frame; a command opens an exchange. The result is none if the exchange does not exist.
    fn exchange_of(adapter: &mut Adapter<Self>, cx: &mut Context<'_>, frame: &Pdu) -> Option<ExchangeId>;
    /// A message to the adapter has arrived.
    fn message_in_done(adapter: &mut Adapter<Self>, cx: &mut Context<'_>, id: ExchangeId);
    /// The host or the firmware has been notified.
    fn message_out_done(adapter: &mut Adapter<Self>, cx: &mut Context<'_>, id: ExchangeId);
    /// The main processor has completed a command.
    fn command_done(adapter: &mut Adapter<Self>, cx: &mut Context<'_>, id: ExchangeId);
    /// A command or a response has passed the single frame transfer.
    fn single_frame_done(adapter: &mut Adapter<Self>, cx: &mut Context<'_>, id: ExchangeId);
    /// The request package of a command has been fetched.
    fn package_fetched(adapter: &mut Adapter<Self>, cx: &mut Context<'_>, id: ExchangeId);
    /// The main processor has made a response.
    fn response_made(adapter: &mut Adapter<Self>, cx: &mut Context<'_>, id: ExchangeId);
    /// A data frame has been given to the port.
    fn data_queued(adapter: &mut Adapter<Self>, cx: &mut Context<'_>, id: ExchangeId);
    /// A data frame has been received and processed; in a write it may be the last frame of a burst.
    fn data_processed(adapter: &mut Adapter<Self>, cx: &mut Context<'_>, id: ExchangeId, last: bool);
    /// A link service has arrived, or an answer to one.
    fn link_service(adapter: &mut Adapter<Self>, cx: &mut Context<'_>, frame: &Pdu);
    /// Some work for an exchange that is being aborted has ended.
    fn abort_goes_on(adapter: &mut Adapter<Self>, cx: &mut Context<'_>, id: ExchangeId);
    /// The loop of the adapter has been initialised.
    fn loop_initialised(adapter: &mut Adapter<Self>, cx: &mut Context<'_>);
    /// The other end of an exchange has left the network.
    fn logged_out(adapter: &mut Adapter<Self>, cx: &mut Context<'_>, id: ExchangeId);
    /// The port at an address has left the network.
    fn peer_left(adapter: &mut Adapter<Self>, peer: Address);
    /// A device is in this access state through the adapter from now on.
    fn access_changes(adapter: &mut Adapter<Self>, device: u32, access: AccessState);
    /// The adapter has fallen silent.
    fn fell_silent(adapter: &mut Adapter<Self>, cx: &mut Context<'_>);
    /// The adapter works again after a failure, or is on its network again.
    fn came_back(adapter: &mut Adapter<Self>);
    /// ABTS has not been answered in time.
    fn abort_due(adapter: &mut Adapter<Self>, cx: &mut Context<'_>, id: ExchangeId);
    /// A service of the login with a target has not been answered in time, or a reset of the adapter is over.
    fn login_due(adapter: &mut Adapter<Self>, cx: &mut Context<'_>, target: Address);
    /// A timer of the recovery of an exchange is due.
    fn recovery_due(adapter: &mut Adapter<Self>, cx: &mut Context<'_>, id: ExchangeId);
    /// The network has sent a notice.
    fn noticed(adapter: &mut Adapter<Self>, cx: &mut Context<'_>, notice: &Notice);
    /// The driver looks whether notices have come.
    fn notices_due(adapter: &mut Adapter<Self>, cx: &mut Context<'_>);
    /// The data of a frame are in memory.
    fn data_stored(adapter: &mut Adapter<Self>, cx: &mut Context<'_>, id: ExchangeId);
}

/// An adapter as initiator or as target.
#[derive(Clone, Debug)]
pub struct Adapter<R> {
    pub(crate) parameters: AdapterParameters,
    pub(crate) sizes: UnitSizes,
    /// The messages of an I/O.
    pub(crate) rules: MessageRules,
    /// The submission queues of FC-NVMe.
    pub(crate) submission_queues: SubmissionQueues,
    /// The address of the adapter's port on its network.
    pub(crate) address: Address,
    pub(crate) exchanges: Exchanges,
    /// Whether the adapter has lost the connection to the component behind it.
    pub(crate) is_cut_off: bool,
    /// Whether the adapter has fallen silent.
    pub(crate) is_silent: bool,
    /// The slowness that an event has given the adapter.
    slowness: Slowness,
    /// The number of times that the adapter has been repaired.
    pub(crate) repairs: u32,
    /// The number of commands that the adapter has sent, or received as a target.
    pub(crate) commands: u64,
    /// The number of commands of which this initiator had lost frames sent again.
    pub(crate) recovered: u64,
    /// The state of the adapter as initiator or as target.
    pub(crate) role: R,
    /// The first port of the adapter at a bus, if it has a bus: the port of the DMA, then the port of a second DMA for incoming data.
    bus: u16,
    /// The accesses to the registers, by which commands come.
    registers: Registers,
    /// The messages to the adapter: those of commands, and, without an exchange, those that ask for a status report.
    message_in: FcfsServer<ExchangeId>,
    message_out: FcfsServer<ExchangeId>,
    pub(crate) processor: FcfsServer<Task>,
    task_order: TaskOrder,
    dma: Dma,
    dma_in: Dma,
    incoming: FcfsServer<(ExchangeId, Pdu)>,
    single_frame: FcfsServer<ExchangeId>,
    /// The sequences to be sent: the exchange, the bytes not yet requested from the DMA, and the scheduler overhead not yet paid.
    sequences: VecDeque<(ExchangeId, u64, Span)>,
    /// The number of data frames in the outgoing FIFO or about to enter it.
    outgoing: u32,
    /// The state for whole sequences, if the network of the adapter accepts them.
    whole: Option<Whole>,
    /// The units that have been begun, on a network that carries streams of bytes.
    whole_units: WholeUnits,
    /// The random stream that decides which received frames are damaged.
    damage: Option<RandomStream>,
    /// The request of a frame burst that the adapter sends: frames for its port are kept until the end, and its DMA schedules no events.
    sends_train: Option<RequestTag>,
    /// The frames that the adapter has announced to its fabric.
    announcing: Announcing,
    /// The frames that the adapter accepts from its fabric.
    accepting: Accepting,
    /// Whether frames of the burst are still to be fetched, before all other frames.
    supplies: bool,
    made: Made,
    /// The blocks whose job needed no time, to be finished within the same call.
    at_once: VecDeque<AdapterBlock>,
}

impl<R: ExchangeUse> Adapter<R> {
    /// An idle adapter at this address.
    pub(crate) fn with_role(
        parameters: &AdapterParameters,
        sizes: &UnitSizes,
        address: Address,
        role: R,
    ) -> Self {
        let dma = Dma::new(
            parameters.dma_order,
            parameters.dma_request_first,
            parameters.dma_bandwidth,
            parameters.max_payload,
        );
        Self {
            parameters: parameters.clone(),
            sizes: *sizes,
            rules: MessageRules::new(parameters, UnitTransport::Frames),
            submission_queues: SubmissionQueues::default(),
            address,
            exchanges: Exchanges::default(),
            is_cut_off: false,
            is_silent: false,
            slowness: Slowness::default(),
            repairs: 0,
            commands: 0,
            recovered: 0,
            role,
            bus: BLOCK + 1,
            registers: Registers::default(),
            message_in: FcfsServer::default(),
            message_out: FcfsServer::default(),
            processor: FcfsServer::default(),
            task_order: TaskOrder::of_rule(&parameters.processor_order),
            dma_in: dma.clone(),
            dma,
            incoming: FcfsServer::default(),
            single_frame: FcfsServer::default(),
            sequences: VecDeque::with_capacity(64),
            outgoing: 0,
            whole: None,
            whole_units: WholeUnits::default(),
            damage: None,
            sends_train: None,
            announcing: Announcing::default(),
            accepting: Accepting::default(),
            supplies: false,
            made: Made::default(),
            at_once: VecDeque::with_capacity(8),
        }
    }

    /// The exchange that a block works for.
    fn at_work(&self, block: AdapterBlock) -> Option<ExchangeId> {
        match block {
            AdapterBlock::MessageIn => {
                self.message_in.current_job().copied().filter(|&id| id != ExchangeId::UNASSIGNED)
            }
            AdapterBlock::MessageOut => self.message_out.current_job().copied(),
            AdapterBlock::Processor => self.processor.current_job().and_then(|task| task.exchange()),
            AdapterBlock::Dma => self.dma.current_exchange().map(|(id, _)| id),
            AdapterBlock::DmaIn => self.dma_in.current_exchange().map(|(id, _)| id),
            // A link service belongs to no exchange.
            AdapterBlock::Incoming => {
                self.incoming.current_job().map(|(id, _)| *id).filter(|&id| id != ExchangeId::UNASSIGNED)
            }
            AdapterBlock::SingleFrame => self.single_frame.current_job().copied(),
        }
    }

    /// Schedules the time at which a block will be done; a job that needs no time is done within this call.
    pub(crate) fn when(&mut self, cx: &mut Context<'_>, block: AdapterBlock, due: Option<Time>) {
        let Some(at) = due else { return };
        if at == cx.now {
            self.at_once.push_back(block);
            return;
        }
        if self.sends_train.is_some() && block == AdapterBlock::Dma {
            return;
        }
        if cx.wanted_sights().blocks {
            self.show_work(cx, block, at);
        }
        cx.set_timer(at, EventTurn::turn_of_node(block as u32), Timer::new(block as u8, 0));
    }

    /// Shows observers the request for which a block works until some time.
    #[cold]
    fn show_work(&self, cx: &mut Context<'_>, block: AdapterBlock, until: Time) {
        if let Some(id) = self.at_work(block) {
            cx.report_observation(
                cx.now,
                ObservableKind::Block(block as usize, self.exchanges[id].request, until),
            );
        }
    }

    /// Finishes the jobs that need no time.
    #[inline]
    pub(crate) fn run_at_once(&mut self, cx: &mut Context<'_>) {
        while let Some(block) = self.at_once.pop_front() {
            self.finish(cx, block);
        }
    }

    /// A block has finished its job.
    fn finish(&mut self, cx: &mut Context<'_>, block: AdapterBlock) {
        match block {
            AdapterBlock::MessageIn => {
                let (done, next) = self.message_in.finish_current(cx.now);
                self.next_message(cx, block, next);
                match done {
                    Some(ExchangeId::UNASSIGNED) => self.status_command_in(cx),
                    Some(id) if self.exchanges[id].aborted => self.job_dropped(cx, id),
                    Some(id) => R::message_in_done(self, cx, id),
                    None => {}
                }
            }
            AdapterBlock::MessageOut => {
                let (done, next) = self.message_out.finish_current(cx.now);
                self.next_message(cx, block, next);
                match done {
                    Some(id) if self.exchanges[id].aborted => self.job_dropped(cx, id),
                    Some(id) => R::message_out_done(self, cx, id),
                    None => {}
                }
            }
            AdapterBlock::Processor => self.task_done(cx),
            AdapterBlock::Dma | AdapterBlock::DmaIn => self.dma_due(cx, block),
            AdapterBlock::Incoming => self.frame_processed(cx),
            AdapterBlock::SingleFrame => self.single_frame_done(cx),
        }
    }

    fn next_message(&mut self, cx: &mut Context<'_>, block: AdapterBlock, next: Option<(ExchangeId, Time)>) {
        if let Some((id, at)) = next {
            if id != ExchangeId::UNASSIGNED {
                self.tell(cx, id, AdapterStage::Message);
            }
            self.when(cx, block, Some(at));
        }
    }

    /// A message arrives for the adapter.
    pub(crate) fn message_in(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let due = self.message_in.submit_job(cx.now, id, self.parameters.message_time);
        if id != ExchangeId::UNASSIGNED {
            self.tell(cx, id, stage(due, AdapterStage::Message, AdapterStage::MessageQueue));
        }
        self.when(cx, AdapterBlock::MessageIn, due);
    }

    /// Interrupts the host (initiator) or passes the command to the firmware (target).
    pub(crate) fn tell_host(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let due = self.message_out.submit_job(cx.now, id, self.parameters.message_time);
        self.tell(cx, id, stage(due, AdapterStage::Message, AdapterStage::MessageQueue));
        self.when(cx, AdapterBlock::MessageOut, due);
    }

    /// Gives the main processor a task.
    pub(crate) fn process(&mut self, cx: &mut Context<'_>, task: Task) {
        let takes = match task {
            Task::Command(id) => self.parameters.command_takes(self.exchanges[id].write),
            Task::TransferReady(_) => self.parameters.xfer_rdy_time,
            Task::Response(_) => self.parameters.response_time,
            Task::Completion(_) | Task::CloseExchange => self.parameters.completion_time,
            Task::StatusReport => self.parameters.status_time,
        };
        let due = match &mut self.task_order {
            &mut TaskOrder::BuiltIn(order) if task.is_first(order) => {
                self.processor.submit_first(cx.now, task, takes, |other| other.is_first(order))
            }
            TaskOrder::BuiltIn(_) => self.processor.submit_job(cx.now, task, takes),
            TaskOrder::Own(own) => {
                let due = self.processor.submit_job(cx.now, task, takes);
                own.1.extend(due.is_none().then_some(cx.now));
                due
            }
        };
        if let Some(id) = task.exchange() {
            self.tell(cx, id, stage(due, task.stage(), AdapterStage::ProcessorQueue));
        }
        self.when(cx, AdapterBlock::Processor, due);
    }

    fn task_done(&mut self, cx: &mut Context<'_>) {
        if let TaskOrder::Own(_) = self.task_order {
            self.choose_task(cx.now);
        }
        let (done, next) = self.processor.finish_current(cx.now);
        if let Some((task, at)) = next {
            if let Some(id) = task.exchange() {
                self.tell(cx, id, task.stage());
            }
            self.when(cx, AdapterBlock::Processor, Some(at));
        }
        if let Some(id) = done.and_then(Task::exchange)
            && self.exchanges[id].aborted
        {
            return self.job_dropped(cx, id);
        }
        match done {
            Some(Task::Command(id)) => R::command_done(self, cx, id),
            Some(Task::TransferReady(id)) => {
                let exchange = &self.exchanges[id];
                let burst = exchange.sequence_end - exchange.queued_bytes;
                self.fetch(cx, id, burst);
            }
            Some(Task::Response(id)) => R::response_made(self, cx, id),
            Some(Task::Completion(id)) => self.tell_host(cx, id),
            Some(Task::StatusReport) => self.status_made(cx),
            Some(Task::CloseExchange) | None => {}
        }
    }

    /// The time in which a block was at work, up to now.
    fn busy_block(&self, now: Time, block: AdapterBlock) -> Span {
        match block {
            AdapterBlock::MessageIn => self.message_in.busy_time(now),
            AdapterBlock::MessageOut => self.message_out.busy_time(now),
            AdapterBlock::Processor => self.processor.busy_time(now),
            AdapterBlock::Dma => self.dma.busy_time(now),
            AdapterBlock::DmaIn => self.dma_in.busy_time(now),
            AdapterBlock::Incoming => self.incoming.busy_time(now),
            AdapterBlock::SingleFrame => self.single_frame.busy_time(now),
        }
    }
}

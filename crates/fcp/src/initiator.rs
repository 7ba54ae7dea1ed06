//! The initiator's end of exchanges: an adapter that is asked by a host, or by a controller for what lies behind it.
//!
//! Source: Wang 2005, section 4.3.2. It fetches and delivers data itself, by DMA, and so neither asks for data nor offers any.

use crate::adapter::{
    Adapter, AdapterBlock, AdapterParameters, AdapterStage, BLOCK, Draft, Role, Task, UnitSizes,
};
use crate::dma::{DmaKind, DmaRequest};
use crate::exchange::{Exchange, ExchangeId};
use sansim_component::{Context, Message, Rest, Setting};
use sansim_fc::address::Address;
use sansim_fc::frame::{Frame, FrameKind};
use sansim_request::{RequestId, Status};
use std::collections::VecDeque;

/// An adapter that asks.
pub type Initiator = Adapter<Initiates>;

/// What an initiator has besides the blocks of its adapter.
#[derive(Clone, Debug, Default)]
pub struct Initiates {
    /// The address of each device on this network, by the number of the device.
    addresses: Vec<Option<Address>>,
    /// Commands that are being executed, and those that wait until they may be.
    executing: u64,
    waiting: VecDeque<ExchangeId>,
}

impl Initiator {
    /// An idle adapter at this address, by which devices can be reached at these: none for a device that is not on its network.
    pub fn new(
        parameters: &AdapterParameters,
        sizes: &UnitSizes,
        address: Address,
        addresses: Vec<Option<Address>>,
    ) -> Self {
        let role = Initiates { addresses, executing: 0, waiting: VecDeque::with_capacity(16) };
        Self::with_role(parameters, sizes, address, role)
    }

    /// A request is handed over.
    fn submit(&mut self, cx: &mut Context<'_>, id: RequestId) {
        if self.is_cut_off {
            cx.answer(BLOCK, id, Status::Unreachable);
            return;
        }
        let request = *cx.request(id);
        let Some(peer) = self.role.addresses.get(request.device as usize).copied().flatten() else {
            cx.answer(BLOCK, id, Status::Failed);
            return;
        };
        let exchange = Exchange::new(id, peer, request.is_write(), request.bytes);
        let exchange = self.exchanges.open(cx, exchange);
        self.message_in(cx, exchange);
        self.run_at_once(cx);
    }

    /// Executes as many commands as the limit allows (Wang 3.2.3). A command is in execution until FCP_CMND has been handed to the
    /// port.
    fn execute(&mut self, cx: &mut Context<'_>) {
        while self.parameters.commands_in_execution.is_none_or(|most| self.role.executing < most) {
            let Some(id) = self.role.waiting.pop_front() else { return };
            self.role.executing += 1;
            self.process(cx, Task::Command(id));
        }
    }

    /// Gives up a command of which nothing has been sent, if its host cannot be reached any more. Returns whether it does.
    fn gives_up(&mut self, cx: &mut Context<'_>, id: ExchangeId) -> bool {
        let Exchange { request, unreachable, .. } = self.exchanges[id];
        if unreachable {
            cx.answer(BLOCK, request, Status::Unreachable);
            self.exchanges.close(cx, id);
        }
        unreachable
    }

    /// Whether all data that come are in memory.
    fn has_all(&self, id: ExchangeId) -> bool {
        let exchange = &self.exchanges[id];
        // Of a command that failed no more come than came before the status.
        let all = if exchange.failed { exchange.received_bytes } else { exchange.bytes };
        exchange.write || exchange.stored_bytes == all
    }
}

impl Role for Initiates {
    fn build(parameters: &AdapterParameters, setting: &Setting<'_>) -> Initiator {
        let address = setting.address.unwrap_or_default();
        Initiator::new(parameters, &setting.facts.get::<UnitSizes>(), address, setting.addresses.clone())
    }

    /// Circuits are the target's affair. What is on its way is not called back.
    #[inline(always)]
    fn receive(adapter: &mut Initiator, cx: &mut Context<'_>, message: Message) {
        match message {
            Message::Left(_) => adapter.frame_left(cx),
            Message::Request(id, _) => adapter.submit(cx, id),
            _ => {}
        }
    }

    fn failed(adapter: &mut Initiator, cx: &mut Context<'_>) {
        while let Some(id) = adapter.role.waiting.pop_front() {
            adapter.gives_up(cx, id);
        }
    }

    fn rest(&self, rest: &mut Rest) {
        rest.none("commands left in execution", self.executing);
        rest.none("commands left waiting", self.waiting.len() as u64);
    }

    fn exchange_of(_: &mut Initiator, _: &mut Context<'_>, frame: &Frame) -> ExchangeId {
        frame.originator
    }

    fn message_in_done(adapter: &mut Initiator, cx: &mut Context<'_>, id: ExchangeId) {
        if adapter.gives_up(cx, id) {
            return;
        }
        adapter.role.waiting.push_back(id);
        adapter.tell(cx, id, AdapterStage::CommandLimit);
        adapter.execute(cx);
    }

    fn command_done(adapter: &mut Initiator, cx: &mut Context<'_>, id: ExchangeId) {
        if adapter.gives_up(cx, id) {
            adapter.role.executing -= 1;
            adapter.execute(cx);
            return;
        }
        let request = DmaRequest {
            exchange: id,
            kind: DmaKind::Request,
            bytes: adapter.parameters.request_bytes,
            setup: adapter.parameters.dma_setup_time,
            ends: false,
        };
        adapter.tell(cx, id, AdapterStage::DmaQueue);
        adapter.push_dma(cx, AdapterBlock::Dma, request);
    }

    fn package_fetched(adapter: &mut Initiator, cx: &mut Context<'_>, id: ExchangeId) {
        if !adapter.gives_up(cx, id) {
            let payload = adapter.sizes.command_payload;
            adapter.commands += 1;
            adapter.enqueue(cx, id, Draft::single(FrameKind::Command, payload));
        }
        adapter.role.executing -= 1;
        adapter.execute(cx);
    }

    fn response_made(_: &mut Initiator, _: &mut Context<'_>, _: ExchangeId) {}

    fn data_queued(_: &mut Initiator, _: &mut Context<'_>, _: ExchangeId) {}

    fn data_processed(_: &mut Initiator, _: &mut Context<'_>, _: ExchangeId, _: bool) {}

    fn data_stored(adapter: &mut Initiator, cx: &mut Context<'_>, id: ExchangeId) {
        if !adapter.exchanges[id].status_in {
            return;
        }
        if adapter.has_all(id) {
            adapter.exchanges[id].storing = false;
            adapter.tell_host(cx, id);
        } else {
            adapter.tell_storing(cx, id);
        }
    }

    fn single_frame_done(adapter: &mut Initiator, cx: &mut Context<'_>, id: ExchangeId) {
        adapter.exchanges[id].status_in = true;
        if adapter.has_all(id) {
            adapter.tell_host(cx, id);
        } else {
            // The status overtook the data on the way to memory.
            adapter.exchanges[id].storing = true;
            adapter.tell_storing(cx, id);
        }
    }

    fn message_out_done(adapter: &mut Initiator, cx: &mut Context<'_>, id: ExchangeId) {
        let Exchange { request, failed, unreachable, .. } = adapter.exchanges[id];
        let status = match (unreachable, failed) {
            (true, _) => Status::Unreachable,
            (false, true) => Status::Failed,
            (false, false) => Status::Good,
        };
        cx.answer(BLOCK, request, status);
        adapter.exchanges.close(cx, id);
    }
}

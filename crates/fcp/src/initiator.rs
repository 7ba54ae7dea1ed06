//! The initiator's end of exchanges: an adapter that sends commands for a host, or for a controller to the devices behind it.
//!
//! Source: Wang 2005, section 4.3.2. An initiator fetches and delivers data itself, by DMA, and so neither requests data from
//! the host nor offers data to it.

use crate::adapter::{
    ABORT_TIMER, Adapter, AdapterBlock, AdapterParameters, AdapterStage, BLOCK, Draft, ExchangeUse,
    STATUS_TURN, Task, UnitSizes,
};
use crate::dma::{DmaKind, DmaRequest};
use crate::exchange::{Exchange, ExchangeId};
use crate::login::Logins;
use crate::notices::CongestionThrottles;
use crate::protocol::Protocol;
use crate::recovery::Recoveries;
use sansim_component::policy::AccessState;
use sansim_component::{
    AdapterRole, BuildContext, ByDevice, Context, EventTurn, LeftoverFindings, Message, Timer,
};
use sansim_kernel::{EventKey, Order, Span};
use sansim_pdu::{Address, Notice, Pdu, PduKind};
use sansim_request::{Operation, RequestId, Status};
use std::collections::VecDeque;

/// An adapter that sends commands.
pub type Initiator = Adapter<InitiatorState>;

/// The state of an initiator besides the blocks of its adapter.
#[derive(Clone, Debug, Default)]
pub struct InitiatorState {
    /// For each block port the address of each device on this network: each block port leads to another port of a device.
    addresses: Vec<ByDevice<Address>>,
    /// The number of commands in execution, and the commands that wait for execution.
    executing: u64,
    waiting: VecDeque<ExchangeId>,
    /// The exchanges whose ABTS has not been answered, each with the timer after which ABTS is sent again.
    pub(crate) aborts: Vec<(ExchangeId, EventKey)>,
    /// The recovery of lost frames.
    pub(crate) recoveries: Recoveries,
    /// The logins with targets.
    pub(crate) logins: Logins,
    /// The limits of commands in flight because of congestion, if the adapter reacts to it.
    pub(crate) throttles: Option<Box<CongestionThrottles>>,
}

/// The time after which an initiator looks again whether the other end of an exchange that a logout ended has finished. Ours: short beside
/// the time-outs by which an initiator learns that a port has left.
const LOOKS_AGAIN_AFTER: Span = Span::from_us(100);

/// The events of an adapter's blocks, and its status reports, come before its timers for ABTS and REC.
pub(crate) const FIRST_TIMER: u32 = STATUS_TURN + 1;

impl Initiator {
    /// An idle adapter at this address; `addresses` has the address of each device for each block port, none for a device that is not on
    /// the adapter's network.
    pub fn new(
        parameters: &AdapterParameters,
        sizes: &UnitSizes,
        address: Address,
        addresses: Vec<ByDevice<Address>>,
    ) -> Self {
        let role = InitiatorState {
            addresses,
            executing: 0,
            waiting: VecDeque::with_capacity(16),
            aborts: Vec::new(),
            recoveries: Recoveries::default(),
            logins: Logins::default(),
            throttles: CongestionThrottles::of_profile(parameters.congestion_profile),
        };
        Self::with_role(parameters, sizes, address, role)
    }

    /// A request arrives at a block port.
    fn submit(&mut self, cx: &mut Context<'_>, port: u16, id: RequestId) {
        if self.is_cut_off {
            cx.answer(port, id, Status::Unreachable);
            return;
        }
        let request = *cx.request(id);
        let by_port = self.role.addresses.get(usize::from(port - BLOCK));
        let peer = by_port.and_then(|addresses| addresses.get(request.device));
        let Some(peer) = peer.copied() else {
            // A device with which this adapter may not communicate has no address in its list.
            cx.answer(port, id, Status::Refused);
            return;
        };
        let recovers = self.parameters.rec_time_out.is_some() && self.parameters.protocol == Protocol::Fcp;
        let retries = recovers && request.operation != Operation::CheckPath;
        let new = Exchange::new(id, peer, !request.is_read(), request.data_bytes());
        let exchange = Exchange { asked_by: port, retries, ..new };
        let exchange = self.exchanges.open_exchange(cx, exchange);
        self.begin_unless_congested(cx, exchange);
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

    /// Gives up a command of which nothing has been sent, if its host cannot be reached any more or does not want the
    /// command. Returns whether the command was given up.
    fn gives_up(&mut self, cx: &mut Context<'_>, id: ExchangeId) -> bool {
        let Exchange { request, asked_by, unreachable, unwanted, .. } = self.exchanges[id];
        if unreachable || unwanted {
            let status = if unreachable { Status::Unreachable } else { Status::Aborted };
            cx.answer(asked_by, request, status);
            self.exchanges.close_exchange(cx, id);
            self.command_is_over(cx, id);
        }
        unreachable || unwanted
    }

    /// The host does not want a request any more. A notification of its completion that is in progress will still arrive.
    fn abort(&mut self, cx: &mut Context<'_>, request: RequestId) {
        let Some(id) = self.exchanges.find_exchange(request) else { return };
        let Exchange { sent, telling, aborted, .. } = self.exchanges[id];
        if telling || aborted {
            return;
        }
        if sent {
            self.end_watch(cx, id);
            self.begin_abort(cx, id);
            if cx.request(request).operation == Operation::CheckPath {
                // Assumption: a checker does not wait for the end of a check at the target, so no ABTS is sent.
                self.exchanges[id].abort_answered = true;
                InitiatorState::abort_goes_on(self, cx, id);
            } else {
                self.send_abort(cx, id);
            }
            return;
        }
        self.exchanges[id].unwanted = true;
        self.gives_up_waiting(cx, id);
    }

    /// Gives up a command that waits for its execution or for a login.
    fn gives_up_waiting(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        if let Some(place) = self.role.waiting.iter().position(|&waiting| waiting == id) {
            self.role.waiting.remove(place);
            self.gives_up(cx, id);
        } else if self.role.logins.forget_command(id)
            || self.role.throttles.as_mut().is_some_and(|of| of.forget_command(id))
        {
            self.gives_up(cx, id);
        }
    }

    /// Hands FCP_CMND to the port.
    pub(crate) fn send_command(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        self.commands += 1;
        self.exchanges[id].sent = true;
        let brings_data =
            self.rules.brings_data() && self.exchanges[id].write && self.exchanges[id].bytes > 0;
        if !brings_data || !self.sends_with_data(cx, id) {
            let payload = self.control_payload(self.sizes.command_payload);
            let burst_bytes = self.first_burst_bytes(id);
            let draft = Draft { burst_bytes, ..Draft::single_frame_sequence(PduKind::Command, payload) };
            self.enqueue(cx, id, draft);
            self.send_first_burst(cx, id);
            self.watch_exchange(cx, id);
        }
    }

    /// Sends ABTS, and sends it again if there is no answer.
    pub(crate) fn send_abort(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        self.exchanges[id].aborts = self.exchanges[id].aborts.saturating_add(1);
        self.enqueue(cx, id, Draft::single_frame_sequence(PduKind::Abort, self.rules.abort_bytes[0]));
        let turn = EventTurn::turn_of_node(FIRST_TIMER + id.0 % (Order::UNITS - FIRST_TIMER));
        let at = cx.now + self.parameters.abort_answer_time;
        let timer = cx.set_cancellable_timer(at, turn, Timer::new(ABORT_TIMER, id.0));
        self.role.aborts.push((id, timer));
    }

    /// Whether as many ABTS of an exchange have not been answered as a target may leave unanswered.
    fn aborts_enough(&self, id: ExchangeId) -> bool {
        self.parameters.logout_aborts.is_some_and(|most| u64::from(self.exchanges[id].aborts) >= most)
    }

    /// The exchange is over at this end, and goes on at the other, which has not finished yet. A host that sent the request again would
    /// have it at the device twice, so it is answered later.
    #[cold]
    fn looks_again(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let turn = EventTurn::turn_of_node(FIRST_TIMER + id.0 % (Order::UNITS - FIRST_TIMER));
        cx.set_timer(cx.now + LOOKS_AGAIN_AFTER, turn, Timer::new(ABORT_TIMER, id.0));
    }

    /// Notifies the host that an exchange is done.
    fn tell_of(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        self.exchanges[id].telling = true;
        self.confirm(cx, id);
        if self.parameters.completion_time == Span::ZERO {
            self.tell_host(cx, id);
        } else {
            self.process(cx, Task::Completion(id));
        }
    }

    /// Whether all data of the exchange that will come are in memory.
    fn has_all(&self, id: ExchangeId) -> bool {
        let exchange = &self.exchanges[id];
        // After the status of a failed command no more data come.
        let all = if exchange.failed { exchange.received_bytes } else { exchange.bytes };
        exchange.write || exchange.stored_bytes == all
    }
}

impl InitiatorState {
    /// For each block port, the devices that it reaches with the address of each.
    pub(crate) fn devices_of_ports(&self) -> impl Iterator<Item = (u16, u32, Address)> + '_ {
        (BLOCK..).zip(&self.addresses).flat_map(|(port, addresses)| {
            addresses.iter().map(move |(device, &address)| (port, device, address))
        })
    }

    /// The targets of the devices, some of them several times.
    pub(crate) fn targets(&self) -> impl Iterator<Item = Address> + '_ {
        self.devices_of_ports().map(|(.., target)| target)
    }

    /// Gives up a command of which nothing has been sent, if it is not wanted any more. Returns whether it was given up.
    pub(crate) fn is_given_up(adapter: &mut Initiator, cx: &mut Context<'_>, id: ExchangeId) -> bool {
        adapter.gives_up(cx, id)
    }

    /// Ends an exchange of which no frame will be answered any more. A command of which nothing has been sent is given up as soon as no block
    /// works for it; of others the host gets the request back when the target has ended them.
    pub(crate) fn end_exchange(adapter: &mut Initiator, cx: &mut Context<'_>, id: ExchangeId) {
        let Exchange { sent, aborted, .. } = adapter.exchanges[id];
        if !sent {
            adapter.gives_up_waiting(cx, id);
            return;
        }
        adapter.end_watch(cx, id);
        if let Some(place) = adapter.role.aborts.iter().position(|&(other, _)| other == id) {
            let (_, timer) = adapter.role.aborts.swap_remove(place);
            cx.cancel_timer(timer);
        }
        if !aborted {
            adapter.begin_abort(cx, id);
        }
        (adapter.exchanges[id].abort_answered, adapter.exchanges[id].logged_out) = (true, true);
        Self::abort_goes_on(adapter, cx, id);
    }
}

impl ExchangeUse for InitiatorState {
    const INITIATES: bool = true;
    const FETCHES_BY_PROCESSOR: bool = true;
    const ENDS_CONCERN: bool = false;

    fn build(parameters: &AdapterParameters, cx: &BuildContext<'_, AdapterRole>) -> Initiator {
        let address = cx.address.unwrap_or_default();
        Initiator::new(parameters, &cx.facts.fact::<UnitSizes>(), address, cx.addresses.clone())
    }

    /// The end of a circuit concerns only the target. Frames in flight are not recalled.
    #[inline(always)]
    fn receive(adapter: &mut Initiator, cx: &mut Context<'_>, port: u16, message: Message) {
        match message {
            Message::Left(frame) => adapter.left(cx, adapter.frames_of(&frame)),
            Message::Request(id, _) => adapter.submit(cx, port, id),
            Message::Abort(id) => adapter.abort(cx, id),
            Message::Manage(id, function) => adapter.manage(cx, id, function),
            _ => {}
        }
    }

    fn failed(adapter: &mut Initiator, cx: &mut Context<'_>) {
        while let Some(id) = adapter.role.waiting.pop_front() {
            adapter.gives_up(cx, id);
        }
        for id in adapter.role.throttles.as_ref().map_or(Vec::new(), |of| of.waiting_commands()) {
            adapter.gives_up_waiting(cx, id);
        }
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        leftovers.check_zero("commands left in execution", self.executing);
        leftovers.check_zero("commands left waiting", self.waiting.len() as u64);
        self.logins.leftovers(leftovers);
        if let Some(throttles) = &self.throttles {
            throttles.leftovers(leftovers);
        }
        leftovers.check_zero("aborts left without an answer", self.aborts.len() as u64);
    }

    fn exchange_of(_: &mut Initiator, _: &mut Context<'_>, frame: &Pdu) -> Option<ExchangeId> {
        Some(frame.originator)
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
            if adapter.role.logins.is_logged_in(adapter.exchanges[id].peer) {
                adapter.send_command(cx, id);
            } else {
                adapter.log_in_first(cx, id);
            }
        }
        adapter.role.executing -= 1;
        adapter.execute(cx);
    }

    fn response_made(_: &mut Initiator, _: &mut Context<'_>, _: ExchangeId) {}

    #[inline]
    fn data_queued(adapter: &mut Initiator, cx: &mut Context<'_>, id: ExchangeId) {
        let exchange = &mut adapter.exchanges[id];
        if exchange.retries && exchange.queued_bytes == exchange.sequence_end {
            exchange.since = cx.now;
        }
    }

    fn data_processed(adapter: &mut Initiator, cx: &mut Context<'_>, id: ExchangeId, _: bool) {
        if adapter.rules.status_in_data {
            adapter.reply_processed(cx, id);
        }
    }

    fn data_stored(adapter: &mut Initiator, cx: &mut Context<'_>, id: ExchangeId) {
        if !adapter.exchanges[id].status_in {
            return;
        }
        if adapter.has_all(id) {
            adapter.exchanges[id].storing = false;
            adapter.tell_of(cx, id);
        } else if adapter.lacks_data(id) {
            adapter.ask_about(cx, id);
        } else {
            adapter.tell_storing(cx, id);
        }
    }

    fn single_frame_done(adapter: &mut Initiator, cx: &mut Context<'_>, id: ExchangeId) {
        adapter.exchanges[id].status_in = true;
        if adapter.has_all(id) {
            adapter.tell_of(cx, id);
        } else {
            // The status arrived before the data were in memory.
            adapter.exchanges[id].storing = true;
            adapter.tell_storing(cx, id);
            if adapter.lacks_data(id) {
                adapter.ask_about(cx, id);
            }
        }
    }

    fn message_out_done(adapter: &mut Initiator, cx: &mut Context<'_>, id: ExchangeId) {
        let Exchange { request, asked_by, status, unreachable, .. } = adapter.exchanges[id];
        cx.answer(asked_by, request, if unreachable { Status::Unreachable } else { status });
        if adapter.end_watch(cx, id) {
            adapter.exchanges.close_aborted_exchange(cx, id);
        } else {
            adapter.exchanges.close_exchange(cx, id);
        }
        adapter.command_is_over(cx, id);
    }

    /// An answer to a link service arrives. A second answer to ABTS for the same exchange has no effect.
    fn link_service(adapter: &mut Initiator, cx: &mut Context<'_>, frame: &Pdu) {
        if frame.manages_tasks() {
            adapter.function_complete(cx, frame);
            return;
        }
        if frame.is_of_login() || frame.is_of_association() {
            adapter.login_answered(cx, frame);
            return;
        }
        if matches!(frame.kind, PduKind::ServiceAccept | PduKind::ServiceReject) {
            adapter.service_answered(cx, frame);
            return;
        }
        let id = frame.originator;
        let Some(place) = adapter.role.aborts.iter().position(|&(aborted, _)| aborted == id) else { return };
        if adapter.exchanges[id].request != RequestId(frame.tag.0) {
            return;
        }
        let (_, timer) = adapter.role.aborts.swap_remove(place);
        cx.cancel_timer(timer);
        adapter.exchanges[id].abort_answered = true;
        Self::abort_goes_on(adapter, cx, id);
    }

    fn abort_goes_on(adapter: &mut Initiator, cx: &mut Context<'_>, id: ExchangeId) {
        let Exchange { request, asked_by, unreachable, abort_answered, logged_out, .. } =
            adapter.exchanges[id];
        if abort_answered && !adapter.works_for(id) {
            if logged_out && cx.is_held_by_others(request) {
                adapter.looks_again(cx, id);
                return;
            }
            let status = if unreachable { Status::Unreachable } else { Status::Aborted };
            if logged_out {
                Initiator::end_sequence(cx, request);
            }
            cx.answer(asked_by, request, status);
            adapter.exchanges.close_aborted_exchange(cx, id);
            adapter.command_is_over(cx, id);
        }
    }

    /// No answer to an ABTS comes any more, and the target cannot be reached.
    fn logged_out(adapter: &mut Initiator, cx: &mut Context<'_>, id: ExchangeId) {
        if !adapter.exchanges[id].telling {
            adapter.exchanges[id].unreachable = true;
            Self::end_exchange(adapter, cx, id);
        }
    }

    fn loop_initialised(adapter: &mut Initiator, cx: &mut Context<'_>) {
        if adapter.logs_in() {
            adapter.loop_initialised(cx);
        }
    }

    fn peer_left(adapter: &mut Initiator, peer: Address) {
        if adapter.logs_in() {
            adapter.role.logins.lose(peer);
        }
    }

    fn fell_silent(_: &mut Initiator, _: &mut Context<'_>) {}

    fn access_changes(_: &mut Initiator, _: u32, _: AccessState) {}

    fn came_back(adapter: &mut Initiator) {
        if adapter.logs_in() {
            adapter.role.logins.lose_all();
        }
    }

    fn abort_due(adapter: &mut Initiator, cx: &mut Context<'_>, id: ExchangeId) {
        if let Some(place) = adapter.role.aborts.iter().position(|&(aborted, _)| aborted == id) {
            adapter.role.aborts.swap_remove(place);
            if adapter.aborts_enough(id) {
                adapter.log_out(cx, id);
            } else {
                adapter.send_abort(cx, id);
            }
        } else if adapter.exchanges[id].logged_out && adapter.exchanges.is_open(id) {
            Self::abort_goes_on(adapter, cx, id);
        }
    }

    fn login_due(adapter: &mut Initiator, cx: &mut Context<'_>, target: Address) {
        adapter.repeat_login(cx, target);
    }

    fn noticed(adapter: &mut Initiator, cx: &mut Context<'_>, notice: &Notice) {
        adapter.noticed(cx, notice);
        adapter.run_at_once(cx);
    }

    fn notices_due(adapter: &mut Initiator, cx: &mut Context<'_>) {
        adapter.notices_due(cx);
    }

    fn recovery_due(adapter: &mut Initiator, cx: &mut Context<'_>, id: ExchangeId) {
        adapter.watch_due(cx, id);
    }
}

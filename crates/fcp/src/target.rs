//! The target's end of exchanges: an adapter that passes commands to the drive or controller behind it.
//!
//! Longer than 500 lines: each message of a device and each frame of an exchange changes the same state.
//!
//! Source: Wang 2005, section 4.3.2; for FCP_RSP in a circuit of its own Ruwart 1999, table 1.
//!
//! All data of a read that the server has ready are sent as one sequence. All data of a write for which the server has
//! room are requested with one FCP_XFER_RDY. A command that fails is answered when the data that were requested or
//! begun have passed.

use crate::adapter::{
    Adapter, AdapterParameters, AdapterStage, BLOCK, BurstDone, Draft, ExchangeUse, ResponseStart, Task,
    UnitSizes,
};
use crate::exchange::{Exchange, ExchangeId};
use crate::recovery::KeptExchanges;
use crate::target_access::TargetAccess;
use crate::task_management::ManagedTasks;
use sansim_component::context::RequestPlace;
use sansim_component::policy::AccessState;
use sansim_component::{AdapterRole, BuildContext, Context, LeftoverFindings, Message};
use sansim_pdu::{Address, CommandSet, Notice, Pdu, PduKind};
use sansim_request::{LossCause, Operation, Request, RequestId, RequestMap, Status};
use std::collections::BTreeMap;

/// An adapter that receives commands.
pub type Target = Adapter<TargetState>;

/// The number of the first data sequence of a read in its exchange; see [`crate::unit::first_sequence_number`].
const FIRST_DATA: u16 = 2;

/// The state of a target besides the blocks of its adapter.
#[derive(Clone, Debug, Default)]
pub struct TargetState {
    /// The exchange of each request that the server has.
    pub(crate) by_request: RequestMap<ExchangeId>,
    /// If FCP_RSP has a circuit of its own: the reads whose last data have been sent in the present circuit.
    pub(crate) leaving: Vec<ExchangeId>,
    /// The reads whose FCP_RSP is ready before the circuit of their data is over.
    pub(crate) held: Vec<ExchangeId>,
    /// The unit attention conditions that each initiator has been notified of for each device, as the number of repairs and resets
    /// until then.
    attentions: BTreeMap<(Address, u32), u32>,
    /// The exchanges that are kept until they are confirmed.
    pub(crate) kept: KeptExchanges,
    /// Task management.
    pub(crate) managed: ManagedTasks,
    /// The devices that cannot be reached through the adapter.
    pub(crate) access: TargetAccess,
}

impl TargetState {
    /// Drops what waits for the end of a circuit for an exchange.
    pub(crate) fn drop_responses_of(&mut self, id: ExchangeId) {
        self.held.retain(|&other| other != id);
        self.leaving.retain(|&other| other != id);
    }
}

impl Target {
    /// An idle adapter at this address.
    pub fn new(parameters: &AdapterParameters, sizes: &UnitSizes, address: Address) -> Self {
        Self::with_role(parameters, sizes, address, TargetState::default())
    }

    pub(crate) fn exchange_for(&self, request: RequestId) -> Option<ExchangeId> {
        self.role.by_request.get(&request).copied()
    }

    /// The server has data of a read ready, up to byte `end`. The data are sent as one sequence.
    fn send_data(&mut self, cx: &mut Context<'_>, id: ExchangeId, end: u64) {
        let exchange = &mut self.exchanges[id];
        let mut start = exchange.sequence_end;
        exchange.sequence_end = end;
        while end - start > self.rules.largest_sequence {
            self.exchanges[id].bursts = self.exchanges[id].bursts.wrapping_add(1);
            self.fetch(cx, id, self.rules.largest_sequence);
            start += self.rules.largest_sequence;
        }
        self.exchanges[id].bursts = self.exchanges[id].bursts.wrapping_add(1);
        self.fetch(cx, id, end - start);
        self.run_at_once(cx);
    }

    /// The server has room for the data of a write up to byte `end`.
    fn ask_for_data(&mut self, cx: &mut Context<'_>, id: ExchangeId, end: u64) {
        if self.rules.limits_requests() {
            self.has_room_upto(cx, id, end);
        } else {
            self.ask_upto(cx, id, end);
        }
    }

    /// Asks for the data of a write from those that have been asked for up to byte `end`.
    pub(crate) fn ask_upto(&mut self, cx: &mut Context<'_>, id: ExchangeId, end: u64) {
        let exchange = &mut self.exchanges[id];
        let burst_bytes = end - exchange.sequence_end;
        exchange.sequence_end = end;
        exchange.bursts = exchange.bursts.wrapping_add(1);
        exchange.dma_claimed = false;
        let payload = self.sizes.xfer_rdy_payload;
        let draft = Draft { burst_bytes, ..Draft::single_frame_sequence(PduKind::TransferReady, payload) };
        self.enqueue(cx, id, draft);
    }

    /// The server has answered a request.
    fn answered(&mut self, cx: &mut Context<'_>, id: ExchangeId, status: Status) {
        let when_told = self.responds_when_told();
        let exchange = &mut self.exchanges[id];
        let status = if exchange.managed { Status::Aborted } else { status };
        (exchange.status, exchange.answered) = (status, true);
        if exchange.aborted {
            self.server_is_done(cx, id);
        } else if status != Status::Good {
            exchange.failed = true;
            let all_came = exchange.write && exchange.received_bytes == exchange.sequence_end;
            if all_came && !self.processes_frame_of(id) {
                self.stores_only(cx, id);
            }
            self.fail_when_quiet(cx, id);
        } else if exchange.write || (when_told && exchange.queued_bytes == exchange.bytes) {
            self.process(cx, Task::Response(id));
        }
        self.run_at_once(cx);
    }

    /// The data of a write that were asked for have arrived, or those that came with the command.
    fn burst_is_in(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        if !self.rules.limits_requests() {
            let Exchange { request, sequence_end, .. } = self.exchanges[id];
            cx.send(BLOCK, Message::WriteDataUpTo(request, sequence_end));
        } else if self.begins_with_data(id) && self.rules.first_burst > 0 {
            self.first_burst_is_in(cx, id);
        } else if self.begins_with_data(id) {
            self.command_is_in(cx, id);
        } else {
            self.requested_data_are_in(cx, id);
        }
    }

    /// All data of a write have arrived, and only the DMA still works on the exchange, if any data are left
    /// to store.
    fn stores_only(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let exchange = &mut self.exchanges[id];
        if exchange.stored_bytes < exchange.sequence_end {
            exchange.storing = true;
            self.tell_storing(cx, id);
        }
    }

    /// Answers a failed command when its data in progress have passed.
    pub(crate) fn fail_when_quiet(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let exchange = &self.exchanges[id];
        let passed = if exchange.write { exchange.stored_bytes } else { exchange.queued_bytes };
        if exchange.silent {
            self.ends_silently(cx, id);
        } else if exchange.failed && passed == exchange.sequence_end {
            self.process(cx, Task::Response(id));
        }
    }

    /// Whether the initiator of a command is still to be notified of a reset of this device. It is notified once.
    fn reports_reset(&mut self, cx: &Context<'_>, id: ExchangeId) -> bool {
        let Exchange { request, peer, .. } = self.exchanges[id];
        let device = cx.request(request).device;
        let resets = self.repairs + self.role.managed.resets_of(device);
        if resets == 0 {
            return false;
        }
        let known = self.role.attentions.entry((peer, device)).or_insert(0);
        std::mem::replace(known, resets) < resets
    }

    /// The server has nothing more to do for an exchange that is being aborted.
    fn server_is_done(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let exchange = &mut self.exchanges[id];
        exchange.asked = false;
        cx.send(BLOCK, Message::Release(exchange.request));
        TargetState::abort_goes_on(self, cx, id);
    }

    /// The exchange of a frame that was sent, if the exchange is still open for the same request.
    fn still_open(&self, frame: &Pdu) -> Option<ExchangeId> {
        let exchange = &self.exchanges[frame.responder];
        (exchange.request == RequestId(frame.tag.0) && !exchange.aborted).then_some(frame.responder)
    }

    /// A frame opens an exchange. The tag of the frame represents the command in its payload.
    pub(crate) fn open_exchange(&mut self, cx: &mut Context<'_>, frame: &Pdu) -> ExchangeId {
        let request = RequestId(frame.tag.0);
        let described = cx.request(request);
        let (write, bytes) = (!described.is_read(), described.data_bytes());
        let exchange = Exchange {
            other: frame.originator,
            sequence: FIRST_DATA,
            // Data that come with the command, or right behind it, are not requested: they are in flight.
            sequence_end: if frame.write { frame.burst_bytes.into() } else { 0 },
            retries: frame.status > 0,
            ..Exchange::new(request, frame.source, write, bytes)
        };
        self.commands += 1;
        if self.rules.has_long_responses {
            self.submission_queues.command_came(frame.source);
        }
        let id = self.exchanges.open_exchange(cx, exchange);
        self.role.by_request.insert(request, id);
        id
    }

    /// Whether a request is refused because its device is unavailable through the adapter. Keep Alive of NVMe is for no device.
    #[inline]
    fn is_unavailable(&self, request: &Request) -> bool {
        let is_for_device =
            request.operation != Operation::CheckPath || self.rules.command_set != CommandSet::Nvme;
        self.role.access.is_unavailable(request.device) && is_for_device
    }

    /// Whether a data frame is sent again for an exchange that the server has done with.
    fn is_sent_again(&self, frame: &Pdu) -> bool {
        let exchange = &self.exchanges[frame.responder];
        exchange.kept && exchange.request == RequestId(frame.tag.0)
    }

    /// Whether the command of an exchange has not been ended before its time.
    fn goes_on(&self, id: ExchangeId) -> bool {
        let Exchange { aborted, managed, .. } = self.exchanges[id];
        !aborted && !managed
    }
}

impl TargetState {
    /// The initiator does not want an exchange any more, or has left the network.
    fn ends(adapter: &mut Target, cx: &mut Context<'_>, id: ExchangeId) {
        let Exchange { request, asked, answered, status_out, managed, .. } = adapter.exchanges[id];
        adapter.end_keeping(cx, id);
        adapter.begin_abort(cx, id);
        adapter.role.drop_responses_of(id);
        if asked && !status_out && !answered {
            if !managed {
                cx.send(BLOCK, Message::Abort(request));
            }
        } else if asked && !status_out {
            adapter.server_is_done(cx, id);
        } else {
            adapter.exchanges[id].asked = false;
            <Self as ExchangeUse>::abort_goes_on(adapter, cx, id);
        }
    }
}

impl ExchangeUse for TargetState {
    const INITIATES: bool = false;
    const FETCHES_BY_PROCESSOR: bool = false;
    const ENDS_CONCERN: bool = true;

    fn build(parameters: &AdapterParameters, cx: &BuildContext<'_, AdapterRole>) -> Target {
        let mut target =
            Target::new(parameters, &cx.facts.fact::<UnitSizes>(), cx.address.unwrap_or_default());
        target.role.access = TargetAccess::new(&cx.unavailable);
        target
    }

    #[inline(always)]
    fn receive(adapter: &mut Target, cx: &mut Context<'_>, _: u16, message: Message) {
        match message {
            Message::Left(frame) => {
                adapter.left(cx, adapter.frames_of(&frame));
                if frame.last_of_unit && !adapter.responds_when_told() && !adapter.is_sent_again(&frame) {
                    let upto = u64::from(frame.offset) + u64::from(frame.payload_bytes);
                    cx.send(BLOCK, Message::ReadConsumedUpTo(RequestId(frame.tag.0), upto));
                }
            }
            Message::Sent(frame) => {
                let Some(id) = adapter.still_open(&frame).filter(|_| !adapter.rules.status_in_data) else {
                    return;
                };
                if adapter.has_own_circuit() {
                    adapter.role.leaving.push(id);
                }
                if adapter.responds_when_told() && !adapter.exchanges[id].kept {
                    let bytes = adapter.exchanges[id].bytes;
                    cx.send(BLOCK, Message::ReadConsumedUpTo(RequestId(frame.tag.0), bytes));
                }
                if adapter.parameters.response_start == ResponseStart::Sent && !adapter.exchanges[id].managed
                {
                    adapter.process(cx, Task::Response(id));
                    adapter.run_at_once(cx);
                }
            }
            Message::LastUnitFits(frame) => {
                if let Some(id) = adapter.still_open(&frame) {
                    adapter.has_room(cx, id, &frame);
                }
            }
            Message::CircuitEnded => adapter.circuit_ended(cx),
            Message::ReadDataUpTo(request, end) => {
                if let Some(id) = adapter.exchange_for(request).filter(|&id| adapter.goes_on(id)) {
                    adapter.send_data(cx, id, end);
                    let is_lost = adapter.is_cut_off || adapter.exchanges[id].unreachable;
                    if is_lost && adapter.responds_when_told() {
                        cx.send(BLOCK, Message::ReadConsumedUpTo(request, end));
                    }
                }
            }
            Message::WriteCredit(request, end) => {
                if let Some(id) = adapter.exchange_for(request).filter(|&id| adapter.goes_on(id)) {
                    adapter.ask_for_data(cx, id, end);
                }
            }
            Message::Done(request, status) => {
                if let Some(id) = adapter.exchange_for(request) {
                    adapter.answered(cx, id, status);
                }
                adapter.task_ended(cx, request);
            }
            _ => {}
        }
    }

    /// The server's work for the exchange ends, and the exchange is answered as unreachable. A server that waits until data have been
    /// sent is notified.
    fn failed(adapter: &mut Target, cx: &mut Context<'_>) {
        if !adapter.responds_when_told() {
            return;
        }
        let mut requests: Vec<RequestId> = adapter.role.by_request.keys().copied().collect();
        requests.sort_unstable();
        for request in requests {
            cx.send(BLOCK, Message::ReadConsumedUpTo(request, cx.request(request).data_bytes()));
        }
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        leftovers.check_zero("responses left waiting for a circuit", self.held.len() as u64);
        self.managed.leftovers(leftovers);
    }

    fn exchange_of(adapter: &mut Target, cx: &mut Context<'_>, frame: &Pdu) -> Option<ExchangeId> {
        match frame.kind {
            PduKind::Command => Some(adapter.open_exchange(cx, frame)),
            PduKind::Data if adapter.rules.brings_data() || frame.is_of_first_burst() => {
                adapter.exchange_of_data(cx, frame)
            }
            _ => Some(frame.responder),
        }
    }

    fn message_in_done(_: &mut Target, _: &mut Context<'_>, _: ExchangeId) {}

    fn single_frame_done(adapter: &mut Target, cx: &mut Context<'_>, id: ExchangeId) {
        adapter.command_is_taken(cx, id);
    }

    fn command_done(adapter: &mut Target, cx: &mut Context<'_>, id: ExchangeId) {
        adapter.tell_host(cx, id);
    }

    fn message_out_done(adapter: &mut Target, cx: &mut Context<'_>, id: ExchangeId) {
        if adapter.is_cut_off
            || adapter.exchanges[id].unreachable
            || adapter.is_unavailable(cx.request(adapter.exchanges[id].request))
        {
            let exchange = &mut adapter.exchanges[id];
            (exchange.failed, exchange.unreachable) = (true, true);
            exchange.status = Status::Unreachable;
            adapter.fail_when_quiet(cx, id);
            return;
        }
        if cx.request(adapter.exchanges[id].request).operation == Operation::CheckPath {
            adapter.answered(cx, id, Status::Good);
            return;
        }
        if adapter.parameters.unit_attention && adapter.reports_reset(cx, id) {
            let exchange = &mut adapter.exchanges[id];
            (exchange.failed, exchange.status) = (true, Status::CheckCondition);
            adapter.fail_when_quiet(cx, id);
            return;
        }
        if adapter.exchanges[id].managed {
            adapter.ends_unasked(cx, id);
            return;
        }
        let exchange = &mut adapter.exchanges[id];
        exchange.asked = true;
        cx.send(BLOCK, Message::Request(exchange.request, exchange.since));
    }

    fn package_fetched(_: &mut Target, _: &mut Context<'_>, _: ExchangeId) {}

    /// Handles an FCP_RSP that is ready. An FCP_RSP with a circuit of its own waits for the end of the circuit of the
    /// data.
    fn response_made(adapter: &mut Target, cx: &mut Context<'_>, id: ExchangeId) {
        let exchange = &adapter.exchanges[id];
        let data_sent = !exchange.write && exchange.queued_bytes == exchange.bytes;
        if adapter.has_own_circuit() && data_sent && !exchange.data_gone {
            let request = exchange.request;
            adapter.role.held.push(id);
            cx.ledger().locate_request(request, RequestPlace::Network(crate::adapter::NETWORK));
        } else {
            adapter.send_response(cx, id);
        }
    }

    fn data_queued(adapter: &mut Target, cx: &mut Context<'_>, id: ExchangeId) {
        let exchange = &adapter.exchanges[id];
        if exchange.failed {
            adapter.fail_when_quiet(cx, id);
        } else if exchange.queued_bytes == exchange.bytes && !exchange.managed {
            if adapter.rules.status_in_data {
                adapter.status_is_out(cx, id);
                return;
            }
            let is_due = match adapter.parameters.response_start {
                ResponseStart::Fetched => true,
                ResponseStart::Sent => false,
                ResponseStart::Answered => exchange.answered,
            };
            if is_due {
                adapter.process(cx, Task::Response(id));
            }
        }
    }

    fn data_processed(adapter: &mut Target, cx: &mut Context<'_>, id: ExchangeId, last: bool) {
        // Without the frames that were lost, the burst has not arrived completely, and never will.
        let Exchange { received_bytes, sequence_end, write, .. } = adapter.exchanges[id];
        if !last || (write && received_bytes < sequence_end) {
            return;
        }
        if write && adapter.exchanges[id].failed {
            // The server has answered, and sends no more messages about the request.
            adapter.stores_only(cx, id);
        }
        if adapter.parameters.burst_done == BurstDone::Received {
            adapter.burst_is_in(cx, id);
        } else {
            adapter.exchanges[id].storing = true;
            adapter.tell_storing(cx, id);
        }
    }

    fn link_service(adapter: &mut Target, cx: &mut Context<'_>, frame: &Pdu) {
        match frame.kind {
            PduKind::Confirm => return adapter.confirmed(cx, frame),
            PduKind::ServiceRequest if frame.manages_tasks() => return adapter.function_requested(cx, frame),
            PduKind::ServiceRequest if frame.is_of_login() || frame.is_of_association() => {
                return adapter.login_requested(cx, frame);
            }
            PduKind::ServiceRequest => return adapter.service_requested(cx, frame),
            _ => {}
        }
        let is_meant = |id: &ExchangeId| {
            let Exchange { peer, other, .. } = adapter.exchanges[*id];
            (peer, other) == (frame.source, frame.originator)
        };
        let request = RequestId(frame.tag.0);
        let open = adapter.exchange_for(request).filter(is_meant);
        let Some(id) = open.or_else(|| adapter.kept_exchange(request).filter(is_meant)) else {
            adapter.reject(cx, frame);
            return;
        };
        if !adapter.exchanges[id].aborted {
            Self::ends(adapter, cx, id);
        }
        // Otherwise the answer of the server is still to come.
    }

    fn logged_out(adapter: &mut Target, cx: &mut Context<'_>, id: ExchangeId) {
        adapter.exchanges[id].logged_out = true;
        if adapter.exchanges[id].aborted {
            Self::abort_goes_on(adapter, cx, id);
        } else {
            Self::ends(adapter, cx, id);
        }
    }

    fn abort_goes_on(adapter: &mut Target, cx: &mut Context<'_>, id: ExchangeId) {
        let Exchange { request, asked, logged_out, peer, status_out, .. } = adapter.exchanges[id];
        if asked || adapter.works_for(id) {
            return;
        }
        if !logged_out {
            adapter.enqueue(
                cx,
                id,
                Draft::single_frame_sequence(PduKind::AbortAccept, adapter.rules.abort_bytes[1]),
            );
        } else {
            Target::end_sequence(cx, request);
        }
        if adapter.is_silent && !status_out {
            cx.ledger().locate_request(request, AdapterStage::FrameLost as usize);
        }
        if adapter.exchange_for(request) == Some(id) {
            adapter.role.by_request.remove(&request);
        }
        if adapter.rules.has_long_responses && !status_out {
            adapter.submission_queues.command_ended(peer);
        }
        adapter.exchanges.close_aborted_exchange(cx, id);
    }

    fn loop_initialised(_: &mut Target, _: &mut Context<'_>) {}

    fn peer_left(_: &mut Target, _: Address) {}

    /// Nothing of the commands that the target has is sent any more.
    fn fell_silent(adapter: &mut Target, cx: &mut Context<'_>) {
        for id in adapter.exchanges.open_ones() {
            let Exchange { request, status_out, .. } = adapter.exchanges[id];
            if !status_out {
                cx.failures().lose_request(request, LossCause::NoAnswer);
            }
            Self::logged_out(adapter, cx, id);
        }
        adapter.drop_functions(cx);
    }

    fn access_changes(adapter: &mut Target, device: u32, access: AccessState) {
        adapter.role.access.change(device, access);
    }

    fn came_back(_: &mut Target) {}

    fn login_due(_: &mut Target, _: &mut Context<'_>, _: Address) {}

    fn abort_due(_: &mut Target, _: &mut Context<'_>, _: ExchangeId) {}

    fn noticed(_: &mut Target, _: &mut Context<'_>, _: &Notice) {}

    fn notices_due(_: &mut Target, _: &mut Context<'_>) {}

    fn recovery_due(adapter: &mut Target, cx: &mut Context<'_>, id: ExchangeId) {
        adapter.keeping_due(cx, id);
    }

    fn data_stored(adapter: &mut Target, cx: &mut Context<'_>, id: ExchangeId) {
        let exchange = &adapter.exchanges[id];
        let burst_is_in = exchange.stored_bytes == exchange.sequence_end;
        if burst_is_in && exchange.failed && !exchange.status_out {
            adapter.fail_when_quiet(cx, id);
            return;
        }
        let counts = burst_is_in && adapter.parameters.burst_done == BurstDone::Stored;
        if counts {
            adapter.exchanges[id].storing = false;
            adapter.burst_is_in(cx, id);
        }
        let exchange = &adapter.exchanges[id];
        if exchange.storing {
            adapter.tell_storing(cx, id);
        }
        adapter.close_if_done(cx, id);
    }
}

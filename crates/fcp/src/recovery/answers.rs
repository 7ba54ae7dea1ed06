//! The target's end of recovery: it keeps an exchange until the initiator has confirmed it, answers REC, and sends units again.

use super::exchange_status;
use crate::adapter::{AdapterBlock, Draft, RECOVERY_TIMER, Task};
use crate::exchange::{Exchange, ExchangeId};
use crate::target::Target;
use crate::unit::{self, routing_of};
use sansim_component::{Context, EventTurn, Timer};
use sansim_kernel::{EventKey, Order};
use sansim_pdu::{Pdu, PduKind, link_service};
use sansim_request::{RequestId, RequestMap};

/// The exchanges that a target keeps after their status has been sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptExchanges {
    by_request: RequestMap<(ExchangeId, EventKey)>,
}

/// Whether an SRR asks for units of this kind.
fn asks_for(frame: &Pdu, kind: PduKind) -> bool {
    frame.burst_bytes == u32::from(routing_of(kind))
}

/// The events of an adapter's blocks come before its timers.
const FIRST_TIMER: u32 = AdapterBlock::ALL.len() as u32;

impl Target {
    /// The exchange of a request that is kept after its status has been sent.
    pub(crate) fn kept_exchange(&self, request: RequestId) -> Option<ExchangeId> {
        self.role.kept.by_request.get(&request).map(|&(id, _)| id)
    }

    /// Keeps an exchange whose status has been sent, until it is confirmed; one that was confirmed meanwhile ends.
    pub(crate) fn keep_exchange(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let exchange = &mut self.exchanges[id];
        if exchange.confirms {
            return self.forget_exchange(cx, id);
        }
        if std::mem::replace(&mut exchange.kept, true) {
            return;
        }
        let request = exchange.request;
        let turn = EventTurn::turn_of_node(FIRST_TIMER + id.0 % (Order::UNITS - FIRST_TIMER));
        let at = cx.now + self.parameters.rr_time_out;
        let timer = cx.set_cancellable_timer(at, turn, Timer::new(RECOVERY_TIMER, id.0));
        if let Some((before, timer)) = self.role.kept.by_request.insert(request, (id, timer)) {
            // The same request has been sent again, so its initiator has done with the exchange before.
            cx.cancel_timer(timer);
            self.forget_exchange(cx, before);
        }
    }

    /// `rr_time_out` has passed without FCP_CONF.
    pub(crate) fn keeping_due(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        if self.kept_exchange(self.exchanges[id].request) == Some(id) {
            self.forget_exchange(cx, id);
        }
    }

    /// Removes an exchange from those that are kept.
    pub(crate) fn end_keeping(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let request = self.exchanges[id].request;
        if self.kept_exchange(request) == Some(id)
            && let Some((_, timer)) = self.role.kept.by_request.remove(&request)
        {
            cx.cancel_timer(timer);
        }
    }

    /// Ends an exchange that need not be kept any more. Units that are being sent again are sent first: a port that has begun a sequence
    /// waits for its last frame.
    fn forget_exchange(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        self.exchanges[id].confirms = true;
        if self.exchanges[id].status_out {
            self.end_keeping(cx, id);
            self.exchanges.close_exchange(cx, id);
        }
    }

    /// FCP_CONF has arrived.
    pub(crate) fn confirmed(&mut self, cx: &mut Context<'_>, frame: &Pdu) {
        if let Some(id) = self.exchange_about(cx, frame).filter(|&id| self.exchanges[id].kept) {
            self.forget_exchange(cx, id);
        }
    }

    /// The exchange that a link service is about: it is for the request of which the service has a copy.
    fn exchange_about(&self, cx: &Context<'_>, frame: &Pdu) -> Option<ExchangeId> {
        let request = cx.request(RequestId(frame.tag.0)).parent?;
        let is_meant = |id: &ExchangeId| {
            let Exchange { peer, other, aborted, .. } = self.exchanges[*id];
            (peer, other) == (frame.source, frame.originator) && !aborted
        };
        let open = self.exchange_for(request).filter(is_meant);
        open.or_else(|| self.kept_exchange(request).filter(is_meant))
    }

    /// REC or SRR has arrived.
    pub(crate) fn service_requested(&mut self, cx: &mut Context<'_>, frame: &Pdu) {
        let about = self.exchange_about(cx, frame);
        match about {
            Some(id) if frame.status == link_service::READ_EXCHANGE_CONCISE => {
                let state = self.state_of(id);
                let exchange = &self.exchanges[id];
                let passed = if exchange.write { exchange.received_bytes } else { exchange.queued_bytes };
                let answer = Pdu { offset: passed as u32, burst_bytes: state, responder: id, ..*frame };
                self.answer(cx, answer, PduKind::ServiceAccept, unit::READ_EXCHANGE_ACCEPT_BYTES);
            }
            Some(id) if self.has_to_send_again(id, frame) => {
                self.answer(cx, *frame, PduKind::ServiceAccept, unit::SERVICE_ACCEPT_BYTES);
                self.send_again(cx, id, frame);
                self.run_at_once(cx);
            }
            _ => self.answer(cx, *frame, PduKind::ServiceReject, unit::SERVICE_REJECT_BYTES),
        }
    }

    pub(crate) fn answer(&mut self, cx: &mut Context<'_>, frame: Pdu, kind: PduKind, payload_bytes: usize) {
        let (source, destination) = (self.address, frame.source);
        let payload_bytes = payload_bytes as u32;
        self.send_service(cx, Pdu { source, destination, kind, payload_bytes, unit: 1, ..frame });
    }

    /// Whether data of a write are missing that were asked for.
    fn lacks_data(&self, id: ExchangeId) -> bool {
        let exchange = &self.exchanges[id];
        exchange.write && exchange.received_bytes < exchange.sequence_end
    }

    /// E_STAT of an exchange.
    fn state_of(&self, id: ExchangeId) -> u32 {
        let initiative = if self.exchanges[id].status_out {
            exchange_status::COMPLETE
        } else if self.lacks_data(id) {
            0
        } else {
            exchange_status::INITIATIVE
        };
        exchange_status::RESPONDER | initiative
    }

    /// Whether an exchange has units of the kind for which SRR asks.
    fn has_to_send_again(&self, id: ExchangeId, frame: &Pdu) -> bool {
        let Exchange { write, status_out, sequence_end, received_bytes, .. } = self.exchanges[id];
        if asks_for(frame, PduKind::TransferReady) {
            return self.lacks_data(id) && frame.offset == received_bytes as u32;
        }
        let is_data = asks_for(frame, PduKind::Data) && !write;
        status_out && (!is_data || u64::from(frame.offset) < sequence_end)
    }

    /// Sends units of an exchange again.
    fn send_again(&mut self, cx: &mut Context<'_>, id: ExchangeId, frame: &Pdu) {
        if asks_for(frame, PduKind::TransferReady) {
            self.ask_for_missing(cx, id);
            return;
        }
        let exchange = &mut self.exchanges[id];
        exchange.status_out = false;
        if asks_for(frame, PduKind::Response) {
            self.process(cx, Task::Response(id));
            return;
        }
        let start = u64::from(frame.offset);
        exchange.bursts = exchange.bursts.wrapping_add(1);
        exchange.sequence = exchange.bursts.wrapping_mul(2);
        (exchange.queued_bytes, exchange.asked_bytes, exchange.data_gone) = (start, start, false);
        let bytes = exchange.sequence_end - start;
        self.fetch(cx, id, bytes);
    }

    /// Asks again for the data of a write that did not come.
    fn ask_for_missing(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let exchange = &mut self.exchanges[id];
        exchange.bursts = exchange.bursts.wrapping_add(1);
        exchange.dma_claimed = false;
        let burst_bytes = exchange.sequence_end - exchange.received_bytes;
        let payload = self.sizes.xfer_rdy_payload;
        let draft = Draft { burst_bytes, ..Draft::single_frame_sequence(PduKind::TransferReady, payload) };
        self.enqueue(cx, id, draft);
    }
}

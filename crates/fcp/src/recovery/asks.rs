//! The initiator's end of recovery: it notices that frames are missing, asks by REC, and has them sent again by SRR.

use super::exchange_status;
use crate::adapter::{AdapterStage, Draft, RECOVERY_TIMER};
use crate::exchange::{Exchange, ExchangeId};
use crate::initiator::{FIRST_TIMER, Initiator};
use crate::unit::{READ_EXCHANGE_BYTES, RETRANSMISSION_BYTES, routing_of};
use sansim_component::{Context, EventTurn, Timer};
use sansim_kernel::{EventKey, Order, Time};
use sansim_pdu::{Pdu, PduKind, RequestTag, link_service};

/// The recovery of one exchange.
#[derive(Clone, Copy, Debug, Default)]
struct Recovery {
    /// The timer for the next REC; none for an exchange that is not watched.
    timer: Option<EventKey>,
    /// The link service that has not been answered, and the end of the last sequence of the exchange before it.
    asked: Option<(RequestTag, Time)>,
    /// The number of link services in turn that were not answered.
    unanswered: u32,
    /// Whether anything of the exchange has been asked for again, so that late copies may be in flight.
    is_repaired: bool,
}

/// The recovery of the exchanges of an initiator, by their numbers; empty without `rec_time_out`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recoveries {
    entries: Vec<Recovery>,
}

impl Recoveries {
    fn of(&mut self, id: ExchangeId) -> &mut Recovery {
        let number = id.0 as usize;
        if number >= self.entries.len() {
            self.entries.resize(number + 1, Recovery::default());
        }
        &mut self.entries[number]
    }
}

impl Initiator {
    /// FCP_CMND has been handed to the port: from now on the exchange is watched.
    #[inline]
    pub(crate) fn watch_exchange(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        if self.exchanges[id].retries {
            *self.role.recoveries.of(id) = Recovery::default();
            self.exchanges[id].since = cx.now;
            self.watch_until(cx, id, cx.now);
        }
    }

    /// Ends the watch over an exchange. Returns whether units of it were sent again.
    #[inline]
    pub(crate) fn end_watch(&mut self, cx: &mut Context<'_>, id: ExchangeId) -> bool {
        if !self.exchanges[id].retries {
            return false;
        }
        let recovery = std::mem::take(self.role.recoveries.of(id));
        if let Some(timer) = recovery.timer {
            cx.cancel_timer(timer);
        }
        recovery.is_repaired
    }

    /// Looks at the exchange again when `rec_time_out` has passed since some time.
    fn watch_until(&mut self, cx: &mut Context<'_>, id: ExchangeId, since: Time) {
        let Some(patience) = self.parameters.rec_time_out else { return };
        let turn = EventTurn::turn_of_node(FIRST_TIMER + id.0 % (Order::UNITS - FIRST_TIMER));
        let timer = cx.set_cancellable_timer(since + patience, turn, Timer::new(RECOVERY_TIMER, id.0));
        if let Some(before) = self.role.recoveries.of(id).timer.replace(timer) {
            cx.cancel_timer(before);
        }
    }

    /// `rec_time_out` has passed since an exchange was looked at.
    pub(crate) fn watch_due(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let Some(patience) = self.parameters.rec_time_out else { return };
        let recovery = self.role.recoveries.of(id);
        recovery.timer = None;
        if recovery.asked.take().is_some() {
            recovery.unanswered += 1;
            if recovery.unanswered > self.parameters.rec_retries {
                self.give_up_exchange(cx, id);
            } else {
                self.ask_about(cx, id);
            }
            return;
        }
        let since = self.exchanges[id].since;
        if since + patience > cx.now {
            self.watch_until(cx, id, since);
        } else if self.is_busy_with(id) || cx.requests().units_in_flight(self.exchanges[id].request) > 0 {
            // A port may have a queue of its own for commands: REC must not overtake FCP_CMND, which has not left.
            self.watch_until(cx, id, cx.now);
        } else {
            self.ask_about(cx, id);
        }
    }

    /// Whether this end has something to do for the exchange itself.
    fn is_busy_with(&self, id: ExchangeId) -> bool {
        let exchange = &self.exchanges[id];
        let sends = exchange.write && exchange.queued_bytes < exchange.sequence_end;
        sends || exchange.telling || self.works_for(id)
    }

    /// Whether the status of a read is in, and data are missing that will not come by themselves.
    #[inline]
    pub(crate) fn lacks_data(&self, id: ExchangeId) -> bool {
        let exchange = &self.exchanges[id];
        exchange.retries
            && exchange.status_in
            && !exchange.failed
            && !exchange.write
            && exchange.stored_bytes == exchange.received_bytes
            && exchange.received_bytes < exchange.bytes
    }

    /// Asks the target how far it is.
    pub(crate) fn ask_about(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        if self.role.recoveries.of(id).asked.is_some() {
            return;
        }
        let unit = self.service(cx, id, PduKind::ServiceRequest, READ_EXCHANGE_BYTES);
        self.send_question(cx, id, Pdu { status: link_service::READ_EXCHANGE_CONCISE, ..unit });
    }

    /// Has the units of one kind sent again, for data from a byte on.
    fn ask_again(&mut self, cx: &mut Context<'_>, id: ExchangeId, kind: PduKind, offset: u64) {
        let unit = self.service(cx, id, PduKind::ServiceRequest, RETRANSMISSION_BYTES);
        let status = link_service::SEQUENCE_RETRANSMISSION;
        if !std::mem::replace(&mut self.role.recoveries.of(id).is_repaired, true) {
            self.recovered += 1;
        }
        let burst_bytes = routing_of(kind).into();
        let exchange = &mut self.exchanges[id];
        (exchange.status_in, exchange.storing, exchange.dma_claimed) = (false, false, false);
        cx.ledger().locate_request(exchange.request, AdapterStage::FrameLost as usize);
        self.send_question(cx, id, Pdu { status, burst_bytes, offset: offset as u32, ..unit });
    }

    fn send_question(&mut self, cx: &mut Context<'_>, id: ExchangeId, unit: Pdu) {
        self.send_service(cx, unit);
        self.role.recoveries.of(id).asked = Some((unit.tag, self.exchanges[id].since));
        self.watch_until(cx, id, cx.now);
    }

    /// LS_ACC or LS_RJT has arrived. An answer to a question that was given up has no effect.
    pub(crate) fn service_answered(&mut self, cx: &mut Context<'_>, frame: &Pdu) {
        let id = frame.originator;
        if !self.exchanges.is_open(id) || !self.exchanges[id].retries {
            return;
        }
        let recovery = self.role.recoveries.of(id);
        let Some((_, before)) = recovery.asked.filter(|&(tag, _)| tag == frame.tag) else { return };
        (recovery.asked, recovery.unanswered) = (None, 0);
        // A frame that came or went in the meantime may be the one that was missing.
        let moves_on = std::mem::replace(&mut self.exchanges[id].since, cx.now) != before;
        match (frame.kind, frame.status) {
            (_, link_service::READ_EXCHANGE_CONCISE) if moves_on || self.is_busy_with(id) => {
                self.watch_until(cx, id, cx.now);
            }
            (PduKind::ServiceAccept, link_service::READ_EXCHANGE_CONCISE) => self.target_is(cx, id, frame),
            (PduKind::ServiceAccept, _) => {
                cx.failures().recover_request(self.exchanges[id].request);
                self.watch_until(cx, id, cx.now);
            }
            (_, link_service::READ_EXCHANGE_CONCISE) if self.nothing_came(id) => self.send_again(cx, id),
            _ => self.give_up_exchange(cx, id),
        }
    }

    /// The target has answered REC.
    fn target_is(&mut self, cx: &mut Context<'_>, id: ExchangeId, answer: &Pdu) {
        let Exchange { write, received_bytes, .. } = self.exchanges[id];
        let (passed, state) = (u64::from(answer.offset), answer.burst_bytes);
        self.exchanges[id].other = answer.responder;
        if state & exchange_status::COMPLETE != 0 && !write && received_bytes as u32 != answer.offset {
            self.ask_again(cx, id, PduKind::Data, received_bytes);
        } else if state & exchange_status::COMPLETE != 0 {
            self.ask_again(cx, id, PduKind::Response, passed);
        } else if state & exchange_status::INITIATIVE != 0 {
            self.watch_until(cx, id, cx.now);
        } else {
            self.ask_again(cx, id, PduKind::TransferReady, passed);
        }
    }

    /// Whether no frame of the exchange has come from the target.
    fn nothing_came(&self, id: ExchangeId) -> bool {
        let exchange = &self.exchanges[id];
        exchange.received_bytes == 0 && exchange.sequence_end == 0 && !exchange.status_in
    }

    /// Sends FCP_CMND again, which was lost, in a new exchange.
    fn send_again(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let Exchange { request, peer, write, bytes, asked_by, unreachable, .. } = self.exchanges[id];
        self.end_watch(cx, id);
        self.exchanges.close_aborted_exchange(cx, id);
        let exchange = Exchange {
            asked_by,
            sent: true,
            retries: true,
            unreachable,
            ..Exchange::new(request, peer, write, bytes)
        };
        let id = self.exchanges.open_exchange(cx, exchange);
        self.commands += 1;
        self.recovered += 1;
        cx.failures().recover_request(request);
        let payload = self.sizes.command_payload;
        self.enqueue(cx, id, Draft::single_frame_sequence(PduKind::Command, payload));
        self.watch_exchange(cx, id);
    }

    /// Aborts an exchange that cannot be repaired. The host gets its request back, as after an abort of its own.
    fn give_up_exchange(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        self.end_watch(cx, id);
        self.begin_abort(cx, id);
        self.send_abort(cx, id);
    }

    /// Lets the target forget an exchange whose status and data are in.
    #[inline]
    pub(crate) fn confirm(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        if self.exchanges[id].confirms {
            let unit = self.service(cx, id, PduKind::Confirm, 0);
            self.send_service(cx, Pdu { unit: self.exchanges[id].sequence, ..unit });
        }
    }
}

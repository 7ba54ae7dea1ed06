//! The status of an exchange at its target: when and in which circuit it is sent, its length, and the end of the exchange.
//!
//! Source: FCP-4; for FCP_RSP in a circuit of its own Ruwart 1999, table 1.

use crate::adapter::{BLOCK, Draft, ResponseCircuit, ResponseStart, Task};
use crate::exchange::{Exchange, ExchangeId};
use crate::iscsi;
use crate::protocol::Protocol;
use crate::target::Target;
use crate::unit::{RESPONSE_BYTES, has_sense_data};
use sansim_component::{Context, Message};
use sansim_kernel::Span;
use sansim_pdu::{CommandSet, PduKind};

impl Target {
    /// Whether FCP_RSP of a read is made only when the server has answered.
    pub(crate) fn responds_when_told(&self) -> bool {
        self.parameters.response_start == ResponseStart::Answered && !self.rules.status_in_data
    }

    /// The circuit that the port was in is over.
    pub(crate) fn circuit_ended(&mut self, cx: &mut Context<'_>) {
        let mut leaving = std::mem::take(&mut self.role.leaving);
        for id in leaving.drain(..) {
            self.exchanges[id].data_gone = true;
            if let Some(place) = self.role.held.iter().position(|&held| held == id) {
                self.role.held.remove(place);
                self.send_response(cx, id);
            }
        }
        debug_assert!(self.role.leaving.is_empty(), "no frame leaves while a circuit ends");
        // The vector is put back with its capacity, because the next circuit needs it again.
        self.role.leaving = leaving;
    }

    pub(crate) fn has_own_circuit(&self) -> bool {
        self.parameters.response_circuit == ResponseCircuit::Own
    }

    pub(crate) fn send_response(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let mut payload = self.control_payload(self.sizes.response_payload);
        if self.rules.command_set == CommandSet::Nvme {
            if self.rules.has_long_responses {
                let Exchange { peer, status, .. } = self.exchanges[id];
                payload = self.response_bytes(peer, status);
            }
        } else if let Some(sense_data) = self.parameters.sense_data
            && has_sense_data(self.exchanges[id].status)
        {
            payload = if self.parameters.protocol == Protocol::Iscsi {
                payload + iscsi::sense_bytes(&self.parameters.iscsi, sense_data)
            } else {
                payload.max(RESPONSE_BYTES as u64) + sense_data
            };
        }
        self.enqueue(cx, id, Draft::single_frame_sequence(PduKind::Response, payload));
        self.status_is_out(cx, id);
    }

    /// Notes that the port has accepted the status, alone or with the last data.
    pub(crate) fn status_is_out(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        if self.parameters.completion_time > Span::ZERO {
            self.process(cx, Task::CloseExchange);
        }
        let exchange = &mut self.exchanges[id];
        exchange.status_out = true;
        let Exchange { request, asked, .. } = *exchange;
        if asked {
            // The server is released once; a status that is sent again concerns it no more.
            exchange.asked = false;
            cx.send(BLOCK, Message::Release(request));
        }
        self.close_if_done(cx, id);
    }

    /// An exchange is over when its status has been handed to the port and the requested data of a write are stored, which
    /// may be later.
    pub(crate) fn close_if_done(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let exchange = &self.exchanges[id];
        if exchange.status_out && (!exchange.write || exchange.stored_bytes == exchange.sequence_end) {
            // The host of an exchange may have sent the same request again meanwhile.
            if self.exchange_for(exchange.request) == Some(id) {
                self.role.by_request.remove(&self.exchanges[id].request);
            }
            if self.exchanges[id].retries {
                self.keep_exchange(cx, id);
            } else {
                self.exchanges.close_exchange(cx, id);
            }
        }
    }
}

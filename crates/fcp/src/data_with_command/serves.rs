//! The target's end: a write begins with its data, and a read is over when its last data are at the port.

use crate::adapter::{BLOCK, Task};
use crate::exchange::{Exchange, ExchangeId};
use crate::target::Target;
use sansim_component::{Context, Message};
use sansim_pdu::Pdu;
use sansim_request::RequestId;

impl Target {
    /// The exchange of a part of the data of a write; the first part that comes with the command opens the exchange. The result is none if
    /// the first part was lost, or if the exchange has been aborted: the initiator will notice that.
    #[inline(never)]
    pub(crate) fn exchange_of_data(&mut self, cx: &mut Context<'_>, frame: &Pdu) -> Option<ExchangeId> {
        let request = RequestId(frame.tag.0);
        if frame.unit == 0 && frame.part == 0 && frame.offset == 0 {
            return Some(self.open_exchange(cx, frame));
        }
        self.exchange_for(request).filter(|&id| {
            let Exchange { peer, other, .. } = self.exchanges[id];
            (peer, other) == (frame.source, frame.originator)
        })
    }

    /// Whether data of a write have come that were not asked for, so that the command is still to be passed on.
    pub(crate) fn begins_with_data(&self, id: ExchangeId) -> bool {
        let exchange = &self.exchanges[id];
        exchange.write && exchange.bursts == 0
    }

    /// All data that come with the command of a write have arrived, and with them the command.
    pub(crate) fn command_is_in(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let exchange = &mut self.exchanges[id];
        exchange.data_in = exchange.sequence_end;
        self.process(cx, Task::Command(id));
    }

    /// The server behind the target has room for the data of a write up to byte `end`. Data that came with the command are there; for
    /// others the target asks, up to the largest sequence.
    pub(crate) fn has_room_upto(&mut self, cx: &mut Context<'_>, id: ExchangeId, end: u64) {
        let before = std::mem::replace(&mut self.exchanges[id].room, end);
        let Exchange { request, sequence_end, bursts, .. } = self.exchanges[id];
        if bursts == 0 && before < sequence_end {
            cx.send(BLOCK, Message::WriteDataUpTo(request, end.min(sequence_end)));
        }
        self.ask_for_next(cx, id);
    }

    /// Data that were asked for have arrived.
    pub(crate) fn requested_data_are_in(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let exchange = &mut self.exchanges[id];
        exchange.data_in = exchange.sequence_end;
        let (request, end) = (exchange.request, exchange.sequence_end);
        cx.send(BLOCK, Message::WriteDataUpTo(request, end));
        self.ask_for_next(cx, id);
    }

    /// Asks for the next data of a write, if the server has room for them and none are on their way.
    fn ask_for_next(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let Exchange { room, sequence_end, data_in, .. } = self.exchanges[id];
        if room > sequence_end && data_in == sequence_end {
            self.ask_upto(cx, id, room.min(sequence_end + self.rules.largest_sequence));
        }
    }
}

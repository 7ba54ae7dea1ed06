//! The target's end: a write begins with its data, and a read is over when its last data are at the port.

use crate::adapter::{BLOCK, Task};
use crate::exchange::{Exchange, ExchangeId};
use crate::target::Target;
use sansim_component::{Context, Message};
use sansim_pdu::Pdu;
use sansim_request::RequestId;

impl Target {
    /// The exchange of a packet of a write; the first packet opens the exchange. The result is none if the first packet was lost, or if the
    /// exchange has been aborted: the initiator will notice that.
    pub(crate) fn exchange_of_packet(&mut self, cx: &mut Context<'_>, frame: &Pdu) -> Option<ExchangeId> {
        let request = RequestId(frame.tag.0);
        if frame.part == 0 && frame.offset == 0 {
            return Some(self.open_exchange(cx, frame));
        }
        self.exchange_for(request).filter(|&id| {
            let Exchange { peer, other, .. } = self.exchanges[id];
            (peer, other) == (frame.source, frame.originator)
        })
    }

    /// All data of a write have arrived, and with them the command.
    pub(crate) fn request_is_in(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        self.exchanges[id].storing = false;
        self.process(cx, Task::Command(id));
    }

    /// The server behind the target has room for the data of a write, which have arrived already.
    pub(crate) fn data_are_there(&mut self, cx: &mut Context<'_>, id: ExchangeId, end: u64) {
        let request = self.exchanges[id].request;
        cx.send(BLOCK, Message::WriteDataUpTo(request, end));
    }

    /// Data of a read have been given to the port. The last data of a read are its status as well.
    pub(crate) fn reply_queued(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let exchange = &self.exchanges[id];
        if exchange.write || exchange.queued_bytes < exchange.bytes {
            return;
        }
        self.status_is_out(cx, id);
    }
}

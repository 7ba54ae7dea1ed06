//! The initiator's end: the request of a write is its data, and the reply to a read is complete with its last
//! data.

use crate::adapter::ExchangeUse;
use crate::exchange::ExchangeId;
use crate::initiator::{Initiator, InitiatorState};
use sansim_component::Context;

impl Initiator {
    /// Sends the data of a write, with which the exchange begins at the target.
    pub(crate) fn send_write(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let bytes = self.exchanges[id].bytes;
        self.exchanges[id].sequence_end = bytes;
        self.fetch(cx, id, bytes);
    }

    /// Data of a read have been processed. When the last data of a read have been processed, the command has
    /// succeeded.
    pub(crate) fn reply_processed(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let exchange = &mut self.exchanges[id];
        if exchange.write || exchange.status_in || exchange.received_bytes < exchange.bytes {
            return;
        }
        exchange.status_in = true;
        exchange.storing = true;
        InitiatorState::data_stored(self, cx, id);
    }
}

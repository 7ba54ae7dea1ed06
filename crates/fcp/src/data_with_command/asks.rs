//! The initiator's end: data go with the command of a write, and the last data of a read are its status.

use crate::adapter::ExchangeUse;
use crate::exchange::ExchangeId;
use crate::initiator::{Initiator, InitiatorState};
use sansim_component::Context;

impl Initiator {
    /// Sends the command of a write with its first data, with which the exchange begins at the target. Returns whether data go with the
    /// command.
    pub(crate) fn sends_with_data(&mut self, cx: &mut Context<'_>, id: ExchangeId) -> bool {
        let bytes = self.rules.bytes_with_command(self.exchanges[id].bytes);
        if bytes > 0 {
            self.exchanges[id].sequence_end = bytes;
            self.fetch(cx, id, bytes);
        }
        bytes > 0
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

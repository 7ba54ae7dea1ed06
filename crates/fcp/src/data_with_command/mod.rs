//! Data that come with the command of a write, and the status that comes with the last data of a read.
//!
//! The first part of the data opens the exchange at the target in place of a command: it has the number 0 among the units of its exchange. When all
//! of these data have arrived, the target passes the command on. It asks for the rest of the data, if there is one, when its server has
//! room, by requests of at most `largest_sequence` one after the other.
//!
//! Sources: NVMe/TCP, in-capsule data; RFC 7143, unsolicited data and phase collapse; Molero 2001. A server that has room for the data by and by
//! gets them by and by, although they are at the target.

mod asks;
mod serves;

use crate::adapter::{Adapter, ExchangeUse};
use sansim_pdu::{Pdu, PduKind};

impl<R: ExchangeUse> Adapter<R> {
    /// Whether a received frame has the last data of a read and its status, after which nothing comes.
    pub(crate) fn is_last_of_reply(&self, frame: &Pdu) -> bool {
        self.rules.status_in_data && frame.kind == PduKind::Data && frame.last_of_data
    }
}

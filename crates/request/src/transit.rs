//! The units of a request between two ports, as far as they determine its ledger line.
//!
//! If several components work for a request at a time, the one nearest to the receiver of the data determines its ledger line. So while
//! protocol data units of a request are between the queue of one port and the buffer of the other, the network sets its line; a line that
//! either end sets applies after those units, when the last of them has been received.

use crate::ledger::LedgerLine;

/// The units of a request in flight, and the ledger line that follows them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnitsInTransit {
    /// The number of units between the queue of one port and the buffer of the other.
    pub under_way: u32,
    /// The number of units in flight of which the first word has left the port.
    pub on_wire: u32,
    /// The ledger line of the request after the units in flight.
    pub behind: LedgerLine,
    /// Whether the following line is that of data being prepared to be sent.
    pub prepared: bool,
}

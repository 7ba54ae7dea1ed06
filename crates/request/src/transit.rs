//! The units of a request between two ports, as far as they decide its ledger line.
//!
//! Among simultaneous activities for a request, the one nearest to the receiver counts. So while protocol data units of it are between the
//! queue of one port and the buffer of the other, the network sets its line; a line that either end sets applies after those units, when
//! the last of them has been received.

use crate::ledger::LedgerLine;

/// Units of a request on their way, and what is behind them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transit {
    /// Units between the queue of one port and the buffer of the other.
    pub under_way: u32,
    /// Those of them of which the first word has left.
    pub on_wire: u32,
    /// Where what follows them is.
    pub behind: LedgerLine,
    /// That is data being prepared to be sent.
    pub prepared: bool,
}

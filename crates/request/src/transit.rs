//! How much of a request is between two ports, as far as that decides where its time goes.
//!
//! Of all that goes on for a request, what counts is nearest to the receiver. So while protocol data units of it are between the queue of
//! one port and the buffer of the other, where it is is said by the network; what either end tells is where what follows them
//! is, and counts when the last of them has been received.

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

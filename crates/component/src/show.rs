//! The sights that components show to observers. They change nothing, and only wanted ones are collected.

use crate::site::ComponentId;
use sansim_kernel::Time;
use sansim_pdu::{PortSight, WireUnit};
use sansim_request::{LedgerLine, RequestId};

/// An observation: an event that observers may record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown {
    /// The time of the observation; on the fast loop it may be later than now, by the transit time of a frame.
    pub at: Time,
    /// The component that shows it.
    pub component: ComponentId,
    /// The sight.
    pub what: Sight,
}

/// The sights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sight {
    /// A request was issued, and is in this ledger line.
    Issued(RequestId, LedgerLine),
    /// The request enters another ledger line.
    Enters(RequestId, LedgerLine),
    /// The first request continues, because the second, a child request of it, is complete. Between the two it was where the child request
    /// was.
    Joined(RequestId, RequestId),
    /// The asker has the request back.
    Completed(RequestId),
    /// A block, by its number in the catalogue, works for a request until then.
    Block(usize, RequestId, Time),
    /// An observation at a port of a network that does more than repeat.
    Port(u16, PortSight),
    /// A buffer of a port of a network, by a number that no other has meanwhile, holds a unit.
    Buffered(u16, u32, WireUnit),
    /// The buffer with this number is empty again.
    Freed(u16, u32),
    /// The gauges at a place of a component that has several may show other values.
    Changed(u16),
    /// A port of a network begins to repeat another word.
    Repeater(u16, PortSight),
}

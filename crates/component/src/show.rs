//! The sights that components show to observers. They change nothing, and only wanted ones are collected.

use crate::site::ComponentId;
use sansim_kernel::Time;
use sansim_pdu::{PortSight, WireUnit};
use sansim_request::{LedgerLine, RequestId};

/// Something to be seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown {
    /// When; on the fast loop perhaps later than now, by the way of a frame.
    pub at: Time,
    /// The component that shows it.
    pub component: ComponentId,
    /// The sight.
    pub what: Sight,
}

/// The sights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sight {
    /// A request is asked for, and is in this line.
    Issued(RequestId, LedgerLine),
    /// It enters another one.
    Enters(RequestId, LedgerLine),
    /// The first goes on, for the second, a part of it, is complete; since it was asked for, the first was where that one was.
    Joined(RequestId, RequestId),
    /// The one who asked has it back.
    Completed(RequestId),
    /// A block, by its number in the catalogue, works for a request until then.
    Block(usize, RequestId, Time),
    /// Something at a port of a network that does more than repeat.
    Port(u16, PortSight),
    /// A buffer of a port of a network, by a number that no other has meanwhile, holds a unit.
    Buffered(u16, u32, WireUnit),
    /// That buffer is empty again.
    Freed(u16, u32),
    /// The gauges at a place of a component that has several may show other values.
    Changed(u16),
    /// A port of a network repeats something else.
    Repeater(u16, PortSight),
}

//! The site of a component in the system, and the names of its timers.

use sansim_kernel::Order;

/// The number of a component of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ComponentId(pub u32);

impl ComponentId {
    /// The number as an index into a list.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One end of a link: a port of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PortRef {
    /// The component.
    pub component: ComponentId,
    /// The port of the component.
    pub port: u16,
}

/// A timer, in the component's own terms; the component gets it back when it is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Timer {
    /// The kind of timer.
    pub what: u8,
    /// The place within the component that has the timer: a loop has timers for each of its ports.
    pub place: u16,
    /// The number of the timer among several, which the component chooses.
    pub number: u32,
}

impl Timer {
    /// A timer of a component without places of its own.
    pub const fn new(what: u8, number: u32) -> Self {
        Self { what, place: 0, number }
    }
}

/// The order of an event within an instant: by priority, then by the component's rank, then by unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventTurn {
    /// The priority within an instant: arrivals on networks, then nodes, then decisions of ports.
    pub priority: u8,
    /// The order among the component's own events of this priority and place.
    pub unit: u32,
}

/// The priority of all components that are no network: after arrivals on a network, before the decisions of its ports.
pub const NODE_PRIORITY: u8 = 2;

impl EventTurn {
    /// The turn of an event of a component that is no network.
    pub fn turn_of_node(unit: u32) -> Self {
        Self { priority: NODE_PRIORITY, unit }
    }

    /// The order in the calendar of a timer of a component with this first rank.
    #[inline]
    pub(crate) fn order(self, rank: u16, timer: Timer) -> Order {
        Order { priority: self.priority, rank: rank + timer.place, unit: self.unit }
    }
}

/// The data that a context needs about the component that reacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComponentSite {
    /// The index of the component's first port in the table of links.
    pub first_port: u32,
    /// The component's first rank among simultaneous events; a component with several places has a rank for each.
    pub rank: u16,
    /// The ledger line of the component's first segment.
    pub first_line: u32,
    /// The ledger line of a request while this component provides its next data.
    pub provides: u32,
}

//! The kinds of events of a loop, and their order among simultaneous events.

use sansim_kernel::Order;

/// An event of a loop, to be scheduled by its surroundings and handed back to [`ArbitratedLoop::handle`](super::ArbitratedLoop::handle).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopEvent {
    /// The next fill edge reaches the port.
    Fill,
    /// An item (by its place in the store) reaches a port.
    Item(u32),
    /// The last word of a frame has arrived.
    FrameEnd(u32),
    /// A slot begins for which the port has asked.
    Slot,
    /// A step of the cached circuit with this number is due, in place of an ordinary event of this kind.
    Known(CircuitStep, u32),
    /// A step of the initialisation with this number is to be shown to observers.
    Initialisation(u32),
    /// E_D_TOV of the port may be over; only loops of which words are damaged have this event.
    TimeOut,
}

/// The event that a step of a cached circuit replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CircuitStep {
    /// See [`LoopEvent::Fill`].
    Fill,
    /// See [`LoopEvent::Item`].
    Item,
    /// See [`LoopEvent::FrameEnd`].
    FrameEnd,
    /// See [`LoopEvent::Slot`].
    Slot,
}

impl CircuitStep {
    /// All kinds of events.
    pub const ALL: [Self; 4] = [Self::Fill, Self::Item, Self::FrameEnd, Self::Slot];

    /// The step with this number, which is its value as `u8`.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|step| *step as u8 == number)
    }

    /// The kind of event with this order among simultaneous events.
    pub(super) fn of(order: Order) -> Self {
        match (order.priority, order.unit) {
            (0, 0) => Self::Fill,
            (0, _) => Self::Item,
            (1, _) => Self::FrameEnd,
            _ => Self::Slot,
        }
    }
}

impl LoopEvent {
    /// The order among simultaneous events, for the port of this rank: arrivals are handled before decisions of ports in
    /// the same slot.
    ///
    /// Events of one port to which this function gives equal order are the same event: a slot that was asked for twice, or a
    /// fill edge that another line has inherited. The first of several equal events is carried out, and the later events find
    /// nothing to do. Two items never reach a port in the same slot, because they were sent one after the other.
    pub fn event_order(self, rank: u16) -> Order {
        let (priority, unit) = match self {
            Self::Fill => (0, 0),
            Self::Item(_) => (0, 1),
            Self::FrameEnd(_) => (1, 0),
            Self::Slot => (3, 0),
            // Steps are shown before the slots in which ports are in MONITORING.
            Self::Initialisation(_) => (0, 4),
            // The port decides after all that happens in the slot.
            Self::TimeOut => (3, 2),
            // A step of a cached circuit has the order next to the event that it replaces, because an earlier
            // event of that kind may still be pending.
            Self::Known(CircuitStep::Fill, _) => (0, 2),
            Self::Known(CircuitStep::Item, _) => (0, 3),
            Self::Known(CircuitStep::FrameEnd, _) => (1, 1),
            Self::Known(CircuitStep::Slot, _) => (3, 1),
        };
        Order { priority, rank, unit }
    }
}

/// Priority of the events of the nodes: after what arrives on the loop, before what ports decide in the slot.
pub const NODE_PRIORITY: u8 = 2;

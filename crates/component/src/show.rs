//! The sights that components show to observers. Sights change nothing in the run, and only wanted ones are collected.

use crate::site::ComponentId;
use sansim_kernel::{Span, Time};
use sansim_pdu::{PortSight, WireUnit};
use sansim_request::{LedgerLine, RequestId};

/// An observation: an event that observers may record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObservedEvent {
    /// The time of the observation; on the fast loop the time may be later than now, by the transit time of a frame.
    pub at: Time,
    /// The component that shows the sight.
    pub component: ComponentId,
    /// The content of the observation.
    pub what: ObservableKind,
}

/// A move of something from one place to another, in a network whose ports show no words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Movement {
    /// The kind of the move, by its number in the catalogue of the component that shows it.
    pub kind: u8,
    /// The beginning of the way.
    pub from: MoveEnd,
    /// The end of the way.
    pub to: MoveEnd,
    /// The time at which the first byte leaves.
    pub began: Time,
    /// The time from the first byte to the last at the beginning of the way.
    pub lasts: Span,
    /// The time at which the first byte arrives; none if it is lost.
    pub arrives: Option<Time>,
    /// The request to which the move belongs, if it belongs to one.
    pub request: Option<RequestId>,
    /// The number of bytes of payload.
    pub bytes: u32,
    /// The frame whose move over one of several links this is; none for something that is at its receiver with this move.
    pub hop: Option<FrameHop>,
}

/// The move of a frame over one of the links on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameHop {
    /// The number of the frame, which no other frame of the component has at the time.
    pub tag: u32,
    /// Whether the link is the first one.
    pub is_first: bool,
    /// The end of the whole way.
    pub receiver: MoveEnd,
}

/// An end of the way of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveEnd {
    /// One of the places of the component that shows the move.
    Place(u16),
    /// The component at the other end of this port.
    Peer(u16),
}

/// The sights that components can show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ObservableKind {
    /// A request was issued, and is in this ledger line.
    Issued(RequestId, LedgerLine),
    /// The request enters another ledger line.
    Enters(RequestId, LedgerLine),
    /// The first request continues, because the second, a child request of it, is complete. Between both events the first request was where
    /// the child request was.
    Joined(RequestId, RequestId),
    /// The initiating component has the request back.
    Completed(RequestId),
    /// A block, by its number in the catalogue, works for a request until this time.
    Block(usize, RequestId, Time),
    /// A port of a network does more than repeat.
    Port(u16, PortSight),
    /// A buffer of a port of a network holds a unit; the number of the buffer is unique while it does.
    Buffered(u16, u32, WireUnit),
    /// The buffer with this number is empty again.
    Freed(u16, u32),
    /// The gauges at one of several places of a component may have changed.
    Changed(u16),
    /// Something moves in a network whose ports show no words.
    Moves(Movement),
    /// A port of a network begins to repeat another word.
    Repeater(u16, PortSight),
}

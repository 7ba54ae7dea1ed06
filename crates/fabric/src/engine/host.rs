//! The surroundings of a fabric: its events, and its notifications to nodes and observers.

use super::probes::{FrameInFlight, FrameStage, PortObservation};
use sansim_fc::frame::{Frame, RequestTag};
use sansim_kernel::Time;
use sansim_pdu::Notice;

/// An event of a fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FabricEvent {
    /// The header of this frame has arrived at a switch.
    Header(u32),
    /// The last word of this frame has arrived at a node.
    Arrived(u32),
    /// The last word of the frame that this port sends has left.
    Left(u32),
    /// The routing unit of this switch has served a header.
    Route(u32),
    /// This port tries to send a frame.
    Send(u32),
    /// A mark has arrived at this port, behind lost frames.
    Mark(u32),
    /// A frame may have waited for too long in the buffers of this port.
    Expire(u32),
    /// Answers for which this node waits may be overdue.
    Overdue(u16),
    /// This port may recognise another sequence on its link.
    Hears(u32),
    /// This port has sent OLS for its least time.
    Offline(u32),
    /// This port may have had no credit for too long.
    TimeOut(u32),
    /// This node, which is slow, returns a credit.
    Drained(u16),
    /// A period has ended in which this port had no credit for a time.
    Look(u32),
    /// A damaged frame of this node has come in at its switch.
    Damaged(u16),
}

impl FabricEvent {
    /// The class of the event in the order of events of one instant.
    pub fn priority(self) -> u8 {
        match self {
            Self::Header(_)
            | Self::Arrived(_)
            | Self::Mark(_)
            | Self::Hears(_)
            | Self::Offline(_)
            | Self::Look(_)
            | Self::Damaged(_) => 0,
            Self::Left(_) => 1,
            Self::Drained(_) => 2,
            Self::Route(_) | Self::Expire(_) | Self::Overdue(_) | Self::TimeOut(_) => 3,
            Self::Send(_) => 4,
        }
    }
}

/// The reason for which the first of a node's frames waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameWait {
    /// The frame waits for credit.
    Credit,
    /// The frame waits for nothing: it is in flight.
    Way,
}

/// A notification from a fabric to the node at one of its ports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NodeEvent {
    /// The first word of a frame has left the node.
    Started(Frame),
    /// The same, and the next frame that the node has announced, of this request, joins its queue.
    StartedBefore(Frame, RequestTag),
    /// The last word of a frame has left the node.
    Sent(Frame),
    /// A frame has arrived; the node reports when its buffer is free.
    Received(Frame),
    /// A frame has arrived that the node has accepted before; its buffer is free.
    Accepted(Frame),
    /// A frame of this node is lost; or link control is lost that names this node as the sender.
    Lost(Frame),
    /// Link control has arrived for this node, whose port has handled it.
    Taken(Frame),
    /// A switch has made this F_BSY or F_RJT, which is not sent by a node.
    Refused(Frame),
    /// A switch has made a copy of a frame of this node, for other members of its group.
    Copied(Frame),
    /// The first frame of this exchange now waits for this reason.
    Waits(RequestTag, FrameWait),
    /// The fabric reports this to the node.
    Noticed(Notice),
}

/// The surroundings of a fabric, which carry out its requests.
pub trait FabricHost {
    /// Schedules an event at this time, at or after the present; `unit` distinguishes the event from other events of its class at the
    /// same instant.
    fn schedule(&mut self, at: Time, event: FabricEvent, unit: u32);
    /// Notifies a node.
    fn upcall(&mut self, now: Time, node: u16, upcall: NodeEvent);
    /// Whether a node notices that the last word of this frame has left it ([`NodeEvent::Sent`]).
    fn notices_sent(&self, _node: u16, _frame: &Frame) -> bool {
        true
    }
    /// Whether the gauges or ports of the fabric, or the steps of requests, are observed, so that every step of a frame is an event.
    fn observes(&self) -> bool {
        true
    }
    /// Reports an observation: the first word of a frame will arrive at its node at this time.
    fn coming(&mut self, _at: Time, _node: u16, _frame: &Frame) {}
    /// Reports that a frame is at another stage of its path.
    fn stage(&mut self, _now: Time, _frame: &FrameInFlight<'_>, _stage: FrameStage) {}
    /// Reports an observation at a port of a switch, by its place, now or later.
    fn at_port(&mut self, _at: Time, _place: u16, _what: PortObservation) {}
    /// The readings at a place may have changed.
    fn changed(&mut self, _place: u16) {}
    /// Reports that the frames to a node go by a channel of their own from now on.
    fn is_quarantined(&mut self, _node: u16) {}
    /// Reports that frames wait for each other for ever.
    fn is_stuck(&mut self) {}
}

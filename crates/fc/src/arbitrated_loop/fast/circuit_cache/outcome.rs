//! The outcome of the state of a circuit if the nodes do nothing, and where their inputs lead.

use super::ports::Ports;
use super::{Frames, PortSet};
use crate::frame::{Frame, Pdu};
use crate::loop_port::QueueWait;
use crate::loop_port::snapshot::{PortSnapshot, RelativeTime};
use crate::word::FillWord;
use sansim_kernel::{Order, Span, Time};

/// A place in the order of all events of the loop; simultaneous events are ranked by the number of the port
/// within the circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) at: RelativeTime,
    pub(super) order: Order,
}

/// The content of a notification to a node. A notification names a frame by its number in the circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotificationKind {
    Received(u8),
    Started(u8),
    Sent(u8),
    Waits(u8, QueueWait),
    Owns(bool),
    CircuitEnded,
}

/// A notification to the node at an end of the circuit, with its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Notification {
    pub(super) place: Place,
    pub(super) end: u8,
    pub(super) says: NotificationKind,
}

impl Notification {
    /// The time of notifications that the input itself causes.
    pub(super) const AT_ONCE: Self = Self {
        place: Place { at: RelativeTime::NEVER, order: Order { priority: 0, rank: 0, unit: 0 } },
        end: 0,
        says: NotificationKind::CircuitEnded,
    };
}

/// The outcome of a circuit if the nodes do nothing; its notifications are at their place in the memory. An outcome
/// fills one line of a processor cache.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct CircuitOutcome {
    /// The place of the outcome's first notification, and the number of its notifications. The notifications
    /// that the input to this outcome causes immediately are stored before the first notification.
    pub(super) told: u32,
    pub(super) count: u16,
    pub(super) at_once: u16,
    /// The end of the circuit while fill words still circulate, if it is before the end of the outcome.
    pub(super) over: Option<End>,
    /// The end of the outcome; none if the circuit waits for its nodes.
    pub(super) end: Option<End>,
    /// The first successor by an input that was learned.
    pub(super) edges: Option<u32>,
}

const _: () = assert!(size_of::<CircuitOutcome>() == 64);

/// An outcome that was worked out.
#[derive(Clone, Debug, Default)]
pub(super) struct Foretold {
    pub(super) told: Vec<Notification>,
    pub(super) over: Option<End>,
    pub(super) end: Option<End>,
}

impl CircuitOutcome {
    /// The range of the outcome's notifications.
    #[inline]
    pub(super) fn tells(&self) -> (u32, u32) {
        (self.told, self.told + u32::from(self.count))
    }

    /// Whether no part of the outcome has to be computed by the rules.
    #[inline]
    pub(super) fn is_of_use(&self) -> bool {
        self.end.as_ref().is_none_or(|end| end.rest.is_some())
    }
}

/// The moment at which a circuit ends, and its state then.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    /// The place of the last event that belongs to the circuit.
    pub(super) place: Place,
    /// The cached state after the last event; none if other ports affect what comes then, so that the state has to be
    /// computed.
    pub(super) rest: Option<u32>,
}

/// The successor by an input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) end: u8,
    pub(super) input: Input,
    pub(super) within: Within,
    /// The slot for which the port asks because of the input.
    pub(super) asks_for: RelativeTime,
    pub(super) to: u32,
    /// The next successor of the same outcome by another input.
    pub(super) others: Option<u32>,
}

/// The range of moments at which the same input leads to the same outcome.
#[derive(Clone, Copy, Debug)]
pub(super) struct Within {
    /// The last event before the range.
    pub(super) behind: Place,
    /// The next event after the range; none if the circuit waits for its nodes.
    pub(super) before: Option<Place>,
    /// The range begins at the last arrival at the port of which only the time matters, and ends before the next
    /// such arrival.
    pub(super) comes: (RelativeTime, RelativeTime),
    /// The first and the last of the port's slots in the range.
    pub(super) slots: (RelativeTime, RelativeTime),
}

impl Within {
    /// Whether the present moment, in the order of all events, is in the range.
    pub(super) fn holds(
        &self,
        (now, slot): (Time, Time),
        origin: Time,
        has_passed: impl Fn(Order) -> bool,
    ) -> bool {
        let is_behind = |place: &Place| {
            let at = place.at.after(origin);
            now > at || (now == at && has_passed(place.order))
        };
        let ((from, until), (first, last)) = (self.comes, self.slots);
        is_behind(&self.behind)
            && !self.before.as_ref().is_some_and(is_behind)
            && from.after(origin) <= now
            && now < until.after(origin)
            && first.after(origin) <= slot
            && slot <= last.after(origin)
    }
}

/// An action of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    Frame(Shape),
    BufferFreed,
}

impl Input {
    pub(super) fn of(frame: Option<(Frame, Option<u8>)>, before: &Frames) -> Self {
        frame.map_or(Self::BufferFreed, |(frame, goes)| Self::Frame(Shape::of(&frame, goes, before)))
    }
}

/// All fields of a frame that a port looks at, packed into one number so that comparing two frames is fast: the first frame of the circuit
/// with its tag, its kind, whether it is the last of its sequence and of its data, and, if the frame goes to a port of the circuit, the
/// number of that port and the length of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape(u64);

impl Shape {
    /// The shape of a frame that comes after the frames `before`, and goes to the port of the circuit with
    /// the number `goes`.
    #[inline]
    pub(super) fn of(frame: &Frame, goes: Option<u8>, before: &Frames) -> Self {
        Self::of_tag(frame, goes, before.number_of_tag(frame.tag).unwrap_or(before.len() as u8))
    }

    /// The shape of a frame, where `tag_of` is the number of the first frame with its tag.
    #[inline]
    pub(super) fn of_tag(frame: &Frame, goes: Option<u8>, tag_of: u8) -> Self {
        let Pdu { kind, payload_bytes, last_of_unit, last_of_data, .. } = frame.pdu;
        let last = u64::from(last_of_unit) << 1 | u64::from(last_of_data);
        let goes = goes.map_or(0, |to| u64::from(payload_bytes) << 32 | u64::from(to) << 24 | 1 << 16);
        Self(goes | last << 17 | u64::from(kind as u8) << 8 | u64::from(tag_of))
    }
}

/// The state in which a circuit begins, which determines the outcome of the circuit.
#[derive(Clone, Debug, Default)]
pub(super) struct CircuitKey {
    /// The ports of the circuit.
    pub(super) ports: PortSet,
    /// The snapshots of the ports of the circuit; entries beyond their number are unused.
    pub(super) standings: [PortSnapshot; Ports::MOST],
    pub(super) count: usize,
    /// The frames of the circuit, each with the queue in which it waits.
    pub(super) shapes: Vec<(u8, Shape)>,
    pub(super) lines: Vec<OnLine>,
}

/// A fill word in flight to a port.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OnLine {
    pub(super) at: RelativeTime,
    pub(super) to: u8,
    pub(super) word: FillWord,
}

/// An item that may still be passing through repeaters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Passing {
    /// The time at which the last word of the frame was sent.
    pub(super) ends: RelativeTime,
    pub(super) length: Span,
    pub(super) from: u8,
    pub(super) to: u8,
}

/// The state of the ports of a circuit, and of everything between the ports, when the circuit is over and only fill words
/// are in flight.
#[derive(Clone, Debug, Default)]
pub(super) struct EndState {
    /// For each port of the circuit, the time at which the first IDLE since the beginning of the circuit
    /// passes.
    pub(super) idles: [RelativeTime; Ports::MOST],
    pub(super) standings: [PortSnapshot; Ports::MOST],
    pub(super) unlocked_at: [RelativeTime; Ports::MOST],
    /// The ports of the circuit that are awake, and those that have lost access.
    pub(super) awake: PortSet,
    pub(super) locked: PortSet,
    /// The frames that have left a queue: the number of the port and the number of the frame.
    pub(super) gone: Vec<(u8, u8)>,
    pub(super) lines: Vec<OnLine>,
    pub(super) passing_until: RelativeTime,
    pub(super) passing: Vec<Passing>,
    /// The fill word on the loop, the number of the port and the time at which its edge came to its end, if all ports are idle.
    pub(super) resting: Option<(FillWord, u8, RelativeTime)>,
}

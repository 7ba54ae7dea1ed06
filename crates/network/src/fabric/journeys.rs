//! The places of the frames of requests in flight, for the ledger.
//!
//! The place of a request is the place of its foremost frame: the frame in flight that left its node first. When the foremost frame has
//! arrived, the next frame is the foremost, wherever it is by then.

use sansim_fc::frame::Frame;
use sansim_kernel::{Span, Time};
use sansim_pdu::Address;
use std::collections::BTreeMap;

/// The number that means no frame.
const NONE: u32 = u32::MAX;

/// A frame in flight, by the number of its journey.
#[derive(Clone, Copy, Debug)]
struct Journey {
    /// The time at which the first word of the frame left its node.
    begun: Time,
    /// The frame of the same request that left next.
    next: u32,
    /// The segment in which the frame is.
    segment: u8,
    /// The number of removals of nodes before the frame left its node.
    removals: u16,
    /// The end of the work of a switch for the frame, if it is known in advance: from then on the frame waits.
    worked_until: Time,
}

/// The frames of a request in flight, in the order in which they left.
#[derive(Clone, Copy, Debug)]
struct Frames {
    first: u32,
    last: u32,
    /// The time since which the first frame is the foremost and in its place.
    since: Time,
    /// Whether the first frame of the request that is still at the node waits for credit.
    waits: bool,
}

/// The state of the other frames of a request when one frame has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherFrames {
    /// The foremost frame of the request is still in flight.
    Before,
    /// The next frame of the request is the foremost now, in this segment.
    At(usize),
    /// No other frame of the request is in flight, and its first frame at the node waits for credit.
    Wait,
    /// No other frame of the request is in flight.
    None,
}

impl Frames {
    const NONE: Self = Self { first: NONE, last: NONE, since: Time::ZERO, waits: false };
}

/// The places of the frames of all requests.
#[derive(Clone, Debug, Default)]
pub struct FrameJourneys {
    journeys: Vec<Journey>,
    /// The frames of each request, by the number of the request.
    frames: Vec<Frames>,
    /// The number of removals of nodes, and for each node that has been removed the number of its last removal.
    removals: u16,
    removed: BTreeMap<Address, u16>,
    /// Whether the frame that has arrived last is outdated.
    is_outdated: bool,
}

impl FrameJourneys {
    /// A frame of a request leaves its node. Returns whether the frame is the foremost of its request.
    pub fn frame_left_node(&mut self, now: Time, request: u32, journey: u32, segment: usize) -> bool {
        let number = journey as usize;
        let begun = Journey {
            begun: now,
            next: NONE,
            segment: segment as u8,
            removals: self.removals,
            worked_until: Time::ZERO,
        };
        if number >= self.journeys.len() {
            self.journeys.resize(number + 1, begun);
        }
        self.journeys[number] = begun;
        let frames = self.of(request);
        if frames.first == NONE {
            (frames.first, frames.last, frames.since) = (journey, journey, now);
            return true;
        }
        let before = std::mem::replace(&mut frames.last, journey);
        self.journeys[before as usize].next = journey;
        false
    }

    fn of(&mut self, request: u32) -> &mut Frames {
        let number = request as usize;
        if number >= self.frames.len() {
            self.frames.resize(number + 1, Frames::NONE);
        }
        &mut self.frames[number]
    }

    /// Whether a frame of a request is in flight.
    pub fn has_frames_in_flight(&self, request: u32) -> bool {
        self.frames.get(request as usize).is_some_and(|frames| frames.first != NONE)
    }

    /// Notes that the first frame of a request at its node waits for credit. Returns whether no frame of the request is in flight.
    pub fn credit_wait_begins(&mut self, request: u32) -> bool {
        let frames = self.of(request);
        frames.waits = true;
        frames.first == NONE
    }

    /// Notes that the first frame of a request at its node has credit.
    pub fn credit_wait_ends(&mut self, request: u32) {
        self.of(request).waits = false;
    }

    /// A frame has reached another segment. Returns whether the frame is the foremost of its request.
    #[inline]
    pub fn frame_advanced(&mut self, now: Time, request: u32, journey: u32, segment: usize) -> bool {
        let of = &mut self.journeys[journey as usize];
        (of.segment, of.worked_until) = (segment as u8, Time::ZERO);
        let frames = &mut self.frames[request as usize];
        let is_foremost = frames.first == journey;
        if is_foremost {
            frames.since = now;
        }
        is_foremost
    }

    /// A frame whose header arrived at a switch before has been routed. Returns the time since which the frame has been the foremost of its
    /// request on its link, if it is the foremost.
    #[inline]
    pub fn frame_served(&mut self, now: Time, request: u32, journey: u32, segment: usize) -> Option<Time> {
        let since = self.frames[request as usize].since;
        self.frame_advanced(now, request, journey, segment).then_some(since)
    }

    /// Notes that a switch works for a frame until this time.
    pub fn switch_works_until(&mut self, journey: u32, until: Time) {
        self.journeys[journey as usize].worked_until = until;
    }

    /// The time for which a switch worked on the foremost frame of a request, since that frame became the foremost or reached its place.
    #[inline]
    pub fn switch_work_time(&self, now: Time, request: u32, journey: u32) -> Span {
        let (until, frames) = (self.journeys[journey as usize].worked_until, &self.frames[request as usize]);
        if frames.first == journey { until.min(now).saturating_since(frames.since) } else { Span::ZERO }
    }

    /// The time that a frame has been in flight.
    pub fn time_in_flight(&self, now: Time, journey: u32) -> Span {
        now.saturating_since(self.journeys[journey as usize].begun)
    }

    /// A node is removed: frames that it has sent, and those for it, are outdated.
    #[cold]
    pub fn node_removed(&mut self, node: Address) {
        self.removals = self.removals.saturating_add(1);
        self.removed.insert(node, self.removals);
    }

    /// A frame of a request has arrived: notes whether its source or its destination has been removed since it left.
    #[inline]
    pub fn frame_arrived(&mut self, journey: u32, frame: &Frame) {
        self.is_outdated = !self.removed.is_empty() && self.left_before_removal(journey, frame);
    }

    #[cold]
    fn left_before_removal(&self, journey: u32, frame: &Frame) -> bool {
        let left_after = self.journeys[journey as usize].removals;
        let ends = [frame.source, frame.destination];
        ends.iter().any(|end| self.removed.get(end).is_some_and(|&removal| removal > left_after))
    }

    /// Whether the frame of a request that has arrived last is outdated; asked once for each frame.
    #[inline]
    pub fn is_outdated(&mut self) -> bool {
        std::mem::take(&mut self.is_outdated)
    }

    /// The segment in which a frame is.
    pub fn frame_segment(&self, journey: u32) -> usize {
        self.journeys[journey as usize].segment.into()
    }

    /// A frame has arrived, or is lost.
    pub fn frame_gone(&mut self, now: Time, request: u32, journey: u32) -> OtherFrames {
        let next = self.journeys[journey as usize].next;
        let frames = &mut self.frames[request as usize];
        if frames.first == journey {
            (frames.first, frames.since) = (next, now);
            return match (next, frames.waits) {
                (NONE, true) => OtherFrames::Wait,
                (NONE, false) => OtherFrames::None,
                _ => OtherFrames::At(self.journeys[next as usize].segment.into()),
            };
        }
        // The frame overtook other frames of its request.
        let mut before = frames.first;
        while self.journeys[before as usize].next != journey {
            before = self.journeys[before as usize].next;
        }
        self.journeys[before as usize].next = next;
        if frames.last == journey {
            frames.last = before;
        }
        OtherFrames::Before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_where_the_foremost_of_its_frames_is() {
        let mut journeys = FrameJourneys::default();
        assert!(journeys.frame_left_node(Time(10), 3, 0, 5));
        assert!(!journeys.frame_left_node(Time(20), 3, 1, 5));
        assert!(journeys.frame_left_node(Time(20), 0, 2, 5), "of another request");
        assert!(journeys.frame_advanced(Time(30), 3, 0, 6) && !journeys.frame_advanced(Time(35), 3, 1, 7));
        assert_eq!(journeys.frame_gone(Time(40), 3, 0), OtherFrames::At(7));
        assert!(journeys.frame_advanced(Time(50), 3, 1, 8));
        assert!(!journeys.credit_wait_begins(3));
        assert_eq!(journeys.frame_gone(Time(60), 3, 1), OtherFrames::Wait);
        journeys.credit_wait_ends(3);
        journeys.frame_left_node(Time(60), 3, 1, 5);
        assert_eq!(journeys.frame_gone(Time(70), 3, 1), OtherFrames::None);
        assert!(
            journeys.credit_wait_begins(3)
                && !journeys.credit_wait_begins(0)
                && journeys.credit_wait_begins(99)
        );
    }

    #[test]
    fn a_frame_that_overtakes_others_leaves_the_foremost_where_it_is() {
        let mut journeys = FrameJourneys::default();
        (0..4).for_each(|journey| {
            journeys.frame_left_node(Time(u64::from(journey)), 0, journey, journey as usize);
        });
        assert_eq!(journeys.frame_gone(Time(9), 0, 3), OtherFrames::Before);
        assert_eq!(journeys.frame_gone(Time(9), 0, 1), OtherFrames::Before);
        assert!(!journeys.frame_left_node(Time(10), 0, 1, 9));
        assert_eq!(journeys.frame_gone(Time(11), 0, 0), OtherFrames::At(2));
        assert_eq!(journeys.frame_gone(Time(12), 0, 2), OtherFrames::At(9));
        assert_eq!(journeys.frame_gone(Time(13), 0, 1), OtherFrames::None);
    }

    #[test]
    fn a_frame_is_outdated_if_one_of_its_ends_was_removed_while_it_was_in_flight() {
        let mut journeys = FrameJourneys::default();
        let frame: Frame = sansim_pdu::Pdu::example().into();
        let sent = |journeys: &mut FrameJourneys, journey: u32| {
            journeys.frame_left_node(Time(u64::from(journey)), 0, journey, 5);
        };
        let arrives = |journeys: &mut FrameJourneys, journey: u32| {
            journeys.frame_arrived(journey, &frame);
            (journeys.is_outdated(), journeys.is_outdated())
        };
        (0..3).for_each(|journey| sent(&mut journeys, journey));
        assert_eq!(arrives(&mut journeys, 0), (false, false));
        journeys.node_removed(Address::new(99));
        assert_eq!(arrives(&mut journeys, 1), (false, false), "of others");
        journeys.node_removed(frame.destination);
        sent(&mut journeys, 3);
        assert_eq!(arrives(&mut journeys, 2), (true, false));
        assert_eq!(arrives(&mut journeys, 3), (false, false), "it left after the removal");
        journeys.node_removed(frame.source);
        assert_eq!(arrives(&mut journeys, 3), (true, false));
    }

    #[test]
    fn what_a_switch_works_counts_from_when_a_frame_is_the_foremost() {
        let mut journeys = FrameJourneys::default();
        journeys.frame_left_node(Time(0), 0, 0, 5);
        journeys.frame_left_node(Time(0), 0, 1, 5);
        journeys.frame_advanced(Time(10), 0, 0, 6);
        journeys.switch_works_until(0, Time(25));
        journeys.frame_advanced(Time(12), 0, 1, 6);
        journeys.switch_works_until(1, Time(40));
        assert_eq!(
            (journeys.switch_work_time(Time(20), 0, 0), journeys.switch_work_time(Time(30), 0, 0)),
            (Span(10), Span(15))
        );
        assert_eq!(journeys.switch_work_time(Time(30), 0, 1), Span::ZERO, "it is not the foremost");
        journeys.frame_gone(Time(30), 0, 0);
        assert_eq!(journeys.switch_work_time(Time(50), 0, 1), Span(10));
    }
}

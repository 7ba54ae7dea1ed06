//! The frames that wait for an output of a switch, in lanes.
//!
//! A lane has frames that came by the same port and channel, have the same paths, and are all control messages or all data. If the first
//! frame of a lane may not leave, the frames behind it may not leave either: they became ready later, and need the same credit. So an
//! arbiter looks at one frame of each lane, however many frames wait. A frame that changed its paths may wait behind a frame that came
//! later than it and is not ready yet: in such a lane the arbiter looks at all frames.

use super::buffered_frame::{BufferedFrame, OutputPaths};
use crate::switch::control::is_control;
use std::collections::VecDeque;

/// The place of a frame among all frames that wait for an output: the number of its request, and the number of its arrival at the switch.
///
/// The two differ where frames of a trunk were routed in another order than that in which they came.
pub type OutputPlace = (u64, u64);

/// The properties that the frames of a lane have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneKey {
    /// The port and the virtual channel by which the frames came.
    pub port: u32,
    pub channel: u8,
    /// The lead port of the trunk of that port; the port itself if it is in no trunk.
    pub lead: u32,
    /// The number of that lead port at its switch.
    pub input: u16,
    /// Whether the frames are control messages.
    pub is_control: bool,
    /// The paths of the frames.
    pub ways: OutputPaths,
}

impl LaneKey {
    /// The lane of a frame that has been routed.
    pub fn of(held: &BufferedFrame, lead: u32, input: u16) -> Self {
        Self {
            port: held.port,
            lead,
            input,
            channel: held.channel,
            is_control: is_control(&held.frame),
            ways: held.ways,
        }
    }
}

/// Frames that wait for an output in order; most lanes have one.
#[derive(Clone, Debug)]
struct Lane {
    key: LaneKey,
    /// Whether a frame waits behind a frame that came later.
    is_mixed: bool,
    first: (OutputPlace, u32),
    others: VecDeque<(OutputPlace, u32)>,
}

impl Lane {
    fn candidate(&self, (place, held): (OutputPlace, u32)) -> Candidate {
        Candidate { held, place, is_control: self.key.is_control, lead: self.key.lead }
    }

    fn frames(&self) -> impl Iterator<Item = (OutputPlace, u32)> {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }
}

/// The frames that wait for an output.
#[derive(Clone, Debug, Default)]
pub struct OutputRequests {
    /// The lanes; those after the first `used` are empty, and are kept to reuse their memory.
    lanes: Vec<Lane>,
    used: usize,
    count: usize,
    /// The number of the next request.
    next: u64,
}

/// A frame that waits for an output.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    pub held: u32,
    pub place: OutputPlace,
    pub is_control: bool,
    /// The lead port of the port by which the frame came.
    pub lead: u32,
}

impl OutputRequests {
    /// Whether no frame waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The number of frames that wait.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether a control message waits.
    pub fn has_control(&self) -> bool {
        self.lanes[..self.used].iter().any(|lane| lane.key.is_control)
    }

    /// The frames of which an arbiter has to look at each: the first of each lane, and those behind it where they do not follow in the order
    /// in which they came, or if they are control messages and the arbiter looks at `all_control`.
    #[inline]
    pub fn candidates(&self, all_control: bool) -> impl Iterator<Item = Candidate> {
        self.lanes[..self.used].iter().flat_map(move |lane| {
            let all = lane.is_mixed || (all_control && lane.key.is_control);
            let behind = lane.others.iter().take(if all { usize::MAX } else { 0 });
            std::iter::once(&lane.first).chain(behind).map(|frame| lane.candidate(*frame))
        })
    }

    /// The first frame of the lane whose input comes first, counted from the input `first` round all ports.
    #[inline]
    pub fn foremost_lane(&self, first: u16) -> Option<Candidate> {
        let mut best: Option<(u16, usize)> = None;
        for (number, lane) in self.lanes[..self.used].iter().enumerate() {
            let rank = lane.key.input.wrapping_sub(first);
            let goes_before = best.is_none_or(|(least, other)| {
                rank < least || (rank == least && lane.first.0 < self.lanes[other].first.0)
            });
            if goes_before {
                best = Some((rank, number));
            }
        }
        best.map(|(_, number)| self.lanes[number].candidate(self.lanes[number].first))
    }

    /// All frames that wait, in the order of their places.
    pub fn in_order(&self) -> Vec<(OutputPlace, u32)> {
        let mut all: Vec<_> = self.lanes[..self.used].iter().flat_map(Lane::frames).collect();
        all.sort_unstable();
        all
    }

    /// A frame waits from now on, behind all others.
    #[inline]
    pub fn push(&mut self, key: LaneKey, arrival: u64, held: u32) {
        let frame = ((self.next, arrival), held);
        self.next += 1;
        self.count += 1;
        match self.lanes[..self.used].iter_mut().find(|lane| lane.key == key) {
            Some(lane) => {
                let (_, last) = lane.others.back().unwrap_or(&lane.first).0;
                lane.is_mixed |= arrival < last;
                lane.others.push_back(frame);
            }
            None => self.begin_lane(key, frame),
        }
    }

    /// A frame waits from now on, at a place of its own.
    #[cold]
    pub fn insert(&mut self, key: LaneKey, place: OutputPlace, held: u32) {
        self.count += 1;
        let mut frame = (place, held);
        let Some(lane) = self.lanes[..self.used].iter_mut().find(|lane| lane.key == key) else {
            self.begin_lane(key, frame);
            return;
        };
        // The frame changed its lane, and may be between frames that came before and after it.
        lane.is_mixed = true;
        if place < lane.first.0 {
            std::mem::swap(&mut lane.first, &mut frame);
        }
        let at = lane.others.partition_point(|&(other, _)| other < frame.0);
        lane.others.insert(at, frame);
    }

    /// Begins a lane with a first frame.
    #[inline]
    fn begin_lane(&mut self, key: LaneKey, first: (OutputPlace, u32)) {
        match self.lanes.get_mut(self.used) {
            Some(lane) => (lane.key, lane.is_mixed, lane.first) = (key, false, first),
            None => self.lanes.push(Lane { key, is_mixed: false, first, others: VecDeque::new() }),
        }
        self.used += 1;
    }

    /// A frame does not wait any more. Returns the place that it had, if it waited.
    #[inline]
    pub fn remove(&mut self, held: u32) -> Option<OutputPlace> {
        let Some(number) = self.lanes[..self.used].iter().position(|lane| lane.first.1 == held) else {
            return self.remove_behind_others(held);
        };
        let lane = &mut self.lanes[number];
        let (place, _) = lane.first;
        self.count -= 1;
        if let Some(next) = lane.others.pop_front() {
            lane.first = next;
            return Some(place);
        }
        self.used -= 1;
        if number != self.used {
            self.lanes.swap(number, self.used);
        }
        Some(place)
    }

    /// A frame that is not the first of its lane does not wait any more. Returns the place that it had, if it waited.
    #[cold]
    fn remove_behind_others(&mut self, held: u32) -> Option<OutputPlace> {
        let place = self.lanes[..self.used].iter_mut().find_map(|lane| {
            let at = lane.others.iter().position(|&(_, other)| other == held)?;
            lane.others.remove(at).map(|(place, _)| place)
        })?;
        self.count -= 1;
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(port: u32) -> LaneKey {
        LaneKey {
            port,
            lead: port,
            input: port as u16,
            channel: 0,
            is_control: false,
            ways: OutputPaths::single_port(9, 0),
        }
    }

    #[test]
    fn each_lane_shows_its_first_frame_and_all_frames_have_one_order() {
        let mut requests = OutputRequests::default();
        for (number, port) in [3, 3, 1, 3, 1].into_iter().enumerate() {
            requests.push(key(port), number as u64, number as u32);
        }
        let heads = |of: &OutputRequests| of.candidates(false).map(|head| head.held).collect::<Vec<_>>();
        assert_eq!((heads(&requests), requests.len()), (vec![0, 2], 5));
        assert_eq!(requests.remove(1), Some((1, 1)));
        assert_eq!(requests.remove(1), None, "it waits no more");
        assert_eq!(requests.remove(0), Some((0, 0)));
        assert_eq!(heads(&requests), [3, 2]);
        assert_eq!(requests.in_order().iter().map(|&(_, held)| held).collect::<Vec<_>>(), [2, 3, 4]);
        requests.remove(3);
        assert_eq!(heads(&requests), [2]);
    }

    #[test]
    fn a_lane_in_which_a_frame_waits_behind_a_later_one_shows_all_its_frames() {
        let mut requests = OutputRequests::default();
        requests.push(key(1), 8, 80);
        requests.push(key(1), 7, 70);
        requests.push(key(2), 9, 90);
        requests.push(key(2), 10, 100);
        let shown: Vec<u32> = requests.candidates(false).map(|of| of.held).collect();
        assert_eq!(shown, [80, 70, 90]);
    }

    #[test]
    fn a_frame_with_a_place_of_its_own_goes_before_frames_that_came_later() {
        let mut requests = OutputRequests::default();
        requests.push(key(1), 7, 70);
        requests.push(key(1), 8, 80);
        requests.insert(key(1), (0, 5), 50);
        requests.insert(key(1), (0, 6), 60);
        let order = requests.in_order();
        assert_eq!(order.iter().map(|&(_, held)| held).collect::<Vec<_>>(), [50, 60, 70, 80]);
        assert_eq!(requests.candidates(false).map(|of| of.held).collect::<Vec<_>>(), [50, 60, 70, 80]);
    }
}

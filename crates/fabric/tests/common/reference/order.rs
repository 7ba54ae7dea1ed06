//! Exchanges keep their order by a log of all frames and of the switches that they passed.

use super::{Named, Reference, Way};
use sansim_fc::frame::Frame;

/// The path of a frame so far, and whether its journey is over.
pub struct Trip {
    frame: Frame,
    pub(super) passed: Vec<(usize, u8, Way)>,
    done: bool,
}

impl Trip {
    fn is_of(&self, frame: &Frame) -> bool {
        self.frame.name() == frame.name()
    }
}

fn same(one: &Frame, other: &Frame) -> bool {
    (one.source, one.destination, one.originator) == (other.source, other.destination, other.originator)
}

impl Reference {
    fn keeps_order(&self) -> bool {
        self.routing.is_adaptive() && self.parameters.in_order || self.parameters.congestion.quarantine
    }

    /// A frame has left its node.
    pub(super) fn sets_out(&mut self, frame: &Frame) {
        self.trips.push(Trip { frame: *frame, passed: Vec::new(), done: false });
    }

    /// A frame leaves a switch by a path: the frames of its exchange that wait with it use the same path.
    pub(super) fn turns(&mut self, frame: &Frame, from: usize, way: Way) {
        let (lead, channel) = (self.ends[from].lead, self.seen(from, frame.name()).channel);
        let trip = self.trips.iter_mut().find(|trip| trip.is_of(frame)).expect("set out");
        trip.passed.push((lead, channel, way));
        if self.keeps_order() {
            self.change_ways(from, channel, frame, &[way]);
        }
    }

    /// The path of the frames of an exchange from the buffers in which this frame waits, if a frame of the exchange that left
    /// these buffers is in flight.
    pub(super) fn kept(&self, frame: &Frame, end: usize) -> Option<Way> {
        if !self.keeps_order() {
            return None;
        }
        let of = || self.trips.iter().filter(|trip| same(&trip.frame, frame));
        let (lead, by) = (self.ends[end].lead, self.seen(end, frame.name()).channel);
        let way = |trip: &Trip| {
            trip.passed.iter().find(|&&(at, channel, _)| (at, channel) == (lead, by)).map(|(_, _, way)| *way)
        };
        of().any(|trip| !trip.done && way(trip).is_some()).then(|| of().filter_map(way).next_back())?
    }

    /// The paths of the frame of the same exchange that waits before this frame.
    pub(super) fn as_before(&self, end: usize, frame: &Frame) -> Option<Vec<Way>> {
        if !self.keeps_order() {
            return None;
        }
        let waiting = self.in_order(end);
        let before = waiting.iter().take_while(|(_, tag)| *tag != frame.name());
        let mut before = before.map(|&(end, tag)| self.seen(end, tag));
        before
            .find(|other| same(&other.frame, frame) && other.routed_at.is_some())
            .map(|other| other.ways.clone())
    }

    /// A frame has arrived or is lost. If it was the first frame of its exchange, the next frame may choose
    /// its path again.
    pub(super) fn finish(&mut self, frame: &Frame) {
        let Some(place) = self.trips.iter().position(|trip| trip.is_of(frame)) else { return };
        let was_first = !self.trips[..place].iter().any(|trip| !trip.done && same(&trip.frame, frame));
        self.trips[place].done = true;
        let next =
            self.trips.iter().find(|trip| !trip.done && same(&trip.frame, frame)).map(|trip| trip.frame);
        let (true, true, Some(next)) = (was_first, self.keeps_order(), next) else { return };
        let waits = |end: &usize| {
            let of = self.ends[*end].buffers.iter().find(|stored| stored.frame.name() == next.name());
            of.is_some_and(|stored| stored.routed_at.is_some() && !stored.leaving)
        };
        if let Some(end) = (0..self.ends.len()).find(waits) {
            let ways = self.allowed(end, &next);
            let channel = self.seen(end, next.name()).channel;
            self.change_ways(end, channel, &next, &ways);
        }
    }

    /// The allowed paths of all frames of an exchange that wait at an input change.
    fn change_ways(&mut self, end: usize, channel: u8, frame: &Frame, ways: &[Way]) {
        for (at, tag) in self.in_order(end) {
            let stored = self.find(at, tag);
            if !same(&stored.frame, frame) || stored.routed_at.is_none() || stored.channel != channel {
                continue;
            }
            stored.ways = ways.to_vec();
            for lead in 0..self.ends.len() {
                let wants = ways.iter().any(|way| way.0 == lead);
                let did = self.ends[lead].wanted.contains(&(at, tag));
                if did && !wants {
                    self.ends[lead].wanted.retain(|other| *other != (at, tag));
                } else if wants && !did {
                    self.ends[lead].wanted.push((at, tag));
                }
            }
            let whole_first = self.is_whole_first(at, ways);
            self.find(at, tag).whole_first |= whole_first;
        }
    }
}

//! Tracks on which no entries may overlap: lanes that entries share, and tracks of jobs whose end is known in
//! advance.

use super::perfetto::{Encoder, Track, TrackEvent, TrackKind};
use super::sheet::end_arguments;
use sansim_kernel::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A track that is described when it is first used, so that no track is empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct LazyTrack(Option<Track>);

impl LazyTrack {
    /// The track, which is described if it has not been used yet.
    pub fn get(&mut self, describe: impl FnOnce() -> Track) -> Track {
        *self.0.get_or_insert_with(describe)
    }
}

/// The number of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LaneNumber(u32);

/// Lanes: as many tracks as there are concurrent entries. Each entry occupies the first free lane alone.
#[derive(Debug)]
pub struct Lanes {
    name: &'static str,
    rank: u32,
    tracks: Vec<Track>,
    free: BinaryHeap<Reverse<LaneNumber>>,
}

impl Lanes {
    /// A group without lanes. The first lane will be named `name 1` and have this rank.
    pub fn new(name: &'static str, rank: u32) -> Self {
        Self { name, rank, tracks: Vec::new(), free: BinaryHeap::new() }
    }

    /// Occupies the first free lane.
    pub fn occupy_lane(&mut self, encoder: &mut Encoder, parent: Track) -> LaneNumber {
        if let Some(Reverse(lane)) = self.free.pop() {
            return lane;
        }
        let lane = LaneNumber(self.tracks.len() as u32);
        let name = format!("{} {}", self.name, lane.0 + 1);
        self.tracks.push(encoder.track(Some(parent), self.rank + lane.0, &name, TrackKind::Slices));
        lane
    }

    /// Frees a lane.
    pub fn free_lane(&mut self, lane: LaneNumber) {
        self.free.push(Reverse(lane));
    }

    /// The track of a lane.
    pub fn track(&self, lane: LaneNumber) -> Track {
        self.tracks[lane.0 as usize]
    }
}

/// A track of jobs, one at a time, whose end is known when they begin.
///
/// The end is written when the next job begins, because the window may close before.
#[derive(Clone, Copy, Debug, Default)]
pub struct JobTrack {
    track: LazyTrack,
    open: Option<(Track, Time)>,
}

impl JobTrack {
    /// A job begins that will be done at `until`.
    pub fn begin(
        &mut self,
        encoder: &mut Encoder,
        now: Time,
        until: Time,
        event: &TrackEvent<'_>,
        describe: impl FnOnce(&mut Encoder) -> Track,
    ) {
        self.end(encoder, now);
        let track = self.track.get(|| describe(encoder));
        encoder.begin(now, track, event);
        self.open = Some((track, until));
    }

    /// Ends the open job: at its end, or now if now is earlier.
    pub fn end(&mut self, encoder: &mut Encoder, now: Time) {
        if let Some((track, until)) = self.open.take() {
            let cut = end_arguments(until > now);
            encoder.end(until.min(now), track, cut);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_free_lane_is_taken_and_there_are_no_more_than_needed() {
        let path = std::env::temp_dir().join(format!("sansim-lanes-{}", std::process::id()));
        let mut encoder = Encoder::create(&path, None).expect("create");
        let group = encoder.track(None, 0, "group", TrackKind::Group);
        let mut lanes = Lanes::new("lane", 0);
        let taken: Vec<LaneNumber> = (0..4).map(|_| lanes.occupy_lane(&mut encoder, group)).collect();
        assert_eq!(taken, [LaneNumber(0), LaneNumber(1), LaneNumber(2), LaneNumber(3)]);
        for lane in [3, 1, 2] {
            lanes.free_lane(LaneNumber(lane));
        }
        let again: Vec<LaneNumber> = (0..4).map(|_| lanes.occupy_lane(&mut encoder, group)).collect();
        assert_eq!(again, [LaneNumber(1), LaneNumber(2), LaneNumber(3), LaneNumber(4)]);
        assert_eq!(lanes.tracks.len(), 5);
        encoder.into_file().finish(true).expect("finish");
        std::fs::remove_file(&path).expect("clean up");
    }
}

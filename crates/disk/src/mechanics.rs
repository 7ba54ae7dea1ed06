//! The mechanics of a disk: the arm, the platters, and blocks that pass under a head.
//!
//! * The arm moves and the head is switched at the same time, so positioning takes the longer of the two; a write that has to position
//!   settles after that. Without a move or switch, positioning takes no time.
//! * After positioning, the disk waits for the first sector, by the angle of the platters.
//! * A transfer over the end of a track positions again, over one head or one cylinder, and waits again: with enough skew hardly at all,
//!   with too little skew a whole revolution.
//! * With zero-latency access a track is read or written from wherever the heads arrive within the requested blocks; the blocks that had
//!   passed before are transferred when they come round.
//!
//! Source: DiskSim 2.0 manual and Ruemmler, Wilkes 1994, as in [`crate::geometry`]; how seek, head switch and write settle add up
//! is as in the disk model of DiskSim 3 (access time type `trackSwitchPlusRotation`).

use crate::geometry::{BlockPosition, DiskGeometry};
use crate::rotation::Rotation;
use crate::seek::SeekCurve;
use sansim_kernel::{Span, Time};

/// The position of the arm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arm {
    /// The cylinder over which the arm is.
    pub cylinder: u32,
    /// The active head.
    pub head: u32,
}

/// Blocks of one track that pass under a head one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackRun {
    /// The first block of the run.
    pub first: u64,
    /// The number of blocks of the run.
    pub blocks: u32,
    /// The time at which the arm is over the track of the run, and has settled.
    pub positioned: Time,
    /// The time at which the first transferred block of the run begins to pass.
    pub begin: Time,
    /// The time at which the last transferred block of the run has passed.
    pub end: Time,
    /// The number of blocks at the beginning of the run that had passed when the heads arrived, and are transferred last: 0 except with
    /// zero-latency access.
    pub late: u32,
    slot: u32,
    sectors: u32,
}

/// The progress of a transfer: the position of the arm, the time, and the next block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferProgress {
    /// The position of the arm.
    pub arm: Arm,
    /// The time from which on the arm may move.
    pub at: Time,
    /// The next block of the transfer.
    pub next: u64,
    /// Whether blocks are written.
    pub write: bool,
}

/// A disk as it is built: everything that does not change while it works.
#[derive(Clone, Debug)]
pub struct Mechanics {
    /// The geometry: where blocks are.
    pub geometry: DiskGeometry,
    /// The seek curve of the arm.
    pub seek: SeekCurve,
    /// The rotation of the platters.
    pub rotation: Rotation,
    /// The time to switch to another head.
    pub head_switch: Span,
    /// The time that a write waits in addition until the head is steady.
    pub write_settle: Span,
    /// Whether a track may be begun in its middle (zero-latency access).
    pub zero_latency: bool,
}

impl Mechanics {
    /// The time until the arm is at a position, with a head switch and write settle where needed.
    #[inline]
    pub fn reposition_time(&self, arm: Arm, to: &BlockPosition, write: bool) -> Span {
        let seek = self.seek.seek_time(arm.cylinder.abs_diff(to.cylinder));
        let switch = if arm.head == to.head { Span::ZERO } else { self.head_switch };
        let moved = seek.max(switch);
        if write && !moved.is_zero() { moved + self.write_settle } else { moved }
    }

    /// The time, from `at` on, until the first block at a position passes under the head: seek and latency.
    #[inline]
    pub fn positioning_time(&self, arm: Arm, at: Time, to: &BlockPosition, write: bool) -> Span {
        let seek = self.reposition_time(arm, to, write);
        seek + self.rotation.wait_for_slot(at + seek, to.slot, to.sectors)
    }

    /// The next run of a transfer of blocks before `end`, with at least one block; `course` is moved behind the run. Nothing of a run is
    /// transferred before `ready`: a write waits over the track for its data.
    #[inline]
    pub fn next_track_run(
        &self,
        course: &mut TransferProgress,
        end: u64,
        ready: Time,
        zero_latency: bool,
    ) -> TrackRun {
        let place = self.geometry.position_of_block(course.next);
        let blocks = u64::from(place.left).min(end - course.next) as u32;
        let positioned = course.at + self.reposition_time(course.arm, &place, course.write);
        let from = positioned.max(ready);
        let BlockPosition { slot, sectors, .. } = place;
        let mut run = TrackRun {
            first: course.next,
            blocks,
            positioned,
            begin: from,
            end: from,
            late: 0,
            slot,
            sectors,
        };
        let passed = if zero_latency { self.passed_by(from, &run) } else { 0 };
        if passed == 0 {
            run.begin = from + self.rotation.wait_for_slot(from, slot, sectors);
            run.end = run.begin + self.rotation.passing_time(slot, blocks, sectors);
        } else {
            run.late = passed;
            run.begin = from + self.rotation.wait_for_slot(from, (slot + passed) % sectors, sectors);
            run.end = run.begin + self.rotation.revolution_time();
        }
        let arm = Arm { cylinder: place.cylinder, head: place.head };
        *course = TransferProgress { arm, at: run.end, next: run.first + u64::from(blocks), ..*course };
        run
    }

    /// The number of blocks of a run that have begun before the heads arrive; 0 if the heads arrive before or after the run.
    fn passed_by(&self, arrived: Time, run: &TrackRun) -> u32 {
        let next = self.rotation.next_slot(arrived, run.sectors);
        let passed = (next + run.sectors - run.slot) % run.sectors;
        if passed < run.blocks { passed } else { 0 }
    }

    /// The time at which the first `count` blocks of a run, at least one, have all been transferred.
    pub fn transfer_end(&self, run: &TrackRun, count: u32) -> Time {
        if run.late == 0 {
            run.begin + self.rotation.passing_time(run.slot, count, run.sectors)
        } else if count >= run.late {
            run.end
        } else {
            run.end - self.rotation.passing_time(run.slot + count, run.late - count, run.sectors)
        }
    }

    /// The number of blocks of a run, from the first block on, that have been transferred at an instant.
    pub fn blocks_transferred_by(&self, run: &TrackRun, now: Time) -> u32 {
        if now >= run.end {
            run.blocks
        } else if run.late > 0 {
            (1..run.late).rev().find(|&count| self.transfer_end(run, count) <= now).unwrap_or(0)
        } else if now <= run.begin {
            0
        } else {
            self.rotation.slots_passed(run.slot, now - run.begin, run.sectors)
        }
    }

    /// The time for `blocks` blocks from `lbn` on without the first seek, where every track is begun at its first sector as soon as it is
    /// reached: the least time of sequential reading.
    pub fn sequential_time(&self, lbn: u64, blocks: u64) -> Span {
        let place = self.geometry.position_of_block(lbn);
        let arm = Arm { cylinder: place.cylinder, head: place.head };
        let begin = Time::ZERO + self.rotation.wait_for_slot(Time::ZERO, place.slot, place.sectors);
        let mut course = TransferProgress { arm, at: begin, next: lbn, write: false };
        let end = (lbn + blocks).min(self.geometry.blocks());
        while course.next < end {
            self.next_track_run(&mut course, end, Time::ZERO, false);
        }
        course.at - begin
    }
}

#[cfg(test)]
mod tests;

//! The mechanics: the arm, the platters, and blocks that pass under a head.
//!
//! * The arm moves and the head is switched at the same time, so positioning takes the longer of the two; a write that has to position settles after
//!   that. Without a move or switch, positioning takes no time.
//! * Then the first sector is waited for, by the angle of the platters.
//! * A transfer over the end of a track positions again, over one head or one cylinder, and waits again: with enough skew hardly at all, with too
//!   little a whole revolution.
//! * With zero-latency access a track is read or written from wherever the heads arrive within the wanted blocks; those that had passed before come
//!   when they come round.
//!
//! Source: DiskSim 2.0 manual and Ruemmler, Wilkes 1994, as in [`crate::geometry`]; how seek, head switch and write settle add up
//! is as in the disk model of DiskSim 3 (access time type `trackSwitchPlusRotation`).

use crate::geometry::{BlockPosition, DiskGeometry};
use crate::rotation::Rotation;
use crate::seek::SeekCurve;
use sansim_kernel::{Span, Time};

/// Where the arm is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arm {
    /// Over which cylinder.
    pub cylinder: u32,
    /// The active head.
    pub head: u32,
}

/// Blocks of one track that pass under a head one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackRun {
    /// The first block, and how many.
    pub first: u64,
    /// See `first`.
    pub blocks: u32,
    /// When the arm is where they are, and has settled.
    pub positioned: Time,
    /// When the first of them that is transferred begins.
    pub begin: Time,
    /// When the last one is over.
    pub end: Time,
    /// How many at the beginning were passed when the heads arrived, and come last: 0 but with zero-latency access.
    pub late: u32,
    slot: u32,
    sectors: u32,
}

/// How far a transfer has come: where it is, since when, and what is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferProgress {
    /// Where the arm is.
    pub arm: Arm,
    /// From when on it may move.
    pub at: Time,
    /// The next block.
    pub next: u64,
    /// Whether blocks are written.
    pub write: bool,
}

/// A disk as it is built: everything that does not change while it works.
#[derive(Clone, Debug)]
pub struct Mechanics {
    /// Where blocks lie.
    pub geometry: DiskGeometry,
    /// How long the arm takes.
    pub seek: SeekCurve,
    /// How the platters turn.
    pub rotation: Rotation,
    /// How long it takes until another head is at work.
    pub head_switch: Span,
    /// How much longer a write takes until the head is steady.
    pub write_settle: Span,
    /// Whether a track may be begun in the middle.
    pub zero_latency: bool,
}

impl Mechanics {
    /// How long it takes until the arm is at a place.
    #[inline]
    pub fn reposition(&self, arm: Arm, to: &BlockPosition, write: bool) -> Span {
        let seek = self.seek.over(arm.cylinder.abs_diff(to.cylinder));
        let switch = if arm.head == to.head { Span::ZERO } else { self.head_switch };
        let moved = seek.max(switch);
        if write && !moved.is_zero() { moved + self.write_settle } else { moved }
    }

    /// How long it takes, from `at` on, until the first block at a place passes under the head: seek and latency.
    #[inline]
    pub fn positioning(&self, arm: Arm, at: Time, to: &BlockPosition, write: bool) -> Span {
        let seek = self.reposition(arm, to, write);
        seek + self.rotation.wait(at + seek, to.slot, to.sectors)
    }

    /// The next run of a transfer of blocks before `end`, of which there is one at least; the course is moved behind it. Nothing is
    /// transferred before `ready`: a write waits for its data over the track.
    #[inline]
    pub fn run(&self, course: &mut TransferProgress, end: u64, ready: Time, zero_latency: bool) -> TrackRun {
        let place = self.geometry.place_of(course.next);
        let blocks = u64::from(place.left).min(end - course.next) as u32;
        let positioned = course.at + self.reposition(course.arm, &place, course.write);
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
            run.begin = from + self.rotation.wait(from, slot, sectors);
            run.end = run.begin + self.rotation.pass(slot, blocks, sectors);
        } else {
            run.late = passed;
            run.begin = from + self.rotation.wait(from, (slot + passed) % sectors, sectors);
            run.end = run.begin + self.rotation.period();
        }
        let arm = Arm { cylinder: place.cylinder, head: place.head };
        *course = TransferProgress { arm, at: run.end, next: run.first + u64::from(blocks), ..*course };
        run
    }

    /// How many blocks of a run have begun before the heads arrive; 0 if they arrive before it or behind it.
    fn passed_by(&self, arrived: Time, run: &TrackRun) -> u32 {
        let next = self.rotation.next_slot(arrived, run.sectors);
        let passed = (next + run.sectors - run.slot) % run.sectors;
        if passed < run.blocks { passed } else { 0 }
    }

    /// When so many blocks of a run, of which there is one at least, have all been transferred.
    pub fn transferred(&self, run: &TrackRun, count: u32) -> Time {
        if run.late == 0 {
            run.begin + self.rotation.pass(run.slot, count, run.sectors)
        } else if count >= run.late {
            run.end
        } else {
            run.end - self.rotation.pass(run.slot + count, run.late - count, run.sectors)
        }
    }

    /// How many blocks of a run, from the first on, have been transferred at an instant.
    pub fn transferred_by(&self, run: &TrackRun, now: Time) -> u32 {
        if now >= run.end {
            run.blocks
        } else if run.late > 0 {
            (1..run.late).rev().find(|&count| self.transferred(run, count) <= now).unwrap_or(0)
        } else if now <= run.begin {
            0
        } else {
            self.rotation.passed(run.slot, now - run.begin, run.sectors)
        }
    }

    /// How long so many blocks from `lbn` on take without the way there, every track begun at its first sector as soon as it is
    /// reached: what sequential reading takes at best.
    pub fn sequential(&self, lbn: u64, blocks: u64) -> Span {
        let place = self.geometry.place_of(lbn);
        let arm = Arm { cylinder: place.cylinder, head: place.head };
        let begin = Time::ZERO + self.rotation.wait(Time::ZERO, place.slot, place.sectors);
        let mut course = TransferProgress { arm, at: begin, next: lbn, write: false };
        let end = (lbn + blocks).min(self.geometry.blocks());
        while course.next < end {
            self.run(&mut course, end, Time::ZERO, false);
        }
        course.at - begin
    }
}

#[cfg(test)]
mod tests;

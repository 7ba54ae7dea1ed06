//! The tape: its position and motion, driven by its outstanding work.
//!
//! The outstanding work (`left`) is, for writes, the bytes in the buffer; for reads, the buffer space for read-ahead. The outstanding work
//! falls while the tape streams, and rises as data come from the host or go to it. When no work is left the tape stops and goes back (a
//! back-hitch), and continues when enough work is outstanding again. The speed of the tape follows the work: of `n` speeds the tape has the
//! `k`th while the level of the buffer is in the `k`th `n`th of it.

use super::parameters::TapeDriveParameters;
use sansim_kernel::{Span, Time, TimeWeighted};

/// The motion of the tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Motion {
    /// The tape is stopped, before the position at which it continues.
    Stands,
    /// Data go to the tape or come from it, at this speed since an instant.
    Streams(u32, Time),
    /// The tape stops and goes back until an instant.
    BackHitch(Time),
    /// The tape winds to a position until an instant.
    Locates(Time),
}

/// The tape of a drive: its position and motion, driven by its outstanding work.
#[derive(Clone, Debug)]
pub(super) struct Reel {
    parameters: TapeDriveParameters,
    motion: Motion,
    /// Whether the tape is being written.
    writes: bool,
    /// The next byte under the heads, and the outstanding work; both as of when the tape began to stream at its present speed, except for
    /// work that came since.
    place: u64,
    left: u64,
    /// All outstanding data are to be written to the tape before anything else.
    flushes: bool,
    pub streaming: TimeWeighted,
    pub locating: TimeWeighted,
    pub back_hitching: TimeWeighted,
    pub back_hitches: u64,
}

impl Reel {
    pub fn new(parameters: &TapeDriveParameters) -> Self {
        // With only one rate there is nothing to choose between speeds.
        let speeds = if parameters.slowest_rate == parameters.rate { 1 } else { parameters.speeds };
        Self {
            parameters: TapeDriveParameters { speeds, ..*parameters },
            motion: Motion::Stands,
            writes: true,
            place: 0,
            left: 0,
            flushes: false,
            streaming: TimeWeighted::new(),
            locating: TimeWeighted::new(),
            back_hitching: TimeWeighted::new(),
            back_hitches: 0,
        }
    }

    pub fn motion(&self) -> Motion {
        self.motion
    }

    fn goes(&mut self, now: Time, motion: Motion) {
        self.motion = motion;
        self.streaming.set(now, u64::from(matches!(motion, Motion::Streams(..))));
        self.locating.set(now, u64::from(matches!(motion, Motion::Locates(_))));
        self.back_hitching.set(now, u64::from(matches!(motion, Motion::BackHitch(_))));
    }

    /// The speed of the tape for this much outstanding work.
    fn speed_for(&self, left: u64) -> u32 {
        let (speeds, buffer) = (u128::from(self.parameters.speeds), u128::from(self.parameters.buffer));
        (u128::from(left) * speeds).div_ceil(buffer).clamp(1, speeds) as u32 - 1
    }

    /// Bytes that have passed the heads at the present speed.
    fn passed(&self, now: Time) -> u64 {
        let Motion::Streams(speed, since) = self.motion else { return 0 };
        let rate = u128::from(self.parameters.rate_of(speed));
        let ticks = u128::from(now.saturating_since(since).ticks());
        let passed = ticks * rate / u128::from(Span::from_s(1).ticks());
        (passed as u64).min(self.left).min(self.parameters.capacity - self.place)
    }

    /// The outstanding work.
    pub fn outstanding_work(&self, now: Time) -> u64 {
        self.left - self.passed(now)
    }

    /// The next byte under the heads.
    pub fn tape_position(&self, now: Time) -> u64 {
        self.place + self.passed(now)
    }

    /// The time at which this many bytes have passed since the tape began to stream at its speed, if it keeps the speed.
    fn when_passed(&self, bytes: u64) -> Option<Time> {
        let Motion::Streams(speed, since) = self.motion else { return None };
        // The time is rounded up, so that all of the bytes have passed at that time.
        let ticks = u128::from(bytes) * u128::from(Span::from_s(1).ticks());
        let ticks = ticks.div_ceil(self.parameters.rate_of(speed).into());
        Some(since + u64::try_from(ticks).map_or(Span::LONGEST, Span).min(Span::LONGEST))
    }

    /// The time at which no more than this much work is left, at the present speed; none if the tape does not stream.
    pub fn time_at_work_left(&self, left: u64) -> Option<Time> {
        self.when_passed(self.left.saturating_sub(left))
    }

    /// The time at which the tape is at a position, at the present speed; none if it does not stream.
    pub fn time_at_position(&self, place: u64) -> Option<Time> {
        self.when_passed(place.saturating_sub(self.place))
    }

    /// The time of the next change of the motion; [`Time::NEVER`] if the tape waits for data or a command.
    pub fn next_motion_change(&self) -> Time {
        match self.motion {
            Motion::Stands => Time::NEVER,
            Motion::BackHitch(until) | Motion::Locates(until) => until,
            Motion::Streams(speed, _) => {
                let (speeds, buffer) =
                    (u128::from(self.parameters.speeds), u128::from(self.parameters.buffer));
                // The most outstanding work at which the next slower speed is enough.
                let least = (u128::from(speed) * buffer / speeds) as u64;
                let ends = (self.left - least.min(self.left)).min(self.parameters.capacity - self.place);
                self.when_passed(ends).unwrap_or(Time::NEVER)
            }
        }
    }

    /// Brings the tape to the present: it may stop, change its speed, or continue.
    pub fn catch_up(&mut self, now: Time) {
        match self.motion {
            Motion::BackHitch(until) | Motion::Locates(until) if until <= now => {
                self.goes(now, Motion::Stands)
            }
            Motion::Streams(speed, _) => {
                let left = self.outstanding_work(now);
                let at_end = self.tape_position(now) == self.parameters.capacity;
                if left == 0 || at_end || self.speed_for(left) != speed {
                    self.place = self.tape_position(now);
                    self.left = left;
                    let motion = if at_end {
                        Motion::Stands
                    } else if left == 0 && self.flushes {
                        // A flush or a command wants the tape at once, so it is stopped without a back-hitch.
                        Motion::Stands
                    } else if left == 0 {
                        self.back_hitches += 1;
                        Motion::BackHitch(now + self.parameters.back_hitch)
                    } else {
                        Motion::Streams(self.speed_for(left), now)
                    };
                    self.goes(now, motion);
                }
            }
            _ => {}
        }
        let buffer = u128::from(self.parameters.buffer);
        let enough = buffer * u128::from(self.parameters.restart.millionths) / 1_000_000;
        if self.flushes || u128::from(self.left) >= enough {
            self.start_tape(now);
        }
    }

    /// Adds this many bytes to the outstanding work: hosts sent them for a write, or fetched them for a read.
    pub fn add_work(&mut self, now: Time, bytes: u64) {
        self.left += bytes;
        self.catch_up(now);
    }

    /// A command waits for the tape: a stopped tape starts without waiting for enough work.
    pub fn start_tape(&mut self, now: Time) {
        if self.motion == Motion::Stands && self.left > 0 && self.place < self.parameters.capacity {
            self.goes(now, Motion::Streams(self.speed_for(self.left), now));
        }
    }

    /// All buffered writes are to go to the tape. Returns whether all written data are on the tape.
    pub fn flush_buffer(&mut self, now: Time) -> bool {
        if !self.writes || self.outstanding_work(now) == 0 {
            return true;
        }
        self.flushes = true;
        self.catch_up(now);
        false
    }

    /// Moves the tape to a position, to be read or written from there on. Read-ahead data are lost when the tape is moved; written data are
    /// on the tape before. A back-hitch ends first.
    pub fn move_tape(&mut self, now: Time, place: u64, writes: bool) {
        let from = if let Motion::BackHitch(until) = self.motion { until.max(now) } else { now };
        let takes = self.parameters.locate_time(self.tape_position(now), place);
        (self.place, self.writes, self.flushes) = (place, writes, false);
        self.left = if writes { 0 } else { self.parameters.buffer };
        self.goes(now, Motion::Locates(from + takes));
        self.catch_up(now);
    }

    /// The content of the buffer is lost.
    pub fn lose_buffer(&mut self, now: Time) {
        self.place = self.tape_position(now);
        (self.left, self.writes, self.flushes) = (0, true, false);
        self.goes(now, Motion::Stands);
    }
}

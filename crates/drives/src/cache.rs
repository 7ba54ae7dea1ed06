//! The cache of a drive: one segment that reads ahead of a sequential reader and takes a writer's data before they are on
//! the medium.
//!
//! The medium reads or writes at its own rate, whatever the host does. When reading, the medium reads ahead of the requested data until the
//! segment is full, and again as soon as data have been sent. When writing, the medium empties the segment while data come in. So a
//! sequential reader finds its data in the segment, and a writer waits only for room.
//!
//! Assumptions: the cache has one segment, so a command that does not follow the command before finds it empty, after the data written
//! before are on the medium; a stopped medium goes on without waiting for a revolution.

use sansim_kernel::{Span, TICKS_PER_NS, Time};
use std::collections::VecDeque;

/// A cache segment in use by one stream. Addresses in the cache are bytes of the drive.
#[derive(Clone, Debug)]
pub struct StreamCacheSegment {
    segment: u64,
    rate: u64,
    /// The direction and first byte of the next command of the stream.
    expects: Option<(bool, u64)>,
    /// When reading: the address up to which the medium had read, and the time at which it had, from which it reads on.
    read: (u64, Time),
    /// When reading: the address before which all data have been sent.
    emptied: u64,
    /// When reading: the address before which all data have been passed on to be sent.
    given: u64,
    /// When writing: the number of bytes that were in the segment at this time, from which on the medium writes them.
    written: (u64, Time),
    /// Whether the medium is reading (ahead).
    reading: bool,
    transferred: Span,
    positioned: Span,
    /// Planned transfers and planned positioning of the medium, for commands that the drive has begun. There are several planned pieces of
    /// work when commands were aborted before the medium got to them.
    ahead: VecDeque<Ahead>,
}

/// Work of the medium whose times are known before the work is done.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    positions: bool,
    from: Time,
    to: Time,
}

impl StreamCacheSegment {
    /// An empty segment of this many bytes, before a medium that moves `rate` bytes per second.
    pub fn new(segment: u64, rate: u64) -> Self {
        Self {
            segment,
            rate,
            expects: None,
            read: (0, Time::ZERO),
            emptied: 0,
            given: 0,
            written: (0, Time::ZERO),
            reading: false,
            transferred: Span::ZERO,
            positioned: Span::ZERO,
            ahead: VecDeque::with_capacity(4),
        }
    }

    fn media_time(&self, bytes: u64) -> Span {
        Span::to_move(bytes, self.rate)
    }

    /// The number of whole bytes that the medium moves in this time.
    fn media_bytes(&self, time: Span) -> u64 {
        let ticks_per_s = u128::from(TICKS_PER_NS) * 1_000_000_000;
        (u128::from(time.ticks()) * u128::from(self.rate) / ticks_per_s) as u64
    }

    /// Begins a command. Returns whether the command continues where the previous command ended; if not, [`Self::position_medium`] has to be
    /// called next.
    pub fn begin_command(&mut self, now: Time, write: bool, from: u64, to: u64) -> bool {
        let follows = self.expects == Some((write, from));
        self.expects = Some((write, to));
        if follows && !write {
            // The end of the last block of the previous command is dropped, if that command did not read the whole block.
            self.empty_up_to(now, from);
        }
        follows
    }

    /// Before the run begins, applies a command that ends at this address, at which the medium is then. After a read the medium reads
    /// ahead.
    pub fn apply_warm_up_access(&mut self, write: bool, to: u64) {
        self.expects = Some((write, to));
        self.reading = !write;
        self.read = (to, Time::ZERO);
        (self.emptied, self.given) = (to, to);
    }

    /// The time at which the medium can be positioned anew, because all buffered writes are on the medium.
    pub fn medium_free_time(&self) -> Time {
        self.written.1 + self.media_time(self.written.0)
    }

    /// Moves the medium to `address`, which takes the time `access` from the time `from` on, or from when the medium is free. At `address`
    /// the medium begins to read, or to write when the first data come. Returns the time at which the medium is positioned.
    pub fn position_medium(
        &mut self,
        now: Time,
        write: bool,
        address: u64,
        from: Time,
        access: Span,
    ) -> Time {
        self.ahead.retain(|work| work.to > now);
        // Buffered data of earlier writes are written before the medium moves.
        let free = self.medium_free_time();
        self.transferred += self.goes_on_until(if self.reading { now } else { now.max(free) });
        if !self.reading {
            self.ahead.push_back(Ahead { positions: false, from: self.written.1, to: free });
        }
        let leaves = from.max(free);
        let at = leaves + access;
        self.positioned += access;
        self.ahead.push_back(Ahead { positions: true, from: leaves, to: at });
        self.reading = !write;
        self.read = (address, at);
        self.emptied = address;
        self.given = address;
        self.written = (0, at);
        at
    }

    /// The time at which the data up to `end` are in the segment; none while it has no space for them.
    pub fn data_ready_time(&self, end: u64) -> Option<Time> {
        (end <= self.emptied + self.segment)
            .then(|| self.read.1 + self.media_time(end.saturating_sub(self.read.0)))
    }

    /// The data up to `end` are passed on to be sent.
    pub fn pass_data_on(&mut self, end: u64) {
        self.given = end;
    }

    /// Notes that the data up to `address` have been sent, which frees their space.
    pub fn data_sent_up_to(&mut self, now: Time, address: u64) {
        // Data of an earlier stream may still be in flight to the host.
        if self.reading && address <= self.given {
            self.empty_up_to(now, address);
        }
    }

    fn empty_up_to(&mut self, now: Time, address: u64) {
        if address <= self.emptied {
            return;
        }
        let limit = self.emptied + self.segment;
        let full_at = self.read.1 + self.media_time(limit.saturating_sub(self.read.0));
        if full_at <= now {
            self.transferred += full_at.saturating_since(self.read.1);
            self.read = (limit, now);
        } else if address > self.read.0 {
            let there = self.read.1 + self.media_time(address - self.read.0);
            self.transferred += there.since(self.read.1);
            self.read = (address, there);
        }
        self.emptied = address;
    }

    /// The drive fails: the medium stops, and the content of the segment is lost.
    pub fn stop_by_failure(&mut self, now: Time) {
        let (transferred, positioned) = (self.transfer_time(now), self.positioning_time(now));
        *self = Self { transferred, positioned, ..Self::new(self.segment, self.rate) };
    }

    /// The command in work ends here, and no later command counts as its continuation.
    pub fn end_command(&mut self) {
        self.expects = None;
    }

    /// The time at which the segment will have space for this many bytes of a write.
    pub fn space_ready_time(&self, bytes: u64) -> Time {
        let too_many = (self.written.0 + bytes).saturating_sub(self.segment);
        if too_many == 0 { Time::ZERO } else { self.written.1 + self.media_time(too_many) }
    }

    /// Notes that this many bytes of a write have arrived.
    pub fn write_data_arrived(&mut self, now: Time, bytes: u64) {
        let (left, since) = self.written;
        let all_at = since + self.media_time(left);
        if all_at <= now {
            self.transferred += all_at.since(since);
            self.written = (bytes, now);
            return;
        }
        let gone = self.media_bytes(now.saturating_since(since)).min(left);
        let took = self.media_time(gone);
        self.transferred += took;
        self.written = (left - gone + bytes, since + took);
    }

    /// The time in which the medium was reading or writing, up to now.
    pub fn transfer_time(&self, now: Time) -> Span {
        self.transferred - self.ahead(now, false) + self.goes_on_until(now)
    }

    /// The time in which the medium was being positioned, up to now.
    pub fn positioning_time(&self, now: Time) -> Span {
        self.positioned - self.ahead(now, true)
    }

    /// The time for which the medium has read ahead, or written the segment, by this time: work without a command.
    fn goes_on_until(&self, time: Time) -> Span {
        let (since, bytes) = if self.reading {
            (self.read.1, (self.emptied + self.segment).saturating_sub(self.read.0))
        } else {
            (self.written.1, self.written.0)
        };
        time.saturating_since(since).min(self.media_time(bytes))
    }

    /// The remaining time of the planned transfers of the medium, or of its planned positioning.
    fn ahead(&self, now: Time, positions: bool) -> Span {
        let these = self.ahead.iter().filter(|work| work.positions == positions);
        these
            .map(|work| work.to.saturating_since(work.from.max(now)))
            .fold(Span::ZERO, |sum, span| sum + span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cache of 100 KB before a medium of 1 byte per us, so that times in us are bytes.
    fn cache() -> StreamCacheSegment {
        StreamCacheSegment::new(100_000, 1_000_000)
    }

    fn us(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    #[test]
    fn reading_ahead_goes_on_until_the_segment_is_full_and_again_when_data_have_been_sent() {
        let mut cache = cache();
        assert!(!cache.begin_command(us(0), false, 5_000, 15_000), "the first command finds nothing");
        assert_eq!(cache.position_medium(us(0), false, 5_000, us(0), Span::from_us(2_000)), us(2_000));
        assert_eq!(cache.data_ready_time(15_000), Some(us(12_000)));
        assert_eq!(cache.data_ready_time(105_001), None, "no room");
        cache.pass_data_on(15_000);
        assert!(cache.begin_command(us(500_000), false, 15_000, 25_000), "it goes on where the first ended");
        assert!(cache.data_ready_time(25_000) <= Some(us(500_000)), "read ahead");
        assert_eq!(cache.data_ready_time(115_000), Some(us(510_000)), "the medium stood still at 105 000");
        assert!(!cache.begin_command(us(600_000), false, 30_000, 40_000), "not where the second ended");
    }

    #[test]
    fn a_segment_that_was_warmed_serves_who_goes_on_there_and_nobody_else() {
        for (write, from, follows) in [(false, 10_000, true), (false, 20_000, false), (true, 10_000, false)] {
            let mut cache = cache();
            cache.apply_warm_up_access(false, 10_000);
            assert_eq!(cache.begin_command(us(0), write, from, from + 5_000), follows);
            if follows {
                assert_eq!(cache.data_ready_time(15_000), Some(us(5_000)), "the medium is there and reads");
            } else {
                assert_eq!(cache.position_medium(us(0), write, from, us(0), Span::from_us(2_000)), us(2_000));
            }
        }
        let mut cache = cache();
        cache.apply_warm_up_access(true, 10_000);
        assert!(cache.begin_command(us(0), true, 10_000, 15_000));
        assert_eq!((cache.space_ready_time(5_000), cache.medium_free_time()), (us(0), us(0)));
    }

    #[test]
    fn data_that_are_sent_before_the_segment_is_full_let_the_medium_go_on_without_a_stop() {
        let mut cache = cache();
        cache.begin_command(us(0), false, 0, 10_000);
        cache.position_medium(us(0), false, 0, us(0), Span::ZERO);
        cache.pass_data_on(10_000);
        cache.data_sent_up_to(us(12_000), 10_000);
        assert_eq!(cache.data_ready_time(110_000), Some(us(110_000)));
        assert_eq!(cache.transfer_time(us(50_000)), Span::from_us(50_000));
        assert_eq!(cache.transfer_time(us(500_000)), Span::from_us(110_000), "full");
    }

    #[test]
    fn a_writer_waits_for_room_only() {
        let mut cache = cache();
        assert!(!cache.begin_command(us(0), true, 0, 90_000));
        cache.position_medium(us(0), true, 0, us(0), Span::from_us(3_000));
        assert_eq!(cache.space_ready_time(90_000), us(0));
        cache.write_data_arrived(us(1_000), 90_000);
        assert_eq!(cache.space_ready_time(10_000), us(0));
        assert_eq!(cache.space_ready_time(40_000), us(33_000), "30 000 bytes must go, from 3 000 on");
        cache.write_data_arrived(us(33_000), 40_000);
        assert_eq!(cache.medium_free_time(), us(133_000));
        assert!(cache.begin_command(us(200_000), true, 90_000, 130_000), "it goes on where the first ended");
        cache.write_data_arrived(us(200_000), 40_000);
        assert_eq!(cache.medium_free_time(), us(240_000));
        assert_eq!(cache.transfer_time(us(300_000)), Span::from_us(170_000));
    }

    #[test]
    fn time_at_work_is_never_told_before_it_has_passed() {
        let mut cache = cache();
        cache.begin_command(us(0), true, 0, 10_000);
        cache.position_medium(us(0), true, 0, us(0), Span::from_us(5_000));
        cache.write_data_arrived(us(1_000), 10_000);
        // The medium is positioned at 5 000, has written at 15 000, and is at the next position at 20 000.
        cache.begin_command(us(2_000), true, 90_000, 91_000);
        assert_eq!(
            cache.position_medium(us(2_000), true, 90_000, us(2_000), Span::from_us(5_000)),
            us(20_000)
        );
        let at = |t| (cache.positioning_time(us(t)), cache.transfer_time(us(t)));
        let spans = |positioning, transferring| (Span::from_us(positioning), Span::from_us(transferring));
        assert_eq!(at(2_000), spans(2_000, 0));
        assert_eq!(at(6_000), spans(5_000, 1_000));
        assert_eq!(at(17_000), spans(7_000, 10_000));
        assert_eq!(at(30_000), spans(10_000, 10_000));
    }

    /// A command that is aborted before the medium gets to it leaves its planned positioning behind, and the next command may do the same.
    #[test]
    fn time_at_work_is_never_told_before_it_has_passed_whatever_commands_are_aborted() {
        let mut cache = cache();
        cache.begin_command(us(0), true, 0, 10_000);
        cache.position_medium(us(0), true, 0, us(0), Span::from_us(5_000));
        cache.write_data_arrived(us(1_000), 10_000);
        // The medium is positioned at 5 000 and has written at 15 000; then it moves to each of three positions.
        for command in 0..3 {
            let from = 90_000 - 10_000 * command;
            cache.begin_command(us(2_000), false, from, from + 1_000);
            let there = cache.position_medium(us(2_000), false, from, us(2_000), Span::from_us(5_000));
            assert_eq!(there, us(20_000 + 5_000 * command));
            cache.end_command();
        }
        let at = |t| (cache.positioning_time(us(t)), cache.transfer_time(us(t)));
        let spans = |positioning, transferring| (Span::from_us(positioning), Span::from_us(transferring));
        assert_eq!(at(2_000), spans(2_000, 0));
        assert_eq!(at(12_000), spans(5_000, 7_000));
        assert_eq!(at(22_000), spans(12_000, 10_000));
        assert_eq!(at(31_000), spans(20_000, 11_000), "it reads where it was sent last");
    }
}

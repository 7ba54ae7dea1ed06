//! Asynchronous mirroring: the writes that the partner does not have yet.
//!
//! * The copies of writes are sent in order, and a copy counts as arrived when all earlier copies have arrived.
//! * A write is answered at once as long as the partner lacks no more answered writes than `lag_writes` and `lag_bytes` allow, including
//!   this one. A write beyond these bounds waits until enough earlier writes have arrived or it has arrived itself: with a bound of 0
//!   mirroring is synchronous.
//! * A block whose copy the partner lacks is not destaged, so the device is never ahead of the partner. The partner therefore never lacks
//!   more writes than may be dirty.
//! * A partner that takes over has a past state: all writes up to a certain write, and none after it. Answered writes that the partner
//!   lacks are lost when it takes over, and counted; unanswered writes are answered with BUSY.
//! * Without its partner the cache writes through, and no write lags.

use super::failures::ALL_THAT_IS_DIRTY;
use super::{DeviceCache, Stage, wake, what};
use sansim_cache::CacheParameters;
use sansim_component::{Context, Module};
use sansim_kernel::{Span, Time};
use sansim_request::{RequestId, Status};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::ops::Range;

/// Whether a write has been answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// The write waits for its answer.
    Waits(RequestId),
    /// The write was answered as done.
    Answered,
    /// The write ended with an error.
    Failed,
}

/// A write that the partner lacks.
#[derive(Clone, Debug)]
struct Copied {
    blocks: Range<u64>,
    bytes: u64,
    known: Known,
    /// Whether the partner has this copy, while it lacks an earlier one.
    is_there: bool,
}

/// The writes of a mirrored cache that the partner does not have yet.
#[derive(Clone, Debug)]
pub(super) struct Lag {
    is_asynchronous: bool,
    writes: u64,
    bytes: u64,
    /// The copies in the order of the writes, and the number of the first copy.
    copies: VecDeque<Copied>,
    first: u32,
    /// For each block, the number of copies that contain it.
    of_block: HashMap<u64, u32>,
    /// The number of copies whose write was answered, and their bytes.
    answered: u64,
    answered_bytes: u64,
    /// Copies on their way to the partner, with the time at which each arrives.
    arriving: VecDeque<(Time, u32)>,
    /// The number of answered writes that were lost.
    pub(super) lost: u64,
}

impl Lag {
    pub(super) fn new(parameters: &CacheParameters) -> Self {
        let write = &parameters.write;
        Self {
            is_asynchronous: write.is_asynchronous(),
            writes: write.lag_writes.unwrap_or(u64::MAX),
            bytes: write.lag_bytes.unwrap_or(u64::MAX),
            copies: VecDeque::with_capacity(if write.is_asynchronous() { 64 } else { 0 }),
            first: 0,
            of_block: HashMap::new(),
            answered: 0,
            answered_bytes: 0,
            arriving: VecDeque::new(),
            lost: 0,
        }
    }

    pub(super) fn is_asynchronous(&self) -> bool {
        self.is_asynchronous
    }

    /// The number of answered writes that the partner lacks.
    pub(super) fn has(&self) -> u32 {
        u32::try_from(self.answered).unwrap_or(u32::MAX)
    }

    /// Whether a write of this many bytes may be answered now.
    fn has_room(&self, bytes: u64) -> bool {
        self.answered < self.writes && self.answered_bytes.saturating_add(bytes) <= self.bytes
    }

    /// The index of a copy, if it has not been dropped.
    fn place(&self, number: u32) -> Option<usize> {
        let place = (number.wrapping_sub(self.first) & !ALL_THAT_IS_DIRTY) as usize;
        (place < self.copies.len()).then_some(place)
    }

    /// The blocks of answered writes that the partner lacks.
    pub(super) fn answered_blocks(&self) -> Vec<Range<u64>> {
        let answered = self.copies.iter().filter(|copy| copy.known == Known::Answered);
        let blocks: BTreeSet<u64> = answered.flat_map(|copy| copy.blocks.clone()).collect();
        blocks.into_iter().map(|block| block..block + 1).collect()
    }

    /// Clears the lag, and returns the copies that it had.
    fn clear(&mut self) -> Vec<Copied> {
        let all: Vec<Copied> = self.copies.drain(..).collect();
        self.first = self.first.wrapping_add(all.len() as u32);
        (self.answered, self.answered_bytes) = (0, 0);
        self.arriving.clear();
        self.of_block.clear();
        all
    }
}

impl DeviceCache {
    /// A write is held in the cache, and its copy is sent.
    pub(super) fn sets_out(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let Some(in_hand) = self.in_hand.get(&id) else { return };
        let blocks = self.cache.blocks_of(&self.bytes_of(in_hand));
        let bytes = in_hand.bytes;
        let number = self.lag.first.wrapping_add(self.lag.copies.len() as u32) & !ALL_THAT_IS_DIRTY;
        for block in blocks.clone() {
            *self.lag.of_block.entry(block).or_default() += 1;
        }
        self.lag.copies.push_back(Copied { blocks, bytes, known: Known::Waits(id), is_there: false });
        self.answers_within_lag(cx);
        if self.inside.has_resources() {
            self.inside.request_own_job(cx, Module::Link, Span::ZERO, bytes, number);
        } else {
            self.copy_is_sent(cx, number);
        }
    }

    /// Handles a copy that has crossed the link, if there is one.
    pub(super) fn copy_is_sent(&mut self, cx: &mut Context<'_>, number: u32) {
        if self.parameters.partner_time == Span::ZERO {
            self.copy_arrives(cx, number);
            return;
        }
        let at = cx.now + self.parameters.partner_time;
        self.lag.arriving.push_back((at, number));
        if self.lag.arriving.len() == 1 {
            wake(cx, at, what::COPY);
        }
    }

    pub(super) fn copy_due(&mut self, cx: &mut Context<'_>) {
        while let Some(&(at, number)) = self.lag.arriving.front() {
            if at > cx.now {
                wake(cx, at, what::COPY);
                return;
            }
            self.lag.arriving.pop_front();
            self.copy_arrives(cx, number);
        }
    }

    /// The partner has a copy. The partner counts as having all writes before the first that it lacks.
    fn copy_arrives(&mut self, cx: &mut Context<'_>, number: u32) {
        let Some(place) = self.lag.place(number) else { return };
        self.lag.copies[place].is_there = true;
        while self.lag.copies.front().is_some_and(|first| first.is_there) {
            let Some(Copied { blocks, bytes, known, .. }) = self.lag.copies.pop_front() else { return };
            self.lag.first = self.lag.first.wrapping_add(1);
            let of_block = &mut self.lag.of_block;
            self.cache.partner_has_copy(blocks, |block| {
                let left = of_block.get(&block).map_or(0, |copies| copies - 1);
                if left == 0 {
                    of_block.remove(&block)
                } else {
                    of_block.insert(block, left)
                };
                left == 0
            });
            self.has_changed = true;
            match known {
                Known::Answered => {
                    self.lag.answered -= 1;
                    self.lag.answered_bytes -= bytes;
                }
                Known::Waits(id) => self.answers_held(cx, id),
                Known::Failed => {}
            }
        }
        self.answers_within_lag(cx);
    }

    fn answers_held(&mut self, cx: &mut Context<'_>, id: RequestId) {
        if self.stage(id) == Some(Stage::Partner) {
            self.answer(cx, id, Status::Good);
        }
    }

    /// Answers waiting writes as far as the lag permits.
    fn answers_within_lag(&mut self, cx: &mut Context<'_>) {
        // The waiting writes are the last copies, in their order.
        let waits = |copy: &Copied| matches!(copy.known, Known::Waits(_));
        let mut place =
            self.lag.copies.len() - self.lag.copies.iter().rev().take_while(|copy| waits(copy)).count();
        while let Some(&Copied { known: Known::Waits(id), bytes, .. }) = self.lag.copies.get(place) {
            if !self.lag.has_room(bytes) {
                return;
            }
            self.lag.copies[place].known = Known::Answered;
            self.lag.answered += 1;
            self.lag.answered_bytes += bytes;
            self.answers_held(cx, id);
            place += 1;
        }
    }

    /// The partner takes over, with the copies that have arrived.
    pub(super) fn partner_lacks(&mut self, cx: &mut Context<'_>) {
        let mut lost = 0;
        for copy in self.lag.clear() {
            match copy.known {
                Known::Answered => lost += 1,
                Known::Waits(id) if self.stage(id) == Some(Stage::Partner) => {
                    self.answer(cx, id, Status::Busy);
                }
                Known::Waits(_) | Known::Failed => {}
            }
        }
        self.lag.lost += lost;
        if lost > 0 {
            let what = format!("{lost} acknowledged writes were lost at {}", cx.now);
            self.failing.losses.push(format!("{what}, as the partner that took over lacked them"));
        }
    }

    /// There is no partner any more: no write waits for a partner.
    pub(super) fn nobody_lags(&mut self, cx: &mut Context<'_>) {
        for copy in self.lag.clear() {
            if let Known::Waits(id) = copy.known {
                self.answers_held(cx, id);
            }
        }
    }

    /// All requests in work have ended with an error; `is_lost` is whether the memory is lost.
    pub(super) fn all_have_failed(&mut self, is_lost: bool) {
        if is_lost {
            self.lag.clear();
        }
        for copy in &mut self.lag.copies {
            if matches!(copy.known, Known::Waits(_)) {
                copy.known = Known::Failed;
            }
        }
    }
}

//! When the frames of one direction of a circuit go out, in closed form.
//!
//! Sources: the rules of `crates/fc/src/loop_port/signalling.rs` and `credit.rs`. A frame follows six words behind the one before, or
//! when its data have been fetched. It needs credit: at first what the receiver announced at login, then an R_RDY each, of which the
//! receiver sends as many as it has buffers, and one more for each frame that it has processed. So frame n goes no earlier than
//! frame n - buffers, by the way round, the time of that frame and that to process it: frames come in blocks of as many as there are
//! buffers, and the blocks in a period that is the greatest of all of these. With `ready_between_frames` the R_RDY for a frame that
//! takes longer than the gap waits for the end of the next.

use sansim_fc::loop_port::fill::IDLES_AFTER_CHANGE;
use sansim_fc::loop_port::signalling::{FILL_BEFORE_READY, FRAME_GAP};
use sansim_kernel::{Span, Time};

/// What the time of a frame depends on beside its length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub word: Span,
    /// One way round.
    pub round: Span,
    /// From a received R_RDY to the frame that waited for it, in whole words.
    pub reaction: Span,
    /// Frames that may go before the first R_RDY.
    pub login: u64,
    /// Buffers of the receiver.
    pub buffers: u64,
    /// Time in which the receiver empties one.
    pub take: Span,
    /// Time in which the sender fetches the data of a full frame.
    pub fetch: Span,
    /// The receiver sends R_RDYs only between frames.
    pub between: bool,
}

/// The frames of one direction of a circuit. See the module text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream {
    rules: Rules,
    /// The next frame goes no earlier.
    pub earliest: Time,
    /// When the first R_RDY is in.
    ready: Time,
    /// Frames sent.
    pub sent: u64,
    /// When the present block began, after which others of its kind may, and how many frames it has.
    block: Time,
    period: Span,
    in_block: u64,
    /// When IDLE is sent before the first frame, of which there are two words at least.
    pub idle: Option<Time>,
}

/// Frames that go one after another: all of the same length, but for the last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub frames: u64,
    first: Time,
    apart: Span,
    /// Frames that the block which had begun has room for; then the begin of the next.
    in_first: u64,
    second: Time,
    buffers: u64,
    period: Span,
    /// From this frame on all are so much later, for the first R_RDY.
    waits: u64,
    wait: Span,
    full: Span,
    last: Span,
}

impl Run {
    /// When a frame begins, by its number.
    pub fn start(&self, frame: u64) -> Time {
        let wait = if frame >= self.waits { self.wait } else { Span::ZERO };
        let at = match frame.checked_sub(self.in_first) {
            None => self.first + self.apart * frame,
            Some(later) => {
                self.second + self.period * (later / self.buffers) + self.apart * (later % self.buffers)
            }
        };
        at + wait
    }

    fn length(&self, frame: u64) -> Span {
        if frame + 1 == self.frames { self.last } else { self.full }
    }

    /// When a frame has been sent.
    pub fn end_of(&self, frame: u64) -> Time {
        self.start(frame) + self.length(frame)
    }

    /// When the last begins.
    pub fn last_start(&self) -> Time {
        self.start(self.frames - 1)
    }

    /// When the last has been sent.
    pub fn end(&self) -> Time {
        self.end_of(self.frames - 1)
    }

    /// When the first begins.
    pub fn begin(&self) -> Time {
        self.start(0)
    }

    /// Time in which frames are sent.
    pub fn carrying(&self) -> Span {
        self.full * (self.frames - 1) + self.last
    }

    fn count(&self, is_past: impl Fn(u64) -> bool) -> u64 {
        let (mut from, mut to) = (0, self.frames);
        while from < to {
            let middle = from.midpoint(to);
            if is_past(middle) { from = middle + 1 } else { to = middle }
        }
        from
    }

    /// Frames that have begun at a time.
    pub fn started_by(&self, now: Time) -> u64 {
        self.count(|frame| self.start(frame) <= now)
    }

    /// Frames that have been sent at a time.
    pub fn sent_by(&self, now: Time) -> u64 {
        self.count(|frame| self.end_of(frame) <= now)
    }

    /// The first time from `at` on at which no frame is being sent.
    pub fn next_gap(&self, at: Time) -> Time {
        match self.started_by(at) {
            0 => at,
            started => at.max(self.end_of(started - 1)),
        }
    }
}

impl Stream {
    /// A direction whose first frame goes no earlier than that; the first R_RDY is in at `ready`.
    pub fn new(rules: Rules, earliest: Time, ready: Time) -> Self {
        Self { rules, earliest, ready, sent: 0, block: earliest, period: Span::ZERO, in_block: 0, idle: None }
    }

    /// Of so many frames the first may go at `now` at the earliest.
    pub fn send(&mut self, now: Time, frames: u64, full: Span, last: Span) -> Run {
        let Rules { word, round, reaction, login, buffers, take, fetch, between } = self.rules;
        let frames = frames.max(1);
        let head = if frames == 1 { last } else { full };
        let apart = (full + word * FRAME_GAP).max(fetch);
        // R_RDY number n is that of frame n, unless that has login credit.
        let waits = login.saturating_sub(self.sent);
        let needs_first = self.sent + waits < buffers && waits < frames;
        let ready = |number: u64| self.ready + word * ((FILL_BEFORE_READY + 1) * number) + reaction;
        let mut first = self.earliest.max(now);
        if needs_first && waits == 0 {
            first = first.max(ready(self.sent));
        }
        let in_first = if self.sent == 0 { buffers } else { buffers - self.in_block };
        if self.sent > 0 && in_first == 0 {
            first = first.max(self.block + self.period);
        }
        if let Some(idle) = self.idle.take()
            && idle < first
        {
            first = first.max(idle + word * IDLES_AFTER_CHANGE);
        }
        let begins_block = self.sent == 0 || in_first == 0;
        let in_first = if in_first == 0 { buffers } else { in_first };
        let turn = round + reaction + head;
        let mut own = turn + take;
        if between && buffers > 1 && take > word * (FRAME_GAP - FILL_BEFORE_READY - 1) {
            own = own.max(apart + turn + word * FILL_BEFORE_READY);
        }
        let own = own.max(take * buffers);
        let (block, period) = if begins_block { (first, own) } else { (self.block, self.period) };
        let second = (first + apart * in_first).max(block + period);
        let mut run = Run {
            frames,
            first,
            apart,
            in_first,
            second,
            buffers,
            period: own.max(apart * buffers),
            waits,
            wait: Span::ZERO,
            full,
            last,
        };
        if needs_first && waits > 0 {
            run.wait = ready(self.sent + waits).saturating_since(run.start(waits));
        }
        self.sent += frames;
        self.earliest = run.end() + word * FRAME_GAP;
        (self.block, self.period, self.in_block) = match frames.checked_sub(in_first) {
            Some(later) if later > 0 => {
                let blocks = (later - 1) / buffers;
                (run.start(in_first + blocks * buffers), own, later - blocks * buffers)
            }
            _ => (block, period, buffers - in_first + frames),
        };
        run
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WORD: Span = Span(10_560);

    fn rules(login: u64, buffers: u64, round: u64, take: u64) -> Rules {
        Rules {
            word: WORD,
            round: WORD * round,
            reaction: WORD,
            login,
            buffers,
            take: WORD * take,
            fetch: Span::ZERO,
            between: false,
        }
    }

    /// Frame by frame, by the rules: what the closed form has to give.
    fn one_by_one(rules: Rules, ready: Time, earliest: Time, lengths: &[Span]) -> Vec<Time> {
        let mut starts: Vec<Time> = Vec::new();
        for (number, &length) in lengths.iter().enumerate() {
            let mut at = match starts.last() {
                None => earliest,
                Some(&last) => last + lengths[number - 1] + WORD * FRAME_GAP,
            };
            let n = number as u64;
            if n >= rules.login && n < rules.buffers {
                at = at.max(ready + WORD * (3 * n) + rules.reaction);
            }
            if n >= rules.buffers {
                let before = number - rules.buffers as usize;
                at = at.max(starts[before] + lengths[before] + rules.round + rules.reaction + rules.take);
            }
            let _ = length;
            starts.push(at);
        }
        starts
    }

    proptest! {
        /// With frames that are processed faster than they come, the blocks are what the rules give for each frame.
        #[test]
        fn the_closed_form_is_what_each_frame_by_itself_gives(
            login in 0u64..4, extra in 0u64..5, round in 2u64..2000, take in 0u64..100, frames in 1u64..60, late in 0u64..3000
        ) {
            let buffers = (login + extra).max(1);
            let rules = rules(login, buffers, round, take);
            let (full, last) = (WORD * 521, WORD * 521);
            let earliest = Time::ZERO + WORD * 7;
            let ready = Time::ZERO + WORD * (7 + late.min(3 * round));
            let lengths = vec![full; frames as usize];
            let starts = one_by_one(rules, ready, earliest, &lengths);
            let mut stream = Stream::new(rules, earliest, ready);
            let run = stream.send(Time::ZERO, frames, full, last);
            let closed: Vec<Time> = (0..frames).map(|frame| run.start(frame)).collect();
            if login == 0 || ready + rules.reaction <= earliest {
                prop_assert_eq!(&closed, &starts);
            }
            // Never earlier than a frame behind the other.
            prop_assert!(closed.windows(2).all(|two| two[1] >= two[0] + full + WORD * FRAME_GAP));
            prop_assert_eq!(run.started_by(run.last_start()), frames);
            prop_assert_eq!(run.sent_by(run.end()), frames);
        }

        /// Cut anywhere, a run is as long as in one piece.
        #[test]
        fn two_runs_are_one(buffers in 1u64..6, round in 2u64..2000, first in 1u64..20, second in 1u64..20) {
            let rules = rules(0, buffers, round, 5);
            let (begin, full) = (Time::ZERO + WORD * 7, WORD * 521);
            let whole = Stream::new(rules, begin, begin).send(begin, first + second, full, full);
            let mut stream = Stream::new(rules, begin, begin);
            stream.send(begin, first, full, full);
            let rest = stream.send(begin, second, full, full);
            prop_assert_eq!(rest.end(), whole.end());
        }
    }
}

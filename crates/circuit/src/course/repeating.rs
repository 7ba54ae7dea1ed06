//! Frames that repeat: what is worked out of them once is so of all that follow.
//!
//! The rules know no time of day. Whether a step waits for another depends on how far apart they are, and the receiver has a slot every word. So if
//! everything that may still be looked at is, some frames later, what it was, only later by one span, and that span is a whole number of words,
//! then in each further *period* of so many frames the same happens, by that span later. A loop that has come to its pace is like that: the link's,
//! the receiver's, or that of R_RDYs on a long way, where frames go in bursts of as many as there are buffers.
//!
//! What may still be looked at is written down in [`Mark`]: how many steps of each kind are known and have passed, and the first that still
//! matters. An R_RDY that has come before the last start never matters again, however long ago that was.

use super::{Along, Course, Gap, Present, Steps};
use sansim_kernel::{Span, Time};

/// Fewer frames than that are not worth the trouble.
const LEAST_FRAMES: u64 = 5;
/// Longer periods are not looked for.
const LONGEST_PERIOD: usize = 32;

/// Where a course is, with all that its future depends on.
#[derive(Clone, Copy, Debug)]
struct Mark {
    starts: usize,
    ends: Recent,
    processed: Recent,
    stored: Recent,
    ready: Recent,
    /// Frames that came in, were processed and stored, and R_RDYs that were sent and came.
    passed: [usize; 5],
    /// R_RDYs that had come when the last frame started.
    came: usize,
    /// Frames that are to be processed before the next R_RDY.
    needed: usize,
    /// The first frame that has not come in before the next R_RDY, where that matters.
    coming_in: usize,
    gap: Gap,
    told_credit: bool,
}

/// Of the steps of a kind those that may still be looked at: from the first of them to as many as are known.
#[derive(Clone, Copy, Debug)]
struct Recent {
    first: usize,
    known: usize,
}

impl Recent {
    fn new(steps: &Steps, first: usize) -> Self {
        // The last one is looked at by the next.
        Self { first: first.min(steps.len().saturating_sub(1)), known: steps.len() }
    }

    /// Whether those of `later`, so many steps on, are these, by that span later.
    fn repeats(&self, later: &Self, steps: &Steps, period: usize, by: Span) -> bool {
        let same = (later.first, later.known) == (self.first + period, self.known + period);
        same && (self.first..self.known).all(|number| steps.at(number + period) == steps.at(number) + by)
    }
}

impl Gap {
    /// Whether another one is the same, by that span later.
    fn repeats(&self, later: &Self, by: Span) -> bool {
        let moved = |at: Option<Time>| at.map(|at| at + by);
        later.until == self.until + by
            && later.empty_at == moved(self.empty_at)
            && later.credit_at == moved(self.credit_at)
    }
}

impl Course {
    /// The period with which frames might repeat, as their last steps look. None if they do not, or too few are left for it to matter.
    pub(super) fn might_repeat(&self, present: &Present, along: &impl Along) -> Option<usize> {
        let credit = self.circuit.receiving.buffers;
        let goes_on = |period: usize, by: Span| {
            self.periods_left(period, by, present, along) * period as u64 >= LEAST_FRAMES
                && [&self.processed, &self.stored].iter().all(|steps| steps.repeated(period) == Some(by))
        };
        // Of frames that come in bursts, as many as there are buffers, those of a burst look alike.
        let single =
            self.starts.repeated(1).filter(|&by| goes_on(1, by) && self.starts.last_are_apart(credit, by));
        if single.is_some() {
            return Some(1);
        }
        let period = Some(credit).filter(|&credit| credit > 1 && credit <= LONGEST_PERIOD)?;
        self.starts.repeated(period).filter(|&by| goes_on(period, by)).map(|_| period)
    }

    /// How many more periods like the last one lie before the present.
    fn periods_left(&self, period: usize, by: Span, present: &Present, along: &impl Along) -> u64 {
        let Some(gap) = &self.gap else { return 0 };
        let time = present.least().min(along.again_before()).saturating_since(gap.until) / by;
        time.min(((self.most - self.starts.len()) / period) as u64)
    }

    /// Works out one more period, between two starts. If everything is then as it was before, by one span later, all further ones are that again.
    pub(super) fn go_on_and_repeat(&mut self, present: &Present, along: &mut impl Along, period: usize) {
        let Some(before) = self.mark() else { return };
        along.mark();
        let upto = self.go_on(present, along, period);
        let Some(after) = self.mark().filter(|_| upto.start < present.start) else { return };
        let by = after.gap.until - before.gap.until;
        if !self.repeats(&before, &after, by) {
            return;
        }
        let times = self.periods_left(period, by, present, along);
        if times > 0 && along.comes_again(times, by, times * period as u64) {
            self.repeat(&after, period, times, by);
        }
    }

    /// Where it is, if that is said by its steps alone and not by what the train began with.
    fn mark(&self) -> Option<Mark> {
        let passed = &self.passed;
        let gap = self.gap?;
        let needed = self.processed_before_ready();
        let came = self.came_at_start()?;
        let waits_for_gaps = self.circuit.receiving.ready_between_frames;
        let coming_in = if waits_for_gaps { self.coming_in } else { passed.ends };
        if self.needs().is_none() || needed == 0 || self.processed.len() == 0 || self.ready.len() == 0 {
            return None;
        }
        let ready_sent = passed.ready.saturating_sub(1).min(came - self.under_way.len());
        Some(Mark {
            starts: self.starts.len(),
            ends: Recent::new(&self.ends, passed.ends.min(coming_in)),
            processed: Recent::new(&self.processed, passed.processed.min(needed - 1)),
            stored: Recent::new(&self.stored, passed.stored),
            ready: Recent::new(&self.ready, ready_sent),
            passed: [passed.ends, passed.processed, passed.stored, passed.ready, passed.ready_came],
            came,
            needed,
            coming_in,
            gap,
            told_credit: self.told_credit,
        })
    }

    /// R_RDYs that had come when the last frame started; none if some that were under way at the begin had not.
    fn came_at_start(&self) -> Option<usize> {
        let start = self.starts.last()?;
        let mut came = self.passed.ready_came.checked_sub(self.under_way.len())?;
        while came > 0 && came > self.ready.forgotten && self.ready.at(came - 1) + self.circuit.back > start {
            came -= 1;
        }
        let all_came = came > 0 || self.under_way.last().is_none_or(|&at| at <= start);
        all_came.then_some(self.under_way.len() + came)
    }

    /// Whether everything is as it was at a mark, only later.
    fn repeats(&self, before: &Mark, after: &Mark, by: Span) -> bool {
        let period = after.starts - before.starts;
        let on = |count: usize| count + period;
        let counts = before.passed.map(on) == after.passed
            && (on(before.came), on(before.needed), on(before.coming_in))
                == (after.came, after.needed, after.coming_in);
        let is_whole = by.ticks().is_multiple_of(self.circuit.word.ticks()) && by > Span::ZERO;
        counts
            && is_whole
            && before.told_credit == after.told_credit
            && before.gap.repeats(&after.gap, by)
            && before.ends.repeats(&after.ends, &self.ends, period, by)
            && before.processed.repeats(&after.processed, &self.processed, period, by)
            && before.stored.repeats(&after.stored, &self.stored, period, by)
            && before.ready.repeats(&after.ready, &self.ready, period, by)
    }

    /// So many further periods have been, each as the last one.
    fn repeat(&mut self, last: &Mark, period: usize, times: u64, by: Span) {
        let (frames, later) = (times as usize * period, by * times);
        // The sender is told of each.
        for _ in 0..frames {
            let before = self.starts.at(self.starts.len() - period);
            self.starts.push(before + by);
        }
        for (steps, from) in [
            (&mut self.ends, last.ends),
            (&mut self.processed, last.processed),
            (&mut self.stored, last.stored),
            (&mut self.ready, last.ready),
        ] {
            // With those by which it will be seen that they repeat.
            steps.forget(from.first.saturating_sub(2 * period));
            steps.move_on(frames, later);
        }
        let passed = &mut self.passed;
        passed.starts += frames;
        passed.repeated += frames;
        for count in [
            &mut passed.ends,
            &mut passed.processed,
            &mut passed.stored,
            &mut passed.ready,
            &mut passed.ready_came,
            &mut self.coming_in,
        ] {
            *count += frames;
        }
        self.came_before = last.came + frames;
        self.gap = self.gap.map(|Gap { until, empty_at, credit_at }| Gap {
            until: until + later,
            empty_at: empty_at.map(|at| at + later),
            credit_at: credit_at.map(|at| at + later),
        });
    }
}

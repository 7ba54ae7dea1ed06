//! The times at which the words of frames leave that were stopped, or are cut through behind one that was.
//!
//! Words of most frames follow one another from the first to the last, and are given by when the last has left. For the others a *course* has the
//! words from which on they do, and when each of those runs begins. It is kept for the buffer out of which they go, and once more for the one into
//! which they come, as the first may be free before the second.

use super::buffered_frame::NONE;
use sansim_kernel::{Span, Time};

/// From this word on they follow one another, until the next run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordRun {
    pub word: u64,
    pub at: Time,
}

/// See the module text.
#[derive(Clone, Debug, Default)]
pub struct Courses {
    /// By the number of the frame in its buffer: the number of the course of its words as they come in, and as they leave.
    comes: Vec<u32>,
    leaves: Vec<u32>,
    courses: Vec<Vec<WordRun>>,
    free: Vec<u32>,
    /// Kept for its memory.
    runs: Vec<WordRun>,
}

/// How words come into a buffer: how long each takes on the link by which they come, and until it could leave.
#[derive(Clone, Copy, Debug)]
pub struct Input {
    pub word: Span,
    pub way: Span,
}

fn of(numbers: &[u32], held: u32) -> Option<usize> {
    numbers.get(held as usize).copied().filter(|&number| number != NONE).map(|number| number as usize)
}

impl Courses {
    /// The runs in which the words of a frame come into its buffer, if they do not come in one.
    pub fn comes(&self, held: u32) -> Option<&[WordRun]> {
        of(&self.comes, held).map(|number| self.courses[number].as_slice())
    }

    /// The runs in which they leave it.
    pub fn leaves(&self, held: u32) -> Option<&[WordRun]> {
        of(&self.leaves, held).map(|number| self.courses[number].as_slice())
    }

    /// The runs in which the words of a frame leave its buffer, to be changed; if they left in one so far, none.
    pub fn leaves_mut(&mut self, held: u32) -> &mut Vec<WordRun> {
        let number = Self::number(&mut self.leaves, &mut self.courses, &mut self.free, held);
        &mut self.courses[number]
    }

    /// The course in which a frame leaves its buffer is the one in which it comes into the next, if it is one.
    pub fn follow(&mut self, held: u32, ahead: u32) {
        let Some(from) = of(&self.leaves, held) else { return };
        let to = Self::number(&mut self.comes, &mut self.courses, &mut self.free, ahead);
        let course = std::mem::take(&mut self.courses[from]);
        self.courses[to].clone_from(&course);
        self.courses[from] = course;
    }

    /// Writes down when words of a frame leave its buffer from one on, that one at a time at the earliest: each when the one before it has left
    /// and it has come in.
    pub fn go_on(&mut self, held: u32, from: u64, at: Time, word: Span, input: Input) {
        let mut runs = std::mem::take(&mut self.runs);
        runs.clear();
        runs.extend_from_slice(self.comes(held).unwrap_or_default());
        let comes = |run: &WordRun, number: u64| run.at + input.word * (number - run.word) + input.way;
        let first = runs.iter().rev().find(|run| run.word <= from).map(|run| comes(run, from));
        let at = first.map_or(at, |first| first.max(at));
        let number = Self::number(&mut self.leaves, &mut self.courses, &mut self.free, held);
        let leaves = &mut self.courses[number];
        let follows = |last: &WordRun, number: u64| last.at + word * (number - last.word);
        if leaves.last().is_none_or(|last| follows(last, from) != at) {
            leaves.push(WordRun { word: from, at });
        }
        for run in runs.iter().filter(|run| run.word > from) {
            let comes_at = comes(run, run.word);
            if leaves.last().is_none_or(|last| follows(last, run.word) < comes_at) {
                leaves.push(WordRun { word: run.word, at: comes_at });
            }
        }
        self.runs = runs;
    }

    /// A buffer is empty.
    pub fn forget(&mut self, held: u32) {
        for numbers in [&mut self.comes, &mut self.leaves] {
            if let Some(number) = of(numbers, held) {
                numbers[held as usize] = NONE;
                self.free.push(number as u32);
            }
        }
    }

    fn number(
        numbers: &mut Vec<u32>,
        courses: &mut Vec<Vec<WordRun>>,
        free: &mut Vec<u32>,
        held: u32,
    ) -> usize {
        if numbers.len() <= held as usize {
            numbers.resize(held as usize + 1, NONE);
        }
        if numbers[held as usize] == NONE {
            let number = free.pop().unwrap_or_else(|| {
                courses.push(Vec::with_capacity(8));
                courses.len() as u32 - 1
            });
            courses[number as usize].clear();
            numbers[held as usize] = number;
        }
        numbers[held as usize] as usize
    }
}

/// When the last of so many words in these runs has left.
pub fn end(runs: &[WordRun], words: u64, word: Span) -> Time {
    runs.last().map_or(Time::NEVER, |run| run.at + word * (words - run.word))
}

/// How many words have begun before a moment.
pub fn begun(runs: &[WordRun], words: u64, word: Span, now: Time) -> u64 {
    let mut count = 0;
    for (place, run) in runs.iter().enumerate() {
        if run.at >= now {
            break;
        }
        let next = runs.get(place + 1).map_or(words, |next| next.word);
        count = (run.word + now.saturating_since(run.at).ticks().div_ceil(word.ticks())).min(next);
    }
    count
}

/// The first moment from then on at which no word is being sent and so many have been: there a frame may be stopped. When the last has left if there
/// is none before.
pub fn boundary(runs: &[WordRun], words: u64, word: Span, least: u64, at: Time) -> Time {
    for (place, run) in runs.iter().enumerate() {
        let next = runs.get(place + 1).map_or(words, |next| next.word);
        let behind = run.word.max(least);
        // A run in which the least number is not reached says nothing yet.
        if behind > next {
            continue;
        }
        let from = at.max(run.at + word * (behind - run.word));
        let sent = from.saturating_since(run.at).ticks().div_ceil(word.ticks());
        let by = run.at + word * sent.min(next - run.word);
        if run.word + sent <= next {
            return by;
        }
        // The moment is after this run, before the next one begins.
        if runs.get(place + 1).is_some_and(|next| at < next.at) {
            return at;
        }
    }
    end(runs, words, word)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORD: Span = Span(4);
    const RUNS: [WordRun; 3] = [
        WordRun { word: 0, at: Time(10) },
        WordRun { word: 3, at: Time(30) },
        WordRun { word: 5, at: Time(38) },
    ];

    /// When each of eight words begins.
    const STARTS: [u64; 8] = [10, 14, 18, 30, 34, 38, 42, 46];

    #[test]
    fn runs_say_what_single_words_do() {
        assert_eq!(end(&RUNS, 8, WORD), Time(50));
        for now in 0..60 {
            let count = STARTS.iter().filter(|&&start| start < now).count() as u64;
            assert_eq!(begun(&RUNS, 8, WORD, Time(now)), count, "at {now}");
            for least in 1..4 {
                let may = |at: u64| {
                    let behind = STARTS.iter().filter(|&&start| start < at).count() as u64 >= least;
                    behind && !STARTS.iter().any(|&start| start < at && at < start + 4)
                };
                let by_words = (now..).find(|&at| may(at)).expect("at the end");
                let expected = if now < 50 { by_words.min(50) } else { 50 };
                assert_eq!(boundary(&RUNS, 8, WORD, least, Time(now)), Time(expected), "from {now}, {least}");
            }
        }
    }

    #[test]
    fn a_course_stays_when_the_buffer_behind_is_empty_and_its_memory_is_used_again() {
        let mut courses = Courses::default();
        courses.leaves_mut(3).extend(RUNS);
        courses.follow(3, 7);
        courses.forget(3);
        assert_eq!((courses.leaves(3), courses.comes(7)), (None, Some(&RUNS[..])));
        courses.leaves_mut(3).push(RUNS[0]);
        courses.forget(7);
        courses.follow(3, 1);
        assert_eq!(courses.comes(1), Some(&RUNS[..1]));
        assert_eq!(courses.courses.len(), 2);
    }
}

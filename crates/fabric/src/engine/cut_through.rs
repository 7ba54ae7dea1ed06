//! The times at which the words of a frame leave if the frame was stopped, or is cut through behind a frame
//! that was stopped.
//!
//! The words of most frames follow one another from the first to the last, so the time at which the last has left gives the times of all.
//! For all other frames a *course* has the words at which a run of consecutive words begins, and the time at which each run begins. The
//! course is kept for the buffer that the words leave, and once more for the buffer into which they come, as the first buffer may be free
//! before the second.

use super::buffered_frame::NONE;
use sansim_kernel::{Span, Time};

/// From this word on the words follow one another, until the next run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordRun {
    pub word: u64,
    pub at: Time,
}

/// The courses of the words of frames.
#[derive(Clone, Debug, Default)]
pub struct WordCourses {
    /// By the number of the frame in its buffer: the number of the course in which its words arrive, and of the course in
    /// which they leave.
    comes: Vec<u32>,
    leaves: Vec<u32>,
    courses: Vec<Vec<WordRun>>,
    free: Vec<u32>,
    /// A vector that is kept to reuse its memory.
    runs: Vec<WordRun>,
}

/// The arrival of words in a buffer: the time of a word on the link, and the time until the word could leave.
#[derive(Clone, Copy, Debug)]
pub struct WordArrival {
    pub word: Span,
    pub way: Span,
}

fn of(numbers: &[u32], held: u32) -> Option<usize> {
    numbers.get(held as usize).copied().filter(|&number| number != NONE).map(|number| number as usize)
}

impl WordCourses {
    /// The runs in which the words of a frame arrive in its buffer, if they do not arrive in one run.
    pub fn arrival_runs(&self, held: u32) -> Option<&[WordRun]> {
        of(&self.comes, held).map(|number| self.courses[number].as_slice())
    }

    /// The runs in which the words of a frame leave its buffer, if they do not leave in one run.
    pub fn departure_runs(&self, held: u32) -> Option<&[WordRun]> {
        of(&self.leaves, held).map(|number| self.courses[number].as_slice())
    }

    /// The runs in which the words of a frame leave its buffer, for changes; empty if they left in one run so
    /// far.
    pub fn departure_runs_mut(&mut self, held: u32) -> &mut Vec<WordRun> {
        let number = Self::number(&mut self.leaves, &mut self.courses, &mut self.free, held);
        &mut self.courses[number]
    }

    /// The course in which a frame leaves its buffer becomes the course in which it arrives in the next
    /// buffer, if it has a course.
    pub fn follow_to_next_buffer(&mut self, held: u32, ahead: u32) {
        let Some(from) = of(&self.leaves, held) else { return };
        let to = Self::number(&mut self.comes, &mut self.courses, &mut self.free, ahead);
        let course = std::mem::take(&mut self.courses[from]);
        self.courses[to].clone_from(&course);
        self.courses[from] = course;
    }

    /// Records the times at which words of a frame leave its buffer from the word `from` on, which leaves at `at` at the earliest: each
    /// word leaves when the word before it has left and it has arrived itself.
    pub fn record_departures(&mut self, held: u32, from: u64, at: Time, word: Span, input: WordArrival) {
        let mut runs = std::mem::take(&mut self.runs);
        runs.clear();
        runs.extend_from_slice(self.arrival_runs(held).unwrap_or_default());
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
    pub fn buffer_emptied(&mut self, held: u32) {
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

/// The time at which the last of the `words` words in these runs has left.
pub fn words_sent_time(runs: &[WordRun], words: u64, word: Span) -> Time {
    runs.last().map_or(Time::NEVER, |run| run.at + word * (words - run.word))
}

/// The number of words that have begun before a moment.
pub fn words_begun(runs: &[WordRun], words: u64, word: Span, now: Time) -> u64 {
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

/// The first moment at or after `at` at which no word is being sent and at least `least` words have been sent: at that moment a frame may
/// be stopped. The result is the time at which the last word has left if there is no such moment before.
pub fn next_word_boundary(runs: &[WordRun], words: u64, word: Span, least: u64, at: Time) -> Time {
    for (place, run) in runs.iter().enumerate() {
        let next = runs.get(place + 1).map_or(words, |next| next.word);
        let behind = run.word.max(least);
        // In a run that does not reach the least number of words the frame may not be stopped.
        if behind > next {
            continue;
        }
        let from = at.max(run.at + word * (behind - run.word));
        let sent = from.saturating_since(run.at).ticks().div_ceil(word.ticks());
        let by = run.at + word * sent.min(next - run.word);
        if run.word + sent <= next {
            return by;
        }
        // The moment is after this run, before the next run begins.
        if runs.get(place + 1).is_some_and(|next| at < next.at) {
            return at;
        }
    }
    words_sent_time(runs, words, word)
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

    /// The times at which each of eight words begins.
    const STARTS: [u64; 8] = [10, 14, 18, 30, 34, 38, 42, 46];

    #[test]
    fn runs_say_what_single_words_do() {
        assert_eq!(words_sent_time(&RUNS, 8, WORD), Time(50));
        for now in 0..60 {
            let count = STARTS.iter().filter(|&&start| start < now).count() as u64;
            assert_eq!(words_begun(&RUNS, 8, WORD, Time(now)), count, "at {now}");
            for least in 1..4 {
                let may = |at: u64| {
                    let behind = STARTS.iter().filter(|&&start| start < at).count() as u64 >= least;
                    behind && !STARTS.iter().any(|&start| start < at && at < start + 4)
                };
                let by_words = (now..).find(|&at| may(at)).expect("at the end");
                let expected = if now < 50 { by_words.min(50) } else { 50 };
                assert_eq!(
                    next_word_boundary(&RUNS, 8, WORD, least, Time(now)),
                    Time(expected),
                    "from {now}, {least}"
                );
            }
        }
    }

    #[test]
    fn a_course_stays_when_the_buffer_behind_is_empty_and_its_memory_is_used_again() {
        let mut courses = WordCourses::default();
        courses.departure_runs_mut(3).extend(RUNS);
        courses.follow_to_next_buffer(3, 7);
        courses.buffer_emptied(3);
        assert_eq!((courses.departure_runs(3), courses.arrival_runs(7)), (None, Some(&RUNS[..])));
        courses.departure_runs_mut(3).push(RUNS[0]);
        courses.buffer_emptied(7);
        courses.follow_to_next_buffer(3, 1);
        assert_eq!(courses.arrival_runs(1), Some(&RUNS[..1]));
        assert_eq!(courses.courses.len(), 2);
    }
}

//! The frames of a known circuit, by number: in the order in which its ports had them, and then as they come.
//!
//! Frames of a sequence that follow each other are one run, however many they are: what is true of its first is so of all, but that they
//! come later in it.

use crate::frame::{Frame, Tag};
use std::collections::VecDeque;

/// Frames by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Frames {
    /// The first of each run.
    firsts: Vec<Frame>,
    /// Its number, and how many they are. None if each is one by itself: then its number is its place.
    runs: Vec<(u8, u8)>,
    count: usize,
}

impl Frames {
    /// As many as numbers can tell apart, with some to spare.
    pub(super) const MOST: usize = 200;

    pub(super) fn clear(&mut self) {
        self.firsts.clear();
        self.runs.clear();
        self.count = 0;
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Puts so many frames behind the others that follow each other.
    #[inline]
    pub(super) fn put(&mut self, first: &Frame, count: usize) {
        if count > 1 || !self.runs.is_empty() {
            self.put_run(count);
        }
        self.firsts.push(*first);
        self.count += count;
    }

    #[inline(never)]
    fn put_run(&mut self, count: usize) {
        let single = self.runs.len()..self.firsts.len();
        self.runs.extend(single.map(|number| (number as u8, 1)));
        self.runs.push((self.count as u8, count as u8));
    }

    /// Whether each is a run by itself.
    #[inline]
    fn are_single(&self) -> bool {
        self.runs.is_empty()
    }

    /// The place of the run of a frame.
    fn place_of(&self, number: u8) -> Option<usize> {
        self.runs.iter().position(|&(first, count)| number.wrapping_sub(first) < count)
    }

    #[inline(always)]
    pub(super) fn get(&self, number: u8) -> Option<Frame> {
        if self.are_single() {
            self.firsts.get(usize::from(number)).copied()
        } else {
            self.get_of_run(number)
        }
    }

    #[inline(never)]
    fn get_of_run(&self, number: u8) -> Option<Frame> {
        let place = self.place_of(number)?;
        let (first, later) = (&self.firsts[place], number - self.runs[place].0);
        Some(if later == 0 { *first } else { first.later(later.into()) })
    }

    /// The tag of a frame.
    pub(super) fn tag(&self, number: u8) -> Option<Tag> {
        let place = if self.are_single() { usize::from(number) } else { self.place_of(number)? };
        self.firsts.get(place).map(|first| first.tag)
    }

    /// Whether the last frames of a queue are so many from this one on, which follow each other.
    fn are_last_of(&self, queue: &VecDeque<Frame>, number: u8, count: u8) -> bool {
        let Some(place) = self.place_of(number) else { return false };
        let ((of_run, all), first) = (self.runs[place], &self.firsts[place]);
        let (before, later) = (queue.len() - usize::from(count), usize::from(number - of_run));
        let last = queue.len() - 1;
        // As in `follow_each_other`.
        usize::from(count) <= usize::from(all) - later
            && follows(first, later, &queue[before])
            && follows(first, later + usize::from(count) - 1, &queue[last])
    }

    /// The number of a frame.
    #[inline]
    pub(super) fn number_of(&self, frame: &Frame) -> Option<u8> {
        if self.are_single() {
            return self.firsts.iter().position(|first| first == frame).map(|place| place as u8);
        }
        self.firsts.iter().zip(&self.runs).find_map(|(first, &(number, count))| {
            let later = frame.sequence_count.wrapping_sub(first.sequence_count);
            let is_in = first.tag == frame.tag && later < u16::from(count);
            (is_in && first.later(later.into()) == *frame).then(|| number + later as u8)
        })
    }

    /// The number of the first frame with a tag.
    #[inline]
    pub(super) fn number_of_tag(&self, tag: Tag) -> Option<u8> {
        let place = self.firsts.iter().position(|first| first.tag == tag)?;
        Some(if self.are_single() { place as u8 } else { self.runs[place].0 })
    }
}

/// How many frames follow each other in a queue from a place on, of which the first is within its sequence, that one included.
#[inline]
pub(super) fn follow_each_other(queue: &VecDeque<Frame>, place: usize) -> usize {
    let (first, left) = (&queue[place], queue.len() - place);
    let follows = |later: usize| queue.get(place + later).is_some_and(|frame| follows(first, later, frame));
    if !follows(1) {
        return 1;
    }
    // Frames of a sequence are in order; so if the last is as far on as there are frames, they are all of it.
    if follows(left - 1) { left } else { (1..left).take_while(|&later| follows(later)).count() + 1 }
}

/// Whether a frame is that so many on in the sequence of the first, and not its last.
#[inline]
fn follows(first: &Frame, later: usize, frame: &Frame) -> bool {
    let count = first.sequence_count.wrapping_add(later as u16);
    let follows = (first.tag, first.kind, first.sequence, count)
        == (frame.tag, frame.kind, frame.sequence, frame.sequence_count)
        && first.payload_bytes == frame.payload_bytes
        && frame.is_within_sequence();
    debug_assert!(!follows || first.later(later) == *frame, "two frames of a sequence differ");
    follows
}

/// Notes the number of the next frame of a queue: in the run of that before, if it follows that.
pub(super) fn note_number(runs: &mut Vec<(u8, u8)>, number: u8) {
    match runs.last_mut() {
        Some((first, count)) if *first + *count == number => *count += 1,
        _ => runs.push((number, 1)),
    }
}

/// Has these frames be in a queue, by runs of numbers. It may have more in front of them.
#[inline]
pub(super) fn put_in_queue(queue: &mut VecDeque<Frame>, runs: &[(u8, u8)], frames: &Frames) {
    if let [(number, count)] = *runs
        && count > 1
        && queue.len() >= usize::from(count)
        && frames.are_last_of(queue, number, count)
    {
        if queue.len() > usize::from(count) {
            queue.drain(..queue.len() - usize::from(count));
        }
        return;
    }
    if !queue.is_empty() {
        queue.clear();
    }
    // One by one, because there is hardly ever any.
    for &(first, count) in runs {
        for number in first..first + count {
            if let Some(frame) = frames.get(number) {
                queue.push_back(frame);
            }
        }
    }
}

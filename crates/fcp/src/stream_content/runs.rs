//! The content of a stream of bytes: zeros, but for runs at some places.

use std::collections::VecDeque;
use std::ops::Range;

/// Bytes at a place of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
struct StreamRun {
    place: u64,
    bytes: Vec<u8>,
}

impl StreamRun {
    fn end(&self) -> u64 {
        self.place + self.bytes.len() as u64
    }
}

/// The runs of a stream, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct StreamRuns(VecDeque<StreamRun>);

impl StreamRuns {
    /// Adds a run behind all others.
    pub(super) fn push(&mut self, place: u64, bytes: Vec<u8>) {
        debug_assert!(self.0.back().is_none_or(|last| last.end() <= place), "runs come in order");
        self.0.push_back(StreamRun { place, bytes });
    }

    /// Forgets the runs that end at a place or before.
    pub(super) fn forget_before(&mut self, place: u64) {
        while self.0.front().is_some_and(|first| first.end() <= place) {
            self.0.pop_front();
        }
    }

    /// Writes the runs within a range of places, each at its distance from the begin of the range.
    pub(super) fn copy(&self, range: Range<u64>, mut write: impl FnMut(usize, &[u8])) {
        let first = self.0.partition_point(|run| run.end() <= range.start);
        for run in self.0.range(first..).take_while(|run| run.place < range.end) {
            let begin = run.place.max(range.start);
            let bytes = (begin - run.place) as usize..(run.end().min(range.end) - run.place) as usize;
            write((begin - range.start) as usize, &run.bytes[bytes]);
        }
    }
}

//! Sequences of requests, each of which begins where the one before ended.

use std::ops::Range;

/// The number of sequences that are followed at a time: the most recent I/Os of bcache (Linux, Documentation/admin-guide/bcache.rst).
const FOLLOWED: usize = 128;

#[derive(Clone, Copy, Debug)]
struct Sequence {
    /// The byte behind the last request.
    next: u64,
    /// The bytes of all requests.
    bytes: u64,
    /// The number of the last request.
    last: u64,
}

/// The sequences of the most recent requests.
#[derive(Clone, Debug)]
pub(super) struct Sequences {
    requests: u64,
    sequences: Vec<Sequence>,
}

impl Sequences {
    pub(super) fn new() -> Self {
        Self { requests: 0, sequences: Vec::with_capacity(FOLLOWED) }
    }

    /// The number of requests up to now.
    pub(super) fn request_count(&self) -> u64 {
        self.requests
    }

    /// Adds a request. Returns the bytes of the sequence that ends with it.
    pub(super) fn add(&mut self, request: &Range<u64>) -> u64 {
        self.requests += 1;
        let (last, bytes) = (self.requests, request.end - request.start);
        let continued = self.sequences.iter_mut().find(|sequence| sequence.next == request.start);
        if let Some(sequence) = continued {
            *sequence = Sequence { next: request.end, bytes: sequence.bytes.saturating_add(bytes), last };
            return sequence.bytes;
        }
        let begun = Sequence { next: request.end, bytes, last };
        if self.sequences.len() < FOLLOWED {
            self.sequences.push(begun);
        } else if let Some(idlest) = self.sequences.iter_mut().min_by_key(|sequence| sequence.last) {
            *idlest = begun;
        }
        bytes
    }
}

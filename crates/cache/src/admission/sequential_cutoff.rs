//! Admission of what is not sequential: a request passes the cache by once the sequence that ends with it is as long as the cutoff.
//!
//! Source: Linux, Documentation/admin-guide/bcache.rst and drivers/md/bcache/request.c: `sequential_cutoff`. bcache also forgets a sequence
//! after five seconds, and adds up what a process has in sequence; a cache without time and processes does neither.

use super::AdmissionRule;
use super::sequences::Sequences;
use sansim_schema::quantities::Size;
use sansim_schema::table;
use std::ops::Range;

table! {
    /// A block of a request that is neither long nor the end of a long sequence, as `sequential_cutoff` of bcache has it.
    #[derive(Copy, Eq)]
    pub struct SequentialCutoffParameters {
        /// The length of a sequence, of one request or of several that follow each other, from which on requests pass the cache by.
        cutoff: u64 = Size::between(1, 1 << 50), default r#""4 MiB""#, source "Linux, Documentation/admin-guide/bcache.rst";
    }
}

/// The admission policy that admits blocks of short sequences.
#[derive(Clone, Debug)]
pub struct SequentialCutoff {
    cutoff: u64,
    sequences: Sequences,
    /// The bytes of the sequence that ends with the last request.
    sequence: u64,
}

impl SequentialCutoff {
    pub(super) fn new(parameters: &SequentialCutoffParameters, _: u32) -> Self {
        Self { cutoff: parameters.cutoff, sequences: Sequences::new(), sequence: 0 }
    }
}

impl AdmissionRule for SequentialCutoff {
    fn request(&mut self, bytes: &Range<u64>, _: bool) {
        self.sequence = self.sequences.add(bytes);
    }

    fn admits(&mut self, _: u64, _: u32) -> bool {
        self.sequence < self.cutoff
    }
}

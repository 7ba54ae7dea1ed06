//! Read-ahead by a rule of the user, which chooses among amounts that double.

use super::ReadAheadRule;
use sansim_rules::rules_of_run::now_ns;
use sansim_rules::{Decider, OwnRule};
use sansim_schema::decision;
use sansim_schema::decision::as_feature;
use std::ops::Range;

decision! {
    /// The choice of the number of blocks behind a read that are fetched ahead of the next reads.
    pub static READ_AHEAD = "read-ahead";
    /// The read.
    common ReadAheadCircumstances {
        /// Reads of the cache up to now, with this one.
        now: "",
        /// First block of the read.
        first: "blocks",
        /// Number of blocks of the read.
        size: "blocks",
        /// 1 if a block of the read was missing, 0 otherwise.
        missed: "",
        /// Reads in order that end with this one, each of which begins where the one before ended; 1 if this one follows none.
        in_order: "",
        /// Blocks behind the read that were fetched ahead for the reads before it.
        ahead: "blocks",
    }
    /// An amount: none, one block, and twice as much each time.
    each AmountFeatures {
        /// Blocks directly behind the read that will be in the cache; those that are missing are fetched.
        blocks: "blocks",
    }
    window 10, order "the smallest", source "ours: up to 256 blocks, which is `most` of \"adaptive\" in blocks of 4 KiB";
    /// The events that a rule of read-ahead may follow.
    events ReadAheadEvent {
        /// A block that was fetched ahead is evicted before it was read.
        Wasted = wasted(block);
    }
}

/// The number of sequences of reads that are followed at a time: the default of `streams` of adaptive read-ahead.
const SEQUENCES: usize = 32;

/// A sequence of reads, each of which begins where the one before ended.
#[derive(Clone, Copy, Debug)]
struct Sequence {
    /// The block behind the last read.
    next: u64,
    /// The block behind those that were fetched ahead.
    upto: u64,
    reads: u64,
    last_read: u64,
}

/// Read-ahead by a rule of the user.
#[derive(Clone, Debug)]
pub struct OwnReadAhead {
    decider: Decider,
    now: u64,
    sequences: Vec<Sequence>,
}

impl OwnReadAhead {
    pub(super) fn new(rule: &OwnRule, _: u64) -> Self {
        Self { decider: Decider::from(rule.clone()), now: 0, sequences: Vec::with_capacity(SEQUENCES) }
    }

    /// The place of the sequence that a read from this block continues, or begins.
    fn sequence(&mut self, first: u64) -> usize {
        let new = Sequence { next: first, upto: first, reads: 0, last_read: self.now };
        if let Some(place) = self.sequences.iter().position(|sequence| sequence.next == first) {
            return place;
        }
        if self.sequences.len() < SEQUENCES {
            self.sequences.push(new);
            return self.sequences.len() - 1;
        }
        let idlest = (0..SEQUENCES).min_by_key(|&place| self.sequences[place].last_read).unwrap_or(0);
        self.sequences[idlest] = new;
        idlest
    }
}

impl ReadAheadRule for OwnReadAhead {
    fn read(&mut self, asked: Range<u64>, missed: bool) -> Range<u64> {
        self.now += 1;
        let place = self.sequence(asked.start);
        let sequence = &mut self.sequences[place];
        (sequence.next, sequence.reads, sequence.last_read) = (asked.end, sequence.reads + 1, self.now);
        let circumstances = ReadAheadCircumstances {
            now: as_feature(self.now),
            first: as_feature(asked.start),
            size: as_feature(asked.end - asked.start),
            missed: missed.into(),
            in_order: as_feature(sequence.reads),
            ahead: as_feature(sequence.upto.saturating_sub(asked.end)),
        };
        // Amounts beyond 2^62 blocks are no numbers of blocks.
        let amounts = self.decider.window().min(64);
        let amount = |place: usize| if place == 0 { 0 } else { 1_u64 << (place - 1) };
        let view = self.decider.view();
        view.begin(&circumstances.values());
        for place in 0..amounts {
            view.add_candidate(&AmountFeatures { blocks: as_feature(amount(place)) }.values());
        }
        let end = asked.end.saturating_add(amount(self.decider.choose(now_ns())));
        sequence.upto = sequence.upto.max(end);
        asked.end..end
    }

    fn wasted(&mut self, block: u64) {
        self.decider.notify(now_ns(), ReadAheadEvent::Wasted as usize, &[as_feature(block)]);
    }
}

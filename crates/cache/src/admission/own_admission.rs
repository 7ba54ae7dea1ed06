//! Admission by a rule of the user.

use super::AdmissionRule;
use super::sequences::Sequences;
use sansim_rules::rules_of_run::now_ns;
use sansim_rules::{Decider, OwnRule};
use sansim_schema::decision;
use sansim_schema::decision::as_feature;
use std::collections::HashMap;
use std::ops::Range;

decision! {
    /// The choice whether a block that was missing comes into a cache.
    pub static ADMISSION = "admission";
    /// The block, the request that accesses it, and the cache.
    common AdmissionCircumstances {
        /// Requests of the cache up to now, with this one.
        now: "",
        /// Number of the block.
        block: "blocks",
        /// 1 if the request writes, 0 if it reads.
        writes: "",
        /// Size of the request.
        size: "bytes",
        /// Size of the request and of those before it, each of which begins where the one before ended.
        sequence: "bytes",
        /// Refusals since the block was refused last; `capacity` if it never was, or longer ago.
        since_refused: "",
        /// Blocks for which the cache has room without evicting another.
        free: "blocks",
        /// Number of blocks that the cache holds.
        capacity: "blocks",
    }
    /// A treatment of the block.
    each TreatmentFeatures {
        /// 0 if the block passes the cache by, 1 if it comes in.
        admit: "",
    }
    /// The events of a cache that a rule of its admission may follow.
    events AdmissionEvent {
        /// A block that a request accesses is in the cache, or being fetched.
        Found = found(block);
        /// A block leaves the cache, because its replacement chose it.
        Evicted = evicted(block);
    }
}

/// Admission by a rule of the user.
#[derive(Clone, Debug)]
pub struct OwnAdmission {
    decider: Decider,
    capacity: u32,
    sequences: Sequences,
    /// The last request: whether it writes, its bytes, and those of its sequence.
    writes: bool,
    size: u64,
    sequence: u64,
    refusals: u64,
    /// Refused blocks, each with the number of its last refusal.
    refused: HashMap<u64, u64>,
}

impl OwnAdmission {
    pub(super) fn new(rule: &OwnRule, capacity: u32) -> Self {
        Self {
            decider: Decider::from(rule.clone()),
            capacity,
            sequences: Sequences::new(),
            writes: false,
            size: 0,
            sequence: 0,
            refusals: 0,
            refused: HashMap::new(),
        }
    }

    /// The refusals since a block was refused last.
    fn since_refused(&self, block: u64) -> u64 {
        let last = self.refused.get(&block);
        last.map_or(self.capacity.into(), |last| (self.refusals - last).min(self.capacity.into()))
    }

    fn refuse(&mut self, block: u64) {
        self.refusals += 1;
        self.refused.insert(block, self.refusals);
        let (now, longest) = (self.refusals, u64::from(self.capacity));
        // Refusals that are longer ago than the features say are forgotten, all at once and seldom.
        if self.refused.len() as u64 > 2 * longest {
            self.refused.retain(|_, last| now - *last < longest);
        }
    }
}

impl AdmissionRule for OwnAdmission {
    fn request(&mut self, bytes: &Range<u64>, writes: bool) {
        self.sequence = self.sequences.add(bytes);
        (self.writes, self.size) = (writes, bytes.end - bytes.start);
    }

    fn found(&mut self, block: u64) {
        self.decider.notify(now_ns(), AdmissionEvent::Found as usize, &[as_feature(block)]);
    }

    fn admits(&mut self, block: u64, free: u32) -> bool {
        let circumstances = AdmissionCircumstances {
            now: as_feature(self.sequences.request_count()),
            block: as_feature(block),
            writes: self.writes.into(),
            size: as_feature(self.size),
            sequence: as_feature(self.sequence),
            since_refused: as_feature(self.since_refused(block)),
            free: free.into(),
            capacity: self.capacity.into(),
        };
        let view = self.decider.view();
        view.begin(&circumstances.values());
        for admit in 0..2 {
            view.add_candidate(&TreatmentFeatures { admit }.values());
        }
        let admits = self.decider.choose(now_ns()) == 1;
        if !admits {
            self.refuse(block);
        }
        admits
    }

    fn evicted(&mut self, block: u64) {
        self.decider.notify(now_ns(), AdmissionEvent::Evicted as usize, &[as_feature(block)]);
    }
}

//! Admission: the choice whether a block that was missing comes into the cache, or passes it by.
//!
//! A policy sees every request, and decides for each missing block of a read, and for each whole missing block of a write that goes through.
//! Blocks of a write that is answered from the cache come in whatever the policy, because the cache has their only copy; so do blocks that
//! are fetched ahead. Each policy is a file in this directory with its keys, and a line in the list below; scenarios name a policy by its
//! word.

mod always;
mod own_admission;
mod second_miss;
mod sequences;
mod sequential_cutoff;

pub use own_admission::ADMISSION;

use sansim_rules::{OwnRule, RuleTable};
use sansim_schema::alternatives;
use std::ops::Range;

/// An admission policy: it decides whether a missing block comes in.
pub trait AdmissionRule {
    /// A request for a range of bytes begins.
    fn request(&mut self, _bytes: &Range<u64>, _writes: bool) {}

    /// A block of the request that began last was found in the cache.
    fn found(&mut self, _block: u64) {}

    /// Whether a missing block of the request that began last comes in. The cache has room for `free` blocks.
    fn admits(&mut self, block: u64, free: u32) -> bool;

    /// A block was evicted to make room.
    fn evicted(&mut self, _block: u64) {}
}

alternatives! {
    /// The blocks that come into the cache when they were missing.
    pub enum AdmissionPolicy by "policy", default "always", source "ours: a cache that keeps what was accessed last",
    or Own(OwnRule => own_admission::OwnAdmission) = (RuleTable(&ADMISSION)) {
        Always(always::AlwaysParameters => always::Always) = "always",
        SecondMiss(second_miss::SecondMissParameters => second_miss::SecondMiss) = "second-miss",
        SequentialCutoff(sequential_cutoff::SequentialCutoffParameters => sequential_cutoff::SequentialCutoff) = "sequential-cutoff",
    }
    /// One of the policies, with what it remembers.
    pub enum AnyAdmission: AdmissionRule {
        fn request(&mut self, bytes: &Range<u64>, writes: bool);
        fn found(&mut self, block: u64);
        fn admits(&mut self, block: u64, free: u32) -> bool;
        fn evicted(&mut self, block: u64);
    }
    /// A policy of this kind that has seen nothing yet, for a cache of so many blocks.
    pub fn admission(capacity: u32);
}

impl AdmissionPolicy {
    /// Whether it is a rule of the user.
    pub fn is_own(&self) -> bool {
        matches!(self, Self::Own(_))
    }
}

impl AnyAdmission {
    /// Whether the policy may ever refuse a block. One that never does is not asked.
    #[inline]
    pub fn ever_refuses(&self) -> bool {
        !matches!(self, Self::Always(_))
    }

    /// Whether the policy takes notice of blocks that are found, and of those that are evicted.
    #[inline]
    pub(crate) fn follows_content(&self) -> bool {
        matches!(self, Self::Own(_))
    }
}

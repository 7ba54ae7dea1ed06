//! Read-ahead: the blocks that are fetched before a request asks for them.
//!
//! A policy sees every read, and returns the blocks that should be in the cache after the read; missing blocks among them are fetched. Each
//! policy is a file in this directory with its keys, and a line in the list below; scenarios name a policy by its word.

mod adaptive;
mod fixed;
mod none;
mod own_read_ahead;
mod stripe_unit;

pub use own_read_ahead::READ_AHEAD;

use sansim_rules::{OwnRule, RuleTable};
use sansim_schema::alternatives;
use std::ops::Range;

/// A read-ahead policy: it returns the blocks to be fetched ahead.
pub trait ReadAheadRule {
    /// The blocks `asked` are read; `missed` is whether one of them was missing. Returns the blocks that should be in the cache afterwards;
    /// an empty range if nothing is fetched ahead.
    fn read(&mut self, asked: Range<u64>, missed: bool) -> Range<u64>;

    /// A prefetched block was evicted before it was read.
    fn wasted(&mut self, _block: u64) {}
}

alternatives! {
    /// The blocks that are fetched ahead of reads.
    pub enum ReadAheadPolicy by "policy", default "none", source "none",
    or Own(OwnRule => own_read_ahead::OwnReadAhead) = (RuleTable(&READ_AHEAD)) {
        None(none::NoneParameters => none::None) = "none",
        Fixed(fixed::FixedReadAheadParameters => fixed::FixedReadAhead) = "fixed",
        Adaptive(adaptive::AdaptiveParameters => adaptive::AdaptiveReadAhead) = "adaptive",
        StripeUnit(stripe_unit::StripeUnitParameters => stripe_unit::StripeUnitReadAhead) = "stripe-unit",
    }
    /// One of the policies, with what it remembers.
    pub enum AnyReadAhead: ReadAheadRule {
        fn read(&mut self, asked: Range<u64>, missed: bool) -> Range<u64>;
        fn wasted(&mut self, block: u64);
    }
    /// A policy of this kind that has seen nothing yet, for blocks of so many bytes.
    pub fn read_ahead(block_bytes: u64);
}

impl ReadAheadPolicy {
    /// Whether it is a rule of the user.
    pub fn is_own(&self) -> bool {
        matches!(self, Self::Own(_))
    }
}

impl AnyReadAhead {
    /// Whether the policy ever fetches blocks ahead.
    #[inline]
    pub fn ever_fetches_ahead(&self) -> bool {
        !matches!(self, Self::None(_))
    }
}

/// The number of blocks for this many bytes, at least one.
fn blocks(bytes: u64, block_bytes: u64) -> u64 {
    bytes.div_ceil(block_bytes).max(1)
}

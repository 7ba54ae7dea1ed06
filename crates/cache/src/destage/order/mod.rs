//! The order of destaging: which stripe is destaged first. The unit of destaging is a stripe, with all its dirty blocks. Each order is a
//! file in this directory with its keys, and a line in the list below.

mod c_look;
mod least_recently_written;
mod oldest;
mod own_order;
mod whole_stripes;

pub use own_order::DESTAGE;

use sansim_rules::{OwnRule, RuleTable};
use sansim_schema::alternatives;

/// The rank of a stripe; the stripe of the least rank is destaged first.
pub type StripeRank = (u64, u64);

/// The properties by which a policy ranks a stripe with blocks to destage.
#[derive(Clone, Copy, Debug)]
pub struct DestageCandidate {
    /// The number of the stripe, which grows with addresses.
    pub number: u64,
    /// The number of blocks of the stripe that can be destaged.
    pub ready: u32,
    /// The number of blocks of the stripe.
    pub blocks: u32,
    /// A count that grows with every write.
    pub now: u64,
    /// The rank of the stripe up to now; none if it becomes a candidate now.
    pub before: Option<StripeRank>,
}

/// An order of destaging: it ranks the stripes.
pub trait DestageOrderRule {
    /// The rank of a stripe: queried when one of its blocks was written, or can be destaged, or can no longer be.
    fn rank(&mut self, candidate: DestageCandidate) -> StripeRank;

    /// The stripe with this number and rank is destaged.
    fn took(&mut self, _number: u64, _rank: StripeRank) {}

    /// The most stripes of the least ranks among which [`Self::choose`] chooses; none if the stripe of the least rank is destaged.
    fn window(&self) -> Option<usize> {
        None
    }

    /// The index of the stripe that is destaged next.
    fn choose(&mut self, _candidates: &[DestageCandidate]) -> usize {
        0
    }
}

alternatives! {
    /// The order in which dirty blocks are destaged.
    pub enum DestageOrder by "first", default "oldest", source "ours: the order in which data became dirty favours no request",
    or Own(OwnRule => own_order::OwnDestageOrder) = (RuleTable(&DESTAGE)) {
        Oldest(oldest::OldestFirst) = "oldest",
        LeastRecentlyWritten(least_recently_written::LeastRecentlyWritten) = "least-recently-written",
        CLook(c_look::CLookParameters => c_look::CLookDestage) = "c-look",
        WholeStripes(whole_stripes::WholeStripes) = "whole-stripes",
    }
    /// One of the policies, with what it remembers.
    pub enum AnyDestageOrder: DestageOrderRule {
        fn rank(&mut self, candidate: DestageCandidate) -> StripeRank;
        fn took(&mut self, number: u64, rank: StripeRank);
        #[inline]
        fn window(&self) -> Option<usize>;
        fn choose(&mut self, candidates: &[DestageCandidate]) -> usize;
    }
    /// A policy of this kind that has seen nothing yet.
    pub fn order();
}

impl DestageOrder {
    /// Whether it is a rule of the user.
    pub fn is_own(&self) -> bool {
        matches!(self, Self::Own(_))
    }
}

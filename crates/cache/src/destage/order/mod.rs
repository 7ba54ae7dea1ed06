//! The order of destaging. The unit is a stripe, with all its dirty blocks. Each policy is a file here with its keys, and a line in the list below.

mod c_look;
mod least_recently_written;
mod oldest;
mod whole_stripes;

use sansim_schema::alternatives;

/// The stripe of the least rank goes first.
pub type Rank = (u64, u64);

/// The properties by which a policy ranks a stripe with blocks to destage.
#[derive(Clone, Copy, Debug)]
pub struct DestageCandidate {
    /// Its number, which grows with addresses.
    pub number: u64,
    /// How many of its blocks can be destaged.
    pub ready: u32,
    /// How many blocks it has.
    pub blocks: u32,
    /// Grows with every write.
    pub now: u64,
    /// Its rank up to now; none if it is a candidate from now on.
    pub before: Option<Rank>,
}

/// Says what is destaged first.
pub trait DestageOrderRule {
    /// The rank of a stripe: asked when one of its blocks was written, or may be destaged, or may no longer.
    fn rank(&mut self, candidate: DestageCandidate) -> Rank;

    /// The stripe of this number and rank is destaged.
    fn took(&mut self, _number: u64, _rank: Rank) {}
}

alternatives! {
    /// The order in which dirty blocks are destaged.
    pub enum DestageOrder by "first", default "oldest", source "ours: the order in which data became dirty favours no request" {
        Oldest(oldest::OldestFirst) = "oldest",
        LeastRecentlyWritten(least_recently_written::LeastRecentlyWritten) = "least-recently-written",
        CLook(c_look::CLookParameters => c_look::CLookDestage) = "c-look",
        WholeStripes(whole_stripes::WholeStripes) = "whole-stripes",
    }
    /// One of the policies, with what it remembers.
    pub enum AnyOrder: DestageOrderRule {
        fn rank(&mut self, candidate: DestageCandidate) -> Rank;
        fn took(&mut self, number: u64, rank: Rank);
    }
    /// A policy of this kind that has seen nothing yet.
    pub fn order();
}

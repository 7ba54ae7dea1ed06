//! How long arrays keep what they are given: by formula, and by simulating failures and rebuilds alone.
//!
//! Times are hours: lives of drives are longer than simulated time reaches.

mod formula;
mod simulation;

pub use formula::{
    classic_mttdl_h, declustered_rebuild_h, exact_mttdl_h, raid5_with_sector_errors_h, several_groups_h,
};
pub use simulation::{LifeTimes, Lives, RebuildTimes, TooRare, simulate_mttdl_h};

/// What reliability depends on of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Redundancy {
    /// Members that may stand in for each other.
    pub members: u32,
    /// How many of them may be failed at a time: 0 of RAID 0, 1 of RAID 5, n - 1 of n copies.
    pub stands: u32,
}

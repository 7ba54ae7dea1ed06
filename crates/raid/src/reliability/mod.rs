//! The reliability of arrays: by formula, and by simulating failures and rebuilds alone.
//!
//! Times are in hours: lives of drives are longer than simulated time can represent. Losses that are frequent enough are simulated one
//! after the other ([`simulate_mttdl_h`]), for lives of any distribution; rare losses are simulated in cycles in which failures are made
//! likely ([`rare_mttdl_h`]), for exponential lives, including arrays of arrays.

mod formula;
mod hours;
mod nest;
mod rare;
mod simulation;

pub use formula::{
    classic_mttdl_h, declustered_rebuild_h, exact_mttdl_from_h, exact_mttdl_h, mttdl_of_groups_h,
    raid5_with_sector_errors_h,
};
pub use hours::{LifeTimes, RebuildTimes};
pub use nest::NestLevel;
pub use rare::{Nested, RareLoss, rare_mttdl_h};
pub use simulation::{LifeSimulation, TooRare, simulate_mttdl_h};

/// The properties of an array that determine its reliability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Redundancy {
    /// The number of members that may replace each other's content.
    pub members: u32,
    /// The number of members that may be failed at a time: 0 for RAID 0, 1 for RAID 5, n - 1 for n copies.
    pub stands: u32,
}

//! Arrays of disks: the positions of their data, the accesses of a read, a write or a rebuild, and their mean time to data loss.
//!
//! | module | what it gives |
//! | --- | --- |
//! | [`layout`] | where each unit of a level lies: a file for each level, [`ArrayLayout`] in bytes |
//! | [`health`] | which members work, and where the content of the others is: [`Health`] |
//! | [`plan`] | a read, a write, a rebuild, a scrub as a graph of accesses and calculations: [`RequestPlan`] |
//! | [`array`](mod@array) | layout and health together, which make plans: [`Array`] |
//! | [`agreement`] | which checks are what their data say, and which are not since a write was cut off: [`Agreement`] |
//! | [`sweep`] | the order in which a rebuild or a scrub goes through an array: [`NumberSweep`] |
//! | [`volume`] | volumes on one or several arrays: [`VolumePool`], [`Volume`] |
//! | [`analysis`] | what theory says of arrays: loads, fork-join, striping units |
//! | [`reliability`] | mean time to data loss, by formula and by simulation |
//!
//! Nothing in this crate knows time, requests or components. A member is anything that holds bytes at offsets: a drive, or another array.

#![forbid(unsafe_code)]

pub mod agreement;
pub mod analysis;
pub mod array;
pub mod health;
pub mod layout;
pub mod plan;
pub mod reliability;
pub mod sweep;
pub mod thin;
pub mod volume;

pub use agreement::{Agreement, RecoveredUnit};
pub use array::{Array, ArrayParameters, NoPlan, WriteRule};
pub use health::{Health, MemberState};
pub use layout::{ArrayLayout, LayoutError, LevelParameters};
pub use plan::{PlanContext, PlanOperation, PlanStep, RequestPlan};
pub use sweep::NumberSweep;
pub use thin::{ThinPool, ThinVolumeParameters};
pub use volume::{Volume, VolumePool};

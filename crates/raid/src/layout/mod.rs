//! Layouts of arrays: the member of each unit of a stripe.
//!
//! The members are cut into *rows* of one stripe unit each. Data are divided into stripe units as well; a number of stripe units with their
//! redundancy form a *stripe*. A stripe has *positions*: first its data units in logical order, then its checks, which are copies, or P, or
//! P and Q. A level maps each position of each stripe to a *slot*, a row of a member, and back.
//!
//! Each level is a file in this directory with its keys, and a line in the list below; scenarios name a level by its word. Nested arrays
//! need no code of their own: a member of a layout may be another array.

mod declustered;
mod error;
mod level;
mod map;
mod raid0;
mod raid1;
mod raid10;
mod raid1_0;
mod raid4;
mod raid5;
mod raid6;

pub use declustered::{Declustered, DeclusteredParameters};
pub use error::LayoutError;
pub use level::{ErasureCode, MemberRow, RaidLevel, StripeUnit};
pub use map::{ArrayLayout, MemberPiece};
pub use raid0::{Raid0, Raid0Parameters};
pub use raid1::{Raid1, Raid1Parameters};
pub use raid1_0::{Raid1Then0, Raid1Then0Parameters};
pub use raid4::{ParityMember, Raid4, Raid4Parameters};
pub use raid5::{Raid5, Raid5Parameters, Rotation5};
pub use raid6::{Raid6, Raid6Parameters, Rotation6};
pub use raid10::{Raid10, Raid10Parameters};

use sansim_schema::alternatives;

alternatives! {
    /// The RAID level: the layout of data and redundancy on the members.
    pub enum LevelParameters by "level" {
        Raid0(Raid0Parameters => Raid0) = "0",
        Raid1(Raid1Parameters => Raid1) = "1",
        Raid10(Raid10Parameters => Raid10) = "10",
        Raid1Then0(Raid1Then0Parameters => Raid1Then0) = "1+0",
        Raid4(Raid4Parameters => Raid4) = "4",
        Raid5(Raid5Parameters => Raid5) = "5",
        Raid6(Raid6Parameters => Raid6) = "6",
        Declustered(DeclusteredParameters => Declustered) = "declustered",
    }
    /// One of the levels, for a number of members.
    pub enum AnyLevel: RaidLevel {
        #[inline]
        fn code(&self) -> ErasureCode;
        #[inline]
        fn data_units(&self) -> u32;
        #[inline]
        fn slot(&self, stripe: u64, position: u32) -> MemberRow;
        #[inline]
        fn unit(&self, slot: MemberRow) -> Option<StripeUnit>;
        fn stripes(&self, rows: u64) -> u64;
        fn spares(&self) -> u32;
        #[inline]
        fn spare_slot(&self, row: u64, spare: u32) -> Option<MemberRow>;
        #[inline]
        fn spare_of(&self, slot: MemberRow) -> Option<u32>;
    }
    /// This level over so many members.
    ///
    /// # Errors
    /// If there are too few members, or a number of them that the level cannot have.
    pub fn with_member_count(members: u32) -> Result<_, LayoutError>;
}

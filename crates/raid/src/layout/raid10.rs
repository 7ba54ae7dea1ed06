//! RAID 10 as Linux md has it, near layout: the copies of all units one after the other, row by row.

use super::error::{LayoutError, at_least};
use super::level::{ErasureCode, MemberRow, RaidLevel, StripeUnit};
use sansim_schema::quantities::Count;
use sansim_schema::table;

table! {
    /// Each unit has copies on members next to each other.
    #[derive(Copy, Eq)]
    pub struct Raid10Parameters {
        /// Copies of each unit.
        copies: u32 = Count::<u32>::between(2, 65_535), default "2", source "md(4), RAID10, near";
    }
}

/// The near layout of RAID 10 in Linux md: the copies of a unit are on members next to each other.
#[derive(Clone, Copy, Debug)]
pub struct Raid10 {
    members: u32,
    copies: u32,
}

impl Raid10 {
    /// The layout over this many members, at least as many as there are copies.
    ///
    /// # Errors
    /// If there are fewer members.
    pub fn new(parameters: &Raid10Parameters, members: u32) -> Result<Self, LayoutError> {
        at_least("10", u64::from(parameters.copies.max(2)), members)?;
        Ok(Self { members, copies: parameters.copies.max(2) })
    }
}

impl RaidLevel for Raid10 {
    fn code(&self) -> ErasureCode {
        ErasureCode::Copies(self.copies - 1)
    }

    fn data_units(&self) -> u32 {
        1
    }

    fn slot(&self, stripe: u64, position: u32) -> MemberRow {
        let place = stripe * u64::from(self.copies) + u64::from(position);
        let members = u64::from(self.members);
        MemberRow { member: (place % members) as u32, row: place / members }
    }

    fn unit(&self, slot: MemberRow) -> Option<StripeUnit> {
        let place = slot.row * u64::from(self.members) + u64::from(slot.member);
        let copies = u64::from(self.copies);
        Some(StripeUnit { stripe: place / copies, position: (place % copies) as u32 })
    }

    fn stripes(&self, rows: u64) -> u64 {
        (u128::from(rows) * u128::from(self.members) / u128::from(self.copies)).min(u64::MAX.into()) as u64
    }
}

//! RAID 1: a stripe is one unit, with a copy on every member.

use super::error::{LayoutError, at_least};
use super::level::{ErasureCode, MemberRow, RaidLevel, StripeUnit};
use sansim_schema::table;

table! {
    /// Every member has a copy of everything.
    #[derive(Copy, Eq)]
    pub struct Raid1Parameters {}
}

/// The layout of RAID 1: every member has a copy of each stripe unit.
#[derive(Clone, Copy, Debug)]
pub struct Raid1 {
    members: u32,
}

impl Raid1 {
    /// The layout over this many members, at least two.
    ///
    /// # Errors
    /// If there are fewer members.
    pub fn new(_: &Raid1Parameters, members: u32) -> Result<Self, LayoutError> {
        at_least("1", 2, members)?;
        Ok(Self { members })
    }
}

impl RaidLevel for Raid1 {
    fn code(&self) -> ErasureCode {
        ErasureCode::Copies(self.members - 1)
    }

    fn data_units(&self) -> u32 {
        1
    }

    fn slot(&self, stripe: u64, position: u32) -> MemberRow {
        MemberRow { member: position, row: stripe }
    }

    fn unit(&self, slot: MemberRow) -> Option<StripeUnit> {
        Some(StripeUnit { stripe: slot.row, position: slot.member })
    }

    fn stripes(&self, rows: u64) -> u64 {
        rows
    }
}

//! RAID 0: a stripe is a row.

use super::error::{LayoutError, at_least};
use super::level::{ErasureCode, MemberRow, RaidLevel, StripeUnit};
use sansim_schema::table;

table! {
    /// Striped, without redundancy.
    #[derive(Copy, Eq)]
    pub struct Raid0Parameters {}
}

/// The layout of RAID 0: a stripe is a row of stripe units without redundancy.
#[derive(Clone, Copy, Debug)]
pub struct Raid0 {
    members: u32,
}

impl Raid0 {
    /// The layout over this many members, at least one.
    ///
    /// # Errors
    /// If there is no member.
    pub fn new(_: &Raid0Parameters, members: u32) -> Result<Self, LayoutError> {
        at_least("0", 1, members)?;
        Ok(Self { members })
    }
}

impl RaidLevel for Raid0 {
    fn code(&self) -> ErasureCode {
        ErasureCode::None
    }

    fn data_units(&self) -> u32 {
        self.members
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

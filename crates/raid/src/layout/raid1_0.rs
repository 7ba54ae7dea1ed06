//! RAID 1+0: neighbouring members are mirrors, and the mirrors are striped.

use super::error::{LayoutError, at_least};
use super::level::{ErasureCode, MemberRow, RaidLevel, StripeUnit};
use sansim_schema::quantities::Count;
use sansim_schema::table;

table! {
    /// Mirrors of neighbouring members, striped.
    #[derive(Copy, Eq)]
    pub struct Raid1Then0Parameters {
        /// Members of each mirror.
        copies: u32 = Count::<u32>::between(2, 65_535), default "2", source "ours: the fewest that are copies";
    }
}

/// The layout of RAID 1+0: neighbouring members are mirrors, and the mirrors are striped.
#[derive(Clone, Copy, Debug)]
pub struct Raid1Then0 {
    mirrors: u64,
    copies: u32,
}

impl Raid1Then0 {
    /// The layout over a number of members that is a multiple of the copies.
    ///
    /// # Errors
    /// If the number of members is no multiple of the copies.
    pub fn new(parameters: &Raid1Then0Parameters, members: u32) -> Result<Self, LayoutError> {
        let copies = parameters.copies.max(2);
        at_least("1+0", u64::from(copies), members)?;
        if !members.is_multiple_of(copies) {
            return Err(LayoutError::LeftOver { copies, members });
        }
        Ok(Self { mirrors: u64::from(members / copies), copies })
    }
}

impl RaidLevel for Raid1Then0 {
    fn code(&self) -> ErasureCode {
        ErasureCode::Copies(self.copies - 1)
    }

    fn data_units(&self) -> u32 {
        1
    }

    fn slot(&self, stripe: u64, position: u32) -> MemberRow {
        let mirror = (stripe % self.mirrors) as u32;
        MemberRow { member: mirror * self.copies + position, row: stripe / self.mirrors }
    }

    fn unit(&self, slot: MemberRow) -> Option<StripeUnit> {
        let mirror = u64::from(slot.member / self.copies);
        Some(StripeUnit { stripe: slot.row * self.mirrors + mirror, position: slot.member % self.copies })
    }

    fn stripes(&self, rows: u64) -> u64 {
        rows.saturating_mul(self.mirrors)
    }
}

//! RAID 4: parity has a member of its own.

use super::error::{LayoutError, at_least};
use super::level::{ErasureCode, MemberRow, RaidLevel, StripeUnit};
use sansim_schema::quantities::Choice;
use sansim_schema::{table, words};

words! {
    /// The member that holds all parity.
    pub enum ParityMember {
        /// The last one.
        Last = "last",
        /// The first one.
        First = "first",
    }
}

table! {
    /// Striped, with parity on a member of its own.
    #[derive(Copy, Eq)]
    pub struct Raid4Parameters {
        /// The member that holds all parity.
        parity: ParityMember = Choice::<ParityMember>::ANY, default r#""last""#, source "md(4), RAID4; parity-first";
    }
}

/// The layout of RAID 4: one member holds all parity.
#[derive(Clone, Copy, Debug)]
pub struct Raid4 {
    members: u32,
    parity: u32,
}

impl Raid4 {
    /// The layout over this many members, at least three.
    ///
    /// # Errors
    /// If there are fewer members.
    pub fn new(parameters: &Raid4Parameters, members: u32) -> Result<Self, LayoutError> {
        at_least("4", 3, members)?;
        let parity = match parameters.parity {
            ParityMember::Last => members - 1,
            ParityMember::First => 0,
        };
        Ok(Self { members, parity })
    }
}

impl RaidLevel for Raid4 {
    fn code(&self) -> ErasureCode {
        ErasureCode::Parity
    }

    fn data_units(&self) -> u32 {
        self.members - 1
    }

    fn slot(&self, stripe: u64, position: u32) -> MemberRow {
        let member = if position == self.members - 1 {
            self.parity
        } else {
            position + u32::from(position >= self.parity)
        };
        MemberRow { member, row: stripe }
    }

    fn unit(&self, slot: MemberRow) -> Option<StripeUnit> {
        let position = if slot.member == self.parity {
            self.members - 1
        } else {
            slot.member - u32::from(slot.member > self.parity)
        };
        Some(StripeUnit { stripe: slot.row, position })
    }

    fn stripes(&self, rows: u64) -> u64 {
        rows
    }
}

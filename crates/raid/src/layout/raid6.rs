//! RAID 6: two checks rotate over the members.
//!
//! Source: the address maps of Linux md (`raid5_compute_sector`), whose `ALGORITHM_ROTATING_N_CONTINUE` is RAID 6 with rotating parity N
//! and data continuation in the Disk Data Format of SNIA.

use super::error::{LayoutError, at_least};
use super::level::{ErasureCode, MemberRow, RaidLevel, StripeUnit};
use sansim_schema::quantities::Choice;
use sansim_schema::{table, words};

words! {
    /// How P and Q go round; data begin behind them and wrap round.
    pub enum Rotation6 {
        /// P from the last member down, Q behind it.
        LeftSymmetric = "left-symmetric",
        /// P from the first member up, Q behind it.
        RightSymmetric = "right-symmetric",
        /// P from the last member down, Q before it.
        DdfNContinue = "ddf-n-continue",
    }
}

table! {
    /// Striped, with two checks that go round.
    #[derive(Copy, Eq)]
    pub struct Raid6Parameters {
        /// How P and Q go round.
        rotation: Rotation6 = Choice::<Rotation6>::ANY, default r#""left-symmetric""#, source "md(4), RAID6; SNIA DDF 2.0";
    }
}

/// The layout of RAID 6: two checks rotate over the members.
#[derive(Clone, Copy, Debug)]
pub struct Raid6 {
    members: u32,
    rotation: Rotation6,
}

impl Raid6 {
    /// The layout over this many members, at least four.
    ///
    /// # Errors
    /// If there are fewer members.
    pub fn new(parameters: &Raid6Parameters, members: u32) -> Result<Self, LayoutError> {
        at_least("6", 4, members)?;
        Ok(Self { members, rotation: parameters.rotation })
    }

    /// The member of P, and the member of the first data unit.
    fn turned(&self, stripe: u64) -> (u32, u32) {
        let turned = (stripe % u64::from(self.members)) as u32;
        let last = self.members - 1;
        match self.rotation {
            Rotation6::LeftSymmetric => (last - turned, (last - turned + 2) % self.members),
            Rotation6::RightSymmetric => (turned, (turned + 2) % self.members),
            Rotation6::DdfNContinue => (last - turned, (last - turned + 1) % self.members),
        }
    }

    fn q(&self, p: u32) -> u32 {
        match self.rotation {
            Rotation6::LeftSymmetric | Rotation6::RightSymmetric => (p + 1) % self.members,
            Rotation6::DdfNContinue => (p + self.members - 1) % self.members,
        }
    }
}

impl RaidLevel for Raid6 {
    fn code(&self) -> ErasureCode {
        ErasureCode::DoubleParity
    }

    fn data_units(&self) -> u32 {
        self.members - 2
    }

    fn slot(&self, stripe: u64, position: u32) -> MemberRow {
        let (p, first) = self.turned(stripe);
        let member = if position == self.members - 2 {
            p
        } else if position == self.members - 1 {
            self.q(p)
        } else {
            (first + position) % self.members
        };
        MemberRow { member, row: stripe }
    }

    fn unit(&self, slot: MemberRow) -> Option<StripeUnit> {
        let (p, first) = self.turned(slot.row);
        let position = if slot.member == p {
            self.members - 2
        } else if slot.member == self.q(p) {
            self.members - 1
        } else {
            (slot.member + self.members - first) % self.members
        };
        Some(StripeUnit { stripe: slot.row, position })
    }

    fn stripes(&self, rows: u64) -> u64 {
        rows
    }
}

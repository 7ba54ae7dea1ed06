//! RAID 5: parity rotates over the members.
//!
//! Source: the address maps of Linux md (`raid5_compute_sector`), which has the four rotations under these names. Left means that parity of
//! the next stripe is on the previous member; symmetric, that data begin behind parity and wrap round.

use super::error::{LayoutError, at_least};
use super::level::{ErasureCode, MemberRow, RaidLevel, StripeUnit};
use sansim_schema::quantities::Choice;
use sansim_schema::{table, words};

words! {
    /// The rotation of parity over the members, and the member at which data begin.
    pub enum Rotation5 {
        /// Parity from the last member down, data behind parity: any units in a row as many as members are on different ones.
        LeftSymmetric = "left-symmetric",
        /// Parity from the last member down, data from the first member.
        LeftAsymmetric = "left-asymmetric",
        /// Parity from the first member up, data behind parity.
        RightSymmetric = "right-symmetric",
        /// Parity from the first member up, data from the first member.
        RightAsymmetric = "right-asymmetric",
    }
}

table! {
    /// Striped, with parity that goes round.
    #[derive(Copy, Eq)]
    pub struct Raid5Parameters {
        /// The rotation of parity over the members, and the member at which data begin.
        rotation: Rotation5 = Choice::<Rotation5>::ANY, default r#""left-symmetric""#, source "md(4), RAID5";
    }
}

/// The layout of RAID 5: parity rotates over the members.
#[derive(Clone, Copy, Debug)]
pub struct Raid5 {
    members: u32,
    rotation: Rotation5,
}

impl Raid5 {
    /// The layout over this many members, at least three.
    ///
    /// # Errors
    /// If there are fewer members.
    pub fn new(parameters: &Raid5Parameters, members: u32) -> Result<Self, LayoutError> {
        at_least("5", 3, members)?;
        Ok(Self { members, rotation: parameters.rotation })
    }

    fn parity(&self, stripe: u64) -> u32 {
        let turned = (stripe % u64::from(self.members)) as u32;
        match self.rotation {
            Rotation5::LeftSymmetric | Rotation5::LeftAsymmetric => self.members - 1 - turned,
            Rotation5::RightSymmetric | Rotation5::RightAsymmetric => turned,
        }
    }

    fn is_symmetric(&self) -> bool {
        matches!(self.rotation, Rotation5::LeftSymmetric | Rotation5::RightSymmetric)
    }
}

impl RaidLevel for Raid5 {
    fn code(&self) -> ErasureCode {
        ErasureCode::Parity
    }

    fn data_units(&self) -> u32 {
        self.members - 1
    }

    fn slot(&self, stripe: u64, position: u32) -> MemberRow {
        let parity = self.parity(stripe);
        let member = if position == self.members - 1 {
            parity
        } else if self.is_symmetric() {
            (parity + 1 + position) % self.members
        } else {
            position + u32::from(position >= parity)
        };
        MemberRow { member, row: stripe }
    }

    fn unit(&self, slot: MemberRow) -> Option<StripeUnit> {
        let parity = self.parity(slot.row);
        let position = if slot.member == parity {
            self.members - 1
        } else if self.is_symmetric() {
            (slot.member + self.members - parity - 1) % self.members
        } else {
            slot.member - u32::from(slot.member > parity)
        };
        Some(StripeUnit { stripe: slot.row, position })
    }

    fn stripes(&self, rows: u64) -> u64 {
        rows
    }
}

//! An array: its layout and the state of its members.

use crate::health::Health;
use crate::layout::{
    ArrayLayout, LayoutError, LevelParameters, MemberPiece, MemberRow, RaidLevel, StripeUnit,
};
use sansim_schema::quantities::{Choice, Flag, Size};
use sansim_schema::{table, words};
use std::fmt;

words! {
    /// When a write reads what it replaces (read-modify-write) rather than what it leaves (reconstruct-write).
    pub enum WriteRule {
        /// Never, unless what it leaves cannot be read.
        Never = "never",
        /// If fewer reads are needed for that.
        IfFewer = "if-fewer",
        /// If no more reads are needed for that.
        Prefer = "prefer",
        /// If at most half of the data units of the stripe are written, as DiskSim's example of a RAID 5 has it.
        UpToHalf = "up-to-half",
    }
}

table! {
    /// An array of members.
    pub struct ArrayParameters {
        /// How much of a stripe is on one member.
        stripe_unit: u64 = Size { range: (512, 1 << 40), step: 512 }, default r#""64 KiB""#, source "ours: a size that common arrays and md offer";
        /// When a write reads what it replaces rather than what it leaves.
        read_modify_write: WriteRule = Choice::<WriteRule>::ANY, default r#""if-fewer""#, source "Linux md, rmw_level; DiskSim 2.0";
        /// Whether a write under parity reads and writes only the changed sectors of a stripe unit. Otherwise a write reads and writes
        /// whole stripe units, as a controller does whose memory is divided into stripe units.
        partial_units: bool = Flag, default "true", source "Linux md, drivers/md/raid5.c: a stripe head has a page of each stripe unit";
    }
    tables {
        /// The RAID level: the layout of data and redundancy on the members.
        layout: LevelParameters;
    }
    renamed("strip" to "stripe_unit", "partial_strips" to "partial_units")
}

/// The reason why there is no plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPlan {
    /// A range ends beyond the array.
    Beyond {
        /// The end of the range.
        end: u64,
        /// The capacity of the array.
        capacity: u64,
    },
    /// More units of a stripe are lost than its checks can recover.
    Lost {
        /// The stripe with too many lost units.
        stripe: u64,
        /// The number of its units that are lost.
        lost: u32,
        /// The number of units that may be lost.
        stands: u32,
    },
}

impl fmt::Display for NoPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Beyond { end, capacity } => {
                write!(f, "a range ends at byte {end}, the array has {capacity}")
            }
            Self::Lost { stripe, lost, stands } => {
                write!(f, "{lost} units of stripe {stripe} are lost, the level stands {stands}")
            }
        }
    }
}

impl std::error::Error for NoPlan {}

/// An array: its layout and the state of its members.
#[derive(Clone, Debug)]
pub struct Array {
    /// The layout: where all units are.
    pub layout: ArrayLayout,
    /// The state of the members.
    pub health: Health,
    /// The rule by which a write chooses whether to read the replaced data.
    pub rule: WriteRule,
    /// Whether a write under parity accesses only the sectors that it changes, and not whole stripe units.
    pub partial_strips: bool,
}

/// A part of a stripe: from a byte of its first data unit up to a byte of its last data unit, with all bytes between.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub stripe: u64,
    pub first: u32,
    pub last: u32,
    pub from: u64,
    pub upto: u64,
}

impl Part {
    /// The range of bytes of the unit at a position that belong to the part.
    pub fn unit_range(&self, position: u32, strip: u64) -> (u64, u64) {
        let from = if position == self.first { self.from } else { 0 };
        (from, if position == self.last { self.upto } else { strip })
    }

    /// Whether a position is among the units of the part.
    pub fn contains_unit(&self, position: u32) -> bool {
        (self.first..=self.last).contains(&position)
    }

    /// The smallest range within a stripe unit that covers the bytes of all units of the part.
    pub fn covering_range(&self, strip: u64) -> (u64, u64) {
        if self.first == self.last { (self.from, self.upto) } else { (0, strip) }
    }
}

impl Array {
    /// An array over members of these capacities in bytes, all of which work. Each member is used up to the capacity of the smallest.
    ///
    /// # Errors
    /// If the level cannot have this number of members, or a member is too small.
    pub fn new(parameters: &ArrayParameters, capacities: &[u64]) -> Result<Self, LayoutError> {
        let layout = ArrayLayout::new(&parameters.layout, parameters.stripe_unit, capacities)?;
        let health = Health::new(layout.member_count());
        let &ArrayParameters { read_modify_write: rule, partial_units: partial_strips, .. } = parameters;
        Ok(Self { layout, health, rule, partial_strips })
    }

    /// The present position of a unit of a stripe; none if the unit is lost.
    #[inline]
    pub(crate) fn locate(&self, stripe: u64, position: u32) -> Option<MemberRow> {
        let level = self.layout.raid_level();
        self.health.present_slot(level, level.slot(stripe, position))
    }

    /// The bytes `from..upto` of a slot, as a piece of its member.
    #[inline]
    pub(crate) fn piece(&self, slot: MemberRow, (from, upto): (u64, u64)) -> MemberPiece {
        MemberPiece {
            member: slot.member,
            offset: slot.row * self.layout.stripe_unit_bytes() + from,
            bytes: upto - from,
        }
    }

    /// The logical offset of the first byte of a data unit.
    #[inline]
    pub(crate) fn logical(&self, stripe: u64, position: u32) -> u64 {
        stripe * self.layout.stripe_bytes() + u64::from(position) * self.layout.stripe_unit_bytes()
    }

    /// The number of positions of a stripe.
    pub(crate) fn positions(&self) -> u32 {
        self.layout.raid_level().data_units() + self.layout.erasure_code().checks()
    }

    /// The number of lost units of a stripe.
    pub(crate) fn lost(&self, stripe: u64) -> u32 {
        if self.health.all_members_work() {
            return 0;
        }
        (0..self.positions()).filter(|position| self.locate(stripe, *position).is_none()).count() as u32
    }

    /// Whether more units of some stripe are lost than the level can recover. Members are rebuilt from the first stripes on, so the last
    /// stripes are looked at.
    pub fn has_lost_data(&self) -> bool {
        const LOOKED_AT: u64 = 4_096;
        let (stripes, checks) = (self.layout.stripe_count(), self.layout.erasure_code().checks());
        !self.health.all_members_work()
            && (stripes.saturating_sub(LOOKED_AT)..stripes).any(|stripe| self.lost(stripe) > checks)
    }

    /// The error that a stripe has too many lost units.
    pub(crate) fn lost_too_much(&self, stripe: u64) -> NoPlan {
        NoPlan::Lost { stripe, lost: self.lost(stripe), stands: self.layout.erasure_code().checks() }
    }

    /// The parts of stripes of which a range consists, in order.
    ///
    /// # Errors
    /// If the range ends beyond the array.
    pub(crate) fn parts(
        &self,
        offset: u64,
        bytes: u64,
    ) -> Result<impl Iterator<Item = Part> + use<>, NoPlan> {
        let capacity = self.layout.capacity();
        let end = offset.saturating_add(bytes);
        if end > capacity {
            return Err(NoPlan::Beyond { end, capacity });
        }
        let (stripe_bytes, strip) = (self.layout.stripe_bytes(), self.layout.stripe_unit_bytes());
        let mut next = offset;
        Ok(std::iter::from_fn(move || {
            if next >= end {
                return None;
            }
            let stripe = next / stripe_bytes;
            let start = next - stripe * stripe_bytes;
            let stop = (end - stripe * stripe_bytes).min(stripe_bytes);
            next += stop - start;
            let (first, last) = (start / strip, (stop - 1) / strip);
            let (from, upto) = (start - first * strip, stop - last * strip);
            Some(Part { stripe, first: first as u32, last: last as u32, from, upto })
        }))
    }

    /// The unit at a position of a stripe.
    pub(crate) fn unit(&self, stripe: u64, position: u32) -> StripeUnit {
        StripeUnit { stripe, position }
    }
}

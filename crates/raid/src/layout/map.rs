//! The layout of an array: a level over members of a size, in bytes.

use super::error::LayoutError;
use super::level::{ErasureCode, MemberRow, RaidLevel, StripeUnit};
use super::{AnyLevel, LevelParameters};
use std::ops::Range;

/// Bytes of an array that are contiguous on one member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberPiece {
    /// The member.
    pub member: u32,
    /// The offset on the member at which the bytes begin.
    pub offset: u64,
    /// The number of bytes.
    pub bytes: u64,
}

/// The position of each byte of an array.
#[derive(Clone, Debug)]
pub struct ArrayLayout {
    level: AnyLevel,
    strip: u64,
    members: u32,
    rows: u64,
    stripes: u64,
    /// The bytes of data in a stripe.
    stripe_bytes: u64,
    capacity: u64,
}

impl ArrayLayout {
    /// A layout of this level with stripe units of this many bytes, over members of these capacities in bytes. Each member is used up to
    /// the capacity of the smallest.
    ///
    /// # Errors
    /// If the level cannot have this number of members, or a member is too small.
    pub fn new(level: &LevelParameters, strip: u64, capacities: &[u64]) -> Result<Self, LayoutError> {
        let members = u32::try_from(capacities.len()).map_err(|_| LayoutError::TooLarge)?;
        let level = level.with_member_count(members)?;
        let smallest = (0..members).zip(capacities).min_by_key(|(_, capacity)| **capacity);
        let (member, &capacity) = smallest.ok_or(LayoutError::TooLarge)?;
        let rows = capacity.checked_div(strip).ok_or(LayoutError::NoStrip)?;
        let stripes = level.stripes(rows);
        if stripes == 0 {
            let least = (1..=u64::from(u32::MAX)).find(|rows| level.stripes(*rows) > 0).unwrap_or(u64::MAX);
            return Err(LayoutError::TooSmall { member, capacity, least: least.saturating_mul(strip) });
        }
        let stripe_bytes = strip.checked_mul(level.data_units().into()).ok_or(LayoutError::TooLarge)?;
        let capacity = stripe_bytes.checked_mul(stripes).ok_or(LayoutError::TooLarge)?;
        // The check ensures that no offset within the array overflows: all units are counted, including checks.
        let units = stripes.checked_mul(u64::from(level.data_units()) + u64::from(level.code().checks()));
        units.and_then(|units| units.checked_mul(strip)).ok_or(LayoutError::TooLarge)?;
        Ok(Self { level, strip, members, rows, stripes, stripe_bytes, capacity })
    }

    /// The mapping of units to slots.
    #[inline]
    pub fn raid_level(&self) -> &AnyLevel {
        &self.level
    }

    /// The redundancy of a stripe.
    #[inline]
    pub fn erasure_code(&self) -> ErasureCode {
        self.level.code()
    }

    /// The number of members.
    #[inline]
    pub fn member_count(&self) -> u32 {
        self.members
    }

    /// The bytes of a stripe unit.
    #[inline]
    pub fn stripe_unit_bytes(&self) -> u64 {
        self.strip
    }

    /// The rows of each member, whether or not stripes fill them.
    #[inline]
    pub fn rows_per_member(&self) -> u64 {
        self.rows
    }

    /// The number of stripes.
    #[inline]
    pub fn stripe_count(&self) -> u64 {
        self.stripes
    }

    /// The bytes of data in a stripe.
    #[inline]
    pub fn stripe_bytes(&self) -> u64 {
        self.stripe_bytes
    }

    /// The number of bytes that the array holds.
    #[inline]
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The unit in a slot; none in spare space and in rows that no stripe fills.
    #[inline]
    pub fn unit_in_slot(&self, slot: MemberRow) -> Option<StripeUnit> {
        self.level.unit(slot).filter(|unit| unit.stripe < self.stripes)
    }

    /// The stripes in which a logical range has bytes; no stripes for a range of no bytes.
    pub fn stripes_of(&self, offset: u64, bytes: u64) -> Range<u64> {
        let first = offset / self.stripe_bytes;
        if bytes == 0 {
            first..first
        } else {
            first..offset.saturating_add(bytes - 1) / self.stripe_bytes + 1
        }
    }

    /// The data unit of a logical offset, and the offset within it.
    pub fn data_unit_of_offset(&self, offset: u64) -> Option<(StripeUnit, u64)> {
        let stripe = offset / self.stripe_bytes;
        let within = offset % self.stripe_bytes;
        let unit = StripeUnit { stripe, position: (within / self.strip) as u32 };
        (offset < self.capacity).then_some((unit, within % self.strip))
    }

    /// The member and its offset for a logical offset; for a mirror the first copy. None for an offset beyond the capacity.
    pub fn locate_offset(&self, offset: u64) -> Option<(u32, u64)> {
        let (unit, within) = self.data_unit_of_offset(offset)?;
        let slot = self.level.slot(unit.stripe, unit.position);
        Some((slot.member, slot.row * self.strip + within))
    }

    /// The logical offset at an offset of a member, for every copy; none for checks, spare space and unused space.
    pub fn logical_offset(&self, member: u32, offset: u64) -> Option<u64> {
        let row = offset / self.strip;
        if member >= self.members || row >= self.rows {
            return None;
        }
        let unit = self.unit_in_slot(MemberRow { member, row })?;
        let position = match self.erasure_code() {
            ErasureCode::Copies(_) => 0,
            _ => unit.position,
        };
        (position < self.level.data_units())
            .then(|| unit.stripe * self.stripe_bytes + u64::from(position) * self.strip + offset % self.strip)
    }

    /// The pieces of a logical range in logical order, each within a stripe unit; with mirrors the pieces of the first copy. Bytes beyond
    /// the capacity are left out.
    pub fn pieces_of_range(&self, offset: u64, bytes: u64) -> impl Iterator<Item = MemberPiece> + '_ {
        let end = offset.saturating_add(bytes).min(self.capacity);
        let mut next = offset;
        std::iter::from_fn(move || {
            if next >= end {
                return None;
            }
            let (member, at) = self.locate_offset(next)?;
            let bytes = (self.strip - at % self.strip).min(end - next);
            next += bytes;
            Some(MemberPiece { member, offset: at, bytes })
        })
    }
}

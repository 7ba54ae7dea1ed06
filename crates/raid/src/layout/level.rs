//! The interface of a level.

/// The redundancy of the data units of a stripe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErasureCode {
    /// Nothing.
    None,
    /// So many further copies of its one data unit.
    Copies(u32),
    /// P: the exclusive or of the data units.
    Parity,
    /// P, and Q: the sum of g^d times data unit d over GF(256), g = 2, polynomial 0x11d (Anvin, "The mathematics of RAID-6", 2004).
    DoubleParity,
}

impl ErasureCode {
    /// How many positions of a stripe are checks; so many units of it may be lost.
    #[inline]
    pub const fn checks(self) -> u32 {
        match self {
            ErasureCode::None => 0,
            ErasureCode::Copies(further) => further,
            ErasureCode::Parity => 1,
            ErasureCode::DoubleParity => 2,
        }
    }

    /// Whether checks have to be calculated.
    #[inline]
    pub const fn is_parity(self) -> bool {
        matches!(self, ErasureCode::Parity | ErasureCode::DoubleParity)
    }
}

/// One row of one member: a strip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberRow {
    /// The member, from 0.
    pub member: u32,
    /// Its row, from 0.
    pub row: u64,
}

/// One position of one stripe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StripeUnit {
    /// The stripe, from 0.
    pub stripe: u64,
    /// The position: a data unit, or after them a check.
    pub position: u32,
}

/// Where the units of stripes lie.
pub trait RaidLevel {
    /// The redundancy of a stripe.
    fn code(&self) -> ErasureCode;

    /// How many data units a stripe has.
    fn data_units(&self) -> u32;

    /// Where a position of a stripe lies. No two positions of a stripe are on one member.
    fn slot(&self, stripe: u64, position: u32) -> MemberRow;

    /// The unit in a slot; none in spare space.
    fn unit(&self, slot: MemberRow) -> Option<StripeUnit>;

    /// How many whole stripes so many rows of every member hold.
    fn stripes(&self, rows: u64) -> u64;

    /// How many distributed spares there are: each has one slot in every row.
    fn spares(&self) -> u32 {
        0
    }

    /// The slot of a distributed spare in a row.
    fn spare_slot(&self, _row: u64, _spare: u32) -> Option<MemberRow> {
        None
    }

    /// The number of the distributed spare that a slot belongs to.
    fn spare_of(&self, _slot: MemberRow) -> Option<u32> {
        None
    }
}

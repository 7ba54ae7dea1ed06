//! The interface of a RAID level.

/// The redundancy of the data units of a stripe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErasureCode {
    /// The stripe has no redundancy.
    None,
    /// The stripe has this many further copies of its one data unit.
    Copies(u32),
    /// The stripe has P: the exclusive or of its data units.
    Parity,
    /// The stripe has P, and Q: the sum of g^d times data unit d over GF(256), g = 2, polynomial 0x11d (Anvin, "The mathematics of RAID-6",
    /// 2004).
    DoubleParity,
}

impl ErasureCode {
    /// The number of positions of a stripe that are checks; as many units of the stripe may be lost.
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

/// One row of one member: a slot for a stripe unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberRow {
    /// The member, from 0.
    pub member: u32,
    /// The row of the member, from 0.
    pub row: u64,
}

/// One position of one stripe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StripeUnit {
    /// The stripe, from 0.
    pub stripe: u64,
    /// The position: a data unit, or behind the data units a check.
    pub position: u32,
}

/// The positions of the units of stripes.
pub trait RaidLevel {
    /// The redundancy of a stripe.
    fn code(&self) -> ErasureCode;

    /// The number of data units of a stripe.
    fn data_units(&self) -> u32;

    /// The slot of a position of a stripe. No two positions of a stripe are on one member.
    fn slot(&self, stripe: u64, position: u32) -> MemberRow;

    /// The unit in a slot; none in spare space.
    fn unit(&self, slot: MemberRow) -> Option<StripeUnit>;

    /// The number of whole stripes in this many rows of every member.
    fn stripes(&self, rows: u64) -> u64;

    /// The number of distributed spares: each has one slot in every row.
    fn spares(&self) -> u32 {
        0
    }

    /// The slot of a distributed spare in a row.
    fn spare_slot(&self, _row: u64, _spare: u32) -> Option<MemberRow> {
        None
    }

    /// The number of the distributed spare to which a slot belongs.
    fn spare_of(&self, _slot: MemberRow) -> Option<u32> {
        None
    }
}

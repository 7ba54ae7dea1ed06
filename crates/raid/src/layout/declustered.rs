//! Declustered parity with distributed spare space: stripes narrower than the array, distributed over all members.
//!
//! The scheme is that of dRAID in OpenZFS (`vdev_draid.c`): a number of rows that whole stripes fill, except for the spare columns, is a
//! *slice*; the columns of a slice are mapped to members by a permutation. A base permutation is developed: in the next slice every column
//! is on the next member. Over as many slices as there are members every column has therefore been on every member, and data, checks and
//! spare space are spread exactly evenly whatever the permutation; how evenly the partners of a member are spread, and with them the load
//! of a rebuild, depends on the number of base permutations. A balanced block design would spread the partners exactly evenly, but exists
//! only for some numbers of members and widths, and would need a table; permutations exist for all numbers and are drawn from a seed.

use super::error::{LayoutError, at_least};
use super::level::{ErasureCode, MemberRow, RaidLevel, StripeUnit};
use sansim_kernel::RandomStream;
use sansim_schema::quantities::Count;
use sansim_schema::table;

table! {
    /// Stripes narrower than the array, spread over all members together with spare space.
    #[derive(Copy, Eq)]
    pub struct DeclusteredParameters {
        /// Data units of a stripe.
        data: u32 = Count::<u32>::between(1, 65_535), default "8", source "zpoolconcepts(7), dRAID";
        /// Checks of a stripe.
        parity: u32 = Count::<u32>::between(1, 2), default "1", source "zpoolconcepts(7), dRAID";
        /// Number of distributed spares: the spare space, in members.
        spares: u32 = Count::<u32>::between(0, 100), default "0", source "zpoolconcepts(7), dRAID";
        /// Number of base permutations, which are used in turn.
        permutations: u32 = Count::<u32>::between(1, 4_096), default "256", source "OpenZFS, vdev_draid.c";
        /// From what they are drawn.
        permutation_seed: u64 = Count::<u64>::between(0, u64::MAX >> 1), default "1", source "ours: any number";
    }
}

/// The layout of declustered parity: stripes narrower than the array, and distributed spare space.
#[derive(Clone, Debug)]
pub struct Declustered {
    members: u64,
    data: u32,
    checks: u32,
    spares: u32,
    /// The number of units of a stripe.
    width: u64,
    /// The number of columns that are not spare.
    used: u64,
    /// The rows of a slice, and the whole stripes in them.
    rows: u64,
    stripes: u64,
    bases: u64,
    /// For each base permutation, the member of each column, and the column of each member.
    member_of: Vec<u32>,
    column_of: Vec<u32>,
}

impl Declustered {
    /// The layout over this many members: at least the units of a stripe and the spares.
    ///
    /// # Errors
    /// If there are fewer members.
    pub fn new(parameters: &DeclusteredParameters, members: u32) -> Result<Self, LayoutError> {
        let DeclusteredParameters { data, parity, spares, permutations, permutation_seed } = *parameters;
        let (data, checks) = (data.max(1), parity.clamp(1, 2));
        let width = u64::from(data) + u64::from(checks);
        at_least("declustered", width + u64::from(spares), members)?;
        let used = u64::from(members - spares);
        let shared = common_divisor(width, used);
        let mut random = RandomStream::new(permutation_seed, "declustered.permutations");
        let bases = permutations.max(1);
        let mut member_of = Vec::with_capacity(bases as usize * members as usize);
        let mut column_of = vec![0; bases as usize * members as usize];
        for base in 0..bases as usize {
            let start = base * members as usize;
            member_of.extend(0..members);
            for left in (1..u64::from(members)).rev() {
                member_of.swap(start + left as usize, start + random.draw_below(left + 1) as usize);
            }
            for column in 0..members {
                column_of[start + member_of[start + column as usize] as usize] = column;
            }
        }
        Ok(Self {
            members: members.into(),
            data,
            checks,
            spares,
            width,
            used,
            rows: width / shared,
            stripes: used / shared,
            bases: bases.into(),
            member_of,
            column_of,
        })
    }

    /// The index at which the base permutation of a slice begins, and by how many members it is developed.
    fn permutation(&self, slice: u64) -> (usize, u64) {
        (((slice / self.members % self.bases) * self.members) as usize, slice % self.members)
    }

    fn member(&self, slice: u64, column: u64) -> u32 {
        let (start, further) = self.permutation(slice);
        let member = u64::from(self.member_of[start + column as usize]) + further;
        (if member < self.members { member } else { member - self.members }) as u32
    }

    fn column(&self, slot: MemberRow) -> u64 {
        let (start, further) = self.permutation(slot.row / self.rows);
        let member = u64::from(slot.member) + self.members - further;
        let member = if member < self.members { member } else { member - self.members };
        self.column_of[start + member as usize].into()
    }
}

impl RaidLevel for Declustered {
    fn code(&self) -> ErasureCode {
        if self.checks == 1 { ErasureCode::Parity } else { ErasureCode::DoubleParity }
    }

    fn data_units(&self) -> u32 {
        self.data
    }

    fn slot(&self, stripe: u64, position: u32) -> MemberRow {
        let slice = stripe / self.stripes;
        let place = stripe % self.stripes * self.width + u64::from(position);
        let row = slice * self.rows + place / self.used;
        MemberRow { member: self.member(slice, place % self.used), row }
    }

    fn unit(&self, slot: MemberRow) -> Option<StripeUnit> {
        let column = self.column(slot);
        if column >= self.used {
            return None;
        }
        let place = slot.row % self.rows * self.used + column;
        let stripe = slot.row / self.rows * self.stripes + place / self.width;
        Some(StripeUnit { stripe, position: (place % self.width) as u32 })
    }

    fn stripes(&self, rows: u64) -> u64 {
        (rows / self.rows).saturating_mul(self.stripes)
    }

    fn spares(&self) -> u32 {
        self.spares
    }

    fn spare_slot(&self, row: u64, spare: u32) -> Option<MemberRow> {
        if spare >= self.spares {
            return None;
        }
        Some(MemberRow { member: self.member(row / self.rows, self.used + u64::from(spare)), row })
    }

    fn spare_of(&self, slot: MemberRow) -> Option<u32> {
        self.column(slot).checked_sub(self.used).map(|spare| spare as u32)
    }
}

/// The greatest number that divides both numbers.
fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

//! The state of each member, and the place of the content of the others.

use crate::layout::{ArrayLayout, MemberRow, RaidLevel, StripeUnit};

/// The state of a member. Marks are rows of the member: below the mark all rows are restored, from the mark on none is. The component that rebuilds
/// keeps writes away from the stripes being rebuilt, and moves the mark when they are done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemberState {
    /// It works, and holds all that is its own.
    #[default]
    Working,
    /// It holds nothing.
    Failed,
    /// A replacement is in its place, and what was lost is rebuilt on that.
    Rebuilding {
        /// The rows that have been.
        rows: u64,
    },
    /// It holds nothing; what was lost is rebuilt in the space of a distributed spare.
    Spared {
        /// Number of the spare; only one member may have it.
        spare: u32,
        /// The rows that have been.
        rows: u64,
    },
    /// A replacement is in its place, and what is in the space of a distributed spare is copied back to it.
    Returning {
        /// Number of the spare.
        spare: u32,
        /// The rows that have been.
        rows: u64,
    },
}

/// How all members of an array are.
#[derive(Clone, Debug)]
pub struct Health {
    states: Vec<MemberState>,
    /// How many do not simply work.
    away: u32,
}

impl Health {
    /// So many members that all work.
    pub fn new(members: u32) -> Self {
        Self { states: vec![MemberState::Working; members as usize], away: 0 }
    }

    /// How a member is; one that does not exist has failed.
    #[inline]
    pub fn state(&self, member: u32) -> MemberState {
        self.states.get(member as usize).copied().unwrap_or(MemberState::Failed)
    }

    /// Says how a member is from now on.
    pub fn set(&mut self, member: u32, state: MemberState) {
        if let Some(known) = self.states.get_mut(member as usize) {
            *known = state;
            self.away = self.states.iter().filter(|state| **state != MemberState::Working).count() as u32;
        }
    }

    /// Whether all members work.
    #[inline]
    pub fn is_sound(&self) -> bool {
        self.away == 0
    }

    /// Where the content of a slot is now; none if it is lost, or not rebuilt yet.
    #[inline]
    pub fn locate(&self, level: &impl RaidLevel, slot: MemberRow) -> Option<MemberRow> {
        if self.is_sound() { Some(slot) } else { self.find(level, slot) }
    }

    fn find(&self, level: &impl RaidLevel, slot: MemberRow) -> Option<MemberRow> {
        let mut at = slot;
        // Each spare that has failed itself may be in the space of another one.
        for _ in 0..=level.spares() {
            let spare = match self.state(at.member) {
                MemberState::Working => return Some(at),
                MemberState::Failed => return None,
                MemberState::Rebuilding { rows } => return (at.row < rows).then_some(at),
                MemberState::Spared { spare, rows } if at.row < rows => spare,
                MemberState::Spared { .. } => return None,
                MemberState::Returning { rows, .. } if at.row < rows => return Some(at),
                MemberState::Returning { spare, .. } => spare,
            };
            at = level.spare_slot(at.row, spare)?;
        }
        None
    }

    /// Where the content of a slot goes when it is rebuilt; none if the member works, has nothing to go to, or goes to the space of a
    /// spare that is not there either.
    pub fn destination(&self, level: &impl RaidLevel, slot: MemberRow) -> Option<MemberRow> {
        match self.state(slot.member) {
            MemberState::Working | MemberState::Failed => None,
            MemberState::Rebuilding { .. } | MemberState::Returning { .. } => Some(slot),
            MemberState::Spared { spare, .. } => self.locate(level, level.spare_slot(slot.row, spare)?),
        }
    }

    /// The unit in a slot: its own, or in spare space the one that was rebuilt there.
    pub fn held(&self, layout: &ArrayLayout, slot: MemberRow) -> Option<StripeUnit> {
        let mut at = slot;
        for _ in 0..=layout.level().spares() {
            if let Some(unit) = layout.unit(at) {
                return Some(unit);
            }
            let spare = layout.level().spare_of(at)?;
            let member = (0..).zip(&self.states).find_map(|(member, state)| match *state {
                MemberState::Spared { spare: its, rows } if its == spare && at.row < rows => Some(member),
                MemberState::Returning { spare: its, rows } if its == spare && at.row >= rows => Some(member),
                _ => None,
            })?;
            at.member = member;
        }
        None
    }
}

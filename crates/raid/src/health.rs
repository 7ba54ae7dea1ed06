//! The state of each member of an array, and the positions of the content of members that do not work.

use crate::layout::{ArrayLayout, MemberRow, RaidLevel, StripeUnit};

/// The state of a member. Marks are rows of the member: below the mark all rows are restored, from the mark on no row is. The component
/// that rebuilds keeps writes away from the stripes being rebuilt, and moves the mark when they are done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemberState {
    /// The member works, and holds all of its own content.
    #[default]
    Working,
    /// The member holds nothing.
    Failed,
    /// A replacement is in place of the member, and the lost content is rebuilt on it.
    Rebuilding {
        /// The number of rows that have been rebuilt.
        rows: u64,
    },
    /// The member holds nothing; its lost content is rebuilt in the space of a distributed spare.
    Spared {
        /// The number of the spare; only one member may have it.
        spare: u32,
        /// The number of rows that have been rebuilt.
        rows: u64,
    },
    /// A replacement is in place of the member, and content in the space of a distributed spare is copied back to it.
    Returning {
        /// The number of the spare.
        spare: u32,
        /// The number of rows that have been copied back.
        rows: u64,
    },
}

/// The states of all members of an array.
#[derive(Clone, Debug)]
pub struct Health {
    states: Vec<MemberState>,
    /// The number of members whose state is not `Working`.
    away: u32,
}

impl Health {
    /// The states of this many members, all working.
    pub fn new(members: u32) -> Self {
        Self { states: vec![MemberState::Working; members as usize], away: 0 }
    }

    /// The state of a member; a member that does not exist counts as failed.
    #[inline]
    pub fn member_state(&self, member: u32) -> MemberState {
        self.states.get(member as usize).copied().unwrap_or(MemberState::Failed)
    }

    /// Sets the state of a member.
    pub fn set_member_state(&mut self, member: u32, state: MemberState) {
        if let Some(known) = self.states.get_mut(member as usize) {
            *known = state;
            self.away = self.states.iter().filter(|state| **state != MemberState::Working).count() as u32;
        }
    }

    /// Whether all members work.
    #[inline]
    pub fn all_members_work(&self) -> bool {
        self.away == 0
    }

    /// The present position of the content of a slot; none if the content is lost, or not rebuilt yet.
    #[inline]
    pub fn present_slot(&self, level: &impl RaidLevel, slot: MemberRow) -> Option<MemberRow> {
        if self.all_members_work() { Some(slot) } else { self.find(level, slot) }
    }

    fn find(&self, level: &impl RaidLevel, slot: MemberRow) -> Option<MemberRow> {
        let mut at = slot;
        // A spare that has failed itself may be rebuilt in the space of another spare.
        for _ in 0..=level.spares() {
            let spare = match self.member_state(at.member) {
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

    /// The slot to which the content of a slot is rebuilt; none if the member works, has no destination, or if the member with its spare
    /// space has failed too.
    pub fn rebuild_destination(&self, level: &impl RaidLevel, slot: MemberRow) -> Option<MemberRow> {
        match self.member_state(slot.member) {
            MemberState::Working | MemberState::Failed => None,
            MemberState::Rebuilding { .. } | MemberState::Returning { .. } => Some(slot),
            MemberState::Spared { spare, .. } => self.present_slot(level, level.spare_slot(slot.row, spare)?),
        }
    }

    /// The unit in a slot: its own, or in spare space the unit that was rebuilt there.
    pub fn unit_held(&self, layout: &ArrayLayout, slot: MemberRow) -> Option<StripeUnit> {
        let mut at = slot;
        for _ in 0..=layout.raid_level().spares() {
            if let Some(unit) = layout.unit_in_slot(at) {
                return Some(unit);
            }
            let spare = layout.raid_level().spare_of(at)?;
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

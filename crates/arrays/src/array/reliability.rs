//! The mean time to data loss of an array, independent of the run: by formula, and by a simulation of lifetimes and rebuilds alone; and the
//! data loss of the run.

use super::DiskArray;
use sansim_raid::layout::{AnyLevel, ErasureCode, RaidLevel};
use sansim_raid::reliability::{
    NestLevel as Rebuilt, Nested, RareLoss, RebuildTimes, Redundancy, exact_mttdl_from_h, mttdl_of_groups_h,
    raid5_with_sector_errors_h, rare_mttdl_h,
};

/// Half-width of the target interval as a share of the mean, the number of failures simulated for it at most, and the seed. The limit keeps
/// the simulation below half a second of each run.
const HALF_WIDTH: f64 = 0.02;
const MOST_FAILURES: u64 = 500_000;
const SEED: u64 = 1;

const SECONDS_PER_HOUR: f64 = 3600.0;

impl DiskArray {
    /// The groups of members that protect each other, and the number of groups.
    fn groups(&self) -> (Redundancy, u32) {
        let members = self.array.layout.member_count();
        let stands = self.array.layout.erasure_code().checks();
        match self.array.layout.raid_level() {
            AnyLevel::Raid1Then0(_) | AnyLevel::Raid10(_) if members.is_multiple_of(stands + 1) => {
                (Redundancy { members: stands + 1, stands }, members / (stands + 1))
            }
            _ => (Redundancy { members, stands }, 1),
        }
    }

    /// The bytes of a member that are used.
    fn member_bytes(&self) -> f64 {
        (self.array.layout.rows_per_member() * self.array.layout.stripe_unit_bytes()) as f64
    }

    /// Whether the scenario has all inputs of a mean time to data loss.
    fn says_reliability(&self, group: Redundancy) -> bool {
        let given = self.parameters.reliability;
        given.mttf_h > 0.0 && (given.mttr_h > 0.0 || group.stands == 0)
    }

    /// The mean time to data loss by formula, for exponential lives and rebuilds; each failed member is rebuilt at once.
    pub(super) fn mttdl_by_formula_s(&self) -> f64 {
        let given = self.parameters.reliability;
        let (group, groups) = self.groups();
        if !self.says_reliability(group) || given.failed_at_start > group.stands {
            return 0.0;
        }
        let of_one = if self.array.layout.erasure_code() == ErasureCode::Parity && given.errors_per_byte > 0.0
        {
            let (bytes, errors) = (self.member_bytes(), given.errors_per_byte);
            let from_new =
                raid5_with_sector_errors_h(group.members, given.mttf_h, given.mttr_h, bytes, errors);
            // The first failure comes after this mean time, and then the state is as if the failure had been there at the start.
            from_new - f64::from(given.failed_at_start) * given.mttf_h / f64::from(group.members)
        } else {
            exact_mttdl_from_h(group, given.mttf_h, given.mttr_h, false, given.failed_at_start)
        };
        mttdl_of_groups_h(of_one, groups) * SECONDS_PER_HOUR
    }

    /// The simulated mean time to data loss; none without the inputs, or if it cannot be estimated.
    pub(super) fn mttdl_simulated(&self) -> Option<RareLoss> {
        let given = self.parameters.reliability;
        let (group, groups) = self.groups();
        if !self.says_reliability(group) || given.failed_at_start > group.stands {
            return None;
        }
        let rebuilds = RebuildTimes::Exponential { mean_h: given.mttr_h.max(f64::MIN_POSITIVE) };
        let all = Redundancy { members: groups, stands: 0 };
        let nested = Nested {
            levels: &[Rebuilt { group, rebuilds }, Rebuilt { group: all, rebuilds }],
            mttf_h: given.mttf_h,
            unreadable_per_drive: self.member_bytes() * given.errors_per_byte,
            failed_at_start: given.failed_at_start,
        };
        rare_mttdl_h(&nested, HALF_WIDTH, MOST_FAILURES, SEED).ok()
    }

    /// The mean time to data loss from the simulation, and half of its 95 % interval; 0 without one.
    pub(super) fn mttdl_simulated_s(&self) -> f64 {
        self.mttdl_simulated().map_or(0.0, |loss| loss.mttdl_h * SECONDS_PER_HOUR)
    }

    /// See [`Self::mttdl_simulated_s`].
    pub(super) fn mttdl_half_width_s(&self) -> f64 {
        self.mttdl_simulated().map_or(0.0, |loss| loss.half_width_95_h * SECONDS_PER_HOUR)
    }

    /// The number of stripes that have lost more units than the level can restore, or could not be rebuilt.
    pub(super) fn stripes_lost(&self) -> u64 {
        let layout = &self.array.layout;
        let checks = layout.erasure_code().checks();
        if layout.member_count() - self.working() <= checks {
            return self.lost_stripes.len() as u64;
        }
        let (level, health) = (layout.raid_level(), &self.array.health);
        let positions = level.data_units() + checks;
        let is_lost = |stripe: &u64| {
            let gone = (0..positions)
                .filter(|&position| health.present_slot(level, level.slot(*stripe, position)).is_none());
            gone.count() as u32 > checks || self.lost_stripes.contains(stripe)
        };
        (0..layout.stripe_count()).filter(is_lost).count() as u64
    }
}

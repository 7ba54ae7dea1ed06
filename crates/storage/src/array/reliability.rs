//! How long the array keeps what it is given, beside the run: by formula, and by simulating lives and rebuilds alone; and what has been lost in
//! the run.

use super::DiskArray;
use sansim_raid::layout::{AnyLevel, Code, Level};
use sansim_raid::reliability::{
    LifeTimes, Lives, RebuildTimes, Redundancy, exact_mttdl_h, raid5_with_sector_errors_h, several_groups_h,
    simulate_mttdl_h,
};

/// Losses that are simulated, members that may fail for that, and the seed. Where more would have to fail, for data are hardly ever lost,
/// nothing is simulated: what takes longer than half a second nobody waits for beside every run.
const LOSSES: u32 = 200;
const MOST_FAILURES: u64 = 200_000;
const SEED: u64 = 1;

const SECONDS_PER_HOUR: f64 = 3600.0;

impl DiskArray {
    /// The groups of members that stand in for each other, and how many of them there are.
    fn groups(&self) -> (Redundancy, u32) {
        let members = self.array.layout.members();
        let stands = self.array.layout.code().checks();
        match self.array.layout.level() {
            AnyLevel::Raid1Then0(_) | AnyLevel::Raid10(_) if members.is_multiple_of(stands + 1) => {
                (Redundancy { members: stands + 1, stands }, members / (stands + 1))
            }
            _ => (Redundancy { members, stands }, 1),
        }
    }

    /// Members that live and are rebuilt exponentially; each failed one is rebuilt at once.
    pub(super) fn mttdl_by_formula_s(&self) -> f64 {
        let given = self.parameters.reliability;
        let (group, groups) = self.groups();
        if given.mttf_h == 0.0 || given.mttr_h == 0.0 && group.stands > 0 {
            return 0.0;
        }
        let bytes = (self.array.layout.rows() * self.array.layout.strip()) as f64;
        let of_one = if self.array.layout.code() == Code::Parity && given.errors_per_byte > 0.0 {
            let errors = given.errors_per_byte;
            raid5_with_sector_errors_h(group.members, given.mttf_h, given.mttr_h, bytes, errors)
        } else {
            exact_mttdl_h(group, given.mttf_h, given.mttr_h, false)
        };
        several_groups_h(of_one, groups) * SECONDS_PER_HOUR
    }

    /// The same, simulated; 0 where too many members would have to fail for that.
    pub(super) fn mttdl_simulated_s(&self) -> f64 {
        let given = self.parameters.reliability;
        let (group, groups) = self.groups();
        if given.mttf_h == 0.0 || given.mttr_h == 0.0 && group.stands > 0 {
            return 0.0;
        }
        let members = f64::from(group.members * groups);
        let failures = self.mttdl_by_formula_s() / SECONDS_PER_HOUR / given.mttf_h * members;
        if failures * f64::from(LOSSES) > MOST_FAILURES as f64 {
            return 0.0;
        }
        let lives = Lives {
            group,
            groups,
            lives: LifeTimes::Exponential { mean_h: given.mttf_h },
            rebuilds: RebuildTimes::Exponential { mean_h: given.mttr_h.max(f64::MIN_POSITIVE) },
            member_bytes: (self.array.layout.rows() * self.array.layout.strip()) as f64,
            errors_per_byte: given.errors_per_byte,
        };
        let simulated = simulate_mttdl_h(&lives, LOSSES, MOST_FAILURES, SEED);
        simulated.map_or(0.0, |interval| interval.estimate * SECONDS_PER_HOUR)
    }

    /// Stripes of which more is lost than the level makes up for, and those that could not be rebuilt.
    pub(super) fn stripes_lost(&self) -> u64 {
        let layout = &self.array.layout;
        let checks = layout.code().checks();
        if layout.members() - self.working() <= checks {
            return self.lost_stripes.len() as u64;
        }
        let (level, health) = (layout.level(), &self.array.health);
        let positions = level.data_units() + checks;
        let is_lost = |stripe: &u64| {
            let gone = (0..positions)
                .filter(|&position| health.locate(level, level.slot(*stripe, position)).is_none());
            gone.count() as u32 > checks || self.lost_stripes.contains(stripe)
        };
        (0..layout.stripes()).filter(is_lost).count() as u64
    }
}

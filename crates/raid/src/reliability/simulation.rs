//! The mean time to data loss by simulation of failures and rebuilds alone, one after the other, for any distribution of lives.

use super::hours::Hours;
use super::{LifeTimes, RebuildTimes, Redundancy};
use sansim_kernel::functions::exponential;
use sansim_kernel::{Interval, RandomStream, mean_interval};
use std::fmt;

/// The input of a simulation of lives and rebuilds. Every failed member is rebuilt at once, on a new member.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LifeSimulation {
    /// The properties of one group.
    pub group: Redundancy,
    /// The number of groups; data are lost when one group loses data.
    pub groups: u32,
    /// The distribution of the life of a member.
    pub lives: LifeTimes,
    /// The distribution of the rebuild time.
    pub rebuilds: RebuildTimes,
    /// The bytes of each working member that a rebuild without remaining redundancy reads; 0 to ignore unreadable sectors.
    pub member_bytes: f64,
    /// The number of unreadable sectors per byte that such a rebuild meets.
    pub errors_per_byte: f64,
}

/// A member: the time of its next event, and whether it is failed, so that the event is the end of its rebuild.
#[derive(Clone, Copy)]
struct Member {
    next_h: f64,
    is_failed: bool,
}

/// The error that losses are too rare to be simulated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TooRare {
    /// The number of losses that were seen.
    pub losses: u32,
    /// The number of losses that were wanted.
    pub wanted: u32,
    /// The number of members that failed meanwhile.
    pub failures: u64,
}

impl fmt::Display for TooRare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { losses, wanted, failures } = self;
        write!(
            f,
            "{failures} failures of members lost data {losses} times, {wanted} were wanted: data are lost too seldom to simulate it; \
             ask for fewer losses, or take the formula"
        )
    }
}

impl std::error::Error for TooRare {}

/// The mean time to data loss in hours, from new members on, over this many losses; with its 95 % confidence interval.
///
/// # Errors
/// If more than `most_failures` members fail before: the losses until then would be those of short lives only, and bias the interval.
pub fn simulate_mttdl_h(
    lives: &LifeSimulation,
    losses: u32,
    most_failures: u64,
    seed: u64,
) -> Result<Interval, TooRare> {
    let (life, rebuild) = (Hours::of_lives(lives.lives), Hours::of_rebuilds(lives.rebuilds));
    let random = RandomStream::new(seed, "reliability");
    let mut groups = Groups { lives, life, rebuild, members: Vec::new(), random, left: most_failures };
    let times: Vec<f64> = (0..losses).map_while(|_| groups.time_to_loss()).collect();
    if times.len() < losses as usize {
        return Err(TooRare { losses: times.len() as u32, wanted: losses, failures: most_failures });
    }
    Ok(mean_interval(&times))
}

/// The simulation of groups.
struct Groups<'a> {
    lives: &'a LifeSimulation,
    life: Hours,
    rebuild: Hours,
    members: Vec<Member>,
    random: RandomStream,
    /// The number of failures that are still permitted.
    left: u64,
}

impl Groups<'_> {
    /// The time to data loss from new members on; none if more members fail than permitted.
    fn time_to_loss(&mut self) -> Option<f64> {
        let lives = self.lives;
        let in_group = lives.group.members.max(1) as usize;
        let stands = (lives.group.stands as usize).min(in_group - 1);
        self.members.clear();
        for _ in 0..in_group * lives.groups.max(1) as usize {
            let next_h = self.life.draw(&mut self.random);
            self.members.push(Member { next_h, is_failed: false });
        }
        loop {
            let first = self.members.iter().enumerate().min_by(|a, b| a.1.next_h.total_cmp(&b.1.next_h));
            let (number, &Member { next_h: now, is_failed }) = first?;
            let group = number / in_group * in_group..(number / in_group + 1) * in_group;
            let failed = self.members[group].iter().filter(|member| member.is_failed).count();
            // At the end of a rebuild without remaining redundancy all sectors that it read have to have been readable.
            let is_lost = failed == stands && (!is_failed || self.meets_a_bad_sector(in_group - failed));
            if is_lost {
                return Some(now);
            }
            let next = if is_failed { &self.life } else { &self.rebuild };
            let next_h = now + next.draw(&mut self.random);
            self.members[number] = Member { next_h, is_failed: !is_failed };
            self.left = self.left.checked_sub(u64::from(!is_failed))?;
        }
    }

    /// Whether a rebuild that reads this many members meets an unreadable sector.
    fn meets_a_bad_sector(&mut self, members: usize) -> bool {
        let expected = members as f64 * self.lives.member_bytes * self.lives.errors_per_byte;
        expected > 0.0 && !self.random.chance(exponential(-expected))
    }
}

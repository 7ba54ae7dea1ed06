//! Mean time to data loss by simulation of failures and rebuilds alone, one after the other, whatever the lives are.

use super::hours::Hours;
use super::{LifeTimes, RebuildTimes, Redundancy};
use sansim_kernel::functions::exponential;
use sansim_kernel::{Interval, RandomStream, mean_interval};
use std::fmt;

/// The input of a simulation of lives. Every failed member is rebuilt at once, on a new one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lives {
    /// One group.
    pub group: Redundancy,
    /// How many of them there are; data are lost when one loses some.
    pub groups: u32,
    /// How long members live.
    pub lives: LifeTimes,
    /// How long a rebuild takes.
    pub rebuilds: RebuildTimes,
    /// Bytes that a rebuild reads without redundancy left, that is of every member but the failed ones; 0 to leave sectors alone.
    pub member_bytes: f64,
    /// Sectors that cannot be read when a rebuild comes to them, per byte.
    pub errors_per_byte: f64,
}

/// One member: when what happens to it next does, and whether that is a failure or the end of a rebuild.
#[derive(Clone, Copy)]
struct Member {
    next_h: f64,
    is_failed: bool,
}

/// That data are lost too seldom to wait for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TooRare {
    /// How many losses were seen.
    pub losses: u32,
    /// How many were wanted.
    pub wanted: u32,
    /// How many members failed meanwhile.
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

/// The mean time to data loss in hours, from new members on, over so many losses; with its 95 % confidence interval.
///
/// # Errors
/// If more than `most_failures` members fail before: the interval of the losses until then would be of short lives only.
pub fn simulate_mttdl_h(
    lives: &Lives,
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

/// The simulation.
struct Groups<'a> {
    lives: &'a Lives,
    life: Hours,
    rebuild: Hours,
    members: Vec<Member>,
    random: RandomStream,
    /// How many members may still fail.
    left: u64,
}

impl Groups<'_> {
    /// From new members on; none if more fail than may.
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
            // At the end of a rebuild without redundancy all that it read has to have been readable.
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

    /// Whether so many members cannot all be read.
    fn meets_a_bad_sector(&mut self, members: usize) -> bool {
        let expected = members as f64 * self.lives.member_bytes * self.lives.errors_per_byte;
        expected > 0.0 && !self.random.chance(exponential(-expected))
    }
}

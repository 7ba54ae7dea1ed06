//! Mean time to data loss by simulation of failures and rebuilds alone.

use super::Redundancy;
use sansim_kernel::distribution::Weibull;
use sansim_kernel::functions::exponential;
use sansim_kernel::{Distribution, Interval, RandomStream, Span, mean_interval};

/// How long members live.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LifeTimes {
    /// Exponentially distributed: they do not age.
    Exponential {
        /// Mean, in hours.
        mean_h: f64,
    },
    /// Weibull: with a shape below 1 they fail early, above 1 they wear out.
    Weibull {
        /// Mean, in hours.
        mean_h: f64,
        /// Shape.
        shape: f64,
    },
}

/// How long a rebuild takes, from the failure on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RebuildTimes {
    /// Always the same.
    Fixed {
        /// In hours.
        hours: f64,
    },
    /// Exponentially distributed, as the formulas have it.
    Exponential {
        /// Mean, in hours.
        mean_h: f64,
    },
}

/// What a simulation of lives is of. Every failed member is rebuilt at once, on a new one.
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

/// Draws hours. The distributions of the kernel are of spans, which are shorter than lives: what is drawn has a mean of one second, and
/// each of them is `mean_h` hours.
struct Hours {
    of_one: Distribution,
    mean_h: f64,
}

impl Hours {
    const ONE: Span = Span::from_s(1);

    fn of_lives(lives: LifeTimes) -> Self {
        match lives {
            LifeTimes::Exponential { mean_h } => {
                Self { of_one: Distribution::Exponential { mean: Self::ONE }, mean_h }
            }
            LifeTimes::Weibull { mean_h, shape } => {
                let shape = shape.max(Weibull::LEAST_SHAPE);
                Self { of_one: Distribution::Weibull(Weibull::new(Self::ONE, shape)), mean_h }
            }
        }
    }

    fn of_rebuilds(rebuilds: RebuildTimes) -> Self {
        match rebuilds {
            RebuildTimes::Fixed { hours } => Self { of_one: Distribution::Fixed(Self::ONE), mean_h: hours },
            RebuildTimes::Exponential { mean_h } => {
                Self { of_one: Distribution::Exponential { mean: Self::ONE }, mean_h }
            }
        }
    }

    fn draw(&self, random: &mut RandomStream) -> f64 {
        self.of_one.draw(random).as_s_f64() * self.mean_h
    }
}

/// One member: when what happens to it next does, and whether that is a failure or the end of a rebuild.
#[derive(Clone, Copy)]
struct Member {
    next_h: f64,
    is_failed: bool,
}

/// The mean time to data loss in hours, from new members on, over so many losses; with its 95 % confidence interval.
pub fn simulate_mttdl_h(lives: &Lives, losses: u32, seed: u64) -> Interval {
    let mut random = RandomStream::new(seed, "reliability");
    let (life, rebuild) = (Hours::of_lives(lives.lives), Hours::of_rebuilds(lives.rebuilds));
    let mut members = Vec::new();
    let times: Vec<f64> =
        (0..losses).map(|_| time_to_loss(lives, &life, &rebuild, &mut members, &mut random)).collect();
    mean_interval(&times)
}

fn time_to_loss(
    lives: &Lives,
    life: &Hours,
    rebuild: &Hours,
    members: &mut Vec<Member>,
    random: &mut RandomStream,
) -> f64 {
    let in_group = lives.group.members.max(1) as usize;
    let stands = lives.group.stands as usize;
    members.clear();
    members.resize_with(in_group * lives.groups.max(1) as usize, || Member {
        next_h: life.draw(random),
        is_failed: false,
    });
    loop {
        let first = members.iter().enumerate().min_by(|a, b| a.1.next_h.total_cmp(&b.1.next_h));
        let Some((number, &Member { next_h: now, is_failed })) = first else { return 0.0 };
        let group = number / in_group * in_group..(number / in_group + 1) * in_group;
        let failed = members[group].iter().filter(|member| member.is_failed).count();
        if is_failed {
            let read = (in_group - failed) as f64 * lives.member_bytes;
            // What all that is left is needed for has to be readable.
            if failed == stands
                && read * lives.errors_per_byte > 0.0
                && !random.chance(exponential(-read * lives.errors_per_byte))
            {
                return now;
            }
            members[number] = Member { next_h: now + life.draw(random), is_failed: false };
        } else {
            if failed == stands {
                return now;
            }
            members[number] = Member { next_h: now + rebuild.draw(random), is_failed: true };
        }
    }
}

//! Mean time to data loss for losses too rare for plain simulation: by cycles in which failures are made likely.
//!
//! Lives are exponential, so whenever all members work the array begins anew. From one moment at which all members work to the next is a
//! cycle, and the mean time to data loss is the mean length of a cycle, up to a loss, over the probability that data are lost in it. The
//! length of a cycle is simulated without bias. The probability of a loss is simulated with failures that are likely to come before the
//! next rebuild ends, and to hit arrays that are being rebuilt; each cycle is weighted by its natural probability over its biased
//! probability. Rebuild times are not biased.
//!
//! Sources: Lewis and Böhm, "Monte Carlo simulation of Markov unreliability models", Nuclear Engineering and Design 77, 1984 (failures made
//! likely); Goyal, Shahabuddin, Heidelberger, Nicola and Glynn, "A unified framework for simulating Markovian models of highly dependable
//! systems", IEEE Transactions on Computers 41(1), 1992 (length and probability from cycles of their own); Heidelberger, "Fast simulation of rare
//! events in queueing and reliability models", ACM TOMACS 5(1), 1995.

use super::nest::{Bias, Nest, NestLevel, Weight};
use super::simulation::TooRare;
use sansim_kernel::RandomStream;
use sansim_kernel::functions::{exponential, natural_logarithm};

/// For values below this the second term of the series is smaller than the rounding error of the logarithm or the exponential.
const SMALL: f64 = 1e-5;

/// The probability that is given to a failure in an array that is being rebuilt, where there is one. Any probability between 0 and 1 gives
/// the same mean time to data loss.
const HITS_TROUBLE: f64 = 0.8;

/// The mean number of failures during the longest rebuild up to which more than every second step is made a failure.
const RARE: f64 = 0.1;

/// The number of cycles after which the width of the interval is checked first.
const LEAST_CYCLES: u32 = 2_000;

/// Half the width of a 95 % interval, in standard errors of many cycles.
const NORMAL_975: f64 = 1.96;

/// Nested arrays whose drives have exponentially distributed lives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nested<'a> {
    /// The levels, of which the first is that over drives. Each failed member of each level is rebuilt at once, on a new member.
    pub levels: &'a [NestLevel],
    /// Mean life of a drive, in hours.
    pub mttf_h: f64,
    /// The mean number of sectors of a drive that cannot be read by a rebuild without remaining redundancy. Arrays of arrays read their
    /// members through redundancy, which makes up for such sectors.
    pub unreadable_per_drive: f64,
    /// The number of drives of the first array that have failed at the beginning, all at that moment.
    pub failed_at_start: u32,
}

impl Nested<'_> {
    /// The number of all drives.
    fn drives(&self) -> f64 {
        self.levels.iter().map(|level| f64::from(level.group.members.max(1))).product()
    }

    /// The bias by which failures are made likely. There is no bias where more than one failure comes in a rebuild: most cycles have many
    /// failures then, and weights would grow with each of them.
    fn bias(&self) -> Option<Bias> {
        let rebuilds = self.levels.iter().map(|level| level.rebuilds.mean_h());
        let in_a_rebuild = self.drives() / self.mttf_h * rebuilds.fold(0.0, f64::max);
        // `straight` is the number of failures that lead to a loss without a rebuild between them. With this probability of a failure most
        // cycles of that many failures lead to a loss.
        let groups = self.levels.iter().map(|level| level.group);
        let straight: f64 = groups.map(|group| f64::from(group.stands.min(group.members)) + 1.0).product();
        let failure = if in_a_rebuild <= RARE { 1.0 - 1.0 / straight.max(2.0) } else { 0.5 };
        (in_a_rebuild <= 1.0).then_some(Bias { failure, troubled: HITS_TROUBLE })
    }
}

/// A mean time to data loss from cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RareLoss {
    /// The mean time to data loss, in hours.
    pub mttdl_h: f64,
    /// Half the width of the 95 % confidence interval of the mean time to data loss, in hours.
    pub half_width_95_h: f64,
    /// The probability that data are lost once a member has failed, before all members work again.
    pub lost_per_cycle: f64,
}

/// The mean time to data loss, from as many cycles as needed until half of its interval is the share `half_width` of it; or, if more than
/// `most_failures` drives fail before, from the cycles until then.
///
/// # Errors
/// If more than `most_failures` drives have failed and the interval is still as wide as the mean itself.
pub fn rare_mttdl_h(
    nested: &Nested<'_>,
    half_width: f64,
    most_failures: u64,
    seed: u64,
) -> Result<RareLoss, TooRare> {
    let mut simulated = Cycles {
        nested,
        nest: Nest::new(nested.levels, nested.unreadable_per_drive),
        random: RandomStream::new(seed, "rare losses"),
        most_failures,
        half_width,
    };
    let (length, lost) = simulated.means(1);
    // The length of a cycle includes the time until the first drive fails.
    let length_h = nested.mttf_h / nested.drives() + length.mean();
    let mttdl_h = length_h / lost.mean();
    let error_h = (length.error() / length_h).hypot(lost.error() / lost.mean()) * mttdl_h;
    if NORMAL_975 * error_h.max(0.0) >= mttdl_h || lost.sum == 0.0 {
        return Err(TooRare { losses: lost.losses, wanted: LEAST_CYCLES, failures: simulated.nest.failures });
    }
    let lost_per_cycle = lost.mean();
    let result =
        |mttdl_h, error_h| RareLoss { mttdl_h, half_width_95_h: NORMAL_975 * error_h, lost_per_cycle };
    if nested.failed_at_start == 0 {
        return Ok(result(mttdl_h, error_h));
    }
    // The time before all members work for the first time is a cycle of its own, which mostly ends without a loss.
    let (length, lost) = simulated.means(nested.failed_at_start);
    let ends_well = 1.0 - lost.mean();
    let from_start = length.error().hypot(mttdl_h * lost.error()).hypot(ends_well * error_h);
    Ok(result(length.mean() + ends_well * mttdl_h, from_start))
}

/// The simulation of cycles.
struct Cycles<'a> {
    nested: &'a Nested<'a>,
    nest: Nest,
    random: RandomStream,
    most_failures: u64,
    half_width: f64,
}

/// The outcome of a cycle.
struct Cycle {
    /// The time from the first failure until all members work, or data are lost.
    length_h: f64,
    /// If data were lost, the natural probability of the cycle over its biased probability; else 0.
    lost: f64,
}

impl Cycles<'_> {
    /// Simulates cycles that begin with `failed` failures: samples of their length and of the weight of their losses.
    fn means(&mut self, failed: u32) -> (Sample, Sample) {
        let bias = self.nested.bias();
        let (mut length, mut lost) = (Sample::default(), Sample::default());
        let most = self.nest.failures.saturating_add(self.most_failures);
        while self.nest.failures < most {
            for _ in 0..LEAST_CYCLES {
                length.add(self.cycle(failed, None).length_h);
                lost.add(self.cycle(failed, bias).lost);
            }
            let is_close = |sample: &Sample| NORMAL_975 * sample.error() <= self.half_width * sample.mean();
            if lost.sum > 0.0 && is_close(&lost) && is_close(&length) {
                break;
            }
        }
        (length, lost)
    }

    /// Simulates one cycle that begins with `failed` failures.
    fn cycle(&mut self, failed: u32, bias: Option<Bias>) -> Cycle {
        self.nest.renew();
        let (mut now_h, mut weight) = (0.0, 1.0);
        for drive in 0..failed {
            if self.nest.fail(now_h, drive as usize) {
                return Cycle { length_h: 0.0, lost: 1.0 };
            }
        }
        while !self.nest.is_whole() {
            // The next event: a failure, the end of a rebuild with a random end, or the first known end of a rebuild.
            let (fails, ends) =
                (self.nest.working() as f64 / self.nested.mttf_h, self.nest.other_ends_per_h());
            let (known_h, mut ended) = self.nest.known_end();
            let before = at_least_once((fails + ends) * (known_h - now_h));
            let failure = before * fails / (fails + ends);
            let (is_failure, made_likely, chance) = self.step(failure, bias);
            weight *= chance;
            let is_before = is_failure || self.random.chance((before - failure) / (1.0 - failure));
            now_h = if is_before {
                (now_h + first(self.random.unit_f64() * before, fails + ends)).min(known_h)
            } else {
                known_h
            };
            let is_lost = if is_failure {
                let (drive, chance) = self.nest.choose(&mut self.random, bias.filter(|_| made_likely));
                weight *= chance;
                self.nest.fail(now_h, drive)
            } else {
                if is_before {
                    ended = self.nest.other_end(&mut self.random);
                }
                let (is_unreadable, _, chance) = self.step(self.nest.unreadable(ended), bias);
                weight *= chance;
                self.nest.end(now_h, ended, is_unreadable)
            };
            if is_lost {
                return Cycle { length_h: now_h, lost: weight };
            }
        }
        Cycle { length_h: now_h, lost: 0.0 }
    }

    /// Whether the event happens, whether it was biased, and the weight of the outcome. A likely event is not biased: otherwise weights
    /// would grow with each rebuild that comes to its end.
    fn step(&mut self, natural: f64, bias: Option<Bias>) -> (bool, bool, Weight) {
        let bias = bias.filter(|bias| natural > 0.0 && natural <= 1.0 - bias.failure);
        let made = bias.map_or(natural, |bias| bias.failure);
        let happens = self.random.chance(made);
        let chance = if happens { natural / made } else { (1.0 - natural) / (1.0 - made) };
        (happens, bias.is_some(), chance)
    }
}

/// The probability that an event with a constant rate happens at least once, if it happens `expected` times in the mean.
fn at_least_once(expected: f64) -> f64 {
    if expected < SMALL { expected - expected * expected / 2.0 } else { 1.0 - exponential(-expected) }
}

/// The time of the first event with this rate, given the drawn probability that it has happened by then.
fn first(probability: f64, per_h: f64) -> f64 {
    let expected = if probability < SMALL {
        probability + probability * probability / 2.0
    } else {
        -natural_logarithm(1.0 - probability)
    };
    expected / per_h
}

/// The sum and the squares of independent values.
#[derive(Clone, Copy, Default)]
struct Sample {
    /// The number of values that are not 0.
    losses: u32,
    count: f64,
    sum: f64,
    squares: f64,
}

impl Sample {
    fn add(&mut self, value: f64) {
        self.losses += u32::from(value > 0.0);
        self.count += 1.0;
        self.sum += value;
        self.squares += value * value;
    }

    fn mean(&self) -> f64 {
        self.sum / self.count
    }

    /// The standard error of the mean.
    fn error(&self) -> f64 {
        let variance = (self.squares - self.sum * self.mean()) / (self.count - 1.0);
        (variance.max(0.0) / self.count).sqrt()
    }
}

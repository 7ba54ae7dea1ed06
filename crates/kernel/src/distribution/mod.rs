//! How spans are distributed.
//!
//! Each family is written by numbers that people know: its mean, and how much it varies. The coefficient of variation `cv` is the
//! standard deviation over the mean: 0 always the same, 1 as exponential, above 1 bursty. No draw is longer than
//! [`Span::LONGEST`], so that it may be added to an instant.

mod empirical;
mod gamma;
mod hyperexponential;
mod lognormal;
mod pareto;
mod slowest;
mod weibull;

pub use empirical::Empirical;
pub use gamma::Gamma;
pub use hyperexponential::Hyperexponential;
pub use lognormal::Lognormal;
pub use pareto::{Pareto, ParetoScale};
pub use weibull::Weibull;

use crate::functions::{normal_density, normal_probability};
use crate::{RandomStream, Span};

/// The distribution of a span of time.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// Always the same.
    Fixed(Span),
    /// Exponentially distributed.
    Exponential {
        /// Mean.
        mean: Span,
    },
    /// Uniform between two bounds.
    Uniform {
        /// Least.
        low: Span,
        /// Greatest.
        high: Span,
    },
    /// Normal, cut off at zero: what is below counts as zero.
    Normal {
        /// Mean of the uncut distribution.
        mean: Span,
        /// Standard deviation of the uncut distribution.
        deviation: Span,
    },
    /// Gamma.
    Gamma(Gamma),
    /// The sum of so many equal exponential phases: a gamma distribution of cv = 1 / sqrt(phases).
    Erlang {
        /// The number of phases.
        phases: u32,
        /// The sum.
        sum: Gamma,
    },
    /// One of two exponential distributions.
    Hyperexponential(Hyperexponential),
    /// Lognormal.
    Lognormal(Lognormal),
    /// Weibull.
    Weibull(Weibull),
    /// Pareto.
    Pareto(Pareto),
    /// One of given values.
    Empirical(Empirical),
}

impl Distribution {
    /// The sum of so many exponential phases with this mean in all.
    pub fn erlang(mean: Span, phases: u32) -> Distribution {
        Distribution::Erlang { phases, sum: Gamma::new(mean, 1.0 / f64::from(phases.max(1)).sqrt()) }
    }

    /// Draws a span.
    pub fn draw(&self, random: &mut RandomStream) -> Span {
        let ns = match self {
            Distribution::Fixed(span) => return *span,
            Distribution::Empirical(values) => return values.draw(random),
            Distribution::Exponential { mean } => random.exponential(mean.as_ns_f64()),
            Distribution::Uniform { low, high } => random.uniform(low.as_ns_f64(), high.as_ns_f64()),
            Distribution::Normal { mean, deviation } => {
                random.normal(mean.as_ns_f64(), deviation.as_ns_f64())
            }
            Distribution::Gamma(gamma) | Distribution::Erlang { sum: gamma, .. } => gamma.draw_ns(random),
            Distribution::Hyperexponential(hyperexponential) => hyperexponential.draw_ns(random),
            Distribution::Lognormal(lognormal) => lognormal.draw_ns(random),
            Distribution::Weibull(weibull) => weibull.draw_ns(random),
            Distribution::Pareto(pareto) => pareto.draw_ns(random),
        };
        Span::from_ns_f64(ns).min(Span::LONGEST)
    }

    /// The mean in nanoseconds, by the formula; infinite for a Pareto distribution without one.
    pub fn mean_ns(&self) -> f64 {
        self.moments().0
    }

    /// The variance in square nanoseconds, by the formula; infinite for a Pareto distribution without one.
    pub fn variance_ns2(&self) -> f64 {
        self.moments().1
    }

    /// The coefficient of variation; zero if it is always zero.
    pub fn cv(&self) -> f64 {
        let (mean, variance) = self.moments();
        if mean > 0.0 { variance.sqrt() / mean } else { 0.0 }
    }

    /// Mean in ns, variance in ns^2.
    fn moments(&self) -> (f64, f64) {
        match self {
            Distribution::Fixed(span) => (span.as_ns_f64(), 0.0),
            Distribution::Exponential { mean } => (mean.as_ns_f64(), mean.as_ns_f64().powi(2)),
            Distribution::Uniform { low, high } => {
                let (low, high) = (low.as_ns_f64(), high.as_ns_f64());
                (0.5 * (low + high), (high - low).powi(2) / 12.0)
            }
            Distribution::Normal { mean, deviation } => cut_normal(mean.as_ns_f64(), deviation.as_ns_f64()),
            Distribution::Gamma(gamma) | Distribution::Erlang { sum: gamma, .. } => {
                with_cv(gamma.mean(), gamma.cv())
            }
            Distribution::Hyperexponential(two) => with_cv(two.mean(), two.cv()),
            Distribution::Lognormal(lognormal) => with_cv(lognormal.mean(), lognormal.cv()),
            Distribution::Weibull(weibull) => weibull.moments_ns(),
            Distribution::Pareto(pareto) => pareto.moments_ns(),
            Distribution::Empirical(values) => values.moments_ns(),
        }
    }
}

/// Mean and variance of the distribution with this mean and coefficient of variation.
fn with_cv(mean: Span, cv: f64) -> (f64, f64) {
    let mean = mean.as_ns_f64();
    (mean, (mean * cv).powi(2))
}

/// Mean and variance of a normal variable of which what is below zero counts as zero.
pub fn cut_normal(mean: f64, deviation: f64) -> (f64, f64) {
    if deviation <= 0.0 {
        return (mean, 0.0);
    }
    let z = mean / deviation;
    let (above, density) = (normal_probability(z), normal_density(z));
    let first = mean * above + deviation * density;
    let second = (mean * mean + deviation * deviation) * above + mean * deviation * density;
    (first, second - first * first)
}

#[cfg(test)]
mod tests;

//! Distributions of spans of time.
//!
//! Each family is given by well-known numbers: its mean, and how much it varies. The coefficient of variation `cv` is the
//! standard deviation over the mean: 0 is constant, 1 is as variable as exponential, and above 1 is bursty. No drawn span is
//! longer than [`Span::LONGEST`], so that it may be added to an instant.

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
    /// The span is always the same.
    Fixed(Span),
    /// The span is exponentially distributed.
    Exponential {
        /// The mean of the distribution.
        mean: Span,
    },
    /// The span is uniformly distributed between two bounds.
    Uniform {
        /// The least span.
        low: Span,
        /// The greatest span.
        high: Span,
    },
    /// The span is normally distributed, cut off at zero: values below zero count as zero.
    Normal {
        /// The mean of the uncut distribution.
        mean: Span,
        /// The standard deviation of the uncut distribution.
        deviation: Span,
    },
    /// The span has a gamma distribution.
    Gamma(Gamma),
    /// The span is the sum of this number of equal exponential phases: a gamma distribution of cv = 1 /
    /// sqrt(phases).
    Erlang {
        /// The number of phases.
        phases: u32,
        /// The distribution of the sum.
        sum: Gamma,
    },
    /// The span has one of two exponential distributions.
    Hyperexponential(Hyperexponential),
    /// The span has a lognormal distribution.
    Lognormal(Lognormal),
    /// The span has a Weibull distribution.
    Weibull(Weibull),
    /// The span has a Pareto distribution.
    Pareto(Pareto),
    /// The span is one of given values.
    Empirical(Empirical),
}

impl Distribution {
    /// The sum of this number of exponential phases, with this mean of the sum.
    pub fn erlang(mean: Span, phases: u32) -> Distribution {
        Distribution::Erlang { phases, sum: Gamma::new(mean, 1.0 / f64::from(phases.max(1)).sqrt()) }
    }

    /// Draws a span from the distribution.
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

    /// The mean in nanoseconds, by the formula; infinite for a Pareto distribution without a mean.
    pub fn mean_ns(&self) -> f64 {
        self.moments().0
    }

    /// The variance in square nanoseconds, by the formula; infinite for a Pareto distribution without a
    /// variance.
    pub fn variance_ns2(&self) -> f64 {
        self.moments().1
    }

    /// The coefficient of variation; zero if the span is always zero.
    pub fn cv(&self) -> f64 {
        let (mean, variance) = self.moments();
        if mean > 0.0 { variance.sqrt() / mean } else { 0.0 }
    }

    /// The mean in ns, and the variance in ns^2.
    fn moments(&self) -> (f64, f64) {
        match self {
            Distribution::Fixed(span) => (span.as_ns_f64(), 0.0),
            Distribution::Exponential { mean } => (mean.as_ns_f64(), mean.as_ns_f64().powi(2)),
            Distribution::Uniform { low, high } => {
                let (low, high) = (low.as_ns_f64(), high.as_ns_f64());
                (0.5 * (low + high), (high - low).powi(2) / 12.0)
            }
            Distribution::Normal { mean, deviation } => {
                truncated_normal_moments(mean.as_ns_f64(), deviation.as_ns_f64())
            }
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

/// The mean and the variance of the distribution with this mean and coefficient of variation.
fn with_cv(mean: Span, cv: f64) -> (f64, f64) {
    let mean = mean.as_ns_f64();
    (mean, (mean * cv).powi(2))
}

/// The mean and the variance of a normal variable whose values below zero count as zero.
pub fn truncated_normal_moments(mean: f64, deviation: f64) -> (f64, f64) {
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

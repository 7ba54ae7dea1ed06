//! Statistics of the observations of one run: means, rates and percentiles with confidence intervals that allow for correlation between
//! neighbouring observations, and the length of the warm-up.
//!
//! - Means and rates ([`mean_interval`], [`Observations::rates`]): non-overlapping batch means (Law, "Simulation Modeling and Analysis", 5th edition,
//!   section 9.5.3) with 20 to 39 batches, near the range Schmeiser ("Batch size effects in the analysis of simulation output", Operations Research
//!   30, 1982) recommends. Correlation that remains between the batches widens the interval, as in N-Skart (Tafazzoli and Wilson, IEEE Transactions
//!   on Automatic Control 56, 2011).
//! - In systems that repeat themselves, batches of whole cycles do not vary, while the run cuts a cycle at either end: the effect is
//!   bounded in `ends` and added to all these intervals.
//! - Percentiles ([`Observations`]): the interval of the share of observations that do not exceed the percentile, by the same batches, turned back
//!   into values by the distribution that was observed (Woodruff, "Confidence intervals for medians and other position measures", JASA 47, 1952; for
//!   simulations Heidelberger and Lewis, "Quantile estimation in dependent sequences", Operations Research 32, 1984).
//! - Warm-up ([`mser5`]): MSER-5 (White, Cobb and Spratt, "A comparison of five steady-state truncation heuristics for simulation", Winter Simulation
//!   Conference 2000).
//!
//! `tests/coverage.rs` measures how often intervals of this kind contain the truth.

mod ends;
mod interval;
mod observations;
mod percentile;
mod warm_up;

pub use ends::Edges;
pub use interval::{Interval, mean_interval};
pub use observations::{Observations, Series};
pub use warm_up::mser5;

#[cfg(test)]
mod tests;

//! The kernel has everything that a discrete-event simulation needs and that does not depend on the simulated
//! system.
//!
//! | module | what it gives |
//! | --- | --- |
//! | [`time`] | exact integer time: [`Time`] (an instant), [`Span`] (a duration) and [`Total`] (a sum of durations) in ticks of 1/561 ns |
//! | [`calendar`] | the pending events in their total order, with cancellation: [`Calendar`] |
//! | [`functions`] | logarithm, exponential, power and functions made of them, the same on every machine |
//! | [`random`] | one independent random stream per seed and path: [`RandomStream`] |
//! | [`phases`] | failures and repairs that come at random, one after the other: [`Phases`](phases::Phases) |
//! | [`ranges`] | sets of whole numbers that lie side by side: [`Ranges`] |
//! | [`sweep`] | the order of visits to places on a line |
//! | [`weighted`] | one of several, each as likely as its weight says: [`Weighted`] |
//! | [`distribution`] | how spans are distributed: [`Distribution`] |
//! | [`goodness_of_fit`] | whether a sample is what was to be drawn: Kolmogorov-Smirnov, chi-square |
//! | [`statistics`] | [`TimeWeighted`], [`Histogram`] |
//! | [`output_analysis`] | confidence intervals and warm-up removal: [`Observations`], [`mean_interval`], [`mser5`] |
//!
//! All results of this crate are the same to the bit on every machine: no floating-point number orders events, no hash order or memory
//! address is used, and the few transcendental functions are written out.
#![forbid(unsafe_code)]

pub mod calendar;
pub mod distribution;
pub mod functions;
pub mod goodness_of_fit;
pub mod output_analysis;
pub mod phases;
pub mod random;
pub mod ranges;
pub mod statistics;
pub mod sweep;
pub mod time;
pub mod weighted;

pub use calendar::{Calendar, EventKey, NoProbe, Order, Probe};
pub use distribution::Distribution;
pub use output_analysis::{Edges, Interval, Observations, Series, mean_interval, mser5};
pub use random::RandomStream;
pub use ranges::Ranges;
pub use statistics::{Histogram, TimeWeighted};
pub use time::{Span, TICKS_PER_NS, Time, Total};
pub use weighted::Weighted;

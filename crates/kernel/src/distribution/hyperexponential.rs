//! The hyperexponential distribution.

use crate::{RandomStream, Span};

/// The hyperexponential distribution: short with one probability and long with the other, both exponential. It is the pair with balanced
/// means, among all pairs with this mean and coefficient of variation: both phases contribute the same to the mean (Whitt, Bell System
/// Technical Journal 61, 1982).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hyperexponential {
    mean: Span,
    cv: f64,
    /// The probability of the short phase.
    short: f64,
}

impl Hyperexponential {
    /// The distribution with this mean and coefficient of variation, which is 1 (exponential) or above.
    pub fn new(mean: Span, cv: f64) -> Hyperexponential {
        let square = cv * cv;
        let short = 0.5 * (1.0 + ((square - 1.0).max(0.0) / (square + 1.0)).sqrt());
        Hyperexponential { mean, cv, short }
    }

    /// The mean of the distribution.
    pub fn mean(&self) -> Span {
        self.mean
    }

    /// The coefficient of variation.
    pub fn cv(&self) -> f64 {
        self.cv
    }

    /// The probability of the phase that is more likely, and shorter.
    pub fn short_phase_probability(&self) -> f64 {
        self.short
    }

    pub(super) fn draw_ns(&self, random: &mut RandomStream) -> f64 {
        let p = if random.chance(self.short) { self.short } else { 1.0 - self.short };
        // Each phase contributes half of the mean.
        random.exponential(0.5 * self.mean.as_ns_f64() / p)
    }
}

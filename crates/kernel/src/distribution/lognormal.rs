//! The lognormal distribution.

use crate::functions::{exponential, natural_logarithm};
use crate::{RandomStream, Span};

/// The lognormal distribution, given by mean and coefficient of variation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lognormal {
    mean: Span,
    cv: f64,
    /// The standard deviation of the logarithm: sqrt(ln(1 + cv^2)).
    sigma: f64,
}

impl Lognormal {
    /// The distribution with this mean and coefficient of variation.
    pub fn new(mean: Span, cv: f64) -> Lognormal {
        Lognormal { mean, cv, sigma: natural_logarithm(1.0 + cv * cv).sqrt() }
    }

    /// The mean of the distribution.
    pub fn mean(&self) -> Span {
        self.mean
    }

    /// The coefficient of variation.
    pub fn cv(&self) -> f64 {
        self.cv
    }

    pub(super) fn draw_ns(&self, random: &mut RandomStream) -> f64 {
        // The median is e^(-sigma^2 / 2) of the mean.
        self.mean.as_ns_f64() * exponential(random.normal(-0.5 * self.sigma * self.sigma, self.sigma))
    }
}

//! The Weibull distribution.

use crate::functions::{gamma_function, power};
use crate::{RandomStream, Span};

/// The Weibull distribution, given by mean and shape: below 1 it has a long tail, 1 is exponential, and above
/// 1 it is more and more regular.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weibull {
    mean: Span,
    shape: f64,
    /// The mean of a variable of scale 1.
    of_one: f64,
}

impl Weibull {
    /// The least shape: below it the tail is so long that hardly a draw comes near the mean.
    pub const LEAST_SHAPE: f64 = 0.1;

    /// The distribution with this mean and shape.
    pub fn new(mean: Span, shape: f64) -> Weibull {
        Weibull { mean, shape, of_one: gamma_function(1.0 + 1.0 / shape) }
    }

    /// The mean of the distribution.
    pub fn mean(&self) -> Span {
        self.mean
    }

    /// The shape of the distribution.
    pub fn shape(&self) -> f64 {
        self.shape
    }

    pub(super) fn draw_ns(&self, random: &mut RandomStream) -> f64 {
        self.mean.as_ns_f64() / self.of_one * power(random.exponential(1.0), 1.0 / self.shape)
    }

    pub(super) fn moments_ns(&self) -> (f64, f64) {
        let mean = self.mean.as_ns_f64();
        let second = gamma_function(1.0 + 2.0 / self.shape) / (self.of_one * self.of_one);
        (mean, mean * mean * (second - 1.0))
    }
}

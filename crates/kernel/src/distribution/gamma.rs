//! The gamma distribution.

use crate::functions::{natural_logarithm, power};
use crate::{RandomStream, Span};

/// The gamma distribution, given by mean and coefficient of variation.
///
/// Values are drawn by the rejection method of Marsaglia and Tsang (ACM TOMS 26, 2000), which uses two numbers of the stream for
/// most values; for a cv above 1, the value for a shape larger by one is multiplied by a power of a uniform value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gamma {
    mean: Span,
    cv: f64,
    /// The shape, 1 / cv^2; the mean is shape times scale.
    shape: f64,
}

impl Gamma {
    /// The distribution with this mean and coefficient of variation, which is above zero.
    pub fn new(mean: Span, cv: f64) -> Gamma {
        Gamma { mean, cv, shape: 1.0 / (cv * cv) }
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
        let scale = self.mean.as_ns_f64() / self.shape;
        if self.shape >= 1.0 {
            return scale * standard(self.shape, random);
        }
        scale * standard(self.shape + 1.0, random) * power(random.open_unit_f64(), 1.0 / self.shape)
    }
}

/// A gamma variable of scale 1 and a shape of 1 or more.
fn standard(shape: f64, random: &mut RandomStream) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = random.normal(0.0, 1.0);
        let root = 1.0 + c * x;
        if root <= 0.0 {
            continue;
        }
        let v = root * root * root;
        let u = random.open_unit_f64();
        // The first condition avoids the logarithms for 98 % of the values.
        let accepted = u < 1.0 - 0.0331 * (x * x) * (x * x)
            || natural_logarithm(u) < 0.5 * x * x + d * (1.0 - v + natural_logarithm(v));
        if accepted {
            return d * v;
        }
    }
}

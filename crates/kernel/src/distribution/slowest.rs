//! The mean of the largest of several draws.

use super::Distribution;

impl Distribution {
    /// The mean in nanoseconds of the largest of this number of draws, where there is a formula; otherwise the mean of one draw, which is a
    /// lower bound.
    pub fn mean_of_slowest_ns(&self, of: u32) -> f64 {
        let of = of.max(1);
        match self {
            // The mean is multiplied by the harmonic number.
            Distribution::Exponential { mean } => {
                mean.as_ns_f64() * (1..=of).map(|number| 1.0 / f64::from(number)).sum::<f64>()
            }
            Distribution::Uniform { low, high } => {
                let (low, high) = (low.as_ns_f64(), high.as_ns_f64());
                low + (high - low) * f64::from(of) / f64::from(of + 1)
            }
            _ => self.mean_ns(),
        }
    }
}

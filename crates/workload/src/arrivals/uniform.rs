//! Arrivals with uniformly distributed gaps.

use super::renewal::RenewalArrivals;
use sansim_kernel::Distribution;
use sansim_kernel::Span;
use sansim_schema::quantities::{Fraction, Frequency, PerTime};
use sansim_schema::table;

table! {
    /// Uniform gaps.
    #[derive(Copy)]
    pub struct UniformParameters {
        /// How many arrive, on the average.
        rate: Frequency = PerTime::ANY, required r#""500/s""#, source "";
        /// Greatest deviation of a gap from the mean gap, as a share of the mean: with 1.0, gaps are between zero and twice the mean.
        spread: f64 = Fraction, default "1.0", source "ours: as far as gaps can spread";
    }
}

impl UniformParameters {
    /// The mean number of arrivals per second.
    pub fn rate_per_s(&self) -> f64 {
        self.rate.times_per_s()
    }

    /// The process from its beginning.
    pub fn generator(&self) -> RenewalArrivals {
        let mean_ns = self.rate.gap_ns();
        let at = |part: f64| Span::from_ns_f64(mean_ns * part);
        RenewalArrivals::new(Distribution::Uniform {
            low: at(1.0 - self.spread),
            high: at(1.0 + self.spread),
        })
    }
}

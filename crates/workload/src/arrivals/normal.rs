//! Arrivals with normally distributed gaps.

use super::renewal::RenewalArrivals;
use sansim_kernel::Span;
use sansim_kernel::distribution::{Distribution, truncated_normal_moments};
use sansim_schema::quantities::{Frequency, Number, PerTime};
use sansim_schema::table;

table! {
    /// Normal gaps, cut off at zero: what would be negative is zero.
    #[derive(Copy)]
    pub struct NormalParameters {
        /// How many arrive, on the average.
        rate: Frequency = PerTime::ANY, required r#""500/s""#, source "";
        /// Standard deviation over mean of the gaps before the cut. The mean of the gaps after the cut is that of the rate.
        cv: f64 = Number::between(0.001, 1.0), default "0.25", source "ours: little is cut off below zero";
    }
}

impl NormalParameters {
    /// The mean number of arrivals per second.
    pub fn rate_per_s(&self) -> f64 {
        self.rate.times_per_s()
    }

    /// The process from its beginning.
    pub fn generator(&self) -> RenewalArrivals {
        // Cutting negative gaps lengthens the mean by the same factor as for gaps with a mean of one.
        let (after_cut, _) = truncated_normal_moments(1.0, self.cv);
        let mean_ns = self.rate.gap_ns() / after_cut;
        let (mean, deviation) = (Span::from_ns_f64(mean_ns), Span::from_ns_f64(mean_ns * self.cv));
        RenewalArrivals::new(Distribution::Normal { mean, deviation })
    }
}

//! Arrivals with hyperexponential gaps.

use super::renewal::RenewalArrivals;
use sansim_kernel::Span;
use sansim_kernel::distribution::{Distribution, Hyperexponential};
use sansim_schema::quantities::{Frequency, Number, PerTime};
use sansim_schema::table;

table! {
    /// Hyperexponential gaps: short ones with long ones among them.
    #[derive(Copy)]
    pub struct HyperexponentialParameters {
        /// How many arrive, on the average.
        rate: Frequency = PerTime::ANY, required r#""500/s""#, source "";
        /// Coefficient of variation of the gaps: standard deviation over mean.
        cv: f64 = Number::between(1.0, 100.0), required "3.0", source "";
    }
}

impl HyperexponentialParameters {
    /// The mean number of arrivals per second.
    pub fn rate_per_s(&self) -> f64 {
        self.rate.times_per_s()
    }

    /// The process from its beginning.
    pub fn generator(&self) -> RenewalArrivals {
        let mean = Span::from_ns_f64(self.rate.gap_ns());
        RenewalArrivals::new(Distribution::Hyperexponential(Hyperexponential::new(mean, self.cv)))
    }
}

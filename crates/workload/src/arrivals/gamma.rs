//! Arrivals with gamma-distributed gaps.

use super::renewal::RenewalArrivals;
use sansim_kernel::Span;
use sansim_kernel::distribution::{Distribution, Gamma};
use sansim_schema::quantities::{Frequency, Number, PerTime};
use sansim_schema::table;

table! {
    /// Gamma gaps: more regular than Poisson arrivals for a cv below 1, burstier above.
    #[derive(Copy)]
    pub struct GammaParameters {
        /// How many arrive, on the average.
        rate: Frequency = PerTime::ANY, required r#""500/s""#, source "";
        /// Coefficient of variation of the gaps: standard deviation over mean.
        cv: f64 = Number::between(0.001, 100.0), required "1.5", source "";
    }
}

impl GammaParameters {
    /// The mean number of arrivals per second.
    pub fn rate_per_s(&self) -> f64 {
        self.rate.times_per_s()
    }

    /// The process from its beginning.
    pub fn generator(&self) -> RenewalArrivals {
        let mean = Span::from_ns_f64(self.rate.gap_ns());
        RenewalArrivals::new(Distribution::Gamma(Gamma::new(mean, self.cv)))
    }
}

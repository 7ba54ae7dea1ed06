//! Renewal processes: arrivals with independent gaps.

use sansim_kernel::{Distribution, RandomStream, Span};
use sansim_schema::quantities::TimeOrDistribution;
use sansim_schema::table;

table! {
    /// A renewal process: every gap is drawn by itself from the same distribution, of any kind.
    pub struct RenewalParameters {
        /// The time from each arrival to the next.
        gap: Distribution = TimeOrDistribution::POSITIVE, required r#"{ distribution = "weibull", mean = "2 ms", shape = 0.5 }"#, source "";
    }
}

impl RenewalParameters {
    /// The mean number of arrivals per second; none if the mean gap is infinite.
    pub fn rate_per_s(&self) -> f64 {
        1e9 / self.gap.mean_ns()
    }

    /// The process from its beginning.
    pub fn generator(&self) -> RenewalArrivals {
        RenewalArrivals::new(self.gap.clone())
    }
}

/// A renewal process. The first gap of a renewal process is like all others: the process begins as if a request had just arrived.
#[derive(Clone, Debug)]
pub struct RenewalArrivals {
    gap: Distribution,
}

impl RenewalArrivals {
    /// A renewal process with these gaps.
    pub fn new(gap: Distribution) -> RenewalArrivals {
        RenewalArrivals { gap }
    }

    /// The time to the next arrival.
    pub fn gap(&mut self, random: &mut RandomStream) -> Span {
        self.gap.draw(random)
    }
}

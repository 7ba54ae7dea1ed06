//! Poisson arrivals.

use sansim_kernel::{RandomStream, Span};
use sansim_schema::quantities::{Frequency, PerTime};
use sansim_schema::table;

table! {
    /// Poisson arrivals: of many sources that know nothing of each other. Exponential gaps.
    #[derive(Copy, Eq)]
    pub struct PoissonParameters {
        /// How many arrive, on the average.
        rate: Frequency = PerTime::ANY, required r#""500/s""#, source "" changes;
    }
}

impl PoissonParameters {
    /// The mean number of arrivals per second.
    pub fn rate_per_s(&self) -> f64 {
        self.rate.times_per_s()
    }

    /// The process from its beginning.
    pub fn generator(&self) -> PoissonArrivals {
        PoissonArrivals::new(self)
    }
}

/// Poisson arrivals.
#[derive(Clone, Debug)]
pub struct PoissonArrivals {
    mean_ns: f64,
}

impl PoissonArrivals {
    /// A generator at its beginning.
    pub fn new(parameters: &PoissonParameters) -> PoissonArrivals {
        PoissonArrivals { mean_ns: parameters.rate.gap_ns() }
    }

    /// The time to the next arrival.
    pub fn gap(&mut self, random: &mut RandomStream) -> Span {
        Span::from_ns_f64(random.exponential(self.mean_ns)).min(Span::LONGEST)
    }
}

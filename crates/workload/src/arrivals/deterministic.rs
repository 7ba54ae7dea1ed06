//! Deterministic arrivals.

use sansim_kernel::{RandomStream, Span};
use sansim_schema::quantities::{Frequency, PerTime};
use sansim_schema::table;

table! {
    /// Deterministic arrivals: the same time between any two arrivals.
    #[derive(Copy, Eq)]
    pub struct DeterministicParameters {
        /// How many arrive.
        rate: Frequency = PerTime::ANY, required r#""500/s""#, source "" changes;
    }
}

impl DeterministicParameters {
    /// The mean number of arrivals per second.
    pub fn rate_per_s(&self) -> f64 {
        self.rate.times_per_s()
    }

    /// The process from its beginning.
    pub fn generator(&self) -> DeterministicArrivals {
        DeterministicArrivals::new(self)
    }
}

/// Deterministic arrivals. The fraction of a tick that a gap lacks is carried over, so that the n-th arrival is at n / rate, rounded down
/// to a tick, for every n.
#[derive(Clone, Debug)]
pub struct DeterministicArrivals {
    /// The rate in millionths of arrivals per second.
    rate: u64,
    /// The remainder of a tick, multiplied by the rate.
    rest: u64,
}

impl DeterministicArrivals {
    /// A generator at its beginning.
    pub fn new(parameters: &DeterministicParameters) -> DeterministicArrivals {
        DeterministicArrivals { rate: parameters.rate.micro_per_s, rest: 0 }
    }

    /// The time to the next arrival.
    pub fn gap(&mut self, _: &mut RandomStream) -> Span {
        const TICKS_PER_MILLIONTH: u64 = Span::from_s(1_000_000).ticks();
        let ticks = TICKS_PER_MILLIONTH + self.rest;
        self.rest = ticks % self.rate;
        Span(ticks / self.rate)
    }
}

//! `kind = "spc-1-like"`. No result of this workload is an SPC-1 result.
//!
//! Source: the SPC-1 workload library of NetApp, V1.4, in its first public version.

mod parameters;
pub mod places;
pub mod streams;

pub use parameters::Spc1Parameters;

use crate::arrivals::poisson::PoissonParameters;
use crate::arrivals::{Process, Timetable};
use crate::streams::content::ContentPlan;
use crate::streams::kind::kind_of_streams;
use crate::streams::plan::{StreamPace, StreamPlan, StreamsPlan};
use places::Spc1Plan;
use sansim_schema::quantities::Frequency;
use streams::STREAMS;

impl Spc1Parameters {
    /// The plan from which the workload is built.
    pub fn plan(&self) -> StreamsPlan {
        let plan = |number: usize| {
            let stream = &STREAMS[number];
            let each = stream.micro_per_s() as f64 * self.load;
            let rate = Frequency {
                micro_per_s: (each * f64::from(self.business_scaling_units)).round().max(1.0) as u64,
            };
            let timetable = Timetable::Process(Process::Poisson(PoissonParameters { rate }));
            let pace = StreamPace::Open { timetable, outstanding: self.outstanding };
            let content = Spc1Plan {
                stream: number,
                units: self.business_scaling_units,
                walk: self.walk,
                stripe_bytes: self.stripe_unit,
            };
            let whole = StreamPlan::only_stream(pace, ContentPlan::Spc1(content));
            StreamPlan { name: stream.name.to_owned(), ..whole }
        };
        StreamsPlan { streams: (0..STREAMS.len()).map(plan).collect() }
    }
}

kind_of_streams!(Spc1Parameters, "business_scaling_units");

#[cfg(test)]
mod tests;

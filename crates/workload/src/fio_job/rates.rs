//! The rates of a job, each direction by itself.

use super::job::{self, Job};
use super::keys::RateProcess;
use super::values::Direction;
use crate::arrivals::poisson::PoissonParameters;
use crate::streams::plan::{Limit, Rates};
use sansim_describe::quantities::Frequency;

/// The rates of a job that has one; a direction without one goes as fast as it can.
///
/// fio 3.33 counts bytes, also for `rate_iops`, which it multiplies by the smallest size; with `rate_process=poisson` it counts I/Os, also for `rate`,
/// which it divides by that.
pub fn rates(job: &Job) -> Option<Rates> {
    let mut rates = Rates { of: [None; 2] };
    for way in job::used(job).filter(|way| *way != Direction::Trim) {
        let smallest = job.sizes.of(way).smallest().max(1);
        let limit = match (job.rate.bytes_per_s.of(way), job.rate.iops.of(way), job.rate.process) {
            (None, None, _) => Limit::None,
            (Some(bytes), _, RateProcess::Linear) => Limit::Bytes { per_s: (*bytes).max(1), smallest },
            (None, Some(ios), RateProcess::Linear) => {
                Limit::Bytes { per_s: ios.saturating_mul(smallest).max(1), smallest }
            }
            (_, ios, RateProcess::Poisson) => {
                let micro_per_s = ios.unwrap_or(1).max(1).saturating_mul(1_000_000);
                Limit::Poisson(PoissonParameters { rate: Frequency { micro_per_s } })
            }
        };
        rates.of[usize::from(way == Direction::Write)] = Some(limit);
    }
    rates.of.iter().flatten().any(|limit| *limit != Limit::None).then_some(rates)
}

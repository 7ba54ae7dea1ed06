//! The rates of a fio job, for each direction.

use super::job::{self, FioJob};
use super::keys::RateProcess;
use super::values::IoDirection;
use crate::arrivals::poisson::PoissonParameters;
use crate::streams::plan::{DirectionRate, DirectionRates};
use sansim_schema::quantities::Frequency;

/// The rates of a job, if it has any; a direction without a rate goes as fast as possible.
///
/// fio 3.33 counts bytes, also for `rate_iops`, which it multiplies by the smallest size; with `rate_process=poisson` it counts I/Os, also
/// for `rate`, which it divides by the smallest size.
pub fn rates(job: &FioJob) -> Option<DirectionRates> {
    let mut rates = DirectionRates { of: [None; 2] };
    for way in job::used_directions(job).filter(|way| *way != IoDirection::Trim) {
        let smallest = job.sizes.value_for(way).smallest_bytes().max(1);
        let limit =
            match (job.rate.bytes_per_s.value_for(way), job.rate.iops.value_for(way), job.rate.process) {
                (None, None, _) => DirectionRate::None,
                (Some(bytes), _, RateProcess::Linear) => {
                    DirectionRate::Bytes { per_s: (*bytes).max(1), smallest }
                }
                (None, Some(ios), RateProcess::Linear) => {
                    DirectionRate::Bytes { per_s: ios.saturating_mul(smallest).max(1), smallest }
                }
                (_, ios, RateProcess::Poisson) => {
                    let micro_per_s = ios.unwrap_or(1).max(1).saturating_mul(1_000_000);
                    DirectionRate::Poisson(PoissonParameters { rate: Frequency { micro_per_s } })
                }
            };
        rates.of[usize::from(way == IoDirection::Write)] = Some(limit);
    }
    rates.of.iter().flatten().any(|limit| *limit != DirectionRate::None).then_some(rates)
}

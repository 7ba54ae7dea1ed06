//! The times of the passes of a workload, as a whole and drive by drive.

use sansim_assembly::plan::SystemPlan;
use sansim_kernel::Span;
use sansim_workload::closed::{PassProgress, WorkloadParameters};
use serde::Serialize;

/// The complete passes of a workload; times are means over the passes. Drives are in the order of their priority on the loop, the highest
/// first.
#[derive(Clone, Debug, Serialize)]
pub struct PassSummary {
    /// The number of complete passes.
    pub complete: u64,
    /// The time from the beginning of a pass to its last completion, in seconds.
    pub length_s: f64,
    /// The I/Os of a pass divided by its length.
    pub iops: f64,
    /// The bytes per second of the I/Os of a pass.
    pub bytes_per_second: f64,
    /// The time from the beginning of a pass until the first drive had completed all its I/Os.
    pub first_finished_s: f64,
    /// The time from the beginning of a pass until the last drive had completed all its I/Os.
    pub last_finished_s: f64,
    /// The mean time over the drives of the half with the higher priority.
    pub higher_half_finished_s: f64,
    /// The mean time over the other half, including the drive in the middle.
    pub lower_half_finished_s: f64,
    /// The names of the drives.
    pub drives: Vec<String>,
    /// For each drive, the time from the beginning of a pass until it had completed all its I/Os.
    pub finished_s: Vec<f64>,
    /// For each drive, its data in a pass divided by that time.
    pub drive_bytes_per_second: Vec<f64>,
}

/// Sums up the passes of a workload that uses these devices; none if it does not run in passes.
pub fn summarise_passes(
    plan: &SystemPlan,
    parameters: &WorkloadParameters,
    devices: &[u32],
    passes: &PassProgress,
) -> Option<PassSummary> {
    let limit = parameters.ios_per_pass?;
    let names = &plan.names;
    let station = |&device: &u32| names.components[names.devices[device as usize].component].station;
    let count = passes.complete.max(1);
    let seconds = |span: Span| span.as_s_f64() / count as f64;
    let mut drives: Vec<(usize, f64)> =
        devices.iter().map(station).zip(passes.finished_after.iter().map(|&span| seconds(span))).collect();
    // A device outside any loop has no priority and keeps the order of the scenario.
    drives.sort_by_key(|(station, _)| names.stations[*station].port);
    let finished: Vec<f64> = drives.iter().map(|(_, at)| *at).collect();
    let rate = |amount: u64, time: f64| if time > 0.0 { amount as f64 / time } else { 0.0 };
    let mean = |of: &[f64]| if of.is_empty() { 0.0 } else { of.iter().sum::<f64>() / of.len() as f64 };
    let (higher, lower) = finished.split_at(finished.len() / 2);
    let length_s = seconds(passes.length);
    let ios = limit * drives.len() as u64;
    Some(PassSummary {
        complete: passes.complete,
        length_s,
        iops: rate(ios, length_s),
        bytes_per_second: rate(ios * parameters.size, length_s),
        first_finished_s: finished.iter().copied().fold(f64::INFINITY, f64::min),
        last_finished_s: finished.iter().copied().fold(0.0, f64::max),
        higher_half_finished_s: mean(higher),
        lower_half_finished_s: mean(lower),
        drives: drives.iter().map(|(station, _)| names.stations[*station].name.clone()).collect(),
        drive_bytes_per_second: finished.iter().map(|&at| rate(limit * parameters.size, at)).collect(),
        finished_s: finished,
    })
}

//! Running scenario files with overrides, for the tests of the whole system.

pub mod asked;
pub mod changed;
pub mod conserved;
pub mod erlang;
pub mod random;
pub mod stacks;
pub mod text;
pub mod ways;

use sansim_kernel::Span;
use sansim_observe::names::SystemNames;
use sansim_observe::observer::Observer;
use sansim_request::Dwell;
use sansim_scenario::Scenario;
use sansim_simulator::plan::SystemPlan;
use sansim_simulator::run::{EndedRun, RecordingOptions, RunError, run_plan};
use sansim_simulator::summary::Summary;
use sansim_simulator::{RunFlow, RunOptions, RunResult};
use std::path::{Path, PathBuf};

/// Path of a file of the repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Loads a scenario of the repository with `key=value` overrides.
pub fn load(path: &str, set: &[&str]) -> Scenario {
    let overrides: Vec<(String, String)> = set
        .iter()
        .map(|s| {
            let (key, value) = s.split_once('=').expect("key=value");
            (key.to_owned(), value.to_owned())
        })
        .collect();
    let text = std::fs::read_to_string(repository(path)).expect("scenario file");
    Scenario::parse_with(&text, path, &overrides).unwrap_or_else(|report| panic!("{report}"))
}

/// Runs a plan with an observer, which is returned.
pub fn watched<O: Observer>(
    plan: &SystemPlan,
    recording: RecordingOptions,
    mut observer: O,
) -> Result<(EndedRun, O), RunError> {
    let ended = run_plan(plan, recording, Some(&mut observer), &mut |_| RunFlow::Continue)?;
    Ok((ended, observer))
}

/// Runs a scenario of the repository.
pub fn run_with(path: &str, set: &[&str], options: &RunOptions) -> RunResult {
    sansim_simulator::run(&load(path, set), options, &mut |_| RunFlow::Continue)
        .expect("no files are written")
}

/// Runs a scenario of the repository on the fast loop.
pub fn run(path: &str, set: &[&str]) -> Summary {
    run_with(path, set, &RunOptions::default()).summary
}

/// Runs a scenario of the repository on the fast loop, with overrides that a test has composed.
pub fn run_sets(path: &str, sets: &[String]) -> Summary {
    let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
    run(path, &sets)
}

/// The bytes per second in the unit that the thesis calls MB/s, 2^20 bytes per second.
pub fn mib_per_s(summary: &Summary) -> f64 {
    summary.bytes_per_second / f64::from(1 << 20)
}

/// A figure of a component in a summary.
#[track_caller]
pub fn figure(summary: &Summary, component: &str, figure: &str) -> f64 {
    let of =
        summary.components.value_named(component).unwrap_or_else(|| panic!("no {component} in the summary"));
    of.figure_named(figure).unwrap_or_else(|| panic!("{component} has no {figure}"))
}

/// The mean time of an I/O in a ledger line, `place.segment`, in ns.
pub fn mean_ns(summary: &Summary, line: &str) -> f64 {
    summary.ledger_ns.mean.value_named(line).copied().unwrap_or_default()
}

/// The time in a ledger line, `place.segment`, of an I/O with these dwells.
pub fn spent(stays: &[Dwell], names: &SystemNames, line: &str) -> Span {
    stays.iter().find(|stay| names.line_name(stay.line) == line).map_or(Span::ZERO, |stay| stay.spent)
}

//! A run started from Python: interpreter lock, progress, Ctrl-C, result.

use std::collections::BTreeMap;
use std::path::{Path as FilePath, PathBuf};
use std::time::{Duration, Instant};

use arrow_schema::ArrowError;
use pyo3::exceptions::{PyBrokenPipeError, PyKeyboardInterrupt, PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyBool;
use sansim_observe::file::FinishedFile;
use sansim_observe::observers::ObserverResults;
use sansim_rules::own_rule::has_read_python_rule;
use sansim_simulator::run::{Progress as RunProgress, run_with_receiver};
use sansim_simulator::{RunError, RunFlow, RunOptions, RunResult};

use crate::table::{Spill, Table};

/// The wall time between two calls of Python during a run. Ten calls of Python a second are enough for a live progress line and a prompt
/// answer to Ctrl-C, and few enough to cost no noticeable time.
pub const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// The progress of a run.
#[pyclass(frozen, get_all, module = "sansim")]
pub struct Progress {
    /// Simulated time in seconds.
    pub simulated_s: f64,
    /// Wall time since the beginning of the run, in seconds.
    pub wall_s: f64,
    /// The number of completed I/Os, including the warm-up.
    pub ios: u64,
    /// The number of I/Os of the whole run, including the warm-up; where simulated times decide, the number is extrapolated from the pace
    /// so far.
    pub total_ios: u64,
    /// Whether the run may need more I/Os to reach the requested precision.
    pub open_end: bool,
    /// The number of this pass, from 1; an additional pass is made to record the slowest I/Os.
    pub pass_number: u32,
    /// The number of passes.
    pub passes: u32,
    /// The preparation before simulated time begins, while it is in progress: filling of drives, functional warm-up.
    pub preparing: Option<String>,
    /// The share of the preparation that is done.
    pub prepared: f64,
    /// The wall time of the present preparation in seconds; after the preparation, the wall time of all of it.
    pub preparing_s: f64,
}

/// A file that was written during a run.
#[pyclass(frozen, get_all, module = "sansim")]
#[derive(Clone)]
pub struct WrittenFile {
    /// The kind of the file: `trace`, `capture`, `timeline`, `playback`.
    pub kind: String,
    /// The path of the file. A run that was stopped early leaves a file of another name, ending in `.partial`.
    pub path: PathBuf,
    /// The length of the file in bytes.
    pub bytes: u64,
    /// Whether the file ends before the run does, because it reached its size limit.
    pub limited: bool,
    /// Counters of the writer, by name.
    pub counts: BTreeMap<String, u64>,
}

pyo3::create_exception!(
    sansim,
    FileError,
    PyOSError,
    "A file of a run cannot be written. An earlier file of that name is as it was."
);

pyo3::create_exception!(
    sansim,
    ClockError,
    PyRuntimeError,
    "A run does not end within simulated time, or that stands still. It has no result and leaves no file."
);

pyo3::create_exception!(
    sansim,
    ConservationError,
    PyRuntimeError,
    "A run lost something, or did something twice: an error of sansim. It has no result and leaves no file."
);

pyo3::create_exception!(
    sansim,
    ComponentError,
    PyRuntimeError,
    "A component could not go on, as a workload whose trace has a broken line. There is no result and no file."
);

pyo3::create_exception!(
    sansim,
    RuleError,
    ComponentError,
    "A rule of the user failed, and ended the run. There is no result and no file."
);

/// The files that the listeners wrote.
fn written(watched: &ObserverResults) -> Vec<WrittenFile> {
    let file = |kind: &str, file: &FinishedFile, counts: &[(&str, u64)]| WrittenFile {
        kind: kind.to_owned(),
        path: file.path.clone(),
        bytes: file.bytes,
        limited: file.limited,
        counts: counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect(),
    };
    let mut files = Vec::new();
    if let Some(trace) = &watched.trace {
        let mut counted = vec![("edges", trace.edges), ("lines", trace.lines)];
        counted.extend(trace.triggered.map(|came| ("triggers", u64::from(came))));
        files.push(file("trace", &trace.file, &counted));
    }
    if let Some((capture, counts)) = &watched.capture {
        let packets =
            counts.interfaces.iter().map(|interface| (interface.name.as_str(), interface.packets()));
        let mut counted: Vec<(&str, u64)> = packets.collect();
        counted.extend([("widened", counts.widened), ("without identifier", counts.without_identifier)]);
        files.push(file("capture", capture, &counted));
    }
    if let Some(timeline) = &watched.timeline {
        files.push(file("timeline", timeline, &[]));
    }
    if let Some(playback) = &watched.playback {
        files.push(file("playback", playback, &[]));
    }
    files
}

/// The outcome of a run.
#[pyclass(frozen, get_all, module = "sansim._core")]
pub struct Outcome {
    /// The deterministic part of the result, as JSON text.
    pub summary_json: String,
    /// Facts of this particular run (wall time, events), as JSON text.
    pub run_json: String,
    /// One row per measured I/O; empty if they were not collected.
    pub ios: Py<Table>,
    /// One row per tenancy of the loop; empty if they were not collected.
    pub tenancies: Py<Table>,
    /// One row per stay of a chosen I/O in a segment; empty if they were not collected.
    pub paths: Py<Table>,
    /// One row per sample and quantity; empty if they were not collected.
    pub samples: Py<Table>,
    /// A row for each candidate of each decision of a rule of the user; empty if they were not recorded.
    pub decisions: Py<Table>,
    /// Whether decisions are missing at the end, because there were too many.
    pub decisions_cut: bool,
    /// The reason why the files lack rows, if they do: the number of the operating system's error, if the error has one, and its text.
    pub rows_lost: Option<(Option<i32>, String)>,
    /// The files that were written during the run.
    pub files: Vec<WrittenFile>,
    /// Whether Ctrl-C ended the run early.
    pub interrupted: bool,
}

/// The reason why a run has to end early.
enum Stop {
    Asked,
    Interrupted,
    Failed(PyErr),
}

/// Asks Python whether the run has to end.
fn look(py: Python<'_>, callback: Option<&Py<PyAny>>, progress: Progress) -> Option<Stop> {
    let answer = py.check_signals().and_then(|()| match callback {
        // Only the value False itself stops a run, so that a callback without a return statement lets it continue.
        Some(callback) => Ok(callback.call1(py, (progress,))?.bind(py).is(&*PyBool::new(py, false))),
        None => Ok(false),
    });
    match answer {
        Ok(false) => None,
        Ok(true) => Some(Stop::Asked),
        Err(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => Some(Stop::Interrupted),
        Err(error) => Some(Stop::Failed(error)),
    }
}

/// The text of an error of the operating system without the number at its end, such as `... (os error 2)`.
pub fn without_number(text: &str) -> String {
    match text.split_once(" (os error ") {
        Some((words, rest)) => format!("{words}{}", rest.split_once(')').map_or("", |(_, rest)| rest)),
        None => text.to_owned(),
    }
}

/// Runs `scenario` with its I/Os and tenancies in files, and returns the reason if the files are incomplete.
fn run_spilling(
    scenario: &sansim_scenario::Scenario,
    options: &RunOptions,
    folder: &FilePath,
    progress: &mut dyn FnMut(&RunProgress) -> RunFlow,
) -> (Result<RunResult, RunError>, Option<ArrowError>) {
    let names =
        sansim_simulator::build::plan_system(scenario, options.seed, options.loop_model).observer_names();
    match Spill::create(folder, &names, &scenario.graph.devices) {
        Ok(mut spill) => {
            let result = run_with_receiver(scenario, options, Some(&mut spill), progress);
            (result, spill.finish().err())
        }
        Err(error) => (sansim_simulator::run(scenario, options, progress), Some(error)),
    }
}

/// The number and the text of the error by which rows were lost.
fn told_lost(error: ArrowError) -> (Option<i32>, String) {
    match error {
        ArrowError::IoError(_, error) => (error.raw_os_error(), without_number(&error.to_string())),
        other => (None, other.to_string()),
    }
}

/// Runs `scenario`; the interpreter lock is released except while Python is called. I/Os and tenancies are written to files in the folder
/// `rows_in` if it is given; then the tables of the outcome are empty.
pub fn run(
    py: Python<'_>,
    scenario: &sansim_scenario::Scenario,
    options: &RunOptions,
    rows_in: Option<&FilePath>,
    callback: Option<Py<PyAny>>,
) -> PyResult<Outcome> {
    let mut last_look = Instant::now();
    let mut stop = None;
    let mut work = || {
        let mut progress = |now: &RunProgress| {
            if last_look.elapsed() < LOOK_INTERVAL {
                return RunFlow::Continue;
            }
            let progress = Progress {
                simulated_s: now.simulated_s,
                wall_s: now.wall_s,
                ios: now.ios,
                total_ios: now.total_ios,
                open_end: now.open_end,
                pass_number: now.pass,
                passes: now.passes,
                preparing: now.preparing.map(|(preparing, _)| preparing.what.to_owned()),
                prepared: now.preparing.map_or(1.0, |(preparing, _)| preparing.share),
                preparing_s: now.preparing.map_or(now.prepared_s, |(_, wall_s)| wall_s),
            };
            stop = Python::attach(|py| look(py, callback.as_ref(), progress));
            last_look = Instant::now();
            if stop.is_some() { RunFlow::Stop } else { RunFlow::Continue }
        };
        let (result, lost) = match rows_in {
            None => (sansim_simulator::run(scenario, options, &mut progress), None),
            Some(folder) => run_spilling(scenario, options, folder, &mut progress),
        };
        let tables = result.as_ref().ok().map(|result| {
            let names = &result.names;
            let ios = Table::ios(&result.ios, names, &scenario.graph.devices)?;
            let tenancies = Table::tenancies(&result.tenancies, names)?;
            let paths = Table::paths(&result.paths, names)?;
            let decisions = Table::decisions(&result.decisions)?;
            Ok::<_, ArrowError>((ios, tenancies, paths, Table::samples(&result.samples, names)?, decisions))
        });
        (result, tables, lost)
    };
    // Rules in Python are called at each of their decisions; to take the interpreter lock each time would take half as long again.
    let (result, tables, lost) = if has_read_python_rule() { work() } else { py.detach(work) };
    let interrupted = match stop {
        Some(Stop::Failed(error)) => return Err(error),
        Some(Stop::Interrupted) => true,
        Some(Stop::Asked) => false,
        // Without a stop from outside only a rule in Python was interrupted.
        None => result.as_ref().is_ok_and(|result| result.summary.stopped_early),
    };
    let internal = |error: &dyn std::fmt::Display| PyRuntimeError::new_err(format!("in the result: {error}"));
    let decisions_cut = result.as_ref().is_ok_and(|result| result.decisions.is_cut);
    let (RunResult { summary, run, watched, .. }, tables) = match (result, tables) {
        (Ok(result), Some(tables)) => (result, tables.map_err(|error| internal(&error))?),
        (Err(RunError::File(error)), _) if error.is_broken_pipe() => {
            return Err(PyBrokenPipeError::new_err(error.to_string()));
        }
        (Err(RunError::File(error)), _) => {
            return Err(FileError::new_err(without_number(&error.to_string())));
        }
        (Err(RunError::Clock(error)), _) => return Err(ClockError::new_err(error.to_string())),
        (Err(RunError::Conservation(error)), _) => return Err(ConservationError::new_err(error.to_string())),
        (Err(RunError::Rule(failure)), _) => return Err(RuleError::new_err(failure.to_string())),
        (Err(error @ RunError::WithinRule(_)), _) => return Err(RuleError::new_err(error.to_string())),
        (Err(error @ (RunError::Component(..) | RunError::NoFrames(..))), _) => {
            return Err(ComponentError::new_err(error.to_string()));
        }
        (Ok(_), None) => return Err(PyRuntimeError::new_err("in the result: no tables")),
    };
    let (ios, tenancies, paths, samples, decisions) = tables;
    Ok(Outcome {
        summary_json: serde_json::to_string(&summary).map_err(|error| internal(&error))?,
        run_json: serde_json::to_string(&run).map_err(|error| internal(&error))?,
        ios: Py::new(py, ios)?,
        tenancies: Py::new(py, tenancies)?,
        paths: Py::new(py, paths)?,
        samples: Py::new(py, samples)?,
        decisions: Py::new(py, decisions)?,
        decisions_cut,
        rows_lost: lost.map(told_lost),
        files: written(&watched),
        interrupted,
    })
}

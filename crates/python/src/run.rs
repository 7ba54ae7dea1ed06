//! A run from Python: interpreter lock, progress, Ctrl-C, result.

use std::time::{Duration, Instant};

use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyBool;
use sansim_system::{Flow, RunOptions, RunResult};

use crate::table::Table;

/// Wall time between two looks at Python. Ten a second: often enough for a live line and a prompt answer to Ctrl-C,
/// seldom enough to cost nothing.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// How far a run is.
#[pyclass(frozen, get_all, module = "sansim")]
pub struct Progress {
    /// Simulated time, seconds.
    pub simulated_s: f64,
    /// Wall time since the run began, seconds.
    pub wall_s: f64,
    /// I/Os done, including the warm-up.
    pub ios: u64,
    /// I/Os the run will take, including the warm-up.
    pub total_ios: u64,
}

/// What a run leaves.
#[pyclass(frozen, get_all, module = "sansim._core")]
pub struct Outcome {
    /// The deterministic part of the result, as JSON text.
    pub summary_json: String,
    /// Facts of this very run (wall time, events), as JSON text.
    pub run_json: String,
    /// One row per measured I/O; empty if they were not collected.
    pub ios: Py<Table>,
    /// Ctrl-C ended the run before its time.
    pub interrupted: bool,
}

/// Why a run has to end before its time.
enum Stop {
    Asked,
    Interrupted,
    Failed(PyErr),
}

/// Asks Python whether the run has to end.
fn look(py: Python<'_>, callback: Option<&Py<PyAny>>, progress: Progress) -> Option<Stop> {
    let answer = py.check_signals().and_then(|()| match callback {
        // Only a plain False stops, so that a callback without a return statement goes on.
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

/// Runs `scenario`; the interpreter lock is free but for the looks.
pub fn run(
    py: Python<'_>,
    scenario: &sansim_scenario::Scenario,
    options: &RunOptions,
    callback: Option<Py<PyAny>>,
) -> PyResult<Outcome> {
    let mut last_look = Instant::now();
    let mut stop = None;
    let (result, table) = py.detach(|| {
        let result = sansim_system::run(scenario, options, &mut |now| {
            if last_look.elapsed() < LOOK_INTERVAL {
                return Flow::Continue;
            }
            let progress = Progress {
                simulated_s: now.simulated_s,
                wall_s: now.wall_s,
                ios: now.ios,
                total_ios: now.total_ios,
            };
            stop = Python::attach(|py| look(py, callback.as_ref(), progress));
            last_look = Instant::now();
            if stop.is_some() { Flow::Stop } else { Flow::Continue }
        });
        let table = Table::new(&result.ios);
        (result, table)
    });
    let interrupted = match stop {
        Some(Stop::Failed(error)) => return Err(error),
        Some(Stop::Interrupted) => true,
        Some(Stop::Asked) | None => false,
    };
    let internal = |error: &dyn std::fmt::Display| PyRuntimeError::new_err(format!("in the result: {error}"));
    let RunResult { summary, run, .. } = result;
    Ok(Outcome {
        summary_json: serde_json::to_string(&summary).map_err(|error| internal(&error))?,
        run_json: serde_json::to_string(&run).map_err(|error| internal(&error))?,
        ios: Py::new(py, table.map_err(|error| internal(&error))?)?,
        interrupted,
    })
}

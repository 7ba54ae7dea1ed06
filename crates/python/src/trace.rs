//! Traces of block I/O for Python: information about a trace, conversion to another format, and a synthetic workload fitted to it.

use std::fs::OpenOptions;
use std::path::PathBuf;
use std::time::Instant;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use sansim_trace::{
    BackwardsRule, BadLineRule, BlktraceAction, Compression, FORMATS, FioWait, FormatOptions, TimeUnit,
    Trace, TraceError, TraceInfo, TraceReadOptions, convert_packed,
};
use sansim_workload::fit::{FittedWorkload, TraceStatistics};

use crate::run::{LOOK_INTERVAL, without_number};

pyo3::create_exception!(
    sansim,
    TraceFileError,
    PyValueError,
    "A file that cannot be read as a trace, or not to its end, or a trace that cannot be written in this format."
);

fn failed(error: TraceError) -> PyErr {
    match error {
        TraceError::Write { .. } => PyOSError::new_err(without_number(&error.to_string())),
        _ => TraceFileError::new_err(without_number(&error.to_string())),
    }
}

/// Options of reading a trace: a mapping with these keys. An option that is None has the default of `TraceReadOptions::default`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct TraceReading {
    format: Option<String>,
    columns: Option<String>,
    count_bad_lines: bool,
    window: Option<usize>,
    fail_backwards: bool,
    action: Option<String>,
    fio_wait: Option<String>,
    time_unit: Option<String>,
    offset_unit: Option<u64>,
}

impl TraceReading {
    fn options(self) -> PyResult<TraceReadOptions> {
        let wrong = |what: &str, word: &str, there: &str| {
            PyValueError::new_err(format!("{what}: there is no `{word}`; there are {there}"))
        };
        let action = match self.action.as_deref() {
            None | Some("queued") => BlktraceAction::Queued,
            Some("issued") => BlktraceAction::Issued,
            Some("completed") => BlktraceAction::Completed,
            Some(word) => return Err(wrong("action", word, "queued, issued, completed")),
        };
        let fio_wait = match self.fio_wait.as_deref() {
            None | Some("observed") => FioWait::Observed,
            Some("documented") => FioWait::Documented,
            Some(word) => return Err(wrong("fio_wait", word, "observed, documented")),
        };
        let time_unit = match self.time_unit.as_deref() {
            None => None,
            Some(word) => Some(
                TimeUnit::from_word(word).ok_or_else(|| wrong("time_unit", word, "s, ms, us, 100ns, ns"))?,
            ),
        };
        let defaults = TraceReadOptions::default();
        Ok(TraceReadOptions {
            format: self.format,
            on_bad_line: if self.count_bad_lines { BadLineRule::Count } else { BadLineRule::Fail },
            window: self.window.unwrap_or(defaults.window),
            on_backwards: if self.fail_backwards { BackwardsRule::Fail } else { BackwardsRule::Clamp },
            reading: FormatOptions {
                action,
                fio_wait,
                time_unit,
                columns: self.columns,
                offset_unit: self.offset_unit.filter(|bytes| *bytes > 0),
            },
        })
    }
}

/// Does work that reads a trace, with the interpreter lock released except while Python is called; each call reports to `callback` the
/// number of requests read and the share of the file. The result is None if Python stops the work.
fn watched<T: Send>(
    py: Python<'_>,
    callback: Option<&Py<PyAny>>,
    work: impl FnOnce(&mut dyn FnMut(&Trace) -> bool) -> T + Send,
) -> PyResult<T> {
    let (mut last_look, mut stop) = (Instant::now(), None);
    let done = py.detach(|| {
        work(&mut |trace| {
            if last_look.elapsed() < LOOK_INTERVAL {
                return true;
            }
            let told = (trace.line_counts().requests, trace.share_of_file_read());
            let answer = Python::attach(|py| {
                py.check_signals()?;
                callback.map_or(Ok(()), |callback| callback.call1(py, told).map(|_| ()))
            });
            last_look = Instant::now();
            stop = answer.err();
            stop.is_none()
        })
    });
    stop.map_or(Ok(done), Err)
}

fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(format!("in the result: {error}")))
}

/// The result of work that was not stopped; it is an error of Python if the work was stopped.
fn whole<T>(done: Option<T>) -> PyResult<T> {
    done.ok_or_else(|| PyValueError::new_err("the reading was stopped"))
}

/// The formats of traces: the word, the description, and whether sansim can write the format.
#[pyfunction]
pub fn trace_formats() -> Vec<(&'static str, &'static str, bool)> {
    FORMATS.iter().map(|format| (format.word, format.about, format.is_written())).collect()
}

/// Information about a trace, as JSON text.
#[pyfunction]
pub fn trace_info(
    py: Python<'_>,
    file: PathBuf,
    reading: TraceReading,
    callback: Option<Py<PyAny>>,
) -> PyResult<String> {
    let options = reading.options()?;
    let info = watched(py, callback.as_ref(), |watch| {
        let mut trace = Trace::open_file(&file, &options)?;
        Ok(TraceInfo::summarise_watched(&mut trace, watch))
    })?;
    json(&whole(info.map_err(failed)?)?)
}

/// Appends a trace to a file in the format named by a word; messages call the file `name`.
///
/// Returns the number of requests read, the number written, and a sentence for each kind of loss.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "each is a key of the call in Python")]
pub fn trace_convert(
    py: Python<'_>,
    file: PathBuf,
    reading: TraceReading,
    to: PathBuf,
    name: String,
    word: String,
    gzip: bool,
    callback: Option<Py<PyAny>>,
) -> PyResult<(u64, u64, Vec<String>)> {
    let options = reading.options()?;
    let compression = if gzip { Compression::Gzip } else { Compression::None };
    let converted = watched(py, callback.as_ref(), |watch| {
        let mut trace = Trace::open_file(&file, &options)?;
        let out = OpenOptions::new()
            .append(true)
            .open(&to)
            .map_err(|error| TraceError::Write { file: name.clone(), why: error.to_string() })?;
        convert_packed(&mut trace, &name, &word, compression, out, watch)
    })?;
    let converted = whole(converted.map_err(failed)?)?;
    let sentences = sansim_trace::format_with_word(&word)
        .map_or_else(Vec::new, |to| converted.losses.warning_sentences(to));
    Ok((converted.read, converted.written, sentences))
}

/// Fits a synthetic workload to a trace, with all volumes as one if requested.
///
/// Returns the scenario, and its deviation from the trace as JSON text.
#[pyfunction]
pub fn trace_fit(
    py: Python<'_>,
    file: PathBuf,
    reading: TraceReading,
    as_one: bool,
    callback: Option<Py<PyAny>>,
) -> PyResult<(String, String)> {
    let options = reading.options()?;
    let fit = watched(py, callback.as_ref(), |watch| {
        let mut trace = Trace::open_file(&file, &options)?;
        Ok(TraceStatistics::read_trace(&mut trace, watch)
            .map(|measured| FittedWorkload::fit_to_trace(measured, as_one)))
    })?;
    let fit = whole(fit.map_err(failed)?)?
        .map_err(|why| TraceFileError::new_err(format!("{}: {why}", file.display())))?;
    Ok((fit.toml(), json(&fit.json())?))
}

/// Adds the classes and functions of this file to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("TraceFileError", module.py().get_type::<TraceFileError>())?;
    module.add_function(wrap_pyfunction!(trace_formats, module)?)?;
    module.add_function(wrap_pyfunction!(trace_info, module)?)?;
    module.add_function(wrap_pyfunction!(trace_convert, module)?)?;
    module.add_function(wrap_pyfunction!(trace_fit, module)?)
}

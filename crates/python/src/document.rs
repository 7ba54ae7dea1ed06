//! TOML files with the place of each value, for Python: study files.

use std::path::PathBuf;

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use sansim_schema::codes;
use sansim_schema::document::{self, Finding, TableEntry, TomlContent, TomlItem};

use crate::scenario::error;

/// A problem found by Python: code, range of bytes, key, message, label, help.
type FindingParts = (String, Option<(usize, usize)>, String, String, String, Option<String>);

/// A TOML file that records where each key and value was written.
#[pyclass(frozen, module = "sansim._core")]
pub struct Document {
    inner: document::Document,
}

#[pymethods]
impl Document {
    /// Reads a TOML file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let inner = document::Document::load(&path).map_err(|report| error(py, &report))?;
        Ok(Self { inner })
    }

    /// Reads a TOML text; `name` is the name of the file in messages.
    #[staticmethod]
    fn parse(py: Python<'_>, text: &str, name: &str) -> PyResult<Self> {
        let inner = document::Document::parse(text, name).map_err(|report| error(py, &report))?;
        Ok(Self { inner })
    }

    /// The top level of the file: a list of (key, start, end, value), where a value is (kind, content, start, end).
    fn root<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        members(py, self.inner.root())
    }

    /// The exception that reports the problems found.
    fn error(&self, py: Python<'_>, findings: Vec<FindingParts>) -> PyResult<PyErr> {
        let findings: PyResult<Vec<Finding>> = findings.into_iter().map(finding).collect();
        Ok(error(py, &self.inner.report(findings?)))
    }
}

/// The codes of all problems, by name: `Code.UNKNOWN_KEY` is `E0102`.
#[pyclass(frozen, module = "sansim._core")]
pub struct Code;

/// Every code of a scenario or a study.
fn codes() -> Vec<codes::Code> {
    let mut all = sansim_scenario::codes::all_codes();
    all.extend(sansim_study::codes::ALL);
    all
}

/// Adds the names of the codes to the class.
pub fn add_codes(py: Python<'_>) -> PyResult<()> {
    let class = py.get_type::<Code>();
    codes().iter().try_for_each(|code| class.setattr(code.name(), code.to_string()))
}

fn finding((code, range, key, message, label, help): FindingParts) -> PyResult<Finding> {
    let known = codes().into_iter().find(|known| known.to_string() == code);
    let code = known.ok_or_else(|| PyValueError::new_err(format!("there is no code {code}")))?;
    Ok(Finding { code, range, key, message, label, help })
}

fn members<'py>(py: Python<'py>, members: &[TableEntry]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for member in members {
        let (start, end) = member.key_range;
        list.append((&member.key, start, end, item(py, &member.item)?))?;
    }
    Ok(list)
}

fn item(py: Python<'_>, item: &TomlItem) -> PyResult<Py<PyAny>> {
    let (kind, content) = match &item.content {
        TomlContent::Text(text) => ("text", text.into_py_any(py)?),
        TomlContent::Integer(number) => ("integer", number.into_py_any(py)?),
        TomlContent::Float(number) => ("float", number.into_py_any(py)?),
        TomlContent::Flag(flag) => ("flag", flag.into_py_any(py)?),
        TomlContent::Date => ("date", py.None()),
        TomlContent::List(items) => {
            let list = PyList::empty(py);
            for inner in items {
                list.append(self::item(py, inner)?)?;
            }
            ("list", list.into_py_any(py)?)
        }
        TomlContent::Table(inner) => ("table", members(py, inner)?.into_py_any(py)?),
    };
    (kind, content, item.range.0, item.range.1).into_py_any(py)
}

/// The known word nearest to a given word, if one is near enough to be its likely correction.
#[pyfunction]
pub fn nearest(word: &str, known: Vec<String>) -> Option<String> {
    sansim_schema::suggest::nearest(word, known.iter().map(String::as_str)).map(str::to_owned)
}

/// The units of the same magnitude as an unsupported unit, such as `kB` for `KB`: None if the unit is unknown, empty if no supported unit
/// has its magnitude, as for a bit.
#[pyfunction]
pub fn units_meant(unit: &str) -> Option<Vec<&'static str>> {
    sansim_schema::meant::units_meant(unit)
}

/// From now on this process reads only named files in these folders: what a scenario names elsewhere is refused.
///
/// Raises OSError if a folder does not exist.
#[pyfunction]
pub fn confine(folders: Vec<PathBuf>) -> PyResult<()> {
    Ok(sansim_schema::quantities::confine(&folders)?)
}

/// Converts a time such as `2.5 ms` to ticks.
///
/// Raises ValueError, which says why the text is not a time and which texts are.
#[pyfunction]
pub fn time_ticks(text: &str) -> PyResult<u64> {
    sansim_schema::option::parse_time(text).map(|span| span.ticks()).map_err(PyValueError::new_err)
}

/// Splits a quantity such as `64 KiB` into 64 and `KiB`, whatever the unit is; None if the text is not a number followed by a unit.
#[pyfunction]
pub fn split_quantity(text: &str) -> Option<(f64, &str)> {
    document::split_quantity(text)
}

/// Every unit with the quantity that it measures and its size in the base unit: ns, bytes, bytes per second, metres, ns per metre, one.
#[pyfunction]
pub fn unit_factors() -> Vec<(&'static str, &'static str, f64)> {
    document::unit_factors()
}

//! The keys of a resolved scenario, as data for Python.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use sansim_schema::document::{self, TomlContent};
use sansim_schema::writer;

/// A key of a resolved scenario.
#[pyclass(frozen, get_all, module = "sansim._core")]
pub struct Setting {
    /// The dotted path of the key, such as `workload.size`.
    pub key: String,
    /// The effective value of the key, as plain data. A quantity is given as a text with its unit, such as `64 KiB`.
    pub value: Py<PyAny>,
    /// The source from which the value is derived, in words; None if the value was written or is a default.
    pub follows: Option<String>,
    /// The words that are permitted as value; empty if the value is not a word.
    pub words: Vec<&'static str>,
}

impl Setting {
    pub(crate) fn new(py: Python<'_>, setting: writer::Setting) -> PyResult<Self> {
        let writer::Setting { key, toml, follows, words, .. } = setting;
        let value = match document::value(&toml) {
            Some(content) => data(py, &content)?.unbind(),
            None => return Err(PyRuntimeError::new_err(format!("the value of {key} is no TOML: {toml}"))),
        };
        Ok(Self { key, value, follows, words })
    }
}

/// Converts a value to plain Python data: text, number, truth value, list or dict. The result is None for a date.
fn data<'py>(py: Python<'py>, content: &TomlContent) -> PyResult<Bound<'py, PyAny>> {
    Ok(match content {
        TomlContent::Text(text) => text.into_bound_py_any(py)?,
        TomlContent::Integer(number) => number.into_bound_py_any(py)?,
        TomlContent::Float(number) => number.into_bound_py_any(py)?,
        TomlContent::Flag(flag) => flag.into_bound_py_any(py)?,
        TomlContent::Date => py.None().into_bound(py),
        TomlContent::List(items) => {
            let list = PyList::empty(py);
            for inner in items {
                list.append(data(py, &inner.content)?)?;
            }
            list.into_any()
        }
        TomlContent::Table(inner) => {
            let dict = PyDict::new(py);
            for member in inner {
                dict.set_item(&member.key, data(py, &member.item.content)?)?;
            }
            dict.into_any()
        }
    })
}

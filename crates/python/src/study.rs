//! The form of study files, for the reader of study files in Python.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use sansim_schema::doc::{DefaultDoc, TableDoc, TableNeed};
use sansim_schema::quantity::quoted;

/// A key of a table of a study file.
#[pyclass(frozen, get_all, module = "sansim._core")]
#[derive(Clone)]
pub struct StudyKey {
    /// The name of the key.
    pub name: String,
    /// For a required key, an example of its value, as TOML. The example is empty for tables with keys of their own.
    pub required: Option<String>,
    /// The default of the key, as TOML, if the default is always the same.
    pub default: Option<String>,
    /// The words that are permitted as value; none if the value is not a word.
    pub words: Vec<String>,
    /// Whether the value is a table, or contains tables.
    pub is_table: bool,
}

/// The tables of a study file: the keys of each table, by its path, such as `axes.NAME.cases`; the path of the file itself is empty.
#[pyfunction]
pub fn study_tables(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let root = sansim_study::study_file_table();
    let tables = PyDict::new(py);
    tables.set_item("", keys(&root))?;
    for (path, inner) in root.inner_tables("") {
        tables.set_item(path, keys(&inner.table))?;
    }
    Ok(tables)
}

fn keys(table: &TableDoc) -> Vec<StudyKey> {
    let fields = table.fields.iter().map(|field| StudyKey {
        name: field.name.to_owned(),
        required: match field.default {
            DefaultDoc::Required(example) => Some(example.to_owned()),
            _ => None,
        },
        default: match field.default {
            DefaultDoc::Is(toml) => Some(toml.to_owned()),
            DefaultDoc::Word(word) => Some(quoted(word)),
            _ => None,
        },
        words: field.words.iter().map(|known| known.word.to_owned()).collect(),
        is_table: field.is_table(),
    });
    let tables = table.tables.iter().map(|inner| StudyKey {
        name: inner.name.to_owned(),
        required: (inner.need == TableNeed::Required).then(String::new),
        default: None,
        words: Vec::new(),
        is_table: true,
    });
    fields.chain(tables).collect()
}

/// The JSON Schema of a study file, as JSON text.
#[pyfunction]
pub fn study_schema_json() -> String {
    sansim_study::study_json_schema().to_string()
}

/// The reference page of study files, in Markdown.
#[pyfunction]
pub fn study_reference_text() -> String {
    sansim_study::study_key_reference()
}

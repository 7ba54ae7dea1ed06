//! Published drives, for Python.

use pyo3::prelude::*;

/// A word for a published drive.
#[pyclass(frozen, get_all, module = "sansim._core")]
pub struct Preset {
    /// The kind that has it, as `disks`.
    pub kind: &'static str,
    /// The key that it is written as.
    pub key: &'static str,
    /// The word.
    pub word: &'static str,
    /// Its meaning.
    pub meaning: &'static str,
    /// Where that was published.
    pub source: &'static str,
}

/// All published drives, in the order of their kinds.
#[pyfunction]
pub fn presets() -> Vec<Preset> {
    let known = sansim_scenario::kinds::presets().into_iter();
    known
        .map(|sansim_scenario::kinds::Preset { kind, key, word, meaning, source }| Preset {
            kind,
            key,
            word,
            meaning,
            source,
        })
        .collect()
}

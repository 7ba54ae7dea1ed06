//! Published drives, for Python.

use pyo3::prelude::*;

/// A word for a published drive.
#[pyclass(frozen, get_all, module = "sansim._core")]
pub struct Preset {
    /// The kind of component that has the preset, such as `disks`.
    pub kind: &'static str,
    /// The key of the scenario whose value is the word.
    pub key: &'static str,
    /// The word of the preset.
    pub word: &'static str,
    /// The meaning of the word.
    pub meaning: &'static str,
    /// The document in which the data of the drive were published.
    pub source: &'static str,
}

/// All published drives, in the order of their kinds.
#[pyfunction]
pub fn presets() -> Vec<Preset> {
    let known = sansim_scenario::kinds::all_presets().into_iter();
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

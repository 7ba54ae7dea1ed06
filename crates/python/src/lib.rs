//! The Python binding of sansim: module `sansim._core`.
//!
//! This crate only translates between Rust and Python. Scenarios are read and checked by `sansim-scenario`, the form of studies is defined
//! in `sansim-study`, runs are made by `sansim-simulator`; this crate converts their types to Python's and back, releases the interpreter
//! lock during a run, and calls Python several times a second (for a progress callback and Ctrl-C).

mod cache;
mod catalogue;
mod decisions;
mod document;
mod preset;
mod rules;
mod run;
mod scenario;
mod setting;
mod study;
mod table;
mod trace;
mod wishes;

use pyo3::prelude::*;
use sansim_observe::kind::{FileKind, HEAD_BYTES};

/// A fingerprint of the sources that results depend on: 16 hexadecimal digits, the same for the same sources.
#[pyfunction]
fn model_fingerprint() -> &'static str {
    env!("SANSIM_MODEL_FINGERPRINT")
}

/// Whether a file that begins with these bytes is a file of sansim of the named kind: trace, capture, timeline or playback. For any word that is not
/// one of these kinds the result is false.
#[pyfunction]
fn is_kind(word: &str, head: &[u8]) -> bool {
    FileKind::ALL.into_iter().any(|kind| kind.word() == word && kind.is_file_beginning(head))
}

/// For each stream of a fio job file: its name, the largest number of outstanding I/Os, its engine, and whether the engine waits for each
/// I/O. The argument `engine` applies to jobs that name no engine. The list is empty if the job file cannot be run.
#[pyfunction]
fn fio_streams(text: &str, engine: &str) -> Vec<(String, u32, String, bool)> {
    let told = sansim_workload::fio_job::kind::options_of_streams(text, engine).into_iter();
    told.map(|of| (of.name, of.depth, of.engine, of.is_synchronous)).collect()
}

/// Native part of sansim; use the `sansim` package.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("FORMAT", sansim_scenario::format::FORMAT)?;
    module.add_function(wrap_pyfunction!(scenario::migrate, module)?)?;
    module.add("DICTIONARY", sansim_schema::source::DICTIONARY)?;
    module.add("ScenarioError", module.py().get_type::<scenario::ScenarioError>())?;
    module.add("ClockError", module.py().get_type::<run::ClockError>())?;
    module.add("ConservationError", module.py().get_type::<run::ConservationError>())?;
    module.add("ComponentError", module.py().get_type::<run::ComponentError>())?;
    module.add("RuleError", module.py().get_type::<run::RuleError>())?;
    module.add("FileError", module.py().get_type::<run::FileError>())?;
    trace::add(module)?;
    rules::add(module)?;
    #[cfg(sansim_with_rules)]
    sansim_rules::custom::register_custom_rules(with_rules::RULES);
    module.add_function(wrap_pyfunction!(cache::cache_hits, module)?)?;
    module.add_class::<scenario::Problem>()?;
    module.add_class::<scenario::Scenario>()?;
    module.add_class::<document::Document>()?;
    module.add_class::<document::Code>()?;
    document::add_codes(module.py())?;
    module.add_class::<study::StudyKey>()?;
    module.add_class::<preset::Preset>()?;
    module.add_function(wrap_pyfunction!(preset::presets, module)?)?;
    module.add_class::<run::Progress>()?;
    module.add_class::<run::Outcome>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<table::SpilledRows>()?;
    module.add_class::<run::WrittenFile>()?;
    module.add("HEAD_BYTES", HEAD_BYTES)?;
    module.add_function(wrap_pyfunction!(is_kind, module)?)?;
    module.add_function(wrap_pyfunction!(fio_streams, module)?)?;
    module.add_function(wrap_pyfunction!(model_fingerprint, module)?)?;
    module.add_class::<catalogue::Figure>()?;
    module.add_class::<catalogue::Segment>()?;
    module.add_class::<catalogue::Quantity>()?;
    module.add_class::<catalogue::Kind>()?;
    module.add_function(wrap_pyfunction!(catalogue::kinds, module)?)?;
    module.add_class::<setting::Setting>()?;
    module.add_function(wrap_pyfunction!(catalogue::figure, module)?)?;
    module.add_function(wrap_pyfunction!(catalogue::figures, module)?)?;
    module.add_function(wrap_pyfunction!(catalogue::segments, module)?)?;
    module.add_function(wrap_pyfunction!(catalogue::quantities, module)?)?;
    module.add_function(wrap_pyfunction!(document::split_quantity, module)?)?;
    module.add_function(wrap_pyfunction!(document::nearest, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::analyse_designs, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::read_text, module)?)?;
    module.add_function(wrap_pyfunction!(document::unit_factors, module)?)?;
    module.add_function(wrap_pyfunction!(document::units_meant, module)?)?;
    module.add_function(wrap_pyfunction!(document::confine, module)?)?;
    module.add_function(wrap_pyfunction!(document::time_ticks, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::reference_text, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::schema_json, module)?)?;
    module.add_function(wrap_pyfunction!(study::study_tables, module)?)?;
    module.add_function(wrap_pyfunction!(study::study_reference_text, module)?)?;
    module.add_function(wrap_pyfunction!(study::study_schema_json, module)?)
}

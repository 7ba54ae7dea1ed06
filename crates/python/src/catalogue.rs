//! What the figures of a result are, for Python.

use pyo3::prelude::*;
use sansim_observe::ledger::Segment;
use sansim_system::catalogue;

/// A figure of the summary.
#[pyclass(frozen, get_all, module = "sansim._core")]
pub struct Figure {
    /// Its dotted path.
    pub path: String,
    /// Its unit: `ns`, `s`, `B`, `B/s`, `IOPS`; or what it is: `share`, `count`, `number`, `word`, `flag`.
    pub unit: &'static str,
    /// What people call it.
    pub label: String,
    /// What it means, in a line.
    pub meaning: &'static str,
    /// The kind of the component it belongs to; empty for a figure of the whole.
    pub kind: &'static str,
    /// Whether there are several of it, numbered from 0 behind the path.
    pub several: bool,
}

impl From<catalogue::Figure> for Figure {
    fn from(figure: catalogue::Figure) -> Self {
        let catalogue::Figure { path, unit, label, meaning, kind, several } = figure;
        Self { path, unit: unit.name(), label, meaning, kind, several }
    }
}

/// The figure at a path of the summary, whatever the names in it are; None if no scenario has it.
#[pyfunction]
pub fn figure(path: &str) -> Option<Figure> {
    catalogue::find(path).map(Figure::from)
}

/// The figures of any scenario, with `*` for the names of components and workloads.
#[pyfunction]
pub fn figures() -> Vec<Figure> {
    catalogue::all().into_iter().map(Figure::from).collect()
}

/// The segments of the time ledger in the order of results: name, and whether an I/O waits there.
#[pyfunction]
pub fn segments() -> Vec<(&'static str, bool)> {
    Segment::ALL.iter().map(|segment| (segment.name(), segment.block().is_none())).collect()
}

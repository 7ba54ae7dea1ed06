//! The catalogue of a result for Python: its figures and segments, with unit, label and meaning.

use pyo3::prelude::*;
use sansim_registry::{Category, Drawn, KINDS};
use sansim_schema::words::Word as _;
use sansim_simulator::catalogue;

/// A figure of the summary.
#[pyclass(frozen, get_all, module = "sansim._core")]
pub struct Figure {
    /// Its dotted path.
    pub path: String,
    /// Its unit: `ns`, `s`, `B`, `B/s`, `IOPS`; or what it is: `share`, `count`, `number`, `word`, `flag`.
    pub unit: &'static str,
    /// Its label for people.
    pub label: String,
    /// Its meaning, in a line.
    pub meaning: String,
    /// Whether there are several of it, numbered from 0 behind the path.
    pub several: bool,
}

impl From<catalogue::SummaryFigure> for Figure {
    fn from(figure: catalogue::SummaryFigure) -> Self {
        let catalogue::SummaryFigure { path, unit, label, meaning, several } = figure;
        Self { path, unit: unit.name(), label, meaning, several }
    }
}

/// A segment of the time ledger, at whatever place.
#[pyclass(frozen, get_all, module = "sansim._core")]
pub struct Segment {
    /// Its name in results.
    pub name: &'static str,
    /// Its label for people.
    pub label: &'static str,
    /// The state of an I/O there, in a line.
    pub meaning: &'static str,
    /// Whether an I/O waits in it. If not, something works for it.
    pub waits: bool,
    /// Its colour in charts, as `#56B4E9`; None where any will do.
    pub colour: Option<&'static str>,
}

/// A kind of component.
#[pyclass(frozen, get_all, module = "sansim._core")]
pub struct Kind {
    /// The word for it, as `arbitrated-loop`.
    pub word: &'static str,
    /// The noun for one of it, or of its members.
    pub one: String,
    /// The noun for several.
    pub several: String,
    /// Whether requests go through it.
    pub is_host: bool,
    /// Its colour in charts, as `#332288`.
    pub colour: &'static str,
    /// Its mark in charts: `square`, `circle` or `diamond`.
    pub shape: &'static str,
    /// How a network is drawn: `ring`, `places` or `box`; None of what is no network.
    pub drawn: Option<&'static str>,
    /// The noun for a second network like it, where one beside it is worth a try; None elsewhere.
    pub second: Option<&'static str>,
}

/// Every kind of component, in the order of the registry.
#[pyfunction]
pub fn kinds() -> Vec<Kind> {
    let of = |kind: &sansim_registry::Kind| {
        let [one, several] = kind.members_called();
        Kind {
            word: kind.word,
            one,
            several,
            is_host: kind.category == Category::Host,
            colour: kind.colour(),
            shape: kind.shape(),
            drawn: (kind.drawn)().map(Drawn::word),
            second: (kind.second)(),
        }
    };
    KINDS.iter().map(of).collect()
}

/// Something that is sampled.
#[pyclass(frozen, get_all, module = "sansim._core")]
pub struct Quantity {
    /// Its name in the table of samples.
    pub name: &'static str,
    /// `share` or `count`.
    pub unit: &'static str,
    /// Its label for people.
    pub label: String,
    /// Its meaning, in a line.
    pub meaning: &'static str,
}

/// The figure at a path of the summary, whatever the names in it are; None if no scenario has it.
#[pyfunction]
pub fn figure(path: &str) -> Option<Figure> {
    catalogue::find(path).map(Figure::from)
}

/// The figures of any scenario, with `*` for the names of components, places, workloads, hosts and devices.
#[pyfunction]
pub fn figures() -> Vec<Figure> {
    catalogue::all().into_iter().map(Figure::from).collect()
}

/// The segments of the time ledger, each name once.
#[pyfunction]
pub fn segments() -> Vec<Segment> {
    let segments = catalogue::segments().into_iter();
    segments
        .map(|segment| Segment {
            name: segment.name,
            label: segment.label,
            meaning: segment.meaning,
            waits: segment.waits(),
            colour: segment.colour,
        })
        .collect()
}

/// The sampled quantities of components, each name once: first counts, then shares of the time.
#[pyfunction]
pub fn quantities() -> Vec<Quantity> {
    let quantities = catalogue::quantities().into_iter();
    quantities
        .map(|catalogue::SampledQuantity { name, unit, label, meaning }| Quantity {
            name,
            unit: unit.name(),
            label,
            meaning,
        })
        .collect()
}

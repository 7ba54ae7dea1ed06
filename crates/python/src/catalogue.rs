//! The catalogue of a result for Python: its figures and segments, with unit, label and meaning.

use pyo3::prelude::*;
use sansim_registry::{ComponentCategory, KINDS, NetworkDrawing};
use sansim_schema::words::Word as _;
use sansim_simulator::catalogue;

/// A figure of the summary.
#[pyclass(frozen, get_all, module = "sansim._core")]
pub struct Figure {
    /// The dotted path of the figure.
    pub path: String,
    /// The unit of the figure, `ns`, `s`, `B`, `B/s`, `IOPS`, or its type, `share`, `count`, `number`, `word`, `flag`.
    pub unit: &'static str,
    /// The label of the figure in reports and charts.
    pub label: String,
    /// The meaning of the figure, in one line.
    pub meaning: String,
    /// Whether the figure has several instances, numbered from 0 after the path.
    pub several: bool,
}

impl From<catalogue::SummaryFigure> for Figure {
    fn from(figure: catalogue::SummaryFigure) -> Self {
        let catalogue::SummaryFigure { path, unit, label, meaning, several } = figure;
        Self { path, unit: unit.name(), label, meaning, several }
    }
}

/// A segment of the time ledger, at any place.
#[pyclass(frozen, get_all, module = "sansim._core")]
pub struct Segment {
    /// The name of the segment in results.
    pub name: &'static str,
    /// The label of the segment in reports and charts.
    pub label: &'static str,
    /// The state of an I/O in the segment, in one line.
    pub meaning: &'static str,
    /// Whether an I/O waits in the segment. In a segment without waiting a component works for the I/O.
    pub waits: bool,
    /// The colour of the segment in charts, such as `#56B4E9`; None if the colour does not matter.
    pub colour: Option<&'static str>,
}

/// A kind of component.
#[pyclass(frozen, get_all, module = "sansim._core")]
pub struct Kind {
    /// The word for the kind, such as `arbitrated-loop`.
    pub word: &'static str,
    /// The noun for one component of the kind, or for one of its members.
    pub one: String,
    /// The noun for several components of the kind.
    pub several: String,
    /// Whether the kind is a host, which issues requests.
    pub is_host: bool,
    /// The colour of the kind in charts, such as `#332288`.
    pub colour: &'static str,
    /// The mark of the kind in charts: `square`, `circle` or `diamond`.
    pub shape: &'static str,
    /// The form in which a network is drawn: `ring`, `places` or `box`; None for a component that is not a network.
    pub drawn: Option<&'static str>,
    /// The noun for a second network of the kind, where a second one beside the first is worth trying; otherwise None.
    pub second: Option<&'static str>,
}

/// Every kind of component, in the order of the registry.
#[pyfunction]
pub fn kinds() -> Vec<Kind> {
    let of = |kind: &sansim_registry::Kind| {
        let [one, several] = kind.member_nouns();
        Kind {
            word: kind.word,
            one,
            several,
            is_host: kind.category == ComponentCategory::Host,
            colour: kind.chart_colour(),
            shape: kind.chart_shape(),
            drawn: (kind.drawn)().map(NetworkDrawing::word),
            second: (kind.second)(),
        }
    };
    KINDS.iter().map(of).collect()
}

/// A quantity that is sampled.
#[pyclass(frozen, get_all, module = "sansim._core")]
pub struct Quantity {
    /// The name of the quantity in the table of samples.
    pub name: &'static str,
    /// The unit of the quantity: `share` or `count`.
    pub unit: &'static str,
    /// The label of the quantity in reports and charts.
    pub label: String,
    /// The meaning of the quantity, in one line.
    pub meaning: &'static str,
}

/// The figure at a path of the summary, with any names in the path; None if no scenario has such a figure.
#[pyfunction]
pub fn figure(path: &str) -> Option<Figure> {
    catalogue::find_figure(path).map(Figure::from)
}

/// The figures of any scenario, with `*` for the names of components, places, workloads, hosts and devices.
#[pyfunction]
pub fn figures() -> Vec<Figure> {
    catalogue::all_figures().into_iter().map(Figure::from).collect()
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

/// The sampled quantities of components, each name once: first counts, then shares of time.
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

//! Scenarios for Python: read, check, resolve.

use std::path::PathBuf;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use sansim_analytic::{BaseScenario, Search};
use sansim_observe::names::{StationName, SystemNames};
use sansim_schema::file;
use sansim_schema::report::{self, Report};
use sansim_schema::source::COMMAND_LINE;
use sansim_simulator::NetworkModel;
use sansim_simulator::{build, catalogue};

use crate::catalogue::Figure;
use crate::run::{self, Outcome};
use crate::setting::Setting;
use crate::wishes::Wishes;

pyo3::create_exception!(
    sansim,
    ScenarioError,
    PyValueError,
    "A scenario that cannot be run. Its text lists every problem; `problems` holds them one by one."
);

/// One problem of a scenario.
#[pyclass(frozen, get_all, module = "sansim")]
#[derive(Clone)]
pub struct Problem {
    /// Stable code of the kind of problem, as `E0201`.
    pub code: String,
    /// Line in the file, from 1; none for a problem of the file as a whole, of an override or of a dictionary.
    pub line: Option<usize>,
    /// Column in the line, from 1; none where `line` is.
    pub column: Option<usize>,
    /// Path of the key, as `workload.size`; empty for the file as a whole.
    pub key: String,
    /// The problem and its cause.
    pub message: String,
    /// A few words that stand beside the place; may be empty.
    pub label: String,
    /// A remedy, when that is known.
    pub help: Option<String>,
}

#[pymethods]
impl Problem {
    fn __repr__(&self) -> String {
        let Self { code, line, key, message, .. } = self;
        let line = line.map_or("None".to_owned(), |line| line.to_string());
        format!("Problem(code={code:?}, line={line}, key={key:?}, message={message:?})")
    }
}

impl Problem {
    fn new(problem: &report::Problem) -> Self {
        // A caret without width means the file as a whole.
        let placed = problem.at.width > 0 && problem.at.has_lines;
        Self {
            code: problem.code.to_string(),
            line: placed.then(|| problem.line()),
            column: placed.then(|| problem.column()),
            key: problem.key.clone(),
            message: problem.message.clone(),
            label: problem.label.clone(),
            help: problem.help.clone(),
        }
    }
}

/// The report of the scenario crate as the Python exception.
pub(crate) fn error(py: Python<'_>, report: &Report) -> PyErr {
    let problems: Vec<Problem> = report.problems.iter().map(Problem::new).collect();
    let error = ScenarioError::new_err(report.to_string());
    match error.value(py).setattr("problems", problems) {
        Ok(()) => error,
        Err(other) => other,
    }
}

/// A checked scenario with all its defaults filled in.
#[pyclass(frozen, module = "sansim._core")]
pub struct Scenario {
    inner: sansim_scenario::Scenario,
}

#[pymethods]
impl Scenario {
    /// Reads a file. `given_by` is what messages call the place of the overrides.
    #[staticmethod]
    #[pyo3(signature = (path, overrides, given_by=COMMAND_LINE))]
    fn load(
        py: Python<'_>,
        path: PathBuf,
        overrides: Vec<(String, String)>,
        given_by: &str,
    ) -> PyResult<Self> {
        let scenario = py.detach(|| sansim_scenario::Scenario::load_given_by(&path, &overrides, given_by));
        Ok(Self { inner: scenario.map_err(|report| error(py, &report))? })
    }

    /// Reads a text; `name` is the file name in messages. Files that it names are looked for in `folder`, or in the current one.
    #[staticmethod]
    #[pyo3(signature = (text, name, overrides, given_by=COMMAND_LINE, folder=PathBuf::new()))]
    fn parse(
        py: Python<'_>,
        text: &str,
        name: &str,
        overrides: Vec<(String, String)>,
        given_by: &str,
        folder: PathBuf,
    ) -> PyResult<Self> {
        let scenario =
            py.detach(|| sansim_scenario::Scenario::parse_in(&folder, text, name, &overrides, given_by));
        Ok(Self { inner: scenario.map_err(|report| error(py, &report))? })
    }

    /// The resolved scenario as TOML.
    fn to_toml(&self) -> String {
        self.inner.to_toml()
    }

    /// Every key of the resolved scenario in its order, those that only follow another one included.
    fn settings(&self, py: Python<'_>) -> PyResult<Vec<Setting>> {
        let settings = self.inner.settings().into_iter();
        settings.map(|setting| Setting::new(py, setting)).collect()
    }

    /// The seed of all random streams.
    fn seed(&self) -> u64 {
        self.inner.run.seed
    }

    /// The time of a transmission word on a network, ns. The only network, if none is named.
    ///
    /// Raises ValueError if there is none of that name, or several and no name.
    #[pyo3(signature = (network=None))]
    fn word_time_ns(&self, network: Option<&str>) -> PyResult<f64> {
        let names = self.names();
        let network = names.network(network).map_err(PyValueError::new_err)?;
        Ok(names.networks[network].word.as_ns_f64())
    }

    /// The names of the ports, network by network in the order in which words pass them, as in traces, captures and tables. Only those of one
    /// network, if that is named.
    ///
    /// Raises ValueError if there is no network of that name.
    #[pyo3(signature = (network=None))]
    fn ports(&self, network: Option<&str>) -> PyResult<Vec<String>> {
        let names = self.names();
        let network = match network {
            Some(_) => Some(names.network(network).map_err(PyValueError::new_err)?),
            None => None,
        };
        let at = |station: &&StationName| {
            station.port.is_some_and(|(here, _)| network.is_none_or(|network| network == here))
        };
        Ok(names.stations.iter().filter(at).map(|station| station.name.clone()).collect())
    }

    /// The figures that the summary of a run has. Some may have no value, as an interval where there are too few I/Os.
    fn figures(&self) -> Vec<Figure> {
        catalogue::of(&self.inner).into_iter().map(Figure::from).collect()
    }

    /// About how many frames a run sends, to compare runs by how long they take. None if a simulated time decides.
    fn frames(&self) -> Option<f64> {
        self.inner.frames()
    }

    /// The components, ports and links of the scenario, as JSON text: `components` and `links`.
    fn graph_json(&self) -> String {
        self.inner.graph_view().to_string()
    }

    /// The results of the analytic model for the scenario, as JSON text: see docs/model/analytic.md.
    ///
    /// Raises RuntimeError if that cannot be written, which is an error of sansim.
    fn analyse(&self, py: Python<'_>) -> PyResult<String> {
        let analysis = py.detach(|| sansim_analytic::analyse(&self.inner));
        serde_json::to_string(&analysis)
            .map_err(|error| PyRuntimeError::new_err(format!("in the analysis: {error}")))
    }

    /// Warnings about permitted but suspicious values, a line each.
    fn warnings(&self) -> Vec<String> {
        self.inner.warnings()
    }

    /// Simulates. See `sansim.run`; `wishes` holds everything besides the callback.
    #[pyo3(signature = (wishes, progress=None))]
    fn run(&self, py: Python<'_>, wishes: Wishes, progress: Option<Py<PyAny>>) -> PyResult<Outcome> {
        let rows_in = wishes.rows_in.clone();
        let options = wishes.options(&self.inner)?;
        run::run(py, &self.inner, &options, rows_in.as_deref(), progress)
    }
}

impl Scenario {
    fn names(&self) -> SystemNames {
        build::plan(&self.inner, None, NetworkModel::default()).names()
    }
}

/// Works out designs: scenarios (text, name, folder) with what is chosen on top. A design is the number of its scenario and that of an option of each
/// choice; an option is a list of keys with values. As JSON text, in the order of the designs: see `sansim_analytic::Design`.
///
/// Raises RuntimeError if that cannot be written, which is an error of sansim.
#[pyfunction]
#[pyo3(signature = (bases, choices, designs, percentile=None))]
pub fn analyse_designs(
    py: Python<'_>,
    bases: Vec<(String, String, PathBuf)>,
    choices: Vec<Vec<Vec<(String, String)>>>,
    designs: Vec<(usize, Vec<usize>)>,
    percentile: Option<f64>,
) -> PyResult<String> {
    let bases = bases.into_iter().map(|(text, name, folder)| BaseScenario { text, name, folder }).collect();
    let search = Search { bases, choices, designs, percentile };
    let found = py.detach(|| sansim_analytic::designs(&search));
    serde_json::to_string(&found).map_err(|error| PyRuntimeError::new_err(format!("in the designs: {error}")))
}

/// The text of a file that may be a scenario or a study; raises ScenarioError.
#[pyfunction]
pub fn read_text(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    let name = path.display().to_string();
    py.detach(|| file::read_text(&path, &name)).map_err(|report| error(py, &report))
}

/// The text of a scenario, a study or a plan in the present format, and the changes; raises ScenarioError.
#[pyfunction]
pub fn migrate(py: Python<'_>, text: &str, name: &str) -> PyResult<(String, Vec<String>)> {
    let migrated = py.detach(|| sansim_scenario::migrate::migrate(text, name));
    migrated.map(|migrated| (migrated.text, migrated.changes)).map_err(|report| error(py, &report))
}

/// The JSON Schema of a scenario file, as JSON text.
#[pyfunction]
pub fn schema_json() -> String {
    sansim_scenario::schema().to_string()
}

/// The reference page of scenario files, in Markdown.
#[pyfunction]
pub fn reference_text() -> String {
    sansim_scenario::reference()
}

//! Scenarios for Python: how they are read, checked and resolved.

use std::path::PathBuf;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use sansim_analytic::{BaseScenario, DesignSearch};
use sansim_observe::names::{StationName, SystemNames};
use sansim_observe::playback::{networks_of, station_of};
use sansim_schema::file;
use sansim_schema::report::{self, ProblemReport};
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

/// A problem of a scenario.
#[pyclass(frozen, get_all, module = "sansim")]
#[derive(Clone)]
pub struct Problem {
    /// The stable code of the kind of problem, such as `E0201`.
    pub code: String,
    /// The line in the file, from 1; none for a problem of the whole file, of an override or of a dictionary.
    pub line: Option<usize>,
    /// The column in the line, from 1; none if there is no line.
    pub column: Option<usize>,
    /// The number of characters of the place in the line, at least 1; none if there is no line.
    pub width: Option<usize>,
    /// The path of the key, such as `workload.size`; empty for a problem of the whole file.
    pub key: String,
    /// The problem and its cause.
    pub message: String,
    /// A short label for the place of the problem; may be empty.
    pub label: String,
    /// A remedy, if one is known.
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
        // A problem with a caret of zero width concerns the whole file.
        let placed = problem.at.width > 0 && problem.at.has_lines;
        Self {
            code: problem.code.to_string(),
            line: placed.then(|| problem.line()),
            column: placed.then(|| problem.column()),
            width: placed.then_some(problem.at.width),
            key: problem.key.clone(),
            message: problem.message.clone(),
            label: problem.label.clone(),
            help: problem.help.clone(),
        }
    }
}

/// Converts the report of the scenario crate into the Python exception.
pub(crate) fn error(py: Python<'_>, report: &ProblemReport) -> PyErr {
    let problems: Vec<Problem> = report.problems.iter().map(Problem::new).collect();
    let error = ScenarioError::new_err(report.to_string());
    match error.value(py).setattr("problems", problems) {
        Ok(()) => error,
        Err(other) => other,
    }
}

/// A checked scenario with all defaults filled in.
#[pyclass(frozen, module = "sansim._core")]
pub struct Scenario {
    inner: sansim_scenario::Scenario,
}

#[pymethods]
impl Scenario {
    /// Reads a scenario from a file. Messages use `given_by` as the name of the place where the overrides were given.
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

    /// Reads a scenario from a text; `name` is its file name in messages. Files that the scenario names are searched for in `folder`, or in
    /// the current folder if no folder is given.
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

    /// Every key of the resolved scenario in order, including keys that only follow another key.
    fn settings(&self, py: Python<'_>) -> PyResult<Vec<Setting>> {
        let settings = self.inner.effective_settings().into_iter();
        settings.map(|setting| Setting::new(py, setting)).collect()
    }

    /// The seed of all random streams.
    fn seed(&self) -> u64 {
        self.inner.run.seed
    }

    /// The time of a transmission word on a network, in ns. The word time is that of the only network if no network is named.
    ///
    /// Raises ValueError if no network has this name, or if no name is given and there are several networks.
    #[pyo3(signature = (network=None))]
    fn word_time_ns(&self, network: Option<&str>) -> PyResult<f64> {
        let names = self.names();
        let network = names.network(network).map_err(PyValueError::new_err)?;
        Ok(names.networks[network].word.as_ns_f64())
    }

    /// The names of the ports, network by network in the order in which words pass them, as in traces, captures and tables. If a network is
    /// named, the list has only the ports of that network.
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

    /// The figures that the summary of a run has. Some figures may have no value, such as a confidence interval where there are too few
    /// I/Os.
    fn figures(&self) -> Vec<Figure> {
        catalogue::figures_of_run(&self.inner).into_iter().map(Figure::from).collect()
    }

    /// The approximate number of frames that a run sends, for comparing the durations of runs. The number of frames is None if a simulated
    /// time ends the run.
    fn frames(&self) -> Option<f64> {
        self.inner.estimated_frame_count()
    }

    /// The places at which components name others: key, index in a list of names or none, name, and the relation.
    fn references(&self) -> Vec<(String, Option<usize>, String, &'static str)> {
        self.inner.references()
    }

    /// The components, ports, links and stations of the scenario, as JSON text: `components`, `links`, `networks` and `stations`.
    fn graph_json(&self) -> String {
        let names = self.names();
        let mut view = self.inner.graph_for_display();
        view["networks"] = networks_of(&names);
        view["stations"] = (0..names.stations.len()).map(|station| station_of(&names, station)).collect();
        view.to_string()
    }

    /// The results of the analytic model for the scenario, as JSON text: see docs/model/analytic.md.
    ///
    /// Raises RuntimeError if the results of the analytic model cannot be written as JSON, which is an error of sansim.
    fn analyse(&self, py: Python<'_>) -> PyResult<String> {
        let analysis = py.detach(|| sansim_analytic::analyse(&self.inner));
        serde_json::to_string(&analysis)
            .map_err(|error| PyRuntimeError::new_err(format!("in the analysis: {error}")))
    }

    /// Warnings about permitted but suspicious values, one line each.
    fn warnings(&self) -> Vec<String> {
        self.inner.setting_warnings()
    }

    /// Runs the simulation. The function `sansim.run` describes the arguments; `wishes` holds all of them except the callback.
    #[pyo3(signature = (wishes, progress=None))]
    fn run(&self, py: Python<'_>, wishes: Wishes, progress: Option<Py<PyAny>>) -> PyResult<Outcome> {
        let rows_in = wishes.rows_in.clone();
        let options = wishes.options(&self.inner)?;
        run::run(py, &self.inner, &options, rows_in.as_deref(), progress)
    }
}

impl Scenario {
    fn names(&self) -> SystemNames {
        build::plan_system(&self.inner, None, NetworkModel::default()).observer_names()
    }
}

/// Analyses designs: scenarios (text, name, folder) with chosen options applied to them. A design consists of the number of its scenario
/// and the number of an option for each choice; an option is a list of keys with values. The result is JSON text, in the order of the
/// designs: see `sansim_analytic::Design`.
///
/// Raises RuntimeError if the results of the designs cannot be written as JSON, which is an error of sansim.
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
    let search = DesignSearch { bases, choices, designs, percentile };
    let found = py.detach(|| sansim_analytic::designs(&search));
    serde_json::to_string(&found).map_err(|error| PyRuntimeError::new_err(format!("in the designs: {error}")))
}

/// Reads the text of a file that may be a scenario or a study; raises ScenarioError.
#[pyfunction]
pub fn read_text(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    let name = path.display().to_string();
    py.detach(|| file::read_text(&path, &name)).map_err(|report| error(py, &report))
}

/// Converts the text of a scenario, a study or a plan to the present format, and lists the changes; raises ScenarioError.
#[pyfunction]
pub fn migrate(py: Python<'_>, text: &str, name: &str) -> PyResult<(String, Vec<String>)> {
    let migrated = py.detach(|| sansim_scenario::migrate::migrate_file(text, name));
    migrated.map(|migrated| (migrated.text, migrated.changes)).map_err(|report| error(py, &report))
}

/// The JSON Schema of a scenario file, as JSON text.
#[pyfunction]
pub fn schema_json() -> String {
    sansim_scenario::json_schema().to_string()
}

/// The reference page of scenario files, in Markdown.
#[pyfunction]
pub fn reference_text() -> String {
    sansim_scenario::key_reference()
}

//! The options of a run, converted from Python's words to the simulator's options.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use sansim_kernel::{Span, Time};
use sansim_observe::capture::{CaptureOptions, MonitoredPoints, Payload};
use sansim_observe::names::SystemNames;
use sansim_observe::observers::WatchOptions;
use sansim_observe::playback::PlaybackOptions;
use sansim_observe::timeline::TimelineOptions;
use sansim_observe::trace::TraceOptions;
use sansim_observe::trace::analyzer::AnalyzerPoint;
use sansim_observe::trace::edge::LineKinds;
use sansim_observe::trace::filter::LineFilter;
use sansim_observe::trace::trigger::Trigger;
use sansim_pdu::Address;
use sansim_scenario::Scenario;
use sansim_simulator::NetworkModel;
use sansim_simulator::RunOptions;
use sansim_simulator::build;
use sansim_simulator::run::{ObserverWindows, RecordingOptions};
use sansim_simulator::samples::Sampling;
use std::path::PathBuf;

/// The condition on the lines of an analyzer trace.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct FilterWish {
    kinds: Vec<String>,
    addresses: Vec<String>,
    ios: Vec<u64>,
}

impl FilterWish {
    fn filter(self, names: &SystemNames) -> PyResult<LineFilter> {
        Ok(LineFilter {
            kinds: kinds(&self.kinds)?,
            addresses: addresses(names, &self.addresses)?,
            ios: (!self.ios.is_empty()).then_some(self.ios),
        })
    }
}

/// The line at which an analyzer trace begins.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct TriggerWish {
    on: FilterWish,
    count: u64,
    lines_before: usize,
    lines_after: Option<u64>,
}

/// The options of an analyzer trace.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct TraceWish {
    file: PathBuf,
    network: Option<String>,
    at: Option<String>,
    ports: Vec<String>,
    shown: FilterWish,
    trigger: Option<TriggerWish>,
    states: bool,
}

impl TraceWish {
    fn options(self, names: &SystemNames) -> PyResult<TraceOptions> {
        let analyzer = match &self.at {
            None => None,
            Some(node) => Some(analyzer(names, node, self.network.as_deref())?),
        };
        let network = match analyzer.and_then(|point| names.stations[point.node].port) {
            Some((network, _)) => network,
            None => parsed("trace", names.network(self.network.as_deref()))?,
        };
        let wanted = stations("trace", names, &self.ports)?;
        let at_network = |&station: &usize| names.stations_of(network).contains(&station);
        if let Some(wanted) = &wanted
            && !wanted.iter().any(at_network)
        {
            let (port, network) = (self.ports.join(", "), &names.networks[network].name);
            return Err(PyValueError::new_err(format!("trace: `{port}` is no port of `{network}`")));
        }
        let trigger = match self.trigger {
            None => None,
            Some(wish) => Some(Trigger {
                on: wish.on.filter(names)?,
                count: wish.count,
                lines_before: wish.lines_before,
                lines_after: wish.lines_after,
            }),
        };
        Ok(TraceOptions {
            network: Some(names.networks[network].name.clone()),
            stations: wanted,
            analyzer,
            filter: self.shown.filter(names)?,
            trigger,
            states: self.states,
            limit_bytes: None,
        })
    }
}

/// An analyzer at the one station of this name, on a network if it is at several.
fn analyzer(names: &SystemNames, node: &str, network: Option<&str>) -> PyResult<AnalyzerPoint> {
    let mut found = stations("trace", names, &[node.to_owned()])?.unwrap_or_default();
    if let Some(network) = network {
        let network = parsed("trace", names.network(Some(network)))?;
        found.retain(|station| names.stations_of(network).contains(station));
    }
    match found[..] {
        [station] => parsed("trace", AnalyzerPoint::at(names, station)),
        [] => {
            Err(PyValueError::new_err(format!("trace: `{node}` is no port of `{}`", network.unwrap_or(""))))
        }
        [first, ..] => Err(PyValueError::new_err(format!(
            "trace: an analyzer is at one port, and `{node}` is {} ports; name one of them, as `{}`, or its network",
            found.len(),
            names.stations[first].name,
        ))),
    }
}

/// The addresses that these words name: a hexadecimal number, or all ports of that name. The result is None without words.
fn addresses(names: &SystemNames, wanted: &[String]) -> PyResult<Option<Vec<Address>>> {
    let mut found = Vec::new();
    for word in wanted {
        if let Some(digits) = word.strip_prefix("0x") {
            let value = u32::from_str_radix(digits, 16).ok().filter(|value| *value <= 0xFF_FFFF);
            let value = value.ok_or_else(|| {
                PyValueError::new_err(format!(
                    "trace: `{word}` is no address; one is 0xE1, or 0x0102E8 in a fabric"
                ))
            })?;
            found.push(Address::new(value));
        } else {
            let named = stations("trace", names, std::slice::from_ref(word))?.unwrap_or_default();
            found.extend(named.iter().filter_map(|&station| Some(names.stations[station].port?.1)));
        }
    }
    Ok((!wanted.is_empty()).then_some(found))
}

/// The options of a capture of frames.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct CaptureWish {
    file: PathBuf,
    ports: Vec<String>,
    ios: Vec<u64>,
    payload_bytes: Option<u16>,
}

impl CaptureWish {
    fn options(&self, names: &SystemNames) -> PyResult<CaptureOptions> {
        let points = match stations("capture", names, &self.ports)? {
            None => MonitoredPoints::Initiators,
            Some(stations) => MonitoredPoints::Stations(stations),
        };
        Ok(CaptureOptions {
            points,
            payload: self.payload_bytes.map_or(Payload::Zeros, Payload::Snapped),
            only_ios: (!self.ios.is_empty()).then(|| self.ios.iter().copied().collect()),
            ..CaptureOptions::default()
        })
    }
}

/// All options of a run besides its scenario: a mapping with these keys. The values of options that are times are texts with a unit.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Wishes {
    reference_loop: bool,
    collect_ios: bool,
    sample_every: Option<String>,
    trace: Option<TraceWish>,
    capture: Option<CaptureWish>,
    timeline: Option<PathBuf>,
    playback: Option<PathBuf>,
    window_from: Option<String>,
    window_to: Option<String>,
    slowest: Option<usize>,
    /// The largest size of each file, as a text with a unit.
    file_limit: Option<String>,
    /// The folder to which I/Os and tenancies are written during the run.
    pub rows_in: Option<PathBuf>,
    force: bool,
    /// Whether the decisions of rules are recorded.
    decisions: bool,
}

fn parsed<T>(what: &str, found: Result<T, String>) -> PyResult<T> {
    found.map_err(|fault| PyValueError::new_err(format!("{what}: {fault}")))
}

fn time(what: &str, text: &str) -> PyResult<Span> {
    parsed(what, sansim_schema::option::parse_time(text))
}

/// The stations that these names select: a name can select one port, all ports of a group or of a switch, or the first end of a link
/// between switches, where all traffic of the link is seen. The result is None if no names are given.
fn stations(what: &str, names: &SystemNames, wanted: &[String]) -> PyResult<Option<Vec<usize>>> {
    if wanted.is_empty() {
        return Ok(None);
    }
    let mut found = Vec::new();
    for name in wanted {
        let fits = |full: &str| name == "all" || full == name || full.split('[').next() == Some(name);
        let before = found.len();
        let ports = || (0..names.stations.len()).filter(|&station| names.stations[station].port.is_some());
        let is_link = |station: usize| {
            let inner = names.stations[station].inner.as_ref();
            inner.and_then(|inner| inner.link.as_ref()) == Some(name)
        };
        found.extend(ports().filter(|&station| fits(&names.stations[station].name) || is_link(station)));
        if found.len() == before {
            let mut known: Vec<&str> = ports().map(|station| names.stations[station].name.as_str()).collect();
            if known.len() > 8 {
                known.truncate(7);
                known.push("...");
            }
            let message = format!("{what}: there is no port `{name}`; ports: {}", known.join(", "));
            return Err(PyValueError::new_err(message));
        }
    }
    Ok(Some(found))
}

fn kinds(wanted: &[String]) -> PyResult<LineKinds> {
    if wanted.is_empty() {
        return Ok(LineKinds::ALL);
    }
    wanted.iter().try_fold(LineKinds::NONE, |all, word| {
        let known = LineKinds::WORDS.iter().find(|known| known.0 == word);
        known.map(|(_, kinds)| all.union(*kinds)).ok_or_else(|| {
            let words: Vec<&str> = LineKinds::WORDS.iter().map(|known| known.0).collect();
            PyValueError::new_err(format!("trace: there is no kind `{word}`; kinds: {}", words.join(", ")))
        })
    })
}

impl Wishes {
    /// The options of the run.
    pub fn options(self, scenario: &Scenario) -> PyResult<RunOptions> {
        let loop_model = if self.reference_loop { NetworkModel::Reference } else { NetworkModel::Fast };
        let names = build::plan_system(scenario, None, loop_model).observer_names();
        let sampling = match &self.sample_every {
            Some(text) => {
                let every = time("sample interval", text)?;
                if every == Span::ZERO {
                    return Err(PyValueError::new_err("sample interval: must be longer than 0"));
                }
                Sampling::Every(every)
            }
            None if self.collect_ios => Sampling::Automatic,
            None => Sampling::Off,
        };
        let limit_bytes = match &self.file_limit {
            Some(text) => Some(parsed("limit of the files", sansim_schema::option::parse_size(text))?),
            None => None,
        };
        let trace = match self.trace {
            Some(wish) => Some((wish.file.clone(), TraceOptions { limit_bytes, ..wish.options(&names)? })),
            None => None,
        };
        let capture = match self.capture {
            Some(wish) => {
                let options = CaptureOptions { limit_bytes, ..wish.options(&names)? };
                Some((wish.file, options))
            }
            None => None,
        };
        let timeline =
            self.timeline.map(|file| (file, TimelineOptions { limit_bytes, ..TimelineOptions::default() }));
        let version = || env!("CARGO_PKG_VERSION").to_owned();
        let playback = self.playback.map(|file| {
            (file, PlaybackOptions { limit_bytes, graph: scenario.graph_for_display(), version: version() })
        });
        Ok(RunOptions {
            loop_model,
            decisions: self.decisions,
            // The seed is that of the scenario; a different seed is given as an override, so that the resolved scenario contains it.
            seed: None,
            recording: RecordingOptions { ios: self.collect_ios, sampling },
            watch: WatchOptions {
                tenancies: self.collect_ios,
                paths: self.collect_ios,
                trace,
                capture,
                timeline,
                playback,
                force: self.force,
            },
            when: when(self.window_from.as_deref(), self.window_to.as_deref(), self.slowest)?,
        })
    }
}

fn when(from: Option<&str>, to: Option<&str>, slowest: Option<usize>) -> PyResult<ObserverWindows> {
    let bound = |what, text: Option<&str>| {
        text.map(|text| time(what, text).map(|span| Time::ZERO + span)).transpose()
    };
    let (from, to) = (bound("start of the window", from)?, bound("end of the window", to)?);
    match (from, to, slowest) {
        (None, None, None) => Ok(ObserverWindows::Always),
        (None, None, Some(count)) => Ok(ObserverWindows::Slowest(count)),
        (_, _, Some(_)) => Err(PyValueError::new_err(
            "a window is either from one time to another or about the slowest I/Os, not both",
        )),
        (from, to, None) => {
            let (from, to) = (from.unwrap_or(Time::ZERO), to.unwrap_or(Time::NEVER));
            if from >= to {
                return Err(PyValueError::new_err("the window ends before it begins"));
            }
            Ok(ObserverWindows::Between(from, to))
        }
    }
}

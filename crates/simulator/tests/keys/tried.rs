//! Tries whether a key changes a measured value.

use crate::listed::Key;
use crate::{tables, values};
use sansim_scenario::Scenario;
use sansim_simulator::run::{RecordingOptions, RunFlow, RunOptions, run};
use sansim_simulator::samples::Sampling;
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A small system in which keys are tried.
pub struct System {
    pub name: String,
    text: String,
    /// The system's components by name and kind, and all its keys with their values.
    components: Vec<(String, &'static str)>,
    settings: HashMap<String, String>,
    /// The measured values with other settings of keys.
    known: Mutex<HashMap<String, Option<u64>>>,
}

/// The outcome for a key.
#[derive(Clone, Debug)]
#[expect(dead_code, reason = "a failed test tells them")]
pub enum Came {
    /// A value of the key changed a measured value: the system, the key, the value and the settings.
    Changed { system: String, key: String, value: String, set: Vec<(String, String)> },
    /// Wherever the key was tried, `check` reported that it has no effect there.
    SaidIdle { runs: usize },
    /// No value of the key had an effect: the number of runs, and of values that were refused, reported as
    /// idle or stopped.
    Dead { runs: usize, refused: usize, said_idle: usize, stopped: usize },
}

/// Figures that only repeat the description of a component.
const DESCRIBED: &[&str] =
    &["round_trip_ns", "ports", "segment_bytes", "switches", "links", "switch_ports", "count"];

/// The longest wall-clock time of a run; a longer run gives no result.
const PATIENCE: Duration = Duration::from_secs(4);

/// The number of runs without a change after which a key counts as dead.
const MOST_RUNS: usize = 100;

/// The most values of a key that are tried in one place.
const MOST_VALUES: usize = 10;

type Set = Vec<(String, String)>;

impl System {
    /// Reads a system of a folder.
    pub fn read(folder: &Path, name: &str) -> Self {
        let text = std::fs::read_to_string(folder.join(name)).expect("a system");
        let mut system = Self {
            name: name.to_owned(),
            text,
            components: Vec::new(),
            settings: HashMap::new(),
            known: Mutex::default(),
        };
        let scenario = system.parse(&[]).unwrap_or_else(|report| panic!("{report}"));
        system.components =
            scenario.components.iter().map(|one| (one.name.clone(), one.kind_of_component().word)).collect();
        system.settings = scenario.effective_settings().into_iter().map(|one| (one.key, one.toml)).collect();
        system
    }

    /// The scenario with keys set.
    pub fn parse(&self, set: &[(String, String)]) -> Result<Scenario, sansim_schema::report::ProblemReport> {
        Scenario::parse_in(&crate::folder(), &self.text, &self.name, set, "the test")
    }

    /// The tables in which a key of a kind may be: the names of the components, or the name of a table that is
    /// no component.
    fn owners(&self, kind: &str) -> Vec<String> {
        if ["run", "fcp"].contains(&kind) {
            return vec![kind.to_owned()];
        }
        self.components.iter().filter(|(_, word)| *word == kind).map(|(name, _)| name.clone()).collect()
    }

    /// The paths of a key in this system, with the names that the system has in place of `NAME`.
    fn paths(&self, key: &Key, owner: &str) -> Vec<String> {
        let pattern = format!("{owner}.{}", key.path);
        let mut found = vec![Vec::<String>::new()];
        for segment in pattern.split('.') {
            if segment != "NAME" {
                found.iter_mut().for_each(|path| path.push(segment.to_owned()));
                continue;
            }
            found = found
                .into_iter()
                .flat_map(|path| {
                    let before = format!("{}.", path.join("."));
                    let mut names: Vec<String> = self
                        .settings
                        .keys()
                        .filter_map(|key| key.strip_prefix(&before)?.split('.').next().map(str::to_owned))
                        .collect();
                    names.sort();
                    names.dedup();
                    names.into_iter().map(move |name| [path.clone(), vec![name]].concat()).collect::<Vec<_>>()
                })
                .collect();
        }
        let all = found.into_iter().map(|path| path.join("."));
        let is_there = |path: &String| {
            !key.with.is_empty() || self.settings.contains_key(path) || {
                let table = path.rsplit_once('.').map_or("", |(table, _)| table);
                tables::is_always_there(table)
            }
        };
        all.filter(is_there).collect()
    }

    /// The keys of this system whose paths end with this name.
    fn ending_in(&self, end: &str) -> Vec<String> {
        let end = format!(".{end}");
        let mut keys: Vec<String> = self.settings.keys().filter(|key| key.ends_with(&end)).cloned().collect();
        keys.sort();
        keys
    }

    /// The measured value with these settings; none if they are not valid, or if the run does not end.
    fn measured(&self, set: &Set, scenario: &Scenario) -> Option<u64> {
        let name = format!("{set:?}");
        if let Some(known) = self.known.lock().expect("no panic").get(&name) {
            return *known;
        }
        let measured = measure(scenario);
        self.known.lock().expect("no panic").insert(name, measured);
        measured
    }

    /// Tries a key in this system.
    fn tries(&self, key: &Key, count: &mut Counts) -> Option<Came> {
        for owner in self.owners(key.kind) {
            for path in self.paths(key, &owner).into_iter().take(2) {
                for needs in tables::needs(key) {
                    // The parts before the key in its path get the names of this system.
                    let concrete = |wanted: &str| concrete(wanted, &key.path, &path, &owner);
                    let with = key.with.iter().map(|(key, value)| (concrete(key), value.clone()));
                    let needs = needs.iter().flat_map(|(key, value)| {
                        let keys = match key.strip_prefix("**.") {
                            Some(end) => self.ending_in(end),
                            None => vec![concrete(key)],
                        };
                        keys.into_iter().map(|key| (key, (*value).to_owned()))
                    });
                    let base: Set = with.chain(needs.filter(|(key, _)| *key != path)).collect();
                    if let Some(came) = self.tries_at(key, &path, &base, count) {
                        return Some(came);
                    }
                }
            }
        }
        None
    }

    fn tries_at(&self, key: &Key, path: &str, base: &Set, count: &mut Counts) -> Option<Came> {
        let scenario = self.parse(base).map_err(|report| count.remember(&report)).ok()?;
        let now = scenario.effective_settings().into_iter().find(|one| one.key == path).map(|one| one.toml);
        let before = self.measured(base, &scenario)?;
        if count.runs > MOST_RUNS {
            return None;
        }
        for value in values::of(key, now.as_deref()).into_iter().take(MOST_VALUES) {
            let mut set: Set = base.iter().filter(|(key, _)| key != path).cloned().collect();
            set.push((path.to_owned(), value.clone()));
            // The key of the network itself has the same name, and other values.
            let is_of_adapter = |path: &str| path.matches('.').count() > 1;
            let mut together = tables::TOGETHER.iter().filter(|_| is_of_adapter(path));
            if let Some(end) = together.find(|end| tables::is_it(key, &format!("*.{end}"))) {
                set.extend(
                    self.ending_in(end)
                        .into_iter()
                        .filter(|other| other != path && is_of_adapter(other))
                        .map(|other| (other, value.clone())),
                );
            }
            let scenario = match self.parse(&set) {
                Ok(scenario) => scenario,
                Err(report) => {
                    count.remember(&report);
                    count.refused += 1;
                    continue;
                }
            };
            count.runs += 1;
            count.said_idle += usize::from(scenario.idle_keys().iter().any(|idle| idle.key == path));
            match measure(&scenario) {
                None => count.stopped += 1,
                Some(measured) if measured != before => {
                    return Some(Came::Changed {
                        system: self.name.clone(),
                        key: path.to_owned(),
                        value,
                        set: base.clone(),
                    });
                }
                Some(_) => {}
            }
        }
        None
    }
}

/// The path of a key beside another key whose names are known.
fn concrete(wanted: &str, pattern: &str, path: &str, owner: &str) -> String {
    if let Some(absolute) = wanted.strip_prefix('/') {
        return absolute.to_owned();
    }
    if let Some(around) = wanted.strip_prefix("../") {
        let table = path.rsplitn(3, '.').nth(2).unwrap_or_default();
        return format!("{table}.{around}");
    }
    if let Some(beside) = wanted.strip_prefix("./") {
        let table = path.rsplit_once('.').map_or("", |(table, _)| table);
        return format!("{table}.{beside}");
    }
    let known: Vec<&str> =
        path.strip_prefix(owner).unwrap_or(path).trim_start_matches('.').split('.').collect();
    let pattern: Vec<&str> = pattern.split('.').collect();
    let segments = wanted.split('.').enumerate().map(|(number, segment)| match segment {
        "NAME" if pattern.get(number) == Some(&"NAME") => known.get(number).copied().unwrap_or("NAME"),
        other => other,
    });
    format!("{owner}.{}", segments.collect::<Vec<_>>().join("."))
}

/// The counts of the tries.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    runs: usize,
    refused: usize,
    said_idle: usize,
    stopped: usize,
    pub last: String,
}

impl Counts {
    fn remember(&mut self, report: &sansim_schema::report::ProblemReport) {
        self.last = report.problems.first().map(|problem| problem.message.clone()).unwrap_or_default();
    }
}

/// Tries a key in one system after the other.
pub fn tries(key: &Key, systems: &[System]) -> (Came, String) {
    let mut counts = Counts::default();
    let came = systems.iter().find_map(|system| system.tries(key, &mut counts));
    let Counts { runs, refused, said_idle, stopped, last } = counts;
    let none = if runs > 0 && said_idle == runs {
        Came::SaidIdle { runs }
    } else {
        Came::Dead { runs, refused, said_idle, stopped }
    };
    (came.unwrap_or(none), last)
}

/// A number that depends on every measured value of a run; none if the run has no result within its time.
fn measure(scenario: &Scenario) -> Option<u64> {
    let recording = RecordingOptions { ios: true, sampling: Sampling::Automatic };
    let options = RunOptions { recording, ..RunOptions::default() };
    let began = Instant::now();
    // A result may consist of several runs, one of which may be stopped.
    let mut is_stopped = false;
    let result = run(scenario, &options, &mut |_| {
        is_stopped |= began.elapsed() > PATIENCE;
        if is_stopped { RunFlow::Stop } else { RunFlow::Continue }
    });
    let result = result.ok().filter(|_| !is_stopped)?;
    let mut summary = serde_json::to_value(&result.summary).expect("a summary is JSON");
    let top = summary.as_object_mut().expect("an object");
    for worked_out in ["bounds", "title", "seed", "warnings"] {
        top.remove(worked_out);
    }
    for component in top["components"].as_object_mut().expect("an object").values_mut() {
        let figures = component.as_object_mut().expect("an object");
        figures.retain(|name, _| !DESCRIBED.contains(&name.as_str()));
    }
    let mut hash = DefaultHasher::new();
    summary.to_string().hash(&mut hash);
    format!("{:?}", result.ios).hash(&mut hash);
    format!("{:?}", result.samples.rows).hash(&mut hash);
    Some(hash.finish())
}

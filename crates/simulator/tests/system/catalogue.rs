//! The catalogue of figures is compared with the summaries of runs: neither has a figure that the other
//! lacks.

use sansim_scenario::Scenario;
use sansim_schema::catalogue::FigureUnit;
use sansim_simulator::catalogue::{self, SummaryFigure};
use sansim_simulator::{RunFlow, RunOptions};
use serde_json::Value;

const FEW: [&str; 2] = ["run.measured_ios=60", "run.warm_up=1"];

/// The scenarios together have every kind of component, passes, a precision, and parts of the summary that have no value.
const RUNS: &[(&str, &[&str])] = &[
    ("scenarios/wang-2005-base.toml", &["workload.read_fraction=0.5", "drives.count=3"]),
    (
        "scenarios/wang-2005-base.toml",
        &["workload.read_fraction=1.0", "run.precision=10 %", "run.most_ios=80"],
    ),
    ("scenarios/two-nodes.toml", &["workload.ios_per_pass=4"]),
    ("scenarios/four-disks.toml", &["disks.errors.busy=0.2"]),
    ("scenarios/long-loop.toml", &[]),
    ("scenarios/two-hosts-shared-drives.toml", &[]),
    ("scenarios/two-paths.toml", &["run.duration=1 s", "run.measured_ios=none"]),
    ("scenarios/controller-two-loops.toml", &[]),
    ("scenarios/sbod-30.toml", &["run.duration=1 s", "run.measured_ios=none"]),
    ("scenarios/grid.toml", &["run.duration=1 s", "run.measured_ios=none"]),
    ("scenarios/two-hosts-one-switch.toml", &[]),
    ("scenarios/spine-fails.toml", &IN_TIME),
    ("scenarios/direct-nvme.toml", &["load.deallocate_fraction=0.3", "load.flush_every=3"]),
    ("scenarios/two-nodes.toml", &["idle.kind=passive", "idle.count=2", STATIONS]),
    ("scenarios/two-nodes.toml", &["idle.kind=passive", "idle.count=0", STATIONS]),
];

/// A run that ends at a time, and not after a number of I/Os.
const IN_TIME: [&str; 2] = ["run.duration=20 ms", "run.measured_ios=none"];

const STATIONS: &str = r#"loop.stations=["controller", "drive", "idle"]"#;

fn short<'a>(set: &[&'a str]) -> Vec<&'a str> {
    FEW.iter().chain(set).copied().collect()
}

fn load(path: &str, set: &[&str]) -> Scenario {
    let override_of = |text: &&str| {
        text.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned())).expect("key=value")
    };
    let overrides: Vec<(String, String)> = set.iter().map(override_of).collect();
    let file = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(file).expect("scenario file");
    Scenario::parse_with(&text, path, &overrides).unwrap_or_else(|report| panic!("{report}"))
}

fn summary(path: &str, set: &[&str]) -> Value {
    let result =
        sansim_simulator::run(&load(path, &short(set)), &RunOptions::default(), &mut |_| RunFlow::Continue);
    let summary = result.expect("no files are written").summary;
    serde_json::to_value(summary).expect("a summary is JSON")
}

fn figures(path: &str, set: &[&str]) -> Vec<SummaryFigure> {
    catalogue::figures_of_run(&load(path, &short(set)))
}

/// The paths of all values; a value of a list has its number in the path.
fn leaves(value: &Value, path: &str, found: &mut Vec<(String, Value)>) {
    let deeper = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Value::Object(inner) => inner.iter().for_each(|(key, value)| leaves(value, &deeper(key), found)),
        Value::Array(items) => {
            let numbered = items.iter().enumerate();
            numbered.for_each(|(number, value)| leaves(value, &deeper(&number.to_string()), found));
        }
        _ => found.push((path.to_owned(), value.clone())),
    }
}

/// The value at a path, in which names may have dots; null if a value above it is missing.
fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    if let Some(found) = value.get(path) {
        return Some(found);
    }
    let inner = path.match_indices('.').filter_map(|(dot, _)| at(value.get(&path[..dot])?, &path[dot + 1..]));
    inner.max_by_key(|found| !found.is_null()).or(value.is_null().then_some(value))
}

fn fits(unit: FigureUnit, value: &Value) -> bool {
    match unit {
        FigureUnit::Word => value.is_string(),
        FigureUnit::Flag => value.is_boolean(),
        _ => value.is_number(),
    }
}

#[test]
fn every_value_of_a_summary_is_in_the_catalogue_of_its_scenario() {
    for (path, set) in RUNS {
        let (summary, known) = (summary(path, set), figures(path, set));
        let mut values = Vec::new();
        leaves(&summary, "", &mut values);
        assert!(values.len() > 60);
        for (place, value) in values {
            let found = known.iter().find(|figure| {
                figure.path == place && !figure.several
                    || figure.several && place.rsplit_once('.').is_some_and(|(start, _)| start == figure.path)
                    // The parts of a null value are missing.
                    || value.is_null() && (figure.path == place || figure.path.starts_with(&format!("{place}.")))
            });
            let figure = found.unwrap_or_else(|| panic!("{path}: the catalogue lacks {place}"));
            assert!(
                value.is_null() || fits(figure.unit, &value),
                "{place} is {value}, not a {:?}",
                figure.unit
            );
        }
    }
}

/// Whether a summary leaves a figure out if nothing of its kind occurred: segments that no I/O entered, errors, flushes and
/// deallocations, and the name of a link that is not between two switches.
fn is_left_out(path: &str) -> bool {
    let within = |of: &str| path.split('.').any(|part| part == of);
    ["ledger_ns", "errors", "flushes", "deallocations"].into_iter().any(within)
        || path.starts_with("fullest_links.") && path.ends_with(".link")
}

#[test]
fn flushes_deallocations_and_the_fullest_link_are_figures_where_there_are_any() {
    let (path, set) = ("scenarios/direct-nvme.toml", ["load.deallocate_fraction=0.3", "load.flush_every=3"]);
    let of_operations = summary(path, &set);
    for place in ["flushes.ios", "workloads.load.deallocations.bytes", "deallocations.response_time_ns.mean"]
    {
        assert!(at(&of_operations, place).is_some_and(|value| value.as_f64() > Some(0.0)), "{place}");
        assert!(figures(path, &set).iter().any(|figure| figure.path == place), "{place}");
    }
    let of_links = figures("scenarios/spine-fails.toml", &IN_TIME);
    for place in ["fullest_links.lan.utilisation", "fullest_links.lan.link"] {
        assert!(at(&summary("scenarios/spine-fails.toml", &IN_TIME), place).is_some(), "{place}");
        assert!(of_links.iter().any(|figure| figure.path == place), "{place}");
    }
    assert!(
        !figures("scenarios/four-disks.toml", &[]).iter().any(|of| of.path.starts_with("fullest_links."))
    );
}

#[test]
fn every_figure_of_the_catalogue_is_in_the_summary_of_a_run() {
    for (path, set) in RUNS {
        let (summary, known) = (summary(path, set), figures(path, set));
        for figure in &known {
            let Some(here) = at(&summary, &figure.path) else {
                assert!(is_left_out(&figure.path), "{path}: a run has no {}", figure.path);
                continue;
            };
            assert!(here.is_null() || figure.several == here.is_array(), "{path}: {}", figure.path);
        }
        let mut paths: Vec<&str> = known.iter().map(|figure| figure.path.as_str()).collect();
        paths.sort_unstable();
        let count = paths.len();
        paths.dedup();
        assert_eq!(paths.len(), count, "each figure once");
    }
}

#[test]
fn a_figure_is_found_by_its_path_whatever_the_names_in_it() {
    for (path, set) in RUNS {
        for figure in figures(path, set) {
            let found = catalogue::find_figure(&figure.path)
                .unwrap_or_else(|| panic!("{} is not found", figure.path));
            assert_eq!((&found.path, found.unit, found.several), (&figure.path, figure.unit, figure.several));
        }
    }
    let unit = |path: &str| catalogue::find_figure(path).map(|figure| figure.unit);
    assert_eq!(unit("passes.any.finished_s.{drive}"), Some(FigureUnit::Seconds));
    assert_eq!(unit("passes.any.drive_bytes_per_second.12"), Some(FigureUnit::BytesPerSecond));
    assert_eq!(unit("ledger_ns.mean.any.adapter.dma"), Some(FigureUnit::Nanoseconds));
    assert_eq!(unit("ledger_ns.mean.*.dma"), Some(FigureUnit::Nanoseconds));
    assert_eq!(unit("devices.drives[3].share"), Some(FigureUnit::Share));
    assert_eq!(unit("reads.response_time_ns.ci95_percentiles.p99_9.1"), Some(FigureUnit::Nanoseconds));
    for none in [
        "",
        "iops.0",
        "velocity",
        "response_time_ns",
        "response_time_ns.p95",
        "ledger_ns.mean.loop.nothing",
        "ledger_ns.mean.wire",
        "bytes",
    ] {
        assert_eq!(unit(none), None, "{none}");
    }
}

#[test]
fn components_agree_on_the_unit_and_the_label_of_a_name_so_that_a_path_alone_tells_them() {
    let catalogues = sansim_scenario::Part::CATALOGUES;
    let figures = || catalogues.iter().flat_map(|catalogue| catalogue.figures);
    for figure in figures() {
        let of_that_name = figures().filter(|other| other.name == figure.name);
        of_that_name.for_each(|other| assert_eq!((other.unit, other.label), (figure.unit, figure.label)));
    }
    let segments = || catalogues.iter().flat_map(|catalogue| catalogue.segments);
    for segment in segments() {
        let of_that_name = segments().filter(|other| other.name == segment.name);
        of_that_name.for_each(|other| {
            assert_eq!((other.label, other.waits()), (segment.label, segment.waits()), "{}", segment.name);
        });
    }
    let all = catalogue::all_figures();
    for figure in &all {
        assert_eq!(all.iter().filter(|other| other.path == figure.path).count(), 1, "{}", figure.path);
        assert!(!figure.label.is_empty() && !figure.meaning.is_empty());
    }
}

#[test]
fn whatever_is_sampled_is_in_the_catalogue() {
    let known = catalogue::quantities();
    for quantity in ["owned", "drive", "port_queue", "outstanding"] {
        assert_eq!(known.iter().filter(|known| known.name == quantity).count(), 1, "{quantity}");
    }
    assert!(known.iter().all(|quantity| !quantity.label.is_empty() && !quantity.meaning.is_empty()));
}

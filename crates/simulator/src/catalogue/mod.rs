//! The metrics of a result: place in the summary, unit, label, meaning.
//!
//! [`all_figures`] lists the metrics of any scenario, [`figures_of_run`] the metrics of one scenario, before it is run. Both functions use
//! the same lists, and a test compares them with the summaries of runs, metric by metric, so that neither has a metric that the other
//! lacks. Components declare their own metrics (figures, segments, gauges) beside the code that computes them; nothing in this module
//! depends on a particular component.

mod entries;

use crate::extent::{device_groups, devices, hosts};
use crate::fullest_link;
use entries::*;
use sansim_assembly::build;
use sansim_assembly::plan::ResultComponent;
use sansim_assembly::routes::workload_routes;
use sansim_component::NetworkModel;
use sansim_observe::names::WorkloadName;
use sansim_scenario::{Part, Scenario};
use sansim_schema::catalogue::{Catalogue, FigureDefinition, FigureUnit, GroupAggregation, Segment};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A figure of the summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryFigure {
    /// The dotted path of the figure. In [`all_figures`] a `*` replaces the name of a component, or of a place of the
    /// ledger.
    pub path: String,
    /// The unit of the metric.
    pub unit: FigureUnit,
    /// The label of the metric in reports.
    pub label: String,
    /// The meaning of the metric, in a line.
    pub meaning: String,
    /// Whether the metric has several values, numbered from 0 after the path.
    pub several: bool,
}

/// The segments of the ledger at any place, with each name once.
pub fn segments() -> Vec<&'static Segment> {
    let mut seen = BTreeSet::new();
    let all = Part::CATALOGUES.iter().flat_map(|catalogue| catalogue.segments);
    all.filter(|segment| seen.insert(segment.name)).collect()
}

/// A sampled quantity: a row of the table of samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampledQuantity {
    /// The name of the segment or quantity.
    pub name: &'static str,
    /// The unit of the quantity.
    pub unit: FigureUnit,
    /// The label of the quantity in reports.
    pub label: String,
    /// The meaning of the quantity, in a line.
    pub meaning: &'static str,
}

/// The sampled quantities of any component, with each name once: the gauges, and the utilisations since the previous
/// sample.
pub fn quantities() -> Vec<SampledQuantity> {
    let mut seen = BTreeSet::new();
    let catalogues = || Part::CATALOGUES.iter().copied();
    let sampled = catalogues().flat_map(|catalogue| catalogue.gauges).filter(|gauge| gauge.is_sampled);
    let gauges = sampled.map(|gauge| SampledQuantity {
        name: gauge.name,
        unit: FigureUnit::Count,
        label: gauge.label.to_owned(),
        meaning: gauge.meaning,
    });
    let shares = catalogues().flat_map(shares);
    let of_places = Part::PLACE_METERS.iter().copied().flatten().map(|meter| SampledQuantity {
        name: meter.name,
        unit: FigureUnit::Share,
        label: meter.label.to_owned(),
        meaning: meter.meaning,
    });
    gauges.chain(shares).chain(of_places).filter(|quantity| seen.insert(quantity.name)).collect()
}

/// The sampled meters of a component, each with the meaning of the figure that is computed from the meter.
fn shares(catalogue: &'static Catalogue) -> impl Iterator<Item = SampledQuantity> {
    let meters = catalogue.meters.iter().enumerate();
    meters.filter_map(|(number, meter)| {
        let name = meter.sampled?;
        let figure = catalogue.figures.iter().find(|figure| figure.of == FigureDefinition::Share(number));
        let meaning = figure.map_or("Share of the time since the sample before.", |figure| figure.meaning);
        Some(SampledQuantity { name, unit: FigureUnit::Share, label: name.replace('_', " "), meaning })
    })
}

/// The names that occur in a summary.
struct Told {
    /// The components, each with the catalogues of its parts, and whether it is a group.
    components: Vec<(String, Vec<&'static Catalogue>, bool)>,
    /// The places of the ledger.
    places: Vec<(String, &'static Catalogue)>,
    /// The names of workloads, hosts and devices.
    parts: [Vec<String>; 3],
    /// The components with devices that workloads use.
    device_groups: Vec<String>,
    /// The hosts, each with its devices if there are several hosts.
    at_devices: Vec<(String, Vec<String>)>,
    /// The workloads, each with its streams if it has several.
    streams: Vec<(String, Vec<String>)>,
    /// The workloads that run in passes.
    in_passes: Vec<String>,
    /// The networks with several links.
    linked: Vec<String>,
    /// The networks and adapters, which can discard damaged frames.
    discarding: Vec<String>,
}

/// The figures of any scenario, with `*` for the names of components and workloads.
pub fn all_figures() -> Vec<SummaryFigure> {
    let any = || "*".to_owned();
    let told = Told {
        components: vec![(any(), Part::CATALOGUES.to_vec(), true)],
        places: Part::CATALOGUES.iter().map(|catalogue| (any(), *catalogue)).collect(),
        parts: [vec![any()], vec![any()], vec![any()]],
        device_groups: vec![any()],
        at_devices: vec![(any(), vec![any()])],
        streams: vec![(any(), vec![any()])],
        in_passes: vec![any()],
        linked: vec![any()],
        discarding: vec![any()],
    };
    let mut figures: Vec<SummaryFigure> = Vec::new();
    for figure in figures_of(&told) {
        match figures.iter_mut().find(|known| known.path == figure.path) {
            None => figures.push(figure),
            Some(known) if !known.meaning.contains(&figure.meaning) => {
                known.meaning = format!("{} / {}", known.meaning, figure.meaning);
            }
            Some(_) => {}
        }
    }
    figures
}

/// The figures of a run of this scenario, if it is run. Some figures may have no value, for example an interval with too few
/// I/Os.
pub fn figures_of_run(scenario: &Scenario) -> Vec<SummaryFigure> {
    let plan = build::plan_system(scenario, None, NetworkModel::default());
    let (graph, names) = (&plan.graph, &plan.names);
    let component = |group: &ResultComponent| {
        let first = group.parts.iter().filter_map(|members| members.first());
        let catalogues = first.map(|member| names.components[member.index()].catalogue).collect();
        (group.name.clone(), catalogues, group.members.is_some())
    };
    let routes = workload_routes(graph);
    let device = |device: usize| graph.devices[device].name.clone();
    let of_host = |host: usize| {
        let its: Vec<_> = routes.iter().copied().filter(|route| route.host == host).collect();
        (names.components[host].name.clone(), devices(&its).into_iter().map(device).collect())
    };
    let all_hosts = hosts(&routes);
    let part = |part: usize| names.components[part].name.clone();
    let workloads = || routes.iter().map(|route| route.workload);
    let in_passes = |&workload: &usize| graph.parts[workload].part.runs_in_passes();
    let streams = |workload: &WorkloadName| {
        let several = workload.streams.iter().filter(|_| workload.streams.len() > 1);
        (workload.name.clone(), several.map(|stream| stream.name.clone()).collect())
    };
    let mut discarding: Vec<String> = graph.loops.iter().map(|network| part(network.part)).collect();
    let stations = graph.loops.iter().flat_map(|network| &network.stations);
    for adapter in stations.filter_map(|station| station.part).map(part) {
        if !discarding.contains(&adapter) {
            discarding.push(adapter);
        }
    }
    figures_of(&Told {
        components: plan.groups.iter().map(component).collect(),
        places: names.places.iter().map(|place| (place.name.clone(), place.catalogue)).collect(),
        parts: [
            workloads().map(part).collect(),
            all_hosts.iter().copied().map(part).collect(),
            devices(&routes).into_iter().map(device).collect(),
        ],
        device_groups: device_groups(&plan, &routes).into_iter().map(|(name, _)| name).collect(),
        at_devices: all_hosts.iter().filter(|_| all_hosts.len() > 1).map(|&host| of_host(host)).collect(),
        streams: names.workloads.iter().map(streams).collect(),
        in_passes: workloads().filter(in_passes).map(part).collect(),
        linked: fullest_link::networks(&plan).map(|(network, _)| part(network.part)).collect(),
        discarding,
    })
}

/// The figure at a path, whatever the component names in the path are; none if no scenario has the figure. A number after a figure
/// with several values, or an axis in braces that counts them, is a part of the path. Names may contain dots, as places of the
/// ledger do.
pub fn find_figure(path: &str) -> Option<SummaryFigure> {
    let parts: Vec<&str> = path.split('.').collect();
    let is_number = |part: &str| {
        part.starts_with('{') && part.ends_with('}')
            || !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    // Building the list takes much longer than searching it.
    static KNOWN: LazyLock<Vec<SummaryFigure>> = LazyLock::new(all_figures);
    let begins_alike =
        |known: &str| known.split('.').next().is_some_and(|name| name == "*" || name == parts[0]);
    let found = KNOWN.iter().filter(|figure| begins_alike(&figure.path)).find(|figure| {
        let known: Vec<&str> = figure.path.split('.').collect();
        let counted = figure.several.then(|| parts.split_last()).flatten();
        fits(&known, &parts) || counted.is_some_and(|(last, rest)| is_number(last) && fits(&known, rest))
    });
    found.map(|figure| SummaryFigure { path: path.to_owned(), ..figure.clone() })
}

/// Whether a path matches a known path, in which a `*` matches one or more parts.
fn fits(known: &[&str], parts: &[&str]) -> bool {
    match known.split_first() {
        None => parts.is_empty(),
        Some((&"*", rest)) => (1..=parts.len()).any(|taken| fits(rest, &parts[taken..])),
        Some((name, rest)) => {
            parts.split_first().is_some_and(|(part, others)| part == name && fits(rest, others))
        }
    }
}

fn figures_of(told: &Told) -> Vec<SummaryFigure> {
    let mut list = List(Vec::new());
    list.group("", "", &WHOLE);
    list.several("warnings");
    list.several("unstable");
    list.response_time("response_time_ns", "");
    list.directions("", "");
    for ((key, one), names) in TOLD_APART.into_iter().zip(&told.parts) {
        for name in names {
            list.part(&format!("{key}.{name}"), &format!(" of the {one}"));
        }
        list.add(
            &format!("fairness.{key}"),
            FigureUnit::Number,
            format!("fairness among the {key}"),
            FAIRNESS,
        );
    }
    for name in &told.device_groups {
        let at = format!("device_groups.{name}");
        list.part(&at, " of the group of devices");
        list.group(&at, "", &GROUP);
    }
    for (host, devices) in &told.at_devices {
        for device in devices {
            list.at_device(&format!("hosts.{host}.devices.{device}"));
        }
    }
    for (name, streams) in &told.streams {
        let at = format!("workloads.{name}");
        list.group(&at, " of the workload", &LOADED);
        for stream in streams {
            let at = format!("{at}.streams.{stream}");
            list.part(&at, " of the stream");
            list.group(&at, " of the stream", &LOADED);
        }
    }
    for name in &told.parts[1] {
        list.group(&format!("errors.hosts.{name}"), " of the host", &ERRORS);
    }
    for name in &told.discarding {
        let (what, meaning) = DISCARDED_FRAMES;
        list.add(&format!("errors.frames_lost.{name}"), FigureUnit::Count, what.to_owned(), meaning);
    }
    for name in &told.linked {
        list.group(&format!("fullest_links.{name}"), " of the network", &FULLEST_LINK);
    }
    for (name, unit, label, meaning) in BOUNDS {
        let at = format!("bounds.{name}");
        list.add(&format!("{at}.bound"), unit, format!("bound of {label}"), meaning);
        list.add(&format!("{at}.simulated"), unit, label.to_owned(), "what was simulated of what is bounded");
        let why = format!("why nothing bounds {label}");
        list.add(&format!("{at}.not_applicable"), FigureUnit::Word, why, "why the bound does not apply");
    }
    for (key, label, meaning) in BACKGROUND {
        list.add(&format!("background.{key}"), FigureUnit::Count, label.to_owned(), meaning);
    }
    for (name, catalogues, is_group) in &told.components {
        list.component(name, catalogues, *is_group);
    }
    for (ledger, of) in LEDGERS {
        for (place, catalogue) in &told.places {
            for segment in catalogue.segments {
                let label = format!("mean time of {of}: {place}, {}", segment.label).replace("*, ", "");
                list.add(
                    &format!("ledger_ns.{ledger}.{place}.{}", segment.name),
                    FigureUnit::Nanoseconds,
                    label,
                    segment.meaning,
                );
            }
        }
    }
    list.group("ledger_ns", "", &LEDGER);
    list.group("statistics", "", &STATISTICS);
    list.several("statistics.doubts");
    list.group("statistics.response_time_ns", " of the response times", &BATCHES);
    list.group("statistics.iops", " of the rates", &BATCHES);
    list.group("statistics.warm_up", "", &WARM_UP);
    list.group("statistics.precision", "", &PRECISION);
    for name in &told.in_passes {
        list.group(&format!("passes.{name}"), "", &PASSES);
        list.group(&format!("passes.{name}"), "", &PASSES_BY_DRIVE);
        for (entry, ..) in PASSES_BY_DRIVE {
            list.several(&format!("passes.{name}.{entry}"));
        }
    }
    list.0
}

struct List(Vec<SummaryFigure>);

impl List {
    fn add(&mut self, path: &str, unit: FigureUnit, label: String, meaning: &str) {
        self.0.push(SummaryFigure {
            path: path.to_owned(),
            unit,
            label,
            meaning: meaning.to_owned(),
            several: false,
        });
    }

    /// Adds the figures of a group; `of` is the suffix of their labels.
    fn group(&mut self, at: &str, of: &str, entries: &[Entry]) {
        for &(name, unit, label, meaning) in entries {
            self.add(&under(at, name), unit, format!("{label}{of}"), meaning);
        }
    }

    /// Marks the figure that was added with this path as having several values.
    fn several(&mut self, path: &str) {
        for figure in self.0.iter_mut().filter(|figure| figure.path == path) {
            figure.several = true;
        }
    }

    fn response_time(&mut self, at: &str, of: &str) {
        self.group(at, of, &RESPONSE_TIME);
        for percentile in PERCENTILES {
            let label = RESPONSE_TIME.iter().find(|entry| entry.0 == percentile).map_or("", |entry| entry.2);
            let path = format!("{at}.ci95_percentiles.{percentile}");
            let label = format!("ends of the 95 % interval of the {label}{of}");
            self.add(
                &path,
                FigureUnit::Nanoseconds,
                label,
                "from where to where the 95 % confidence interval goes",
            );
            self.several(&path);
        }
    }

    fn directions(&mut self, at: &str, of: &str) {
        for (direction, what) in DIRECTIONS {
            let (at, of) = (under(at, direction), format!("{what}{of}"));
            self.group(&at, &of, &DIRECTION);
            self.response_time(&format!("{at}.response_time_ns"), &of);
        }
    }

    fn part(&mut self, at: &str, of: &str) {
        self.group(at, of, &PART);
        self.response_time(&format!("{at}.response_time_ns"), of);
        self.directions(at, of);
    }

    /// Adds the figures of a host at a device, which have no distribution.
    fn at_device(&mut self, at: &str) {
        let of = " of the host at the device";
        self.group(at, of, &PART);
        let bounds = RESPONSE_TIME.into_iter().filter(|entry| ["mean", "min", "max"].contains(&entry.0));
        self.group(&format!("{at}.response_time_ns"), of, &bounds.collect::<Vec<_>>());
        for (direction, what) in DIRECTIONS {
            self.group(&under(at, direction), &format!("{what}{of}"), &DIRECTION);
        }
    }

    /// The metrics of a component's parts, and of the members of a group together: of several metrics with one name,
    /// the first.
    fn component(&mut self, name: &str, catalogues: &[&'static Catalogue], is_group: bool) {
        let at = format!("components.{name}");
        self.group(&at, "", &[("kind", FigureUnit::Word, "kind", "kind of the component")]);
        let mut seen = BTreeSet::new();
        for figure in catalogues.iter().flat_map(|catalogue| catalogue.figures) {
            // For `*`, which matches any component, all meanings count.
            if !seen.insert(figure.name) && name != "*" {
                continue;
            }
            let path = format!("{at}.{}", figure.name);
            self.add(&path, figure.unit, figure.label.to_owned(), figure.meaning);
            if figure.across == GroupAggregation::MeanAndRange {
                let (least, most) = (format!("{}, least", figure.label), format!("{}, most", figure.label));
                self.add(
                    &format!("{path}_min"),
                    figure.unit,
                    least,
                    "That of the member that has the least.",
                );
                self.add(&format!("{path}_max"), figure.unit, most, "That of the member that has the most.");
            }
        }
        if is_group {
            self.group(&at, "", &GROUP);
        }
    }
}

fn under(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

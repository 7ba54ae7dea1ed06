//! What every figure of a result is: its place in the summary, its unit, what people call it, what it means.
//!
//! [`all`] knows the figures of any scenario, [`of`] those of one, before it is run. Both come from the same lists, and a test
//! compares them with the summaries of runs, figure by figure, so that neither has one that the other lacks.
//!
//! The segments of the ledger, their order and their number, are asked for in one place: [`segments`].

use sansim_observe::ledger::Segment;
use sansim_scenario::{GroupRef, Scenario};

/// The kinds of components, as the summary names them.
const KINDS: [&str; 4] = [ARBITRATED_LOOP, HOST, DRIVES, PASSIVE];
const ARBITRATED_LOOP: &str = "arbitrated-loop";
const HOST: &str = "host";
const DRIVES: &str = "drives";
const PASSIVE: &str = "passive";

/// What a figure is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds.
    Nanoseconds,
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// Bytes per second.
    BytesPerSecond,
    /// I/Os per second.
    Iops,
    /// A share of a whole, 1 for all of it.
    Share,
    /// How many.
    Count,
    /// A number that is none of these, as a correlation.
    Number,
    /// No number: a word or a sentence.
    Word,
    /// No number: yes or no.
    Flag,
}

impl Unit {
    /// How it is written, where it is a unit; else what it is.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::Seconds => "s",
            Self::Bytes => "B",
            Self::BytesPerSecond => "B/s",
            Self::Iops => "IOPS",
            Self::Share => "share",
            Self::Count => "count",
            Self::Number => "number",
            Self::Word => "word",
            Self::Flag => "flag",
        }
    }
}

/// A figure of the summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Its dotted path. In [`all`] a `*` stands for the name of a component or a workload.
    pub path: String,
    /// What it is measured in.
    pub unit: Unit,
    /// What people call it.
    pub label: String,
    /// What it means, in a line.
    pub meaning: &'static str,
    /// The kind of the component it belongs to; empty for a figure of the whole.
    pub kind: &'static str,
    /// Whether there are several of it, numbered from 0 behind the path.
    pub several: bool,
}

/// A figure within a group: name, unit, label, meaning.
type Entry = (&'static str, Unit, &'static str, &'static str);

const WHOLE: [Entry; 10] = [
    ("title", Unit::Word, "title", "title of the scenario"),
    ("seed", Unit::Number, "seed", "seed of all random streams"),
    ("ios", Unit::Count, "measured I/Os", "I/Os that were measured"),
    ("warm_up_ios", Unit::Count, "I/Os left out", "I/Os that were left out before the measured ones"),
    ("stopped_early", Unit::Flag, "stopped early", "whether the run was ended before its time"),
    ("simulated_s", Unit::Seconds, "simulated time", "length of the measured interval"),
    ("iops", Unit::Iops, "number of I/Os per second", "measured I/Os over the measured interval"),
    ("iops_ci95", Unit::Iops, "± 95 % interval of IOPS", "half the width of the 95 % confidence interval"),
    (
        "bytes_per_second",
        Unit::BytesPerSecond,
        "number of bytes per second",
        "data over the measured interval",
    ),
    (
        "bytes_per_second_ci95",
        Unit::BytesPerSecond,
        "± 95 % interval of the bytes per second",
        "half the width of the 95 % confidence interval",
    ),
];

const RESPONSE_TIME: [Entry; 8] = [
    ("mean", Unit::Nanoseconds, "mean response time", "mean time from issue to completion"),
    (
        "ci95",
        Unit::Nanoseconds,
        "± 95 % interval of the mean response time",
        "half the width of the 95 % confidence interval",
    ),
    ("min", Unit::Nanoseconds, "shortest response time", "the shortest time from issue to completion"),
    ("p50", Unit::Nanoseconds, "median of the response times", "half of the I/Os took no longer"),
    ("p90", Unit::Nanoseconds, "90th percentile of the response times", "90 % of the I/Os took no longer"),
    ("p99", Unit::Nanoseconds, "99th percentile of the response times", "99 % of the I/Os took no longer"),
    (
        "p99_9",
        Unit::Nanoseconds,
        "99.9th percentile of the response times",
        "99.9 % of the I/Os took no longer",
    ),
    ("max", Unit::Nanoseconds, "longest response time", "the longest time from issue to completion"),
];

const PERCENTILES: [&str; 4] = ["p50", "p90", "p99", "p99_9"];

const DIRECTION: [Entry; 2] = [
    ("ios", Unit::Count, "measured I/Os", "I/Os that were measured"),
    ("bytes", Unit::Bytes, "data", "data of the measured I/Os"),
];

const ADAPTER: [Entry; 4] = [
    ("processor", Unit::Share, "processor", "share of the time in which the FCP main processor worked"),
    ("dma", Unit::Share, "DMA", "share of the time in which the DMA worked"),
    (
        "incoming",
        Unit::Share,
        "incoming frames",
        "share of the time in which the incoming frame process worked",
    ),
    (
        "single_frame",
        Unit::Share,
        "single frames",
        "share of the time in which the single frame transfer worked",
    ),
];

const OF_A_LOOP: [Entry; 7] = [
    ("utilisation", Unit::Share, "carrying frames", "share of the time in which frames were sent"),
    (
        "both_ways",
        Unit::Share,
        "both ways at once",
        "share of the time in which frames were sent in both directions",
    ),
    ("owned", Unit::Share, "owned", "share of the time in which some port owned the loop"),
    ("tenancies", Unit::Count, "tenancies", "how often a port won the loop"),
    ("frames", Unit::Count, "frames", "frames that were sent"),
    ("round_trip_ns", Unit::Nanoseconds, "round trip", "time of a word once round the loop"),
    ("ports", Unit::Count, "ports", "ports on the loop"),
];

const OF_A_HOST: [Entry; 1] =
    [("utilisation", Unit::Share, "busiest block", "utilisation of the busiest block of the adapter")];

const OF_DRIVES: [Entry; 7] = [
    (
        "utilisation",
        Unit::Share,
        "busy",
        "mean share of the time in which the drives accessed or transferred",
    ),
    ("utilisation_min", Unit::Share, "busy, least", "that of the least used drive"),
    ("utilisation_max", Unit::Share, "busy, most", "that of the most used drive"),
    (
        "occupied",
        Unit::Share,
        "occupied",
        "mean share of the time from the start of a command until its status was made",
    ),
    ("occupied_min", Unit::Share, "occupied, least", "that of the drive that was taken least"),
    ("occupied_max", Unit::Share, "occupied, most", "that of the drive that was taken most"),
    ("count", Unit::Count, "drives", "drives of the group"),
];

const OF_PASSIVE: [Entry; 1] = [("count", Unit::Count, "ports", "ports of the group")];

/// The parts of the ledger: the name, and of which I/Os.
const LEDGERS: [(&str, &str); 2] = [("mean", "all I/Os"), ("slowest_percent", "the slowest 1 %")];

const STATISTICS: [Entry; 6] = [
    ("confidence", Unit::Share, "confidence", "how often the intervals are meant to hold the true value"),
    ("mean_method", Unit::Word, "method of the means", "method of the intervals of mean response times"),
    ("rate_method", Unit::Word, "method of the rates", "method of the intervals of rates"),
    ("percentile_method", Unit::Word, "method of the percentiles", "method of the intervals of percentiles"),
    ("trusted", Unit::Flag, "trusted", "whether nothing speaks against the intervals"),
    ("doubts", Unit::Word, "doubts", "what speaks against the intervals"),
];

const BATCHES: [Entry; 5] = [
    ("batches", Unit::Count, "batches", "batches behind the interval"),
    ("ios_per_batch", Unit::Count, "I/Os per batch", "I/Os that make a batch"),
    ("lag1", Unit::Number, "correlation of batches", "correlation of neighbouring batches"),
    ("parts", Unit::Count, "parts", "parts that the batches are made of"),
    ("parts_lag1", Unit::Number, "correlation of parts", "correlation of neighbouring parts"),
];

const WARM_UP: [Entry; 3] = [
    ("rule", Unit::Word, "rule of the warm-up", "by which rule I/Os were left out"),
    ("ios", Unit::Count, "I/Os of the warm-up", "I/Os before the measured ones"),
    ("simulated_s", Unit::Seconds, "length of the warm-up", "simulated time before the measured interval"),
];

const PRECISION: [Entry; 5] = [
    ("of", Unit::Word, "figure to be precise", "place of the figure in the summary"),
    ("within", Unit::Share, "error allowed", "error that was allowed, as a share of the true value"),
    (
        "relative_half_width",
        Unit::Share,
        "relative half width",
        "half the width of the 95 % interval as a share of the estimate",
    ),
    ("reached", Unit::Flag, "reached", "whether the precision was reached"),
    ("ended_by", Unit::Word, "ended by", "what ended the run"),
];

const PASSES: [Entry; 8] = [
    ("complete", Unit::Count, "complete passes", "passes that were complete"),
    ("length_s", Unit::Seconds, "length of a pass", "from the beginning of a pass to its last completion"),
    ("iops", Unit::Iops, "I/Os per second of a pass", "I/Os of a pass over its length"),
    (
        "bytes_per_second",
        Unit::BytesPerSecond,
        "bytes per second of a pass",
        "data of a pass over its length",
    ),
    (
        "first_finished_s",
        Unit::Seconds,
        "first drive finished",
        "from the beginning of a pass until a drive had all its I/Os",
    ),
    (
        "last_finished_s",
        Unit::Seconds,
        "last drive finished",
        "from the beginning of a pass until all drives had all their I/Os",
    ),
    (
        "higher_half_finished_s",
        Unit::Seconds,
        "higher half finished",
        "mean over the drives of the half with the higher priority",
    ),
    (
        "lower_half_finished_s",
        Unit::Seconds,
        "lower half finished",
        "mean over the drives of the half with the lower priority, the one in the middle included",
    ),
];

/// One for each drive, in the order of their priority.
const PASSES_BY_DRIVE: [Entry; 3] = [
    ("drives", Unit::Word, "drives", "name of the drive"),
    (
        "finished_s",
        Unit::Seconds,
        "drive finished",
        "from the beginning of a pass until the drive had all its I/Os",
    ),
    (
        "drive_bytes_per_second",
        Unit::BytesPerSecond,
        "bytes per second of the drive",
        "its data of a pass over that time",
    ),
];

/// The names of the segments of the ledger, in the order of results.
pub fn segments() -> impl Iterator<Item = &'static str> {
    Segment::ALL.iter().map(|segment| segment.name())
}

/// The figures of any scenario, with `*` for the names of components and workloads.
pub fn all() -> Vec<Figure> {
    figures(&KINDS.map(|kind| ("*", kind)), &["*"])
}

/// The figures of a run of this scenario, if it is run. Some may have no value, as an interval where there are too few I/Os.
pub fn of(scenario: &Scenario) -> Vec<Figure> {
    let stations = scenario.on_loop.iter().filter(|on_loop| scenario.port_count(on_loop.group) > 0);
    let mut components = vec![(scenario.arbitrated_loop.name.as_str(), ARBITRATED_LOOP)];
    components.extend(stations.map(|on_loop| (scenario.group_name(on_loop.group), kind_of(on_loop.group))));
    let in_passes = scenario.workloads.iter().filter(|workload| workload.ios_per_pass.is_some());
    figures(&components, &in_passes.map(|workload| workload.name.as_str()).collect::<Vec<_>>())
}

fn kind_of(group: GroupRef) -> &'static str {
    match group {
        GroupRef::Host(_) => HOST,
        GroupRef::Drives(_) => DRIVES,
        GroupRef::Passive(_) => PASSIVE,
    }
}

/// The figure at a path, whatever the names in it are; none if no scenario has it. A number behind a figure of which there are
/// several, or an axis in braces that counts them, is a part of the path.
pub fn find(path: &str) -> Option<Figure> {
    let parts: Vec<&str> = path.split('.').collect();
    let is_number = |part: &str| {
        part.starts_with('{') && part.ends_with('}')
            || !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let found = all().into_iter().find(|figure| {
        let known: Vec<&str> = figure.path.split('.').collect();
        let rest = match parts.len().checked_sub(known.len()) {
            Some(0) => true,
            Some(1) => figure.several && is_number(parts[known.len()]),
            _ => false,
        };
        rest && known.iter().zip(&parts).all(|(known, part)| *known == "*" || known == part)
    });
    found.map(|figure| Figure { path: path.to_owned(), ..figure })
}

fn figures(components: &[(&str, &'static str)], in_passes: &[&str]) -> Vec<Figure> {
    let mut list = List(Vec::new());
    list.group("", "", &WHOLE);
    list.response_time("response_time_ns", "");
    for (direction, of) in [("reads", " of the reads"), ("writes", " of the writes")] {
        list.group(direction, of, &DIRECTION);
        list.response_time(&format!("{direction}.response_time_ns"), of);
    }
    for (name, kind) in components {
        list.component(name, kind);
    }
    for (ledger, of) in LEDGERS {
        for segment in segments() {
            list.add(Figure {
                path: format!("ledger_ns.{ledger}.{segment}"),
                unit: Unit::Nanoseconds,
                label: format!("mean time of {of}: {}", segment.replace('_', " ")),
                meaning: "mean time of an I/O in a segment of the ledger; the segments add up to the response time",
                kind: "",
                several: false,
            });
        }
    }
    list.group("statistics", "", &STATISTICS);
    list.several("statistics.doubts");
    list.group("statistics.response_time_ns", " of the response times", &BATCHES);
    list.group("statistics.iops", " of the rates", &BATCHES);
    list.group("statistics.warm_up", "", &WARM_UP);
    list.group("statistics.precision", "", &PRECISION);
    for name in in_passes {
        list.group(&format!("passes.{name}"), "", &PASSES);
        list.group(&format!("passes.{name}"), "", &PASSES_BY_DRIVE);
        for (entry, ..) in PASSES_BY_DRIVE {
            list.several(&format!("passes.{name}.{entry}"));
        }
    }
    list.0
}

struct List(Vec<Figure>);

impl List {
    fn add(&mut self, figure: Figure) {
        self.0.push(figure);
    }

    /// The figures of a group; `of` goes behind their labels.
    fn group(&mut self, at: &str, of: &str, entries: &[Entry]) {
        for &(name, unit, label, meaning) in entries {
            let path = if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") };
            self.add(Figure { path, unit, label: format!("{label}{of}"), meaning, kind: "", several: false });
        }
    }

    /// There are several of the figure that was added with this path.
    fn several(&mut self, path: &str) {
        for figure in self.0.iter_mut().filter(|figure| figure.path == path) {
            figure.several = true;
        }
    }

    fn response_time(&mut self, at: &str, of: &str) {
        self.group(at, of, &RESPONSE_TIME);
        for percentile in PERCENTILES {
            let label = RESPONSE_TIME.iter().find(|entry| entry.0 == percentile).map_or("", |entry| entry.2);
            self.add(Figure {
                path: format!("{at}.ci95_percentiles.{percentile}"),
                unit: Unit::Nanoseconds,
                label: format!("ends of the 95 % interval of the {label}{of}"),
                meaning: "from where to where the 95 % confidence interval goes",
                kind: "",
                several: true,
            });
        }
    }

    fn component(&mut self, name: &str, kind: &'static str) {
        let first = self.0.len();
        let at = format!("components.{name}");
        self.group(&at, "", &[("kind", Unit::Word, "kind", "kind of the component")]);
        match kind {
            ARBITRATED_LOOP => self.group(&at, "", &OF_A_LOOP),
            PASSIVE => self.group(&at, "", &OF_PASSIVE),
            HOST => {
                self.group(&at, "", &OF_A_HOST);
                self.group(&at, "", &ADAPTER);
            }
            _ => {
                self.group(&at, "", &OF_DRIVES);
                self.group(&at, "", &ADAPTER);
            }
        }
        for figure in &mut self.0[first..] {
            figure.kind = kind;
        }
    }
}

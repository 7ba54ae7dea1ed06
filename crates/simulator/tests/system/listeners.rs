//! Observers of whole runs: tenancies, samples, the analyzer trace.

use crate::common::{figure, load};
use sansim_component::NetworkModel;
use sansim_fc::al_pa::AlPa;
use sansim_fc::loop_port::PortState;
use sansim_fc::observation::Observation;
use sansim_fc::word::{LinkItem, PrimitiveSignal};
use sansim_kernel::{Span, Time, Total};
use sansim_observe::observer::{Observer, WantedCalls};
use sansim_observe::observers::WatchOptions;
use sansim_observe::trace::TraceOptions;
use sansim_observe::trace::edge::LineKinds;
use sansim_observe::trace::filter::LineFilter;
use sansim_pdu::PortSight;
use sansim_request::Requests;
use sansim_simulator::run::{ObserverWindows, RecordingOptions};
use sansim_simulator::samples::Sampling;
use sansim_simulator::{RunFlow, RunOptions, RunResult, build};
use std::collections::BTreeMap;
use std::path::PathBuf;

const BASE: &str = "scenarios/wang-2005-base.toml";
const SHORT: [&str; 3] = ["run.measured_ios=60", "run.warm_up=0", "drives.count=3"];

fn run(set: &[&str], options: RunOptions) -> RunResult {
    let scenario = load(BASE, &[&SHORT, set].concat());
    sansim_simulator::run(&scenario, &options, &mut |_| RunFlow::Continue).expect("files can be written")
}

/// A file of its own for each test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("sansim-{}-{name}", std::process::id())))
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.0).expect("the file was written")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn traced(set: &[&str], name: &str, options: TraceOptions, when: ObserverWindows) -> (RunResult, String) {
    let file = Scratch::new(name);
    let watch = WatchOptions { trace: Some((file.0.clone(), options)), ..WatchOptions::default() };
    let options = RunOptions { loop_model: NetworkModel::Reference, watch, when, ..RunOptions::default() };
    (run(set, options), file.text())
}

fn loop_of(result: &RunResult) -> (u64, u64) {
    let [tenancies, frames] = ["tenancies", "frames"].map(|name| figure(&result.summary, "loop", name));
    (tenancies as u64, frames as u64)
}

#[test]
fn the_rows_of_tenancies_are_those_that_the_summary_counts() {
    for schedule in ["fair", "unfair", "command-first"] {
        for fraction in ["1.0", "0.5"] {
            let set =
                [format!("controller.schedule={schedule}"), format!("workload.read_fraction={fraction}")];
            let set: Vec<&str> = set.iter().map(String::as_str).collect();
            let watch = WatchOptions { tenancies: true, ..WatchOptions::default() };
            let result = run(&set, RunOptions { watch, ..RunOptions::default() });
            let (tenancies, frames) = loop_of(&result);
            assert_eq!(result.tenancies.len() as u64, tenancies, "{schedule}, {fraction}");
            let rows = &result.tenancies;
            assert!(rows.windows(2).all(|pair| pair[0].ended <= pair[1].won), "one owner at a time");
            assert!(rows.iter().all(|t| t.arbitration_began <= t.won && t.won < t.ended && t.circuits > 0));
            let moved: u64 = rows.iter().map(|t| u64::from(t.frames_out + t.frames_in)).sum();
            assert_eq!(moved, frames, "every frame belongs to a tenancy");
            let bytes: u64 = rows.iter().map(|t| t.bytes_out + t.bytes_in).sum();
            assert_eq!(bytes, 60 * (64 << 10), "{schedule}, {fraction}");
        }
    }
}

#[test]
fn the_bytes_of_tenancies_add_up_to_what_was_carried_in_each_direction() {
    // The controller sends the data of writes, in tenancies of its own or of the drive that opened it; the drive sends the data
    // of reads in the same manner.
    for full_duplex in [true, false] {
        let duplex =
            ["controller", "drive"].map(|station| format!("{station}.port.full_duplex={full_duplex}"));
        let set = [duplex[0].as_str(), &duplex[1], "run.measured_ios=200", "run.warm_up=0"];
        let watch = WatchOptions { tenancies: true, ..WatchOptions::default() };
        let options = RunOptions { watch, ..RunOptions::default() };
        let result = crate::common::run_with("scenarios/two-nodes.toml", &set, &options);
        let bytes_of = |station: usize| {
            let rows = result.tenancies.iter().filter(|tenancy| tenancy.station == station);
            rows.fold((0, 0), |(sent, received), row| (sent + row.bytes_out, received + row.bytes_in))
        };
        let [controller, drive] = [0, 1].map(bytes_of);
        let (reads, writes) = (result.summary.reads.bytes, result.summary.writes.bytes);
        assert_eq!((controller.0 + drive.1, drive.0 + controller.1), (writes, reads), "{full_duplex}");
        assert!(controller.0 > 0 && drive.0 > 0, "{controller:?} {drive:?}");
        // In half duplex the opener receives no data.
        let received = [controller.1 > 0, drive.1 > 0];
        assert_eq!(received, [full_duplex; 2], "{controller:?} {drive:?}");
    }
}

/// The activities of ports that make up tenancies, in order of time.
#[derive(Default)]
struct Ports(Vec<(Time, usize, Act)>);

#[derive(Clone, Copy, PartialEq)]
enum Act {
    Arbitrates,
    Opens(AlPa),
    Sends,
}

impl Observer for Ports {
    fn wants(&self) -> WantedCalls {
        WantedCalls { ports: true, ..WantedCalls::default() }
    }

    fn at_port(&mut self, now: Time, station: usize, what: PortSight, _requests: &Requests) {
        let Some(what) = Observation::from_port_sight(what) else { return };
        let act = match what {
            Observation::State(PortState::Arbitrating) => Act::Arbitrates,
            Observation::SentItem(LinkItem::Signal(PrimitiveSignal::Open { destination, .. })) => {
                Act::Opens(destination)
            }
            Observation::SentItem(LinkItem::Frame(_)) => Act::Sends,
            _ => return,
        };
        self.0.push((now, station, act));
    }
}

#[test]
fn a_tenancy_tells_what_its_owner_and_the_others_did_in_it() {
    // Command-First sends the commands to several drives in one tenancy; in full duplex the other of two nodes sends, too.
    let command_first = [
        "run.measured_ios=100",
        "controller.schedule=command-first",
        "workload.read_fraction=0.5",
        "workload.queue_depth=4",
    ];
    let cases = [(BASE, &command_first[..]), ("scenarios/two-nodes.toml", &["run.measured_ios=100"])];
    for (file, set) in cases {
        let watch = WatchOptions { tenancies: true, ..WatchOptions::default() };
        let set = [&["run.warm_up=0"], set].concat();
        let rows =
            crate::common::run_with(file, &set, &RunOptions { watch, ..RunOptions::default() }).tenancies;
        let plan = build::plan_system(&load(file, &set), None, NetworkModel::Fast);
        let (_, Ports(acts)) =
            crate::common::watched(&plan, RecordingOptions::default(), Ports::default()).expect("it ends");
        let stations = plan.observer_names().stations;
        for row in &rows {
            let own = acts.iter().filter(|(_, station, _)| *station == row.station);
            let began = own.clone().rev().find(|(at, _, act)| *at <= row.won && *act == Act::Arbitrates);
            assert_eq!(began.map(|act| act.0), Some(row.arbitration_began), "{row:?}");
            let within = |act: &&(Time, usize, Act)| row.won <= act.0 && act.0 <= row.ended;
            let opened: Vec<AlPa> = own
                .filter(within)
                .filter_map(|act| if let Act::Opens(address) = act.2 { Some(address) } else { None })
                .collect();
            assert_eq!(opened.len(), row.circuits as usize, "{row:?}");
            let peer = row.peer.and_then(|peer| stations[peer].port).map(|(_, address)| address);
            assert_eq!(peer, opened.first().map(|al_pa| al_pa.address()), "{row:?}");
            let sends = |by_owner: bool| {
                let sent = acts.iter().filter(within).filter(|act| act.2 == Act::Sends);
                sent.filter(|act| (act.1 == row.station) == by_owner).count()
            };
            let counted = (row.frames_out as usize, row.frames_in as usize);
            assert_eq!(counted, (sends(true), sends(false)), "{row:?}");
        }
        let seen = [rows.iter().any(|row| row.circuits > 1), rows.iter().any(|row| row.frames_in > 0)];
        assert_eq!(seen, [file == BASE, file != BASE], "several circuits, and frames of others");
    }
}

#[test]
fn tenancies_are_the_same_on_both_loops() {
    let of = |loop_model| {
        let watch = WatchOptions { tenancies: true, ..WatchOptions::default() };
        run(&["workload.read_fraction=0.5"], RunOptions { loop_model, watch, ..RunOptions::default() })
            .tenancies
    };
    assert_eq!(of(NetworkModel::Fast), of(NetworkModel::Reference));
}

#[test]
fn samples_show_queues_that_exist_and_use_that_adds_up() {
    let sampling = Sampling::Every(Span::from_us(50));
    let recording = RecordingOptions { sampling, ..RecordingOptions::default() };
    let set = ["workload.queue_depth=4"];
    let board = build::plan_system(&load(BASE, &[&SHORT[..], &set].concat()), None, NetworkModel::Fast).board;
    let result = run(&set, RunOptions { recording, ..RunOptions::default() });
    let samples = &result.samples.rows;
    assert!(samples.len() > 100);
    let at_most_the_time = ["owned", "processor", "dma"];
    let metered = |name: &str| board.meters.iter().filter(|meter| meter.name == name).count();
    assert_eq!(
        at_most_the_time.map(metered),
        [1, 4, 4],
        "a loop, and the adapters of a host and three drives"
    );
    for pair in samples.windows(2) {
        assert_eq!(pair[1].at - pair[0].at, Span::from_us(50));
        for (place, meter) in board.meters.iter().enumerate() {
            let used = pair[1].meters[place] - pair[0].meters[place];
            let right = used <= Total::from(Span::from_us(50)) || !at_most_the_time.contains(&meter.name);
            assert!(right, "{} of {}: {used:?}", meter.name, meter.owner);
        }
    }
    let outstanding = result.names.gauges.iter().position(|gauge| gauge.gauge.name == "outstanding");
    let outstanding = outstanding.expect("the host has it");
    let most = samples.iter().map(|sample| sample.gauges[outstanding]).max();
    assert_eq!(most, Some(12), "outstanding: three drives, four each");
}

#[test]
fn the_shares_of_samples_add_up_to_the_use_of_the_run() {
    let sampling = Sampling::Every(Span::from_us(50));
    let recording = RecordingOptions { sampling, ..RecordingOptions::default() };
    let set = [
        "workload.queue_depth=4",
        "workload.read_fraction=0.5",
        "workload.size=4 KiB",
        "drives.concurrency=3",
    ];
    let options = RunOptions { recording, ..RunOptions::default() };
    let board = build::plan_system(&load(BASE, &[&SHORT[..], &set].concat()), None, NetworkModel::Fast).board;
    let result = run(&set, options);
    let mut sums: BTreeMap<(String, String), f64> = BTreeMap::new();
    result.samples.quantities(&result.names, &mut |_, component, quantity, value| {
        *sums.entry((component.to_owned(), quantity.to_owned())).or_default() += value * 50.0;
    });
    let last = result.samples.rows.last().expect("samples");
    let used = |component: &str, quantity: &str| {
        let found = board.meters.iter().position(|m| (&*m.owner, m.name) == (component, quantity));
        let seconds = last.meters[found.expect("it is sampled")].as_s_f64();
        // Samples give the use of a drive for each command on which it may work.
        if ["drive", "occupied"].contains(&quantity) { seconds / 3.0 } else { seconds }
    };
    let mut expected = vec![("loop", "owned"), ("loop", "frames"), ("loop", "both_ways")];
    for name in ["controller", "drives[0]", "drives[1]", "drives[2]"] {
        expected.extend([(name, "processor"), (name, "dma")]);
        if name != "controller" {
            expected.extend([(name, "drive"), (name, "occupied")]);
        }
    }
    assert_eq!(board.meters.len(), expected.len());
    for (component, quantity) in expected {
        let seconds = used(component, quantity);
        let found = sums[&(component.to_owned(), quantity.to_owned())] * 1e-6;
        // The work of a drive begins with the receipt of the command, which is reported to its firmware
        // later.
        let late = if quantity == "drive" { 0.01 * seconds } else { 0.0 };
        let right = (seconds - late - 1e-9..=seconds + 1e-9).contains(&found);
        assert!(right, "{component} {quantity}: {found} s of {seconds} s");
        assert!(quantity == "both_ways" || seconds > 0.0, "{component} {quantity}");
    }
}

#[test]
fn samples_and_listeners_change_nothing() {
    let plain = serde_json::to_string(&run(&[], RunOptions::default()).summary).expect("JSON");
    let recording = RecordingOptions { ios: true, sampling: Sampling::Automatic };
    let watch = WatchOptions { tenancies: true, ..WatchOptions::default() };
    let watched = run(&[], RunOptions { recording, watch, ..RunOptions::default() });
    assert_eq!(serde_json::to_string(&watched.summary).expect("JSON"), plain);
    let (traced, _) = traced(&[], "nothing", TraceOptions::default(), ObserverWindows::Always);
    assert_eq!(serde_json::to_string(&traced.summary).expect("JSON"), plain);
}

/// The number of words that a port sent according to a trace, from whole lines without the header.
fn words_of(text: &str, port: &str) -> u64 {
    let lines = text.lines().skip(2).filter(|line| line.split_whitespace().nth(2) == Some(port));
    lines
        .map(|line| {
            let mut fields = line.split_whitespace().skip(3);
            let count: u64 = fields.next().and_then(|c| c.parse().ok()).expect("count");
            let size: u64 = fields.nth(1).and_then(|s| s.parse().ok()).expect("size");
            count * size / 4
        })
        .sum()
}

#[test]
fn a_trace_accounts_for_every_word_of_every_port() {
    let (result, text) =
        traced(&["workload.read_fraction=0.5"], "words", TraceOptions::default(), ObserverWindows::Always);
    let words: Vec<u64> =
        ["controller", "drives[0]", "drives[1]", "drives[2]"].iter().map(|p| words_of(&text, p)).collect();
    let (least, most) = (words.iter().min().expect("ports"), words.iter().max().expect("ports"));
    // The run ends in the middle of a word.
    assert!(most - least <= 1, "all ports have sent for the same time: {words:?}");
    let trace = result.watched.trace.expect("a trace");
    assert_eq!(trace.lines as usize, text.lines().count() - 2);
    assert_eq!(trace.file.bytes as usize, text.len());
}

#[test]
fn a_trace_is_in_order_of_time_and_shows_each_frame_at_every_port_of_its_way() {
    let (result, text) = traced(&[], "frames", TraceOptions::default(), ObserverWindows::Always);
    let stamps: Vec<&str> = text.lines().skip(2).filter_map(|line| line.split_whitespace().next()).collect();
    assert!(stamps.windows(2).all(|pair| pair[0] <= pair[1]));
    let (_, frames) = loop_of(&result);
    let from = |port: &str, source: &str| {
        let sent = format!(" {source}->");
        text.lines().filter(|l| l.split_whitespace().nth(2) == Some(port) && l.contains(&sent)).count() as u64
    };
    let sent = from("controller", "01")
        + from("drives[0]", "02")
        + from("drives[1]", "04")
        + from("drives[2]", "08");
    assert_eq!(sent, frames, "each frame leaves its source once");
}

#[test]
fn a_trace_can_be_narrowed_to_ports_ios_kinds_and_times() {
    let options = TraceOptions {
        stations: Some(vec![0]),
        filter: LineFilter {
            ios: Some(vec![7]),
            kinds: LineKinds { commands: true, responses: true, ..LineKinds::NONE },
            ..LineFilter::ALL
        },
        ..TraceOptions::default()
    };
    let (_, text) = traced(&["workload.read_fraction=0.0"], "narrow", options, ObserverWindows::Always);
    let lines: Vec<&str> = text.lines().skip(2).collect();
    assert_eq!(lines.len(), 1, "the command of I/O 7, which alone the host sends: {text}");
    assert!(lines[0].contains("FCP_CMND") && lines[0].ends_with("io 7"), "{}", lines[0]);

    let us = |us| Time::ZERO + Span::from_us(us);
    let states = TraceOptions { states: true, ..TraceOptions::default() };
    let (_, all) = traced(&[], "all", states.clone(), ObserverWindows::Always);
    let (_, window) = traced(&[], "window", states, ObserverWindows::Between(us(3400), us(3500)));
    let inside = |line: &&str| ("000:00:00.003_401_000".."000:00:00.003_499_000").contains(&&line[..21]);
    let expected: Vec<&str> = all.lines().skip(2).filter(inside).collect();
    let seen: Vec<&str> = window.lines().skip(2).filter(inside).collect();
    assert!(expected.len() > 20, "{}", expected.len());
    // The first line of a port in the window has no earlier line from which to count, and runs are cut at the
    // edges.
    let fields =
        |lines: &[&str]| -> Vec<String> { lines.iter().map(|l| l[..21].to_owned() + &l[36..]).collect() };
    let (expected, seen) = (fields(&expected), fields(&seen));
    assert_eq!(expected[..expected.len() - 8], seen[..expected.len() - 8]);
    assert!(
        window
            .lines()
            .skip(2)
            .all(|l| ("000:00:00.003_400_000".."000:00:00.003_500_000").contains(&&l[..21]))
    );
}

#[test]
fn the_slowest_ios_are_found_first_and_traced_then() {
    let ios = run(&[], RunOptions { recording: RecordingOptions::IOS, ..RunOptions::default() }).ios.rows;
    let slowest = ios.iter().max_by_key(|io| (io.response, std::cmp::Reverse(io.io))).expect("I/Os");
    let options = TraceOptions {
        filter: LineFilter { kinds: LineKinds::FRAMES, ..LineFilter::ALL },
        ..Default::default()
    };
    let (result, text) = traced(&[], "slowest", options, ObserverWindows::Slowest(1));
    assert_eq!(result.summary.ios, 60);
    let of_it = text.lines().filter(|l| {
        l.contains(&format!(" io {} ", slowest.io)) || l.ends_with(&format!(" io {}", slowest.io))
    });
    assert!(of_it.count() >= 34, "command, data and status of I/O {}", slowest.io);
    let from = (slowest.completed - slowest.response).as_ns_f64() / 1e9;
    let to = slowest.completed.as_ns_f64() / 1e9;
    for line in text.lines().skip(2) {
        let seconds: f64 = line[7..21].replace('_', "").parse().expect("a stamp");
        assert!((from - 1e-6..=to + 1e-6).contains(&seconds), "{line}");
    }
}

#[test]
fn states_are_shown_on_request() {
    let options = TraceOptions { states: true, ..TraceOptions::default() };
    let (_, text) = traced(&[], "states", options, ObserverWindows::Always);
    for state in [
        "ARBITRATING",
        "ARBITRATION WON",
        "OPEN",
        "OPENED",
        "TRANSMITTED CLOSE",
        "RECEIVED CLOSE",
        "MONITORING",
    ] {
        assert!(text.contains(&format!("- => {state}\n")), "{state}");
    }
    assert!(text.lines().filter(|l| l.contains(" OPN(")).all(|l| l.ends_with("]")));
}

/// Checks for each I/O with a recorded path that its dwells are contiguous, and that in each ledger line they
/// add up to its ledger.
fn assert_stays_are_ledgers(result: &RunResult) {
    for path in &result.paths {
        let number = result.ios.rows.iter().position(|io| io.io == path.io).expect("a measured I/O");
        let record = &result.ios.rows[number];
        let mut spent = vec![Span::ZERO; result.names.ledger_line_count()];
        let mut last = record.completed - record.response;
        for (line, from, to) in path.dwells() {
            assert_eq!(from, last, "one stay after another");
            spent[line.0 as usize] += to - from;
            last = to;
        }
        assert_eq!(last, record.completed);
        let mut of_record = vec![Span::ZERO; result.names.ledger_line_count()];
        result.ios.dwells_of_io(number).iter().for_each(|stay| of_record[stay.line.0 as usize] += stay.spent);
        assert_eq!(spent, of_record, "I/O {}", path.io);
    }
}

#[test]
fn the_stays_of_an_io_are_its_ledger() {
    let watch = WatchOptions { paths: true, ..WatchOptions::default() };
    let options = RunOptions { recording: RecordingOptions::IOS, watch, ..RunOptions::default() };
    let result = run(&["workload.read_fraction=0.5", "run.warm_up=2"], options);
    assert!(result.paths.len() >= 40, "{}", result.paths.len());
    assert_stays_are_ledgers(&result);
}

#[test]
fn the_stays_of_ios_that_went_as_one_are_their_ledgers() {
    let watch = WatchOptions { paths: true, ..WatchOptions::default() };
    let options = RunOptions { recording: RecordingOptions::IOS, watch, ..RunOptions::default() };
    let scenario = load("scenarios/two-hosts-shared-drives.toml", &["run.measured_ios=2000"]);
    let result = sansim_simulator::run(&scenario, &options, &mut |_| RunFlow::Continue).expect("it runs");
    assert!(figure(&result.summary, "reports", "merged") > 100.0);
    assert_stays_are_ledgers(&result);
}

#[test]
fn nothing_is_in_use_for_longer_than_the_measured_interval_with_the_automatic_rule_either() {
    let set = ["run.measured_ios=2000", "run.warm_up=auto", "drives.count=16", "workload.queue_depth=64"];
    let result = run(&set, RunOptions::default());
    assert!(result.summary.warm_up_ios > 0, "a transient was cut");
    for name in ["owned", "utilisation"] {
        let share = figure(&result.summary, "loop", name);
        assert!((0.9..=1.0).contains(&share), "{name}: {share}");
    }
}

//! An analyzer at one node: both directions of its link, compared with the trace of all ports and with Wang 2005, figure 5.2.

use crate::common::load;
use sansim_component::NetworkModel;
use sansim_observe::observers::WatchOptions;
use sansim_observe::trace::analyzer::AnalyzerPoint;
use sansim_observe::trace::edge::LineKinds;
use sansim_observe::trace::filter::LineFilter;
use sansim_observe::trace::trigger::Trigger;
use sansim_observe::trace::{TraceOptions, WrittenTrace};
use sansim_simulator::{RunFlow, RunOptions, build};

/// A system to trace, by its file and overrides.
struct Traced<'a> {
    file: &'a str,
    set: &'a [&'a str],
}

impl Traced<'_> {
    /// The analyzer at a port, by the place of its station.
    fn point(&self, node: usize) -> AnalyzerPoint {
        let plan = build::plan_system(&load(self.file, self.set), None, NetworkModel::Reference);
        AnalyzerPoint::at(&plan.observer_names(), node).expect("a ring")
    }

    fn run(&self, name: &str, options: TraceOptions) -> (WrittenTrace, String) {
        let path = std::env::temp_dir().join(format!("sansim-analyzer-{}-{name}", std::process::id()));
        let watch = WatchOptions { trace: Some((path.clone(), options)), ..WatchOptions::default() };
        let options = RunOptions { loop_model: NetworkModel::Reference, watch, ..RunOptions::default() };
        let scenario = load(self.file, self.set);
        let result = sansim_simulator::run(&scenario, &options, &mut |_| RunFlow::Continue);
        let text = std::fs::read_to_string(&path).expect("the file was written");
        std::fs::remove_file(&path).expect("clean up");
        (result.expect("it ends").watched.trace.expect("a trace"), text)
    }
}

/// A line: ns, whether the node sent the words, and the words with their number.
type Line = (u64, bool, String);

fn ns(stamp: &str) -> u64 {
    let digits: String = stamp[7..].chars().filter(char::is_ascii_digit).collect();
    digits.parse().expect("a stamp")
}

/// The lines of an analyzer at a node.
fn channels(text: &str) -> Vec<Line> {
    let lines = text.lines().filter(|line| line.starts_with("000:"));
    lines
        .map(|line| {
            let (sent, received) = line[37..].split_once('|').unwrap_or((&line[37..], ""));
            let is_sent = !sent.trim().is_empty();
            assert!(is_sent == received.trim().is_empty(), "one channel on a line: {line}");
            let words = if is_sent { sent } else { received };
            (ns(&line[..21]), is_sent, words.split_whitespace().collect::<Vec<_>>().join(" "))
        })
        .collect()
}

/// The lines of one port in a trace of all ports.
fn of_port(text: &str, port: &str) -> Vec<(u64, String)> {
    let lines = text.lines().skip(2).map(|line| (line, line.split_whitespace().collect::<Vec<_>>()));
    lines
        .filter(|(_, words)| words[2] == port)
        .map(|(line, words)| (ns(&line[..21]), words[3..].join(" ")))
        .collect()
}

const LONG: Traced<'static> = Traced {
    file: "scenarios/wang-2005-base.toml",
    set: &[
        "run.measured_ios=20",
        "run.warm_up=0",
        "drives.count=3",
        "workload.size=4 KiB",
        "workload.read_fraction=0.5",
        "drives.port.cable=100 m",
    ],
};

/// A host and four drives at a switch, whose ports are stations behind those of the nodes.
const FABRIC: Traced<'static> =
    Traced { file: "scenarios/two-hosts-one-switch.toml", set: &["run.measured_ios=20", "run.warm_up=0"] };

/// Compares the channels of an analyzer at a port with the trace of all ports. Returns the names of both ends and the ns of the cable.
fn compare(system: &Traced<'_>, node: usize) -> (String, String, f64) {
    let plan = build::plan_system(&load(system.file, system.set), None, NetworkModel::Reference);
    let names = plan.observer_names();
    let point = system.point(node);
    let name = |station: usize| names.stations[station].name.as_str();
    let (_, text) = system.run(&format!("all-{node}"), TraceOptions::default());
    let options = TraceOptions { analyzer: Some(point), ..TraceOptions::default() };
    let (written, side_by_side) = system.run(&format!("one-{node}"), options);
    let lines = channels(&side_by_side);
    assert!(lines.is_sorted_by_key(|line| line.0), "in order of time");
    let channel = |is_sent| -> Vec<(u64, String)> {
        let own = lines.iter().filter(|line| line.1 == is_sent);
        own.map(|(at, _, words)| (*at, words.clone())).collect()
    };
    let sent = of_port(&text, name(node));
    assert!(sent.iter().any(|(_, words)| words.contains("FCP_")));
    assert_eq!(channel(true), sent);
    let (received, of_upstream) = (channel(false), of_port(&text, name(point.upstream)));
    assert_eq!(received.len(), of_upstream.len());
    for ((at, words), (earlier, sent)) in received.iter().zip(&of_upstream) {
        assert_eq!(words, sent);
        // Both are rounded down to whole ns.
        assert!(((at - earlier) as f64 - point.delay.as_ns_f64()).abs() < 1.0, "{at}, {earlier}");
    }
    assert_eq!(written.lines, lines.len() as u64);
    let head = side_by_side.lines().nth(1).expect("a head");
    assert!(head.contains(&format!("A: {} sends", name(node))), "{head}");
    assert!(head.ends_with(&format!("B: {} receives from {}", name(node), name(point.upstream))), "{head}");
    (name(node).to_owned(), name(point.upstream).to_owned(), point.delay.as_ns_f64())
}

#[test]
fn the_channels_are_what_the_node_and_the_port_before_it_send_the_latter_a_cable_later() {
    // 100 m of fibre lead from each drive to the next port of the ring, and take 500 ns.
    assert_eq!(compare(&LONG, 0), ("controller".to_owned(), "drives[2]".to_owned(), 500.0));
    assert_eq!(compare(&LONG, 2), ("drives[1]".to_owned(), "drives[0]".to_owned(), 500.0));
    // A node at a switch receives what the port of the switch sends.
    let (node, upstream, _) = compare(&FABRIC, 0);
    assert_eq!((node.as_str(), &upstream[..21]), ("first", "san.switches.switch[0"));
}

/// Figure 5.2 from its ARB(E1,E1) on: ns in the millisecond, whether E1 sent the words, which are those of the analyzer's port 2, and what
/// they are.
const FIGURE: [(u64, bool, &str); 27] = [
    (345_378, true, "ARB(E1,E1)"),
    (345_708, false, "ARB(E1,E1)"),
    (346_856, true, "OPN(E2,E1)"),
    (346_894, true, "ARB(F0,F0)"),
    (347_006, true, "R_RDY"),
    (347_044, true, "ARB(F0,F0)"),
    (347_119, true, "R_RDY"),
    (347_157, true, "ARB(F0,F0)"),
    (347_232, true, "R_RDY"),
    (347_261, false, "ARB(F0,F0)"),
    (347_269, true, "ARB(F0,F0)"),
    (347_336, false, "R_RDY"),
    (347_345, true, "R_RDY"),
    (347_374, false, "ARB(F0,F0)"),
    (347_382, true, "ARB(F0,F0)"),
    (348_408, true, "IDLE"),
    (348_626, true, "SOFi3"),
    (348_776, false, "IDLE"),
    (349_191, true, "IDLE"),
    (349_406, true, "CLS"),
    (349_444, true, "IDLE"),
    (349_848, false, "R_RDY"),
    (349_886, false, "IDLE"),
    (350_104, false, "CLS"),
    (350_141, false, "IDLE"),
    (470_105, false, "ARB(E2,E2)"),
    (471_215, true, "ARB(E2,E2)"),
];

/// Words of 37.6 ns by which a simulated reaction may differ from the traced one, as `figure_5_2.rs` allows it for each reaction.
const APART_NS: u64 = 3 * 38;

#[test]
fn an_analyzer_at_the_target_shows_the_lines_of_figure_5_2_in_their_order() {
    let system = Traced { file: "studies/wang-2005/figure-5.2.toml", set: &[] };
    let options = TraceOptions { analyzer: Some(system.point(1)), ..TraceOptions::default() };
    let (_, text) = system.run("figure-5-2", options);
    let lines = channels(&text);
    let set = |line: &Line| line.2.split(' ').nth(1).expect("a set").to_owned();
    let status = lines.iter().position(|line| line.1 && line.2.contains("FCP_RSP")).expect("a status");
    let from =
        lines[..status].iter().rposition(|line| line.1 && set(line) == "ARB(E1,E1)").expect("arbitration");
    // Each channel shows the lines of the figure, one by one.
    let mut places = Vec::new();
    for is_sent in [true, false] {
        let published = FIGURE.iter().filter(|line| line.1 == is_sent);
        let ours = lines.iter().enumerate().skip(from).filter(|(_, line)| line.1 == is_sent);
        for (published, (place, line)) in published.zip(ours) {
            assert_eq!(set(line), published.2, "{text}");
            places.push((published.0, place));
        }
    }
    assert_eq!(places.len(), FIGURE.len());
    // Side by side they come in the order of the figure, as far as its times are further apart than reactions may differ.
    for &(earlier, place) in &places {
        let later = places.iter().filter(|(at, _)| *at > earlier + APART_NS);
        later.for_each(|&(at, behind)| assert!(place < behind, "{earlier} before {at}: {text}"));
    }
}

#[test]
fn a_trigger_begins_the_trace_at_the_nth_line_that_fits_with_lines_before_and_after() {
    let point = LONG.point(0);
    let whole = TraceOptions { analyzer: Some(point), ..TraceOptions::default() };
    let (_, all) = LONG.run("whole", whole.clone());
    let all: Vec<&str> = all.lines().filter(|line| line.starts_with("000:")).collect();
    let opens = LineFilter { kinds: LineKinds { open: true, ..LineKinds::NONE }, ..LineFilter::ALL };
    let third = all.iter().enumerate().filter(|(_, line)| line.contains(" OPN(")).nth(2).expect("three").0;
    let trigger = Trigger { on: opens, count: 3, lines_before: 5, lines_after: Some(7) };
    let (written, text) = LONG.run("part", TraceOptions { trigger: Some(trigger.clone()), ..whole.clone() });
    let part: Vec<&str> = text.lines().skip(3).collect();
    let (before, after) = (&all[third - 5..third], &all[third..=third + 7]);
    assert_eq!(part[..5], *before);
    assert_eq!(part[5], "# trigger");
    assert_eq!(part[6..], *after);
    assert_eq!((written.lines, written.triggered), (13, Some(true)));
    // A trigger that does not come leaves an empty trace, which says so.
    let never = Trigger { count: 1_000_000, ..trigger };
    let (written, text) = LONG.run("never", TraceOptions { trigger: Some(never), ..whole });
    assert_eq!((written.lines, written.triggered, text.lines().count()), (0, Some(false), 3));
}

#[test]
fn an_address_narrows_a_trace_to_what_bears_it() {
    let address = |names: &sansim_observe::names::SystemNames| names.stations[2].port.expect("a port").1;
    let plan = build::plan_system(&load(LONG.file, LONG.set), None, NetworkModel::Reference);
    let names = plan.observer_names();
    let filter = LineFilter { addresses: Some(vec![address(&names)]), ..LineFilter::ALL };
    let options = TraceOptions { analyzer: Some(LONG.point(0)), ..TraceOptions::default() };
    let (_, all) = LONG.run("every", options.clone());
    let (_, some) = LONG.run("some", TraceOptions { filter, ..options });
    let byte = format!("{:02X}", address(&names).value());
    let bears = |words: &str| {
        words.contains(&format!("({byte},"))
            || words.contains(&format!(",{byte})"))
            || words.contains(&format!(" {byte}->"))
            || words.contains(&format!("->{byte} "))
    };
    let expected: Vec<Line> = channels(&all).into_iter().filter(|line| bears(&line.2)).collect();
    assert!(
        expected.iter().any(|line| line.2.contains("FCP_DATA"))
            && expected.iter().any(|line| line.2.contains("OPN"))
    );
    assert_eq!(channels(&some), expected);
}

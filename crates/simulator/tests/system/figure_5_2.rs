//! Wang 2005, figure 5.2: the sequence of ordered sets and frames on a real loop is compared with the
//! simulated sequence.

use sansim_component::NetworkModel;
use sansim_fc::observation::Observation;
use sansim_fc::word::LinkItem;
use sansim_kernel::Time;
use sansim_observe::observer::{Observer, WantedCalls};
use sansim_pdu::PortSight;
use sansim_request::Requests;
use sansim_simulator::{build, run::RecordingOptions};

/// A line of an analyzer trace: start, port, word or frame.
type Line = (Time, usize, String);

#[derive(Default)]
struct Analyzer(Vec<Line>);

impl Analyzer {
    fn note(&mut self, now: Time, station: usize, what: Observation) {
        match what {
            Observation::SentFill(word) => self.0.push((now, station, word.to_string())),
            Observation::SentItem(LinkItem::Signal(signal)) => {
                self.0.push((now, station, signal.to_string()))
            }
            Observation::SentItem(LinkItem::Frame(frame)) => {
                self.0.push((now, station, format!("{:?} {}", frame.kind, frame.length_in_words())));
            }
            _ => {}
        }
    }
}

impl Observer for Analyzer {
    fn wants(&self) -> WantedCalls {
        WantedCalls { ports: true, repeaters: true, ..WantedCalls::default() }
    }
    fn at_port(&mut self, now: Time, station: usize, what: PortSight, _requests: &Requests) {
        let Some(what) = Observation::from_port_sight(what) else { return };
        self.note(now, station, what);
    }
    fn at_repeater(&mut self, now: Time, station: usize, what: PortSight, _requests: &Requests) {
        let Some(what) = Observation::from_port_sight(what) else { return };
        self.note(now, station, what);
    }
}

/// A run of equal words as an analyzer counts it: start in words, port, content, number of words.
type Run = (f64, usize, String, u64);

/// Turns the changes observed at both ports into runs. A fill word continues after an item until it is
/// changed.
fn runs(lines: &[Line], word_ns: f64) -> Vec<Run> {
    let mut all = Vec::new();
    for port in 0..2 {
        let own: Vec<&Line> = lines.iter().filter(|l| l.1 == port).collect();
        let mut fill = "IDLE".to_owned();
        for (index, (at, _, what)) in own.iter().enumerate() {
            let start = at.as_ns_f64() / word_ns;
            let next = own.get(index + 1).map_or(start + 1e6, |l| l.0.as_ns_f64() / word_ns);
            let is_fill = what == "IDLE" || what.starts_with("ARB");
            let length = if is_fill {
                fill.clone_from(what);
                next - start
            } else {
                let words: f64 = what.split(' ').nth(1).and_then(|w| w.parse().ok()).unwrap_or(1.0);
                all.push((start, port, what.clone(), words as u64));
                let rest = next - start - words;
                if rest > 0.5 {
                    all.push((start + words, port, fill.clone(), rest.round() as u64));
                }
                continue;
            };
            if length > 0.5 {
                all.push((start, port, what.clone(), length.round() as u64));
            }
        }
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all
}

const E2: usize = 0;
const E1: usize = 1;

/// The trace: port, word, number of words, and whether the number shows the port's own reaction (the other numbers
/// follow from earlier words, or from the part of the I/O that is not shown).
const TRACE: [(usize, &str, u64, bool); 27] = [
    (E1, "ARB(E1,E1)", 39, false),
    (E2, "ARB(E1,E1)", 41, false),
    (E1, "OPN(E2,E1)", 1, true),
    (E1, "ARB(F0,F0)", 3, true),
    (E1, "R_RDY", 1, true),
    (E1, "ARB(F0,F0)", 2, true),
    (E1, "R_RDY", 1, true),
    (E1, "ARB(F0,F0)", 2, true),
    (E1, "R_RDY", 1, true),
    (E2, "ARB(F0,F0)", 2, true),
    (E1, "ARB(F0,F0)", 2, true),
    (E2, "R_RDY", 1, true),
    (E1, "R_RDY", 1, true),
    (E2, "ARB(F0,F0)", 38, false),
    (E1, "ARB(F0,F0)", 28, false),
    (E1, "IDLE", 5, true),
    (E1, "Response 15", 15, true),
    (E2, "IDLE", 28, false),
    (E1, "IDLE", 6, true),
    (E1, "CLS", 1, true),
    (E1, "IDLE", 3235, false),
    (E2, "R_RDY", 1, true),
    (E2, "IDLE", 6, true),
    (E2, "CLS", 1, true),
    (E2, "IDLE", 3186, false),
    (E2, "ARB(E2,E2)", 39, false),
    (E1, "ARB(E2,E2)", 41, false),
];

fn simulated() -> (Vec<Run>, f64) {
    let scenario = crate::common::load("studies/wang-2005/figure-5.2.toml", &[]);
    let word_ns = scenario
        .component_named("loop")
        .and_then(|found| found.network_interface())
        .expect("a loop")
        .word_time()
        .as_ns_f64();
    let plan = build::plan_system(&scenario, None, NetworkModel::Reference);
    let (_, analyzer) =
        crate::common::watched(&plan, RecordingOptions::default(), Analyzer::default()).expect("it ends");
    let runs = runs(&analyzer.0, word_ns);
    // The status follows in the second circuit: from the ARB(E1) that follows the second CLS of the data
    // circuit.
    let status =
        runs.iter().enumerate().filter(|(_, r)| r.2.starts_with("Response")).nth(1).expect("status").0;
    let from = runs[..status].iter().rposition(|r| r.1 == E1 && r.2 == "ARB(E1,E1)").expect("arbitration");
    (runs[from..].to_vec(), word_ns)
}

#[test]
fn the_order_is_that_of_the_trace_and_reactions_are_within_two_words() {
    let (simulated, _) = simulated();
    for port in [E1, E2] {
        let published: Vec<_> = TRACE.iter().filter(|t| t.0 == port).collect();
        let ours: Vec<_> = simulated.iter().filter(|r| r.1 == port).take(published.len()).collect();
        for (trace, run) in published.iter().zip(&ours) {
            println!("port {port}: {:12} {:5}   simulated {:12} {:5}", trace.1, trace.2, run.2, run.3);
        }
        for (trace, run) in published.iter().zip(&ours) {
            assert_eq!(trace.1, run.2, "order of what port {port} sends");
            if trace.3 {
                assert!(trace.2.abs_diff(run.3) <= 2, "{}: {} words, trace {}", trace.1, run.3, trace.2);
            }
        }
    }
}

#[test]
fn times_between_the_ports_are_those_of_the_trace() {
    let (simulated, word_ns) = simulated();
    let at = |port: usize, what: &str, nth: usize| {
        simulated.iter().filter(|r| r.1 == port && r.2 == what).nth(nth).expect(what).0 * word_ns
    };
    // The times from the start of ARB(E1) on port 2 to other events, in ns, from the time stamps of the
    // figure.
    let start = at(E1, "ARB(E1,E1)", 0);
    for (what, nth, port, published_ns) in [
        ("ARB(E1,E1)", 0, E2, 330.0),
        ("OPN(E2,E1)", 0, E1, 1478.0),
        ("R_RDY", 0, E1, 1628.0),
        ("R_RDY", 0, E2, 1958.0),
        ("Response 15", 0, E1, 3248.0),
        ("CLS", 0, E1, 4028.0),
        ("R_RDY", 1, E2, 4470.0),
        ("CLS", 0, E2, 4726.0),
        ("ARB(E2,E2)", 0, E2, 124_727.0),
    ] {
        let ours = at(port, what, nth) - start;
        println!("{what:12} port {port}: {ours:9.0} ns, trace {published_ns:9.0}");
        // Deviations of up to two words at each reaction add up along the circuit.
        assert!((ours - published_ns).abs() < 6.0 * word_ns, "{what}: {ours} ns, trace {published_ns}");
    }
}

//! Runs scenarios that a test writes itself, and checks laws that hold for all of them.

use sansim_component::NetworkModel;
use sansim_kernel::{Span, Time};
use sansim_observe::names::SystemNames;
use sansim_observe::observer::Observer;
use sansim_scenario::Scenario;
use sansim_simulator::run::{EndedRun, RecordingOptions};
use sansim_simulator::{RunFlow, RunOptions, RunResult, build};

/// Reads a scenario.
pub fn scenario(text: &str) -> Scenario {
    Scenario::parse_text(text, "the scenario of a test").unwrap_or_else(|report| panic!("{report}"))
}

/// The table of an event at this number of microseconds.
pub fn event(at_us: u64, action: &str, what: &str) -> String {
    format!("[[event]]\nat = \"{at_us} us\"\ndo = \"{action}\"\nwhat = \"{what}\"\n")
}

/// The events by which something leaves at this number of microseconds, and comes back after another.
pub fn away(what: &str, at_us: u64, lasts_us: u64) -> String {
    event(at_us, "remove", what) + &event(at_us + lasts_us, "add", what)
}

/// Runs a scenario on the fast loop and keeps every measured I/O.
pub fn run(text: &str) -> RunResult {
    run_on(text, NetworkModel::Fast)
}

/// Runs a scenario and keeps every measured I/O.
pub fn run_on(text: &str, loop_model: NetworkModel) -> RunResult {
    let options = RunOptions { loop_model, recording: RecordingOptions::IOS, ..RunOptions::default() };
    sansim_simulator::run(&scenario(text), &options, &mut |_| RunFlow::Continue)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Checks that the reference loop gives the same result, to the bit.
pub fn assert_reference_agrees(text: &str) {
    let [fast, reference] = [NetworkModel::Fast, NetworkModel::Reference].map(|model| run_on(text, model));
    assert_same(&fast, &reference);
}

/// Checks that two runs give the same result, including every I/O and its ledger.
pub fn assert_same(one: &RunResult, other: &RunResult) {
    let place = one.ios.rows.iter().zip(&other.ios.rows).position(|(one, other)| one != other);
    assert_eq!(place, None, "I/Os differ from here on");
    let said = |result: &RunResult| serde_json::to_string(&result.summary).expect("JSON");
    assert_eq!(said(one), said(other));
    let stays = |result: &RunResult, number: usize| {
        let mut stays: Vec<(u32, Span)> =
            result.ios.dwells_of_io(number).iter().map(|stay| (stay.line.0, stay.spent)).collect();
        stays.sort_unstable_by_key(|&(line, _)| line);
        stays
    };
    for number in 0..one.ios.len() {
        assert_eq!(stays(one, number), stays(other, number), "the ledger of I/O {number}");
    }
}

/// Runs a scenario with an observer, and keeps every measured I/O.
pub fn run_seen<O: Observer>(text: &str, observer: O) -> (EndedRun, SystemNames, O) {
    let plan = build::plan_system(&scenario(text), None, NetworkModel::Fast);
    let (ended, observer) =
        super::watched(&plan, RecordingOptions::IOS, observer).unwrap_or_else(|error| panic!("{error}"));
    (ended, plan.observer_names(), observer)
}

/// The time this number of milliseconds after the beginning.
pub fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

/// Checks that two numbers are equal up to this relative difference.
pub fn assert_near(what: &str, found: f64, expected: f64, part: f64) {
    assert!((found - expected).abs() <= part * expected.abs(), "{what}: {found}, expected {expected}");
}

/// Checks the laws of every run: the dwells of each I/O add up to its response time, to the tick, and the means of the ledger to
/// the mean response time.
pub fn assert_adds_up(result: &RunResult) {
    assert!(!result.ios.is_empty());
    for (number, io) in result.ios.rows.iter().enumerate() {
        let stays: Span = result.ios.dwells_of_io(number).iter().map(|stay| stay.spent).sum();
        assert_eq!(stays, io.response, "I/O {}", io.io);
    }
    let ledger: f64 = result.summary.ledger_ns.mean.0.iter().map(|(_, ns)| ns).sum();
    assert_near("the ledger", ledger, result.summary.response_time_ns.mean, 1e-9);
}

/// The mean time of a measured I/O in all segments of a place, in nanoseconds.
pub fn in_place_ns(result: &RunResult, place: &str) -> f64 {
    let lines = result.summary.ledger_ns.mean.0.iter();
    lines.filter(|(line, _)| line.rsplit_once('.').is_some_and(|(at, _)| at == place)).map(|(_, ns)| ns).sum()
}

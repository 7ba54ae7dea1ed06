//! Loops that are initialised while they run, and ports that leave them and come back: what it costs is counted by hand, and on random
//! systems at random moments nothing is lost or answered twice, the ledgers add up, and all loop models agree.

use crate::capture::captured;
use crate::common::text::{assert_adds_up, assert_reference_agrees, assert_same, run as run_well, scenario};
use crate::random_errors::{SYSTEMS, keys, run};
use proptest::prelude::*;
use sansim_component::NetworkModel;
use sansim_simulator::RunResult;

pub(crate) fn figure(result: &RunResult, network: &str, name: &str) -> f64 {
    let of = result.summary.components.value_named(network).expect("a network of the result");
    let value = serde_json::to_value(of).expect("JSON");
    value["figures"][name].as_f64().or_else(|| value[name].as_f64()).unwrap_or_else(|| panic!("{value}"))
}

/// A host and two drives at 2GFC, whose ports have a delay of six words each and no cable; one I/O at a time at one of the drives.
pub(crate) fn small(events: &str, host: &str) -> String {
    format!(
        r#"
        [run]
        duration = "100 ms"
        warm_up = 0
        [loop]
        kind = "arbitrated-loop"
        speed = "2GFC"
        initialisation_hold_time = "0 ns"
        stations = ["host", "drives"]
        [host]
        kind = "host"
        {host}
        [drives]
        kind = "drives"
        count = 2
        access_time = "1 ms"
        transfer_rate = "100 MB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["drives[0]"]
        size = "4 KiB"
        {events}
        "#
    )
}

/// The loop of three ports of six words whose initialisation is counted by hand in `crates/fc/tests/initialisation.rs`.
const WORDS_OF_THREE_PORTS: f64 = 797_540.0;
const WORD_NS: f64 = 320.0 / 17.0;

#[test]
fn an_initialisation_takes_the_time_that_was_counted_by_hand_and_costs_no_more_where_no_frame_is_in_flight() {
    let before = run_well(&small("", ""));
    // The drive works on the I/O from about 10 us after its arrival on, for a millisecond.
    let event = "[[event]]\nat = \"500 us\"\ndo = \"initialise\"\nwhat = \"loop\"";
    let after = run_well(&small(event, ""));
    assert_adds_up(&after);
    assert_eq!(figure(&after, "loop", "initialisations"), 1.0);
    assert_eq!(figure(&after, "loop", "frames_lost"), 0.0);
    let share = figure(&after, "loop", "initialising");
    let takes = share * 100e6;
    let exact = WORDS_OF_THREE_PORTS * WORD_NS;
    assert!((takes - exact).abs() <= WORD_NS, "{takes} ns instead of {exact} ns");
    // The I/O that the drive worked on waits until CLS has passed its drive, and no other I/O waits.
    let longest = |result: &RunResult| result.summary.response_time_ns.max as f64;
    let waits = longest(&after) - longest(&before);
    assert!(waits > 0.9 * exact && waits < exact, "{waits} ns of {exact} ns");
    assert_eq!(after.summary.failed_ios, 0);
}

#[test]
fn a_frame_in_flight_is_lost_and_its_request_is_sent_again_after_the_time_out() {
    let mut with_losses = 0;
    // The drive has the data of its first I/O in its buffer 1,042 us after it began, and sends them for some 25 us.
    for at in (1_030..1_090).step_by(4) {
        let event = format!("[[event]]\nat = \"{at} us\"\ndo = \"initialise\"\nwhat = \"loop\"");
        let keys = "driver.time_out = \"20 ms\"\nadapter.abort_answer_time = \"1 ms\"";
        let result = run_well(&small(&event, keys));
        assert_adds_up(&result);
        assert_eq!(result.summary.failed_ios, 0);
        let lost = figure(&result, "loop", "frames_lost");
        // A host without errors is not in the result.
        let errors = result.summary.errors.hosts.value_named("host");
        let seen = errors.map_or((0, 0), |errors| (errors.frame_lost, errors.retries));
        assert_eq!(seen, (u64::from(lost > 0.0), u64::from(lost > 0.0)), "{at} us");
        with_losses += u64::from(lost > 0.0);
    }
    assert!((4..12).contains(&with_losses), "{with_losses} of 15 moments");
}

#[test]
fn a_drive_that_is_pulled_out_fails_its_requests_after_the_initialisation_and_serves_again_when_it_is_back() {
    let events = r#"
        [[event]]
        at = "10400 us"
        do = "remove"
        what = "drives[0]"
        [[event]]
        at = "60 ms"
        do = "add"
        what = "drives[0]"
    "#;
    let load = small(events, "driver.retries = 0").replace("[load]", "[load]\nthink_time = \"100 us\"");
    let result = run_well(&load);
    assert_adds_up(&result);
    assert_eq!(figure(&result, "loop", "initialisations"), 2.0);
    // Without another path the requests fail at once; the one that the drive had, when the host has missed the drive.
    assert!(result.summary.failed_ios > 100, "{} failed", result.summary.failed_ios);
    assert_reference_agrees(&load);
}

#[test]
fn a_drive_that_is_added_was_not_there_before() {
    let event = "[[event]]\nat = \"50 ms\"\ndo = \"add\"\nwhat = \"drives[0]\"";
    let load = small(event, "").replace("[load]", "[load]\nthink_time = \"1 ms\"");
    let result = run_well(&load);
    assert_adds_up(&result);
    assert_eq!(figure(&result, "loop", "initialisations"), 1.0);
    let (ios, failed) = (result.summary.ios, result.summary.failed_ios);
    assert!(failed >= 45 && ios - failed >= 10, "{failed} of {ios} failed");
}

#[test]
fn another_path_serves_a_drive_whose_port_is_pulled_out() {
    let text = r#"
        [run]
        duration = "200 ms"
        warm_up = 0
        [left]
        kind = "arbitrated-loop"
        speed = "2GFC"
        stations = ["host.adapters.a", "drives.adapters.a"]
        [right]
        kind = "arbitrated-loop"
        speed = "2GFC"
        stations = ["host.adapters.b", "drives.adapters.b"]
        [host]
        kind = "host"
        path = "round-robin"
        adapters.a.command_time = "1 us"
        adapters.b.command_time = "1 us"
        [drives]
        kind = "drives"
        adapters.a.command_time = "1 us"
        adapters.b.command_time = "1 us"
        count = 3
        access_time = "1 ms"
        transfer_rate = "100 MB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["drives"]
        size = "16 KiB"
        queue_depth = 4
        [[event]]
        at = "50 ms"
        do = "remove"
        what = "drives[1].adapters.a"
    "#;
    for text in [text.to_owned(), text.replace("drives[1].adapters.a\"", "host.adapters.a\"")] {
        let result = run_well(&text);
        assert_adds_up(&result);
        assert_eq!(result.summary.failed_ios, 0);
        assert!(result.summary.ios > 200);
        assert_reference_agrees(&text);
    }
}

/// The ports that may leave, and the loops, of the random systems.
const NODES: [(&[&str], &[&str]); 4] = [
    (&["host", "disks[0]", "disks[1]", "disks"], &["loop"]),
    (&["host", "other", "disks[0]", "disks[1]"], &["loop"]),
    (
        &["host.adapters.a", "host.adapters.b", "disks[0].adapters.a", "disks[1].adapters.b", "disks[0]"],
        &["left", "right"],
    ),
    (&["host", "array.front", "array.back", "disks[0]", "disks[1]"], &["front", "back"]),
];

/// A change: the node, its time in microseconds, the time after which it comes back, whether LIP follows, and how often a loop is
/// initialised instead.
type Changes = Vec<(usize, u64, u64, bool, bool)>;

fn changes() -> impl Strategy<Value = Changes> {
    let back = prop_oneof![1 => 1u64..300, 2 => 300u64..40_000, 1 => 40_000u64..3_000_000];
    prop::collection::vec(
        (0usize..5, 0u64..50_000, back, prop::bool::weighted(0.8), prop::bool::weighted(0.3)),
        1..4,
    )
}

fn check(
    (system, class): (usize, &str),
    keys: &[(&str, String)],
    changes: &Changes,
    seed: u32,
) -> Result<(), TestCaseError> {
    let (nodes, loops) = NODES[system];
    let mut text =
        keys.iter().fold(SYSTEMS[system].to_owned(), |text, (key, value)| text.replace(key, value));
    text = text.replace(
        "speed = \"2GFC\"",
        &format!("speed = \"2GFC\"\ninitialisation_hold_time = \"20 us\"\nclass = \"{class}\""),
    );
    for &(node, at, back, initialise, is_whole) in changes {
        if is_whole {
            let what = loops[node % loops.len()];
            text += &format!("[[event]]\nat = \"{at} us\"\ndo = \"initialise\"\nwhat = \"{what}\"\n");
            continue;
        }
        let what = nodes[node % nodes.len()];
        for (at, action) in [(at, "remove"), (at + back, "add")] {
            text += &format!(
                "[[event]]\nat = \"{at} us\"\ndo = \"{action}\"\nwhat = \"{what}\"\ninitialise = {initialise}\n"
            );
        }
    }
    let text = format!("[run]\nseed = {seed}\nmeasured_ios = 150\nwarm_up = 0\n{text}");
    let result = run(&text, NetworkModel::Fast)?;
    assert_adds_up(&result);
    prop_assert_eq!(result.summary.ios, 150);
    assert_same(&result, &run(&text, NetworkModel::Stepped)?);
    if seed.is_multiple_of(3) {
        assert_same(&result, &run(&text, NetworkModel::Reference)?);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(600), max_shrink_iters: 200, ..ProptestConfig::default() })]
    #[test]
    fn nothing_is_lost_or_answered_twice_on_loops_that_change(
        system in 0..NODES.len(),
        keys in keys(),
        changes in changes(),
        seed in 0u32..100_000,
    ) {
        check((system, "class-3"), &keys, &changes, seed)?;
    }

    #[test]
    fn nothing_is_lost_or_answered_twice_in_class_2_on_loops_that_change(
        system in 0..NODES.len(),
        keys in keys(),
        changes in changes(),
        seed in 0u32..100_000,
    ) {
        check((system, "class-2"), &keys, &changes, seed)?;
    }
}

/// A port that comes back without an initialisation has frames of earlier attempts in its queue. They go on when the other path carries the
/// same requests.
#[test]
fn frames_of_earlier_attempts_go_on_beside_those_of_the_present_one() {
    let text = r#"
        [run]
        seed = 0
        measured_ios = 120
        warm_up = 0
        [left]
        kind = "arbitrated-loop"
        speed = "2GFC"
        stations = ["host.adapters.a", "disks.adapters.a"]
        [right]
        kind = "arbitrated-loop"
        speed = "4GFC"
        stations = ["host.adapters.b", "disks.adapters.b"]
        [host]
        kind = "host"
        path = "round-robin"
        driver.time_out = "25 ms"
        adapters.a.abort_answer_time = "3 ms"
        adapters.b.abort_answer_time = "3 ms"
        [disks]
        kind = "drives"
        adapters.a.frame_loss = 0.0
        adapters.b.frame_loss = 0.0
        count = 2
        access_time = "300 us"
        transfer_rate = "200 MB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["disks"]
        size = "24 KiB"
        read_fraction = 0.5
        queue_depth = 4
    "#;
    for (at, lasts) in (0..48).map(|case| (2_500 + 11 * case, [20, 1, 90][case as usize % 3])) {
        let away = |at, action| {
            format!(
                "[[event]]\nat = \"{at} us\"\ndo = \"{action}\"\nwhat = \"disks[0].adapters.b\"\ninitialise = false\n"
            )
        };
        let text = format!("{text}\n{}{}", away(at, "remove"), away(at + lasts, "add"));
        let result = run(&text, NetworkModel::Fast).unwrap_or_else(|error| panic!("{error}"));
        assert_adds_up(&result);
        assert_same(&result, &run(&text, NetworkModel::Stepped).unwrap_or_else(|error| panic!("{error}")));
    }
}

#[test]
fn a_scenario_with_all_changes_is_what_its_file_says() {
    let events = "[[event]]\nat = \"1 ms\"\ndo = \"remove\"\nwhat = \"drives[1]\"\ninitialise = false";
    let one = scenario(&small(events, ""));
    let again = scenario(&one.to_toml());
    assert_eq!(one.events, again.events);
    assert!(!again.events[0].initialise);
}

/// Captures of the three ports of the small loop, of which one is taken out while frames are in flight.
#[test]
fn both_loops_give_the_same_capture_of_a_loop_that_changes() {
    for at in [1_040, 1_060, 5_000] {
        let events = format!(
            "[[event]]\nat = \"{at} us\"\ndo = \"remove\"\nwhat = \"drives[1]\"\n[[event]]\nat = \"40 ms\"\ndo = \"add\"\nwhat = \"drives[1]\""
        );
        let scenario = scenario(&small(&events, "driver.time_out = \"20 ms\""));
        let (fast, counts, summary) = captured(&scenario, NetworkModel::Fast);
        let (reference, _, same) = captured(&scenario, NetworkModel::Reference);
        assert!(fast == reference && summary == same, "{at} us");
        let initialisation = |name: &str| {
            let interface = counts.interfaces.iter().find(|interface| interface.name == name);
            interface.expect("an interface").initialisation
        };
        // Seven frames at each port that takes part: the drive that is away takes part in the second initialisation only.
        let seen =
            ["host out", "host in", "drives[0] out", "drives[1] out", "drives[1] in"].map(initialisation);
        assert_eq!(seen, [14, 14, 14, 7, 7]);
    }
}

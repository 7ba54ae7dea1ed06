//! Nodes, links and switches that are taken out of a fabric while it runs, and put in again: on random systems at random moments nothing is
//! lost or answered twice, and the ledgers add up.

use crate::common::text::{assert_adds_up, away, event, run};
use crate::random_errors;
use proptest::prelude::*;
use sansim_component::NetworkModel;

/// A host and two drives behind one switch; one I/O at a time at one of the drives.
fn small(events: &str, host: &str) -> String {
    format!(
        r#"
        [run]
        duration = "100 ms"
        warm_up = 0
        [san]
        kind = "fabric"
        topology = "single-switch"
        speed = "8GFC"
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
        think_time = "100 us"
        {events}
        "#
    )
}

#[test]
fn a_drive_that_is_taken_out_fails_its_requests_at_once_and_serves_again_when_it_is_back() {
    let whole = run(&small("", "driver.retries = 0"));
    let events = away("drives[0]", 10_400, 49_600);
    let result = run(&small(&events, "driver.retries = 0"));
    assert_adds_up(&result);
    // Without the drive a request fails at once, so one fails after each pause of 100 us, for 49.6 ms.
    let (failed, good) = (result.summary.failed_ios, result.summary.ios - result.summary.failed_ios);
    assert!((480..=500).contains(&failed), "{failed} failed");
    let share = good as f64 / whole.summary.ios as f64;
    assert!((share - 0.504).abs() < 0.03, "{good} of {}", whole.summary.ios);
}

#[test]
fn what_is_added_was_not_there_before() {
    let result = run(&small(&event(50_000, "add", "drives[0]"), ""));
    assert_adds_up(&result);
    let whole = run(&small("", "")).summary.ios as f64;
    let good = (result.summary.ios - result.summary.failed_ios) as f64;
    assert!((good / whole - 0.5).abs() < 0.03, "{good} of {whole}");
}

/// Two switches with two links between them; all I/Os cross.
fn two_switches(events: &str, routing: &str) -> String {
    format!(
        r#"
        [run]
        duration = "200 ms"
        warm_up = 0
        [san]
        kind = "fabric"
        topology = "given"
        speed = "4GFC"
        routing = "{routing}"
        stations = ["host", "drives"]
        [san.switches.near]
        stations = ["host"]
        [san.switches.far]
        stations = ["drives"]
        [san.links.one]
        from = "near"
        to = "far"
        speed = "1GFC"
        [san.links.two]
        from = "near"
        to = "far"
        speed = "1GFC"
        [host]
        kind = "host"
        driver.time_out = "10 ms"
        adapter.abort_answer_time = "1 ms"
        [drives]
        kind = "drives"
        count = 4
        access_time = "10 us"
        transfer_rate = "1 GB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["drives"]
        size = "16 KiB"
        queue_depth = 2
        {events}
        "#
    )
}

#[test]
fn a_link_that_is_added_carries_half_of_the_load_from_then_on() {
    for routing in ["exchange", "adaptive"] {
        let bytes = |events: &str| {
            let result = run(&two_switches(events, routing));
            assert_adds_up(&result);
            result.summary.ios as f64
        };
        let both = bytes("");
        let one = bytes(&event(0, "remove", "san.links.two"));
        let added = bytes(&event(100_000, "add", "san.links.two"));
        let removed = bytes(&event(100_000, "remove", "san.links.two"));
        assert!(both > 1.7 * one, "{routing}: {both} and {one}");
        let mean = f64::midpoint(both, one);
        assert!((added / mean - 1.0).abs() < 0.05, "{routing}: {added} instead of {mean}");
        // The frames on the link are lost with it, and each waits for its time-out.
        assert!(removed < 1.02 * mean && removed > 0.85 * mean, "{routing}: {removed} instead of {mean}");
    }
}

/// Two sites that are 20 km apart, 100 us one way; one I/O at a time.
fn far(read_fraction: f64, events: &str) -> String {
    format!(
        r#"
        [run]
        measured_ios = 40
        warm_up = 0
        [san]
        kind = "fabric"
        topology = "given"
        speed = "4GFC"
        switches.near.stations = ["host"]
        switches.far.stations = ["drives"]
        links.one = {{ from = "near", to = "far", cable = "20 km" }}
        stations = ["host", "drives"]
        [host]
        kind = "host"
        no_way_time = "unlimited"
        driver.time_out = "5 ms"
        adapter.abort_answer_time = "1 ms"
        [drives]
        kind = "drives"
        access_time = "10 us"
        transfer_rate = "1 GB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["drives"]
        size = "16 KiB"
        read_fraction = {read_fraction:?}
        {events}
        "#
    )
}

#[test]
fn a_command_that_arrives_at_a_node_that_has_left_and_come_back_opens_no_exchange() {
    for read_fraction in [0.0, 1.0] {
        for what in ["host", "drives[0]"] {
            for at in (0..1_000).step_by(30) {
                let result = run(&far(read_fraction, &away(what, at, 20)));
                assert_adds_up(&result);
                assert_eq!((result.summary.ios, result.summary.failed_ios), (40, 0), "{what} at {at} us");
            }
        }
    }
}

/// The systems of the law, with what may leave them.
const SYSTEMS: [(&str, &[&str]); 4] = [
    (
        r#"
        [san]
        kind = "fabric"
        topology = "single-switch"
        speed = "4GFC"
        stations = ["host", "other", "disks"]
        [host]
        kind = "host"
        driver.time_out = "20 ms"
        adapter.abort_answer_time = "2 ms"
        [other]
        kind = "host"
        driver.time_out = "20 ms"
        adapter.abort_answer_time = "2 ms"
        [disks]
        kind = "drives"
        count = 3
        access_time = "300 us"
        transfer_rate = "200 MB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["disks"]
        size = "24 KiB"
        read_fraction = 0.5
        queue_depth = 3
        [load-of-other]
        kind = "closed"
        from = "other"
        to = ["disks"]
        size = "8 KiB"
        read_fraction = 0.5
        "#,
        &["host", "other", "disks[0]", "disks[1]", "disks"],
    ),
    (
        r#"
        [left]
        kind = "fabric"
        topology = "given"
        speed = "4GFC"
        stations = ["host.adapters.a", "disks.adapters.a"]
        [left.switches.near]
        stations = ["host.adapters.a"]
        [left.switches.far]
        stations = ["disks.adapters.a"]
        [left.links.one]
        from = "near"
        to = "far"
        [left.links.two]
        from = "near"
        to = "far"
        [right]
        kind = "fabric"
        topology = "single-switch"
        speed = "8GFC"
        stations = ["host.adapters.b", "disks.adapters.b"]
        [host]
        kind = "host"
        path = "round-robin"
        driver.time_out = "20 ms"
        adapters.a.abort_answer_time = "2 ms"
        adapters.b.abort_answer_time = "2 ms"
        [disks]
        kind = "drives"
        adapters.a.command_time = "1 us"
        adapters.b.command_time = "1 us"
        count = 3
        access_time = "300 us"
        transfer_rate = "200 MB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["disks"]
        size = "24 KiB"
        read_fraction = 0.5
        queue_depth = 3
        "#,
        &[
            "host.adapters.a",
            "host.adapters.b",
            "disks[0].adapters.a",
            "disks[1].adapters.b",
            "disks[2]",
            "left.links.one",
            "left.links.two",
            "left.switches.far",
        ],
    ),
    (
        r#"
        [san]
        kind = "fabric"
        topology = "single-switch"
        speed = "4GFC"
        class = "class-2"
        stations = ["host", "disks"]
        [host]
        kind = "host"
        driver.time_out = "20 ms"
        adapter.abort_answer_time = "2 ms"
        [disks]
        kind = "drives"
        count = 2
        access_time = "300 us"
        transfer_rate = "200 MB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["disks"]
        size = "24 KiB"
        read_fraction = 0.5
        queue_depth = 3
        "#,
        &["host", "disks[0]", "disks[1]", "disks"],
    ),
    (
        r#"
        [san]
        kind = "fabric"
        topology = "given"
        speed = "4GFC"
        routing = "exchange"
        stations = ["host", "other", "disks"]
        [san.switches.near]
        stations = ["host"]
        [san.switches.far]
        stations = ["other", "disks"]
        [san.links.one]
        from = "near"
        to = "far"
        cable = "60 km"
        [san.links.two]
        from = "near"
        to = "far"
        cable = "90 km"
        [host]
        kind = "host"
        driver.time_out = "20 ms"
        adapter.login = true
        adapter.abort_answer_time = "2 ms"
        [other]
        kind = "host"
        driver.time_out = "20 ms"
        adapter.abort_answer_time = "2 ms"
        [disks]
        kind = "drives"
        count = 3
        access_time = "100 us"
        transfer_rate = "200 MB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["disks"]
        size = "24 KiB"
        read_fraction = 0.5
        queue_depth = 3
        [load-of-other]
        kind = "closed"
        from = "other"
        to = ["disks"]
        size = "8 KiB"
        read_fraction = 0.5
        "#,
        &["host", "other", "disks[0]", "disks[1]", "disks", "san.links.one"],
    ),
];

/// A change: its place in the list, its time in microseconds, and the time after which it is undone.
type Changes = Vec<(usize, u64, u64)>;

fn check(system: usize, changes: &Changes, seed: u32) -> Result<(), TestCaseError> {
    let (text, things) = SYSTEMS[system];
    let mut text = format!("[run]\nseed = {seed}\nmeasured_ios = 150\nwarm_up = 0\n{text}\n");
    for &(thing, at, back) in changes {
        text += &away(things[thing % things.len()], at, back);
    }
    let result = random_errors::run(&text, NetworkModel::Fast)?;
    assert_adds_up(&result);
    prop_assert_eq!(result.summary.ios, 150);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(600), max_shrink_iters: 200, ..ProptestConfig::default() })]
    #[test]
    fn nothing_is_lost_or_answered_twice_on_fabrics_that_change(
        system in 0..SYSTEMS.len(),
        changes in prop::collection::vec((0usize..8, 0u64..30_000, prop_oneof![2 => 1u64..400, 2 => 400u64..20_000, 1 => 20_000u64..900_000]), 1..4),
        seed in 0u32..100_000,
    ) {
        check(system, &changes, seed)?;
    }
}

//! Keys that events change during a run: on random systems at random moments nothing is lost or answered twice, the ledgers add up, and the
//! models of a loop agree.

use crate::changing_keys::change;
use crate::common::text::{assert_adds_up, assert_same};
use crate::random_errors;
use proptest::prelude::*;
use sansim_component::NetworkModel;

/// A key that may change: the component, the key, and values for it.
type Changing = (&'static str, &'static str, &'static [&'static str]);

/// The systems of the law, with the changes that they may see.
const SYSTEMS: [(&str, &[Changing]); 4] = [
    (
        r#"
        [san]
        kind = "fabric"
        topology = "given"
        speed = "4GFC"
        stations = ["host", "other", "disks"]
        [san.switches.near]
        stations = ["host", "other"]
        [san.switches.far]
        stations = ["disks"]
        [san.links.one]
        from = "near"
        to = "far"
        cable = "20 km"
        [san.links.two]
        from = "near"
        to = "far"
        cable = "10 km"
        [san.node_links.disks]
        stations = ["disks"]
        speed = "2GFC"
        [host]
        kind = "host"
        driver.time_out = "60 ms"
        adapter.abort_answer_time = "2 ms"
        adapter.command_time = "5 us"
        [other]
        kind = "host"
        driver.time_out = "60 ms"
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
        kind = "synthetic"
        from = "other"
        to = ["disks"]
        size = "8 KiB"
        read_fraction = 0.5
        arrivals = { process = "poisson", rate = "500/s" }
        outstanding = 8
        "#,
        &[
            ("san", "links.one.cable", &["\"0 m\"", "\"3 km\"", "\"12 km\""]),
            ("san", "links.two.cable", &["\"0 m\"", "\"30 km\""]),
            ("san", "links.one.speed", &["\"1GFC\"", "\"16GFC\""]),
            ("san", "links.two.speed", &["\"2GFC\"", "\"8GFC\""]),
            ("san", "node_links.disks.speed", &["\"1GFC\"", "\"4GFC\""]),
            ("san", "cable", &["\"100 m\"", "\"2 km\""]),
            ("host", "port.cable", &["\"7 m\"", "\"5 km\""]),
            ("host", "adapter.processor_order", &["\"command-first\"", "\"xfer-rdy-first\"", "\"fcfs\""]),
            ("host", "driver.outstanding_limit", &["1", "4"]),
            ("host", "driver.limits.rate", &["\"2000/s\"", "\"20000/s\"", "\"unlimited\""]),
            ("load", "queue_depth", &["1", "9", "3"]),
            ("load", "think_time", &["\"50 us\"", "\"1 ms\""]),
            ("load-of-other", "arrivals.rate", &["\"50/s\"", "\"5000/s\""]),
            ("load-of-other", "limits.bandwidth", &["\"1 MB/s\"", "\"100 MB/s\"", "\"unlimited\""]),
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
        driver.time_out = "60 ms"
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
        &[
            ("san", "cable", &["\"0 m\"", "\"2 km\"", "\"3 km\""]),
            ("host", "port.cable", &["\"7 m\"", "\"2 km\""]),
            ("disks", "port.cable", &["\"0 m\"", "\"4 km\""]),
            ("load", "queue_depth", &["1", "9", "3"]),
            ("load", "read_fraction", &["0.0", "1.0"]),
        ],
    ),
    (
        r#"
        [san]
        kind = "fabric"
        topology = "single-switch"
        speed = "4GFC"
        frame_loss = 0.002
        ready_loss = 0.001
        bb_sc_n = 4
        stations = ["host", "disks"]
        [san.node_links.disks]
        stations = ["disks"]
        [host]
        kind = "host"
        driver.time_out = "60 ms"
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
        &[
            ("san", "cable", &["\"0 m\"", "\"2 km\"", "\"3 km\""]),
            ("host", "port.cable", &["\"7 m\"", "\"2 km\""]),
            ("san", "node_links.disks.speed", &["\"1GFC\"", "\"8GFC\""]),
        ],
    ),
    (
        r#"
        [loop]
        kind = "arbitrated-loop"
        speed = "2GFC"
        cable = "30 m"
        stations = ["host", "disks"]
        [host]
        kind = "host"
        driver.time_out = "60 ms"
        adapter.abort_answer_time = "4 ms"
        adapter.command_time = "5 us"
        port.cable = "100 m"
        [disks]
        kind = "drives"
        count = 3
        access_time = "300 us"
        transfer_rate = "100 MB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["disks"]
        size = "24 KiB"
        read_fraction = 0.5
        queue_depth = 3
        "#,
        &[
            ("loop", "cable", &["\"0 m\"", "\"3 km\"", "\"31 m\""]),
            ("host", "port.cable", &["\"0 m\"", "\"5 km\"", "\"101 m\""]),
            ("disks", "port.cable", &["\"2 m\"", "\"700 m\""]),
            ("host", "schedule", &["\"command-first\"", "\"unfair\"", "\"fair\""]),
            ("host", "command_first_queue", &["true", "false"]),
            ("host", "adapter.processor_order", &["\"command-first\"", "\"fcfs\""]),
            ("load", "queue_depth", &["1", "9", "3"]),
        ],
    ),
];

/// Changes: the key, the value and the time in microseconds, each by number.
type Changes = Vec<(usize, usize, u64)>;

fn check(system: usize, changes: &Changes, seed: u32) -> Result<(), TestCaseError> {
    let (text, keys) = SYSTEMS[system];
    let mut text = format!("[run]\nseed = {seed}\nmeasured_ios = 150\nwarm_up = 0\n{text}\n");
    for &(key, value, at) in changes {
        let (what, key, values) = keys[key % keys.len()];
        text += &change(&format!("{at} us"), what, key, values[value % values.len()]);
    }
    let result = random_errors::run(&text, NetworkModel::Fast)?;
    assert_adds_up(&result);
    prop_assert_eq!(result.summary.ios, 150);
    if text.contains("arbitrated-loop") {
        assert_same(&result, &random_errors::run(&text, NetworkModel::Reference)?);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(600), max_shrink_iters: 200, ..ProptestConfig::default() })]
    #[test]
    fn nothing_is_lost_or_answered_twice_while_keys_change(
        system in 0..SYSTEMS.len(),
        changes in prop::collection::vec((0usize..14, 0usize..3, 0u64..30_000), 1..6),
        seed in 0u32..100_000,
    ) {
        check(system, &changes, seed)?;
    }
}

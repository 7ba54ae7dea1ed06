//! Random systems in which devices are busy, do not answer or have full queues and frames are lost, with time-outs that race with
//! answers: no request is lost or answered twice, the ledgers add up, and both loops agree, with and without frame bursts.

use crate::common::text::{assert_adds_up, assert_same};
use proptest::prelude::*;
use sansim_component::NetworkModel;
use sansim_scenario::Scenario;
use sansim_simulator::run::RecordingOptions;
use sansim_simulator::{RunFlow, RunOptions, RunResult};
use std::sync::atomic::{AtomicU64, Ordering};

/// The systems between the host and the disks.
pub(crate) const SYSTEMS: &[&str] = &[
    // The host and the disks are on a loop.
    r#"
    [loop]
    kind = "arbitrated-loop"
    speed = "2GFC"
    stations = ["host", "disks"]
    [host]
    kind = "host"
    HOST
    HOST_ADAPTER
    [disks]
    kind = "drives"
    DISKS
    DISK_ADAPTER
    [load]
    kind = "closed"
    from = "host"
    to = ["disks"]
    LOAD
    "#,
    // Two hosts are on one loop.
    r#"
    [loop]
    kind = "arbitrated-loop"
    speed = "2GFC"
    stations = ["host", "other", "disks"]
    [host]
    kind = "host"
    HOST
    HOST_ADAPTER
    [other]
    kind = "host"
    HOST
    [disks]
    kind = "drives"
    DISKS
    DISK_ADAPTER
    [load]
    kind = "closed"
    from = "host"
    to = ["disks"]
    LOAD
    [more]
    kind = "closed"
    from = "other"
    to = ["disks"]
    LOAD
    "#,
    // There are two paths to each disk.
    r#"
    [left]
    kind = "arbitrated-loop"
    speed = "2GFC"
    stations = ["host.adapters.a", "disks.adapters.a"]
    [right]
    kind = "arbitrated-loop"
    speed = "2GFC"
    stations = ["host.adapters.b", "disks.adapters.b"]
    [host]
    kind = "host"
    path = "round-robin"
    fail_over_time = "500 us"
    no_way_time = "unlimited"
    HOST
    adapters.a.frame_loss = LOSS
    OWN_A
    adapters.b.command_time = "3 us"
    [disks]
    kind = "drives"
    DISKS
    adapters.a.frame_loss = LOSS
    adapters.b.command_time = "3 us"
    [load]
    kind = "closed"
    from = "host"
    to = ["disks"]
    LOAD
    [[event]]
    at = "9 ms"
    do = "fail"
    what = "host.adapters.a"
    [[event]]
    at = "15 ms"
    do = "fail"
    what = "disks.adapters.b"
    [[event]]
    at = "25 ms"
    do = "repair"
    what = "host.adapters.a"
    [[event]]
    at = "40 ms"
    do = "repair"
    what = "disks.adapters.b"
    "#,
    // A controller has its disks on a loop of their own.
    r#"
    [front]
    kind = "arbitrated-loop"
    speed = "2GFC"
    stations = ["host", "array.front"]
    [back]
    kind = "arbitrated-loop"
    speed = "2GFC"
    stations = ["array.back", "disks"]
    [host]
    kind = "host"
    HOST
    HOST_ADAPTER
    [array]
    kind = "controller"
    to = ["disks"]
    processor_time = "15 us"
    queue_limit = 7
    errors.busy = 0.02
    errors.no_answer = 0.02
    front.frame_loss = LOSS
    back.frame_loss = LOSS
    back.abort_answer_time = "700 us"
    OWN_BACK
    [disks]
    kind = "drives"
    DISKS
    DISK_ADAPTER
    [load]
    kind = "closed"
    from = "host"
    to = ["array"]
    LOAD
    "#,
    // A mirror is attached directly to the host.
    r#"
    [host]
    kind = "host"
    attached = ["mirror"]
    HOST
    [mirror]
    kind = "mirror"
    to = ["disks"]
    [disks]
    kind = "drives"
    DISKS
    [load]
    kind = "closed"
    from = "host"
    to = ["mirror"]
    LOAD
    "#,
];

fn any_of(words: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop::sample::select(words)
}

/// The keys of a system: host, adapter, disks, load, and the probability of a lost frame.
pub(crate) fn keys() -> impl Strategy<Value = Vec<(&'static str, String)>> {
    let host = (
        any_of(&["300 us", "700 us", "1300 us", "3 ms", "5 ms", "9 ms", "40 ms"]),
        0u32..4,
        any_of(&["10 us", "1 ms"]),
        any_of(&[
            "",
            "driver.merge = \"64 KiB\"",
            "driver.outstanding_per_device = 2",
            "driver.completion_time = \"3 us\"",
            "driver.escalation = [\"lun-reset\"]\ndriver.escalation_time = \"60 us\"",
            "driver.escalation = [\"abort-task-set\", \"clear-task-set\", \"lun-reset\", \"target-reset\"]\ndriver.escalation_time = \"30 us\"",
            "driver.escalation = [\"clear-task-set\", \"target-reset\"]\ndriver.escalation_time = \"1 ms\"\ndriver.merge = \"64 KiB\"",
            "driver.limits.rate = \"4000/s\"\ndriver.merge = \"64 KiB\"",
            "driver.arrival_time = \"20 us\"\ndriver.completion_time = \"30 us\"\nprocessors.model = \"interrupts\"\nprocessors.coalescing_time = \"400 us\"\nprocessors.coalesced_completions = 3\nprocessors.interrupt_time = \"10 us\"\ndriver.merge = \"64 KiB\"",
            "driver.arrival_time = \"20 us\"\ndriver.completion_time = \"30 us\"\nprocessors.model = \"polling\"\nprocessors.count = 2\nprocessors.poll_time = \"5 us\"",
        ]),
        any_of(&["1 ms", "120 s"]),
    );
    let loss = any_of(&["0.0", "0.0", "0.003", "0.01", "0.05"]);
    let errors = (any_of(&["0.0", "0.1"]), any_of(&["0.0", "0.1"]), any_of(&["0.0", "0.03"]));
    let disks = (
        any_of(&["200 us", "{ distribution = \"exponential\", mean = \"400 us\" }"]),
        any_of(&[
            "",
            "concurrency = 3",
            "cache = \"64 KiB\"",
            "queue_limit = 2",
            "queue_limit = 3\nqueue_depth = 8\nqueue_depth_for = \"each\"",
        ]),
        any_of(&["", "write_transfer = \"after-data\"", "burst = \"4 KiB\"\nread_sequence = \"4 KiB\""]),
        any_of(&[
            "",
            "adapter.burst_done = \"stored\"",
            "adapter.response_circuit = \"own\"",
            "adapter.response_start = \"sent\"",
        ]),
    );
    let load = (
        any_of(&["512 B", "5000 B", "16 KiB", "64 KiB", "200 KiB"]),
        1u32..6,
        any_of(&["0.0", "0.5", "1.0"]),
        any_of(&["random", "sequential"]),
    );
    let recovery = any_of(&[
        "",
        "",
        "adapter.rec_time_out = \"350 us\"\nadapter.rec_retries = 1",
        "adapter.rec_time_out = \"1 ms\"",
        "adapter.rec_time_out = \"4 ms\"",
    ]);
    let frames = (any_of(&["0 ns", "2 us", "20 us"]), any::<[bool; 3]>(), recovery);
    (host, (loss, frames), errors, disks, load).prop_map(|(host, (loss, frames), errors, disks, load)| {
        let (time_out, retries, wait, more, ramp_up) = host;
        let (busy, check_condition, no_answer) = errors;
        let (access, drive, pieces, adapter) = disks;
        let (size, depth, reads, pattern) = load;
        let (frame_time, [both_ways, disks_both_ways, attention], recovery) = frames;
        vec![
            ("HOST_ADAPTER", format!("adapter.frame_loss = {loss}\nadapter.abort_answer_time = \"900 us\"\nadapter.frame_time = \"{frame_time}\"\nadapter.dma_bidirectional = {both_ways}\n{recovery}")),
            ("OWN_BACK", recovery.replace("adapter.", "back.")),
            ("OWN_A", recovery.replace("adapter.", "adapters.a.")),
            ("DISK_ADAPTER", format!("adapter.frame_loss = {loss}\nadapter.command_time = \"4 us\"\nadapter.dma_bidirectional = {disks_both_ways}\nadapter.rr_time_out = \"6 ms\"\nadapter.unit_attention = {attention}\n{adapter}")),
            ("HOST", format!("driver.time_out = \"{time_out}\"\ndriver.retries = {retries}\ndriver.busy_wait = \"{wait}\"\ndriver.queue_ramp_up_time = \"{ramp_up}\"\n{more}")),
            ("DISKS", format!("count = 2\naccess_time = {}\ntransfer_rate = \"200 MB/s\"\nerrors.busy = {busy}\nerrors.check_condition = {check_condition}\nerrors.no_answer = {no_answer}\n{drive}\n{pieces}", if access.starts_with('{') { access.to_owned() } else { format!("\"{access}\"") })),
            ("LOAD", format!("size = \"{size}\"\nqueue_depth = {depth}\nread_fraction = {reads}\npattern = \"{pattern}\"")),
            ("LOSS", loss.to_owned()),
        ]
    })
}

pub(crate) fn run(text: &str, loop_model: NetworkModel) -> Result<RunResult, TestCaseError> {
    let options = RunOptions { loop_model, recording: RecordingOptions::IOS, ..RunOptions::default() };
    let scenario =
        Scenario::parse_text(text, "random").map_err(|report| TestCaseError::fail(report.to_string()))?;
    sansim_simulator::run(&scenario, &options, &mut |_| RunFlow::Continue)
        .map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))
}

/// Checks one system with these errors; returns whether it had frame bursts.
fn check(system: usize, keys: &[(&str, String)], seed: u32) -> Result<bool, TestCaseError> {
    let text = keys.iter().fold(SYSTEMS[system].to_owned(), |text, (key, value)| text.replace(key, value));
    let text = format!("[run]\nseed = {seed}\nmeasured_ios = 150\nwarm_up = 0\n{text}");
    let result = run(&text, NetworkModel::Fast)?;
    assert_adds_up(&result);
    prop_assert_eq!(result.summary.ios, 150);
    let errors = &result.summary.errors;
    let given_up: u64 = errors.hosts.0.iter().map(|(_, host)| host.given_up).sum();
    prop_assert_eq!(given_up >= result.summary.failed_ios, true, "{:?}", errors);
    for told in &errors.first_time_outs {
        prop_assert_eq!(told.cause == "slow", told.by.is_none());
        prop_assert!(!told.place.is_empty() && told.waited_ns > 0.0 && told.attempt >= 1);
    }
    let stepped = run(&text, NetworkModel::Stepped)?;
    assert_same(&result, &stepped);
    if seed.is_multiple_of(3) {
        assert_same(&result, &run(&text, NetworkModel::Reference)?);
    }
    Ok(result.run.events < stepped.run.events)
}

#[test]
fn nothing_is_lost_or_answered_twice_under_random_errors() {
    let (with, all) = (AtomicU64::new(0), AtomicU64::new(0));
    let config = ProptestConfig {
        cases: sansim_trials::case_count(1000),
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    };
    proptest!(config, |(system in 0..SYSTEMS.len(), keys in keys(), seed in 0u32..100_000)| {
        let has_trains = check(system, &keys, seed)?;
        with.fetch_add(u64::from(has_trains), Ordering::Relaxed);
        all.fetch_add(1, Ordering::Relaxed);
    });
    let (with, all) = (with.into_inner(), all.into_inner());
    println!("{with} of {all} systems had trains");
    assert!(8 * with >= all, "{with} of {all} systems had trains");
}

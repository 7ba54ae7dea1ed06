//! Frames that are received damaged on a loop: their requests are aborted and sent again, and the time-out names the place.

use crate::common::text::{assert_adds_up, assert_reference_agrees, run, run_on};
use sansim_component::NetworkModel;
use sansim_simulator::RunResult;
use sansim_simulator::errors::HostErrors;

/// A scenario of this number of I/Os of 16 KiB to two disks on a loop, with more keys of the adapters, the
/// driver and the workload.
fn on_a_loop(ios: u64, host: &str, disk: &str, driver: &str, load: &str) -> String {
    format!(
        r#"
        [run]
        measured_ios = {ios}
        warm_up = 0
        [loop]
        kind = "arbitrated-loop"
        speed = "1GFC"
        stations = ["host", "disks"]
        [host]
        kind = "host"
        adapter.command_time = "5 us"
        adapter.frame_time = "1 us"
        adapter.abort_answer_time = "2 ms"
        {host}
        [host.driver]
        {driver}
        [disks]
        kind = "drives"
        count = 2
        access_time = "1 ms"
        transfer_rate = "200 MB/s"
        burst = "8 KiB"
        adapter.command_time = "5 us"
        {disk}
        [load]
        kind = "closed"
        from = "host"
        to = ["disks"]
        size = "16 KiB"
        {load}
        "#
    )
}

fn met(result: &RunResult) -> HostErrors {
    *result.summary.errors.hosts.value_named("host").expect("errors of the host")
}

const TIME_OUT: &str = "time_out = \"30 ms\"";
const MIXED: &str = "queue_depth = 3\nread_fraction = 0.5";

#[test]
fn requests_of_which_a_frame_is_lost_are_aborted_and_tried_again() {
    for (host, disk) in [
        ("adapter.frame_loss = 0.01", ""),
        ("", "adapter.frame_loss = 0.01"),
        ("adapter.frame_loss = 0.02", "adapter.frame_loss = 0.02\nadapter.burst_done = \"stored\""),
        (
            "adapter.frame_loss = 0.02",
            "adapter.response_start = \"sent\"\nadapter.response_circuit = \"own\"",
        ),
    ] {
        let result = run(&on_a_loop(2_000, host, disk, &format!("{TIME_OUT}\nretries = 50"), MIXED));
        assert_adds_up(&result);
        let met = met(&result);
        assert!(met.frame_lost > 20, "{met:?}");
        // While a disk waits for data that were lost, other requests wait in it, some of them for too long.
        assert_eq!((met.no_answer, met.given_up), (0, 0), "{met:?}");
        assert_eq!((met.retries, result.summary.failed_ios), (met.time_outs, 0));
        let lost: u64 = result.summary.errors.frames_lost.0.iter().map(|(_, count)| count).sum();
        assert!(lost >= met.frame_lost, "{lost} frames lost, {met:?}");
        for told in &result.summary.errors.first_time_outs {
            let lost = told.by.as_deref().is_some_and(|by| by.ends_with("adapter"));
            assert_eq!(lost, told.cause == "frame_lost", "{told:?}");
            assert_eq!(told.waited_ns, 30e6);
        }
    }
}

#[test]
fn both_loops_say_the_same_of_lost_frames() {
    let loss = "adapter.frame_loss = 0.02";
    assert_reference_agrees(&on_a_loop(400, loss, loss, TIME_OUT, MIXED));
}

#[test]
fn a_lost_frame_on_the_way_to_a_device_that_fails_or_is_busy_loses_nothing() {
    let disk = "adapter.frame_loss = 0.01\nerrors.busy = 0.05\nerrors.check_condition = 0.05\nerrors.no_answer = 0.01\nqueue_limit = 2";
    let text = on_a_loop(1_500, "adapter.frame_loss = 0.01", disk, TIME_OUT, MIXED);
    let result = run(&text);
    assert_adds_up(&result);
    let met = met(&result);
    assert!(
        met.busy > 0
            && met.check_condition > 0
            && met.no_answer > 0
            && met.frame_lost > 0
            && met.queue_full > 0
    );
    assert_eq!(met.given_up, result.summary.failed_ios);
}

#[test]
fn an_abort_that_races_with_its_answer_is_done_once() {
    // A request takes some 1.3 ms: with these time-outs ABTS meets data, FCP_RSP and frames that the blocks of the adapters
    // handle.
    for time_out_us in (1_100..1_700).step_by(37) {
        for load in ["queue_depth = 1\nread_fraction = 0.5", MIXED] {
            let driver = format!("time_out = \"{time_out_us} us\"\nretries = 3\nqueue.order = \"look\"");
            let text =
                on_a_loop(150, "adapter.single_frame_time = \"20 us\"", "concurrency = 2", &driver, load);
            let result = run(&text);
            assert_adds_up(&result);
            assert_eq!(result.summary.ios, 150);
        }
    }
}

#[test]
fn without_loss_the_keys_of_it_move_nothing() {
    let said = |adapter: &str, driver: &str| {
        let result = run_on(&on_a_loop(300, adapter, adapter, driver, MIXED), NetworkModel::Fast);
        serde_json::to_string(&result.summary).expect("JSON")
    };
    assert_eq!(said("adapter.frame_loss = 0.0", "time_out = \"30 s\""), said("", ""));
}

#[test]
fn a_run_in_which_nobody_misses_a_lost_frame_says_what_to_do() {
    use sansim_simulator::{RunFlow, RunOptions};
    let text = on_a_loop(500, "adapter.frame_loss = 0.05", "", "", MIXED);
    let error =
        sansim_simulator::run(&crate::common::text::scenario(&text), &RunOptions::default(), &mut |_| {
            RunFlow::Continue
        });
    let message = error.map(|_| ()).expect_err("it cannot end").to_string();
    assert!(message.contains("host.adapter") && message.contains("time_out"), "{message}");
}

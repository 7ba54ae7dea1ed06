//! Errors at devices, and their handling by hosts: closed forms of retries, the throttle, time-outs, and the reports.

use crate::common::text::{assert_adds_up, in_place_ns, run};
use sansim_kernel::Span;
use sansim_simulator::RunResult;
use sansim_simulator::errors::HostErrors;

/// A scenario of this number of reads of 4 KiB of a disk without a network, with more keys of the disk, the driver and the workload. An
/// access takes 1 ms.
fn direct(ios: u64, disk: &str, driver: &str, load: &str) -> String {
    format!(
        r#"
        [run]
        measured_ios = {ios}
        warm_up = 0
        [host]
        kind = "host"
        attached = ["disk"]
        [host.driver]
        {driver}
        [disk]
        kind = "drives"
        model = "ram"
        access_time = "1 ms"
        transfer_rate = "4096 MB/s"
        {disk}
        [load]
        kind = "closed"
        from = "host"
        to = ["disk"]
        size = "4 KiB"
        {load}
        "#
    )
}

fn met(result: &RunResult) -> HostErrors {
    *result.summary.errors.hosts.value_named("host").expect("errors of the host")
}

/// Checks that a count that is drawn `of` times with a probability is within four standard deviations.
fn assert_drawn(what: &str, count: u64, of: u64, probability: f64) {
    let (of, count) = (of as f64, count as f64);
    let most = 4.0 * (of * probability * (1.0 - probability)).sqrt();
    assert!((count - of * probability).abs() <= most, "{what}: {count} of {of}, expected {probability}");
}

#[test]
fn a_request_is_tried_as_often_as_a_geometric_law_says_and_then_fails() {
    const IOS: u64 = 20_000;
    for (error, probability, retries) in
        [("busy", 0.3, 2), ("check_condition", 0.5, 3), ("busy", 0.1, 0), ("no_answer", 0.2, 1)]
    {
        let driver = format!("retries = {retries}\ntime_out = \"5 ms\"");
        let result = run(&direct(IOS, &format!("errors.{error} = {probability}"), &driver, ""));
        assert_adds_up(&result);
        let met = met(&result);
        let tries = IOS + met.retries;
        let errors = met.busy + met.check_condition + met.no_answer;
        // Each attempt fails independently.
        assert_drawn(error, errors, tries, probability);
        let all_go_wrong = f64::powi(probability, retries + 1);
        assert_drawn("failed", met.given_up, IOS, all_go_wrong);
        assert_eq!(met.given_up, result.summary.failed_ios);
        // The mean number of attempts is (1 - p^(n+1)) / (1 - p); its random part is the number of errors, within the bounds of
        // that number.
        let mean = (1.0 - all_go_wrong) / (1.0 - probability);
        let found = tries as f64 / IOS as f64;
        let deviation = (probability.sqrt() / (1.0 - probability)) / (IOS as f64).sqrt();
        assert!((found - mean).abs() <= 4.0 * deviation, "{error}: {found} tries, expected {mean}");
    }
}

#[test]
fn hosts_act_on_the_sense_key_of_a_check_condition() {
    // A host and its disk are attached, or are at a switch, where FCP_RSP carries the sense key.
    fn attached(disk: &str, driver: &str) -> String {
        direct(3_000, disk, driver, "")
    }
    fn at_switch(disk: &str, driver: &str) -> String {
        attached(disk, driver).replace("attached = [\"disk\"]", "").replace(
            "[load]",
            "[san]\nkind = \"fabric\"\nspeed = \"8GFC\"\nstations = [\"host\", \"disk\"]\n[load]",
        )
    }
    for system in [attached, at_switch] as [fn(&str, &str) -> String; 2] {
        for (key, wait_ns) in [("unit-attention", 0), ("aborted-command", 0), ("not-ready", 7_000_000)] {
            let disk = format!("errors.check_condition = 0.25\nerrors.sense_key = \"{key}\"");
            let result = run(&system(&disk, "busy_wait = \"7 ms\"\nretries = 1000"));
            assert_adds_up(&result);
            let met = met(&result);
            let waited = in_place_ns(&result, "host") * 3_000.0;
            let least = (met.check_condition * wait_ns) as f64;
            assert!(met.check_condition > 800 && met.retries == met.check_condition, "{key}");
            // The response time has the waits and the work of the host's adapter.
            assert!((waited - least).abs() < 1e-3 * 3_000.0 * 1e6, "{key}: {waited} ns, expected {least}");
            assert_eq!(result.summary.failed_ios, 0, "{key}");
        }
        let disk = "errors.check_condition = 0.25\nerrors.sense_key = \"hardware-error\"";
        let result = run(&system(disk, "retries = 1000"));
        assert_adds_up(&result);
        assert_drawn("hardware errors", result.summary.failed_ios, 3_000, 0.25);
        assert!(result.summary.errors.hosts.value_named("host").is_none_or(|met| met.retries == 0));
    }
}

#[test]
fn a_request_that_met_with_busy_has_waited_so_long_for_each_time() {
    let result = run(&direct(3_000, "errors.busy = 0.25", "busy_wait = \"7 ms\"\nretries = 1000", ""));
    let met = met(&result);
    let waited = in_place_ns(&result, "host") * 3_000.0;
    assert_eq!(waited.round() as u64, met.busy * 7_000_000, "nothing else keeps it in the driver");
    assert_eq!((met.busy, met.given_up, result.summary.failed_ios), (met.retries, 0, 0));
}

#[test]
fn keys_of_errors_that_never_happen_move_nothing() {
    let load = "queue_depth = 8\nread_fraction = 0.6";
    let said = |disk: &str, driver: &str| {
        let result = run(&direct(2_000, disk, driver, load));
        (serde_json::to_string(&result.summary).expect("JSON"), result.ios.rows)
    };
    let plain = said("concurrency = 3", "");
    assert!(!plain.0.contains("\"errors\""), "a result without errors says nothing of them");
    let keys = "concurrency = 3\nqueue_limit = 8\nerrors.busy = 0.0\nerrors.no_answer = 0.0";
    assert_eq!(said(keys, "retries = 9\nbusy_wait = \"1 s\"\nqueue_ramp_up_time = \"1 s\""), plain);
    assert_eq!(said("concurrency = 3", "time_out = \"30 s\""), plain, "a time-out that nobody reaches");
}

#[test]
fn a_device_that_is_full_is_throttled_to_what_it_takes_and_loses_nothing() {
    let disk = "concurrency = 4\nqueue_limit = 4\nqueue_depth = 16";
    let result = run(&direct(5_000, disk, "retries = 0", "queue_depth = 16"));
    assert_adds_up(&result);
    let met = met(&result);
    assert_eq!(result.summary.failed_ios, 0, "QUEUE FULL is no failure, however often it comes");
    assert_eq!(met.queue_full, 1, "from then on the host keeps to what the disk takes");
    let limited = run(&direct(5_000, "concurrency = 4", "outstanding_per_device = 4", "queue_depth = 16"));
    let [one, other] = [&result, &limited].map(|result| result.summary.iops);
    assert!((one / other - 1.0).abs() < 1e-3, "{one} and {other} I/Os per second");
}

#[test]
fn after_a_quiet_time_a_throttled_device_is_asked_for_one_more() {
    let disk = "concurrency = 4\nqueue_limit = 4";
    let result = run(&direct(20_000, disk, "queue_ramp_up_time = \"100 ms\"", "queue_depth = 16"));
    let met = met(&result);
    // Four reads at a time take 1 ms and 1 us: 20 000 of them take 5 s, in which one read in each 100 ms is
    // too many.
    assert!((48..=51).contains(&met.queue_full), "{met:?}");
    assert_eq!(result.summary.failed_ios, 0);
}

#[test]
fn a_command_that_is_not_answered_is_aborted_and_tried_again_and_told() {
    let disk = "errors.no_answer = 0.01";
    let result = run(&direct(3_000, disk, "time_out = \"50 ms\"", "queue_depth = 4"));
    assert_adds_up(&result);
    let met = met(&result);
    assert!(met.no_answer > 10, "{met:?}");
    assert_eq!((met.time_outs, met.slow, met.frame_lost), (met.no_answer, 0, 0));
    assert_eq!(met.retries, met.no_answer);
    for told in &result.summary.errors.first_time_outs {
        assert_eq!((told.cause, told.by.as_deref()), ("no_answer", Some("disk[0]")), "{told:?}");
        assert_eq!((told.place.as_str(), told.waited_ns), ("disk.no_answer", 50e6), "{told:?}");
        assert_eq!((told.host.as_str(), told.workload.as_str(), told.bytes), ("host", "load", 4096));
    }
    let expected = met.no_answer as f64 * 50e6 / 3_000.0;
    let swallowed = result.summary.ledger_ns.mean.value_named("disk.no_answer").copied().unwrap_or(0.0);
    assert!((swallowed / expected - 1.0).abs() < 1e-9, "{swallowed} ns, expected {expected}");
}

#[test]
fn a_request_that_is_still_being_served_is_told_as_slow_and_where_it_is() {
    let driver = "time_out = \"400 us\"\nretries = 1";
    let result = run(&direct(100, "", driver, ""));
    let met = met(&result);
    assert_eq!((met.slow, met.given_up, result.summary.failed_ios), (200, 100, 100));
    let errors = &result.summary.errors;
    assert_eq!(errors.first_time_outs.len(), 20, "the list is bounded, the counts are not");
    let attempts: Vec<u32> = errors.first_time_outs.iter().take(4).map(|told| told.attempt).collect();
    assert_eq!(attempts, [1, 2, 1, 2]);
    for told in &errors.first_time_outs {
        assert_eq!((told.place.as_str(), told.cause, &told.by), ("disk.access", "slow", &None));
    }
    for io in &result.ios.rows {
        assert_eq!(io.response, Span::from_us(800));
    }
}

#[test]
fn without_other_errors_a_longer_time_out_never_gives_more_time_outs() {
    let mut last = u64::MAX;
    for time_out_us in [300, 700, 1_500, 3_000, 6_000, 12_000, 50_000] {
        let access = "access_time = { distribution = \"exponential\", mean = \"1 ms\" }";
        let text = direct(
            2_000,
            "concurrency = 2",
            &format!("time_out = \"{time_out_us} us\"\nretries = 0"),
            "queue_depth = 4",
        );
        let result = run(&text.replace("access_time = \"1 ms\"", access));
        let time_outs = result.summary.errors.time_outs().0;
        assert_eq!(time_outs, result.summary.failed_ios);
        assert!(time_outs <= last, "{time_outs} time-outs after {time_out_us} us, {last} before");
        last = time_outs;
    }
    assert_eq!(last, 0);
}

#[test]
fn a_run_in_which_nobody_aborts_what_is_not_answered_says_what_to_do() {
    use sansim_simulator::{RunFlow, RunOptions};
    let scenario = crate::common::text::scenario(&direct(100, "errors.no_answer = 0.5", "", ""));
    let error =
        sansim_simulator::run(&scenario, &RunOptions::default(), &mut |_| RunFlow::Continue).map(|_| ());
    let message = error.expect_err("it cannot end").to_string();
    assert!(message.contains("`disk[0]`") && message.contains("time_out"), "{message}");
}

#[test]
fn merged_requests_are_aborted_and_tried_again_as_one_and_answered_one_by_one() {
    let disk = "errors.no_answer = 0.05\nerrors.busy = 0.1\nerrors.check_condition = 0.1\nqueue_limit = 3";
    let driver = "merge = \"64 KiB\"\ntime_out = \"20 ms\"\nretries = 2\noutstanding_per_device = 2\nqueue.order = \"look\"";
    let load = "queue_depth = 12\npattern = \"sequential\"";
    let result = run(&direct(4_000, disk, driver, load));
    assert_adds_up(&result);
    let met = met(&result);
    assert_eq!((result.summary.ios, met.given_up), (4_000, result.summary.failed_ios));
    assert!(met.no_answer > 0 && met.busy > 0 && met.given_up > 0, "{met:?}");
}

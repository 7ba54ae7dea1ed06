//! Limits of rate and bandwidth in hosts: closed forms and laws.

use crate::common::text::{assert_adds_up, assert_near, run};
use sansim_simulator::RunResult;

/// A host with keys of its driver, attached directly to two disks that take 1 ms for each I/O, and with
/// loads.
fn host(driver: &str, loads: &[String]) -> String {
    let disk = |name: &str| {
        format!(
            r#"
            [{name}]
            kind = "drives"
            access_time = "1 ms"
            transfer_rate = "1 TB/s"
            concurrency = 8
            "#
        )
    };
    format!(
        r#"
        [run]
        measured_ios = 2000
        warm_up = 100
        [host]
        kind = "host"
        attached = ["disk0", "disk1"]
        [host.driver]
        {driver}
        {}
        {}
        {}
        "#,
        disk("disk0"),
        disk("disk1"),
        loads.concat()
    )
}

/// Eight reads of 4 KB are in flight at a time: 8000 I/Os a second, if nothing limits them.
fn load(name: &str, to: &str, more: &str) -> String {
    format!(
        r#"
        [{name}]
        kind = "closed"
        from = "host"
        to = ["{to}"]
        size = "4096 B"
        queue_depth = 8
        {more}
        "#
    )
}

fn rate(result: &RunResult, workload: &str) -> f64 {
    result.summary.workloads.value_named(workload).expect("the workload").part.iops
}

fn held_back_ns(result: &RunResult) -> f64 {
    result.summary.ledger_ns.mean.value_named("host.held_back").copied().unwrap_or(0.0)
}

#[test]
fn where_a_limit_binds_throughput_is_the_limit_and_the_time_is_told() {
    let limits = [("limits", "rate = \"1000/s\""), ("limits", "bandwidth = \"4096 KB/s\"")];
    for (of, (table, limit)) in
        [("host", limits[0]), ("host", limits[1]), ("load", limits[0]), ("load", limits[1])]
    {
        let limit = format!("{table}.{limit}");
        let [driver, more] = if of == "host" { [limit.as_str(), ""] } else { ["", limit.as_str()] };
        let result = run(&host(driver, &[load("load", "disk0", more)]));
        assert_adds_up(&result);
        assert_near(&limit, rate(&result, "load"), 1_000.0, 1e-6);
        // Eight I/Os are in flight at 1000 a second: 8 ms each, of which the disk takes 1 ms.
        assert_near(&limit, held_back_ns(&result), 7e6, 1e-4);
    }
}

#[test]
fn a_limit_that_does_not_bind_changes_nothing_to_the_bit() {
    let plain = run(&host("", &[load("load", "disk0", "")]));
    let limited = run(&host(
        "limits = { rate = \"8001/s\", burst = \"10 ms\" }\nlimits_per_device.bandwidth = \"1 GB/s\"\nlimits_per_device.burst = \"1 ms\"",
        &[load("load", "disk0", "limits = { rate = \"9000/s\", burst = \"10 ms\" }")],
    ));
    assert_eq!(plain.ios.rows, limited.ios.rows);
    assert_eq!(held_back_ns(&limited), 0.0);
}

#[test]
fn a_higher_limit_never_gives_less() {
    let mut before = 0.0;
    for limit in [100, 1_000, 3_000, 7_999, 8_000, 9_000, 20_000] {
        let result = run(&host("", &[load("load", "disk0", &format!("limits.rate = \"{limit}/s\""))]));
        let rate = rate(&result, "load");
        assert!(rate >= before * (1.0 - 1e-9), "{limit}: {rate} after {before}");
        assert!(rate <= f64::from(limit) * 1.001, "{limit}: {rate}");
        before = rate;
    }
    assert_near("without a limit that binds", before, 8_000.0, 1e-3);
}

#[test]
fn a_limited_workload_does_not_hold_up_another_at_the_same_device() {
    let loads = [load("limited", "disk0", "limits.rate = \"100/s\""), load("other", "disk0", "")];
    let result = run(&host("", &loads).replace("concurrency = 8", "concurrency = 16"));
    assert_near("the other", rate(&result, "other"), 8_000.0, 1e-3);
    assert_near("the limited one", rate(&result, "limited"), 100.0, 0.05);
}

#[test]
fn two_workloads_with_limits_share_nothing() {
    let loads =
        [load("one", "disk0", "limits.rate = \"1000/s\""), load("two", "disk0", "limits.rate = \"2000/s\"")];
    let result = run(&host("", &loads).replace("concurrency = 8", "concurrency = 16"));
    assert_near("one", rate(&result, "one"), 1_000.0, 2e-3);
    assert_near("two", rate(&result, "two"), 2_000.0, 2e-3);
}

#[test]
fn a_limit_of_each_device_holds_up_no_other_device() {
    // The I/Os for the first device exceed the limit, the I/Os for the second device do not.
    let slow = load("slow", "disk1", "").replace("queue_depth = 8", "queue_depth = 1");
    let result = run(&host("limits_per_device.rate = \"1000/s\"", &[load("fast", "disk0", ""), slow]));
    assert_near("the first device", rate(&result, "fast"), 1_000.0, 2e-3);
    assert_near("the second device", rate(&result, "slow"), 1_000.0, 2e-3);
    let response = |name: &str| {
        let workload = result.summary.workloads.value_named(name).expect("the workload");
        workload.part.response_time_ns.as_ref().expect("it is stable").mean
    };
    assert_near("nothing is held back of one at a time", response("slow"), 1e6, 1e-3);
}

#[test]
fn limits_of_the_host_count_for_all_its_workloads_together() {
    let loads = [load("one", "disk0", ""), load("two", "disk1", "")];
    let result = run(&host("limits.rate = \"1000/s\"", &loads));
    assert_near("in all", result.summary.iops, 1_000.0, 1e-6);
    assert_near("each alike", rate(&result, "one"), 500.0, 0.01);
}

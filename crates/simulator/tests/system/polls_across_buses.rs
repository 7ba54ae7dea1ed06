//! Polls of an in-band appliance that read a register over the bus of their adapter: on an idle bus they take only their own time,
//! on a saturated bus they wait, and data wait for them.

use crate::common::figure;
use crate::common::text::{assert_adds_up, assert_near, run};
use sansim_simulator::RunResult;

const POLL_NS: f64 = 2_660.0;
/// A poll reads a register of 4 bytes with 3 clocks of overhead, at 33 MHz, which is its time on the bus.
const READS_NS: f64 = 120.0;

/// Adapters with a host each, all on one bus, and reads of the memory of the server.
fn text(hosts: usize, poll_reads: &str, size: &str, load: &str, run: &str) -> String {
    let mut text = format!(
        r#"
        [run]
        {run}
        functional_warm_up = 100000
        [sds]
        kind = "appliance"
        to = ["memory"]
        [sds.processors]
        most_threads = 1
        poll_reads = "{poll_reads}"
        [sds.stack]
        target_emulation = {{ cycles = 5500 }}
        [sds.buses.only]
        standard = "pci-32-33"
        [memory]
        kind = "cache"
        to = ["disk"]
        inside = "sds"
        capacity = "16 MiB"
        [disk]
        kind = "ram-disks"
        capacity = "8 MiB"
        bandwidth = "100 GB/s"
        "#
    );
    for host in 0..hosts {
        text += &format!(
            r#"
            [link-{host}]
            kind = "arbitrated-loop"
            speed = "1GFC"
            stations = ["host-{host}", "sds.fronts.f{host}"]
            [host-{host}]
            kind = "host"
            [sds.fronts.f{host}]
            max_payload = "1 KiB"
            dma_bandwidth = "100 MB/s"
            [load-{host}]
            from = "host-{host}"
            to = ["sds"]
            size = "{size}"
            {load}
            "#
        );
    }
    text
}

fn of(result: &RunResult, name: &str) -> f64 {
    figure(&result.summary, "sds.processors", name)
}

fn polls(result: &RunResult) -> f64 {
    of(result, "productive_polls") + of(result, "unproductive_polls")
}

fn seconds(result: &RunResult) -> f64 {
    result.summary.ios as f64 / result.summary.iops
}

/// The time of a poll, from the share of the time in which the thread does nothing else: each read has 10 us of
/// work.
fn poll_ns(result: &RunResult) -> f64 {
    (seconds(result) * 1e9 - result.summary.ios as f64 * 10_000.0) / polls(result)
}

#[test]
fn on_a_bus_that_nobody_wants_a_thread_polls_as_often_as_without_one() {
    let load = "kind = \"closed\"\nread_fraction = 1.0\nthink_time = \"10 ms\"";
    for (reads, transactions) in [("4 B", 1.0), ("0 B", 0.0)] {
        let result = run(&text(2, reads, "512 B", load, "measured_ios = 40\nwarm_up = 4"));
        assert_adds_up(&result);
        assert_near("a poll", poll_ns(&result), POLL_NS, 2e-3);
        let of_polls = figure(&result.summary, "sds.buses.only", "transactions") / polls(&result);
        assert_near("transactions of a poll", 1.0 + of_polls, 1.0 + transactions, 2e-2);
        let used = figure(&result.summary, "sds.buses.only", "utilisation");
        assert!((used - transactions * READS_NS / POLL_NS).abs() < 5e-3, "{used}");
    }
}

#[test]
fn on_a_full_bus_a_poll_waits_for_what_is_left_of_a_turn_and_for_others_that_wait() {
    let load = "kind = \"closed\"\nread_fraction = 1.0\nqueue_depth = 4";
    let of = |reads| {
        let result = run(&text(3, reads, "16 KiB", load, "measured_ios = 1500\nwarm_up = 100"));
        assert_adds_up(&result);
        result
    };
    let (plain, crossing) = (of("0 B"), of("4 B"));
    assert_near("a poll across nothing", poll_ns(&plain), POLL_NS, 5e-3);
    let used = figure(&crossing.summary, "sds.buses.only", "utilisation");
    assert!(used > 0.97, "{used}");
    // Three cards use the bus in turns of 67 clocks. A poll waits at least for the remainder of one turn, and
    // at most for all three.
    let turn_ns = 67.0 * 30.0;
    let waits = (poll_ns(&crossing) - POLL_NS) / turn_ns;
    println!("a poll waits for {waits:.2} turns");
    assert!((0.5..3.0).contains(&waits), "{waits}");
    // Data lose the bus time of polls.
    let rate = |result: &RunResult| result.summary.bytes_per_second;
    let less = 1.0 - rate(&crossing) / rate(&plain);
    let of_polls = polls(&crossing) / seconds(&crossing) * READS_NS / 1e9;
    println!("data lose {less:.3} of the bus, of which polls have {of_polls:.3}");
    assert!(less > 0.0 && less < 2.0 * of_polls, "{less}, {of_polls}");
}

#[test]
fn other_load_on_the_bus_never_makes_a_poll_quicker() {
    let mut before = 0.0;
    for depth in [1, 2, 4, 8] {
        let load = format!("kind = \"closed\"\nread_fraction = 1.0\nqueue_depth = {depth}");
        let result = run(&text(3, "4 B", "16 KiB", &load, "measured_ios = 1000\nwarm_up = 100"));
        let poll = poll_ns(&result);
        assert!(poll > before * 0.99 && poll >= POLL_NS, "{poll} after {before} at {depth}");
        before = poll;
    }
}

#[test]
fn a_run_that_is_over_while_nothing_is_under_way_ends_though_threads_poll() {
    let load =
        "kind = \"synthetic\"\nread_fraction = 1.0\narrivals = { process = \"poisson\", rate = \"300/s\" }";
    let result = run(&text(1, "4 B", "512 B", load, "duration = \"100 ms\"\nwarm_up = \"10 ms\""));
    assert_adds_up(&result);
    assert!(result.summary.ios > 5, "{}", result.summary.ios);
    assert_near("a poll", poll_ns(&result), POLL_NS, 2e-2);
}

//! A host is attached directly to a drive, with no adapter and no network: all times are known in closed
//! form.

use crate::common::text::{assert_adds_up, assert_near, in_place_ns, run};
use sansim_kernel::Span;

/// A scenario of this number of reads or writes of 64 KiB, with more keys of the drive, the driver and the
/// workload.
fn direct(ios: u64, drive: &str, driver: &str, load: &str) -> String {
    format!(
        r#"
        [run]
        measured_ios = {ios}
        warm_up = 5
        [host]
        kind = "host"
        attached = ["disk"]
        [host.driver]
        {driver}
        [disk]
        kind = "drives"
        {drive}
        [load]
        kind = "closed"
        from = "host"
        to = ["disk"]
        size = "64 KiB"
        {load}
        "#
    )
}

/// A transfer of 64 KiB takes a millisecond.
const RAM: &str = "model = \"ram\"\ntransfer_rate = \"65536 KB/s\"\n";
const TRANSFER: Span = Span::from_ms(1);

/// Checks that every measured I/O takes exactly the expected time.
fn assert_all_take(text: &str, expected: Span) {
    let result = run(text);
    assert_adds_up(&result);
    let odd = result.ios.rows.iter().find(|io| io.response != expected);
    assert_eq!(odd, None, "all take {expected}");
    assert_eq!(result.summary.response_time_ns.mean, expected.as_ns_f64());
}

#[test]
fn an_io_on_memory_takes_its_transfer() {
    for reads in ["1.0", "0.0", "0.5"] {
        for write_transfer in ["before-data", "after-data"] {
            let drive = format!("{RAM}write_transfer = \"{write_transfer}\"");
            assert_all_take(&direct(200, &drive, "", &format!("read_fraction = {reads}")), TRANSFER);
        }
    }
}

#[test]
fn the_access_and_the_times_of_the_driver_are_added() {
    let drive = format!("{RAM}access_time = \"3 ms\"");
    let driver = "arrival_time = \"7 us\"\ncompletion_time = \"5 us\"";
    let expected = TRANSFER + Span::from_ms(3) + Span::from_us(12);
    assert_all_take(&direct(200, &drive, driver, "read_fraction = 0.5"), expected);
    let result = run(&direct(200, &drive, driver, ""));
    let line = |name: &str| result.summary.ledger_ns.mean.value_named(name).copied();
    assert_eq!(line("disk.access"), Some(3e6));
    assert_eq!(line("disk.media_transfer"), Some(1e6));
    assert_eq!(line("host.driver_arrival"), Some(7e3));
    assert_eq!(line("host.driver_completion"), Some(5e3));
    assert_eq!(result.summary.ledger_ns.mean.0.len(), 4, "{:?}", result.summary.ledger_ns.mean);
}

#[test]
fn data_in_pieces_take_as_long_as_data_in_one() {
    let drive = format!("{RAM}burst = \"8 KiB\"\nread_sequence = \"16 KiB\"");
    assert_all_take(&direct(200, &drive, "", "read_fraction = 0.5"), TRANSFER);
}

#[test]
fn who_queues_waits_for_those_before() {
    // The drive serves one I/O at a time: each I/O waits for the seven others.
    assert_all_take(&direct(400, RAM, "", "queue_depth = 8"), TRANSFER * 8);
    // The drive serves all I/Os at the same time: commands in service do not disturb each other.
    let drive = format!("{RAM}concurrency = 8");
    assert_all_take(&direct(400, &drive, "", "queue_depth = 8"), TRANSFER);
    // At most three I/Os are in flight, and the driver has the others; the wait is the same.
    let text = direct(400, RAM, "outstanding_limit = 3", "queue_depth = 8");
    assert_all_take(&text, TRANSFER * 8);
    let result = run(&text);
    assert_eq!(result.summary.ledger_ns.mean.value_named("host.host_queue"), Some(&5e6));
    assert_eq!(result.summary.ledger_ns.mean.value_named("disk.drive_queue"), Some(&2e6));
}

#[test]
fn throughput_and_use_follow_from_the_response_time() {
    let result =
        run(&direct(1_000, RAM, "", "queue_depth = 4\nthink_time = \"500 us\"\nread_fraction = 0.25"));
    let summary = &result.summary;
    // Little's law for four slots, each waiting for an answer or thinking.
    let cycle_s = (summary.response_time_ns.mean + 500e3) * 1e-9;
    assert_near("slots", summary.iops * cycle_s, 4.0, 0.01);
    // The drive is always busy: it serves a thousand I/Os a second.
    assert_near("I/Os per second", summary.iops, 1_000.0, 1e-3);
    let figure = |name| {
        summary.components.value_named("disk").and_then(|disk| disk.figure_named(name)).expect("a figure")
    };
    assert_near("utilisation", figure("utilisation"), 1.0, 1e-3);
    assert_near("occupied", figure("occupied"), 1.0, 1e-3);
}

#[test]
fn nothing_is_lost_or_counted_twice() {
    let result = run(&direct(1_000, RAM, "", "queue_depth = 4\nread_fraction = 0.25"));
    let summary = &result.summary;
    assert_eq!((summary.ios, summary.failed_ios, result.ios.len()), (1_000, 0, 1_000));
    let mut numbers: Vec<u64> = result.ios.rows.iter().map(|io| io.io).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), 1_000);
    let of = |write: bool| result.ios.rows.iter().filter(|io| io.is_write() == write).count() as u64;
    for (direction, write) in [(&summary.reads, false), (&summary.writes, true)] {
        assert_eq!((direction.ios, direction.bytes), (of(write), of(write) * 65_536));
        let [(_, workload)] = &summary.workloads.0[..] else { panic!("one workload") };
        let [(_, host)] = &summary.hosts.0[..] else { panic!("one host") };
        let [(_, device)] = &summary.devices.0[..] else { panic!("one device") };
        for part in [&workload.part, &host.part, device] {
            let same = if write { &part.writes } else { &part.reads };
            assert_eq!((same.ios, same.bytes, part.share), (direction.ios, direction.bytes, 1.0));
        }
    }
    assert_eq!((in_place_ns(&result, "host"), summary.fairness.devices), (0.0, Some(1.0)));
}

#[test]
fn percentiles_are_those_of_the_access_times() {
    let drive =
        format!("{RAM}access_time = {{ distribution = \"uniform\", low = \"1 ms\", high = \"5 ms\" }}");
    let result = run(&direct(40_000, &drive, "", ""));
    assert_adds_up(&result);
    let times = &result.summary.response_time_ns;
    // A share of 40 000 draws scatters by 0.0025 at most; of 4 ms this is 10 us, and three times that is 1 % of 3 ms.
    // Histograms are exact to within 0.8 %.
    for (what, found, expected_ms) in
        [("p50", times.p50, 4.0), ("p90", times.p90, 5.6), ("p99", times.p99, 5.96), ("max", times.max, 6.0)]
    {
        assert_near(what, found as f64, expected_ms * 1e6, 0.02);
    }
    assert_near("mean", times.mean, 4e6, 0.01);
    let extremes = result.ios.rows.iter().map(|io| io.response);
    let (least, most) = (extremes.clone().min().expect("I/Os"), extremes.max().expect("I/Os"));
    assert!(least >= Span::from_ms(2) && most <= Span::from_ms(6), "{least} to {most}");
}

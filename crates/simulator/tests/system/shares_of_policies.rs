//! The shares of two paths, and the I/Os in flight on them, by each policy against closed forms. The paths are delays: any number of commands
//! wait in an adapter at once, so what a policy does is not blurred by queues.

use crate::common::text::{assert_adds_up, assert_near, event, run};
use crate::common::ways::{by_loop, counts, two_ways, us};
use sansim_kernel::{Span, Time};

/// A host with two paths to two drives, of which the left delays each command for 600 us and the right for 1800 us.
fn delayed(host: &str, adapters: [&str; 2]) -> Vec<(Time, Time, [bool; 2])> {
    let slow = |which: &str, us: u32| {
        event(0, "slow", &format!("disks.adapters.{which}")) + &format!("factor = 1.0\ndelay = \"{us} us\"\n")
    };
    let text =
        two_ways(host, "", &[]).replace("16 KiB", "512 B").replace("concurrency = 4", "concurrency = 64");
    let text = text.replace("queue_depth = 4", "queue_depth = 16").replace("40 ms", "400 ms");
    let text = ["a", "b"].iter().zip(adapters).fold(text, |text, (name, keys)| {
        let head = format!("[host.adapters.{name}]");
        text.replace(&head, &format!("{head}\n{keys}"))
    });
    let result = run(&(text + &slow("a", 600) + &slow("b", 1_800)));
    assert_adds_up(&result);
    by_loop(&result)
}

/// The mean number of I/Os in flight on each path, by Little's law.
fn in_flight(ios: &[(Time, Time, [bool; 2])]) -> [f64; 2] {
    [0, 1].map(|on| {
        let times = ios.iter().filter(|io| io.2[on]).map(|&(begun, ended, _)| ended - begun);
        times.sum::<Span>().as_ns_f64() / 400e6
    })
}

/// The mean response time on each path in nanoseconds.
fn response(ios: &[(Time, Time, [bool; 2])]) -> [f64; 2] {
    let count = counts(ios);
    let busy = in_flight(ios);
    [0, 1].map(|on| busy[on] * 400e6 / count[on] as f64)
}

#[test]
fn turns_share_the_ios_and_queue_policies_share_what_is_in_flight() {
    for host in ["path = \"round-robin\"", "path = \"numa\"\nnuma_nodes = 2"] {
        let ios =
            delayed(host, ["", "numa_node = 1"].map(|keys| if host.contains("numa") { keys } else { "" }));
        let [left, right] = counts(&ios);
        // In a closed system of 32 slots some are behind at the end.
        assert!(left.abs_diff(right) <= 32, "{host}: {left} and {right}");
        // As many I/Os on each path, so those in flight are as the response times: 32 R / (R + R').
        let ([on_left, on_right], [r, other]) = (in_flight(&ios), response(&ios));
        assert_near(host, on_left, 32.0 * r / (r + other), 0.02);
        assert_near(host, on_right, 32.0 * other / (r + other), 0.02);
    }
    for host in [
        "path = \"queue-depth\"",
        "path = \"queue-length\"",
        "path = \"service-time\"",
        "path = \"least-outstanding\"",
    ] {
        let ios = delayed(host, ["", ""]);
        let ([on_left, on_right], [r, other], [left, right]) =
            (in_flight(&ios), response(&ios), counts(&ios).map(|count| count as f64));
        assert_near(host, on_left, 16.0, 0.03);
        assert_near(host, on_right, 16.0, 0.03);
        assert_near(host, left / right, other / r, 0.03);
    }
}

#[test]
fn service_time_shares_what_is_in_flight_by_relative_throughput() {
    for [one, other] in [[1, 1], [3, 1], [1, 3], [5, 3]] {
        let keys = [one, other].map(|throughput| format!("relative_throughput = {throughput}"));
        let ios = delayed("path = \"service-time\"", [&keys[0], &keys[1]]);
        let [left, right] = in_flight(&ios);
        let all = f64::from(one + other);
        // Each of two drives has 16 I/Os outstanding, of which the last one may be on either path.
        for (found, of) in [(left, one), (right, other)] {
            let expected = 32.0 * f64::from(of) / all;
            assert!((found - expected).abs() < 1.5, "{one}:{other}: {found}, expected {expected}");
        }
    }
}

#[test]
fn each_node_keeps_to_its_nearest_path_and_a_node_without_one_to_the_first() {
    let ios = delayed("path = \"numa\"\nnuma_nodes = 3", ["numa_node = 2", "numa_node = 1"]);
    // I/Os are on the nodes in turn: those of node 1 go by the right path, those of nodes 0 and 2 by the left one.
    let [left, right] = counts(&ios);
    assert!(left.abs_diff(2 * right) <= 64, "{left} and {right}");
    let of_one = delayed("path = \"numa\"\nnuma_nodes = 1", ["", ""]);
    assert_eq!(counts(&of_one)[1], 0);
}

#[test]
fn a_path_has_its_turn_for_so_many_ios_or_bytes() {
    for (host, turn) in [
        ("path = \"round-robin-ios\"\npath_turn_ios = 7", 7),
        // A turn ends with the I/O by which it has had 2 KiB: four of 512 bytes.
        ("path = \"round-robin-bytes\"\npath_turn_bytes = \"2 KiB\"", 4),
    ] {
        let text = two_ways(host, "", &[]).replace("16 KiB", "512 B").replace("count = 2", "count = 1");
        let text = text.replace("queue_depth = 4", "queue_depth = 1");
        let result = run(&text);
        let mut ios = by_loop(&result);
        ios.sort_by_key(|io| io.0);
        let turns: Vec<usize> = ios.chunk_by(|one, other| one.2 == other.2).map(<[_]>::len).collect();
        assert!(turns.len() > 20 && ios.last().is_some_and(|io| io.1 > us(39_000)), "{host}");
        assert!(turns[..turns.len() - 1].iter().all(|length| *length == turn), "{host}: {turns:?}");
    }
}

//! Notices of a fabric, and what hosts and adapters do on them: paths that are used last, and fewer commands in flight.

use crate::common::figure;
use crate::common::text::{assert_adds_up, event, run};
use crate::common::ways::{by_loop, counts, us};
use proptest::prelude::*;
use sansim_kernel::{Span, Time};
use sansim_simulator::RunResult;

/// A host with an adapter on each of two fabrics, and drives with two ports; the link of the drives on the left loses frames.
fn lossy(host: &str, events: &str) -> String {
    format!(
        r#"
        [run]
        duration = "60 ms"
        warm_up = "0 ns"
        [left]
        kind = "fabric"
        speed = "8GFC"
        stations = ["host.adapters.a", "disks.adapters.a"]
        switch.congestion.link_errors = 3
        node_links.bad = {{ stations = ["disks.adapters.a"], frame_loss = 0.02, bb_sc_n = 2 }}
        [right]
        kind = "fabric"
        speed = "8GFC"
        stations = ["host.adapters.b", "disks.adapters.b"]
        [host]
        kind = "host"
        path = "round-robin"
        driver.time_out = "1 ms"
        driver.retries = 100
        {host}
        [host.adapters.a]
        abort_answer_time = "500 us"
        [host.adapters.b]
        [disks]
        kind = "drives"
        count = 2
        access_time = "50 us"
        transfer_rate = "1 GB/s"
        concurrency = 4
        [disks.adapters.a]
        [disks.adapters.b]
        {events}
        [load]
        kind = "closed"
        from = "host"
        to = ["disks"]
        size = "4 KiB"
        queue_depth = 2
        "#
    )
}

fn of(text: &str) -> RunResult {
    let result = run(text);
    assert_adds_up(&result);
    assert_eq!(result.summary.failed_ios, 0);
    result
}

/// The I/Os that begin in an interval, by the fabrics that they used.
fn issued(result: &RunResult, from_us: u64, to_us: u64) -> [usize; 2] {
    let within = |begun: Time| begun >= us(from_us) && begun < us(to_us);
    counts(&by_loop(result).into_iter().filter(|(begun, ..)| within(*begun)).collect::<Vec<_>>())
}

fn paths_made_marginal(result: &RunResult) -> u64 {
    result.summary.errors.hosts.0.first().map_or(0, |(_, host)| host.paths_marginal)
}

#[test]
fn a_path_of_which_damaged_frames_are_reported_is_used_only_when_no_other_works() {
    let off = of(&lossy("", ""));
    let [left, right] = issued(&off, 40_000, 59_000);
    assert!(left > 20 && right > 20, "without a reaction both are used: {left} and {right}");
    assert!(figure(&off.summary, "left", "notices") > 2.0, "the host does not react to notices");
    assert_eq!((paths_made_marginal(&off), figure(&off.summary, "right", "notices")), (0, 0.0));

    let fpin = of(&lossy("driver.marginal_paths = \"fpin\"", ""));
    // The link loses a frame of fifty, and an I/O has three from the drive: the third error comes in the first milliseconds.
    let [left, right] = issued(&fpin, 20_000, 59_000);
    assert!(left == 0 && right > 100, "{left} and {right}");
    // Both devices have a path there, and no frame comes from them after that.
    assert_eq!(paths_made_marginal(&fpin), 2);
    assert!(fpin.ios.len() > off.ios.len(), "{} and {}", fpin.ios.len(), off.ios.len());

    // From 30 ms to 40 ms the other path does not work. That it works again says nothing about the ports of the left fabric.
    let events = event(30_000, "fail", "disks.adapters.b") + &event(40_000, "repair", "disks.adapters.b");
    let fails = of(&lossy("driver.marginal_paths = \"fpin\"", &events));
    let between = issued(&fails, 31_000, 39_000);
    assert!(between[0] > 20 && between[1] == 0, "{between:?}");
    let after = issued(&fails, 42_000, 59_000);
    assert!(after[0] == 0 && after[1] > 50, "{after:?}");
}

#[test]
fn the_paths_of_an_adapter_are_not_marginal_any_more_when_a_port_of_its_fabric_comes_back() {
    // The port of the drives on the left leaves and comes back, with a good link: the host's adapter is notified (RSCN).
    let events = event(30_000, "fail", "disks.adapters.a") + &event(31_000, "repair", "disks.adapters.a");
    let result = of(&lossy("driver.marginal_paths = \"fpin\"", &events));
    assert_eq!(issued(&result, 20_000, 30_000)[0], 0);
    assert!(issued(&result, 31_000, 34_000)[0] > 5, "it is used again, until the next notice");
    assert_eq!(issued(&result, 50_000, 59_000)[0], 0);
    assert_eq!(paths_made_marginal(&result), 4);
}

/// A host with 16 writes in flight to a drive that takes so long for each frame.
fn slow_drive(frame_time: &str, profile: &str, more: &str) -> String {
    format!(
        r#"
        [run]
        duration = "6 s"
        warm_up = "0 ns"
        [san]
        kind = "fabric"
        speed = "8GFC"
        stations = ["host", "drive"]
        switch.congestion.notify_peers = true
        slow.drive = {{ members = ["drive"], frame_time = "{frame_time}" }}
        {more}
        [host]
        kind = "host"
        adapter.congestion_profile = "{profile}"
        [drive]
        kind = "drives"
        count = 1
        model = "ram"
        transfer_rate = "1 GB/s"
        concurrency = 64
        port.incoming_buffers = 2
        [load]
        kind = "closed"
        from = "host"
        to = "drive"
        size = "2 KiB"
        read_fraction = 0.0
        queue_depth = 16
        "#
    )
}

/// The writes that are beyond the limit of the adapter at a time, and those that are in flight.
fn in_flight(result: &RunResult, at: Time) -> (usize, usize) {
    let (mut waiting, mut flying) = (0, 0);
    for (number, row) in result.ios.rows.iter().enumerate() {
        let begun = row.completed - row.response;
        let throttled: u64 = result
            .ios
            .dwells_of_io(number)
            .iter()
            .filter(|stay| result.names.line_name(stay.line).ends_with(".throttled"))
            .map(|stay| stay.spent.ticks())
            .sum();
        if begun <= at && at < row.completed {
            let waits = at < begun + Span(throttled);
            (waiting, flying) = (waiting + usize::from(waits), flying + usize::from(!waits));
        }
    }
    (waiting, flying)
}

fn seconds(tenths: u64) -> Time {
    Time::ZERO + Span::from_ms(100 * tenths)
}

#[test]
fn each_second_with_notices_halves_the_writes_in_flight_to_the_congested_port() {
    let result = of(&slow_drive("1 ms", "conservative", ""));
    // Notices come from 100 ms on, and the driver looks each second: of 16 writes the limit is 8, 4, 2 and 1, and one more may begin.
    let seen = [9, 19, 29, 39, 49].map(|tenths| in_flight(&result, seconds(tenths)));
    assert_eq!(seen, [(0, 16), (7, 9), (11, 5), (13, 3), (14, 2)]);
    let cautious = of(&slow_drive("1 ms", "aggressive", ""));
    let seen = [9, 19, 29].map(|tenths| in_flight(&cautious, seconds(tenths)));
    assert_eq!(seen, [(0, 16), (13, 3), (14, 2)]);
    let with_least = slow_drive("1 ms", "conservative", "")
        .replace("kind = \"host\"", "kind = \"host\"\nadapter.congestion_least = 6");
    let result = of(&with_least);
    let seen = [19, 29, 39].map(|tenths| in_flight(&result, seconds(tenths)));
    assert_eq!(seen, [(7, 9), (9, 7), (9, 7)]);
}

#[test]
fn without_a_reaction_notices_change_nothing() {
    let [silent, noticed] = ["false", "true"].map(|notify| {
        let text = slow_drive("1 ms", "monitor", "").replace("peers = true", &format!("peers = {notify}"));
        run(&text)
    });
    assert_eq!(silent.ios.rows, noticed.ios.rows);
    assert_eq!(figure(&silent.summary, "san", "notices"), 0.0);
    // In each period of 100 ms the drive keeps the writes waiting; the host is the only other node. The last period ends with the run.
    assert_eq!(figure(&noticed.summary, "san", "notices"), 59.0);
}

#[test]
fn a_notice_about_the_own_port_limits_reads_and_no_writes() {
    let text =
        slow_drive("1 us", "conservative", "slow.host = { members = [\"host\"], frame_time = \"1 ms\" }")
            .replace("notify_peers", "notify_node")
            .replace("read_fraction = 0.0", "read_fraction = 1.0")
            .replace("kind = \"host\"", "kind = \"host\"\nport.incoming_buffers = 2");
    let result = of(&text);
    assert_eq!([9, 19].map(|tenths| in_flight(&result, seconds(tenths))), [(0, 16), (7, 9)]);
    // Writes to the same host bring it only requests for data and statuses, which keep its switch waiting as well, but are no reads.
    let writes = of(&text.replace("read_fraction = 1.0", "read_fraction = 0.0"));
    assert_eq!([9, 39].map(|tenths| in_flight(&writes, seconds(tenths))), [(0, 16), (0, 16)]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(40), max_shrink_iters: 20, ..ProptestConfig::default() })]

    /// Slow nodes, damaged frames, failing adapters and time-outs, with all reactions: a run in which something is lost or done twice has no result,
    /// and ledgers add up.
    #[test]
    fn with_all_reactions_nothing_is_lost_or_done_twice(
        (slow, frame_us, loss) in (any::<bool>(), 100u32..2_000, 0u32..20),
        (profile, least, errors) in (
            prop::sample::select(vec!["monitor", "conservative", "moderate", "aggressive"]), 1u32..5, 1u32..6),
        (marginal, policy) in (
            prop::sample::select(vec!["off", "fpin"]),
            prop::sample::select(vec!["first", "round-robin", "queue-depth", "service-time"])),
        (reads, depth, limit) in (prop::sample::select(vec!["0.0", "0.5", "1.0"]), 1u32..20, 1u32..40),
        breaks in prop::collection::vec((0u64..2_000_000, prop::sample::select(vec!["host.adapters.a", "disks.adapters.a", "disks.adapters.b"]), 1_000u64..400_000), 0..4),
    ) {
        let host = format!(
            "driver.marginal_paths = \"{marginal}\"\nno_way_time = \"unlimited\"\ndriver.outstanding_limit = {limit}");
        let events: String = breaks.iter().map(|(at, what, lasts)| event(*at, "fail", what) + &event(at + lasts, "repair", what)).collect();
        let adapters = format!("congestion_profile = \"{profile}\"\ncongestion_least = {least}\n");
        let member = if slow { "disks.adapters.a" } else { "host.adapters.a" };
        let text = lossy(&host, &events)
            .replace("60 ms", "2500 ms")
            .replace("abort_answer_time = \"500 us\"", "abort_answer_time = \"300 ms\"")
            .replace("round-robin", policy)
            .replace("time_out = \"1 ms\"", "time_out = \"200 ms\"")
            .replace("frame_loss = 0.02", &format!("frame_loss = {:?}", f64::from(loss) * 0.0005))
            .replace("link_errors = 3", &format!("link_errors = {errors}\nswitch.congestion.notify_peers = true\nswitch.congestion.notify_node = true\nslow.one = {{ members = [\"{member}\"], frame_time = \"{frame_us} us\" }}"))
            .replace("[host.adapters.a]", &format!("[host.adapters.a]\n{adapters}"))
            .replace("[host.adapters.b]", &format!("[host.adapters.b]\n{adapters}"))
            .replace("access_time = \"50 us\"", "access_time = \"2 ms\"")
            .replace("queue_depth = 2", &format!("queue_depth = {depth}\nread_fraction = {reads}"));
        let result = run(&text);
        assert_adds_up(&result);
    }
}

//! Keys that events change during a run (`do = "change"`): what each costs from then on, by hand to the tick.

use crate::changing_loops;
use crate::common::text::{assert_adds_up, assert_reference_agrees, run};
use sansim_kernel::{Span, Time};
use sansim_simulator::RunResult;

pub(crate) fn change(at: &str, what: &str, key: &str, value: &str) -> String {
    format!(
        "[[event]]\nat = \"{at}\"\ndo = \"change\"\nwhat = \"{what}\"\nkey = \"{key}\"\nvalue = {value}\n"
    )
}

/// The time at which an I/O was issued, and its response time.
fn issued(result: &RunResult) -> Vec<(Time, Span)> {
    let mut all: Vec<(Time, Span)> = result
        .ios
        .rows
        .iter()
        .map(|io| (Time(io.completed.ticks() - io.response.ticks()), io.response))
        .collect();
    all.sort_unstable();
    all
}

/// The response times of the I/Os that were answered before a moment, and of those that were issued after it.
fn around(result: &RunResult, at: Span) -> [Vec<Span>; 2] {
    let at = Time::ZERO + at;
    let all = issued(result);
    let before = all.iter().filter(|(since, response)| *since + *response < at);
    let after = all.iter().filter(|(since, _)| *since > at);
    [before.map(|io| io.1).collect(), after.map(|io| io.1).collect()]
}

fn only(responses: &[Span]) -> Span {
    assert!(responses.len() > 5 && responses.iter().all(|one| *one == responses[0]), "{responses:?}");
    responses[0]
}

/// Two switches with a link; one read at a time. All times are whole numbers of 17 words of 8GFC, which are 80 ns, so each read takes
/// the same time.
fn two_switches(events: &str) -> String {
    format!(
        r#"
        [run]
        duration = "40 ms"
        warm_up = 0
        [san]
        kind = "fabric"
        topology = "given"
        speed = "8GFC"
        stations = ["host", "drives"]
        [san.switches.near]
        stations = ["host"]
        [san.switches.far]
        stations = ["drives"]
        [san.links.one]
        from = "near"
        to = "far"
        cable = "32 km"
        [host]
        kind = "host"
        port.cable = "16 m"
        driver.time_out = "5 ms"
        adapter.abort_answer_time = "1 ms"
        [drives]
        kind = "drives"
        count = 1
        access_time = "800 us"
        transfer_rate = "64 MB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["drives"]
        size = "512 B"
        think_time = "80 us"
        {events}
        "#
    )
}

#[test]
fn a_read_takes_two_ways_of_light_more_or_less_from_the_change_of_a_cable_on() {
    // A metre takes 5 ns. The cables were 32,000 m, 16 m and 0 m long.
    for (what, key, metres, more) in [
        ("san", "links.one.cable", 48_000, 2 * 16_000),
        ("san", "links.one.cable", 16, -2 * 31_984),
        ("host", "port.cable", 8_016, 2 * 8_000),
        ("drives", "port.cable", 1_600, 2 * 1_600),
        // The host has a cable of its own, which does not follow.
        ("san", "cable", 160, 2 * 160),
    ] {
        let text = two_switches(&change("20 ms", what, key, &format!("\"{metres} m\"")));
        let result = run(&text);
        assert_adds_up(&result);
        let [before, after] = around(&result, Span::from_ms(20));
        let ns = |span: Span| span.as_ns_f64().round() as i64;
        assert_eq!(ns(only(&after)) - ns(only(&before)), 5 * more, "{key} = {metres} m");
        assert_eq!(result.summary.failed_ios, 0);
        let between = issued(&result).len() - before.len() - after.len();
        assert_eq!(between, 1, "one read is in flight");
    }
}

#[test]
fn a_key_that_is_changed_to_the_value_that_it_has_changes_nothing() {
    let without = run(&two_switches(""));
    for (what, key, value) in [
        ("san", "links.one.cable", "\"32 km\""),
        ("san", "links.one.speed", "\"8GFC\""),
        ("host", "port.cable", "\"16 m\""),
        ("host", "driver.outstanding_limit", "255"),
        ("load", "queue_depth", "1"),
        ("load", "think_time", "\"80 us\""),
    ] {
        let text = two_switches(&change("20 ms", what, key, value));
        let warned = crate::common::text::scenario(&text).setting_warnings();
        // Another word for the same speed is another value of the key, but not another link.
        let is_told = warned.iter().any(|line| line.contains("the key has this value already"));
        assert!(is_told || key.ends_with("speed"), "{key}: {warned:?}");
        let result = run(&text);
        assert_eq!(result.ios.rows, without.ios.rows, "{key}");
    }
}

#[test]
fn a_link_of_another_speed_carries_what_that_speed_does() {
    let load = |events: &str| {
        two_switches(events)
            .replace("size = \"512 B\"", "size = \"64 KiB\"\nqueue_depth = 16")
            .replace("\"32 km\"", "\"0 m\"")
            .replace(
                "access_time = \"800 us\"\n        transfer_rate = \"64 MB/s\"",
                "access_time = \"1 us\"\n        transfer_rate = \"10 GB/s\"\n        concurrency = 64",
            )
            .replace("think_time = \"80 us\"", "")
    };
    let rate = |result: &RunResult, from: u64, to: u64| {
        let is_in = |io: &&sansim_simulator::record::IoRecord| {
            io.completed > Time::ZERO + Span::from_ms(from) && io.completed <= Time::ZERO + Span::from_ms(to)
        };
        let ios = result.ios.rows.iter().filter(is_in).filter(|io| !io.failed).count() as f64;
        ios * 65_536.0 / (to - from) as f64 / 1e3
    };
    let result = run(&load(&change("20 ms", "san", "links.one.speed", "\"4GFC\"")));
    assert_adds_up(&result);
    // 2048 of 2108 bytes of a frame and its gap, at 850 and 425 MB/s; frames that were on the link wait for their time-outs.
    let share = 2048.0 / 2108.0;
    let (before, after) = (rate(&result, 2, 20), rate(&result, 27, 40));
    assert!((before / (850.0 * share) - 1.0).abs() < 0.02, "{before}");
    assert!((after / (425.0 * share) - 1.0).abs() < 0.02, "{after}");
}

/// A drive without a network, which serves one request at a time in a millisecond.
fn one_server(load: &str, events: &str) -> String {
    format!(
        r#"
        [run]
        duration = "100 ms"
        warm_up = 0
        [host]
        kind = "host"
        attached = ["disk"]
        [disk]
        kind = "drives"
        access_time = "1 ms"
        transfer_rate = "1 TB/s"
        CONCURRENCY
        [load]
        from = "host"
        to = ["disk"]
        size = "512 B"
        {load}
        {events}
        "#
    )
}

#[test]
fn a_read_waits_for_as_many_others_as_the_queue_depth_says() {
    let events =
        change("20500 us", "load", "queue_depth", "4") + &change("60500 us", "load", "queue_depth", "2");
    let result = run(&one_server("kind = \"closed\"", &events).replace("CONCURRENCY", ""));
    assert_adds_up(&result);
    // A service takes 1 ms and half a nanosecond of transfer.
    let at = |ms: u64| {
        let since = Time::ZERO + Span::from_ms(ms);
        let io = *issued(&result).iter().find(|(issued, _)| *issued >= since).expect("an I/O");
        (io.1.as_ns_f64() / 1e6).round()
    };
    assert_eq!([at(10), at(30), at(50), at(70), at(90)], [1.0, 4.0, 4.0, 2.0, 2.0]);
    // The drive is never idle: 100 services in 100 ms, and those of the slots that end are not lost.
    assert_eq!(result.summary.ios, 99);
}

#[test]
fn arrivals_come_at_the_new_rate_and_of_the_present_gap_the_share_that_is_left_stays() {
    let load = "kind = \"synthetic\"\narrivals = { process = \"deterministic\", rate = \"1000/s\" }";
    let events = change("20250 us", "load", "arrivals.rate", "\"2000/s\"")
        + &change("40125 us", "load", "arrivals.rate", "\"500/s\"");
    let text = one_server(load, &events).replace("CONCURRENCY", "concurrency = 64");
    let result = run(&text);
    assert_adds_up(&result);
    let at: Vec<u64> = issued(&result).iter().map(|(at, _)| at.ticks() / Span::from_us(1).ticks()).collect();
    // One each millisecond up to 20 ms; of the next gap three quarters are left, which take half the time: 375 us.
    let mut expected: Vec<u64> = (1..=20).map(|ms| 1_000 * ms).collect();
    expected.extend((0..).map(|number| 20_625 + 500 * number).take_while(|&at| at < 40_125));
    // The last came at 40,125 - 500 + 0: at 40,125 itself the rate changes first. No time is left of its gap.
    expected.push(40_125);
    expected.extend((1..).map(|number| 40_125 + 2_000 * number).take_while(|&at| at <= 98_500));
    assert_eq!(at, expected);
}

#[test]
fn poisson_arrivals_come_at_the_new_rate() {
    let load = "kind = \"synthetic\"\narrivals = { process = \"poisson\", rate = \"2000/s\" }";
    let text = one_server(load, &change("10 s", "load", "arrivals.rate", "\"8000/s\""))
        .replace("CONCURRENCY", "concurrency = 64")
        .replace("\"100 ms\"", "\"20 s\"");
    let result = run(&text);
    let half = Time::ZERO + Span::from_s(10);
    let before = issued(&result).iter().filter(|io| io.0 < half).count() as f64;
    let after = issued(&result).len() as f64 - before;
    // Three standard deviations of a Poisson number.
    assert!((before - 20_000.0).abs() < 3.0 * 20_000.0_f64.sqrt(), "{before}");
    assert!((after - 80_000.0).abs() < 3.0 * 80_000.0_f64.sqrt(), "{after}");
}

#[test]
fn requests_begin_as_often_as_the_limit_says_that_holds_then() {
    let limited = |limits: &str, what: &str, key: &str| {
        let load = format!("kind = \"closed\"\nqueue_depth = 2\n{limits}");
        let events = change("50 ms", what, key, "\"500/s\"");
        let text = one_server(&load, &events).replace("CONCURRENCY", "concurrency = 64");
        let result = run(&text.replace("access_time = \"1 ms\"", "access_time = \"10 us\""));
        assert_adds_up(&result);
        let done: Vec<Time> = result.ios.rows.iter().map(|io| io.completed).collect();
        let between = |from: u64, to: u64| {
            let [from, to] = [from, to].map(|ms| Time::ZERO + Span::from_ms(ms));
            done.iter().filter(|at| **at > from && **at <= to).count()
        };
        (between(10, 50), between(60, 100))
    };
    let of_load = limited("limits.rate = \"1000/s\"", "load", "limits.rate");
    let of_host = limited("[host.driver.limits]\nrate = \"1000/s\"", "host", "driver.limits.rate");
    assert_eq!((of_load, of_host), ((40, 20), (40, 20)));
}

#[test]
fn a_driver_with_a_smaller_limit_has_as_many_requests_at_its_devices() {
    let events = change("50 ms", "host", "driver.outstanding_limit", "3");
    let text =
        one_server("kind = \"closed\"\nqueue_depth = 16", &events).replace("CONCURRENCY", "concurrency = 64");
    let result = run(&text);
    assert_adds_up(&result);
    let between = |from: u64, to: u64| {
        let [from, to] = [from, to].map(|ms| Time::ZERO + Span::from_ms(ms));
        result.ios.rows.iter().filter(|io| io.completed > from && io.completed <= to).count()
    };
    // Sixteen, and then three, in each millisecond.
    assert_eq!(between(10, 20), 160);
    assert!((30..=33).contains(&between(60, 71)), "{}", between(60, 71));
}

#[test]
fn a_loop_with_another_cable_is_initialised_and_is_then_as_if_it_had_had_it_from_the_beginning() {
    let small = |cable: &str, events: &str| {
        let host = format!(
            "port.cable = \"{cable}\"\ndriver.time_out = \"20 ms\"\nadapter.abort_answer_time = \"2 ms\""
        );
        changing_loops::small(events, &host).replace("[load]", "[load]\nthink_time = \"160 us\"")
    };
    // A kilometre takes 5 us, which are 265 words and 5/8: two lengths of 8 km differ by whole words.
    let (short, long) = (run(&small("8 km", "")), run(&small("24 km", "")));
    let text = small("8 km", &change("30 ms", "host", "port.cable", "\"24 km\""));
    let result = run(&text);
    assert_adds_up(&result);
    assert_eq!(changing_loops::figure(&result, "loop", "initialisations"), 1.0);
    // The delays of the ports and the words of initialisation frames let an I/O begin in another slot, so a read may take some words more.
    let near = |one: Span, other: Span| (one.as_ns_f64() - other.as_ns_f64()).abs() < 100.0;
    let [before, after] = around(&result, Span::from_ms(30));
    let last = |result: &RunResult| issued(result).last().expect("I/Os").1;
    assert!(near(before[before.len() - 1], last(&short)), "{before:?}");
    assert!(near(after[after.len() - 1], last(&long)), "{after:?}");
    assert!(last(&long) > last(&short) + Span::from_us(150), "more than two round trips");
    assert_reference_agrees(&text);
}

#[test]
fn a_port_takes_a_new_schedule_with_an_initialisation() {
    let keys = "driver.time_out = \"20 ms\"\nadapter.abort_answer_time = \"2 ms\"";
    let text = changing_loops::small(&change("30 ms", "host", "schedule", "\"command-first\""), keys);
    let result = run(&text);
    assert_adds_up(&result);
    assert_eq!(changing_loops::figure(&result, "loop", "initialisations"), 1.0);
    assert_reference_agrees(&text);
}

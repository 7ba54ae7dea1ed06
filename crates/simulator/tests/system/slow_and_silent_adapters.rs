//! Adapters that an event makes slow or silent: by hand to the tick, and with nothing lost.

use crate::common::text::{assert_adds_up, assert_reference_agrees, event, run, scenario};
use crate::common::ways::us;
use sansim_kernel::{Span, Time};
use sansim_simulator::{RunFlow, RunOptions, RunResult};

/// A host with two adapters on two loops to a drive with two ports, one read at a time. All times are whole words of the loop, of which 17 take
/// 640 ns, so a longer time moves all that follows by as much.
fn system(host: &str, adapter: &str, events: &str) -> String {
    format!(
        r#"
        [run]
        duration = "40 ms"
        warm_up = "0 ns"
        [left]
        kind = "arbitrated-loop"
        speed = "1GFC"
        stations = ["host.adapters.a", "disk.adapters.a"]
        [right]
        kind = "arbitrated-loop"
        speed = "1GFC"
        stations = ["host.adapters.b", "disk.adapters.b"]
        [host]
        kind = "host"
        {host}
        [host.adapters.a]
        command_time = "6400 ns"
        completion_time = "3200 ns"
        {adapter}
        [host.adapters.b]
        {adapter}
        [disk]
        kind = "drives"
        access_time = "19200 ns"
        transfer_rate = "640 MB/s"
        [disk.adapters.a]
        command_time = "12800 ns"
        response_time = "3200 ns"
        single_frame_time = "640 ns"
        [disk.adapters.b]
        [load]
        kind = "closed"
        from = "host"
        to = ["disk"]
        size = "4 KiB"
        queue_depth = 1
        {events}
        "#
    )
}

fn slow(at_us: u64, what: &str, keys: &str) -> String {
    event(at_us, "slow", what) + keys
}

/// The response times of the I/Os that begin and end within an interval, of which all must be equal.
fn response(result: &RunResult, from: Time, to: Time) -> Span {
    let within =
        |io: &&sansim_simulator::record::IoRecord| io.completed - io.response >= from && io.completed <= to;
    let all: Vec<Span> = result.ios.rows.iter().filter(within).map(|io| io.response).collect();
    let other = all.iter().find(|one| **one != all[0]);
    assert!(all.len() > 3 && other.is_none(), "{} I/Os, {:?} and {other:?}", all.len(), all.first());
    all[0]
}

/// The response time before, while an adapter is slow, and afterwards.
fn before_while_and_after(what: &str, keys: &str) -> [Span; 3] {
    let events = slow(10_000, what, keys) + &event(25_000, "repair", what);
    let text = system("path = \"first\"", "", &events);
    let result = run(&text);
    assert_adds_up(&result);
    assert_reference_agrees(&text);
    // One I/O is in flight when the adapter becomes slow, and one when it is repaired; the first finds a loop that has not been used.
    [(1_000, 10_000), (10_000, 25_000), (25_000, 40_000)]
        .map(|(from, to)| response(&result, us(from), us(to)))
}

#[test]
fn each_block_of_a_slow_adapter_takes_so_many_times_as_long() {
    // The main processor has the command and the completion.
    let [before, slow, after] = before_while_and_after("host.adapters.a", "factor = 3.0\n");
    assert_eq!((slow, after), (before + Span::from_ns(2 * (6_400 + 3_200)), before));
    // The drive is on its way to the data since the command has left its frame buffer. FCP_RSP is made while the data are on the loop.
    let [before, slow, after] = before_while_and_after("disk.adapters.a", "factor = 3.0\n");
    assert_eq!(after, before);
    assert_eq!(slow - before, Span::from_ns((12_800 + 640) * 3 - 19_200));
}

#[test]
fn each_command_waits_for_the_delay_of_a_slow_target_and_each_status_for_that_of_an_initiator() {
    for what in ["disk.adapters.a", "host.adapters.a"] {
        let [before, slow, after] = before_while_and_after(what, "factor = 1.0\n");
        assert_eq!((slow, after), (before, before), "{what}");
        let [before, slow, after] = before_while_and_after(what, "factor = 1.0\ndelay = \"704 us\"\n");
        assert_eq!((slow, after), (before + Span::from_us(704), before), "{what}");
    }
}

/// The keys by which a host gets an I/O back from a silent adapter.
const GIVES_UP: (&str, &str) = (
    "path = \"round-robin\"\ndriver.time_out = \"1920 us\"",
    "logout_aborts = 1\nabort_answer_time = \"960 us\"",
);

#[test]
fn an_io_on_a_silent_path_comes_back_after_the_time_out_and_the_abort() {
    let (host, adapter) = GIVES_UP;
    for what in ["disk.adapters.a", "host.adapters.a"] {
        let text = system(host, adapter, &event(10_000, "silence", what));
        let result = run(&text);
        assert_adds_up(&result);
        assert_reference_agrees(&text);
        assert_eq!(result.summary.failed_ios, 0);
        let used = result.ios.rows.iter().filter(|io| io.completed > us(1_000));
        let right = used.map(|io| io.response).min().expect("I/Os");
        let slow: Vec<_> = result
            .ios
            .rows
            .iter()
            .filter(|io| io.response > Span::from_us(1_500))
            .map(|io| io.response)
            .collect();
        // Each second turn is that of the silent path; the retry takes the turn of the other.
        assert!(slow.len() > 10, "{what}: {}", slow.len());
        // 1920 us until the time-out, 960 us until ABTS counts as unanswered. Later commands wait for a login that is not answered, and are given up
        // at their time-out.
        assert_eq!(slow[0], Span::from_us(1_920 + 960) + right, "{what}");
        assert!(slow[1..].iter().all(|slow| *slow == Span::from_us(1_920) + right), "{what}: {slow:?}");
    }
}

#[test]
fn a_silent_target_that_is_repaired_goes_on_and_answers_what_it_does_not_have() {
    let adapter = "abort_answer_time = \"1 ms\"";
    let host = "path = \"first\"\ndriver.time_out = \"2 ms\"";
    let events = event(10_000, "silence", "disk.adapters.a") + &event(20_000, "repair", "disk.adapters.a");
    let text = system(host, adapter, &events);
    let result = run(&text);
    assert_adds_up(&result);
    assert_reference_agrees(&text);
    assert_eq!(result.summary.failed_ios, 0);
    // ABTS is repeated each millisecond until the target answers that it has no such exchange.
    let over: Vec<_> = result
        .ios
        .rows
        .iter()
        .filter(|io| io.completed > us(20_000) && io.completed - io.response < us(20_000))
        .collect();
    assert_eq!(over.len(), 1);
    let begun = over[0].completed - over[0].response;
    let later = over[0].completed - us(20_000);
    assert!(begun > us(9_000) && later < Span::from_us(1_200), "{later}");
    assert_eq!(response(&result, us(1_000), us(10_000)), response(&result, us(22_000), us(40_000)));
}

#[test]
fn without_a_time_out_the_run_says_which_adapter_lost_the_command() {
    let text = system("path = \"first\"", "", &event(10_000, "silence", "disk.adapters.a"));
    let error = sansim_simulator::run(&scenario(&text), &RunOptions::default(), &mut |_| RunFlow::Continue)
        .expect_err("a command that is never answered");
    let said = error.to_string();
    assert!(said.contains("disk[0].adapters.a") && said.contains("time_out"), "{said}");
}

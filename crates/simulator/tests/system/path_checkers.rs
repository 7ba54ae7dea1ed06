//! Path checkers: when a path is found to have failed, and when it is used again.

use crate::changing_keys::change;
use crate::common::text::{assert_adds_up, assert_reference_agrees, event, run, scenario};
use crate::common::ways::{behind_a_controller, by_loop, counts, two_ways, us};
use sansim_component::NetworkModel;
use sansim_kernel::{Span, Time};
use sansim_simulator::{RunFlow, RunOptions, RunResult};

/// The keys of adapters by which I/Os on a silent path come back.
const GIVES_UP: &str = "logout_aborts = 1\nabort_answer_time = \"100 us\"";

/// A host with two paths to each of two drives, which checks them.
fn checked(host: &str, checker: &str, events: &str) -> String {
    let host = format!("{host}\ndriver.path_checker = {{ {checker} }}");
    let text =
        two_ways(&host, "", &[]).replace("queue_depth = 4", "queue_depth = 1").replace("16 KiB", "4 KiB");
    let text = text.replace("[host.adapters.a]", &format!("[host.adapters.a]\n{GIVES_UP}"));
    text.replace("[host.adapters.b]", &format!("[host.adapters.b]\n{GIVES_UP}")) + events
}

fn of(text: &str) -> RunResult {
    let result = run(text);
    assert_adds_up(&result);
    assert_reference_agrees(text);
    assert_eq!(result.summary.failed_ios, 0);
    result
}

/// The I/Os that begin in an interval, by the loops that they used.
fn issued(result: &RunResult, from_us: u64, to_us: u64) -> [usize; 2] {
    let within = |begun: Time| begun >= us(from_us) && begun < us(to_us);
    counts(&by_loop(result).into_iter().filter(|(begun, ..)| within(*begun)).collect::<Vec<_>>())
}

/// How often the host found paths failed, and working again.
fn found(result: &RunResult) -> [u64; 2] {
    let (_, host) = result.summary.errors.hosts.0.first().expect("a host");
    [host.paths_failed, host.paths_back]
}

/// The commands of an adapter of the host, checks included.
fn commands(result: &RunResult, adapter: &str) -> u64 {
    let of = result.summary.components.value_named(&format!("host.adapters.{adapter}")).expect("the adapter");
    of.figure_named("commands").expect("an adapter counts its commands") as u64
}

#[test]
fn a_path_whose_check_is_not_answered_is_left_and_used_again_after_a_check_that_is() {
    // Checks each 2 ms, awaited for 500 us; the path is silent from 9.3 ms to 20.3 ms.
    let events = event(9_300, "silence", "disks.adapters.a") + &event(20_300, "repair", "disks.adapters.a");
    let text = checked(
        "path = \"round-robin\"\ndriver.time_out = \"8 ms\"",
        "interval = \"2 ms\", longest_interval = \"2 ms\", time_out = \"500 us\"",
        &events,
    );
    let result = of(&text);
    let [left, right] = issued(&result, 0, 9_000);
    assert!(left.abs_diff(right) <= 8 && left > 20, "{left} and {right}");
    // The check at 10 ms is lost, which is known at 10.5 ms; the next begin 2 ms after the one before, or when an I/O times out.
    let [left, right] = issued(&result, 10_500, 20_300);
    assert!(left == 0 && right > 30, "{left} and {right}");
    // The next check after the repair comes within 2 ms, and is answered within a tenth of a millisecond.
    let [left, right] = issued(&result, 22_400, 39_000);
    assert!(left.abs_diff(right) <= 8 && left > 30, "{left} and {right}");
    // Each of the two drives has a path on the loop.
    assert_eq!(found(&result), [2, 2]);
    // I/Os on the silent path come back after their time-out and an abort.
    let slow = result.ios.rows.iter().filter(|io| io.response > Span::from_us(8_000)).count();
    assert!((1..=2).contains(&slow), "{slow}");
}

#[test]
fn a_time_out_of_an_io_leaves_the_path_before_the_next_check() {
    let text = checked(
        "path = \"round-robin\"\ndriver.time_out = \"1 ms\"",
        "interval = \"15 ms\", time_out = \"500 us\"",
        &event(2_000, "silence", "disks.adapters.a"),
    );
    let result = of(&text);
    // No I/O that came before is older than 1 ms when the path falls silent, and each drive has I/Os in flight there.
    let [left, right] = issued(&result, 3_300, 39_000);
    assert!(left == 0 && right > 100, "{left} and {right}");
    assert_eq!(found(&result), [2, 0]);
    let slow = result.ios.rows.iter().map(|io| io.response).max().expect("I/Os");
    assert!(slow < Span::from_us(1_000 + 100 + 600), "one time-out, one abort, and the other path: {slow}");
}

/// Checks are sent each interval to each path: the intervals double up to the longest.
#[test]
fn the_interval_of_a_path_that_works_doubles_up_to_the_longest() {
    let count = |checker: &str| {
        let text = checked("path = \"first\"", checker, "");
        // The other adapter has nothing but checks.
        commands(&of(&text), "b")
    };
    // Two drives, each with adapters of its own, from 1 ms on each millisecond up to the end of 40 ms.
    for each in ["path", "adapters"] {
        let checker = format!("interval = \"1 ms\", longest_interval = \"1 ms\", each = \"{each}\"");
        assert_eq!(count(&checker), 2 * 39);
    }
    // At 1, 3, 7, 11, ... ms: the interval is 1 ms, 2 ms, and then 4 ms.
    let doubling = (1..40).filter(|ms| *ms == 1 || (*ms + 1) % 4 == 0).count() as u64;
    assert_eq!(count("interval = \"1 ms\""), 2 * doubling);
}

#[test]
fn one_checker_for_two_adapters_checks_the_paths_to_all_devices_behind_them() {
    for (each, checks) in [("path", 3 * 29), ("adapters", 29)] {
        let checker = format!(
            "interval = \"1 ms\", longest_interval = \"1 ms\", time_out = \"600 us\", each = \"{each}\""
        );
        let host =
            format!("path = \"first\"\ndriver.time_out = \"5 ms\"\ndriver.path_checker = {{ {checker} }}");
        let text = behind_a_controller(&host, "", "").replace("queue_depth = 3", "queue_depth = 1");
        assert_eq!(commands(&of(&text), "b"), checks, "{each}");
        let silent = event(10_300, "silence", "array.fronts.a");
        let text = text.replace("[host.adapters.a]", &format!("[host.adapters.a]\n{GIVES_UP}")) + &silent;
        let result = of(&text);
        // The checks at 11 ms are not answered.
        assert_eq!(issued(&result, 11_600, 29_000)[0], 0, "{each}");
        assert_eq!(found(&result), [if each == "path" { 3 } else { 1 }, 0]);
    }
}

#[test]
fn a_failure_that_the_network_reports_is_over_when_a_check_is_answered() {
    let events = event(5_200, "fail", "host.adapters.a") + &event(12_200, "repair", "host.adapters.a");
    let checker = "interval = \"4 ms\", longest_interval = \"4 ms\", time_out = \"1 ms\"";
    let result = of(&checked("path = \"first\"", checker, &events));
    // The I/Os that come back have the path checked, which is down; and again 4 ms and 8 ms later.
    assert_eq!(issued(&result, 5_200, 13_200)[0], 0);
    assert_eq!(issued(&result, 13_500, 39_000)[1], 0);
    let result = of(&checked("path = \"first\"\nfail_back_time = \"3 ms\"", checker, &events));
    assert_eq!(issued(&result, 5_200, 16_200)[0], 0);
    assert_eq!(issued(&result, 16_500, 39_000)[1], 0);
    let lost = "interval = \"4 ms\", longest_interval = \"4 ms\", time_out = \"1 ms\", lost_after = \"3 ms\"";
    let result = of(&checked("path = \"first\"", lost, &events));
    assert_eq!(issued(&result, 5_200, 39_000)[0], 0, "it is not checked any more");
}

fn access(at_us: u64, adapter: &str, state: &str) -> String {
    change(&format!("{at_us} us"), "disks", &format!("adapters.{adapter}.access"), &format!("\"{state}\""))
}

#[test]
fn another_access_state_is_known_from_the_first_command_that_comes_back_or_from_a_check() {
    let checker = |access: &str| {
        format!(
            "interval = \"4 ms\", longest_interval = \"4 ms\", time_out = \"1 ms\", access = \"{access}\""
        )
    };
    let events = access(5_200, "a", "unavailable") + &access(13_200, "a", "optimised");
    let at_once = of(&checked("path = \"first\"", &checker("at-once"), &events));
    let learned = of(&checked("path = \"first\"", &checker("answers"), &events));
    for result in [&at_once, &learned] {
        // I/Os of the first moments after the change go to the left, come back, and go on by the right.
        let [_, right] = issued(result, 5_400, 13_200);
        assert!(right > 20, "{right}");
        assert_eq!(issued(result, 5_400, 13_200)[0], 0);
    }
    // An answer that says so comes within the time of a command.
    let both = |result: &RunResult| by_loop(result).iter().filter(|(.., on)| on[0] && on[1]).count();
    assert!(both(&learned) >= 2, "each drive has a command that came back: {}", both(&learned));
    assert!(both(&at_once) <= both(&learned));
    // The host looks again with the check at 16 ms and some, counted from the one that it sent after the command came back.
    let back = |result: &RunResult| {
        let ios = by_loop(result);
        ios.iter().find(|(begun, _, on)| *begun > us(13_200) && on[0]).expect("an I/O").0
    };
    assert!(back(&learned) > us(13_200) && back(&learned) < us(17_500), "{}", back(&learned));

    let worse = access(5_200, "a", "non-optimised");
    let learned = of(&checked("path = \"first\"", &checker("answers"), &worse));
    assert_eq!(issued(&learned, 0, 8_000)[1], 0, "no command comes back from it");
    assert_eq!(issued(&learned, 8_100, 39_000)[0], 0, "the check at 8 ms has found it");
}

#[test]
fn checks_do_not_keep_a_run_going_for_ever() {
    let events = event(5_000, "silence", "disks.adapters.a") + &event(5_000, "silence", "disks.adapters.b");
    let text = checked(
        "path = \"first\"\nno_way_time = \"unlimited\"\ndriver.time_out = \"1 ms\"",
        "interval = \"100 s\", time_out = \"1 s\"",
        &events,
    );
    let text = text.replace("abort_answer_time = \"100 us\"", "abort_answer_time = \"200 ms\"");
    let error = sansim_simulator::run(&scenario(&text), &RunOptions::default(), &mut |_| RunFlow::Continue)
        .expect_err("no path works any more");
    assert!(error.to_string().contains("wait for a way"), "{error}");
}

/// The test checks the claims of `docs/model/paths.md` about the shipped example.
#[test]
fn the_example_loses_half_its_rate_by_queue_depth_and_all_of_it_by_turns_until_aborts_are_given_up() {
    let text = include_str!("../../../../scenarios/silent-path.toml");
    for policy in ["queue-depth", "round-robin"] {
        let result = run(&text.replace("path = \"queue-depth\"", &format!("path = \"{policy}\"")));
        assert_adds_up(&result);
        assert_eq!(result.summary.failed_ios, 0);
        let rate = |from: u64, to: u64| {
            let within = |io: &&sansim_simulator::record::IoRecord| {
                io.completed >= us(from * 1_000_000) && io.completed < us(to * 1_000_000)
            };
            result.ios.rows.iter().filter(within).count() as u64 / (to - from)
        };
        let left = |from: u64, to: u64| issued(&result, from * 1_000_000, to * 1_000_000)[0];
        let usual = rate(1, 12);
        assert!(usual > 700, "{usual}");
        // Keep-alives at 15 s are not answered until 20 s, and ABTS not until 40 s; the keep-alive at 65 s is.
        let meanwhile = if policy == "queue-depth" { usual / 2 } else { 0 };
        assert!(rate(13, 40).abs_diff(meanwhile) <= 5, "{policy}: {} of {usual}", rate(13, 40));
        for (from, to) in [(41, 60), (66, 80)] {
            assert!(rate(from, to).abs_diff(usual) <= 10, "{policy}: {} of {usual}", rate(from, to));
        }
        assert_eq!(left(41, 65), 0, "{policy}");
        assert!(left(66, 80) > 4_000, "{policy}");
        assert_eq!(found(&result), [1, 1]);
        let slowest = result.ios.rows.iter().map(|io| io.response).max().expect("I/Os");
        assert!(slowest > Span::from_s(27) && slowest < Span::from_ms(28_100), "{slowest}");
    }
}

/// A drive falls silent amid the data of a read, in a circuit that its port holds for the rest of the sequence.
#[test]
fn a_target_that_falls_silent_amid_its_data_holds_the_loop_for_nothing() {
    let text = |silent_us: u32| {
        format!(
            r#"
            [run]
            duration = "30 ms"
            warm_up = "0 ns"
            [net]
            kind = "arbitrated-loop"
            speed = "1GFC"
            stations = ["host", "disks.adapters.a"]
            [host]
            kind = "host"
            driver.time_out = "2 ms"
            driver.retries = 100
            adapter.logout_aborts = 2
            adapter.abort_answer_time = "500 us"
            [disks]
            kind = "drives"
            count = 2
            access_time = "20 us"
            transfer_rate = "50 MB/s"
            [disks.adapters.a]
            [load]
            kind = "closed"
            from = "host"
            to = ["disks"]
            size = "64 KiB"
            read_fraction = 1.0
            [[event]]
            at = "{silent_us} us"
            do = "silence"
            what = "disks[0].adapters.a"
            [[event]]
            at = "10 ms"
            do = "repair"
            what = "disks[0].adapters.a"
            "#
        )
    };
    for silent_us in [3_100, 3_300, 3_500, 3_700, 3_900, 4_100] {
        for model in [NetworkModel::Fast, NetworkModel::Stepped] {
            let options = RunOptions { loop_model: model, ..RunOptions::default() };
            let result =
                sansim_simulator::run(&scenario(&text(silent_us)), &options, &mut |_| RunFlow::Continue);
            let summary = result.unwrap_or_else(|error| panic!("{silent_us} us: {error}")).summary;
            assert_eq!(summary.failed_ios, 0);
            // The other disk goes on meanwhile: a read takes 1.4 ms.
            assert!(summary.ios > 20, "{silent_us} us: {}", summary.ios);
        }
    }
}

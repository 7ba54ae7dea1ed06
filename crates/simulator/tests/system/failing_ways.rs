//! Paths fail and are repaired during a run: no request is lost, and paths are used as the host's keys say.

use crate::common::text::{assert_adds_up, assert_reference_agrees, in_place_ns, ms, run, scenario};
use crate::common::ways::{behind_a_controller, by_loop, counts, events, policies, two_ways, us};
use sansim_kernel::{Span, Time};
use sansim_simulator::{RunFlow, RunOptions};

#[test]
fn nothing_is_lost_when_a_way_fails_and_returns_under_any_policy() {
    let ends = ["host.adapters.a", "host.adapters.b", "disks.adapters.a", "disks[0].adapters.b"];
    for policy in policies() {
        for end in ends {
            let host = format!("path = \"{policy}\"\nfail_over_time = \"1 ms\"\nfail_back_time = \"2 ms\"");
            let happens = [(8_003, "fail", end), (20_007, "repair", end), (31_001, "fail", end)];
            let text = two_ways(&host, "", &happens);
            let result = run(&text);
            assert_adds_up(&result);
            assert_eq!(result.summary.failed_ios, 0, "{policy}, {end}");
            assert!(result.summary.ios > 200, "{}", result.summary.ios);
            if policy == "round-robin" {
                assert_reference_agrees(&text);
            }
        }
    }
}

/// The number of I/Os on each loop, and the mean number in flight on each, by Little's law.
fn carried(policy: &str, adapter: &str) -> ([usize; 2], [f64; 2]) {
    let text = two_ways(&format!("path = \"{policy}\""), "", &[]);
    let of_b = "[host.adapters.b]\n        command_time = \"10 us\"";
    assert!(text.contains(of_b));
    let result = run(&text.replace(of_b, &format!("[host.adapters.b]\n{adapter}")));
    assert_adds_up(&result);
    let ios = by_loop(&result);
    assert!(ios.iter().all(|io| io.2[0] != io.2[1]), "each by one loop");
    let in_flight = |on: usize| {
        let times = ios.iter().filter(|io| io.2[on]).map(|&(begun, ended, _)| ended - begun);
        times.sum::<Span>().as_ns_f64() / 40e6
    };
    (counts(&ios), [in_flight(0), in_flight(1)])
}

#[test]
fn each_policy_shares_equal_ways_evenly_but_those_that_want_one() {
    let [first, numa] = ["first", "numa"].map(|policy| carried(policy, "command_time = \"10 us\"").0);
    assert_eq!([first[1], numa[1]], [0, 0]);
    for policy in ["round-robin", "least-outstanding", "queue-depth", "queue-length", "service-time"] {
        let ([left, right], _) = carried(policy, "command_time = \"10 us\"");
        assert!(left.abs_diff(right) * 20 < left + right, "{policy}: {left} and {right}");
    }
}

#[test]
fn service_time_puts_bytes_in_flight_in_the_ratio_of_throughputs() {
    let (_, [left, right]) = carried("service-time", "relative_throughput = 3");
    assert!((2.5..3.5).contains(&(right / left)), "{left} and {right} in flight");
    let ([_, last_resort], _) = carried("service-time", "relative_throughput = 0");
    assert_eq!(last_resort, 0);
}

#[test]
fn round_robin_evens_out_requests_and_queue_depth_requests_in_flight() {
    // The adapter takes longer for a command than its loop for the data.
    let slow = "command_time = \"500 us\"";
    let ([left, right], [on_left, on_right]) = carried("round-robin", slow);
    // Paths are used in turn for each drive; I/Os in flight at the end, eight at most, were not measured.
    assert!(left.abs_diff(right) <= 8, "{left} and {right}");
    assert!(on_right > 3.0 * on_left, "requests pile up on the slow way: {on_left} and {on_right}");
    for policy in ["queue-depth", "least-outstanding", "queue-length"] {
        let ([left, right], [on_left, on_right]) = carried(policy, slow);
        assert!(left > 2 * right, "{policy}: {left} and {right}");
        assert!((0.75..1.33).contains(&(on_left / on_right)), "{policy}: {on_left} and {on_right}");
    }
}

#[test]
fn a_way_is_left_when_its_failure_is_noticed_and_taken_again_when_it_is_time() {
    let host = "path = \"round-robin\"\nfail_over_time = \"2 ms\"\nfail_back_time = \"3 ms\"";
    let happens = [(10_000, "fail", "host.adapters.a"), (20_000, "repair", "host.adapters.a")];
    let result = run(&two_ways(host, "", &happens));
    assert_adds_up(&result);
    let ios = by_loop(&result);
    let began = |from: u64, to: u64| -> Vec<_> {
        ios.iter().copied().filter(|&(begun, ..)| begun >= us(from) && begun < us(to)).collect()
    };
    let [left, right] = counts(&began(0, 9_000));
    assert!(left.abs_diff(right) < 10 && left > 50, "{left} and {right}");
    // From the time at which the path counts as failed until it is used again, only the other path is used.
    let between = began(12_001, 22_990);
    assert!(between.len() > 50 && between.iter().all(|io| io.2 == [false, true]), "{}", between.len());
    let [left, right] = counts(&began(23_001, 40_000));
    assert!(left.abs_diff(right) < 10 && left > 50, "{left} and {right}");
    // I/Os on the failed path wait until the failure is noticed, and no longer.
    let caught: Vec<_> = (0..result.ios.len())
        .filter_map(|number| {
            let mut stays = result.ios.dwells_of_io(number).iter();
            let waited = stays.find(|stay| result.names.line_name(stay.line) == "host.fail_over")?;
            Some((result.ios.rows[number], waited.spent))
        })
        .collect();
    assert!(!caught.is_empty());
    for (io, waited) in &caught {
        let begun = io.completed - io.response;
        assert!(begun < us(12_000) && io.completed > us(12_000), "{begun} to {}", io.completed);
        assert!(*waited <= Span::from_us(2_000), "{waited}");
    }
    assert!(in_place_ns(&result, "host") > 0.0);
}

#[test]
fn a_way_that_is_back_before_anybody_noticed_is_gone_on_with() {
    let host = "path = \"first\"\nfail_over_time = \"5 ms\"\nfail_back_time = \"never\"";
    let happens = [(10_000, "fail", "disks.adapters.a"), (12_000, "repair", "disks.adapters.a")];
    let result = run(&two_ways(host, "", &happens));
    assert_adds_up(&result);
    let ios = by_loop(&result);
    assert_eq!(counts(&ios), [ios.len(), 0]);
    assert!(!ios.iter().any(|io| io.1 > us(10_600) && io.1 < us(12_000)), "nothing comes back meanwhile");
}

#[test]
fn a_way_that_is_never_to_be_taken_back_is_taken_when_there_is_no_other() {
    let host = "path = \"first\"\nfail_back_time = \"never\"\nno_way_time = \"unlimited\"";
    let [a, b] = ["host.adapters.a", "disks.adapters.b"];
    let happens = [(5_000, "fail", a), (8_000, "repair", a), (20_000, "fail", b), (25_000, "repair", b)];
    let ios = by_loop(&run(&two_ways(host, "", &happens)));
    let began = |from: u64, to: u64| -> Vec<_> {
        ios.iter().copied().filter(|&(begun, ..)| begun >= us(from) && begun < us(to)).collect()
    };
    let [left, right] = counts(&began(8_000, 17_000));
    assert!(left == 0 && right > 40, "{left} and {right}");
    let [left, right] = counts(&began(20_001, 40_000));
    assert!(left > 100 && right == 0, "{left} and {right}");
}

#[test]
fn a_request_without_a_way_waits_as_long_as_it_may() {
    let happens = [
        (10_000, "fail", "host.adapters.a"),
        (12_000, "fail", "disks.adapters.b"),
        (20_000, "repair", "disks.adapters.b"),
    ];
    let failed = |limit: &str| {
        let result =
            run(&two_ways(&format!("path = \"round-robin\"\nno_way_time = \"{limit}\""), "", &happens));
        assert_adds_up(&result);
        let rows = &result.ios.rows;
        rows.iter()
            .filter(|io| io.failed)
            .map(|io| (io.completed - io.response, io.completed))
            .collect::<Vec<_>>()
    };
    assert_eq!(failed("unlimited"), []);
    assert_eq!(failed("9 ms"), []);
    let at_once = failed("0 ns");
    let (first, last) = (at_once.first().map(|io| io.1), at_once.last().map(|io| io.1));
    assert!(
        at_once.len() > 1_000 && first >= Some(us(12_000)) && last < Some(us(20_050)),
        "{first:?} to {last:?}"
    );
    let later = failed("3 ms");
    // There are eight slots; each waits 3 ms in vain, and then once more.
    assert_eq!(later.len(), 16);
    assert!(later.iter().all(|io| io.1 >= us(15_000) && io.1 - io.0 >= Span::from_us(3_000)), "{later:?}");
}

#[test]
fn a_run_in_which_requests_wait_for_ever_says_who_waits_for_what() {
    let happens = [(10_000, "fail", "host.adapters.a"), (12_000, "fail", "disks.adapters.b")];
    let text = two_ways("no_way_time = \"unlimited\"", "", &happens);
    let error = sansim_simulator::run(&scenario(&text), &RunOptions::default(), &mut |_| RunFlow::Continue)
        .expect_err("requests without a way");
    let said = error.to_string();
    assert!(said.contains("`host`") && said.contains("wait for a way to their device: 8"), "{said}");
}

#[test]
fn non_optimised_ways_carry_nothing_while_an_optimised_one_works() {
    for policy in policies() {
        let [a, one] = ["disks.adapters.a", "disks[0].adapters.a"];
        let happens = [(10_000, "fail", a), (20_000, "repair", a), (30_000, "fail", one)];
        let right = "access = \"non-optimised\"";
        let text = two_ways(&format!("path = \"{policy}\""), right, &happens);
        let result = run(&text);
        assert_adds_up(&result);
        let ios = by_loop(&result);
        let within = |from: u64, to: u64| -> Vec<_> {
            ios.iter().copied().filter(|io| io.0 >= us(from) && io.1 < us(to)).collect()
        };
        let [left, right] = counts(&within(0, 10_000));
        assert!(left > 50 && right == 0, "{policy}: {left} and {right}");
        let [left, right] = counts(&within(10_001, 20_000));
        assert!(left == 0 && right > 50, "{policy}: {left} and {right}");
        let [left, right] = counts(&within(20_001, 30_000));
        assert!(left > 50 && right == 0, "{policy}: {left} and {right}");
        let [left, right] = counts(&within(30_001, 40_000));
        assert!(left > 20 && right > 20, "the other drive is reached as before: {left} and {right}");
    }
}

#[test]
fn nothing_is_lost_when_the_adapters_of_a_controller_fail_on_either_side() {
    for end in
        ["array.fronts.a", "array.backs.a", "disks.adapters.a", "disks[1].adapters.a", "host.adapters.a"]
    {
        for path in ["first", "round-robin"] {
            let ways = format!("path = \"{path}\"\nfail_over_time = \"1 ms\"\nfail_back_time = \"1 ms\"");
            let happens = [(5_000, "fail", end), (15_000, "repair", end), (25_000, "fail", end)];
            let text = behind_a_controller(&ways, &ways, &events(&happens));
            let result = run(&text);
            assert_adds_up(&result);
            assert_eq!(result.summary.failed_ios, 0, "{end}");
            assert!(result.summary.ios > 300, "{}", result.summary.ios);
            let waits = ["host", "array"].map(|place| {
                let line = format!("{place}.fail_over");
                result.summary.ledger_ns.mean.0.iter().any(|(name, ns)| *name == line && *ns > 0.0)
            });
            let behind = end.starts_with("array.backs") || end.starts_with("disks");
            assert_eq!(waits, [!behind, behind], "{end}: who waits for another way");
        }
    }
}

#[test]
fn events_at_one_moment_come_in_the_order_of_the_file() {
    // The path fails and works again at once: the failure is not noticed, whatever else happens at that
    // moment.
    let [a, b] = ["host.adapters.a", "host.adapters.b"];
    let happens = [(9_000, "fail", b), (10_000, "fail", a), (10_000, "repair", a)];
    let result = run(&two_ways("path = \"first\"", "", &happens));
    assert_adds_up(&result);
    assert_eq!((result.summary.failed_ios, counts(&by_loop(&result))[1]), (0, 0));
    assert!(ms(30) < result.ios.rows.last().expect("I/Os").completed);
}

/// The test checks the claims of `docs/model/paths.md` about the shipped example.
#[test]
fn the_example_gives_up_a_lost_adapter_after_five_seconds_and_comes_back_to_it_five_seconds_after_its_repair()
{
    let result = run(include_str!("../../../../scenarios/two-paths.toml"));
    assert_adds_up(&result);
    assert_eq!(result.summary.failed_ios, 0);
    let ios = by_loop(&result);
    let second = |number: u64| -> Vec<_> {
        let within = |at: Time| at >= us(number * 1_000_000) && at < us((number + 1) * 1_000_000);
        ios.iter().copied().filter(|io| within(io.1)).collect()
    };
    // Both loops carry equally many I/Os, then none does until the adapter is given up, then one does, and
    // then both again.
    for number in [1, 9, 25, 29] {
        let [left, right] = counts(&second(number));
        assert!(left > 600 && left.abs_diff(right) < 20, "second {number}: {left} and {right}");
    }
    assert!((11..15).all(|number| second(number).is_empty()));
    for number in 16..25 {
        let [left, right] = counts(&second(number));
        assert!(left == 0 && right > 1_200, "second {number}: {left} and {right}");
    }
    // The requests in flight on the lost adapter, and requests that were given to it until all slots waited.
    let slow = ios.iter().filter(|(begun, ended, _)| *ended - *begun > Span::from_ms(4_900)).count();
    assert_eq!(slow, 16);
}

/// A host without any times and drives without any; the events and the masked devices follow.
fn timeless(host: &str, events: &str) -> String {
    format!(
        "{events}[run]\nduration = \"5 ms\"\nwarm_up = \"0 s\"\n[san]\nkind = \"fabric\"\nspeed = \"8GFC\"\n\
         stations = [\"host\", \"disks.adapters.a\", \"disks.adapters.b\"]\n[host]\nkind = \"host\"\npath = \"round-robin\"\n{host}\n\
         [disks]\nkind = \"drives\"\naccess_time = \"100 us\"\ntransfer_rate = \"1 GB/s\"\n[disks.adapters.a]\n[disks.adapters.b]\n\
         [load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"disks\"]\nsize = \"4 KiB\"\nqueue_depth = 2\n"
    )
}

#[test]
fn without_any_path_and_without_any_times_ios_fail_and_are_counted() {
    let fail = |at: &str, what: &str| format!("[[event]]\nat = \"{at}\"\ndo = \"fail\"\nwhat = \"{what}\"\n");
    let both = fail("1 ms", "disks.adapters.a") + &fail("2 ms", "disks.adapters.b");
    let of_host = fail("2 ms", "host.adapter");
    for (host, events, least) in
        [("", both, 5_000), ("", of_host, 5_000), ("masked = [\"disks\"]", String::new(), 9_000)]
    {
        let result = run(&timeless(host, &events));
        assert_adds_up(&result);
        // There are two I/Os at a time, each of which takes a microsecond.
        assert!(
            result.summary.failed_ios > least && result.summary.failed_ios <= 10_002,
            "{}",
            result.summary.failed_ios
        );
        let failed = result.ios.rows.iter().filter(|io| io.failed);
        assert!(failed.clone().count() as u64 == result.summary.failed_ios);
        assert!(failed.clone().all(|io| io.response >= Span::from_us(1)), "none fails in no time");
    }
    let slower = timeless("driver.refusal_time = \"100 us\"\nmasked = [\"disks\"]", "");
    assert!((98..=102).contains(&run(&slower).summary.failed_ios), "two at a time, of 100 us each, for 5 ms");
}

#[test]
fn a_request_that_took_time_before_it_failed_is_not_held_back() {
    let took = |host: &str| {
        let result = run(&timeless(&format!("{host}\nmasked = [\"disks\"]"), ""));
        result.ios.rows.iter().map(|io| io.response).max()
    };
    assert_eq!(took(""), Some(Span::from_us(1)));
    assert_eq!(
        took("driver.arrival_time = \"2 us\""),
        Some(Span::from_us(4)),
        "two of 2 us each, one behind the other"
    );
}

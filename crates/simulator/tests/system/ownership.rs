//! The owner of a device of two controllers: the cost of a change, the cost of paths that are not optimised, and that each request is
//! answered once while hosts access it from both sides. SPC-4, asymmetric logical unit access.

use crate::common::text::{assert_adds_up, assert_near, run, run_seen};
use crate::common::{figure, mean_ns};
use proptest::prelude::*;
use sansim_component::ComponentId;
use sansim_kernel::Time;
use sansim_observe::observer::{Observer, RequestStep, WantedCalls};
use sansim_request::{RequestId, Requests};
use std::collections::BTreeMap;

/// Two hosts, each of which has a path to only one of two controllers, and a drive that the first controller
/// owns.
pub(crate) fn two_hosts(run: &str, pair: &str, load: &str, events: &str) -> String {
    let mut text = format!(
        r#"
        [run]
        {run}
        [controller]
        kind = "controller"
        to = ["drives"]
        pair = {{ controllers = 2, preferred = "a", {pair} }}
        resources = {{ link = {{ time = "2 us", bandwidth = "100 MB/s" }}, link_latency = "10 us", command = {{ time = "5 us" }} }}
        fronts = {{ a = {{}}, b = {{ side = "b" }} }}
        [drives]
        kind = "drives"
        count = 1
        concurrency = 64
        access_time = "1 ms"
        transfer_rate = "100 MB/s"
        {events}
        "#
    );
    for half in ["a", "b"] {
        text += &format!(
            r#"
            [loop-{half}]
            kind = "arbitrated-loop"
            speed = "4GFC"
            stations = ["host-{half}", "controller.fronts.{half}"]
            [host-{half}]
            kind = "host"
            no_way_time = "unlimited"
            [load-{half}]
            kind = "closed"
            from = "host-{half}"
            to = ["controller"]
            {load}
            "#
        );
    }
    text
}

const RUN: &str = "measured_ios = 600\nwarm_up = 0";
const READS: &str = "size = \"4 KiB\"\nqueue_depth = 1";

fn mean_of(result: &sansim_simulator::RunResult, workload: &str) -> f64 {
    let of = result.summary.workloads.value_named(workload).expect("it");
    of.response_time_ns.as_ref().expect("times").mean
}

#[test]
fn a_way_that_is_not_optimised_costs_the_link_there_and_back_and_nothing_else() {
    let result = run(&two_hosts(RUN, "", READS, ""));
    assert_adds_up(&result);
    // The link takes 2 us and 10 us in each direction, and 4096 bytes come back at 100 MB/s.
    let costs = 2.0 * 12_000.0 + 40_960.0;
    assert_near("a read", mean_of(&result, "load-b") - mean_of(&result, "load-a"), costs, 0.01);
    assert_eq!(figure(&result.summary, "controller", "changes_of_owner"), 0.0);
}

#[test]
fn hosts_that_pull_at_a_device_from_both_sides_pay_for_every_change() {
    let of = |pair: &str| run(&two_hosts(RUN, pair, READS, ""));
    let (forwards, pulls) = (of(""), of("change_after = 1, change_time = \"2 ms\""));
    assert_adds_up(&pulls);
    let changes = figure(&pulls.summary, "controller", "changes_of_owner");
    assert!(changes > 100.0, "{changes}");
    assert!(
        pulls.summary.iops < 0.6 * forwards.summary.iops,
        "{} {}",
        pulls.summary.iops,
        forwards.summary.iops
    );
    // No I/O waits for longer than the sum of the changes of owner.
    let waited = mean_ns(&pulls.summary, "controller.change_of_owner") * pulls.summary.ios as f64;
    assert!(waited > 0.0 && waited <= 2.0 * changes * 2e6, "{waited} ns in {changes} changes");
}

#[test]
fn a_change_that_takes_longer_makes_nothing_faster() {
    let of = |us: u32| {
        let pair = format!("change_after = 3, change_time = \"{us} us\"");
        run(&two_hosts(RUN, &pair, READS, "")).summary.response_time_ns.mean
    };
    let means = [0, 100, 1_000, 10_000].map(of);
    assert!(means.is_sorted(), "{means:?}");
}

#[test]
fn without_a_link_the_device_goes_to_whom_it_is_asked_of() {
    let cut = "[[event]]\nat = \"0 ns\"\ndo = \"fail\"\nwhat = \"controller.link\"\n";
    let result = run(&two_hosts(RUN, "change_time = \"1 ms\"", READS, cut));
    assert_adds_up(&result);
    assert_eq!(result.summary.failed_ios, 0);
    assert!(figure(&result.summary, "controller", "changes_of_owner") > 10.0);
    assert_eq!(mean_ns(&result.summary, "controller.resources.link"), 0.0);
}

/// The number of times that each I/O is answered.
#[derive(Default)]
struct Answers(BTreeMap<u64, u32>);

impl Observer for Answers {
    fn wants(&self) -> WantedCalls {
        WantedCalls { requests: true, ..WantedCalls::default() }
    }

    fn at_request(&mut self, _: Time, _: ComponentId, id: RequestId, what: RequestStep, requests: &Requests) {
        let request = requests.request(id);
        if matches!(what, RequestStep::Completed { .. }) && request.parent.is_none() {
            *self.0.entry(request.number).or_default() += 1;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sansim_trials::case_count(40)) })]

    #[test]
    fn nothing_is_answered_twice_whoever_owns_the_device(
        (after, change_us) in (1..6_u32, prop::sample::select(vec![0_u32, 1, 700, 9_000])),
        (depth, reads) in (1..9_u32, 0..=2_u32),
        failures in prop::collection::vec((0..3_usize, 1..30_000_u32, 1..30_000_u32), 0..5),
    ) {
        let mut events = String::new();
        let mut at = 0;
        for (which, until, long) in failures {
            let what = ["controller.a", "controller.b", "controller.link"][which];
            for (us, act) in [(at + until, "fail"), (at + until + long, "repair")] {
                events += &format!("[[event]]\nat = \"{us} us\"\ndo = \"{act}\"\nwhat = \"{what}\"\n");
            }
            at += until + long + 1;
        }
        let pair = format!("change_after = {after}, change_time = \"{change_us} us\"");
        let load = format!("size = \"8 KiB\"\nqueue_depth = {depth}\nread_fraction = {}", f64::from(reads) / 2.0);
        let (ended, _, answers) = run_seen(&two_hosts("measured_ios = 400\nwarm_up = 0", &pair, &load, &events), Answers::default());
        prop_assert_eq!(ended.summary.failed_ios, 0);
        prop_assert!(answers.0.len() >= 400 && answers.0.values().all(|&times| times == 1));
    }
}

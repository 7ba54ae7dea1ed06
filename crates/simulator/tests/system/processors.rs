//! Processors of hosts: queues with exact formulas, interrupts and polls in closed form, and laws.

use crate::common::text::{assert_adds_up, assert_near, run};
use sansim_simulator::RunResult;

/// A host with keys of its driver and of its processors, attached directly to a disk that takes 100 us for each of any number
/// of I/Os.
fn host(driver: &str, processors: &str, load: &str) -> String {
    format!(
        r#"
        [run]
        measured_ios = 40000
        warm_up = 1000
        [host]
        kind = "host"
        attached = ["disk"]
        [host.driver]
        outstanding_limit = 100000
        {driver}
        [host.processors]
        {processors}
        [disk]
        kind = "drives"
        access_time = "100 us"
        transfer_rate = "1 TB/s"
        concurrency = 255
        [load]
        from = "host"
        to = ["disk"]
        size = "512 B"
        {load}
        "#
    )
}

fn closed(depth: u32) -> String {
    format!("kind = \"closed\"\nqueue_depth = {depth}")
}

fn open(rate_per_s: f64) -> String {
    format!(
        "kind = \"synthetic\"\noutstanding = 65536\narrivals = {{ process = \"poisson\", rate = \"{rate_per_s}/s\" }}"
    )
}

const COSTS: &str = "arrival_time = \"10 us\"\ncompletion_time = \"5 us\"";

fn figure(result: &RunResult, name: &str) -> f64 {
    let figures = result.summary.components.value_named("host.processors");
    figures.and_then(|figures| figures.figure_named(name)).unwrap_or_else(|| panic!("{name}"))
}

fn response_ns(result: &RunResult) -> f64 {
    result.summary.response_time_ns.mean
}

fn in_segment_ns(result: &RunResult, segment: &str) -> f64 {
    result.summary.ledger_ns.mean.value_named(&format!("host.processors.{segment}")).copied().unwrap_or(0.0)
}

/// The mean wait in an M/D/c queue by Crommelin's formula (Post Office Electrical Engineers' Journal 25, 1932), in service
/// times.
fn crommelin(servers: u32, load: f64) -> f64 {
    let offered = load * f64::from(servers);
    let term = |i: u32| {
        let mean = f64::from(i) * offered;
        let first = i * servers;
        // The probabilities of `first` and of more than `first`, for a Poisson distribution.
        let at = (1..=first).fold(-mean, |log, j| log + (mean / f64::from(j)).ln()).exp();
        let (mut beyond, mut p) = (0.0, at);
        for j in first + 1..first + 2_000 {
            p *= mean / f64::from(j);
            beyond += p;
        }
        at + beyond * (1.0 - f64::from(servers) / offered)
    };
    (1..400).map(term).sum()
}

#[test]
fn processors_that_cost_nothing_change_nothing_to_the_bit() {
    let plain = run(&host("", "", &closed(9)));
    let result = run(&host("", "model = \"interrupts\"\ncount = 3", &closed(9)));
    // The components have different numbers in the two runs.
    let told = |result: &RunResult| -> Vec<_> {
        result.ios.rows.iter().map(|io| (io.io, io.response, io.completed, io.lba)).collect()
    };
    assert!(told(&plain) == told(&result));
}

#[test]
fn submissions_on_several_processors_are_an_m_d_c_queue() {
    for (processors, load) in [(1, 0.7), (4, 0.8)] {
        let rate_per_s = load * f64::from(processors) / 50e-6;
        let keys = format!("model = \"interrupts\"\ncount = {processors}");
        let text = host("arrival_time = \"50 us\"", &keys, &open(rate_per_s));
        let runs: Vec<f64> = (1..=10)
            .map(|seed| run(&text.replace("[run]", &format!("[run]\nseed = {seed}"))))
            .map(|result| in_segment_ns(&result, "run_queue"))
            .collect();
        let mean = runs.iter().sum::<f64>() / 10.0;
        let variance = runs.iter().map(|run| (run - mean).powi(2)).sum::<f64>() / 9.0;
        // The 99.95 % point of Student's distribution with 9 degrees of freedom.
        let half = 4.781 * (variance / 10.0).sqrt();
        let truth = 50e3 * crommelin(processors, load);
        println!("{processors} processors: {mean:.0} +- {half:.0} ns, in truth {truth:.0} ns");
        assert!((mean - truth).abs() <= half, "{mean} +- {half}, in truth {truth}");
        assert_near("the wait", mean, truth, 0.05);
    }
}

#[test]
fn utilisation_is_the_sum_of_costs_times_the_rate() {
    let keys = "model = \"interrupts\"\ncount = 2\ninterrupt_time = \"3 us\"";
    let result = run(&host(COSTS, keys, &open(60_000.0)));
    assert_adds_up(&result);
    let per_io = 15e-6 + 3e-6 * figure(&result, "interrupts") / figure(&result, "noticed_completions");
    assert_near("utilisation", figure(&result, "utilisation"), result.summary.iops * per_io / 2.0, 2e-4);
    assert_eq!(figure(&result, "utilisation"), figure(&result, "occupied"));
}

#[test]
fn with_one_at_a_time_each_stage_takes_what_it_costs() {
    let keys = "model = \"interrupts\"\ninterrupt_time = \"3 us\"";
    let result = run(&host(COSTS, keys, &closed(1)));
    for (segment, ns) in [("submission", 10e3), ("interrupt", 3e3), ("completion", 5e3), ("run_queue", 0.0)] {
        assert_eq!(in_segment_ns(&result, segment), ns, "{segment}");
    }
    let coalesced = run(&host(COSTS, &format!("{keys}\ncoalescing_time = \"40 us\""), &closed(1)));
    assert_eq!(response_ns(&coalesced) - response_ns(&result), 40e3, "at low load all wait for the time-out");
    assert_eq!(in_segment_ns(&coalesced, "unnoticed"), 40e3);
}

#[test]
fn where_there_are_enough_completions_each_interrupt_brings_as_many_as_it_waits_for() {
    for completions in [1, 4, 16] {
        let keys = format!(
            "model = \"interrupts\"\ncount = 8\ninterrupt_time = \"3 us\"\ncoalesced_completions = {completions}\ncoalescing_time = \"10 ms\""
        );
        let result = run(&host(COSTS, &keys, &open(40_000.0)));
        let per_interrupt = figure(&result, "noticed_completions") / figure(&result, "interrupts");
        // A processor may find completions that arrived before it accepted the interrupt.
        assert_near("completions for each interrupt", per_interrupt, f64::from(completions), 1e-2);
        assert!(per_interrupt >= f64::from(completions) * 0.999, "{per_interrupt}");
    }
}

#[test]
fn more_processors_are_never_slower() {
    let mut before = f64::INFINITY;
    for count in [1, 2, 3, 4, 8] {
        let keys = format!("model = \"interrupts\"\ncount = {count}\ninterrupt_time = \"3 us\"");
        let response = response_ns(&run(&host(COSTS, &keys, &closed(32))));
        assert!(response <= before * 1.001, "{count}: {response} after {before}");
        before = response;
    }
    // One processor limits 32 slots at 15 us and the interrupts, eight processors do not.
    assert!(before < 160e3, "{before}");
}

#[test]
fn who_comes_at_any_time_waits_for_other_load_as_long_as_renewal_theory_says() {
    // A request that arrives at a random time meets a slice with the probability of its share, and half of the slice is
    // still to come.
    let keys = "model = \"interrupts\"\nother_load = { share = \"30 %\", slice = \"200 us\" }";
    let result = run(&host("arrival_time = \"1 ns\"", keys, &open(50.0)));
    assert_adds_up(&result);
    assert_near("the wait", in_segment_ns(&result, "run_queue"), 0.3 * 100e3, 0.02);
    assert_near("the share", figure(&result, "occupied") - figure(&result, "utilisation"), 0.3, 1e-3);
}

#[test]
fn of_polls_those_that_find_nothing_take_what_time_is_left() {
    // Friedman, "Processor consumption" (F-R12 to F-R14, F-R19), as a test of the mechanism: 73 us for each request, that is 67.68 us in
    // addition to its two productive polls, leave as many unproductive polls as the paper counted. All these numbers are given, and none is
    // predicted.
    let costs = "arrival_time = \"33.84 us\"\ncompletion_time = \"33.84 us\"";
    let keys = "model = \"polling\"\ncount = 4\npoll_time = \"2.66 us\"";
    let result = run(&host(costs, keys, &open(40_000.0)));
    assert_adds_up(&result);
    let per_s = |name: &str| figure(&result, name) / result.summary.simulated_s;
    let productive = per_s("productive_polls");
    assert_near("one of a submission, one of a completion", productive, 2.0 * result.summary.iops, 1e-3);
    let left = 3.0 - productive * (33.84e-6 + 2.66e-6);
    let unproductive = per_s("unproductive_polls");
    assert_near("unproductive", unproductive, left / 2.66e-6, 1e-3);
    // A 35th of three processors is left, so an error of a thousandth in the rate is a thirtieth of that
    // remainder.
    assert_near("as many as the paper counted", unproductive, 31_000.0, 0.05);
    assert_near("occupied: three of four", figure(&result, "occupied"), 0.75, 1e-9);
}

#[test]
fn who_comes_at_any_time_waits_for_half_a_poll() {
    let keys = "model = \"polling\"\ncount = 2\npoll_time = \"30 us\"";
    let result = run(&host(COSTS, keys, &open(20.0)));
    // The thread polls since the end of the submission, so the completion comes 100 us later, during the fourth poll: it waits for 20 us.
    assert_near("unnoticed", in_segment_ns(&result, "unnoticed"), 15e3 + 20e3, 0.02);
}

/// A shipped scenario, with more tables.
fn shipped(text: &str, more: &str) -> RunResult {
    let result = run(&format!("{}\n{more}", text.replace("measured_ios = 20000", "measured_ios = 4000")));
    assert_adds_up(&result);
    result
}

#[test]
fn merged_requests_and_those_whose_way_fails_go_through_processors_as_others_do() {
    // Nothing is lost, because a run that does not add up has no result.
    let interrupts =
        "model = \"interrupts\"\ncount = 2\ninterrupt_time = \"9 us\"\ncoalescing_time = \"70 us\"";
    let polling = "model = \"polling\"\ncount = 3\npoll_time = \"2 us\"";
    for keys in [interrupts, polling] {
        let merging = include_str!("../../../../scenarios/two-hosts-shared-drives.toml");
        let merging = merging.replace(
            "[disks]\n",
            "driver.arrival_time = \"5 us\"\ndriver.completion_time = \"3 us\"\n[disks]\n",
        );
        let result = shipped(&merging, &format!("[reports.processors]\n{keys}"));
        let submitted = result.summary.ledger_ns.mean.value_named("reports.processors.submission").copied();
        assert!(submitted.is_some_and(|ns| ns > 0.0), "{submitted:?}");
        let failing = include_str!("../../../../scenarios/two-paths.toml");
        shipped(failing, &format!("[host.processors]\n{keys}"));
    }
}

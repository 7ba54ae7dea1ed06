//! Open loads beyond the capacity: reported as unstable, bounded in memory, and without numbers that grow with the length of the run.

use crate::common::text::{assert_near, scenario};
use sansim_component::NetworkModel;
use sansim_simulator::run::RecordingOptions;
use sansim_simulator::simulation::Simulation;
use sansim_simulator::summary::Summary;
use sansim_simulator::{RunFlow, RunOptions, build};
use serde_json::Value;

/// The number of I/Os that a drive serves in a second.
const CAPACITY: f64 = 1_000.0;

/// Loads on a drive that serves a thousand I/Os in a second, in exponential times, for this duration.
fn system(duration: &str, load: &str) -> String {
    format!(
        r#"
        [run]
        duration = "{duration}"
        warm_up = "1 s"
        [host]
        kind = "host"
        attached = ["disk", "other"]
        # What waits in the driver for one drive is in nobody's way to the other.
        driver.outstanding_limit = 100000
        [disk]
        kind = "drives"
        access_time = {{ distribution = "exponential", mean = "1 ms" }}
        transfer_rate = "1 TB/s"
        [other]
        kind = "drives"
        access_time = {{ distribution = "exponential", mean = "1 ms" }}
        transfer_rate = "1 TB/s"
        {load}
        "#
    )
}

/// A workload of one stream with these keys.
fn load(name: &str, to: &str, keys: &str) -> String {
    format!("[{name}]\nkind = \"synthetic\"\nfrom = \"host\"\nto = [\"{to}\"]\nsize = \"512 B\"\n{keys}\n")
}

/// Poisson arrivals at this share of the drive's capacity.
fn poisson(part: f64) -> String {
    format!("arrivals = {{ process = \"poisson\", rate = \"{}/s\" }}", part * CAPACITY)
}

fn summary(text: &str, seed: u64) -> Summary {
    let options = RunOptions { seed: Some(seed), ..RunOptions::default() };
    sansim_simulator::run(&scenario(text), &options, &mut |_| RunFlow::Continue)
        .unwrap_or_else(|error| panic!("{error}"))
        .summary
}

/// Number of seeds with which a load is reported as unstable.
fn unstable(text: &str, seeds: u64) -> u64 {
    (1..=seeds).filter(|&seed| !summary(text, seed).unstable.is_empty()).count() as u64
}

#[test]
fn a_load_that_is_served_is_not_called_unstable() {
    for part in [0.5, 0.9] {
        let found = unstable(&system("10 s", &load("load", "disk", &poisson(part))), 60);
        println!("{part} of capacity: unstable in {found} of 60 runs");
        // The rule of `crates/simulator/src/trend.rs` errs in at most one of 50 runs: in at most four of 60 in all but 2 % of all
        // sets of seeds.
        assert!(found <= 3, "{part}: {found} of 60");
    }
}

#[test]
fn a_load_that_is_not_served_is_called_unstable() {
    for (part, duration) in [(1.05, "40 s"), (1.2, "10 s"), (3.0, "10 s")] {
        let found = unstable(&system(duration, &load("load", "disk", &poisson(part))), 30);
        println!("{part} of capacity: unstable in {found} of 30 runs");
        assert!(found >= 28, "{part}: {found} of 30");
    }
}

#[test]
fn times_of_an_unstable_load_are_null_and_rates_are_right() {
    let two = load("load", "disk", &poisson(2.0)) + &load("calm", "other", &poisson(0.3));
    let result = serde_json::to_value(summary(&system("20 s", &two), 1)).expect("JSON");
    assert_eq!(result["unstable"], serde_json::json!(["load"]));
    let at = |path: &str| result.pointer(path).unwrap_or_else(|| panic!("no {path} in the result"));
    assert_eq!(*at("/ledger_ns"), Value::Null, "what the times would be made of");
    for path in ["/response_time_ns", "/reads/response_time_ns"] {
        assert_eq!(*at(path), Value::Null, "{path}");
        assert_eq!(*at(&format!("/workloads/load{path}")), Value::Null, "{path}");
        assert!(at(&format!("/workloads/calm{path}"))["mean"].is_f64(), "{path}");
    }
    assert_eq!(
        (at("/workloads/load/unstable"), at("/workloads/calm/unstable")),
        (&true.into(), &false.into())
    );
    let rate = |path: &str| at(path).as_f64().expect("a number");
    assert_near("served", rate("/workloads/load/iops"), CAPACITY, 0.02);
    assert_near("calm", rate("/workloads/calm/iops"), 0.3 * CAPACITY, 0.05);
    assert_near("bytes", rate("/bytes_per_second"), 512.0 * rate("/iops"), 1e-9);
}

#[test]
fn nobody_is_told_to_run_an_unstable_load_longer() {
    let streams = load("load", "disk", "").replace("size = \"512 B\"\n", "")
        + &format!("[load.streams.wild]\nsize = \"512 B\"\n{}\n", poisson(2.0))
        + &format!("[load.streams.calm]\nsize = \"512 B\"\n{}\n", poisson(0.1));
    let two = load("one", "disk", &poisson(2.0)) + &load("two", "other", &poisson(2.0));
    for (loads, who) in [
        (load("load", "disk", &poisson(2.0)), "`load` is unstable: "),
        (streams, "`load` (`wild`) is unstable: "),
        (two, "`one`, `two` are unstable: "),
    ] {
        let statistics = summary(&system("20 s", &loads), 1).statistics;
        assert!(!statistics.trusted);
        let doubts = statistics.doubts;
        assert!(doubts[0].starts_with(who), "{doubts:?}");
        for part in ["grow with the length of the run", "lower the rate", "a closed workload"] {
            assert!(doubts[0].contains(part), "{part}: {doubts:?}");
        }
        assert!(!doubts.iter().any(|doubt| doubt.contains("run longer")), "{doubts:?}");
        assert!(!doubts.iter().any(|doubt| doubt.starts_with("response times")), "{doubts:?}");
    }
    // The same run with half the load is served, and the result suggests that a short run of it should be
    // longer.
    let short = summary(&system("1500 ms", &load("load", "disk", &poisson(0.9))), 1).statistics;
    assert!(short.doubts.iter().any(|doubt| doubt.contains("run longer")), "{:?}", short.doubts);
}

#[test]
fn response_times_of_an_unstable_load_have_no_precision_and_rates_have() {
    for (of, settles) in [("response-time", false), ("p99", false), ("iops", true)] {
        let wanted = format!("precision = \"10 %\"\nprecision_of = \"{of}\"\nmost_ios = 200000");
        let text =
            system("20 s", &load("load", "disk", &poisson(2.0))).replace("duration = \"20 s\"", &wanted);
        let reached = summary(&text, 1).statistics.precision.expect("it was asked for");
        assert_eq!((reached.reached, reached.relative_half_width.is_some()), (settles, settles), "{of}");
    }
}

#[test]
fn what_is_told_of_an_unstable_load_does_not_depend_on_the_length_of_the_run() {
    let told = |duration| {
        let text = system(duration, &load("load", "disk", &poisson(1.5)));
        (1..=5).map(|seed| summary(&text, seed).iops).sum::<f64>() / 5.0
    };
    for duration in ["20 s", "80 s"] {
        assert_near(duration, told(duration), CAPACITY, 0.01);
    }
}

#[test]
fn memory_is_bounded_by_what_may_be_outstanding() {
    for outstanding in [1, 20, 300] {
        let keys = format!("{}\noutstanding = {outstanding}", poisson(3.0));
        let plan = build::plan_system(
            &scenario(&system("3 s", &load("load", "disk", &keys))),
            None,
            NetworkModel::Fast,
        );
        let mut simulation = Simulation::new(&plan, RecordingOptions::default(), None);
        let mut most = 0;
        while simulation.run_events(1) {
            most = most.max(simulation.open_requests());
        }
        assert_eq!(most, outstanding);
    }
}

#[test]
fn only_the_stream_that_is_overloaded_is_called_so() {
    let stream = |name: &str, more: &str| format!("[load.streams.{name}]\nsize = \"512 B\"\n{more}\n");
    // All streams use the same drive; but the excess waits in the backlog of its stream, so the other streams hardly
    // notice.
    let streams = load("load", "disk", "").replace("size = \"512 B\"\n", "")
        + &stream("wild", &format!("{}\noutstanding = 2", poisson(2.0)))
        + &stream("calm", &poisson(0.1))
        + &stream("closed", "arrivals = { process = \"closed\" }");
    let summary = summary(&system("20 s", &streams), 1);
    assert_eq!(summary.unstable, ["load"], "the workload");
    let load = summary.workloads.value_named("load").expect("the workload");
    let of = |name: &str| {
        let stream = load.streams.value_named(name).expect("the stream");
        (stream.unstable, stream.response_time_ns.is_some())
    };
    assert_eq!(of("wild"), (Some(true), false));
    assert_eq!(of("calm"), (Some(false), true));
    assert_eq!(of("closed"), (None, true));
    assert_eq!(load.unstable, Some(true));
}

#[test]
fn a_load_that_is_served_on_the_average_is_not_unstable_however_it_bursts() {
    let on_off = "arrivals = { process = \"on-off\", rate = \"3000/s\", \
                  on = { distribution = \"exponential\", mean = \"20 ms\" }, off = { distribution = \"exponential\", mean = \"80 ms\" } }";
    let found = unstable(&system("20 s", &load("load", "disk", on_off)), 30);
    println!("on and off: unstable in {found} of 30 runs");
    assert!(found <= 2, "{found} of 30");
}

#[test]
fn nobody_asks_whether_a_closed_load_is_unstable() {
    for kind in ["arrivals = { process = \"closed\", queue_depth = 64 }", ""] {
        let result =
            serde_json::to_value(summary(&system("2 s", &load("load", "disk", kind)), 1)).expect("JSON");
        assert_eq!(result["unstable"], serde_json::json!([]));
        assert_eq!(result.pointer("/workloads/load/unstable"), Some(&Value::Null));
        assert!(result["response_time_ns"]["mean"].is_f64());
    }
}

#[test]
fn one_outstanding_of_more_than_is_served_is_a_closed_loop_of_one_slot() {
    let open = format!("{}\noutstanding = 1", poisson(3.0));
    let closed = "arrivals = { process = \"closed\", queue_depth = 1 }";
    let [open, closed] = [open.as_str(), closed].map(|keys| {
        let text = system("20 s", &load("load", "disk", keys));
        summary(&text, 1).iops
    });
    // At the beginning of the run the open stream waits for its first arrival; from then on both streams issue a
    // request when they have their answer.
    assert_near("I/Os per second", open, closed, 1e-3);
}

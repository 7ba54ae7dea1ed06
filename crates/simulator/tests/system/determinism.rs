//! Determinism: the same scenario and seed give the same bytes, with any observer; another seed gives other bytes where there are
//! random numbers; and the random numbers of one component do not depend on other components.

use crate::common::{load, run_with, spent};
use sansim_kernel::Time;
use sansim_observe::observer::{Observer, WantedCalls};
use sansim_pdu::PortSight;
use sansim_request::Requests;
use sansim_scenario::Scenario;
use sansim_simulator::summary::Summary;
use sansim_simulator::{
    RunFlow, RunOptions, build,
    run::{RecordingOptions, RunResult},
};

const BASE: &str = "scenarios/wang-2005-base.toml";
/// A run with random directions, random choice of the drive and random access times.
const RANDOM: [&str; 5] = [
    "run.measured_ios=800",
    "workload.size=8 KiB",
    "workload.read_fraction=0.66",
    "workload.queue_depth_per=all",
    "workload.queue_depth=20",
];
const ACCESS: &str = "drives.access_time={ distribution = \"exponential\", mean = \"2 ms\" }";

fn random_set<'a>(more: &[&'a str]) -> Vec<&'a str> {
    RANDOM.iter().copied().chain([ACCESS]).chain(more.iter().copied()).collect()
}

fn bytes(summary: &Summary) -> String {
    serde_json::to_string(summary).expect("a summary is JSON")
}

fn with_seed(seed: Option<u64>) -> Summary {
    run_with(BASE, &random_set(&[]), &RunOptions { seed, ..RunOptions::default() }).summary
}

#[derive(Default)]
struct Counting(u64);

impl Observer for Counting {
    fn wants(&self) -> WantedCalls {
        WantedCalls { ports: true, repeaters: true, ..WantedCalls::default() }
    }

    fn at_port(&mut self, _now: Time, _station: usize, _what: PortSight, _requests: &Requests) {
        self.0 += 1;
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    assert_eq!(bytes(&with_seed(None)), bytes(&with_seed(None)));
    assert_eq!(bytes(&with_seed(Some(1))), bytes(&with_seed(None)), "the seed of the file is 1");
}

/// The output of the second process of the next test.
#[test]
#[ignore = "called by another test"]
fn print_the_bytes() {
    println!("{}", bytes(&with_seed(None)));
}

#[test]
fn another_process_gives_the_same_bytes() {
    let this = std::env::current_exe().expect("a path");
    let other = std::process::Command::new(this)
        .args(["--exact", "determinism::print_the_bytes", "--ignored", "--nocapture"])
        .output()
        .expect("this very program runs");
    let printed = String::from_utf8(other.stdout).expect("text");
    assert!(printed.contains(&bytes(&with_seed(None))), "{printed}");
}

#[test]
fn an_observer_changes_nothing() {
    let plan = build::plan_system(&load(BASE, &random_set(&[])), None, Default::default());
    let (watched, observer) =
        crate::common::watched(&plan, RecordingOptions::default(), Counting::default()).expect("it ends");
    assert!(observer.0 > 10_000, "{} observations", observer.0);
    assert_eq!(bytes(&watched.summary), bytes(&with_seed(None)));
}

#[test]
fn keeping_the_ios_changes_nothing() {
    let options = RunOptions { recording: RecordingOptions::IOS, ..RunOptions::default() };
    let kept = run_with(BASE, &random_set(&[]), &options);
    assert_eq!(kept.ios.len() as u64, kept.summary.ios);
    assert_eq!(bytes(&kept.summary), bytes(&with_seed(None)));
}

#[test]
fn another_seed_gives_other_numbers_where_chance_has_a_part() {
    assert_ne!(with_seed(Some(1)).response_time_ns.mean, with_seed(Some(2)).response_time_ns.mean);
    // Pure reads with fixed times have no randomness.
    let fixed = |seed| {
        let options = RunOptions { seed: Some(seed), ..RunOptions::default() };
        let mut summary = run_with(BASE, &["run.measured_ios=200"], &options).summary;
        summary.seed = 0;
        bytes(&summary)
    };
    assert_eq!(fixed(1), fixed(2));
}

/// Two groups of a drive, each with a workload of its own and one I/O at a time, so that the order in which a stream is used
/// is the order of the I/Os.
fn two_groups(stations: &str, more: &str) -> RunResult {
    let text = format!(
        r#"
        [run]
        measured_ios = 300
        warm_up = 0
        [loop]
        kind = "arbitrated-loop"
        speed = "2GFC"
        stations = {stations}
        [controller]
        kind = "host"
        [first]
        kind = "drives"
        model = "disk"
        access_time = {{ distribution = "exponential", mean = "1 ms" }}
        transfer_rate = "50 MiB/s"
        [first-load]
        kind = "closed"
        from = "controller"
        to = "first"
        size = "4 KiB"
        read_fraction = 0.5
        {more}
        "#
    );
    let scenario = Scenario::parse_text(&text, "two groups").unwrap_or_else(|report| panic!("{report}"));
    let options = RunOptions { recording: RecordingOptions::IOS, ..RunOptions::default() };
    sansim_simulator::run(&scenario, &options, &mut |_| RunFlow::Continue).expect("no files")
}

/// The random outcomes for the I/Os of the first workload: direction and access time, as far as both runs
/// reach.
fn decided(result: &RunResult) -> Vec<(bool, f64)> {
    let RunResult { ios, names, .. } = result;
    let first = ios
        .rows
        .iter()
        .enumerate()
        .filter(|(_, io)| names.workloads[io.workload as usize].name == "first-load");
    // The access time counts from the receipt of the command; its first microseconds are in other segments.
    let access = |number| spent(ios.dwells_of_io(number), names, "first.access").as_ns_f64();
    first.map(|(number, io)| (io.is_write(), access(number))).collect()
}

#[test]
fn what_chance_gives_to_a_component_does_not_depend_on_the_others() {
    let alone = decided(&two_groups(r#"["controller", "first"]"#, ""));
    let passive = "[spare]\nkind = \"passive\"\ncount = 9";
    let second = "[second]\nkind = \"drives\"\nmodel = \"disk\"\n\
                  access_time = { distribution = \"exponential\", mean = \"1 ms\" }\ntransfer_rate = \"50 MiB/s\"\n\
                  [second-load]\nkind = \"closed\"\nfrom = \"controller\"\nto = \"second\"\nsize = \"4 KiB\"\n";
    for (stations, more) in [
        (r#"["controller", "first", "spare"]"#, passive),
        (r#"["controller", "spare", "first"]"#, passive),
        (r#"["controller", "first", "second"]"#, second),
        (r#"["controller", "second", "first"]"#, second),
    ] {
        let together = decided(&two_groups(stations, more));
        assert!(together.len() > 100, "{}", together.len());
        for (number, (with, without)) in together.iter().zip(&alone).enumerate() {
            assert_eq!(with.0, without.0, "direction of I/O {number} with {stations}");
            // The difference is within the time of the command's path through the adapter.
            assert!(
                (with.1 - without.1).abs() < 20_000.0,
                "access of I/O {number} with {stations}: {with:?} {without:?}"
            );
        }
    }
}

#[test]
fn the_automatic_rule_cuts_a_transient_and_little_else() {
    // All requests of a deep queue come at once: the first hundred find more and more requests before them, then
    // all wait equally long.
    let sets = |warm_up| {
        [
            "run.measured_ios=2000",
            "drives.count=1",
            "workload.size=2 KiB",
            "workload.queue_depth=100",
            warm_up,
        ]
    };
    let automatic = run_with(BASE, &sets("run.warm_up=auto"), &RunOptions::default()).summary;
    let thesis = run_with(BASE, &sets("run.warm_up=10"), &RunOptions::default()).summary;
    let everything = run_with(BASE, &sets("run.warm_up=0"), &RunOptions::default()).summary;
    println!(
        "cut {} I/Os; means automatic {:.0}, after ten per slot {:.0}, nothing left out {:.0} ns",
        automatic.warm_up_ios,
        automatic.response_time_ns.mean,
        thesis.response_time_ns.mean,
        everything.response_time_ns.mean
    );
    assert!((90..=110).contains(&automatic.warm_up_ios), "cut {} I/Os", automatic.warm_up_ios);
    let off = |summary: &Summary| (summary.response_time_ns.mean / thesis.response_time_ns.mean - 1.0).abs();
    assert!(off(&automatic) < 0.001, "{}", off(&automatic));
    assert!(off(&everything) > 0.01, "{}", off(&everything));
}

#[test]
fn the_automatic_rule_leaves_a_steady_run_alone() {
    let sets = ["run.measured_ios=400", "run.warm_up=auto", "drives.count=1", "workload.size=2 KiB"];
    let summary = run_with(BASE, &sets, &RunOptions::default()).summary;
    assert!(summary.warm_up_ios < 40, "cut {} I/Os", summary.warm_up_ios);
}

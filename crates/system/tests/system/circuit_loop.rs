//! Loops that carry circuits (`fidelity = "circuit"`) against the same loops in words.
//!
//! `cargo test -p sansim-system --test system -- circuit_loop:: --nocapture` prints the errors; docs/model/circuit-loop.md has them as a table.

use crate::common::text::{assert_same, run, scenario};
use sansim_observe::observers::Watch;
use sansim_observe::timeline::TimelineOptions;
use sansim_system::run::Recording;
use sansim_system::{Flow, RunOptions, RunResult};

/// What is different from case to case.
#[derive(Clone, Debug)]
struct Case {
    speed: &'static str,
    drives: u32,
    depth: u32,
    size: &'static str,
    reads: f64,
    cable: &'static str,
    ios: u64,
    more: &'static str,
    host: &'static str,
    drive: &'static str,
    medium: &'static str,
}

const ALONE: Case = Case {
    speed: "2GFC",
    drives: 1,
    depth: 1,
    size: "4 KiB",
    reads: 1.0,
    cable: "0 m",
    ios: 50,
    more: "",
    host: "",
    drive: "",
    medium: "model = \"ram\"\ntransfer_rate = \"1 TB/s\"",
};

impl Case {
    fn text(&self, fidelity: &str) -> String {
        let Case { speed, drives, depth, size, reads, cable, ios, more, host, drive, medium } = self;
        format!(
            "[run]\nmeasured_ios = {ios}\nwarm_up = 2\n\
             [loop]\nkind = \"arbitrated-loop\"\nspeed = \"{speed}\"\ncable = \"{cable}\"\nfidelity = \"{fidelity}\"\n\
             stations = [\"host\", \"drives\"]\n{more}\n\
             [host]\nkind = \"host\"\nadapter.dma_bandwidth = \"1064 MB/s\"\n{host}\n\
             [drives]\nkind = \"drives\"\ncount = {drives}\nadapter.dma_bandwidth = \"1064 MB/s\"\n{medium}\n{drive}\n\
             [load]\nkind = \"closed\"\nfrom = \"host\"\nto = \"drives\"\nsize = \"{size}\"\nread_fraction = {reads:?}\nqueue_depth = {depth}\n"
        )
    }

    fn both(&self) -> [RunResult; 2] {
        ["words", "circuit"].map(|fidelity| run(&self.text(fidelity)))
    }
}

fn mean(result: &RunResult) -> f64 {
    result.summary.response_time_ns.figure.mean
}

fn used(result: &RunResult) -> f64 {
    let mut components = result.summary.components.0.iter();
    components.find(|(name, _)| name == "loop").and_then(|(_, of)| of.get("utilisation")).expect("a loop")
}

/// Errors of I/Os per second and of the mean response time, as shares.
fn errors([words, circuit]: &[RunResult; 2]) -> (f64, f64) {
    (circuit.summary.iops / words.summary.iops - 1.0, mean(circuit) / mean(words) - 1.0)
}

/// Checks that both errors of a case are within a tolerance.
fn assert_within(case: &Case, tolerance: f64) {
    let both = case.both();
    let (iops, response) = errors(&both);
    println!("{:>+7.2} % {:>+7.2} %  of {tolerance} in {case:?}", 100.0 * iops, 100.0 * response);
    assert!(iops.abs() <= tolerance && response.abs() <= tolerance, "{iops:+.4} {response:+.4} in {case:?}");
    assert!((used(&both[0]) - used(&both[1])).abs() <= tolerance, "utilisation in {case:?}");
    assert!(both.iter().all(|one| used(one) <= 1.0), "{case:?}");
}

const DISK: &str = "model = \"disk\"\ntransfer_rate = \"40 MB/s\"\naccess_time = \"5 ms\"";
const FULL_DUPLEX: &str = "port.full_duplex = true";
const DYNAMIC: &str = "port.dynamic_half_duplex = true";
const CREDIT: &str = "port.login_credit = 2\nport.incoming_buffers = 4";
const UNFAIR: &str = "schedule = \"unfair\"";
const COMMAND_FIRST: &str = "schedule = \"command-first\"";

/// One I/O alone, in words of the loop.
#[test]
fn an_io_alone_on_an_idle_loop_takes_as_long_to_the_tick() {
    for (speed, buffers) in [("1GFC", 3), ("2GFC", 1), ("2GFC", 3), ("4GFC", 8), ("8GFC", 2)] {
        for reads in [1.0, 0.0] {
            for size in ["512 B", "2 KiB", "4 KiB", "64 KiB", "1 MiB"] {
                for cable in ["0 m", "10 m", "1 km"] {
                    let port = format!("port.incoming_buffers = {buffers}");
                    let port = port.as_str();
                    let case = Case { speed, reads, size, cable, ios: 5, ..ALONE };
                    let text = |fidelity| {
                        case.text(fidelity)
                            .replace("kind = \"drives\"", &format!("kind = \"drives\"\n{port}"))
                    };
                    let [words, circuit] = ["words", "circuit"].map(|fidelity| mean(&run(&text(fidelity))));
                    assert!(
                        (words - circuit).abs() < 0.01,
                        "{words} and {circuit} ns with {port} in {case:?}"
                    );
                }
            }
        }
    }
}

/// An IDLE that has to wait for the end of a frame may come in two words later than the closed form says.
#[test]
fn with_login_credit_an_io_alone_is_off_by_four_words_at_most() {
    let word = 40.0 / 2.125;
    for reads in [1.0, 0.0] {
        for size in ["512 B", "4 KiB", "64 KiB", "1 MiB"] {
            for cable in ["0 m", "100 m", "1 km"] {
                let port = "port.login_credit = 3";
                let case = Case { reads, size, cable, host: port, drive: port, ..ALONE };
                let [words, circuit] = case.both().map(|result| mean(&result));
                assert!((words - circuit).abs() <= 4.01 * word, "{words} and {circuit} ns in {case:?}");
            }
        }
    }
}

/// The tolerances of docs/model/circuit-loop.md: who goes first without access windows.
#[test]
fn without_fairness_a_loop_under_any_load_is_off_by_half_a_percent_at_most() {
    for host in [UNFAIR, COMMAND_FIRST] {
        for (drives, depth) in [(1, 8), (8, 1), (8, 8), (60, 2)] {
            for (size, reads) in [("4 KiB", 1.0), ("4 KiB", 0.0), ("64 KiB", 0.5), ("256 KiB", 1.0)] {
                let case = Case { host, drives, depth, size, reads, ios: 600, cable: "10 m", ..ALONE };
                assert_within(&case, 0.005);
            }
        }
    }
}

/// The same: sequences that are long compared with what is around them.
#[test]
fn with_large_requests_a_loop_under_any_load_is_off_by_four_percent_at_most() {
    for (speed, port, cable) in [
        ("1GFC", "", "0 m"),
        ("2GFC", "", "1 km"),
        ("2GFC", CREDIT, "10 m"),
        ("4GFC", DYNAMIC, "10 m"),
        ("4GFC", "", "100 m"),
    ] {
        for medium in [ALONE.medium, DISK] {
            for (drives, depth, reads) in [(1, 4, 1.0), (8, 1, 0.0), (8, 8, 0.5), (60, 2, 1.0)] {
                let (host, drive, size) = (port, port, "64 KiB");
                let case =
                    Case { speed, host, drive, cable, medium, drives, depth, reads, size, ios: 600, ..ALONE };
                assert_within(&case, 0.04);
            }
        }
    }
}

/// The same: little is going on at a time.
#[test]
fn a_loop_that_is_hardly_used_is_off_by_two_thousandths_at_most() {
    for port in ["", CREDIT, FULL_DUPLEX, DYNAMIC] {
        for (drives, size, reads) in
            [(1, "4 KiB", 1.0), (8, "4 KiB", 0.5), (1, "64 KiB", 0.0), (8, "64 KiB", 0.5)]
        {
            let (host, drive) = (port, port);
            let case =
                Case { host, drive, drives, size, reads, medium: DISK, cable: "10 m", ios: 600, ..ALONE };
            assert_within(&case, 0.002);
        }
    }
}

#[test]
fn a_loop_carries_no_more_than_its_bytes_over_its_rate() {
    for (speed, bytes_per_s) in [("1GFC", 106.25e6), ("2GFC", 212.5e6), ("4GFC", 425e6), ("8GFC", 850e6)] {
        // 2048 bytes in 527 words of four.
        let most = bytes_per_s * 2048.0 / (527.0 * 4.0);
        let mut before = 0.0;
        for depth in [1, 4] {
            let case = Case { speed, depth, size: "256 KiB", ios: 200, ..ALONE };
            let carried = run(&case.text("circuit")).summary.bytes_per_second;
            assert!(carried <= most * 1.0001 && carried > before, "{carried} of {most} at {speed}");
            before = carried;
        }
    }
}

#[test]
fn a_faster_link_and_a_shorter_loop_are_never_slower() {
    let iops = |case: &Case| run(&case.text("circuit")).summary.iops;
    for reads in [1.0, 0.0] {
        let case = Case { drives: 8, depth: 2, reads, size: "64 KiB", ios: 400, cable: "100 m", ..ALONE };
        let by_speed = ["1GFC", "2GFC", "4GFC", "8GFC"].map(|speed| iops(&Case { speed, ..case.clone() }));
        assert!(by_speed.windows(2).all(|two| two[0] < two[1]), "{by_speed:?}");
        let by_length = ["1 km", "100 m", "0 m"].map(|cable| iops(&Case { cable, ..case.clone() }));
        assert!(by_length.windows(2).all(|two| two[0] < two[1]), "{by_length:?}");
    }
}

#[test]
fn an_io_costs_as_many_events_whatever_its_size() {
    let events = |size| {
        let case = Case { size, ios: 1000, ..ALONE };
        run(&case.text("circuit")).run.events as f64 / 1004.0
    };
    let (small, large) = (events("4 KiB"), events("16 MiB"));
    // One longer than the outgoing FIFO has one event more, by which the target learns that its last frame has room there.
    assert!((large - small).abs() < 1.1 && large < 20.0, "{small} and {large} events an I/O");
}

#[test]
fn the_same_seed_gives_the_same_result() {
    let case = Case { drives: 8, depth: 4, reads: 0.5, size: "64 KiB", ios: 500, medium: DISK, ..ALONE };
    let text = case.text("circuit");
    assert_same(&run(&text), &run(&text));
}

#[test]
fn a_result_says_which_networks_were_simulated_so_and_what_error_that_makes() {
    let case = Case { drives: 4, depth: 4, reads: 0.5, size: "64 KiB", ios: 500, medium: DISK, ..ALONE };
    let [words, circuit] = case.both();
    assert!(words.summary.fidelity.is_none());
    let coarse = circuit.summary.fidelity.expect("it is said");
    assert_eq!(coarse.circuit, ["loop"]);
    let check = coarse.cross_check.expect("a second by default");
    assert!(check.simulated_s > 0.5 && check.ios > 100, "{check:?}");
    for error in [check.iops_error, check.response_time_error, check.utilisation_error] {
        assert!(error.is_some_and(|error| error.abs() < 0.02), "{check:?}");
    }
    let without = case.text("circuit").replace("[run]", "[run]\ncross_check = \"none\"");
    assert!(run(&without).summary.fidelity.is_some_and(|coarse| coarse.cross_check.is_none()));
}

#[test]
fn a_cross_check_finds_the_error_that_a_whole_run_has() {
    // Small writes of many slots under fairness, which a circuit at a time does not bunch up as words do.
    let case = Case { drives: 8, depth: 8, reads: 0.0, ios: 20_000, cable: "10 m", ..ALONE };
    let both = case.both();
    let (iops, _) = errors(&both);
    let [_, circuit] = both;
    let check = circuit.summary.fidelity.and_then(|coarse| coarse.cross_check).expect("it is made");
    let told = check.iops_error.expect("there are I/Os");
    assert!(iops < -0.05 && (told - iops).abs() < 0.05, "{iops} in the run, {told} told");
}

#[test]
fn what_needs_words_is_refused_with_what_to_do() {
    let scenario = scenario(&ALONE.text("circuit"));
    let file = std::env::temp_dir().join("sansim-circuit-loop.perfetto-trace");
    let watch = Watch { timeline: Some((file.clone(), TimelineOptions::default())), ..Watch::default() };
    let options = RunOptions { watch, ..RunOptions::default() };
    let error =
        sansim_system::run(&scenario, &options, &mut |_| Flow::Continue).expect_err("nothing to be seen");
    let text = error.to_string();
    assert!(text.contains("a timeline needs fidelity = \"words\" of `loop`"), "{text}");
    assert!(!file.exists());
}

/// So that a run folder can be kept of any run, and a report made of it.
#[test]
fn tables_of_a_loop_in_circuits_are_those_of_any_run_but_for_tenancies_that_it_has_not() {
    let scenario = scenario(&ALONE.text("circuit"));
    let recording = Recording::IOS;
    let run = |tables: bool| {
        let watch = Watch { tenancies: tables, paths: tables, ..Watch::default() };
        let options = RunOptions { recording, watch, ..RunOptions::default() };
        sansim_system::run(&scenario, &options, &mut |_| Flow::Continue).expect("a run")
    };
    let (with, without) = (run(true), run(false));
    assert!(with.tenancies.is_empty() && !with.paths.is_empty());
    assert_eq!(with.summary.response_time_ns.figure.mean, without.summary.response_time_ns.figure.mean);
    assert_eq!(with.ios.rows.len(), without.ios.rows.len());
}

//! A run that does not end within simulated time is an error, whatever makes it so long, and has no leftovers; no sum of
//! times overflows before.

use crate::common::random;
use proptest::prelude::*;
use sansim_component::NetworkModel;
use sansim_kernel::{Span, Time};
use sansim_observe::observers::WatchOptions;
use sansim_scenario::Scenario;
use sansim_simulator::run::{ObserverWindows, RecordingOptions};
use sansim_simulator::samples::Sampling;
use sansim_simulator::{ClockError, ClockFault, RunError, RunFlow, RunOptions, RunResult};

/// The system is a host and one drive.
const ONE: &str = r#"
    [run]
    measured_ios = 20000
    [loop]
    kind = "arbitrated-loop"
    speed = "4GFC"
    stations = ["controller", "drive"]
    [controller]
    kind = "host"
    [drive]
    kind = "drives"
    access_time = "5 ms"
    transfer_rate = "100 MB/s"
    [load]
    kind = "closed"
    from = "controller"
    to = ["drive"]
    size = "16 KiB"
"#;

fn scenario(text: &str, set: &[(&str, &str)]) -> Scenario {
    let set: Vec<_> = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    Scenario::parse_with(text, "one", &set).unwrap_or_else(|report| panic!("{report}"))
}

fn run(set: &[(&str, &str)], options: &RunOptions) -> Result<RunResult, RunError> {
    sansim_simulator::run(&scenario(ONE, set), options, &mut |_| RunFlow::Continue)
}

fn clock_error(set: &[(&str, &str)], options: &RunOptions) -> ClockError {
    match run(set, options) {
        Err(RunError::Clock(error)) => error,
        Err(error) => panic!("{error}"),
        Ok(result) => panic!("a mean of {} ns", result.summary.response_time_ns.mean),
    }
}

const AN_HOUR: (&str, &str) = ("drive.access_time", "3600 s");
const EXPONENTIAL: (&str, &str) =
    ("drive.access_time", "{ distribution = \"exponential\", mean = \"3600 s\" }");

#[test]
fn a_run_that_outlasts_simulated_time_says_when_how_far_it_came_and_what_to_do() {
    let error = clock_error(&[AN_HOUR], &RunOptions::default());
    assert!(error.at <= Time::HORIZON);
    assert!(matches!(error.fault, ClockFault::Ends { due, .. } if due > Time::HORIZON));
    assert_eq!((error.ios, error.total_ios), (7199, 20_020));
    let text = error.to_string();
    for part in [
        "ends after 300 days",
        "7199 of 20020 I/Os",
        "after 299.9",
        "at `drive[0]`",
        "834 days",
        "run about 7199",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn whatever_takes_so_long_and_whoever_watches_the_run_ends_with_that_error() {
    let recordings = [
        RecordingOptions::default(),
        RecordingOptions { ios: true, sampling: Sampling::Automatic },
        RecordingOptions { ios: true, sampling: Sampling::Every(Span::from_s(3600)) },
    ];
    let causes: [&[(&str, &str)]; 5] = [
        &[AN_HOUR],
        &[EXPONENTIAL],
        &[("load.think_time", "3600 s"), ("run.warm_up", "auto")],
        &[EXPONENTIAL, ("run.measured_ios", "100"), ("run.precision", "0.01 %"), ("load.queue_depth", "3")],
        &[("controller.adapter.command_time", "3600 s"), ("load.read_fraction", "0.5")],
    ];
    for (set, recording) in causes.iter().flat_map(|set| recordings.map(|recording| (set, recording))) {
        for loop_model in [NetworkModel::Fast, NetworkModel::Reference] {
            clock_error(set, &RunOptions { loop_model, recording, ..RunOptions::default() });
        }
    }
}

#[test]
fn a_run_that_ends_in_time_is_right_up_to_the_horizon() {
    let result = run(&[AN_HOUR, ("run.measured_ios", "7100")], &RunOptions::default()).expect("296 days");
    let mean_s = result.summary.response_time_ns.mean / 1e9;
    assert!((3600.0..3600.001).contains(&mean_s), "{mean_s}");
    assert!(result.summary.simulated_s > 295.0 * 86_400.0);
}

#[test]
fn a_drive_that_works_on_thousands_of_commands_is_not_longer_busy_than_it_can_be_counted() {
    // Together the I/Os take 500 days, simulated within an hour.
    let set = [
        AN_HOUR,
        ("drive.concurrency", "12000"),
        ("load.queue_depth", "12000"),
        ("controller.driver.outstanding_limit", "12000"),
        ("run.measured_ios", "12000"),
        ("run.warm_up", "0"),
    ];
    let summary = run(&set, &RunOptions::default()).expect("an hour").summary;
    let components = serde_json::to_value(&summary.components).expect("JSON");
    let utilisation = components["drive"]["utilisation"].as_f64().expect("a number");
    assert!((0.99..1.0).contains(&utilisation), "{utilisation}");
}

#[test]
fn a_run_that_outlasts_simulated_time_leaves_no_file() {
    let folder = std::env::temp_dir().join(format!("sansim-end-of-time-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let watch = WatchOptions {
        tenancies: true,
        paths: true,
        trace: Some((folder.join("trace.txt"), Default::default())),
        capture: Some((folder.join("frames.pcapng"), Default::default())),
        timeline: Some((folder.join("timeline"), Default::default())),
        playback: Some((folder.join("playback"), Default::default())),
        force: false,
    };
    for when in [ObserverWindows::Always, ObserverWindows::Slowest(3)] {
        let options = RunOptions {
            loop_model: NetworkModel::Reference,
            watch: watch.clone(),
            when,
            ..RunOptions::default()
        };
        clock_error(&[AN_HOUR], &options);
        assert_eq!(std::fs::read_dir(&folder).expect("the folder").count(), 0);
    }
    std::fs::remove_dir_all(&folder).expect("the folder is empty");
}

#[test]
fn samples_of_a_long_silence_can_be_interrupted() {
    let recording = RecordingOptions { ios: false, sampling: Sampling::Every(Span::from_ns(1)) };
    let mut looks = 0;
    let options = RunOptions { recording, ..RunOptions::default() };
    let result = sansim_simulator::run(&scenario(ONE, &[AN_HOUR]), &options, &mut |seen| {
        assert_eq!(seen.ios, 0, "it is still within the first hour");
        looks += 1;
        if looks == 3 { RunFlow::Stop } else { RunFlow::Continue }
    });
    let result = result.expect("what there is");
    assert!(result.summary.stopped_early && !result.samples.rows.is_empty());
}

/// The keys that make a system slow, each with its slowest value.
const EXTREMES: [(&str, &str); 21] = [
    ("near.access_time", "3600 s"),
    ("near.access_time", "{ distribution = \"exponential\", mean = \"3600 s\" }"),
    ("near.access_time", "{ distribution = \"normal\", mean = \"3600 s\", deviation = \"3600 s\" }"),
    ("near.transfer_rate", "1 B/s"),
    ("near.transfer_rate", "1 B/s"),
    ("near.adapter.dma_bandwidth", "1 B/s"),
    ("near.adapter.command_time", "3600 s"),
    ("near.adapter.response_time", "3600 s"),
    ("near.adapter.frame_time", "3600 s"),
    ("near.port.delay", "3600 s"),
    ("near.port.cable", "10000 km"),
    ("near.port.frame_reaction", "3600 s"),
    ("loop.propagation", "100 ns/m"),
    ("host.adapter.dma_bandwidth", "1 B/s"),
    ("host.adapter.dma_setup_time", "3600 s"),
    ("host.adapter.message_time", "3600 s"),
    ("host.adapter.xfer_rdy_time", "3600 s"),
    ("host.adapter.single_frame_time", "3600 s"),
    ("host.driver.arrival_time", "3600 s"),
    ("host.driver.completion_time", "3600 s"),
    ("main.think_time", "3600 s"),
];

fn extremes() -> impl Strategy<Value = Vec<(&'static str, &'static str)>> {
    prop::sample::subsequence(EXTREMES.to_vec(), 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(200), max_shrink_iters: 300, ..ProptestConfig::default() })]
    /// Test builds check every sum for overflow, and that all I/Os of a run that ends add up.
    #[test]
    fn no_sum_of_times_overflows_in_the_slowest_systems(
        text in random::scenarios(60), set in extremes(), sampled in any::<bool>(), reference in any::<bool>(),
    ) {
        let sampling = if sampled { Sampling::Automatic } else { Sampling::Off };
        let options = RunOptions {
            loop_model: if reference { NetworkModel::Reference } else { NetworkModel::Fast },
            recording: RecordingOptions { ios: true, sampling },
            ..RunOptions::default()
        };
        match sansim_simulator::run(&scenario(&text, &set), &options, &mut |_| RunFlow::Continue) {
            Ok(result) => prop_assert!(result.ios.rows.iter().all(|io| io.completed <= Time::HORIZON)),
            Err(error) => prop_assert!(matches!(error, RunError::Clock(_)), "{}", error),
        }
    }
}

//! Frame bursts give the same results as single events: every I/O with its ledger, every meter, every sample, over random systems; and
//! frame bursts really carry the frames of systems in which they are possible.

use crate::common::{changed, random};
use proptest::prelude::*;
use sansim_component::ComponentId;
use sansim_component::NetworkModel;
use sansim_fc::arbitrated_loop::fast::circuit_cache::CircuitCounts as Known;
use sansim_kernel::{Span, Time, Total};
use sansim_lookahead::BurstCounts;
use sansim_observe::observer::{Observer, WantedCalls};
use sansim_scenario::Scenario;
use sansim_simulator::counted::IoRecord;
use sansim_simulator::recording::RecordingOptions;
use sansim_simulator::run::{EndedRun, run_plan};
use sansim_simulator::samples::{Sample, Sampling};
use sansim_simulator::simulation::{Balance, Simulation};
use sansim_simulator::{RunFlow, build};
use std::sync::atomic::{AtomicU64, Ordering};

/// All results of a run.
#[derive(Debug, PartialEq)]
struct Seen {
    ios: Vec<(IoRecord, Vec<(u32, Span)>)>,
    samples: Vec<Sample>,
    meters: Vec<Total>,
    busy: Vec<Vec<Total>>,
    balance: Balance,
    ended: Time,
}

/// The steps of a run that were computed instead of simulated by events.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct WorkedOut {
    carried: BurstCounts,
    /// The number of fill words that were passed on at the receiving end of a frame burst.
    passed: u64,
    /// The number of fill words that were answered at the sending end of a frame burst.
    answered: u64,
    /// The number of times that an adapter fetched ahead.
    fetched_ahead: u64,
    /// The counts of circuits that ran from the cache to their end.
    known: Known,
    /// The number of frames on fabrics that left, and that arrived, without a notice to their adapters.
    pub(crate) unnotified: [u64; 2],
}

/// A run whose state is read again and again.
fn run(scenario: &Scenario, model: NetworkModel, looks: Span) -> Result<(Seen, WorkedOut), TestCaseError> {
    let plan = build::plan_system(scenario, None, model);
    let recording = RecordingOptions { ios: true, sampling: Sampling::Every(looks) };
    let mut simulation = Simulation::new(&plan, recording, None);
    while simulation.run_events(1000) {}
    if let Err(error) = simulation.check_conservation(&plan) {
        return Err(TestCaseError::fail(format!("{model:?}: {error}")));
    }
    let names = plan.observer_names();
    let ([passed, answered], fetched_ahead) = simulation.fill_words_passed_in_bursts();
    let (carried, known) = (simulation.burst_counts(), simulation.cached_circuits());
    let unnotified = simulation.frames_without_notice();
    let worked_out = WorkedOut { carried, passed, answered, fetched_ahead, known, unnotified };
    let (ended, balance) = (simulation.now(), *simulation.balance_counts());
    let meters = simulation.meters(ended);
    let busy_of = |(number, blocks): (usize, usize)| {
        (0..blocks).map(|block| simulation.busy_time(ComponentId(number as u32), block)).collect()
    };
    let blocks = names.components.iter().map(|component| component.catalogue.blocks.len());
    let busy = blocks.enumerate().map(busy_of).collect();
    let (measurement, samples) = simulation.into_measurement_and_samples();
    let records = measurement.finish(ended).records;
    let stays = |number| {
        let mut stays: Vec<(u32, Span)> =
            records.dwells_of_io(number).iter().map(|stay| (stay.line.0, stay.spent)).collect();
        stays.sort_unstable_by_key(|&(line, _)| line);
        stays
    };
    let ios = records.rows.iter().enumerate().map(|(number, io)| (*io, stays(number))).collect();
    Ok((Seen { ios, samples: samples.rows, meters, busy, balance, ended }, worked_out))
}

/// Runs a scenario with and without frame bursts; returns the computed steps.
fn check(text: &str) -> Result<WorkedOut, TestCaseError> {
    check_looking(text, Span::from_us(70))
}

/// Checks a scenario whose state is read at these intervals.
pub(crate) fn check_looking(text: &str, looks: Span) -> Result<WorkedOut, TestCaseError> {
    let scenario =
        Scenario::parse_text(text, "random").map_err(|report| TestCaseError::fail(report.to_string()))?;
    compare(&scenario, looks)
}

fn compare(scenario: &Scenario, looks: Span) -> Result<WorkedOut, TestCaseError> {
    let (stepped, none) = run(scenario, NetworkModel::Stepped, looks)?;
    let (fast, worked_out) = run(scenario, NetworkModel::Fast, looks)?;
    prop_assert_eq!(none, WorkedOut::default());
    for (number, (s, f)) in stepped.ios.iter().zip(&fast.ios).enumerate() {
        prop_assert_eq!(s, f, "I/O {}", number);
    }
    for (s, f) in stepped.samples.iter().zip(&fast.samples) {
        prop_assert_eq!(s, f);
    }
    prop_assert_eq!(stepped, fast);
    Ok(worked_out)
}

/// Checks random systems with and without frame bursts; at least one in `one_in` has some.
fn check_many(cases: u32, one_in: u64, scenarios: impl Strategy<Value = String>) {
    let counts = [const { AtomicU64::new(0) }; 6];
    let config = ProptestConfig {
        cases: sansim_trials::case_count(cases),
        max_shrink_iters: 1000,
        ..ProptestConfig::default()
    };
    proptest!(config, |(text in scenarios)| {
        let WorkedOut { carried, passed, answered, fetched_ahead, known, .. } = check(&text)?;
        let seen = [1, carried.trains, passed, answered, fetched_ahead, known.ended];
        for (count, more) in counts.iter().zip(seen) {
            count.fetch_add(u64::from(more > 0), Ordering::Relaxed);
        }
    });
    let [all, with, passed, answered, ahead, known] = counts.map(AtomicU64::into_inner);
    println!(
        "of {all} systems {with} had trains, {passed} fill words passed on and {answered} answered at their ends, \
         {ahead} adapters that fetched ahead, {known} circuits that were known"
    );
    assert!(one_in * with >= all, "{with} of {all} systems had trains");
    // Each shortcut is used often enough for the test to be meaningful.
    let is_judged = |systems: u64| 10 * systems >= all;
    let are_judged = is_judged(passed) && is_judged(answered) && is_judged(ahead) && is_judged(known);
    assert!(all < 1_000 || are_judged, "{passed}, {answered}, {ahead}, {known} of {all} systems");
}

#[test]
fn random_systems_run_the_same_with_and_without_trains() {
    check_many(5_000, 3, random::scenarios(60));
}

#[test]
fn systems_in_which_much_happens_at_one_instant_run_the_same_with_and_without_trains() {
    check_many(600, 2, random::scenarios(60).prop_map(|text| changed::in_step(&text)));
}

#[test]
fn systems_with_many_buffers_large_ios_and_long_ways_run_the_same_with_and_without_trains() {
    let larger = (random::scenarios(20), 1u64..30, 2u64..10, 0u64..9_000);
    let larger =
        larger.prop_map(|(text, buffers, bytes, metres)| changed::larger(&text, buffers, bytes, metres));
    check_many(200, 6, larger);
}

/// Each reading of the state brings all components to its time, so some readings are far apart, also where frames go at the rate of the
/// link, of the receiver or of R_RDYs with a long path.
#[test]
fn systems_that_send_large_ios_at_a_pace_run_the_same_with_and_without_trains() {
    let large = (random::scenarios(12), 4u64..16, prop::sample::select(vec![0u64, 0, 500, 5_000]));
    let large = large.prop_map(|(text, bytes, metres)| changed::at_a_pace(&text, bytes, metres));
    let looks = prop::sample::select(vec![500u64, 20_000]);
    let config = ProptestConfig { cases: 600, max_shrink_iters: 1000, ..ProptestConfig::default() };
    proptest!(config, |(text in large, looks in looks)| {
        check_looking(&text, Span::from_us(looks))?;
    });
}

#[test]
fn systems_whose_adapters_fetch_while_ports_wait_run_the_same_with_and_without_trains() {
    let fetching = (random::scenarios(40), 64u64..200, 8u64..40);
    let fetching = fetching.prop_map(|(text, words, buffers)| changed::fetching(&text, words * 4, buffers));
    check_many(400, 6, fetching);
}

#[test]
fn systems_that_are_measured_for_a_time_run_the_same_with_and_without_trains() {
    let timed = (random::scenarios(60), 0u64..3_000, 100u64..20_000);
    check_many(300, 5, timed.prop_map(|(text, warm_up, duration)| changed::timed(&text, warm_up, duration)));
}

#[test]
fn known_cases_run_the_same_with_and_without_trains() {
    let folder = crate::common::repository("crates/simulator/tests/cases");
    for file in std::fs::read_dir(folder).expect("the folder of cases") {
        let path = file.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("a text file");
        for looks in [70, 20_000] {
            let looks = Span::from_us(looks);
            check_looking(&text, looks).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()));
        }
    }
}

/// Every shipped example is checked, including its traces: two loops, controllers, mirrors, hosts with
/// several paths.
#[test]
fn examples_run_the_same_with_and_without_trains() {
    let mut with = Vec::new();
    for file in std::fs::read_dir(crate::common::repository("scenarios")).expect("the folder of examples") {
        let path = file.expect("a file").path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let set = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let few = [set("run.measured_ios", "300"), set("run.warm_up", "0")];
        let untimed =
            [few.clone(), [set("run.duration", "none"), set("run.functional_warm_up", "none")]].concat();
        let few = if std::fs::read_to_string(&path).expect("a scenario").contains("duration =") {
            untimed
        } else {
            few.to_vec()
        };
        let Ok(scenario) = Scenario::load_file(&path, &few).or_else(|_| Scenario::load_file(&path, &[]))
        else {
            continue;
        };
        let WorkedOut { carried: BurstCounts { trains, .. }, .. } = compare(&scenario, Span::from_us(700))
            .unwrap_or_else(|problem| panic!("{}: {problem}", path.display()));
        with.push((path.file_name().map(std::ffi::OsStr::to_os_string), trains));
    }
    println!("{with:?}");
    assert!(with.iter().filter(|(_, trains)| *trains > 0).count() >= 5, "{with:?}");
}

/// An observer that wants all observations, and ignores them.
struct Onlooker;

impl Observer for Onlooker {
    fn wants(&self) -> WantedCalls {
        WantedCalls { ports: true, repeaters: false, blocks: true, requests: true, gauges: true }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(300), max_shrink_iters: 1000, ..ProptestConfig::default() })]
    #[test]
    fn a_run_says_the_same_whether_anybody_looks_on_or_not(text in random::scenarios(60)) {
        let scenario =
            Scenario::parse_text(&text, "random").map_err(|report| TestCaseError::fail(report.to_string()))?;
        let plan = build::plan_system(&scenario, None, NetworkModel::Fast);
        let json = |ended: &EndedRun| serde_json::to_string(&ended.summary).expect("a summary is JSON");
        let alone = run_plan(&plan, RecordingOptions::IOS, None, &mut |_| RunFlow::Continue).expect("it ends");
        let (seen, Onlooker) = crate::common::watched(&plan, RecordingOptions::IOS, Onlooker).expect("it ends");
        prop_assert_eq!(json(&alone), json(&seen));
        prop_assert_eq!(alone.ios.rows, seen.ios.rows);
    }
}

/// The base system with I/Os of this size. The controller has one frame ready behind the frame that is being sent.
fn base(size: &str, ios: u64, reads: &str) -> Scenario {
    with_frames_ready(size, ios, reads, "1")
}

/// The base system with this number of frames ready.
fn with_frames_ready(size: &str, ios: u64, reads: &str, frames: &str) -> Scenario {
    let set = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let set = [
        set("workload.size", size),
        set("workload.read_fraction", reads),
        set("run.measured_ios", &ios.to_string()),
        set("run.warm_up", "0"),
        set("controller.adapter.outgoing_buffers", frames),
    ];
    Scenario::load_file(crate::common::repository("scenarios/wang-2005-base.toml").as_path(), &set)
        .expect("a scenario")
}

#[test]
fn trains_of_thousands_of_frames_are_their_frames() {
    for (reads, ready, least) in [("1.0", "1", 1_000.0), ("0.0", "1", 100.0), ("0.0", "16", 100.0)] {
        let scenario = with_frames_ready("16 MiB", 20, reads, ready);
        let WorkedOut { carried: BurstCounts { trains, frames, .. }, .. } =
            compare(&scenario, Span::from_ms(50)).expect("the same");
        let each = frames as f64 / trains as f64;
        let told = format!("read fraction {reads}, {ready} ready: {trains} trains of {each:.0} frames");
        println!("{told}");
        assert!(frames > 150_000 && each > least, "{told}");
    }
}

#[test]
fn meters_read_in_the_middle_of_a_run_are_the_same_with_and_without_trains() {
    let scenario = base("64 KiB", 300, "0.5");
    let simulation = |model| {
        Simulation::new(&build::plan_system(&scenario, None, model), RecordingOptions::default(), None)
    };
    let (mut stepped, mut fast) = (simulation(NetworkModel::Stepped), simulation(NetworkModel::Fast));
    let meters_at = |simulation: &mut Simulation, at: Time| {
        while simulation.next_event().is_some_and(|next| next < at) {
            simulation.run_events(1);
        }
        simulation.meters(at)
    };
    for look in 1..1000 {
        let at = Time::ZERO + Span::from_us(113) * look;
        assert_eq!(meters_at(&mut stepped, at), meters_at(&mut fast, at), "at {at}");
    }
    assert!(fast.burst_counts().trains > 500, "{:?}", fast.burst_counts());
}

/// The costs of I/Os of this size on the base system: events per I/O, and the share of its data frames in
/// frame bursts.
fn cost(size: &str, ios: u64, reads: &str) -> (f64, f64) {
    let plan = build::plan_system(&base(size, ios, reads), None, NetworkModel::Fast);
    let mut simulation = Simulation::new(&plan, RecordingOptions::default(), None);
    while simulation.run_events(1000) {}
    let bytes = simulation.balance_counts().data_completed as f64;
    let BurstCounts { frames, .. } = simulation.burst_counts();
    (
        simulation.event_count() as f64 / simulation.balance_counts().completed as f64,
        frames as f64 * 2048.0 / bytes,
    )
}

#[test]
fn the_events_of_an_io_do_not_grow_with_the_number_of_its_frames() {
    let (small, in_trains) = cost("64 KiB", 200, "1.0");
    let (large, of_large) = cost("16 MiB", 200, "1.0");
    println!("64 KiB: {small:.0} events, {in_trains:.3} in trains; 16 MiB: {large:.0} events, {of_large:.5}");
    assert!(large <= 1.1 * small, "{small:.0} events for 64 KiB, {large:.0} for 16 MiB");
    // Fourteen of the frames that wait for the loop are fetched without an event.
    assert!(small < 68.0, "{small:.0} events for 64 KiB");
    assert!(in_trains > 0.85 && of_large > 0.999, "{in_trains:.3} and {of_large:.5} of the frames in trains");
}

/// When a frame starts no other frame is in the queue: the next is fetched while it is being sent.
#[test]
fn frames_that_are_made_on_the_fly_go_in_trains() {
    let (events, in_trains) = cost("64 KiB", 300, "0.0");
    println!("{events:.0} events for a write, {in_trains:.3} of its frames in trains");
    assert!(events < 101.0 && in_trains > 0.85, "{events:.0} events, {in_trains:.3} in trains");
}

/// Checks a property that both loops could violate: the next frame is fetched in time as long as fetching takes less time than sending,
/// however few frames are ready; where it takes more time, the DMA has to fetch all frames one after the other, and more room never makes
/// that later.
#[test]
fn a_write_alone_is_later_for_few_frames_ready_only_where_fetching_one_takes_longer_than_sending_it() {
    let response_ns = |ready: &str, bandwidth: &str, model| {
        let set = [
            ("drives.count", "2"),
            ("workload.queue_depth_per", "all"),
            ("workload.read_fraction", "0.0"),
            ("run.measured_ios", "20"),
            ("run.warm_up", "0"),
            ("controller.adapter.outgoing_buffers", ready),
            ("controller.adapter.dma_bandwidth", bandwidth),
        ];
        let set = set.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let scenario =
            Scenario::load_file(crate::common::repository("scenarios/wang-2005-base.toml").as_path(), &set)
                .expect("a scenario");
        let plan = build::plan_system(&scenario, None, model);
        let ended =
            run_plan(&plan, RecordingOptions::default(), None, &mut |_| RunFlow::Continue).expect("it ends");
        ended.summary.response_time_ns.mean
    };
    for model in [NetworkModel::Fast, NetworkModel::Reference] {
        // Fetching 2048 bytes takes 1.9 us and then 20.5 us; a frame of 527 words takes 10.0 us.
        let fast = ["1", "2", "16"].map(|ready| response_ns(ready, "1064 MB/s", model));
        assert!(fast.iter().all(|one| *one == fast[0]), "{model:?}: {fast:?}");
        let slow = ["1", "2", "16"].map(|ready| response_ns(ready, "100 MB/s", model));
        println!("{model:?}: {fast:?} and {slow:?}");
        assert!(slow[0] >= slow[1] && slow[1] >= slow[2], "{model:?}: {slow:?}");
        assert!(slow[2] >= 32.0 * 20_480.0 && slow[0] > fast[0] + 30.0 * 10_000.0, "{model:?}: {slow:?}");
    }
}

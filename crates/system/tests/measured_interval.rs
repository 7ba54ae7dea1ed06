//! What is measured when warm-up and length are simulated times: what completes from the one moment to the other, to the tick.

mod common;

use common::{load, run_with};
use sansim_fc::arbitrated_loop::LoopModel;
use sansim_kernel::{Span, Time};
use sansim_observe::observer::NoObserver;
use sansim_observe::observers::Watch;
use sansim_scenario::{Run, WarmUp};
use sansim_system::counted::IoRecord;
use sansim_system::plan::Plan;
use sansim_system::run::{Ended, Recording, run_plan};
use sansim_system::samples::Sampling;
use sansim_system::summary::{Component, Summary};
use sansim_system::usage::{LoopUse, NodeUse};
use sansim_system::{Flow, RunOptions, build, run};

const BASE: &str = "scenarios/wang-2005-base.toml";
const SIZE: &str = "workload.size=4 KiB";
const MIXTURE: &str = "workload.read_fraction=0.66";
const NO_NUMBER: &str = "run.measured_ios=none";

fn run_of(plan: &Plan) -> Ended {
    let recording = Recording { ios: true, sampling: Sampling::Every(Span::from_ms(10)) };
    run_plan(plan, recording, NoObserver, &mut |_| Flow::Continue).expect("it ends").0
}

/// All I/Os of a run that is longer than what the tests look at.
fn everything(plan: &Plan) -> Ended {
    let (warm_up, measured_ios) = (WarmUp::IosPerSlot(0), Some(3_000));
    let run = Run { warm_up, measured_ios, duration: None, precision: None, ..plan.run };
    run_of(&Plan { run, ..plan.clone() })
}

fn plan(set: &[&str]) -> Plan {
    build::plan(&load(BASE, set), None, LoopModel::Fast)
}

fn numbers<'a>(ios: impl IntoIterator<Item = &'a IoRecord>) -> Vec<u64> {
    ios.into_iter().map(|io| io.io).collect()
}

#[test]
fn between_two_times_counts_what_completes_between_them() {
    let timed = plan(&[SIZE, MIXTURE, "run.warm_up=20 ms", "run.duration=150 ms", NO_NUMBER]);
    let (all, ended) = (everything(&timed), run_of(&timed));
    let [from, to] = [20, 170].map(|ms| Time::ZERO + Span::from_ms(ms));
    let within: Vec<&IoRecord> = all.ios.iter().filter(|io| (from..to).contains(&io.completed)).collect();
    let before = all.ios.iter().filter(|io| io.completed < from).count();
    assert!(within.len() > 500 && before > 50);
    assert_eq!(numbers(&ended.ios), numbers(within.iter().copied()));
    let summary = &ended.summary;
    assert_eq!((summary.ios, summary.warm_up_ios), (within.len() as u64, before as u64));
    assert_eq!((summary.simulated_s, ended.measured.opened, ended.measured.closed), (0.15, from, to));
    assert_eq!(summary.iops, within.len() as f64 / 0.15);
    let bytes: u64 = within.iter().map(|io| io.bytes).sum();
    assert_eq!(summary.bytes_per_second, bytes as f64 / 0.15);
    assert_eq!(summary.statistics.warm_up.rule, "until 20 ms");
    // Utilisation is that of the same interval, which samples at its ends know, too.
    let at = |time: Time| all.samples.iter().find(|sample| sample.at == time).expect("a sample");
    let used = at(to).loop_use - at(from).loop_use;
    let Some(Component::ArbitratedLoop { utilisation, owned, tenancies, frames, .. }) =
        summary.components.0.iter().map(|(_, component)| component).next()
    else {
        panic!("a loop")
    };
    assert_eq!((*utilisation, *owned), (used.carrying.as_s_f64() / 0.15, used.owned.as_s_f64() / 0.15));
    let count = |count: fn(&LoopUse) -> u64| count(&at(to).loop_use) - count(&at(from).loop_use);
    assert_eq!((*tenancies, *frames), (count(|used| used.tenancies), count(|used| used.frame_count)));
}

#[test]
fn blocks_are_as_busy_as_they_were_between_the_two_ends_of_the_measured_interval() {
    // Every block takes another time; I/Os go to any of the drives, which work on two commands.
    let set = [
        SIZE,
        MIXTURE,
        "run.warm_up=20 ms",
        "run.duration=150 ms",
        NO_NUMBER,
        "drives.count=3",
        "drives.concurrency=2",
        "workload.queue_depth=5",
        "workload.queue_depth_per=all",
        "controller.adapter.single_frame_time=210 us",
    ];
    let timed = plan(&set);
    let (all, ended) = (everything(&timed), run_of(&timed));
    let at = |ms: u64| all.samples.iter().find(|s| s.at == Time::ZERO + Span::from_ms(ms)).expect("a sample");
    let (start, end) = (&at(20).node_use, &at(170).node_use);
    let share = |station: usize, of: fn(&NodeUse) -> f64| (of(&end[station]) - of(&start[station])) / 0.15;
    let same = |what: &str, found: f64, expected: f64| {
        assert!((found - expected).abs() < 1e-9 && found > 0.0, "{what}: {found}, {expected}");
    };
    let blocks: [fn(&NodeUse) -> f64; 4] = [
        |node| node.processor.as_s_f64(),
        |node| node.dma.as_s_f64(),
        |node| node.incoming.as_s_f64(),
        |node| node.single_frame.as_s_f64(),
    ];
    let components = &ended.summary.components;
    let Some(&Component::Host { utilisation, processor, dma, incoming, single_frame }) =
        components.get("controller")
    else {
        panic!("a controller")
    };
    let found = [processor, dma, incoming, single_frame];
    for (block, found) in found.into_iter().enumerate() {
        same(&format!("block {block} of the controller"), found, share(0, blocks[block]));
    }
    assert_eq!(utilisation, found.into_iter().fold(0.0, f64::max), "the busiest of {found:?}");
    let Some(Component::Drives {
        utilisation,
        utilisation_min,
        utilisation_max,
        occupied,
        occupied_min,
        occupied_max,
        count,
        processor,
        dma,
        incoming,
        single_frame,
    }) = components.get("drives")
    else {
        panic!("drives")
    };
    assert_eq!(*count, 3);
    let of_drives = |of: fn(&NodeUse) -> f64| [1, 2, 3].map(|station| share(station, of));
    let mean = |shares: [f64; 3]| shares.iter().sum::<f64>() / 3.0;
    for (block, found) in [processor, dma, incoming, single_frame].into_iter().enumerate() {
        same(&format!("block {block} of the drives"), *found, mean(of_drives(blocks[block])));
    }
    // Samples say of drives what they do per command they may work on.
    let busy = of_drives(|node| node.drive.as_s_f64());
    let taken = of_drives(|node| node.occupied.as_s_f64());
    for (shares, [found, least, most]) in [
        (busy, [utilisation, utilisation_min, utilisation_max]),
        (taken, [occupied, occupied_min, occupied_max]),
    ] {
        same("mean of the drives", *found, mean(shares));
        same("least used drive", *least, shares.into_iter().fold(f64::INFINITY, f64::min));
        same("most used drive", *most, shares.into_iter().fold(0.0, f64::max));
        assert!(least < found && found < most && *most <= 1.0, "{shares:?}");
    }
}

#[test]
fn what_completes_at_an_edge_is_in_the_interval_that_begins_there() {
    let base = plan(&[SIZE]);
    let all = everything(&base).ios;
    let since_start = |io: &IoRecord| io.completed - Time::ZERO;
    let (first, last) = (&all[100], &all[400]);
    let between = Run { duration: Some(last.completed - first.completed), measured_ios: None, ..base.run };
    let from = |warm_up: Span| Run { warm_up: WarmUp::Until(warm_up), ..between };
    let ended = run_of(&Plan { run: from(since_start(first)), ..base.clone() });
    let expected = all.iter().filter(|io| io.completed >= first.completed && io.completed < last.completed);
    assert_eq!(numbers(&ended.ios), numbers(expected));
    assert!(numbers(&ended.ios).contains(&first.io) && !numbers(&ended.ios).contains(&last.io));
    // A tick later it is the other way round.
    let later = run_of(&Plan { run: from(since_start(first) + Span(1)), ..base });
    assert!(!numbers(&later.ios).contains(&first.io) && numbers(&later.ios).contains(&last.io));
}

#[test]
fn a_duration_may_follow_a_number_of_ios_and_a_number_of_ios_a_time() {
    let base = plan(&[SIZE, MIXTURE]);
    let all = everything(&base).ios;
    let duration = Span::from_ms(100);
    // Ten for each of sixteen drives.
    let ended = run_of(&Plan {
        run: Run { duration: Some(duration), measured_ios: None, ..base.run },
        ..base.clone()
    });
    let opened = all[159].completed;
    assert_eq!((ended.measured.opened, ended.measured.closed), (opened, opened + duration));
    let expected = all[160..].iter().filter(|io| io.completed < opened + duration);
    assert_eq!(numbers(&ended.ios), numbers(expected));
    assert_eq!((ended.summary.simulated_s, ended.summary.warm_up_ios), (0.1, 160));

    let time = Time::ZERO + Span::from_ms(30);
    let warm_up = WarmUp::Until(Span::from_ms(30));
    let ended = run_of(&Plan { run: Run { warm_up, measured_ios: Some(300), ..base.run }, ..base });
    let expected: Vec<&IoRecord> = all.iter().filter(|io| io.completed >= time).take(300).collect();
    assert_eq!(numbers(&ended.ios), numbers(expected.iter().copied()));
    assert_eq!((ended.measured.opened, ended.measured.closed), (time, expected[299].completed));
}

#[test]
fn a_precision_may_follow_a_time() {
    let access = "drives.access_time={ distribution = \"exponential\", mean = \"2 ms\" }";
    let set = [
        SIZE,
        access,
        "run.warm_up=50 ms",
        "run.measured_ios=300",
        "run.precision=4 %",
        "run.precision_of=iops",
    ];
    let summary = common::run(BASE, &set);
    let precision = summary.statistics.precision.as_ref().expect("asked for");
    assert!(precision.reached && summary.ios > 300, "{precision:?}");
    let ios = format!("run.measured_ios={}", summary.ios);
    let known = common::run(BASE, &[SIZE, access, "run.warm_up=50 ms", &ios]);
    assert_eq!((known.iops, known.iops_ci95, known.ios), (summary.iops, summary.iops_ci95, summary.ios));
}

#[test]
fn an_interval_in_which_nothing_completes_has_no_rate() {
    let summary = common::run(BASE, &[SIZE, "run.warm_up=0 s", "run.duration=1 us", NO_NUMBER]);
    assert_eq!((summary.ios, summary.iops, summary.simulated_s), (0, 0.0, 1e-6));
    assert_eq!(summary.iops_ci95, None);
    let summary = common::run(BASE, &["run.warm_up=0 s", "run.duration=40 ms", NO_NUMBER]);
    assert!(summary.ios > 0 && summary.warm_up_ios == 0);
}

#[test]
fn who_watches_a_run_of_a_given_duration_changes_nothing() {
    let set = [SIZE, MIXTURE, "run.warm_up=5 ms", "run.duration=30 ms", NO_NUMBER];
    let bytes = |summary: &Summary| serde_json::to_string(summary).expect("a summary is JSON");
    let alone = bytes(&common::run(BASE, &set));
    let recording = Recording { ios: true, sampling: Sampling::Automatic };
    let watch = Watch { tenancies: true, paths: true, ..Watch::default() };
    for loop_model in [LoopModel::Fast, LoopModel::Reference] {
        let options = RunOptions { loop_model, recording, watch: watch.clone(), ..RunOptions::default() };
        let watched = run_with(BASE, &set, &options);
        assert_eq!(bytes(&watched.summary), alone);
        let [from, to] = [5, 35].map(|ms| Time::ZERO + Span::from_ms(ms));
        assert!(!watched.paths.is_empty() && watched.tenancies.len() > 100);
        assert!(watched.paths.iter().all(|path| (from..to).contains(&path.completed)));
        assert!(watched.tenancies.iter().all(|tenancy| (from..to).contains(&tenancy.won)));
    }
}

#[test]
fn progress_through_a_given_duration_is_that_of_time() {
    let scenario = load(BASE, &[SIZE, "run.warm_up=100 ms", "run.duration=900 ms", NO_NUMBER]);
    let mut looks = 0;
    run(&scenario, &RunOptions::default(), &mut |seen| {
        if seen.simulated_s < 1.0 && seen.ios > 0 {
            looks += 1;
            // The I/Os still under way at the end, one for each of 16 drives, are all that is not in the time.
            let share = (seen.ios + 16) as f64 / seen.total_ios as f64;
            assert!((share - seen.simulated_s).abs() < 0.2, "{seen:?}");
        }
        assert!(seen.ios <= seen.total_ios);
        Flow::Continue
    })
    .expect("no files");
    assert!(looks > 5);
}

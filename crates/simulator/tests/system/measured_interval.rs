//! The measured interval when warm-up and length are simulated times: I/Os that complete between the two moments, to the tick.

use crate::common::{figure, load, run_with};
use sansim_component::NetworkModel;
use sansim_kernel::{Span, Time, Total};
use sansim_observe::observers::WatchOptions;
use sansim_scenario::{RunSettings, WarmUp};
use sansim_simulator::counted::IoRecord;
use sansim_simulator::plan::SystemPlan;
use sansim_simulator::run::{EndedRun, RecordingOptions, run_plan};
use sansim_simulator::samples::Sampling;
use sansim_simulator::simulation::Simulation;
use sansim_simulator::summary::Summary;
use sansim_simulator::{RunFlow, RunOptions, build, run};

const BASE: &str = "scenarios/wang-2005-base.toml";
const SIZE: &str = "workload.size=4 KiB";
const MIXTURE: &str = "workload.read_fraction=0.66";
const NO_NUMBER: &str = "run.measured_ios=none";

fn run_of(plan: &SystemPlan) -> EndedRun {
    let recording = RecordingOptions { ios: true, sampling: Sampling::Every(Span::from_ms(10)) };
    run_plan(plan, recording, None, &mut |_| RunFlow::Continue).expect("it ends")
}

/// The same system with other settings of the run.
fn with_run(plan: &SystemPlan, run: RunSettings) -> SystemPlan {
    let mut plan = plan.clone();
    plan.run = run;
    plan
}

/// The same system in a run that measures all I/Os and is longer than the tests need.
fn longer(plan: &SystemPlan) -> SystemPlan {
    let (warm_up, measured_ios) = (WarmUp::IosPerSlot(0), Some(3_000));
    let run = RunSettings { warm_up, measured_ios, duration: None, precision: None, ..plan.run };
    with_run(plan, run)
}

/// All I/Os of that longer run.
fn everything(plan: &SystemPlan) -> EndedRun {
    run_of(&longer(plan))
}

/// All meters of that longer run at two times.
struct Meters<'a> {
    plan: &'a SystemPlan,
    at: [Vec<Total>; 2],
}

impl<'a> Meters<'a> {
    fn at(plan: &'a SystemPlan, times: [Time; 2]) -> Self {
        let mut simulation = Simulation::new(&longer(plan), RecordingOptions::default(), None);
        let at = times.map(|time| {
            while simulation.next_event().is_some_and(|next| next < time) {
                simulation.run_events(1);
            }
            simulation.meters(time)
        });
        Self { plan, at }
    }

    /// The increase of a meter of a component between the times.
    fn added(&self, component: &str, meter: usize) -> Total {
        let components = self.plan.observer_names().components;
        let component = components.iter().position(|known| known.name == component).expect("a component");
        let meter = self.plan.board.first_meter[component] + meter;
        self.at[1][meter] - self.at[0][meter]
    }
}

fn plan(set: &[&str]) -> SystemPlan {
    build::plan_system(&load(BASE, set), None, NetworkModel::Fast)
}

fn numbers<'a>(ios: impl IntoIterator<Item = &'a IoRecord>) -> Vec<u64> {
    ios.into_iter().map(|io| io.io).collect()
}

#[test]
fn between_two_times_counts_what_completes_between_them() {
    let timed = plan(&[SIZE, MIXTURE, "run.warm_up=20 ms", "run.duration=150 ms", NO_NUMBER]);
    let (all, ended) = (everything(&timed), run_of(&timed));
    let [from, to] = [20, 170].map(|ms| Time::ZERO + Span::from_ms(ms));
    let within: Vec<&IoRecord> =
        all.ios.rows.iter().filter(|io| (from..to).contains(&io.completed)).collect();
    let before = all.ios.rows.iter().filter(|io| io.completed < from).count();
    assert!(within.len() > 500 && before > 50);
    assert_eq!(numbers(&ended.ios.rows), numbers(within.iter().copied()));
    let summary = &ended.summary;
    assert_eq!((summary.ios, summary.warm_up_ios), (within.len() as u64, before as u64));
    assert_eq!((summary.simulated_s, ended.measured.opened, ended.measured.closed), (0.15, from, to));
    assert_eq!(summary.iops, within.len() as f64 / 0.15);
    let bytes: u64 = within.iter().map(|io| io.bytes).sum();
    assert_eq!(summary.bytes_per_second, bytes as f64 / 0.15);
    assert_eq!(summary.statistics.warm_up.rule, "until 20 ms");
    // Utilisation is measured over the same interval, at whose ends samples were taken.
    let at = |time: Time| all.samples.rows.iter().find(|sample| sample.at == time).expect("a sample");
    let sampled = |name: &str| {
        let found = timed.board.meters.iter().position(|meter| (&*meter.owner, meter.name) == ("loop", name));
        let meter = found.expect("it is sampled");
        at(to).meters[meter] - at(from).meters[meter]
    };
    let of_loop = |name| figure(summary, "loop", name);
    assert_eq!(of_loop("utilisation"), sampled("frames").as_s_f64() / 0.15);
    assert_eq!(of_loop("owned"), sampled("owned").as_s_f64() / 0.15);
    // The counts are measured over the same interval, by their numbers in the catalogue of loops.
    let meters = Meters::at(&timed, [from, to]);
    assert_eq!(of_loop("tenancies"), meters.added("loop", 3).ticks() as f64);
    assert_eq!(of_loop("frames"), meters.added("loop", 4).ticks() as f64);
}

#[test]
fn blocks_are_as_busy_as_they_were_between_the_two_ends_of_the_measured_interval() {
    // Every block takes a different time; I/Os go to any of the drives, which work on two commands at a time.
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
    let ended = run_of(&timed);
    let meters = Meters::at(&timed, [20, 170].map(|ms| Time::ZERO + Span::from_ms(ms)));
    let share = |component: &str, meter: usize| meters.added(component, meter).as_s_f64() / 0.15;
    let same = |what: &str, found: f64, expected: f64| {
        assert!((found - expected).abs() < 1e-9 && found > 0.0, "{what}: {found}, {expected}");
    };
    // The blocks by number in the catalogue of adapters.
    let blocks = ["processor", "dma", "incoming", "single_frame"];
    let summary = &ended.summary;
    let found = blocks.map(|name| figure(summary, "controller", name));
    for (block, found) in found.into_iter().enumerate() {
        same(&format!("block {block} of the controller"), found, share("controller.adapter", block));
    }
    let utilisation = figure(summary, "controller", "utilisation");
    assert_eq!(utilisation, found.into_iter().fold(0.0, f64::max), "the busiest of {found:?}");
    assert_eq!(figure(summary, "drives", "count"), 3.0);
    let mean = |shares: [f64; 3]| shares.iter().sum::<f64>() / 3.0;
    for (block, name) in blocks.into_iter().enumerate() {
        let of_drives = [0, 1, 2].map(|drive| share(&format!("drives[{drive}].adapter"), block));
        same(&format!("block {block} of the drives"), figure(summary, "drives", name), mean(of_drives));
    }
    // Figures of drives give the use for each command on which the drive may work.
    let per_command = |meter| [0, 1, 2].map(|drive| share(&format!("drives[{drive}]"), meter) / 2.0);
    let (busy, taken) = (per_command(0), per_command(1));
    let of_three =
        |name: &str| ["", "_min", "_max"].map(|end| figure(summary, "drives", &format!("{name}{end}")));
    for (shares, [found, least, most]) in [(busy, of_three("utilisation")), (taken, of_three("occupied"))] {
        same("mean of the drives", found, mean(shares));
        same("least used drive", least, shares.into_iter().fold(f64::INFINITY, f64::min));
        same("most used drive", most, shares.into_iter().fold(0.0, f64::max));
        assert!(least < found && found < most && most <= 1.0, "{shares:?}");
    }
}

#[test]
fn what_completes_at_an_edge_is_in_the_interval_that_begins_there() {
    let base = plan(&[SIZE]);
    let all = everything(&base).ios.rows;
    let since_start = |io: &IoRecord| io.completed - Time::ZERO;
    let (first, last) = (&all[100], &all[400]);
    let between =
        RunSettings { duration: Some(last.completed - first.completed), measured_ios: None, ..base.run };
    let from = |warm_up: Span| RunSettings { warm_up: WarmUp::Until(warm_up), ..between };
    let ended = run_of(&with_run(&base, from(since_start(first))));
    let expected = all.iter().filter(|io| io.completed >= first.completed && io.completed < last.completed);
    assert_eq!(numbers(&ended.ios.rows), numbers(expected));
    assert!(numbers(&ended.ios.rows).contains(&first.io) && !numbers(&ended.ios.rows).contains(&last.io));
    // A tick later the result is the opposite.
    let later = run_of(&with_run(&base, from(since_start(first) + Span(1))));
    assert!(!numbers(&later.ios.rows).contains(&first.io) && numbers(&later.ios.rows).contains(&last.io));
}

#[test]
fn a_duration_may_follow_a_number_of_ios_and_a_number_of_ios_a_time() {
    let base = plan(&[SIZE, MIXTURE]);
    let all = everything(&base).ios.rows;
    let duration = Span::from_ms(100);
    // There are ten I/Os for each of sixteen drives.
    let ended =
        run_of(&with_run(&base, RunSettings { duration: Some(duration), measured_ios: None, ..base.run }));
    let opened = all[159].completed;
    assert_eq!((ended.measured.opened, ended.measured.closed), (opened, opened + duration));
    let expected = all[160..].iter().filter(|io| io.completed < opened + duration);
    assert_eq!(numbers(&ended.ios.rows), numbers(expected));
    assert_eq!((ended.summary.simulated_s, ended.summary.warm_up_ios), (0.1, 160));

    let time = Time::ZERO + Span::from_ms(30);
    let warm_up = WarmUp::Until(Span::from_ms(30));
    let ended = run_of(&with_run(&base, RunSettings { warm_up, measured_ios: Some(300), ..base.run }));
    let expected: Vec<&IoRecord> = all.iter().filter(|io| io.completed >= time).take(300).collect();
    assert_eq!(numbers(&ended.ios.rows), numbers(expected.iter().copied()));
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
    let summary = crate::common::run(BASE, &set);
    let precision = summary.statistics.precision.as_ref().expect("asked for");
    assert!(precision.reached && summary.ios > 300, "{precision:?}");
    let ios = format!("run.measured_ios={}", summary.ios);
    let known = crate::common::run(BASE, &[SIZE, access, "run.warm_up=50 ms", &ios]);
    assert_eq!((known.iops, known.iops_ci95, known.ios), (summary.iops, summary.iops_ci95, summary.ios));
}

#[test]
fn an_interval_in_which_nothing_completes_has_no_rate() {
    let summary = crate::common::run(BASE, &[SIZE, "run.warm_up=0 s", "run.duration=1 us", NO_NUMBER]);
    assert_eq!((summary.ios, summary.iops, summary.simulated_s), (0, 0.0, 1e-6));
    assert_eq!(summary.iops_ci95, None);
    let summary = crate::common::run(BASE, &["run.warm_up=0 s", "run.duration=40 ms", NO_NUMBER]);
    assert!(summary.ios > 0 && summary.warm_up_ios == 0);
}

#[test]
fn who_watches_a_run_of_a_given_duration_changes_nothing() {
    let set = [SIZE, MIXTURE, "run.warm_up=5 ms", "run.duration=30 ms", NO_NUMBER];
    let bytes = |summary: &Summary| serde_json::to_string(summary).expect("a summary is JSON");
    let alone = bytes(&crate::common::run(BASE, &set));
    let recording = RecordingOptions { ios: true, sampling: Sampling::Automatic };
    let watch = WatchOptions { tenancies: true, paths: true, ..WatchOptions::default() };
    for loop_model in [NetworkModel::Fast, NetworkModel::Reference] {
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
            // Only the I/Os in flight at the end, one for each of 16 drives, are not included in the time.
            let share = (seen.ios + 16) as f64 / seen.total_ios as f64;
            assert!((share - seen.simulated_s).abs() < 0.2, "{seen:?}");
        }
        assert!(seen.ios <= seen.total_ios);
        RunFlow::Continue
    })
    .expect("no files");
    assert!(looks > 5);
}

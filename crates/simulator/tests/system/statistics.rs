//! The intervals of a result: on a network whose solution is known, compared with the records of the I/Os, and as the
//! condition that ends a run.

use crate::common::{figure, load, run_with};
use sansim_component::NetworkModel;
use sansim_kernel::{Edges, Observations, Span, Time};
use sansim_observe::observers::WatchOptions;
use sansim_scenario::{Part, RunSettings};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;
use sansim_simulator::counted::IoRecord;
use sansim_simulator::measure::{CompletionEffect, Measurement};
use sansim_simulator::run::RecordingOptions;
use sansim_simulator::summary::Summary;
use sansim_simulator::{Progress, RunFlow, RunOptions, build, run};

const BASE: &str = "scenarios/wang-2005-base.toml";
const ACCESS: &str = "drives.access_time={ distribution = \"exponential\", mean = \"2 ms\" }";

fn bytes(summary: &Summary) -> String {
    serde_json::to_string(summary).expect("a summary is JSON")
}

#[test]
fn the_intervals_are_those_of_the_records() {
    let set = ["run.measured_ios=3000", "workload.size=4 KiB", "workload.read_fraction=0.66", ACCESS];
    for warm_up in ["run.warm_up=5", "run.warm_up=auto"] {
        let set: Vec<&str> = set.into_iter().chain([warm_up]).collect();
        let options = RunOptions { recording: RecordingOptions::IOS, ..RunOptions::default() };
        let result = run_with(BASE, &set, &options);
        let summary = &result.summary;
        let mut observations = Observations::<1>::new(1);
        for io in &result.ios.rows {
            observations.add(io.completed, 0, io.response, io.bytes);
        }
        let all = observations.series(&[0], &[50.0, 90.0, 99.0, 99.9]);
        assert_eq!(summary.ios, all.count);
        assert_eq!(summary.response_time_ns.mean, all.mean_ns.estimate);
        assert_eq!(summary.response_time_ns.ci95, Some(all.mean_ns.half_width_95));
        let given = &summary.response_time_ns.ci95_percentiles;
        assert_eq!(vec![given.p50, given.p90, given.p99, given.p99_9], all.percentiles);
        let ended = result.ios.rows[result.ios.len() - 1].completed;
        let began =
            Time::ZERO + (ended - Time::ZERO) - Span((summary.simulated_s * 1e9 * 561.0).round() as u64);
        let [iops, rate] = observations.rates(began, ended, Edges::Completions);
        let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-6, "{a} {b}");
        close(summary.iops_ci95.expect("enough"), iops.half_width_95);
        close(summary.bytes_per_second_ci95.expect("enough"), rate.half_width_95);
        let statistics = &summary.statistics;
        assert_eq!(statistics.response_time_ns.parts, all.mean_ns.parts);
        assert_eq!(
            (statistics.warm_up.ios, statistics.trusted),
            (summary.warm_up_ios, statistics.doubts.is_empty())
        );
        assert!(statistics.precision.is_none());
        // Both directions together contain all I/Os.
        let [reads, writes] =
            [&summary.reads, &summary.writes].map(|d| d.response_time_ns.as_ref().expect("some"));
        let sum = reads.mean * summary.reads.ios as f64 + writes.mean * summary.writes.ios as f64;
        close(sum / summary.ios as f64, summary.response_time_ns.mean);
        // The mean of a part of the I/Os has a wider interval.
        assert!([reads, writes].iter().all(|part| part.ci95 > summary.response_time_ns.ci95));
    }
}

#[test]
fn too_short_a_run_says_that_its_interval_cannot_be_trusted() {
    let short = crate::common::run(BASE, &["run.measured_ios=40", ACCESS]);
    assert!(!short.statistics.trusted);
    assert!(short.statistics.doubts[0].contains("40 I/Os are too few"), "{:?}", short.statistics.doubts);
    // The queue is deep at one drive: an I/O is as slow as the hundred before it.
    let set = ["run.measured_ios=400", "drives.count=1", "workload.queue_depth=100", ACCESS];
    let slow = crate::common::run(BASE, &set);
    assert!(!slow.statistics.trusted);
    assert!(slow.statistics.doubts[0].contains("are correlated"), "{:?}", slow.statistics.doubts);
    let long = crate::common::run(BASE, &["run.measured_ios=4000", ACCESS]);
    assert!(long.statistics.trusted, "{:?}", long.statistics.doubts);
}

#[test]
fn a_run_that_is_stopped_is_judged_like_one_that_was_to_be_so_short() {
    let mut stop = |progress: &Progress| if progress.ios > 5_000 { RunFlow::Stop } else { RunFlow::Continue };
    let set = ["workload.size=4 KiB", ACCESS];
    let long = crate::common::load(BASE, &[set[0], set[1], "run.measured_ios=3000000"]);
    let stopped = run(&long, &RunOptions::default(), &mut stop).expect("no files").summary;
    assert!(stopped.stopped_early);
    let ios = format!("run.measured_ios={}", stopped.ios);
    let whole = crate::common::run(BASE, &[set[0], set[1], &ios]);
    assert_eq!(stopped.statistics.doubts, whole.statistics.doubts);
    assert_eq!(stopped.statistics.mean_method, whole.statistics.mean_method);
    assert_eq!(stopped.response_time_ns.ci95, whole.response_time_ns.ci95);
}

#[test]
fn a_run_goes_on_until_it_is_precise_and_is_then_like_any_run_of_that_length() {
    let set = ["workload.size=4 KiB", "workload.read_fraction=0.5", ACCESS];
    for of in ["response-time", "iops", "bytes-per-second", "p90"] {
        let of_key = format!("run.precision_of={of}");
        let open = [&set[..], &["run.measured_ios=300", "run.precision=4 %", &of_key]].concat();
        let summary = crate::common::run(BASE, &open);
        let found = summary.statistics.precision.clone().expect("a precision was asked for");
        let relative = found.relative_half_width.expect("an interval");
        assert!(found.reached && relative <= 0.04 / 1.04, "{of}: {found:?}");
        assert_eq!(found.ended_by, "precision");
        assert!(summary.statistics.trusted, "{of}: {:?}", summary.statistics.doubts);
        // The checks are at 300, 450, 675, 1013, ... I/Os.
        let looks: Vec<u64> =
            std::iter::successors(Some(300_u64), |ios| Some(ios + ios.div_ceil(2))).take(12).collect();
        assert!(looks.contains(&summary.ios) && summary.ios > 300, "{of}: {}", summary.ios);
        let ios = format!("run.measured_ios={}", summary.ios);
        let mut known = crate::common::run(BASE, &[&set[..], &[&ios]].concat());
        known.statistics.precision = summary.statistics.precision.clone();
        assert_eq!(bytes(&known), bytes(&summary), "{of}");
    }
}

#[test]
fn a_run_ends_when_even_the_least_true_value_of_the_interval_is_within_the_error() {
    // The rule bounds the error relative to the true value. In the worst case the estimate is too high by half the interval: with e +-
    // h the truth is e - h, and the relative error is h / (e - h). A rule that compares h with e would end this run too early.
    let set = ["workload.size=4 KiB", "workload.read_fraction=0.5", ACCESS, "run.measured_ios=300"];
    let known = crate::common::run(BASE, &set);
    let figures = [
        ("response-time", known.response_time_ns.mean, known.response_time_ns.ci95),
        ("iops", known.iops, known.iops_ci95),
        ("bytes-per-second", known.bytes_per_second, known.bytes_per_second_ci95),
    ];
    for (of, estimate, half_width) in figures {
        let half_width = half_width.expect("enough I/Os");
        let worst = half_width / (estimate - half_width);
        let ios_within = |error: f64| {
            let (of, within) =
                (format!("run.precision_of={of}"), format!("run.precision={:.4} %", 100.0 * error));
            crate::common::run(BASE, &[&set[..], &[&of, &within]].concat()).ios
        };
        assert!(half_width / estimate < 0.999 * worst, "{of}: the two rules differ");
        assert_eq!(ios_within(1.001 * worst), 300, "{of}: +- {half_width} of {estimate}");
        assert!(ios_within(0.999 * worst) > 300, "{of}: +- {half_width} of {estimate}");
    }
}

/// One drive takes a millisecond for each of the I/Os queued at it: the first `depth` I/Os find fewer before them, one after the
/// other, and all later I/Os find equally many, so that they take equally long to within two words.
fn settles_after(depth: u32, set: &[&str]) -> Summary {
    let depth = format!("workload.queue_depth={depth}");
    let constant = ["drives.count=1", "drives.access_time=1 ms", "workload.size=512 B", "run.warm_up=auto"];
    crate::common::run(BASE, &[&constant[..], &[&depth, "run.measured_ios=100"], set].concat())
}

#[test]
fn a_warm_up_that_takes_more_than_two_fifths_of_the_run_is_doubted() {
    // The automatic rule uses 2 x 100 I/Os and may cut half of them: where it cuts nearly as many it might have wanted more.
    for (depth, doubted) in [(40, false), (60, false), (81, true), (100, true), (120, true)] {
        let statistics = settles_after(depth, &[]).statistics;
        let cut = statistics.warm_up.ios;
        assert!(cut >= u64::from(depth.min(100)) && (cut > 80) == doubted, "{depth}: {cut}");
        let doubt = statistics.doubts.iter().find(|doubt| doubt.contains("may not have settled"));
        assert_eq!((doubt.is_some(), statistics.trusted), (doubted, !doubted), "{:?}", statistics.doubts);
        let share = format!("MSER-5 leaves out {:.0} % of the run", cut as f64 / 2.0);
        assert!(doubt.is_none_or(|doubt| doubt.contains(&share)), "{doubt:?}");
    }
    // With I/Os that are left out by number, the end of the warm-up is not checked.
    assert!(settles_after(40, &["run.warm_up=10"]).statistics.trusted);
}

#[test]
fn a_run_does_not_end_as_precise_while_its_warm_up_may_not_be_over() {
    // All I/Os that complete after the warm-up take equally long, so the result is as precise as possible at the first check.
    // The first check is after 2 x 100 I/Os, the next after 2 x 150 and 2 x 225.
    for (depth, ios) in [(60, 200), (81, 300), (100, 300), (121, 450)] {
        let summary = settles_after(depth, &["run.precision=10 %"]);
        assert!(summary.statistics.trusted, "{depth}: {:?}", summary.statistics.doubts);
        assert!(summary.statistics.precision.is_some_and(|precision| precision.reached));
        assert_eq!(summary.ios + summary.warm_up_ios, ios, "{depth}");
    }
}

/// The number of made-up I/Os after which a measurement ends: `io_of` returns for each I/O its response time in us, the time
/// since the I/O before, and its bytes.
fn ends_after(
    warm_up: &str,
    of: &str,
    ios: u64,
    within: &str,
    io_of: impl Fn(u64) -> (u64, u64, u64),
) -> Option<u64> {
    let keys = format!(
        "warm_up = {warm_up}\nmeasured_ios = {ios}\nprecision = \"{within}\"\nprecision_of = \"{of}\""
    );
    let run = RunSettings::from_toml(&keys, &Facts::default()).unwrap_or_else(|report| panic!("{report}"));
    // Only one I/O is in flight at a time.
    let mut plan = build::plan_system(&load(BASE, &[]), None, NetworkModel::Fast);
    plan.slots = 1;
    let mut measurement = Measurement::new(&run, &plan, false);
    let mut now = Time::ZERO;
    (1..=6 * ios).find(|&io| {
        let (response, since, bytes) = io_of(io);
        now += Span::from_us(since);
        let record = IoRecord {
            response: Span::from_us(response),
            completed: now,
            bytes,
            io,
            lba: 0,
            workload: 0,
            stream: 0,
            slot: 0,
            drive: 1,
            device: 0,
            operation: sansim_request::Operation::Read,
            failed: false,
        };
        measurement.complete(now, &record, &[]) == CompletionEffect::Closes
    })
}

#[test]
fn two_fifths_of_the_run_are_no_reason_to_go_on_and_one_more_step_of_the_rule_is() {
    for (ramp, expected) in [(80, 200), (81, 300), (85, 300), (120, 300), (121, 450)] {
        let io_of = |io: u64| (500 + io.min(ramp + 1), 100, 512);
        let found = ends_after("\"auto\"", "response-time", 100, "10 %", io_of);
        assert_eq!(found, Some(expected), "{ramp}");
    }
}

#[test]
fn a_run_goes_on_while_the_figure_that_is_asked_for_comes_and_goes_in_long_waves() {
    // The I/Os come in waves of 128, of which 640 I/Os contain five; parts of eight I/Os resemble their neighbours. The intervals
    // are narrow enough for the required precision, so the run continues only because of the waves, and only where the waves are
    // in the figure.
    let wave = |io: u64, low: u64, high: u64| if (io / 64).is_multiple_of(2) { low } else { high };
    let figures = ["response-time", "p50", "iops", "bytes-per-second"];
    type Waves = fn(u64, u64, u64) -> (u64, u64, u64);
    let in_times: Waves = |low, _, _| (low, 100, 512);
    let in_rates: Waves = |_, low, _| (500, low, 512);
    let in_amounts: Waves = |_, _, low| (500, 100, low);
    for (name, waves, goes_on) in [
        ("response times", in_times, [true, true, false, false]),
        ("rates", in_rates, [false, false, true, true]),
        ("amounts", in_amounts, [false, false, false, true]),
    ] {
        for (of, goes_on) in figures.into_iter().zip(goes_on) {
            let io_of = |io| waves(wave(io, 480, 520), wave(io, 96, 104), wave(io, 500, 524));
            let found = ends_after("0", of, 640, "50 %", io_of);
            assert_eq!(found != Some(640), goes_on, "waves in {name}, {of:?}: {found:?}");
        }
    }
}

#[test]
fn a_rate_that_comes_and_goes_is_doubted_though_the_response_times_do_not() {
    // The run has two passes: towards the end of each, fewer and fewer of the drives have I/Os left, with one
    // I/O at each.
    let set =
        ["workload.size=2 KiB", "workload.ios_per_pass=20", "run.measured_ios=640", "run.warm_up=0", ACCESS];
    let statistics = crate::common::run(BASE, &set).statistics;
    assert!(!statistics.trusted);
    let [doubt] = statistics.doubts.as_slice() else { panic!("{:?}", statistics.doubts) };
    assert!(doubt.starts_with("rates of neighbouring parts of the run are correlated"), "{doubt}");
}

#[test]
fn the_precision_of_a_result_is_that_of_the_figure_it_names() {
    let set = ["workload.size=4 KiB", "run.measured_ios=12000", ACCESS, "run.precision=50 %"];
    let expected = [
        ("response-time", "response_time_ns.mean"),
        ("iops", "iops"),
        ("bytes-per-second", "bytes_per_second"),
        ("p50", "response_time_ns.p50"),
        ("p90", "response_time_ns.p90"),
        ("p99", "response_time_ns.p99"),
        ("p99.9", "response_time_ns.p99_9"),
    ];
    for (asked, place) in expected {
        let of = format!("run.precision_of={asked}");
        let summary = crate::common::run(BASE, &[&set[..], &[&of]].concat());
        let times = &summary.response_time_ns;
        let ends = |ends: Option<(u64, u64)>, of: u64| {
            let (low, high) = ends.expect("enough I/Os");
            ((high - low) as f64 / 2.0, of as f64)
        };
        let percentiles = &times.ci95_percentiles;
        let (half_width, estimate) = match place {
            "iops" => (summary.iops_ci95.expect("enough I/Os"), summary.iops),
            "bytes_per_second" => {
                (summary.bytes_per_second_ci95.expect("enough I/Os"), summary.bytes_per_second)
            }
            "response_time_ns.p50" => ends(percentiles.p50, times.p50),
            "response_time_ns.p90" => ends(percentiles.p90, times.p90),
            "response_time_ns.p99" => ends(percentiles.p99, times.p99),
            "response_time_ns.p99_9" => ends(percentiles.p99_9, times.p99_9),
            _ => (times.ci95.expect("enough I/Os"), times.mean),
        };
        let found = summary.statistics.precision.expect("a precision was asked for");
        assert_eq!((found.of, found.within, found.reached), (place, 0.5, true));
        let relative = found.relative_half_width.expect("an interval");
        assert!((relative / (half_width / estimate) - 1.0).abs() < 1e-9, "{asked}: {relative}");
    }
}

#[test]
fn a_run_that_is_stopped_before_it_is_precise_says_that_it_was_stopped() {
    let scenario =
        load(BASE, &["workload.size=4 KiB", ACCESS, "run.measured_ios=3000", "run.precision=0.1 %"]);
    let mut stop = |progress: &Progress| if progress.ios > 4_000 { RunFlow::Stop } else { RunFlow::Continue };
    let summary = run(&scenario, &RunOptions::default(), &mut stop).expect("no files").summary;
    let found = summary.statistics.precision.expect("a precision was asked for");
    assert!(summary.stopped_early && !found.reached);
    assert_eq!(found.ended_by, "interruption");
}

#[test]
fn the_interval_of_a_rate_knows_that_times_cut_the_way_to_the_next_completion() {
    // There is one I/O at a time, and all are alike: the rate is one over the response time. From completion to completion the
    // rate would be exact, but between two times there is a part of an I/O at either end.
    for duration in ["30 ms", "30.05 ms", "30.1 ms", "30.15 ms", "30.2 ms"] {
        let duration = format!("run.duration={duration}");
        let set = ["workload.queue_depth=1", "workload.read_fraction=1.0", "workload.size=2 KiB"];
        let times = ["run.warm_up=10.03 ms", &duration, "run.measured_ios=none"];
        let summary = crate::common::run("scenarios/two-nodes.toml", &[&set[..], &times].concat());
        let response = summary.response_time_ns.mean;
        let half = summary.iops_ci95.expect("enough I/Os");
        let off = (summary.iops - 1e9 / response).abs();
        assert!(off > 1e-6 * summary.iops, "{duration}: no whole number of I/Os");
        assert!(off <= half, "{duration}: {} +- {half}, {response} ns", summary.iops);
        // The interval is not wider than necessary: half an I/O at either end.
        assert!(half < 1.5 / summary.simulated_s, "{duration}: +- {half}");
    }
}

#[test]
fn the_most_ios_end_a_run_that_does_not_become_precise() {
    let set =
        ["run.measured_ios=100", "run.precision=0.1 %", "run.most_ios=777", "workload.size=4 KiB", ACCESS];
    for warm_up in ["run.warm_up=0", "run.warm_up=3", "run.warm_up=auto"] {
        let summary = crate::common::run(BASE, &[&set[..], &[warm_up]].concat());
        let found = summary.statistics.precision.as_ref().expect("a precision was asked for");
        assert!(
            !found.reached && found.relative_half_width.is_some_and(|relative| relative > 0.001),
            "{found:?}"
        );
        assert_eq!(found.ended_by, "most_ios");
        let series = if warm_up.ends_with("auto") { 2 * 777 } else { 777 };
        let left_out = if warm_up.ends_with("auto") { summary.warm_up_ios } else { 0 };
        assert_eq!(summary.ios + left_out, series, "{warm_up}");
    }
}

#[test]
fn an_open_end_goes_with_the_automatic_warm_up() {
    // There is a queue of a hundred before one drive: the first I/Os find it empty.
    let set =
        ["run.warm_up=auto", "drives.count=1", "workload.size=2 KiB", "workload.queue_depth=100", ACCESS];
    let open = crate::common::run(BASE, &[&set[..], &["run.measured_ios=100", "run.precision=3 %"]].concat());
    let found = open.statistics.precision.as_ref().expect("a precision was asked for");
    assert!(found.reached, "{found:?}");
    let series = open.ios + open.warm_up_ios;
    // The run is so long that only every second of the first moments at which the interval might have begun
    // was kept.
    assert!(series > 2_048 && open.warm_up_ios >= 90, "{series} {}", open.warm_up_ios);
    let ios = format!("run.measured_ios={}", series / 2);
    let known = crate::common::run(BASE, &[&set[..], &[&ios]].concat());
    println!("of {series}: {} and {} left out", open.warm_up_ios, known.warm_up_ios);
    assert!(open.warm_up_ios.abs_diff(known.warm_up_ios) <= 16);
    let busy = |summary: &Summary| figure(summary, "drives", "utilisation");
    let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 0.002, "{a} {b}");
    close(busy(&open), busy(&known));
    close(open.iops, known.iops);
    close(open.response_time_ns.mean, known.response_time_ns.mean);
}

#[test]
fn who_watches_a_run_with_an_open_end_changes_nothing() {
    let set =
        ["run.measured_ios=200", "run.precision=5 %", "run.precision_of=p90", "workload.size=4 KiB", ACCESS];
    for warm_up in ["run.warm_up=2", "run.warm_up=auto"] {
        let set = [&set[..], &[warm_up]].concat();
        let alone = bytes(&crate::common::run(BASE, &set));
        let recording =
            RecordingOptions { ios: true, sampling: sansim_simulator::samples::Sampling::Automatic };
        let watch = WatchOptions { tenancies: true, ..WatchOptions::default() };
        let watched = run_with(BASE, &set, &RunOptions { recording, watch, ..RunOptions::default() });
        assert_eq!(bytes(&watched.summary), alone);
        assert_eq!(watched.ios.len() as u64, watched.summary.ios);
        let options = RunOptions { loop_model: NetworkModel::Reference, ..RunOptions::default() };
        assert_eq!(bytes(&run_with(BASE, &set, &options).summary), alone);
    }
}

#[test]
fn progress_tells_how_far_the_next_look_is() {
    // The uncounted I/Os at the end take more events than there are between two checks, however few events an I/O
    // has.
    let edges = "run.warm_up=60";
    let scenario =
        load(BASE, &["run.measured_ios=3000", "run.precision=0.5 %", "run.most_ios=20000", edges, ACCESS]);
    let plan = build::plan_system(&scenario, None, NetworkModel::Fast);
    let (mut totals, mut open_ends) = (Vec::new(), Vec::new());
    let result = run(&scenario, &RunOptions::default(), &mut |seen| {
        assert!(seen.ios <= seen.total_ios);
        open_ends.push(seen.open_end);
        totals.push(seen.total_ios);
        RunFlow::Continue
    })
    .expect("no files");
    assert!(totals.is_sorted());
    // At the end it is known that no more I/Os are needed.
    assert_eq!((open_ends.first(), open_ends.last()), (Some(&true), Some(&false)));
    let route = &plan.graph.routes[0];
    let Part::Workload(parameters) = &plan.graph.parts[route.workload].part else { panic!("a workload") };
    let slots = parameters.outstanding_io_count(route.devices.len() as u64);
    assert_eq!(totals[0], 3_000 + 120 * slots);
    assert_eq!(totals[totals.len() - 1], result.summary.ios + 120 * slots);
}

/// The load is 256 KiB half-duplex writes at depth 32, which complete in bunches.
const BUNCHES: [&str; 5] = [
    "loop.speed=4GFC",
    "target.access_time=100 us",
    "workload.size=256 KiB",
    "workload.queue_depth=32",
    "workload.read_fraction=0",
];

/// The I/Os and the seconds of a cycle of a system that repeats itself, from the records of a run of many
/// cycles.
fn cycle(ios: &[IoRecord]) -> (usize, f64) {
    let repeats = |each: usize| {
        let length = ios[each].completed - ios[0].completed;
        ios.windows(each + 1)
            .all(|w| w[each].completed - w[0].completed == length && w[each].response == w[0].response)
    };
    let each = (1..ios.len() / 4).find(|each| repeats(*each)).expect("a clockwork");
    (each, (ios[each].completed - ios[0].completed).as_s_f64())
}

#[test]
fn intervals_hold_the_rate_of_a_system_that_completes_in_bunches() {
    let file = "studies/wang-2005/scenarios/ram-disk.toml";
    let records = |ios: &str| {
        let set = [&BUNCHES[..], &["run.warm_up=40", ios]].concat();
        run_with(file, &set, &RunOptions { recording: RecordingOptions::IOS, ..RunOptions::default() })
            .ios
            .rows
    };
    let ios = records("run.measured_ios=2000");
    let (each, seconds) = cycle(&ios);
    let rate = each as f64 / seconds;
    let times = ios[..each].iter().map(|io| io.response.as_ns_f64());
    let mean = times.sum::<f64>() / each as f64;
    println!("{each} I/Os in {seconds} s: {rate} per second, {mean} ns");
    // Little's law holds for 32 I/Os that are always in flight.
    assert!((rate * mean / 32e9 - 1.0).abs() < 1e-9);
    let mut widths = Vec::new();
    let runs =
        [("20", 1_300), ("20", 2_600), ("20", 10_400), ("21", 1_311), ("auto", 1_300), ("777 ms", 1_300)];
    for (warm_up, count) in runs {
        let (warm_up, ios) = (format!("run.warm_up={warm_up}"), format!("run.measured_ios={count}"));
        let summary = crate::common::run(file, &[&BUNCHES[..], &[&warm_up, &ios]].concat());
        let half = summary.iops_ci95.expect("enough I/Os");
        assert!((summary.iops - rate).abs() <= half, "{warm_up}, {count}: {} +- {half}", summary.iops);
        let bytes = summary.bytes_per_second_ci95.expect("enough I/Os");
        assert!((summary.bytes_per_second - rate * 262_144.0).abs() <= bytes, "{warm_up}, {count}");
        let (times, ci95) =
            (summary.response_time_ns.mean, summary.response_time_ns.ci95.expect("enough I/Os"));
        assert!((times - mean).abs() <= ci95.max(1e-6), "{warm_up}, {count}: {times} +- {ci95}");
        widths.push(half / summary.iops);
    }
    println!("{widths:.5?}");
    // A run eight times as long has an interval eight times as narrow.
    assert!((0.1..0.16).contains(&(widths[2] / widths[0])), "{widths:?}");
}

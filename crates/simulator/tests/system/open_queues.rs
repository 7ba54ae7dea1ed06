//! Open and closed loads are compared with queues whose solution is known: a drive attached directly to a host is a server, and
//! everything else takes no time.
//!
//! Random streams are fixed by their seeds, so a test that passes once always passes. Each test states how many of its runs
//! may miss the true value: of 20 intervals of 95 % one misses on average, and more than three do in 1.6 % of all sets of
//! seeds.

use crate::common::erlang::erlang_c;
use crate::common::text::{assert_near, scenario};
use sansim_kernel::Span;
use sansim_simulator::summary::Summary;
use sansim_simulator::{RunFlow, RunOptions};

/// The mean service time.
const SERVICE_NS: f64 = 1e6;

/// The number of seeds of a test, and the number of their intervals that may miss.
const SEEDS: u64 = 20;
const MISSES: u64 = 3;

/// A load of this number of I/Os of 512 B on one drive.
fn queue(ios: u64, service: &str, servers: u32, load: &str) -> String {
    format!(
        r#"
        [run]
        measured_ios = {ios}
        warm_up = 2000
        [host]
        kind = "host"
        attached = ["disk"]
        [disk]
        kind = "drives"
        access_time = {service}
        transfer_rate = "1 TB/s"
        concurrency = {servers}
        [load]
        kind = "synthetic"
        from = "host"
        to = ["disk"]
        size = "512 B"
        {load}
        "#
    )
}

/// The transfer time within a service: at the highest allowed rate, half a nanosecond.
const TRANSFER_NS: f64 = 0.512;

/// The arrivals for this load of a number of servers.
fn arrivals(process: &str, load: f64, servers: u32, more: &str) -> String {
    let rate = load * f64::from(servers) * 1e9 / SERVICE_NS;
    format!("arrivals = {{ process = \"{process}\", rate = \"{rate}/s\"{more} }}\noutstanding = 65536")
}

const EXPONENTIAL: &str = "{ distribution = \"exponential\", mean = \"1 ms\" }";
const FIXED: &str = "\"1 ms\"";
const GAMMA: &str = "{ distribution = \"gamma\", mean = \"1 ms\", cv = 1.5 }";
const UNIFORM: &str = "{ distribution = \"uniform\", low = \"500 us\", high = \"1500 us\" }";

fn summary(text: &str, seed: u64) -> Summary {
    let options = RunOptions { seed: Some(seed), ..RunOptions::default() };
    sansim_simulator::run(&scenario(text), &options, &mut |_| RunFlow::Continue)
        .unwrap_or_else(|error| panic!("{error}"))
        .summary
}

/// The mean response time over many runs.
struct Runs {
    /// The number of intervals that do not contain the true value.
    missed: u64,
    /// The mean of all runs.
    mean_ns: f64,
}

/// Runs a queue with all seeds.
fn runs(text: &str, truth_ns: f64) -> Runs {
    let (mut missed, mut sum) = (0, 0.0);
    for seed in 1..=SEEDS {
        let summary = summary(text, seed);
        assert!(summary.unstable.is_empty(), "seed {seed}: {:?}", summary.unstable);
        let times = &summary.response_time_ns;
        missed += u64::from((times.mean - truth_ns).abs() > times.ci95.expect("enough I/Os"));
        sum += times.mean;
    }
    Runs { missed, mean_ns: sum / SEEDS as f64 }
}

/// Checks a mean response time against what is true.
fn assert_agrees(what: &str, text: &str, truth_ns: f64, part: f64) {
    let Runs { missed, mean_ns } = runs(text, truth_ns);
    println!("{what}: {mean_ns:.0} ns, in truth {truth_ns:.0} ns; {missed} of {SEEDS} intervals miss");
    assert!(missed <= MISSES, "{what}: {missed} of {SEEDS} miss {truth_ns}");
    assert_near(what, mean_ns, truth_ns, part);
}

/// The mean response time of M/G/1 by Pollaczek and Khinchine, given the squared coefficient of variation of the
/// service.
fn pollaczek_khinchine_ns(load: f64, cv2: f64) -> f64 {
    SERVICE_NS + load * SERVICE_NS * (1.0 + cv2) / (2.0 * (1.0 - load))
}

#[test]
fn one_exponential_server_is_an_m_m_1_queue() {
    for load in [0.3, 0.7] {
        let text = queue(20_000, EXPONENTIAL, 1, &arrivals("poisson", load, 1, ""));
        assert_agrees(&format!("M/M/1 at {load}"), &text, SERVICE_NS / (1.0 - load) + TRANSFER_NS, 0.015);
    }
}

#[test]
fn one_server_is_an_m_g_1_queue_of_its_time_of_service() {
    let deviation: f64 = 1.0 / 12.0;
    for (what, service, cv2) in
        [("M/D/1", FIXED, 0.0), ("M/G/1, gamma", GAMMA, 2.25), ("M/G/1, uniform", UNIFORM, deviation)]
    {
        let text = queue(20_000, service, 1, &arrivals("poisson", 0.6, 1, ""));
        assert_agrees(what, &text, pollaczek_khinchine_ns(0.6, cv2), 0.02);
    }
}

#[test]
fn a_drive_of_several_commands_at_a_time_is_an_m_m_c_queue() {
    for servers in [2, 8] {
        let load = 0.75;
        let truth_ns =
            SERVICE_NS + erlang_c(load, servers) * SERVICE_NS / (f64::from(servers) * (1.0 - load));
        let text = queue(20_000, EXPONENTIAL, servers, &arrivals("poisson", load, servers, ""));
        assert_agrees(&format!("M/M/{servers}"), &text, truth_ns, 0.02);
    }
}

#[test]
fn percentiles_of_an_m_m_1_queue_are_those_of_an_exponential_distribution() {
    let text = queue(60_000, EXPONENTIAL, 1, &arrivals("poisson", 0.6, 1, ""));
    let mean_ns = SERVICE_NS / 0.4;
    let truth = [50.0, 90.0, 99.0].map(|percent: f64| -mean_ns * (1.0 - percent / 100.0).ln());
    let (mut missed, mut sums) = ([0; 3], [0.0; 3]);
    for seed in 1..=SEEDS {
        let summary = summary(&text, seed);
        let times = &summary.response_time_ns;
        let intervals = &times.ci95_percentiles;
        let found = [(times.p50, intervals.p50), (times.p90, intervals.p90), (times.p99, intervals.p99)];
        for (number, (percentile, interval)) in found.into_iter().enumerate() {
            sums[number] += percentile as f64 / SEEDS as f64;
            let (low, high) = interval.expect("enough I/Os");
            missed[number] += u64::from(!(low as f64..=high as f64).contains(&truth[number]));
        }
    }
    println!("p50, p90, p99: {sums:?} ns, in truth {truth:?}; {missed:?} of {SEEDS} intervals miss");
    for number in 0..3 {
        assert!(missed[number] <= MISSES, "{missed:?}");
        assert_near("percentile", sums[number], truth[number], 0.02);
    }
}

#[test]
fn g_g_1_queues_lie_between_their_bounds() {
    let load = 0.7_f64;
    let gap_ns = SERVICE_NS / load;
    // The process, its keys, and the squared coefficient of variation of the gaps.
    let processes = [
        ("deterministic", "", 0.0),
        ("gamma", ", cv = 0.5", 0.25),
        ("gamma", ", cv = 2", 4.0),
        ("hyperexponential", ", cv = 3", 9.0),
        ("poisson", "", 1.0),
    ];
    for (process, keys, gaps_cv2) in processes {
        for (service, cv2) in [(FIXED, 0.0), (UNIFORM, 1.0 / 12.0), (EXPONENTIAL, 1.0), (GAMMA, 2.25)] {
            let text = queue(40_000, service, 1, &arrivals(process, load, 1, keys));
            let times = summary(&text, 1).response_time_ns.figure;
            let (wait_ns, half_ns) = (times.mean - SERVICE_NS, times.ci95.expect("enough I/Os"));
            let (gaps, services) = (gaps_cv2 * gap_ns * gap_ns, cv2 * SERVICE_NS * SERVICE_NS);
            // The upper bound is Kingman's, 1962.
            let upper_ns = (gaps + services) / (2.0 * gap_ns * (1.0 - load));
            // The lower bound is Marchal's, 1978: (load^2 cs^2 + load (load - 2)) / (2 lambda (1 - load)), which
            // gives no information below 0.
            let lower_ns = (load * load * cv2 + load * (load - 2.0)) * gap_ns / (2.0 * (1.0 - load));
            let found = format!("{process}{keys}, {service}: {wait_ns} +- {half_ns}");
            assert!(wait_ns - half_ns <= upper_ns + TRANSFER_NS, "{found} over {upper_ns}");
            assert!(wait_ns + half_ns >= lower_ns, "{found} under {lower_ns}");
        }
    }
}

/// The response time of this number of customers that think for exponential times between visits of one exponential server:
/// the machine repairman, by mean value analysis.
fn repairman_ns(customers: u32, think_ns: f64) -> f64 {
    let (mut response, mut queue) = (SERVICE_NS, 0.0);
    for customer in 1..=customers {
        response = SERVICE_NS * (1.0 + queue);
        queue = f64::from(customer) * response / (response + think_ns);
    }
    response
}

#[test]
fn a_closed_stream_that_thinks_is_a_machine_repairman() {
    for (customers, think_ms) in [(3, 4), (10, 5)] {
        let think = format!("{{ distribution = \"exponential\", mean = \"{think_ms} ms\" }}");
        let load =
            format!("arrivals = {{ process = \"closed\", queue_depth = {customers}, think_time = {think} }}");
        let truth_ns = repairman_ns(customers, f64::from(think_ms) * 1e6);
        let text = queue(20_000, EXPONENTIAL, 1, &load);
        assert_agrees(&format!("{customers} slots"), &text, truth_ns, 0.015);
        let iops = f64::from(customers) * 1e9 / (truth_ns + f64::from(think_ms) * 1e6);
        let mean = (1..=5).map(|seed| summary(&text, seed).iops).sum::<f64>() / 5.0;
        assert_near("I/Os per second", mean, iops, 0.015);
    }
}

#[test]
fn streams_side_by_side_are_one_m_m_1_queue() {
    let stream = |name: &str, rate: u32| {
        format!(
            "[load.streams.{name}]\nsize = \"512 B\"\noutstanding = 65536\n\
             arrivals = {{ process = \"poisson\", rate = \"{rate}/s\" }}\n"
        )
    };
    let text = queue(20_000, EXPONENTIAL, 1, "").replace("size = \"512 B\"\n        \n", "");
    let text = format!("{text}\n{}{}", stream("a", 200), stream("b", 400));
    assert_agrees("two streams", &text, SERVICE_NS / 0.4, 0.02);
    // All streams wait equally long, and each has its share.
    let summary = summary(&text, 1);
    let load = summary.workloads.value_named("load").expect("the workload");
    for (name, share) in [("a", 1.0 / 3.0), ("b", 2.0 / 3.0)] {
        let stream = load.streams.value_named(name).expect("the stream");
        assert_near(name, stream.share, share, 0.05);
        let mean = stream.response_time_ns.as_ref().expect("it is stable").mean;
        assert_near(name, mean, SERVICE_NS / 0.4, 0.2);
    }
}

#[test]
#[ignore = "long"]
fn intervals_of_a_long_m_m_1_queue_hold_what_is_true_as_often_as_they_say() {
    const RUNS: u64 = 400;
    let text = queue(40_000, EXPONENTIAL, 1, &arrivals("poisson", 0.8, 1, ""));
    let truth_ns = SERVICE_NS / 0.2;
    let mut covered = 0_u64;
    for seed in 1..=RUNS {
        let summary = summary(&text, seed);
        let times = &summary.response_time_ns;
        covered += u64::from((times.mean - truth_ns).abs() <= times.ci95.expect("enough I/Os"));
    }
    let percent = covered as f64 * 100.0 / RUNS as f64;
    println!("{percent} % of {RUNS} intervals hold the mean response time");
    // 400 runs scatter by 1.1 %.
    assert!((91.5..=98.5).contains(&percent), "{percent}");
}

#[test]
fn a_time_of_service_is_the_whole_response_time_of_an_idle_drive() {
    let text = queue(500, FIXED, 1, "arrivals = { process = \"deterministic\", rate = \"10/s\" }");
    let result = crate::common::text::run(&text);
    crate::common::text::assert_adds_up(&result);
    let least = result.ios.rows.iter().map(|io| io.response).min().expect("I/Os");
    let most = result.ios.rows.iter().map(|io| io.response).max().expect("I/Os");
    assert_eq!((least, most), (least, least));
    assert!(least - Span::from_ms(1) <= Span::from_ns(1), "{least}: the transfer takes half a nanosecond");
}

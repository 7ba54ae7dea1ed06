//! Laws of open loads, on any system: arrivals depend on nothing, faster devices never make anything slower, the number in the
//! system is its rate times its time, dwells add up from the arrival on, and observers change nothing.

use crate::common::text::{assert_adds_up, assert_near, assert_reference_agrees, run, scenario};
use proptest::prelude::*;
use sansim_component::NetworkModel;
use sansim_kernel::{Span, Time};
use sansim_observe::observers::WatchOptions;
use sansim_simulator::counted::IoRecord;
use sansim_simulator::run::RecordingOptions;
use sansim_simulator::samples::Sampling;
use sansim_simulator::{RunFlow, RunOptions, RunResult};

/// Two open streams and a closed stream on two drives with this access time; all I/Os are measured.
fn drives(access: &str, keys: &str) -> String {
    format!(
        r#"
        [run]
        measured_ios = "all"
        warm_up = 0
        [host]
        kind = "host"
        attached = ["disks"]
        [disks]
        kind = "drives"
        count = 2
        access_time = {access}
        transfer_rate = "100 MB/s"
        [load]
        kind = "synthetic"
        from = "host"
        to = ["disks"]
        [load.streams.small]
        arrivals = {{ process = "poisson", rate = "300/s" }}
        size = {{ "4 KiB" = 60, "8 KiB" = 40 }}
        read_fraction = 0.7
        ios = 3000
        {keys}
        [load.streams.bursts]
        arrivals = {{ process = "gamma", rate = "100/s", cv = 3 }}
        size = "16 KiB"
        location = {{ pattern = "zipf" }}
        ios = 1000
        {keys}
        "#
    )
}

/// The arrival time of an I/O, and its first block, bytes, device and direction.
type Came = (Time, u64, u64, u32, bool);

/// The arrivals of the I/Os of each stream, in order of arrival.
fn came(result: &RunResult) -> Vec<Vec<Came>> {
    let of = |stream| {
        let rows = result.ios.rows.iter().filter(|io| io.stream == stream);
        let mut came: Vec<_> =
            rows.map(|io| (began(io), io.lba, io.bytes, io.device, io.is_write())).collect();
        came.sort_unstable();
        came
    };
    (0..2).map(of).collect()
}

fn began(io: &IoRecord) -> Time {
    io.completed - io.response
}

#[test]
fn arrivals_and_what_is_asked_for_do_not_depend_on_the_devices() {
    let [fast, slow, jammed] = [("\"100 us\"", ""), ("\"4 ms\"", ""), ("\"9 ms\"", "outstanding = 3")]
        .map(|(access, keys)| run(&drives(access, keys)));
    assert_eq!(came(&fast), came(&slow));
    assert_eq!(came(&fast), came(&jammed), "nor on how many may be outstanding");
    assert_eq!(fast.ios.len(), 4_000);
    assert!(slow.summary.response_time_ns.mean > 10.0 * fast.summary.response_time_ns.mean);
}

#[test]
fn faster_drives_never_make_the_mean_response_time_longer() {
    for keys in ["", "outstanding = 4"] {
        let means = [500, 1_000, 2_000, 3_000, 5_000].map(|mean_us| {
            let access = format!("{{ distribution = \"exponential\", mean = \"{mean_us} us\" }}");
            run(&drives(&access, keys)).summary.response_time_ns.mean
        });
        assert!(means.windows(2).all(|pair| pair[0] < pair[1]), "{keys}: {means:?}");
    }
}

#[test]
fn what_is_in_the_system_is_its_rate_times_its_time() {
    let text = drives("\"4 ms\"", "outstanding = 5")
        .replace("measured_ios = \"all\"", "duration = \"20 s\"")
        .replace("ios = 3000", "")
        .replace("ios = 1000", "");
    let result = run(&text);
    let (from, to) = (0, Span::from_s(20).ticks());
    // The number in the system is counted separately, from arrivals and departures: the area below it.
    let area: f64 = result
        .ios
        .rows
        .iter()
        .map(|io| {
            let (begun, ended) = ((began(io) - Time::ZERO).ticks(), (io.completed - Time::ZERO).ticks());
            (ended.min(to) - begun.max(from)) as f64
        })
        .sum();
    let in_system = area / (to - from) as f64;
    let summary = &result.summary;
    assert_near("Little's law", summary.iops * summary.response_time_ns.mean * 1e-9, in_system, 1e-9);
}

#[test]
fn what_waited_in_the_backlog_is_told_so_and_stays_add_up() {
    let result = run(&drives("\"4 ms\"", "outstanding = 2"));
    assert_adds_up(&result);
    let backlog = result.summary.ledger_ns.mean.value_named("load.backlog").copied().unwrap_or_default();
    assert!(backlog > 0.2 * result.summary.response_time_ns.mean, "{backlog}");
    // Without a limit there is no driver queue, and the response times are the same: requests wait only for the
    // drives.
    let open = run(&drives("\"4 ms\"", ""));
    assert_eq!(open.summary.ledger_ns.mean.value_named("load.backlog"), None);
    assert_adds_up(&open);
}

#[test]
fn watching_open_loads_changes_nothing_and_paths_add_up_with_their_backlog() {
    let text = drives("\"4 ms\"", "outstanding = 2");
    let watch = WatchOptions { tenancies: true, paths: true, ..WatchOptions::default() };
    let recording = RecordingOptions { ios: true, sampling: Sampling::Automatic };
    let options = RunOptions { watch, recording, ..RunOptions::default() };
    let watched =
        sansim_simulator::run(&scenario(&text), &options, &mut |_| RunFlow::Continue).expect("no files");
    let alone = run(&text);
    assert_eq!(alone.ios.rows, watched.ios.rows);
    let said = |result: &RunResult| serde_json::to_string(&result.summary).expect("JSON");
    assert_eq!(said(&alone), said(&watched));
    let mut waited = 0;
    for path in &watched.paths {
        let number = watched.ios.rows.iter().position(|io| io.io == path.io).expect("an I/O");
        let io = &watched.ios.rows[number];
        let stays: Span = path.dwells().map(|(_, from, to)| to - from).sum();
        assert_eq!((stays, path.completed), (io.response, io.completed), "I/O {}", io.io);
        let first = watched.names.line_name(path.steps[0].1);
        waited += u64::from(first == "load.backlog");
    }
    assert!(watched.paths.len() >= 20 && waited >= 20, "{waited} of {}", watched.paths.len());
    // The slowest of all I/Os are among the recorded paths.
    let slowest = watched.ios.rows.iter().max_by_key(|io| io.response).expect("I/Os");
    assert!(watched.paths.iter().any(|path| path.io == slowest.io));
}

/// Open, semi-open and closed streams on a small loop.
fn loops() -> impl Strategy<Value = String> {
    let stream = (
        0_u32..4,
        50_u32..3_000,
        1_u32..6,
        prop::sample::select(vec!["512 B", "4 KiB", "20 KiB"]),
        0_u32..11,
    );
    let streams = prop::collection::vec(stream, 1..4);
    let shape = (
        1_u32..5,
        any::<[bool; 2]>(),
        prop::sample::select(vec!["fair", "unfair", "command-first"]),
        1_u64..99,
    );
    (streams, shape).prop_map(|(streams, (count, [duplex, slow], schedule, seed))| {
        let access = if slow { "{ distribution = \"exponential\", mean = \"1 ms\" }" } else { "\"20 us\"" };
        let mut text = format!(
            r#"
            [run]
            duration = "60 ms"
            warm_up = "5 ms"
            seed = {seed}
            [loop]
            kind = "arbitrated-loop"
            speed = "1GFC"
            stations = ["host", "drives"]
            [host]
            kind = "host"
            schedule = "{schedule}"
            port.full_duplex = {duplex}
            [drives]
            kind = "drives"
            count = {count}
            access_time = {access}
            transfer_rate = "100 MB/s"
            [load]
            kind = "synthetic"
            from = "host"
            to = ["drives"]
            "#
        );
        for (number, (pace, rate, outstanding, size, reads)) in streams.into_iter().enumerate() {
            let arrivals = match pace {
                0 => format!("process = \"closed\", queue_depth = {outstanding}, think_time = \"30 us\""),
                1 => format!("process = \"poisson\", rate = \"{rate}/s\""),
                2 => format!("process = \"deterministic\", rate = \"{rate}/s\""),
                _ => format!("process = \"on-off\", rate = \"{rate}/s\", on = \"4 ms\", off = \"6 ms\""),
            };
            text.push_str(&format!(
                "[load.streams.s{number}]\narrivals = {{ {arrivals} }}\noutstanding = {outstanding}\nsize = \"{size}\"\n\
                 read_fraction = {}\n",
                f64::from(reads) / 10.0
            ));
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(24), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_fast_loop_and_the_reference_agree_on_open_loads(text in loops()) {
        assert_reference_agrees(&text);
        let options = RunOptions {
            loop_model: NetworkModel::Fast,
            recording: RecordingOptions::IOS,
            ..RunOptions::default()
        };
        let result = sansim_simulator::run(&scenario(&text), &options, &mut |_| RunFlow::Continue).expect("it ends");
        if !result.ios.is_empty() {
            assert_adds_up(&result);
        }
    }
}

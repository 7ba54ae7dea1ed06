//! Results of a replayed trace by volume.

use sansim_scenario::Scenario;
use sansim_simulator::run::{RecordingOptions, RunError, RunFlow, RunOptions, RunResult, run};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The access times of the two devices, and the time to transfer 4 KiB at the greatest rate that is allowed.
const ACCESS_US: [f64; 2] = [300.0, 700.0];
const TRANSFER_US: f64 = 4_096.0 / 1e6;

/// A trace in a file of its own.
fn trace(name: &str, lines: impl Iterator<Item = String>) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let text: String = ["time:us,volume,op,offset:sectors,bytes".to_owned()]
        .into_iter()
        .chain(lines)
        .map(|line| line + "\n")
        .collect();
    fs::write(&file, text).expect("it can be written");
    file
}

/// A trace with three volumes, whose requests come a millisecond apart: `usr` has twice as many as `web`, and `log`
/// has one request.
fn three_volumes(name: &str) -> PathBuf {
    let line = |number: u64| {
        let volume = if number == 50 { "log" } else { ["usr", "web", "usr"][number as usize % 3] };
        let operation = if number.is_multiple_of(2) { "r" } else { "w" };
        format!("{},{volume},{operation},{},4096", number * 1_000, number * 8)
    };
    trace(name, (0..300).map(line))
}

fn scenario(file: &Path, more: &str) -> Scenario {
    let [first, second] = ACCESS_US;
    let text = format!(
        r#"
        [run]
        measured_ios = "all"
        warm_up = 0
        [host]
        kind = "host"
        attached = ["first", "second"]
        [first]
        kind = "drives"
        access_time = "{first} us"
        transfer_rate = "1 TB/s"
        [second]
        kind = "drives"
        access_time = "{second} us"
        transfer_rate = "1 TB/s"
        [load]
        kind = "trace"
        from = "host"
        to = ["first", "second"]
        file = "{}"
        {more}
        "#,
        file.display()
    );
    Scenario::parse_text(&text, "replay").unwrap_or_else(|report| panic!("{report}"))
}

fn try_run(scenario: &Scenario) -> Result<RunResult, RunError> {
    let recording = RecordingOptions { ios: true, ..RecordingOptions::default() };
    run(scenario, &RunOptions { recording, ..RunOptions::default() }, &mut |_| RunFlow::Continue)
}

fn replay(file: &Path, more: &str) -> RunResult {
    try_run(&scenario(file, more)).unwrap_or_else(|error| panic!("{error}"))
}

/// The names of the streams of the replay with the number of I/Os of each, in the order of results.
fn streams(result: &RunResult) -> Vec<(String, u64)> {
    let load = result.summary.workloads.value_named("load").expect("the workload");
    load.streams.0.iter().map(|(name, stream)| (name.clone(), stream.ios)).collect()
}

/// The number of I/Os in the table by the name of their stream.
fn in_table(result: &RunResult) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for io in &result.ios.rows {
        let name = &result.names.workloads[io.workload as usize].streams[io.stream as usize].name;
        *counts.entry(name.clone()).or_default() += 1;
    }
    counts
}

const EVERY_WAY: [&str; 4] = [
    "",
    "replay = \"closed\"\nqueue_depth = 7",
    "replay = \"dependent\"",
    "replay = \"open\"\noutstanding = 1\ntime_scale = 0.1",
];

#[test]
fn the_volumes_of_a_trace_are_streams_whose_sums_are_the_whole_however_it_is_replayed() {
    let file = three_volumes("sums.csv");
    for more in EVERY_WAY {
        let result = replay(&file, more);
        let expected = [("usr", 199), ("web", 100), ("log", 1)].map(|(name, ios)| (name.to_owned(), ios));
        assert_eq!(streams(&result), expected, "{more}");
        assert_eq!(in_table(&result), BTreeMap::from(expected), "{more}");
        let load = result.summary.workloads.value_named("load").expect("the workload");
        let parts = || load.streams.0.iter().map(|(_, stream)| stream);
        assert_eq!(parts().map(|part| part.ios).sum::<u64>(), load.ios, "{more}");
        assert_eq!(parts().map(|part| part.reads.ios).sum::<u64>(), load.reads.ios, "{more}");
        assert_eq!(parts().map(|part| part.writes.bytes).sum::<u64>(), load.writes.bytes, "{more}");
        let share: f64 = parts().map(|part| part.share).sum();
        assert!((share - 1.0).abs() < 1e-12, "{more}");
    }
}

#[test]
fn each_volume_has_the_response_times_of_its_device() {
    let file = three_volumes("times.csv");
    // There is one request at a time, so nothing waits: each takes the access of its device and the transfer, to the
    // nanosecond.
    for more in ["", "replay = \"closed\"", "replay = \"dependent\""] {
        let result = replay(&file, &format!("targets = {{ usr = 1, web = 0, log = 0 }}\n{more}"));
        let load = result.summary.workloads.value_named("load").expect("the workload");
        for (name, device) in [("usr", 1), ("web", 0), ("log", 0)] {
            let times = load
                .streams
                .value_named(name)
                .and_then(|stream| stream.response_time_ns.as_ref())
                .expect(name);
            let expected = (ACCESS_US[device] + TRANSFER_US) * 1_000.0;
            assert!((times.mean - expected).abs() < 1.0, "{name}: {} {expected} {more}", times.mean);
            assert_eq!(times.min, times.max, "{name} {more}");
        }
    }
}

#[test]
fn only_the_volumes_that_are_replayed_have_results() {
    let file = three_volumes("only.csv");
    let named = replay(&file, r#"only = ["web", "usr", "missing"]"#);
    let expected = [("web", 100), ("usr", 199), ("missing", 0)].map(|(name, ios)| (name.to_owned(), ios));
    assert_eq!(streams(&named), expected);
    assert_eq!(streams(&replay(&file, r#"only = ["web"]"#)), []);
    assert_eq!(streams(&replay(&file, r#"results = "whole""#)), []);
    assert_eq!(in_table(&replay(&file, r#"results = "whole""#)), BTreeMap::from([(String::new(), 300)]));
}

#[test]
fn a_volume_without_requests_has_no_results() {
    let file = trace(
        "trims.csv",
        ["0,gone,trim,0,0", "1,web,r,0,4096", "2,empty,r,0,0", "3,usr,trim,0,4096"]
            .map(str::to_owned)
            .into_iter(),
    );
    let expected = [("web", 1), ("usr", 1)].map(|(name, ios)| (name.to_owned(), ios));
    assert_eq!(streams(&replay(&file, "")), expected);
}

#[test]
fn what_a_file_calls_its_volumes_cannot_reach_a_terminal_as_a_control_sequence() {
    let lines = ["0,a\u{1b}[31m,r,0,4096", "1,b,r,0,4096"].map(str::to_owned);
    let file = trace("control.csv", lines.into_iter());
    assert_eq!(streams(&replay(&file, ""))[0].0, "a\u{fffd}[31m");
}

#[test]
fn a_trace_of_very_many_volumes_is_one_stream_and_says_so() {
    let of = |count: u64| {
        trace(
            &format!("{count}.csv"),
            (0..count).map(|number| format!("{},v{number},r,0,4096", number * 1_000)),
        )
    };
    let most = replay(&of(256), "");
    assert_eq!(streams(&most).len(), 256);
    let told = |result: &RunResult| {
        result.summary.warnings.iter().any(|warning| warning.contains("there are more than 256 volumes"))
    };
    assert!(!told(&most));
    let more = replay(&of(257), "");
    assert_eq!((streams(&more).len(), more.summary.ios), (0, 257));
    assert!(told(&more), "{:?}", more.summary.warnings);
    let some = replay(&of(257), r#"only = ["v7", "v256"]"#);
    assert_eq!(streams(&some), [("v7".to_owned(), 1), ("v256".to_owned(), 1)]);
}

#[test]
fn a_file_that_gets_another_volume_while_it_is_used_ends_the_run() {
    let file = three_volumes("changed.csv");
    let scenario = scenario(&file, "");
    try_run(&scenario).expect("it runs");
    let text = fs::read_to_string(&file).expect("it can be read");
    fs::write(&file, text.replace("log", "new")).expect("it can be written");
    let Err(RunError::Component(_, why)) = try_run(&scenario) else { panic!("a volume that nobody counts") };
    assert!(why.contains("volume new was not in it"), "{why}");
}

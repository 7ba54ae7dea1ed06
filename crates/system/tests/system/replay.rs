//! Traces that are replayed: what comes out is what went in.

use sansim_scenario::Scenario;
use sansim_system::run::{Flow, Recording, RunError, RunOptions, RunResult, run};
use sansim_trace::{Options, Trace};
use std::path::{Path, PathBuf};

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../trace/samples")
}

/// A replay of a sample on devices that take no time, or nearly none.
fn replay(sample: &str, more: &str) -> Result<RunResult, RunError> {
    replay_on("64 TiB", sample, more)
}

fn replay_on(capacity: &str, sample: &str, more: &str) -> Result<RunResult, RunError> {
    let text = format!(
        r#"
        [run]
        measured_ios = "all"
        warm_up = 0
        [host]
        kind = "host"
        attached = ["fast"]
        driver = {{ outstanding_limit = 1000000 }}
        [fast]
        kind = "drives"
        count = 3
        model = "ram"
        transfer_rate = "1 TB/s"
        capacity = "{capacity}"
        concurrency = 1000
        [load]
        kind = "trace"
        from = "host"
        to = ["fast"]
        file = "{}"
        {more}
        "#,
        samples().join(sample).display()
    );
    let scenario = Scenario::parse(&text, "replay").unwrap_or_else(|report| panic!("{report}"));
    let options =
        RunOptions { recording: Recording { ios: true, ..Recording::default() }, ..RunOptions::default() };
    run(&scenario, &options, &mut |_| Flow::Continue)
}

/// The times of the reads and writes of a sample that have bytes, in ns.
fn arrivals(sample: &str) -> Vec<u64> {
    let trace = Trace::open(&samples().join(sample), &Options::default()).expect("a sample");
    let records = trace.map(|record| record.expect("a record"));
    let asked = records.filter(|record| record.operation.word().len() < 6 && record.bytes > 0);
    asked
        .filter(|record| ["read", "write"].contains(&record.operation.word()))
        .map(|record| record.at_ns)
        .collect()
}

/// When the I/Os of a run came, in ns, in the order in which they did.
fn came(result: &RunResult) -> Vec<f64> {
    let mut rows: Vec<(u64, f64)> =
        result.ios.rows.iter().map(|io| (io.io, (io.completed - io.response).as_ns_f64())).collect();
    rows.sort_by_key(|(io, _)| *io);
    rows.into_iter().map(|(_, at)| at).collect()
}

#[test]
fn a_trace_comes_at_its_own_times_to_the_tick() {
    for sample in
        ["msr.csv", "msr.csv.gz", "msr.csv.zst", "spc.txt", "alibaba.csv", "blkparse.txt", "fio-iolog-3.log"]
    {
        let result = replay(sample, "").unwrap_or_else(|error| panic!("{sample}: {error}"));
        let wanted: Vec<f64> = arrivals(sample).iter().map(|&ns| ns as f64).collect();
        assert!(wanted.len() > 50, "{sample}");
        assert_eq!(came(&result), wanted, "{sample}");
        assert_eq!(
            result.summary.workloads.get("load").and_then(|load| load.unstable),
            Some(false),
            "{sample}"
        );
    }
}

#[test]
fn times_are_scaled_and_what_waits_for_room_counts_from_when_it_came() {
    let whole = came(&replay("msr.csv", "").expect("it runs"));
    let result = replay("msr.csv", "time_scale = 0.5\noutstanding = 1").expect("it runs");
    for (whole, half) in whole.iter().zip(came(&result)) {
        assert!((whole * 0.5 - half).abs() < 1.0, "{whole} {half}");
    }
}

#[test]
fn a_closed_replay_keeps_so_many_outstanding_and_a_dependent_one_keeps_the_gaps() {
    let closed = replay("msr.csv", "replay = \"closed\"\nqueue_depth = 4").expect("it runs");
    let open = replay("msr.csv", "").expect("it runs");
    assert_eq!(closed.summary.ios, open.summary.ios);
    assert!(closed.summary.simulated_s < 0.1 * open.summary.simulated_s);
    let dependent = replay("msr.csv", "replay = \"dependent\"").expect("it runs");
    let mut rows: Vec<_> = dependent.ios.rows.iter().map(|io| (io.io, *io)).collect();
    rows.sort_by_key(|(io, _)| *io);
    let gaps = arrivals("msr.csv");
    for (pair, times) in rows.windows(2).zip(gaps.windows(2)) {
        let waited = (pair[1].1.completed - pair[1].1.response) - pair[0].1.completed;
        assert_eq!(waited.as_ns_f64(), (times[1] - times[0]) as f64);
    }
}

#[test]
fn a_broken_line_ends_the_run_or_is_counted_as_was_chosen() {
    let Err(RunError::Component(name, why)) = replay("msr.csv.broken", "") else { panic!("a broken line") };
    assert!(name == "load" && why.contains("line"), "{why}");
    let result = replay("msr.csv.broken", "bad_lines = \"count\"").expect("it runs");
    assert!(result.summary.warnings.iter().any(|warning| warning.contains("broken lines left out")));
}

#[test]
fn what_does_not_fit_is_told_and_done_as_was_chosen() {
    let on_a_gib = |rule: &str| replay_on("1 GiB", "msr.csv", &format!("out_of_range = \"{rule}\""));
    let Err(RunError::Component(_, why)) = on_a_gib("fail") else { panic!("it does not fit") };
    assert!(why.contains("of volume web.0 goes to byte 11976211456") && why.contains("wrap"), "{why}");
    let all = arrivals("msr.csv").len() as u64;
    let count = |result: &RunResult, what: &str| -> u64 {
        let told = result.summary.warnings.iter().find(|warning| warning.contains(what)).expect(what);
        told.split(' ').find_map(|word| word.parse().ok()).expect("a number")
    };
    let rejected = on_a_gib("reject").expect("it runs");
    let out = count(&rejected, "were left out");
    assert_eq!(rejected.summary.ios + out, all);
    let wrapped = on_a_gib("wrap").expect("it runs");
    assert_eq!((wrapped.summary.ios, count(&wrapped, "were wrapped")), (all, out));
    assert!(wrapped.ios.rows.iter().all(|io| io.lba * 512 + io.bytes <= 1 << 30));
}

#[test]
fn volumes_go_to_the_devices_that_were_chosen_for_them() {
    let on = |more: &str| replay("msr.csv", more);
    let only = on("only = [\"web.0\"]\ntargets = { \"web.0\" = 1 }").expect("it runs");
    assert!(only.summary.ios > 30 && only.ios.rows.iter().all(|io| io.device == 1));
    let none = on("targets = { web0 = 1 }").expect("it runs");
    assert!(none.summary.warnings.iter().any(|warning| warning.ends_with("there was no volume web0")));
    let turns = on("").expect("it runs");
    assert_eq!(turns.summary.devices.0.iter().filter(|(_, device)| device.ios > 0).count(), 3);
    let Err(RunError::Component(_, why)) = on("targets = { \"web.0\" = 7 }") else { panic!("no device 7") };
    assert!(why.contains("volume web.0 is to go to device 7, but there are 3"), "{why}");
}

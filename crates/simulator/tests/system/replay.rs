//! Replayed traces: the I/Os of the run are the I/Os of the trace.

use sansim_scenario::Scenario;
use sansim_simulator::run::{RecordingOptions, RunError, RunFlow, RunOptions, RunResult, run};
use sansim_trace::{Trace, TraceOperation, TraceReadOptions};
use std::path::{Path, PathBuf};

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../trace/samples")
}

/// A replay of a sample on devices that take no time, or nearly none.
fn replay(sample: &str, more: &str) -> Result<RunResult, RunError> {
    replay_on("64 TiB", sample, more)
}

fn replay_on(capacity: &str, sample: &str, more: &str) -> Result<RunResult, RunError> {
    run_text(&text_of(capacity, sample, more))
}

fn text_of(capacity: &str, sample: &str, more: &str) -> String {
    format!(
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
    )
}

fn run_text(text: &str) -> Result<RunResult, RunError> {
    let scenario = Scenario::parse_text(text, "replay").unwrap_or_else(|report| panic!("{report}"));
    let options = RunOptions {
        recording: RecordingOptions { ios: true, ..RecordingOptions::default() },
        ..RunOptions::default()
    };
    run(&scenario, &options, &mut |_| RunFlow::Continue)
}

/// The times of the requests of a sample that are replayed, in ns: those that have bytes, and flushes.
fn arrivals(sample: &str) -> Vec<u64> {
    let trace = Trace::open_file(&samples().join(sample), &TraceReadOptions::default()).expect("a sample");
    let records = trace.map(|record| record.expect("a record"));
    let asked = records.filter(|record| record.bytes > 0 || record.operation == TraceOperation::Flush);
    asked.map(|record| record.at_ns).collect()
}

/// The arrival times of the I/Os of a run, in ns, in the order of arrival.
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
            result.summary.workloads.value_named("load").and_then(|load| load.unstable),
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
    // An error near the beginning of a trace is found before the run.
    let path = samples().join("msr.csv.broken");
    let keys = format!("kind = \"trace\"\nfile = \"{}\"", path.display());
    let why = ends(&with_workload(&keys)).err().unwrap_or_default();
    assert!(why.contains("msr.csv.broken: line"), "{why}");
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

#[test]
fn a_trace_is_replayed_as_often_as_it_is_told_to_be() {
    let once = replay("msr.csv", "").expect("it runs");
    let thrice = replay("msr.csv", "passes = 3").expect("it runs");
    assert_eq!(thrice.summary.ios, 3 * once.summary.ios);
    let (one, all) = (came(&once), came(&thrice));
    let mean = (one[one.len() - 1] - one[0]) / (one.len() - 1) as f64;
    for pass in 1..3 {
        let first = pass * one.len();
        // The pass begins after the last request of the pass before by the mean distance of requests.
        assert!((all[first] - all[first - 1] - mean).abs() < 2.0, "{pass}");
        for (k, at) in one.iter().enumerate() {
            assert!((all[first + k] - all[first] - (at - one[0])).abs() < 1.0, "{pass}: {k}");
        }
    }
    let closed = replay("msr.csv", "passes = 2\nreplay = \"closed\"").expect("it runs");
    assert_eq!(closed.summary.ios, 2 * once.summary.ios);
}

/// A scenario of a drive and a workload with these keys.
fn with_workload(keys: &str) -> String {
    format!(
        "[run]\nmeasured_ios = \"all\"\n[host]\nkind = \"host\"\nattached = [\"d\"]\n[d]\nkind = \"drives\"\ncount = 2\naccess_time = \"1 ms\"\n\
         transfer_rate = \"1 GB/s\"\ncapacity = \"1 GB\"\n[load]\nfrom = \"host\"\nto = [\"d\"]\n{keys}\n"
    )
}

/// The errors of a scenario before it runs, or the end of its run.
fn ends(text: &str) -> Result<RunResult, String> {
    let scenario = Scenario::parse_text(text, "empty").map_err(|report| report.to_string())?;
    run(&scenario, &RunOptions::default(), &mut |_| RunFlow::Continue).map_err(|error| match error {
        RunError::Component(name, why) => format!("{name}: {why}"),
        other => format!("{other:?}"),
    })
}

/// Writes a file for a test, and returns its path.
fn written(name: &str, content: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("sansim-replay-{}-{name}", std::process::id()));
    std::fs::write(&path, content).expect("a place for temporary files");
    path
}

#[test]
fn a_workload_that_asks_for_nothing_is_an_error() {
    let trace = |name: &str, content: &str, more: &str| {
        let path = written(name, content);
        ends(&with_workload(&format!("kind = \"trace\"\nfile = \"{}\"\n{more}", path.display())))
    };
    let issued = "8,16 1 1 0.0 9 D R 1000 + 8 [a]\n8,16 1 2 0.1 9 C R 1000 + 8 [0]\n";
    let why = trace("issued", issued, "format = \"blkparse\"").err().unwrap_or_default();
    assert!(why.contains("action = \"issued\""), "{why}");
    assert!(trace("issued", issued, "action = \"issued\"").is_ok());
    let empty = "0,d,r,0,0\n1,d,w,0,0\n";
    let columns = "columns = \"time:us,volume,op,offset,bytes\"";
    assert!(trace("nothing", empty, columns).err().unwrap_or_default().contains("no request"));
    assert!(trace("trims", "0,d,t,0,4096\n1,d,f,0,0\n", columns).is_ok());
    let other = format!("{columns}\nonly = [\"other\"]");
    assert!(trace("other", "0,d,r,0,4096\n", &other).err().unwrap_or_default().contains("that `only` names"));
    assert!(trace("empty", "", columns).is_err());
    assert!(trace("header", "time,volume,op,offset,bytes\n", columns).is_err());
    // The rule holds whatever the kind of workload is: the first of these would arrive after the end of the
    // run.
    let pause = with_workload(
        "kind = \"synthetic\"\nduration = \"1 ms\"\narrivals = { process = \"deterministic\", rate = \"1/s\" }",
    );
    let why = ends(&pause).err().unwrap_or_default();
    assert!(why.contains("asks for nothing"), "{why}");
}

#[test]
fn a_job_that_cannot_keep_one_of_its_rates_is_unstable() {
    let job = |rates: &str| {
        let text = format!(
            "[a]\nioengine=libaio\nrw=randrw\nbs=4k\niodepth=64\nruntime=20\ntime_based\nrate_iops={rates}\n"
        );
        let path = written(&format!("{}.fio", rates.replace(',', "-")), &text);
        let keys = format!("kind = \"fio-job\"\nfile = \"{}\"", path.display());
        let result = ends(&with_workload(&keys)).unwrap_or_else(|why| panic!("{why}"));
        let load = result.summary.workloads.value_named("load").cloned().expect("the load");
        let rate = |ios: u64| ios as f64 / result.summary.simulated_s;
        (load.unstable, rate(load.part.reads.ios), rate(load.part.writes.ios))
    };
    let (unstable, reads, writes) = job("100,50");
    assert_eq!(unstable, Some(false));
    assert!((reads - 100.0).abs() < 1.0 && (writes - 50.0).abs() < 1.0, "{reads} {writes}");
    let (unstable, ..) = job("5000,50");
    assert_eq!(unstable, Some(true));
}

#[test]
fn more_names_of_files_than_devices_are_an_error_and_a_table_says_which_each_is() {
    let path = written("names.fio", "[a]\nsize=1m\nfilename=/dev/sda:/dev/sdb:/dev/sdc\n");
    let of = |table: &str| {
        ends(&with_workload(&format!("kind = \"fio-job\"\nfile = \"{}\"\n{table}", path.display())))
    };
    let why = of("").err().unwrap_or_default();
    assert!(why.contains("names 3 devices and `to` has 2") && why.contains("/dev/sdc"), "{why}");
    assert!(of("devices = { \"/dev/sdc\" = \"d[0]\" }").is_ok());
    let why = of("devices = { \"/dev/sdc\" = \"d[7]\" }").err().unwrap_or_default();
    assert!(why.contains("`to` has no device `d[7]`"), "{why}");
    let why = of("devices = { \"/dev/sdx\" = \"d[1]\", \"/dev/sdc\" = \"d\" }").err().unwrap_or_default();
    assert!(why.contains("the file does not name /dev/sdx"), "{why}");
}

#[test]
fn all_of_a_trace_is_measured_if_nothing_else_is_said() {
    for (sample, warm_up) in [("msr.csv", "warm_up = 0"), ("msr.csv", ""), ("spc.txt", "")] {
        let text = text_of("64 TiB", sample, "").replace("warm_up = 0", warm_up);
        let summary = run_text(&text).unwrap_or_else(|error| panic!("{sample}: {error}")).summary;
        assert_eq!(
            (summary.ios, summary.warm_up_ios),
            (arrivals(sample).len() as u64, 0),
            "{sample} {warm_up}"
        );
    }
}

/// `FW` flushes the device and writes when it is flushed, `WF` writes to the medium: on a drive of 2 ms and 1 ms behind a cache.
#[test]
fn a_write_with_a_preflush_follows_the_flush_and_a_forced_one_reaches_the_medium() {
    let lines = "8,0 0 1 1.0 7 Q WS 0 + 8 [a]\n8,0 0 2 1.001 7 Q FWS 800 + 8 [a]\n8,0 0 3 2.0 7 Q WFS 1600 + 8 [a]\n\
        8,0 0 4 3.0 7 Q WS 2400 + 8 [a]\n8,0 0 5 3.001 7 Q FWFS 3200 + 8 [a]\n8,0 0 6 4.0 7 Q FS [a]\n";
    let path = written("preflush.blkparse", lines);
    let text = format!(
        "[run]\nwarm_up = 0\nmeasured_ios = 6\n[host]\nkind = \"host\"\nattached = [\"disk\"]\n[host.driver]\narrival_time = \"0 ns\"\ncompletion_time = \"0 ns\"\n\
         [disk]\nkind = \"drives\"\ncapacity = \"64 MiB\"\naccess_time = \"2 ms\"\ntransfer_rate = \"4096 KB/s\"\ncache = \"64 KiB\"\n\
         [load]\nkind = \"trace\"\nfrom = \"host\"\nto = [\"disk\"]\nfile = \"{}\"\n",
        path.display()
    );
    let result = run_text(&text).expect("it runs");
    let mut rows = result.ios.rows.clone();
    rows.sort_by_key(|io| io.io);
    let us: Vec<u64> = rows.iter().map(|io| (io.response.as_ns_f64() / 1e3).round() as u64).collect();
    // The first write is answered when the cache has it, and is on the medium 3 ms after it came; the flush of the second waits for that, and
    // its data are in the cache at once. The third is on the medium after 3 ms. The fifth waits 2 ms for the flush, then 3 ms.
    assert_eq!(us, [0, 2_000, 3_000, 0, 5_000, 0]);
    assert_eq!(result.summary.flushes.ios, 1, "a preflush is a part of its write");
    let behind = result.summary.warnings.clone();
    assert!(behind.iter().all(|warning| !warning.contains("left out")), "{behind:?}");
}

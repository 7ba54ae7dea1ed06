//! The features that a test bed of cached drives needs (Ruwart 1999): status in a circuit of its own that is prepared in parallel with
//! the transfer, reading ahead and writing behind, and passes in which every drive has the same number of I/Os.

use sansim_kernel::Time;
use sansim_scenario::Scenario;
use sansim_simulator::run::RecordingOptions;
use sansim_simulator::summary::Summary;
use sansim_simulator::{RunFlow, RunOptions, RunResult};

const BED: &str = r#"
    [run]
    measured_ios = 200
    warm_up = 4
    [loop]
    kind = "arbitrated-loop"
    speed = "1GFC"
    stations = ["host", "disks", "others"]
    [host]
    kind = "host"
    port = { incoming_buffers = 2 }
    [disks]
    kind = "drives"
    count = 1
    access_time = "13 ms"
    transfer_rate = "10 MB/s"
    cache = "160 KiB"
    read_sequence = "32 KiB"
    port = { incoming_buffers = 1 }
    adapter = { command_time = "220 us", response_time = "230 us", response_circuit = "own" }
    [others]
    kind = "passive"
    count = 11
    [workload]
    kind = "closed"
    from = "host"
    to = "disks"
    size = "1 KiB"
    pattern = "sequential"
"#;

fn run(set: &[&str]) -> Summary {
    run_with(set, &RunOptions::default()).summary
}

fn run_with(set: &[&str], options: &RunOptions) -> RunResult {
    let overrides: Vec<(String, String)> = set
        .iter()
        .map(|s| s.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned())).expect("key=value"))
        .collect();
    let scenario =
        Scenario::parse_with(BED, "test bed", &overrides).unwrap_or_else(|report| panic!("{report}"));
    sansim_simulator::run(&scenario, options, &mut |_| RunFlow::Continue).expect("no files")
}

fn of_loop(summary: &Summary) -> (u64, f64) {
    let json = serde_json::to_value(summary).expect("a summary is JSON");
    let component = &json["components"]["loop"];
    (component["tenancies"].as_u64().expect("a count"), component["round_trip_ns"].as_f64().expect("a time"))
}

#[test]
fn the_status_of_a_read_may_go_in_a_circuit_of_its_own() {
    let tenancies = |set: &[&str]| {
        let summary = run(set);
        (of_loop(&summary).0 as f64 / summary.ios as f64).round()
    };
    assert_eq!(tenancies(&[]), 3.0, "command, data, status");
    assert_eq!(tenancies(&["disks.adapter.response_time=0 ns"]), 3.0, "even if it is ready at once");
    let shared = ["disks.adapter.response_time=0 ns", "disks.adapter.response_circuit=shared"];
    assert_eq!(tenancies(&shared), 2.0, "it goes with the data");
}

/// Ruwart, table 1: a larger loop makes the data phase longer, and the idle time behind it shorter by as much.
#[test]
fn the_status_is_made_while_the_data_are_on_their_way() {
    let rounds = |start: &str| {
        let start = format!("disks.adapter.response_start={start}");
        let (few, many) = (run(&[&start]), run(&[&start, "others.count=95"]));
        (many.response_time_ns.mean - few.response_time_ns.mean) / (of_loop(&many).1 - of_loop(&few).1)
    };
    // The command takes three rounds less the path from the drive back. The data take two rounds until they leave, but
    // only the first counts if the status is prepared in parallel. The status takes two rounds, and the path back to the
    // host.
    assert!((rounds("fetched") - 5.0).abs() < 0.02, "{}", rounds("fetched"));
    assert!((rounds("sent") - 7.0).abs() < 0.02, "{}", rounds("sent"));
}

#[test]
fn sequential_reads_find_their_data_read_ahead_and_random_ones_do_not() {
    let small = run(&[]);
    assert!(small.response_time_ns.max < 600_000, "{} ns", small.response_time_ns.max);
    let random = run(&["workload.pattern=random"]);
    assert!(random.response_time_ns.min > 13_000_000, "{} ns", random.response_time_ns.min);
    for size in ["64 KiB", "1 MiB"] {
        let size = format!("workload.size={size}");
        let large = run(&[&size, "run.measured_ios=40"]);
        let share = large.bytes_per_second / 10e6;
        assert!((0.99..1.001).contains(&share), "{size}: {share} of the medium's rate");
    }
}

#[test]
fn writes_are_done_when_they_are_in_the_cache_until_it_is_full() {
    let small = run(&["workload.read_fraction=0"]);
    assert!(small.response_time_ns.max < 600_000, "{} ns", small.response_time_ns.max);
    let large = run(&["workload.read_fraction=0", "workload.size=1 MiB", "run.measured_ios=40"]);
    let share = large.bytes_per_second / 10e6;
    assert!((0.9..1.001).contains(&share), "{share} of the medium's rate");
}

#[test]
fn in_passes_every_drive_has_as_many_ios_and_unfair_drives_are_done_in_the_order_of_their_priority() {
    // The loop is so long that it is the bottleneck, but the host can still send its commands.
    let base = [
        "disks.count=8",
        "disks.port.cable=1 km",
        "host.schedule=unfair",
        "workload.ios_per_pass=20",
        "run.measured_ios=480",
        "run.warm_up=0",
    ];
    let passes = |fair: &str| {
        let set: Vec<&str> = base.iter().copied().chain([fair]).collect();
        run(&set).passes.0.remove(0).1
    };
    let fair = passes("disks.fair=true");
    assert_eq!((fair.complete, fair.drives.len()), (3, 8));
    assert_eq!(fair.drives[0], "disks[0]");
    assert!(fair.last_finished_s <= fair.length_s);
    assert!(fair.first_finished_s > 0.95 * fair.last_finished_s, "{fair:?}");
    let unfair = passes("disks.fair=false");
    assert!(unfair.first_finished_s < 0.5 * unfair.last_finished_s, "{unfair:?}");
    assert!(unfair.higher_half_finished_s < 0.7 * unfair.lower_half_finished_s, "{unfair:?}");
    let rates = &unfair.drive_bytes_per_second;
    assert!(rates[0] > 2.0 * rates[7], "{rates:?}");
}

#[test]
fn what_passes_took_is_what_the_records_of_their_ios_say() {
    // There are seven drives, so that there is a median, with 20 I/Os to each in a pass, and three passes.
    for fair in ["disks.fair=true", "disks.fair=false"] {
        let set = [
            "disks.count=7",
            "disks.port.cable=1 km",
            "host.schedule=unfair",
            "workload.ios_per_pass=20",
            "workload.queue_depth=2",
            "run.measured_ios=420",
            "run.warm_up=0",
            "disks.access_time={ distribution = \"exponential\", mean = \"2 ms\" }",
            "workload.pattern=random",
            fair,
        ];
        let options = RunOptions { recording: RecordingOptions::IOS, ..RunOptions::default() };
        let result = run_with(&set, &options);
        let ios = result.ios.rows;
        let passes = result.summary.passes.value_named("workload").expect("it runs in passes").clone();
        assert_eq!((passes.complete, ios.len()), (3, 3 * 7 * 20));
        let mut finished = [0.0; 7];
        let mut began = Time::ZERO;
        for pass in ios.chunks(7 * 20) {
            for drive in 1..=7 {
                let of_drive: Vec<_> = pass.iter().filter(|io| io.drive == drive).collect();
                assert_eq!(of_drive.len(), 20, "drive {drive}");
                finished[drive as usize - 1] += (of_drive[19].completed - began).as_s_f64() / 3.0;
            }
            began = pass[pass.len() - 1].completed;
        }
        let close = |what: &str, found: f64, expected: f64| {
            assert!((found / expected - 1.0).abs() < 1e-9, "{fair}, {what}: {found}, {expected}");
        };
        let length = (began - Time::ZERO).as_s_f64() / 3.0;
        close("length", passes.length_s, length);
        close("I/Os per second", passes.iops, 140.0 / length);
        close("bytes per second", passes.bytes_per_second, 140.0 * 1024.0 / length);
        // The first drive on the loop has the highest priority.
        for (drive, at) in finished.into_iter().enumerate() {
            assert_eq!(passes.drives[drive], format!("disks[{drive}]"));
            close("a drive", passes.finished_s[drive], at);
            close("bytes per second of a drive", passes.drive_bytes_per_second[drive], 20.0 * 1024.0 / at);
        }
        close("first", passes.first_finished_s, finished.into_iter().fold(f64::INFINITY, f64::min));
        close("last", passes.last_finished_s, finished.into_iter().fold(0.0, f64::max));
        close("higher half", passes.higher_half_finished_s, finished[..3].iter().sum::<f64>() / 3.0);
        close(
            "lower half and the middle",
            passes.lower_half_finished_s,
            finished[3..].iter().sum::<f64>() / 4.0,
        );
    }
}

#[test]
fn a_summary_without_passes_says_nothing_of_them() {
    let json = serde_json::to_value(run(&[])).expect("a summary is JSON");
    assert!(json.get("passes").is_none());
}

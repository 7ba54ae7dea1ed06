//! Utilisations in a result.

use crate::common::{figure, run};

const TWO: &str = "scenarios/two-nodes.toml";

#[test]
fn no_loop_carries_frames_for_more_than_the_whole_time() {
    let set = [
        "run.measured_ios=400",
        "workload.size=256 KiB",
        "workload.queue_depth=32",
        "workload.read_fraction=0.5",
        "drive.concurrency=32",
    ];
    let shares = |duplex: &str| {
        let ports =
            [format!("controller.port.full_duplex={duplex}"), format!("drive.port.full_duplex={duplex}")];
        let summary = run(TWO, &[&set[..], &[&ports[0], &ports[1]]].concat());
        let of = |name| figure(&summary, "loop", name);
        (of("utilisation"), of("both_ways"), of("owned"))
    };
    let (carrying, both, owned) = shares("true");
    assert!(carrying <= owned && owned <= 1.0, "{carrying} of {owned}");
    assert!(both > 0.5 && both <= carrying, "{both} of {carrying}");
    let (carrying, both, owned) = shares("false");
    assert!(carrying > 0.5 && carrying <= owned && owned <= 1.0, "{carrying} of {owned}");
    assert_eq!(both, 0.0, "half duplex");
}

#[test]
fn a_drive_that_is_taken_until_its_status_is_made_is_occupied_though_it_is_not_busy() {
    let set = [
        "run.measured_ios=400",
        "workload.size=1 MiB",
        "workload.queue_depth=8",
        "workload.read_fraction=1.0",
        "drive.model=disk",
        "drive.access_time=3 ms",
        "drive.transfer_rate=1000 MB/s",
        "drive.concurrency=1",
    ];
    let summary = run(TWO, &set);
    let [utilisation, occupied, occupied_min, occupied_max] =
        ["utilisation", "occupied", "occupied_min", "occupied_max"]
            .map(|name| figure(&summary, "drive", name));
    assert!(utilisation < 0.6, "{utilisation}");
    assert!(occupied > 0.99 && occupied <= 1.0, "{occupied}");
    assert_eq!((occupied_min, occupied_max), (occupied, occupied), "there is one");
}

#[test]
fn blocks_are_busy_for_as_long_as_their_work_for_each_io_takes() {
    // The load is reads of two frames. By hand, for each read: the controller handles a command; its frame process handles two
    // frames of data and the status, of which only the status goes through the single frame transfer. A drive has one command at
    // a time.
    let set = [
        "run.measured_ios=2000",
        "workload.size=4 KiB",
        "workload.queue_depth=3",
        "drives.access_time=2 ms",
        "drives.transfer_rate=4096 KB/s",
        "drives.concurrency=2",
        "drives.count=4",
        "controller.adapter.command_time=40 us",
        "controller.adapter.frame_time=3 us",
        "controller.adapter.single_frame_time=20 us",
    ];
    let summary = run("scenarios/wang-2005-base.toml", &set);
    let close = |what: &str, found: f64, us_for_each_io: f64| {
        let expected = summary.iops * us_for_each_io * 1e-6;
        assert!((found / expected - 1.0).abs() < 0.01, "{what}: {found}, {expected}");
    };
    close("processor", figure(&summary, "controller", "processor"), 40.0);
    close("frame process", figure(&summary, "controller", "incoming"), 3.0 * 3.0);
    close("single frame transfer", figure(&summary, "controller", "single_frame"), 20.0);
    // A read takes an access of 2 ms, and 4 KiB at 4,096 KB/s: a millisecond. Each of the four drives works
    // on two commands.
    close("drives", figure(&summary, "drives", "utilisation"), 3_000.0 / (4.0 * 2.0));
}

//! What a result says of how busy its components were.

mod common;

use common::run;
use sansim_system::summary::Component;

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
        match summary.components.get("loop") {
            Some(&Component::ArbitratedLoop { utilisation, both_ways, owned, .. }) => {
                (utilisation, both_ways, owned)
            }
            _ => panic!("a loop"),
        }
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
    match run(TWO, &set).components.get("drive") {
        Some(&Component::Drives { utilisation, occupied, occupied_min, occupied_max, .. }) => {
            assert!(utilisation < 0.6, "{utilisation}");
            assert!(occupied > 0.99 && occupied <= 1.0, "{occupied}");
            assert_eq!((occupied_min, occupied_max), (occupied, occupied), "there is one");
        }
        _ => panic!("a drive"),
    }
}

//! Captures of random systems: both loops give the same file, the result does not change, and every frame appears where it is
//! sent and where it is received.

use crate::common::{random, text};
use proptest::prelude::*;
use sansim_component::NetworkModel;
use sansim_observe::capture::{Capture, CaptureCounts, CaptureOptions, InterfaceCounts, MonitoredPoints};
use sansim_scenario::Scenario;
use sansim_simulator::{
    RunFlow, build,
    run::{RecordingOptions, run_plan},
};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A path for a file of its own for every capture.
fn place() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("sansim-system-{}-{number}.pcapng", std::process::id()))
}

/// The file, its counts, and the summary.
pub(crate) fn captured(scenario: &Scenario, model: NetworkModel) -> (Vec<u8>, CaptureCounts, String) {
    let path = place();
    let plan = build::plan_system(scenario, None, model);
    let names = plan.observer_names();
    let options = CaptureOptions { points: MonitoredPoints::All, ..CaptureOptions::default() };
    let capture = Capture::create(&path, &names, options).expect("create");
    let (result, capture) =
        crate::common::watched(&plan, RecordingOptions::default(), capture).expect("it ends");
    let (written, counts) = capture.finish(true).expect("finish");
    let bytes = std::fs::read(&written.path).expect("read");
    std::fs::remove_file(&written.path).expect("clean up");
    (bytes, counts, serde_json::to_string(&result.summary).expect("a summary is JSON"))
}

fn uncaptured(scenario: &Scenario) -> String {
    let plan = build::plan_system(scenario, None, NetworkModel::Fast);
    let result =
        run_plan(&plan, RecordingOptions::default(), None, &mut |_| RunFlow::Continue).expect("it ends");
    serde_json::to_string(&result.summary).expect("a summary is JSON")
}

/// The counts of one direction, in the order of [`InterfaceCounts`].
fn total(counts: &CaptureCounts, direction: &str) -> [u64; 5] {
    let mut sums = [0; 5];
    for interface in counts.interfaces.iter().filter(|i| i.name.ends_with(direction)) {
        let InterfaceCounts { commands, transfer_readies, data, responses, data_bytes, .. } = interface;
        for (sum, value) in sums.iter_mut().zip([commands, transfer_readies, data, responses, data_bytes]) {
            *sum += value;
        }
    }
    sums
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(200), ..ProptestConfig::default() })]

    #[test]
    fn every_frame_is_captured_once_at_each_end_and_nothing_else_changes(text in random::scenarios(60)) {
        let scenario = Scenario::parse_text(&text, "random").expect("a scenario");
        let (fast, counts, summary) = captured(&scenario, NetworkModel::Fast);
        let (reference, _, _) = captured(&scenario, NetworkModel::Reference);
        prop_assert!(fast == reference, "the files differ");
        prop_assert_eq!(summary, uncaptured(&scenario));
        let sent = total(&counts, " out");
        prop_assert_eq!(sent, total(&counts, " in"));
        prop_assert!(sent[0] > 0);
        prop_assert_eq!(sent[0], sent[3], "commands and statuses");
        prop_assert_eq!(counts.without_identifier, 0);
    }
}

/// The positions of R_CTL and of the payload in a whole frame.
const ROUTING: usize = 4;
const PAYLOAD: usize = 28;

/// The first block and the LUN of all commands of a capture that passed an interface, in order of blocks.
fn luns(capture: &[u8], interface: u32) -> Vec<(u64, [u8; 8])> {
    let word = |at: usize| u32::from_le_bytes(capture[at..at + 4].try_into().expect("four bytes"));
    let (mut found, mut at) = (Vec::new(), 0);
    while at < capture.len() {
        let frame = at + 28;
        // The blocks are enhanced packet blocks of FCP_CMND, all with CDBs of 10 bytes.
        if word(at) == 6 && word(at + 8) == interface && capture[frame + ROUTING] == 0x06 {
            let payload = &capture[frame + PAYLOAD..];
            let block = u32::from_be_bytes(payload[14..18].try_into().expect("four bytes"));
            found.push((u64::from(block), payload[..8].try_into().expect("eight bytes")));
        }
        at += word(at + 4) as usize;
    }
    found.sort_unstable();
    found
}

/// Two volumes of an array with a loop on either side; with a controller before the volumes, or without.
fn two_volumes(has_controller: bool) -> String {
    let (asked, pool) = if has_controller {
        ("controller", "[controller]\nkind = \"controller\"\nto = [\"pool\"]\n[pool]")
    } else {
        ("pool", "[pool]")
    };
    format!(
        r#"
        [run]
        measured_ios = 200
        warm_up = 0
        [near]
        kind = "arbitrated-loop"
        speed = "2GFC"
        stations = ["host", "{asked}.front"]
        [far]
        kind = "arbitrated-loop"
        speed = "2GFC"
        stations = ["array.back", "disks"]
        [host]
        kind = "host"
        {pool}
        kind = "volumes"
        to = ["array"]
        equal_volumes = 2
        [array]
        kind = "raid"
        to = ["disks"]
        stripe_unit = "64 KiB"
        layout.level = "0"
        [disks]
        kind = "drives"
        count = 2
        access_time = "1 ms"
        transfer_rate = "50 MB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["{asked}"]
        size = "4 KiB"
        read_fraction = 0.5
        "#
    )
}

#[test]
fn a_volume_is_a_logical_unit_at_the_port_by_which_it_is_asked() {
    for has_controller in [false, true] {
        let text = two_volumes(has_controller);
        let (capture, counts, _) = captured(&text::scenario(&text), NetworkModel::Fast);
        let interfaces: Vec<&str> = counts.interfaces.iter().map(|interface| &*interface.name).collect();
        let out = |name: &str| {
            let found = interfaces.iter().position(|of| of.starts_with(name) && of.ends_with(" out"));
            found.unwrap_or_else(|| panic!("no {name} among {interfaces:?}")) as u32
        };
        // Each command belongs to an I/O for the volume that was requested.
        let result = text::run(&text);
        let names = &result.names;
        let unit = |device: u32| names.devices[device as usize].logical_unit as u8;
        let lun = |unit: u8| [0, unit, 0, 0, 0, 0, 0, 0];
        let mut wanted: Vec<(u64, [u8; 8])> =
            result.ios.rows.iter().map(|io| (io.lba, lun(unit(io.device)))).collect();
        wanted.sort_unstable();
        assert_eq!(luns(&capture, out("host")), wanted);
        for unit in [0, 1] {
            assert!(wanted.iter().filter(|(_, of)| *of == lun(unit)).count() > 50, "each is asked");
        }
        // Each disk is the only device behind its port.
        let of_disks = luns(&capture, out("array"));
        assert!(of_disks.len() >= 200 && of_disks.iter().all(|(_, of)| *of == lun(0)));
    }
}

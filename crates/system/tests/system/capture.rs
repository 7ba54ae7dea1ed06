//! A capture of random systems: both loops give the same file, nothing of the result changes, and every frame is there where it
//! is sent and where it is received.

use crate::common::{random, text};
use proptest::prelude::*;
use sansim_fc::arbitrated_loop::LoopModel;
use sansim_observe::capture::{Capture, CaptureCounts, CaptureOptions, InterfaceCounts, Points};
use sansim_observe::observer::NoObserver;
use sansim_scenario::Scenario;
use sansim_system::{
    Flow, build,
    run::{Recording, run_plan},
};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A file of its own for every capture.
fn place() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("sansim-system-{}-{number}.pcapng", std::process::id()))
}

/// The file, what it holds, and the summary.
fn captured(scenario: &Scenario, model: LoopModel) -> (Vec<u8>, CaptureCounts, String) {
    let path = place();
    let plan = build::plan(scenario, None, model);
    let names = plan.names();
    let options = CaptureOptions { points: Points::All, ..CaptureOptions::default() };
    let capture = Capture::create(&path, &names, options).expect("create");
    let (result, capture) =
        run_plan(&plan, Recording::default(), capture, &mut |_| Flow::Continue).expect("it ends");
    let (written, counts) = capture.finish(true).expect("finish");
    let bytes = std::fs::read(&written.path).expect("read");
    std::fs::remove_file(&written.path).expect("clean up");
    (bytes, counts, serde_json::to_string(&result.summary).expect("a summary is JSON"))
}

fn uncaptured(scenario: &Scenario) -> String {
    let plan = build::plan(scenario, None, LoopModel::Fast);
    let (result, _) =
        run_plan(&plan, Recording::default(), NoObserver, &mut |_| Flow::Continue).expect("it ends");
    serde_json::to_string(&result.summary).expect("a summary is JSON")
}

/// What went one way, in the order of [`InterfaceCounts`].
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
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn every_frame_is_captured_once_at_each_end_and_nothing_else_changes(text in random::scenarios(60)) {
        let scenario = Scenario::parse(&text, "random").expect("a scenario");
        let (fast, counts, summary) = captured(&scenario, LoopModel::Fast);
        let (reference, _, _) = captured(&scenario, LoopModel::Reference);
        prop_assert!(fast == reference, "the files differ");
        prop_assert_eq!(summary, uncaptured(&scenario));
        let sent = total(&counts, " out");
        prop_assert_eq!(sent, total(&counts, " in"));
        prop_assert!(sent[0] > 0);
        prop_assert_eq!(sent[0], sent[3], "commands and statuses");
        prop_assert_eq!(counts.without_identifier, 0);
    }
}

/// Offsets in a whole frame of its R_CTL, and in the payload of FCP_CMND behind SOF and the header: the LUN and FCP_DL.
const ROUTING: usize = 4;
const PAYLOAD: usize = 28;

/// The LUNs of all commands of a capture, by how many bytes they ask for and which interface they passed.
fn luns(capture: &[u8]) -> BTreeMap<(u32, u32), Vec<[u8; 8]>> {
    let word = |at: usize| u32::from_le_bytes(capture[at..at + 4].try_into().expect("four bytes"));
    let mut found: BTreeMap<(u32, u32), Vec<[u8; 8]>> = BTreeMap::new();
    let mut at = 0;
    while at < capture.len() {
        let frame = at + 28;
        // Enhanced packet blocks of FCP_CMND.
        if word(at) == 6 && capture[frame + ROUTING] == 0x06 {
            let payload = &capture[frame + PAYLOAD..];
            let bytes = u32::from_be_bytes(payload[28..32].try_into().expect("four bytes"));
            let lun = payload[..8].try_into().expect("eight bytes");
            found.entry((bytes, word(at + 8))).or_default().push(lun);
        }
        at += word(at + 4) as usize;
    }
    found
}

/// Two volumes of an array with a loop on either side, each with a load of its own size; with the array as a module of a controller, or by itself.
fn two_volumes(in_controller: bool) -> String {
    let (front, pool) = if in_controller {
        (
            "controller.front",
            "[controller]\nkind = \"controller\"\nto = [\"pool\"]\n[pool]\ninside = [\"controller\"]",
        )
    } else {
        ("pool.front", "[pool]")
    };
    let asked = if in_controller { "controller" } else { "pool" };
    let load = |name: &str, unit: u32, kib: u32| {
        format!(
            "[{name}]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"{asked}[0][{unit}]\"]\nsize = \"{kib} KiB\"\nread_fraction = 0.5\n"
        )
    };
    format!(
        r#"
        [run]
        measured_ios = 100
        warm_up = 0
        [near]
        kind = "arbitrated-loop"
        speed = "2GFC"
        stations = ["host", "{front}"]
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
        strip = "64 KiB"
        layout.level = "0"
        [disks]
        kind = "drives"
        count = 2
        access_time = "1 ms"
        transfer_rate = "50 MB/s"
        {}{}
        "#,
        load("small", 0, 4),
        load("large", 1, 16),
    )
}

#[test]
fn a_volume_is_a_logical_unit_at_the_port_of_those_that_it_is_presented_by() {
    for in_controller in [false, true] {
        let scenario = text::scenario(&two_volumes(in_controller));
        let (capture, counts, _) = captured(&scenario, LoopModel::Fast);
        let interfaces: Vec<&str> = counts.interfaces.iter().map(|interface| &*interface.name).collect();
        let out = |name: &str| interfaces.iter().position(|&of| of == name).expect("an interface") as u32;
        let (host, array) = (out("host out"), out("array.back out"));
        let found = luns(&capture);
        for (kib, unit) in [(4, 0), (16, 1)] {
            let of_volume = &found[&(kib << 10, host)];
            assert!(of_volume.len() > 20 && of_volume.iter().all(|lun| *lun == [0, unit, 0, 0, 0, 0, 0, 0]));
            // Each disk is the only device behind its port.
            let of_disks = &found[&(kib << 10, array)];
            assert!(of_disks.len() > 20 && of_disks.iter().all(|lun| *lun == [0; 8]), "{of_disks:?}");
        }
    }
}

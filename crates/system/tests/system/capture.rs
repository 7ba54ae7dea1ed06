//! A capture of random systems: both loops give the same file, nothing of the result changes, and every frame is there where it
//! is sent and where it is received.

use crate::common::random;
use proptest::prelude::*;
use sansim_fc::arbitrated_loop::LoopModel;
use sansim_observe::capture::{Capture, CaptureCounts, CaptureOptions, InterfaceCounts, Points};
use sansim_observe::observer::NoObserver;
use sansim_scenario::Scenario;
use sansim_system::{
    Flow, build,
    run::{Recording, run_plan},
};
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

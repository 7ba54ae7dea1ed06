//! The fast loop and the reference loop give the same run of a whole system: the same states, fill words, signals and frames
//! at the same ticks at every port that does more than repeat, and the same summary, over random systems.

// This program uses only a part of the common module: random systems.
#[allow(dead_code)]
#[path = "system/common/mod.rs"]
mod common;

use common::random;
use proptest::prelude::*;
use sansim_component::NetworkModel;
use sansim_fc::observation::Observation;
use sansim_kernel::Time;
use sansim_observe::observer::{Observer, WantedCalls};
use sansim_pdu::PortSight;
use sansim_request::Requests;
use sansim_scenario::Scenario;
use sansim_simulator::{
    RunFlow, build,
    run::{RecordingOptions, run_plan},
};

/// An observer that keeps all observations.
#[derive(Default)]
struct Recorder(Vec<(Time, usize, Observation)>);

impl Observer for Recorder {
    fn wants(&self) -> WantedCalls {
        WantedCalls { ports: true, repeaters: true, ..WantedCalls::default() }
    }

    fn at_port(&mut self, now: Time, station: usize, what: PortSight, _requests: &Requests) {
        let Some(what) = Observation::from_port_sight(what) else { return };
        self.0.push((now, station, what));
    }
}

/// The observations, by time and station, and the summary.
fn run(scenario: &Scenario, model: NetworkModel) -> (Vec<(Time, usize, Observation)>, String) {
    let plan = build::plan_system(scenario, None, model);
    let mut recorder = Recorder::default();
    let result =
        run_plan(&plan, RecordingOptions::default(), Some(&mut recorder), &mut |_| RunFlow::Continue)
            .expect("it ends");
    let mut seen = recorder.0;
    // Observations at one station keep their order; observations of two stations at the same tick have no
    // order.
    seen.sort_by_key(|(time, station, _)| (*time, *station));
    (seen, serde_json::to_string(&result.summary).expect("a summary is JSON"))
}

fn check(text: &str) -> Result<(), TestCaseError> {
    let scenario =
        Scenario::parse_text(text, "random").map_err(|report| TestCaseError::fail(report.to_string()))?;
    let (reference, fast) = (run(&scenario, NetworkModel::Reference), run(&scenario, NetworkModel::Fast));
    for (r, f) in reference.0.iter().zip(&fast.0) {
        prop_assert_eq!(r, f);
    }
    prop_assert_eq!(reference.0.len(), fast.0.len());
    prop_assert_eq!(reference.1, fast.1);
    Ok(())
}

/// Scenarios that once gave different runs on the two loops.
#[test]
fn known_cases_run_the_same_on_both_loops() {
    let folder = common::repository("crates/simulator/tests/cases");
    let files = std::fs::read_dir(folder).expect("the folder of cases");
    let mut differ = Vec::new();
    for file in files {
        let path = file.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("a text file");
        if let Err(problem) = check(&text) {
            differ.push(format!("{}: {problem}", path.display()));
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(500), max_shrink_iters: 2000, ..ProptestConfig::default() })]
    #[test]
    fn whole_systems_run_the_same_on_both_loops(text in random::scenarios(60)) {
        check(&text)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, max_shrink_iters: 2000, ..ProptestConfig::default() })]
    /// The test is the long run: `cargo test --release -p sansim-simulator --test fast_equals_reference --
    /// --ignored`.
    #[test]
    #[ignore = "long"]
    fn whole_systems_run_the_same_on_both_loops_10_000(text in random::scenarios(60)) {
        check(&text)?;
    }
}

//! A whole run: build, simulate with progress, sum up.

use crate::build;
use crate::measure::IoRecord;
use crate::plan::Plan;
use crate::simulation::Simulation;
use crate::summary::{RunInfo, Summary, summarise};
use sansim_fc::arbitrated_loop::LoopModel;
use sansim_observe::observer::{NoObserver, Observer};
use sansim_scenario::Scenario;
use std::time::Instant;

/// What a run is asked for besides its scenario.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions {
    /// Which of the two equal loops.
    pub loop_model: LoopModel,
    /// Replaces the scenario's seed.
    pub seed: Option<u64>,
    /// Keep a record of every measured I/O.
    pub collect_ios: bool,
}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Simulated seconds so far.
    pub simulated_s: f64,
    /// Wall seconds so far.
    pub wall_s: f64,
    /// I/Os completed.
    pub ios: u64,
    /// I/Os to be completed in all.
    pub total_ios: u64,
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// End the run now and keep what was done.
    Stop,
}

/// What a run leaves.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// The result proper: the same for the same scenario and seed.
    pub summary: Summary,
    /// How the run went.
    pub run: RunInfo,
    /// The measured I/Os in order of completion, if they were asked for.
    pub ios: Vec<IoRecord>,
}

/// Events between two looks at the clock.
const EVENTS_PER_LOOK: u64 = 1 << 15;

/// Runs a scenario. `progress` is called a few dozen times per wall second.
pub fn run(
    scenario: &Scenario,
    options: &RunOptions,
    progress: &mut dyn FnMut(&Progress) -> Flow,
) -> RunResult {
    let plan = build::plan(scenario, options.seed, options.loop_model);
    run_plan(&plan, options.collect_ios, NoObserver, progress).0
}

/// Runs a plan under an observer, which is given back.
pub fn run_plan<O: Observer>(
    plan: &Plan,
    collect_ios: bool,
    observer: O,
    progress: &mut dyn FnMut(&Progress) -> Flow,
) -> (RunResult, O) {
    let start = Instant::now();
    let mut simulation = Simulation::new(plan, collect_ios, observer);
    let mut stopped_early = false;
    while simulation.run_events(EVENTS_PER_LOOK) {
        let seen = Progress {
            simulated_s: simulation.now().as_s_f64(),
            wall_s: start.elapsed().as_secs_f64(),
            ios: simulation.measurement.completed(),
            total_ios: simulation.measurement.total(),
        };
        if simulation.observer_failed() || progress(&seen) == Flow::Stop {
            stopped_early = true;
            break;
        }
    }
    if !stopped_early {
        simulation.assert_balanced();
    }
    let wall_s = start.elapsed().as_secs_f64();
    let simulated_s = simulation.now().as_s_f64();
    let run = RunInfo {
        version: env!("CARGO_PKG_VERSION"),
        r#loop: loop_name(plan.arbitrated_loop.model),
        wall_s,
        events: simulation.events(),
        events_per_second: simulation.events() as f64 / wall_s.max(1e-9),
        simulated_per_wall: simulated_s / wall_s.max(1e-9),
    };
    let (summary, ios, observer) = summarise(plan, simulation, stopped_early, collect_ios);
    (RunResult { summary, run, ios }, observer)
}

/// Name of a loop model in results and options.
pub fn loop_name(model: LoopModel) -> &'static str {
    match model {
        LoopModel::Fast => "fast",
        LoopModel::Reference => "reference",
    }
}

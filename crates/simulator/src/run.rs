//! A whole run: it builds the system, simulates it with progress reports, and sums up the result.

mod error;

pub use error::RunError;

use crate::build;
use crate::clock::ClockError;
use crate::counted::{MeasuredInterval, Records};
pub use crate::flow::{PreparationProgress, RunFlow};
pub use crate::recording::RecordingOptions;
use crate::rows::{self, RowReceiver};
use crate::samples::Samples;
use crate::simulation::Simulation;
use crate::summary::{RuleCost, RunInfo, Summary, summarise};
use sansim_assembly::plan::SystemPlan;
use sansim_component::NetworkModel;
use sansim_kernel::{TICKS_PER_NS, Time};
use sansim_observe::names::SystemNames;
use sansim_observe::observer::Observer;
use sansim_observe::observers::{ObserverResults, Observers, WatchOptions};
use sansim_observe::paths::Path;
use sansim_observe::slowest::SlowestIos;
use sansim_observe::tenancy::Tenancy;
use sansim_observe::window::Windows;
use sansim_rules::{DecisionLog, RulesOfRun, decision_log};
use sansim_scenario::graph::GraphPart;
use sansim_scenario::{Scenario, WarmUp};
use std::time::Instant;

/// The windows of simulated time in which observers write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ObserverWindows {
    /// The observers write all the time.
    #[default]
    Always,
    /// The observers write from one simulated time to another.
    Between(Time, Time),
    /// The observers write while one of this number of slowest measured I/Os is in the system. The run is made
    /// twice, the first time to find these I/Os.
    Slowest(usize),
}

/// The options of a run in addition to its scenario.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// The loop model; the fast and the reference model give the same result.
    pub loop_model: NetworkModel,
    /// A seed that replaces the scenario's seed.
    pub seed: Option<u64>,
    /// The records that the run keeps.
    pub recording: RecordingOptions,
    /// The observers of the run.
    pub watch: WatchOptions,
    /// The windows in which observers of this run write.
    pub when: ObserverWindows,
    /// Whether the decisions of the user's rules are recorded.
    pub decisions: bool,
}

/// The progress of a run.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The simulated seconds so far.
    pub simulated_s: f64,
    /// The wall seconds so far, from before the system is built.
    pub wall_s: f64,
    /// The number of completed I/Os.
    pub ios: u64,
    /// The number of I/Os to be completed in all: with a required precision as far as it is known, and by the
    /// pace so far where times decide.
    pub total_ios: u64,
    /// Whether the run may need more I/Os than that: a precision is required, and it is not known yet whether the run will reach it
    /// by then.
    pub open_end: bool,
    /// The number of this run, from 1.
    pub pass: u32,
    /// The number of runs.
    pub passes: u32,
    /// The current preparation before simulated time begins, and the wall seconds spent on it.
    pub preparing: Option<(PreparationProgress, f64)>,
    /// Wall-clock seconds of all preparations; 0 until they are done.
    pub prepared_s: f64,
}

/// The output of a run.
#[derive(Debug)]
pub struct RunResult {
    /// The summary of the result, which is the same for the same scenario and seed.
    pub summary: Summary,
    /// The wall-clock time and the number of events of the run.
    pub run: RunInfo,
    /// The measured I/Os in order of completion, if they are recorded.
    pub ios: Records,
    /// The samples, if they are recorded.
    pub samples: Samples,
    /// The tenancies of the measured interval, if they are recorded.
    pub tenancies: Vec<Tenancy>,
    /// The paths of chosen measured I/Os, if they are recorded.
    pub paths: Vec<Path>,
    /// The decisions of the user's rules, if they are recorded.
    pub decisions: DecisionLog,
    /// The output of the observers.
    pub watched: ObserverResults,
    /// The names of stations, by which records, samples and tenancies are numbered.
    pub names: SystemNames,
}

/// The output of a simulation at its end, which may be early.
#[derive(Clone, Debug)]
pub struct EndedRun {
    /// The summary of the result.
    pub summary: Summary,
    /// The wall-clock time and the number of events of the run.
    pub run: RunInfo,
    /// The records of the measured I/Os.
    pub ios: Records,
    /// The samples of the run.
    pub samples: Samples,
    /// The measured interval.
    pub measured: MeasuredInterval,
    /// The simulated time at which the run ended.
    pub at: Time,
    /// The decisions of the user's rules, if they are recorded.
    pub decisions: DecisionLog,
}

/// The number of events between two checks of the wall clock.
const EVENTS_PER_LOOK: u64 = 1 << 14;

/// Runs a scenario. `progress` is called a few dozen times per wall second.
///
/// # Errors
/// Fails if the file of an observer cannot be written, or if the run does not end within simulated time. In that case no file
/// is left, and an earlier file with that name is unchanged.
pub fn run(
    scenario: &Scenario,
    options: &RunOptions,
    progress: &mut dyn FnMut(&Progress) -> RunFlow,
) -> Result<RunResult, RunError> {
    run_with_receiver(scenario, options, None, progress)
}

/// Runs a scenario as [`run`] does. The receiver of rows gets the measured I/Os and tenancies that are recorded, and the result
/// contains none.
///
/// # Errors
///
/// The errors are the errors of [`run`].
pub fn run_with_receiver(
    scenario: &Scenario,
    options: &RunOptions,
    rows: Option<&mut dyn RowReceiver>,
    progress: &mut dyn FnMut(&Progress) -> RunFlow,
) -> Result<RunResult, RunError> {
    if let Some((network, what)) = without_frames(scenario, &options.watch) {
        return Err(RunError::NoFrames(network, what));
    }
    let (mut result, Ends { measured, .. }) = run_watched(scenario, options, rows, progress)?;
    if !result.summary.stopped_early {
        // Where times determine the end of a run, the scenario knew the end before.
        if scenario.run.end_time().is_none() {
            result.summary.warnings.extend(scenario.events_after_end(measured - Time::ZERO));
        }
    }
    Ok(result)
}

/// The first watch option about frames on a network that sends none, and the network's name.
fn without_frames(scenario: &Scenario, watch: &WatchOptions) -> Option<(String, &'static str)> {
    let has_none = |part: &GraphPart| {
        part.part.network().is_some_and(|network| network.transport().takes_whole_sequences())
    };
    let network = scenario.graph.parts.iter().find(|part| has_none(part))?;
    let of_frames = [("a trace", watch.trace.is_some()), ("a capture", watch.capture.is_some())];
    let (what, _) = of_frames.into_iter().find(|(_, wanted)| *wanted)?;
    Some((network.name.clone(), what))
}

/// The end of a run, and the end of its measured interval.
#[derive(Clone, Copy)]
struct Ends {
    at: Time,
    measured: Time,
}

impl Ends {
    fn of(ended: &EndedRun) -> Self {
        Self { at: ended.at, measured: ended.measured.closed }
    }
}

/// The run itself, with the time at which it ended.
fn run_watched(
    scenario: &Scenario,
    options: &RunOptions,
    mut rows: Option<&mut dyn RowReceiver>,
    progress: &mut dyn FnMut(&Progress) -> RunFlow,
) -> Result<(RunResult, Ends), RunError> {
    let plan = build::plan_system(scenario, options.seed, options.loop_model);
    let names = plan.observer_names();
    if options.watch.observes_nothing() {
        let ended = run_plan_into(&plan, (options.recording, options.decisions), None, rows, progress)?;
        let ends = Ends::of(&ended);
        return Ok((RunResult::new(ended, ObserverResults::default(), names), ends));
    }
    // The files are created before any run, so that files that cannot be written are reported at once.
    let mut observers = Observers::create(&options.watch, &names)?;
    let mut pass = 1;
    let passes = if matches!(options.when, ObserverWindows::Slowest(_)) && options.watch.writes_files() {
        2
    } else {
        1
    };
    match options.when {
        ObserverWindows::Always => {}
        ObserverWindows::Between(from, to) => observers.set_windows(Windows::new(vec![(from, to)])),
        ObserverWindows::Slowest(_) if passes == 1 => {}
        ObserverWindows::Slowest(count) => {
            let mut first = |seen: &Progress| progress(&Progress { passes, ..*seen });
            match find_slowest(&plan, count, &mut first)? {
                Search::Found(spans) => observers.set_windows(Windows::new(spans)),
                // The second run would add nothing to a search that was stopped.
                Search::Stopped(ended) => {
                    let ends = Ends::of(&ended);
                    return Ok((RunResult::new(*ended, ObserverResults::default(), names), ends));
                }
            }
            pass = 2;
        }
    }
    let again = rows.as_mut().map(|rows| &mut **rows as &mut dyn RowReceiver);
    let ended = run_plan_into(
        &plan,
        (options.recording, options.decisions),
        Some(&mut observers),
        again,
        &mut |seen| progress(&Progress { pass, passes, ..*seen }),
    )?;
    let ends = Ends::of(&ended);
    let watched = observers.finish(ends.at, !ended.summary.stopped_early)?;
    let mut result = RunResult::new(ended, watched, names);
    if let Some(rows) = rows {
        for batch in std::mem::take(&mut result.tenancies).chunks(rows::BATCH) {
            rows.take_tenancies(batch);
        }
    }
    Ok((result, ends))
}

/// The result of a search for the slowest I/Os.
enum Search {
    /// The times in which the slowest I/Os are in the system.
    Found(Vec<(Time, Time)>),
    /// The run was asked to stop; its results so far are returned.
    Stopped(Box<EndedRun>),
}

/// Finds the times in which the slowest measured I/Os are in the system, by a run that records nothing else.
fn find_slowest(
    plan: &SystemPlan,
    count: usize,
    progress: &mut dyn FnMut(&Progress) -> RunFlow,
) -> Result<Search, RunError> {
    let automatic = plan.run.warm_up == WarmUp::Auto;
    // The automatic rule decides only at the end which I/Os are left out; it keeps all records anyhow.
    let recording = RecordingOptions { ios: automatic, ..RecordingOptions::default() };
    let mut slowest = SlowestIos::new(count);
    let mut ended = run_plan(plan, recording, Some(&mut slowest), progress)?;
    let ios = std::mem::take(&mut ended.ios);
    if ended.summary.stopped_early {
        return Ok(Search::Stopped(Box::new(ended)));
    }
    if automatic {
        slowest = SlowestIos::new(count);
        for io in ios.rows {
            slowest.add(io.io, io.completed - io.response, io.completed);
        }
    }
    Ok(Search::Found(slowest.into_spans()))
}

impl RunResult {
    fn new(ended: EndedRun, mut watched: ObserverResults, names: SystemNames) -> Self {
        let EndedRun { summary, run, ios, samples, measured, decisions, .. } = ended;
        let mut tenancies = std::mem::take(&mut watched.tenancies);
        let mut paths = std::mem::take(&mut watched.paths);
        // With the automatic rule the length of the warm-up is known only now.
        paths.retain(|path| measured.contains_event(path.completed));
        tenancies.retain(|tenancy| measured.opened <= tenancy.won && tenancy.won < measured.closed);
        Self { summary, run, ios, samples, tenancies, paths, decisions, watched, names }
    }
}

/// Runs a plan, with or without an observer.
///
/// # Errors
/// Fails if the run does not end within simulated time, or violates a conservation law.
pub fn run_plan(
    plan: &SystemPlan,
    recording: RecordingOptions,
    observer: Option<&mut dyn Observer>,
    progress: &mut dyn FnMut(&Progress) -> RunFlow,
) -> Result<EndedRun, RunError> {
    run_plan_into(plan, (recording, false), observer, None, progress)
}

/// Runs a plan, and hands rows to a receiver during the run.
fn run_plan_into(
    plan: &SystemPlan,
    (recording, logs_decisions): (RecordingOptions, bool),
    observer: Option<&mut dyn Observer>,
    rows: Option<&mut dyn RowReceiver>,
    progress: &mut dyn FnMut(&Progress) -> RunFlow,
) -> Result<EndedRun, RunError> {
    let start = Instant::now();
    let rules = RulesOfRun::begin(plan.seed)?;
    if logs_decisions {
        decision_log::begin();
    }
    let mut simulation = Simulation::build(plan, recording, observer);
    let (mut now, mut since) = ("", start);
    let flow = simulation.begin(plan, &mut |preparing| {
        if now != preparing.what {
            (now, since) = (preparing.what, Instant::now());
        }
        let wall_s = start.elapsed().as_secs_f64();
        progress(&Progress {
            simulated_s: 0.0,
            wall_s,
            ios: 0,
            total_ios: 0,
            open_end: false,
            pass: 1,
            passes: 1,
            preparing: Some((preparing, since.elapsed().as_secs_f64())),
            prepared_s: 0.0,
        })
    });
    run_to_end(plan, recording, (simulation, start, flow), &rules, rows, progress)
}

/// The number of events between two looks whether a rule in Python has failed.
const EVENTS_PER_PYTHON_LOOK: u64 = 16;

/// Handles some events, fewer if a rule in Python fails meanwhile. Returns whether there are more events.
///
/// A run whose rule fails has no result, whatever follows; but one that Ctrl-C ends within a rule keeps the result up to there.
fn run_some_events(simulation: &mut Simulation<'_>, rules: &RulesOfRun, is_first: bool) -> bool {
    // In a system with such rules one decides soon.
    if !is_first && !rules.call_python() {
        return simulation.run_events(EVENTS_PER_LOOK);
    }
    for _ in 0..EVENTS_PER_LOOK / EVENTS_PER_PYTHON_LOOK {
        if !simulation.run_events(EVENTS_PER_PYTHON_LOOK) {
            return false;
        }
        if rules.has_failed() {
            break;
        }
    }
    true
}

/// Runs a simulation of a plan that began at this wall-clock time, unless it was stopped before.
fn run_to_end(
    plan: &SystemPlan,
    recording: RecordingOptions,
    (mut simulation, start, flow): (Simulation<'_>, Instant, RunFlow),
    rules: &RulesOfRun,
    mut rows: Option<&mut dyn RowReceiver>,
    progress: &mut dyn FnMut(&Progress) -> RunFlow,
) -> Result<EndedRun, RunError> {
    let mut stopped_early = flow == RunFlow::Stop;
    let prepared_s = start.elapsed().as_secs_f64();
    let mut is_first = true;
    while !stopped_early && run_some_events(&mut simulation, rules, std::mem::take(&mut is_first)) {
        match rules.failure() {
            Some(failure) if !failure.interrupted => return Err(RunError::Rule(failure)),
            Some(_) => {
                stopped_early = true;
                break;
            }
            None => {}
        }
        if let Some(rows) = &mut rows {
            simulation.hand_over(&mut **rows);
        }
        let seen = Progress {
            simulated_s: simulation.now().as_s_f64(),
            wall_s: start.elapsed().as_secs_f64(),
            ios: simulation.measurement.completed_io_count(),
            total_ios: simulation.measurement.planned_io_count(simulation.now()),
            open_end: simulation.measurement.has_open_end(),
            pass: 1,
            passes: 1,
            preparing: None,
            prepared_s,
        };
        if simulation.observer_failed() || progress(&seen) == RunFlow::Stop {
            stopped_early = true;
            break;
        }
    }
    if let Some(failure) = rules.failure().filter(|failure| !failure.interrupted) {
        return Err(RunError::Rule(failure));
    }
    if stopped_early {
        simulation.catch_up_between_events(simulation.now());
    } else {
        let fault = simulation.overrun(&plan.names).or_else(|| {
            // Where a component has given up, simulated time would have continued.
            if simulation.around.given_up { None } else { simulation.clock_fault(&plan.names) }
        });
        if let Some(fault) = fault {
            return Err(RunError::Clock(ClockError {
                at: simulation.now(),
                fault,
                ios: simulation.measurement.completed_io_count(),
                total_ios: simulation.measurement.planned_io_count(simulation.now()),
            }));
        }
        if let Some((name, why)) = simulation.fault(&plan.names) {
            return Err(RunError::Component(name, why));
        }
        simulation.check_conservation(plan)?;
    }
    let at = simulation.now();
    let uses = rules.end(at.ticks() / TICKS_PER_NS).map_err(RunError::Rule)?;
    let wall_s = start.elapsed().as_secs_f64();
    let run = RunInfo {
        version: env!("CARGO_PKG_VERSION"),
        r#loop: plan.has_two_loop_models().then(|| loop_name(plan.model)),
        wall_s,
        events: simulation.event_count(),
        events_per_second: simulation.event_count() as f64 / wall_s.max(1e-9),
        simulated_per_wall: at.as_s_f64() / wall_s.max(1e-9),
        rules: uses.iter().map(|rule| RuleCost::of_use(rule, wall_s)).collect(),
    };
    let (summary, measured, mut ios, samples) = summarise(plan, simulation, stopped_early, recording.ios);
    if let Some(rows) = rows {
        rows::hand_over_ios(&std::mem::take(&mut ios), rows);
    }
    let decisions = decision_log::end().unwrap_or_default();
    Ok(EndedRun { summary, run, ios, samples, measured, at, decisions })
}

/// The name of a loop model in results and options.
pub fn loop_name(model: NetworkModel) -> &'static str {
    match model {
        NetworkModel::Fast => "fast",
        NetworkModel::Stepped => "stepped",
        NetworkModel::Reference => "reference",
    }
}

#[cfg(test)]
mod tests;

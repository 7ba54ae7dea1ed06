//! How closely networks were simulated, and what error a coarser one makes.
//!
//! The beginning of a run with a network of `fidelity = "circuit"` is simulated twice more, as long as `run.cross_check` says: as it was, and with
//! all networks at `"words"`, with the same seed. Everything that completes in it is counted, from the first I/O on.

use crate::build;
use crate::recording::Recording;
use crate::run::{Flow, Progress, RunError, run_plan};
use crate::summary::Summary;
use sansim_fc::arbitrated_loop::{Fidelity, LoopModel};
use sansim_kernel::{Span, Time};
use sansim_observe::observer::NoObserver;
use sansim_observe::observers::Watch;
use sansim_scenario::{Scenario, WarmUp};
use serde::Serialize;

/// What is said of the fidelity of a run with networks that were simulated more coarsely.
#[derive(Clone, Debug, Serialize)]
pub struct Coarse {
    /// The networks that were simulated at `"circuit"`.
    pub circuit: Vec<String>,
    /// How they compare with `"words"`; null if that was not asked for.
    pub cross_check: Option<CrossCheck>,
}

/// What the coarser networks say of the beginning of a run, less what networks in words say.
#[derive(Clone, Debug, Serialize)]
pub struct CrossCheck {
    /// Length of the beginning, in simulated seconds.
    pub simulated_s: f64,
    /// I/Os that completed in it, at `"words"`.
    pub ios: u64,
    /// Error of the I/Os per second, as a share; null where there are none.
    pub iops_error: Option<f64>,
    /// Error of the mean response time, as a share.
    pub response_time_error: Option<f64>,
    /// Error of the utilisation, as a difference of shares: of the network where it is the greatest.
    pub utilisation_error: Option<f64>,
}

/// The networks of a scenario that are simulated at `"circuit"`.
pub(crate) fn coarse_networks(scenario: &Scenario) -> Vec<String> {
    let networks = scenario.graph.parts.iter().filter_map(|part| Some((&part.name, part.part.network()?)));
    networks
        .filter(|(_, network)| network.fidelity == Fidelity::Circuit)
        .map(|(name, _)| name.clone())
        .collect()
}

/// What of that which is to be seen needs words, with the network that has none.
pub(crate) fn unseen(scenario: &Scenario, watch: &Watch) -> Option<RunError> {
    let network = coarse_networks(scenario).into_iter().next()?;
    let wanted = [
        ("a trace", watch.trace.is_some()),
        ("a capture", watch.capture.is_some()),
        ("a timeline", watch.timeline.is_some()),
        ("a table of tenancies", watch.tenancies),
    ];
    let what = wanted.into_iter().find(|(_, wanted)| *wanted)?.0;
    Some(RunError::Fidelity { network, what })
}

/// What is said of a run that ended at a time; nothing if all its networks were simulated in words.
///
/// # Errors
/// One of the two further runs has no result.
pub(crate) fn of(
    scenario: &Scenario,
    seed: Option<u64>,
    ended: Time,
    progress: &mut dyn FnMut(&Progress) -> Flow,
) -> Result<Option<Coarse>, RunError> {
    let circuit = coarse_networks(scenario);
    if circuit.is_empty() {
        return Ok(None);
    }
    let most = ended - Time::ZERO;
    let length =
        scenario.run.cross_check.map(|length| length.min(most)).filter(|&length| length > Span::ZERO);
    let Some(length) = length else { return Ok(Some(Coarse { circuit, cross_check: None })) };
    let mut beginning = scenario.clone();
    beginning.run.duration = Some(length);
    beginning.run.measured_ios = None;
    beginning.run.precision = None;
    beginning.run.warm_up = WarmUp::IosPerSlot(0);
    let mut in_words = beginning.clone();
    for part in &mut in_words.graph.parts {
        if let Some(words) = part.part.at_words() {
            part.part = words;
        }
    }
    let mut run = |scenario: &Scenario| {
        let plan = build::plan(scenario, seed, LoopModel::Fast);
        let (ended, NoObserver) = run_plan(&plan, Recording::default(), NoObserver, progress)?;
        Ok::<Summary, RunError>(ended.summary)
    };
    let (coarse, words) = (run(&beginning)?, run(&in_words)?);
    let is_whole = !coarse.stopped_early && !words.stopped_early;
    let cross_check = is_whole.then(|| CrossCheck::new(length, &circuit, &coarse, &words));
    Ok(Some(Coarse { circuit, cross_check }))
}

impl CrossCheck {
    fn new(length: Span, networks: &[String], coarse: &Summary, words: &Summary) -> Self {
        let share = |coarse: f64, words: f64| (words > 0.0).then(|| coarse / words - 1.0);
        let mean = |summary: &Summary| summary.response_time_ns.figure.mean;
        let used = |summary: &Summary, name: &str| {
            let mut components = summary.components.0.iter();
            components
                .find(|(known, _)| known == name)
                .and_then(|(_, component)| component.get("utilisation"))
        };
        let errors = networks.iter().filter_map(|name| Some(used(coarse, name)? - used(words, name)?));
        let both = coarse.ios > 0 && words.ios > 0;
        Self {
            simulated_s: length.as_s_f64(),
            ios: words.ios,
            iops_error: share(coarse.iops, words.iops),
            response_time_error: share(mean(coarse), mean(words)).filter(|_| both),
            utilisation_error: errors.max_by(|one, other| one.abs().total_cmp(&other.abs())),
        }
    }
}

//! How closely networks were simulated, and what error a coarser one makes.
//!
//! The beginning of a run with a network of `fidelity = "circuit"` is simulated twice more, as long as `run.cross_check` says: as it was, and with
//! all networks at `"words"`, with the same seed. Everything that completes in it is counted, from the first I/O on.

use sansim_kernel::{Span, Time};
use sansim_kinds::Part;
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
    let networks = scenario.graph.parts.iter().filter(|part| part.part.at_words().is_some());
    networks.map(|part| part.name.clone()).collect()
}

/// What of that which is to be seen needs words, behind the network that has none. A table of tenancies has no rows of such a network.
pub(crate) fn unseen(scenario: &Scenario, watch: &Watch) -> Option<(String, &'static str)> {
    let network = coarse_networks(scenario).into_iter().next()?;
    let timeline = ("a timeline", watch.timeline.is_some());
    let wanted = of_frames(watch).into_iter().chain([timeline]);
    Some((network, wanted.into_iter().find(|(_, wanted)| *wanted)?.0))
}

/// What of that which is to be seen is about frames, behind the network that sends none at any fidelity.
pub(crate) fn without_frames(scenario: &Scenario, watch: &Watch) -> Option<(String, &'static str)> {
    let has_none = |part: &Part| {
        part.at_words().is_none() && part.network().is_some_and(|network| network.whole_sequences.is_some())
    };
    let network = scenario.graph.parts.iter().find(|part| has_none(&part.part))?;
    let what = of_frames(watch).into_iter().find(|(_, wanted)| *wanted)?.0;
    Some((network.name.clone(), what))
}

fn of_frames(watch: &Watch) -> [(&'static str, bool); 2] {
    [("a trace", watch.trace.is_some()), ("a capture", watch.capture.is_some())]
}

/// What a run of a beginning came to.
pub(crate) struct Came {
    /// It was ended early.
    pub stopped: bool,
    pub ios: u64,
    pub iops: f64,
    pub response_time_ns: f64,
    /// Of each of the coarse networks.
    pub used: Vec<f64>,
}

/// What is said of a run that ended at a time; nothing if all its networks were simulated in words. `run` runs a scenario, and is told the
/// coarse networks.
///
/// # Errors
/// One of the two further runs has no result.
pub(crate) fn of<E>(
    scenario: &Scenario,
    ended: Time,
    mut run: impl FnMut(&Scenario, &[String]) -> Result<Came, E>,
) -> Result<Option<Coarse>, E> {
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
    let (coarse, words) = (run(&beginning, &circuit)?, run(&in_words, &circuit)?);
    let is_whole = !coarse.stopped && !words.stopped;
    let cross_check = is_whole.then(|| CrossCheck::new(length, &coarse, &words));
    Ok(Some(Coarse { circuit, cross_check }))
}

impl CrossCheck {
    fn new(length: Span, coarse: &Came, words: &Came) -> Self {
        let share = |coarse: f64, words: f64| (words > 0.0).then(|| coarse / words - 1.0);
        let errors = coarse.used.iter().zip(&words.used).map(|(coarse, words)| coarse - words);
        let both = coarse.ios > 0 && words.ios > 0;
        Self {
            simulated_s: length.as_s_f64(),
            ios: words.ios,
            iops_error: share(coarse.iops, words.iops),
            response_time_error: share(coarse.response_time_ns, words.response_time_ns).filter(|_| both),
            utilisation_error: errors.max_by(|one, other| one.abs().total_cmp(&other.abs())),
        }
    }
}

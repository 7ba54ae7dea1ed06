//! Events without effect: the repair of a part that has not failed, the failure of a part that has failed already, and any event of a part
//! that is not built.

use std::collections::{BTreeMap, BTreeSet};

use sansim_registry::EventAction;
use sansim_schema::quantities::write_time;

use crate::event::ScenarioEvent;
use crate::graph::{GraphEvent, RandomOutages};

/// An event with its effects.
pub(super) struct Happens<'a> {
    pub event: &'a ScenarioEvent,
    /// The event with the parts of its target.
    pub itself: Option<GraphEvent>,
    /// The events that follow from it at other components.
    pub others: Vec<GraphEvent>,
    /// Whether the target of the event fails at random, too.
    pub at_random: bool,
}

/// A unit that fails separately: a part, or a number of a part inside it.
type Unit = (usize, Option<usize>);

/// The state of a unit after the events so far.
#[derive(Clone, Copy, Default)]
struct State {
    removed: bool,
    failed: bool,
    slow: bool,
    silent: bool,
}

/// A sentence for each event that has no effect, by time.
pub(super) fn find(events: &[Happens<'_>], outages: &[RandomOutages]) -> Vec<String> {
    let of_outages = outages.iter().flat_map(|outage| &outage.fails);
    let at_random: BTreeSet<Unit> = of_outages.flat_map(units).collect();
    let mut by_time: Vec<&Happens<'_>> = events.iter().collect();
    by_time.sort_by_key(|happens| happens.event.at);
    let mut states: BTreeMap<Unit, State> = BTreeMap::new();
    let mut vain = Vec::new();
    for happens in by_time {
        let of_event: BTreeSet<Unit> = happens.itself.iter().chain(&happens.others).flat_map(units).collect();
        let is_random = happens.at_random || of_event.iter().any(|unit| at_random.contains(unit));
        let known: Vec<State> =
            of_event.iter().map(|unit| states.get(unit).copied().unwrap_or_default()).collect();
        let why = match happens.event.r#do {
            // A change is vain if the keys that are read again are the same (`crate::change`).
            EventAction::Change => None,
            _ if of_event.is_empty() => Some("there is no such part in the system"),
            EventAction::Repair
                if !is_random && !known.iter().any(|state| state.failed || state.slow || state.silent) =>
            {
                Some("it has neither failed nor become slow or silent before")
            }
            EventAction::Remove if known.iter().all(|state| state.removed) => {
                Some("it has been removed before and was not added again")
            }
            EventAction::Fail if !is_random && known.iter().all(|state| state.failed) => {
                Some("it has failed before and was not repaired")
            }
            EventAction::Silence if known.iter().all(|state| state.silent) => {
                Some("it is silent already and was not repaired")
            }
            _ => None,
        };
        if let Some(why) = why {
            let (action, what) = (happens.event.r#do, &happens.event.what);
            let at = write_time(happens.event.at.ticks());
            vain.push(format!("the event `{action}` of `{what}` at {at} changes nothing: {why}"));
        }
        for unit in of_event {
            let state = states.entry(unit).or_default();
            match happens.event.r#do {
                EventAction::Fail => state.failed = true,
                EventAction::Repair => *state = State { removed: state.removed, ..State::default() },
                EventAction::Remove | EventAction::Add => {
                    state.removed = happens.event.r#do == EventAction::Remove;
                }
                EventAction::Slow => state.slow = true,
                EventAction::Silence => state.silent = true,
                EventAction::Unreadable | EventAction::Initialise | EventAction::Change => {}
            }
        }
    }
    vain
}

/// The units that an event affects.
fn units(event: &GraphEvent) -> impl Iterator<Item = Unit> + '_ {
    event.parts.iter().map(|&part| (part, event.thing))
}

//! What of a system fails at random, but for drives, which do so by themselves (`crates/drives/src/faults/outages.rs`): a controller of a pair takes
//! adapters, modules and ways with it, so it fails as by an event. When it does is drawn before the run begins, by the seed of that.

use super::{Graph, GraphEvent};
use crate::resolve::carry_out;
use sansim_kernel::phases::Phases;
use sansim_kernel::{RandomStream, Span, Time};
use sansim_registry::Outage;

/// Outages of one thing.
#[derive(Clone, Debug, PartialEq)]
pub struct RandomOutages {
    /// The stream of random numbers: the name of the component and of the thing.
    pub stream: String,
    /// How often, and how long.
    pub outage: Outage,
    /// What happens when it fails, at no time yet, and to whose ways is not said.
    pub fails: Vec<GraphEvent>,
    /// The same when it is repaired.
    pub repairs: Vec<GraphEvent>,
}

impl Graph {
    /// Draws the outages up to an instant, and adds them to the events.
    pub fn draw_outages(&mut self, seed: u64, until: Span) {
        if self.outages.is_empty() {
            return;
        }
        let mut events = self.written_events.clone();
        for RandomOutages { stream, outage, fails, repairs } in &self.outages {
            let mut phases = Phases::new(outage.every, outage.lasts, RandomStream::new(seed, stream));
            // What has failed at the end is repaired all the same, so that what waits for it comes to an end.
            while phases.until() < Time::NEVER && (phases.is_so() || phases.until() <= Time::ZERO + until) {
                let at = phases.until() - Time::ZERO;
                let happens = if phases.is_so() { repairs } else { fails };
                events.extend(happens.iter().map(|event| GraphEvent { at, ..event.clone() }));
                phases.turn(phases.until());
            }
        }
        self.events = carry_out(events, self);
    }
}

//! The random failures of a system, except those of drives, which fail by themselves (`crates/drives/src/faults/outages.rs`): with a
//! controller of a pair fail adapters, modules and paths, so it fails as by an event. The times of random failures are drawn before the run
//! begins, from its seed.

use super::{Graph, GraphEvent};
use crate::resolve::carry_out;
use sansim_kernel::phases::Phases;
use sansim_kernel::{RandomStream, Span, Time};
use sansim_registry::RandomOutage;

/// The outages of one part.
#[derive(Clone, Debug, PartialEq)]
pub struct RandomOutages {
    /// The name of the random stream: the names of the component and of the part.
    pub stream: String,
    /// The frequency of the failures, and their duration.
    pub outage: RandomOutage,
    /// The events at each failure, without time and without paths.
    pub fails: Vec<GraphEvent>,
    /// The events at each repair.
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
            // A failure at the end of the run is repaired all the same, so that requests that wait for the repair end.
            while phases.phase_end() < Time::NEVER
                && (phases.is_condition_true() || phases.phase_end() <= Time::ZERO + until)
            {
                let at = phases.phase_end() - Time::ZERO;
                let happens = if phases.is_condition_true() { repairs } else { fails };
                events.extend(happens.iter().map(|event| GraphEvent { at, ..event.clone() }));
                phases.end_phase(phases.phase_end());
            }
        }
        self.events = carry_out(events, self);
    }
}

//! The incidents of a run, for reports: what happened of itself, and when. The recorded incidents change nothing in the run.
//!
//! Events that the scenario plans are no incidents: their times are in the scenario.

use crate::site::ComponentId;
use sansim_kernel::Time;
use sansim_schema::words;

/// Number of incidents that are listed, the first of a run.
pub const LISTED: usize = 10_000;

words! {
    /// The kind of an incident.
    pub enum IncidentKind {
        /// A loop is initialised; no frame passes it meanwhile.
        LoopInitialisation = "initialisation",
        /// A device changes its owner among the controllers of a pair; its requests wait meanwhile.
        OwnerChange = "owner-change",
        /// A component has noticed that a path to a device has failed, and uses it no more.
        PathFailed = "path-failed",
        /// A component has noticed that a failed path works again.
        PathBack = "path-back",
        /// The frames to a congested node go by a channel of their own from now on.
        Quarantine = "quarantine",
    }
}

/// The thing that an incident concerns, besides its component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IncidentSubject {
    /// Nothing else.
    Itself,
    /// A device, by its number in the system.
    Device(u32),
    /// The node at a port of the component, which is a network.
    Node(u16),
}

/// Something that happened of itself at one moment, or lasted for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incident {
    /// The time at which it began.
    pub at: Time,
    /// The time at which it ended, which is that at which it began if it lasted for no time.
    pub until: Time,
    /// The component at which it happened.
    pub component: ComponentId,
    /// The kind of the incident.
    pub kind: IncidentKind,
    /// The thing that it concerns; of several the first.
    pub subject: IncidentSubject,
    /// The number of things that it concerns: what happens to several at one component and one moment is one incident.
    pub count: u32,
}

/// The log of the incidents of a run.
#[derive(Clone, Debug, Default)]
pub struct IncidentLog {
    /// The first incidents, in the order of their times.
    pub listed: Vec<Incident>,
    /// The number of incidents that are not listed.
    pub others: u64,
}

impl IncidentLog {
    /// Records an incident of the present moment.
    #[cold]
    pub fn record(&mut self, incident: Incident) {
        let is_alike = |other: &&mut Incident| {
            (other.until, other.component, other.kind) == (incident.until, incident.component, incident.kind)
        };
        let of_this_moment = self.listed.iter_mut().rev().take_while(|other| other.at == incident.at);
        if let Some(alike) = of_this_moment.into_iter().find(is_alike) {
            alike.count += incident.count;
        } else if self.listed.len() < LISTED {
            self.listed.push(incident);
        } else {
            self.others += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn incident(at: u64, kind: IncidentKind) -> Incident {
        let (subject, component) = (IncidentSubject::Device(at as u32), ComponentId(3));
        Incident { at: Time(at), until: Time(at), component, kind, subject, count: 1 }
    }

    #[test]
    fn alike_incidents_of_one_moment_are_one() {
        let mut log = IncidentLog::default();
        let (failed, back) = (IncidentKind::PathFailed, IncidentKind::PathBack);
        for (at, kind) in [(5, failed), (5, back), (5, failed), (6, failed)] {
            log.record(incident(at, kind));
        }
        let counts: Vec<_> = log.listed.iter().map(|one| (one.at.0, one.kind, one.count)).collect();
        assert_eq!(counts, [(5, failed, 2), (5, back, 1), (6, failed, 1)]);
    }

    #[test]
    fn the_list_is_bounded_and_says_how_many_it_lacks() {
        let mut log = IncidentLog::default();
        (0..LISTED as u64 + 7).for_each(|at| log.record(incident(at, IncidentKind::PathFailed)));
        assert_eq!((log.listed.len(), log.others), (LISTED, 7));
    }
}

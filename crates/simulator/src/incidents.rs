//! The incidents of a run for the summary: what happened of itself, and when.
//!
//! Incidents are those of the whole run, including the time before the measured interval.

use sansim_assembly::plan::SystemPlan;
use sansim_component::incident_log::{Incident, IncidentLog, IncidentSubject};
use sansim_kernel::{TICKS_PER_NS, Time};
use sansim_schema::words::Word;
use serde::Serialize;

/// An incident: its time, its component, and the thing that it concerns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReportedIncident {
    /// The time from the beginning of the run.
    pub at_ns: f64,
    /// The time at which it ended; null if it lasted for no time.
    pub until_ns: Option<f64>,
    /// The kind: `initialisation`, `owner-change`, `path-failed`, `path-back`, `quarantine`.
    pub what: &'static str,
    /// The component at which it happened.
    pub component: String,
    /// The device or node that it concerns, of several the first; null if it concerns the component alone.
    pub of: Option<String>,
    /// The number of things that it concerns.
    pub count: u32,
}

/// The incidents of a log, and a line about those that it does not list.
pub(crate) fn reported(log: &IncidentLog, plan: &SystemPlan) -> (Vec<ReportedIncident>, Option<String>) {
    let listed = log.listed.iter().map(|incident| ReportedIncident::new(incident, plan)).collect();
    let others = (log.others > 0).then(|| {
        format!(
            "{} incidents are listed with their times, and {} later ones are not",
            log.listed.len(),
            log.others
        )
    });
    (listed, others)
}

impl ReportedIncident {
    fn new(incident: &Incident, plan: &SystemPlan) -> Self {
        let names = &plan.names;
        let ns = |time: Time| time.ticks() as f64 / TICKS_PER_NS as f64;
        let &Incident { at, until, component, kind, subject, count } = incident;
        let component = &names.components[component.index()];
        Self {
            at_ns: ns(at),
            until_ns: (until > at).then(|| ns(until)),
            what: kind.word(),
            component: component.name.clone(),
            of: match subject {
                IncidentSubject::Itself => None,
                IncidentSubject::Device(device) => Some(plan.graph.devices[device as usize].name.clone()),
                IncidentSubject::Node(port) => {
                    Some(names.stations[component.station + usize::from(port)].name.clone())
                }
            },
            count,
        }
    }
}

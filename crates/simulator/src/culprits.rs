//! The congestion culprits of networks and their victims, for the summary.

use sansim_component::culprits::CongestionCulprit;
use serde::Serialize;

/// A port that made other ports wait for credit.
#[derive(Clone, Debug, Serialize)]
pub struct ReportedCulprit {
    /// The network of the port.
    pub network: String,
    /// The switch to which the port belongs.
    pub from: String,
    /// The node or the switch to which the port leads.
    pub to: String,
    /// The cause: `withholds-credit` or `oversubscribed`.
    pub cause: &'static str,
    /// The share of the time in which the port had frames and no credit.
    pub stalled: f64,
    /// Utilisation of the line of the port.
    pub busy: f64,
    /// The mean number of other ports that had no credit because of this port.
    pub holds: f64,
    /// The flows that suffered, the worst first.
    pub victims: Vec<ReportedVictim>,
}

/// A flow that waited for a culprit and is not addressed to it.
#[derive(Clone, Debug, Serialize)]
pub struct ReportedVictim {
    /// The node that sends the flow.
    pub from: String,
    /// The node to which the flow goes.
    pub to: String,
    /// The mean number of frames of the flow that waited.
    pub waiting: f64,
}

impl From<(String, CongestionCulprit)> for ReportedCulprit {
    fn from((network, culprit): (String, CongestionCulprit)) -> Self {
        let CongestionCulprit { from, to, withholds, stalled, busy, holds, victims } = culprit;
        let cause = if withholds { "withholds-credit" } else { "oversubscribed" };
        let victim = |of: sansim_component::culprits::CongestionVictim| ReportedVictim {
            from: of.from,
            to: of.to,
            waiting: of.waiting,
        };
        let victims = victims.into_iter().map(victim).collect();
        Self { network, from, to, cause, stalled, busy, holds, victims }
    }
}

//! The congestion culprits of networks and their victims, for the summary.

use sansim_component::culprits::Culprit;
use serde::Serialize;

/// A port that kept others waiting.
#[derive(Clone, Debug, Serialize)]
pub struct ToldCulprit {
    /// The network.
    pub network: String,
    /// The switch whose port it is.
    pub from: String,
    /// The node, or the switch, to which it leads.
    pub to: String,
    /// `withholds-credit` or `oversubscribed`.
    pub cause: &'static str,
    /// Share of the time in which it had frames and no credit.
    pub stalled: f64,
    /// Utilisation of the line of the port.
    pub busy: f64,
    /// Mean number of other ports that had no credit because of this one.
    pub holds: f64,
    /// The flows that suffered, the worst first.
    pub victims: Vec<ToldVictim>,
}

/// A flow that waited for a culprit and is not addressed to it.
#[derive(Clone, Debug, Serialize)]
pub struct ToldVictim {
    /// From this node.
    pub from: String,
    /// To this one.
    pub to: String,
    /// Frames that waited, in the mean of the time.
    pub waiting: f64,
}

impl From<(String, Culprit)> for ToldCulprit {
    fn from((network, culprit): (String, Culprit)) -> Self {
        let Culprit { from, to, withholds, stalled, busy, holds, victims } = culprit;
        let cause = if withholds { "withholds-credit" } else { "oversubscribed" };
        let victim = |of: sansim_component::culprits::Victim| ToldVictim {
            from: of.from,
            to: of.to,
            waiting: of.waiting,
        };
        let victims = victims.into_iter().map(victim).collect();
        Self { network, from, to, cause, stalled, busy, holds, victims }
    }
}

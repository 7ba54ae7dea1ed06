//! The congestion culprits of a network and their victims, as the network reports them.

use std::fmt;

/// The number of victims that are listed one by one.
const SHOWN: usize = 4;

/// A flow from one node to another that waits for a culprit, though it is not addressed to it.
#[derive(Clone, Debug, PartialEq)]
pub struct CongestionVictim {
    /// The node that sends the flow.
    pub from: String,
    /// The node to which the flow goes.
    pub to: String,
    /// The mean number of frames of the flow that waited because of the culprit.
    pub waiting: f64,
}

/// A port that keeps other ports waiting.
#[derive(Clone, Debug, PartialEq)]
pub struct CongestionCulprit {
    /// The switch, or the node, that has the port.
    pub from: String,
    /// The switch or node to which the port leads.
    pub to: String,
    /// Whether the node at the other end withholds credit; otherwise more frames go there than the link can transmit.
    pub withholds: bool,
    /// The share of the time in which the port had frames and no credit.
    pub stalled: f64,
    /// Utilisation of the line of the port.
    pub busy: f64,
    /// The mean number of other ports that had no credit because of this port.
    pub holds: f64,
    /// The flows that suffer, the worst first.
    pub victims: Vec<CongestionVictim>,
}

impl fmt::Display for CongestionCulprit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to, withholds, stalled, busy, holds, victims } = self;
        if *withholds {
            let share = 100.0 * stalled;
            write!(
                f,
                "{to} withholds credit: {from} had frames for it and no credit for {share:.0} % of the time"
            )?;
        } else {
            let share = 100.0 * busy;
            write!(f, "the link from {from} to {to} is oversubscribed: its utilisation was {share:.0} %")?;
        }
        write!(f, "; on average {holds:.2} other ports waited because of it")?;
        if victims.is_empty() {
            return f.write_str(", but no frame to another destination");
        }
        let shown: Vec<String> = victims
            .iter()
            .take(SHOWN)
            .map(|CongestionVictim { from, to, waiting }| format!("{from} to {to} ({waiting:.2} frames)"))
            .collect();
        write!(f, ". Victims, with other destinations: {}", shown.join(", "))?;
        match victims.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, ", and {more} more"),
        }
    }
}

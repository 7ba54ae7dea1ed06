//! Ports to nodes that are found congested, and the reactions: quarantine, notices and signals (`crate::congestion`, `super::notices`).
//!
//! Time is divided into periods from the beginning of the run. At the end of a period the port to a node is congested if its frames had
//! no credit for `stalled_share` of the period. Ports at which nothing waited in a period cost nothing.

use super::{Fabric, FabricEvent, FabricHost};
use crate::congestion::CongestionParameters;
use crate::layout::LinkEndDevice;
use sansim_kernel::{Span, Time};

/// The least time for which a driver obeys a notice; for a signal the same time is assumed.
const LEAST: Span = Span::from_s(1);

/// Among the events of one instant ports are checked after all arrivals.
const UNIT: u32 = 1 << 17;

/// The observations of the port to a node.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// The time for which the port had had frames and no credit when this period began.
    before: Span,
    /// Whether the port is checked at the end of this period.
    looks: bool,
    /// Whether the frames to the node go by a channel of their own.
    quarantined: bool,
    /// The time until which other nodes obey the last notice about the node, and the node obeys the last
    /// signal.
    told_until: Time,
}

/// The checks of ports to nodes.
#[derive(Clone, Debug)]
pub struct CongestionChecks {
    period: Span,
    /// The time without credit in a period from which on a port is congested.
    most: Span,
    nodes: Vec<Seen>,
    /// The number of periods in which a port was congested, summed over ports.
    pub congested: u64,
}

impl CongestionChecks {
    /// The state before any port has been found congested.
    pub fn new(parameters: &CongestionParameters, nodes: usize) -> Self {
        let most = (parameters.period.ticks() as f64 * parameters.stalled_share).round().max(1.0);
        let seen = vec![Seen::default(); nodes];
        Self { period: parameters.period, most: Span(most as u64), nodes: seen, congested: 0 }
    }

    /// Whether frames to a node go by a channel of their own.
    pub fn is_quarantined(&self, node: u16) -> bool {
        self.nodes.get(usize::from(node)).is_some_and(|seen| seen.quarantined)
    }

    /// The time until which nodes obey a notice about this node, and this node obeys a signal.
    pub fn notified_until(&self, node: u16) -> Time {
        self.nodes.get(usize::from(node)).map_or(Time::ZERO, |seen| seen.told_until)
    }
}

impl Fabric {
    /// The number of periods in which ports to nodes were congested, summed over all ports.
    pub fn congested_period_count(&self) -> u64 {
        self.looks.as_ref().map_or(0, |looks| looks.congested)
    }

    /// A port of a switch has a frame and no credit from now on, or still at the beginning of a period. A port to a node is then checked
    /// when the period is over.
    pub(super) fn is_looked_at(&mut self, now: Time, port: u32, around: &mut impl FabricHost) {
        let (LinkEndDevice::Switch(_), LinkEndDevice::Node(node)) =
            (self.ports[port as usize].at, self.ports[port as usize ^ 1].at)
        else {
            return;
        };
        let Some(looks) = &mut self.looks else { return };
        let Some(seen) = looks.nodes.get_mut(usize::from(node)).filter(|seen| !seen.looks) else { return };
        (seen.looks, seen.before) = (true, self.ports[port as usize].stalled_time(now));
        let period = looks.period.ticks();
        let at = Time((now.ticks() / period + 1) * period);
        around.schedule(at, FabricEvent::Look(port), UNIT + port);
    }

    /// A period is over: a port is checked.
    pub(super) fn look(&mut self, now: Time, port: u32, around: &mut impl FabricHost) {
        let LinkEndDevice::Node(node) = self.ports[port as usize ^ 1].at else { return };
        let stalled = self.ports[port as usize].stalled_time(now);
        let Some(looks) = &mut self.looks else { return };
        let seen = &mut looks.nodes[usize::from(node)];
        seen.looks = false;
        if stalled - seen.before >= looks.most {
            looks.congested += 1;
            let quarantine = self.parameters.congestion.quarantine;
            let was_quarantined = std::mem::replace(&mut seen.quarantined, quarantine);
            if quarantine && !was_quarantined {
                around.is_quarantined(node);
            }
            if self.parameters.congestion.notifies_nodes() {
                seen.told_until = now + (looks.period * 2).max(LEAST);
            }
            self.congestion_is_reported(now, node, around);
        }
        if self.ports[port as usize].usage.stalled_since.is_some() {
            self.is_looked_at(now, port, around);
        }
    }
}

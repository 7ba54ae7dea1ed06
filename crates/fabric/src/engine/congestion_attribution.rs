//! Attribution of congestion: culprits and victims (docs/model/congestion.md).
//!
//! A port that has a frame and no credit waits for the buffers at the other end of its link. If a node is at the other end, the node
//! withholds credit. If a switch is at the other end, the port waits for the outputs of that switch for which the frames in these buffers
//! wait, as they are when the port begins to wait. An output that sends while the frames wait is a link that is asked for more than it can
//! carry; for the time in which the output has no credit itself, its own wait is followed in turn. Each wait therefore ends at nodes that
//! withhold credit and at links that are saturated, with a share for each.

use super::Fabric;
use super::buffered_frame::NONE;
use crate::layout::LinkEndDevice;
use crate::routing::RoutingName;
use crate::switch::InputQueueing;
use sansim_fc::address::FcAddress;
use sansim_fc::frame::{Frame, Pdu};
use sansim_kernel::{Span, Time};
use sansim_pdu::Address;
use std::collections::{BTreeMap, BTreeSet};

/// The most links in a row over which a wait is followed.
const FAR: usize = 16;
/// A flow is a victim if its frames waited for this share of the time, all together: one frame that always
/// waits counts 1.
const VICTIM: f64 = 0.01;

/// The cause for which other ports wait for a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CongestionCause {
    /// The node behind the port withholds credit: a slow drain.
    Withholds,
    /// The port is asked for more than its link carries.
    Oversubscribed,
}

/// A flow that waits behind a culprit and does not go through the culprit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockedFlow {
    /// The node that sends the flow.
    pub from: u16,
    /// The node to which the flow goes.
    pub to: u16,
    /// The mean number of frames of the flow that waited because of the culprit.
    pub waiting: f64,
}

/// A port that makes other ports wait.
#[derive(Clone, Debug, PartialEq)]
pub struct CongestedPort {
    /// The end of the link to which the port belongs.
    pub from: LinkEndDevice,
    /// The other end of the port's link.
    pub to: LinkEndDevice,
    /// The cause of the waits.
    pub cause: CongestionCause,
    /// The share of the time in which the port had frames and no credit itself.
    pub stalled: f64,
    /// The share of the time in which the line of the port was busy.
    pub busy: f64,
    /// The mean number of other ports that had no credit because of this port.
    pub holds: f64,
    /// The victims of the port, the worst first.
    pub victims: Vec<BlockedFlow>,
}

/// Ports, with the share of each port.
type Shares<T> = Vec<(T, f64)>;

fn add<T: PartialEq>(shares: &mut Shares<T>, what: T, much: f64) {
    match shares.iter_mut().find(|(of, _)| *of == what) {
        Some((_, sum)) => *sum += much,
        None => shares.push((what, much)),
    }
}

/// The records of the waits of ports.
#[derive(Clone, Debug, Default)]
pub struct CongestionWatch {
    /// For each port, the ports for which it waits since its wait began, and the ticks for which it has
    /// waited for each port.
    begun: Vec<Shares<u32>>,
    waited: Vec<Shares<u32>>,
    /// The ticks for which frames from an address to a node waited at a port.
    flows: BTreeMap<(u32, Address, u16), f64>,
}

impl CongestionWatch {
    /// A watch in which no port has waited yet.
    pub fn new(ports: usize) -> Self {
        Self { begun: vec![Vec::new(); ports], waited: vec![Vec::new(); ports], flows: BTreeMap::new() }
    }
}

impl Fabric {
    /// From now on a port has a frame and no credit.
    #[cold]
    pub(super) fn wait_begins(&mut self, port: u32) {
        let Some(mut watch) = self.watch.take() else { return };
        let begun = &mut watch.begun[port as usize];
        begun.clear();
        let to = port ^ 1;
        if let LinkEndDevice::Switch(switch) = self.ports[to as usize].at {
            let waiting = &self.ports[self.ports[to as usize].lead as usize].waiting;
            let first = if self.parameters.queueing == InputQueueing::Fifo { 1 } else { waiting.len() };
            for held in waiting.iter().take(first).map(|&held| &self.held[held]) {
                if held.port != to {
                    continue;
                }
                let ways = held.ways.ports().count();
                held.ways.ports().for_each(|output| add(begun, output.into(), 1.0 / ways as f64));
            }
            for &output in &self.switches[usize::from(switch)].ports {
                let sending = self.ports[output as usize].sending;
                if sending != NONE && self.held[sending].port == to {
                    add(begun, self.ports[output as usize].lead, 1.0);
                }
            }
        }
        self.watch = Some(watch);
    }

    /// The port has credit again, or no frame waits at it any more.
    #[cold]
    pub(super) fn wait_ends(&mut self, port: u32, since: Time, now: Time) {
        let Some(mut watch) = self.watch.take() else { return };
        self.note_wait(&mut watch, port, since, now);
        self.watch = Some(watch);
    }

    fn note_wait(&self, watch: &mut CongestionWatch, port: u32, since: Time, now: Time) {
        let lasted = now.saturating_since(since).ticks() as f64;
        let all: f64 = watch.begun[port as usize].iter().map(|(_, much)| much).sum();
        for &(output, much) in &watch.begun[port as usize] {
            add(&mut watch.waited[port as usize], output, lasted * much / all);
        }
        let lead = self.ports[port as usize].lead;
        let mut waits = |held: u32| {
            let held = &self.held[held];
            let from = if held.ready_at < Time::NEVER { since.max(held.ready_at) } else { now };
            let ticks = now.saturating_since(from).ticks();
            if ticks > 0 {
                *watch.flows.entry((port, held.frame.source, held.to)).or_default() += ticks as f64;
            }
        };
        let of = &self.ports[lead as usize];
        let requests = of.requests.in_order().into_iter().map(|(_, held)| held);
        for held in of.queue.iter().copied().chain(requests) {
            waits(held);
            if self.parameters.queueing == InputQueueing::Fifo && held != NONE {
                let input = &self.ports[self.ports[self.held[held].port as usize].lead as usize];
                if input.waiting.front() == Some(&held) {
                    input.waiting.iter().skip(1).for_each(|&behind| waits(behind));
                }
            }
        }
    }

    /// The root causes for which each port waits when it has no credit, in shares.
    fn roots(&self, watch: &CongestionWatch, now: Time) -> Vec<Shares<(u32, CongestionCause)>> {
        let to_node = |port: u32| matches!(self.ports[port as usize ^ 1].at, LinkEndDevice::Node(_));
        let mut roots: Vec<Shares<(u32, CongestionCause)>> = (0..self.ports.len() as u32)
            .map(
                |port| {
                    if to_node(port) { vec![((port, CongestionCause::Withholds), 1.0)] } else { Vec::new() }
                },
            )
            .collect();
        // For an output in whose switch frames wait: the share of that time in which it sends, and the share in which
        // it has no credit.
        let parts: Vec<(f64, f64)> = (0..self.ports.len() as u32)
            .map(|output| {
                let links = || self.links_of(output);
                let sent: f64 = links().map(|link| self.taken_for(now, link).ticks() as f64).sum();
                let of = |link: u32| self.ports[link as usize].stalled_time(now).ticks() as f64;
                let stalled: f64 = links().map(of).sum();
                let all = (sent + stalled).max(1.0);
                (sent / all, stalled / all)
            })
            .collect();
        for _ in 0..FAR {
            let before = roots.clone();
            for (port, waited) in watch.waited.iter().enumerate().filter(|(port, _)| !to_node(*port as u32)) {
                let all: f64 = waited.iter().map(|(_, ticks)| ticks).sum();
                let mut of = Vec::new();
                for &(output, ticks) in waited {
                    let (sends, stalls) = parts[output as usize];
                    add(&mut of, (output, CongestionCause::Oversubscribed), sends * ticks / all);
                    for &(root, much) in &before[output as usize] {
                        add(&mut of, root, much * stalls * ticks / all);
                    }
                }
                roots[port] = of;
            }
        }
        roots
    }

    /// The time for which the line of a port was busy with frames and the gaps behind them.
    fn taken_for(&self, now: Time, port: u32) -> Span {
        let of = &self.ports[port as usize];
        of.sending_time(now) + of.usage.time_of_gaps(&of.rules)
    }

    /// The culprits, the worst first, with their victims, for the whole time up to now. The list is empty
    /// without a watch.
    pub fn congestion_culprits(&self, now: Time) -> Vec<CongestedPort> {
        let Some(watch) = &self.watch else { return Vec::new() };
        let mut watch = (**watch).clone();
        for (port, of) in (0..).zip(&self.ports) {
            if let Some(since) = of.usage.stalled_since {
                self.note_wait(&mut watch, port, since, now);
            }
        }
        let all = now.ticks().max(1) as f64;
        let (least, full) = (self.parameters.congestion.stalled_share, self.parameters.congestion.busy_share);
        // The time that each port waited, by cause, gives the time for which each cause made ports wait.
        let roots = self.roots(&watch, now);
        let mut holds: BTreeMap<(u32, CongestionCause), f64> = BTreeMap::new();
        for (port, of) in self.ports.iter().enumerate() {
            let stalled = of.stalled_time(now).ticks() as f64 / all;
            for &(root, share) in &roots[port] {
                if root.0 as usize != port {
                    *holds.entry(root).or_default() += stalled * share;
                }
            }
        }
        let stalled = |port: u32| self.ports[port as usize].stalled_time(now).ticks() as f64 / all;
        let withholds = (0..self.ports.len() as u32).filter(|&port| {
            let of = &self.ports[port as usize];
            let to_node = matches!(
                (of.at, self.ports[port as usize ^ 1].at),
                (LinkEndDevice::Switch(_), LinkEndDevice::Node(_))
            );
            // A port whose credit does not cover the length of its link waits for the round trip, not for the
            // node.
            to_node && stalled(port) >= least && !self.is_short_of_credit(port)
        });
        let busy = |port: u32| {
            let links = self.links_of(port).count().max(1) as f64;
            self.links_of(port).map(|link| self.taken_for(now, link).ticks() as f64 / all).sum::<f64>()
                / links
        };
        let is_full = |&(&(port, cause), &much): &(&(u32, CongestionCause), &f64)| {
            cause == CongestionCause::Oversubscribed && much >= least && busy(port) >= full
        };
        let full = holds.iter().filter(is_full).map(|(&root, _)| root);
        let found: BTreeSet<(u32, CongestionCause)> =
            withholds.map(|port| (port, CongestionCause::Withholds)).chain(full).collect();
        let mut culprits: Vec<CongestedPort> = found
            .into_iter()
            .map(|root| CongestedPort {
                from: self.ports[root.0 as usize].at,
                to: self.ports[root.0 as usize ^ 1].at,
                cause: root.1,
                stalled: stalled(root.0),
                busy: busy(root.0),
                holds: holds.get(&root).copied().unwrap_or(0.0),
                victims: self.victims(&watch, &roots, root, all),
            })
            .collect();
        let worst = |culprit: &CongestedPort| culprit.holds + culprit.stalled;
        culprits.sort_by(|one, other| worst(other).total_cmp(&worst(one)));
        culprits
    }

    /// The flows that waited for a culprit and do not go through it, the worst first.
    fn victims(
        &self,
        watch: &CongestionWatch,
        roots: &[Shares<(u32, CongestionCause)>],
        root: (u32, CongestionCause),
        all: f64,
    ) -> Vec<BlockedFlow> {
        let mut waits: BTreeMap<(u16, u16), f64> = BTreeMap::new();
        for (&(port, source, to), ticks) in &watch.flows {
            let share =
                roots[port as usize].iter().find(|(of, _)| *of == root).map_or(0.0, |(_, share)| *share);
            let from = self.by_address.get(&source).or_else(|| self.by_address.get(&source.at_switch()));
            if let Some(&from) = from.filter(|_| share > 0.0 && port != root.0) {
                *waits.entry((from, to)).or_default() += ticks * share / all;
            }
        }
        let suffers =
            |&((from, to), much): &((u16, u16), f64)| much >= VICTIM && !self.goes_by(from, to, root.0);
        let mut victims: Vec<BlockedFlow> = waits
            .into_iter()
            .filter(suffers)
            .map(|((from, to), waiting)| BlockedFlow { from, to, waiting })
            .collect();
        victims.sort_by(|one, other| other.waiting.total_cmp(&one.waiting));
        victims
    }

    /// Whether the frames that a node sends to another node go through a port, or may do so.
    fn goes_by(&self, from: u16, to: u16, port: u32) -> bool {
        if let LinkEndDevice::Node(node) = self.ports[port as usize ^ 1].at {
            return node == to;
        }
        let switch_of = |node: u16| self.layout.nodes[usize::from(node)].switch;
        let (Some(first), Some(target)) = (switch_of(from), switch_of(to)) else { return false };
        let frame = Frame::from(Pdu {
            source: self.layout.nodes[usize::from(from)].address,
            destination: self.layout.nodes[usize::from(to)].address,
            ..Pdu::example()
        });
        let mut seen: BTreeSet<(u16, Option<u16>)> = BTreeSet::new();
        let mut next = vec![(first, None)];
        while let Some((switch, came)) = next.pop() {
            if switch == target || !seen.insert((switch, came)) {
                continue;
            }
            let tables = std::iter::once(&self.routes).chain(&self.escape);
            for ports in tables.map(|table| table.ports(switch, came, target)) {
                if ports.is_empty() {
                    continue;
                }
                let chosen = self.routing.choose(&frame, ports);
                let by_exchange = matches!(self.routing, RoutingName::Exchange | RoutingName::UpDownExchange);
                let any = if by_exchange { ports } else { chosen.ports() };
                for &output in any {
                    if u32::from(output) == self.ports[port as usize].lead {
                        return true;
                    }
                    if let LinkEndDevice::Switch(after) = self.ports[usize::from(output) ^ 1].at {
                        next.push((after, Some(switch)));
                    }
                }
            }
        }
        false
    }
}

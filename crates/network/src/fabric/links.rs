//! The mean demand of a request on the links of a fabric: on the link by which it leaves its node, on the links between switches, and on
//! the link to the other node.
//!
//! The links between switches that frames pass follow from the paths that switches find and from the rule by which they choose among equal
//! paths (`sansim_fabric::routing`): by the destination, or else each path equally often. Both directions of a link carry at the same time,
//! and the links of a trunk are one path with as many servers. A link carries no more frames than its returning credit allows, which over a
//! distance may be fewer than its bandwidth allows.

use super::specs;
use sansim_component::demand::{DemandContext, DemandServer, LinkAmongSeveral, RequestClass, TimeDemand};
use sansim_fabric::layout::{LinkEndDevice, LinkPlan, failable_parts, trunks};
use sansim_fabric::routing::RouteTable;
use sansim_fabric::{FabricLayout, FabricParameters};
use sansim_fc::link::LinkRules;
use std::collections::{BTreeMap, BTreeSet};

/// The number of bytes of a word.
const WORD_BYTES: f64 = 4.0;
/// The directions: from the initiator, and back to it.
const DIRECTIONS: [usize; 2] = [0, 1];
/// The number of stages of each direction: the link of the sender, the links between switches, the link of
/// the receiver.
const STAGES: u8 = 3;

/// For each link between switches, the mean number of times that a request passes it, in each direction.
type Passes = BTreeMap<u16, [f64; 2]>;

/// The links that requests pass, and the delay on their path.
pub(super) struct Passed {
    /// The visits of a request to links.
    pub links: Vec<LinkAmongSeveral>,
    /// The delay of cables and switches, there and back.
    pub delay_ns: f64,
}

/// A fabric, and the nodes that send requests over it.
struct Ways<'a> {
    parameters: &'a FabricParameters,
    around: &'a DemandContext<'a>,
    layout: FabricLayout,
    leads: Vec<u32>,
    routes: RouteTable,
    /// The names of the switches, then the names of the links between them.
    things: Vec<String>,
    /// The messages of a request in each direction: their payloads, and the number of frames of each.
    sends: [Vec<(f64, f64)>; 2],
}

/// The passage of requests between the given stations through the fabric.
pub(super) fn of(parameters: &FabricParameters, class: &RequestClass, around: &DemandContext<'_>) -> Passed {
    let ways = Ways::of(parameters, class, around);
    let share = 1.0 / around.between.len().max(1) as f64;
    let mut passes = Passes::new();
    for &(from, to) in around.between {
        ways.walk(&mut passes, (from, to), share, 0);
        ways.walk(&mut passes, (to, from), share, 1);
    }
    let askers: BTreeSet<usize> = around.between.iter().map(|&(from, _)| from).collect();
    let servers: BTreeSet<usize> = around.between.iter().map(|&(_, to)| to).collect();
    let mut links = Vec::new();
    for direction in DIRECTIONS {
        let [senders, receivers] = if direction == 0 { [&askers, &servers] } else { [&servers, &askers] };
        links.extend(ways.nodes(senders, direction, true));
        // A fabric without switches has one link, between two nodes.
        if !ways.layout.switches.is_empty() {
            links.extend(
                passes.iter().filter_map(|(&end, shares)| ways.between(end, shares[direction], direction)),
            );
            links.extend(ways.nodes(receivers, direction, false));
        }
    }
    let [out, back] = DIRECTIONS.map(|direction| ways.path_ns(&passes, [&askers, &servers], direction));
    // For a write FCP_XFER_RDY and the data cross the fabric as well, before the answer comes.
    let times = if class.write { 2.0 } else { 1.0 };
    Passed { links, delay_ns: times * (out + back) }
}

impl<'a> Ways<'a> {
    fn of(parameters: &'a FabricParameters, class: &RequestClass, around: &'a DemandContext<'a>) -> Self {
        // An impossible layout was reported when the scenario was read.
        let layout = FabricLayout::distribute_nodes(parameters, &specs(around.nodes)).unwrap_or_default();
        let leads = trunks::trunk_lead_ports(&layout, parameters.switch.trunks);
        let works = vec![true; layout.links.len()];
        let routes = RouteTable::find_paths(&layout, &works, &leads, parameters.paths().is_up_down());
        let frames = &around.frames;
        let (data, command) = ((class.bytes, frames.data_frame_count(class)), (frames.command, 1.0));
        let (ready, response) = ((frames.transfer_ready, 1.0), (frames.response, 1.0));
        let sends = if class.write {
            [vec![command, data], vec![ready, response]]
        } else {
            [vec![command], vec![data, response]]
        };
        Self { parameters, around, layout, leads, routes, things: failable_parts(parameters), sends }
    }

    /// Adds the mean number of times that traffic from one node to another passes the ends of links by which it leaves
    /// switches for other switches.
    fn walk(&self, passes: &mut Passes, (from, to): (usize, usize), share: f64, direction: usize) {
        let (Some(from), Some(to)) = (self.layout.nodes.get(from), self.layout.nodes.get(to)) else { return };
        let (Some(begin), Some(end)) = (from.switch, to.switch) else { return };
        let mut here: BTreeMap<(u16, Option<u16>), f64> = BTreeMap::from([((begin, None), share)]);
        while let Some(((at, before), share)) = here.pop_first() {
            if at == end {
                continue;
            }
            let allowed = self.routes.ports(at, before, end);
            if allowed.is_empty() {
                continue;
            }
            let always = self.parameters.paths().fixed_port(to.address, allowed).map(|port| [port]);
            let chosen = always.as_ref().map_or(allowed, |port| &port[..]);
            let each = share / chosen.len() as f64;
            for &port in chosen {
                passes.entry(port).or_default()[direction] += each;
                let link = &self.layout.links[usize::from(port / 2)];
                if let LinkEndDevice::Switch(next) = link.ends[1 - usize::from(port % 2)] {
                    *here.entry((next, Some(at))).or_default() += each;
                }
            }
        }
    }

    /// The links of nodes, with equal links together, for the frames that the nodes send or receive.
    fn nodes(&self, nodes: &BTreeSet<usize>, direction: usize, sends: bool) -> Vec<LinkAmongSeveral> {
        let mut alike: BTreeMap<(&str, u64), Vec<usize>> = BTreeMap::new();
        for &node in nodes {
            let (Some(link), Some(at)) = (self.link_of(node), self.around.nodes.get(node)) else {
                continue;
            };
            alike.entry((&at.listed, link.rules.word.ticks())).or_default().push(node);
        }
        let of = |((listed, _), members): ((&str, u64), Vec<usize>)| {
            let link = self.link_of(members[0])?;
            let credit =
                if sends { self.parameters.switch.buffers } else { self.layout.nodes[members[0]].buffers };
            Some(LinkAmongSeveral {
                which: format!("{} {}", if sends { "from" } else { "to" }, self.told(listed, &members)),
                alike: members.len() as u32,
                times: members.len() as f64 / nodes.len() as f64,
                stage: STAGES * direction as u8 + if sends { 0 } else { STAGES - 1 },
                is_away: direction == 0,
                is_of_node: true,
                is_of_asker: (direction == 0) == sends,
                holds_frames: f64::from(credit),
                server: self.server(&link.rules, direction, 1, credit),
            })
        };
        alike.into_iter().filter_map(of).collect()
    }

    /// The name of stations of one group, with the members that are meant.
    fn told(&self, listed: &str, members: &[usize]) -> String {
        let called: Vec<usize> = (0..self.around.nodes.len())
            .filter(|&station| self.around.nodes[station].listed == listed)
            .collect();
        let first = called.iter().position(|station| Some(station) == members.first()).unwrap_or_default();
        match members.len() {
            many if many == called.len() => listed.to_owned(),
            1 => format!("{listed}[{first}]"),
            many => format!("{listed}[{first}] and {} more", many - 1),
        }
    }

    /// The visits to an end of a link between switches, or to the trunk that this end leads.
    fn between(&self, end: u16, times: f64, direction: usize) -> Option<LinkAmongSeveral> {
        let number = usize::from(end / 2);
        let link = &self.layout.links[number];
        let servers = self.leads.iter().filter(|&&lead| lead == u32::from(end)).count() as u32;
        let name = self.things.get(self.layout.switches.len() + number).map_or("links", |name| name);
        let LinkEndDevice::Switch(to) = link.ends[1 - usize::from(end % 2)] else { return None };
        (times > 0.0).then(|| LinkAmongSeveral {
            which: format!("{name} to {}", self.layout.switches[usize::from(to)]),
            alike: 1,
            times,
            stage: STAGES * direction as u8 + 1,
            is_away: direction == 0,
            is_of_node: false,
            is_of_asker: false,
            holds_frames: f64::from(self.parameters.switch.buffers),
            server: self.server(&link.rules, direction, servers, self.parameters.switch.buffers),
        })
    }

    /// The link of a node: these links follow the links between switches, in the order of the nodes; two nodes without a switch have
    /// the same link.
    fn link_of(&self, node: usize) -> Option<&LinkPlan> {
        let first = self.layout.links.len().saturating_sub(self.layout.nodes.len());
        self.layout.links.get(if self.layout.switches.is_empty() { 0 } else { first + node })
    }

    /// The server for the messages in one direction over one link.
    fn server(&self, rules: &LinkRules, direction: usize, servers: u32, credit: u32) -> DemandServer {
        let takes = self.sends[direction]
            .iter()
            .map(|&(bytes, frames)| frames * frame_ns(rules, bytes / frames, credit));
        DemandServer { name: "link", servers, queues: 1, takes: TimeDemand::fixed_ns(takes.sum()) }
    }

    /// The delay of the cables and switches of one direction.
    fn path_ns(&self, passes: &Passes, ends: [&BTreeSet<usize>; 2], direction: usize) -> f64 {
        let latency = |rules: &LinkRules| rules.latency.as_ns_f64();
        let of_nodes = ends.map(|nodes| {
            let all = nodes.iter().filter_map(|&node| self.link_of(node)).map(|link| latency(&link.rules));
            all.sum::<f64>() / nodes.len().max(1) as f64
        });
        if self.layout.switches.is_empty() {
            return of_nodes[0];
        }
        let switch = &self.parameters.switch;
        let through = (switch.routing_delay + switch.forwarding_delay).as_ns_f64();
        let between: f64 = passes
            .iter()
            .map(|(&end, shares)| {
                shares[direction] * (latency(&self.layout.links[usize::from(end / 2)].rules) + through)
            })
            .sum();
        of_nodes.iter().sum::<f64>() + through + between
    }
}

/// The time of a frame and the gap after it; or its share of the time until its credit returns, if that is longer.
fn frame_ns(rules: &LinkRules, bytes: f64, credit: u32) -> f64 {
    let word = rules.word.as_ns_f64();
    let frame = (bytes / WORD_BYTES).ceil() + rules.overhead_words as f64;
    let round = (frame + rules.ready_words as f64) * word + 2.0 * rules.latency.as_ns_f64();
    ((frame + rules.gap_words as f64) * word).max(round / f64::from(credit.max(1)))
}

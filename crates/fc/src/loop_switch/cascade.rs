//! Cascaded switches form a chain, in which a trunk joins each switch to the switch before it.
//!
//! A trunk is a segment that has a port of a switch at either end, and no station. For each of the two switches all stations beyond the
//! trunk are on the trunk, so the rules are the rules of a segment that several stations share ([`super::shared_segment`], US 6,324,181): a
//! switch wins the trunk with the opener's ARB(x), which the other switch answers like the ARB(x) of a station, and passes the OPN on; the
//! other switch looks the OPN up and queues it like an OPN of its own stations. Two switches are joined by one trunk, which carries one
//! conversation at a time.
//!
//! Where both ends want a trunk they use it in turns. This rule is not published; with the addresses of the openers as priority, as on a
//! loop without fairness, an opener that is refused and tries again could keep the other openers from the trunk for ever.
//!
//! A switch knows the inputs of its own ports, and nothing of the queues of other switches. The inputs of its own ports are
//! enough to find every cycle of openers that wait for each other. An opener that waits at another switch holds all inter-switch links on
//! its path, so the switches of a cycle are neighbours in the chain. The last of these switches sees the whole cycle at its own ports,
//! because the cycle enters and leaves it by the same inter-switch link; [`super::opening`] breaks the cycle there.

use super::switch_port::Mode;
use super::{LoopGeometry, LoopSwitch, LoopSwitchParameters, NOBODY, Segment};
use crate::al_pa::AlPa;
use crate::arbitrated_loop::LoopStation;
use sansim_kernel::Span;

/// The switch of each port, and the stations that are reached by the port.
#[derive(Clone, Debug)]
pub(super) struct Cascade {
    /// The switch of each port.
    switch_of: Vec<usize>,
    /// For each switch, the port that leads to each address.
    routes: Vec<[u16; 256]>,
    /// The trunks of each switch: the trunk to the switch before it, and the trunk to the next switch.
    trunks: Vec<[Option<usize>; 2]>,
}

/// The switches in the order of the chain: first the switch of the network itself, then the other switches by their first
/// station.
fn chain(stations: &[LoopStation]) -> Vec<usize> {
    let mut chain = Vec::new();
    let of_first = stations.iter().filter(|station| station.switch == 0);
    for station in of_first.chain(stations) {
        if !chain.contains(&station.switch) {
            chain.push(station.switch);
        }
    }
    chain
}

impl Cascade {
    /// Joins the switches of these stations by trunks, which are added to the segments.
    pub(super) fn new(
        parameters: &LoopSwitchParameters,
        stations: &[LoopStation],
        segments: &mut Vec<Segment>,
    ) -> Self {
        let chain = chain(stations);
        let place = |switch: usize| chain.iter().position(|&one| one == switch).unwrap_or(0);
        let mut switch_of: Vec<usize> =
            segments.iter().map(|segment| place(stations[segment.stations[0]].switch)).collect();
        let mut routes = vec![[NOBODY; 256]; chain.len()];
        for (port, segment) in segments.iter().enumerate() {
            for &station in &segment.stations {
                routes[switch_of[port]][usize::from(stations[station].al_pa.address_byte())] = port as u16;
            }
        }
        let mut trunks = vec![[None; 2]; chain.len()];
        let word = parameters.on.word_time();
        for later in 1..chain.len() {
            let near = segments.len();
            let cascaded = &parameters.cascaded[chain[later] - 1].described;
            let hop = parameters.on.propagation.propagation_time(cascaded.cable) + parameters.latency.span;
            // All ports of switches have the same slots.
            let hop = Span(hop.ticks().max(1).next_multiple_of(word.ticks()));
            for other_end in [near + 1, near] {
                let geometry = LoopGeometry::new(&[hop, hop], word);
                segments.push(Segment { stations: Vec::new(), geometry, other_end: Some(other_end) });
            }
            switch_of.extend([later - 1, later]);
            (trunks[later - 1][1], trunks[later][0]) = (Some(near), Some(near + 1));
        }
        for station in stations {
            let at = place(station.switch);
            for (switch, routes) in routes.iter_mut().enumerate() {
                let route = &mut routes[usize::from(station.al_pa.address_byte())];
                if let Some(trunk) = trunks[switch][usize::from(at > switch)]
                    && at != switch
                {
                    *route = trunk as u16;
                }
            }
        }
        Self { switch_of, routes, trunks }
    }

    /// The number of switches.
    pub(super) fn switches(&self) -> usize {
        self.routes.len()
    }

    /// The switch to which a port belongs.
    pub(super) fn switch_of(&self, port: usize) -> usize {
        self.switch_of[port]
    }

    /// The port of a switch by which an address is reached.
    pub(super) fn route(&self, switch: usize, address: AlPa) -> Option<usize> {
        let port = self.routes[switch][usize::from(address.address_byte())];
        (port != NOBODY).then_some(usize::from(port))
    }

    /// Whether a port is the end of a trunk that yields to the other end at first.
    pub(super) fn comes_second(&self, port: usize) -> bool {
        self.trunks[self.switch_of[port]][0] == Some(port)
    }

    /// The trunk ports that a frame passes between the switches of two ports.
    fn between(&self, from: usize, to: usize) -> impl Iterator<Item = usize> {
        let (one, other) = (self.switch_of[from], self.switch_of[to]);
        (one.min(other)..one.max(other)).filter_map(|switch| self.trunks[switch][1])
    }
}

/// The role of a node of the switches, relative to the station that identifies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchNodeRole {
    /// The station itself.
    Station,
    /// The switch port of the station, identified by the first station at the port.
    Port,
    /// The trunk to the previous switch of the chain, identified by the first station at the switch.
    TrunkBefore,
    /// The trunk to the next switch of the chain.
    TrunkNext,
}

impl SwitchNodeRole {
    /// All roles, in their order.
    pub const ALL: [Self; 4] = [Self::Station, Self::Port, Self::TrunkBefore, Self::TrunkNext];
}

impl LoopSwitch {
    /// Whether a port leads to a trunk.
    pub(super) fn is_trunk(&self, port: usize) -> bool {
        self.segments[port].other_end.is_some()
    }

    /// Whether the segment of a port has to be won before an OPN may be sent into it.
    pub(super) fn is_shared(&self, port: usize) -> bool {
        self.segments[port].stations.len() > 1 || self.is_trunk(port)
    }

    /// Whether the ARB(y) that comes in at a shared port goes before the ARB(x) that the port has to send.
    pub(super) fn goes_before(&self, port: usize, y: AlPa, x: AlPa) -> bool {
        let first = if self.is_trunk(port) { self.switch_ports[port].had_trunk } else { y < x };
        first && self.stands_at(y, port)
    }

    /// The station whose OPN comes in at a port: the station of the segment that has won the segment. A switch recognises the station by
    /// the ARB(x) that the switch sent back.
    pub(super) fn opener_at(&self, port: usize) -> usize {
        if let Some(other_end) = self.segments[port].other_end {
            return match self.switch_ports[other_end].mode {
                Mode::Joined(from) => self.opener_at(from),
                _ => self.stands_for(port),
            };
        }
        let stations = &self.segments[port].stations;
        stations.iter().copied().find(|&station| self.ports[station].is_owner()).unwrap_or(stations[0])
    }

    /// The station that identifies a node, and the role of the node relative to that station.
    pub fn station_of_node(&self, node: usize) -> (usize, SwitchNodeRole) {
        let Some(port) = node.checked_sub(self.ports.len()) else { return (node, SwitchNodeRole::Station) };
        let switch = self.cascade.switch_of(port);
        match (self.segments[port].stations.first(), self.cascade.comes_second(port)) {
            (Some(&station), _) => (station, SwitchNodeRole::Port),
            (None, true) => (self.first_at(switch), SwitchNodeRole::TrunkBefore),
            (None, false) => (self.first_at(switch), SwitchNodeRole::TrunkNext),
        }
    }

    /// The longest round trip of a conversation.
    pub fn longest_round(&self) -> Span {
        let of_stations = |port: &usize| !self.is_trunk(*port);
        let ports: Vec<usize> = (0..self.segments.len()).filter(of_stations).collect();
        let round = |port: usize| self.segments[port].geometry.round_trip_time();
        let joined = |from: usize, to: usize| {
            self.cascade.between(from, to).fold(round(from) + round(to), |sum, trunk| sum + round(trunk))
        };
        let pairs = ports
            .iter()
            .enumerate()
            .flat_map(|(number, &from)| ports[number + 1..].iter().map(move |&to| (from, to)));
        pairs.map(|(from, to)| joined(from, to)).max().unwrap_or_else(|| round(0))
    }

    fn first_at(&self, switch: usize) -> usize {
        self.port_of.iter().position(|&port| self.cascade.switch_of(port) == switch).unwrap_or(0)
    }

    /// A station at a port, or beyond the port.
    pub(super) fn stands_for(&self, port: usize) -> usize {
        let Segment { stations, other_end, .. } = &self.segments[port];
        match (stations.first(), other_end) {
            (Some(&station), _) => station,
            (None, Some(other_end)) => self.first_at(self.cascade.switch_of(*other_end)),
            (None, None) => 0,
        }
    }
}

//! Adapters, buses and networks between those who ask and devices.

use super::{Builder, For, NOTHING, OnNetwork};
use crate::simulation::{standing, stations};
use sansim_component::Standing;
use sansim_component::demand::{Around, Class, FrameBytes};
use sansim_fc::arbitrated_loop::Station as Port;
use sansim_fc::loop_port::Sharing;
use sansim_scenario::graph::Address;
use std::collections::{BTreeMap, BTreeSet};

/// Ways by the networks at which they begin and end.
#[derive(Default)]
struct Ways {
    /// How many devices are reached by them, each way counted as its part.
    weight: f64,
    /// Adapters of those who ask.
    from: BTreeSet<usize>,
    /// Adapters of those who serve.
    to: BTreeSet<usize>,
}

/// Parts alike that frames go through; of a network its stations, and who stands there.
type Stage = (BTreeSet<usize>, Vec<Port>, Vec<Standing>);

impl Builder<'_> {
    /// The networks between those who ask and devices. What is told are the visits that carry data, nearest to the device.
    pub(super) fn ways(
        &mut self,
        askers: &BTreeSet<usize>,
        parts: &BTreeSet<usize>,
        what: &For,
    ) -> Vec<usize> {
        let graph = &self.plan.graph;
        let is_of = |asker: usize, device: usize| {
            askers.contains(&asker) && parts.contains(&graph.devices[device].part)
        };
        let mut by_network: BTreeMap<(usize, usize), Ways> = BTreeMap::new();
        let (mut all, mut several) = (0.0, false);
        for reach in graph.reaches.iter().filter(|reach| is_of(reach.asker, reach.device)) {
            let addresses: Vec<Address> =
                reach.ways.iter().filter(|way| !way.refused).filter_map(|way| way.address).collect();
            several |= addresses.len() > 1;
            for address in &addresses {
                let ways = by_network.entry((address.arbitrated_loop, address.network)).or_default();
                ways.weight += 1.0 / addresses.len() as f64;
                all += 1.0 / addresses.len() as f64;
                ways.from.extend(graph.loops[address.arbitrated_loop].stations[address.from].part);
                ways.to.extend(graph.loops[address.network].stations[address.to].part);
            }
        }
        if several {
            self.built.assumes.insert("the ways to a device are used alike".to_owned());
        }
        let mut data = Vec::new();
        for ((first, second), Ways { weight, from, to }) in by_network {
            let of_way = For { times: what.times * weight / all, ..*what };
            let networks = if first == second { vec![first] } else { vec![first, second] };
            let on_way = self.way(&from, &networks, &to, (askers, parts), &of_way);
            if data.is_empty() {
                data = on_way;
            }
        }
        data
    }

    /// Adapters, networks and adapters that frames go through.
    fn way(
        &mut self,
        from: &BTreeSet<usize>,
        networks: &[usize],
        to: &BTreeSet<usize>,
        (askers, devices): (&BTreeSet<usize>, &BTreeSet<usize>),
        what: &For,
    ) -> Vec<usize> {
        let graph = &self.plan.graph;
        let frames = self.frames(networks);
        let one_frame =
            Class { bytes: what.class.bytes.min(frames.data), is_of_one_size: true, ..what.class };
        let mut stages: Vec<Stage> = vec![(from.clone(), Vec::new(), Vec::new())];
        for &network in networks {
            let part = graph.loops[network].part;
            let on_it = stations(graph, part);
            let is_fair = |port: &Port| port.initiates && port.schedule.schedule == Sharing::Fair;
            if on_it.iter().any(is_fair) {
                self.built.fair_loops.insert(graph.places[graph.parts[part].place].name.clone());
            }
            stages.push((BTreeSet::from([part]), on_it, standing(graph, part)));
        }
        stages.push((to.clone(), Vec::new(), Vec::new()));
        let buses: Vec<BTreeSet<usize>> = [from, to]
            .into_iter()
            .map(|adapters| adapters.iter().flat_map(|&adapter| self.shared_by(adapter)).collect())
            .collect();
        stages.extend(
            buses
                .into_iter()
                .filter(|buses: &BTreeSet<usize>| !buses.is_empty())
                .map(|buses| (buses, Vec::new(), Vec::new())),
        );
        let mut grow: Vec<(usize, f64, bool)> = Vec::new();
        for (parts, on_it, standing) in &stages {
            let Some(&one) = parts.first() else { continue };
            let around = Around { stations: on_it, standing, frames, ..NOTHING };
            let part = &graph.parts[one].part;
            let (Some(demand), Some(first)) =
                (part.demand(&what.class, &around), part.demand(&one_frame, &around))
            else {
                self.does_not_say(one);
                continue;
            };
            if let Some(why) = demand.less_because {
                self.outside(why);
            }
            for (server, of_one) in demand.servers.iter().zip(&first.servers) {
                let visit = self.visit(parts, server, what);
                if !on_it.is_empty() {
                    let (class, network) = (self.built.network.classes.len(), one);
                    let (askers, devices) = (askers.clone(), devices.clone());
                    self.built.on_networks.push(OnNetwork { class, visit, network, askers, devices });
                }
                let grows = server.takes.mean_ns() - of_one.takes.mean_ns();
                grow.push((visit, grows.max(0.0), !on_it.is_empty()));
            }
            self.delay(demand.delay_ns, what);
        }
        let slowest = grow.iter().max_by(|one, other| one.1.total_cmp(&other.1)).map(|&(visit, ..)| visit);
        for &(visit, grows, _) in &grow {
            if Some(visit) != slowest {
                self.visits[visit].hidden = grows;
            }
        }
        // Of the visits to the network the one that takes longest has the data.
        let on_network = grow.iter().filter(|(.., is_network)| *is_network).map(|&(visit, ..)| visit);
        on_network
            .max_by(|&one, &other| self.visits[one].service.total_cmp(&self.visits[other].service))
            .into_iter()
            .collect()
    }

    fn frames(&self, networks: &[usize]) -> FrameBytes {
        let graph = &self.plan.graph;
        let parts =
            networks.iter().flat_map(|&network| &graph.loops[network].stations).filter_map(|at| at.part);
        let sizes = self.plan.sizes;
        FrameBytes {
            data: parts.filter_map(|part| graph.parts[part].part.max_payload()).max().unwrap_or(0) as f64,
            command: sizes.command_payload as f64,
            transfer_ready: sizes.xfer_rdy_payload as f64,
            response: sizes.response_payload as f64,
        }
    }
}

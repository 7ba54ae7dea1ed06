//! Adapters, buses and networks between initiators and devices.

use super::{Builder, For, OnNetwork};
use sansim_assembly::settings::network_nodes;
use sansim_component::NetworkNode;
use sansim_component::demand::{
    Demand, DemandContext, FrameBytes, LinkAmongSeveral, RequestClass, ResourceJobDemand,
};
use sansim_component::policy::PolicyName;
use sansim_queueing::{KeptServer, Return};
use sansim_scenario::graph::DeviceAddress;
use std::collections::{BTreeMap, BTreeSet};

/// The paths between two sets of adapters, at which they begin and end.
#[derive(Default)]
struct Ways {
    /// The number of devices on these paths; each path of a device counts as its fraction of the device.
    weight: f64,
    /// The adapters of the parts that issue the requests.
    from: BTreeSet<usize>,
    /// The adapters of the parts that serve the requests.
    to: BTreeSet<usize>,
    /// The stations at both ends of each path, if both ends are on one network.
    between: Vec<(usize, usize)>,
}

/// Alternative visits, and the part of the time of one visit that grows with the size of a request.
struct Growing {
    visits: Vec<usize>,
    grows: f64,
}

/// A link that requests pass, and the visit to the link.
struct Link<'a> {
    number: usize,
    visit: usize,
    link: &'a LinkAmongSeveral,
    /// Whether requests wait at the link.
    waits: bool,
}

/// The processors at a station that do the work that its network leaves to software: the place of the job among the jobs of the network,
/// and the number of paths that pass the station.
#[derive(Clone, Copy)]
struct AtStation {
    processors: usize,
    place: usize,
    times: f64,
}

/// The share of the load of the fullest stage that counts as the same load.
const AS_MUCH: f64 = 0.99;

/// The mean number of links between switches one after the other up to which it is enough to count the wait at one of them: at more, frames
/// join that did not pass the link before. A little more than two, for rounding.
const FEW_LINKS: f64 = 2.01;

/// Equal parts through which frames go; for a network also its stations, and the nodes at them.
type Stage = (BTreeSet<usize>, Vec<NetworkNode>);

impl Builder<'_> {
    /// The networks between the issuing parts and the devices. Returns the visits during which its data keep a device busy,
    /// beginning with the nearest.
    pub(super) fn paths(
        &mut self,
        askers: &BTreeSet<usize>,
        parts: &BTreeSet<usize>,
        what: &For,
    ) -> Vec<KeptServer> {
        let graph = &self.plan.graph;
        let is_of = |asker: usize, device: usize| {
            askers.contains(&asker) && parts.contains(&graph.devices[device].part)
        };
        let mut by_network: BTreeMap<(usize, usize), Ways> = BTreeMap::new();
        let (mut all, mut by_queues) = (0.0, false);
        for reach in graph.reaches.iter().filter(|reach| is_of(reach.asker, reach.device)) {
            let used = reach.paths_in_use();
            let on_network: Vec<(DeviceAddress, f64)> =
                used.iter().filter_map(|(way, share)| Some((way.address?, *share))).collect();
            by_queues |=
                on_network.len() > 1 && reach.policy.built_in().is_none_or(PolicyName::depends_on_queues);
            for (address, share) in on_network {
                let ways = by_network.entry((address.arbitrated_loop, address.network)).or_default();
                ways.weight += share;
                all += share;
                ways.from.extend(graph.loops[address.arbitrated_loop].stations[address.from].part);
                ways.to.extend(graph.loops[address.network].stations[address.to].part);
                if address.arbitrated_loop == address.network {
                    ways.between.push((address.from, address.to));
                }
            }
        }
        if by_queues {
            self.built.assumes.insert(
                "the paths to a device, which are chosen by their queues, share requests evenly".to_owned(),
            );
        }
        let mut data = Vec::new();
        for ((first, second), ways) in by_network {
            let of_way = For { times: what.times * ways.weight / all, ..*what };
            let networks = if first == second { vec![first] } else { vec![first, second] };
            let on_way = self.path(&ways, &networks, (askers, parts), &of_way);
            data.extend(on_way);
        }
        data
    }

    /// The adapters and networks through which frames go.
    fn path(
        &mut self,
        Ways { from, to, between, .. }: &Ways,
        networks: &[usize],
        (askers, devices): (&BTreeSet<usize>, &BTreeSet<usize>),
        what: &For,
    ) -> Vec<KeptServer> {
        let graph = &self.plan.graph;
        let frames = self.frames(networks);
        let one_frame =
            RequestClass { bytes: what.class.bytes.min(frames.data), is_of_one_size: true, ..what.class };
        let mut stages: Vec<Stage> = vec![(from.clone(), Vec::new())];
        for &network in networks {
            let part = graph.loops[network].part;
            let nodes = network_nodes(graph, part);
            if graph.parts[part].part.network().is_some_and(|network| network.is_fair_to(&nodes)) {
                self.built.fair_loops.insert(graph.places[graph.parts[part].place].name.clone());
            }
            stages.push((BTreeSet::from([part]), nodes));
        }
        stages.push((to.clone(), Vec::new()));
        let buses: Vec<BTreeSet<usize>> = [from, to]
            .into_iter()
            .map(|adapters| adapters.iter().flat_map(|&adapter| self.shared_by(adapter)).collect())
            .collect();
        stages.extend(
            buses
                .into_iter()
                .filter(|buses: &BTreeSet<usize>| !buses.is_empty())
                .map(|buses| (buses, Vec::new())),
        );
        // The number of data frames that the device has handed over: the frames that its adapter holds, and the frame
        // that is being sent.
        let pace = to.first().and_then(|&part| graph.parts[part].part.frame_pace());
        let ready = pace.map_or(0.0, |pace| pace.ready_frames as f64 + 1.0);
        let mut grow: Vec<Growing> = Vec::new();
        let (mut one_by_one, mut data): (Vec<usize>, Vec<KeptServer>) = (Vec::new(), Vec::new());
        for (number, (parts, nodes)) in stages.iter().enumerate() {
            let Some(&one) = parts.first() else { continue };
            let known = grow.len();
            let around = DemandContext { nodes, between, frames, ..DemandContext::NOTHING };
            let part = &graph.parts[one].part;
            let (Some(demand), Some(first)) =
                (part.request_demand(&what.class, &around), part.request_demand(&one_frame, &around))
            else {
                self.does_not_say(one);
                continue;
            };
            if let Some(why) = demand.less_because {
                self.outside(why);
            }
            for (server, of_one) in demand.servers.iter().zip(&first.servers) {
                let visit = self.visit(parts, server, what);
                let grows = server.takes.mean_time_ns() - of_one.takes.mean_time_ns();
                grow.push(Growing { visits: vec![visit], grows });
                if !nodes.is_empty() {
                    if let Some(&before) = one_by_one.last()
                        && visit == before + 1
                        && self.visits[before].station == self.visits[visit].station
                    {
                        // The answer of the device comes last.
                        self.answers.retain(|&answer| answer != before);
                        self.answers.push(visit);
                        self.visits[visit].returns = Some(Return { after: before, through: 0..0 });
                    }
                    one_by_one.push(visit);
                    self.carries((visit, one), (askers, devices));
                }
            }
            let links = self.links(parts, &demand.one_of, what);
            for link in links.iter().filter(|link| link.link.is_of_asker) {
                self.carries((link.visit, one), (askers, devices));
            }
            grow.extend(by_stage(&links, &first.one_of));
            data.extend(keeping(&links, &what.class, &frames, ready));
            // After the networks comes the adapter of the device: it fetches the data that it sends, and where all data have room only this
            // fetching keeps the device busy.
            if number == 1 + networks.len() && !what.class.write {
                let fetches = grow[known..].iter().max_by(|one, other| one.grows.total_cmp(&other.grows));
                let of_service = if beyond(&what.class, &frames, ready) > 0.0 { 0.0 } else { 1.0 };
                data.extend(fetches.map(|one| KeptServer { visit: one.visits[0], of_wait: 1.0, of_service }));
            }
            grow.extend(self.software((one, between), [&demand, &first], what));
            self.delay(demand.delay_ns, what);
        }
        let slowest = (0..grow.len()).max_by(|&one, &other| grow[one].grows.total_cmp(&grow[other].grows));
        for (number, Growing { visits, grows }) in grow.iter().enumerate() {
            // If several consecutive links are the slowest stage only one of them counts.
            let passes: f64 = visits.iter().map(|&visit| self.visits[visit].times / what.times).sum();
            let shows = if Some(number) == slowest { 1.0 / passes.max(1.0) } else { 0.0 };
            for &visit in visits {
                self.visits[visit].hidden = (1.0 - shows) * grows.max(0.0);
            }
        }
        // The longest of consecutive visits contains the time of the data.
        let longest = one_by_one
            .into_iter()
            .max_by(|&one, &other| self.visits[one].service.total_cmp(&self.visits[other].service));
        let left = beyond(&what.class, &frames, ready);
        data.extend(longest.filter(|_| left > 0.0).map(|visit| KeptServer {
            visit,
            of_wait: 1.0,
            of_service: left,
        }));
        data
    }

    /// The work of the processors of nodes that a network leaves to software, at both ends of these paths.
    fn software(
        &mut self,
        (network, between): (usize, &[(usize, usize)]),
        [demand, of_one_frame]: [&Demand; 2],
        what: &For,
    ) -> Vec<Growing> {
        let graph = &self.plan.graph;
        let Some(on_it) = graph.loops.iter().find(|on_loop| on_loop.part == network) else {
            return Vec::new();
        };
        let mut ends: BTreeMap<usize, f64> = BTreeMap::new();
        for &(from, to) in between {
            *ends.entry(from).or_default() += 1.0;
            *ends.entry(to).or_default() += 1.0;
        }
        // Processors of members of a group with equal load are counted as copies of one kind.
        let mut of_places: BTreeMap<(usize, [u64; 2]), Vec<AtStation>> = BTreeMap::new();
        for (place, (station, job)) in demand.at_nodes.iter().enumerate() {
            let Some((processors, times)) = on_it.stations[*station].processors.zip(ends.get(station)) else {
                continue;
            };
            let alike = [job.times, job.time_ns].map(f64::to_bits);
            let of_place = of_places.entry((graph.parts[processors].place, alike)).or_default();
            of_place.push(AtStation { processors, place, times: *times });
        }
        let mut growing = Vec::new();
        for of_place in of_places.into_values() {
            let parts: BTreeSet<usize> = of_place.iter().map(|at| at.processors).collect();
            let times: f64 = of_place.iter().map(|at| at.times).sum();
            let Some(&AtStation { processors, place, .. }) = of_place.first() else { continue };
            let asked = |job: ResourceJobDemand| {
                let around = DemandContext { jobs: &[job], ..DemandContext::NOTHING };
                graph.parts[processors].part.request_demand(&what.class, &around)
            };
            let (Some(all), Some(one)) =
                (asked(demand.at_nodes[place].1), asked(of_one_frame.at_nodes[place].1))
            else {
                continue;
            };
            let passing = For { times: what.times * times / between.len() as f64, ..*what };
            for (server, of_one) in all.servers.iter().zip(&one.servers) {
                if server.takes.mean_time_ns() > 0.0 {
                    let visit = self.visit(&parts, server, &passing);
                    let grows = server.takes.mean_time_ns() - of_one.takes.mean_time_ns();
                    growing.push(Growing { visits: vec![visit], grows });
                }
            }
        }
        growing
    }

    /// A visit in which a network carries data for devices.
    fn carries(
        &mut self,
        (visit, network): (usize, usize),
        (askers, devices): (&BTreeSet<usize>, &BTreeSet<usize>),
    ) {
        let class = self.built.network.classes.len();
        let (askers, devices) = (askers.clone(), devices.clone());
        self.built.on_networks.push(OnNetwork { class, visit, network, askers, devices });
    }

    /// The visits to links, where requests pass some links and not others. Returns the links at which requests wait for each other: frames
    /// that leave one link one after the other do not wait at the next links, except at the link with the highest load.
    fn links<'a>(
        &mut self,
        parts: &BTreeSet<usize>,
        links: &'a [LinkAmongSeveral],
        what: &For,
    ) -> Vec<Link<'a>> {
        let crowded = [true, false].map(|is_away| crowded(links, is_away));
        let between = links.iter().filter(|link| link.is_away && !link.is_of_node);
        if between.map(|link| link.times).sum::<f64>() > FEW_LINKS {
            let name =
                parts.first().map(|&part| &self.plan.graph.places[self.plan.graph.parts[part].place].name);
            self.outside(format!(
                "requests pass more than two links between switches of `{}` and wait at each, and the model counts the wait at the link \
                 with the highest load",
                name.map_or("", |name| name.as_str())
            ));
        }
        let visit = |number: usize| {
            let link = &links[number];
            let waits = crowded.contains(&Some(link.stage));
            let passing =
                For { times: what.times * link.times, in_background: what.in_background || !waits, ..*what };
            let visit = self.visit_alike(parts, (&link.server, &link.which, link.alike), &passing);
            Link { number, visit, link, waits }
        };
        (0..links.len()).map(visit).collect()
    }

    fn frames(&self, networks: &[usize]) -> FrameBytes {
        let graph = &self.plan.graph;
        let parts =
            || networks.iter().flat_map(|&network| &graph.loops[network].stations).filter_map(|at| at.part);
        let sizes = self.plan.unit_sizes(parts());
        FrameBytes {
            data: parts().filter_map(|part| graph.parts[part].part.max_payload()).max().unwrap_or(0) as f64,
            command: sizes.command_payload as f64,
            transfer_ready: sizes.xfer_rdy_payload as f64,
            response: sizes.response_payload as f64,
        }
    }
}

/// The stage of a direction whose links have the highest load; among equal ones the stage between switches, where other frames may join.
fn crowded(links: &[LinkAmongSeveral], is_away: bool) -> Option<u8> {
    let load = |link: &LinkAmongSeveral| {
        link.times * link.server.takes.mean_time_ns() / f64::from(link.alike * link.server.servers)
    };
    let most = links.iter().filter(|link| link.is_away == is_away).map(load).fold(0.0, f64::max);
    let is_most = |link: &&LinkAmongSeveral| link.is_away == is_away && load(link) >= AS_MUCH * most;
    let of_all = links.iter().filter(is_most);
    of_all.max_by_key(|link| (!link.is_of_node, link.is_of_asker)).map(|link| link.stage)
}

/// The part of the data that does not leave a device at once: for data that the device sends, the part for which this number of frames has
/// no room; for data sent to the device, all.
fn beyond(class: &RequestClass, frames: &FrameBytes, room: f64) -> f64 {
    let many = frames.data_frame_count(class);
    if class.write { 1.0 } else { (1.0 - room / many).max(0.0) }
}

/// The parts of the time at links for which a device is kept busy by its data: as long as the data have no room in its adapter, the time
/// that its own link needs for the remaining data, and as long as they have no room in the buffers behind the link either, the wait and the
/// passage at the link with the highest load.
fn keeping(links: &[Link<'_>], class: &RequestClass, frames: &FrameBytes, ready: f64) -> Vec<KeptServer> {
    let is_own = |link: &Link<'_>| link.link.is_of_node && !link.link.is_of_asker;
    let with_data = || links.iter().filter(|link| link.link.is_away == class.write);
    let holds =
        with_data().filter(|link| is_own(link)).map(|link| link.link.holds_frames).fold(0.0, f64::max);
    let (from_adapter, from_link) = (beyond(class, frames, ready), beyond(class, frames, ready + holds));
    // If several links are passed one after the other the data are on all of them at the same time.
    let passes: f64 = with_data().filter(|link| link.waits).map(|link| link.link.times).sum();
    let passing = with_data().filter(|link| link.waits).map(|link| KeptServer {
        visit: link.visit,
        of_wait: from_link,
        of_service: from_link / passes.max(1.0),
    });
    let leaving = with_data().filter(|link| is_own(link)).map(|link| KeptServer {
        visit: link.visit,
        of_wait: 0.0,
        of_service: from_adapter - from_link,
    });
    passing.chain(leaving).filter(|kept| kept.of_wait + kept.of_service > 0.0).collect()
}

/// Links at which requests wait, by the stages in which they pass them.
fn by_stage(links: &[Link<'_>], of_one_frame: &[LinkAmongSeveral]) -> Vec<Growing> {
    let mut stages: BTreeMap<u8, Growing> = BTreeMap::new();
    for Link { number, visit, link, .. } in links.iter().filter(|link| link.waits) {
        let of_one = of_one_frame.get(*number).map_or(0.0, |of_one| of_one.server.takes.mean_time_ns());
        let grows = link.server.takes.mean_time_ns() - of_one;
        let stage = stages.entry(link.stage).or_insert_with(|| Growing { visits: Vec::new(), grows: 0.0 });
        stage.visits.push(*visit);
        stage.grows = stage.grows.max(grows);
    }
    stages.into_values().collect()
}

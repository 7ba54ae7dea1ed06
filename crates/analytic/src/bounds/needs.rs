//! The least demand of the mean I/O of a run on everything that it passes, added up along the graph: on the loops and adapters of hosts,
//! and on one tier of devices after the other, down to drives.
//!
//! A tier consists of the devices that the devices of the tier before may use: an I/O is for one of them, whichever has room. The rate of a
//! server that each device of a tier has is therefore at most the sum of the rates of these servers, and an I/O takes at least the time of
//! the fastest.

mod software;

use super::{Limit, WhyNot};
use sansim_assembly::plan::SystemPlan;
use sansim_assembly::routes::workload_routes;
use sansim_assembly::settings::network_nodes;
use sansim_component::demand::{
    ChildDestination, ChildVisit, Demand, DemandBound, DemandContext, DemandServer, FrameBytes, RequestClass,
    ResourceJobDemand, TimeDemand,
};
use sansim_request::BLOCK_BYTES;
use sansim_scenario::graph::{DeviceAddress, DevicePaths};
use std::collections::{BTreeMap, BTreeSet};

const DOES_NOT_SAY: WhyNot = "a device states no service demand";
const MIXED: WhyNot = "the devices of one tier are of several kinds";

/// Classes of requests, each with the number of its requests for an I/O.
type Load = Vec<(f64, RequestClass)>;

/// The rates per second and the times in nanoseconds that no result exceeds.
pub(super) struct Needs {
    pub host_rate: Limit,
    pub wire_rate: Limit,
    pub wire_ns: Limit,
    pub arbitration_ns: Limit,
    pub adapter_rate: Limit,
    pub adapter_ns: Limit,
    pub wire_behind_rate: Limit,
    pub drive_rate: Limit,
    pub drive_ns: Limit,
    pub joined_ns: Limit,
    pub controller_rate: Limit,
    pub controller_ns: Limit,
    /// The reason why most of the demand on drives is left out, so that a bound from all times has no use.
    pub mostly_left_out: Option<WhyNot>,
    modules: BTreeMap<&'static str, f64>,
}

/// The least time of a request, in nanoseconds.
#[derive(Clone, Copy, Default)]
struct Time {
    in_modules: f64,
    at_drives: f64,
    /// The least time if the slowest of parallel child requests decides.
    joined: f64,
}

/// The findings along the tiers, from hosts to drives.
#[derive(Default)]
struct Found {
    /// The rates of servers by their tier, which all I/Os pass.
    servers: BTreeMap<(usize, &'static str), f64>,
    drives: Option<f64>,
    /// The least of the rates of the networks between two tiers; if none has a demand, the reason of the last network.
    wires: Option<Limit>,
    /// The demand of an I/O on the resources of each controller.
    resources: BTreeMap<usize, Vec<DemandServer>>,
    forks: bool,
    /// The reason why no larger demand is certain.
    less_because: Option<WhyNot>,
    /// The reason why most of the demand on drives is left out.
    mostly_left_out: Option<WhyNot>,
}

/// The graph, for adding up demands.
struct Ways<'a> {
    plan: &'a SystemPlan,
}

impl Time {
    fn of(&self, other: Self, of: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            in_modules: of(self.in_modules, other.in_modules),
            at_drives: of(self.at_drives, other.at_drives),
            joined: of(self.joined, other.joined),
        }
    }
}

impl Needs {
    /// The demand of an I/O of these classes.
    pub fn demand_per_io(plan: &SystemPlan, load: &Load) -> Self {
        let ways = Ways { plan };
        let hosts: BTreeSet<usize> = workload_routes(&plan.graph).iter().map(|route| route.host).collect();
        let routed: BTreeSet<usize> =
            plan.graph.routes.iter().flat_map(|route| &route.devices).copied().collect();
        let of_hosts = |reach: &&DevicePaths| hosts.contains(&reach.asker) && routed.contains(&reach.device);
        let reaches: Vec<&DevicePaths> = plan.graph.reaches.iter().filter(of_hosts).collect();
        let parts = reaches.iter().map(|reach| plan.graph.devices[reach.device].part).collect();
        let mut found = Found::default();
        // The child requests of hosts for I/Os.
        let mut of_hosts = Found::default();
        let by_hosts = ways.demands(&hosts, load, &mut of_hosts);
        let asked =
            of_hosts.less_because.map_or(Ok(()), Err).and(by_hosts.as_ref().map(|_| ()).map_err(|&why| why));
        let host_rate = asked.and_then(|()| ways.hosts(load, by_hosts.as_deref().unwrap_or(&[])));
        let devices = asked.and_then(|()| {
            ways.tier(&mut found, 0, &parts, load)?;
            ways.mean_time(&mut found, &parts, load)
        });
        let addresses: Option<Vec<DeviceAddress>> =
            reaches.iter().flat_map(|reach| &reach.ways).map(|way| way.address).collect();
        let addresses = addresses.filter(|all| !all.is_empty());
        let addresses = addresses.as_deref().ok_or("a host reaches a device without a network");
        let of_loops = addresses.and_then(|addresses| ways.loops(addresses, load));
        let of_adapters = addresses.and_then(|addresses| asked.and_then(|()| ways.adapters(addresses, load)));
        let mut needs = Self {
            host_rate,
            wire_rate: of_loops.map(|limits| limits[0]),
            wire_ns: of_loops.map(|limits| limits[1]),
            arbitration_ns: of_loops.map(|limits| limits[2]),
            adapter_rate: of_adapters.map(|limits| limits[0]),
            adapter_ns: of_adapters.map(|limits| limits[1]),
            wire_behind_rate: devices.map(|_| 0.0),
            drive_rate: devices.map(|_| 0.0),
            drive_ns: devices.map(|time| time.at_drives),
            joined_ns: devices.map(|time| time.joined),
            controller_rate: devices.map(|_| 0.0),
            controller_ns: devices.map(|time| time.in_modules),
            mostly_left_out: None,
            modules: BTreeMap::new(),
        };
        if devices.is_ok() {
            needs.of_devices(&found);
        }
        needs
    }

    /// The I/Os per second for which a resource of controllers suffices.
    pub fn resource_capacity_per_s(&self, name: &str) -> Limit {
        self.controller_rate?;
        self.modules.get(name).copied().ok_or("no I/O certainly uses this resource")
    }

    fn of_devices(&mut self, found: &Found) {
        let certain = |time: Limit, why: WhyNot| time.and_then(|ns| if ns > 0.0 { Ok(ns) } else { Err(why) });
        let why = found.less_because.unwrap_or("no I/O certainly spends time there");
        self.drive_rate = found.drives.ok_or(why);
        self.wire_behind_rate = found.wires.unwrap_or(Err(match found.less_because {
            Some(why) => why,
            None => "no device of a host sends child requests over a network",
        }));
        self.drive_ns = certain(self.drive_ns, why);
        if let Some(why) = found.mostly_left_out {
            (self.drive_rate, self.drive_ns, self.mostly_left_out) = (Err(why), Err(why), Some(why));
        }
        self.joined_ns = if found.forks && found.mostly_left_out.is_none() {
            certain(self.joined_ns, why)
        } else if let (true, Some(why)) = (found.forks, found.mostly_left_out) {
            Err(why)
        } else {
            Err("no I/O certainly has child requests in parallel")
        };
        for server in found.resources.values().flatten().filter(|server| server.takes.mean_time_ns() > 0.0) {
            *self.modules.entry(server.name).or_default() += rate(server);
        }
        let why = if found.servers.is_empty() && found.resources.is_empty() {
            "the hosts use devices without a controller"
        } else {
            "the controller has no service demand"
        };
        let slowest =
            self.modules.values().chain(found.servers.values()).copied().fold(f64::INFINITY, f64::min);
        self.controller_rate = if slowest.is_finite() { Ok(slowest) } else { Err(why) };
        self.controller_ns = certain(self.controller_ns, why);
    }
}

/// The most requests per second of a server.
fn rate(server: &DemandServer) -> f64 {
    f64::from(server.servers) * 1e9 / server.takes.mean_time_ns()
}

impl Ways<'_> {
    fn asks(&self, part: usize) -> impl Iterator<Item = usize> + '_ {
        self.plan.graph.data_devices_of(part)
    }

    /// The resources of the controller of which a device is a module.
    fn resources_of(&self, part: usize) -> Option<usize> {
        self.plan.graph.shared.iter().find(|link| link.asker.part == part).map(|link| link.server.part)
    }

    fn demand(&self, part: usize, class: &RequestClass) -> Option<Demand> {
        let graph = &self.plan.graph;
        let bytes = |device: usize| graph.devices[device].capacity_blocks * BLOCK_BYTES;
        let behind_bytes: Vec<u64> = self.asks(part).map(bytes).collect();
        let is_inside = self.resources_of(part).is_some();
        graph.parts[part].part.request_demand(
            class,
            &DemandContext {
                behind_bytes: &behind_bytes,
                on_network: graph.is_on_network(part),
                is_inside,
                ..NOTHING
            },
        )
    }

    /// The demands on the resources that a device shares.
    fn of_resources(&self, part: usize, jobs: &[ResourceJobDemand]) -> Option<(usize, Vec<DemandServer>)> {
        let graph = &self.plan.graph;
        let resources = self.resources_of(part)?;
        let links = graph.shared.iter().filter(|link| link.server.part == resources);
        let halves = links.map(|link| link.half.index() as u32 + 1).max().unwrap_or(1);
        let class = RequestClass {
            write: false,
            bytes: 0.0,
            is_of_one_size: true,
            sequential: false,
            hit_ratio: None,
            within: None,
        };
        let demand =
            graph.parts[resources].part.request_demand(&class, &DemandContext { jobs, halves, ..NOTHING })?;
        Some((resources, demand.servers))
    }

    /// The demands of each class on parts of a tier.
    fn demands(
        &self,
        parts: &BTreeSet<usize>,
        load: &Load,
        found: &mut Found,
    ) -> Result<Vec<(usize, Vec<Demand>)>, WhyNot> {
        let mut all = Vec::with_capacity(parts.len());
        for &part in parts {
            let demands: Option<Vec<Demand>> =
                load.iter().map(|(_, class)| self.demand(part, class)).collect();
            let demands = demands.ok_or(DOES_NOT_SAY)?;
            let mut reasons = demands.iter().filter_map(|demand| demand.less_because);
            found.less_because = found.less_because.or_else(|| reasons.next());
            let mut left_out = demands.iter().filter_map(|demand| demand.mostly_left_out);
            found.mostly_left_out = found.mostly_left_out.or_else(|| left_out.next());
            all.push((part, demands));
        }
        Ok(all)
    }

    /// Adds the rates of a tier of devices, and of the tiers behind it. `load` has the requests of an I/O for
    /// that tier.
    fn tier(
        &self,
        found: &mut Found,
        depth: usize,
        parts: &BTreeSet<usize>,
        load: &Load,
    ) -> Result<(), WhyNot> {
        let demands = self.demands(parts, load, found)?;
        let last = parts.iter().filter(|&&part| self.asks(part).next().is_none()).count();
        if last > 0 && last < parts.len() {
            return Err(MIXED);
        }
        let mut rates: BTreeMap<&'static str, f64> = BTreeMap::new();
        let mut jobs: BTreeMap<usize, Vec<DemandServer>> = BTreeMap::new();
        let mut behind: Option<Load> = None;
        for (part, demands) in &demands {
            for server in of_mean(load, demands) {
                *rates.entry(server.name).or_default() += rate(&server);
            }
            let counted =
                |times: f64, job: &ResourceJobDemand| ResourceJobDemand { times: times * job.times, ..*job };
            let of_class = load.iter().zip(demands);
            let own = of_class
                .clone()
                .flat_map(|((times, _), demand)| demand.jobs.iter().map(|job| counted(*times, job)));
            let by_networks = of_class.clone().flat_map(|((times, class), demand)| {
                self.software(*part, class, demand).into_iter().map(|job| counted(*times, &job))
            });
            let wants = own.chain(by_networks);
            if let Some((resources, servers)) = self.of_resources(*part, &wants.collect::<Vec<_>>()) {
                let least = jobs.entry(resources).or_insert_with(|| servers.clone());
                merge(least, &servers, f64::min);
            }
            let asks = of_class.flat_map(|((times, _), demand)| {
                demand.visits.iter().map(move |visit| (times * visit.times, visit.class))
            });
            let asks: Load = asks.collect();
            if behind.as_ref().is_some_and(|behind| *behind != asks) {
                return Err(MIXED);
            }
            behind = Some(asks);
        }
        for (resources, servers) in jobs {
            match found.resources.get_mut(&resources) {
                Some(sum) => merge(sum, &servers, |one, other| one + other),
                None => drop(found.resources.insert(resources, servers)),
            }
        }
        let finite = rates.into_iter().filter(|(_, rate)| rate.is_finite());
        if last > 0 {
            found.drives = finite.map(|(_, rate)| rate).reduce(f64::min);
        } else {
            found.servers.extend(finite.map(|(name, rate)| ((depth, name), rate)));
        }
        let next =
            parts.iter().flat_map(|&part| self.asks(part)).map(|device| self.plan.graph.devices[device].part);
        match behind.filter(|behind| !behind.is_empty()) {
            Some(behind) => {
                self.wires_behind(found, parts, &behind);
                self.tier(found, depth + 1, &next.collect(), &behind)
            }
            None => Ok(()),
        }
    }

    /// The rate of the networks between a tier and the next tier, if all its paths use networks.
    fn wires_behind(&self, found: &mut Found, parts: &BTreeSet<usize>, asks: &Load) {
        let reaches = self.plan.graph.reaches.iter().filter(|reach| parts.contains(&reach.asker));
        let addresses: Option<Vec<DeviceAddress>> =
            reaches.flat_map(|reach| &reach.ways).map(|way| way.address).collect();
        let Some(addresses) = addresses.filter(|all| !all.is_empty()) else { return };
        let rate = self.loops(&addresses, asks).map(|limits| limits[0]);
        found.wires = Some(match (found.wires, rate) {
            (Some(Ok(other)), Ok(rate)) => Ok(rate.min(other)),
            (Some(Ok(other)), Err(_)) => Ok(other),
            (_, rate) => rate,
        });
    }

    /// The I/Os per second of which the drivers of all hosts, or their processors, are capable.
    fn hosts(&self, load: &Load, by_hosts: &[(usize, Vec<Demand>)]) -> Limit {
        let mut sum = 0.0;
        for (host, demands) in by_hosts {
            let mut servers = of_mean(load, demands);
            let counted =
                |times: f64, job: &ResourceJobDemand| ResourceJobDemand { times: times * job.times, ..*job };
            let of_class = load.iter().zip(demands);
            let jobs: Vec<ResourceJobDemand> = of_class
                .flat_map(|((times, _), demand)| {
                    let by_networks = self.software_of_asking(*host, demand);
                    demand.jobs.clone().into_iter().chain(by_networks).map(|job| counted(*times, &job))
                })
                .collect();
            servers.extend(self.of_resources(*host, &jobs).map_or(Vec::new(), |(_, servers)| servers));
            sum += servers.iter().map(rate).fold(f64::INFINITY, f64::min);
        }
        if sum.is_finite() && sum > 0.0 { Ok(sum) } else { Err("the hosts have no service demand") }
    }

    fn mean_time(&self, found: &mut Found, parts: &BTreeSet<usize>, load: &Load) -> Result<Time, WhyNot> {
        let mut sum = Time::default();
        for (times, class) in load {
            let time = self.time(found, parts, class, 1)?;
            sum = sum.of(time, |sum, time| sum + times * time);
        }
        Ok(sum)
    }

    /// The least time of a request of a class at the fastest of these devices, if this number of requests of the kind is issued together
    /// and the slowest is waited for.
    fn time(
        &self,
        found: &mut Found,
        parts: &BTreeSet<usize>,
        class: &RequestClass,
        together: u32,
    ) -> Result<Time, WhyNot> {
        let mut fastest: Option<Time> = None;
        for &part in parts {
            let demand = self.demand(part, class).ok_or(DOES_NOT_SAY)?;
            let next: BTreeSet<usize> =
                self.asks(part).map(|device| self.plan.graph.devices[device].part).collect();
            let mut time = if next.is_empty() {
                let slowest = |server: &DemandServer| server.takes.mean_of_slowest_ns(together);
                let joined = demand.delay_ns + demand.servers.iter().map(slowest).sum::<f64>();
                Time { in_modules: 0.0, at_drives: demand.unloaded_time_ns(), joined }
            } else {
                let jobs = self.of_resources(part, &demand.jobs).map_or(Vec::new(), |(_, servers)| servers);
                let of_jobs: f64 = jobs.iter().map(|server| server.takes.mean_time_ns()).sum();
                Time { in_modules: demand.unloaded_time_ns() + of_jobs, ..Time::default() }
            };
            let steps: BTreeSet<u8> = demand.visits.iter().map(|visit| visit.step).collect();
            for step in steps {
                let of_step = |visit: &&ChildVisit| visit.step == step && !visit.in_background;
                let mut longest = Time::default();
                for visit in demand.visits.iter().filter(of_step) {
                    let forked = if visit.to == ChildDestination::Different { visit.times as u32 } else { 1 };
                    found.forks |= forked > 1;
                    let largest = RequestClass { bytes: visit.largest_bytes, ..visit.class };
                    let one = self.time(found, &next, &largest, together.max(forked))?;
                    longest = longest.of(one, |longest, one| longest.max(visit.times.min(1.0) * one));
                }
                time = time.of(longest, |time, longest| time + longest);
            }
            fastest = Some(fastest.map_or(time, |fastest| fastest.of(time, f64::min)));
        }
        fastest.ok_or("there is no device")
    }

    fn frames(&self, parts: impl Iterator<Item = usize> + Clone) -> FrameBytes {
        let payload = parts.clone().filter_map(|part| self.plan.graph.parts[part].part.max_payload()).max();
        let sizes = self.plan.unit_sizes(parts);
        FrameBytes {
            data: payload.unwrap_or(0) as f64,
            command: sizes.command_payload as f64,
            transfer_ready: sizes.xfer_rdy_payload as f64,
            response: sizes.response_payload as f64,
        }
    }

    /// The loops of the hosts: the rate of the busier direction, the time of the frames, and the time of the frames with the round
    /// trip. Rates add up over the loops; times are the times of the fastest loop.
    fn loops(&self, addresses: &[DeviceAddress], load: &Load) -> Result<[f64; 3], WhyNot> {
        let graph = &self.plan.graph;
        let numbers: BTreeSet<usize> = addresses.iter().map(|address| address.arbitrated_loop).collect();
        let mut limits = [0.0, f64::INFINITY, f64::INFINITY];
        for on_loop in numbers.into_iter().map(|number| &graph.loops[number]) {
            let frames = self.frames(on_loop.stations.iter().filter_map(|station| station.part));
            let stands = network_nodes(graph, on_loop.part);
            let around = DemandContext { nodes: &stands, frames, ..NOTHING };
            let demand = |class: &RequestClass| graph.parts[on_loop.part].part.request_demand(class, &around);
            let demands: Option<Vec<Demand>> = load.iter().map(|(_, class)| demand(class)).collect();
            let demands = demands.ok_or("a network states no service demand")?;
            let servers = of_mean(load, &demands);
            let wire_ns: f64 = servers.iter().map(|server| server.takes.mean_time_ns()).sum();
            let delay_ns: f64 =
                load.iter().zip(&demands).map(|((times, _), demand)| times * demand.delay_ns).sum();
            limits[0] += servers.iter().map(rate).fold(f64::INFINITY, f64::min);
            limits[1] = limits[1].min(wire_ns);
            limits[2] = limits[2].min(wire_ns + delay_ns);
        }
        Ok(limits)
    }

    /// The adapters of the hosts: the sum of the rates of their busiest servers, and the service demand at the busiest server of the
    /// fastest adapter.
    fn adapters(&self, addresses: &[DeviceAddress], load: &Load) -> Result<[f64; 2], WhyNot> {
        let graph = &self.plan.graph;
        let stands =
            |address: &DeviceAddress| graph.loops[address.arbitrated_loop].stations[address.from].part;
        let adapters: BTreeSet<usize> = addresses.iter().filter_map(stands).collect();
        let around = DemandContext { frames: self.frames(adapters.iter().copied()), ..NOTHING };
        let mut limits = [0.0, f64::INFINITY];
        for part in adapters {
            let demands: Option<Vec<Demand>> =
                load.iter().map(|(_, class)| graph.parts[part].part.request_demand(class, &around)).collect();
            let servers = of_mean(load, &demands.ok_or("an adapter states no service demand")?);
            limits[0] += servers.iter().map(rate).fold(f64::INFINITY, f64::min);
            limits[1] =
                limits[1].min(servers.iter().map(|server| server.takes.mean_time_ns()).fold(0.0, f64::max));
        }
        Ok(limits)
    }
}

/// The context for the least demand of a component by itself, without neighbours.
const NOTHING: DemandContext<'_> = DemandContext { say: DemandBound::Least, ..DemandContext::NOTHING };

/// The demand of a mean I/O on servers, where each demand has the same servers or none.
fn of_mean(load: &Load, demands: &[Demand]) -> Vec<DemandServer> {
    let mut servers: Vec<DemandServer> = Vec::new();
    for ((times, _), demand) in load.iter().zip(demands) {
        for server in demand.servers.iter().chain(&demand.in_background) {
            let takes = TimeDemand::fixed_ns(times * server.takes.mean_time_ns());
            match servers.iter_mut().find(|other| other.name == server.name) {
                Some(sum) => sum.takes.fixed_ns += takes.fixed_ns,
                None => servers.push(DemandServer { takes, ..server.clone() }),
            }
        }
    }
    servers
}

/// Adds up the demands on equal servers.
fn merge(servers: &mut [DemandServer], others: &[DemandServer], of: impl Fn(f64, f64) -> f64) {
    for (server, other) in servers.iter_mut().zip(others) {
        server.takes = TimeDemand::fixed_ns(of(server.takes.mean_time_ns(), other.takes.mean_time_ns()));
    }
}

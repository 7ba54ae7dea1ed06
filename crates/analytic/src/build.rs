//! From the graph of a scenario to a network of queues: every workload is a class, and the demands of the components on the paths of its
//! requests are the stations and visits.
//!
//! Parts of one place are alike, so they are one station with several copies. Work that grows with the size of a request is done at all
//! stages between two adapters at the same time, one frame behind the other: only the slowest stage makes a request longer.

mod domain;
mod paths;

use crate::asked::AskedFor;
use sansim_assembly::build::workload_routes;
use sansim_assembly::plan::SystemPlan;
use sansim_component::demand::{
    ChildDestination, ChildVisit as Asks, Demand, DemandContext, DemandServer, RequestClass,
    ResourceJobDemand,
};
use sansim_queueing::{ArrivalLoad, CustomerClass as Queued, QueueingNetwork, ServerCount, Station, Visit};
use sansim_registry::{LimitParameters, RequestPace};
use sansim_request::BLOCK_BYTES;
use sansim_scenario::graph::WorkloadRoute;
use std::collections::{BTreeMap, BTreeSet};

/// The ratio to the mean load that a member of a group may have, beyond chance, before the group is split: then members with less than
/// [`MUCH_LESS`] times the load of the fullest member of a part begin another part.
const UNEVEN: f64 = 1.2;
/// The share of the fullest member's load below which a member begins another part; see [`UNEVEN`].
const MUCH_LESS: f64 = 0.8;

/// The most tiers of devices one behind the other.
const DEEPEST: usize = 16;

/// The description of a station.
#[derive(Clone, Debug)]
pub(super) struct About {
    pub place: usize,
    pub server: &'static str,
    pub parts: BTreeSet<usize>,
    /// The label of one of several stations of a part, where requests pass some of them but not others.
    pub which: String,
}

/// A visit to a network by requests for some devices.
#[derive(Clone, Debug)]
pub(super) struct OnNetwork {
    pub class: usize,
    pub visit: usize,
    pub network: usize,
    pub askers: BTreeSet<usize>,
    pub devices: BTreeSet<usize>,
}

/// A network of queues, with the remarks about it.
#[derive(Debug, Default)]
pub(super) struct Built {
    pub network: QueueingNetwork,
    /// The description of each station.
    pub about: Vec<About>,
    pub outside: BTreeSet<String>,
    pub assumes: BTreeSet<String>,
    /// Parts whose data could be placed on other devices behind, with the share of requests of each device.
    pub placed: BTreeMap<usize, Vec<f64>>,
    /// The visits to networks, with the devices of their requests.
    pub on_networks: Vec<OnNetwork>,
    /// The places of loops at which a host arbitrates as fairly as all other ports.
    pub fair_loops: BTreeSet<String>,
}

/// The requests of a walk through the graph.
#[derive(Clone, Copy)]
struct For {
    class: RequestClass,
    /// The number of these requests for each I/O.
    times: f64,
    /// The number of these requests in parallel.
    together: f64,
    in_background: bool,
    /// The number of devices that have I/Os of their own; 1 if no device has.
    copies: u32,
}

struct Builder<'a> {
    plan: &'a SystemPlan,
    asked: AskedFor,
    built: Built,
    visits: Vec<Visit>,
}

impl Built {
    /// The network of queues for these observations of the workloads of the plan.
    pub fn from_observations(plan: &SystemPlan, asked: AskedFor) -> Self {
        let mut builder = Builder { plan, asked, built: Self::default(), visits: Vec::new() };
        if !plan.graph.events.is_empty() || !plan.graph.outages.is_empty() {
            builder.outside("the scenario has failures, and the analytic model leaves out their effect");
        }
        for (number, route) in workload_routes(&plan.graph).into_iter().enumerate() {
            builder.workload(number, route);
        }
        builder.leave_domain();
        builder.built
    }
}

impl Builder<'_> {
    fn outside(&mut self, why: impl Into<String>) {
        self.built.outside.insert(why.into());
    }

    fn does_not_say(&mut self, part: usize) {
        let place = &self.plan.graph.places[self.plan.graph.parts[part].place];
        let name = &self.plan.components[place.component];
        self.outside(format!(
            "`{name}` states no service demand, so the model counts its service time as zero"
        ));
    }

    fn workload(&mut self, number: usize, route: &WorkloadRoute) {
        let part = &self.plan.graph.parts[route.workload];
        let Some(load) = self.load_of(&part.name, part.part.request_pace().unwrap_or_default(), route) else {
            return;
        };
        if route.limits != LimitParameters::NONE {
            self.outside(format!("a host limits the rate of `{}`, which the model leaves out", part.name));
        }
        let of = std::mem::take(&mut self.asked.of_workloads[number]);
        // A device with slots of its own gets its next request when one is complete.
        if of.in_turn && load.1 == 1 {
            self.outside(format!(
                "requests of `{}` go to the devices in turn, so they meet less often than at random",
                part.name
            ));
        }
        let copies = load.1;
        self.visits.clear();
        for (share, class) in &of.classes {
            let what = For { class: *class, times: *share, together: 1.0, in_background: false, copies };
            self.host(route.host, &of.shares, what);
        }
        let visits = std::mem::take(&mut self.visits);
        self.built.network.classes.push(Queued { name: part.name.clone(), load: load.0, copies, visits });
    }

    fn load_of(
        &mut self,
        name: &str,
        comes: Vec<RequestPace>,
        route: &WorkloadRoute,
    ) -> Option<(ArrivalLoad, u32)> {
        let devices = route.devices.len() as u32;
        let mut rate = 0.0;
        let (mut slots, mut each, mut think) = (0.0, 0.0, 0.0);
        for one in &comes {
            match *one {
                RequestPace::Open { per_s, at_random } => {
                    rate += per_s / 1e9;
                    if !at_random {
                        self.outside(format!(
                            "the arrivals of `{name}` are not a Poisson process, as the model assumes"
                        ));
                    }
                }
                RequestPace::Closed { slots: count, per_device, think_ns } => {
                    *if per_device { &mut each } else { &mut slots } += f64::from(count);
                    think += f64::from(count) * think_ns;
                }
                RequestPace::Recorded => {
                    self.outside(format!(
                        "`{name}` replays a trace, so its arrival rate is not known before the run"
                    ));
                    return None;
                }
            }
        }
        let is_closed = slots + each > 0.0;
        if is_closed && rate > 0.0 {
            self.outside(format!(
                "`{name}` has open and closed streams, and the model leaves out the open ones"
            ));
        }
        if comes.len() > 1 && is_closed {
            self.outside(format!(
                "`{name}` has several streams, and the model treats them as one closed stream"
            ));
        }
        if !is_closed {
            return Some((ArrivalLoad::Open { rate }, 1));
        }
        let think = think / (slots + each);
        if each > 0.0 && slots == 0.0 && devices > 1 {
            return Some((ArrivalLoad::Closed { jobs: each as u32, think }, devices));
        }
        let jobs = (slots + each * f64::from(devices)) as u32;
        Some((ArrivalLoad::Closed { jobs, think }, 1))
    }

    /// The station for a server of equal parts.
    fn station(
        &mut self,
        parts: &BTreeSet<usize>,
        (server, which): (&'static str, &str),
        (alike, servers): (u32, ServerCount),
    ) -> usize {
        let built = &mut self.built;
        let is_it = |about: &About| about.server == server && about.which == which && about.parts == *parts;
        if let Some(known) = built.about.iter().position(is_it) {
            return known;
        }
        let place = parts.first().map_or(0, |&part| self.plan.graph.parts[part].place);
        let name = format!("{} {server} {which}", self.plan.graph.places[place].name).trim_end().to_owned();
        built.network.stations.push(Station { name, servers, alike });
        built.about.push(About { place, server, parts: parts.clone(), which: which.to_owned() });
        built.about.len() - 1
    }

    fn visit(&mut self, parts: &BTreeSet<usize>, server: &DemandServer, what: &For) -> usize {
        let queues = server.queues.max(1);
        let of_queue = DemandServer { servers: server.servers / queues, ..server.clone() };
        self.visit_alike(parts, (&of_queue, "", parts.len().max(1) as u32 * queues), what)
    }

    /// A visit to a station of several equal servers; `which` names these stations.
    fn visit_alike(
        &mut self,
        parts: &BTreeSet<usize>,
        (server, which, alike): (&DemandServer, &str, u32),
        what: &For,
    ) -> usize {
        let servers = ServerCount::Some(server.servers.max(1));
        let station = self.station(parts, (server.name, which), (alike, servers));
        let service = server.takes.mean_time_ns();
        let variance = server.takes.drawn.as_ref().map_or(0.0, |drawn| drawn.variance_ns2());
        let alike = self.built.network.stations[station].alike;
        let room = f64::from(alike) * f64::from(server.servers.max(1));
        self.visits.push(Visit {
            station,
            times: what.times,
            service,
            scv: if service > 0.0 { variance / (service * service) } else { 0.0 },
            together: what.together.min(room).max(1.0),
            hidden: 0.0,
            in_background: what.in_background,
            own: what.copies > 1 && alike == what.copies,
            keeps_through: Vec::new(),
        });
        self.visits.len() - 1
    }

    fn delay(&mut self, ns: f64, what: &For) {
        if ns <= 0.0 || what.in_background {
            return;
        }
        let nobody = BTreeSet::new();
        let station = self.station(&nobody, ("delay", ""), (1, ServerCount::Unlimited));
        let times = what.times / what.together.max(1.0);
        self.visits.push(Visit { scv: 0.0, ..Visit::new(station, times, ns) });
    }

    fn host(&mut self, host: usize, shares: &BTreeMap<usize, f64>, what: For) {
        let whole = BTreeSet::from([host]);
        let Some(demand) = self.demand(host, &what.class) else { return self.does_not_say(host) };
        self.of_itself(&whole, &demand, &what);
        self.resources(host, &demand.jobs, &what);
        let asks = demand.visits.clone();
        for visit in asks {
            self.devices(&whole, &self.behind(shares), &visit, &what, 0);
        }
    }

    /// The parts of devices by their places, each with its share. Parts of a place with an equal load are together.
    fn behind(&self, shares: &BTreeMap<usize, f64>) -> Vec<(BTreeSet<usize>, f64)> {
        let graph = &self.plan.graph;
        let mut places: BTreeMap<usize, BTreeMap<usize, (f64, f64)>> = BTreeMap::new();
        for (&device, share) in shares {
            let part = graph.devices[device].part;
            let of = places.entry(graph.parts[part].place).or_default().entry(part).or_default();
            of.0 += share;
            of.1 += self.asked.at[device].iter().sum::<f64>();
        }
        places.into_values().flat_map(|parts| told_apart(&parts)).collect()
    }

    /// The child requests of parts of one place, or the requests of a host for its devices.
    fn devices(
        &mut self,
        askers: &BTreeSet<usize>,
        groups: &[(BTreeSet<usize>, f64)],
        asks: &Asks,
        what: &For,
        depth: usize,
    ) {
        if depth > DEEPEST {
            return self.outside(
                "the chain of devices is more than sixteen deep, and the model leaves out the rest",
            );
        }
        let together = if asks.to == ChildDestination::Different { asks.times.max(1.0) } else { 1.0 };
        for (parts, share) in groups {
            let next = For {
                class: RequestClass { hit_ratio: None, ..asks.class },
                times: what.times * asks.times * share,
                together: what.together * together,
                in_background: what.in_background || asks.in_background,
                copies: if depth == 0 { what.copies } else { 1 },
            };
            let data = self.paths(askers, parts, &next);
            let first = self.visits.len();
            self.device(parts, &next, depth);
            // The device is busy until its data have crossed the network, if the meter of its kind counts
            // that.
            if let Some(station) = self.visits.get(first).map(|visit| visit.station)
                && self.is_kept(parts)
                && !data.is_empty()
                && let Some(visit) = self.visits[first..].iter_mut().find(|visit| visit.station == station)
            {
                visit.keeps_through = data;
            }
        }
    }

    /// Whether a request occupies a device beyond its service time: devices with a meter `occupied` measure this.
    fn is_kept(&self, parts: &BTreeSet<usize>) -> bool {
        let measures = |part: &usize| {
            self.plan.graph.parts[*part]
                .part
                .catalogue()
                .meters
                .iter()
                .any(|meter| meter.sampled == Some("occupied"))
        };
        parts.iter().all(measures)
    }

    fn device(&mut self, parts: &BTreeSet<usize>, what: &For, depth: usize) {
        let Some(&one) = parts.first() else { return };
        let class =
            RequestClass { hit_ratio: self.asked.hit_ratios.get(one).copied().flatten(), ..what.class };
        if self.asked.unknown.contains(&one) {
            self.does_not_say(one);
        }
        let Some(demand) = self.demand(one, &class) else { return self.does_not_say(one) };
        self.of_itself(parts, &demand, what);
        self.resources(one, &demand.jobs, what);
        for asks in &demand.visits {
            if asks.to == ChildDestination::Placed {
                for &part in parts {
                    let shares = self.asked_of(part);
                    self.built.placed.insert(part, shares);
                }
            }
            let groups = self.behind(&self.shares(parts, asks.class.write));
            let mut asks = *asks;
            // The places at which requests begin and the blocks that are overwritten were observed; a request reads only blocks
            // that a cache does not have.
            let reads_of_cache = class.hit_ratio.is_some() && !asks.class.write;
            if !self.asked.unknown.contains(&one)
                && !reads_of_cache
                && let Some((times, bytes)) = self.asked.passed_on[one]
                    .as_ref()
                    .and_then(|of| of.mean_children(class.write, asks.class.write))
            {
                asks.times = times;
                asks.class.bytes = bytes;
            }
            if asks.times <= 0.0 {
                continue;
            }
            if asks.alike > 1 && !self.varies(&groups, &asks.class) {
                // Each of the copies waits and takes as long as every other, so only one of them is waited
                // for.
                let all = asks.times;
                asks.times /= f64::from(asks.alike);
                let others = Asks { times: all - asks.times, in_background: true, ..asks };
                self.devices(parts, &groups, &others, what, depth + 1);
            }
            self.devices(parts, &groups, &asks, what, depth + 1);
        }
    }

    /// Whether the times of requests at these devices are drawn at random.
    fn varies(&self, groups: &[(BTreeSet<usize>, f64)], class: &RequestClass) -> bool {
        let mut devices = groups.iter().filter_map(|(parts, _)| parts.first());
        devices.any(|&part| {
            let demand = self.demand(part, class);
            let is_drawn = |server: &DemandServer| {
                server.takes.drawn.as_ref().is_some_and(|drawn| drawn.variance_ns2() > 0.0)
            };
            demand.is_none_or(|demand| demand.servers.iter().any(is_drawn))
        })
    }

    /// The share of the requests to a part for each of the devices that it presents.
    fn asked_of(&self, part: usize) -> Vec<f64> {
        let devices = self.plan.graph.devices.iter().enumerate().filter(|(_, device)| device.part == part);
        let seen: Vec<f64> = devices.map(|(number, _)| self.asked.at[number].iter().sum()).collect();
        let all: f64 = seen.iter().sum();
        seen.into_iter().map(|seen| if all > 0.0 { seen / all } else { 0.0 }).collect()
    }

    /// The share for each of the devices behind parts, as observed for that direction; without observations the
    /// shares are even.
    fn shares(&self, parts: &BTreeSet<usize>, write: bool) -> BTreeMap<usize, f64> {
        let devices: BTreeSet<usize> = parts.iter().flat_map(|&part| self.asks(part)).collect();
        // Requests were observed without queues, where a choice by queues is always the same; under load it is even.
        let by_queues = |part: &usize| self.plan.graph.parts[*part].part.reads_shortest_queue();
        if !write && parts.iter().all(by_queues) {
            return devices.iter().map(|device| (*device, 1.0 / devices.len().max(1) as f64)).collect();
        }
        let at = |device: &usize| self.asked.at[*device][usize::from(write)];
        let all: f64 = devices.iter().map(at).sum();
        let even = 1.0 / devices.len().max(1) as f64;
        devices.iter().map(|device| (*device, if all > 0.0 { at(device) / all } else { even })).collect()
    }

    fn of_itself(&mut self, parts: &BTreeSet<usize>, demand: &Demand, what: &For) {
        if let Some(why) = demand.less_because {
            self.outside(why);
        }
        for server in &demand.servers {
            self.visit(parts, server, what);
        }
        for server in &demand.in_background {
            self.visit(parts, server, &For { in_background: true, ..*what });
        }
        self.delay(demand.delay_ns, what);
    }

    fn asks(&self, part: usize) -> impl Iterator<Item = usize> + '_ {
        self.plan.graph.data_devices_of(part)
    }

    fn shared_by(&self, part: usize) -> impl Iterator<Item = usize> + '_ {
        self.plan.graph.shared.iter().filter(move |link| link.asker.part == part).map(|link| link.server.part)
    }

    fn demand(&self, part: usize, class: &RequestClass) -> Option<Demand> {
        let graph = &self.plan.graph;
        let bytes = |device: usize| graph.devices[device].capacity_blocks * BLOCK_BYTES;
        let behind_bytes: Vec<u64> = self.asks(part).map(bytes).collect();
        let is_inside = self.shared_by(part).next().is_some();
        graph.parts[part].part.request_demand(
            class,
            &DemandContext {
                behind_bytes: &behind_bytes,
                on_network: graph.is_on_network(part),
                is_inside,
                ..DemandContext::NOTHING
            },
        )
    }

    /// Adds the demands of a module of a controller on its resources, or of a host on its processors.
    fn resources(&mut self, part: usize, jobs: &[ResourceJobDemand], what: &For) {
        let graph = &self.plan.graph;
        let Some(resources) = self.shared_by(part).next() else { return };
        let links = graph.shared.iter().filter(|link| link.server.part == resources);
        let halves = links.map(|link| link.half.index() as u32 + 1).max().unwrap_or(1);
        match graph.parts[resources]
            .part
            .request_demand(&what.class, &DemandContext { jobs, halves, ..DemandContext::NOTHING })
        {
            Some(demand) => self.of_itself(&BTreeSet::from([resources]), &demand, what),
            None => self.does_not_say(resources),
        }
    }
}

/// The members of a group divided into sets with equal load, from the share of each member and the number of
/// observed requests.
fn told_apart(parts: &BTreeMap<usize, (f64, f64)>) -> Vec<(BTreeSet<usize>, f64)> {
    let mut by_load: Vec<(usize, f64, f64)> =
        parts.iter().map(|(&part, &(share, seen))| (part, share, seen)).collect();
    by_load.sort_by(|one, other| other.2.total_cmp(&one.2));
    let mean = by_load.iter().map(|one| one.2).sum::<f64>() / by_load.len().max(1) as f64;
    // With this number of members and random loads, hardly any member is four deviations above the mean.
    let is_even = by_load.first().is_none_or(|one| one.2 <= UNEVEN.mul_add(mean, 4.0 * mean.sqrt()));
    let mut groups: Vec<(f64, BTreeSet<usize>, f64)> = Vec::new();
    for (part, share, seen) in by_load {
        match groups.last_mut() {
            Some(group) if is_even || seen >= MUCH_LESS * group.0 => {
                group.1.insert(part);
                group.2 += share;
            }
            _ => groups.push((seen, BTreeSet::from([part]), share)),
        }
    }
    groups.into_iter().map(|(_, parts, share)| (parts, share)).collect()
}

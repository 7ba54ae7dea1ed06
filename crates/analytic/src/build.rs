//! From the graph of a scenario to a network of queues: every workload is a class, and the demands of the components on the paths of its
//! requests are the stations and visits.
//!
//! Parts of one place are alike, so they are one station with several copies. Work that grows with the size of a request is done at all
//! stages between two adapters at the same time, one frame behind the other: only the slowest stage makes a request longer.

mod domain;
mod drivers;
mod loads;
mod paths;

use crate::asked::AskedFor;
use sansim_assembly::plan::SystemPlan;
use sansim_assembly::routes::workload_routes;
use sansim_component::demand::{
    ChildDestination, ChildVisit as Asks, Demand, DemandContext, DemandServer, RequestClass,
    ResourceJobDemand,
};
use sansim_queueing::{CustomerClass as Queued, QueueingNetwork, ServerCount, Station, Visit};
use sansim_request::BLOCK_BYTES;
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
    /// The number of requests of each class that wait in a driver all the time.
    pub held: Vec<f64>,
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
    /// Whether each request goes to the device with the least to do.
    to_least: bool,
    /// Whether the devices to which requests go at the same time get the same requests.
    same_requests: bool,
    /// Whether work in the background comes as evenly as the requests do.
    is_even: bool,
}

struct Builder<'a> {
    plan: &'a SystemPlan,
    asked: AskedFor,
    built: Built,
    visits: Vec<Visit>,
    /// The most requests in the system at a time; none if there is no limit.
    at_once: Option<u64>,
    /// Whether the requests that are followed are those of a closed load.
    is_closed: bool,
    /// Visits in the background, by class and place, that come as evenly as the requests do.
    even: BTreeSet<(usize, usize)>,
    /// The stations at which the demand is another one while several requests wait, with the reason.
    reordered: BTreeMap<usize, &'static str>,
    /// The visits to networks with the answers of devices, while the visits to these devices are not known.
    answers: Vec<usize>,
}

impl Built {
    /// The network of queues for these observations of the workloads of the plan.
    pub fn from_observations(plan: &SystemPlan, asked: AskedFor) -> Self {
        let at_once = drivers::all_at_once(plan);
        let mut builder = Builder {
            plan,
            asked,
            built: Self::default(),
            visits: Vec::new(),
            at_once,
            is_closed: false,
            answers: Vec::new(),
            reordered: BTreeMap::new(),
            even: BTreeSet::new(),
        };
        builder.even_reads();
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
        if what.in_background && what.is_even {
            self.even.insert((self.built.network.classes.len(), self.visits.len()));
        }
        self.visits.push(Visit {
            station,
            times: what.times,
            service,
            scv: if service > 0.0 { variance / (service * service) } else { 0.0 },
            together: what.together.min(room).max(1.0),
            common: if what.same_requests { server.takes.common } else { 0.0 },
            hidden: 0.0,
            in_background: what.in_background,
            own: what.copies > 1 && alike == what.copies,
            to_least: what.to_least,
            returns: None,
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
        let to_least = !asks.class.write && together <= 1.0 && self.read_by_queues(askers);
        for (number, (parts, share)) in groups.iter().enumerate() {
            // A request waits for those of its parts that go to the devices with the highest load, which come first.
            let is_fork = together > 1.0 && number > 0;
            let next = For {
                class: RequestClass { hit_ratio: None, ..asks.class },
                times: what.times * asks.times * share,
                together: what.together * together,
                in_background: what.in_background || asks.in_background || is_fork,
                copies: if depth == 0 { what.copies } else { 1 },
                to_least,
                same_requests: asks.alike > 1,
                is_even: what.is_even || is_fork,
            };
            let data = self.paths(askers, parts, &next);
            let first = self.visits.len();
            let answers = std::mem::take(&mut self.answers);
            self.device(parts, &next, depth);
            for answer in answers {
                let through = first..self.visits.len();
                self.visits[answer].returns.iter_mut().for_each(|returns| returns.through = through.clone());
            }
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
        let hit_ratio = self.asked.hit_ratios.get(one).copied().flatten();
        let class = RequestClass { hit_ratio, within: self.within(parts), ..what.class };
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
            self.devices(parts, &groups, &asks, what, depth + 1);
        }
    }

    /// The bytes of devices of these parts that are asked for.
    fn within(&self, parts: &BTreeSet<usize>) -> Option<[u64; 2]> {
        let devices = self.plan.graph.devices.iter().zip(&self.asked.in_sequence);
        let within =
            devices.filter(|(device, _)| parts.contains(&device.part)).filter_map(|(_, of)| of.within());
        within.reduce(|one, other| [one[0].min(other[0]), one[1].max(other[1])])
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
        if !write && self.read_by_queues(parts) {
            return devices.iter().map(|device| (*device, 1.0 / devices.len().max(1) as f64)).collect();
        }
        let at = |device: &usize| self.asked.at[*device][usize::from(write)];
        let all: f64 = devices.iter().map(at).sum();
        let even = 1.0 / devices.len().max(1) as f64;
        devices.iter().map(|device| (*device, if all > 0.0 { at(device) / all } else { even })).collect()
    }

    /// Spreads the observed reads of devices that are chosen by their queues.
    fn even_reads(&mut self) {
        for part in 0..self.plan.graph.parts.len() {
            let devices: Vec<usize> = self.asks(part).collect();
            if devices.len() > 1 && self.read_by_queues(&BTreeSet::from([part])) {
                let mean = devices.iter().map(|&device| self.asked.at[device][0]).sum::<f64>()
                    / devices.len() as f64;
                devices.iter().for_each(|&device| self.asked.at[device][0] = mean);
            }
        }
    }

    /// Whether all of these parts choose the device of a read by the queues of the devices. Requests were observed without queues, where
    /// such a choice is always the same; under load it is even.
    fn read_by_queues(&self, parts: &BTreeSet<usize>) -> bool {
        parts.iter().all(|&part| self.plan.graph.parts[part].part.reads_shortest_queue())
    }

    fn of_itself(&mut self, parts: &BTreeSet<usize>, demand: &Demand, what: &For) {
        let if_closed = demand.less_if_closed.filter(|_| self.is_closed);
        for why in [demand.less_because, if_closed].into_iter().flatten() {
            self.outside(why);
        }
        for server in &demand.servers {
            let visit = self.visit(parts, server, what);
            if let Some(why) = demand.less_in_queue {
                self.reordered.insert(self.visits[visit].station, why);
            }
        }
        for server in &demand.in_background {
            // The other part of work that the request waits for, or work that follows each request, comes as the requests do.
            let is_even = demand.servers.iter().any(|other| other.name == server.name);
            self.visit(parts, server, &For { in_background: true, is_even, ..*what });
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

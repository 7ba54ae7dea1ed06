//! The analytic model: the same scenario as a network of queues, solved in milliseconds. docs/model/analytic.md has its sources, and the
//! parts that it leaves out.
//!
//! Each component gives its mean demand itself (`Component::demand`), so this crate depends on no kind of component: [`build`] follows the
//! paths of the graph and makes stations and visits, `sansim_queueing` solves them, and this module reports the result, and the cases in
//! which the result is not reliable.

mod asked;
pub mod bounds;
mod build;
mod designs;
mod reliability;
mod seen;

use build::Built;
pub use designs::{BaseScenario, Design, DesignSearch, KeySettings, designs};
use reliability::{full_loop, may_wait};
use sansim_assembly::build::plan_system;
use sansim_assembly::named::NamedValues;
use sansim_assembly::plan::SystemPlan;
use sansim_component::NetworkModel;
use sansim_queueing::{
    ArrivalLoad, NoSolution, QueueingNetwork, ServerCount, Solution, approximate, exact, percentile,
};
use sansim_scenario::Scenario;
use seen::Seen;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The utilisation of a loop with fair ports from which on commands wait for whole access windows, which no
/// queue models.
const FAIR_LOOP_AT_MOST: f64 = 0.5;

/// The utilisation of a loop from which on requests wait at most of its ports.
const FULL_LOOP: f64 = 0.75;
/// The utilisation of a station from which on a small error of the service time of open requests is a large one of their wait.
const ALMOST_FULL: f64 = 0.9;

/// The utilisation from which on a station with much background work counts as saturated, so that the background work is delayed.
const FULL: f64 = 0.75;
/// The share of background work from which on [`FULL`] applies.
const MUCH_IN_BACKGROUND: f64 = 0.1;

/// The ratio of think time to response time from which on a think time is most of the cycle of a slot
/// (assumed).
const MOSTLY_THINKS: f64 = 2.0;
/// The same ratio if no service time is drawn at random, so that slots circulate at fixed intervals
/// (assumed).
const CLOCKWORK_THINKS: f64 = 1.0;
/// The share of a cycle up to which waits make no difference, however long they are.
const HARDLY_WAITS: f64 = 0.05;
/// The squared coefficient of variation up to which a service counts as constant.
const STEADY: f64 = 0.01;

/// The result of the analytic model for a scenario. Times are in nanoseconds, rates are per second.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Analysis {
    /// The title of the scenario.
    pub title: String,
    /// Reasons why the analysis is not reliable: facts that are unknown to the model, and effects that it leaves
    /// out.
    pub outside: Vec<String>,
    /// The simplifications that do not make the analysis unreliable.
    pub assumes: Vec<String>,
    /// I/Os per second of all workloads; null if more requests arrive than complete.
    pub iops: Option<f64>,
    /// The mean response time of all I/Os; null if more requests arrive than complete.
    pub response_ns: Option<f64>,
    /// The results of each workload.
    pub workloads: NamedValues<WorkloadPrediction>,
    /// The stations at which requests are served, beginning with the most used.
    pub stations: Vec<StationLoad>,
    /// The share of networks that the devices of each component use.
    pub carried: Vec<NetworkShare>,
    /// The devices whose data are placed on devices behind them and could be placed on others.
    pub placed: Vec<PlacedDevices>,
}

/// Devices whose data are placed on other devices.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PlacedDevices {
    /// The component that presents the devices.
    pub component: String,
    /// The names of the devices, in the order of their numbers.
    pub devices: Vec<String>,
    /// The share of the requests for each device behind.
    pub asked: Vec<f64>,
    /// The names of the devices behind them, in the order of their numbers.
    pub behind: Vec<String>,
}

/// The share of a network that the devices of a component use.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct NetworkShare {
    /// The network.
    pub network: String,
    /// The component that issues requests over the network.
    pub asker: String,
    /// The component of the devices.
    pub devices: String,
    /// The devices with this share; devices with a higher load are listed separately.
    pub members: Vec<String>,
    /// The share of the time in which the network carries data for all of these devices together.
    pub utilisation: f64,
    /// The share of the time in which each of these devices is busy itself.
    pub works: f64,
}

/// The results of a workload.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WorkloadPrediction {
    /// Whether the workload is open, so that its requests arrive independently of completions.
    pub is_open: bool,
    /// The arriving I/Os per second, if the workload is open.
    pub offered_iops: Option<f64>,
    /// The number of requests in flight at a time, if the workload is closed.
    pub slots: Option<u64>,
    /// The completed I/Os per second.
    pub iops: Option<f64>,
    /// The mean response time of the workload.
    pub response_ns: Option<f64>,
    /// The time that half of the I/Os do not exceed, by approximation.
    pub p50_ns: Option<f64>,
    /// The 99th percentile of response times.
    pub p99_ns: Option<f64>,
    /// The variance of response times, from which percentiles are computed; in square nanoseconds.
    pub variance_ns2: Option<f64>,
    /// The time of an I/O when no other I/O is in the system.
    pub alone_ns: f64,
}

impl WorkloadPrediction {
    /// The time that a share `p` of the I/Os does not exceed, by approximation.
    pub fn percentile_ns(&self, p: f64) -> Option<f64> {
        Some(percentile::response_percentile(self.response_ns?, self.variance_ns2?, p))
    }
}

/// A station of the network of queues: a server for one request at a time, or several equal servers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StationLoad {
    /// The component of the scenario to which the station belongs.
    pub component: String,
    /// The word for the kind of that component.
    pub kind: &'static str,
    /// The place of the station, as results name it: `drives.adapter`.
    pub place: String,
    /// The name of the server at that place, as blocks of results are named.
    pub server: &'static str,
    /// The label of the server in reports.
    pub label: String,
    /// The work of the server; empty if its component has no description.
    pub meaning: &'static str,
    /// The number of equal stations over which requests are spread.
    pub alike: u32,
    /// The number of stations at that place; more than `alike` where some stations have a higher load than
    /// others.
    pub of: u32,
    /// The names of the members, if they are not all members of that place.
    pub members: Vec<String>,
    /// The number of requests that each station serves at a time.
    pub servers: u32,
    /// The demand of a mean I/O on the station.
    pub demand_ns: f64,
    /// The share of the time in which the station works.
    pub utilisation: f64,
    /// The utilisation, including the time in which the station is occupied while its request is elsewhere.
    pub taken: f64,
    /// The mean number of requests at each of the stations.
    pub queue: f64,
    /// The time that a mean I/O spends at the station, including waiting.
    pub spends_ns: f64,
    /// I/Os per second of the same mix at which the station is saturated.
    pub full_at_iops: Option<f64>,
    /// The part of the station's utilisation that each workload causes.
    pub by_workload: NamedValues<f64>,
}

/// Analyses a scenario.
pub fn analyse(scenario: &Scenario) -> Analysis {
    analyse_among(scenario, &Seen::default())
}

/// Analyses one of several designs whose workloads are equal, so that the workloads are observed once.
fn analyse_among(scenario: &Scenario, seen: &Seen) -> Analysis {
    let plan = plan_system(scenario, None, NetworkModel::default());
    let built = Built::from_observations(&plan, seen.observed_requests(&plan));
    let mut analysis = Analysis {
        title: plan.title.clone(),
        outside: built.outside.iter().cloned().collect(),
        assumes: built.assumes.iter().cloned().collect(),
        ..Analysis::default()
    };
    let takes_nothing = |class: &sansim_queueing::CustomerClass| match class.load {
        ArrivalLoad::Closed { think, .. } => think + built.network.unloaded_response(class) <= 0.0,
        ArrivalLoad::Open { .. } => false,
    };
    if built.network.classes.iter().any(takes_nothing) {
        analysis.outside.push(
            "a closed workload has neither think time nor service demand, so nothing limits its rate"
                .to_owned(),
        );
        analysis.tell_workloads(&built, None);
        return analysis;
    }
    let solved = exact::solve_network(&built.network).or_else(|_| approximate::solve_network(&built.network));
    match solved {
        Ok(mut solution) => {
            for (class, held) in solution.classes.iter_mut().zip(&built.held) {
                class.response += held / class.throughput.max(f64::MIN_POSITIVE);
            }
            analysis.tell(&plan, &built, &solution);
        }
        Err(fault) => {
            let rates: Vec<f64> = built.network.classes.iter().map(open_rate).collect();
            analysis.tell_stations(&plan, &built, &rates, None);
            let is_full = analysis.stations.iter().any(|station| station.utilisation >= 1.0);
            match fault {
                NoSolution::Overloaded { .. } if is_full => {}
                NoSolution::Overloaded { station, .. } => analysis.outside.push(format!(
                    "`{}` would be occupied all the time by data that wait for a network, and the model only estimates these waits",
                    plan.graph.places[built.about[station].place].name
                )),
                other => analysis.outside.push(other.to_string()),
            }
            analysis.tell_workloads(&built, None);
        }
    }
    analysis.stations.sort_by(|one, other| other.taken.total_cmp(&one.taken));
    analysis.look_at_loops(&built);
    analysis
}

/// Whether all services of a class are constant.
fn is_steady(class: &sansim_queueing::CustomerClass) -> bool {
    class.visits.iter().filter(|visit| visit.service > 0.0).all(|visit| visit.scv < STEADY)
}

fn open_rate(class: &sansim_queueing::CustomerClass) -> f64 {
    match class.load {
        ArrivalLoad::Open { rate } => rate * f64::from(class.copies),
        ArrivalLoad::Closed { .. } => 0.0,
    }
}

impl Analysis {
    fn tell(&mut self, plan: &SystemPlan, built: &Built, solution: &Solution) {
        let rates: Vec<f64> = solution.classes.iter().map(|class| class.throughput).collect();
        // The sum of no rates is -0, which is shown as 0.
        let all: f64 = rates.iter().sum::<f64>() + 0.0;
        self.iops = Some(all * 1e9);
        let weighted = solution.classes.iter().map(|class| class.throughput * class.response);
        self.response_ns = Some((weighted.sum::<f64>() + 0.0) / all.max(f64::MIN_POSITIVE));
        self.tell_stations(plan, built, &rates, Some(solution));
        self.tell_workloads(built, Some(solution));
    }

    fn tell_workloads(&mut self, built: &Built, solution: Option<&Solution>) {
        for (number, class) in built.network.classes.iter().enumerate() {
            let of = solution.map(|solution| &solution.classes[number]);
            if let (ArrivalLoad::Closed { think, jobs }, Some(of)) = (&class.load, of)
                && *jobs > 1
                && let away = built.network.pure_delay_time(class)
                && let (waits, ratio) = if is_steady(class) {
                    (may_wait(&built.network, class), CLOCKWORK_THINKS)
                } else {
                    (of.response - built.network.unloaded_response(class), MOSTLY_THINKS)
                }
                && waits > HARDLY_WAITS * (think + of.response)
                && think + away > ratio * (of.response - away)
            {
                self.outside.push(format!(
                    "requests of `{}` spend longer at no server, in think time or in delays, than at servers: they keep their distances, so \
                     they queue less, or more, than requests at random",
                    class.name
                ));
            }
            let percentile =
                |p: f64| of.map(|of| percentile::response_percentile(of.response, of.variance, p));
            let (offered, slots) = match class.load {
                ArrivalLoad::Open { rate, .. } => (Some(rate * f64::from(class.copies) * 1e9), None),
                ArrivalLoad::Closed { jobs, .. } => (None, Some(u64::from(jobs) * u64::from(class.copies))),
            };
            let told = WorkloadPrediction {
                is_open: offered.is_some(),
                offered_iops: offered,
                slots,
                iops: of.map(|of| of.throughput * 1e9),
                response_ns: of.map(|of| of.response),
                p50_ns: percentile(0.5),
                p99_ns: percentile(0.99),
                variance_ns2: of.map(|of| of.variance),
                alone_ns: built.network.unloaded_response(class),
            };
            self.workloads.0.push((class.name.clone(), told));
        }
    }

    /// Adds the stations to the report, at these rates of the classes.
    fn tell_stations(
        &mut self,
        plan: &SystemPlan,
        built: &Built,
        rates: &[f64],
        solution: Option<&Solution>,
    ) {
        let network: &QueueingNetwork = &built.network;
        let all: f64 = rates.iter().sum();
        if all <= 0.0 {
            return;
        }
        for (number, station) in network.stations.iter().enumerate() {
            let ServerCount::Some(servers) = station.servers else { continue };
            let about = &built.about[number];
            let (mut used, mut behind, mut demand, mut spends) = (0.0, 0.0, 0.0, 0.0);
            let mut by_workload = NamedValues::default();
            for (of, class) in network.classes.iter().enumerate() {
                let before = used;
                for (place, visit) in
                    class.visits.iter().enumerate().filter(|(_, visit)| visit.station == number)
                {
                    let works = network.visit_rate(visit, rates[of]) * visit.service / f64::from(servers);
                    used += works;
                    // Links that are alternatives to other links are no background work.
                    behind += if visit.in_background && about.which.is_empty() { works } else { 0.0 };
                    demand += rates[of] / all * visit.times * visit.service;
                    spends +=
                        solution.map_or(0.0, |solution| rates[of] / all * solution.classes[of].adds[place]);
                }
                if used > before {
                    by_workload.0.push((class.name.clone(), used - before));
                }
            }
            if demand <= 0.0 {
                continue;
            }
            if used > FULL && behind > MUCH_IN_BACKGROUND {
                self.outside.push(format!(
                    "`{}` is saturated, in part by background writes: the model leaves out how long requests then wait for buffer space",
                    plan.graph.places[about.place].name
                ));
            }
            let meets_open = network.classes.iter().any(|class| {
                let visits =
                    || class.visits.iter().filter(|visit| visit.station == number && !visit.in_background);
                matches!(class.load, ArrivalLoad::Open { .. }) && visits().next().is_some()
            });
            let taken = solution.map_or(used, |solution| solution.stations[number].taken);
            if solution.is_some() && meets_open && taken > ALMOST_FULL {
                self.outside.push(format!(
                    "`{}` is occupied for {:.0} % of the time, and there a small error of the service time of open requests makes a large one \
                     of their wait",
                    plan.graph.places[about.place].name,
                    100.0 * taken
                ));
            }
            if about.server == "loop"
                && used > FULL_LOOP
                && let Some(why) = full_loop(network, number, rates)
            {
                let name = &plan.graph.places[about.place].name;
                self.outside
                    .push(format!("`{name}` has a utilisation of {:.0} %, where {why}", 100.0 * used));
            }
            let is_like = |other: &&build::About| {
                (other.place, other.server) == (about.place, about.server) && !other.which.is_empty()
            };
            let several = built.about.iter().filter(is_like).count() as u32;
            let came = solution.map(|solution| solution.stations[number]);
            let component = plan.graph.places[about.place].component;
            let name = plan.components[component].clone();
            let taken = came.map_or(used, |came| came.taken);
            let block = about.parts.first().and_then(|&part| {
                let blocks = plan.graph.parts[part].part.catalogue().blocks;
                blocks.iter().find(|block| block.name == about.server)
            });
            self.stations.push(StationLoad {
                kind: plan.groups.iter().find(|group| group.name == name).map_or("", |group| group.kind),
                component: name,
                place: plan.graph.places[about.place].name.clone(),
                server: about.server,
                label: block.map_or_else(|| about.server.replace('_', " "), |block| block.label.to_owned()),
                meaning: block.map_or("", |block| block.meaning),
                alike: station.alike,
                of: if about.which.is_empty() { plan.graph.places[about.place].members } else { several },
                members: if !about.which.is_empty() {
                    vec![format!("{}.{}", plan.graph.places[about.place].name, about.which)]
                } else if station.alike < plan.graph.places[about.place].members {
                    about.parts.iter().map(|&part| plan.graph.parts[part].name.clone()).collect()
                } else {
                    Vec::new()
                },
                servers,
                demand_ns: demand,
                utilisation: used,
                taken,
                queue: came.map_or(0.0, |came| came.queue),
                spends_ns: spends,
                full_at_iops: (taken > 0.0).then(|| all * 1e9 / taken),
                by_workload,
            });
        }
        self.tell_carried(plan, built, rates);
        self.tell_placed(plan, built);
    }

    fn tell_placed(&mut self, plan: &SystemPlan, built: &Built) {
        let graph = &plan.graph;
        for (&part, asked) in &built.placed {
            let of_part = graph.devices.iter().filter(|device| device.part == part);
            self.placed.push(PlacedDevices {
                component: plan.components[graph.places[graph.parts[part].place].component].clone(),
                devices: of_part.map(|device| device.name.clone()).collect(),
                asked: asked.clone(),
                behind: graph
                    .data_devices_of(part)
                    .map(|device| graph.devices[device].name.clone())
                    .collect(),
            });
        }
    }

    /// Adds the devices for which networks carry data to the report.
    fn tell_carried(&mut self, plan: &SystemPlan, built: &Built, rates: &[f64]) {
        let network = &built.network;
        let mut found: BTreeMap<(usize, &BTreeSet<usize>, &BTreeSet<usize>), f64> = BTreeMap::new();
        for on in &built.on_networks {
            let visit = &network.classes[on.class].visits[on.visit];
            let servers = match network.stations[visit.station].servers {
                ServerCount::Some(servers) => f64::from(servers),
                ServerCount::Unlimited => continue,
            };
            *found.entry((on.network, &on.askers, &on.devices)).or_default() +=
                network.visit_rate(visit, rates[on.class]) * visit.service / servers;
        }
        let component_of = |part: usize| {
            let place = plan.graph.parts[part].place;
            plan.components[plan.graph.places[place].component].clone()
        };
        for ((on, askers, devices), utilisation) in found {
            let (Some(&first), Some(&asker)) = (devices.first(), askers.first()) else { continue };
            let of_them = |about: &build::About| about.parts == *devices;
            let works =
                (0..built.about.len()).filter(|&number| of_them(&built.about[number])).map(|number| {
                    let uses = |(class, &rate): (&sansim_queueing::CustomerClass, &f64)| {
                        let here = class.visits.iter().filter(|visit| visit.station == number);
                        here.map(|visit| network.visit_rate(visit, rate) * visit.service).sum::<f64>()
                    };
                    let servers = match network.stations[number].servers {
                        ServerCount::Some(servers) => f64::from(servers),
                        ServerCount::Unlimited => f64::INFINITY,
                    };
                    network.classes.iter().zip(rates).map(uses).sum::<f64>() / servers
                });
            self.carried.push(NetworkShare {
                network: component_of(on),
                asker: component_of(asker),
                devices: component_of(first),
                members: devices.iter().map(|&part| plan.graph.parts[part].name.clone()).collect(),
                utilisation,
                works: works.fold(0.0, f64::max),
            });
        }
    }

    /// Adds warnings of effects of loops that no queue models.
    fn look_at_loops(&mut self, built: &Built) {
        for station in self.stations.iter().filter(|station| station.server == "loop") {
            let is_fair = built.fair_loops.contains(&station.place);
            if is_fair && station.utilisation > FAIR_LOOP_AT_MOST {
                self.outside.push(format!(
                    "`{}` has a utilisation of {:.0} %, and its ports arbitrate fairly: commands of a host wait until every drive \
                     with data has won the loop once, which the model leaves out",
                    station.component,
                    100.0 * station.utilisation
                ));
            }
        }
    }
}

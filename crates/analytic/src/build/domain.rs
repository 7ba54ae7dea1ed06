//! The domain of the analytic model: cases in which the network of queues is known to be far from the simulated system, found from the
//! requests that were observed and from the finished network. Components name further such cases with their demands.

use super::{About, Builder};
use sansim_component::demand::RequestClass;
use sansim_queueing::{ArrivalLoad, ServerCount, Visit};
use std::collections::{BTreeMap, BTreeSet};

/// The difference between the observed and the assumed share of requests that follow the request before, and the share of the service time
/// by which that matters, from which on the case is outside.
const OUT_OF_SEQUENCE: f64 = 0.1;
/// The size in bytes of the request with which the effect on the service time is tested.
const SAMPLE_BYTES: f64 = 8192.0;
/// The utilisation of a station by background work from which on requests wait behind bursts of background
/// work.
const BUNCHES: f64 = 0.02;
/// The share of the service time of a request in sequence that counts as no pause before the next one: the medium turns on in any pause.
const PAUSE: f64 = 1e-6;
/// The share of requests that follow the request before, from which on the devices behind are asked in an order.
const MOSTLY_IN_SEQUENCE: f64 = 0.5;
/// The utilisation of devices up to which it hardly matters in which order requests go to them, or are served there.
const HARDLY_WAITS: f64 = 0.25;

impl Builder<'_> {
    /// Names the cases that are outside of the domain.
    pub(super) fn leave_domain(&mut self) {
        self.overlaps();
        self.sequences();
        self.orders();
        self.reordered_queues();
        self.copies();
        self.bunches();
        self.announced_depths();
    }

    /// Stations of the same place that differ: workloads that share a part of a group.
    fn overlaps(&mut self) {
        let about = std::mem::take(&mut self.built.about);
        for (number, one) in about.iter().enumerate() {
            let meets = |other: &&About| {
                other.place == one.place
                    && (other.server, &other.which) == (one.server, &one.which)
                    && !other.parts.is_disjoint(&one.parts)
            };
            if !one.parts.is_empty() && about[number + 1..].iter().any(|other| meets(&other)) {
                let name = self.plan.graph.places[one.place].name.clone();
                self.outside(format!("workloads share only some members of `{name}`, and the model does not add up their load there"));
            }
        }
        self.built.about = about;
    }

    /// Devices whose service time depends on whether requests follow each other, and at which they do so more or less often than assumed:
    /// several streams mix, or an array divides one stream.
    fn sequences(&mut self) {
        let plan = self.plan;
        let mut told: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
        let mut pauses = BTreeSet::new();
        for (number, device) in plan.graph.devices.iter().enumerate() {
            let (follow, assumed) = self.asked.in_sequence[number].sequential_shares();
            let [reads, writes] = self.asked.at[number];
            // Reads and writes in one sequence disturb each other's use of the buffer.
            let is_mixed =
                assumed > OUT_OF_SEQUENCE && reads.min(writes) > OUT_OF_SEQUENCE * (reads + writes);
            let is_other = (follow - assumed).abs() > OUT_OF_SEQUENCE;
            if assumed > MOSTLY_IN_SEQUENCE
                && self.depends_on_sequence(device.part)
                && self.comes_with_pauses(device.part)
            {
                pauses.insert(plan.graph.parts[device.part].place);
            }
            if (is_other || is_mixed) && self.depends_on_sequence(device.part) {
                told.entry(plan.graph.parts[device.part].place).or_insert((follow, assumed));
            }
        }
        for place in pauses {
            let name = plan.graph.places[place].name.clone();
            self.outside(format!(
                "requests in sequence come to `{name}` with pauses, during which the medium turns on; the model counts none"
            ));
        }
        for (place, (follow, assumed)) in told {
            self.outside(format!(
                "{:.0} % of the requests to `{}` begin where the one before ends; the model assumes {:.0} %, and only reads or only writes",
                100.0 * follow,
                plan.graph.places[place].name,
                100.0 * assumed
            ));
        }
    }

    /// Whether the next request of a sequence comes to a device later than when the request before is done: all but those of closed loads
    /// that do nothing else.
    fn comes_with_pauses(&self, part: usize) -> bool {
        let network = &self.built.network;
        let mut classes = network.classes.iter().map(|class| {
            let here = |visit: &&Visit| self.built.about[visit.station].parts.contains(&part);
            let there: Vec<&Visit> = class.visits.iter().filter(here).collect();
            let takes: f64 = there.iter().map(|visit| visit.times * visit.service).sum();
            // Each of several devices has the requests of its own slots.
            let is_own = there.iter().all(|visit| visit.own || network.stations[visit.station].alike == 1);
            match class.load {
                ArrivalLoad::Open { .. } => takes > 0.0,
                ArrivalLoad::Closed { think, .. } => {
                    takes > 0.0
                        && (!is_own || think + network.unloaded_response(class) - takes > PAUSE * takes)
                }
            }
        });
        classes.any(|pauses| pauses)
    }

    /// Whether the time of a request at a device depends much on whether the request follows the request
    /// before.
    pub(super) fn depends_on_sequence(&self, part: usize) -> bool {
        let class = |write: bool, sequential: bool| RequestClass {
            write,
            bytes: SAMPLE_BYTES,
            is_of_one_size: true,
            sequential,
            hit_ratio: None,
            within: None,
        };
        let takes = |class: &RequestClass| {
            let demand = self.demand(part, class)?;
            Some(
                demand.servers.iter().map(|server| server.takes.mean_time_ns()).sum::<f64>()
                    + demand.delay_ns,
            )
        };
        [false, true].into_iter().any(|write| {
            let (one, other) = (takes(&class(write, true)), takes(&class(write, false)));
            one.zip(other).is_some_and(|(one, other)| (one - other).abs() > OUT_OF_SEQUENCE * one.max(other))
        })
    }

    /// The work of each server of a station for requests and in the background, as a share of the time. A closed class counts as if it met
    /// no other requests, which is the most it can do. Work in the background that comes as evenly as requests may be left out.
    fn works(&self, number: usize, without_even: bool) -> [f64; 2] {
        let network = &self.built.network;
        let station = &network.stations[number];
        let ServerCount::Some(servers) = station.servers else { return [0.0; 2] };
        let servers = f64::from(station.alike) * f64::from(servers);
        let mut works = [0.0; 2];
        for (of, class) in network.classes.iter().enumerate() {
            let rate = match class.load {
                ArrivalLoad::Open { rate } => rate * f64::from(class.copies),
                ArrivalLoad::Closed { jobs, think } => {
                    let alone = network.unloaded_response(class) + think;
                    f64::from(jobs) * f64::from(class.copies) / alone.max(1.0)
                }
            };
            let visits = class.visits.iter().enumerate();
            for (place, visit) in visits.filter(|(_, visit)| visit.station == number) {
                if visit.in_background && without_even && self.even.contains(&(of, place)) {
                    continue;
                }
                works[usize::from(visit.in_background)] += rate * visit.times * visit.service / servers;
            }
        }
        works
    }

    /// Parts that go to the devices behind them in an order, where requests wait: they meet less often than at random, or more often.
    fn orders(&mut self) {
        if self.at_once == Some(1) {
            return;
        }
        let plan = self.plan;
        for part in 0..plan.graph.parts.len() {
            let devices: Vec<usize> = self.asks(part).collect();
            if devices.len() < 2 || !self.is_in_order(part) {
                continue;
            }
            let behind: BTreeSet<usize> =
                devices.iter().map(|&device| plan.graph.devices[device].part).collect();
            let stations = self.built.about.iter().enumerate();
            // If requests stay at one device for a time, it has the load of all of them.
            let times = if self.asked.orders[part].is_in_turn() { 1.0 } else { devices.len() as f64 };
            let busiest = stations
                .filter(|(_, about)| !about.parts.is_disjoint(&behind))
                .map(|(number, _)| self.works(number, false).iter().sum::<f64>() * times)
                .fold(0.0, f64::max);
            if busiest > HARDLY_WAITS {
                let name = plan.graph.places[plan.graph.parts[part].place].name.clone();
                self.outside(format!(
                    "`{name}` goes to the devices behind it in an order, so requests meet there more or less often than at random"
                ));
            }
        }
    }

    /// Whether requests of a part go to the devices behind it in an order: in turn, many to one before the next, or, at devices that have
    /// the data, because the requests come in sequence.
    fn is_in_order(&self, part: usize) -> bool {
        let one = &self.plan.graph.parts[part].part;
        let devices = self.plan.graph.devices.iter().zip(&self.asked.in_sequence);
        let in_sequence = devices
            .filter(|(device, _)| device.part == part)
            .any(|(_, of)| of.sequential_shares().0 > MOSTLY_IN_SEQUENCE);
        let order = &self.asked.orders[part];
        if one.reads_shortest_queue() {
            // Requests were observed without queues, where such a choice has an order that it does not have under load.
            return in_sequence && one.reads_by_place();
        }
        order.is_regular() || (in_sequence && order.spreads())
    }

    /// Copies that are read by their queues, while all of them are written: the least of queues that have common work is not that of
    /// independent queues.
    fn copies(&mut self) {
        if self.at_once == Some(1) {
            return;
        }
        let plan = self.plan;
        for part in 0..plan.graph.parts.len() {
            let devices: Vec<usize> = self.asks(part).collect();
            let [reads, writes] = devices.iter().fold([0.0; 2], |sum: [f64; 2], &device| {
                [0, 1].map(|of| sum[of] + self.asked.at[device][of])
            });
            // A write is at each of the copies.
            let writes = writes / devices.len().max(1) as f64;
            let is_mixed = reads.min(writes) > OUT_OF_SEQUENCE * (reads + writes);
            if devices.len() < 2 || !is_mixed || !self.read_by_queues(&BTreeSet::from([part])) {
                continue;
            }
            let behind: BTreeSet<usize> =
                devices.iter().map(|&device| plan.graph.devices[device].part).collect();
            let stations = self.built.about.iter().enumerate();
            let used = stations
                .filter(|(_, about)| !about.parts.is_disjoint(&behind))
                .map(|(number, _)| self.works(number, false).iter().sum::<f64>());
            if used.fold(0.0, f64::max) > HARDLY_WAITS {
                let name = plan.graph.places[plan.graph.parts[part].place].name.clone();
                self.outside(format!(
                    "`{name}` reads by the queues of copies that its writes fill in common"
                ));
            }
        }
    }

    /// Stations at which the order of requests changes their service, if more than one waits at a time.
    fn reordered_queues(&mut self) {
        // One of two requests is in service.
        if self.at_once.is_some_and(|all| all <= 2) {
            return;
        }
        let is_used = |station: &usize| self.works(*station, false).iter().sum::<f64>() > HARDLY_WAITS;
        let told: BTreeSet<&'static str> =
            self.reordered.iter().filter(|(station, _)| is_used(station)).map(|(_, why)| *why).collect();
        told.into_iter().for_each(|why| self.outside(why));
    }

    /// Stations with so much background work, destages for example, that requests wait behind bunches of it.
    fn bunches(&mut self) {
        let mut told = BTreeMap::new();
        for (number, about) in self.built.about.iter().enumerate() {
            let [ahead, behind] = self.works(number, true);
            if ahead > 0.0 && behind > BUNCHES {
                told.insert(about.place, behind.min(1.0));
            }
        }
        for (place, share) in told {
            let name = self.plan.graph.places[place].name.clone();
            self.outside(format!(
                "background work takes {:.0} % of the time of `{name}` and comes in bunches, behind which requests wait",
                100.0 * share
            ));
        }
    }

    /// Devices with others behind them that work on fewer requests at a time than come.
    fn announced_depths(&mut self) {
        let plan = self.plan;
        let most = self.built.network.classes.iter().map(|class| match class.load {
            ArrivalLoad::Open { .. } => u64::MAX,
            ArrivalLoad::Closed { jobs, .. } => u64::from(jobs),
        });
        let most = most.max().unwrap_or(0);
        for device in &plan.graph.devices {
            let has_others = plan.graph.data_devices_of(device.part).next().is_some();
            if device.announced.queue_depth.is_some_and(|depth| has_others && most > depth) {
                let name = &plan.graph.places[plan.graph.parts[device.part].place].name;
                self.outside(format!("the queue depth of `{name}` limits the requests in flight"));
            }
        }
    }
}

//! The domain of the analytic model: cases in which the network of queues is known to be far from the simulated system, found from the
//! requests that were observed and from the finished network. Components name further such cases with their demands.

use super::{About, Builder};
use sansim_component::demand::RequestClass;
use sansim_queueing::{ArrivalLoad, ServerCount};
use std::collections::BTreeMap;

/// The difference between the observed and the assumed share of requests that follow the request before, and the share of the service time
/// by which that matters, from which on the case is outside.
const OUT_OF_SEQUENCE: f64 = 0.1;
/// The size in bytes of the request with which the effect on the service time is tested.
const SAMPLE_BYTES: f64 = 8192.0;
/// The utilisation of a station by background work from which on requests wait behind bursts of background
/// work.
const BUNCHES: f64 = 0.2;
/// The share of the time of a closed request at a single station, if the other times hardly vary, from which on the order of arrival
/// decides how long the requests wait there.
const MOSTLY_THERE: f64 = 0.5;

impl Builder<'_> {
    /// Names the cases that are outside of the domain.
    pub(super) fn leave_domain(&mut self) {
        self.overlaps();
        self.sequences();
        self.bunches();
        self.closed_loops();
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
        for (number, device) in plan.graph.devices.iter().enumerate() {
            let (follow, assumed) = self.asked.in_sequence[number].sequential_shares();
            let [reads, writes] = self.asked.at[number];
            // Reads and writes in one sequence disturb each other's use of the buffer.
            let is_mixed =
                assumed > OUT_OF_SEQUENCE && reads.min(writes) > OUT_OF_SEQUENCE * (reads + writes);
            let is_other = (follow - assumed).abs() > OUT_OF_SEQUENCE;
            if (is_other || is_mixed) && self.depends_on_sequence(device.part) {
                told.entry(plan.graph.parts[device.part].place).or_insert((follow, assumed));
            }
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

    /// Whether the time of a request at a device depends much on whether the request follows the request
    /// before.
    fn depends_on_sequence(&self, part: usize) -> bool {
        let class = |write: bool, sequential: bool| RequestClass {
            write,
            bytes: SAMPLE_BYTES,
            is_of_one_size: true,
            sequential,
            hit_ratio: None,
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

    /// Stations with so much background work, destages for example, that requests wait behind bursts of it.
    fn bunches(&mut self) {
        let mut told = BTreeMap::new();
        for (number, about) in self.built.about.iter().enumerate() {
            let (mut behind, mut ahead) = (0.0, false);
            for class in &self.built.network.classes {
                let rate = match class.load {
                    ArrivalLoad::Open { rate } => rate * f64::from(class.copies),
                    // A closed class is at most as fast as without other requests.
                    ArrivalLoad::Closed { jobs, think } => {
                        let alone = self.built.network.unloaded_response(class) + think;
                        f64::from(jobs) * f64::from(class.copies) / alone.max(1.0)
                    }
                };
                for visit in class.visits.iter().filter(|visit| visit.station == number) {
                    let station = &self.built.network.stations[number];
                    let ServerCount::Some(servers) = station.servers else { continue };
                    let servers = f64::from(station.alike) * f64::from(servers);
                    match visit.in_background {
                        true => behind += rate * visit.times * visit.service / servers,
                        false => ahead = true,
                    }
                }
            }
            if ahead && behind > BUNCHES {
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

    /// Closed loads that spend most of their time at an arbitrated loop: the order of arbitration decides how long they wait there.
    fn closed_loops(&mut self) {
        let arbitrates = |place: usize| {
            let part = self.plan.graph.parts.iter().find(|part| part.place == place);
            part.and_then(|part| part.part.network()).is_some_and(|network| network.arbitrates())
        };
        let mut told = Vec::new();
        for class in &self.built.network.classes {
            let ArrivalLoad::Closed { jobs, .. } = class.load else { continue };
            let alone = self.built.network.unloaded_response(class);
            for visit in
                class.visits.iter().filter(|visit| jobs > 1 || class.copies > 1 || !visit.in_background)
            {
                let about = &self.built.about[visit.station];
                if arbitrates(about.place) && visit.times * visit.service > MOSTLY_THERE * alone {
                    told.push((class.name.clone(), about.place));
                }
            }
        }
        for (class, place) in told {
            let name = self.plan.graph.places[place].name.clone();
            self.outside(format!(
                "requests of `{class}` spend most of their time at `{name}`, where the order of arbitration decides how long they wait"
            ));
        }
    }
}

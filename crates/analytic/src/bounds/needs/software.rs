//! The work that networks leave to software, where processors of the nodes do it: the least over all paths of a request.

use super::{NOTHING, Ways};
use sansim_assembly::settings::network_nodes;
use sansim_component::demand::{ChildVisit, Demand, DemandContext, RequestClass, ResourceJobDemand};
use sansim_scenario::graph::{DeviceAddress, DevicePaths};
use std::collections::BTreeMap;

impl Ways<'_> {
    /// The work that networks leave to the processors of a part for a request that it serves, and for the child requests of that request:
    /// the least over all paths.
    pub(super) fn software(
        &self,
        part: usize,
        class: &RequestClass,
        demand: &Demand,
    ) -> Vec<ResourceJobDemand> {
        let graph = &self.plan.graph;
        let serves = |reach: &DevicePaths| graph.devices[reach.device].part == part;
        let mut jobs: Vec<ResourceJobDemand> =
            self.least_software(serves, class, |way| way.to).into_iter().collect();
        jobs.extend(self.software_of_asking(part, demand));
        jobs
    }

    /// The work that networks leave to the processors of a part for its own requests alone.
    pub(super) fn software_of_asking(&self, part: usize, demand: &Demand) -> Vec<ResourceJobDemand> {
        let asks = |reach: &DevicePaths| reach.asker == part;
        let of_visit = |visit: &ChildVisit| {
            let job = self.least_software(asks, &visit.class, |way| way.from)?;
            Some(ResourceJobDemand { times: visit.times * job.times, ..job })
        };
        demand.visits.iter().filter_map(of_visit).collect()
    }

    /// The work that a network leaves to the processors of the node at an end of paths, by the path with the least work; none if some paths
    /// leave no work.
    fn least_software(
        &self,
        of: impl Fn(&DevicePaths) -> bool,
        class: &RequestClass,
        end: impl Fn(&DeviceAddress) -> usize,
    ) -> Option<ResourceJobDemand> {
        let graph = &self.plan.graph;
        let mut least: Option<ResourceJobDemand> = None;
        // The answer for a station is the same for all paths.
        let mut said: BTreeMap<(usize, usize), Option<ResourceJobDemand>> = BTreeMap::new();
        for way in graph.reaches.iter().filter(|reach| of(reach)).flat_map(|reach| &reach.ways) {
            let address = way.address?;
            let at = (address.arbitrated_loop, end(&address));
            let is_there = address.arbitrated_loop == address.network
                && graph.loops[at.0].stations[at.1].processors.is_some();
            if !is_there {
                return None;
            }
            let job = (*said.entry(at).or_insert_with(|| self.at_node(at, class)))?;
            let ns = |job: &ResourceJobDemand| job.times * job.time_ns;
            least = Some(least.filter(|least| ns(least) <= ns(&job)).unwrap_or(job));
        }
        least
    }

    /// The work that a network leaves to the node at one of its stations.
    fn at_node(&self, (number, station): (usize, usize), class: &RequestClass) -> Option<ResourceJobDemand> {
        let on_loop = &self.plan.graph.loops[number];
        let frames = self.frames(on_loop.stations.iter().filter_map(|station| station.part));
        let stands = network_nodes(&self.plan.graph, on_loop.part);
        let around = DemandContext { nodes: &stands, frames, ..NOTHING };
        let demand = self.plan.graph.parts[on_loop.part].part.request_demand(class, &around)?;
        demand.at_nodes.into_iter().find(|(at, _)| *at == station).map(|(_, job)| job)
    }
}

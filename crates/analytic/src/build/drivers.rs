//! Requests that wait in the driver of a host: where a limit, an order or merging of a driver changes nothing, and where a limit leaves
//! fewer requests at the devices.

use super::{Builder, workload_routes};
use crate::asked::OfWorkload;
use sansim_assembly::plan::SystemPlan;
use sansim_component::demand::{InDriver, RequestClass};
use sansim_queueing::ArrivalLoad;
use sansim_registry::RequestPace;
use sansim_scenario::graph::WorkloadRoute;

/// The share of requests that follow the request before, below which requests are hardly ever merged.
const HARDLY_ANY: f64 = 0.05;

impl Builder<'_> {
    /// The load of the devices, if a driver passes the requests of a route on, and the number of requests that wait in the driver all the
    /// time.
    ///
    /// * A limit that no number of requests reaches changes nothing.
    /// * A device that serves one request at a time, in the order in which they come, serves as many if the others wait in the driver.
    /// * Closed requests without think time fill the limit at any time, and the others wait (Little's law).
    pub(super) fn in_driver(
        &mut self,
        (route, of): (&WorkloadRoute, &OfWorkload),
        (load, copies): (ArrivalLoad, u32),
    ) -> (ArrivalLoad, u32, f64) {
        let OfWorkload { classes, shares, .. } = of;
        let demand = classes.first().and_then(|(_, class)| self.demand(route.host, class));
        let InDriver { outstanding, per_device, reorders, merges } = demand.unwrap_or_default().in_driver;
        let of_host = workload_routes(&self.plan.graph).into_iter().filter(|other| other.host == route.host);
        let at_once: Option<u64> = of_host.clone().map(|other| most_at_once(self.plan, other)).sum();
        let is_within =
            |limit: Option<u64>| limit.is_none_or(|limit| at_once.is_some_and(|all| all <= limit));
        let parts: Vec<usize> = shares.keys().map(|&device| self.plan.graph.devices[device].part).collect();
        let in_order = || parts.iter().all(|&part| self.serves_in_order(part, classes));
        let mut held = (load, copies, 0.0);
        let mut waits = !is_within(per_device);
        if waits && !in_order() {
            self.outside("a host limits the requests in flight");
        }
        // So many requests that hardly any load reaches the limit count as no limit.
        let outstanding = outstanding.filter(|&limit| limit < USUAL);
        if !is_within(outstanding) {
            waits = true;
            match (load, outstanding, of_host.count()) {
                (ArrivalLoad::Closed { jobs, think: 0.0 }, Some(limit), 1) if copies == 1 => {
                    held = (
                        ArrivalLoad::Closed { jobs: limit as u32, think: 0.0 },
                        1,
                        f64::from(jobs) - limit as f64,
                    );
                }
                _ => self.outside("a host limits the requests in flight"),
            }
        }
        if reorders && waits && parts.iter().any(|&part| self.depends_on_sequence(part)) {
            self.outside("a host reorders its queue");
        }
        let follows = |device: &usize| self.asked.in_sequence[*device].sequential_shares().0 > HARDLY_ANY;
        if merges && waits && shares.keys().any(follows) {
            self.outside("a host merges I/Os");
        }
        held
    }

    /// Whether a device serves one request after the other, in the order in which they come, wherever they wait.
    fn serves_in_order(&self, part: usize, classes: &[(f64, RequestClass)]) -> bool {
        let graph = &self.plan.graph;
        !graph.is_on_network(part)
            && self.asks(part).next().is_none()
            && classes.iter().filter_map(|(_, class)| self.demand(part, class)).all(|demand| {
                let one = demand.servers.iter().filter(|server| server.takes.mean_time_ns() > 0.0);
                let is_one = one.clone().count() == 1 && one.clone().all(|server| server.servers == 1);
                is_one
                    && demand.delay_ns <= 0.0
                    && demand.in_background.is_empty()
                    && demand.less_in_queue.is_none()
            })
    }
}

/// The usual limit of drivers.
const USUAL: u64 = 255;

/// The most requests of a route at a time; none if there is no limit.
fn most_at_once(plan: &SystemPlan, route: &WorkloadRoute) -> Option<u64> {
    let comes = plan.graph.parts[route.workload].part.request_pace().unwrap_or_default();
    let of_stream = |one: &RequestPace| match *one {
        RequestPace::Closed { slots, per_device, .. } => {
            Some(u64::from(slots) * if per_device { route.devices.len() as u64 } else { 1 })
        }
        RequestPace::Open { .. } | RequestPace::Recorded => None,
    };
    comes.iter().map(of_stream).sum()
}

/// The most requests of all workloads at a time; none if there is no limit.
pub(super) fn all_at_once(plan: &SystemPlan) -> Option<u64> {
    workload_routes(&plan.graph).into_iter().map(|route| most_at_once(plan, route)).sum()
}

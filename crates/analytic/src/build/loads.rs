//! The load of a workload, and its class in the network of queues.

use super::{Builder, For, Queued};
use sansim_queueing::ArrivalLoad;
use sansim_registry::{LimitParameters, RequestPace};
use sansim_scenario::graph::WorkloadRoute;

impl Builder<'_> {
    /// Adds a workload to the network.
    pub(super) fn workload(&mut self, number: usize, route: &WorkloadRoute) {
        let part = &self.plan.graph.parts[route.workload];
        let Some(load) = self.load_of(&part.name, part.part.request_pace().unwrap_or_default(), route) else {
            return;
        };
        if part.part.flushes_or_deallocates() {
            self.outside(format!(
                "`{}` flushes, deallocates or forces unit access, and the model leaves out all but plain reads and writes",
                part.name
            ));
        }
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
        let load = self.in_driver((route, &of), load);
        self.is_closed = matches!(load.0, ArrivalLoad::Closed { .. });
        let copies = load.1;
        self.visits.clear();
        for (share, class) in &of.classes {
            let what = For {
                class: *class,
                times: *share,
                together: 1.0,
                in_background: false,
                copies,
                to_least: false,
                same_requests: false,
                is_even: false,
            };
            self.host(route.host, &of.shares, what);
        }
        let visits = std::mem::take(&mut self.visits);
        self.built.network.classes.push(Queued { name: part.name.clone(), load: load.0, copies, visits });
        self.built.held.push(load.2);
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
}

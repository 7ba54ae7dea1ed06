//! The requests that a driver has in flight: as many as its limit allows, and never one more.

use crate::common::load;
use sansim_component::NetworkModel;
use sansim_fc::frame::PduKind;
use sansim_fc::observation::Observation;
use sansim_fc::word::LinkItem;
use sansim_kernel::Time;
use sansim_observe::names::SystemNames;
use sansim_observe::observer::{Observer, WantedCalls};
use sansim_pdu::PortSight;
use sansim_request::Requests;
use sansim_simulator::build;
use sansim_simulator::run::RecordingOptions;

const TWO: &str = "scenarios/two-nodes.toml";
/// The number of requests that the workload always has in the system.
const DEPTH: u32 = 12;

/// An observer of the controller: the commands that it sends, the statuses that it receives, and its gauges.
struct Watch {
    names: SystemNames,
    /// The times at which the number of commands on the loop grew or shrank.
    steps: Vec<(Time, i64)>,
    outstanding: u32,
    waiting: u32,
}

impl Observer for Watch {
    fn wants(&self) -> WantedCalls {
        WantedCalls { ports: true, gauges: true, ..WantedCalls::default() }
    }

    fn at_port(&mut self, now: Time, station: usize, what: PortSight, _requests: &Requests) {
        let Some(what) = Observation::from_port_sight(what) else { return };
        match what {
            _ if station != 0 => {}
            Observation::SentItem(LinkItem::Frame(frame)) if frame.kind == PduKind::Command => {
                self.steps.push((now, 1));
            }
            Observation::ReceivedItem(LinkItem::Frame(frame)) if frame.kind == PduKind::Response => {
                self.steps.push((now, -1));
            }
            _ => {}
        }
    }

    fn at_gauge(&mut self, _now: Time, gauge: usize, value: u32) {
        match self.names.gauges[gauge].gauge.name {
            "outstanding" => self.outstanding = self.outstanding.max(value),
            "waiting" => self.waiting = self.waiting.max(value),
            _ => {}
        }
    }
}

/// The most commands that were on the loop or in the drive at a time, and the greatest values of the driver's gauges.
fn peaks(limit: u32, loop_model: NetworkModel) -> (i64, u32, u32) {
    let set = [
        format!("controller.driver.outstanding_limit={limit}"),
        format!("workload.queue_depth={DEPTH}"),
        "run.measured_ios=400".to_owned(),
        "run.warm_up=0".to_owned(),
    ];
    let set: Vec<&str> = set.iter().map(String::as_str).collect();
    let plan = build::plan_system(&load(TWO, &set), None, loop_model);
    let watch = Watch { names: plan.observer_names(), steps: Vec::new(), outstanding: 0, waiting: 0 };
    let (_, mut watch) = crate::common::watched(&plan, RecordingOptions::default(), watch).expect("it ends");
    // The fast loop announces frames before they arrive.
    watch.steps.sort_by_key(|(at, _)| *at);
    let out = watch.steps.iter().scan(0, |out, (_, step)| {
        *out += step;
        Some(*out)
    });
    (out.max().expect("commands"), watch.outstanding, watch.waiting)
}

#[test]
fn as_many_requests_are_under_way_as_the_limit_says_and_never_one_more() {
    for loop_model in [NetworkModel::Fast, NetworkModel::Reference] {
        for limit in [1, 2, 5, DEPTH - 1] {
            let waiting = DEPTH - limit;
            let found = peaks(limit, loop_model);
            assert_eq!(found, (i64::from(limit), limit, waiting), "limit {limit}, {loop_model:?}");
        }
        // No request waits where the limit allows all of them.
        for limit in [DEPTH, DEPTH + 1, 255] {
            let found = peaks(limit, loop_model);
            assert_eq!(found, (i64::from(DEPTH), DEPTH, 0), "limit {limit}, {loop_model:?}");
        }
    }
}

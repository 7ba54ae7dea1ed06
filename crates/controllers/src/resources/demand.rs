//! The demand of the jobs of a request at the resources of a controller. Each controller of a pair has all of the resources except the
//! link.

use super::{ControllerResourcePool, ProcessorQueues, ResourceParameters, resource};
use sansim_component::demand::{Demand, DemandContext, DemandServer, TimeDemand};

/// The names of the resources by their numbers, as in blocks.
const NAMES: [&str; resource::ALL] =
    ["controller_processors", "bridge", "system_bus", "controller_memory", "link"];

/// One server for each resource; of processors with queues of their own a server behind each.
pub(super) fn of(parameters: &ResourceParameters, around: &DemandContext<'_>) -> Demand {
    let mut takes = [(0.0, 0.0); resource::ALL];
    for job in around.jobs {
        let of_one = ControllerResourcePool::mean_and_variance_ns(parameters, job.module, job.bytes as u64);
        for (sum, (mean, variance)) in takes.iter_mut().zip(of_one) {
            *sum = (sum.0 + job.times * mean, sum.1 + job.times * variance);
        }
        takes[resource::PROCESSOR].0 += job.times * job.time_ns;
    }
    let server = |(number, name): (usize, &&'static str)| {
        let halves = if number == resource::LINK { 1 } else { around.halves };
        let is_processor = number == resource::PROCESSOR;
        let each = if is_processor { parameters.processors } else { 1 };
        let queues = if is_processor && parameters.processor_queues != ProcessorQueues::Shortest {
            parameters.processor_queues.queue_count(each)
        } else {
            1
        };
        let (mean, variance) = takes[number];
        let queues = if queues == 1 { 1 } else { halves * queues };
        DemandServer {
            name,
            servers: halves * each,
            queues,
            takes: TimeDemand::from_mean_and_variance(mean, variance),
        }
    };
    let less_because = (parameters.processor_queues == ProcessorQueues::InTurn && parameters.processors > 1)
        .then_some(
            "jobs that are dealt out to processors in turn arrive there more regularly than at random",
        );
    Demand { servers: NAMES.iter().enumerate().map(server).collect(), less_because, ..Demand::default() }
}

//! The demand of the jobs of a request at the resources of a controller. Each controller of a pair has all of the resources except the
//! link.

use super::{ResourceParameters, Resources, resource};
use sansim_component::demand::{Demand, DemandContext, DemandServer, Takes};
use sansim_kernel::Span;

/// The names of the resources by their numbers, as in blocks.
const NAMES: [&str; resource::ALL] =
    ["controller_processors", "bridge", "system_bus", "controller_memory", "link"];

/// The demand has one server for each resource.
pub(super) fn of(parameters: &ResourceParameters, around: &DemandContext<'_>) -> Demand {
    let mut takes_ns = [0.0; resource::ALL];
    for job in around.jobs {
        let of_one = Resources::takes(parameters, job.module, Span::ZERO, job.bytes as u64);
        for (sum, takes) in takes_ns.iter_mut().zip(of_one) {
            *sum += job.times * takes.as_ns_f64();
        }
        takes_ns[resource::PROCESSOR] += job.times * job.time_ns;
    }
    let server = |(number, name): (usize, &&'static str)| {
        let halves = if number == resource::LINK { 1 } else { around.halves };
        let each = if number == resource::PROCESSOR { parameters.processors } else { 1 };
        DemandServer { name, servers: halves * each, takes: Takes::fixed(takes_ns[number]) }
    };
    Demand { servers: NAMES.iter().enumerate().map(server).collect(), ..Demand::default() }
}

//! The demand of a request of an appliance at its processors: the cycles of the stages of its jobs, and the polls that find them.

use super::parameters::{ApplianceProcessors, StackParameters, StackProcessorParameters};
use sansim_component::Module;
use sansim_component::demand::{
    Demand, DemandBound, DemandContext, DemandServer, ResourceJobDemand, TimeDemand,
};

/// Whether a poll or an interrupt has to find a job of a module. Whether other jobs have to be found depends on their time: they continue
/// in line if another job of their request has just ended.
fn is_found(module: Module, write: bool) -> bool {
    match module {
        Module::Command | Module::SetUpSent => true,
        Module::Data => write,
        Module::Completion => !write,
        _ => false,
    }
}

/// Whether a job is the software part of a network. Without polls a job of a network need not be found: the cost of the network's
/// interrupts is among such jobs.
fn is_of_network(job: &ResourceJobDemand) -> bool {
    job.module == Module::Network
}

/// The demand of a request of an appliance at its processors.
pub(super) fn of(parameters: &StackProcessorParameters, around: &DemandContext<'_>) -> Demand {
    let write = around.jobs.iter().any(|job| job.module == Module::SetUpSent);
    let cycles = |job: &ResourceJobDemand| {
        let stages = StackParameters::stages(job.module).iter();
        let of_stage = |&stage| parameters.stack.cost(stage).cycles_for_bytes(job.bytes as u64) as f64;
        job.times * stages.map(of_stage).sum::<f64>()
    };
    let cycles: f64 = around.jobs.iter().map(cycles).sum();
    let own_ns: f64 = around.jobs.iter().map(|job| job.times * job.time_ns).sum();
    let found: f64 = around.jobs.iter().filter(|job| is_found(job.module, write)).map(|job| job.times).sum();
    let ns = |cycles: u64| parameters.model.time_of_cycles(cycles).as_ns_f64();
    let work_ns = cycles * ns(1_000_000) / 1e6 + own_ns;
    let (servers, takes_ns) = match &parameters.model {
        ApplianceProcessors::Polling(polling) => {
            let of_network = around.jobs.iter().filter(|job| is_of_network(job)).map(|job| job.times);
            let polls = found + of_network.sum::<f64>();
            (polling.most_threads, work_ns + polls * ns(polling.poll_cycles))
        }
        ApplianceProcessors::Interrupts(interrupts) => {
            // One interrupt may bring all waiting jobs.
            let learns_ns = match around.say {
                DemandBound::Least => 0.0,
                DemandBound::Mean => found * ns(interrupts.interrupt_cycles),
            };
            let left = 1.0 - interrupts.other_load.share.millionths as f64 / 1e6;
            (interrupts.count, (work_ns + learns_ns) / left)
        }
    };
    let linked = around.jobs.iter().filter(|job| job.module == Module::Link);
    let link_ns = linked.map(|job| job.times * parameters.link.takes(job.bytes as u64).as_ns_f64()).sum();
    let server =
        |name, servers, ns| DemandServer { name, servers, queues: 1, takes: TimeDemand::fixed_ns(ns) };
    Demand {
        servers: vec![
            server("stack_processors", servers * parameters.cluster.nodes as u32, takes_ns),
            server("node_link", 1, link_ns),
        ],
        ..Demand::default()
    }
}

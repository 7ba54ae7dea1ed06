//! The demand of a request of a host at its processors: the times of its submission and its completion, the software part of a network, and
//! the cost of detecting both.
//!
//! With polling the cost of detection is a poll for each piece of work. With interrupts the mean cost of detection is an interrupt per
//! completion; the least is none, for one interrupt brings all completions that are there. A network defines the cost of its interrupts
//! itself, so they are not added here. Other load reduces the speed of every processor.

use crate::ProcessorParameters;
use sansim_component::Module;
use sansim_component::demand::{Demand, DemandBound, DemandContext, ResourceJobDemand, TimeDemand};

/// The demand of a request at the processors of a host. The jobs of a request are the submission and the completion, and those of networks.
pub(crate) fn of(parameters: &ProcessorParameters, around: &DemandContext<'_>) -> Demand {
    let work_ns: f64 = around.jobs.iter().map(|job: &ResourceJobDemand| job.times * job.time_ns).sum();
    let works: f64 = around.jobs.iter().map(|job| job.times).sum();
    let (servers, takes_ns) = match parameters {
        ProcessorParameters::Processes(_) => (1, work_ns),
        ProcessorParameters::Polling(polling) => {
            (polling.threads, work_ns + works * polling.poll_time.as_ns_f64())
        }
        ProcessorParameters::Interrupts(interrupts) => {
            // Half of the jobs of a driver are completions.
            let own = around.jobs.iter().filter(|job| job.module != Module::Network);
            let works: f64 = own.map(|job| job.times).sum();
            let brought = interrupts.coalesced_completions.unwrap_or(1).max(1) as f64;
            let learns_ns = match around.say {
                DemandBound::Least => 0.0,
                DemandBound::Mean => works / 2.0 / brought * interrupts.interrupt_time.as_ns_f64(),
            };
            let left = 1.0 - interrupts.other_load.share.millionths as f64 / 1e6;
            (interrupts.count, (work_ns + learns_ns) / left)
        }
    };
    let coalesces = match parameters {
        ProcessorParameters::Interrupts(interrupts) => interrupts.coalesced_completions.unwrap_or(1) > 1,
        ProcessorParameters::Polling(_) | ProcessorParameters::Processes(_) => false,
    };
    let less_because = (coalesces && around.say == DemandBound::Mean).then_some(
        "completions wait for an interrupt that several share, for a time that depends on their rate",
    );
    Demand {
        less_because,
        ..Demand::single_server_demand("processors", servers, TimeDemand::fixed_ns(takes_ns))
    }
}

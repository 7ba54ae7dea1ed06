//! The demand of a request on PCI Express: the time of its packets on the link of its drive, in both directions.
//!
//! The links of all drives count as servers side by side, of which a request uses one. A command that alone is on its link waits for its
//! steps one after the other; the latencies at the ends are a delay.

use super::PcieParameters;
use super::packets::{PacketSizes, Step, list_bytes};
use sansim_component::demand::{Demand, DemandBound, DemandContext, DemandServer, RequestClass, TimeDemand};
use sansim_kernel::Span;

/// The demand of a request on PCI Express.
pub(super) fn of(parameters: &PcieParameters, class: &RequestClass, around: &DemandContext<'_>) -> Demand {
    let sizes = PacketSizes::new(parameters);
    let data = class.bytes as u64;
    let ns = |steps: &[Step]| {
        let bytes: u64 = steps.iter().map(|&step| sizes.link_bytes(step, data)).sum();
        bytes as f64 / parameters.link_rate() as f64 * 1e9
    };
    let list = list_bytes(data).is_some();
    let mut to_drive = vec![Step::Doorbell, Step::Entry];
    let mut from_drive = vec![Step::FetchEntry, Step::Completion];
    if list {
        to_drive.push(Step::List);
        from_drive.push(Step::FetchList);
    }
    if class.write {
        to_drive.push(Step::WriteData);
        from_drive.push(Step::AskData);
    } else {
        from_drive.push(Step::ReadData);
    }
    if !parameters.polled && parameters.coalescing_threshold == 1 {
        from_drive.push(Step::Interrupt);
    }
    let server = |name, ns| DemandServer { name, servers: 1, queues: 1, takes: TimeDemand::fixed_ns(ns) };
    // Doorbell, entry, completion (and interrupt), and data of a read or the request for those of a write pass the ends once, as do the
    // requests that memory answers.
    let mut passes = 4.0 + f64::from(u8::from(!parameters.polled)) + 1.0 + f64::from(u8::from(class.write));
    let mut reads = 1.0 + f64::from(u8::from(class.write));
    if list {
        passes += 2.0;
        reads += 1.0;
    }
    let delay_ns = passes * ns_of(parameters.latency) + reads * ns_of(parameters.memory_latency);
    let is_mean = around.say == DemandBound::Mean;
    let coalesces = !parameters.polled && parameters.coalescing_threshold > 1;
    Demand {
        servers: vec![server("pcie_out", ns(&to_drive)), server("pcie_back", ns(&from_drive))],
        delay_ns: if is_mean { delay_ns } else { 0.0 },
        less_because: (is_mean && coalesces).then_some(
            "completions wait for others before a controller interrupts, which the model leaves out",
        ),
        ..Demand::default()
    }
}

fn ns_of(span: Span) -> f64 {
    span.as_ns_f64()
}

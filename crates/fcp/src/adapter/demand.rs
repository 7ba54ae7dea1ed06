//! The demand of a request on an adapter: on its main processor, on the process that handles received frames, and on its
//! DMA. Each [`ExchangeUse`](super::ExchangeUse) gives the work of its end; the data that an initiator sends are received
//! by a target.

use super::AdapterParameters;
use sansim_component::demand::{Demand, DemandContext, DemandServer, RequestClass, TimeDemand};

/// The demand of a request on the adapter at one end; `initiates` says whether that end is the initiator.
pub(crate) fn of(
    parameters: &AdapterParameters,
    initiates: bool,
    class: &RequestClass,
    around: &DemandContext<'_>,
) -> Demand {
    let ns = |span: sansim_kernel::Span| span.as_ns_f64();
    let receives = initiates != class.write;
    // The control frames are FCP_RSP and FCP_XFER_RDY at an initiator, or FCP_CMND at a target.
    let control = if initiates { 1.0 + f64::from(u8::from(class.write)) } else { 1.0 };
    let data = if receives { around.frames.data_frame_count(class) } else { 0.0 };
    let answer = if initiates && class.write { ns(parameters.xfer_rdy_time) } else { 0.0 };
    let response = if initiates { 0.0 } else { ns(parameters.response_time) };
    let status = response + ns(parameters.completion_time);
    let processor_ns = ns(parameters.command_takes(class.write)) + answer + status;
    let frames_ns = ns(parameters.frame_time) * (control + data);
    let package = if initiates { parameters.request_bytes as f64 } else { 0.0 };
    let setups = if initiates { 2.0 } else { 1.0 };
    let moved_ns = parameters.dma_bandwidth.map_or(0.0, |rate| (class.bytes + package) / rate as f64 * 1e9);
    let dma_ns = moved_ns + setups * ns(parameters.dma_setup_time);
    // With two DMA engines each direction has its own; the engine that fetches the package makes no difference
    // to the sum of both.
    let engines = 1 + u32::from(parameters.dma_bidirectional);
    let server = |name, servers, takes_ns| DemandServer {
        name,
        servers,
        queues: 1,
        takes: TimeDemand::fixed_ns(takes_ns),
    };
    Demand {
        servers: vec![
            server("main_processor", 1, processor_ns),
            server("frame_process", 1, frames_ns),
            server("dma", engines, dma_ns),
        ],
        delay_ns: ns(parameters.single_frame_time),
        ..Demand::default()
    }
}

//! The demand of a command at a disk.
//!
//! The least demand is the transfer on the densest tracks: with the best order of commands the arm may already be in place, and the data
//! pass under it at once. If the least demand is less than half of the mean, the bound would be useless, and none is given. Buffer hits are
//! uncertain, so reads that may hit, and writes that the buffer may accept, have no least demand. The mean demand is that of typical
//! commands ([`sansim_disk::typical`]), which are at random places or follow each other; its variance is that of seek and latency.

use super::DiskDriveParameters;
use sansim_component::demand::{Demand, DemandBound, DemandContext, DemandServer, RequestClass, TimeDemand};
use sansim_disk::scheduling::CommandOrder;
use sansim_disk::typical::{self, TypicalCommands, TypicalService};
use sansim_disk::{BLOCK_BYTES, DiskParameters};
use sansim_kernel::Span;

/// The demand of a command at a disk.
pub(super) fn of(
    parameters: &DiskDriveParameters,
    class: &RequestClass,
    around: &DemandContext<'_>,
) -> Option<Demand> {
    let disk = &parameters.disk;
    let mechanics = disk.mechanics().ok()?;
    let blocks = (class.bytes / BLOCK_BYTES as f64).max(1.0);
    let block_transfer = if around.on_network { Span::ZERO } else { disk.block_transfer };
    let fits = disk.write_segments > 0 && blocks <= f64::from(disk.segment_blocks);
    let is_early = class.write && fits && disk.write_behind.unwrap_or(class.sequential);
    // A single write at a random place is on the medium before the next one needs the room.
    let of_medium = DiskParameters {
        block_transfer,
        write_behind: if class.sequential { disk.write_behind } else { Some(false) },
        ..disk.clone()
    };
    let commands = TypicalCommands {
        write: class.write,
        blocks: blocks.round() as u32,
        sequential: class.sequential,
        within: class
            .within
            .map_or(0..u64::MAX, |[first, end]| first / BLOCK_BYTES..end.div_ceil(BLOCK_BYTES)),
    };
    let typical = typical::service(&of_medium, &commands).ok()?;
    if around.say == DemandBound::Least {
        let may_be_in_buffer = if class.write { disk.write_behind != Some(false) } else { disk.segments > 0 };
        if may_be_in_buffer {
            return Some(Demand::mostly_uncertain("the buffer of a disk may serve the requests"));
        }
        let revolution_ns = mechanics.rotation.revolution_time().as_ns_f64();
        let densest = disk.zones.iter().map(|zone| f64::from(zone.sectors)).fold(1.0, f64::max);
        // Blocks pass the medium one by one, and go to the host one by one.
        let least_ns = (blocks / densest * revolution_ns).max(block_transfer.as_ns_f64() * blocks);
        let is_most = 2.0 * least_ns >= typical.mean_ns;
        let mostly_left_out =
            (!is_most).then_some("the seek time and the rotational latency of a disk are not certain");
        return Some(Demand {
            mostly_left_out,
            ..Demand::single_server_demand("arm", 1, TimeDemand::fixed_ns(least_ns))
        });
    }
    let less_in_queue =
        (disk.queue != CommandOrder::default()).then_some("a disk reorders its queue to shorten seeks");
    let takes = |typical: &TypicalService| TimeDemand {
        common: typical.common_ns2 / typical.variance_ns2.max(f64::MIN_POSITIVE),
        ..TimeDemand::from_mean_and_variance(typical.mean_ns, typical.variance_ns2)
    };
    let early = "a disk completes writes before they are on the medium";
    if !is_early {
        return Some(Demand { less_in_queue, ..Demand::single_server_demand("arm", 1, takes(&typical)) });
    }
    if class.sequential {
        let less_because = Some(early);
        return Some(Demand {
            less_because,
            less_in_queue,
            ..Demand::single_server_demand("arm", 1, takes(&typical))
        });
    }
    // The write is done when its data are in the buffer; then the arm takes them to the medium.
    let after = DiskParameters {
        block_transfer: Span::ZERO,
        write_overhead: Span::ZERO,
        write_overhead_after_read: Span::ZERO,
        ..of_medium
    };
    let after = DemandServer {
        name: "arm",
        servers: 1,
        queues: 1,
        takes: takes(&typical::service(&after, &commands).ok()?),
    };
    let into_buffer_ns = disk.write_overhead.as_ns_f64() + block_transfer.as_ns_f64() * blocks;
    Some(Demand {
        in_background: vec![after],
        less_if_closed: Some(early),
        less_in_queue,
        ..Demand::single_server_demand("arm", 1, TimeDemand::fixed_ns(into_buffer_ns))
    })
}

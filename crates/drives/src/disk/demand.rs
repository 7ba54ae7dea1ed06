//! The demand of a command at a disk.
//!
//! The least demand is the transfer on the densest tracks: with the best order of commands the arm may already be in place, and the data
//! pass under it at once. If the least demand is less than half of the mean, the bound would be useless, and none is given. Buffer hits are
//! uncertain, so reads that may hit, and writes that the buffer may accept, have no least demand. In the mean a command at a random
//! position has the mean seek and half a revolution; a command that follows the command before has neither.

use super::DiskDriveParameters;
use sansim_component::demand::{Demand, DemandBound, DemandContext, RequestClass, TimeDemand};
use sansim_disk::BLOCK_BYTES;
use sansim_disk::scheduling::CommandOrder;

/// The demand of a command at a disk.
pub(super) fn of(
    parameters: &DiskDriveParameters,
    class: &RequestClass,
    around: &DemandContext<'_>,
) -> Option<Demand> {
    let disk = &parameters.disk;
    let mechanics = disk.mechanics().ok()?;
    let revolution_ns = mechanics.rotation.revolution_time().as_ns_f64();
    let sectors = disk.zones.iter().map(|zone| f64::from(zone.sectors));
    let transfer_ns = |sectors: f64| class.bytes / BLOCK_BYTES as f64 / sectors * revolution_ns;
    let overhead = if class.write { disk.write_overhead } else { disk.read_overhead };
    let positioning_ns = if class.sequential {
        0.0
    } else {
        mechanics.seek.mean_seek_time().as_ns_f64() + 0.5 * revolution_ns
    };
    // Each zone counts as equally likely: that outer zones hold more data is left out.
    let mean_sectors = sectors.clone().sum::<f64>() / sectors.clone().count().max(1) as f64;
    let blocks = class.bytes / BLOCK_BYTES as f64;
    let to_host_ns = if around.on_network { 0.0 } else { disk.block_transfer.as_ns_f64() * blocks };
    // Data of a write come before the arm is in position, or the write waits for the last of the data; data of a read are sent while they
    // are read.
    let medium_ns = positioning_ns + transfer_ns(mean_sectors);
    let moved_ns = if class.write {
        medium_ns.max(to_host_ns + transfer_ns(mean_sectors))
    } else {
        positioning_ns + to_host_ns.max(transfer_ns(mean_sectors) + to_host_ns / blocks.max(1.0))
    };
    let takes_ns = overhead.as_ns_f64() + moved_ns;
    if around.say == DemandBound::Least {
        let may_be_in_buffer = if class.write { disk.write_behind != Some(false) } else { disk.segments > 0 };
        if may_be_in_buffer {
            return Some(Demand::mostly_uncertain("the buffer of a disk may serve the requests"));
        }
        // Blocks pass the medium one by one, and go to the host one by one.
        let least_ns = transfer_ns(sectors.fold(1.0, f64::max)).max(to_host_ns);
        let is_most = 2.0 * least_ns >= takes_ns;
        let mostly_left_out =
            (!is_most).then_some("the seek time and the rotational latency of a disk are not certain");
        return Some(Demand {
            mostly_left_out,
            ..Demand::single_server_demand("arm", 1, TimeDemand::fixed_ns(least_ns))
        });
    }
    let less_because = if disk.queue != CommandOrder::default() {
        Some("a disk reorders its queue to shorten seeks")
    } else if class.write && disk.write_behind != Some(false) {
        Some("a disk completes writes before they are on the medium")
    } else {
        None
    };
    Some(Demand { less_because, ..Demand::single_server_demand("arm", 1, TimeDemand::fixed_ns(takes_ns)) })
}

//! The demand of a command at a flash drive: its controller, the link, channels and dies.
//!
//! The least demand is common to all commands: the interval between commands in the controller, its overhead, and the time of the command's
//! bytes on the link. Channels and dies add nothing to the least demand: a read of a page that was never written needs neither, and the
//! buffer may have the data. For the mean, a read is of written pages, of which the dies and channels work on several at a time, and closed
//! forms for uniformly random writes give the programs and copies of a write ([`sansim_flash::formulas`]); planes that work together count
//! as so many dies.

use super::FlashDriveParameters;
use sansim_component::demand::{Demand, DemandBound, DemandContext, DemandServer, RequestClass, TimeDemand};
use sansim_flash::formulas;
use sansim_flash::parameters::PlaneParallelism;

/// The share of a drive that makes no difference.
const HARDLY_ANY: f64 = 1e-3;

/// The demand of a command at a flash drive: its controller, the link, channels and dies.
pub(super) fn of(
    parameters: &FlashDriveParameters,
    class: &RequestClass,
    around: &DemandContext<'_>,
) -> Demand {
    let flash = &parameters.flash;
    let interval_ns = flash.command_interval.as_ns_f64();
    let link_ns = flash.link_rate.map_or(0.0, |rate| class.bytes / rate as f64 * 1e9);
    let server =
        |name, servers, ns| DemandServer { name, servers, queues: 1, takes: TimeDemand::fixed_ns(ns) };
    let mut demand = Demand {
        servers: vec![server("flash_controller", 1, interval_ns), server("link", 1, link_ns)],
        // The overhead of a command overlaps with other commands; the interval between commands is a part of the overhead where it is
        // shorter.
        delay_ns: (flash.command_overhead.as_ns_f64() - interval_ns).max(0.0),
        ..Demand::default()
    };
    if around.say == DemandBound::Least {
        demand.less_because = Some("a flash drive may serve requests without its dies");
        return demand;
    }
    let pages = (class.bytes / flash.page as f64).max(1.0);
    let on_channel_ns = |pages: f64, bytes: f64| {
        pages * flash.command_time.as_ns_f64() + bytes / flash.channel_rate as f64 * 1e9
    };
    let (die_ns, channel_ns) = if class.write {
        let written = written_for_each(parameters);
        let copied = written - 1.0;
        let programs_ns = written * flash.program_time.as_ns_f64() + copied * flash.read_time.as_ns_f64();
        let erases_ns = written / f64::from(flash.pages) * flash.erase_time.as_ns_f64();
        // Copied pages pass the channel twice, once when they are read and once when they are written.
        let times = written + copied;
        (pages * (programs_ns + erases_ns), times * on_channel_ns(pages, class.bytes))
    } else {
        let there = written_before(parameters);
        (there * pages * flash.read_time.as_ns_f64(), there * on_channel_ns(pages, class.bytes))
    };
    if class.write && parameters.fill >= 1.0 {
        demand.less_because =
            Some("garbage collection of a flash drive comes in bunches, behind which requests wait");
    }
    if class.write && flash.slc_cache.is_some() {
        demand.less_because =
            Some("a flash drive has an SLC cache, which is faster until it is full, and is emptied later");
    }
    if !class.write && (HARDLY_ANY..1.0 - HARDLY_ANY).contains(&written_before(parameters)) {
        demand.less_because = Some("part of a flash drive was never written, and reads of it need no flash");
    }
    let dies = flash.channels * flash.chips * if flash.interleaving { flash.dies } else { 1 };
    let planes = if flash.plane_operations == PlaneParallelism::Single { 1 } else { flash.planes };
    let of_flash = [("dies", dies * planes, die_ns), ("channels", flash.channels, channel_ns)];
    if class.write && flash.buffer.is_some() {
        // The buffer answers a write, so a write has the latency of the buffer.
        demand.delay_ns += flash.buffer_latency.as_ns_f64();
        demand.in_background.extend(of_flash.map(|(name, servers, ns)| server(name, servers, ns)));
        return demand;
    }
    // The pages of a command are on consecutive channels and dies, which work side by side: the command waits for the channel or die with
    // the most pages, and the work of the others only adds to their utilisation.
    for (name, servers, ns) in of_flash {
        let longest_ns = ns / pages * (pages / f64::from(servers)).ceil().min(pages);
        demand.servers.push(server(name, servers, longest_ns));
        if longest_ns < ns {
            demand.in_background.push(server(name, servers, ns - longest_ns));
        }
    }
    demand
}

/// The share of a drive that was written before the run: in order from its beginning, and then at random, where each place is left out by
/// chance.
fn written_before(parameters: &FlashDriveParameters) -> f64 {
    1.0 - (1.0 - parameters.precondition.millionths as f64 / 1e6) * (-parameters.fill).exp()
}

/// The number of pages that are programmed for one page of a host: more than one where garbage is collected, which does not happen in a
/// drive that was not overwritten before the run.
fn written_for_each(parameters: &FlashDriveParameters) -> f64 {
    let spare = parameters.flash.over_provisioning.millionths as f64 / 1e6;
    if parameters.fill < 1.0 { 1.0 } else { formulas::fifo_write_amplification(spare).max(1.0) }
}

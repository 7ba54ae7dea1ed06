//! The demand of a command at a flash drive: its controller, the link, channels and dies.
//!
//! The least is common to all commands: the interval between commands in the controller, its overhead, and its bytes on the link. Channels and dies
//! add nothing certain: a read of a page that was never written takes no time there, and the buffer may have the data. In the mean a read is of
//! written pages, and closed forms for uniformly random writes give the programs and copies of a write ([`sansim_flash::formulas`]); planes that work
//! together count as dies that do.

use super::FlashDriveParameters;
use sansim_component::demand::{Demand, DemandContext, DemandServer, RequestClass, Say, Takes};
use sansim_flash::formulas;
use sansim_flash::parameters::Planes;

/// See the module text.
pub(super) fn of(
    parameters: &FlashDriveParameters,
    class: &RequestClass,
    around: &DemandContext<'_>,
) -> Demand {
    let flash = &parameters.flash;
    let interval_ns = flash.command_interval.as_ns_f64();
    let link_ns = flash.link_rate.map_or(0.0, |rate| class.bytes / rate as f64 * 1e9);
    let server = |name, servers, ns| DemandServer { name, servers, takes: Takes::fixed(ns) };
    let mut demand = Demand {
        servers: vec![server("flash_controller", 1, interval_ns), server("link", 1, link_ns)],
        // The overhead passes beside others; the interval is a part of it where it is shorter.
        delay_ns: (flash.command_overhead.as_ns_f64() - interval_ns).max(0.0),
        ..Demand::default()
    };
    if around.say == Say::Least {
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
        // Copied pages pass the channel twice.
        let times = written + copied;
        (pages * (programs_ns + erases_ns), times * on_channel_ns(pages, class.bytes))
    } else {
        let there = parameters.precondition.millionths as f64 / 1e6;
        (there * pages * flash.read_time.as_ns_f64(), there * on_channel_ns(pages, class.bytes))
    };
    let dies = flash.channels * flash.chips * if flash.interleaving { flash.dies } else { 1 };
    let planes = if flash.plane_operations == Planes::Single { 1 } else { flash.planes };
    let of_flash = [server("dies", dies * planes, die_ns), server("channels", flash.channels, channel_ns)];
    if class.write && flash.buffer.is_some() {
        // The buffer answers.
        demand.delay_ns += flash.buffer_latency.as_ns_f64();
        demand.in_background.extend(of_flash);
    } else {
        demand.servers.extend(of_flash);
    }
    demand
}

/// Pages that are programmed for one of a host: more than one where garbage is collected, which a drive does not that was not overwritten before the run.
fn written_for_each(parameters: &FlashDriveParameters) -> f64 {
    let spare = parameters.flash.over_provisioning.millionths as f64 / 1e6;
    if parameters.fill < 1.0 { 1.0 } else { formulas::fifo_write_amplification(spare).max(1.0) }
}

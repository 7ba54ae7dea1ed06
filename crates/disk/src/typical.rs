//! The service time of commands of one kind at a disk by itself, in the mean over the places of the commands, and its variance.
//!
//! No formula has all of seek curve, zones, skew, zero-latency access, settling and the buffer. A disk therefore serves a few hundred
//! commands here, one after the other: each comes when the one before is done. Places and pauses are those of Halton sequences, which
//! spread more evenly than random ones (Halton, Numerische Mathematik 2, 1960).

use crate::command::{DiskCommand, ServedCommand};
use crate::disk::Disk;
use crate::parameters::DiskParameters;
use sansim_kernel::{RandomStream, Span, Time};
use std::ops::Range;

/// The number of commands at random places.
const AT_RANDOM: u32 = 512;
/// The number of sequences, evenly spread over the blocks, and the number of commands of each that are counted.
const SEQUENCES: u64 = 4;
const OF_A_SEQUENCE: u64 = 96;
/// The number of commands of a sequence that come before those that are counted, so that the buffer is as full as later.
const BEFORE: u64 = 32;

/// Commands of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypicalCommands {
    /// Whether the commands write.
    pub write: bool,
    /// The blocks of each command.
    pub blocks: u32,
    /// Whether each command begins where the command before ends; otherwise any place is as likely as another.
    pub sequential: bool,
    /// The blocks among which the commands are.
    pub within: Range<u64>,
}

/// The service time of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TypicalService {
    /// The mean, in nanoseconds.
    pub mean_ns: f64,
    /// The variance, in square nanoseconds.
    pub variance_ns2: f64,
    /// The variance without the rotational latency: it is the same at disks that serve the same commands, with their platters at any angle.
    pub common_ns2: f64,
}

/// The service time of such commands, from the arrival at an idle disk until the command is done.
///
/// # Errors
/// A sentence that says what is wrong with the parameters.
pub fn service(parameters: &DiskParameters, commands: &TypicalCommands) -> Result<TypicalService, String> {
    let served = served(parameters, commands)?;
    let moments = |of: &dyn Fn(&ServedCommand) -> Span| {
        let times = || served.iter().map(|one| of(one).as_ns_f64());
        let count = served.len().max(1) as f64;
        let mean = times().sum::<f64>() / count;
        (mean, times().map(|ns| (ns - mean) * (ns - mean)).sum::<f64>() / count)
    };
    let (mean_ns, variance_ns2) = moments(&|one| one.done - one.command.arrival);
    let (_, common_ns2) =
        moments(&|one| (one.done - one.command.arrival).saturating_sub(one.transfer_begin - one.seek_end));
    Ok(TypicalService { mean_ns, variance_ns2, common_ns2: common_ns2.min(variance_ns2) })
}

/// Typical commands as they are served.
fn served(parameters: &DiskParameters, commands: &TypicalCommands) -> Result<Vec<ServedCommand>, String> {
    // The angle of the platters at the start makes no difference to a mean over places.
    let disk = Disk::new(parameters, &mut RandomStream::new(0, "typical"))?;
    let end = commands.within.end.min(disk.capacity());
    let blocks = u64::from(commands.blocks.max(1)).min(disk.capacity());
    let first = commands.within.start.min(end.saturating_sub(blocks));
    let places = end.saturating_sub(blocks).max(first) - first + 1;
    let mut times = Vec::new();
    if commands.sequential {
        let all = (places / blocks.max(1) + 1).min(BEFORE + OF_A_SEQUENCE);
        for sequence in 0..SEQUENCES {
            let mut disk = disk.clone();
            let begin = first + places.saturating_sub(all * blocks) * sequence / (SEQUENCES - 1);
            let mut now = Time::ZERO;
            for number in 0..all {
                let lbn = begin + number * blocks;
                let Some(one) = serve(&mut disk, commands.write, (lbn, blocks), now) else { break };
                now = one.done;
                if number >= BEFORE.min(all / 2) {
                    times.push(one);
                }
            }
        }
        return Ok(times);
    }
    let mut disk = disk;
    let revolution = disk.mechanics().rotation.revolution_time();
    let mut now = Time::ZERO;
    for number in 0..AT_RANDOM {
        let (step, base) = (number / 2 + 1, 2 + number % 2);
        let lbn = first + (halton(step, base) * places as f64) as u64;
        let Some(one) = serve(&mut disk, commands.write, (lbn, blocks), now) else { break };
        times.push(one);
        now = one.done + Span::from_ns_f64(halton(number + 1, 5) * revolution.as_ns_f64());
    }
    Ok(times)
}

/// The outcome of a command that comes to an idle disk.
fn serve(disk: &mut Disk, write: bool, (lbn, blocks): (u64, u64), arrival: Time) -> Option<ServedCommand> {
    disk.submit_command(DiskCommand {
        id: 0,
        write,
        force_unit_access: false,
        lbn,
        blocks: blocks as u32,
        arrival,
    })
    .ok()?;
    disk.begin_command(disk.next_event())
}

/// The member of the Halton sequence of a base: its digits behind the point, in reverse.
fn halton(mut number: u32, base: u32) -> f64 {
    let (mut value, mut unit) = (0.0, 1.0);
    while number > 0 {
        unit /= f64::from(base);
        value += unit * f64::from(number % base);
        number /= base;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets::Preset;

    fn of(parameters: &DiskParameters, write: bool, blocks: u32, sequential: bool) -> TypicalService {
        let commands = TypicalCommands { write, blocks, sequential, within: 0..u64::MAX };
        service(parameters, &commands).unwrap()
    }

    #[test]
    fn a_single_block_at_random_takes_a_mean_seek_and_half_a_revolution() {
        let drive = DiskParameters::of(Preset::Cheetah15k5);
        let mechanics = drive.mechanics().unwrap();
        let revolution = mechanics.rotation.revolution_time().as_ns_f64();
        // Outer cylinders have more blocks, so seeks are a little shorter than between any two cylinders.
        let seek = mechanics.seek.mean_seek_time().as_ns_f64();
        let one = of(&drive, false, 1, false);
        assert!((one.mean_ns - seek - 0.5 * revolution).abs() < 0.04 * one.mean_ns, "{one:?}");
        // The latency alone has the variance of a uniform time of a revolution.
        assert!(one.variance_ns2 > 0.9 * revolution * revolution / 12.0, "{one:?}");
        // Seeks are the same at disks with the same commands, and the latencies are not.
        let latency = one.variance_ns2 - one.common_ns2;
        assert!((latency * 12.0 / revolution / revolution - 1.0).abs() < 0.25, "{one:?}");
        let settle = of(&drive, true, 1, false).mean_ns - one.mean_ns;
        assert!(
            (settle - drive.write_settle.as_ns_f64()).abs() < 0.1 * revolution,
            "a write settles: {settle}"
        );
    }

    #[test]
    fn a_stream_is_as_quick_as_the_tracks_unless_its_writes_come_late() {
        let drive = DiskParameters::of(Preset::Cheetah15k5);
        let mechanics = drive.mechanics().unwrap();
        let within = 0..1_000_000;
        let commands =
            TypicalCommands { write: false, blocks: 512, sequential: true, within: within.clone() };
        let read = service(&drive, &commands).unwrap().mean_ns;
        let least = mechanics.sequential_time(0, within.end).as_ns_f64() * 512.0 / within.end as f64;
        assert!((read / least - 1.0).abs() < 0.05, "{read} {least}");
        // A write that comes when its first block has just passed waits for it to come round.
        let late = DiskParameters { write_overhead: Span::from_us(20), ..drive };
        let write = service(&late, &TypicalCommands { write: true, blocks: 8, ..commands }).unwrap().mean_ns;
        let revolution = mechanics.rotation.revolution_time().as_ns_f64();
        // Zero-latency access begins in the middle of it, and is a little quicker than a revolution.
        assert!(write > 0.8 * revolution && write < 1.05 * revolution, "{write}");
    }

    #[test]
    fn commands_within_few_blocks_have_short_seeks() {
        let drive = DiskParameters::of(Preset::Cheetah15k5);
        let near = TypicalCommands { write: false, blocks: 8, sequential: false, within: 0..1_000_000 };
        let all = TypicalCommands { within: 0..u64::MAX, ..near.clone() };
        let [near, all] = [near, all].map(|commands| service(&drive, &commands).unwrap().mean_ns);
        assert!(near < 0.7 * all, "{near} {all}");
    }
}

//! Measures how many I/Os of a trace in memory a disk serves per second of wall time: `cargo run --release -p sansim-disk --example
//! disk_speed`.

use sansim_disk::alone::{CommandSums, serve_commands};
use sansim_disk::{Disk, DiskCommand, DiskParameters};
use sansim_kernel::{RandomStream, Span, Time};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;
use std::time::Instant;

const COMMANDS: u64 = 2_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let fast = "write_behind = true";
    for (name, keys, rate, sequential) in [
        ("random, FCFS", "", 80.0, false),
        ("random, FCFS, write-behind", fast, 80.0, false),
        ("sequential, FCFS, read-ahead", "", 800.0, true),
        ("random, C-LOOK", "[queue]\norder = \"c-look\"", 120.0, false),
        ("random, SPTF", "[queue]\norder = \"sptf\"", 120.0, false),
    ] {
        let parameters =
            DiskParameters::from_toml(keys, &Facts::default()).map_err(|report| report.to_string())?;
        let mut disk = Disk::new(&parameters, &mut RandomStream::new(1, "phase"))?;
        let (mut random, last) = (RandomStream::new(1, "trace"), disk.capacity() - 8);
        let mut arrival = Time::ZERO;
        let trace: Vec<DiskCommand> = (0..COMMANDS)
            .map(|id| {
                arrival += Span::from_ns_f64(random.exponential(1e9 / rate));
                let lbn = if sequential { id * 8 % last } else { random.draw_below(last) };
                DiskCommand {
                    id,
                    write: !sequential && id % 3 == 0,
                    force_unit_access: false,
                    lbn,
                    blocks: 8,
                    arrival,
                }
            })
            .collect();
        let mut sums = CommandSums::default();
        let begun = Instant::now();
        serve_commands(&mut disk, trace, |_, served| sums.add(served))?;
        let rate = COMMANDS as f64 / begun.elapsed().as_secs_f64();
        println!(
            "{name:<30} {rate:>12.0} I/Os per second, mean response {:.3} ms",
            sums.mean_ms(sums.response)
        );
    }
    Ok(())
}

//! Measures the I/Os per wall second of one flash drive on one core, and its memory: `cargo run --release -p sansim-flash --example
//! flash_speed [I/Os [PART OF A LOAD'S NAME]]`. The targets are 1,000,000 I/Os per second, and 64 MB with 8 bytes for each unit that the
//! run has written.

use sansim_flash::{CommandKind, FlashCommand, FlashDrive, FlashParameters};
use sansim_kernel::RandomStream;
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;
use std::time::Instant;

const KIB: u64 = 1_024;

/// The drive is a 32nd of MQSim's device, with more spare.
const STEADY: &str = "blocks = 64\nover_provisioning = \"28 %\"\ngc_start = \"2 %\"";

/// The resident memory of this process in bytes, where the operating system reports it.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(text.split_whitespace().nth(1)?.parse::<u64>().ok()? * 4 * KIB)
}

fn fresh(text: &str) -> FlashDrive {
    let keys =
        FlashParameters::from_toml(text, &Facts::default()).unwrap_or_else(|report| panic!("{report}"));
    FlashDrive::new(&keys, RandomStream::new(1, "victims")).unwrap_or_else(|wrong| panic!("{wrong}"))
}

fn main() {
    let count = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(3_000_000_u64);
    let chosen = std::env::args().nth(2).unwrap_or_default();
    let before = resident().unwrap_or(0);
    for (what, keys, bytes, reads, passes) in [
        ("4 KiB random reads, MQSim's device", "", 4 * KIB, 1.0, 0),
        ("4 KiB random, 70 % reads, pages of 4 KiB", "page = \"4 KiB\"\nblocks = 4096", 4 * KIB, 0.7, 0),
        ("8 KiB random, 70 % reads, MQSim's device", "", 8 * KIB, 0.7, 0),
        ("8 KiB random writes, MQSim's device", "", 8 * KIB, 0.0, 0),
        ("8 KiB random, 70 % reads, garbage collected all the time", STEADY, 8 * KIB, 0.7, 3),
    ] {
        if !what.contains(&chosen) {
            continue;
        }
        let mut drive = fresh(keys);
        let span = if passes > 0 { drive.capacity() } else { drive.capacity() * 3 / 4 };
        drive.precondition(span).unwrap_or_else(|why| panic!("{why}"));
        let fresh_memory = resident().unwrap_or(0) - before;
        let mut random = RandomStream::new(1, "places");
        for _ in 0..passes * (span / bytes) {
            let first_byte = random.draw_below(span / bytes) * bytes;
            drive
                .apply_initial_write(CommandKind::Write, first_byte, bytes)
                .unwrap_or_else(|why| panic!("{why}"));
        }
        let warm = drive.write_counts();
        let start = Instant::now();
        let (mut submitted, mut done) = (0, 0);
        let mut ready = 64;
        while done < count {
            let now = drive.current_time();
            for _ in 0..ready {
                let kind = if random.chance(reads) { CommandKind::Read } else { CommandKind::Write };
                let first_byte = random.draw_below(span / bytes) * bytes;
                let command = FlashCommand { tag: submitted, kind, first_byte, bytes };
                drive.submit_command(now, command).unwrap_or_else(|why| panic!("{why}"));
                submitted += 1;
            }
            ready = 0;
            let next = drive.next_event();
            drive.advance_to(next, |_| ready += 1);
            done += ready;
        }
        let wall = start.elapsed().as_secs_f64();
        let (base, added) = drive.mapping().memory_bytes();
        let (written, now) = (drive.write_counts(), drive.write_counts().difference_since(warm));
        println!(
            "{what}: {:.2} million I/Os per wall second ({:.0} per simulated second, write amplification {:.2})",
            done as f64 / wall / 1e6,
            done as f64 / drive.current_time().as_s_f64(),
            now.write_amplification()
        );
        println!(
            "    {:.1} MB fresh ({:.1} resident), {:.1} MB for {} units written: {:.2} B each",
            base as f64 / 1e6,
            fresh_memory as f64 / 1e6,
            added as f64 / 1e6,
            written.by_hosts + written.copied,
            added as f64 / (written.by_hosts + written.copied).max(1) as f64
        );
    }
}

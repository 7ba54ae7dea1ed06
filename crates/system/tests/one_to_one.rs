//! Wang 2005, section 5.2.1: one initiator and one target, full duplex, queue depths and mixtures (W-O01 to W-O09).
//!
//! The figures 5.5 and 5.6 reach us without their curves, so these are orderings and thresholds. MB is 2^20 bytes, as
//! everywhere in the thesis. `cargo test -p sansim-system --test one_to_one -- --nocapture` prints the figures.

mod common;

use common::{load, run};
use sansim_system::simulation::{NoObserver, Simulation};
use std::sync::OnceLock;

const FILE: &str = "scenarios/two-nodes.toml";
/// I/O sizes in bytes: figures 5.5 and 5.6 go from 0.5 to 512 KB, the text of 5.2.1 to 1 MB.
const SIZES: [u64; 12] = [
    512,
    1 << 10,
    2 << 10,
    4 << 10,
    8 << 10,
    16 << 10,
    32 << 10,
    64 << 10,
    128 << 10,
    256 << 10,
    512 << 10,
    1 << 20,
];
const DEPTHS: [u32; 5] = [1, 2, 4, 8, 32];

/// Workloads in the order of [`MIXES`].
const WRITE: usize = 0;
const HALF: usize = 1;
const TWO_THIRDS: usize = 2;
const READ: usize = 3;
const MIXES: [f64; 4] = [0.0, 0.5, 0.66, 1.0];

/// Throughput in MiB/s by depth, mix and size.
type Grid = Vec<[[f64; SIZES.len()]; MIXES.len()]>;

fn throughput(size: u64, read_fraction: f64, depth: u32) -> f64 {
    // Enough I/Os for a mixture to be one: about 25 000 frames, and never fewer than 300 I/Os.
    let ios = (25_000 * 2048 / size.max(2048)).clamp(300, 3000);
    let sets = [
        format!("workload.size={size} B"),
        format!("workload.read_fraction={read_fraction:?}"),
        format!("workload.queue_depth={depth}"),
        format!("run.measured_ios={ios}"),
        "run.warm_up=10".to_owned(),
    ];
    let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
    run(FILE, &sets).bytes_per_second / f64::from(1 << 20)
}

/// Both figures, simulated once for all tests of this file.
fn figures() -> &'static Grid {
    static GRID: OnceLock<Grid> = OnceLock::new();
    GRID.get_or_init(|| {
        DEPTHS.iter().map(|&depth| MIXES.map(|mix| SIZES.map(|size| throughput(size, mix, depth)))).collect()
    })
}

#[test]
fn print() {
    for (d, depth) in DEPTHS.iter().enumerate() {
        for (m, mix) in MIXES.iter().enumerate() {
            print!("QD {depth:2} read {mix:4}:");
            for v in figures()[d][m] {
                print!(" {v:7.2}");
            }
            println!();
        }
    }
}

//! Wang 2005, section 5.2.1: one initiator and one target, full duplex, with several queue depths and mixtures
//! (W-O01 to W-O09).
//!
//! The figures 5.5 and 5.6 are available without their curves, so the targets are orderings and thresholds. MB is 2^20
//! bytes, as everywhere in the thesis; a link of 100 MB/s in the thesis carries 98.4 of these at most (2048 bytes in 527
//! words).
//!
//! `cargo test -p sansim-simulator --test system -- one_to_one:: --nocapture` prints the figures.

use crate::common::conserved::PortWatch;
use crate::common::{load, mib_per_s, run_sets};
use sansim_component::NetworkModel;
use sansim_simulator::build;
use sansim_simulator::run::RecordingOptions;
use sansim_simulator::simulation::Simulation;
use std::sync::OnceLock;

const FILE: &str = "scenarios/two-nodes.toml";
/// The most that one direction of the link carries, in MiB/s: 2048 bytes in 527 words of 40 / 1.0625 ns.
const CEILING: f64 = 2048.0 / (527.0 * 40.0 / 1.0625) * 1e9 / (1 << 20) as f64;

/// The read fractions, and their places in this list.
const MIXES: [f64; 4] = [0.0, 0.5, 0.66, 1.0];
const WRITE: usize = 0;
const HALF: usize = 1;
const TWO_THIRDS: usize = 2;
const READ: usize = 3;
const PURE: [usize; 2] = [WRITE, READ];
const MIXED: [usize; 2] = [HALF, TWO_THIRDS];

const DEPTHS: [u32; 5] = [1, 2, 4, 8, 32];
/// The I/O sizes in KiB of figures 5.5 and 5.6.
const SIZES: [f64; 6] = [0.5, 2.0, 8.0, 32.0, 128.0, 512.0];

fn small() -> impl Iterator<Item = usize> {
    (0..SIZES.len()).filter(|&size| SIZES[size] <= 2.0)
}

fn large() -> impl Iterator<Item = usize> {
    (0..SIZES.len()).filter(|&size| SIZES[size] >= 128.0)
}

/// Throughput in MiB/s.
fn throughput(size_kib: f64, read_fraction: f64, depth: u32, full_duplex: bool) -> f64 {
    // The run has about 20 000 data frames, but enough I/Os for a mixture. Pure workloads repeat themselves,
    // so few I/Os suffice.
    let mixed = read_fraction > 0.0 && read_fraction < 1.0;
    let ios = if mixed { (40_000.0 / size_kib).clamp(500.0, 3000.0) } else { 100.0 };
    let summary = run_sets(
        FILE,
        &[
            format!("workload.size={} B", size_kib * 1024.0),
            format!("workload.read_fraction={read_fraction:?}"),
            format!("workload.queue_depth={depth}"),
            format!("controller.port.full_duplex={full_duplex}"),
            format!("drive.port.full_duplex={full_duplex}"),
            format!("run.measured_ios={ios:.0}"),
            "run.warm_up=5".to_owned(),
        ],
    );
    mib_per_s(&summary)
}

/// Throughput in MiB/s by depth, mix and size.
struct Figures([[[f64; SIZES.len()]; MIXES.len()]; DEPTHS.len()]);

impl Figures {
    /// The value at a depth of [`DEPTHS`], a place of [`MIXES`] and a place of [`SIZES`].
    fn at(&self, depth: u32, mix: usize, size: usize) -> f64 {
        let depth = DEPTHS.iter().position(|&d| d == depth).expect("a simulated depth");
        self.0[depth][mix][size]
    }

    fn gain(&self, from: u32, to: u32, mix: usize, size: usize) -> f64 {
        self.at(to, mix, size) / self.at(from, mix, size) - 1.0
    }
}

/// Both figures of the thesis, simulated once for all tests of this file.
fn figures() -> &'static Figures {
    static FIGURES: OnceLock<Figures> = OnceLock::new();
    FIGURES.get_or_init(|| {
        let figures =
            DEPTHS.map(|depth| MIXES.map(|mix| SIZES.map(|size| throughput(size, mix, depth, true))));
        println!("MiB/s for I/Os of {SIZES:?} KiB");
        for (depth, by_mix) in DEPTHS.iter().zip(&figures) {
            for (mix, by_size) in MIXES.iter().zip(by_mix) {
                println!("queue depth {depth:2}, read {mix:4}: {by_size:7.2?}");
            }
        }
        Figures(figures)
    })
}

/// The name of a point of the figures in messages.
fn label(mix: usize, size: usize) -> String {
    format!("{} KiB, read fraction {}", SIZES[size], MIXES[mix])
}

#[test]
fn at_queue_depth_1_throughput_approaches_the_link_rate_with_size_and_stays_below() {
    // The test checks W-O01.
    let figures = figures();
    let last = SIZES.len() - 1;
    for (mix, read_fraction) in MIXES.into_iter().enumerate() {
        for size in 0..SIZES.len() {
            assert!(figures.at(1, mix, size) < CEILING, "{}", label(mix, size));
            assert!(
                size == 0 || figures.at(1, mix, size) > figures.at(1, mix, size - 1),
                "{}",
                label(mix, size)
            );
        }
        let mebibyte = throughput(1024.0, read_fraction, 1, true);
        println!("W-O01 1 MiB, read fraction {read_fraction}: {mebibyte:.2} of {CEILING:.2} MiB/s");
        assert!(mebibyte > figures.at(1, mix, last) && mebibyte < CEILING);
        assert!(mebibyte > if mix == READ { 0.95 } else { 0.85 } * CEILING);
    }
}

#[test]
fn at_queue_depth_1_reads_lead_then_mixtures_then_writes() {
    // W-O02: a write has one more phase, FCP_XFER_RDY.
    for (size, kib) in SIZES.iter().enumerate() {
        let by_mix = [WRITE, HALF, TWO_THIRDS, READ].map(|mix| figures().at(1, mix, size));
        assert!(by_mix.is_sorted_by(|a, b| a < b), "{kib} KiB: {by_mix:?}");
    }
}

#[test]
fn an_io_of_a_mebibyte_has_512_data_frames() {
    // The test checks W-O03.
    for read_fraction in ["0.0", "1.0"] {
        let fraction = format!("workload.read_fraction={read_fraction}");
        let sets = ["workload.size=1 MiB", "run.measured_ios=8", "run.warm_up=1", &fraction];
        let plan = build::plan_system(&load(FILE, &sets), None, NetworkModel::Fast);
        let mut watch = PortWatch::new(&plan);
        let mut simulation = Simulation::new(&plan, RecordingOptions::default(), Some(&mut watch));
        while simulation.run_events(1 << 16) {}
        let completed = simulation.balance_counts().completed;
        let [_commands, _transfer_readies, data, ..] = watch.sent;
        assert_eq!(data, 512 * completed);
    }
}

#[test]
fn full_duplex_brings_little_to_small_mixtures_at_queue_depth_2() {
    // The test checks W-O04.
    for mix in MIXED {
        for size in small() {
            let half_duplex = throughput(SIZES[size], MIXES[mix], 2, false);
            let gain = figures().at(2, mix, size) / half_duplex - 1.0;
            println!("W-O04 {}: full duplex brings {:.1} %", label(mix, size), gain * 100.0);
            assert!(gain.abs() < 0.1, "{}: {gain}", label(mix, size));
            assert!(figures().at(2, mix, size) < figures().at(2, READ, size));
        }
    }
}

#[test]
fn large_mixtures_exceed_one_direction_of_the_link_and_the_more_so_the_deeper_the_queue() {
    // The test checks W-O05.
    let figures = figures();
    for mix in MIXED {
        for size in large() {
            for depth in [2, 32] {
                let mixed = figures.at(depth, mix, size);
                assert!(mixed > 100.0, "{} at {depth}: {mixed}", label(mix, size));
                assert!(PURE.iter().all(|&pure| mixed > figures.at(depth, pure, size)));
            }
            assert!(figures.at(32, mix, size) > 1.1 * figures.at(2, mix, size), "{}", label(mix, size));
        }
    }
}

#[test]
fn at_queue_depth_32_two_thirds_reads_are_slightly_ahead_of_one_half() {
    // The test checks W-O06.
    for (size, kib) in SIZES.iter().enumerate() {
        let ahead = figures().at(32, TWO_THIRDS, size) / figures().at(32, HALF, size) - 1.0;
        println!("W-O06 {kib} KiB: 66 % is {:.1} % ahead of 50 %", ahead * 100.0);
        assert!((0.0..0.1).contains(&ahead), "{kib} KiB: {ahead}");
    }
}

#[test]
fn throughput_stops_growing_where_the_queue_is_as_deep_as_the_disk_allows() {
    // The test checks W-O07. With four I/Os in the whole system the disk, which may work on four, rarely has all of
    // them; a deeper queue therefore still helps small I/Os a little.
    let figures = figures();
    for mix in 0..MIXES.len() {
        for size in 0..SIZES.len() {
            let (up_to, beyond) = (figures.gain(1, 4, mix, size), figures.gain(4, 32, mix, size));
            println!("W-O07 {}: 1 to 4 {up_to:.3}, 4 to 32 {beyond:.3}", label(mix, size));
            assert!(beyond < (0.3 * up_to).max(0.03), "{}: {up_to} {beyond}", label(mix, size));
            assert!(figures.gain(8, 32, mix, size).abs() < 0.03, "{}", label(mix, size));
        }
    }
}

#[test]
fn a_deeper_queue_helps_small_pure_workloads_much_and_large_ones_hardly() {
    // The test checks W-O08.
    for mix in PURE {
        for size in small() {
            assert!(figures().gain(1, 4, mix, size) > 1.5, "{}", label(mix, size));
        }
        for size in large().filter(|&size| SIZES[size] >= 512.0) {
            assert!(figures().gain(1, 4, mix, size) < 0.2, "{}", label(mix, size));
        }
    }
}

#[test]
fn a_deeper_queue_helps_mixtures_of_every_size() {
    // The test checks W-O09.
    for mix in MIXED {
        for size in 0..SIZES.len() {
            assert!(figures().gain(1, 4, mix, size) > 0.3, "{}", label(mix, size));
        }
    }
}

//! The Cheetah 9LP against DiskSim 2.01.016: 20,000 reads of 8 blocks, uniform over the disk, as a Poisson process.
//!
//! Each figure of DiskSim is of one run. The figures of this model are means over several runs of the same length; seek, rotation and
//! access are to be within 1.5 %, responses within 5 %, or, where runs of that length differ by more among themselves, within two of their
//! standard deviations. No parameter was fitted: geometry, seek curve and overheads are those of DiskSim's own description of the drive.

use sansim_disk::alone::{CommandSums, serve_commands};
use sansim_disk::{Disk, DiskCommand, DiskParameters};
use sansim_kernel::{RandomStream, Span, Time};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

const RUNS: u64 = 12;
const READS: u64 = 20_000;

/// Queue orders as DiskSim defines them: it compares blocks, and calculates the shortest positioning from the end of the last transfer.
const FCFS: &str = "order = \"fcfs\"";
const C_LOOK: &str = "order = \"c-look\"";
const SSTF: &str = "order = \"sstf\"\nby = \"block\"";
const SPTF_OF_DISKSIM: &str = "order = \"sptf\"\nfrom = \"last-transfer\"";
const SPTF: &str = "order = \"sptf\"";

/// Means of a run, in milliseconds.
#[derive(Clone, Copy)]
struct Means {
    response: f64,
    seek: f64,
    rotation: f64,
    access: f64,
}

fn run(order: &str, rate: f64, seed: u64) -> Means {
    // The transfer time of a block on the bus and the read overhead of the preset add up to the 0.9 ms that DiskSim adds to an access.
    let keys = format!("[queue]\n{order}");
    let parameters = DiskParameters::from_toml(&keys, &Facts::default()).expect("keys that are right");
    let mut disk = Disk::new(&parameters, &mut RandomStream::new(seed, "phase")).expect("a disk");
    let (mut arrivals, mut places) = (RandomStream::new(seed, "arrivals"), RandomStream::new(seed, "places"));
    let (mut arrival, last) = (Time::ZERO, disk.capacity() - 7);
    let trace = (0..READS).map(|id| {
        arrival += Span::from_ns_f64(arrivals.exponential(1e9 / rate));
        DiskCommand {
            id,
            write: false,
            force_unit_access: false,
            lbn: places.draw_below(last),
            blocks: 8,
            arrival,
        }
    });
    let mut sums = CommandSums::default();
    serve_commands(&mut disk, trace, |_, served| sums.add(served)).expect("blocks that there are");
    let [response, seek, rotation, transfer] =
        [sums.response, sums.seek, sums.rotation, sums.transfer].map(|sum| sums.mean_ms(sum));
    Means { response, seek, rotation, access: seek + rotation + transfer }
}

fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    (mean, (squares / (values.len() - 1) as f64).sqrt())
}

/// Runs one row of the table: returns the mean response over all runs, after each mean was compared with DiskSim's.
fn row(rate: f64, (name, order): (&str, &str), published: [f64; 4]) -> f64 {
    let runs: Vec<Means> = (0..RUNS).map(|seed| run(order, rate, seed)).collect();
    let [response, seek, rotation, access] = [
        |one: &Means| one.response,
        |one: &Means| one.seek,
        |one: &Means| one.rotation,
        |one: &Means| one.access,
    ]
    .map(|figure| mean_and_deviation(&runs.iter().map(figure).collect::<Vec<f64>>()));
    let figures = [("response", response), ("seek", seek), ("rotation", rotation), ("access", access)];
    for ((figure, (mean, deviation)), published) in figures.into_iter().zip(published) {
        let error = (mean / published - 1.0) * 100.0;
        println!(
            "{rate:>4}/s {name:<7} {figure:<9} {published:>6.2} {mean:>7.2} ms {error:>+5.1} % (runs differ by {deviation:.2})"
        );
        let allowed =
            if figure == "response" { (0.05 * published).max(2.0 * deviation) } else { 0.015 * published };
        assert!(
            (mean - published).abs() <= allowed,
            "{rate}/s {name}: {figure} {mean:.2}, published {published}"
        );
    }
    response.0
}

#[test]
fn a_slow_stream_meets_the_access_times_of_disksim() {
    row(20.0, ("FCFS", FCFS), [10.81, 5.42, 2.96, 8.69]);
}

#[test]
fn schedulers_meet_disksim_in_their_figures_and_in_their_order() {
    let rows = [
        (
            80.0,
            [25.5, 5.42, 2.98, 8.71],
            [20.2, 5.11, 2.97, 8.39],
            [18.4, 4.92, 2.99, 8.22],
            [18.4, 5.06, 2.83, 8.20],
        ),
        (
            100.0,
            [77.6, 5.41, 2.98, 8.70],
            [28.2, 4.71, 2.98, 8.00],
            [24.8, 4.52, 2.99, 7.82],
            [26.0, 4.75, 2.77, 7.84],
        ),
    ];
    for (rate, fcfs, c_look, sstf, sptf) in rows {
        let fcfs = row(rate, ("FCFS", FCFS), fcfs);
        let c_look = row(rate, ("C-LOOK", C_LOOK), c_look);
        let sstf = row(rate, ("SSTF", SSTF), sstf);
        let stale = row(rate, ("SPTF", SPTF_OF_DISKSIM), sptf);
        assert!(fcfs > c_look && c_look > sstf && c_look > stale);
    }
}

#[test]
fn under_load_that_fcfs_does_not_bear_the_others_meet_disksim() {
    let c_look = row(120.0, ("C-LOOK", C_LOOK), [44.6, 4.03, 2.97, 7.31]);
    let sstf = row(120.0, ("SSTF", SSTF), [37.6, 3.92, 2.96, 7.18]);
    let stale = row(120.0, ("SPTF", SPTF_OF_DISKSIM), [45.1, 4.23, 2.70, 7.23]);
    assert!(
        sstf < c_look && sstf < stale,
        "reckoning from a stale angle is worse than not reckoning with it"
    );
    // The load is unstable: the longer the run, the longer the queue.
    assert!(run(FCFS, 120.0, 1).response > 1_000.0);
}

#[test]
fn reckoning_from_where_the_arm_leaves_is_better_than_the_shortest_seek() {
    for rate in [80.0, 100.0, 120.0] {
        let mean = |order| (0..RUNS).map(|seed| run(order, rate, seed).response).sum::<f64>() / RUNS as f64;
        let (sptf, sstf) = (mean(SPTF), mean(SSTF));
        println!("{rate:>4}/s SPTF from where the arm leaves {sptf:.2} ms, SSTF {sstf:.2} ms");
        assert!(sptf < 0.95 * sstf, "{rate}/s: {sptf} {sstf}");
    }
}

//! Wang 2005, table 6.5: throughput of the base system under the fair schedule and Command-First (W-T65-*).

use crate::common::{repository, run};

const BASE: &str = "scenarios/wang-2005-base.toml";
const MIB: f64 = 1_048_576.0;

struct Column {
    name: &'static str,
    read_fraction: f64,
    schedule: &'static str,
    tolerance: f64,
}

const COLUMNS: [Column; 6] = [
    Column { name: "read fair", read_fraction: 1.0, schedule: "fair", tolerance: 0.03 },
    Column { name: "read command-first", read_fraction: 1.0, schedule: "command-first", tolerance: 0.03 },
    Column { name: "write fair", read_fraction: 0.0, schedule: "fair", tolerance: 0.03 },
    Column { name: "write command-first", read_fraction: 0.0, schedule: "command-first", tolerance: 0.03 },
    Column { name: "66 % read fair", read_fraction: 0.66, schedule: "fair", tolerance: 0.05 },
    Column {
        name: "66 % read command-first",
        read_fraction: 0.66,
        schedule: "command-first",
        tolerance: 0.05,
    },
];

/// The simulated throughput in MiB/s, of the unmodified scenario.
fn throughput(size_kib: u32, column: &Column) -> f64 {
    let size = format!("workload.size={size_kib} KiB");
    let read = format!("workload.read_fraction={:?}", column.read_fraction);
    let schedule = format!("controller.schedule={}", column.schedule);
    run(BASE, &[&size, &read, &schedule]).bytes_per_second / MIB
}

fn published() -> Vec<(u32, Vec<f64>)> {
    let text = std::fs::read_to_string(repository("studies/wang-2005/table-6.5.csv")).expect("table");
    text.lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))
        .map(|line| {
            let mut cells = line.split(',');
            let size = cells.next().and_then(|c| c.parse().ok()).expect("size");
            (size, cells.map(|c| c.parse().expect("number")).collect())
        })
        .collect()
}

/// The cells out of tolerance, by row and column: see docs/wang-2005.md.
const OUTSIDE: [(u32, &str); 1] = [(32, "write fair")];

#[test]
fn every_published_cell_but_one_is_within_its_tolerance() {
    let mut outside = Vec::new();
    for (size_kib, cells) in published() {
        for (column, cell) in COLUMNS.iter().zip(cells) {
            let simulated = throughput(size_kib, column);
            let error = simulated / cell - 1.0;
            let line = format!(
                "{size_kib:5} KiB {:24} {simulated:7.2} MiB/s, published {cell:7.2}, {:+.2} %",
                column.name,
                error * 100.0
            );
            println!("{line}");
            if error.abs() > column.tolerance {
                outside.push((size_kib, column.name));
            }
        }
    }
    assert_eq!(outside, OUTSIDE, "outside the tolerance");
}

#[test]
fn command_first_helps_reads_above_8_kib_and_leaves_writes_alone() {
    // W-C04: there is no gain up to 8 KiB, and a first gain at 16 KiB. W-C05: there is no gain for pure writes, for which the table has
    // -0.97 to +1.23 %. The simulated gain is within the 3 % that count as no effect, and is largest where the table has a fair write that
    // the simulated value is 3.5 % below.
    let gain = |size_kib, with: &Column, without: &Column| {
        throughput(size_kib, with) / throughput(size_kib, without) - 1.0
    };
    for size_kib in [1, 4, 8] {
        let gain = gain(size_kib, &COLUMNS[1], &COLUMNS[0]);
        assert!(gain.abs() < 0.015, "reads of {size_kib} KiB: {gain}");
    }
    for size_kib in [16, 32] {
        let gain = gain(size_kib, &COLUMNS[1], &COLUMNS[0]);
        assert!(gain > 0.2, "reads of {size_kib} KiB: {gain}");
    }
    for size_kib in [1, 4, 8, 16, 32, 64, 256] {
        let gain = gain(size_kib, &COLUMNS[3], &COLUMNS[2]);
        assert!((-0.0097..0.03).contains(&gain), "writes of {size_kib} KiB: {gain}");
    }
}

#[test]
fn a_drive_with_one_frame_ready_behind_the_one_being_sent_reads_as_fast_as_with_sixteen() {
    // The scenario therefore has more frames ready, which halves the time to simulate it.
    for (size, schedule) in [("4 KiB", "fair"), ("32 KiB", "fair"), ("256 KiB", "command-first")] {
        let settings = [format!("workload.size={size}"), format!("controller.schedule={schedule}")];
        let of = |buffers: u32| {
            let buffers = format!("drives.adapter.outgoing_buffers={buffers}");
            let summary = run(BASE, &[&settings[0], &settings[1], "run.measured_ios=1000", &buffers]);
            serde_json::to_string(&summary.ledger_ns).expect("JSON") + &summary.iops.to_string()
        };
        assert_eq!(of(1), of(16), "{size}, {schedule}");
    }
}

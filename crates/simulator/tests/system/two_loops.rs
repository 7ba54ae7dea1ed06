//! Parallel loops that share nothing but the clock: each gives the figures that it gives alone, to the bit.

use crate::common::text::{assert_adds_up, assert_reference_agrees, run};
use sansim_kernel::Span;
use sansim_simulator::RunResult;
use serde_json::Value;

/// With a given duration both loops are measured over the same interval, whatever the other does.
const RUN: &str = "[run]\nduration = \"200 ms\"\nwarm_up = \"20 ms\"\n";

const FAST: &str = r#"
[fast]
kind = "arbitrated-loop"
speed = "4GFC"
stations = ["fast-host", "fast-disks"]
[fast-host]
kind = "host"
[fast-host.driver]
arrival_time = "3 us"
[fast-disks]
kind = "drives"
count = 4
access_time = { distribution = "exponential", mean = "2 ms" }
transfer_rate = "50 MiB/s"
[fast-load]
kind = "closed"
from = "fast-host"
to = ["fast-disks"]
size = "64 KiB"
queue_depth = 4
"#;

const SLOW: &str = r#"
[slow]
kind = "arbitrated-loop"
speed = "1GFC"
cable = "30 m"
stations = ["slow-host", "slow-disks"]
[slow-host]
kind = "host"
[slow-disks]
kind = "drives"
count = 8
model = "ram"
transfer_rate = "20 MiB/s"
[slow-load]
kind = "closed"
from = "slow-host"
to = ["slow-disks"]
size = "16 KiB"
read_fraction = 0.66
queue_depth = 2
"#;

/// A measured I/O with its ledger, in a form that does not depend on the rest of the system.
type Told = (String, Span, u64, u64, bool, Vec<(String, Span)>);

/// The measured I/Os of a workload in order of completion.
fn ios_of(result: &RunResult, workload: &str) -> Vec<Told> {
    let names = &result.names;
    let of = |number: usize| {
        let io = &result.ios.rows[number];
        if names.workloads[io.workload as usize].name != workload {
            return None;
        }
        let device = &names.components[names.devices[io.device as usize].component].name;
        let told = format!("{device}, slot {}, at {}", io.slot, io.completed.ticks());
        let stays =
            result.ios.dwells_of_io(number).iter().map(|stay| (names.line_name(stay.line), stay.spent));
        Some((told, io.response, io.lba, io.bytes, io.is_write(), stays.collect()))
    };
    (0..result.ios.len()).filter_map(of).collect()
}

/// The summary of all parts whose names begin with `prefix`, except their share of all I/Os.
fn said_of(result: &RunResult, prefix: &str) -> Vec<(String, Value)> {
    let summary = serde_json::to_value(&result.summary).expect("JSON");
    let mut said = Vec::new();
    for list in ["workloads", "hosts", "devices", "components"] {
        let Value::Object(all) = &summary[list] else { panic!("{list}") };
        for (name, value) in all.iter().filter(|(name, _)| name.starts_with(prefix)) {
            let mut value = value.clone();
            let figures = value.as_object_mut().expect("figures");
            figures.remove("share");
            // With a single host, the devices have the same values.
            figures.remove("devices");
            said.push((format!("{list} {name}"), value));
        }
    }
    said
}

/// Checks that a part of a system behaves the same together with another part as alone.
fn assert_same(company: &RunResult, alone: &RunResult, prefix: &str, load: &str) {
    let (together, by_itself) = (ios_of(company, load), ios_of(alone, load));
    assert!(by_itself.len() > 10, "{} I/Os of {load}", by_itself.len());
    if let Some(place) = together.iter().zip(&by_itself).position(|(one, other)| one != other) {
        panic!("I/O {place} of {load}:\n{:?}\n{:?}", together[place], by_itself[place]);
    }
    assert_eq!(together.len(), by_itself.len());
    let said = said_of(alone, prefix);
    // The parts are the loop, the host twice, the workload, the group of disks and at least one of its
    // members.
    assert!(said.len() >= 6, "{said:?}");
    assert_eq!(said_of(company, prefix), said);
    assert_eq!(company.summary.simulated_s.to_bits(), alone.summary.simulated_s.to_bits());
}

#[test]
fn two_loops_in_one_run_do_what_each_does_in_a_run_of_its_own() {
    let company = run(&[RUN, FAST, SLOW].concat());
    assert_adds_up(&company);
    let alone = [FAST, SLOW].map(|one| run(&[RUN, one].concat()));
    assert_same(&company, &alone[0], "fast", "fast-load");
    assert_same(&company, &alone[1], "slow", "slow-load");
    assert_eq!(company.summary.ios, alone[0].summary.ios + alone[1].summary.ios);
    // The mean of a ledger line is over the I/Os of both loops.
    for one in &alone {
        for (line, mean) in &one.summary.ledger_ns.mean.0 {
            let part = one.summary.ios as f64 / company.summary.ios as f64;
            let found = company.summary.ledger_ns.mean.value_named(line).expect("the same lines");
            assert!((found / (mean * part) - 1.0).abs() < 1e-12, "{line}: {found}");
        }
    }
}

#[test]
fn the_reference_loops_say_the_same() {
    assert_reference_agrees(&[RUN, FAST, SLOW].concat());
}

#[test]
fn the_order_in_a_file_means_nothing() {
    let there = run(&[RUN, FAST, SLOW].concat());
    let back = run(&[RUN, SLOW, FAST].concat());
    assert_same(&back, &there, "fast", "fast-load");
    assert_same(&back, &there, "slow", "slow-load");
}

/// A loop with the most ports: a host and 124 drives. Loops differ in speed and drives.
fn full(number: u64) -> String {
    let speed = ["1GFC", "2GFC", "4GFC", "8GFC"][number as usize % 4];
    format!(
        r#"
        [loop{number}x]
        kind = "arbitrated-loop"
        speed = "{speed}"
        stations = ["loop{number}x-host", "loop{number}x-disks"]
        [loop{number}x-host]
        kind = "host"
        [loop{number}x-disks]
        kind = "drives"
        count = 124
        access_time = "{} us"
        transfer_rate = "50 MiB/s"
        [loop{number}x-load]
        kind = "closed"
        from = "loop{number}x-host"
        to = ["loop{number}x-disks"]
        size = "4 KiB"
        read_fraction = 0.5
        "#,
        1_500 + 100 * number
    )
}

#[test]
fn two_thousand_ports_in_sixteen_loops_run() {
    let short = "[run]\nduration = \"10 ms\"\nwarm_up = \"2 ms\"\n";
    let all: String = (0..16).map(full).collect();
    let company = run(&[short, &all].concat());
    assert_adds_up(&company);
    let ports = company.names.stations.iter().filter(|station| station.port.is_some());
    assert_eq!(ports.count(), 2_000);
    assert_eq!(company.names.networks.len(), 16);
    for number in [0, 7, 15] {
        let name = format!("loop{number}x");
        let alone = run(&[short, &full(number)].concat());
        assert_same(&company, &alone, &name, &format!("{name}-load"));
    }
}

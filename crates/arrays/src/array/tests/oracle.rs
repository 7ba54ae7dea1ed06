//! Tests with random requests, failures of devices, replacements, unreadable sectors, refusals and aborts: the array never loses or changes
//! a block that its level promises to keep.

use super::meter;
use super::world::{Chances, World};

/// The keys of the arrays, and their numbers of devices.
const ARRAYS: &[(&str, u32)] = &[
    ("[layout]\nlevel = \"1\"", 2),
    ("read_policy = \"round-robin\"\n[layout]\nlevel = \"1\"", 3),
    ("spares = 1\n[layout]\nlevel = \"1+0\"", 5),
    ("read_policy = \"least-outstanding\"\n[layout]\nlevel = \"10\"", 5),
    ("[layout]\nlevel = \"4\"", 4),
    ("[layout]\nlevel = \"5\"", 3),
    ("spares = 1\n[layout]\nlevel = \"5\"\nrotation = \"right-asymmetric\"", 6),
    ("read_modify_write = \"never\"\n[layout]\nlevel = \"5\"", 5),
    ("read_modify_write = \"prefer\"\nspares = 2\n[layout]\nlevel = \"5\"", 6),
    ("[layout]\nlevel = \"6\"", 5),
    ("spares = 1\nread_modify_write = \"prefer\"\n[layout]\nlevel = \"6\"", 7),
    ("spares = 2\n[layout]\nlevel = \"6\"", 7),
    ("[layout]\nlevel = \"declustered\"\ndata = 2\nspares = 1\npermutations = 3", 6),
    ("spares = 1\n[layout]\nlevel = \"declustered\"\ndata = 2\nparity = 2\nspares = 1\npermutations = 3", 8),
];

/// Further keys: bandwidths of calculation, and the pace of rebuilds.
const WAYS: &[(&str, &str)] = &[
    ("", "step = \"1 KiB\"\nat_once = 1"),
    (
        "xor_bandwidth = \"100 GB/s\"\ngalois_bandwidth = \"30 GB/s\"\nbusy_wait = \"50 ns\"",
        "step = \"4 KiB\"\nat_once = 3\ndelay = \"300 ns\"",
    ),
    (
        "xor_bandwidth = \"1 TB/s\"\nmemory = \"16 KiB\"\nbusy_wait = \"20 ns\"",
        "rate = \"20 GB/s\"\nrate_under_load = \"5 GB/s\"",
    ),
];

fn keys(array: &str, way: usize, scrub: &str, beside: &str) -> String {
    let (more, rebuild) = WAYS[way];
    let (plain, layout) = array.split_once("[layout]").expect("a layout");
    format!(
        "stripe_unit = \"1 KiB\"\n{beside}\n{more}\n{plain}\n[layout]{layout}\n[rebuild]\nreplacement_check = \"100 ns\"\n{rebuild}\n[scrub]\n{scrub}\n"
    )
}

/// Runs all arrays, and returns the most members that were rebuilt at once.
fn run(chances: Chances, scrub: &str, seeds: u64) -> usize {
    let mut at_once = 0;
    for (number, &(array, devices)) in ARRAYS.iter().enumerate() {
        for seed in 0..seeds {
            let way = (seed as usize + number) % WAYS.len();
            let keys = keys(array, way, scrub, "");
            // A failing run prints its case.
            println!("{keys}, {devices} devices, seed {seed}");
            let mut world = World::new(&keys, devices, 24 << 10, 100 * number as u64 + seed);
            world.go_on(1_500, chances);
            if scrub.is_empty() {
                world.end();
            }
            at_once = at_once.max(world.at_once);
        }
    }
    at_once
}

#[test]
fn nothing_is_lost_without_faults() {
    run(Chances::default(), "", 2);
}

#[test]
fn nothing_is_lost_when_devices_fail_and_are_replaced() {
    let at_once = run(Chances { fail: 10, replace: 10, ..Chances::default() }, "", 3);
    assert!(at_once >= 2, "two members of a RAID 6 were rebuilt at once");
}

#[test]
fn nothing_is_lost_when_sectors_cannot_be_read() {
    run(Chances { unreadable: 30, ..Chances::default() }, "", 2);
}

#[test]
fn nothing_is_lost_when_members_refuse_and_requests_are_aborted() {
    run(Chances { busy: 30, abort: 30, ..Chances::default() }, "", 2);
}

#[test]
fn nothing_is_lost_when_everything_happens() {
    run(Chances { busy: 20, abort: 20, fail: 10, unreadable: 20, replace: 10, power: 0 }, "", 4);
}

#[test]
fn nothing_is_lost_while_it_is_scrubbed() {
    let chances = Chances { busy: 10, abort: 10, fail: 5, unreadable: 30, replace: 10, power: 0 };
    run(chances, "every = \"2 us\"\nat_once = 2", 2);
}

/// Outcomes of runs with a power failure.
#[derive(Default)]
struct After {
    apart: u64,
    mismatches: u64,
    resynchronised: u64,
    wrong_reads: u64,
    damaged: u64,
}

/// Runs all arrays with losses of power beside all other failures; then all blocks are read, or scrubbed if `scrub` is given.
fn lose_power(chances: Chances, volatile: bool, scrub: &str) -> After {
    let mut after = After::default();
    for (number, &(array, devices)) in ARRAYS.iter().enumerate() {
        for seed in 0..3 {
            let keys = keys(array, number % WAYS.len(), scrub, &format!("volatile_memory = {volatile}"));
            println!("{keys}, {devices} devices, seed {seed}");
            let mut world = World::new(&keys, devices, 24 << 10, 1_000 + 100 * number as u64 + seed);
            world.go_on(1_500, Chances { power: 8, ..chances });
            if scrub.is_empty() {
                world.end();
            } else {
                world.end_scrubbed();
            }
            let component = &world.bench.component;
            let counted = |meter: usize| component.counts[meter];
            after.apart += component.agreement.disagreeing_stripe_count(&component.array);
            after.mismatches += counted(meter::MISMATCHES);
            after.resynchronised += counted(meter::RESYNCHRONISED);
            after.wrong_reads += counted(meter::WRONG_READS);
            after.damaged += counted(meter::DAMAGED);
        }
    }
    after
}

#[test]
fn checks_that_a_loss_of_power_leaves_apart_are_those_that_are_told_to_be() {
    let after = lose_power(Chances { abort: 10, busy: 20, ..Chances::default() }, true, "");
    assert!(after.apart > 20, "{}", after.apart);
    assert_eq!((after.wrong_reads, after.damaged), (0, 0), "while no member fails nothing is worked out");
}

#[test]
fn memory_that_is_kept_leaves_nothing_apart() {
    // A host retries a write for which a member was busy; until then copies differ, whether or not the memory is volatile.
    let after = lose_power(Chances { fail: 10, replace: 10, ..Chances::default() }, false, "");
    assert_eq!((after.apart, after.wrong_reads, after.damaged), (0, 0, 0));
}

#[test]
fn what_is_worked_out_from_checks_that_are_apart_is_told_to_be_wrong() {
    let chances = Chances { busy: 10, fail: 10, unreadable: 10, replace: 10, ..Chances::default() };
    let after = lose_power(chances, true, "");
    assert!(after.wrong_reads > 5 && after.damaged > 1_000, "{} {}", after.wrong_reads, after.damaged);
}

#[test]
fn a_scrub_finds_what_is_apart_and_makes_it_anew_if_it_is_to() {
    let scrub = |repair: bool| format!("every = \"2 us\"\nat_once = 2\nrepair = {repair}");
    let found = lose_power(Chances::default(), true, &scrub(false));
    assert!(found.mismatches > found.apart && found.apart > 20, "{} {}", found.mismatches, found.apart);
    assert_eq!(found.resynchronised, 0);
    let repaired = lose_power(Chances::default(), true, &scrub(true));
    assert!(repaired.resynchronised > 20 && repaired.apart == 0, "{}", repaired.apart);
}

//! Random requests, failures of devices, replacements, unreadable sectors, refusals and aborts: the array never loses or changes a block that
//! its level promises to keep.

use super::world::{Chances, World};

/// Keys, devices, and whether spares and replacements are to be had.
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
    ("[layout]\nlevel = \"declustered\"\ndata = 2\nspares = 1\npermutations = 3", 6),
    ("spares = 1\n[layout]\nlevel = \"declustered\"\ndata = 2\nparity = 2\nspares = 1\npermutations = 3", 8),
];

/// How the rest is described: bandwidths of calculation, and the pace of rebuilds.
const WAYS: &[(&str, &str)] = &[
    ("", "chunk = \"1 KiB\"\nat_once = 1"),
    (
        "xor_bandwidth = \"100 GB/s\"\ngalois_bandwidth = \"30 GB/s\"\nbusy_wait = \"50 ns\"",
        "chunk = \"4 KiB\"\nat_once = 3\ndelay = \"300 ns\"",
    ),
    (
        "xor_bandwidth = \"1 TB/s\"\nmemory = \"16 KiB\"\nbusy_wait = \"20 ns\"",
        "rate = \"20 GB/s\"\nrate_under_load = \"5 GB/s\"",
    ),
];

fn keys(array: &str, way: usize, scrub: &str) -> String {
    let (more, rebuild) = WAYS[way];
    let (plain, layout) = array.split_once("[layout]").expect("a layout");
    format!(
        "strip = \"1 KiB\"\n{more}\n{plain}\n[layout]{layout}\n[rebuild]\nreplacement_check = \"100 ns\"\n{rebuild}\n[scrub]\n{scrub}\n"
    )
}

fn run(chances: Chances, scrub: &str, seeds: u64) {
    for (number, &(array, devices)) in ARRAYS.iter().enumerate() {
        for seed in 0..seeds {
            let way = (seed as usize + number) % WAYS.len();
            let keys = keys(array, way, scrub);
            // What a failure shows.
            println!("{keys}, {devices} devices, seed {seed}");
            let mut world = World::new(&keys, devices, 24 << 10, 100 * number as u64 + seed);
            world.go_on(1_500, chances);
            if scrub.is_empty() {
                world.end();
            }
        }
    }
}

#[test]
fn nothing_is_lost_without_faults() {
    run(Chances::default(), "", 2);
}

#[test]
fn nothing_is_lost_when_devices_fail_and_are_replaced() {
    run(Chances { fail: 10, replace: 10, ..Chances::default() }, "", 3);
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
    run(Chances { busy: 20, abort: 20, fail: 10, unreadable: 20, replace: 10 }, "", 4);
}

#[test]
fn nothing_is_lost_while_it_is_scrubbed() {
    let chances = Chances { busy: 10, abort: 10, fail: 5, unreadable: 30, replace: 10 };
    run(chances, "every = \"2 us\"\nat_once = 2", 2);
}

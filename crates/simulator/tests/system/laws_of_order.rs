//! The law of order: the k-th request that a workload issues is the k-th at its device, unless a queue changes the order. The requests of a
//! sequential stream therefore reach their device in the order of their addresses, however little time each step takes.
//!
//! The device in these tests serves one request at a time, first come, first served: requests are done in the order in which they reached
//! the device.

use crate::common::text::{assert_adds_up, run};
use proptest::prelude::*;

/// A workload that requests blocks one after another.
const LOADS: [&str; 5] = [
    "kind = \"closed\"\nsize = \"64 KiB\"\npattern = \"sequential\"\nqueue_depth = DEPTH\nthink_time = \"THINK\"",
    "kind = \"synthetic\"\nsize = \"64 KiB\"\nlocation.pattern = \"sequential\"\narrivals = { process = \"closed\", queue_depth = DEPTH, think_time = \"THINK\" }",
    "kind = \"synthetic\"\nsize = \"64 KiB\"\nlocation.pattern = \"sequential\"\narrivals = { process = \"closed\", queue_depth = DEPTH, \
     think_time = { distribution = \"uniform\", low = \"0 ns\", high = \"200 us\" } }",
    "kind = \"synthetic\"\nsize = \"64 KiB\"\nlocation.pattern = \"sequential\"\narrivals = { process = \"poisson\", rate = \"2000/s\" }",
    "kind = \"backup\"\ndirection = \"restore\"\nsize = \"64 KiB\"\nqueue_depth = DEPTH",
];

/// A device that serves one request at a time.
const DEVICES: [&str; 4] = [
    "kind = \"drives\"\naccess_time = \"0 ns\"\ntransfer_rate = \"1 GB/s\"\ncapacity = \"1 GB\"",
    "kind = \"drives\"\naccess_time = \"100 us\"\ntransfer_rate = \"1 GB/s\"\ncapacity = \"1 GB\"",
    "kind = \"ram-disks\"\nbandwidth = \"1 GB/s\"\nlatency = \"0 ns\"\ncapacity = \"1 GB\"",
    "kind = \"tape-drives\"",
];

/// The path to the device.
const WAYS: [&str; 4] = [
    "host.attached = [\"device\"]\n",
    "[net]\nkind = \"fabric\"\nspeed = \"16GFC\"\nstations = [\"host\", \"device\"]\n",
    "[net]\nkind = \"arbitrated-loop\"\nspeed = \"4GFC\"\nstations = [\"host\", \"device\"]\n",
    "[net]\nkind = \"fabric\"\nspeed = \"16GFC\"\ntopology = \"point-to-point\"\nstations = [\"host\", \"device\"]\n",
];

fn text(load: &str, device: &str, way: &str, depth: u32, think: &str) -> String {
    let load = load.replace("DEPTH", &depth.to_string()).replace("THINK", think);
    format!(
        "run.measured_ios = 300\nrun.warm_up = 0\nhost.kind = \"host\"\n{way}[device]\n{device}\n[load]\nfrom = \"host\"\nto = [\"device\"]\n{load}\n"
    )
}

fn assert_in_order(text: &str) -> Result<(), TestCaseError> {
    let result = run(text);
    assert_adds_up(&result);
    for pair in result.ios.rows.windows(2) {
        prop_assert!(
            pair[0].io < pair[1].io,
            "request {} is done before {}:\n{}",
            pair[0].io,
            pair[1].io,
            text
        );
        let goes_round = pair[1].lba < pair[0].lba;
        let is_next = pair[1].lba == pair[0].lba + pair[0].bytes / 512;
        prop_assert!(is_next || goes_round, "block {} behind {}:\n{}", pair[1].lba, pair[0].lba, text);
    }
    Ok(())
}

fn systems() -> impl Strategy<Value = String> {
    let think = prop::sample::select(vec!["0 ns", "1 ns", "50 us"]);
    (0..LOADS.len(), 0..DEVICES.len(), 0..WAYS.len(), 1..9_u32, think).prop_map(
        |(load, device, way, depth, think)| text(LOADS[load], DEVICES[device], WAYS[way], depth, think),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(300), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_requests_of_a_sequential_stream_reach_their_device_in_the_order_of_their_addresses(text in systems()) {
        assert_in_order(&text)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "long"]
    fn and_so_they_do_in_many_more_systems(text in systems()) {
        assert_in_order(&text)?;
    }
}

//! Bounds are compared with runs: bounds computed by hand, and a check that no shipped scenario exceeds a
//! bound.
//!
//! Longer than 500 lines: all of the file uses the same systems, for which bounds are computed by hand.

use crate::common::text::{assert_near, run};
use crate::common::{load, repository, run_with};
use proptest::prelude::*;
use sansim_analytic::bounds::CheckedBound;
use sansim_simulator::RunOptions;
use sansim_simulator::summary::Summary;
use std::fmt::Write as _;

fn of<'a>(summary: &'a Summary, name: &str) -> &'a CheckedBound {
    summary.bounds.value_named(name).expect(name)
}

/// A host and two drives on a loop of 1GFC.
fn drives(access: &str, load: &str) -> String {
    format!(
        r#"
        [run]
        measured_ios = 500
        warm_up = 20
        [loop]
        kind = "arbitrated-loop"
        speed = "1GFC"
        stations = ["host", "drives"]
        [host]
        kind = "host"
        [drives]
        kind = "drives"
        count = 2
        access_time = "{access}"
        transfer_rate = "100 MB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["drives"]
        {load}
        "#
    )
}

#[test]
fn bounds_are_those_that_are_worked_out_by_hand() {
    let summary = run(&drives("4 ms", "size = \"64 KiB\"\nqueue_depth = 3\nread_fraction = 1.0")).summary;
    let bound = |name: &str| of(&summary, name).bound.expect(name);
    // A word is 40 bits at 1.0625 Gbit/s. A frame of 2048 bytes has 512 words of data, and 9 other words.
    let word_ns = 40.0 / 1.0625;
    // 32 frames of data and a response of 24 bytes come back; a command of 32 bytes goes out.
    let back_ns = (32.0 * 521.0 + 6.0 + 9.0) * word_ns;
    assert_near("wire rate", bound("wire_rate"), 65_536.0 / back_ns * 1e9, 1e-6);
    assert_near("wire time", bound("wire_time"), (32.0 * 521.0 + 8.0 + 6.0 + 18.0) * word_ns, 1e-6);
    let drive_ns = 4e6 + 655_360.0;
    assert_near("drive time", bound("drive_time"), drive_ns, 1e-6);
    assert_near("drive rate", bound("drive_rate"), 2e9 / drive_ns, 1e-6);
    assert_near("by their number", bound("population_rate"), 6e9 / drive_ns, 1e-6);
    assert_eq!(
        of(&summary, "controller_rate").not_applicable,
        Some("the hosts use devices without a controller")
    );
}

#[test]
fn drives_and_loops_that_are_full_come_close_to_their_bounds() {
    let share = |access: &str, size: &str, name: &str| {
        let load = format!("size = \"{size}\"\nqueue_depth = 8\nread_fraction = 1.0");
        let summary = run(&drives(access, &load)).summary;
        let CheckedBound { bound: Some(bound), simulated: Some(simulated), .. } = of(&summary, name) else {
            panic!("{name}")
        };
        simulated / bound
    };
    // A drive is busy until its last data have crossed the loop, which is not included in the bound.
    let drive = share("4 ms", "64 KiB", "drive_rate");
    assert!((0.9..1.02).contains(&drive), "{drive}");
    // Six words lie between frames of 521 words, and some words before the first frame.
    let wire = share("0.1 us", "256 KiB", "wire_rate");
    assert!((0.93..1.02).contains(&wire), "{wire}");
}

#[test]
fn bounds_that_do_not_apply_say_why() {
    let failing = drives("1 ms", "size = \"4 KiB\"")
        + "[[event]]\nat = \"10 ms\"\ndo = \"fail\"\nwhat = \"drives[0]\"\n";
    for (text, name, why) in [
        (drives("1 ms", "size = \"4 KiB\""), "controller_time", "the hosts use devices without a controller"),
        (failing, "drive_rate", "the run has failures"),
        (
            drives("1 ms", "size = \"4 KiB\"\nread_fraction = 1.0")
                .replace("transfer_rate", "cache = \"128 KiB\"\ntransfer_rate"),
            "drive_time",
            "a cache of a drive may serve the requests",
        ),
    ] {
        let summary = run(&text).summary;
        assert_eq!(of(&summary, name).not_applicable, Some(why), "{name}");
        assert_eq!(of(&summary, name).bound, None);
    }
}

/// A number of hosts and drives on a network, where each host has a load that keeps drives without access
/// times busy.
fn on_a_network(network: &str, hosts: usize, drives: usize, speed: &str, load: &str) -> String {
    let names: Vec<String> = (0..hosts).map(|host| format!("\"host-{host}\"")).collect();
    let mut text = format!(
        r#"
        [run]
        duration = "40 ms"
        warm_up = "5 ms"
        [network]
        {network}
        speed = "{speed}"
        stations = [{}, "drives"]
        [drives]
        kind = "ram-disks"
        count = {drives}
        bandwidth = "5 GB/s"
        latency = "1 us"
        "#,
        names.join(", ")
    );
    for host in 0..hosts {
        let _ = write!(
            text,
            r#"
            [host-{host}]
            kind = "host"
            [load-{host}]
            kind = "closed"
            from = "host-{host}"
            to = ["drives"]
            {load}
            "#
        );
    }
    text
}

#[test]
fn a_loop_switch_and_a_fabric_carry_as_much_as_the_ports_of_the_side_that_has_fewer() {
    let load = "size = \"64 KiB\"\nread_fraction = 1.0\nqueue_depth = 4";
    let rate = |network: &str, hosts, drives, speed: &str| {
        let summary = run(&on_a_network(network, hosts, drives, speed, load)).summary;
        of(&summary, "wire_rate").bound.expect("a bound")
    };
    let one = rate("kind = \"arbitrated-loop\"", 1, 4, "2GFC");
    let switch = |more, from, to| rate(&format!("kind = \"loop-switch\"\n{more}"), from, to, "2GFC");
    assert_near("one asks", switch("", 1, 4), one, 1e-9);
    assert_near("three ask four", switch("", 3, 4), 3.0 * one, 1e-9);
    assert_near("three ask two", switch("", 3, 2), 2.0 * one, 1e-9);
    assert_near("two may talk", switch("conversations = 2", 3, 4), 2.0 * one, 1e-9);
    assert_near("of a star one", switch("links = \"star\"", 3, 4), one, 1e-9);
    let apart = "cascaded.far.holds = [\"host-2\"]\nconversations = 1";
    assert_near("one at each of two", switch(apart, 3, 4), 2.0 * one, 1e-9);
    assert_near("over a trunk one", switch("cascaded.far.holds = [\"drives\"]", 3, 4), one, 1e-9);
    let fabric = rate("kind = \"fabric\"", 3, 4, "8GFC");
    assert_near("a fabric", fabric, 3.0 * rate("kind = \"arbitrated-loop\"", 1, 4, "8GFC"), 1e-9);
}

#[test]
fn a_network_of_several_wires_that_is_full_comes_close_to_its_bound() {
    // With few buffers at the switch the frames of a drive would wait behind the frames for a busy host.
    let fabric = "kind = \"fabric\"\nswitch = { buffers = 256 }";
    // At a loop switch drives and hosts wait for each other's conversations: data use two thirds of the time in which its ports are
    // open.
    for (network, speed, size, depth, least) in
        [("kind = \"loop-switch\"", "2GFC", "256 KiB", 4, 0.6), (fabric, "4GFC", "64 KiB", 2, 0.8)]
    {
        let load = format!("size = \"{size}\"\nread_fraction = 1.0\nqueue_depth = {depth}");
        let text = on_a_network(network, 3, 6, speed, &load).replace("40 ms", "200 ms");
        let near = share(&text, "wire_rate");
        assert!((least..1.02).contains(&near), "{network}: {near}");
    }
}

#[test]
fn a_request_alone_at_a_loop_switch_has_the_short_way_round() {
    let load = "size = \"512 B\"\nread_fraction = 1.0\nqueue_depth = 1\nqueue_depth_per = \"all\"";
    let text = |drives| on_a_network("kind = \"loop-switch\"\ncable = \"100 m\"", 1, drives, "2GFC", load);
    let bound = |drives| {
        let summary = run(&text(drives)).summary;
        of(&summary, "arbitration_time").bound.expect("a bound")
            - of(&summary, "wire_time").bound.expect("a bound")
    };
    // The path has four cables of 100 m at 5 ns/m, and two passages of six words of 40 bits at 2.125 Gbit/s.
    assert_near("the way", bound(2), 4.0 * 500.0 + 12.0 * 40.0 / 2.125, 1e-6);
    assert_near("whoever else is there", bound(60), bound(2), 1e-9);
    let share = share(&text(2), "arbitration_time");
    assert!((1.0..3.0).contains(&share), "{share}");
}

#[test]
fn a_drive_of_a_data_sheet_does_what_the_sheet_says_of_the_depth_at_which_it_does_most() {
    let sheet = std::env::temp_dir().join(format!("sansim-bounds-{}.csv", std::process::id()));
    let lines = "operation, size, queue_depth, response_time\nread, 4 KiB, 1, 5 ms\nread, 4 KiB, 8, 20 ms\nwrite, 4 KiB, 1, 6 ms\n";
    std::fs::write(&sheet, lines).expect("a file");
    let text = |depth: u32| {
        format!(
            r#"
            [run]
            measured_ios = 2000
            warm_up = 50
            [host]
            kind = "host"
            attached = ["drives"]
            [drives]
            kind = "data-sheet-drives"
            file = "{}"
            [load]
            kind = "closed"
            from = "host"
            to = ["drives"]
            size = "4 KiB"
            read_fraction = 1.0
            queue_depth = {depth}
            "#,
            sheet.display()
        )
    };
    let deep = share(&text(64), "drive_rate");
    assert!((0.97..1.01).contains(&deep), "{deep}");
    let summary = run(&text(1)).summary;
    std::fs::remove_file(&sheet).ok();
    // At best eight commands are served in 20 ms; a single command takes 5 ms, and no less with others.
    assert_near("rate", of(&summary, "drive_rate").bound.expect("a bound"), 8.0 / 20e-3, 1e-6);
    assert_near("time", of(&summary, "drive_time").bound.expect("a bound"), 5e6, 1e-6);
    assert_near("alone", of(&summary, "drive_time").simulated.expect("a time"), 5e6, 1e-3);
}

#[test]
fn processors_of_a_host_that_are_full_come_close_to_their_bound() {
    let load = "size = \"4 KiB\"\nread_fraction = 1.0\nqueue_depth = 24";
    let text = |processors: &str| {
        let text = on_a_network("kind = \"fabric\"", 1, 4, "16GFC", load);
        let driver = "driver = { arrival_time = \"6 us\", completion_time = \"9 us\" }";
        text.replace(
            "[host-0]\n            kind = \"host\"",
            &format!("[host-0]\nkind = \"host\"\n{driver}\n{processors}"),
        )
    };
    for (processors, bound) in [
        ("processors = { model = \"interrupts\", count = 2 }", 2e9 / 15e3),
        ("processors = { model = \"polling\", count = 2, threads = 1, poll_time = \"500 ns\" }", 1e9 / 16e3),
        // Without processors the arrival step and the completion step are separate processes, which work in
        // parallel.
        ("", 1e9 / 9e3),
    ] {
        let text = text(processors);
        let summary = run(&text).summary;
        assert_near(processors, of(&summary, "host_rate").bound.expect("a bound"), bound, 1e-6);
        let near = share(&text, "host_rate");
        assert!((0.9..1.01).contains(&near), "{processors}: {near}");
    }
}

#[test]
fn the_loop_behind_an_array_is_a_bound_and_a_full_one_comes_close_to_it() {
    let text = |network: &str| {
        format!(
            r#"
            [run]
            measured_ios = 400
            warm_up = 50
            [network]
            {network}
            speed = "1GFC"
            stations = ["array.back", "drives"]
            [host]
            kind = "host"
            attached = ["array"]
            [array]
            kind = "raid"
            to = ["drives"]
            stripe_unit = "64 KiB"
            layout = {{ level = "5" }}
            [drives]
            kind = "drives"
            count = 5
            capacity = "64 MiB"
            access_time = "1 us"
            transfer_rate = "1 GB/s"
            [load]
            kind = "closed"
            from = "host"
            to = ["array"]
            size = "256 KiB"
            read_fraction = 1.0
            queue_depth = 16
            "#
        )
    };
    for network in ["kind = \"arbitrated-loop\"", "kind = \"loop-switch\""] {
        let text = text(network);
        let summary = run(&text).summary;
        // Each array request causes at least four reads of 64 KiB, each with 32 frames of 2048 bytes and a response of 24 bytes; a
        // word is 40 bits at 1.0625 Gbit/s.
        let bound = 1e9 / (4.0 * (32.0 * 521.0 + 15.0) * 40.0 / 1.0625);
        let found = of(&summary, "wire_behind_rate").bound.expect("a bound");
        assert!((1.0..1.35).contains(&(found / bound)), "{network}: {found}, {bound}");
        let near = share(&text, "wire_behind_rate");
        assert!((0.7..1.02).contains(&near), "{network}: {near}");
    }
}

/// A host before a controller with an array of drives, all with the given parameters.
fn array(level: &str, count: u32, drives: &str, resources: &str, load: &str) -> String {
    format!(
        r#"
        [run]
        measured_ios = 1500
        warm_up = 100
        [host]
        kind = "host"
        attached = ["controller"]
        [controller]
        kind = "controller"
        to = ["array"]
        resources = {resources}
        [array]
        kind = "raid"
        to = ["drives"]
        inside = "controller"
        stripe_unit = "16 KiB"
        layout = {{ level = "{level}" }}
        [drives]
        kind = "drives"
        count = {count}
        capacity = "64 MiB"
        {drives}
        [load]
        kind = "closed"
        from = "host"
        to = ["controller"]
        {load}
        "#
    )
}

const SAME: &str = "access_time = \"4 ms\"\ntransfer_rate = \"100 MB/s\"";

/// The ratio of a simulated value to its bound.
fn share(text: &str, name: &str) -> f64 {
    let result = run(text);
    let CheckedBound { bound: Some(bound), simulated: Some(simulated), .. } = *of(&result.summary, name)
    else {
        panic!("{name}: {:?}", of(&result.summary, name))
    };
    simulated / bound
}

#[test]
fn a_small_write_of_raid_5_needs_two_reads_and_two_writes() {
    let load = "size = \"4 KiB\"\nread_fraction = 0.0\nqueue_depth = 64";
    let text = array("5", 5, SAME, "{ mapping = { time = \"1 us\" } }", load);
    let summary = run(&text).summary;
    let access_ns = 4e6 + 40_960.0;
    let bound = |name: &str| of(&summary, name).bound.expect(name);
    assert_near("drive rate", bound("drive_rate"), 5e9 / (4.0 * access_ns), 1e-6);
    // The bound counts the least number of accesses: a request that crosses the edge of a stripe unit has two
    // parts at the same time.
    assert_near("one read, then one write", bound("drive_time"), 2.0 * (4e6 + 20_480.0), 1e-6);
    let share = share(&text, "drive_rate");
    assert!((0.85..1.02).contains(&share), "{share}");
}

#[test]
fn a_striped_read_takes_as_long_as_its_slowest_part() {
    let load = "size = \"64 KiB\"\nread_fraction = 1.0\nqueue_depth = 1";
    let drawn =
        "access_time = { distribution = \"exponential\", mean = \"4 ms\" }\ntransfer_rate = \"100 MB/s\"";
    let text = array("0", 4, drawn, "{ mapping = { time = \"1 us\" } }", load);
    let summary = run(&text).summary;
    // The request has four parts of 16 KiB, each with a random access time: the mean of the slowest has the
    // harmonic number of 4 as a factor.
    let slowest_ns = 4e6 * (1.0 + 0.5 + 1.0 / 3.0 + 0.25) + 163_840.0;
    assert_near("slowest", of(&summary, "fork_join_time").bound.expect("a bound"), slowest_ns, 1e-6);
    let share = share(&text, "fork_join_time");
    assert!((0.98..1.04).contains(&share), "{share}");
}

#[test]
fn each_module_of_a_full_controller_comes_close_to_its_bound() {
    let fast = "access_time = \"1 ns\"\ntransfer_rate = \"1000 GB/s\"";
    for (resources, name) in [
        (
            "{ command = { time = \"80 us\" }, mapping = { time = \"20 us\" }, processors = 2 }",
            "processors_rate",
        ),
        ("{ bridge = { bandwidth = \"200 MB/s\" } }", "bridge_rate"),
        ("{ system_bus = { time = \"9 us\", bandwidth = \"200 MB/s\" } }", "system_bus_rate"),
        ("{ memory = { bandwidth = \"200 MB/s\" } }", "memory_rate"),
    ] {
        let text = array("0", 4, fast, resources, "size = \"16 KiB\"\nread_fraction = 0.6\nqueue_depth = 16");
        let near = share(&text, name);
        assert!((0.98..1.01).contains(&near), "{name}: {near}");
        assert_near("the fullest of all", share(&text, "controller_rate"), near, 1e-9);
    }
}

#[test]
fn a_request_that_meets_nobody_goes_round_the_loop() {
    let load = "size = \"512 B\"\nqueue_depth = 1\nqueue_depth_per = \"all\"\nread_fraction = 1.0";
    let fast = drives("0 ns", load).replace("\"100 MB/s\"", "\"900 GB/s\"");
    let far = share(&fast.replace("count = 2", "count = 100"), "arbitration_time");
    // In addition to the propagation, the command and the answer each need one round to win the loop, and one until R_RDY
    // answers OPN.
    assert!((4.0..5.0).contains(&far), "{far}");
    let wire = share(&fast.replace("count = 2", "count = 100"), "wire_time");
    assert!(wire > 3.0 * far, "most of it is the way: {wire}, {far}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sansim_trials::case_count(40)) })]

    /// The law: no simulated value exceeds the bound that follows from the least demands of components.
    #[test]
    fn no_array_comes_out_beyond_a_bound(
        (level, count) in prop::sample::select(vec![("0", 3), ("1", 2), ("10", 4), ("4", 4), ("5", 5), ("5", 3), ("6", 6)]),
        (kib, most_kib) in (1..40_u32, 0..80_u32),
        (reads, depth) in (0..=4_u32, 1..24_u32),
        access in prop::sample::select(vec!["\"2 ms\"", "\"0 ns\"", "{ distribution = \"uniform\", low = \"1 ms\", high = \"3 ms\" }", "{ distribution = \"exponential\", mean = \"1 ms\" }"]),
        resources in prop::sample::select(vec!["{ mapping = { time = \"5 us\" } }", "{ command = { time = \"200 us\" }, memory = { bandwidth = \"90 MB/s\" } }", "{ xor = { time = \"300 us\" }, system_bus = { bandwidth = \"50 MB/s\" }, processors = 2 }"]),
    ) {
        let kinds_of_load = if most_kib < 40 {
            format!("size = \"{kib} KiB\"\nqueue_depth = {depth}")
        } else {
            let most_kib = kib + most_kib;
            format!("size = {{ \"{kib} KiB\" = 70, \"{most_kib} KiB\" = 30 }}\narrivals = {{ process = \"closed\", queue_depth = {depth} }}")
        };
        let load = format!("{kinds_of_load}\nread_fraction = {}", f64::from(reads) / 4.0);
        let drives = format!("access_time = {access}\ntransfer_rate = \"60 MB/s\"");
        let text = array(level, count, &drives, resources, &load);
        let text = if load.contains("arrivals") { text.replace("kind = \"closed\"", "kind = \"synthetic\"") } else { text };
        let result = run(&text);
        let under_way = f64::from(depth) / result.summary.ios as f64;
        let mut bounded = 0;
        for (name, bound) in &result.summary.bounds.0 {
            let CheckedBound { bound: Some(limit), simulated: Some(simulated), .. } = *bound else { continue };
            bounded += 1;
            // Random times have a mean: over 1500 I/Os it is off by some percent.
            if name.ends_with("_rate") {
                prop_assert!(simulated <= limit * (1.04 + under_way), "{} {} at most {}\n{}", name, simulated, limit, text);
            } else {
                prop_assert!(simulated >= 0.96 * limit, "{} {} at least {}\n{}", name, simulated, limit, text);
            }
        }
        prop_assert!(bounded >= 4, "{}", bounded);
    }
}

/// I/Os in flight at the beginning of the measured interval were partly served before; random times of drives have a mean.
#[test]
fn no_shipped_scenario_comes_out_beyond_a_bound() {
    let mut compared = 0;
    let mut files: Vec<String> = std::fs::read_dir(repository("scenarios"))
        .expect("scenarios")
        .map(|file| file.expect("a file").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    files.sort();
    assert!(files.len() > 20);
    for file in &files {
        let path = format!("scenarios/{file}");
        let ios =
            if sansim_trials::tries_all_cases() { "run.measured_ios=1500" } else { "run.measured_ios=700" };
        let short = ["run.duration=none", ios, "run.warm_up=100", "run.functional_warm_up=none"];
        let text = std::fs::read_to_string(repository(&path)).expect("a scenario");
        // Scenarios that replay files are left out, and scenarios that give a duration are shortened by it.
        if text.contains("file =") || text.contains("path = \"") && text.contains("replay") {
            continue;
        }
        let short: &[&str] = if text.contains("duration =") { &short[..] } else { &short[1..3] };
        let result = run_with(&path, short, &RunOptions::default());
        let under_way = load(&path, short).ios_in_flight() as f64 / result.summary.ios as f64;
        for (name, bound) in &result.summary.bounds.0 {
            let CheckedBound { bound: Some(limit), simulated: Some(simulated), .. } = *bound else {
                assert!(bound.not_applicable.is_some(), "{file}: {name}");
                continue;
            };
            compared += 1;
            if name.ends_with("_rate") {
                let most = limit * (1.02 + under_way);
                assert!(simulated <= most, "{file}: {name} {simulated}, at most {limit}");
            } else {
                assert!(simulated >= 0.98 * limit, "{file}: {name} {simulated}, at least {limit}");
            }
        }
    }
    assert!(compared > 40, "{compared}");
}

/// Large requests among small ones have parts on several members at a time, so they take less time than a request of the mean size on one
/// member; and in the third array requests of one size cross the edges of stripe units.
#[test]
fn parts_that_are_carried_out_together_take_as_long_as_the_largest() {
    let mixture = "size = { \"1 KiB\" = 70, \"41 KiB\" = 30 }";
    let closed = "arrivals = { process = \"closed\", queue_depth = 1 }";
    for (level, access, size, reads) in
        [("4", "2 ms", mixture, 1.0), ("10", "0 ns", mixture, 0.0), ("0", "0 ns", "size = \"12 KiB\"", 1.0)]
    {
        let drives = format!("access_time = \"{access}\"\ntransfer_rate = \"60 MB/s\"");
        let load = format!("{size}\n{closed}\nread_fraction = {reads}");
        let text = array(level, 4, &drives, "{ mapping = { time = \"5 us\" } }", &load);
        let result = run(&text.replace("kind = \"closed\"", "kind = \"synthetic\""));
        for (name, bound) in &result.summary.bounds.0 {
            let CheckedBound { bound: Some(limit), simulated: Some(simulated), .. } = *bound else {
                continue;
            };
            let holds =
                if name.ends_with("_rate") { simulated <= limit * 1.01 } else { simulated >= limit * 0.99 };
            assert!(holds, "level {level}: {name} {simulated}, bound {limit}");
        }
    }
}

/// The disks are attached directly to a host.
fn disks(more: &str, load: &str) -> String {
    format!(
        r#"
        [run]
        measured_ios = 400
        warm_up = 20
        [host]
        kind = "host"
        attached = ["disks"]
        [disks]
        kind = "disks"
        count = 8
        {more}
        [load]
        kind = "closed"
        from = "host"
        to = ["disks"]
        {load}
        "#
    )
}

#[test]
fn a_bound_of_disks_that_leaves_out_seeks_and_rotations_is_not_shown() {
    for (more, load) in [
        ("", "size = \"4 KiB\"\nread_fraction = 0.0"),
        ("segments = 0", "size = \"16 KiB\"\nread_fraction = 1.0"),
        ("", "size = \"4 KiB\"\nread_fraction = 0.5\nqueue_depth = 4"),
        ("write_behind = true", "size = \"4 KiB\"\nread_fraction = 0.0"),
    ] {
        let summary = run(&disks(more, load)).summary;
        for name in ["drive_rate", "drive_time", "population_rate"] {
            let CheckedBound { bound, not_applicable, .. } = of(&summary, name);
            assert_eq!(*bound, None, "{name} of {more} {load}");
            assert!(not_applicable.is_some_and(|why| why.contains("disk")), "{name}: {not_applicable:?}");
        }
    }
}

#[test]
fn a_bound_of_disks_that_is_mostly_transfer_is_shown_and_holds() {
    let load = "size = \"4 MiB\"\nread_fraction = 1.0\npattern = \"sequential\"";
    let near = share(&disks("segments = 0", load), "drive_rate");
    assert!((0.5..1.0).contains(&near), "{near}");
}

//! Drives of all kinds in whole runs: a disk, flash, a tape, a RAM disk; with and without a loop; slow, with unreadable
//! sectors, failing.

use crate::common::text::{assert_adds_up, assert_near, assert_reference_agrees, in_place_ns, run};
use proptest::prelude::*;
use sansim_scenario::Scenario;
use sansim_simulator::{RunFlow, RunOptions, RunResult};

/// A host with these drives, attached directly or on a loop.
fn system(on_a_loop: bool, drives: &str, load: &str, more: &str) -> String {
    let (attached, network) = match on_a_loop {
        true => {
            ("", "[loop]\nkind = \"arbitrated-loop\"\nspeed = \"2GFC\"\nstations = [\"host\", \"drives\"]")
        }
        false => ("attached = [\"drives\"]", ""),
    };
    format!(
        "[run]\nmeasured_ios = 1000\nwarm_up = 0\n[host]\nkind = \"host\"\n{attached}\n[drives]\n{drives}\n[load]\n\
         kind = \"closed\"\nfrom = \"host\"\nto = [\"drives\"]\n{load}\n{network}\n{more}"
    )
}

fn response(result: &RunResult) -> f64 {
    result.summary.response_time_ns.mean
}

/// The mean time of a measured I/O in a segment of the drives.
fn spent(result: &RunResult, segment: &str) -> f64 {
    result.summary.ledger_ns.mean.value_named(&format!("drives.{segment}")).copied().unwrap_or(0.0)
}

fn figure(result: &RunResult, name: &str) -> f64 {
    result
        .summary
        .components
        .value_named("drives")
        .and_then(|drives| drives.figure_named(name))
        .expect("a figure")
}

const DISK: &str = "kind = \"disks\"\nread_ahead = \"none\"";
const READS: &str = "size = \"4 KiB\"\nread_fraction = 1.0\nqueue_depth = 1";

#[test]
fn a_disk_straight_at_a_host_takes_what_the_disk_by_itself_does_and_names_seek_and_rotation() {
    let result = run(&system(false, DISK, READS, ""));
    assert_adds_up(&result);
    let parts = ["drive_overhead", "seek", "rotation", "media_transfer", "host_transfer"]
        .map(|segment| spent(&result, segment));
    assert_near("all of it", parts.iter().sum(), response(&result), 1e-9);
    // The disk is a Cheetah 9LP: 10,045 revolutions a minute, half a revolution in the mean; seeks of 5.4 ms
    // by its data sheet.
    assert_near("rotation", parts[2], 60e9 / 10_045.0 / 2.0, 0.05);
    assert_near("seek", parts[1], 5.4e6, 0.1);
    assert_near("the figure", figure(&result, "mean_seek_ns"), parts[1], 1e-9);
}

#[test]
fn behind_a_loop_the_seeks_are_the_same_and_the_rest_comes_on_top() {
    let [straight, behind] = [false, true].map(|on_a_loop| run(&system(on_a_loop, DISK, READS, "")));
    assert_adds_up(&behind);
    assert_eq!(spent(&straight, "seek"), spent(&behind, "seek"), "the same blocks in the same order");
    assert!(in_place_ns(&behind, "loop") > 0.0);
    let others = response(&behind) - in_place_ns(&behind, "drives");
    assert!(others > 0.0 && others < 0.2e6, "{others} ns of adapters and loop");
    assert_reference_agrees(
        &system(true, DISK, "size = \"64 KiB\"\nread_fraction = 0.5\nqueue_depth = 4", "")
            .replace("= 1000", "= 60"),
    );
}

#[test]
fn data_leave_while_the_medium_still_reads() {
    let load = "size = \"256 KiB\"\nread_fraction = 1.0\nqueue_depth = 1";
    let [whole, pieces] = ["\"whole\"", "\"16 KiB\""]
        .map(|pieces| run(&system(true, &format!("{DISK}\nread_sequence = {pieces}"), load, "")));
    // On the loop at 200 MB/s 256 KiB take 1.3 ms, most of which overlap with the reading of the medium at 20
    // MB/s.
    let saved = response(&whole) - response(&pieces);
    assert!(saved > 1.0e6 && saved < 1.5e6, "{saved} ns");
}

#[test]
fn under_load_the_nearer_command_first_is_the_faster_order() {
    let order = |order: &str| {
        let load = "size = \"4 KiB\"\nread_fraction = 1.0\nqueue_depth = 16";
        response(&run(&system(false, &format!("{DISK}\nqueue.order = \"{order}\""), load, "")))
    };
    let [sptf, sstf, fcfs] = ["sptf", "sstf", "fcfs"].map(order);
    assert!(sptf < sstf && sstf < fcfs, "{sptf} {sstf} {fcfs}");
}

#[test]
fn fewer_commands_at_a_time_are_never_slower() {
    for drives in [DISK, "kind = \"flash-drives\"", "kind = \"ram-disks\"\nbandwidth = \"1 GB/s\""] {
        let depth = |depth: u32| {
            let load = format!("size = \"16 KiB\"\nread_fraction = 0.7\nqueue_depth = {depth}");
            response(&run(&system(false, drives, &load, "")))
        };
        let times = [1, 2, 4, 16].map(depth);
        assert!(times.windows(2).all(|pair| pair[0] <= 1.02 * pair[1]), "{drives}: {times:?}");
    }
}

/// Disks of 15,000 revolutions a minute that read sequentially on a loop of this speed, each 1 MiB at a time.
fn streams(disks: u32, speed: &str, segment_blocks: u32) -> RunResult {
    let drives = format!(
        "kind = \"disks\"\npreset = \"cheetah-15k5\"\nzero_latency = false\ncount = {disks}\n\
         segment_blocks = {segment_blocks}\nsegments = 2"
    );
    let load =
        format!("size = \"1 MiB\"\nread_fraction = 1.0\npattern = \"sequential\"\nqueue_depth = {disks}");
    run(&system(true, &drives, &load, "").replace("2GFC", speed).replace("= 1000", "= 400"))
}

/// A disk reads 125 MB a second, a loop of 1GFC moves 100 MB: with eight disks each has an eighth of the
/// loop.
#[test]
fn a_loop_that_is_slower_than_the_disks_stops_their_media_and_a_larger_buffer_stops_them_less() {
    let alone = streams(1, "8GFC", 512);
    assert_eq!(figure(&alone, "media_stops"), 0.0, "the loop takes data before their place is needed");
    let [small, large] = [512, 2_048].map(|blocks| streams(8, "1GFC", blocks));
    for crowded in [&small, &large] {
        assert_adds_up(crowded);
    }
    assert!(figure(&small, "media_stops") > 400.0, "each read is larger than a segment");
    assert!(figure(&large, "media_stops") < figure(&small, "media_stops"));
    assert!(response(&large) <= response(&small));
}

#[test]
fn a_written_disk_gives_room_as_its_buffer_has_it() {
    let load = "size = \"4 MiB\"\nread_fraction = 0.0\nqueue_depth = 2";
    let result =
        run(&system(true, &format!("{DISK}\nwrite_room = \"256 KiB\""), load, "").replace("= 1000", "= 20"));
    assert_adds_up(&result);
    // The run is no faster than the medium, which takes 0.2 s for 4 MiB.
    assert!(response(&result) > 0.3e9, "{}", response(&result));
}

#[test]
fn a_read_of_flash_takes_what_its_parts_take_and_the_ledger_names_them() {
    let result = run(&system(true, "kind = \"flash-drives\"", READS, ""));
    assert_adds_up(&result);
    assert_near("the array", spent(&result, "flash_array"), 75_000.0, 1e-6);
    assert_near("the channel", spent(&result, "flash_channel"), 290.0 + 4096.0 / 0.333, 1e-3);
    assert_eq!(spent(&result, "flash_command"), 0.0);
}

#[test]
fn random_writes_to_a_full_flash_drive_are_amplified_and_to_a_fresh_one_are_not() {
    let small = "kind = \"flash-drives\"\nblocks = 32\npages = 64\nchannels = 2\nchips = 1\nbuffer = \"1 MiB\"\nover_provisioning = \"28 %\"";
    let load = "size = \"8 KiB\"\nread_fraction = 0.0\nqueue_depth = 8";
    let fill =
        |fill: &str| run(&system(false, &format!("{small}\n{fill}"), load, "").replace("= 1000", "= 5000"));
    let (fresh, full) = (fill("precondition = \"0 %\""), fill("fill = 3.0"));
    assert_eq!(figure(&fresh, "write_amplification"), 1.0);
    assert!(figure(&full, "write_amplification") > 1.5, "{}", figure(&full, "write_amplification"));
    assert!(figure(&full, "garbage_collection") > 0.1 && figure(&full, "erases") > 10.0);
    assert!(response(&full) > response(&fresh));
}

#[test]
fn a_tape_streams_what_comes_in_sequence() {
    let load = "size = \"1 MiB\"\nread_fraction = 0.0\nqueue_depth = 4\npattern = \"sequential\"";
    let result =
        run(&system(true, "kind = \"tape-drives\"\nrate = \"100 MB/s\"\nbuffer = \"16 MiB\"", load, ""));
    assert_adds_up(&result);
    // 2GFC carries 200 MB/s: the tape is the bottleneck and never stops.
    assert_eq!(figure(&result, "back_hitches"), 0.0);
    assert_near("its rate", f64::from(1 << 20) * result.summary.iops, 100e6, 0.05);
}

#[test]
fn a_ram_disk_shares_its_bandwidth() {
    let load = "size = \"1 MB\"\nread_fraction = 1.0\nqueue_depth = 10";
    let result =
        run(&system(false, "kind = \"ram-disks\"\nbandwidth = \"1 GB/s\"\nlatency = \"10 us\"", load, ""));
    let (own, others) = (spent(&result, "ram_transfer"), spent(&result, "ram_shared"));
    assert_near("ten at once", own + others, 10e6, 0.05);
    assert_near("a tenth of it its own", own, 1e6, 0.05);
    assert!(figure(&result, "utilisation") > 0.97);
}

fn event(at: &str, what: &str, more: &str) -> String {
    format!("[[event]]\nat = \"{at}\"\ndo = \"{what}\"\nwhat = \"drives[0]\"\n{more}\n")
}

const ALL_DRIVES: &[&str] = &[
    "kind = \"drives\"\naccess_time = \"2 ms\"\ntransfer_rate = \"50 MB/s\"",
    "kind = \"drives\"\naccess_time = \"2 ms\"\ntransfer_rate = \"50 MB/s\"\ncache = \"64 KiB\"",
    "kind = \"disks\"\nwrite_behind = true",
    "kind = \"flash-drives\"",
    "kind = \"ram-disks\"\nbandwidth = \"100 MB/s\"",
    "kind = \"tape-drives\"\nlocate = \"500 us\"\nend_to_end = \"2 ms\"\nback_hitch = \"1 ms\"\nbuffer = \"1 MiB\"\ncapacity = \"2 GiB\"",
    concat!(
        "kind = \"data-sheet-drives\"\ncapacity = \"2 GiB\"\nfile = \"",
        env!("CARGO_MANIFEST_DIR"),
        "/../../scenarios/data-sheet.csv\""
    ),
];

/// Factors that are whole numbers need no rounding.
#[test]
fn a_slow_drive_takes_so_many_times_as_long_until_it_is_repaired() {
    let load = "size = \"16 KiB\"\nread_fraction = 1.0\nqueue_depth = 2\npattern = \"random\"";
    for drives in ALL_DRIVES {
        let plain = run(&system(false, drives, load, ""));
        let slow = run(&system(false, drives, load, &event("0 ns", "slow", "factor = 4")));
        assert_adds_up(&slow);
        assert_near(drives, response(&slow), 4.0 * response(&plain), 1e-9);
        assert_near(drives, figure(&slow, "utilisation"), figure(&plain, "utilisation"), 1e-6);
        let events = event("10 ms", "slow", "factor = 4") + &event("30 ms", "repair", "");
        let passing = response(&run(&system(false, drives, load, &events)));
        assert!(passing > response(&plain) && passing < response(&slow), "{drives}: {passing}");
    }
}

#[test]
fn phases_in_which_a_drive_is_slow_come_as_often_as_is_said() {
    let drives = "kind = \"drives\"\naccess_time = \"1 ms\"\ntransfer_rate = \"1 GB/s\"\nfaults.slow_every = \"30 ms\"\nfaults.slow_for = \"10 ms\"\nfaults.slow_factor = 5";
    let result = run(&system(false, drives, READS, "").replace("= 1000", "= 50000"));
    // In 40 ms the drive completes 30 + 10 / 5 requests of its own.
    assert_near("its rate", response(&result), 40.0 / 32.0 * (1e6 + 4096.0), 0.03);
}

#[test]
fn what_cannot_be_read_fails_at_once_and_what_is_written_there_can_be() {
    let both = ALL_DRIVES.iter().flat_map(|drives| [(false, *drives), (true, *drives)]);
    for (on_a_loop, drives) in both {
        let all = event("0 ns", "unreadable", "bytes = \"1 GiB\"");
        let reads = "size = \"16 KiB\"\nread_fraction = 1.0\nqueue_depth = 2\npattern = \"sequential\"";
        let result = run(&system(on_a_loop, drives, reads, &all));
        assert_adds_up(&result);
        assert_eq!(result.summary.failed_ios, 1000, "{drives}");
        let host = &result.summary.errors.hosts.0[0].1;
        assert_eq!((host.unreadable, host.retries), (1000, 0), "{drives}");
        let writes = "size = \"16 KiB\"\nread_fraction = 0.0\nqueue_depth = 2\npattern = \"sequential\"";
        assert_eq!(run(&system(on_a_loop, drives, writes, &all)).summary.failed_ios, 0, "{drives}");
    }
}

#[test]
fn as_many_reads_fail_as_bits_do() {
    let drives =
        "kind = \"ram-disks\"\nbandwidth = \"10 GB/s\"\ncapacity = \"1 PiB\"\nfaults.unreadable = 1e-6";
    let result = run(&system(false, drives, READS, "").replace("= 1000", "= 50000"));
    let expected = 50_000.0 * (1.0 - (1.0 - 1e-6_f64).powi(8 * 4096));
    assert!(
        (result.summary.failed_ios as f64 - expected).abs() < 4.0 * expected.sqrt(),
        "{}",
        result.summary.failed_ios
    );
}

#[test]
fn drives_that_fail_at_random_are_out_for_their_share_of_the_time() {
    for drives in ALL_DRIVES {
        let faults = "count = 4\nfaults.fails_every = \"900 ms\"\nfaults.fails_for = \"100 ms\"";
        let load = "[load]\nkind = \"synthetic\"\narrivals = { process = \"poisson\", rate = \"200/s\" }\nsize = \"4 KiB\"\nread_fraction = 1.0\n";
        let text = system(false, &format!("{drives}\n{faults}"), "", "")
            .replace("[load]\nkind = \"closed\"\n", load)
            .replace("= 1000", "= 20000");
        let result = run(&text);
        assert_adds_up(&result);
        // In 100 s each of the four drives is down some 100 times. The one or two requests that a drive serves when it fails are counted
        // in addition.
        let share = result.summary.failed_ios as f64 / 20_000.0;
        assert!((0.08..0.15).contains(&share), "{drives}: {share}");
    }
}

#[test]
fn a_mirror_reads_what_one_copy_cannot_from_the_other_and_stays_a_mirror() {
    let text = format!(
        "[run]\nmeasured_ios = 1000\nwarm_up = 0\n[host]\nkind = \"host\"\nattached = [\"mirror\"]\n[mirror]\nkind = \"mirror\"\nto = [\"drives\"]\n\
         [drives]\ncount = 2\n{}\n[load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"mirror\"]\n{READS}\n{}",
        ALL_DRIVES[0],
        event("0 ns", "unreadable", "bytes = \"64 GiB\"")
    );
    let result = run(&text);
    assert_adds_up(&result);
    assert_eq!(result.summary.failed_ios, 0);
    // The first copy is read first, and reports the error when the head reaches the sector.
    assert_near("each of them twice", response(&result), 2.0 * 2.08192e6, 1e-6);
}

/// Runs an example with these keys.
fn example(name: &str, keys: &[(&str, &str)]) -> RunResult {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(name);
    let set: Vec<(String, String)> =
        keys.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    let scenario = Scenario::load_file(&file, &set).unwrap_or_else(|report| panic!("{report}"));
    sansim_simulator::run(&scenario, &RunOptions::default(), &mut |_| RunFlow::Continue).expect("it runs")
}

#[test]
fn the_example_of_orders_saves_seeks_first_and_then_rotation() {
    let [fcfs, sstf, sptf] = ["fcfs", "sstf", "sptf"].map(|order| {
        example("disk-schedulers.toml", &[("drives.queue.order", order), ("run.measured_ios", "4000")])
    });
    assert!(spent(&sstf, "seek") < 0.6 * spent(&fcfs, "seek"));
    assert_near("rotation", spent(&sstf, "rotation"), spent(&fcfs, "rotation"), 0.1);
    assert!(spent(&sptf, "rotation") < 0.8 * spent(&sstf, "rotation"));
    assert!(response(&sptf) < response(&sstf) && response(&sstf) < response(&fcfs));
}

#[test]
fn the_example_of_flash_has_less_to_copy_and_waits_less_with_more_spare() {
    let spare = |spare: &str| {
        let keys = [("drives.over_provisioning", spare), ("run.measured_ios", "10000")];
        let result = example("flash.toml", &keys);
        (figure(&result, "write_amplification"), spent(&result, "flash_collection"))
    };
    let all = ["15 %", "28 %", "60 %"].map(spare);
    assert!(all.windows(2).all(|pair| pair[0].0 > pair[1].0 && pair[0].1 > pair[1].1), "{all:?}");
    assert!(all[2].0 > 1.0);
}

fn any_of(words: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop::sample::select(words)
}

const KINDS: &[&str] = &[
    "kind = \"drives\"\naccess_time = \"500 us\"\ntransfer_rate = \"100 MB/s\"",
    "kind = \"drives\"\naccess_time = \"500 us\"\ntransfer_rate = \"100 MB/s\"\ncache = \"64 KiB\"",
    "kind = \"drives\"\naccess_time = \"500 us\"\ntransfer_rate = \"100 MB/s\"\nconcurrency = 3\nread_sequence = \"8 KiB\"",
    "kind = \"disks\"",
    "kind = \"disks\"\nwrite_behind = true\nwrite_room = \"64 KiB\"\nqueue.order = \"sptf\"",
    "kind = \"flash-drives\"\nblocks = 64\npages = 64\nbuffer = \"256 KiB\"\nover_provisioning = \"28 %\"",
    "kind = \"tape-drives\"\nlocate = \"1 ms\"\nend_to_end = \"20 ms\"\nback_hitch = \"3 ms\"\nbuffer = \"1 MiB\"\ncapacity = \"1 GB\"",
    "kind = \"ram-disks\"\nbandwidth = \"100 MB/s\"",
    concat!(
        "kind = \"data-sheet-drives\"\ncapacity = \"1 GB\"\nfile = \"",
        env!("CARGO_MANIFEST_DIR"),
        "/../../scenarios/data-sheet.csv\""
    ),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(300), ..ProptestConfig::default() })]

    /// Commands time out and are aborted, drives fail, are repaired, become slow and lose sectors, by events and at random: there are no
    /// leftovers, nothing is answered twice, and ledgers add up.
    #[test]
    fn nothing_is_lost_whatever_happens_to_drives(
        kind in any_of(KINDS),
        on_a_loop in any::<bool>(),
        size in any_of(&["512 B", "5000 B", "16 KiB", "200 KiB"]),
        depth in 1_u32..8,
        reads in any_of(&["0.0", "0.5", "1.0"]),
        pattern in any_of(&["random", "sequential"]),
        time_out in any_of(&["3 ms", "11 ms", "200 ms"]),
        faults in any_of(&["", "faults.unreadable = 1e-6", "faults.slow_every = \"7 ms\"\nfaults.slow_for = \"3 ms\"\nfaults.slow_factor = 3.7", "faults.fails_every = \"5 ms\"\nfaults.fails_for = \"2 ms\""]),
        events in prop::collection::vec((0_u32..60_000, any_of(&["fail", "repair", "slow", "unreadable", "repair"]), 1_u32..90), 0..8),
        seed in 0_u32..100_000,
    ) {
        let mut more = String::new();
        for (at, what, factor) in events {
            more += &event(&format!("{at} us"), what, &format!("factor = {}\nfirst_byte = \"{factor} MiB\"\nbytes = \"1 MiB\"", f64::from(factor) / 9.0 + 1.0));
        }
        let load = format!("size = \"{size}\"\nread_fraction = {reads}\nqueue_depth = {depth}\npattern = \"{pattern}\"");
        let text = system(on_a_loop, &format!("{kind}\ncount = 2\n{faults}"), &load, &more)
            .replace("= 1000\n", &format!("= 150\nseed = {seed}\n"))
            .replace("kind = \"host\"", &format!("kind = \"host\"\ndriver.time_out = \"{time_out}\"\ndriver.retries = 2\ndriver.arrival_time = \"5 us\""));
        let result = run(&text);
        assert_adds_up(&result);
        prop_assert_eq!(result.summary.ios, 150);
    }
}

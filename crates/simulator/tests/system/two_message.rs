//! The protocol of two messages, on the network for which it was designed and on other networks.

use crate::common::figure;
use crate::common::text::{assert_adds_up, in_place_ns, run, scenario};
use proptest::prelude::*;
use sansim_kernel::Span;

/// The links of Molero et al. 2001: 6.25 ns for a byte, 3 m to nodes and 30 m between switches, with switches of 150 ns with eight
/// buffers.
const MOLERO: &str = "protocol = \"plain\"\nword_time = \"25 ns\"\nspeed = \"1GFC\"\ncable = \"3 m\"\nbackbone_cable = \"30 m\"\n\
    switch.buffers = 8\nswitch.routing_delay = \"150 ns\"";

/// An adapter that takes no time except for DMA at 10^12 bytes a second.
const ADAPTER: &str =
    "protocol = \"two-message\"\nrequest_bytes = \"0 B\"\ndma_bandwidth = \"1 TB/s\"\noutgoing_buffers = 64";

/// Hosts and drives of memory on this network.
fn system(network: &str, hosts: usize, drives: usize, load: &str, ios: u32) -> String {
    let names: Vec<String> = (0..hosts).map(|host| format!("\"host{host}\"")).collect();
    let mut text = format!(
        "[run]\nmeasured_ios = {ios}\nwarm_up = 0\n[san]\n{network}\nstations = [{}, \"drives\"]\n",
        names.join(", ")
    );
    for host in 0..hosts {
        text += &format!(
            "[host{host}]\nkind = \"host\"\n[host{host}.port]\nincoming_buffers = 8\n[host{host}.adapter]\n{ADAPTER}\n\
             [load{host}]\nkind = \"closed\"\nfrom = \"host{host}\"\nto = [\"drives\"]\n{load}\n"
        );
    }
    text + &format!(
        "[drives]\nkind = \"drives\"\ncount = {drives}\nmodel = \"ram\"\ntransfer_rate = \"100 GB/s\"\n[drives.port]\nincoming_buffers = 8\n\
         [drives.adapter]\n{ADAPTER}\n"
    )
}

fn molero(keys: &str, hosts: usize, drives: usize, load: &str, ios: u32) -> String {
    system(&format!("kind = \"fabric\"\n{MOLERO}\n{keys}"), hosts, drives, load, ios)
}

fn load(bytes: u32, reads: f64, depth: u32) -> String {
    format!("size = \"{bytes} B\"\nread_fraction = {reads:?}\nqueue_depth = {depth}")
}

/// The time of a message over this number of switches of [`MOLERO`], in nanoseconds: at each switch the header, a word, has come over the
/// cable and is routed.
fn message_ns(bytes: u64, switches: u64) -> u64 {
    let cables = 2 * 15 + (switches - 1) * 150;
    switches * (25 + 150) + cables + bytes.div_ceil(4) * 25
}

#[test]
fn one_io_takes_a_control_and_a_data_message_and_what_dma_takes_to_the_tick() {
    let line = "topology = \"given\"\nswitches.near.stations = [\"host0\"]\nswitches.middle.stations = []\nswitches.far.stations = [\"drives\"]\n\
                links.one = { from = \"near\", to = \"middle\", cable = \"30 m\" }\nlinks.other = { from = \"middle\", to = \"far\", cable = \"30 m\" }";
    for (keys, switches) in [("", 1), (line, 3)] {
        for reads in [0.0, 1.0] {
            let result = run(&molero(keys, 1, 1, &load(2048, reads, 1), 50));
            assert_adds_up(&result);
            // Fetching always adds to the time; received data are stored while the remaining data of a write
            // arrive.
            let moves = if reads > 0.0 { 2 } else { 1 };
            let dma = moves * Span::to_move(2048, 1_000_000_000_000).ticks();
            let by_hand = (message_ns(20, switches) + message_ns(2048, switches)) * 561 + dma;
            let drive = (in_place_ns(&result, "drives") * 561.0).round() as u64;
            for io in &result.ios.rows {
                assert_eq!(io.response.ticks(), by_hand + drive, "{switches} switches, reads {reads}");
            }
        }
    }
}

#[test]
fn of_each_io_one_message_is_short_and_the_other_carries_the_data_in_packets() {
    for (bytes, packets) in [(512, 1), (2048, 1), (2560, 2), (16384, 8)] {
        for reads in [0.0, 0.5, 1.0] {
            let result = run(&molero("", 2, 3, &load(bytes, reads, 2), 300));
            assert_adds_up(&result);
            let frames = figure(&result.summary, "san", "frames");
            let ios = result.summary.ios as f64;
            // A few more I/Os are in flight at either end of the measured interval.
            let each = f64::from(packets + 1);
            assert!((frames - each * ios).abs() <= 8.0 * each, "{bytes} B: {frames} frames for {ios} I/Os");
        }
    }
}

#[test]
fn it_goes_over_a_loop_and_over_fibre_channel_links_as_well() {
    for network in [
        "kind = \"arbitrated-loop\"\nspeed = \"2GFC\"",
        "kind = \"loop-switch\"\nspeed = \"2GFC\"",
        "kind = \"fabric\"\nspeed = \"8GFC\"\ntopology = \"tree\"",
    ] {
        let result = run(&system(network, 2, 3, &load(8192, 0.5, 3), 400));
        assert_adds_up(&result);
        assert_eq!(result.summary.failed_ios, 0, "{network}");
    }
}

#[test]
fn what_fails_is_answered_by_a_control_message() {
    let text = molero("", 1, 2, &load(4096, 0.5, 2), 300);
    let text = text + "[[event]]\nat = \"1 ms\"\nwhat = \"drives[1]\"\ndo = \"fail\"\n";
    let result = run(&text);
    assert!(result.summary.failed_ios > 0, "those of the drive that failed");
    assert_adds_up(&result);
}

#[test]
fn what_is_lost_with_a_link_is_asked_for_again_when_its_time_is_over() {
    let keys = "topology = \"given\"\nswitches.near.stations = [\"host0\", \"host1\"]\nswitches.far.stations = [\"drives\"]\n\
                links.one = { from = \"near\", to = \"far\" }\nlinks.other = { from = \"near\", to = \"far\", cable = \"100 m\" }";
    let mut text = molero(keys, 2, 4, &load(8192, 0.5, 4), 600);
    text = text.replace("kind = \"host\"", "kind = \"host\"\ndriver.time_out = \"2 ms\"");
    for (at, link, what) in
        [(300, "one", "fail"), (900, "one", "repair"), (1500, "other", "fail"), (2100, "other", "repair")]
    {
        text += &format!("[[event]]\nat = \"{at} us\"\nwhat = \"san.links.{link}\"\ndo = \"{what}\"\n");
    }
    let result = run(&text);
    assert_adds_up(&result);
    assert_eq!(result.summary.failed_ios, 0);
}

#[test]
fn adapters_of_a_network_speak_the_same() {
    let text = molero("", 1, 2, &load(2048, 0.5, 1), 100);
    let (hosts, drives) = text.rsplit_once("protocol = \"two-message\"\n").expect("the drives speak it");
    let told = sansim_scenario::Scenario::parse_text(&format!("{hosts}{drives}"), "test")
        .err()
        .map(|report| report.to_string());
    let told = told.unwrap_or_default();
    assert!(told.contains("`drives.adapter` speaks \"fcp\"") && told.contains("\"two-message\""), "{told}");
    let bus = system("kind = \"scsi-bus\"\nspeed = \"ultra160\"", 1, 1, &load(2048, 0.5, 1), 100);
    let told = sansim_scenario::Scenario::parse_text(&bus, "test")
        .err()
        .map(|report| report.to_string())
        .unwrap_or_default();
    assert!(told.contains("knows the sequences of FCP only"), "{told}");
    assert_eq!(scenario(&text).to_toml(), scenario(&scenario(&text).to_toml()).to_toml());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(40), ..ProptestConfig::default() })]

    #[test]
    fn in_random_systems_all_comes_to_an_end_and_adds_up(
        topology in prop::sample::select(vec!["single-switch", "floors+", "tree", "fat-tree"]),
        hosts in 1..4_usize,
        drives in 1..6_usize,
        bytes in prop::sample::select(vec![512_u32, 2048, 4096, 10240]),
        reads in prop::sample::select(vec![0.0, 0.5, 1.0]),
        depth in 1..6_u32,
        buffers in 1..4_u32,
        burst_done in prop::sample::select(vec!["received", "stored"]),
    ) {
        let keys = format!("topology = \"{topology}\"");
        let text = molero(&keys, hosts, drives, &load(bytes, reads, depth), 100)
            .replace("switch.buffers = 8", &format!("switch.buffers = {buffers}"))
            .replace("protocol = \"two-message\"", &format!("protocol = \"two-message\"\nburst_done = \"{burst_done}\""));
        let result = run(&text);
        assert_adds_up(&result);
        prop_assert_eq!(figure(&result.summary, "san", "lost_frames"), 0.0);
        prop_assert_eq!(result.summary.failed_ios, 0);
    }
}

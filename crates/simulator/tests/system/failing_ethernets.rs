//! Ethernets whose links and switches fail while I/Os are in progress.

use crate::common::figure;
use crate::common::text::{assert_adds_up, event, run};
use proptest::prelude::*;

/// A host and a drive at two leaves, with two spines between them.
fn leaves(transport: &str, more: &str, events: &str) -> String {
    format!(
        "[run]\nduration = \"400 ms\"\nwarm_up = 0\n{events}\n\
         [lan]\nkind = \"ethernet\"\nspeed = \"25GbE\"\nmtu = \"9000 B\"\ntransport = \"{transport}\"\ntopology = \"given\"\n\
         stations = [\"host\", \"drives\"]\n{more}\n\
         [lan.switches.left]\nstations = [\"host\"]\n[lan.switches.right]\nstations = [\"drives\"]\n\
         [lan.switches.up]\nstations = []\n[lan.switches.down]\nstations = []\n\
         [lan.links.lu]\nfrom = \"left\"\nto = \"up\"\n[lan.links.ur]\nfrom = \"up\"\nto = \"right\"\n\
         [lan.links.ld]\nfrom = \"left\"\nto = \"down\"\n[lan.links.dr]\nfrom = \"down\"\nto = \"right\"\n\
         [host]\nkind = \"host\"\nadapter.protocol = \"nvme\"\n[drives]\nkind = \"drives\"\nmodel = \"ram\"\ncount = 8\ntransfer_rate = \"2 GB/s\"\n\
         adapter.protocol = \"nvme\"\n[load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"drives\"]\nsize = \"16 KiB\"\nqueue_depth = 2\n"
    )
}

/// A part of the network fails for some time.
fn out(part: &str, at_us: u64, lasts_us: u64) -> String {
    event(at_us, "fail", part) + &event(at_us + lasts_us, "repair", part)
}

/// The flows of a spine that fails go by the other one when routing has converged; what was in flight is sent again after a time-out.
#[test]
fn ios_go_on_by_the_other_spine_when_one_fails() {
    for (transport, more) in [
        ("tcp", "tcp = { time_out = \"4 ms\", least_time_out = \"2 ms\", delayed_ack = \"1 ms\" }"),
        ("rdma", "rdma = { time_out = \"2 ms\" }"),
    ] {
        let events = out("lan.switches.up", 100_000, 100_000);
        let longest_ms = |convergence: &str| {
            let result = run(&leaves(
                transport,
                &format!("{more}\nswitch.convergence_time = \"{convergence}\""),
                &events,
            ));
            assert_adds_up(&result);
            assert!(figure(&result.summary, "lan", "sent_again") > 0.0);
            result.ios.rows.iter().map(|io| io.response.as_ns_f64() / 1e6).fold(0.0, f64::max)
        };
        let at_once = longest_ms("0 ns");
        assert!(at_once > 0.1 && at_once < 10.0, "{transport}: {at_once} ms");
        // The flows wait for routing, and for the next time-out, which doubles with TCP.
        let later = longest_ms("50 ms");
        assert!(later > 50.0 && later < 110.0, "{transport}: {later} ms");
    }
}

/// While both spines are away nothing arrives; afterwards everything does.
#[test]
fn ios_wait_for_a_repair_where_there_is_no_other_path() {
    let more = "tcp = { time_out = \"4 ms\", least_time_out = \"2 ms\", delayed_ack = \"1 ms\" }";
    let events = out("lan.links.lu", 100_000, 30_000) + &out("lan.switches.down", 100_000, 30_000);
    let result = run(&leaves("tcp", more, &events));
    assert_adds_up(&result);
    let done = result.ios.rows.iter().map(|io| io.completed.as_ns_f64() / 1e6);
    let within = done.filter(|&at| at > 100.2 && at < 130.0).count();
    assert_eq!(within, 0);
    assert!(result.summary.ios > 1_000);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(100), failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever fails and is repaired, in any topology: all I/Os come back once, and ledgers add up.
    #[test]
    fn nothing_is_lost_when_parts_of_an_ethernet_fail_and_are_repaired(
        rdma in any::<bool>(), lossless in any::<bool>(), hosts in 1..4_usize, drives in 1..4_usize, depth in 1..5_u32, blocks in 1..200_u64,
        reads in prop::sample::select(vec![0.0, 0.5, 1.0]), seed in 0..1000_u64,
        topology in prop::sample::select(vec!["core-edge", "mesh", "single-switch"]), buffer in prop::option::of(30_000..200_000_u64),
        convergence_us in prop_oneof![Just(0_u64), 1..3_000_u64], slow in any::<bool>(), cuts in any::<bool>(),
        failures in prop::collection::vec((0..20_usize, 100..20_000_u64, 1..8_000_u64), 1..5),
    ) {
        let names: Vec<String> = (0..hosts).map(|number| format!("\"host{number}\"")).collect();
        let parts: &[&str] = match topology {
            "single-switch" => &["switches.switch"],
            "mesh" => &["switches.s0_0", "switches.s1_1", "links.s0_0-s0_1"],
            _ => &["switches.core0", "switches.core1", "switches.edge0", "switches.edge1", "links.core0-edge0", "links.core1-edge1"],
        };
        let mut events = String::new();
        for &(part, at, lasts) in &failures {
            let what = format!("san.{}", parts[part % parts.len()]);
            events += &out(&what, at, lasts);
        }
        let rules = if rdma { "rdma.time_out = \"2 ms\"" } else {
            "tcp.window = \"256 KiB\"\ntcp.delayed_ack = \"1 ms\"\ntcp.time_out = \"4 ms\"\ntcp.least_time_out = \"2 ms\""
        };
        let buffer = buffer.map(|buffer| format!("switch.port_buffer = \"{buffer} B\"\n")).unwrap_or_default();
        let slow = if slow { "[san.slow.one]\nmembers = [\"drives[0]\"]\nrate = \"300 MB/s\"\n" } else { "" };
        let mut text = format!(
            "[run]\nmeasured_ios = 60\nwarm_up = 0\nseed = {seed}\n{events}[san]\nkind = \"ethernet\"\nspeed = \"25GbE\"\nmtu = \"9000 B\"\n\
             transport = \"{}\"\ntopology = \"{topology}\"\nrouting = \"up-down-flow\"\ncable = \"20 m\"\nqueue.lossless = {lossless}\n\
             queue.pause_above = \"30 KB\"\nqueue.resume_below = \"20 KB\"\nswitch.latency = \"1 us\"\nswitch.switching = \"{}\"\n\
             switch.convergence_time = \"{convergence_us} us\"\n{buffer}{rules}\nstations = [{}, \"drives\"]\n{slow}\
             [drives]\nkind = \"drives\"\nmodel = \"ram\"\ncount = {drives}\ntransfer_rate = \"2 GB/s\"\nadapter.protocol = \"nvme\"\n",
            if rdma { "rdma" } else { "tcp" }, if cuts { "cut-through" } else { "store-and-forward" }, names.join(", "),
        );
        for number in 0..hosts {
            text += &format!(
                "[host{number}]\nkind = \"host\"\nadapter.protocol = \"nvme\"\n[load{number}]\nkind = \"closed\"\nfrom = \"host{number}\"\n\
                 to = [\"drives\"]\nsize = \"{} B\"\nread_fraction = {reads:?}\nqueue_depth = {depth}\n", blocks * 512
            );
        }
        let result = run(&text);
        assert_adds_up(&result);
        prop_assert_eq!(result.summary.ios, 60);
    }
}

/// Two Ethernets to each drive, one of which fails for ever: a host whose commands time out uses the other one.
#[test]
fn a_host_leaves_an_ethernet_that_fails_for_ever() {
    for transport in ["tcp", "rdma"] {
        let lan = |name: &str| {
            format!(
                "[{name}]\nkind = \"ethernet\"\nspeed = \"25GbE\"\nmtu = \"9000 B\"\ntransport = \"{transport}\"\n\
                 stations = [\"host.adapters.{name}\", \"drives.adapters.{name}\"]\n"
            )
        };
        let adapters = "adapters.a.protocol = \"nvme\"\nadapters.b.protocol = \"nvme\"\n";
        let text = format!(
            "[run]\nduration = \"2 s\"\nwarm_up = 0\n{}{}{}[host]\nkind = \"host\"\npath = \"round-robin\"\n{adapters}\
             adapters.a.logout_aborts = 1\nadapters.b.logout_aborts = 1\nno_way_time = \"unlimited\"\ndriver.time_out = \"50 ms\"\n\
             [host.driver.path_checker]\ninterval = \"100 ms\"\ntime_out = \"50 ms\"\neach = \"adapters\"\nin_flight = \"abort\"\n\
             [drives]\nkind = \"drives\"\nmodel = \"ram\"\ncount = 4\ntransfer_rate = \"2 GB/s\"\n{adapters}\
             [load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"drives\"]\nsize = \"16 KiB\"\nqueue_depth = 2\nthink_time = \"1 ms\"\n",
            event(500_000, "fail", "a"),
            lan("a"),
            lan("b"),
        );
        let result = run(&text);
        assert_adds_up(&result);
        assert_eq!(result.summary.failed_ios, 0);
        let last = result.ios.rows.iter().map(|io| io.completed.as_ns_f64() / 1e9).fold(0.0, f64::max);
        assert!(last > 1.99, "{transport}: {last} s");
    }
}

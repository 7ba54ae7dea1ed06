//! A network with TCP with its hosts and devices: closed forms, laws, a NAS head, and failures.

use crate::common::text::{assert_adds_up, assert_near, run, scenario};
use crate::common::{figure, mean_ns, run as run_file};
use proptest::prelude::*;
use sansim_scenario::Scenario;
use sansim_simulator::summary::Summary;

/// The adapter takes almost no time.
const IDEAL: &str = "adapter.dma_bandwidth = \"1 TB/s\"\nadapter.request_bytes = \"0 B\"\n";

/// Hosts, and stores of no time of their own, over TCP.
#[derive(Clone, Debug)]
struct System {
    lan: String,
    hosts: usize,
    size: u64,
    reads: bool,
    depth: u32,
    run: String,
    end: String,
    host: String,
}

impl Default for System {
    fn default() -> Self {
        Self {
            lan: String::new(),
            hosts: 1,
            size: 65_536,
            reads: true,
            depth: 1,
            run: "measured_ios = 20\nwarm_up = 0".to_owned(),
            end: String::new(),
            host: String::new(),
        }
    }
}

impl System {
    fn text(&self) -> String {
        let Self { lan, hosts, size, reads, depth, run, end, host } = self;
        let names: Vec<String> = (0..*hosts).map(|number| format!("\"host{number}\"")).collect();
        let rate = if lan.contains("rate =") { "" } else { "rate = \"125 MB/s\"\n" };
        let (keys, tables) = lan.split_once('[').unwrap_or((lan, ""));
        let tables = if tables.is_empty() { String::new() } else { format!("[lan.{tables}") };
        let mut text = format!(
            "[run]\n{run}\n[lan]\nkind = \"tcp\"\n{rate}{keys}\nstations = [{}, \"store\"]\n{tables}\n[store]\nkind = \"ram-disks\"\n\
             latency = \"0 ns\"\nbandwidth = \"10 TB/s\"\n{IDEAL}{end}\n",
            names.join(", ")
        );
        for number in 0..*hosts {
            text += &format!(
                "[host{number}]\nkind = \"host\"\n{IDEAL}{end}{host}\n[load{number}]\nkind = \"closed\"\nfrom = \"host{number}\"\nto = \"store\"\n\
                 size = \"{size} B\"\nread_fraction = {}.0\nqueue_depth = {depth}\n",
                u8::from(*reads)
            );
        }
        text
    }

    fn summary(&self) -> Summary {
        run(&self.text()).summary
    }

    fn response_ns(&self) -> f64 {
        self.summary().response_time_ns.mean
    }
}

/// The nanoseconds of a frame with this number of bytes of data on gigabit Ethernet.
fn frame_ns(bytes: u64) -> f64 {
    ((bytes + 40).max(46) + 38) as f64 * 8.0
}

/// Both protocols are tested, for a read and for a write, where nothing is lost and the window is wide.
#[test]
fn an_io_alone_takes_its_frames_on_two_links_and_the_ways() {
    let (latency, size) = (20_000.0, 65_536_u64);
    let (segments, last) = (size / 1_460, size % 1_460);
    // All segments pass the first link, and the last segment passes the second: it is shorter than the segment before, behind
    // which it arrives.
    let data = frame_ns(1_460) * (segments as f64 + 1.0) + frame_ns(last) + latency;
    let message = |bytes: u64| 2.0 * frame_ns(bytes) + latency;
    let of = |reads: bool, end: &str| {
        let lan = "window = \"1 MiB\"\nlatency = \"20 us\"\ndelayed_ack = \"1 ms\"".to_owned();
        let run = "measured_ios = 1\nwarm_up = 0".to_owned();
        System { lan, reads, end: end.to_owned(), run, ..System::default() }.response_ns()
    };
    let files = "adapter.protocol = \"two-message\"\nadapter.control_payload = \"128 B\"\n";
    // The messages are FCP_CMND of 32 bytes, FCP_XFER_RDY of 12 bytes, and FCP_RSP of 24 bytes, which follows
    // the last data.
    let status = frame_ns(24);
    for (what, found, expected) in [
        ("blocks, read", of(true, ""), message(32) + data + status),
        ("blocks, write", of(false, ""), message(32) + message(12) + data + message(24)),
        ("files, read", of(true, files), message(128) + data),
        ("files, write", of(false, files), data + message(128)),
    ] {
        println!("{what}: {found} ns, expected {expected}");
        // An adapter fetches a frame of 2 KiB in 2 ns.
        assert!((found - expected).abs() < 200.0, "{what}: {found} ns, expected {expected}");
    }
}

/// With a wide window a link carries its rate, less headers; a host that reads over it has an interrupt for each frame (Friedman, footnote
/// 1: 80,000).
#[test]
fn a_saturated_link_carries_its_rate_less_headers_and_interrupts_a_host_for_each_frame() {
    for mtu in [1_500_u64, 9_000] {
        let system = System {
            lan: format!("window = \"4 MiB\"\nmtu = \"{mtu} B\"\ndelayed_ack = \"1 ms\""),
            size: 1 << 20,
            depth: 4,
            run: "duration = \"1 s\"\nwarm_up = \"100 ms\"".to_owned(),
            ..System::default()
        };
        let summary = system.summary();
        let share = (mtu - 40) as f64 / (mtu + 38) as f64;
        assert_near("bytes per second", summary.iops * system.size as f64, 125e6 * share, 5e-3);
        let interrupts = figure(&summary, "lan", "asking_interrupts");
        // The count includes interrupts for the status and for acknowledgements of commands; the last of 118 large
        // segments is a short one.
        assert_near(
            "interrupts",
            interrupts,
            125e6 / (mtu + 38) as f64,
            if mtu == 1_500 { 5e-3 } else { 2e-2 },
        );
        if mtu == 1_500 {
            assert_near("F-P11", interrupts, 80_000.0, 0.02);
        }
        assert!(figure(&summary, "lan", "served_utilisation") > 0.995);
    }
}

#[test]
fn a_window_limits_what_goes_in_a_round_trip() {
    let of = |window: u64| {
        let system = System {
            lan: format!("window = \"{window} B\"\nlatency = \"2 ms\"\nack_every = 1"),
            size: 16 << 20,
            run: "measured_ios = 5\nwarm_up = 0".to_owned(),
            ..System::default()
        };
        let summary = system.summary();
        summary.iops * system.size as f64
    };
    for segments in [4_u64, 16, 44] {
        // The round trip is a segment and its acknowledgement on two links each, and the propagation in both
        // directions.
        let round_ns = 2.0 * (frame_ns(1_460) + frame_ns(0)) + 4e6;
        let rate = (segments * 1_460) as f64 / round_ns * 1e9;
        assert_near("bytes per second", of(segments * 1_460), rate, 0.01);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(60), failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever frames are lost and whatever the parameters of the ends are, all I/Os come back, and ledgers
    /// add up.
    #[test]
    fn nothing_is_left_over_tcp_that_loses_frames(
        seed in 0..1_000_u64, loss in 0..10_u32, reads in any::<bool>(), files in any::<bool>(), hosts in 1..4_usize, depth in 1..4_u32,
        blocks in 1..200_u64, ready in 1..20_u32
    ) {
        let protocol = if files { "adapter.protocol = \"two-message\"\n" } else { "" };
        let system = System {
            lan: format!(
                "frame_loss = {}\ntime_out = \"20 ms\"\ndelayed_ack = \"5 ms\"\nmtu = \"4000 B\"\n[stacks.all]\nmembers = [\"store\"]\n\
                 speed_mhz = 1000\nreceive_cycles = 2000\nsend_cycles = 1000\ninterrupt_cycles = 900\ncoalesce_frames = 3\n",
                f64::from(loss) / 100.0
            ),
            hosts,
            size: 512 * blocks,
            reads,
            depth,
            run: format!("seed = {seed}\nmeasured_ios = 100\nwarm_up = 0"),
            end: format!("{protocol}adapter.outgoing_buffers = {ready}\n"),
            ..System::default()
        };
        let result = run(&system.text());
        assert_adds_up(&result);
        let lost = figure(&result.summary, "lan", "lost_frames");
        prop_assert!(loss > 0 || lost == 0.0);
    }

    #[test]
    fn a_larger_datagram_is_never_more_interrupts_and_a_faster_link_never_slower(
        mtu in 576..8_000_u64, more in 1..8_000_u64, rate in 10..500_u64, faster in 1..500_u64, blocks in 1..400_u64, reads in any::<bool>(),
        files in any::<bool>()
    ) {
        let protocol = if files { "adapter.protocol = \"two-message\"\n" } else { "" };
        let of = |mtu: u64, rate: u64| {
            let system = System {
                lan: format!("rate = \"{rate} MB/s\"\nmtu = \"{mtu} B\"\nwindow = \"16 MiB\"\ndelayed_ack = \"1 ms\"\n"),
                size: 512 * blocks,
                reads,
                end: protocol.to_owned(),
                run: "measured_ios = 3\nwarm_up = 0".to_owned(),
                ..System::default()
            };
            let summary = system.summary();
            let frames = figure(&summary, "lan", "data_frames");
            (summary.response_time_ns.mean, frames)
        };
        let (now, frames) = of(mtu, rate);
        let (larger, fewer) = of(mtu + more, rate);
        let (sooner, _) = of(mtu, rate + faster);
        // A larger segment is stored in the switch for longer, and up to six bytes of a short segment are
        // padding.
        let stored = (more + 6) as f64 / rate as f64 * 1e3;
        // The adapters, of 1 TB/s, fetch the first segment and store the last, which was the short segment.
        let moved = (more + mtu + more) as f64 / 1e3;
        prop_assert!(fewer <= frames, "{frames} frames, {fewer} of {more} bytes more");
        prop_assert!(larger <= now + stored + moved, "{now} ns, and {larger} ns with {more} bytes more");
        prop_assert!(sooner <= now + 0.01, "{now} ns, and {sooner} ns on a faster link");
    }
}

#[test]
fn lost_frames_cost_time_and_more_of_them_more() {
    let of = |loss: f64| {
        let system = System {
            lan: format!(
                "frame_loss = {loss:?}\nwindow = \"256 KiB\"\ntime_out = \"200 ms\"\ndelayed_ack = \"40 ms\"\n"
            ),
            depth: 4,
            run: "measured_ios = 4000\nwarm_up = 40".to_owned(),
            ..System::default()
        };
        let summary = system.summary();
        (summary.iops, figure(&summary, "lan", "sent_again"), figure(&summary, "lan", "lost_frames"))
    };
    let ((none, again, lost), (some, some_again, some_lost), (many, ..)) = (of(0.0), of(1e-4), of(1e-2));
    assert!(none > some && some > many, "{none}, {some}, {many}");
    assert_eq!((again, lost), (0.0, 0.0));
    assert!(some_lost > 0.0 && some_again > 0.0);
}

/// The head finds the blocks of a file, has a cache, and uses the disks behind it.
#[test]
fn the_example_of_a_nas_head_adds_up_and_its_frames_cost_interrupts() {
    let example =
        run(&std::fs::read_to_string(crate::common::repository("scenarios/nas.toml")).expect("a file"));
    assert_adds_up(&example);
    let now = run_file("scenarios/nas.toml", &[]);
    let jumbo = run_file("scenarios/nas.toml", &["lan.mtu=9000 B"]);
    let blocks = run_file(
        "scenarios/nas.toml",
        &["sales.adapter.protocol=fcp", "mail.adapter.protocol=fcp", "nas.fronts.a.protocol=fcp"],
    );
    let per_io = |summary: &Summary, name: &str| figure(summary, "lan", name) / summary.ios as f64;
    for name in ["asking_interrupts", "serving_interrupts", "data_frames"] {
        assert!(per_io(&jumbo, name) < per_io(&now, name), "{name}");
        assert!(per_io(&blocks, name) > per_io(&now, name), "{name}: four messages and not two");
    }
    assert!(figure(&jumbo, "lan", "serving_stack") < figure(&now, "lan", "serving_stack"));
    // The mapping from a file to its blocks takes 40,000 cycles at 2 GHz, or four million.
    let mapping = |summary: &Summary| mean_ns(summary, "nas.processors.virtual_mapping");
    let slower = run_file("scenarios/nas.toml", &["nas.stack.mapping.cycles=4_000_000"]);
    assert_near("mapping", mapping(&now), 20e3, 1e-6);
    assert_near("more of it", mapping(&slower), 2e6, 1e-6);
}

/// Checks that a scenario is refused, with this message.
#[track_caller]
fn assert_told(text: &str, why: &str) {
    let told = Scenario::parse_text(text, "a test").expect_err("a fault").to_string();
    assert!(told.contains(why), "{told}");
}

#[test]
fn what_cannot_be_on_a_network_with_tcp_is_told() {
    let of = |lan: &str| System { lan: lan.to_owned(), ..System::default() }.text();
    assert_told(&of("window = \"1000 B\""), "a segment of 1460 bytes never fits");
    assert_told(&of("frame_loss = 1.0"), "no frame would ever come in");
    let stack = |members: &str| format!("[stacks.a]\nmembers = [{members}]\nspeed_mhz = 1000\n");
    assert_told(&of(&stack("\"nobody\"")), "`nobody` is not among the stations");
    let twice = format!("{}[lan.stacks.b]\nmembers = [\"store\"]\nspeed_mhz = 1\n", stack("\"store\""));
    assert_told(&of(&twice), "`store` has the software of another table already");
    // Each refusal is for the stated reason; without it the scenario is valid.
    scenario(&of(&stack("\"store\"")));
}

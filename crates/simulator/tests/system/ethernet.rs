//! Ethernet with TCP and with RDMA: single I/Os by hand, the same network described in two ways, slow nodes, and laws on random systems.

use crate::common::figure;
use crate::common::text::{assert_adds_up, in_place_ns, run};
use proptest::prelude::*;
use sansim_kernel::Span;
use sansim_scenario::Scenario;

/// An adapter that takes no time except for DMA at 10^12 bytes a second.
const ADAPTER: &str =
    "adapter.request_bytes = \"0 B\"\nadapter.dma_bandwidth = \"1 TB/s\"\nadapter.outgoing_buffers = 64\n";

/// Hosts with loads, and drives, at a network.
#[derive(Clone, Debug)]
struct System {
    network: String,
    protocol: &'static str,
    adapter: String,
    hosts: usize,
    drives: usize,
    bytes: u64,
    reads: f64,
    depth: u32,
    run: String,
}

impl System {
    fn new(network: &str, bytes: u64, reads: f64) -> Self {
        Self {
            network: network.to_owned(),
            protocol: "nvme",
            adapter: String::new(),
            hosts: 1,
            drives: 1,
            bytes,
            reads,
            depth: 1,
            run: "measured_ios = 10\nwarm_up = 0".to_owned(),
        }
    }

    fn text(&self) -> String {
        let Self { network, protocol, adapter, hosts, drives, bytes, reads, depth, run } = self;
        let names: Vec<String> = (0..*hosts).map(|number| format!("\"host{number}\"")).collect();
        let end = format!("{ADAPTER}adapter.protocol = \"{protocol}\"\n{adapter}\n");
        let (own, tables) = network
            .split_once('[')
            .map_or((network.as_str(), String::new()), |(own, rest)| (own, format!("[{rest}")));
        let mut text = format!(
            "[run]\n{run}\n[san]\n{own}\nstations = [{}, \"drives\"]\n{tables}\n[drives]\nkind = \"drives\"\nmodel = \"ram\"\n\
             count = {drives}\ntransfer_rate = \"2 GB/s\"\n{end}\n",
            names.join(", ")
        );
        for number in 0..*hosts {
            text += &format!(
                "[host{number}]\nkind = \"host\"\n{end}\n[load{number}]\nkind = \"closed\"\nfrom = \"host{number}\"\nto = [\"drives\"]\n\
                 size = \"{bytes} B\"\nread_fraction = {reads:?}\nqueue_depth = {depth}\n"
            );
        }
        text
    }
}

/// The time of an I/O beside that of the drive, in ticks. All I/Os of the run have the same.
fn ticks(system: &System) -> u64 {
    let result = run(&system.text());
    assert_adds_up(&result);
    let drive = (in_place_ns(&result, "drives") * 561.0).round() as u64;
    let times: Vec<u64> = result.ios.rows.iter().map(|io| io.response.ticks() - drive).collect();
    assert!(times[1..].iter().all(|&time| time == times[1]), "{times:?}");
    times[1]
}

/// So many bytes on a link of 10 Gb/s.
fn wire(bytes: u64) -> u64 {
    Span::to_move(bytes, 1_250_000_000).ticks()
}

/// DMA of a part.
fn dma() -> u64 {
    Span::to_move(2048, 1_000_000_000_000).ticks()
}

const RDMA: &str = "kind = \"ethernet\"\nspeed = \"10GbE\"\nmtu = \"9000 B\"\ntransport = \"rdma\"";

#[test]
fn an_io_over_rdma_takes_its_packets_to_the_tick() {
    let of = |bytes, reads| ticks(&System::new(RDMA, bytes, reads));
    // SEND of 64 bytes, RDMA WRITE of packets with 4,096 bytes of which the first has 16 more, SEND of 16 bytes. An acknowledgement goes before
    // what waits: that of the response before the next command.
    let (ack, command, response) = (wire(86), 2 * wire(146), wire(98));
    let read = |more: u64| ack + command + 2 * dma() + 2 * wire(4_194) + more * wire(4_178) + response;
    assert_eq!([of(4_096, 1.0), of(65_536, 1.0)], [read(0), read(15)]);
    // The data of a small write come with the command: 4,160 bytes are two packets, whose DMA takes less than the acknowledgement.
    assert_eq!(of(4_096, 0.0), ack + 2 * wire(4_178) + wire(146) + 2 * response);
    // Those of a larger write are read: a request of 98 bytes, behind the acknowledgement of the command, and behind its own the responses, of
    // which the first and the last have 4 bytes more.
    let asks = ack + 2 * wire(98);
    let answers = |packets: u64| ack + 2 * wire(4_182) + (packets - 2) * wire(4_178) + wire(4_182);
    let write = |packets: u64| ack + command + asks + answers(packets) + 2 * response;
    assert_eq!([of(8_192, 0.0), of(65_536, 0.0)], [write(2), write(16)]);
}

#[test]
fn a_write_over_rdma_takes_a_round_trip_more_if_its_data_do_not_fit_the_capsule() {
    let far = |bytes, adapter: &str| {
        let network = format!("{RDMA}\nswitch.latency = \"1 ms\"");
        let system = System { adapter: adapter.to_owned(), ..System::new(&network, bytes, 0.0) };
        (ticks(&system) as f64 / 561e6).floor()
    };
    assert_eq!([far(4_096, ""), far(4_608, "")], [2.0, 4.0]);
    assert_eq!(far(16_384, "adapter.nvme.rdma_in_capsule = \"16 KiB\""), 2.0);
    assert_eq!(far(4_096, "adapter.nvme.rdma_in_capsule = \"0 B\""), 4.0);
}

/// `kind = "tcp"` is an Ethernet of one switch that stores frames.
#[test]
fn a_network_of_kind_tcp_is_an_ethernet_with_one_switch() {
    let connections = "window = \"256 KiB\"\ndelayed_ack = \"1 ms\"\ncongestion_control = \"cubic\"\nleast_time_out = \"5 ms\"";
    let short = format!(
        "kind = \"tcp\"\nrate = \"1.25 GB/s\"\nlatency = \"3 us\"\nbuffer = \"60 KB\"\nmark_above = \"20 KB\"\nframe_loss = 0.001\n{connections}"
    );
    let long = format!(
        "kind = \"ethernet\"\nspeed = \"10GbE\"\nframe_loss = 0.001\nswitch = {{ latency = \"3 us\", port_buffer = \"60 KB\" }}\n\
         queue.mark_above = \"20 KB\"\n[san.tcp]\n{connections}"
    );
    let times = [short, long].map(|network| {
        let system = System {
            hosts: 3,
            drives: 2,
            depth: 6,
            bytes: 20_000 / 512 * 512,
            ..System::new(&network, 0, 0.5)
        };
        let system = System { run: "measured_ios = 600\nwarm_up = 0".to_owned(), ..system };
        let result = run(&system.text());
        assert_adds_up(&result);
        let times: Vec<u64> = result.ios.rows.iter().map(|io| io.response.ticks()).collect();
        (times, ["lost_frames", "marked_frames"].map(|name| figure(&result.summary, "san", name)))
    });
    assert!(times[0].1[0] > 0.0 && times[0].1[1] > 0.0, "{:?}", times[0].1);
    assert_eq!(times[0], times[1]);
}

/// Two hosts write over one link between switches, one of them to a slow drive: pauses for its writes keep those of the other waiting, unless the slow
/// drive has a class of its own.
#[test]
fn a_slow_drive_slows_down_others_by_pauses_unless_it_has_a_class_of_its_own() {
    let response_us = |tables: &str| {
        let end = |name: &str, kind: &str| {
            format!(
                "[{name}]\nkind = \"{kind}\"\n{ADAPTER}adapter.protocol = \"nvme\"\n{}\n",
                match kind {
                    "drives" => "model = \"ram\"\ntransfer_rate = \"2 GB/s\"",
                    _ => "",
                }
            )
        };
        let load = |number: usize, to: &str, depth: u32| {
            format!(
                "[load{number}]\nkind = \"closed\"\nfrom = \"host{number}\"\nto = [\"{to}\"]\nsize = \"4 KiB\"\nread_fraction = 0.0\nqueue_depth = {depth}\n"
            )
        };
        let text = format!(
            "[run]\nmeasured_ios = 3000\nwarm_up = 300\n[san]\n{RDMA}\ntopology = \"given\"\nqueue.lossless = true\n\
             stations = [\"host0\", \"host1\", \"slow\", \"other\"]\n[san.switches.left]\nstations = [\"host0\", \"host1\"]\n\
             [san.switches.right]\nstations = [\"slow\", \"other\"]\n[san.links.between]\nfrom = \"left\"\nto = \"right\"\n{tables}\n{}{}{}{}{}{}",
            end("host0", "host"),
            end("host1", "host"),
            end("slow", "drives"),
            end("other", "drives"),
            load(0, "slow", 64),
            load(1, "other", 1),
        );
        let result = run(&text);
        assert_adds_up(&result);
        assert_eq!(figure(&result.summary, "san", "dropped_frames"), 0.0);
        let of_other: Vec<f64> = result
            .ios
            .rows
            .iter()
            .filter(|io| io.device == 1)
            .map(|io| io.response.as_ns_f64() / 1e3)
            .collect();
        (of_other.iter().sum::<f64>() / of_other.len() as f64, figure(&result.summary, "san", "paused"))
    };
    let slow = "[san.slow.one]\nmembers = [\"slow\"]\nrate = \"60 MB/s\"\n";
    let (free, _) = response_us("");
    let (victim, paused) = response_us(slow);
    let (apart, paused_apart) =
        response_us(&format!("{slow}[san.classes.slow]\nmembers = [\"slow\"]\nlossless = true\n"));
    assert!(paused > 0.1 && paused_apart > 0.1, "{paused} {paused_apart}");
    assert!(victim > 10.0 * free, "{victim} us instead of {free} us");
    // Here the writes to the slow drive hardly use the link.
    assert!(apart < free, "{apart} us and {free} us");
}

fn told(text: &str) -> String {
    Scenario::parse_text(text, "a test").expect_err("a fault").to_string()
}

#[test]
fn what_does_not_fit_together_is_refused_with_what_to_write() {
    let of = |network: &str| System::new(network, 4096, 1.0);
    let fcp = told(&System { protocol: "fcp", ..of(RDMA) }.text());
    assert!(
        fcp.contains("`san` has RDMA, over which nvme alone goes") && fcp.contains("san.transport = \"tcp\""),
        "{fcp}"
    );
    for (keys, message) in [
        ("rdma.path_mtu = \"4 KiB\"\nmtu = \"1500 B\"", "do not fit into datagrams of 1500 bytes"),
        ("queue.mark_above = \"20 KB\"", "give `rdma.congestion_control`, for example \"dcqcn\""),
        ("queue = { lossless = true, resume_below = \"200 KB\" }", "greater than `pause_above`"),
        ("queue = { lossless = true }\nswitch.buffer = \"100 KB\"", "lossless classes need"),
        ("switch.buffer = \"4 KB\"", "a frame of 9038 bytes never fits"),
        ("topology = \"given\"", "no switch is given"),
    ] {
        let network = RDMA.replace(
            "mtu = \"9000 B\"\n",
            if keys.contains("mtu = \"1500") { "" } else { "mtu = \"9000 B\"\n" },
        );
        let told = told(&of(&format!("{network}\n{keys}")).text());
        assert!(told.contains(message), "{keys}: {told}");
    }
    let large = told(
        &System {
            adapter: "adapter.max_payload = \"8 KiB\"".to_owned(),
            ..of("kind = \"fabric\"\nspeed = \"8GFC\"")
        }
        .text(),
    );
    assert!(large.contains("2112"), "{large}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(80), failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is lost, dropped, marked and paused, in whatever topology: all I/Os come back once, and ledgers add up.
    #[test]
    fn nothing_is_lost_and_nothing_comes_twice(
        rdma in any::<bool>(), control in any::<bool>(), lossless in any::<bool>(), loss in 0..3_u32, hosts in 1..4_usize, drives in 1..4_usize,
        depth in 1..5_u32, blocks in 1..200_u64, reads in prop::sample::select(vec![0.0, 0.5, 1.0]), seed in 0..1000_u64,
        topology in prop::sample::select(vec!["single-switch", "core-edge", "fat-tree", "mesh"]), buffer in prop::option::of(20_000..200_000_u64),
        cuts in any::<bool>(), slow in any::<bool>(), classes in any::<bool>(), payload in prop::sample::select(vec![2048, 8192, 32_768_u64]),
    ) {
        let mut network = format!(
            "kind = \"ethernet\"\nspeed = \"25GbE\"\nmtu = \"{} B\"\ntransport = \"{}\"\nframe_loss = {}\ntopology = \"{topology}\"\n\
             routing = \"up-down-flow\"\ncable = \"20 m\"\nqueue.lossless = {lossless}\nqueue.pause_above = \"30 KB\"\nqueue.resume_below = \"20 KB\"\n\
             switch.latency = \"1 us\"\nswitch.switching = \"{}\"\n",
            if seed % 2 == 0 { 1500 } else { 9000 },
            if rdma { "rdma" } else { "tcp" },
            f64::from(loss) / 1000.0,
            if cuts { "cut-through" } else { "store-and-forward" },
        );
        if let Some(buffer) = buffer {
            network += &format!("switch.port_buffer = \"{buffer} B\"\n");
        }
        if control {
            network += if rdma { "rdma.congestion_control = \"dcqcn\"\nqueue.mark_above = \"10 KB\"\n" } else { "queue.mark_above = \"10 KB\"\n" };
        }
        network += if rdma {
            "rdma.time_out = \"2 ms\"\n".to_owned()
        } else {
            let control = if control { "tcp.congestion_control = \"dctcp\"\n" } else { "" };
            format!("tcp.window = \"256 KiB\"\ntcp.delayed_ack = \"1 ms\"\ntcp.time_out = \"4 ms\"\ntcp.least_time_out = \"2 ms\"\n{control}")
        }
        .as_str();
        let mut tables = String::new();
        if slow {
            tables += "[san.slow.one]\nmembers = [\"drives[0]\"]\nrate = \"300 MB/s\"\n";
        }
        if classes {
            tables += "[san.classes.first]\nmembers = [\"host0\"]\nweight = 3\n";
        }
        let system = System {
            hosts, drives, depth, bytes: blocks * 512, reads, network: network + &tables,
            adapter: format!("adapter.max_payload = \"{payload} B\""),
            run: format!("measured_ios = 60\nwarm_up = 0\nseed = {seed}"),
            ..System::new("", 0, 0.0)
        };
        let result = run(&system.text());
        assert_adds_up(&result);
        prop_assert_eq!(result.summary.ios, 60);
        if loss == 0 && lossless && !classes && !slow {
            prop_assert_eq!(figure(&result.summary, "san", "dropped_frames"), 0.0);
        }
    }
}

//! NVMe and iSCSI: units of an I/O counted by hand on Fibre Channel and on TCP, bytes in a capture, and laws.

use crate::capture::captured;
use crate::common::figure;
use crate::common::text::{assert_adds_up, assert_reference_agrees, in_place_ns, run, scenario};
use proptest::prelude::*;
use sansim_component::NetworkModel;
use sansim_kernel::Span;
use sansim_scenario::Scenario;

/// An adapter that takes no time except for DMA at 10^12 bytes a second.
const ADAPTER: &str =
    "adapter.request_bytes = \"0 B\"\nadapter.dma_bandwidth = \"1 TB/s\"\nadapter.outgoing_buffers = 64\n";

/// A network with TCP at 10 Gbit/s whose headers have the 12 bytes of timestamps, too.
fn tcp(mtu: u64) -> String {
    format!(
        "kind = \"tcp\"\nrate = \"1.25 GB/s\"\nmtu = \"{mtu} B\"\nheaders = \"52 B\"\nwindow = \"4 MiB\"\ndelayed_ack = \"1 ms\""
    )
}

const FABRIC: &str = "kind = \"fabric\"\nspeed = \"8GFC\"";

#[derive(Clone, Debug)]
struct System {
    network: String,
    protocol: &'static str,
    /// More keys of both adapters, and of the host.
    adapter: String,
    host: String,
    drives: String,
    hosts: usize,
    bytes: u64,
    reads: f64,
    depth: u32,
    run: String,
}

impl System {
    fn new(network: &str, protocol: &'static str, bytes: u64, reads: f64) -> Self {
        Self {
            network: network.to_owned(),
            protocol,
            adapter: String::new(),
            host: String::new(),
            drives: String::new(),
            hosts: 1,
            bytes,
            reads,
            depth: 1,
            run: "measured_ios = 10\nwarm_up = 0".to_owned(),
        }
    }

    fn with(self, adapter: &str) -> Self {
        Self { adapter: adapter.to_owned(), ..self }
    }

    fn text(&self) -> String {
        let Self { network, protocol, adapter, host, drives, hosts, bytes, reads, depth, run } = self;
        let names: Vec<String> = (0..*hosts).map(|number| format!("\"host{number}\"")).collect();
        let end = format!("{ADAPTER}adapter.protocol = \"{protocol}\"\n{adapter}\n");
        let mut text = format!(
            "[run]\n{run}\n[san]\n{network}\nstations = [{}, \"drives\"]\n[drives]\nkind = \"drives\"\nmodel = \"ram\"\ncount = 1\n\
             transfer_rate = \"100 GB/s\"\n{end}{drives}\n",
            names.join(", ")
        );
        for number in 0..*hosts {
            text += &format!(
                "[host{number}]\nkind = \"host\"\n{end}{host}\n[load{number}]\nkind = \"closed\"\nfrom = \"host{number}\"\nto = [\"drives\"]\n\
                 size = \"{bytes} B\"\nread_fraction = {reads:?}\nqueue_depth = {depth}\n"
            );
        }
        text
    }
}

/// The time of an I/O beside that of the drive, in ticks. All I/Os of the run have the same; the first is left out, which waits for no R_RDY
/// of an I/O before it.
fn ticks(system: &System) -> u64 {
    let result = run(&system.text());
    assert_adds_up(&result);
    let drive = (in_place_ns(&result, "drives") * 561.0).round() as u64;
    let times: Vec<u64> = result.ios.rows.iter().map(|io| io.response.ticks() - drive).collect();
    assert!(times[1..].iter().all(|&time| time == times[1]), "{times:?}");
    times[1]
}

/// DMA of a part.
fn dma() -> u64 {
    Span::to_move(2048, 1_000_000_000_000).ticks()
}

/// The frame of TCP with this number of bytes of data.
fn segment(bytes: u64) -> u64 {
    Span::to_move(bytes + 52 + 38, 1_250_000_000).ticks()
}

/// A stream of this number of bytes, handed over at once, over two links: all segments pass the first, and the last passes the second.
fn stream(bytes: u64, mtu: u64) -> u64 {
    let whole = mtu - 52;
    let (segments, last) = ((bytes - 1) / whole, (bytes - 1) % whole + 1);
    if segments == 0 { 2 * segment(last) } else { (segments + 1) * segment(whole) + segment(last) }
}

#[test]
fn a_small_io_over_tcp_takes_its_units_to_the_tick() {
    for mtu in [1500, 9000] {
        let of = |protocol, reads, adapter: &str| {
            ticks(&System::new(&tcp(mtu), protocol, 4096, reads).with(adapter))
        };
        let two = stream(24, mtu);
        let data = |header: u64| stream(header + 4096, mtu);
        // A part of 2048 bytes fills a segment of 1448 bytes; a segment of 8948 bytes waits for both parts and the response.
        let fetches = if mtu == 1500 { 1 } else { 2 };
        let stores = dma() * if mtu == 1500 { 1 } else { 2 };
        let read = |command: u64, data: u64| stream(command, mtu) + fetches * dma() + data + stores;
        for (what, found, expected) in [
            // The response shares the last segment with the data.
            ("NVMe, read", of("nvme", 1.0, ""), read(72, data(24 + 24))),
            ("NVMe, read, SUCCESS", of("nvme", 1.0, "adapter.nvme.success_flag = true"), read(72, data(24))),
            (
                "NVMe, read, digests",
                of("nvme", 1.0, "adapter.nvme = { header_digest = true, data_digest = true }"),
                read(76, data(24 + 4 + 4 + 24 + 4)),
            ),
            ("iSCSI, read", of("iscsi", 1.0, ""), read(48, data(48))),
            // The data of a write are stored while the drive works.
            ("NVMe, write", of("nvme", 0.0, ""), fetches * dma() + data(72) + two),
            ("iSCSI, write", of("iscsi", 0.0, ""), fetches * dma() + data(48) + stream(48, mtu)),
            (
                "NVMe, write without capsule data",
                of("nvme", 0.0, "adapter.nvme.in_capsule = \"0 B\""),
                stream(72, mtu) + two + fetches * dma() + data(24) + two,
            ),
            (
                "iSCSI, write without immediate data",
                of("iscsi", 0.0, "adapter.iscsi.immediate_data = false"),
                stream(48, mtu) + stream(48, mtu) + fetches * dma() + data(48) + stream(48, mtu),
            ),
        ] {
            println!("{what}, {mtu}: {found}, expected {expected}");
            assert_eq!(found, expected, "{what}, {mtu}");
        }
    }
}

/// The bytes of units for an I/O, and the segments with data for it.
fn per_io(system: &System) -> [f64; 2] {
    let result = run(&system.text());
    assert_adds_up(&result);
    let ios = result.summary.ios as f64;
    ["moved_bytes", "data_frames"].map(|name| figure(&result.summary, "san", name) / ios)
}

#[test]
fn the_bytes_and_segments_of_an_io_over_tcp_are_those_of_its_units() {
    let large = 65_536.0;
    for (protocol, adapter, bytes, reads, moved, segments) in [
        // The wire carries 162 bytes and 4414 bytes in three frames: 90 bytes beside the data of each.
        ("nvme", "", 4096, 1.0, 72.0 + 4144.0, 1.0 + 3.0),
        ("nvme", "adapter.nvme.success_flag = true", 4096, 1.0, 72.0 + 4120.0, 1.0 + 3.0),
        ("nvme", "", 16_384, 0.0, 72.0 + 16_384.0 + 24.0, 12.0 + 1.0),
        // One R2T asks for all data.
        ("nvme", "", 65_536, 0.0, 72.0 + 24.0 + 24.0 + large + 24.0, 1.0 + 1.0 + 46.0 + 1.0),
        (
            "nvme",
            "adapter.nvme.max_h2c_data = \"16 KiB\"",
            65_536,
            0.0,
            72.0 + 24.0 + 4.0 * 24.0 + large + 24.0,
            49.0,
        ),
        // Data-In units of 8 KiB, and the status in the last.
        ("iscsi", "", 65_536, 1.0, 48.0 + 8.0 * 48.0 + large, 1.0 + 46.0),
        (
            "iscsi",
            "adapter.iscsi.status_in_data = false",
            65_536,
            1.0,
            48.0 + 8.0 * 48.0 + large + 48.0,
            48.0,
        ),
        // 8 KiB come with the command, and seven units after the R2T.
        ("iscsi", "", 65_536, 0.0, 48.0 + 8.0 * 48.0 + large + 48.0, 6.0 + 1.0 + 40.0 + 1.0),
        (
            "iscsi",
            "adapter.iscsi = { initial_r2t = false, first_burst = \"32 KiB\", max_data_segment = \"16 KiB\" }",
            65_536,
            0.0,
            48.0 + 4.0 * 48.0 + large + 48.0,
            23.0 + 1.0 + 23.0 + 1.0,
        ),
        (
            "iscsi",
            "adapter.iscsi = { header_digest = true, data_digest = true }",
            65_536,
            1.0,
            52.0 + 8.0 * 56.0 + large,
            1.0 + 46.0,
        ),
        ("iscsi", "adapter.iscsi.initial_r2t = false", 65_536, 0.0, 8.0 * 48.0 + large + 48.0, 46.0 + 1.0),
        (
            "iscsi",
            "adapter.iscsi = { initial_r2t = false, immediate_data = false }",
            65_536,
            0.0,
            48.0 + 8.0 * 48.0 + large + 48.0,
            46.0 + 1.0,
        ),
    ] {
        let system = System::new(&tcp(1500), protocol, bytes, reads).with(adapter);
        assert_eq!(per_io(&system), [moved, segments], "{protocol}, {adapter}, {bytes} bytes, reads {reads}");
    }
}

#[test]
fn a_write_takes_a_round_trip_more_if_the_target_asks_for_its_data() {
    let far = |protocol, bytes| {
        let system = System::new(&(tcp(1500) + "\nlatency = \"1 ms\""), protocol, bytes, 0.0);
        (ticks(&system) as f64 / 561e6).floor()
    };
    assert_eq!([far("nvme", 16_384), far("nvme", 16_896)], [2.0, 4.0]);
    assert_eq!([far("iscsi", 8_192), far("iscsi", 8_704)], [2.0, 4.0]);
    // Of 512 KiB and 8 KiB with the command, two bursts of 256 KiB are asked for one after the other.
    assert_eq!([far("iscsi", 270_336), far("iscsi", 532_480), far("nvme", 532_480)], [4.0, 6.0, 4.0]);
}

#[test]
fn fc_nvme_differs_from_fcp_by_the_words_of_command_and_response() {
    // A word of 8GFC takes 40 bits at 8.5 Gbit/s.
    let word = 40.0 / 8.5 * 561.0;
    for (reads, bytes) in [(1.0, 4096), (0.0, 4096), (1.0, 65_536), (0.0, 65_536)] {
        let of = |protocol, adapter: &str| {
            ticks(&System::new(FABRIC, protocol, bytes, reads).with(adapter)) as f64
        };
        let (fcp, short) = (of("fcp", ""), of("nvme", ""));
        let long = of("nvme", "adapter.nvme = { ersp_ratio = 1 }");
        // A response of 12 bytes instead of 24, and one of 32.
        assert!((long - short - 5.0 * word).abs() < 3.0, "{bytes} {reads}: {long} {short}");
        assert!((short - fcp - 13.0 * word).abs() < 3.0, "{bytes} {reads}: {short} {fcp}");
    }
}

/// A unit of FC-NVMe in a capture, by our own reading of the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Unit {
    interface: u32,
    routing: u8,
    kind: u8,
    originator: u16,
    last_of_sequence: bool,
    payload: Vec<u8>,
}

/// The frames of a capture: enhanced packet blocks with SOF, header, payload, CRC and EOF.
fn units(capture: &[u8]) -> Vec<Unit> {
    let word = |at: usize| u32::from_le_bytes(capture[at..at + 4].try_into().expect("four bytes")) as usize;
    let (mut found, mut at) = (Vec::new(), 0);
    while at < capture.len() {
        if word(at) == 6 {
            let frame = &capture[at + 28..at + 28 + word(at + 20)];
            let header = &frame[4..28];
            found.push(Unit {
                interface: word(at + 8) as u32,
                routing: header[0],
                kind: header[8],
                originator: u16::from_be_bytes([header[16], header[17]]),
                last_of_sequence: header[9] & 0x08 > 0,
                payload: frame[28..frame.len() - 8].to_vec(),
            });
        }
        at += word(at + 4);
    }
    found
}

fn be32(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn le16(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(bytes[at..at + 2].try_into().expect("two bytes"))
}

/// The units that the ports of nodes send, in order.
fn sent(system: &System) -> Vec<Unit> {
    let (capture, counts, _) = captured(&scenario(&system.text()), NetworkModel::Fast);
    let is_out = |unit: &Unit| {
        let name = &counts.interfaces[unit.interface as usize].name;
        name.ends_with(" out") && (name.starts_with("host") || name.starts_with("drives"))
    };
    units(&capture).into_iter().filter(is_out).collect()
}

#[test]
fn a_capture_has_the_units_of_fc_nvme_byte_by_byte() {
    let system =
        System { run: "measured_ios = 12\nwarm_up = 0".to_owned(), ..System::new(FABRIC, "nvme", 8192, 0.5) }
            .with("adapter.nvme = { queue_size = 16, ersp_ratio = 5 }");
    let sent = sent(&system);
    assert!(sent.iter().all(|unit| unit.kind == 0x08), "the frames of FC-NVMe have TYPE 08");
    let of = |routing: u8| sent.iter().filter(move |unit| unit.routing == routing);
    assert_eq!([of(0x06).count(), of(0x07).count(), of(0x08).count()], [12, 10, 2]);
    for (number, command) in (1..).zip(of(0x06)) {
        let bytes = &command.payload;
        assert_eq!((bytes.len(), &bytes[..4]), (96, &[0xFD, 0x28, 0, 24][..]));
        let opcode = bytes[24];
        assert_eq!((bytes[7], opcode), if opcode == 2 { (2, 2) } else { (1, 1) }, "direction and opcode");
        assert_eq!((be32(bytes, 16), be32(bytes, 20)), (number, 8192), "CSN and length");
        // NSID 1, an SGL of the transport with the length, and 16 blocks of 512 bytes, counted from 0.
        assert_eq!((bytes[25], &bytes[28..32], bytes[63]), (0x40, &[1, 0, 0, 0][..], 0x5A));
        assert_eq!((le16(bytes, 56), le16(bytes, 72), le16(bytes, 26)), (8192, 15, command.originator));
    }
    assert!(of(0x07).all(|response| response.payload == [0; 12]));
    for (number, response) in (1..).zip(of(0x08)) {
        let bytes = &response.payload;
        assert_eq!((bytes.len(), &bytes[..4]), (32, &[0, 0, 0, 8][..]));
        // RSN, transferred bytes, SQHD, queue, command, status.
        assert_eq!((be32(bytes, 4), be32(bytes, 8)), (5 * number, 8192));
        assert_eq!((le16(bytes, 24), le16(bytes, 26)), ((5 * number % 16) as u16, 1));
        assert_eq!((le16(bytes, 28), le16(bytes, 30)), (response.originator, 0));
    }
}

#[test]
fn a_failed_command_has_a_long_response_with_its_status_code() {
    let system = System {
        drives: "[drives.errors]\nbusy = 0.5\n".to_owned(),
        host: "driver.retries = 100\n".to_owned(),
        run: "measured_ios = 20\nwarm_up = 0".to_owned(),
        ..System::new(FABRIC, "nvme", 4096, 1.0)
    };
    let sent = sent(&system);
    let long: Vec<u16> =
        sent.iter().filter(|unit| unit.routing == 0x08).map(|unit| le16(&unit.payload, 30)).collect();
    // Command interrupted, behind the phase bit.
    assert!(long.len() > 3 && long.iter().all(|&status| status == 0x21 << 1), "{long:?}");
    assert_eq!(
        sent.iter().filter(|unit| unit.routing == 0x07).count(),
        20,
        "and those that succeed a short one"
    );
}

#[test]
fn a_large_write_is_asked_for_in_sequences_one_after_the_other() {
    let mut system = System::new(FABRIC, "nvme", 1 << 20, 0.0);
    system.run = "measured_ios = 1\nwarm_up = 0".to_owned();
    let order: Vec<u8> = sent(&system)
        .iter()
        .filter(|unit| unit.routing != 0x01 || unit.last_of_sequence)
        .map(|unit| unit.routing)
        .collect();
    assert_eq!(order, [6, 5, 1, 5, 1, 5, 1, 5, 1, 7]);
    let asked: Vec<(u32, u32)> = sent(&system)
        .iter()
        .filter(|unit| unit.routing == 5)
        .map(|unit| (be32(&unit.payload, 0), be32(&unit.payload, 4)))
        .collect();
    assert_eq!(asked, [0, 1, 2, 3].map(|part| (part << 18, 1 << 18)));
    system.reads = 1.0;
    let ends = sent(&system).iter().filter(|unit| unit.routing == 1 && unit.last_of_sequence).count();
    assert_eq!(ends, 4, "a read has sequences of that size, too");
}

#[test]
fn both_models_of_loops_agree_about_nvme() {
    for (bytes, reads) in [(4096, 0.5), (1 << 20, 0.5)] {
        let system = System {
            depth: 3,
            hosts: 2,
            ..System::new("kind = \"arbitrated-loop\"\nspeed = \"8GFC\"", "nvme", bytes, reads)
        };
        assert_reference_agrees(&system.text());
    }
}

fn told(text: &str) -> String {
    Scenario::parse_text(text, "a test").expect_err("a fault").to_string()
}

#[test]
fn pairs_that_do_not_exist_are_refused_with_what_to_write() {
    let of = |network: &str, protocol, adapter: &str| {
        System::new(network, protocol, 4096, 1.0).with(adapter).text()
    };
    for network in [FABRIC, "kind = \"arbitrated-loop\"\nspeed = \"8GFC\""] {
        let told = told(&of(network, "iscsi", ""));
        assert!(
            told.contains("`san` has frames and no TCP") && told.contains("san.kind = \"tcp\""),
            "{told}"
        );
    }
    let bus = told(&of("kind = \"scsi-bus\"\nspeed = \"ultra160\"", "nvme", ""));
    assert!(bus.contains("knows the sequences of FCP only"), "{bus}");
    let header = told(&of(&(tcp(1500) + "\nmessage_header = \"48 B\""), "iscsi", ""));
    assert!(header.contains("units of iscsi have headers of their own"), "{header}");
    let ratio = told(&of(FABRIC, "nvme", "adapter.nvme.ersp_ratio = 128"));
    assert!(ratio.contains("comes too late for a queue of 128 entries"), "{ratio}");
    let burst = told(&of(&tcp(1500), "iscsi", "adapter.iscsi.first_burst = \"512 KiB\""));
    assert!(burst.contains("the first burst is longer than the longest"), "{burst}");
    let mut one = System::new(&tcp(1500), "nvme", 4096, 1.0);
    one.drives = "adapter.nvme.in_capsule = \"4 KiB\"".to_owned();
    let told = told(&one.text());
    assert!(
        told.contains("both ends agree on it") && told.contains("adapter.nvme.in_capsule = \"16 KiB\""),
        "{told}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(60), failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is lost, given up and refused: all I/Os come back once, and ledgers add up.
    #[test]
    fn nothing_is_lost_and_nothing_comes_twice(
        over_tcp in any::<bool>(), iscsi in any::<bool>(), digests in any::<bool>(), short in any::<bool>(), loss in 0..5_u32, hosts in 1..4_usize,
        depth in 1..5_u32, blocks in 1..1200_u64, reads in prop::sample::select(vec![0.0, 0.5, 1.0]), silent in any::<bool>(), seed in 0..1000_u64,
        stored in any::<bool>(), start in prop::sample::select(vec!["fetched", "sent", "answered"]), payload in 64..528_u64
    ) {
        let network = if over_tcp {
            format!("kind = \"tcp\"\nrate = \"1.25 GB/s\"\ntime_out = \"20 ms\"\ndelayed_ack = \"5 ms\"\nframe_loss = {}", f64::from(loss) / 100.0)
        } else {
            "kind = \"fabric\"\nspeed = \"16GFC\"".to_owned()
        };
        let protocol = if over_tcp && iscsi { "iscsi" } else { "nvme" };
        let keys = match (protocol, short) {
            ("iscsi", true) => ", initial_r2t = false, first_burst = \"20 KiB\", max_burst = \"40 KiB\"",
            ("iscsi", false) => ", status_in_data = false, immediate_data = false",
            (_, true) => ", success_flag = true, largest_sequence = \"40 KiB\"",
            (_, false) => ", in_capsule = \"64 KiB\", max_h2c_data = \"12 KiB\", queue_size = 16",
        };
        let done = if stored { "stored" } else { "received" };
        let adapter = format!(
            "adapter.{protocol} = {{ header_digest = {digests}, data_digest = {digests}{keys} }}\nadapter.max_payload = \"{} B\"", 4 * payload
        );
        let drives = format!(
            "adapter.burst_done = \"{done}\"\nadapter.response_start = \"{start}\"\n[drives.errors]\nbusy = 0.05\n{}",
            if silent { "no_answer = 0.05\n" } else { "" }
        );
        let system = System {
            host: "driver.time_out = \"3 s\"\ndriver.retries = 20\n".to_owned(),
            drives,
            hosts,
            depth,
            run: format!("seed = {seed}\nmeasured_ios = 60\nwarm_up = 0"),
            ..System::new(&network, protocol, 512 * blocks, reads)
        }.with(&adapter);
        let result = run(&system.text());
        assert_adds_up(&result);
        prop_assert_eq!(result.ios.rows.len(), 60);
        prop_assert_eq!(result.summary.failed_ios, 0);
    }
}

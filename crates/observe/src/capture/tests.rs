use super::*;
use crate::names::DeviceName;
use crate::names::example::{networks, sample_read};
use proptest::prelude::*;
use sansim_fc::frame::Pdu;
use sansim_fc::frame::RequestTag;
use sansim_fc::word::FillWord;
use sansim_pdu::PortSight;
use sansim_request::{LedgerLine, Operation, Request};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

const CONTROLLER: usize = 0;
const PASSIVE: usize = 1;
const DRIVE: usize = 2;

const STATIONS: [(&str, u32, StationRole); 3] = [
    ("controller", 0x01, StationRole::Initiator),
    ("others[0]", 0x02, StationRole::Passive),
    ("drives[0]", 0xE8, StationRole::Target),
];

/// The port of the drive leads to two devices; no observer uses the component that presents them.
fn names() -> SystemNames {
    SystemNames { devices: devices(), ..networks(&[("loop", Span(10_000), &STATIONS)]) }
}

fn devices() -> Vec<DeviceName> {
    [0, 1].map(|logical_unit| DeviceName { component: 0, logical_unit }).to_vec()
}

/// A path for a file of its own for every capture.
fn place() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("sansim-capture-{}-{number}.pcapng", std::process::id()))
}

/// A packet that was read back: time in ns, interface, original length, bytes.
type Found = (u64, u32, usize, Vec<u8>);

/// Ends a capture and reads its packets back.
fn packets(path: &Path, capture: Capture) -> (Vec<Found>, CaptureCounts) {
    let (written, counts) = capture.finish(true).expect("finish");
    assert_eq!(written.path, path);
    let bytes = std::fs::read(path).expect("read");
    std::fs::remove_file(path).expect("clean up");
    assert_eq!(written.bytes, bytes.len() as u64);
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if word(at) == 6 {
            let time = u64::from(word(at + 12)) << 32 | u64::from(word(at + 16));
            let data = bytes[at + 28..at + 28 + word(at + 20) as usize].to_vec();
            found.push((time, word(at + 8), word(at + 24) as usize, data));
        }
        at += word(at + 4) as usize;
    }
    (found, counts)
}

fn everywhere() -> CaptureOptions {
    CaptureOptions { points: MonitoredPoints::All, ..CaptureOptions::default() }
}

fn stations(stations: &[usize]) -> CaptureOptions {
    CaptureOptions { points: MonitoredPoints::Stations(stations.to_vec()), ..CaptureOptions::default() }
}

fn capture(path: &Path, options: CaptureOptions) -> Capture {
    Capture::create(path, &names(), options).expect("create")
}

fn request(write: bool, io: u64) -> Request {
    Request { operation: if write { Operation::Write } else { Operation::Read }, ..sample_read(io) }
}

fn open(requests: &mut Requests, write: bool, io: u64) -> RequestId {
    requests.open_request(Time::ZERO, request(write, io), LedgerLine(0))
}

fn frame(id: RequestId, kind: PduKind, from_controller: bool, payload_bytes: u32) -> Frame {
    let [near, far] = [0x01, 0xE8].map(Address::new);
    Frame::from(Pdu {
        tag: RequestTag(id.0),
        kind,
        source: if from_controller { near } else { far },
        destination: if from_controller { far } else { near },
        payload_bytes,
        write: from_controller,
        unit: if kind == PduKind::Data { 2 } else { 0 },
        ..Pdu::example()
    })
}

fn sent(frame: Frame) -> PortSight {
    PortSight::Sent(frame.into())
}

fn received(frame: Frame) -> PortSight {
    PortSight::Received(frame.into())
}

fn at(ns: u64) -> Time {
    Time::ZERO + Span::from_ns(ns)
}

#[test]
fn points_are_the_initiators_unless_said_otherwise() {
    assert_eq!(CaptureOptions::default().points.stations(&names()), [CONTROLLER]);
    assert_eq!(MonitoredPoints::All.stations(&names()), [CONTROLLER, DRIVE]);
}

#[test]
fn frames_announced_before_they_arrive_come_in_order_of_time() {
    let path = place();
    let mut capture = capture(&path, everywhere());
    let mut requests = Requests::default();
    let id = open(&mut requests, false, 0);
    let command = frame(id, PduKind::Command, true, 32);
    let data = frame(id, PduKind::Data, false, 2048);
    capture.at_port(at(100), CONTROLLER, sent(command), &requests);
    capture.at_port(at(900), DRIVE, received(command), &requests);
    capture.at_port(at(200), CONTROLLER, Observation::SentFill(FillWord::Idle).into(), &requests);
    capture.at_port(at(300), DRIVE, sent(data), &requests);
    capture.at_port(at(1100), CONTROLLER, received(data), &requests);
    capture.at_port(at(900), DRIVE, sent(data), &requests);
    let (found, counts) = packets(&path, capture);
    let order: Vec<(u64, u32)> = found.iter().map(|f| (f.0, f.1)).collect();
    // The interfaces are: controller out, controller in, drives[0] out, drives[0] in.
    assert_eq!(order, [(100, 0), (300, 2), (900, 2), (900, 3), (1100, 1)]);
    let names: Vec<&str> = counts.interfaces.iter().map(|i| i.name.as_str()).collect();
    assert_eq!(names, ["controller out", "controller in", "drives[0] out", "drives[0] in"]);
    assert_eq!(counts.interfaces[2].data, 2);
    assert_eq!(counts.interfaces[2].data_bytes, 4096);
    assert_eq!(counts.packets(), 5);
}

#[test]
fn only_the_chosen_ios_at_the_monitored_points_are_written() {
    let path = place();
    let only_ios = Some(HashSet::from([1]));
    let mut capture = capture(&path, CaptureOptions { only_ios, ..stations(&[CONTROLLER, CONTROLLER]) });
    let mut requests = Requests::default();
    let ids: Vec<RequestId> = (0..3).map(|io| open(&mut requests, false, io)).collect();
    for (index, &id) in ids.iter().enumerate() {
        let command = frame(id, PduKind::Command, true, 32);
        let status = frame(id, PduKind::Response, false, 24);
        let now = 1000 * index as u64;
        capture.at_port(at(now), CONTROLLER, sent(command), &requests);
        capture.at_port(at(now + 10), DRIVE, received(command), &requests);
        capture.at_port(at(now + 500), DRIVE, sent(status), &requests);
    }
    let (found, counts) = packets(&path, capture);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].0, found[0].1), (1000, 0));
    assert_eq!(found[0].3[20..22], [0, 1], "OX_ID as if all were captured");
    assert_eq!(counts.interfaces.len(), 2);
}

#[test]
fn a_command_names_the_logical_unit_of_its_device() {
    let path = place();
    let mut capture = capture(&path, stations(&[CONTROLLER]));
    let mut requests = Requests::default();
    for device in [1, 0, 1] {
        let id = requests.open_request(
            Time::ZERO,
            Request { device, ..sample_read(u64::from(device)) },
            LedgerLine(0),
        );
        capture.at_port(at(100), CONTROLLER, sent(frame(id, PduKind::Command, true, 32)), &requests);
    }
    let (found, _) = packets(&path, capture);
    // The payload follows SOF and the header.
    let luns: Vec<&[u8]> = found.iter().map(|packet| &packet.3[28..36]).collect();
    let of = |unit| [0, unit, 0, 0, 0, 0, 0, 0];
    assert_eq!(luns, [of(1), of(0), of(1)]);
}

#[test]
fn a_snapped_frame_has_neither_delimiters_nor_crc() {
    let path = place();
    let payload = Payload::Snapped(64);
    let mut capture = capture(&path, CaptureOptions { payload, ..CaptureOptions::default() });
    let mut requests = Requests::default();
    let id = open(&mut requests, true, 0);
    let frames = [(PduKind::Command, 28), (PduKind::Data, 2048), (PduKind::Data, 50)];
    for (index, (kind, payload)) in frames.into_iter().enumerate() {
        let now = at(1000 * index as u64);
        capture.at_port(now, CONTROLLER, sent(frame(id, kind, true, payload)), &requests);
    }
    let (found, counts) = packets(&path, capture);
    let lengths: Vec<(usize, usize)> = found.iter().map(|f| (f.2, f.3.len())).collect();
    assert_eq!(lengths, [(24 + 32, 24 + 32), (24 + 2048, 24 + 64), (24 + 52, 24 + 52)]);
    assert_eq!(found[0].3[0], 0x06, "R_CTL first");
    assert_eq!(counts.widened, 1);
}

#[test]
fn only_packets_within_the_windows_are_written() {
    let path = place();
    let windows = Windows::new(vec![(at(200), at(300)), (at(800), at(1000))]);
    let mut capture = capture(&path, CaptureOptions { windows, ..everywhere() });
    let mut requests = Requests::default();
    for io in 0..3 {
        let id = open(&mut requests, false, io);
        let command = frame(id, PduKind::Command, true, 32);
        let now = 100 + 100 * io;
        capture.at_port(at(now), CONTROLLER, sent(command), &requests);
        capture.at_port(at(now + 600), DRIVE, received(command), &requests);
    }
    let (found, _) = packets(&path, capture);
    let seen: Vec<(u64, u8)> = found.iter().map(|f| (f.0, f.3[21])).collect();
    assert_eq!(seen, [(200, 1), (800, 1), (900, 2)], "time and OX_ID");
}

#[test]
fn frames_on_their_way_when_a_run_is_stopped_are_not_received() {
    let path = place();
    let mut capture = capture(&path, everywhere());
    let mut requests = Requests::default();
    let id = open(&mut requests, false, 0);
    let command = frame(id, PduKind::Command, true, 32);
    capture.at_port(at(100), CONTROLLER, sent(command), &requests);
    capture.at_port(at(900), DRIVE, received(command), &requests);
    let (written, counts) = capture.finish(false).expect("finish");
    std::fs::remove_file(&written.path).expect("clean up");
    assert_ne!(written.path, path, "it is not complete");
    assert_eq!((counts.interfaces[0].commands, counts.packets()), (1, 1));
}

#[test]
fn a_full_disk_stops_the_capture() {
    let mut capture = capture(Path::new("/dev/full"), CaptureOptions::default());
    let mut requests = Requests::default();
    let id = open(&mut requests, true, 0);
    for now in 0..2000 {
        let data = frame(id, PduKind::Data, true, 2048);
        capture.at_port(at(10_000 * now), CONTROLLER, sent(data), &requests);
    }
    assert!(capture.failed());
    assert!(capture.finish(true).is_err());
}

proptest! {
    #[test]
    fn a_packet_is_as_long_as_its_frame_on_the_wire_unless_it_was_widened(
        kind in prop::sample::select(vec![
            PduKind::Command, PduKind::TransferReady, PduKind::Data, PduKind::Response,
        ]),
        payload_bytes in 1_u32..=2112,
        write: bool,
    ) {
        let path = place();
        let mut capture = capture(&path, CaptureOptions::default());
        let mut requests = Requests::default();
        let id = open(&mut requests, write, 0);
        let frame = frame(id, kind, true, payload_bytes);
        capture.at_port(at(1), CONTROLLER, sent(frame), &requests);
        let (found, counts) = packets(&path, capture);
        let length = found[0].3.len() as u64;
        prop_assert_eq!(found[0].2 as u64, length);
        if counts.widened == 0 {
            prop_assert_eq!(length, 4 * frame.length_in_words());
        } else {
            prop_assert!(length >= 4 * frame.length_in_words());
            prop_assert!(payload_bytes < 32 && kind != PduKind::Data);
        }
    }

    #[test]
    fn packets_come_in_order_of_time_whatever_the_way_of_the_frames(
        steps in prop::collection::vec((1_u64..3000, 0_u64..50_000, any::<bool>()), 1..200),
    ) {
        let path = place();
        let mut capture = capture(&path, everywhere());
        let mut requests = Requests::default();
        let id = open(&mut requests, false, 0);
        let mut now = 0;
        let mut arrives = 0;
        for &(step, way, from_controller) in &steps {
            now += step;
            // A port receives one frame after another.
            arrives = (now + way).max(arrives + 1);
            let frame = frame(id, PduKind::Data, from_controller, 512);
            let (from, to) = if from_controller { (CONTROLLER, DRIVE) } else { (DRIVE, CONTROLLER) };
            capture.at_port(at(now), from, sent(frame), &requests);
            capture.at_port(at(arrives), to, received(frame), &requests);
        }
        let (found, counts) = packets(&path, capture);
        prop_assert_eq!(counts.packets(), 2 * steps.len() as u64);
        prop_assert!(found.is_sorted_by_key(|f| (f.0, f.1)));
    }
}

#[test]
fn a_station_that_only_repeats_has_no_packets() {
    let path = place();
    let capture = capture(&path, stations(&[PASSIVE]));
    let (found, counts) = packets(&path, capture);
    assert!(found.is_empty());
    assert_eq!(counts.interfaces[0].name, "others[0] out");
}

#[test]
fn two_networks_with_equal_addresses_are_told_apart_in_one_capture() {
    let path = place();
    let other = STATIONS
        .map(|(name, address, role)| (if name == "controller" { "second" } else { "more" }, address, role));
    let both = networks(&[("loop", Span(10_000), &STATIONS), ("back", Span(20_000), &other)]);
    let names = SystemNames { devices: devices(), ..both };
    let mut capture = Capture::create(&path, &names, CaptureOptions::default()).expect("create");
    let mut requests = Requests::default();
    let ids: Vec<RequestId> = (0..3).map(|io| open(&mut requests, false, io)).collect();
    // The second controller sends the second I/O on its own network, and forwards the third I/O of the first
    // controller.
    for (now, station, id) in [(0, 0, ids[0]), (1000, 3, ids[1]), (2000, 0, ids[2]), (3000, 3, ids[2])] {
        capture.at_port(at(now), station, sent(frame(id, PduKind::Command, true, 32)), &requests);
    }
    let status = frame(ids[2], PduKind::Response, false, 24);
    capture.at_port(at(4000), 5, sent(status), &requests);
    capture.at_port(at(4000), 3, received(status), &requests);
    capture.at_port(at(5000), 2, sent(status), &requests);
    capture.at_port(at(5000), 0, received(status), &requests);
    let (found, counts) = packets(&path, capture);
    let interfaces: Vec<&str> = counts.interfaces.iter().map(|i| i.name.as_str()).collect();
    assert_eq!(interfaces, ["controller out", "controller in", "second out", "second in"]);
    let seen: Vec<(u64, u32, u8)> = found.iter().map(|f| (f.0, f.1, f.3[21])).collect();
    assert_eq!(
        seen,
        [(0, 0, 0), (1000, 2, 0), (2000, 0, 1), (3000, 2, 1), (4000, 3, 1), (5000, 1, 1)],
        "time, interface, OX_ID: each network gives its own"
    );
}

#[test]
fn what_stands_at_no_network_has_no_interface() {
    let path = place();
    let names = crate::names::example::two_loop_system();
    let station = names.stations.iter().position(|s| s.port.is_none()).expect("there is one");
    for points in [MonitoredPoints::All, MonitoredPoints::Stations(vec![station])] {
        let options = CaptureOptions { points, ..CaptureOptions::default() };
        let capture = Capture::create(&path, &names, options).expect("create");
        let (_, counts) = packets(&path, capture);
        assert!(counts.interfaces.iter().all(|interface| !interface.name.starts_with("cache")));
    }
}

#[test]
fn an_interface_says_the_address_of_its_port() {
    assert_eq!(address_name(Address::new(0xE8)), "AL_PA E8");
    assert_eq!(address_name(Address::new(0x01_02_E8)), "address 0102E8");
}

//! Tests of the drawings when windows open and close while I/Os, frames and jobs are in progress. Whole runs are tested in
//! `tests/python/test_timeline.py`.

use super::*;
use crate::names::example::{
    ACCESS, CACHE, CREDIT, DIRTY, DMA, LOOP, MEDIA, QUEUE, RESPONSE, component, one_loop_system, sample_read,
    two_loop_system,
};
use sansim_fc::frame::{Frame, Pdu, PduKind, RequestTag};
use sansim_fc::loop_port::PortState;
use sansim_kernel::TICKS_PER_NS;
use sansim_request::{Operation, ParentState};

/// The number of the DMA block of an adapter.
const DMA_BLOCK: usize = 1;

/// A field of a message: number, value, bytes.
type Field<'a> = (u64, u64, &'a [u8]);

fn varint(data: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let byte = data[0];
        *data = &data[1..];
        value |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            break;
        }
    }
    value
}

fn fields(mut data: &[u8]) -> Vec<Field<'_>> {
    let mut found = Vec::new();
    while !data.is_empty() {
        let tag = varint(&mut data);
        found.push(match tag & 7 {
            0 => (tag >> 3, varint(&mut data), &[][..]),
            1 => {
                data = &data[8..];
                (tag >> 3, 0, &[][..])
            }
            _ => {
                let length = varint(&mut data) as usize;
                let (bytes, rest) = data.split_at(length);
                data = rest;
                (tag >> 3, 0, bytes)
            }
        });
    }
    found
}

fn get<'a>(message: &[Field<'a>], number: u64) -> Option<Field<'a>> {
    message.iter().find(|f| f.0 == number).copied()
}

/// The content of a line in addition to the fields that all lines have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Say {
    /// The line names the track alone.
    Track,
    /// The line names the group of the track as well, and the station to which a frame goes.
    GroupAndReceiver,
}

/// Every event is a line: time in ns, kind, track, name or value, and whether it is marked as cut.
fn lines(bytes: &[u8], say: Say) -> Vec<String> {
    let (mut tracks, mut names, mut texts) = (HashMap::new(), HashMap::new(), HashMap::new());
    let root = 1;
    let mut lines = Vec::new();
    let text = |f: Option<Field<'_>>| String::from_utf8(f.expect("text").2.to_vec()).expect("UTF-8");
    for (_, _, packet) in fields(bytes) {
        let packet = fields(packet);
        if let Some(data) = get(&packet, 12) {
            for (field, _, name) in fields(data.2) {
                let name = fields(name);
                let table = if field == 29 { &mut texts } else { &mut names };
                if [2, 29].contains(&field) {
                    table.insert(get(&name, 1).expect("id").1, text(get(&name, 2)));
                }
            }
        } else if let Some(track) = get(&packet, 60) {
            let track = fields(track.2);
            let mut name = text(get(&track, 2));
            let group = get(&track, 5).map(|f| f.1).filter(|&group| group != root);
            if let (Say::GroupAndReceiver, Some(group)) = (say, group) {
                name = format!("{}/{name}", tracks[&group]);
            }
            tracks.insert(get(&track, 1).expect("uuid").1, name);
        } else if let Some(event) = get(&packet, 11) {
            let event = fields(event.2);
            let kind = ["", "begin", "end", "instant", "counter"][get(&event, 9).expect("type").1 as usize];
            let name = get(&event, 10).map(|f| names[&f.1].clone());
            let what = name.or(get(&event, 30).map(|f| f.1.to_string())).unwrap_or_default();
            let cut = event.iter().any(|f| f.0 == 4 && get(&fields(f.2), 1).is_some_and(|key| key.1 > 11));
            let at = get(&packet, 8).expect("time").1;
            let track = &tracks[&get(&event, 11).expect("track").1];
            let what = if what.is_empty() { what } else { format!(": {what}") };
            let to = event.iter().filter(|f| f.0 == 4).find_map(|f| get(&fields(f.2), 17));
            let to = to.filter(|_| say == Say::GroupAndReceiver).map(|f| format!(" -> {}", texts[&f.1]));
            let what = what + &to.unwrap_or_default();
            lines.push(format!("{at} {kind} {track}{what}{}", if cut { " (cut)" } else { "" }));
        }
    }
    lines
}

fn ns(ns: u64) -> Time {
    Time(ns * TICKS_PER_NS)
}

struct Bench {
    timeline: Timeline,
    names: SystemNames,
    path: std::path::PathBuf,
    requests: Requests,
    read: RequestId,
    frame: Frame,
}

fn bench_of(name: &str, names: SystemNames) -> Bench {
    let path = std::env::temp_dir().join(format!("sansim-timeline-{}-{name}", std::process::id()));
    let mut requests = Requests::default();
    let read = requests.open_request(Time::ZERO, sample_read(7), QUEUE);
    let frame = Frame::from(Pdu {
        tag: RequestTag(read.0),
        kind: PduKind::Command,
        payload_bytes: 32,
        ..Pdu::example()
    });
    let timeline = Timeline::create(&path, &names, TimelineOptions::default()).expect("create");
    Bench { timeline, names, path, requests, read, frame }
}

/// A host and a disk on one loop.
fn bench(name: &str) -> Bench {
    let mut names = one_loop_system();
    names.stations[1].name = "disk".to_owned();
    names.components[names.devices[0].component].name = "disk".to_owned();
    names
        .components
        .iter_mut()
        .filter(|c| c.name == "disks[0].adapter")
        .for_each(|c| c.name = "disk.adapter".to_owned());
    bench_of(name, names)
}

impl Bench {
    fn state(&mut self, at: u64, station: usize, state: PortState) {
        self.timeline.at_port(ns(at), station, Observation::State(state).into(), &self.requests);
    }

    fn request(&mut self, at: u64, request: RequestId, what: RequestStep) {
        self.timeline.at_request(ns(at), ComponentId(0), request, what, &self.requests);
    }

    fn io(&mut self, at: u64, what: RequestStep) {
        self.request(at, self.read, what);
    }

    fn block(&mut self, at: u64, until: u64, of: &str, block: usize) {
        let of = component(&self.names, of);
        self.timeline.at_block(ns(at), ns(until), of, block, self.read, &self.requests);
    }

    fn sent(&mut self, at: u64, station: usize) {
        let item = Observation::SentItem(LinkItem::Frame(self.frame));
        self.timeline.at_port(ns(at), station, item.into(), &self.requests);
    }

    /// Begins an I/O in the drive, a frame, a job, a gauge and a tenancy, all of which stay in progress.
    fn begin_everything(&mut self) {
        self.io(0, RequestStep::Issued(QUEUE));
        self.io(0, RequestStep::Enters(DMA));
        self.io(5, RequestStep::Enters(ACCESS));
        self.state(10, 0, PortState::ArbitrationWon);
        self.state(12, 0, PortState::Open);
        self.sent(14, 0);
        self.block(15, 900, "disk.adapter", DMA_BLOCK);
        self.timeline.at_gauge(ns(16), CREDIT, 3);
    }

    fn bytes(self) -> Vec<u8> {
        self.timeline.finish(true).expect("finish");
        let bytes = std::fs::read(&self.path).expect("read");
        std::fs::remove_file(&self.path).expect("clean up");
        bytes
    }

    fn lines(self) -> Vec<String> {
        lines(&self.bytes(), Say::Track)
    }

    fn paths(self) -> Vec<String> {
        lines(&self.bytes(), Say::GroupAndReceiver)
    }
}

const BEGUN: [&str; 12] = [
    "0 begin I/O lane 1: read 4 KiB from disk",
    "0 begin I/O lane 1: dma",
    "5 end I/O lane 1",
    "5 begin drive 1: access",
    "10 begin loop: host",
    "10 begin port: ARBITRATION WON",
    "12 end port",
    "12 begin port: OPEN",
    "14 begin frames out: FCP_CMND",
    "15 begin dma: read #7",
    "16 counter credit: 3",
    // Segments are written when they are over.
    "5 begin I/O lane 1: access",
];

#[test]
fn a_window_that_closes_ends_everything_and_says_that_it_was_cut() {
    let mut bench = bench("closes");
    bench.begin_everything();
    bench.timeline.pause(ns(20));
    let mut expected = BEGUN.to_vec();
    expected.extend([
        "20 end I/O lane 1 (cut)",
        "20 end drive 1 (cut)",
        "20 end I/O lane 1 (cut)",
        "20 end loop (cut)",
        "20 end port (cut)",
        "20 end frames out (cut)",
        "20 end dma (cut)",
    ]);
    assert_eq!(bench.lines(), expected);
}

#[test]
fn jobs_that_are_done_when_the_window_closes_are_not_cut() {
    let mut bench = bench("done");
    bench.begin_everything();
    bench.io(1000, RequestStep::Completed { measured: true });
    bench.timeline.pause(ns(1000));
    let lines = bench.lines();
    for line in ["900 end dma", "337 end frames out", "1000 end I/O lane 1"] {
        assert!(lines.iter().any(|l| l == line), "{line}: {lines:#?}");
    }
}

#[test]
fn what_began_before_the_window_has_no_end_in_it() {
    let mut bench = bench("before");
    // The owner gives the loop up, a block begins its next job, the I/O continues and completes.
    bench.state(30, 0, PortState::TransmittedClose);
    bench.state(35, 0, PortState::Monitoring);
    bench.block(36, 40, "host.adapter", DMA_BLOCK);
    bench.io(40, RequestStep::Enters(MEDIA));
    bench.io(50, RequestStep::Enters(RESPONSE));
    bench.io(60, RequestStep::Completed { measured: true });
    bench.io(60, RequestStep::Completed { measured: true });
    let expected = [
        "30 begin port: TRANSMITTED CLOSE",
        "35 end port",
        "36 begin dma: read #7",
        "40 begin I/O lane 1: read 4 KiB from disk (cut)",
        "40 begin drive 1: media transfer",
        "40 begin I/O lane 1: media_transfer",
        "50 end I/O lane 1",
        "50 end drive 1",
        "50 begin I/O lane 1: response",
        "60 end I/O lane 1",
        "60 end I/O lane 1",
        "40 end dma",
    ];
    assert_eq!(bench.lines(), expected);
}

#[test]
fn a_window_that_opens_shows_states_and_gauges_that_were_passed_over() {
    let mut bench = bench("opens");
    bench.begin_everything();
    bench.timeline.pause(ns(20));
    bench.timeline.note_unrecorded(0, Observation::State(PortState::Monitoring).into());
    bench.timeline.note_unrecorded(1, Observation::State(PortState::ArbitrationWon).into());
    bench.timeline.note_unrecorded(1, Observation::State(PortState::Open).into());
    bench.timeline.note_unrecorded(0, Observation::State(PortState::Opened).into());
    bench.timeline.note_unrecorded_gauge(CREDIT, 1);
    bench.timeline.window_opened(ns(100));
    bench.state(110, 1, PortState::Monitoring);
    bench.state(111, 0, PortState::Monitoring);
    let expected = [
        "100 begin loop: disk (cut)",
        "100 begin port: OPENED (cut)",
        "100 counter credit: 1",
        "100 begin port: OPEN (cut)",
        "110 end loop",
        "110 end port",
        "111 end port",
    ];
    assert_eq!(bench.lines()[BEGUN.len() + 7..], expected);
}

#[test]
fn the_next_io_of_a_record_has_a_name_of_its_own() {
    let mut bench = bench("again");
    bench.io(0, RequestStep::Issued(QUEUE));
    bench.requests.close_request(ns(9), bench.read);
    bench.io(9, RequestStep::Completed { measured: true });
    let next = Request { operation: Operation::Write, ..sample_read(8) };
    assert_eq!(bench.requests.open_request(ns(9), next, QUEUE), bench.read);
    bench.block(10, 12, "host.adapter", DMA_BLOCK);
    bench.io(11, RequestStep::Issued(QUEUE));
    let lines = bench.lines();
    assert!(lines.contains(&"10 begin dma: write #8".to_owned()), "{lines:#?}");
    assert!(lines.contains(&"11 begin I/O lane 1: write 4 KiB to disk".to_owned()), "{lines:#?}");
}

#[test]
fn an_io_ends_though_the_next_has_its_record_when_that_is_told() {
    let mut bench = bench("reused");
    bench.io(0, RequestStep::Issued(QUEUE));
    bench.requests.close_request(ns(9), bench.read);
    assert_eq!(bench.requests.open_request(ns(9), sample_read(8), QUEUE), bench.read);
    // The work done for an I/O that is over is still reported under its own name.
    bench.block(9, 11, "host.adapter", DMA_BLOCK);
    bench.io(9, RequestStep::Completed { measured: true });
    bench.io(9, RequestStep::Issued(QUEUE));
    bench.io(12, RequestStep::Enters(LOOP));
    let expected = [
        "0 begin I/O lane 1: read 4 KiB from disk",
        "9 begin dma: read #7",
        "0 begin I/O lane 1: waiting",
        "0 begin I/O lane 1: host_queue",
        "9 end I/O lane 1",
        "9 end I/O lane 1",
        "9 end I/O lane 1",
        "9 begin I/O lane 1: read 4 KiB from disk",
    ];
    assert_eq!(bench.lines()[..expected.len()], expected);
}

#[test]
fn a_part_of_an_io_has_a_slice_of_its_own_and_while_it_counts_that_of_the_io_is_empty() {
    let mut bench = bench_of("parts", two_loop_system());
    bench.io(0, RequestStep::Issued(QUEUE));
    bench.io(5, RequestStep::Enters(CACHE));
    bench.requests.fork_request(bench.read, 1);
    let part = bench.requests.open_child(ns(8), bench.read, Request { device: 1, ..sample_read(7) }, LOOP);
    bench.request(8, part, RequestStep::Issued(LOOP));
    bench.request(9, part, RequestStep::Enters(ACCESS));
    bench.requests.enter_line(ns(9), part, ACCESS);
    let joined = bench.requests.close_request(ns(20), part).joined;
    assert_eq!(joined, ParentState::Satisfied(bench.read, None));
    bench.request(20, part, RequestStep::Completed { measured: false });
    bench.io(20, RequestStep::Joined(part));
    bench.io(25, RequestStep::Enters(DMA));
    bench.io(30, RequestStep::Completed { measured: true });
    let expected = [
        "0 begin I/O lane 1: read 4 KiB from disks[0]",
        "0 begin I/O lane 1: waiting",
        "0 begin I/O lane 1: host_queue",
        "5 end I/O lane 1",
        "8 begin I/O lane 2: read 4 KiB from disks[1]",
        "8 begin I/O lane 2: waiting",
        "8 begin I/O lane 2: loop",
        "9 end I/O lane 2",
        "9 begin drive 1: access",
        // The wait of the I/O is over when it begins to work.
        "9 end I/O lane 2",
        "9 begin I/O lane 2: access",
        "20 end I/O lane 2",
        "20 end drive 1",
        "20 end I/O lane 2",
        "5 begin I/O lane 1: cache_queue",
        "8 end I/O lane 1",
        "8 end I/O lane 1",
        "20 begin I/O lane 1: waiting",
        "20 begin I/O lane 1: cache_queue",
        "25 end I/O lane 1",
        "25 end I/O lane 1",
        "25 begin I/O lane 1: dma",
        "30 end I/O lane 1",
        "30 end I/O lane 1",
    ];
    assert_eq!(bench.lines(), expected);
}

#[test]
fn what_nobody_issued_names_no_initiator_and_appears_all_the_same() {
    let mut bench = bench("background");
    let origin = sansim_request::RequestOrigin {
        workload: u32::MAX,
        stream: 0,
        slot: 0,
        background: true,
        priority: sansim_request::NORMAL_PRIORITY,
    };
    let id = bench.requests.open_request(ns(3), Request { origin, ..sample_read(9) }, QUEUE);
    bench.request(3, id, RequestStep::Issued(QUEUE));
    assert_eq!(bench.lines()[0], "3 begin I/O lane 1: read 4 KiB from disk");
}

#[test]
fn a_component_at_no_network_has_a_group_with_its_blocks_and_gauges() {
    let mut bench = bench_of("nowhere", two_loop_system());
    bench.block(10, 30, "cache", 0);
    bench.timeline.at_gauge(ns(12), DIRTY, 5);
    bench.timeline.pause(ns(40));
    bench.timeline.note_unrecorded_gauge(DIRTY, 6);
    bench.timeline.window_opened(ns(50));
    let expected = [
        "10 begin cache/lookup: read #7",
        "12 counter cache/dirty: 5",
        "30 end cache/lookup",
        "50 counter cache/dirty: 6",
    ];
    assert_eq!(bench.paths(), expected);
}

#[test]
fn two_loops_with_equal_addresses_have_their_own_tenancies_and_receivers() {
    let mut bench = bench_of("loops", two_loop_system());
    bench.state(10, 0, PortState::ArbitrationWon);
    bench.state(12, 2, PortState::ArbitrationWon);
    bench.sent(14, 2);
    bench.state(20, 0, PortState::Monitoring);
    bench.state(30, 2, PortState::Monitoring);
    let (path, lines) = (bench.path.clone(), bench.paths());
    for line in ["10 begin front: host", "12 begin back: other", "20 end front", "30 end back"] {
        assert!(lines.iter().any(|l| l == line), "{line}: {lines:#?}");
    }
    assert!(lines.iter().any(|l| l == "14 begin other/frames out: FCP_CMND -> disks[1]"), "{lines:#?}");
    assert!(!path.exists());
}

//! What is drawn when windows open and close in the middle of everything. Whole runs are tested in
//! `tests/python/test_timeline.py`.

use super::*;
use crate::observer::{Role, StationName};
use sansim_fc::frame::{Frame, FrameKind};
use sansim_fc::loop_port::PortState;
use sansim_fcp::exchange::Exchange;
use sansim_kernel::TICKS_PER_NS;
use std::collections::HashMap;

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

/// Every event as a line: time in ns, kind, track, name or value, whether it is marked as cut.
fn lines(bytes: &[u8]) -> Vec<String> {
    let (mut tracks, mut names) = (HashMap::new(), HashMap::new());
    let mut lines = Vec::new();
    let text = |f: Option<Field<'_>>| String::from_utf8(f.expect("text").2.to_vec()).expect("UTF-8");
    for (_, _, packet) in fields(bytes) {
        let packet = fields(packet);
        if let Some(data) = get(&packet, 12) {
            for (_, _, name) in fields(data.2).into_iter().filter(|f| f.0 == 2) {
                let name = fields(name);
                names.insert(get(&name, 1).expect("id").1, text(get(&name, 2)));
            }
        } else if let Some(track) = get(&packet, 60) {
            let track = fields(track.2);
            tracks.insert(get(&track, 1).expect("uuid").1, text(get(&track, 2)));
        } else if let Some(event) = get(&packet, 11) {
            let event = fields(event.2);
            let kind = ["", "begin", "end", "instant", "counter"][get(&event, 9).expect("type").1 as usize];
            let name = get(&event, 10).map(|f| names[&f.1].clone());
            let what = name.or(get(&event, 30).map(|f| f.1.to_string())).unwrap_or_default();
            let cut = event.iter().any(|f| f.0 == 4 && get(&fields(f.2), 1).is_some_and(|key| key.1 > 11));
            let at = get(&packet, 8).expect("time").1;
            let track = &tracks[&get(&event, 11).expect("track").1];
            let what = if what.is_empty() { what } else { format!(": {what}") };
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
    path: std::path::PathBuf,
    exchanges: ExchangeTable,
    read: ExchangeId,
    frame: Frame,
}

fn bench(name: &str) -> Bench {
    let path = std::env::temp_dir().join(format!("sansim-timeline-{}-{name}", std::process::id()));
    let address = |value| AlPa::new(value).expect("valid");
    let station = |name: &str, value, role| StationName { name: name.into(), al_pa: address(value), role };
    let names = Names {
        title: "test".into(),
        arbitrated_loop: "loop".into(),
        word: Span::from_ns(19),
        stations: vec![station("host", 1, Role::Initiator), station("disk", 2, Role::Target)],
    };
    let mut exchanges = ExchangeTable::default();
    let exchange = Exchange { io: 7, ..Exchange::new(address(1), address(2), false, 4096, 4096) };
    let read = exchanges.open(exchange);
    let frame = Frame {
        exchange: read,
        kind: FrameKind::Command,
        source: address(1),
        destination: address(2),
        payload_bytes: 32,
        sequence_count: 0,
        offset: 0,
        last_of_sequence: true,
        last_of_data: false,
    };
    let timeline = Timeline::create(&path, &names, TimelineOptions::default()).expect("create");
    Bench { timeline, path, exchanges, read, frame }
}

impl Bench {
    fn state(&mut self, at: u64, station: usize, state: PortState) {
        self.timeline.at_port(ns(at), station, Observation::State(state), &self.exchanges);
    }

    fn io(&mut self, at: u64, what: IoStep) {
        self.timeline.at_io(ns(at), self.read, what, &self.exchanges);
    }

    /// An I/O in the drive, a frame, a job, a gauge and a tenancy, all going on.
    fn begin_everything(&mut self) {
        self.io(0, IoStep::Issued { initiator: 0, drive: 1 });
        self.io(0, IoStep::Enters(Segment::Dma));
        self.io(5, IoStep::Enters(Segment::Access));
        self.state(10, 0, PortState::ArbitrationWon);
        self.state(12, 0, PortState::Open);
        let item = Item::Frame(self.frame);
        self.timeline.at_port(ns(14), 0, Observation::SentItem(item), &self.exchanges);
        self.timeline.at_block(ns(15), ns(900), 1, AdapterBlock::Dma, self.read, &self.exchanges);
        self.timeline.at_gauge(ns(16), 0, Gauge::Credit, 3);
    }

    fn lines(self) -> Vec<String> {
        self.timeline.finish(true).expect("finish");
        let bytes = std::fs::read(&self.path).expect("read");
        std::fs::remove_file(&self.path).expect("clean up");
        lines(&bytes)
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
    bench.io(1000, IoStep::Completed { measured: true });
    bench.timeline.pause(ns(1000));
    let lines = bench.lines();
    for line in ["900 end dma", "337 end frames out", "1000 end I/O lane 1"] {
        assert!(lines.iter().any(|l| l == line), "{line}: {lines:#?}");
    }
}

#[test]
fn what_began_before_the_window_has_no_end_in_it() {
    let mut bench = bench("before");
    // The owner gives the loop up, a block begins its next job, the I/O goes on and completes.
    bench.state(30, 0, PortState::TransmittedClose);
    bench.state(35, 0, PortState::Monitoring);
    bench.timeline.at_block(ns(36), ns(40), 0, AdapterBlock::Dma, bench.read, &bench.exchanges);
    bench.io(40, IoStep::Enters(Segment::MediaTransfer));
    bench.io(50, IoStep::Enters(Segment::Response));
    bench.io(60, IoStep::Completed { measured: true });
    bench.io(60, IoStep::Completed { measured: true });
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
    bench.timeline.pass_over(0, Observation::State(PortState::Monitoring));
    bench.timeline.pass_over(1, Observation::State(PortState::ArbitrationWon));
    bench.timeline.pass_over(1, Observation::State(PortState::Open));
    bench.timeline.pass_over(0, Observation::State(PortState::Opened));
    bench.timeline.pass_over_gauge(0, Gauge::Credit, 1);
    bench.timeline.resume(ns(100));
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
fn the_next_io_of_an_exchange_has_a_name_of_its_own() {
    let mut bench = bench("again");
    bench.io(0, IoStep::Issued { initiator: 0, drive: 1 });
    bench.io(9, IoStep::Completed { measured: true });
    bench.exchanges[bench.read].io = 8;
    bench.exchanges[bench.read].write = true;
    bench.timeline.at_block(ns(10), ns(12), 0, AdapterBlock::Dma, bench.read, &bench.exchanges);
    bench.io(11, IoStep::Issued { initiator: 0, drive: 1 });
    let lines = bench.lines();
    assert!(lines.contains(&"10 begin dma: write #8".to_owned()), "{lines:#?}");
    assert!(lines.contains(&"11 begin I/O lane 1: write 4 KiB to disk".to_owned()), "{lines:#?}");
}

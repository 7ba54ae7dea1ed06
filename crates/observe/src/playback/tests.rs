//! Requests and frames that are open where windows begin and end. Whole runs are tested in `tests/python/test_playback.py`.

use super::*;
use crate::names::example::{DMA, DRIVE, LOOP, QUEUE, component, one_loop_system, sample_read};
use flate2::read::ZlibDecoder;
use sansim_fc::frame::{Pdu, RequestTag};
use sansim_fc::word::LinkItem;
use sansim_request::LedgerLine;
use std::io::Read as _;

fn at(ns: u64) -> Time {
    Time(ns * sansim_kernel::TICKS_PER_NS)
}

struct Bench {
    playback: Playback,
    names: SystemNames,
    path: std::path::PathBuf,
    requests: Requests,
}

impl Bench {
    fn new(name: &str) -> Self {
        let names = one_loop_system();
        let path = std::env::temp_dir().join(format!("sansim-playback-{}-{name}", std::process::id()));
        let playback = Playback::create(&path, &names, &PlaybackOptions::default()).expect("create");
        Self { playback, names, path, requests: Requests::default() }
    }

    fn request(&mut self, ns: u64, shown_by: &str, id: RequestId, what: RequestStep) {
        let shown_by = component(&self.names, shown_by);
        self.playback.at_request(at(ns), shown_by, id, what, &self.requests);
    }

    fn port(&mut self, ns: u64, station: usize, what: Observation) {
        self.playback.at_port(at(ns), station, what.into(), &self.requests);
    }

    /// The rows of a table by columns, each row as the time after the beginning of the run and the other values.
    fn rows(self, table: &str) -> Vec<Vec<u64>> {
        self.playback.finish(true).expect("finish");
        let bytes = std::fs::read(&self.path).expect("read");
        std::fs::remove_file(&self.path).expect("remove");
        assert!(bytes.starts_with(MARK) && bytes.ends_with(MARK));
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four")) as usize;
        let end = bytes.len() - 8;
        let index: Json = serde(&bytes[end - number(end)..end]);
        let mut found = Vec::new();
        for chunk in index["chunks"].as_array().expect("chunks") {
            let value = |key: &str| chunk[key].as_u64().expect("a number");
            let packed = &bytes[value("offset") as usize..][..value("length") as usize];
            let mut columns = Vec::new();
            ZlibDecoder::new(packed).read_to_end(&mut columns).expect("zlib");
            let mut rest = &columns[..];
            for (name, form) in FORM {
                let rows = chunk["rows"][name].as_u64().expect("rows") as usize;
                let first = found.len();
                if name == table {
                    found.resize(first + rows, Vec::new());
                }
                for (place, (_, kind)) in form.iter().enumerate() {
                    let width = usize::from(kind.as_bytes()[1] - b'0');
                    if name == table {
                        for (row, value) in rest.chunks(width).take(rows).enumerate() {
                            let value = value.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
                            let base = if place == 0 { chunk["base_ns"].as_u64().expect("base") } else { 0 };
                            found[first + row].push(base + value);
                        }
                    }
                    rest = &rest[(rows * width).next_multiple_of(4)..];
                }
            }
            assert!(rest.is_empty());
        }
        found
    }
}

fn serde(text: &[u8]) -> Json {
    std::str::from_utf8(text).expect("UTF-8").parse().expect("JSON")
}

fn two_windows(bench: &mut Bench) {
    let id = bench.requests.open_request(Time::ZERO, sample_read(7), QUEUE);
    bench.request(10, "host", id, RequestStep::Issued(QUEUE));
    bench.playback.resume(at(20));
    bench.request(30, "host.adapter", id, RequestStep::Enters(DMA));
    bench.playback.pause(at(40));
    bench.playback.resume(at(60));
    bench.request(70, "disks[0]", id, RequestStep::Enters(DRIVE));
    bench.request(90, "host", id, RequestStep::Completed { measured: true });
}

#[test]
fn a_request_that_lasts_over_two_windows_is_in_both_with_the_dwells_of_each() {
    let mut bench = Bench::new("windows");
    two_windows(&mut bench);
    let numbers = ["host", "host.adapter", "disks[0]"].map(|name| u64::from(component(&bench.names, name).0));
    let dwells = bench.rows("dwells");
    let line = |line: LedgerLine| u64::from(line.0);
    // The dwell that began before the first window has its true beginning; the one that is open between the windows goes on.
    assert_eq!(
        dwells,
        [
            vec![10, 20, 0, line(QUEUE), numbers[0]],
            vec![30, 10, 0, line(DMA), numbers[1]],
            vec![40, 30, 0, line(DMA), numbers[1]],
            vec![70, 20, 0, line(DRIVE), numbers[2]],
        ]
    );
    let mut bench = Bench::new("windows-requests");
    two_windows(&mut bench);
    let requests = bench.rows("requests");
    let spans: Vec<[u64; 3]> = requests.iter().map(|row| [row[0], row[1], row[10]]).collect();
    assert_eq!(spans, [[10, 30, u64::from(tables::flag::OPEN)], [10, 80, 0]]);
    assert_eq!(requests[0][4], 7);
}

#[test]
fn while_a_child_works_its_parent_has_no_dwell() {
    let mut bench = Bench::new("child");
    bench.playback.resume(at(0));
    let parent = bench.requests.open_request(Time::ZERO, sample_read(7), QUEUE);
    bench.request(0, "host", parent, RequestStep::Issued(QUEUE));
    let child = bench.requests.open_child(Time::ZERO, parent, sample_read(7), DRIVE);
    bench.request(5, "disks[0]", child, RequestStep::Issued(DRIVE));
    bench.request(20, "disks[0]", child, RequestStep::Completed { measured: false });
    bench.request(20, "host", parent, RequestStep::Joined(child));
    bench.request(20, "host", parent, RequestStep::Enters(LOOP));
    bench.request(30, "host", parent, RequestStep::Completed { measured: true });
    let spans: Vec<[u64; 3]> = bench.rows("dwells").iter().map(|row| [row[0], row[1], row[2]]).collect();
    assert_eq!(spans, [[0, 5, 0], [5, 15, 1], [20, 10, 0]]);
}

#[test]
fn a_frame_has_one_number_until_its_source_sends_it_again() {
    let mut bench = Bench::new("frames");
    bench.playback.resume(at(0));
    let id = bench.requests.open_request(Time::ZERO, sample_read(7), QUEUE);
    let addresses = [0, 1].map(|station: usize| bench.names.stations[station].port.expect("a port").1);
    let [source, destination] = addresses;
    let frame = Frame::from(Pdu { tag: RequestTag(id.0), source, destination, ..Pdu::example() });
    bench.port(10, 0, Observation::SentItem(LinkItem::Frame(frame)));
    // The first time the frame is lost, the second time it arrives.
    bench.port(50, 0, Observation::SentItem(LinkItem::Frame(frame)));
    bench.port(57, 1, Observation::ReceivedItem(LinkItem::Frame(frame)));
    let moves = bench.rows("moves");
    let seen: Vec<[u64; 3]> = moves.iter().map(|row| [row[0], row[2], row[5]]).collect();
    assert_eq!(seen, [[10, NONE.into(), 1], [50, 7, 2]]);
    assert_eq!(moves[1][6..9], [0, 1, 1]);
}

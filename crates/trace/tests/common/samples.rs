//! The samples of `samples/`: a small synthetic trace in every format, with the peculiarities of real files. The samples are made from a
//! fixed seed by the writers of this crate; no line is from a real trace.
#![allow(dead_code, reason = "each test uses a part of it")]

use sansim_trace::{
    Trace, TraceOperation, TraceReadOptions, TraceRecord, TraceWriter, VolumeNames, WriteFlags, convert_trace,
};
use std::io::Cursor;

/// The number of requests of a sample.
const REQUESTS: u64 = 150;

/// A small random number generator, whose quality is sufficient for samples.
struct Lcg(u64);

impl Lcg {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(self.0) * u128::from(n)) >> 64) as u64
    }
}

/// The records have bursts of small random requests on two volumes and a sequential stream on a third; equal times, a request of no byte,
/// missing latencies, trims and flushes where a format has them.
pub fn records() -> Vec<TraceRecord> {
    let mut random = Lcg(20_261_122);
    let mut at_ns = 0;
    let mut next = 0;
    let record = |number: u64| {
        at_ns += match number % 5 {
            0 => random.below(200_000_000),
            1 => 0,
            _ => random.below(2_000_000),
        };
        let volume = if number < 3 { number as u32 } else { random.below(3) as u32 };
        let (operation, offset, bytes) = match (volume, number % 50) {
            (_, 40) => (TraceOperation::Trim, random.below(1 << 20) * 4_096, 1 << 20),
            (_, 41) => (TraceOperation::Flush, 0, 0),
            (_, 42) => (TraceOperation::Read, random.below(1 << 20) * 4_096, 0),
            (2, _) => {
                next += 65_536;
                (TraceOperation::Read, next - 65_536, 65_536)
            }
            _ => {
                let operation =
                    if random.below(3) == 0 { TraceOperation::Read } else { TraceOperation::Write };
                (operation, random.below(1 << 22) * 4_096 + 512 * random.below(8), 4_096 << random.below(3))
            }
        };
        let latency = 80_000 + random.below(9_000_000);
        let latency_ns = (!number.is_multiple_of(7)).then_some(latency / 1_000 * 1_000);
        TraceRecord {
            at_ns: at_ns / 1_000 * 1_000,
            volume,
            operation,
            offset,
            bytes,
            latency_ns,
            flags: WriteFlags::NONE,
        }
    };
    (0..REQUESTS).map(record).collect()
}

/// The records as a format has them.
fn written(word: &str) -> Vec<u8> {
    let mut volumes = VolumeNames::default();
    ["web.0", "web.1", "log.0"]
        .iter()
        .for_each(|name| assert!(volumes.volume_number(name.as_bytes()).is_some()));
    let mut writer = TraceWriter::new("sample", word, Vec::new()).unwrap();
    records().iter().for_each(|record| writer.write(record, &volumes).unwrap());
    writer.finish().unwrap().2
}

/// The lines of a format, each changed or followed by other lines: `change` gets the number of the line from 1.
fn changed(word: &str, change: impl Fn(usize, &str) -> Vec<String>) -> Vec<u8> {
    let text = String::from_utf8(written(word)).unwrap();
    let lines = text.lines().enumerate().flat_map(|(number, line)| change(number + 1, line));
    lines.flat_map(|line| (line + "\n").into_bytes()).collect()
}

/// A line without a change.
fn same(line: &str) -> Vec<String> {
    vec![line.to_owned()]
}

/// All samples: the name of each file, and its content.
pub fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let spc = changed("spc", |number, line| match number {
        // The lines have optional fields at their ends, which differ.
        3 => vec![format!("{line},1.5,node-7")],
        4 => vec![format!("{line},,x")],
        // The lines have blanks and capital letters.
        5..=8 => vec![line.replace(',', ", ").to_uppercase()],
        _ => same(line),
    });
    let blkparse = changed("blkparse", |number, line| match number {
        1 => vec![line.to_owned(), "0,0 0 9001 0.000000100 0 P N [none]".to_owned()],
        2 => vec![
            line.to_owned(),
            "0,0 0 9002 0.000000200 0 U N [none] 1".to_owned(),
            "0,0 0 9003 0.000000300 0 UT N [swapper] 1".to_owned(),
            "0,0 0 0 0.000000400 0 m N cfq1234 moved".to_owned(),
            "0,0 0 9004 0.000000500 0 M W 8192 + 8 [none]".to_owned(),
            "0,0 0 9005 0.000000600 0 A R 4096 + 8 <- (8,1) 2048".to_owned(),
            "0,0 0 9006 0.000000700 0 I W 8192 + 16 [none]".to_owned(),
        ],
        3 => vec![format!("  {}", line.replace(' ', "   "))],
        4 => vec![line.replace(" R ", " RA ").replace(" W ", " WSM ")],
        _ => same(line),
    });
    let summary = "CPU0 (sda):\n Reads Queued:          52,      208KiB\t Writes Queued:          98,      784KiB\n\
                   \nTotal (sda):\n Reads Queued:          52,      208KiB\t Writes Queued:          98,      784KiB\n\
                   \nThroughput (R/W): 100KiB/s / 200KiB/s\nEvents (sda): 300 entries\nSkips: 0 forward (0 -   0.0%)\n";
    let blkparse = [blkparse, summary.as_bytes().to_vec()].concat();
    // A step back in time is repaired by sorting.
    let msr = String::from_utf8(written("msr")).unwrap();
    let mut lines: Vec<&str> = msr.lines().collect();
    lines.swap(30, 31);
    let msr = (lines.join("\n") + "\n").into_bytes();
    let vscsi = written("vscsi");
    // An inquiry command is among the records, which is no request.
    let mut inquiry = vscsi[..40].to_vec();
    inquiry[0] = 0x12;
    let vscsi_2 = [&vscsi[..400], &inquiry, &vscsi[400..]].concat();
    let vscsi_1 = vscsi.chunks(40).flat_map(|r| [&r[4..16], &r[..2], &[0, 1], &r[16..32]].concat()).collect();
    vec![
        ("msr.csv", msr),
        ("spc.txt", spc),
        ("blkparse.txt", blkparse),
        ("fio-iolog-2.log", fio_2()),
        ("fio-iolog-3.log", written("fio-iolog")),
        ("disksim.txt", written("disksim")),
        ("alibaba.csv", written("alibaba")),
        ("tencent.csv", written("tencent")),
        ("vscsi-1.bin", vscsi_1),
        ("vscsi-2.bin", vscsi_2),
        ("csv.csv", written("csv")),
        ("systor.csv", written("systor")),
        ("fiu.txt", written("fiu")),
        ("oracle-general.bin", oracle_general()),
    ]
}

/// Version 2 of fio's log: `wait` is in milliseconds from the start, as fio interprets it.
fn fio_2() -> Vec<u8> {
    let mut text = String::from("fio version 2 iolog\n/dev/a add\n/dev/b add\n/dev/a open\n/dev/b open\n");
    for (number, record) in records().iter().enumerate() {
        let file = ["/dev/a", "/dev/b"][record.volume as usize % 2];
        if number % 10 == 9 {
            text += &format!("{file} wait {} 0\n", record.at_ns / 1_000_000);
        }
        text += &match record.operation {
            TraceOperation::Flush => format!("{file} {} 0 0\n", ["sync", "datasync"][number % 2]),
            operation => format!("{file} {} {} {}\n", operation.word(), record.offset, record.bytes),
        };
    }
    (text + "/dev/a close\n/dev/b close\n").into_bytes()
}

fn oracle_general() -> Vec<u8> {
    let records = records();
    let mut bytes = Vec::new();
    let objects: Vec<u64> = records.iter().map(|record| record.offset % 37 / 5 * 4_096).collect();
    for (number, record) in records.iter().enumerate() {
        let next = objects[number + 1..].iter().position(|object| *object == objects[number]);
        bytes.extend(((record.at_ns / 1_000_000_000) as u32).to_le_bytes());
        bytes.extend(objects[number].to_le_bytes());
        bytes.extend(4_096_u32.to_le_bytes());
        bytes.extend(next.map_or(-1, |next| (number + next + 2) as i64).to_le_bytes());
    }
    bytes
}

/// A text sample with a line that is cut off, a line of nonsense, and a line with a number beyond 64 bits.
pub fn broken(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(text.to_vec()).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.insert(
        20,
        lines[20][..lines[20].len() / 2].trim_end_matches(|c: char| c.is_ascii_digit()).to_owned(),
    );
    lines.insert(25, "\u{1b}[31mno line of a trace\u{0}".to_owned());
    lines.insert(
        30,
        lines[30]
            .chars()
            .map(|c| if c.is_ascii_digit() { "99999999999".to_owned() } else { c.to_string() })
            .collect(),
    );
    (lines.join("\n") + "\n").into_bytes()
}

/// The expected reading of a sample, as CSV of this crate.
pub fn golden(bytes: &[u8]) -> Vec<u8> {
    let mut trace =
        Trace::read_source("sample", Cursor::new(bytes.to_vec()), &TraceReadOptions::default()).unwrap();
    convert_trace(&mut trace, "golden", "csv", Vec::new()).unwrap().1
}

//! Tests that, whatever is in a file, there is no panic, no endless loop, no more memory for more data, and every line is counted.

use crate::common::{gzip, reader, zstd};
use proptest::prelude::*;
use sansim_trace::{
    BackwardsRule, BadLineRule, BlktraceAction, FORMATS, FormatOptions, Trace, TraceInfo, TraceReadOptions,
    convert_trace, format_with_word,
};
use std::io::{self, Read};

/// Reads bytes to their end, and checks the properties that must always hold.
fn read(bytes: &[u8], options: &TraceReadOptions) {
    let Ok(mut trace) = reader(bytes, options) else { return };
    let mut given = 0;
    let mut latest = 0;
    loop {
        match trace.next_record() {
            Ok(Some(record)) => {
                assert!(record.at_ns >= latest, "time goes on");
                assert!((record.volume as usize) < trace.volume_names_so_far().len());
                latest = record.at_ns;
                given += 1;
            }
            Ok(None) => break,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                assert_eq!(trace.next_record(), Err(error), "an error stays");
                return;
            }
        }
    }
    let counts = trace.line_counts();
    let asides: u64 = counts.asides.iter().map(|(_, count)| count).sum();
    assert_eq!(counts.lines, counts.requests + asides + counts.bad, "every line is something");
    assert_eq!(given, counts.requests, "every request is given out");
}

/// The options with a number: each format, given or detected, with every choice.
fn options(choice: u64) -> TraceReadOptions {
    let format = (choice % 26) as usize;
    let pick = |shift: u32, n: u64| (choice >> shift) % n;
    TraceReadOptions {
        format: FORMATS.get(format).map(|format| format.word.to_owned()),
        on_bad_line: if pick(8, 4) == 0 { BadLineRule::Fail } else { BadLineRule::Count },
        window: [0, 1, 3, 1_024][pick(10, 4) as usize],
        on_backwards: if pick(12, 4) == 0 { BackwardsRule::Fail } else { BackwardsRule::Clamp },
        reading: FormatOptions {
            action: [BlktraceAction::Queued, BlktraceAction::Issued, BlktraceAction::Completed]
                [pick(14, 3) as usize],
            columns: [None, Some("time:us,volume,op:0=read,offset:sectors,bytes,latency:ms".to_owned())]
                [pick(18, 2) as usize]
                .clone(),
            ..FormatOptions::default()
        },
    }
}

/// A small random number generator.
struct Lcg(u64);

impl Lcg {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 16
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// Pieces with which numbers, fields and lines are damaged.
const PIECES: [&[u8]; 20] = [
    b"\n",
    b"\r\n",
    b",",
    b" ",
    b"\0",
    b"-1",
    b"18446744073709551615",
    b"18446744073709551616",
    b"1e300",
    b"9e-9",
    b".",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\"",
    b"0",
    b"8,0",
    b"Q",
    b"C",
    b"wait",
    b"99999999999999999999999999999999999",
];

/// A sample with a few of its bytes changed, or nothing but pieces.
fn damaged(samples: &[Vec<u8>], random: &mut Lcg) -> Vec<u8> {
    let sample = &samples[random.below(samples.len())];
    let from = random.below(sample.len());
    let mut bytes = match random.below(4) {
        0 => Vec::new(),
        1 => sample[from..(from + 400).min(sample.len())].to_vec(),
        _ => sample[..400.min(sample.len())].to_vec(),
    };
    for _ in 0..random.below(8) {
        let at = random.below(bytes.len() + 1);
        match random.below(4) {
            0 if at < bytes.len() => bytes[at] = random.next() as u8,
            1 => bytes.truncate(at),
            _ => {
                let piece = PIECES[random.below(PIECES.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
        }
    }
    bytes
}

fn all_samples() -> Vec<Vec<u8>> {
    crate::one_of_each::samples().into_iter().map(|(_, bytes)| bytes).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(300), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..600), choice: u64) {
        read(&bytes, &options(choice));
    }

    #[test]
    fn any_bytes_that_say_they_are_packed_are_read_or_refused(
        bytes in prop::collection::vec(any::<u8>(), 0..300), choice: u64
    ) {
        read(&[b"\x1f\x8b\x08\0\0\0\0\0\0\x03" as &[u8], &bytes].concat(), &options(choice));
        read(&[b"\x28\xb5\x2f\xfd" as &[u8], &bytes].concat(), &options(choice));
        read(&[b"\x28\xb5\x2f\xfd\x04\x40" as &[u8], &bytes].concat(), &options(choice));
    }
}

#[test]
fn damaged_samples_are_read_described_and_converted_or_refused() {
    let (samples, mut random) = (all_samples(), Lcg(1));
    for _ in 0..5_000 {
        let (bytes, choice) = (damaged(&samples, &mut random), random.next());
        read(&bytes, &options(choice));
    }
    for _ in 0..200 {
        let (bytes, choice) = (damaged(&samples, &mut random), random.next());
        if let Ok(mut trace) = reader(&bytes, &options(choice)) {
            let info = TraceInfo::summarise_trace(&mut trace);
            assert!(info.span_s >= 0.0 && info.rate.bins.len() <= 600);
        }
        for to in FORMATS {
            if let Ok(mut trace) = reader(&bytes, &options(choice)) {
                let _ = convert_trace(&mut trace, "t", to.word, Vec::new());
            }
        }
    }
}

#[test]
fn damaged_packed_samples_are_read_or_refused() {
    let mut random = Lcg(2);
    let packed: Vec<Vec<u8>> =
        all_samples().iter().take(3).flat_map(|bytes| [gzip(bytes), zstd(bytes)]).collect();
    for _ in 0..3_000 {
        let mut bytes = packed[random.below(packed.len())].clone();
        for _ in 0..1 + random.below(3) {
            let at = random.below(bytes.len());
            bytes[at] = random.next() as u8;
        }
        if random.below(3) == 0 {
            bytes.truncate(random.below(bytes.len() + 1));
        }
        read(&bytes, &options(random.next()));
    }
}

#[test]
#[ignore = "long"]
fn ten_million_damaged_inputs_are_read_or_refused() {
    let (samples, mut random) = (all_samples(), Lcg(3));
    for _ in 0..10_000_000_u64 {
        let (bytes, choice) = (damaged(&samples, &mut random), random.next());
        read(&bytes, &options(choice));
    }
}

/// An endless trace: lines of a format, again and again, up to this many bytes.
struct Endless {
    block: Vec<u8>,
    at: usize,
    left: u64,
}

impl Read for Endless {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let bytes = into.len().min(self.block.len() - self.at).min(self.left as usize);
        into[..bytes].copy_from_slice(&self.block[self.at..self.at + bytes]);
        self.at = (self.at + bytes) % self.block.len();
        self.left -= bytes as u64;
        Ok(bytes)
    }
}

/// The most memory that this process has had, in KiB.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse().ok())
}

/// Summarises this many bytes of every text format; the same times come again and again, so most are out of order.
fn describe(bytes_each: u64) -> u64 {
    let mut requests = 0;
    for (name, block) in crate::one_of_each::samples() {
        if name.ends_with(".bin") || name == "csv.csv" || name.starts_with("fio") {
            continue;
        }
        let source = Endless { block, at: 0, left: bytes_each };
        let options = TraceReadOptions { on_bad_line: BadLineRule::Count, ..TraceReadOptions::default() };
        let mut trace = Trace::read_source(name, source, &options).unwrap();
        let info = TraceInfo::summarise_trace(&mut trace);
        assert_eq!(info.error, None);
        requests += info.requests;
    }
    requests
}

#[test]
#[ignore = "long"]
fn ten_gigabytes_are_described_in_the_memory_of_a_few_megabytes() {
    let few = describe(10_000_000);
    let before = peak_kib();
    let many = describe(1_300_000_000);
    assert!(many > 100 * few);
    if let (Some(before), Some(after)) = (before, peak_kib()) {
        assert!(after < before + 8 * 1_024, "{before} KiB, then {after}");
    }
}

#[test]
fn a_line_without_end_is_one_bad_line() {
    struct Zeros(u64);
    impl Read for Zeros {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let bytes = into.len().min(self.0 as usize);
            into[..bytes].fill(0);
            self.0 -= bytes as u64;
            Ok(bytes)
        }
    }
    let options = TraceReadOptions {
        format: Some(format_with_word("spc").unwrap().word.to_owned()),
        on_bad_line: BadLineRule::Count,
        ..TraceReadOptions::default()
    };
    let mut trace = Trace::read_source("zeros", Zeros(200_000_000), &options).unwrap();
    assert_eq!(trace.next_record(), Ok(None));
    assert_eq!((trace.line_counts().lines, trace.line_counts().bad), (1, 1));
    assert!(trace.line_counts().examples[0].to_string().contains("is longer than 64 KiB"));
}

//! Tests that a trace that is converted to another format and back keeps everything that both formats hold.

use crate::common::{read_all, reader, records};
use proptest::prelude::*;
use sansim_trace::{
    Compression, Converted, FORMATS, Format, Trace, TraceError, TraceOperation, TraceReadOptions,
    TraceRecord, TraceWriter, VolumeNames, WriteFlags, convert_to_file, convert_trace, format_with_word,
};
use std::collections::BTreeMap;

/// The formats that can be written.
fn writable() -> impl Iterator<Item = &'static Format> {
    FORMATS.iter().copied().filter(|format| TraceWriter::new("t", format.word, Vec::new()).is_ok())
}

fn written(records: &[TraceRecord], names: &[&str], word: &str) -> Vec<u8> {
    let mut volumes = VolumeNames::default();
    names.iter().for_each(|name| assert!(volumes.volume_number(name.as_bytes()).is_some()));
    let mut writer = TraceWriter::new("t", word, Vec::new()).unwrap();
    records.iter().for_each(|record| writer.write(record, &volumes).unwrap());
    writer.finish().unwrap().2
}

fn options(word: &str) -> TraceReadOptions {
    TraceReadOptions { format: Some(word.to_owned()), window: 0, ..TraceReadOptions::default() }
}

fn converted(bytes: &[u8], from: &str, to: &str) -> Result<(Converted, Vec<u8>), TraceError> {
    convert_trace(&mut reader(bytes, &options(from))?, "t", to, Vec::new())
}

/// The records with the volumes numbered in the order of first appearance, as a reader numbers them.
fn renumbered(records: impl Iterator<Item = TraceRecord>) -> Vec<TraceRecord> {
    let mut numbers = BTreeMap::new();
    records
        .map(|record| {
            let next = numbers.len() as u32;
            TraceRecord { volume: *numbers.entry(record.volume).or_insert(next), ..record }
        })
        .collect()
}

/// The records that a format holds, with times from the first of them, as its reader returns them.
fn held(records: &[TraceRecord], format: &Format) -> Vec<TraceRecord> {
    let one = format.holds.names == sansim_trace::VolumeNaming::One;
    let left =
        records.iter().map(|record| format.holds.fit_to_format(record)).filter(|(_, lost)| !lost.request);
    let left: Vec<TraceRecord> = left
        .map(|(record, _)| TraceRecord { volume: if one { 0 } else { record.volume }, ..record })
        .collect();
    let beginning = left.first().map_or(0, |first| first.at_ns);
    renumbered(left.into_iter().map(|record| TraceRecord { at_ns: record.at_ns - beginning, ..record }))
}

/// The records without precision below the time unit of a format.
fn coarse(records: &[TraceRecord], format: &Format) -> Vec<TraceRecord> {
    let unit = format.holds.time_ns;
    records.iter().map(|record| TraceRecord { at_ns: record.at_ns / unit * unit, ..*record }).collect()
}

prop_compose! {
    /// Requests at whole microseconds or not; each has a different place, so that blkparse can match its completion.
    fn a_trace()(requests in prop::collection::vec(
        (0_u64..3_000_000_000, 0_u32..5, 0_usize..4, 0_u64..1 << 20, 0_u64..5_000_000, prop::option::of(1_u64..1 << 40), any::<[bool; 2]>()), 1..60
    )) -> Vec<TraceRecord> {
        let mut at_ns = 0;
        let records = requests.into_iter().enumerate().map(|(number, (gap, volume, operation, offset, bytes, latency_ns, flags))| {
            at_ns += if number % 3 == 0 { 0 } else { gap };
            let offset = ((number as u64) << 24) + offset;
            let (offset, bytes) = if operation == 3 { (0, 0) } else { (offset, bytes) };
            // A preflush without data is a flush.
            let [preflush, force_unit_access] = flags.map(|flag| flag && operation == 1 && bytes > 0);
            let flags = WriteFlags { preflush, force_unit_access };
            TraceRecord { at_ns, volume, operation: TraceOperation::ALL[operation], offset, bytes, latency_ns, flags }
        });
        // A reader numbers volumes in the order of their appearance, and times begin with the first record.
        let records = renumbered(records);
        let beginning = records[0].at_ns;
        records.into_iter().map(|record| TraceRecord { at_ns: record.at_ns - beginning, ..record }).collect()
    }
}

/// Volume names of every kind, some of which a format has to change.
const NAMES: [&str; 5] = ["usr.0", "8,16", "3", "a volume, with blanks", "0"];

/// blkparse has no latency for requests without sectors, nor for flushes.
fn without_lost_latency(records: Vec<TraceRecord>, format: &Format) -> Vec<TraceRecord> {
    let blkparse = format.word == "blkparse";
    let lost = |record: &TraceRecord| blkparse && record.bytes == 0;
    records
        .into_iter()
        .map(|record| TraceRecord { latency_ns: record.latency_ns.filter(|_| !lost(&record)), ..record })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(64), ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_again_as_far_as_the_format_holds_it(trace in a_trace()) {
        for format in writable() {
            let text = written(&trace, &NAMES, format.word);
            let expected = held(&trace, format);
            if expected.is_empty() {
                continue;
            }
            let found = records(&text, &options(format.word));
            let (found, _) = found.unwrap_or_else(|error| panic!("{}: {error}", format.word));
            let expected = without_lost_latency(expected, format);
            prop_assert_eq!(coarse(&found, format), coarse(&expected, format), "{}", format.word);
        }
    }

    #[test]
    fn a_trace_converted_to_another_format_and_back_keeps_what_both_hold(trace in a_trace()) {
        for from in writable() {
            let first = written(&trace, &NAMES, from.word);
            let (begun, _) = match records(&first, &options(from.word)) {
                Ok(begun) if !begun.0.is_empty() => begun,
                _ => continue,
            };
            for to in writable() {
                let (said, middle) = converted(&first, from.word, to.word).unwrap();
                let expected = held(&begun, to);
                prop_assert_eq!(said.written, expected.len() as u64);
                prop_assert_eq!(said.read - said.losses.requests, said.written);
                if expected.is_empty() {
                    continue;
                }
                let (_, last) = converted(&middle, to.word, from.word).unwrap();
                let (back, _) = records(&last, &options(from.word)).unwrap();
                // The records that both formats hold: the part of the records that the second holds, and the part of that which the first
                // holds.
                let between = without_lost_latency(coarse(&expected, to), to);
                let both = without_lost_latency(held(&between, from), from);
                let unit = from.holds.time_ns.max(to.holds.time_ns);
                let places = |records: &[TraceRecord]| -> Vec<_> {
                    records.iter().map(|r| (r.volume, r.operation, r.offset, r.bytes, r.latency_ns)).collect()
                };
                prop_assert_eq!(places(&back), places(&both), "{} to {}", from.word, to.word);
                for (one, other) in back.iter().zip(&both) {
                    prop_assert!(one.at_ns.abs_diff(other.at_ns) < 2 * unit.max(2), "{} to {}", from.word, to.word);
                }
            }
        }
    }

    #[test]
    fn a_trace_in_csv_is_the_trace(trace in a_trace()) {
        let (found, _) = records(&written(&trace, &NAMES, "csv"), &options("csv")).unwrap();
        prop_assert_eq!(found, trace);
    }

    #[test]
    fn each_written_format_is_found_by_looking(trace in a_trace()) {
        for format in writable() {
            if held(&trace, format).is_empty() {
                continue;
            }
            let text = written(&trace, &NAMES, format.word);
            let opened = Trace::read_source("t", std::io::Cursor::new(text), &TraceReadOptions::default());
            let found = opened.unwrap_or_else(|error| panic!("{}: {error}", format.word)).trace_format().word;
            prop_assert_eq!(found, format.word);
        }
    }
}

#[test]
fn what_a_format_cannot_hold_is_told() {
    let trace = [
        TraceRecord {
            at_ns: 0,
            volume: 0,
            operation: TraceOperation::Read,
            offset: 100,
            bytes: 5,
            latency_ns: Some(7),
            flags: WriteFlags::NONE,
        },
        TraceRecord {
            at_ns: 1_500,
            volume: 1,
            operation: TraceOperation::Trim,
            offset: 0,
            bytes: 512,
            latency_ns: None,
            flags: WriteFlags::NONE,
        },
        TraceRecord {
            at_ns: 2_500,
            volume: 1,
            operation: TraceOperation::Write,
            offset: 0,
            bytes: 1 << 40,
            latency_ns: None,
            flags: WriteFlags::NONE,
        },
    ];
    let text = written(&trace, &["a b", "c"], "csv");
    let (said, _) = converted(&text, "csv", "vscsi").unwrap();
    let told = said.losses.warning_sentences(format_with_word("vscsi").unwrap()).join("\n");
    for part in [
        "1 requests are left out",
        "1 latencies",
        "rounded times",
        "1 requests are widened",
        "cut to 4294967295",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(said.losses.merged);
    let error = converted(&text, "csv", "oracle-general").unwrap_err().to_string();
    assert!(error.contains("cannot be written as `oracle-general`"), "{error}");
    let mut trace = reader(&text, &TraceReadOptions::default()).unwrap();
    assert_eq!(read_all(&mut trace).0[0].bytes, 5);
    assert_eq!(trace.volume_names_so_far().volume_names(), ["a_b", "c"]);
}

#[test]
fn a_file_is_written_plain_or_packed_and_read_again() {
    let folder = std::env::temp_dir().join(format!("sansim-trace-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let text = "0,8,512,r,0\n1,16,1024,w,0.5\n";
    for (name, compression) in [("plain", Compression::None), ("packed", Compression::Gzip)] {
        let path = folder.join(name);
        let mut trace = reader(text.as_bytes(), &TraceReadOptions::default()).unwrap();
        let said = convert_to_file(&mut trace, &path, "csv", compression).unwrap();
        assert_eq!((said.read, said.written, said.losses), (2, 2, sansim_trace::TraceLosses::default()));
        let mut again = Trace::open_file(&path, &TraceReadOptions::default()).unwrap();
        assert_eq!(again.compression(), compression);
        assert_eq!(
            read_all(&mut again),
            (records(text.as_bytes(), &TraceReadOptions::default()).unwrap().0, None)
        );
    }
    std::fs::remove_dir_all(&folder).unwrap();
    let mut trace = reader(text.as_bytes(), &TraceReadOptions::default()).unwrap();
    let error = convert_to_file(&mut trace, &folder, "csv", Compression::Zstd).unwrap_err().to_string();
    assert!(error.contains("choose gzip or none"), "{error}");
}

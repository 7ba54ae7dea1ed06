//! Tests that the shipped samples equal what their generator makes, and are read as their own format.

use crate::common::read_all;
use sansim_trace::{BadLineRule, FORMATS, Trace, TraceError, TraceInfo, TraceReadOptions};
use std::fs;
use std::path::PathBuf;

fn sample(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("samples").join(name)
}

/// The word of the format of a sample.
fn word(name: &str) -> &str {
    FORMATS.iter().map(|format| format.word).find(|word| name.starts_with(word)).unwrap()
}

#[test]
fn samples_are_what_the_generator_writes_and_are_read_as_before() {
    for (name, bytes) in crate::one_of_each::samples() {
        assert!(
            fs::read(sample(name)).unwrap() == bytes,
            "{name}: run the example `samples`, and look at the difference"
        );
        let golden = fs::read(sample(&format!("golden/{name}.csv"))).unwrap();
        let found = crate::one_of_each::golden(&bytes);
        assert_eq!(String::from_utf8_lossy(&found), String::from_utf8_lossy(&golden), "{name}");
    }
}

#[test]
fn there_is_a_sample_of_every_format_and_it_is_found_by_looking() {
    let names: Vec<&str> = crate::one_of_each::samples().iter().map(|(name, _)| *name).collect();
    for format in FORMATS {
        assert!(names.iter().any(|name| word(name) == format.word), "{}", format.word);
    }
    for name in names {
        let mut trace = Trace::open_file(&sample(name), &TraceReadOptions::default()).unwrap();
        assert_eq!(trace.trace_format().word, word(name));
        let info = TraceInfo::summarise_trace(&mut trace);
        assert_eq!((info.error, info.bad_lines), (None, 0), "{name}");
        assert!(info.requests >= 144, "{name}: {}", info.requests);
        assert_eq!(info.anomalies.clamped.count, 0, "{name}");
    }
}

#[test]
fn packed_samples_are_read_as_the_plain_one() {
    let read =
        |name: &str| read_all(&mut Trace::open_file(&sample(name), &TraceReadOptions::default()).unwrap());
    let plain = read("msr.csv");
    assert_eq!(plain.1, None);
    assert_eq!(read("msr.csv.gz"), plain);
    assert_eq!(read("msr.csv.zst"), plain);
}

#[test]
fn a_broken_sample_ends_at_its_first_bad_line_or_counts_all_three() {
    for (name, bytes) in crate::one_of_each::samples() {
        if name.ends_with(".bin") {
            continue;
        }
        let file = sample(&format!("{name}.broken"));
        assert!(fs::read(&file).unwrap() == crate::one_of_each::broken(&bytes), "{name}");
        let (_, error) = read_all(&mut Trace::open_file(&file, &TraceReadOptions::default()).unwrap());
        let Some(TraceError::BadLine { bad, .. }) = error else { panic!("{name}: {error:?}") };
        assert_eq!(bad.line, 21, "{name}");
        let options = TraceReadOptions { on_bad_line: BadLineRule::Count, ..TraceReadOptions::default() };
        let mut trace = Trace::open_file(&file, &options).unwrap();
        let (found, error) = read_all(&mut trace);
        assert_eq!(error, None, "{name}");
        let lines: Vec<u64> = trace.line_counts().examples.iter().map(|bad| bad.line).collect();
        assert_eq!(lines, [21, 26, 31], "{name}: {:#?}", trace.line_counts().examples);
        let (plain, _) =
            read_all(&mut Trace::open_file(&sample(name), &TraceReadOptions::default()).unwrap());
        // Where times are whole seconds, and where no other unit is given, all other samples stay as they are.
        assert_eq!(found, plain, "{name}");
        assert!(trace.line_counts().examples[1].text.starts_with("\\x1b[31mno line of a trace\\x00"));
    }
}

#[test]
fn what_is_no_request_is_counted_by_its_reason() {
    let mut trace = Trace::open_file(&sample("blkparse.txt"), &TraceReadOptions::default()).unwrap();
    let info = TraceInfo::summarise_trace(&mut trace);
    let asides: Vec<(&str, u64)> = info.asides.iter().map(|(why, count)| (why.as_str(), *count)).collect();
    let completed = info.asides["completed (C)"];
    assert_eq!(
        asides,
        [
            ("completed (C)", completed),
            ("empty line", 2),
            ("inserted (I)", 1),
            ("merged (M, F)", 1),
            ("message (m)", 1),
            ("plug (P, U)", 3),
            ("remapped (A)", 1),
            ("summary", 7),
        ]
    );
    assert_eq!(info.requests, 150);
    let others: u64 = info.asides.values().sum();
    assert_eq!(info.lines, info.requests + others, "every line is something");
}

//! Measures how fast each format is read: lines per second on one core, with everything that reading does.
//!
//! Run it with `cargo run --release -p sansim-trace --example lines_per_second [LINES]`.

use sansim_trace::{
    FORMATS, Trace, TraceInfo, TraceOperation, TraceReadOptions, TraceRecord, TraceWriter, VolumeNames,
    WriteFlags,
};
use std::io::Cursor;
use std::time::Instant;

/// Requests as a busy array has them, the same in every run.
fn records(count: u64) -> impl Iterator<Item = TraceRecord> {
    let mut state = 1_u64;
    let mut at_ns = 0;
    (0..count).map(move |_| {
        let mut draw = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((u128::from(state) * u128::from(n)) >> 64) as u64
        };
        at_ns += draw(200_000);
        TraceRecord {
            at_ns,
            volume: draw(16) as u32,
            operation: if draw(100) < 67 { TraceOperation::Read } else { TraceOperation::Write },
            offset: draw(1 << 28) * 4_096,
            bytes: 4_096 << draw(5),
            latency_ns: Some(100_000 + draw(10_000_000)),
            flags: WriteFlags::NONE,
        }
    })
}

fn main() {
    let lines: u64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(2_000_000);
    let mut volumes = VolumeNames::default();
    for number in 0..16 {
        let _ = volumes.volume_number(format!("host.{number}").as_bytes());
    }
    println!("{:16} {:>14} {:>10} {:>16}", "format", "lines/s", "MB/s", "with info, 1/s");
    for format in FORMATS {
        let Ok(mut writer) = TraceWriter::new("bench", format.word, Vec::new()) else { continue };
        records(lines).for_each(|record| writer.write(&record, &volumes).expect("memory can be written to"));
        let (_, _, text) = writer.finish().expect("memory can be written to");
        let bytes = text.len() as f64;
        let options =
            TraceReadOptions { format: Some(format.word.to_owned()), ..TraceReadOptions::default() };
        let open = || {
            Trace::read_source("bench", Cursor::new(text.clone()), &options)
                .expect("what was written can be read")
        };
        let mut trace = open();
        let begin = Instant::now();
        let mut sum = 0;
        while let Some(record) = trace.next_record().expect("what was written can be read") {
            sum ^= record.offset;
        }
        let seconds = begin.elapsed().as_secs_f64();
        std::hint::black_box(sum);
        let mut trace = open();
        let begin = Instant::now();
        std::hint::black_box(TraceInfo::summarise_trace(&mut trace));
        let with_info = begin.elapsed().as_secs_f64();
        let count = trace.line_counts().lines as f64;
        let (rate, speed) = (count / seconds, bytes / seconds / 1e6);
        println!("{:16} {rate:>14.0} {speed:>10.0} {:>16.0}", format.word, count / with_info);
    }
}

//! Helpers that several tests share.
#![allow(dead_code, reason = "each test uses a part of it")]

use flate2::Compression;
use flate2::write::GzEncoder;
use sansim_trace::{Trace, TraceError, TraceReadOptions, TraceRecord};
use std::io::{Cursor, Write};

/// Opens bytes as a trace named `t`.
pub fn reader(bytes: &[u8], options: &TraceReadOptions) -> Result<Trace, TraceError> {
    Trace::read_source("t", Cursor::new(bytes.to_vec()), options)
}

/// All records of a trace up to its end or an error.
pub fn read_all(trace: &mut Trace) -> (Vec<TraceRecord>, Option<TraceError>) {
    let mut found = Vec::new();
    loop {
        match trace.next_record() {
            Ok(Some(record)) => found.push(record),
            Ok(None) => return (found, None),
            Err(error) => return (found, Some(error)),
        }
    }
}

/// All records of a trace that is in order, and its volumes.
pub fn records(
    bytes: &[u8],
    options: &TraceReadOptions,
) -> Result<(Vec<TraceRecord>, Vec<String>), TraceError> {
    let mut trace = reader(bytes, options)?;
    let (found, error) = read_all(&mut trace);
    match error {
        Some(error) => Err(error),
        None => Ok((found, trace.volume_names_so_far().volume_names().to_vec())),
    }
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

//! Conversion of a trace from one format to another.

use crate::error::TraceError;
use crate::source::Compression;
use crate::trace::Trace;
use crate::writer::{TraceLosses, TraceWriter};
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// The result of a conversion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Converted {
    /// The number of requests that were read.
    pub read: u64,
    /// The number of requests that were written.
    pub written: u64,
    /// The losses in the new format.
    pub losses: TraceLosses,
}

/// Reads a trace to its end and writes it to `out`, which messages call `name`, in the format of a word. Returns the output, so that the
/// caller can end its compression. After an error the output is incomplete.
pub fn convert_trace<W: Write>(
    trace: &mut Trace,
    name: &str,
    word: &str,
    out: W,
) -> Result<(Converted, W), TraceError> {
    let (converted, _, out) = watched(trace, name, word, out, &mut |_| true)?;
    Ok((converted, out))
}

/// Converts as [`convert_trace`]; `watch` is called every few thousand requests and returns whether to continue. Returns false if `watch`
/// stopped the conversion.
fn watched<W: Write>(
    trace: &mut Trace,
    name: &str,
    word: &str,
    out: W,
    watch: &mut dyn FnMut(&Trace) -> bool,
) -> Result<(Converted, bool, W), TraceError> {
    let mut writer = TraceWriter::new(name, word, out)?;
    let mut read = 0;
    let whole = trace.for_each_record(watch, |record, trace| {
        read += 1;
        writer.write(record, trace.volume_names_so_far())
    })?;
    let (written, losses, out) = writer.finish()?;
    Ok((Converted { read, written, losses }, whole, out))
}

/// Converts as [`convert_trace`], plain or compressed with gzip, and ends the compression. `watch` is called every few thousand requests and
/// returns whether to continue; `None` if it stopped the conversion.
pub fn convert_packed<W: Write>(
    trace: &mut Trace,
    name: &str,
    word: &str,
    compression: Compression,
    out: W,
    watch: &mut dyn FnMut(&Trace) -> bool,
) -> Result<Option<Converted>, TraceError> {
    let (converted, whole) = match compression {
        Compression::None => {
            let (converted, whole, _) = watched(trace, name, word, out, watch)?;
            (converted, whole)
        }
        Compression::Gzip => {
            let packed = GzEncoder::new(out, flate2::Compression::default());
            let (converted, whole, packed) = watched(trace, name, word, packed, watch)?;
            let failed =
                |error: std::io::Error| TraceError::Write { file: name.to_owned(), why: error.to_string() };
            packed.finish().and_then(|mut out| out.flush()).map_err(failed)?;
            (converted, whole)
        }
        Compression::Zstd => {
            return Err(TraceError::Choice {
                why: "traces cannot be compressed with zstd, only read; choose gzip or none".to_owned(),
            });
        }
    };
    Ok(whole.then_some(converted))
}

/// Converts as [`convert_trace`], to a new file, plain or compressed with gzip.
pub fn convert_to_file(
    trace: &mut Trace,
    path: &Path,
    word: &str,
    compression: Compression,
) -> Result<Converted, TraceError> {
    let name = path.display().to_string();
    let out = File::create(path)
        .map_err(|error| TraceError::Write { file: name.clone(), why: error.to_string() })?;
    // The callback never stops.
    convert_packed(trace, &name, word, compression, out, &mut |_| true).map(Option::unwrap_or_default)
}

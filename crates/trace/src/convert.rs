//! A trace of one format as one of another.

use crate::error::TraceError;
use crate::source::Compression;
use crate::trace::Trace;
use crate::writer::{Losses, Writer};
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// What came of a conversion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Converted {
    /// Requests that were read.
    pub read: u64,
    /// Requests that were written.
    pub written: u64,
    /// What the new format cannot hold.
    pub losses: Losses,
}

/// Reads a trace to its end and writes it to `out`, which messages call `name`, in the format of a word. Gives back what
/// was written to, so that the caller can end its compression. An error leaves what was written so far incomplete.
pub fn convert<W: Write>(
    trace: &mut Trace,
    name: &str,
    word: &str,
    out: W,
) -> Result<(Converted, W), TraceError> {
    let mut writer = Writer::new(name, word, out)?;
    let mut read = 0;
    while let Some(record) = trace.next_record()? {
        writer.write(&record, trace.volumes())?;
        read += 1;
    }
    let (written, losses, out) = writer.finish()?;
    Ok((Converted { read, written, losses }, out))
}

/// As [`convert`], to a file that is made, plain or compressed with gzip.
pub fn convert_to_file(
    trace: &mut Trace,
    path: &Path,
    word: &str,
    compression: Compression,
) -> Result<Converted, TraceError> {
    let name = path.display().to_string();
    let failed = |error: std::io::Error| TraceError::Write { file: name.clone(), why: error.to_string() };
    match compression {
        Compression::None => Ok(convert(trace, &name, word, File::create(path).map_err(failed)?)?.0),
        Compression::Gzip => {
            let packed = GzEncoder::new(File::create(path).map_err(failed)?, flate2::Compression::default());
            let (converted, packed) = convert(trace, &name, word, packed)?;
            packed.finish().map_err(failed)?;
            Ok(converted)
        }
        Compression::Zstd => Err(TraceError::Choice {
            why: "traces cannot be compressed with zstd, only read; choose gzip or none".to_owned(),
        }),
    }
}

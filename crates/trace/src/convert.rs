//! A trace of one format as one of another.

use crate::error::TraceError;
use crate::trace::Trace;
use crate::writer::{Losses, Writer};
use std::io::Write;

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

//! Errors of reading or writing a trace: the problem, its place, the reason, and what to do instead.

use crate::fault::BadLine;
use std::fmt;

/// The error by which a trace cannot be opened, read or written. `file` is the path, as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TraceError {
    /// The file cannot be opened at all, or is of no readable kind: empty, an archive, an unknown compression.
    Open {
        /// The file.
        file: String,
        /// The reason, and what to do instead.
        why: String,
    },
    /// The format of the file was not detected.
    Unknown {
        /// The file.
        file: String,
        /// The objections of each format, or the formats that fit.
        why: String,
    },
    /// A choice does not exist or does not fit the format.
    Choice {
        /// The problem, and the choices that exist.
        why: String,
    },
    /// The compressed data are damaged, or the file could not be read to its end. All records before the damage have been returned.
    Damaged {
        /// The file.
        file: String,
        /// The damaged thing: `gzip`, `zstd` or `file`.
        what: &'static str,
        /// The cause.
        why: String,
        /// The number of bytes of the uncompressed trace before the damage.
        at_byte: u64,
        /// The number of requests read before the damage.
        records: u64,
    },
    /// A line is broken, and the options make that fatal.
    BadLine {
        /// The file.
        file: String,
        /// The number of the line, its text, and its fault.
        bad: BadLine,
        /// The format as which the line was read.
        format: &'static str,
    },
    /// Time goes back by more than sorting within the window repairs, and the options make that fatal.
    Backwards {
        /// The file.
        file: String,
        /// The request, counted from 1 in the order in which requests are returned.
        record: u64,
        /// The step back, in nanoseconds.
        by_ns: u64,
        /// The number of requests that were sorted at a time.
        window: usize,
    },
    /// The output could not be written.
    Write {
        /// The file.
        file: String,
        /// The reason.
        why: String,
    },
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceError::Open { file, why } => write!(f, "{file}: cannot be read as a trace: {why}"),
            TraceError::Unknown { file, why } => write!(f, "{file}: {why}"),
            TraceError::Choice { why } => f.write_str(why),
            TraceError::Damaged { file, what, why, at_byte, records } => write!(
                f,
                "{file}: the {what} is damaged: {why}, behind byte {at_byte} of the uncompressed trace; \
                 {records} requests came before"
            ),
            TraceError::BadLine { file, bad, format } => write!(
                f,
                "{file}: {bad}, read as `{format}`; bad lines can also be counted instead of ending the reading"
            ),
            TraceError::Backwards { file, record, by_ns, window } => write!(
                f,
                "{file}: request {record} is {by_ns} ns before the one it follows, although {window} requests at a \
                 time are sorted; a larger window sorts more, and clamping gives it the time of the one before"
            ),
            TraceError::Write { file, why } => write!(f, "{file}: cannot be written: {why}"),
        }
    }
}

impl std::error::Error for TraceError {}

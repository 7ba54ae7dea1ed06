//! Why a trace cannot be read or written: what, where, why, and what instead.

use crate::fault::BadLine;
use std::fmt;

/// Why a trace cannot be opened, read or written. `file` is the path, as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TraceError {
    /// It cannot be opened at all, or is not what can be read: empty, an archive, an unknown compression.
    Open {
        /// The file.
        file: String,
        /// Why, and what instead.
        why: String,
    },
    /// Its format was not found by looking.
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
    /// The compressed data are damaged, or the file could not be read to its end. All records before have been given out.
    Damaged {
        /// The file.
        file: String,
        /// `gzip`, `zstd` or `file`.
        what: &'static str,
        /// The cause.
        why: String,
        /// Bytes of the uncompressed trace before the damage.
        at_byte: u64,
        /// Requests read before it.
        records: u64,
    },
    /// A line is broken and was to be fatal.
    BadLine {
        /// The file.
        file: String,
        /// The number of the line, its text, its fault.
        bad: BadLine,
        /// The format it was read as.
        format: &'static str,
    },
    /// Time goes back by more than sorting within the window mends, and that was to be fatal.
    Backwards {
        /// The file.
        file: String,
        /// The request, counted from 1 in the order of the file as it is given out.
        record: u64,
        /// By how much, in nanoseconds.
        by_ns: u64,
        /// Requests that were sorted at a time.
        window: usize,
    },
    /// Nothing could be written.
    Write {
        /// The file.
        file: String,
        /// Why.
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

//! Traces of block I/O, read and written in every common format.
//!
//! A trace becomes [`TraceRecord`]s, whatever its format and compression, in the order of their times and in constant memory:
//!
//! ```
//! use sansim_trace::{Trace, TraceReadOptions};
//!
//! # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/msr.csv.gz");
//! let mut trace = Trace::open_file(file.as_ref(), &TraceReadOptions::default())?;
//! let mut bytes = 0;
//! while let Some(record) = trace.next_record()? {
//!     bytes += record.bytes;
//! }
//! assert_eq!((trace.trace_format().word, trace.line_counts().requests), ("msr", 144));
//! # Ok::<(), sansim_trace::TraceError>(())
//! ```
//!
//! * Supported formats: [`FORMATS`], each a file of `formats/` with the fields that it can hold ([`FormatFields`]).
//! * The options of reading: [`TraceReadOptions`]. No line is skipped silently: a broken line ends the reading or is counted ([`LineCounts`]),
//!   damage is an error with its place, and anomalies are counted ([`Anomalies`]).
//! * A summary of a trace: [`TraceInfo`].
//! * Writing: [`TraceWriter`], [`convert`] and [`convert_to_file`], which report the losses in the new format ([`TraceLosses`]).
//! * Scaling of times for a replay: [`TimeScale`].
#![forbid(unsafe_code)]

mod anomalies;
mod convert;
mod error;
mod fault;
mod format;
mod formats;
mod heading;
mod info;
mod input;
mod logarithm;
mod names;
mod options;
mod order;
mod record;
mod scale;
mod sniff;
mod source;
mod text;
mod trace;
mod writer;

pub use anomalies::Anomalies;
pub use convert::{Converted, convert_packed, convert_to_file, convert_trace};
pub use error::TraceError;
pub use fault::{BadLine, LineFault};
pub use format::{FieldLosses, Format, FormatFields, VolumeNaming};
pub use formats::{FORMATS, format_with_word};
pub use info::{
    DispersionIndex, LatencyInfo, RateBin, RateBins, SizeInfo, StatisticsGatherer, TraceInfo, UNIQUE_ERROR,
    VolumeInfo,
};
pub use options::{
    BackwardsRule, BadLineRule, BlktraceAction, FioWait, FormatOptions, TimeUnit, TraceReadOptions,
};
pub use order::BackwardSteps;
pub use record::{TraceOperation, TraceRecord, VolumeNames, WriteFlags};
pub use scale::TimeScale;
pub use source::Compression;
pub use trace::{LineCounts, Trace};
pub use writer::{TraceLosses, TraceWriter};

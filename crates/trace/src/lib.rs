//! Traces of block I/O: the files that people already own, read and written in every common format.
//!
//! [`Trace::open`] reads a file, whatever its format and compression, as [`Record`]s in the order of their times, in
//! constant memory.
#![forbid(unsafe_code)]

mod anomalies;
mod convert;
mod error;
mod fault;
mod format;
mod formats;
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
pub use convert::{Converted, convert};
pub use error::TraceError;
pub use fault::{BadLine, Fault};
pub use format::{Format, Holds, Lost, Names};
pub use formats::{FORMATS, format};
pub use info::{Dispersion, Info, LatencyInfo, Rate, RateBin, SizeInfo, UNIQUE_ERROR, VolumeInfo};
pub use options::{Action, FioWait, OnBackwards, OnBadLine, Options, Reading, TimeUnit};
pub use order::Steps;
pub use record::{Operation, Record, Volumes};
pub use scale::Scale;
pub use source::Compression;
pub use trace::{Counts, Trace};
pub use writer::{Losses, Writer};

//! Formats: how their files are recognised, cut, read and written, and which fields they hold.

use crate::fault::LineFault;
use crate::input::FileUnit;
use crate::options::FormatOptions;
use crate::record::{TraceOperation, TraceRecord, VolumeNames, WriteFlags};

/// A format of traces. Each format is a constant in a file of `formats/`.
#[derive(Debug)]
pub struct Format {
    /// The word that selects the format.
    pub word: &'static str,
    /// The description of the format, in a line.
    pub about: &'static str,
    /// The fields of the format, as its files have them.
    pub fields: &'static str,
    /// Whether the times of the format have one unit, in place of which another one can be given; otherwise a file gives the unit itself.
    pub has_unit: bool,
    /// The fields that the format can hold.
    pub holds: FormatFields,
    /// The value of the format's clock at midnight of 1 January 1970 (UTC), in nanoseconds; `None` if the clock begins anywhere.
    pub unix_zero_ns: Option<u64>,
    /// Begins to read a file whose first bytes are given; the error says why the file cannot be read.
    pub(crate) open: fn(&FormatOptions, &[u8]) -> Result<Opened, String>,
    /// Begins to write a file, if the format can be written.
    pub(crate) create: Option<fn() -> Box<dyn Compose>>,
}

impl Format {
    /// Whether traces can be written in the format, not only read.
    pub fn is_written(&self) -> bool {
        self.create.is_some()
    }
}

/// The fields of a trace that a format can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatFields {
    /// The operations that the format distinguishes.
    pub operations: &'static [TraceOperation],
    /// The unit of latencies, in nanoseconds; `None` if the format has no latencies.
    pub latency_ns: Option<u64>,
    /// The unit of times, in nanoseconds.
    pub time_ns: u64,
    /// The unit of offsets, in bytes.
    pub offset_bytes: u64,
    /// The unit of lengths, in bytes.
    pub length_bytes: u64,
    /// The longest request, in bytes.
    pub longest_bytes: u64,
    /// Whether the format has the flags of writes: preflush, and forced unit access.
    pub write_flags: bool,
    /// The naming of volumes.
    pub names: VolumeNaming,
}

/// The form of the volume names of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VolumeNaming {
    /// Names are words without blanks, commas, quotes and unprintable characters.
    Words,
    /// Names are a word, a dot and a number: a host and one of its disks.
    HostAndDisk,
    /// Names are a major and a minor number with a comma between.
    MajorAndMinor,
    /// Names are numbers below 2^32.
    Numbers,
    /// The format has only one volume.
    One,
}

/// A file that is being read.
pub(crate) struct Opened {
    pub(crate) cut: FileUnit,
    pub(crate) parse: Box<dyn Parse>,
}

impl Opened {
    /// A file of lines.
    pub(crate) fn lines(parse: impl Parse + 'static) -> Opened {
        Opened { cut: FileUnit::Lines, parse: Box::new(parse) }
    }
}

/// The meaning of a piece of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parsed {
    /// A request, with its time by the clock of the format.
    Request(TraceRecord),
    /// The piece is legitimately no request; the text is the reason by which it is counted.
    Aside(&'static str),
    /// The piece is a part of a request that [`Parse::kept`] returns when the request is complete.
    Kept,
}

/// Reads pieces of a file: lines or records.
pub(crate) trait Parse: Send {
    /// Parses a piece. Parsing allocates nothing except for a new volume. Empty lines are not passed to `parse`.
    fn parse(&mut self, piece: &[u8], volumes: &mut VolumeNames) -> Result<Parsed, LineFault>;

    /// Whether all times so far were whole numbers, in a format whose times mostly have decimals.
    fn has_whole_times(&self) -> bool {
        false
    }

    /// The next kept request that is complete; at the end of the file also incomplete ones.
    fn kept(&mut self, end: bool) -> Option<TraceRecord> {
        let _ = end;
        None
    }
}

/// Writes requests, each already changed to the fields that the format holds (see [`FormatFields::fit_to_format`]).
pub(crate) trait Compose: Send {
    /// Writes the text before the first request.
    fn begin(&mut self, out: &mut Vec<u8>) {
        let _ = out;
    }

    /// Writes a request of the volume with this name.
    fn request(&mut self, record: &TraceRecord, volume: &str, out: &mut Vec<u8>);

    /// Writes the text after the last request.
    fn end(&mut self, out: &mut Vec<u8>) {
        let _ = out;
    }
}

/// The parts of a request that a format could not hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldLosses {
    /// Whether the whole request was lost, because of its operation.
    pub request: bool,
    /// Whether the latency was lost.
    pub latency: bool,
    /// Whether precision of the time or of the latency was lost.
    pub time: bool,
    /// Whether the exact place or length was lost: it was widened to whole sectors.
    pub place: bool,
    /// Whether a part of the length was lost: it is longer than the format can hold.
    pub length: bool,
    /// Whether the flags of a write were lost.
    pub flags: bool,
}

impl FormatFields {
    /// All fields of a trace but the flags of writes, which few formats hold; formats override the fields that they hold less of.
    pub(crate) const ALL: FormatFields = FormatFields {
        operations: &TraceOperation::ALL,
        latency_ns: Some(1),
        time_ns: 1,
        offset_bytes: 1,
        length_bytes: 1,
        longest_bytes: u64::MAX,
        write_flags: false,
        names: VolumeNaming::Words,
    };

    /// The operations of formats that have only reads and writes.
    pub(crate) const READS_AND_WRITES: &'static [TraceOperation] =
        &[TraceOperation::Read, TraceOperation::Write];

    /// The request as the format can hold it, and the losses. Times are rounded down, so that their order is kept; latencies to the nearest
    /// value. Offsets are rounded down and ends up, so that no byte is left out.
    pub fn fit_to_format(&self, record: &TraceRecord) -> (TraceRecord, FieldLosses) {
        let mut lost = FieldLosses::default();
        let mut fit = *record;
        if record.operation == TraceOperation::Flush {
            (fit.offset, fit.bytes) = (0, 0);
        }
        let record = &fit.clone();
        lost.request = !self.operations.contains(&record.operation);
        if !self.write_flags {
            lost.flags = record.flags != WriteFlags::NONE;
            fit.flags = WriteFlags::NONE;
        }
        fit.at_ns -= fit.at_ns % self.time_ns;
        lost.time = fit.at_ns != record.at_ns;
        if let Some(latency) = record.latency_ns {
            fit.latency_ns = self.latency_ns.and_then(|unit| {
                let rounded = (latency / unit + u64::from(latency % unit * 2 >= unit)).checked_mul(unit)?;
                lost.time |= rounded != latency;
                // Formats without empty fields write 0 for an unknown latency.
                (rounded > 0).then_some(rounded)
            });
            lost.latency = fit.latency_ns.is_none();
        }
        fit.offset -= fit.offset % self.offset_bytes;
        let bytes = record.end_byte().saturating_sub(fit.offset);
        fit.bytes = if record.bytes == 0 {
            0
        } else {
            bytes.checked_next_multiple_of(self.length_bytes).unwrap_or(bytes - bytes % self.length_bytes)
        };
        lost.place = fit.offset != record.offset || fit.bytes != record.bytes;
        if fit.bytes > self.longest_bytes {
            fit.bytes = self.longest_bytes - self.longest_bytes % self.length_bytes;
            lost.length = true;
        }
        (fit, lost)
    }
}

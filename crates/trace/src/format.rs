//! Formats: how their files are recognised, cut, read and written, and which fields they hold.

use crate::fault::LineFault;
use crate::input::Cut;
use crate::options::Reading;
use crate::record::{Record, TraceOperation, VolumeNames};

/// A format of traces. Each is a constant in a file of `formats/`.
#[derive(Debug)]
pub struct Format {
    /// The word that chooses it.
    pub word: &'static str,
    /// Its description, in a line.
    pub about: &'static str,
    /// Its fields, as its files have them.
    pub fields: &'static str,
    /// Whether its times have one unit, in place of which another one can be given; otherwise a file says it itself.
    pub has_unit: bool,
    /// The fields it can hold.
    pub holds: FormatFields,
    /// The value of its clock at midnight of 1 January 1970 (UTC), in nanoseconds; `None` if it begins anywhere.
    pub unix_zero_ns: Option<u64>,
    /// Begins to read a file whose first bytes are given; the error says why that cannot be.
    pub(crate) open: fn(&Reading, &[u8]) -> Result<Opened, String>,
    /// Begins to write a file, if it can be written.
    pub(crate) create: Option<fn() -> Box<dyn Compose>>,
}

impl Format {
    /// Whether traces can be written in it, not only read.
    pub fn is_written(&self) -> bool {
        self.create.is_some()
    }
}

/// The fields of a trace that a format can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatFields {
    /// The operations that it distinguishes.
    pub operations: &'static [TraceOperation],
    /// Latencies, in so many nanoseconds; `None` if it has none.
    pub latency_ns: Option<u64>,
    /// Times are in so many nanoseconds.
    pub time_ns: u64,
    /// Offsets are multiples of so many bytes.
    pub offset_bytes: u64,
    /// Lengths are multiples of so many bytes.
    pub length_bytes: u64,
    /// The longest request, in bytes.
    pub longest_bytes: u64,
    /// How volumes are named.
    pub names: VolumeNaming,
}

/// How a format names volumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VolumeNaming {
    /// Words without blanks, commas, quotes and what cannot be printed.
    Words,
    /// A word, a dot and a number: a host and one of its disks.
    HostAndDisk,
    /// A major and a minor number with a comma between.
    MajorAndMinor,
    /// Numbers below 2^32.
    Numbers,
    /// There is only one.
    One,
}

/// A file that is being read.
pub(crate) struct Opened {
    pub(crate) cut: Cut,
    pub(crate) parse: Box<dyn Parse>,
}

impl Opened {
    /// A file of lines.
    pub(crate) fn lines(parse: impl Parse + 'static) -> Opened {
        Opened { cut: Cut::Lines, parse: Box::new(parse) }
    }
}

/// The meaning of a piece of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parsed {
    /// A request, with its time by the clock of the format.
    Request(Record),
    /// No request, and legitimately so: why, as it is counted.
    Aside(&'static str),
    /// A part of a request that [`Parse::kept`] gives out when it is complete.
    Kept,
}

/// Reads pieces of a file: lines or records.
pub(crate) trait Parse: Send {
    /// Parses a piece. Allocates nothing but for a new volume. Lines that are empty do not come here.
    fn parse(&mut self, piece: &[u8], volumes: &mut VolumeNames) -> Result<Parsed, LineFault>;

    /// Whether all times so far were whole numbers, in a format in which they mostly have decimals.
    fn has_whole_times(&self) -> bool {
        false
    }

    /// The next request that was kept and is complete; at the end of the file also what is not.
    fn kept(&mut self, end: bool) -> Option<Record> {
        let _ = end;
        None
    }
}

/// Writes requests, each already changed to what the format holds (see [`FormatFields::fit`]).
pub(crate) trait Compose: Send {
    /// Writes the text before the first request.
    fn begin(&mut self, out: &mut Vec<u8>) {
        let _ = out;
    }

    /// A request of a volume of this name.
    fn request(&mut self, record: &Record, volume: &str, out: &mut Vec<u8>);

    /// Writes the text after the last request.
    fn end(&mut self, out: &mut Vec<u8>) {
        let _ = out;
    }
}

/// The parts of a request that a format could not hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// The request as a whole, for its operation.
    pub request: bool,
    /// Its latency.
    pub latency: bool,
    /// A part of its time or its latency.
    pub time: bool,
    /// Its exact place or length: it was widened to whole sectors.
    pub place: bool,
    /// A part of its length: it is longer than the format can say.
    pub length: bool,
}

impl FormatFields {
    /// Everything that there is, to be written with what a format has less.
    pub(crate) const ALL: FormatFields = FormatFields {
        operations: &TraceOperation::ALL,
        latency_ns: Some(1),
        time_ns: 1,
        offset_bytes: 1,
        length_bytes: 1,
        longest_bytes: u64::MAX,
        names: VolumeNaming::Words,
    };

    /// Reads and writes, and nothing else.
    pub(crate) const READS_AND_WRITES: &'static [TraceOperation] =
        &[TraceOperation::Read, TraceOperation::Write];

    /// The request as the format can hold it, and what that loses. Times are rounded down, so that their order stays;
    /// latencies to the nearest. Offsets are rounded down and ends up, so that no byte is left out.
    pub fn fit(&self, record: &Record) -> (Record, Lost) {
        let mut lost = Lost::default();
        let mut fit = *record;
        if record.operation == TraceOperation::Flush {
            (fit.offset, fit.bytes) = (0, 0);
        }
        let record = &fit.clone();
        lost.request = !self.operations.contains(&record.operation);
        fit.at_ns -= fit.at_ns % self.time_ns;
        lost.time = fit.at_ns != record.at_ns;
        if let Some(latency) = record.latency_ns {
            fit.latency_ns = self.latency_ns.and_then(|unit| {
                let rounded = (latency / unit + u64::from(latency % unit * 2 >= unit)).checked_mul(unit)?;
                lost.time |= rounded != latency;
                // Zero is how formats without empty fields say that they do not know.
                (rounded > 0).then_some(rounded)
            });
            lost.latency = fit.latency_ns.is_none();
        }
        fit.offset -= fit.offset % self.offset_bytes;
        let bytes = record.end().saturating_sub(fit.offset);
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

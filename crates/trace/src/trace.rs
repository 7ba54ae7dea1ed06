//! A trace that is read: a file becomes requests in the order of their times.

use crate::anomalies::Anomalies;
use crate::error::TraceError;
use crate::fault::{BadLine, Fault};
use crate::format::{Format, Opened, Parsed};
use crate::formats::{FORMATS, format};
use crate::input::{Input, Piece};
use crate::options::{OnBackwards, OnBadLine, Options};
use crate::order::{Sorted, Spread};
use crate::record::{Record, Volumes};
use crate::sniff::sniff;
use crate::source::{self, Compression, Passed};
use crate::text::printable::printable;
use std::io::Read;
use std::path::Path;

/// Bad lines that are kept as examples.
const EXAMPLES: usize = 5;
/// Requests between two looks whether to go on: some milliseconds.
const LOOK_EVERY: u32 = 8_192;

/// What the lines of a trace were, so far. For binary formats a line is a record of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Lines of the file.
    pub lines: u64,
    /// Requests found.
    pub requests: u64,
    /// Lines that are legitimately no requests, by reason.
    pub asides: Vec<(&'static str, u64)>,
    /// Lines that are broken.
    pub bad: u64,
    /// The first of those.
    pub examples: Vec<BadLine>,
}

/// A trace that is being read.
///
/// ```no_run
/// use sansim_trace::{Options, Trace};
///
/// let mut trace = Trace::open("web.csv.gz".as_ref(), &Options::default())?;
/// while let Some(record) = trace.next_record()? {
///     println!("{} {} {}", record.at_ns, trace.volumes().name(record.volume), record.bytes);
/// }
/// # Ok::<(), sansim_trace::TraceError>(())
/// ```
///
/// It holds one buffer and one window of requests, however long the file is. Records come in the order of their times: what
/// is out of order by less than [`Options::window`] is sorted, what is by more gets the time of the one before, or is an
/// error. The times count from the first record that is given out.
pub struct Trace {
    file: String,
    format: &'static Format,
    compression: Compression,
    input: Input,
    opened: Opened,
    spread: Option<Spread>,
    sorted: Sorted,
    on_bad_line: OnBadLine,
    on_backwards: OnBackwards,
    window: usize,
    volumes: Volumes,
    counts: Counts,
    anomalies: Anomalies,
    /// What its clock says at the first record; `None` before that.
    beginning: Option<u64>,
    given: u64,
    ended: bool,
    failed: Option<TraceError>,
    passed: Option<Passed>,
}

impl Trace {
    /// Opens a file, plain or compressed with gzip or zstd.
    pub fn open(path: &Path, options: &Options) -> Result<Trace, TraceError> {
        let (compression, source, passed) = source::open(path)?;
        let trace = Trace::begin(path.display().to_string(), compression, source, options)?;
        Ok(Trace { passed: Some(passed), ..trace })
    }

    /// Reads what `source` gives. Messages call it `name`.
    pub fn read(
        name: &str,
        source: impl Read + Send + 'static,
        options: &Options,
    ) -> Result<Trace, TraceError> {
        let (compression, source) = source::unpacked(name, source)?;
        Trace::begin(name.to_owned(), compression, source, options)
    }

    fn begin(
        file: String,
        compression: Compression,
        source: Box<dyn Read + Send>,
        options: &Options,
    ) -> Result<Trace, TraceError> {
        let mut input = Input::new(source);
        if input.head().0.starts_with(b"\xef\xbb\xbf") {
            input.skip(3);
        }
        let (head, ended) = input.head();
        // Who declares columns means CSV.
        let declared = options.reading.columns.as_ref().map(|_| "csv");
        let format = match options.format.as_deref().or(declared) {
            Some(word) => format(word).ok_or_else(|| {
                let words: Vec<&str> = FORMATS.iter().map(|format| format.word).collect();
                TraceError::Choice {
                    why: format!("there is no trace format `{word}`; there are {}", words.join(", ")),
                }
            })?,
            None => match sniff(&options.reading, head, ended) {
                Ok(format) => format,
                Err(why) => {
                    // A file that is damaged at once looks like nothing; say what is the matter with it.
                    if let Some(why) = input.failure() {
                        return Err(damaged(file, compression, why, input.came(), 0));
                    }
                    return Err(TraceError::Unknown { file, why });
                }
            },
        };
        let opened = match (format.open)(&options.reading, head) {
            Ok(opened) => opened,
            Err(why) => return Err(TraceError::Open { file, why: format!("as `{}`: {why}", format.word) }),
        };
        let seconds = format.holds.time_ns >= 1_000_000_000;
        Ok(Trace {
            file,
            format,
            compression,
            input,
            opened,
            spread: seconds.then(|| Spread::new(format.holds.time_ns)),
            sorted: Sorted::new(options.window),
            on_bad_line: options.on_bad_line,
            on_backwards: options.on_backwards,
            window: options.window,
            volumes: Volumes::default(),
            counts: Counts::default(),
            anomalies: Anomalies::default(),
            beginning: None,
            given: 0,
            ended: false,
            failed: None,
            passed: None,
        })
    }

    /// The next request; `None` at the end. After an error every call gives that error again.
    pub fn next_record(&mut self) -> Result<Option<Record>, TraceError> {
        loop {
            if let Some(record) = self.sorted.pop(self.ended) {
                return self.give(record).map(Some);
            }
            if self.ended {
                return self.failed.clone().map_or(Ok(None), Err);
            }
            self.advance();
        }
    }

    /// Reads a line.
    fn advance(&mut self) {
        let (parsed, text) = match self.input.piece(self.opened.cut) {
            Ok(Some(Piece::Whole([]))) => (Ok(Parsed::Aside("empty line")), &[] as &[u8]),
            Ok(Some(Piece::Whole(piece))) => (self.opened.parse.parse(piece, &mut self.volumes), piece),
            Ok(Some(Piece::TooLong(piece))) => (Err(Fault::new("line", "is longer than 64 KiB")), piece),
            Ok(Some(Piece::Partial(piece))) => (Err(Fault::new("record", "ends with the file")), piece),
            Ok(None) => return self.end(),
            Err(why) => {
                let requests = self.counts.requests;
                self.failed =
                    Some(damaged(self.file.clone(), self.compression, why, self.input.came(), requests));
                return self.end();
            }
        };
        self.counts.lines += 1;
        match parsed {
            Ok(Parsed::Request(record)) => {
                self.counts.requests += 1;
                match &mut self.spread {
                    None => self.sorted.push(record),
                    Some(spread) => spread.push(record, &mut self.sorted),
                }
            }
            Ok(Parsed::Aside(why)) => match self.counts.asides.iter_mut().find(|(other, _)| *other == why) {
                Some((_, count)) => *count += 1,
                None => self.counts.asides.push((why, 1)),
            },
            Ok(Parsed::Kept) => {
                self.counts.requests += 1;
                self.take_kept(false);
            }
            Err(fault) => {
                self.counts.bad += 1;
                let bad = || BadLine { line: self.counts.lines, text: printable(text), fault };
                match self.on_bad_line {
                    OnBadLine::Count if self.counts.examples.len() < EXAMPLES => {
                        self.counts.examples.push(bad())
                    }
                    OnBadLine::Count => {}
                    OnBadLine::Fail => {
                        let (file, format) = (self.file.clone(), self.format.word);
                        self.failed = Some(TraceError::BadLine { file, bad: bad(), format });
                        self.end();
                    }
                }
            }
        }
    }

    fn take_kept(&mut self, end: bool) {
        while let Some(record) = self.opened.parse.kept(end) {
            self.sorted.push(record);
        }
    }

    /// Nothing more is read; what is kept is still given out, also before an error.
    fn end(&mut self) {
        self.ended = true;
        self.take_kept(true);
        if let Some(spread) = &mut self.spread {
            spread.end(&mut self.sorted);
        }
    }

    /// A record as it is given out: with its time from the first one, never before the one it follows.
    fn give(&mut self, mut record: Record) -> Result<Record, TraceError> {
        let clock = record.at_ns;
        let beginning = *self.beginning.get_or_insert(clock);
        let latest = beginning + self.anomalies.span_ns;
        self.given += 1;
        record.at_ns = clock.max(latest) - beginning;
        if clock < latest {
            let by_ns = latest - clock;
            if self.on_backwards == OnBackwards::Fail {
                let (file, record, window) = (self.file.clone(), self.given, self.window);
                let error = TraceError::Backwards { file, record, by_ns, window };
                self.sorted = Sorted::new(self.window);
                (self.ended, self.failed) = (true, Some(error.clone()));
                return Err(error);
            }
            self.anomalies.clamped.add(by_ns);
        }
        self.anomalies.note(&record, self.given);
        Ok(record)
    }

    /// The names of the volumes that have come so far.
    pub fn volumes(&self) -> &Volumes {
        &self.volumes
    }

    /// What it is called in messages: the path, as it was given.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Its format, found or given.
    pub fn format(&self) -> &'static Format {
        self.format
    }

    /// How it is compressed.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// How much of the file has been read, from 0 to 1; `None` for what has no length, as a pipe.
    pub fn share_read(&self) -> Option<f64> {
        self.passed.as_ref().and_then(Passed::share)
    }

    /// Goes through all requests that are left. `watch` is asked every few thousand of them whether to go on; false if it
    /// said no.
    pub fn each(
        &mut self,
        watch: &mut dyn FnMut(&Trace) -> bool,
        mut take: impl FnMut(&Record, &Trace) -> Result<(), TraceError>,
    ) -> Result<bool, TraceError> {
        let mut until_look = LOOK_EVERY;
        while let Some(record) = self.next_record()? {
            take(&record, self)?;
            until_look -= 1;
            if until_look == 0 {
                until_look = LOOK_EVERY;
                if !watch(self) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// What its lines were, so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// What is odd about it, so far.
    pub fn anomalies(&self) -> Anomalies {
        let dates_s = self.beginning.zip(self.format.unix_zero_ns).map(|(beginning, zero)| {
            let seconds = |clock: u64| ((i128::from(clock) - i128::from(zero)) / 1_000_000_000) as i64;
            [seconds(beginning), seconds(beginning + self.anomalies.span_ns)]
        });
        Anomalies { back: self.sorted.back, dates_s, ..self.anomalies.clone() }
    }
}

impl Iterator for Trace {
    type Item = Result<Record, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_record().transpose()
    }
}

fn damaged(file: String, compression: Compression, why: String, at_byte: u64, records: u64) -> TraceError {
    TraceError::Damaged { file, what: compression.thing(), why, at_byte, records }
}

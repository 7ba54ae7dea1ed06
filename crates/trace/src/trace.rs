//! A trace that is read: the lines of a file become requests in the order of their times.

use crate::anomalies::Anomalies;
use crate::error::TraceError;
use crate::fault::{BadLine, LineFault};
use crate::format::{Format, Opened, Parsed};
use crate::formats::{FORMATS, format_with_word};
use crate::heading::is_heading;
use crate::input::{FileUnit, Input, Piece};
use crate::options::{BackwardsRule, BadLineRule, FormatOptions, TraceReadOptions};
use crate::order::{Sorted, Spread};
use crate::record::{TraceRecord, VolumeNames};
use crate::sniff::sniff;
use crate::source::{self, Compression, Passed};
use crate::text::printable::printable;
use std::io::Read;
use std::path::Path;

/// Whole times of DiskSim that are this far apart on average, or begin so late, are not in milliseconds: simulations begin at 0, and last
/// for seconds to hours. The thresholds of doubtful times are choices of this model.
const SLOW_WHOLE_S: f64 = 1.0;
const LATE_WHOLE_NS: u64 = 86_400 * 1_000_000_000;
/// Requests that are on average this far apart are no load, and requests that are closer than the lower limit come from no host.
const SLOW_S: f64 = 60.0;
const FAST_S: f64 = 1e-7;
/// The fewest requests from which an average for the lower limit is made.
const FEWEST: u64 = 16;
/// The number of bad lines that are kept as examples.
const EXAMPLES: usize = 5;
/// The number of requests between two calls that ask whether to continue: some milliseconds.
const LOOK_EVERY: u32 = 8_192;

/// Counts of the lines of a trace by kind, so far. For binary formats a line is a record of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// The number of lines of the file.
    pub lines: u64,
    /// The number of requests found.
    pub requests: u64,
    /// The numbers of lines that are legitimately no requests, by reason.
    pub asides: Vec<(&'static str, u64)>,
    /// The number of broken lines.
    pub bad: u64,
    /// The first broken lines.
    pub examples: Vec<BadLine>,
}

/// Offsets are multiplied by the first and divided by the second number, if their unit differs from that of the format.
#[derive(Clone, Copy, Debug)]
struct OffsetUnit(Option<(u64, u64)>);

impl OffsetUnit {
    fn of(format: &Format, reading: &FormatOptions) -> Self {
        let ratio = reading.offset_unit.map(|given| (given, format.holds.offset_bytes.max(1)));
        Self(ratio.filter(|(given, unit)| given != unit))
    }

    fn apply(self, record: TraceRecord) -> Result<TraceRecord, LineFault> {
        let Some((by, of)) = self.0 else { return Ok(record) };
        let offset = u64::try_from(u128::from(record.offset) * u128::from(by) / u128::from(of))
            .map_err(|_| LineFault::new("offset", "is too large for 64 bits: is its unit another one?"))?;
        Ok(TraceRecord { offset, ..record })
    }
}

/// A trace that is being read.
///
/// ```no_run
/// use sansim_trace::{Trace, TraceReadOptions};
///
/// let mut trace = Trace::open_file("web.csv.gz".as_ref(), &TraceReadOptions::default())?;
/// while let Some(record) = trace.next_record()? {
///     println!("{} {} {}", record.at_ns, trace.volume_names_so_far().volume_name(record.volume), record.bytes);
/// }
/// # Ok::<(), sansim_trace::TraceError>(())
/// ```
///
/// A trace holds one buffer and one window of requests, however long the file is. Records come in the order of their times: records that
/// are out of order by less than [`TraceReadOptions::window`] are sorted, and a record that is further out of order gets the time of the record
/// before, or is an error. Times count from the first record that is returned.
pub struct Trace {
    file: String,
    format: &'static Format,
    compression: Compression,
    input: Input,
    opened: Opened,
    offset_unit: OffsetUnit,
    spread: Option<Spread>,
    sorted: Sorted,
    on_bad_line: BadLineRule,
    on_backwards: BackwardsRule,
    window: usize,
    options: FormatOptions,
    volumes: VolumeNames,
    counts: LineCounts,
    anomalies: Anomalies,
    /// The value of the format's clock at the first record; `None` before the first record.
    beginning: Option<u64>,
    given: u64,
    ended: bool,
    failed: Option<TraceError>,
    passed: Option<Passed>,
}

impl Trace {
    /// Opens a file, plain or compressed with gzip or zstd.
    pub fn open_file(path: &Path, options: &TraceReadOptions) -> Result<Trace, TraceError> {
        let (compression, source, passed) = source::open(path)?;
        let trace = Trace::begin(path.display().to_string(), compression, source, options)?;
        Ok(Trace { passed: Some(passed), ..trace })
    }

    /// Reads the data of `source`. Messages call the trace `name`.
    pub fn read_source(
        name: &str,
        source: impl Read + Send + 'static,
        options: &TraceReadOptions,
    ) -> Result<Trace, TraceError> {
        let (compression, source) = source::unpacked(name, source)?;
        Trace::begin(name.to_owned(), compression, source, options)
    }

    fn begin(
        file: String,
        compression: Compression,
        source: Box<dyn Read + Send>,
        options: &TraceReadOptions,
    ) -> Result<Trace, TraceError> {
        let mut input = Input::new(source);
        if input.head().0.starts_with(b"\xef\xbb\xbf") {
            input.skip(3);
        }
        let (head, ended) = input.head();
        // If columns are declared, the format is CSV.
        let declared = options.reading.columns.as_ref().map(|_| "csv");
        let format = match options.format.as_deref().or(declared) {
            Some(word) => format_with_word(word).ok_or_else(|| {
                let words: Vec<&str> = FORMATS.iter().map(|format| format.word).collect();
                TraceError::Choice {
                    why: format!("there is no trace format `{word}`; there are {}", words.join(", ")),
                }
            })?,
            None => match sniff(&options.reading, head, ended) {
                Ok(format) => format,
                Err(why) => {
                    // A file that is damaged at its beginning matches no format; the error reports the damage.
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
        if options.reading.time_unit.is_some() && !format.has_unit {
            let why =
                format!("the columns of `{}` have units: write `time:us` or its like there", format.word);
            return Err(TraceError::Choice { why });
        }
        let seconds = options.reading.unit_ns(format.holds.time_ns) >= 1_000_000_000
            && format.holds.time_ns >= 1_000_000_000;
        Ok(Trace {
            offset_unit: OffsetUnit::of(format, &options.reading),
            options: options.reading.clone(),
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
            volumes: VolumeNames::default(),
            counts: LineCounts::default(),
            anomalies: Anomalies::default(),
            beginning: None,
            given: 0,
            ended: false,
            failed: None,
            passed: None,
        })
    }

    /// The next request; `None` at the end. After an error every call returns that error again.
    pub fn next_record(&mut self) -> Result<Option<TraceRecord>, TraceError> {
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
            Ok(Some(Piece::TooLong(piece))) => (Err(LineFault::new("line", "is longer than 64 KiB")), piece),
            Ok(Some(Piece::Partial(piece))) => (Err(LineFault::new("record", "ends with the file")), piece),
            Ok(None) => return self.end(),
            Err(why) => {
                let requests = self.counts.requests;
                self.failed =
                    Some(damaged(self.file.clone(), self.compression, why, self.input.came(), requests));
                return self.end();
            }
        };
        self.counts.lines += 1;
        let parsed = match parsed {
            Ok(Parsed::Request(record)) => self.offset_unit.apply(record).map(Parsed::Request),
            Err(_) if self.counts.lines == 1 && self.opened.cut == FileUnit::Lines && is_heading(text) => {
                Ok(Parsed::Aside("header"))
            }
            Err(_) if self.opened.cut == FileUnit::Lines && text.starts_with(b"#") => {
                Ok(Parsed::Aside("comment"))
            }
            parsed => parsed,
        };
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
                    BadLineRule::Count if self.counts.examples.len() < EXAMPLES => {
                        self.counts.examples.push(bad())
                    }
                    BadLineRule::Count => {}
                    BadLineRule::Fail => {
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
            match self.offset_unit.apply(record) {
                Ok(record) => self.sorted.push(record),
                Err(_) => self.counts.bad += 1,
            }
        }
    }

    /// Reading ends; records that are kept are still returned, also before an error.
    fn end(&mut self) {
        self.ended = true;
        self.take_kept(true);
        if let Some(spread) = &mut self.spread {
            spread.end(&mut self.sorted);
        }
    }

    /// A record as it is returned: with its time from the first record, never before the record that it follows.
    fn give(&mut self, mut record: TraceRecord) -> Result<TraceRecord, TraceError> {
        let clock = record.at_ns;
        let beginning = *self.beginning.get_or_insert(clock);
        let latest = beginning + self.anomalies.span_ns;
        self.given += 1;
        record.at_ns = clock.max(latest) - beginning;
        if clock < latest {
            let by_ns = latest - clock;
            if self.on_backwards == BackwardsRule::Fail {
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
    pub fn volume_names_so_far(&self) -> &VolumeNames {
        &self.volumes
    }

    /// The name of the trace in messages: the path, as it was given.
    pub fn file_name(&self) -> &str {
        &self.file
    }

    /// The format of the trace, detected or given.
    pub fn trace_format(&self) -> &'static Format {
        self.format
    }

    /// The compression of the trace.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// The share of the file that has been read, from 0 to 1; `None` for a source without a length, such as a pipe.
    pub fn share_of_file_read(&self) -> Option<f64> {
        self.passed.as_ref().and_then(Passed::share)
    }

    /// Reads all remaining requests. `watch` is called every few thousand requests and returns whether to continue; returns false if it
    /// stopped the reading.
    pub fn for_each_record(
        &mut self,
        watch: &mut dyn FnMut(&Trace) -> bool,
        mut take: impl FnMut(&TraceRecord, &Trace) -> Result<(), TraceError>,
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

    /// Reads the beginning of the trace, up to this many requests and lines, and returns the records; true if that is the whole trace. The
    /// trace is not read further.
    ///
    /// # Errors
    /// If the beginning cannot be read.
    pub fn look_ahead(
        &mut self,
        requests: u64,
        lines: u64,
        mut take: impl FnMut(&TraceRecord),
    ) -> Result<bool, TraceError> {
        while !self.ended && self.counts.requests < requests && self.counts.lines < lines {
            self.advance();
        }
        let whole = self.ended;
        self.end();
        while let Some(record) = self.sorted.pop(true) {
            take(&self.give(record)?);
        }
        match self.failed.clone() {
            Some(error) if whole => Err(error),
            _ => Ok(whole),
        }
    }

    /// The reason why the trace has no request, if it was read to its end and there was none: the kinds of its lines, and the options to
    /// set.
    pub fn why_empty(&self) -> Option<String> {
        if !self.ended || self.counts.requests > 0 {
            return None;
        }
        let of = |letter: &str| {
            let counted = self.counts.asides.iter().find(|(why, _)| why.ends_with(&format!("({letter})")));
            counted.map_or(0, |(_, count)| *count)
        };
        let events = [("Q", "queued"), ("D", "issued"), ("C", "completed")];
        let there: Vec<String> = events
            .iter()
            .filter(|(letter, _)| of(letter) > 0)
            .map(|(letter, word)| format!("{} {word} ({letter})", of(letter)))
            .collect();
        let instead = events.iter().find(|(letter, _)| of(letter) > 0);
        Some(match instead {
            Some((_, word)) if self.format.word == "blkparse" => format!(
                "there is no event of the kind that stands for a request, but {}; action = \"{word}\" takes those",
                there.join(" and ")
            ),
            _ if self.counts.lines == 0 => "there is nothing in it".to_owned(),
            _ => {
                let lines: Vec<String> =
                    self.counts.asides.iter().map(|(why, count)| format!("{count} {why}")).collect();
                let lines = if lines.is_empty() { String::new() } else { format!(": {}", lines.join(", ")) };
                format!("none of its {} lines is a request{lines}", self.counts.lines)
            }
        })
    }

    /// The reasons to doubt the units of the trace, so far, a sentence for each: times or offsets that cannot have the assumed unit.
    pub fn unit_doubts(&self) -> Vec<String> {
        let Anomalies { span_ns, .. } = self.anomalies;
        let mut doubts = Vec::new();
        let gap_s = span_ns as f64 / 1e9 / self.given.saturating_sub(1).max(1) as f64;
        let beginning_ns = self.beginning.unwrap_or(0);
        if self.options.time_unit.is_none() && self.given > 1 {
            let told = match gap_s {
                // Numbers have no decimals: a trace of few requests gets this sentence, too.
                gap if gap >= 1.0 => format!("one request in {} s", gap.round()),
                gap => format!("{:.0} requests a second", 1.0 / gap.max(1e-9)),
            };
            if self.opened.parse.has_whole_times() && (gap_s >= SLOW_WHOLE_S || beginning_ns > LATE_WHOLE_NS)
            {
                doubts.push(format!(
                    "its times are whole numbers and, as milliseconds, begin after {} s and make {told}, which can hardly be: \
                     files of MQSim count nanoseconds; time_unit says which unit it is",
                    beginning_ns / 1_000_000_000
                ));
            } else if gap_s >= SLOW_S || span_ns > 0 && gap_s < FAST_S && self.given >= FEWEST {
                doubts
                    .push(format!("its times make {told}, which can hardly be: is their unit another one?"));
            }
        }
        if self.options.offset_unit.is_none() && self.format.word == "oracle-general" && self.given > 0 {
            doubts.push(
                "it has numbers of objects, and they are taken as byte offsets, so objects overlap or are far apart; offset_unit \
                 takes them as numbers of blocks of so many bytes"
                    .to_owned(),
            );
        }
        doubts
    }

    /// The warnings for the user so far, a sentence for each; none if nothing is odd.
    pub fn warning_sentences(&self) -> Vec<String> {
        let mut told = self.anomalies().warning_sentences();
        told.extend(self.unit_doubts());
        told
    }

    /// Whether the times of the trace are whole seconds, over which the requests of each are spread evenly.
    pub fn has_whole_seconds(&self) -> bool {
        self.spread.is_some()
    }

    /// The counts of the trace's lines so far.
    pub fn line_counts(&self) -> &LineCounts {
        &self.counts
    }

    /// The anomalies of the trace so far.
    pub fn anomalies(&self) -> Anomalies {
        let dates_s = self.beginning.zip(self.format.unix_zero_ns).map(|(beginning, zero)| {
            let seconds = |clock: u64| ((i128::from(clock) - i128::from(zero)) / 1_000_000_000) as i64;
            [seconds(beginning), seconds(beginning + self.anomalies.span_ns)]
        });
        Anomalies { back: self.sorted.back, dates_s, ..self.anomalies.clone() }
    }
}

impl Iterator for Trace {
    type Item = Result<TraceRecord, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_record().transpose()
    }
}

fn damaged(file: String, compression: Compression, why: String, at_byte: u64, records: u64) -> TraceError {
    TraceError::Damaged { file, what: compression.thing(), why, at_byte, records }
}

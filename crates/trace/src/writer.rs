//! A writer of traces.

use crate::error::TraceError;
use crate::format::{Compose, FieldLosses, Format};
use crate::formats::{FORMATS, format_with_word};
use crate::names::Naming;
use crate::record::{TraceRecord, VolumeNames};
use std::io::Write;

/// The number of bytes that are gathered before they are written.
const BLOCK: usize = 64 << 10;

/// The losses of writing a trace, in requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceLosses {
    /// The number of requests left out, as the format has no such operation.
    pub requests: u64,
    /// The number of latencies left out.
    pub latencies: u64,
    /// The number of times or latencies that were rounded.
    pub times: u64,
    /// The number of requests that were widened to whole sectors.
    pub places: u64,
    /// The number of requests that were cut to the longest one of the format.
    pub lengths: u64,
    /// The number of writes whose flags were left out.
    pub flags: u64,
    /// Volumes whose names were changed: the name, and the name in the file.
    pub names: Vec<(String, String)>,
    /// Whether several volumes became one.
    pub merged: bool,
}

impl TraceLosses {
    fn add(&mut self, lost: FieldLosses) {
        self.requests += u64::from(lost.request);
        if !lost.request {
            self.latencies += u64::from(lost.latency);
            self.times += u64::from(lost.time);
            self.places += u64::from(lost.place);
            self.lengths += u64::from(lost.length);
            self.flags += u64::from(lost.flags);
        }
    }

    /// The warnings for the user, a sentence for each; none if nothing was lost.
    pub fn warning_sentences(&self, format: &Format) -> Vec<String> {
        let word = format.word;
        let mut told = Vec::new();
        let mut tell = |count: u64, what: &str| {
            if count > 0 {
                told.push(format!("{count} {what}"));
            }
        };
        tell(self.requests, &format!("requests are left out: {word} has no such operation"));
        tell(self.latencies, &format!("latencies are left out: {word} cannot hold them"));
        tell(self.times, &format!("requests have rounded times: {word} counts {} ns", format.holds.time_ns));
        tell(
            self.places,
            &format!("requests are widened: {word} counts {} bytes", format.holds.offset_bytes),
        );
        tell(
            self.lengths,
            &format!("requests are cut to {} bytes, the most of {word}", format.holds.longest_bytes),
        );
        tell(self.flags, &format!("writes lose their preflush or forced unit access: {word} cannot hold it"));
        tell(self.names.len() as u64, &format!("volumes have other names in {word}"));
        if self.merged {
            told.push(format!("all volumes are one: {word} has no volumes"));
        }
        told
    }
}

/// Writes a trace.
pub struct TraceWriter<W: Write> {
    file: String,
    format: &'static Format,
    compose: Box<dyn Compose>,
    naming: Naming,
    losses: TraceLosses,
    written: u64,
    block: Vec<u8>,
    out: W,
}

impl<W: Write> TraceWriter<W> {
    /// A writer to `out`, which messages call `name`, in the format with this word. The caller compresses the output, if it is to be
    /// compressed.
    pub fn new(name: &str, word: &str, out: W) -> Result<TraceWriter<W>, TraceError> {
        let format = format_with_word(word).ok_or_else(|| {
            let written = FORMATS.iter().filter(|format| format.create.is_some());
            let words: Vec<&str> = written.map(|format| format.word).collect();
            TraceError::Choice {
                why: format!("there is no trace format `{word}`; there are {}", words.join(", ")),
            }
        })?;
        let create = format.create.ok_or_else(|| TraceError::Choice {
            why: format!("traces cannot be written as `{word}` ({}), only read", format.about),
        })?;
        let mut compose = create();
        let mut block = Vec::with_capacity(2 * BLOCK);
        compose.begin(&mut block);
        let naming = Naming::new(format.holds.names);
        Ok(TraceWriter {
            file: name.to_owned(),
            format,
            compose,
            naming,
            losses: TraceLosses::default(),
            written: 0,
            block,
            out,
        })
    }

    /// Writes a request, whose volume is one of `volumes`, which are the same in every call. Requests have to come in the order of their
    /// times.
    pub fn write(&mut self, record: &TraceRecord, volumes: &VolumeNames) -> Result<(), TraceError> {
        let (fit, lost) = self.format.holds.fit_to_format(record);
        self.losses.add(lost);
        if lost.request {
            return Ok(());
        }
        let name = self.naming.name(record.volume, volumes);
        self.compose.request(&fit, name, &mut self.block);
        self.written += 1;
        if self.block.len() >= BLOCK { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), TraceError> {
        let written = self.out.write_all(&self.block);
        self.block.clear();
        written.map_err(|error| TraceError::Write { file: self.file.clone(), why: error.to_string() })
    }

    /// Writes the remaining data; returns the number of written requests, the losses, and the output.
    pub fn finish(mut self) -> Result<(u64, TraceLosses, W), TraceError> {
        self.compose.end(&mut self.block);
        self.flush()?;
        self.out
            .flush()
            .map_err(|error| TraceError::Write { file: self.file.clone(), why: error.to_string() })?;
        let (names, merged) = self.naming.changes();
        Ok((self.written, TraceLosses { names, merged, ..self.losses }, self.out))
    }
}

//! The fio iolog format, versions 2 and 3. The first line of the log is the version; then files are added, opened and used:
//!
//! * version 2: `filename action offset length`, and `filename wait time` in between;
//! * version 3: `timestamp filename action offset length`, in microseconds from the start of the run.
//!
//! The meaning of `wait` is an option ([`FioWait`]): fio's manual says microseconds from the wait before, but fio interprets it as
//! milliseconds from the start of the job. Logs are written in version 3.

use crate::fault::LineFault;
use crate::format::{Compose, Format, FormatFields, Opened, Parse, Parsed};
use crate::options::{FioWait, TimeUnit};
use crate::record::{TraceOperation, TraceRecord, VolumeNames, WriteFlags};
use crate::text::fields::Words;
use crate::text::{put, take};
use std::collections::{BTreeSet, HashSet};

/// The nanoseconds of a tick of the clock of version 3.
const TICK: u64 = 1_000;

pub(super) const FORMAT: Format = Format {
    word: "fio-iolog",
    about: "fio iolog, versions 2 and 3",
    fields: "[timestamp] filename action offset length",
    has_unit: true,
    holds: FormatFields { latency_ns: None, time_ns: TICK, ..FormatFields::ALL },
    unix_zero_ns: None,
    open: |reading, _| {
        Ok(Opened::lines(Reader { version: None, wait: reading.fio_wait, given: reading.time_unit, clock: 0, added: HashSet::new() }))
    },
    create: Some(|| Box::new(Writer::default())),
};

struct Reader {
    /// The version; `None` until the first line has given it.
    version: Option<u8>,
    wait: FioWait,
    /// The unit of times and waits, if it was given.
    given: Option<TimeUnit>,
    /// The time to which waits have advanced, in version 2.
    clock: u64,
    added: HashSet<Box<[u8]>>,
}

impl Reader {
    /// Advances the clock by the time after `wait`.
    fn advance(&mut self, time: Option<&[u8]>) -> Result<Parsed, LineFault> {
        let unit = |of_fio: u64| self.given.map_or(of_fio, TimeUnit::nanoseconds);
        self.clock = match self.wait {
            FioWait::Observed => take::whole(time, unit(1_000_000), "wait")?,
            FioWait::Documented => take::whole(time, unit(1_000), "wait")?
                .checked_add(self.clock)
                .ok_or(LineFault::new("wait", "is too large for 64 bits"))?,
        };
        Ok(Parsed::Aside("wait"))
    }
}

impl Parse for Reader {
    fn parse(&mut self, line: &[u8], volumes: &mut VolumeNames) -> Result<Parsed, LineFault> {
        let mut words = Words::new(line);
        let Some(version) = self.version else {
            self.version = match line.trim_ascii() {
                b"fio version 2 iolog" => Some(2),
                b"fio version 3 iolog" => Some(3),
                _ => return Err(LineFault::new("first line", "is not `fio version 2 iolog` or `fio version 3 iolog`")),
            };
            return Ok(Parsed::Aside("version"));
        };
        let at_ns = match version {
            3 => take::whole(words.next(), self.given.map_or(TICK, TimeUnit::nanoseconds), "timestamp")?,
            _ => self.clock,
        };
        let file = take::text(words.next(), "file name")?;
        let operation = match take::text(words.next(), "action")? {
            b"read" => TraceOperation::Read,
            b"write" => TraceOperation::Write,
            b"trim" => TraceOperation::Trim,
            b"sync" | b"datasync" => TraceOperation::Flush,
            b"wait" if version == 2 => return self.advance(words.next()),
            b"add" => {
                if self.added.len() == VolumeNames::MOST {
                    return Err(take::TOO_MANY_VOLUMES);
                }
                self.added.insert(file.into());
                return Ok(Parsed::Aside("file added, opened or closed"));
            }
            b"open" | b"close" => return Ok(Parsed::Aside("file added, opened or closed")),
            _ => {
                return Err(LineFault::new(
                    "action",
                    "is none of read, write, trim, sync, datasync, wait, add, open, close",
                ));
            }
        };
        let (offset, bytes) = match operation {
            // The offset of a flush has no meaning, and may be missing.
            TraceOperation::Flush => (0, 0),
            _ => (take::whole(words.next(), 1, "offset")?, take::whole(words.next(), 1, "length")?),
        };
        if !self.added.contains(file) {
            return Err(LineFault::new("file name", "was not added before it is used"));
        }
        let volume = take::volume(volumes, file)?;
        Ok(Parsed::Request(TraceRecord { at_ns, volume, operation, offset, bytes, latency_ns: None, flags: WriteFlags::NONE }))
    }
}

#[derive(Default)]
struct Writer {
    opened: BTreeSet<String>,
    at: u64,
}

impl Writer {
    fn line(&self, volume: &str, action: &str, out: &mut Vec<u8>) {
        put::whole(out, self.at);
        out.push(b' ');
        out.extend_from_slice(volume.as_bytes());
        out.push(b' ');
        out.extend_from_slice(action.as_bytes());
    }
}

impl Compose for Writer {
    fn begin(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"fio version 3 iolog\n");
    }

    fn request(&mut self, record: &TraceRecord, volume: &str, out: &mut Vec<u8>) {
        self.at = record.at_ns / TICK;
        if !self.opened.contains(volume) {
            self.line(volume, "add\n", out);
            self.line(volume, "open\n", out);
            self.opened.insert(volume.to_owned());
        }
        let action = match record.operation {
            TraceOperation::Flush => "sync",
            operation => operation.word(),
        };
        self.line(volume, action, out);
        out.push(b' ');
        put::whole(out, record.offset);
        out.push(b' ');
        put::whole(out, record.bytes);
        out.push(b'\n');
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        for volume in &self.opened {
            self.line(volume, "close\n", out);
        }
    }
}

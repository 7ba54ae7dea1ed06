//! Text of blkparse: `maj,min cpu seq time pid action RWBS sector + blocks [process]`.
//!
//! Times are in seconds with decimals, offsets in sectors of 512 bytes. A request leaves several lines; one action represents it
//! ([`BlktraceAction`]): Q when it comes to the block layer, D when it goes to the driver, C when it is complete. RWBS is searched for the
//! letter of the operation, as kernels add more letters: D trim, R read, W write, F without one of these flush. An F before the W is a
//! preflush, an F after it forced unit access. Merges are separate lines,
//! so merged requests are not counted twice. The lines of the summary after the trace are no requests.
//!
//! Where there are completions, the latency is from the chosen action to the C on the same device with the same operation that covers its
//! sectors: a merged request is complete when the request into which it was merged is. For C the latency is from the Q, or from the D if
//! the file has no Q.

use crate::fault::LineFault;
use crate::format::{Compose, Format, FormatFields, VolumeNaming, Opened, Parse, Parsed};
use crate::options::BlktraceAction;
use crate::record::{TraceOperation, TraceRecord, VolumeNames, WriteFlags};
use crate::text::fields::Words;
use crate::text::{put, take};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

/// The most requests that wait for their completion, and the most completions that wait to be written. The limit bounds memory: a request
/// that waits behind more has no latency.
const MOST_OPEN: usize = 4_096;

pub(super) const FORMAT: Format = Format {
    word: "blkparse",
    about: "text output of blkparse",
    fields: "maj,min cpu seq time pid action RWBS sector + blocks [process]",
    has_unit: true,
    holds: FormatFields {
        operations: &TraceOperation::ALL,
        latency_ns: Some(1),
        offset_bytes: take::SECTOR,
        length_bytes: take::SECTOR,
        write_flags: true,
        names: VolumeNaming::MajorAndMinor,
        ..FormatFields::ALL
    },
    unix_zero_ns: None,
    open: |reading, _| {
        Ok(Opened::lines(Reader {
            action: reading.action,
            unit: reading.unit_ns(take::SECOND),
            queued: false,
            summary: false,
            kept: VecDeque::new(),
            first: 0,
            open: BTreeMap::new(),
        }))
    },
    create: Some(|| Box::new(Writer::default())),
};

/// An open request: its volume, operation, first sector and number. Keys are ordered so that the requests that one completion covers are
/// adjacent.
type Key = (u32, TraceOperation, u64, u64);

struct Reader {
    action: BlktraceAction,
    /// The nanoseconds of the time unit of the file.
    unit: u64,
    /// Whether a Q has come.
    queued: bool,
    /// Whether the summary has begun.
    summary: bool,
    /// Requests that are not returned yet, in the order of the file; true when the request is complete.
    kept: VecDeque<(TraceRecord, bool)>,
    /// The number of the first kept request.
    first: u64,
    /// Requests that are not complete: their beginnings and their lengths.
    open: BTreeMap<Key, (u64, u64)>,
}

/// The name under which an action that is not chosen is counted.
fn aside(action: u8) -> Option<&'static str> {
    Some(match action {
        b'Q' => "queued (Q)",
        b'D' => "issued (D)",
        b'C' => "completed (C)",
        b'M' | b'F' => "merged (M, F)",
        b'G' => "request made (G)",
        b'S' => "waits for a request (S)",
        b'I' => "inserted (I)",
        b'R' => "requeued (R)",
        b'P' | b'U' => "plug (P, U)",
        b'T' => "timer (T)",
        b'X' => "split (X)",
        b'A' => "remapped (A)",
        b'B' => "bounced (B)",
        b'm' => "message (m)",
        _ => return None,
    })
}

/// The operation in RWBS; `None` if there is neither data nor a flush.
fn operation(rwbs: &[u8], has_place: bool) -> Option<TraceOperation> {
    let has = |letter| rwbs.contains(&letter);
    Some(match () {
        () if has(b'D') => TraceOperation::Trim,
        () if has(b'R') => TraceOperation::Read,
        () if has(b'W') && has_place => TraceOperation::Write,
        () if has(b'F') => TraceOperation::Flush,
        () => return None,
    })
}

impl Reader {
    /// A line of the summary, or a broken line.
    fn other(&mut self, line: &[u8]) -> Result<Parsed, LineFault> {
        let begins = |heads: &[&[u8]]| heads.iter().any(|head| line.trim_ascii_start().starts_with(head));
        self.summary |= begins(&[b"CPU", b"Total (", b"Throughput (", b"Events (", b"Skips: ", b"Input file "]);
        if self.summary { Ok(Parsed::Aside("summary")) } else { Err(LineFault::new("device", "is not maj,min")) }
    }

    /// A request begins.
    fn begin(&mut self, record: &TraceRecord) {
        let number = self.first + self.kept.len() as u64;
        let key = (record.volume, record.operation, record.offset, number);
        if self.open.len() >= MOST_OPEN {
            // Old entries are dropped only where completions are returned: other requests leave with the kept request.
            self.open.retain(|key, _| key.3 + MOST_OPEN as u64 / 2 >= number);
        }
        if record.bytes > 0 {
            self.open.insert(key, (record.at_ns, record.bytes));
        }
    }

    /// Requests are complete: the first with exactly this place if there is one, otherwise all within it. Returns the latency of the
    /// request that began first.
    fn complete(&mut self, done: &TraceRecord) -> Option<u64> {
        let from = (done.volume, done.operation, done.offset, 0);
        let to = (done.volume, done.operation, done.end_byte(), 0);
        if from >= to {
            return None;
        }
        let equal = self
            .open
            .range(from..to)
            .take_while(|(key, _)| key.2 == done.offset)
            .find(|(_, (_, bytes))| *bytes == done.bytes)
            .map(|(key, _)| *key);
        let mut longest = None;
        loop {
            let within = |(key, (_, bytes)): &(&Key, &(u64, u64))| key.2.saturating_add(*bytes) <= done.end_byte();
            let Some(key) = equal.or_else(|| self.open.range(from..to).find(within).map(|(key, _)| *key)) else {
                return longest;
            };
            let Some((began, _)) = self.open.remove(&key) else { return longest };
            let latency = done.at_ns.checked_sub(began).filter(|latency| *latency > 0);
            longest = longest.max(latency);
            let place = key.3.checked_sub(self.first).and_then(|place| usize::try_from(place).ok());
            if let Some((record, complete)) = place.and_then(|place| self.kept.get_mut(place)) {
                (record.latency_ns, *complete) = (latency, true);
            }
            if equal.is_some() {
                return longest;
            }
        }
    }
}

impl Parse for Reader {
    fn parse(&mut self, line: &[u8], volumes: &mut VolumeNames) -> Result<Parsed, LineFault> {
        let mut words = Words::new(line);
        let device = words.next().unwrap_or_default();
        let is_device = device.first().is_some_and(u8::is_ascii_digit)
            && device.contains(&b',')
            && device.iter().all(|byte| byte.is_ascii_digit() || *byte == b',');
        if !is_device {
            return self.other(line);
        }
        take::whole(words.next(), 1, "cpu")?;
        take::whole(words.next(), 1, "seq")?;
        let at_ns = take::time(words.next(), self.unit, "time")?;
        take::text(words.next(), "pid")?;
        let action = take::text(words.next(), "action")?;
        let why = aside(action[0]).ok_or(LineFault::new("action", "is none of blkparse"))?;
        let [letter @ (b'Q' | b'D' | b'C')] = action else { return Ok(Parsed::Aside(why)) };
        let chosen = match self.action {
            BlktraceAction::Queued => b'Q',
            BlktraceAction::Issued => b'D',
            BlktraceAction::Completed => b'C',
        };
        self.queued |= *letter == b'Q';
        let begins = match self.action {
            BlktraceAction::Completed => *letter == b'Q' || *letter == b'D' && !self.queued,
            _ => *letter == chosen,
        };
        if !begins && *letter != b'C' {
            return Ok(Parsed::Aside(why));
        }
        let rwbs = take::text(words.next(), "RWBS")?;
        let place = words.next().filter(|word| word[0].is_ascii_digit());
        let plus = words.next() == Some(b"+");
        let (offset, bytes) = match place {
            Some(sector) if plus => {
                let blocks = take::whole(words.next(), take::SECTOR, "blocks")?;
                (take::whole(Some(sector), take::SECTOR, "sector")?, blocks)
            }
            _ => (0, 0),
        };
        let Some(operation) = operation(rwbs, place.is_some() && plus) else {
            return Ok(Parsed::Aside("without data"));
        };
        if operation != TraceOperation::Flush && !(place.is_some() && plus) {
            return match *letter == chosen {
                true => Err(LineFault::new("sector", "is missing")),
                false => Ok(Parsed::Aside(why)),
            };
        }
        let (offset, bytes) = if operation == TraceOperation::Flush { (0, 0) } else { (offset, bytes) };
        let flags = match operation {
            TraceOperation::Write => WriteFlags::from_letters(rwbs),
            _ => WriteFlags::NONE,
        };
        let volume = take::volume(volumes, device)?;
        let mut record = TraceRecord { at_ns, volume, operation, offset, bytes, latency_ns: None, flags };
        if *letter == b'C' {
            record.latency_ns = self.complete(&record);
            return Ok(if chosen == b'C' { Parsed::Request(record) } else { Parsed::Aside(why) });
        }
        self.begin(&record);
        if *letter != chosen {
            // The action only begins a request that a C returns: its number is not used.
            self.first += 1;
            return Ok(Parsed::Aside(why));
        }
        self.kept.push_back((record, bytes == 0));
        Ok(Parsed::Kept)
    }

    fn kept(&mut self, end: bool) -> Option<TraceRecord> {
        let (record, complete) = *self.kept.front()?;
        if !(complete || end || self.kept.len() > MOST_OPEN) {
            return None;
        }
        self.kept.pop_front();
        if !complete {
            self.open.remove(&(record.volume, record.operation, record.offset, self.first));
        }
        self.first += 1;
        Some(record)
    }
}

/// A completion that is to be written: its time, its number, and the remaining fields of its line.
type Completion = Reverse<(u64, u64, String, String)>;

#[derive(Default)]
struct Writer {
    lines: u64,
    completions: BinaryHeap<Completion>,
}

impl Writer {
    fn line(&mut self, at_ns: u64, volume: &str, rest: &str, out: &mut Vec<u8>) {
        self.lines += 1;
        out.extend_from_slice(volume.as_bytes());
        out.extend_from_slice(b" 0 ");
        put::whole(out, self.lines);
        out.push(b' ');
        put::decimal(out, at_ns, 9);
        out.extend_from_slice(b" 0 ");
        out.extend_from_slice(rest.as_bytes());
        out.push(b'\n');
    }

    /// Writes the completions up to a time, and the earliest ones if more than `most` wait.
    fn complete(&mut self, until: u64, most: usize, out: &mut Vec<u8>) {
        while let Some(Reverse((at, ..))) = self.completions.peek()
            && (*at <= until || self.completions.len() > most)
        {
            if let Some(Reverse((at, _, volume, rest))) = self.completions.pop() {
                self.line(at, &volume, &rest, out);
            }
        }
    }
}

impl Compose for Writer {
    fn request(&mut self, record: &TraceRecord, volume: &str, out: &mut Vec<u8>) {
        self.complete(record.at_ns, MOST_OPEN, out);
        let letter = match record.operation {
            TraceOperation::Read => "R",
            TraceOperation::Write => record.flags.letters(),
            TraceOperation::Trim => "D",
            TraceOperation::Flush => return self.line(record.at_ns, volume, "Q F [none]", out),
        };
        let place = format!("{letter} {} + {}", record.offset / take::SECTOR, record.bytes / take::SECTOR);
        self.line(record.at_ns, volume, &format!("Q {place} [none]"), out);
        if let Some(latency) = record.latency_ns {
            let (at, rest) = (record.at_ns.saturating_add(latency), format!("C {place} [0]"));
            self.completions.push(Reverse((at, self.lines, volume.to_owned(), rest)));
        }
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        self.complete(u64::MAX, 0, out);
    }
}

//! Plain CSV with declared columns: `time:us,volume,op,offset:sectors,bytes,latency:ms`.
//!
//! | column | unit | meaning |
//! |---|---|---|
//! | `time` | s, ms, us, 100ns, ns; must be given | when; from anywhere |
//! | `volume` | | any name; without it there is one volume |
//! | `op` | `op:0=read`, `op:1=read` for numbers 0 and 1 | r, read, w, write, t, trim, discard, unmap, f, flush, sync, large or small; letters of blkparse (`FW`: after a flush, `WF`: with forced unit access); codes of SCSI commands in hexadecimal |
//! | `offset` | `bytes` (default), `sectors` of 512, or a number of bytes | where |
//! | `bytes` (or `size`, `length`) | the same | how long |
//! | `latency` | as `time` | how long it took; empty or 0 if not known |
//! | `-` | | left out |
//!
//! The separator of the columns also separates the fields: a comma, or a semicolon, a tab, a bar, or blanks. If the first line does not
//! contain the separator of the columns, but another one, the other separates the fields. A first line without a digit in the column of the
//! time is a header. Without declared columns the first line has to declare them, as files written by this crate do. Fields may be in
//! double quotes, without a separator within.

use crate::fault::LineFault;
use crate::format::{Compose, Format, FormatFields, Opened, Parse, Parsed};
use crate::options::TimeUnit;
use crate::record::{TraceOperation, TraceRecord, VolumeNames, WriteFlags};
use crate::text::fields::{Fields, Words};
use crate::text::printable::printable;
use crate::text::{number, put, take};

/// The first line that is written: the declaration of its columns.
const COLUMNS: &str = "time:ns,volume,op,offset:bytes,bytes,latency:ns";

pub(super) const FORMAT: Format = Format {
    word: "csv",
    about: "plain CSV with declared columns and units",
    fields: COLUMNS,
    has_unit: false,
    holds: FormatFields { write_flags: true, ..FormatFields::ALL },
    unix_zero_ns: None,
    open: |reading, head| {
        let first = head.split(|&byte| byte == b'\n').next().unwrap_or_default().trim_ascii();
        let (separator, columns) = match &reading.columns {
            Some(declared) => declaration(declared)?,
            None => std::str::from_utf8(first)
                .map_err(|_| "begins with no declaration of its columns".to_owned())
                .and_then(declaration)
                .map_err(|why| {
                    let first = printable(first);
                    format!("has no declared columns, and its first line `{first}` is no declaration: {why}")
                })?,
        };
        // The columns may be declared with commas whatever separator the file has.
        let separator = if columns.len() > 1 && !is_in(separator, first) {
            SEPARATORS.iter().copied().find(|&other| is_in(other, first)).unwrap_or(separator)
        } else {
            separator
        };
        Ok(Opened::lines(Reader { separator, columns, first: true }))
    },
    create: Some(|| Box::new(Writer)),
};

/// The separators of fields. A blank as separator means any number of blanks and tabs.
const SEPARATORS: &[u8] = b",;\t| ";
/// The separator that means blanks.
const BLANKS: u8 = b' ';

/// Whether a line contains a separator.
fn is_in(separator: u8, line: &[u8]) -> bool {
    line.iter().any(|&byte| byte == separator || separator == BLANKS && byte.is_ascii_whitespace())
}

/// The fields of a line.
enum Cells<'a> {
    Separated(Fields<'a>),
    Words(Words<'a>),
}

impl<'a> Cells<'a> {
    fn new(line: &'a [u8], separator: u8) -> Self {
        match separator {
            BLANKS => Self::Words(Words::new(line)),
            separator => Self::Separated(Fields::separated(line, separator)),
        }
    }
}

impl<'a> Iterator for Cells<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        match self {
            Self::Separated(fields) => fields.next(),
            Self::Words(words) => words.next(),
        }
    }
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    /// The time, in units of this many nanoseconds.
    Time(u64),
    Volume,
    /// The operation; for digits, the digit that means a read.
    Operation(Option<u8>),
    /// The offset, in units of this many bytes.
    Offset(u64),
    Bytes(u64),
    /// The latency, in units of this many nanoseconds.
    Latency(u64),
    LeftOut,
}

/// The separator and the columns of a declaration; the error says what is wrong with the declaration.
fn declaration(text: &str) -> Result<(u8, Vec<Column>), String> {
    let text = text.trim();
    let separator = SEPARATORS.iter().copied().find(|byte| text.as_bytes().contains(byte)).unwrap_or(b',');
    let parts: Vec<&str> = match separator {
        BLANKS => text.split_whitespace().collect(),
        separator => text.split(separator as char).map(str::trim).collect(),
    };
    let columns: Vec<Column> = parts.into_iter().map(column).collect::<Result<_, _>>()?;
    let count = |wanted: fn(&Column) -> bool| columns.iter().filter(|column| wanted(column)).count();
    for (name, count, needed) in [
        ("time", count(|column| matches!(column, Column::Time(_))), true),
        ("op", count(|column| matches!(column, Column::Operation(_))), true),
        ("offset", count(|column| matches!(column, Column::Offset(_))), true),
        ("bytes", count(|column| matches!(column, Column::Bytes(_))), true),
        ("volume", count(|column| matches!(column, Column::Volume)), false),
        ("latency", count(|column| matches!(column, Column::Latency(_))), false),
    ] {
        match count {
            0 if needed => return Err(format!("column `{name}` is missing")),
            0 | 1 => {}
            _ => return Err(format!("column `{name}` is there {count} times")),
        }
    }
    Ok((separator, columns))
}

fn column(part: &str) -> Result<Column, String> {
    let (name, unit) = part.split_once(':').map_or((part, None), |(name, unit)| (name, Some(unit)));
    let time = || match unit.map(TimeUnit::from_word) {
        Some(Some(unit)) => Ok(unit.nanoseconds()),
        _ => Err(format!("`{part}` needs a unit: `{name}:s`, ms, us, 100ns or ns")),
    };
    let bytes = || match unit {
        None | Some("bytes") => Ok(1),
        Some("sectors") => Ok(take::SECTOR),
        Some(unit) => match unit.parse::<u32>() {
            Ok(bytes) if bytes > 0 => Ok(u64::from(bytes)),
            _ => Err(format!("`{part}` has no unit that is known: bytes, sectors, or a number of bytes")),
        },
    };
    match name {
        "time" => time().map(Column::Time),
        "latency" => time().map(Column::Latency),
        "offset" => bytes().map(Column::Offset),
        "bytes" | "size" | "length" => bytes().map(Column::Bytes),
        "volume" if unit.is_none() => Ok(Column::Volume),
        "-" | "" if unit.is_none() => Ok(Column::LeftOut),
        "op" => match unit {
            None => Ok(Column::Operation(None)),
            Some("0=read") => Ok(Column::Operation(Some(b'0'))),
            Some("1=read") => Ok(Column::Operation(Some(b'1'))),
            Some(_) => Err(format!("`{part}` may be `op`, `op:0=read` or `op:1=read`")),
        },
        _ => Err(format!("`{part}` is no column: time, volume, op, offset, bytes, latency, or `-` to leave it out")),
    }
}

struct Reader {
    separator: u8,
    columns: Vec<Column>,
    /// Whether no line has been read yet.
    first: bool,
}

/// The most letters of an operation as blkparse writes it. No word for a write that is as short has an F.
const LONGEST_LETTERS: usize = 5;

/// The operation that a word means.
fn operation(word: &[u8], read: Option<u8>) -> Option<TraceOperation> {
    if let (Some(read), [digit @ (b'0' | b'1')]) = (read, word) {
        return Some(if *digit == read { TraceOperation::Read } else { TraceOperation::Write });
    }
    let mut small = [0; 8];
    let small = small.get_mut(..word.len())?;
    small.copy_from_slice(word);
    small.make_ascii_lowercase();
    Some(match &*small {
        b"r" | b"read" | b"rd" => TraceOperation::Read,
        b"w" | b"write" | b"wr" => TraceOperation::Write,
        b"t" | b"trim" | b"discard" | b"unmap" => TraceOperation::Trim,
        b"f" | b"flush" | b"sync" => TraceOperation::Flush,
        code if scsi(code).is_some() => return scsi(code),
        // Operations may be as blkparse writes them, with letters for synchronous, metadata, read-ahead and forced.
        rwbs if rwbs.len() <= LONGEST_LETTERS && rwbs.iter().all(|letter| b"rwdfsman".contains(letter)) => {
            let has = |letter: u8| rwbs.contains(&letter);
            match () {
                () if has(b'd') => TraceOperation::Trim,
                () if has(b'r') => TraceOperation::Read,
                () if has(b'w') => TraceOperation::Write,
                () => return None,
            }
        }
        _ => return None,
    })
}

/// The operation of a SCSI command, given its operation code in hexadecimal, with or without `0x`: commands of 6, 10, 12 and 16 bytes.
fn scsi(code: &[u8]) -> Option<TraceOperation> {
    let code = code.strip_suffix(b"h").unwrap_or(code);
    // A single digit is no operation code but a number for reads and writes.
    if code.len() < 2 {
        return None;
    }
    Some(match number::hexadecimal(code)? {
        0x08 | 0x28 | 0xa8 | 0x88 => TraceOperation::Read,
        // Writes include those that verify.
        0x0a | 0x2a | 0xaa | 0x8a | 0x2e | 0xae | 0x8e => TraceOperation::Write,
        0x42 => TraceOperation::Trim,
        0x35 | 0x91 => TraceOperation::Flush,
        _ => return None,
    })
}

/// A field without the quotes around it.
fn unquoted(field: &[u8]) -> Result<&[u8], LineFault> {
    let Some(rest) = field.strip_prefix(b"\"") else { return Ok(field) };
    match rest.strip_suffix(b"\"") {
        Some(text) if !text.contains(&b'"') => Ok(text),
        _ => Err(LineFault::new("field", "has a quote or a separator within its quotes")),
    }
}

impl Parse for Reader {
    fn parse(&mut self, line: &[u8], volumes: &mut VolumeNames) -> Result<Parsed, LineFault> {
        let first = std::mem::take(&mut self.first);
        match self.request(line, volumes) {
            Err(_) if first && self.is_header(line) => Ok(Parsed::Aside("header")),
            request => request,
        }
    }
}

impl Reader {
    /// Whether a first line that is no request names the columns: it declares them, or has no digit in the column of the time.
    fn is_header(&self, line: &[u8]) -> bool {
        let time = self.columns.iter().position(|column| matches!(column, Column::Time(_)));
        let mut fields = Cells::new(line, self.separator);
        let named = fields.nth(time.unwrap_or(0)).is_some_and(|text| !text.iter().any(u8::is_ascii_digit));
        named || declaration(&String::from_utf8_lossy(line)).is_ok()
    }

    fn request(&self, line: &[u8], volumes: &mut VolumeNames) -> Result<Parsed, LineFault> {
        let mut fields = Cells::new(line, self.separator);
        let (mut at_ns, mut latency_ns, mut name) = (0, None, b"0" as &[u8]);
        let (mut offset, mut bytes, mut what) = (None, None, TraceOperation::Read);
        let mut flags = WriteFlags::NONE;
        for column in &self.columns {
            let field = match fields.next() {
                Some(field) => Some(unquoted(field)?),
                None => None,
            };
            match *column {
                Column::LeftOut => {}
                Column::Time(unit) => at_ns = take::time(field, unit, "time")?,
                Column::Volume => name = field.ok_or(LineFault::new("volume", "is missing"))?,
                Column::Operation(read) => {
                    let word = take::text(field, "op")?;
                    what = operation(word, read).ok_or(match (word, read) {
                        ([b'0' | b'1'], None) => {
                            LineFault::new("op", "is a digit: write `op:0=read` or `op:1=read` in the columns")
                        }
                        _ => LineFault::new("op", "is no operation that is known"),
                    })?;
                    let are_letters = word.len() <= LONGEST_LETTERS && what == TraceOperation::Write;
                    flags = if are_letters { WriteFlags::from_letters(word) } else { WriteFlags::NONE };
                }
                // A flush has neither an offset nor a length, and may have empty fields.
                Column::Offset(_) | Column::Bytes(_) if field == Some(b"") => {}
                Column::Offset(unit) => offset = Some(take::whole(field, unit, "offset")?),
                Column::Bytes(unit) => bytes = Some(take::whole(field, unit, "bytes")?),
                Column::Latency(unit) => match field {
                    None | Some([]) => {}
                    field => latency_ns = Some(take::time(field, unit, "latency")?).filter(|latency| *latency > 0),
                },
            }
        }
        if fields.next().is_some() {
            return Err(LineFault::new("line", "has more fields than there are columns"));
        }
        if flags.preflush && bytes == Some(0) {
            // A preflush without data is how Linux says a flush alone.
            (what, flags) = (TraceOperation::Flush, WriteFlags::NONE);
        }
        let (offset, bytes) = match what {
            TraceOperation::Flush => (0, 0),
            _ => (
                offset.ok_or(LineFault::new("offset", "is empty"))?,
                bytes.ok_or(LineFault::new("bytes", "is empty"))?,
            ),
        };
        let volume = take::volume(volumes, name)?;
        Ok(Parsed::Request(TraceRecord { at_ns, volume, operation: what, offset, bytes, latency_ns, flags }))
    }
}

struct Writer;

impl Compose for Writer {
    fn begin(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(COLUMNS.as_bytes());
        out.push(b'\n');
    }

    fn request(&mut self, record: &TraceRecord, volume: &str, out: &mut Vec<u8>) {
        put::whole(out, record.at_ns);
        out.push(b',');
        out.extend_from_slice(volume.as_bytes());
        out.push(b',');
        let word = if record.flags == WriteFlags::NONE { record.operation.word() } else { record.flags.letters() };
        out.extend_from_slice(word.as_bytes());
        out.push(b',');
        put::whole(out, record.offset);
        out.push(b',');
        put::whole(out, record.bytes);
        out.push(b',');
        if let Some(latency) = record.latency_ns {
            put::whole(out, latency);
        }
        out.push(b'\n');
    }
}

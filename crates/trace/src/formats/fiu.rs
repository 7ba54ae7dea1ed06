//! The FIU format (I/O deduplication): `ts pid process lba size op major minor md5`. Times are in nanoseconds from anywhere, offsets in
//! sectors of 512 bytes; operations are `R` and `W`. A volume is `major,minor`. Written files have no process and an MD5 of zeros.

use crate::fault::LineFault;
use crate::format::{Compose, Format, FormatFields, VolumeNaming, Opened, Parse, Parsed};
use crate::record::{TraceOperation, TraceRecord, VolumeNames, WriteFlags};
use crate::text::fields::Words;
use crate::text::{put, take};

pub(super) const FORMAT: Format = Format {
    word: "fiu",
    about: "FIU I/O deduplication traces",
    fields: "ts pid process lba size op major minor md5",
    has_unit: true,
    holds: FormatFields {
        operations: FormatFields::READS_AND_WRITES,
        latency_ns: None,
        offset_bytes: take::SECTOR,
        length_bytes: take::SECTOR,
        names: VolumeNaming::MajorAndMinor,
        ..FormatFields::ALL
    },
    unix_zero_ns: None,
    open: |reading, _| Ok(Opened::lines(Reader { unit: reading.unit_ns(1) })),
    create: Some(|| Box::new(Writer)),
};

struct Reader {
    /// The nanoseconds of the time unit of the file.
    unit: u64,
}

impl Parse for Reader {
    fn parse(&mut self, line: &[u8], volumes: &mut VolumeNames) -> Result<Parsed, LineFault> {
        let mut words = Words::new(line);
        let at_ns = take::whole(words.next(), self.unit, "ts")?;
        take::text(words.next(), "pid")?;
        take::text(words.next(), "process")?;
        let offset = take::whole(words.next(), take::SECTOR, "lba")?;
        let bytes = take::whole(words.next(), take::SECTOR, "size")?;
        let operation = match take::text(words.next(), "op")? {
            b"R" | b"r" => TraceOperation::Read,
            b"W" | b"w" => TraceOperation::Write,
            _ => return Err(LineFault::new("op", "is neither R nor W")),
        };
        let major = take::whole(words.next(), 1, "major")?;
        let minor = take::whole(words.next(), 1, "minor")?;
        take::text(words.next(), "md5")?;
        let mut key = [0; 16];
        key[..8].copy_from_slice(&major.to_le_bytes());
        key[8..].copy_from_slice(&minor.to_le_bytes());
        let volume =
            volumes.number_of(&key, |_| format!("{major},{minor}")).ok_or(take::TOO_MANY_VOLUMES)?;
        Ok(Parsed::Request(TraceRecord { at_ns, volume, operation, offset, bytes, latency_ns: None, flags: WriteFlags::NONE }))
    }
}

struct Writer;

impl Compose for Writer {
    fn request(&mut self, record: &TraceRecord, volume: &str, out: &mut Vec<u8>) {
        let (major, minor) = volume.split_once(',').unwrap_or((volume, "0"));
        put::whole(out, record.at_ns);
        out.extend_from_slice(b" 0 none ");
        put::whole(out, record.offset / take::SECTOR);
        out.push(b' ');
        put::whole(out, record.bytes / take::SECTOR);
        out.extend_from_slice(if record.operation == TraceOperation::Read { b" R " } else { b" W " });
        out.extend_from_slice(major.as_bytes());
        out.push(b' ');
        out.extend_from_slice(minor.as_bytes());
        out.extend_from_slice(b" 00000000000000000000000000000000\n");
    }
}

//! The SYSTOR '17 format (a year of a virtual desktop): `Timestamp,Response,IOType,LUN,Offset,Size`, below a header. Times are in seconds
//! since 1970 with decimals, offsets and sizes in bytes; operations are `R` and `W`. A response time may be empty, and 0 means not
//! recorded.

use crate::fault::LineFault;
use crate::format::{Compose, Format, FormatFields, VolumeNaming, Opened, Parse, Parsed};
use crate::record::{TraceOperation, TraceRecord, VolumeNames, WriteFlags};
use crate::text::fields::Fields;
use crate::text::{put, take};

/// The time at which written traces begin: 1 January 2000, in nanoseconds.
const BEGINNING: u64 = 946_684_800 * take::SECOND;

pub(super) const FORMAT: Format = Format {
    word: "systor",
    about: "SYSTOR '17 virtual desktop",
    fields: "Timestamp,Response,IOType,LUN,Offset,Size",
    has_unit: true,
    holds: FormatFields { operations: FormatFields::READS_AND_WRITES, names: VolumeNaming::Numbers, ..FormatFields::ALL },
    unix_zero_ns: Some(0),
    open: |reading, _| Ok(Opened::lines(Reader { unit: reading.unit_ns(take::SECOND) })),
    create: Some(|| Box::new(Writer)),
};

struct Reader {
    /// The nanoseconds of the time unit of the file.
    unit: u64,
}

impl Parse for Reader {
    fn parse(&mut self, line: &[u8], volumes: &mut VolumeNames) -> Result<Parsed, LineFault> {
        if line.starts_with(b"Timestamp,") {
            return Ok(Parsed::Aside("header"));
        }
        let mut fields = Fields::separated(line, b',');
        let at_ns = take::time(fields.next(), self.unit, "timestamp")?;
        let latency_ns = match fields.next() {
            Some([]) => None,
            field => Some(take::time(field, self.unit, "response")?).filter(|latency| *latency > 0),
        };
        let operation = match take::text(fields.next(), "IO type")? {
            b"R" | b"r" => TraceOperation::Read,
            b"W" | b"w" => TraceOperation::Write,
            _ => return Err(LineFault::new("IO type", "is neither R nor W")),
        };
        let lun = take::text(fields.next(), "LUN")?;
        let offset = take::whole(fields.next(), 1, "offset")?;
        let bytes = take::whole(fields.next(), 1, "size")?;
        if fields.next().is_some() {
            return Err(LineFault::new("size", "is followed by another field"));
        }
        let volume = take::volume(volumes, lun)?;
        Ok(Parsed::Request(TraceRecord { at_ns, volume, operation, offset, bytes, latency_ns, flags: WriteFlags::NONE }))
    }
}

struct Writer;

impl Compose for Writer {
    fn begin(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"Timestamp,Response,IOType,LUN,Offset,Size\n");
    }

    fn request(&mut self, record: &TraceRecord, volume: &str, out: &mut Vec<u8>) {
        put::decimal(out, BEGINNING.saturating_add(record.at_ns), 9);
        out.push(b',');
        if let Some(latency) = record.latency_ns {
            put::decimal(out, latency, 9);
        }
        out.extend_from_slice(if record.operation == TraceOperation::Read { b",R," } else { b",W," });
        out.extend_from_slice(volume.as_bytes());
        out.push(b',');
        put::whole(out, record.offset);
        out.push(b',');
        put::whole(out, record.bytes);
        out.push(b'\n');
    }
}

//! The Tencent CBS 2018 format: `Timestamp,Offset,Size,IOType,VolumeID`, without a header. Times are in whole seconds since 1970, offsets
//! in sectors of 512 bytes; 0 is a read, 1 a write.
//!
//! As times are whole seconds, requests of one second are spread evenly over it, in the order of the file.

use crate::fault::LineFault;
use crate::format::{Compose, Format, FormatFields, VolumeNaming, Opened, Parse, Parsed};
use crate::record::{TraceOperation, TraceRecord, VolumeNames, WriteFlags};
use crate::text::fields::Fields;
use crate::text::{put, take};

/// The time at which written traces begin: 1 January 2000, in seconds.
const BEGINNING: u64 = 946_684_800;

pub(super) const FORMAT: Format = Format {
    word: "tencent",
    about: "Tencent Cloud Block Storage",
    fields: "Timestamp,Offset,Size,IOType,VolumeID",
    has_unit: true,
    holds: FormatFields {
        operations: FormatFields::READS_AND_WRITES,
        latency_ns: None,
        time_ns: take::SECOND,
        offset_bytes: take::SECTOR,
        length_bytes: take::SECTOR,
        names: VolumeNaming::Numbers,
        ..FormatFields::ALL
    },
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
        let mut fields = Fields::separated(line, b',');
        let at_ns = take::whole(fields.next(), self.unit, "timestamp")?;
        let offset = take::whole(fields.next(), take::SECTOR, "offset")?;
        let bytes = take::whole(fields.next(), take::SECTOR, "size")?;
        let operation = match take::text(fields.next(), "IO type")? {
            b"0" => TraceOperation::Read,
            b"1" => TraceOperation::Write,
            _ => return Err(LineFault::new("IO type", "is neither 0 nor 1")),
        };
        let volume = take::text(fields.next(), "volume")?;
        if fields.next().is_some() {
            return Err(LineFault::new("volume", "is followed by another field"));
        }
        let volume = take::volume(volumes, volume)?;
        Ok(Parsed::Request(TraceRecord { at_ns, volume, operation, offset, bytes, latency_ns: None, flags: WriteFlags::NONE }))
    }
}

struct Writer;

impl Compose for Writer {
    fn request(&mut self, record: &TraceRecord, volume: &str, out: &mut Vec<u8>) {
        put::whole(out, BEGINNING + record.at_ns / take::SECOND);
        out.push(b',');
        put::whole(out, record.offset / take::SECTOR);
        out.push(b',');
        put::whole(out, record.bytes / take::SECTOR);
        out.extend_from_slice(if record.operation == TraceOperation::Read { b",0," } else { b",1," });
        out.extend_from_slice(volume.as_bytes());
        out.push(b'\n');
    }
}

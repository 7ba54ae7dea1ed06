//! The format of the Storage Performance Council, in the UMass trace repository: `ASU,LBA,Size,Opcode,Timestamp`, and optional fields
//! behind them, which may differ from line to line and are ignored.
//!
//! The LBA is in sectors of 512 bytes, the size in bytes, time in seconds with decimals. Opcodes are `r` and `w`, in small or capital
//! letters. Blanks may surround commas. A size of 0 is legal in this format.

use crate::fault::LineFault;
use crate::format::{Compose, Format, FormatFields, VolumeNaming, Opened, Parse, Parsed};
use crate::record::{TraceOperation, TraceRecord, VolumeNames, WriteFlags};
use crate::text::fields::Fields;
use crate::text::{put, take};

pub(super) const FORMAT: Format = Format {
    word: "spc",
    about: "UMass / Storage Performance Council",
    fields: "ASU,LBA,Size,Opcode,Timestamp[,...]",
    has_unit: true,
    holds: FormatFields {
        operations: FormatFields::READS_AND_WRITES,
        latency_ns: None,
        offset_bytes: take::SECTOR,
        names: VolumeNaming::Numbers,
        ..FormatFields::ALL
    },
    unix_zero_ns: None,
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
        let asu = take::text(fields.next(), "ASU")?;
        take::whole(Some(asu), 1, "ASU")?;
        let offset = take::whole(fields.next(), take::SECTOR, "LBA")?;
        let bytes = take::whole(fields.next(), 1, "size")?;
        let operation = match take::text(fields.next(), "opcode")? {
            b"r" | b"R" => TraceOperation::Read,
            b"w" | b"W" => TraceOperation::Write,
            _ => return Err(LineFault::new("opcode", "is neither r nor w")),
        };
        let at_ns = take::time(fields.next(), self.unit, "timestamp")?;
        let volume = take::volume(volumes, asu)?;
        Ok(Parsed::Request(TraceRecord { at_ns, volume, operation, offset, bytes, latency_ns: None, flags: WriteFlags::NONE }))
    }
}

struct Writer;

impl Compose for Writer {
    fn request(&mut self, record: &TraceRecord, volume: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(volume.as_bytes());
        out.push(b',');
        put::whole(out, record.offset / take::SECTOR);
        out.push(b',');
        put::whole(out, record.bytes);
        out.extend_from_slice(if record.operation == TraceOperation::Read { b",r," } else { b",w," });
        put::decimal(out, record.at_ns, 9);
        out.push(b'\n');
    }
}

//! The Alibaba Cloud 2020 format: `device_id,opcode,offset,length,timestamp`, without a header. Offsets and lengths are in bytes, times in
//! microseconds since 1970; opcodes are `R` and `W`.

use crate::fault::LineFault;
use crate::format::{Compose, Format, FormatFields, VolumeNaming, Opened, Parse, Parsed};
use crate::record::{TraceOperation, TraceRecord, VolumeNames, WriteFlags};
use crate::text::fields::Fields;
use crate::text::{put, take};

/// The nanoseconds of a tick of the format's clock.
const TICK: u64 = 1_000;
/// The time at which written traces begin: 1 January 2000, in microseconds.
const BEGINNING: u64 = 946_684_800 * 1_000_000;

pub(super) const FORMAT: Format = Format {
    word: "alibaba",
    about: "Alibaba Cloud block traces 2020",
    fields: "device_id,opcode,offset,length,timestamp",
    has_unit: true,
    holds: FormatFields {
        operations: FormatFields::READS_AND_WRITES,
        latency_ns: None,
        time_ns: TICK,
        names: VolumeNaming::Numbers,
        ..FormatFields::ALL
    },
    unix_zero_ns: Some(0),
    open: |reading, _| Ok(Opened::lines(Reader { unit: reading.unit_ns(TICK) })),
    create: Some(|| Box::new(Writer)),
};

struct Reader {
    /// The nanoseconds of the time unit of the file.
    unit: u64,
}

impl Parse for Reader {
    fn parse(&mut self, line: &[u8], volumes: &mut VolumeNames) -> Result<Parsed, LineFault> {
        let mut fields = Fields::separated(line, b',');
        let device = take::text(fields.next(), "device_id")?;
        let operation = match take::text(fields.next(), "opcode")? {
            b"R" | b"r" => TraceOperation::Read,
            b"W" | b"w" => TraceOperation::Write,
            _ => return Err(LineFault::new("opcode", "is neither R nor W")),
        };
        let offset = take::whole(fields.next(), 1, "offset")?;
        let bytes = take::whole(fields.next(), 1, "length")?;
        let at_ns = take::time(fields.next(), self.unit, "timestamp")?;
        if fields.next().is_some() {
            return Err(LineFault::new("timestamp", "is followed by another field"));
        }
        let volume = take::volume(volumes, device)?;
        Ok(Parsed::Request(TraceRecord { at_ns, volume, operation, offset, bytes, latency_ns: None, flags: WriteFlags::NONE }))
    }
}

struct Writer;

impl Compose for Writer {
    fn request(&mut self, record: &TraceRecord, volume: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(volume.as_bytes());
        out.extend_from_slice(if record.operation == TraceOperation::Read { b",R," } else { b",W," });
        put::whole(out, record.offset);
        out.push(b',');
        put::whole(out, record.bytes);
        out.push(b',');
        put::whole(out, BEGINNING + record.at_ns / TICK);
        out.push(b'\n');
    }
}

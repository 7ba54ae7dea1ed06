//! The DiskSim ASCII format: `time devno blkno bcount flags`. Times are in milliseconds with decimals, offsets in sectors of 512 bytes,
//! flags in hexadecimal, of which bit 0 means a read.
//!
//! MQSim has the same columns with whole times, which are nanoseconds in its samples: the unit has to be given then.

use crate::fault::LineFault;
use crate::format::{Compose, Format, FormatFields, VolumeNaming, Opened, Parse, Parsed};
use crate::options::TimeUnit;
use crate::record::{TraceOperation, TraceRecord, VolumeNames, WriteFlags};
use crate::text::fields::Words;
use crate::text::{number, put, take};

pub(super) const FORMAT: Format = Format {
    word: "disksim",
    about: "DiskSim ASCII, and MQSim",
    fields: "time devno blkno bcount flags",
    has_unit: true,
    holds: FormatFields {
        operations: FormatFields::READS_AND_WRITES,
        latency_ns: None,
        offset_bytes: take::SECTOR,
        length_bytes: take::SECTOR,
        names: VolumeNaming::Numbers,
        ..FormatFields::ALL
    },
    unix_zero_ns: None,
    open: |reading, _| {
        let unit = reading.time_unit.unwrap_or(TimeUnit::Milliseconds).nanoseconds();
        Ok(Opened::lines(Reader { unit, whole: true }))
    },
    create: Some(|| Box::new(Writer)),
};

struct Reader {
    unit: u64,
    /// Whether no time had decimals so far.
    whole: bool,
}

impl Parse for Reader {
    fn parse(&mut self, line: &[u8], volumes: &mut VolumeNames) -> Result<Parsed, LineFault> {
        let mut words = Words::new(line);
        let time = words.next();
        let at_ns = take::time(time, self.unit, "time")?;
        self.whole &= time.is_some_and(|time| time.iter().all(u8::is_ascii_digit));
        let device = take::text(words.next(), "devno")?;
        take::whole(Some(device), 1, "devno")?;
        let offset = take::whole(words.next(), take::SECTOR, "blkno")?;
        let bytes = take::whole(words.next(), take::SECTOR, "bcount")?;
        let flags = number::hexadecimal(take::text(words.next(), "flags")?)
            .ok_or(LineFault::new("flags", "are no hexadecimal number"))?;
        if words.next().is_some() {
            return Err(LineFault::new("flags", "are followed by another field"));
        }
        let operation = if flags & 1 == 1 { TraceOperation::Read } else { TraceOperation::Write };
        let volume = take::volume(volumes, device)?;
        Ok(Parsed::Request(TraceRecord { at_ns, volume, operation, offset, bytes, latency_ns: None, flags: WriteFlags::NONE }))
    }

    fn has_whole_times(&self) -> bool {
        self.whole
    }
}

struct Writer;

impl Compose for Writer {
    fn request(&mut self, record: &TraceRecord, volume: &str, out: &mut Vec<u8>) {
        put::decimal(out, record.at_ns, 6);
        out.push(b' ');
        out.extend_from_slice(volume.as_bytes());
        out.push(b' ');
        put::whole(out, record.offset / take::SECTOR);
        out.push(b' ');
        put::whole(out, record.bytes / take::SECTOR);
        out.extend_from_slice(if record.operation == TraceOperation::Read { b" 1\n" } else { b" 0\n" });
    }
}

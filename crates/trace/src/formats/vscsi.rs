//! CloudPhysics vSCSI, a binary little-endian format of one virtual disk:
//!
//! * version 1, 32 bytes: `sn u32, len u32, nSG u32, cmd u16, ver u16, lbn u64, ts u64`;
//! * version 2, 40 bytes: `cmd u16, ver u16, sn u32, len u32, nSG u32, lbn u64, ts u64, rt u64`.
//!
//! The version is the high byte of `ver`. Lengths are in bytes, addresses in sectors of 512, times and response times in microseconds; a
//! response time of 0 means not recorded. `cmd` is the operation code of the SCSI command. Files are written in version 2.

use crate::fault::LineFault;
use crate::format::{Compose, Format, FormatFields, VolumeNaming, Opened, Parse, Parsed};
use crate::input::FileUnit;
use crate::record::{TraceOperation, TraceRecord, VolumeNames, WriteFlags};
use crate::text::take;

/// The nanoseconds of a tick of the format's clock.
const TICK: u64 = 1_000;

pub(super) const FORMAT: Format = Format {
    word: "vscsi",
    about: "CloudPhysics vSCSI, binary",
    fields: "binary records of 32 or 40 bytes",
    has_unit: true,
    holds: FormatFields {
        operations: FormatFields::READS_AND_WRITES,
        latency_ns: Some(TICK),
        time_ns: TICK,
        offset_bytes: take::SECTOR,
        length_bytes: 1,
        longest_bytes: u32::MAX as u64,
        write_flags: false,
        names: VolumeNaming::One,
    },
    unix_zero_ns: None,
    open: |reading, head| {
        // Two records are examined, as one record may have the version byte by chance.
        let says = |size: usize, at: usize, version: u8| {
            let mut records = head.chunks_exact(size).take(2);
            records.len() > 0 && records.all(|record| record[at + 1] == version)
        };
        let (version, size) = match (says(40, 2, 2), says(32, 14, 1)) {
            (true, _) => (2, 40),
            (false, true) => (1, 32),
            (false, false) => return Err("has no mark of version 1 or 2".to_owned()),
        };
        Ok(Opened { cut: FileUnit::Records(size), parse: Box::new(Reader { version, unit: reading.unit_ns(TICK) }) })
    },
    create: Some(|| Box::new(Writer { number: 0 })),
};

struct Reader {
    version: u8,
    /// The nanoseconds of the time unit of the file.
    unit: u64,
}

/// The number in this many bytes at an offset; 0 beyond the end, which does not occur in a record of the right size.
fn number(record: &[u8], at: usize, bytes: usize) -> u64 {
    record.get(at..at + bytes).map_or(0, |part| {
        let mut number = [0; 8];
        number[..bytes].copy_from_slice(part);
        u64::from_le_bytes(number)
    })
}

impl Parse for Reader {
    fn parse(&mut self, record: &[u8], volumes: &mut VolumeNames) -> Result<Parsed, LineFault> {
        let (version_at, command_at, length_at, block_at, time_at) =
            if self.version == 2 { (2, 0, 8, 16, 24) } else { (14, 12, 4, 16, 24) };
        if number(record, version_at + 1, 1) != u64::from(self.version) {
            return Err(LineFault::new("ver", "is not that of the first record"));
        }
        let operation = match number(record, command_at, 2) {
            0x08 | 0x28 | 0x88 | 0xa8 => TraceOperation::Read,
            0x0a | 0x2a | 0x8a | 0xaa => TraceOperation::Write,
            _ => return Ok(Parsed::Aside("SCSI command that neither reads nor writes")),
        };
        let too_large = |what| LineFault::new(what, "is too large for 64 bits");
        let at_ns = number(record, time_at, 8).checked_mul(self.unit).ok_or(too_large("ts"))?;
        let offset = number(record, block_at, 8).checked_mul(take::SECTOR).ok_or(too_large("lbn"))?;
        let latency = match self.version {
            2 => number(record, 32, 8).checked_mul(self.unit).ok_or(too_large("rt"))?,
            _ => 0,
        };
        Ok(Parsed::Request(TraceRecord {
            at_ns,
            volume: take::volume(volumes, b"0")?,
            operation,
            offset,
            bytes: number(record, length_at, 4),
            latency_ns: Some(latency).filter(|latency| *latency > 0),
            flags: WriteFlags::NONE,
        }))
    }
}

struct Writer {
    number: u32,
}

impl Compose for Writer {
    fn request(&mut self, record: &TraceRecord, _: &str, out: &mut Vec<u8>) {
        let command: u16 = if record.operation == TraceOperation::Read { 0x28 } else { 0x2a };
        out.extend(command.to_le_bytes());
        out.extend(0x0200_u16.to_le_bytes());
        out.extend(self.number.to_le_bytes());
        // The length fits into 32 bits because of `FormatFields::longest_bytes`.
        out.extend((record.bytes as u32).to_le_bytes());
        out.extend(1_u32.to_le_bytes());
        out.extend((record.offset / take::SECTOR).to_le_bytes());
        out.extend((record.at_ns / TICK).to_le_bytes());
        out.extend((record.latency_ns.unwrap_or(0) / TICK).to_le_bytes());
        self.number = self.number.wrapping_add(1);
    }
}

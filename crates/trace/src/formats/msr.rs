//! The SNIA format of MSR Cambridge: `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`, without a header.
//!
//! Times and response times are in 100 ns; time counts from 1 January 1601, as in Windows, and is the time of the issue. Disks have the
//! same numbers on several hosts: a volume is `host.disk`. A response time of 0, or a missing one, means not recorded.

use crate::fault::LineFault;
use crate::format::{Compose, Format, FormatFields, VolumeNaming, Opened, Parse, Parsed};
use crate::record::{TraceOperation, TraceRecord, VolumeNames, WriteFlags};
use crate::text::fields::Fields;
use crate::text::{put, take};

/// The nanoseconds of a tick of Windows file time.
const TICK: u64 = 100;
/// Midnight of 1 January 1970 in file time, in nanoseconds.
const UNIX_ZERO: u64 = 11_644_473_600 * take::SECOND;
/// The time at which written traces begin: 1 January 2000, in ticks.
const BEGINNING: u64 = (11_644_473_600 + 946_684_800) * 10_000_000;

pub(super) const FORMAT: Format = Format {
    word: "msr",
    about: "SNIA MSR Cambridge CSV",
    fields: "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime",
    has_unit: true,
    holds: FormatFields {
        operations: FormatFields::READS_AND_WRITES,
        latency_ns: Some(TICK),
        time_ns: TICK,
        names: VolumeNaming::HostAndDisk,
        ..FormatFields::ALL
    },
    unix_zero_ns: Some(UNIX_ZERO),
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
        let at_ns = take::time(fields.next(), self.unit, "timestamp")?;
        let names = fields.rest();
        let host = fields.raw().ok_or(LineFault::new("hostname", "is missing"))?;
        let disk = fields.raw().ok_or(LineFault::new("disk number", "is missing"))?;
        take::whole(Some(disk.trim_ascii()), 1, "disk number")?;
        // Host and disk are adjacent in the line, so they are the key without change.
        let key = &names[..host.len() + 1 + disk.len()];
        let operation = match take::text(fields.next(), "type")? {
            word if word.eq_ignore_ascii_case(b"read") => TraceOperation::Read,
            word if word.eq_ignore_ascii_case(b"write") => TraceOperation::Write,
            _ => return Err(LineFault::new("type", "is neither Read nor Write")),
        };
        let offset = take::whole(fields.next(), 1, "offset")?;
        let bytes = take::whole(fields.next(), 1, "size")?;
        let latency_ns = match fields.next() {
            None | Some([]) => None,
            field => Some(take::time(field, self.unit, "response time")?).filter(|latency| *latency > 0),
        };
        let volume = volumes
            .number_of(key, |key| {
                let mut parts = Fields::separated(key, b',').map(String::from_utf8_lossy);
                format!("{}.{}", parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
            })
            .ok_or(take::TOO_MANY_VOLUMES)?;
        Ok(Parsed::Request(TraceRecord { at_ns, volume, operation, offset, bytes, latency_ns, flags: WriteFlags::NONE }))
    }
}

struct Writer;

impl Compose for Writer {
    fn request(&mut self, record: &TraceRecord, volume: &str, out: &mut Vec<u8>) {
        let (host, disk) = volume.rsplit_once('.').unwrap_or((volume, "0"));
        put::whole(out, BEGINNING + record.at_ns / TICK);
        out.push(b',');
        out.extend_from_slice(host.as_bytes());
        out.push(b',');
        out.extend_from_slice(disk.as_bytes());
        out.extend_from_slice(if record.operation == TraceOperation::Read { b",Read," } else { b",Write," });
        put::whole(out, record.offset);
        out.push(b',');
        put::whole(out, record.bytes);
        out.push(b',');
        put::whole(out, record.latency_ns.unwrap_or(0) / TICK);
        out.push(b'\n');
    }
}

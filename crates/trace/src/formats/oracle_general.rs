//! libCacheSim oracleGeneral, a binary little-endian format, packed in 24 bytes: `time u32, id u64, size u32, next i64`, where next is -1
//! if the object is never requested again. The format is only read: a writer would have to know the future.
//!
//! oracleGeneral has no operations, so all requests are reads, and whole seconds, so requests of a second are spread over it. The id of an
//! object is used as the offset without change. oracleGeneral is meant for studies of caches, not of devices.

use crate::fault::LineFault;
use crate::format::{Format, FormatFields, VolumeNaming, Opened, Parse, Parsed};
use crate::input::FileUnit;
use crate::record::{TraceOperation, TraceRecord, VolumeNames, WriteFlags};
use crate::text::take;

/// The bytes of a record.
const SIZE: usize = 24;
/// The number of records that are examined to recognise the format, and the number that there must be.
const LOOKED_AT: usize = 64;
const FEWEST: usize = 2;

pub(super) const FORMAT: Format = Format {
    word: "oracle-general",
    about: "libCacheSim oracleGeneral, binary",
    fields: "binary records of 24 bytes",
    has_unit: true,
    holds: FormatFields {
        operations: &[TraceOperation::Read],
        latency_ns: None,
        time_ns: take::SECOND,
        longest_bytes: u32::MAX as u64,
        names: VolumeNaming::One,
        ..FormatFields::ALL
    },
    unix_zero_ns: None,
    open: |reading, head| {
        // The format has no mark: the records must be plausible as a whole.
        let fields = head.chunks_exact(SIZE).take(LOOKED_AT).map_while(fields);
        let mut latest = 0;
        let mut records = 0;
        for (time, _, size, next) in fields {
            if time < latest || size == 0 || size > 1 << 30 || next < -1 || next == 0 || next > 1 << 40 {
                return Err("has times, sizes or next accesses that cannot be".to_owned());
            }
            latest = time;
            records += 1;
        }
        if records < FEWEST {
            return Err("is too short to tell".to_owned());
        }
        Ok(Opened { cut: FileUnit::Records(SIZE), parse: Box::new(Reader { unit: reading.unit_ns(take::SECOND) }) })
    },
    create: None,
};

/// The time, id, size and next of a record.
fn fields(record: &[u8]) -> Option<(u32, u64, u32, i64)> {
    let (time, rest) = record.split_first_chunk()?;
    let (id, rest) = rest.split_first_chunk()?;
    let (size, rest) = rest.split_first_chunk()?;
    let (next, _) = rest.split_first_chunk()?;
    Some((
        u32::from_le_bytes(*time),
        u64::from_le_bytes(*id),
        u32::from_le_bytes(*size),
        i64::from_le_bytes(*next),
    ))
}

struct Reader {
    /// The nanoseconds of the time unit of the file.
    unit: u64,
}

impl Parse for Reader {
    fn parse(&mut self, record: &[u8], volumes: &mut VolumeNames) -> Result<Parsed, LineFault> {
        let (time, offset, size, next) = fields(record).ok_or(LineFault::new("record", "is too short"))?;
        if next < -1 {
            return Err(LineFault::new("next", "is below -1"));
        }
        Ok(Parsed::Request(TraceRecord {
            at_ns: u64::from(time) * self.unit,
            volume: take::volume(volumes, b"0")?,
            operation: TraceOperation::Read,
            offset,
            bytes: u64::from(size),
            latency_ns: None,
            flags: WriteFlags::NONE,
        }))
    }
}

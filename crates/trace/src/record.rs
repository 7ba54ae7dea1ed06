//! The parts of a trace: one request, and the names of the volumes that requests are for.

use std::collections::HashMap;

/// The operation of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TraceOperation {
    /// Data go to the host.
    Read,
    /// Data come from the host.
    Write,
    /// The host no longer needs the data: discard, unmap.
    Trim,
    /// A flush makes earlier writes durable. A flush has no offset and no bytes: both are 0.
    Flush,
}

impl TraceOperation {
    /// All operations, in the order in which tables list them.
    pub const ALL: [TraceOperation; 4] =
        [TraceOperation::Read, TraceOperation::Write, TraceOperation::Trim, TraceOperation::Flush];

    /// The word for the operation: `read`, `write`, `trim`, `flush`.
    pub const fn word(self) -> &'static str {
        match self {
            TraceOperation::Read => "read",
            TraceOperation::Write => "write",
            TraceOperation::Trim => "trim",
            TraceOperation::Flush => "flush",
        }
    }
}

/// The flags of a write that say how far caches of the device may hold it back; none for other requests. Source: Linux, `fill_rwbs` of
/// `kernel/trace/blktrace.c`: an F before the W, and an F after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct WriteFlags {
    /// Whether the device is flushed before the write (REQ_PREFLUSH).
    pub preflush: bool,
    /// Whether the write is complete only when its data are on the medium (REQ_FUA).
    pub force_unit_access: bool,
}

impl WriteFlags {
    /// No flags.
    pub const NONE: WriteFlags = WriteFlags { preflush: false, force_unit_access: false };

    /// The flags in the letters of blkparse, large or small: an F before the W, and an F after it; none without a W.
    pub(crate) fn from_letters(rwbs: &[u8]) -> WriteFlags {
        let Some(place) = rwbs.iter().position(|letter| letter.eq_ignore_ascii_case(&b'W')) else {
            return WriteFlags::NONE;
        };
        let has_f = |letters: &[u8]| letters.iter().any(|letter| letter.eq_ignore_ascii_case(&b'F'));
        WriteFlags { preflush: has_f(&rwbs[..place]), force_unit_access: has_f(&rwbs[place..]) }
    }

    /// The letters of blkparse for a write with these flags.
    pub(crate) fn letters(self) -> &'static str {
        match (self.preflush, self.force_unit_access) {
            (false, false) => "W",
            (true, false) => "FW",
            (false, true) => "WF",
            (true, true) => "FWF",
        }
    }
}

/// One request of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceRecord {
    /// The arrival of the request, in nanoseconds from the first request of the trace.
    pub at_ns: u64,
    /// The volume of the request, by the number that [`VolumeNames`] gives to its name.
    pub volume: u32,
    /// The operation of the request.
    pub operation: TraceOperation,
    /// The first byte of the request, counted from the beginning of the volume.
    pub offset: u64,
    /// The length of the request, in bytes. The length may be zero: formats allow it, and it is counted as an anomaly.
    pub bytes: u64,
    /// The latency in the traced system, in nanoseconds, if the trace has it.
    pub latency_ns: Option<u64>,
    /// The flags of a write.
    pub flags: WriteFlags,
}

impl TraceRecord {
    /// The byte behind the last byte of the request; at most `u64::MAX`, as a trace may contain offsets that no volume can have.
    pub fn end_byte(&self) -> u64 {
        self.offset.saturating_add(self.bytes)
    }
}

/// The names of volumes, each with a number: the order of their first appearance.
#[derive(Clone, Debug, Default)]
pub struct VolumeNames {
    names: Vec<String>,
    numbers: HashMap<Box<[u8]>, u32>,
    /// The name that was looked up last: requests of a volume often follow each other.
    latest: Option<(Box<[u8]>, u32)>,
}

impl VolumeNames {
    /// The most volumes of a trace: a file with more is broken; the largest public trace has 5,584. The limit of volumes bounds memory.
    pub const MOST: usize = 65_536;

    /// The number of the volume with this name; `None` if there would be more than [`VolumeNames::MOST`].
    pub fn volume_number(&mut self, name: &[u8]) -> Option<u32> {
        self.number_of(name, |name| String::from_utf8_lossy(name).into_owned())
    }

    /// The number of the volume, for a name that is made from `key`, a part of the file, only when it is new. Equal keys have equal names.
    pub(crate) fn number_of(&mut self, key: &[u8], name: impl FnOnce(&[u8]) -> String) -> Option<u32> {
        if let Some((latest, number)) = &self.latest
            && **latest == *key
        {
            return Some(*number);
        }
        let number = match self.numbers.get(key) {
            Some(&number) => number,
            None => {
                if self.names.len() == Self::MOST {
                    return None;
                }
                let number = self.names.len() as u32;
                self.names.push(name(key));
                self.numbers.insert(key.into(), number);
                number
            }
        };
        match &mut self.latest {
            Some((latest, of)) if latest.len() == key.len() => {
                latest.copy_from_slice(key);
                *of = number;
            }
            latest => *latest = Some((key.into(), number)),
        }
        Some(number)
    }

    /// The name of a volume; empty for a number that was never assigned.
    pub fn volume_name(&self, number: u32) -> &str {
        self.names.get(number as usize).map_or("", String::as_str)
    }

    /// All names, by number.
    pub fn volume_names(&self) -> &[String] {
        &self.names
    }

    /// The number of volumes.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether no request has come yet.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_volume_keeps_its_number_and_its_name() {
        let mut volumes = VolumeNames::default();
        let numbers: Vec<_> =
            ["a", "b", "a", "long", "b"].map(|name| volumes.volume_number(name.as_bytes())).into();
        assert_eq!(numbers, [Some(0), Some(1), Some(0), Some(2), Some(1)]);
        assert_eq!(volumes.volume_names(), ["a", "b", "long"]);
        assert_eq!(volumes.volume_name(7), "");
    }

    #[test]
    fn there_is_a_most_to_the_number_of_volumes() {
        let mut volumes = VolumeNames::default();
        for number in 0..VolumeNames::MOST {
            assert_eq!(volumes.volume_number(number.to_string().as_bytes()), Some(number as u32));
        }
        assert_eq!(volumes.volume_number(b"one more"), None);
        assert_eq!(volumes.volume_number(b"17"), Some(17));
    }
}

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

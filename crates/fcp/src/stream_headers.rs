//! The headers and digests of data in a stream of bytes: NVMe/TCP and iSCSI cut data into units with a header each.
//!
//! An adapter hands data over in parts of `max_payload`; a unit of a protocol may have several parts, and a part may have the end of a unit and
//! the beginning of another. A header goes with the part that has the first data of its unit, a data digest with the part that has the
//! last.

/// The headers of one protocol, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StreamHeaders {
    /// The header of a data unit, with its digest.
    pub(crate) header: u64,
    /// The bytes before the first data that come with a command: the command, and the header of the data if they have one of their own.
    pub(crate) command: u64,
    /// The digest behind the data of a unit.
    pub(crate) digest: u64,
    /// The most data of a unit of a write, and of a read.
    pub(crate) most: [u64; 2],
    /// The most data of a unit that comes with its command.
    pub(crate) most_with_command: u64,
}

/// A part of a sequence of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SequencePart {
    /// The place of the first byte within the sequence.
    pub(crate) begin: u64,
    /// The bytes of the part.
    pub(crate) bytes: u64,
    /// Whether the part ends the sequence.
    pub(crate) ends: bool,
    /// Whether the data are of a write.
    pub(crate) write: bool,
    /// Whether the data come with their command.
    pub(crate) with_command: bool,
}

impl StreamHeaders {
    /// The most data of the units of a sequence.
    fn most_of(&self, part: SequencePart) -> u64 {
        if part.with_command { self.most_with_command } else { self.most[usize::from(!part.write)] }
    }

    /// Whether a part of a sequence ends a unit.
    pub(crate) fn is_end_of_unit(&self, part: SequencePart) -> bool {
        part.ends || (part.begin + part.bytes).is_multiple_of(self.most_of(part))
    }

    /// The bytes of headers and digests that go with a part.
    pub(crate) fn bytes_of(&self, part: SequencePart) -> u64 {
        let SequencePart { begin, bytes, ends, with_command, .. } = part;
        let most = self.most_of(part);
        let end = begin + bytes;
        let begun = end.div_ceil(most) - begin.div_ceil(most);
        let ended = end / most - begin / most + u64::from(ends && !end.is_multiple_of(most));
        let opens = begin == 0 && with_command;
        let first = if opens { self.command } else { 0 };
        first + (begun - u64::from(opens)) * self.header + ended * self.digest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADERS: StreamHeaders =
        StreamHeaders { header: 48, command: 52, digest: 4, most: [8192, 4096], most_with_command: 8192 };

    fn parts(bytes: u64, write: bool, with_command: bool) -> Vec<u64> {
        let begins = (0..bytes).step_by(2048);
        let part = |begin: u64| SequencePart {
            begin,
            bytes: 2048.min(bytes - begin),
            ends: begin + 2048 >= bytes,
            write,
            with_command,
        };
        begins.map(|begin| HEADERS.bytes_of(part(begin))).collect()
    }

    #[test]
    fn a_header_goes_with_the_first_data_of_a_unit_and_a_digest_with_the_last() {
        assert_eq!(parts(8192, true, false), [48, 0, 0, 4]);
        assert_eq!(parts(8192, false, false), [48, 4, 48, 4]);
        assert_eq!(parts(8193, true, false), [48, 0, 0, 4, 52]);
        assert_eq!(parts(512, true, true), [56]);
        assert_eq!(parts(10_240, true, true), [52, 0, 0, 4, 52]);
    }

    #[test]
    fn parts_that_are_no_divisor_of_a_unit_have_the_same_sum() {
        for size in [512, 2000, 2048, 2112] {
            let begins = (0..20_000_u64).step_by(size);
            let part = |begin: u64| SequencePart {
                begin,
                bytes: (size as u64).min(20_000 - begin),
                ends: begin + size as u64 >= 20_000,
                write: true,
                with_command: false,
            };
            let sum: u64 = begins.map(|begin| HEADERS.bytes_of(part(begin))).sum();
            assert_eq!(sum, 3 * 52, "20,000 bytes are units of 8192, 8192 and 3616");
        }
    }
}

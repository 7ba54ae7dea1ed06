//! The pcapng container: section header, interface descriptions, enhanced packets. All numbers in the
//! container are little-endian.
//!
//! Source: the pcapng specification (draft-ietf-opsawg-pcapng) and the list of link types.

use crate::file::OutputFile;
use sansim_kernel::{TICKS_PER_NS, Time};

/// The content of the packets of an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkType {
    /// The packets are FC-2 frames from SOF to EOF.
    FrameDelimiters,
    /// The packets are FC-2 frames without delimiters and CRC.
    HeaderAndPayload,
    /// The packets are frames of Ethernet without preamble and check sequence.
    Ethernet,
}

impl LinkType {
    fn number(self) -> u16 {
        match self {
            Self::Ethernet => 1,
            Self::HeaderAndPayload => 224,
            Self::FrameDelimiters => 225,
        }
    }
}

/// The value of the option if_tsresol: time stamps in units of 10^-9 s. Picoseconds would be more exact, but tshark
/// 4.0 misreads picosecond time stamps from some 20 ms on (seen: 20.49 ms shown as 2.05 ms).
const NANOSECONDS: u8 = 9;

const SECTION_HEADER: u32 = 0x0A0D_0D0A;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;

const OPTION_END: u16 = 0;
const OPTION_COMMENT: u16 = 1;
const INTERFACE_NAME: u16 = 2;
const INTERFACE_DESCRIBED: u16 = 3;
const SECTION_APPLICATION: u16 = 4;
const INTERFACE_RESOLUTION: u16 = 9;

/// The longest text of an option; a longer text is cut off. A title has no limit, but an option is limited to
/// 65535 bytes.
const LONGEST_TEXT: usize = 8192;

/// A capture file being written.
#[derive(Debug)]
pub struct CaptureFile {
    file: OutputFile,
    block: Vec<u8>,
}

impl CaptureFile {
    /// Writes the section header. `comment` is free text about the whole file.
    pub fn new(file: OutputFile, comment: &str) -> Self {
        let mut container = Self { file, block: Vec::with_capacity(4096) };
        container.begin(SECTION_HEADER);
        container.put(&0x1A2B_3C4D_u32.to_le_bytes());
        // The version is 1.0, and the length of the section is not given.
        container.put(&1_u16.to_le_bytes());
        container.put(&0_u16.to_le_bytes());
        container.put(&(-1_i64).to_le_bytes());
        container.text(OPTION_COMMENT, comment);
        container.text(SECTION_APPLICATION, concat!("sansim ", env!("CARGO_PKG_VERSION")));
        container.option(OPTION_END, &[]);
        container.end();
        container
    }

    /// Describes the next interface; interfaces are numbered from 0.
    pub fn interface(&mut self, name: &str, description: &str, link_type: LinkType) {
        self.begin(INTERFACE_DESCRIPTION);
        self.put(&link_type.number().to_le_bytes());
        self.put(&[0; 2]);
        // The length of a packet has no limit.
        self.put(&[0; 4]);
        self.text(INTERFACE_NAME, name);
        self.text(INTERFACE_DESCRIBED, description);
        self.option(INTERFACE_RESOLUTION, &[NANOSECONDS]);
        self.option(OPTION_END, &[]);
        self.end();
    }

    /// Writes a packet of an interface, if the file has room for it; returns whether the file had room. `write` appends
    /// the bytes of the packet; `length` is the length of the packet before it was cut.
    pub fn packet(
        &mut self,
        interface: u32,
        at: Time,
        length: usize,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> bool {
        self.begin(ENHANCED_PACKET);
        // The time is cut to whole nanoseconds, not rounded.
        let stamp = at.ticks() / TICKS_PER_NS;
        self.put(&interface.to_le_bytes());
        self.put(&((stamp >> 32) as u32).to_le_bytes());
        self.put(&(stamp as u32).to_le_bytes());
        let captured = self.block.len();
        self.put(&[0; 4]);
        self.put(&(length as u32).to_le_bytes());
        let data = self.block.len();
        write(&mut self.block);
        let captured_bytes = (self.block.len() - data) as u32;
        self.block[captured..captured + 4].copy_from_slice(&captured_bytes.to_le_bytes());
        self.pad();
        // The length at the end of the block is still to be written.
        let fits = self.file.has_room(self.block.len() + 4);
        if fits {
            self.end();
        }
        fits
    }

    /// Whether a write has failed.
    pub fn failed(&self) -> bool {
        self.file.failed()
    }

    /// Writes all remaining bytes, and returns the file.
    pub fn into_file(mut self) -> OutputFile {
        self.file.flush();
        self.file
    }

    fn begin(&mut self, kind: u32) {
        self.block.clear();
        self.put(&kind.to_le_bytes());
        // The length is written when it is known.
        self.put(&[0; 4]);
    }

    fn end(&mut self) {
        let length = ((self.block.len() + 4) as u32).to_le_bytes();
        self.block[4..8].copy_from_slice(&length);
        self.put(&length);
        self.file.write(&self.block);
    }

    fn put(&mut self, bytes: &[u8]) {
        self.block.extend_from_slice(bytes);
    }

    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }

    fn option(&mut self, code: u16, value: &[u8]) {
        self.put(&code.to_le_bytes());
        self.put(&(value.len() as u16).to_le_bytes());
        self.put(value);
        self.pad();
    }

    fn text(&mut self, code: u16, text: &str) {
        let mut length = text.len().min(LONGEST_TEXT);
        while !text.is_char_boundary(length) {
            length -= 1;
        }
        self.option(code, &text.as_bytes()[..length]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn written(comment: &str, write: impl FnOnce(&mut CaptureFile)) -> Vec<u8> {
        let name = format!("sansim-pcapng-{}-{:?}", std::process::id(), std::thread::current().id());
        let path = std::env::temp_dir().join(name);
        let mut container = CaptureFile::new(OutputFile::create(&path).expect("create"), comment);
        write(&mut container);
        container.into_file().finish(true).expect("finish");
        let bytes = fs::read(&path).expect("read");
        fs::remove_file(path).expect("clean up");
        bytes
    }

    fn word(bytes: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
    }

    #[test]
    fn blocks_tell_their_length_at_both_ends_and_are_whole_words() {
        let bytes = written("a title", |container| {
            container.interface("controller out", "AL_PA 01", LinkType::FrameDelimiters);
            container.packet(0, Time(561 * 5_000_000_000 + 560), 3, |out| out.extend_from_slice(b"abc"));
        });
        let mut at = 0;
        let mut kinds = Vec::new();
        while at < bytes.len() {
            let length = word(&bytes, at + 4) as usize;
            assert_eq!(length % 4, 0);
            assert_eq!(word(&bytes, at + length - 4) as usize, length);
            kinds.push(word(&bytes, at));
            at += length;
        }
        assert_eq!(kinds, [SECTION_HEADER, INTERFACE_DESCRIPTION, ENHANCED_PACKET]);
        let packet = &bytes[bytes.len() - 36..];
        assert_eq!(word(packet, 4), 36);
        // The time is 5 s and nearly one ns, cut to whole ns.
        assert_eq!(u64::from(word(packet, 12)) << 32 | u64::from(word(packet, 16)), 5_000_000_000);
        assert_eq!((word(packet, 20), word(packet, 24)), (3, 3), "captured and original length");
        assert_eq!(packet[28..32], *b"abc\0");
    }

    #[test]
    fn a_packet_that_was_cut_tells_both_lengths() {
        let bytes = written("", |container| {
            container.packet(0, Time(561 + 1), 2072, |out| out.extend_from_slice(&[1; 24]));
        });
        let packet = &bytes[bytes.len() - 56..];
        assert_eq!((word(packet, 20), word(packet, 24)), (24, 2072));
        assert_eq!(word(packet, 16), 1, "562/561 ns");
    }

    #[test]
    fn a_text_that_is_too_long_is_cut_between_characters() {
        let long = "é".repeat(5000);
        let odd = format!("x{long}");
        for comment in [long, odd] {
            let bytes = written(&comment, |_| {});
            let length = usize::from(u16::from_le_bytes([bytes[26], bytes[27]]));
            assert!(length <= LONGEST_TEXT && length > LONGEST_TEXT - 2);
            assert!(std::str::from_utf8(&bytes[28..28 + length]).is_ok());
        }
    }
}

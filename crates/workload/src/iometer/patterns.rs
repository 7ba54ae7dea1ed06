//! Access specifications that are commonly known by name.

use super::access::{AccessLine, AccessSpecification};
use crate::sizes::named::{
    DATABASE, FILE_SERVER, NamedPattern, STREAMING_READ, STREAMING_WRITE, WEB_SERVER, WORKSTATION,
};
use sansim_kernel::Span;
use sansim_schema::words;

words! {
    /// A way of access that people know by its name.
    pub enum KnownPattern {
        /// 80 % reads at random, 512 B to 64 KiB, most of 4 KiB.
        FileServer = "file-server",
        /// Reads at random, 512 B to 512 KiB.
        WebServer = "web-server",
        /// 80 % reads, 80 % at random, of 8 KiB.
        Workstation = "workstation",
        /// 67 % reads at random, of 8 KiB.
        Database = "database",
        /// Reads in sequence, 64 to 256 KiB.
        StreamingRead = "streaming-read",
        /// Writes in sequence, 64 to 256 KiB.
        StreamingWrite = "streaming-write",
    }
}

impl KnownPattern {
    /// The sizes and shares of the pattern, with their source.
    pub fn pattern(self) -> &'static NamedPattern {
        match self {
            KnownPattern::FileServer => &FILE_SERVER,
            KnownPattern::WebServer => &WEB_SERVER,
            KnownPattern::Workstation => &WORKSTATION,
            KnownPattern::Database => &DATABASE,
            KnownPattern::StreamingRead => &STREAMING_READ,
            KnownPattern::StreamingWrite => &STREAMING_WRITE,
        }
    }

    /// The pattern as an access specification: sector aligned, without delays, bursts and replies.
    pub fn access_specification(self) -> AccessSpecification {
        let pattern = self.pattern();
        let line = |(bytes, share): &(u64, u32)| AccessLine {
            bytes: *bytes,
            share_percent: *share as u8,
            read_percent: pattern.read_percent as u8,
            random_percent: pattern.random_percent as u8,
            delay: Span::ZERO,
            burst: 1,
            align_bytes: 0,
            reply_bytes: 0,
        };
        AccessSpecification { name: self.to_string(), lines: pattern.mix.parts.iter().map(line).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_schema::words::Word;

    #[test]
    fn the_shares_of_every_pattern_add_up() {
        for (pattern, word, _) in KnownPattern::ALL {
            assert_eq!(pattern.access_specification().total_percent(), 100, "{word}");
        }
        assert_eq!(KnownPattern::Database.access_specification().lines[0].read_percent, 67);
    }
}

//! The kind of a file is recognised by its first bytes: a file of another kind is a user's work and is not
//! replaced.
//!
//! The name of a file does not tell its kind: `--capture notes.txt` may be a mistake. The content of an
//! existing file is therefore inspected.

use std::fmt;

/// The number of bytes at the beginning of a file that are enough to recognise its kind.
pub const HEAD_BYTES: usize = 16 << 10;

/// The mark at the beginning and at the end of a playback.
pub const PLAYBACK_MARK: &[u8] = b"SANP";

/// A kind of file that an observer writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// An analyzer trace, which is text.
    Trace,
    /// A capture, which is a pcapng file.
    Capture,
    /// A timeline, which is a Perfetto trace.
    Timeline,
    /// A playback, which the studio shows.
    Playback,
}

impl FileKind {
    /// All kinds of files.
    pub const ALL: [FileKind; 4] =
        [FileKind::Trace, FileKind::Capture, FileKind::Timeline, FileKind::Playback];

    /// The word for the kind in options of the command line.
    pub fn word(self) -> &'static str {
        match self {
            FileKind::Trace => "trace",
            FileKind::Capture => "capture",
            FileKind::Timeline => "timeline",
            FileKind::Playback => "playback",
        }
    }

    /// Whether a file that begins with these bytes, of which [`HEAD_BYTES`] are given if it has so many, was written by
    /// sansim.
    ///
    /// The format alone is not enough: a capture of a real analyzer cannot be recorded again.
    pub fn is_file_beginning(self, head: &[u8]) -> bool {
        let has = |text: &str| head.windows(text.len()).any(|part| part == text.as_bytes());
        match self {
            // A trace begins with the head of `trace::text`.
            FileKind::Trace => head.starts_with(b"# sansim trace"),
            // A capture begins with a section header that names its application; see `capture::pcapng`.
            FileKind::Capture => head.starts_with(&[0x0a, 0x0d, 0x0d, 0x0a]) && has("sansim "),
            // A timeline begins with `Trace.packet`, and with the first categories, which the first packet
            // names; see `timeline::perfetto`.
            FileKind::Timeline => head.starts_with(&[0x0a]) && has("tenancy") && has("segment"),
            // A playback begins with the mark of `playback::file`.
            FileKind::Playback => head.starts_with(PLAYBACK_MARK),
        }
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

//! The kind of a file, recognised by its first bytes: a file of another kind is a user's work and is not replaced.
//!
//! The name of a file proves nothing: `--capture notes.txt` may be a slip. So an existing file is inspected.

use std::fmt;

/// The bytes of a file that are enough to recognise its kind.
pub const HEAD_BYTES: usize = 16 << 10;

/// A kind of file that a listener writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// An analyzer trace, as text.
    Trace,
    /// A capture, as pcapng.
    Capture,
    /// A timeline, as a Perfetto trace.
    Timeline,
}

impl FileKind {
    /// Every kind.
    pub const ALL: [FileKind; 3] = [FileKind::Trace, FileKind::Capture, FileKind::Timeline];

    /// The word for the kind in options of the command line.
    pub fn word(self) -> &'static str {
        match self {
            FileKind::Trace => "trace",
            FileKind::Capture => "capture",
            FileKind::Timeline => "timeline",
        }
    }

    /// Whether a file that begins with these bytes, [`HEAD_BYTES`] of them if it has so many, is one that sansim wrote.
    ///
    /// The format alone is not enough: a capture of a real analyzer cannot be had again.
    pub fn is_begin(self, head: &[u8]) -> bool {
        let has = |text: &str| head.windows(text.len()).any(|part| part == text.as_bytes());
        match self {
            // The head of `trace::text`.
            FileKind::Trace => head.starts_with(b"# sansim trace"),
            // Section header, with its application; see `capture::pcapng`.
            FileKind::Capture => head.starts_with(&[0x0a, 0x0d, 0x0d, 0x0a]) && has("sansim "),
            // `Trace.packet`, and the first categories, which the first packet names; see `timeline::perfetto`.
            FileKind::Timeline => head.starts_with(&[0x0a]) && has("tenancy") && has("segment"),
        }
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

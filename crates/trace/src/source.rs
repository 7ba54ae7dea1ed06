//! The compression of a file: gzip, zstd or nothing, recognised by its first bytes.

use crate::error::TraceError;
use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The compression of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// The file is not compressed.
    None,
    /// The file is compressed with gzip, in one member or several.
    Gzip,
    /// The file is compressed with zstd, in one frame or several.
    Zstd,
}

impl Compression {
    /// The word for the compression.
    pub const fn word(self) -> &'static str {
        match self {
            Compression::None => "none",
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
        }
    }

    /// The name of the damaged data if reading fails.
    pub(crate) const fn thing(self) -> &'static str {
        match self {
            Compression::None => "file",
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
        }
    }
}

/// The bytes of a file that are examined: the mark of a tar archive is at its byte 257.
const LOOKED_AT: usize = 512;

/// The progress of reading a file, in bytes on the disk.
#[derive(Clone, Debug)]
pub(crate) struct Passed {
    read: Arc<AtomicU64>,
    length: u64,
}

impl Passed {
    /// The share that has been read, from 0 to 1; `None` for a source without a length, such as a pipe.
    pub(crate) fn share(&self) -> Option<f64> {
        let read = self.read.load(Ordering::Relaxed) as f64;
        (self.length > 0).then(|| (read / self.length as f64).min(1.0))
    }
}

/// A file that counts the bytes read from it.
struct Counted {
    file: File,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.file.read(buffer)?;
        self.read.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(bytes)
    }
}

/// Opens a file.
pub(crate) fn open(path: &Path) -> Result<(Compression, Box<dyn Read + Send>, Passed), TraceError> {
    let file = path.display().to_string();
    match File::open(path) {
        Ok(_) if path.is_dir() => Err(TraceError::Open { file, why: "it is a folder".to_owned() }),
        Ok(opened) => {
            let length = opened.metadata().map_or(0, |about| about.len());
            let passed = Passed { read: Arc::default(), length };
            let counted = Counted { file: opened, read: passed.read.clone() };
            let (compression, source) = unpacked(&file, counted)?;
            Ok((compression, source, passed))
        }
        Err(error) => Err(TraceError::Open { file, why: error.to_string() }),
    }
}

/// The content of `source`, uncompressed. `file` is the name of the source in messages.
pub(crate) fn unpacked(
    file: &str,
    mut source: impl Read + Send + 'static,
) -> Result<(Compression, Box<dyn Read + Send>), TraceError> {
    let mut head = Vec::with_capacity(LOOKED_AT);
    let failed = |why: String| TraceError::Open { file: file.to_owned(), why };
    source
        .by_ref()
        .take(LOOKED_AT as u64)
        .read_to_end(&mut head)
        .map_err(|error| failed(error.to_string()))?;
    let unreadable = |what: &str, instead: &str| Err(failed(format!("it is {what}; {instead}")));
    match head.as_slice() {
        [] => return Err(failed("it is empty".to_owned())),
        [b'B', b'Z', b'h', b'1'..=b'9', b'1', b'A', b'Y', ..] => {
            return unreadable("compressed with bzip2", "unpack it, or pack it with gzip or zstd");
        }
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => {
            return unreadable("compressed with xz", "unpack it, or pack it with gzip or zstd");
        }
        [4, 0x22, 0x4d, 0x18, ..] => {
            return unreadable("compressed with lz4", "unpack it, or pack it with gzip or zstd");
        }
        [b'P', b'K', 3, 4, ..] => return unreadable("a zip archive", "unpack it and name one of its files"),
        [0xff, 0xfe, 1..=0x7f, 0, ..] | [0xfe, 0xff, 0, ..] => {
            return unreadable("text in UTF-16", "write it as UTF-8");
        }
        head if head.get(257..262) == Some(b"ustar") => {
            return unreadable("a tar archive", "unpack it and name one of its files");
        }
        _ => {}
    }
    let compression = match head.as_slice() {
        [0x1f, 0x8b, 8, ..] => Compression::Gzip,
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Compression::Zstd,
        _ => Compression::None,
    };
    let whole = Cursor::new(head).chain(source);
    let source: Box<dyn Read + Send> = match compression {
        Compression::None => Box::new(whole),
        Compression::Gzip => Box::new(MultiGzDecoder::new(BufReader::with_capacity(64 << 10, whole))),
        Compression::Zstd => Box::new(Zstd::new(BufReader::with_capacity(64 << 10, whole))),
    };
    Ok((compression, source))
}

/// The frames of a zstd file, one after the other, each with its checksum verified.
struct Zstd<R> {
    source: R,
    frame: FrameDecoder,
    /// Whether a frame has begun and is not returned completely.
    open: bool,
    /// The bytes returned from the frame.
    given: u64,
}

impl<R: BufRead> Zstd<R> {
    fn new(source: R) -> Zstd<R> {
        Zstd { source, frame: FrameDecoder::new(), open: false, given: 0 }
    }

    /// Begins the next frame; false at the end of the file.
    fn begin(&mut self) -> io::Result<bool> {
        loop {
            if self.source.fill_buf()?.is_empty() {
                return Ok(false);
            }
            match self.frame.init(&mut self.source) {
                Ok(()) => {
                    (self.open, self.given) = (true, 0);
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = u64::from(length);
                    if io::copy(&mut self.source.by_ref().take(length), &mut io::sink())? < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(io::Error::other(error.to_string())),
            }
        }
    }

    /// Compares a completely returned frame with the size that its header gives.
    fn end(&mut self) -> io::Result<()> {
        self.open = false;
        let said = self.frame.content_size();
        if said != 0 && said != self.given {
            return Err(io::Error::other(format!("a frame of {said} bytes has {}", self.given)));
        }
        match (self.frame.get_checksum_from_data(), self.frame.get_calculated_checksum()) {
            (Some(said), Some(is)) if said != is => Err(io::Error::other("the checksum does not match")),
            _ => Ok(()),
        }
    }
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.open && !self.begin()? {
                return Ok(0);
            }
            while self.frame.can_collect() == 0 && !self.frame.is_finished() {
                self.frame
                    .decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBlocks(1))
                    .map_err(|error| io::Error::other(error.to_string()))?;
            }
            let bytes = self.frame.read(into)?;
            self.given += bytes as u64;
            if bytes > 0 {
                return Ok(bytes);
            }
            self.end()?;
        }
    }
}

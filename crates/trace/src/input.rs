//! Input in blocks that are cut into lines or records in place: one buffer for the whole file, and only a piece that a block boundary cuts
//! is copied.

use std::io::{self, ErrorKind, Read};

/// The unit into which a format cuts its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileUnit {
    /// Lines of text.
    Lines,
    /// Records of this many bytes.
    Records(usize),
}

/// A piece of the file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// A line without its end, or a record.
    Whole(&'a [u8]),
    /// The beginning of a line that is longer than any format has. The remainder of a line that is too long is skipped up to its end.
    TooLong(&'a [u8]),
    /// The file ends within a record.
    Partial(&'a [u8]),
}

/// The most bytes of a line.
pub(crate) const LONGEST: usize = 64 << 10;
/// The size of the buffer: room for a longest line and blocks that are large enough for a call.
const BUFFER: usize = 4 * LONGEST;

/// The input data, in a buffer.
pub(crate) struct Input {
    source: Box<dyn Read + Send>,
    buffer: Box<[u8]>,
    /// The part of the buffer that is still to be cut.
    start: usize,
    end: usize,
    /// The number of bytes that came from the source.
    came: u64,
    /// Whether the source has no more data.
    ended: bool,
    /// The reason why the source has no more data, reported when all data before have been cut.
    failed: Option<io::Error>,
    /// Whether the following bytes, up to the end of the line, belong to a line that was too long.
    skipping: bool,
}

impl Input {
    pub(crate) fn new(source: Box<dyn Read + Send>) -> Input {
        let buffer = vec![0; BUFFER].into_boxed_slice();
        Input { source, buffer, start: 0, end: 0, came: 0, ended: false, failed: None, skipping: false }
    }

    /// The number of bytes that have been read, before any damage.
    pub(crate) fn came(&self) -> u64 {
        self.came
    }

    /// The beginning of the bytes that are not cut yet, and whether it is everything.
    pub(crate) fn head(&mut self) -> (&[u8], bool) {
        while self.end - self.start < LONGEST && !self.ended {
            self.fill();
        }
        (&self.buffer[self.start..self.end], self.ended)
    }

    /// The reason why there is nothing behind the head, if reading failed.
    pub(crate) fn failure(&self) -> Option<String> {
        self.failed.as_ref().map(|error| match error.kind() {
            ErrorKind::UnexpectedEof => "it ends too early".to_owned(),
            _ => error.to_string(),
        })
    }

    /// Skips bytes at the beginning, such as a mark.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.start = (self.start + bytes).min(self.end);
    }

    /// Reads a block behind the buffered data.
    fn fill(&mut self) {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        match self.source.read(&mut self.buffer[self.end..]) {
            Ok(0) => self.ended = true,
            Ok(bytes) => {
                self.end += bytes;
                self.came += bytes as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => {
                self.ended = true;
                self.failed = Some(error);
            }
        }
    }

    /// The next piece; `None` at the end. An error comes when all whole pieces before it have been returned; a piece that the error cuts
    /// through is never returned as if it were whole.
    #[inline]
    pub(crate) fn piece(&mut self, cut: FileUnit) -> Result<Option<Piece<'_>>, String> {
        match cut {
            FileUnit::Lines => self.line(),
            FileUnit::Records(bytes) => self.record(bytes),
        }
    }

    fn record(&mut self, bytes: usize) -> Result<Option<Piece<'_>>, String> {
        while self.end - self.start < bytes && !self.ended {
            self.fill();
        }
        let begin = self.start;
        if self.end - begin >= bytes {
            self.start += bytes;
            return Ok(Some(Piece::Whole(&self.buffer[begin..self.start])));
        }
        if let Some(why) = self.failure() {
            return Err(why);
        }
        self.start = self.end;
        Ok(if begin < self.end { Some(Piece::Partial(&self.buffer[begin..self.end])) } else { None })
    }

    fn line(&mut self) -> Result<Option<Piece<'_>>, String> {
        let mut searched = 0;
        loop {
            if let Some(found) = newline(&self.buffer[self.start + searched..self.end]) {
                let (begin, end) = (self.start, self.start + searched + found);
                self.start = end + 1;
                if std::mem::take(&mut self.skipping) {
                    searched = 0;
                    continue;
                }
                let line = &self.buffer[begin..end];
                return Ok(Some(if line.len() > LONGEST {
                    Piece::TooLong(line)
                } else {
                    Piece::Whole(line.strip_suffix(b"\r").unwrap_or(line))
                }));
            }
            searched = self.end - self.start;
            if self.skipping || searched > LONGEST {
                let begin = self.start;
                self.start = self.end;
                if !std::mem::replace(&mut self.skipping, true) {
                    return Ok(Some(Piece::TooLong(&self.buffer[begin..self.end])));
                }
                searched = 0;
            }
            if !self.ended {
                self.fill();
                continue;
            }
            if let Some(why) = self.failure() {
                return Err(why);
            }
            let begin = self.start;
            self.start = self.end;
            let line = &self.buffer[begin..self.end];
            return Ok(if line.is_empty() {
                None
            } else {
                Some(Piece::Whole(line.strip_suffix(b"\r").unwrap_or(line)))
            });
        }
    }
}

/// The position of the first end of a line. Eight bytes are tested at a time: a byte of `x` is zero exactly where `(x - 1) & !x` has the
/// first high bit of a byte set.
fn newline(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let (words, _) = bytes.as_chunks::<8>();
    for (number, word) in words.iter().enumerate() {
        let x = u64::from_le_bytes(*word) ^ (ONES * b'\n' as u64);
        let zeros = x.wrapping_sub(ONES) & !x & (ONES << 7);
        if zeros != 0 {
            return Some(number * 8 + (zeros.trailing_zeros() / 8) as usize);
        }
    }
    let rest = words.len() * 8;
    bytes[rest..].iter().position(|&byte| byte == b'\n').map(|at| rest + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source that returns its bytes in blocks of a size, then fails or ends.
    struct Blocks(Vec<u8>, usize, usize, bool);

    impl Read for Blocks {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let bytes = self.1.min(into.len()).min(self.0.len() - self.2);
            if bytes == 0 && self.3 {
                return Err(io::Error::other("broken"));
            }
            into[..bytes].copy_from_slice(&self.0[self.2..self.2 + bytes]);
            self.2 += bytes;
            Ok(bytes)
        }
    }

    fn lines(text: &[u8], block: usize, fails: bool) -> Vec<String> {
        let mut input = Input::new(Box::new(Blocks(text.to_vec(), block, 0, fails)));
        let mut found = Vec::new();
        loop {
            found.push(match input.piece(FileUnit::Lines) {
                Ok(None) => return found,
                Ok(Some(Piece::Whole(line))) => String::from_utf8_lossy(line).into_owned(),
                Ok(Some(other)) => format!("{other:?}").chars().take(8).collect(),
                Err(error) => {
                    found.push(error);
                    return found;
                }
            });
        }
    }

    #[test]
    fn lines_are_the_same_whatever_blocks_they_come_in() {
        let text = b"one\n\ntwo, longer than eight\r\nthree\n\xff\0\nlast";
        for block in [1, 2, 3, 7, 1_000_000] {
            assert_eq!(
                lines(text, block, false),
                ["one", "", "two, longer than eight", "three", "\u{fffd}\0", "last"]
            );
        }
        assert_eq!(lines(b"", 1, false), [""; 0]);
        assert_eq!(lines(b"\n", 1, false), [""]);
    }

    #[test]
    fn a_line_without_end_is_given_out_once_and_skipped() {
        let mut text = b"first\n".to_vec();
        text.extend(std::iter::repeat_n(b'x', 3 * BUFFER));
        text.extend(b"\nlast\n");
        for block in [1_000, 1_000_000] {
            assert_eq!(lines(&text, block, false), ["first", "TooLong(", "last"]);
        }
    }

    #[test]
    fn an_error_comes_behind_the_whole_lines_and_instead_of_the_cut_one() {
        for block in [1, 5, 1_000] {
            assert_eq!(lines(b"one\ntwo\nthr", block, true), ["one", "two", "broken"]);
        }
    }

    #[test]
    fn a_file_that_ends_within_a_record_says_so() {
        let mut input = Input::new(Box::new(Blocks(b"abcdefg".to_vec(), 2, 0, false)));
        assert_eq!(input.piece(FileUnit::Records(3)).unwrap(), Some(Piece::Whole(b"abc")));
        assert_eq!(input.piece(FileUnit::Records(3)).unwrap(), Some(Piece::Whole(b"def")));
        assert_eq!(input.piece(FileUnit::Records(3)).unwrap(), Some(Piece::Partial(b"g")));
        assert_eq!(input.piece(FileUnit::Records(3)).unwrap(), None);
    }

    #[test]
    fn the_end_of_a_line_is_found_at_every_place() {
        for length in 0..40 {
            for at in 0..length {
                let mut text = vec![b'\x0b'; length];
                text[at] = b'\n';
                assert_eq!(newline(&text), Some(at));
            }
            assert_eq!(newline(&vec![0x8a; length]), None);
        }
    }
}

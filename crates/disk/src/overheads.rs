//! How long the processor of a drive takes for a command, by what the command is and what the one before was.

use sansim_kernel::Span;

/// How long something takes for a command behind a read, and behind a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct AfterEither {
    pub read: Span,
    pub write: Span,
}

impl AfterEither {
    /// As long behind either.
    pub(crate) const fn same(span: Span) -> Self {
        Self { read: span, write: span }
    }

    /// So many nanoseconds behind a read, and behind a write.
    pub(crate) const fn ns(read: u64, write: u64) -> Self {
        Self { read: Span::from_ns(read), write: Span::from_ns(write) }
    }
}

/// See the text at the top of this file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overheads {
    /// For a read that moves the arm.
    pub read: AfterEither,
    /// For a read that the buffer has.
    pub hit: AfterEither,
    /// For a write.
    pub write: AfterEither,
    /// For a write that joins written data in the buffer.
    pub write_hit: AfterEither,
}

impl Overheads {
    /// The longest of all.
    pub fn longest(&self) -> Span {
        let all = [self.read, self.hit, self.write, self.write_hit];
        all.iter().map(|one| one.read.max(one.write)).max().unwrap_or(Span::ZERO)
    }
}

impl AfterEither {
    /// The overhead after a write, or after a read.
    pub fn behind(self, write: bool) -> Span {
        if write { self.write } else { self.read }
    }
}

//! The processor time of a drive for a command, by the kind of the command and that of the previous one.

use sansim_kernel::Span;

/// A time for a command that comes after a read, and for one that comes after a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct AfterEither {
    pub read: Span,
    pub write: Span,
}

impl AfterEither {
    /// The same time after a read and after a write.
    pub(crate) const fn same(span: Span) -> Self {
        Self { read: span, write: span }
    }

    /// This many nanoseconds after a read, and after a write.
    pub(crate) const fn ns(read: u64, write: u64) -> Self {
        Self { read: Span::from_ns(read), write: Span::from_ns(write) }
    }
}

/// The processor time of a drive for a command, by the kind of the command and that of the previous one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overheads {
    /// The overhead of a read that moves the arm.
    pub read: AfterEither,
    /// The overhead of a read whose data are in the buffer.
    pub hit: AfterEither,
    /// The overhead of a write.
    pub write: AfterEither,
    /// The overhead of a write that joins written data in the buffer.
    pub write_hit: AfterEither,
}

impl Overheads {
    /// The longest of all overheads.
    pub fn longest_overhead(&self) -> Span {
        let all = [self.read, self.hit, self.write, self.write_hit];
        all.iter().map(|one| one.read.max(one.write)).max().unwrap_or(Span::ZERO)
    }
}

impl AfterEither {
    /// The overhead after a write, or after a read.
    pub fn overhead_after(self, write: bool) -> Span {
        if write { self.write } else { self.read }
    }
}

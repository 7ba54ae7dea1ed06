//! Functional warm-up: what commands do to the drive, in no time.
//!
//! Writes come into the buffer as in time, and what is written to a unit that is in it is added to that. Without time nothing says how fast dies empty it:
//! the oldest unit leaves when another needs its room, as it is while hosts write as fast as they can.

use super::{CommandRefused, FlashDrive};
use crate::buffer::Units;
use crate::records::CommandKind;
use std::collections::VecDeque;

/// Units in the buffer without time, in the order in which they came, each with the pages that were written of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Warming {
    line: VecDeque<(u32, u64)>,
    there: Units,
    pages: u64,
}

impl FlashDrive {
    /// Writes that a functional warm-up left in the buffer are in the flash, in no time. A command that comes has the same effect.
    pub fn settle(&mut self) {
        while self.programs_oldest() {}
    }

    /// Functional warm-up: what a command does to buffer, mapping, blocks and the mapping cache, in no time. Unlike [`fill`](Self::fill) writes pass the buffer.
    ///
    /// # Errors
    /// Why it cannot be.
    pub fn warm(&mut self, kind: CommandKind, first_byte: u64, bytes: u64) -> Result<(), CommandRefused> {
        self.check(first_byte, bytes)?;
        let Some(limit) = self.buffer.limit().filter(|_| kind == CommandKind::Write && self.is_idle()) else {
            if kind == CommandKind::Trim {
                self.settle();
            }
            return self.fill(kind, first_byte, bytes);
        };
        let most = limit / self.layout().page_bytes;
        let needed = self.layout().pages_touched(first_byte, bytes);
        while self.warming.pages + needed > most && self.programs_oldest() {}
        let (unit_bytes, end) = (self.layout().unit_bytes(), first_byte + bytes);
        for logical in self.layout().unit_of_byte(first_byte).0..=self.layout().unit_of_byte(end - 1).0 {
            let from = first_byte.max(logical * unit_bytes);
            let to = end.min((logical + 1) * unit_bytes);
            let pages = self.layout().pages_touched(from, to - from);
            let logical = logical as u32;
            if self.warming.there.insert(logical) {
                self.warming.line.push_back((logical, pages));
                self.warming.pages += pages;
                if let Some(cache) = &mut self.cache {
                    cache.look(logical, true);
                }
            }
        }
        Ok(())
    }

    /// The unit that came first leaves the buffer. Says whether there was one.
    fn programs_oldest(&mut self) -> bool {
        let Some((logical, pages)) = self.warming.line.pop_front() else { return false };
        self.warming.there.remove(&logical);
        self.warming.pages -= pages;
        self.mapping.write_at_once(logical, &mut self.random);
        true
    }
}

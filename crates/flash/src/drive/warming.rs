//! Functional warm-up: the effect of commands on the drive, in no time.
//!
//! In the warm-up writes enter the buffer as in time, and a write to a unit in the buffer is merged into it. Without time the rate at which
//! dies empty the buffer, and fold the SLC cache, is unknown: the oldest unit leaves when another needs its room, as it does while hosts write as fast as they can.

use super::{CommandRefused, FlashDrive};
use crate::buffer::Units;
use crate::records::CommandKind;
use std::collections::VecDeque;

/// The units in the buffer during warm-up, in the order in which they came, each with the pages that were written of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Warming {
    line: VecDeque<(u32, u64)>,
    there: Units,
    pages: u64,
}

impl FlashDrive {
    /// Programs the writes that a functional warm-up left in the buffer, in no time. A new command has the same effect.
    pub fn program_buffered_writes(&mut self) {
        while self.programs_oldest() {}
    }

    /// Functional warm-up: applies the effect of a command on buffer, mapping, blocks and the mapping cache, in no time. Unlike
    /// [`fill`](Self::apply_initial_write) warm-up writes pass the buffer.
    ///
    /// # Errors
    /// The reason why the command is refused.
    pub fn apply_warm_up_access(
        &mut self,
        kind: CommandKind,
        first_byte: u64,
        bytes: u64,
    ) -> Result<(), CommandRefused> {
        self.check(kind, first_byte, bytes)?;
        let Some(limit) =
            self.buffer.waiting_byte_limit().filter(|_| kind == CommandKind::Write && self.is_idle())
        else {
            if kind == CommandKind::Trim {
                self.program_buffered_writes();
            }
            let first = self.layout().unit_of_byte(first_byte).0;
            if kind == CommandKind::Write && self.folding.is_some() {
                // Without a buffer writes go to the SLC cache one by one.
                for logical in first..=self.layout().unit_of_byte(first_byte + bytes - 1).0 {
                    self.mapping.write_through_slc_without_time(logical as u32, &mut self.random);
                }
                return Ok(());
            }
            return self.apply_initial_write(kind, first_byte, bytes);
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
                    cache.look_up_entry(logical, true);
                }
            }
        }
        Ok(())
    }

    /// The unit that came first leaves the buffer. Returns whether there was a unit.
    fn programs_oldest(&mut self) -> bool {
        let Some((logical, pages)) = self.warming.line.pop_front() else { return false };
        self.warming.there.remove(&logical);
        self.warming.pages -= pages;
        self.mapping.write_through_slc_without_time(logical, &mut self.random);
        true
    }
}

//! The cache of the mapping: the pages of mapping entries in memory.
//!
//! Entries of 4 bytes are grouped in pages by logical unit, as many as fit into a flash page; the least recently used page leaves first.
//! Source: Gupta, Kim, Urgaonkar, "DFTL", ASPLOS 2009, where single entries are cached. The space of the pages of entries in the flash is
//! neglected: one page in a thousand.

const ENTRY_BYTES: u64 = 4;
const NONE: u32 = u32::MAX;

/// The outcome of a look-up of a mapping entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Looked {
    /// The entry is in memory.
    Here,
    /// The entry is not in memory: its page is read, and if a page with changes leaves for it, that page is programmed.
    Missing { page: u32, changed: Option<u32> },
}

#[derive(Clone, Copy, Debug)]
struct Page {
    newer: u32,
    older: u32,
    here: bool,
    changed: bool,
}

/// The pages of mapping entries that a flash drive has in memory.
#[derive(Clone, Debug)]
pub(crate) struct MappingCache {
    pages: Vec<Page>,
    newest: u32,
    oldest: u32,
    room: u64,
    entries: u32,
}

impl MappingCache {
    /// A cache of `bytes` bytes, for `logical_units` logical units, with flash pages of `page_bytes` bytes.
    pub fn new(bytes: u64, logical_units: u32, page_bytes: u64) -> Self {
        let entries = (page_bytes / ENTRY_BYTES).max(1) as u32;
        let page = Page { newer: NONE, older: NONE, here: false, changed: false };
        Self {
            pages: vec![page; logical_units.div_ceil(entries) as usize],
            newest: NONE,
            oldest: NONE,
            room: (bytes / page_bytes).max(1),
            entries,
        }
    }

    fn unlink(&mut self, page: u32) {
        let Page { newer, older, .. } = self.pages[page as usize];
        match newer {
            NONE => self.newest = older,
            newer => self.pages[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => self.pages[older as usize].newer = newer,
        }
    }

    fn link(&mut self, page: u32) {
        let newest = self.newest;
        let record = &mut self.pages[page as usize];
        (record.newer, record.older) = (NONE, newest);
        match newest {
            NONE => self.oldest = page,
            newest => self.pages[newest as usize].newer = page,
        }
        self.newest = page;
    }

    /// Looks up the entry of a logical unit, to change it or only to read it. The entry is in memory afterwards.
    pub fn look_up_entry(&mut self, logical: u32, change: bool) -> Looked {
        let page = logical / self.entries;
        let here = self.pages[page as usize].here;
        let mut changed = None;
        if here {
            self.unlink(page);
        } else if self.room > 0 {
            self.room -= 1;
        } else {
            let old = self.oldest;
            self.unlink(old);
            let left = &mut self.pages[old as usize];
            changed = left.changed.then_some(old);
            (left.here, left.changed) = (false, false);
        }
        self.link(page);
        let record = &mut self.pages[page as usize];
        record.here = true;
        record.changed |= change;
        if here { Looked::Here } else { Looked::Missing { page, changed } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_that_was_used_longest_ago_leaves_and_is_programmed_if_it_was_changed() {
        // The cache has two pages of 128 entries.
        let mut cache = MappingCache::new(1_024, 1_000, 512);
        let missing = |page, changed| Looked::Missing { page, changed };
        assert_eq!(cache.look_up_entry(0, true), missing(0, None));
        assert_eq!(cache.look_up_entry(128, false), missing(1, None));
        assert_eq!(cache.look_up_entry(127, false), Looked::Here);
        assert_eq!(cache.look_up_entry(256, false), missing(2, None), "page 1 was used longest ago");
        assert_eq!(cache.look_up_entry(128, false), missing(1, Some(0)), "page 0 was changed");
        assert_eq!(cache.look_up_entry(0, false), missing(0, None), "and is here again as it was");
    }
}

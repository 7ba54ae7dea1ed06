//! What fails, and what is lost by it.

use super::answer::{Failure, Loss, add};
use super::state::{DESTAGING, DIRTY, FETCHING, THROUGH, WHOLE, has, is_unsafe};
use super::{BlockCache, End};
use std::ops::Range;

impl BlockCache {
    /// Something fails. After [`Failure::Power`] and [`Failure::Memory`] the cache is as it comes back: it has what was kept of
    /// what was dirty, and nothing is on its way; what was, must not be told of any more.
    pub fn fail(&mut self, what: Failure) -> Loss {
        let kept = match what {
            Failure::Partner | Failure::Battery => {
                self.set_works(what, false);
                return Loss::default();
            }
            Failure::Power => self.write.battery && self.battery_works,
            Failure::Memory => self.write.mirrored && self.partner_works,
        };
        self.wanted = 0;
        let loss = self.begin_anew(kept);
        if what == Failure::Memory && kept {
            self.partner_works = false;
        }
        loss
    }

    /// The partner or the battery works again; a partner when it has a copy of all that is dirty.
    pub fn repair(&mut self, what: Failure) {
        self.set_works(what, true);
    }

    fn set_works(&mut self, what: Failure, works: bool) {
        match what {
            Failure::Partner => self.partner_works = works,
            Failure::Battery => self.battery_works = works,
            Failure::Power | Failure::Memory => {}
        }
    }

    /// Drops everything but what is dirty, and that too if it is not kept.
    fn begin_anew(&mut self, kept: bool) -> Loss {
        let (mut lost, mut fetch) = (Vec::new(), Vec::new());
        for place in 0..self.content.slots().places() {
            let Some(slot) = self.content.slots().resident_at(place) else { continue };
            let (block, state) = (self.content.slots().block(slot), self.state(slot));
            if is_unsafe(state) && kept {
                let incomplete = !has(state, WHOLE);
                if incomplete {
                    fetch.push(block);
                }
                let rest = if incomplete { FETCHING } else { WHOLE };
                self.change(slot, DIRTY | rest, End::Young);
                continue;
            }
            if has(state, DIRTY) || has(state, DESTAGING) && !has(state, THROUGH) {
                lost.push(block);
            }
            self.drop_block(slot);
        }
        Loss { lost: ranges(lost), fetch: ranges(fetch) }
    }
}

fn ranges(mut blocks: Vec<u64>) -> Vec<Range<u64>> {
    blocks.sort_unstable();
    let mut ranges = Vec::new();
    for block in blocks {
        add(&mut ranges, block);
    }
    ranges
}

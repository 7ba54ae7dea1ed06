//! Failures of the cache and their losses.

use super::answer::{CacheLoss, Failure, add};
use super::state::{
    AHEAD_OF_PARTNER, DIRTY, FETCHING, UNKNOWN_TO_PARTNER, WHOLE, has, is_acknowledged, is_unsafe,
};
use super::{BlockCache, ListEnd};
use std::ops::Range;

impl BlockCache {
    /// A part of the cache fails. After [`Failure::Power`] and [`Failure::Memory`] the cache is in its state after the restart: it has the
    /// preserved dirty blocks, and no block is in flight; earlier fetches and destages must not be completed.
    pub fn fail(&mut self, what: Failure) -> CacheLoss {
        let kept = match what {
            Failure::Partner | Failure::Battery => {
                self.set_works(what, false);
                if what == Failure::Partner {
                    self.nobody_lags();
                }
                return CacheLoss::default();
            }
            Failure::Power => self.keeps_without_power(),
            Failure::Memory => self.write.mirrored && self.partner_works,
        };
        self.wanted = 0;
        let loss = self.begin_anew(kept, what == Failure::Memory);
        if what == Failure::Memory && kept {
            self.partner_works = false;
        }
        loss
    }

    /// Whether dirty blocks would now survive a loss of power.
    pub fn keeps_without_power(&self) -> bool {
        self.write.battery && self.battery_works
    }

    /// The partner or the battery works again; a partner when it has a copy of all dirty blocks.
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

    /// No block is ahead of a partner any more.
    fn nobody_lags(&mut self) {
        if !self.write.is_asynchronous() {
            return;
        }
        for place in 0..self.content.slots().slot_count() {
            let Some(slot) = self.content.slots().resident_at(place) else { continue };
            let state = self.state(slot);
            self.change(slot, state & !(AHEAD_OF_PARTNER | UNKNOWN_TO_PARTNER), ListEnd::Young);
        }
    }

    /// Drops all blocks but the dirty ones, and those too if they are not preserved. If the partner takes over, the content of a block is
    /// that of the partner's copy.
    fn begin_anew(&mut self, kept: bool, by_partner: bool) -> CacheLoss {
        let (mut lost, mut fetch) = (Vec::new(), Vec::new());
        for place in 0..self.content.slots().slot_count() {
            let Some(slot) = self.content.slots().resident_at(place) else { continue };
            let (block, state) = (self.content.slots().block(slot), self.state(slot));
            let behind = by_partner && has(state, AHEAD_OF_PARTNER);
            if behind && kept && is_acknowledged(state) {
                lost.push(block);
            }
            if is_unsafe(state) && kept && !(behind && has(state, UNKNOWN_TO_PARTNER)) {
                // For an overwritten block it is unknown how much of the overwriting data the partner has.
                let incomplete = behind || !has(state, WHOLE);
                if incomplete {
                    fetch.push(block);
                }
                let rest = if incomplete { FETCHING } else { WHOLE };
                let lags = if by_partner { 0 } else { state & (AHEAD_OF_PARTNER | UNKNOWN_TO_PARTNER) };
                self.change(slot, DIRTY | rest | lags, ListEnd::Young);
                continue;
            }
            if !kept && is_acknowledged(state) {
                lost.push(block);
            }
            self.drop_block(slot);
        }
        CacheLoss { lost: ranges(lost), fetch: ranges(fetch) }
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

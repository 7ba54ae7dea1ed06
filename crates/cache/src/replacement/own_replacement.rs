//! Replacement by a rule of the user.
//!
//! The blocks that may be evicted are in one list from the least to the most recently used, as under LRU; the rule sees the first of them, and a
//! class may also name another.

use super::queues::Queues;
use super::{Admitted, Replacement};
use crate::slots::{CacheSlot, ListEnd, SlotLists};
use sansim_kernel::RandomStream;
use sansim_rules::decision_log::{LogEntry, is_kept, set_outcome};
use sansim_rules::rules_of_run::now_ns;
use sansim_rules::{Decider, OwnRule, RuleChoice};
use sansim_schema::decision;
use sansim_schema::decision::as_feature;
use std::collections::HashMap;

decision! {
    /// The choice of the block that leaves a full cache.
    pub static REPLACEMENT = "replacement";
    /// The block that comes in, and the accesses up to now.
    common ReplacementCircumstances {
        /// Accesses to blocks of the cache up to now, hits and misses.
        now: "",
        /// Block that comes in.
        coming: "blocks",
        /// Number of blocks that the cache holds.
        capacity: "blocks",
    }
    /// A block that may leave: one that is neither dirty nor in flight.
    each EvictableFeatures {
        /// Number of the block.
        block: "blocks",
        /// Accesses since the block was last used.
        age: "",
        /// Accesses since the block came in.
        residence: "",
        /// Uses of the block since it came in.
        uses: "",
    }
    window 16, order "those that were used least recently", source "ours: enough for a choice, and no more to look at in a large cache than in a small one";
    named "block";
    outcome "accesses until the evicted block came in again";
    /// The events of a cache that a rule of its replacement may follow.
    events ReplacementEvent {
        /// A block comes in.
        Inserted = inserted(block);
        /// A block in the cache is used.
        Used = used(block);
        /// A block cannot be evicted from now on, because it is dirty or in flight.
        Held = held(block);
        /// A block may be evicted again; `young` is 1 if it counts as used just now, 0 if it should leave next.
        Released = released(block, young);
        /// A block leaves the cache, because the rule chose it or its data are void.
        Removed = removed(block);
    }
}

/// The past of a block in the cache.
#[derive(Clone, Copy, Debug, Default)]
struct BlockPast {
    came: u64,
    last_used: u64,
    uses: u64,
}

/// Replacement by a rule of the user.
#[derive(Clone, Debug)]
pub struct OwnReplacement {
    decider: Decider,
    capacity: u32,
    queues: Queues<1>,
    /// The past of the block in each slot.
    pasts: Vec<BlockPast>,
    /// The accesses up to now.
    now: u64,
    /// Where a log is kept: the evicted blocks, each with the decision and the accesses before it.
    evicted: HashMap<u64, (LogEntry, u64)>,
}

impl OwnReplacement {
    pub(super) fn new(rule: &OwnRule, capacity: u32, _: RandomStream) -> Self {
        Self {
            decider: Decider::from(rule.clone()),
            capacity,
            queues: Queues::default(),
            pasts: Vec::new(),
            now: 0,
            evicted: HashMap::new(),
        }
    }

    fn notify(&mut self, event: ReplacementEvent, block: u64) {
        self.decider.notify(now_ns(), event as usize, &[as_feature(block)]);
    }

    /// The slot that the rule chooses; none if no block may be evicted.
    fn choose(&mut self, slots: &SlotLists, coming: u64) -> Option<CacheSlot> {
        let oldest = self.queues.oldest(0)?;
        let circumstances = ReplacementCircumstances {
            now: as_feature(self.now),
            coming: as_feature(coming),
            capacity: self.capacity.into(),
        };
        let window = self.decider.window();
        let by_age = || std::iter::successors(Some(oldest), |&slot| slots.next_younger_slot(slot));
        let view = self.decider.view();
        view.begin(&circumstances.values());
        for slot in by_age().take(window) {
            let past = self.pasts[slot.slot_index()];
            let features = EvictableFeatures {
                block: as_feature(slots.block(slot)),
                age: as_feature(self.now - past.last_used),
                residence: as_feature(self.now - past.came),
                uses: as_feature(past.uses),
            };
            view.add_candidate(&features.values());
        }
        match self.decider.choose_or_name(now_ns()) {
            RuleChoice::Candidate(place) => by_age().nth(place),
            RuleChoice::Named(block) => {
                let found = slots.slot_of_block(block);
                let chosen = found.filter(|&slot| slots.is_resident(slot) && !slots.is_pinned(slot));
                if chosen.is_none() {
                    let why = if found.is_some() { "is dirty or in flight" } else { "is not in the cache" };
                    self.decider.refuse(now_ns(), format!("it named block {block}, which {why}"));
                }
                chosen.or(Some(oldest))
            }
        }
    }
}

impl Replacement for OwnReplacement {
    fn used(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        self.now += 1;
        let past = &mut self.pasts[slot.slot_index()];
        (past.last_used, past.uses) = (self.now, past.uses + 1);
        slots.make_youngest(&mut self.queues.0[0], slot);
        self.notify(ReplacementEvent::Used, slots.block(slot));
    }

    fn admit(&mut self, slots: &mut SlotLists, block: u64, _: Option<CacheSlot>) -> Option<Admitted> {
        self.now += 1;
        let mut evicted = None;
        if self.queues.members(0) == self.capacity {
            let victim = self.choose(slots, block)?;
            evicted = Some(slots.evicted_block(victim));
            if is_kept()
                && let (Some(gone), Some(entry)) = (evicted, self.decider.log_entry())
            {
                self.evicted.insert(gone.block, (entry, self.now));
            }
            self.forget(slots, victim);
        }
        if let Some((entry, since)) = self.evicted.remove(&block) {
            set_outcome(entry, self.now - since);
        }
        let slot = self.queues.bring_in(slots, 0, block);
        if self.pasts.len() <= slot.slot_index() {
            self.pasts.resize(slot.slot_index() + 1, BlockPast::default());
        }
        self.pasts[slot.slot_index()] = BlockPast { came: self.now, last_used: self.now, uses: 0 };
        self.notify(ReplacementEvent::Inserted, block);
        Some(Admitted { slot, evicted })
    }

    fn hold(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        self.queues.hold(slots, slot);
        self.notify(ReplacementEvent::Held, slots.block(slot));
    }

    fn let_go(&mut self, slots: &mut SlotLists, slot: CacheSlot, end: ListEnd) {
        self.queues.let_go(slots, slot, end);
        let arguments = [as_feature(slots.block(slot)), i64::from(end == ListEnd::Young)];
        self.decider.notify(now_ns(), ReplacementEvent::Released as usize, &arguments);
    }

    fn forget(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        let block = slots.block(slot);
        self.queues.forget(slots, slot);
        self.notify(ReplacementEvent::Removed, block);
    }

    fn bytes(&self) -> usize {
        self.pasts.capacity() * size_of::<BlockPast>()
    }
}

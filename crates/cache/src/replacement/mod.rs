//! Replacement: the choice of the block to evict when a block comes in and there is no room.
//!
//! A policy keeps the blocks of a cache, and for some time evicted blocks, in lists that link the entries of the [`SlotLists`]. Each policy
//! is a file in this directory with its keys, and a line in the list below; scenarios name a policy by its word.
//!
//! A block that is dirty or in flight cannot be evicted and is *held back*: a held-back block is a member of its list, and uses have their
//! effect on it, but a search for a victim skips it. A held-back block that becomes evictable joins its list anew at one end.

mod arc;
mod car;
mod clock;
mod fifo;
mod frequency;
mod lfu;
mod lfu_da;
mod lru;
mod own_replacement;
mod queues;
mod random;
mod sieve;
mod slru;
mod two_q;

pub use arc::Arc;
pub use car::Car;
pub use own_replacement::REPLACEMENT;

use crate::slots::{CacheSlot, Evicted, ListEnd, SlotLists};
use sansim_kernel::RandomStream;
use sansim_rules::{OwnRule, RuleTable};
use sansim_schema::alternatives;
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

/// The outcome of an admission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admitted {
    /// The slot of the admitted block.
    pub slot: CacheSlot,
    /// The block that was evicted for the admitted block.
    pub evicted: Option<Evicted>,
}

/// A replacement policy: it chooses the victim.
pub trait Replacement {
    /// The most evicted blocks that the policy remembers.
    fn remembers(&self) -> u32 {
        0
    }

    /// A resident block has been requested again.
    fn used(&mut self, slots: &mut SlotLists, slot: CacheSlot);

    /// A block that is not resident comes in; `remembered` is its slot if the policy remembers it. If there is no room another block is
    /// evicted; no block comes in if all are held back.
    fn admit(&mut self, slots: &mut SlotLists, block: u64, remembered: Option<CacheSlot>)
    -> Option<Admitted>;

    /// A block cannot be evicted from now on (it is held back).
    fn hold(&mut self, slots: &mut SlotLists, slot: CacheSlot);

    /// A block that was held back becomes evictable, and joins its list at this end.
    fn let_go(&mut self, slots: &mut SlotLists, slot: CacheSlot, end: ListEnd);

    /// A resident block that is not held back is dropped without a decision of the policy. A dropped block is not remembered.
    fn forget(&mut self, slots: &mut SlotLists, slot: CacheSlot);

    /// The bytes of memory of the policy, without the slots.
    fn bytes(&self) -> usize {
        0
    }
}

alternatives! {
    /// The policy that chooses the block to evict when there is no room.
    pub enum ReplacementPolicy by "policy", default "lru", source "ours: the policy that others are measured by",
    or Own(OwnRule => own_replacement::OwnReplacement) = (RuleTable(&REPLACEMENT)) {
        Lru(lru::LruParameters => lru::Lru) = "lru",
        Fifo(fifo::FifoReplacementParameters => fifo::FifoReplacement) = "fifo",
        Slru(slru::SlruParameters => slru::Slru) = "slru",
        TwoQ(two_q::TwoQParameters => two_q::TwoQ) = "2q",
        Arc(arc::ArcParameters => arc::Arc) = "arc",
        Car(car::CarParameters => car::Car) = "car",
        Clock(clock::ClockParameters => clock::ClockReplacement) = "clock",
        Sieve(sieve::SieveParameters => sieve::Sieve) = "sieve",
        Lfu(lfu::LfuParameters => lfu::Lfu) = "lfu",
        LfuDa(lfu_da::LfuDaParameters => lfu_da::LfuDa) = "lfu-da",
        Random(random::RandomParameters => random::Random) = "random",
    }
    /// One of the policies, with what it remembers.
    pub enum AnyReplacement: Replacement {
        fn remembers(&self) -> u32;
        #[inline]
        fn used(&mut self, slots: &mut SlotLists, slot: CacheSlot);
        #[inline]
        fn admit(&mut self, slots: &mut SlotLists, block: u64, remembered: Option<CacheSlot>) -> Option<Admitted>;
        fn hold(&mut self, slots: &mut SlotLists, slot: CacheSlot);
        fn let_go(&mut self, slots: &mut SlotLists, slot: CacheSlot, end: ListEnd);
        fn forget(&mut self, slots: &mut SlotLists, slot: CacheSlot);
        fn bytes(&self) -> usize;
    }
    /// A policy of this kind for so many blocks that has seen none yet. Only one that draws needs random numbers.
    pub fn replacement(capacity: u32, random: RandomStream);
}

impl Default for ReplacementPolicy {
    fn default() -> Self {
        Self::Lru(lru::LruParameters {})
    }
}

impl ReplacementPolicy {
    /// Whether it is a rule of the user.
    pub fn is_own(&self) -> bool {
        matches!(self, Self::Own(_))
    }

    /// The policy with this word, with the defaults of its keys.
    pub fn of_word(word: &str) -> Option<Self> {
        let known = Self::WORDS.iter().find(|known| **known == word)?;
        Self::from_toml(&format!("policy = \"{known}\""), &Facts::default()).ok()
    }
}

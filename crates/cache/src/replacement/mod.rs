//! Replacement: the block to evict when a block comes in and there is no room.
//!
//! A policy keeps the blocks of a cache, and for some time evicted ones, in lists that run through the [`SlotLists`]. Each is a file here with its
//! keys, and a line in the list below; scenarios name it by its word.
//!
//! A block that is dirty or in flight cannot be evicted and is *held back*: it counts as a member of its list, and uses have their effect on it, but
//! a search for a victim skips it. When it becomes evictable it joins its list anew at one end.

mod arc;
mod car;
mod clock;
mod fifo;
mod frequency;
mod lfu;
mod lfu_da;
mod lru;
mod queues;
mod random;
mod sieve;
mod slru;
mod two_q;

pub use arc::Arc;
pub use car::Car;

use crate::slots::{CacheSlot, Evicted, ListEnd, SlotLists};
use sansim_kernel::RandomStream;
use sansim_schema::alternatives;
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

/// The outcome of an admission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admitted {
    /// Where it is.
    pub slot: CacheSlot,
    /// The block that went for it.
    pub evicted: Option<Evicted>,
}

/// Chooses the victim.
pub trait Replacement {
    /// How many blocks it remembers at most beside those that are held.
    fn remembers(&self) -> u32 {
        0
    }

    /// A block that is held has been asked for again.
    fn used(&mut self, slots: &mut SlotLists, slot: CacheSlot);

    /// A block comes in that is not held; `remembered` is its slot if it is remembered. If there is no room another one goes;
    /// none comes in if all are held back.
    fn admit(&mut self, slots: &mut SlotLists, block: u64, remembered: Option<CacheSlot>)
    -> Option<Admitted>;

    /// A block is held back from now on.
    fn hold(&mut self, slots: &mut SlotLists, slot: CacheSlot);

    /// A block that was held back may go again, and joins its list at this end.
    fn let_go(&mut self, slots: &mut SlotLists, slot: CacheSlot, end: ListEnd);

    /// A block that is held, and not held back, is dropped for reasons of others. Nothing of it is remembered.
    fn forget(&mut self, slots: &mut SlotLists, slot: CacheSlot);

    /// Bytes that it takes beside the slots.
    fn bytes(&self) -> usize {
        0
    }
}

alternatives! {
    /// The policy that chooses the block to evict when there is no room.
    pub enum ReplacementPolicy by "policy", default "lru", source "ours: the policy that others are measured by" {
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
    /// The policy of a word, with what its keys are by default.
    pub fn of_word(word: &str) -> Option<Self> {
        let known = Self::WORDS.iter().find(|known| **known == word)?;
        Self::from_toml(&format!("policy = \"{known}\""), &Facts::default()).ok()
    }
}

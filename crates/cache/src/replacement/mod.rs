//! Replacement: who has to go when a block comes in and there is no room.
//!
//! A policy keeps the blocks of a cache, and for some time those that went, in lists that run through the [`Slots`]. Each is a
//! file here with its keys, and a line in `replacements!` below; scenarios name it by its word.
//!
//! A block that is dirty or on its way cannot go and is *held back*: it counts as a member of its list, and whatever use does
//! to it is done, but nobody who looks for a block that may go meets it. When it may go again it joins its list anew at one
//! end.

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

use crate::slots::{End, Evicted, Slot, Slots};
use sansim_describe::context::Context;
use sansim_describe::table::Tabular;
use sansim_kernel::RandomStream;

/// What became of a block that came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admitted {
    /// Where it is.
    pub slot: Slot,
    /// The block that went for it.
    pub evicted: Option<Evicted>,
}

/// Chooses who has to go.
pub trait Replacement {
    /// How many blocks it remembers at most beside those that are held.
    fn remembers(&self) -> u32 {
        0
    }

    /// A block that is held has been asked for again.
    fn used(&mut self, slots: &mut Slots, slot: Slot);

    /// A block comes in that is not held; `remembered` is its slot if it is remembered. If there is no room another one goes;
    /// none comes in if all are held back.
    fn admit(&mut self, slots: &mut Slots, block: u64, remembered: Option<Slot>) -> Option<Admitted>;

    /// A block is held back from now on.
    fn hold(&mut self, slots: &mut Slots, slot: Slot);

    /// A block that was held back may go again, and joins its list at this end.
    fn let_go(&mut self, slots: &mut Slots, slot: Slot, end: End);

    /// A block that is held, and not held back, is dropped for reasons of others. Nothing of it is remembered.
    fn forget(&mut self, slots: &mut Slots, slot: Slot);

    /// Bytes that it takes beside the slots.
    fn bytes(&self) -> usize {
        0
    }
}

/// Declares the policies: the word in scenarios, the keys, the type, and what it does.
macro_rules! replacements {
    ($($(#[doc = $doc:literal])+ $name:ident = $word:literal: $parameters:ty => $policy:ty,)+) => {
        sansim_describe::variants! {
            /// Which block goes when there is no room for another one.
            pub enum ReplacementPolicy by "policy", default "lru", source "ours: the policy that others are measured by" {
                $($(#[doc = $doc])* $name($parameters) = $word,)+
            }
        }

        /// One of the policies, with what it remembers.
        #[derive(Clone, Debug)]
        pub enum AnyReplacement {
            $($(#[doc = $doc])+ $name($policy),)+
        }

        impl ReplacementPolicy {
            /// A policy of this kind for so many blocks that has seen none yet. Only one that draws needs random numbers.
            pub fn replacement(&self, capacity: u32, random: RandomStream) -> AnyReplacement {
                match self {
                    $(Self::$name(parameters) => AnyReplacement::$name(<$policy>::new(parameters, capacity, random)),)+
                }
            }
        }

        impl Replacement for AnyReplacement {
            fn remembers(&self) -> u32 {
                match self { $(Self::$name(policy) => policy.remembers(),)+ }
            }

            #[inline]
            fn used(&mut self, slots: &mut Slots, slot: Slot) {
                match self { $(Self::$name(policy) => policy.used(slots, slot),)+ }
            }

            #[inline]
            fn admit(&mut self, slots: &mut Slots, block: u64, remembered: Option<Slot>) -> Option<Admitted> {
                match self { $(Self::$name(policy) => policy.admit(slots, block, remembered),)+ }
            }

            fn hold(&mut self, slots: &mut Slots, slot: Slot) {
                match self { $(Self::$name(policy) => policy.hold(slots, slot),)+ }
            }

            fn let_go(&mut self, slots: &mut Slots, slot: Slot, end: End) {
                match self { $(Self::$name(policy) => policy.let_go(slots, slot, end),)+ }
            }

            fn forget(&mut self, slots: &mut Slots, slot: Slot) {
                match self { $(Self::$name(policy) => policy.forget(slots, slot),)+ }
            }

            fn bytes(&self) -> usize {
                match self { $(Self::$name(policy) => policy.bytes(),)+ }
            }
        }
    };
}

replacements! {
    /// The one that was used least recently.
    Lru = "lru": lru::LruParameters => lru::Lru,
    /// The one that came first.
    Fifo = "fifo": fifo::FifoParameters => fifo::Fifo,
    /// Segmented LRU: what is used again rises to the next segment, what falls out of one falls into the one below.
    Slru = "slru": slru::SlruParameters => slru::Slru,
    /// 2Q: newcomers in a queue, what was asked for again soon after in an LRU list.
    TwoQ = "2q": two_q::TwoQParameters => two_q::TwoQ,
    /// Adaptive replacement cache: what was used once and what was used again, each as long as misses tell that it should be.
    Arc = "arc": arc::ArcParameters => arc::Arc,
    /// Clock with adaptive replacement: ARC with two clocks.
    Car = "car": car::CarParameters => car::Car,
    /// The first that was not used since the hand passed it, which goes round.
    Clock = "clock": clock::ClockParameters => clock::Clock,
    /// The first that was not used since the hand passed it, which goes from the oldest to the youngest and moves none.
    Sieve = "sieve": sieve::SieveParameters => sieve::Sieve,
    /// The one that was used least often; of several the one that was used least recently.
    Lfu = "lfu": lfu::LfuParameters => lfu::Lfu,
    /// LFU with dynamic ageing: what was used often long ago goes too.
    LfuDa = "lfu-da": lfu_da::LfuDaParameters => lfu_da::LfuDa,
    /// Any, each as likely as the others.
    Random = "random": random::RandomParameters => random::Random,
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
        Self::from_toml(&format!("policy = \"{known}\""), &Context::default()).ok()
    }
}

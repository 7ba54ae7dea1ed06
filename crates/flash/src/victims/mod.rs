//! Which block of a plane garbage collection takes next.
//!
//! Each policy is a file here with its keys, and a line in `victims!` below; scenarios name it by its word. It is told what becomes
//! of the blocks of its plane and keeps what it needs to choose at once.

mod fifo;
mod greedy;
mod random_greedy;

use sansim_kernel::RandomStream;

/// Chooses the next victim among the blocks of a plane that are written full. Blocks have numbers within their plane.
pub trait VictimPolicy {
    /// A block is full, with so many valid units.
    fn filled(&mut self, block: u32, valid: u32);

    /// A full block has one valid unit less than `valid`.
    fn invalidated(&mut self, block: u32, valid: u32);

    /// The next victim; it is forgotten. `valid` is how many valid units a block has. None if no full block has anything invalid: to copy
    /// such a block frees nothing.
    fn take(&mut self, valid: impl Fn(u32) -> u32, random: &mut RandomStream) -> Option<u32>;
}

/// Declares the policies: the word in scenarios, the keys, the type, and what it does.
macro_rules! victims {
    ($($(#[doc = $doc:literal])+ $name:ident = $word:literal: $parameters:ty => $policy:ty,)+) => {
        sansim_describe::variants! {
            /// Which block garbage collection takes next.
            pub enum Victim by "victim", default "random-greedy", source "MQSim, GC_Block_Selection_Policy" {
                $($(#[doc = $doc])* $name($parameters) = $word,)*
            }
        }

        /// One of the policies, with what it remembers of a plane.
        #[derive(Clone, Debug)]
        pub enum Victims {
            $($(#[doc = $doc])+ $name($policy),)+
        }

        impl Victim {
            /// The policy for a plane of so many blocks of so many units, none of which is full.
            pub fn policy(&self, blocks: u32, units: u32) -> Victims {
                match self {
                    $(Self::$name(parameters) => Victims::$name(<$policy>::new(parameters, blocks, units)),)+
                }
            }
        }

        impl VictimPolicy for Victims {
            fn filled(&mut self, block: u32, valid: u32) {
                match self { $(Self::$name(policy) => policy.filled(block, valid),)+ }
            }

            fn invalidated(&mut self, block: u32, valid: u32) {
                match self { $(Self::$name(policy) => policy.invalidated(block, valid),)+ }
            }

            fn take(&mut self, valid: impl Fn(u32) -> u32, random: &mut RandomStream) -> Option<u32> {
                match self { $(Self::$name(policy) => policy.take(valid, random),)+ }
            }
        }
    };
}

victims! {
    /// The one with the fewest valid pages.
    Greedy = "greedy": greedy::GreedyParameters => greedy::Greedy,
    /// The one that was filled longest ago.
    Fifo = "fifo": fifo::FifoParameters => fifo::Fifo,
    /// Of some drawn at random the one with the fewest valid pages.
    RandomGreedy = "random-greedy": random_greedy::RandomGreedyParameters => random_greedy::RandomGreedy,
}

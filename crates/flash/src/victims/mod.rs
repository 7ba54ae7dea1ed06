//! Policies for the victim: the block of a plane that garbage collection collects next.
//!
//! Each policy is a file in this directory with its keys, and a line in the list below; a scenario names the policy by its word. The plane
//! notifies the policy of written and invalidated pages, and the policy keeps the data that it needs to choose a block at once.

mod fifo;
mod greedy;
mod random_greedy;

use sansim_kernel::RandomStream;
use sansim_schema::{alternatives, decision};

/// A victim policy: it chooses the next victim among the full blocks of a plane. Blocks have numbers within their plane.
pub trait VictimPolicy {
    /// A block is full, with this many valid units.
    fn filled(&mut self, block: u32, valid: u32);

    /// A full block has one valid unit less than `valid`.
    fn invalidated(&mut self, block: u32, valid: u32);

    /// The next victim, which the policy then drops. `valid` returns the number of valid units of a block. None if no full block has an
    /// invalid unit: copying such a block frees no space.
    fn take(&mut self, valid: impl Fn(u32) -> u32, random: &mut RandomStream) -> Option<u32>;
}

decision! {
    /// The choice of the block of a plane that garbage collection takes next.
    pub static VICTIM = "victim";
}

alternatives! {
    /// The block that garbage collection takes next.
    pub enum VictimChoice by "victim", default "random-greedy", source "MQSim, GC_Block_Selection_Policy", decides VICTIM {
        Greedy(greedy::GreedyParameters => greedy::Greedy) = "greedy",
        Fifo(fifo::FifoParameters => fifo::Fifo) = "fifo",
        RandomGreedy(random_greedy::RandomGreedyParameters => random_greedy::RandomGreedy) = "random-greedy",
    }
    /// One of the policies, with what it remembers of a plane.
    pub enum AnyVictimPolicy: VictimPolicy {
        fn filled(&mut self, block: u32, valid: u32);
        fn invalidated(&mut self, block: u32, valid: u32);
        fn take(&mut self, valid: impl Fn(u32) -> u32, random: &mut RandomStream) -> Option<u32>;
    }
    /// The policy for a plane of so many blocks of so many units, none of which is full.
    pub fn policy(blocks: u32, units: u32);
}

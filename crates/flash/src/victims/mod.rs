//! Policies for the victim: the block of a plane that garbage collection collects next.
//!
//! Each policy is a file in this directory with its keys, and a line in the list below; a scenario names the policy by its word. The plane
//! notifies the policy of written and invalidated pages, and the policy keeps the data that it needs to choose a block at once.

mod fifo;
mod greedy;
mod own_victim;
mod random_greedy;

pub use own_victim::VICTIM;

use sansim_kernel::RandomStream;
use sansim_rules::{OwnRule, RuleTable};
use sansim_schema::alternatives;

/// The state of a full block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FullBlock {
    /// The number of valid units.
    pub valid: u32,
    /// The number of times that the block was erased.
    pub erases: u32,
}

/// A victim policy: it chooses the next victim among the full blocks of a plane. Blocks have numbers within their plane.
pub trait VictimPolicy {
    /// A block is full, with this many valid units.
    fn filled(&mut self, block: u32, valid: u32);

    /// A full block has one valid unit less than `valid`.
    fn invalidated(&mut self, block: u32, valid: u32);

    /// The next victim, which the policy then drops. `of` returns the state of a full block. None if no full block has an
    /// invalid unit: copying such a block frees no space.
    fn take(&mut self, of: impl Fn(u32) -> FullBlock, random: &mut RandomStream) -> Option<u32>;
}

alternatives! {
    /// The block that garbage collection takes next.
    pub enum VictimChoice by "victim", default "random-greedy", source "MQSim, GC_Block_Selection_Policy",
    or Own(OwnRule => own_victim::OwnVictim) = (RuleTable(&VICTIM)) {
        Greedy(greedy::GreedyParameters => greedy::Greedy) = "greedy",
        Fifo(fifo::FifoParameters => fifo::Fifo) = "fifo",
        RandomGreedy(random_greedy::RandomGreedyParameters => random_greedy::RandomGreedy) = "random-greedy",
    }
    /// One of the policies, with what it remembers of a plane.
    pub enum AnyVictimPolicy: VictimPolicy {
        fn filled(&mut self, block: u32, valid: u32);
        fn invalidated(&mut self, block: u32, valid: u32);
        fn take(&mut self, of: impl Fn(u32) -> FullBlock, random: &mut RandomStream) -> Option<u32>;
    }
    /// The policy for a plane of so many blocks of so many units, none of which is full.
    pub fn policy(blocks: u32, units: u32);
}

impl VictimChoice {
    /// Whether it is a rule of the user.
    pub fn is_own(&self) -> bool {
        matches!(self, Self::Own(_))
    }
}

//! The victim is the block that was filled longest ago, among the blocks with an invalid unit.
//!
//! Source: Desnoyers, "Analytic modeling of SSD write performance", SYSTOR 2012 (LRU cleaning), whose closed form is
//! [`fifo_write_amplification`](crate::formulas::fifo_write_amplification). A block without invalid units keeps its place, as in MQSim,
//! which does not collect it either.

use super::{FullBlock, VictimPolicy};
use sansim_kernel::RandomStream;
use sansim_schema::table;
use std::collections::VecDeque;

table! {
    /// The block that was filled longest ago.
    #[derive(Copy, Eq)]
    pub struct FifoParameters {}
}

/// The victim policy that collects the block that was filled longest ago.
#[derive(Clone, Debug)]
pub struct Fifo {
    full: VecDeque<u32>,
    units: u32,
}

impl Fifo {
    /// The policy for a plane of `blocks` blocks with `units` units each.
    pub fn new(_: &FifoParameters, blocks: u32, units: u32) -> Self {
        Self { full: VecDeque::with_capacity(blocks as usize), units }
    }
}

impl VictimPolicy for Fifo {
    fn filled(&mut self, block: u32, _: u32) {
        self.full.push_back(block);
    }

    fn invalidated(&mut self, _: u32, _: u32) {}

    fn take(&mut self, of: impl Fn(u32) -> FullBlock, _: &mut RandomStream) -> Option<u32> {
        let place = self.full.iter().position(|block| of(*block).valid < self.units)?;
        self.full.remove(place)
    }
}

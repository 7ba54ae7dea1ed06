//! The block that was filled longest ago.
//!
//! Source: Desnoyers, "Analytic modeling of SSD write performance", SYSTOR 2012 (LRU cleaning), whose closed form is
//! [`fifo_write_amplification`](crate::formulas::fifo_write_amplification).

use super::VictimPolicy;
use sansim_describe::table;
use sansim_kernel::RandomStream;
use std::collections::VecDeque;

table! {
    /// The one that was filled longest ago.
    #[derive(Copy, Eq)]
    pub struct FifoParameters {}
}

/// See the module text.
#[derive(Clone, Debug)]
pub struct Fifo {
    full: VecDeque<u32>,
}

impl Fifo {
    /// For a plane of so many blocks.
    pub fn new(_: &FifoParameters, blocks: u32, _: u32) -> Self {
        Self { full: VecDeque::with_capacity(blocks as usize) }
    }
}

impl VictimPolicy for Fifo {
    fn filled(&mut self, block: u32, _: u32) {
        self.full.push_back(block);
    }

    fn invalidated(&mut self, _: u32, _: u32) {}

    fn take(&mut self, _: impl Fn(u32) -> u32, _: &mut RandomStream) -> Option<u32> {
        self.full.pop_front()
    }
}

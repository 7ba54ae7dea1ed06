//! The victim is the block with the fewest valid pages; of several the block that has had so few for longest.

use super::{FullBlock, VictimPolicy};
use sansim_kernel::RandomStream;
use sansim_schema::table;

table! {
    /// The block with the fewest valid pages.
    #[derive(Copy, Eq)]
    pub struct GreedyParameters {}
}

const NONE: u32 = u32::MAX;

/// Blocks are in a ring for each number of valid units, linked by their numbers. The links of the ends of the rings follow after those of
/// blocks.
#[derive(Clone, Debug)]
pub struct Greedy {
    previous: Vec<u32>,
    next: Vec<u32>,
    blocks: u32,
    units: u32,
    /// The lowest ring that may have a block.
    least: u32,
}

impl Greedy {
    /// The policy for a plane of `blocks` blocks with `units` units each.
    pub fn new(_: &GreedyParameters, blocks: u32, units: u32) -> Self {
        let ends = blocks..=blocks + units;
        let links: Vec<u32> = (0..blocks).map(|_| NONE).chain(ends).collect();
        Self { previous: links.clone(), next: links, blocks, units, least: units }
    }

    fn link(&mut self, block: u32, valid: u32) {
        let end = self.blocks + valid;
        let last = self.previous[end as usize];
        self.next[last as usize] = block;
        self.previous[block as usize] = last;
        self.next[block as usize] = end;
        self.previous[end as usize] = block;
        self.least = self.least.min(valid);
    }

    fn unlink(&mut self, block: u32) {
        let (previous, next) = (self.previous[block as usize], self.next[block as usize]);
        self.next[previous as usize] = next;
        self.previous[next as usize] = previous;
    }
}

impl VictimPolicy for Greedy {
    fn filled(&mut self, block: u32, valid: u32) {
        self.link(block, valid);
    }

    fn invalidated(&mut self, block: u32, valid: u32) {
        self.unlink(block);
        self.link(block, valid);
    }

    fn take(&mut self, _: impl Fn(u32) -> FullBlock, _: &mut RandomStream) -> Option<u32> {
        while self.least < self.units
            && self.next[(self.blocks + self.least) as usize] == self.blocks + self.least
        {
            self.least += 1;
        }
        if self.least == self.units {
            return None;
        }
        let block = self.next[(self.blocks + self.least) as usize];
        self.unlink(block);
        Some(block)
    }
}

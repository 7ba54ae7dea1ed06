//! Permuted places: every block once, in a random order; then all again in another order.

use super::bijection::Bijection;
use super::grid::{ALIGN, Blocks};
use sansim_kernel::RandomStream;
use sansim_schema::table;

table! {
    /// Every block of the region once, in a random order, then all again in another one. No memory is needed for it, however many blocks
    /// there are.
    #[derive(Copy, Eq)]
    pub struct PermutationParameters {
        /// Size of the blocks. A larger request begins with one of them.
        block: u64 = ALIGN, default r#""4 KiB""#, source "fio, without norandommap";
    }
}

/// The generator of permuted places.
#[derive(Clone, Debug)]
pub struct PermutedLocations {
    blocks: Blocks,
    order: Bijection,
    next: u64,
}

impl PermutedLocations {
    /// The generator for a region of this many bytes.
    pub fn new(
        parameters: &PermutationParameters,
        region: u64,
        random: &mut RandomStream,
    ) -> PermutedLocations {
        let blocks = Blocks::new(region, parameters.block);
        PermutedLocations { blocks, order: Bijection::new(blocks.count, random), next: 0 }
    }

    /// The next offset.
    pub fn next(&mut self, bytes: u64, _: bool, random: &mut RandomStream) -> u64 {
        if self.next == self.blocks.count {
            self.order = Bijection::new(self.blocks.count, random);
            self.next = 0;
        }
        self.next += 1;
        self.blocks.offset(self.order.permuted_number(self.next - 1), bytes)
    }
}

//! An audit of the mapping as a whole: its memory, and its consistency.

use super::{Block, Mapping, State};
use std::collections::HashSet;

impl Mapping {
    /// The bytes of memory: of a fresh drive, and for the units written since.
    pub fn memory_bytes(&self) -> (u64, u64) {
        let (groups, entries) = self.map.memory_bytes();
        let free: usize = self.planes.iter().map(|plane| plane.free.capacity() * 4).sum();
        let victims = u64::from(self.layout.blocks + self.layout.units) * 8 * u64::from(self.layout.planes);
        let blocks = (self.blocks.len() * size_of::<Block>()) as u64;
        let lists = self.blocks.iter().map(|block| &block.held).chain(&self.lists);
        let held: usize = lists.map(|list| list.capacity() * 4).sum();
        (groups + free as u64 + victims + blocks, entries + held as u64)
    }

    /// The first inconsistency, if there is one: every mapped unit holds its logical unit, no two logical units share a unit, and all
    /// counts are right. The audit looks at all units.
    pub fn first_inconsistency(&self) -> Option<String> {
        let mut valid = vec![0_u32; self.blocks.len()];
        let mut taken = HashSet::new();
        for logical in 0..self.layout.logical_units() {
            let Some(unit) = self.physical_unit(logical) else { continue };
            let number = self.layout.block_of_unit(unit);
            let place = unit % self.layout.units;
            if self.next_valid(number, place) != Some((place, logical)) {
                return Some(format!("unit {unit} does not hold {logical}, which is mapped to it"));
            }
            if !taken.insert(unit) {
                return Some(format!("two logical units are in {unit}"));
            }
            if self.layout.plane_of_block(number) != self.layout.plane_of_unit(logical) {
                return Some(format!("{logical} is in another plane than its own"));
            }
            valid[number as usize] += 1;
        }
        let counted = |number: usize| {
            let block = &self.blocks[number];
            let full = block.written() == self.layout.units_of_block(number as u32);
            let state = match block.state {
                State::Free => block.written() == 0,
                State::Open => !full,
                State::Full | State::Victim => full,
            };
            block.valid == valid[number] && state
        };
        if let Some(number) = (0..self.blocks.len()).find(|number| !counted(*number)) {
            return Some(format!(
                "block {number} has {} valid units: {:?}",
                valid[number], self.blocks[number]
            ));
        }
        let stale = |plane: usize| -> u64 {
            let blocks = &self.blocks[plane * self.layout.blocks as usize..][..self.layout.blocks as usize];
            let full = blocks.iter().filter(|block| block.state == State::Full);
            full.map(|block| u64::from(self.layout.units - block.valid)).sum()
        };
        let wrong = (0..self.planes.len()).find(|plane| stale(*plane) != self.planes[*plane].stale);
        wrong.map(|plane| format!("plane {plane} counts {} stale units", self.planes[plane].stale))
    }
}

//! The index from the number of a block to its slot: open addressing with linear probing, which needs 11 to 22 bytes a block.

use crate::slot::CacheSlot;

#[derive(Clone, Copy, Debug)]
struct Cell {
    slot: CacheSlot,
    /// 32 bits of the hash of the block: they give the home cell of the entry, and a check that needs no access to the slot.
    hash: u32,
}

const EMPTY: Cell = Cell { slot: CacheSlot::NONE, hash: 0 };

/// The fewest cells of an index.
const FEWEST: usize = 16;

/// The index of a cache from the number of a block to its slot.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    /// The cells: their number is a power of two, and at most three quarters of them are in use.
    cells: Vec<Cell>,
    taken: usize,
}

/// Every bit of the number of a block affects every bit of the hash: two rounds of multiplication and shift.
#[inline]
fn hash(block: u64) -> u32 {
    let mixed = (block ^ (block >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32) as u32
}

impl Index {
    pub(crate) fn new() -> Self {
        Self { cells: vec![EMPTY; FEWEST], taken: 0 }
    }

    /// The home cell of a hash.
    #[inline]
    fn home(&self, hash: u32) -> usize {
        ((u64::from(hash) * self.cells.len() as u64) >> 32) as usize
    }

    /// The slot of a block; `is` returns whether a slot belongs to the block.
    #[inline]
    pub(crate) fn find(&self, block: u64, is: impl Fn(CacheSlot) -> bool) -> Option<CacheSlot> {
        let hash = hash(block);
        let mask = self.cells.len() - 1;
        let mut at = self.home(hash);
        loop {
            let cell = self.cells[at];
            if cell.slot == CacheSlot::NONE {
                return None;
            }
            if cell.hash == hash && is(cell.slot) {
                return Some(cell.slot);
            }
            at = (at + 1) & mask;
        }
    }

    /// A block will be looked up or removed soon: prefetches its cell.
    #[inline]
    pub(crate) fn foresee(&self, block: u64) {
        sansim_hugepages::prefetch_element(&self.cells, self.home(hash(block)));
    }

    /// Adds a block that is not in the index.
    pub(crate) fn add(&mut self, block: u64, slot: CacheSlot) {
        if (self.taken + 1) * 4 > self.cells.len() * 3 {
            let cells = self.cells.len() * 2;
            let mut larger = sansim_hugepages::with_capacity(cells);
            larger.resize(cells, EMPTY);
            for cell in std::mem::replace(&mut self.cells, larger) {
                if cell.slot != CacheSlot::NONE {
                    self.put(cell);
                }
            }
        }
        self.taken += 1;
        self.put(Cell { slot, hash: hash(block) });
    }

    fn put(&mut self, cell: Cell) {
        let mask = self.cells.len() - 1;
        let mut at = self.home(cell.hash);
        while self.cells[at].slot != CacheSlot::NONE {
            at = (at + 1) & mask;
        }
        self.cells[at] = cell;
    }

    /// Removes a block whose slot is `slot`. The cells after a removed cell move up, so there are no tombstones.
    pub(crate) fn remove(&mut self, block: u64, slot: CacheSlot) {
        let mask = self.cells.len() - 1;
        let mut hole = self.home(hash(block));
        while self.cells[hole].slot != slot {
            if self.cells[hole].slot == CacheSlot::NONE {
                return;
            }
            hole = (hole + 1) & mask;
        }
        self.taken -= 1;
        let mut at = hole;
        loop {
            at = (at + 1) & mask;
            let cell = self.cells[at];
            if cell.slot == CacheSlot::NONE {
                break;
            }
            // A cell may move up if its home is not between the hole and the cell.
            let (from_home, from_hole) =
                (at.wrapping_sub(self.home(cell.hash)) & mask, at.wrapping_sub(hole) & mask);
            if from_home >= from_hole {
                self.cells[hole] = cell;
                hole = at;
            }
        }
        self.cells[hole] = EMPTY;
    }

    /// The bytes of memory of the index.
    pub(crate) fn bytes(&self) -> usize {
        self.cells.capacity() * size_of::<Cell>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_kernel::RandomStream;
    use std::collections::HashMap;

    /// Inserts and removes enough blocks that searches are long and cells after a hole move up.
    #[test]
    fn an_index_finds_what_a_map_of_the_standard_library_finds() {
        let (mut index, mut map) = (Index::new(), HashMap::new());
        let mut random = RandomStream::new(1, "index");
        for now in 0..200_000_u32 {
            let block = random.draw_below(1 << 11) * 4_096;
            let is = |slot: CacheSlot| map.get(&block) == Some(&slot);
            assert_eq!(index.find(block, is), map.get(&block).copied());
            match map.remove(&block) {
                Some(slot) => index.remove(block, slot),
                None => {
                    index.add(block, CacheSlot::at(now));
                    map.insert(block, CacheSlot::at(now));
                }
            }
            assert_eq!(index.taken, map.len());
        }
        assert!(map.iter().all(|(block, slot)| index.find(*block, |one| one == *slot) == Some(*slot)));
        assert!(index.cells.len() <= 4_096);
    }
}

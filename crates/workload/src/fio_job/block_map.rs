//! The blocks of a region that have been visited in this pass: fio's random map for I/Os of different sizes.

/// Words of 64 bits, in which a set bit is a visited block; words of a higher level have a bit for each full word of the level below.
#[derive(Clone, Debug)]
pub struct BlockMap {
    count: u64,
    levels: Vec<Vec<u64>>,
}

impl BlockMap {
    /// The most blocks of a map: 2^33, which need one GiB.
    pub const MOST: u64 = 1 << 33;

    /// A map in which no block has been visited.
    pub fn new(count: u64) -> BlockMap {
        let mut map = BlockMap { count, levels: Vec::new() };
        map.clear();
        map
    }

    /// Marks all blocks as not visited.
    pub fn clear(&mut self) {
        self.levels.clear();
        let mut bits = self.count;
        loop {
            let words = bits.div_ceil(64);
            let mut level = vec![0; words as usize];
            // Blocks beyond the end count as visited.
            if let Some(last) = level.last_mut()
                && !bits.is_multiple_of(64)
            {
                *last = u64::MAX << (bits % 64);
            }
            self.levels.push(level);
            if words <= 1 {
                break;
            }
            bits = words;
        }
    }

    /// Whether a block has been visited; blocks behind the end count as visited.
    pub fn is_visited(&self, block: u64) -> bool {
        let word = self.levels.first().and_then(|words| words.get((block / 64) as usize));
        word.is_none_or(|word| word >> (block % 64) & 1 == 1)
    }

    /// Visits up to `count` consecutive blocks, up to the first that has been visited before. Returns the number of blocks that were
    /// visited now.
    pub fn visit(&mut self, first: u64, count: u64) -> u64 {
        let mut done = 0;
        while done < count && !self.is_visited(first + done) {
            self.mark(first + done);
            done += 1;
        }
        done
    }

    fn mark(&mut self, block: u64) {
        let mut at = block;
        for level in &mut self.levels {
            let Some(word) = level.get_mut((at / 64) as usize) else { return };
            *word |= 1 << (at % 64);
            if *word != u64::MAX {
                return;
            }
            at /= 64;
        }
    }

    /// The first block from `from` on, and then from the beginning, that has not been visited.
    pub fn next_free(&self, from: u64) -> Option<u64> {
        self.free_from(from).or_else(|| self.free_from(0))
    }

    fn free_from(&self, from: u64) -> Option<u64> {
        let (mut at, mut level) = (from, 0);
        loop {
            let words = self.levels.get(level)?;
            let word = words.get((at / 64) as usize)?;
            let free = !word & (u64::MAX << (at % 64));
            if free != 0 {
                at = at / 64 * 64 + u64::from(free.trailing_zeros());
                break;
            }
            at = at / 64 + 1;
            level += 1;
        }
        while level > 0 {
            level -= 1;
            let word = self.levels.get(level)?.get(at as usize)?;
            at = at * 64 + u64::from(word.trailing_ones());
        }
        (at < self.count).then_some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_map_is_a_set_of_numbers(count in 1_u64..9_000, steps in prop::collection::vec((0_u64..10_000, 1_u64..40), 1..400)) {
            let (mut map, mut plain) = (BlockMap::new(count), vec![false; count as usize]);
            for (first, length) in steps {
                let expected = plain.iter().skip(first as usize).take(length as usize).take_while(|seen| !**seen).count();
                plain.iter_mut().skip(first as usize).take(expected).for_each(|seen| *seen = true);
                prop_assert_eq!(map.visit(first, length), expected as u64);
                let free = |from: usize| plain.iter().skip(from).position(|seen| !seen).map(|at| (from + at) as u64);
                prop_assert_eq!(map.next_free(first), free(first as usize).or_else(|| free(0)));
            }
        }
    }
}

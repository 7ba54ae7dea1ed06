//! The hierarchical-reuse random walk of SPC-1-like loads: places near earlier ones are more likely than others, on every scale.

use super::grid::last;
use sansim_kernel::RandomStream;
use sansim_schema::quantities::Choice;
use sansim_schema::{table, words};

/// The bytes of a block: all offsets are a multiple of a block.
pub const BLOCK: u64 = 4_096;
/// The blocks of a leaf of the tree.
const LEAF: u64 = 8;
/// A step goes one level higher with this probability.
const CLIMB: f64 = 0.44;
/// A write goes to any block of its leaf with this probability, otherwise to the block that the reads have reached.
const ANYWHERE: f64 = 0.5;
/// A write is followed by a write to the same block with this probability.
const REPEAT: f64 = 0.15;
/// Writes begin at a leaf whose number is a multiple of this.
const WRITE_LEAVES: u64 = 8;
/// The number of steps that are tried from a leaf outside the region.
const ATTEMPTS: u32 = 100;

words! {
    /// The published reading of the walk.
    pub enum WalkStyle {
        /// As in the first generator: each stream has a tree of its own somewhere in the region, and trees share their counters by the
        /// position within.
        Classic = "classic",
        /// As classic, but trees that overlap share the counters of the same leaves.
        Fixed = "fixed",
        /// One tree over the whole region.
        V2 = "v2",
    }
}

table! {
    /// The hierarchical-reuse random walk of SPC-1-like loads. Steps are short with most probability, so that places are asked for again
    /// soon; all streams of a load in the same region share how far its leaves have been read.
    #[derive(Copy, Eq)]
    pub struct WalkParameters {
        /// The reading of the walk.
        style: WalkStyle = Choice::<WalkStyle>::ANY, default r#""classic""#, source "NetApp SPC-1 workload library V1.4";
    }
}

/// The progress of reads in each leaf of a region: shared by all streams that walk there.
#[derive(Clone, Debug)]
pub struct LeafReadProgress {
    style: WalkStyle,
    /// The block of each leaf to which the next read goes.
    counters: Vec<u8>,
    /// The leaves of a tree are 2 to the power of this.
    height: u32,
}

impl LeafReadProgress {
    /// The leaves of a region of this many bytes, of which none has been read. The leaves need one byte of memory for every 32 KiB of the
    /// region.
    pub fn new(style: WalkStyle, region: u64) -> LeafReadProgress {
        let leaves = (region / (LEAF * BLOCK)).max(1);
        let height = match style {
            WalkStyle::Classic | WalkStyle::Fixed => leaves.ilog2(),
            WalkStyle::V2 => leaves.next_power_of_two().ilog2(),
        };
        LeafReadProgress { style, counters: vec![0; leaves as usize], height }
    }

    fn count(&self) -> u64 {
        self.counters.len() as u64
    }

    /// Reads a leaf: returns the block that is next, and advances the leaf's counter.
    fn read(&mut self, leaf: u64) -> u64 {
        let counter = &mut self.counters[leaf as usize];
        let block = u64::from(*counter);
        *counter = (*counter + 1) % LEAF as u8;
        block
    }

    /// The block of a leaf to which a write goes that follows the reads.
    fn written(&self, leaf: u64) -> u64 {
        let next = u64::from(self.counters[leaf as usize]);
        match self.style {
            WalkStyle::Classic => next,
            WalkStyle::Fixed | WalkStyle::V2 => (next + LEAF - 1) % LEAF,
        }
    }
}

/// A stream that walks in a region.
#[derive(Clone, Debug)]
pub struct Walker {
    /// The first leaf of the stream's tree.
    tree: u64,
    /// The position of the stream: a leaf, counted from the beginning of its tree.
    leaf: u64,
    /// The block that was written last, counted from the beginning of the region, and whether it is to be written again.
    written: u64,
    again: bool,
}

impl Walker {
    /// A stream that begins at a random leaf of its tree.
    pub fn new(leaves: &LeafReadProgress, random: &mut RandomStream) -> Walker {
        let size = (1 << leaves.height).min(leaves.count());
        let tree = match leaves.style {
            // The tree begins at a random block, rounded down to a leaf.
            WalkStyle::Classic | WalkStyle::Fixed => {
                random.draw_below(LEAF * (leaves.count() - size) + 1) / LEAF
            }
            WalkStyle::V2 => 0,
        };
        Walker { tree, leaf: random.draw_below(size * LEAF) / LEAF, written: 0, again: false }
    }

    /// The next block, counted from the beginning of the region.
    pub fn next_block(
        &mut self,
        leaves: &mut LeafReadProgress,
        write: bool,
        random: &mut RandomStream,
    ) -> u64 {
        if write && self.again {
            self.again = false;
            self.leaf = self.written / LEAF - self.tree;
            return self.written;
        }
        self.leaf = self.step(leaves, write, random);
        let counted = match leaves.style {
            WalkStyle::Classic => self.leaf,
            WalkStyle::Fixed | WalkStyle::V2 => self.tree + self.leaf,
        };
        let first = (self.tree + self.leaf) * LEAF;
        if !write {
            return first + leaves.read(counted);
        }
        let block = if random.chance(ANYWHERE) { random.draw_below(LEAF) } else { leaves.written(counted) };
        self.written = first + block;
        self.again = random.chance(REPEAT);
        self.written
    }

    /// The leaf of the next request.
    fn step(&self, leaves: &LeafReadProgress, write: bool, random: &mut RandomStream) -> u64 {
        let lowest = match leaves.style {
            WalkStyle::Classic => 7,
            WalkStyle::Fixed | WalkStyle::V2 => 6,
        };
        let mut leaf = self.leaf;
        for _ in 0..=ATTEMPTS {
            let mut height = lowest.min(leaves.height);
            while height < leaves.height && random.chance(CLIMB) {
                height += 1;
            }
            // The step goes to any leaf in the group of 2^height leaves that contains the present leaf.
            leaf = (leaf >> height << height) + random.draw_below(1 << height);
            if write {
                leaf -= leaf % WRITE_LEAVES;
            }
            if leaf < leaves.count() {
                return leaf;
            }
        }
        random.draw_below(leaves.count())
    }
}

/// A single stream that walks in a region of its own.
#[derive(Clone, Debug)]
pub struct RandomWalkLocations {
    region: u64,
    leaves: LeafReadProgress,
    walker: Walker,
}

impl RandomWalkLocations {
    /// A walk in a region of this many bytes.
    pub fn new(parameters: &WalkParameters, region: u64, random: &mut RandomStream) -> RandomWalkLocations {
        let leaves = LeafReadProgress::new(parameters.style, region);
        let walker = Walker::new(&leaves, random);
        RandomWalkLocations { region, leaves, walker }
    }

    /// The next offset.
    pub fn next(&mut self, bytes: u64, write: bool, random: &mut RandomStream) -> u64 {
        let offset = self.walker.next_block(&mut self.leaves, write, random) * BLOCK;
        offset.min(last(self.region, bytes))
    }
}

//! The hierarchical-reuse random walk of SPC-1-like loads: places near to those before are likelier than others, on every scale.

use super::grid::last;
use sansim_kernel::RandomStream;
use sansim_schema::quantities::Choice;
use sansim_schema::{table, words};

/// Bytes of a block: all offsets are a multiple of them.
pub const BLOCK: u64 = 4_096;
/// Blocks of a leaf of the tree.
const LEAF: u64 = 8;
/// A step goes one level higher with this probability.
const CLIMB: f64 = 0.44;
/// A write goes to any block of its leaf with this probability, otherwise to the one where reads are.
const ANYWHERE: f64 = 0.5;
/// A write is followed by one to the same block with this probability.
const REPEAT: f64 = 0.15;
/// Writes begin at a leaf that is a multiple of this.
const WRITE_LEAVES: u64 = 8;
/// How often a leaf outside the region is walked on from.
const ATTEMPTS: u32 = 100;

words! {
    /// The published reading of the walk.
    pub enum WalkStyle {
        /// As in the first generator: each stream has a tree of its own somewhere in the region, and trees share their counters by the position within.
        Classic = "classic",
        /// As classic, but trees that overlap share the counters of the same leaves.
        Fixed = "fixed",
        /// One tree over the whole region.
        V2 = "v2",
    }
}

table! {
    /// The hierarchical-reuse random walk of SPC-1-like loads. Steps are short with most probability, so that places are asked for again soon;
    /// all streams of a load in the same region share how far its leaves have been read.
    #[derive(Copy, Eq)]
    pub struct WalkParameters {
        /// The reading of the walk.
        style: WalkStyle = Choice::<WalkStyle>::ANY, default r#""classic""#, source "NetApp SPC-1 workload library V1.4";
    }
}

/// How far each leaf of a region has been read: shared by all streams that walk there.
#[derive(Clone, Debug)]
pub struct Leaves {
    style: WalkStyle,
    /// The block of each leaf that the next read goes to.
    counters: Vec<u8>,
    /// The leaves of a tree are 2 to the power of this.
    height: u32,
}

impl Leaves {
    /// The leaves of a region of so many bytes, none of it read. Takes a byte for every 32 KiB.
    pub fn new(style: WalkStyle, region: u64) -> Leaves {
        let leaves = (region / (LEAF * BLOCK)).max(1);
        let height = match style {
            WalkStyle::Classic | WalkStyle::Fixed => leaves.ilog2(),
            WalkStyle::V2 => leaves.next_power_of_two().ilog2(),
        };
        Leaves { style, counters: vec![0; leaves as usize], height }
    }

    fn count(&self) -> u64 {
        self.counters.len() as u64
    }

    /// The block of a leaf that is read next, which is then the one before.
    fn read(&mut self, leaf: u64) -> u64 {
        let counter = &mut self.counters[leaf as usize];
        let block = u64::from(*counter);
        *counter = (*counter + 1) % LEAF as u8;
        block
    }

    /// The block of a leaf that a write goes to which follows the reads.
    fn written(&self, leaf: u64) -> u64 {
        let next = u64::from(self.counters[leaf as usize]);
        match self.style {
            WalkStyle::Classic => next,
            WalkStyle::Fixed | WalkStyle::V2 => (next + LEAF - 1) % LEAF,
        }
    }
}

/// One stream that walks in a region.
#[derive(Clone, Debug)]
pub struct Walker {
    /// The first leaf of its tree.
    tree: u64,
    /// Where it is: a leaf, from the begin of its tree.
    leaf: u64,
    /// The block that was written last, from the begin of the region, and whether it is to be written again.
    written: u64,
    again: bool,
}

impl Walker {
    /// A stream that begins anywhere in its tree.
    pub fn new(leaves: &Leaves, random: &mut RandomStream) -> Walker {
        let size = (1 << leaves.height).min(leaves.count());
        let tree = match leaves.style {
            // In blocks, rounded down to a leaf.
            WalkStyle::Classic | WalkStyle::Fixed => random.below(LEAF * (leaves.count() - size) + 1) / LEAF,
            WalkStyle::V2 => 0,
        };
        Walker { tree, leaf: random.below(size * LEAF) / LEAF, written: 0, again: false }
    }

    /// The next block, from the begin of the region.
    pub fn next_block(&mut self, leaves: &mut Leaves, write: bool, random: &mut RandomStream) -> u64 {
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
        let block = if random.chance(ANYWHERE) { random.below(LEAF) } else { leaves.written(counted) };
        self.written = first + block;
        self.again = random.chance(REPEAT);
        self.written
    }

    /// The leaf of the next request.
    fn step(&self, leaves: &Leaves, write: bool, random: &mut RandomStream) -> u64 {
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
            // Anywhere in the group of so many leaves that it is in.
            leaf = (leaf >> height << height) + random.below(1 << height);
            if write {
                leaf -= leaf % WRITE_LEAVES;
            }
            if leaf < leaves.count() {
                return leaf;
            }
        }
        random.below(leaves.count())
    }
}

/// A single stream that walks in a region of its own.
#[derive(Clone, Debug)]
pub struct Walk {
    region: u64,
    leaves: Leaves,
    walker: Walker,
}

impl Walk {
    /// In a region of so many bytes.
    pub fn new(parameters: &WalkParameters, region: u64, random: &mut RandomStream) -> Walk {
        let leaves = Leaves::new(parameters.style, region);
        let walker = Walker::new(&leaves, random);
        Walk { region, leaves, walker }
    }

    /// The next offset.
    pub fn next(&mut self, bytes: u64, write: bool, random: &mut RandomStream) -> u64 {
        let offset = self.walker.next_block(&mut self.leaves, write, random) * BLOCK;
        offset.min(last(self.region, bytes))
    }
}

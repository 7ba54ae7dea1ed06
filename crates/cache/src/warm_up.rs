//! The test whether a hit ratio has settled, which ends the warm-up of a cache.
//!
//! The accesses are divided into windows, each as long as the cache has blocks, and at least [`HitRatioSettling::SHORTEST`]. The ratio has
//! settled at the end of a window if the hit ratios of the last three windows differ by no more than the tolerance, and the cache is full
//! or misses no more often than the tolerance: the hit ratio of a cache that still fills keeps rising, however slowly.

/// The test whether the hit ratio of a cache has settled, which ends its warm-up.
#[derive(Clone, Debug)]
pub struct HitRatioSettling {
    window: u64,
    tolerance: f64,
    /// The counts of the present window.
    accesses: u64,
    hits: u64,
    /// The hit ratios of the last windows, with the latest last.
    ratios: Vec<f64>,
}

/// The number of windows that are compared.
const WINDOWS: usize = 3;

impl HitRatioSettling {
    /// The fewest accesses of a window: chance alone then changes a ratio by less than 0.003 in two of three windows.
    pub const SHORTEST: u64 = 30_000;

    /// The default tolerance of hit ratios: more than three standard errors of the shortest window.
    pub const TOLERANCE: f64 = 0.01;

    /// The settling of a cache of this many blocks.
    pub fn new(capacity_blocks: u32, tolerance: f64) -> Self {
        let window = u64::from(capacity_blocks).max(Self::SHORTEST);
        Self { window, tolerance, accesses: 0, hits: 0, ratios: Vec::with_capacity(WINDOWS + 1) }
    }

    /// Counts one more access. Returns whether the ratio has settled with this access.
    pub fn count_access(&mut self, hit: bool, is_full: bool) -> bool {
        self.accesses += 1;
        self.hits += u64::from(hit);
        if self.accesses < self.window {
            return false;
        }
        self.ratios.push(self.hits as f64 / self.accesses as f64);
        (self.accesses, self.hits) = (0, 0);
        if self.ratios.len() > WINDOWS {
            self.ratios.remove(0);
        }
        self.has_settled(is_full)
    }

    fn has_settled(&self, is_full: bool) -> bool {
        let least = self.ratios.iter().copied().fold(1.0, f64::min);
        let most = self.ratios.iter().copied().fold(0.0, f64::max);
        let filled = is_full || self.hit_ratio().is_some_and(|ratio| 1.0 - ratio <= self.tolerance);
        self.ratios.len() == WINDOWS && most - least <= self.tolerance && filled
    }

    /// Hits over accesses in the last whole window.
    pub fn hit_ratio(&self) -> Option<f64> {
        self.ratios.last().copied()
    }
}

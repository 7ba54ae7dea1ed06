//! Counts of cached circuits, for tests and statistics.

/// Counts of cached circuits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CircuitCounts {
    /// Circuits that ran from the cache.
    pub begun: u64,
    /// Circuits that ran from the cache to their end.
    pub ended: u64,
    /// The number of cached circuits during which other ports waited for the loop.
    pub beside: u64,
    /// Outcomes that were learned.
    pub learned: u64,
}

#[cfg(debug_assertions)]
impl CircuitCounts {
    /// Whether the end of the next cached circuit is compared with the rules: the first 64 circuits are, and
    /// after them one in 16.
    pub(super) fn is_compared(&self) -> bool {
        const FIRST: u64 = 64;
        const ONE_IN: u64 = 16;
        self.ended < FIRST || self.ended.is_multiple_of(ONE_IN)
    }
}

impl std::ops::Add for CircuitCounts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            begun: self.begun + other.begun,
            ended: self.ended + other.ended,
            beside: self.beside + other.beside,
            learned: self.learned + other.learned,
        }
    }
}

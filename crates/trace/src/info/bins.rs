//! Bins over time whose width doubles as the trace grows, so that their number stays bounded.

use std::ops::AddAssign;

/// Bins of equal width from the beginning of the trace.
#[derive(Clone, Debug)]
pub(super) struct Bins<T> {
    width_ns: u64,
    most: usize,
    bins: Vec<T>,
}

impl<T: Clone + Default + AddAssign> Bins<T> {
    /// Bins whose number is at most `most` (an even number), of `width_ns` as long as that is enough.
    pub(super) fn new(width_ns: u64, most: usize) -> Bins<T> {
        Bins { width_ns, most, bins: Vec::new() }
    }

    /// Adds to the bin of an instant.
    #[inline]
    pub(super) fn add(&mut self, at_ns: u64, value: T) {
        while at_ns / self.width_ns >= self.most as u64 {
            self.double();
        }
        let place = (at_ns / self.width_ns) as usize;
        if place >= self.bins.len() {
            self.bins.resize(place + 1, T::default());
        }
        self.bins[place] += value;
    }

    fn double(&mut self) {
        self.bins = joined(&self.bins);
        self.width_ns = self.width_ns.saturating_mul(2);
    }

    /// The present width of the bins.
    pub(super) fn width_ns(&self) -> u64 {
        self.width_ns
    }

    /// All bins, up to that of the latest instant.
    pub(super) fn all(&self) -> &[T] {
        &self.bins
    }
}

/// Bins of twice the width.
pub(super) fn joined<T: Clone + AddAssign>(bins: &[T]) -> Vec<T> {
    bins.chunks(2)
        .map(|pair| {
            let mut sum = pair[0].clone();
            pair[1..].iter().for_each(|other| sum += other.clone());
            sum
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_double_their_width_and_lose_nothing() {
        let mut bins: Bins<u64> = Bins::new(10, 4);
        for at in [0, 9, 10, 39] {
            bins.add(at, 1);
        }
        assert_eq!((bins.width_ns(), bins.all()), (10, [2, 1, 0, 1].as_slice()));
        bins.add(40, 1);
        assert_eq!((bins.width_ns(), bins.all()), (20, [3, 1, 1].as_slice()));
        bins.add(u64::MAX, 1);
        assert_eq!(bins.all().iter().sum::<u64>(), 6);
        assert!(bins.all().len() <= 4);
    }
}

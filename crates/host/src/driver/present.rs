//! The number of requests present, and the total time of all of them.

use sansim_kernel::{Time, Total};

/// Requests that come and go. As time-weighted as [`sansim_kernel::TimeWeighted`], for an addition whenever one does: the time of
/// all is the sum of the instants at which they went less that of those at which they came.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Present {
    count: u64,
    /// Instants of going less instants of coming, wrapping: with those still here counted as going now it is not negative.
    stayed: u128,
}

impl Present {
    /// Adds a request.
    #[inline]
    pub fn comes(&mut self, now: Time) {
        self.count += 1;
        self.stayed = self.stayed.wrapping_sub(u128::from(now.0));
    }

    /// Removes this many requests.
    #[inline]
    pub fn go(&mut self, now: Time, count: u64) {
        self.count -= count;
        self.stayed = self.stayed.wrapping_add(u128::from(now.0) * u128::from(count));
    }

    /// The number of requests present.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The time that all have been here, up to now.
    pub fn total(&self, now: Time) -> Total {
        Total(self.stayed.wrapping_add(u128::from(now.0) * u128::from(self.count)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_kernel::TimeWeighted;

    #[test]
    fn it_says_what_a_time_weighted_value_says() {
        let (mut present, mut weighted) = (Present::default(), TimeWeighted::new());
        for (at, comes, goes) in [(3, 2, 0), (7, 1, 0), (7, 0, 1), (40, 3, 0), (41, 0, 5), (90, 1, 0)] {
            (0..comes).for_each(|_| present.comes(Time(at)));
            present.go(Time(at), goes);
            weighted.set(Time(at), present.count());
            assert_eq!(present.total(Time(at + 2)), weighted.total(Time(at + 2)), "at {at}");
        }
        assert_eq!(present.count(), 1);
    }
}

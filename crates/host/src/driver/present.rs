//! The number of requests present in the driver, and the total time of all of them.

use sansim_kernel::{Time, Total};

/// A count of requests that come and go. The total is time-weighted as in [`sansim_kernel::TimeWeighted`], with one addition per change:
/// the time of all requests is the sum of the instants at which they left minus the sum of the instants at which they came.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Present {
    count: u64,
    /// The sum of leaving instants minus the sum of coming instants, wrapping: it is not negative once the requests still present are
    /// counted as leaving now.
    stayed: u128,
}

impl Present {
    /// Adds a request.
    #[inline]
    pub fn add_request(&mut self, now: Time) {
        self.count += 1;
        self.stayed = self.stayed.wrapping_sub(u128::from(now.0));
    }

    /// Removes this many requests.
    #[inline]
    pub fn remove_requests(&mut self, now: Time, count: u64) {
        self.count -= count;
        self.stayed = self.stayed.wrapping_add(u128::from(now.0) * u128::from(count));
    }

    /// The number of requests present.
    pub fn present_request_count(&self) -> u64 {
        self.count
    }

    /// The total time for which requests have been present, up to now.
    pub fn total_presence_time(&self, now: Time) -> Total {
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
            (0..comes).for_each(|_| present.add_request(Time(at)));
            present.remove_requests(Time(at), goes);
            weighted.set(Time(at), present.present_request_count());
            assert_eq!(present.total_presence_time(Time(at + 2)), weighted.total(Time(at + 2)), "at {at}");
        }
        assert_eq!(present.present_request_count(), 1);
    }
}

//! The queue depth of a device after it answered QUEUE FULL.
//!
//! Source: the SCSI layer of Linux (`drivers/scsi/scsi_error.c`): on QUEUE FULL the depth of the device falls to the number of requests
//! that it has just then, and rises by one whenever `queue_ramp_up_period` (120 s) has passed without another QUEUE FULL, which is checked
//! when a command is done. Linux waits until a device has reported QUEUE FULL more than ten times at one depth; this model reacts the first
//! time.

use sansim_kernel::{Span, Time};

/// The queue depth of a device after it answered QUEUE FULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Throttle {
    /// The most requests that the device may ever have.
    most: u64,
    /// The most requests that the device may have now.
    limit: u64,
    /// The time of the last change of the depth.
    since: Time,
}

impl Throttle {
    /// A device that has not answered QUEUE FULL yet.
    pub fn new(most: u64) -> Self {
        Self { most, limit: most, since: Time::ZERO }
    }

    /// Whether a device with this many requests may have one more.
    pub fn may_have_one_more(&self, outstanding: u64) -> bool {
        outstanding < self.limit
    }

    /// Handles QUEUE FULL of the device, which has this many requests.
    pub fn queue_full_reported(&mut self, now: Time, outstanding: u64) {
        self.limit = outstanding.clamp(1, self.limit);
        self.since = now;
    }

    /// Handles a request that the device has served.
    pub fn request_served(&mut self, now: Time, ramp_up_time: Span) {
        if self.limit < self.most && now.saturating_since(self.since) >= ramp_up_time {
            self.limit += 1;
            self.since = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_falls_to_what_is_outstanding_and_rises_by_one_after_each_quiet_time() {
        let mut throttle = Throttle::new(8);
        let limit = |throttle: &Throttle| (0..20).take_while(|&n| throttle.may_have_one_more(n)).count();
        assert_eq!(limit(&throttle), 8);
        throttle.queue_full_reported(Time(100), 3);
        assert_eq!(limit(&throttle), 3);
        throttle.queue_full_reported(Time(110), 5);
        assert_eq!(limit(&throttle), 3, "it does not rise by being full");
        throttle.queue_full_reported(Time(120), 0);
        assert_eq!(limit(&throttle), 1, "one may always go");
        for (now, most) in [(129, 1), (130, 2), (135, 2), (140, 3), (1000, 4), (1001, 4)] {
            throttle.request_served(Time(now), Span(10));
            assert_eq!(limit(&throttle), most, "at {now}");
        }
    }
}

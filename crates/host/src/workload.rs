//! A closed workload: a fixed number of requests is always in the system.
//!
//! Source: Wang 2005, section 5.2 and figure 5.4. When a request completes, the slot it held thinks for a while and issues
//! the next.

use sansim_kernel::{RandomStream, Span, Time};

/// Parameters of a closed workload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosedWorkload {
    /// Bytes per request.
    pub bytes: u64,
    /// Fraction of the requests that are reads, 0 to 1.
    pub read_fraction: f64,
    /// Time between the completion of a request and the next one of the slot.
    pub think_time: Span,
    /// Number of slots.
    pub slots: u32,
    /// Number of drives addressed.
    pub drives: u32,
    /// Slot `s` stays with drive `s mod drives`; otherwise each request goes to a drive drawn at random.
    pub slot_per_drive: bool,
}

/// A request as issued by a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The slot that waits for it.
    pub slot: u32,
    /// Which of the workload's drives.
    pub drive: u32,
    /// Write or read.
    pub write: bool,
    /// Bytes.
    pub bytes: u64,
}

/// A closed workload with its random streams.
#[derive(Clone, Debug)]
pub struct Workload {
    config: ClosedWorkload,
    direction: RandomStream,
    choice: RandomStream,
}

impl Workload {
    /// The streams are drawn from `seed` and the workload's own name.
    pub fn new(config: ClosedWorkload, seed: u64, name: &str) -> Self {
        Self {
            config,
            direction: RandomStream::new(seed, &format!("{name}/direction")),
            choice: RandomStream::new(seed, &format!("{name}/drive")),
        }
    }

    /// The parameters.
    pub fn config(&self) -> &ClosedWorkload {
        &self.config
    }

    /// The next request of a slot.
    pub fn next(&mut self, slot: u32) -> Request {
        let config = &self.config;
        let drive = if config.slot_per_drive {
            slot % config.drives
        } else {
            self.choice.below(u64::from(config.drives)) as u32
        };
        let write = !self.direction.chance(config.read_fraction);
        Request { slot, drive, write, bytes: config.bytes }
    }

    /// When a slot issues its next request after a completion.
    pub fn next_issue(&self, completed: Time) -> Time {
        completed + self.config.think_time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workload(read_fraction: f64, slot_per_drive: bool) -> Workload {
        let config = ClosedWorkload {
            bytes: 4096,
            read_fraction,
            think_time: Span::from_us(3),
            slots: 8,
            drives: 4,
            slot_per_drive,
        };
        Workload::new(config, 1, "workload")
    }

    #[test]
    fn slots_stay_with_their_drive() {
        let mut workload = workload(1.0, true);
        for slot in 0..8 {
            let request = workload.next(slot);
            assert_eq!((request.drive, request.write), (slot % 4, false));
        }
    }

    #[test]
    fn the_read_fraction_is_kept() {
        let mut workload = workload(0.66, false);
        let writes = (0..100_000).filter(|_| workload.next(0).write).count();
        assert!((33_300..34_700).contains(&writes), "{writes} of 100000");
    }

    #[test]
    fn think_time_passes_between_requests() {
        assert_eq!(workload(1.0, true).next_issue(Time::ZERO), Time::ZERO + Span::from_us(3));
    }
}

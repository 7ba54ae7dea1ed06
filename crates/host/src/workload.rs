//! A closed workload: a fixed number of requests is always in the system.
//!
//! Source: Wang 2005, section 5.2 and figure 5.4. When a request completes, the slot it held thinks for a while and issues
//! the next.

use sansim_kernel::{RandomStream, Span, Time};

/// Where on a drive the requests go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Pattern {
    /// To a place drawn at random, a multiple of the size of a request.
    #[default]
    Random,
    /// To the place behind the one before on the same drive, and to the beginning when the drive ends.
    Sequential,
}

/// Parameters of a closed workload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosedWorkload {
    /// Bytes per request.
    pub bytes: u64,
    /// Logical blocks of a drive that a request covers.
    pub blocks: u64,
    /// Fraction of the requests that are reads, 0 to 1.
    pub read_fraction: f64,
    /// Time between the completion of a request and the next one of the slot.
    pub think_time: Span,
    /// Number of slots.
    pub slots: u32,
    /// Number of drives addressed.
    pub drives: u32,
    /// Where on a drive the requests go.
    pub pattern: Pattern,
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
    /// First logical block on the drive.
    pub lba: u64,
}

/// A closed workload with its random streams.
#[derive(Clone, Debug)]
pub struct Workload {
    config: ClosedWorkload,
    direction: RandomStream,
    choice: RandomStream,
    address: RandomStream,
    /// For each drive: requests that fit, and the place of the next sequential one.
    places: Vec<(u64, u64)>,
}

impl Workload {
    /// The streams are drawn from `seed` and the workload's own name. `capacity_blocks` is what each drive
    /// holds.
    pub fn new(config: ClosedWorkload, capacity_blocks: &[u64], seed: u64, name: &str) -> Self {
        Self {
            config,
            direction: RandomStream::new(seed, &format!("{name}/direction")),
            choice: RandomStream::new(seed, &format!("{name}/drive")),
            address: RandomStream::new(seed, &format!("{name}/address")),
            places: capacity_blocks.iter().map(|blocks| ((blocks / config.blocks).max(1), 0)).collect(),
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
        let (count, next) = &mut self.places[drive as usize];
        let place = match config.pattern {
            Pattern::Random => self.address.below(*count),
            Pattern::Sequential => std::mem::replace(next, (*next + 1) % *count),
        };
        let lba = place * config.blocks;
        Request { slot, drive, write, bytes: config.bytes, lba }
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
            blocks: 8,
            read_fraction,
            think_time: Span::from_us(3),
            slots: 8,
            pattern: Pattern::Sequential,
            drives: 4,
            slot_per_drive,
        };
        Workload::new(config, &[3 * 8; 4], 1, "workload")
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
    fn sequential_requests_follow_one_another_on_their_drive_and_begin_again_at_its_end() {
        let mut workload = workload(1.0, true);
        let blocks: Vec<u64> =
            (0..16).map(|slot| workload.next(slot % 8)).filter(|r| r.drive == 1).map(|r| r.lba).collect();
        assert_eq!(blocks, [0, 8, 16, 0]);
    }

    #[test]
    fn random_requests_stay_on_the_drive_and_begin_at_multiples_of_their_size() {
        let config = ClosedWorkload { pattern: Pattern::Random, ..*workload(1.0, true).config() };
        let mut workload = Workload::new(config, &[2048; 4], 1, "workload");
        for _ in 0..1000 {
            let lba = workload.next(0).lba;
            assert!(lba.is_multiple_of(8) && lba + 8 <= 2048, "{lba}");
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

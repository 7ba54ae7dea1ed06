//! A closed workload: a fixed number of requests is always in the system.
//!
//! Source: Wang 2005, section 5.2 and figure 5.4. When a request completes, the slot it held thinks for a while and issues
//! the next.
//!
//! A workload may run in passes, as xdd does (Ruwart 1999): each drive gets a fixed number of requests, whoever is done
//! waits for the others, then all begin anew.

use sansim_kernel::{RandomStream, Span, Time};

mod parameters;

pub use parameters::{Pattern, QueueDepthPer, WorkloadParameters};

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
    parameters: WorkloadParameters,
    /// Number of drives addressed.
    drives: u32,
    /// Number of slots. With a queue depth for each drive, slot `s` stays with drive `s mod drives`; otherwise each request goes to
    /// a drive drawn at random.
    slots: u32,
    /// Logical blocks of a drive that a request covers.
    blocks: u64,
    direction: RandomStream,
    choice: RandomStream,
    address: RandomStream,
    /// For each drive: requests that fit, and the place of the next sequential one.
    places: Vec<(u64, u64)>,
    passes: Passes,
}

/// How far the present pass is, and what the complete ones took.
#[derive(Clone, Debug, Default)]
pub struct Passes {
    began: Time,
    /// Requests issued and done in this pass, by drive.
    issued: Vec<u64>,
    done: Vec<u64>,
    /// Drives that have had all their requests of this pass.
    finished: u32,
    /// When each of them had, since the beginning of this pass.
    at: Vec<Span>,
    /// Complete passes.
    pub complete: u64,
    /// The time they took together.
    pub length: Span,
    /// By drive: the sum over complete passes of the time from their beginning to the drive's last completion.
    pub finished_after: Vec<Span>,
}

impl Workload {
    /// The streams are drawn from `seed` and the workload's own name. `capacity_blocks` is what each drive
    /// holds, in blocks of `block_bytes`.
    pub fn new(
        parameters: &WorkloadParameters,
        capacity_blocks: &[u64],
        block_bytes: u64,
        seed: u64,
        name: &str,
    ) -> Self {
        let drives = capacity_blocks.len();
        let passes = Passes {
            issued: vec![0; drives],
            done: vec![0; drives],
            at: vec![Span::ZERO; drives],
            finished_after: vec![Span::ZERO; drives],
            ..Passes::default()
        };
        let blocks = parameters.size.div_ceil(block_bytes);
        Self {
            passes,
            drives: drives as u32,
            slots: parameters.slots(drives as u64) as u32,
            blocks,
            direction: RandomStream::new(seed, &format!("{name}/direction")),
            choice: RandomStream::new(seed, &format!("{name}/drive")),
            address: RandomStream::new(seed, &format!("{name}/address")),
            places: capacity_blocks.iter().map(|capacity| ((capacity / blocks).max(1), 0)).collect(),
            parameters: parameters.clone(),
        }
    }

    /// The parameters.
    pub fn parameters(&self) -> &WorkloadParameters {
        &self.parameters
    }

    /// Number of slots, each of which has a request in the system or thinks.
    pub fn slots(&self) -> u32 {
        self.slots
    }

    /// The next request of a slot.
    pub fn next(&mut self, slot: u32) -> Request {
        let parameters = &self.parameters;
        let drive = match parameters.queue_depth_per {
            QueueDepthPer::Drive => slot % self.drives,
            QueueDepthPer::All => self.choice.below(u64::from(self.drives)) as u32,
        };
        let write = !self.direction.chance(parameters.read_fraction);
        let (count, next) = &mut self.places[drive as usize];
        let place = match parameters.pattern {
            Pattern::Random => self.address.below(*count),
            Pattern::Sequential => std::mem::replace(next, (*next + 1) % *count),
        };
        let lba = place * self.blocks;
        Request { slot, drive, write, bytes: parameters.size, lba }
    }

    /// Whether a slot has one more request to issue in the present pass; it then counts as issued.
    pub fn claim(&mut self, slot: u32) -> bool {
        let Some(limit) = self.parameters.ios_per_pass else { return true };
        let issued = &mut self.passes.issued[(slot % self.drives) as usize];
        let more = *issued < limit;
        *issued += u64::from(more);
        more
    }

    /// A request of a slot is complete. Returns whether that was the last of a pass: then every slot may claim again.
    pub fn completed(&mut self, now: Time, slot: u32) -> bool {
        let Some(limit) = self.parameters.ios_per_pass else { return false };
        let drive = (slot % self.drives) as usize;
        let passes = &mut self.passes;
        passes.done[drive] += 1;
        if passes.done[drive] < limit {
            return false;
        }
        passes.at[drive] = now - passes.began;
        passes.finished += 1;
        if passes.finished < self.drives {
            return false;
        }
        passes.complete += 1;
        passes.length += now - passes.began;
        for (sum, at) in passes.finished_after.iter_mut().zip(&passes.at) {
            *sum += *at;
        }
        passes.began = now;
        passes.finished = 0;
        passes.issued.fill(0);
        passes.done.fill(0);
        true
    }

    /// What the complete passes took.
    pub fn passes(&self) -> &Passes {
        &self.passes
    }

    /// When a slot issues its next request after a completion.
    pub fn next_issue(&self, completed: Time) -> Time {
        completed + self.parameters.think_time
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_describe::context::Context;
    use sansim_describe::table::Tabular;

    /// Keys of a workload of 4 KiB that goes on where it was.
    fn keys(more: &str) -> WorkloadParameters {
        let keys = format!(
            "from = \"host\"\nto = \"drives\"\nsize = \"4 KiB\"\npattern = \"sequential\"\nthink_time = \"3 us\"\n{more}"
        );
        WorkloadParameters::from_toml(&keys, &Context::default()).expect("keys of a workload")
    }

    /// At so many drives that hold so many blocks of 512 bytes each.
    fn at(drives: usize, blocks: u64, more: &str) -> Workload {
        Workload::new(&keys(more), &vec![blocks; drives], 512, 1, "workload")
    }

    /// Eight slots at four drives that hold three requests each.
    fn workload(read_fraction: f64, slot_per_drive: bool) -> Workload {
        let depth =
            if slot_per_drive { "queue_depth = 2" } else { "queue_depth = 8\nqueue_depth_per = \"all\"" };
        at(4, 3 * 8, &format!("read_fraction = {read_fraction:?}\n{depth}"))
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
        let parameters = WorkloadParameters { pattern: Pattern::Random, ..keys("queue_depth = 2") };
        let mut workload = Workload::new(&parameters, &[2048; 4], 512, 1, "workload");
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
    fn a_pass_ends_when_every_drive_has_had_its_requests() {
        let mut workload = at(2, 3 * 8, "ios_per_pass = 2");
        let us = |us| Time::ZERO + Span::from_us(us);
        assert!(workload.claim(0) && workload.claim(1));
        assert!(!workload.completed(us(10), 0));
        assert!(workload.claim(0));
        assert!(!workload.completed(us(20), 0));
        assert!(!workload.claim(0), "it waits for the other drive");
        assert!(!workload.completed(us(25), 1));
        assert!(workload.claim(1));
        assert!(workload.completed(us(50), 1));
        assert!(workload.claim(0) && workload.claim(1), "the next pass");
        let passes = workload.passes();
        assert_eq!((passes.complete, passes.length), (1, Span::from_us(50)));
        assert_eq!(passes.finished_after, [Span::from_us(20), Span::from_us(50)]);
    }

    #[test]
    fn more_slots_than_requests_of_a_pass_leave_some_idle() {
        let mut workload = at(4, 3 * 8, "ios_per_pass = 1\nqueue_depth = 2");
        let claimed: Vec<bool> = (0..8).map(|slot| workload.claim(slot)).collect();
        assert_eq!(claimed, [true, true, true, true, false, false, false, false]);
    }

    #[test]
    fn think_time_passes_between_requests() {
        assert_eq!(workload(1.0, true).next_issue(Time::ZERO), Time::ZERO + Span::from_us(3));
    }
}

//! A closed workload: a fixed number of requests is always in the system.
//!
//! Source: Wang 2005, section 5.2 and figure 5.4. When a request completes, its slot waits for the think time and then issues the next
//! request.
//!
//! A workload may run in passes, as xdd does (Ruwart 1999): each drive gets a fixed number of requests; a drive that has finished waits for
//! the others, then all drives begin anew.

use crate::aims::TargetDevices;
use crate::flush_pace::FlushPace;
use sansim_component::{
    BuildContext, Component, Context, DeviceAccess, EventTurn, KeysAround, Message, SourceRole, Timer,
};
use sansim_kernel::{RandomStream, Span, Time};
use sansim_request::{BLOCK_BYTES, CacheControl, DataId, Operation, Request, RequestOrigin};
use sansim_schema::catalogue::Catalogue;

mod kind;
mod parameters;

pub use parameters::{Pattern, QueueDepthPer, WorkloadParameters};

/// The next request of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Next {
    /// The device, by its number among those of the workload.
    drive: u32,
    operation: Operation,
    cache_control: CacheControl,
    /// First logical block on the drive.
    lba: u64,
}

/// So many flushes and deallocations in turn are left out of a warm-up.
const MOST_SKIPPED: u64 = 1_000_000;

/// The port by which the workload sends requests to its host.
const HOST: u16 = 0;

/// A closed workload with its random streams.
#[derive(Clone, Debug)]
pub struct Workload {
    parameters: WorkloadParameters,
    aims: TargetDevices,
    /// The number of drives addressed.
    drives: u32,
    /// Number of slots. With a queue depth for each drive, slot `s` stays with drive `s mod drives`; otherwise each request goes to
    /// a drive drawn at random.
    slots: u32,
    /// For each slot that there has been whether it issues requests; all do whose numbers are below `slots`.
    alive: Vec<bool>,
    /// The logical blocks of a drive that a request covers.
    blocks: u64,
    direction: RandomStream,
    deallocation: RandomStream,
    force_unit_access: RandomStream,
    flushes: FlushPace,
    choice: RandomStream,
    address: RandomStream,
    /// For each drive: the number of requests that fit, and the place of the next sequential request.
    places: Vec<(u64, u64)>,
    passes: PassProgress,
    /// The slot that makes the next access before the run begins.
    warms: u32,
}

/// The progress of the present pass, and the times of the complete ones.
#[derive(Clone, Debug, Default)]
pub struct PassProgress {
    began: Time,
    /// The number of requests issued and done in this pass, for each drive.
    issued: Vec<u64>,
    done: Vec<u64>,
    /// The number of drives that have had all their requests of this pass.
    finished: u32,
    /// The time at which each drive had finished, since the beginning of this pass.
    at: Vec<Span>,
    /// The number of complete passes.
    pub complete: u64,
    /// The sum of the durations of the complete passes.
    pub length: Span,
    /// For each drive the sum over complete passes of the time from the beginning to the drive's last completion.
    pub finished_after: Vec<Span>,
}

impl Workload {
    /// The random streams are drawn from `seed` and the workload's own name.
    pub fn new(parameters: &WorkloadParameters, aims: TargetDevices, seed: u64, name: &str) -> Self {
        let drives = aims.devices.len();
        let passes = PassProgress {
            issued: vec![0; drives],
            done: vec![0; drives],
            at: vec![Span::ZERO; drives],
            finished_after: vec![Span::ZERO; drives],
            ..PassProgress::default()
        };
        let blocks = parameters.size.div_ceil(BLOCK_BYTES);
        let slots = parameters.outstanding_io_count(drives as u64) as u32;
        Self {
            passes,
            alive: vec![true; slots as usize],
            warms: 0,
            drives: drives as u32,
            slots,
            blocks,
            direction: RandomStream::new(seed, &format!("{name}/direction")),
            deallocation: RandomStream::new(seed, &format!("{name}/deallocation")),
            force_unit_access: RandomStream::new(seed, &format!("{name}/force_unit_access")),
            flushes: FlushPace::new(parameters.flush_every, drives),
            choice: RandomStream::new(seed, &format!("{name}/drive")),
            address: RandomStream::new(seed, &format!("{name}/address")),
            places: aims.capacity_blocks.iter().map(|capacity| ((capacity / blocks).max(1), 0)).collect(),
            parameters: parameters.clone(),
            aims,
        }
    }

    /// The parameters of the workload.
    pub fn parameters(&self) -> &WorkloadParameters {
        &self.parameters
    }

    /// The devices to which the workload goes.
    pub fn aims(&self) -> &TargetDevices {
        &self.aims
    }

    /// Number of slots, each of which has a request in the system or thinks.
    pub fn slot_count(&self) -> u32 {
        self.slots
    }

    /// The next request of a slot: a flush that is due, or an I/O.
    fn next_with_flushes(&mut self, slot: u32) -> Next {
        let stays = self.parameters.queue_depth_per == QueueDepthPer::Drive;
        match self.flushes.next_due_device(stays.then_some(slot % self.drives)) {
            Some(drive) => {
                Next { drive, operation: Operation::Flush, cache_control: CacheControl::NONE, lba: 0 }
            }
            None => self.next(slot),
        }
    }

    /// The next I/O of a slot.
    fn next(&mut self, slot: u32) -> Next {
        let parameters = &self.parameters;
        let drive = match parameters.queue_depth_per {
            QueueDepthPer::Drive => slot % self.drives,
            QueueDepthPer::All => self.choice.draw_below(u64::from(self.drives)) as u32,
        };
        let write = !self.direction.chance(parameters.read_fraction);
        let fraction = parameters.deallocate_fraction;
        let operation = match write {
            false => Operation::Read,
            // Without deallocations no random number is drawn for them.
            true if fraction > 0.0 && self.deallocation.chance(fraction) => Operation::Deallocate,
            true => Operation::Write,
        };
        let (count, next) = &mut self.places[drive as usize];
        let place = match parameters.pattern {
            Pattern::Random => self.address.draw_below(*count),
            Pattern::Sequential => std::mem::replace(next, (*next + 1) % *count),
        };
        let lba = place * self.blocks;
        let mut cache_control = CacheControl::NONE;
        if operation == Operation::Write {
            self.flushes.write_issued(drive);
            // Without forced unit access no random number is drawn for it.
            let fraction = self.parameters.fua_fraction;
            cache_control.force_unit_access = fraction > 0.0 && self.force_unit_access.chance(fraction);
        }
        Next { drive, operation, cache_control, lba }
    }

    /// Whether a slot has one more request to issue in the present pass; if so, the request counts as issued.
    fn claim(&mut self, slot: u32) -> bool {
        let Some(limit) = self.parameters.ios_per_pass else { return true };
        let issued = &mut self.passes.issued[(slot % self.drives) as usize];
        let more = *issued < limit;
        *issued += u64::from(more);
        more
    }

    /// A request of a slot is complete. Returns whether the request was the last of a pass: then every slot may claim again.
    fn completed(&mut self, now: Time, slot: u32) -> bool {
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

    /// The times of the complete passes.
    pub fn passes(&self) -> &PassProgress {
        &self.passes
    }

    /// The time at which a slot issues its next request after a completion.
    fn next_issue(&self, completed: Time) -> Time {
        completed + self.parameters.think_time
    }
}

impl Workload {
    /// A slot issues its next request, if there is to be another.
    fn issue(&mut self, cx: &mut Context<'_>, slot: u32) {
        let Some(number) = cx.source().next_request_number() else { return };
        let Next { drive, operation, cache_control, lba } = self.next_with_flushes(slot);
        let request = Request {
            number,
            parent: None,
            origin: RequestOrigin {
                workload: self.aims.workload,
                stream: 0,
                slot,
                background: false,
                priority: self.parameters.priority,
            },
            operation,
            device: self.aims.devices[drive as usize],
            lba,
            bytes: if operation == Operation::Flush { 0 } else { self.parameters.size },
            cache_control,
            data: DataId(number),
        };
        cx.ask(HOST, request);
    }

    /// Whether a slot issues no more requests, because the queue depth has become smaller.
    #[inline]
    fn retires(&mut self, slot: u32) -> bool {
        let retires = slot >= self.slots;
        if retires {
            self.alive[slot as usize] = false;
        }
        retires
    }

    /// The number of slots is that of the queue depth from now on: slots that are missing begin now, and slots that are too many end with
    /// the requests that they have.
    fn slots_change(&mut self, cx: &mut Context<'_>) {
        self.slots = self.parameters.outstanding_io_count(u64::from(self.drives)) as u32;
        let count = self.alive.len().max(self.slots as usize);
        self.alive.resize(count, false);
        for slot in 0..self.slots {
            if !std::mem::replace(&mut self.alive[slot as usize], true) {
                self.issue_at(cx, cx.now, slot);
            }
        }
    }

    /// A slot with one more request in this pass issues the request at this time.
    fn issue_at(&mut self, cx: &mut Context<'_>, at: Time, slot: u32) {
        if self.claim(slot) {
            cx.set_timer(at, EventTurn::turn_of_node(slot), Timer::new(0, slot));
        }
    }

    /// A slot continues after its answer; after the last answer of a pass every slot does.
    fn go_on(&mut self, cx: &mut Context<'_>, slot: u32) {
        let next = self.next_issue(cx.now);
        let slots = if self.completed(cx.now, slot) {
            (0..).zip(&mut self.alive).for_each(|(slot, alive)| *alive = slot < self.slots);
            0..self.slots
        } else if self.retires(slot) {
            return;
        } else {
            slot..slot + 1
        };
        slots.for_each(|slot| self.issue_at(cx, next, slot));
    }
}

impl Component for Workload {
    type Parameters = WorkloadParameters;
    type Role = SourceRole;

    const CATALOGUE: &'static Catalogue = &Catalogue::EMPTY;

    fn build(parameters: &WorkloadParameters, cx: &BuildContext<'_, SourceRole>) -> Self {
        Self::new(parameters, TargetDevices::from_build_context(cx), cx.seed, cx.name)
    }

    /// Each slot in turn makes an access.
    fn next_access(&mut self) -> Option<DeviceAccess> {
        if self.slots == 0 {
            return None;
        }
        let slot = self.warms;
        self.warms = (slot + 1) % self.slots;
        // A warm-up has only reads and writes; a workload that seems to have neither has no warm-up.
        let mut drawn = (0..MOST_SKIPPED).map(|_| self.next_with_flushes(slot));
        let Next { drive, operation, lba, .. } =
            drawn.find(|next| matches!(next.operation, Operation::Read | Operation::Write))?;
        let write = operation == Operation::Write;
        let first = lba * BLOCK_BYTES;
        let bytes = first..first + self.parameters.size;
        Some(DeviceAccess { device: self.aims.devices[drive as usize], write, bytes })
    }

    fn start(&mut self, cx: &mut Context<'_>) {
        (0..self.slots).for_each(|slot| self.issue_at(cx, cx.now, slot));
    }

    #[inline(always)]
    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        // A request that a pass counts on is issued all the same.
        if self.parameters.ios_per_pass.is_some() || !self.retires(timer.number) {
            self.issue(cx, timer.number);
        }
    }

    /// The queue depth, the think time and the read fraction change. A think time that has begun goes on.
    fn change(&mut self, cx: &mut Context<'_>, parameters: &WorkloadParameters, _around: &KeysAround<'_>) {
        self.parameters = parameters.clone();
        self.slots_change(cx);
    }

    #[inline(always)]
    fn receive(&mut self, cx: &mut Context<'_>, _port: u16, message: Message) {
        if let Message::Done(request, status) = message {
            let returned = cx.close_request(request, status);
            self.go_on(cx, returned.request.origin.slot);
        }
    }
}

#[cfg(test)]
mod tests;

//! Jobs of an array carry out its requests. A request of a host is one job; a write under parity has up to three jobs: for the stripes that
//! it writes completely, and for its two ends.
//!
//! A job reads, then calculates, then writes. A job writes only when it has all its reads, so if a member fails during the reads nothing is
//! half written and the job is planned anew. Once a write under parity has begun, the job carries out all of its writes.

use super::locks::Wanted;
use sansim_raid::layout::MemberPiece;
use sansim_raid::{PlanStep, RecoveredUnit, RequestPlan};
use sansim_request::{Operation, RequestId, Status};
use std::ops::Range;

/// The purpose of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Task {
    /// A read of a host.
    #[default]
    Read,
    /// A write of a host, or a part of a write.
    Write,
    /// Writes the parts of an answered write for which members returned a transient error.
    Finish,
    /// Rebuilding these rows of a member, in the rebuild with this number.
    Rebuild(Range<u64>, u32),
    /// Reading and comparing these stripes.
    Scrub(Range<u64>),
    /// Calculating the checks of these stripes anew from their data, or copying all copies from one, as a scrub found that they do not
    /// agree.
    Resynchronise(Range<u64>),
}

/// The phase of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    /// The entry is unused.
    #[default]
    Free,
    /// The job waits for its stripes.
    Locks,
    /// Members read for the job.
    Reads,
    /// The checks of the job are being calculated, or wait for the calculation.
    Calculates,
    /// Members write for the job.
    Writes,
    /// The job waits for its next attempt.
    Waits,
    /// The job is done, and keeps its stripes until the rebuild has passed them.
    Held,
}

/// The failed parts of a job.
#[derive(Clone, Debug, Default)]
pub(super) struct Noted {
    /// Whether a member has failed a part.
    pub failed: bool,
    /// The pieces that could not be read.
    pub unreadable: Vec<MemberPiece>,
    /// The transient status with which a member refused a part.
    pub later: Option<Status>,
    /// The writes with a transient error, by their indices in the plan.
    pub undone: Vec<u32>,
}

impl Noted {
    /// Whether no part failed.
    pub fn has_no_failures(&self) -> bool {
        !self.failed && self.unreadable.is_empty() && self.later.is_none()
    }

    pub fn clear(&mut self) {
        self.failed = false;
        self.unreadable.clear();
        self.later = None;
        self.undone.clear();
    }
}

/// A job of the array: a request of a host, or background work.
#[derive(Clone, Debug, Default)]
pub(super) struct Job {
    pub task: Task,
    /// The request to which the job's parts belong; none for a background job of the array.
    pub request: Option<RequestId>,
    /// The byte range of the array, for a job of a host.
    pub offset: u64,
    pub bytes: u64,
    /// Whether the writes of the job are deallocations of members.
    pub deallocates: bool,
    pub phase: Phase,
    pub wanted: Wanted,
    pub locked: bool,
    pub plan: RequestPlan,
    /// The parts in flight, and those begun and not sent.
    pub parts: Vec<RequestId>,
    pub noted: Noted,
    /// Unreadable pieces that are being recovered and rewritten; then the job is planned again.
    pub mending: Vec<MemberPiece>,
    /// The number of repairs of the job.
    pub mended: u32,
    /// The number of attempts in which more units were unreadable than the level can restore.
    pub refused: u32,
    /// Whether the array failed and lost the data of the job in its memory: written data stay, and no more are written.
    pub cut_off: bool,
    /// Units that the plan of the job recovers from checks that disagree with their data.
    pub worked_out: Vec<RecoveredUnit>,
    /// The number of plans of the job, for observers: reads of an earlier plan are dropped.
    #[cfg(test)]
    pub plans: u32,
    /// Contents of the slots, now or after the rebuild.
    #[cfg(test)]
    pub units: std::collections::HashMap<sansim_raid::layout::MemberRow, sansim_raid::layout::StripeUnit>,
}

impl Job {
    /// The number of reads of members, and of writes to members, in the job's plan.
    pub fn member_access_count(&self) -> [usize; 2] {
        let count = |is: fn(&PlanStep) -> bool| {
            self.plan.plan_operations().iter().filter(|operation| is(&operation.action)).count()
        };
        [
            count(|action| matches!(action, PlanStep::Read(_))),
            count(|action| matches!(action, PlanStep::Write(_))),
        ]
    }

    /// The operation of the job's writes to members.
    pub fn write_operation(&self) -> Operation {
        if self.deallocates { Operation::Deallocate } else { Operation::Write }
    }

    /// Begins the job anew, reusing its memory.
    pub fn restart_job(&mut self, task: Task, request: Option<RequestId>, (offset, bytes): (u64, u64)) {
        (self.task, self.request, self.offset, self.bytes) = (task, request, offset, bytes);
        (self.phase, self.locked, self.mended, self.refused) = (Phase::Locks, false, 0, 0);
        self.wanted.stripes.clear();
        self.noted.clear();
        self.mending.clear();
        (self.cut_off, self.deallocates) = (false, false);
        self.worked_out.clear();
    }
}

/// The job and the operation to which a part belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartOf {
    pub job: u32,
    /// The operation of the job's plan.
    pub operation: u32,
    pub member: u32,
    /// The index of the device to which the part was sent.
    pub place: u32,
}

/// The number that, in place of a job, marks a check whether a device works again.
pub(super) const LOOK: u32 = u32::MAX;

/// The number that, in place of a job, marks a flush of a member for a flush of the array.
pub(super) const FLUSH: u32 = u32::MAX - 1;

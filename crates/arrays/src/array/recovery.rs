//! Recovery of unreadable units: they are recovered from the other members and written back, so that they can be read again; then the job
//! is planned again, and reads them.
//!
//! Source: Linux md, `drivers/md/raid5.c`: a block that cannot be read is computed, written (`R5_ReWrite`) and read again. Assumptions:
//! whole stripe units are rewritten, because an array does not know which sector of a read is bad; and the initiator gets the data only
//! after the second read.

use super::DiskArray;
use super::job::Task;
use super::members::Sight;
use super::meter;
use sansim_component::Context;
use sansim_kernel::Time;
use sansim_raid::layout::{ErasureCode, MemberRow};
use sansim_raid::{MemberState, NoPlan, RequestPlan};
use sansim_request::{Request, Status};

/// The most times that a job rewrites stripe units before it gives up, because the device does not keep them.
const MOST: u32 = 8;

/// The number of attempts after more units were unreadable than the level can restore.
const TRIALS: u32 = 2;

impl DiskArray {
    /// Repairs a job of which some data were unreadable.
    pub(super) fn mend(&mut self, cx: &mut Context<'_>, number: u32) {
        let job = &mut self.jobs[number as usize];
        let has_nothing = self.array.layout.erasure_code() == ErasureCode::None;
        let found = std::mem::take(&mut job.noted.unreadable);
        job.mending.extend_from_slice(&found);
        job.mended += 1;
        if has_nothing || job.mended > MOST {
            job.refused = TRIALS;
            self.cannot_mend(cx, number);
            return;
        }
        if job.locked && job.wanted.exclusive {
            self.begin(cx, number);
            return;
        }
        // The job gets an exclusive lock, as no other job may work on these stripes.
        if job.locked {
            let jobs = &self.jobs;
            self.locks.release_stripes(number, |other| &jobs[other as usize].wanted, &mut self.granted);
        }
        let job = &mut self.jobs[number as usize];
        (job.locked, job.wanted.exclusive) = (false, true);
        self.start(cx, number);
    }

    /// Plans to recover the last of the unreadable pieces, without reading the other unreadable pieces.
    pub(super) fn plan_mending(
        &mut self,
        now: Time,
        number: u32,
        request: Request,
        plan: &mut RequestPlan,
    ) -> Result<(), NoPlan> {
        let Self { array, members, jobs, agreement, .. } = self;
        let strip = array.layout.stripe_unit_bytes();
        let known = array.health.clone();
        let super::job::Job { mending: pieces, worked_out, .. } = &mut jobs[number as usize];
        for piece in pieces.iter() {
            let first = piece.offset / strip;
            let state = match array.health.member_state(piece.member) {
                MemberState::Working | MemberState::Returning { .. } => {
                    MemberState::Rebuilding { rows: first }
                }
                MemberState::Rebuilding { rows } => MemberState::Rebuilding { rows: rows.min(first) },
                // The member has failed meanwhile, and holds nothing.
                gone => gone,
            };
            array.health.set_member_state(piece.member, state);
        }
        let planned = pieces.last().map_or(Ok(()), |piece| {
            let rows = piece.offset / strip..(piece.offset + piece.bytes).div_ceil(strip);
            array.plan_rebuild(piece.member, rows, &mut Sight { members, now, request, lost: None }, plan)
        });
        agreement.recovered_units(array, plan, worked_out);
        array.health = known;
        planned
    }

    /// Continues a job whose unreadable stripe units have all been rewritten.
    pub(super) fn is_mended(&mut self, cx: &mut Context<'_>, number: u32) {
        self.count(meter::REPAIRED, 1);
        self.agrees_with(number);
        self.jobs[number as usize].mending.pop();
        self.begin(cx, number);
    }

    /// The unreadable data are lost.
    pub(super) fn cannot_mend(&mut self, cx: &mut Context<'_>, number: u32) {
        let job = &mut self.jobs[number as usize];
        if job.refused < TRIALS && job.mended <= MOST {
            // Other jobs may have repaired the piece that was found first meanwhile, so it is read once more.
            job.refused += 1;
            let found_first = job.mending.len().saturating_sub(1).max(1);
            job.mending.drain(..found_first.min(job.mending.len()));
            self.begin(cx, number);
            return;
        }
        self.count(meter::LOST, 1);
        let pieces = std::mem::take(&mut self.jobs[number as usize].mending);
        if !matches!(self.jobs[number as usize].task, Task::Rebuild(..)) {
            self.job_done(cx, number, Status::Unreadable);
            return;
        }
        // The rebuild skips the lost stripes.
        let layout = &self.array.layout;
        for piece in &pieces {
            let rows = piece.offset / layout.stripe_unit_bytes()
                ..(piece.offset + piece.bytes).div_ceil(layout.stripe_unit_bytes());
            let held = rows.filter_map(|row| {
                self.array.health.unit_held(layout, MemberRow { member: piece.member, row })
            });
            self.lost_stripes.extend(held.map(|unit| unit.stripe));
        }
        self.begin(cx, number);
    }
}

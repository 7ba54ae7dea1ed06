//! The loss of data in an array with volatile memory when the array fails. Data in volatile memory that members have not written by then
//! are lost, so in one stripe the data may be new and the checks old, or the reverse (the *write hole*). The disagreement stays unnoticed
//! until a scrub compares data and checks, or until a member fails and its content is recovered from checks that disagree with the data.
//!
//! Source: Patterson, Gibson and Katz 1988, and Linux md (`Documentation/driver-api/md/raid5-ppl.rst`), describe the write hole.
//! Assumptions: an aborted write at a member has been carried out as a whole or not at all; and background work of the array is carried out
//! to the end, because after any failure it is repeated with the same result.

use super::job::{Phase, Task};
use super::{DiskArray, meter};
use sansim_component::Context;
use sansim_request::Status;

impl DiskArray {
    /// The array fails: data of answered writes that were still in its memory are lost.
    pub(super) fn cut_off_what_is_answered(&mut self, cx: &mut Context<'_>) {
        if !self.parameters.volatile_memory {
            return;
        }
        for number in 0..self.jobs.len() as u32 {
            let job = &mut self.jobs[number as usize];
            if job.task != Task::Finish || job.phase == Phase::Free {
                continue;
            }
            job.cut_off = true;
            match job.phase {
                Phase::Writes => self.abort_parts(cx, number),
                _ => self.is_cut_off(cx, number),
            }
        }
    }

    /// No more writes of a job are carried out than have been.
    pub(super) fn is_cut_off(&mut self, cx: &mut Context<'_>, number: u32) {
        let Self { agreement, array, jobs, .. } = self;
        let job = &jobs[number as usize];
        if job.mending.is_empty() {
            agreement.write_interrupted(array, &job.plan, &job.noted.undone);
        }
        self.job_done(cx, number, Status::Failed);
    }

    /// Whether a unit that a job recovers from checks is wrong somewhere.
    pub(super) fn is_wrong(&self, number: u32) -> bool {
        self.jobs[number as usize].worked_out.iter().any(|one| one.wrong)
    }

    /// Records the units that a job has recovered and the slots that it has written.
    pub(super) fn agrees_with(&mut self, number: u32) {
        if self.agreement.all_checks_agree() {
            return;
        }
        let Self { agreement, array, jobs, .. } = self;
        let job = &mut jobs[number as usize];
        #[cfg(test)]
        for one in job.worked_out.iter().filter(|one| one.wrong) {
            one.lost_bytes(array).for_each(|bytes| self.damaged.add(bytes));
        }
        let wrong = agreement.recovered_units_written(array, &job.worked_out);
        job.worked_out.clear();
        let is_write = matches!(job.task, Task::Write | Task::Finish) && job.mending.is_empty();
        if is_write {
            agreement.plan_written(array, &job.plan);
        } else {
            agreement.copies_made(array, &job.plan);
        }
        self.count(meter::DAMAGED, wrong);
    }
}

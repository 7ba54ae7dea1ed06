//! Flushes and deallocations of an array.
//!
//! A flush goes to the device of each member that has one, as Linux md passes it on (`md_flush_request`), and is answered when all have
//! answered. A flush holds no stripes: it covers the writes that the array has answered, and these are at the members. A deallocation is a
//! job that holds its stripes as a write does ([`Array::plan_deallocation`](sansim_raid::Array::plan_deallocation)).

use super::DiskArray;
use super::job::{FLUSH, PartOf, Task};
use super::requests::rank;
use sansim_component::Context;
use sansim_raid::MemberState;
use sansim_request::{Operation, ParentState, RequestId, Status};
use std::ops::Range;

impl DiskArray {
    /// Sends a flush to all members that have a device.
    pub(super) fn flush_members(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let health = &self.array.health;
        let has_device = |member: &u32| {
            !matches!(health.member_state(*member), MemberState::Failed | MemberState::Spared { .. })
        };
        let members: Vec<u32> = (0..self.array.layout.member_count()).filter(has_device).collect();
        if members.is_empty() {
            self.answer(cx, id, Status::Failed);
            return;
        }
        self.fork(cx, id, members.len() as u16);
        for member in members {
            let place = self.members.member_device(member);
            let part = self.behind.ask_device(cx, id, place, Operation::Flush, 0..0);
            self.part_of.insert(part, PartOf { job: FLUSH, operation: 0, member, place });
        }
    }

    /// A member has answered a flush of the array. A member that fails leaves the array, and the others have what it had.
    pub(super) fn member_flushed(
        &mut self,
        cx: &mut Context<'_>,
        (member, place): (u32, u32),
        status: Status,
    ) {
        let is_transient = status.may_be_retried();
        if status != Status::Good && !is_transient {
            self.member_fails(cx, member, place);
        }
        let Some(done) = self.behind.close_next_done(cx) else { return };
        let (ParentState::NotYet(id) | ParentState::Satisfied(id, _)) = done.returned.joined else { return };
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        in_hand.children -= 1;
        if is_transient && rank(status) > rank(in_hand.status) {
            in_hand.status = status;
        }
        if in_hand.children > 0 {
            return;
        }
        let failed = in_hand.ends == Some(Status::Failed) || self.array.has_lost_data();
        let outcome = if failed { Status::Failed } else { in_hand.status };
        self.answer(cx, id, outcome);
    }

    /// The initiator aborts a flush, or the array fails: the flushes of members are aborted, and the request ends with their answers.
    pub(super) fn abort_flushes(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let parts: Vec<RequestId> = cx.requests().children_of(id).collect();
        for part in parts {
            self.behind.abort_child(cx, part);
        }
    }

    /// Deallocates a range; under parity the stripes that lie completely within it. A stripe that was lost stays lost until it is written.
    pub(super) fn deallocate(&mut self, cx: &mut Context<'_>, id: RequestId, range: Range<u64>) {
        let stripe = self.array.layout.stripe_bytes();
        let whole = if self.array.layout.erasure_code().is_parity() {
            range.start.next_multiple_of(stripe)..range.end / stripe * stripe
        } else {
            range
        };
        if whole.start >= whole.end {
            self.answer(cx, id, Status::Good);
            return;
        }
        let job = self.add_job(cx, id, Task::Write, whole);
        self.jobs[job as usize].deallocates = true;
        self.start_jobs(cx, id);
    }
}

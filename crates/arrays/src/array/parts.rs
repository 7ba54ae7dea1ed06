//! Parts of jobs: the requests to members, and their answers.

use super::job::{FLUSH, LOOK, PartOf, Phase};
use super::{DiskArray, meter};
use sansim_component::Context;
use sansim_raid::PlanStep;
use sansim_raid::layout::MemberPiece;
use sansim_request::{Operation, RequestId, Status};

impl DiskArray {
    /// Sends a part of a job to a member. The request of the part has been forked before.
    pub(super) fn ask(
        &mut self,
        cx: &mut Context<'_>,
        number: u32,
        operation: u32,
        piece: MemberPiece,
        what: Operation,
    ) {
        let place = self.members.member_device(piece.member);
        let bytes = piece.offset..piece.offset + piece.bytes;
        let part = match self.jobs[number as usize].request {
            Some(id) => Some(self.behind.ask_device(cx, id, place, what, bytes)),
            None => {
                self.asked += 1;
                self.behind.ask_device_in_background(cx, self.asked, place, what, bytes)
            }
        };
        match part {
            Some(part) => self.is_asked(number, operation, piece, place, part),
            None => {
                self.jobs[number as usize].noted.failed = true;
                self.member_fails(cx, piece.member, place);
            }
        }
    }

    /// Notes that a part of a job was sent to a member, or begun.
    pub(super) fn is_asked(
        &mut self,
        number: u32,
        operation: u32,
        piece: MemberPiece,
        place: u32,
        part: RequestId,
    ) {
        let job = &mut self.jobs[number as usize];
        job.parts.push(part);
        self.part_of.insert(part, PartOf { job: number, operation, member: piece.member, place });
        let is_write = matches!(job.plan.plan_operations()[operation as usize].action, PlanStep::Write(_));
        self.members.access_started(piece.member, piece.offset..piece.offset + piece.bytes, is_write);
        let what = match is_write {
            true if job.deallocates => meter::MEMBER_DEALLOCATIONS,
            true => meter::MEMBER_WRITES,
            false => meter::MEMBER_READS,
        };
        self.count(what, 1);
    }

    /// A part is done, and not closed yet.
    pub(super) fn part_done(&mut self, cx: &mut Context<'_>, part: RequestId, status: Status) {
        let Some(PartOf { job: number, operation, member, place }) = self.part_of.remove(&part) else {
            self.behind.close_next_done(cx);
            return;
        };
        if number == LOOK {
            self.behind.close_next_done(cx);
            self.looked(place, status);
            return;
        }
        if number == FLUSH {
            self.member_flushed(cx, (member, place), status);
            return;
        }
        let job = &mut self.jobs[number as usize];
        let action = job.plan.plan_operations()[operation as usize].action;
        let (PlanStep::Read(piece) | PlanStep::Write(piece)) = action else { return };
        self.members.access_completed(member, piece.bytes);
        job.parts.retain(|&other| other != part);
        let is_read = matches!(action, PlanStep::Read(_));
        match status {
            Status::Good => {}
            Status::Unreadable if is_read => job.noted.unreadable.push(piece),
            _ if status.may_be_retried() => {
                job.noted.later = Some(status);
                if !is_read {
                    job.noted.undone.push(operation);
                }
            }
            _ => {
                job.noted.failed = true;
                self.member_fails(cx, member, place);
            }
        }
        let job = &self.jobs[number as usize];
        let is_last = job.parts.is_empty();
        let request = job.request;
        let ends = request.and_then(|id| self.in_hand.get(&id)).is_some_and(|in_hand| in_hand.ends.is_some());
        // The writes follow the last part that was read.
        let goes_on = is_last
            && job.phase == Phase::Reads
            && job.noted.has_no_failures()
            && request.is_some()
            && !ends
            && job.member_access_count()[1] > 0;
        if goes_on {
            self.calculate_and_write(cx, number, Some(part));
        }
        self.behind.close_next_done(cx);
        if let Some(in_hand) = request.and_then(|id| self.in_hand.get_mut(&id)) {
            in_hand.children -= 1;
        }
        if is_last && !goes_on {
            match self.jobs[number as usize].phase {
                Phase::Reads => self.reads_done(cx, number),
                Phase::Writes => self.writes_done(cx, number),
                _ => {}
            }
        } else if let Some(id) = request {
            self.tell(cx, id);
        }
    }
}

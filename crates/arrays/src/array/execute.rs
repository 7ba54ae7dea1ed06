//! Execution of a job: it locks its stripes, reads, calculates, and then writes.

use super::catalogue::segment;
use super::job::{Job, Phase, Task};
use super::members::Sight;
use super::{DiskArray, meter, timer};
use sansim_component::{Context, EventTurn, Timer};
use sansim_kernel::Span;
use sansim_raid::layout::ErasureCode;
use sansim_raid::plan::{ArithmeticField, CalculationKind};
use sansim_raid::{MemberState, NoPlan, PlanStep, RequestPlan};
use sansim_request::{Operation, RequestId, Status};

/// The most accesses of a request, so that their number fits into the field that holds it.
const MOST_ACCESSES: usize = 20_000;

impl DiskArray {
    /// Makes a job that begins anew.
    pub(super) fn new_job(&mut self, task: Task, request: Option<RequestId>, range: (u64, u64)) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.jobs.push(Job::default());
            (self.jobs.len() - 1) as u32
        });
        self.jobs[number as usize].restart_job(task, request, range);
        number
    }

    /// A job locks its stripes, or waits for them, and is begun.
    pub(super) fn start(&mut self, cx: &mut Context<'_>, number: u32) {
        let job = &self.jobs[number as usize];
        // Reads of units that are not recovered need no lock.
        let needs_none = job.mending.is_empty()
            && match job.task {
                Task::Read => self.array.health.all_members_work(),
                Task::Write => self.array.layout.erasure_code() == ErasureCode::None,
                _ => false,
            };
        if job.locked || needs_none {
            self.begin(cx, number);
            return;
        }
        self.jobs[number as usize].phase = Phase::Locks;
        let jobs = &self.jobs;
        if self.locks.lock_stripes(number, |other| &jobs[other as usize].wanted) {
            self.jobs[number as usize].locked = true;
            self.begin(cx, number);
        } else if let Some(id) = self.jobs[number as usize].request {
            self.tell(cx, id);
        }
    }

    /// A job that has waited for its stripes gets them.
    pub(super) fn granted(&mut self, cx: &mut Context<'_>, number: u32) {
        let job = &mut self.jobs[number as usize];
        if job.phase == Phase::Locks {
            job.locked = true;
            self.begin(cx, number);
        }
    }

    /// Plans a job for the members in their present state, and begins it.
    pub(super) fn begin(&mut self, cx: &mut Context<'_>, number: u32) {
        self.jobs[number as usize].noted.clear();
        #[cfg(test)]
        self.note_units(number);
        let mut plan = std::mem::take(&mut self.jobs[number as usize].plan);
        let planned = self.plan(cx, number, &mut plan);
        self.jobs[number as usize].plan = plan;
        match planned {
            Ok(()) => self.read(cx, number),
            Err(_) => self.cannot(cx, number),
        }
    }

    fn plan(&mut self, cx: &Context<'_>, number: u32, plan: &mut RequestPlan) -> Result<(), NoPlan> {
        let job = &self.jobs[number as usize];
        let request = job.request.map_or_else(|| self.own_request(), |id| *cx.request(id));
        if !job.mending.is_empty() {
            return self.plan_mending(cx.now, number, request, plan);
        }
        let Self { array, members, lost_stripes, .. } = self;
        let mut sight = Sight { members, now: cx.now, request, lost: None };
        match &job.task {
            Task::Read => {
                array.plan_read(job.offset, job.bytes, &mut sight, plan)?;
                let is_recovered = |action: PlanStep| matches!(action, PlanStep::Calculate(_));
                if plan.plan_operations().iter().any(|operation| is_recovered(operation.action)) {
                    self.count(meter::DEGRADED_READS, 1);
                }
            }
            Task::Write if job.deallocates => array.plan_deallocation(job.offset, job.bytes, plan)?,
            Task::Write => {
                array.plan_write(job.offset, job.bytes, &mut sight, plan)?;
                self.count_write(number, plan);
            }
            Task::Rebuild(rows, turn) => {
                let stripe_bytes = array.layout.stripe_bytes();
                sight.lost = (!lost_stripes.is_empty()).then_some((&*lost_stripes, stripe_bytes));
                match self.rebuilds.iter().find(|rebuild| rebuild.turn == *turn) {
                    Some(rebuild) => array.plan_rebuild(rebuild.member, rows.clone(), &mut sight, plan)?,
                    // The rebuild of the job has been abandoned.
                    None => array.plan_read(0, 0, &mut (), plan)?,
                }
            }
            Task::Scrub(stripes) => array.plan_scrub(stripes.clone(), plan),
            Task::Resynchronise(stripes) => {
                // While data of a stripe are lost its correct checks are unknown.
                if array.plan_check_repair(stripes.clone(), plan).is_err() {
                    array.plan_read(0, 0, &mut (), plan)?;
                }
            }
            Task::Finish => {}
        }
        self.agreement.recovered_units(&self.array, plan, &mut self.jobs[number as usize].worked_out);
        Ok(())
    }

    /// Counts a write as full-stripe, read-modify-write or reconstruct-write.
    fn count_write(&mut self, number: u32, plan: &RequestPlan) {
        if !self.array.layout.erasure_code().is_parity() {
            return;
        }
        let job = &self.jobs[number as usize];
        let stripes = self.array.layout.stripes_of(job.offset, job.bytes);
        let whole = job.bytes == (stripes.end - stripes.start) * self.array.layout.stripe_bytes();
        let updates = |action: PlanStep| matches!(action, PlanStep::Calculate(one) if one.what == CalculationKind::Update);
        if whole {
            self.count(meter::FULL_STRIPE, stripes.end - stripes.start);
        } else if plan.plan_operations().iter().any(|operation| updates(operation.action)) {
            self.count(meter::READ_MODIFY_WRITE, 1);
        } else {
            self.count(meter::RECONSTRUCT_WRITE, 1);
        }
    }

    /// Fails a job, because more units are lost than the level can restore.
    fn cannot(&mut self, cx: &mut Context<'_>, number: u32) {
        let job = &self.jobs[number as usize];
        if !job.mending.is_empty() {
            self.cannot_mend(cx, number);
            return;
        }
        self.count(meter::LOST, 1);
        let job = &self.jobs[number as usize];
        if let Task::Rebuild(_, turn) = job.task {
            self.give_up_rebuild(cx, turn);
        }
        self.job_done(cx, number, Status::Failed);
    }

    /// Sends the reads of a job to members.
    fn read(&mut self, cx: &mut Context<'_>, number: u32) {
        let job = &mut self.jobs[number as usize];
        job.phase = Phase::Reads;
        let [reads, writes] = job.member_access_count();
        if reads.max(writes) > MOST_ACCESSES {
            self.fault = Some(format!(
                "a request that has members asked {} times, but {MOST_ACCESSES} are the most; give a larger `stripe_unit`, or smaller \
                 requests",
                reads.max(writes)
            ));
            self.job_done(cx, number, Status::Failed);
            return;
        }
        if let (Some(id), 1..) = (job.request, reads) {
            self.fork(cx, id, reads as u16);
        }
        for operation in 0..self.jobs[number as usize].plan.plan_operations().len() {
            if let PlanStep::Read(piece) = self.jobs[number as usize].plan.plan_operations()[operation].action
            {
                self.ask(cx, number, operation as u32, piece, Operation::Read);
            }
        }
        if self.jobs[number as usize].parts.is_empty() {
            self.reads_done(cx, number);
        }
    }

    /// All reads of a job have been carried out, or have returned with an error.
    pub(super) fn reads_done(&mut self, cx: &mut Context<'_>, number: u32) {
        let job = &self.jobs[number as usize];
        let ends = job.request.and_then(|id| self.in_hand.get(&id)).and_then(|in_hand| in_hand.ends);
        if let Some(status) = ends {
            self.job_done(cx, number, status);
        } else if self.is_stale(number) {
            self.job_done(cx, number, Status::Aborted);
        } else if let Some(status) = job.noted.later {
            match job.request {
                Some(_) => self.job_done(cx, number, status),
                None => self.wait(cx, number),
            }
        } else if !job.noted.unreadable.is_empty() {
            self.mend(cx, number);
        } else if job.noted.failed {
            self.start(cx, number);
        } else {
            self.calculate_and_write(cx, number, None);
        }
    }

    /// The calculation time of a job, in addition to that of the processor of a controller, and the bytes that enter the calculation.
    fn calculation(&self, number: u32) -> (Span, u64) {
        let mut bytes = [0_u64; 2];
        for operation in self.jobs[number as usize].plan.plan_operations() {
            if let PlanStep::Calculate(calculation) = operation.action {
                bytes[usize::from(calculation.field == ArithmeticField::Galois)] += calculation.bytes;
            }
        }
        let takes = |bytes: u64, bandwidth: Option<u64>| {
            bandwidth.map_or(Span::ZERO, |bandwidth| Span::to_move(bytes, bandwidth).min(Span::LONGEST))
        };
        let [xor, galois] = bytes;
        let all = takes(xor, self.parameters.xor_bandwidth).ticks()
            + takes(galois, self.parameters.galois_bandwidth).ticks();
        (Span(all).min(Span::LONGEST), xor + galois)
    }

    /// A job has all its reads: its checks are calculated, and then it is written. The writes follow `last`, the part that was read last,
    /// if it is not closed yet.
    pub(super) fn calculate_and_write(&mut self, cx: &mut Context<'_>, number: u32, last: Option<RequestId>) {
        let (takes, bytes) = self.calculation(number);
        let takes_nothing = self.engine.takes_no_time(takes, bytes);
        let [_, writes] = self.jobs[number as usize].member_access_count();
        let request = self.jobs[number as usize].request;
        if takes_nothing && writes == 0 {
            if self.jobs[number as usize].mending.is_empty() {
                self.job_done(cx, number, Status::Good);
            } else {
                self.is_mended(cx, number);
            }
            return;
        }
        if let (Some(id), 1..) = (request, writes) {
            self.fork(cx, id, writes as u16);
            self.begin_writes(cx, number, id, last);
        }
        if takes_nothing {
            self.write(cx, number);
            return;
        }
        self.jobs[number as usize].phase = Phase::Calculates;
        if self.engine.submit_job(cx, number, takes, bytes, timer::CALCULATION) {
            self.is_calculated(cx, number, true);
        } else if let Some(id) = request {
            self.tell(cx, id);
        }
    }

    /// Begins the writes of a job, so that its request counts as being at the members.
    fn begin_writes(&mut self, cx: &mut Context<'_>, number: u32, id: RequestId, last: Option<RequestId>) {
        for operation in 0..self.jobs[number as usize].plan.plan_operations().len() {
            let action = self.jobs[number as usize].plan.plan_operations()[operation].action;
            let PlanStep::Write(piece) = action else { continue };
            let place = self.members.member_device(piece.member);
            let write = self.jobs[number as usize].write_operation();
            let bytes = piece.offset..piece.offset + piece.bytes;
            let part = match last {
                Some(last) => {
                    self.behind.begin_child_after_sibling(cx, (id, last), place, write, bytes, segment::QUEUE)
                }
                None => self.behind.begin_child(cx, id, place, write, bytes, segment::QUEUE),
            };
            self.is_asked(number, operation as u32, piece, place, part);
        }
    }

    /// The calculation of a job begins or ends.
    pub(super) fn is_calculated(&mut self, cx: &mut Context<'_>, number: u32, works: bool) {
        self.engine.set_in_work(cx.now, number, works);
        let job = &self.jobs[number as usize];
        for &part in &job.parts {
            cx.ledger().enter_segment(part, if works { segment::CALCULATION } else { segment::QUEUE });
        }
        if let Some(id) = job.request {
            self.tell(cx, id);
        }
    }

    /// Continues a job whose checks have been calculated: the job of the engine, or the job that the controller names.
    pub(super) fn calculated(&mut self, cx: &mut Context<'_>, job: Option<u32>) {
        let (done, next) = self.engine.end_job(cx, job, timer::CALCULATION);
        if let Some(number) = next {
            self.is_calculated(cx, number, true);
        }
        let Some(number) = done else { return };
        if self.jobs[number as usize].member_access_count()[1] == 0 || self.is_stale(number) {
            self.job_done(cx, number, Status::Good);
        } else if self.jobs[number as usize].cut_off {
            self.jobs[number as usize].phase = Phase::Writes;
            self.abort_parts(cx, number);
        } else {
            self.write(cx, number);
        }
    }

    /// Sends the writes of a job that have been begun to members.
    fn write(&mut self, cx: &mut Context<'_>, number: u32) {
        self.jobs[number as usize].phase = Phase::Writes;
        if self.jobs[number as usize].request.is_some() {
            for place in 0..self.jobs[number as usize].parts.len() {
                let part = self.jobs[number as usize].parts[place];
                self.behind.send_child(cx, part);
            }
            return;
        }
        for operation in 0..self.jobs[number as usize].plan.plan_operations().len() {
            if let PlanStep::Write(piece) =
                self.jobs[number as usize].plan.plan_operations()[operation].action
            {
                let write = self.jobs[number as usize].write_operation();
                self.ask(cx, number, operation as u32, piece, write);
            }
        }
        if self.jobs[number as usize].parts.is_empty() {
            self.writes_done(cx, number);
        }
    }

    /// All writes of a job have been carried out, or have returned with an error.
    pub(super) fn writes_done(&mut self, cx: &mut Context<'_>, number: u32) {
        let job = &self.jobs[number as usize];
        let later = job.noted.later;
        if job.cut_off {
            self.is_cut_off(cx, number);
            return;
        }
        if !job.mending.is_empty() {
            match (later, job.request) {
                (Some(status), Some(_)) => self.job_done(cx, number, status),
                (Some(_), None) => self.wait(cx, number),
                (None, _) => self.is_mended(cx, number),
            }
            return;
        }
        match (&job.task, later) {
            (Task::Write, Some(status)) if self.array.layout.erasure_code().is_parity() => {
                // If the write ended here, data and checks would not agree.
                let id = job.request;
                let job = &mut self.jobs[number as usize];
                (job.task, job.request) = (Task::Finish, None);
                self.wait(cx, number);
                if let Some(id) = id {
                    self.job_of_request_done(cx, id, number, status);
                }
            }
            (Task::Write, Some(status)) => {
                let Self { agreement, array, jobs, .. } = self;
                let job = &jobs[number as usize];
                agreement.write_interrupted(array, &job.plan, &job.noted.undone);
                self.job_done(cx, number, status);
            }
            (Task::Write, None) => {
                let failed = job.noted.failed;
                self.agrees_with(number);
                let status = if failed && !self.is_kept(number) {
                    self.count(meter::LOST, 1);
                    Status::Failed
                } else {
                    Status::Good
                };
                self.job_done(cx, number, status);
            }
            (_, Some(_)) => self.wait(cx, number),
            (Task::Rebuild(..), None) if job.noted.failed => self.begin(cx, number),
            (_, None) => {
                if self.jobs[number as usize].task == Task::Finish {
                    self.agrees_with(number);
                }
                self.job_done(cx, number, Status::Good);
            }
        }
    }

    /// Whether the data that a job has written can be read, though a member failed meanwhile.
    fn is_kept(&mut self, number: u32) -> bool {
        let job = &mut self.jobs[number as usize];
        self.array.plan_read(job.offset, job.bytes, &mut (), &mut job.plan).is_ok()
    }

    /// A background job of the array is tried again later.
    fn wait(&mut self, cx: &mut Context<'_>, number: u32) {
        self.jobs[number as usize].phase = Phase::Waits;
        let at = cx.now + self.parameters.busy_wait;
        cx.set_timer(
            at,
            EventTurn::turn_of_node((u32::from(timer::RETRY) + number) % sansim_kernel::Order::UNITS),
            Timer::new(timer::RETRY, number),
        );
    }

    /// Retries a job.
    pub(super) fn again(&mut self, cx: &mut Context<'_>, number: u32) {
        let Some(job) = self.jobs.get_mut(number as usize) else { return };
        if job.phase != Phase::Waits {
            return;
        }
        if job.task != Task::Finish {
            self.begin(cx, number);
            return;
        }
        let undone = std::mem::take(&mut job.noted.undone);
        job.noted.clear();
        job.phase = Phase::Writes;
        for &operation in &undone {
            let action = self.jobs[number as usize].plan.plan_operations()[operation as usize].action;
            let PlanStep::Write(piece) = action else { continue };
            let is_there = !matches!(
                self.array.health.member_state(piece.member),
                MemberState::Failed | MemberState::Spared { .. }
            );
            if is_there {
                let write = self.jobs[number as usize].write_operation();
                self.ask(cx, number, operation, piece, write);
            }
        }
        if self.jobs[number as usize].parts.is_empty() {
            self.writes_done(cx, number);
        }
    }

    /// A job is done, and its initiator gets this status.
    pub(super) fn job_done(&mut self, cx: &mut Context<'_>, number: u32, status: Status) {
        let job = &mut self.jobs[number as usize];
        let request = job.request.take();
        let task = job.task.clone();
        if status == Status::Good && self.is_wrong(number) && task == Task::Read {
            self.count(meter::WRONG_READS, 1);
        }
        if let Task::Scrub(stripes) = task {
            self.scrubbed(cx, number, stripes, status);
        } else if let (Task::Resynchronise(stripes), Status::Good) = (&task, status) {
            self.resynchronised(number, stripes.clone());
        } else if let (Task::Rebuild(rows, turn), Status::Good) = (task, status)
            && self.rebuilt(cx, number, &rows, turn)
        {
            return;
        }
        self.release(number);
        if let Some(id) = request {
            self.job_of_request_done(cx, id, number, status);
        }
    }

    /// A job releases its stripes and ends.
    pub(super) fn release(&mut self, number: u32) {
        let jobs = &self.jobs;
        if jobs[number as usize].phase == Phase::Locks || jobs[number as usize].locked {
            self.locks.release_stripes(number, |other| &jobs[other as usize].wanted, &mut self.granted);
        }
        let job = &mut self.jobs[number as usize];
        (job.phase, job.locked) = (Phase::Free, false);
        self.free.push(number);
        self.strays.retain(|&stray| stray != number);
    }
}

//! Requests of hosts: they arrive, wait for memory and data, are carried out as jobs, and are answered when the jobs are done.

use super::catalogue::segment;
use super::job::{Phase, Task};
use super::warm::parts_of_write;
use super::{DiskArray, meter};
use sansim_component::{Context, Message, Module, ModuleJob as Done};
use sansim_request::{Operation, RequestId, Status};

/// A request that an array has.
#[derive(Clone, Copy, Debug)]
pub(super) struct InHand {
    /// The port by which the request came.
    port: u16,
    /// The jobs of the request that are not done.
    jobs: [u32; 3],
    count: u8,
    /// The number of parts of the request in flight: as long as there are any, the time of the request is attributed to them.
    pub children: u32,
    /// The outcome of the jobs so far.
    pub status: Status,
    /// The status with which the request is to end, if the initiator aborts it or the array fails.
    pub ends: Option<Status>,
    /// The memory of the array that the request holds, in bytes.
    memory: u64,
    begun: bool,
    answered: bool,
}

impl InHand {
    /// The jobs of the request that are not done.
    pub fn open_job_count(&self) -> &[u32] {
        &self.jobs[..usize::from(self.count)]
    }
}

impl DiskArray {
    pub(super) fn arrive(&mut self, cx: &mut Context<'_>, port: u16, id: RequestId) {
        self.look_for_replacements(cx);
        let in_hand = InHand {
            port,
            jobs: [0; 3],
            count: 0,
            children: 0,
            status: Status::Good,
            ends: None,
            memory: 0,
            begun: false,
            answered: false,
        };
        self.in_hand.insert(id, in_hand);
        self.load += 1;
        if self.failed {
            self.answer(cx, id, Status::Failed);
            return;
        }
        let bytes = cx.request(id).data_bytes();
        if !self.has_memory(bytes) || !self.waiting.is_empty() {
            cx.ledger().locate_request(id, segment::MEMORY);
            self.waiting.push_back(id);
            return;
        }
        self.admit(cx, id);
    }

    /// Whether this much memory is free; a request larger than the memory gets it when all of it is free.
    fn has_memory(&self, bytes: u64) -> bool {
        let fits = |memory: u64| self.memory_used == 0 || self.memory_used + bytes <= memory;
        self.parameters.memory.is_none_or(fits)
    }

    /// A request gets memory for its data.
    fn admit(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let request = *cx.request(id);
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        if self.parameters.memory.is_some() {
            in_hand.memory = request.data_bytes();
            self.memory_used += request.data_bytes();
        }
        if request.is_write() {
            cx.ledger().locate_request(id, segment::DATA);
            cx.send(in_hand.port, Message::WriteCredit(id, request.data_bytes()));
        } else {
            self.map(cx, id);
        }
    }

    /// All data of a write have come.
    pub(super) fn data_in(&mut self, cx: &mut Context<'_>, id: RequestId) {
        if self.waits_to_begin(id) {
            self.map(cx, id);
        }
    }

    fn waits_to_begin(&self, id: RequestId) -> bool {
        self.in_hand.get(&id).is_some_and(|in_hand| !in_hand.answered && !in_hand.begun)
    }

    /// Maps a request to members, within a controller by the controller's processor.
    fn map(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let bytes = cx.request(id).data_bytes();
        if !self.inside.request_job(cx, id, Module::Mapping, bytes) {
            self.begin_request(cx, id);
        }
    }

    /// Continues a job whose mapping to members is done.
    pub(super) fn mapped(&mut self, cx: &mut Context<'_>, job: &Done) {
        if let Some(id) = job.request.filter(|&id| self.waits_to_begin(id)) {
            self.begin_request(cx, id);
        }
        self.inside.job_completed(cx, job);
    }

    /// Makes the jobs of a request.
    fn begin_request(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let request = *cx.request(id);
        let (from, upto) = (request.first_byte(), request.end_byte());
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        in_hand.begun = true;
        if request.operation == Operation::Flush {
            self.flush_members(cx, id);
            return;
        }
        if upto > self.array.layout.capacity() || from == upto {
            let status = if from == upto { Status::Good } else { Status::Failed };
            self.answer(cx, id, status);
            return;
        }
        cx.ledger().locate_request(id, segment::ARRAY);
        if request.is_read() {
            let touches_lost = !self.lost_stripes.is_empty()
                && self.lost_stripes.range(self.array.layout.stripes_of(from, upto - from)).next().is_some();
            if touches_lost {
                self.count(meter::LOST, 1);
                self.answer(cx, id, Status::Unreadable);
                return;
            }
            self.add_job(cx, id, Task::Read, from..upto);
            self.start_jobs(cx, id);
            return;
        }
        if request.operation == Operation::Deallocate {
            self.deallocate(cx, id, from..upto);
            return;
        }
        if !self.array.health.all_members_work() {
            self.count(meter::DEGRADED_WRITES, 1);
        }
        for range in parts_of_write(&self.array, from, upto).into_iter().filter(|range| !range.is_empty()) {
            self.add_job(cx, id, Task::Write, range);
        }
        self.start_jobs(cx, id);
    }

    pub(super) fn add_job(
        &mut self,
        cx: &mut Context<'_>,
        id: RequestId,
        task: Task,
        range: std::ops::Range<u64>,
    ) -> u32 {
        let bytes = range.end - range.start;
        let stripes = self.array.layout.stripes_of(range.start, bytes);
        let writes = cx.request(id).operation == Operation::Write;
        if task == Task::Write && writes && !self.lost_stripes.is_empty() {
            // A stripe of which all units are written is no longer lost.
            let stripe_bytes = self.array.layout.stripe_bytes();
            for stripe in stripes.clone() {
                let start = stripe * stripe_bytes;
                if range.start <= start && start + stripe_bytes <= range.end {
                    self.lost_stripes.remove(&stripe);
                }
            }
        }
        let exclusive = task == Task::Write && self.array.layout.erasure_code().is_parity();
        let job = self.new_job(task, Some(id), (range.start, bytes));
        let wanted = &mut self.jobs[job as usize].wanted;
        wanted.stripes.push(stripes);
        wanted.exclusive = exclusive;
        if let Some(in_hand) = self.in_hand.get_mut(&id) {
            in_hand.jobs[usize::from(in_hand.count)] = job;
            in_hand.count += 1;
        }
        job
    }

    pub(super) fn start_jobs(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let Some(&in_hand) = self.in_hand.get(&id) else { return };
        for &job in in_hand.open_job_count() {
            self.start(cx, job);
        }
    }

    /// A job of a request is done.
    pub(super) fn job_of_request_done(
        &mut self,
        cx: &mut Context<'_>,
        id: RequestId,
        job: u32,
        status: Status,
    ) {
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        if let Some(place) = in_hand.open_job_count().iter().position(|&other| other == job) {
            in_hand.count -= 1;
            in_hand.jobs.swap(place, usize::from(in_hand.count));
        }
        if rank(status) > rank(in_hand.status) {
            in_hand.status = status;
        }
        if in_hand.count > 0 {
            return;
        }
        let status = match in_hand.ends {
            Some(Status::Failed) => Status::Failed,
            _ => in_hand.status,
        };
        self.answer(cx, id, status);
    }

    pub(super) fn answer(&mut self, cx: &mut Context<'_>, id: RequestId, status: Status) {
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        in_hand.answered = true;
        self.load -= 1;
        self.last_load = Some(cx.now);
        cx.ledger().locate_request(id, segment::ARRAY);
        cx.answer_from_memory(in_hand.port, id, status);
    }

    /// The initiator has closed a request.
    pub(super) fn closed(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let Some(in_hand) = self.in_hand.remove(&id) else { return };
        self.memory_used -= in_hand.memory;
        while let Some(&next) = self.waiting.front() {
            let bytes = cx.request(next).data_bytes();
            if !self.has_memory(bytes) {
                return;
            }
            self.waiting.pop_front();
            self.admit(cx, next);
        }
    }

    /// Ends a request because the initiator aborts it, or because the array fails. Writes that have begun are carried out, unless members
    /// do not answer.
    pub(super) fn end(&mut self, cx: &mut Context<'_>, id: RequestId, status: Status) {
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        if in_hand.answered || in_hand.ends == Some(status) {
            return;
        }
        in_hand.ends = Some(status);
        let loses = status == Status::Failed && self.parameters.volatile_memory;
        let InHand { jobs, count, begun, .. } = *in_hand;
        if begun && count == 0 {
            self.abort_flushes(cx, id);
            return;
        }
        if !begun {
            self.waiting.retain(|&waiting| waiting != id);
            self.answer(cx, id, status);
            return;
        }
        for &job in &jobs[..usize::from(count)] {
            self.jobs[job as usize].cut_off |= loses;
            match self.jobs[job as usize].phase {
                Phase::Locks => self.job_done(cx, job, status),
                Phase::Reads => self.abort_parts(cx, job),
                Phase::Writes if status == Status::Aborted || loses => self.abort_parts(cx, job),
                _ => {}
            }
        }
    }

    pub(super) fn abort_parts(&mut self, cx: &mut Context<'_>, job: u32) {
        for place in 0..self.jobs[job as usize].parts.len() {
            let part = self.jobs[job as usize].parts[place];
            self.behind.abort_child(cx, part);
        }
    }

    /// Records in the ledger where a request is that has no parts in flight.
    pub(super) fn tell(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let Some(in_hand) = self.in_hand.get(&id) else { return };
        if in_hand.children > 0 || in_hand.answered {
            return;
        }
        let phase_of = |phase: Phase| {
            in_hand.open_job_count().iter().find(|job| self.jobs[**job as usize].phase == phase)
        };
        let at = match (phase_of(Phase::Calculates), phase_of(Phase::Locks)) {
            (Some(&job), _) if self.engine.is_job_in_work(job) => segment::CALCULATION,
            (Some(_), _) => segment::QUEUE,
            (None, Some(_)) => segment::LOCK,
            (None, None) => segment::ARRAY,
        };
        cx.ledger().locate_request(id, at);
    }

    /// Adds this many parts to a request; they are sent next.
    pub(super) fn fork(&mut self, cx: &mut Context<'_>, id: RequestId, parts: u16) {
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        if in_hand.children == 0 {
            cx.fork_request(id, parts);
        } else {
            cx.child_requests().await_more_children(id, parts);
        }
        in_hand.children += u32::from(parts);
    }
}

/// Rank of a job's answer: of several jobs of a request, the answer with the highest rank counts.
pub(super) fn rank(status: Status) -> u8 {
    match status {
        Status::Good => 0,
        Status::Aborted => 1,
        _ if status.may_be_retried() => 2,
        Status::Unreadable => 3,
        _ => 4,
    }
}

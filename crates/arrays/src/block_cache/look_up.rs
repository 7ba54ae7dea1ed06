//! Look-ups of requests, each of which lasts the same time; requests that find no space, or would overtake a write, wait until they can
//! continue.

use super::catalogue::segment;
use super::failures::ALL_THAT_IS_DIRTY;
use super::{DeviceCache, Stage, wake, what};
use sansim_component::{Context, Module, ModuleJob};
use sansim_kernel::Span;
use sansim_request::{Operation, RequestId, Status};

impl DeviceCache {
    /// Looks up which blocks of a request are in the cache.
    pub(super) fn look_up(&mut self, cx: &mut Context<'_>, id: RequestId) {
        self.put(id, Stage::LookUp);
        cx.ledger().locate_request(id, segment::LOOK_UP);
        if self.parameters.look_up_time == Span::ZERO {
            self.look_up_inside(cx, id);
            return;
        }
        let at = cx.now + self.parameters.look_up_time;
        self.look_ups.increase(cx.now, 1);
        self.looking.push_back((at, id));
        if self.looking.len() == 1 {
            wake(cx, at, what::LOOK_UP);
        }
    }

    pub(super) fn look_up_due(&mut self, cx: &mut Context<'_>) {
        while let Some(&(at, id)) = self.looking.front() {
            if at > cx.now {
                wake(cx, at, what::LOOK_UP);
                return;
            }
            self.looking.pop_front();
            self.look_ups.decrease(cx.now, 1);
            if self.stage(id) == Some(Stage::LookUp) {
                self.look_up_inside(cx, id);
            }
        }
    }

    /// Looks a request up, within a controller by the controller's processor.
    fn look_up_inside(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let bytes = cx.request(id).data_bytes();
        if !self.inside.request_job(cx, id, Module::LookUp, bytes) {
            self.looked_up(cx, id);
        }
    }

    /// The controller has finished a job of the cache.
    pub(super) fn job_done(&mut self, cx: &mut Context<'_>, job: &ModuleJob) {
        let stage = job.request.and_then(|id| self.stage(id));
        match (job.request, stage) {
            (Some(id), Some(Stage::LookUp)) => self.looked_up(cx, id),
            (Some(id), Some(Stage::Partner)) => self.is_sent(cx, id),
            (None, _) if job.module == Module::Link && job.number & ALL_THAT_IS_DIRTY != 0 => {
                self.has_copy(cx, job.number);
            }
            (None, _) if job.module == Module::Link => self.copy_is_sent(cx, job.number),
            _ => {}
        }
        self.inside.job_completed(cx, job);
    }

    pub(super) fn looked_up(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let Some(in_hand) = self.in_hand.get(&id) else { return };
        if in_hand.aborted {
            self.answer(cx, id, Status::Aborted);
            return;
        }
        // Requests that wait for space go first.
        let writes = in_hand.operation == Operation::Write;
        let behind_others = writes && self.cache.has_waiting_write() && !self.waiting.is_empty();
        if behind_others || !self.take_up(cx, id) {
            self.put(id, Stage::Waits);
            cx.ledger().locate_request(id, segment::ROOM);
            self.waiting.push_back(id);
        }
    }

    /// Carries out a request that has been looked up. Returns whether the request could be carried out.
    pub(super) fn take_up(&mut self, cx: &mut Context<'_>, id: RequestId) -> bool {
        match self.in_hand.get(&id).map(|in_hand| in_hand.operation) {
            Some(Operation::Write) => self.write(cx, id),
            Some(Operation::Read) => self.read(cx, id),
            Some(Operation::Flush | Operation::CheckPath) => self.flush(cx, id),
            Some(Operation::Deallocate) => self.deallocate(cx, id),
            None => true,
        }
    }

    /// Looks up waiting requests again, as far as they can continue.
    pub(super) fn take_up_waiting(&mut self, cx: &mut Context<'_>) {
        if !std::mem::take(&mut self.has_changed) || self.waiting.is_empty() {
            return;
        }
        // Checks whether there is space again for waiting requests.
        self.cache.urgency();
        let mut is_short = false;
        for _ in 0..self.waiting.len() {
            let Some(id) = self.waiting.pop_front() else { return };
            let is_write = self.in_hand.get(&id).is_some_and(|in_hand| in_hand.operation == Operation::Write);
            if is_write && is_short || !self.take_up(cx, id) {
                is_short |= is_write && self.cache.has_waiting_write();
                self.waiting.push_back(id);
            }
        }
    }
}

//! Time-outs of requests: a request without an answer in time is aborted by the path on which it was sent.
//!
//! The time counts from when a request was passed on, as in SCSI layers; the time that it waited in the driver before does not count. The
//! time-out is the same for all requests, so the request that was passed on first is due first, and one timer is enough: it is set for the
//! next request when it finds the first one answered. Requests are in a list by their numbers, and a request causes neither an event nor an
//! allocation.

use super::catalogue::segment;
use super::{Host, what};
use sansim_component::context::{HoldMode, RequestPlace};
use sansim_component::{Context, EventTurn, Message, Timer};
use sansim_kernel::{EventKey, Span, Time};
use sansim_request::RequestId;

/// The number that means: no request.
const NONE: u32 = u32::MAX;

/// A request that has been passed on, linked to those before and after it.
#[derive(Clone, Copy, Debug)]
struct UnderWay {
    before: u32,
    behind: u32,
    port: u16,
    since: Time,
    listed: bool,
}

/// The requests that a driver has passed on, in the order of the times at which it did.
#[derive(Clone, Debug)]
pub(super) struct TimeOuts {
    /// The time-out of each request; none without a time-out, and then no request is recorded here.
    patience: Option<Span>,
    entries: Vec<UnderWay>,
    first: u32,
    last: u32,
    timer: Option<EventKey>,
}

impl TimeOuts {
    /// Time-outs of a driver that has sent no request.
    pub fn new(patience: Option<Span>) -> Self {
        Self { patience, entries: Vec::new(), first: NONE, last: NONE, timer: None }
    }

    /// A request is passed on.
    #[inline]
    pub fn request_passed_on(&mut self, cx: &mut Context<'_>, id: RequestId, port: u16) {
        if self.patience.is_some() {
            self.append(cx, id, port);
        }
    }

    fn append(&mut self, cx: &mut Context<'_>, id: RequestId, port: u16) {
        let number = id.0 as usize;
        if number >= self.entries.len() {
            let none = UnderWay { before: NONE, behind: NONE, port: 0, since: Time::ZERO, listed: false };
            self.entries.resize(number + 1, none);
        }
        self.entries[number] =
            UnderWay { before: self.last, behind: NONE, port, since: cx.now, listed: true };
        match self.last {
            NONE => self.first = id.0,
            last => self.entries[last as usize].behind = id.0,
        }
        self.last = id.0;
        self.watch(cx);
    }

    /// Sets the timer for the first time-out.
    fn watch(&mut self, cx: &mut Context<'_>) {
        let Some(patience) = self.patience else { return };
        if self.timer.is_none() && self.first != NONE {
            let at = self.entries[self.first as usize].since + patience;
            let turn = EventTurn::turn_of_node(u32::from(what::TIME_OUT));
            self.timer = Some(cx.set_cancellable_timer(at, turn, Timer::new(what::TIME_OUT, 0)));
        }
    }

    fn remove(&mut self, number: u32) {
        let UnderWay { before, behind, .. } = self.entries[number as usize];
        match before {
            NONE => self.first = behind,
            before => self.entries[before as usize].behind = behind,
        }
        match behind {
            NONE => self.last = before,
            behind => self.entries[behind as usize].before = before,
        }
        self.entries[number as usize].listed = false;
    }

    /// A request has been answered.
    #[inline]
    pub fn request_answered(&mut self, cx: &mut Context<'_>, id: RequestId) {
        if self.patience.is_some() {
            self.forget(cx, id);
        }
    }

    fn forget(&mut self, cx: &mut Context<'_>, id: RequestId) {
        cx.ledger().locate_request(id, RequestPlace::Others);
        if !self.entries[id.0 as usize].listed {
            return;
        }
        self.remove(id.0);
        // A timer without a request would keep a run going.
        if self.first == NONE
            && let Some(timer) = self.timer.take()
        {
            cx.cancel_timer(timer);
        }
    }

    /// The requests in flight that were passed on by a port, in the order in which they were.
    pub fn requests_by_port(&self, port: u16) -> Vec<RequestId> {
        let entry = |number: u32| self.entries.get(number as usize).map(|entry| (number, entry));
        let first = entry(self.first);
        let all = std::iter::successors(first, |(_, of)| entry(of.behind));
        all.filter(|(_, of)| of.port == port).map(|(number, _)| RequestId(number)).collect()
    }

    /// A request is aborted before its time-out, and does not time out any more.
    pub fn no_longer_awaited(&mut self, cx: &mut Context<'_>, id: RequestId) {
        self.remove(id.0);
        if self.first == NONE
            && let Some(timer) = self.timer.take()
        {
            cx.cancel_timer(timer);
        }
    }

    /// The next request that has timed out, with the port and the time at which it was sent.
    fn next(&mut self, cx: &mut Context<'_>) -> Option<(RequestId, u16, Time)> {
        let patience = self.patience?;
        let &UnderWay { port, since, .. } = self.entries.get(self.first as usize)?;
        if since + patience > cx.now {
            self.watch(cx);
            return None;
        }
        let id = RequestId(self.first);
        self.remove(id.0);
        Some((id, port, since))
    }
}

impl Host {
    /// Handles the timer: a request that has timed out is aborted, and waits for the answer to the abort.
    pub(super) fn time_out_due(&mut self, cx: &mut Context<'_>) {
        self.time_outs.timer = None;
        while let Some((id, port, since)) = self.time_outs.next(cx) {
            let told = *cx.request(id);
            let attempt = 1 + self.retries.failed_attempt_count(self.first_of(cx, id));
            cx.failures().report_time_out(id, told, since, attempt);
            self.abort(cx, id, port);
            self.paths.suspect_path(cx, told.device, port);
        }
        self.check_suspects(cx);
    }

    /// Aborts a request, which waits for the answer to the abort.
    pub(super) fn abort(&mut self, cx: &mut Context<'_>, id: RequestId, port: u16) {
        cx.ledger().hold_in_segment(id, segment::ABORT, HoldMode::Firmly);
        cx.send(port, Message::Abort(id));
        self.escalations.step_taken(cx, id, port, 0);
    }
}

//! Path checkers: a driver checks its paths at intervals, and uses a failed path again only after a check of it has been answered.
//!
//! Sources: multipath.conf(5) and multipathd (the interval of a path that works doubles up to a longest one; a path whose state changes begins
//! again with the shortest); Linux, `drivers/nvme/host` (keep-alive, reconnect delay, time-out of the loss of a controller). On a
//! time-out of an I/O NVMe resets the controller, so that its paths are not used until it answers; multipathd learns of it when SCSI has
//! given the I/O up. Assumption: a path counts as failed at the time-out of an I/O under either.
//!
//! A check passes adapters and networks like a command without data. It does not pass the queues of the driver, and takes no time of the
//! processors of the host. An unanswered check is given up without ABTS.

mod parameters;

use super::{Host, what};
pub use parameters::{AccessNotice, CheckedUnit, InFlight, PathCheckerParameters};
use sansim_component::policy::PathChoice;
use sansim_component::{Context, EventTurn, Message, Timer};
use sansim_kernel::{EventKey, Span, Time};
use sansim_request::{Request, RequestId, Status};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// The last moment at which an event of a scenario can change anything, counted from the beginning: a day.
const LAST_EVENT: Span = Span::from_s(86_400);

/// A checker of one path, or of the paths between two adapters.
#[derive(Clone, Debug)]
struct Checker {
    /// The numbers of its paths.
    paths: Vec<usize>,
    /// The port by which checks go, and the device that they are for.
    port: u16,
    device: u32,
    /// The present interval, and the time of the next check.
    interval: Span,
    due: Time,
    /// The check in flight, and the time at which it was sent.
    asked: Option<(RequestId, Time)>,
    /// The time since which the paths count as failed.
    failed_since: Option<Time>,
}

/// The path checkers of a driver.
#[derive(Clone, Debug, Default)]
pub(super) struct PathCheckers {
    parameters: Option<PathCheckerParameters>,
    checkers: Vec<Checker>,
    /// The times of the next checks; an entry with another time than its checker has is out of date.
    due: BinaryHeap<Reverse<(Time, usize)>>,
    timer: Option<(Time, EventKey)>,
    /// The checks in flight, and those that are awaited, in the order in which they were sent, with the timer for the first.
    in_flight: Vec<(RequestId, usize)>,
    awaited: VecDeque<(RequestId, usize, Time)>,
    time_out: Option<EventKey>,
    number: u64,
    /// The time of the last answer to any request of the host.
    last_answer: Time,
}

impl PathCheckers {
    /// The checkers of these paths.
    pub fn new(parameters: &PathCheckerParameters, paths: &mut PathChoice) -> Self {
        let Some(interval) = parameters.interval else { return Self::default() };
        paths.use_checkers(parameters.learns_access_from_answers());
        let mut checkers: Vec<(Option<(u16, u32)>, Checker)> = Vec::new();
        for (number, port, adapters, device) in paths.checkable_paths() {
            let of = (parameters.each == CheckedUnit::Adapters).then_some(adapters);
            let same = checkers.iter_mut().find(|(other, _)| of.is_some() && *other == of);
            match same {
                Some((_, checker)) => checker.paths.push(number),
                None => {
                    let paths = vec![number];
                    let due = Time::ZERO + interval;
                    let checker =
                        Checker { paths, port, device, interval, due, asked: None, failed_since: None };
                    checkers.push((of, checker));
                }
            }
        }
        Self {
            parameters: Some(*parameters),
            checkers: checkers.into_iter().map(|(_, checker)| checker).collect(),
            ..Self::default()
        }
    }

    /// Whether paths are checked.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.parameters.is_some()
    }

    /// Whether a request is a check.
    #[inline]
    fn checker_of(&self, id: RequestId) -> Option<usize> {
        self.in_flight.iter().find(|(check, _)| *check == id).map(|&(_, checker)| checker)
    }

    /// Plans the next check of a checker.
    fn plan(&mut self, cx: &mut Context<'_>, checker: usize, due: Time) {
        self.checkers[checker].due = due;
        self.due.push(Reverse((due, checker)));
        self.watch(cx);
    }

    /// Sets the timer for the first planned check.
    fn watch(&mut self, cx: &mut Context<'_>) {
        let Some(&Reverse((at, _))) = self.due.peek() else { return };
        if cx.background_requests().sources_exhausted() {
            return;
        }
        match self.timer {
            Some((set, _)) if set <= at => return,
            Some((_, timer)) => {
                cx.cancel_timer(timer);
            }
            None => {}
        }
        let turn = EventTurn::turn_of_node(u32::from(what::PATH_CHECK));
        self.timer = Some((at, cx.set_detached_timer(at, turn, Timer::new(what::PATH_CHECK, 0))));
    }

    /// Sets the timer for the check that has been in flight longest.
    fn watch_the_first(&mut self, cx: &mut Context<'_>) {
        if let Some(timer) = self.time_out.take() {
            cx.cancel_timer(timer);
        }
        let Some(parameters) = self.parameters else { return };
        if let Some(&(.., sent)) = self.awaited.front() {
            let at = sent + parameters.time_out;
            let turn = EventTurn::turn_of_node(u32::from(what::CHECK_TIME_OUT));
            self.time_out = Some(cx.set_cancellable_timer(at, turn, Timer::new(what::CHECK_TIME_OUT, 0)));
        }
    }
}

impl Host {
    /// The run begins: the first checks are due after an interval.
    pub(super) fn begin_checks(&mut self, cx: &mut Context<'_>) {
        for checker in 0..self.checkers.checkers.len() {
            let due = self.checkers.checkers[checker].due;
            self.checkers.plan(cx, checker, due);
        }
    }

    /// Handles the timer: sends the checks that are due.
    pub(super) fn checks_due(&mut self, cx: &mut Context<'_>) {
        self.checkers.timer = None;
        // A host without an answer for a day, after the last moment of an event, would check in vain for ever.
        let quiet = cx.now.saturating_since(self.checkers.last_answer);
        if quiet > LAST_EVENT && cx.now > Time::ZERO + LAST_EVENT {
            return;
        }
        while let Some(&Reverse((at, checker))) = self.checkers.due.peek()
            && at <= cx.now
        {
            self.checkers.due.pop();
            if self.checkers.checkers[checker].due == at {
                self.check(cx, checker);
            }
        }
        self.checkers.watch(cx);
    }

    /// Checks the paths that are suspected at once.
    #[inline]
    pub(super) fn check_suspects(&mut self, cx: &mut Context<'_>) {
        if self.checkers.is_on() {
            self.check_each_suspect(cx);
        }
    }

    #[cold]
    fn check_each_suspect(&mut self, cx: &mut Context<'_>) {
        while let Some(path) = self.paths.next_suspect() {
            let mut checkers = self.checkers.checkers.iter();
            let Some(checker) = checkers.position(|checker| checker.paths.contains(&path)) else { continue };
            self.paths_fail(cx, checker);
            self.check(cx, checker);
        }
    }

    /// The paths of a checker count as failed from now on.
    fn paths_fail(&mut self, cx: &mut Context<'_>, checker: usize) {
        let Some(parameters) = self.checkers.parameters else { return };
        let of = &mut self.checkers.checkers[checker];
        if of.failed_since.is_none() {
            of.failed_since = Some(cx.now);
            cx.failures().error_counts().paths_failed += 1;
        }
        of.interval = parameters.failed_interval;
        for place in 0..self.checkers.checkers[checker].paths.len() {
            let path = self.checkers.checkers[checker].paths[place];
            self.paths.check_fails(cx, path);
        }
    }

    /// Sends a check, unless one is in flight, the network reports the path as down, or the path is lost.
    fn check(&mut self, cx: &mut Context<'_>, checker: usize) {
        let Some(parameters) = self.checkers.parameters else { return };
        if cx.background_requests().sources_exhausted() {
            return;
        }
        let Checker { port, device, asked, failed_since, .. } = self.checkers.checkers[checker];
        if asked.is_some() {
            return;
        }
        let lost = failed_since.zip(parameters.lost_after);
        if lost.is_some_and(|(since, after)| cx.now >= since + after) {
            return;
        }
        let path = self.checkers.checkers[checker].paths[0];
        if self.paths.is_reported_down(path) {
            self.paths_fail(cx, checker);
            self.checkers.plan(cx, checker, cx.now + parameters.failed_interval);
            return;
        }
        self.checkers.number += 1;
        let request = Request::path_check(self.checkers.number, device);
        let id = cx.background_requests().ask_detached(port, request);
        self.checkers.checkers[checker].asked = Some((id, cx.now));
        self.checkers.in_flight.push((id, checker));
        self.checkers.awaited.push_back((id, checker, cx.now));
        if self.checkers.awaited.len() == 1 {
            self.checkers.watch_the_first(cx);
        }
    }

    /// Handles the timer: the checks that have not been answered in time have found a failure.
    pub(super) fn check_time_out_due(&mut self, cx: &mut Context<'_>) {
        self.checkers.time_out = None;
        let Some(parameters) = self.checkers.parameters else { return };
        while let Some(&(id, checker, sent)) = self.checkers.awaited.front()
            && sent + parameters.time_out <= cx.now
        {
            self.checkers.awaited.pop_front();
            // The answer to the abort ends the check.
            let port = self.checkers.checkers[checker].port;
            cx.send(port, Message::Abort(id));
        }
        self.checkers.watch_the_first(cx);
    }

    /// An answer has come. Returns whether it was that to a check.
    #[cold]
    pub(super) fn is_check_answered(
        &mut self,
        cx: &mut Context<'_>,
        port: u16,
        id: RequestId,
        status: Status,
    ) -> bool {
        let Some(checker) = self.checkers.checker_of(id) else {
            self.checkers.last_answer = cx.now;
            return false;
        };
        cx.send(port, Message::Release(id));
        cx.background_requests().close_detached(id, status);
        self.checkers.in_flight.retain(|&(other, _)| other != id);
        if self.checkers.awaited.iter().any(|&(other, ..)| other == id) {
            self.checkers.awaited.retain(|&(other, ..)| other != id);
            self.checkers.watch_the_first(cx);
        }
        let Some(parameters) = self.checkers.parameters else { return true };
        let Some((_, sent)) = self.checkers.checkers[checker].asked.take() else { return true };
        // An answer of any other kind has come by the path.
        let works = !matches!(status, Status::Unreachable | Status::Aborted);
        if works {
            self.paths_answer(cx, checker, &parameters);
        } else {
            let newly = self.checkers.checkers[checker].failed_since.is_none();
            self.paths_fail(cx, checker);
            if newly && parameters.in_flight == InFlight::Abort {
                self.abort_in_flight(cx, checker);
            }
        }
        let interval = self.checkers.checkers[checker].interval;
        self.checkers.plan(cx, checker, (sent + interval).max(cx.now));
        self.go_on(cx);
        true
    }

    /// Aborts the I/Os in flight on the paths of a checker.
    fn abort_in_flight(&mut self, cx: &mut Context<'_>, checker: usize) {
        for place in 0..self.checkers.checkers[checker].paths.len() {
            let path = self.checkers.checkers[checker].paths[place];
            let Some((port, device)) = self.paths.begin_of_path(path) else { continue };
            for id in self.time_outs.requests_by_port(port) {
                if cx.request(id).device == device {
                    self.time_outs.no_longer_awaited(cx, id);
                    self.abort(cx, id, port);
                }
            }
        }
    }

    /// The check of a checker has been answered: its paths work.
    fn paths_answer(&mut self, cx: &mut Context<'_>, checker: usize, parameters: &PathCheckerParameters) {
        let of = &mut self.checkers.checkers[checker];
        let was_failed = of.failed_since.take().is_some();
        of.interval = match parameters.interval {
            Some(shortest) if was_failed => shortest,
            _ => (of.interval * 2).min(parameters.longest_interval),
        };
        cx.failures().error_counts().paths_back += u64::from(was_failed);
        for place in 0..self.checkers.checkers[checker].paths.len() {
            let path = self.checkers.checkers[checker].paths[place];
            self.paths.check_answered(cx, path);
        }
    }
}

//! A host: the operating system's driver, which passes requests on to adapters or directly to devices.
//!
//! Longer than 500 lines: every step of a request in the driver uses the same queues.
//!
//! Source: Wang 2005, section 4.3.3.1 (figure 4.13). The arrival process sets up one request at a time and passes it on; at most
//! `outstanding_limit` requests are in flight (255 for the Windows driver, section 3.2.2), the other requests wait. The completion process
//! handles one completion at a time.
//!
//! Requests wait in the queue of their device (section 4.2.2), in which a scheduler chooses the next one and contiguous requests may be
//! merged. Merged requests are passed on as one, a child of the first of them; all of them have the ledger of this child in the meantime.
//!
//! A request that comes back with an error is retried ([`retries`]), a request without an answer in time is aborted ([`time_outs`]), an
//! abort without an answer leads to task management ([`escalation`]), and a
//! device that reports a full queue gets fewer requests ([`throttle`]). A request that fails in zero time is reported a little later
//! ([`refusals`]).
//!
//! A write with a preflush waits for a flush of its device ([`preflush`]). An I/O that is longer than the largest transfer is split ([`splits`]).
//!
//! If a device can be reached on several paths, a policy chooses the path, and another path when that fails ([`PathChoice`]). Paths may be
//! checked at intervals ([`path_checkers`]).

mod catalogue;
mod devices;
mod escalation;
mod limits;
mod on_processors;
mod parameters;
mod path_checkers;
mod preflush;
mod present;
mod refusals;
mod retries;
mod splits;
mod throttle;
mod time_outs;

use catalogue::{CATALOGUE, block, gauge, meter, segment};
pub use parameters::DriverParameters;
pub use path_checkers::{AccessNotice, CheckedUnit, InFlight, PathCheckerParameters};
use sansim_component::demand::{
    Demand, DemandBound, DemandContext, DemandServer, InDriver, RequestClass, ResourceJobDemand, TimeDemand,
};
use sansim_component::limits::LimitParameters;
use sansim_component::policy::{MarginalPaths, PathChoice, PathDecision, PathParameters};

use devices::Devices;
use escalation::Escalations;
use limits::Limits;
use on_processors::OnProcessors;
use path_checkers::PathCheckers;
use present::Present;
use refusals::Refusals;
use retries::Retries;
use sansim_component::scheduling::{QueueOrder, QueuedRequest};
use sansim_component::{
    Action, BuildContext, ByDevice, Component, Context, EventTurn, HostRole, KeysAround, LeftoverFindings,
    Message, Module, ProcessorWork, ProcessorWorkKind, Timer,
};
use sansim_kernel::{Span, Time, TimeWeighted, Total};
use sansim_request::{Request, RequestId, Status};
use sansim_schema::catalogue::Catalogue;
use splits::Splits;
use std::collections::VecDeque;
use time_outs::TimeOuts;

/// The timers of the driver.
mod what {
    pub const ARRIVAL: u8 = 0;
    pub const COMPLETION: u8 = 1;
    pub const LIMIT: u8 = 2;
    pub const RETRY: u8 = 3;
    pub const TIME_OUT: u8 = 4;
    pub const REFUSAL: u8 = 5;
    pub const ESCALATION: u8 = 6;
    pub const PATH_CHECK: u8 = 7;
    pub const CHECK_TIME_OUT: u8 = 8;
}

/// The port number that marks a request which the driver merged from several.
const MERGED: u16 = u16::MAX;
/// The port number that marks a flush which precedes a write.
const PREFLUSH: u16 = u16::MAX - 1;
/// The port number that marks a part of an I/O that is longer than the largest transfer.
const SPLIT: u16 = u16::MAX - 2;

/// A host: the operating system's driver, which passes requests on to adapters or directly to devices.
#[derive(Clone, Debug)]
pub struct Host {
    parameters: DriverParameters,
    paths: PathChoice,
    checkers: PathCheckers,
    limits: Limits,
    devices: Devices,
    /// The processors on which the driver runs, if its host has processors.
    processors: Option<OnProcessors>,
    /// The port by which each request arrived, by the number of the request.
    askers: Vec<u16>,
    in_hand: u64,
    arriving: Option<QueuedRequest>,
    completions: VecDeque<(RequestId, Status)>,
    completing: Option<(RequestId, Status)>,
    outstanding: Present,
    refusals: Refusals,
    retries: Retries,
    splits: Splits,
    time_outs: TimeOuts,
    escalations: Escalations,
    arriving_total: TimeWeighted,
    completing_total: TimeWeighted,
}

impl Host {
    /// An idle host. The first ports of the host are those by which it gets requests; `paths` has the ports by which it sends them.
    /// `shares` has for each device that the host reaches the number of requests that it accepts from this host, if it is limited.
    pub fn new(parameters: &DriverParameters, mut paths: PathChoice, shares: &ByDevice<Option<u64>>) -> Self {
        let most = |share: &Option<u64>| {
            let limits = [*share, parameters.outstanding_per_device];
            limits.into_iter().flatten().min().unwrap_or(u64::MAX)
        };
        let checkers = PathCheckers::new(&parameters.path_checker, &mut paths);
        if parameters.marginal_paths == MarginalPaths::Fpin {
            paths.use_marginal_paths_last();
        }
        Self {
            parameters: parameters.clone(),
            checkers,
            paths: paths.with_adapter_limit(parameters.outstanding_per_adapter),
            limits: Limits::new(&[], &parameters.limits_per_device, &parameters.limits),
            devices: Devices::new(
                &parameters.queue,
                shares.iter().map(|(device, share)| (device, most(share))),
                parameters.merge.map(|most| most.min(parameters.largest_transfer.unwrap_or(u64::MAX))),
            ),
            processors: None,
            askers: Vec::with_capacity(256),
            in_hand: 0,
            arriving: None,
            completions: VecDeque::with_capacity(256),
            completing: None,
            outstanding: Present::default(),
            refusals: Refusals::default(),
            retries: Retries::default(),
            splits: Splits::default(),
            time_outs: TimeOuts::new(parameters.time_out),
            escalations: Escalations::new(&parameters.escalation, parameters.escalation_time),
            arriving_total: TimeWeighted::new(),
            completing_total: TimeWeighted::new(),
        }
    }

    /// Sets the limits of the workload at each port of the driver.
    #[must_use]
    pub fn with_limits(mut self, askers: &[LimitParameters]) -> Self {
        self.limits = Limits::new(askers, &self.parameters.limits_per_device, &self.parameters.limits);
        self
    }

    /// Sets the port of the driver at which its processors are.
    #[must_use]
    pub fn with_processors(mut self, port: Option<u16>) -> Self {
        self.processors = port.map(OnProcessors::new);
        self
    }

    /// Whether requests time out, so that the driver has to know where they are.
    pub fn has_time_outs(&self) -> bool {
        self.parameters.time_out.is_some()
    }

    /// The application issues a request.
    fn arrive(&mut self, cx: &mut Context<'_>, port: u16, id: RequestId) {
        self.came_by(id, port);
        self.in_hand += 1;
        if !self.limits.is_held_by_limit(cx, id, port, 0) {
            self.begin(cx, id);
        }
    }

    /// Passes on the requests that limits no longer hold back.
    fn limit_due(&mut self, cx: &mut Context<'_>) {
        while let Some((id, passed)) = self.limits.next_released_request(cx) {
            if !self.limits.is_held_by_limit(cx, id, self.askers[id.0 as usize], passed) {
                cx.ledger().enter_segment(id, segment::QUEUE);
                self.begin(cx, id);
            }
        }
    }

    /// A request waits for its device.
    fn wait(&mut self, cx: &mut Context<'_>, id: RequestId) {
        self.add_to_queue(cx, id);
        self.take_up(cx);
    }

    fn add_to_queue(&mut self, cx: &Context<'_>, id: RequestId) {
        let request = cx.request(id);
        self.devices.add_waiting_request(request.device, QueuedRequest::new(id, request, cx.now));
    }

    /// Records the port by which a request came.
    fn came_by(&mut self, id: RequestId, port: u16) {
        let number = id.0 as usize;
        if number >= self.askers.len() {
            self.askers.resize(number + 1, 0);
        }
        self.askers[number] = port;
    }

    /// Starts the arrival process on the next request as long as the limits allow. Without an arrival time requests are passed on at once.
    #[inline]
    fn take_up(&mut self, cx: &mut Context<'_>) {
        // Most of the time no device is ready.
        if self.devices.may_pass_any() {
            self.take_up_ready(cx);
        }
    }

    fn take_up_ready(&mut self, cx: &mut Context<'_>) {
        while self.arriving.is_none()
            && self.outstanding.present_request_count() < u64::from(self.parameters.outstanding_limit)
        {
            let paths = &self.paths;
            let Some(next) = self.devices.next_request_to_pass(cx.now, |device| paths.has_free_path(device))
            else {
                return;
            };
            self.outstanding.add_request(cx.now);
            let time = self.parameters.arrival_time;
            if time > Span::ZERO
                && let Some(processors) = &mut self.processors
            {
                processors.submit_setup_work(cx, next, time);
                continue;
            }
            self.devices
                .merged_requests(next.request)
                .for_each(|member| cx.ledger().enter_segment(member, segment::ARRIVAL));
            if self.parameters.arrival_time == Span::ZERO {
                self.pass_on(cx, next);
            } else {
                self.arriving = Some(next);
                self.arriving_total.set(cx.now, 1);
                let at = cx.now + self.parameters.arrival_time;
                cx.set_timer(
                    at,
                    EventTurn::turn_of_node(u32::from(what::ARRIVAL)),
                    Timer::new(what::ARRIVAL, 0),
                );
            }
        }
    }

    fn pass_on(&mut self, cx: &mut Context<'_>, next: QueuedRequest) {
        let id = next.request;
        let wanted = Request { lba: next.lba, bytes: next.bytes, ..*cx.request(id) };
        match self.paths.choose_port(cx.now, &wanted) {
            Some(port) if next.is_merged() => {
                cx.fork_request(id, 1);
                let whole = cx.ask_child(port, id, wanted);
                self.merged(cx, id, whole);
                self.paths.request_sent(cx.now, whole);
                self.time_outs.request_passed_on(cx, whole, port);
            }
            Some(port) => self.send(cx, id, port),
            None => {
                let id = if next.is_merged() {
                    cx.fork_request(id, 1);
                    let whole = cx.child_requests().begin_child(id, wanted, segment::FAIL_OVER);
                    self.merged(cx, id, whole);
                    whole
                } else {
                    id
                };
                let onward = self.paths.wait_for_path(cx, id, segment::FAIL_OVER);
                self.go(cx, id, onward);
            }
        }
    }

    /// Sends a request by a port.
    fn send(&mut self, cx: &mut Context<'_>, id: RequestId, port: u16) {
        self.paths.request_sent(cx.now, id);
        cx.send(port, Message::Request(id, cx.now));
        self.time_outs.request_passed_on(cx, id, port);
    }

    /// Sends a request by the chosen path, or lets it wait for a path.
    fn go(&mut self, cx: &mut Context<'_>, id: RequestId, onward: PathDecision) {
        match onward {
            PathDecision::By(port) => self.send(cx, id, port),
            PathDecision::Waits => {}
            PathDecision::NoWay => self.back(cx, id, Status::Failed),
        }
    }

    /// Paths may have failed or work again: sends the requests that waited for a path.
    fn go_on(&mut self, cx: &mut Context<'_>) {
        while let Some((id, onward)) = self.paths.next_ready_request(cx, segment::FAIL_OVER) {
            self.go(cx, id, onward);
        }
        let paths = &self.paths;
        self.devices.paths_changed(|device| paths.has_free_path(device));
        self.take_up(cx);
    }

    /// The network has reported that frames come in damaged at an end of the path to a device that begins at a port.
    #[cold]
    fn path_is_damaged(&mut self, cx: &mut Context<'_>, device: u32, port: u16) {
        if self.paths.path_is_damaged(device, port) {
            cx.failures().error_counts().paths_marginal += 1;
            self.go_on(cx);
        }
    }

    /// Several requests, of which this is the first, are passed on as one.
    fn merged(&mut self, cx: &mut Context<'_>, first: RequestId, whole: RequestId) {
        self.devices
            .merged_requests(first)
            .skip(1)
            .for_each(|member| cx.child_requests().wait_for_merged_child(member));
        self.came_by(whole, MERGED);
    }

    /// Splits a merged request that is back into the requests that it was made of, and completes each.
    fn take_apart(&mut self, cx: &mut Context<'_>, whole: RequestId, status: Status) -> RequestId {
        let first = cx.request(whole).parent.unwrap_or(whole);
        cx.close_request(whole, status);
        self.devices
            .merged_requests(first)
            .skip(1)
            .for_each(|member| cx.child_requests().merged_child_closed(member, whole));
        first
    }

    /// The arrival process is done with its request.
    fn arrival_due(&mut self, cx: &mut Context<'_>) {
        if let Some(next) = self.arriving.take() {
            self.arriving_total.set(cx.now, 0);
            self.pass_on(cx, next);
        }
        self.take_up(cx);
    }

    /// A processor has worked for a request.
    fn worked(&mut self, cx: &mut Context<'_>, work: ProcessorWork) {
        let (Some(processors), Some(request)) = (&mut self.processors, work.request) else { return };
        match work.of {
            ProcessorWorkKind::Submission => {
                if let Some(next) = processors.setup_work_done(request) {
                    self.devices
                        .merged_requests(next.request)
                        .for_each(|member| cx.ledger().enter_segment(member, segment::ARRIVAL));
                    self.pass_on(cx, next);
                }
            }
            ProcessorWorkKind::Completion(_) => {
                if let Some((port, status)) = processors.completion_work_done(request) {
                    self.learned(cx, port, request, status);
                }
            }
            ProcessorWorkKind::Network(_) => {}
        }
    }

    /// An adapter or a device reports a completion.
    fn answered(&mut self, cx: &mut Context<'_>, port: u16, id: RequestId, status: Status) {
        if self.checkers.is_on() && self.is_check_answered(cx, port, id, status) {
            return;
        }
        self.time_outs.request_answered(cx, id);
        self.escalations.request_answered(cx, id);
        cx.send(port, Message::Release(id));
        match &mut self.processors {
            Some(processors) => {
                let source = self.paths.adapter_of_request(cx, id, port);
                processors.submit_completion_work(
                    cx,
                    (source, port),
                    (id, status),
                    self.parameters.completion_time,
                );
            }
            None => self.learned(cx, port, id, status),
        }
    }

    /// The driver has detected a completion.
    fn learned(&mut self, cx: &mut Context<'_>, port: u16, id: RequestId, status: Status) {
        self.paths.request_answered(cx, id, port);
        if status == Status::Unreachable {
            let onward = self.paths.path_failed(cx, id, port, segment::FAIL_OVER);
            self.go(cx, id, onward);
            self.check_suspects(cx);
        } else {
            self.back(cx, id, status);
        }
    }

    /// A request that was passed on is done, or cannot be done.
    fn back(&mut self, cx: &mut Context<'_>, id: RequestId, status: Status) {
        let is_merged = self.askers[id.0 as usize] == MERGED;
        let id = if is_merged { self.take_apart(cx, id, status) } else { id };
        self.complete(cx, id, status);
    }

    /// Completes a request, and those that were merged with it; no other component has work for them.
    fn complete(&mut self, cx: &mut Context<'_>, id: RequestId, status: Status) {
        self.devices
            .merged_requests(id)
            .for_each(|member| cx.ledger().enter_segment(member, segment::COMPLETION_QUEUE));
        if self.parameters.completion_time == Span::ZERO || self.processors.is_some() {
            self.done(cx, id, status);
        } else if self.completing.is_some() || !self.completions.is_empty() {
            // While the process ends a completion, a request without a path may fail: it is behind those that wait.
            self.completions.push_back((id, status));
        } else {
            self.look_at(cx, id, status);
        }
    }

    fn look_at(&mut self, cx: &mut Context<'_>, id: RequestId, status: Status) {
        self.completing = Some((id, status));
        self.completing_total.set(cx.now, 1);
        self.devices
            .merged_requests(id)
            .for_each(|member| cx.ledger().enter_segment(member, segment::COMPLETION));
        let at = cx.now + self.parameters.completion_time;
        cx.set_timer(
            at,
            EventTurn::turn_of_node(u32::from(what::COMPLETION)),
            Timer::new(what::COMPLETION, 0),
        );
    }

    /// The completion process is done with its request.
    fn completion_due(&mut self, cx: &mut Context<'_>) {
        if let Some((id, status)) = self.completing.take() {
            self.completing_total.set(cx.now, 0);
            self.done(cx, id, status);
        }
        if let Some((id, status)) = self.completions.pop_front() {
            self.look_at(cx, id, status);
        }
    }

    fn done(&mut self, cx: &mut Context<'_>, id: RequestId, status: Status) {
        self.outstanding.remove_requests(cx.now, 1);
        let (paths, device) = (&self.paths, cx.request(id).device);
        if status == Status::Good {
            self.devices.request_served(cx.now, device, self.parameters.queue_ramp_up_time);
        }
        self.devices.request_answered(device, |device| paths.has_free_path(device));
        if self.is_tried_again(cx, id, status) {
            self.take_up(cx);
            return;
        }
        if !self.reports_later(cx, id, status) {
            self.report(cx, id, status);
        }
        self.take_up(cx);
    }

    /// Answers a request, and all that were merged with it.
    fn report(&mut self, cx: &mut Context<'_>, id: RequestId, status: Status) {
        if self.askers[id.0 as usize] == PREFLUSH {
            self.preflush_done(cx, id, status);
            return;
        }
        if self.parameters.largest_transfer.is_some() {
            self.report_parts(cx, id, status);
            return;
        }
        for member in self.devices.merged_requests(id) {
            self.in_hand -= 1;
            cx.answer(self.askers[member.0 as usize], member, status);
        }
    }
}

impl Component for Host {
    type Parameters = (DriverParameters, PathParameters);
    type Role = HostRole;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn demand(
        (parameters, _): &Self::Parameters,
        class: &RequestClass,
        around: &DemandContext<'_>,
    ) -> Option<Demand> {
        if parameters.merge.is_some() && around.say == DemandBound::Least {
            return Some(Demand::wholly_uncertain("a host merges I/Os"));
        }
        let splits = parameters.largest_transfer.is_some_and(|most| class.bytes > most as f64);
        if splits && around.say == DemandBound::Least {
            return Some(Demand::wholly_uncertain("a host splits I/Os"));
        }
        let parts = parameters.parts_of(class.bytes);
        let part = RequestClass { bytes: class.bytes / parts, ..*class };
        let ns = [parameters.arrival_time, parameters.completion_time].map(|takes| takes.as_ns_f64());
        // The mean demand is that of I/Os that are passed on one by one as they come.
        let less_because = if around.say == DemandBound::Mean && parameters.outstanding_per_adapter.is_some()
        {
            Some("a host limits the requests in flight")
        } else if around.say == DemandBound::Mean && parameters.has_rate_limit() {
            Some("a host limits the requests that begin in a time")
        } else if splits {
            Some("a host splits I/Os")
        } else {
            None
        };
        let in_driver = InDriver {
            outstanding: Some(parameters.outstanding_limit.into()),
            per_device: parameters.outstanding_per_device,
            reorders: parameters.queue != QueueOrder::default(),
            merges: parameters.merge.is_some(),
        };
        if around.is_inside {
            // The processors of the host do the work of both processes.
            let modules = [Module::Command, Module::Completion].into_iter();
            let job =
                |(module, time_ns)| ResourceJobDemand { module, times: parts, bytes: part.bytes, time_ns };
            let jobs = modules.zip(ns).map(job).collect();
            return Some(
                Demand { jobs, less_because, in_driver, ..Demand::default() }
                    .with_child_requests(part, parts),
            );
        }
        // Two processes, each of which works for one request at a time.
        let server =
            |name, ns| DemandServer { name, servers: 1, queues: 1, takes: TimeDemand::fixed_ns(ns * parts) };
        let servers = vec![server("arrival", ns[0]), server("completion", ns[1])];
        Some(
            Demand { servers, less_because, in_driver, ..Demand::default() }.with_child_requests(part, parts),
        )
    }

    fn build((parameters, path): &Self::Parameters, cx: &BuildContext<'_, HostRole>) -> Self {
        Self::new(parameters, PathChoice::new(&cx.paths, path), &cx.shares)
            .with_limits(&cx.limits)
            .with_processors(cx.uses.clone().next())
    }

    fn start(&mut self, cx: &mut Context<'_>) {
        self.begin_checks(cx);
    }

    #[inline(always)]
    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        match timer.what {
            what::ARRIVAL => self.arrival_due(cx),
            what::LIMIT => self.limit_due(cx),
            what::RETRY => self.retry_due(cx),
            what::TIME_OUT => self.time_out_due(cx),
            what::REFUSAL => self.refusal_due(cx),
            what::ESCALATION => self.escalation_due(cx),
            what::PATH_CHECK => self.checks_due(cx),
            what::CHECK_TIME_OUT => self.check_time_out_due(cx),
            PathChoice::TIMER => {
                self.paths.handle_due_timer(cx);
                self.go_on(cx);
            }
            _ => self.completion_due(cx),
        }
    }

    #[inline(always)]
    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        match message {
            Message::Request(request, _) => self.arrive(cx, port, request),
            Message::WriteCredit(..) | Message::ReadDataUpTo(..) => cx.move_through_memory(port, message),
            Message::Done(request, status) => self.answered(cx, port, request, status),
            Message::Worked(work) => self.worked(cx, work),
            Message::PathDamaged(device) => self.path_is_damaged(cx, device, port),
            _ => {}
        }
    }

    /// The limits of the driver and of workloads change.
    fn change(&mut self, cx: &mut Context<'_>, (parameters, _): &Self::Parameters, around: &KeysAround<'_>) {
        self.parameters.outstanding_limit = parameters.outstanding_limit;
        (self.parameters.limits, self.parameters.limits_per_device) =
            (parameters.limits, parameters.limits_per_device);
        self.limits.change(around.limits, &parameters.limits_per_device, &parameters.limits);
        self.go_on(cx);
    }

    fn act(&mut self, cx: &mut Context<'_>, action: Action) {
        self.paths.apply_action(cx, action);
        self.go_on(cx);
    }

    fn fault(&self) -> Option<String> {
        self.paths.stuck_reason()
    }

    fn gauge(&self, _now: Time, gauge: usize, _place: u16) -> u32 {
        match gauge {
            gauge::WAITING => self.devices.waiting_requests().present_request_count() as u32,
            gauge::OUTSTANDING => self.outstanding.present_request_count() as u32,
            _ => 0,
        }
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        match meter {
            meter::WAITING => self.devices.waiting_requests().total_presence_time(now),
            meter::OUTSTANDING => self.outstanding.total_presence_time(now),
            _ => Total(self.devices.merged_request_count().into()),
        }
    }

    fn busy(&self, now: Time, block: usize) -> Total {
        match block {
            block::ARRIVAL => self.arriving_total.total(now),
            _ => self.completing_total.total(now),
        }
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        leftovers.check_zero("requests left in a driver", self.in_hand);
    }
}

#[cfg(test)]
mod tests;

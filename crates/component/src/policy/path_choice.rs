//! The choice of the path of a request to its device, and failover: common to all components that send requests to devices on several
//! paths.
//!
//! The initiating component is notified when a path fails and when it works again ([`EventAction::PathFails`], [`EventAction::PathWorks`]);
//! a Fibre Channel network reports a link that goes down and a port that is gone. A failed path counts as failed `fail_over_time` later,
//! and is used again `fail_back_time` after it works again.
//!
//! With checkers a failed path is used again only when a check of it has been answered ([`PathChoice::use_checkers`]).
//!
//! A request that comes back because its path has failed ([`Status::Unreachable`](sansim_request::Status)) waits until the path counts as
//! failed; then it continues on another path. A request without a path waits for one as long as `no_way_time` allows. Waiting requests
//! continue in the order in which they came back.

use super::checked_paths::CheckedPaths;
use super::path_table::{DevicePath, PathState, PathTable};
use super::{AccessState, ChoiceContext, PathParameters, PolicyName, TurnLength};
use crate::by_device::ByDevice;
use crate::context::Context;
use crate::contract::Action;
use crate::incident_log::{IncidentKind, IncidentSubject};
use crate::site::{EventTurn, Timer};
use sansim_kernel::{Span, Time};
use sansim_request::{Request, RequestId, RequestMap};
use std::collections::VecDeque;

/// The next step of a request for a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathDecision {
    /// The component sends the request on the path that begins at this port.
    By(u16),
    /// The request waits for a path; [`PathChoice::next_ready_request`] returns the request when it continues.
    Waits,
    /// No path leads to the device.
    NoWay,
}

/// The choice of the path of a request to its device, and failover to other paths.
#[derive(Clone, Debug)]
pub struct PathChoice {
    parameters: PathParameters,
    pub(super) ways: PathTable,
    /// Whether paths at whose ends frames come in damaged are used last.
    pub(super) marginal_last: bool,
    /// The knowledge of checkers of paths; none without checkers.
    checked: Option<CheckedPaths>,
    /// Requests that came back from paths that do not count as failed yet, with the port.
    back: VecDeque<(RequestId, u16)>,
    /// Requests without a path, each with the time until which it waits if there is a limit.
    without: VecDeque<(RequestId, Option<Time>)>,
    /// The earliest time at which one of the waiting requests gives up, if a timer is set for it.
    until: Option<Time>,
    /// Devices with failed paths, each with the time until which a request would wait if no path is left.
    failing: Vec<(u32, Option<Time>)>,
    /// Devices that were lost because no path was left, and not reported yet.
    lost: VecDeque<u32>,
    /// Requests that continue now.
    ready: VecDeque<RequestId>,
    /// The time at which each request in flight was sent, if the policy learns from answers.
    sent: RequestMap<Time>,
}

impl PathChoice {
    /// The kind of the timers of a path choice: their owner forwards them to [`PathChoice::handle_due_timer`].
    pub const TIMER: u8 = u8::MAX;

    /// The choice among `ways`, the paths to each device.
    pub fn new(ways: &ByDevice<Vec<DevicePath>>, parameters: &PathParameters) -> Self {
        Self {
            parameters: parameters.clone(),
            ways: PathTable::new(ways, &parameters.path),
            marginal_last: false,
            checked: None,
            back: VecDeque::new(),
            without: VecDeque::new(),
            until: None,
            failing: Vec::new(),
            lost: VecDeque::new(),
            ready: VecDeque::new(),
            sent: RequestMap::default(),
        }
    }

    /// Limits the requests in flight per adapter, and between two adapters by the entries of their queues; requests that continue on another path after a failure are exempt.
    #[must_use]
    pub fn with_adapter_limit(mut self, limit: Option<u64>) -> Self {
        self.ways.set_adapter_limit(limit.and_then(|limit| u32::try_from(limit).ok()).unwrap_or(u32::MAX));
        self
    }

    /// Whether a request can be sent to a device now on one of its paths; also true without a path, because the lack of a path is found
    /// when the request is sent.
    #[inline]
    pub fn has_free_path(&self, device: u32) -> bool {
        self.ways.has_free_path(device)
    }

    /// The port for a request, which is in flight from now on; none if no path leads to its device.
    pub fn choose_port(&mut self, now: Time, request: &Request) -> Option<u16> {
        let PathParameters { path_turn_ios: ios, path_turn_bytes: bytes, .. } = self.parameters;
        let nodes = self.parameters.numa_nodes;
        self.ways.choose_port(&ChoiceContext { now, turn: TurnLength { ios, bytes }, nodes }, request)
    }

    /// Whether the policy learns from the answers to requests.
    fn learns(&self) -> bool {
        self.parameters.path.built_in().is_some_and(PolicyName::learns)
    }

    /// A request is sent on the chosen path.
    #[inline]
    pub fn request_sent(&mut self, now: Time, id: RequestId) {
        if self.learns() {
            self.sent.insert(id, now);
        }
    }

    /// Chooses a path for a request. A request that has to wait is in this segment of the initiating component.
    pub fn decide_path(&mut self, cx: &mut Context<'_>, id: RequestId, segment: usize) -> PathDecision {
        match self.choose_port(cx.now, cx.request(id)) {
            Some(port) => PathDecision::By(port),
            None => self.wait_for_path(cx, id, segment),
        }
    }

    /// Lets a request without a path wait for one in this segment of the initiating component, if waiting is allowed.
    pub fn wait_for_path(&mut self, cx: &mut Context<'_>, id: RequestId, segment: usize) -> PathDecision {
        let until = match self.parameters.no_way_time {
            Some(Span::ZERO) => return PathDecision::NoWay,
            limit => limit.map(|limit| cx.now + limit),
        };
        cx.ledger().enter_segment(id, segment);
        self.without.push_back((id, until));
        self.watch_the_first(cx);
        PathDecision::Waits
    }

    /// The adapter by which a request went, given its port; the adapter is named by the first of its ports, as interrupts come from
    /// adapters.
    pub fn adapter_of_request(&self, cx: &Context<'_>, id: RequestId, port: u16) -> u16 {
        self.ways.adapter_of_port(cx.request(id).device, port)
    }

    /// A request that went by a port has been answered.
    pub fn request_answered(&mut self, cx: &Context<'_>, id: RequestId, port: u16) {
        let request = cx.request(id);
        self.ways.request_answered(request, port);
        if self.learns()
            && let Some(sent) = self.sent.remove(&id)
        {
            self.ways.policy_learns(request, port, sent, cx.now);
        }
    }

    /// Handles a request that was answered because its path failed. A request that has to wait is in this segment of the initiating
    /// component.
    pub fn path_failed(
        &mut self,
        cx: &mut Context<'_>,
        id: RequestId,
        port: u16,
        segment: usize,
    ) -> PathDecision {
        let state = self.ways.path_state_at_port(cx.request(id).device, port);
        if let Some(PathState::Failing(_)) = state {
            cx.ledger().enter_segment(id, segment);
            self.back.push_back((id, port));
            return PathDecision::Waits;
        }
        self.suspect_path(cx, cx.request(id).device, port);
        self.decide_path(cx, id, segment)
    }

    /// Marks a path as failed or as repaired. The initiating component then calls [`PathChoice::next_ready_request`] for the requests that
    /// can continue.
    pub fn apply_action(&mut self, cx: &mut Context<'_>, action: Action) {
        self.ports_changed(action);
        match action {
            Action::PathFails(number) => self.fails(cx, number as usize),
            Action::PathWorks(number) => self.works(cx, number as usize),
            Action::PathAccess(number, access) => self.access_changes(number as usize, access),
            Action::Fail
            | Action::Repair
            | Action::DeviceFails(_)
            | Action::Access(..)
            | Action::Slow(_)
            | Action::Delay(_)
            | Action::Silence
            | Action::Unreadable { .. }
            | Action::Network(_) => {}
        }
        self.look_for_lost(cx);
        self.release(cx);
    }

    /// Finds the devices that no path has reached for as long as `no_way_time` allows.
    fn look_for_lost(&mut self, cx: &mut Context<'_>) {
        let Self { parameters, ways, failing, lost, .. } = self;
        failing.retain_mut(|(device, until)| {
            if ways.has_path_to(*device) {
                *until = None;
                return true;
            }
            let Some(limit) = parameters.no_way_time else { return true };
            let due = *until.get_or_insert_with(|| {
                if limit > Span::ZERO {
                    Self::wake(cx, cx.now + limit);
                }
                cx.now + limit
            });
            if due <= cx.now {
                lost.push_back(*device);
            }
            due > cx.now
        });
    }

    /// Returns the next lost device: no path has led to it for as long as a request waits for one (`no_way_time`). A device is returned once
    /// each time it is lost.
    pub fn next_lost_device(&mut self) -> Option<u32> {
        self.lost.pop_front()
    }

    fn fails(&mut self, cx: &mut Context<'_>, number: usize) {
        if let Some(checked) = &mut self.checked {
            checked.set_down(number, true);
        }
        let noticed = cx.now + self.parameters.fail_over_time;
        self.may_be_lost(self.ways.device_of_path(number));
        let state = match self.ways.path_state(number) {
            Some(PathState::Works) if noticed > cx.now => {
                Self::wake(cx, noticed);
                PathState::Failing(noticed)
            }
            // A path that is not used yet need not be given up.
            before => {
                if before != Some(PathState::Failed) {
                    self.report(cx, number, IncidentKind::PathFailed);
                }
                PathState::Failed
            }
        };
        self.ways.set_path_state(number, state);
    }

    /// Reports what the component has noticed of a path.
    #[cold]
    fn report(&self, cx: &mut Context<'_>, number: usize, kind: IncidentKind) {
        let device = IncidentSubject::Device(self.ways.device_of_path(number));
        let now = cx.now;
        cx.failures().report_incident(kind, now, device);
    }

    /// The access state of a device by a path has changed, and the component has been notified of it. Source: NVMe, asymmetric namespace
    /// access change event; SPC-4, unit attention for a changed asymmetric access state. Assumption: the notice takes no time.
    fn access_changes(&mut self, number: usize, access: AccessState) {
        if self.checked.as_mut().is_some_and(|checked| checked.access_is_learned(number, access)) {
            return;
        }
        self.ways.set_access_state(number, access);
        self.may_be_lost(self.ways.device_of_path(number));
    }

    /// The device may be without a path from now on.
    fn may_be_lost(&mut self, device: u32) {
        if !self.failing.iter().any(|&(other, _)| other == device) {
            self.failing.push((device, None));
        }
    }

    fn works(&mut self, cx: &mut Context<'_>, number: usize) {
        if let Some(checked) = &mut self.checked {
            checked.set_down(number, false);
            // A path that counts as failed is used again when its checker has found that it works.
            if !matches!(self.ways.path_state(number), Some(PathState::Failing(_))) {
                return;
            }
        }
        self.path_is_back(cx, number);
    }

    /// A path works again, and is used again when `fail_back_time` is over.
    fn path_is_back(&mut self, cx: &mut Context<'_>, number: usize) {
        if self.is_path_failed(number) {
            self.report(cx, number, IncidentKind::PathBack);
        }
        let back = self.parameters.fail_back_time.map(|time| cx.now + time);
        let state = match self.ways.path_state(number) {
            // The outage was so short that the path never counted as failed.
            Some(PathState::Failing(_)) => PathState::Works,
            _ if back == Some(cx.now) => PathState::Works,
            _ => {
                if let Some(back) = back {
                    Self::wake(cx, back);
                }
                PathState::Spare(back)
            }
        };
        self.ways.set_path_state(number, state);
    }

    /// Handles a timer. The initiating component then calls [`PathChoice::next_ready_request`] for the requests that can continue.
    pub fn handle_due_timer(&mut self, cx: &mut Context<'_>) {
        for number in 0..self.ways.path_count() {
            if matches!(self.ways.path_state(number), Some(PathState::Failing(noticed)) if noticed <= cx.now)
            {
                self.report(cx, number, IncidentKind::PathFailed);
            }
        }
        self.ways.update_timed_states(cx.now);
        self.look_for_lost(cx);
        self.release(cx);
    }

    /// Releases the waiting requests that can continue.
    fn release(&mut self, cx: &Context<'_>) {
        let Self { ways, back, without, ready, .. } = self;
        back.retain(|&(id, port)| {
            let waits =
                matches!(ways.path_state_at_port(cx.request(id).device, port), Some(PathState::Failing(_)));
            if !waits {
                ready.push_back(id);
            }
            waits
        });
        without.retain(|&(id, _)| {
            let waits = !ways.has_path_to(cx.request(id).device);
            if !waits {
                ready.push_back(id);
            }
            waits
        });
    }

    /// Drops a request that waits for a path.
    pub fn drop_waiting_request(&mut self, id: RequestId) {
        self.back.retain(|&(other, _)| other != id);
        self.without.retain(|&(other, _)| other != id);
        self.ready.retain(|&other| other != id);
    }

    /// The next request that continues, or has waited for too long. A returned request that has to wait again is in this segment.
    pub fn next_ready_request(
        &mut self,
        cx: &mut Context<'_>,
        segment: usize,
    ) -> Option<(RequestId, PathDecision)> {
        if let Some(id) = self.ready.pop_front() {
            return Some((id, self.decide_path(cx, id, segment)));
        }
        let &(id, Some(until)) = self.without.front()? else { return None };
        if until > cx.now {
            self.watch_the_first(cx);
            return None;
        }
        self.without.pop_front();
        Some((id, PathDecision::NoWay))
    }

    /// Sets a timer so that the request that has waited longest does not wait for too long.
    fn watch_the_first(&mut self, cx: &mut Context<'_>) {
        let Some(&(_, Some(until))) = self.without.front() else { return };
        if self.until != Some(until) {
            self.until = Some(until);
            Self::wake(cx, until);
        }
    }

    fn wake(cx: &mut Context<'_>, at: Time) {
        cx.set_timer(at, EventTurn::turn_of_node(u32::from(Self::TIMER)), Timer::new(Self::TIMER, 0));
    }

    /// The number of requests that wait for a path.
    pub fn waiting_request_count(&self) -> u32 {
        (self.back.len() + self.without.len() + self.ready.len()) as u32
    }

    /// The reason why the requests cannot go on, at the end of a run: none of the paths that they wait for is repaired.
    pub fn stuck_reason(&self) -> Option<String> {
        let waiting = self.without.len();
        (waiting > 0).then(|| {
            format!(
                "requests that wait for a way to their device: {waiting}, and no such way is repaired any more; repair one in \
                 a later [[event]], or give `no_way_time` a limit"
            )
        })
    }
}

impl PathChoice {
    /// Has a path that has failed used again only after [`PathChoice::check_answered`]. With `learns_access` the access states of devices are
    /// known from answers, not when they change.
    pub fn use_checkers(&mut self, learns_access: bool) {
        self.checked = Some(CheckedPaths::new(&self.ways, learns_access));
    }

    /// All paths that frames go by, by their numbers: the port at which each begins, the numbers of the adapters at its ends, and its device.
    pub fn checkable_paths(&self) -> impl Iterator<Item = (usize, u16, (u16, u32), u32)> + '_ {
        let paths = (0..self.ways.path_count()).filter_map(|number| Some((number, self.ways.path(number)?)));
        paths
            .filter(|(_, (way, _))| way.is_on_network)
            .map(|(number, (way, device))| (number, way.port, (way.adapter, way.server), device))
    }

    /// The port at which a path begins, and its device.
    pub fn begin_of_path(&self, number: usize) -> Option<(u16, u32)> {
        self.ways.path(number).map(|(way, device)| (way.port, device))
    }

    /// Whether the network reports a path as down, so that a check would find nothing else.
    pub fn is_reported_down(&self, number: usize) -> bool {
        self.checked.as_ref().is_some_and(|checked| checked.is_down(number))
    }

    /// Whether the component takes a path as failed.
    pub fn is_path_failed(&self, number: usize) -> bool {
        self.ways.path_state(number) == Some(PathState::Failed)
    }

    /// An I/O for a device on the path that begins at a port was not answered in time, or came back as unreachable: the path counts as
    /// failed until a check of it is answered. Returns whether the path worked until now.
    pub fn suspect_path(&mut self, cx: &mut Context<'_>, device: u32, port: u16) -> bool {
        if self.checked.is_none() {
            return false;
        }
        let found = self.ways.number(device, port);
        let Some(number) =
            found.filter(|&number| self.ways.path(number).is_some_and(|(way, _)| way.is_on_network))
        else {
            return false;
        };
        if let Some(checked) = &mut self.checked {
            checked.suspect(number);
        }
        self.check_fails(cx, number)
    }

    /// The next path that is to be checked at once.
    pub fn next_suspect(&mut self) -> Option<usize> {
        self.checked.as_mut()?.next_suspect()
    }

    /// A check of a path has not been answered, or has been answered by an adapter that does not reach the device. Returns whether the path
    /// worked until now. The component then calls [`PathChoice::next_ready_request`] for the requests that can continue.
    pub fn check_fails(&mut self, cx: &mut Context<'_>, number: usize) -> bool {
        self.learn_access(number);
        match self.ways.path_state(number) {
            // The network has reported the failure, which is noticed in time.
            Some(PathState::Failed | PathState::Failing(_)) | None => return false,
            Some(PathState::Works | PathState::Spare(_)) => {}
        }
        self.ways.set_path_state(number, PathState::Failed);
        self.report(cx, number, IncidentKind::PathFailed);
        self.may_be_lost(self.ways.device_of_path(number));
        self.look_for_lost(cx);
        self.release(cx);
        true
    }

    /// A check of a path has been answered. Returns whether the path counted as failed until now. The component then calls
    /// [`PathChoice::next_ready_request`] for the requests that can continue.
    pub fn check_answered(&mut self, cx: &mut Context<'_>, number: usize) -> bool {
        self.learn_access(number);
        let was_failed = self.is_path_failed(number) && !self.is_reported_down(number);
        if was_failed {
            self.path_is_back(cx, number);
        }
        self.look_for_lost(cx);
        self.release(cx);
        was_failed
    }

    /// The component reads the access state of the device by a path. Assumption: it is the state at the moment of the answer.
    fn learn_access(&mut self, number: usize) {
        let state = self.checked.as_ref().and_then(|checked| checked.learned_access(number));
        if let Some(state) = state {
            self.ways.set_access_state(number, state);
            self.may_be_lost(self.ways.device_of_path(number));
        }
    }
}

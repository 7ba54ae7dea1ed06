//! A component between hosts and devices that delays, limits or filters requests before it passes them on.
//!
//! The rule of the component decides for each request whether and when it may continue ([`PassThrough`]). [`PassThroughLayer`] does all
//! other work, which is the same for every rule: it grants buffer space for writes, sends requests to the device behind, chooses paths,
//! handles aborts and failures, and answers. A [`PassThroughLayer`] presents each device behind it as a device of its own, of the same
//! capacity.

use crate::child_requests::{ChildRequests, CompletedChild};
use crate::demand::{Demand, DemandContext, RequestClass};
use crate::layered::LayeredDeviceKeys;
use crate::policy::{PathChoice, PathParameters};
use crate::{
    Action, BuildContext, Component, Context, DeviceAccess, DeviceRole, EventTurn, LeftoverFindings, Message,
    Timer, WarmAccessResult,
};
use sansim_kernel::{EventKey, Order, Time};
use sansim_request::{ParentState, Request, RequestId, RequestMap, Status};
use sansim_schema::catalogue::{Catalogue, Gauge, Segment};
use sansim_schema::table::Tabular;
use std::collections::VecDeque;

/// Whether a request may go on to the device behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassDecision {
    /// The request goes on at this time, or now if the time has passed.
    At(Time),
    /// The request waits until another request has come back; then the rule decides again.
    Waits,
    /// The request never continues: this is its answer.
    Refused(Status),
}

/// The keys of a component between hosts and devices, and its rule.
pub trait PassThrough: Tabular + Clone + PartialEq {
    /// The rule keeps this state about the requests that it holds.
    type State;

    /// The segment of a request that may not go on yet.
    const HELD: Segment;

    /// The state of the rule before the first request.
    fn begin(&self) -> Self::State;

    /// Decides whether a request goes on; it has arrived with all data of a write.
    fn passes(&self, state: &mut Self::State, now: Time, request: &Request) -> PassDecision;

    /// Notes that a request came back from the device.
    fn returns(&self, _state: &mut Self::State, _now: Time, _request: &Request) {}

    /// The time for which the rule holds a request that meets no other, in nanoseconds, for a network of queues; none if that depends on
    /// other requests.
    fn holds_ns(&self) -> Option<f64> {
        None
    }
}

/// Segments, by their numbers in the catalogue.
mod segment {
    pub const DATA: usize = 0;
    pub const HELD: usize = 1;
    pub const FAIL_OVER: usize = 2;
}

/// A request that the component has.
#[derive(Clone, Copy, Debug)]
struct InHand {
    /// The port by which the request came.
    port: u16,
    stage: Stage,
    aborted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The data of a write are to come.
    Data,
    /// The request waits for a time at which it may go on.
    Held(EventKey),
    /// The request waits for other requests.
    Waits,
    /// The device behind has the request.
    Behind,
    Answered,
}

/// A component between hosts and devices.
#[derive(Clone, Debug)]
pub struct PassThroughLayer<P: PassThrough> {
    parameters: P,
    state: P::State,
    behind: ChildRequests,
    /// The index of the device behind for each presented device, by the number of the presented device in the system.
    places: Vec<Option<u32>>,
    in_hand: RequestMap<InHand>,
    waiting: VecDeque<RequestId>,
    failed: bool,
}

impl<P: PassThrough> PassThroughLayer<P> {
    /// A component between its askers and these devices. `places` maps the number of a presented device in the system to the index of the
    /// device behind it.
    pub fn new(parameters: &P, places: Vec<Option<u32>>, behind: ChildRequests) -> Self {
        Self {
            state: parameters.begin(),
            parameters: parameters.clone(),
            behind,
            places,
            in_hand: RequestMap::default(),
            waiting: VecDeque::with_capacity(16),
            failed: false,
        }
    }

    fn arrive(&mut self, cx: &mut Context<'_>, port: u16, id: RequestId) {
        self.in_hand.insert(id, InHand { port, stage: Stage::Data, aborted: false });
        cx.ledger().locate_request(id, segment::DATA);
        let request = *cx.request(id);
        if self.failed {
            self.answer(cx, id, Status::Failed);
        } else if request.is_write() {
            cx.send(port, Message::WriteCredit(id, request.data_bytes()));
        } else {
            self.consider(cx, id);
        }
    }

    /// Passes a request on if the rule allows it. Returns whether the rule has decided about the request for good.
    fn consider(&mut self, cx: &mut Context<'_>, id: RequestId) -> bool {
        let passage = self.parameters.passes(&mut self.state, cx.now, cx.request(id));
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return true };
        match passage {
            PassDecision::At(at) if at > cx.now => {
                let key = cx.set_cancellable_timer(
                    at,
                    EventTurn::turn_of_node(id.0 % Order::UNITS),
                    Timer::new(0, id.0),
                );
                in_hand.stage = Stage::Held(key);
                cx.ledger().enter_segment(id, segment::HELD);
            }
            PassDecision::At(_) => self.ask(cx, id),
            PassDecision::Refused(status) => self.answer(cx, id, status),
            PassDecision::Waits if in_hand.stage == Stage::Waits => return false,
            PassDecision::Waits => {
                in_hand.stage = Stage::Waits;
                self.waiting.push_back(id);
                cx.ledger().enter_segment(id, segment::HELD);
            }
        }
        true
    }

    fn ask(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let request = *cx.request(id);
        let place = self.places.get(request.device as usize).copied().flatten();
        let (Some(place), Some(in_hand)) = (place, self.in_hand.get_mut(&id)) else { return };
        in_hand.stage = Stage::Behind;
        cx.fork_request(id, 1);
        let first = request.first_byte();
        self.behind.ask_device(cx, id, place, request.operation, first..first + request.bytes);
    }

    /// Handles the requests that have come back, and passes on the requests that waited for them.
    fn proceed(&mut self, cx: &mut Context<'_>) {
        while let Some(CompletedChild { status, returned, .. }) = self.behind.close_next_done(cx) {
            if let ParentState::Satisfied(id, _) = returned.joined {
                self.parameters.returns(&mut self.state, cx.now, cx.request(id));
                self.answer(cx, id, status);
            }
        }
        while let Some(&first) = self.waiting.front() {
            if !self.consider(cx, first) {
                break;
            }
            self.waiting.pop_front();
        }
    }

    /// The initiating component has aborted a request.
    fn give_up(&mut self, cx: &mut Context<'_>, id: RequestId, status: Status) {
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        match in_hand.stage {
            Stage::Answered => return,
            Stage::Behind => {
                if !std::mem::replace(&mut in_hand.aborted, true) {
                    let parts: Vec<RequestId> = cx.requests().children_of(id).collect();
                    parts.into_iter().for_each(|part| self.behind.abort_child(cx, part));
                }
                return;
            }
            Stage::Held(key) => {
                cx.cancel_timer(key);
            }
            Stage::Waits => self.waiting.retain(|&waiting| waiting != id),
            Stage::Data => {}
        }
        self.answer(cx, id, status);
    }

    fn answer(&mut self, cx: &mut Context<'_>, id: RequestId, status: Status) {
        if let Some(in_hand) = self.in_hand.get_mut(&id) {
            in_hand.stage = Stage::Answered;
            cx.ledger().locate_request(id, segment::DATA);
            cx.answer_from_memory(in_hand.port, id, status);
        }
    }

    /// Ends all requests of the component with an error.
    fn fail(&mut self, cx: &mut Context<'_>) {
        self.failed = true;
        (0..)
            .zip(&self.places)
            .filter(|(_, place)| place.is_some())
            .for_each(|(own, _)| cx.failures().report_device_failure(own));
        let mut ids: Vec<RequestId> = self.in_hand.keys().copied().collect();
        ids.sort_unstable();
        ids.into_iter().for_each(|id| self.give_up(cx, id, Status::Failed));
    }

    /// Reports the failure of the presented device whose device behind has failed.
    fn place_fails(&self, cx: &mut Context<'_>, failed: u32) {
        let mut own = (0..).zip(&self.places).filter(|(_, place)| **place == Some(failed));
        own.by_ref().for_each(|(own, _)| cx.failures().report_device_failure(own));
    }

    fn tell_of_lost(&mut self, cx: &mut Context<'_>) {
        while let Some(place) = self.behind.next_lost_device() {
            self.place_fails(cx, place);
        }
    }
}

impl<P: PassThrough> Component for PassThroughLayer<P> {
    type Parameters = (P, PathParameters);
    type Role = DeviceRole;

    const CATALOGUE: &'static Catalogue = &Catalogue {
        segments: &[
            Segment::wait(
                "passing",
                "passing",
                "The request passes the component, or its data are in flight to it.",
            ),
            P::HELD,
            Segment::wait(
                "fail_over",
                "fail-over",
                "Waiting for another path to the device, because one has failed.",
            )
            .coloured("#EE7733"),
        ],
        gauges: &[Gauge::new("behind", "behind", "Requests in flight at the devices behind.")],
        ..Catalogue::EMPTY
    };

    fn demand(
        (parameters, _): &Self::Parameters,
        class: &RequestClass,
        _around: &DemandContext<'_>,
    ) -> Option<Demand> {
        let delay_ns = parameters.holds_ns()?;
        Some(Demand { delay_ns, ..Demand::default() }.with_child_requests(*class, 1.0))
    }

    fn build((parameters, path): &Self::Parameters, cx: &BuildContext<'_, DeviceRole>) -> Self {
        Self::new(parameters, cx.device_indices(), ChildRequests::new(cx, path, segment::FAIL_OVER))
    }

    fn warm(&mut self, access: &DeviceAccess, behind: &mut Vec<DeviceAccess>) -> WarmAccessResult {
        let Some(place) = self.places.get(access.device as usize).copied().flatten() else {
            return WarmAccessResult::Not;
        };
        behind.push(DeviceAccess { device: self.behind.device_number(place), ..access.clone() });
        WarmAccessResult::Done
    }

    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        if timer.what == PathChoice::TIMER {
            self.behind.handle_due_timer(cx);
            self.tell_of_lost(cx);
        } else {
            self.ask(cx, RequestId(timer.number));
        }
        self.proceed(cx);
    }

    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        if !self.behind.receive(cx, port, message) {
            match message {
                Message::Request(id, _) => self.arrive(cx, port, id),
                Message::WriteDataUpTo(id, upto) if upto == cx.request(id).data_bytes() => {
                    self.consider(cx, id);
                }
                Message::Release(id) => {
                    self.in_hand.remove(&id);
                }
                Message::Abort(id) => self.give_up(cx, id, Status::Aborted),
                _ => {}
            }
        }
        self.proceed(cx);
    }

    fn act(&mut self, cx: &mut Context<'_>, action: Action) {
        match action {
            Action::Fail => self.fail(cx),
            Action::Repair => self.failed = false,
            Action::DeviceFails(device) => {
                if let Some(place) = self.behind.device_index(device) {
                    self.place_fails(cx, place);
                }
            }
            ways => self.behind.apply_action(cx, ways),
        }
        self.tell_of_lost(cx);
        self.proceed(cx);
    }

    fn gauge(&self, _now: Time, _gauge: usize, _place: u16) -> u32 {
        self.behind.child_requests_in_flight()
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        leftovers.check_zero("requests left between", self.in_hand.len() as u64);
        leftovers.check_zero("requests left behind", u64::from(self.behind.child_requests_in_flight()));
    }

    fn fault(&self) -> Option<String> {
        self.behind.stuck_reason()
    }
}

impl<P: PassThrough> LayeredDeviceKeys for P
where
    P::State: std::fmt::Debug + Clone,
{
    type Device = PassThroughLayer<P>;

    fn presents(&self, behind: &[u64]) -> Vec<u64> {
        behind.to_vec()
    }
}

#[cfg(test)]
mod tests;

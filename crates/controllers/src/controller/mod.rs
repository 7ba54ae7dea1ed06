//! A storage controller between the network of the hosts and the network of the drives.
//!
//! Source: Wang 2005, 3.1.2 and 3.2: the main control, which accepts commands and makes child requests for them. Each device of a
//! controller corresponds to one device behind it: a drive on a network, or a cache, an array or volumes, which are modules of the same
//! controller if they are [`ControllerResources`] it. A module behind the main control may be another controller of this type, between the
//! other modules and the drives; its requests are internal I/Os.
//!
//! * A controller works on `at_once` of its requests; the others wait in the storage-side queue (`queues.rs`), writes without their data.
//! * A request needs the processor for `processor_time`, one request at a time, first come first served, and the time of its command at the
//!   resources of the controller (`modules.rs`).
//! * A processed read becomes a child request; when the child request is done the data are sent to the initiator.
//! * A write gets buffer space at once, with resources when its command has been processed. A write becomes a child request when its data
//!   are in, and is answered when the child request is done.
//! * A child request (`asking.rs`) may have to wait in the internal queue (`queues.rs`).
//!
//! * The component may be a pair of controllers that take over each other's devices (`pair.rs`).
//! * A controller makes the configured `errors` when it gets a request, and answers QUEUE FULL when it has as many requests as its
//!   `queue_limit`. A controller passes on the answers of the device behind it. An aborted request is aborted at the device behind
//!   (`errors.rs`).
//!
//! The same component handles requests in an in-band appliance, whose software works on commands, on data and on answers (`in_band.rs`).
//!
//! A policy chooses among several paths to a device behind, and another path is used when the chosen one fails ([`PathChoice`]).
//!
//! Data are stored and forwarded: the ledger of a request has the times of the controller, then those of the child request, then those of
//! the controller and of the network of the hosts.

mod asking;
mod catalogue;
mod demand;
mod errors;
mod in_band;
mod modules;
mod pair;
mod parameters;
mod queues;

use catalogue::{CATALOGUE, meter, segment};
pub use pair::{PairParameters, PreferredControllers};
pub use parameters::ControllerParameters;

use pair::Pair;
use queues::Queues;
use sansim_component::demand::{Demand, DemandContext, RequestClass};
use sansim_component::errors::DeviceErrors;
use sansim_component::policy::{PathChoice, PathParameters};
use sansim_component::{
    Action, BuildContext, Component, Context, ControllerResources, DeviceAccess, DeviceRole, EventTurn,
    LeftoverFindings, Message, Timer, WarmAccessResult,
};
use sansim_kernel::{RandomStream, Span, Time, TimeWeighted, Total};
use sansim_request::{Request, RequestId, RequestMap, Status};
use sansim_schema::catalogue::Catalogue;
use std::collections::VecDeque;

/// The role of a controller component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControllerRole {
    /// Hosts send requests to the controller.
    BeforeHosts,
    /// The controller is a module behind other modules, and its requests are internal I/Os.
    BehindOthers,
    /// Hosts send requests to the controller, which is the software of an in-band appliance.
    InBand,
}

/// The timers of a controller.
mod what {
    pub const PROCESSOR: u8 = 0;
    pub const OWNER: u8 = 1;
}

/// A request that a controller has.
#[derive(Clone, Copy, Debug)]
struct InHand {
    /// The port by which the request came.
    port: u16,
    /// Whether the request is worked on, and not in the storage-side queue.
    admitted: bool,
    /// Whether the resources have a job for the request.
    job: bool,
    /// Whether the processor is done with the request.
    processed: bool,
    /// Whether the data of the request are in: those of a write from the initiator.
    has_data: bool,
    /// Whether the data have been stored in the memory.
    stored: bool,
    /// Whether the request came to a controller that does not own its device, and whether it has been forwarded.
    foreign: bool,
    forwarded: bool,
    /// Whether the request waits in the internal queue.
    internal: bool,
    /// The outcome of the child request.
    status: Option<Status>,
    /// Whether the request has been answered.
    answered: bool,
    /// Whether the initiator has aborted the request.
    aborted: bool,
    /// Whether the request is neither carried out nor answered.
    unanswered: bool,
    /// In band: whether the data have been passed to the adapter, and whether they have been sent.
    handed_out: bool,
    sent: bool,
    /// The child request that has not come back, and the port by which it was sent if it was.
    behind: Option<(RequestId, Option<u16>)>,
}

/// A storage controller between the network of the hosts and the network of the drives.
#[derive(Clone, Debug)]
pub struct Controller {
    parameters: ControllerParameters,
    /// For each device number of the system, the device behind it; none if the device is not one of this controller.
    behind: Vec<Option<u32>>,
    paths: PathChoice,
    in_hand: RequestMap<InHand>,
    /// The number of the next child request.
    asked: u32,
    /// The resources that the modules of the controller share.
    inside: ControllerResources,
    stands: ControllerRole,
    /// The storage-side queue, and the number of requests that are worked on.
    outside: Queues,
    admitted: u64,
    internal: Queues,
    /// The pair of controllers, if the component is a pair.
    pair: Option<Pair>,
    waiting: VecDeque<RequestId>,
    current: Option<RequestId>,
    busy: TimeWeighted,
    errors: DeviceErrors,
    /// The number of requests that the controller accepted and does not answer.
    unanswered: u32,
    /// The random numbers for the time of its processor.
    random: RandomStream,
}

impl Controller {
    /// An idle controller. `behind` has, for each device number of the system, the device behind it if the device is one of this
    /// controller.
    pub fn new(parameters: &ControllerParameters, behind: Vec<Option<u32>>, paths: PathChoice) -> Self {
        Self {
            parameters: parameters.clone(),
            behind,
            paths: paths.with_adapter_limit(parameters.internal_limit),
            in_hand: RequestMap::with_capacity_and_hasher(64, Default::default()),
            asked: 0,
            inside: ControllerResources::default(),
            stands: ControllerRole::BeforeHosts,
            outside: Queues::new(&parameters.storage_side_queue),
            admitted: 0,
            internal: Queues::new(&parameters.internal_queue),
            pair: None,
            waiting: VecDeque::with_capacity(64),
            current: None,
            busy: TimeWeighted::new(),
            errors: DeviceErrors::default(),
            unanswered: 0,
            random: RandomStream::new(0, "processor"),
        }
    }

    /// The same with these random numbers.
    #[must_use]
    pub fn with_random_stream(self, random: RandomStream) -> Self {
        Self { random, ..self }
    }

    /// The same with these errors.
    #[must_use]
    pub fn with_device_errors(self, errors: DeviceErrors) -> Self {
        Self { errors, ..self }
    }

    /// Sets the resources that the controller uses as a module, and its role.
    #[must_use]
    pub fn with_resources(self, inside: ControllerResources, stands: ControllerRole) -> Self {
        Self { inside, stands, ..self }
    }

    fn arrive(&mut self, cx: &mut Context<'_>, port: u16, request: RequestId) {
        if self.turns_away(cx, port, request) {
            return;
        }
        let write = cx.request(request).is_write();
        let new = InHand { has_data: !write, ..InHand::by(port) };
        self.in_hand.insert(request, new);
        if self.parameters.at_once.is_some_and(|most| self.admitted >= most) {
            cx.ledger().locate_request(request, segment::STORAGE_SIDE);
            let wanted = *cx.request(request);
            self.outside.comes(cx.now, request, &wanted);
        } else {
            self.admit(cx, request);
        }
    }

    /// A request is worked on from now on.
    fn admit(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        in_hand.admitted = true;
        self.admitted += 1;
        self.comes_to_owner(cx, id, false);
    }

    /// A request comes to the controller that carries it out; it may have waited for the owner.
    fn comes_to_owner(&mut self, cx: &mut Context<'_>, id: RequestId, has_waited: bool) {
        let Some(&InHand { port, answered: false, .. }) = self.in_hand.get(&id) else { return };
        if self.is_down() {
            self.answer(cx, id, Status::Failed);
            return;
        }
        if self.waits_for_owner(cx, id, port, has_waited) {
            return;
        }
        cx.ledger().locate_request(id, segment::QUEUE);
        if !self.inside.has_resources() {
            self.makes_room(cx, id);
        }
        self.waiting.push_back(id);
        self.take_up(cx);
    }

    /// Permits the initiator to send the data of a write.
    fn makes_room(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let Some(in_hand) = self.in_hand.get(&id) else { return };
        let request = cx.request(id);
        if request.is_write() {
            let bytes = request.data_bytes();
            cx.send(in_hand.port, Message::WriteCredit(id, bytes));
        }
    }

    /// Gives the processor the next request.
    fn take_up(&mut self, cx: &mut Context<'_>) {
        while self.current.is_none() {
            let Some(request) = self.waiting.pop_front() else { return };
            cx.ledger().locate_request(request, segment::PROCESSOR);
            let takes = self.parameters.processor_time.draw(&mut self.random);
            if takes == Span::ZERO {
                self.processed(cx, request);
                continue;
            }
            self.current = Some(request);
            self.busy.set(cx.now, 1);
            cx.set_timer(cx.now + takes, EventTurn::turn_of_node(0), Timer::new(what::PROCESSOR, 0));
        }
    }

    /// The controller's own processor is done with a request.
    fn processed(&mut self, cx: &mut Context<'_>, request: RequestId) {
        if !self.asks_for_command(cx, request) {
            self.taken(cx, request);
        }
    }

    /// The resources have processed the command of a request.
    fn taken(&mut self, cx: &mut Context<'_>, request: RequestId) {
        let is_wanted = self.in_hand.get(&request).is_some_and(|in_hand| !in_hand.aborted);
        if self.inside.has_resources() && is_wanted {
            self.makes_room(cx, request);
        }
        if let Some(in_hand) = self.in_hand.get_mut(&request) {
            in_hand.processed = true;
            if !in_hand.has_data {
                cx.ledger().locate_request(request, segment::DATA);
            }
        }
        self.pass_on(cx, request);
    }

    /// All data of a write have come.
    fn data_in(&mut self, cx: &mut Context<'_>, request: RequestId) {
        let Some(in_hand) = self.in_hand.get_mut(&request) else { return };
        in_hand.has_data = true;
        if !in_hand.processed {
            // The segment belongs to the adapter until its data are in.
            let in_work = self.current == Some(request);
            cx.ledger().locate_request(request, if in_work { segment::PROCESSOR } else { segment::QUEUE });
        }
        self.pass_on(cx, request);
    }

    /// Sends the child request of a request, if the processor is done with the request and its data are in.
    fn pass_on(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let Some(&InHand { processed: true, has_data, answered: false, aborted, .. }) = self.in_hand.get(&id)
        else {
            return;
        };
        if aborted {
            self.answer(cx, id, Status::Aborted);
        }
        if aborted || !has_data || self.stores(cx, id) {
            return;
        }
        let request = *cx.request(id);
        let behind = self.behind.get(request.device as usize).copied().flatten();
        let part = behind.map(|device| Request { device, ..request });
        let Some(part) = part else {
            self.answer(cx, id, Status::Failed);
            return;
        };
        if self.parameters.internal_limit.is_some() {
            cx.ledger().locate_request(id, segment::INTERNAL);
            self.internal.comes(cx.now, id, &part);
            if let Some(in_hand) = self.in_hand.get_mut(&id) {
                in_hand.internal = true;
            }
            self.go_on_inside(cx);
        } else {
            self.ask(cx, id, part);
        }
    }

    /// Requests in the internal queue continue, as far as devices have room.
    fn go_on_inside(&mut self, cx: &mut Context<'_>) {
        while let Some(id) = self.internal.next(cx.now, |device| self.paths.has_free_path(device)) {
            let Some(in_hand) = self.in_hand.get_mut(&id) else { continue };
            in_hand.internal = false;
            let aborted = in_hand.aborted;
            let request = *cx.request(id);
            let device = self.behind.get(request.device as usize).copied().flatten();
            match device {
                Some(device) if !aborted => self.ask(cx, id, Request { device, ..request }),
                _ => self.answer(cx, id, Status::Aborted),
            }
        }
    }

    /// A device behind has failed: each device that presents it counts as failed.
    fn device_fails(&self, cx: &mut Context<'_>, device: u32) {
        for (own, _) in (0..).zip(&self.behind).filter(|(_, behind)| **behind == Some(device)) {
            cx.failures().report_device_failure(own);
        }
    }

    /// Reports the failure of presented devices to which no path leads any more.
    fn tell_of_lost(&mut self, cx: &mut Context<'_>) {
        while let Some(device) = self.paths.next_lost_device() {
            self.device_fails(cx, device);
        }
    }

    fn answer(&mut self, cx: &mut Context<'_>, id: RequestId, status: Status) {
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        in_hand.answered = true;
        in_hand.behind = None;
        let admitted = std::mem::take(&mut in_hand.admitted);
        let InHand { port, handed_out, .. } = *in_hand;
        cx.ledger().locate_request(id, segment::QUEUE);
        if handed_out {
            cx.answer(port, id, status);
        } else {
            cx.answer_from_memory(port, id, status);
        }
        self.admitted -= u64::from(admitted);
        // Only the end of a request that was worked on lets a waiting request begin.
        let next = if admitted { self.outside.next(cx.now, |_| true) } else { None };
        if let Some(next) = next {
            self.admit(cx, next);
        }
    }
}

impl Component for Controller {
    type Parameters = (ControllerParameters, PathParameters, ControllerRole, PairParameters);
    type Role = DeviceRole;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn demand(
        (parameters, _, stands, _): &Self::Parameters,
        class: &RequestClass,
        around: &DemandContext<'_>,
    ) -> Option<Demand> {
        Some(demand::of(parameters, *stands, class, around.say))
    }

    fn build((parameters, path, stands, pair): &Self::Parameters, cx: &BuildContext<'_, DeviceRole>) -> Self {
        let mut behind = vec![None; cx.presents.iter().max().map_or(0, |&last| last as usize + 1)];
        for (&device, other) in cx.presents.iter().zip(&cx.behind) {
            behind[device as usize] = Some(other.device);
        }
        let errors = DeviceErrors::new(&parameters.errors, cx);
        let controller = Self::new(parameters, behind, PathChoice::new(&cx.paths, path))
            .with_device_errors(errors)
            .with_random_stream(cx.component_random_stream("processor"));
        let pair = Pair::new(*pair, &cx.presents, &cx.halves);
        Self { pair, ..controller.with_resources(ControllerResources::new(cx), *stands) }
    }

    fn warm(&mut self, access: &DeviceAccess, behind: &mut Vec<DeviceAccess>) -> WarmAccessResult {
        let device = self.behind.get(access.device as usize).copied().flatten();
        behind.extend(device.map(|device| DeviceAccess { device, ..access.clone() }));
        WarmAccessResult::Done
    }

    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        if timer.what == PathChoice::TIMER {
            self.paths.handle_due_timer(cx);
            self.tell_of_lost(cx);
            self.go_on(cx);
            self.go_on_inside(cx);
            return;
        }
        if timer.what == what::OWNER {
            self.has_owner(cx, timer.number);
            return;
        }
        if let Some(request) = self.current.take() {
            self.busy.set(cx.now, 0);
            self.processed(cx, request);
        }
        self.take_up(cx);
    }

    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        match message {
            Message::Request(request, _) => self.arrive(cx, port, request),
            Message::WriteDataUpTo(request, upto) if upto == cx.request(request).data_bytes() => {
                self.data_in(cx, request)
            }
            Message::Release(request) => {
                self.in_hand.remove(&request);
            }
            Message::Abort(request) => self.abort(cx, request),
            Message::WriteCredit(..) | Message::ReadDataUpTo(..) => cx.move_through_memory(port, message),
            Message::ReadConsumedUpTo(request, upto) if upto == cx.request(request).data_bytes() => {
                self.data_sent(cx, request)
            }
            Message::Done(request, status) => self.done(cx, port, request, status),
            Message::JobDone(job) => self.job_done(cx, &job),
            _ => {}
        }
    }

    fn act(&mut self, cx: &mut Context<'_>, action: Action) {
        self.paths.apply_action(cx, action);
        if let Action::DeviceFails(device) = action {
            self.device_fails(cx, device);
        }
        self.tell_of_lost(cx);
        self.go_on(cx);
        self.go_on_inside(cx);
    }

    fn act_on(&mut self, cx: &mut Context<'_>, thing: usize, works: bool) {
        self.pair_changes(cx, thing, works);
    }

    fn fault(&self) -> Option<String> {
        self.paths.stuck_reason().or_else(|| self.unanswered_for_ever())
    }

    fn gauge(&self, _now: Time, gauge: usize, _place: u16) -> u32 {
        match gauge {
            0 => self.waiting.len() as u32,
            1 => self.outside.waiting(),
            _ => self.internal.waiting(),
        }
    }

    fn busy(&self, now: Time, _block: usize) -> Total {
        self.busy.total(now)
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        let pair = self.pair.as_ref();
        match meter {
            meter::BUSY => self.busy.total(now),
            meter::FORWARDED => Total(pair.map_or(0, |pair| pair.forwarded).into()),
            _ => Total(pair.map_or(0, |pair| pair.changes).into()),
        }
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        leftovers.check_zero("requests left in a controller", self.in_hand.len() as u64);
        leftovers.check_zero("requests left behind a controller", u64::from(self.asked));
    }
}

#[cfg(test)]
mod tests;

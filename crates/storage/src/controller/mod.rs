//! A storage controller between the network of the hosts and that of the drives.
//!
//! Source: Wang 2005, figure 3.2, at its smallest: it has a processor and memory for data on their way, neither cache nor RAID.
//! Each of its devices is one device behind it.
//!
//! * A request takes `processor_time`, one at a time, first come first served.
//! * A read is then asked for behind; when that is done its data are sent to the one who asked.
//! * For a write there is room at once. It is asked for behind when its data are in, and answered when that is done.
//!
//! * It makes the `errors` that are described of it when it gets a request, and answers QUEUE FULL when it has as many as its
//!   `queue_limit`. What a device behind answers it hands on. A request that is aborted is aborted behind (`errors.rs`).
//!
//! A device behind that can be reached in several ways is asked by the one that a policy chooses, and by another when that
//! fails ([`Paths`]).
//!
//! So data are stored and forwarded: the ledger of a request is that of the controller, then that of the request behind, then
//! that of the controller and of the network of the hosts.

mod catalogue;
mod errors;
mod parameters;

use catalogue::{CATALOGUE, segment};
pub use parameters::ControllerParameters;

use sansim_component::errors::Errors;
use sansim_component::policy::{Onward, PathParameters, Paths};
use sansim_component::{Access, Action, Component, Context, Message, Rest, Setting, Timer, Turn, Warmed};
use sansim_describe::catalogue::Catalogue;
use sansim_kernel::{Span, Time, TimeWeighted, Total};
use sansim_request::{Joined, Request, RequestId, RequestMap, Status};
use std::collections::VecDeque;

/// A request that a controller has.
#[derive(Clone, Copy, Debug)]
struct InHand {
    /// The port by which it came.
    port: u16,
    /// The processor is done with it.
    processed: bool,
    /// Its data are in: of a write from the one who asked.
    has_data: bool,
    /// It has been answered.
    answered: bool,
    /// The one who asked does not want it any more.
    aborted: bool,
    /// It is not carried out and not answered.
    unanswered: bool,
    /// What was asked for behind and is not back, and the port by which that went if it did.
    behind: Option<(RequestId, Option<u16>)>,
}

/// See the module text.
#[derive(Clone, Debug)]
pub struct Controller {
    parameters: ControllerParameters,
    /// Its devices, by their numbers in the system, each with the device behind.
    behind: Vec<Option<u32>>,
    paths: Paths,
    in_hand: RequestMap<InHand>,
    /// The port by which each request behind was asked for.
    asked: u32,
    waiting: VecDeque<RequestId>,
    current: Option<RequestId>,
    busy: TimeWeighted,
    errors: Errors,
    /// Requests that it took and does not answer.
    unanswered: u32,
}

impl Controller {
    /// An idle controller. `behind` says, by the number of a device in the system, which device stands behind it if it is one of
    /// this controller.
    pub fn new(parameters: &ControllerParameters, behind: Vec<Option<u32>>, paths: Paths) -> Self {
        Self {
            parameters: *parameters,
            behind,
            paths,
            in_hand: RequestMap::default(),
            asked: 0,
            waiting: VecDeque::with_capacity(64),
            current: None,
            busy: TimeWeighted::new(),
            errors: Errors::default(),
            unanswered: 0,
        }
    }

    /// The same with these errors.
    #[must_use]
    pub fn with_errors(self, errors: Errors) -> Self {
        Self { errors, ..self }
    }

    fn arrive(&mut self, cx: &mut Context<'_>, port: u16, request: RequestId) {
        if self.turns_away(cx, port, request) {
            return;
        }
        let write = cx.request(request).is_write();
        let new = InHand { has_data: !write, ..InHand::by(port) };
        self.in_hand.insert(request, new);
        cx.tell(request, segment::QUEUE);
        if write {
            let bytes = cx.request(request).bytes;
            cx.send(port, Message::Room(request, bytes));
        }
        self.waiting.push_back(request);
        self.take_up(cx);
    }

    /// Gives the processor the next request.
    fn take_up(&mut self, cx: &mut Context<'_>) {
        while self.current.is_none() {
            let Some(request) = self.waiting.pop_front() else { return };
            cx.tell(request, segment::PROCESSOR);
            if self.parameters.processor_time == Span::ZERO {
                self.processed(cx, request);
                continue;
            }
            self.current = Some(request);
            self.busy.set(cx.now, 1);
            cx.wake(cx.now + self.parameters.processor_time, Turn::node(0), Timer::new(0, 0));
        }
    }

    fn processed(&mut self, cx: &mut Context<'_>, request: RequestId) {
        if let Some(in_hand) = self.in_hand.get_mut(&request) {
            in_hand.processed = true;
            if !in_hand.has_data {
                cx.tell(request, segment::DATA);
            }
        }
        self.pass_on(cx, request);
    }

    /// All data of a write are here.
    fn data_in(&mut self, cx: &mut Context<'_>, request: RequestId) {
        let Some(in_hand) = self.in_hand.get_mut(&request) else { return };
        in_hand.has_data = true;
        if !in_hand.processed {
            // Whoever received them had it last.
            let in_work = self.current == Some(request);
            cx.tell(request, if in_work { segment::PROCESSOR } else { segment::QUEUE });
        }
        self.pass_on(cx, request);
    }

    /// Asks for a request behind, if the processor is done with it and its data are here.
    fn pass_on(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let Some(&InHand { processed: true, has_data, answered: false, aborted, .. }) = self.in_hand.get(&id)
        else {
            return;
        };
        if aborted {
            self.answer(cx, id, Status::Aborted);
        }
        if aborted || !has_data {
            return;
        }
        let request = *cx.request(id);
        let behind = self.behind.get(request.device as usize).copied().flatten();
        let part = behind.map(|device| Request { device, ..request });
        let Some(part) = part else {
            self.answer(cx, id, Status::Failed);
            return;
        };
        match self.paths.choose(&part) {
            Some(port) => {
                self.asked += 1;
                cx.fork(id, 1);
                let part = cx.ask_child(port, id, part);
                self.is_behind(id, part, Some(port));
            }
            None => {
                self.asked += 1;
                cx.fork(id, 1);
                let part = cx.begin_child(id, part, segment::FAIL_OVER);
                self.is_behind(id, part, None);
                let onward = self.paths.wait(cx, part, segment::FAIL_OVER);
                self.go(cx, part, onward);
            }
        }
    }

    /// Sends what is asked for behind on its way.
    fn go(&mut self, cx: &mut Context<'_>, part: RequestId, onward: Onward) {
        match onward {
            Onward::By(port) => {
                if let Some(id) = cx.request(part).parent {
                    self.is_behind(id, part, Some(port));
                }
                cx.send(port, Message::Request(part, cx.now));
            }
            Onward::Waits => {}
            Onward::NoWay => self.complete(cx, part, Status::Failed),
        }
    }

    /// Sends those on their way that waited for one.
    fn go_on(&mut self, cx: &mut Context<'_>) {
        while let Some((part, onward)) = self.paths.next(cx, segment::FAIL_OVER) {
            self.go(cx, part, onward);
        }
    }

    /// What was asked for behind is done.
    fn done(&mut self, cx: &mut Context<'_>, port: u16, part: RequestId, status: Status) {
        self.paths.answered(cx, part, port);
        cx.send(port, Message::Close(part));
        let id = cx.request(part).parent;
        let aborted = id.and_then(|id| self.in_hand.get(&id)).is_some_and(|in_hand| in_hand.aborted);
        if status == Status::Unreachable && aborted {
            self.complete(cx, part, Status::Aborted);
        } else if status == Status::Unreachable {
            if let Some(id) = id {
                self.is_behind(id, part, None);
            }
            let onward = self.paths.unreachable(cx, part, port, segment::FAIL_OVER);
            self.go(cx, part, onward);
        } else {
            self.complete(cx, part, status);
        }
    }

    fn complete(&mut self, cx: &mut Context<'_>, part: RequestId, status: Status) {
        self.asked -= 1;
        let returned = cx.close(part, status);
        if let Joined::Satisfied(request, _) = returned.joined {
            self.answer(cx, request, status);
        }
    }

    fn answer(&mut self, cx: &mut Context<'_>, id: RequestId, status: Status) {
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        in_hand.answered = true;
        in_hand.behind = None;
        cx.tell(id, segment::QUEUE);
        cx.answer_from_memory(in_hand.port, id, status);
    }
}

impl Component for Controller {
    type Parameters = (ControllerParameters, PathParameters);

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn build((parameters, path): &Self::Parameters, setting: &Setting<'_>) -> Self {
        let mut behind = vec![None; setting.ways.len()];
        for (&device, &other) in setting.presents.iter().zip(&setting.behind) {
            behind[device as usize] = Some(other);
        }
        let errors = Errors::new(&parameters.errors, setting);
        Self::new(parameters, behind, Paths::new(&setting.ways, path)).with_errors(errors)
    }

    fn warm(&mut self, access: &Access, behind: &mut Vec<Access>) -> Warmed {
        let device = self.behind.get(access.device as usize).copied().flatten();
        behind.extend(device.map(|device| Access { device, ..access.clone() }));
        Warmed::Done
    }

    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        if timer.what == Paths::TIMER {
            self.paths.due(cx);
            self.go_on(cx);
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
            Message::DataIn(request, upto) if upto == cx.request(request).bytes => self.data_in(cx, request),
            Message::Close(request) => {
                self.in_hand.remove(&request);
            }
            Message::Abort(request) => self.abort(cx, request),
            Message::Room(..) | Message::DataOut(..) => cx.move_by_memory(port, message),
            Message::Done(request, status) => self.done(cx, port, request, status),
            _ => {}
        }
    }

    fn act(&mut self, cx: &mut Context<'_>, action: Action) {
        self.paths.act(cx, action);
        self.go_on(cx);
    }

    fn fault(&self) -> Option<String> {
        self.paths.fault().or_else(|| self.unanswered_for_ever())
    }

    fn gauge(&self, _now: Time, _gauge: usize, _place: u16) -> u32 {
        self.waiting.len() as u32
    }

    fn busy(&self, now: Time, _block: usize) -> Total {
        self.busy.total(now)
    }

    fn meter(&self, now: Time, _meter: usize) -> Total {
        self.busy.total(now)
    }

    fn rest(&self, rest: &mut Rest) {
        rest.none("requests left in a controller", self.in_hand.len() as u64);
        rest.none("requests left behind a controller", u64::from(self.asked));
    }
}

#[cfg(test)]
mod tests;

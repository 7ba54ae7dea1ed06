//! A host: the operating system's driver, which passes requests on to adapters or straight to devices.
//!
//! Source: Wang 2005, section 4.3.3.1 (figure 4.13). The arrival process sets up one request at a time and passes it on; at
//! most `outstanding_limit` requests are under way (255 for the Windows driver, section 3.2.2), the others wait. The completion
//! process looks at one completion at a time.
//!
//! A device that can be reached in several ways is asked by the one that a policy chooses, and by another when that fails
//! ([`Paths`]).

mod catalogue;
mod parameters;

use catalogue::{CATALOGUE, block, gauge, segment};
pub use parameters::DriverParameters;
use sansim_component::policy::{Onward, PathParameters, Paths};

use sansim_component::{Action, Component, Context, Message, Rest, Setting, Timer, Turn};
use sansim_describe::catalogue::Catalogue;
use sansim_kernel::{Span, Time, TimeWeighted, Total};
use sansim_request::{RequestId, Status};
use std::collections::VecDeque;

/// What the driver waits for.
mod what {
    pub const ARRIVAL: u8 = 0;
    pub const COMPLETION: u8 = 1;
}

/// See the module text.
#[derive(Clone, Debug)]
pub struct Host {
    parameters: DriverParameters,
    paths: Paths,
    /// By which port each request came, by its number; and how many it has.
    askers: Vec<u16>,
    in_hand: u64,
    arrivals: VecDeque<RequestId>,
    arriving: Option<RequestId>,
    completions: VecDeque<(RequestId, Status)>,
    completing: Option<(RequestId, Status)>,
    outstanding: u32,
    arriving_total: TimeWeighted,
    completing_total: TimeWeighted,
}

impl Host {
    /// An idle host. Its first ports are those by which it is asked; `paths` says by which it asks.
    pub fn new(parameters: &DriverParameters, paths: Paths) -> Self {
        Self {
            parameters: *parameters,
            paths,
            askers: Vec::with_capacity(256),
            in_hand: 0,
            arrivals: VecDeque::with_capacity(256),
            arriving: None,
            completions: VecDeque::with_capacity(256),
            completing: None,
            outstanding: 0,
            arriving_total: TimeWeighted::new(),
            completing_total: TimeWeighted::new(),
        }
    }

    /// The application hands over a request.
    fn arrive(&mut self, cx: &mut Context<'_>, port: u16, request: RequestId) {
        let number = request.0 as usize;
        if number >= self.askers.len() {
            self.askers.resize(number + 1, 0);
        }
        self.askers[number] = port;
        self.in_hand += 1;
        self.arrivals.push_back(request);
        self.take_up(cx);
    }

    /// Starts the arrival process on the next request as long as the limit allows. Without an arrival time requests pass at
    /// once.
    fn take_up(&mut self, cx: &mut Context<'_>) {
        while self.arriving.is_none() && self.outstanding < self.parameters.outstanding_limit {
            let Some(request) = self.arrivals.pop_front() else { return };
            self.outstanding += 1;
            cx.enter(request, segment::ARRIVAL);
            if self.parameters.arrival_time == Span::ZERO {
                self.pass_on(cx, request);
            } else {
                self.arriving = Some(request);
                self.arriving_total.set(cx.now, 1);
                let at = cx.now + self.parameters.arrival_time;
                cx.wake(at, Turn::node(u32::from(what::ARRIVAL)), Timer::new(what::ARRIVAL, 0));
            }
        }
    }

    fn pass_on(&mut self, cx: &mut Context<'_>, request: RequestId) {
        let onward = self.paths.onward(cx, request, segment::FAIL_OVER);
        self.go(cx, request, onward);
    }

    fn go(&mut self, cx: &mut Context<'_>, request: RequestId, onward: Onward) {
        match onward {
            Onward::By(port) => cx.send(port, Message::Request(request, cx.now)),
            Onward::Waits => {}
            Onward::NoWay => self.complete(cx, request, Status::Failed),
        }
    }

    /// Sends those on their way that waited for one.
    fn go_on(&mut self, cx: &mut Context<'_>) {
        while let Some((request, onward)) = self.paths.next(cx, segment::FAIL_OVER) {
            self.go(cx, request, onward);
        }
    }

    /// The arrival process is done with its request.
    fn arrival_due(&mut self, cx: &mut Context<'_>) {
        if let Some(request) = self.arriving.take() {
            self.arriving_total.set(cx.now, 0);
            self.pass_on(cx, request);
        }
        self.take_up(cx);
    }

    /// An adapter or a device reports a completion.
    fn complete(&mut self, cx: &mut Context<'_>, request: RequestId, status: Status) {
        cx.enter(request, segment::COMPLETION_QUEUE);
        if self.parameters.completion_time == Span::ZERO {
            self.done(cx, request, status);
        } else if self.completing.is_some() {
            self.completions.push_back((request, status));
        } else {
            self.look_at(cx, request, status);
        }
    }

    fn look_at(&mut self, cx: &mut Context<'_>, request: RequestId, status: Status) {
        self.completing = Some((request, status));
        self.completing_total.set(cx.now, 1);
        cx.enter(request, segment::COMPLETION);
        let at = cx.now + self.parameters.completion_time;
        cx.wake(at, Turn::node(u32::from(what::COMPLETION)), Timer::new(what::COMPLETION, 0));
    }

    /// The completion process is done with its request.
    fn completion_due(&mut self, cx: &mut Context<'_>) {
        if let Some((request, status)) = self.completing.take() {
            self.completing_total.set(cx.now, 0);
            self.done(cx, request, status);
        }
        if let Some((request, status)) = self.completions.pop_front() {
            self.look_at(cx, request, status);
        }
    }

    fn done(&mut self, cx: &mut Context<'_>, request: RequestId, status: Status) {
        self.outstanding -= 1;
        self.in_hand -= 1;
        cx.answer(self.askers[request.0 as usize], request, status);
        self.take_up(cx);
    }
}

impl Component for Host {
    type Parameters = (DriverParameters, PathParameters);

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn build((parameters, path): &Self::Parameters, setting: &Setting<'_>) -> Self {
        Self::new(parameters, Paths::new(&setting.ways, path))
    }

    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        match timer.what {
            what::ARRIVAL => self.arrival_due(cx),
            Paths::TIMER => {
                self.paths.due(cx);
                self.go_on(cx);
            }
            _ => self.completion_due(cx),
        }
    }

    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        match message {
            Message::Request(request, _) => self.arrive(cx, port, request),
            // The data are in its memory, or may come there.
            Message::Room(request, upto) => cx.send(port, Message::DataIn(request, upto)),
            Message::DataOut(request, upto) => cx.send(port, Message::Taken(request, upto)),
            Message::Done(request, status) => {
                self.paths.answered(cx, request, port);
                cx.send(port, Message::Close(request));
                if status == Status::Unreachable {
                    let onward = self.paths.unreachable(cx, request, port, segment::FAIL_OVER);
                    self.go(cx, request, onward);
                } else {
                    self.complete(cx, request, status);
                }
            }
            _ => {}
        }
    }

    fn act(&mut self, cx: &mut Context<'_>, action: Action) {
        self.paths.act(cx, action);
        self.go_on(cx);
    }

    fn fault(&self) -> Option<String> {
        self.paths.fault()
    }

    fn gauge(&self, gauge: usize, _place: u16) -> u32 {
        match gauge {
            gauge::WAITING => self.arrivals.len() as u32,
            gauge::OUTSTANDING => self.outstanding,
            _ => 0,
        }
    }

    fn busy(&self, now: Time, block: usize) -> Total {
        match block {
            block::ARRIVAL => self.arriving_total.total(now),
            _ => self.completing_total.total(now),
        }
    }

    fn rest(&self, rest: &mut Rest) {
        rest.none("requests left in a driver", self.in_hand);
    }
}

#[cfg(test)]
mod tests;

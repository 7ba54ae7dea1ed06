//! A test bench for one component.
//!
//! The bench surrounds the component with a calendar, an agenda and requests. A test gives the component inputs, in the order of time, and
//! gets back its effects ([`Did`]): the messages sent at each port, the places that requests entered, the timers set and cancelled. The
//! test plays the components at the other ends of the ports.
//!
//! A frame that the component sends leaves the network at once, and a frame that arrives was sent at that moment; so the ledger of a
//! request is where the component puts it.

use crate::context::Context;
use crate::contract::{Action, Component};
use crate::leftovers::Leftovers;
use crate::message::Message;
use crate::runtime::{Runtime, Shows};
use crate::show::Sight;
use crate::site::{ComponentId, PortRef, Site, Timer};
use sansim_kernel::{Span, Time};
use sansim_request::{
    DataId, LedgerLine, NORMAL_PRIORITY, Operation, Origin, Request, RequestId, Requests, Status,
};

/// The number of ledger lines for each end of a link: more than any component has segments.
const LINES: u32 = 1_000;

/// The ledger line in which a request waits for this end to provide its next data.
const PROVIDES: u32 = LINES - 1;

/// The component under test; the components at the other ends of its ports follow.
const IT: ComponentId = ComponentId(0);

/// The place of a request in a test bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BenchPlace {
    /// The request is in this segment of the component.
    Here(usize),
    /// The request is in this segment of the component at the other end of a port.
    Beyond(u16, usize),
    /// The request waits for the component at the other end of a port to provide its next data.
    Provided(u16),
}

impl BenchPlace {
    fn of(line: LedgerLine) -> Self {
        let segment = line.0 % LINES;
        match (line.0 / LINES, segment) {
            (0, _) => Self::Here(segment as usize),
            (end, PROVIDES) => Self::Provided((end - 1) as u16),
            (end, _) => Self::Beyond((end - 1) as u16, segment as usize),
        }
    }
}

/// The effects of one input, each kind in its order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Did {
    /// The messages sent, with their ports.
    pub sent: Vec<(u16, Message)>,
    /// The requests that changed their place, with the new place.
    pub entered: Vec<(RequestId, BenchPlace)>,
    /// The timers that the component set.
    pub wakes: Vec<(Time, Timer)>,
    /// The timers that the component cancelled.
    pub cancelled: Vec<(Time, Timer)>,
    /// The devices whose failure the component reported.
    pub failed_devices: Vec<u32>,
    /// The requests of the component that have been answered, without child requests.
    pub closed: Vec<(RequestId, Status)>,
}

impl Did {
    /// The messages sent at a port.
    pub fn sent_by(&self, port: u16) -> Vec<Message> {
        self.sent.iter().filter(|(by, _)| *by == port).map(|&(_, message)| message).collect()
    }

    /// The times at which the component has set a timer.
    pub fn wakes_at(&self) -> Vec<Time> {
        self.wakes.iter().map(|&(at, _)| at).collect()
    }

    /// The requests that the component sent, each with its port.
    pub fn asked(&self) -> Vec<(u16, RequestId)> {
        let asked = |&(port, message): &(u16, Message)| match message {
            Message::Request(id, _) => Some((port, id)),
            _ => None,
        };
        self.sent.iter().filter_map(asked).collect()
    }

    /// The answers that the component gave.
    pub fn answers(&self) -> Vec<(RequestId, Status)> {
        let answer = |&(_, message): &(u16, Message)| match message {
            Message::Done(id, status) => Some((id, status)),
            _ => None,
        };
        self.sent.iter().filter_map(answer).collect()
    }
}

/// A request of workload 0 to device 0, which begins with this block.
fn request(operation: Operation, lba: u64, bytes: u64) -> Request {
    Request {
        number: 0,
        parent: None,
        origin: Origin { workload: 0, stream: 0, slot: 0, background: false, priority: NORMAL_PRIORITY },
        operation,
        device: 0,
        lba,
        bytes,
        data: DataId(0),
    }
}

/// A read of workload 0 from device 0.
pub fn read(lba: u64, bytes: u64) -> Request {
    request(Operation::Read, lba, bytes)
}

/// A write of workload 0 to device 0.
pub fn write(lba: u64, bytes: u64) -> Request {
    request(Operation::Write, lba, bytes)
}

/// The instant that lies this many microseconds after the beginning.
pub fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// The instant that lies this many milliseconds after the beginning.
pub fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

/// See the text at the top of this file.
#[derive(Debug)]
pub struct Bench<C> {
    /// The component under test.
    pub component: C,
    around: Runtime,
    now: Time,
}

impl<C: Component> Bench<C> {
    /// Puts a component on the bench. The component has this many ports, and another component is at each of them.
    pub fn new(mut component: C, ports: u16) -> Self {
        while component.prepare() < 1.0 {}
        let site = |number: u32, first_port: u32| Site {
            first_port,
            rank: number as u16,
            first_line: number * LINES,
            provides: number * LINES + PROVIDES,
        };
        let ports = u32::from(ports);
        let mut sites = vec![site(0, 0)];
        sites.extend((0..ports).map(|port| site(1 + port, ports + port)));
        let beyond = (0..ports).map(|port| Some(PortRef { component: ComponentId(1 + port), port: 0 }));
        let back = (0..ports).map(|port| Some(PortRef { component: IT, port: port as u16 }));
        let shows = Shows { requests: true, ..Shows::default() };
        let mut around = Runtime::new(sites, beyond.chain(back).collect(), shows);
        around.sources.most = u64::MAX;
        Self { component, around, now: Time::ZERO }
    }

    /// The run begins.
    pub fn start(&mut self) -> Did {
        self.react(Time::ZERO, |component, cx| component.start(cx))
    }

    /// The time of the next timer of the component, if it has set one.
    pub fn next_due(&mut self) -> Option<Time> {
        self.around.calendar.peek_time()
    }

    /// The next timer of the component is due.
    ///
    /// # Panics
    /// If that timer is due at another time, or there is no timer.
    pub fn due(&mut self, now: Time) -> Did {
        let next = self.around.calendar.peek_time();
        assert_eq!(next, Some(now), "the next timer");
        let Some((_, (_, timer))) = self.around.calendar.pop() else { unreachable!("a timer") };
        self.react(now, |component, cx| component.due(cx, timer))
    }

    /// A message comes in by a port.
    ///
    /// # Panics
    /// If this time is before the last input, or if a timer should have been due by then.
    pub fn receive(&mut self, now: Time, port: u16, message: Message) -> Did {
        if let Message::Received(frame) = message {
            self.around.requests.unit_queued(
                now,
                RequestId(frame.tag.0),
                LedgerLine((1 + u32::from(port)) * LINES),
            );
        }
        self.react(now, |component, cx| component.receive(cx, port, message))
    }

    /// Applies an action of the scenario to the component.
    ///
    /// # Panics
    /// If the time is wrong, as in [`Bench::receive`].
    pub fn act(&mut self, now: Time, action: Action) -> Did {
        self.react(now, |component, cx| component.act(cx, action))
    }

    /// Applies an action of the scenario to a part of the component that can fail separately.
    ///
    /// # Panics
    /// If the time is wrong, as in [`Bench::receive`].
    pub fn act_on(&mut self, now: Time, thing: usize, works: bool) -> Did {
        self.react(now, |component, cx| component.act_on(cx, thing, works))
    }

    /// Opens a request that the component does not have yet.
    pub fn open(&mut self, now: Time, request: Request) -> RequestId {
        self.around.requests.open(now, request, LedgerLine(0))
    }

    /// Sends a new request to the component at a port.
    ///
    /// # Panics
    ///
    /// If the time is wrong, as in [`Bench::receive`].
    pub fn ask(&mut self, now: Time, port: u16, request: Request) -> (RequestId, Did) {
        let id = self.open(now, request);
        (id, self.receive(now, port, Message::Request(id, now)))
    }

    /// The initiating component at a port has a request back and releases it.
    ///
    /// # Panics
    ///
    /// If the time is wrong, as in [`Bench::receive`].
    pub fn close(&mut self, now: Time, port: u16, id: RequestId) -> Did {
        let did = self.receive(now, port, Message::Release(id));
        self.take_back(now, id);
        did
    }

    /// The initiating component has a request back and sends no [`Message::Release`].
    pub fn take_back(&mut self, now: Time, id: RequestId) {
        self.around.requests.close(now, id);
    }

    /// The timers that are set.
    pub fn timers(&mut self) -> Vec<(Time, Timer)> {
        self.around.calendar.pending().into_iter().map(|(at, _, (_, timer))| (at, timer)).collect()
    }

    /// All requests.
    pub fn requests(&self) -> &Requests {
        &self.around.requests
    }

    /// The requests of the bench, to change one of them.
    pub fn requests_mut(&mut self) -> &mut Requests {
        &mut self.around.requests
    }

    /// The place of a request.
    pub fn place(&self, id: RequestId) -> BenchPlace {
        BenchPlace::of(self.around.requests.line(id))
    }

    /// The ledger of a closed request: the time that it spent in each place.
    pub fn stays(&self, id: RequestId) -> Vec<(BenchPlace, Span)> {
        self.around.requests.stays(id).iter().map(|stay| (BenchPlace::of(stay.line), stay.spent)).collect()
    }

    /// The leftovers at the end: of the component, of requests, of timers.
    pub fn left(&mut self) -> Vec<String> {
        let mut leftovers = Leftovers::default();
        self.component.leftovers(&mut leftovers);
        leftovers.none("requests left", self.around.requests.count() as u64);
        leftovers.none("timers left", self.around.calendar.len() as u64);
        leftovers.into_lines()
    }

    fn react(&mut self, now: Time, input: impl FnOnce(&mut C, &mut Context<'_>)) -> Did {
        assert!(now >= self.now, "an input at {now}, after one at {}", self.now);
        let next = self.around.calendar.peek_time();
        assert!(next.is_none_or(|next| next >= now), "a timer should have been due before {now}");
        self.now = now;
        let before = self.timers();
        input(&mut self.component, &mut Context::new(now, IT, &mut self.around));
        let after = self.timers();
        let mut did = Did { wakes: without(&after, &before), ..Did::default() };
        did.cancelled = without(&before, &after);
        while let Some(place) = self.around.next_message(now) {
            let (PortRef { component, .. }, message) = *self.around.agenda.at(place);
            if let Message::Send(frame) = message {
                self.around.requests.unit_taken(RequestId(frame.tag.0));
            }
            did.sent.push(((component.0 - 1) as u16, message));
        }
        for shown in self.around.shown.drain(..) {
            if let Sight::Enters(id, line) = shown.what {
                did.entered.push((id, BenchPlace::of(line)));
            }
        }
        did.failed_devices.append(&mut self.around.failed_devices);
        did.closed.extend(self.around.returned.drain(..).map(|(id, _, status)| (id, status)));
        did
    }
}

/// The timers of the first list that the second list does not have.
fn without(these: &[(Time, Timer)], others: &[(Time, Timer)]) -> Vec<(Time, Timer)> {
    let mut others = others.to_vec();
    let mut only = these.to_vec();
    only.retain(|timer| match others.iter().position(|other| other == timer) {
        Some(place) => {
            others.swap_remove(place);
            false
        }
        None => true,
    });
    only
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build_context::BuildContext;
    use crate::context::RequestAt;
    use crate::site::Turn;
    use sansim_kernel::EventKey;
    use sansim_schema::catalogue::Catalogue;

    /// A component that answers each request after a millisecond, unless it fails before.
    #[derive(Default)]
    struct Echo {
        has: Vec<(RequestId, EventKey)>,
    }

    impl Component for Echo {
        type Parameters = ();
        type Role = ();
        const CATALOGUE: &'static Catalogue = &Catalogue::EMPTY;

        fn build(_: &(), _: &BuildContext<'_, ()>) -> Self {
            Self::default()
        }

        fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
            let id = RequestId(timer.number);
            self.has.retain(|&(other, _)| other != id);
            cx.ledger().locate(id, RequestAt::Server(1));
            cx.answer(0, id, Status::Good);
        }

        fn receive(&mut self, cx: &mut Context<'_>, _: u16, message: Message) {
            if let Message::Request(id, _) = message {
                cx.ledger().enter(id, 3);
                let at = cx.now + Span::from_ms(1);
                self.has.push((id, cx.wake_cancellable(at, Turn::node(id.0), Timer::new(5, id.0))));
            }
        }

        fn act(&mut self, cx: &mut Context<'_>, _: Action) {
            for (_, timer) in self.has.drain(..) {
                cx.cancel(timer);
            }
        }

        fn leftovers(&self, leftovers: &mut Leftovers) {
            leftovers.none("requests left in an echo", self.has.len() as u64);
        }
    }

    #[test]
    fn what_a_component_did_is_told_with_times_ports_and_places() {
        let mut bench = Bench::new(Echo::default(), 2);
        let (id, did) = bench.ask(us(5), 0, read(0, 512));
        let timer = (us(1_005), Timer::new(5, id.0));
        assert_eq!(
            did,
            Did { entered: vec![(id, BenchPlace::Here(3))], wakes: vec![timer], ..Did::default() }
        );
        let did = bench.due(us(1_005));
        assert_eq!(did.entered, [(id, BenchPlace::Provided(1))]);
        assert_eq!((did.answers(), did.sent_by(1)), (vec![(id, Status::Good)], vec![]));
        assert!(bench.left().iter().any(|line| line.starts_with("requests left: 1")), "it was not closed");
        bench.close(us(1_006), 0, id);
        let stays = [(BenchPlace::Here(3), Span::from_ms(1)), (BenchPlace::Provided(1), Span::from_us(1))];
        assert_eq!((bench.stays(id), bench.left()), (stays.to_vec(), vec![]));
    }

    #[test]
    fn timers_that_are_called_off_are_told_of() {
        let mut bench = Bench::new(Echo::default(), 2);
        let (id, _) = bench.ask(us(0), 0, read(0, 512));
        assert_eq!(bench.left().len(), 3, "in the echo, of requests, of timers");
        let did = bench.act(us(1), Action::Fail);
        assert_eq!((did.cancelled, did.wakes), (vec![(us(1_000), Timer::new(5, id.0))], vec![]));
    }

    #[test]
    #[should_panic(expected = "a timer should have been due")]
    fn no_timer_is_passed_over() {
        let mut bench = Bench::new(Echo::default(), 2);
        bench.ask(us(0), 0, read(0, 512));
        bench.ask(us(2_000), 0, read(0, 512));
    }
}

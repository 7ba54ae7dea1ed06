//! A test bench for one component.
//!
//! The bench surrounds the component with a calendar, an agenda and requests. A test gives the component inputs, in the order of time, and
//! gets back its effects ([`InputEffects`]): the messages sent at each port, the places that requests entered, the timers set and
//! cancelled. The test plays the components at the other ends of the ports.
//!
//! A frame that the component sends leaves the network at once, and a frame that arrives was sent at that moment; so the ledger of a
//! request is where the component puts it.

use crate::context::Context;
use crate::contract::{Action, Component};
use crate::leftovers::LeftoverFindings;
use crate::message::Message;
use crate::runtime::{Runtime, WantedSights};
use crate::show::ObservableKind;
use crate::site::{ComponentId, ComponentSite, PortRef, Timer};
use sansim_kernel::{Span, Time};
use sansim_request::{
    DataId, LedgerLine, NORMAL_PRIORITY, Operation, Request, RequestId, RequestOrigin, Requests, Status,
};

/// The number of ledger lines for each end of a link: more than any component has segments.
const LINES: u32 = 1_000;

/// The ledger line in which a request waits for this end to provide its next data.
const PROVIDES: u32 = LINES - 1;

/// The component under test; the components at the other ends of its ports follow.
const IT: ComponentId = ComponentId(0);

/// The place of a request in a test bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BenchRequestPlace {
    /// The request is in this segment of the component.
    Here(usize),
    /// The request is in this segment of the component at the other end of a port.
    Beyond(u16, usize),
    /// The request waits for the component at the other end of a port to provide its next data.
    Provided(u16),
}

impl BenchRequestPlace {
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
pub struct InputEffects {
    /// The messages sent, with their ports.
    pub sent: Vec<(u16, Message)>,
    /// The requests that changed their place, with the new place.
    pub entered: Vec<(RequestId, BenchRequestPlace)>,
    /// The timers that the component set.
    pub wakes: Vec<(Time, Timer)>,
    /// The timers that the component cancelled.
    pub cancelled: Vec<(Time, Timer)>,
    /// The devices whose failure the component reported.
    pub failed_devices: Vec<u32>,
    /// The requests of the component that have been answered, without child requests.
    pub closed: Vec<(RequestId, Status)>,
}

impl InputEffects {
    /// The messages sent at a port.
    pub fn messages_sent_at_port(&self, port: u16) -> Vec<Message> {
        self.sent.iter().filter(|(by, _)| *by == port).map(|&(_, message)| message).collect()
    }

    /// The times at which the component has set a timer.
    pub fn timer_times(&self) -> Vec<Time> {
        self.wakes.iter().map(|&(at, _)| at).collect()
    }

    /// The requests that the component sent, each with its port.
    pub fn sent_requests(&self) -> Vec<(u16, RequestId)> {
        let asked = |&(port, message): &(u16, Message)| match message {
            Message::Request(id, _) => Some((port, id)),
            _ => None,
        };
        self.sent.iter().filter_map(asked).collect()
    }

    /// The answers that the component gave.
    pub fn sent_answers(&self) -> Vec<(RequestId, Status)> {
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
        origin: RequestOrigin {
            workload: 0,
            stream: 0,
            slot: 0,
            background: false,
            priority: NORMAL_PRIORITY,
        },
        operation,
        device: 0,
        lba,
        bytes,
        cache_control: sansim_request::CacheControl::NONE,
        data: DataId(0),
    }
}

/// A read of workload 0 from device 0.
pub fn sample_read(lba: u64, bytes: u64) -> Request {
    request(Operation::Read, lba, bytes)
}

/// A write of workload 0 to device 0.
pub fn sample_write(lba: u64, bytes: u64) -> Request {
    request(Operation::Write, lba, bytes)
}

/// The instant that lies this many microseconds after the beginning.
pub fn instant_at_us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// The instant that lies this many milliseconds after the beginning.
pub fn instant_at_ms(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

/// A test bench for one component.
#[derive(Debug)]
pub struct ComponentBench<C> {
    /// The component under test.
    pub component: C,
    around: Runtime,
    now: Time,
}

impl<C: Component> ComponentBench<C> {
    /// Puts a component on the bench. The component has this many ports, and another component is at each of them.
    pub fn new(mut component: C, ports: u16) -> Self {
        while component.prepare() < 1.0 {}
        let site = |number: u32, first_port: u32| ComponentSite {
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
        let shows = WantedSights { requests: true, ..WantedSights::default() };
        let mut around = Runtime::new(sites, beyond.chain(back).collect(), shows);
        around.sources.most = u64::MAX;
        Self { component, around, now: Time::ZERO }
    }

    /// The run begins.
    pub fn start(&mut self) -> InputEffects {
        self.react(Time::ZERO, |component, cx| component.start(cx))
    }

    /// The time of the next timer of the component, if it has set one.
    pub fn next_timer_time(&mut self) -> Option<Time> {
        self.around.calendar.peek_time()
    }

    /// The next timer of the component is due.
    ///
    /// # Panics
    /// If that timer is due at another time, or there is no timer.
    pub fn handle_due_timer(&mut self, now: Time) -> InputEffects {
        let next = self.around.calendar.peek_time();
        assert_eq!(next, Some(now), "the next timer");
        let Some((_, (_, timer))) = self.around.calendar.pop() else { unreachable!("a timer") };
        self.react(now, |component, cx| component.due(cx, timer))
    }

    /// A message comes in by a port.
    ///
    /// # Panics
    /// If this time is before the last input, or if a timer should have been due by then.
    pub fn receive(&mut self, now: Time, port: u16, message: Message) -> InputEffects {
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
    /// If the time is wrong, as in [`ComponentBench::receive`].
    pub fn apply_action(&mut self, now: Time, action: Action) -> InputEffects {
        self.react(now, |component, cx| component.act(cx, action))
    }

    /// Applies an action of the scenario to a part of the component that can fail separately.
    ///
    /// # Panics
    /// If the time is wrong, as in [`ComponentBench::receive`].
    pub fn apply_action_to_part(&mut self, now: Time, thing: usize, works: bool) -> InputEffects {
        self.react(now, |component, cx| component.act_on(cx, thing, works))
    }

    /// Opens a request that the component does not have yet.
    pub fn open_request(&mut self, now: Time, request: Request) -> RequestId {
        self.around.requests.open_request(now, request, LedgerLine(0))
    }

    /// Sends a new request to the component at a port.
    ///
    /// # Panics
    ///
    /// If the time is wrong, as in [`ComponentBench::receive`].
    pub fn ask(&mut self, now: Time, port: u16, request: Request) -> (RequestId, InputEffects) {
        let id = self.open_request(now, request);
        (id, self.receive(now, port, Message::Request(id, now)))
    }

    /// The initiating component at a port has a request back and releases it.
    ///
    /// # Panics
    ///
    /// If the time is wrong, as in [`ComponentBench::receive`].
    pub fn close_request(&mut self, now: Time, port: u16, id: RequestId) -> InputEffects {
        let did = self.receive(now, port, Message::Release(id));
        self.take_back_unreleased(now, id);
        did
    }

    /// The initiating component has a request back and sends no [`Message::Release`].
    pub fn take_back_unreleased(&mut self, now: Time, id: RequestId) {
        self.around.requests.close_request(now, id);
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
    pub fn place_of_request(&self, id: RequestId) -> BenchRequestPlace {
        BenchRequestPlace::of(self.around.requests.ledger_line(id))
    }

    /// The ledger of a closed request: the time that it spent in each place.
    pub fn dwells_of_request(&self, id: RequestId) -> Vec<(BenchRequestPlace, Span)> {
        self.around
            .requests
            .past_dwells(id)
            .iter()
            .map(|stay| (BenchRequestPlace::of(stay.line), stay.spent))
            .collect()
    }

    /// The leftovers at the end: of the component, of requests, of timers.
    pub fn leftovers(&mut self) -> Vec<String> {
        let mut leftovers = LeftoverFindings::default();
        self.component.leftovers(&mut leftovers);
        leftovers.check_zero("requests left", self.around.requests.record_count() as u64);
        leftovers.check_zero("timers left", self.around.calendar.len() as u64);
        leftovers.into_findings()
    }

    fn react(&mut self, now: Time, input: impl FnOnce(&mut C, &mut Context<'_>)) -> InputEffects {
        assert!(now >= self.now, "an input at {now}, after one at {}", self.now);
        let next = self.around.calendar.peek_time();
        assert!(next.is_none_or(|next| next >= now), "a timer should have been due before {now}");
        self.now = now;
        let before = self.timers();
        input(&mut self.component, &mut Context::new(now, IT, &mut self.around));
        let after = self.timers();
        let mut did = InputEffects { wakes: without(&after, &before), ..InputEffects::default() };
        did.cancelled = without(&before, &after);
        while let Some(place) = self.around.next_message(now) {
            let (PortRef { component, .. }, message) = *self.around.agenda.message_at(place);
            if let Message::Send(frame) = message {
                self.around.requests.unit_received(RequestId(frame.tag.0));
            }
            did.sent.push(((component.0 - 1) as u16, message));
        }
        for shown in self.around.shown.drain(..) {
            if let ObservableKind::Enters(id, line) = shown.what {
                did.entered.push((id, BenchRequestPlace::of(line)));
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
    use crate::context::RequestPlace;
    use crate::site::EventTurn;
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
            cx.ledger().locate_request(id, RequestPlace::Server(1));
            cx.answer(0, id, Status::Good);
        }

        fn receive(&mut self, cx: &mut Context<'_>, _: u16, message: Message) {
            if let Message::Request(id, _) = message {
                cx.ledger().enter_segment(id, 3);
                let at = cx.now + Span::from_ms(1);
                self.has.push((
                    id,
                    cx.set_cancellable_timer(at, EventTurn::turn_of_node(id.0), Timer::new(5, id.0)),
                ));
            }
        }

        fn act(&mut self, cx: &mut Context<'_>, _: Action) {
            for (_, timer) in self.has.drain(..) {
                cx.cancel_timer(timer);
            }
        }

        fn leftovers(&self, leftovers: &mut LeftoverFindings) {
            leftovers.check_zero("requests left in an echo", self.has.len() as u64);
        }
    }

    #[test]
    fn what_a_component_did_is_told_with_times_ports_and_places() {
        let mut bench = ComponentBench::new(Echo::default(), 2);
        let (id, did) = bench.ask(instant_at_us(5), 0, sample_read(0, 512));
        let timer = (instant_at_us(1_005), Timer::new(5, id.0));
        assert_eq!(
            did,
            InputEffects {
                entered: vec![(id, BenchRequestPlace::Here(3))],
                wakes: vec![timer],
                ..InputEffects::default()
            }
        );
        let did = bench.handle_due_timer(instant_at_us(1_005));
        assert_eq!(did.entered, [(id, BenchRequestPlace::Provided(1))]);
        assert_eq!((did.sent_answers(), did.messages_sent_at_port(1)), (vec![(id, Status::Good)], vec![]));
        assert!(
            bench.leftovers().iter().any(|line| line.starts_with("requests left: 1")),
            "it was not closed"
        );
        bench.close_request(instant_at_us(1_006), 0, id);
        let stays = [
            (BenchRequestPlace::Here(3), Span::from_ms(1)),
            (BenchRequestPlace::Provided(1), Span::from_us(1)),
        ];
        assert_eq!((bench.dwells_of_request(id), bench.leftovers()), (stays.to_vec(), vec![]));
    }

    #[test]
    fn timers_that_are_called_off_are_told_of() {
        let mut bench = ComponentBench::new(Echo::default(), 2);
        let (id, _) = bench.ask(instant_at_us(0), 0, sample_read(0, 512));
        assert_eq!(bench.leftovers().len(), 3, "in the echo, of requests, of timers");
        let did = bench.apply_action(instant_at_us(1), Action::Fail);
        assert_eq!((did.cancelled, did.wakes), (vec![(instant_at_us(1_000), Timer::new(5, id.0))], vec![]));
    }

    #[test]
    #[should_panic(expected = "a timer should have been due")]
    fn no_timer_is_passed_over() {
        let mut bench = ComponentBench::new(Echo::default(), 2);
        bench.ask(instant_at_us(0), 0, sample_read(0, 512));
        bench.ask(instant_at_us(2_000), 0, sample_read(0, 512));
    }
}

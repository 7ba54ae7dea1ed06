//! Tests of polls that cross buses. The test plays the bus: the bus is granted when the test says so.

use super::*;

/// The time on the bus of a read of a register.
const READS: Span = Span::from_ns(120);

fn crossing(first_threads: u32, most_threads: u32) -> ApplianceProcessors {
    match polling(first_threads, most_threads) {
        ApplianceProcessors::Polling(model) => {
            ApplianceProcessors::Polling(PollingStack { poll_reads: 4, ..model })
        }
        ApplianceProcessors::Interrupts(_) => unreachable!("it polls"),
    }
}

/// A server and its buses, each of which is granted after the time `waits`.
struct Server {
    bench: ComponentBench<StackProcessors>,
    waits: Span,
    /// The next events of the buses: the time, the port and the message of each.
    next: Vec<(Time, u16, Message)>,
    transactions: u64,
    done: Vec<Time>,
}

impl Server {
    fn new(bench: ComponentBench<StackProcessors>, waits: Span) -> Self {
        let mut server = Self { bench, waits, next: Vec::new(), transactions: 0, done: Vec::new() };
        let did = server.bench.start();
        server.take(Time::ZERO, &did.sent);
        server
    }

    fn take(&mut self, now: Time, sent: &[(u16, Message)]) {
        for &(port, message) in sent {
            match message {
                Message::Transfer(transfer) => {
                    assert_eq!((transfer.request, transfer.bytes), (None, 4));
                    let waits = self.next.iter().any(|(_, other, _)| *other == port);
                    assert!(!waits, "a bridge asks for one poll at a time");
                    let (granted, until) = (now + self.waits, now + self.waits + READS);
                    self.next.push((granted, port, Message::Granted(None, until)));
                    self.next.push((until, port, Message::Transferred(None, 4)));
                    self.transactions += 1;
                }
                Message::JobDone(_) => self.done.push(now),
                _ => {}
            }
        }
    }

    /// Runs everything that happens up to a time.
    fn run_to(&mut self, end: Time) {
        loop {
            self.next.sort_by_key(|&(at, port, _)| (at, port));
            let bus = self.next.first().map(|&(at, ..)| at);
            let own = self.bench.next_timer_time();
            let Some(at) = bus.into_iter().chain(own).min().filter(|&at| at <= end) else { return };
            let did = if own == Some(at) {
                self.bench.handle_due_timer(at)
            } else {
                let (_, port, message) = self.next.remove(0);
                self.bench.receive(at, port, message)
            };
            self.take(at, &did.sent);
        }
    }

    fn polls(&self, now: Time) -> (u128, u128) {
        let meter = |meter| self.bench.component.meter(now, meter).0;
        (meter(meter::PRODUCTIVE), meter(meter::UNPRODUCTIVE))
    }
}

#[test]
fn on_a_bus_that_nobody_else_wants_polls_take_what_they_take_without() {
    let mut server = Server::new(bench_on(crossing(1, 1), 1, &[0, 0], Some(0)), Span::ZERO);
    let [one, ..] = three(&mut server.bench);
    server.run_to(instant_at_us(4));
    // As in the tests without buses, the poll that ends at 5 us is the first of the second adapter that can find the job.
    let did = server.bench.receive(instant_at_us(4), 0, job(one, Module::Command, 2));
    server.take(instant_at_us(4), &did.sent);
    server.run_to(instant_at_us(17));
    assert_eq!((server.polls(instant_at_us(17)), &server.done[..]), ((1, 7), &[instant_at_us(14)][..]));
    assert_eq!(server.bench.component.meter(instant_at_us(17), meter::WORKING), Span::from_us(10).into());
    assert_eq!(server.bench.component.meter(instant_at_us(17), meter::OCCUPIED), Span::from_us(17).into());
    // Every poll was a transaction, and the next has begun.
    assert_eq!(server.transactions, 9);
}

#[test]
fn a_poll_takes_longer_by_what_it_waits_for_its_bus() {
    for devices in [Some(0), None] {
        let mut server = Server::new(bench_on(crossing(1, 1), 1, &[0, 0], devices), Span::from_ns(500));
        server.run_to(instant_at_us(150));
        // Each poll lasts 1.5 us, except polls of devices that are on no bus.
        let round_ns: u128 = 3_000 + if devices.is_some() { 1_500 } else { 1_000 };
        assert_eq!(server.polls(instant_at_us(150)).1, 3 * (150_000 / round_ns) + 150_000 % round_ns / 1_500);
    }
}

#[test]
fn what_a_poll_waited_that_found_something_is_work() {
    let mut server = Server::new(bench_on(crossing(1, 1), 1, &[0, 0], Some(0)), Span::from_ns(500));
    let [one, ..] = three(&mut server.bench);
    let did = server.bench.receive(instant_at_us(0), 0, job(one, Module::LookUp, 1));
    server.take(instant_at_us(0), &did.sent);
    server.run_to(instant_at_us(8));
    assert_eq!(server.done, [Time::ZERO + Span::from_ns(6_500)]);
    assert_eq!(server.bench.component.meter(instant_at_us(8), meter::WORKING), Span::from_ns(6_500).into());
}

#[test]
fn threads_that_want_one_bus_have_it_one_after_the_other() {
    // Both threads use the bus all the time: each waits for the read of the other.
    let mut server = Server::new(bench_on(crossing(2, 2), 1, &[0, 0], Some(0)), Span::from_us(2));
    server.run_to(instant_at_us(2_120));
    let (_, in_vain) = server.polls(instant_at_us(2_120));
    // A read ends every 2.12 us, of either thread.
    assert!((998..=1_000).contains(&in_vain), "{in_vain}");
    // With separate buses each thread polls in 3 us.
    let mut server = Server::new(bench_on(crossing(2, 2), 1, &[0, 1], None), Span::from_us(2));
    server.run_to(instant_at_us(2_100));
    let (_, in_vain) = server.polls(instant_at_us(2_100));
    assert!((1_780..=1_800).contains(&in_vain), "{in_vain}: two threads in rounds of 3, 3 and 1 us");
}

#[test]
fn a_node_that_fails_leaves_its_bus_when_its_turn_is_over() {
    let buses = [0, 0, 0, 0];
    let mut server = Server::new(bench_on(crossing(2, 2), 2, &buses, Some(0)), Span::from_ns(500));
    server.run_to(Time::ZERO + Span::from_ns(5_000));
    let before = server.polls(instant_at_us(5)).1;
    let did = server.bench.apply_action_to_part(instant_at_us(5), 0, false);
    server.take(instant_at_us(5), &did.sent);
    server.run_to(instant_at_us(100));
    // The remaining threads continue to poll; two threads of one node now wait for each other.
    let (_, in_vain) = server.polls(instant_at_us(100));
    assert!(in_vain > before + 95_000 / 1_620 - 2, "{in_vain} after {before}");
    let did = server.bench.apply_action_to_part(instant_at_us(100), 0, true);
    server.take(instant_at_us(100), &did.sent);
    server.run_to(instant_at_us(200));
    assert!(server.polls(instant_at_us(200)).1 > in_vain + 100_000 / 1_620 - 2);
    assert_eq!(server.bench.component.gauge(instant_at_us(200), 2, 0), 4);
}

#[test]
fn another_thread_begins_as_without_buses() {
    let mut server = Server::new(bench_on(crossing(1, 2), 1, &[0, 0], Some(0)), Span::ZERO);
    let ids = three(&mut server.bench);
    for (number, id) in (1..).zip(&ids[..2]) {
        let did = server.bench.receive(instant_at_us(0), 0, job(*id, Module::LookUp, number));
        server.take(instant_at_us(0), &did.sent);
    }
    let mut now = instant_at_us(0);
    while now < instant_at_us(350) {
        now += Span::from_us(1);
        let done = server.done.len();
        server.run_to(now);
        for number in done..server.done.len() {
            let id = ids[number % 2];
            let did = server.bench.receive(now, 0, job(id, Module::LookUp, (number % 2) as u32 + 1));
            server.take(now, &did.sent);
        }
        let threads = server.bench.component.gauge(now, 2, 0);
        assert!(threads == 1 || now >= instant_at_us(100), "{threads} at {now}");
    }
    assert_eq!(server.bench.component.gauge(now, 2, 0), 2);
}

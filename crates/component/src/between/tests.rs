//! Tests of a delay, a limit and a filter, input by input.

use super::*;
use crate::bench::{ComponentBench, instant_at_us, sample_read, sample_write};
use crate::policy::DevicePath;
use sansim_kernel::Span;
use sansim_schema::context::Facts;
use sansim_schema::quantities::{Count, Time as AnyTime};
use sansim_schema::table;

const GOOD: Status = Status::Good;
/// The port by which the component gets requests, and the port by which it sends them to the device behind, number 10 of the system.
const ASKED: u16 = 0;
const ASKS: u16 = 1;
const SIZE: u64 = 4_096;

table! {
    /// Holds each request for a time, lets so many go on at once, and refuses those of odd blocks.
    pub struct Example {
        /// For how long.
        holds: Span = AnyTime::ANY, default r#""0 us""#, source "";
        /// How many.
        at_once: u64 = Count::<u64>::between(1, 100), default "100", source "";
        /// Blocks that are refused.
        refused: u64 = Count::<u64>::between(0, 1_000), default "1000", source "";
    }
}

impl PassThrough for Example {
    type State = u64;

    const HELD: Segment = Segment::wait("held", "held", "Held.");

    fn begin(&self) -> u64 {
        0
    }

    fn passes(&self, under_way: &mut u64, now: Time, request: &Request) -> PassDecision {
        if request.lba == self.refused {
            return PassDecision::Refused(Status::Refused);
        }
        if *under_way == self.at_once {
            return PassDecision::Waits;
        }
        *under_way += 1;
        PassDecision::At(now + self.holds)
    }

    fn returns(&self, under_way: &mut u64, _: Time, _: &Request) {
        *under_way -= 1;
    }
}

fn bench(text: &str) -> ComponentBench<PassThroughLayer<Example>> {
    let parameters = Example::from_toml(text, &Facts::default()).unwrap_or_else(|report| panic!("{report}"));
    let mut ways = vec![Vec::new(); 10];
    ways.push(vec![DevicePath::from_port(ASKS)]);
    let path = PathParameters::from_toml("", &Facts::default()).unwrap_or_else(|report| panic!("{report}"));
    let behind =
        ChildRequests::with_devices(vec![10], PathChoice::new(&ways.into(), &path), segment::FAIL_OVER);
    ComponentBench::new(PassThroughLayer::new(&parameters, vec![Some(0)], behind), 2)
}

#[test]
fn a_request_that_is_held_is_asked_for_behind_when_its_time_has_come() {
    let mut bench = bench("holds = \"5 us\"");
    let (id, did) = bench.ask(instant_at_us(0), ASKED, sample_read(8, SIZE));
    assert_eq!(did.sent_requests(), []);
    let did = bench.handle_due_timer(instant_at_us(5));
    let [(ASKS, part)] = did.sent_requests()[..] else { panic!("{did:?}") };
    let request = *bench.requests().request(part);
    assert_eq!((request.device, request.lba, request.bytes), (10, 8, SIZE));
    let did = bench.receive(instant_at_us(9), ASKS, Message::Done(part, GOOD));
    assert_eq!(did.messages_sent_at_port(ASKED), [Message::ReadDataUpTo(id, SIZE), Message::Done(id, GOOD)]);
    bench.close_request(instant_at_us(9), ASKED, id);
    assert!(bench.leftovers().is_empty());
}

#[test]
fn a_write_is_held_when_its_data_are_in() {
    let mut bench = bench("holds = \"5 us\"");
    let (id, did) = bench.ask(instant_at_us(0), ASKED, sample_write(8, SIZE));
    assert_eq!(did.messages_sent_at_port(ASKED), [Message::WriteCredit(id, SIZE)]);
    assert_eq!(bench.receive(instant_at_us(3), ASKED, Message::WriteDataUpTo(id, SIZE)).sent_requests(), []);
    assert_eq!(bench.handle_due_timer(instant_at_us(8)).sent_requests().len(), 1);
}

#[test]
fn those_that_wait_go_on_in_their_order_as_others_come_back() {
    let mut bench = bench("at_once = 1");
    let (_, did) = bench.ask(instant_at_us(0), ASKED, sample_read(0, SIZE));
    let [(_, first)] = did.sent_requests()[..] else { panic!("{did:?}") };
    let waiting = [8, 16].map(|lba| bench.ask(instant_at_us(1), ASKED, sample_read(lba, SIZE)));
    assert!(waiting.iter().all(|(_, did)| did.sent_requests().is_empty()));
    let did = bench.receive(instant_at_us(4), ASKS, Message::Done(first, GOOD));
    let [(_, second)] = did.sent_requests()[..] else { panic!("{did:?}") };
    assert_eq!(bench.requests().request(second).lba, 8);
    // The last request is aborted while it waits, so no request is left to continue.
    let did = bench.receive(instant_at_us(5), ASKED, Message::Abort(waiting[1].0));
    assert_eq!(did.sent_answers(), [(waiting[1].0, Status::Aborted)]);
    assert_eq!(bench.receive(instant_at_us(6), ASKS, Message::Done(second, GOOD)).sent_requests(), []);
}

#[test]
fn what_is_refused_is_answered_at_once() {
    let mut bench = bench("refused = 8");
    let (id, did) = bench.ask(instant_at_us(0), ASKED, sample_read(8, SIZE));
    assert_eq!((did.sent_answers(), did.sent_requests()), (vec![(id, Status::Refused)], vec![]));
    assert_eq!(bench.ask(instant_at_us(0), ASKED, sample_read(16, SIZE)).1.sent_requests().len(), 1);
}

#[test]
fn when_it_fails_everything_ends_with_an_error_and_what_is_behind_is_given_up() {
    let mut bench = bench("holds = \"5 us\"");
    let (held, _) = bench.ask(instant_at_us(0), ASKED, sample_read(8, SIZE));
    let (behind, _) = bench.ask(instant_at_us(0), ASKED, sample_read(16, SIZE));
    let did = bench.receive(instant_at_us(1), ASKED, Message::Abort(held));
    assert_eq!(did.sent_answers(), [(held, Status::Aborted)]);
    let did = bench.handle_due_timer(instant_at_us(5));
    let [(_, part)] = did.sent_requests()[..] else { panic!("{did:?}") };
    let did = bench.apply_action(instant_at_us(6), Action::Fail);
    assert_eq!(did.messages_sent_at_port(ASKS), [Message::Abort(part)]);
    let did = bench.receive(instant_at_us(7), ASKS, Message::Done(part, Status::Aborted));
    assert_eq!(did.sent_answers(), [(behind, Status::Aborted)]);
    assert_eq!(
        bench.ask(instant_at_us(8), ASKED, sample_read(0, SIZE)).1.sent_answers().len(),
        1,
        "it has failed"
    );
    bench.apply_action(instant_at_us(9), Action::Repair);
    assert_eq!(bench.ask(instant_at_us(9), ASKED, sample_read(0, SIZE)).1.sent_answers().len(), 0);
}

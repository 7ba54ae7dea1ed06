//! Tests of a driver, input by input.

use super::*;
use sansim_component::TaskManagement;
use sansim_component::bench::{
    BenchRequestPlace, ComponentBench, InputEffects, instant_at_us, sample_read, sample_write,
};
use sansim_component::policy::{DevicePath, PolicyName};
use sansim_request::Request;
use sansim_rules::RuleName;
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

const GOOD: Status = Status::Good;
const FAILED: Status = Status::Failed;

/// The port by which the driver gets requests; device 0 can be reached by the other ports.
const ASKED: u16 = 0;
const WAY: u16 = 1;
const OTHER_WAY: u16 = 2;

fn driver(limit: u32, arrival_us: u64, path: PolicyName) -> ComponentBench<Host> {
    by_paths(limit, arrival_us, PathParameters { path: path.into(), ..AT_ONCE })
}

/// A driver that leaves a failed path and returns to it at once, and waits for no path.
const AT_ONCE: PathParameters = PathParameters {
    path_turn_ios: 1_000,
    path_turn_bytes: 10 << 20,
    numa_nodes: 1,
    path: RuleName::BuiltIn(PolicyName::First),
    fail_over_time: Span::ZERO,
    fail_back_time: Some(Span::ZERO),
    no_way_time: Some(Span::ZERO),
};

fn by_paths(limit: u32, arrival_us: u64, path: PathParameters) -> ComponentBench<Host> {
    let parameters = DriverParameters {
        arrival_time: Span::from_us(arrival_us),
        completion_time: Span::from_us(2),
        outstanding_limit: limit,
        ..plain()
    };
    bench(&parameters, path)
}

/// A driver that needs no time and has only the default limits.
fn plain() -> DriverParameters {
    DriverParameters::from_toml("", &Facts::default()).expect("the defaults")
}

fn bench(parameters: &DriverParameters, path: PathParameters) -> ComponentBench<Host> {
    ComponentBench::new(Host::new(parameters, paths(&[&[WAY, OTHER_WAY]], path), &vec![None].into()), 3)
}

/// The paths to each device at these ports.
fn paths(ports: &[&[u16]], path: PathParameters) -> PathChoice {
    let ways = |ports: &&[u16]| ports.iter().map(|&port| DevicePath::from_port(port)).collect();
    PathChoice::new(&ports.iter().map(ways).collect::<Vec<_>>().into(), &path)
}

/// The requests that the driver passed on.
fn passed_on(did: &[&InputEffects]) -> Vec<RequestId> {
    did.iter().flat_map(|did| did.sent_requests()).map(|(_, id)| id).collect()
}

fn complete(bench: &mut ComponentBench<Host>, now: Time, id: RequestId) -> InputEffects {
    bench.receive(now, WAY, Message::Done(id, GOOD))
}

#[test]
fn no_more_requests_are_outstanding_than_the_limit() {
    let mut bench = driver(2, 0, PolicyName::First);
    let asked = [0; 3].map(|_| bench.ask(instant_at_us(0), ASKED, sample_read(0, 512)));
    let [first, second, third] = [0, 1, 2].map(|number| asked[number].0);
    assert_eq!(passed_on(&[&asked[0].1, &asked[1].1, &asked[2].1]), [first, second]);
    complete(&mut bench, Time(5), first);
    let did = bench.handle_due_timer(Time(5) + Span::from_us(2));
    assert_eq!(did.sent_answers(), [(first, GOOD)]);
    assert_eq!(passed_on(&[&did]), [third], "a completion makes room for the next");
}

#[test]
fn requests_and_completions_are_taken_up_in_the_order_in_which_they_came() {
    let mut bench = driver(3, 4, PolicyName::First);
    let ids = [0; 3].map(|_| bench.ask(instant_at_us(0), ASKED, sample_read(0, 512)).0);
    let turns = [1, 2, 3].map(|turn| bench.handle_due_timer(instant_at_us(4 * turn)));
    assert_eq!(passed_on(&turns.each_ref()), ids);
    // While the driver handles the first completion, two more come, not in the order of their numbers.
    let order = [1, 2, 0].map(|number| ids[number]);
    for id in order {
        complete(&mut bench, instant_at_us(20), id);
    }
    let gauges = |bench: &ComponentBench<Host>| {
        [gauge::OUTSTANDING, gauge::WAITING].map(|g| bench.component.gauge(Time::ZERO, g, 0))
    };
    assert_eq!(gauges(&bench), [3, 0], "until the completion process is done with them");
    let done = [1, 2, 3].map(|turn| bench.handle_due_timer(instant_at_us(20 + 2 * turn)));
    let answers: Vec<_> = done.iter().flat_map(InputEffects::sent_answers).collect();
    assert_eq!(answers, order.map(|id| (id, GOOD)));
    assert_eq!(gauges(&bench), [0, 0]);
}

#[test]
fn the_arrival_process_takes_requests_one_at_a_time() {
    let mut bench = driver(10, 4, PolicyName::First);
    let here = |id, segment| vec![(id, BenchRequestPlace::Here(segment))];
    let (first, did) = bench.ask(instant_at_us(0), ASKED, sample_read(0, 512));
    assert_eq!(
        (did.entered.clone(), did.timer_times()),
        (here(first, segment::ARRIVAL), vec![instant_at_us(4)])
    );
    let (second, did) = bench.ask(instant_at_us(0), ASKED, sample_read(0, 512));
    assert_eq!(did, InputEffects::default());
    let did = bench.handle_due_timer(instant_at_us(4));
    assert_eq!(passed_on(&[&did]), [first]);
    assert_eq!(
        (did.entered.clone(), did.timer_times()),
        (here(second, segment::ARRIVAL), vec![instant_at_us(8)])
    );
}

#[test]
fn the_ledger_follows_a_request_through_the_driver() {
    let mut bench = driver(1, 4, PolicyName::First);
    let [first, second] = [0; 2].map(|_| bench.ask(instant_at_us(0), ASKED, sample_read(0, 512)).0);
    bench.handle_due_timer(instant_at_us(4));
    let did = complete(&mut bench, instant_at_us(10), first);
    assert_eq!(did.sent, [(WAY, Message::Release(first))]);
    bench.handle_due_timer(instant_at_us(12));
    bench.handle_due_timer(instant_at_us(16));
    complete(&mut bench, instant_at_us(26), second);
    bench.handle_due_timer(instant_at_us(28));
    bench.close_request(instant_at_us(28), ASKED, second);
    let here = |segment, us| (BenchRequestPlace::Here(segment), Span::from_us(us));
    // From 16 to 26 no component moved the request.
    let arrival = here(segment::ARRIVAL, 4 + 10);
    assert_eq!(bench.dwells_of_request(second), [here(0, 12), arrival, here(segment::COMPLETION, 2)]);
    bench.close_request(instant_at_us(28), ASKED, first);
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn its_memory_has_the_data_of_writes_and_takes_those_of_reads() {
    let mut bench = driver(9, 0, PolicyName::First);
    let (id, _) = bench.ask(instant_at_us(0), ASKED, sample_write(0, 4096));
    let did = bench.receive(instant_at_us(1), WAY, Message::WriteCredit(id, 2048));
    assert_eq!(did.sent, [(WAY, Message::WriteDataUpTo(id, 2048))]);
    let (id, _) = bench.ask(instant_at_us(1), ASKED, sample_read(0, 4096));
    let did = bench.receive(instant_at_us(2), OTHER_WAY, Message::ReadDataUpTo(id, 4096));
    assert_eq!(did.sent, [(OTHER_WAY, Message::ReadConsumedUpTo(id, 4096))]);
}

#[test]
fn of_several_ways_the_policy_chooses() {
    let mut bench = driver(9, 0, PolicyName::LeastOutstanding);
    let ask = |bench: &mut ComponentBench<Host>, now| {
        bench.ask(instant_at_us(now), ASKED, sample_read(0, 512)).1.sent_requests()[0]
    };
    let [first, second] = [ask(&mut bench, 0), ask(&mut bench, 0)];
    assert_eq!((first.0, second.0), (WAY, OTHER_WAY));
    bench.receive(instant_at_us(1), OTHER_WAY, Message::Done(second.1, GOOD));
    assert_eq!(ask(&mut bench, 2).0, OTHER_WAY);
}

#[test]
fn a_device_that_cannot_be_reached_fails_after_the_completion_process() {
    let mut bench = driver(1, 0, PolicyName::First);
    let (id, did) = bench.ask(instant_at_us(0), ASKED, Request { device: 3, ..sample_read(0, 512) });
    assert_eq!((did.sent.clone(), did.timer_times()), (vec![], vec![instant_at_us(2)]));
    assert_eq!(bench.handle_due_timer(instant_at_us(2)).sent_answers(), [(id, FAILED)]);
    let (_, did) = bench.ask(instant_at_us(3), ASKED, sample_read(0, 512));
    assert_eq!(did.sent_requests().len(), 1, "it does not count as outstanding for ever");
}

#[test]
fn a_failure_is_passed_on() {
    let mut bench = driver(1, 0, PolicyName::First);
    let (id, _) = bench.ask(instant_at_us(0), ASKED, sample_read(0, 512));
    bench.receive(instant_at_us(5), WAY, Message::Done(id, FAILED));
    assert_eq!(bench.handle_due_timer(instant_at_us(7)).sent_answers(), [(id, FAILED)]);
}

/// A request is answered by the first path as unreachable.
fn unreachable(bench: &mut ComponentBench<Host>, now: Time, id: RequestId) -> InputEffects {
    bench.receive(now, WAY, Message::Done(id, Status::Unreachable))
}

#[test]
fn a_request_whose_way_has_failed_goes_on_by_another_when_that_is_noticed() {
    let times = PathParameters { fail_over_time: Span::from_us(10), ..AT_ONCE };
    let mut bench = by_paths(9, 0, times);
    let [first, second] = [0; 2].map(|_| bench.ask(instant_at_us(0), ASKED, sample_read(0, 512)).0);
    bench.apply_action(instant_at_us(5), Action::PathFails(0));
    let did = unreachable(&mut bench, instant_at_us(7), first);
    assert_eq!(did.sent, [(WAY, Message::Release(first))]);
    assert_eq!(bench.place_of_request(first), BenchRequestPlace::Here(segment::FAIL_OVER));
    let (third, did) = bench.ask(instant_at_us(8), ASKED, sample_read(0, 512));
    assert_eq!(did.sent_requests(), [(WAY, third)], "nobody knows yet");
    unreachable(&mut bench, instant_at_us(8), third);
    assert_eq!(
        bench.handle_due_timer(instant_at_us(15)).sent_requests(),
        [(OTHER_WAY, first), (OTHER_WAY, third)]
    );
    assert_eq!(
        unreachable(&mut bench, instant_at_us(20), second).sent_requests(),
        [(OTHER_WAY, second)],
        "it is known by now"
    );
    bench.apply_action(instant_at_us(21), Action::PathWorks(0));
    assert_eq!(bench.ask(instant_at_us(22), ASKED, sample_read(0, 512)).1.sent_requests()[0].0, WAY);
}

#[test]
fn a_request_without_a_way_waits_for_one_as_long_as_it_may() {
    let times = PathParameters { no_way_time: Some(Span::from_us(10)), ..AT_ONCE };
    let mut bench = by_paths(9, 0, times);
    bench.apply_action(instant_at_us(0), Action::PathFails(0));
    bench.apply_action(instant_at_us(0), Action::PathFails(1));
    let (first, did) = bench.ask(instant_at_us(1), ASKED, sample_read(0, 512));
    assert_eq!((did.sent.clone(), did.timer_times()), (vec![], vec![instant_at_us(11)]));
    assert_eq!(bench.place_of_request(first), BenchRequestPlace::Here(segment::FAIL_OVER));
    let (second, _) = bench.ask(instant_at_us(5), ASKED, sample_read(0, 512));
    // The driver declares the device lost after `no_way_time` without a path.
    assert_eq!(bench.handle_due_timer(instant_at_us(10)).sent_answers(), []);
    assert_eq!(
        bench.handle_due_timer(instant_at_us(11)).timer_times(),
        [instant_at_us(13), instant_at_us(15)],
        "the completion process, and the next that waits"
    );
    assert_eq!(bench.handle_due_timer(instant_at_us(13)).sent_answers(), [(first, FAILED)]);
    assert_eq!(
        bench.apply_action(instant_at_us(14), Action::PathWorks(1)).sent_requests(),
        [(OTHER_WAY, second)]
    );
    assert!(bench.component.fault().is_none());
    assert_eq!(bench.handle_due_timer(instant_at_us(15)), InputEffects::default(), "it waits no more");
}

#[test]
fn a_way_that_works_again_is_used_when_it_is_time() {
    let times = PathParameters { fail_back_time: Some(Span::from_us(10)), ..AT_ONCE };
    let mut bench = by_paths(9, 0, times);
    let ask = |bench: &mut ComponentBench<Host>, now| {
        bench.ask(instant_at_us(now), ASKED, sample_read(0, 512)).1.sent_requests()[0].0
    };
    bench.apply_action(instant_at_us(0), Action::PathFails(0));
    assert_eq!(ask(&mut bench, 1), OTHER_WAY);
    bench.apply_action(instant_at_us(5), Action::PathWorks(0));
    assert_eq!(ask(&mut bench, 14), OTHER_WAY);
    bench.handle_due_timer(instant_at_us(15));
    assert_eq!(ask(&mut bench, 15), WAY);
}

#[test]
fn a_driver_in_which_requests_wait_for_ever_says_so() {
    let times = PathParameters { no_way_time: None, ..AT_ONCE };
    let mut bench = by_paths(9, 0, times);
    bench.apply_action(instant_at_us(0), Action::PathFails(0));
    bench.apply_action(instant_at_us(0), Action::PathFails(1));
    let (_, did) = bench.ask(instant_at_us(1), ASKED, sample_read(0, 512));
    assert_eq!(did.timer_times(), []);
    assert!(bench.component.fault().is_some_and(|fault| fault.contains("wait for a way to their device: 1")));
}

#[test]
fn a_device_that_is_full_does_not_hold_up_another() {
    let parameters = DriverParameters { outstanding_per_device: Some(1), ..plain() };
    let paths = paths(&[&[WAY], &[OTHER_WAY]], AT_ONCE);
    let mut bench = ComponentBench::new(Host::new(&parameters, paths, &vec![None, None].into()), 3);
    let to = |device| Request { device, ..sample_read(0, 512) };
    let asked = [0, 0, 1].map(|device| bench.ask(instant_at_us(0), ASKED, to(device)));
    let [first, second, third] = [0, 1, 2].map(|number| asked[number].0);
    assert_eq!(passed_on(&[&asked[0].1, &asked[1].1, &asked[2].1]), [first, third]);
    let did = complete(&mut bench, instant_at_us(3), first);
    assert_eq!(passed_on(&[&did]), [second]);
}

#[test]
fn what_a_device_takes_from_this_host_counts_if_it_is_less_than_the_limit() {
    for (share, limit, most) in [(Some(2), None, 2), (Some(2), Some(3), 2), (Some(3), Some(1), 1)] {
        let parameters = DriverParameters { outstanding_per_device: limit, ..plain() };
        let paths = paths(&[&[WAY]], AT_ONCE);
        let mut bench = ComponentBench::new(Host::new(&parameters, paths, &vec![share].into()), 2);
        let asked = [0; 4].map(|_| bench.ask(instant_at_us(0), ASKED, sample_read(0, 512)).1);
        assert_eq!(passed_on(&asked.each_ref()).len(), most, "{share:?} {limit:?}");
    }
}

#[test]
fn a_way_through_a_full_adapter_is_not_taken_and_who_waited_for_it_longest_is_next() {
    let parameters = DriverParameters { outstanding_per_adapter: Some(1), ..plain() };
    let paths = paths(&[&[WAY, OTHER_WAY], &[WAY]], AT_ONCE);
    let mut bench = ComponentBench::new(Host::new(&parameters, paths, &vec![None, None].into()), 3);
    let to = |device| Request { device, ..sample_read(0, 512) };
    let asked = [0, 0, 1, 0].map(|device| bench.ask(instant_at_us(0), ASKED, to(device)).1);
    let ways: Vec<u16> = asked.iter().flat_map(InputEffects::sent_requests).map(|(port, _)| port).collect();
    assert_eq!(ways, [WAY, OTHER_WAY], "the first two; the others find no adapter with room");
    // The second device can be reached only by the first path, so the other path is for the first device.
    let freed = |bench: &mut ComponentBench<Host>, port, id| {
        bench.receive(instant_at_us(5), port, Message::Done(id, GOOD)).sent_requests()
    };
    let second = asked[1].sent_requests()[0].1;
    let did = freed(&mut bench, OTHER_WAY, second);
    assert_eq!(did.iter().map(|&(port, _)| port).collect::<Vec<_>>(), [OTHER_WAY]);
    let first = asked[0].sent_requests()[0].1;
    let did = freed(&mut bench, WAY, first);
    assert_eq!(did.iter().map(|&(port, _)| port).collect::<Vec<_>>(), [WAY]);
    assert_eq!(bench.component.gauge(Time::ZERO, gauge::WAITING, 0), 0);
}

#[test]
fn merged_requests_are_passed_on_as_one_and_answered_one_by_one() {
    let parameters = DriverParameters { outstanding_per_device: Some(1), merge: Some(1 << 20), ..plain() };
    let mut bench = bench(&parameters, AT_ONCE);
    let first = bench.ask(instant_at_us(0), ASKED, sample_read(0, 512)).0;
    let [low, high] = [8, 9].map(|block| bench.ask(instant_at_us(1), ASKED, sample_read(block, 512)).0);
    assert_eq!(bench.component.gauge(Time::ZERO, gauge::WAITING, 0), 2);
    let did = complete(&mut bench, instant_at_us(5), first);
    let [(port, whole)] = did.sent_requests()[..] else { panic!("{did:?}") };
    assert_eq!(bench.component.gauge(Time::ZERO, gauge::WAITING, 0), 0);
    let request = *bench.requests().request(whole);
    assert_eq!((request.parent, request.lba, request.bytes), (Some(low), 8, 1024));
    let did = bench.receive(instant_at_us(9), port, Message::Done(whole, FAILED));
    assert_eq!(did.sent[0], (port, Message::Release(whole)));
    assert_eq!(did.sent_answers(), [(low, FAILED), (high, FAILED)]);
    for (id, waited_us) in [(low, 4), (high, 4)] {
        bench.close_request(instant_at_us(9), ASKED, id);
        let stays = bench.dwells_of_request(id);
        assert_eq!(stays[0], (BenchRequestPlace::Here(0), Span::from_us(waited_us)));
        let spent: Span = stays.iter().map(|(_, spent)| *spent).sum();
        assert_eq!(spent, Span::from_us(8), "all of its time is told: {stays:?}");
    }
    bench.close_request(instant_at_us(9), ASKED, first);
    assert_eq!(bench.leftovers(), [""; 0]);
}

/// A driver with two paths, used in turn, and a time-out of 100 us.
fn impatient(retries: u32) -> ComponentBench<Host> {
    let parameters = DriverParameters { time_out: Some(Span::from_us(100)), retries, ..plain() };
    bench(&parameters, PathParameters { path: PolicyName::RoundRobin.into(), ..AT_ONCE })
}

#[test]
fn a_request_that_times_out_is_aborted_by_the_way_it_went_and_tried_by_the_next() {
    let mut bench = impatient(1);
    let (first, did) = bench.ask(instant_at_us(0), ASKED, sample_read(0, 512));
    assert_eq!((did.sent_requests(), did.timer_times()), (vec![(WAY, first)], vec![instant_at_us(100)]));
    let (second, did) = bench.ask(instant_at_us(40), ASKED, sample_read(0, 512));
    assert_eq!(
        (did.sent_requests(), did.timer_times()),
        (vec![(OTHER_WAY, second)], vec![]),
        "one timer is enough"
    );
    let did = bench.handle_due_timer(instant_at_us(100));
    assert_eq!(
        (did.sent.clone(), did.timer_times()),
        (vec![(WAY, Message::Abort(first))], vec![instant_at_us(140)])
    );
    assert_eq!(bench.place_of_request(first), BenchRequestPlace::Here(segment::ABORT));
    let did = bench.receive(instant_at_us(105), WAY, Message::Done(first, Status::Aborted));
    assert_eq!(did.sent_requests(), [(WAY, first)], "the one whose turn it is");
    assert_eq!(
        bench.receive(instant_at_us(110), OTHER_WAY, Message::Done(second, GOOD)).sent_answers(),
        [(second, GOOD)]
    );
    bench.handle_due_timer(instant_at_us(140));
    assert_eq!(bench.handle_due_timer(instant_at_us(205)).sent, [(WAY, Message::Abort(first))]);
    let did = bench.receive(instant_at_us(206), WAY, Message::Done(first, Status::Aborted));
    assert_eq!(did.sent_answers(), [(first, Status::Aborted)], "it may be tried again once");
    for id in [first, second] {
        bench.close_request(instant_at_us(300), ASKED, id);
    }
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn an_answer_that_meets_the_abort_counts_and_no_timer_is_left_when_nothing_is_under_way() {
    let mut bench = impatient(5);
    let (id, _) = bench.ask(instant_at_us(0), ASKED, sample_read(0, 512));
    bench.handle_due_timer(instant_at_us(100));
    assert_eq!(bench.receive(instant_at_us(101), WAY, Message::Done(id, GOOD)).sent_answers(), [(id, GOOD)]);
    bench.close_request(instant_at_us(101), ASKED, id);
    let (id, did) = bench.ask(instant_at_us(200), ASKED, sample_read(0, 512));
    assert_eq!(did.timer_times(), [instant_at_us(300)]);
    let did = bench.receive(instant_at_us(210), OTHER_WAY, Message::Done(id, GOOD));
    assert_eq!(did.cancelled.len(), 1, "it would keep a run going");
}

#[test]
fn a_busy_request_waits_and_one_that_finds_a_full_device_goes_when_another_is_back() {
    let parameters = DriverParameters { busy_wait: Span::from_us(50), ..plain() };
    let mut bench = bench(&parameters, AT_ONCE);
    let [first, second] = [0; 2].map(|_| bench.ask(instant_at_us(0), ASKED, sample_read(0, 512)).0);
    let did = bench.receive(instant_at_us(10), WAY, Message::Done(second, Status::QueueFull));
    assert_eq!((did.sent_requests(), did.timer_times()), (vec![], vec![]), "the first is still there");
    assert_eq!(bench.place_of_request(second), BenchRequestPlace::Here(segment::RETRY));
    assert_eq!(bench.component.gauge(Time::ZERO, gauge::WAITING, 0), 1);
    let (third, did) = bench.ask(instant_at_us(11), ASKED, sample_read(0, 512));
    assert_eq!(did.sent_requests(), [], "one at a time is what it takes");
    let did = bench.receive(instant_at_us(20), WAY, Message::Done(first, Status::Busy));
    assert_eq!(
        (did.sent_requests(), did.timer_times()),
        (vec![(WAY, second)], vec![instant_at_us(70)]),
        "before what came later"
    );
    assert_eq!(complete(&mut bench, instant_at_us(30), second).sent_requests(), [(WAY, third)]);
    bench.handle_due_timer(instant_at_us(70));
    assert_eq!(complete(&mut bench, instant_at_us(80), third).sent_requests(), [(WAY, first)]);
    let did = bench.receive(instant_at_us(90), WAY, Message::Done(first, Status::QueueFull));
    assert_eq!(did.timer_times(), [instant_at_us(140)], "nothing else of this host is there to wait for");
    assert_eq!(bench.handle_due_timer(instant_at_us(140)).sent_requests(), [(WAY, first)]);
}

#[test]
fn an_abort_without_an_answer_leads_from_function_to_function_each_once() {
    let parameters = DriverParameters {
        time_out: Some(Span::from_us(100)),
        escalation: vec![TaskManagement::LogicalUnitReset, TaskManagement::TargetReset],
        escalation_time: Span::from_us(30),
        ..plain()
    };
    let mut bench = bench(&parameters, AT_ONCE);
    let (first, _) = bench.ask(instant_at_us(0), ASKED, sample_read(0, 512));
    let (second, _) = bench.ask(instant_at_us(10), ASKED, sample_read(0, 512));
    assert_eq!(bench.handle_due_timer(instant_at_us(100)).sent, [(WAY, Message::Abort(first))]);
    assert_eq!(bench.handle_due_timer(instant_at_us(110)).sent, [(WAY, Message::Abort(second))]);
    let manage = |id, function| vec![(WAY, Message::Manage(id, function))];
    let did = bench.handle_due_timer(instant_at_us(130));
    assert_eq!(did.sent, manage(first, TaskManagement::LogicalUnitReset));
    bench.receive(instant_at_us(135), WAY, Message::Done(second, GOOD));
    bench.handle_due_timer(instant_at_us(140));
    let did = bench.handle_due_timer(instant_at_us(160));
    assert_eq!((did.sent.clone(), did.timer_times()), (manage(first, TaskManagement::TargetReset), vec![]));
    let did = bench.receive(instant_at_us(170), WAY, Message::Done(first, Status::Aborted));
    assert_eq!(did.sent_requests(), [(WAY, first)]);
    bench.receive(instant_at_us(175), WAY, Message::Done(first, GOOD));
    // An answer to the abort leaves nothing to do.
    let (third, _) = bench.ask(instant_at_us(200), ASKED, sample_read(0, 512));
    bench.handle_due_timer(instant_at_us(300));
    let did = bench.receive(instant_at_us(301), WAY, Message::Done(third, GOOD));
    assert_eq!(did.cancelled.len(), 1, "it would keep a run going");
    for id in [first, second, third] {
        bench.close_request(instant_at_us(400), ASKED, id);
    }
    assert_eq!(bench.leftovers(), [""; 0]);
}

/// The times of checks, to the tick: each path after an interval, which doubles up to the longest; and after a check that is not answered.
#[test]
fn paths_are_checked_at_intervals_and_those_that_failed_at_another() {
    let keys = "path_checker = { interval = \"10 us\", longest_interval = \"30 us\", failed_interval = \"7 us\", time_out = \"4 us\" }";
    let parameters = DriverParameters::from_toml(keys, &Facts::default()).expect("keys");
    let mut bench = bench(&parameters, AT_ONCE);
    assert_eq!(bench.start().timer_times(), [instant_at_us(10)]);
    let answer = |bench: &mut ComponentBench<Host>, us, (port, id): (u16, RequestId), status| {
        bench.receive(instant_at_us(us), port, Message::Done(id, status))
    };
    // Both paths are checked, and both work.
    let sent = bench.handle_due_timer(instant_at_us(10)).sent_requests();
    assert_eq!(sent.iter().map(|&(port, _)| port).collect::<Vec<_>>(), [WAY, OTHER_WAY]);
    sent.iter().for_each(|&check| {
        answer(&mut bench, 11, check, GOOD);
    });
    // The second check is 20 us after the first. One is not answered, and is aborted after 4 us.
    let sent = bench.handle_due_timer(instant_at_us(30)).sent_requests();
    answer(&mut bench, 31, sent[1], GOOD);
    let (request, _) = bench.ask(instant_at_us(32), ASKED, sample_read(0, 512));
    assert!(!bench.component.paths.is_path_failed(0));
    let did = bench.handle_due_timer(instant_at_us(34));
    assert_eq!(did.sent, [(WAY, Message::Abort(sent[0].1))]);
    answer(&mut bench, 34, sent[0], Status::Aborted);
    assert!(bench.component.paths.is_path_failed(0));
    // I/Os take the other path; the I/O in flight goes on waiting for its answer.
    assert_eq!(bench.ask(instant_at_us(35), ASKED, sample_read(0, 512)).1.sent_requests()[0].0, OTHER_WAY);
    // It is checked again 7 us after the check that was not answered, and is used when that is answered.
    let sent = bench.handle_due_timer(instant_at_us(37)).sent_requests();
    assert_eq!((sent.len(), sent[0].0), (1, WAY));
    answer(&mut bench, 38, sent[0], GOOD);
    assert_eq!(bench.ask(instant_at_us(39), ASKED, sample_read(0, 512)).1.sent_requests()[0].0, WAY);
    // Its intervals begin with the shortest; those of the other path have grown to 30 us, and no further.
    let due: Vec<_> = [47, 60, 67, 90, 97]
        .map(|us| {
            let sent = bench.handle_due_timer(instant_at_us(us)).sent_requests();
            sent.iter().for_each(|&check| {
                answer(&mut bench, us, check, GOOD);
            });
            (us, sent.iter().map(|&(port, _)| port).collect::<Vec<_>>())
        })
        .into_iter()
        .collect();
    let expected = [(47, WAY), (60, OTHER_WAY), (67, WAY), (90, OTHER_WAY), (97, WAY)];
    assert_eq!(due, expected.map(|(us, port)| (us, vec![port])));
    let _ = request;
}

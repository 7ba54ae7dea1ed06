//! Tests of a controller, input by input.

use super::*;
use sansim_component::Module;
use sansim_component::bench::{
    BenchRequestPlace, ComponentBench, InputEffects, instant_at_us, sample_read, sample_write,
};
use sansim_component::errors::ErrorParameters;
use sansim_component::policy::{DevicePath, PolicyName};
use sansim_kernel::Distribution;

const GOOD: Status = Status::Good;
const FAILED: Status = Status::Failed;

/// The port by which the controller gets requests, and the ports by which it sends child requests.
const FRONT: u16 = 0;
const BACK: u16 = 1;
const OTHER: u16 = 2;

/// Device 0 is presented by the controller, with device 1 behind it, to which there are two paths.
fn controller(processor_us: u64, path: PolicyName) -> ComponentBench<Controller> {
    ComponentBench::new(by_itself(processor_us, path), 3)
}

fn by_itself(processor_us: u64, path: PolicyName) -> Controller {
    let parameters = ControllerParameters {
        processor_time: Distribution::Fixed(Span::from_us(processor_us)),
        queue_limit: None,
        at_once: None,
        internal_limit: None,
        storage_side_queue: sansim_component::scheduling::QueueOrder::default(),
        internal_queue: sansim_component::scheduling::QueueOrder::default(),
        errors: ErrorParameters::default(),
    };
    let path = PathParameters {
        path_turn_ios: 1_000,
        path_turn_bytes: 10 << 20,
        numa_nodes: 1,
        path: path.into(),
        fail_over_time: Span::ZERO,
        fail_back_time: Some(Span::ZERO),
        no_way_time: Some(Span::ZERO),
    };
    let paths = PathChoice::new(
        &vec![vec![], vec![DevicePath::from_port(BACK), DevicePath::from_port(OTHER)]].into(),
        &path,
    );
    Controller::new(&parameters, vec![Some(1), None], paths)
}

fn at(segment: usize) -> BenchRequestPlace {
    BenchRequestPlace::Here(segment)
}

/// The only child request that the controller sent, and its port.
fn asked(did: &InputEffects) -> (u16, RequestId) {
    let [asked] = did.sent_requests()[..] else { panic!("{did:?}") };
    asked
}

#[test]
fn the_processor_takes_requests_one_at_a_time_as_they_come() {
    let mut bench = controller(10, PolicyName::First);
    let [first, second, third] =
        [0, 0, 4].map(|now| bench.ask(instant_at_us(now), FRONT, sample_read(0, 512)).0);
    assert_eq!(
        [first, second, third].map(|id| bench.place_of_request(id)),
        [at(segment::PROCESSOR), at(0), at(0)]
    );
    assert_eq!(bench.component.gauge(Time::ZERO, 0, 0), 2);
    let mut behind = Vec::new();
    for now in [10, 20, 30] {
        let did = bench.handle_due_timer(instant_at_us(now));
        let (port, part) = asked(&did);
        assert_eq!(port, BACK);
        behind.push(bench.requests().request(part).parent);
    }
    assert_eq!(behind, [first, second, third].map(Some));
    assert_eq!(bench.component.busy(instant_at_us(99), 0), Span::from_us(30).into());
}

#[test]
fn a_processor_that_takes_no_time_passes_requests_on_at_once() {
    let mut bench = controller(0, PolicyName::First);
    let (_, did) = bench.ask(instant_at_us(7), FRONT, sample_read(0, 512));
    assert_eq!((asked(&did).0, did.wakes.len()), (BACK, 0));
}

#[test]
fn what_is_asked_for_behind_is_the_same_of_the_device_behind() {
    let mut bench = controller(0, PolicyName::First);
    let wanted = Request { number: 17, data: sansim_request::DataId(23), ..sample_read(40, 4096) };
    let (id, did) = bench.ask(instant_at_us(0), FRONT, wanted);
    let part = *bench.requests().request(asked(&did).1);
    assert_eq!(part, Request { parent: Some(id), device: 1, ..wanted });
}

#[test]
fn a_read_is_sent_when_what_is_behind_has_it() {
    let mut bench = controller(10, PolicyName::First);
    let (id, _) = bench.ask(instant_at_us(0), FRONT, sample_read(0, 4096));
    let (_, part) = asked(&bench.handle_due_timer(instant_at_us(10)));
    let did = bench.receive(instant_at_us(30), BACK, Message::ReadDataUpTo(part, 2048));
    assert_eq!(did.sent, [(BACK, Message::ReadConsumedUpTo(part, 2048))], "its memory takes data at once");
    let did = bench.receive(instant_at_us(40), BACK, Message::Done(part, GOOD));
    let answer = [Message::ReadDataUpTo(id, 4096), Message::Done(id, GOOD)];
    assert_eq!(
        (did.messages_sent_at_port(FRONT), did.messages_sent_at_port(BACK)),
        (answer.to_vec(), vec![Message::Release(part)])
    );
    bench.close_request(instant_at_us(45), FRONT, id);
    let stays = [
        (at(segment::PROCESSOR), Span::from_us(10)),
        // While the child request was at the device, the request counts as being there; then the controller determines its segment.
        (BenchRequestPlace::Beyond(BACK, 0), Span::from_us(30)),
        (at(segment::QUEUE), Span::from_us(5)),
    ];
    assert_eq!((bench.dwells_of_request(id), bench.leftovers()), (stays.to_vec(), vec![]));
}

#[test]
fn a_write_asks_for_its_data_first_and_goes_on_when_they_are_in() {
    let mut bench = controller(10, PolicyName::First);
    let (id, did) = bench.ask(instant_at_us(0), FRONT, sample_write(0, 4096));
    assert_eq!(did.sent, [(FRONT, Message::WriteCredit(id, 4096))]);
    // The processor is done before the data come.
    assert_eq!(bench.handle_due_timer(instant_at_us(10)).sent, []);
    assert_eq!(bench.place_of_request(id), at(segment::DATA));
    assert_eq!(
        bench.receive(instant_at_us(15), FRONT, Message::WriteDataUpTo(id, 2048)).sent,
        [],
        "not all are in"
    );
    let did = bench.receive(instant_at_us(20), FRONT, Message::WriteDataUpTo(id, 4096));
    let (_, part) = asked(&did);
    let did = bench.receive(instant_at_us(30), BACK, Message::WriteCredit(part, 4096));
    assert_eq!(did.sent, [(BACK, Message::WriteDataUpTo(part, 4096))], "its memory has them");
    let did = bench.receive(instant_at_us(50), BACK, Message::Done(part, GOOD));
    assert_eq!(did.sent, [(BACK, Message::Release(part)), (FRONT, Message::Done(id, GOOD))]);
    bench.close_request(instant_at_us(50), FRONT, id);
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn a_write_whose_data_are_in_first_waits_for_the_processor() {
    let mut bench = controller(10, PolicyName::First);
    let (id, _) = bench.ask(instant_at_us(0), FRONT, sample_write(0, 4096));
    assert_eq!(bench.receive(instant_at_us(5), FRONT, Message::WriteDataUpTo(id, 4096)).sent, []);
    assert_eq!(bench.place_of_request(id), at(segment::PROCESSOR));
    assert_eq!(asked(&bench.handle_due_timer(instant_at_us(10))).0, BACK);
}

#[test]
fn a_failure_behind_is_passed_on_without_data() {
    for request in [sample_read(0, 4096), sample_write(0, 4096)] {
        let mut bench = controller(0, PolicyName::First);
        let (id, mut did) = bench.ask(instant_at_us(0), FRONT, request);
        if request.is_write() {
            did = bench.receive(instant_at_us(1), FRONT, Message::WriteDataUpTo(id, 4096));
        }
        let (_, part) = asked(&did);
        let did = bench.receive(instant_at_us(2), BACK, Message::Done(part, FAILED));
        assert_eq!(did.sent, [(BACK, Message::Release(part)), (FRONT, Message::Done(id, FAILED))]);
        bench.close_request(instant_at_us(3), FRONT, id);
        assert_eq!(bench.leftovers(), [""; 0]);
    }
}

#[test]
fn a_device_that_is_not_its_own_or_cannot_be_reached_fails() {
    let mut bench = controller(0, PolicyName::First);
    let (id, did) = bench.ask(instant_at_us(0), FRONT, Request { device: 1, ..sample_read(0, 512) });
    assert_eq!(did.sent, [(FRONT, Message::Done(id, FAILED))]);
    bench.close_request(instant_at_us(0), FRONT, id);
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn of_several_ways_behind_the_policy_chooses() {
    let mut bench = controller(0, PolicyName::RoundRobin);
    let ports = [0; 4].map(|_| asked(&bench.ask(instant_at_us(0), FRONT, sample_read(0, 512)).1).0);
    assert_eq!(ports, [BACK, OTHER, BACK, OTHER]);
    // The path with fewer requests in flight is chosen: an answer has come back by the other path.
    let mut bench = controller(0, PolicyName::LeastOutstanding);
    let parts = [0; 2].map(|_| asked(&bench.ask(instant_at_us(0), FRONT, sample_read(0, 512)).1));
    assert_eq!(parts.map(|(port, _)| port), [BACK, OTHER]);
    bench.receive(instant_at_us(1), OTHER, Message::Done(parts[1].1, GOOD));
    assert_eq!(asked(&bench.ask(instant_at_us(2), FRONT, sample_read(0, 512)).1).0, OTHER);
}

/// An adapter that fails reports for every request it has that the data are gone.
#[test]
fn data_of_an_in_band_read_that_are_said_to_be_gone_count_when_they_were_handed_out_and_once() {
    const PROCESSORS: u16 = 3;
    let job = |did: &InputEffects| match did.messages_sent_at_port(PROCESSORS)[..] {
        [Message::Job(job)] => job,
        _ => panic!("{did:?}"),
    };
    let in_band = by_itself(0, PolicyName::First)
        .with_resources(ControllerResources::at_port(PROCESSORS), ControllerRole::InBand);
    let mut bench = ComponentBench::new(in_band, 4);
    let (id, did) = bench.ask(instant_at_us(0), FRONT, sample_read(0, 4096));
    let did = bench.receive(instant_at_us(10), PROCESSORS, Message::JobDone(job(&did)));
    let (_, part) = asked(&did);
    let gone = Message::ReadConsumedUpTo(id, 4096);
    assert_eq!(bench.receive(instant_at_us(15), FRONT, gone).sent, [], "it is behind");
    let did = bench.receive(instant_at_us(20), BACK, Message::Done(part, GOOD));
    let did = bench.receive(instant_at_us(30), PROCESSORS, Message::JobDone(job(&did)));
    assert_eq!(did.sent, [(FRONT, Message::ReadDataUpTo(id, 4096))]);
    let completion = job(&bench.receive(instant_at_us(40), FRONT, gone));
    assert_eq!((completion.module, completion.number), (Module::Completion, u32::from(FRONT) + 1));
    assert_eq!(bench.receive(instant_at_us(41), FRONT, gone).sent, [], "it has been told");
    let did = bench.receive(instant_at_us(50), PROCESSORS, Message::JobDone(completion));
    assert_eq!(did.sent_answers(), [(id, GOOD)]);
    bench.close_request(instant_at_us(50), FRONT, id);
    assert_eq!(bench.leftovers(), [""; 0]);
}

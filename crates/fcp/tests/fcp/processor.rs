//! Tests of the time of an adapter's main processor for commands of either kind, for FCP_XFER_RDY and for
//! completions.

use sansim_component::bench::{ComponentBench, instant_at_us, sample_read, sample_write};
use sansim_component::demand::{DemandBound, DemandContext, FrameBytes, RequestClass};
use sansim_component::{Component, Message};
use sansim_fcp::adapter::{AdapterParameters, BLOCK, NETWORK, UnitSizes};
use sansim_fcp::{Initiator, Target};
use sansim_kernel::Time;
use sansim_pdu::Address;
use sansim_pdu::{ExchangeId, Pdu, PduKind, RequestTag};
use sansim_request::{Request, RequestId, Status};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

const ASKER: Address = Address::new(1);
const SERVER: Address = Address::new(2);

fn parameters(keys: &str) -> AdapterParameters {
    let keys = format!("request_bytes = \"0 B\"\n{keys}");
    AdapterParameters::from_toml(&keys, &Facts::default()).unwrap_or_else(|report| panic!("{report}"))
}

fn initiator(keys: &str) -> ComponentBench<Initiator> {
    let sizes = UnitSizes::default();
    ComponentBench::new(Initiator::new(&parameters(keys), &sizes, ASKER, vec![vec![SERVER].into()]), 2)
}

/// The time at which an initiator sends the command of a request that it gets at time 0.
fn sends_at(keys: &str, request: Request) -> Time {
    let mut bench = initiator(keys);
    let (_, did) = bench.ask(instant_at_us(0), BLOCK, request);
    let mut sent = (Time::ZERO, did);
    while !sent.1.messages_sent_at_port(NETWORK).iter().any(|message| matches!(message, Message::Send(_))) {
        let at = bench.timers()[0].0;
        sent = (at, bench.handle_due_timer(at));
    }
    sent.0
}

/// The status of a request, as it arrives at the initiator that sent the request.
fn status(id: RequestId, request: &Request) -> Message {
    Message::Received(Pdu {
        kind: PduKind::Response,
        tag: RequestTag(id.0),
        source: SERVER,
        destination: ASKER,
        write: request.is_write(),
        originator: ExchangeId(0),
        payload_bytes: 24,
        ..Pdu::example()
    })
}

#[test]
fn a_command_of_a_write_takes_as_long_as_one_of_a_read_unless_it_is_said() {
    for (keys, of_read, of_write) in [
        ("command_time = \"10 us\"", instant_at_us(10), instant_at_us(10)),
        ("command_time = \"10 us\"\nwrite_command_time = \"25 us\"", instant_at_us(10), instant_at_us(25)),
        ("write_command_time = \"25 us\"", instant_at_us(0), instant_at_us(25)),
        ("command_time = \"10 us\"\nwrite_command_time = \"0 us\"", instant_at_us(10), instant_at_us(0)),
    ] {
        assert_eq!(sends_at(keys, sample_read(0, 4096)), of_read, "{keys}");
        assert_eq!(sends_at(keys, sample_write(0, 4096)), of_write, "{keys}");
    }
}

#[test]
fn a_target_takes_the_same_times_for_the_commands_that_come_to_it() {
    let keys = parameters("command_time = \"10 us\"\nwrite_command_time = \"25 us\"");
    for (request, until) in
        [(sample_read(0, 4096), instant_at_us(10)), (sample_write(0, 4096), instant_at_us(25))]
    {
        let mut bench = ComponentBench::new(Target::new(&keys, &UnitSizes::default(), SERVER), 2);
        let id = bench.open_request(instant_at_us(0), request);
        let command = Pdu {
            kind: PduKind::Command,
            tag: RequestTag(id.0),
            source: ASKER,
            destination: SERVER,
            write: request.is_write(),
            ..Pdu::example()
        };
        bench.receive(instant_at_us(0), NETWORK, Message::Received(command));
        assert_eq!(bench.timers()[0].0, until);
        assert_eq!(
            bench.handle_due_timer(until).messages_sent_at_port(BLOCK),
            [Message::Request(id, instant_at_us(0))]
        );
    }
}

#[test]
fn a_target_brings_an_exchange_to_its_end_behind_its_status_and_before_the_next_command() {
    let keys = parameters("command_time = \"10 us\"\nresponse_time = \"3 us\"\ncompletion_time = \"20 us\"");
    let mut bench = ComponentBench::new(Target::new(&keys, &UnitSizes::default(), SERVER), 2);
    let request = sample_write(0, 4096);
    let command_comes = |bench: &mut ComponentBench<Target>, at| {
        let id = bench.open_request(at, request);
        let frame = Pdu {
            kind: PduKind::Command,
            tag: RequestTag(id.0),
            source: ASKER,
            destination: SERVER,
            ..Pdu::example()
        };
        bench.receive(at, NETWORK, Message::Received(Pdu { write: true, ..frame }));
        id
    };
    let first = command_comes(&mut bench, instant_at_us(0));
    bench.handle_due_timer(instant_at_us(10));
    bench.receive(instant_at_us(12), BLOCK, Message::Done(first, Status::CheckCondition));
    let second = command_comes(&mut bench, instant_at_us(14));
    // The status is sent when it has been made, and is not delayed by the work that follows.
    let sent = bench.handle_due_timer(instant_at_us(15)).messages_sent_at_port(NETWORK);
    assert!(matches!(sent[..], [Message::Send(frame)] if frame.kind == PduKind::Response), "{sent:?}");
    // The second command arrived before, so it is first.
    assert_eq!(
        bench.handle_due_timer(instant_at_us(25)).messages_sent_at_port(BLOCK),
        [Message::Request(second, instant_at_us(14))]
    );
    let third = command_comes(&mut bench, instant_at_us(30));
    bench.handle_due_timer(instant_at_us(45));
    assert_eq!(
        bench.handle_due_timer(instant_at_us(55)).messages_sent_at_port(BLOCK),
        [Message::Request(third, instant_at_us(30))]
    );
    assert_eq!(bench.timers(), []);
}

#[test]
fn a_completion_takes_the_processor_behind_what_it_has_to_do_and_then_the_host_is_told() {
    let mut bench = initiator("command_time = \"10 us\"\ncompletion_time = \"4 us\"");
    let request = sample_write(0, 4096);
    let (first, _) = bench.ask(instant_at_us(0), BLOCK, request);
    bench.handle_due_timer(instant_at_us(10));
    // The status arrives while the processor handles the next command, until 30 us.
    bench.ask(instant_at_us(20), BLOCK, request);
    let did = bench.receive(instant_at_us(25), NETWORK, status(first, &request));
    assert_eq!(did.sent_answers(), []);
    assert_eq!(bench.handle_due_timer(instant_at_us(30)).sent_answers(), []);
    assert_eq!(bench.handle_due_timer(instant_at_us(34)).sent_answers(), [(first, Status::Good)]);
}

#[test]
fn without_a_time_for_it_a_completion_does_not_wait_for_the_processor() {
    let mut bench = initiator("command_time = \"10 us\"");
    let request = sample_write(0, 4096);
    let (first, _) = bench.ask(instant_at_us(0), BLOCK, request);
    bench.handle_due_timer(instant_at_us(10));
    bench.ask(instant_at_us(20), BLOCK, request);
    let did = bench.receive(instant_at_us(25), NETWORK, status(first, &request));
    assert_eq!(did.sent_answers(), [(first, Status::Good)]);
}

#[test]
fn an_abort_that_comes_while_an_io_is_being_completed_comes_too_late() {
    let mut bench = initiator("completion_time = \"4 us\"");
    let request = sample_write(0, 4096);
    let (id, _) = bench.ask(instant_at_us(0), BLOCK, request);
    bench.receive(instant_at_us(5), NETWORK, status(id, &request));
    assert_eq!(bench.receive(instant_at_us(6), BLOCK, Message::Abort(id)).messages_sent_at_port(NETWORK), []);
    assert_eq!(bench.handle_due_timer(instant_at_us(9)).sent_answers(), [(id, Status::Good)]);
    bench.take_back_unreleased(instant_at_us(9), id);
    assert_eq!(bench.leftovers(), [""; 0]);
}

/// The demand of a request of a class on the main processor of an adapter, in ns.
fn processor_ns<C: Component<Parameters = AdapterParameters>>(write: bool) -> f64 {
    let keys = parameters(
        "command_time = \"10 us\"\nwrite_command_time = \"25 us\"\nxfer_rdy_time = \"7 us\"\nresponse_time = \"3 us\"\n\
         completion_time = \"4 us\"",
    );
    let class = RequestClass {
        write,
        bytes: 4096.0,
        is_of_one_size: true,
        sequential: false,
        hit_ratio: None,
        within: None,
    };
    let around = DemandContext {
        say: DemandBound::Mean,
        behind_bytes: &[],
        on_network: false,
        is_inside: false,
        nodes: &[],
        between: &[],
        frames: FrameBytes { data: 2048.0, command: 32.0, transfer_ready: 12.0, response: 24.0 },
        jobs: &[],
        halves: 1,
    };
    let demand = C::demand(&keys, &class, &around).unwrap_or_default();
    demand
        .servers
        .iter()
        .find(|server| server.name == "main_processor")
        .map_or(0.0, |one| one.takes.mean_time_ns())
}

#[test]
fn what_a_request_needs_of_the_processor_is_what_its_tasks_take() {
    assert_eq!(processor_ns::<Initiator>(false), 14_000.0);
    assert_eq!(processor_ns::<Initiator>(true), 36_000.0);
    assert_eq!(processor_ns::<Target>(false), 17_000.0);
    assert_eq!(processor_ns::<Target>(true), 32_000.0);
}

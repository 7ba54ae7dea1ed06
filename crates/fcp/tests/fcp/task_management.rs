//! Task management is tested frame by frame.

use sansim_component::bench::{ComponentBench, InputEffects, instant_at_us, sample_read, sample_write};
use sansim_component::{Message, TaskManagement};
use sansim_fcp::adapter::{AdapterParameters, BLOCK, NETWORK, UnitSizes};
use sansim_fcp::{Initiator, Target};
use sansim_pdu::{Address, ExchangeId, Pdu, PduKind, RequestTag, task_management};
use sansim_request::{Request, RequestId, Status};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

const ASKER: Address = Address::new(1);
const SERVER: Address = Address::new(2);
const OTHER: Address = Address::new(3);

fn parameters(more: &str) -> AdapterParameters {
    let keys = format!(
        "dma_bandwidth = \"1024 MB/s\"\nabort_answer_time = \"50 us\"\nrequest_bytes = \"0 B\"\n{more}"
    );
    AdapterParameters::from_toml(&keys, &Facts::default()).unwrap_or_else(|report| panic!("{report}"))
}

fn sent(did: &InputEffects) -> Vec<Pdu> {
    let frame = |&message: &Message| if let Message::Send(frame) = message { Some(frame) } else { None };
    did.messages_sent_at_port(NETWORK).iter().filter_map(frame).collect()
}

fn read_of(device: u32, bytes: u64) -> Request {
    Request { device, ..sample_read(0, bytes) }
}

/// The kind, the originator and the status of each frame that was sent.
fn units(did: &InputEffects) -> Vec<(PduKind, ExchangeId, u8)> {
    sent(did).iter().map(|frame| (frame.kind, frame.originator, frame.status)).collect()
}

/// A frame about a request with an originator at an address.
fn frame(kind: PduKind, id: RequestId, request: &Request, (host, originator): (Address, u32)) -> Pdu {
    let frame = Pdu { kind, write: request.is_write(), originator: ExchangeId(originator), ..Pdu::example() };
    let frame = Pdu { tag: RequestTag(id.0), payload_bytes: 32, last_of_data: false, ..frame };
    let (source, destination) = if frame.is_from_originator() { (host, SERVER) } else { (SERVER, host) };
    Pdu { source, destination, responder: ExchangeId::UNASSIGNED, ..frame }
}

/// A target that has commands: two reads of its device 0 by one host, a write of it by another host, and a read of device 1 by that.
/// Returns their requests.
fn busy_target() -> (ComponentBench<Target>, [(RequestId, Request); 4]) {
    let mut bench = ComponentBench::new(
        Target::new(&parameters("unit_attention = true"), &UnitSizes::default(), SERVER),
        2,
    );
    let requests = [
        (read_of(0, 2048), ASKER),
        (read_of(0, 4096), ASKER),
        (sample_write(0, 4096), OTHER),
        (read_of(1, 4096), OTHER),
    ];
    let mut number = 0;
    let opened = requests.map(|(request, host)| {
        let id = bench.open_request(instant_at_us(0), request);
        let command = frame(PduKind::Command, id, &request, (host, number));
        number += 1;
        let did = bench.receive(instant_at_us(0), NETWORK, Message::Received(command));
        assert_eq!(did.sent_requests(), [(BLOCK, id)]);
        (id, request)
    });
    (bench, opened)
}

/// Has a target carry out a function about the first request, which is asked for by its host.
fn ask(
    bench: &mut ComponentBench<Target>,
    about: (RequestId, Request),
    function: u8,
) -> (RequestId, InputEffects) {
    let service = bench.open_request(instant_at_us(5), about.1);
    let unit = frame(PduKind::ServiceRequest, service, &about.1, (ASKER, 0));
    let did = bench.receive(instant_at_us(5), NETWORK, Message::Received(Pdu { status: function, ..unit }));
    (service, did)
}

#[test]
fn a_function_ends_the_commands_that_it_names_and_no_others() {
    for (function, ended) in [
        (task_management::ABORT_TASK_SET, vec![0, 1]),
        (task_management::CLEAR_TASK_SET, vec![0, 1, 2]),
        (task_management::LOGICAL_UNIT_RESET, vec![0, 1, 2]),
        (task_management::TARGET_RESET, vec![0, 1, 2, 3]),
    ] {
        let (mut bench, requests) = busy_target();
        let (service, did) = ask(&mut bench, requests[0], function);
        let aborts: Vec<Message> =
            ended.iter().map(|&place: &usize| Message::Abort(requests[place].0)).collect();
        assert_eq!((did.messages_sent_at_port(BLOCK), units(&did)), (aborts, vec![]));
        let (last, before) = ended.split_last().expect("commands");
        let mut answers = Vec::new();
        for &place in before.iter().chain([last]) {
            let done = Message::Done(requests[place].0, Status::Aborted);
            let did = bench.receive(instant_at_us(6), BLOCK, done);
            assert_eq!(did.messages_sent_at_port(BLOCK), [Message::Release(requests[place].0)]);
            answers.extend(units(&did));
        }
        // Only the commands of the other host have a status, TASK ABORTED; the function is answered last.
        let mut expected: Vec<_> = ended
            .iter()
            .filter(|&&place| place >= 2)
            .map(|&place| (PduKind::Response, ExchangeId(place as u32), 0x40))
            .collect();
        expected.push((PduKind::ServiceAccept, ExchangeId(0), function));
        assert_eq!(answers, expected);
        // A command that came before is not affected; it ends as always.
        for place in (0..4).filter(|place| !ended.contains(place)) {
            let did = bench.receive(instant_at_us(7), BLOCK, Message::Done(requests[place].0, Status::Busy));
            assert_eq!(units(&did), [(PduKind::Response, ExchangeId(place as u32), 0x08)]);
        }
        // ABTS releases the exchanges of the host that asked.
        for place in [0, 1] {
            let (id, request) = requests[place];
            let abort =
                Pdu { payload_bytes: 0, ..frame(PduKind::Abort, id, &request, (ASKER, place as u32)) };
            let did = bench.receive(instant_at_us(8), NETWORK, Message::Received(abort));
            assert_eq!(units(&did), [(PduKind::AbortAccept, ExchangeId(place as u32), 0)]);
        }
        for (id, _) in requests {
            bench.take_back_unreleased(instant_at_us(9), id);
        }
        bench.take_back_unreleased(instant_at_us(9), service);
        assert_eq!(bench.leftovers(), [""; 0]);
    }
}

#[test]
fn a_reset_leaves_each_host_one_unit_attention_condition_of_the_device() {
    for (function, expected) in [
        (task_management::CLEAR_TASK_SET, [false, false, false]),
        (task_management::LOGICAL_UNIT_RESET, [true, false, true]),
        (task_management::TARGET_RESET, [true, true, true]),
    ] {
        let (mut bench, requests) = busy_target();
        ask(&mut bench, requests[0], function);
        let mut meets = |device: u32, host: Address, number: u32| {
            let request = read_of(device, 2048);
            let id = bench.open_request(instant_at_us(20), request);
            let command = frame(PduKind::Command, id, &request, (host, number));
            units(&bench.receive(instant_at_us(20), NETWORK, Message::Received(command)))
                == [(PduKind::Response, ExchangeId(number), 0x02)]
        };
        assert_eq!([meets(0, ASKER, 10), meets(1, ASKER, 11), meets(0, OTHER, 12)], expected);
        assert!(!meets(0, ASKER, 13), "once");
    }
}

#[test]
fn a_begun_sequence_passes_before_the_status_of_a_command_that_was_ended() {
    let (mut bench, requests) = busy_target();
    let (write, _) = requests[2];
    let did = bench.receive(instant_at_us(1), BLOCK, Message::WriteCredit(write, 4096));
    assert_eq!(units(&did), [(PduKind::TransferReady, ExchangeId(2), 0)]);
    ask(&mut bench, requests[0], task_management::CLEAR_TASK_SET);
    let did = bench.receive(instant_at_us(6), BLOCK, Message::Done(write, Status::Aborted));
    assert_eq!(units(&did), [], "its data are in flight");
    let data = frame(PduKind::Data, write, &requests[2].1, (OTHER, 2));
    for (part, last_of_unit) in [(0, false), (1, true)] {
        let data = Pdu {
            payload_bytes: 2048,
            offset: 2048 * part,
            responder: sent_responder(),
            last_of_unit,
            ..data
        };
        assert_eq!(units(&bench.receive(instant_at_us(7), NETWORK, Message::Received(data))), []);
    }
    bench.handle_due_timer(instant_at_us(9));
    let did = bench.handle_due_timer(instant_at_us(11));
    assert_eq!(units(&did), [(PduKind::Response, ExchangeId(2), 0x40)]);
}

/// The number of the write at the target, which has opened two exchanges before.
fn sent_responder() -> ExchangeId {
    ExchangeId(2)
}

#[test]
fn an_initiator_sends_abts_for_what_a_function_may_have_ended() {
    let addresses = vec![vec![SERVER, SERVER].into()];
    let mut bench =
        ComponentBench::new(Initiator::new(&parameters(""), &UnitSizes::default(), ASKER, addresses), 2);
    let request = read_of(0, 2048);
    let [(first, a), (second, b), (other, c)] =
        [request, request, read_of(1, 2048)].map(|request| bench.ask(instant_at_us(0), BLOCK, request));
    let [one, two, three] = [a, b, c].map(|did| sent(&did)[0].originator);
    let manage = Message::Manage(first, TaskManagement::LogicalUnitReset);
    assert_eq!(units(&bench.receive(instant_at_us(9), BLOCK, manage)), [], "it is not being aborted");
    bench.receive(instant_at_us(10), BLOCK, Message::Abort(first));
    let did = bench.receive(instant_at_us(20), BLOCK, manage);
    let asked = sent(&did)[0];
    assert_eq!((asked.kind, asked.status, asked.payload_bytes), (PduKind::ServiceRequest, 0x10, 32));
    // A command that is sent after the function is not affected by it.
    let (later, did) = bench.ask(instant_at_us(21), BLOCK, request);
    let four = sent(&did)[0].originator;
    let answer =
        Pdu { kind: PduKind::ServiceAccept, source: SERVER, destination: ASKER, payload_bytes: 32, ..asked };
    let did = bench.receive(instant_at_us(30), NETWORK, Message::Received(answer));
    assert_eq!(units(&did), [(PduKind::Abort, one, 0), (PduKind::Abort, two, 0)]);
    assert_eq!(did.cancelled.len(), 1, "ABTS of the first is sent again at once");
    for (id, originator) in [(first, one), (second, two)] {
        let reject = Pdu { originator, ..frame(PduKind::AbortReject, id, &request, (ASKER, 0)) };
        let did = bench.receive(instant_at_us(40), NETWORK, Message::Received(reject));
        assert_eq!(did.sent_answers(), [(id, Status::Aborted)]);
    }
    for (id, originator) in [(other, three), (later, four)] {
        let request = if id == other { read_of(1, 2048) } else { request };
        let data = Pdu { originator, payload_bytes: 2048, ..frame(PduKind::Data, id, &request, (ASKER, 0)) };
        bench.receive(
            instant_at_us(50),
            NETWORK,
            Message::Received(Pdu { write: false, source: SERVER, ..data }),
        );
        let response = Pdu { originator, ..frame(PduKind::Response, id, &request, (ASKER, 0)) };
        bench.receive(instant_at_us(50), NETWORK, Message::Received(response));
    }
    let mut answered = bench.handle_due_timer(instant_at_us(52)).sent_answers();
    answered.extend(bench.handle_due_timer(instant_at_us(54)).sent_answers());
    assert_eq!(answered, [(other, Status::Good), (later, Status::Good)]);
    for id in [first, second, other, later] {
        bench.take_back_unreleased(instant_at_us(60), id);
    }
    assert_eq!(bench.leftovers(), [""; 0]);
}

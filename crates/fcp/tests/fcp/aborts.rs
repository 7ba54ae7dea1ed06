//! ABTS and its answers are tested frame by frame.

use sansim_component::bench::{ComponentBench, InputEffects, instant_at_us, sample_read, sample_write};
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
const OX_ID: ExchangeId = ExchangeId(40);
const ABORTED: Status = Status::Aborted;

fn parameters(more: &str) -> AdapterParameters {
    let keys = format!("dma_bandwidth = \"1024 MB/s\"\nabort_answer_time = \"50 us\"\n{more}");
    AdapterParameters::from_toml(&keys, &Facts::default()).unwrap_or_else(|report| panic!("{report}"))
}

fn initiator(more: &str) -> ComponentBench<Initiator> {
    let sizes = UnitSizes::default();
    ComponentBench::new(Initiator::new(&parameters(more), &sizes, ASKER, vec![vec![SERVER].into()]), 2)
}

fn target() -> ComponentBench<Target> {
    ComponentBench::new(Target::new(&parameters(""), &UnitSizes::default(), SERVER), 2)
}

fn frame(
    kind: PduKind,
    id: RequestId,
    request: &Request,
    originator: ExchangeId,
    responder: ExchangeId,
) -> Pdu {
    let frame = Pdu { kind, write: request.is_write(), originator, responder, ..Pdu::example() };
    let frame = Pdu { tag: RequestTag(id.0), payload_bytes: 32, last_of_data: false, ..frame };
    let (source, destination) = if frame.is_from_originator() { (ASKER, SERVER) } else { (SERVER, ASKER) };
    Pdu { source, destination, ..frame }
}

fn sent(did: &InputEffects) -> Vec<Pdu> {
    let frame = |&message: &Message| if let Message::Send(frame) = message { Some(frame) } else { None };
    did.messages_sent_at_port(NETWORK).iter().filter_map(frame).collect()
}

fn kinds(did: &InputEffects) -> Vec<PduKind> {
    sent(did).iter().map(|frame| frame.kind).collect()
}

fn receive<C: Component>(bench: &mut ComponentBench<C>, now: Time, frame: Pdu) -> InputEffects {
    bench.receive(now, NETWORK, Message::Received(frame))
}

#[test]
fn a_command_of_which_nothing_has_been_sent_is_given_up_without_a_frame() {
    let mut bench = initiator("commands_in_execution = 1\ncommand_time = \"10 us\"");
    let [first, second] = [0, 0].map(|_| bench.ask(instant_at_us(0), BLOCK, sample_read(0, 512)).0);
    let did = bench.receive(instant_at_us(1), BLOCK, Message::Abort(second));
    assert_eq!((did.sent_answers(), kinds(&did)), (vec![(second, ABORTED)], vec![]), "it waited");
    let did = bench.receive(instant_at_us(2), BLOCK, Message::Abort(first));
    assert_eq!((did.sent_answers(), kinds(&did)), (vec![], vec![]), "it is in execution");
    let did = bench.handle_due_timer(instant_at_us(10));
    assert_eq!((did.sent_answers(), kinds(&did)), (vec![(first, ABORTED)], vec![]));
    bench.take_back_unreleased(instant_at_us(11), first);
    bench.take_back_unreleased(instant_at_us(11), second);
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn an_initiator_repeats_abts_until_it_is_answered_and_throws_away_what_comes_meanwhile() {
    let mut bench = initiator("request_bytes = \"0 B\"");
    let request = sample_read(0, 2048);
    let (id, did) = bench.ask(instant_at_us(0), BLOCK, request);
    let command = sent(&did)[0];
    let did = bench.receive(instant_at_us(10), BLOCK, Message::Abort(id));
    let abort = sent(&did)[0];
    assert_eq!((abort.kind, abort.originator, abort.payload_bytes), (PduKind::Abort, command.originator, 0));
    assert_eq!(
        kinds(&bench.receive(instant_at_us(11), BLOCK, Message::Abort(id))),
        [],
        "it is being aborted"
    );
    let data = frame(PduKind::Data, id, &request, command.originator, ExchangeId(7));
    let did = receive(&mut bench, instant_at_us(20), Pdu { payload_bytes: 2048, ..data });
    assert_eq!(did.messages_sent_at_port(NETWORK), [Message::BufferFreed]);
    let response = frame(PduKind::Response, id, &request, command.originator, ExchangeId(7));
    assert_eq!(receive(&mut bench, instant_at_us(21), response).sent_answers(), []);
    assert_eq!(
        kinds(&bench.handle_due_timer(instant_at_us(60))),
        [PduKind::Abort],
        "50 us without an answer"
    );
    let accept = frame(PduKind::AbortAccept, id, &request, command.originator, ExchangeId(7));
    let did = receive(&mut bench, instant_at_us(70), accept);
    assert_eq!((did.sent_answers(), did.cancelled.len()), (vec![(id, ABORTED)], 1));
    let did = receive(&mut bench, instant_at_us(75), Pdu { kind: PduKind::AbortReject, ..accept });
    assert_eq!(did.sent_answers(), [], "the answer to the second ABTS says nothing new");
    let (again, did) = bench.ask(instant_at_us(80), BLOCK, request);
    assert_ne!(sent(&did)[0].originator, command.originator, "its number rests");
    bench.receive(instant_at_us(81), BLOCK, Message::Abort(again));
    let reject =
        frame(PduKind::AbortReject, again, &request, sent(&did)[0].originator, ExchangeId::UNASSIGNED);
    assert_eq!(receive(&mut bench, instant_at_us(82), reject).sent_answers(), [(again, ABORTED)]);
    bench.take_back_unreleased(instant_at_us(90), id);
    bench.take_back_unreleased(instant_at_us(90), again);
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn a_request_that_its_host_is_being_told_of_is_not_aborted() {
    let mut bench = initiator("request_bytes = \"0 B\"\nmessage_time = \"3 us\"");
    let request = sample_write(0, 512);
    let (id, _) = bench.ask(instant_at_us(0), BLOCK, request);
    let command = sent(&bench.handle_due_timer(instant_at_us(3)))[0];
    receive(
        &mut bench,
        instant_at_us(20),
        frame(PduKind::Response, id, &request, command.originator, ExchangeId(7)),
    );
    assert_eq!(kinds(&bench.receive(instant_at_us(21), BLOCK, Message::Abort(id))), []);
    assert_eq!(bench.handle_due_timer(instant_at_us(23)).sent_answers(), [(id, Status::Good)]);
    bench.take_back_unreleased(instant_at_us(24), id);
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn a_target_answers_abts_when_its_server_has_stopped_and_knows_nothing_of_it_afterwards() {
    let mut bench = target();
    let request = sample_write(0, 4096);
    let id = bench.open_request(instant_at_us(0), request);
    receive(
        &mut bench,
        instant_at_us(0),
        frame(PduKind::Command, id, &request, OX_ID, ExchangeId::UNASSIGNED),
    );
    let abort =
        Pdu { payload_bytes: 0, ..frame(PduKind::Abort, id, &request, OX_ID, ExchangeId::UNASSIGNED) };
    let did = receive(&mut bench, instant_at_us(5), abort);
    assert_eq!((did.messages_sent_at_port(BLOCK), kinds(&did)), (vec![Message::Abort(id)], vec![]));
    assert_eq!(kinds(&receive(&mut bench, instant_at_us(6), abort)), [], "the answer is to come");
    assert_eq!(
        kinds(&bench.receive(instant_at_us(7), BLOCK, Message::WriteCredit(id, 4096))),
        [],
        "nobody sends data any more"
    );
    let did = bench.receive(instant_at_us(8), BLOCK, Message::Done(id, ABORTED));
    assert_eq!(
        (did.messages_sent_at_port(BLOCK), kinds(&did)),
        (vec![Message::Release(id)], vec![PduKind::AbortAccept])
    );
    let accept = sent(&did)[0];
    assert_eq!((accept.originator, accept.destination, accept.payload_bytes), (OX_ID, ASKER, 12));
    let did = receive(&mut bench, instant_at_us(9), abort);
    let reject = sent(&did)[0];
    assert_eq!((reject.kind, reject.originator, reject.destination), (PduKind::AbortReject, OX_ID, ASKER));
    bench.take_back_unreleased(instant_at_us(10), id);
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn what_a_device_says_crosses_the_network() {
    for status in [Status::Busy, Status::QueueFull, Status::CheckCondition, Status::Failed] {
        let mut server = target();
        let request = sample_read(0, 2048);
        let id = server.open_request(instant_at_us(0), request);
        receive(
            &mut server,
            instant_at_us(0),
            frame(PduKind::Command, id, &request, OX_ID, ExchangeId::UNASSIGNED),
        );
        let response = sent(&server.receive(instant_at_us(1), BLOCK, Message::Done(id, status)))[0];
        let mut asker = initiator("request_bytes = \"0 B\"");
        let (id, did) = asker.ask(instant_at_us(0), BLOCK, request);
        let back = Pdu { tag: RequestTag(id.0), originator: sent(&did)[0].originator, ..response };
        assert_eq!(receive(&mut asker, instant_at_us(9), back).sent_answers(), [(id, status)]);
    }
}

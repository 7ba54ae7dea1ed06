//! The two ends of an exchange are tested frame by frame: failures, and the time at which a number may be
//! reused.

use sansim_component::bench::{ComponentBench, InputEffects, instant_at_us, sample_read, sample_write};
use sansim_component::{Action, Component, Message};
use sansim_fcp::adapter::{AdapterParameters, BLOCK, BurstDone, NETWORK, UnitSizes};
use sansim_fcp::{Initiator, Target};
use sansim_kernel::{Span, Time};
use sansim_pdu::Address;
use sansim_pdu::{ExchangeId, Pdu, PduKind, RequestTag, Sense};
use sansim_request::{Request, RequestId, Status};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

const GOOD: Status = Status::Good;
const FAILED: Status = Status::Failed;
const REFUSED: Status = Status::Refused;
const UNREACHABLE: Status = Status::Unreachable;

const ASKER: Address = Address::new(1);
const SERVER: Address = Address::new(2);

/// The OX_ID of commands that arrive at a target: a number that the target would not assign itself.
const OX_ID: ExchangeId = ExchangeId(40);

/// The payload of a frame, which the DMA moves in two microseconds.
const PAYLOAD: u32 = 2048;
const DMA: Span = Span::from_us(2);

fn parameters() -> AdapterParameters {
    let parameters = AdapterParameters::from_toml("dma_bandwidth = \"1024 MB/s\"", &Facts::default());
    parameters.unwrap_or_else(|report| panic!("{report}"))
}

fn target(parameters: &AdapterParameters) -> ComponentBench<Target> {
    ComponentBench::new(Target::new(parameters, &UnitSizes::default(), SERVER), 2)
}

/// An initiator with device 0 on its network, and device 1 outside it.
fn initiator() -> ComponentBench<Initiator> {
    let addresses = vec![SERVER].into();
    ComponentBench::new(Initiator::new(&parameters(), &UnitSizes::default(), ASKER, vec![addresses]), 2)
}

/// A frame from the initiator to the target, or back.
fn frame(kind: PduKind, id: RequestId, request: &Request, responder: ExchangeId) -> Pdu {
    let frame = Pdu { kind, write: request.is_write(), responder, payload_bytes: 32, ..Pdu::example() };
    let frame = Pdu { tag: RequestTag(id.0), originator: OX_ID, last_of_data: false, ..frame };
    let (source, destination) = if frame.is_from_originator() { (ASKER, SERVER) } else { (SERVER, ASKER) };
    Pdu { source, destination, ..frame }
}

/// A data frame, by its number among the data frames of the request.
fn data(id: RequestId, request: &Request, responder: ExchangeId, number: u16) -> Pdu {
    let last = u64::from(number + 1) * u64::from(PAYLOAD) == request.bytes;
    Pdu {
        offset: u32::from(number) * PAYLOAD,
        payload_bytes: PAYLOAD,
        part: number,
        last_of_unit: last,
        last_of_data: last,
        ..frame(PduKind::Data, id, request, responder)
    }
}

/// The frames that the adapter sent.
fn frames(did: &InputEffects) -> Vec<Pdu> {
    let frame = |&message: &Message| if let Message::Send(frame) = message { Some(frame) } else { None };
    did.messages_sent_at_port(NETWORK).iter().filter_map(frame).collect()
}

fn kinds(did: &InputEffects) -> Vec<PduKind> {
    frames(did).iter().map(|frame| frame.kind).collect()
}

/// The only frame that the adapter sent.
fn only(did: &InputEffects) -> Pdu {
    let [frame] = frames(did)[..] else { panic!("{did:?}") };
    frame
}

fn receive<C: Component>(bench: &mut ComponentBench<C>, now: Time, frame: Pdu) -> InputEffects {
    bench.receive(now, NETWORK, Message::Received(frame))
}

/// A command arrives at a target, which passes the request to the server behind it.
fn command(bench: &mut ComponentBench<Target>, now: Time, request: Request) -> RequestId {
    let id = bench.open_request(now, request);
    let did = receive(bench, now, frame(PduKind::Command, id, &request, ExchangeId::UNASSIGNED));
    assert_eq!(did.messages_sent_at_port(BLOCK), [Message::Request(id, now)]);
    id
}

/// The server has room for all data of a write. Returns the target's number of the exchange.
fn room(bench: &mut ComponentBench<Target>, now: Time, id: RequestId) -> ExchangeId {
    let bytes = bench.requests().request(id).bytes;
    let ready = only(&bench.receive(now, BLOCK, Message::WriteCredit(id, bytes)));
    assert_eq!((ready.kind, u64::from(ready.burst_bytes)), (PduKind::TransferReady, bytes));
    assert_eq!((ready.originator, ready.destination), (OX_ID, ASKER));
    ready.responder
}

#[test]
fn a_failed_write_is_answered_when_the_burst_that_was_asked_for_is_stored() {
    for done in [BurstDone::Received, BurstDone::Stored] {
        let mut bench = target(&AdapterParameters { burst_done: done, ..parameters() });
        let request = sample_write(0, 2 * u64::from(PAYLOAD));
        let id = command(&mut bench, instant_at_us(0), request);
        let number = room(&mut bench, instant_at_us(0), id);
        receive(&mut bench, instant_at_us(10), data(id, &request, number, 0));
        let did = bench.receive(instant_at_us(11), BLOCK, Message::Done(id, FAILED));
        assert_eq!(kinds(&did), [], "the other frame is on its way");
        assert_eq!(kinds(&bench.handle_due_timer(instant_at_us(12))), []);
        assert_eq!(kinds(&receive(&mut bench, instant_at_us(20), data(id, &request, number, 1))), []);
        let did = bench.handle_due_timer(instant_at_us(20) + DMA);
        let response = only(&did);
        assert_eq!((response.kind, response.sense), (PduKind::Response, Sense::HardwareError));
        assert_eq!(did.messages_sent_at_port(BLOCK), [Message::Release(id)]);
        bench.take_back_unreleased(instant_at_us(30), id);
        assert_eq!(bench.leftovers(), [""; 0]);
    }
}

#[test]
fn a_write_that_fails_before_it_was_asked_for_data_is_answered_at_once() {
    let mut bench = target(&parameters());
    let id = command(&mut bench, instant_at_us(0), sample_write(0, 4096));
    let did = bench.receive(instant_at_us(1), BLOCK, Message::Done(id, FAILED));
    assert_eq!((kinds(&did), only(&did).sense), (vec![PduKind::Response], Sense::HardwareError));
    bench.take_back_unreleased(instant_at_us(2), id);
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn a_failed_read_is_answered_when_the_data_that_were_begun_are_queued() {
    let mut bench = target(&parameters());
    let id = command(&mut bench, instant_at_us(0), sample_read(0, 8 * u64::from(PAYLOAD)));
    bench.receive(instant_at_us(0), BLOCK, Message::ReadDataUpTo(id, 3 * u64::from(PAYLOAD)));
    assert_eq!(kinds(&bench.handle_due_timer(instant_at_us(2))), [PduKind::Data]);
    assert_eq!(kinds(&bench.receive(instant_at_us(3), BLOCK, Message::Done(id, FAILED))), []);
    assert_eq!(kinds(&bench.handle_due_timer(instant_at_us(4))), [PduKind::Data]);
    let did = bench.handle_due_timer(instant_at_us(6));
    assert_eq!(kinds(&did), [PduKind::Data, PduKind::Response]);
    let [last, response] = frames(&did)[..] else { unreachable!("two frames") };
    assert!(last.last_of_unit && !last.last_of_data && response.sense == Sense::HardwareError);
    assert_eq!(did.messages_sent_at_port(BLOCK), [Message::Release(id)]);
    let left = Message::Left(last);
    [7, 8, 9].into_iter().for_each(|now| drop(bench.receive(instant_at_us(now), NETWORK, left)));
    bench.take_back_unreleased(instant_at_us(10), id);
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn a_read_that_fails_before_its_data_is_answered_at_once() {
    let mut bench = target(&parameters());
    let id = command(&mut bench, instant_at_us(0), sample_read(0, 4096));
    let response = only(&bench.receive(instant_at_us(1), BLOCK, Message::Done(id, FAILED)));
    assert_eq!(response.sense, Sense::HardwareError);
}

#[test]
fn a_target_gives_a_number_again_when_all_data_of_the_exchange_are_stored() {
    // The status may be sent before: a burst has arrived when its last frame has been received.
    let mut bench = target(&parameters());
    let request = sample_write(0, u64::from(PAYLOAD));
    let first = command(&mut bench, instant_at_us(0), request);
    let number = room(&mut bench, instant_at_us(0), first);
    let did = receive(&mut bench, instant_at_us(10), data(first, &request, number, 0));
    assert_eq!(did.messages_sent_at_port(BLOCK), [Message::WriteDataUpTo(first, request.bytes)]);
    let did = bench.receive(instant_at_us(10), BLOCK, Message::Done(first, GOOD));
    assert_eq!((only(&did).kind, only(&did).sense), (PduKind::Response, Sense::None));
    // The initiator is done with the request, and sends it again.
    bench.take_back_unreleased(instant_at_us(11), first);
    let second = command(&mut bench, instant_at_us(11), request);
    assert_ne!(second, first, "the target still has the first");
    assert_ne!(room(&mut bench, instant_at_us(11), second), number);
    bench.handle_due_timer(instant_at_us(10) + DMA);
    let third = command(&mut bench, instant_at_us(13), request);
    assert_eq!(third, first, "nobody has the first any more");
    assert_eq!(room(&mut bench, instant_at_us(13), third), number);
}

#[test]
fn an_exchange_that_the_target_has_closed_is_kept_until_the_asker_has_its_request_back() {
    let mut bench = target(&parameters());
    let first = command(&mut bench, instant_at_us(0), sample_read(0, 4096));
    bench.receive(instant_at_us(1), BLOCK, Message::Done(first, FAILED));
    let second = command(&mut bench, instant_at_us(2), sample_read(0, 4096));
    assert_ne!(second, first, "its status is on its way");
    bench.take_back_unreleased(instant_at_us(3), first);
    assert_eq!(command(&mut bench, instant_at_us(4), sample_read(0, 4096)), first);
}

#[test]
fn a_status_that_waited_for_the_end_of_a_circuit_is_not_sent_again_at_the_end_of_another() {
    let keys = "dma_bandwidth = \"1024 MB/s\"\nresponse_circuit = \"own\"\nresponse_time = \"10 us\"";
    let parameters = AdapterParameters::from_toml(keys, &Facts::default());
    let mut bench = target(&parameters.unwrap_or_else(|report| panic!("{report}")));
    let request = sample_read(0, u64::from(PAYLOAD));
    let mut numbers = Vec::new();
    // The circuit of the data ends after the status has been made, or before.
    for (begin, ends_behind) in [(0, true), (100, false)] {
        let at = |after: u64| instant_at_us(begin + after);
        let id = command(&mut bench, at(0), request);
        bench.receive(at(0), BLOCK, Message::ReadDataUpTo(id, request.bytes));
        bench.receive(at(1), BLOCK, Message::Done(id, GOOD));
        let sent = only(&bench.handle_due_timer(at(2)));
        assert_eq!(sent.kind, PduKind::Data);
        numbers.push(sent.responder);
        bench.receive(at(3), NETWORK, Message::Left(sent));
        bench.receive(at(4), NETWORK, Message::Sent(sent));
        if !ends_behind {
            assert_eq!(kinds(&bench.receive(at(5), NETWORK, Message::CircuitEnded)), []);
        }
        let made = bench.handle_due_timer(at(12));
        if ends_behind {
            assert_eq!(kinds(&made), []);
            let did = bench.receive(at(20), NETWORK, Message::CircuitEnded);
            assert_eq!(kinds(&did), [PduKind::Response]);
        } else {
            assert_eq!(kinds(&made), [PduKind::Response]);
        }
        bench.take_back_unreleased(at(30), id);
    }
    assert_eq!(numbers[0], numbers[1], "the number of the first is given to the second");
    assert_eq!(bench.leftovers(), [""; 0]);
}

/// A request is given to an initiator. Returns the initiator's number of the exchange.
fn ask(bench: &mut ComponentBench<Initiator>, now: Time, request: Request) -> (RequestId, ExchangeId) {
    let (id, _) = bench.ask(now, BLOCK, request);
    // The request package has 64 bytes.
    let fetched = bench.timers()[0].0;
    let command = only(&bench.handle_due_timer(fetched));
    assert_eq!((command.kind, command.destination), (PduKind::Command, SERVER));
    (id, command.originator)
}

/// The status that a target sends.
fn status(id: RequestId, request: &Request, originator: ExchangeId, failed: bool) -> Pdu {
    let sense = if failed { Sense::HardwareError } else { Sense::None };
    Pdu { originator, sense, ..frame(PduKind::Response, id, request, ExchangeId(7)) }
}

#[test]
fn an_initiator_gives_a_number_again_when_it_has_told_the_host() {
    let mut bench = initiator();
    let request = sample_read(0, 4096);
    let (first, number) = ask(&mut bench, instant_at_us(0), request);
    let (second, other) = ask(&mut bench, instant_at_us(1), request);
    assert_ne!(number, other);
    let did = receive(&mut bench, instant_at_us(5), status(first, &request, number, true));
    assert_eq!(did.sent_answers(), [(first, FAILED)]);
    bench.take_back_unreleased(instant_at_us(5), first);
    assert_eq!(ask(&mut bench, instant_at_us(6), request), (first, number));
    let did = receive(&mut bench, instant_at_us(7), status(second, &request, other, true));
    assert_eq!(did.sent_answers(), [(second, FAILED)]);
}

#[test]
fn a_status_that_overtakes_data_waits_until_they_are_stored() {
    for failed in [false, true] {
        let mut bench = initiator();
        // After the status of a failed read no more data come.
        let request = sample_read(0, if failed { 8 } else { 2 } * u64::from(PAYLOAD));
        let (id, number) = ask(&mut bench, instant_at_us(0), request);
        for part in 0..2 {
            let frame = Pdu { originator: number, ..data(id, &request, ExchangeId(7), part) };
            assert_eq!(receive(&mut bench, instant_at_us(10), frame).sent_answers(), []);
        }
        assert_eq!(
            receive(&mut bench, instant_at_us(11), status(id, &request, number, failed)).sent_answers(),
            []
        );
        assert_eq!(bench.handle_due_timer(instant_at_us(12)).sent_answers(), []);
        let answer = if failed { FAILED } else { GOOD };
        assert_eq!(bench.handle_due_timer(instant_at_us(14)).sent_answers(), [(id, answer)]);
        bench.take_back_unreleased(instant_at_us(14), id);
        assert_eq!(bench.leftovers(), [""; 0]);
    }
}

#[test]
fn an_initiator_sends_what_it_was_asked_for_of_a_write() {
    let mut bench = initiator();
    let request = sample_write(0, 4 * u64::from(PAYLOAD));
    let (id, number) = ask(&mut bench, instant_at_us(0), request);
    let half = 2 * PAYLOAD;
    for (offset, sequence) in [(0, 1), (half, 3)] {
        let ready = frame(PduKind::TransferReady, id, &request, ExchangeId(7));
        let ready = Pdu { originator: number, offset, burst_bytes: half, unit: sequence, ..ready };
        let begun = instant_at_us(10 + u64::from(sequence) * 10);
        receive(&mut bench, begun, ready);
        let sent = [1, 2].map(|frame| only(&bench.handle_due_timer(begun + DMA * frame)));
        assert_eq!(sent.map(|frame| frame.offset), [offset, offset + PAYLOAD]);
        assert_eq!(sent.map(|frame| frame.last_of_unit), [false, true]);
        assert!(sent.iter().all(|f| f.responder == ExchangeId(7) && f.unit == sequence + 1), "{sent:?}");
        for frame in sent {
            bench.receive(begun + DMA * 2, NETWORK, Message::Left(frame));
        }
    }
    let did = receive(&mut bench, instant_at_us(99), status(id, &request, number, false));
    assert_eq!(did.sent_answers(), [(id, GOOD)]);
    bench.take_back_unreleased(instant_at_us(99), id);
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn a_write_that_failed_in_mid_burst_is_over_for_the_initiator_with_its_status() {
    let mut bench = initiator();
    let request = sample_write(0, 4 * u64::from(PAYLOAD));
    let (id, number) = ask(&mut bench, instant_at_us(0), request);
    let did = receive(&mut bench, instant_at_us(5), status(id, &request, number, true));
    assert_eq!(did.sent_answers(), [(id, FAILED)], "it was asked for no data");
    bench.take_back_unreleased(instant_at_us(5), id);
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn an_initiator_refuses_a_device_that_it_has_no_address_of() {
    let mut bench = initiator();
    for device in [1, 2] {
        let (id, did) = bench.ask(instant_at_us(0), BLOCK, Request { device, ..sample_read(0, 512) });
        assert_eq!(did.sent, [(BLOCK, Message::Done(id, REFUSED))]);
        bench.take_back_unreleased(instant_at_us(0), id);
    }
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn an_initiator_that_is_cut_off_answers_at_once_what_it_is_asked_for_until_it_is_repaired() {
    let mut bench = initiator();
    bench.apply_action(instant_at_us(0), Action::Fail);
    let (id, did) = bench.ask(instant_at_us(1), BLOCK, sample_read(0, 512));
    assert_eq!(did.sent, [(BLOCK, Message::Done(id, UNREACHABLE))]);
    bench.take_back_unreleased(instant_at_us(1), id);
    bench.apply_action(instant_at_us(2), Action::Repair);
    let request = sample_read(0, 4096);
    let (id, number) = ask(&mut bench, instant_at_us(3), request);
    let failed = receive(&mut bench, instant_at_us(9), status(id, &request, number, true));
    assert_eq!(failed.sent_answers(), [(id, FAILED)]);
    bench.take_back_unreleased(instant_at_us(9), id);
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn an_initiator_that_is_cut_off_gives_up_what_it_has_not_sent_and_ends_what_it_has() {
    let parameters = AdapterParameters { command_time: Span::from_us(10), ..parameters() };
    let parameters = AdapterParameters { commands_in_execution: Some(1), ..parameters };
    let initiator = Initiator::new(&parameters, &UnitSizes::default(), ASKER, vec![vec![SERVER].into()]);
    let mut bench = ComponentBench::new(initiator, 2);
    let request = sample_read(0, 4096);
    let (sent, _) = bench.ask(instant_at_us(0), BLOCK, request);
    bench.handle_due_timer(instant_at_us(10));
    let fetched = bench.timers()[0].0;
    let number = only(&bench.handle_due_timer(fetched)).originator;
    let [in_work, waits] = [0; 2].map(|_| bench.ask(instant_at_us(20), BLOCK, request).0);
    assert_eq!(bench.apply_action(instant_at_us(25), Action::Fail).sent_answers(), [(waits, UNREACHABLE)]);
    let did = bench.handle_due_timer(instant_at_us(30));
    assert_eq!((did.sent_answers(), kinds(&did)), (vec![(in_work, UNREACHABLE)], vec![]));
    // After the repair the status is still of no use: the data of the other end were for a memory that had
    // failed.
    bench.apply_action(instant_at_us(31), Action::Repair);
    let did = receive(&mut bench, instant_at_us(40), status(sent, &request, number, true));
    assert_eq!(did.sent_answers(), [(sent, UNREACHABLE)]);
    [sent, in_work, waits].into_iter().for_each(|id| bench.take_back_unreleased(instant_at_us(40), id));
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn a_target_that_is_cut_off_says_so_and_does_not_ask_its_server() {
    let mut bench = target(&parameters());
    bench.apply_action(instant_at_us(0), Action::Fail);
    for request in [sample_read(0, 4096), sample_write(0, 4096)] {
        let id = bench.open_request(instant_at_us(1), request);
        let did = receive(
            &mut bench,
            instant_at_us(1),
            frame(PduKind::Command, id, &request, ExchangeId::UNASSIGNED),
        );
        let response = only(&did);
        assert_eq!((response.kind, response.sense), (PduKind::Response, Sense::NotAccessible));
        assert_eq!(did.messages_sent_at_port(BLOCK), []);
        bench.take_back_unreleased(instant_at_us(1), id);
    }
    assert_eq!(bench.leftovers(), [""; 0]);
    bench.apply_action(instant_at_us(2), Action::Repair);
    command(&mut bench, instant_at_us(3), sample_read(0, 4096));
}

#[test]
fn what_a_target_has_when_it_is_cut_off_comes_to_its_end_and_is_of_no_use() {
    let mut bench = target(&parameters());
    let id = command(&mut bench, instant_at_us(0), sample_read(0, u64::from(PAYLOAD)));
    bench.apply_action(instant_at_us(1), Action::Fail);
    bench.receive(instant_at_us(2), BLOCK, Message::ReadDataUpTo(id, u64::from(PAYLOAD)));
    bench.receive(instant_at_us(2), BLOCK, Message::Done(id, GOOD));
    let sent = frames(&bench.handle_due_timer(instant_at_us(4)));
    assert_eq!(sent.iter().map(|f| f.kind).collect::<Vec<_>>(), [PduKind::Data, PduKind::Response]);
    assert_eq!(sent[1].sense, Sense::NotAccessible);
    bench.take_back_unreleased(instant_at_us(4), id);
    bench.receive(instant_at_us(5), NETWORK, Message::Left(sent[0]));
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn a_status_of_a_target_that_is_cut_off_makes_its_initiator_answer_so() {
    let mut bench = initiator();
    let request = sample_write(0, 4096);
    let (id, number) = ask(&mut bench, instant_at_us(0), request);
    let cut_off = Pdu { sense: Sense::NotAccessible, ..status(id, &request, number, true) };
    assert_eq!(receive(&mut bench, instant_at_us(5), cut_off).sent_answers(), [(id, UNREACHABLE)]);
    bench.take_back_unreleased(instant_at_us(5), id);
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn a_write_may_be_asked_for_again_while_the_data_of_the_first_time_are_stored() {
    let mut bench = target(&AdapterParameters { burst_done: BurstDone::Received, ..parameters() });
    let request = sample_write(0, u64::from(PAYLOAD));
    let id = command(&mut bench, instant_at_us(0), request);
    let number = room(&mut bench, instant_at_us(0), id);
    bench.apply_action(instant_at_us(1), Action::Fail);
    let did = receive(&mut bench, instant_at_us(2), data(id, &request, number, 0));
    assert_eq!(did.messages_sent_at_port(BLOCK), [Message::WriteDataUpTo(id, request.bytes)]);
    let response = only(&bench.receive(instant_at_us(2), BLOCK, Message::Done(id, GOOD)));
    assert_eq!(response.sense, Sense::NotAccessible, "while the DMA still stores");
    bench.apply_action(instant_at_us(3), Action::Repair);
    let again = frame(PduKind::Command, id, &request, ExchangeId::UNASSIGNED);
    assert_eq!(
        receive(&mut bench, instant_at_us(3), again).messages_sent_at_port(BLOCK),
        [Message::Request(id, instant_at_us(3))]
    );
    bench.handle_due_timer(instant_at_us(4));
    let number = room(&mut bench, instant_at_us(5), id);
    receive(&mut bench, instant_at_us(6), data(id, &request, number, 0));
    let response = only(&bench.receive(instant_at_us(6), BLOCK, Message::Done(id, GOOD)));
    assert_eq!(response.sense, Sense::None);
    bench.handle_due_timer(instant_at_us(8));
    bench.take_back_unreleased(instant_at_us(9), id);
    assert_eq!(bench.leftovers(), [""; 0]);
}

//! Tests of a SCSI bus, input by input, and of its laws.

use super::*;
use proptest::prelude::*;
use sansim_component::bench::{ComponentBench, InputEffects, instant_at_us, sample_read, sample_write};
use sansim_pdu::{ExchangeId, RequestTag};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

/// A bus of 20 MB/s on which arbitration takes 10 us and clean-up 5 us, with other keys.
fn parameters(keys: &str) -> ScsiBusParameters {
    let text = format!(
        "speed = \"fast-wide\"\narbitration = \"10 us\"\nclean_up = \"5 us\"\nstations = [\"a\"]\n{keys}"
    );
    ScsiBusParameters::from_toml(&text, &Facts::default()).expect("a bus")
}

/// A bus with ports at these IDs.
fn bus(ids: &[u8], keys: &str) -> ComponentBench<ScsiBus> {
    let addresses: Vec<Address> = ids.iter().map(|&id| ids::address_of_id(id)).collect();
    ComponentBench::new(ScsiBus::new(&parameters(keys), &addresses, &[]), ids.len() as u16)
}

/// A frame from one port to another.
fn frame(request: RequestId, kind: PduKind, from: u8, to: u8, bytes: u32) -> Pdu {
    Pdu {
        tag: RequestTag(request.0),
        originator: ExchangeId(request.0),
        source: ids::address_of_id(from),
        destination: ids::address_of_id(to),
        payload_bytes: bytes,
        kind,
        ..Pdu::example()
    }
}

/// All outputs of a bus until nothing more happens, with their times.
fn all_events(bench: &mut ComponentBench<ScsiBus>) -> Vec<(Time, InputEffects)> {
    let mut happened = Vec::new();
    while let Some(at) = bench.next_timer_time() {
        happened.push((at, bench.handle_due_timer(at)));
    }
    happened
}

/// The received frames, with their times and ports.
fn received(happened: &[(Time, InputEffects)]) -> Vec<(Time, u16, Pdu)> {
    let of = |(at, did): &(Time, InputEffects)| {
        let at = *at;
        let frames = did.sent.iter().filter_map(move |&(port, message)| match message {
            Message::Received(frame) => Some((at, port, frame)),
            _ => None,
        });
        frames.collect::<Vec<_>>()
    };
    happened.iter().flat_map(of).collect()
}

#[test]
fn a_command_takes_arbitration_and_the_bus_is_free_when_it_is_cleaned_up() {
    let mut bench = bus(&[7, 0], "control_byte = \"1 us\"");
    let request = bench.open_request(instant_at_us(0), sample_read(0, 512));
    bench.receive(instant_at_us(0), 0, Message::Send(frame(request, PduKind::Command, 7, 0, 32)));
    let happened = all_events(&mut bench);
    // The three bytes of messages and the ten bytes of the command take 13 us; DISCONNECT takes one more
    // byte.
    assert_eq!(received(&happened)[0].0, instant_at_us(10 + 3 + 10));
    assert_eq!(happened.last().map(|(at, _)| *at), Some(instant_at_us(10 + 13 + 1 + 5)));
}

#[test]
fn data_and_status_go_in_one_connection_if_the_status_is_there_in_time() {
    for (later, connections) in [(instant_at_us(60), 1), (instant_at_us(120), 2)] {
        let mut bench = bus(&[7, 0], "");
        let request = bench.open_request(instant_at_us(0), sample_read(0, 1_000));
        bench.receive(instant_at_us(0), 1, Message::Send(frame(request, PduKind::Data, 0, 7, 1_000)));
        while bench.next_timer_time().is_some_and(|at| at < later) {
            let at = bench.next_timer_time().expect("a timer");
            bench.handle_due_timer(at);
        }
        bench.receive(later, 1, Message::Send(frame(request, PduKind::Response, 0, 7, 24)));
        let came = received(&all_events(&mut bench));
        let status = came.last().expect("the status").0;
        // The 1,000 bytes at 20 MB/s take 50 us, after 10 us of arbitration; then clean-up takes 5 us.
        assert_eq!(status, if connections == 1 { instant_at_us(60) } else { instant_at_us(130) });
        let now = bench.next_timer_time().unwrap_or(instant_at_us(200));
        assert_eq!(bench.component.meter(now, meter::CONNECTIONS), Total(connections));
    }
}

#[test]
fn a_target_that_keeps_the_bus_lets_nobody_else_have_it_until_its_status() {
    let mut bench = bus(&[7, 6, 0], "disconnect_after = \"never\"");
    let [one, other] = [0, 1].map(|_| bench.open_request(instant_at_us(0), sample_read(0, 512)));
    bench.receive(instant_at_us(0), 1, Message::Send(frame(one, PduKind::Command, 6, 0, 32)));
    bench.handle_due_timer(instant_at_us(0));
    bench.receive(instant_at_us(1), 0, Message::Send(frame(other, PduKind::Command, 7, 0, 32)));
    while bench.next_timer_time().is_some() {
        let at = bench.next_timer_time().expect("a timer");
        bench.handle_due_timer(at);
    }
    assert_eq!(bench.component.meter(instant_at_us(100), meter::HELD), Span::from_us(90).into());
    bench.receive(instant_at_us(100), 2, Message::Send(frame(one, PduKind::Response, 0, 6, 24)));
    let came = received(&all_events(&mut bench));
    assert_eq!(
        came.iter().map(|(at, port, _)| (*at, *port)).collect::<Vec<_>>(),
        [(instant_at_us(100), 1), (instant_at_us(115), 2)]
    );
}

#[test]
fn a_target_that_has_asked_for_data_waits_for_them() {
    let mut bench = bus(&[7, 0], "");
    let request = bench.open_request(instant_at_us(0), sample_write(0, 1_000));
    let of = |kind, from, to, bytes| Pdu { write: true, ..frame(request, kind, from, to, bytes) };
    bench.receive(instant_at_us(0), 1, Message::Send(of(PduKind::TransferReady, 0, 7, 12)));
    while let Some(at) = bench.next_timer_time() {
        bench.handle_due_timer(at);
    }
    bench.receive(instant_at_us(40), 0, Message::Send(of(PduKind::Data, 7, 0, 1_000)));
    let came = received(&all_events(&mut bench));
    assert_eq!(came.iter().map(|(at, port, _)| (*at, *port)).collect::<Vec<_>>(), [(instant_at_us(90), 1)]);
    assert_eq!(bench.component.meter(instant_at_us(200), meter::CONNECTIONS), Total(1));
    assert_eq!(bench.component.meter(instant_at_us(200), meter::HELD), Span::from_us(30).into());
}

#[test]
fn ids_are_given_in_the_order_in_which_they_win_to_initiators_first() {
    let mut nodes = vec![false; 9];
    nodes.push(true);
    let given = |keys: &str| ids::assign_addresses(&parameters(keys), &nodes);
    let found: Vec<u8> = given("").expect("enough").into_iter().map(ids::id_of_address).collect();
    assert_eq!(found, [6, 5, 4, 3, 2, 1, 0, 15, 14, 7]);
    let said: Vec<u8> = given("ids = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]")
        .expect("all")
        .into_iter()
        .map(ids::id_of_address)
        .collect();
    assert_eq!(said, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert!(given("ids = [1, 2]").is_err());
    let narrow = ScsiBusParameters::from_toml("speed = \"ultra\"\nstations = [\"a\"]", &Facts::default());
    assert!(ids::assign_addresses(&narrow.expect("a bus"), &nodes).is_err(), "eight IDs for ten ports");
    assert!(ids::assign_addresses(&parameters(""), &[false; 17]).is_err(), "16 IDs for 17 ports");
}

#[test]
fn what_connections_cost_is_by_the_standard_or_by_friedman() {
    let of = |keys: &str| {
        let text = format!("speed = \"ultra160\"\nstations = [\"a\"]\n{keys}");
        let bus = ScsiBusParameters::from_toml(&text, &Facts::default()).expect("a bus");
        (bus.arbitration, bus.clean_up, bus.data_phase_time(16_384))
    };
    assert_eq!(of(""), (Span::from_ns(4_580), Span::from_ns(400), Span::from_ns(102_400)));
    let friedman = of("overheads = \"friedman\"\nefficiency = 0.5");
    assert_eq!(friedman, (Span::from_us(500), Span::from_us(500), Span::from_ns(204_800)));
}

/// The frames that ports hand over: time, port, and bytes of data.
fn handed() -> impl Strategy<Value = Vec<(u64, usize, u32)>> {
    prop::collection::vec((0..400_u64, 0..5_usize, 1..3_000_u32), 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(200), ..ProptestConfig::default() })]

    /// Each sequence of a target's data, each for an I/O of its own, is a connection: none overlaps another, every sequence that is handed
    /// over arrives once, and the bus is occupied for the time of the phases, with arbitration and clean-up of each.
    #[test]
    fn one_connection_goes_at_a_time_and_the_bus_is_taken_for_just_what_they_need(mut handed in handed()) {
        let ids = [7, 3, 15, 0, 8, 1];
        let mut bench = bus(&ids, "");
        handed.sort_unstable();
        let mut happened = Vec::new();
        let mut sent = Vec::new();
        for &(at, target, bytes) in &handed {
            while let Some(due) = bench.next_timer_time().filter(|&due| due < instant_at_us(at)) {
                happened.push((due, bench.handle_due_timer(due)));
            }
            let request = bench.open_request(instant_at_us(at), sample_read(0, 512));
            let frame = frame(request, PduKind::Data, ids[target + 1], 7, bytes);
            bench.receive(instant_at_us(at), target as u16 + 1, Message::Send(frame));
            sent.push((instant_at_us(at), frame));
        }
        happened.extend(all_events(&mut bench));
        let came = received(&happened);
        prop_assert_eq!(came.len(), sent.len());
        let (arbitration, clean_up) = (Span::from_us(10), Span::from_us(5));
        let mut free = Time::ZERO;
        let mut taken = Span::ZERO;
        let mut waiting = sent.clone();
        for (at, _, frame) in came {
            let data = Span::to_move(frame.payload_bytes.into(), 20_000_000);
            let place = waiting.iter().position(|(_, sent)| *sent == frame);
            prop_assert!(place.is_some(), "came twice, or was never sent");
            let earliest = waiting.iter().map(|(since, _)| *since).min().unwrap_or(Time::ZERO);
            let begin = free.max(earliest);
            prop_assert_eq!(at, begin + arbitration + data, "the bus is never free while somebody wants it");
            // Among the ports with a sequence at the beginning the port of highest priority wins, with its
            // first sequence.
            let best = waiting.iter().filter(|(since, _)| *since <= begin).min_by_key(|(_, other)| ids::arbitration_rank(ids::id_of_address(other.source)));
            prop_assert_eq!(best.map(|(_, best)| best.source), Some(frame.source));
            waiting.remove(place.unwrap_or(0));
            free = at + clean_up;
            taken += arbitration + data + clean_up;
        }
        let now = instant_at_us(10_000_000);
        prop_assert_eq!(bench.component.meter(now, meter::TAKEN), taken.into());
        prop_assert_eq!(bench.component.busy(now, 0), taken.into());
        prop_assert_eq!(bench.component.meter(now, meter::HELD), Total(0));
    }
}

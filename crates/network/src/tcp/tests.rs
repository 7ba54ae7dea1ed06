//! Tests of a network with TCP, input by input, and of its laws.

mod congestion;
mod plain;

use super::keys::settings;
use super::*;
use crate::ethernet::{EthernetKeys, TcpNetwork, Transport};
use proptest::prelude::*;
use sansim_component::Component;
use sansim_component::bench::{ComponentBench, InputEffects, instant_at_us, sample_read};
use sansim_component::{ProcessorPort, ProcessorWorkKind};
use sansim_fabric::ethernet::EthernetSwitches;
use sansim_kernel::RandomStream;
use sansim_pdu::{ExchangeId, PduKind, RequestTag};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;
use sansim_tcp::congestion::CongestionControl;
use sansim_tcp::costs::TcpSegment;
use sansim_tcp::stream;
use std::collections::HashMap;

/// The parameters of Gigabit Ethernet with other keys.
fn parameters(keys: &str) -> TcpParameters {
    let rate = if keys.contains("rate =") { "" } else { "rate = \"125 MB/s\"\n" };
    let text = format!("{rate}stations = [\"host\", \"store\"]\n{keys}");
    TcpParameters::from_toml(&text, &Facts::default()).expect("a network")
}

/// A host, and other nodes that are targets, with software at the host.
fn network(others: usize, keys: &str) -> ComponentBench<TcpNetwork> {
    let parameters = parameters(keys);
    let costs = parameters
        .node_software("host")
        .map_or(SoftwareCosts::NONE, |stack| SoftwareCosts::new(&stack.described));
    let mut nodes = vec![Node::new(0, costs, 1 << 20)];
    nodes.extend((0..others).map(|_| Node::new(1, SoftwareCosts::NONE, 1 << 20)));
    let addresses = (0..nodes.len()).map(node_address).collect();
    ComponentBench::new(tcp_network(&parameters, addresses, nodes), others as u16 + 1)
}

fn tcp_network(parameters: &TcpParameters, addresses: Vec<Address>, nodes: Vec<Node>) -> TcpNetwork {
    let plan = parameters.plan(&vec![""; nodes.len()]);
    let switches = EthernetSwitches::new(&plan, |name| RandomStream::new(1, name));
    let endpoints = TcpEndpoints::new(settings(parameters), addresses, nodes);
    TcpNetwork::new(switches, Transport::Tcp(Box::new(endpoints)))
}

/// A message of this number of bytes; `ends` is true for the last message of a sequence.
fn message(request: RequestId, from: usize, to: usize, bytes: u32, ends: bool) -> Pdu {
    Pdu {
        tag: RequestTag(request.0),
        originator: ExchangeId(request.0),
        source: node_address(from),
        destination: node_address(to),
        payload_bytes: bytes,
        kind: PduKind::Data,
        last_of_unit: ends,
        last_of_data: ends,
        ..Pdu::example()
    }
}

/// Hands over a sequence of messages of 2 KiB.
fn hand_over(
    bench: &mut ComponentBench<TcpNetwork>,
    now: Time,
    from: usize,
    to: usize,
    bytes: u32,
) -> Vec<Pdu> {
    let request = bench.open_request(now, sample_read(0, 512));
    let mut handed = Vec::new();
    let mut left = bytes;
    while left > 0 {
        let size = left.min(2_048);
        left -= size;
        let frame = Pdu { offset: left, ..message(request, from, to, size, left == 0) };
        bench.receive(now, from as u16, Message::Send(frame));
        handed.push(frame);
    }
    handed
}

/// All outputs of a network until nothing more happens.
fn all_events(bench: &mut ComponentBench<TcpNetwork>) -> Vec<(Time, InputEffects)> {
    let mut happened = Vec::new();
    while let Some(at) = bench.next_timer_time() {
        happened.push((at, bench.handle_due_timer(at)));
    }
    happened
}

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

fn count(bench: &ComponentBench<TcpNetwork>, meter: usize) -> u64 {
    bench.component.meter(instant_at_us(1_000_000_000), meter).0 as u64
}

#[test]
fn a_short_message_takes_two_links_and_the_way() {
    let mut bench = network(1, "latency = \"10 us\"");
    hand_over(&mut bench, instant_at_us(0), 0, 1, 32);
    let came = received(&all_events(&mut bench));
    // The frame has 32 bytes of message, 40 of headers and 38 of framing: 110 bytes at 125 MB/s.
    assert_eq!(came[0].0, instant_at_us(10) + Span::from_ns(2 * 880));
    assert_eq!(count(&bench, meter::DATA_FRAMES), 1);
}

/// Nothing is lost and the window is wide: each frame follows the frame before on both links.
#[test]
fn a_long_sequence_takes_its_frames_and_one_more() {
    for (mtu, keys) in [(1_500, ""), (9_000, "mtu = \"9000 B\"\n")] {
        let segment = mtu - 40;
        let mut bench = network(1, &format!("{keys}window = \"1 MiB\"\nlatency = \"3 us\""));
        hand_over(&mut bench, instant_at_us(0), 1, 0, 60 * segment);
        let happened = all_events(&mut bench);
        let came = received(&happened);
        let frame = Span::to_move((mtu + 38).into(), 125_000_000);
        assert_eq!(came.last().map(|came| came.0), Some(instant_at_us(3) + frame * 61));
        assert_eq!(count(&bench, meter::DATA_FRAMES), 60);
        assert_eq!(count(&bench, meter::ACKS), 30, "one for two frames");
        // There is one interrupt for each arriving frame: for frames of data at the host, for
        // acknowledgements at the other end.
        assert_eq!((count(&bench, meter::INTERRUPTS[0]), count(&bench, meter::INTERRUPTS[1])), (60, 30));
        assert_eq!((count(&bench, meter::LOST), count(&bench, meter::AGAIN)), (0, 0));
    }
}

/// Friedman, footnote 1: a gigabit of frames of 1.5 KB is 80,000 interrupts a second.
#[test]
fn a_full_gigabit_link_interrupts_a_host_eighty_thousand_times_a_second() {
    let mut bench = network(1, "window = \"16 MiB\"");
    hand_over(&mut bench, instant_at_us(0), 1, 0, 10_000 * 1_460);
    let happened = all_events(&mut bench);
    let seconds = (received(&happened).last().expect("the last").0 - Time::ZERO).as_s_f64();
    let per_s = count(&bench, meter::INTERRUPTS[0]) as f64 / seconds;
    assert!((per_s / 80_000.0 - 1.0).abs() < 0.02, "{per_s} interrupts a second");
}

#[test]
fn an_adapter_that_gathers_frames_interrupts_once_for_them_or_when_it_has_waited() {
    let keys = "[stacks.host]\nmembers = [\"host\"]\nspeed_mhz = 1000\ncoalesce_frames = 8\ncoalesce_time = \"200 us\"";
    let mut bench = network(1, &format!("window = \"1 MiB\"\nack_every = 1\n{keys}"));
    hand_over(&mut bench, instant_at_us(0), 1, 0, 20 * 1_460);
    let came = received(&all_events(&mut bench));
    // Twenty frames arrive in groups of eight, eight, and four; the first of the four arrived after 18 frame times, and from
    // then on the adapter waits.
    assert_eq!(count(&bench, meter::INTERRUPTS[0]), 3);
    let frame = Span::to_move(1_538, 125_000_000);
    assert_eq!(came.last().map(|came| came.0), Some(instant_at_us(200) + frame * 18));
}

/// The test plays the processors of the host: it records the jobs for which they are asked, one after the
/// other, and reports each as done.
#[test]
fn processors_of_a_node_are_asked_for_one_thing_after_the_other() {
    let keys = parameters(
        "window = \"1 MiB\"\n[stacks.host]\nmembers = [\"host\"]\nspeed_mhz = 100\ninterrupt_cycles = 1000\nreceive_cycles = 2000\nsend_cycles = 700",
    );
    let costs = SoftwareCosts::new(&keys.node_software("host").expect("a stack").described);
    let at = ProcessorPort { port: 2, card: Some(5), poll: false };
    let nodes = vec![
        Node::new(0, costs, 1 << 20).with_processors(Some(at)),
        Node::new(1, SoftwareCosts::NONE, 1 << 20),
    ];
    let mut bench = ComponentBench::new(tcp_network(&keys, (0..2).map(node_address).collect(), nodes), 3);
    let request = hand_over(&mut bench, instant_at_us(0), 1, 0, 2_920)[0].tag.0;
    let (mut asked, mut now) = (Vec::new(), instant_at_us(0));
    let mut came = 0;
    while let Some(at) = bench.next_timer_time() {
        now = at.max(now);
        let mut did = bench.handle_due_timer(at);
        // The processors are slow: each job takes them 100 us, whatever its cost.
        while let Some((port, Message::Work(work))) =
            did.sent.iter().copied().find(|(_, message)| matches!(message, Message::Work(_)))
        {
            assert_eq!((port, work.of), (2, ProcessorWorkKind::Network(Some(5))));
            asked.push((work.request.map(|id| id.0), work.time.as_ns_f64()));
            now += Span::from_us(100);
            while bench.next_timer_time().is_some_and(|at| at < now) {
                let at = bench.next_timer_time().expect("it is");
                let did = bench.handle_due_timer(at);
                assert!(
                    !did.sent.iter().any(|(_, message)| matches!(message, Message::Work(_))),
                    "one at a time"
                );
            }
            did = bench.receive(now, 2, Message::Worked(work));
            came += did.sent.iter().filter(|(_, message)| matches!(message, Message::Received(_))).count();
        }
    }
    // There are two interrupts and two frames, of which the last complete what the request waits for; the acknowledgement belongs to no
    // request and costs nothing.
    let times: Vec<f64> = asked.iter().map(|(_, ns)| *ns).collect();
    assert_eq!(times, [10e3, 20e3, 10e3, 20e3]);
    assert_eq!(
        asked.iter().map(|(of, _)| *of).collect::<Vec<_>>(),
        [None, None, Some(request), Some(request)]
    );
    assert_eq!(came, 2);
    assert_eq!(bench.component.meter(now, meter::STACK[0]), Span::from_us(60).into());
}

#[test]
fn the_software_of_a_node_takes_frames_one_after_the_other() {
    let keys = "[stacks.host]\nmembers = [\"host\"]\nspeed_mhz = 100\ninterrupt_cycles = 1000\nreceive_cycles = 2000\n\
                ack_cycles = 500\ncycles_per_kib = 1024";
    let mut bench = network(1, &format!("window = \"1 MiB\"\n{keys}"));
    hand_over(&mut bench, instant_at_us(0), 1, 0, 40 * 1_000);
    let happened = all_events(&mut bench);
    // An interrupt costs 10 us, a frame 20 us, a byte 10 ns; an acknowledgement follows each second frame, except the last, for which
    // nothing waits.
    let frames = 28;
    let bytes = 40_000;
    let frame = Span::to_move(1_538, 125_000_000);
    let all = instant_at_us(0)
        + frame * 2
        + Span::from_us(30) * frames
        + Span::from_us(5) * (frames / 2 - 1)
        + Span::from_ns(10 * bytes);
    assert_eq!(received(&happened).last().map(|came| came.0), Some(all));
    let worked = Span::from_us(30) * frames + Span::from_us(5) * (frames / 2) + Span::from_ns(10 * bytes);
    assert_eq!(bench.component.meter(instant_at_us(1_000_000), meter::STACK[0]), worked.into());
}

/// The adapter of the sender cuts 64 KiB into segments, and that of the receiver reports eight frames at once, which the software takes as
/// one.
#[test]
fn software_that_hands_over_and_takes_many_frames_in_one_has_the_cost_of_one() {
    let run = |in_one: &str| {
        let keys = format!(
            "mtu = \"9000 B\"\nwindow = \"1 MiB\"\n[stacks.host]\nmembers = [\"host\"]\nspeed_mhz = 1000\n\
             receive_cycles = 2000\nsend_cycles = 3000\ncoalesce_frames = 8\ncoalesce_time = \"1 ms\"\n{in_one}"
        );
        let worked = |from: usize| {
            let mut bench = network(1, &keys);
            // As one message, whose segments may all be sent at once.
            let request = bench.open_request(instant_at_us(0), sample_read(0, 512));
            bench.receive(
                instant_at_us(0),
                from as u16,
                Message::Send(message(request, from, 1 - from, 8 * 8_960, true)),
            );
            all_events(&mut bench);
            bench.component.meter(instant_at_us(1_000_000), meter::STACK[0])
        };
        [0, 1].map(worked)
    };
    // Eight frames of 2 or 3 us without it. With it 65,536 bytes are seven frames and one is left over, on either side.
    assert_eq!(run(""), [24, 16].map(|us| Span::from_us(us).into()));
    let in_one = "segmentation = \"64 KiB\"\nreceive_merging = \"64 KiB\"";
    assert_eq!(run(in_one), [6, 4].map(|us| Span::from_us(us).into()));
}

/// The number of bytes in flight is at most the window, so one window is sent in each round trip.
#[test]
fn a_window_smaller_than_what_a_round_trip_holds_limits_the_rate() {
    let mut bench = network(1, "window = \"14600 B\"\nack_every = 1\nlatency = \"1 ms\"");
    hand_over(&mut bench, instant_at_us(0), 1, 0, 100 * 1_460);
    let came = received(&all_events(&mut bench));
    let frame = Span::to_move(1_538, 125_000_000);
    let ack = Span::to_move(84, 125_000_000);
    // A round trip carries ten segments: one frame after the other, both links, and the acknowledgement back.
    let round = frame * 2 + ack * 2 + Span::from_us(2_000);
    let last = instant_at_us(1_000) + round * 9 + frame * 11;
    assert_eq!(came.last().map(|came| came.0), Some(last));
}

#[test]
fn a_lost_frame_is_sent_again_after_three_acknowledgements_or_a_time_out() {
    let rules = StreamRules {
        segment: 1_000,
        window: 100_000,
        ack_every: 2,
        duplicates: 3,
        congestion: CongestionControl::Unlimited,
        initial_segments: 10,
        time_out: Span::from_s(1),
        least_time_out: None,
    };
    let now = instant_at_us(0);
    let request = RequestId(0);
    let mut stream = stream::TcpStream::default();
    stream.send_message(&rules, now, message(request, 0, 1, 5_000, true), 5_000);
    let mut pieces = Vec::new();
    while let Ok(piece) = stream.next_piece(&rules, false) {
        stream.piece_sent(&rules, now, piece);
        pieces.push((piece.begin, piece.end));
    }
    assert_eq!(pieces, [(0, 1_000), (1_000, 2_000), (2_000, 3_000), (3_000, 4_000), (4_000, 5_000)]);
    use stream::{AcknowledgementTiming, SenderReaction, SenderWait, StreamPiece};
    assert_eq!(stream.next_piece(&rules, false), Err(SenderWait::ForBytes));
    let ack =
        |upto| stream::Acknowledgement { now, upto, is_alone: true, echo: false, blocks: Default::default() };
    // The second segment does not arrive.
    assert_eq!(stream.data_arrived(&rules, 0, 1_000), AcknowledgementTiming::Later);
    let again = SenderReaction::Missing(StreamPiece { begin: 1_000, end: 2_000, again: true });
    let mut done = Vec::new();
    for &(begin, end) in &pieces[2..] {
        assert_eq!(stream.data_arrived(&rules, begin, end), AcknowledgementTiming::Now);
        let upto = stream.acknowledgement_sent();
        done.push(stream.acknowledgement_arrived(&rules, &ack(upto)));
    }
    assert_eq!(done, [SenderReaction::More, SenderReaction::Nothing, SenderReaction::Nothing]);
    assert_eq!(stream.acknowledgement_arrived(&rules, &ack(1_000)), again, "the third that says nothing new");
    assert_eq!(stream.data_arrived(&rules, 1_000, 2_000), AcknowledgementTiming::Now);
    assert_eq!(stream.received, 5_000);
    assert_eq!(stream.acknowledgement_arrived(&rules, &ack(5_000)), SenderReaction::More);
    assert!(stream.is_all_acknowledged());
}

#[test]
fn a_time_out_doubles_until_something_comes_back() {
    // Nearly all frames are lost.
    let mut bench = network(1, "frame_loss = 0.8\ntime_out = \"10 ms\"");
    hand_over(&mut bench, instant_at_us(0), 0, 1, 100);
    let happened = all_events(&mut bench);
    assert_eq!(received(&happened).len(), 1);
    assert!(count(&bench, meter::TIME_OUTS) > 0);
}

/// Sequences: their times, numbers of bytes, and directions.
fn sequences() -> impl Strategy<Value = Vec<(u64, u32, bool)>> {
    prop::collection::vec((0..3_000_u64, 1..40_000_u32, any::<bool>()), 1..12)
}

/// Hands over all sequences, and returns the messages that came and their times.
fn carried(
    bench: &mut ComponentBench<TcpNetwork>,
    sequences: &[(u64, u32, bool)],
) -> (Vec<Pdu>, Vec<(Time, u16, Pdu)>) {
    let mut sorted = sequences.to_vec();
    sorted.sort_unstable();
    let (mut happened, mut handed) = (Vec::new(), Vec::new());
    for (at, bytes, back) in sorted {
        while let Some(due) = bench.next_timer_time().filter(|&due| due < instant_at_us(at)) {
            happened.push((due, bench.handle_due_timer(due)));
        }
        let (from, to) = if back { (1, 0) } else { (0, 1) };
        handed.extend(hand_over(bench, instant_at_us(at), from, to, bytes));
    }
    happened.extend(all_events(bench));
    (handed, received(&happened))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(200), ..ProptestConfig::default() })]

    /// Any frames may be lost or late: every message arrives once, the messages of a direction arrive in order, and nothing is in
    /// flight at the end.
    #[test]
    fn every_byte_comes_in_exactly_once_and_in_order(
        sequences in sequences(), loss in 0..40_u32, ack_every in 1..5_u32, window in 1_460..70_000_u32, latency in 0..2_000_u64, gather in 1..6_u32
    ) {
        let keys = format!(
            "frame_loss = {}\nack_every = {ack_every}\nwindow = \"{window} B\"\nlatency = \"{latency} us\"\ntime_out = \"20 ms\"\n\
             delayed_ack = \"5 ms\"\n[stacks.host]\nmembers = [\"host\"]\nspeed_mhz = 500\nreceive_cycles = 3000\ninterrupt_cycles = 2000\n\
             coalesce_frames = {gather}",
            f64::from(loss) / 100.0
        );
        let mut bench = network(1, &keys);
        let (handed, came) = carried(&mut bench, &sequences);
        for to in [0, 1_u16] {
            let was_for = |frame: &&Pdu| frame.destination == node_address(usize::from(to));
            let sent: Vec<&Pdu> = handed.iter().filter(was_for).collect();
            let got: Vec<&Pdu> = came.iter().filter(|(_, port, _)| *port == to).map(|(_, _, frame)| frame).collect();
            prop_assert_eq!(got, sent);
        }
        // The requests belong to the test.
        let left: Vec<String> = bench.leftovers().into_iter().filter(|left| !left.contains("requests left")).collect();
        prop_assert_eq!(left, Vec::<String>::new());
        prop_assert!(bench.component.tcp().connections.all.iter().all(|one_way| one_way.stream.is_all_acknowledged() && one_way.time_out.is_none()));
        if loss == 0 {
            prop_assert_eq!((count(&bench, meter::LOST), count(&bench, meter::TIME_OUTS)), (0, 0));
        }
    }

    /// Where neither the window nor losses delay anything, a larger datagram makes no message later and causes no more interrupts, and
    /// neither does a faster link.
    #[test]
    fn a_larger_datagram_is_never_slower_and_never_more_interrupts(
        sequences in sequences(), mtu in 576..9_000_u32, more in 1..9_000_u32, rate in 10..1_000_u64, faster in 1..1_000_u64
    ) {
        let run = |mtu: u32, rate: u64| {
            let mut bench = network(1, &format!("rate = \"{rate} MB/s\"\nmtu = \"{mtu} B\"\nwindow = \"1 GB\""));
            // Only one direction is used, because acknowledgements of the other direction would go between.
            let one_way: Vec<(u64, u32, bool)> = sequences.iter().map(|&(at, bytes, _)| (at, bytes, true)).collect();
            let (_, came) = carried(&mut bench, &one_way);
            let mut last: HashMap<RequestTag, Time> = HashMap::new();
            came.iter().for_each(|(at, _, frame)| { last.insert(frame.tag, *at); });
            (last, count(&bench, meter::INTERRUPTS[0]))
        };
        let (now, interrupts) = run(mtu, rate);
        let (larger, fewer) = run(mtu + more, rate);
        let (sooner, as_many) = run(mtu, rate + faster);
        prop_assert!(fewer <= interrupts && as_many == interrupts, "{interrupts}, {fewer}, {as_many}");
        for (tag, at) in &now {
            // A segment is stored in the switch before it is sent on, and a larger segment is stored for longer. The last segment may be so
            // short that it is padded, by six bytes for each sequence.
            let filled_up = 6 * sequences.len() as u64;
            let stored = Span::to_move(u64::from(more) + filled_up, rate * 1_000_000) + Span::from_ns(1);
            prop_assert!(larger[tag] <= *at + stored, "{} and {}", larger[tag], at);
            prop_assert!(sooner[tag] <= *at);
        }
    }

    /// No more than the window is in flight, so at most one window arrives for each round trip, from the first round trip
    /// on.
    #[test]
    fn no_more_than_a_window_goes_in_a_round_trip(
        bytes in 10_000..400_000_u32, window in 1_460..60_000_u32, latency in 1..3_000_u64, ack_every in 1..4_u32
    ) {
        let keys = format!(
            "window = \"{window} B\"\nlatency = \"{latency} us\"\nack_every = {ack_every}\ndelayed_ack = \"1 ms\""
        );
        let mut bench = network(1, &keys);
        hand_over(&mut bench, instant_at_us(0), 1, 0, bytes);
        let came = received(&all_events(&mut bench));
        let last = came.last().expect("the last").0;
        let rounds = u64::from(bytes.div_ceil(window)) - 1;
        let least = Span::from_us(2 * latency) * rounds + Span::from_us(latency);
        prop_assert!(last - Time::ZERO >= least, "{} in less than {} round trips", bytes, rounds);
    }
}

#[test]
fn a_short_frame_is_filled_up() {
    let of = parameters("");
    assert_eq!(of.frame_time(0), Span::to_move(84, 125_000_000));
    assert_eq!(of.frame_time(1_460), Span::to_move(1_538, 125_000_000));
    let alone = TcpSegment::empty(0, 0);
    assert!(alone.is_bare_acknowledgement());
}

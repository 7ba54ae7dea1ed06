//! Priority of short control messages over long data messages, computed by hand: which message stops which,
//! and for how long.

use crate::common::{Note, Planned, World, frame, layout, switch};
use proptest::prelude::*;
use sansim_fabric::routing::RoutingName;
use sansim_fabric::switch::{ControlParameters, ControlPriority, SwitchParameters};
use sansim_fc::frame::{Frame, Pdu, PduKind};
use sansim_fc::link::LinkRules;
use sansim_kernel::Span;

/// The rules of a link with a word of ten ticks and without a cable.
fn rules() -> LinkRules {
    LinkRules::without_coding(Span(10), 4, 1, Span::ZERO)
}

fn control(from: u16, to: u16, words: u32, tag: u32) -> Frame {
    let plain = frame(from, to, 4 * words, tag);
    Frame::from(Pdu {
        kind: PduKind::Command,
        originator: sansim_fc::frame::ExchangeId(1_000 + tag),
        ..*plain
    })
}

fn data(from: u16, to: u16, words: u32, tag: u32) -> Frame {
    frame(from, to, 4 * words, tag)
}

const NONE: ControlParameters = ControlParameters::NONE;
const PREEMPTS: ControlParameters = ControlParameters { transmission: ControlPriority::Preempts, ..NONE };

/// The arrival times of frames that nodes send at given times, by their tags. There are one or two switches with these nodes.
fn in_at(
    nodes: &[u16],
    control: ControlParameters,
    more: SwitchParameters,
    sent: &[(u64, Frame)],
) -> Vec<u64> {
    let switches = usize::from(nodes.iter().max().copied().unwrap_or_default()) + 1;
    let links: &[(u16, u16)] = if switches > 1 { &[(0, 1)] } else { &[] };
    let plan = layout(switches, links, nodes, rules(), 8);
    let mut world = World::new(plan, &SwitchParameters { control, ..more }, RoutingName::Deterministic);
    for (at, frame) in sent {
        world.plan(*at, Planned::Send(crate::common::node_of(frame.source), *frame));
    }
    world.run(1_000_000);
    assert_eq!((world.fabric.in_flight(), world.fabric.credit_missing()), (0, 0));
    let received = |tag: u32| {
        let found = |note: &&Note| note.2 == "received" && note.3 == tag;
        world.around.notes.iter().find(found).map_or(u64::MAX, |note| note.0)
    };
    sent.iter().map(|(_, frame)| received(frame.tag.0)).collect()
}

#[test]
fn a_control_message_stops_a_data_message_which_is_later_by_its_length() {
    // The data leave the switch from tick 10 to 1010; the control message is routed at tick 510, between two of the data's words, or at
    // 513 within one word.
    for (at, stops) in [(500, 510), (503, 520)] {
        let sent = [(0, data(0, 2, 100, 0)), (at, control(1, 2, 5, 1))];
        assert_eq!(in_at(&[0, 0, 0], NONE, switch(), &sent), [1010, 1060]);
        let first = ControlParameters { transmission: ControlPriority::First, ..NONE };
        assert_eq!(in_at(&[0, 0, 0], first, switch(), &sent), [1010, 1060], "it waits for the end");
        assert_eq!(in_at(&[0, 0, 0], PREEMPTS, switch(), &sent), [1060, stops + 50]);
    }
}

#[test]
fn a_control_message_goes_before_data_that_wait_and_stops_no_other_control_message() {
    let first = ControlParameters { transmission: ControlPriority::First, ..NONE };
    let sent = [
        (0, data(0, 3, 100, 0)),
        (100, data(1, 3, 100, 1)),
        (500, control(2, 3, 5, 2)),
        (503, control(4, 3, 7, 3)),
    ];
    assert_eq!(in_at(&[0; 5], NONE, switch(), &sent), [1010, 2010, 2060, 2130]);
    assert_eq!(in_at(&[0; 5], first, switch(), &sent), [1010, 2130, 1060, 1130]);
    // The second control message waits for the end of the first, and then the data continue.
    assert_eq!(in_at(&[0; 5], PREEMPTS, switch(), &sent), [1130, 2130, 560, 630]);
}

#[test]
fn what_is_cut_through_behind_waits_for_its_words_and_control_messages_go_there_meanwhile() {
    // Nodes 0 and 1 are at one switch; nodes 2, 3 and 4 are at the other. The data leave the first switch from tick 10 on and the second
    // from 20 on, until 1020. A control message to another node stops the data at the first switch from tick 510 to 560: the fiftieth word
    // is at the second switch at 570 instead of 520.
    let nodes = [0, 0, 1, 1, 1];
    let sent = [(0, data(0, 2, 100, 0)), (500, control(1, 3, 5, 1))];
    assert_eq!(in_at(&nodes, PREEMPTS, switch(), &sent), [1070, 570]);
    // A control message at the second switch for the same node is sent at once in the gap, from tick 540 to 560, and
    // costs the data no time.
    let within = [sent[0], sent[1], (530, control(4, 2, 2, 2))];
    assert_eq!(in_at(&nodes, PREEMPTS, switch(), &within), [1070, 570, 560]);
    // A control message that is longer than the remaining gap delays the data by the difference.
    let beyond = [sent[0], sent[1], (530, control(4, 2, 5, 2))];
    assert_eq!(in_at(&nodes, PREEMPTS, switch(), &beyond), [1090, 570, 590]);
    // Where messages are stored completely the second switch begins when the last word has arrived, and the message is
    // stopped at the first switch.
    let whole =
        SwitchParameters { switching: sansim_fabric::switch::SwitchingMode::StoreAndForward, ..switch() };
    // The data have arrived at the first switch at tick 1000; they leave it until 2000 or, stopped from 1500 on for 50
    // ticks, until 2050; and they leave the second switch 1000 ticks later.
    let late = [(0, data(0, 2, 100, 0)), (1450, control(1, 3, 5, 1))];
    assert_eq!(in_at(&nodes, PREEMPTS, whole, &late), [3050, 1600]);
}

#[test]
fn a_message_that_is_being_sent_stops_behind_its_header_only() {
    let mut plan = layout(1, &[], &[0, 0, 0], rules(), 8);
    plan.links.iter_mut().for_each(|link| link.rules.header_words = 4);
    let parameters = SwitchParameters { control: PREEMPTS, ..switch() };
    let mut world = World::new(plan, &parameters, RoutingName::Deterministic);
    // The data are routed at tick 40 and leave from then on; the control message is routed at 50 and has to
    // wait until 80.
    world.plan(0, Planned::Send(0, data(0, 2, 100, 0)));
    world.plan(10, Planned::Send(1, control(1, 2, 5, 1)));
    world.run(100_000);
    let received: Vec<Note> =
        world.around.notes.iter().filter(|note| note.2 == "received").copied().collect();
    assert_eq!(received, [(130, 2, "received", 1), (1090, 2, "received", 0)]);
}

#[test]
fn a_node_lets_control_messages_overtake_or_stop_data_if_it_is_told_to() {
    let of = |nodes| ControlParameters { nodes, ..NONE };
    // A node has two data messages and a control message behind them, all to a node of the same switch.
    let sent = [(0, data(0, 1, 100, 0)), (0, data(0, 1, 100, 1)), (500, control(0, 1, 5, 2))];
    assert_eq!(in_at(&[0, 0], of(ControlPriority::InTurn), switch(), &sent), [1010, 2010, 2060]);
    assert_eq!(in_at(&[0, 0], of(ControlPriority::First), switch(), &sent), [1010, 2060, 1060]);
    // The switch sends the messages as they arrive: it sends the data to their end, and the control message waits behind them in the switch
    // unless it may stop them there as well.
    assert_eq!(in_at(&[0, 0], of(ControlPriority::Preempts), switch(), &sent)[0], 1060);
    let both = ControlParameters { nodes: ControlPriority::Preempts, ..PREEMPTS };
    assert_eq!(in_at(&[0, 0], both, switch(), &sent), [1060, 2060, 560]);
}

#[test]
fn control_messages_with_buffers_of_their_own_need_none_that_data_have() {
    let waits = |buffers: u32| {
        // Node 0 fills the only buffer of the second switch with data for node 2, which empties no buffer for
        // a long time.
        let plan = layout(2, &[(0, 1)], &[0, 0, 1, 1], rules(), 1);
        let control_of = ControlParameters { buffers, ..NONE };
        let parameters = SwitchParameters { buffers: 1, control: control_of, ..switch() };
        let mut world = World::new(plan, &parameters, RoutingName::Deterministic);
        world.around.takes[2] = Span(50_000);
        for tag in 0..4 {
            world.plan(0, Planned::Send(0, data(0, 2, 20, tag)));
        }
        world.plan(5_000, Planned::Send(1, control(1, 3, 5, 9)));
        world.run(1_000_000);
        assert_eq!((world.fabric.in_flight(), world.fabric.credit_missing()), (0, 0));
        world.around.notes.iter().find(|note| note.2 == "received" && note.3 == 9).map(|note| note.0)
    };
    assert!(waits(0).is_some_and(|at| at > 50_000), "it waits for a buffer that data have");
    // The control message passes three links, at the first two of which its header has to arrive before it
    // goes on.
    assert_eq!(waits(1), Some(5_000 + 10 + 10 + 50));
}

#[test]
fn buffers_of_their_own_limit_how_many_control_messages_are_under_way() {
    // A node sends eight control messages at once over a switch with a routing unit that is slower than their
    // transmission.
    let slow = SwitchParameters { routing_delay: Span(200), ..switch() };
    let sent: Vec<(u64, Frame)> = (0..8).map(|tag| (0, control(0, 1, 1, tag))).collect();
    let last = |buffers| {
        let control = ControlParameters { buffers, ..NONE };
        in_at(&[0, 0], control, slow.clone(), &sent).into_iter().max().unwrap_or_default()
    };
    // With two buffers the third message leaves its node when the first has left the switch, and the routing unit still never waits; with
    // one buffer it waits.
    assert_eq!(last(8), 10 + 8 * 200 + 10);
    assert_eq!(last(2), last(8));
    assert!(last(1) > last(2));
}

#[test]
fn new_control_messages_are_routed_first() {
    let slow = SwitchParameters { routing_delay: Span(200), ..switch() };
    let first = ControlParameters { routing_first: true, ..NONE };
    // Three data messages are sent and, while the first of them is routed, a control message, each to a node
    // of its own.
    let sent =
        [(0, data(0, 4, 10, 0)), (0, data(1, 5, 10, 1)), (0, data(2, 6, 10, 2)), (20, control(3, 7, 10, 3))];
    assert_eq!(in_at(&[0; 8], NONE, slow.clone(), &sent), [310, 510, 710, 910]);
    assert_eq!(in_at(&[0; 8], first, slow, &sent), [310, 710, 910, 510]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(sansim_trials::case_count(300)))]

    /// Any parts may fail and be repaired while messages are stopped: each message is received once or reported as lost, and in the end all
    /// credit and every buffer is free.
    #[test]
    fn nothing_is_lost_without_being_told_where_messages_are_stopped(
        links in proptest::collection::vec((0_u16..5, 0_u16..5), 4..9),
        frames in proptest::collection::vec((0_u64..40_000, 0_u16..6, 0_u16..6, 0_u32..2048, any::<bool>()), 1..150),
        breaks in proptest::collection::vec((0_u64..40_000, 0_usize..4, 1_u64..8_000), 0..6),
        switch_breaks in proptest::option::of((0_u64..40_000, 0_usize..5, 1_u64..8_000)),
        (routing, trunks, buffers, hold) in (0_usize..4, any::<bool>(), 0_u32..3, any::<bool>()),
        (nodes, routing_first) in (any::<bool>(), any::<bool>()),
    ) {
        let mut links: Vec<(u16, u16)> = links.into_iter().filter(|(one, other)| one != other).collect();
        links.extend([(0, 1), (1, 2), (2, 3), (3, 4)]);
        let plan = layout(5, &links, &[0, 1, 2, 3, 4, 4], LinkRules { latency: Span(25), ..rules() }, 3);
        let routings =
            [RoutingName::UpDown, RoutingName::UpDownAdaptive, RoutingName::UpDownExchange, RoutingName::AdaptiveEscape];
        let nodes = if nodes { ControlPriority::Preempts } else { ControlPriority::InTurn };
        let control_of = ControlParameters { buffers, nodes, routing_first, ..PREEMPTS };
        let hold_time = hold.then_some(Span(9_000));
        let parameters = SwitchParameters { buffers: 3, trunks, hold_time, control: control_of, ..switch() };
        let mut world = World::new(plan, &parameters, routings[routing]);
        for (tag, &(at, from, to, bytes, is_control)) in frames.iter().enumerate() {
            let tag = tag as u32;
            let frame = if is_control { control(from, to, bytes % 8, tag) } else { frame(from, to, bytes, tag) };
            world.plan(at, Planned::Send(from, frame));
        }
        // Failures of one link must not overlap, or the link would be repaired while it should be broken; and a switch fails when the links
        // work again.
        let mut broken = [0; 4];
        let mut breaks = breaks;
        breaks.sort_unstable();
        for (at, link, lasts) in breaks {
            if at > broken[link] {
                broken[link] = at + lasts;
                world.plan(at, Planned::Link(link, false));
                world.plan(at + lasts, Planned::Link(link, true));
            }
        }
        if let Some((at, broken_switch, lasts)) = switch_breaks {
            let at = at + broken.iter().max().copied().unwrap_or_default() + 1;
            world.plan(at, Planned::Switch(broken_switch, false));
            world.plan(at + lasts, Planned::Switch(broken_switch, true));
        }
        world.run(u64::MAX);
        let counts = world.fabric.frame_counts();
        prop_assert_eq!(counts.sent, frames.len() as u64);
        prop_assert_eq!(counts.received + counts.lost, counts.sent);
        let told = world.around.notes.iter().filter(|note| note.2 == "received" || note.2 == "lost");
        let mut told: Vec<u32> = told.map(|note| note.3).collect();
        told.sort_unstable();
        prop_assert_eq!(told, (0..frames.len() as u32).collect::<Vec<u32>>());
        prop_assert_eq!(world.fabric.credit_missing(), 0);
        prop_assert_eq!(world.fabric.in_flight(), 0);
        prop_assert_eq!(world.fabric.occupied_switch_buffers(), 0);
    }
}

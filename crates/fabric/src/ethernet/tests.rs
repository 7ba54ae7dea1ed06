//! Tests of an Ethernet: single frames by hand, and laws.

mod failures;

use super::frame::connection_hash;
use super::*;
use crate::layout::{LinkPlan, NodePlan};
use proptest::prelude::*;
use sansim_fc::link::LinkRules;
use sansim_pdu::Address;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// 10 Gb/s, in bytes per second.
const TEN: u64 = 1_250_000_000;

/// A run of an Ethernet, with all that it reports.
struct Run {
    switches: EthernetSwitches,
    agenda: Agenda,
    arrived: Vec<(Time, EthernetFrame)>,
    lost: Vec<(Time, EthernetFrame)>,
    left: Vec<(Time, EthernetFrame)>,
}

#[derive(Default)]
struct Agenda {
    events: BinaryHeap<Reverse<(Time, u8, u32, u64)>>,
    /// The events by their numbers, and the frames that nodes will hand over.
    by_number: HashMap<u64, EthernetEvent>,
    frames: HashMap<u64, EthernetFrame>,
    /// The parts that will fail or be repaired.
    actions: HashMap<u64, (usize, bool)>,
    number: u64,
    notices: Vec<EthernetNotice>,
}

impl EthernetHost for Agenda {
    fn schedule(&mut self, at: Time, event: EthernetEvent) {
        let (priority, unit) = match event {
            EthernetEvent::Arrives(port) => (0, port),
            EthernetEvent::Pause(port) => (0, 1 << 20 | port),
            EthernetEvent::Converged => (0, 1 << 21),
            EthernetEvent::Left(port) => (1, port),
            EthernetEvent::Taken(node) => (1, 1 << 20 | u32::from(node)),
        };
        self.number += 1;
        self.by_number.insert(self.number, event);
        self.events.push(Reverse((at, priority, unit, self.number)));
    }

    fn notify(&mut self, notice: EthernetNotice) {
        self.notices.push(notice);
    }
}

impl Run {
    fn new(plan: &EthernetPlan) -> Self {
        Self {
            switches: EthernetSwitches::new(plan, |name| RandomStream::new(7, name)),
            agenda: Agenda::default(),
            arrived: Vec::new(),
            lost: Vec::new(),
            left: Vec::new(),
        }
    }

    fn hand_over(&mut self, at: Time, frame: EthernetFrame) {
        self.agenda.number += 1;
        self.agenda.frames.insert(self.agenda.number, frame);
        self.agenda.events.push(Reverse((at, 2, frame.from.into(), self.agenda.number)));
    }

    /// A part fails or is repaired at this time: a switch, or a link behind the switches.
    fn act(&mut self, at: Time, part: usize, works: bool) {
        self.agenda.number += 1;
        self.agenda.actions.insert(self.agenda.number, (part, works));
        self.agenda.events.push(Reverse((at, 3, part as u32, self.agenda.number)));
    }

    /// Runs until nothing happens any more; `check` sees the switches after each event.
    fn run(&mut self, mut check: impl FnMut(&EthernetSwitches)) {
        while let Some(Reverse((now, _, _, number))) = self.agenda.events.pop() {
            match (self.agenda.frames.remove(&number), self.agenda.actions.remove(&number)) {
                (Some(frame), _) => self.switches.send(now, frame, &mut self.agenda),
                (_, Some((part, works))) => {
                    self.switches.set_part_state(now, part, works, &mut self.agenda);
                }
                _ => self.switches.handle(now, self.agenda.by_number[&number], &mut self.agenda),
            }
            for notice in self.agenda.notices.drain(..) {
                match notice {
                    EthernetNotice::Left(frame) => self.left.push((now, frame)),
                    EthernetNotice::Arrived(frame) => self.arrived.push((now, frame)),
                    EthernetNotice::Lost(frame) => self.lost.push((now, frame)),
                }
            }
            check(&self.switches);
        }
    }
}

fn switch_keys() -> EthernetSwitchParameters {
    EthernetSwitchParameters {
        switching: SwitchingMode::StoreAndForward,
        latency: Span::ZERO,
        buffer: None,
        port_buffer: None,
        free_share: None,
        pause_response: Span::ZERO,
        convergence_time: Span::ZERO,
    }
}

/// Switches with links of 10 Gb/s between them, and nodes at switches.
fn plan(between: &[(u16, u16)], switches: u16, nodes: &[u16], delay: Span) -> EthernetPlan {
    let rules = LinkRules::without_coding(Span::to_move(4, TEN), 4, 1, delay);
    let mut layout = FabricLayout {
        switches: (0..switches).map(|number| format!("s{number}")).collect(),
        ..FabricLayout::default()
    };
    for &(one, other) in between {
        layout
            .links
            .push(LinkPlan { ends: [LinkEndDevice::Switch(one), LinkEndDevice::Switch(other)], rules });
    }
    for (number, &at) in nodes.iter().enumerate() {
        layout.nodes.push(NodePlan::new(Some(at), Address::new(number as u32), 0));
        layout
            .links
            .push(LinkPlan { ends: [LinkEndDevice::Switch(at), LinkEndDevice::Node(number as u16)], rules });
    }
    EthernetPlan {
        rates: vec![TEN; layout.links.len()],
        layout,
        switch: switch_keys(),
        classes: vec![EthernetQueueParameters::plain()],
        largest: 1_538,
        loss: 0.0,
        up_down: false,
        slow: Vec::new(),
        may_fail: false,
    }
}

fn frame(from: u16, to: u16, tag: u32, bytes: u32) -> EthernetFrame {
    EthernetFrame {
        tag,
        flow: connection_hash(from, to, 0),
        bytes,
        from,
        to,
        class: 0,
        may_be_marked: true,
        is_marked: false,
    }
}

fn at_ns(ns: u64) -> Time {
    Time::ZERO + Span::from_ns(ns)
}

/// 1,250 bytes take 1 us at 10 Gb/s.
#[test]
fn a_frame_crosses_two_switches_as_by_hand() {
    let mut of = plan(&[(0, 1)], 2, &[0, 1], Span::from_ns(50));
    of.switch.latency = Span::from_ns(300);
    for (switching, arrives) in [
        // Three times the frame, three cables, two latencies.
        (SwitchingMode::StoreAndForward, 3_000 + 150 + 600),
        // Once the frame.
        (SwitchingMode::CutThrough, 1_000 + 150 + 600),
    ] {
        of.switch.switching = switching;
        let mut run = Run::new(&of);
        run.hand_over(at_ns(0), frame(0, 1, 1, 1_250));
        run.run(|_| ());
        assert_eq!(run.arrived.len(), 1);
        assert_eq!((run.left[0].0, run.arrived[0].0), (at_ns(1_000), at_ns(arrives)), "{switching:?}");
    }
}

/// Between links of different rates a switch stores frames, whatever it does otherwise.
#[test]
fn a_switch_with_links_of_two_rates_stores_frames() {
    let mut of = plan(&[], 1, &[0, 0], Span::ZERO);
    of.switch.switching = SwitchingMode::CutThrough;
    of.rates[1] = 2 * TEN;
    let mut run = Run::new(&of);
    run.hand_over(at_ns(0), frame(0, 1, 1, 1_250));
    run.hand_over(at_ns(10_000), frame(1, 0, 2, 1_250));
    run.run(|_| ());
    assert_eq!(run.arrived.iter().map(|one| one.0).collect::<Vec<_>>(), [at_ns(1_500), at_ns(11_500)]);
}

#[test]
fn an_output_drops_what_its_buffer_has_no_room_for_and_marks_above_its_threshold() {
    let mut of = plan(&[], 1, &[0, 0, 0, 0, 0], Span::ZERO);
    of.switch.port_buffer = Some(2_500);
    of.classes[0].mark_above = Some(1_249);
    let mut run = Run::new(&of);
    for from in 1..5 {
        run.hand_over(at_ns(0), frame(from, 0, from.into(), 1_250));
    }
    run.run(|_| ());
    // All four have come at 1 us: one leaves, one waits and is marked, two are dropped.
    let tags =
        |of: &[(Time, EthernetFrame)]| of.iter().map(|one| (one.1.tag, one.1.is_marked)).collect::<Vec<_>>();
    assert_eq!(tags(&run.arrived), [(1, false), (2, true)]);
    assert_eq!(tags(&run.lost), [(3, false), (4, false)]);
    assert_eq!(run.switches.memory_bytes(0), 0);
}

/// Two nodes send, through cables of a kilometre, to one that takes hardly anything and sends to both itself, so that pause frames wait.
fn incast(headroom: Option<u64>) -> Run {
    let mut of = plan(&[], 1, &[0, 0, 0], Span::from_us(5));
    of.classes[0].lossless = true;
    of.classes[0].pause_above = 20_000;
    of.classes[0].resume_below = 10_000;
    of.classes[0].headroom = headroom;
    of.switch.latency = Span::from_ns(300);
    of.switch.pause_response = Span::from_ns(700);
    of.slow = vec![(0, TEN / 50, 0)];
    let mut run = Run::new(&of);
    for number in 0..200 {
        for (from, to) in [(1, 0), (2, 0), (0, 1), (0, 2)] {
            run.hand_over(at_ns(0), frame(from, to, number, 1_538));
        }
    }
    run
}

#[test]
fn a_lossless_class_loses_nothing_with_the_headroom_of_the_formula_and_something_with_less() {
    let mut run = incast(None);
    let mut most = [0; 3];
    run.run(|switches| {
        for (node, most) in most.iter_mut().enumerate() {
            *most = (*most).max(switches.ports[switches.node_ports[node] as usize ^ 1].came_in[0]);
        }
    });
    assert_eq!((run.arrived.len(), run.lost.len()), (800, 0));
    let exact = pause::PauseRule::exact_headroom_bytes(TEN, Span::from_us(5), Span::from_us(1), 1_538, 1);
    // The formula is for the worst moment, which comes within two frames of the bound.
    assert!(most[1] <= 20_000 + exact && most[1] > 20_000 + exact - 2 * 1_538, "{most:?} of {exact}");
    let mut run = incast(Some(exact - 2 * 1_538));
    run.run(|_| ());
    assert!(!run.lost.is_empty());
}

/// Node 1 sends to a slow node and to a free one: pauses for the first keep what is for the other, in one class but not in two.
#[test]
fn a_pause_for_a_slow_node_keeps_an_innocent_flow_of_its_class_waiting() {
    let last_of_innocent = |classes: usize| {
        let mut of = plan(&[], 1, &[0, 0, 0], Span::ZERO);
        let lossless = EthernetQueueParameters {
            lossless: true,
            pause_above: 10_000,
            resume_below: 5_000,
            ..EthernetQueueParameters::plain()
        };
        of.classes = vec![lossless; classes];
        of.slow = vec![(0, TEN / 10, 100_000)];
        let mut run = Run::new(&of);
        for number in 0..100 {
            run.hand_over(at_ns(0), frame(1, 0, number, 1_250));
            let innocent = EthernetFrame { class: classes as u8 - 1, ..frame(1, 2, number, 1_250) };
            run.hand_over(at_ns(0), innocent);
        }
        run.run(|_| ());
        assert_eq!((run.arrived.len(), run.lost.len()), (200, 0));
        run.arrived.iter().filter(|one| one.1.to == 2).map(|one| one.0).max().expect("innocent frames")
    };
    // By itself it would take 100 us at half the rate of the link, or less.
    assert!(last_of_innocent(2) <= at_ns(202_000));
    assert!(last_of_innocent(1) > at_ns(600_000));
}

/// A random network: a tree of switches with some links besides, nodes, frames.
fn any_network() -> impl Strategy<Value = (EthernetPlan, Vec<(u64, EthernetFrame)>)> {
    let keys = (
        prop::bool::ANY,
        prop::option::of(3_000_u64..60_000),
        prop::option::of(0.2_f64..4.0),
        prop::bool::ANY,
        0_u64..2_000,
        prop::option::of(0_u16..6),
    );
    (1_u16..5, 2_u16..7, prop::collection::vec((0_u16..5, 0_u16..5), 0..4), keys)
        .prop_flat_map(|(switches, nodes, more, keys)| {
            let frames = prop::collection::vec(
                (0_u64..200_000, 0..nodes, 0..nodes, 84_u32..1_539, 0_u8..3, 0_u32..4),
                1..200,
            );
            (Just((switches, nodes, more, keys)), frames)
        })
        .prop_map(|((switches, nodes, more, keys), frames)| {
            let (cuts, buffer, free_share, lossless, delay_ns, slow) = keys;
            let mut between: Vec<(u16, u16)> = (1..switches).map(|number| (number / 2, number)).collect();
            between
                .extend(more.into_iter().filter(|&(one, other)| one != other && one.max(other) < switches));
            let at: Vec<u16> = (0..nodes).map(|node| node % switches).collect();
            let mut of = plan(&between, switches, &at, Span::from_ns(delay_ns));
            if cuts {
                of.switch.switching = SwitchingMode::CutThrough;
            }
            of.switch.latency = Span::from_ns(delay_ns / 3);
            let class = |lossless, weight| EthernetQueueParameters {
                lossless,
                weight,
                pause_above: 6_000,
                resume_below: 3_000,
                ..EthernetQueueParameters::plain()
            };
            of.classes = vec![class(false, Some(1)), class(lossless, Some(3)), class(false, None)];
            of.up_down = true;
            of.slow =
                slow.filter(|&node| node < nodes).map(|node| (node, TEN / 7, 5_000)).into_iter().collect();
            of.switch.buffer = buffer.map(|buffer| buffer + EthernetSwitches::set_aside_bytes(&of));
            of.switch.free_share = free_share;
            let frames = (0..).zip(frames).filter(|(_, (_, from, to, ..))| from != to);
            let frames = frames.map(|(tag, (ns, from, to, bytes, class, connection))| {
                let flow = connection_hash(from, to, connection);
                (ns, EthernetFrame { class, flow, ..frame(from, to, tag, bytes) })
            });
            (of, frames.collect())
        })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sansim_trials::case_count(300)) })]

    /// Each frame arrives or is lost, once; a lossless class loses nothing; frames of a flow and class keep their order; no memory is left
    /// over, and none is fuller than it is large; no frame is faster than its way.
    #[test]
    fn frames_are_conserved_in_order_and_memories_are_as_large_as_they_are((of, frames) in any_network()) {
        let mut run = Run::new(&of);
        for &(ns, frame) in &frames {
            run.hand_over(at_ns(ns), frame);
        }
        let room = of.switch.buffer;
        run.run(|switches| {
            for switch in 0..switches.memories.len() as u16 {
                assert!(room.is_none_or(|room| switches.memory_bytes(switch) <= room));
            }
        });
        prop_assert_eq!(run.arrived.len() + run.lost.len(), frames.len());
        prop_assert_eq!(run.switches.frames_inside(), 0);
        let balance = run.switches.balance();
        prop_assert_eq!((balance.arrived, balance.dropped), (run.arrived.len() as u64, run.lost.len() as u64));
        for switch in 0..of.layout.switches.len() as u16 {
            prop_assert_eq!(run.switches.memory_bytes(switch), 0);
        }
        if of.classes[1].lossless {
            prop_assert!(run.lost.iter().all(|(_, frame)| frame.class != 1));
        }
        let begun: HashMap<u32, u64> = frames.iter().map(|&(ns, frame)| (frame.tag, ns)).collect();
        let mut last: HashMap<(u16, u16, u32, u8), (u64, u32)> = HashMap::new();
        for &(at, frame) in &run.arrived {
            let key = (frame.from, frame.to, frame.flow, frame.class);
            let order = (begun[&frame.tag], frame.tag);
            prop_assert!(last.insert(key, order).is_none_or(|before| before < order));
            let least = Span::to_move(frame.bytes.into(), TEN);
            prop_assert!(at >= at_ns(begun[&frame.tag]) + least);
        }
    }

    /// Where outputs are plain queues, frames that leave in turn do at every tick what frames with an event for each departure do.
    #[test]
    fn frames_that_leave_in_turn_do_what_events_do((of, frames) in any_network(), port_buffer in prop::option::of(3_000_u64..20_000)) {
        let mut of = EthernetPlan { classes: vec![of.classes[0]], ..of };
        of.switch.buffer = None;
        of.switch.free_share = None;
        of.switch.port_buffer = port_buffer;
        of.classes[0].mark_above = Some(2_000);
        let mut with_events = of.clone();
        with_events.switch.buffer = Some(1 << 40);
        let outcomes = [&of, &with_events].map(|of| {
            let mut run = Run::new(of);
            for &(ns, frame) in &frames {
                run.hand_over(at_ns(ns), EthernetFrame { class: 0, ..frame });
            }
            run.run(|_| ());
            let ports = 0..run.switches.port_count() as u32;
            let end = at_ns(1_000_000_000);
            let times: Vec<Span> = ports.map(|port| run.switches.sending_time(port, end)).collect();
            let sorted = |mut of: Vec<(Time, EthernetFrame)>| {
                of.sort_by_key(|&(at, frame)| (at, frame.tag));
                of
            };
            (sorted(run.arrived), sorted(run.lost), times, run.switches.leaves_in_turn)
        });
        prop_assert!(outcomes[0].3 && !outcomes[1].3);
        prop_assert_eq!(&outcomes[0].0, &outcomes[1].0);
        prop_assert_eq!((&outcomes[0].1, &outcomes[0].2), (&outcomes[1].1, &outcomes[1].2));
    }

    /// One switch that stores frames, without limits: an output is a queue in the order of arrivals, as a plain model has it.
    #[test]
    fn one_switch_equals_a_plain_model(
        frames in prop::collection::vec((0_u64..100_000, 0_u16..5, 0_u16..5, 84_u32..1_539), 1..200),
    ) {
        let of = plan(&[], 1, &[0; 5], Span::from_ns(20));
        let mut run = Run::new(&of);
        let mut plain: Vec<(u64, u16, EthernetFrame)> = Vec::new();
        for (tag, &(ns, from, to, bytes)) in (0..).zip(&frames) {
            if from != to {
                let frame = frame(from, to, tag, bytes);
                run.hand_over(at_ns(ns), frame);
                plain.push((ns, from, frame));
            }
        }
        run.run(|_| ());
        plain.sort_by_key(|&(ns, from, frame)| (ns, from, frame.tag));
        let (mut out_free, mut in_free) = ([Time::ZERO; 5], [Time::ZERO; 5]);
        let mut at_switch = Vec::new();
        for &(ns, from, frame) in &plain {
            let free = &mut out_free[usize::from(from)];
            *free = (*free).max(at_ns(ns)) + Span::to_move(frame.bytes.into(), TEN);
            at_switch.push((*free + Span::from_ns(20), from, frame));
        }
        at_switch.sort_by_key(|&(at, from, _)| (at, from));
        let mut expected = HashMap::new();
        for (at, _, frame) in at_switch {
            let free = &mut in_free[usize::from(frame.to)];
            *free = (*free).max(at) + Span::to_move(frame.bytes.into(), TEN);
            expected.insert(frame.tag, *free + Span::from_ns(20));
        }
        let found: HashMap<u32, Time> = run.arrived.iter().map(|&(at, frame)| (frame.tag, at)).collect();
        prop_assert_eq!(found, expected);
    }
}

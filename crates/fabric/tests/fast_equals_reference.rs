//! The fabric, in which R_RDYs are no events and a frame is five at a switch, against one in which every word and every credit moves by
//! itself: to the tick, in random fabrics.

mod common;

use common::reference::Reference;
use common::{Planned, World, frame, layout};
use proptest::prelude::*;
use sansim_fabric::layout::Layout;
use sansim_fabric::routing::RoutingName;
use sansim_fabric::switch::{ArbiterName, Crossbar, Queueing, SwitchParameters, Switching};
use sansim_fc::frame::Frame;
use sansim_fc::link::LinkRules;
use sansim_kernel::Span;

const UNTIL: u64 = 9_000;

/// Rules with words of a few ticks. A fabric has one protocol.
fn rules(plain: bool) -> impl Strategy<Value = LinkRules> {
    (1_u64..5, 0_u64..40).prop_map(move |(word, latency)| {
        if plain {
            LinkRules::plain(Span(1), 4, 2, Span(latency))
        } else {
            LinkRules {
                word: Span(word),
                latency: Span(latency),
                ..LinkRules::fibre_channel(sansim_fc::speed::Speed::G1, Span::ZERO, false)
            }
        }
    })
}

fn parameters() -> impl Strategy<Value = SwitchParameters> {
    let delays = (prop_oneof![Just(0_u64), 0_u64..60], 0_u64..20);
    let ways = (any::<bool>(), any::<bool>(), any::<bool>(), 0_usize..3);
    (1_u32..5, delays, ways, prop_oneof![3 => Just(None), 1 => (1_u64..4).prop_map(Some)]).prop_map(
        |(buffers, (routing, forwarding), (whole, fifo, per_port, arbiter), transactions)| SwitchParameters {
            buffers,
            routing_delay: Span(routing),
            forwarding_delay: Span(forwarding),
            switching: if whole { Switching::StoreAndForward } else { Switching::CutThrough },
            queueing: if fifo { Queueing::Fifo } else { Queueing::PerOutput },
            crossbar: if per_port { Crossbar::PerPort } else { Crossbar::PerBuffer },
            arbiter: [ArbiterName::RoundRobin, ArbiterName::Oldest, ArbiterName::Fixed][arbiter],
            transactions,
        },
    )
}

/// Up to five switches, all joined, some by several ways; nodes at any; each link with rules of its own.
fn fabrics() -> impl Strategy<Value = Layout> {
    (1_usize..6, any::<bool>()).prop_flat_map(|(switches, plain)| {
        let tree = proptest::collection::vec(0_usize..100, switches - 1);
        let more = proptest::collection::vec((0..switches, 0..switches), 0..4);
        let nodes = proptest::collection::vec(0..switches, 2..7);
        let rules = proptest::collection::vec(rules(plain), 20);
        let same = any::<bool>();
        (tree, more, nodes, rules, same, 1_u32..4).prop_map(
            move |(tree, more, nodes, rules, same, buffers)| {
                let mut links: Vec<(u16, u16)> =
                    tree.iter().enumerate().map(|(s, to)| ((to % (s + 1)) as u16, s as u16 + 1)).collect();
                links.extend(
                    more.iter()
                        .filter(|(one, other)| one != other)
                        .map(|&(one, other)| (one as u16, other as u16)),
                );
                let nodes: Vec<u16> = nodes.iter().map(|&switch| switch as u16).collect();
                let mut layout = layout(switches, &links, &nodes, rules[0], buffers);
                if !same {
                    for (number, link) in layout.links.iter_mut().enumerate() {
                        link.rules = rules[number % rules.len()];
                    }
                }
                layout
            },
        )
    })
}

fn routings() -> impl Strategy<Value = RoutingName> {
    use RoutingName::{Adaptive, Deterministic, Exchange, UpDown, UpDownAdaptive, UpDownExchange};
    prop_oneof![
        Just(Deterministic),
        Just(Exchange),
        Just(Adaptive),
        Just(UpDown),
        Just(UpDownAdaptive),
        Just(UpDownExchange)
    ]
}

fn inputs(nodes: usize) -> impl Strategy<Value = Vec<(u64, u16, Frame)>> {
    let one = (0_u64..1_500, 0..nodes, 0..nodes, prop_oneof![Just(0_u32), 0_u32..120, Just(400)]);
    proptest::collection::vec(one, 1..40).prop_map(|frames| {
        let frames = frames.into_iter().enumerate();
        frames
            .map(|(tag, (at, from, to, bytes))| {
                (at, from as u16, frame(from as u16, to as u16, bytes, tag as u32))
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn the_fabric_does_at_every_tick_what_the_plain_one_does(
        (layout, parameters, routing, inputs, takes) in fabrics().prop_flat_map(|layout| {
            let nodes = layout.nodes.len();
            let takes = proptest::collection::vec(prop_oneof![Just(0_u64), 0_u64..300], nodes);
            (Just(layout), parameters(), routings(), inputs(nodes), takes)
        })
    ) {
        let mut reference = Reference::new(layout.clone(), &parameters, routing, takes.clone(), inputs.clone());
        reference.run(UNTIL);
        let mut world = World::new(layout, &parameters, routing);
        world.around.takes = takes.into_iter().map(Span).collect();
        for &(at, node, frame) in &inputs {
            world.plan(at, Planned::Send(node, frame));
        }
        world.run(UNTIL);
        let mut plain = reference.notes;
        let mut fast = world.around.notes.clone();
        plain.sort_unstable();
        fast.sort_unstable();
        prop_assert_eq!(plain, fast);
        // Safety and conservation: what was sent is received once, in order where the way is fixed, or waits; credit is back at the end.
        let counts = world.fabric.counts();
        prop_assert_eq!(counts.lost, 0);
        if world.around.calendar.is_empty() && world.fabric.deadlock(sansim_kernel::Time(UNTIL)).is_none() {
            prop_assert_eq!(counts.sent, inputs.len() as u64);
            prop_assert_eq!(counts.received, counts.sent);
            prop_assert_eq!(world.fabric.credit_missing(), 0);
            prop_assert_eq!(world.fabric.under_way(), 0);
        }
        if routing.is_up_down() {
            prop_assert!(world.fabric.deadlock(sansim_kernel::Time(UNTIL)).is_none());
        }
    }
}

//! Tests of links and switches that fail, and of deadlocks.

use crate::common::{Planned, World, frame, layout, switch};
use proptest::prelude::*;
use sansim_fabric::routing::RoutingName;
use sansim_fabric::switch::SwitchParameters;
use sansim_fc::link::LinkRules;
use sansim_fc::speed::Speed;
use sansim_kernel::{Span, Time};

fn rules() -> LinkRules {
    LinkRules::for_fibre_channel(Speed::G16, Span::from_ns(50), false)
}

fn received(world: &World) -> Vec<u32> {
    world.around.notes.iter().filter(|note| note.2 == "received").map(|note| note.3).collect()
}

#[test]
fn frames_take_the_other_way_when_a_link_fails_and_come_back_to_it() {
    // Two switches have two links: all frames to node 1 use one of them.
    let plan = layout(2, &[(0, 1), (0, 1)], &[0, 1], rules(), 8);
    let mut world = World::new(plan, &switch(), RoutingName::Deterministic);
    let us = Span::from_us(1).ticks();
    for tag in 0..300 {
        world.plan(u64::from(tag) * us, Planned::Send(0, frame(0, 1, 1024, tag)));
    }
    let begun = |world: &World, link: usize| {
        world.fabric.port_use().nth(2 * link).map_or(0, |(_, usage)| usage.frames)
    };
    world.run(100 * us);
    let (used, other) = if begun(&world, 0) > 0 { (0, 1) } else { (1, 0) };
    assert_eq!(begun(&world, other), 0);
    world.plan(100 * us + us / 2, Planned::Link(used, false));
    world.plan(200 * us + us / 2, Planned::Link(used, true));
    world.run(200 * us);
    assert!(begun(&world, other) >= 99, "by the other link: {}", begun(&world, other));
    world.run(u64::MAX);
    assert!(begun(&world, used) >= 190);
    let counts = world.fabric.frame_counts();
    assert_eq!((counts.sent, counts.received + counts.lost), (300, 300));
    assert!(counts.lost <= 1, "what was on the link: {}", counts.lost);
    assert_eq!((world.fabric.credit_missing(), world.fabric.in_flight()), (0, 0));
}

#[test]
fn frames_for_which_there_is_no_way_are_lost_and_their_buffers_free() {
    let plan = layout(2, &[(0, 1)], &[0, 1, 0], rules(), 8);
    let mut world = World::new(plan, &switch(), RoutingName::Deterministic);
    world.plan(0, Planned::Link(0, false));
    for tag in 0..40 {
        world
            .plan(1 + u64::from(tag), Planned::Send(0, frame(0, if tag % 2 == 0 { 1 } else { 2 }, 512, tag)));
    }
    world.run(u64::MAX);
    assert_eq!(received(&world).len(), 20, "those that stay at their switch");
    assert_eq!(world.fabric.frame_counts().lost, 20);
    assert_eq!((world.fabric.credit_missing(), world.fabric.in_flight()), (0, 0));
}

/// Five switches form a ring, and each node sends without end to the next node but one: with one buffer each frame waits
/// for the next.
fn ring(routing: RoutingName) -> World {
    let plan = layout(5, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)], &[0, 1, 2, 3, 4], rules(), 8);
    let mut world = World::new(plan, &SwitchParameters { buffers: 1, ..switch() }, routing);
    for tag in 0..400 {
        let from = (tag % 5) as u16;
        world.plan(0, Planned::Send(from, frame(from, (from + 2) % 5, 2048, tag)));
    }
    world.run(u64::MAX);
    world
}

#[test]
fn a_deadlock_is_explained_as_a_cycle_of_waits() {
    let world = ring(RoutingName::Adaptive);
    let deadlock = world.fabric.deadlock(Time(u64::MAX)).expect("frames that wait for ever");
    assert!(deadlock.cycle.len() == 5 && deadlock.frames >= 5, "{deadlock:?}");
    let text = deadlock.to_string();
    assert!(text.contains("waits for a buffer of") && text.contains("can ever go on"), "{text}");
    assert!(received(&world).len() < 400);
}

#[test]
fn a_deadlock_is_found_while_other_things_go_on() {
    // Two more nodes at the first switch of the ring send to each other for ever.
    let plan = layout(5, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)], &[0, 1, 2, 3, 4, 0, 0], rules(), 8);
    let with = |hold_time, routing| {
        let parameters = SwitchParameters { buffers: 1, hold_time, ..switch() };
        let mut world = World::new(plan.clone(), &parameters, routing);
        for tag in 0..400 {
            let from = (tag % 5) as u16;
            world.plan(0, Planned::Send(from, frame(from, (from + 2) % 5, 2048, tag)));
        }
        for tag in 400..4_400 {
            let at = Span::from_us(50) * u64::from(tag - 400);
            world.plan(at.ticks(), Planned::Send(5, frame(5, 6, 64, tag)));
        }
        world.run(Span::from_ms(60).ticks());
        assert!(!world.around.calendar.is_empty(), "it goes on");
        world
    };
    let world = with(None, RoutingName::Adaptive);
    assert!(world.around.stuck);
    assert_eq!(world.fabric.found_deadlock().map(|deadlock| deadlock.cycle.len()), Some(5));
    // Where frames are discarded that wait too long, or no frames wait in a cycle, there is no deadlock to
    // find.
    let world = with(Some(Span::from_ms(1)), RoutingName::Adaptive);
    assert!(!world.around.stuck && world.fabric.frame_counts().discarded > 0);
    assert!(!with(None, RoutingName::UpDown).around.stuck);
}

#[test]
fn looking_for_a_deadlock_is_no_event() {
    // A node empties no buffer for a second: frames that wait for it are in no cycle, and nothing happens until then.
    let plan = layout(2, &[(0, 1)], &[0, 1], rules(), 2);
    let mut world =
        World::new(plan, &SwitchParameters { buffers: 2, ..switch() }, RoutingName::Deterministic);
    world.around.takes[1] = Span::from_s(1);
    (0..20).for_each(|tag| world.plan(0, Planned::Send(0, frame(0, 1, 2048, tag))));
    world.run(Span::from_ms(5).ticks());
    let events = world.events;
    world.run(Span::from_ms(900).ticks());
    assert_eq!((world.around.stuck, world.events), (false, events));
    world.run(u64::MAX);
    assert_eq!(world.fabric.in_flight(), 0);
}

#[test]
fn buffers_that_become_free_behind_a_dead_link_are_no_credit_that_is_missing() {
    let plan = layout(2, &[(0, 1)], &[0, 1], rules(), 8);
    let mut world = World::new(plan, &switch(), RoutingName::Deterministic);
    world.around.takes[1] = Span::from_us(50);
    (0..6).for_each(|tag| world.plan(0, Planned::Send(0, frame(0, 1, 512, tag))));
    // The link of node 1 dies while frames are in its buffers and on the link.
    world.plan(Span::from_us(4).ticks(), Planned::Link(2, false));
    world.run(Span::from_ms(1).ticks());
    let counts = world.fabric.frame_counts();
    assert!(counts.received > 0 && counts.received + counts.lost == 6, "{counts:?}");
    assert_eq!((world.fabric.credit_missing(), world.fabric.in_flight()), (0, 0));
    world.plan(Span::from_ms(2).ticks(), Planned::Link(2, true));
    world.run(u64::MAX);
    assert_eq!((world.fabric.credit_missing(), world.fabric.port_credit(Time(u64::MAX), 0)), (0, 8));
}

#[test]
fn with_an_escape_frames_that_take_any_shortest_way_have_no_deadlock() {
    // Six switches form a row of squares, and nodes send without end to all other nodes, in exchanges of many frames whose order is kept.
    for (buffers, channels, exchanges) in [(2, 1, 1), (2, 1, 40), (4, 3, 7), (9, 1, 300)] {
        let links = [(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5)];
        let plan = layout(6, &links, &[0, 1, 2, 3, 4, 5], rules(), 8);
        let parameters = SwitchParameters { buffers, channels, ..switch() };
        let mut world = World::new(plan, &parameters, RoutingName::AdaptiveEscape);
        for tag in 0..1_800 {
            let (from, to) = ((tag % 6) as u16, (tag / 6 % 5 + 1 + tag) as u16 % 6);
            let frame = frame(from, to, 2048, tag);
            let originator = sansim_fc::frame::ExchangeId(tag / 6 % exchanges);
            world.plan(
                0,
                Planned::Send(
                    from,
                    sansim_fc::frame::Frame::from(sansim_fc::frame::Pdu { originator, ..*frame }),
                ),
            );
        }
        world.run(u64::MAX);
        assert!(
            world.fabric.deadlock(Time(u64::MAX)).is_none(),
            "{buffers} buffers: {:?}",
            world.fabric.deadlock(Time(u64::MAX))
        );
        assert_eq!(received(&world).len(), 1_800);
    }
}

#[test]
fn a_fat_tree_has_none_either_though_frames_pass_a_switch_twice_on_their_escape() {
    use sansim_fabric::layout::topology::TopologyName;
    use sansim_fabric::{FabricLayout, NodeSpec};
    let parameters = crate::common::fabric(TopologyName::FatTree);
    let spec = NodeSpec { station: "nodes", buffers: 8, cable: sansim_fc::cable::CableLength::from_um(0) };
    let nodes: Vec<NodeSpec<'_>> = vec![spec; 16];
    let plan = FabricLayout::distribute_nodes(&parameters, &nodes).expect("a fabric");
    for buffers in [2, 8] {
        let addresses: Vec<_> = plan.nodes.iter().map(|node| node.address).collect();
        let mut world =
            World::new(plan.clone(), &SwitchParameters { buffers, ..switch() }, RoutingName::AdaptiveEscape);
        for tag in 0..4_800_u32 {
            let (from, to) = ((tag % 16) as usize, (tag / 16 * 7 % 15 + 1 + tag) as usize % 16);
            let frame = sansim_fc::frame::Frame::from(sansim_fc::frame::Pdu {
                source: addresses[from],
                destination: addresses[to],
                originator: sansim_fc::frame::ExchangeId(tag / 16 % 3),
                ..*frame(0, 0, 2048, tag)
            });
            world.plan(0, Planned::Send(from as u16, frame));
        }
        world.run(u64::MAX);
        assert!(
            world.fabric.deadlock(Time(u64::MAX)).is_none(),
            "{:?}",
            world.fabric.deadlock(Time(u64::MAX))
        );
        assert_eq!((received(&world).len(), world.fabric.credit_missing()), (4_800, 0));
    }
}

#[test]
fn ways_that_do_not_go_up_again_have_no_deadlock_in_the_same_ring() {
    for routing in [RoutingName::UpDown, RoutingName::UpDownAdaptive, RoutingName::UpDownExchange] {
        let world = ring(routing);
        assert_eq!(received(&world).len(), 400, "{routing}");
        assert!(world.fabric.deadlock(Time(u64::MAX)).is_none());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(sansim_trials::case_count(300)))]

    /// Any parts may fail and be repaired: every frame is received once or reported as lost, and in the end all credit and every buffer is
    /// free.
    #[test]
    fn nothing_is_lost_without_being_told(
        links in proptest::collection::vec((0_u16..5, 0_u16..5), 4..9),
        frames in proptest::collection::vec((0_u64..40_000_000, 0_u16..6, 0_u16..6, 0_u32..2048), 1..150),
        breaks in proptest::collection::vec((0_u64..40_000_000, 0_usize..4, any::<bool>(), 1_u64..8_000_000), 0..6),
        (routing, trunks, channels, hold) in (0_usize..4, any::<bool>(), 1_u8..3, any::<bool>()),
    ) {
        let mut links: Vec<(u16, u16)> = links.into_iter().filter(|(one, other)| one != other).collect();
        links.extend([(0, 1), (1, 2), (2, 3), (3, 4)]);
        let plan = layout(5, &links, &[0, 1, 2, 3, 4, 4], rules(), 3);
        let routings =
            [RoutingName::UpDown, RoutingName::UpDownAdaptive, RoutingName::UpDownExchange, RoutingName::AdaptiveEscape];
        let hold_time = hold.then(|| Span::from_us(20));
        let buffers = 2 + u32::from(channels);
        let parameters = SwitchParameters { buffers, trunks, channels, hold_time, ..switch() };
        let mut world = World::new(plan, &parameters, routings[routing]);
        for (tag, &(at, from, to, bytes)) in frames.iter().enumerate() {
            world.plan(at, Planned::Send(from, frame(from, to, bytes, tag as u32)));
        }
        // Failures of one part must not overlap, or the part would be repaired while it should be broken.
        let mut broken: std::collections::BTreeMap<(bool, usize), u64> = Default::default();
        let mut breaks = breaks;
        breaks.sort_unstable();
        for (at, which, is_switch, lasts) in breaks {
            let busy = broken.entry((is_switch, which)).or_default();
            if at <= *busy || is_switch && broken.len() > 1 {
                continue;
            }
            broken.insert((is_switch, which), at + lasts);
            let what = |works| if is_switch { Planned::Switch(which, works) } else { Planned::Link(which, works) };
            world.plan(at, what(false));
            world.plan(at + lasts, what(true));
        }
        world.run(u64::MAX);
        let counts = world.fabric.frame_counts();
        prop_assert_eq!(counts.sent, frames.len() as u64);
        prop_assert_eq!(counts.received + counts.lost, counts.sent);
        let mut told: Vec<u32> = world.around.notes.iter().filter(|note| note.2 == "received" || note.2 == "lost").map(|note| note.3).collect();
        told.sort_unstable();
        prop_assert_eq!(told, (0..frames.len() as u32).collect::<Vec<u32>>());
        prop_assert_eq!(world.fabric.credit_missing(), 0);
        prop_assert_eq!(world.fabric.in_flight(), 0);
        prop_assert_eq!(world.fabric.occupied_switch_buffers(), 0);
    }
}

//! Tests of virtual channels and trunks between two switches.

use crate::common::{Planned, World, frame, layout, switch};
use sansim_fabric::routing::RoutingName;
use sansim_fabric::switch::{BufferReserve, SwitchParameters};
use sansim_fc::link::LinkRules;
use sansim_fc::speed::Speed;
use sansim_kernel::{Span, Time};

fn rules(cable: Span) -> LinkRules {
    LinkRules::for_fibre_channel(Speed::G8, cable, false)
}

fn received(world: &World, node: u16) -> usize {
    world.around.notes.iter().filter(|note| note.2 == "received" && note.1 == node).count()
}

#[test]
fn a_node_that_empties_no_buffer_keeps_those_of_its_own_channel_only() {
    let with = |channels: u8| {
        // Two nodes send to two other nodes over one link; node 2 empties no buffer, node 3 empties all at
        // once.
        let plan = layout(2, &[(0, 1)], &[0, 0, 1, 1], rules(Span::ZERO), 2);
        let mut world =
            World::new(plan, &SwitchParameters { channels, ..switch() }, RoutingName::Deterministic);
        world.around.takes[2] = Span::from_s(1);
        for tag in 0..200 {
            world.plan(0, Planned::Send(0, frame(0, 2, 512, 2 * tag)));
            world.plan(0, Planned::Send(1, frame(1, 3, 512, 2 * tag + 1)));
        }
        world.run(Span::from_ms(10).ticks());
        (received(&world, 2), received(&world, 3))
    };
    let (slow, other) = with(1);
    assert!(slow == 2 && other < 50, "one channel: {other}");
    assert_eq!(with(2), (2, 200));
}

/// The time that this number of frames takes from one node to another over these links between two switches.
fn takes(links: usize, parameters: &SwitchParameters, cable: Span, frames: u32) -> f64 {
    let isl = vec![(0, 1); links];
    let mut plan = layout(2, &isl, &[0, 1], rules(Span::ZERO), 400);
    plan.links[..links].iter_mut().for_each(|link| link.rules = rules(cable));
    plan.links[links..].iter_mut().for_each(|link| link.rules.word = Speed::G64.word_time());
    let mut world = World::new(plan, parameters, RoutingName::Deterministic);
    (0..frames).for_each(|tag| world.plan(0, Planned::Send(0, frame(0, 1, 2048, tag))));
    world.run(u64::MAX);
    let tags: Vec<u32> =
        world.around.notes.iter().filter(|note| note.2 == "received").map(|note| note.3).collect();
    assert_eq!(tags, (0..frames).collect::<Vec<u32>>(), "in order");
    let last = world.around.notes.iter().map(|note| note.0).max().unwrap_or_default();
    (Time(last) - Time::ZERO).as_ns_f64()
}

#[test]
fn a_trunk_of_n_links_carries_n_times_as_much_and_keeps_the_order() {
    let trunk = SwitchParameters { trunks: true, buffers: 16, ..switch() };
    let one = takes(1, &trunk, Span::ZERO, 2_000);
    for links in 2..=6 {
        let share = one / takes(links, &trunk, Span::ZERO, 2_000) / links as f64;
        assert!((share - 1.0).abs() < 0.01, "{links} links: {share}");
        let routed = takes(links, &SwitchParameters { trunks: false, ..trunk.clone() }, Span::ZERO, 2_000);
        assert!((one / routed - 1.0).abs() < 1e-3, "of routes of equal cost it takes one");
    }
}

#[test]
fn over_a_distance_a_link_carries_what_the_credits_that_are_left_do() {
    // A cable of 50 km takes 500 us there and back, a time in which 197 frames would pass.
    let cable = Span::from_us(250);
    let with = |buffers, credit_reserve, channels| {
        takes(1, &SwitchParameters { buffers, credit_reserve, channels, ..switch() }, cable, 3_000)
    };
    // With 64 buffers 56 are left (Cisco), with 200 all but 15; with four channels, one node has a quarter of
    // the buffers.
    assert_eq!(with(64, BufferReserve::Eighth, 1), with(56, BufferReserve::None, 1));
    assert_eq!(with(200, BufferReserve::Eighth, 1), with(185, BufferReserve::None, 1));
    assert_eq!(with(64, BufferReserve::None, 4), with(16, BufferReserve::None, 1));
    assert!(with(64, BufferReserve::None, 1) < with(64, BufferReserve::Eighth, 1));
}

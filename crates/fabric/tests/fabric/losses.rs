//! Tests of losses on links and in switches, and of the recovery of credit.

use crate::common::{Planned, World, frame, layout, switch};
use sansim_fabric::routing::RoutingName;
use sansim_fabric::switch::SwitchParameters;
use sansim_fc::link::{ExactProbability, LinkRules};
use sansim_fc::speed::Speed;
use sansim_kernel::{Span, Time};

fn rules() -> LinkRules {
    LinkRules::for_fibre_channel(Speed::G8, Span::from_ns(500), false)
}

/// Two nodes are at a switch, and one sends this number of frames to the other.
fn one_way(rules: LinkRules, parameters: &SwitchParameters, buffers: u32, frames: u32) -> World {
    let plan = layout(1, &[], &[0, 0], rules, buffers);
    let mut world = World::new(plan, parameters, RoutingName::Deterministic);
    (0..frames).for_each(|tag| world.plan(0, Planned::Send(0, frame(0, 1, 512, tag))));
    world.run(u64::MAX);
    world
}

fn times(world: &World, what: &str, node: u16) -> Vec<u64> {
    world.around.notes.iter().filter(|note| note.2 == what && note.1 == node).map(|note| note.0).collect()
}

#[test]
fn credit_that_is_lost_without_bb_sc_stays_lost_until_nothing_is_sent_any_more() {
    let loses = LinkRules { ready_loss: ExactProbability::from_share(0.05), ..rules() };
    let world = one_way(loses, &switch(), 8, 4_000);
    let counts = world.fabric.frame_counts();
    assert_eq!(counts.lost, 0, "no frame is");
    assert!(counts.sent < 4_000, "{counts:?}");
    assert!(world.fabric.credit_lost() >= 8, "all of a link");
    assert_eq!(
        world.fabric.credit_missing(),
        world.fabric.credit_lost() + world.fabric.occupied_switch_buffers()
    );
    assert!(world.fabric.deadlock(Time(u64::MAX)).is_none(), "lost credit is no cycle of waits");
}

#[test]
fn with_bb_sc_all_frames_that_are_not_lost_come_in() {
    for n in [2, 3, 4] {
        let loses = LinkRules {
            frame_loss: ExactProbability::from_share(0.01),
            ready_loss: ExactProbability::from_share(0.01),
            bb_sc_n: n,
            ..rules()
        };
        let world = one_way(loses, &switch(), 16, 10_000);
        let counts = world.fabric.frame_counts();
        assert_eq!((counts.sent, counts.received + counts.lost), (10_000, 10_000), "N = {n}");
        let share = counts.lost as f64 / 20_000.0;
        assert!((share - 0.01).abs() < 4.0 * (0.01 * 0.99 / 20_000.0_f64).sqrt(), "{counts:?}");
        assert_eq!(
            world.fabric.credit_missing(),
            world.fabric.credit_lost() + world.fabric.occupied_switch_buffers()
        );
    }
}

#[test]
fn the_credit_of_a_lost_frame_is_back_when_the_r_rdy_for_it_can_be() {
    // Four frames are sent, of which one is lost; with N = 2 BB_SCs follows the fourth frame.
    let with = |share: f64| {
        let mut plan = layout(1, &[], &[0, 0], rules(), 4);
        plan.links[0].rules =
            LinkRules { frame_loss: ExactProbability::from_share(share), bb_sc_n: 2, ..rules() };
        let mut world =
            World::new(plan, &SwitchParameters { buffers: 4, ..switch() }, RoutingName::Deterministic);
        (0..4).for_each(|tag| world.plan(0, Planned::Send(0, frame(0, 1, 512, tag))));
        world
    };
    let lost = |share: f64| {
        let mut world = with(share);
        world.run(u64::MAX);
        assert_eq!((world.fabric.credit_missing(), world.fabric.credit_lost()), (0, 0));
        world.fabric.frame_counts().lost
    };
    let share = [0.1, 0.2, 0.3, 0.4, 0.5].into_iter().find(|&share| lost(share) == 1).expect("one of four");
    // By hand: four frames of 137 words with six words between; two fill words, BB_SCs, the cable; an R_RDY in the next slot, the
    // cable.
    let Span(word) = rules().word;
    let is_in = (4 * 137 + 3 * 6 + 3) * word + rules().latency.ticks();
    let back = is_in.div_ceil(word) * word + word + rules().latency.ticks();
    let credit = |until: u64| {
        let mut world = with(share);
        world.run(until);
        world.fabric.port_credit(Time(until), 0)
    };
    assert_eq!(credit(back) - credit(back - 1), 1);
    // Until then only the R_RDYs of the frames that arrived are back, except the R_RDY of the last frame, which is sent after
    // the mark.
    assert_eq!(credit(back - 1), credit(back - word));
}

#[test]
fn the_credit_of_lost_r_rdys_is_back_when_bb_scr_is_in_and_it_is_exactly_that() {
    use sansim_fabric::FabricLayout;
    use sansim_fabric::layout::{LinkEndDevice, LinkPlan, NodePlan};
    let (n, period) = (3, 8);
    let node = |number| NodePlan::new(None, crate::common::address(number), 8);
    let with = |share: f64| {
        let rules = LinkRules { ready_loss: ExactProbability::from_share(share), bb_sc_n: n, ..rules() };
        let plan = FabricLayout {
            switches: Vec::new(),
            links: vec![LinkPlan { ends: [LinkEndDevice::Node(0), LinkEndDevice::Node(1)], rules }],
            nodes: vec![node(0), node(1)],
        };
        let mut world = World::new(plan, &switch(), RoutingName::Deterministic);
        (0..period).for_each(|tag| world.plan(0, Planned::Send(0, frame(0, 1, 512, tag))));
        world
    };
    // By hand: eight frames of 137 words with six words between; node 1 empties its buffers at once, so each R_RDY is sent in the next
    // slot; BB_SCr follows the eighth R_RDY, which may be lost itself.
    let word = rules().word;
    let is_in = word * (u64::from(period) * 143 - 6) + rules().latency;
    let mark = is_in.round_up_to(word) + word + word * 3 + rules().latency;
    let credit = |share: f64, at: u64| {
        let mut world = with(share);
        world.run(at);
        world.fabric.port_credit(Time(at), 0)
    };
    let mut seen = std::collections::BTreeSet::new();
    for share in [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8] {
        let before = credit(share, mark.ticks() - 1);
        let came = (1..=period).filter(|frames| {
            // The R_RDY of each frame is tested by itself, in the slot in which it would arrive.
            let is_in = word * (u64::from(*frames) * 143 - 6) + rules().latency;
            let back = (is_in.round_up_to(word) + word + rules().latency).ticks();
            credit(share, back) > credit(share, back - 1)
        });
        assert_eq!(before, came.count() as u32, "those that came in, of all eight");
        assert_eq!(credit(share, mark.ticks()), period, "and then all of it, with a share of {share}");
        seen.insert(before);
        let mut world = with(share);
        world.run(u64::MAX);
        assert_eq!((world.fabric.credit_missing(), world.fabric.credit_lost()), (0, 0));
    }
    assert!(seen.len() >= 4, "{seen:?}");
}

#[test]
fn a_frame_is_discarded_at_the_end_of_its_hold_time_and_its_credit_goes_back() {
    let hold = Span::from_us(50);
    let parameters = SwitchParameters { hold_time: Some(hold), buffers: 4, ..switch() };
    let plan = layout(1, &[], &[0, 0, 0], rules(), 2);
    let mut world = World::new(plan, &parameters, RoutingName::Deterministic);
    // Node 1 empties no buffer for a long time: two frames reach it, and the frames behind them wait in the
    // switch.
    world.around.takes[1] = Span::from_ms(1);
    (0..12).for_each(|tag| world.plan(0, Planned::Send(0, frame(0, 1, 512, tag))));
    world.plan(0, Planned::Send(2, frame(2, 0, 512, 100)));
    world.run(Span::from_us(900).ticks());
    let counts = world.fabric.frame_counts();
    assert_eq!((counts.sent, counts.received, counts.lost, counts.discarded), (13, 3, 10, 10));
    let lost = times(&world, "lost", 0);
    // The first of the waiting frames waited from the arrival of its header, which is computed by hand, as it
    // is the third frame of the node.
    let word = rules().word;
    let begins = word * (137 + 6) * 2;
    let header = begins + word * 7 + rules().latency;
    assert_eq!(lost[0], (header + hold).ticks());
    assert_eq!(world.fabric.occupied_switch_buffers(), 0);
    world.run(u64::MAX);
    assert_eq!((world.fabric.credit_missing(), world.fabric.in_flight()), (0, 0));
}

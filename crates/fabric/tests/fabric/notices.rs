//! Tests of the notices that a fabric sends to its nodes.

use crate::common::{Planned, World, address, frame, layout, switch};
use sansim_fabric::congestion::{CongestionParameters, CreditReturn};
use sansim_fabric::routing::RoutingName;
use sansim_fabric::switch::SwitchParameters;
use sansim_fc::frame::{Frame, Pdu, PduKind};
use sansim_fc::link::{ExactProbability, LinkRules};
use sansim_fc::speed::Speed;
use sansim_kernel::{Span, TICKS_PER_NS, Time};

const MS: u64 = 1_000_000 * TICKS_PER_NS;
const US: u64 = 1_000 * TICKS_PER_NS;

fn rules() -> LinkRules {
    LinkRules::for_fibre_channel(Speed::G8, Span::from_ns(50), false)
}

fn with(congestion: CongestionParameters) -> SwitchParameters {
    SwitchParameters { congestion, ..switch() }
}

/// The notices of a kind: the time of each, its node, and the address that it names.
fn noticed(world: &World, what: &str) -> Vec<(u64, u16, u32)> {
    let notes = world.around.notes.iter().filter(|note| note.2 == what);
    notes.map(|&(at, node, _, about)| (at, node, about)).collect()
}

/// The notes of frames.
fn of_frames(world: &World) -> Vec<(u64, u16, &'static str, u32)> {
    let is_of_frame = |what: &str| !["peer congestion", "congestion", "link integrity"].contains(&what);
    world.around.notes.iter().copied().filter(|note| is_of_frame(note.2)).collect()
}

#[test]
fn the_other_nodes_and_the_node_are_notified_at_the_end_of_each_congested_period() {
    let run = |notify_peers, notify_node| {
        let congestion = CongestionParameters {
            notify_peers,
            notify_node,
            period: Span(MS),
            ..CongestionParameters::NONE
        };
        let mut plan = layout(1, &[], &[0, 0, 0], rules(), 4);
        // The node takes 500 us for each frame, so that it keeps 20 frames until 10 ms have passed.
        plan.nodes[1].drain = CreditReturn { frame_time: Span(500 * US), stalls: None };
        let mut world = World::new(plan, &with(congestion), RoutingName::Deterministic);
        (0..20).for_each(|tag| world.plan(0, Planned::Send(0, frame(0, 1, 2048, tag))));
        world.run(u64::MAX);
        world
    };
    let about = address(1).value();
    let both = run(true, true);
    // The last frame leaves when the 16th R_RDY has come, 8 ms after the first frame; from then on no frame waits.
    let periods = 1..=8;
    assert_eq!(
        noticed(&both, "congestion"),
        periods.clone().map(|ms| (ms * MS, 1, about)).collect::<Vec<_>>()
    );
    assert_eq!(
        noticed(&both, "peer congestion"),
        periods.flat_map(|ms| [(ms * MS, 0, about), (ms * MS, 2, about)]).collect::<Vec<_>>()
    );
    assert_eq!(both.fabric.frame_counts().notices, 24);
    // Notices change nothing in the fabric.
    let none = run(false, false);
    assert_eq!((of_frames(&both), none.fabric.frame_counts().notices), (of_frames(&none), 0));
}

#[test]
fn every_node_is_notified_when_so_many_damaged_frames_have_come_in_from_a_node_in_time() {
    let congestion = CongestionParameters {
        link_errors: Some(3),
        link_error_time: Span(100 * MS),
        ..CongestionParameters::NONE
    };
    let mut plan = layout(1, &[], &[0, 0], rules(), 8);
    // The links lose a frame of five, in both directions; their ends find that out after each two frames.
    for link in &mut plan.links {
        link.rules.frame_loss = ExactProbability::from_share(0.2);
        link.rules.bb_sc_n = 1;
    }
    let mut world = World::new(plan, &with(congestion), RoutingName::Deterministic);
    for tag in 0..200 {
        let at = u64::from(tag) * 20 * US;
        // A frame there is followed by a frame back, 10 us later.
        world.plan(at, Planned::Send(0, frame(0, 1, 2048, 2 * tag)));
        let back = Frame::from(Pdu { kind: PduKind::Response, ..*frame(1, 0, 24, 2 * tag + 1) });
        world.plan(at + 10 * US, Planned::Send(1, back));
    }
    world.run(u64::MAX);
    let mut expected = Vec::new();
    for node in 0..2 {
        let lost = |note: &&(u64, u16, &str, u32)| note.2 == "lost" && note.1 == node;
        // A lost frame was damaged on the node's own link if it never came to the switch. The fabric notes a frame as lost when its last word has
        // left; on the way to the other node that is later.
        let payload: u64 = if node == 0 { 2048 } else { 24 };
        let lasts = rules().time_of_words(rules().frame_words(payload)).ticks();
        let began = |tag: u32| {
            let mut notes = world.around.notes.iter();
            notes.find(|note| (note.1, note.2, note.3) == (node, "started", tag)).expect("it began").0
        };
        let at_own_link = |note: &&(u64, u16, &str, u32)| note.0 == began(note.3) + lasts;
        let left: Vec<u64> =
            world.around.notes.iter().filter(lost).filter(at_own_link).map(|note| note.0).collect();
        assert!(left.len() > 12, "{}", left.len());
        for third in left.chunks_exact(3) {
            let at = third[2] + rules().latency.ticks();
            expected.extend([0, 1].map(|to| (at, to, address(node).value())));
        }
    }
    let mut found = noticed(&world, "link integrity");
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
    assert!(Time(found[0].0) > Time::ZERO);
}

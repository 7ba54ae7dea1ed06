//! Class 2 is compared with class 3: the cost and the benefit of ACKs and end-to-end credit.

use crate::common::{Planned, World, frame, layout, switch};
use proptest::prelude::*;
use sansim_fabric::class_2::Class2Parameters;
use sansim_fabric::routing::RoutingName;
use sansim_fabric::switch::SwitchParameters;
use sansim_fc::frame::{Frame, Pdu, PduKind};
use sansim_fc::link::LinkRules;
use sansim_fc::speed::Speed;
use sansim_kernel::{Span, Time};

fn rules(ns: u64) -> LinkRules {
    LinkRules::for_fibre_channel(Speed::G16, Span::from_ns(ns), false)
}

fn agreed(end_to_end_credit: u32) -> Class2Parameters {
    Class2Parameters { end_to_end_credit, answer_time: Span::from_s(2) }
}

/// Two nodes at a switch, in class 2 with this end-to-end credit, or in class 3.
fn pair(credit: Option<u32>, ns: u64) -> World {
    let plan = layout(1, &[], &[0, 0], rules(ns), 64);
    let mut world =
        World::new(plan, &SwitchParameters { buffers: 64, ..switch() }, RoutingName::Deterministic);
    if let Some(credit) = credit {
        world.fabric = world.fabric.with_class_2(&agreed(credit));
    }
    world
}

fn times(world: &World, what: &str, node: u16) -> Vec<u64> {
    let notes = world.around.notes.iter();
    notes.filter(|note| note.2 == what && note.1 == node).map(|note| note.0).collect()
}

fn is_quiet(world: &World) {
    let of = &world.fabric;
    assert_eq!((of.in_flight(), of.credit_missing(), of.end_to_end_missing()), (0, 0, 0));
}

const FRAMES: u32 = 50;
/// The number of words of a frame of 2,048 bytes, of an ACK, and of the gap behind each.
const DATA: u64 = 521;
const ACK: u64 = 9;
const GAP: u64 = 6;

#[test]
fn with_enough_credit_one_direction_is_as_fast_as_in_class_3_and_both_lose_the_words_of_the_acks() {
    let word = rules(0).word.ticks();
    for both in [false, true] {
        let run = |credit: Option<u32>| {
            let mut world = pair(credit, 40);
            for tag in 0..FRAMES {
                world.plan(0, Planned::Send(0, frame(0, 1, 2048, tag)));
                if both {
                    world.plan(0, Planned::Send(1, frame(1, 0, 2048, 1_000 + tag)));
                }
            }
            world.run(u64::MAX);
            is_quiet(&world);
            times(&world, "received", 1)
        };
        let (class_3, class_2) = (run(None), run(Some(64)));
        assert_eq!(class_3.len(), FRAMES as usize);
        let apart = |times: &[u64]| (times[45] - times[5]) / word;
        assert_eq!(apart(&class_3), 40 * (DATA + GAP));
        if both {
            // The R_RDYs for a frame and for an ACK are sent in one gap, which then has 3 * 2 + 2 words.
            assert_eq!(apart(&class_2), 40 * (DATA + GAP + ACK + 8));
        } else {
            assert_eq!(class_2, class_3, "ACKs go the other way");
        }
    }
}

#[test]
fn little_end_to_end_credit_lets_so_many_frames_go_in_the_time_from_a_frame_to_its_ack() {
    let ticks = |credit: u32, ns: u64| {
        let mut world = pair(Some(credit), ns);
        (0..FRAMES).for_each(|tag| world.plan(0, Planned::Send(0, frame(0, 1, 2048, tag))));
        world.run(u64::MAX);
        is_quiet(&world);
        let (begun, taken) = (times(&world, "started", 0), times(&world, "taken", 0));
        (begun, taken)
    };
    for ns in [0, 5_000, 50_000] {
        for credit in [1, 2, 5, 40] {
            let (begun, taken) = ticks(credit, ns);
            let word = rules(ns).word.ticks();
            for (number, &at) in begun.iter().enumerate().skip(1) {
                let line = begun[number - 1] + (DATA + GAP) * word;
                let answered = number.checked_sub(credit as usize).map_or(0, |first| taken[first]);
                let slot = answered.div_ceil(word) * word;
                // The R_RDY for the ACK itself is sent first.
                let behind = if slot > line { slot + 3 * word } else { line };
                assert!((line.max(slot)..=behind).contains(&at), "{number}: {at}, {line}, {slot}");
            }
        }
    }
}

#[test]
fn a_frame_that_waits_for_too_long_comes_back_as_f_bsy_and_its_credit_with_it() {
    // The receiver has one buffer and never empties it.
    let plan = layout(1, &[], &[0, 0, 0], rules(0), 1);
    let held = SwitchParameters { hold_time: Some(Span::from_us(50)), ..switch() };
    let mut world = World::new(plan, &held, RoutingName::Deterministic);
    world.fabric = world.fabric.with_class_2(&agreed(4));
    world.around.takes[1] = Span::from_ms(1);
    (0..4).for_each(|tag| world.plan(0, Planned::Send(0, frame(0, 1, 512, tag))));
    world.run(Span::from_us(900).ticks());
    let counts = world.fabric.class_2_counts();
    assert_eq!((counts.refused, counts.acknowledged, world.fabric.frame_counts().discarded), (3, 0, 3));
    assert_eq!(times(&world, "taken", 0).len(), 3);
    assert_eq!(world.fabric.end_to_end_missing(), 1, "the one that is with the receiver");
    world.run(u64::MAX);
    is_quiet(&world);
}

#[test]
fn a_frame_without_a_way_comes_back_as_f_rjt() {
    let plan = layout(2, &[(0, 1)], &[0, 1], rules(0), 4);
    let mut world = World::new(plan, &switch(), RoutingName::Deterministic);
    world.fabric = world.fabric.with_class_2(&agreed(4));
    world.plan(0, Planned::Link(0, false));
    (0..6).for_each(|tag| world.plan(10, Planned::Send(0, frame(0, 1, 512, tag))));
    world.run(u64::MAX);
    assert_eq!((world.fabric.class_2_counts().refused, world.fabric.frame_counts().lost), (6, 6));
    assert_eq!(times(&world, "taken", 0).len(), 6, "more than it has credit: that came back");
    is_quiet(&world);
}

#[test]
fn the_credit_of_a_frame_that_is_never_answered_comes_back_when_its_answer_is_overdue() {
    // Frames on a failing link are lost, and no switch reports that.
    let plan = layout(2, &[(0, 1)], &[0, 1], rules(20_000), 4);
    let mut world = World::new(plan, &switch(), RoutingName::Deterministic);
    let answer_time = Span::from_ms(3);
    world.fabric = world.fabric.with_class_2(&Class2Parameters { end_to_end_credit: 1, answer_time });
    let us = Span::from_us(1).ticks();
    world.plan(0, Planned::Send(0, frame(0, 1, 512, 0)));
    world.plan(30 * us, Planned::Link(0, false));
    world.plan(31 * us, Planned::Link(0, true));
    world.plan(40 * us, Planned::Send(0, frame(0, 1, 512, 1)));
    world.run(u64::MAX);
    assert_eq!(world.fabric.class_2_counts().overdue, 1);
    assert_eq!(
        times(&world, "started", 0),
        [0, answer_time.ticks().div_ceil(rules(0).word.ticks()) * rules(0).word.ticks()]
    );
    assert_eq!(times(&world, "received", 1).len(), 1);
    is_quiet(&world);
}

#[test]
fn a_switch_that_fails_with_answers_in_it_leaves_nothing_behind() {
    let plan = layout(2, &[(0, 1)], &[0, 1, 0, 1], rules(1_000), 2);
    let held = SwitchParameters { hold_time: Some(Span::from_us(5)), buffers: 2, ..switch() };
    let us = Span::from_us(1).ticks();
    for at in 1..60 {
        let mut world = World::new(plan.clone(), &held, RoutingName::Deterministic);
        world.fabric = world.fabric.with_class_2(&agreed(3));
        world.around.takes = vec![Span::from_us(4); 4];
        for tag in 0..20 {
            let (from, to) = if tag % 2 == 0 { (0, 1) } else { (3, 2) };
            world.plan(0, Planned::Send(from, frame(from, to, 1024, tag)));
        }
        world.plan(at * us, Planned::Switch(1, false));
        world.plan((at + 7) * us, Planned::Switch(1, true));
        world.run(Span::from_s(1).ticks());
        let now = Time(Span::from_s(1).ticks());
        assert_eq!((world.fabric.credit_missing(), world.fabric.deadlock(now)), (0, None));
        world.run(u64::MAX);
        assert_eq!(world.fabric.in_flight(), 0, "failed at {at} us");
        assert_eq!(world.fabric.end_to_end_missing(), world.fabric.end_to_end_lost());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(sansim_trials::case_count(200)))]

    #[test]
    fn one_message_at_a_time_is_never_in_before_it_would_be_in_class_3(
        credit in 1_u32..5,
        ns in 0_u64..3_000,
        bytes in proptest::collection::vec((0_u32..2_112, any::<bool>()), 1..12),
    ) {
        // Each frame begins when the frame before it has arrived, as command, data and status of one I/O do; ACKs
        // are in flight at that time.
        let last = |credit: Option<u32>| {
            let mut world = pair(credit, ns);
            let mut now = 0;
            for (tag, &(bytes, back)) in bytes.iter().enumerate() {
                let (from, to) = if back { (1, 0) } else { (0, 1) };
                world.plan(now, Planned::Send(from, frame(from, to, bytes, tag as u32)));
                now = is_in(&mut world, tag as u32);
            }
            now
        };
        prop_assert!(last(Some(credit)) >= last(None));
    }
}

/// Runs until the frame with this tag has arrived.
fn is_in(world: &mut World, tag: u32) -> u64 {
    loop {
        let is_it = |note: &&crate::common::Note| note.2 == "received" && note.3 == tag;
        if let Some(note) = world.around.notes.iter().find(is_it) {
            return note.0;
        }
        let next = world.around.calendar.peek_time().expect("it is under way");
        world.run(next.ticks());
    }
}

#[test]
fn ip_goes_in_class_3_and_needs_no_answer() {
    let mut world = pair(Some(1), 0);
    for tag in 0..3 {
        let ip = Frame::from(Pdu { kind: PduKind::Ip, ..*frame(0, 1, 1_524, tag) });
        world.plan(0, Planned::Send(0, ip));
    }
    world.plan(0, Planned::Send(0, frame(0, 1, 2048, 3)));
    world.run(u64::MAX);
    assert_eq!(world.fabric.class_2_counts().acknowledged, 1);
    is_quiet(&world);
}

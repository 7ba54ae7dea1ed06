//! Tests of links that come up again, and of links that are reset because an end had no credit for too long.

use crate::common::{Planned, World, frame, layout, switch};
use sansim_fabric::routing::RoutingName;
use sansim_fabric::switch::SwitchParameters;
use sansim_fc::link::{ExactProbability, LinkRules, LinkTimes};
use sansim_fc::speed::Speed;
use sansim_kernel::{Span, Time};

const TIME_OUT: Span = Span::from_ms(2);
const TIMES: LinkTimes = LinkTimes { credit_time_out: Some(TIME_OUT), offline: Span::from_us(100) };

fn rules(speed: Speed, metres: u64) -> LinkRules {
    LinkRules::for_fibre_channel(speed, Span::from_ns(5 * metres), false)
}

fn times(world: &World, what: &str, node: u16) -> Vec<u64> {
    world.around.notes.iter().filter(|note| note.2 == what && note.1 == node).map(|note| note.0).collect()
}

/// The time at which the other end has recognised a sequence that an end decides to send at the time `at`: it begins in the next
/// slot, and three of its words have to arrive.
fn heard(rules: &LinkRules, at: Time, words: u64) -> Time {
    rules.next_word_slot(at) + rules.time_of_words(words) + rules.latency
}

#[test]
fn a_link_that_works_again_carries_frames_when_its_ends_have_brought_it_up() {
    for speed in [Speed::G1, Speed::G8, Speed::G32] {
        for metres in [0, 100, 10_000] {
            let rules = rules(speed, metres);
            let plan = layout(2, &[(0, 1)], &[0, 1], rules, 8);
            let mut world = World::new(plan, &switch(), RoutingName::Deterministic);
            world.fabric = world.fabric.with_times(TIMES);
            let repaired = Time::ZERO + Span::from_us(500);
            world.plan(0, Planned::Link(0, false));
            world.plan(repaired.ticks(), Planned::Link(0, true));
            // The first frame that finds the path is delivered; the frames before it are lost.
            let every = Span::from_us(1).ticks();
            (0..2_000).for_each(|tag| {
                world.plan(u64::from(tag) * every, Planned::Send(0, frame(0, 1, 0, tag)));
            });
            world.run(u64::MAX);
            // By hand: both ends send NOS, OLS, LR and LRR, each of which takes three words and the cable, then
            // IDLE of one word.
            let mut active = repaired;
            for words in [3, 3, 3, 3, 1] {
                active = heard(&rules, active, words);
            }
            // A frame that is routed later is not lost, and its first word leaves at least six words later.
            let sent = times(&world, "started", 0);
            let lost = times(&world, "lost", 0).len();
            let routed = |started: u64| Time(started) + rules.time_of_words(7) + rules.latency;
            let by_hand = sent.iter().filter(|&&at| routed(at) < active).count();
            assert_eq!(lost, by_hand, "{speed:?}, {metres} m");
            let first = times(&world, "received", 1)[0];
            let begins = rules.next_word_slot(active) + rules.time_of_words(6);
            let last_link = rules.time_of_words(7) + rules.latency + rules.time_of_words(9) + rules.latency;
            assert!(
                Time(first) >= begins + last_link && first < (begins + last_link + Span::from_us(60)).ticks()
            );
            assert_eq!((world.fabric.credit_missing(), world.fabric.in_flight()), (0, 0));
        }
    }
}

#[test]
fn the_ports_of_a_switch_that_works_again_send_ols_first() {
    let rules = rules(Speed::G8, 20);
    let plan = layout(1, &[], &[0, 0], rules, 8);
    let mut world = World::new(plan, &switch(), RoutingName::Deterministic);
    world.fabric = world.fabric.with_times(TIMES);
    world.plan(0, Planned::Switch(0, false));
    let repaired = Time::ZERO + Span::from_us(50);
    world.plan(repaired.ticks(), Planned::Switch(0, true));
    world.plan(0, Planned::Send(0, frame(0, 1, 64, 0)));
    world.run(u64::MAX);
    // By hand: the node answers OLS with LR, which the switch answers with LRR when its time of OLS is over; the node answers with IDLE,
    // and so does the switch.
    let mut active = repaired + TIMES.offline;
    for words in [3, 1, 1] {
        active = heard(&rules, active, words);
    }
    let begins = rules.next_word_slot(active) + rules.time_of_words(6);
    assert_eq!(times(&world, "started", 0), [begins.ticks()], "the frame waited at its node");
    assert_eq!(times(&world, "received", 1).len(), 1);
}

#[test]
fn a_link_between_switches_of_which_one_has_failed_does_not_come_back_with_the_other() {
    let plan = layout(2, &[(0, 1)], &[0, 1], rules(Speed::G8, 10), 8);
    let mut world = World::new(plan, &switch(), RoutingName::Deterministic);
    let ms = Span::from_ms(1).ticks();
    for (at, what) in [
        (0, Planned::Switch(0, false)),
        (ms, Planned::Switch(1, false)),
        (2 * ms, Planned::Link(0, false)),
        (3 * ms, Planned::Switch(0, true)),
        (9 * ms, Planned::Send(0, frame(0, 1, 64, 0))),
        (10 * ms, Planned::Switch(1, true)),
        (19 * ms, Planned::Send(0, frame(0, 1, 64, 1))),
        (20 * ms, Planned::Link(0, true)),
        (29 * ms, Planned::Send(0, frame(0, 1, 64, 2))),
    ] {
        world.plan(at, what);
    }
    world.run(u64::MAX);
    assert_eq!((times(&world, "lost", 0).len(), times(&world, "received", 1).len()), (2, 1));
}

/// Two nodes are at a switch, and the link of the first loses R_RDYs.
fn loses_readies(rules: LinkRules, share: f64, buffers: u32, frames: u32, times: LinkTimes) -> World {
    let mut plan = layout(1, &[], &[0, 0], rules, 16);
    plan.links[0].rules = LinkRules { ready_loss: ExactProbability::from_share(share), ..rules };
    let mut world = World::new(plan, &SwitchParameters { buffers, ..switch() }, RoutingName::Deterministic);
    world.fabric = world.fabric.with_times(times);
    (0..frames).for_each(|tag| world.plan(0, Planned::Send(0, frame(0, 1, 512, tag))));
    world
}

#[test]
fn when_all_credit_is_lost_a_link_reset_brings_all_of_it_back_after_e_d_tov() {
    for (speed, metres) in [(Speed::G1, 0), (Speed::G8, 300), (Speed::G32, 5_000)] {
        let (rules, buffers) = (rules(speed, metres), 4);
        // Nine of ten R_RDYs are lost, so all credit is lost after a few frames.
        let mut world = loses_readies(rules, 0.9, buffers, 12, TIMES);
        let mut plain = loses_readies(rules, 0.9, buffers, 12, LinkTimes::default());
        plain.run(u64::MAX);
        let before = times(&plain, "started", 0).len();
        assert!(before < 12 && plain.fabric.port_credit(Time(u64::MAX), 0) == 0, "{before} frames");
        // The node has no credit from the first slot in which the next frame might have begun.
        let last = Time(*times(&plain, "started", 0).last().expect("some"))
            + rules.time_of_words(rules.frame_words(512));
        let since = rules.next_word_slot(last + rules.time_of_words(rules.gap_words));
        let mut back = since + TIME_OUT;
        // Both ends send LR, LRR and IDLE.
        for words in [3, 3, 1] {
            back = heard(&rules, back, words);
        }
        let credit = |world: &mut World, at: u64| {
            world.run(at);
            world.fabric.port_credit(Time(at), 0)
        };
        assert_eq!(credit(&mut world, back.ticks() - 1), 0, "{speed:?}, {metres} m");
        assert_eq!(credit(&mut world, back.ticks()), buffers, "{speed:?}, {metres} m: all of it");
        assert_eq!((world.fabric.frame_counts().resets, world.fabric.credit_lost()), (1, 0));
        let active = heard(&rules, back, 1);
        world.run(u64::MAX);
        let begins = rules.next_word_slot(active) + rules.time_of_words(6);
        assert_eq!(times(&world, "started", 0)[before], begins.ticks(), "{speed:?}, {metres} m");
        assert_eq!(times(&world, "received", 1).len(), 12, "nothing is lost but time");
    }
}

#[test]
fn lost_credit_costs_time_and_no_frames_with_a_reset_and_ends_all_without() {
    let run = |times: LinkTimes| {
        let mut world = loses_readies(rules(Speed::G8, 100), 0.05, 8, 4_000, times);
        world.run(u64::MAX);
        (
            world.fabric.frame_counts().received,
            world.fabric.frame_counts().resets,
            world.fabric.credit_missing(),
        )
    };
    let (received, resets, missing) = run(TIMES);
    assert_eq!(received, 4_000);
    // Some 200 of 4,000 R_RDYs are lost, and each reset brings back eight.
    assert!((15..=35).contains(&resets), "{resets}");
    assert!(missing < 8);
    let (received, resets, _) = run(LinkTimes::default());
    assert!(received < 1_000 && resets == 0, "{received}");
}

#[test]
fn what_is_in_buffers_when_a_link_is_reset_stays_there_and_counts_as_taken() {
    // The node at the other end empties no buffer for longer than E_D_TOV: the switch resets the link without
    // effect.
    let rules = LinkRules { bb_sc_n: 4, ..rules(Speed::G8, 100) };
    let plan = layout(1, &[], &[0, 0], rules, 2);
    let mut world = World::new(plan, &switch(), RoutingName::Deterministic);
    world.fabric = world.fabric.with_times(TIMES);
    world.around.takes[1] = Span::from_ms(5);
    (0..6).for_each(|tag| world.plan(0, Planned::Send(0, frame(0, 1, 512, tag))));
    world.run(Span::from_ms(40).ticks());
    let counts = world.fabric.frame_counts();
    assert_eq!((counts.received, counts.lost), (6, 0));
    assert!(counts.resets >= 4, "{}", counts.resets);
    assert_eq!((world.fabric.credit_missing(), world.fabric.occupied_switch_buffers()), (0, 0));
}

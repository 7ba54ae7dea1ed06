//! Tests of slow receivers, saturated links, the culprits that are named for them, and the bounds of each
//! countermeasure.

use crate::common::{Planned, World, frame, layout, switch};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use sansim_fabric::congestion::{CongestionParameters, CreditReturn};
use sansim_fabric::engine::{CongestedPort, CongestionCause};
use sansim_fabric::layout::{FabricLayout, LinkEndDevice};
use sansim_fabric::routing::RoutingName;
use sansim_fabric::switch::SwitchParameters;
use sansim_fc::frame::{ExchangeId, Frame, Pdu, PduKind};
use sansim_fc::link::LinkRules;
use sansim_fc::speed::Speed;
use sansim_kernel::{Span, TICKS_PER_NS, Time, Total};

const MS: u64 = 1_000_000 * TICKS_PER_NS;
const US: u64 = 1_000 * TICKS_PER_NS;

fn rules() -> LinkRules {
    LinkRules::for_fibre_channel(Speed::G8, Span::from_ns(50), false)
}

fn watched() -> SwitchParameters {
    SwitchParameters {
        congestion: CongestionParameters { watch: true, ..CongestionParameters::NONE },
        ..switch()
    }
}

/// Nodes 0 and 1 are at one switch, nodes 2 and 3 at another, with a link between the switches: 0 sends to 2, and 1 sends to 3, 2 KiB each
/// time, at the given intervals.
fn two_pairs(
    parameters: &SwitchParameters,
    change: impl Fn(&mut FabricLayout),
    every: [u64; 2],
    until: u64,
) -> World {
    let mut plan = layout(2, &[(0, 1)], &[0, 0, 1, 1], rules(), 8);
    change(&mut plan);
    let mut world = World::new(plan, parameters, RoutingName::Deterministic);
    let mut tag = 0;
    for (node, every) in [(0, every[0]), (1, every[1])] {
        for at in (0..until).step_by(every as usize) {
            // Each frame is an exchange of its own.
            let originator = ExchangeId(tag);
            world.plan(
                at,
                Planned::Send(node, Frame::from(Pdu { originator, ..*frame(node, node + 2, 2048, tag) })),
            );
            tag += 1;
        }
    }
    world.run(until);
    world
}

/// The times at which frames of a node began, or arrived at a node.
fn noted(world: &World, what: &str, node: u16) -> Vec<u64> {
    world.around.notes.iter().filter(|note| note.2 == what && note.1 == node).map(|note| note.0).collect()
}

fn names(culprits: &[CongestedPort]) -> Vec<(LinkEndDevice, LinkEndDevice, CongestionCause)> {
    culprits.iter().map(|culprit| (culprit.from, culprit.to, culprit.cause)).collect()
}

fn victims(culprit: &CongestedPort) -> Vec<(u16, u16)> {
    culprit.victims.iter().map(|victim| (victim.from, victim.to)).collect()
}

fn slow(frame_time: Span) -> impl Fn(&mut FabricLayout) {
    move |plan: &mut FabricLayout| plan.nodes[2].drain = CreditReturn { frame_time, stalls: None }
}

#[test]
fn a_receiver_that_takes_its_time_for_a_frame_has_one_in_that_time_whatever_its_credit() {
    for buffers in [1, 2, 16] {
        let mut plan = layout(1, &[], &[0, 0], rules(), buffers);
        plan.nodes[1].drain = CreditReturn { frame_time: Span(100 * US), stalls: None };
        let mut world = World::new(plan, &switch(), RoutingName::Deterministic);
        (0..100).for_each(|tag| world.plan(0, Planned::Send(0, frame(0, 1, 2048, tag))));
        world.run(u64::MAX);
        let came = noted(&world, "received", 1);
        assert_eq!(came.len(), 100);
        // With one buffer the return of the credit and the next frame add to the time.
        let beside = if buffers == 1 { 4 * US } else { 0 };
        for pair in came[40..].windows(2) {
            let gap = pair[1] - pair[0];
            assert!((100 * US - US..=100 * US + US + beside).contains(&gap), "{buffers}: {gap}");
        }
        assert_eq!((world.fabric.credit_missing(), world.fabric.credit_withheld()), (0, 0));
    }
}

/// A frame that waits for two outputs without credit leaves by one of them: then the other output has nothing to send, and
/// does not lack credit.
#[test]
fn an_output_at_which_nothing_waits_any_more_is_not_without_credit() {
    // Between the switches of nodes 0 and 1 are two other switches, each on one path.
    let mut plan = layout(4, &[(0, 1), (0, 2), (1, 3), (2, 3)], &[0, 3], rules(), 2);
    plan.nodes[1].drain = CreditReturn { frame_time: Span(20 * US), stalls: None };
    let adaptive = RoutingName::UpDownAdaptive;
    let mut world = World::new(plan, &SwitchParameters { in_order: false, buffers: 1, ..switch() }, adaptive);
    (0..60).for_each(|tag| world.plan(0, Planned::Send(0, frame(0, 1, 2048, tag))));
    world.run(u64::MAX);
    let done = noted(&world, "received", 1);
    assert_eq!(done.len(), 60);
    let end = Time(*done.last().expect("frames that came in"));
    let stalled = |at: Time| world.fabric.stalled_time(at);
    assert!(stalled(end) > Total::ZERO, "outputs were without credit");
    assert_eq!(stalled(end + Span(1_000 * MS)), stalled(end));
}

#[test]
fn a_receiver_that_stands_gives_nothing_back_until_its_time_is_over() {
    let mut plan = layout(1, &[], &[0, 0], rules(), 4);
    plan.nodes[1].drain = CreditReturn { frame_time: Span::ZERO, stalls: Some((Span(MS), Span(MS / 2))) };
    let mut world = World::new(plan, &switch(), RoutingName::Deterministic);
    (0..2_000).for_each(|tag| world.plan(0, Planned::Send(0, frame(0, 1, 2048, tag))));
    world.run(4 * MS);
    let came = noted(&world, "received", 1);
    for period in 0..3 {
        let stands =
            came.iter().filter(|&&at| (period * MS + MS / 2 + 20 * US..(period + 1) * MS).contains(&at));
        assert_eq!(stands.count(), 0, "period {period}: the credit of four frames is gone after as many");
        let goes = came.iter().filter(|&&at| (period * MS..period * MS + MS / 2).contains(&at)).count();
        assert!(goes > 150, "{goes} frames of 2.7 us in half a millisecond");
    }
}

#[test]
fn the_slow_receiver_is_named_and_the_flow_that_waits_behind_it() {
    let world = two_pairs(&watched(), slow(Span(50 * US)), [10 * US, 20 * US], 20 * MS);
    let culprits = world.fabric.congestion_culprits(Time(20 * MS));
    assert_eq!(
        names(&culprits),
        [(LinkEndDevice::Switch(1), LinkEndDevice::Node(2), CongestionCause::Withholds)],
        "{culprits:?}"
    );
    assert_eq!(victims(&culprits[0]), [(1, 3)]);
    assert!(culprits[0].stalled > 0.9 && culprits[0].holds > 0.9, "{culprits:?}");
    // Without a slow receiver no culprit is named, nor without a watch.
    let well = two_pairs(&watched(), |_| (), [10 * US, 20 * US], 20 * MS);
    assert_eq!(well.fabric.congestion_culprits(Time(20 * MS)), []);
    let unwatched = two_pairs(&switch(), slow(Span(50 * US)), [10 * US, 20 * US], 20 * MS);
    assert_eq!(unwatched.fabric.congestion_culprits(Time(20 * MS)), []);
}

#[test]
fn watching_changes_nothing() {
    let seen = two_pairs(&watched(), slow(Span(50 * US)), [10 * US, 20 * US], 20 * MS);
    let unseen = two_pairs(&switch(), slow(Span(50 * US)), [10 * US, 20 * US], 20 * MS);
    assert_eq!(seen.around.notes, unseen.around.notes);
}

#[test]
fn a_link_that_is_asked_for_more_than_it_carries_is_told_from_a_node_that_withholds_credit() {
    // Two nodes send all they can to one node; a third flow shares the link between the switches and goes
    // elsewhere.
    let mut plan = layout(2, &[(0, 1)], &[0, 0, 1, 1], rules(), 8);
    plan.links[0].rules = LinkRules::for_fibre_channel(Speed::G16, Span::from_ns(50), false);
    let mut world = World::new(plan, &watched(), RoutingName::Deterministic);
    for tag in 0..10_000_u32 {
        let (from, at) = ((tag % 2) as u16, u64::from(tag / 2) * 3 * US);
        let to = if from == 1 && tag % 10 == 1 { 3 } else { 2 };
        world.plan(at, Planned::Send(from, frame(from, to, 2048, tag)));
    }
    world.run(12 * MS);
    let culprits = world.fabric.congestion_culprits(Time(12 * MS));
    assert_eq!(
        names(&culprits),
        [(LinkEndDevice::Switch(1), LinkEndDevice::Node(2), CongestionCause::Oversubscribed)],
        "{culprits:?}"
    );
    assert_eq!(victims(&culprits[0]), [(1, 3)]);
}

// ---------------------------------------------------------------- countermeasures

/// The longest time from a frame of node 1 being handed over to its arrival at node 3, and the number of
/// arrivals.
fn of_victim(world: &World, every: u64) -> (u64, usize) {
    let came = noted(world, "received", 3);
    let waits = came.iter().enumerate().map(|(number, &at)| at - number as u64 * every);
    (waits.max().unwrap_or(0), came.len())
}

#[test]
fn a_hold_time_of_the_edge_bounds_the_wait_of_victims_by_itself() {
    // A receiver that returns no credit for nine tenths of the time.
    let stands = |plan: &mut FabricLayout| {
        plan.nodes[2].drain =
            CreditReturn { frame_time: Span::ZERO, stalls: Some((Span(10 * MS), Span(9 * MS))) };
    };
    for hold in [100 * US, 500 * US, 2 * MS] {
        // The victim sends one frame in a hold time.
        let every = [10 * US, hold];
        let without = two_pairs(&switch(), stands, every, 40 * MS);
        assert!(of_victim(&without, hold).0 > 6 * MS, "they wait for as long as it stands");
        let congestion =
            CongestionParameters { edge_hold_time: Some(Span(hold)), ..CongestionParameters::NONE };
        let with = two_pairs(&SwitchParameters { congestion, ..switch() }, stands, every, 40 * MS);
        let (longest, came) = of_victim(&with, hold);
        // All frames that occupy buffers of the second switch are gone after the hold time, and the two inputs of the first switch are
        // served in turn. In addition there are frames on the links: the eight frames that had come in a row, and the victim's own.
        assert!(longest <= hold + 40 * US, "{hold}: {longest}");
        assert!(came as u64 >= 40 * MS / hold - 2, "{came}");
        assert!(with.fabric.frame_counts().discarded > 0);
        assert_eq!(noted(&with, "lost", 1), Vec::<u64>::new(), "no frame of the victim is");
    }
}

#[test]
fn an_ingress_limit_below_what_the_slow_receiver_takes_leaves_victims_as_they_would_be_without_it() {
    let every = [10 * US, 20 * US];
    let well = two_pairs(&switch(), |_| (), every, 20 * MS);
    let ill = two_pairs(&switch(), slow(Span(50 * US)), every, 20 * MS);
    // The rate is 41 MB/s, which is 2048 bytes in 50 us.
    let limited = two_pairs(
        &switch(),
        |plan| {
            slow(Span(50 * US))(plan);
            plan.nodes[0].limit = Some(40_000_000);
        },
        every,
        20 * MS,
    );
    assert!(of_victim(&ill, every[1]).0 > MS);
    let (longest, came) = of_victim(&limited, every[1]);
    assert!(came >= of_victim(&well, every[1]).1 - 1);
    assert!(
        longest <= of_victim(&well, every[1]).0 + 6 * US,
        "two frames on the link before it at most: {longest}"
    );
    // The limit has the given value: 2048 bytes at 40 MB/s take 51.2 us.
    let began = noted(&limited, "started", 0);
    assert!(began.windows(2).all(|pair| pair[1] - pair[0] >= 51_200 * TICKS_PER_NS), "{:?}", &began[..5]);
    assert!(began.len() > 380, "{}", began.len());
}

#[test]
fn in_quarantine_only_frames_for_the_culprit_wait_from_the_end_of_the_period_on() {
    let every = [10 * US, 20 * US];
    let quarantine = |quarantine| SwitchParameters {
        channels: 2,
        congestion: CongestionParameters { quarantine, period: Span(MS), ..CongestionParameters::NONE },
        ..switch()
    };
    // Without quarantine both flows use one channel, because their destinations are two apart.
    let with = two_pairs(&quarantine(true), slow(Span(50 * US)), every, 20 * MS);
    assert!(with.fabric.congested_period_count() > 0);
    let handed = |number: u64| number * every[1];
    let came = noted(&with, "received", 3);
    // A frame that was handed over 9 ms after the end of the first congested period is as fast as without congestion: it meets at most one
    // frame on each link.
    let late: Vec<u64> =
        (0..).zip(&came).filter(|(n, _)| handed(*n) > 10 * MS).map(|(n, &at)| at - handed(n)).collect();
    assert!(late.len() > 450, "{}", late.len());
    assert!(late.iter().all(|&took| took < 20 * US), "{:?}", late.iter().max());
    let mut one = switch();
    one.channels = 1;
    let without = two_pairs(&one, slow(Span(50 * US)), every, 20 * MS);
    assert!(of_victim(&without, every[1]).0 > MS);
}

#[test]
fn after_a_notice_nodes_send_to_the_culprit_at_the_rate_of_notices_and_to_others_as_they_like() {
    let every = [10 * US, 20 * US];
    let congestion = CongestionParameters {
        period: Span(MS),
        notice_rate: Some(30_000_000),
        ..CongestionParameters::NONE
    };
    let with = two_pairs(&SwitchParameters { congestion, ..switch() }, slow(Span(50 * US)), every, 20 * MS);
    // A frame of 2048 bytes at 30 MB/s takes 68.3 us.
    let began = noted(&with, "started", 0);
    let later: Vec<u64> = began.iter().copied().filter(|&at| at > 3 * MS).collect();
    assert!(later.windows(2).all(|pair| pair[1] - pair[0] >= 68_266 * TICKS_PER_NS), "{:?}", &later[..5]);
    assert!(later.len() > 240, "{}", later.len());
    let came = noted(&with, "received", 3);
    let late = (0..).zip(&came).filter(|(n, _)| n * every[1] > 10 * MS).map(|(n, &at)| at - n * every[1]);
    let late: Vec<u64> = late.collect();
    assert!(late.len() > 450 && late.iter().all(|&took| took < 20 * US), "{:?}", late.iter().max());
}

#[test]
fn a_node_that_signals_tell_asks_for_no_more_than_their_rate_and_sends_what_else_it_has_as_it_likes() {
    let congestion = CongestionParameters {
        period: Span(MS),
        signal_rate: Some(30_000_000),
        ..CongestionParameters::NONE
    };
    let parameters = SwitchParameters { congestion, ..switch() };
    let mut plan = layout(2, &[(0, 1)], &[0, 0, 1, 1], rules(), 8);
    slow(Span(50 * US))(&mut plan);
    let mut world = World::new(plan, &parameters, RoutingName::Deterministic);
    // Node 0 floods node 2, which is slow. Node 2 itself asks node 1 for 6000 bytes every 20 us, and answers
    // node 3 in between.
    for (number, at) in (0..20 * MS).step_by(20 * US as usize).enumerate() {
        let tag = 3 * number as u32;
        world.plan(at, Planned::Send(0, frame(0, 2, 2048, tag)));
        let asks =
            Frame::from(Pdu { kind: PduKind::Command, burst_bytes: 6_000, ..*frame(2, 1, 32, tag + 1) });
        world.plan(at, Planned::Send(2, asks));
        world.plan(at + 10 * US, Planned::Send(2, frame(2, 3, 24, tag + 2)));
    }
    world.run(20 * MS);
    let began = |what: u32| -> Vec<u64> {
        let of_it = |note: &&crate::common::Note| note.1 == 2 && note.2 == "started" && note.3 % 3 == what;
        world.around.notes.iter().filter(of_it).map(|note| note.0).collect()
    };
    let (asking, answering) = (began(1), began(2));
    // Within the first period node 2 asks as often as it likes; then once for each 200 us, which 6000 bytes
    // take at 30 MB/s.
    assert!(asking.iter().filter(|&&at| at < MS).count() >= 49);
    let later: Vec<u64> = asking.into_iter().filter(|&at| at > MS).collect();
    assert!(later.windows(2).all(|pair| pair[1] - pair[0] >= 200 * US), "{:?}", &later[..5]);
    assert!(later.len() >= 90, "{}", later.len());
    assert_eq!(answering.len(), 1_000, "the others are not held up");
}

// ---------------------------------------------------------------- tests in random fabrics

/// A tree of switches, each with nodes, and flows from one node to another. One of the flows goes to the planted
/// culprit.
#[derive(Clone, Debug)]
struct Planted {
    switches: usize,
    links: Vec<(u16, u16)>,
    nodes: Vec<u16>,
    flows: Vec<(u16, u16)>,
    culprit: u16,
    withholds: bool,
}

fn planted() -> impl Strategy<Value = Planted> {
    (2_usize..6, any::<bool>()).prop_flat_map(|(switches, withholds)| {
        let tree = proptest::collection::vec(0_usize..100, switches - 1);
        (tree, proptest::collection::vec(0..switches, 6..14), Just(switches), Just(withholds), any::<u64>())
            .prop_map(|(tree, nodes, switches, withholds, seed)| {
                let links =
                    tree.iter().enumerate().map(|(s, to)| ((to % (s + 1)) as u16, s as u16 + 1)).collect();
                let count = nodes.len() as u64;
                // Each node sends to a node other than itself; receivers and senders are different nodes, so that no node is held
                // up by its own port.
                let half = count / 2;
                let culprit = (half + seed % (count - half)) as u16;
                let flows = (0..half).map(|from| {
                    let to = half + (seed >> (from % 40)) % (count - half);
                    (from as u16, to as u16)
                });
                let mut flows: Vec<(u16, u16)> = flows.collect();
                // At least two nodes send to the culprit, from other switches if there are any.
                flows[0].1 = culprit;
                flows[1].1 = culprit;
                let nodes = nodes.into_iter().map(|switch| switch as u16).collect();
                Planted { switches, links, nodes, flows, culprit, withholds }
            })
    })
}

impl Planted {
    fn way(&self, from: u16, to: u16) -> Vec<(u16, u16)> {
        // In a tree there is exactly one path.
        let (from, to) = (self.nodes[usize::from(from)], self.nodes[usize::from(to)]);
        let mut ways = vec![vec![from]];
        loop {
            let longer: Vec<Vec<u16>> = ways
                .iter()
                .flat_map(|way| {
                    let last = way[way.len() - 1];
                    let next = self.links.iter().filter_map(move |&(one, other)| {
                        (one == last).then_some(other).or((other == last).then_some(one))
                    });
                    next.filter(|next| !way.contains(next)).map(|next| [&way[..], &[next]].concat())
                })
                .collect();
            if let Some(way) = ways.iter().find(|way| way.last() == Some(&to)) {
                return way.windows(2).map(|pair| (pair[0], pair[1])).collect();
            }
            ways = longer;
        }
    }

    /// The flows that share a link between switches with a flow to the culprit, or with a flow that does, and do not go
    /// to the culprit.
    fn may_suffer(&self) -> Vec<(u16, u16)> {
        let mut stuck: Vec<(u16, u16)> =
            self.flows.iter().copied().filter(|flow| flow.1 == self.culprit).collect();
        loop {
            let ways: Vec<(u16, u16)> = stuck.iter().flat_map(|&(from, to)| self.way(from, to)).collect();
            let more = self
                .flows
                .iter()
                .copied()
                .filter(|flow| !stuck.contains(flow))
                .find(|&(from, to)| self.way(from, to).iter().any(|link| ways.contains(link)));
            match more {
                Some(flow) => stuck.push(flow),
                None => return stuck.into_iter().filter(|flow| flow.1 != self.culprit).collect(),
            }
        }
    }

    /// The flows that share a link with a flow to the culprit itself, which must be victims.
    fn suffer(&self) -> Vec<(u16, u16)> {
        let to_it = self.flows.iter().filter(|flow| flow.1 == self.culprit);
        let ways: Vec<(u16, u16)> = to_it.flat_map(|&(from, to)| self.way(from, to)).collect();
        let others = self.flows.iter().copied().filter(|flow| flow.1 != self.culprit);
        others.filter(|&(from, to)| self.way(from, to).iter().any(|link| ways.contains(link))).collect()
    }

    fn run(&self, until: u64) -> World {
        let mut plan = layout(self.switches, &self.links, &self.nodes, rules(), 8);
        for link in &mut plan.links {
            if link.ends.iter().all(|end| matches!(end, LinkEndDevice::Switch(_))) {
                // The links are fast enough for all flows: only the planted culprit is too slow.
                link.rules = LinkRules::for_fibre_channel(Speed::G64, Span::from_ns(50), false);
            }
        }
        if self.withholds {
            plan.nodes[usize::from(self.culprit)].drain =
                CreditReturn { frame_time: Span(60 * US), stalls: None };
        }
        let mut world = World::new(plan, &watched(), RoutingName::Deterministic);
        let mut tag = 0;
        for &(from, to) in &self.flows {
            // The culprit gets all that a link carries, a frame of 2 KiB in 2.7 us; other nodes get far less.
            let every = match to == self.culprit {
                true if self.withholds => 20 * US,
                true => 3 * US,
                false => 40 * US,
            };
            for at in (0..until).step_by(every as usize) {
                world.plan(at + u64::from(from) * US, Planned::Send(from, frame(from, to, 2048, tag)));
                tag += 1;
            }
        }
        world.run(until);
        world
    }
}

#[test]
fn in_a_hundred_random_fabrics_the_planted_culprit_and_its_victims_are_named() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut slow, mut with_victims) = (0, 0);
    for number in 0..100 {
        let planted = planted().new_tree(&mut runner).expect("a fabric").current();
        let world = planted.run(10 * MS);
        let culprits = world.fabric.congestion_culprits(Time(10 * MS));
        let at = LinkEndDevice::Switch(planted.nodes[usize::from(planted.culprit)]);
        let cause =
            if planted.withholds { CongestionCause::Withholds } else { CongestionCause::Oversubscribed };
        assert_eq!(
            names(&culprits),
            [(at, LinkEndDevice::Node(planted.culprit), cause)],
            "{number}: {planted:?} {culprits:?}"
        );
        let named = victims(&culprits[0]);
        let (least, most) = (planted.suffer(), planted.may_suffer());
        assert!(
            least.iter().all(|flow| named.contains(flow)),
            "{number}: {planted:?} {culprits:?} {least:?}"
        );
        assert!(named.iter().all(|flow| most.contains(flow)), "{number}: {planted:?} {culprits:?} {most:?}");
        slow += usize::from(planted.withholds);
        with_victims += usize::from(!least.is_empty());
    }
    println!("{slow} slow receivers, {with_victims} with victims");
    assert!((30..70).contains(&slow) && with_victims > 30, "{slow} {with_victims}");
}

//! Tests of links and switches that fail: single frames by hand, and laws.

use super::*;

/// Two nodes, at switches 0 and 3, with a path by switch 1 and one by switch 2. The links are 0-1, 0-2, 1-3, 2-3, and those to the nodes.
fn diamond() -> EthernetPlan {
    EthernetPlan { may_fail: true, ..plan(&[(0, 1), (0, 2), (1, 3), (2, 3)], 4, &[0, 3], Span::from_ns(50)) }
}

/// The parts of [`diamond`] are four switches and six links.
fn link(number: usize) -> usize {
    4 + number
}

/// The middle switch that a frame with this tag takes, by a run in which nothing fails.
fn by(flow: u32) -> usize {
    1 + frame::path_of_flow(flow, 0, 2)
}

#[test]
fn a_frame_on_a_failing_link_is_lost_and_the_next_takes_the_other_path() {
    let one = frame(0, 1, 1, 1_250);
    let first = by(one.flow);
    let mut run = Run::new(&diamond());
    run.hand_over(at_ns(0), one);
    run.hand_over(at_ns(3_000), frame(0, 1, 2, 1_250));
    // The frame is on the link to the middle switch from 1,050 to 2,100 ns.
    run.act(at_ns(1_500), link(first - 1), false);
    run.run(|_| ());
    assert_eq!(run.lost.iter().map(|one| (one.0, one.1.tag)).collect::<Vec<_>>(), [(at_ns(1_500), 1)]);
    // Four frames and four cables after it began.
    assert_eq!(
        run.arrived.iter().map(|one| (one.0, one.1.tag)).collect::<Vec<_>>(),
        [(at_ns(3_000 + 4_200), 2)]
    );
    assert_eq!((run.switches.frames_inside(), run.switches.balance().lost), (0, 1));
}

#[test]
fn a_frame_that_has_reached_a_switch_survives_its_link_and_not_the_switch() {
    let flow = frame(0, 1, 1, 1_250).flow;
    for (part, survives) in [(link(by(flow) - 1), true), (by(flow), false)] {
        let mut of = diamond();
        of.switch.latency = Span::from_ns(500);
        let mut run = Run::new(&of);
        run.hand_over(at_ns(0), frame(0, 1, 1, 1_250));
        // With its latency the first switch sends from 1,550 ns on; the last bit is at the second at 2,600 ns, which acts at 3,100 ns.
        run.act(at_ns(2_700), part, false);
        run.run(|_| ());
        assert_eq!((run.arrived.len(), run.lost.len()), (usize::from(survives), usize::from(!survives)));
    }
}

/// Until paths have converged, frames to the dead link are lost where it begins.
#[test]
fn frames_are_lost_until_routing_has_converged_after_a_failure_and_find_no_link_before_after_a_repair() {
    let mut of = diamond();
    of.switch.convergence_time = Span::from_us(100);
    let mut run = Run::new(&of);
    let flow = frame(0, 1, 0, 1_250).flow;
    run.act(at_ns(50_000), link(by(flow) - 1), false);
    run.act(at_ns(300_000), link(by(flow) - 1), true);
    for tag in 0..50 {
        run.hand_over(at_ns(u64::from(tag) * 10_000), frame(0, 1, tag, 1_250));
    }
    run.run(|_| ());
    // Frame 5 begins at 50 us; the frame that begins at 150 us is at the first switch when paths have changed.
    let lost: Vec<u32> = run.lost.iter().map(|one| one.1.tag).collect();
    assert_eq!(lost, (5..15).collect::<Vec<u32>>());
    assert_eq!(run.arrived.len(), 40);
}

#[test]
fn a_node_whose_link_is_dead_goes_on_sending_and_all_of_it_is_lost() {
    let mut run = Run::new(&diamond());
    run.act(at_ns(0), link(4), false);
    run.act(at_ns(2_500), link(4), true);
    for tag in 0..4 {
        run.hand_over(at_ns(10), frame(0, 1, tag, 1_250));
    }
    run.run(|_| ());
    // Each takes a microsecond; the third had begun before the repair.
    assert_eq!(run.left.iter().map(|one| one.0).collect::<Vec<_>>(), [1_010, 2_010, 3_010, 4_010].map(at_ns));
    assert_eq!(run.lost.len(), 3);
    assert_eq!(run.arrived.len(), 1);
}

/// The switch asks a node to pause, and the link fails and works again: the node knows of no pause, and the switch asks again.
#[test]
fn a_link_that_works_again_knows_of_no_pause_and_is_asked_again() {
    let mut of = plan(&[], 1, &[0, 0], Span::from_ns(50));
    of.may_fail = true;
    of.classes[0].lossless = true;
    of.classes[0].pause_above = 10_000;
    of.classes[0].resume_below = 5_000;
    of.slow = vec![(0, TEN / 20, 0)];
    let mut run = Run::new(&of);
    for tag in 0..100 {
        run.hand_over(at_ns(0), frame(1, 0, tag, 1_250));
    }
    // Parts: one switch, the links of nodes 0 and 1.
    run.act(at_ns(100_000), 2, false);
    run.act(at_ns(101_000), 2, true);
    run.run(|switches| {
        let port = &switches.ports[switches.node_ports[1] as usize ^ 1];
        let rule = port.pause_rules[0].expect("a lossless class");
        assert!(port.came_in[0] <= rule.most_bytes());
    });
    assert_eq!(run.arrived.len() + run.lost.len(), 100);
    assert_eq!(run.switches.frames_inside(), 0);
    // At most the frames in flight, or begun within the microsecond, are lost; without the second pause the thresholds above would not hold.
    assert!(run.lost.len() <= 2, "{}", run.lost.len());
    assert!(run.switches.usage(run.switches.node_port(1) ^ 1).pauses >= 3);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sansim_trials::case_count(300)) })]

    /// Whatever fails and is repaired, each frame arrives or is lost, once, and no memory is left over; what is handed over after all has been repaired
    /// and has converged arrives, if no memory is limited.
    #[test]
    fn frames_are_conserved_whatever_fails(
        (of, frames) in any_network(),
        actions in prop::collection::vec((0_u64..250_000, 0_usize..20, 0_u64..60_000), 0..8),
        convergence_us in prop_oneof![Just(0_u64), 1..50_u64],
    ) {
        let mut of = EthernetPlan { may_fail: true, ..of };
        of.switch.convergence_time = Span::from_us(convergence_us);
        let parts = of.layout.switches.len() + of.layout.links.len();
        let mut run = Run::new(&of);
        let frames_inside = frames.len();
        for &(ns, frame) in &frames {
            run.hand_over(at_ns(ns), frame);
        }
        for &(ns, part, lasts) in &actions {
            run.act(at_ns(ns), part % parts, false);
            run.act(at_ns(ns + 1 + lasts), part % parts, true);
        }
        // At the end all parts work.
        for part in 0..parts {
            run.act(at_ns(400_000), part, true);
        }
        let nodes = of.layout.nodes.len() as u16;
        for from in 0..nodes {
            let late = frame(from, (from + 1) % nodes, 100_000 + u32::from(from), 500);
            run.hand_over(at_ns(50_000_000 + 10_000 * u64::from(from)), late);
        }
        run.run(|_| ());
        prop_assert_eq!(run.arrived.len() + run.lost.len(), frames_inside + usize::from(nodes));
        prop_assert_eq!(run.switches.frames_inside(), 0);
        let mut tags: Vec<u32> = run.arrived.iter().chain(&run.lost).map(|one| one.1.tag).collect();
        tags.sort_unstable();
        tags.dedup();
        prop_assert_eq!(tags.len(), frames_inside + usize::from(nodes));
        for switch in 0..of.layout.switches.len() as u16 {
            prop_assert_eq!(run.switches.memory_bytes(switch), 0);
        }
        for port in &run.switches.ports {
            prop_assert_eq!((port.waiting_bytes, port.came_in, port.paused, port.asked), (0, [0; frame::MOST_CLASSES], 0, 0));
        }
        let late = run.arrived.iter().filter(|one| one.1.tag >= 100_000).count();
        prop_assert_eq!(late, usize::from(nodes), "{:?}", run.lost);
    }
}

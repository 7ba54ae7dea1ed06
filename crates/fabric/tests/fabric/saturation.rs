//! The throughput of one switch when all its nodes send without end to nodes drawn at random is compared with the theory of its
//! queueing.
//!
//! Source: Karol, Hluchyj and Morgan (1987), table I: frames of one length in slots, one FIFO at each input, uniform destinations; the
//! limit for many ports is 2 - sqrt(2).

use crate::common::{Planned, World, frame, layout, switch};
use sansim_fabric::routing::RoutingName;
use sansim_fabric::switch::{ArbiterName, Crossbar, InputQueueing, SwitchParameters};
use sansim_fc::link::LinkRules;
use sansim_kernel::{RandomStream, Span};

/// The number of words of a frame; a word takes one tick.
const WORDS: u64 = 16;

/// The share of the time in which the outputs of a switch with this number of ports are busy.
fn carried(ports: u16, parameters: &SwitchParameters, slots: u64) -> f64 {
    let rules = LinkRules::without_coding(Span(1), 4, 1, Span::ZERO);
    let mut world =
        World::new(layout(1, &[], &vec![0; ports.into()], rules, 1), parameters, RoutingName::Deterministic);
    let mut random = RandomStream::new(u64::from(ports), "saturation");
    let mut tag = 0;
    for from in 0..ports {
        for _ in 0..slots {
            let to = random.draw_below(ports.into()) as u16;
            world.plan(0, Planned::Send(from, frame(from, to, 4 * WORDS as u32, tag)));
            tag += 1;
        }
    }
    let (begin, end) = (slots / 10 * WORDS, slots / 2 * WORDS);
    world.run(begin);
    let before: u64 = world.around.received.iter().sum();
    world.run(end);
    let after: u64 = world.around.received.iter().sum();
    (after - before) as f64 * WORDS as f64 / ((end - begin) as f64 * f64::from(ports))
}

fn fifo() -> SwitchParameters {
    SwitchParameters { buffers: 4, queueing: InputQueueing::Fifo, crossbar: Crossbar::PerPort, ..switch() }
}

#[test]
fn with_a_fifo_at_each_input_the_first_frame_keeps_those_behind_it() {
    for (ports, known) in [(2, 0.75), (4, 0.6553), (8, 0.6184), (32, 0.5926)] {
        for arbiter in [ArbiterName::RoundRobin, ArbiterName::Oldest] {
            let carries = carried(ports, &SwitchParameters { arbiter: arbiter.into(), ..fifo() }, 20_000);
            println!("{ports} ports, {arbiter}: {carries:.4}, known {known}");
            assert!(
                (carries / known - 1.0).abs() < 0.02,
                "{ports} ports, {arbiter}: {carries}, known {known}"
            );
        }
    }
}

#[test]
fn with_queues_for_each_output_a_switch_carries_all() {
    for crossbar in [Crossbar::PerBuffer, Crossbar::PerPort] {
        for ports in [2, 4, 8] {
            let carries = carried(
                ports,
                &SwitchParameters { buffers: 128, queueing: InputQueueing::PerOutput, crossbar, ..switch() },
                20_000,
            );
            println!("{ports} ports, {crossbar}: {carries:.4}");
            assert!(carries > 0.98, "{ports} ports, {crossbar}: {carries}");
        }
    }
}

#[test]
fn a_limit_on_transactions_limits_what_passes() {
    let parameters = SwitchParameters { buffers: 64, transactions: Some(2), ..switch() };
    let carries = carried(8, &parameters, 4_000);
    assert!((carries / 0.25 - 1.0).abs() < 0.02, "two of eight outputs at a time: {carries}");
}

#[test]
fn a_limit_on_the_cross_section_limits_the_sum_of_rates() {
    // The rate of a link with a word of four bytes in a tick of 1/561 ns.
    let link = 4 * 561_000_000_000;
    for (links, share) in [(1, 0.125), (3, 0.375)] {
        let parameters = SwitchParameters { buffers: 64, cross_section: Some(links * link), ..switch() };
        let carries = carried(8, &parameters, 4_000);
        assert!((carries / share - 1.0).abs() < 0.02, "{links} of eight outputs at a time: {carries}");
    }
}

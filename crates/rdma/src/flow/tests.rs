use super::*;
use proptest::prelude::*;

fn rules(payload: u64) -> PacketRules {
    PacketRules { payload, ack_every: 256 }
}

fn unit(bytes: u32) -> Pdu {
    Pdu { payload_bytes: bytes, ..Pdu::example() }
}

fn all_packets(flow: &mut RdmaFlow, most: u64) -> Vec<(u64, u64, bool, bool)> {
    let mut packets = Vec::new();
    while let Some(packet) = flow.next_packet(rules(most), false) {
        let _ = flow.begin_packet(packet).count();
        packets.push((packet.begin, packet.end, packet.first, packet.last));
    }
    packets
}

#[test]
fn packets_are_cut_from_the_begin_of_a_message_whatever_its_parts() {
    let mut flow = RdmaFlow::default();
    flow.hand_over(unit(64), RdmaOperation::Send, 64, true);
    for part in 0..3 {
        flow.hand_over(unit(2_112), RdmaOperation::Write, 2_112, part == 2);
    }
    let packets = all_packets(&mut flow, 4_096);
    assert_eq!(packets, [(0, 64, true, true), (64, 4_160, true, false), (4_160, 6_400, false, true)]);
}

#[test]
fn a_message_that_is_cut_takes_nothing_of_the_next_into_its_packets() {
    let mut flow = RdmaFlow::default();
    flow.hand_over(unit(2_112), RdmaOperation::Write, 2_112, false);
    flow.hand_over(unit(16), RdmaOperation::Send, 16, true);
    let packets = all_packets(&mut flow, 4_096);
    assert_eq!(packets, [(0, 2_112, true, true), (2_112, 2_128, true, true)]);
}

#[test]
fn a_part_that_does_not_fill_a_packet_waits_for_the_next() {
    let mut flow = RdmaFlow::default();
    flow.hand_over(unit(2_112), RdmaOperation::Write, 2_112, false);
    assert_eq!(flow.next_packet(rules(4_096), false), None);
    assert_eq!(
        flow.next_packet(rules(4_096), true).map(|packet| (packet.end, packet.last)),
        Some((2_112, false))
    );
    flow.hand_over(unit(2_112), RdmaOperation::Write, 2_112, false);
    assert_eq!(
        flow.next_packet(rules(4_096), false).map(|packet| (packet.begin, packet.end)),
        Some((0, 4_096))
    );
}

#[test]
fn one_of_many_packets_asks_for_an_acknowledgement_and_the_last_of_a_message() {
    let mut flow = RdmaFlow::default();
    flow.hand_over(unit(7_000), RdmaOperation::Write, 7_000, true);
    let mut asks = Vec::new();
    while let Some(packet) = flow.next_packet(PacketRules { payload: 1_000, ack_every: 3 }, false) {
        let _ = flow.begin_packet(packet).count();
        asks.push(packet.asks);
    }
    assert_eq!(asks, [false, false, true, false, false, true, true]);
}

#[test]
fn a_receiver_reports_a_missing_packet_once_and_the_sender_goes_back() {
    let mut flow = RdmaFlow::default();
    flow.hand_over(unit(4_000), RdmaOperation::Write, 4_000, true);
    let mut packets = Vec::new();
    while let Some(packet) = flow.next_packet(rules(1_000), false) {
        let _ = flow.begin_packet(packet).count();
        packets.push(packet);
    }
    let actions: Vec<ReceiverAction> =
        [0, 2, 3].map(|number: usize| flow.packet_arrives(packets[number])).to_vec();
    use ReceiverAction::{Acknowledge, Nothing, ReportMissing};
    assert_eq!(actions, [Nothing, ReportMissing, Nothing]);
    assert!(flow.report_arrives(flow.received()));
    let again = flow.next_packet(rules(1_000), false).expect("again");
    assert_eq!((again.begin, flow.is_sent_before(again)), (1_000, true));
    for &packet in &packets[1..] {
        let _ = flow.begin_packet(packet).count();
        let action = flow.packet_arrives(packet);
        assert_eq!(action, if packet.last { Acknowledge } else { Nothing });
    }
    assert!(flow.awaits_acknowledgement() && flow.acknowledgement_arrives(4_000));
    assert!(!flow.awaits_acknowledgement());
    assert_eq!((flow.bytes_left(), flow.next_packet(rules(1_000), false)), (0, None));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sansim_trials::case_count(300)) })]

    /// Whatever is lost, with time-outs each part arrives once, and in order.
    #[test]
    fn every_part_arrives_once_and_in_order(
        messages in prop::collection::vec(prop::collection::vec(0_u64..3_000, 1..4), 1..12),
        losses in prop::collection::vec(any::<bool>(), 0..60),
        most in 256_u64..4_096,
        ack_every in 1_u32..5,
    ) {
        let mut flow = RdmaFlow::default();
        let mut number = 0;
        for message in &messages {
            for (place, &bytes) in message.iter().enumerate() {
                let part = Pdu { offset: number, ..unit(bytes as u32) };
                flow.hand_over(part, RdmaOperation::Send, bytes, place + 1 == message.len());
                number += 1;
            }
        }
        let mut losses = losses.into_iter();
        let mut arrived = Vec::new();
        for _ in 0..10_000 {
            let Some(packet) = flow.next_packet(PacketRules { payload: most, ack_every }, false) else {
                if flow.bytes_left() == 0 && !flow.awaits_acknowledgement() {
                    break;
                }
                flow.timed_out();
                continue;
            };
            flow.begin_packet(packet).for_each(drop);
            while flow.next_sent_part(packet).is_some() {}
            if losses.next() == Some(true) {
                continue;
            }
            let action = flow.packet_arrives(packet);
            while let Some(part) = flow.next_arrived_part() {
                arrived.push(part.unit.offset);
            }
            if action != ReceiverAction::Nothing && losses.next() != Some(true) {
                if action == ReceiverAction::Acknowledge {
                    flow.acknowledgement_arrives(flow.received());
                } else {
                    flow.report_arrives(flow.received());
                }
            }
        }
        prop_assert_eq!(arrived, (0..number).collect::<Vec<_>>());
        prop_assert!(!flow.awaits_acknowledgement());
    }
}

//! Tests of nodes with RDMA, input by input, and of their laws.

use super::*;
use crate::contract::Network;
use crate::ethernet::{EthernetKeys, EthernetNetwork, EthernetParameters, Transport};
use crate::tcp::{meter, node_address};
use proptest::prelude::*;
use sansim_component::Component;
use sansim_component::bench::{ComponentBench, InputEffects, instant_at_us, sample_read};
use sansim_fabric::ethernet::EthernetSwitches;
use sansim_kernel::{RandomStream, Span};
use sansim_pdu::{ExchangeId, Pdu, PduKind, RequestTag};
use sansim_request::RequestId;
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;
use std::collections::HashMap;

const STATIONS: [&str; 5] = ["host", "store", "other", "more", "last"];

/// An Ethernet of 10 Gb/s with RDMA: a host, and targets.
fn network(targets: usize, keys: &str) -> ComponentBench<EthernetNetwork> {
    let stations = &STATIONS[..=targets];
    let text = format!("speed = \"10GbE\"\ntransport = \"rdma\"\nstations = {stations:?}\n{keys}");
    let parameters = EthernetParameters::from_toml(&text, &Facts::default()).expect("a network");
    assert_eq!(parameters.stations().len(), targets + 1);
    let nodes: Vec<RdmaNode> =
        (0..=targets).map(|node| RdmaNode::new(usize::from(node > 0), 1 << 20)).collect();
    let settings = RdmaSettings {
        keys: &parameters.rdma,
        mtu: parameters.mtu,
        overhead: parameters.frame_overhead,
        classes: Vec::new(),
    };
    let switches = EthernetSwitches::new(&parameters.plan(stations), |name| RandomStream::new(1, name));
    let rdma = RdmaEndpoints::new(settings, (0..=targets).map(node_address).collect(), nodes);
    let network = EthernetNetwork::new(switches, Transport::Rdma(Box::new(rdma)));
    ComponentBench::new(network, targets as u16 + 1)
}

fn unit(request: RequestId, from: usize, to: usize, kind: PduKind, bytes: u32) -> Pdu {
    Pdu {
        tag: RequestTag(request.0),
        originator: ExchangeId(request.0),
        source: node_address(from),
        destination: node_address(to),
        payload_bytes: bytes,
        kind,
        last_of_unit: true,
        last_of_data: true,
        ..Pdu::example()
    }
}

/// A target writes data into the memory of the host, handed over in parts of 2 KiB.
fn write_to_host(bench: &mut ComponentBench<EthernetNetwork>, now: Time, from: usize, bytes: u32) {
    let request = bench.open_request(now, sample_read(0, 512));
    let mut left = bytes;
    while left > 0 {
        let size = left.min(2_048);
        left -= size;
        let last = left == 0;
        let part = Pdu {
            offset: left,
            last_of_unit: last,
            last_of_data: last,
            ..unit(request, from, 0, PduKind::Data, size)
        };
        bench.receive(now, from as u16, Message::Send(part));
    }
}

fn all_events(bench: &mut ComponentBench<EthernetNetwork>) -> Vec<(Time, InputEffects)> {
    let mut happened = Vec::new();
    while let Some(at) = bench.next_timer_time() {
        happened.push((at, bench.handle_due_timer(at)));
    }
    happened
}

fn received(happened: &[(Time, InputEffects)]) -> Vec<(Time, u16, Pdu)> {
    let of = |(at, did): &(Time, InputEffects)| {
        let at = *at;
        let units = did.sent.iter().filter_map(move |&(port, message)| match message {
            Message::Received(unit) => Some((at, port, unit)),
            _ => None,
        });
        units.collect::<Vec<_>>()
    };
    happened.iter().flat_map(of).collect()
}

fn count(bench: &ComponentBench<EthernetNetwork>, meter: usize) -> u64 {
    bench.component.meter(instant_at_us(1_000_000_000), meter).0 as u64
}

/// The time of so many bytes at 10 Gb/s.
fn ten(bytes: u64) -> Span {
    Span::to_move(bytes, 1_250_000_000)
}

#[test]
fn a_command_capsule_is_a_packet_that_is_acknowledged() {
    let mut bench = network(1, "");
    let request = bench.open_request(instant_at_us(0), sample_read(0, 512));
    bench.receive(instant_at_us(0), 0, Message::Send(unit(request, 0, 1, PduKind::Command, 64)));
    let happened = all_events(&mut bench);
    // 64 bytes and 82 around them, on two links; the acknowledgement has 86.
    assert_eq!(received(&happened)[0].0, instant_at_us(0) + ten(146) * 2);
    assert_eq!(happened.last().map(|last| last.0), Some(instant_at_us(0) + ten(146) * 2 + ten(86) * 2));
    assert_eq!((count(&bench, meter::DATA_FRAMES), count(&bench, meter::ACKS)), (1, 1));
}

#[test]
fn data_of_a_read_are_packets_of_the_path_mtu_of_which_the_first_names_the_memory() {
    // With datagrams of 9,000 bytes packets have 4,096 bytes of payload, with 1,500 they have 1,024.
    for (mtu, packets, last, first_bytes) in [(9_000, 16, 4_178, 4_194), (1_500, 64, 1_106, 1_122)] {
        let mut bench = network(1, &format!("mtu = \"{mtu} B\""));
        write_to_host(&mut bench, instant_at_us(0), 1, 65_536);
        let came = received(&all_events(&mut bench));
        let all = ten(first_bytes) * 2 + ten(last) * (packets - 1);
        assert_eq!(came.last().map(|came| came.0), Some(instant_at_us(0) + all));
        assert_eq!((count(&bench, meter::DATA_FRAMES), count(&bench, meter::ACKS)), (packets, 1));
    }
}

#[test]
fn a_lost_packet_makes_the_sender_go_back() {
    let mut bench = network(1, "mtu = \"9000 B\"\nframe_loss = 0.05\nrdma.time_out = \"1 ms\"");
    write_to_host(&mut bench, instant_at_us(0), 1, 4_000_000);
    let came = received(&all_events(&mut bench));
    let bytes: u64 = came.iter().map(|(_, _, unit)| u64::from(unit.payload_bytes)).sum();
    assert_eq!(bytes, 4_000_000);
    let (sent, again, lost) =
        (count(&bench, meter::DATA_FRAMES), count(&bench, meter::AGAIN), count(&bench, meter::LOST));
    assert!(lost > 20 && sent - again == 977, "{sent} sent, {again} again, {lost} lost");
    // After each loss the sender repeats what was in flight: three packets in the switch and on the links. Where the packet is lost again, or
    // the report is, it waits for the time-out, and begins again with the last report.
    assert!(again > 3 * lost && again < 15 * lost, "{again} again for {lost} lost");
    assert!(count(&bench, meter::TIME_OUTS) > 3);
}

/// Four targets send to one host in a lossless class: without rates they pause each other, with DCQCN they share the link and hardly pause.
#[test]
fn rates_replace_pauses_and_share_a_link() {
    let run = |control: &str| {
        let keys = format!(
            "mtu = \"9000 B\"\n[rdma]\ncongestion_control = \"{control}\"\n[queue]\nlossless = true\npause_above = \"300 KB\"\n\
             resume_below = \"200 KB\"\n{}",
            if control == "dcqcn" {
                "mark_above = \"20 KB\"\nmark_all_above = \"200 KB\"\nmark_share = 0.1"
            } else {
                ""
            }
        );
        let mut bench = network(4, &keys);
        for from in 1..=4 {
            let begin = instant_at_us(3 * from as u64);
            while let Some(at) = bench.next_timer_time().filter(|&at| at < begin) {
                bench.handle_due_timer(at);
            }
            write_to_host(&mut bench, begin, from, 40_000_000);
        }
        let mut bytes = [0_u64; 5];
        while let Some(at) = bench.next_timer_time().filter(|&at| at < instant_at_us(60_000)) {
            for (_, message) in bench.handle_due_timer(at).sent {
                if let Message::Received(unit) = message {
                    let from = (1..5).find(|&from| node_address(from) == unit.source).expect("a target");
                    bytes[from] += u64::from(unit.payload_bytes);
                }
            }
        }
        let all = 1_250_000_000.0 * 0.06;
        (bytes.map(|bytes| bytes as f64 / all), count(&bench, PAUSES), count(&bench, NOTICES))
    };
    let (shares, pauses, notices) = run("none");
    assert!(pauses > 50 && notices == 0, "{pauses} pauses");
    assert!(shares.iter().sum::<f64>() > 0.97, "{shares:?}");
    let (shares, fewer, notices) = run("dcqcn");
    assert!(fewer * 10 < pauses && notices > 100, "{fewer} pauses, {notices} notices");
    assert!(shares.iter().sum::<f64>() > 0.85, "{shares:?}");
    for share in &shares[1..] {
        assert!((share * 4.0 - 1.0).abs() < 0.25, "{shares:?}");
    }
}

/// The share of marked packets at which the rates of `flows` flows through one link of 10 Gb/s stay where they are: the fixed point of DCQCN in
/// Zhu and others, ECN or Delay, CoNEXT 2016, for packets of 4,178 bytes and the parameters of the defaults.
fn fixed_point(flows: f64) -> f64 {
    let (packet, line) = (4_178.0, 1.25e9);
    let (rate, increase, counter) = (line / packet / flows, 5e6 / packet, 10e6 / packet);
    let (notice, interval, steps) = (50e-6, 55e-6, 5.0);
    let excess = |p: f64| {
        let not = 1.0 - p;
        let (alpha, cut) = (1.0 - not.powf(interval * rate), 1.0 - not.powf(notice * rate));
        let by_bytes = p / (not.powf(-counter) - 1.0);
        let by_time = p / (not.powf(-interval * rate) - 1.0);
        let beyond = not.powf(steps * counter) * by_bytes + not.powf(steps * interval * rate) * by_time;
        cut * cut * alpha / ((by_bytes + by_time) * beyond) - notice * notice * increase * rate
    };
    let (mut low, mut high) = (1e-7_f64, 0.9_f64);
    for _ in 0..100 {
        let middle = (low * high).sqrt();
        if excess(middle) > 0.0 { high = middle } else { low = middle }
    }
    low
}

/// The published fixed point is that of a fluid. Packets in queues are marked up to twice as often; the share grows with the number of flows as it
/// says, within a third.
#[test]
fn marks_settle_where_the_fixed_point_of_dcqcn_is() {
    let share = |flows: usize| {
        let keys = "mtu = \"9000 B\"\n[rdma]\ncongestion_control = \"dcqcn\"\n[queue]\nmark_above = \"20 KB\"\nmark_all_above = \"400 KB\"\n\
                    mark_share = 0.2";
        let mut bench = network(flows, keys);
        for from in 1..=flows {
            let begin = instant_at_us(7 * from as u64);
            while let Some(at) = bench.next_timer_time().filter(|&at| at < begin) {
                bench.handle_due_timer(at);
            }
            write_to_host(&mut bench, begin, from, 350_000_000 / flows as u32);
        }
        let mut counts = Vec::new();
        for until in [60_000, 260_000] {
            while let Some(at) = bench.next_timer_time().filter(|&at| at < instant_at_us(until)) {
                bench.handle_due_timer(at);
            }
            counts.push([meter::MARKED, meter::DATA_FRAMES].map(|meter| count(&bench, meter) as f64));
        }
        (counts[1][0] - counts[0][0]) / (counts[1][1] - counts[0][1])
    };
    let found = [2, 4].map(share);
    let expected = [2.0, 4.0].map(fixed_point);
    for (found, expected) in found.iter().zip(expected) {
        assert!((1.0..2.0).contains(&(found / expected)), "{found} and {expected}");
    }
    let growth = (found[1] / found[0]) / (expected[1] / expected[0]);
    assert!((growth - 1.0).abs() < 0.35, "{found:?} and {expected:?}");
}

const PAUSES: usize = 16;
const NOTICES: usize = 19;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sansim_trials::case_count(150)) })]

    /// Whatever is lost, dropped or paced, every unit arrives once, in order, and nothing is left over.
    #[test]
    fn every_unit_arrives_once_and_in_order(
        writes in prop::collection::vec((0_u64..2_000, 1_usize..4, 1_u32..60_000), 1..12),
        loss in prop::option::of(1_u32..30),
        buffer in prop::option::of(10_000_u64..80_000),
        lossless: bool,
        paced: bool,
    ) {
        let mut keys = format!("mtu = \"9000 B\"\nframe_loss = {}\nrdma.time_out = \"2 ms\"\nqueue.lossless = {lossless}\n",
            f64::from(loss.unwrap_or(0)) / 100.0);
        if paced {
            keys += "rdma.congestion_control = \"dcqcn\"\nqueue.mark_above = \"5 KB\"\n";
        }
        if let Some(buffer) = buffer {
            keys += &format!("switch.port_buffer = \"{buffer} B\"\n");
        }
        let mut bench = network(3, &keys);
        let mut sorted = writes.clone();
        sorted.sort_unstable();
        let mut happened = Vec::new();
        for &(at, from, bytes) in &sorted {
            while let Some(due) = bench.next_timer_time().filter(|&due| due < instant_at_us(at)) {
                happened.push((due, bench.handle_due_timer(due)));
            }
            write_to_host(&mut bench, instant_at_us(at), from, bytes);
        }
        happened.extend(all_events(&mut bench));
        let mut of: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut sum = 0;
        for (_, _, unit) in received(&happened) {
            of.entry(unit.tag.0).or_default().push(unit.offset);
            sum += u64::from(unit.payload_bytes);
        }
        prop_assert_eq!(sum, sorted.iter().map(|&(_, _, bytes)| u64::from(bytes)).sum::<u64>());
        // The parts of a request have falling numbers, and each is there once.
        prop_assert!(of.values().all(|offsets| offsets.is_sorted_by(|one, next| one > next)));
        prop_assert_eq!(of.len(), sorted.len());
        let left: Vec<String> = bench.leftovers().into_iter().filter(|left| !left.contains("requests left")).collect();
        prop_assert_eq!(left, Vec::<String>::new());
        if loss.is_none() && (lossless || buffer.is_none()) {
            prop_assert_eq!((count(&bench, meter::AGAIN), count(&bench, meter::TIME_OUTS)), (0, 0));
        }
    }
}

//! Random fabrics, and what happens in them.

use super::reference::Broken;
use super::{frame, layout};
use proptest::prelude::*;
use sansim_fabric::class_2::Class2Parameters;
use sansim_fabric::congestion::{CongestionParameters, CreditReturn};
use sansim_fabric::layout::FabricLayout;
use sansim_fabric::routing::RoutingName;
use sansim_fabric::switch::{
    ArbiterName, BufferReserve, ChannelName, ControlParameters, ControlPriority, Crossbar, InputQueueing,
    SwitchParameters, SwitchingMode,
};
use sansim_fc::frame::{Frame, PduKind};
use sansim_fc::link::{ExactProbability, LinkRules, LinkTimes};
use sansim_kernel::Span;

/// The rules of a link with words of a few ticks. All links of a fabric have one protocol and one header of
/// packets.
fn rules(plain: bool, loses: bool, header: u64) -> impl Strategy<Value = LinkRules> {
    let share = || {
        prop_oneof![2 => Just(0.0), 1 => Just(0.05), 1 => Just(0.3)].prop_map(ExactProbability::from_share)
    };
    (1_u64..5, 0_u64..40, share(), share(), 0_u8..4).prop_map(
        move |(word, latency, frames, readies, bb_sc_n)| {
            let rules = if plain {
                // As `packet_header` requires, no frame is shorter than the part of it that a switch has to
                // have.
                let plain = LinkRules::without_coding(Span(word), 4, header.max(1), Span(latency));
                LinkRules { overhead_words: header, ..plain }
            } else {
                LinkRules {
                    word: Span(word),
                    latency: Span(latency),
                    bb_sc_n: if loses { bb_sc_n } else { 0 },
                    ..LinkRules::for_fibre_channel(sansim_fc::speed::Speed::G1, Span::ZERO, false)
                }
            };
            if loses { LinkRules { frame_loss: frames, ready_loss: readies, ..rules } } else { rules }
        },
    )
}

fn parameters() -> impl Strategy<Value = SwitchParameters> {
    let delays = (prop_oneof![Just(0_u64), 0_u64..60], 0_u64..20);
    let ways = (any::<bool>(), any::<bool>(), any::<bool>(), 0_usize..3);
    let channels = (prop_oneof![2 => Just(1_u8), 1 => 2_u8..4], any::<bool>(), any::<bool>());
    let limits = (
        prop_oneof![3 => Just(None), 1 => (1_u64..4).prop_map(Some)],
        // Words take one to four ticks: a link carries 561 GB/s to 2.2 TB/s.
        prop_oneof![3 => Just(None), 1 => (500_u64..6_000).prop_map(|gigabytes| Some(gigabytes * 1_000_000_000))],
        prop_oneof![3 => Just(None), 1 => (20_u64..900).prop_map(|ticks| Some(Span(ticks)))],
    );
    (1_u32..5, delays, ways, channels, limits, any::<bool>(), any::<bool>()).prop_map(
        |(
            buffers,
            (routing, forwarding),
            (whole, fifo, per_port, arbiter),
            (channels, by_exchange, reserve),
            (transactions, cross_section, hold_time),
            in_order,
            trunks,
        )| SwitchParameters {
            // The port has a buffer for each channel, one for the escape channel, and more buffers so that
            // some can be reserved.
            buffers: buffers + u32::from(channels) + if reserve { 8 } else { 0 },
            routing_delay: Span(routing),
            forwarding_delay: Span(forwarding),
            switching: if whole { SwitchingMode::StoreAndForward } else { SwitchingMode::CutThrough },
            queueing: if fifo { InputQueueing::Fifo } else { InputQueueing::PerOutput },
            crossbar: if per_port { Crossbar::PerPort } else { Crossbar::PerBuffer },
            arbiter: [ArbiterName::RoundRobin, ArbiterName::Oldest, ArbiterName::Fixed][arbiter].into(),
            transactions,
            cross_section,
            in_order,
            channels,
            channel: if by_exchange { ChannelName::Exchange } else { ChannelName::Destination },
            credit_reserve: if reserve { BufferReserve::Eighth } else { BufferReserve::None },
            trunks,
            hold_time,
            buffer_size: 2112,
            control: ControlParameters::NONE,
            congestion: CongestionParameters::NONE,
        },
    )
}

/// A fabric has up to five switches, all connected, some by several links; nodes are at any switch; each link
/// has rules of its own.
fn fabrics() -> impl Strategy<Value = FabricLayout> {
    let loses = prop_oneof![2 => Just(false), 1 => Just(true)];
    (1_usize..6, any::<bool>(), loses, 0_u64..4).prop_flat_map(|(switches, plain, loses, header)| {
        let tree = proptest::collection::vec(0_usize..100, switches - 1);
        let more = proptest::collection::vec((0..switches, 0..switches), 0..4);
        let nodes = proptest::collection::vec(0..switches, 2..7);
        let rules = proptest::collection::vec(rules(plain, loses, header), 20);
        let (same, twice) = (any::<bool>(), 0_usize..4);
        (tree, more, nodes, rules, same, twice, 1_u32..4).prop_map(
            move |(tree, more, nodes, rules, same, twice, buffers)| {
                let mut links: Vec<(u16, u16)> =
                    tree.iter().enumerate().map(|(s, to)| ((to % (s + 1)) as u16, s as u16 + 1)).collect();
                links.extend(
                    more.iter()
                        .filter(|(one, other)| one != other)
                        .map(|&(one, other)| (one as u16, other as u16)),
                );
                let single = links.len();
                links.extend_from_within(..twice.min(single));
                let nodes: Vec<u16> = nodes.iter().map(|&switch| switch as u16).collect();
                let mut layout = layout(switches, &links, &nodes, rules[0], buffers);
                if !same {
                    for (number, link) in layout.links.iter_mut().enumerate() {
                        let like =
                            if (single..links.len()).contains(&number) { number - single } else { number };
                        link.rules = rules[like % rules.len()];
                    }
                }
                layout
            },
        )
    })
}

fn routings() -> impl Strategy<Value = RoutingName> {
    use RoutingName::{
        Adaptive, AdaptiveEscape, Deterministic, Exchange, UpDown, UpDownAdaptive, UpDownExchange,
    };
    prop_oneof![
        Just(Deterministic),
        Just(Exchange),
        Just(Adaptive),
        Just(AdaptiveEscape),
        Just(UpDown),
        Just(UpDownAdaptive),
        Just(UpDownExchange)
    ]
}

pub fn class_2() -> impl Strategy<Value = Class2Parameters> {
    let answer_time = prop_oneof![2 => Just(1_000_000_u64), 1 => 1_u64..1_500].prop_map(Span);
    (0_u32..4, answer_time)
        .prop_map(|(end_to_end_credit, answer_time)| Class2Parameters { end_to_end_credit, answer_time })
}

/// The inputs are frames with data and control messages. An exchange has only one of the two kinds: a frame that follows data of its
/// exchange is no control message.
fn inputs(nodes: usize) -> impl Strategy<Value = Vec<(u64, u16, Frame)>> {
    let kind = prop_oneof![2 => Just(PduKind::Data), 1 => Just(PduKind::Command)];
    let one = (0_u64..1_500, 0..nodes, 0..nodes, prop_oneof![Just(0_u32), 0_u32..120, Just(400)], kind);
    proptest::collection::vec(one, 1..40).prop_map(|frames| {
        let frames = frames.into_iter().enumerate();
        frames
            .map(|(tag, (at, from, to, bytes, kind))| {
                let mut frame = frame(from as u16, to as u16, bytes, tag as u32);
                frame.kind = kind;
                if kind == PduKind::Command {
                    // Some frames ask for data: the commands of reads.
                    frame.burst_bytes = if tag % 3 == 0 { 0 } else { 40 * bytes };
                    frame.originator.0 += 100;
                    frame.payload_bytes %= 60;
                }
                (at, from as u16, frame)
            })
            .collect()
    })
}

/// Random slow receivers, limits of nodes, and countermeasures.
fn congestion() -> impl Strategy<Value = (CongestionParameters, Vec<(CreditReturn, Option<u64>)>)> {
    let rate = || prop_oneof![2 => Just(None), 1 => (100_u64..3_000).prop_map(|g| Some(g * 1_000_000_000))];
    let share = prop_oneof![Just(0.02), Just(0.2)];
    let edge = prop_oneof![2 => Just(None), 1 => (20_u64..600).prop_map(|ticks| Some(Span(ticks)))];
    let told = (rate(), rate());
    let errors = prop_oneof![1 => Just(None), 2 => (1_u64..3).prop_map(Some)];
    let notices = (any::<bool>(), any::<bool>(), errors, 1_u64..2_000);
    let rules = (40_u64..700, share, edge, any::<bool>(), told, any::<bool>(), notices).prop_map(
        |(period, stalled_share, edge_hold_time, quarantine, (notice_rate, signal_rate), watch, notices)| {
            let (notify_peers, notify_node, link_errors, within) = notices;
            CongestionParameters {
                watch,
                stalled_share,
                period: Span(period),
                edge_hold_time,
                quarantine,
                notice_rate,
                signal_rate,
                notify_peers,
                notify_node,
                link_errors,
                link_error_time: Span(within),
                ..CongestionParameters::NONE
            }
        },
    );
    let stalls = prop_oneof![
        2 => Just(None),
        1 => (100_u64..900, 0_u64..100).prop_map(|(every, lasts)| Some((Span(every), Span(lasts)))),
    ];
    let drain = (prop_oneof![1 => Just(0_u64), 2 => 0_u64..400], stalls)
        .prop_map(|(ticks, stalls)| CreditReturn { frame_time: Span(ticks), stalls });
    let node = (prop_oneof![1 => Just(CreditReturn::default()), 1 => drain], rate());
    let none = (CongestionParameters::NONE, vec![(CreditReturn::default(), None); 8]);
    prop_oneof![1 => Just(none), 1 => (rules, proptest::collection::vec(node, 8))]
}

/// The priority of control messages: none, one rule or several rules.
fn controls() -> impl Strategy<Value = ControlParameters> {
    use ControlPriority::{First, InTurn, Preempts};
    let transmission = || prop_oneof![2 => Just(InTurn), 1 => Just(First), 2 => Just(Preempts)];
    let buffers = prop_oneof![1 => Just(0), 1 => 1_u32..5];
    let some = (any::<bool>(), transmission(), transmission(), buffers).prop_map(
        |(routing_first, transmission, nodes, buffers)| ControlParameters {
            routing_first,
            transmission,
            nodes,
            buffers,
            buffer_size: 64,
        },
    );
    prop_oneof![1 => Just(ControlParameters::NONE), 4 => some]
}

/// No message goes between the words of a Fibre Channel frame.
fn possible(control: ControlParameters, layout: &FabricLayout) -> ControlParameters {
    let of = |way: ControlPriority| match way {
        ControlPriority::Preempts if layout.links[0].rules.slotted => ControlPriority::First,
        way => way,
    };
    ControlParameters { transmission: of(control.transmission), nodes: of(control.nodes), ..control }
}

/// The parts that fail and work again, and the times of links.
pub type Failures = (Vec<Broken>, LinkTimes);

pub type Case = (FabricLayout, SwitchParameters, RoutingName, Vec<(u64, u16, Frame)>, Vec<u64>, Failures);

/// In one of three fabrics links and switches fail for a while; in one of two, links without credit are reset.
fn failures(links: usize, switches: usize) -> impl Strategy<Value = Failures> {
    let one = (0_u64..3_000, any::<bool>(), 0_usize..100, 1_u64..1_500);
    let some = prop_oneof![2 => Just(0_usize), 1 => 1_usize..5];
    let time_out = prop_oneof![Just(None), (40_u64..600).prop_map(|ticks| Some(Span(ticks)))];
    let breaks = some.prop_flat_map(move |count| proptest::collection::vec(one.clone(), count));
    (breaks, time_out, 0_u64..400).prop_map(move |(breaks, credit_time_out, offline)| {
        let mut broken = Vec::new();
        for (at, is_switch, which, lasts) in breaks {
            let which = which % if is_switch { switches } else { links };
            let fails = Broken { at, is_switch, which, works: false };
            broken.extend([fails, Broken { at: at + lasts, works: true, ..fails }]);
        }
        (broken, LinkTimes { credit_time_out, offline: Span(offline) })
    })
}

pub fn cases() -> impl Strategy<Value = Case> {
    fabrics().prop_flat_map(|layout| {
        let nodes = layout.nodes.len();
        let failures = failures(layout.links.len(), layout.switches.len());
        let takes = proptest::collection::vec(prop_oneof![Just(0_u64), 0_u64..300], nodes);
        let rules = (controls(), congestion());
        (Just(layout), parameters(), routings(), inputs(nodes), takes, failures, rules).prop_map(
            |(mut layout, mut parameters, routing, inputs, takes, failures, (control, (congestion, own)))| {
                parameters.control = possible(control, &layout);
                parameters.congestion = congestion;
                if congestion.quarantine && parameters.channels < 2 {
                    (parameters.channels, parameters.buffers) = (2, parameters.buffers + 1);
                }
                for (node, (drain, limit)) in layout.nodes.iter_mut().zip(own) {
                    (node.drain, node.limit) = (drain, limit);
                }
                let paces = congestion.notifies_nodes() || layout.nodes.iter().any(|n| n.limit.is_some());
                if paces && parameters.control.nodes == ControlPriority::Preempts {
                    parameters.control.nodes = ControlPriority::First;
                }
                (layout, parameters, routing, inputs, takes, failures)
            },
        )
    })
}

/// Fabrics whose frames take the fast path: each frame has one path and one virtual channel, and nothing fails or is lost, discarded or
/// favoured. Receivers may be slow.
pub fn plain_cases() -> impl Strategy<Value = Case> {
    let routings = prop_oneof![
        Just(RoutingName::Deterministic),
        Just(RoutingName::Exchange),
        Just(RoutingName::UpDown),
        Just(RoutingName::UpDownExchange),
        Just(RoutingName::Adaptive),
        Just(RoutingName::UpDownAdaptive)
    ];
    (cases(), routings).prop_map(|((mut layout, mut parameters, _, inputs, takes, (_, times)), routing)| {
        for link in &mut layout.links {
            let never = ExactProbability::NEVER;
            link.rules = LinkRules { frame_loss: never, ready_loss: never, bb_sc_n: 0, ..link.rules };
        }
        layout.nodes.iter_mut().for_each(|node| node.limit = None);
        parameters.control = ControlParameters::NONE;
        parameters.congestion = CongestionParameters::NONE;
        (parameters.channels, parameters.trunks, parameters.hold_time) = (1, false, None);
        (parameters.crossbar, parameters.queueing) = (Crossbar::PerBuffer, InputQueueing::PerOutput);
        (parameters.transactions, parameters.cross_section) = (None, None);
        parameters.in_order = false;
        (layout, parameters, routing, inputs, takes, (Vec::new(), times))
    })
}

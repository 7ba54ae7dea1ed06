//! The demand of a request on a loop switch: its frames on one of the wires that carry at once, and the shortest round, through its own port of the
//! switch and that of the other end.
//!
//! Each conversation joins a port with an initiator to one with a target, and these carry no other meanwhile. So no more go on at once than there are
//! ports of either kind, than the switch allows, and, where every conversation has to cross a trunk, than there are trunks. The look-up of OPN is no
//! part of the least: several requests may share a conversation, as a tenancy of a loop.
//!
//! In the mean each sequence has a conversation of its own, which is a circuit on a loop of the two that talk. If one station asks, its port is in
//! all of them, so they are one after the other as circuits of a loop are, and their order makes no difference to how many there are. If several ask,
//! they wait with their ports for each other's, which is not followed.

use super::stations_of;
use crate::demand::{WORDS_BESIDE, Way, circuits, wires};
use crate::stations::fc_port;
use sansim_component::NetworkNode;
use sansim_component::demand::{Demand, DemandContext, RequestClass, Say};
use sansim_component::network::Side;
use sansim_fc::loop_switch::{LoopSwitch, LoopSwitchParameters};
use std::collections::BTreeSet;

/// See the module text.
pub(super) fn of(
    parameters: &LoopSwitchParameters,
    class: &RequestClass,
    around: &DemandContext<'_>,
) -> Demand {
    let word_ns = parameters.on.word_time().as_ns_f64();
    if around.say == Say::Mean && is_one_after_the_other(parameters, around) {
        return one_after_the_other(parameters, class, around);
    }
    Demand {
        servers: wires(at_once(parameters, around), word_ns, WORDS_BESIDE, class, &around.frames),
        delay_ns: short_way_ns(parameters, around.nodes),
        less_because: (around.say == Say::Mean).then_some(
            "the model leaves out waits between the conversations of a loop switch with several initiators",
        ),
        ..Demand::default()
    }
}

/// Whether all conversations are of one port at the switch itself.
fn is_one_after_the_other(parameters: &LoopSwitchParameters, around: &DemandContext<'_>) -> bool {
    let asks = around.nodes.iter().filter(|node| node.side == Side::Initiator).count();
    let crosses = around.nodes.iter().any(|node| node.side == Side::Crossing);
    let shares = shares_port(around.nodes);
    asks == 1 && !crosses && !shares && parameters.cascaded.is_empty()
}

/// Words for which a port listens after a conversation and a round trip of its segment.
const LISTENS_WORDS: f64 = 4.0;

/// Circuits on loops of two, with the switch between them.
fn one_after_the_other(
    parameters: &LoopSwitchParameters,
    class: &RequestClass,
    around: &DemandContext<'_>,
) -> Demand {
    let word_ns = parameters.on.word_time().as_ns_f64();
    let through_ns = parameters.way_through().as_ns_f64();
    // There and back between a station and the switch, and through the station: the mean of those on a side.
    let segment_ns = |initiates: bool| {
        let there = around.nodes.iter().filter(|node| (node.side == Side::Initiator) == initiates);
        let all: Vec<f64> = there
            .map(|node| {
                let port = &fc_port(&node.port).port;
                2.0 * parameters.on.propagation.delay(port.cable).as_ns_f64() + port.delay.span.as_ns_f64()
            })
            .collect();
        all.iter().sum::<f64>() / all.len().max(1) as f64
    };
    let [asks, answers] = [segment_ns(true), segment_ns(false)];
    let look_up_ns = parameters.look_up.span.as_ns_f64();
    let listens_ns = asks + through_ns + LISTENS_WORDS * word_ns;
    let way =
        Way { word_ns, round_ns: asks + answers + 2.0 * through_ns, before_ns: look_up_ns + listens_ns };
    let servers = circuits("conversation", &way, class, around);
    // ARB(x) goes round the own segment before anything else.
    let delay_ns = servers.len() as f64 * (0.5 * (asks + answers) + through_ns);
    Demand { servers, delay_ns, ..Demand::default() }
}

/// The most conversations at once. A port to a fabric may be on either side.
fn at_once(parameters: &LoopSwitchParameters, around: &DemandContext<'_>) -> u32 {
    let stations = stations_of(parameters, around.nodes);
    let ports = LoopSwitch::ports_of(parameters, &stations);
    let on_side = |side: Side| {
        let stands = move |place: &usize| {
            matches!(around.nodes[*place].side, Side::Crossing) || around.nodes[*place].side == side
        };
        (0..stations.len()).filter(stands)
    };
    let ports_of =
        |side: Side| on_side(side).map(|place| ports[place]).collect::<BTreeSet<usize>>().len() as u64;
    let most = ports_of(Side::Initiator).min(ports_of(Side::Target));
    let switches = 1 + parameters.cascaded.len() as u64;
    let most = parameters.most_conversations().map_or(most, |limit| most.min(limit * switches));
    let switches_of =
        |side: Side| on_side(side).map(|place| stations[place].switch).collect::<BTreeSet<usize>>();
    let all_cross = switches_of(Side::Initiator).is_disjoint(&switches_of(Side::Target));
    let most = if all_cross { most.min(parameters.cascaded.len() as u64) } else { most };
    most.max(1) as u32
}

/// The cables and the two passages of the switch that a command and its answer have at least, between any two stations. Nothing where stations share
/// a port: two of these need not pass the switch.
fn short_way_ns(parameters: &LoopSwitchParameters, nodes: &[NetworkNode]) -> f64 {
    if shares_port(nodes) {
        return 0.0;
    }
    let cable =
        |node: &NetworkNode| parameters.on.propagation.delay(fc_port(&node.port).port.cable).as_ns_f64();
    let mut cables: Vec<f64> = nodes.iter().map(cable).collect();
    cables.sort_by(f64::total_cmp);
    let two: f64 = cables.iter().take(2).sum();
    2.0 * (two + parameters.way_through().as_ns_f64())
}

/// Whether a station shares its port with the one before: both are in one enclosure.
fn shares_port(nodes: &[NetworkNode]) -> bool {
    nodes.windows(2).any(|pair| pair[0].enclosure.is_some() && pair[0].enclosure == pair[1].enclosure)
}

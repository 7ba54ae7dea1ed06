//! The demand of a request on a loop switch: its frames on one of the wires that carry at the same time, and the shortest round trip,
//! through the switch port of the initiator and the switch port of the target.
//!
//! Each conversation joins a port with an initiator to a port with a target, and neither port has another conversation meanwhile. The
//! number of conversations at a time is therefore at most the number of ports of either kind, the number that the switch allows, and, where
//! every conversation has to cross a trunk, the number of trunks. The look-up of OPN is not part of the least demand: several requests may
//! share a conversation, as they may share a tenancy of a loop.
//!
//! In the mean demand each sequence has a conversation of its own, which is a circuit on a loop of its two stations. If there is one
//! initiator, its port is in all conversations, so they are one after the other like circuits of a loop, and their order makes no
//! difference to their number. If there are several initiators, conversations wait for each other's ports, which this demand does not
//! model.

use super::stations_of;
use crate::demand::{WORDS_BESIDE, Way, circuits, wires};
use crate::stations::fc_port_keys;
use sansim_component::NetworkNode;
use sansim_component::demand::{Demand, DemandBound, DemandContext, RequestClass};
use sansim_component::network::NetworkPortRole;
use sansim_fc::loop_switch::{LoopSwitch, LoopSwitchParameters};
use std::collections::BTreeSet;

/// The demand of a request on a loop switch.
pub(super) fn of(
    parameters: &LoopSwitchParameters,
    class: &RequestClass,
    around: &DemandContext<'_>,
) -> Demand {
    let word_ns = parameters.on.word_time().as_ns_f64();
    if around.say == DemandBound::Mean && is_one_after_the_other(parameters, around) {
        return one_after_the_other(parameters, class, around);
    }
    Demand {
        servers: wires(at_once(parameters, around), word_ns, WORDS_BESIDE, class, &around.frames),
        delay_ns: short_way_ns(parameters, around.nodes),
        less_because: (around.say == DemandBound::Mean).then_some(
            "the model leaves out waits between the conversations of a loop switch with several initiators",
        ),
        ..Demand::default()
    }
}

/// Whether all conversations have one port of the switch in common.
fn is_one_after_the_other(parameters: &LoopSwitchParameters, around: &DemandContext<'_>) -> bool {
    let asks = around.nodes.iter().filter(|node| node.side == NetworkPortRole::Initiator).count();
    let crosses = around.nodes.iter().any(|node| node.side == NetworkPortRole::Crossing);
    let shares = shares_port(around.nodes);
    asks == 1 && !crosses && !shares && parameters.cascaded.is_empty()
}

/// The number of words for which a port listens after a conversation and a round trip of its segment.
const LISTENS_WORDS: f64 = 4.0;

/// The circuits of a request on loops of two stations, with the switch between them.
fn one_after_the_other(
    parameters: &LoopSwitchParameters,
    class: &RequestClass,
    around: &DemandContext<'_>,
) -> Demand {
    let word_ns = parameters.on.word_time().as_ns_f64();
    let through_ns = parameters.transit_time().as_ns_f64();
    // The time from a station to the switch and back, and through the station: the mean over the stations of
    // one side.
    let segment_ns = |initiates: bool| {
        let there = around.nodes.iter().filter(|node| (node.side == NetworkPortRole::Initiator) == initiates);
        let all: Vec<f64> = there
            .map(|node| {
                let port = &fc_port_keys(&node.port).port;
                2.0 * parameters.on.propagation.propagation_time(port.cable).as_ns_f64()
                    + port.delay.span.as_ns_f64()
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
    // ARB(x) goes round the own segment of the initiator before anything else.
    let delay_ns = servers.len() as f64 * (0.5 * (asks + answers) + through_ns);
    Demand { servers, delay_ns, ..Demand::default() }
}

/// The most conversations at once. A port to a fabric may be on either side.
fn at_once(parameters: &LoopSwitchParameters, around: &DemandContext<'_>) -> u32 {
    let stations = stations_of(parameters, around.nodes);
    let ports = LoopSwitch::switch_ports_of_stations(parameters, &stations);
    let on_side = |side: NetworkPortRole| {
        let stands = move |place: &usize| {
            matches!(around.nodes[*place].side, NetworkPortRole::Crossing)
                || around.nodes[*place].side == side
        };
        (0..stations.len()).filter(stands)
    };
    let ports_of = |side: NetworkPortRole| {
        on_side(side).map(|place| ports[place]).collect::<BTreeSet<usize>>().len() as u64
    };
    let most = ports_of(NetworkPortRole::Initiator).min(ports_of(NetworkPortRole::Target));
    let switches = 1 + parameters.cascaded.len() as u64;
    let most = parameters.most_conversations().map_or(most, |limit| most.min(limit * switches));
    let switches_of = |side: NetworkPortRole| {
        on_side(side).map(|place| stations[place].switch).collect::<BTreeSet<usize>>()
    };
    let all_cross =
        switches_of(NetworkPortRole::Initiator).is_disjoint(&switches_of(NetworkPortRole::Target));
    let most = if all_cross { most.min(parameters.cascaded.len() as u64) } else { most };
    most.max(1) as u32
}

/// The time of the cables and of the two passages of the switch that a command and its answer need at least, between any two stations. The
/// time is zero where stations share a port, because two of these stations need not pass the switch.
fn short_way_ns(parameters: &LoopSwitchParameters, nodes: &[NetworkNode]) -> f64 {
    if shares_port(nodes) {
        return 0.0;
    }
    let cable = |node: &NetworkNode| {
        parameters.on.propagation.propagation_time(fc_port_keys(&node.port).port.cable).as_ns_f64()
    };
    let mut cables: Vec<f64> = nodes.iter().map(cable).collect();
    cables.sort_by(f64::total_cmp);
    let two: f64 = cables.iter().take(2).sum();
    2.0 * (two + parameters.transit_time().as_ns_f64())
}

/// Whether a station shares its port with the station before it: both are in one enclosure.
fn shares_port(nodes: &[NetworkNode]) -> bool {
    nodes.windows(2).any(|pair| pair[0].enclosure.is_some() && pair[0].enclosure == pair[1].enclosure)
}

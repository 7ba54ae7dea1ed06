//! The demand of a request on a fabric: its frames on the links to nodes that carry at the same time, and the shortest path for a command
//! and its answer.
//!
//! Every frame uses the own link of an initiator, and of a target, so the number of links that carry at the same time is at most the number
//! of either. Links between switches are left out, because only the routing decides which of them a frame uses; the storing in switches is
//! left out too, because a switch may cut through. Where links have several speeds all links count as the fastest. The mean demand of
//! requests between certain nodes is in `links.rs`.

use super::links;
use crate::demand::wires;
use crate::stations::fc_port_keys;
use sansim_component::NetworkNode;
use sansim_component::demand::{Demand, DemandBound, DemandContext, RequestClass};
use sansim_component::network::NetworkPortRole;
use sansim_fabric::FabricParameters;
use sansim_fabric::class_2::ServiceClass;
use sansim_fabric::layout::losses::LinkLosses;
use sansim_fabric::layout::topology::TopologyName;

/// The demand of a request on a fabric.
pub(super) fn of(parameters: &FabricParameters, class: &RequestClass, around: &DemandContext<'_>) -> Demand {
    let less_because = if around.say == DemandBound::Mean { not_followed(parameters, around) } else { None };
    if around.say == DemandBound::Mean && !around.between.is_empty() {
        let links::Passed { links, delay_ns } = links::of(parameters, class, around);
        return Demand { one_of: links, delay_ns, less_because, ..Demand::default() };
    }
    let others = parameters.node_links.iter().map(|links| links.described.speed);
    let rules = others
        .chain([None])
        .map(|speed| parameters.link_rules(parameters.cable, speed, &LinkLosses::OF_FABRIC));
    // The text of a table always gives at least one link.
    let fastest = rules.min_by_key(|rules| rules.word);
    let (word_ns, beside) =
        fastest.map_or((0.0, 0.0), |rules| (rules.word.as_ns_f64(), rules.overhead_words as f64));
    Demand {
        servers: wires(at_once(around), word_ns, beside, class, &around.frames),
        delay_ns: short_way_ns(parameters, around),
        less_because,
        ..Demand::default()
    }
}

/// A cause of waits of frames that does not depend on the load of a link, if there is one.
fn not_followed(parameters: &FabricParameters, around: &DemandContext<'_>) -> Option<&'static str> {
    let links = parameters.links.iter().map(|link| &link.described.losses);
    let losses = links.chain(parameters.node_links.iter().map(|links| &links.described.losses));
    let loses = |losses: &LinkLosses| {
        losses.frame_loss.unwrap_or(parameters.frame_loss)
            + losses.ready_loss.unwrap_or(parameters.ready_loss)
    };
    let switch = &parameters.switch;
    if has_several_switches(parameters.topology) && around.between.is_empty() {
        Some("the model leaves out waits between the switches of a fabric that leads to another network")
    } else if !parameters.slow.is_empty() {
        Some("the model leaves out waits for nodes of a fabric that return buffers late")
    } else if !parameters.limits.is_empty() {
        Some("the model leaves out waits for the rate limit of a switch on a node")
    } else if switch.transactions.is_some() || switch.cross_section.is_some() {
        Some("the model leaves out waits in a switch that limits the frames that cross it at once")
    } else if losses.map(loses).fold(loses(&LinkLosses::OF_FABRIC), f64::max) > 0.0 {
        Some("links of a fabric lose frames, and the model leaves out the recovery")
    } else if parameters.links.iter().any(|link| link.described.write_acceleration.is_some()) {
        Some("the model leaves out the gateways of a fabric that accelerate writes")
    } else if parameters.class == ServiceClass::Class2 {
        Some("the model leaves out waits for acknowledgements of class 2")
    } else {
        None
    }
}

/// The number of links to the nodes of the side (initiators or targets) that has fewer. Another network behind the
/// fabric may be on either side.
fn at_once(around: &DemandContext<'_>) -> u32 {
    let of_side = |side: NetworkPortRole| {
        let there =
            around.nodes.iter().filter(|node| node.side == side || node.side == NetworkPortRole::Crossing);
        there.count() as u32
    };
    of_side(NetworkPortRole::Initiator).min(of_side(NetworkPortRole::Target)).max(1)
}

/// The time of the two shortest cables, in both directions, and of one switch in between.
fn short_way_ns(parameters: &FabricParameters, around: &DemandContext<'_>) -> f64 {
    let cable = |node: &NetworkNode| {
        parameters.propagation.propagation_time(fc_port_keys(&node.port).port.cable).as_ns_f64()
    };
    let mut cables: Vec<f64> = around.nodes.iter().map(cable).collect();
    cables.sort_by(f64::total_cmp);
    if parameters.topology == TopologyName::PointToPoint {
        return 2.0 * cables.first().copied().unwrap_or(0.0);
    }
    let switch = parameters.switch.routing_delay + parameters.switch.forwarding_delay;
    2.0 * (cables.iter().take(2).sum::<f64>() + switch.as_ns_f64())
}

fn has_several_switches(topology: TopologyName) -> bool {
    !matches!(topology, TopologyName::SingleSwitch | TopologyName::PointToPoint)
}

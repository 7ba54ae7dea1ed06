//! The link of each network with the highest utilisation, because a mean over all links hides a link that is
//! saturated.
//!
//! A network reports for each of its ports the time for which it sent (`sending` among its place meters). The fullest link is the link of
//! the port that sent longest in the measured interval, in the direction out of that port.

use sansim_assembly::named::NamedValues;
use sansim_assembly::plan::SystemPlan;
use sansim_kernel::Total;
use sansim_registry::{InnerLinkEnd, InnerPort};
use sansim_scenario::graph::GraphLoop;
use serde::Serialize;

/// The meter of the time for which a port sent.
const SENDING: &str = "sending";

/// A link in one direction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BusiestLink {
    /// The sender: a node, or a switch with the number of its port.
    pub from: String,
    /// The receiver.
    pub to: String,
    /// The name of the link, if it is between two switches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// The share of the measured interval in which the link carried frames in this direction.
    pub utilisation: f64,
}

/// The networks of a system that have several links, each with the meters of its links.
pub(crate) fn networks(plan: &SystemPlan) -> impl Iterator<Item = (&GraphLoop, Vec<usize>)> {
    plan.graph.loops.iter().filter_map(|network| {
        let meters = plan.board.place_meters.iter().enumerate();
        let of_links = meters.filter(|(_, m)| m.component.index() == network.part && m.name == SENDING);
        let found: Vec<usize> = of_links.map(|(number, _)| number).collect();
        (!found.is_empty()).then_some((network, found))
    })
}

/// The fullest link of each network that has several links, in an interval of `seconds` with this increase of the meters of all places.
pub(crate) fn of(plan: &SystemPlan, place_meters: &[Total], seconds: f64) -> NamedValues<BusiestLink> {
    let mut found: Vec<(String, BusiestLink)> = Vec::new();
    for (network, of_links) in networks(plan) {
        let first = plan.board.station_of[network.part];
        let mut fullest: Option<(u16, Total)> = None;
        for (place, sent) in of_links.iter().map(|&m| (plan.board.place_meters[m].place, place_meters[m])) {
            if fullest.is_none_or(|(_, most)| sent > most) {
                fullest = Some((place, sent));
            }
        }
        let Some((place, sent)) = fullest.filter(|&(_, sent)| sent > Total::ZERO && seconds > 0.0) else {
            continue;
        };
        let port = usize::from(place);
        let from = plan.names.stations[first + port].name.clone();
        let (to, link) = end(network, port, &plan.graph.parts[network.part].name);
        let utilisation = sent.as_s_f64() / seconds;
        let name = plan.graph.parts[network.part].name.clone();
        found.push((name, BusiestLink { from, to, link, utilisation }));
    }
    NamedValues(found)
}

/// The other end of the link of a port, and the name of the link. Inner ports follow the ports of the nodes.
fn end(network: &GraphLoop, port: usize, name: &str) -> (String, Option<String>) {
    let nodes = network.stations.len();
    let inside = |port: &InnerPort| format!("{name}.{}", port.place);
    if let Some(inner) = port.checked_sub(nodes).and_then(|number| network.inner.get(number)) {
        let to = match &inner.leads_to {
            InnerLinkEnd::Place(place) => format!("{name}.{place}"),
            InnerLinkEnd::Node(node) => network.stations[*node].name.clone(),
        };
        return (to, inner.link.as_ref().map(|link| format!("{name}.{link}")));
    }
    let at =
        network.inner.iter().find(|inner| matches!(inner.leads_to, InnerLinkEnd::Node(node) if node == port));
    let to = match at {
        Some(switch) => inside(switch),
        // The network has two nodes with a link between them, or its switches are not places.
        None if nodes == 2 => network.stations[1 - port].name.clone(),
        None => name.to_owned(),
    };
    (to, None)
}

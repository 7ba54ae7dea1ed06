//! The graph of a scenario for viewers: components, their ports, and the flows between them.

use sansim_schema::{Json, json};

use sansim_registry::{InnerLinkEnd, Network, ReferenceRelation};

use sansim_schema::words::Word;

use crate::graph::{GraphLoop, GraphStation};
use crate::scenario::Scenario;

impl Scenario {
    /// The components and links of the scenario: `components` with name, kind, number of members, the form in which a network is drawn, and ports, and for a module the
    /// controller that it is `within`; `links` with the ends `from` and `to`, each a component or one of its ports, and what `flows` there:
    /// `frames` or `requests`, from initiator to target. A group is one component. A network of several places has `inside`: `places`, the
    /// `links` between these, and the place of each of its `nodes`.
    pub fn graph_for_display(&self) -> Json {
        let components: Vec<Json> = self.components.iter().enumerate().map(|(number, component)| {
            let member = component.kind_behaviour().member();
            let dotted = |path: &str| match path {
                "" => component.name.clone(),
                path => format!("{}.{path}", component.name),
            };
            let mut ports: Vec<Json> = Vec::new();
            for port in &member.ports {
                let name = dotted(&port.path);
                let on = self.network_of(&name);
                if on.is_some() {
                    ports.push(json!({ "name": name, "flows": "frames", "side": format!("{:?}", port.side).to_lowercase(), "on": on }));
                }
            }
            let mut view = json!({
                "name": component.name,
                "kind": component.kind_of_component().word,
                "members": self.member_count(number),
                "drawn": (component.kind_of_component().drawn)().map(Word::word),
                "ports": ports,
                "inside": self.inside_view(number),
            });
            let references = component.kind_behaviour().references();
            let modules = references.iter().filter(|reference| reference.joins == ReferenceRelation::Inside);
            if let Some(outer) = modules.flat_map(|reference| reference.names).next() {
                view["within"] = json!(outer);
            }
            view
        }).collect();
        json!({ "components": components, "links": self.links_view() })
    }

    /// The inner structure of a network; none for a network that is a single place, and for other components.
    fn inside_view(&self, component: usize) -> Json {
        let of = |on: &&GraphLoop| self.graph.places[self.graph.parts[on.part].place].component == component;
        let Some(on) = self.graph.loops.iter().find(of).filter(|on| !on.inner.is_empty()) else {
            return Json::Null;
        };
        let mut places: Vec<&str> = on.inner.iter().map(|port| port.place.as_str()).collect();
        places.dedup();
        let mut links: Vec<Json> = Vec::new();
        let mut nodes: Vec<Json> = Vec::new();
        for port in &on.inner {
            match &port.leads_to {
                InnerLinkEnd::Place(to) if port.first_end => {
                    links.push(json!({ "name": port.link, "from": port.place, "to": to }));
                }
                InnerLinkEnd::Place(_) => {}
                InnerLinkEnd::Node(node) => {
                    let GraphStation { name, listed, .. } = &on.stations[*node];
                    nodes.push(json!({ "name": name, "listed": listed, "at": port.place }));
                }
            }
        }
        json!({ "places": places, "links": links, "nodes": nodes })
    }

    /// The network that lists this station.
    fn network_of(&self, station: &str) -> Option<&str> {
        let mut components = self.components.iter();
        let lists = |network: &dyn Network| network.stations().iter().any(|other| other == station);
        let network = components.find(|component| component.network_interface().is_some_and(lists))?;
        Some(&network.name)
    }

    /// The links of frames between ports and networks, and of requests between components, but not between a component and its own
    /// adapters.
    fn links_view(&self) -> Vec<Json> {
        let mut links = Vec::new();
        for component in &self.components {
            let Some(network) = component.network_interface() else { continue };
            links.extend(
                network
                    .stations()
                    .iter()
                    .map(|station| json!({ "from": station, "to": component.name, "flows": "frames" })),
            );
        }
        let component = |part: usize| self.graph.places[self.graph.parts[part].place].component;
        let mut seen = Vec::new();
        for link in &self.graph.links {
            let ends = (component(link.asker.part), component(link.server.part));
            if ends.0 != ends.1 && !seen.contains(&ends) {
                seen.push(ends);
                let (from, to) = (&self.components[ends.0].name, &self.components[ends.1].name);
                links.push(json!({ "from": from, "to": to, "flows": "requests" }));
            }
        }
        links
    }
}

//! A graph as text, which tests compare with the expected text.

use std::fmt::Write as _;

use sansim_scenario::graph::BlockPort;
use sansim_scenario::{Graph, Part};

/// The kind of a part.
fn kind(part: &Part) -> String {
    match part {
        Part::ArbitratedLoop(_) => "loop".to_owned(),
        Part::Host(..) => "driver".to_owned(),
        // The kind is the name of the variant.
        _ => format!("{part:?}").split('(').next().unwrap_or_default().to_lowercase(),
    }
}

/// The parts by number: `host: driver`.
pub fn parts(graph: &Graph) -> Vec<String> {
    graph.parts.iter().map(|part| format!("{}: {}", part.name, kind(&part.part))).collect()
}

/// The places: `drives.adapter x 4`.
pub fn places(graph: &Graph) -> Vec<String> {
    graph.places.iter().map(|place| format!("{} x {}", place.name, place.members)).collect()
}

/// The links: `host:0 -> host.adapter:0`.
pub fn links(graph: &Graph) -> Vec<String> {
    let port = |port: BlockPort| format!("{}:{}", graph.parts[port.part].name, port.number);
    graph.links.iter().map(|link| format!("{} -> {}", port(link.asker), port(link.server))).collect()
}

/// The routes: `workload by host: drives[0] drives[1]`.
pub fn routes(graph: &Graph) -> Vec<String> {
    let name = |part: usize| &graph.parts[part].name;
    let one = |route: &sansim_scenario::graph::WorkloadRoute| {
        let devices: Vec<&str> =
            route.devices.iter().map(|&device| graph.devices[device].name.as_str()).collect();
        format!("{} by {}: {}", name(route.workload), name(route.host), devices.join(" "))
    };
    graph.routes.iter().map(one).collect()
}

/// The paths: `host to drives[0]: 0 by loop from host to drives[0] 02`.
pub fn ways(graph: &Graph) -> Vec<String> {
    let one = |reach: &sansim_scenario::graph::DevicePaths| {
        let mut line = format!("{} to {}:", graph.parts[reach.asker].name, graph.devices[reach.device].name);
        for way in &reach.ways {
            let _ = match way.address {
                None => write!(line, " {} straight", way.port),
                Some(found) => {
                    let on_loop = &graph.loops[found.arbitrated_loop];
                    let (from, to) = (&on_loop.stations[found.from], &on_loop.stations[found.to]);
                    assert_eq!(to.address, found.at);
                    let name = &graph.parts[on_loop.part].name;
                    write!(
                        line,
                        " {} by {name} from {} to {} {}",
                        way.port,
                        from.name,
                        to.name,
                        sansim_fc::al_pa::AlPa::from_network_address(found.at)
                    )
                }
            };
        }
        line
    };
    graph.reaches.iter().map(one).collect()
}

/// The devices: `drives[3] 0 of drives[3]: 100`, with their blocks.
pub fn devices(graph: &Graph) -> Vec<String> {
    let one = |device: &sansim_scenario::graph::Device| {
        let part = &graph.parts[device.part].name;
        format!("{} {} of {part}: {}", device.name, device.unit, device.capacity_blocks)
    };
    graph.devices.iter().map(one).collect()
}

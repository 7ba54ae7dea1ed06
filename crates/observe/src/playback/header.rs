//! The header of a playback, which names everything that its rows give by number.

use super::tables::FORM;
use crate::names::{StationRole, SystemNames};
use sansim_schema::{Json, json};

/// The header, as JSON. `graph` is the graph of the scenario for viewers, and `version` the version of sansim.
pub fn header(names: &SystemNames, graph: &Json, version: &str) -> Json {
    let lines = names.places.iter().flat_map(|place| {
        place.catalogue.segments.iter().enumerate().map(|(number, segment)| {
            json!({
                "place": place.name,
                "segment": segment.name,
                "label": segment.label,
                "meaning": segment.meaning,
                "waits": segment.waits(),
                "colour": segment.colour,
                "device": place.catalogue.lanes.contains(&number),
            })
        })
    });
    let components = names.components.iter();
    let devices = names.devices.iter();
    let workloads = names.workloads.iter();
    json!({
        "sansim": version,
        "title": names.title,
        "networks": networks_of(names),
        "stations": (0..names.stations.len()).map(|station| station_of(names, station)).collect::<Vec<Json>>(),
        "components": components
            .map(|component| json!({ "name": component.name, "station": component.station }))
            .collect::<Vec<Json>>(),
        "lines": lines.collect::<Vec<Json>>(),
        "devices": devices
            .map(|device| {
                let component = &names.components[device.component];
                json!({ "name": component.name, "station": component.station, "unit": device.logical_unit })
            })
            .collect::<Vec<Json>>(),
        "workloads": workloads
            .map(|workload| json!({ "name": workload.name, "host": workload.host, "station": workload.station }))
            .collect::<Vec<Json>>(),
        "tables": FORM
            .iter()
            .map(|(name, columns)| ((*name).to_owned(), json!(columns)))
            .collect::<sansim_schema::JsonMap<String, Json>>(),
        "graph": graph,
    })
}

/// The networks of the header.
pub fn networks_of(names: &SystemNames) -> Json {
    let networks = names.networks.iter();
    networks
        .map(|network| json!({ "name": network.name, "drawn": network.drawn, "word_ns": network.word.as_ns_f64() }))
        .collect()
}

/// A station of the header.
pub fn station_of(names: &SystemNames, station: usize) -> Json {
    let station = &names.stations[station];
    let role = match station.role {
        StationRole::Passive => "passive",
        StationRole::Initiator => "initiator",
        StationRole::Target => "target",
        StationRole::Inner => "inner",
    };
    json!({
        "name": station.name,
        "network": station.port.map(|(network, _)| network),
        "address": station.port.map(|_| station.address.as_str()),
        "role": role,
        "switch": station.inner.as_ref().map(|inner| inner.place.as_str()),
        "link": station.inner.as_ref().and_then(|inner| inner.link.as_deref()),
        "peer": station.peer,
        "delay_ns": station.peer.map(|_| station.delay.as_ns_f64()),
    })
}

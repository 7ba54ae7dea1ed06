//! The addresses of the stations: each loop has those of its own.
//!
//! Addresses that are not given are found so: AL_PA 01 to EF in this order to the initiators, then to the targets,
//! then to the passive ports, each in the order of the loop, leaving out those that are given. 00, the address of a
//! fabric's port, comes first of all if the loop has 127 ports, and is not used otherwise.

use std::collections::BTreeMap;

use sansim_describe::codes;
use sansim_describe::fault::Fault;
use sansim_describe::sink::Sink;
use sansim_describe::source::Place;
use sansim_fc::al_pa::{AlPa, AlPaChoice};

use super::stations::{OnLoop, Stations};
use super::{Components, dotted};
use crate::codes::DUPLICATE_AL_PA;

/// The addresses on a loop, for each of its ports those of the members.
pub(super) type OfLoop = Vec<Vec<AlPa>>;

/// Gives an address to every port.
pub(super) fn give(sink: &mut Sink<'_>, components: &Components<'_>, stations: &Stations) -> Vec<OfLoop> {
    stations.loops.iter().map(|on_loop| on_one(sink, components, on_loop)).collect()
}

fn on_one(sink: &mut Sink<'_>, components: &Components<'_>, on_loop: &OnLoop) -> OfLoop {
    let count = |component: usize| components.count(component) as usize;
    let ports: usize = on_loop.ports.iter().map(|&(component, _)| count(component)).sum();
    let mut addresses: OfLoop = vec![Vec::new(); on_loop.ports.len()];
    if ports > AlPa::COUNT {
        return addresses;
    }
    let said = |&(component, port): &(usize, usize)| &components.members[component].ports[port];
    let mut taken: BTreeMap<AlPa, Place> = BTreeMap::new();
    for (port, addresses) in on_loop.ports.iter().zip(&mut addresses) {
        let AlPaChoice::These(given) = &said(port).port.al_pa else { continue };
        let name = components.name(port.0);
        let key = dotted(name, &format!("{}.al_pa", said(port).table));
        let needed = count(port.0);
        if given.len() != needed {
            let fault = Fault::new(
                codes::CONTRADICTION,
                components.places.value(&key),
                format!("{} for the {needed} ports of `{name}`", counted(given.len())),
            )
            .label("one AL_PA is needed for each port")
            .help("give a list of as many, or \"auto\"");
            sink.report(&key, fault);
        }
        for (index, &address) in given.iter().enumerate() {
            let place = components.places.item(&key, index);
            if let Some(&first) = taken.get(&address) {
                let fault =
                    Fault::new(DUPLICATE_AL_PA, place, format!("AL_PA {address} is given to two ports"))
                        .label("given again")
                        .help("every port of a loop needs an address of its own; \"auto\" finds free ones");
                sink.report_with(&key, fault, Some((first, "first given here")));
            } else {
                taken.insert(address, place);
            }
        }
        addresses.clone_from(given);
    }
    let from = if ports == AlPa::COUNT { 0 } else { 1 };
    let mut free = AlPa::all().filter(|address| address.value() >= from && !taken.contains_key(address));
    let mut by_side: Vec<usize> = (0..on_loop.ports.len()).collect();
    by_side.sort_by_key(|&index| said(&on_loop.ports[index]).side);
    for index in by_side {
        let port = &on_loop.ports[index];
        if said(port).port.al_pa == AlPaChoice::Auto {
            addresses[index] = free.by_ref().take(count(port.0)).collect();
        }
    }
    addresses
}

/// `1 AL_PA` or `3 AL_PAs`.
fn counted(addresses: usize) -> String {
    if addresses == 1 { "1 AL_PA".to_owned() } else { format!("{addresses} AL_PAs") }
}

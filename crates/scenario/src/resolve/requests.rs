//! Workloads: that there are not too many, and that their requests fit where they go.

use std::collections::BTreeSet;

use sansim_registry::{Category, CheckedRequest, Joins};
use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::sink::Sink;

use super::names::Names;
use super::{Components, dotted};

/// Most workloads of a scenario, so that each has a rank of its own among what happens at one moment
/// (`sansim_kernel::Order::RANKS`).
const MOST_WORKLOADS: usize = 10_000;

/// Tells what is wrong with the requests of the workloads.
pub(super) fn check(sink: &mut Sink<'_>, components: &Components<'_>, names: &Names) {
    let workloads: Vec<usize> = components
        .numbers()
        .filter(|&component| components.kind(component).category == Category::Workload)
        .collect();
    if let Some(&first) = workloads.get(MOST_WORKLOADS) {
        let name = components.name(first);
        let message = format!("{} workloads, but {MOST_WORKLOADS} are the most", workloads.len());
        let fault = Diagnostic::new(codes::OUT_OF_RANGE, components.places.header(name), message)
            .label("the first that is too many")
            .help("give a workload a larger queue_depth, or several groups of drives to go to");
        sink.report(name, fault);
    }
    for workload in workloads {
        let Some(load) = components.described[workload].compound().load() else { continue };
        let key = dotted(components.name(workload), load.size_key);
        if !sink.are_sound(&[&key]) {
            continue;
        }
        let place = components.places.value(&key);
        for device in devices(names, workload) {
            let mut keys = Keys::new(sink, components.places, components.name(device));
            let request = CheckedRequest { bytes: load.size, key: &key, place };
            components.described[device].compound().check_request(&request, &mut keys);
        }
    }
}

/// All devices that the requests of a workload come to, those behind others included.
fn devices(names: &Names, workload: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut next: Vec<usize> = names.of(workload, Joins::Devices).map(|join| join.to).collect();
    while let Some(device) = next.pop() {
        if found.insert(device) {
            next.extend(names.behind(device).map(|join| join.to));
        }
    }
    found
}

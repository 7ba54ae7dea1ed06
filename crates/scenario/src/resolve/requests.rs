//! Checks that the requests of workloads fit the devices to which they go.

use std::collections::BTreeSet;

use sansim_registry::{CheckedRequest, ComponentCategory, ReferenceRelation};
use sansim_schema::keys::Keys;
use sansim_schema::sink::ProblemSink;

use super::names::Names;
use super::{Components, dotted};

/// Reports errors of the requests of the workloads.
pub(super) fn check(sink: &mut ProblemSink<'_>, components: &Components<'_>, names: &Names) {
    let workloads = components
        .numbers()
        .filter(|&component| components.kind(component).category == ComponentCategory::Workload);
    for workload in workloads {
        let Some(load) = components.described[workload].kind_behaviour().load() else { continue };
        let key = dotted(components.name(workload), load.size_key);
        if !sink.all_readable(&[&key]) {
            continue;
        }
        let place = components.places.value_position(&key);
        for device in devices(names, workload) {
            let mut keys = Keys::new(sink, components.places, components.name(device));
            let request = CheckedRequest { bytes: load.size, key: &key, place };
            components.described[device].kind_behaviour().check_request(&request, &mut keys);
        }
    }
}

/// All devices that the requests of a workload reach, including those behind others.
fn devices(names: &Names, workload: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut next: Vec<usize> =
        names.joins_with_relation(workload, ReferenceRelation::Devices).map(|join| join.to).collect();
    while let Some(device) = next.pop() {
        if found.insert(device) {
            next.extend(names.device_joins(device).map(|join| join.to));
        }
    }
    found
}

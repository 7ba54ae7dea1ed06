//! Workloads: that whom they join exists, and that their I/Os fit there.

use sansim_describe::codes;
use sansim_describe::fault::Fault;
use sansim_describe::keys::Keys;
use sansim_describe::places::Places;
use sansim_describe::sink::Sink;
use sansim_describe::suggest::printable;
use sansim_describe::table::Tabular;
use sansim_host::workload::WorkloadParameters;

use super::names::{is_unread, unknown_name};
use crate::component::Component;
use crate::scenario::{DriveGroup, Named, Route, Scenario};

/// Finds out whom each workload joins, and whether it can.
pub(super) fn join(
    sink: &mut Sink<'_>,
    places: Places<'_>,
    components: &[Component<'_>],
    scenario: &mut Scenario,
) {
    count_workloads(sink, places, scenario);
    routes(sink, places, components, scenario);
}

/// Whether an I/O fits on a drive.
fn room(
    sink: &mut Sink<'_>,
    places: Places<'_>,
    workload: &Named<WorkloadParameters>,
    drives: &Named<DriveGroup>,
) {
    let (size_key, capacity_key) = (format!("{}.size", workload.name), format!("{}.capacity", drives.name));
    if workload.size > drives.drive.capacity && sink.are_sound(&[&size_key, &capacity_key]) {
        let fault = Fault::new(
            codes::CONTRADICTION,
            places.value(&size_key),
            format!("an I/O of {} B is larger than a drive of `{}`", workload.size, drives.name),
        )
        .label(format!("the drives hold {} B each", drives.drive.capacity))
        .help(format!("give a smaller size, or a larger {capacity_key}"));
        sink.report(&size_key, fault);
    }
}

/// Whether the drives move an I/O in time.
fn transfer(
    sink: &mut Sink<'_>,
    places: Places<'_>,
    workload: &Named<WorkloadParameters>,
    drives: &Named<DriveGroup>,
) {
    let (key, rate_key) = (format!("{}.size", workload.name), format!("{}.transfer_rate", drives.name));
    if !sink.are_sound(&[&key, &rate_key]) {
        return;
    }
    let at = (key.as_str(), places.value(&key));
    if let Some(fault) = drives.drive.too_long(workload.size, "an I/O", at, &drives.name) {
        let related = places.written(&rate_key).map(|place| (place, "the rate"));
        sink.report_with(&key, fault, related);
    }
}

/// Most workloads of a scenario, so that each has a rank of its own among what happens at one moment
/// (`sansim_kernel::Order::RANKS`).
const MOST_WORKLOADS: usize = 10_000;

/// Whether there are few enough workloads.
fn count_workloads(sink: &mut Sink<'_>, places: Places<'_>, scenario: &Scenario) {
    let Some(first) = scenario.workloads.get(MOST_WORKLOADS) else { return };
    let message = format!("{} workloads, but {MOST_WORKLOADS} are the most", scenario.workloads.len());
    let fault = Fault::new(codes::OUT_OF_RANGE, places.header(&first.name), message)
        .label("the first that is too many")
        .help("give a workload a larger queue_depth, or several groups of drives to go to");
    sink.report(&first.name, fault);
}

/// Finds out whom each workload joins.
fn routes(sink: &mut Sink<'_>, places: Places<'_>, components: &[Component<'_>], scenario: &mut Scenario) {
    let mut routes = Vec::new();
    for workload in &scenario.workloads {
        let (from_key, to_key) = (format!("{}.from", workload.name), format!("{}.to", workload.name));
        let mut host = 0;
        if sink.are_sound(&[&from_key]) && !is_unread(components, &workload.from) {
            match scenario.hosts.iter().position(|host| host.name == workload.from) {
                Some(index) => host = index,
                None => {
                    let place = places.value(&from_key);
                    sink.report(
                        &from_key,
                        unknown_name(place, &workload.from, components, &["host"], "a host"),
                    );
                }
            }
        }
        let mut drives = Vec::new();
        if sink.are_sound(&[&to_key]) {
            for (index, name) in workload.to.iter().enumerate() {
                let place = places.item(&to_key, index);
                let group = scenario.drives.iter().position(|group| group.name == *name);
                if let Some(first) = workload.to[..index].iter().position(|other| other == name) {
                    let fault = Fault::new(
                        codes::NAMED_TWICE,
                        place,
                        format!("`{}` is named twice", printable(name)),
                    )
                    .label("named again");
                    sink.report_with(&to_key, fault, Some((places.item(&to_key, first), "first named here")));
                } else if let Some(group) = group {
                    room(sink, places, workload, &scenario.drives[group]);
                    transfer(sink, places, workload, &scenario.drives[group]);
                    drives.push(group);
                } else if !is_unread(components, name) {
                    sink.report(
                        &to_key,
                        unknown_name(place, name, components, &["drives"], "a group of drives"),
                    );
                }
            }
        }
        let drives_in_all: u64 = drives.iter().map(|&group| u64::from(scenario.drives[group].count)).sum();
        let count_keys: Vec<String> = workload.to.iter().map(|name| format!("{name}.count")).collect();
        let count_keys: Vec<&str> = count_keys.iter().map(String::as_str).collect();
        if drives_in_all == 0 && !drives.is_empty() && sink.are_sound(&count_keys) {
            let fault = Fault::new(
                codes::CONTRADICTION,
                places.value(&to_key),
                format!("`{}` has no drive to go to", workload.name),
            )
            .label("these groups have no drives")
            .help("set their count, or name another group");
            sink.report(&to_key, fault);
        }
        workload.check(&mut Keys::new(sink, places, &workload.name));
        routes.push(Route { host, drives });
    }
    scenario.routes = routes;
}

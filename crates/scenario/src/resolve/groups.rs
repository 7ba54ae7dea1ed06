//! The number of members of each group. A workload has as many members as its table says for each of the hosts through which it goes.

use std::collections::BTreeMap;

use sansim_registry::{ComponentCategory, KindParameters, ReferenceRelation};
use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::sink::ProblemSink;
use sansim_schema::table::NamedValue;

use super::names::Names;
use super::{Components, dotted};

/// The most workloads of a scenario, so that each has a rank of its own among simultaneous events (`sansim_kernel::Order::RANKS`).
const MOST_WORKLOADS: u64 = 10_000;

/// The number of members of each component; none for a single component.
pub(super) fn counts(
    described: &[NamedValue<KindParameters>],
    by_name: &BTreeMap<&str, usize>,
) -> Vec<Option<u32>> {
    let own = |number: usize| described[number].kind_behaviour().members();
    let count = |number: usize| {
        let component = &described[number];
        if component.kind_of_component().category != ComponentCategory::Workload {
            return own(number);
        }
        let references = component.kind_behaviour().references();
        let hosts = references.iter().filter(|reference| reference.joins == ReferenceRelation::Through);
        let hosts = hosts.flat_map(|reference| reference.names).filter_map(|name| by_name.get(name.as_str()));
        let hosts: Vec<Option<u32>> = hosts.map(|&host| own(host)).collect();
        let are_several = hosts.len() > 1 || hosts.iter().any(Option::is_some);
        let all = hosts.iter().fold(0, |sum: u32, host| sum.saturating_add(host.unwrap_or(1)));
        match own(number) {
            Some(each) => Some(each.saturating_mul(all.max(1))),
            None => are_several.then_some(all),
        }
    };
    (0..described.len()).map(count).collect()
}

/// The host through which a member of a group of workloads goes, as component and member: the first workloads go through the first host.
pub(super) fn host_of(
    components: &Components<'_>,
    names: &Names,
    workload: usize,
    member: u32,
) -> Option<(usize, u32)> {
    let each = components.described[workload].kind_behaviour().members().unwrap_or(1).max(1);
    let mut host = member / each;
    for join in names.joins_with_relation(workload, ReferenceRelation::Through) {
        match components.count(join.to) {
            count if host < count => return Some((join.to, host)),
            count => host -= count,
        }
    }
    None
}

/// The member of a controller that contains a member of a module: with two controllers and four caches the first controller has the first
/// two.
pub(super) fn home_of(components: &Components<'_>, module: usize, member: u32, controller: usize) -> u32 {
    let each = components.count(module) / components.count(controller).max(1);
    member / each.max(1)
}

/// Reports more workloads than there may be.
pub(super) fn check(sink: &mut ProblemSink<'_>, components: &Components<'_>) {
    let workloads = || {
        components
            .numbers()
            .filter(|&component| components.kind(component).category == ComponentCategory::Workload)
    };
    let count = |component: usize| u64::from(components.count(component));
    let all: u64 = workloads().map(count).sum();
    let mut before = 0;
    let too_many = workloads().find(|&component| {
        before += count(component);
        before > MOST_WORKLOADS
    });
    let Some(component) = too_many else { return };
    let (name, key) = (components.name(component), dotted(components.name(component), "count"));
    let (place, key) = match components.places.written_position(&key) {
        Some(place) => (place, key),
        None => (components.places.header_position(name), name.to_owned()),
    };
    let message = format!("{all} workloads, but {MOST_WORKLOADS} are the most");
    let fault = Diagnostic::new(codes::OUT_OF_RANGE, place, message)
        .with_label("the first that is too many")
        .with_help("give a workload a larger queue_depth, or several groups of drives to go to");
    sink.report(&key, fault);
}

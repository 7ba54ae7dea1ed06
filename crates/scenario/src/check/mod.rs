//! What components owe to each other: names that exist, addresses that differ, a loop that is not too long.

mod names;
mod stations;
mod workloads;

use sansim_describe::codes;
use sansim_describe::fault::{Fault, NOT_MODELLED};
use sansim_describe::keys::Keys;
use sansim_describe::places::Places;
use sansim_describe::sink::Sink;
use sansim_describe::source::Place;
use sansim_describe::table::Tabular;
use sansim_describe::tree::Table;
use sansim_fc::loop_port::{PortParameters, WithinSequence};
use sansim_fcp::adapter::AdapterParameters;

use crate::component::Component;
use crate::scenario::Scenario;

/// Whether every kind of component is there that a simulation cannot do without, and only one loop.
pub(crate) fn completeness(sink: &mut Sink<'_>, components: &[Component<'_>]) {
    // A component whose kind could not be read may be the one that is missing.
    if components.iter().any(|component| component.kind.is_empty()) {
        return;
    }
    let needed = [
        ("arbitrated-loop", "no loop", "loop"),
        ("host", "no host", "host"),
        ("drives", "no drives", "drives"),
        ("closed", "no workload", "workload"),
    ];
    for (word, lacks, example) in needed {
        if !components.iter().any(|component| component.kind == word) {
            let fault = Fault::new(codes::INCOMPLETE, Place::FILE, format!("the scenario has {lacks}"))
                .help(format!("add a table such as [{example}] with kind = \"{word}\""));
            sink.report("", fault);
        }
    }
    let mut loops = components.iter().filter(|component| component.kind == "arbitrated-loop");
    if let Some(first) = loops.next() {
        for another in loops {
            let fault = Fault::new(
                codes::NOT_BUILT,
                another.entry.key_place,
                "this version simulates a single loop",
            )
            .label("a second loop")
            .help(format!(
                "describe each loop in a file of its own for now; {NOT_MODELLED} lists what is left out"
            ));
            sink.report_with(another.name(), fault, Some((first.entry.key_place, "the first loop")));
        }
    }
}

/// Turns names into indices and gives out addresses; reports every contradiction, within components and between them.
pub(crate) fn resolve(
    sink: &mut Sink<'_>,
    root: &Table,
    components: &[Component<'_>],
    scenario: &mut Scenario,
) {
    let places = Places::new(root);
    scenario.run.check(&mut Keys::new(sink, places, "run"));
    scenario.fcp.check(&mut Keys::new(sink, places, "fcp"));
    let network = &scenario.arbitrated_loop;
    network.check(&mut Keys::new(sink, places, &network.name));
    stations::place(sink, places, components, scenario);
    for host in &scenario.hosts {
        host.check(&mut Keys::new(sink, places, &host.name));
        gathering(sink, places, &host.name, &host.port, &host.adapter);
    }
    for group in &scenario.drives {
        group.check(&mut Keys::new(sink, places, &group.name));
        gathering(sink, places, &group.name, &group.port, &group.adapter);
    }
    for group in &scenario.passives {
        group.check(&mut Keys::new(sink, places, &group.name));
    }
    workloads::join(sink, places, components, scenario);
}

/// A port cannot wait for more frames than its adapter fetches ahead.
fn gathering(
    sink: &mut Sink<'_>,
    places: Places<'_>,
    name: &str,
    port: &PortParameters,
    adapter: &AdapterParameters,
) {
    let (key, buffers_key) =
        (format!("{name}.port.within_sequence"), format!("{name}.adapter.outgoing_buffers"));
    let WithinSequence::Gather(frames) = port.within_sequence else { return };
    let buffers = adapter.outgoing_buffers;
    if frames <= buffers || !sink.are_sound(&[&key, &buffers_key]) {
        return;
    }
    let fault = Fault::new(
        codes::CONTRADICTION,
        places.value(&key),
        format!(
            "a port that waits for {frames} frames waits for ever, for its adapter fetches {buffers} ahead"
        ),
    )
    .label(format!("must be at most outgoing_buffers, which is {buffers}"));
    let related = places.node(&buffers_key).map(|node| (node.place, "the frames that are fetched ahead"));
    let help =
        related.is_none().then(|| format!("set {buffers_key} to {frames} or more; {buffers} is its default"));
    sink.report_with(&key, fault.maybe_help(help), related);
}

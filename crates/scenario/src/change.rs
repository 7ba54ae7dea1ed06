//! Keys that events change: the components are read again with the value of the event in place of that of the file.
//!
//! So a value is read and checked exactly as that of the key in the file is, together with all other keys of the scenario, and keys that
//! follow the changed one follow it here, too. The parts and ports that are then different are those that the event changes.

use std::path::Path;

use sansim_registry::{AccessState, PortKeys};
use sansim_schema::fault::Diagnostic;
use sansim_schema::places::KeyPositions;
use sansim_schema::quantities::write_time;
use sansim_schema::sink::ProblemSink;
use sansim_schema::source::SourceRange;
use sansim_schema::tree::{DocumentEntry, Table, Value, ValueNode};

use crate::codes::NOT_POSSIBLE;
use crate::component::components;
use crate::event::ScenarioEvent;
use crate::graph::{ChangedPart, Graph, GraphLoop, attached};
use crate::resolve;
use crate::scenario::Scenario;
use crate::surroundings::read_components;

/// Finds what each change of the scenario changes. `root` is the tree of the file, and `events` are those of the file in its order.
/// Problems are reported at the values of the events.
pub(crate) fn find_changes(
    sink: &mut ProblemSink<'_>,
    root: &Table,
    folder: &Path,
    scenario: &mut Scenario,
    events: &[ScenarioEvent],
) {
    let mut numbers: Vec<usize> = scenario.graph.events.iter().filter_map(|event| event.change).collect();
    numbers.sort_by_key(|&number| (events[number].at, number));
    let mut present = root.clone();
    let mut before = scenario.clone();
    for number in numbers {
        let event = &events[number];
        let path = format!("event[{number}].value");
        let Some(value) = KeyPositions::new(root).value_node(&path) else { continue };
        set(&mut present, &format!("{}.{}", event.what, event.key), value);
        let Some(after) = read_again(sink, &present, folder, &before, &path) else { return };
        let changed = difference(&before.graph, &after.graph);
        if let Some(fault) = changed.iter().find_map(|of| impossible(&before, &after, of.part, event)) {
            sink.report(&path, fault.at(value.place));
            return;
        }
        if changed.is_empty() {
            let at = write_time(event.at.ticks());
            let why = "the key has this value already";
            scenario.graph.vain_events.push(format!(
                "the event `{}` of `{}` at {at} changes nothing: {why}",
                event.r#do, event.what
            ));
        }
        let parts: Vec<usize> = changed.iter().map(|changed| changed.part).collect();
        let (events, written) = (&mut scenario.graph.events, &mut scenario.graph.written_events);
        for event in events.iter_mut().chain(written).filter(|event| event.change == Some(number)) {
            event.parts.clone_from(&parts);
        }
        scenario.graph.changes.insert(number, changed);
        before = after;
    }
}

/// The reason why a network cannot change.
struct Impossible {
    message: String,
    label: &'static str,
}

impl Impossible {
    fn at(self, place: SourceRange) -> Diagnostic {
        Diagnostic::new(NOT_POSSIBLE, place, self.message).with_label(self.label)
    }
}

/// The reason why a part cannot become what it is afterwards; none if it can.
fn impossible(before: &Scenario, after: &Scenario, part: usize, event: &ScenarioEvent) -> Option<Impossible> {
    let on = |scenario: &'_ Scenario| scenario.graph.loops.iter().position(|on| on.part == part);
    let (was, is) = (&before.graph.loops[on(before)?], &after.graph.loops[on(after)?]);
    let (old, new) = (before.graph.parts[part].part.network()?, after.graph.parts[part].part.network()?);
    let key = event.key.rsplit('.').next().unwrap_or_default().trim();
    let has_ports = |on: &GraphLoop| on.stations.iter().map(|one| one.port.clone()).collect::<Vec<_>>();
    let name = &after.graph.parts[part].name;
    let may_change = new.changing_port_keys();
    if may_change.is_empty() || has_ports(was) != has_ports(is) && !may_change.contains(&key) {
        let kind =
            after.components[after.graph.places[after.graph.parts[part].place].component].kind_of_component();
        let message = format!("`{}` does not change at `{name}`, which is {}", event.key, kind.noun);
        return Some(Impossible { message, label: "a port of this network keeps it during a run" });
    }
    let fault = new.change_fault(&attached(&is.stations), (old, &attached(&was.stations)))?;
    let message = format!("`{}` cannot change while `{name}` runs: {fault}", event.key);
    Some(Impossible { message, label: "cannot be taken by this network" })
}

/// Sets the value of a key, whose path begins with the name of the component.
fn set(root: &mut Table, path: &str, value: &ValueNode) {
    let mut table = root;
    let mut parts = path.split('.').map(str::trim).peekable();
    while let Some(part) = parts.next() {
        let place = table.entries.iter().position(|entry| entry.key == part).unwrap_or_else(|| {
            let node = ValueNode { value: Value::Table(Table::default()), ..value.clone() };
            table.entries.push(DocumentEntry { key: part.to_owned(), key_place: value.place, node });
            table.entries.len() - 1
        });
        let node = &mut table.entries[place].node;
        if parts.peek().is_none() {
            *node = value.clone();
            return;
        }
        if !matches!(node.value, Value::Table(_)) {
            node.value = Value::Table(Table::default());
        }
        let Value::Table(inner) = &mut node.value else { return };
        table = inner;
    }
}

/// The scenario with the tree of the file as it is now; none after an error, which has been reported for the key `path`.
fn read_again(
    sink: &mut ProblemSink<'_>,
    root: &Table,
    folder: &Path,
    before: &Scenario,
    path: &str,
) -> Option<Scenario> {
    let mut found = ProblemSink::new(sink.sources());
    let tables = components(&mut found, root);
    let mut described = read_components(&mut found, &tables, folder);
    described.sort_by_key(|component| component.kind_of_component().category);
    let mut scenario = Scenario { components: described, graph: Graph::default(), ..before.clone() };
    scenario.graph = resolve::resolve(&mut found, root, &tables, &scenario, &[]);
    let is_sound = found.is_empty();
    sink.report_all_of(found, path, KeyPositions::new(root).value_position(path));
    is_sound.then_some(scenario)
}

/// The parts of a graph that are other parts in the next one, or whose surroundings are.
fn difference(before: &Graph, after: &Graph) -> Vec<ChangedPart> {
    let ports = |graph: &Graph, part: usize| -> Vec<PortKeys> {
        let on = graph.loops.iter().filter(|on| on.part == part);
        on.flat_map(|on| &on.stations).map(|station| station.port.clone()).collect()
    };
    let access = |part: usize| -> Vec<(u32, AccessState)> {
        let states = before.access_by_path(part).zip(after.access_by_path(part));
        (0..).zip(states).filter(|(_, (was, is))| was != is).map(|(number, (_, is))| (number, is)).collect()
    };
    let changed = |part: usize| {
        let keys = after.parts[part].part.clone();
        let (ports, limits) = (ports(after, part), after.limits_by_port(part));
        ChangedPart { part, keys, ports, limits, access: access(part) }
    };
    let is_other = |part: &usize| {
        before.parts[*part].part != after.parts[*part].part
            || ports(before, *part) != ports(after, *part)
            || before.limits_by_port(*part) != after.limits_by_port(*part)
            || !access(*part).is_empty()
    };
    (0..before.parts.len().min(after.parts.len())).filter(is_other).map(changed).collect()
}

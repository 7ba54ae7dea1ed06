//! Events: checks that their targets exist and that the actions are possible, and finds the paths that they affect.

use std::collections::BTreeMap;

use sansim_kernel::Span;
use sansim_registry::{EventAction, ReferenceRelation};
use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::sink::ProblemSink;
use sansim_schema::suggest::{nearest, shortened_for_print, words_in_prose};
use sansim_schema::words::Word;

use super::groups::home_of;
use super::names::Names;
use super::parts::Numbers;
use super::stations::Stations;
use super::vain_events::Happens;
use super::{Components, chosen, dotted, enclosures, key_events, node_events, vain_events, way_events};
use crate::codes::NOT_POSSIBLE;
use crate::event::ScenarioEvent;
use crate::graph::{Graph, GraphEvent, RandomOutages};
use crate::run::RunSettings;

/// The component, members and part that an event is for.
#[derive(Clone)]
pub(super) struct Target {
    component: usize,
    members: std::ops::Range<u32>,
    /// The path of one of the component's adapters, or the word for a part that can fail separately; empty for the component itself.
    path: String,
}

/// The possible actions on a part of a component that is no adapter.
const OF_THINGS: &[EventAction] = &[EventAction::Fail, EventAction::Repair];

/// The possible actions on an adapter.
const OF_ADAPTERS: &[EventAction] =
    &[EventAction::Fail, EventAction::Repair, EventAction::Slow, EventAction::Silence];

/// The word of an action.
fn word(action: EventAction) -> &'static str {
    EventAction::ALL.iter().find(|(known, _, _)| *known == action).map_or("", |(_, word, _)| word)
}

/// Finds the targets of events, and checks that the events are possible for them.
pub(super) fn check(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    stations: &Stations,
    events: &[ScenarioEvent],
) -> Vec<Option<Target>> {
    let check = |(index, event): (usize, &ScenarioEvent)| {
        let (what, action) = (format!("event[{index}].what"), format!("event[{index}].do"));
        if !sink.all_readable(&[&what, &action]) {
            return None;
        }
        match target(components, &event.what) {
            Err(Some((message, help))) => {
                let fault = Diagnostic::new(codes::UNKNOWN_NAME, components.places.value_position(&what), message)
                    .with_label("needs a component, a member such as \"drives[1]\", or an adapter such as \"host.adapters.a\"")
                    .with_help(help);
                sink.report(&what, fault);
                None
            }
            Err(None) => None,
            Ok(found) => {
                if event.r#do == EventAction::Change {
                    if let Some((key, fault)) = key_events::impossible(
                        components,
                        event,
                        (found.component, &found.members, &found.path),
                        index,
                    ) {
                        sink.report(&key, fault);
                    }
                    return Some(found);
                }
                let impossible = if node_events::is_of_thing(components, found.component, &found.path, event)
                {
                    None
                } else if node_events::is_of_nodes(event.r#do) {
                    node_events::impossible(
                        components,
                        stations,
                        event,
                        (found.component, &found.path),
                        index,
                    )
                } else {
                    impossible(components, stations, event, &found, index)
                };
                if let Some(fault) = impossible {
                    sink.report(&action, fault);
                } else if let Some((key, fault)) = beyond(sink, components, event, &found, index)
                    .or_else(|| undelayed(sink, components, event, &found, index))
                {
                    sink.report(&key, fault);
                }
                Some(found)
            }
        }
    };
    events.iter().enumerate().map(check).collect()
}

/// The error in a name, with a correction; none if its kind could not be read.
type WrongName = Option<(String, String)>;

/// The component, the members and the adapter of a name.
fn target(components: &Components<'_>, what: &str) -> Result<Target, WrongName> {
    let (whom, path) = what.split_once('.').unwrap_or((what, ""));
    let (component, members) = members(components, what, whom)?;
    let (name, path) = (components.name(component), path.to_owned());
    let adapters = || components.members[component].ports.iter().filter_map(|port| port.part);
    let paths: Vec<&str> =
        adapters().map(|part| components.members[component].parts[part].path.as_str()).collect();
    if path.is_empty() || paths.contains(&path.as_str()) {
        return Ok(Target { component, members, path });
    }
    let is_port = components.members[component].ports.iter().any(|port| port.path == path);
    let things = components.described[component].kind_behaviour().fallible();
    if is_port || things.contains(&path) || enclosures::cable(components, component, &path).is_some() {
        return Ok(Target { component, members, path });
    }
    let help = if paths.is_empty() && things.is_empty() {
        format!("`{name}` has no adapters")
    } else {
        let known = things.iter().map(String::as_str).chain(paths.iter().copied());
        let names: Vec<String> = known.take(12).map(|path| dotted(whom, path)).collect();
        format!("known here: {}", words_in_prose(names.iter().map(String::as_str)))
    };
    let what = shortened_for_print(what);
    let message = if things.is_empty() {
        format!("there is no adapter `{what}`")
    } else {
        format!("there is nothing called `{what}`")
    };
    Err(Some((message, help)))
}

/// The component and the members of a name without an adapter; `what` is the whole text.
fn members(
    components: &Components<'_>,
    what: &str,
    whom: &str,
) -> Result<(usize, std::ops::Range<u32>), WrongName> {
    let (name, chosen) = chosen::parts_of(whom);
    if components.unread.contains(name) {
        return Err(None);
    }
    let shown = shortened_for_print(what);
    let Some(component) = components.find(name) else {
        let names = || components.described.iter().map(|component| component.name.as_str());
        let help = nearest(name, names()).map_or_else(
            || format!("known here: {}", words_in_prose(names().take(12))),
            |near| format!("did you mean `{near}`?"),
        );
        return Err(Some((format!("there is no component `{shown}`"), help)));
    };
    let Some(chosen) = chosen else { return Ok((component, 0..components.count(component))) };
    let found = chosen::members(components, component, chosen, &shown);
    found.map(|members| (component, members)).map_err(Some)
}

/// The error if the action is not possible for a component of this kind.
fn impossible(
    components: &Components<'_>,
    stations: &Stations,
    event: &ScenarioEvent,
    target: &Target,
    index: usize,
) -> Option<Diagnostic> {
    let Target { component, path, .. } = target;
    let component = *component;
    let of_kind = components.described[component].kind_behaviour().actions();
    let possible = match path.is_empty() {
        true => of_kind,
        false if is_adapter(components, component, path) => OF_ADAPTERS,
        false => OF_THINGS,
    };
    if possible.contains(&event.r#do) {
        return None;
    }
    let kind = components.kind(component);
    let is_thing = components.described[component].kind_behaviour().fallible().contains(path);
    let noun = match path.is_empty() {
        true => kind.noun,
        false if is_thing => "a part of a component",
        false => "an adapter",
    };
    let message = format!("{noun} cannot {}", phrase(event.r#do));
    let mut adapters = components.members[component].ports.iter().filter_map(|port| port.part);
    let help = match (possible, adapters.next()) {
        (_, Some(adapter))
            if path.is_empty() && (possible.is_empty() || event.r#do == EventAction::Silence) =>
        {
            let path = &components.members[component].parts[adapter].path;
            format!("its adapters can: write what = \"{}\"", dotted(components.name(component), path))
        }
        ([], _) => format!("nothing can happen to {noun} in this version"),
        (possible, _) => {
            let of_nodes = [EventAction::Remove, EventAction::Add];
            let may_change = node_events::may_change(components, stations, component, path);
            let possible = possible.iter().chain(of_nodes.iter().filter(|_| may_change));
            format!("what can happen: {}", words_in_prose(possible.map(|&action| word(action))))
        }
    };
    let place = components.places.value_position(&format!("event[{index}].do"));
    let label = format!("`{}` is {noun}", dotted(components.name(component), path));
    Some(Diagnostic::new(NOT_POSSIBLE, place, message).with_label(label).with_help(help))
}

/// Whether a path is that of an adapter, and not of another part of the component.
fn is_adapter(components: &Components<'_>, component: usize, path: &str) -> bool {
    let parts = components.members[component].parts.iter();
    parts.filter(|part| part.path == path).any(|part| part.part.frame_pace().is_some())
}

/// The error if commands cannot wait in what becomes slow, with the key.
fn undelayed(
    sink: &ProblemSink<'_>,
    components: &Components<'_>,
    event: &ScenarioEvent,
    target: &Target,
    index: usize,
) -> Option<(String, Diagnostic)> {
    let key = format!("event[{index}].delay");
    let is_delayed = event.r#do == EventAction::Slow && event.delay > Span::ZERO;
    if !is_delayed || !sink.all_readable(&[&key]) || is_adapter(components, target.component, &target.path) {
        return None;
    }
    let message = format!("commands do not wait in `{}`: only an adapter has a `delay`", event.what);
    let fault = Diagnostic::new(codes::CONTRADICTION, components.places.value_position(&key), message)
        .with_label("this time is no adapter's")
        .with_help("name one of its adapters, or give a `factor` alone");
    Some((key, fault))
}

/// The error if a device does not have the bytes that are to be unreadable, with the key.
fn beyond(
    sink: &ProblemSink<'_>,
    components: &Components<'_>,
    event: &ScenarioEvent,
    target: &Target,
    index: usize,
) -> Option<(String, Diagnostic)> {
    let [first, bytes] = ["first_byte", "bytes"].map(|key| format!("event[{index}].{key}"));
    let name = components.name(target.component);
    if event.r#do != EventAction::Unreadable || !sink.all_readable(&[&first, &bytes, name]) {
        return None;
    }
    let held = components.described[target.component].kind_behaviour().presents(&[]);
    let capacity = held.first().copied()?;
    if event.first_byte.saturating_add(event.bytes) <= capacity {
        return None;
    }
    let message = format!("`{}` has no bytes there: it holds {capacity} B", event.what);
    let fault = Diagnostic::new(codes::CONTRADICTION, components.places.value_position(&first), message)
        .with_label(format!("{} B from byte {} on", event.bytes, event.first_byte))
        .with_help("give an earlier first_byte, or fewer bytes");
    Some((first, fault))
}

/// An action as a verb phrase, for messages.
fn phrase(action: EventAction) -> &'static str {
    match action {
        EventAction::Fail => "fail",
        EventAction::Repair => "be repaired",
        EventAction::Slow => "be slow",
        EventAction::Silence => "be silent",
        EventAction::Unreadable => "have unreadable sectors",
        EventAction::Remove => "be removed",
        EventAction::Add => "be added",
        EventAction::Initialise => "be initialised",
        EventAction::Change => "change",
    }
}

/// Checks random failures: they are drawn before the run begins, up to its end, so the end must be known.
pub(super) fn check_outages(sink: &mut ProblemSink<'_>, components: &Components<'_>, run: &RunSettings) {
    if run.end_time().is_some() || !sink.all_readable(&["run"]) {
        return;
    }
    for described in components.described {
        let Some(outage) = described.kind_behaviour().outages().first().copied() else { continue };
        let key = dotted(&described.name, outage.key);
        let message = format!("`{}` fails at random, and the length of the run is unknown", described.name);
        let fault = Diagnostic::new(codes::CONTRADICTION, components.places.value_position(&key), message)
            .with_label("when it fails is drawn up to the end of the run")
            .with_help("give the run a `duration`, and a `warm_up` that is a time, such as \"1 s\"");
        sink.report(&key, fault);
    }
}

/// The events with the parts that they affect, by time, and the events that follow from them.
pub(super) fn of_parts(
    targets: &[Option<Target>],
    events: &[ScenarioEvent],
    components: &Components<'_>,
    names: &Names,
    numbers: &Numbers,
    graph: &mut Graph,
) {
    let all: Vec<Happens<'_>> = events
        .iter()
        .zip(targets)
        .enumerate()
        .filter_map(|(index, (event, target))| {
            let target = target.as_ref()?;
            let itself = of_target((index, event), target, components, numbers, graph);
            let others = with_it(event, target, components, names, numbers);
            let at_random = components.described[target.component].kind_behaviour().fails_by_itself();
            Some(Happens { event, itself, others, at_random })
        })
        .collect();
    graph.outages = outages(components, names, numbers, graph);
    graph.vain_events = vain_events::find(&all, &graph.outages);
    let itself = all.iter().filter_map(|happens| happens.itself.clone());
    let others = all.iter().flat_map(|happens| happens.others.iter().cloned());
    let mut written: Vec<GraphEvent> = itself.chain(others).collect();
    node_events::remove_those_that_come_later(&mut written);
    node_events::remove_things_that_come_later(&all, &mut written);
    graph.written_events = if graph.outages.is_empty() { Vec::new() } else { written.clone() };
    graph.events = carry_out(written, graph);
}

/// Events by time, with their effects on others: on the ports of a network, and on paths.
pub(crate) fn carry_out(mut events: Vec<GraphEvent>, graph: &Graph) -> Vec<GraphEvent> {
    events.sort_by_key(|event| event.at);
    let mut events = enclosures::spread(events, graph);
    way_events::find(&mut events, graph);
    events
}

/// The parts that an event affects within its target. `index` is the number of the event in the file.
fn of_target(
    (index, event): (usize, &ScenarioEvent),
    target: &Target,
    components: &Components<'_>,
    numbers: &Numbers,
    graph: &Graph,
) -> Option<GraphEvent> {
    let Target { component, members, path } = target.clone();
    let things = components.described[component].kind_behaviour().fallible();
    let thing = things.iter().position(|thing| *thing == path);
    // Without a path, or for a part of the component that fails separately, the part with the name of the component is affected.
    let path = if thing.is_some() { String::new() } else { path };
    let happens = |parts: Vec<usize>| GraphEvent {
        at: event.at,
        parts,
        // A switch or link that is taken out is as one that fails.
        action: match event.r#do {
            EventAction::Remove if thing.is_some() => EventAction::Fail,
            EventAction::Add if thing.is_some() => EventAction::Repair,
            action => action,
        },
        // The factor is at most a million, which is the range of the key.
        thousandths: (event.factor * 1e3).round() as u32,
        delay: event.delay,
        unreadable: (event.first_byte, event.bytes),
        thing,
        nodes: Vec::new(),
        initialise: event.initialise,
        ways: Vec::new(),
        change: (event.r#do == EventAction::Change).then_some(index),
    };
    if event.r#do == EventAction::Change {
        // The parts are known when the keys have been read again (`crate::change`).
        return Some(happens(Vec::new()));
    }
    if node_events::is_of_nodes(event.r#do) && thing.is_none() {
        return Some(node_events::of_target(happens(Vec::new()), component, &members, &target.path, graph));
    }
    if let Some(cable) = enclosures::cable(components, component, &path) {
        return Some(happens(cable.leads_to(graph, &components.described[component].name)));
    }
    let inside = components.members[component].parts.iter().position(|part| part.path == path)?;
    Some(happens(members.filter_map(|member| numbers.get(&(component, member, inside)).copied()).collect()))
}

/// The random failures, each with all parts that fail with it.
fn outages(
    components: &Components<'_>,
    names: &Names,
    numbers: &Numbers,
    graph: &Graph,
) -> Vec<RandomOutages> {
    let mut all = Vec::new();
    for (component, described) in components.described.iter().enumerate() {
        for outage in described.kind_behaviour().outages() {
            let word = described.kind_behaviour().fallible().get(outage.thing).cloned().unwrap_or_default();
            for member in 0..components.count(component) {
                let what = dotted(&components.member_name(component, member), &word);
                let of_action = |action: EventAction| {
                    let event = ScenarioEvent::of(action, &what);
                    let target = Target { component, members: member..member + 1, path: word.clone() };
                    let own = of_target((0, &event), &target, components, numbers, graph);
                    own.into_iter().chain(with_it(&event, &target, components, names, numbers)).collect()
                };
                let (fails, repairs) = (of_action(EventAction::Fail), of_action(EventAction::Repair));
                all.push(RandomOutages { stream: format!("{what}/outages"), outage, fails, repairs });
            }
        }
    }
    all
}

/// The parts that fail, and are repaired, with a part of a pair of controllers: parts of the pair, and of its modules.
fn with_it(
    event: &ScenarioEvent,
    target: &Target,
    components: &Components<'_>,
    names: &Names,
    numbers: &Numbers,
) -> Vec<GraphEvent> {
    let pair = target.component;
    let things = components.described[pair].kind_behaviour().fallible();
    let thing = things.iter().position(|thing| *thing == target.path);
    let Some(thing) = thing.filter(|_| components.members[pair].resources.is_some()) else {
        return Vec::new();
    };
    let modules = names.joins.iter().filter(|join| join.how == ReferenceRelation::Inside && join.to == pair);
    let mut events = Vec::new();
    let of = components.described[pair].kind_behaviour().cluster();
    // The number of modules before this one that the same controller owns.
    let mut at_home = BTreeMap::<usize, usize>::new();
    // Adapters come first, so that no other component gets a message from the failed one any more.
    for component in [pair].into_iter().chain(modules.map(|join| join.from)) {
        let which =
            at_home.entry(components.described[component].kind_behaviour().side().index()).or_default();
        let number = *which;
        // The controllers themselves belong to no controller; of modules only those count that can be taken over.
        let falls = components.described[component].kind_behaviour().falls_with(thing, of, number);
        *which += usize::from(component != pair && falls.iter().any(|falls| falls.path.is_empty()));
        for falls in falls {
            let inside = components.members[component].parts.iter().position(|part| part.path == falls.path);
            let Some(inside) = inside else { continue };
            let members = (0..components.count(component)).filter(|&member| {
                let home =
                    if component == pair { member } else { home_of(components, component, member, pair) };
                target.members.contains(&home)
            });
            events.push(GraphEvent {
                at: event.at,
                parts: members.filter_map(|m| numbers.get(&(component, m, inside)).copied()).collect(),
                action: event.r#do,
                thousandths: 1_000,
                delay: Span::ZERO,
                unreadable: (0, 0),
                thing: falls.thing,
                nodes: Vec::new(),
                initialise: false,
                ways: Vec::new(),
                change: None,
            });
        }
    }
    events
}

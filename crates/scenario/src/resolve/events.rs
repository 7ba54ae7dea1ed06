//! Events: that those exist to whom something happens, and that it can happen to them.

use sansim_describe::codes;
use sansim_describe::fault::Fault;
use sansim_describe::sink::Sink;
use sansim_describe::suggest::{nearest, one_of, printable};
use sansim_describe::words::Word;
use sansim_kinds::Action;

use super::Components;
use super::parts::Numbers;
use crate::codes::NOT_POSSIBLE;
use crate::event::Event;
use crate::graph::GraphEvent;

/// To which members of which component an event happens.
pub(super) type Target = (usize, std::ops::Range<u32>);

/// The word of an action.
fn word(action: Action) -> &'static str {
    Action::ALL.iter().find(|(known, _, _)| *known == action).map_or("", |(_, word, _)| word)
}

/// Finds out to whom events happen, and whether they can.
pub(super) fn check(
    sink: &mut Sink<'_>,
    components: &Components<'_>,
    events: &[Event],
) -> Vec<Option<Target>> {
    let check = |(index, event): (usize, &Event)| {
        let (what, action) = (format!("event[{index}].what"), format!("event[{index}].do"));
        if !sink.are_sound(&[&what, &action]) {
            return None;
        }
        match target(components, &event.what) {
            Err(Some((message, help))) => {
                let fault = Fault::new(codes::UNKNOWN_NAME, components.places.value(&what), message)
                    .label("needs a component, or a member such as \"drives[1]\"")
                    .help(help);
                sink.report(&what, fault);
                None
            }
            Err(None) => None,
            Ok(found) => {
                if let Some(fault) = impossible(components, event, found.0, index) {
                    sink.report(&action, fault);
                }
                Some(found)
            }
        }
    };
    events.iter().enumerate().map(check).collect()
}

/// What is wrong with a name, and what to do; nothing more to say if its kind could not be read.
type WrongName = Option<(String, String)>;

/// The component and the members of a name.
fn target(components: &Components<'_>, what: &str) -> Result<Target, WrongName> {
    let (name, member) = match what.strip_suffix(']').and_then(|what| what.rsplit_once('[')) {
        Some((name, member)) => (name, Some(member)),
        None => (what, None),
    };
    if components.unread.contains(name) {
        return Err(None);
    }
    let shown = printable(what);
    let Some(component) = components.find(name) else {
        let names = || components.described.iter().map(|component| component.name.as_str());
        let help = nearest(name, names()).map_or_else(
            || format!("known here: {}", one_of(names().take(12))),
            |near| format!("did you mean `{near}`?"),
        );
        return Err(Some((format!("there is no component `{shown}`"), help)));
    };
    let Some(member) = member else { return Ok((component, 0..components.count(component))) };
    let count = components.count(component);
    let is_group = components.described[component].compound().members().is_some();
    match member.parse::<u32>() {
        Ok(member) if is_group && member < count => Ok((component, member..member + 1)),
        _ if !is_group => {
            Err(Some((format!("`{name}` has no members to number"), format!("write what = \"{name}\""))))
        }
        _ => {
            let help = match count {
                0 => format!("`{name}` has none"),
                _ => format!("the members of `{name}` are {name}[0] to {name}[{}]", count - 1),
            };
            Err(Some((format!("there is no member `{shown}`"), help)))
        }
    }
}

/// What is wrong if this cannot happen to a component of this kind.
fn impossible(components: &Components<'_>, event: &Event, component: usize, index: usize) -> Option<Fault> {
    let possible = components.described[component].compound().actions();
    if possible.contains(&event.r#do) {
        return None;
    }
    let kind = components.kind(component);
    let message = format!("{} cannot {}", kind.noun, phrase(event.r#do));
    let help = match possible {
        [] => format!("nothing can happen to {} in this version", kind.noun),
        possible => format!("what can happen: {}", one_of(possible.iter().map(|&action| word(action)))),
    };
    let place = components.places.value(&format!("event[{index}].do"));
    let label = format!("`{}` is {}", components.name(component), kind.noun);
    Some(Fault::new(NOT_POSSIBLE, place, message).label(label).help(help))
}

/// An action as what something does, or has done to it.
fn phrase(action: Action) -> &'static str {
    match action {
        Action::Fail => "fail",
        Action::Repair => "be repaired",
        Action::Add => "be added",
        Action::Remove => "be removed",
        Action::Change => "be changed",
    }
}

/// The events with the parts that they happen to, by time.
pub(super) fn of_parts(
    targets: &[Option<Target>],
    events: &[Event],
    components: &Components<'_>,
    numbers: &Numbers,
) -> Vec<GraphEvent> {
    let event = |(event, target): (&Event, &Option<Target>)| {
        let (component, members) = target.clone()?;
        // What goes by the name of the component.
        let inside = components.members[component].parts.iter().position(|part| part.path.is_empty())?;
        let parts = members.filter_map(|member| numbers.get(&(component, member, inside)).copied());
        Some(GraphEvent { at: event.at, parts: parts.collect(), action: event.r#do })
    };
    let mut events: Vec<GraphEvent> = events.iter().zip(targets).filter_map(event).collect();
    events.sort_by_key(|event| event.at);
    events
}

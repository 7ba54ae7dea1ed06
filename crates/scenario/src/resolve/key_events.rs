//! Events that change a key of a component during a run: checks that the key is there, and may change.
//!
//! The value is read by `crate::change`, as the value of the key in the file is.

use std::ops::Range;

use sansim_registry::EventAction;
use sansim_schema::codes;
use sansim_schema::doc::TableDoc;
use sansim_schema::fault::Diagnostic;
use sansim_schema::suggest::{nearest, shortened_for_print, words_in_prose};
use sansim_schema::tree::{Table, Value};

use super::{Components, dotted};
use crate::codes::NOT_POSSIBLE;
use crate::event::ScenarioEvent;

/// The most keys that a message lists.
const MOST_LISTED: usize = 12;

/// The error, and its key, if an event changes no key that may change.
pub(super) fn impossible(
    components: &Components<'_>,
    event: &ScenarioEvent,
    (component, members, path): (usize, &Range<u32>, &str),
    index: usize,
) -> Option<(String, Diagnostic)> {
    debug_assert_eq!(event.r#do, EventAction::Change);
    let at = |key: &str| format!("event[{index}].{key}");
    let fault = |key: &str, code, message: String, label: String, help: String| {
        let place = components.places.value_position(&at(key));
        Some((at(key), Diagnostic::new(code, place, message).with_label(label).with_help(help)))
    };
    let (name, kind) = (components.name(component), components.kind(component));
    let table = match &components.places.value_node(name)?.value {
        Value::Table(table) => Some(table),
        _ => None,
    };
    let described = (kind.describe)();
    let may_change = may_change(&described, table, name);
    if !path.is_empty() || *members != (0..components.count(component)) {
        let shown = shortened_for_print(&event.what);
        let message = format!("`{shown}` has no keys of its own to change");
        let (label, help) = ("a part or some members of a component", {
            let key = if event.key.is_empty() { "KEY" } else { &event.key };
            let key = if path.is_empty() { key.to_owned() } else { dotted(path, key) };
            format!("name the component and the whole path of the key: what = \"{name}\", key = \"{key}\"")
        });
        return fault("what", NOT_POSSIBLE, message, label.to_owned(), help);
    }
    for key in ["key", "value"] {
        if components.places.written_position(&at(key)).is_none() {
            let message = format!("a change of `{name}` lacks the key `{key}`");
            let label = format!("`{key}` must be given");
            return fault("do", codes::MISSING_KEY, message, label, may_change);
        }
    }
    let keys: Vec<&str> = event.key.split('.').map(str::trim).collect();
    let shown = shortened_for_print(&event.key);
    match described.field_at(&keys, table) {
        Some(field) if field.changes => None,
        Some(_) => {
            let message = format!("`{shown}` of `{name}` does not change during a run");
            fault("key", NOT_POSSIBLE, message, "not this key".to_owned(), may_change)
        }
        None => {
            let known = described.changing_keys(table);
            let near = nearest(event.key.trim(), known.iter().map(String::as_str));
            let last = keys.last().copied().unwrap_or_default();
            let deeper = || known.iter().find(|key| key.rsplit('.').next() == Some(last)).map(String::as_str);
            let near = near.or_else(deeper).map(|near| format!("did you mean `{near}`?"));
            let message = format!("`{name}` has no key `{shown}`");
            fault("key", codes::UNKNOWN_KEY, message, "unknown key".to_owned(), near.unwrap_or(may_change))
        }
    }
}

/// The advice that lists the keys of a component that may change.
fn may_change(described: &TableDoc, table: Option<&Table>, name: &str) -> String {
    let keys = described.changing_keys(table);
    if keys.is_empty() {
        return format!("no key of `{name}` may change in this version");
    }
    let shown = words_in_prose(keys.iter().take(MOST_LISTED).map(String::as_str));
    let more = keys.len().saturating_sub(MOST_LISTED);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("of `{name}` may change: {shown}{more}")
}

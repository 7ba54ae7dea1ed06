//! Templates: groups of components that a file defines once and uses several times. Templates are expanded in the tree of the file before
//! anything of it is read, so that all other code knows components only; every key keeps the place at which it was written.
//!
//! A table of `[templates.NAME]` has components, and in `parameters` values for `"$parameter"` within. Used as `[left]` with `kind =
//! "NAME"`, each of its components becomes `left-COMPONENT`, and the names by which the components refer to each other change in the same
//! manner.

use std::collections::{BTreeMap, BTreeSet};

use sansim_registry::kind_with_word;
use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::reader::is_valid_name;
use sansim_schema::sink::ProblemSink;
use sansim_schema::source::SourceRange;
use sansim_schema::suggest::{nearest, shortened_for_print, words_in_prose};
use sansim_schema::tree::{DocumentEntry, Table, Value, ValueNode};

use crate::codes::TEMPLATE_IN_ITSELF;
use crate::reserved::is_reserved;

/// The table of a template that holds its parameters.
const PARAMETERS: &str = "parameters";

/// The most copies of a template under one name.
const MOST_COPIES: i128 = 10_000;

/// The most components of a file with its templates expanded.
const MOST_COMPONENTS: usize = 20_000;

/// The key of a use of a template that gives the number of its copies.
const COUNT: &str = "count";

/// The greatest depth of templates within templates.
const DEEPEST: usize = 32;

/// The names of the templates of a file.
pub(crate) fn names(root: &Table) -> impl Iterator<Item = &str> {
    table_of(root, "templates")
        .into_iter()
        .flat_map(|templates| &templates.entries)
        .map(|entry| entry.key.as_str())
}

fn table_of<'t>(table: &'t Table, key: &str) -> Option<&'t Table> {
    match &table.get(key)?.node.value {
        Value::Table(table) => Some(table),
        _ => None,
    }
}

fn table_of_node(node: &ValueNode) -> Option<&Table> {
    match &node.value {
        Value::Table(table) => Some(table),
        _ => None,
    }
}

/// The template that a table is a use of.
fn used<'t>(templates: &'t Table, table: &Table) -> Option<&'t DocumentEntry> {
    templates.get(table.get("kind")?.node.text()?.trim())
}

/// Expands all templates. None after an error, which has been reported.
pub(crate) fn expand(sink: &mut ProblemSink<'_>, root: &mut Table) -> Option<()> {
    let Some(templates) = root.get("templates").cloned() else { return Some(()) };
    let Value::Table(templates) = &templates.node.value else {
        let fault =
            Diagnostic::wrong_type(&templates.node, "a table for each template, such as [templates.shelf]");
        sink.report("templates", fault);
        return None;
    };
    let told = sink.problem_count();
    for template in &templates.entries {
        check(sink, templates, template);
    }
    if sink.problem_count() > told {
        return None;
    }
    let mut writing =
        Writing { sink, templates, entries: Vec::new(), copies: BTreeMap::new(), too_deep: false };
    for entry in std::mem::take(&mut root.entries) {
        match &entry.node.value {
            Value::Table(table) if !is_reserved(&entry.key) => match used(templates, table) {
                Some(template) => writing.write_out_all(&entry.key, template, table, 1),
                None => writing.add(entry),
            },
            _ => writing.add(entry),
        }
        let message = if writing.too_deep {
            format!("the templates stand within each other more than {DEEPEST} deep")
        } else if writing.entries.len() > MOST_COMPONENTS {
            format!("the templates make more than {MOST_COMPONENTS} components")
        } else {
            continue;
        };
        writing.sink.report("templates", Diagnostic::new(codes::OUT_OF_RANGE, SourceRange::FILE, message));
        return None;
    }
    let Writing { mut entries, mut copies, .. } = writing;
    if !copies.is_empty() {
        // A name that a component itself has means that component.
        entries.iter().for_each(|entry| drop(copies.remove(&entry.key)));
        entries.iter_mut().for_each(|entry| name_copies(entry, &copies));
    }
    root.entries = entries;
    (sink.problem_count() == told).then_some(())
}

/// Checks that a template is valid: a table of tables, with a name of its own, that does not contain itself.
fn check(sink: &mut ProblemSink<'_>, templates: &Table, template: &DocumentEntry) {
    let path = format!("templates.{}", shortened_for_print(&template.key));
    let shown = shortened_for_print(&template.key);
    if !is_valid_name(&template.key) || kind_with_word(&template.key).is_some() {
        let (message, label) = match kind_with_word(&template.key) {
            Some(_) => (format!("`{shown}` is a kind of component already"), "choose another name"),
            None => {
                (format!("`{shown}` cannot be the name of a template"), "use letters, digits, `-` and `_`")
            }
        };
        sink.report(&path, Diagnostic::new(codes::BAD_NAME, template.key_place, message).with_label(label));
        return;
    }
    let Value::Table(table) = &template.node.value else {
        sink.report(
            &path,
            Diagnostic::wrong_type(&template.node, "a table for each component of the template"),
        );
        return;
    };
    for entry in &table.entries {
        if !matches!(entry.node.value, Value::Table(_)) {
            let key = format!("{path}.{}", shortened_for_print(&entry.key));
            let message = format!("`{key}` is no component");
            let fault = Diagnostic::new(codes::NOT_A_TABLE, entry.key_place, message)
                .with_label("a template has components, and [parameters]")
                .with_help(format!("parameters stand below [{path}.parameters]"));
            sink.report(&key, fault);
        }
    }
    let mut way = vec![template.key.as_str()];
    if contains_itself(templates, table, &mut way, &mut BTreeSet::new()) {
        let ring = way;
        let ring: Vec<String> = ring.iter().map(|name| format!("`{name}`")).collect();
        let message = match ring.as_slice() {
            [_] => format!("the template `{shown}` contains itself"),
            ring => format!("the template `{shown}` contains itself, by way of {}", ring[1..].join(", ")),
        };
        let fault = Diagnostic::new(TEMPLATE_IN_ITSELF, template.key_place, message)
            .with_label("it would never end")
            .with_help("a template is made of kinds, and of other templates that do not use it");
        sink.report(&path, fault);
    }
}

/// Whether the first template of a chain contains itself; the chain then leads back to it. `seen` are templates that do not contain
/// themselves.
fn contains_itself<'t>(
    templates: &'t Table,
    table: &'t Table,
    way: &mut Vec<&'t str>,
    seen: &mut BTreeSet<&'t str>,
) -> bool {
    for entry in &table.entries {
        let Value::Table(inner) = &entry.node.value else { continue };
        let Some(template) = used(templates, inner) else { continue };
        let name = template.key.as_str();
        if way[0] == name {
            return true;
        }
        let (true, Value::Table(body)) = (seen.insert(name), &template.node.value) else { continue };
        if way.len() > DEEPEST {
            continue;
        }
        way.push(name);
        if contains_itself(templates, body, way, seen) {
            return true;
        }
        way.pop();
    }
    false
}

/// The state of a file while its templates are expanded.
struct Writing<'w, 's> {
    sink: &'w mut ProblemSink<'s>,
    templates: &'w Table,
    entries: Vec<DocumentEntry>,
    /// The names of the copies of each component of a template that is used several times, by the name for all of them.
    copies: Copies,
    too_deep: bool,
}

/// The names of several components, by one name for all of them.
type Copies = BTreeMap<String, Vec<String>>;

impl Writing<'_, '_> {
    /// Adds an entry that is no use of a template.
    fn add(&mut self, entry: DocumentEntry) {
        if let Some(first) = self.entries.iter().find(|other| other.key == entry.key) {
            let message = format!("there are two components `{}`", shortened_for_print(&entry.key));
            let fault = Diagnostic::new(codes::NAMED_TWICE, entry.key_place, message)
                .with_label("the same name again")
                .with_help("a component of a template is called USE-COMPONENT");
            let related = Some((first.key_place, "the first of this name"));
            self.sink.report_with(&shortened_for_print(&entry.key), fault, related);
        }
        self.entries.push(entry);
    }

    /// Adds the components of a template that is used under a name, as often as its `count` says.
    fn write_out_all(&mut self, name: &str, template: &DocumentEntry, given: &Table, depth: usize) {
        let own_count = table_of_node(&template.node)
            .and_then(|body| table_of(body, PARAMETERS))
            .is_some_and(|parameters| parameters.get(COUNT).is_some());
        let Some(entry) = given.get(COUNT).filter(|_| !own_count) else {
            return self.write_out(name, template, given, depth);
        };
        let Value::Integer(Some(count @ 1..=MOST_COPIES)) = entry.node.value else {
            let message =
                format!("`{}.{COUNT}` has to be a number from 1 to {MOST_COPIES}", shortened_for_print(name));
            let fault = Diagnostic::new(codes::OUT_OF_RANGE, entry.node.place, message)
                .with_label("how often is the template used?");
            return self.sink.report(&format!("{}.{COUNT}", shortened_for_print(name)), fault);
        };
        let mut given = given.clone();
        given.entries.retain(|key| key.key != COUNT);
        for copy in 0..count {
            let first = self.entries.len();
            let prefix = format!("{name}-{copy}");
            self.write_out(&prefix, template, &given, depth);
            if self.too_deep || self.entries.len() > MOST_COMPONENTS {
                return;
            }
            self.name_all(name, &prefix, first);
        }
    }

    /// Adds the components of a copy, those from `first` on, to the names for all copies; the same for names for all copies within it.
    fn name_all(&mut self, name: &str, prefix: &str, first: usize) {
        let of_all = |within: &str| Some(format!("{name}{}", within.strip_prefix(prefix)?));
        let single = self.entries[first..].iter().map(|entry| (entry.key.as_str(), vec![entry.key.clone()]));
        let within = self
            .copies
            .iter()
            .filter(|(key, _)| key.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('-')));
        let within = within.map(|(key, copies)| (key.as_str(), copies.clone()));
        let found: Vec<(String, Vec<String>)> =
            single.chain(within).filter_map(|(key, copies)| Some((of_all(key)?, copies))).collect();
        for (key, copies) in found {
            self.copies.entry(key).or_default().extend(copies);
        }
    }

    /// Adds the components of a template that is used under a name.
    fn write_out(&mut self, name: &str, template: &DocumentEntry, given: &Table, depth: usize) {
        let Value::Table(body) = &template.node.value else { return };
        let parameters = table_of(body, PARAMETERS).unwrap_or(&NO_PARAMETERS);
        self.check_given(name, template, given, parameters);
        let inner = |entry: &&DocumentEntry| entry.key != PARAMETERS;
        let own: Vec<(&str, bool)> = body
            .entries
            .iter()
            .filter(inner)
            .filter_map(|entry| match &entry.node.value {
                Value::Table(table) => Some((entry.key.as_str(), used(self.templates, table).is_some())),
                _ => None,
            })
            .collect();
        for entry in body.entries.iter().filter(inner) {
            self.too_deep |= depth > DEEPEST;
            if self.too_deep || self.entries.len() > MOST_COMPONENTS {
                return;
            }
            let Value::Table(table) = &entry.node.value else { continue };
            let mut table = table.clone();
            for key in &mut table.entries {
                if self.names_others(&entry.node, &key.key, &mut BTreeSet::new()) {
                    rename(&mut key.node, name, &own);
                }
                self.put_in(&mut key.node, &format!("{name}-{}.{}", entry.key, key.key), given, parameters);
            }
            let key = format!("{name}-{}", entry.key);
            match used(self.templates, &table) {
                Some(nested) => self.write_out_all(&key, nested, &table, depth + 1),
                None => {
                    let node = ValueNode { value: Value::Table(table), ..entry.node.clone() };
                    self.add(DocumentEntry { key, key_place: entry.key_place, node });
                }
            }
        }
    }

    /// Reports keys of a use that are no parameters.
    fn check_given(&mut self, name: &str, template: &DocumentEntry, given: &Table, parameters: &Table) {
        for entry in &given.entries {
            if entry.key == "kind" || parameters.get(&entry.key).is_some() {
                continue;
            }
            let known = || parameters.entries.iter().map(|entry| entry.key.as_str());
            let help = match nearest(&entry.key, known()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if known().next().is_none() => "it has no parameters".to_owned(),
                None => format!("its parameters are {}", words_in_prose(known())),
            };
            let key = shortened_for_print(&entry.key);
            let message = format!("the template `{}` has no parameter `{key}`", template.key);
            let fault = Diagnostic::new(codes::UNKNOWN_KEY, entry.key_place, message)
                .with_label("unknown parameter")
                .with_help(help);
            self.sink.report(&format!("{name}.{key}"), fault);
        }
    }

    /// Whether the value of a key of a component names other components: its kind says so, or the template does for its parameter. `seen`
    /// are the parameters that were queried already.
    fn names_others<'n>(
        &'n self,
        component: &'n ValueNode,
        key: &'n str,
        seen: &mut BTreeSet<(&'n str, &'n str)>,
    ) -> bool {
        let Value::Table(table) = &component.value else { return false };
        let word = table.get("kind").and_then(|kind| kind.node.text()).unwrap_or("").trim();
        if let Some(kind) = kind_with_word(word) {
            return kind.names_in.contains(&key);
        }
        let Some(Value::Table(body)) = self.templates.get(word).map(|template| &template.node.value) else {
            return false;
        };
        let parameter = format!("${key}");
        seen.insert((word, key))
            && body.entries.iter().any(|inner| match &inner.node.value {
                Value::Table(table) => table.entries.iter().any(|entry| {
                    has_text(&entry.node, &parameter) && self.names_others(&inner.node, &entry.key, seen)
                }),
                _ => false,
            })
    }

    /// Replaces the references to parameters by their values.
    fn put_in(&mut self, node: &mut ValueNode, path: &str, given: &Table, parameters: &Table) {
        match &mut node.value {
            Value::List(items) => {
                items.iter_mut().for_each(|item| self.put_in(item, path, given, parameters))
            }
            Value::Table(table) => {
                for entry in &mut table.entries {
                    let path = format!("{path}.{}", entry.key);
                    self.put_in(&mut entry.node, &path, given, parameters);
                }
            }
            Value::Text(text) => {
                let Some(parameter) = text.strip_prefix('$').map(str::to_owned) else { return };
                match (parameters.get(&parameter), given.get(&parameter)) {
                    (Some(_), Some(value)) | (Some(value), None) => *node = value.node.clone(),
                    (None, _) => {
                        let known = || parameters.entries.iter().map(|entry| entry.key.as_str());
                        let help = nearest(&parameter, known()).map_or_else(
                            || {
                                "parameters and their defaults stand below [templates.NAME.parameters]"
                                    .to_owned()
                            },
                            |near| format!("did you mean \"${near}\"?"),
                        );
                        let message = format!("there is no parameter `{}`", shortened_for_print(&parameter));
                        let fault = Diagnostic::new(codes::UNKNOWN_NAME, node.place, message)
                            .with_label("needs a parameter of the template")
                            .with_help(help);
                        self.sink.report(path, fault);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The parameters of a template without parameters.
static NO_PARAMETERS: Table = Table { entries: Vec::new() };

/// Whether this text is the value, or an item of a list that is the value.
fn has_text(node: &ValueNode, text: &str) -> bool {
    match &node.value {
        Value::List(items) => items.iter().any(|item| item.text() == Some(text)),
        _ => node.text() == Some(text),
    }
}

/// Replaces the names of components of the same template by the new ones. Other names refer to components outside the template. All names
/// in a nested use begin with the name of that use.
fn rename(node: &mut ValueNode, prefix: &str, own: &[(&str, bool)]) {
    match &mut node.value {
        Value::List(items) => items.iter_mut().for_each(|item| rename(item, prefix, own)),
        Value::Text(text) => {
            let name = text.trim().split('.').next().unwrap_or("");
            let is_own = own.iter().any(|(other, nested)| {
                let rest = name.strip_prefix(other);
                rest == Some("") || (*nested && rest.is_some_and(|rest| rest.starts_with('-')))
            });
            if is_own {
                *text = format!("{prefix}-{}", text.trim());
            }
        }
        _ => {}
    }
}

/// Replaces the name for all copies of a component by their names, in the lists in which a component names others. A port or chosen members
/// behind the name are kept.
fn name_copies(entry: &mut DocumentEntry, copies: &Copies) {
    let Value::Table(table) = &mut entry.node.value else { return };
    let word = table.get("kind").and_then(|kind| kind.node.text()).unwrap_or("").trim();
    let Some(kind) = kind_with_word(word) else { return };
    let named = |node: &ValueNode| -> Option<Vec<ValueNode>> {
        let text = node.text()?.trim();
        let end = text.find(['.', '[']).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        let copy = |copy: &String| ValueNode { value: Value::Text(format!("{copy}{rest}")), ..node.clone() };
        Some(copies.get(name)?.iter().map(copy).collect())
    };
    for key in table.entries.iter_mut().filter(|key| kind.names_in.contains(&key.key.as_str())) {
        match &mut key.node.value {
            Value::List(items) => {
                let all = std::mem::take(items).into_iter();
                *items = all.flat_map(|item| named(&item).unwrap_or_else(|| vec![item])).collect();
            }
            _ => {
                if let Some(all) = named(&key.node) {
                    key.node.value = Value::List(all);
                }
            }
        }
    }
}

//! The top-level tables of a file that are components: their names and kinds.

use sansim_registry::{KINDS, Kind, KindParameters, former_kind_message, kind_with_word};
use sansim_schema::codes;
use sansim_schema::context::Facts;
use sansim_schema::fault::Diagnostic;
use sansim_schema::reader::{Reader, is_valid_name};
use sansim_schema::sink::ProblemSink;
use sansim_schema::suggest::{nearest, shortened_for_print, words_in_prose};
use sansim_schema::table::NamedValue;
use sansim_schema::tree::{DocumentEntry, Table, Value, ValueNode};

use crate::meant;
use crate::not_modelled;
use crate::reserved::{Holds, RESERVED, is_reserved};
use crate::template;

/// The content of a component without a table.
static NOTHING: Table = Table { entries: Vec::new() };

/// A top-level table with its kind.
pub(crate) struct Component<'r> {
    pub entry: &'r DocumentEntry,
    table: &'r Table,
    /// The kind of the component; none if it is unknown.
    pub kind: Option<&'static Kind>,
}

impl<'r> Component<'r> {
    pub fn name(&self) -> &'r str {
        &self.entry.key
    }

    /// Reads the parameters of the component. `surroundings` has the facts of all components.
    pub fn read_parameters(
        &self,
        sink: &mut ProblemSink<'_>,
        surroundings: &Facts,
    ) -> Option<NamedValue<KindParameters>> {
        let kind = self.kind?;
        let (path, header) = (self.entry.key.as_str(), self.entry.key_place);
        let context = surroundings.facts_of_table(path);
        let mut reader =
            Reader { sink, context, path, table: Some(self.table), header, also_known: &["kind"] };
        Some(NamedValue { name: path.to_owned(), described: (kind.read)(&mut reader) })
    }
}

/// The top-level tables that are components. Top-level tables that are no components, or have no known kind, are reported.
pub(crate) fn components<'r>(sink: &mut ProblemSink<'_>, root: &'r Table) -> Vec<Component<'r>> {
    let mut components = Vec::new();
    for entry in &root.entries {
        let key = entry.key.as_str();
        if is_reserved(key) {
            continue;
        }
        let shown = shortened_for_print(key);
        let Value::Table(table) = &entry.node.value else {
            let fault = not_a_component(root, entry);
            sink.report(&shown, fault);
            if matches!(entry.node.value, Value::List(_)) || is_named(root, key) {
                // The name is known all the same, so that components that use it are not reported.
                components.push(Component { entry, table: &NOTHING, kind: None });
            }
            continue;
        };
        if !is_valid_name(key) {
            let fault = Diagnostic::new(
                codes::BAD_NAME,
                entry.key_place,
                format!("`{shown}` cannot be the name of a component"),
            )
            .with_label("use letters, digits, `-` and `_`");
            sink.report(&shown, fault);
        }
        let kind = read_kind(sink, root, entry, table);
        components.push(Component { entry, table, kind });
    }
    components
}

/// Whether any component refers to a component with this name.
fn is_named(root: &Table, name: &str) -> bool {
    let refers = |key: &str| KINDS.iter().any(|kind| kind.names_in.contains(&key));
    let names = |node: &ValueNode| match &node.value {
        Value::List(items) => items.iter().any(|item| item.text() == Some(name)),
        _ => node.text() == Some(name),
    };
    root.entries.iter().any(|entry| match &entry.node.value {
        Value::Table(table) => table.entries.iter().any(|inner| refers(&inner.key) && names(&inner.node)),
        _ => false,
    })
}

/// The kind of a component; an unknown kind is reported.
fn read_kind(
    sink: &mut ProblemSink<'_>,
    root: &Table,
    entry: &DocumentEntry,
    table: &Table,
) -> Option<&'static Kind> {
    let words = || KINDS.iter().map(|kind| kind.word).chain(template::names(root));
    let (key, name) = (format!("{}.kind", shortened_for_print(&entry.key)), shortened_for_print(&entry.key));
    let Some(kind) = table.get("kind") else {
        // An override of a component that does not exist is a misspelt name, not a component without a kind.
        let fault = if entry.key_place.text > 0 {
            Diagnostic::new(
                codes::UNKNOWN_NAME,
                entry.key_place,
                format!("there is no component `{name}` to set a key of"),
            )
            .with_label("unknown component")
            .with_help(did_you_mean_top_level(root, entry))
        } else {
            let near = nearest(&entry.key, RESERVED.iter().map(|reserved| reserved.name));
            let help = match near {
                Some(near) if near != entry.key => {
                    format!("did you mean [{near}]? A component needs a kind: {}", words_in_prose(words()))
                }
                _ => format!("add kind = one of {}", words_in_prose(words())),
            };
            Diagnostic::new(codes::MISSING_KEY, entry.key_place, format!("`{name}` lacks the key `kind`"))
                .with_label("which kind of component is this?")
                .with_help(help)
        };
        sink.report(if entry.key_place.text > 0 { &name } else { &key }, fault);
        return None;
    };
    let text = kind.node.text().unwrap_or("").trim();
    if let Some(help) = former_kind_message(text, |key| table.get(key).is_some()) {
        let message = format!("`{name}` is described as something else than a {}", shortened_for_print(text));
        let fault = Diagnostic::new(codes::UNKNOWN_KIND, kind.node.place, message)
            .with_label("not this kind")
            .with_help(help);
        sink.report(&key, fault);
        return None;
    }
    let found = kind_with_word(text);
    if found.is_none() {
        let (code, message) = match kind.node.text() {
            Some(text) => (
                codes::UNKNOWN_KIND,
                format!("there is no kind of component `{}`", shortened_for_print(text)),
            ),
            None => (
                codes::WRONG_TYPE,
                format!("{} stands where the kind of a component is needed", kind.node.noun_in_prose()),
            ),
        };
        let instead = meant::instead(text);
        let missing = if instead.is_none() { not_modelled::fault(text, kind.node.place) } else { None };
        let near = || nearest(text, words()).map(|near| format!("did you mean \"{near}\"?"));
        let fault = missing.unwrap_or_else(|| {
            Diagnostic::new(code, kind.node.place, message)
                .with_label(format!("must be {}", words_in_prose(words())))
                .with_help_if_given(instead.or_else(near))
        });
        sink.report(&key, fault);
    }
    found
}

/// A top-level key that holds a value: it belongs into a table, or it is unknown.
fn not_a_component(root: &Table, entry: &DocumentEntry) -> Diagnostic {
    let key = shortened_for_print(&entry.key);
    match &entry.node.value {
        value if !matches!(value, Value::List(_)) && is_named(root, &entry.key) => Diagnostic::new(
            codes::NOT_A_TABLE,
            entry.node.place,
            format!("`{key}` is a component, so a table of settings, not {}", entry.node.noun_in_prose()),
        )
        .with_label(format!("the settings stand below [{key}]")),
        Value::List(_) => Diagnostic::new(
            codes::NOT_A_TABLE,
            entry.key_place,
            format!("`{key}` is a list, but a component is a single table"),
        )
        .with_label(format!("write [{key}], with one pair of brackets"))
        .with_help("for several equal drives use `count`; for different ones give each group a name"),
        _ => {
            let home = homes_of(root, &entry.key);
            let help = match home.as_slice() {
                [] => did_you_mean_top_level(root, entry),
                homes => format!("did you mean {}?", words_in_prose(homes.iter().map(String::as_str))),
            };
            Diagnostic::new(
                codes::UNKNOWN_KEY,
                entry.key_place,
                format!("there is no key `{key}` outside of the tables"),
            )
            .with_label("unknown key")
            .with_help(help)
        }
    }
}

/// The full paths of keys with this name in the components of the file.
fn homes_of(root: &Table, key: &str) -> Vec<String> {
    let mut homes = Vec::new();
    for reserved in RESERVED {
        let Holds::Table(table) = &reserved.holds else { continue };
        homes.extend(
            (table.describe)().key_paths().into_iter().map(|path| format!("{}.{path}", reserved.name)),
        );
    }
    for entry in &root.entries {
        let Value::Table(table) = &entry.node.value else { continue };
        let word = table.get("kind").and_then(|kind| kind.node.text()).unwrap_or("");
        if let Some(kind) = kind_with_word(word) {
            homes.extend(
                (kind.describe)().key_paths().into_iter().map(|path| format!("{}.{path}", entry.key)),
            );
        }
    }
    homes.retain(|path| path.rsplit('.').next() == Some(key));
    homes.truncate(4);
    homes
}

/// The nearest top-level name, or all of them.
fn did_you_mean_top_level(root: &Table, wrong: &DocumentEntry) -> String {
    let names = || {
        let tables = root.entries.iter().filter(|entry| matches!(entry.node.value, Value::Table(_)));
        let tables = tables.filter(|entry| entry.key != wrong.key && entry.key_place.text == 0);
        RESERVED
            .iter()
            .map(|reserved| reserved.name)
            .filter(|name| root.get(name).is_none())
            .chain(tables.map(|entry| entry.key.as_str()))
    };
    match nearest(&wrong.key, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known here: {}", words_in_prose(names())),
    }
}

//! The scenario as a tree of keys and values that remember where they were written.
//!
//! The TOML parser delivers the tree with byte ranges; here it is copied into a form in which overrides from the
//! command line can replace values, with the caret then pointing into the `--set` text.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::codes::Code;
use crate::source::{Place, Sources};
use crate::units::{find, split};

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub value: Value,
    pub place: Place,
    /// The text as typed, if it comes from an override: there `10` may be meant as a word (an AL_PA, a title), since
    /// nobody types quotes twice on a command line.
    pub typed: Option<String>,
}

/// The kinds of TOML values. Numbers stay text, so that no decimal digit is lost.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(String),
    Integer(Option<i128>),
    Float(String),
    Flag(bool),
    Date,
    List(Vec<Node>),
    Table(Table),
}

/// Keys and values in the order of the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub entries: Vec<Entry>,
}

/// One key with its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub key: String,
    pub key_place: Place,
    pub node: Node,
}

impl Table {
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }
}

impl Node {
    /// What a person would call the value: `a number`, `a list`.
    pub fn noun(&self) -> &'static str {
        match self.value {
            Value::Text(_) => "text",
            Value::Integer(_) | Value::Float(_) => "a number",
            Value::Flag(_) => "true or false",
            Value::Date => "a date",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }

    /// The value as text, if it is text or was typed on the command line.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => self.typed.as_deref(),
        }
    }
}

/// A problem found while the tree was built, before key paths mean anything.
#[derive(Debug)]
pub(crate) struct TreeFault {
    pub code: Code,
    pub place: Place,
    pub key: String,
    pub message: String,
    pub help: Option<String>,
    /// A second place, with a few words on it.
    pub related: Option<(Place, &'static str)>,
}

/// Reads a TOML file. Syntax errors are collected; of several on one line only the first is kept, because the later
/// ones are usually its echo.
pub(crate) fn parse_file(text: &str, faults: &mut Vec<TreeFault>) -> Table {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut lines = Vec::new();
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        // At the end of the text there is no character to point at; the one before it is.
        let start = span.start.min(text.len().saturating_sub(1));
        let end = span.end.clamp(start + 1, text.len().max(start + 1));
        let line = text.as_bytes()[..start].iter().filter(|&&byte| byte == b'\n').count();
        if lines.contains(&line) {
            continue;
        }
        lines.push(line);
        let place = Place { text: 0, start, end };
        let source_line = text.lines().nth(line).unwrap_or("");
        faults.push(syntax_fault(error.message(), place, source_line));
    }
    let table = convert_table(table.into_inner(), 0, 0);
    for fault in faults.iter_mut().filter(|fault| fault.code == Code::DuplicateKey) {
        let key = text.get(fault.place.start..fault.place.end).unwrap_or("");
        let mut first = None;
        last_before(&table, key, fault.place.start, &mut first);
        fault.related = first.map(|place| (place, "first written here"));
    }
    table
}

/// The last entry with this key that stands before a place: the first one of a pair.
fn last_before(table: &Table, key: &str, before: usize, found: &mut Option<Place>) {
    for entry in &table.entries {
        let place = entry.key_place;
        if entry.key == key && place.start < before && found.is_none_or(|found| found.start < place.start) {
            *found = Some(place);
        }
        if let Value::Table(inner) = &entry.node.value {
            last_before(inner, key, before, found);
        }
    }
}

/// A syntax error in plain words. The commonest one by far is a quantity or word without quotes.
fn syntax_fault(message: &str, place: Place, line: &str) -> TreeFault {
    if message.contains("duplicate key") {
        let message = "this key is already written above".to_owned();
        let help = Some("keep one of the two".to_owned());
        return TreeFault {
            code: Code::DuplicateKey,
            place,
            key: String::new(),
            message,
            help,
            related: None,
        };
    }
    let unquoted =
        line.split_once('=').map(|(key, value)| (key.trim(), value.trim())).filter(|(_, value)| {
            let value = value.split('#').next().unwrap_or("").trim();
            let starts_plain = value.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.');
            starts_plain && value.chars().any(char::is_alphabetic) && !value.contains(['"', '\'', '[', '{'])
        });
    let (message, help) = match unquoted {
        Some((key, value)) => {
            let value = value.split('#').next().unwrap_or("").trim();
            // Not `"4k"`, which would be the next thing to be refused.
            let (number, unit, _) = split(value);
            let help = if number.is_empty() || unit.is_empty() || find(unit).is_some() {
                format!("write {key} = \"{value}\"")
            } else {
                format!("write {key} = \"...\", for a quantity with one of our units, such as \"64 KiB\"")
            };
            ("text and quantities stand in quotes".to_owned(), Some(help))
        }
        None => (format!("not valid TOML: {message}"), None),
    };
    TreeFault { code: Code::Syntax, place, key: String::new(), message, help, related: None }
}

fn convert_table(table: DeTable<'_>, text: usize, shift: usize) -> Table {
    let entries = table
        .into_iter()
        .map(|(key, value)| Entry {
            key_place: place_of(&key, text, shift),
            key: key.into_inner().into_owned(),
            node: convert(value, text, shift),
        })
        .collect();
    Table { entries }
}

fn convert(value: Spanned<DeValue<'_>>, text: usize, shift: usize) -> Node {
    let place = place_of(&value, text, shift);
    let value = match value.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(number) => {
            Value::Integer(i128::from_str_radix(number.as_str(), number.radix()).ok())
        }
        DeValue::Float(number) => Value::Float(number.as_str().to_owned()),
        DeValue::Boolean(flag) => Value::Flag(flag),
        DeValue::Datetime(_) => Value::Date,
        DeValue::Array(list) => {
            Value::List(list.into_iter().map(|item| convert(item, text, shift)).collect())
        }
        DeValue::Table(table) => Value::Table(convert_table(table, text, shift)),
    };
    Node { value, place, typed: None }
}

fn place_of<T>(spanned: &Spanned<T>, text: usize, shift: usize) -> Place {
    let span = spanned.span();
    Place { text, start: span.start + shift, end: span.end + shift }
}

/// Puts the value of one override into the tree, creating tables on the way.
///
/// `index` is the override's text in `sources`, such as `--set key=value`, where the key is `key_len` bytes long. The value is
/// taken as TOML if it is some, else as plain text, so that `workload.size=64 KiB` needs no quotes.
/// `settings` says whether the key is that of a table of settings, which only another table can replace.
pub(crate) fn apply_override(
    root: &mut Table,
    sources: &Sources,
    index: usize,
    key_len: usize,
    settings: bool,
) -> Result<(), Box<TreeFault>> {
    let text = sources.text(index);
    let key_start = sources.key_start();
    let key_end = key_start + key_len;
    let (path, typed) = (&text[key_start..key_end], text.get(key_end + 1..).unwrap_or(""));
    let fault = |start: usize, end: usize, message: String, help: Option<String>| {
        let place = Place { text: index, start, end: end.max(start + 1) };
        let key = path.to_owned();
        Box::new(TreeFault { code: Code::BadOverride, place, key, message, help, related: None })
    };
    if path.trim().is_empty() || path.split('.').any(|part| part.trim().is_empty()) {
        let help = Some("write component.key=value, such as workload.size=64 KiB".to_owned());
        return Err(fault(key_start, key_end, "an override needs a key path and a value".to_owned(), help));
    }
    let value_start = key_end + 1 + (typed.len() - typed.trim_start().len());
    let typed = typed.trim();
    let whole = Place { text: index, start: value_start, end: value_start + typed.len() };
    let mut node = match DeValue::parse(typed) {
        Ok(value) => convert(value, index, value_start),
        Err(_) => Node { value: Value::Text(typed.to_owned()), place: whole, typed: None },
    };
    if !matches!(node.value, Value::List(_) | Value::Table(_) | Value::Text(_)) {
        node.typed = Some(typed.to_owned());
    }
    if typed.is_empty() {
        // Nothing to put a caret under but the key.
        node.place = Place { text: index, start: key_start, end: key_end + 1 };
    }

    let mut table = root;
    let mut start = key_start;
    let parts: Vec<&str> = path.split('.').collect();
    for (depth, part) in parts.iter().enumerate() {
        let key_place = Place { text: index, start, end: start + part.len() };
        start += part.len() + 1;
        let key = part.trim();
        let position = table.entries.iter().position(|entry| entry.key == key);
        if depth + 1 == parts.len() {
            let entry = Entry { key: key.to_owned(), key_place, node };
            match position {
                // The table stays, so that nothing else looks missing.
                Some(_) if settings && !matches!(entry.node.value, Value::Table(_)) => {
                    let message = format!("`{path}` is a table of settings, not {}", entry.node.noun());
                    let mut fault = fault(entry.node.place.start, entry.node.place.end, message, None);
                    fault.code = Code::NotATable;
                    return Err(fault);
                }
                Some(position) => table.entries[position] = entry,
                None => table.entries.push(entry),
            }
            return Ok(());
        }
        let position = position.unwrap_or_else(|| {
            let node = Node { value: Value::Table(Table::default()), place: key_place, typed: None };
            table.entries.push(Entry { key: key.to_owned(), key_place, node });
            table.entries.len() - 1
        });
        match &mut table.entries[position].node.value {
            Value::Table(next) => table = next,
            _ => {
                let message = format!("`{}` is a value, not a table", parts[..=depth].join("."));
                return Err(fault(key_place.start, key_place.end, message, None));
            }
        }
    }
    Ok(())
}

//! A TOML text as a tree of keys and values that remember where they were written.
//!
//! The TOML parser delivers the tree with byte ranges; here the tree is copied into a form in which values from elsewhere can replace
//! others, each with the text that it came from.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::codes::{self, Code};
use crate::source::SourceRange;
use crate::units::{split_number_and_unit, unit_named};

/// A value and its place.
#[derive(Clone, Debug)]
pub struct ValueNode {
    /// The value.
    pub value: Value,
    /// The place of the value in its source.
    pub place: SourceRange,
    /// The text as typed, if it comes from an override: there `10` may be meant as a word (an AL_PA, a title), since quotes are rarely
    /// typed twice on a command line.
    pub typed: Option<String>,
}

/// The kinds of TOML values. Numbers stay text, so that no decimal digit is lost.
#[derive(Clone, Debug)]
pub enum Value {
    /// Text.
    Text(String),
    /// A whole number; none if the number is too large to be kept.
    Integer(Option<i128>),
    /// Any other number.
    Float(String),
    /// True or false.
    Flag(bool),
    /// A date or time.
    Date,
    /// A list.
    List(Vec<ValueNode>),
    /// A table.
    Table(Table),
}

/// Keys and values in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Each key with its value.
    pub entries: Vec<DocumentEntry>,
}

/// One key with its value.
#[derive(Clone, Debug)]
pub struct DocumentEntry {
    /// The key.
    pub key: String,
    /// The place of the key.
    pub key_place: SourceRange,
    /// The value.
    pub node: ValueNode,
}

impl Table {
    /// The entry of a key.
    pub fn get(&self, key: &str) -> Option<&DocumentEntry> {
        self.entries.iter().find(|entry| entry.key == key)
    }
}

impl ValueNode {
    /// The plain noun for the value: `a number`, `a list`.
    pub fn noun_in_prose(&self) -> &'static str {
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

    /// The place of the item `index` of a list, or of the value itself if it is no list.
    pub fn item_position(&self, index: usize) -> SourceRange {
        match &self.value {
            Value::List(items) => items.get(index).map_or(self.place, |item| item.place),
            _ => self.place,
        }
    }
}

/// A problem found while the tree was built, before key paths are interpreted.
#[derive(Debug)]
pub struct TreeFault {
    /// The kind of problem.
    pub code: Code,
    /// The place of the problem.
    pub place: SourceRange,
    /// Dotted path of the key; may be empty.
    pub key: String,
    /// The error, in one sentence without a full stop.
    pub message: String,
    /// The correction.
    pub help: Option<String>,
    /// A second place, with a few words on it.
    pub related: Option<(SourceRange, &'static str)>,
}

/// Reads a TOML file. Syntax errors are collected; of several on one line only the first is kept, because the later ones usually follow
/// from it.
pub fn parse_file(text: &str, faults: &mut Vec<TreeFault>) -> Table {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut lines = Vec::new();
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        // At the end of the text there is no character to point at, so the last character is used.
        let start = span.start.min(text.len().saturating_sub(1));
        let end = span.end.clamp(start + 1, text.len().max(start + 1));
        let line = text.as_bytes()[..start].iter().filter(|&&byte| byte == b'\n').count();
        if lines.contains(&line) {
            continue;
        }
        lines.push(line);
        let place = SourceRange { text: 0, start, end };
        let source_line = text.lines().nth(line).unwrap_or("");
        faults.push(syntax_fault(error.message(), place, source_line));
    }
    let table = convert_table(table.into_inner(), 0, 0);
    for fault in faults.iter_mut().filter(|fault| fault.code == codes::DUPLICATE_KEY) {
        let key = text.get(fault.place.start..fault.place.end).unwrap_or("");
        let mut first = None;
        last_before(&table, key, fault.place.start, &mut first);
        fault.related = first.map(|place| (place, "first written here"));
    }
    table
}

/// The last entry with this key before a place: the first of two equal keys.
fn last_before(table: &Table, key: &str, before: usize, found: &mut Option<SourceRange>) {
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

/// A syntax error in plain words. The most common syntax error by far is a quantity or word without quotes.
fn syntax_fault(message: &str, place: SourceRange, line: &str) -> TreeFault {
    if message.contains("duplicate key") {
        let message = "this key is already written above".to_owned();
        let help = Some("keep one of the two".to_owned());
        return TreeFault {
            code: codes::DUPLICATE_KEY,
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
            // The help does not suggest `"4k"`, which would be refused next.
            let (number, unit, _) = split_number_and_unit(value);
            let help = if number.is_empty() || unit.is_empty() || unit_named(unit).is_some() {
                format!("write {key} = \"{value}\"")
            } else {
                format!("write {key} = \"...\", for a quantity with one of our units, such as \"64 KiB\"")
            };
            ("text and quantities stand in quotes".to_owned(), Some(help))
        }
        None => (format!("not valid TOML: {message}"), None),
    };
    TreeFault { code: codes::SYNTAX, place, key: String::new(), message, help, related: None }
}

/// Parses a single TOML value that begins at the byte `start` of the text with this number; none if there is no value.
pub fn parse_value(toml: &str, text: usize, start: usize) -> Option<ValueNode> {
    DeValue::parse(toml).ok().map(|value| convert(value, text, start))
}

fn convert_table(table: DeTable<'_>, text: usize, shift: usize) -> Table {
    let entries = table
        .into_iter()
        .map(|(key, value)| DocumentEntry {
            key_place: place_of(&key, text, shift),
            key: key.into_inner().into_owned(),
            node: convert(value, text, shift),
        })
        .collect();
    Table { entries }
}

fn convert(value: Spanned<DeValue<'_>>, text: usize, shift: usize) -> ValueNode {
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
    ValueNode { value, place, typed: None }
}

fn place_of<T>(spanned: &Spanned<T>, text: usize, shift: usize) -> SourceRange {
    let span = spanned.span();
    SourceRange { text, start: span.start + shift, end: span.end + shift }
}

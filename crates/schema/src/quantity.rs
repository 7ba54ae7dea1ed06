//! Quantities: how each kind of value is written, parsed, checked, written back and documented.
//!
//! A [`Quantity`] is the only place that knows one form of writing a value. The tables of components name a quantity for every key; the
//! parser, the resolved file, the JSON Schema and the reference page all use it. Common quantities are in [`crate::quantities`]; a
//! component that writes a value in a form of its own has a quantity of its own.

use serde_json::Value as Json;

use crate::context::Facts;
use crate::decision::Decision;
use crate::fault::Diagnostic;
use crate::source::SourceRange;
use crate::tree::{Value, ValueNode};
use crate::words::WordDoc;

/// One form of writing a value.
pub trait Quantity {
    /// The type of the value.
    type Value: Clone + PartialEq;

    /// Parses a value; returns all problems of it at once.
    fn read(&self, node: &ValueNode, context: &Facts) -> Result<Self::Value, Vec<Diagnostic>>;

    /// The value as TOML; parsing it again gives the same value.
    fn write(&self, value: &Self::Value, context: &Facts) -> String;

    /// Any valid value. A placeholder replaces a value that could not be parsed, so that other values can still be checked.
    fn placeholder(&self) -> Self::Value;

    /// The form and the range of the value, for the reference page: `a size, 1 B to 4 GiB`.
    fn describe(&self) -> String;

    /// The JSON Schema of the value.
    fn schema(&self) -> Json;

    /// The words that the value may be; none where it is no word.
    fn words(&self) -> Vec<WordDoc> {
        Vec::new()
    }

    /// The decision for which the value names a rule, if it does.
    fn decision(&self) -> Option<&'static Decision> {
        None
    }

    /// The words that mean a value, in their order; without the word that means that none applies.
    fn values(&self) -> Vec<WordDoc> {
        self.words()
    }
}

/// A string as TOML.
pub fn quoted(text: &str) -> String {
    let mut toml = String::with_capacity(text.len() + 2);
    toml.push('"');
    for c in text.chars() {
        match c {
            '"' => toml.push_str("\\\""),
            '\\' => toml.push_str("\\\\"),
            '\n' => toml.push_str("\\n"),
            '\t' => toml.push_str("\\t"),
            c if c.is_control() => toml.push_str(&format!("\\u{:04X}", c as u32)),
            c => toml.push(c),
        }
    }
    toml.push('"');
    toml
}

/// The form of a value in a message: the text without its quotes, shortened.
pub fn shown_in_message(text: &str) -> String {
    if text.is_empty() {
        return "an empty text".to_owned();
    }
    let start: String = text.chars().take(40).collect();
    if start.len() < text.len() { format!("`{start}...`") } else { format!("`{text}`") }
}

/// The place of the bytes `from..to` of a text value: one byte further in the source if the text is in plain quotes.
pub fn text_position(node: &ValueNode, text: &str, from: usize, to: usize) -> SourceRange {
    let length = node.place.end - node.place.start;
    match &node.value {
        // With escapes or triple quotes the offsets do not match; then the whole value is shown.
        Value::Text(_) if length == text.len() + 2 => node.place.part_of_range(from + 1, to + 1),
        Value::Text(_) if length == text.len() => node.place.part_of_range(from, to),
        _ => node.place,
    }
}

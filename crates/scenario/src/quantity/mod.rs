//! How each kind of value is written, read, checked, written back and described.
//!
//! A [`Quantity`] is the single place that knows one way of writing a value. The field tables of [`crate::model`] name
//! a quantity for every key; the parser, the resolved file, the JSON Schema and the reference page all ask it.

mod choice;
mod count;
mod measure;
mod more;
mod optional;

use sansim_kernel::Span;
use serde_json::Value as Json;

pub(crate) use choice::{AlPas, Choice, Name, Names, Text, item_place};
pub(crate) use count::{Count, Flag, Fraction};
pub(crate) use measure::{Cable, FibreDelay, Rate, Size, Time, WordsOrTime, read_time, write_time};
pub(crate) use more::{PrecisionRule, SplitInto, TimeOrDistribution, WarmUpRule, WordTimeRule};
pub(crate) use optional::{CacheSize, DurationRule, MeasuredRule, OrUnlimited, WithinSequenceRule};

use crate::codes::Code;
use crate::source::Place;
use crate::tree::{Node, Value};
use crate::values::{Delay, Length};

/// What a quantity may need to know of the rest of the scenario: the loop's own settings.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    /// Time of a transmission word on the loop.
    pub word_time: Span,
    /// Delay of a port that says nothing else.
    pub port_delay: Delay,
    /// Cable of a port that says nothing else.
    pub cable: Length,
}

/// What is wrong with one value.
#[derive(Debug)]
pub(crate) struct Fault {
    pub code: Code,
    pub place: Place,
    pub message: String,
    pub label: String,
    pub help: Option<String>,
}

impl Fault {
    pub fn new(code: Code, place: Place, message: impl Into<String>) -> Fault {
        Fault { code, place, message: message.into(), label: String::new(), help: None }
    }

    pub fn label(mut self, label: impl Into<String>) -> Fault {
        self.label = label.into();
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Fault {
        self.help = Some(help.into());
        self
    }

    pub fn maybe_help(mut self, help: Option<String>) -> Fault {
        self.help = help.or(self.help);
        self
    }

    /// The value is of a TOML type that never fits here.
    fn wrong_type(node: &Node, needed: &str) -> Fault {
        Fault::new(Code::WrongType, node.place, format!("{} does not fit here", node.noun()))
            .label(format!("needs {needed}"))
    }
}

/// One way of writing a value.
pub(crate) trait Quantity {
    /// What it becomes.
    type Value: Clone + PartialEq;

    /// Reads a value; all that is wrong with it at once.
    fn read(&self, node: &Node, context: &Context) -> Result<Self::Value, Vec<Fault>>;

    /// The value as TOML; reading it again gives the same value.
    fn write(&self, value: &Self::Value, context: &Context) -> String;

    /// Any valid value. It stands in for one that could not be read, so that the rest can still be checked.
    fn placeholder(&self) -> Self::Value;

    /// What is written and which range it has, for the reference page: `a size, 1 B to 4 GiB`.
    fn describe(&self) -> String;

    /// The JSON Schema of what is written.
    fn schema(&self) -> Json;
}

/// A string as TOML.
pub(crate) fn quoted(text: &str) -> String {
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

/// What a value looks like in a message: the text without its quotes, shortened.
fn shown(text: &str) -> String {
    if text.is_empty() {
        return "an empty text".to_owned();
    }
    let start: String = text.chars().take(40).collect();
    if start.len() < text.len() { format!("`{start}...`") } else { format!("`{text}`") }
}

/// The place of `from..to` inside a text value: one byte further in the source if the text stands in plain quotes.
fn inside(node: &Node, text: &str, from: usize, to: usize) -> Place {
    let length = node.place.end - node.place.start;
    match &node.value {
        // With escapes or triple quotes the offsets do not match; then the whole value is shown.
        Value::Text(_) if length == text.len() + 2 => node.place.narrowed(from + 1, to + 1),
        Value::Text(_) if length == text.len() => node.place.narrowed(from, to),
        _ => node.place,
    }
}

//! The rule of a user as the text of a scenario names it: a class in a file, or a rule in Rust, with its parameters.

use sansim_schema::quantities::NamedFile;
use sansim_schema::quantity::quoted;
use sansim_schema::tree::{Value, ValueNode};

/// A rule in Rust as a scenario names it.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomRuleText {
    /// The name of the rule.
    pub name: String,
    /// The parameters of the rule, in the order in which they are written.
    pub parameters: Vec<(String, ParameterValue)>,
}

/// A rule in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignRuleText {
    /// The file.
    pub file: NamedFile,
    /// The class in the file.
    pub class: String,
    /// The parameters of the rule, in the order in which they are written.
    pub parameters: Vec<(String, ParameterValue)>,
}

/// The value of a parameter as it is written.
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterValue {
    /// Text, such as `2 ms`.
    Text(String),
    /// A whole number.
    Whole(i64),
    /// Another number.
    Number(f64),
    /// True or false.
    Flag(bool),
}

impl ParameterValue {
    pub(crate) fn of_node(node: &ValueNode) -> Option<Self> {
        match &node.value {
            Value::Text(text) => Some(Self::Text(text.clone())),
            Value::Integer(number) => number.and_then(|number| number.try_into().ok()).map(Self::Whole),
            Value::Float(text) => {
                text.parse().ok().filter(|number: &f64| number.is_finite()).map(Self::Number)
            }
            Value::Flag(flag) => Some(Self::Flag(*flag)),
            Value::Date | Value::List(_) | Value::Table(_) => None,
        }
    }

    pub(crate) fn written(&self) -> String {
        match self {
            Self::Text(text) => quoted(text),
            Self::Whole(number) => number.to_string(),
            Self::Number(number) => format!("{number:?}"),
            Self::Flag(flag) => flag.to_string(),
        }
    }
}

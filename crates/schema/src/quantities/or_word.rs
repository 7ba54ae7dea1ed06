//! Quantities with a word in place of a value: none, whole, off, unlimited.

use serde_json::{Value as Json, json};

use super::count::Count;
use super::measure::schema_pattern;
use crate::codes;
use crate::context::Facts;
use crate::fault::Diagnostic;
use crate::quantity::{Quantity, quoted, shown_in_message};
use crate::suggest::nearest;
use crate::tree::{Value, ValueNode};
use crate::units::Dimension;

/// A quantity that is a number with a unit of one dimension.
pub trait Dimensioned: Quantity + Sized {
    /// The dimension of the quantity.
    const DIMENSION: Dimension;

    /// Parses the value; `or_else` names other accepted values in messages.
    ///
    /// # Errors
    /// The value cannot be read; the faults say why.
    fn read_or(&self, node: &ValueNode, or_else: &str) -> Result<Self::Value, Diagnostic>;

    /// This quantity, or a word that means that there is no value.
    fn or(self, word: &'static str) -> OrWord<Self> {
        OrWord { quantity: self, word }
    }
}

/// A quantity, or a word in place of it.
pub struct OrWord<Q> {
    quantity: Q,
    word: &'static str,
}

impl<Q: Dimensioned> Quantity for OrWord<Q> {
    type Value = Option<Q::Value>;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<Self::Value, Vec<Diagnostic>> {
        if node.text().is_some_and(|text| text.trim() == self.word) {
            return Ok(None);
        }
        self.quantity.read_or(node, &quoted(self.word)).map(Some).map_err(|fault| vec![fault])
    }

    fn write(&self, value: &Self::Value, context: &Facts) -> String {
        value.as_ref().map_or_else(|| quoted(self.word), |value| self.quantity.write(value, context))
    }

    fn placeholder(&self) -> Self::Value {
        None
    }

    fn describe(&self) -> String {
        format!("`{}` or a {}", quoted(self.word), self.quantity.describe())
    }

    fn schema(&self) -> Json {
        schema_pattern(&[Q::DIMENSION], &[self.word])
    }
}

/// A quantity, or a word that means that the value is given elsewhere.
pub struct OrElse<Q> {
    /// The quantity of the value.
    pub quantity: Q,
    /// The word in place of the value.
    pub word: &'static str,
}

impl<Q: Quantity> Quantity for OrElse<Q> {
    type Value = Option<Q::Value>;

    fn read(&self, node: &ValueNode, context: &Facts) -> Result<Self::Value, Vec<Diagnostic>> {
        if node.text().is_some_and(|text| text.trim() == self.word) {
            return Ok(None);
        }
        let or_else = |fault: Diagnostic| match node.text() {
            Some(_) => fault.with_help(format!("{} is the only word for it", quoted(self.word))),
            None => fault,
        };
        self.quantity
            .read(node, context)
            .map(Some)
            .map_err(|faults| faults.into_iter().map(or_else).collect())
    }

    fn write(&self, value: &Self::Value, context: &Facts) -> String {
        value.as_ref().map_or_else(|| quoted(self.word), |value| self.quantity.write(value, context))
    }

    fn placeholder(&self) -> Self::Value {
        None
    }

    fn describe(&self) -> String {
        format!("`{}` or a {}", quoted(self.word), self.quantity.describe())
    }

    fn schema(&self) -> Json {
        json!({ "anyOf": [{ "const": self.word }, self.quantity.schema()] })
    }
}

/// The quantity of a whole number, or of a word in place of it.
pub struct CountOr<N> {
    count: Count<N>,
    word: &'static str,
}

impl<N> Count<N> {
    /// This count, or a word in place of it.
    pub const fn or(self, word: &'static str) -> CountOr<N> {
        CountOr { count: self, word }
    }
}

/// The constructor of counts with or without a limit.
pub struct OrUnlimited;

impl OrUnlimited {
    /// A count from `least` to `most`, or no limit.
    pub const fn between(least: u64, most: u64) -> CountOr<u64> {
        CountOr { count: Count::between(least, most), word: "unlimited" }
    }
}

impl<N: TryFrom<u64> + Into<u64> + Copy + PartialEq + Default> Quantity for CountOr<N> {
    type Value = Option<N>;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<Option<N>, Vec<Diagnostic>> {
        let word = quoted(self.word);
        match &node.value {
            Value::Text(text) if text.trim() == self.word => Ok(None),
            Value::Text(text) if text.trim().parse::<u64>().is_err() => Err(vec![
                Diagnostic::new(
                    codes::UNKNOWN_WORD,
                    node.place,
                    format!("{} is not known here", shown_in_message(text)),
                )
                .with_label(format!("needs a whole number, or {word}"))
                .with_help_if_given(
                    nearest(text, [self.word]).map(|near| format!("did you mean \"{near}\"?")),
                ),
            ]),
            _ => {
                let number = self.count.read_number(node, &format!(", or {word},"));
                number.map(|number| N::try_from(number).ok()).map_err(|fault| vec![fault])
            }
        }
    }

    fn write(&self, value: &Option<N>, _: &Facts) -> String {
        value.map_or_else(|| quoted(self.word), |count| count.into().to_string())
    }

    fn placeholder(&self) -> Option<N> {
        None
    }

    fn describe(&self) -> String {
        format!("`{}` or a {}", quoted(self.word), self.count.describe())
    }

    fn schema(&self) -> Json {
        json!({ "anyOf": [{ "const": self.word }, self.count.schema()] })
    }
}

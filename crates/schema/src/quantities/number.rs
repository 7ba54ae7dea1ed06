//! The quantity of plain numbers that need not be whole.

use serde_json::{Value as Json, json};

use crate::codes;
use crate::context::Facts;
use crate::fault::Diagnostic;
use crate::quantity::Quantity;
use crate::tree::{Value, ValueNode};

/// A number without a unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    least: f64,
    most: f64,
}

impl Number {
    /// A number from `least` to `most`.
    pub const fn between(least: f64, most: f64) -> Number {
        Number { least, most }
    }

    /// Reads a number.
    ///
    /// # Errors
    /// The value cannot be read; the faults say why.
    pub fn read_number(&self, node: &ValueNode) -> Result<f64, Diagnostic> {
        let needed = format!("a number from {} to {}", self.least, self.most);
        let number = match &node.value {
            Value::Integer(Some(number)) => *number as f64,
            Value::Float(text) => text.replace('_', "").parse().unwrap_or(f64::NAN),
            Value::Text(text) if text.trim().parse::<f64>().is_ok() => {
                let help = format!("write {} without quotes", text.trim());
                return Err(Diagnostic::wrong_type(node, &needed).with_help(help));
            }
            _ => return Err(Diagnostic::wrong_type(node, &needed)),
        };
        if (self.least..=self.most).contains(&number) {
            // The value -0.0 is equal to 0.0 but is written differently.
            return Ok(if number == 0.0 { 0.0 } else { number });
        }
        Err(Diagnostic::new(codes::OUT_OF_RANGE, node.place, format!("`{number}` is out of range"))
            .with_label(format!("must be from {} to {}", self.least, self.most)))
    }
}

impl Quantity for Number {
    type Value = f64;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<f64, Vec<Diagnostic>> {
        self.read_number(node).map_err(|fault| vec![fault])
    }

    fn write(&self, value: &f64, _: &Facts) -> String {
        format!("{value:?}")
    }

    fn placeholder(&self) -> f64 {
        self.least
    }

    fn describe(&self) -> String {
        format!("number, {} to {}", self.least, self.most)
    }

    fn schema(&self) -> Json {
        json!({ "type": "number", "minimum": self.least, "maximum": self.most })
    }
}

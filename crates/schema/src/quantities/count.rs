//! Quantities that are plain numbers and switches: counts, fractions, true or false.

use std::marker::PhantomData;

use serde_json::{Value as Json, json};

use crate::codes;
use crate::context::Facts;
use crate::fault::Diagnostic;
use crate::quantity::Quantity;
use crate::tree::{Value, ValueNode};

/// A whole number.
pub struct Count<N> {
    least: u64,
    most: u64,
    as_type: PhantomData<N>,
}

impl<N> Count<N> {
    /// A count from `least` to `most`.
    pub const fn between(least: u64, most: u64) -> Count<N> {
        Count { least, most, as_type: PhantomData }
    }

    /// Parses a number; `or_else` names other accepted values, as the end of a sentence.
    ///
    /// # Errors
    /// The value cannot be read; the faults say why.
    pub fn read_number(&self, node: &ValueNode, or_else: &str) -> Result<u64, Diagnostic> {
        let needed = format!("a whole number{or_else}");
        let number = match &node.value {
            Value::Integer(number) => *number,
            Value::Text(text) if text.trim().parse::<u64>().is_ok() => {
                return Err(Diagnostic::wrong_type(node, &needed)
                    .with_help(format!("write {} without quotes", text.trim())));
            }
            _ => return Err(Diagnostic::wrong_type(node, &needed)),
        };
        match number {
            Some(number) if number < i128::from(self.least) => {
                Err(Diagnostic::new(codes::OUT_OF_RANGE, node.place, format!("`{number}` is out of range"))
                    .with_label(format!("must be at least {}", self.least)))
            }
            Some(number) if number <= i128::from(self.most) => Ok(number as u64),
            _ => Err(Diagnostic::new(codes::OUT_OF_RANGE, node.place, "the number is out of range")
                .with_label(format!("must be at most {}", self.most))),
        }
    }
}

impl<N: TryFrom<u64> + Into<u64> + Copy + PartialEq + Default> Quantity for Count<N> {
    type Value = N;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<N, Vec<Diagnostic>> {
        let number = self.read_number(node, "").map_err(|fault| vec![fault])?;
        Ok(N::try_from(number).unwrap_or_default())
    }

    fn write(&self, value: &N, _: &Facts) -> String {
        (*value).into().to_string()
    }

    fn placeholder(&self) -> N {
        N::try_from(self.least).unwrap_or_default()
    }

    fn describe(&self) -> String {
        format!("whole number, {} to {}", self.least, self.most)
    }

    fn schema(&self) -> Json {
        json!({ "type": "integer", "minimum": self.least, "maximum": self.most })
    }
}

/// A fraction between 0 and 1.
pub struct Fraction;

impl Quantity for Fraction {
    type Value = f64;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<f64, Vec<Diagnostic>> {
        let number = match &node.value {
            Value::Integer(Some(number)) => *number as f64,
            Value::Float(text) => text.replace('_', "").parse().unwrap_or(f64::NAN),
            _ => {
                let percent =
                    node.text().and_then(|text| text.trim().strip_suffix('%')?.trim().parse::<f64>().ok());
                let percent = percent.filter(|percent| (0.0..=100.0).contains(percent));
                let help = percent.map(|percent| format!("write {} for {percent} %", percent / 100.0));
                return Err(vec![
                    Diagnostic::wrong_type(node, "a number from 0 to 1").with_help_if_given(help),
                ]);
            }
        };
        if (0.0..=1.0).contains(&number) {
            // The value -0.0 is equal to 0.0 but is written differently.
            return Ok(number.abs());
        }
        let help =
            (1.0..=100.0).contains(&number).then(|| format!("write {} for {number} %", number / 100.0));
        Err(vec![
            Diagnostic::new(codes::OUT_OF_RANGE, node.place, format!("`{number}` is out of range"))
                .with_label("must be from 0 to 1")
                .with_help_if_given(help),
        ])
    }

    fn write(&self, value: &f64, _: &Facts) -> String {
        format!("{value:?}")
    }

    fn placeholder(&self) -> f64 {
        0.0
    }

    fn describe(&self) -> String {
        "number, 0 to 1".to_owned()
    }

    fn schema(&self) -> Json {
        json!({ "type": "number", "minimum": 0, "maximum": 1 })
    }
}

/// True or false.
pub struct Flag;

impl Quantity for Flag {
    type Value = bool;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<bool, Vec<Diagnostic>> {
        match &node.value {
            Value::Flag(flag) => Ok(*flag),
            _ => {
                let help = match node.text().map(|text| text.trim().to_lowercase()).as_deref() {
                    Some("true" | "yes" | "on" | "1") => Some("write true without quotes".to_owned()),
                    Some("false" | "no" | "off" | "0") => Some("write false without quotes".to_owned()),
                    _ => None,
                };
                Err(vec![Diagnostic::wrong_type(node, "true or false").with_help_if_given(help)])
            }
        }
    }

    fn write(&self, value: &bool, _: &Facts) -> String {
        value.to_string()
    }

    fn placeholder(&self) -> bool {
        false
    }

    fn describe(&self) -> String {
        "true or false".to_owned()
    }

    fn schema(&self) -> Json {
        json!({ "type": "boolean" })
    }
}

//! The quantity of a frequency.

use serde_json::Value as Json;

use super::measure::{parse_in_base_units, range_words, schema_pattern};
use super::or_word::Dimensioned;
use crate::context::Facts;
use crate::fault::Diagnostic;
use crate::quantity::{Quantity, quoted};
use crate::tree::ValueNode;
use crate::units::{Dimension, decimal_in_scaled_unit};

/// A frequency, exact to a millionth per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Frequency {
    /// The frequency in millionths per second.
    pub micro_per_s: u64,
}

impl Frequency {
    /// The frequency zero.
    pub const NEVER: Frequency = Frequency { micro_per_s: 0 };

    /// The frequency of this many times per second.
    pub const fn per_s(times: u64) -> Frequency {
        Frequency { micro_per_s: times * 1_000_000 }
    }

    /// The number of times per second.
    pub fn times_per_s(self) -> f64 {
        self.micro_per_s as f64 / 1e6
    }

    /// The mean time from one event to the next, in ns; infinite if the frequency is zero.
    pub fn gap_ns(self) -> f64 {
        1e15 / self.micro_per_s as f64
    }
}

/// A number per second, minute or hour.
pub struct PerTime {
    /// The least and the greatest frequency, in millionths per second.
    pub range: (u64, u64),
}

impl PerTime {
    /// The greatest frequency that can be written: one per nanosecond.
    pub const MOST: u64 = 1_000_000_000 * 1_000_000;
    /// Any frequency above zero: from once in about twelve days.
    pub const ANY: PerTime = PerTime { range: (1, PerTime::MOST) };
    /// Any frequency, including zero.
    pub const OR_NEVER: PerTime = PerTime { range: (0, PerTime::MOST) };
}

fn write_frequency(micro_per_s: u64) -> String {
    let number = decimal_in_scaled_unit(micro_per_s, 1_000_000, 1, 6, true).unwrap_or_else(|| "0".to_owned());
    format!("{number}/s")
}

impl Dimensioned for PerTime {
    const DIMENSION: Dimension = Dimension::Frequency;

    fn read_or(&self, node: &ValueNode, or_else: &str) -> Result<Frequency, Diagnostic> {
        let read = parse_in_base_units(node, &[Dimension::Frequency], or_else, self.range, write_frequency)?;
        Ok(Frequency { micro_per_s: read.0 })
    }
}

impl Quantity for PerTime {
    type Value = Frequency;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<Frequency, Vec<Diagnostic>> {
        self.read_or(node, "").map_err(|fault| vec![fault])
    }

    fn write(&self, value: &Frequency, _: &Facts) -> String {
        quoted(&write_frequency(value.micro_per_s))
    }

    fn placeholder(&self) -> Frequency {
        Frequency { micro_per_s: self.range.0 }
    }

    fn describe(&self) -> String {
        range_words("number per second", self.range, write_frequency)
    }

    fn schema(&self) -> Json {
        schema_pattern(&[Dimension::Frequency], &[])
    }
}

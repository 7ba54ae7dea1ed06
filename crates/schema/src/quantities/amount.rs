//! Common quantities that are numbers with a unit: times, sizes, rates, percentages.

use sansim_kernel::{Span, TICKS_PER_NS};
use serde_json::Value as Json;

use super::measure::{parse_in_base_units, range_words, schema_pattern};
use super::or_word::Dimensioned;
use super::written::{write_rate, write_size, write_time};
use crate::codes;
use crate::context::Facts;
use crate::fault::Diagnostic;
use crate::quantity::{Quantity, quoted};
use crate::tree::ValueNode;
use crate::units::{Dimension, decimal_in_scaled_unit};

/// The longest time that can be written for a single delay: an hour.
pub const LONGEST: u64 = 3_600_000_000_000 * TICKS_PER_NS;

/// A time, kept as a [`Span`]. Times are rounded to the nearest tick of 1/561 ns.
pub struct Time {
    /// The shortest and the longest time, in ticks.
    pub range: (u64, u64),
}

impl Time {
    /// Any time up to an hour.
    pub const ANY: Time = Time { range: (0, LONGEST) };

    /// A time from `least` to `most`.
    pub const fn between(least: Span, most: Span) -> Time {
        Time { range: (least.ticks(), most.ticks()) }
    }
}

/// Parses a time; `ps` is accepted only where it is whole ticks, since a tick is longer than a picosecond.
///
/// # Errors
/// The value cannot be read; the faults say why.
pub fn read_time(node: &ValueNode, or_else: &str, range: (u64, u64)) -> Result<Span, Diagnostic> {
    let (ticks, exact, unit) = parse_in_base_units(node, &[Dimension::Time], or_else, range, write_time)?;
    if unit.name == "ps" && !exact {
        return Err(Diagnostic::new(
            codes::BAD_VALUE,
            node.place,
            "not a whole number of clock ticks of 1/561 ns",
        )
        .with_label("picoseconds only if exact")
        .with_help(format!("write \"{}\" if the nearest tick will do", write_time(ticks))));
    }
    Ok(Span(ticks))
}

impl Dimensioned for Time {
    const DIMENSION: Dimension = Dimension::Time;

    fn read_or(&self, node: &ValueNode, or_else: &str) -> Result<Span, Diagnostic> {
        read_time(node, or_else, self.range)
    }
}

impl Quantity for Time {
    type Value = Span;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<Span, Vec<Diagnostic>> {
        self.read_or(node, "").map_err(|fault| vec![fault])
    }

    fn write(&self, value: &Span, _: &Facts) -> String {
        quoted(&write_time(value.ticks()))
    }

    fn placeholder(&self) -> Span {
        Span(self.range.0)
    }

    fn describe(&self) -> String {
        range_words("time", self.range, write_time)
    }

    fn schema(&self) -> Json {
        schema_pattern(&[Dimension::Time], &[])
    }
}

/// A whole number of bytes.
pub struct Size {
    /// The fewest and the most bytes.
    pub range: (u64, u64),
    /// The number of which the size must be a multiple.
    pub step: u64,
}

impl Size {
    /// A size from `least` to `most` bytes.
    pub const fn between(least: u64, most: u64) -> Size {
        Size { range: (least, most), step: 1 }
    }
}

impl Dimensioned for Size {
    const DIMENSION: Dimension = Dimension::Size;

    fn read_or(&self, node: &ValueNode, or_else: &str) -> Result<u64, Diagnostic> {
        let (bytes, exact, _) =
            parse_in_base_units(node, &[Dimension::Size], or_else, self.range, write_size)?;
        if !exact {
            return Err(Diagnostic::new(codes::BAD_VALUE, node.place, "not a whole number of bytes"));
        }
        if bytes % self.step != 0 {
            let help = format!(
                "\"{} B\" or \"{} B\"",
                bytes / self.step * self.step,
                bytes.next_multiple_of(self.step)
            );
            return Err(Diagnostic::new(
                codes::OUT_OF_RANGE,
                node.place,
                format!("{bytes} B is not a multiple of {} B", self.step),
            )
            .with_label(format!("must be a multiple of {} B", self.step))
            .with_help(help));
        }
        Ok(bytes)
    }
}

impl Quantity for Size {
    type Value = u64;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<u64, Vec<Diagnostic>> {
        self.read_or(node, "").map_err(|fault| vec![fault])
    }

    fn write(&self, value: &u64, _: &Facts) -> String {
        quoted(&write_size(*value))
    }

    fn placeholder(&self) -> u64 {
        self.range.0
    }

    fn describe(&self) -> String {
        let step = if self.step > 1 { format!(", a multiple of {} B", self.step) } else { String::new() };
        range_words("size", self.range, write_size) + &step
    }

    fn schema(&self) -> Json {
        schema_pattern(&[Dimension::Size], &[])
    }
}

/// A rate in bytes per second, rounded to the nearest.
pub struct ByteRate {
    /// The least and the greatest rate, in bytes per second.
    pub range: (u64, u64),
}

impl Dimensioned for ByteRate {
    const DIMENSION: Dimension = Dimension::Rate;

    fn read_or(&self, node: &ValueNode, or_else: &str) -> Result<u64, Diagnostic> {
        let (rate, _, _) = parse_in_base_units(node, &[Dimension::Rate], or_else, self.range, write_rate)?;
        Ok(rate)
    }
}

impl Quantity for ByteRate {
    type Value = u64;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<u64, Vec<Diagnostic>> {
        self.read_or(node, "").map_err(|fault| vec![fault])
    }

    fn write(&self, value: &u64, _: &Facts) -> String {
        quoted(&write_rate(*value))
    }

    fn placeholder(&self) -> u64 {
        self.range.0
    }

    fn describe(&self) -> String {
        range_words("rate", self.range, write_rate)
    }

    fn schema(&self) -> Json {
        schema_pattern(&[Dimension::Rate], &[])
    }
}

/// A share, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share {
    /// The share in millionths.
    pub millionths: u64,
}

impl Share {
    /// The share as a number: 0.01 for one per cent.
    pub fn fraction(self) -> f64 {
        self.millionths as f64 / 1e6
    }
}

/// A share as a percentage, rounded to the nearest millionth.
pub struct Percentage {
    /// The least and the greatest share, in millionths.
    pub range: (u64, u64),
}

fn write_share(millionths: u64) -> String {
    let number = decimal_in_scaled_unit(millionths, 10_000, 1, 4, true).unwrap_or_else(|| "0".to_owned());
    format!("{number} %")
}

impl Dimensioned for Percentage {
    const DIMENSION: Dimension = Dimension::Share;

    fn read_or(&self, node: &ValueNode, or_else: &str) -> Result<Share, Diagnostic> {
        let (millionths, _, _) =
            parse_in_base_units(node, &[Dimension::Share], or_else, self.range, write_share)?;
        Ok(Share { millionths })
    }
}

impl Quantity for Percentage {
    type Value = Share;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<Share, Vec<Diagnostic>> {
        self.read_or(node, "").map_err(|fault| vec![fault])
    }

    fn write(&self, value: &Share, _: &Facts) -> String {
        quoted(&write_share(value.millionths))
    }

    fn placeholder(&self) -> Share {
        Share { millionths: self.range.0 }
    }

    fn describe(&self) -> String {
        range_words("percentage", self.range, write_share)
    }

    fn schema(&self) -> Json {
        schema_pattern(&[Dimension::Share], &[])
    }
}

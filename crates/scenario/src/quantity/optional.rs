//! Values that may be absent: a word instead of a number.

use sansim_kernel::{Span, TICKS_PER_NS};
use serde_json::{Value as Json, json};

use super::measure::{LONGEST, pattern, read_time, write_size, write_time};

use super::{Context, Count, Fault, Quantity, Size, quoted, shown};
use crate::codes::Code;
use crate::suggest::nearest;
use crate::tree::{Node, Value};
use crate::units::Dimension;

/// The size of a cache, or none.
pub(crate) struct CacheSize;

impl CacheSize {
    const SIZE: Size = Size::between(2112, 1 << 32);
}

impl Quantity for CacheSize {
    type Value = Option<u64>;

    fn read(&self, node: &Node, _: &Context) -> Result<Option<u64>, Vec<Fault>> {
        if node.text().is_some_and(|text| text.trim() == "none") {
            return Ok(None);
        }
        CacheSize::SIZE.read_or(node, "\"none\"").map(Some).map_err(|fault| vec![fault])
    }

    fn write(&self, value: &Option<u64>, _: &Context) -> String {
        value.map_or_else(|| quoted("none"), |bytes| quoted(&write_size(bytes)))
    }

    fn placeholder(&self) -> Option<u64> {
        None
    }

    fn describe(&self) -> String {
        format!("`\"none\"` or a {}", CacheSize::SIZE.describe())
    }

    fn schema(&self) -> Json {
        pattern(&[Dimension::Size], &["none"])
    }
}

/// How many I/Os make a pass, or no passes.
pub(crate) struct PassRule;

impl PassRule {
    const COUNT: Count<u64> = Count::between(1, 1_000_000_000);
}

impl Quantity for PassRule {
    type Value = Option<u64>;

    fn read(&self, node: &Node, _: &Context) -> Result<Option<u64>, Vec<Fault>> {
        match &node.value {
            Value::Text(text) if text.trim() == "unlimited" => Ok(None),
            Value::Text(text) if text.trim().parse::<u64>().is_err() => Err(vec![
                Fault::new(Code::UnknownWord, node.place, format!("{} is not known here", shown(text)))
                    .label("needs a whole number, or \"unlimited\"")
                    .maybe_help(nearest(text, ["unlimited"]).map(|near| format!("did you mean \"{near}\"?"))),
            ]),
            _ => PassRule::COUNT
                .read_number(node, ", or \"unlimited\",")
                .map(Some)
                .map_err(|fault| vec![fault]),
        }
    }

    fn write(&self, value: &Option<u64>, _: &Context) -> String {
        value.map_or_else(|| quoted("unlimited"), |count| count.to_string())
    }

    fn placeholder(&self) -> Option<u64> {
        None
    }

    fn describe(&self) -> String {
        format!("`\"unlimited\"` or a {}", PassRule::COUNT.describe())
    }

    fn schema(&self) -> Json {
        json!({ "anyOf": [{ "const": "unlimited" }, PassRule::COUNT.schema()] })
    }
}

/// How many I/Os are measured, or no number of them.
pub(crate) struct MeasuredRule;

impl MeasuredRule {
    const COUNT: Count<u64> = Count::between(1, 1_000_000_000);
}

impl Quantity for MeasuredRule {
    type Value = Option<u64>;

    fn read(&self, node: &Node, _: &Context) -> Result<Option<u64>, Vec<Fault>> {
        if node.text().is_some_and(|text| text.trim() == "none") {
            return Ok(None);
        }
        MeasuredRule::COUNT.read_number(node, "").map(Some).map_err(|fault| vec![fault])
    }

    fn write(&self, value: &Option<u64>, _: &Context) -> String {
        value.map_or_else(|| quoted("none"), |count| count.to_string())
    }

    fn placeholder(&self) -> Option<u64> {
        Some(1)
    }

    fn describe(&self) -> String {
        format!("`\"none\"` or a {}", MeasuredRule::COUNT.describe())
    }

    fn schema(&self) -> Json {
        json!({ "anyOf": [{ "const": "none" }, MeasuredRule::COUNT.schema()] })
    }
}

/// How much simulated time is measured, or no given time.
pub(crate) struct DurationRule;

impl DurationRule {
    /// A nanosecond to a day.
    const RANGE: (u64, u64) = (TICKS_PER_NS, 24 * LONGEST);
}

impl Quantity for DurationRule {
    type Value = Option<Span>;

    fn read(&self, node: &Node, _: &Context) -> Result<Option<Span>, Vec<Fault>> {
        if node.text().is_some_and(|text| text.trim() == "none") {
            return Ok(None);
        }
        read_time(node, "\"none\"", DurationRule::RANGE).map(Some).map_err(|fault| vec![fault])
    }

    fn write(&self, value: &Option<Span>, _: &Context) -> String {
        quoted(&value.map_or_else(|| "none".to_owned(), |span| write_time(span.ticks())))
    }

    fn placeholder(&self) -> Option<Span> {
        None
    }

    fn describe(&self) -> String {
        let (least, most) = DurationRule::RANGE;
        format!("`\"none\"` or a time, {} to {}", write_time(least), write_time(most))
    }

    fn schema(&self) -> Json {
        pattern(&[Dimension::Time], &["none"])
    }
}

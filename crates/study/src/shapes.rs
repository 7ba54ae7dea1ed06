//! The forms of the values of a study: freer than in a scenario, as a value of an axis is whatever its key takes.

use sansim_schema::json;
use sansim_schema::outline::Shape;

/// A text that means something of its own.
pub(crate) fn text(written: &str) -> Shape {
    Shape::new(written, json!({ "type": "string" }))
}

/// The name of an axis.
pub(crate) fn axis() -> Shape {
    text("name of an axis")
}

/// The name of a metric.
pub(crate) fn metric() -> Shape {
    text("name of a metric")
}

/// A key of the scenario.
pub(crate) fn key() -> Shape {
    text("key of the scenario")
}

/// A target, or several by a pattern.
pub(crate) fn target() -> Shape {
    text("id of a target; a pattern, `\"W-T65-*\"`; its rows of one metric, `\"R-R20/next\"`")
}

/// A number with or without a unit.
pub(crate) fn quantity() -> Shape {
    Shape::new("number, or one with its unit", json!({ "type": ["number", "string"] }))
}

/// A part of a whole.
pub(crate) fn share() -> Shape {
    Shape::new("share, as `\"95 %\"` or `0.95`", json!({ "type": ["number", "string"] }))
}

/// A plain number.
pub(crate) fn number() -> Shape {
    Shape::new("number", json!({ "type": "number" }))
}

/// The format of a file.
pub(crate) fn format() -> Shape {
    Shape::new("whole number from 0 on", json!({ "type": "integer", "minimum": 0 }))
}

/// How many.
pub(crate) fn count() -> Shape {
    Shape::new("whole number from 1 on", json!({ "type": "integer", "minimum": 1 }))
}

/// A value of an axis, or a published one.
pub(crate) fn value() -> Shape {
    Shape::new(
        "number, one with its unit, a word, or true or false",
        json!({ "type": ["string", "number", "boolean"] }),
    )
}

/// A list of values as a scenario has them.
pub(crate) fn values() -> Shape {
    Shape::new("list of at least one value", json!({ "type": "array", "minItems": 1 }))
}

/// Values in an order.
pub(crate) fn order() -> Shape {
    Shape::new(
        "list of at least two values of the axis",
        json!({ "type": "array", "minItems": 2, "items": value().schema }),
    )
}

/// Two of a kind.
pub(crate) fn pair(written: &str) -> Shape {
    Shape::new(written, json!({ "type": "array", "minItems": 2, "maxItems": 2 }))
}

/// A single one, or a list.
pub(crate) fn one_or_more(one: impl Into<Shape>) -> Shape {
    let one = one.into();
    let written = format!("{}; or a list of such", one.written);
    let schema = json!({ "anyOf": [one.schema, { "type": "array", "items": one.schema }] });
    Shape { written, schema, words: one.words }
}

/// Lists of axes, or one.
pub(crate) fn zip() -> Shape {
    Shape::new(
        "list of lists of at least two axes, or one such list",
        json!({ "type": "array", "items": { "type": ["string", "array"] } }),
    )
}

/// Keys of a scenario with values.
pub(crate) fn settings() -> Shape {
    Shape::new(
        "table of keys of the scenario: `{ \"workload.size\" = \"64 KiB\" }`",
        json!({ "type": "object" }),
    )
}

/// Values of axes.
pub(crate) fn place() -> Shape {
    Shape::new(
        "table of axes, each with a value or a list of values: `{ size = [\"4 KiB\", \"64 KiB\"] }`",
        json!({ "type": "object", "additionalProperties": one_or_more(value()).schema }),
    )
}

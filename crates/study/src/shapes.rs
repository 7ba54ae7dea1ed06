//! The forms of the values of a study: freer than in a scenario, because a value of an axis is whatever its key accepts.

use sansim_schema::json;
use sansim_schema::outline::Shape;

/// The form of a text with a meaning of its own.
pub(crate) fn text(written: &str) -> Shape {
    Shape::new(written, json!({ "type": "string" }))
}

/// The form of the name of an axis.
pub(crate) fn axis() -> Shape {
    text("name of an axis")
}

/// The form of the name of a metric.
pub(crate) fn metric() -> Shape {
    text("name of a metric")
}

/// The form of the name of an axis or of a metric.
pub(crate) fn axis_or_metric() -> Shape {
    text("name of an axis or of a metric")
}

/// The form of numbers in a given order.
pub(crate) fn numbers() -> Shape {
    Shape::new(
        "list of at least one number",
        json!({ "type": "array", "minItems": 1, "items": number().schema }),
    )
}

/// The form of a key of the scenario.
pub(crate) fn key() -> Shape {
    text("key of the scenario")
}

/// The form of a target, or of a pattern for several targets.
pub(crate) fn target() -> Shape {
    text("id of a target; a pattern, `\"W-T65-*\"`; its rows of one metric, `\"R-R20/next\"`")
}

/// The form of a number with or without a unit.
pub(crate) fn quantity() -> Shape {
    Shape::new("number, or one with its unit", json!({ "type": ["number", "string"] }))
}

/// The form of a share, a part of a whole.
pub(crate) fn share() -> Shape {
    Shape::new("share, as `\"95 %\"` or `0.95`", json!({ "type": ["number", "string"] }))
}

/// The form of a plain number.
pub(crate) fn number() -> Shape {
    Shape::new("number", json!({ "type": "number" }))
}

/// The form of the format of a file.
pub(crate) fn format() -> Shape {
    Shape::new("whole number from 0 on", json!({ "type": "integer", "minimum": 0 }))
}

/// The form of a count.
pub(crate) fn count() -> Shape {
    Shape::new("whole number from 1 on", json!({ "type": "integer", "minimum": 1 }))
}

/// The form of a value of an axis, or of a published value.
pub(crate) fn value() -> Shape {
    Shape::new(
        "number, one with its unit, a word, or true or false",
        json!({ "type": ["string", "number", "boolean"] }),
    )
}

/// The form of a list of values of a scenario.
pub(crate) fn values() -> Shape {
    Shape::new("list of at least one value", json!({ "type": "array", "minItems": 1 }))
}

/// The form of values in a given order.
pub(crate) fn order() -> Shape {
    Shape::new(
        "list of at least two values of the axis",
        json!({ "type": "array", "minItems": 2, "items": value().schema }),
    )
}

/// The form of a pair of values of one kind.
pub(crate) fn pair(written: &str) -> Shape {
    Shape::new(written, json!({ "type": "array", "minItems": 2, "maxItems": 2 }))
}

/// The form of a single value or a list of values.
pub(crate) fn one_or_more(one: impl Into<Shape>) -> Shape {
    let one = one.into();
    let written = format!("{}; or a list of such", one.written);
    let schema = json!({ "anyOf": [one.schema, { "type": "array", "items": one.schema }] });
    Shape { written, schema, words: one.words }
}

/// The form of one list of axes or several.
pub(crate) fn zip() -> Shape {
    Shape::new(
        "list of lists of at least two axes, or one such list",
        json!({ "type": "array", "items": { "type": ["string", "array"] } }),
    )
}

/// The form of keys of a scenario with their values.
pub(crate) fn settings() -> Shape {
    Shape::new(
        "table of keys of the scenario: `{ \"workload.size\" = \"64 KiB\" }`",
        json!({ "type": "object" }),
    )
}

/// The form of values of axes.
pub(crate) fn place() -> Shape {
    Shape::new(
        "table of axes, each with a value or a list of values: `{ size = [\"4 KiB\", \"64 KiB\"] }`",
        json!({ "type": "object", "additionalProperties": one_or_more(value()).schema }),
    )
}

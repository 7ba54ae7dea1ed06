//! A value of any form, which another key will read.

use serde_json::{Value as Json, json};

use crate::context::Facts;
use crate::fault::Diagnostic;
use crate::quantity::{Quantity, quoted};
use crate::tree::{Value, ValueNode};

/// A value of any form, kept as TOML: the form depends on the key that it is for.
pub struct AnyValue;

/// A value as TOML; none for a date, which no key takes.
fn as_toml(node: &ValueNode) -> Option<String> {
    let all = |items: &[ValueNode]| items.iter().map(as_toml).collect::<Option<Vec<String>>>();
    Some(match &node.value {
        Value::Text(text) => quoted(text),
        Value::Integer(number) => number.map_or_else(|| i128::MAX.to_string(), |number| number.to_string()),
        Value::Float(number) => number.clone(),
        Value::Flag(flag) => flag.to_string(),
        Value::Date => return None,
        Value::List(items) => format!("[{}]", all(items)?.join(", ")),
        Value::Table(table) => {
            let entry = |entry: &crate::tree::DocumentEntry| {
                as_toml(&entry.node).map(|toml| format!("{} = {toml}", quoted(&entry.key)))
            };
            let entries: Option<Vec<String>> = table.entries.iter().map(entry).collect();
            format!("{{ {} }}", entries?.join(", "))
        }
    })
}

impl Quantity for AnyValue {
    type Value = String;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<String, Vec<Diagnostic>> {
        as_toml(node).ok_or_else(|| vec![Diagnostic::wrong_type(node, "a value as the key takes it")])
    }

    fn write(&self, value: &String, _: &Facts) -> String {
        value.clone()
    }

    fn placeholder(&self) -> String {
        quoted("")
    }

    fn describe(&self) -> String {
        "a value as the key takes it".to_owned()
    }

    fn schema(&self) -> Json {
        let any = ["string", "number", "boolean", "array", "object"].map(|of| json!({ "type": of }));
        json!({ "anyOf": any })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::parse_value;

    #[test]
    fn a_value_that_is_written_and_read_again_is_the_same() {
        for toml in
            [r#""10 km""#, "12", "0.25", "true", r#"["a", "b"]"#, r#"{ "mean" = "1 ms", "cv" = 0.5 }"#]
        {
            let read = |toml: &str| AnyValue.read(&parse_value(toml, 0, 0)?, &Facts::default()).ok();
            assert_eq!(read(toml).as_deref(), Some(toml));
        }
        let date = parse_value("2026-11-30", 0, 0).expect("a date");
        assert!(AnyValue.read(&date, &Facts::default()).is_err());
    }
}

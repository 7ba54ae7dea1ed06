//! The quantity of lists of values that are all written in the same form.

use serde_json::{Value as Json, json};

use super::choice::read_all;
use crate::codes;
use crate::context::Facts;
use crate::fault::Diagnostic;
use crate::quantity::Quantity;
use crate::tree::{Value, ValueNode};

/// A list of at least `fewest` values.
pub struct ListOf<Q> {
    each: Q,
    fewest: usize,
    most: usize,
}

impl<Q> ListOf<Q> {
    /// A list of `fewest` to `most` values, each written as `each`.
    pub const fn between(fewest: usize, most: usize, each: Q) -> ListOf<Q> {
        ListOf { each, fewest, most }
    }
}

impl<Q: Quantity> Quantity for ListOf<Q> {
    type Value = Vec<Q::Value>;

    fn read(&self, node: &ValueNode, context: &Facts) -> Result<Self::Value, Vec<Diagnostic>> {
        let Value::List(items) = &node.value else {
            let needed = format!("a list in brackets, each a {}", self.each.describe());
            return Err(vec![Diagnostic::wrong_type(node, &needed)]);
        };
        let outside = |label: String| {
            let message = format!("the list has {} values", items.len());
            Err(vec![Diagnostic::new(codes::OUT_OF_RANGE, node.place, message).with_label(label)])
        };
        if items.len() < self.fewest {
            return outside(format!("needs at least {}", self.fewest));
        }
        if items.len() > self.most {
            return outside(format!("must have at most {}", self.most));
        }
        read_all(items, |item| self.each.read(item, context))
    }

    fn write(&self, value: &Self::Value, context: &Facts) -> String {
        let items: Vec<String> = value.iter().map(|item| self.each.write(item, context)).collect();
        format!("[{}]", items.join(", "))
    }

    fn placeholder(&self) -> Self::Value {
        vec![self.each.placeholder(); self.fewest]
    }

    fn describe(&self) -> String {
        format!("list of {} to {} values, each a {}", self.fewest, self.most, self.each.describe())
    }

    fn schema(&self) -> Json {
        json!({
            "type": "array", "items": self.each.schema(),
            "minItems": self.fewest, "maxItems": self.most,
        })
    }
}

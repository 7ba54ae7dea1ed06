//! How sizes are written in a scenario: one size, a mix, a range, or the name of a known mix.

use super::SizeRule;
use super::fixed::FixedSizeParameters;
use super::mix::MixParameters;
use super::named::{NamedMix, PATTERNS, SMIX};
use super::range::RangeParameters;
use sansim_schema::context::Facts;
use sansim_schema::fault::Diagnostic;
use sansim_schema::quantities::{Number, Size};
use sansim_schema::quantity::{Quantity, quoted, shown_in_message};
use sansim_schema::suggest::nearest;
use sansim_schema::tree::{Table, Value, ValueNode};
use sansim_schema::{Json, codes, json};

/// The dimension of a size.
const SIZE: Size = Size::between(1, u32::MAX as u64);
/// The dimension of a weight.
const WEIGHT: Number = Number::between(0.0, 1e12);
/// The keys of a range.
const RANGE: [&str; 3] = ["least", "most", "step"];

/// One size, `"8 KiB"`; a mix, `{ "4 KiB" = 60, "64 KiB" = 40 }`; a range, `{ least = "4 KiB", most = "64 KiB", step = "4 KiB" }`; or the
/// name of a mix.
pub struct SizeOrMix;

/// The mixes that have names.
fn named() -> impl Iterator<Item = NamedMix> {
    std::iter::once(SMIX).chain(PATTERNS.iter().map(|pattern| pattern.mix))
}

impl SizeOrMix {
    const NEEDED: &str = "a size, such as \"8 KiB\", or a mix, such as { \"4 KiB\" = 60, \"64 KiB\" = 40 }";

    fn mix(parts: impl Iterator<Item = (u64, f64)>) -> SizeRule {
        let (sizes, weights) = parts.unzip();
        SizeRule::Mix(MixParameters { sizes, weights })
    }

    fn range(table: &Table, node: &ValueNode, context: &Facts) -> Result<SizeRule, Vec<Diagnostic>> {
        let mut faults = Vec::new();
        for entry in table.entries.iter().filter(|entry| !RANGE.contains(&entry.key.as_str())) {
            let unknown = Diagnostic::new(
                codes::UNKNOWN_KEY,
                entry.key_place,
                format!("{} is no key of a range", shown_in_message(&entry.key)),
            );
            faults.push(unknown.with_label("a range has least, most and step"));
        }
        let mut size = |key: &str| match table.get(key).map(|entry| SIZE.read(&entry.node, context)) {
            Some(Ok(size)) => Some(size),
            Some(Err(wrong)) => {
                faults.extend(wrong);
                None
            }
            None => None,
        };
        let (least, most) = (size("least"), size("most"));
        let step = size("step").or(least);
        for (key, found) in [("least", least), ("most", most)] {
            if found.is_none() && table.get(key).is_none() {
                let missing =
                    Diagnostic::new(codes::MISSING_KEY, node.place, format!("the key `{key}` is missing"));
                faults.push(missing.with_label("a range has least and most"));
            }
        }
        match (least, most, step) {
            (Some(least), Some(most), Some(step)) if faults.is_empty() => {
                if least > most {
                    let fault =
                        Diagnostic::new(codes::CONTRADICTION, node.place, "`least` is greater than `most`");
                    return Err(vec![fault.with_label("swap the two")]);
                }
                Ok(SizeRule::Range(RangeParameters { least, most, step }))
            }
            _ => Err(faults),
        }
    }

    fn table(table: &Table, node: &ValueNode, context: &Facts) -> Result<SizeRule, Vec<Diagnostic>> {
        if table.entries.iter().any(|entry| RANGE.contains(&entry.key.as_str())) {
            return Self::range(table, node, context);
        }
        let (mut parts, mut faults) = (Vec::new(), Vec::new());
        for entry in &table.entries {
            let key =
                ValueNode { value: Value::Text(entry.key.clone()), place: entry.key_place, typed: None };
            match (SIZE.read(&key, context), WEIGHT.read(&entry.node, context)) {
                (Ok(size), Ok(weight)) => parts.push((size, weight)),
                (size, weight) => faults.extend([size.err(), weight.err()].into_iter().flatten().flatten()),
            }
        }
        if faults.is_empty() && parts.iter().map(|(_, weight)| weight).sum::<f64>() <= 0.0 {
            let fault = Diagnostic::new(codes::BAD_VALUE, node.place, "no size of the mix has a weight");
            faults.push(fault.with_label(format!("needs {}", Self::NEEDED)));
        }
        if faults.is_empty() { Ok(Self::mix(parts.into_iter())) } else { Err(faults) }
    }
}

impl Quantity for SizeOrMix {
    type Value = SizeRule;

    fn read(&self, node: &ValueNode, context: &Facts) -> Result<SizeRule, Vec<Diagnostic>> {
        match &node.value {
            Value::Table(table) => Self::table(table, node, context),
            Value::Text(text) if !text.trim().starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
                let wanted = text.trim();
                if let Some(mix) = named().find(|mix| mix.name == wanted) {
                    return Ok(Self::mix(mix.parts.iter().map(|&(size, weight)| (size, f64::from(weight)))));
                }
                let names: Vec<&str> = named().map(|mix| mix.name).collect();
                let near =
                    nearest(wanted, names.iter().copied()).map(|near| format!("did you mean \"{near}\"?"));
                let fault = Diagnostic::new(
                    codes::BAD_VALUE,
                    node.place,
                    format!("{} is no size", shown_in_message(text)),
                );
                Err(vec![fault.with_label(format!("needs {}", Self::NEEDED)).with_help_if_given(near)])
            }
            Value::Text(_) => {
                SIZE.read(node, context).map(|size| SizeRule::Fixed(FixedSizeParameters { size }))
            }
            _ => Err(vec![Diagnostic::wrong_type(node, Self::NEEDED)]),
        }
    }

    fn write(&self, value: &SizeRule, context: &Facts) -> String {
        let size = |size: &u64| SIZE.write(size, context);
        match value {
            SizeRule::Fixed(fixed) => size(&fixed.size),
            SizeRule::Mix(mix) => {
                let part = |(bytes, weight)| format!("{} = {}", size(bytes), WEIGHT.write(weight, context));
                let parts: Vec<String> = mix.sizes.iter().zip(&mix.weights).map(part).collect();
                format!("{{ {} }}", parts.join(", "))
            }
            SizeRule::Range(RangeParameters { least, most, step }) => {
                format!("{{ least = {}, most = {}, step = {} }}", size(least), size(most), size(step))
            }
        }
    }

    fn placeholder(&self) -> SizeRule {
        SizeRule::Fixed(FixedSizeParameters { size: 512 })
    }

    fn describe(&self) -> String {
        let names: Vec<String> = named().map(|mix| quoted(mix.name)).collect();
        format!(
            "{}; or a mix with the weight of each, `{{ \"4 KiB\" = 60, \"64 KiB\" = 40 }}`; or every multiple of a step, `{{ least = \"4 KiB\", most = \"64 KiB\", step = \"4 KiB\" }}`; or a mix by its name: {}",
            SIZE.describe(),
            names.join(", ")
        )
    }

    fn schema(&self) -> Json {
        let size = SIZE.schema();
        let names: Vec<&str> = named().map(|mix| mix.name).collect();
        json!({ "anyOf": [
            size,
            { "enum": names },
            {
                "type": "object",
                "properties": { "least": size, "most": size, "step": size },
                "required": ["least", "most"],
                "additionalProperties": false,
            },
            { "type": "object", "additionalProperties": WEIGHT.schema(), "minProperties": 1 },
        ] })
    }
}

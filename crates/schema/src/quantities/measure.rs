//! Parsing of a number with a unit, for quantities of every dimension.

use serde_json::{Value as Json, json};

use crate::codes;
use crate::fault::Diagnostic;
use crate::meant;
use crate::quantity::{shown_in_message, text_position};
use crate::suggest::nearest;
use crate::tree::{Value, ValueNode};
use crate::units::{Decimal, Dimension, NotDecimal, Unit, split_number_and_unit, unit_named};

/// The accepted forms, in words: `a size, such as "64 KiB"`.
pub fn accepted_forms(accepts: &[Dimension], or_else: &str) -> String {
    let mut parts: Vec<String> = accepts
        .iter()
        .map(|dimension| format!("{}, such as \"{}\"", dimension.noun_in_prose(), dimension.example()))
        .collect();
    if !or_else.is_empty() {
        parts.push(or_else.to_owned());
    }
    parts.join(", or ")
}

/// Parses the number and the unit of a quantity of one of the accepted dimensions. `or_else` names other accepted values (`"exact"`), for
/// the messages.
///
/// # Errors
/// The value cannot be read; the faults say why.
pub fn parse_quantity(
    node: &ValueNode,
    accepts: &[Dimension],
    or_else: &str,
) -> Result<(Decimal, &'static Unit), Diagnostic> {
    let wanted = accepted_forms(accepts, or_else);
    let first = accepts.first().copied().unwrap_or(Dimension::Time);
    let bare = |number: &str| {
        Diagnostic::new(codes::MISSING_UNIT, node.place, format!("{} has no unit", shown_in_message(number)))
            .with_label("a unit is missing")
            .with_help(format!("this needs {wanted}{}", with_a_unit(number, first)))
    };
    let text = match (&node.value, node.text()) {
        (Value::Integer(Some(number)), _) if *number < 0 => {
            return Err(Diagnostic::new(codes::OUT_OF_RANGE, node.place, format!("`{number}` is negative"))
                .with_label(format!("needs {wanted}")));
        }
        (Value::Integer(Some(number)), _) => return Err(bare(&number.to_string())),
        (Value::Integer(None), _) => return Err(bare("this number")),
        (Value::Float(number), _) if number.starts_with('-') && !number.ends_with("nan") => {
            return Err(Diagnostic::new(
                codes::OUT_OF_RANGE,
                node.place,
                format!("{} is negative", shown_in_message(number)),
            )
            .with_label(format!("needs {wanted}")));
        }
        (Value::Float(number), _) if number.ends_with("nan") || number.ends_with("inf") => {
            return Err(Diagnostic::new(
                codes::BAD_VALUE,
                node.place,
                format!("{} is no number", shown_in_message(number)),
            )
            .with_label(format!("needs {wanted}")));
        }
        (Value::Float(number), _) => return Err(bare(number)),
        (_, Some(text)) => text,
        _ => return Err(Diagnostic::wrong_type(node, &wanted)),
    };
    let trimmed = text.trim();
    let shift = text.len() - text.trim_start().len();
    let (number, unit_name, unit_at) = split_number_and_unit(trimmed);
    let not_read = || {
        let help = (!or_else.is_empty())
            .then(|| nearest(trimmed, or_else.split('"').skip(1).step_by(2)))
            .flatten()
            .map(|near| format!("did you mean \"{near}\"?"));
        Diagnostic::new(codes::BAD_VALUE, node.place, format!("{} cannot be read", shown_in_message(text)))
            .with_label(format!("needs {wanted}"))
            .with_help_if_given(help)
    };
    if number.is_empty() {
        return Err(not_read());
    }
    let number_place = text_position(node, text, shift, shift + number.len());
    let decimal = match Decimal::parse(number) {
        Ok(decimal) => decimal,
        Err(NotDecimal::Malformed) => return Err(not_read()),
        Err(NotDecimal::Negative) => {
            return Err(Diagnostic::new(
                codes::OUT_OF_RANGE,
                number_place,
                format!("{} is negative", shown_in_message(text)),
            )
            .with_label(format!("needs {wanted}")));
        }
        Err(NotDecimal::TooLong) => {
            return Err(Diagnostic::new(codes::BAD_VALUE, number_place, "more than 18 digits")
                .with_label("more digits than are kept"));
        }
    };
    if unit_name.is_empty() {
        return Err(bare(number));
    }
    if let Some((plain, unit)) = without_exponent(number, unit_name) {
        let help = match unit_named(unit) {
            Some(unit) if accepts.contains(&unit.dimension) => format!("write \"{plain} {}\"", unit.name),
            _ => format!("this needs {wanted}"),
        };
        return Err(Diagnostic::new(
            codes::BAD_VALUE,
            node.place,
            format!("{} has an exponent", shown_in_message(trimmed)),
        )
        .with_label("numbers are written without one")
        .with_help(help));
    }
    if unit_name.starts_with(',') {
        return Err(not_read().with_help("a point stands before decimals, and `_` between groups of digits"));
    }
    let unit_place = text_position(node, text, shift + unit_at, shift + trimmed.len());
    let units = || {
        let names: Vec<&str> =
            accepts.iter().flat_map(|dimension| dimension.units()).filter(|name| name.is_ascii()).collect();
        names.join(", ")
    };
    let meant = meant::quantity(decimal, unit_name, accepts);
    let Some(unit) = unit_named(unit_name) else {
        return Err(Diagnostic::new(
            codes::UNKNOWN_UNIT,
            unit_place,
            format!("{} is not a unit known here", shown_in_message(unit_name)),
        )
        .with_label(format!("units: {}", units()))
        .with_help_if_given(meant.or(Some(format!("this needs {wanted}")))));
    };
    if !accepts.contains(&unit.dimension) {
        return Err(Diagnostic::new(
            codes::WRONG_UNIT,
            node.place,
            format!("{} is {}", shown_in_message(trimmed), unit.dimension.noun_in_prose()),
        )
        .with_label(format!("needs {wanted}"))
        .with_help(meant.unwrap_or_else(|| format!("units: {}", units()))));
    }
    Ok((decimal, unit))
}

/// The correction of a number without a unit, as the end of a sentence; empty if no correction is clear.
fn with_a_unit(number: &str, dimension: Dimension) -> String {
    let (plain, _) = without_exponent(number, "").unwrap_or((number.trim_start_matches('+').to_owned(), ""));
    let Ok(decimal) = Decimal::parse(&plain) else { return String::new() };
    let unit = dimension.likely_missing_unit();
    if dimension == Dimension::Size && plain.contains('.') {
        return String::new();
    }
    let written = match dimension {
        Dimension::Speed => format!("\"{plain}{unit}\""),
        _ => format!("\"{plain} {unit}\""),
    };
    // A share is often written as a fraction of one.
    let hundred =
        decimal.multiply_as_text(100, 1).filter(|_| dimension == Dimension::Share && plain.starts_with("0."));
    match hundred {
        Some(hundred) => format!("; for {plain} of the whole write \"{hundred} %\", for {plain} % {written}"),
        None => format!("; if {unit} is meant, write {written}"),
    }
}

/// The text `1e6` as `1000000`, with the rest of the unit: the exponent of `1e6 B` is parsed as the beginning of the unit `e6 B`.
fn without_exponent<'u>(number: &str, unit: &'u str) -> Option<(String, &'u str)> {
    let (mantissa, exponent, rest) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent, unit),
        None => {
            let after = unit.strip_prefix(['e', 'E'])?;
            let sign = usize::from(after.starts_with(['+', '-']));
            let digits = after[sign..].bytes().take_while(u8::is_ascii_digit).count();
            (number, &after[..sign + digits], &after[sign + digits..])
        }
    };
    let power: i32 = exponent.parse().ok().filter(|power: &i32| power.abs() <= 18)?;
    let decimal = Decimal::parse(mantissa.trim_start_matches('+')).ok()?;
    let ten = 10u64.pow(power.unsigned_abs());
    let plain = if power < 0 { decimal.multiply_as_text(1, ten) } else { decimal.multiply_as_text(ten, 1) };
    Some((plain?, rest.trim()))
}

/// Parses a quantity as [`parse_quantity`], then returns the value in the base unit of its dimension, rounded to the nearest and checked against a
/// range. `write` formats the limits of the range in messages. Returns also whether the value was exact, and its unit.
///
/// # Errors
/// The value cannot be read; the faults say why.
pub fn parse_in_base_units(
    node: &ValueNode,
    accepts: &[Dimension],
    or_else: &str,
    range: (u64, u64),
    write: impl Fn(u64) -> String,
) -> Result<(u64, bool, &'static Unit), Diagnostic> {
    let (decimal, unit) = parse_quantity(node, accepts, or_else)?;
    let text = node.text().unwrap_or("");
    let outside = |limit: &str| {
        Diagnostic::new(
            codes::OUT_OF_RANGE,
            node.place,
            format!("{} is out of range", shown_in_message(text.trim())),
        )
        .with_label(limit.to_owned())
    };
    let (value, exact) = decimal
        .multiply_rounded(unit.numerator, unit.denominator)
        .ok_or_else(|| outside(&format!("must be at most {}", write(range.1))))?;
    check_range(value, range, outside, write)?;
    Ok((value, exact, unit))
}

fn check_range(
    value: u64,
    (least, most): (u64, u64),
    outside: impl Fn(&str) -> Diagnostic,
    write: impl Fn(u64) -> String,
) -> Result<(), Diagnostic> {
    if value < least {
        return Err(outside(&format!("must be at least {}", write(least))));
    }
    if value > most {
        return Err(outside(&format!("must be at most {}", write(most))));
    }
    Ok(())
}

/// The JSON Schema of a text with one of these dimensions, or one of some words.
pub fn schema_pattern(accepts: &[Dimension], words: &[&str]) -> Json {
    let units: Vec<&str> = accepts.iter().flat_map(|dimension| dimension.units()).collect();
    let mut pattern = format!("\\s*[0-9]+(_[0-9]+)*(\\.[0-9]+)?\\s*({})\\s*", units.join("|"));
    for word in words {
        pattern.push('|');
        pattern.push_str(word);
    }
    let examples: Vec<&str> =
        accepts.iter().map(|dimension| dimension.example()).chain(words.iter().copied()).collect();
    json!({ "type": "string", "pattern": format!("^({pattern})$"), "examples": examples })
}

/// A quantity and its range, in words without the article: `size, 1 B to 4 GiB`.
pub fn range_words(noun: &str, (least, most): (u64, u64), write: fn(u64) -> String) -> String {
    format!("{noun}, {} to {}", write(least), write(most))
}

//! The tokens of an expression.

use super::SyntaxFault;
use sansim_kernel::TICKS_PER_NS;
use sansim_schema::suggest::nearest;
use sansim_schema::units::{Dimension, UNITS, unit_named};
use std::ops::Range;

/// A token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'t> {
    /// A number, in nanoseconds or bytes if it has a unit.
    Number(f64),
    /// A name or a word.
    Name(&'t str),
    /// An operator or a bracket.
    Sign(&'static str),
}

/// The operators and brackets, longer ones first.
const SIGNS: [&str; 15] = ["<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "%", "(", ")", ",", "="];

/// The tokens of a text, with their bytes.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token<'_>, Range<usize>)>, SyntaxFault> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let Some(c) = rest.chars().next() else { break };
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        if c.is_ascii_digit() || c == '.' {
            let (value, length) = number(rest, at)?;
            tokens.push((Token::Number(value), at..at + length));
            at += length;
            continue;
        }
        if c.is_ascii_alphabetic() || c == '_' {
            let length = name_length(rest);
            tokens.push((Token::Name(&rest[..length]), at..at + length));
            at += length;
            continue;
        }
        let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) else {
            return Err(SyntaxFault {
                at: at..at + c.len_utf8(),
                message: format!("`{c}` has no meaning in an expression"),
                help: None,
            });
        };
        if *sign == "=" {
            let help = Some("equality is `==`".to_owned());
            return Err(SyntaxFault { at: at..at + 1, message: "`=` assigns nothing here".to_owned(), help });
        }
        tokens.push((Token::Sign(sign), at..at + sign.len()));
        at += sign.len();
    }
    Ok(tokens)
}

fn name_length(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())
}

/// The number at the beginning of a text, with its unit if it has one, and their length.
fn number(text: &str, at: usize) -> Result<(f64, usize), SyntaxFault> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_').unwrap_or(text.len());
    let written: String = text[..digits].chars().filter(|&c| c != '_').collect();
    let Ok(value) = written.parse::<f64>() else {
        let message = format!("`{}` is no number", &text[..digits]);
        return Err(SyntaxFault { at: at..at + digits, message, help: None });
    };
    let behind = &text[digits..];
    let spaces = behind.len() - behind.trim_start_matches(' ').len();
    let is_unit = behind[spaces..].starts_with(|c: char| c.is_alphabetic());
    let unit_length = if is_unit { name_length(&behind[spaces..]) } else { 0 };
    let unit = &behind[spaces..spaces + unit_length];
    // A word behind a number is an operator, or else a unit.
    if unit.is_empty() || matches!(unit, "and" | "or") {
        return Ok((value, digits));
    }
    let length = digits + spaces + unit_length;
    let (base, per_base) = match unit_named(unit).map(|unit| (unit.dimension, unit)) {
        Some((Dimension::Time, unit)) => (unit, TICKS_PER_NS),
        Some((Dimension::Size, unit)) => (unit, 1),
        _ => {
            let known = || {
                let units = UNITS.iter();
                units
                    .filter(|unit| matches!(unit.dimension, Dimension::Time | Dimension::Size))
                    .map(|unit| unit.name)
            };
            let help = nearest(unit, known()).map(|near| format!("did you mean `{near}`?"));
            let message = format!("`{unit}` is no unit of time or size");
            return Err(SyntaxFault { at: at + digits + spaces..at + length, message, help });
        }
    };
    let value = value * base.numerator as f64 / (base.denominator * per_base) as f64;
    Ok((value, length))
}

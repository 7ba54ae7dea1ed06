//! Expressions: a number for each candidate, of which the lowest wins.
//!
//! An expression such as `bytes / (1 + waiting)` has the features of its decision as names, numbers with or without a unit (`2 ms`, `64 KiB`:
//! nanoseconds and bytes), `+ - * / %`, comparisons, `and`, `or`, `not`, and the functions `min`, `max`, `abs`, `floor` and `if`. Comparisons
//! give 1 or 0. Numbers are 64-bit floating-point numbers, which hold every whole number below 2^53; only operations with exactly rounded
//! results are used, so an expression has the same value on every machine.

mod parser;
mod program;
mod token;

use crate::view::DecisionView;
use program::Program;
use sansim_schema::decision::Decision;
use std::ops::Range;

/// An expression over the features of a decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: String,
    program: Program,
}

/// The reason why a text is no expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxFault {
    /// The bytes of the text at which the fault is.
    pub at: Range<usize>,
    /// The fault, in one sentence without a full stop.
    pub message: String,
    /// The correction.
    pub help: Option<String>,
}

impl Expression {
    /// Parses an expression over the features of a decision.
    ///
    /// # Errors
    /// If the text is no expression, or has an unknown name.
    pub fn parse(text: &str, decision: &'static Decision) -> Result<Self, SyntaxFault> {
        Ok(Self { text: text.to_owned(), program: parser::parse(text, decision)? })
    }

    /// The expression as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The index of the candidate with the lowest value, of equal ones the first. `stack` is memory that is used again.
    ///
    /// # Errors
    /// The index of the first candidate for which the expression has no value, such as `0 / 0`.
    pub fn lowest(&self, view: &DecisionView, stack: &mut Vec<f64>) -> Result<usize, usize> {
        let mut lowest = (f64::INFINITY, 0);
        for (candidate, &value) in self.program.values(view, stack).iter().enumerate() {
            if value.is_nan() {
                return Err(candidate);
            }
            if value < lowest.0 {
                lowest = (value, candidate);
            }
        }
        Ok(lowest.1)
    }
}

#[cfg(test)]
mod tests;

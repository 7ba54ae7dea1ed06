//! The fault of a line.

use std::fmt;

/// Why a line is no request: which of its fields, and what is wrong with it. Costs no allocation, as a file may be full
/// of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineFault {
    /// The field, by the name that the description of the format gives it.
    pub what: &'static str,
    /// The fault, as the end of a sentence: `is missing`.
    pub why: &'static str,
}

impl LineFault {
    /// A fault of a field.
    pub(crate) const fn new(what: &'static str, why: &'static str) -> LineFault {
        LineFault { what, why }
    }
}

impl fmt::Display for LineFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.what, self.why)
    }
}

/// The first bad lines are kept as examples; all are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// Its number, from 1. In a binary format the number of the record.
    pub line: u64,
    /// The beginning of its text; what cannot be printed is escaped.
    pub text: String,
    /// Its fault.
    pub fault: LineFault,
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}: `{}`", self.line, self.fault, self.text)
    }
}

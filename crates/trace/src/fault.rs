//! The fault of a line of a trace.

use std::fmt;

/// The reason why a line is no request: the field, and its fault. A fault costs no allocation, as a file may be full of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineFault {
    /// The field, by its name in the description of the format.
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

/// A bad line; the first ones are kept as examples, and all are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// The number of the line, from 1. In a binary format this is the number of the record.
    pub line: u64,
    /// The beginning of the line's text; unprintable characters are escaped.
    pub text: String,
    /// The fault of the line.
    pub fault: LineFault,
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}: `{}`", self.line, self.fault, self.text)
    }
}

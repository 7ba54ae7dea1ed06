//! Parsing of text into numbers and fields, without allocation, which all text formats use.

pub(crate) mod fields;
pub(crate) mod number;
pub(crate) mod printable;
pub(crate) mod put;
pub(crate) mod take;

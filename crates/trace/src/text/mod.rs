//! Bytes of text as numbers and fields, without allocation: what all text formats are read with.

pub(crate) mod fields;
pub(crate) mod number;
pub(crate) mod printable;
pub(crate) mod put;
pub(crate) mod take;

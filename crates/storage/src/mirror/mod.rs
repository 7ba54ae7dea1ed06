//! A mirror: several drives with the same data.

mod parameters;

pub use parameters::{MirrorParameters, ReadPolicy};

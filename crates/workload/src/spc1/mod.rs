//! SPC-1-like loads. No result of one is an SPC-1 result.

pub mod streams;

#[cfg(test)]
mod tests;

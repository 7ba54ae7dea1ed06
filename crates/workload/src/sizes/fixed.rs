//! Requests of one size.

use sansim_kernel::RandomStream;
use sansim_schema::quantities::Size;
use sansim_schema::table;

table! {
    /// All requests are of the same size.
    #[derive(Copy, Eq)]
    pub struct FixedSizeParameters {
        /// Size of each, in bytes.
        size: u64 = Size::between(1, u32::MAX as u64), required r#""64 KiB""#, source "";
    }
}

impl FixedSizeParameters {
    /// The mean size in bytes.
    pub fn mean(&self) -> f64 {
        self.size as f64
    }

    /// The largest size in bytes.
    pub fn largest(&self) -> u64 {
        self.size
    }

    /// The generator of this size.
    pub fn generator(&self) -> FixedSize {
        FixedSize::new(self)
    }
}

/// Requests of one size.
#[derive(Clone, Debug)]
pub struct FixedSize {
    size: u64,
}

impl FixedSize {
    /// A generator of this size.
    pub fn new(parameters: &FixedSizeParameters) -> FixedSize {
        FixedSize { size: parameters.size }
    }

    /// The size in bytes.
    pub fn draw(&mut self, _: &mut RandomStream) -> u64 {
        self.size
    }
}

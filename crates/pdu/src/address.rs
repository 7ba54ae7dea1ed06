//! Addresses, as those hold them who do not know what they mean.

use std::fmt;

/// The address of a port on a network: 24 bits, which mean something to that network alone. In Fibre Channel they are the address identifier (FC-FS).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address(u32);

impl Address {
    /// The address with this value; higher bits than 24 are cut off.
    pub const fn new(value: u32) -> Self {
        Self(value & 0xFF_FFFF)
    }

    /// The value.
    pub const fn value(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:06X}", self.0)
    }
}

//! Addresses, for components that store them without knowing their meaning.

use std::fmt;

/// The address of a port on a network: 24 bits, which have a meaning only for that network. In Fibre Channel an address is the address
/// identifier (FC-FS).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address(u32);

impl Address {
    /// The address with this value; bits above the lowest 24 are cut off.
    pub const fn new(value: u32) -> Self {
        Self(value & 0xFF_FFFF)
    }

    /// The value of the address.
    pub const fn value(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:06X}", self.0)
    }
}

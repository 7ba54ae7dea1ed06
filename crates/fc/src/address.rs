//! Addresses on networks.

use std::fmt;

/// A 24-bit address identifier of Fibre Channel (FC-FS): domain, area, and a port. On a private loop domain and area are zero
/// and the port is its AL_PA.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address(u32);

impl Address {
    /// The well-known address of a port of a fabric (F_Port, FC-FS).
    pub const F_PORT: Self = Self(0xFF_FFFE);

    /// The address with this value; higher bits than 24 are cut off.
    pub const fn new(value: u32) -> Self {
        Self(value & 0xFF_FFFF)
    }

    /// The value.
    pub const fn value(self) -> u32 {
        self.0
    }

    /// Its domain and area: the port of a switch.
    pub const fn area(self) -> u32 {
        self.0 >> 8
    }

    /// The port of the switch at which it is: on a loop, the FL_Port.
    pub const fn at_switch(self) -> Self {
        Self(self.0 & 0xFF_FF00)
    }

    /// A port of the loop at this port of a switch.
    pub const fn on_loop(self, al_pa: u8) -> Self {
        Self(self.at_switch().0 | al_pa as u32)
    }

    /// The last of its three parts.
    pub const fn port(self) -> u8 {
        self.0 as u8
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:06X}", self.0)
    }
}

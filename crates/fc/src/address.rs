//! The addresses of Fibre Channel (FC-FS): a domain, an area, and a port. On a private loop domain and area are zero and the port is its AL_PA.

use sansim_pdu::Address;

/// The well-known address of a port of a fabric (F_Port, FC-FS).
pub const F_PORT: Address = Address::new(0xFF_FFFE);

/// The parts of an address.
pub trait FcAddress: Copy {
    /// Domain and area of the address: the port of a switch.
    fn area(self) -> u32;

    /// The last of the three parts of the address.
    fn port(self) -> u8;

    /// The address of the switch port at which this address is: on a loop, the FL_Port.
    fn at_switch(self) -> Self;

    /// The address of a loop port with this AL_PA, behind the switch port with this address.
    fn on_loop(self, al_pa: u8) -> Self;
}

impl FcAddress for Address {
    fn area(self) -> u32 {
        self.value() >> 8
    }

    fn port(self) -> u8 {
        self.value() as u8
    }

    fn at_switch(self) -> Self {
        Self::new(self.value() & 0xFF_FF00)
    }

    fn on_loop(self, al_pa: u8) -> Self {
        Self::new(self.at_switch().value() | u32::from(al_pa))
    }
}

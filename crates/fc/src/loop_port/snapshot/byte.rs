//! The parts of a port snapshot that are encoded in a byte: many circuits store them, and they are compared as numbers.

use crate::al_pa::AlPa;
use crate::loop_port::{PortState, QueueWait};
use crate::word::FillWord;

/// No loop address has this value.
const NONE: u8 = u8::MAX;
/// The byte of ARB(F0) in the place of an address, which no address has.
const F0: u8 = 0xF0;

/// A value that is encoded in one byte.
pub(super) trait InByte: Copy {
    fn byte(self) -> u8;

    /// The value that is encoded by this byte.
    fn of_byte(byte: u8) -> Self;
}

impl InByte for Option<AlPa> {
    #[inline(always)]
    fn byte(self) -> u8 {
        self.map_or(NONE, AlPa::address_byte)
    }

    #[inline(always)]
    fn of_byte(byte: u8) -> Self {
        (byte != NONE).then(|| AlPa::known(byte))
    }
}

impl InByte for FillWord {
    #[inline(always)]
    fn byte(self) -> u8 {
        match self {
            Self::Idle => NONE,
            Self::ArbF0 => F0,
            Self::Arb(al_pa) => al_pa.address_byte(),
        }
    }

    #[inline(always)]
    fn of_byte(byte: u8) -> Self {
        match byte {
            NONE => Self::Idle,
            F0 => Self::ArbF0,
            value => Self::Arb(AlPa::known(value)),
        }
    }
}

impl InByte for PortState {
    #[inline(always)]
    fn byte(self) -> u8 {
        self as u8
    }

    #[inline(always)]
    fn of_byte(byte: u8) -> Self {
        const STATES: [PortState; 10] = [
            PortState::Monitoring,
            PortState::Arbitrating,
            PortState::ArbitrationWon,
            PortState::Open,
            PortState::Opened,
            PortState::TransmittedClose,
            PortState::ReceivedClose,
            PortState::Transfer,
            PortState::Initialising,
            PortState::OpenInit,
        ];
        STATES[usize::from(byte) % STATES.len()]
    }
}

impl InByte for Option<QueueWait> {
    #[inline(always)]
    fn byte(self) -> u8 {
        self.map_or(NONE, |waiting| waiting as u8)
    }

    #[inline(always)]
    fn of_byte(byte: u8) -> Self {
        WAITINGS.get(usize::from(byte)).copied()
    }
}

const WAITINGS: [QueueWait; 7] = [
    QueueWait::AccessWindow,
    QueueWait::Loop,
    QueueWait::Credit,
    QueueWait::Destination,
    QueueWait::Wire,
    QueueWait::Held,
    QueueWait::Gathering,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_a_byte_of_its_own() {
        assert!((0..8).all(|byte| PortState::of_byte(byte).byte() == byte));
        assert!((0..7).all(|byte| Option::<QueueWait>::of_byte(byte).byte() == byte));
        assert_eq!(Option::<QueueWait>::of_byte(None::<QueueWait>.byte()), None);
        assert_eq!(Option::<AlPa>::of_byte(None::<AlPa>.byte()), None);
        for al_pa in AlPa::all_addresses() {
            assert_eq!(Option::<AlPa>::of_byte(Some(al_pa).byte()), Some(al_pa));
        }
        for word in AlPa::all_addresses().map(FillWord::Arb).chain([FillWord::Idle, FillWord::ArbF0]) {
            assert_eq!(FillWord::of_byte(word.byte()), word);
        }
    }
}

//! The arbitrated loop physical address, AL_PA.
//!
//! 127 of the 256 bytes are legal: those up to EF whose 10-bit code has as many ones as zeros (FC-AL-2). A lower
//! number is a higher priority in arbitration. 00 belongs to the port of a fabric, 01 to EF to ordinary ports.

use std::fmt;

/// The legal addresses, highest priority first.
#[rustfmt::skip]
const LEGAL: [u8; 127] = [
    0x00, 0x01, 0x02, 0x04, 0x08, 0x0f, 0x10, 0x17, 0x18, 0x1b, 0x1d, 0x1e, 0x1f, 0x23, 0x25, 0x26,
    0x27, 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x39, 0x3a, 0x3c,
    0x43, 0x45, 0x46, 0x47, 0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56,
    0x59, 0x5a, 0x5c, 0x63, 0x65, 0x66, 0x67, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x71, 0x72, 0x73,
    0x74, 0x75, 0x76, 0x79, 0x7a, 0x7c, 0x80, 0x81, 0x82, 0x84, 0x88, 0x8f, 0x90, 0x97, 0x98, 0x9b,
    0x9d, 0x9e, 0x9f, 0xa3, 0xa5, 0xa6, 0xa7, 0xa9, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xb1, 0xb2, 0xb3,
    0xb4, 0xb5, 0xb6, 0xb9, 0xba, 0xbc, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0xce,
    0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd9, 0xda, 0xdc, 0xe0, 0xe1, 0xe2, 0xe4, 0xe8, 0xef,
];

/// A legal AL_PA. Ordered by number, so that the smaller one has the higher priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AlPa(u8);

impl AlPa {
    /// How many there are, and so how many ports a loop can have.
    pub const COUNT: usize = LEGAL.len();

    /// The address with this byte, if it is a legal one.
    pub fn new(byte: u8) -> Option<AlPa> {
        LEGAL.binary_search(&byte).ok().map(|_| AlPa(byte))
    }

    /// All of them, highest priority first.
    pub fn all() -> impl DoubleEndedIterator<Item = AlPa> {
        LEGAL.iter().map(|&byte| AlPa(byte))
    }

    /// The byte that is sent in ARB, OPN and in frame headers.
    pub const fn byte(self) -> u8 {
        self.0
    }

    /// The legal addresses next below and above an illegal byte, for messages.
    pub(crate) fn neighbours(byte: u8) -> (Option<AlPa>, Option<AlPa>) {
        (AlPa::all().rev().find(|legal| legal.0 < byte), AlPa::all().find(|legal| legal.0 > byte))
    }
}

/// Two hexadecimal digits.
impl fmt::Display for AlPa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02X}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_ascending_without_gaps_in_the_known_places() {
        assert!(LEGAL.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(AlPa::COUNT, 127);
        // Loop ID is 127 minus the rank from 1: hard address 0 is EF, 1 is E8, 125 is 01.
        assert_eq!((LEGAL[126], LEGAL[125], LEGAL[1]), (0xef, 0xe8, 0x01));
    }

    #[test]
    fn a_byte_outside_the_list_is_refused_and_has_neighbours() {
        assert_eq!(AlPa::new(0x03), None);
        assert_eq!(AlPa::neighbours(0x03), (AlPa::new(0x02), AlPa::new(0x04)));
        assert_eq!(AlPa::neighbours(0xf0), (AlPa::new(0xef), None));
    }
}

//! The CRC-32 of a frame: IEEE 802.3 polynomial 04C11DB7, reflected, register preset to ones and complemented at the end.
//!
//! Source: FC-FS. A run of zero bytes multiplies the register by a power of x, which takes one multiplication however long the run is; most
//! simulated payload is zeros.

/// The CRC polynomial, reflected: bit 31 is the coefficient of 1.
const POLYNOMIAL: u32 = 0xEDB8_8320;

/// The longest run of zeros that is handled by one multiplication: the data field of a full frame.
const LONGEST_RUN: usize = 2112;

/// Multiplies a CRC register by x.
const fn times_x(register: u32) -> u32 {
    if register & 1 == 1 { register >> 1 ^ POLYNOMIAL } else { register >> 1 }
}

/// Multiplies a CRC register by x to the eighth.
const fn times_x8(mut register: u32) -> u32 {
    let mut bit = 0;
    while bit < 8 {
        register = times_x(register);
        bit += 1;
    }
    register
}

/// The contribution of each byte to the CRC register.
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = times_x8(byte as u32);
        byte += 1;
    }
    table
};

/// The powers of x to eight times the index.
static POWERS: [u32; LONGEST_RUN + 1] = {
    let mut powers = [1 << 31; LONGEST_RUN + 1];
    let mut bytes = 1;
    while bytes <= LONGEST_RUN {
        powers[bytes] = times_x8(powers[bytes - 1]);
        bytes += 1;
    }
    powers
};

/// The product of two polynomials modulo the CRC polynomial.
fn multiply(a: u32, mut b: u32) -> u32 {
    let mut product = 0;
    for bit in (0..32).rev() {
        // The mask is all ones where `a` has the power of x, without a branch that could not be predicted.
        product ^= b & (a >> bit & 1).wrapping_neg();
        b = b >> 1 ^ POLYNOMIAL & (b & 1).wrapping_neg();
    }
    product
}

/// A CRC that is being computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crc(u32);

impl Crc {
    /// The CRC of no bytes.
    pub fn new() -> Self {
        Self(u32::MAX)
    }

    /// Continues the CRC over some bytes.
    #[must_use]
    pub fn add_bytes(self, bytes: &[u8]) -> Self {
        let step = |register: u32, byte: &u8| register >> 8 ^ TABLE[usize::from(register as u8 ^ byte)];
        Self(bytes.iter().fold(self.0, step))
    }

    /// Continues the CRC over a number of zero bytes.
    #[must_use]
    pub fn add_zero_bytes(self, mut count: usize) -> Self {
        let mut register = self.0;
        while count > 0 {
            let run = count.min(LONGEST_RUN);
            register = multiply(register, POWERS[run]);
            count -= run;
        }
        Self(register)
    }

    /// The value of the CRC; on the wire the least significant byte goes first.
    pub fn value(self) -> u32 {
        !self.0
    }
}

impl Default for Crc {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn check_value_is_that_of_the_catalogue() {
        assert_eq!(Crc::new().add_bytes(b"123456789").value(), 0xCBF4_3926);
        assert_eq!(Crc::new().value(), 0);
        // The CRC of thirty-two zero bytes is the value that zlib's crc32 gives as well.
        assert_eq!(Crc::new().add_zero_bytes(32).value(), 0x190A_55AD);
    }

    proptest! {
        #[test]
        fn zeros_by_multiplication_equal_zeros_by_bytes(head: Vec<u8>, count in 0_usize..10_000, tail: Vec<u8>) {
            let plain = Crc::new().add_bytes(&head).add_bytes(&vec![0; count]).add_bytes(&tail);
            prop_assert_eq!(Crc::new().add_bytes(&head).add_zero_bytes(count).add_bytes(&tail), plain);
        }

        #[test]
        fn a_bit_that_flips_changes_the_value(mut bytes in proptest::collection::vec(any::<u8>(), 1..64), bit: u16) {
            let before = Crc::new().add_bytes(&bytes);
            let place = usize::from(bit) % (8 * bytes.len());
            bytes[place / 8] ^= 1 << (place % 8);
            prop_assert_ne!(Crc::new().add_bytes(&bytes), before);
        }
    }
}

//! The CRC32C of digests: Castagnoli's polynomial 1EDC6F41, reflected, register preset to ones and complemented at the end.
//!
//! Source: RFC 7143, 13.1, and the NVMe/TCP Transport Specification, 3.3.1.1. A run of zero bytes multiplies the register by a power of x.

/// The polynomial, reflected: bit 31 is the coefficient of 1.
const POLYNOMIAL: u32 = 0x82F6_3B78;

/// The product of two polynomials modulo that of the CRC.
fn multiply(a: u32, mut b: u32) -> u32 {
    let mut product = 0;
    for bit in (0..32).rev() {
        product ^= b & (a >> bit & 1).wrapping_neg();
        b = b >> 1 ^ POLYNOMIAL & (b & 1).wrapping_neg();
    }
    product
}

/// The CRC32C of these bytes and a number of zero bytes behind them.
pub(crate) fn crc32c(bytes: &[u8], mut zeros: u64) -> u32 {
    let mut register = u32::MAX;
    for &byte in bytes {
        register ^= u32::from(byte);
        for _ in 0..8 {
            register = register >> 1 ^ POLYNOMIAL & (register & 1).wrapping_neg();
        }
    }
    // x to the eighth, then its square, and so on.
    let mut power = 1 << 23;
    while zeros > 0 {
        if zeros & 1 == 1 {
            register = multiply(register, power);
        }
        power = multiply(power, power);
        zeros >>= 1;
    }
    !register
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_standard() {
        assert_eq!(crc32c(b"123456789", 0), 0xE306_9283);
        // RFC 7143, appendix A.4: 32 bytes of zeros have the digest AA 36 91 8A.
        assert_eq!(crc32c(&[], 32).to_le_bytes(), [0xAA, 0x36, 0x91, 0x8A]);
        assert_eq!(crc32c(&[7, 0, 0], 5), crc32c(&[7], 7));
    }
}

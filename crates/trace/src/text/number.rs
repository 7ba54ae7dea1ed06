//! Numbers in text, parsed exactly: no floating point, no wrap-around, no hidden rounding.

/// The powers of ten that a `u64` holds.
const POWERS: [u64; 20] = {
    let mut powers = [1; 20];
    let mut exponent = 1;
    while exponent < 20 {
        powers[exponent] = powers[exponent - 1] * 10;
        exponent += 1;
    }
    powers
};

/// The value of up to 19 digits, which cannot overflow; `None` if there is another character.
fn digits(text: &[u8]) -> Option<u64> {
    let mut value = 0;
    for &byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u64::from(digit);
    }
    Some(value)
}

/// A whole number: digits and nothing else. `None` for other text, and for a number above `u64::MAX`.
pub(crate) fn whole(text: &[u8]) -> Option<u64> {
    match text.len() {
        0 => None,
        1..=19 => digits(text),
        _ => {
            let mut value: u64 = 0;
            for &byte in text {
                let digit = byte.wrapping_sub(b'0');
                if digit > 9 {
                    return None;
                }
                value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
            }
            Some(value)
        }
    }
}

/// A hexadecimal number, with or without `0x`.
pub(crate) fn hexadecimal(text: &[u8]) -> Option<u64> {
    let digits = text.strip_prefix(b"0x").or_else(|| text.strip_prefix(b"0X")).unwrap_or(text);
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    digits.iter().try_fold(0, |value: u64, &byte| Some(value << 4 | u64::from((byte as char).to_digit(16)?)))
}

/// A decimal number (`12`, `12.5`, `.5`, `1.25e-3`) times `unit`, rounded half up to a whole number. `None` for other text, for a number
/// below zero, and above `u64::MAX`.
///
/// With `unit` in nanoseconds the function parses a time: `decimal(b"1.5", 1_000_000_000)` is 1.5 s. Nothing is rounded as long as the
/// number has no digits below a nanosecond.
pub(crate) fn decimal(text: &[u8], unit: u64) -> Option<u64> {
    let dot = text.iter().position(|byte| !byte.is_ascii_digit());
    let Some(dot) = dot else {
        return whole(text)?.checked_mul(unit);
    };
    if text[dot] != b'.' {
        return scientific(text, unit);
    }
    let (before, after) = (&text[..dot], &text[dot + 1..]);
    // The usual case is computed in 64 bits: up to nine digits behind the point, with a unit that is divisible by their power of ten.
    if (1..=9).contains(&after.len())
        && unit.is_multiple_of(POWERS[after.len()])
        && let Some(fraction) = digits(after)
    {
        let before = if before.is_empty() { 0 } else { whole(before)? };
        return before.checked_mul(unit)?.checked_add(fraction * (unit / POWERS[after.len()]));
    }
    scientific(text, unit)
}

/// Parses a number as [`decimal`] does, in every notation.
fn scientific(text: &[u8], unit: u64) -> Option<u64> {
    let text = text.strip_prefix(b"+").unwrap_or(text);
    let (number, exponent) = match text.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        None => (text, 0),
        Some(at) => {
            let (negative, digits) = match text.get(at + 1)? {
                b'-' => (true, &text[at + 2..]),
                b'+' => (false, &text[at + 2..]),
                _ => (false, &text[at + 1..]),
            };
            let size = i32::try_from(whole(digits)?).ok().filter(|size| *size < 1_000)?;
            (&text[..at], if negative { -size } else { size })
        }
    };
    let mut mantissa: u128 = 0;
    let mut scale = exponent;
    let (mut seen, mut point) = (false, false);
    for &byte in number {
        match byte {
            b'.' if !point => point = true,
            b'0'..=b'9' => {
                seen = true;
                // Beyond 28 digits only the magnitude counts: a digit there is below any nanosecond of a representable time.
                if mantissa < 10_u128.pow(28) {
                    mantissa = mantissa * 10 + u128::from(byte - b'0');
                    scale -= i32::from(point);
                } else {
                    scale += i32::from(!point);
                }
            }
            _ => return None,
        }
    }
    if !seen {
        return None;
    }
    if mantissa == 0 {
        return Some(0);
    }
    // 10^29 times a unit of up to 10^9 fits into 128 bits.
    let value = mantissa.checked_mul(u128::from(unit))?;
    let power = |exponent: u32| 10_u128.checked_pow(exponent);
    let value = if scale >= 0 {
        value.checked_mul(power(scale.unsigned_abs())?)?
    } else {
        match power(scale.unsigned_abs()) {
            Some(divisor) => value.checked_add(divisor / 2)? / divisor,
            None => 0,
        }
    };
    u64::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_read_up_to_the_largest_and_not_beyond() {
        assert_eq!(whole(b"0"), Some(0));
        assert_eq!(whole(b"0012"), Some(12));
        assert_eq!(whole(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(whole(b"00000000000000000000000000007"), Some(7));
        for bad in ["", "-1", "+1", "1 ", "1.0", "18446744073709551616", "99999999999999999999999", "\u{0}"] {
            assert_eq!(whole(bad.as_bytes()), None, "{bad:?}");
        }
    }

    #[test]
    fn decimals_are_exact_in_their_unit() {
        const S: u64 = 1_000_000_000;
        assert_eq!(decimal(b"12", S), Some(12 * S));
        assert_eq!(decimal(b"0.000000001", S), Some(1));
        assert_eq!(decimal(b"1.5", 1_000_000), Some(1_500_000));
        assert_eq!(decimal(b".5", S), Some(S / 2));
        assert_eq!(decimal(b"5.", S), Some(5 * S));
        assert_eq!(decimal(b"1.23456789012345", S), Some(1_234_567_890));
        assert_eq!(decimal(b"0.9999999999", S), Some(S));
        assert_eq!(decimal(b"0.0000000005", S), Some(1));
        assert_eq!(decimal(b"0.00000000049", S), Some(0));
        assert_eq!(decimal(b"1.25e-3", S), Some(1_250_000));
        assert_eq!(decimal(b"2E3", 1), Some(2_000));
        assert_eq!(decimal(b"128166372003061629", 100), Some(12_816_637_200_306_162_900));
        assert_eq!(decimal(b"1191979.789", 1_000), Some(1_191_979_789));
        for bad in [
            "",
            ".",
            "-1",
            "1.2.3",
            "e5",
            "1e",
            "nan",
            "inf",
            "1e999",
            "1e99999999999",
            "18446744073.8",
            "0x1",
        ] {
            assert_eq!(decimal(bad.as_bytes(), S), None, "{bad:?}");
        }
    }

    #[test]
    fn hexadecimal_numbers_may_have_a_prefix() {
        assert_eq!(hexadecimal(b"0"), Some(0));
        assert_eq!(hexadecimal(b"0x1F"), Some(31));
        assert_eq!(hexadecimal(b"ffffffffffffffff"), Some(u64::MAX));
        for bad in ["", "0x", "g", "1ffffffffffffffff", "-1"] {
            assert_eq!(hexadecimal(bad.as_bytes()), None, "{bad:?}");
        }
    }
}

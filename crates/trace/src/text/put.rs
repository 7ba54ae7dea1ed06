//! Numbers as text, appended to the output.

/// A whole number.
pub(crate) fn whole(out: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0; 20];
    let mut begin = digits.len();
    loop {
        begin -= 1;
        digits[begin] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[begin..]);
}

/// `value` divided by 10^`places`, with that many digits behind the point: `decimal(out, 1500, 3)` is `1.500`.
pub(crate) fn decimal(out: &mut Vec<u8>, value: u64, places: u32) {
    let unit = 10_u64.pow(places.min(19));
    whole(out, value / unit);
    out.push(b'.');
    let fraction = value % unit;
    let mut digit = unit / 10;
    while digit > 0 {
        out.push(b'0' + (fraction / digit % 10) as u8);
        digit /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_they_are_read() {
        for (value, text) in [(0, "0"), (7, "7"), (u64::MAX, "18446744073709551615")] {
            let mut out = Vec::new();
            whole(&mut out, value);
            assert_eq!(out, text.as_bytes());
        }
        for (value, places, text) in
            [(1_500, 3, "1.500"), (0, 9, "0.000000000"), (u64::MAX, 9, "18446744073.709551615")]
        {
            let mut out = Vec::new();
            decimal(&mut out, value, places);
            assert_eq!(out, text.as_bytes());
        }
    }
}

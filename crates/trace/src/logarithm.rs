//! The logarithm to base 2, computed to the same bit on every machine: mathematical libraries differ.

/// The logarithm log2 of a positive normal number, to about 1e-15: the exponent, and for the mantissa m in \[1, 2) the series 2 artanh((m -
/// 1) / (m + 1)) / ln 2, with m halved above the square root of 2.
pub(crate) fn log2(x: f64) -> f64 {
    let bits = x.to_bits();
    let mut exponent = ((bits >> 52) & 0x7ff) as f64 - 1_023.0;
    let mut m = f64::from_bits((bits & ((1 << 52) - 1)) | (1_023 << 52));
    if m > std::f64::consts::SQRT_2 {
        m *= 0.5;
        exponent += 1.0;
    }
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let tail = (1..=11).rev().fold(0.0, |tail, k| (tail + 1.0 / f64::from(2 * k + 1)) * z);
    exponent + 2.0 * s * (1.0 + tail) * std::f64::consts::LOG2_E
}

#[cfg(test)]
mod tests {
    use super::log2;

    #[test]
    fn the_logarithm_agrees_with_that_of_the_library() {
        let mut x = 1e-9;
        while x < 1e15 {
            assert!((log2(x) - f64::log2(x)).abs() <= 2e-15 * f64::log2(x).abs().max(1.0), "{x}");
            x *= 1.37;
        }
        assert_eq!(log2(1.0), 0.0);
        assert_eq!(log2(1_024.0), 10.0);
    }
}

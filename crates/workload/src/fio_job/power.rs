//! Powers with any exponent, the same bits on every machine: the mathematical library of a system may differ in the last
//! bit.

/// `x` to the power of `y` for a positive normal `x`, to within 1e-13 of it where it lies between 1e-300 and 1e300.
pub fn power(x: f64, y: f64) -> f64 {
    exponential(y * logarithm(x))
}

/// The natural logarithm of a positive normal number: ln x = k ln 2 + 2 artanh((m - 1) / (m + 1)), sqrt(1/2) <= m < sqrt(2).
pub fn logarithm(x: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    let mut k = (x.to_bits() >> 52) as i64 - 1_023;
    let mut m = f64::from_bits((x.to_bits() & MANTISSA) | 1_023 << 52);
    if m > std::f64::consts::SQRT_2 {
        m *= 0.5;
        k += 1;
    }
    let s = (m - 1.0) / (m + 1.0);
    let sum = (0..=10).rev().fold(0.0, |sum, n| sum * s * s + 1.0 / f64::from(2 * n + 1));
    k as f64 * std::f64::consts::LN_2 + 2.0 * s * sum
}

/// e^x = 2^k e^r, |r| <= ln 2 / 2.
fn exponential(x: f64) -> f64 {
    let k = (x * std::f64::consts::LOG2_E).round().clamp(-1_000.0, 1_000.0);
    let r = (x - k * std::f64::consts::LN_2).clamp(-1.0, 1.0);
    let sum = (1..=14).rev().fold(1.0, |sum, n| 1.0 + r * sum / f64::from(n));
    sum * f64::from_bits(((k as i64 + 1_023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::power;

    #[test]
    fn powers_are_those_of_the_mathematical_library() {
        for x in [1e-9, 0.3, 0.5, 1.0, 2.0, 10.0, 1e12] {
            for y in [-10.0, -1.1, -0.2, 0.0, 0.7, 1.0, 8.3] {
                let expected = f64::powf(x, y);
                assert!((power(x, y) / expected - 1.0).abs() < 1e-13, "{x} {y}");
            }
        }
    }
}

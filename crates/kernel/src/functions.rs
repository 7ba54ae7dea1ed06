//! The transcendental functions are written out in this file, because the mathematical libraries of systems may differ
//! in the last bit, and then the numbers drawn with them would differ between machines.

/// The number ln 2 with its low 32 bits cleared, so that the product with an exponent is exact; and the
/// remainder.
const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// The natural logarithm of a positive normal number, to within 2 units of the last place.
///
/// x = 2^e m with m of \[sqrt(1/2), sqrt(2)); ln m = 2 artanh s with s = (m - 1) / (m + 1), |s| < 0.1716, by its power
/// series up to s^21 (the first term left out is below 2^-60 of the sum).
pub fn natural_logarithm(x: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i64 - 1_023;
    let mut m = f64::from_bits((bits & MANTISSA) | 1_023 << 52);
    if m > std::f64::consts::SQRT_2 {
        m *= 0.5;
        exponent += 1;
    }
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let mut tail = 0.0;
    for odd in [21.0, 19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0] {
        tail = (tail + 1.0 / odd) * z;
    }
    // The equation 2 s = f - s f is exact, and f is exact: the rounding error stays in the small second part.
    let e = exponent as f64;
    e * LN_2_HIGH + (f - (s * (f - 2.0 * tail) - e * LN_2_LOW))
}

/// e to the power of `x`, to within 2 units of the last place; zero below -745.2, infinite above 709.8.
///
/// x = k ln 2 + r with |r| <= ln 2 / 2; e^r by its power series up to r^13 (the first term left out is below 2^-57).
pub fn exponential(x: f64) -> f64 {
    if x < -745.2 {
        return 0.0;
    }
    if x > 709.8 {
        return f64::INFINITY;
    }
    let k = (x * std::f64::consts::LOG2_E).round();
    let (high, low) = (x - k * LN_2_HIGH, k * LN_2_LOW);
    let r = high - low;
    let mut tail = 0.0;
    for n in [13.0, 12.0, 11.0, 10.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0] {
        tail = (tail + 1.0) * r / n;
    }
    // The formula is e^r = 1 + r + r^2 / 2 (1 + tail), with the small parts added first.
    let y = 1.0 + (high - (low - 0.5 * r * r * (1.0 + tail)));
    // The power is computed as two factors, since 2^k alone may be too large or too small for a normal
    // number.
    let half = (k as i64).div_euclid(2);
    y * power_of_two(half) * power_of_two(k as i64 - half)
}

/// 2 to the power of `k`, -1022 <= k <= 1023.
fn power_of_two(k: i64) -> f64 {
    f64::from_bits(((k + 1_023) as u64) << 52)
}

/// `x` to the power of `y` for a positive normal `x`: e^(y ln x), with a relative error up to 2^-51 (1 + |y ln x|).
pub fn power(x: f64, y: f64) -> f64 {
    exponential(y * natural_logarithm(x))
}

/// The gamma function for 1 <= x < 171, relative accuracy 1e-12, and 1e-13 up to 21: Lanczos' approximation with g = 7 and nine terms (Lanczos,
/// SIAM Journal on Numerical Analysis 1, 1964; coefficients as computed by Godfrey, 2001).
pub fn gamma_function(x: f64) -> f64 {
    const TERMS: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let z = x - 1.0;
    let mut sum = 0.999_999_999_999_809_9;
    for (at, term) in TERMS.iter().enumerate() {
        sum += term / (z + (at + 1) as f64);
    }
    let t = z + 7.5;
    // The square root of 2 pi. The power is computed in two halves, because it is larger than the result.
    let half = power(t, 0.5 * (z + 0.5));
    2.506_628_274_631_000_7 * half * exponential(-t) * half * sum
}

/// The probability that a standard normal variable is below `x`, to within 1e-15: by Marsaglia's series (Journal of Statistical
/// Software 11(4), 2004).
pub fn normal_probability(x: f64) -> f64 {
    if x.abs() > 8.5 {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let (mut sum, mut term, mut odd) = (x, x, 1.0);
    while term.abs() > 1e-17 * sum.abs() {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    0.5 + normal_density(x) * sum
}

/// The density of a standard normal variable at `x`.
pub fn normal_density(x: f64) -> f64 {
    /// The factor 1 / sqrt(2 pi).
    const SCALE: f64 = 0.398_942_280_401_432_7;
    SCALE * exponential(-0.5 * x * x)
}

/// The value that a standard normal variable stays below with probability `p`, 0 < p < 1: algorithm AS 241 (PPND16)
/// of Wichura, Applied Statistics 37 (1988), relative accuracy about 1e-16.
pub fn normal_quantile(p: f64) -> f64 {
    fn ratio(x: f64, numerator: [f64; 8], denominator: [f64; 8]) -> f64 {
        let horner = |c: [f64; 8]| c.iter().rev().fold(0.0, |sum, c| sum * x + c);
        horner(numerator) / horner(denominator)
    }
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        return q * ratio(0.180_625 - q * q, CENTRE.0, CENTRE.1);
    }
    let r = (-natural_logarithm(if q < 0.0 { p } else { 1.0 - p })).sqrt();
    let x = if r <= 5.0 { ratio(r - 1.6, FLANK.0, FLANK.1) } else { ratio(r - 5.0, TAIL.0, TAIL.1) };
    if q < 0.0 { -x } else { x }
}

/// Coefficients of AS 241 for |p - 1/2| <= 0.425.
const CENTRE: ([f64; 8], [f64; 8]) = (
    [
        3.387_132_872_796_366_5,
        1.331_416_678_917_843_8e2,
        1.971_590_950_306_551_3e3,
        1.373_169_376_550_946e4,
        4.592_195_393_154_987e4,
        6.726_577_092_700_87e4,
        3.343_057_558_358_813e4,
        2.509_080_928_730_122_7e3,
    ],
    [
        1.0,
        4.231_333_070_160_091e1,
        6.871_870_074_920_579e2,
        5.394_196_021_424_751e3,
        2.121_379_430_158_659_7e4,
        3.930_789_580_009_271e4,
        2.872_908_573_572_194_3e4,
        5.226_495_278_852_854e3,
    ],
);
/// Coefficients of AS 241 for the flanks, down to p = e^-25.
const FLANK: ([f64; 8], [f64; 8]) = (
    [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        2.417_807_251_774_506e-1,
        2.272_384_498_926_918_4e-2,
        7.745_450_142_783_414e-4,
    ],
    [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        6.897_673_349_851e-1,
        1.481_039_764_274_800_8e-1,
        1.519_866_656_361_645_7e-2,
        5.475_938_084_995_345e-4,
        1.050_750_071_644_416_9e-9,
    ],
);
/// Coefficients of AS 241 for the tails beyond.
const TAIL: ([f64; 8], [f64; 8]) = (
    [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        2.965_605_718_285_048_7e-1,
        2.653_218_952_657_612_4e-2,
        1.242_660_947_388_078_4e-3,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ],
    [
        1.0,
        5.998_322_065_558_88e-1,
        1.369_298_809_227_358e-1,
        1.487_536_129_085_061_5e-2,
        7.868_691_311_456_133e-4,
        1.846_318_317_510_054_8e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_8e-15,
    ],
);

#[cfg(test)]
mod tests;

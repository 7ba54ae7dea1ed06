//! Random numbers: one independent stream per seed and path.
//!
//! Every component and purpose draws from a stream of its own, named by a path such as `drives.3.access`. Adding
//! a component therefore leaves the numbers of all others as they were, and two designs can be compared on common
//! random numbers.
//!
//! - Generator: xoshiro256++ (Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS
//!   47(4), 2021), period 2^256 - 1.
//! - Seeding: the path is hashed with 64-bit FNV-1a, combined with the mixed seed, and four steps of SplitMix64
//!   (Steele, Lea and Flood, OOPSLA 2014) fill the state. All (seed, path) pairs share one huge cycle; that two of
//!   a million streams overlap within 2^64 draws has a probability below 2^-100.
//! - Distributions: by inversion of the distribution function, one 64-bit draw per value, so that streams stay in
//!   step whatever the parameters. The logarithm is written out here: a system's mathematical library may differ in
//!   the last bit between machines.
//!
//! Values are frozen: the tests hold the first values of a stream, and changing them changes every stored result.

/// A stream of random numbers that depends only on its seed and path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomStream {
    state: [u64; 4],
}

/// SplitMix64's increment, 2^64 divided by the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64's finaliser: every input bit reaches every output bit.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// 64-bit FNV-1a.
fn hash(path: &str) -> u64 {
    path.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

impl RandomStream {
    /// The stream of `path` in the experiment `seed`. Equal arguments give equal streams, on every machine.
    pub fn new(seed: u64, path: &str) -> RandomStream {
        let mut z = mix(seed.wrapping_add(GOLDEN)) ^ mix(hash(path));
        let mut state = [0; 4];
        for word in &mut state {
            z = z.wrapping_add(GOLDEN);
            // A bijection of four different values: never all zero, the only state the generator cannot leave.
            *word = mix(z);
        }
        RandomStream { state }
    }

    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c2, d2) = (c ^ a, d ^ b);
        self.state = [a ^ d2, b ^ c2, c2 ^ (b << 17), d2.rotate_left(45)];
        result
    }

    /// A value of \[0, 1): a whole multiple of 2^-53.
    pub fn unit_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// A value strictly between 0 and 1: an odd multiple of 2^-54.
    fn open_unit_f64(&mut self) -> f64 {
        ((self.next_u64() >> 11) as f64 + 0.5) * (1.0 / (1_u64 << 53) as f64)
    }

    /// A whole number of 0 ..= `n - 1`, each exactly as likely as the others. Takes one draw, and another one with
    /// probability below `n` / 2^64 (Lemire, "Fast random integer generation in an interval", 2019).
    ///
    /// # Panics
    /// If `n` is zero.
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "there is no number below zero");
        loop {
            let product = u128::from(self.next_u64()) * u128::from(n);
            let low = product as u64;
            // Only a low half below `n` can belong to the surplus that would favour some numbers.
            if low >= n || low >= n.wrapping_neg() % n {
                return (product >> 64) as u64;
            }
        }
    }

    /// True with probability `p`. Always takes one draw.
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit_f64() < p
    }

    /// A value of \[`low`, `high`).
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit_f64()
    }

    /// Exponentially distributed with the given mean; always positive for a positive mean, at most 37.5 means.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * natural_logarithm(self.open_unit_f64())
    }

    /// Normally distributed with the given mean and standard deviation.
    pub fn normal(&mut self, mean: f64, standard_deviation: f64) -> f64 {
        mean + standard_deviation * normal_quantile(self.open_unit_f64())
    }
}

/// The natural logarithm of a positive normal number, to within 2 units of the last place.
///
/// x = 2^e m with m of \[sqrt(1/2), sqrt(2)); ln m = 2 artanh s with s = (m - 1) / (m + 1), |s| < 0.1716, by its power
/// series up to s^21 (the first term left out is below 2^-60 of the sum).
pub(crate) fn natural_logarithm(x: f64) -> f64 {
    /// ln 2 with its low 32 bits cleared, so that the product with an exponent is exact; and the remainder.
    const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
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
    // 2 s = f - s f exactly, and f is exact: the rounding error stays in the small second part.
    let e = exponent as f64;
    e * LN_2_HIGH + (f - (s * (f - 2.0 * tail) - e * LN_2_LOW))
}

/// The value that a standard normal variable stays below with probability `p`, 0 < p < 1: algorithm AS 241 (PPND16)
/// of Wichura, Applied Statistics 37 (1988), relative accuracy about 1e-16.
fn normal_quantile(p: f64) -> f64 {
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

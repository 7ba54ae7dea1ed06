//! Scaling of the times of a trace.

/// An exact factor for times: a time t becomes the whole nanoseconds of t times the factor, rounded down, so that the order of requests is
/// kept. Rounding errors do not add up, as each time is scaled from the beginning of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeScale {
    numerator: u64,
    denominator: u128,
}

impl TimeScale {
    /// The factor that leaves times unchanged.
    pub const ONE: TimeScale = TimeScale { numerator: 1, denominator: 1 };

    /// The factor `numerator / denominator`; `None` if either is zero.
    pub fn from_ratio(numerator: u64, denominator: u64) -> Option<TimeScale> {
        (numerator > 0 && denominator > 0)
            .then_some(TimeScale { numerator, denominator: u128::from(denominator) })
    }

    /// The exact value of a floating point number as a factor: 0.1 is 3602879701896397 / 2^55. `None` if the factor is not above zero, or
    /// beyond 2^64 or below 2^-70, where no time of a trace is left.
    pub fn from_f64(factor: f64) -> Option<TimeScale> {
        if !(factor.is_normal() && factor > 0.0) {
            return None;
        }
        let bits = factor.to_bits();
        let mantissa = (bits & ((1 << 52) - 1)) | (1 << 52);
        let exponent = (bits >> 52) as i32 - 1_023 - 52;
        if exponent >= 0 {
            let numerator = mantissa.checked_shl(exponent.unsigned_abs())?;
            return (numerator >> exponent == mantissa).then_some(TimeScale { numerator, denominator: 1 });
        }
        let zeros = mantissa.trailing_zeros().min(exponent.unsigned_abs());
        let denominator = 1_u128.checked_shl(exponent.unsigned_abs() - zeros)?;
        Some(TimeScale { numerator: mantissa >> zeros, denominator })
    }

    /// A time of the trace multiplied by the factor; `None` beyond 584 years.
    pub fn scale_time(self, at_ns: u64) -> Option<u64> {
        u64::try_from(u128::from(at_ns) * u128::from(self.numerator) / self.denominator).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_scaled_exactly_and_rounded_down() {
        let third = TimeScale::from_ratio(1, 3).unwrap();
        assert_eq!(
            [0, 2, 3, 1_000_000_000].map(|at| third.scale_time(at)),
            [Some(0), Some(0), Some(1), Some(333_333_333)]
        );
        assert_eq!(TimeScale::ONE.scale_time(u64::MAX), Some(u64::MAX));
        assert_eq!(TimeScale::from_f64(2.0), TimeScale::from_ratio(2, 1));
        assert_eq!(TimeScale::from_f64(0.375), TimeScale::from_ratio(3, 8));
        assert_eq!(
            TimeScale::from_f64(1e18).and_then(|scale| scale.scale_time(3)),
            Some(3_000_000_000_000_000_000)
        );
        assert_eq!(TimeScale::from_f64(2.0).and_then(|scale| scale.scale_time(u64::MAX)), None);
        // The number 0.1 is a little more than a tenth.
        assert_eq!(TimeScale::from_f64(0.1).and_then(|scale| scale.scale_time(10)), Some(1));
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300, 1e-300] {
            assert_eq!(TimeScale::from_f64(bad), None, "{bad}");
        }
        assert_eq!((TimeScale::from_ratio(0, 1), TimeScale::from_ratio(1, 0)), (None, None));
    }
}

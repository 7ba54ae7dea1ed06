//! Percentiles from a mean and a variance, by the gamma distribution that has both. The percentile is exact for the response time of M/M/1,
//! and an approximation of everything else.

/// The time that a share `p` of requests does not exceed.
pub fn response_percentile(mean: f64, variance: f64, p: f64) -> f64 {
    if mean <= 0.0 || variance <= 1e-12 * mean * mean {
        return mean;
    }
    let (shape, scale) = (mean * mean / variance, variance / mean);
    let (mut low, mut high) = (0.0, mean);
    while below(shape, high / scale) < p {
        high *= 2.0;
    }
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        *if below(shape, middle / scale) < p { &mut low } else { &mut high } = middle;
    }
    0.5 * (low + high)
}

/// The probability that a gamma variable of this shape and scale 1 is below `x`: the regularised incomplete gamma function, by its series
/// below the mean and by its continued fraction above (Abramowitz and Stegun, 6.5.29 and 6.5.31, the latter by Lentz's method).
fn below(shape: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let front = (shape * x.ln() - x - log_gamma(shape)).exp();
    if x < shape + 1.0 {
        let (mut term, mut sum, mut at) = (1.0 / shape, 1.0 / shape, shape);
        while term > 1e-15 * sum {
            at += 1.0;
            term *= x / at;
            sum += term;
        }
        return (front * sum).min(1.0);
    }
    const TINY: f64 = 1e-300;
    let mut b = x + 1.0 - shape;
    let (mut c, mut d) = (1.0 / TINY, 1.0 / b);
    let mut fraction = d;
    for i in 1..10_000 {
        let i = f64::from(i);
        let a = -i * (i - shape);
        b += 2.0;
        d = 1.0 / not_zero(a * d + b, TINY);
        c = not_zero(b + a / c, TINY);
        fraction *= c * d;
        if (c * d - 1.0).abs() < 1e-15 {
            break;
        }
    }
    (1.0 - front * fraction).clamp(0.0, 1.0)
}

fn not_zero(x: f64, tiny: f64) -> f64 {
    if x.abs() < tiny { tiny } else { x }
}

/// The logarithm of the gamma function, by Stirling's series, with the argument moved to where the series is
/// exact.
fn log_gamma(x: f64) -> f64 {
    let (mut x, mut moved) = (x, 0.0);
    while x < 10.0 {
        moved += x.ln();
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series = (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1_260.0 - square / 1_680.0))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - moved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_of_known_distributions_come_out() {
        let near = |ours: f64, theirs: f64| assert!((ours - theirs).abs() < 1e-4 * theirs, "{ours} {theirs}");
        // The percentile of an exponential time is -ln(1 - p) means.
        near(response_percentile(2.0, 4.0, 0.99), 2.0 * 100.0_f64.ln());
        near(response_percentile(2.0, 4.0, 0.5), 2.0 * 2.0_f64.ln());
        // Chi square with 10 degrees of freedom has its 95 % point at 18.307, with 1 degree its 90 % point at
        // 2.7055 (any table).
        near(response_percentile(10.0, 20.0, 0.95), 18.307);
        near(response_percentile(1.0, 2.0, 0.9), 2.7055);
        assert_eq!(response_percentile(3.0, 0.0, 0.99), 3.0);
    }
}

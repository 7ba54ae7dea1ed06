use super::*;
use crate::goodness_of_fit::kolmogorov_smirnov;

const MS: f64 = 1e6;
const MEAN: Span = Span::from_ms(2);

fn drawn(distribution: &Distribution, count: usize) -> Vec<f64> {
    let mut random = RandomStream::new(9, "distribution");
    (0..count).map(|_| distribution.draw(&mut random).as_ns_f64()).collect()
}

/// Checks that a sample has the distribution `probability`, which is given for times in ms; and that a distribution with times 5
/// % longer fails the check.
fn assert_fits(name: &str, distribution: &Distribution, probability: impl Fn(f64) -> f64) {
    let mut sample = drawn(distribution, 50_000);
    let fit = kolmogorov_smirnov(&mut sample, 0.001, |ns| probability(ns / MS));
    assert!(fit.is_consistent(), "{name}: {fit:?}");
    assert!(
        !kolmogorov_smirnov(&mut sample, 0.001, |ns| probability(ns / MS * 1.05)).is_consistent(),
        "{name}"
    );
}

/// The gamma distribution of a whole or half shape and scale 1, by its recurrence (Abramowitz and Stegun 6.5.21).
fn gamma_probability(shape: f64, x: f64) -> f64 {
    let whole = shape.fract() == 0.0;
    let (mut below, mut a) =
        if whole { (1.0 - (-x).exp(), 1.0) } else { (2.0 * normal_probability((2.0 * x).sqrt()) - 1.0, 0.5) };
    while a < shape {
        // The value of gamma(a + 1) for a of 0.5, 1, 1.5, ...
        let above: f64 = if whole {
            (1..=a as u32).map(f64::from).product()
        } else {
            (0..a as u32).map(|n| f64::from(n) + 1.5).product::<f64>() * std::f64::consts::PI.sqrt() / 2.0
        };
        below -= x.powf(a) * (-x).exp() / above;
        a += 1.0;
    }
    below
}

#[test]
fn draws_have_the_distribution_of_the_formula() {
    assert_fits("exponential", &Distribution::Exponential { mean: MEAN }, |x| 1.0 - (-x / 2.0).exp());
    let uniform = Distribution::Uniform { low: Span::from_ms(1), high: Span::from_ms(3) };
    assert_fits("uniform", &uniform, |x| ((x - 1.0) / 2.0).clamp(0.0, 1.0));
    let normal = Distribution::Normal { mean: MEAN, deviation: Span::from_us(300) };
    assert_fits("normal", &normal, |x| normal_probability((x - 2.0) / 0.3));
    for shape in [0.5, 1.0, 1.5, 2.5, 7.0, 16.0] {
        let gamma = Distribution::Gamma(Gamma::new(MEAN, 1.0 / f64::sqrt(shape)));
        assert_fits("gamma", &gamma, |x| gamma_probability(shape, x * shape / 2.0));
    }
    assert_fits("erlang", &Distribution::erlang(MEAN, 3), |x| gamma_probability(3.0, x * 1.5));
    let two = Hyperexponential::new(MEAN, 3.0);
    let p = two.short_phase_probability();
    assert_fits("hyperexponential", &Distribution::Hyperexponential(two), |x| {
        1.0 - p * (-p * x).exp() - (1.0 - p) * (-(1.0 - p) * x).exp()
    });
    let (cv, mean): (f64, f64) = (1.5, 2.0);
    let sigma = (1.0 + cv * cv).ln().sqrt();
    let lognormal = Distribution::Lognormal(Lognormal::new(MEAN, cv));
    assert_fits("lognormal", &lognormal, |x| {
        normal_probability((x.ln() - mean.ln() + sigma * sigma / 2.0) / sigma)
    });
    // The value of gamma(1 + 1 / 0.5) is 2, and of gamma(1 + 1 / 2) half the root of pi.
    for (shape, scale) in [(0.5_f64, 1.0), (2.0, 4.0 / std::f64::consts::PI.sqrt())] {
        let weibull = Distribution::Weibull(Weibull::new(MEAN, shape));
        assert_fits("weibull", &weibull, |x| 1.0 - (-(x / scale).powf(shape)).exp());
    }
    let pareto = Distribution::Pareto(Pareto::new(ParetoScale::Mean(MEAN), 1.5, None).expect("a mean"));
    assert_fits("pareto", &pareto, |x| 1.0 - (2.0_f64 / 3.0 / x).min(1.0).powf(1.5));
    let (least, cap) = (Span::from_ms(1), Span::from_ms(100));
    let pareto = Distribution::Pareto(Pareto::new(ParetoScale::Least(least), 0.8, Some(cap)).expect("a cap"));
    assert_fits("bounded pareto", &pareto, |x| {
        (1.0 - (1.0 / x).min(1.0).powf(0.8)) / (1.0 - 0.01_f64.powf(0.8))
    });
}

#[test]
fn moments_of_the_sample_are_those_of_the_formula() {
    let capped = |scale, shape| {
        Distribution::Pareto(Pareto::new(scale, shape, Some(Span::from_ms(200))).expect("a distribution"))
    };
    let values = vec![Span::from_ms(1), Span::from_ms(2), Span::from_ms(9)];
    let all = [
        Distribution::Fixed(MEAN),
        Distribution::Exponential { mean: MEAN },
        Distribution::Uniform { low: Span::ZERO, high: MEAN },
        Distribution::Uniform { low: MEAN, high: MEAN * 3 },
        Distribution::Normal { mean: MEAN, deviation: MEAN },
        Distribution::Gamma(Gamma::new(MEAN, 1.5)),
        Distribution::Gamma(Gamma::new(MEAN, 0.3)),
        Distribution::erlang(MEAN, 4),
        Distribution::Hyperexponential(Hyperexponential::new(MEAN, 2.0)),
        Distribution::Lognormal(Lognormal::new(MEAN, 0.8)),
        Distribution::Weibull(Weibull::new(MEAN, 0.8)),
        capped(ParetoScale::Mean(MEAN), 0.9),
        capped(ParetoScale::Mean(MEAN), 1.5),
        capped(ParetoScale::Least(MEAN), 1.0),
        capped(ParetoScale::Least(MEAN), 2.0),
        Distribution::Empirical(Empirical::new(values, vec![5.0, 4.0, 1.0]).expect("weights")),
    ];
    for distribution in all {
        let sample = drawn(&distribution, 300_000);
        let n = sample.len() as f64;
        let mean = sample.iter().sum::<f64>() / n;
        let variance = sample.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        let error = distribution.variance_ns2().sqrt() / n.sqrt();
        assert!((mean - distribution.mean_ns()).abs() <= 4.0 * error, "{distribution:?}: mean {mean}");
        let (found, expected) = (variance.sqrt(), distribution.variance_ns2().sqrt());
        assert!((found - expected).abs() <= 0.03 * expected, "{distribution:?}: {found} for {expected}");
    }
}

#[test]
fn a_pareto_distribution_with_a_cap_keeps_to_its_mean_and_its_cap() {
    for shape in [0.5, 1.0, 1.4, 3.0] {
        let pareto = Pareto::new(ParetoScale::Mean(MEAN), shape, Some(Span::from_s(1))).expect("a mean");
        assert!((pareto.moments_ns().0 / 2e6 - 1.0).abs() < 1e-9, "{shape}: {}", pareto.moments_ns().0);
        let sample = drawn(&Distribution::Pareto(pareto), 50_000);
        assert!(sample.iter().all(|ns| *ns <= 1e9), "{shape}");
    }
}

#[test]
fn what_is_no_pareto_distribution_is_none() {
    let (ms, s) = (Span::from_ms(1), Span::from_s(1));
    for (scale, shape, cap) in [
        (ParetoScale::Mean(ms), 1.0, None),
        (ParetoScale::Least(ms), 0.0, None),
        (ParetoScale::Least(Span::ZERO), 2.0, None),
        (ParetoScale::Least(s), 2.0, Some(ms)),
        (ParetoScale::Mean(ms), 1.5, Some(ms)),
    ] {
        assert_eq!(Pareto::new(scale, shape, cap), None, "{scale:?} {shape} {cap:?}");
    }
}

#[test]
fn infinite_moments_are_infinite_and_no_draw_is_longer_than_the_longest_span() {
    let pareto =
        Distribution::Pareto(Pareto::new(ParetoScale::Least(Span::from_s(3_600)), 0.1, None).expect("one"));
    assert_eq!((pareto.mean_ns(), pareto.variance_ns2()), (f64::INFINITY, f64::INFINITY));
    let longest = drawn(&pareto, 1_000).into_iter().fold(0.0, f64::max);
    assert_eq!(longest, Span::LONGEST.as_ns_f64());
}

#[test]
fn a_mean_of_zero_is_always_zero() {
    let zero = Span::ZERO;
    for distribution in [
        Distribution::Gamma(Gamma::new(zero, 2.0)),
        Distribution::Hyperexponential(Hyperexponential::new(zero, 2.0)),
        Distribution::Lognormal(Lognormal::new(zero, 2.0)),
        Distribution::Weibull(Weibull::new(zero, 2.0)),
    ] {
        assert!(drawn(&distribution, 100).iter().all(|ns| *ns == 0.0), "{distribution:?}");
        assert_eq!(distribution.cv(), 0.0);
    }
}

#[test]
fn a_normal_variable_without_deviation_is_its_mean() {
    for mean in [0.0, 5.0 * MS] {
        assert_eq!(truncated_normal_moments(mean, 0.0), (mean, 0.0));
    }
}

#[test]
fn the_first_draws_never_change() {
    // The sum of a thousand draws, in ticks, must be the same on every machine, because stored results depend
    // on it.
    let values = vec![Span::from_ms(1), Span::from_ms(2), Span::from_ms(9)];
    let all = [
        Distribution::Exponential { mean: MEAN },
        Distribution::Uniform { low: Span::ZERO, high: MEAN },
        Distribution::Normal { mean: MEAN, deviation: MEAN },
        Distribution::Gamma(Gamma::new(MEAN, 1.5)),
        Distribution::erlang(MEAN, 4),
        Distribution::Hyperexponential(Hyperexponential::new(MEAN, 2.0)),
        Distribution::Lognormal(Lognormal::new(MEAN, 0.8)),
        Distribution::Weibull(Weibull::new(MEAN, 0.8)),
        Distribution::Pareto(
            Pareto::new(ParetoScale::Mean(MEAN), 0.9, Some(Span::from_s(1))).expect("a mean"),
        ),
        Distribution::Empirical(Empirical::new(values, vec![5.0, 4.0, 1.0]).expect("weights")),
    ];
    let sum = |distribution: &Distribution| {
        let mut random = RandomStream::new(9, "distribution");
        (0..1_000).map(|_| distribution.draw(&mut random).ticks()).sum::<u64>()
    };
    assert_eq!(all.iter().map(sum).collect::<Vec<_>>(), FIRST_DRAWS);
}

const FIRST_DRAWS: [u64; 10] = [
    1_099_561_535_909,
    569_832_775_001,
    1_247_807_135_315,
    1_169_320_900_810,
    1_142_011_809_102,
    1_071_660_334_400,
    1_155_949_133_904,
    1_096_508_104_905,
    919_173_519_164,
    1_294_227_000_000,
];

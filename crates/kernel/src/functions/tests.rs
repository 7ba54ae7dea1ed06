use super::*;
use crate::RandomStream;

#[test]
fn the_logarithm_agrees_with_the_standard_library_to_two_units_of_the_last_place() {
    let mut stream = RandomStream::new(1, "ln");
    for i in 0..100_000 {
        let x = match i % 3 {
            0 => stream.open_unit_f64(),
            1 => 1.0 + (stream.unit_f64() - 0.5) * 1e-3,
            _ => f64::from_bits(stream.draw_below(0x7fe0 << 48).max(1 << 52)),
        };
        let (ours, theirs) = (natural_logarithm(x), x.ln());
        assert!((ours - theirs).abs() <= 2.0 * f64::EPSILON * theirs.abs(), "ln {x:e}: {ours:e} {theirs:e}");
    }
    assert_eq!(natural_logarithm(1.0), 0.0);
}

#[test]
fn the_normal_quantile_agrees_with_tables() {
    // The values are Wichura's own check values, and the usual two-sided 95 % point.
    for (p, x) in [
        (0.25, -0.674_489_750_196_081_7),
        (0.001, -3.090_232_306_167_813_5),
        (1e-20, -9.262_340_089_798_408),
        (0.975, 1.959_963_984_540_054),
        (0.5, 0.0),
    ] {
        assert!((normal_quantile(p) - x).abs() < 1e-14 * 10.0, "{p}: {}", normal_quantile(p));
    }
}

#[test]
fn the_exponential_agrees_with_the_standard_library_to_two_units_of_the_last_place() {
    let mut stream = RandomStream::new(1, "exp");
    for _ in 0..100_000 {
        let x = stream.uniform(-708.0, 709.7);
        let (ours, theirs) = (exponential(x), x.exp());
        assert!((ours - theirs).abs() <= 2.0 * f64::EPSILON * theirs, "exp {x}: {ours:e} {theirs:e}");
        let small = x * 1e-4;
        assert!((exponential(small) - small.exp()).abs() <= 2.0 * f64::EPSILON * small.exp(), "exp {small}");
    }
    assert_eq!([0.0, -1e3, 1e3].map(exponential), [1.0, 0.0, f64::INFINITY]);
    assert!(exponential(-740.0) > 0.0 && exponential(f64::NAN).is_nan());
}

#[test]
fn a_power_agrees_with_the_standard_library_as_closely_as_it_says() {
    let mut stream = RandomStream::new(1, "pow");
    for _ in 0..100_000 {
        let (x, y) = (exponential(stream.uniform(-40.0, 40.0)), stream.uniform(-10.0, 10.0));
        let (ours, theirs) = (power(x, y), x.powf(y));
        let bound = 2.0 * f64::EPSILON * (1.0 + (y * x.ln()).abs());
        assert!((ours / theirs - 1.0).abs() <= bound, "{x:e} ^ {y}: {ours:e} {theirs:e}");
    }
}

#[test]
fn the_gamma_function_is_the_factorial_and_knows_the_root_of_pi() {
    let mut factorial = 1.0;
    for n in 1..170 {
        let ours = gamma_function(f64::from(n));
        let bound = if n <= 21 { 1e-13 } else { 1e-12 };
        assert!((ours / factorial - 1.0).abs() < bound, "gamma({n}): {ours:e} for {factorial:e}");
        factorial *= f64::from(n);
    }
    assert!((gamma_function(1.5) / (std::f64::consts::PI.sqrt() / 2.0) - 1.0).abs() < 1e-14);
}

#[test]
fn the_normal_probability_is_the_inverse_of_the_quantile() {
    for p in [1e-9, 0.001, 0.025, 0.3, 0.5, 0.8, 0.975, 0.999_999] {
        assert!((normal_probability(normal_quantile(p)) - p).abs() < 2e-15, "{p}");
    }
    assert_eq!([-40.0, 0.0, 40.0].map(normal_probability), [0.0, 0.5, 1.0]);
}

use super::b_model::BModelParameters;
use super::mmpp::MmppParameters;
use super::on_off::{OnOffParameters, OnOffSpacing};
use super::schedule::{ArrivalSchedule, Phase};
use super::*;
use crate::testing::{checked, keys};
use sansim_kernel::Distribution;
use sansim_kernel::distribution::{Empirical, Pareto, ParetoScale};
use sansim_kernel::functions::normal_probability;
use sansim_kernel::goodness_of_fit::kolmogorov_smirnov;
use sansim_schema::context::Facts;
use sansim_schema::quantities::Frequency;
use sansim_schema::table::Tabular;

/// An arrival process of every kind, at 500/s.
fn all() -> Vec<Process> {
    vec![
        Process::Deterministic(keys("rate = \"500/s\"")),
        Process::Poisson(keys("rate = \"500/s\"")),
        Process::Normal(keys("rate = \"500/s\"\ncv = 0.8")),
        Process::Uniform(keys("rate = \"500/s\"\nspread = 0.5")),
        Process::Gamma(keys("rate = \"500/s\"\ncv = 1.5")),
        Process::Hyperexponential(keys("rate = \"500/s\"\ncv = 3")),
        Process::Renewal(keys("gap = { distribution = \"weibull\", mean = \"2 ms\", shape = 0.5 }")),
        Process::Mmpp(keys(
            "rates = [\"2000/s\", \"0/s\", \"250/s\"]\nsojourns = [\"20 ms\", \"50 ms\", \"40 ms\"]",
        )),
        Process::OnOff(keys(
            "rate = \"1500/s\"\non = { distribution = \"exponential\", mean = \"10 ms\" }\noff = \"20 ms\"\nspacing = \"random\"",
        )),
        Process::BModel(keys("rate = \"500/s\"\nb = 0.7\nspan = \"2 s\"\nlevels = 12")),
    ]
}

/// Gaps between arrivals in ns.
fn gaps(process: &Process, seed: u64, count: usize) -> Vec<f64> {
    let (mut random, mut arrivals) = (RandomStream::new(seed, "arrivals"), process.generator());
    (0..count).map(|_| arrivals.gap(&mut random).as_ns_f64()).collect()
}

/// The number of arrivals in each of this many windows of `window` seconds.
fn counts(processes: &[Process], window: f64, windows: usize) -> Vec<f64> {
    let mut counts = vec![0.0; windows];
    for (source, process) in processes.iter().enumerate() {
        let mut random = RandomStream::new(7, &format!("source.{source}"));
        let (mut arrivals, mut now) = (process.generator(), 0.0);
        loop {
            now += arrivals.gap(&mut random).as_s_f64();
            match counts.get_mut((now / window) as usize) {
                Some(count) => *count += 1.0,
                None => break,
            }
        }
    }
    counts
}

fn mean_and_variance(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0))
}

/// The slope of a line through points, by least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (x, y) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let above: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    above / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}

/// The Hurst parameter by the variance-time plot: the variance of the mean of m windows falls as m^(2H - 2).
fn hurst(counts: &[f64], factors: &[usize]) -> f64 {
    let variance = |m: usize| {
        let means: Vec<f64> =
            counts.chunks_exact(m).map(|chunk| chunk.iter().sum::<f64>() / m as f64).collect();
        mean_and_variance(&means).1
    };
    let points: Vec<(f64, f64)> = factors.iter().map(|m| ((*m as f64).log2(), variance(*m).log2())).collect();
    1.0 + slope(&points) / 2.0
}

#[test]
fn every_process_has_the_rate_that_it_says() {
    for process in all() {
        let said = process.rate_per_s();
        assert!((said / 500.0 - 1.0).abs() < 0.1, "{}: {said}/s", process.word());
        let gaps = gaps(&process, 3, 400_000);
        let found = gaps.len() as f64 * 1e9 / gaps.iter().sum::<f64>();
        assert!((found / said - 1.0).abs() < 0.02, "{}: {found}/s for {said}/s", process.word());
    }
    let words: Vec<&str> = all().iter().map(Process::word).collect();
    assert_eq!(words, Process::WORDS);
}

#[test]
fn equal_streams_give_equal_arrivals() {
    for process in all() {
        assert_eq!(gaps(&process, 1, 1_000), gaps(&process, 1, 1_000), "{}", process.word());
        let another = gaps(&process, 2, 1_000) != gaps(&process, 1, 1_000);
        assert_eq!(another, process.word() != "deterministic", "{}", process.word());
    }
}

#[test]
fn deterministic_arrivals_never_drift() {
    let process = Process::Deterministic(keys("rate = \"0.7/s\""));
    let (mut random, mut arrivals) = (RandomStream::new(1, "even"), process.generator());
    let total: Span = (0..700).map(|_| arrivals.gap(&mut random)).fold(Span::ZERO, |sum, gap| sum + gap);
    assert_eq!(total, Span::from_s(1_000));
}

#[test]
fn gaps_of_renewal_processes_have_the_distribution_of_the_formula() {
    let fits = |process: &Process, probability: &dyn Fn(f64) -> f64| {
        let mut gaps = gaps(process, 5, 50_000);
        let fit = kolmogorov_smirnov(&mut gaps, 0.001, |ns| probability(ns / 1e6));
        assert!(fit.is_consistent(), "{}: {fit:?}", process.word());
        let wrong = kolmogorov_smirnov(&mut gaps, 0.001, |ns| probability(ns / 1.05e6));
        assert!(!wrong.is_consistent(), "{}", process.word());
    };
    let of = |word: &str| all().into_iter().find(|process| process.word() == word).expect("a process");
    fits(&of("poisson"), &|x| 1.0 - (-x / 2.0).exp());
    fits(&of("uniform"), &|x| ((x - 1.0) / 2.0).clamp(0.0, 1.0));
    fits(&of("renewal"), &|x| 1.0 - (-x.sqrt()).exp());
    // At this coefficient of variation no gap is cut.
    fits(&Process::Normal(keys("rate = \"500/s\"\ncv = 0.2")), &|x| normal_probability((x - 2.0) / 0.4));
    // The gamma distribution has the shape 2: an Erlang distribution of two phases of 1 ms.
    let gamma = Process::Gamma(keys("rate = \"500/s\"\ncv = 0.7071067811865476"));
    fits(&gamma, &|x| 1.0 - (-x).exp() * (1.0 + x));
    let short = 0.5 * (1.0 + (8.0_f64 / 10.0).sqrt());
    fits(&of("hyperexponential"), &|x| {
        1.0 - short * (-short * x).exp() - (1.0 - short) * (-(1.0 - short) * x).exp()
    });
}

#[test]
fn an_mmpp_has_the_dispersion_of_the_formula() {
    // The rates 1000/s and 100/s each last 10 ms, so the rate changes 100 times a second.
    let mmpp: MmppParameters = keys("rates = [\"1000/s\", \"100/s\"]\nsojourns = [\"10 ms\", \"10 ms\"]");
    let at_infinity: f64 = 1.0 + 2.0 * 1e4 * 810_000.0 / (4e4 * 110_000.0);
    assert!((at_infinity - 4.68).abs() < 0.01);
    for window in [0.02, 0.5] {
        let counts = counts(&[Process::Mmpp(mmpp.clone())], window, 6_000);
        let (mean, variance) = mean_and_variance(&counts);
        assert!((mean / window / 550.0 - 1.0).abs() < 0.02, "{mean} in {window} s");
        let both = 200.0 * window;
        let formula = 1.0 + (at_infinity - 1.0) * (1.0 - (1.0 - (-both).exp()) / both);
        // The tolerance is four standard errors of a variance of 6,000 values.
        let found = variance / mean;
        assert!((found / formula - 1.0).abs() < 4.0 * (2.0_f64 / 6_000.0).sqrt(), "{found} for {formula}");
    }
}

#[test]
fn the_b_model_has_the_shares_and_the_hurst_parameter_of_the_formula() {
    for b in [0.6, 0.7, 0.8] {
        let levels = 10;
        let text = format!("rate = \"4000000/s\"\nb = {b:?}\nspan = \"1 s\"\nlevels = {levels}");
        let process = Process::BModel(keys::<BModelParameters>(&text));
        let total = 4e6;
        let finest = counts(&[process], 1.0 / 1024.0, 1024);
        let energy: f64 = b * b + (1.0 - b) * (1.0 - b);
        let mut points = Vec::new();
        for level in 1..=levels {
            let parts = finest.chunks_exact(1 << (levels - level));
            let found: f64 = parts.map(|part| (part.iter().sum::<f64>() / total).powi(2)).sum();
            let formula = energy.powi(level);
            assert!((found / formula - 1.0).abs() < 0.01, "b {b}, level {level}: {found} for {formula}");
            points.push((f64::from(level), found.log2()));
        }
        let hurst = 0.5 - 0.5 * slope(&points);
        let formula = 0.5 - 0.5 * energy.log2();
        assert!((hurst - formula).abs() < 0.01, "b {b}: {hurst} for {formula}");
    }
}

#[test]
fn the_b_model_places_few_arrivals_among_many_parts_without_losing_one() {
    let process = Process::BModel(keys("rate = \"3/s\"\nb = 0.9\nspan = \"1 s\"\nlevels = 24"));
    let counts = counts(&[process], 1.0, 2_000);
    let total: f64 = counts.iter().sum();
    assert!((total - 6_000.0).abs() <= 1.0, "{total}");
    assert!(counts.iter().all(|count| (2.0..=4.0).contains(count)));
}

/// The measured Hurst parameter of 50 sources together, with Pareto periods of this shape.
fn hurst_of_sources(shape: f64, seconds: usize, factors: &[usize]) -> f64 {
    let period = || {
        Distribution::Pareto(Pareto::new(ParetoScale::Mean(Span::from_ms(100)), shape, None).expect("a mean"))
    };
    let source = OnOffParameters {
        rate: Frequency::per_s(100),
        on: period(),
        off: period(),
        spacing: OnOffSpacing::Even,
    };
    let sources = vec![Process::OnOff(source); 50];
    hurst(&counts(&sources, 0.5, 2 * seconds), factors)
}

#[test]
fn pareto_periods_are_self_similar_and_exponential_ones_are_not() {
    // The expected Hurst parameter is (3 - 1.4) / 2 = 0.8; a variance-time plot of a sample of this length is within 0.1 of it.
    let hurst_found = hurst_of_sources(1.4, 2_000, &[1, 2, 4, 8, 16, 32]);
    assert!((hurst_found - 0.8).abs() < 0.1, "{hurst_found}");
    let period = Distribution::Exponential { mean: Span::from_ms(100) };
    let source = OnOffParameters {
        rate: Frequency::per_s(100),
        on: period.clone(),
        off: period,
        spacing: OnOffSpacing::Even,
    };
    let counts = counts(&vec![Process::OnOff(source); 50], 0.5, 4_000);
    let hurst_found = hurst(&counts, &[1, 2, 4, 8, 16, 32]);
    assert!((hurst_found - 0.5).abs() < 0.07, "{hurst_found}");
}

#[test]
#[ignore = "long"]
fn pareto_periods_have_the_hurst_parameter_of_their_shape() {
    // Windows are from 8 to 128 s: the lighter the tail, the longer the windows until only the tail counts.
    for shape in [1.2, 1.4, 1.6] {
        let found = hurst_of_sources(shape, 60_000, &[16, 32, 64, 128, 256]);
        let formula = (3.0 - shape) / 2.0;
        println!("shape {shape}: H {found:.3} for {formula:.3}");
        assert!((found - formula).abs() < 0.06, "shape {shape}: {found} for {formula}");
    }
}

#[test]
fn on_periods_hold_the_arrivals_and_off_periods_none() {
    let values = vec![Span::from_ms(10)];
    let on = Distribution::Empirical(Empirical::new(values, vec![1.0]).expect("a value"));
    let off = Distribution::Fixed(Span::from_ms(90));
    let source = OnOffParameters { rate: Frequency::per_s(1_000), on, off, spacing: OnOffSpacing::Even };
    let gaps = gaps(&Process::OnOff(source), 1, 10_000);
    // There are ten arrivals in each on period: nine gaps of 1 ms, one of 91 ms.
    let long = gaps[1..].iter().filter(|gap| (**gap - 91e6).abs() < 1.0).count();
    let short = gaps[1..].iter().filter(|gap| (**gap - 1e6).abs() < 1.0).count();
    assert_eq!(long + short, 9_999);
    assert!((long as i64 - 1_000).abs() <= 1, "{long}");
}

/// The times of arrivals by a schedule, in ms, at most `most` of them.
fn arrivals_ms(phases: &[Phase], repeats: bool, most: usize) -> Vec<f64> {
    let mut schedule = ArrivalSchedule::new(phases, repeats).expect("a schedule");
    let mut random = RandomStream::new(1, "schedule");
    let gaps = std::iter::from_fn(|| schedule.gap(&mut random)).take(most);
    gaps.scan(0.0, |now, gap| {
        *now += gap.as_ns_f64() / 1e6;
        Some((*now * 1e3).round() / 1e3)
    })
    .collect()
}

fn phase(ms: u64, rate_per_s: u64) -> Phase {
    let process =
        Process::Deterministic(deterministic::DeterministicParameters { rate: Frequency::per_s(rate_per_s) });
    Phase { duration: Span::from_ms(ms), process: (rate_per_s > 0).then_some(process) }
}

#[test]
fn a_schedule_goes_through_its_phases_and_ends_or_repeats() {
    let phases = [phase(3, 1_000), phase(2, 0), phase(1, 2_000)];
    assert_eq!(arrivals_ms(&phases, false, 100), [1.0, 2.0, 3.0, 5.5, 6.0]);
    assert_eq!(arrivals_ms(&phases, true, 8), [1.0, 2.0, 3.0, 5.5, 6.0, 7.0, 8.0, 9.0]);
    assert_eq!(ArrivalSchedule::rate_per_s(&phases), 5.0 / 6e-3);
}

#[test]
fn what_is_left_when_a_phase_ends_comes_when_it_is_there_again() {
    // An arrival comes every 10 ms of the time of a phase of 3 ms, which begins every 5 ms.
    let phases = [phase(3, 100), phase(2, 0)];
    assert_eq!(arrivals_ms(&phases, true, 4), [16.0, 32.0, 48.0, 66.0]);
}

#[test]
fn rounds_in_which_nothing_arrives_take_no_time() {
    let mut tiny = phase(1, 1);
    tiny.duration = Span::from_ns(1);
    // The schedule has a second of phases of a nanosecond each.
    let phases = [tiny, Phase { duration: Span::from_ns(1), process: None }];
    assert_eq!(arrivals_ms(&phases, true, 2), [2_000.0, 4_000.0]);
    let never = [Phase { duration: Span::from_ms(1), process: None }];
    assert!(ArrivalSchedule::new(&never, true).is_none() && ArrivalSchedule::new(&[], true).is_none());
}

#[test]
fn keys_that_say_nothing_sensible_are_refused() {
    let refused = |report: Result<String, sansim_schema::report::ProblemReport>, because: &str| {
        let report = report.expect_err(because).to_string();
        assert!(report.contains(because), "{report}");
    };
    let context = Facts::default();
    let poisson = poisson::PoissonParameters::from_toml("rate = \"0/s\"", &context);
    refused(poisson.map(|_| String::new()), "must be at least 0.000001/s");
    let renewal = renewal::RenewalParameters::from_toml("gap = \"0 ns\"", &context);
    refused(renewal.map(|_| String::new()), "at least 1 ns on the average");
    let one = MmppParameters::from_toml("rates = [\"1/s\"]\nsojourns = [\"1 s\"]", &context);
    refused(one.map(|_| String::new()), "needs at least 2");
    for unreadable in [
        deterministic::DeterministicParameters::unreadable_defaults,
        poisson::PoissonParameters::unreadable_defaults,
        normal::NormalParameters::unreadable_defaults,
        uniform::UniformParameters::unreadable_defaults,
        gamma::GammaParameters::unreadable_defaults,
        hyperexponential::HyperexponentialParameters::unreadable_defaults,
        renewal::RenewalParameters::unreadable_defaults,
        MmppParameters::unreadable_defaults,
        OnOffParameters::unreadable_defaults,
        BModelParameters::unreadable_defaults,
    ] {
        assert_eq!(unreadable(&context), Vec::<&str>::new());
    }
}

#[test]
fn keys_that_contradict_each_other_are_told_with_what_to_do() {
    let mmpp = checked::<MmppParameters>;
    assert!(
        mmpp("rates = [\"1/s\", \"2/s\"]\nsojourns = [\"1 s\", \"1 s\", \"1 s\"]")
            .contains("not as many sojourns as rates")
    );
    assert!(
        mmpp("rates = [\"0/s\", \"0/s\"]\nsojourns = [\"1 s\", \"1 s\"]")
            .contains("hardly anything ever arrives")
    );
    assert_eq!(mmpp("rates = [\"0/s\", \"1/s\"]\nsojourns = [\"1 s\", \"1 s\"]"), "");
    let on_off = |on: &str, rate: &str| {
        checked::<OnOffParameters>(&format!("rate = \"{rate}\"\non = {on}\noff = \"1 s\""))
    };
    let tail = "{ distribution = \"pareto\", least = \"1 ms\", shape = 0.9 }";
    assert!(on_off(tail, "500/s").contains("a period needs a mean"));
    assert!(on_off("\"1 us\"", "1/s").contains("hardly anything ever arrives"));
    assert_eq!(on_off("\"1 s\"", "1/s"), "");
    let b_model = checked::<BModelParameters>;
    assert!(b_model("rate = \"1/h\"\nspan = \"1 s\"").contains("less than one arrives in a span"));
    assert!(b_model("rate = \"10000000/s\"\nspan = \"1 us\"\nlevels = 12").contains("below a nanosecond"));
    assert_eq!(b_model("rate = \"500/s\""), "");
}

#[test]
fn the_first_gaps_never_change() {
    // The time of the thousandth arrival, in ticks, is the same on every machine, as stored results depend on it.
    let thousandth = |process: &Process| {
        let (mut random, mut arrivals) = (RandomStream::new(1, "arrivals"), process.generator());
        (0..1_000).map(|_| arrivals.gap(&mut random).ticks()).sum::<u64>()
    };
    assert_eq!(all().iter().map(thousandth).collect::<Vec<_>>(), THOUSANDTH);
}

const THOUSANDTH: [u64; 10] = [
    1_122_000_000_000,
    1_105_829_554_123,
    1_104_570_229_235,
    1_117_186_588_874,
    1_138_991_031_887,
    1_065_670_487_635,
    1_061_800_346_991,
    1_140_326_283_525,
    1_253_089_986_733,
    1_121_620_280_675,
];

use super::interval::ratio_interval;
use super::*;
use crate::random::RandomStream;
use crate::time::{Span, TICKS_PER_NS, Time};

#[test]
fn an_interval_of_few_values_is_the_textbook_one() {
    // The values have mean 3 and variance 2.5; t(0.975, 4) = 2.776445.
    let interval = mean_interval(&[1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(interval.estimate, 3.0);
    assert_eq!(interval.batches, 5);
    assert!((interval.half_width_95 - 2.776_445 * (2.5_f64 / 5.0).sqrt()).abs() < 1e-12);
    // The sum of products of neighbours is (-2)(-1) + (-1)(0) + (0)(1) + (1)(2), over a sum of squares of 10.
    assert!((interval.lag1 - 0.4).abs() < 1e-12);
}

#[test]
fn an_interval_of_any_number_of_batches_has_95_percent_of_student_t_within() {
    for count in 2..=39_usize {
        // Neighbouring values are opposite, so that no interval is widened.
        let values: Vec<f64> = (0..count).map(|i| 10.0 + if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let interval = mean_interval(&values);
        assert_eq!((interval.batches, interval.parts_per_batch), (count, 1));
        let squares: f64 = values.iter().map(|value| (value - interval.estimate).powi(2)).sum();
        let degrees = (count - 1) as f64;
        let t = interval.half_width_95 / (squares / degrees / count as f64).sqrt();
        // With t = sqrt(n) tan(angle) the density becomes cos(angle)^(n - 1). The integral is computed by
        // Simpson's rule.
        let below = |angle: f64| {
            const STEPS: u32 = 2_000;
            let weight = |step: u32| match step {
                0 | STEPS => 1.0,
                odd if odd % 2 == 1 => 4.0,
                _ => 2.0,
            };
            let at = |step: u32| (angle * f64::from(step) / f64::from(STEPS)).cos().powf(degrees - 1.0);
            angle / f64::from(3 * STEPS) * (0..=STEPS).map(|step| weight(step) * at(step)).sum::<f64>()
        };
        let within = below((t / degrees.sqrt()).atan()) / below(std::f64::consts::FRAC_PI_2);
        assert!((within - 0.95).abs() < 1e-6, "{count} values: {t} holds {within}");
    }
}

#[test]
fn what_makes_no_whole_batch_is_left_out_at_the_beginning() {
    // The 41 values make 20 batches of two, and one value is left over. The variance between batches vanishes if the
    // value that is left over is the first.
    let mut values = vec![1.0; 41];
    values[0] = 100.0;
    let first = mean_interval(&values);
    assert_eq!((first.batches, first.parts_per_batch, first.estimate), (20, 2, 140.0 / 41.0));
    assert!(first.cut > 0.0 && (first.half_width_95 - first.cut).abs() < 1e-12, "{first:?}");
    values.reverse();
    let last = mean_interval(&values);
    assert!(last.half_width_95 > last.cut + 1.0, "{last:?}");
}

#[test]
fn parts_are_taken_for_independent_up_to_a_correlation_of_three_tenths_unless_they_hardly_vary() {
    // The series has a hundred values of +1 and -1 about a mean. With `changes` changes of sign, the correlation of neighbours is
    // (99 - 2 changes) / 100.
    let values = |mean: f64, changes: usize| -> Vec<f64> {
        let alternate = changes - 1;
        let deviation = |i: usize| match i {
            i if i < alternate => [1.0, -1.0][i % 2],
            i => [1.0, -1.0][usize::from(i >= alternate + (100 - alternate) / 2)],
        };
        (0..100).map(|i| mean + deviation(i)).collect()
    };
    let (little, much) = (mean_interval(&values(10.0, 35)), mean_interval(&values(10.0, 33)));
    assert!((little.parts_lag1 - 0.29).abs() < 1e-9 && (much.parts_lag1 - 0.33).abs() < 1e-9, "{much:?}");
    assert_eq!((little.estimate, little.parts_per_batch), (10.0, 5));
    assert!(little.looks_independent() && little.is_trusted(), "{little:?}");
    assert!(!much.looks_independent() && !much.is_trusted(), "{much:?}");
    // An error of an interval of a ten-thousandth does not matter.
    for (relative, trusted) in [(1.1e-4, false), (0.9e-4, true)] {
        let steady = mean_interval(&values(much.half_width_95 / relative, 33));
        assert!((steady.relative_half_width() / relative - 1.0).abs() < 1e-6, "{steady:?}");
        assert_eq!((steady.looks_independent(), steady.is_trusted()), (trusted, trusted), "{relative}");
    }
    // For values below zero the absolute value counts.
    let negative = mean_interval(&values(-10.0, 33));
    assert!(
        (negative.relative_half_width() / much.relative_half_width() - 1.0).abs() < 1e-9
            && !negative.is_trusted()
    );
    // Fewer than 64 parts give no information about correlation.
    assert!(!mean_interval(&values(10.0, 35)[..63]).is_trusted());
}

#[test]
fn an_interval_of_next_to_nothing_admits_it() {
    assert_eq!(mean_interval(&[]).half_width_95, f64::INFINITY);
    let one = mean_interval(&[4.0]);
    assert_eq!((one.estimate, one.half_width_95, one.batches), (4.0, f64::INFINITY, 1));
    let constant = mean_interval(&[4.0; 1_000]);
    assert_eq!((constant.estimate, constant.half_width_95, constant.lag1), (4.0, 0.0, 0.0));
}

#[test]
fn every_value_counts_for_the_mean() {
    let values: Vec<f64> = (0..59).map(f64::from).collect();
    let interval = mean_interval(&values);
    assert_eq!((interval.estimate, interval.batches, interval.parts), (29.0, 29, 59));
}

/// An autoregressive series with the mean `mean`: each value keeps `keep` of the deviation of the value before. The
/// series starts `start` away from its mean.
fn autoregressive(stream: &mut RandomStream, count: usize, mean: f64, keep: f64, start: f64) -> Vec<f64> {
    let mut deviation = start;
    (0..count)
        .map(|_| {
            deviation = keep * deviation + stream.normal(0.0, 1.0);
            mean + deviation
        })
        .collect()
}

/// The percentage of 1,000 replications in which the interval after automatic warm-up removal contains the true
/// mean.
fn coverage(truth: f64, series: impl Fn(&mut RandomStream) -> Vec<f64>) -> f64 {
    const REPLICATIONS: u64 = 1_000;
    let hits = (0..REPLICATIONS).filter(|replication| {
        let values = series(&mut RandomStream::new(*replication, "coverage"));
        let interval = mean_interval(&values[mser5(&values)..]);
        (interval.estimate - truth).abs() <= interval.half_width_95
    });
    hits.count() as f64 * 100.0 / REPLICATIONS as f64
}

#[test]
fn the_interval_covers_the_mean_of_a_correlated_series() {
    let covered = coverage(10.0, |stream| autoregressive(stream, 10_000, 10.0, 0.9, 0.0));
    assert!((93.0..=97.0).contains(&covered), "{covered} %");
}

#[test]
fn the_interval_covers_the_mean_of_a_series_with_a_long_warm_up() {
    let covered = coverage(10.0, |stream| autoregressive(stream, 10_000, 10.0, 0.95, 300.0));
    assert!((93.0..=97.0).contains(&covered), "{covered} %");
}

#[test]
fn independent_values_have_no_lag_1_correlation_to_speak_of() {
    let mut sum = 0.0;
    for replication in 0..200 {
        let mut stream = RandomStream::new(replication, "lag");
        sum += mean_interval(&autoregressive(&mut stream, 1_000, 0.0, 0.0, 0.0)).lag1;
    }
    // The expected correlation is -1 / batches (20 of 62 parts); its standard deviation over 200 replications is about
    // 0.015.
    assert!((sum / 200.0 + 1.0 / 20.0).abs() < 0.05, "{}", sum / 200.0);
}

#[test]
fn warm_up_is_found_where_it_ends() {
    // The series has 100 values of a falling ramp, then a constant level.
    let mut stream = RandomStream::new(1, "ramp");
    let series: Vec<f64> =
        (0..2_000).map(|i| f64::from((100 - i).max(0)) + stream.normal(0.0, 1.0)).collect();
    let truncation = mser5(&series);
    assert!((95..=130).contains(&truncation), "{truncation}");
    assert_eq!(truncation % 5, 0);
}

#[test]
fn a_series_without_warm_up_keeps_nearly_everything() {
    let mut stream = RandomStream::new(2, "level");
    let truncation = mser5(&autoregressive(&mut stream, 5_000, 3.0, 0.0, 0.0));
    assert!(truncation <= 500, "{truncation}");
    assert_eq!(mser5(&[1.0; 1_000]), 0);
}

#[test]
fn warm_up_removal_never_takes_more_than_half_nor_fails_on_short_series() {
    for count in 0..40 {
        let falling: Vec<f64> = (0..count).map(|i| 1_000.0 - f64::from(i)).collect();
        assert!(mser5(&falling) * 2 <= falling.len(), "{count}");
    }
}

#[test]
fn what_is_left_of_correlation_between_parts_widens_the_interval() {
    // The 63 values make 21 batches of three. The deviations come in pairs: neighbours correlate by about a
    // half.
    let pairs: Vec<f64> = (0..63).map(|i| if (i / 2) % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let slow: Vec<f64> = (0..63).map(|i| if (i / 12) % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let (pairs, slow) = (mean_interval(&pairs), mean_interval(&slow));
    assert_eq!((pairs.batches, pairs.parts, pairs.parts_per_batch), (21, 63, 3));
    assert!(slow.parts_lag1 > 0.8 && !slow.looks_independent() && !slow.is_trusted(), "{slow:?}");
    assert!(pairs.looks_independent() && !pairs.has_enough_observations(), "{pairs:?}");
    // In a first-order process with correlation k, the variance of the mean is (1 + k) / (1 - k) times the variance that
    // the values suggest.
    let k: f64 = 0.5;
    let of_single_parts = super::interval::left_over(k - 0.01, 100, 1);
    assert!((of_single_parts - (1.0 + k) / (1.0 - k)).abs() < 1e-12, "{of_single_parts}");
    assert!(super::interval::left_over(k, 100, 1_000) < 1.003);
    assert_eq!(super::interval::left_over(-0.5, 100, 3), 1.0);
}

#[test]
fn correlated_values_have_a_wider_interval_than_independent_ones_of_the_same_spread() {
    // There are 24 values, each a batch: six of +1, six of -1, and both again. The mean is 0 and the variance 24 / 23. There are 20 equal
    // and 3 opposite pairs among the 23 pairs of neighbours: the correlation is 17 / 24, and without the bias of -1 / 24 it is three
    // quarters. The mean of a first-order process with that correlation has (1 + 3/4) / (1 - 3/4) = 7 times the variance of the mean of
    // independent values. t(0.975, 23) = 2.068658.
    let slow: Vec<f64> = (0..24).map(|i| if (i / 6) % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let interval = mean_interval(&slow);
    assert_eq!((interval.estimate, interval.batches, interval.parts_per_batch), (0.0, 24, 1));
    assert!((interval.parts_lag1 - 17.0 / 24.0).abs() < 1e-12, "{interval:?}");
    assert!((interval.half_width_95 - 2.068_658 * (7.0_f64 / 23.0).sqrt()).abs() < 1e-6, "{interval:?}");
    // The same values alternate: opposite neighbours never widen the interval.
    let alternating: Vec<f64> = (0..24).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let narrow = mean_interval(&alternating).half_width_95;
    assert!((narrow - 2.068_658 * (1.0_f64 / 23.0).sqrt()).abs() < 1e-6, "{narrow}");
}

#[test]
fn batches_of_several_parts_are_widened_by_what_they_do_not_hold_of_the_correlation() {
    // The variances of sums of a first-order process are used: for all values (1 + k) / (1 - k) times the variance of
    // independent values, for one batch of m values 1 + 2 sum (1 - j / m) k^j times.
    for (k, m) in [(0.3_f64, 3_usize), (0.5, 4), (0.85, 5)] {
        let of_batch: f64 =
            1.0 + 2.0 * (1..m).map(|j| (1.0 - j as f64 / m as f64) * k.powi(j as i32)).sum::<f64>();
        let expected = (1.0 + k) / (1.0 - k) / of_batch;
        let found = super::interval::left_over(k - 0.01, 100, m);
        assert!((found - expected).abs() < 1e-9, "{k}, {m}: {found}, {expected}");
    }
    // An estimate as high as this shows only that the correlation is high; it widens the interval, but not
    // without bound.
    let [high, higher] = [0.95, 1.0].map(|lag1| super::interval::left_over(lag1, 100, 1));
    assert!(high == higher && high < 20.0, "{high}, {higher}");
}

#[test]
fn the_interval_of_a_short_series_covers_although_its_batches_hang_together() {
    // The 127 values make 21 batches of six: the correlation 0.5 of neighbours reaches from batch to batch. If they were
    // regarded as independent, these batches would give intervals that contain the mean in 92 of 100 runs.
    const REPLICATIONS: u64 = 4_000;
    let hits = (0..REPLICATIONS).filter(|replication| {
        let values = autoregressive(&mut RandomStream::new(*replication, "near"), 127, 10.0, 0.5, 0.0);
        let interval = mean_interval(&values);
        (interval.estimate - 10.0).abs() <= interval.half_width_95
    });
    let covered = hits.count() as f64 * 100.0 / REPLICATIONS as f64;
    assert!((93.0..=97.0).contains(&covered), "{covered} %");
}

#[test]
fn a_rate_is_the_ratio_of_two_sums_however_they_are_spread() {
    // There are 100 stretches of 1 to 3 seconds with about 50 completions per second.
    let mut stream = RandomStream::new(1, "rate");
    let parts: Vec<(f64, f64)> = (0..100)
        .map(|_| {
            let seconds = stream.uniform(1.0, 3.0);
            (50.0 * seconds + stream.normal(0.0, 5.0), seconds)
        })
        .collect();
    let whole = parts.iter().fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
    let interval = ratio_interval(&parts, whole);
    assert_eq!(interval.estimate, whole.0 / whole.1);
    // The standard deviation is 5 in each stretch: 1.96 * 5 * sqrt(100) / 200 s.
    assert!((0.3..0.8).contains(&interval.half_width_95), "{interval:?}");
    assert!((interval.estimate - 50.0).abs() < interval.half_width_95);
    let exact: Vec<(f64, f64)> = parts.iter().map(|part| (part.1 * 50.0, part.1)).collect();
    assert!(ratio_interval(&exact, whole).half_width_95 < 1e-9);
}

/// Observations of exponential durations, one in each microsecond, with alternating kinds.
fn observed(expected: u64, count: u64) -> Observations<2> {
    let mut stream = RandomStream::new(3, "durations");
    let mut observations = Observations::new(expected);
    for number in 0..count {
        let duration = Span((stream.exponential(50_000.0) * TICKS_PER_NS as f64) as u64);
        observations.add(Time::ZERO + Span::from_us(number + 1), (number % 2) as usize, duration, 7);
    }
    observations
}

#[test]
fn what_is_learned_does_not_depend_on_how_many_observations_were_expected() {
    for (count, expected) in
        [63, 64, 127, 128, 1_000, 12_345].into_iter().flat_map(|n| [(n, n / 40), (n, n * 40)])
    {
        let end = Time::ZERO + Span::from_us(count);
        let (known, other) = (observed(count, count), observed(expected, count));
        assert_eq!((known.part_size(), known.count()), (other.part_size(), other.count()));
        assert_eq!(
            known.rates(Time::ZERO, end, Edges::Completions),
            other.rates(Time::ZERO, end, Edges::Completions)
        );
        for kinds in [vec![0], vec![1], vec![0, 1]] {
            let [a, b] = [&known, &other].map(|o| o.series(&kinds, &[50.0, 90.0, 99.0, 99.9]));
            assert_eq!(
                (a.count, a.amount, a.mean_ns, a.percentiles),
                (b.count, b.amount, b.mean_ns, b.percentiles)
            );
            assert_eq!(a.histogram, b.histogram);
        }
    }
}

#[test]
fn a_series_is_what_was_observed() {
    let observations = observed(5_000, 5_000);
    let mut stream = RandomStream::new(3, "durations");
    let durations: Vec<f64> = (0..5_000)
        .map(|_| (stream.exponential(50_000.0) * TICKS_PER_NS as f64) as u64 as f64 / 561.0)
        .collect();
    let all = observations.series(&[0, 1], &[50.0, 90.0, 99.0, 99.9]);
    assert_eq!((all.count, all.amount, all.histogram.len()), (5_000, 35_000, 5_000));
    let by_values = mean_interval(&durations);
    assert!((all.mean_ns.estimate / by_values.estimate - 1.0).abs() < 1e-12);
    assert!((all.mean_ns.half_width_95 / by_values.half_width_95 - 1.0).abs() < 1e-9);
    assert_eq!((all.mean_ns.batches, all.mean_ns.parts), (by_values.batches, by_values.parts));
    // Five observations beyond the 99.9th percentile are too few.
    assert!(all.percentiles[..3].iter().all(Option::is_some) && all.percentiles[3].is_none());
    for (percent, interval) in [50.0, 90.0, 99.0].into_iter().zip(&all.percentiles) {
        let (low, high) = interval.expect("enough observations");
        let truth = -50_000.0 * (1.0 - percent / 100.0_f64).ln();
        assert!((low as f64) < truth && truth < high as f64, "{percent}: {low} to {high}");
        let estimate = all.histogram.percentile(percent);
        assert!((low..=high).contains(&estimate));
    }
    let [rate, amounts] =
        observations.rates(Time::ZERO, Time::ZERO + Span::from_us(5_000), Edges::Completions);
    assert!((rate.estimate - 1e6).abs() < 1e-3 && rate.half_width_95 < 1e-3, "{rate:?}");
    assert!((amounts.estimate - 7e6).abs() < 1e-2, "{amounts:?}");
}

#[test]
fn a_percentile_within_equal_values_is_known_and_one_beyond_all_is_not() {
    let mut observations = Observations::<1>::new(2_000);
    for number in 0..2_000 {
        let ns = if number % 3 == 0 { 1_000 } else { 2_000 };
        observations.add(Time::ZERO + Span::from_us(number + 1), 0, Span::from_ns(ns), 0);
    }
    let series = observations.series(&[0], &[20.0, 50.0, 99.0, 99.9]);
    assert_eq!(series.percentiles, [Some((1_000, 1_000)), Some((2_000, 2_000)), Some((2_000, 2_000)), None]);
    let none = Observations::<1>::new(0).series(&[0], &[50.0]);
    assert_eq!((none.count, none.mean_ns.estimate, none.percentiles), (0, 0.0, vec![None]));
}

#[test]
fn a_percentile_within_a_few_bursts_has_no_interval() {
    // Among 2,000 observations 30 are slow, one and a half per cent: enough for the 99th percentile to lie among them. Slow observations
    // that are spread evenly locate the percentile; slow observations in one place leave it open whether one in a hundred is slow, or one
    // in thirty.
    let series = |is_slow: fn(u64) -> bool| {
        let mut observations = Observations::<1>::new(2_000);
        for number in 0..2_000 {
            let ns =
                if is_slow(number) { 1_000_000 + 1_000 * number } else { 1_000 + 7_919 * number % 2_000 };
            observations.add(Time::ZERO + Span::from_us(number + 1), 0, Span::from_ns(ns), 0);
        }
        observations.series(&[0], &[50.0, 99.0])
    };
    let (even, burst) =
        (series(|number| number % 66 == 10), series(|number| (1_000..1_030).contains(&number)));
    assert_eq!(
        (even.histogram.percentile(99.0) > 1_000_000, burst.histogram.percentile(99.0) > 1_000_000),
        (true, true)
    );
    assert!(even.percentiles[1].is_some(), "{:?}", even.percentiles);
    assert_eq!(burst.percentiles[1], None);
    assert!(burst.percentiles[0].is_some(), "the median is not touched");
}

#[test]
fn a_rare_kind_has_a_mean_but_no_interval() {
    let mut observations = Observations::<2>::new(1_000);
    for number in 0..1_000 {
        let kind = usize::from(number % 100 == 0);
        observations.add(Time::ZERO + Span::from_us(number + 1), kind, Span::from_us(number), 1);
    }
    let rare = observations.series(&[1], &[50.0]);
    assert_eq!((rare.count, rare.percentiles), (10, vec![None]));
    assert_eq!(rare.mean_ns.half_width_95, f64::INFINITY);
    assert!((rare.mean_ns.estimate - 450_000.0).abs() < 1e-6);
    assert!(observations.series(&[0], &[]).mean_ns.half_width_95.is_finite());
}

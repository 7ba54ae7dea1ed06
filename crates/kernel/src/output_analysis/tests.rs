use super::*;
use crate::random::RandomStream;

#[test]
fn an_interval_of_few_values_is_the_textbook_one() {
    // Mean 3, variance 2.5, t(0.975, 4) = 2.776445.
    let interval = mean_interval(&[1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(interval.mean, 3.0);
    assert_eq!(interval.batches, 5);
    assert!((interval.half_width_95 - 2.776_445 * (2.5_f64 / 5.0).sqrt()).abs() < 1e-12);
    // (-2)(-1) + (-1)(0) + (0)(1) + (1)(2) over 10.
    assert!((interval.lag1 - 0.4).abs() < 1e-12);
}

#[test]
fn an_interval_of_next_to_nothing_admits_it() {
    assert_eq!(mean_interval(&[]).half_width_95, f64::INFINITY);
    let one = mean_interval(&[4.0]);
    assert_eq!((one.mean, one.half_width_95, one.batches), (4.0, f64::INFINITY, 1));
    let constant = mean_interval(&[4.0; 1_000]);
    assert_eq!((constant.mean, constant.half_width_95, constant.lag1), (4.0, 0.0, 0.0));
}

#[test]
fn every_value_counts_for_the_mean() {
    let values: Vec<f64> = (0..59).map(f64::from).collect();
    let interval = mean_interval(&values);
    assert_eq!((interval.mean, interval.batches), (29.0, 20));
}

/// An autoregressive series of mean `mean`: each value keeps `keep` of the deviation of the one before. It starts `start`
/// away from its mean.
fn autoregressive(stream: &mut RandomStream, count: usize, mean: f64, keep: f64, start: f64) -> Vec<f64> {
    let mut deviation = start;
    (0..count)
        .map(|_| {
            deviation = keep * deviation + stream.normal(0.0, 1.0);
            mean + deviation
        })
        .collect()
}

/// Times in system of an M/M/1 queue of load 0.7 (mean service 1, so mean time 1 / 0.3) by Lindley's recurrence; the
/// first customer finds `backlog` to be served first.
fn mm1(stream: &mut RandomStream, count: usize, backlog: f64) -> Vec<f64> {
    let mut wait = backlog;
    (0..count)
        .map(|_| {
            let service = stream.exponential(1.0);
            let time = wait + service;
            wait = (time - stream.exponential(1.0 / 0.7)).max(0.0);
            time
        })
        .collect()
}

/// In how many of 1,000 replications the interval after automatic warm-up removal holds the true mean, in percent.
fn coverage(truth: f64, series: impl Fn(&mut RandomStream) -> Vec<f64>) -> f64 {
    const REPLICATIONS: u64 = 1_000;
    let hits = (0..REPLICATIONS).filter(|replication| {
        let values = series(&mut RandomStream::new(*replication, "coverage"));
        let interval = mean_interval(&values[mser5(&values)..]);
        (interval.mean - truth).abs() <= interval.half_width_95
    });
    hits.count() as f64 * 100.0 / REPLICATIONS as f64
}

#[test]
fn the_interval_covers_the_mean_of_a_correlated_series() {
    let covered = coverage(10.0, |stream| autoregressive(stream, 10_000, 10.0, 0.9, 0.0));
    assert!((90.0..=99.0).contains(&covered), "{covered} %");
}

#[test]
fn the_interval_covers_the_mean_of_a_series_with_a_long_warm_up() {
    let covered = coverage(10.0, |stream| autoregressive(stream, 10_000, 10.0, 0.95, 300.0));
    assert!((90.0..=99.0).contains(&covered), "{covered} %");
}

#[test]
fn the_interval_covers_the_mean_of_a_queue_that_starts_with_a_backlog() {
    let covered = coverage(1.0 / 0.3, |stream| mm1(stream, 20_000, 200.0));
    assert!((90.0..=99.0).contains(&covered), "{covered} %");
}

#[test]
fn independent_values_have_no_lag_1_correlation_to_speak_of() {
    let mut sum = 0.0;
    for replication in 0..200 {
        let mut stream = RandomStream::new(replication, "lag");
        sum += mean_interval(&autoregressive(&mut stream, 1_000, 0.0, 0.0, 0.0)).lag1;
    }
    // Its expected value is -1 / batches; its standard deviation over 200 replications is about 0.015.
    assert!((sum / 200.0 + 1.0 / 20.0).abs() < 0.05, "{}", sum / 200.0);
}

#[test]
fn warm_up_is_found_where_it_ends() {
    // 100 values of a falling ramp, then a level.
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

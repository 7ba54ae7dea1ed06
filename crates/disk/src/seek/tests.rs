//! Tests of seek curves against the values that they were made of.

use super::*;
use proptest::prelude::*;

fn ms(ms: f64) -> Span {
    Span::from_ns_f64(ms * 1e6)
}

fn three_point(single: f64, average: f64, full: f64) -> Seek {
    Seek::ThreePoint(ThreePoint { single: ms(single), average: ms(average), full: ms(full) })
}

fn near(got: Span, wanted: f64, share: f64) -> bool {
    (got.as_ns_f64() / 1e6 / wanted - 1.0).abs() <= share
}

#[test]
fn the_three_points_of_a_data_sheet_come_out_again() {
    let curve = three_point(1.0, 9.0, 18.0).seek_curve(10_000).expect("a curve");
    assert_eq!(curve.seek_time(0), Span::ZERO);
    assert_eq!(curve.seek_time(1), ms(1.0));
    // The fact sheet's numeric check gives a mean of 8.998 ms for a nominal 9.0 ms.
    assert!(near(curve.mean_seek_time(), 8.998, 0.0001), "{}", curve.mean_seek_time());
    assert!(near(curve.seek_time(9_999), 18.0, 0.001), "{}", curve.seek_time(9_999));
}

#[test]
fn points_that_no_curve_has_are_refused_with_what_would_do() {
    let low = three_point(1.0, 5.0, 18.0).seek_curve(5_000).expect_err("less than a straight line has");
    assert!(low.contains("6.667 ms or more, not 5 ms"), "{low}");
    let high = three_point(1.0, 12.0, 18.0).seek_curve(5_000).expect_err("more than a root has");
    assert!(high.contains("10.067 ms or less, not 12 ms"), "{high}");
}

#[test]
fn measured_points_are_joined_by_lines_and_the_last_goes_on() {
    let points = vec![(1, ms(1.0)), (11, ms(2.0)), (21, ms(2.5))];
    let curve = Seek::Measured(MeasuredSeek { points }).seek_curve(100).expect("a curve");
    let got = [0, 1, 6, 11, 16, 21, 41].map(|distance| curve.seek_time(distance));
    assert_eq!(got, [0.0, 1.0, 1.5, 2.0, 2.25, 2.5, 3.5].map(ms));
}

#[test]
fn a_curve_that_falls_is_refused_wherever_it_comes_from() {
    let points = vec![(1, ms(1.0)), (11, ms(2.0)), (21, ms(1.9))];
    let fault = Seek::Measured(MeasuredSeek { points }).seek_curve(100).expect_err("it falls");
    assert!(
        fault.contains("over 21 cylinders would take less than one over 11: 1.9 ms after 2 ms"),
        "{fault}"
    );
    let root = SquareRoot { boundary: 50, near: [ms(1.0), ms(1.0)], far: [ms(1.0), ms(0.01)], single: None };
    let fault = Seek::SquareRoot(root).seek_curve(100).expect_err("it falls at the boundary");
    assert!(fault.contains("over 50 cylinders would take less than one over 49"), "{fault}");
    for points in [vec![(1, ms(1.0))], vec![(2, ms(1.0)), (3, ms(2.0))], vec![(1, ms(1.0)), (1, ms(2.0))]] {
        Seek::Measured(MeasuredSeek { points }).seek_curve(100).expect_err("points that make no curve");
    }
}

#[test]
fn the_square_root_of_the_hp_97560_is_that_of_its_authors() {
    let curve = crate::presets::Preset::Hp97560.preset_data().seek.seek_curve(1_962).expect("a curve");
    // The time is 3.24 + 0.400 sqrt(100) ms below 383 cylinders, and 8.00 + 0.008 * 1000 ms above.
    assert_eq!((curve.seek_time(100), curve.seek_time(1_000)), (ms(7.24), ms(16.0)));
}

proptest! {
    #[test]
    fn a_longer_seek_never_takes_less_in_any_curve_that_is_taken(
        single in 0.0..5.0_f64, average in 0.0..15.0_f64, full in 0.0..30.0_f64, cylinders in 2_u32..3_000,
        measured in prop::collection::vec((1_u32..50, 0.0..3.0_f64), 2..9),
        root in (1_u32..3_000, [0.0..5.0_f64, 0.0..1.0], [0.0..20.0_f64, 0.0..0.1]),
    ) {
        let mut at = 0;
        let points = measured.into_iter().enumerate()
            .map(|(number, (step, time))| { at += if number == 0 { 1 } else { step }; (at, ms(time)) }).collect();
        let (boundary, near, far) = root;
        let root = SquareRoot { boundary, near: near.map(ms), far: far.map(ms), single: None };
        for seek in [three_point(single, average, full), Seek::Measured(MeasuredSeek { points }), Seek::SquareRoot(root)] {
            if let Ok(curve) = seek.seek_curve(cylinders) {
                prop_assert!((1..cylinders).all(|distance| curve.seek_time(distance) >= curve.seek_time(distance - 1)));
                prop_assert_eq!(curve.seek_time(u32::MAX), curve.seek_time(cylinders - 1));
            }
        }
    }

    #[test]
    fn the_average_of_three_points_is_that_of_all_pairs_of_cylinders(
        single in 0.3..2.0_f64, average_share in 0.42..0.52_f64, full in 8.0..25.0_f64, cylinders in 2_000_u32..80_000,
    ) {
        let average = single + average_share * (full - single);
        let curve = three_point(single, average, full).seek_curve(cylinders).expect("a curve");
        prop_assert!(near(curve.mean_seek_time(), average, 0.002), "{} for {average} ms", curve.mean_seek_time());
    }
}

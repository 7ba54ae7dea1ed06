//! Tests of slow clocks and unreadable sectors by themselves.

use super::clock::{Clock, NORMAL};
use super::sectors::Sectors;
use super::*;
use sansim_kernel::{RandomStream, Time, Total};

#[test]
fn what_a_slow_clock_shows_it_shows_at_that_very_instant() {
    let mut random = RandomStream::new(1, "clock");
    for _ in 0..10_000 {
        let mut clock = Clock::default();
        clock.set_clock_pace(Time(random.draw_below(1_000_000)), NORMAL + random.draw_below(100_000));
        let now = Time(1_000_000 + random.draw_below(1_000_000_000));
        let own = clock.medium_clock_time(now);
        let ahead = own + Span(random.draw_below(1_000_000_000));
        let at = clock.simulated_time_of(ahead, now);
        assert_eq!(clock.medium_clock_time(at), ahead);
        assert!(at == now || clock.medium_clock_time(Time(at.0 - 1)) < ahead || ahead == own, "no earlier");
    }
}

#[test]
fn a_clock_that_is_slow_for_a_while_loses_what_it_was_slow_by() {
    let mut clock = Clock::default();
    let at = |us: u64| Time::ZERO + Span::from_us(us);
    clock.set_clock_pace(at(100), 4_000);
    assert_eq!(
        (clock.medium_clock_time(at(500)), clock.simulated_time_of(at(200), at(500))),
        (at(200), at(500))
    );
    clock.set_clock_pace(at(500), NORMAL);
    assert_eq!(
        (clock.medium_clock_time(at(600)), clock.simulated_time_of(at(400), at(600))),
        (at(300), at(700))
    );
}

#[test]
fn times_at_work_are_stretched_as_long_as_the_drive_is_slow() {
    let at = |us: u64| Time::ZERO + Span::from_us(us);
    let mut slowness = Slowness::default();
    // The busy time of a medium that always works.
    let told = |own: Time, _: usize| Total::from(own - Time::ZERO);
    assert!(slowness.make_slow(at(100), 3_000, 1, told));
    assert!(!slowness.make_slow(at(150), 3_000, 1, told), "no other pace");
    assert!(slowness.repair(at(400), 1, told));
    assert_eq!(slowness.medium_clock_time(at(500)), at(300));
    assert_eq!(
        slowness.busy_simulated_time(0, told(slowness.medium_clock_time(at(500)), 0)),
        Total::from(Span::from_us(500))
    );
}

#[test]
fn phases_have_their_mean_lengths() {
    let (every, lasts) = (Span::from_ms(9), Span::from_ms(1));
    let parameters = FaultParameters {
        slow_every: Some(every),
        slow_for: lasts,
        slow_factor: 2.0,
        ..FaultParameters::default()
    };
    let mut slowness = Slowness::new(&parameters, 7, "phases");
    let end = Time::ZERO + Span::from_s(1_000);
    slowness.catch_up(end, 0, |_, _| Total::ZERO);
    // A tenth of the time passes at half the pace, so the clock shows 950 of 1000 s. Four standard deviations of 100,000 cycles are below
    // 0.1 %.
    let own = (slowness.medium_clock_time(end) - Time::ZERO).as_s_f64();
    assert!((own / 950.0 - 1.0).abs() < 0.001, "{own}");
    assert!(slowness.next_phase_change() > end);
}

#[test]
fn what_is_lost_cannot_be_read_until_it_is_written() {
    let mut sectors = Sectors::default();
    sectors.make_unreadable(4096, 1024);
    assert_eq!((sectors.read_sectors(0, 4096), sectors.read_sectors(0, 4097)), (None, Some(4096)));
    assert_eq!((sectors.read_sectors(4608, 512), sectors.read_sectors(5120, 512)), (Some(0), None));
    sectors.make_readable(4096, 512);
    assert_eq!((sectors.read_sectors(4096, 512), sectors.read_sectors(4096, 1024)), (None, Some(512)));
    sectors.make_unreadable(0, 1 << 20);
    sectors.make_readable(512, 512);
    assert_eq!([0, 512, 1024].map(|byte| sectors.read_sectors(byte, 512)), [Some(0), None, Some(0)]);
    sectors.make_readable(0, 1 << 20);
    assert_eq!(sectors.read_sectors(0, 1 << 20), None);
}

#[test]
fn ranges_agree_with_a_flag_for_each_sector() {
    let mut random = RandomStream::new(3, "sectors");
    for _ in 0..200 {
        let (mut sectors, mut flags) = (Sectors::default(), [false; 64]);
        for _ in 0..100 {
            let first = random.draw_below(60);
            let count = 1 + random.draw_below(64 - first);
            let these = first as usize..(first + count) as usize;
            match random.draw_below(3) {
                0 => {
                    sectors.make_unreadable(first * 512, count * 512);
                    flags[these].fill(true);
                }
                1 => {
                    sectors.make_readable(first * 512, count * 512);
                    flags[these].fill(false);
                }
                _ => {
                    let expected = flags[these].iter().position(|lost| *lost).map(|at| at as u64 * 512);
                    assert_eq!(sectors.read_sectors(first * 512, count * 512), expected);
                }
            }
        }
    }
}

/// Each bit fails by itself: of these reads a share of `1 - (1 - p)^bits` finds a failed bit.
#[test]
fn sectors_fail_as_often_as_bits_do() {
    let mut sectors = Sectors::new(1e-6, 5, "bits");
    let count = 100_000_u64;
    let failed = (0..count).filter(|number| sectors.read_sectors(number * 4096, 4096).is_some()).count();
    let expected = count as f64 * (1.0 - (1.0 - 1e-6_f64).powi(8 * 4096));
    assert!((failed as f64 - expected).abs() < 4.0 * expected.sqrt(), "{failed} of {expected}");
}

//! Tests of single accesses, by hand and against each other.

use super::*;
use crate::geometry::Zone;
use crate::seek::{Seek, ThreePoint};
use proptest::prelude::*;

/// A disk with two surfaces, 100 sectors per track and a revolution of 10 ms, so a sector every 100 us.
fn mechanics() -> Mechanics {
    let zone = Zone { first_cylinder: 0, sectors: 100, track_skew: 12, cylinder_skew: 15, spare_sectors: 0 };
    let [single, average, full] = [1, 5, 10].map(Span::from_ms);
    Mechanics {
        geometry: DiskGeometry::new(2, 1_000, &[zone]).expect("a geometry"),
        seek: Seek::ThreePoint(ThreePoint { single, average, full }).seek_curve(1_000).expect("a curve"),
        rotation: Rotation::new(6_000, 0),
        head_switch: Span::from_us(800),
        write_settle: Span::from_us(300),
        zero_latency: false,
    }
}

fn at_us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

fn course(next: u64, at: Time, write: bool) -> TransferProgress {
    TransferProgress { arm: Arm::default(), at, next, write }
}

#[test]
fn an_access_waits_for_its_sector_by_the_angle() {
    let mechanics = mechanics();
    let run = mechanics.next_track_run(&mut course(30, at_us(1_000), false), 38, Time::ZERO, false);
    assert_eq!((run.positioned, run.begin, run.end), (at_us(1_000), at_us(3_000), at_us(3_800)));
    // An access that is a microsecond too late waits for a whole revolution.
    let run = mechanics.next_track_run(&mut course(30, at_us(3_001), false), 38, Time::ZERO, false);
    assert_eq!(run.begin, at_us(13_000));
}

#[test]
fn a_write_settles_only_where_something_moved_and_waits_for_its_data() {
    let mechanics = mechanics();
    let to = |cylinder: u32, head: u32| {
        mechanics.geometry.position_of_block(u64::from(cylinder * 200 + head * 100))
    };
    let takes = |cylinder, head, write| mechanics.reposition_time(Arm::default(), &to(cylinder, head), write);
    assert_eq!((takes(0, 0, false), takes(0, 0, true)), (Span::ZERO, Span::ZERO));
    assert_eq!((takes(0, 1, false), takes(0, 1, true)), (Span::from_us(800), Span::from_us(1_100)));
    // The head is switched while the arm moves.
    assert_eq!((takes(1, 1, false), takes(1, 1, true)), (Span::from_us(1_000), Span::from_us(1_300)));
    let run = mechanics.next_track_run(&mut course(30, at_us(1_000), true), 38, at_us(3_500), false);
    assert_eq!((run.positioned, run.begin), (at_us(1_000), at_us(13_000)));
}

#[test]
fn skew_that_covers_the_switch_costs_no_revolution_and_one_that_does_not_costs_one() {
    let mechanics = mechanics();
    // The time is that of 100 blocks, 12 sectors of skew, 100 blocks, 15 sectors of skew, and 100 blocks.
    assert_eq!(mechanics.sequential_time(0, 300), Span::from_us(32_700));
    let zone = Zone { first_cylinder: 0, sectors: 100, track_skew: 7, cylinder_skew: 15, spare_sectors: 0 };
    let skewed =
        Mechanics { geometry: DiskGeometry::new(2, 1_000, &[zone]).expect("a geometry"), ..mechanics };
    assert_eq!(
        skewed.sequential_time(0, 300),
        Span::from_us(42_200),
        "seven sectors pass in less than the head switch"
    );
}

#[test]
fn zero_latency_takes_a_revolution_at_most_and_hands_on_in_order() {
    let mechanics = mechanics();
    // The next slot is 40; of blocks 10 to 60 thirty have passed.
    let run = mechanics.next_track_run(&mut course(10, at_us(3_950), false), 60, Time::ZERO, true);
    assert_eq!((run.begin, run.end, run.late), (at_us(4_000), at_us(14_000), 30));
    assert_eq!(mechanics.transfer_end(&run, 1), at_us(11_100));
    assert_eq!(mechanics.transfer_end(&run, 30), at_us(14_000));
    assert_eq!(
        mechanics.transfer_end(&run, 31),
        at_us(14_000),
        "read long before, but not before the thirty in front"
    );
    assert_eq!(mechanics.blocks_transferred_by(&run, at_us(11_150)), 1);
    // If the heads arrive before or behind the requested blocks, zero-latency access changes nothing.
    for at in [900, 6_050] {
        let [with, without] = [true, false]
            .map(|zero| mechanics.next_track_run(&mut course(10, at_us(at), false), 60, Time::ZERO, zero));
        assert_eq!(with, without);
    }
}

proptest! {
    #[test]
    fn blocks_are_there_one_after_the_other_and_are_counted_so(
        lbn in 0_u64..190_000, blocks in 1_u64..250, at in 0_u64..1 << 45, cylinder in 0_u32..1_000, zero: bool,
    ) {
        let mechanics = mechanics();
        let mut going = TransferProgress { arm: Arm { cylinder, head: 1 }, ..course(lbn, Time(at), false) };
        let mut before = Time(at);
        while going.next < lbn + blocks {
            let run = mechanics.next_track_run(&mut going, lbn + blocks, Time::ZERO, zero);
            prop_assert!(run.positioned >= before && run.begin >= run.positioned);
            prop_assert_eq!(mechanics.transfer_end(&run, run.blocks), run.end);
            let mut last = run.begin;
            for count in 1..=run.blocks {
                let there = mechanics.transfer_end(&run, count);
                prop_assert!(there >= last && there <= run.end);
                prop_assert!(mechanics.blocks_transferred_by(&run, there) >= count);
                prop_assert!(mechanics.blocks_transferred_by(&run, there - Span(1)) < count);
                last = there;
            }
            before = run.end;
        }
    }

    #[test]
    fn zero_latency_never_makes_a_track_later(lbn in 0_u64..190_000, blocks in 1_u64..100, at in 0_u64..1 << 45) {
        let mechanics = mechanics();
        let place = mechanics.geometry.position_of_block(lbn);
        let end = lbn + blocks.min(u64::from(place.left));
        let [with, without] = [true, false].map(|zero| mechanics.next_track_run(&mut course(lbn, Time(at), false), end, Time::ZERO, zero).end);
        prop_assert!(with <= without);
    }
}

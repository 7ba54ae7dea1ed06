//! Tests of the mean time to data loss where losses are rare: cycles in which failures are made likely are compared with results that need
//! no simulation.

use sansim_raid::reliability::{
    LifeSimulation, LifeTimes, NestLevel, Nested, RareLoss, RebuildTimes, Redundancy, exact_mttdl_from_h,
    exact_mttdl_h, mttdl_of_groups_h, raid5_with_sector_errors_h, rare_mttdl_h, simulate_mttdl_h,
};

/// Half of the interval's width, as a share of the mean.
const HALF_WIDTH: f64 = 0.02;

const RAID5: Redundancy = Redundancy { members: 8, stands: 1 };
const RAID6: Redundancy = Redundancy { members: 8, stands: 2 };
const PAIR: Redundancy = Redundancy { members: 2, stands: 1 };
const STRIPE: Redundancy = Redundancy { members: 2, stands: 0 };

fn exponential(group: Redundancy, mean_h: f64) -> NestLevel {
    NestLevel { group, rebuilds: RebuildTimes::Exponential { mean_h } }
}

fn of(levels: &[NestLevel], mttf_h: f64) -> Nested<'_> {
    Nested { levels, mttf_h, unreadable_per_drive: 0.0, failed_at_start: 0 }
}

fn simulated(nested: &Nested<'_>, seed: u64) -> RareLoss {
    rare_mttdl_h(nested, HALF_WIDTH, 10_000_000, seed).unwrap_or_else(|error| panic!("{error}"))
}

/// Checks a simulated mean: it has to be within one and a half half-widths of 95 %, which is three standard errors.
#[track_caller]
fn holds(nested: &Nested<'_>, wanted_h: f64, what: &str) {
    let RareLoss { mttdl_h, half_width_95_h, lost_per_cycle } = simulated(nested, 7);
    let told = format!("{what}: {mttdl_h:.4e} +- {half_width_95_h:.1e} h, not {wanted_h:.4e} h");
    println!("{told} ({:+.2} %), {lost_per_cycle:.1e} a cycle", (mttdl_h / wanted_h - 1.0) * 100.0);
    assert!(half_width_95_h < 0.04 * wanted_h, "{told}: too wide to say anything");
    assert!((mttdl_h - wanted_h).abs() <= 1.5 * half_width_95_h + 1e-9 * wanted_h, "{told}");
}

#[test]
fn one_array_lasts_as_long_as_the_exact_formula_says_however_rare_losses_are() {
    let mirror = |members| Redundancy { members, stands: members - 1 };
    for group in [RAID5, RAID6, PAIR, mirror(3), mirror(5), STRIPE, Redundancy { members: 40, stands: 2 }] {
        // The lives range from those of present drives to lives so short that members fail while others are rebuilt.
        for (mttf_h, mttr_h) in [(1e6, 10.0), (1e5, 100.0), (1e4, 1e3), (1e3, 500.0)] {
            let levels = [exponential(group, mttr_h)];
            let wanted = exact_mttdl_h(group, mttf_h, mttr_h, false);
            holds(&of(&levels, mttf_h), wanted, &format!("{group:?}, {mttf_h} h, {mttr_h} h"));
        }
    }
}

/// Data are lost if the next member fails during the rebuild of the first one.
#[test]
fn a_rebuild_that_always_takes_the_same_is_simulated_as_that() {
    for hours in [10.0, 1e4, 2e5] {
        let levels = [NestLevel { group: RAID5, rebuilds: RebuildTimes::Fixed { hours } }];
        let within = 1.0 - f64::exp(-7.0 * hours / 1e6);
        let wanted = (1e6 / 8.0 + 1e6 / 7.0 * within) / within;
        holds(&of(&levels, 1e6), wanted, &format!("{hours} h"));
    }
}

#[test]
fn sectors_that_cannot_be_read_shorten_it_as_the_formula_says() {
    for (errors_per_byte, mttr_h) in [(8e-15, 10.0), (8e-16, 10.0), (8e-14, 100.0), (1e-19, 10.0)] {
        let levels = [exponential(RAID5, mttr_h)];
        let unreadable_per_drive = 4e12 * errors_per_byte;
        let nested = Nested { unreadable_per_drive, ..of(&levels, 1e6) };
        let wanted = raid5_with_sector_errors_h(8, 1e6, mttr_h, 4e12, errors_per_byte);
        holds(&nested, wanted, &format!("{errors_per_byte} errors a byte"));
    }
}

#[test]
fn mirrors_under_a_stripe_last_as_long_as_one_over_their_number() {
    for groups in [2, 10, 200] {
        let levels = [exponential(PAIR, 10.0), exponential(Redundancy { members: groups, stands: 0 }, 10.0)];
        let wanted = mttdl_of_groups_h(exact_mttdl_h(PAIR, 1e6, 10.0, false), groups);
        holds(&of(&levels, 1e6), wanted, &format!("{groups} mirrors"));
    }
}

/// A stripe fails with any of its drives, so a mirror of stripes lasts as long as a mirror of drives with a half, or a quarter, of the
/// life.
#[test]
fn a_mirror_of_stripes_lasts_as_long_as_one_of_drives_that_fail_more_often() {
    for (mttf_h, mttr_h) in [(1e6, 10.0), (1e3, 100.0)] {
        let stripes = [exponential(STRIPE, 1.0), exponential(PAIR, mttr_h)];
        holds(&of(&stripes, mttf_h), exact_mttdl_h(PAIR, mttf_h / 2.0, mttr_h, false), "stripes");
        let deep = [exponential(STRIPE, 1.0), exponential(STRIPE, 1.0), exponential(PAIR, mttr_h)];
        holds(&of(&deep, mttf_h), exact_mttdl_h(PAIR, mttf_h / 4.0, mttr_h, false), "stripes of stripes");
    }
}

/// The mean time until the chain ends, from the first of these states on: `rates[i][j]` is the rate from state i to j, `out[i]` the rate to
/// the end.
fn mean_time(mut rates: Vec<Vec<f64>>, out: &[f64]) -> f64 {
    let states = rates.len();
    for state in 0..states {
        let leaves: f64 = rates[state].iter().sum::<f64>() + out[state];
        rates[state].iter_mut().for_each(|rate| *rate = -*rate);
        rates[state][state] += leaves;
        rates[state].push(1.0);
    }
    // The linear system is solved by Gauss-Jordan elimination.
    for state in 0..states {
        let pivot = rates[state][state];
        rates[state].iter_mut().for_each(|value| *value /= pivot);
        let row = rates[state].clone();
        for other in (0..states).filter(|&other| other != state) {
            let factor = rates[other][state];
            rates[other].iter_mut().zip(&row).for_each(|(value, of_row)| *value -= factor * of_row);
        }
    }
    rates[0][states]
}

/// A Markov chain of two mirrors under a mirror, state by state: both whole, one degraded, both degraded, one lost, one lost and the other
/// degraded.
#[test]
fn a_mirror_of_mirrors_lasts_as_long_as_its_markov_chain_says() {
    for (mttf_h, inner_h, outer_h) in [(1e6, 10.0, 100.0), (1e4, 1_000.0, 50.0), (1e3, 100.0, 1_000.0)] {
        let (fails, inner, outer) = (1.0 / mttf_h, 1.0 / inner_h, 1.0 / outer_h);
        let rates = vec![
            vec![0.0, 4.0 * fails, 0.0, 0.0, 0.0],
            vec![inner, 0.0, 2.0 * fails, fails, 0.0],
            vec![0.0, 2.0 * inner, 0.0, 0.0, 2.0 * fails],
            vec![outer, 0.0, 0.0, 0.0, 2.0 * fails],
            vec![0.0, outer, 0.0, inner, 0.0],
        ];
        let wanted = mean_time(rates, &[0.0, 0.0, 0.0, 0.0, fails]);
        let levels = [exponential(PAIR, inner_h), exponential(PAIR, outer_h)];
        holds(&of(&levels, mttf_h), wanted, &format!("{mttf_h} h, {inner_h} h, {outer_h} h"));
    }
}

/// The levels are as in `[NAME.reliability]` for an array over arrays.
#[test]
fn an_array_of_arrays_lasts_as_long_as_one_of_members_that_live_as_long_as_an_inner_array() {
    for (inner, outer) in [(RAID5, PAIR), (RAID5, RAID5), (RAID6, PAIR), (PAIR, RAID6)] {
        let levels = [exponential(inner, 10.0), exponential(outer, 50.0)];
        let of_inner = exact_mttdl_h(inner, 1e6, 10.0, false);
        let by_levels = exact_mttdl_h(outer, of_inner, 50.0, false);
        holds(&of(&levels, 1e6), by_levels, &format!("{outer:?} of {inner:?}"));
    }
}

#[test]
fn from_a_degraded_start_it_lasts_as_long_as_the_exact_formula_says() {
    for (mttf_h, mttr_h) in [(1e6, 10.0), (1e4, 1e3), (1e3, 500.0)] {
        for (group, failed_at_start) in [(RAID5, 1), (RAID6, 1), (RAID6, 2), (PAIR, 1), (STRIPE, 0)] {
            let levels = [exponential(group, mttr_h)];
            let nested = Nested { failed_at_start, ..of(&levels, mttf_h) };
            let wanted = exact_mttdl_from_h(group, mttf_h, mttr_h, false, failed_at_start);
            holds(&nested, wanted, &format!("{group:?} with {failed_at_start} failed"));
        }
    }
    let levels = [exponential(RAID5, 10.0)];
    let lost = Nested { failed_at_start: 2, ..of(&levels, 1e6) };
    assert_eq!(simulated(&lost, 1).mttdl_h, 0.0);
    assert_eq!(exact_mttdl_from_h(RAID5, 1e6, 10.0, false, 2), 0.0);
}

#[test]
fn it_says_what_the_simulation_of_one_life_after_the_other_says() {
    let (bytes, errors) = (4e12, 8e-16);
    let lives = LifeSimulation {
        group: RAID6,
        groups: 3,
        lives: LifeTimes::Exponential { mean_h: 10_000.0 },
        rebuilds: RebuildTimes::Fixed { hours: 300.0 },
        member_bytes: bytes,
        errors_per_byte: errors,
    };
    let straight = simulate_mttdl_h(&lives, 4_000, u64::MAX, 3).expect("often enough");
    let rebuilds = lives.rebuilds;
    let top = Redundancy { members: 3, stands: 0 };
    let levels = [NestLevel { group: RAID6, rebuilds }, NestLevel { group: top, rebuilds }];
    let nested = Nested { unreadable_per_drive: bytes * errors, ..of(&levels, 10_000.0) };
    let rare = simulated(&nested, 3);
    println!("{} +- {}, {rare:?}", straight.estimate, straight.half_width_95);
    let both = straight.half_width_95.hypot(rare.half_width_95_h);
    assert!(both < 0.06 * straight.estimate);
    assert!((straight.estimate - rare.mttdl_h).abs() < 1.5 * both);
}

#[test]
fn an_interval_holds_the_truth_about_as_often_as_it_says() {
    let levels = [exponential(RAID6, 10.0)];
    let wanted = exact_mttdl_h(RAID6, 1e6, 10.0, false);
    let holds = (0..400).filter(|&seed| {
        let found = rare_mttdl_h(&of(&levels, 1e6), 0.2, 1_000_000, seed).expect("an answer");
        (found.mttdl_h - wanted).abs() <= found.half_width_95_h
    });
    let share = holds.count() as f64 / 400.0;
    println!("{share} of the intervals hold the truth");
    assert!((0.92..0.98).contains(&share), "{share}");
}

#[test]
fn the_same_seed_gives_the_same_bits_and_what_cannot_be_simulated_ends_with_an_error() {
    let levels = [exponential(RAID6, 10.0)];
    let run = |seed| simulated(&of(&levels, 1e6), seed).mttdl_h.to_bits();
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
    let at_once = [NestLevel { group: RAID6, rebuilds: RebuildTimes::Fixed { hours: 0.0 } }];
    let never = rare_mttdl_h(&of(&at_once, 1e6), HALF_WIDTH, 100_000, 1);
    assert!(never.is_err_and(|error| error.losses == 0));
    // With fewer permitted failures the interval is wider.
    let few = rare_mttdl_h(&of(&levels, 1e6), HALF_WIDTH, 1, 1).expect("an answer");
    assert!(few.half_width_95_h > HALF_WIDTH * few.mttdl_h && few.half_width_95_h < 0.2 * few.mttdl_h);
}

//! Tests of the mean time to data loss: formulas against each other and against simulation.

use sansim_kernel::Interval;
use sansim_raid::reliability::{
    LifeSimulation, LifeTimes, RebuildTimes, Redundancy, TooRare, classic_mttdl_h, declustered_rebuild_h,
    exact_mttdl_h, mttdl_of_groups_h, raid5_with_sector_errors_h, simulate_mttdl_h as simulate,
};

/// A simulation that is long enough for this many losses.
fn simulate_mttdl_h(lives: &LifeSimulation, losses: u32, seed: u64) -> Interval {
    simulate(lives, losses, u64::MAX, seed).unwrap_or_else(|error| panic!("{error}"))
}

const RAID5: Redundancy = Redundancy { members: 8, stands: 1 };
const RAID6: Redundancy = Redundancy { members: 8, stands: 2 };

fn lives(group: Redundancy, mttf_h: f64, mttr_h: f64) -> LifeSimulation {
    LifeSimulation {
        group,
        groups: 1,
        lives: LifeTimes::Exponential { mean_h: mttf_h },
        rebuilds: RebuildTimes::Exponential { mean_h: mttr_h },
        member_bytes: 0.0,
        errors_per_byte: 0.0,
    }
}

/// Checks a simulated mean: it has to be within one and a half half-widths of 95 %, which is three standard errors.
fn holds(simulated: Interval, wanted: f64, what: &str) {
    let off = (simulated.estimate - wanted).abs();
    let told = format!("{what}: {} +- {}, not {wanted}", simulated.estimate, simulated.half_width_95);
    println!("{told} ({:+.2} %)", (simulated.estimate / wanted - 1.0) * 100.0);
    assert!(simulated.half_width_95 < 0.06 * wanted, "{told}: too wide to say anything");
    assert!(off < 1.5 * simulated.half_width_95, "{told}");
}

#[test]
fn the_exact_formula_gives_the_closed_forms_of_one_and_two_failures() {
    let (m, r) = (100_000.0, 24.0);
    let (fails, ends) = (1.0 / m, 1.0 / r);
    for members in [2_u32, 5, 14] {
        let n = f64::from(members);
        // The formula of Gibson is ((2N - 1) l + u) / (N (N - 1) l^2).
        let one = ((2.0 * n - 1.0) * fails + ends) / (n * (n - 1.0) * fails * fails);
        let group = Redundancy { members, stands: 1 };
        assert!((exact_mttdl_h(group, m, r, false) / one - 1.0).abs() < 1e-12);
        assert!((exact_mttdl_h(group, m, r, true) / one - 1.0).abs() < 1e-12);
    }
    for stands in 0..4 {
        let group = Redundancy { members: 4, stands };
        // Without rebuilds the mean is the sum of the times from each failure to the next.
        let never = exact_mttdl_h(group, m, 1e300, false);
        let sum: f64 = (0..=stands).map(|failed| m / f64::from(4 - failed)).sum();
        assert!((never / sum - 1.0).abs() < 1e-12);
    }
}

#[test]
fn the_classic_formula_is_the_limit_of_short_rebuilds() {
    let m = 1_000_000.0;
    for (group, factorial) in [(RAID5, 1.0), (RAID6, 2.0), (Redundancy { members: 3, stands: 2 }, 2.0)] {
        let classic = classic_mttdl_h(group, m, 0.1);
        assert!((exact_mttdl_h(group, m, 0.1, true) / classic - 1.0).abs() < 1e-5);
        // With a rebuild for each failed member at a time the mean time is longer by the factor f!.
        assert!((exact_mttdl_h(group, m, 0.1, false) / classic / factorial - 1.0).abs() < 1e-5);
        // Outside its domain the classic formula gives too short a time.
        assert!(classic_mttdl_h(group, m, m) < exact_mttdl_h(group, m, m, true));
    }
    assert_eq!(classic_mttdl_h(Redundancy { members: 10, stands: 0 }, m, 24.0), 100_000.0);
    // The formula for RAID 1 is MTTF^2 / (2 MTTR). The formula for RAID 6 is MTTF^3 / (N (N - 1) (N - 2) MTTR^2).
    assert_eq!(classic_mttdl_h(Redundancy { members: 2, stands: 1 }, 1000.0, 10.0), 50_000.0);
    let six = classic_mttdl_h(RAID6, 1000.0, 10.0);
    assert!((six - 1e9 / (8.0 * 7.0 * 6.0 * 100.0)).abs() < 1e-9);
}

#[test]
fn the_simulation_of_exponential_lives_gives_the_exact_formula() {
    for (group, mttf_h, mttr_h, losses) in [
        (Redundancy { members: 8, stands: 0 }, 100_000.0, 24.0, 20_000),
        (Redundancy { members: 2, stands: 1 }, 20_000.0, 100.0, 10_000),
        (RAID5, 100_000.0, 100.0, 10_000),
        (RAID5, 1_000.0, 500.0, 20_000),
        (RAID6, 10_000.0, 100.0, 5_000),
        (Redundancy { members: 3, stands: 2 }, 5_000.0, 100.0, 5_000),
    ] {
        let simulated = simulate_mttdl_h(&lives(group, mttf_h, mttr_h), losses, 11);
        holds(simulated, exact_mttdl_h(group, mttf_h, mttr_h, false), &format!("{group:?}"));
    }
}

#[test]
fn several_groups_last_as_long_as_one_over_their_number() {
    let pair = Redundancy { members: 2, stands: 1 };
    let ten = LifeSimulation { groups: 10, ..lives(pair, 100_000.0, 50.0) };
    let one = exact_mttdl_h(pair, 100_000.0, 50.0, false);
    holds(simulate_mttdl_h(&ten, 3_000, 3), mttdl_of_groups_h(one, 10), "RAID 1+0 of 20");
}

#[test]
fn sectors_that_cannot_be_read_shorten_it_as_the_formula_says() {
    // Members have 4 TB and one error in 10^14 bits, as data sheets of desktop drives say.
    let (bytes, errors) = (4e12, 8.0 / 1e14);
    let with =
        LifeSimulation { member_bytes: bytes, errors_per_byte: errors, ..lives(RAID5, 100_000.0, 48.0) };
    let wanted = raid5_with_sector_errors_h(8, 100_000.0, 48.0, bytes, errors);
    holds(simulate_mttdl_h(&with, 10_000, 5), wanted, "RAID 5 with sector errors");
    let without = raid5_with_sector_errors_h(8, 100_000.0, 48.0, 0.0, errors);
    assert!((without / exact_mttdl_h(RAID5, 100_000.0, 48.0, false) - 1.0).abs() < 1e-12);
    assert!(wanted < without / 100.0, "{wanted} against {without}");
}

/// With a short rebuild the loss depends only on the mean of its time; so fixed rebuild times give the same result as exponential ones.
#[test]
fn fixed_rebuilds_do_as_exponential_ones_where_they_are_short() {
    let fixed =
        LifeSimulation { rebuilds: RebuildTimes::Fixed { hours: 100.0 }, ..lives(RAID5, 100_000.0, 100.0) };
    // The probability that the next failure comes within a fixed rebuild is 1 - exp(-x) rather than x / (1 + x): both are x to 0.4 %.
    holds(
        simulate_mttdl_h(&fixed, 10_000, 7),
        exact_mttdl_h(RAID5, 100_000.0, 100.0, false),
        "fixed rebuilds",
    );
}

#[test]
fn weibull_lives_of_shape_one_are_exponential_and_others_are_not() {
    let of_shape = |shape, seed| {
        let lives = LifeSimulation {
            lives: LifeTimes::Weibull { mean_h: 20_000.0, shape },
            ..lives(RAID5, 20_000.0, 200.0)
        };
        simulate_mttdl_h(&lives, 5_000, seed)
    };
    let exact = exact_mttdl_h(RAID5, 20_000.0, 200.0, false);
    holds(of_shape(1.0, 9), exact, "Weibull of shape 1");
    // Early failures come together: a new member is the most likely to fail, and all are new at the start.
    assert!(of_shape(0.7, 9).estimate < 0.9 * exact);
}

#[test]
fn a_declustered_rebuild_is_as_much_faster_as_stripes_are_narrower() {
    let array = |members| declustered_rebuild_h(4e12, 1e8, 5, members);
    assert!((array(5) - 5.0 / 4.0 * 4e12 / 1e8 / 3600.0).abs() < 1e-9);
    assert!((array(41) / array(5) - 0.1).abs() < 1e-12);
    // More members fail more often, and any two failed members lose data; the faster rebuild about makes up for one of both effects.
    let mttdl = |members| classic_mttdl_h(Redundancy { members, stands: 1 }, 1e6, array(members));
    assert!((mttdl(41) / mttdl(5) - 5.0 / 41.0).abs() < 1e-12);
    let pool = Redundancy { members: 41, stands: 1 };
    let simulated = simulate_mttdl_h(&lives(pool, 20_000.0, array(41)), 4_000, 13);
    holds(simulated, exact_mttdl_h(pool, 20_000.0, array(41), false), "declustered");
}

#[test]
fn the_same_seed_gives_the_same_bits_and_a_longer_rebuild_never_lasts_longer() {
    let run = |mttr_h, seed| simulate_mttdl_h(&lives(RAID5, 10_000.0, mttr_h), 2_000, seed).estimate;
    assert_eq!(run(100.0, 1).to_bits(), run(100.0, 1).to_bits());
    assert_ne!(run(100.0, 1).to_bits(), run(100.0, 2).to_bits());
    let mut last = f64::INFINITY;
    for mttr_h in [1.0, 10.0, 100.0, 1000.0] {
        let exact = exact_mttdl_h(RAID5, 10_000.0, mttr_h, false);
        assert!(exact < last);
        last = exact;
    }
}

#[test]
fn data_that_are_hardly_ever_lost_end_the_simulation_with_an_error() {
    let at_once =
        LifeSimulation { rebuilds: RebuildTimes::Fixed { hours: 0.0 }, ..lives(RAID6, 10_000.0, 0.0) };
    let error = simulate(&at_once, 10, 100_000, 1);
    assert_eq!(error, Err(TooRare { losses: 0, wanted: 10, failures: 100_000 }));
    assert!(error.is_err_and(|error| error.to_string().contains("take the formula")));
    // The simulation gives a result if enough failures are permitted.
    let needed = (1..).find(|most| simulate(&lives(RAID5, 1_000.0, 100.0), 20, *most, 1).is_ok());
    assert!(needed.is_some_and(|most| most > 20));
    // If more failures are tolerated than there are members, the result is the same as if all members may fail.
    let all = simulate(&lives(Redundancy { members: 3, stands: 9 }, 100.0, 100.0), 20, 100_000, 1);
    assert!(all.is_ok());
}

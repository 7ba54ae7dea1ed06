//! Tests of formulas against published or simulated values, and against each other.

use sansim_raid::analysis::fork_join::{
    mean_of_response_bounds, nelson_tantawi_response, response_lower_bound, response_of_two_branches,
    response_upper_bound,
};
use sansim_raid::analysis::striping::{ClosedArray, best_unit_bytes, rule_of_thumb_bytes};
use sansim_raid::analysis::{fork_join, loads};

/// Branches, utilisation, and to four digits: simulated over two million requests, lower and upper bound, the mean of both, Nelson-Tantawi.
const FORK_JOIN: [(u32, f64, f64, f64, f64, f64, f64); 6] = [
    (2, 0.5, 2.870, 2.667, 3.000, 2.833, 2.875),
    (4, 0.5, 3.834, 3.352, 4.167, 3.760, 3.790),
    (4, 0.8, 9.180, 6.600, 10.417, 8.509, 8.930),
    (8, 0.5, 4.849, 4.044, 5.436, 4.740, 4.785),
    (8, 0.8, 11.41, 7.331, 13.59, 10.46, 11.03),
    (16, 0.7, 9.295, 6.263, 11.27, 8.766, 9.109),
];

#[test]
fn fork_join_formulas_give_the_values_of_the_table() {
    for (branches, utilisation, simulated, lower, upper, mean, approximation) in FORK_JOIN {
        let is =
            |value: f64, wanted: f64| assert!((value / wanted - 1.0).abs() < 6e-4, "{value}, not {wanted}");
        is(response_lower_bound(branches, utilisation), lower);
        is(response_upper_bound(branches, utilisation), upper);
        is(mean_of_response_bounds(branches, utilisation), mean);
        is(nelson_tantawi_response(branches, utilisation), approximation);
        assert!(lower < simulated && simulated < upper);
    }
    assert_eq!(nelson_tantawi_response(2, 0.3), response_of_two_branches(0.3));
    assert_eq!(nelson_tantawi_response(1, 0.5), 2.0);
    assert!((fork_join::harmonic_number(4) - 25.0 / 12.0).abs() < 1e-15);
}

/// The bounds must enclose the exact value wherever it is known, and meet it without load: the mean of the longest of n.
#[test]
fn fork_join_bounds_enclose_the_exact_value_and_meet_without_load() {
    for load in 0..100 {
        let utilisation = f64::from(load) / 100.0;
        let exact = response_of_two_branches(utilisation);
        assert!(
            response_lower_bound(2, utilisation) <= exact + 1e-12
                && exact <= response_upper_bound(2, utilisation) + 1e-12
        );
    }
    for branches in 1..32 {
        assert!((response_lower_bound(branches, 0.0) - response_upper_bound(branches, 0.0)).abs() < 1e-12);
        assert!(
            (nelson_tantawi_response(branches, 0.0) - fork_join::harmonic_number(branches)).abs() < 1e-12
        );
    }
}

#[test]
fn the_closed_array_gives_the_values_of_the_fact_sheet() {
    let one = ClosedArray { outstanding: 16.0, members: 8.0, touched: 1.0, service_s: 1.0 };
    assert!((one.utilisation() - 16.0 / 23.0).abs() < 1e-12, "L / (L + N - 1)");
    assert!((one.response_s() - 2.875).abs() < 1e-12);
    let four = ClosedArray { outstanding: 32.0, members: 16.0, touched: 4.0, service_s: 1.0 };
    assert!((four.utilisation() - 0.914).abs() < 5e-4 && (four.response_s() - 8.75).abs() < 5e-3);
    // The mean number of requests, the throughput and the response time satisfy Little's law.
    for array in [one, four] {
        assert!((array.throughput_per_s() * array.response_s() - array.outstanding).abs() < 1e-9);
    }
}

#[test]
fn one_request_at_a_time_is_striped_as_finely_as_can_be() {
    assert_eq!(best_unit_bytes(0.01, 1e8, 1.0, 1e6, 8.0), 0.0);
    assert_eq!(rule_of_thumb_bytes(0.01, 1e8, 1.0, 512.0), 512.0);
    assert!((best_unit_bytes(0.01, 1e8, 5.0, 2e6, 8.0) - 1e6).abs() < 1e-6);
    assert!((rule_of_thumb_bytes(0.01, 1e8, 5.0, 512.0) - 1_000_512.0).abs() < 1e-6);
}

#[test]
fn a_failure_doubles_reads_and_adds_to_the_writes_of_five_members_and_more() {
    for members in 3..50 {
        assert!(
            (loads::degraded_raid5_member_accesses(members, 1.0)
                / loads::raid5_member_accesses(members, 1.0)
                - 2.0)
                .abs()
                < 1e-12
        );
        // The accesses of writes increase by (5N - 8) / (4N - 4): with four members not at all.
        let share =
            loads::degraded_raid5_member_accesses(members, 0.0) / loads::raid5_member_accesses(members, 0.0);
        assert_eq!(members >= 5, share > 1.0 + 1e-12, "{members}: {share}");
    }
}

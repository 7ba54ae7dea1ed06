//! The grid of figure 3.2 of Wang 2005 behind two controllers: each disk is on a main loop by column, which belongs to the first
//! controller, and on a redundant loop by row, which belongs to the second controller. Whatever fails, one part after the other, all
//! requests are completed by the other loop.

use crate::common::figure;
use crate::common::text::{assert_adds_up, run};
use proptest::prelude::*;
use std::fmt::Write as _;

/// Six drives are at the crossings of three columns and two rows; RAID 5 uses all of them.
fn grid(run: &str, drive: &str, happens: &[(u32, &str, &str)]) -> String {
    let mut text = format!(
        r#"
        [run]
        {run}
        [left]
        kind = "arbitrated-loop"
        speed = "4GFC"
        stations = ["host.adapters.a", "controller.fronts.a"]
        [right]
        kind = "arbitrated-loop"
        speed = "4GFC"
        stations = ["host.adapters.b", "controller.fronts.b"]
        [host]
        kind = "host"
        fail_over_time = "1 ms"
        fail_back_time = "1 ms"
        no_way_time = "unlimited"
        adapters = {{ a = {{}}, b = {{}} }}
        [controller]
        kind = "controller"
        to = ["array"]
        pair = {{ controllers = 2, preferred = "a", change_time = "3 ms" }}
        resources = {{ command = {{ time = "10 us" }}, link = {{ bandwidth = "400 MB/s" }} }}
        fronts = {{ a = {{}}, b = {{ side = "b" }} }}
        [array]
        kind = "raid"
        to = ["disks"]
        inside = "controller"
        stripe_unit = "16 KiB"
        layout = {{ level = "5" }}
        fail_over_time = "1 ms"
        fail_back_time = "1 ms"
        no_way_time = "unlimited"
        backs = {{ disks-row-1 = {{ side = "b" }}, disks-row-2 = {{ side = "b" }} }}
        [disks]
        kind = "grid"
        columns = 3
        rows = 2
        from = "array"
        [disks.loop]
        speed = "2GFC"
        [disks.drive]
        capacity = "4 MiB"
        access_time = {{ distribution = "uniform", low = "1 ms", high = "5 ms" }}
        transfer_rate = "50 MiB/s"
        {drive}
        [load]
        kind = "closed"
        from = "host"
        to = ["controller"]
        size = "16 KiB"
        queue_depth = 4
        read_fraction = 0.6
        "#
    );
    for (us, act, what) in happens {
        let _ = writeln!(text, "[[event]]\nat = \"{us} us\"\ndo = \"{act}\"\nwhat = \"{what}\"");
    }
    text
}

const RUN: &str = "measured_ios = 600\nwarm_up = 0";

/// The I/O of the loops by row, and by column: the time for which they were in circuits.
fn used(text: &str) -> ([f64; 2], [f64; 3]) {
    let result = run(text);
    assert_adds_up(&result);
    assert_eq!(result.summary.failed_ios, 0);
    let of = |name: String| figure(&result.summary, &name, "utilisation");
    (
        [1, 2].map(|row| of(format!("disks-row-{row}"))),
        [1, 2, 3].map(|column| of(format!("disks-column-{column}"))),
    )
}

#[test]
fn redundant_loops_are_used_where_the_main_one_has_failed_and_nowhere_else() {
    let (rows, columns) = used(&grid(RUN, "", &[]));
    assert!(rows == [0.0; 2] && columns.iter().all(|&used| used > 0.0), "{rows:?}, {columns:?}");
    let (rows, columns) = used(&grid(RUN, "", &[(0, "fail", "array.backs.disks-column-2")]));
    // A disk of that column is in each row.
    assert!(rows.iter().all(|&used| used > 0.0) && columns[1] == 0.0, "{rows:?}, {columns:?}");
}

#[test]
fn with_a_controller_go_all_of_its_loops() {
    let (rows, columns) = used(&grid(RUN, "", &[(0, "fail", "controller.a")]));
    assert!(rows.iter().all(|&used| used > 0.0) && columns == [0.0; 3], "{rows:?}, {columns:?}");
}

#[test]
fn a_loop_a_controller_and_a_disk_may_all_fail_in_one_run() {
    let happens = [
        (100_000, "fail", "array.backs.disks-column-1"),
        (200_000, "fail", "disks-2-2"),
        (300_000, "fail", "controller.b"),
        (350_000, "repair", "controller.b"),
        (400_000, "repair", "array.backs.disks-column-1"),
        (500_000, "fail", "controller.a"),
        (700_000, "repair", "controller.a"),
    ];
    let result = run(&grid(RUN, "", &happens));
    assert_adds_up(&result);
    assert_eq!(result.summary.failed_ios, 0);
    assert!(figure(&result.summary, "controller", "changes_of_owner") >= 2.0);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sansim_trials::case_count(24)) })]

    #[test]
    fn all_requests_end_well_whatever_fails_of_a_grid(
        failures in prop::collection::vec((0..9_usize, 1..120_000_u32, 1..90_000_u32), 1..7),
    ) {
        let things = [
            "array.backs.disks-column-1", "array.backs.disks-column-3", "array.backs.disks-row-1", "array.backs.disks-row-2",
            "disks-1-1.adapters.main", "disks-2-2.adapters.redundant", "disks-3-1", "controller.a", "controller.b",
        ];
        let mut at = 0;
        let mut happens = Vec::new();
        for (which, until, long) in failures {
            happens.push((at + until, "fail", things[which]));
            happens.push((at + until + long, "repair", things[which]));
            at += until + long + 10_000;
        }
        let text = grid(RUN, "", &happens);
        let result = run(&text);
        assert_adds_up(&result);
        prop_assert_eq!(result.summary.failed_ios, 0, "{}", text);
    }
}

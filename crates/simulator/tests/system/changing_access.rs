//! Access states that change during a run (ALUA of SCSI, ANA of NVMe): which path carries each I/O before and after.

use crate::changing_keys::change;
use crate::common::text::{assert_adds_up, run};
use crate::common::ways::{by_loop, two_ways, us};
use sansim_kernel::Time;
use sansim_simulator::RunResult;

/// The adapter of the drives on the left loop, or on the right one, is in this state from this time on.
fn state(at_us: u64, adapter: &str, access: &str) -> String {
    change(&format!("{at_us} us"), "disks", &format!("adapters.{adapter}.access"), &format!("\"{access}\""))
}

fn result(host: &str, right: &str, changes: &[String]) -> RunResult {
    let result = run(&(two_ways(host, right, &[]) + &changes.concat()));
    assert_adds_up(&result);
    result
}

/// The I/Os that were issued in an interval, by the loops that they used.
fn issued(result: &RunResult, from_us: u64, to_us: u64) -> Vec<[bool; 2]> {
    let within = |begun: Time| begun > us(from_us) && begun < us(to_us);
    let ios: Vec<_> = by_loop(result).into_iter().filter(|(begun, ..)| within(*begun)).collect();
    assert!(ios.len() > 50, "{} I/Os", ios.len());
    ios.into_iter().map(|(.., on)| on).collect()
}

const LEFT: [bool; 2] = [true, false];
const RIGHT: [bool; 2] = [false, true];

#[test]
fn ios_leave_a_path_that_becomes_unavailable_and_come_back_to_it() {
    for away in ["unavailable", "non-optimised"] {
        let changes = [state(10_000, "a", away), state(20_000, "a", "optimised")];
        let result = result("path = \"first\"", "", &changes);
        assert_eq!(result.summary.failed_ios, 0);
        assert!(issued(&result, 0, 9_990).iter().all(|on| *on == LEFT), "{away}");
        assert!(issued(&result, 10_000, 19_990).iter().all(|on| *on == RIGHT), "{away}");
        assert!(issued(&result, 20_000, 39_000).iter().all(|on| *on == LEFT), "{away}");
        // I/Os that were on the path when its state changed are carried out on it.
        let across = |(begun, ended, _): &(Time, Time, [bool; 2])| *begun < us(10_000) && *ended > us(10_000);
        let on: Vec<_> = by_loop(&result).into_iter().filter(across).collect();
        assert!(!on.is_empty() && on.iter().all(|(.., on)| on[0]), "{away}: {on:?}");
    }
}

#[test]
fn paths_that_are_all_non_optimised_share_the_load_and_an_unavailable_one_never_stands_in() {
    let both = [state(10_000, "a", "non-optimised"), state(10_000, "b", "non-optimised")];
    let result = result("path = \"round-robin\"", "", &both);
    let right = issued(&result, 10_000, 39_000).iter().filter(|on| **on == RIGHT).count();
    let all = issued(&result, 10_000, 39_000).len();
    assert!(right.abs_diff(all - right) <= 2, "{right} of {all}");
    let taken = self::result("path = \"round-robin\"", "access = \"unavailable\"", &[]);
    assert!(issued(&taken, 0, 39_000).iter().all(|on| *on == LEFT));
}

#[test]
fn without_an_available_path_ios_wait_or_fail_as_no_way_time_says() {
    let gone = [
        state(10_000, "a", "unavailable"),
        state(10_000, "b", "unavailable"),
        state(15_000, "b", "non-optimised"),
    ];
    let waits = result("path = \"first\"\nno_way_time = \"unlimited\"", "", &gone);
    assert_eq!(waits.summary.failed_ios, 0);
    let over = |(begun, ended, _): &(Time, Time, [bool; 2])| *begun < us(15_000) && *ended > us(15_000);
    let waited: Vec<_> = by_loop(&waits).into_iter().filter(over).collect();
    // Each of the two drives has four I/Os in flight.
    assert_eq!((waited.len(), waited.iter().filter(|(.., on)| *on == RIGHT).count()), (8, 8));
    let fails = result("path = \"first\"", "", &gone);
    let of_gap = |io: &sansim_simulator::record::IoRecord| {
        let begun = io.completed - io.response;
        begun > us(10_000) && begun < us(15_000)
    };
    let rows = &fails.ios.rows;
    assert!(rows.iter().filter(|io| of_gap(io)).all(|io| io.failed));
    assert!(rows.iter().filter(|io| !of_gap(io) && io.completed < us(10_000)).all(|io| !io.failed));
    assert!(fails.summary.failed_ios > 0);
}

//! Incidents: what happens of itself is in the summary with its time, which is counted by hand here, and nothing else is.

use crate::changing_loops::{self, small};
use crate::common::text::{event, run};
use crate::common::ways::two_ways;
use crate::common::{figure, run_sets};
use crate::ownership::two_hosts;
use sansim_simulator::incidents::ReportedIncident;
use sansim_simulator::summary::Summary;

/// The incidents, each with its time in us, its kind, how long it took, its component, and their number.
fn told(summary: &Summary) -> Vec<(f64, &'static str, f64, String, u32)> {
    let of = |one: &ReportedIncident| {
        let lasts = one.until_ns.map_or(0.0, |until| until - one.at_ns);
        let of = one.of.as_deref().map_or(one.component.clone(), |of| format!("{}: {of}", one.component));
        (one.at_ns / 1e3, one.what, lasts, of, one.count)
    };
    summary.incidents.iter().map(of).collect()
}

#[test]
fn a_run_in_which_nothing_happens_of_itself_has_no_incidents() {
    let result = run(&small("", ""));
    assert_eq!(told(&result.summary), []);
    let json = serde_json::to_value(&result.summary).unwrap_or_else(|error| panic!("{error}"));
    assert!(json.get("incidents").is_none(), "nor a list of them");
}

#[test]
fn a_loop_is_initialised_when_a_node_leaves_and_when_it_comes_back() {
    let change = |at: &str, act: &str| {
        format!("[[event]]\nat = \"{at}\"\ndo = \"{act}\"\nwhat = \"drives[1]\"\ninitialise = true\n")
    };
    let result = run(&small(&(change("20 ms", "remove") + &change("60 ms", "add")), ""));
    let found = told(&result.summary);
    let [out, back] = &found[..] else { panic!("{found:?}") };
    for (one, at) in [(out, 20_000.0), (back, 60_000.0)] {
        assert_eq!((one.0, one.1, &*one.3, one.4), (at, "initialisation", "loop", 1));
    }
    // Two ports have a LISM of fewer to wait for than three, whose initialisation is counted by hand in `changing_loops`.
    assert!(out.2 > 0.0 && out.2 < back.2, "{found:?}");
    let of_all = changing_loops::figure(&result, "loop", "initialising") * 100e6;
    assert!((out.2 + back.2 - of_all).abs() < 1.0, "{found:?} and {of_all} ns");
}

#[test]
fn a_device_changes_its_owner_when_its_controller_fails_and_when_it_works_again() {
    let events = event(30_000, "fail", "controller.a") + &event(60_000, "repair", "controller.a");
    let text =
        two_hosts("measured_ios = 200\nwarm_up = 0", "change_time = \"3 ms\"", "size = \"4 KiB\"", &events);
    let result = run(&text);
    let changes: Vec<_> = told(&result.summary).into_iter().filter(|one| one.1 == "owner-change").collect();
    // The device is that of the controller.
    let expected = |at: f64| (at, "owner-change", 3e6, "controller: controller".to_owned(), 1);
    assert_eq!(changes, [expected(30_000.0), expected(60_000.0)]);
    assert_eq!(figure(&result.summary, "controller", "changes_of_owner"), 2.0);
}

#[test]
fn a_path_counts_as_failed_when_its_failure_is_noticed_and_as_back_when_it_works() {
    let events = event(5_000, "fail", "disks.adapters.a") + &event(20_000, "repair", "disks.adapters.a");
    let text = two_ways("fail_over_time = \"2 ms\"", "", &[]) + &events;
    let result = run(&text);
    let of = |what: &'static str, at: f64| (at, what, 0.0, "host: disks[0]".to_owned(), 2);
    assert_eq!(told(&result.summary), [of("path-failed", 7_000.0), of("path-back", 20_000.0)]);
}

#[test]
fn an_outage_that_is_over_before_it_is_noticed_is_no_incident() {
    let events = event(5_000, "fail", "disks.adapters.a") + &event(6_000, "repair", "disks.adapters.a");
    let result = run(&(two_ways("fail_over_time = \"2 ms\"", "", &[]) + &events));
    assert_eq!(told(&result.summary), []);
}

#[test]
fn a_node_is_quarantined_at_the_end_of_the_first_period_in_which_it_was_congested() {
    const FILE: &str = "scenarios/slow-drain.toml";
    let run = |more: &[&str]| run_sets(FILE, &more.iter().map(|set| (*set).to_owned()).collect::<Vec<_>>());
    let found = told(&run(&["san.switch.congestion.quarantine=true"]));
    let [(at, "quarantine", 0.0, of, 1)] = &found[..] else { panic!("{found:?}") };
    assert_eq!(of, "san: slow");
    assert!(*at > 0.0 && (at / 1_000.0).fract() == 0.0, "periods are of 1 ms: {at} us");
    assert_eq!(told(&run(&[])), []);
}

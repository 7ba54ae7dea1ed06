//! The example of a host that returns credit late: the named culprit, and the effect of each countermeasure on
//! its neighbour.

use crate::common::{figure, run_sets};
use sansim_simulator::summary::Summary;

const FILE: &str = "scenarios/slow-drain.toml";

fn run(sets: &[&str]) -> Summary {
    run_sets(FILE, &sets.iter().map(|set| (*set).to_owned()).collect::<Vec<_>>())
}

/// The mean response time of the unrelated host, in us.
fn well_us(summary: &Summary) -> f64 {
    summary.workloads.0.iter().find(|(name, _)| name == "reads-well").map_or(f64::NAN, |(_, of)| {
        of.part.response_time_ns.as_ref().map_or(f64::INFINITY, |of| of.mean / 1000.0)
    })
}

#[test]
fn the_slow_host_is_named_with_the_flows_that_wait_behind_it() {
    let ill = run(&[]);
    let names: Vec<(&str, &str, &str)> =
        ill.culprits.iter().map(|of| (of.from.as_str(), of.to.as_str(), of.cause)).collect();
    assert_eq!(names, [("near", "slow", "withholds-credit")]);
    let victims = &ill.culprits[0].victims;
    assert_eq!(victims.len(), 4, "what each drive sends to the other host: {victims:?}");
    assert!(victims.iter().all(|of| of.from.starts_with("drives[") && of.to == "well"), "{victims:?}");
    assert!(ill.warnings.iter().any(|line| line.contains("slow withholds credit")), "{:?}", ill.warnings);
    assert!(figure(&ill, "san", "credit_stalled") > 0.1);
    let unwatched = run(&["san.switch.congestion.watch=false"]);
    assert!(unwatched.culprits.is_empty() && unwatched.warnings.is_empty());
    assert_eq!(
        unwatched.response_time_ns.figure.mean, ill.response_time_ns.figure.mean,
        "it is only watched"
    );
}

#[test]
fn each_cure_has_the_neighbour_served_as_if_the_host_were_not_there() {
    let ill = well_us(&run(&[]));
    assert!(ill > 10_000.0, "{ill}");
    let cures = ["quarantine=true", "notice_rate=4 MB/s", "signal_rate=16 MB/s"];
    for cure in cures.map(|cure| format!("san.switch.congestion.{cure}")) {
        let cured = run(&[&cure]);
        // A transfer of 32 KiB takes 41 us on the link.
        assert!(well_us(&cured) < 100.0, "{cure}: {}", well_us(&cured));
    }
}

//! Nothing is lost or duplicated: I/Os, frames, bytes, credits, buffers, exchanges and time, in a set of chosen scenarios
//! and in random scenarios.

use crate::common::{conserved, load, random};
use proptest::prelude::*;
use sansim_component::NetworkModel;
use sansim_scenario::Scenario;
use sansim_simulator::build;

const BASE: &str = "scenarios/wang-2005-base.toml";
const TWO: &str = "scenarios/two-nodes.toml";
const LONG: &str = "scenarios/long-loop.toml";

/// Checks a scenario of the repository, with all of its I/Os measured.
fn check(path: &str, ios: u32, set: &[&str]) {
    let ios = format!("run.measured_ios={ios}");
    let set: Vec<&str> = ["run.warm_up=0", &ios].into_iter().chain(set.iter().copied()).collect();
    let scenario = load(path, &set);
    for model in [NetworkModel::Fast, NetworkModel::Reference] {
        if let Err(problem) = conserved::check(&build::plan_system(&scenario, None, model)) {
            panic!("{path} {set:?} {model:?}: {problem}");
        }
    }
}

#[test]
fn the_base_system_conserves_everything_under_every_schedule() {
    for schedule in ["fair", "unfair", "command-first"] {
        for read_fraction in ["1.0", "0.66", "0.0"] {
            let schedule = format!("controller.schedule={schedule}");
            let read_fraction = format!("workload.read_fraction={read_fraction}");
            check(BASE, 400, &[&schedule, &read_fraction]);
        }
    }
}

#[test]
fn each_level_of_command_first_conserves_everything_by_itself() {
    for level in ["queue", "arbitration", "preemption"] {
        for size in ["4 KiB", "32 KiB"] {
            let level = format!("controller.command_first_{level}=true");
            let size = format!("workload.size={size}");
            check(BASE, 400, &["workload.read_fraction=0.5", "workload.queue_depth=3", &level, &size]);
        }
    }
}

#[test]
fn sizes_that_are_no_multiple_of_a_frame_are_conserved() {
    for size in ["1 B", "2047 B", "2049 B", "100000 B"] {
        let size = format!("workload.size={size}");
        check(BASE, 200, &["workload.read_fraction=0.5", "drives.read_sequence=10000 B", &size]);
    }
}

#[test]
fn a_request_package_longer_than_a_frame_makes_one_command() {
    for (order, limit) in [("fcfs", "unlimited"), ("round-robin", "1"), ("round-robin", "2")] {
        let order = format!("controller.adapter.dma_order={order}");
        let limit = format!("controller.adapter.commands_in_execution={limit}");
        check(
            BASE,
            200,
            &["workload.read_fraction=0.5", "controller.adapter.request_bytes=5000 B", &order, &limit],
        );
    }
}

#[test]
fn full_duplex_with_deep_queues_conserves_everything() {
    for depth in ["1", "4", "32"] {
        let depth = format!("workload.queue_depth={depth}");
        check(TWO, 300, &[&depth, "workload.size=20 KiB"]);
    }
}

#[test]
fn a_long_loop_with_few_or_many_buffers_conserves_everything() {
    for (buffers, login) in [("1", "0"), ("1", "1"), ("4", "0"), ("52", "52")] {
        let sets = ["controller.port", "drive.port"].map(|port| {
            [format!("{port}.incoming_buffers={buffers}"), format!("{port}.login_credit={login}")]
        });
        let mut sets: Vec<&str> = sets.iter().flatten().map(String::as_str).collect();
        sets.extend(["workload.read_fraction=0.5", "workload.size=200 KiB", "workload.queue_depth=2"]);
        check(LONG, 20, &sets);
    }
}

#[test]
fn a_full_loop_conserves_everything() {
    check(BASE, 600, &["drives.count=126", "workload.size=4 KiB", "workload.read_fraction=0.66"]);
}

fn check_random(text: &str, model: NetworkModel) -> Result<(), TestCaseError> {
    let scenario =
        Scenario::parse_text(text, "random").map_err(|report| TestCaseError::fail(report.to_string()))?;
    conserved::check(&build::plan_system(&scenario, None, model)).map_err(TestCaseError::fail)?;
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(1500), max_shrink_iters: 2000, ..ProptestConfig::default() })]
    #[test]
    fn random_systems_conserve_everything(text in random::scenarios(80)) {
        check_random(&text, NetworkModel::Fast)?;
    }
}

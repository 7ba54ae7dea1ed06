//! Two fabrics with hosts and drives at both, and failures of one fabric: its paths are not used, and no request is lost
//! permanently.

use crate::common::text::{assert_adds_up, scenario};
use crate::common::{figure, load};
use sansim_simulator::{RunFlow, RunOptions, RunResult};

const EXAMPLE: &str = "scenarios/dual-fabric.toml";

fn example(sets: &[&str]) -> RunResult {
    let options =
        RunOptions { recording: sansim_simulator::run::RecordingOptions::IOS, ..RunOptions::default() };
    sansim_simulator::run(&load(EXAMPLE, sets), &options, &mut |_| RunFlow::Continue)
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_example_loses_a_fabric_and_no_io() {
    let result = example(&[]);
    assert_adds_up(&result);
    assert_eq!(result.summary.failed_ios, 0);
    let [left, right] = ["left", "right"].map(|name| figure(&result.summary, name, "frames"));
    assert!(
        left > 0.0 && right > 1.2 * left,
        "while the left one was gone all went by the right one: {left}, {right}"
    );
    let lost = figure(&result.summary, "left", "lost_frames");
    assert!(
        lost > 0.0 && figure(&result.summary, "right", "lost_frames") == 0.0,
        "{lost} frames went with it"
    );
    let errors = &result.summary.errors;
    let (time_outs, _) = errors.time_outs();
    assert!((1..=32).contains(&time_outs), "of the 32 I/Os that are under way at a time: {time_outs}");
}

#[test]
fn while_a_fabric_is_gone_nothing_new_is_asked_by_it() {
    // In 80 ms the only frames on the failed fabric are the aborts of its requests, ten ms apart.
    let before = example(&["run.measured_ios=500"]);
    assert_eq!(figure(&before.summary, "left", "lost_frames"), 0.0, "the run ends before the failure");
    let result = example(&[]);
    let lost = figure(&result.summary, "left", "lost_frames");
    // At the moment of the failure each of the 32 I/Os in flight may have a whole FIFO of data and commands on the fabric.
    assert!(lost < 32.0 * 20.0, "{lost}");
}

#[test]
fn a_switch_takes_the_ways_of_its_own_nodes_with_it_and_no_others() {
    let ways = |what: &str| {
        let text = load(EXAMPLE, &[]).to_toml().replace("what = \"left\"", &format!("what = \"{what}\""));
        scenario(&text).graph.events.iter().map(|event| event.ways.len()).collect::<Vec<usize>>()
    };
    // Two hosts reach eight drives each by the left fabric; a host and four drives are at each of its two edge
    // switches.
    assert_eq!(ways("left"), [16, 16]);
    assert_eq!(ways("left.switches.core0"), [0, 0], "no node is there");
    assert_eq!(
        ways("left.switches.edge0"),
        [8 + 4, 8 + 4],
        "all of the host there, and four of the other one"
    );
    assert_eq!(ways("left.links.core0-edge0"), [0, 0], "nor at a link between switches");
}

//! What is worked out as a train is what the events give: every I/O with its ledger, every meter, every sample, over random
//! systems; and trains really carry the frames of systems in which they can.

mod common;

use common::random;
use proptest::prelude::*;
use sansim_component::ComponentId;
use sansim_fc::arbitrated_loop::LoopModel;
use sansim_kernel::{Span, Time, Total};
use sansim_observe::observer::NoObserver;
use sansim_scenario::Scenario;
use sansim_system::build;
use sansim_system::counted::IoRecord;
use sansim_system::recording::Recording;
use sansim_system::samples::{Sample, Sampling};
use sansim_system::simulation::{Balance, Simulation};
use std::sync::atomic::{AtomicU64, Ordering};

/// All that a run can be told by.
#[derive(Debug, PartialEq)]
struct Seen {
    ios: Vec<(IoRecord, Vec<(u32, Span)>)>,
    samples: Vec<Sample>,
    meters: Vec<Total>,
    busy: Vec<Vec<Total>>,
    balance: Balance,
    ended: Time,
}

/// A run, with its trains and the frames that went in them.
fn run(scenario: &Scenario, model: LoopModel) -> Result<(Seen, (u64, u64)), TestCaseError> {
    let plan = build::plan(scenario, None, model);
    let recording = Recording { ios: true, sampling: Sampling::Every(Span::from_us(70)) };
    let mut simulation = Simulation::new(&plan, recording, NoObserver);
    while simulation.run_events(1000) {}
    if let Err(error) = simulation.check_conservation(&plan) {
        return Err(TestCaseError::fail(format!("{model:?}: {error}")));
    }
    let names = plan.names();
    let trains = simulation.trains();
    let (ended, balance) = (simulation.now(), *simulation.balance());
    let meters = simulation.meters(ended);
    let busy_of = |(number, blocks): (usize, usize)| {
        (0..blocks).map(|block| simulation.busy(ComponentId(number as u32), block)).collect()
    };
    let blocks = names.components.iter().map(|component| component.catalogue.blocks.len());
    let busy = blocks.enumerate().map(busy_of).collect();
    let (measurement, samples, _) = simulation.into_parts();
    let records = measurement.finish(ended).records;
    let stays = |number| {
        let mut stays: Vec<(u32, Span)> =
            records.stays(number).iter().map(|stay| (stay.line.0, stay.spent)).collect();
        stays.sort_unstable_by_key(|&(line, _)| line);
        stays
    };
    let ios = records.rows.iter().enumerate().map(|(number, io)| (*io, stays(number))).collect();
    Ok((Seen { ios, samples: samples.rows, meters, busy, balance, ended }, trains))
}

/// Runs a scenario with and without trains; returns the frames that went in them.
fn check(text: &str) -> Result<(u64, u64), TestCaseError> {
    let scenario =
        Scenario::parse(text, "random").map_err(|report| TestCaseError::fail(report.to_string()))?;
    let (stepped, none) = run(&scenario, LoopModel::Stepped)?;
    let (fast, trains) = run(&scenario, LoopModel::Fast)?;
    prop_assert_eq!(none, (0, 0));
    for (number, (s, f)) in stepped.ios.iter().zip(&fast.ios).enumerate() {
        prop_assert_eq!(s, f, "I/O {}", number);
    }
    for (s, f) in stepped.samples.iter().zip(&fast.samples) {
        prop_assert_eq!(s, f);
    }
    prop_assert_eq!(stepped, fast);
    Ok(trains)
}

/// Random systems with and without trains, of which a share has some.
fn check_many(cases: u32, ios: u32) {
    let (with, all) = (AtomicU64::new(0), AtomicU64::new(0));
    let config = ProptestConfig { cases, max_shrink_iters: 1000, ..ProptestConfig::default() };
    proptest!(config, |(text in random::scenarios(ios))| {
        let (trains, _) = check(&text)?;
        with.fetch_add(u64::from(trains > 0), Ordering::Relaxed);
        all.fetch_add(1, Ordering::Relaxed);
    });
    let (with, all) = (with.into_inner(), all.into_inner());
    println!("{with} of {all} systems had trains");
    assert!(3 * with >= all, "{with} of {all} systems had trains");
}

#[test]
fn random_systems_run_the_same_with_and_without_trains() {
    check_many(500, 60);
}

#[test]
#[ignore = "long"]
fn random_systems_run_the_same_with_and_without_trains_10_000() {
    check_many(10_000, 60);
}

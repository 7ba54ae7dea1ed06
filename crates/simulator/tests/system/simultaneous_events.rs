//! The scenario determines the order of events at one instant: no result depends on the time at which an event was scheduled, nor on the
//! order in which the tables of a scenario are written.

use crate::common::random;
use proptest::prelude::*;
use sansim_component::ComponentId;
use sansim_component::NetworkModel;
use sansim_fc::observation::Observation;
use sansim_kernel::{RandomStream, Span, Time, Total};
use sansim_observe::observer::{Observer, WantedCalls};
use sansim_pdu::PortSight;
use sansim_request::Requests;
use sansim_scenario::Scenario;
use sansim_simulator::build;
use sansim_simulator::counted::IoRecord;
use sansim_simulator::run::RecordingOptions;
use sansim_simulator::simulation::{Balance, Simulation};

/// An observer that keeps all observations.
#[derive(Default)]
struct Recorder(Vec<(Time, usize, Observation)>);

impl Observer for Recorder {
    fn wants(&self) -> WantedCalls {
        WantedCalls { ports: true, repeaters: true, ..WantedCalls::default() }
    }

    fn at_port(&mut self, now: Time, station: usize, what: PortSight, _requests: &Requests) {
        let Some(what) = Observation::from_port_sight(what) else { return };
        self.0.push((now, station, what));
    }
}

/// All results of a run.
#[derive(Debug, PartialEq)]
struct Seen {
    ios: Vec<(IoRecord, Vec<(String, Span)>)>,
    observations: Vec<(Time, usize, Observation)>,
    meters: Vec<Total>,
    /// The busy times of the blocks of each component.
    busy: Vec<Vec<Total>>,
    balance: Balance,
    ended: Time,
    events: u64,
}

/// Runs a scenario with this model. With a number the moments of scheduling are shuffled before every event.
fn run(text: &str, model: NetworkModel, shuffled: Option<u64>) -> Result<Seen, TestCaseError> {
    let scenario =
        Scenario::parse_text(text, "random").map_err(|report| TestCaseError::fail(report.to_string()))?;
    let plan = build::plan_system(&scenario, None, model);
    let mut recorder = Recorder::default();
    let mut simulation = Simulation::new(&plan, RecordingOptions::IOS, Some(&mut recorder));
    let mut random = shuffled.map(|seed| RandomStream::new(seed, "shuffle"));
    while {
        if let Some(random) = &mut random {
            simulation.shuffle_pending_events(random);
            let undecided = simulation.undecided_events();
            prop_assert!(undecided.is_empty(), "{}", undecided.join("\n"));
        }
        simulation.run_events(1)
    } {}
    let names = plan.observer_names();
    let (ended, events) = (simulation.now(), simulation.event_count());
    let (meters, balance) = (simulation.meters(ended), *simulation.balance_counts());
    let busy_of = |(number, blocks): (usize, usize)| {
        (0..blocks).map(|block| simulation.busy_time(ComponentId(number as u32), block)).collect()
    };
    let blocks = names.components.iter().map(|component| component.catalogue.blocks.len());
    let busy = blocks.enumerate().map(busy_of).collect();
    let (measurement, _) = simulation.into_measurement_and_samples();
    let mut observations = recorder.0;
    // Observations at one station keep their order; observations of two stations at the same tick have no
    // order.
    observations.sort_by_key(|(time, station, _)| (*time, *station));
    let records = measurement.finish(ended).records;
    // Workloads are numbered in the order of their tables, and so may be the places of the ledger.
    let mut workloads: Vec<&str> = names.workloads.iter().map(|workload| &*workload.name).collect();
    workloads.sort_unstable();
    let by_name = |(number, io): (usize, &IoRecord)| {
        let workload = &names.workloads[io.workload as usize].name;
        let workload = workloads.iter().position(|name| name == workload).expect("a workload") as u32;
        let stays = records.dwells_of_io(number).iter();
        let mut stays: Vec<_> = stays.map(|stay| (names.line_name(stay.line), stay.spent)).collect();
        stays.sort_unstable();
        (IoRecord { workload, ..*io }, stays)
    };
    let ios = records.rows.iter().enumerate().map(by_name).collect();
    Ok(Seen { ios, observations, meters, busy, balance, ended, events })
}

fn compare(what: &str, one: &Seen, other: &Seen) -> Result<(), TestCaseError> {
    for (one, other) in one.ios.iter().zip(&other.ios) {
        prop_assert_eq!(one, other, "{}", what);
    }
    for (one, other) in one.observations.iter().zip(&other.observations) {
        prop_assert_eq!(one, other, "{}", what);
    }
    prop_assert!(one == other, "{what}: as many events, the same use, the same end");
    Ok(())
}

/// The text with its tables in another order.
fn with_tables_shuffled(text: &str, seed: u64) -> String {
    let mut tables: Vec<String> = Vec::new();
    let mut last = "";
    for line in text.lines() {
        if let Some(header) = line.strip_prefix('[') {
            let name = header.split(['.', ']']).next().unwrap_or("");
            if name != last {
                tables.push(String::new());
                last = name;
            }
        }
        if let Some(table) = tables.last_mut() {
            *table += line;
            table.push('\n');
        }
    }
    let mut random = RandomStream::new(seed, "tables");
    for last in (1..tables.len()).rev() {
        tables.swap(last, random.draw_below(last as u64 + 1) as usize);
    }
    tables.concat()
}

fn check(text: &str, seed: u64) -> Result<(), TestCaseError> {
    for model in [NetworkModel::Fast, NetworkModel::Reference] {
        compare(&format!("{model:?} loop"), &run(text, model, None)?, &run(text, model, Some(seed))?)?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(100), max_shrink_iters: 300, ..ProptestConfig::default() })]
    #[test]
    fn no_result_depends_on_when_an_event_was_scheduled(text in random::scenarios(30), seed in any::<u64>()) {
        check(&text, seed)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(100), max_shrink_iters: 300, ..ProptestConfig::default() })]
    #[test]
    fn no_result_depends_on_the_order_in_which_tables_are_written(text in random::scenarios(60), seed in any::<u64>()) {
        let written = run(&text, NetworkModel::Fast, None)?;
        compare("tables", &written, &run(&with_tables_shuffled(&text, seed), NetworkModel::Fast, None)?)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, max_shrink_iters: 300, ..ProptestConfig::default() })]
    /// The test is the long run: `cargo test --release -p sansim-simulator --test system -- simultaneous_events::
    /// --ignored`.
    #[test]
    #[ignore = "long"]
    fn no_result_depends_on_when_an_event_was_scheduled_3_000(text in random::scenarios(60), seed in any::<u64>()) {
        check(&text, seed)?;
    }
}

/// Hosts and drives on floors with arm switches, all alike and in step: many events happen at one moment.
fn on_floors(routing: &str, delay: &str) -> String {
    let mut text = format!(
        "[run]\nmeasured_ios = 40\nwarm_up = 2\n[san]\nkind = \"fabric\"\nspeed = \"4GFC\"\ntopology = \"floors+\"\nfloors = 2\n\
         routing = \"{routing}\"\nswitch.buffers = 2\nswitch.routing_delay = \"{delay}\"\n\
         stations = [\"host0\", \"host1\", \"host2\", \"drives\"]\n[drives]\nkind = \"drives\"\nmodel = \"ram\"\ntransfer_rate = \"100 GB/s\"\ncount = 6\n"
    );
    for host in 0..3 {
        text += &format!(
            "[host{host}]\nkind = \"host\"\n[load{host}]\nkind = \"closed\"\nfrom = \"host{host}\"\nto = [\"drives\"]\n\
             size = \"16 KiB\"\nread_fraction = 0.5\nqueue_depth = 2\n"
        );
    }
    text
}

#[test]
fn no_result_of_a_fabric_depends_on_when_an_event_was_scheduled() -> Result<(), TestCaseError> {
    for (seed, (routing, delay)) in
        [("deterministic", "0 ns"), ("exchange", "150 ns"), ("up-down", "1 us")].into_iter().enumerate()
    {
        let text = on_floors(routing, delay);
        let plain = run(&text, NetworkModel::Fast, None)?;
        compare(routing, &plain, &run(&text, NetworkModel::Fast, Some(seed as u64))?)?;
        compare("tables", &plain, &run(&with_tables_shuffled(&text, 7), NetworkModel::Fast, None)?)?;
    }
    Ok(())
}

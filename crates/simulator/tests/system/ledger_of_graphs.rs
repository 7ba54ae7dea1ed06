//! The ledger is compared with the blocks that it names, in systems with more than a loop and a host: the time of all I/Os in the
//! segments of a block is at most the time for which the block was at work.

use crate::common::text::scenario;
use sansim_component::ComponentId;
use sansim_component::NetworkModel;
use sansim_kernel::Time;
use sansim_request::LedgerLine;
use sansim_simulator::build;
use sansim_simulator::run::RecordingOptions;
use sansim_simulator::simulation::Simulation;

/// A place with the blocks that share some of its segments, the time by the ledgers, and the time at work. The times are in ticks,
/// of a scenario that measures all of its I/Os.
type Block = (String, u128, u128);

fn told_and_done(text: &str) -> Vec<Block> {
    let plan = build::plan_system(&scenario(text), None, NetworkModel::Fast);
    let names = plan.observer_names();
    let mut simulation = Simulation::new(&plan, RecordingOptions::default(), None);
    while simulation.run_events(1 << 12) {}
    simulation.check_conservation(&plan).unwrap_or_else(|error| panic!("{error}"));
    let mut found: Vec<Block> = Vec::new();
    let mut lines = Vec::new();
    for line in 0..names.ledger_line_count() as u32 {
        let (place, segment) = names.place_and_segment(LedgerLine(line));
        let name = format!("{} {:?}", names.places[place].name, segment.blocks);
        if segment.blocks.is_empty() || found.iter().any(|(known, ..)| *known == name) {
            lines.push(name);
            continue;
        }
        let members = (0..).zip(&names.components).filter(|(_, component)| component.place == place);
        let each =
            members.flat_map(|(id, _)| segment.blocks.iter().map(move |&block| (ComponentId(id), block)));
        let done = each.map(|(id, block)| simulation.busy_time(id, block).ticks()).sum();
        found.push((name.clone(), 0, done));
        lines.push(name);
    }
    let (measurement, ..) = simulation.into_measurement_and_samples();
    for (name, spent) in lines.iter().zip(measurement.finish(Time::NEVER).counted.spent) {
        if let Some((_, told, _)) = found.iter_mut().find(|(known, ..)| known == name) {
            *told += spent;
        }
    }
    found
}

fn check(text: &str) {
    let found = told_and_done(text);
    assert!(found.iter().any(|(_, told, _)| *told > 0), "{found:?}");
    for (block, told, done) in found {
        assert!(told <= done, "{block} was at work for {done} ticks, the ledgers say {told}:\n{text}");
    }
}

/// Times of all blocks of an adapter.
const BUSY: &str = r#"
command_time = "11 us"
xfer_rdy_time = "7 us"
response_time = "5 us"
message_time = "3 us"
dma_setup_time = "1 us"
frame_time = "2 us"
single_frame_time = "4 us"
"#;

fn load(to: &str, more: &str) -> String {
    format!("[load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"{to}\"]\nqueue_depth = 3\n{more}\n")
}

const RUN: &str = "[run]\nmeasured_ios = 400\nwarm_up = 0\n";

/// The mixes and sizes of the loads.
const LOADS: [&str; 5] = [
    "size = \"4 KiB\"\nread_fraction = 1.0",
    "size = \"4 KiB\"\nread_fraction = 0.0",
    "size = \"64 KiB\"\nread_fraction = 0.5",
    "size = \"512 B\"\nread_fraction = 0.5\nthink_time = \"100 us\"",
    "size = \"100000 B\"\nread_fraction = 0.3",
];

const DRIVES: [&str; 4] = [
    "access_time = \"500 us\"",
    "model = \"ram\"\nconcurrency = 4\nburst = \"16 KiB\"\nread_sequence = \"16 KiB\"",
    "access_time = { distribution = \"exponential\", mean = \"300 us\" }\nwrite_transfer = \"after-data\"",
    "access_time = \"500 us\"\ncache = \"128 KiB\"",
];

#[test]
fn of_a_controller_between_two_loops() {
    for more in LOADS {
        for drives in DRIVES {
            for (processor, busy, failures) in
                [("0 ns", "", ""), ("200 us", BUSY, ""), ("300 us", BUSY, "yes")]
            {
                let event = "[[event]]\nat = \"9 ms\"\ndo = \"fail\"\nwhat = \"disks[1]\"\n";
                let events = if failures.is_empty() { "" } else { event };
                check(&format!(
                    "{RUN}{events}
                    [front]\nkind = \"arbitrated-loop\"\nspeed = \"2GFC\"\nstations = [\"host\", \"bridge.front\"]
                    [back]\nkind = \"arbitrated-loop\"\nspeed = \"1GFC\"\nstations = [\"bridge.back\", \"disks\"]
                    [host]\nkind = \"host\"\n[host.driver]\narrival_time = \"9 us\"\ncompletion_time = \"8 us\"\n[host.adapter]{busy}
                    [bridge]\nkind = \"controller\"\nto = [\"disks\"]\nprocessor_time = \"{processor}\"
                    [bridge.front]{busy}
                    [bridge.back]{busy}
                    [disks]\nkind = \"drives\"\ncount = 3\ntransfer_rate = \"80 MB/s\"\n{drives}\n[disks.adapter]{busy}
                    {}",
                    load("bridge", more)
                ));
            }
        }
    }
}

#[test]
fn of_drives_and_mirrors_joined_straight_to_a_host() {
    for more in LOADS {
        for drives in DRIVES {
            let disks =
                format!("[disks]\nkind = \"drives\"\ncount = 3\ntransfer_rate = \"80 MB/s\"\n{drives}\n");
            let host = |attached: &str| {
                let driver = "[host.driver]\narrival_time = \"9 us\"\ncompletion_time = \"8 us\"\n";
                format!("[host]\nkind = \"host\"\nattached = [\"{attached}\"]\n{driver}")
            };
            check(&[RUN, &disks, &host("disks"), &load("disks", more)].concat());
            let mirror = "[mirror]\nkind = \"mirror\"\nto = [\"disks\"]\nread_policy = \"round-robin\"\n";
            check(&[RUN, &disks, mirror, &host("mirror"), &load("mirror", more)].concat());
            let event = "[[event]]\nat = \"9 ms\"\ndo = \"fail\"\nwhat = \"disks[0]\"\n";
            check(&[RUN, event, &disks, mirror, &host("mirror"), &load("mirror", more)].concat());
        }
    }
}

#[test]
fn of_two_ways_to_each_drive() {
    for more in LOADS {
        for drives in DRIVES {
            let text = format!(
                "{RUN}
                [left]\nkind = \"arbitrated-loop\"\nspeed = \"2GFC\"\nstations = [\"host.adapters.a\", \"disks.adapters.a\"]
                [right]\nkind = \"arbitrated-loop\"\nspeed = \"1GFC\"\nstations = [\"host.adapters.b\", \"disks.adapters.b\"]
                [host]\nkind = \"host\"\npath = \"round-robin\"
                [host.adapters.a]{BUSY}
                [host.adapters.b]{BUSY}
                [disks]\nkind = \"drives\"\ncount = 2\ntransfer_rate = \"80 MB/s\"\n{drives}
                [disks.adapters.a]{BUSY}
                [disks.adapters.b]{BUSY}
                {}",
                load("disks", more)
            );
            check(&text);
        }
    }
}

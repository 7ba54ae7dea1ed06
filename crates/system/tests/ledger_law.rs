//! The ledger against the blocks it names: the time of all I/Os in the segments of a block is never more than the block was
//! at work, and as much where the steps of an I/O cannot overlap.

mod common;

use common::{random, run};
use proptest::prelude::*;
use sansim_fc::arbitrated_loop::LoopModel;
use sansim_kernel::Time;
use sansim_observe::ledger::{Block, Segment};
use sansim_observe::observer::NoObserver;
use sansim_scenario::Scenario;
use sansim_system::build;
use sansim_system::run::Recording;
use sansim_system::simulation::Simulation;
use sansim_system::summary::{Component, Summary};

/// Time in the segments of each block and time at work of each, in ticks, in the order of [`Block::ALL`]; of a scenario that
/// measures all of its I/Os, up to its very end.
fn told_and_done(text: &str) -> Vec<(Block, u128, u128)> {
    let scenario = Scenario::parse(text, "random").unwrap_or_else(|report| panic!("{report}"));
    let plan = build::plan(&scenario, None, LoopModel::Fast);
    let mut simulation = Simulation::new(&plan, Recording::default(), NoObserver);
    while simulation.run_events(1 << 12) {}
    simulation.check_conservation(&plan).unwrap_or_else(|error| panic!("{error}"));
    let done = Block::ALL.map(|block| simulation.busy(block).ticks());
    let (measurement, ..) = simulation.into_parts();
    let spent = measurement.finish(Time::NEVER).counted.spent;
    let told = |block| {
        let of_block = |(segment, spent): (&Segment, u128)| (segment.block() == Some(block)).then_some(spent);
        Segment::ALL.iter().zip(spent).filter_map(of_block).sum()
    };
    Block::ALL.iter().zip(done).map(|(&block, done)| (block, told(block), done)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, max_shrink_iters: 500, ..ProptestConfig::default() })]

    #[test]
    fn no_more_time_is_told_of_a_block_than_it_was_at_work(text in random::scenarios(60)) {
        for (block, told, done) in told_and_done(&text) {
            prop_assert!(told <= done, "{block:?} was at work for {done} ticks, the ledgers say {told}");
        }
    }
}

/// Replaces the value of a key wherever it stands.
fn with(text: &str, key: &str, value: &str) -> String {
    let lines = text.lines().map(|line| match line.split_once(" = ") {
        Some((found, _)) if found == key => format!("{key} = {value}\n"),
        _ => format!("{line}\n"),
    });
    lines.collect()
}

/// The same system with I/Os of one frame of data, of which nothing is done at the same time: writes whose status waits until
/// the data are in memory. The access begins when the drive has the command.
fn one_thing_after_another(text: &str) -> String {
    let of_one_frame = [
        ("size", "\"512 B\""),
        ("read_fraction", "0.0"),
        ("burst_done", "\"stored\""),
        ("cache", "\"none\""),
    ];
    of_one_frame.iter().fold(text.to_owned(), |text, (key, value)| with(&text, key, value))
}

/// Takes the time from what a target does with a command before its drive has it: of that the access is under way already.
fn at_once_in_the_drive(text: &str) -> String {
    let mut in_target = false;
    let lines = text.lines().map(|line| {
        if line.starts_with('[') {
            in_target = line.contains("near") || line.contains("far");
        }
        let times = ["message_time", "command_time", "single_frame_time", "response_time"];
        match line.split_once(" = ") {
            Some((key, _)) if in_target && times.contains(&key) => format!("{key} = \"0 ns\"\n"),
            _ => format!("{line}\n"),
        }
    });
    lines.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, max_shrink_iters: 500, ..ProptestConfig::default() })]

    #[test]
    fn all_the_work_of_a_block_is_told_where_nothing_overlaps(text in random::scenarios(60)) {
        let text = one_thing_after_another(&text);
        for (block, told, done) in told_and_done(&text) {
            if block == Block::Positioning {
                prop_assert!(told <= done);
            } else {
                prop_assert_eq!(told, done, "{:?}", block);
            }
        }
        let positioning = |(block, ..): &(Block, u128, u128)| *block == Block::Positioning;
        let (_, told, done) = told_and_done(&at_once_in_the_drive(&text)).into_iter().find(positioning).unwrap();
        prop_assert_eq!(told, done, "positioning");
    }
}

/// The same system with reads of one frame of data, the status of which goes in a circuit of its own. Beside the way of the
/// data to memory go only the making of the status and its way.
fn reads_one_by_one(text: &str) -> String {
    let of_one_frame = [
        ("size", "\"512 B\""),
        ("read_fraction", "1.0"),
        ("response_circuit", "\"own\""),
        // Else the circuit may be over at the target, and the status on its way, while the data are on the wire.
        ("full_duplex", "false"),
        ("dynamic_half_duplex", "false"),
        ("command_first_closes_opened", "false"),
        ("cache", "\"none\""),
    ];
    of_one_frame.iter().fold(text.to_owned(), |text, (key, value)| with(&text, key, value))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, max_shrink_iters: 500, ..ProptestConfig::default() })]

    #[test]
    fn of_reads_all_the_work_is_told_but_that_beside_the_way_of_the_data_to_memory(
        text in random::scenarios(60)
    ) {
        let beside = [Block::Processor, Block::FrameProcess, Block::Dma, Block::Positioning];
        for (block, told, done) in told_and_done(&reads_one_by_one(&text)) {
            if beside.contains(&block) {
                prop_assert!(told <= done, "{:?}", block);
            } else {
                prop_assert_eq!(told, done, "{:?}", block);
            }
        }
    }
}

/// Mean time in a segment in ns.
fn mean(summary: &Summary, segment: Segment) -> f64 {
    summary.ledger_ns.mean.get(segment.name()).copied().unwrap_or_default()
}

#[test]
fn the_wait_for_room_among_the_outgoing_buffers_is_not_dma() {
    let set = [
        "workload.size=256 KiB",
        "workload.queue_depth=16",
        "workload.read_fraction=1.0",
        "controller.port.full_duplex=true",
        "drive.port.full_duplex=true",
        "drive.concurrency=16",
    ];
    let summary = run("scenarios/two-nodes.toml", &set);
    let [room, dma] = [Segment::OutgoingBuffer, Segment::Dma].map(|segment| mean(&summary, segment));
    assert!(room > 0.5 * summary.response_time_ns.mean, "{room} of {}", summary.response_time_ns.mean);
    let Some(Component::Drives { dma: busy, .. }) = summary.components.get("drive") else {
        panic!("a drive")
    };
    let Some(Component::Host { dma: also, .. }) = summary.components.get("controller") else {
        panic!("a host")
    };
    // By Little's law so much of the time some I/O is told to be in the DMA. At the ends of the interval one may be cut.
    let told = dma / 1e9 * summary.iops;
    assert!(told <= 1.01 * (busy + also), "{told} of the time in a DMA that is busy for {busy} and {also}");
}

#[test]
fn a_write_that_waits_for_an_earlier_one_to_be_on_the_medium_is_not_told_to_seek() {
    let set = [
        "workload.size=16 KiB",
        "workload.queue_depth=1",
        "workload.read_fraction=0.0",
        "drive.model=disk",
        "drive.access_time=5 ms",
        "drive.transfer_rate=100 MB/s",
        "drive.cache=1 MiB",
        "drive.concurrency=1",
    ];
    let summary = run("scenarios/two-nodes.toml", &set);
    let [access, waits] = [Segment::Access, Segment::MediaQueue].map(|segment| mean(&summary, segment));
    assert!(access <= 5e6, "{access} ns of seek and rotation where it takes 5 ms");
    // It waits for seek, rotation and 0.16 ms of medium of the write before, which went on meanwhile.
    assert!((4e6..5.17e6).contains(&waits), "{waits}");
}

#[test]
fn a_write_that_holds_a_circuit_for_data_from_a_slow_bus_is_told_to_hold_it() {
    let set = [
        "run.measured_ios=100",
        "workload.size=256 KiB",
        "workload.queue_depth=1",
        "workload.read_fraction=0.0",
        "controller.adapter.dma_bandwidth=50 MB/s",
        "drive.burst=whole",
    ];
    let held = |within: &str| {
        mean(&run("scenarios/two-nodes.toml", &[&set[..], &[within]].concat()), Segment::CircuitHeld)
    };
    // At 50 MB/s the data take 5.2 ms to come from memory, at 100 MB/s half of that on the wire.
    assert!(held("controller.port.within_sequence=hold") > 2e6);
    assert_eq!(held("controller.port.within_sequence=close"), 0.0);
}

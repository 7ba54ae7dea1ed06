//! The ledger is compared with the blocks that it names: at every place the time of all I/Os in the segments of a block is at
//! most the time for which the block was at work, and is equal where the steps of an I/O cannot overlap.

use crate::common::{figure, mean_ns, random, run};
use proptest::prelude::*;
use sansim_component::ComponentId;
use sansim_component::NetworkModel;
use sansim_kernel::Time;
use sansim_observe::names::{PlaceName, SystemNames};
use sansim_scenario::Scenario;
use sansim_simulator::build;
use sansim_simulator::run::RecordingOptions;
use sansim_simulator::simulation::Simulation;

/// The time of a block at a place by the ledgers, and its time at work. Blocks that work for the same segments count as one
/// block.
pub struct Told {
    /// The name of the first of the blocks.
    block: &'static str,
    /// The place of the block.
    place: String,
    /// The time of all I/Os in the segments of the block, in ticks.
    told: u128,
    /// The time at work of all members of the place together, in ticks.
    done: u128,
}

impl Told {
    pub fn is_at_most_what_was_done(&self) -> Result<(), TestCaseError> {
        let Self { block, place, told, done } = self;
        prop_assert!(told <= done, "{block} of {place} was at work for {done} ticks, the ledgers say {told}");
        Ok(())
    }

    fn is_what_was_done(&self) -> Result<(), TestCaseError> {
        prop_assert_eq!(self.told, self.done, "{} of {}", self.block, self.place);
        Ok(())
    }
}

/// The values of [`Told`] for every block of every place of a scenario that measures all of its I/Os, up to
/// its very end.
pub fn told_and_done(text: &str) -> Vec<Told> {
    let scenario = Scenario::parse_text(text, "random").unwrap_or_else(|report| panic!("{report}"));
    let plan = build::plan_system(&scenario, None, NetworkModel::Fast);
    let mut simulation = Simulation::new(&plan, RecordingOptions::default(), None);
    while simulation.run_events(1 << 12) {}
    simulation.check_conservation(&plan).unwrap_or_else(|error| panic!("{error}"));
    let SystemNames { places, components, .. } = plan.observer_names();
    let mut done = |place: usize, block: usize| -> u128 {
        let members = components.iter().enumerate().filter(|(_, component)| component.place == place);
        members.map(|(member, _)| simulation.busy_time(ComponentId(member as u32), block).ticks()).sum()
    };
    let done: Vec<Vec<u128>> = (places.iter().enumerate())
        .map(|(place, of)| (0..of.catalogue.blocks.len()).map(|block| done(place, block)).collect())
        .collect();
    let (measurement, ..) = simulation.into_measurement_and_samples();
    let spent = measurement.finish(Time::NEVER).counted.spent;
    let mut all = Vec::new();
    for (PlaceName { name, first_line, catalogue }, done) in places.iter().zip(done) {
        for (block, described) in catalogue.blocks.iter().enumerate() {
            let lines = (first_line.0 as usize..).zip(catalogue.segments);
            let named: Vec<_> = lines.filter(|(_, segment)| segment.blocks.contains(&block)).collect();
            let together = named.first().map_or(&[][..], |(_, segment)| segment.blocks);
            assert!(
                named.iter().all(|(_, segment)| segment.blocks == together),
                "the same blocks, or quite others"
            );
            assert!(!together.is_empty(), "{} is at work in no segment", described.name);
            if together[0] == block {
                all.push(Told {
                    block: described.name,
                    place: name.clone(),
                    told: named.iter().map(|(line, _)| spent[*line]).sum(),
                    done: together.iter().map(|&block| done[block]).sum(),
                });
            }
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(600), max_shrink_iters: 500, ..ProptestConfig::default() })]

    #[test]
    fn no_more_time_is_told_of_a_block_than_it_was_at_work(text in random::scenarios(60)) {
        for told in told_and_done(&text) {
            told.is_at_most_what_was_done()?;
        }
    }
}

/// Replaces all values of a key.
fn with(text: &str, key: &str, value: &str) -> String {
    let lines = text.lines().map(|line| match line.split_once(" = ") {
        Some((found, _)) if found == key => format!("{key} = {value}\n"),
        _ => format!("{line}\n"),
    });
    lines.collect()
}

/// The same system with I/Os of one frame of data, whose steps do not overlap: writes whose status waits until the data are
/// in memory. The access begins when the drive has the command.
fn one_thing_after_another(text: &str) -> String {
    let of_one_frame = [
        ("size", "\"512 B\""),
        ("read_fraction", "0.0"),
        ("burst_done", "\"stored\""),
        ("cache", "\"none\""),
    ];
    let text = of_one_frame.iter().fold(text.to_owned(), |text, (key, value)| with(&text, key, value));
    // The ledger of an I/O ends with its status, so it has no ledger line for the work of a target after
    // that.
    at_once_in_targets(&text, &["completion_time"])
}

/// Removes the time of a target before its drive has the command, because the access is in progress already.
fn at_once_in_the_drive(text: &str) -> String {
    let times = ["message_time", "command_time", "write_command_time", "single_frame_time", "response_time"];
    at_once_in_targets(text, &times)
}

/// The same system whose targets take no time for some of their steps.
fn at_once_in_targets(text: &str, times: &[&str]) -> String {
    let mut in_target = false;
    let lines = text.lines().map(|line| {
        if line.starts_with('[') {
            in_target = line.contains("near") || line.contains("far");
        }
        match line.split_once(" = ") {
            Some((key, _)) if in_target && times.contains(&key) => format!("{key} = \"0 ns\"\n"),
            _ => format!("{line}\n"),
        }
    });
    lines.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(300), max_shrink_iters: 500, ..ProptestConfig::default() })]

    #[test]
    fn all_the_work_of_a_block_is_told_where_nothing_overlaps(text in random::scenarios(60)) {
        let text = one_thing_after_another(&text);
        let is_positioning = |told: &Told| told.block == "positioning";
        for told in told_and_done(&text) {
            if is_positioning(&told) { told.is_at_most_what_was_done()? } else { told.is_what_was_done()? }
        }
        let at_once = told_and_done(&at_once_in_the_drive(&text));
        prop_assert!(at_once.iter().any(is_positioning));
        for told in at_once.into_iter().filter(is_positioning) {
            told.is_what_was_done()?;
        }
    }
}

/// The same system with its hosts on buses: one bus that is slower than most cards, and one without wait
/// states.
fn on_buses(text: &str) -> String {
    let slow = "standard = \"pci-32-33\"\nbandwidth = \"60 MB/s\"\n";
    let buffered = "standard = \"pci-x-66\"\n";
    let bus = |host: &str, keys: &str| {
        let is_there = text.contains(&format!("[{host}]\n"));
        if is_there { format!("[{host}.buses.pci]\n{keys}") } else { String::new() }
    };
    format!("{text}\n{}{}", bus("host", slow), bus("second", buffered))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(100), max_shrink_iters: 500, ..ProptestConfig::default() })]

    #[test]
    fn the_work_of_blocks_is_told_with_buses_as_without(text in random::scenarios(40)) {
        prop_assert!(text.contains("[host]"));
        for told in told_and_done(&on_buses(&text)) {
            told.is_at_most_what_was_done()?;
        }
        for told in told_and_done(&on_buses(&one_thing_after_another(&text))) {
            if told.block == "positioning" { told.is_at_most_what_was_done()? } else { told.is_what_was_done()? }
        }
    }
}

/// The same system with processors in its hosts: one processor that is interrupted and has other work, and two that
/// poll.
fn on_processors(text: &str) -> String {
    let interrupts = "model = \"interrupts\"\ninterrupt_time = \"3 us\"\ncoalescing_time = \"20 us\"\nother_load.share = \"10 %\"\n";
    let polling = "model = \"polling\"\ncount = 2\nthreads = 2\npoll_time = \"2 us\"\n";
    let processors = |host: &str, keys: &str| {
        let is_there = text.contains(&format!("[{host}]\n"));
        if is_there { format!("[{host}.processors]\n{keys}") } else { String::new() }
    };
    format!("{text}\n{}{}", processors("host", interrupts), processors("second", polling))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(100), max_shrink_iters: 500, ..ProptestConfig::default() })]

    #[test]
    fn the_work_of_blocks_is_told_with_processors_as_without(text in random::scenarios(40)) {
        prop_assert!(text.contains("[host]"));
        for told in told_and_done(&on_processors(&text)) {
            told.is_at_most_what_was_done()?;
        }
    }
}

/// The same system with reads of one frame of data, with the status in a circuit of its own. Only the preparation and the transfer of the
/// status overlap with the transfer of the data to memory.
fn reads_one_by_one(text: &str) -> String {
    let of_one_frame = [
        ("size", "\"512 B\""),
        ("read_fraction", "1.0"),
        ("response_circuit", "\"own\""),
        // Otherwise the circuit may be over at the target, and the status in flight, while the data are on the
        // wire.
        ("full_duplex", "false"),
        ("dynamic_half_duplex", "false"),
        ("command_first_closes_opened", "false"),
        ("cache", "\"none\""),
    ];
    of_one_frame.iter().fold(text.to_owned(), |text, (key, value)| with(&text, key, value))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(300), max_shrink_iters: 500, ..ProptestConfig::default() })]

    #[test]
    fn of_reads_all_the_work_is_told_but_that_beside_the_way_of_the_data_to_memory(
        text in random::scenarios(60)
    ) {
        let beside = ["processor", "incoming", "dma", "positioning"];
        for told in told_and_done(&reads_one_by_one(&text)) {
            if beside.contains(&told.block) {
                told.is_at_most_what_was_done()?;
            } else {
                told.is_what_was_done()?;
            }
        }
    }
}

/// Stacks of devices, by the tables behind the host: the name of the first device, and the tables.
const STACKS: &[(&str, &str)] = &[
    (
        "array",
        "[array]\nkind = \"raid\"\nto = [\"disks\"]\nxor_bandwidth = \"50 MB/s\"\ngalois_bandwidth = \"20 MB/s\"\nstripe_unit = \"8 KiB\"\n\
         layout = { level = \"LEVEL\" }\n[disks]\nkind = \"disks\"\ncount = 6\n",
    ),
    (
        "cache",
        "[cache]\nkind = \"cache\"\nto = [\"pool\"]\ncapacity = \"512 KiB\"\nlook_up_time = \"20 us\"\nmemory_bandwidth = \"100 MB/s\"\n\
         [pool]\nkind = \"volumes\"\nto = [\"array\"]\n[array]\nkind = \"raid\"\nto = [\"disks\"]\nxor_bandwidth = \"50 MB/s\"\n\
         layout = { level = \"LEVEL\" }\n[disks]\nkind = \"DRIVE\"\ncount = 6\nKEYS\n",
    ),
    ("disks", "[disks]\nkind = \"DRIVE\"\ncount = 3\nKEYS\n"),
    (
        "disks",
        "[loop]\nkind = \"scsi-bus\"\nspeed = \"ultra160\"\nstations = [\"host\", \"disks\"]\n[disks]\nkind = \"DRIVE\"\ncount = 3\nKEYS\n",
    ),
];

const MEDIA: &[(&str, &str)] = &[
    ("disks", "write_behind = true"),
    (
        "flash-drives",
        "blocks = 16\npages = 32\nchannels = 2\nchips = 1\nover_provisioning = \"50 %\"\nfill = 1.0\nbuffer = \"64 KiB\"\nplane_operations = \"single\"",
    ),
    (
        "flash-drives",
        "blocks = 16\npages = 32\nchannels = 2\nchips = 1\nplanes = 4\npage_order = \"PCWD\"\nover_provisioning = \"50 %\"\nfill = 1.0\nbuffer = \"64 KiB\"\nplane_operations = \"multi-plane\"\nsuspend = \"erase-and-program\"",
    ),
    ("tape-drives", ""),
    ("ram-disks", "bandwidth = \"200 MB/s\"\ncapacity = \"64 MiB\""),
    (
        "drives",
        "access_time = \"2 ms\"\ntransfer_rate = \"50 MB/s\"\ncapacity = \"64 MiB\"\ncache = \"64 KiB\"",
    ),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(120), max_shrink_iters: 200, ..ProptestConfig::default() })]

    /// The stacks have disks, flash, tape and RAM behind arrays, caches and volumes, or on a SCSI bus.
    #[test]
    fn no_more_is_told_of_blocks_of_stacked_devices_than_they_were_at_work(
        (stack, medium) in (prop::sample::select(STACKS), prop::sample::select(MEDIA)),
        level in prop::sample::select(vec!["0", "1+0", "4", "5", "6"]),
        (size, depth, reads, seed) in (1..64_u32, 1..12_u32, 0..=10_u32, 0..1_000_u32),
    ) {
        let (first, tables) = stack;
        let tables = tables.replace("LEVEL", level).replace("DRIVE", medium.0).replace("KEYS", medium.1);
        let attached = if tables.contains("[loop]") { String::new() } else { format!("attached = [\"{first}\"]") };
        let text = format!(
            "[run]\nmeasured_ios = 200\nwarm_up = 0\nseed = {seed}\n[host]\nkind = \"host\"\n{attached}\n{tables}\
             [load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"{first}\"]\nsize = \"{} B\"\nqueue_depth = {depth}\nread_fraction = {:.1}\n",
            512 * size, f64::from(reads) / 10.0
        );
        for told in told_and_done(&text) {
            told.is_at_most_what_was_done()?;
        }
    }
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
    // The mean is over both adapters together.
    let mean = |segment: &str| {
        ["controller", "drive"]
            .map(|of| mean_ns(&summary, &format!("{of}.adapter.{segment}")))
            .iter()
            .sum::<f64>()
    };
    let [room, dma] = ["outgoing_buffer", "dma"].map(mean);
    assert!(room > 0.5 * summary.response_time_ns.mean, "{room} of {}", summary.response_time_ns.mean);
    let [busy, also] = ["drive", "controller"].map(|of| figure(&summary, of, "dma"));
    // By Little's law this is the share of time in which an I/O is in the DMA according to its ledger. At the ends of the
    // interval one I/O may be cut.
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
    let [access, waits] = ["drive.access", "drive.media_queue"].map(|line| mean_ns(&summary, line));
    assert!(access <= 5e6, "{access} ns of seek and rotation where it takes 5 ms");
    // The request waits for seek, rotation and 0.16 ms of medium of the write before, which was in progress
    // meanwhile.
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
        mean_ns(&run("scenarios/two-nodes.toml", &[&set[..], &[within]].concat()), "loop.circuit_held")
    };
    // At 50 MB/s the data take 5.2 ms to come from memory, and half of that on the wire at 100 MB/s.
    assert!(held("controller.port.within_sequence=hold") > 2e6);
    assert_eq!(held("controller.port.within_sequence=close"), 0.0);
}

//! A parallel SCSI bus with its hosts and devices: closed forms, laws, and failures.

use crate::common::text::{assert_adds_up, assert_near, run, scenario};
use crate::common::{figure, load, run as run_file};
use proptest::prelude::*;
use sansim_observe::observers::WatchOptions;
use sansim_scenario::Scenario;
use sansim_simulator::{RunError, RunFlow, RunOptions};

/// The adapter takes almost no time.
const IDEAL: &str = "adapter.dma_bandwidth = \"1 TB/s\"\nadapter.request_bytes = \"0 B\"\n";

/// Hosts, and RAM disks behind a bus.
#[derive(Clone, Debug)]
struct System {
    bus: String,
    hosts: usize,
    disks: usize,
    latency_ns: u64,
    size: u64,
    reads: bool,
    depth: u32,
    run: &'static str,
    device: String,
    host: String,
}

impl Default for System {
    fn default() -> Self {
        Self {
            bus: String::new(),
            hosts: 1,
            disks: 1,
            latency_ns: 0,
            size: 16_384,
            reads: true,
            depth: 1,
            run: "measured_ios = 20\nwarm_up = 0",
            device: String::new(),
            host: String::new(),
        }
    }
}

impl System {
    fn text(&self) -> String {
        let Self { bus, hosts, disks, latency_ns, size, reads, depth, run, device, host } = self;
        let names: Vec<String> = (0..*hosts).map(|number| format!("\"host{number}\"")).collect();
        let mut text = format!(
            "[run]\n{run}\n[bus]\nkind = \"scsi-bus\"\n{bus}\nstations = [{}, \"disks\"]\n[disks]\nkind = \"ram-disks\"\ncount = {disks}\n\
             latency = \"{latency_ns} ns\"\nbandwidth = \"10 TB/s\"\n{IDEAL}{device}\n",
            names.join(", ")
        );
        for number in 0..*hosts {
            text += &format!(
                "[host{number}]\nkind = \"host\"\n{IDEAL}{host}\n[load{number}]\nkind = \"closed\"\nfrom = \"host{number}\"\nto = \"disks\"\n\
                 size = \"{size} B\"\nread_fraction = {}.0\nqueue_depth = {depth}\n",
                u8::from(*reads)
            );
        }
        text
    }

    fn response_ns(&self) -> f64 {
        run(&self.text()).summary.response_time_ns.mean
    }
}

/// An I/O without other I/Os, and the sum of the phases of its connections.
#[derive(Clone, Debug)]
struct Alone {
    rate_mb: u64,
    arbitration_us: u64,
    clean_up_us: u64,
    byte_ns: u64,
    blocks: u64,
    latency_us: u64,
    reads: bool,
    never: bool,
}

impl Alone {
    fn system(&self) -> System {
        let &Self { rate_mb, arbitration_us, clean_up_us, byte_ns, blocks, latency_us, reads, never } = self;
        let disconnect = if never { "never" } else { "0 ns" };
        System {
            bus: format!(
                "speed = \"ultra160\"\nrate = \"{rate_mb} MB/s\"\narbitration = \"{arbitration_us} us\"\nclean_up = \"{clean_up_us} us\"\n\
                 control_byte = \"{byte_ns} ns\"\ndisconnect_after = \"{disconnect}\""
            ),
            latency_ns: 1_000 * latency_us,
            size: 512 * blocks,
            reads,
            ..System::default()
        }
    }

    /// The closed form, in nanoseconds.
    fn expected_ns(&self) -> f64 {
        let byte = self.byte_ns as f64;
        let [arbitration, clean_up, latency] =
            [self.arbitration_us, self.clean_up_us, self.latency_us].map(|us| 1e3 * us as f64);
        let data = 512.0 * self.blocks as f64 / self.rate_mb as f64 * 1e3;
        // The messages are three bytes, the command ten; status and COMMAND COMPLETE follow.
        let (opening, status) = (arbitration + 3.0 * byte, 2.0 * byte);
        let before = opening + 10.0 * byte + if self.reads { 0.0 } else { data };
        let behind = status + if self.reads { data } else { 0.0 };
        if self.never {
            return before + latency + behind;
        }
        // DISCONNECT, behind data with SAVE DATA POINTER. A target with a disconnect time of zero disconnects although it only has to move
        // the data.
        let disconnects = clean_up + byte * if self.reads { 1.0 } else { 2.0 };
        before + latency.max(disconnects) + opening + behind
    }
}

fn alone() -> impl Strategy<Value = Alone> {
    let latency_us = prop_oneof![1 => Just(0_u64), 9 => 1..900_u64];
    let numbers = (1..400_u64, 0..600_u64, 0..600_u64, 0..500_u64, 1..300_u64, latency_us);
    (numbers, any::<bool>(), any::<bool>()).prop_map(
        |((rate_mb, arbitration_us, clean_up_us, byte_ns, blocks, latency_us), reads, never)| Alone {
            rate_mb,
            arbitration_us,
            clean_up_us,
            byte_ns,
            blocks,
            latency_us,
            reads,
            never,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(120), failure_persistence: None, ..ProptestConfig::default() })]

    /// The sum leaves out the clean-up of an earlier I/O, which the first I/O does not have. An adapter moves a piece in 2 ns, the disk a
    /// block in 51 ps.
    #[test]
    fn an_io_alone_takes_what_the_phases_of_its_connections_add_up_to(alone in alone()) {
        let result = run(&System { run: "measured_ios = 1\nwarm_up = 0", ..alone.system() }.text());
        assert_adds_up(&result);
        let (found, expected) = (result.summary.response_time_ns.mean, alone.expected_ns());
        let moved = 30.0 + 0.1 * alone.blocks as f64;
        prop_assert!((found - expected).abs() < moved, "{found} ns, expected {expected} ns");
    }

    #[test]
    fn a_faster_bus_never_makes_an_io_alone_slower(alone in alone(), more in 1..400_u64, less in 1..100_u64) {
        let now = alone.system().response_ns();
        let faster = Alone { rate_mb: alone.rate_mb + more, ..alone.clone() };
        let sooner = Alone { arbitration_us: alone.arbitration_us.saturating_sub(less), ..alone.clone() };
        let cleaner = Alone { clean_up_us: alone.clean_up_us.saturating_sub(less), ..alone.clone() };
        let terse = Alone { byte_ns: alone.byte_ns.saturating_sub(less), ..alone };
        for other in [faster, sooner, cleaner, terse] {
            let then = other.system().response_ns();
            prop_assert!(then <= now + 0.01, "{now} ns, and {then} ns with {other:?}");
        }
    }

    /// Whatever is lost and given up, the bus is free again, every I/O comes back, and ledgers add up.
    #[test]
    fn nothing_is_left_on_a_bus_with_lost_frames_and_aborts(
        seed in 0..1_000_u64, loss in 0..3_u32, never in any::<bool>(), reads in any::<bool>(), depth in 1..5_u32
    ) {
        let disconnect = if never { "never" } else { "30 us" };
        let system = System {
            bus: format!("speed = \"ultra160\"\ndisconnect_after = \"{disconnect}\"\ncontrol_byte = \"100 ns\""),
            hosts: 2,
            disks: 3,
            latency_ns: 400_000,
            reads,
            depth,
            run: "measured_ios = 200\nwarm_up = 0",
            device: format!("adapter.frame_loss = {}", f64::from(loss) * 0.02),
            host: format!(
                "driver.time_out = \"30 ms\"\ndriver.retries = 50\nadapter.frame_loss = {}\nadapter.abort_answer_time = \"10 ms\"",
                f64::from(loss) * 0.02
            ),
            ..System::default()
        };
        let text = system.text().replace("measured_ios", &format!("seed = {seed}\nmeasured_ios"));
        assert_adds_up(&run(&text));
    }
}

/// The hosts always want the bus, and a store without service time keeps it: one request follows the other.
#[test]
fn a_saturated_bus_carries_what_the_closed_form_says() {
    for (overheads, per_connection_ns) in [("standard", 4_980.0), ("friedman", 1e6)] {
        for (speed, rate) in [("fast", 10e6), ("fast-wide", 20e6), ("ultra160", 160e6), ("ultra320", 320e6)] {
            for size in [512_u64, 16_384, 131_072] {
                let result = run(&System {
                    bus: format!(
                        "speed = \"{speed}\"\noverheads = \"{overheads}\"\ndisconnect_after = \"never\""
                    ),
                    hosts: if speed == "fast" { 2 } else { 4 },
                    size,
                    depth: 3,
                    run: "measured_ios = 400\nwarm_up = 20",
                    ..System::default()
                }
                .text());
                let data = size as f64 / rate * 1e9;
                let summary = &result.summary;
                let per_s = 1e9 / (data + per_connection_ns);
                assert_near("I/Os per second", summary.iops, per_s, 3e-3);
                assert_near("data", figure(summary, "bus", "data"), data / (data + per_connection_ns), 3e-3);
                assert_near("taken", figure(summary, "bus", "utilisation"), 1.0, 3e-3);
                assert!(figure(summary, "bus", "held") < 2e-3, "a store of no time");
            }
        }
    }
}

#[test]
fn who_has_the_id_of_highest_priority_is_never_kept_waiting_by_others_that_have_not() {
    let of = |ids: &str| {
        let result = run(&System {
            bus: format!("speed = \"ultra160\"\ndisconnect_after = \"never\"\nids = {ids}"),
            hosts: 3,
            depth: 2,
            run: "measured_ios = 300\nwarm_up = 0",
            ..System::default()
        }
        .text());
        let rate =
            |host: usize| result.ios.rows.iter().filter(|io| usize::from(io.workload as u16) == host).count();
        [0, 1, 2].map(rate)
    };
    // Two of its commands are present whenever the bus is free, except at the very first moment.
    let [first, second, third] = of("[7, 6, 15, 0]");
    assert!(first >= 296 && second <= 2 && third <= 2, "{first}, {second}, {third}");
    let [first, second, third] = of("[8, 15, 0, 7]");
    assert!(third >= 296 && second <= 2 && first <= 2, "{first}, {second}, {third}");
}

#[test]
fn disks_that_disconnect_work_side_by_side_and_those_that_do_not_one_at_a_time() {
    let system = |disconnect: &str| System {
        bus: format!("speed = \"ultra160\"\ndisconnect_after = \"{disconnect}\""),
        disks: 4,
        latency_ns: 5_000_000,
        run: "measured_ios = 200\nwarm_up = 10",
        ..System::default()
    };
    let rate = |disconnect: &str| run(&system(disconnect).text()).summary.iops;
    // A request takes 5 ms and 107 us of the bus; the remaining phases of two connections overlap.
    assert_near("one at a time", rate("never"), 1e6 / (5_000.0 + 102.4 + 4.98), 2e-3);
    let side_by_side = rate("0 ns");
    assert!(side_by_side > 3.8 * 1e6 / (5_000.0 + 102.4 + 2.0 * 4.98), "{side_by_side}");
}

#[test]
fn the_example_adds_up_and_a_bus_of_friedman_holds_its_disks_back() {
    let example =
        run(&std::fs::read_to_string(crate::common::repository("scenarios/scsi-bus.toml")).expect("a file"));
    assert_adds_up(&example);
    let now = run_file("scenarios/scsi-bus.toml", &[]);
    let slow = run_file("scenarios/scsi-bus.toml", &["bus.overheads=friedman"]);
    let alone = run_file("scenarios/scsi-bus.toml", &["bus.disconnect_after=never"]);
    assert!(slow.iops < now.iops && alone.iops < slow.iops);
    assert!(figure(&now, "bus", "utilisation") < 0.2 && figure(&slow, "bus", "utilisation") > 0.95);
}

/// Friedman, F-P04 to F-P06, and F-R01: the paper's statements about both networks are compared with results
/// from the paper's own numbers.
#[test]
fn a_fibre_channel_link_carries_what_the_paper_says_where_a_scsi_bus_carries_half() {
    const BOTH: &str = "studies/friedman-2001/scenarios/scsi-against-fibre-channel.toml";
    let both = run_file(BOTH, &[]);
    let share = figure(&both, "bus", "data");
    // F-P05, "about 50 %", is computed for the fastest of the buses for which the paper calls such delays acceptable: 0.8192 of
    // 1.8192 ms.
    assert_near("F-P05", share, 0.45, 0.01);
    // At 160 MB/s the share is a tenth: "more and more of the bandwidth is consumed by this".
    let faster = run_file(BOTH, &["bus.speed=ultra160"]);
    assert_near("at 160 MB/s", figure(&faster, "bus", "data"), 0.1024 / 1.1024, 0.01);
    // F-P06 is 80 MB/s or better over a link of 100 MB/s.
    let clients = ["fc-a-load", "fc-b-load", "fc-c-load", "fc-d-load"];
    let summary = serde_json::to_value(&both).expect("JSON");
    let rate = |name: &&str| summary["workloads"][*name]["bytes_per_second"].as_f64().expect("a rate");
    let carried: f64 = clients.iter().map(rate).sum::<f64>() / 1e6;
    assert!((80.0..=103.0).contains(&carried), "F-P06: {carried} MB/s");
}

#[test]
fn the_model_of_queues_agrees_where_the_bus_is_all_that_there_is() {
    let text = System {
        bus: "speed = \"fast-wide\"\noverheads = \"friedman\"".to_owned(),
        hosts: 2,
        disks: 4,
        latency_ns: 2_000_000,
        run: "measured_ios = 600\nwarm_up = 60",
        ..System::default()
    }
    .text();
    let simulated = run(&text).summary.iops;
    let expected: f64 =
        sansim_analytic::analyse(&scenario(&text)).workloads.0.iter().filter_map(|(_, load)| load.iops).sum();
    // The bus is always wanted: two connections of a millisecond each, and 0.8192 ms of data.
    assert_near("simulated", simulated, 1e6 / 2_819.2, 5e-3);
    assert_near("worked out", expected, simulated, 1e-2);
}

/// Checks that a scenario is refused, with this message.
#[track_caller]
fn assert_told(text: &str, why: &str) {
    let told = Scenario::parse_text(text, "a test").expect_err("a fault").to_string();
    assert!(told.contains(why), "{told}");
}

#[test]
fn what_cannot_be_on_a_bus_is_told() {
    let of = |bus: &str, disks: usize| System { bus: bus.to_owned(), disks, ..System::default() }.text();
    assert_told(&of("speed = \"ultra160\"", 16), "17 ports on a SCSI bus: with \"ultra160\" it has 16 IDs");
    assert_told(&of("speed = \"ultra\"", 8), "9 ports on a SCSI bus: with \"ultra\" it has 8 IDs");
    assert_told(&of("speed = \"ultra160\"\nids = [7]", 2), "1 SCSI IDs are given for 3 ports");
    assert_told(&of("speed = \"ultra160\"\nids = [3, 3]", 1), "SCSI ID 3 is given to two ports");
    assert_told(&of("speed = \"ultra\"\nids = [7, 8]", 1), "SCSI ID 8 needs 16 bits");
    assert_told(&of("speed = \"ultra160\"\nefficiency = 0.0", 1), "nothing would ever be moved");
    let text = of("speed = \"ultra160\"", 1);
    let two = "adapter.protocol = \"two-message\"\n";
    let spoken = text.replace(IDEAL, &format!("{IDEAL}{two}"));
    assert_told(&spoken, "knows the sequences of FCP only");
    let addressed = text.replace("latency =", "port.al_pa = \"01\"\nlatency =");
    assert_told(&addressed, "the SCSI bus `bus`, which has no AL_PAs");
}

#[test]
fn a_trace_of_frames_is_refused_where_there_are_none() {
    let path = std::env::temp_dir().join("sansim-scsi-trace.txt");
    let watch = WatchOptions { trace: Some((path.clone(), Default::default())), ..WatchOptions::default() };
    let options = RunOptions { watch, ..RunOptions::default() };
    let result =
        sansim_simulator::run(&load("scenarios/scsi-bus.toml", &[]), &options, &mut |_| RunFlow::Continue);
    assert!(matches!(result, Err(RunError::NoFrames(..))));
    assert!(!path.exists());
}

//! Systems that fall into lock step, and the effect of each countermeasure: the numbers of
//! `docs/model/lock-step.md`.

use sansim_component::NetworkModel;
use sansim_scenario::Scenario;
use sansim_simulator::RunFlow;
use sansim_simulator::build;
use sansim_simulator::run::{RecordingOptions, run_plan};

/// The load is reads of 512 KiB in full duplex over 100 km at 8GFC, with buffers for a round trip.
const FAR_READS: &str = r#"
[run]
measured_ios = 60
warm_up = 3
[loop]
kind = "arbitrated-loop"
speed = "8GFC"
cable = "100 km"
stations = ["controller", "drive"]
[controller]
kind = "host"
port = { incoming_buffers = 403, full_duplex = true }
[drive]
kind = "drives"
model = "ram"
transfer_rate = "1000 GB/s"
port = { incoming_buffers = 403, full_duplex = true }
adapter = { dma_bandwidth = "10 GB/s" }
[workload]
kind = "closed"
from = "controller"
to = ["drive"]
size = "512 KiB"
queue_depth = 8
"#;

/// The load is writes in half duplex to four drives, with 1 km of cable behind each port.
const FAR_WRITES: &str = r#"
[run]
measured_ios = 800
warm_up = 10
[loop]
kind = "arbitrated-loop"
speed = "2GFC"
cable = "1 km"
stations = ["controller", "drives"]
[controller]
kind = "host"
port = { incoming_buffers = 4, login_credit = 1 }
adapter = { xfer_rdy_time = "20 us", outgoing_buffers = 64 }
[drives]
kind = "drives"
count = 4
model = "ram"
transfer_rate = "1000 GB/s"
concurrency = 64
port = { incoming_buffers = 4, login_credit = 1 }
[workload]
kind = "closed"
from = "controller"
to = ["drives"]
size = "32 KiB"
read_fraction = 0.0
queue_depth = 4
"#;

/// The load is writes in half duplex with two bursts each, and a main processor that is slow with commands.
const BURSTS: &str = r#"
[run]
measured_ios = 1500
warm_up = 12
[loop]
kind = "arbitrated-loop"
speed = "2GFC"
cable = "10 m"
stations = ["controller", "drives"]
[controller]
kind = "host"
port = { incoming_buffers = 4, login_credit = 1 }
adapter = { command_time = "20 us" }
[drives]
kind = "drives"
count = 4
model = "ram"
transfer_rate = "1000 GB/s"
concurrency = 64
burst = "8 KiB"
port = { incoming_buffers = 4, login_credit = 1 }
adapter = { command_time = "10 us", frame_time = "400 ns" }
[workload]
kind = "closed"
from = "controller"
to = ["drives"]
size = "16 KiB"
read_fraction = 0.0
queue_depth = 32
"#;

/// The rate in megabytes (10^6) per second.
fn rate(text: &str, set: &[(&str, &str)]) -> f64 {
    let overrides: Vec<(String, String)> = set.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
    let scenario = Scenario::parse_with(text, "lock step", &overrides).unwrap_or_else(|r| panic!("{r}"));
    let plan = build::plan_system(&scenario, None, NetworkModel::Fast);
    let result =
        run_plan(&plan, RecordingOptions::default(), None, &mut |_| RunFlow::Continue).expect("it ends");
    let rate = result.summary.bytes_per_second / 1e6;
    println!("{rate:.1} MB/s with {set:?}");
    rate
}

#[track_caller]
fn near(is: f64, documented: f64) {
    assert!((is / documented - 1.0).abs() < 0.01, "{is:.1} MB/s, the documentation says {documented}");
}

const DHD_FAR: [(&str, &str); 2] =
    [("controller.port.dynamic_half_duplex", "true"), ("drive.port.dynamic_half_duplex", "true")];
const DHD: [(&str, &str); 2] =
    [("controller.port.dynamic_half_duplex", "true"), ("drives.port.dynamic_half_duplex", "true")];

#[test]
fn a_controller_that_wins_for_its_commands_costs_far_reads_two_thirds() {
    near(rate(FAR_READS, &[("workload.queue_depth", "4")]), 820.1);
    near(rate(FAR_READS, &[]), 275.3);
    near(rate(FAR_READS, &[("controller.schedule", "command-first")]), 275.3);
    near(rate(FAR_READS, &[("drive.port.frames_per_tenancy", "403")]), 275.3);
}

#[test]
fn dhd_lets_the_data_of_all_commands_go_in_the_circuit_of_the_last() {
    near(rate(FAR_READS, &DHD_FAR), 504.6);
    near(rate(FAR_READS, &[DHD_FAR[0], DHD_FAR[1], ("workload.queue_depth", "32")]), 709.3);
}

#[test]
fn far_reads_at_depth_8_come_back_to_those_at_depth_4_if_the_drive_wins_or_has_credit_at_once() {
    let shallow = rate(FAR_READS, &[("workload.queue_depth", "4")]);
    let behind = [("controller.port.al_pa", "0xEF")];
    let credit = [("controller.port.login_credit", "403"), ("drive.port.login_credit", "403")];
    assert!(rate(FAR_READS, &behind) > 0.9 * shallow);
    assert!(rate(FAR_READS, &credit) > 0.9 * shallow);
}

#[test]
fn far_writes_are_faster_with_slower_drives_and_dhd_cures_it() {
    let (fast, slow) = (rate(FAR_WRITES, &[]), rate(FAR_WRITES, &[("drives.access_time", "100 us")]));
    near(fast, 89.2);
    near(slow, 106.4);
    near(rate(FAR_WRITES, &DHD), 144.5);
    near(rate(FAR_WRITES, &[DHD[0], DHD[1], ("drives.access_time", "100 us")]), 117.8);
    near(rate(FAR_WRITES, &[("controller.port.frames_per_tenancy", "8")]), 73.3);
    near(rate(FAR_WRITES, &[("controller.adapter.processor_order", "xfer-rdy-first")]), 89.2);
}

#[test]
fn the_base_system_with_one_drive_wants_tenancies_that_end_before_the_data_do() {
    let base = "scenarios/wang-2005-base.toml";
    let run = |frames: &str| {
        let frames = format!("controller.port.frames_per_tenancy={frames}");
        let summary = crate::common::run(
            base,
            &[
                "run.measured_ios=400",
                "run.warm_up=6",
                "workload.read_fraction=0.0",
                "workload.size=256 KiB",
                "workload.queue_depth=8",
                "drives.count=1",
                "drives.transfer_rate=1 GB/s",
                "drives.concurrency=32",
                "controller.port.circuit_frames=head",
                "controller.adapter.outgoing_buffers=16",
                &frames,
            ],
        );
        summary.bytes_per_second / 1e6
    };
    near(run("unlimited"), 186.0);
    near(run("8"), 203.3);
    near(run("128"), 204.3);
}

#[test]
fn writes_in_bursts_fall_with_depth_and_gain_if_xfer_rdy_overtakes_commands() {
    near(rate(BURSTS, &[("workload.queue_depth", "2")]), 184.5);
    let deep = rate(BURSTS, &[]);
    near(deep, 178.7);
    let first = rate(BURSTS, &[("controller.adapter.processor_order", "xfer-rdy-first")]);
    let limited = rate(BURSTS, &[("controller.adapter.commands_in_execution", "1")]);
    near(first, 181.4);
    near(limited, 182.6);
    assert!(first > deep && limited > deep);
}

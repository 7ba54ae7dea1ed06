//! The runs of the referee: short runs that together cover all features of scenarios.

/// A run of the referee: a scenario of the repository with overrides.
pub struct Case {
    /// The name of the case in the records.
    pub name: &'static str,
    /// The path of the scenario.
    pub scenario: &'static str,
    /// The overrides, `key=value`; the overrides of [`SHORT`] are used as well unless these replace them.
    pub set: &'static [&'static str],
}

/// The settings that make a run short.
pub const SHORT: [&str; 2] = ["run.measured_ios=96", "run.warm_up=1"];

impl Case {
    /// All overrides of the case.
    pub fn overrides(&self) -> Vec<&'static str> {
        let key = |set: &'static str| set.split_once('=').map(|(key, _)| key);
        let short = SHORT.into_iter().filter(|short| self.set.iter().all(|set| key(set) != key(short)));
        short.chain(self.set.iter().copied()).collect()
    }
}

const fn case(name: &'static str, scenario: &'static str, set: &'static [&'static str]) -> Case {
    Case { name, scenario, set }
}

const BASE: &str = "scenarios/wang-2005-base.toml";
const TWO: &str = "scenarios/two-nodes.toml";
const LONG: &str = "scenarios/long-loop.toml";
const TEST_BED: &str = "studies/ruwart-1999/scenarios/test-bed.toml";

/// All cases of the referee.
pub const CASES: &[Case] = &[
    // The cases that follow vary the arbitration schedules.
    case("fair", BASE, &[]),
    case(
        "unfair",
        BASE,
        &["controller.schedule=unfair", "workload.read_fraction=0.66", "workload.queue_depth=2"],
    ),
    case(
        "command-first",
        BASE,
        &["controller.schedule=command-first", "workload.read_fraction=0.66", "workload.queue_depth=2"],
    ),
    case(
        "command-first-queue",
        BASE,
        &["controller.command_first_queue=true", "workload.read_fraction=0.4", "workload.queue_depth=2"],
    ),
    case(
        "command-first-arbitration",
        BASE,
        &[
            "controller.command_first_arbitration=true",
            "workload.read_fraction=0.4",
            "workload.queue_depth=2",
        ],
    ),
    case(
        "command-first-preemption",
        BASE,
        &["controller.command_first_preemption=true", "workload.read_fraction=0.4", "workload.queue_depth=2"],
    ),
    case(
        "command-first-closes-opened",
        BASE,
        &[
            "controller.schedule=command-first",
            "controller.command_first_closes_opened=true",
            "workload.read_fraction=0.66",
            "workload.size=32 KiB",
            "workload.queue_depth=2",
        ],
    ),
    // The cases that follow vary directions and sizes.
    case("writes", BASE, &["drives.count=6", "workload.read_fraction=0.0", "drives.burst=16 KiB"]),
    case(
        "small-ios",
        BASE,
        &[
            "run.measured_ios=400",
            "run.warm_up=2",
            "workload.size=4 KiB",
            "workload.read_fraction=0.5",
            "workload.queue_depth=4",
        ],
    ),
    case(
        "odd-sizes",
        BASE,
        &[
            "drives.count=3",
            "workload.size=10001 B",
            "workload.read_fraction=0.5",
            "controller.adapter.max_payload=512 B",
            "drives.adapter.max_payload=2112 B",
            "drives.read_sequence=3000 B",
            "drives.burst=3000 B",
        ],
    ),
    // The cases that follow vary duplex.
    case("full-duplex", TWO, &["run.measured_ios=80", "run.warm_up=4"]),
    case(
        "full-duplex-deep",
        TWO,
        &[
            "run.measured_ios=300",
            "run.warm_up=2",
            "workload.size=8 KiB",
            "workload.queue_depth=32",
            "workload.read_fraction=0.66",
        ],
    ),
    case(
        "full-duplex-many",
        BASE,
        &[
            "controller.port.full_duplex=true",
            "drives.port.full_duplex=true",
            "controller.schedule=command-first",
            "workload.read_fraction=0.5",
            "workload.queue_depth=3",
        ],
    ),
    case(
        "dynamic-half-duplex",
        BASE,
        &[
            "drives.count=5",
            "controller.port.dynamic_half_duplex=true",
            "drives.port.dynamic_half_duplex=true",
            "workload.read_fraction=0.5",
            "workload.queue_depth=3",
        ],
    ),
    // The cases that follow vary credit.
    case(
        "login-credit",
        BASE,
        &[
            "drives.count=5",
            "controller.port.incoming_buffers=6",
            "controller.port.login_credit=4",
            "drives.port.login_credit=2",
            "workload.read_fraction=0.5",
        ],
    ),
    case(
        "one-buffer",
        BASE,
        &[
            "run.measured_ios=64",
            "drives.count=4",
            "controller.port.incoming_buffers=1",
            "drives.port.incoming_buffers=1",
            "controller.port.ready_between_frames=false",
            "controller.port.close_after_frames=true",
            "controller.port.frame_reaction=5 words",
            "workload.read_fraction=0.5",
        ],
    ),
    // The cases that follow vary tenancies.
    case(
        "hold",
        BASE,
        &[
            "drives.count=6",
            "controller.port.within_sequence=hold",
            "drives.port.within_sequence=hold",
            "drives.adapter.dma_bandwidth=100 MB/s",
            "workload.read_fraction=0.5",
        ],
    ),
    case(
        "close",
        BASE,
        &["drives.count=6", "drives.adapter.dma_bandwidth=100 MB/s", "workload.read_fraction=0.5"],
    ),
    case(
        "gather",
        BASE,
        &[
            "drives.count=6",
            "controller.port.within_sequence=3",
            "controller.adapter.outgoing_buffers=16",
            "drives.port.within_sequence=4",
            "drives.adapter.dma_bandwidth=100 MB/s",
            "workload.read_fraction=0.5",
        ],
    ),
    case(
        "frames-per-tenancy",
        BASE,
        &[
            "run.measured_ios=64",
            "drives.count=4",
            "controller.port.frames_per_tenancy=3",
            "drives.port.frames_per_tenancy=5",
            "workload.read_fraction=0.5",
        ],
    ),
    case("idle-outside-circuits", BASE, &["loop.access_in_circuit=true", "workload.queue_depth=3"]),
    // The cases that follow vary adapters and drivers.
    case(
        "own-response-circuit",
        BASE,
        &[
            "drives.count=6",
            "drives.adapter.response_circuit=own",
            "workload.read_fraction=0.66",
            "workload.queue_depth=2",
        ],
    ),
    case(
        "late-responses",
        BASE,
        &[
            "drives.count=6",
            "drives.adapter.response_start=sent",
            "drives.adapter.burst_done=stored",
            "drives.write_transfer=after-data",
            "workload.read_fraction=0.5",
            "workload.queue_depth=2",
        ],
    ),
    case(
        "transfer-ready-first",
        BASE,
        &[
            "run.measured_ios=120",
            "controller.adapter.processor_order=xfer-rdy-first",
            "controller.adapter.commands_in_execution=2",
            "controller.adapter.message_time=1 us",
            "workload.read_fraction=0.3",
            "workload.size=16 KiB",
            "workload.queue_depth=3",
        ],
    ),
    case(
        "commands-before-all",
        BASE,
        &[
            "run.measured_ios=120",
            "controller.adapter.processor_order=command-first",
            "controller.adapter.dma_request_first=true",
            "controller.adapter.dma_order=round-robin",
            "controller.adapter.dma_bidirectional=false",
            "drives.adapter.dma_setup_per=frame",
            "drives.adapter.dma_bidirectional=false",
            "workload.read_fraction=0.3",
            "workload.size=16 KiB",
            "workload.queue_depth=3",
        ],
    ),
    case(
        "one-command-in-execution",
        BASE,
        &[
            "run.measured_ios=120",
            "controller.adapter.commands_in_execution=1",
            "controller.adapter.outgoing_buffers=1",
            "controller.driver.outstanding_limit=7",
            "controller.driver.arrival_time=2 us",
            "controller.driver.completion_time=3 us",
            "workload.read_fraction=0.5",
            "workload.size=8 KiB",
        ],
    ),
    case(
        "pci-adapters",
        "studies/wang-2005/scenarios/ram-disk.toml",
        &["run.measured_ios=80", "workload.queue_depth=4"],
    ),
    // The cases that follow vary drives.
    case(
        "queue-in-drives",
        "scenarios/four-disks.toml",
        &[
            "run.measured_ios=120",
            "disks.access_time={ distribution = \"uniform\", low = \"10 us\", high = \"200 us\" }",
            "disks.concurrency=3",
            "workload.queue_depth=5",
            "workload.read_fraction=0.7",
        ],
    ),
    case("pending-reads", "studies/wang-2005/scenarios/pending-reads.toml", &["run.measured_ios=51"]),
    // The cases that follow are Ruwart's test bed: caches, hubs that only repeat, passes.
    case("test-bed", TEST_BED, &["run.measured_ios=400", "run.warm_up=2"]),
    case(
        "test-bed-mixture",
        TEST_BED,
        &["run.measured_ios=200", "workload.read_fraction=0.5", "workload.size=24 KiB"],
    ),
    case(
        "test-bed-writes",
        TEST_BED,
        &["run.measured_ios=60", "workload.read_fraction=0.0", "workload.size=256 KiB", "disks.count=3"],
    ),
    case(
        "test-bed-passes",
        TEST_BED,
        &[
            "run.measured_ios=240",
            "run.warm_up=0",
            "workload.ios_per_pass=10",
            "workload.size=2 KiB",
            "idle.count=6",
            "fibre-out.port.cable=15 km",
            "fibre-back.port.cable=15 km",
        ],
    ),
    // The cases that follow have large and long loops.
    case(
        "126-drives",
        BASE,
        &[
            "run.measured_ios=300",
            "run.warm_up=0",
            "drives.count=126",
            "workload.size=4 KiB",
            "workload.read_fraction=0.66",
        ],
    ),
    case("long-cable", LONG, &["run.measured_ios=6", "workload.size=512 KiB"]),
    case(
        "kilometres-of-duplex",
        LONG,
        &[
            "run.measured_ios=40",
            "loop.cable=2 km",
            "controller.port.full_duplex=true",
            "drive.port.full_duplex=true",
            "drive.concurrency=8",
            "workload.queue_depth=8",
            "workload.size=64 KiB",
            "workload.read_fraction=0.5",
        ],
    ),
    // The cases that follow vary the measurement.
    case(
        "measured-by-times",
        BASE,
        &[
            "run.measured_ios=none",
            "run.duration=20 ms",
            "run.warm_up=4 ms",
            "workload.queue_depth_per=all",
            "workload.queue_depth=20",
            "workload.size=2 KiB",
            "workload.read_fraction=0.8",
        ],
    ),
    case(
        "automatic-warm-up",
        BASE,
        &[
            "run.measured_ios=200",
            "run.warm_up=auto",
            "run.precision=2 %",
            "run.most_ios=600",
            "drives.count=4",
            "drives.access_time={ distribution = \"exponential\", mean = \"300 us\" }",
            "workload.size=2 KiB",
            "workload.queue_depth=3",
        ],
    ),
    // The cases that follow have all features at one loop, and all events at one instant.
    case("two-controllers", "crates/simulator/tests/system/referee/two-controllers.toml", &[]),
    case(
        "two-controllers-slow",
        "crates/simulator/tests/system/referee/two-controllers.toml",
        &[
            "loop.speed=1GFC",
            "run.seed=8",
            "second.schedule=command-first",
            "first.port.dynamic_half_duplex=true",
        ],
    ),
    case("all-at-once", "crates/simulator/tests/system/referee/all-at-once.toml", &[]),
    case(
        "all-at-once-fast",
        "crates/simulator/tests/system/referee/all-at-once.toml",
        &[
            "loop.speed=8GFC",
            "left.schedule=command-first",
            "right.schedule=unfair",
            "drives.access_time=0 ns",
            "drives.transfer_rate=1 TB/s",
            "drives.concurrency=1",
        ],
    ),
    // The cases that follow have a fabric of one switch, and a fabric of several switches with links of
    // little credit over a distance.
    case("switch", "scenarios/two-hosts-one-switch.toml", &["run.measured_ios=300"]),
    case(
        "switches",
        "scenarios/two-hosts-one-switch.toml",
        &[
            "run.measured_ios=300",
            "san.topology=core-edge",
            "san.routing=up-down-exchange",
            "san.speed=32GFC",
            "san.switch.buffers=2",
            "san.backbone_cable=300 m",
        ],
    ),
];

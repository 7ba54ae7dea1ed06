//! The software of TCP runs on the processors of hosts and of a NAS head (for appliances: `tcp_on_appliances.rs`): the time on an idle
//! processor and on a busy one, the component for which the work is counted, and refused settings.

use crate::common::text::{assert_adds_up, assert_near, assert_same, in_place_ns, run, scenario};
use crate::common::{figure, run_with};
use crate::tcp_on_appliances::appliance;
use proptest::prelude::*;
use sansim_scenario::{Part, Scenario};
use sansim_simulator::{RunOptions, RunResult};

/// The costs of software, each with a different value.
pub(crate) const COSTS: &str = "interrupt_cycles = 3000\nreceive_cycles = 5000\nsend_cycles = 4000\nack_cycles = 1500\ncycles_per_kib = 1000\n";

/// A host with processors, or without, and a store of no time of its own over TCP.
#[derive(Clone, Debug)]
struct System {
    lan: String,
    speed_mhz: u64,
    costs: String,
    /// The processors of the host; none if the host has none.
    processors: String,
    driver: String,
    reads: bool,
    files: bool,
    size: u64,
    depth: u32,
    run: String,
}

impl Default for System {
    fn default() -> Self {
        Self {
            lan: "window = \"1 MiB\"\nlatency = \"20 us\"\ndelayed_ack = \"1 ms\"\n".to_owned(),
            speed_mhz: 500,
            costs: COSTS.to_owned(),
            processors: String::new(),
            driver: String::new(),
            reads: true,
            files: true,
            size: 16_384,
            depth: 1,
            run: "measured_ios = 20\nwarm_up = 0".to_owned(),
        }
    }
}

impl System {
    fn text(&self) -> String {
        let Self { lan, speed_mhz, costs, processors, driver, reads, files, size, depth, run } = self;
        let protocol = if *files { "protocol = \"two-message\"\ncontrol_payload = \"128 B\"" } else { "" };
        let processors =
            if processors.is_empty() { String::new() } else { format!("[host.processors]\n{processors}") };
        format!(
            r#"
            [run]
            {run}
            [lan]
            kind = "tcp"
            rate = "125 MB/s"
            {lan}
            stations = ["host", "store"]
            [lan.stacks.hosts]
            members = ["host"]
            speed_mhz = {speed_mhz}
            {costs}
            [host]
            kind = "host"
            [host.driver]
            {driver}
            [host.adapter]
            {protocol}
            {processors}
            [store]
            kind = "ram-disks"
            latency = "10 us"
            bandwidth = "1 GB/s"
            [store.adapter]
            {protocol}
            [load]
            kind = "closed"
            from = "host"
            to = "store"
            size = "{size} B"
            read_fraction = {}.0
            queue_depth = {depth}
            "#,
            u8::from(*reads)
        )
    }

    fn with(&self, processors: &str) -> Self {
        Self { processors: processors.to_owned(), ..self.clone() }
    }

    fn run(&self) -> RunResult {
        run(&self.text())
    }
}

fn response_ns(result: &RunResult) -> f64 {
    result.summary.response_time_ns.mean
}

pub(crate) fn of(result: &RunResult, place: &str, name: &str) -> f64 {
    figure(&result.summary, place, name)
}

/// The times of all I/Os, whatever the numbers of their components are.
fn told(result: &RunResult) -> Vec<(u64, f64)> {
    result.ios.rows.iter().map(|io| (io.io, io.response.as_ns_f64())).collect()
}

/// The same work for the driver, which separate processes do where there are no processors.
const DRIVER: &str = "arrival_time = \"10 us\"\ncompletion_time = \"5 us\"";

#[test]
fn one_at_a_time_on_idle_processors_takes_exactly_what_it_takes_on_one_of_its_own() {
    for (reads, files, size) in
        [(true, true, 512), (true, false, 65_536), (false, true, 65_536), (false, false, 9_000)]
    {
        for coalesced in ["", "coalesce_frames = 4\ncoalesce_time = \"30 us\"\n"] {
            let costs = format!("{COSTS}{coalesced}");
            let free = System { reads, files, size, costs, ..System::default() };
            let one = "model = \"interrupts\"";
            assert_eq!(told(&free.run()), told(&free.with(one).run()), "{free:?}");
            // With two processors the driver works at the same time as TCP, as separate processes would.
            let driven = System { driver: DRIVER.to_owned(), ..free };
            let two = "model = \"interrupts\"\ncount = 2";
            assert_eq!(told(&driven.run()), told(&driven.with(two).run()), "{driven:?}");
            // With one processor the driver may have to wait, and never gains.
            assert!(response_ns(&driven.with(one).run()) >= response_ns(&driven.run()), "{driven:?}");
        }
    }
}

#[test]
fn software_that_takes_no_time_changes_nothing_on_processors() {
    let free = System { costs: String::new(), driver: DRIVER.to_owned(), depth: 4, ..System::default() };
    let busy = "model = \"interrupts\"\nother_load = { share = \"40 %\" }";
    let text = free.with(busy).text();
    let without = text.replace("[lan.stacks.hosts]", "[unused]").replace("members = [\"host\"]", "");
    let without = without.replace("[unused]\n", "").replace("speed_mhz = 500", "");
    assert_same(&run(&text), &run(&without));
}

/// The ledger has the time of each processor job for which a request waits: the call becomes a frame, and the last frame of the answer
/// is received, with its interrupt.
#[test]
fn the_ledger_has_the_frames_that_a_request_waits_for() {
    for size in [512, 65_536_u64] {
        let system = System { size, run: "measured_ios = 5\nwarm_up = 0".to_owned(), ..System::default() };
        let result = system.with("model = \"interrupts\"").run();
        let spent =
            |segment: &str| result.summary.ledger_ns.mean.value_named(segment).copied().unwrap_or(0.0);
        // A cycle takes 2 ns. The call has 128 bytes.
        let call = 4_000.0 * 2.0 + 1_000.0 * 2.0 * 128.0 / 1_024.0;
        let last = 5_000.0 * 2.0 + 1_000.0 * 2.0 * (size % 1_460) as f64 / 1_024.0;
        let interrupt = 3_000.0 * 2.0;
        assert_near("frame work", spent("host.processors.frame_work"), call + interrupt + last, 1e-6);
        assert_eq!(spent("host.processors.run_queue"), 0.0);
    }
    // Processor time of other work is waiting time.
    let system = System { size: 512, run: "measured_ios = 200\nwarm_up = 0".to_owned(), ..System::default() };
    let busy =
        system.with("model = \"interrupts\"\nother_load = { share = \"50 %\", slice = \"200 us\" }").run();
    let waited = busy.summary.ledger_ns.mean.value_named("host.processors.run_queue").copied().unwrap_or(0.0);
    assert!(waited > 5e3, "{waited}");
}

/// The share of the time of one processor of the host that was work of its driver and of TCP.
fn work_share(result: &RunResult, count: f64) -> f64 {
    of(result, "host.processors", "utilisation") * count
}

#[test]
fn processors_are_used_for_the_sum_of_what_driver_and_software_take() {
    for (reads, files) in [(true, true), (false, false)] {
        for count in [1, 3] {
            let system = System {
                reads,
                files,
                driver: DRIVER.to_owned(),
                depth: 4,
                run: "measured_ios = 3000\nwarm_up = 20".to_owned(),
                ..System::default()
            };
            let result = system
                .with(&format!("model = \"interrupts\"\ncount = {count}\ninterrupt_time = \"2 us\""))
                .run();
            assert_adds_up(&result);
            let io_s = result.summary.iops;
            let driver = io_s * 15e-6
                + of(&result, "host.processors", "interrupts") / result.summary.simulated_s * 2e-6;
            let tcp = of(&result, "lan", "asking_stack");
            assert!(tcp > 0.1, "{tcp}");
            assert_near("work", work_share(&result, f64::from(count)), driver + tcp, 2e-3);
            // The work of TCP equals the cost of its frames: the frames that the host sends and receives.
            let per_io = |name: &str| of(&result, "lan", name) / result.summary.ios as f64;
            let segments = (system.size as f64 / 1_460.0).floor();
            assert!(per_io("data_frames") >= segments, "{}", per_io("data_frames"));
            assert!(tcp >= io_s * segments * if reads { 10e-6 } else { 8e-6 }, "{tcp}");
        }
    }
}

#[test]
fn what_the_driver_does_and_what_tcp_does_wait_for_each_other() {
    let system = System {
        driver: "arrival_time = \"60 us\"\ncompletion_time = \"40 us\"".to_owned(),
        depth: 4,
        run: "measured_ios = 3000\nwarm_up = 20".to_owned(),
        ..System::default()
    };
    let [alone, shared] = [system.run(), system.with("model = \"interrupts\"").run()];
    assert_adds_up(&shared);
    assert!(
        response_ns(&shared) > 1.2 * response_ns(&alone),
        "{} and {}",
        response_ns(&shared),
        response_ns(&alone)
    );
    // The driver waits for TCP, in the ledger of its processors; and TCP waits for the driver, at the place of
    // its frames.
    let queue =
        shared.summary.ledger_ns.mean.value_named("host.processors.run_queue").copied().unwrap_or(0.0);
    assert!(queue > 10e3, "{queue}");
    let cheap = System { costs: String::new(), ..system.clone() }.with("model = \"interrupts\"").run();
    let without =
        cheap.summary.ledger_ns.mean.value_named("host.processors.run_queue").copied().unwrap_or(0.0);
    assert!(queue > without, "{queue} and {without}");
    assert!(in_place_ns(&shared, "lan") > in_place_ns(&alone, "lan"));
    // No processor is busy for more than the time that there is.
    assert!(work_share(&shared, 1.0) > 0.95 && work_share(&shared, 1.0) <= 1.0 + 1e-9);
}

#[test]
fn a_processor_that_is_busy_otherwise_makes_tcp_slower() {
    let system = System { run: "measured_ios = 1500\nwarm_up = 20".to_owned(), ..System::default() };
    for reads in [true, false] {
        let mut before = 0.0;
        for share in [0, 20, 40, 60, 80] {
            let keys = format!(
                "model = \"interrupts\"\nother_load = {{ share = \"{share} %\", slice = \"50 us\" }}"
            );
            let result = System { reads, ..system.clone() }.with(&keys).run();
            assert_adds_up(&result);
            assert!(response_ns(&result) > before, "{share} %: {} after {before}", response_ns(&result));
            before = response_ns(&result);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(40), failure_persistence: None, ..ProptestConfig::default() })]

    /// With one request at a time, of any size, no I/O is faster with other load than without, and none on a slower processor is faster
    /// than on a faster one.
    #[test]
    fn a_transfer_is_never_faster_on_a_busier_or_a_slower_processor(
        reads in any::<bool>(), files in any::<bool>(), blocks in 1..200_u64, speed_mhz in 50..3_000_u64, slower in 1..3_000_u64,
        share in 1..90_u32, slice_us in 1..500_u32, count in 1..3_u32
    ) {
        let system = System {
            reads,
            files,
            size: 512 * blocks,
            speed_mhz,
            driver: DRIVER.to_owned(),
            run: "measured_ios = 5\nwarm_up = 0".to_owned(),
            ..System::default()
        };
        let keys = format!("model = \"interrupts\"\ncount = {count}\n");
        let idle = system.with(&keys).run();
        let busy = system.with(&format!("{keys}other_load = {{ share = \"{share} %\", slice = \"{slice_us} us\" }}")).run();
        let speed_mhz = speed_mhz.saturating_sub(slower).max(20);
        let slow = System { speed_mhz, ..system }.with(&keys).run();
        let sum = |result: &RunResult| told(result).iter().map(|(_, ns)| ns).sum::<f64>();
        prop_assert!(sum(&busy) >= sum(&idle), "{} with other load, {} without", sum(&busy), sum(&idle));
        prop_assert!(sum(&slow) >= sum(&idle), "{} on a slower processor, {}", sum(&slow), sum(&idle));
    }

    /// Whatever is lost and whether processors poll or are interrupted, all I/Os come back, ledgers add up, and the result is the
    /// same each time.
    #[test]
    fn nothing_is_left_and_nothing_is_other_the_next_time(
        seed in 0..1_000_u64, loss in 0..6_u32, reads in any::<bool>(), files in any::<bool>(), depth in 1..5_u32, blocks in 1..150_u64,
        count in 1..4_u32, polls in any::<bool>(), share in 0..80_u32
    ) {
        let (costs, processors) = if polls {
            (COSTS.replace("interrupt_cycles = 3000\n", ""), format!("model = \"polling\"\ncount = {count}\npoll_time = \"3 us\""))
        } else {
            let load = format!("other_load = {{ share = \"{share} %\", slice = \"300 us\" }}");
            (format!("{COSTS}coalesce_frames = 3\n"), format!("model = \"interrupts\"\ncount = {count}\ninterrupt_time = \"4 us\"\n{load}"))
        };
        let system = System {
            lan: format!("frame_loss = {}\ntime_out = \"20 ms\"\ndelayed_ack = \"5 ms\"\nmtu = \"4000 B\"\n", f64::from(loss) / 100.0),
            reads, files, depth, costs, processors,
            size: 512 * blocks,
            driver: DRIVER.to_owned(),
            run: format!("seed = {seed}\nmeasured_ios = 100\nwarm_up = 0"),
            ..System::default()
        };
        let result = system.run();
        assert_adds_up(&result);
        assert_same(&result, &system.run());
        prop_assert!(of(&result, "host.processors", "utilisation") <= 1.0 + 1e-9);
        prop_assert_eq!(of(&result, "lan", "asking_interrupts") == 0.0, polls);
    }
}

#[test]
fn of_processors_that_poll_each_frame_is_found_by_a_poll() {
    let costs = COSTS.replace("interrupt_cycles = 3000\n", "");
    let system = System { costs, run: "measured_ios = 200\nwarm_up = 20".to_owned(), ..System::default() };
    let result = system.with("model = \"polling\"\ncount = 2\npoll_time = \"2 us\"").run();
    assert_adds_up(&result);
    let polls = of(&result, "host.processors", "productive_polls") / result.summary.ios as f64;
    // There are 12 frames of data, the call, and some acknowledgements that the host makes; a submission and a
    // completion.
    assert!((15.0..30.0).contains(&polls), "{polls}");
    let work = of(&result, "lan", "asking_stack") + polls * result.summary.iops * 2e-6;
    assert_near("work", work_share(&result, 2.0), work, 5e-3);
}

/// The software of the NAS head runs on the same processors as its stages.
#[test]
fn a_nas_head_does_its_frames_on_its_processors() {
    let path = "scenarios/nas.toml";
    let ios = ["run.measured_ios=3000"];
    let of_head = |keys: &[&str]| {
        let keys: Vec<&str> = ios.iter().chain(keys).copied().collect();
        run_with(path, &keys, &RunOptions::default())
    };
    let free = [
        "lan.stacks.head.interrupt_cycles=0",
        "lan.stacks.head.receive_cycles=0",
        "lan.stacks.head.send_cycles=0",
        "lan.stacks.head.ack_cycles=0",
        "lan.stacks.head.cycles_per_kib=0",
    ];
    let [now, without] = [of_head(&[]), of_head(&free)];
    let per_io = |result: &RunResult, component: &str, name: &str, count: f64| {
        of(result, component, name) * count / result.summary.iops
    };
    let tcp = per_io(&now, "lan", "serving_stack", 1.0);
    let all = per_io(&now, "nas.processors", "utilisation", 2.0);
    let stages = per_io(&without, "nas.processors", "utilisation", 2.0);
    assert!(tcp > 40e-6, "{tcp}");
    // A cache with other blocks at the same time issues a few more or fewer requests.
    assert_near("work for each I/O", all, stages + tcp, 0.03);
    // Processors that are twice as fast are busy for half the time.
    let fast = of_head(&["nas.processors.speed_mhz=4000", "lan.stacks.head.speed_mhz=4000"]);
    assert_near("at twice the speed", per_io(&fast, "nas.processors", "utilisation", 2.0), all / 2.0, 0.03);
    // Other load on the processors makes TCP wait.
    let busy = of_head(&["nas.processors.other_load={ share = \"70 %\", slice = \"2 ms\" }"]);
    let lan = |result: &RunResult| in_place_ns(result, "lan");
    assert!(lan(&busy) > 1.2 * lan(&now), "{} and {}", lan(&busy), lan(&now));
}

/// The I/Os per second by the analytic model.
pub(crate) fn analysed_iops(text: &str) -> f64 {
    let analysis = sansim_analytic::analyse(&scenario(text));
    analysis.workloads.0.iter().filter_map(|(_, load)| load.iops).sum()
}

#[test]
fn bounds_and_the_analytic_model_count_tcp_at_the_processors() {
    let system = System {
        speed_mhz: 300,
        driver: DRIVER.to_owned(),
        depth: 8,
        size: 32_768,
        run: "measured_ios = 1500\nwarm_up = 50".to_owned(),
        ..System::default()
    };
    for reads in [true, false] {
        let system = System { reads, ..system.clone() };
        let result = system.with("model = \"interrupts\"").run();
        let bound = result.summary.bounds.value_named("host_rate").expect("a bound");
        let (most, simulated) = (bound.bound.expect("applies"), bound.simulated.expect("simulated"));
        println!("reads: {reads}: {simulated} of {most} I/Os per second");
        // The cost of acknowledgements is not certain.
        assert!(simulated <= most * 1.001 && simulated > 0.7 * most, "{simulated} of {most}");
        let expected = analysed_iops(&system.with("model = \"interrupts\"").text());
        println!("analytic {expected}");
        assert_near("analytic", simulated, expected, 0.15);
    }
}

#[test]
fn stations_with_processors_and_software_are_joined_in_their_order() {
    let scenario = scenario(&appliance("model = \"interrupts\"", COSTS, "", 2));
    let graph = &scenario.graph;
    let networks =
        graph.shared.iter().filter(|link| matches!(graph.parts[link.asker.part].part, Part::Tcp(_)));
    let halves: Vec<(u32, usize)> = networks.map(|link| (link.asker.number, link.half.index())).collect();
    assert_eq!(halves, [(0, 0), (1, 1), (0, 0), (1, 1)]);
    let with = |stations: &[sansim_scenario::graph::GraphStation]| {
        stations.iter().map(|station| station.processors.is_some()).collect::<Vec<bool>>()
    };
    assert_eq!(with(&graph.loops[0].stations), [false, true, true]);
    assert_eq!(with(&graph.loops[1].stations), [true, true, false, false]);
}

/// Checks that a scenario is refused, with this message.
#[track_caller]
fn assert_told(text: &str, why: &str) {
    let told = Scenario::parse_text(text, "a test").expect_err("a fault").to_string();
    assert!(told.contains(why), "{told}");
}

#[test]
fn what_does_not_go_together_with_processors_is_told() {
    let polling = "model = \"polling\"\npoll_time = \"2 us\"";
    let of = System::default();
    assert_told(
        &of.with(polling).text(),
        "the processors of `host` run this software and poll, so no adapter interrupts them",
    );
    let coalescing = COSTS.replace("interrupt_cycles = 3000", "coalesce_frames = 4");
    assert_told(&System { costs: coalescing, ..of }.with(polling).text(), "lan.stacks.hosts.coalesce_frames");
    let slow =
        appliance("model = \"interrupts\"", COSTS, "", 1).replacen("speed_mhz = 1000", "speed_mhz = 800", 1);
    assert_told(&slow, "the processors of `nas` run this software, and have 1000 MHz and not 800");
}

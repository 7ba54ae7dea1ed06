//! In-band appliances: the time that a request uses of their processors and polls, by arithmetic; the start of threads; processors and
//! buses as limits; two nodes that take over for each other.

use crate::common::text::{assert_adds_up, assert_near, run};
use crate::common::{figure, mean_ns};
use sansim_simulator::RunResult;

/// The stages of a request at 550 MHz: 10, 20 and 10 us for a command, 5 us for the cache, 3 us for the set-up of a write, 6
/// us for the answer.
const STACK: &str = "target_emulation = { cycles = 5500 }\nauthentication = { cycles = 11000 }\nmapping = { cycles = 5500 }\n\
    cache = { cycles = 2750 }\nset_up = { cycles = 1650 }\nstatus = { cycles = 3300 }";
const READ_NS: f64 = 51_000.0;
const WRITE_NS: f64 = 54_000.0;
const POLL_NS: f64 = 2_660.0;

/// Hosts with a link of their own to one adapter each, with one workload at each host; the data are in the memory of the
/// appliance.
fn text(hosts: usize, processors: &str, load: &str, run: &str) -> String {
    let mut text = format!(
        r#"
        [run]
        {run}
        [sds]
        kind = "appliance"
        to = ["memory"]
        [sds.processors]
        {processors}
        [sds.stack]
        {STACK}
        [memory]
        kind = "cache"
        to = ["disk"]
        inside = "sds"
        capacity = "16 MiB"
        [disk]
        kind = "ram-disks"
        capacity = "8 MiB"
        bandwidth = "100 GB/s"
        "#
    );
    for host in 0..hosts {
        text += &format!(
            r#"
            [link-{host}]
            kind = "arbitrated-loop"
            speed = "8GFC"
            stations = ["host-{host}", "sds.fronts.f{host}"]
            [host-{host}]
            kind = "host"
            [sds.fronts.f{host}]
            [load-{host}]
            from = "host-{host}"
            to = ["sds"]
            size = "512 B"
            {load}
            "#
        );
    }
    text
}

const CLOSED: &str = "kind = \"closed\"\nqueue_depth = 8\nread_fraction = 1.0";

fn ios(count: u32) -> String {
    format!("measured_ios = {count}\nwarm_up = 200\nfunctional_warm_up = 100000")
}

fn processors(result: &RunResult, name: &str) -> f64 {
    figure(&result.summary, "sds.processors", name)
}

#[test]
fn a_read_takes_two_polls_that_find_something_and_a_write_three() {
    for (reads, polls, work_ns) in [(1.0, 2.0, READ_NS), (0.0, 3.0, WRITE_NS)] {
        let load = format!("kind = \"closed\"\nread_fraction = {reads}\nthink_time = \"100 us\"");
        let result = run(&text(1, "", &load, &ios(2_000)));
        assert_adds_up(&result);
        let per_io = |figure: f64| figure / result.summary.ios as f64;
        assert_near("polls", per_io(processors(&result, "productive_polls")), polls, 2e-3);
        let second_ns = result.summary.ios as f64 / result.summary.iops * 1e9;
        let busy = per_io(processors(&result, "utilisation") * 4.0 * second_ns);
        assert_near("work", busy, work_ns + polls * POLL_NS, 5e-3);
        // The ledger has each stage separately.
        for (stage, ns) in [
            ("target_emulation", 10e3),
            ("authentication", 20e3),
            ("virtual_mapping", 10e3),
            ("cache_layer", 5e3),
        ] {
            assert_near(stage, mean_ns(&result.summary, &format!("sds.processors.{stage}")), ns, 1e-3);
        }
    }
}

#[test]
fn an_idle_thread_polls_as_often_as_a_poll_takes() {
    let load = "kind = \"closed\"\nthink_time = \"50 ms\"";
    let result = run(&text(1, "", load, "duration = \"1 s\"\nwarm_up = \"100 ms\""));
    // The value is Friedman's, 375,000 a second (F-R11); some 20 reads do not matter.
    assert_near("polls", processors(&result, "unproductive_polls") / 375_939.0, 1.0, 0.02);
    assert_near("one of four", processors(&result, "occupied"), 0.25, 1e-6);
}

#[test]
fn a_command_waits_for_half_a_round_of_the_adapters_and_its_answer_for_most_of_one() {
    // Five adapters and the devices are six places to poll. Requests come at times that are independent of polls, and mostly one at a
    // time.
    let load =
        "kind = \"synthetic\"\nread_fraction = 1.0\narrivals = { process = \"poisson\", rate = \"2/s\" }";
    let result = run(&text(5, "", load, &ios(4_000)));
    let waits_ns = mean_ns(&result.summary, "sds.processors.stack_unnoticed");
    // The thread polls the next adapter while the data are sent, which takes a microsecond or two, and comes back when it has polled all of
    // them.
    let most_ns = 3.0 * POLL_NS + 6.0 * POLL_NS;
    assert!((most_ns - 2_500.0..most_ns + 200.0).contains(&waits_ns), "{waits_ns}, {most_ns}");
}

#[test]
fn more_threads_come_with_the_load_and_carry_it() {
    let keys = "evaluated_every = \"5 ms\"";
    let run_of = |hosts: usize, keys: &str| run(&text(hosts, keys, CLOSED, &ios(8_000)));
    let one = run_of(4, "most_threads = 1");
    let all = run_of(4, keys);
    assert_adds_up(&all);
    // One thread does nothing else: a read and its polls, and one unproductive poll in five, of the devices.
    let bound = 1e9 / (READ_NS + 2.0 * POLL_NS);
    assert!(one.summary.iops > 0.93 * bound && one.summary.iops < bound, "{}", one.summary.iops);
    assert_near("three threads", all.summary.iops, 3.0 * one.summary.iops, 0.05);
    assert_near("taken", processors(&all, "occupied"), 0.75, 0.02);
}

#[test]
fn twice_the_speed_takes_half_of_the_time_of_the_software() {
    let load = "kind = \"closed\"\nread_fraction = 1.0\nthink_time = \"100 us\"";
    let of = |speed: u32| {
        let result = run(&text(1, &format!("speed_mhz = {speed}"), load, &ios(1_000)));
        let ledger = &result.summary.ledger_ns.mean;
        let stages = ["target_emulation", "authentication", "virtual_mapping", "cache_layer", "stack_status"];
        stages.iter().filter_map(|stage| ledger.value_named(&format!("sds.processors.{stage}"))).sum::<f64>()
    };
    assert_near("550 MHz", of(550), READ_NS, 1e-6);
    assert_near("1100 MHz", of(1100), READ_NS / 2.0, 1e-6);
}

#[test]
fn interrupts_leave_processors_free_and_cost_more_when_there_is_much_to_do() {
    let of = |model: &str, gap: &str| {
        let load = format!("kind = \"closed\"\nread_fraction = 1.0\nthink_time = \"{gap}\"");
        let result = run(&text(1, model, &load, &ios(1_000)));
        assert_adds_up(&result);
        (processors(&result, "occupied"), result.summary.response_time_ns.mean)
    };
    let interrupts = "model = \"interrupts\"\ninterrupt_cycles = 5500";
    let (polls, poll_ns) = of("", "1 ms");
    let (interrupted, interrupt_ns) = of(interrupts, "1 ms");
    assert!(interrupted < 0.05 && polls == 0.25, "{interrupted}, {polls}");
    // Two interrupts of 10 us replace two waits for polls of two places, which take between zero and two polls.
    let more_ns = interrupt_ns - poll_ns;
    assert!((20_000.0 - 4.0 * POLL_NS..20_000.0).contains(&more_ns), "{more_ns}");
}

/// Sustained writes have the rate of the disks, cached reads the rate of the bus (F-R28).
#[test]
fn writes_go_as_fast_as_disks_take_them_and_cached_reads_do_not() {
    let of = |reads: f64| {
        let load = format!("kind = \"closed\"\nqueue_depth = 8\nread_fraction = {reads}");
        let text = text(1, "", &load, &ios(4_000))
            .replace(
                "kind = \"ram-disks\"",
                "kind = \"drives\"\ntransfer_rate = \"100 MB/s\"\naccess_time = \"1 ms\"",
            )
            .replace("bandwidth = \"100 GB/s\"", "")
            .replace(
                "capacity = \"16 MiB\"",
                "capacity = \"16 MiB\"\nwrite = { dirty_limit = \"5 %\", when_full = \"wait\" }",
            );
        run(&text).summary.iops
    };
    let (reads, writes) = (of(1.0), of(0.0));
    // The system has one disk with an access time of 1 ms.
    assert!(writes < 2_000.0 && reads > 10_000.0, "{writes}, {reads}");
}

#[test]
fn the_example_with_two_nodes_loses_nothing_when_one_fails() {
    let summary = crate::common::run("scenarios/mirrored-appliances.toml", &[]);
    assert_eq!(summary.failed_ios, 0);
    assert!(summary.warnings.is_empty() && summary.unstable.is_empty(), "{:?}", summary.warnings);
    assert_eq!(figure(&summary, "sds", "changes_of_owner"), 2.0);
    for cache in ["cache-a", "cache-b"] {
        assert_eq!(figure(&summary, cache, "lost_blocks"), 0.0);
    }
    for line in ["sds.change_of_owner", "sds.processors.node_link", "sds.processors.fault_tolerance"] {
        assert!(mean_ns(&summary, line) > 0.0, "{line}");
    }
}

#[test]
fn an_adapter_that_fails_ends_what_it_had_and_the_rest_goes_on() {
    let load = "kind = \"closed\"\nqueue_depth = 4\nread_fraction = 0.5\nthink_time = \"20 us\"";
    for at_us in [1_010, 1_033, 1_071, 1_102, 1_150, 1_207, 1_260, 1_313] {
        let text = text(2, "", load, "duration = \"20 ms\"\nwarm_up = \"0 ms\"")
            .replace("size = \"512 B\"", "size = \"16 KiB\"");
        let text =
            format!("{text}\n[[event]]\nat = \"{at_us} us\"\ndo = \"fail\"\nwhat = \"sds.fronts.f1\"\n");
        let result = run(&text);
        assert!(result.summary.ios > 20, "{at_us}: {}", result.summary.ios);
    }
}

#[test]
fn the_example_in_band_is_found_by_polls_and_destages_at_once() {
    let summary = crate::common::run("scenarios/in-band-appliance.toml", &[]);
    assert!(summary.unstable.is_empty(), "{:?}", summary.warnings);
    for line in ["target_emulation", "device_io", "device_copy", "device_completion", "stack_unnoticed"] {
        assert!(mean_ns(&summary, &format!("sds.processors.{line}")) > 0.0, "{line}");
    }
    assert!(figure(&summary, "cache", "destages") > 0.0);
}

/// Friedman, footnote 5: each generation is half again as fast as the generation before.
#[test]
fn a_generation_of_adapters_takes_its_own_time_for_commands_and_answers() {
    let load = "kind = \"closed\"\nread_fraction = 1.0\nthink_time = \"100 us\"";
    let of = |generation: &str| {
        let keys = format!(
            "[sds.fronts.f0]\ncommand_time = \"54 us\"\nresponse_time = \"3 us\"\ngeneration = \"{generation}\""
        );
        let result = run(&text(1, "", load, &ios(300)).replace("[sds.fronts.f0]", &keys));
        ["command_execution", "response"]
            .map(|line| mean_ns(&result.summary, &format!("sds.fronts.f0.{line}")))
    };
    assert_eq!(of("as-written"), of("isp2200"));
    for (generation, factor) in [("isp2200", 1.0), ("isp2300", 2.0 / 3.0), ("isp2100", 1.5)] {
        let [command, response] = of(generation);
        assert_near("command", command, 54e3 * factor, 1e-6);
        assert_near("response", response, 3e3 * factor, 1e-6);
    }
}

/// Reads that miss cross the bus twice if both adapters are on it: into the memory and out of it.
#[test]
fn adapters_of_a_controller_inside_stand_on_buses_of_the_appliance() {
    let load = "kind = \"closed\"\nqueue_depth = 4\nread_fraction = 1.0";
    let text = |cards: &str| {
        text(1, "", load, "measured_ios = 600\nwarm_up = 50")
            .replace("size = \"512 B\"", "size = \"16 KiB\"")
            .replace("to = [\"disk\"]", "to = [\"backend\"]")
            .replace("capacity = \"16 MiB\"", "capacity = \"64 KiB\"")
            + &format!(
                "[sds.buses.pci]\nstandard = \"pci-32-33\"\ncards = [{cards}]\n\
                 [backend]\nkind = \"controller\"\nto = [\"disk\"]\ninside = \"sds\"\n[backend.back]\n\
                 [loop]\nkind = \"arbitrated-loop\"\nspeed = \"8GFC\"\nstations = [\"backend.back\", \"disk\"]\n"
            )
    };
    let moved = |cards: &str| {
        let result = run(&text(cards));
        assert_adds_up(&result);
        figure(&result.summary, "sds.buses.pci", "moved_bytes") / (result.summary.ios as f64 * 16384.0)
    };
    let (front, both) = (moved("\"fronts.f0\""), moved("\"fronts.f0\", \"backend.back\""));
    assert_near("the data of a read", front, 1.0, 0.02);
    assert_near("twice", both, 2.0, 0.03);
    for (cards, said) in [
        ("\"fronts.f0\", \"backend.backs.x\"", "no module with the adapter `backend.backs.x`"),
        ("\"fronts.f0\", \"nobody.back\"", "no module with the adapter `nobody.back`"),
        ("\"fronts.f0\", \"backend.back\", \"backend.back\"", "stands twice in the list"),
    ] {
        let report =
            sansim_scenario::Scenario::parse_text(&text(cards), "a test").expect_err(cards).to_string();
        assert!(report.contains(said), "{report}");
    }
}

#[test]
fn an_adapter_belongs_to_a_node_that_there_is() {
    let load = "kind = \"closed\"";
    let keys = "[sds.pair]\ncontrollers = 3\n[sds.fronts.f0]\nside = \"d\"";
    let text = text(1, "", load, &ios(10)).replace("[sds.fronts.f0]", keys);
    let report = sansim_scenario::Scenario::parse_text(&text, "a test").expect_err("three nodes").to_string();
    assert!(
        report.contains("there are 3 controllers here") && report.contains("sds.fronts.f0.side"),
        "{report}"
    );
}

//! Short commands to an adapter by memory-mapped registers, and its status reports: their cost by hand, to the tick, and the laws.

use crate::common::figure;
use crate::common::text::{assert_adds_up, assert_same, event, run, scenario};
use crate::random_errors;
use proptest::prelude::*;
use sansim_component::NetworkModel;
use sansim_simulator::RunResult;
use sansim_simulator::record::IoRecord;

/// Ticks of a number of nanoseconds.
const fn ns(ns: u64) -> u64 {
    ns * 561
}

/// A bus of 80 MB/s on which a transaction begins with 100 ns.
const BUS: &str =
    "[host.buses.only]\nstandard = \"pci-32-33\"\nbandwidth = \"80 MB/s\"\ntransaction_overhead = \"100 ns\"";
/// The transaction of a command of 8 bytes.
const COMMAND: u64 = ns(100 + 100);

/// A host with a RAM disk and words of 25 ns, of which all times are multiples; a read arrives each millisecond.
fn small(adapter: &str, bus: &str) -> String {
    format!(
        "[run]\nduration = \"40 ms\"\nwarm_up = 0\n[san]\nkind = \"fabric\"\nprotocol = \"plain\"\nword_time = \"25 ns\"\nspeed = \"1GFC\"\nstations = [\"host\", \"drives\"]\n\
         [host]\nkind = \"host\"\n[host.adapter]\ncommand_time = \"2 us\"\ncompletion_time = \"2 us\"\n{adapter}\n{bus}\n\
         [drives]\nkind = \"drives\"\nmodel = \"ram\"\ntransfer_rate = \"100 GB/s\"\n\
         [load]\nkind = \"synthetic\"\nfrom = \"host\"\nto = [\"drives\"]\nsize = \"2048 B\"\nread_fraction = 1.0\n\
         arrivals = {{ process = \"deterministic\", rate = \"1000/s\" }}\n"
    )
}

/// The response times, and the moments of issue, in ticks.
fn ios(result: &RunResult) -> Vec<(u64, u64)> {
    assert_adds_up(result);
    let of = |io: &IoRecord| (io.completed.ticks() - io.response.ticks(), io.response.ticks());
    result.ios.rows.iter().map(of).collect()
}

fn responses(text: &str) -> Vec<u64> {
    ios(&run(text)).into_iter().map(|(_, response)| response).collect()
}

#[test]
fn a_command_crosses_the_bus_to_the_tick() {
    let without = responses(&small("", BUS));
    let with = responses(&small("register_bytes = \"8 B\"", BUS));
    assert!(without.len() > 30);
    let later: Vec<u64> = without.iter().map(|response| response + COMMAND).collect();
    assert_eq!(with, later);
    // Without a bus of the adapter there is nothing to cross, which the reader is warned of.
    let text = small("register_bytes = \"8 B\"", "");
    assert_eq!(responses(&text), responses(&small("", "")));
    let warned = scenario(&text).setting_warnings();
    assert!(
        warned.iter().any(|one| one.contains("register_bytes") && one.contains("on no bus")),
        "{warned:?}"
    );
}

#[test]
fn an_io_waits_for_the_status_report_before_it_to_the_tick() {
    for (registers, bus, crossing) in [
        ("", "", 0),
        ("", BUS, 0),
        ("register_bytes = \"8 B\"", BUS, COMMAND),
        ("register_bytes = \"8 B\"", "", 0),
    ] {
        let plain = ios(&run(&small(registers, bus)));
        let status = "status_interval = \"999 us\"\nstatus_time = \"10 us\"";
        let result = run(&small(&format!("{registers}\n{status}"), bus));
        let report_begins = |number: u64| ns(999_000) * number + crossing;
        let waits = |issued: u64| {
            // The command of the I/O comes to the processor when it has crossed the bus, too.
            let comes = issued + crossing;
            let before = (1..=40).map(report_begins).filter(|&begins| begins <= comes).max();
            before.map_or(0, |begins| (begins + ns(10_000)).saturating_sub(comes))
        };
        let expected: Vec<(u64, u64)> =
            plain.iter().map(|&(issued, response)| (issued, response + waits(issued))).collect();
        assert!(expected.iter().zip(&plain).filter(|(one, other)| one.1 > other.1).count() >= 9);
        assert_eq!(ios(&result), expected, "{registers} {bus}");
        let reports = figure(&result.summary, "host", "status_reports");
        // 40 ms have room for 40 reports; the last is made when the last I/O is back.
        assert!((39.0..=40.0).contains(&reports), "{reports}");
    }
}

#[test]
fn on_the_bus_a_report_is_two_transactions() {
    let count = |status: &str| {
        let result = run(&small(&format!("register_bytes = \"8 B\"\n{status}"), BUS));
        let of = |component: &str, name| figure(&result.summary, component, name);
        (
            of("host.buses.only", "transactions"),
            of("host.buses.only", "moved_bytes"),
            of("host", "status_reports"),
        )
    };
    let (plain, moved, none) = count("");
    let (asked, more, reports) = count("status_interval = \"100 us\"");
    assert_eq!(none, 0.0);
    assert!(reports > 390.0, "{reports}");
    assert!((asked - plain - 2.0 * reports).abs() <= 1.0, "{asked} and {plain} for {reports}");
    assert!((more - moved - 16.0 * reports).abs() <= 8.0, "{more} and {moved} for {reports}");
}

/// Two hosts with two adapters each, a mirror's worth of targets, and a bus for all adapters of a host.
fn random_system(network: &str, adapter: &str, bus: &str, events: &str, seed: u32) -> String {
    format!(
        r#"
        [run]
        seed = {seed}
        measured_ios = 120
        warm_up = 0
        [left]
        {network}
        stations = ["host.adapters.a", "disks.adapters.a"]
        [right]
        {network}
        stations = ["host.adapters.b", "disks.adapters.b"]
        [host]
        kind = "host"
        path = "round-robin"
        driver.time_out = "8 ms"
        driver.escalation = ["adapter-reset"]
        driver.escalation_time = "2 ms"
        [host.adapters.a]
        {adapter}
        [host.adapters.b]
        {adapter}
        {bus}
        [disks]
        kind = "drives"
        adapters.a.frame_loss = 0.01
        adapters.b.frame_loss = 0.01
        count = 2
        access_time = "200 us"
        transfer_rate = "200 MB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["disks"]
        size = "24 KiB"
        read_fraction = 0.5
        queue_depth = 4
        {events}
        "#
    )
}

#[derive(Clone, Debug)]
struct Case {
    network: &'static str,
    bus: &'static str,
    registers: u64,
    interval_us: Option<u64>,
    status_us: u64,
    duplex: bool,
    failure: Option<(u64, u64)>,
    seed: u32,
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    let status = case.interval_us.map_or(String::new(), |interval| {
        format!("status_interval = \"{interval} us\"\nstatus_time = \"{} us\"", case.status_us)
    });
    let adapter = format!(
        "abort_answer_time = \"1 ms\"\nreset_time = \"2 ms\"\nmessage_time = \"1 us\"\ncommand_time = \"3 us\"\n\
         dma_bandwidth = \"300 MB/s\"\ndma_bidirectional = {}\nregister_bytes = \"{} B\"\n{status}",
        case.duplex, case.registers
    );
    let events = case.failure.map_or(String::new(), |(at, lasts)| {
        event(at, "fail", "host.adapters.a") + &event(at + lasts, "repair", "host.adapters.a")
    });
    let text = random_system(case.network, &adapter, case.bus, &events, case.seed);
    let result = random_errors::run(&text, NetworkModel::Fast)?;
    assert_adds_up(&result);
    prop_assert_eq!(result.summary.ios, 120);
    let reports = figure(&result.summary, "host.adapters.b", "status_reports");
    prop_assert_eq!(reports > 0.0, case.interval_us.is_some());
    if case.network.contains("loop") {
        assert_same(&result, &random_errors::run(&text, NetworkModel::Reference)?);
    }
    Ok(())
}

fn cases() -> impl Strategy<Value = Case> {
    let network = prop_oneof![
        Just("kind = \"arbitrated-loop\"\nspeed = \"2GFC\""),
        Just("kind = \"fabric\"\nspeed = \"4GFC\"")
    ];
    let bus = prop_oneof![
        Just(""),
        Just("[host.buses.only]\nstandard = \"pci-64-66\""),
        Just("[host.buses.only]\nstandard = \"pcie-1\"\nlanes = 1\nslots = 2"),
        Just("[host.buses.only]\nstandard = \"pci-32-33\"\narbitration = \"fixed\"")
    ];
    let registers = (0u64..5).prop_map(|words| words * 4);
    let failure = prop::option::of((0u64..8_000, 1u64..8_000));
    let of_status = (prop::option::of(20u64..2_000), 0u64..30);
    (network, bus, registers, of_status, any::<bool>(), failure, 0u32..100_000).prop_map(
        |(network, bus, registers, (interval_us, status_us), duplex, failure, seed)| Case {
            network,
            bus,
            registers,
            interval_us,
            status_us,
            duplex,
            failure,
            seed,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(200), max_shrink_iters: 100, ..ProptestConfig::default() })]
    #[test]
    fn nothing_is_lost_or_answered_twice_beside_short_commands(case in cases()) {
        check(&case)?;
    }
}

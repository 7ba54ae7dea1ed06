//! Buses of hosts and controllers: the slower of card and bus limits the rate, and the cards on one bus share
//! it.

use crate::common::text::{assert_adds_up, assert_near, assert_reference_agrees, run};
use sansim_scenario::Scenario;
use sansim_simulator::RunResult;

/// A host with two adapters, each on a loop of its own with a drive of memory; the wire carries 400 MB/s. Only loops, DMA and buses
/// take time.
fn two_adapters(adapters: &str, buses: &str, load: &str) -> String {
    format!(
        r#"
        [run]
        measured_ios = 400
        warm_up = 20
        [loop-a]
        kind = "arbitrated-loop"
        speed = "4GFC"
        stations = ["host.adapters.a", "disk-a"]
        [loop-b]
        kind = "arbitrated-loop"
        speed = "4GFC"
        stations = ["host.adapters.b", "disk-b"]
        [host]
        kind = "host"
        [host.adapters.a]
        {adapters}
        [host.adapters.b]
        {adapters}
        {buses}
        [disk-a]
        kind = "drives"
        model = "ram"
        transfer_rate = "100 GB/s"
        adapter.dma_bandwidth = "10 GB/s"
        [disk-b]
        kind = "drives"
        model = "ram"
        transfer_rate = "100 GB/s"
        adapter.dma_bandwidth = "10 GB/s"
        [load-a]
        kind = "closed"
        from = "host"
        to = ["disk-a"]
        size = "64 KiB"
        queue_depth = 4
        {load}
        [load-b]
        kind = "closed"
        from = "host"
        to = ["disk-b"]
        size = "64 KiB"
        queue_depth = 4
        {load}
        "#
    )
}

const CARD: &str = "dma_bandwidth = \"300 MB/s\"";
const ONE: &str = "[host.buses.pci]\nstandard = \"pci-64-33\"";
const TWO: &str = "[host.buses.one]\nstandard = \"pci-64-33\"\ncards = [\"adapters.a\"]
[host.buses.two]\nstandard = \"pci-64-33\"\ncards = [\"adapters.b\"]";

fn rate(result: &RunResult) -> f64 {
    result.summary.bytes_per_second
}

fn figure(result: &RunResult, component: &str, name: &str) -> f64 {
    let figures = result.summary.components.value_named(component);
    figures.and_then(|figures| figures.figure_named(name)).unwrap_or_else(|| panic!("{component}.{name}"))
}

fn in_queue_of(result: &RunResult, bus: &str) -> f64 {
    result.summary.ledger_ns.mean.value_named(&format!("{bus}.bus_queue")).copied().unwrap_or(0.0)
}

#[test]
fn two_adapters_on_one_bus_share_it_evenly_and_wait_for_it() {
    for load in ["read_fraction = 1.0", "read_fraction = 0.0", "read_fraction = 0.6"] {
        let result = run(&two_adapters(CARD, ONE, load));
        assert_adds_up(&result);
        let [a, b] = [0, 1].map(|load| result.summary.workloads.0[load].1.ios as f64);
        assert!((a / b - 1.0).abs() < 0.05, "{load}: {a} and {b} I/Os");
        // The bus carries 266.7 MB/s, with three clocks of 30 ns for a turn of 64.
        assert!(rate(&result) < 266.7e6 && rate(&result) > 0.93 * 266.7e6, "{load}: {}", rate(&result));
        // For a write most of the time is on the loop: the circuit is held for the next data.
        assert!(in_queue_of(&result, "host.buses.pci") > 1e3, "{load}");
        assert!(figure(&result, "host.buses.pci", "utilisation") > 0.98, "{load}");
    }
}

#[test]
fn a_bus_of_its_own_for_each_adapter_is_never_slower_and_each_has_its_figures() {
    for load in ["read_fraction = 1.0", "read_fraction = 0.0"] {
        let [one, two, none] = [ONE, TWO, ""].map(|buses| run(&two_adapters(CARD, buses, load)));
        assert!(rate(&two) > 1.8 * rate(&one), "{load}: {} and {}", rate(&one), rate(&two));
        assert!(rate(&none) > rate(&two), "{load}: cards of 300 MB/s are faster than buses of 267");
        assert!(
            in_queue_of(&two, "host.buses.one") < 1.0
                && none.summary.components.value_named("host.buses.one").is_none()
        );
        for bus in ["host.buses.one", "host.buses.two"] {
            assert!(figure(&two, bus, "utilisation") > 0.95, "{load}: {bus}");
            // There is one transaction for each chunk, because no card is preempted.
            let chunks = figure(&two, bus, "moved_bytes") / 2_048.0;
            assert_near("transactions", figure(&two, bus, "transactions"), chunks, 0.05);
        }
    }
}

#[test]
fn a_faster_bus_is_never_slower_and_a_very_fast_one_costs_next_to_nothing() {
    let rate_of = |buses: &str| rate(&run(&two_adapters(CARD, buses, "read_fraction = 1.0")));
    let bus = |rate: &str| format!("{ONE}\nbandwidth = \"{rate}\"");
    let rates = ["60 MB/s", "133 MB/s", "267 MB/s", "533 MB/s", "4 GB/s"].map(|rate| rate_of(&bus(rate)));
    assert!(rates.is_sorted(), "{rates:?}");
    let most = rate_of("");
    // Cards of 300 MB/s limit even the fastest bus to their own rate: two cards share the rate of one
    // direction.
    assert!(rates[4] < 300e6 && rates[4] > 0.45 * most, "{rates:?}, without a bus {most}");
    let link = |name| format!("[host.buses.{name}]\nstandard = \"pcie-3\"\ncards = [\"adapters.{name}\"]\n");
    let links = rate_of(&(link("a") + &link("b")));
    assert_near("with a link each", links, most, 0.01);
}

#[test]
fn everything_an_adapter_can_do_with_its_dma_adds_up_on_a_bus() {
    let ways = [
        "dma_bidirectional = true",
        "dma_order = \"round-robin\"\ndma_request_first = true",
        "dma_setup_time = \"3 us\"\ndma_setup_per = \"frame\"\nburst_done = \"stored\"",
        "request_bytes = \"0 B\"\nmax_payload = \"1000 B\"",
        "dma_bandwidth = \"50 MB/s\"\noutgoing_buffers = 2",
    ];
    for way in ways {
        let card = if way.contains("dma_bandwidth") { way.to_owned() } else { format!("{CARD}\n{way}") };
        for bus in [ONE, "[host.buses.link]\nstandard = \"pcie-1\"\nlanes = 1\nslots = 2"] {
            let result = run(&two_adapters(&card, bus, "read_fraction = 0.5"));
            assert_adds_up(&result);
            assert!(rate(&result) > 10e6, "{way}");
        }
    }
    assert_reference_agrees(&two_adapters(CARD, ONE, "read_fraction = 0.5"));
}

#[test]
fn full_duplex_carries_reads_and_writes_at_once() {
    // Reads use one adapter, writes the other: each has one direction of the bus for itself.
    let keys = "standard = \"pcie-1\"\nlanes = 1\nslots = 2";
    let mixed = |duplex: bool| {
        let text = two_adapters(CARD, &format!("[host.buses.link]\n{keys}\nfull_duplex = {duplex}"), "@");
        run(&text.replacen('@', "read_fraction = 1.0", 1).replacen('@', "read_fraction = 0.0", 1))
    };
    let (half, full) = (mixed(false), mixed(true));
    assert!(rate(&full) > 1.7 * rate(&half), "{} and {}", rate(&half), rate(&full));
}

#[test]
fn front_and_back_of_a_controller_share_its_bus() {
    let text = |bus: &str| {
        format!(
            r#"
            [run]
            measured_ios = 200
            warm_up = 10
            [front]
            kind = "arbitrated-loop"
            speed = "4GFC"
            stations = ["host", "bridge.front"]
            [back]
            kind = "arbitrated-loop"
            speed = "4GFC"
            stations = ["bridge.back", "disks"]
            [host]
            kind = "host"
            adapter.dma_bandwidth = "10 GB/s"
            [bridge]
            kind = "controller"
            to = ["disks"]
            {bus}
            [disks]
            kind = "drives"
            count = 2
            model = "ram"
            transfer_rate = "100 GB/s"
            adapter.dma_bandwidth = "10 GB/s"
            [load]
            kind = "closed"
            from = "host"
            to = ["bridge"]
            size = "64 KiB"
            queue_depth = 4
            "#
        )
    };
    let result = run(&text("[bridge.buses.pci]\nstandard = \"pci-64-33\""));
    assert_adds_up(&result);
    // All data cross the bus twice.
    assert!(rate(&result) < 133.4e6 && rate(&result) > 115e6, "{}", rate(&result));
    assert_near(
        "bytes on the bus",
        figure(&result, "bridge.buses.pci", "moved_bytes"),
        2.0 * result.summary.reads.bytes as f64,
        0.02,
    );
    assert!(rate(&run(&text(""))) > 300e6);
}

#[test]
fn a_resolved_scenario_with_buses_is_the_same_scenario() {
    for bus in [ONE, TWO, "[host.buses.link]\nstandard = \"pcie-2\"\nlanes = 4\nslots = 2"] {
        let one = crate::common::text::scenario(&two_adapters(CARD, bus, ""));
        let again = crate::common::text::scenario(&one.to_toml());
        assert_eq!(one.graph, again.graph);
        assert_eq!(one.to_toml(), again.to_toml());
    }
}

/// The report on a scenario with these buses, which is invalid.
fn report(buses: &str) -> String {
    let text = two_adapters(CARD, buses, "");
    Scenario::parse_text(&text, "a scenario").expect_err("it is wrong").to_string()
}

#[test]
fn what_is_wrong_with_buses_is_told_with_names_and_a_way_out() {
    let slots = report("[host.buses.pci]\nstandard = \"pci-x-133\"");
    for told in ["2 adapters are on a bus with room for 1", "`adapters.a`, `adapters.b`", "another bus"] {
        assert!(slots.contains(told), "{slots}");
    }
    let unknown = report("[host.buses.pci]\nstandard = \"pci-64-33\"\ncards = [\"adapters.aa\"]");
    assert!(unknown.contains("no adapter `adapters.aa`") && unknown.contains("\"adapters.a\"?"), "{unknown}");
    let unlisted =
        report("[host.buses.one]\nstandard = \"pci-64-33\"\n[host.buses.two]\nstandard = \"pci-64-33\"");
    assert!(unlisted.contains("which adapters are on the bus `one`"), "{unlisted}");
    let twice = report(&TWO.replace("adapters.b", "adapters.a"));
    assert!(twice.contains("is on the bus `one` already"), "{twice}");
    let lanes = report("[host.buses.pci]\nstandard = \"pci-64-33\"\nlanes = 4");
    assert!(lanes.contains("only PCI Express has lanes"), "{lanes}");
}

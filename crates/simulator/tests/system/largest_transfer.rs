//! I/Os longer than the largest transfer, which a driver splits; and the queues of NVMe over Fabrics, which limit commands in flight.

use crate::common::figure;
use crate::common::text::{assert_adds_up, assert_reference_agrees, run};
use crate::common::ways::{policies, two_ways};
use proptest::prelude::*;
use sansim_kernel::Span;
use sansim_simulator::RunResult;

const KIB: u64 = 1024;

/// A host that reads from a drive, with NVMe or FCP.
fn system(network: &str, protocol: &str, host: &str, load: &str) -> String {
    let adapter = format!(
        "adapter.protocol = \"{protocol}\"\nadapter.dma_bandwidth = \"1 TB/s\"\nadapter.outgoing_buffers = 64"
    );
    format!(
        r#"
        [run]
        duration = "4 ms"
        warm_up = "0 ns"
        [san]
        {network}
        stations = ["host", "drives"]
        [drives]
        kind = "drives"
        count = 1
        access_time = "100 us"
        transfer_rate = "20 GB/s"
        concurrency = 64
        {adapter}
        ADAPTERS
        [host]
        kind = "host"
        {adapter}
        ADAPTERS
        {host}
        [load]
        kind = "closed"
        from = "host"
        to = ["drives"]
        {load}
        "#
    )
}

const FABRIC: &str = "kind = \"fabric\"\nspeed = \"16GFC\"";
const NETWORKS: [(&str, &str); 4] = [
    (FABRIC, "fcp"),
    (FABRIC, "nvme"),
    ("kind = \"tcp\"\nrate = \"1.25 GB/s\"\nmtu = \"9000 B\"", "nvme"),
    ("kind = \"pcie\"", "nvme"),
];

fn of(text: &str) -> RunResult {
    let result = run(&text.replace("ADAPTERS", ""));
    assert_adds_up(&result);
    result
}

/// The response times in the order in which the I/Os end.
fn responses(result: &RunResult) -> Vec<Span> {
    result.ios.rows.iter().map(|row| row.response).collect()
}

#[test]
fn an_io_of_several_parts_is_done_with_the_last_of_the_commands_that_its_parts_are() {
    for (network, protocol) in NETWORKS {
        for reads in ["1.0", "0.0"] {
            // 1 I/O of 320 KiB has parts of 128, 128 and 64 KiB. Two I/Os of 128 KiB and one of 64 KiB, issued at the same instant, are the
            // same commands: three workloads issue them in this order.
            let load = |kib: u64| {
                format!(
                    "size = \"{kib} KiB\"\nread_fraction = {reads}\nqueue_depth = 1\nthink_time = \"1 ms\"\npattern = \"sequential\""
                )
            };
            let whole = of(&system(network, protocol, "driver.largest_transfer = \"128 KiB\"", &load(320)));
            let more = [128, 64].map(|kib| {
                let number = kib;
                format!(
                    "[more{number}]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"drives\"]\n{}\n",
                    load(kib)
                )
            });
            let parts = of(&(system(network, protocol, "", &load(128)) + &more.concat()));
            let first: Vec<Span> = responses(&parts).into_iter().take(3).collect();
            assert_eq!(responses(&whole)[0], *first.iter().max().expect("three"), "{protocol} {network}");
            let commands = figure(&whole.summary, "host", "commands");
            assert!((commands - 3.0 * whole.ios.len() as f64).abs() <= 3.0, "{commands}");
            assert!(whole.ios.rows.iter().all(|row| row.bytes == 320 * KIB));
        }
    }
}

#[test]
fn a_transfer_that_no_io_reaches_changes_nothing() {
    let load = "size = \"64 KiB\"\nqueue_depth = 3\nread_fraction = 0.5";
    for (network, protocol) in NETWORKS {
        let [none, long] = ["", "driver.largest_transfer = \"64 KiB\""]
            .map(|host| of(&system(network, protocol, host, load)));
        assert_eq!(none.ios.rows, long.ios.rows);
    }
}

#[test]
fn merging_makes_no_command_longer_than_the_largest_transfer() {
    let host = "driver.merge = \"1 MiB\"\ndriver.outstanding_limit = 1\n";
    let load = "size = \"48 KiB\"\nread_fraction = 1.0\nqueue_depth = 8\npattern = \"sequential\"";
    let commands = |more: &str| {
        let result = of(&system(FABRIC, "fcp", &format!("{host}{more}"), load));
        result.ios.len() as f64 / figure(&result.summary, "host", "commands")
    };
    // Up to 7 I/Os wait and are merged; of 48 KiB, two are at most 100 KiB.
    assert!(commands("") > 3.0);
    let merged = commands("driver.largest_transfer = \"100 KiB\"");
    assert!(merged > 1.5 && merged <= 2.0, "{merged}");
}

#[test]
fn the_queues_of_an_association_have_one_usable_entry_fewer_than_their_size() {
    let load = "size = \"4 KiB\"\nread_fraction = 0.5\nqueue_depth = 48";
    for (network, protocol) in &NETWORKS[1..3] {
        for (queues, most) in [(1, 15), (2, 30), (3, 45)] {
            let nvme = format!("adapter.nvme = {{ queue_size = 16, ersp_ratio = 3, queues = {queues} }}");
            let limited = run(&system(network, protocol, "", load).replace("ADAPTERS", &nvme));
            let nvme = "adapter.nvme = { queue_size = 16, ersp_ratio = 3 }";
            let host = format!("driver.outstanding_per_adapter = {most}");
            let by_driver = run(&system(network, protocol, &host, load).replace("ADAPTERS", nvme));
            assert_eq!(limited.ios.rows, by_driver.ios.rows, "{queues} queues on {network}");
            // All waiting commands are in the driver.
            assert!((figure(&limited.summary, "host", "outstanding") - f64::from(most)).abs() < 1.0);
        }
    }
}

#[test]
fn keys_of_other_transports_are_idle() {
    let idle = |network: &str, key: &str| {
        let text = system(network, "nvme", "", "size = \"4 KiB\"\nqueue_depth = 1")
            .replace("ADAPTERS", &format!("adapter.nvme = {{ {key} }}"));
        let scenario = crate::common::text::scenario(&text);
        let found = scenario.idle_keys();
        found.into_iter().filter(|idle| idle.key.starts_with("host.")).map(|idle| idle.why).next()
    };
    let [_, (fabric, _), (tcp, _), (pcie, _)] = NETWORKS;
    let expected = [
        ("in_capsule = \"8 KiB\"", ["it is for TCP", "", "it is for TCP"]),
        ("header_digest = true", ["it is for TCP", "", "it is for TCP"]),
        ("rdma_in_capsule = \"8 KiB\"", ["it is for RDMA"; 3]),
        ("largest_sequence = \"8 KiB\"", ["", "it is for Fibre Channel", "it is for Fibre Channel"]),
        ("ersp_ratio = 3", ["", "it is for Fibre Channel", "it is for Fibre Channel"]),
        ("queues = 3", ["", "", "the queues of PCI Express are those of its network"]),
    ];
    for (key, whys) in expected {
        for (network, why) in [fabric, tcp, pcie].into_iter().zip(whys) {
            assert_eq!(idle(network, key).unwrap_or_default(), why, "{key} on {network}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(60), max_shrink_iters: 40, ..ProptestConfig::default() })]

    /// Parts of I/Os on two paths that fail, with errors, merging and queue orders: nothing is lost or done twice, and ledgers add up.
    #[test]
    fn parts_of_ios_add_up(
        size in 1u64..600,
        largest in prop::sample::select(vec![64u64, 100, 128, 255, 512]),
        policy in prop::sample::select(policies()),
        (merge, order) in (prop::sample::select(vec!["\"none\"", "\"256 KiB\""]), prop::sample::select(vec!["fcfs", "look", "deadline"])),
        (limit, busy, retries) in (1u32..12, 0u32..30, 0u32..3),
        breaks in prop::collection::vec((0u64..30_000, prop::sample::select(vec!["host.adapters.a", "disks.adapters.b"]), 100u64..5_000), 0..3),
    ) {
        let host = format!(
            "path = \"{policy}\"\nno_way_time = \"unlimited\"\ndriver.largest_transfer = \"{largest} KiB\"\ndriver.merge = {merge}\n\
             driver.queue.order = \"{order}\"\ndriver.outstanding_limit = {limit}\ndriver.retries = {retries}\ndriver.busy_wait = \"50 us\"");
        let happens: Vec<(u64, &str, &str)> =
            breaks.iter().flat_map(|&(at, what, lasts)| [(at, "fail", what), (at + lasts, "repair", what)]).collect();
        let errors = format!("[disks.errors]\nbusy = {:?}", f64::from(busy) * 0.01);
        let text = two_ways(&host, &errors, &happens).replace("16 KiB", &format!("{size} KiB"));
        let result = run(&text);
        assert_adds_up(&result);
        assert_reference_agrees(&text);
    }
}

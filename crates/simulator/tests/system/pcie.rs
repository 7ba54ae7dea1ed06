//! PCI Express between a host and NVMe drives: single I/Os by hand to the tick, and laws of links, queues and interrupts.

use crate::common::figure;
use crate::common::text::{assert_adds_up, run};
use proptest::prelude::*;
use sansim_kernel::Span;
use sansim_scenario::Scenario;
use sansim_simulator::RunResult;

/// A link of 3.94 GB/s. Packets have 256 B of data, and reads ask for 512 B.
const GEN3: &str = "generation = \"gen3\"\nlanes = 4\n";
/// The bytes per second of a link of generation 3 with four lanes.
const RATE: u64 = 8_000_000_000 / 8 * 4 * 128 / 130;

/// A host and RAM disks of 10 us, and 10 ns for 4 KiB, at links, with a closed load.
fn system(links: &str, disks: &str, load: &str) -> String {
    format!(
        "[run]\nmeasured_ios = 40\nwarm_up = 0\n[links]\nkind = \"pcie\"\nstations = [\"host\", \"disks\"]\n{links}\n\
         [host]\nkind = \"host\"\nadapter.protocol = \"nvme\"\nadapter.request_bytes = \"0 B\"\ndriver.arrival_time = \"0 ns\"\ndriver.completion_time = \"0 ns\"\n\
         [disks]\nkind = \"ram-disks\"\ncapacity = \"64 MiB\"\nlatency = \"10 us\"\nbandwidth = \"409.6 GB/s\"\nadapter.protocol = \"nvme\"\nadapter.request_bytes = \"0 B\"\n{disks}\n\
         [load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"disks\"]\n{load}\n"
    )
}

/// The response of the first I/O, and of each that follows: the head doorbell of the I/O before it goes first on its link.
fn first_and_later(result: &RunResult) -> [Span; 2] {
    let mut rows = result.ios.rows.clone();
    rows.sort_by_key(|io| io.io);
    let later = rows[1].response;
    assert!(rows[1..].iter().all(|io| io.response == later), "all but the first are alike");
    [rows[0].response, later]
}

/// The time of this many bytes on the link.
fn link(bytes: u64) -> Span {
    Span::to_move(bytes, RATE)
}

/// The time of a RAM disk.
fn disk(bytes: u64) -> Span {
    Span::from_us(10) + Span::from_ns(bytes / 4096 * 10)
}

/// A doorbell, the read of an entry of 64 B and its answer.
fn command() -> Span {
    link(28) + link(24) + link(84)
}

/// The DMA of the sender of data: without a rate it fetches a sequence in one tick.
const DMA: Span = Span(1);

/// The data of this many bytes, page by page: packets of 256 B with this much beside them.
fn pages(bytes: u64, beside: u64) -> Span {
    (0..bytes / 4096).map(|_| link(4096 + 16 * beside)).fold(Span::ZERO, |sum, page| sum + page)
}

#[test]
fn a_read_is_a_doorbell_an_entry_data_a_completion_and_an_interrupt() {
    for (links, last) in [(GEN3.to_owned(), link(28)), (GEN3.to_owned() + "polled = true", Span::ZERO)] {
        let result = run(&system(&links, "", "size = \"4 KiB\""));
        assert_adds_up(&result);
        // Data are 16 writes of 256 B, the completion a write of 16 B, the interrupt one of 4 B.
        let expected = command() + disk(4096) + DMA + pages(4096, 24) + link(40) + last;
        assert_eq!(first_and_later(&result), [expected, expected + link(28)]);
        // Doorbells, and what the command moves.
        let bytes = 28 + 24 + 84 + 4096 + 16 * 24 + 40 + if last.is_zero() { 0 } else { 28 } + 28;
        assert_eq!(figure(&result.summary, "links", "link_bytes"), 40.0 * f64::from(bytes));
        assert_eq!(figure(&result.summary, "links", "moved_bytes"), 40.0 * 4096.0);
    }
}

#[test]
fn a_write_is_asked_for_by_reads_of_the_controller() {
    let result = run(&system(GEN3, "", "size = \"4 KiB\"\nread_fraction = 0.0"));
    assert_adds_up(&result);
    // Eight reads of 512 B, 16 answers of 256 B.
    let data = link(8 * 24) + DMA + pages(4096, 20);
    let expected = command() + data + disk(4096) + link(40) + link(28);
    assert_eq!(first_and_later(&result), [expected, expected + link(28)]);
}

#[test]
fn data_of_more_than_two_pages_have_a_list() {
    // 64 KiB are 16 pages: the list has 15 of them, 120 B, one read and one answer.
    let list = link(24) + link(140);
    let read = command() + list + disk(64 << 10) + DMA + pages(64 << 10, 24) + link(40) + link(28);
    let write =
        command() + list + link(128 * 24) + DMA + pages(64 << 10, 20) + disk(64 << 10) + link(40) + link(28);
    for (reads, expected) in [("1.0", read), ("0.0", write)] {
        let result = run(&system(GEN3, "", &format!("size = \"64 KiB\"\nread_fraction = {reads}")));
        assert_adds_up(&result);
        assert_eq!(first_and_later(&result), [expected, expected + link(28)], "reads: {reads}");
    }
}

#[test]
fn latencies_of_ends_and_of_memory_come_on_top_once_for_each_step() {
    let of = |links: &str, reads: &str| {
        let result = run(&system(
            &(GEN3.to_owned() + links),
            "",
            &format!("size = \"4 KiB\"\nread_fraction = {reads}"),
        ));
        assert_adds_up(&result);
        first_and_later(&result)[0]
    };
    let slow = "latency = \"100 ns\"\nmemory_latency = \"30 ns\"";
    // Doorbell, fetch, entry, completion, interrupt; the completion of a read follows its data at once. The memory answers the fetch.
    assert_eq!(of(slow, "1.0") - of("", "1.0"), Span::from_ns(5 * 100 + 30));
    // A write has the request for its data and the data, too.
    assert_eq!(of(slow, "0.0") - of("", "0.0"), Span::from_ns(7 * 100 + 2 * 30));
}

#[test]
fn completions_share_an_interrupt_up_to_the_threshold_or_the_time() {
    let load = |depth: u32| format!("size = \"4 KiB\"\nqueue_depth = {depth}");
    let coalesces = GEN3.to_owned() + "coalescing_threshold = 4\ncoalescing_time = \"50 us\"";
    let result = run(&system(&coalesces, "", &load(4)));
    assert_adds_up(&result);
    assert_eq!(figure(&result.summary, "links", "interrupts"), 10.0);
    assert_eq!(figure(&result.summary, "links", "completions_per_interrupt"), 4.0);
    // One completion alone waits for the time.
    let result = run(&system(&coalesces, "", &load(1)));
    let alone = run(&system(GEN3, "", &load(1)));
    assert_eq!(first_and_later(&result)[0], first_and_later(&alone)[0] + Span::from_us(50));
    assert_eq!(figure(&result.summary, "links", "completions_per_interrupt"), 1.0);
    // Each queue pair has an interrupt vector of its own.
    let result = run(&system(&(coalesces + "\nqueues = 2\nqueue_of = \"slot\""), "", &load(4)));
    assert_eq!(figure(&result.summary, "links", "completions_per_interrupt"), 2.0);
}

#[test]
fn a_queue_of_few_entries_and_a_controller_of_few_commands_hold_the_others_back() {
    let rate = |links: &str| {
        let result = run(&system(&(GEN3.to_owned() + links), "", "size = \"512 B\"\nqueue_depth = 8")
            .replace("= 40", "= 800"));
        assert_adds_up(&result);
        result.summary.iops
    };
    // A RAM disk has any number of commands at once; a command takes some 10.3 us. Two entries are in a queue of three.
    let alone = rate("queue_size = 2");
    for (links, at_once) in
        [("queue_size = 3", 2.0), ("controller_commands = 2", 2.0), ("queue_size = 5", 4.0)]
    {
        let found = rate(links) / alone;
        assert!((found / at_once - 1.0).abs() < 0.05, "{links}: {found}");
    }
    // Two queues have twice the entries.
    let both = rate("queue_size = 3\nqueues = 2\nqueue_of = \"slot\"") / alone;
    assert!((both / 4.0 - 1.0).abs() < 0.05, "{both}");
}

#[test]
fn the_controller_fetches_urgent_commands_first_if_arbitration_has_weights() {
    let mean = |arbitration: &str| {
        let links =
            GEN3.to_owned() + "controller_commands = 1\nqueues = 8\nqueue_of = \"priority\"\n" + arbitration;
        let load = |name: &str, priority: u32| {
            format!(
                "[{name}]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"disks\"]\nsize = \"4 KiB\"\nqueue_depth = 4\npriority = {priority}\n"
            )
        };
        // The queue of priority 0 has class urgent, that of 3 class low.
        let text = system(&links, "", "size = \"4 KiB\"\nqueue_depth = 4\npriority = 3")
            .replace("= 40", "= 2000")
            + &load("urgent", 0);
        let result = run(&text);
        assert_adds_up(&result);
        let of = |name: &str| {
            result
                .summary
                .workloads
                .value_named(name)
                .expect(name)
                .response_time_ns
                .as_ref()
                .map_or(0.0, |time| time.mean)
        };
        [of("urgent"), of("load")]
    };
    let [one, other] = mean("");
    assert!((one / other - 1.0).abs() < 0.02, "in turn both wait alike: {one} {other}");
    let [urgent, low] = mean("arbitration = \"weighted\"");
    assert!(urgent < 0.6 * one && low > 10.0 * urgent, "{urgent} {low}");
}

#[test]
fn one_host_is_at_the_root_and_adapters_speak_nvme() {
    let refused = |text: &str| match Scenario::parse_text(text, "links.toml") {
        Ok(_) => panic!("it is taken"),
        Err(report) => report.to_string(),
    };
    let plain = system(GEN3, "", "size = \"4 KiB\"");
    let fcp = refused(&plain.replacen("adapter.protocol = \"nvme\"\n", "", 2));
    assert!(fcp.contains("is PCI Express, which carries NVMe alone, and no fcp"), "{fcp}");
    assert!(fcp.contains("protocol = \"nvme\""), "{fcp}");
    let two = plain.replace("stations = [\"host\"", "stations = [\"host\", \"other\"")
        + "[other]\nkind = \"host\"\nadapter.protocol = \"nvme\"\n";
    let two = refused(&two);
    assert!(two.contains("one host is at the root of PCI Express, and here are 2"), "{two}");
    let odd = refused(&system("max_payload = \"384 B\"", "", "size = \"4 KiB\""));
    assert!(odd.contains("384 B is no size of packets"), "{odd}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(120), ..ProptestConfig::default() })]

    /// Whatever the keys, all I/Os come back once, ledgers add up, nothing is left in queues and controllers (each run checks it at its end),
    /// and a link is never busy for longer than the time. Commands that are never answered are aborted, and give their entries back.
    #[test]
    fn nothing_is_lost_whatever_links_and_queues_are(
        (generation, lanes, payload, request) in (1..6_u32, 1..5_u32, 0..4_u32, 0..4_u32),
        (queues, size, choice, weighted, burst) in (1..9_u32, 2..12_u32, 0..3_usize, any::<bool>(), 1..5_u32),
        (commands, threshold, time, polled, latency) in (1..9_u32, 1..6_u32, 0..40_u32, any::<bool>(), 0..300_u32),
        (sectors, reads, depth, disks, silent) in (1..400_u32, 0..5_u32, 1..12_u32, 1..4_u32, any::<bool>()),
    ) {
        let links = format!(
            "generation = \"gen{generation}\"\nlanes = {lanes}\nmax_payload = \"{} B\"\nmax_read_request = \"{} B\"\nqueues = {queues}\nqueue_size = {size}\n\
             queue_of = \"{}\"\narbitration = \"{}\"\narbitration_burst = {burst}\nhigh_weight = 3\ncontroller_commands = {commands}\n\
             coalescing_threshold = {threshold}\ncoalescing_time = \"{time} us\"\npolled = {polled}\nlatency = \"{latency} ns\"\nmemory_latency = \"{} ns\"",
            128 << payload, 128 << request,
            ["stream", "slot", "priority"][choice],
            if weighted { "weighted" } else { "round-robin" },
            latency / 3,
        );
        let (errors, time_out) =
            if silent { ("errors.no_answer = 0.05\n", "driver.time_out = \"2 ms\"\n") } else { ("", "") };
        let load = format!(
            "size = \"{} B\"\nread_fraction = {:.2}\nqueue_depth = {depth}\nflush_every = 3\ndeallocate_fraction = 0.2\nfua_fraction = 0.3",
            sectors * 512, f64::from(reads) / 4.0,
        );
        let text = system(&links, &format!("count = {disks}\n{errors}"), &load)
            .replace("= 40", "= 300")
            .replace("[disks]", &format!("{time_out}[disks]"));
        let result = run(&text);
        assert_adds_up(&result);
        prop_assert_eq!(result.summary.ios, 300);
        for share in ["to_drives", "from_drives"] {
            let busy = figure(&result.summary, "links", share);
            prop_assert!((0.0..=1.0).contains(&busy), "{} {}", share, busy);
        }
    }
}

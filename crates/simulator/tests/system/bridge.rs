//! The system is a host, a front loop, a storage controller, a back loop and drives: the slowest of them limits the rate, and
//! the ledger names all of them.

use crate::common::text::{assert_adds_up, assert_near, assert_reference_agrees, in_place_ns, run};
use sansim_simulator::RunResult;

/// The system of a test.
struct Bridge {
    ios: u32,
    front: &'static str,
    back: &'static str,
    processor: &'static str,
    size: &'static str,
    read_fraction: f64,
    depth: u32,
}

const BRIDGE: Bridge = Bridge {
    ios: 200,
    front: "4GFC",
    back: "4GFC",
    processor: "0 ns",
    size: "1 MiB",
    read_fraction: 1.0,
    depth: 4,
};

impl Bridge {
    /// Two drives of memory that take almost no time. Only the loops and the processor take time.
    fn text(&self) -> String {
        let Self { ios, front, back, processor, size, read_fraction, depth } = self;
        format!(
            r#"
            [run]
            measured_ios = {ios}
            warm_up = 5
            [front]
            kind = "arbitrated-loop"
            speed = "{front}"
            stations = ["host", "bridge.front"]
            [back]
            kind = "arbitrated-loop"
            speed = "{back}"
            stations = ["bridge.back", "disks"]
            [host]
            kind = "host"
            [bridge]
            kind = "controller"
            to = ["disks"]
            processor_time = "{processor}"
            [bridge.front]
            dma_bandwidth = "10 GB/s"
            [bridge.back]
            dma_bandwidth = "10 GB/s"
            [disks]
            kind = "drives"
            count = 2
            model = "ram"
            transfer_rate = "1000 GB/s"
            [load]
            kind = "closed"
            from = "host"
            to = ["bridge"]
            size = "{size}"
            read_fraction = {read_fraction:?}
            queue_depth = {depth}
            "#
        )
    }

    fn run(&self) -> RunResult {
        let result = run(&self.text());
        assert_adds_up(&result);
        for place in ["front", "back"] {
            assert!(in_place_ns(&result, place) > 0.0, "{place}: {:?}", result.summary.ledger_ns.mean);
        }
        let devices: Vec<&str> = result.summary.devices.0.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(devices, ["bridge[0]", "bridge[1]"]);
        result
    }
}

/// A word of 1GFC: four bytes of ten bits at 1.0625 Gbit/s.
const WORD_1G_S: f64 = 40.0 / 1.0625e9;

/// The words of a frame of 2048 bytes from SOF to EOF, and of the least gap behind it.
const FRAME_WORDS: f64 = 521.0;
const GAP_WORDS: f64 = 6.0;

/// The payload in bytes per second that a loop of 1GFC carries in frames of 2048 bytes with the least gap:
/// 103.2 MB/s.
const MOST_1G: f64 = 2048.0 / ((FRAME_WORDS + GAP_WORDS) * WORD_1G_S);

/// An I/O of 1 MiB has 512 frames of 2048 bytes. In addition there are the circuits of FCP_CMND, FCP_RSP and FCP_XFER_RDY: each has at
/// most 17 words of frame and some ten rounds of a loop of three ports with six words of delay, some 300 words; in all this is less than a
/// hundredth of 512 * 527 words.
///
/// In half duplex all eight I/Os in flight may be ready to send at once: the slower loop is then idle while the first of them crosses the
/// other loop, which is four times as fast.
const LEAST_1G: f64 = 0.99 * 8.0 / 8.25 * MOST_1G;

fn assert_carries_what_1g_does(what: &str, bridge: &Bridge) {
    let found = bridge.run().summary.bytes_per_second;
    // The interval may cut off one of 200 I/Os.
    assert!(found <= MOST_1G * (1.0 + 1.0 / 200.0), "{what}: {found} B/s, at most {MOST_1G}");
    assert!(found >= LEAST_1G, "{what}: {found} B/s, at least {LEAST_1G}");
    println!("{what}: {:.2} of {:.2} MB/s", found * 1e-6, MOST_1G * 1e-6);
}

#[test]
fn large_reads_and_writes_go_as_fast_as_the_slower_loop_carries_them() {
    for read_fraction in [1.0, 0.0] {
        let slow_back = Bridge { back: "1GFC", read_fraction, ..BRIDGE };
        assert_carries_what_1g_does(&format!("slow back, {read_fraction} reads"), &slow_back);
        let slow_front = Bridge { front: "1GFC", read_fraction, ..BRIDGE };
        assert_carries_what_1g_does(&format!("slow front, {read_fraction} reads"), &slow_front);
    }
}

#[test]
fn the_slower_loop_is_the_one_that_is_busy() {
    let result = Bridge { back: "1GFC", ..BRIDGE }.run();
    let used = |name: &str| {
        let component = result.summary.components.value_named(name).expect("a loop");
        component.figure_named("utilisation").expect("a figure")
    };
    // The share counts frames without the gaps between them.
    let share = FRAME_WORDS / (FRAME_WORDS + GAP_WORDS);
    assert!(used("back") > 0.98 * share && used("back") <= share * 1.005, "{}", used("back"));
    assert_near("front, four times as fast", used("front"), used("back") / 4.0, 0.02);
    assert!(in_place_ns(&result, "back") > 5.0 * in_place_ns(&result, "front"));
}

#[test]
fn a_slow_processor_sets_the_pace() {
    for read_fraction in [1.0, 0.0, 0.5] {
        let bridge = Bridge { ios: 1_000, processor: "1 ms", size: "4 KiB", read_fraction, ..BRIDGE };
        let result = bridge.run();
        let summary = &result.summary;
        // The processor serves one request each millisecond, and always has a request: eight are in flight, and nothing else
        // takes nearly as long.
        assert_near("I/Os per second", summary.iops, 1_000.0, 0.002);
        assert_near("response time", summary.response_time_ns.mean, 8e6, 0.01);
        let used =
            summary.components.value_named("bridge").and_then(|bridge| bridge.figure_named("utilisation"));
        assert_near("utilisation", used.expect("a figure"), 1.0, 0.002);
        assert_near(
            "processor",
            summary.ledger_ns.mean.value_named("bridge.controller").copied().unwrap_or(0.0),
            1e6,
            1e-9,
        );
        assert!(summary.ledger_ns.mean.value_named("bridge.controller_queue").is_some_and(|&ns| ns > 6.9e6));
        assert!(in_place_ns(&result, "bridge.front") < 1e3, "its blocks take no time but for DMA");
    }
}

#[test]
fn data_are_stored_and_forwarded() {
    // There is one I/O at a time, so nothing waits. Each loop carries the 32 frames of 64 KiB one after the other, before or
    // after the other loop does.
    for read_fraction in [1.0, 0.0] {
        let bridge = Bridge {
            front: "2GFC",
            back: "1GFC",
            processor: "50 us",
            size: "64 KiB",
            read_fraction,
            ..BRIDGE
        };
        let text = Bridge { depth: 1, ..bridge }.text().replace("count = 2", "count = 1");
        let result = run(&text);
        assert_adds_up(&result);
        let frames_ns = |word_s: f64| (32.0 * FRAME_WORDS + 31.0 * GAP_WORDS) * word_s * 1e9;
        let least = [("front", frames_ns(WORD_1G_S / 2.0)), ("back", frames_ns(WORD_1G_S))];
        // The processor works on a write while the data of the write arrive.
        let mut sum = if read_fraction == 1.0 { 50e3 } else { 0.0 };
        for (place, least) in least {
            let found = in_place_ns(&result, place);
            // In addition there are two or three circuits for the other frames, of some 300 words each.
            assert!(found >= least && found <= least + 60e3, "{place}: {found} ns, at least {least}");
            sum += least;
        }
        let found = result.summary.response_time_ns.mean;
        assert!(found >= sum && found <= sum + 120e3, "{found} ns, at least {sum}");
        let processor = result.summary.ledger_ns.mean.value_named("bridge.controller");
        assert_eq!(processor, (read_fraction == 1.0).then_some(&50e3));
    }
}

#[test]
fn the_reference_loops_say_the_same() {
    for read_fraction in [1.0, 0.0, 0.5] {
        let bridge = Bridge { back: "1GFC", processor: "30 us", size: "20 KiB", read_fraction, ..BRIDGE };
        assert_reference_agrees(&bridge.text());
    }
}

#[test]
fn a_drive_that_fails_behind_a_controller_fails_the_ios_of_its_device_alone() {
    let events = "[[event]]\nat = \"20 ms\"\ndo = \"fail\"\nwhat = \"disks[1]\"\n";
    for read_fraction in [1.0, 0.0, 0.5] {
        let bridge = Bridge { ios: 4_000, size: "16 KiB", read_fraction, ..BRIDGE };
        let result = run(&format!("{}\n{events}", bridge.text()));
        assert_adds_up(&result);
        let device = |io: u32| result.summary.devices.0[io as usize].0.as_str();
        let failed: Vec<_> = result.ios.rows.iter().filter(|io| io.failed).collect();
        assert_eq!(failed.len() as u64, result.summary.failed_ios);
        assert!(failed.len() > 100, "{}", failed.len());
        assert!(
            failed
                .iter()
                .all(|io| device(io.device) == "bridge[1]" && io.completed >= crate::common::text::ms(20))
        );
        let late = |name: &'static str| {
            let rows = result.ios.rows.iter().filter(move |io| device(io.device) == name);
            rows.filter(|io| io.completed > crate::common::text::ms(30))
        };
        assert!(late("bridge[0]").count() > 100 && late("bridge[1]").all(|io| io.failed));
    }
}

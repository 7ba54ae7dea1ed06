//! Drives on a loop fail and are repaired during a run: nothing is lost, whatever was in flight, and the fast loop gives the
//! same result as the reference loop.

use crate::common::text::{assert_adds_up, assert_reference_agrees, run};
use crate::ledger_law::told_and_done;

/// Every drive fails and is repaired several times.
fn failing(drives: &str, adapter: &str, load: &str) -> String {
    let mut events = String::new();
    for (at, what) in
        [(11, "fail"), (13, "repair"), (17, "fail"), (24, "repair"), (31, "fail"), (33, "repair")]
    {
        for drive in 0..3 {
            // The failures come at different moments, which are not moments of other events.
            let ns = at * 1_000_000 + drive * 617_331;
            events += &format!("[[event]]\nat = \"{ns} ns\"\ndo = \"{what}\"\nwhat = \"drives[{drive}]\"\n");
        }
    }
    format!(
        r#"
        [run]
        duration = "40 ms"
        warm_up = "1 ms"
        [loop]
        kind = "arbitrated-loop"
        speed = "1GFC"
        stations = ["host", "drives"]
        [host]
        kind = "host"
        [host.adapter]
        dma_bandwidth = "120 MB/s"
        command_time = "10 us"
        [drives]
        kind = "drives"
        count = 3
        access_time = "300 us"
        transfer_rate = "60 MB/s"
        {drives}
        [drives.adapter]
        dma_bandwidth = "120 MB/s"
        response_time = "10 us"
        {adapter}
        [load]
        kind = "closed"
        from = "host"
        to = ["drives"]
        size = "64 KiB"
        queue_depth = 3
        {load}
        {events}
        "#
    )
}

#[test]
fn nothing_is_lost_when_drives_fail_with_frames_of_all_kinds_under_way() {
    let drives = [
        "",
        "concurrency = 3",
        "burst = \"16 KiB\"\nread_sequence = \"16 KiB\"",
        "write_transfer = \"after-data\"\nburst = \"16 KiB\"\nconcurrency = 2",
        "cache = \"64 KiB\"\nread_sequence = \"8 KiB\"",
    ];
    let adapters = [
        "",
        "response_circuit = \"own\"",
        "response_circuit = \"own\"\nresponse_start = \"sent\"",
        "burst_done = \"stored\"\nmessage_time = \"5 us\"",
        "outgoing_buffers = 2\ndma_bidirectional = true",
    ];
    let reads = ["1.0", "0.0", "0.5"];
    // A third of the combinations contains every pair of values: each drive with each adapter, and each of both with each mix of reads.
    let is_tried = |number: usize| sansim_trials::tries_all_cases() || number.is_multiple_of(3);
    let mut failed = 0;
    for (first, drive) in drives.into_iter().enumerate() {
        for (second, adapter) in adapters.into_iter().enumerate() {
            for (third, reads) in reads.into_iter().enumerate() {
                if !is_tried(first + second + third) {
                    continue;
                }
                let load =
                    format!("read_fraction = {reads}\npattern = \"sequential\"\nthink_time = \"20 us\"");
                let text = failing(drive, adapter, &load);
                let fast = run(&text);
                assert_adds_up(&fast);
                assert!(fast.summary.failed_ios > 20 && fast.summary.failed_ios < fast.summary.ios, "{text}");
                failed += fast.summary.failed_ios;
                assert_reference_agrees(&text);
            }
        }
    }
    println!("{failed} I/Os failed");
}

/// The drive has answered and reports nothing more about this write, whose last frame has arrived and is
/// still being stored.
#[test]
fn of_a_write_whose_drive_fails_no_more_is_told_than_the_blocks_of_its_adapter_were_at_work() {
    let mut failed = 0;
    for drive in ["", "burst = \"16 KiB\"", "write_transfer = \"after-data\"", "cache = \"64 KiB\""] {
        for adapter in [
            "",
            "burst_done = \"stored\"",
            "dma_bidirectional = true",
            "dma_setup_time = \"20 us\"\nframe_time = \"4 us\"",
        ] {
            for size in ["2 KiB", "64 KiB"] {
                let text = failing(drive, adapter, "read_fraction = 0.0")
                    .replace("duration = \"40 ms\"", "measured_ios = 150")
                    .replace("warm_up = \"1 ms\"", "warm_up = 0")
                    .replace("64 KiB\"\n        queue", &format!("{size}\"\n        queue"));
                failed += run(&text).summary.failed_ios;
                for told in told_and_done(&text) {
                    told.is_at_most_what_was_done().unwrap_or_else(|error| panic!("{error}\n{text}"));
                }
            }
        }
    }
    assert!(failed > 100, "{failed} I/Os failed");
}

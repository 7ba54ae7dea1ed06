//! Drives on a loop that fail and are repaired in mid-run: nothing is lost, whatever was on its way, and the fast loop says what
//! the reference loop says.

use crate::common::text::{assert_adds_up, assert_reference_agrees, run};

/// Every drive fails and is repaired several times.
fn failing(drives: &str, adapter: &str, load: &str) -> String {
    let mut events = String::new();
    for (at, what) in
        [(11, "fail"), (13, "repair"), (17, "fail"), (24, "repair"), (31, "fail"), (33, "repair")]
    {
        for drive in 0..3 {
            // Not at the same moments, and not at those of anything else.
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
    let mut failed = 0;
    for drive in drives {
        for adapter in adapters {
            for reads in ["1.0", "0.0", "0.5"] {
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

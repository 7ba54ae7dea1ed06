//! The first burst of FC-NVMe: writes whose data follow the command unasked.

use crate::common::text::{assert_adds_up, assert_reference_agrees, in_place_ns, run};
use proptest::prelude::*;

/// A host and a drive without any times of their own but DMA at 10^12 bytes a second.
fn pair(network: &str, bytes: u64, first_burst: &str, more: &str) -> String {
    let end = format!(
        "adapter.request_bytes = \"0 B\"\nadapter.dma_bandwidth = \"1 TB/s\"\nadapter.outgoing_buffers = 64\nadapter.protocol = \"nvme\"\n\
         adapter.nvme.first_burst = \"{first_burst}\"\n{more}"
    );
    format!(
        "[run]\nmeasured_ios = 10\nwarm_up = 0\n[san]\n{network}\nstations = [\"host\", \"drives\"]\n[drives]\nkind = \"drives\"\nmodel = \"ram\"\n\
         count = 1\ntransfer_rate = \"100 GB/s\"\n{end}\n[host]\nkind = \"host\"\n{end}\n[load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"drives\"]\n\
         size = \"{bytes} B\"\nread_fraction = 0.0\n"
    )
}

/// The time of an I/O beside that of the drive, in ticks. All I/Os of the run have the same; the first waits for no R_RDY of one before it.
fn ticks(text: &str) -> u64 {
    let result = run(text);
    assert_adds_up(&result);
    let drive = (in_place_ns(&result, "drives") * 561.0).round() as u64;
    let times: Vec<u64> = result.ios.rows.iter().map(|io| io.response.ticks() - drive).collect();
    assert!(times[1..].iter().all(|&time| time == times[1]), "{times:?}");
    times[1]
}

/// A word of 8GFC, and so many of them.
fn words(count: u64) -> u64 {
    (40.0 / 8.5 * 561.0 * count as f64).round() as u64
}

const FABRIC: &str = "kind = \"fabric\"\nspeed = \"8GFC\"\ncable = \"100 km\"";

/// A cable of 100 km takes 500 us; each way has two of them, and a round trip four.
#[test]
fn a_first_burst_saves_the_round_trip_of_xfer_rdy() {
    let ways = |bytes, first: &str| {
        let time = ticks(&pair(
            &format!("{FABRIC}\nswitch.buffers = 1000"),
            bytes,
            first,
            "port.incoming_buffers = 1000",
        ));
        // The frames of the data besides: eleven words around 512 each, and a gap of six.
        (time - words(bytes / 4 + bytes / 2_048 * 15)) as f64 / 280.5e6
    };
    let near = |found: Vec<f64>, expected: &[f64]| {
        let is_near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 0.1);
        assert!(is_near, "{found:?}, expected {expected:?}");
    };
    near(vec![ways(4_096, "0 B"), ways(4_096, "64 KiB")], &[8.0, 4.0]);
    near(vec![ways(65_536, "64 KiB"), ways(66_048, "64 KiB")], &[4.0, 8.0]);
    // 256 KiB at a time: 64 KiB unasked, 256 KiB and the rest asked for one after the other.
    near(vec![ways(589_824, "0 B"), ways(589_824, "64 KiB"), ways(327_680, "64 KiB")], &[16.0, 12.0, 8.0]);
}

/// Through one switch without delays, which cuts through: command and data leave the initiator one right behind the other.
#[test]
fn a_write_with_a_first_burst_takes_its_frames_by_hand() {
    let network = "kind = \"fabric\"\nspeed = \"8GFC\"\nswitch = { routing_delay = \"0 ns\", forwarding_delay = \"0 ns\" }";
    let asked = ticks(&pair(network, 4_096, "0 B", ""));
    let unasked = ticks(&pair(network, 4_096, "4 KiB", ""));
    // SOF, header, CRC and EOF are nine words, and a gap six. XFER_RDY has three words of payload, and is acted on when its last word has
    // come; the switch passes each frame on after its header. Between the command and the data the DMA of the first frame has passed already.
    let xfer_rdy = 9 + 3;
    let difference = asked - unasked;
    assert!(difference >= words(xfer_rdy) && difference <= words(2 * xfer_rdy + 40), "{difference} ticks");
}

/// The target passes the command on when the data are there, so the drive begins later, and later asks for nothing.
#[test]
fn a_drive_begins_when_the_first_burst_has_come() {
    let text = |first: &str| {
        format!(
            "[run]\nmeasured_ios = 100\nwarm_up = 0\n[san]\nkind = \"fabric\"\nspeed = \"8GFC\"\nstations = [\"host\", \"drives\"]\n\
             [drives]\nkind = \"drives\"\naccess_time = \"5 ms\"\ntransfer_rate = \"100 MB/s\"\ncount = 1\nadapter.protocol = \"nvme\"\n\
             adapter.nvme.first_burst = \"{first}\"\n[host]\nkind = \"host\"\nadapter.protocol = \"nvme\"\nadapter.nvme.first_burst = \"{first}\"\n\
             [load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"drives\"]\nsize = \"64 KiB\"\nread_fraction = 0.0\nqueue_depth = 3\n"
        )
    };
    let (with, without) = (run(&text("64 KiB")), run(&text("0 B")));
    assert_adds_up(&with);
    // The drive is the limit with both, and has nearly all of the time.
    let [drive, drive_before] = [&with, &without].map(|result| in_place_ns(result, "drives"));
    assert!((drive / drive_before - 1.0).abs() < 0.05, "{drive} of {drive_before}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(100), failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever fails, is given up and refused: all I/Os come back once, ledgers add up, and the loop models agree.
    #[test]
    fn nothing_is_lost_with_first_bursts(
        on_loop in any::<bool>(), hosts in 1..4_usize, drives in 1..4_usize, depth in 1..5_u32, blocks in 1..600_u64, first in 1..300_u64,
        reads in prop::sample::select(vec![0.0, 0.5]), silent in any::<bool>(), stored in any::<bool>(), seed in 0..1000_u64,
        sequence in prop::sample::select(vec![8_u64, 40, 256]), command_us in 0..60_u64, frame_us in 0..4_u64,
        model in prop::sample::select(vec!["access_time = \"2 ms\"", "model = \"ram\""]),
    ) {
        let network = if on_loop { "kind = \"arbitrated-loop\"\nspeed = \"4GFC\"" } else { "kind = \"fabric\"\nspeed = \"8GFC\"" };
        let names: Vec<String> = (0..hosts).map(|number| format!("\"host{number}\"")).collect();
        let nvme = format!(
            "adapter.protocol = \"nvme\"\nadapter.nvme = {{ first_burst = \"{} B\", largest_sequence = \"{sequence} KiB\" }}\n\
             adapter.command_time = \"{command_us} us\"\nadapter.frame_time = \"{frame_us} us\"\nadapter.single_frame_time = \"{frame_us} us\"\n\
             adapter.dma_bandwidth = \"500 MB/s\"\n", 512 * first
        );
        let done = if stored { "stored" } else { "received" };
        let errors = if silent { "no_answer = 0.05\n" } else { "" };
        let mut text = format!(
            "[run]\nmeasured_ios = 60\nwarm_up = 0\nseed = {seed}\n[san]\n{network}\nstations = [{}, \"drives\"]\n\
             [drives]\nkind = \"drives\"\n{model}\ncount = {drives}\ntransfer_rate = \"200 MB/s\"\n{nvme}adapter.burst_done = \"{done}\"\n\
             [drives.errors]\nbusy = 0.05\n{errors}", names.join(", ")
        );
        for number in 0..hosts {
            text += &format!(
                "[host{number}]\nkind = \"host\"\n{nvme}driver.time_out = \"3 s\"\ndriver.retries = 20\n[load{number}]\nkind = \"closed\"\n\
                 from = \"host{number}\"\nto = [\"drives\"]\nsize = \"{} B\"\nread_fraction = {reads:?}\nqueue_depth = {depth}\n", 512 * blocks
            );
        }
        let result = run(&text);
        assert_adds_up(&result);
        prop_assert_eq!((result.ios.rows.len(), result.summary.failed_ios), (60, 0));
        if on_loop {
            assert_reference_agrees(&text);
        }
    }
}

//! Laws of fabrics in whole systems: credit against distance with all frames that use credit, and switches that fail during a run.

use crate::common::figure;
use crate::common::text::{assert_adds_up, run};
use sansim_simulator::RunResult;

const FAST: &str =
    "adapter.outgoing_buffers = 8\nadapter.dma_bandwidth = \"1 TB/s\"\nadapter.dma_bidirectional = true";

/// A host and a drive of memory at the ends of a link.
fn at_a_link(speed: &str, credits: u32, metres: u32, load: &str) -> RunResult {
    let text = format!(
        "[run]\nmeasured_ios = 1000\nwarm_up = 4\n[san]\nkind = \"fabric\"\nspeed = \"{speed}\"\ntopology = \"point-to-point\"\n\
         cable = \"{metres} m\"\nstations = [\"host\", \"drive\"]\n[host]\nkind = \"host\"\nport.incoming_buffers = {credits}\n{FAST}\n\
         [drive]\nkind = \"drives\"\nmodel = \"ram\"\nconcurrency = 64\ntransfer_rate = \"1 TB/s\"\nport.incoming_buffers = {credits}\n{FAST}\n\
         [load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"drive\"]\n{load}\n"
    );
    let result = run(&text);
    assert_adds_up(&result);
    result
}

/// The number of words of a data frame of 2 KiB and of FCP_RSP, and of the gap behind a frame.
const DATA: f64 = 521.0;
const RESPONSE: f64 = 15.0;
const GAP: f64 = 6.0;

/// Speeds, with the time of a word and of error correction in nanoseconds.
const SPEEDS: [(&str, f64, f64); 6] = [
    ("1GFC", 640.0 / 17.0, 0.0),
    ("4GFC", 640.0 / 68.0, 0.0),
    ("16GFC", 640.0 / 272.0, 0.0),
    ("32GFC", 640.0 / 544.0, 5_280.0 / 28.05),
    ("64GFC", 640.0 / 1_088.0, 5_440.0 / 57.8),
    ("128GFC", 10.0 / 33.0, 5_440.0 / 112.2),
];

/// The number of words that a repeated sequence of frames takes, where each frame needs one of the credits and returns it this number of
/// words after its last word.
fn cycle(frames: &[f64], credits: usize, back: f64) -> f64 {
    let mut begins: Vec<(f64, f64)> = Vec::new();
    for _ in 0..400 {
        for &words in frames {
            let after = begins.last().map_or(0.0, |(at, words)| at + words + GAP);
            let credit =
                begins.len().checked_sub(credits).map_or(0.0, |one| begins[one].0 + begins[one].1 + back);
            begins.push((after.max(credit), words));
        }
    }
    let half = begins.len() / 2;
    (begins[begins.len() - 1].0 - begins[half - 1].0) / (half / frames.len()) as f64
}

#[test]
fn responses_take_credit_too_and_reads_fall_with_distance_where_the_formula_says() {
    for (speed, word_ns, correction_ns) in SPEEDS {
        for (credits, metres, frames) in
            [(2, 500, 4), (3, 2_000, 4), (8, 2_000, 1), (4, 10_000, 2), (32, 2_000, 4)]
        {
            let size = frames * 2;
            let load = format!("size = \"{size} KiB\"\nread_fraction = 1.0\nqueue_depth = 64");
            let result = at_a_link(speed, credits, metres, &load);
            let way = (f64::from(metres) * 5.0 + correction_ns) / word_ns;
            let mut sequence = vec![DATA; frames as usize];
            sequence.push(RESPONSE);
            // The time includes the path there and back, an R_RDY with the fill words before it, and the slots for which both ends
            // wait: five words at most.
            let least = cycle(&sequence, credits as usize, 2.0 * way + 1.0);
            let most = cycle(&sequence, credits as usize, 2.0 * way + 5.0 + 23.0);
            let found = 1e9 / result.summary.iops / word_ns;
            println!(
                "{speed}, {credits} credits, {metres} m, {frames} frames: {found:.1} words an I/O, by hand {least:.1} to {most:.1}"
            );
            // The measured interval cuts one of a thousand I/Os at each end, and the I/Os of one credit window complete together.
            let slack = 0.005 + f64::from(credits) / f64::from(frames + 1) / 1_000.0;
            assert!(
                found >= (1.0 - slack) * least && found <= (1.0 + slack) * most,
                "{speed}, {credits}, {metres}, {frames}"
            );
        }
    }
}

#[test]
fn with_data_both_ways_each_way_has_what_its_credits_carry() {
    let eight = ("8GFC", 80.0 / 17.0, 0.0);
    let of = |(speed, word, correction): (&'static str, f64, f64)| {
        [(4, 5_000), (16, 5_000), (64, 5_000), (64, 1_000)]
            .map(|(credits, metres)| (speed, word, correction, credits, metres))
    };
    for (speed, word_ns, correction_ns, credits, metres) in
        [eight, SPEEDS[3], SPEEDS[4], SPEEDS[5]].into_iter().flat_map(of)
    {
        let load = "size = \"64 KiB\"\nread_fraction = 0.5\nqueue_depth = 32";
        let result = at_a_link(speed, credits, metres, load);
        let there_and_back = 2.0 * (f64::from(metres) * 5.0 + correction_ns) / word_ns;
        // R_RDY may wait behind a data frame in the other direction, or find none.
        let carried = |back: f64| 2048.0 / (cycle(&[DATA], credits as usize, back) * word_ns * 1e-9);
        let (most, least) =
            (2.0 * carried(there_and_back + 1.0), 2.0 * carried(there_and_back + DATA + 20.0));
        let found = result.summary.bytes_per_second;
        println!(
            "{speed}, {credits} credits, {metres} m: {:.1} MB/s, {:.1} to {:.1}",
            found / 1e6,
            least / 1e6,
            most / 1e6
        );
        // Commands, FCP_XFER_RDY and responses use credits and words as well: three for 32 frames of data.
        assert!(found <= 1.01 * most && found >= 0.85 * least, "{speed}, {credits} credits, {metres} m");
    }
}

/// Two hosts and drives are behind two edge switches, which two core switches join.
fn with_cores(events: &str) -> RunResult {
    let fast = format!("port.incoming_buffers = 16\n{FAST}");
    let host = |name: &str| {
        format!(
            "[{name}]\nkind = \"host\"\ndriver.time_out = \"5 ms\"\n{fast}\n[load-{name}]\nkind = \"closed\"\nfrom = \"{name}\"\nto = [\"drives\"]\n\
             size = \"16 KiB\"\nread_fraction = 0.5\nqueue_depth = 2\n"
        )
    };
    run(&format!(
        "[run]\nmeasured_ios = 4000\nwarm_up = 20\n[san]\nkind = \"fabric\"\nspeed = \"8GFC\"\ntopology = \"core-edge\"\ncores = 2\nedges = 2\n\
         stations = [\"one\", \"other\", \"drives\"]\n{}{}[drives]\nkind = \"drives\"\ncount = 4\nmodel = \"ram\"\ntransfer_rate = \"1 TB/s\"\n{fast}\n{events}",
        host("one"),
        host("other")
    ))
}

#[test]
fn when_a_core_switch_fails_in_mid_run_traffic_goes_by_the_other_and_nothing_is_lost_for_good() {
    let event = |at: u32, what: &str, r#do: &str| {
        format!("[[event]]\nat = \"{at} us\"\nwhat = \"san.switches.{what}\"\ndo = \"{do}\"\n")
    };
    let quiet = with_cores("");
    assert_eq!(figure(&quiet.summary, "san", "lost_frames"), 0.0);
    let events = [
        event(2_000, "core0", "fail"),
        event(8_000, "core0", "repair"),
        event(14_000, "core1", "fail"),
        event(20_000, "core1", "repair"),
    ];
    let result = with_cores(&events.concat());
    assert_adds_up(&result);
    assert_eq!(result.summary.failed_ios, 0, "what was in the switch is tried again");
    assert!(result.summary.iops < quiet.summary.iops, "time-outs cost something");
    let lost: f64 =
        result.summary.ledger_ns.mean.0.iter().filter(|(name, _)| name == "san.lost").map(|(_, ns)| ns).sum();
    assert!(
        figure(&result.summary, "san", "lost_frames") == 0.0 || lost > 0.0,
        "and the ledger says what for"
    );
}

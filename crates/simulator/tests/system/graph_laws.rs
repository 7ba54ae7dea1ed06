//! Laws of whole graphs: statements about a system compared with another system that hold for any numbers.
//!
//! Where two runs are compared, the I/Os are counted in the order in which they complete, and the n-th I/O of one run is compared with the
//! n-th of the other: a run in which each of them completes no later is never slower. This law holds to the tick where requests follow one
//! another. Where requests compete for a loop the law need not hold: an earlier frame may win an arbitration that it would have lost, and
//! another frame may have to wait for it. For busy loops the law is therefore claimed only for the run as a whole.

use crate::common::asked::Asked;
use crate::common::text::{assert_adds_up, run, run_seen};
use sansim_kernel::{Span, Time};
use sansim_simulator::RunResult;

/// The times at which the measured I/Os complete, in this order.
fn completions(text: &str) -> Vec<Time> {
    let result = run(text);
    assert_adds_up(&result);
    assert_eq!(result.summary.failed_ios, 0);
    result.ios.rows.iter().map(|io| io.completed).collect()
}

/// Checks that the n-th I/O of one run completes no later than the n-th I/O of the other, for every n.
fn assert_no_later(what: &str, quick: &[Time], slow: &[Time]) {
    assert_eq!(quick.len(), slow.len(), "{what}");
    let place = quick.iter().zip(slow).position(|(quick, slow)| quick > slow);
    let at = place.map(|place| (place, quick[place], slow[place]));
    assert_eq!(at, None, "{what}: an I/O that completes later");
}

/// The keys of a controller between a host and a drive.
#[derive(Clone, Copy)]
struct Bridge {
    seed: u32,
    front: &'static str,
    back: &'static str,
    processor: &'static str,
    kib: u64,
    reads: &'static str,
    depth: u32,
}

const BRIDGE: Bridge =
    Bridge { seed: 1, front: "2GFC", back: "1GFC", processor: "0 ns", kib: 16, reads: "0.5", depth: 1 };

/// The drive whose data move at once, and the load, which may be behind or before any other component.
fn ends(Bridge { seed, kib, reads, depth, .. }: Bridge, to: &str) -> String {
    format!(
        r#"
        [run]
        measured_ios = 100
        warm_up = 0
        seed = {seed}
        [disks]
        kind = "drives"
        access_time = {{ distribution = "uniform", low = "100 us", high = "3 ms" }}
        transfer_rate = "1000 GB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["{to}"]
        size = "{kib} KiB"
        read_fraction = {reads}
        queue_depth = {depth}
        "#
    )
}

impl Bridge {
    /// The system is a host, a loop, a controller, a loop and a drive.
    fn text(self) -> String {
        let Self { front, back, processor, .. } = self;
        format!(
            r#"
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
            {}
            "#,
            ends(self, "bridge")
        )
    }

    /// The same host, attached directly to the same drive.
    fn straight(self) -> String {
        format!("[host]\nkind = \"host\"\nattached = [\"disks\"]\n{}", ends(self, "disks"))
    }

    /// The time of the data on a loop with this number of words per second: frames of 2048 bytes have 521 words from SOF to EOF, and
    /// at least 6 words lie between two frames.
    fn on_loop(self, words_per_s: f64) -> Span {
        let frames = self.kib as f64 / 2.0;
        Span::from_ns_f64((frames * 521.0 + (frames - 1.0) * 6.0) / words_per_s * 1e9)
    }

    /// The least time on the loops of host and drives.
    fn sides(self) -> Span {
        self.on_loop(2.0 * WORDS_1G_PER_S) + self.on_loop(WORDS_1G_PER_S)
    }
}

/// The number of words of forty bits per second on 1GFC.
const WORDS_1G_PER_S: f64 = 1.0625e9 / 40.0;

/// There is one I/O at a time, so no earlier I/O in flight could delay it.
#[test]
fn a_shorter_processor_time_of_a_controller_is_never_slower() {
    let times = ["0 ns", "1 ns", "730 ns", "7 us", "45 us", "300 us", "2 ms"];
    for (seed, kib, reads) in [(1, 2, "1.0"), (2, 16, "0.0"), (3, 16, "0.5"), (4, 128, "0.5"), (5, 64, "1.0")]
    {
        let runs =
            times.map(|processor| completions(&Bridge { seed, kib, reads, processor, ..BRIDGE }.text()));
        for (times, runs) in times.windows(2).zip(runs.windows(2)) {
            assert_no_later(&format!("{kib} KiB, {reads} reads, {times:?}"), &runs[0], &runs[1]);
        }
        let last = |run: &Vec<Time>| run[run.len() - 1];
        assert!(last(&runs[0]) < last(&runs[6]), "and 2 ms are more than the data of a write take");
    }
}

/// A request may not be passed on before its data have arrived, nor answered before the data of a read are
/// back.
#[test]
fn a_bridge_takes_at_least_as_long_as_the_device_behind_it_and_the_time_on_both_sides() {
    for (seed, kib, reads) in [(1, 2, "0.5"), (2, 16, "1.0"), (3, 16, "0.0"), (4, 128, "0.5")] {
        let bridge = Bridge { seed, kib, reads, processor: "20 us", ..BRIDGE };
        let [through, straight] = [bridge.text(), bridge.straight()].map(|text| run(&text));
        assert_adds_up(&through);
        for (through, straight) in through.ios.rows.iter().zip(&straight.ios.rows) {
            assert_eq!((through.lba, through.is_write()), (straight.lba, straight.is_write()));
            // The processor works on a write while its data arrive.
            let processor = if through.is_write() { Span::ZERO } else { Span::from_us(20) };
            let least = straight.response + bridge.sides() + processor;
            assert!(through.response >= least, "{kib} KiB: {} < {least}", through.response);
        }
    }
}

#[test]
fn with_many_under_way_each_takes_at_least_what_its_part_behind_takes_and_the_loop_of_the_host() {
    for (seed, kib, reads, depth) in
        [(1, 2, "0.5", 16), (2, 64, "1.0", 4), (3, 64, "0.0", 4), (4, 16, "0.7", 8)]
    {
        let bridge = Bridge { seed, kib, reads, depth, processor: "20 us", ..BRIDGE };
        let (_, _, asked) = run_seen(&bridge.text(), Asked::default());
        assert!(asked.ios.len() >= 100);
        for (io, parts, _) in asked.ios {
            let [part] = &parts[..] else { panic!("{} parts", parts.len()) };
            let processor = if io.request.is_write() { Span::ZERO } else { Span::from_us(20) };
            let least = part.took() + bridge.on_loop(2.0 * WORDS_1G_PER_S) + processor;
            assert!(io.took() >= least, "{kib} KiB: {} < {least}", io.took());
            let least = bridge.on_loop(WORDS_1G_PER_S) + Span::from_us(100);
            assert!(part.took() >= least, "{kib} KiB: {} < {least}", part.took());
        }
    }
}

/// A host with two drives attached directly, where a load uses one drive or a mirror of both.
fn copies(seed: u32, depth: u32, to: &str) -> String {
    let both = if to == "mirror" { "[mirror]\nkind = \"mirror\"\nto = [\"one\", \"two\"]\n" } else { "" };
    let drive = |name: &str| {
        format!(
            "[{name}]\nkind = \"drives\"\ntransfer_rate = \"80 MB/s\"\n\
             access_time = {{ distribution = \"exponential\", mean = \"2 ms\" }}\n"
        )
    };
    format!(
        "[run]\nmeasured_ios = 300\nwarm_up = 0\nseed = {seed}\n\
         [host]\nkind = \"host\"\nattached = [\"{to}\"{}]\n{both}{}{}\
         [load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"{to}\"]\nsize = \"8 KiB\"\nread_fraction = 0.0\n\
         queue_depth = {depth}\n",
        match to {
            "one" => ", \"two\"",
            "two" => ", \"one\"",
            _ => "",
        },
        drive("one"),
        drive("two"),
    )
}

/// Any number of I/Os may be in flight: a drive serves them in the order of arrival, and with the mirror each arrives
/// no earlier.
#[test]
fn a_mirrored_write_is_never_faster_than_one_to_either_copy_alone() {
    for (seed, depth) in [(1, 1), (2, 1), (3, 2), (4, 8), (5, 32)] {
        let mirrored = completions(&copies(seed, depth, "mirror"));
        for one in ["one", "two"] {
            let alone = completions(&copies(seed, depth, one));
            assert_no_later(&format!("{one}, {depth} at a time"), &alone, &mirrored);
            // The mean of the greater of two exponential times is one and a half times the mean, and nothing else
            // takes much time.
            let [mirrored, alone] = [&mirrored, &alone].map(|run| (run[299] - Time::ZERO).as_ns_f64());
            assert!(depth > 1 || mirrored > 1.3 * alone, "{one}: {mirrored} ns and {alone} ns");
        }
    }
}

/// A loop with a host, two drives and a load, all with names of their own.
fn own_loop(name: &str, speed: &str, load: &str) -> String {
    format!(
        r#"
        [{name}-loop]
        kind = "arbitrated-loop"
        speed = "{speed}"
        stations = ["{name}-host", "{name}-disks"]
        [{name}-host]
        kind = "host"
        [{name}-disks]
        kind = "drives"
        count = 2
        access_time = {{ distribution = "uniform", low = "100 us", high = "2 ms" }}
        transfer_rate = "50 MiB/s"
        [{name}-load]
        kind = "synthetic"
        from = "{name}-host"
        to = ["{name}-disks"]
        {load}
        "#
    )
}

/// The part of a result about the loop `first`: each I/O with its ledger, and the figures of the components.
fn told_of_first(result: &RunResult) -> (Vec<String>, Vec<String>) {
    let names = &result.names;
    let mut ios = Vec::new();
    for (number, io) in result.ios.rows.iter().enumerate() {
        if names.workloads[io.workload as usize].name != "first-load" {
            continue;
        }
        let device = &names.components[names.devices[io.device as usize].component].name;
        let stays = result.ios.dwells_of_io(number).iter();
        let stays: Vec<_> = stays.map(|stay| (names.line_name(stay.line), stay.spent)).collect();
        let what = (io.lba, io.bytes, io.is_write(), io.stream, io.slot);
        ios.push(format!("{device} {what:?} {} {} {stays:?}", io.completed, io.response));
    }
    let components = serde_json::to_value(&result.summary).expect("JSON")["components"].clone();
    let first =
        components.as_object().expect("components").iter().filter(|(name, _)| name.starts_with("first"));
    (ios, first.map(|(name, figures)| format!("{name}: {figures}")).collect())
}

#[test]
fn a_second_loop_by_itself_changes_nothing_of_the_first() {
    let closed = "size = \"16 KiB\"\nread_fraction = 0.6\n[first-load.arrivals]\nprocess = \"closed\"\nqueue_depth = 3";
    let open = "size = { \"4 KiB\" = 60, \"64 KiB\" = 40 }\nread_fraction = 0.3\n[first-load.arrivals]\n\
                process = \"poisson\"\nrate = \"600/s\"";
    for (seed, load) in [(1, closed), (2, open), (3, closed), (4, open)] {
        let head = format!("[run]\nduration = \"300 ms\"\nwarm_up = \"0 s\"\nseed = {seed}\n");
        let first = own_loop("first", "2GFC", load);
        let second = own_loop("second", "1GFC", &load.replace("first", "second").replace("600/s", "900/s"));
        let alone = told_of_first(&run(&format!("{head}{first}")));
        assert!(alone.0.len() > 100 && alone.1.len() == 3, "{} I/Os, {:?}", alone.0.len(), alone.1);
        for both in [format!("{head}{first}{second}"), format!("{head}{second}{first}")] {
            let result = run(&both);
            assert!(result.ios.rows.len() > alone.0.len() + 100, "the second loop is at work");
            let beside = told_of_first(&result);
            let place = alone.0.iter().zip(&beside.0).find(|(one, other)| one != other);
            assert_eq!(place, None, "seed {seed}");
            assert_eq!(alone.0.len(), beside.0.len(), "seed {seed}");
            assert_eq!(alone.1, beside.1, "seed {seed}");
        }
    }
}

/// A host and two drives of memory, connected by two equal loops.
fn two_ways(path: &str, kib: u32, reads: &str, depth: u32) -> String {
    let way = |name: &str| {
        format!(
            "[{name}]\nkind = \"arbitrated-loop\"\nspeed = \"1GFC\"\n\
             stations = [\"host.adapters.{name}\", \"disks.adapters.{name}\"]\n"
        )
    };
    format!(
        r#"
        [run]
        measured_ios = 400
        warm_up = 0
        {}{}
        [host]
        kind = "host"
        path = "{path}"
        [host.adapters.left]
        [host.adapters.right]
        [disks]
        kind = "drives"
        count = 2
        model = "ram"
        transfer_rate = "1000 GB/s"
        concurrency = 64
        [disks.adapters.left]
        [disks.adapters.right]
        [load]
        kind = "closed"
        from = "host"
        to = ["disks"]
        size = "{kib} KiB"
        read_fraction = {reads}
        queue_depth = {depth}
        "#,
        way("left"),
        way("right"),
    )
}

/// The law holds for equal paths, and loops that are the bottleneck. Otherwise the law does not hold: in turn half of the I/Os use a path
/// that may be slower or busier (`multipath.rs` tests that), and on paths that are faster than a drive its queue only gets another order.
#[test]
fn in_turn_by_two_ways_that_are_alike_is_never_slower_than_by_the_first_alone() {
    for kib in [4, 16, 64] {
        for reads in ["1.0", "0.0", "0.5"] {
            for depth in [1, 2, 4, 16] {
                let [turns, first] =
                    ["round-robin", "first"].map(|path| completions(&two_ways(path, kib, reads, depth)));
                let what = format!("{kib} KiB, {reads} reads, {depth} at a time");
                assert_no_later(&what, &turns, &first);
                let [turns, first] = [turns, first].map(|run| (run[run.len() - 1] - Time::ZERO).as_ns_f64());
                assert!(depth < 4 || turns < 0.7 * first, "{what}: {turns} ns and {first} ns");
            }
        }
    }
}

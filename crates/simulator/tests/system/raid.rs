//! Arrays in whole systems: the accesses that their plans make for requests, the requests when drives fail, the time of rebuilds;
//! compared with formulas where there are any.

use crate::common::asked::Asked;
use crate::common::text::{assert_adds_up, assert_near, assert_same, in_place_ns, run, run_seen};
use sansim_kernel::Span;
use sansim_raid::analysis::{fork_join, loads};
use sansim_simulator::RunResult;

/// A host that is attached directly to an array of drives. Every drive takes `access`, and moves 64 KiB in
/// 1.25 ms.
pub fn array(run: &str, array: &str, drives: (u32, &str), load: &str) -> String {
    let (count, access) = drives;
    format!(
        r#"
        [run]
        {run}
        [host]
        kind = "host"
        attached = ["array"]
        [array]
        kind = "raid"
        to = ["disks"]
        {array}
        [disks]
        kind = "drives"
        count = {count}
        capacity = "64 MiB"
        access_time = {access}
        transfer_rate = "50 MiB/s"
        [load]
        from = "host"
        to = ["array"]
        {load}
        "#
    )
}

pub const FIXED: &str = "\"2 ms\"";
const ALONE: &str = "kind = \"closed\"\nqueue_depth = 1";

pub fn figure(result: &RunResult, name: &str) -> f64 {
    let array = result.summary.components.value_named("array").expect("the array");
    array.figure_named(name).unwrap_or_else(|| panic!("a figure {name}"))
}

pub fn layout(level: &str) -> String {
    format!("[array.layout]\nlevel = \"{level}\"")
}

/// The time of a drive for this number of bytes.
fn drive(bytes: u64) -> Span {
    Span::from_ms(2) + Span::to_move(bytes, 50 << 20)
}

#[test]
fn a_read_of_a_whole_stripe_takes_as_long_as_one_strip() {
    let load = format!("{ALONE}\nsize = \"256 KiB\"\nread_fraction = 1.0");
    let text = array("measured_ios = 50\nwarm_up = 0", &layout("0"), (4, FIXED), &load);
    let (_, _, asked) = run_seen(&text, Asked::default());
    for (io, parts, _) in &asked.ios {
        // Requests begin anywhere, so a stripe may have five pieces on four members, of which two are one piece or follow each other.
        let last = parts.iter().map(|part| part.ended).max().expect("parts");
        assert_eq!(io.ended, last, "the maximum over the members");
        let bytes: u64 = parts.iter().map(|part| part.request.bytes).sum();
        assert_eq!((bytes, parts.len() >= 4), (io.request.bytes, true), "all of it, spread over all");
    }
}

#[test]
fn the_ledger_names_the_way_through_read_calculation_and_write() {
    // The XOR of 1 KiB takes 1 us at 1.024 GB/s: old data, new data and old parity are 3 * 8 KiB.
    let load = format!("{ALONE}\nsize = \"8 KiB\"\nread_fraction = 0.0");
    let keys = format!(
        "xor_bandwidth = \"1024 MB/s\"\nread_modify_write = \"prefer\"\nstripe_unit = \"8 KiB\"\n{}",
        layout("5")
    );
    let text = array("measured_ios = 100\nwarm_up = 0", &keys, (5, FIXED), &load);
    let result = run(&text);
    assert_adds_up(&result);
    let aligned = result.ios.rows.iter().filter(|io| io.lba % 16 == 0);
    assert!(aligned.clone().count() > 0, "some write a whole strip");
    for io in aligned {
        assert_eq!(io.response, drive(8192) + Span::from_us(24) + drive(8192));
    }
    assert!(in_place_ns(&result, "array") > 0.0);
    assert_eq!(figure(&result, "full_stripe_writes"), 0.0);
    assert!(figure(&result, "read_modify_writes") >= 100.0);
}

/// The number of accesses to each of this number of members per request, for this fraction of reads.
type Load = fn(u32, f64) -> f64;

#[test]
fn what_members_are_asked_for_is_what_counting_says() {
    // The arrivals are open, each for one stripe unit, aligned to stripe units.
    let load =
        |reads: f64| format!("kind = \"closed\"\nqueue_depth = 4\nsize = \"4 KiB\"\nread_fraction = {reads}");
    let cases: [(&str, &str, Load); 3] = [
        ("1+0", "", loads::mirror_member_accesses),
        ("5", "read_modify_write = \"prefer\"", loads::raid5_member_accesses),
        ("6", "read_modify_write = \"prefer\"", loads::raid6_member_accesses),
    ];
    for (level, keys, formula) in cases {
        for reads in [0.0, 0.5] {
            let keys = format!("stripe_unit = \"1 MiB\"\n{keys}\n{}", layout(level));
            let result = run(&array("measured_ios = 4000\nwarm_up = 0", &keys, (8, FIXED), &load(reads)));
            let per_io = (figure(&result, "member_reads") + figure(&result, "member_writes")) / 4000.0;
            // The share of reads is half within a few requests, and one request of 256 touches two stripe
            // units.
            assert_near(level, per_io, 8.0 * formula(8, reads), 0.05);
        }
    }
}

#[test]
fn requests_that_fork_to_all_members_are_between_the_bounds_of_fork_join() {
    // Each read has one stripe unit on each of four members, which take an exponential time each: 4 KiB at 50 MiB/s take 78 us in
    // addition to 8 ms.
    let access = "{ distribution = \"exponential\", mean = \"8 ms\" }";
    for utilisation in [0.3, 0.6] {
        let service_s = 8e-3 + 4096.0 / (50.0 * 1024.0 * 1024.0);
        let rate = utilisation / service_s;
        let load = format!(
            "kind = \"synthetic\"\nsize = \"16 KiB\"\n[load.arrivals]\nprocess = \"poisson\"\nrate = \"{rate:.4}/s\""
        );
        let keys = format!("stripe_unit = \"4 KiB\"\n{}", layout("0"));
        let result = run(&array("measured_ios = 60000\nwarm_up = 2000", &keys, (4, access), &load));
        let mean = result.summary.response_time_ns.mean * 1e-9 / service_s;
        let (low, high) = (
            fork_join::response_lower_bound(4, utilisation),
            fork_join::response_upper_bound(4, utilisation),
        );
        assert!(low * 0.97 < mean && mean < high * 1.03, "{low} < {mean} < {high} at {utilisation}");
        assert_near("Nelson and Tantawi", mean, fork_join::nelson_tantawi_response(4, utilisation), 0.06);
    }
}

#[test]
fn a_rebuild_takes_bytes_over_rate_where_that_binds() {
    // For rebuild steps of 1 MiB the drives take 22 ms to read and as long to write.
    let load =
        "kind = \"closed\"\nqueue_depth = 1\nsize = \"512 B\"\nread_fraction = 1.0\nthink_time = \"100 ms\"";
    let event = "[[event]]\nat = \"1 s\"\ndo = \"fail\"\nwhat = \"disks[1]\"\n";
    let time = |more: &str, access: &str| {
        let rebuild = format!("[array.rebuild]\nstep = \"1 MiB\"\nat_once = 1\n{more}");
        let keys = format!("spares = 1\n{}\n{rebuild}", layout("5"));
        let text = array("duration = \"60 s\"\nwarm_up = \"0 s\"", &keys, (5, access), load);
        let result = run(&format!("{event}{text}"));
        assert_adds_up(&result);
        assert_eq!((figure(&result, "rebuilds"), figure(&result, "members")), (1.0, 4.0));
        assert_eq!(figure(&result, "rebuilt"), f64::from(64 << 20));
        assert_eq!((result.summary.failed_ios, figure(&result, "lost_stripes")), (0, 0.0));
        figure(&result, "rebuild_time")
    };
    let service = 2.0 * drive(1 << 20).as_s_f64();
    // The last of 64 rebuild steps begins when the rate allows 63. A read of the host may be served before the
    // rebuild step at a drive.
    let limited = time("rate = \"4 MiB/s\"", FIXED);
    assert!((limited - (63.0 / 4.0 + service)).abs() < 0.01, "{limited}");
    let free = time("", FIXED);
    assert!(free >= 64.0 * service && free < 64.0 * service * 1.05, "{free}: nothing but the drives");
    assert!(time("", "\"1 ms\"") < free, "faster drives rebuild faster");
    // There are hardly any requests, so the rate under load hardly ever applies if completed requests do not count as
    // load.
    let yielding = time("rate_under_load = \"1 MiB/s\"\nidle_after = \"0 ns\"", FIXED);
    assert!(yielding >= free && yielding < 1.2 * free, "{yielding}");
}

#[test]
fn two_members_are_rebuilt_at_once_in_the_time_of_one_where_the_rate_binds() {
    let load =
        "kind = \"closed\"\nqueue_depth = 1\nsize = \"512 B\"\nread_fraction = 1.0\nthink_time = \"100 ms\"";
    let fail = |disk: u32| format!("[[event]]\nat = \"1 s\"\ndo = \"fail\"\nwhat = \"disks[{disk}]\"\n");
    let time = |more: &str| {
        let rebuild = format!("[array.rebuild]\nstep = \"1 MiB\"\nat_once = 1\n{more}");
        let keys = format!("spares = 2\n{}\n{rebuild}", layout("6"));
        let text = array("duration = \"60 s\"\nwarm_up = \"0 s\"", &keys, (8, FIXED), load);
        let result = run(&format!("{}{}{text}", fail(1), fail(2)));
        assert_adds_up(&result);
        assert_eq!((figure(&result, "rebuilds"), figure(&result, "members")), (2.0, 6.0));
        assert_eq!((result.summary.failed_ios, figure(&result, "lost_stripes")), (0, 0.0));
        60.0 * figure(&result, "rebuilding")
    };
    let one_piece = 2.0 * drive(1 << 20).as_s_f64();
    let each = 63.0 / 4.0 + one_piece;
    let (at_once, in_turn) = (time("rate = \"4 MiB/s\""), time("rate = \"4 MiB/s\"\nmembers_at_once = 1"));
    // The two rebuilds meet in every stripe, so one is a step behind the other; the failure of the second drive is found
    // a request later.
    assert!((at_once - each).abs() < 0.2, "{at_once}, not {each}");
    assert!((in_turn - 2.0 * each).abs() < 0.2, "{in_turn}, not twice {each}");
    let (at_once, in_turn) = (time(""), time("members_at_once = 1"));
    assert!(at_once < 1.01 * in_turn, "{at_once} against {in_turn}: never slower");
}

#[test]
fn a_failed_drive_that_is_replaced_is_rebuilt_in_place() {
    let load = "kind = \"closed\"\nqueue_depth = 2\nsize = \"16 KiB\"\nread_fraction = 0.5";
    let event =
        |at: &str, what: &str| format!("[[event]]\nat = \"{at}\"\ndo = \"{what}\"\nwhat = \"disks[1]\"\n");
    for level in ["1", "1+0", "5", "6"] {
        let keys = format!("[array.rebuild]\nstep = \"1 MiB\"\n{}", layout(level));
        let text = array("duration = \"40 s\"\nwarm_up = \"0 s\"", &keys, (4, FIXED), load);
        let text = format!("{}{}{text}", event("1 s", "fail"), event("3 s", "repair"));
        let result = run(&text);
        assert_adds_up(&result);
        assert_eq!(result.summary.failed_ios, 0, "{level}");
        assert_eq!((figure(&result, "failures"), figure(&result, "rebuilds")), (1.0, 1.0), "{level}");
        assert_eq!(figure(&result, "members"), 4.0, "{level}");
        assert!(figure(&result, "degraded_writes") > 0.0, "{level}");
        assert_same(&result, &run(&text));
    }
}

#[test]
fn what_is_lost_fails_and_nothing_else() {
    let load =
        "kind = \"closed\"\nqueue_depth = 2\nsize = \"4 KiB\"\nread_fraction = 1.0\nthink_time = \"5 ms\"";
    let event =
        |at: &str, disk: u32| format!("[[event]]\nat = \"{at}\"\ndo = \"fail\"\nwhat = \"disks[{disk}]\"\n");
    let failed = |level: &str, disks: [u32; 2]| {
        let text = array("duration = \"10 s\"\nwarm_up = \"0 s\"", &layout(level), (4, FIXED), load);
        let text = format!("{}{}{text}", event("1 s", disks[0]), event("2 s", disks[1]));
        let result = run(&text);
        assert_adds_up(&result);
        let late: Vec<bool> = result
            .ios
            .rows
            .iter()
            .filter(|io| io.completed > crate::common::text::ms(2_100))
            .map(|io| io.failed)
            .collect();
        (
            late.iter().filter(|failed| **failed).count() as f64 / late.len() as f64,
            figure(&result, "lost_stripes"),
        )
    };
    assert_eq!(failed("6", [0, 1]), (0.0, 0.0));
    assert_eq!(failed("1+0", [0, 2]), (0.0, 0.0));
    let (part, stripes) = failed("1+0", [0, 1]);
    assert!((part - 0.5).abs() < 0.1, "{part} of what is asked for is on the lost mirror");
    assert_eq!(stripes, 1024.0);
    let (part, stripes) = failed("5", [0, 1]);
    // Two of four stripe units of each stripe are affected, of which three are data.
    assert!((part - 0.5).abs() < 0.1, "{part}");
    assert_eq!(stripes, 1024.0);
}

#[test]
fn arrays_stand_before_arrays() {
    // RAID 5 over three RAID 0 of two drives each. Deeper stacks are in `stacked_arrays.rs`.
    let nested = r#"
        [run]
        measured_ios = 500
        warm_up = 0
        [[event]]
        at = "300 ms"
        do = "fail"
        what = "disks[3]"
        [host]
        kind = "host"
        attached = ["outer"]
        [outer]
        kind = "raid"
        to = ["inner"]
        stripe_unit = "16 KiB"
        [outer.layout]
        level = "5"
        [inner]
        kind = "raid"
        count = 3
        to = ["disks"]
        stripe_unit = "8 KiB"
        [inner.layout]
        level = "0"
        [disks]
        kind = "drives"
        count = 6
        capacity = "16 MiB"
        access_time = "1 ms"
        transfer_rate = "50 MiB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["outer"]
        size = "32 KiB"
        read_fraction = 0.5
        queue_depth = 4
        "#;
    let result = run(nested);
    assert_adds_up(&result);
    assert_eq!(result.summary.failed_ios, 0);
    let outer = result.summary.components.value_named("outer").expect("the outer array");
    assert_eq!((outer.figure_named("members"), outer.figure_named("failures")), (Some(2.0), Some(1.0)));
    assert!(in_place_ns(&result, "disks") > 0.0, "the time is that of the drives");
    assert_same(&result, &run(nested));
}

#[test]
fn an_array_that_fails_answers_nothing_but_failures_until_it_is_repaired() {
    let load =
        "kind = \"closed\"\nqueue_depth = 2\nsize = \"16 KiB\"\nread_fraction = 0.5\nthink_time = \"5 ms\"";
    let events = "[[event]]\nat = \"1 s\"\ndo = \"fail\"\nwhat = \"array\"\n[[event]]\nat = \"2 s\"\ndo = \"repair\"\nwhat = \"array\"\n";
    let text = array("duration = \"3 s\"\nwarm_up = \"0 s\"", &layout("5"), (4, FIXED), load);
    let result = run(&format!("{events}{text}"));
    assert_adds_up(&result);
    for io in &result.ios.rows {
        let ended = io.completed;
        if ended > crate::common::text::ms(1_030) && ended < crate::common::text::ms(2_000) {
            assert!(io.failed, "at {ended}");
        }
        if ended < crate::common::text::ms(1_000) || ended > crate::common::text::ms(2_030) {
            assert!(!io.failed, "at {ended}");
        }
    }
    assert!(result.summary.failed_ios > 100);
}

#[test]
fn a_scrub_reads_everything_and_keeps_to_its_rate() {
    let load =
        "kind = \"closed\"\nqueue_depth = 1\nsize = \"512 B\"\nread_fraction = 1.0\nthink_time = \"100 ms\"";
    let keys =
        format!("{}\n[array.scrub]\nevery = \"1 s\"\nstep = \"1 MiB\"\nrate = \"16 MiB/s\"", layout("5"));
    let result = run(&array("duration = \"11 s\"\nwarm_up = \"0 s\"", &keys, (5, FIXED), load));
    // The scrub runs for ten seconds, except for steps at both ends: 0.75 MiB of whole stripes fit in a step.
    let mib = figure(&result, "scrubbed") / f64::from(1 << 20);
    assert!((mib - 160.0).abs() <= 1.5, "{mib} MiB");
    assert_eq!(result.summary.failed_ios, 0);
}

/// The figure is also given for drives with realistic lifetimes, where a simulation would never reach a loss.
#[test]
fn mean_time_to_data_loss_stands_beside_the_other_figures() {
    let load = format!("{ALONE}\nsize = \"4 KiB\"\nread_fraction = 1.0");
    let told = |keys: &str, level: &str, drives: u32| {
        let keys = format!("[array.reliability]\n{keys}\n{}", layout(level));
        let result = run(&array("measured_ios = 10\nwarm_up = 0", &keys, (drives, FIXED), &load));
        ["mttdl_formula", "mttdl_simulated", "mttdl_half_width"].map(|name| figure(&result, name) / 3600.0)
    };
    let agree = |what: &str, [formula, simulated, half_width]: [f64; 3], wanted: f64, part: f64| {
        println!("{what}: {formula:.4e} h by formula, {simulated:.4e} +- {half_width:.1e} h simulated");
        assert_near(what, formula, wanted, part);
        assert!(half_width > 0.0 && half_width < 0.021 * simulated, "{what}: {half_width}");
        assert!((simulated - formula).abs() < 1.5 * half_width, "{what}: {simulated}, {formula}");
    };
    // The formula is MTTF^2 / (N (N-1) MTTR), plus the excess of the exact process.
    let few = told("mttf_h = 1000.0\nmttr_h = 10.0", "5", 5);
    agree("short lives", few, 1000.0 * 1000.0 / (5.0 * 4.0 * 10.0), 0.1);
    let long = "mttf_h = 1e6\nmttr_h = 10.0";
    agree("RAID 5", told(long, "5", 5), 1e12 / (5.0 * 4.0 * 10.0), 1e-3);
    agree("RAID 6", told(long, "6", 6), 2.0 * 1e18 / (6.0 * 5.0 * 4.0 * 100.0), 1e-3);
    agree("RAID 1+0", told(long, "1+0", 6), 1e12 / (2.0 * 10.0) / 3.0, 1e-3);
    // A failed member is rebuilt in time in all but one of many thousand cases.
    let degraded = format!("{long}\nfailed_at_start = 1");
    agree("RAID 5, degraded", told(&degraded, "5", 5), 1e12 / (5.0 * 4.0 * 10.0), 1e-3);
    let brief = "mttf_h = 1000.0\nmttr_h = 500.0\nfailed_at_start = 1";
    // After one failure the next comes at 4 / MTTF, and whenever the rebuild at 1 / MTTR comes first everything begins again.
    let all = 1000.0 / 5.0 + 1000.0 / 4.0 + 1000.0 / 500.0 / 4.0 * 1000.0 / 5.0;
    agree("RAID 5, degraded for long", told(brief, "5", 5), all - 1000.0 / 5.0, 1e-9);
    assert_eq!(told("mttf_h = 1e6\nmttr_h = 10.0\nfailed_at_start = 2", "5", 5), [0.0; 3]);
    assert_eq!(told("mttr_h = 10.0", "5", 5), [0.0; 3]);
}

#[test]
fn the_examples_lose_a_disk_and_no_data() {
    let example = |name: &str| {
        let path = format!("{}/../../scenarios/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let result = run(&std::fs::read_to_string(path).expect("an example"));
        assert_adds_up(&result);
        assert_eq!((result.summary.failed_ios, figure(&result, "lost_stripes")), (0, 0.0));
        assert_eq!(figure(&result, "failures"), 1.0);
        result
    };
    let degraded = example("raid-5");
    assert!(figure(&degraded, "degraded_reads") > 0.0 && figure(&degraded, "members") == 4.0);
    let rebuilt = example("rebuild");
    assert_eq!((figure(&rebuilt, "rebuilds"), figure(&rebuilt, "members")), (1.0, 5.0));
    let time_s = figure(&rebuilt, "rebuild_time");
    println!("rebuilt in {time_s} s; {} and {} IOPS", degraded.summary.iops, rebuilt.summary.iops);
    // The rebuild is never slower than the rate under load, 8 MB/s, where the drives allow it.
    assert!(time_s < 1.1 * f64::from(256 << 20) / 8e6, "{time_s}");
}

#[test]
fn what_cannot_be_laid_out_is_refused_with_what_it_needs() {
    let refused = |keys: &str, drives: u32, size: &str| {
        let load = format!("{ALONE}\nsize = \"{size}\"");
        let text = array("measured_ios = 1\nwarm_up = 0", keys, (drives, FIXED), &load);
        sansim_scenario::Scenario::parse_text(&text, "case.toml").expect_err("it cannot be").to_string()
    };
    let few = refused(&layout("6"), 3, "4 KiB");
    assert!(few.contains("level \"6\" needs 4 members") && few.contains("array.to"), "{few}");
    assert!(refused(&format!("spares = 1\n{}", layout("1+0")), 4, "4 KiB").contains("multiple of 2"));
    assert!(refused(&format!("spares = 5\n{}", layout("0")), 4, "4 KiB").contains("too few devices"));
    assert!(
        refused(&format!("stripe_unit = \"1 GiB\"\n{}", layout("0")), 4, "4 KiB")
            .contains("smaller stripe unit")
    );
    assert!(
        refused(&format!("memory = \"4 KiB\"\n{}", layout("0")), 4, "8 KiB").contains("larger array.memory")
    );
}

#[test]
fn an_array_straight_at_a_host_may_have_its_members_on_a_loop() {
    let result = run(r#"
        [run]
        measured_ios = 500
        warm_up = 0
        [loop]
        kind = "arbitrated-loop"
        speed = "2GFC"
        stations = ["array.back", "disks"]
        [host]
        kind = "host"
        attached = ["array"]
        [array]
        kind = "raid"
        to = ["disks"]
        layout.level = "5"
        [disks]
        kind = "drives"
        count = 4
        access_time = "2 ms"
        transfer_rate = "50 MB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["array"]
        size = "16 KiB"
        read_fraction = 0.5
    "#);
    assert_adds_up(&result);
    assert_eq!(result.summary.failed_ios, 0);
    let on_the_wire = result.summary.ledger_ns.mean.value_named("loop.wire").copied().unwrap_or(0.0);
    assert!(on_the_wire > 0.0, "its parts cross the loop");
}

/// Members take a fixed time, with one I/O at a time: a faster member never makes an I/O slower.
#[test]
fn a_faster_member_never_makes_an_io_alone_slower() {
    for level in ["0", "1+0", "4", "5", "6"] {
        for (size, reads) in
            [("4 KiB", 0.0), ("4 KiB", 1.0), ("96 KiB", 0.0), ("300 KiB", 0.0), ("300 KiB", 1.0)]
        {
            let mean = |fast: u32| {
                let load = format!("{ALONE}\nsize = \"{size}\"\nread_fraction = {reads:?}");
                let text = array("measured_ios = 200\nwarm_up = 0", &layout(level), (4, FIXED), &load)
                    .replace("to = [\"disks\"]", "to = [\"quick\", \"disks\"]")
                    .replace("count = 4", &format!("count = {}", 6 - fast));
                let quick = "kind = \"drives\"\ncapacity = \"64 MiB\"\naccess_time = \"1 ms\"\ntransfer_rate = \"100 MiB/s\"";
                run(&format!("{text}[quick]\n{quick}\ncount = {fast}\n")).summary.response_time_ns.figure.mean
            };
            let all: Vec<f64> = (1..=5).map(mean).collect();
            assert!(
                all.is_sorted_by(|fewer, more| more <= fewer),
                "RAID {level}, {size}, reads {reads}: {all:?}"
            );
        }
    }
}

//! A component in front of drives is notified of a failure when it happens, whether or not it has requests at the drive; and mirrors read
//! all of their copies.

use crate::common::text::{assert_adds_up, run};
use sansim_simulator::RunResult;

/// There are two drives and a spare, or their replacements; the first drive is lost long after the second, which gets no requests
/// in between.
const TWO_LOSSES: &str = r#"
    [[event]]
    at = "10 ms"
    do = "fail"
    what = "disks[1]"
    [[event]]
    at = "3 s"
    do = "fail"
    what = "disks[0]"
"#;

const OFTEN: &str = "think_time = \"10 ms\"";

fn system(array: &str, disks: u32, load: &str, events: &str) -> RunResult {
    let result = run(&format!(
        r#"
        [run]
        duration = "6 s"
        warm_up = "0 s"
        [host]
        kind = "host"
        attached = ["array"]
        {array}
        [disks]
        kind = "drives"
        count = {disks}
        capacity = "16 MiB"
        access_time = "2 ms"
        transfer_rate = "100 MB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["array"]
        size = "8 KiB"
        {load}
        {events}
        "#
    ));
    assert_adds_up(&result);
    result
}

fn figure(result: &RunResult, component: &str, figure: &str) -> f64 {
    let component =
        result.summary.components.value_named(component).and_then(|found| found.figure_named(figure));
    component.unwrap_or_else(|| panic!("no {figure}"))
}

#[test]
fn a_spare_takes_over_from_a_copy_that_nobody_reads_before_the_other_one_is_lost() {
    for policy in ["first", "balanced", "round-robin"] {
        let array = format!(
            "[array]\nkind = \"raid\"\nto = [\"disks\"]\nspares = 1\nlayout.level = \"1\"\nread_policy = \"{policy}\""
        );
        let result = system(&array, 3, OFTEN, TWO_LOSSES);
        assert_eq!(result.summary.failed_ios, 0, "{policy}");
        assert_eq!(figure(&result, "array", "rebuilds"), 1.0, "{policy}: of the first loss");
        assert!(figure(&result, "array", "rebuild_time") < 2.9, "{policy}");
    }
}

#[test]
fn every_level_rebuilds_what_fails_while_nobody_asks() {
    // Between two requests all work is done.
    let load = "think_time = \"4 s\"";
    for (level, disks) in [("1+0", 5), ("10", 4), ("4", 4), ("5", 4), ("6", 5)] {
        let array =
            format!("[array]\nkind = \"raid\"\nto = [\"disks\"]\nspares = 1\nlayout.level = \"{level}\"");
        let one = TWO_LOSSES.split("[[event]]").nth(1).map(|event| format!("[[event]]{event}"));
        let result = system(&array, disks, load, &one.unwrap_or_default());
        assert_eq!((result.summary.failed_ios, figure(&result, "array", "rebuilds")), (0, 1.0), "{level}");
        assert_eq!(figure(&result, "array", "members"), f64::from(disks - 1), "{level}");
    }
}

/// The system mirrors stripe sets: a drive of one set is lost, so the set has failed as a whole; then the spare set
/// replaces it.
#[test]
fn an_array_knows_that_an_array_behind_it_has_lost_data() {
    let array = r#"
        [array]
        kind = "raid"
        to = ["stripes"]
        spares = 1
        layout.level = "1"
        [stripes]
        kind = "raid"
        count = 3
        to = ["disks", "others"]
        layout.level = "0"
        [others]
        kind = "drives"
        count = 3
        capacity = "16 MiB"
        access_time = "2 ms"
        transfer_rate = "100 MB/s"
    "#;
    let result = system(array, 3, &format!("{OFTEN}\nread_fraction = 1.0"), TWO_LOSSES);
    assert_eq!((result.summary.failed_ios, figure(&result, "array", "rebuilds")), (0, 1.0));
}

#[test]
fn a_drive_that_fails_by_itself_is_known_to_have_failed_though_it_is_idle() {
    let array = "[array]\nkind = \"raid\"\nto = [\"disks\", \"frail\"]\nlayout.level = \"1\"\nread_policy = \"first\"\n\
                 [frail]\nkind = \"drives\"\ncapacity = \"16 MiB\"\naccess_time = \"2 ms\"\ntransfer_rate = \"100 MB/s\"\n\
                 faults = { fails_every = \"500 ms\" }";
    let result = system(array, 1, &format!("{OFTEN}\nread_fraction = 1.0"), "");
    assert_eq!((result.summary.failed_ios, figure(&result, "array", "members")), (0, 1.0));
}

/// The drives of a shelf cannot be reached when its cable has failed.
#[test]
fn drives_are_known_to_be_gone_with_their_enclosure() {
    let drive =
        "kind = \"drives\"\ncapacity = \"16 MiB\"\naccess_time = \"100 us\"\ntransfer_rate = \"100 MB/s\"";
    let result = run(&format!(
        r#"
        [run]
        duration = "4 s"
        warm_up = "0 s"
        [net]
        kind = "loop-switch"
        speed = "2GFC"
        stations = ["array.back", "near", "far", "spare"]
        enclosures.shelf = {{ kind = "mbod", holds = ["far"], interruption = "0 ns" }}
        [host]
        kind = "host"
        attached = ["array"]
        [array]
        kind = "raid"
        to = ["near", "far", "spare"]
        spares = 1
        layout.level = "1"
        read_policy = "first"
        [near]
        {drive}
        [far]
        {drive}
        [spare]
        {drive}
        [load]
        kind = "closed"
        from = "host"
        to = ["array"]
        size = "8 KiB"
        read_fraction = 1.0
        think_time = "10 ms"
        [[event]]
        at = "10 ms"
        do = "fail"
        what = "net.enclosures.shelf"
        "#
    ));
    assert_adds_up(&result);
    assert_eq!((result.summary.failed_ios, figure(&result, "array", "rebuilds")), (0, 1.0));
}

/// Random reads of a deep queue keep every disk busy, and all about equally.
#[test]
fn every_copy_is_read_by_default() {
    for (kind, level, disks) in
        [("raid", "layout.level = \"1\"", 3), ("raid", "layout.level = \"1+0\"", 8), ("mirror", "", 2)]
    {
        for drives in [
            "kind = \"disks\"\npreset = \"cheetah-15k5\"",
            "kind = \"drives\"\naccess_time = \"5 ms\"\ntransfer_rate = \"80 MB/s\"",
        ] {
            let result = run(&format!(
                "[run]\nmeasured_ios = 4000\nwarm_up = 100\n[host]\nkind = \"host\"\nattached = [\"array\"]\n[array]\nkind = \"{kind}\"\n\
                 to = [\"disks\"]\n{level}\n[disks]\ncount = {disks}\n{drives}\n[load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"array\"]\n\
                 size = \"8 KiB\"\nqueue_depth = 16\nread_fraction = 1.0"
            ));
            assert_adds_up(&result);
            let busy = figure(&result, "disks", "utilisation");
            assert!(busy > 0.75, "{kind} {level}, {drives}: {busy}");
        }
    }
}

#[test]
fn a_sequential_stream_of_reads_stays_on_one_copy() {
    let at = |policy: &str| {
        let result = run(&format!(
            "[run]\nmeasured_ios = 2000\nwarm_up = 100\n[host]\nkind = \"host\"\nattached = [\"array\"]\n[array]\nkind = \"raid\"\n\
             to = [\"disks\"]\nlayout.level = \"1\"\n{policy}\n[disks]\nkind = \"disks\"\ncount = 2\npreset = \"cheetah-15k5\"\n[load]\n\
             kind = \"closed\"\nfrom = \"host\"\nto = [\"array\"]\nsize = \"64 KiB\"\nread_fraction = 1.0\npattern = \"sequential\""
        ));
        assert_adds_up(&result);
        result.summary.response_time_ns.mean
    };
    assert_eq!(at(""), at("read_policy = \"first\""));
}

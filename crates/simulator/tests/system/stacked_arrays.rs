//! Arrays over time and stacked on each other: members that fail at random, rebuilds that yield to hosts, distributed spares, three levels
//! of arrays, mirrors of arrays, and a mirror compared with the array of which it is a small case.

use crate::common::text::{assert_adds_up, assert_near, assert_same, in_place_ns, run};
use crate::raid::{FIXED, array, figure, layout};
use sansim_kernel::{Span, Time};
use sansim_simulator::RunResult;

#[test]
fn members_that_fail_at_random_are_rebuilt_each_time() {
    let load =
        "kind = \"closed\"\nqueue_depth = 1\nsize = \"16 KiB\"\nread_fraction = 0.5\nthink_time = \"20 ms\"";
    let keys = format!("[array.rebuild]\nstep = \"1 MiB\"\n{}", layout("6"));
    // Each of six members fails every five minutes, and is replaced by an empty one half a second later: in ten minutes there are some 12
    // failures. The array notices a failure by a request that meets it, and the contents of the member are rebuilt in some three seconds.
    let text = array("duration = \"600 s\"\nwarm_up = \"0 s\"", &keys, (6, FIXED), load)
        .replace("count = 6\n", "count = 6\nfaults.fails_every = \"300 s\"\nfaults.fails_for = \"500 ms\"\n");
    let result = run(&text);
    assert_adds_up(&result);
    let [failures, rebuilds, members] = ["failures", "rebuilds", "members"].map(|name| figure(&result, name));
    println!("{failures} failures, {rebuilds} rebuilds, {members} members at the end");
    assert!((5.0..22.0).contains(&failures), "{failures}");
    assert!(rebuilds >= failures - 1.0 && rebuilds <= failures, "{rebuilds} of {failures}");
    assert!(members >= 4.0 && figure(&result, "rebuilding") > 0.01);
    assert_eq!((result.summary.failed_ios, figure(&result, "lost_stripes")), (0, 0.0));
    assert_same(&result, &run(&text));
}

#[test]
fn as_long_as_hosts_have_requests_there_a_rebuild_keeps_to_the_rate_under_load() {
    let time = |load: &str, rates: &str| {
        let load = format!("kind = \"closed\"\nsize = \"4 KiB\"\nread_fraction = 1.0\n{load}");
        let rebuild = format!("[array.rebuild]\nstep = \"1 MiB\"\nat_once = 1\n{rates}");
        let keys = format!("spares = 1\n{}\n{rebuild}", layout("5"));
        let text = array("duration = \"90 s\"\nwarm_up = \"0 s\"", &keys, (5, FIXED), &load);
        let event = "[[event]]\nat = \"1 s\"\ndo = \"fail\"\nwhat = \"disks[1]\"\n";
        let result = run(&format!("{event}{text}"));
        assert_adds_up(&result);
        assert_eq!((figure(&result, "rebuilds"), result.summary.failed_ios), (1.0, 0));
        figure(&result, "rebuild_time")
    };
    // A request is always present: of 64 rebuild steps of 1 MiB the last begins when the rate allows 63, and takes the time of the
    // drives.
    let always = "queue_depth = 2";
    let bound = time(always, "rate_under_load = \"1 MiB/s\"");
    assert!((63.0..63.3).contains(&bound), "{bound}");
    // With `idle_after` of zero the rebuild uses moments between two requests: there are many, and each lets a step
    // begin.
    let at_any_moment = time(always, "rate_under_load = \"1 MiB/s\"\nidle_after = \"0 ns\"");
    assert!(at_any_moment < 0.2 * bound, "{at_any_moment}");
    // Without requests for a long time, the other rate applies: for half of each second between two requests, or for nearly
    // all of it.
    let seldom = "queue_depth = 1\nthink_time = \"1 s\"";
    let both = "rate = \"8 MiB/s\"\nrate_under_load = \"1 MiB/s\"";
    let half = time(seldom, both);
    let nearly_all = time(seldom, &format!("{both}\nidle_after = \"1 ms\""));
    println!("{bound} s under load, {half} s and {nearly_all} s with little");
    assert!(nearly_all > 63.0 / 8.0 && nearly_all < 9.0, "{nearly_all}");
    // In half a second the other rate lets four steps begin, and the lower rate at most one.
    assert!((63.0 / 5.0 - 1.0..63.0 / 4.0 + 2.0).contains(&half), "{half}");
}

#[test]
fn distributed_spares_are_rebuilt_into_by_all_members_at_once() {
    let load =
        "kind = \"closed\"\nqueue_depth = 1\nsize = \"4 KiB\"\nread_fraction = 0.5\nthink_time = \"10 ms\"";
    let event = "[[event]]\nat = \"1 s\"\ndo = \"fail\"\nwhat = \"disks[1]\"\n";
    let rebuild = "[array.rebuild]\nstep = \"1 MiB\"\nat_once = 8\n";
    let rebuilt = |keys: &str, drives: u32| {
        let text = array("duration = \"30 s\"\nwarm_up = \"0 s\"", keys, (drives, FIXED), load);
        let text = format!("{event}{text}");
        let result = run(&text);
        assert_adds_up(&result);
        assert_eq!((figure(&result, "rebuilds"), result.summary.failed_ios), (1.0, 0));
        assert_eq!(figure(&result, "lost_stripes"), 0.0);
        assert_same(&result, &run(&text));
        figure(&result, "rebuild_time")
    };
    // The stripes have four units, over twelve members with one distributed spare, or over four members and a spare drive, which
    // alone is written.
    let declustered =
        format!("[array.layout]\nlevel = \"declustered\"\ndata = 3\nparity = 1\nspares = 1\n{rebuild}");
    let spare = format!("spares = 1\n{}\n{rebuild}", layout("5"));
    let (wide, narrow) = (rebuilt(&declustered, 12), rebuilt(&spare, 5));
    println!("{wide} s into distributed spare space, {narrow} s onto a spare");
    assert!(wide < 0.7 * narrow, "{wide} s and {narrow} s");
}

/// A host before the devices of these tables, the first of which is `outer`.
fn host(ios: u32, tables: &str, events: &str) -> String {
    format!(
        r#"
        [run]
        measured_ios = {ios}
        warm_up = 0
        {events}
        [host]
        kind = "host"
        attached = ["outer"]
        {tables}
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
        "#
    )
}

fn members(result: &RunResult, array: &str) -> f64 {
    result
        .summary
        .components
        .value_named(array)
        .and_then(|array| array.figure_named("members"))
        .expect("members")
}

fn failing(at_ms: u32, disk: u32) -> String {
    format!("[[event]]\nat = \"{at_ms} ms\"\ndo = \"fail\"\nwhat = \"disks[{disk}]\"\n")
}

/// The outer array is a RAID 5 over three mirrors, each over two stripe sets.
#[test]
fn three_levels_of_arrays_stand_what_each_of_them_stands() {
    let tables = r#"
        [outer]
        kind = "raid"
        to = ["middle"]
        stripe_unit = "16 KiB"
        layout.level = "5"
        [middle]
        kind = "raid"
        count = 3
        to = ["inner"]
        layout.level = "1"
        [inner]
        kind = "raid"
        count = 6
        to = ["disks"]
        stripe_unit = "8 KiB"
        layout.level = "0"
        [disks]
        kind = "drives"
        count = 12"#;
    // Drives 0 and 2 are in both copies of the first mirror, so the outer array is degraded; drives 5 and 9 cost each of the other
    // mirrors a copy.
    let events = [(50, 0), (100, 2), (150, 5), (200, 9)].map(|(at, disk)| failing(at, disk)).concat();
    let text = host(600, tables, &events);
    let result = run(&text);
    assert_adds_up(&result);
    assert_eq!(result.summary.failed_ios, 0);
    assert_eq!(members(&result, "outer"), 2.0);
    // There are three mirrors: the first has lost both copies and reports no copy, or one that failed with it, the others have one
    // copy each.
    assert!(members(&result, "middle") <= 4.0 / 3.0, "{}", members(&result, "middle"));
    assert!(in_place_ns(&result, "disks") > 0.0);
    assert_same(&result, &run(&text));
    // The loss of the remaining drives of the same mirror and of another mirror is more than any level
    // survives.
    let more = format!("{events}{}{}", failing(250, 4), failing(251, 7));
    let lost = run(&host(900, tables, &more));
    assert_adds_up(&lost);
    assert!(lost.summary.failed_ios > 0, "a second mirror is gone");
}

/// The system has two RAID 5 with a loop of their own before their drives, and a mirror of both.
#[test]
fn a_mirror_of_arrays_on_a_loop_stands_a_whole_array() {
    for mirror in ["kind = \"mirror\"", "kind = \"raid\"\nlayout.level = \"1\""] {
        let tables = format!(
            r#"
        [outer]
        to = ["inner"]
        {mirror}
        [back]
        kind = "arbitrated-loop"
        speed = "2GFC"
        stations = ["inner.back", "disks"]
        [inner]
        kind = "raid"
        count = 2
        to = ["disks"]
        stripe_unit = "8 KiB"
        layout.level = "5"
        [disks]
        kind = "drives"
        count = 6"#
        );
        let whole = run(&host(400, &tables, ""));
        let events = [failing(50, 0), failing(100, 1)].concat();
        let text = host(400, &tables, &events);
        let result = run(&text);
        for result in [&whole, &result] {
            assert_adds_up(result);
            assert_eq!(result.summary.failed_ios, 0, "{mirror}");
            assert!(in_place_ns(result, "back") > 0.0, "the loop is on the way");
        }
        assert_eq!(members(&result, "inner"), (1.0 + 3.0) / 2.0, "{mirror}");
        assert_same(&result, &run(&text));
        let all = [failing(50, 0), failing(100, 1), failing(150, 3), failing(200, 4)].concat();
        assert!(run(&host(600, &tables, &all)).summary.failed_ios > 0, "{mirror}: both are gone");
    }
}

/// The completion time of each I/O and its duration.
fn told(result: &RunResult) -> Vec<(u64, bool, Time, Span)> {
    assert_adds_up(result);
    result.ios.rows.iter().map(|io| (io.lba, io.is_write(), io.completed, io.response)).collect()
}

#[test]
fn without_faults_a_mirror_is_a_raid_1_to_the_tick() {
    for (copies, policy, depth, reads) in [
        (2, "first", 1, "0.5"),
        (2, "round-robin", 4, "0.7"),
        (3, "round-robin", 8, "0.3"),
        (2, "least-outstanding", 6, "1.0"),
    ] {
        let [mirror, level_1] = ["kind = \"mirror\"", "kind = \"raid\"\nlayout.level = \"1\"\nstripe_unit = \"16 MiB\""].map(|kind| {
            let tables = format!(
                "[outer]\nto = [\"disks\"]\nread_policy = \"{policy}\"\n{kind}\n[disks]\nkind = \"drives\"\ncount = {copies}"
            );
            let text = host(800, &tables, "")
                .replace("\"1 ms\"", "{ distribution = \"uniform\", low = \"1 ms\", high = \"5 ms\" }")
                .replace("queue_depth = 4", &format!("queue_depth = {depth}"))
                .replace("read_fraction = 0.5", &format!("read_fraction = {reads}"));
            run(&text)
        });
        assert_eq!(told(&mirror), told(&level_1), "{copies} copies, {policy}");
        let time = |result: &RunResult| in_place_ns(result, "disks");
        assert_near("the time of drives", time(&mirror), time(&level_1), 1e-12);
    }
}

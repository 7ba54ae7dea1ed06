//! An array with volatile memory fails: data and checks of some stripes do not agree then. A scrub finds these stripes; data reconstructed
//! from them before are wrong.

use crate::common::text::{assert_adds_up, assert_same, run};
use sansim_simulator::RunResult;

/// Small writes to a RAID 5 with a spare that has no power for a tenth of a second, and is scrubbed every four seconds; then a disk fails.
/// Checks are updated from the replaced data, so that later writes leave an inconsistent stripe inconsistent.
fn system(array: &str, scrub: &str) -> String {
    format!(
        r#"
        [run]
        duration = "16 s"
        warm_up = "0 s"
        [[event]]
        at = "1 s"
        do = "fail"
        what = "array"
        [[event]]
        at = "1.1 s"
        do = "repair"
        what = "array"
        [[event]]
        at = "12 s"
        do = "fail"
        what = "disks[1]"
        [host]
        kind = "host"
        attached = ["array"]
        [array]
        kind = "raid"
        to = ["disks"]
        spares = 1
        read_modify_write = "prefer"
        {array}
        [array.layout]
        level = "5"
        [array.scrub]
        {scrub}
        step = "1 MiB"
        [array.rebuild]
        step = "1 MiB"
        [disks]
        kind = "drives"
        count = 5
        capacity = "16 MiB"
        access_time = {{ distribution = "uniform", low = "0.5 ms", high = "4 ms" }}
        transfer_rate = "100 MiB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["array"]
        size = "4 KiB"
        read_fraction = 0.0
        queue_depth = 16
        think_time = "5 ms"
        "#
    )
}

fn figure(result: &RunResult, name: &str) -> f64 {
    let array = result.summary.components.value_named("array").expect("the array");
    array.figure_named(name).unwrap_or_else(|| panic!("a figure {name}"))
}

#[test]
fn a_loss_of_power_leaves_a_write_hole_that_a_scrub_finds_and_closes() {
    let volatile = "volatile_memory = true";
    let counted = |array: &str, scrub: &str| {
        let text = system(array, scrub);
        let result = run(&text);
        assert_adds_up(&result);
        assert_same(&result, &run(&text));
        assert_eq!(figure(&result, "rebuilds"), 1.0);
        ["mismatches", "resynchronised", "damaged"].map(|name| figure(&result, name))
    };
    let kept = counted("", "every = \"4 s\"");
    assert_eq!(kept, [0.0; 3], "memory that is kept");
    let [found, repaired, damaged] = counted(volatile, "every = \"4 s\"\nrepair = true");
    assert!((1.0..=16.0).contains(&found), "{found}: of 16 writes that were under way");
    assert_eq!((repaired, damaged), (found, 0.0));
    // The scrub finds these stripes twice and leaves them; then the contents of the failed disk are
    // reconstructed from them.
    let [twice, none, damaged] = counted(volatile, "every = \"4 s\"\nrepair = false");
    assert!(twice >= found && none == 0.0, "{twice}");
    assert!(damaged > 0.0 && damaged <= found * 4096.0, "{damaged}");
    let [never, _, as_much] = counted(volatile, "every = \"never\"");
    assert!(never == 0.0 && as_much > 0.0, "nobody looked, {as_much}");
}

//! Tests that a run reports a drift of its state when there is one, and none otherwise.

use crate::common::text::{assert_adds_up, run};
use sansim_simulator::RunResult;
use sansim_simulator::steady::StockDrift;

/// An open load on a drive with exponential service times of 5 ms in the mean.
fn queue(rate: u32, seed: u32) -> RunResult {
    let result = run(&format!(
        r#"
        [run]
        seed = {seed}
        measured_ios = 4000
        warm_up = 500
        [host]
        kind = "host"
        attached = ["drive"]
        [drive]
        kind = "drives"
        access_time = {{ distribution = "exponential", mean = "5 ms" }}
        transfer_rate = "100 GB/s"
        [load]
        kind = "synthetic"
        from = "host"
        to = ["drive"]
        size = "512 B"
        read_fraction = 1.0
        arrivals = {{ process = "poisson", rate = "{rate}/s" }}
        "#
    ));
    assert_adds_up(&result);
    result
}

fn drifts(result: &RunResult) -> Vec<(&str, &str)> {
    assert!(!result.summary.steady.ok || result.summary.steady.drifts.is_empty());
    result.summary.steady.drifts.iter().map(|drift| (drift.part.as_str(), drift.what)).collect()
}

/// M/M/1 at 80 % of its capacity is stationary; at 120 % the queue grows by 40 requests a second.
#[test]
fn a_queue_below_saturation_is_steady_and_one_above_is_not() {
    for seed in 1..=10 {
        let below = queue(160, seed);
        assert!(below.summary.steady.ok, "seed {seed}: {:?}", below.summary.steady);
        let above = queue(240, seed);
        assert_eq!(drifts(&above), [("load", "under_way")], "seed {seed}");
        let rate = above.summary.steady.drifts[0].rate;
        assert!((30.0..50.0).contains(&rate), "seed {seed}: {rate}");
    }
}

/// A write-back cache before one drive with a capacity of 200 writes a second.
fn cache(rate: u32, more: &str) -> RunResult {
    let result = run(&format!(
        r#"
        [run]
        duration = "10 s"
        warm_up = "1 s"
        {more}
        [host]
        kind = "host"
        attached = ["cache"]
        [cache]
        kind = "cache"
        to = ["drive"]
        capacity = "64 MiB"
        write = {{ mode = "back", stripe_size = "8 KiB" }}
        [drive]
        kind = "drives"
        capacity = "8 GiB"
        access_time = "5 ms"
        transfer_rate = "100 GB/s"
        [load]
        kind = "synthetic"
        from = "host"
        to = ["cache"]
        size = "8 KiB"
        read_fraction = 0.0
        arrivals = {{ process = "poisson", rate = "{rate}/s" }}
        "#
    ));
    assert_adds_up(&result);
    result
}

fn dirty(result: &RunResult) -> &StockDrift {
    let drift = result.summary.steady.drifts.iter().find(|drift| drift.what == "dirty");
    drift.unwrap_or_else(|| panic!("{:?}", result.summary.steady))
}

#[test]
fn a_cache_that_fills_is_not_steady_and_says_when_it_is_full() {
    let result = cache(180, "");
    assert!(!result.summary.steady.ok && !result.summary.statistics.trusted);
    let drift = dirty(&result);
    let rate = 180.0 * 8192.0;
    assert!((drift.rate / rate - 1.0).abs() < 0.1, "{drift:?}");
    let high = 0.8 * 64.0 * 1024.0 * 1024.0;
    assert!(drift.full_at.is_some_and(|full| (full / high - 1.0).abs() < 0.01), "{drift:?}");
    let left = (high - drift.level) / drift.rate;
    assert!(drift.full_in_s.is_some_and(|seconds| (seconds / left - 1.0).abs() < 0.01), "{drift:?}");
    assert!(drift.told.contains("dirty data grows"), "{}", drift.told);
}

#[test]
fn a_cache_that_was_warmed_up_destages_what_is_written() {
    let result = cache(180, "functional_warm_up = \"settled\"");
    let figure = |figure: &str| {
        result.summary.components.value_named("cache").and_then(|cache| cache.figure_named(figure))
    };
    let (writes, destaged) = (figure("writes"), figure("destaged_blocks"));
    // A write has two blocks, of which the drive writes 200 a second.
    let share = destaged.unwrap_or(0.0) / 2.0 / writes.unwrap_or(1.0);
    assert!((1.0..1.2).contains(&share), "{writes:?} {destaged:?}");
    let busy =
        result.summary.components.value_named("drive").and_then(|drive| drive.figure_named("utilisation"));
    assert!(busy.is_some_and(|busy| busy > 0.95), "{busy:?}");
}

/// With watermarks the dirty data decrease to the low mark faster than hosts write where the drive has much
/// spare capacity.
#[test]
fn a_cache_whose_drive_just_keeps_up_is_steady_and_one_that_empties_is_not() {
    let heavy = cache(195, "functional_warm_up = \"settled\"");
    let drifts = &heavy.summary.steady.drifts;
    assert!(!drifts.iter().any(|drift| drift.what == "dirty"), "{drifts:?}");
    let light = cache(100, "functional_warm_up = \"settled\"");
    let drift = dirty(&light);
    assert!(drift.rate < 0.0 && drift.full_at.is_some() && drift.told.contains("shrinks"), "{drift:?}");
}

/// A drive of 64 MiB that is written in random order.
fn flash(more: &str) -> RunResult {
    let result = run(&format!(
        r#"
        [run]
        measured_ios = 3000
        warm_up = 200
        [host]
        kind = "host"
        attached = ["drive"]
        [drive]
        kind = "flash-drives"
        channels = 2
        chips = 1
        dies = 1
        planes = 2
        blocks = 64
        pages = 64
        page = "4 KiB"
        over_provisioning = "28 %"
        gc_start = "5 %"
        buffer = "none"
        {more}
        [load]
        kind = "closed"
        from = "host"
        to = ["drive"]
        size = "4 KiB"
        queue_depth = 4
        read_fraction = 0.0
        "#
    ));
    assert_adds_up(&result);
    result
}

#[test]
fn a_flash_drive_that_collects_no_garbage_yet_is_not_steady_and_one_that_was_overwritten_is() {
    let fresh = flash("precondition = \"0 %\"");
    assert_eq!(drifts(&fresh), [("drive", "used_blocks")], "{:?}", fresh.summary.steady);
    let worn = flash("fill = 3.0");
    assert!(worn.summary.steady.ok, "{:?}", worn.summary.steady);
}

/// Sixteen drives carry out 3,200 writes a second of 5 ms each; eight at once would be 1,600.
#[test]
fn a_cache_keeps_all_drives_behind_it_at_work_with_destages() {
    for (between, to) in [
        ("", "[\"drives\"]"),
        ("[array]\nkind = \"raid\"\nto = [\"drives\"]\nlayout.level = \"0\"\n", "[\"array\"]"),
    ] {
        let count = if between.is_empty() { 1 } else { 16 };
        let result = run(&format!(
            r#"
            [run]
            duration = "2 s"
            warm_up = "1 s"
            functional_warm_up = "settled"
            [host]
            kind = "host"
            attached = ["cache"]
            [cache]
            kind = "cache"
            to = {to}
            capacity = "8 MiB"
            write = {{ mode = "back", stripe_size = "8 KiB", when_full = "wait", destage.when = "at-once" }}
            {between}
            [drives]
            kind = "drives"
            count = {count}
            capacity = "8 GiB"
            access_time = "5 ms"
            transfer_rate = "100 GB/s"
            queue_depth = 4
            [load]
            kind = "closed"
            from = "host"
            to = ["cache"]
            size = "8 KiB"
            queue_depth = 64
            read_fraction = 0.0
            "#
        ));
        assert_adds_up(&result);
        let busy = result
            .summary
            .components
            .value_named("drives")
            .and_then(|drives| drives.figure_named("utilisation"));
        assert!(busy.is_some_and(|busy| busy > 0.85), "{count}: {busy:?}");
    }
}

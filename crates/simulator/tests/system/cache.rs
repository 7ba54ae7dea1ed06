//! A cache before drives, attached directly to a host: what it saves, what it costs, and what is lost.

use crate::common::text::{assert_adds_up, assert_near, assert_same, run};
use proptest::prelude::*;
use sansim_simulator::RunResult;

/// A host, a cache, drives behind it, and a closed workload.
fn cached(run: &str, cache: &str, drives: &str, load: &str) -> String {
    format!(
        r#"
        [run]
        {run}
        [host]
        kind = "host"
        attached = ["cache"]
        [host.driver]
        arrival_time = "0 ns"
        completion_time = "0 ns"
        [cache]
        kind = "cache"
        to = ["disks"]
        {cache}
        [disks]
        kind = "drives"
        capacity = "16 MiB"
        access_time = "5 ms"
        transfer_rate = "100 MB/s"
        {drives}
        [load]
        kind = "closed"
        from = "host"
        to = ["cache"]
        {load}
        "#
    )
}

fn figure(result: &RunResult, name: &str) -> f64 {
    let cache = result.summary.components.value_named("cache").expect("a cache");
    cache.figure_named(name).unwrap_or_else(|| panic!("no {name}"))
}

fn responses_us(result: &RunResult) -> Vec<f64> {
    result.ios.rows.iter().map(|io| io.response.as_ns_f64() / 1e3).collect()
}

const SMALL: &str = "size = \"4 KiB\"";

#[test]
fn a_hit_takes_a_look_up_and_the_memory_and_a_miss_the_drive_as_well() {
    let cache = "capacity = \"32 MiB\"\nlook_up_time = \"10 us\"\nmemory_bandwidth = \"4.096 GB/s\"";
    let result = run(&cached("measured_ios = 20000\nwarm_up = 0", cache, "", SMALL));
    assert_adds_up(&result);
    let (hit, miss) = (10.0 + 1.0, 10.0 + 1.0 + 5_000.0 + 40.96);
    let mut hits = 0;
    for us in responses_us(&result) {
        assert!((us - hit).abs() < 0.01 || (us - miss).abs() < 0.01, "{us} us");
        hits += usize::from((us - hit).abs() < 0.01);
    }
    assert_eq!(hits as f64, figure(&result, "read_hits"));
    let places: std::collections::HashSet<u64> = result.ios.rows.iter().map(|io| io.lba).collect();
    assert_eq!(20_000 - hits, places.len(), "each block misses once, as all fit");
}

#[test]
fn the_larger_a_cache_of_lru_the_more_of_one_stream_hits() {
    let hits = |capacity: &str| {
        let cache = format!("capacity = \"{capacity}\"");
        figure(&run(&cached("measured_ios = 4000\nwarm_up = 0", &cache, "", SMALL)), "read_hits")
    };
    let found = ["64 KiB", "256 KiB", "1 MiB", "4 MiB", "16 MiB"].map(hits);
    assert!(found.windows(2).all(|pair| pair[0] < pair[1]), "{found:?}");
}

#[test]
fn a_write_that_is_held_takes_no_time_of_the_drive_and_one_that_goes_through_does() {
    let load = "size = \"4 KiB\"\nread_fraction = 0.0\nthink_time = \"20 ms\"";
    let mean = |write: &str| {
        let cache = format!("capacity = \"32 MiB\"\nlook_up_time = \"10 us\"\n[cache.write]\n{write}");
        let result = run(&cached("measured_ios = 300\nwarm_up = 0", &cache, "", load));
        assert_adds_up(&result);
        result.summary.response_time_ns.mean / 1e3
    };
    assert_near("back", mean("destage = { when = \"at-once\" }"), 10.0, 1e-6);
    assert_near("through", mean("mode = \"through\""), 10.0 + 5_040.96, 1e-6);
}

#[test]
fn a_mirrored_write_waits_for_the_partner() {
    let load = "size = \"4 KiB\"\nread_fraction = 0.0\nthink_time = \"1 ms\"";
    let cache = "capacity = \"32 MiB\"\npartner_time = \"25 us\"\n[cache.write]\nmirrored = true";
    let result = run(&cached("measured_ios = 200\nwarm_up = 0", cache, "", load));
    assert_adds_up(&result);
    assert_near("mirrored", result.summary.response_time_ns.mean / 1e3, 25.0, 1e-6);
}

/// A write that is held in the cache, while it has room, is never slower than a write-through, whatever the
/// drives do.
#[test]
fn with_room_write_back_is_never_slower_for_the_writer() {
    for (reads, depth) in [("0.0", 1), ("0.5", 4), ("0.3", 16)] {
        let load = format!("size = \"8 KiB\"\nread_fraction = {reads}\nqueue_depth = {depth}");
        let mean = |mode: &str| {
            let cache = format!("capacity = \"64 MiB\"\n[cache.write]\nmode = \"{mode}\"");
            let result = run(&cached("measured_ios = 1500\nwarm_up = 0", &cache, "", &load));
            let writes = result.ios.rows.iter().filter(|io| io.is_write());
            let all: Vec<f64> = writes.map(|io| io.response.as_ns_f64()).collect();
            all.iter().sum::<f64>() / all.len() as f64
        };
        let (back, through) = (mean("back"), mean("through"));
        assert!(back <= through, "{back} ns against {through} ns");
    }
}

/// Sustained random writes: data that enter the cache must leave it, so the drives limit the rate, not the
/// cache.
#[test]
fn a_cache_that_is_full_is_as_fast_as_what_is_behind_it() {
    let load = "size = \"4 KiB\"\nread_fraction = 0.0\nqueue_depth = 8";
    let run_with = |full: &str| {
        let cache = format!(
            "capacity = \"1 MiB\"\ndestages_at_once = 1\n[cache.write]\nstripe_size = \"4 KiB\"\nwhen_full = \"{full}\"\n\
             order = {{ first = \"oldest\" }}"
        );
        run(&cached("measured_ios = 3000\nwarm_up = 200", &cache, "", load))
    };
    let waits = run_with("wait");
    assert_adds_up(&waits);
    // The drive serves one request at a time; some writes hit dirty blocks and save a destage.
    let saved = figure(&waits, "overwritten_blocks") / figure(&waits, "writes");
    assert_near("IOPS", waits.summary.iops * (1.0 - saved), 1e6 / 5_040.96, 0.03);
}

#[test]
fn destaging_stops_at_the_low_mark_and_goes_on_to_nothing_if_it_is_at_once() {
    let load = "size = \"4 KiB\"\nread_fraction = 0.0\nthink_time = \"30 ms\"";
    let left = |destage: &str| {
        let cache = format!(
            "capacity = \"400 KiB\"\n[cache.write]\nstripe_size = \"4 KiB\"\ndestage = {{ when = \"{destage}\" }}"
        );
        figure(&run(&cached("measured_ios = 500\nwarm_up = 0", &cache, "", load)), "left_dirty_blocks")
    };
    let watermarks = left("watermarks");
    assert!((60.0..=80.0).contains(&watermarks), "{watermarks}");
    assert!(left("at-once") <= 1.0);
    let linear = left("linear");
    assert!((1.0..100.0).contains(&linear), "{linear}");
}

#[test]
fn a_sequential_reader_finds_what_was_read_ahead() {
    let load = "size = \"16 KiB\"\npattern = \"sequential\"\nthink_time = \"6 ms\"";
    let read = |ahead: &str| {
        let cache = format!("capacity = \"4 MiB\"\n[cache.read_ahead]\n{ahead}");
        let result = run(&cached("measured_ios = 500\nwarm_up = 1", &cache, "", load));
        assert_adds_up(&result);
        result
    };
    let (none, fixed) = (read("policy = \"none\""), read("policy = \"fixed\"\namount = \"256 KiB\""));
    let adaptive = read("policy = \"adaptive\"");
    assert_eq!(figure(&none, "read_ahead_blocks"), 0.0);
    for result in [&fixed, &adaptive] {
        assert!(figure(result, "read_hit_ratio") > 0.8, "{}", figure(result, "read_hit_ratio"));
        assert!(result.summary.response_time_ns.mean < none.summary.response_time_ns.mean / 3.0);
        let all = figure(result, "read_ahead_blocks");
        assert!(figure(result, "read_ahead_used") + figure(result, "read_ahead_wasted") <= all + 128.0);
        assert!(result.summary.background.issued > 0);
    }
}

#[test]
fn several_drives_share_one_memory_and_each_is_a_device_of_its_own() {
    let result = run(&cached(
        "measured_ios = 4000\nwarm_up = 0",
        "capacity = \"128 MiB\"\nread_ahead = { policy = \"fixed\", amount = \"1 MiB\" }",
        "count = 3",
        "size = \"64 KiB\"\nread_fraction = 0.7\nqueue_depth = 4",
    ));
    assert_adds_up(&result);
    assert_eq!(result.summary.devices.0.len(), 3);
    assert!(result.summary.devices.0.iter().all(|(name, _)| name.starts_with("cache[")));
    assert!(figure(&result, "read_hit_ratio") > 0.5);
}

#[test]
fn two_runs_say_the_same_to_the_bit() {
    let text = cached(
        "measured_ios = 2000\nwarm_up = 0",
        "capacity = \"2 MiB\"\n[cache.replacement]\npolicy = \"random\"\n[cache.write]\nwhen_full = \"wait\"",
        "count = 2\nerrors = { busy = 0.05 }",
        "size = \"12 KiB\"\nread_fraction = 0.4\nqueue_depth = 8",
    );
    assert_same(&run(&text), &run(&text));
}

fn event(at: &str, act: &str, what: &str) -> String {
    format!("[[event]]\nat = \"{at}\"\ndo = \"{act}\"\nwhat = \"{what}\"\n")
}

/// The test checks the loss from a failure at 1 s, for each kind of protection.
#[test]
fn what_is_lost_is_counted_and_told_and_protection_protects() {
    let load = "size = \"4 KiB\"\nread_fraction = 0.0\nthink_time = \"10 ms\"";
    let lost = |write: &str, events: &[(&str, &str, &str)]| {
        let events: String = events.iter().map(|(at, act, what)| event(at, act, what)).collect();
        let cache = format!("capacity = \"8 MiB\"\n[cache.write]\n{write}");
        let result = run(&(cached("measured_ios = 300\nwarm_up = 0", &cache, "", load) + &events));
        let lost = figure(&result, "lost_blocks");
        let told = result.summary.warnings.iter().any(|remark| remark.contains("were lost"));
        assert_eq!(told, lost > 0.0, "{:?}", result.summary.warnings);
        lost
    };
    let memory = [("1 s", "fail", "cache"), ("1.1 s", "repair", "cache")];
    let power = [("1 s", "fail", "cache.power"), ("1.1 s", "repair", "cache.power")];
    assert!(lost("", &memory) > 50.0);
    assert!(lost("", &power) > 50.0);
    assert!(lost("battery = true", &memory) > 50.0);
    assert_eq!(lost("battery = true", &power), 0.0);
    assert_eq!(lost("mirrored = true", &memory), 0.0);
    assert!(lost("mirrored = true", &power) > 50.0);
    assert_eq!(lost("mode = \"through\"", &power), 0.0);
    assert_eq!(lost("mode = \"through\"", &memory), 0.0);
    // Data that are flushed as soon as the battery has failed are not lost a second later; other data are.
    let battery_first = [("0.2 s", "fail", "cache.battery"), power[0], power[1]];
    assert_eq!(lost("battery = true", &battery_first), 0.0);
    assert!(lost("battery = true\nflush_on_failure = false", &battery_first) > 10.0);
    // The battery fails while power is out, and in the other case the cache loses its memory twice.
    assert!(lost("battery = true", &[power[0], ("1.05 s", "fail", "cache.battery"), power[1]]) > 50.0);
    let twice = [("1 s", "fail", "cache"), ("1.0001 s", "fail", "cache"), ("1.2 s", "repair", "cache")];
    assert!(lost("mirrored = true", &twice) > 20.0);
}

#[test]
fn while_the_cache_has_failed_everything_ends_with_an_error_and_then_it_begins_empty() {
    let events = event("1 s", "fail", "cache") + &event("2 s", "repair", "cache");
    let load = "size = \"4 KiB\"\nthink_time = \"5 ms\"\nqueue_depth = 4";
    let text = cached("measured_ios = 1600\nwarm_up = 0", "capacity = \"32 MiB\"", "", load) + &events;
    let result = run(&text);
    for io in &result.ios.rows {
        let issued = (io.completed - io.response).as_s_f64();
        let out = (1.0..2.0).contains(&issued) || issued < 1.0 && io.completed.as_s_f64() >= 1.0;
        assert_eq!(io.failed, out, "issued at {issued} s");
    }
}

#[test]
fn what_cannot_be_destaged_stays_dirty_and_goes_when_the_drive_is_back() {
    let load = "size = \"4 KiB\"\nread_fraction = 0.0\nthink_time = \"20 ms\"";
    let cache = "capacity = \"32 MiB\"\n[cache.write]\ndestage = { when = \"at-once\" }";
    let with = |events: &str| run(&(cached("measured_ios = 500\nwarm_up = 0", cache, "", load) + events));
    let out = with(&event("1 s", "fail", "disks"));
    assert!(figure(&out, "failed_destages") >= 11.0, "tried, and given up");
    assert!(figure(&out, "left_dirty_blocks") > 20.0);
    assert!(out.ios.rows.iter().any(|io| io.failed), "given up, writes go through");
    let back = with(&(event("1 s", "fail", "disks") + &event("1.5 s", "repair", "disks")));
    assert!(figure(&back, "failed_destages") >= 2.0);
    assert!(figure(&back, "left_dirty_blocks") <= 1.0, "{}", figure(&back, "left_dirty_blocks"));
    assert!(back.ios.rows.iter().all(|io| !io.failed), "nobody notices");
}

#[test]
fn a_drive_that_is_busy_is_asked_again_for_what_must_be_done() {
    let load = "size = \"6 KiB\"\nread_fraction = 0.5\nqueue_depth = 4\nthink_time = \"10 ms\"";
    let cache = "capacity = \"2 MiB\"\nretry_time = \"1 ms\"\n[cache.read_ahead]\npolicy = \"stripe-unit\"\n\
                 [cache.write]\ndestage = { when = \"at-once\" }\nwhen_full = \"wait\"";
    let text = cached("measured_ios = 3000\nwarm_up = 0", cache, "errors = { busy = 0.2 }", load);
    let result = run(&text);
    assert_adds_up(&result);
    assert!(figure(&result, "failed_destages") > 100.0);
    assert_eq!(figure(&result, "lost_blocks"), 0.0);
}

#[test]
fn what_can_fail_of_a_cache_has_words_and_others_are_refused() {
    let refused = |what: &str| {
        let text =
            cached("measured_ios = 1", "capacity = \"1 MiB\"", "", SMALL) + &event("1 s", "fail", what);
        let told =
            sansim_scenario::Scenario::parse_text(&text, "a test").expect_err("no such thing").to_string();
        assert!(told.contains(what) && told.contains("cache.battery"), "{told}");
    };
    refused("cache.batery");
    let text = cached("measured_ios = 1", "capacity = \"1 MiB\"", "", SMALL);
    let bad =
        text.replace("capacity = \"1 MiB\"", "capacity = \"1 MiB\"\nwrite = { stripe_size = \"6 KiB\" }");
    let told = sansim_scenario::Scenario::parse_text(&bad, "a test")
        .expect_err("a stripe of whole blocks")
        .to_string();
    assert!(told.contains("cache.write.stripe_size"), "{told}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sansim_trials::case_count(200)) })]

    /// Whatever the cache is and whatever fails, a run reaches its end, adds up, and has no leftovers.
    #[test]
    fn random_caches_with_random_failures_come_to_their_end(
        replacement in prop::sample::select(vec!["lru", "arc", "2q", "sieve", "clock", "slru"]),
        pace in prop::sample::select(vec!["at-once", "watermarks", "linear"]),
        ahead in prop::sample::select(vec!["none", "fixed", "adaptive", "stripe-unit"]),
        (mode, full) in (prop::sample::select(vec!["back", "through"]), prop::sample::select(vec!["wait", "through"])),
        [mirrored, battery, flush, allocate] in any::<[bool; 4]>(),
        (capacity, size, depth, reads) in (40..800_u32, 1..40_u32, 1..12_u32, 0..10_u32),
        (look_up, memory, busy, count, admission) in (0..50_u32, prop::bool::ANY, 0..20_u32, 1..4_u32, prop::sample::select(vec!["always", "second-miss", "sequential-cutoff"])),
        events in prop::collection::vec((0..2_000_u32, 0..2_u32, 0..6_usize), 0..8),
        time_out in any::<bool>(),
    ) {
        let memory = if memory { "memory_bandwidth = \"200 MB/s\"" } else { "" };
        let cache = format!(
            "capacity = \"{capacity} KiB\"\nlook_up_time = \"{look_up} us\"\n{memory}\npartner_time = \"30 us\"\nretry_time = \"3 ms\"\n\
             retries = 3\nreplacement = {{ policy = \"{replacement}\" }}\nadmission = {{ policy = \"{admission}\" }}\nread_ahead = {{ policy = \"{ahead}\" }}\n[cache.write]\n\
             mode = \"{mode}\"\nwhen_full = \"{full}\"\nmirrored = {mirrored}\nbattery = {battery}\nflush_on_failure = {flush}\n\
             allocate = {allocate}\nstripe_size = \"16 KiB\"\ndestage = {{ when = \"{pace}\" }}"
        );
        let load = format!(
            "size = \"{} B\"\nqueue_depth = {depth}\nread_fraction = 0.{reads}\nthink_time = \"1 ms\"", size * 512
        );
        let drives = format!("count = {count}\nerrors = {{ busy = 0.{busy:02} }}");
        let what = ["cache", "cache.power", "cache.battery", "cache.partner", "disks", "disks[0]"];
        let events: String = events
            .iter()
            .map(|&(ms, act, which)| event(&format!("{ms} ms"), ["fail", "repair"][act as usize], what[which]))
            .collect();
        let mut text = cached("measured_ios = 600\nwarm_up = 0", &cache, &drives, &load) + &events;
        if time_out {
            text = text.replace("[host.driver]", "[host.driver]\ntime_out = \"12 ms\"");
        }
        let result = run(&text);
        assert_adds_up(&result);
    }
}

/// The cache is between two loops, as the controller of the example: requests from the front are looked up, misses go
/// to the back.
#[test]
fn a_cache_between_two_loops_serves_hits_without_the_back_loop() {
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/controller-two-loops.toml");
    let text = std::fs::read_to_string(path).expect("the example");
    let text = text
        .replace("kind = \"controller\"", "kind = \"cache\"\ncapacity = \"64 MiB\"")
        .replace("processor_time", "look_up_time")
        .replace("measured_ios = 10000", "measured_ios = 3000\nfunctional_warm_up = 20000")
        .replace("transfer_rate", "capacity = \"4 MiB\"\ntransfer_rate")
        + "read_fraction = 0.6\n";
    let result = run(&text);
    assert_adds_up(&result);
    let bridge = result.summary.components.value_named("bridge").expect("a cache");
    assert_eq!(bridge.figure_named("read_hit_ratio"), Some(1.0), "32 MiB fit");
    assert!(result.ios.rows.iter().filter(|io| !io.is_write()).all(|io| io.response.as_s_f64() < 0.02));
    crate::common::text::assert_reference_agrees(&text);
}

//! Functional warm-up through stacks: devices behind an array, and the segments of drives, are as warm as after a long warm-up in time.

use crate::common::text::run;
use sansim_simulator::RunResult;

/// A host, a cache, an array, a small cache before each of its members.
fn stack(run: &str, level: &str, seed: u32) -> String {
    format!(
        r#"
        [run]
        {run}
        measured_ios = 3000
        seed = {seed}
        [host]
        kind = "host"
        attached = ["front"]
        [front]
        kind = "cache"
        to = ["array"]
        capacity = "1 MiB"
        [array]
        kind = "raid"
        to = ["members"]
        stripe_unit = "16 KiB"
        layout = {{ level = "{level}" }}
        [members]
        kind = "cache"
        count = 4
        to = ["disks"]
        capacity = "2 MiB"
        [disks]
        kind = "drives"
        count = 4
        capacity = "8 MiB"
        access_time = "5 ms"
        transfer_rate = "100 MB/s"
        [load]
        kind = "synthetic"
        from = "host"
        to = ["front"]
        size = "4 KiB"
        read_fraction = 0.7
        location = {{ pattern = "zipf", theta = 0.8 }}
        arrivals = {{ process = "poisson", rate = "20/s" }}
        "#
    )
}

fn ratio(result: &RunResult, component: &str) -> f64 {
    let figures = result.summary.components.value_named(component).expect(component);
    figures.figure_named("read_hit_ratio").expect("a hit ratio")
}

/// The mean of some runs, and its 99 % interval, by Student's t of five runs.
fn interval(of: impl Fn(u32) -> f64) -> (f64, f64) {
    let all: Vec<f64> = (1..=5).map(of).collect();
    let mean = all.iter().sum::<f64>() / 5.0;
    let variance = all.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / 4.0;
    (mean, 4.6 * (variance / 5.0).sqrt())
}

#[test]
fn hit_ratios_behind_an_array_are_those_of_a_long_warm_up_in_time() {
    for level in ["5", "1+0"] {
        for component in ["front", "members"] {
            let after = |warm_up: &str| interval(|seed| ratio(&run(&stack(warm_up, level, seed)), component));
            let (without, without_by) = after("functional_warm_up = 30000\nwarm_up = 0");
            let (in_time, timed_by) = after("warm_up = 30000");
            let (cold, _) = after("warm_up = 0");
            // The pairs of runs draw the same requests.
            let of = |warm_up: &str, seed| ratio(&run(&stack(warm_up, level, seed)), component);
            let (gain, gain_by) = interval(|seed| of("warm_up = 30000", seed) - of("warm_up = 0", seed));
            println!(
                "{level}, {component}: {without:.4} +- {without_by:.4}, in time {in_time:.4} +- {timed_by:.4}, cold {cold:.4}"
            );
            assert!((without - in_time).abs() <= without_by + timed_by, "{level}, {component}");
            assert!(
                gain > gain_by,
                "a cold one would be told apart: {level}, {component}: {gain} +- {gain_by}"
            );
        }
    }
}

#[test]
fn no_component_of_a_stack_is_said_to_be_cold() {
    let result = run(&stack("functional_warm_up = 3000\nwarm_up = 0", "6", 1));
    let warnings = &result.summary.warnings;
    assert!(
        warnings.iter().any(|told| told.contains("3000 I/Os were run before simulated time")),
        "{warnings:?}"
    );
    assert!(!warnings.iter().any(|told| told.contains("cold")), "{warnings:?}");
}

/// One reader continues where it was: the first read of the run is served by the data that the warm-up has left in the segment of
/// the drive.
#[test]
fn the_first_of_consecutive_reads_finds_the_segment_of_its_drive() {
    for (drive, position) in [
        (
            "kind = \"drives\"\ncapacity = \"64 MiB\"\naccess_time = \"5 ms\"\ntransfer_rate = \"100 MB/s\"\ncache = \"256 KiB\"",
            5_000.0,
        ),
        ("kind = \"disks\"", 1_000.0),
    ] {
        let first_us = |warm_up: &str| {
            let text = format!(
                "[run]\nmeasured_ios = 20\nwarm_up = 0\n{warm_up}\n[host]\nkind = \"host\"\nattached = [\"array\"]\n\
                 [array]\nkind = \"raid\"\nto = [\"disks\"]\nlayout = {{ level = \"0\" }}\n[disks]\ncount = 2\n{drive}\n\
                 [load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"array\"]\nsize = \"4 KiB\"\nread_fraction = 1.0\n\
                 pattern = \"sequential\""
            );
            run(&text).ios.rows[0].response.as_ns_f64() / 1e3
        };
        let (cold, warm) = (first_us(""), first_us("functional_warm_up = 8"));
        println!("{cold} us and {warm} us");
        assert!(cold >= 0.999 * (warm + position), "{cold} us cold, {warm} us warm");
    }
}

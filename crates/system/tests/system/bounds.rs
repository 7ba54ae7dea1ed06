//! Bounds beside runs: hand-worked ones, and that no shipped scenario comes out on the wrong side of one.

use crate::common::text::{assert_near, run};
use crate::common::{load, repository, run_with};
use sansim_system::RunOptions;
use sansim_system::bounds::Bound;
use sansim_system::summary::Summary;

fn of<'a>(summary: &'a Summary, name: &str) -> &'a Bound {
    summary.bounds.get(name).expect(name)
}

/// A host and two drives on a loop of 1GFC.
fn drives(access: &str, load: &str) -> String {
    format!(
        r#"
        [run]
        measured_ios = 500
        warm_up = 20
        [loop]
        kind = "arbitrated-loop"
        speed = "1GFC"
        stations = ["host", "drives"]
        [host]
        kind = "host"
        [drives]
        kind = "drives"
        count = 2
        access_time = "{access}"
        transfer_rate = "100 MB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["drives"]
        {load}
        "#
    )
}

#[test]
fn bounds_are_those_that_are_worked_out_by_hand() {
    let summary = run(&drives("4 ms", "size = \"64 KiB\"\nqueue_depth = 3\nread_fraction = 1.0")).summary;
    let bound = |name: &str| of(&summary, name).bound.expect(name);
    // A word is 40 bits at 1.0625 Gbit/s. 2048 bytes are 512 words, with 9 of the frame.
    let word_ns = 40.0 / 1.0625;
    assert_near("wire rate", bound("wire_rate"), 2048.0 / (521.0 * word_ns) * 1e9, 1e-6);
    // 32 frames of data, a command of 32 bytes and a response of 24.
    assert_near("wire time", bound("wire_time"), (32.0 * 521.0 + 8.0 + 6.0 + 18.0) * word_ns, 1e-6);
    let drive_ns = 4e6 + 655_360.0;
    assert_near("drive time", bound("drive_time"), drive_ns, 1e-6);
    assert_near("drive rate", bound("drive_rate"), 2e9 / drive_ns, 1e-6);
    assert_near("by their number", bound("population_rate"), 6e9 / drive_ns, 1e-6);
    assert_eq!(
        of(&summary, "controller_rate").not_applicable,
        Some("hosts ask something else than controllers")
    );
}

#[test]
fn drives_and_loops_that_are_full_come_close_to_their_bounds() {
    let share = |access: &str, size: &str, name: &str| {
        let load = format!("size = \"{size}\"\nqueue_depth = 8\nread_fraction = 1.0");
        let summary = run(&drives(access, &load)).summary;
        let Bound { bound: Some(bound), simulated: Some(simulated), .. } = of(&summary, name) else {
            panic!("{name}")
        };
        simulated / bound
    };
    // A drive is taken until its last data have gone over the loop, which is not in the bound.
    let drive = share("4 ms", "64 KiB", "drive_rate");
    assert!((0.9..1.02).contains(&drive), "{drive}");
    // Six words between frames of 521, and what comes before the first.
    let wire = share("0.1 us", "256 KiB", "wire_rate");
    assert!((0.93..1.02).contains(&wire), "{wire}");
}

#[test]
fn bounds_that_do_not_apply_say_why() {
    let failing = drives("1 ms", "size = \"4 KiB\"")
        + "[[event]]\nat = \"10 ms\"\ndo = \"fail\"\nwhat = \"drives[0]\"\n";
    for (text, name, why) in [
        (drives("1 ms", "size = \"4 KiB\""), "controller_time", "hosts ask something else than controllers"),
        (failing, "drive_rate", "something fails in this run"),
        (
            drives("1 ms", "size = \"4 KiB\"\nread_fraction = 1.0")
                .replace("transfer_rate", "cache = \"128 KiB\"\ntransfer_rate"),
            "drive_time",
            "a drive has a cache",
        ),
    ] {
        let summary = run(&text).summary;
        assert_eq!(of(&summary, name).not_applicable, Some(why), "{name}");
        assert_eq!(of(&summary, name).bound, None);
    }
}

/// I/Os that were under way when the measured interval began had a part of their work done before; what drives draw has a mean.
#[test]
fn no_shipped_scenario_comes_out_beyond_a_bound() {
    let mut compared = 0;
    let mut files: Vec<String> = std::fs::read_dir(repository("scenarios"))
        .expect("scenarios")
        .map(|file| file.expect("a file").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    files.sort();
    assert!(files.len() > 20);
    for file in &files {
        let path = format!("scenarios/{file}");
        let short =
            ["run.duration=none", "run.measured_ios=1500", "run.warm_up=100", "run.functional_warm_up=none"];
        let text = std::fs::read_to_string(repository(&path)).expect("a scenario");
        // Those that read other files, or say themselves how long they go on, are shorter as they are.
        if text.contains("file =") || text.contains("path = \"") && text.contains("replay") {
            continue;
        }
        let short: &[&str] = if text.contains("duration =") { &short[..] } else { &short[1..3] };
        let result = run_with(&path, short, &RunOptions::default());
        let under_way = load(&path, short).slots() as f64 / result.summary.ios as f64;
        for (name, bound) in &result.summary.bounds.0 {
            let Bound { bound: Some(limit), simulated: Some(simulated), .. } = *bound else {
                assert!(bound.not_applicable.is_some(), "{file}: {name}");
                continue;
            };
            compared += 1;
            if name.ends_with("_rate") {
                let most = limit * (1.02 + under_way);
                assert!(simulated <= most, "{file}: {name} {simulated}, at most {limit}");
            } else {
                assert!(simulated >= 0.98 * limit, "{file}: {name} {simulated}, at least {limit}");
            }
        }
    }
    assert!(compared > 40, "{compared}");
}

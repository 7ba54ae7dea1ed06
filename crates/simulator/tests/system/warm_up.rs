//! Functional warm-up: caches are full when simulated time begins, and nothing else has happened.

use crate::common::text::{assert_same, run};
use sansim_simulator::RunResult;

/// A host, a cache before a controller before drives, and workloads.
fn system(run: &str, cache: &str, load: &str) -> String {
    format!(
        r#"
        [run]
        measured_ios = 3000
        warm_up = 0
        {run}
        [host]
        kind = "host"
        attached = ["cache"]
        [cache]
        kind = "cache"
        to = ["disks"]
        {cache}
        [disks]
        kind = "drives"
        capacity = "64 MiB"
        access_time = "5 ms"
        transfer_rate = "1 GB/s"
        [load]
        from = "host"
        to = ["cache"]
        {load}
        "#
    )
}

const CLOSED: &str = "kind = \"closed\"\nsize = \"4 KiB\"";

fn figure(result: &RunResult, name: &str) -> f64 {
    let cache = result.summary.components.value_named("cache").expect("a cache");
    cache.figure_named(name).unwrap_or_else(|| panic!("no {name}"))
}

fn told(result: &RunResult, what: &str) -> bool {
    result.summary.warnings.iter().any(|warning| warning.contains(what))
}

/// Uniform reads of four times as many blocks as fit into the cache hit a quarter of the time; with the cache empty
/// they hit less.
#[test]
fn a_cache_that_has_been_warmed_up_hits_as_often_as_it_will() {
    let ratio = |run_keys: &str| {
        let result = run(&system(run_keys, "capacity = \"16 MiB\"", CLOSED));
        assert_eq!(told(&result, "were run before simulated time"), !run_keys.is_empty());
        figure(&result, "read_hit_ratio")
    };
    let cold = ratio("");
    assert!(cold < 0.15, "{cold}");
    for keys in ["functional_warm_up = 60000", "functional_warm_up = \"settled\""] {
        let warm = ratio(keys);
        assert!((warm - 0.25).abs() < 0.03, "{warm} with {keys}");
    }
}

#[test]
fn what_was_run_without_time_is_counted_nowhere_and_takes_none() {
    let result = run(&system("functional_warm_up = 20000", "capacity = \"1 GiB\"", CLOSED));
    assert_eq!(figure(&result, "reads"), 3000.0);
    assert_eq!(result.ios.rows.len(), 3000);
    assert!(figure(&result, "read_hit_ratio") > 0.6, "of 16 384 blocks most are there");
    assert!(result.ios.rows[0].completed.as_s_f64() < 0.006, "it begins at 0");
}

#[test]
fn a_stream_goes_on_where_the_warm_up_ended() {
    // The warm-up is one pass over a quarter of the drive without time; the run continues after it and hits
    // nothing.
    let load = format!("{CLOSED}\npattern = \"sequential\"");
    let result = run(&system("functional_warm_up = 4096", "capacity = \"64 MiB\"", &load));
    assert_eq!(figure(&result, "read_hits"), 0.0);
    let again = run(&system("functional_warm_up = 16384", "capacity = \"64 MiB\"", &load));
    assert_eq!(
        figure(&again, "read_hit_ratio"),
        1.0,
        "it has begun again from the first block, and all are there"
    );
}

#[test]
fn what_was_written_is_dirty_up_to_the_low_mark() {
    let load = format!("{CLOSED}\nread_fraction = 0.0\nthink_time = \"1 s\"");
    let cache = "capacity = \"4 MiB\"\n[cache.write]\ndestage = { when = \"watermarks\", low = \"30 %\", high = \"90 %\" }";
    let text = system("functional_warm_up = 20000", cache, &load)
        .replace("measured_ios = 3000", "measured_ios = 10");
    let dirty = figure(&run(&text), "left_dirty_blocks");
    assert!((300.0..330.0).contains(&dirty), "{dirty} of 1024");
}

#[test]
fn caches_behind_volumes_controllers_and_caches_are_warm_too() {
    let text = r#"
        [run]
        measured_ios = 500
        warm_up = 0
        functional_warm_up = 100000
        [host]
        kind = "host"
        attached = ["pool"]
        [pool]
        kind = "volumes"
        to = ["first"]
        equal_volumes = 3
        arrangement = "striped"
        [first]
        kind = "cache"
        to = ["bridge"]
        capacity = "1 MiB"
        [bridge]
        kind = "controller"
        to = ["second"]
        [second]
        kind = "cache"
        to = ["disks"]
        capacity = "64 MiB"
        [disks]
        kind = "drives"
        count = 2
        capacity = "16 MiB"
        access_time = "5 ms"
        transfer_rate = "1 GB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["pool"]
        size = "4 KiB"
    "#;
    let result = run(text);
    let ratio = |name: &str| {
        result
            .summary
            .components
            .value_named(name)
            .and_then(|cache| cache.figure_named("read_hit_ratio"))
            .expect("a cache")
    };
    assert!(ratio("first") < 0.1);
    assert!(ratio("second") > 0.99, "all fits there: {}", ratio("second"));
    assert_same(&result, &run(text));
}

/// The cases are each kind of component that can be before devices, in front of two caches that hold all
/// blocks.
#[test]
fn whatever_stands_before_devices_hands_the_warm_up_on() {
    for between in ["mirror", "volumes", "controller", "cache", "raid"] {
        let keys = if between == "cache" { "capacity = \"64 KiB\"" } else { "" };
        let text = system("functional_warm_up = 60000", "capacity = \"64 MiB\"", CLOSED)
            .replace("attached = [\"cache\"]", "attached = [\"between\"]")
            .replace("to = [\"cache\"]", "to = [\"between\"]")
            .replace(
                "[disks]",
                &format!("[between]\nkind = \"{between}\"\n{keys}\nto = [\"cache\"]\n[disks]\ncount = 2"),
            )
            .replace("to = [\"disks\"]", "count = 2\nto = [\"disks\"]")
            .replace("capacity = \"64 MiB\"\n        access", "capacity = \"16 MiB\"\n        access");
        let text = if between == "raid" { text + "\n[between.layout]\nlevel = \"1\"\n" } else { text };
        let result = run(&text);
        assert!(!told(&result, "takes no part"), "{between}: {:?}", result.summary.warnings);
        let (hits, reads) = (figure(&result, "read_hits"), figure(&result, "reads"));
        assert!(reads > 1_000.0 && hits > 0.99 * reads, "{between}: {hits} of {reads}");
    }
}

#[test]
fn without_a_cache_nothing_can_settle_and_nothing_is_run() {
    let nothing = system("functional_warm_up = \"settled\"", "capacity = \"1 MiB\"", CLOSED)
        .replace("attached = [\"cache\"]", "attached = [\"disks\"]")
        .replace("to = [\"cache\"]", "to = [\"disks\"]");
    let start = nothing.find("[cache]").expect("it is there");
    let end = nothing.find("[disks]").expect("it is there");
    let result = run(&(nothing[..start].to_owned() + &nothing[end..]));
    assert!(told(&result, "no component has a hit ratio"), "{:?}", result.summary.warnings);
}

/// A trace of 400 reads of different blocks, one each millisecond.
fn trace(name: &str) -> (std::path::PathBuf, String) {
    let folder = std::env::temp_dir().join(format!("sansim-warm-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let lines: String = (0..400).map(|n| format!("{},a,read,{},4096\n", n * 1_000_000, n * 4096)).collect();
    let file = folder.join("trace.csv");
    std::fs::write(&file, format!("time:ns,volume,op,offset:bytes,bytes\n{lines}")).expect("a file");
    (folder, file.display().to_string())
}

#[test]
fn a_trace_goes_on_behind_what_was_run_and_begins_anew_when_it_came_to_its_end() {
    let (folder, file) = trace("replay");
    let load = format!("kind = \"trace\"\nfile = \"{file}\"");
    let of = |keys: &str| {
        let text = system(keys, "capacity = \"64 MiB\"", &load)
            .replace("measured_ios = 3000", "measured_ios = \"all\"");
        run(&text)
    };
    let some = of("functional_warm_up = 100");
    assert_eq!((some.ios.rows.len(), figure(&some, "read_hits")), (300, 0.0));
    let first = some.ios.rows.iter().map(|io| io.completed - io.response).min().expect("some");
    assert!((first.as_s_f64() - 0.001).abs() < 1e-6, "times count from the last that was run: {first}");
    let all = of("functional_warm_up = 100000");
    assert_eq!((all.ios.rows.len(), figure(&all, "read_hits")), (400, 400.0));
    assert!(told(&all, "begin anew"));
    assert!(told(&all, "400 I/Os were run"), "{:?}", all.summary.warnings);
    std::fs::remove_dir_all(folder).expect("gone");
}

/// Nine of ten arrivals are for a region that fits into the cache, as are nine of ten accesses of the warm-up
/// without time.
#[test]
fn streams_that_come_by_themselves_ask_as_often_as_they_come() {
    let load = "kind = \"synthetic\"\n\
                [load.streams.often]\nsize = \"4 KiB\"\nregion_to = \"25 %\"\narrivals = { process = \"poisson\", rate = \"90/s\" }\n\
                [load.streams.seldom]\nsize = \"4 KiB\"\nregion_from = \"25 %\"\narrivals = { process = \"poisson\", rate = \"10/s\" }";
    let result = run(&system("functional_warm_up = 60000", "capacity = \"24 MiB\"", load));
    // The first region has 4096 blocks; 24 MiB hold these, and 2048 of the 12 288 other blocks.
    let ratio = figure(&result, "read_hit_ratio");
    assert!((0.89..0.94).contains(&ratio), "{ratio}");
}

/// The shipped example is valid, runs, and its cache is warm.
#[test]
fn the_example_is_warm_when_it_begins() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/cached-volumes.toml");
    let text = std::fs::read_to_string(path).expect("the example");
    let result = run(&text.replace("duration = \"20 s\"", "duration = \"4 s\""));
    assert!(!told(&result, "had not settled"), "{:?}", result.summary.warnings);
    assert!(figure(&result, "read_hit_ratio") > 0.5, "{}", figure(&result, "read_hit_ratio"));
    assert_eq!(figure(&result, "lost_blocks"), 0.0);
}

/// A flash drive fills up under writes of whole pages: the pages that it has to copy depend on earlier writes.
#[test]
fn the_map_of_a_flash_drive_is_as_full_as_after_a_long_warm_up_in_time() {
    let system = |run_keys: &str| {
        let text = format!(
            "[run]\nmeasured_ios = 4000\n{run_keys}\n[host]\nkind = \"host\"\nattached = [\"disks\"]\n[disks]\nkind = \"flash-drives\"\n\
             blocks = 32\npages = 64\nchannels = 2\nchips = 1\nbuffer = \"256 KiB\"\nover_provisioning = \"28 %\"\nprecondition = \"0 %\"\n\
             [load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"disks\"]\nsize = \"16 KiB\"\nread_fraction = 0.0\nqueue_depth = 4\n"
        );
        run(&text)
    };
    let figures = |result: &RunResult| {
        let disks = result.summary.components.value_named("disks").expect("the drive");
        ["write_amplification", "erases"].map(|name| disks.figure_named(name).expect("a figure"))
    };
    let cold = figures(&system("warm_up = 0"));
    let in_time = figures(&system("warm_up = 20000"));
    let warm = system("functional_warm_up = 60000\nwarm_up = 0");
    assert!(told(&warm, "60000 I/Os were run before simulated time"));
    let without = figures(&warm);
    println!(
        "amplification and erases: {cold:?} cold, {in_time:?} after a warm-up in time, {without:?} after one without"
    );
    assert!(cold[0] < 0.9 * in_time[0] && cold[1] < 0.9 * in_time[1]);
    // Writes without time are in the map of the drive, but in no figure.
    for (without, in_time) in without.iter().zip(in_time) {
        assert!((without / in_time - 1.0).abs() < 0.1, "{without} and {in_time}");
    }
    // The system has no hit ratio that could settle, and a remark reports that.
    let settled = system("functional_warm_up = \"settled\"\nwarm_up = 0");
    assert!(told(&settled, "no component has a hit ratio that could settle"));
    assert_eq!(figures(&settled), cold);
}

#[test]
fn the_time_of_a_run_on_the_wall_clock_has_its_functional_warm_up_in_it() {
    let text = r#"
        [run]
        measured_ios = 10
        warm_up = 0
        functional_warm_up = 300000
        [host]
        kind = "host"
        attached = ["cache"]
        [cache]
        kind = "cache"
        to = ["drives"]
        capacity = "16 MiB"
        [drives]
        kind = "drives"
        access_time = "1 ms"
        transfer_rate = "50 MB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["cache"]
        size = "4 KiB"
    "#;
    let began = std::time::Instant::now();
    let result = run(text);
    let passed_s = began.elapsed().as_secs_f64();
    // Reading the scenario and writing the result are a small part of the time.
    assert!(result.run.wall_s > 0.7 * passed_s, "{} of {passed_s} s", result.run.wall_s);
    let simulated_s = result.summary.simulated_s;
    assert!(
        result.run.simulated_per_wall < 2.0 * simulated_s / (0.7 * passed_s),
        "{}",
        result.run.simulated_per_wall
    );
}

#[test]
fn an_event_behind_the_end_is_warned_of_by_the_run_that_knows_its_end() {
    let text = |at: &str| {
        format!(
            r#"
        [run]
        measured_ios = 100
        warm_up = 0
        [[event]]
        at = "{at}"
        do = "fail"
        what = "drives[1]"
        [host]
        kind = "host"
        attached = ["drives"]
        [drives]
        kind = "drives"
        count = 2
        access_time = "1 ms"
        transfer_rate = "50 MB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["drives"]
        size = "4 KiB"
        "#
        )
    };
    let told = |at: &str| {
        run(&text(at)).summary.warnings.iter().filter(|line| line.contains("the run is over at")).count()
    };
    assert_eq!((told("5 s"), told("10 ms")), (1, 0));
}

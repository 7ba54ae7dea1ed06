//! Two controllers that take over for each other: which of them hosts use, the cost of a request that comes to the wrong controller, the
//! contents of caches when a controller fails at any moment, and that an acknowledged write is lost only where nothing protects it.

use crate::common::text::{assert_adds_up, assert_near, run, scenario};
use crate::common::{figure, mean_ns};
use crate::durability::Oracle;
use proptest::prelude::*;
use sansim_component::NetworkModel;
use sansim_simulator::build;
use sansim_simulator::run::RecordingOptions;

/// A pair has two loops, a controller on each, and two caches with a drive each: the first is owned by the first controller, the second by
/// the second.
struct Pair {
    /// Two in-band appliances with these processors replace the controllers, if given.
    appliances: Option<&'static str>,
    run: &'static str,
    /// The adapters of the host: on the loop of the first controller, and on the loop of the second.
    adapters: [bool; 2],
    pair: &'static str,
    resources: &'static str,
    cache: String,
    load: String,
    events: String,
}

impl Default for Pair {
    fn default() -> Self {
        Self {
            appliances: None,
            run: "measured_ios = 300\nwarm_up = 0",
            adapters: [true; 2],
            pair: "",
            resources: "link = { bandwidth = \"100 MB/s\" }\nlink_latency = \"7 us\"",
            cache: "mirrored = true".to_owned(),
            load: "size = \"4 KiB\"\nqueue_depth = 1\nread_fraction = 0.5".to_owned(),
            events: String::new(),
        }
    }
}

impl Pair {
    fn text(&self) -> String {
        let Self { appliances, run, adapters, pair, resources, cache, load, events } = self;
        let mut loops = String::new();
        let mut host = String::new();
        for (half, &is_there) in ["a", "b"].iter().zip(adapters) {
            let adapter = if is_there { format!("\"host.adapters.{half}\", ") } else { String::new() };
            loops += &format!(
                "[loop-{half}]\nkind = \"arbitrated-loop\"\nspeed = \"4GFC\"\n\
                 stations = [{adapter}\"controller.fronts.{half}\"]\n"
            );
            if is_there {
                host += &format!("[host.adapters.{half}]\n");
            }
        }
        let mut modules = String::new();
        for half in ["a", "b"] {
            modules += &format!(
                r#"
                [cache-{half}]
                kind = "cache"
                to = ["disks-{half}"]
                inside = "controller"
                side = "{half}"
                capacity = "64 KiB"
                retry_time = "2 ms"
                write = {{ {cache} }}
                "#
            );
        }
        for half in ["a", "b"] {
            modules += &format!(
                r#"
                [disks-{half}]
                kind = "drives"
                concurrency = 8
                capacity = "256 KiB"
                access_time = {{ distribution = "uniform", low = "0.1 ms", high = "3 ms" }}
                transfer_rate = "100 MB/s"
                "#
            );
        }
        let (kind, shared) = match appliances {
            None => ("controller", format!("[controller.resources]\n{resources}")),
            Some(processors) => ("appliance", format!("[controller.processors]\n{processors}\n{resources}")),
        };
        format!(
            r#"
            [run]
            {run}
            {loops}
            [host]
            kind = "host"
            no_way_time = "unlimited"
            {host}
            [controller]
            kind = "{kind}"
            to = ["cache-a", "cache-b"]
            [controller.pair]
            controllers = 2
            {pair}
            {shared}
            [controller.fronts.a]
            [controller.fronts.b]
            side = "b"
            {modules}
            [load]
            kind = "closed"
            from = "host"
            to = ["controller"]
            {load}
            {events}
            "#
        )
    }
}

fn event(at_us: u32, act: &str, what: &str) -> String {
    format!("[[event]]\nat = \"{at_us} us\"\ndo = \"{act}\"\nwhat = \"{what}\"\n")
}

#[test]
fn hosts_ask_the_owner_of_a_device_as_long_as_there_is_a_way_to_it() {
    let result = run(&Pair::default().text());
    assert_adds_up(&result);
    assert_eq!(figure(&result.summary, "controller", "forwarded"), 0.0);
    assert_eq!(figure(&result.summary, "controller", "changes_of_owner"), 0.0);
}

#[test]
fn what_comes_to_the_other_one_is_forwarded_and_costs_the_link_both_ways() {
    let load = "size = \"4 KiB\"\nqueue_depth = 1\nread_fraction = 1.0".to_owned();
    let cache = "mode = \"through\"".to_owned();
    let only_b = Pair { adapters: [false, true], load, cache, ..Pair::default() };
    let result = run(&only_b.text());
    assert_adds_up(&result);
    let of_first = result.summary.devices.value_named("controller[0]").expect("the first").ios as f64;
    let share = of_first / result.summary.ios as f64;
    // The counts agree up to the last of the I/Os in flight at the end.
    assert!((figure(&result.summary, "controller", "forwarded") - of_first).abs() <= 2.0);
    // The link takes 7 us in each direction, and 4096 bytes come back at 100 MB/s.
    assert_near(
        "latency",
        mean_ns(&result.summary, "controller.resources.on_the_link"),
        share * 14_000.0,
        1e-6,
    );
    assert_near("transfer", mean_ns(&result.summary, "controller.resources.link"), share * 40_960.0, 1e-3);
}

#[test]
fn a_controller_takes_a_device_over_that_hosts_ask_it_for() {
    for (after, forwarded) in [(1, 0.0), (4, 3.0)] {
        let pair = format!("change_after = {after}");
        let pair = Pair { adapters: [false, true], pair: pair.leak(), ..Pair::default() };
        let result = run(&pair.text());
        assert_eq!(figure(&result.summary, "controller", "forwarded"), forwarded, "{after}");
        assert_eq!(figure(&result.summary, "controller", "changes_of_owner"), 1.0);
    }
}

#[test]
fn requests_wait_while_a_device_changes_its_owner() {
    let pair =
        Pair { adapters: [false, true], pair: "change_after = 1\nchange_time = \"5 ms\"", ..Pair::default() };
    let result = run(&pair.text());
    assert_adds_up(&result);
    let waited = mean_ns(&result.summary, "controller.change_of_owner") * result.summary.ios as f64;
    assert_near("the first request waits for all of it", waited, 5e6, 1e-6);
}

#[test]
fn the_copy_of_a_write_goes_over_the_link_before_it_is_answered() {
    let load = "size = \"4 KiB\"\nqueue_depth = 1\nread_fraction = 0.0\nthink_time = \"10 ms\"".to_owned();
    let of = |cache: &str| {
        run(&Pair { cache: cache.to_owned(), load: load.clone(), ..Pair::default() }.text()).summary
    };
    let (mirrored, alone) = (of("mirrored = true"), of("mirrored = false"));
    assert_near("transfer", mean_ns(&mirrored, "controller.resources.link"), 40_960.0, 0.01);
    assert_eq!(mean_ns(&alone, "controller.resources.link"), 0.0);
    let more = mirrored.response_time_ns.mean - alone.response_time_ns.mean;
    assert_near("all that it costs", more, 47_960.0, 0.02);
}

#[test]
fn without_a_copy_what_is_dirty_is_lost_with_its_controller_and_the_result_says_so() {
    let load = "size = \"4 KiB\"\nqueue_depth = 4\nread_fraction = 0.0".to_owned();
    let of = |cache: &str| {
        let pair = Pair {
            cache: cache.to_owned(),
            load: load.clone(),
            events: event(5_000, "fail", "controller.a"),
            run: "measured_ios = 2000\nwarm_up = 0",
            ..Pair::default()
        };
        let result = run(&pair.text());
        assert_eq!(result.summary.failed_ios, 0);
        (figure(&result.summary, "cache-a", "lost_blocks"), figure(&result.summary, "cache-b", "lost_blocks"))
    };
    assert_eq!(of("mirrored = true"), (0.0, 0.0));
    assert_eq!(of("mode = \"through\""), (0.0, 0.0));
    let (first, second) = of("mirrored = false");
    assert!(first > 0.0 && second == 0.0, "{first}, {second}");
}

#[test]
#[ignore = "long"]
fn the_example_before_flash_loses_nothing_when_a_controller_fails() {
    let summary = crate::common::run("scenarios/flash-array.toml", &[]);
    assert_eq!(summary.failed_ios, 0);
    assert!(summary.warnings.is_empty() && summary.unstable.is_empty(), "{:?}", summary.warnings);
    // The volume moves to the second controller, and back.
    assert_eq!(figure(&summary, "controller", "changes_of_owner"), 2.0);
    for cache in ["cache-a", "cache-b"] {
        assert_eq!(figure(&summary, cache, "lost_blocks"), 0.0);
        assert!(figure(&summary, cache, "read_hit_ratio") > 0.0);
    }
    for line in
        ["controller.change_of_owner", "controller.resources.link", "controller.resources.host_command"]
    {
        assert!(mean_ns(&summary, line) > 0.0, "{line}");
    }
}

/// Each of the two controllers is down for a fifth of the time; the other does its work.
#[test]
fn controllers_that_fail_at_random_do_so_as_often_as_they_are_said_to() {
    let text = |seed: u32| {
        let pair = "fails_every = \"80 ms\"\nfails_for = \"20 ms\"";
        let run: &'static str = format!("duration = \"4 s\"\nwarm_up = \"0 s\"\nseed = {seed}").leak();
        let load = "size = \"4 KiB\"\nqueue_depth = 2\nthink_time = \"3 ms\"".to_owned();
        Pair { run, pair, load, cache: "mode = \"through\"".to_owned(), ..Pair::default() }.text()
    };
    let result = run(&text(1));
    assert_adds_up(&result);
    // Both controllers may be down at the same time.
    let share = result.summary.failed_ios as f64 / result.summary.ios as f64;
    assert!(share < 0.1, "{share}");
    // Each controller owns two devices and fails some 40 times, and each failure moves one device away and back; some failures change
    // nothing, because both controllers are down.
    let changes = figure(&result.summary, "controller", "changes_of_owner");
    assert!((80.0..240.0).contains(&changes), "{changes}");
    let same = |seed: u32| figure(&run(&text(seed)).summary, "controller", "changes_of_owner");
    assert_eq!(same(1), changes);
    assert_ne!([2, 3, 4].map(same), [changes; 3]);
}

#[test]
fn who_fails_at_random_needs_to_know_how_long_the_run_is() {
    let text = Pair { pair: "fails_every = \"1 s\"", ..Pair::default() }.text();
    let report = sansim_scenario::Scenario::parse_text(&text, "a test").expect_err("no duration").to_string();
    assert!(report.contains("the length of the run is unknown") && report.contains("duration"), "{report}");
}

/// Runs a scenario with the oracle, and returns the number of lost blocks and of failed I/Os.
fn lost(text: &str) -> (f64, u64, u64) {
    let plan = build::plan_system(&scenario(text), None, NetworkModel::Fast);
    let devices = plan.graph.devices.iter().map(|device| device.name.clone()).collect();
    let oracle = Oracle::new(&plan.observer_names(), devices);
    let (ended, oracle) = crate::common::watched(&plan, RecordingOptions::IOS, oracle)
        .unwrap_or_else(|error| panic!("{error}"));
    let of = |name: &str| figure(&ended.summary, name, "lost_blocks");
    (of("cache-a") + of("cache-b"), ended.summary.failed_ios, oracle.fetched)
}

/// The processors of appliances.
const POLLS: &str = "model = \"polling\"\nevaluated_every = \"300 us\"\nfewer_below = \"5 %\"";
const INTERRUPTS: &str = "model = \"interrupts\"\ncount = 2\ninterrupt_cycles = 2000\nother_load = { share = \"20 %\", slice = \"100 us\" }";

/// By this time data that had one copy, because a controller was lost, have two copies again: for writes of 4 KiB this takes some 360 us
/// after the repair.
const COPIED_US: u32 = 5_000;

/// A pair with protected caches, whose given parts fail one after the other, each a given time after the repair of the part before, and for
/// a given time.
fn protected(
    appliances: Option<&'static str>,
    full: &str,
    (size, depth, latency_us): (u32, u32, u32),
    change_time_us: u32,
    after: &str,
    failures: &[(usize, u32, u32)],
) -> String {
    let mut at = 0;
    let mut events = String::new();
    for &(which, until, long) in failures {
        let what = [
            "controller.a",
            "controller.b",
            "controller.link",
            "host.adapters.a",
            "controller.fronts.b",
            "controller.a",
            "cache-a.battery",
            "controller.b",
        ][which];
        events += &(event(at + until, "fail", what) + &event(at + until + long, "repair", what));
        at += until + long + COPIED_US;
    }
    let pair = format!("change_time = \"{change_time_us} us\"\nchange_after = {after}");
    let resources = format!(
        "link = {{ bandwidth = \"50 MB/s\" }}\nlink_latency = \"{latency_us} us\"\n\
        look_up = {{ time = \"3 us\" }}\ncommand = {{ time = \"10 us\" }}\nmemory = {{ bandwidth = \"200 MB/s\" }}"
    );
    let resources = match appliances {
        None => resources,
        Some(_) => format!(
            "[controller.link]\nbandwidth = \"50 MB/s\"\nlatency = \"{latency_us} us\"\n[controller.stack]\n\
             target_emulation = {{ cycles = 5000 }}\ncache = {{ cycles = 2000 }}\nhost_copy = {{ cycles_per_kib = 500 }}\n\
             set_up = {{ cycles = 700 }}\nfault_tolerance = {{ cycles = 900 }}\nstatus = {{ cycles = 3000 }}"
        ),
    };
    Pair {
        appliances,
        run: "measured_ios = 800\nwarm_up = 0",
        pair: pair.leak(),
        resources: resources.leak(),
        cache: format!("mirrored = true, battery = true, when_full = \"{full}\""),
        load: format!(
            "size = \"{} KiB\"\nqueue_depth = {depth}\nread_fraction = 0.5\nthink_time = \"300 us\"",
            size * 4
        ),
        events,
        ..Pair::default()
    }
    .text()
}

/// A case that random systems found: a thread of an appliance stopped when it was done with a request that then continued
/// within the same call.
#[test]
fn a_thread_that_stops_while_nodes_fail_leaves_nothing_undone() {
    for (load, change_time_us, failures) in [
        ((3, 7, 22), 20_000, [(5, 9_753, 12_393), (1, 3_144, 4_236)].as_slice()),
        ((1, 6, 51), 0, &[(5, 6_941, 6_239)]),
        ((3, 6, 31), 0, &[(0, 26_129, 49_746)]),
    ] {
        let (lost, failed, _) = lost(&protected(Some(POLLS), "wait", load, change_time_us, "1", failures));
        assert_eq!((lost, failed), (0.0, 0));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sansim_trials::case_count(60)) })]

    /// The parts fail one after the other, and only when all data have been copied again, so that both copies are never gone at the same
    /// time. Every run checks that each request is answered once. The test covers controllers, and appliances that poll or are
    /// interrupted.
    #[test]
    fn nothing_is_lost_whatever_fails_at_whatever_moment(
        appliances in prop::sample::select(vec![None, Some(POLLS), Some(INTERRUPTS)]),
        full in prop::sample::select(vec!["wait", "through"]),
        (size, depth, latency_us) in (1..5_u32, 1..8_u32, 0..200_u32),
        change_time_us in prop::sample::select(vec![0_u32, 1, 900, 20_000]),
        after in prop::sample::select(vec!["1", "3", "\"unlimited\""]),
        failures in prop::collection::vec((0..8_usize, 1..60_000_u32, 1..60_000_u32), 0..6),
    ) {
        let text = protected(appliances, full, (size, depth, latency_us), change_time_us, after, &failures);
        let (lost, failed, fetched) = lost(&text);
        prop_assert_eq!(lost, 0.0);
        prop_assert_eq!(failed, 0);
        prop_assert!(fetched > 20, "it says something: {}", fetched);
    }

    /// Both copies may be gone at the same time: the run reports the data that are lost then, and all other
    /// data are still available.
    #[test]
    fn with_both_controllers_gone_the_result_says_what_is_lost(
        at in prop::collection::vec(1..80_000_u32, 4),
        mirrored in any::<bool>(),
    ) {
        let events = event(at[0], "fail", "controller.a") + &event(at[1], "fail", "controller.b")
            + &event(81_000 + at[2], "repair", "controller.b") + &event(81_000 + at[3], "repair", "controller.a");
        let pair = Pair {
            cache: format!("mirrored = {mirrored}"),
            load: "size = \"4 KiB\"\nqueue_depth = 4\nread_fraction = 0.5\nthink_time = \"1 ms\"".to_owned(),
            events,
            ..Pair::default()
        };
        let result = run(&pair.text());
        let lost = figure(&result.summary, "cache-a", "lost_blocks") + figure(&result.summary, "cache-b", "lost_blocks");
        let said = result.summary.warnings.iter().any(|warning| warning.contains("were lost"));
        prop_assert_eq!(lost > 0.0, said, "{:?}", result.summary.warnings);
    }
}

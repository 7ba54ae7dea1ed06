//! Rules of users about what is stored: replacement, admission, read-ahead and destaging of caches, victims of flash. On random systems expressions give the runs
//! of the built-in rules that they rewrite, to the tick.

use crate::common::text::{assert_adds_up, assert_same, scenario};
use proptest::prelude::*;
use sansim_simulator::run::RecordingOptions;
use sansim_simulator::{RunError, RunFlow, RunOptions, RunResult};

fn run(text: &str) -> Result<RunResult, RunError> {
    let options = RunOptions { recording: RecordingOptions::IOS, ..RunOptions::default() };
    sansim_simulator::run(&scenario(text), &options, &mut |_| RunFlow::Continue)
}

/// A host, a cache that is too small, and drives behind it. The rules are TOML: replacement, read-ahead, order of destaging, admission.
fn cached(
    [replacement, read_ahead, order, admission]: [&str; 4],
    seed: u32,
    load: &str,
    mode: &str,
) -> String {
    format!(
        r#"
        [run]
        measured_ios = 400
        warm_up = 0
        functional_warm_up = "none"
        seed = {seed}
        [host]
        kind = "host"
        attached = ["cache"]
        [cache]
        kind = "cache"
        to = ["disks"]
        capacity = "512 KiB"
        replacement.policy = {replacement}
        read_ahead.policy = {read_ahead}
        admission.policy = {admission}
        write.mode = "{mode}"
        write.stripe_size = "16 KiB"
        write.dirty_limit = "40 %"
        write.order.first = {order}
        [disks]
        kind = "drives"
        count = 2
        capacity = "4 MiB"
        access_time = {{ distribution = "uniform", low = "1 ms", high = "4 ms" }}
        transfer_rate = "100 MB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["cache"]
        {load}
        "#
    )
}

fn flash(victim: &str, seed: u32, ios: u32) -> String {
    format!(
        r#"
        [run]
        measured_ios = {ios}
        warm_up = 0
        seed = {seed}
        [host]
        kind = "host"
        attached = ["drives"]
        [drives]
        kind = "flash-drives"
        preset = "mqsim"
        channels = 1
        chips = 2
        blocks = 64
        pages = 32
        over_provisioning = "28 %"
        buffer = "128 KiB"
        fill = 1.5
        victim = {victim}
        [load]
        kind = "closed"
        from = "host"
        to = ["drives"]
        size = "8 KiB"
        read_fraction = 0.3
        queue_depth = 4
        pattern = "random"
        "#
    )
}

fn own(expression: &str, candidates: &str) -> String {
    format!("{{ expression = \"{expression}\"{candidates} }}")
}

const ALL: &str = ", candidates = \"all\"";
/// Built-in rules, each with an expression and the candidates that it sees.
const READ_AHEADS: [(&str, &str); 2] =
    [("\"none\"", "blocks"), ("\"fixed\"", "if(missed, blocks != 16, blocks)")];
const ORDERS: [(&str, &str, &str); 4] = [
    ("\"oldest\"", "0", ", candidates = 1"),
    ("\"least-recently-written\"", "changed", ALL),
    ("\"c-look\"", "if(stripe >= position, stripe, stripe + 1000000000)", ALL),
    ("\"whole-stripes\"", "if(ready < size, since + 1000000000, since)", ALL),
];
/// Built-in rules of admission with their keys, each with an expression.
const ADMISSIONS: [(&str, &str); 2] = [
    ("\"always\"", "-admit"),
    ("\"sequential-cutoff\"\nadmission.cutoff = \"24 KiB\"", "admit != (sequence < 24 KiB)"),
];
const VICTIMS: [(&str, &str, &str); 2] = [("\"fifo\"", "0", ", candidates = 1"), ("\"fifo\"", "-age", "")];

fn failed(error: RunError) -> TestCaseError {
    TestCaseError::fail(error.to_string())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(100), max_shrink_iters: 100, ..ProptestConfig::default() })]

    #[test]
    fn expressions_give_the_runs_of_the_rules_of_caches_that_they_rewrite(
        (depth, seed, reads) in (1u32..12, 0u32..1000, 0u32..=10),
        size in prop::sample::select(vec!["4 KiB", "6 KiB", "16 KiB"]),
        pattern in prop::sample::select(vec!["random", "sequential"]),
        mode in prop::sample::select(vec!["back", "through"]),
        (read_ahead, order, admission) in (0usize..READ_AHEADS.len(), 0usize..ORDERS.len(), 0usize..ADMISSIONS.len()),
        rewritten in prop::collection::vec(any::<bool>(), 4),
    ) {
        let load = format!(
            "size = \"{size}\"\nread_fraction = {}\nqueue_depth = {depth}\npattern = \"{pattern}\"", f64::from(reads) / 10.0
        );
        let (read_ahead, order, admission) = (READ_AHEADS[read_ahead], ORDERS[order], ADMISSIONS[admission]);
        let built_in = ["\"lru\"", read_ahead.0, order.0, admission.0];
        let expressions = [own("0", ""), own(read_ahead.1, ""), own(order.1, order.2), own(admission.1, "")];
        let mixed = std::array::from_fn(|of| if rewritten[of] { &*expressions[of] } else { built_in[of] });
        let [one, other] = [built_in, mixed].map(|rules| run(&cached(rules, seed, &load, mode)));
        let (one, other) = (one.map_err(failed)?, other.map_err(failed)?);
        assert_same(&one, &other);
        assert_adds_up(&other);
    }

    /// A cache without times of its own that admits nothing passes every request on as it came: hosts see the drives behind it. There is one request at
    /// a time, because requests for the same blocks wait for each other in a cache, also in one without room.
    #[test]
    fn a_cache_that_admits_nothing_gives_the_response_times_of_its_drives(
        (blocks, seed, reads) in (1u32..4, 0u32..1000, 0u32..=10),
        pattern in prop::sample::select(vec!["random", "sequential"]),
    ) {
        let load = format!(
            "size = \"{} KiB\"\nread_fraction = {}\nqueue_depth = 1\npattern = \"{pattern}\"", blocks * 4, f64::from(reads) / 10.0
        );
        let with = cached(["\"lru\"", "\"none\"", "\"oldest\"", &own("admit", "")], seed, &load, "through");
        let without = with.replace("attached = [\"cache\"]", "attached = [\"disks\"]").replace("to = [\"cache\"]", "to = [\"disks\"]");
        let (start, end) = (without.find("[cache]"), without.find("[disks]\n"));
        let without = format!("{}{}", &without[..start.unwrap_or(0)], &without[end.unwrap_or(0)..]);
        let [with, without] = [run(&with).map_err(failed)?, run(&without).map_err(failed)?];
        let times = |result: &RunResult| result.ios.rows.iter().map(|io| (io.response, io.completed)).collect::<Vec<_>>();
        prop_assert_eq!(times(&with), times(&without));
        let cache = with.summary.components.value_named("cache").ok_or_else(|| TestCaseError::fail("a cache"))?;
        let figure = |name: &str| cache.figure_named(name);
        prop_assert_eq!((figure("read_hits"), figure("evicted_blocks")), (Some(0.0), Some(0.0)));
        prop_assert_eq!(figure("refused_blocks"), Some(f64::from(400 * blocks)));
    }

    #[test]
    fn expressions_give_the_runs_of_the_victims_that_they_rewrite(seed in 0u32..1000, rule in 0usize..VICTIMS.len()) {
        let (word, expression, candidates) = VICTIMS[rule];
        let [one, other] = [word, &own(expression, candidates)].map(|victim| run(&flash(victim, seed, 400)));
        assert_same(&one.map_err(failed)?, &other.map_err(failed)?);
    }
}

/// The greedy rule takes the block that has had so few valid units for longest, and the expression, of equal ones, that which was filled longest ago;
/// so runs differ, and write amplification hardly does.
#[test]
fn the_fewest_valid_units_as_an_expression_write_as_little_as_the_greedy_rule() {
    let amplification = |victim: &str| {
        let result = run(&flash(victim, 1, 12_000)).unwrap_or_else(|error| panic!("{error}"));
        let drives = result.summary.components.value_named("drives").unwrap_or_else(|| panic!("drives"));
        drives.figure_named("write_amplification").unwrap_or_else(|| panic!("a figure"))
    };
    let [greedy, expression, fifo] = ["\"greedy\"", &own("valid", ""), "\"fifo\""].map(amplification);
    assert!((expression - greedy).abs() < 0.2 * (fifo - greedy), "{greedy} {expression} {fifo}");
}

#[test]
fn the_rules_of_a_cache_differ_and_are_counted() {
    let load = "size = \"6 KiB\"\nread_fraction = 0.6\nqueue_depth = 6";
    let replacement = own("block", "");
    let (read_ahead, order) = (own("if(in_order > 1, -blocks, blocks)", ""), own("-stripe", ""));
    let admission = own("admit != (now % 3 > 0)", "");
    let result = run(&cached([&replacement, &read_ahead, &order, &admission], 1, load, "back"));
    let result = result.unwrap_or_else(|error| panic!("{error}"));
    let mut found: Vec<_> = result.run.rules.iter().map(|rule| (rule.decision, rule.calls > 100)).collect();
    found.sort_unstable();
    assert_eq!(found, [("admission", true), ("destage", true), ("read-ahead", true), ("replacement", true)]);
    let built_in = run(&cached(["\"lru\"", "\"none\"", "\"oldest\"", "\"always\""], 1, load, "back"));
    let built_in = built_in.unwrap_or_else(|error| panic!("{error}"));
    assert_ne!(result.ios.rows, built_in.ios.rows, "the rules matter");
}

#[test]
fn admission_by_a_rule_in_rust_gives_the_run_of_the_expression_that_says_the_same() {
    crate::own_rules::in_rust::register();
    let load = "size = \"4 KiB\"\nread_fraction = 0.7\nqueue_depth = 4";
    let of = |admission: &str| {
        let text = cached(["\"lru\"", "\"none\"", "\"oldest\"", admission], 1, load, "through");
        run(&text).unwrap_or_else(|error| panic!("{error}"))
    };
    let by_rust = of("{ rust = \"again\" }");
    assert_same(&by_rust, &of(&own("admit != (since_refused < capacity)", "")));
    let used: Vec<_> = by_rust.run.rules.iter().map(|rule| (rule.decision, rule.form)).collect();
    assert_eq!(used, [("admission", "rust")]);
    assert_ne!(by_rust.ios.rows, of("\"always\"").ios.rows, "the rule matters");
}

#[test]
fn a_rule_of_a_cache_that_has_no_value_ends_the_run_with_the_simulated_time() {
    let load = "size = \"4 KiB\"\nqueue_depth = 2";
    let text = cached([&own("0 / 0", ""), "\"none\"", "\"oldest\"", "\"always\""], 1, load, "back");
    let Err(RunError::Rule(failure)) = run(&text) else { panic!("0 / 0 has no value") };
    assert_eq!((failure.rule.as_str(), failure.decision), ("0 / 0", "replacement"));
    assert!(failure.at_ns > 1_000_000, "the cache fills before: {failure}");
    assert!(failure.saw.contains("coming "), "{failure}");
}

//! Rules of users as expressions: on random systems they give the runs of the built-in rules that they rewrite, to the tick, and a rule without a
//! value ends the run.

use crate::common::text::{assert_adds_up, assert_same, scenario};
use proptest::prelude::*;
use sansim_simulator::run::RecordingOptions;
use sansim_simulator::{RunError, RunFlow, RunOptions, RunResult};

/// Hosts with two adapters on two fabrics to disks with two ports: paths, queues of hosts, queues of disks and arbiters are chosen by rules.
struct System {
    hosts: u32,
    drives: u32,
    depth: u32,
    size: &'static str,
    seed: u32,
}

/// The rules of a system: path, order of the host's queue, order of the disks' queue, arbiter; each as TOML.
type Rules<'r> = [&'r str; 4];

impl System {
    fn text(&self, [path, order, disk_order, arbiter]: Rules<'_>) -> String {
        let Self { hosts, drives, depth, size, seed } = self;
        format!(
            r#"
            [run]
            measured_ios = 150
            warm_up = 0
            seed = {seed}
            [left]
            kind = "fabric"
            topology = "single-switch"
            speed = "2GFC"
            stations = ["hosts.adapters.a", "disks.adapters.a"]
            switch.arbiter = {arbiter}
            [right]
            kind = "fabric"
            topology = "single-switch"
            speed = "2GFC"
            stations = ["hosts.adapters.b", "disks.adapters.b"]
            switch.arbiter = {arbiter}
            [hosts]
            kind = "host"
            count = {hosts}
            path = {path}
            driver.queue.order = {order}
            driver.outstanding_per_device = 3
            [hosts.adapters.a]
            relative_throughput = 2
            [hosts.adapters.b]
            [disks]
            kind = "disks"
            count = {drives}
            preset = "st39102lw"
            queue.order = {disk_order}
            [disks.adapters.a]
            [disks.adapters.b]
            [load]
            kind = "closed"
            from = "hosts"
            to = ["disks"]
            size = "{size}"
            queue_depth = {depth}
            read_fraction = 0.7
            pattern = "random"
            "#
        )
    }
}

fn run(text: &str) -> Result<RunResult, RunError> {
    let options = RunOptions { recording: RecordingOptions::IOS, ..RunOptions::default() };
    sansim_simulator::run(&scenario(text), &options, &mut |_| RunFlow::Continue)
}

const PATHS: [(&str, &str); 4] = [
    (r#""least-outstanding""#, "outstanding"),
    (r#""queue-depth""#, "at_server"),
    (r#""first""#, "number"),
    (r#""numa""#, "0"),
];
const ORDERS: [(&str, &str); 3] = [
    (r#""fcfs""#, "number"),
    (r#""c-look""#, "if(block >= position, block, block + 1000000000000)"),
    (r#""shortest-seek""#, "abs(block - position)"),
];
const DISK_ORDERS: [(&str, &str); 3] = [
    (r#""fcfs""#, "-waiting"),
    (r#""c-look""#, "if(block >= position, block, block + 1000000000000)"),
    (r#""sstf""#, "abs(there - cylinder)"),
];
const ARBITERS: [(&str, &str); 1] = [(r#""fixed""#, "input * 1000000000000 + order")];

fn own(rule: &str) -> String {
    format!("{{ expression = \"{rule}\" }}")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(200), max_shrink_iters: 100, ..ProptestConfig::default() })]

    #[test]
    fn expressions_give_the_runs_of_the_rules_that_they_rewrite(
        (hosts, drives, depth) in (1u32..4, 1u32..5, 1u32..24),
        size in prop::sample::select(vec!["512 B", "8 KiB", "64 KiB"]),
        seed in 0u32..1000,
        path in 0usize..PATHS.len(),
        order in 0usize..ORDERS.len(),
        disk_order in 0usize..DISK_ORDERS.len(),
        rewritten in prop::collection::vec(any::<bool>(), 4),
    ) {
        let system = System { hosts, drives, depth, size, seed };
        let rules = [PATHS[path], ORDERS[order], DISK_ORDERS[disk_order], ARBITERS[0]];
        let built_in = run(&system.text(rules.map(|rule| rule.0))).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let expressions = rules.map(|rule| own(rule.1));
        let mixed: Vec<&str> = (0..4).map(|of| if rewritten[of] { &*expressions[of] } else { rules[of].0 }).collect();
        let mixed = run(&system.text([mixed[0], mixed[1], mixed[2], mixed[3]]));
        let mixed = mixed.map_err(|error| TestCaseError::fail(error.to_string()))?;
        assert_same(&built_in, &mixed);
        assert_adds_up(&mixed);
        prop_assert!(built_in.run.rules.is_empty());
    }
}

#[test]
fn a_rule_without_a_value_ends_the_run_with_its_name_and_what_it_saw() {
    let system = System { hosts: 1, drives: 2, depth: 4, size: "8 KiB", seed: 1 };
    let text = system.text([&own("0 / outstanding"), r#""fcfs""#, r#""fcfs""#, r#""fixed""#]);
    let Err(RunError::Rule(failure)) = run(&text) else { panic!("0 / 0 has no value") };
    assert_eq!((failure.rule.as_str(), failure.decision, failure.at_ns), ("0 / outstanding", "path", 0));
    assert!(failure.to_string().contains("it has no value for candidate 0; it saw now 0, size 8192"));
}

#[test]
fn decisions_are_counted_by_rule() {
    let system = System { hosts: 2, drives: 3, depth: 6, size: "8 KiB", seed: 1 };
    let text = system.text([&own("outstanding"), r#""fcfs""#, &own("block"), r#""fixed""#]);
    let result = run(&text).unwrap_or_else(|error| panic!("{error}"));
    let rules: Vec<_> = result.run.rules.iter().map(|rule| (rule.rule.as_str(), rule.decision)).collect();
    assert_eq!(rules, [("outstanding", "path"), ("block", "disk-queue")]);
    assert!(result.run.rules.iter().all(|rule| rule.calls >= 150), "{:?}", result.run.rules);
}

/// Rules in Rust that say what expressions say, as the crate of a user would bring them.
pub(crate) mod in_rust {
    use sansim_rules::DecisionView;
    use sansim_rules::custom::{CustomRule, RuleParameters, register_custom_rules};
    use sansim_rules::foreign::{ForeignAnswer, ForeignFault, ForeignRule};
    use sansim_schema::decision::{Decision, FeaturePlace};
    use sansim_schema::quantities::Count;

    const RULES: &[CustomRule] =
        &[CustomRule { name: "fewest", make: fewest }, CustomRule { name: "again", make: again }];

    #[derive(Debug)]
    struct Fewest(FeaturePlace, i64);

    fn fewest(
        parameters: &mut RuleParameters,
        decision: &'static Decision,
        _: u64,
    ) -> Result<Box<dyn ForeignRule>, String> {
        let free: u32 = parameters.take("free", &Count::<u32>::between(0, 9), 0)?;
        let place = decision.feature("outstanding").ok_or("no `outstanding`")?;
        Ok(Box::new(Fewest(place, free.into())))
    }

    impl ForeignRule for Fewest {
        fn decide(&mut self, view: &DecisionView) -> Result<ForeignAnswer, ForeignFault> {
            let beyond = |at: &usize| (view.value(*at, self.0) - self.1).max(0);
            Ok(ForeignAnswer::Index((0..view.candidate_count()).min_by_key(beyond).unwrap_or(0) as i64))
        }
    }

    /// Admits to a cache what it refused before.
    #[derive(Debug)]
    struct Again([FeaturePlace; 2]);

    fn again(
        _: &mut RuleParameters,
        decision: &'static Decision,
        _: u64,
    ) -> Result<Box<dyn ForeignRule>, String> {
        let [since, capacity] = ["since_refused", "capacity"].map(|name| decision.feature(name));
        Ok(Box::new(Again([since.ok_or("no `since_refused`")?, capacity.ok_or("no `capacity`")?])))
    }

    impl ForeignRule for Again {
        fn decide(&mut self, view: &DecisionView) -> Result<ForeignAnswer, ForeignFault> {
            let [since, capacity] = self.0.map(|place| view.value(0, place));
            Ok(ForeignAnswer::Index((since < capacity).into()))
        }
    }

    pub fn register() {
        register_custom_rules(RULES);
    }
}

#[test]
fn a_rule_in_rust_gives_the_run_of_the_expression_that_says_the_same() {
    in_rust::register();
    let system = System { hosts: 2, drives: 3, depth: 4, size: "16 KiB", seed: 7 };
    let run =
        |path: &str| crate::common::text::run(&system.text([path, "\"fcfs\"", "\"fcfs\"", "\"fixed\""]));
    let by_rust = run("{ rust = \"fewest\", free = 1 }");
    assert_adds_up(&by_rust);
    assert_same(&by_rust, &run("{ expression = \"max(outstanding - 1, 0)\" }"));
    assert_eq!(by_rust.run.rules.iter().map(|rule| rule.form).collect::<Vec<_>>(), ["rust"]);
}

#[test]
fn a_rule_in_rust_is_checked_when_the_scenario_is_read() {
    in_rust::register();
    let system = System { hosts: 1, drives: 1, depth: 1, size: "4 KiB", seed: 1 };
    for (path, reason) in [
        ("{ rust = \"most\" }", "has no rule `most` in Rust; it has "),
        ("{ rust = \"fewest\", fre = 1 }", "the rule `fewest` has no parameter `fre`"),
        ("{ rust = \"fewest\", free = 10 }", "parameter `free`"),
        ("{ rust = \"fewest\", expression = \"outstanding\" }", "not several of them"),
    ] {
        let text = system.text([path, "\"fcfs\"", "\"fcfs\"", "\"fixed\""]);
        let told = sansim_scenario::Scenario::parse_text(&text, "a test").expect_err("a fault").to_string();
        assert!(told.contains(reason), "{told}");
    }
}

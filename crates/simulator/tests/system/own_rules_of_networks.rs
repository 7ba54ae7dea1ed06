//! Rules of users in networks: routing in fabrics, the tasks of adapters, and what the port of a loop does out of turn. On random systems expressions give the runs of the
//! built-in rules that they rewrite, to the tick.

use crate::common::random;
use crate::common::text::{assert_adds_up, assert_same, run, run_on, scenario};
use proptest::prelude::*;
use sansim_component::NetworkModel;
use sansim_simulator::{RunError, RunFlow, RunOptions};

/// The same system with the levels of Command-First written as rules: those that are on treat commands out of turn, and those that are off nothing.
fn with_rules(text: &str) -> String {
    let rule = |on: bool| {
        let expression = if on { "command != urgent" } else { "urgent" };
        format!("{{ expression = \"{expression}\" }}")
    };
    let levels = ["queue", "arbitration", "preemption"];
    let mut text = text.to_owned();
    for level in levels {
        for on in [true, false] {
            let key = format!("command_first_{level} = ");
            text = text.replace(&format!("{key}{on}\n"), &format!("{key}{}\n", rule(on)));
        }
    }
    let all: String = levels.map(|level| format!("command_first_{level} = {}\n", rule(true))).concat();
    text.replace("schedule = \"command-first\"\n", &format!("schedule = \"fair\"\n{all}"))
}

/// The same system with the orders of the main processors of adapters written as rules.
fn with_rules_of_processors(text: &str) -> String {
    let rules = [("fcfs", "0"), ("xfer-rdy-first", "not transfer_ready"), ("command-first", "not command")];
    rules.iter().fold(text.to_owned(), |text, (word, expression)| {
        let own = format!("processor_order = {{ expression = \"{expression}\" }}");
        text.replace(&format!("processor_order = \"{word}\""), &own)
    })
}

/// Six hosts and twelve drives on a fabric with several shortest paths.
fn fabric(routing: &str, seed: u32, depth: u32, size: &str) -> String {
    let mut text = format!(
        r#"
        [run]
        measured_ios = 200
        warm_up = 0
        seed = {seed}
        [san]
        kind = "fabric"
        speed = "4GFC"
        topology = "core-edge"
        radix = 6
        routing = {routing}
        stations = ["hosts", "drives"]
        [hosts]
        kind = "host"
        count = 6
        [drives]
        kind = "drives"
        count = 12
        access_time = "20 us"
        transfer_rate = "1 GB/s"
        [load]
        kind = "closed"
        from = "hosts"
        to = ["drives"]
        "#
    );
    text += &format!("size = \"{size}\"\nread_fraction = 0.5\nqueue_depth = {depth}\npattern = \"random\"\n");
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(100), max_shrink_iters: 100, ..ProptestConfig::default() })]

    #[test]
    fn command_first_as_rules_gives_the_runs_of_the_built_in_one(text in random::scenarios(60)) {
        let rewritten = with_rules(&text);
        let built_in = run(&text);
        let own = run(&rewritten);
        assert_same(&built_in, &own);
        if rewritten != text {
            prop_assert_eq!(own.run.r#loop, Some("stepped"), "no shortcut follows a rule");
        }
    }

    #[test]
    fn the_loops_agree_on_rules_that_are_not_built_in(text in random::scenarios(40)) {
        // Requests for data go first, and every other frame that is no data skips the access window.
        let text = text.replace("command_first_queue = true", "command_first_queue = { expression = \"transfer_ready != urgent\" }");
        let skips = "command_first_arbitration = { expression = \"if(waiting % 2, urgent, -urgent)\" }";
        let text = text.replace("command_first_arbitration = true", skips);
        let [fast, reference] = [NetworkModel::Fast, NetworkModel::Reference].map(|model| run_on(&text, model));
        assert_same(&fast, &reference);
        assert_adds_up(&fast);
    }

    /// All shortcuts of loops and adapters stay: they foresee no order of tasks.
    #[test]
    fn expressions_give_the_runs_of_the_orders_of_processors_that_they_rewrite(text in random::scenarios(60)) {
        let [built_in, own] = [&text, &with_rules_of_processors(&text)].map(|text| run(text));
        assert_same(&built_in, &own);
        prop_assert_eq!(own.run.r#loop, built_in.run.r#loop);
    }

    #[test]
    fn the_loops_agree_on_an_order_of_tasks_that_is_not_built_in(text in random::scenarios(40)) {
        let text = text.replace("processor_order = \"fcfs\"", "processor_order = { expression = \"if(initiates, bytes, takes - waiting)\" }");
        let [fast, reference] = [NetworkModel::Fast, NetworkModel::Reference].map(|model| run_on(&text, model));
        assert_same(&fast, &reference);
        assert_adds_up(&fast);
    }

    #[test]
    fn expressions_give_the_runs_of_the_routing_that_they_rewrite(
        (seed, depth, rule) in (0u32..1000, 1u32..6, 0usize..2), size in prop::sample::select(vec!["2 KiB", "16 KiB"]),
    ) {
        let (word, expression) = [
            ("\"deterministic\"", "abs(place - area % outputs)"),
            ("\"exchange\"", "abs(place - exchange % outputs)"),
        ][rule];
        let own = format!("{{ expression = \"{expression}\" }}");
        let (built_in, own) = (run(&fabric(word, seed, depth, size)), run(&fabric(&own, seed, depth, size)));
        assert_same(&built_in, &own);
        prop_assert!(own.run.rules.iter().all(|rule| rule.decision == "routing" && rule.calls > 100));
        prop_assert_eq!(own.run.rules.len(), 1);
    }
}

#[test]
fn a_frame_that_avoids_long_queues_waits_less_than_one_that_seeks_them() {
    let mean = |rule: &str| {
        let result = run(&fabric(&format!("{{ expression = \"{rule}\" }}"), 1, 12, "64 KiB"));
        assert_adds_up(&result);
        result.summary.response_time_ns.mean
    };
    assert!(mean("waiting") < mean("-waiting"));
}

/// A drive whose adapter is slow to make requests for data, with many writes: reads wait for them or go before.
#[test]
fn tasks_of_reads_that_go_first_make_reads_faster_and_writes_slower() {
    let text = |order: &str| {
        format!(
            r#"
            [run]
            measured_ios = 400
            warm_up = 0
            [loop]
            kind = "arbitrated-loop"
            speed = "4GFC"
            stations = ["host", "drives"]
            [host]
            kind = "host"
            [drives]
            kind = "drives"
            access_time = "20 us"
            transfer_rate = "1 GB/s"
            concurrency = 16
            adapter = {{ command_time = "100 us", response_time = "50 us", processor_order = {order} }}
            [load]
            kind = "closed"
            from = "host"
            to = ["drives"]
            size = "4 KiB"
            queue_depth = 12
            read_fraction = 0.5
            "#
        )
    };
    let [fcfs, reads] = ["\"fcfs\"", "{ expression = \"write\" }"].map(|order| run(&text(order)));
    assert_adds_up(&reads);
    let (decision, calls) = (reads.run.rules[0].decision, reads.run.rules[0].calls);
    assert!(decision == "processor-order" && calls > 300, "{decision} {calls}");
    let mean = |of: &sansim_simulator::figures::DirectionFigures| {
        of.response_time_ns.as_ref().map_or(f64::NAN, |of| of.mean)
    };
    let [before, after] =
        [&fcfs, &reads].map(|result| (mean(&result.summary.reads), mean(&result.summary.writes)));
    assert!(after.0 < 0.8 * before.0 && after.1 > 1.2 * before.1, "{before:?} {after:?}");
}

#[test]
fn a_rule_of_a_loop_port_that_has_no_value_ends_the_run() {
    let text = std::fs::read_to_string(crate::common::repository("scenarios/wang-2005-base.toml"));
    let text = text.unwrap_or_else(|error| panic!("{error}"));
    let text = text
        .replace("[controller]\n", "[controller]\ncommand_first_queue = { expression = \"0 / urgent\" }\n");
    let ended = sansim_simulator::run(&scenario(&text), &RunOptions::default(), &mut |_| RunFlow::Continue);
    let Err(RunError::Rule(failure)) = ended else { panic!("0 / 0 has no value") };
    assert_eq!(failure.decision, "loop-queue");
    assert!(failure.saw.contains("command 1") && failure.saw.contains("[urgent 0] [urgent 1]"), "{failure}");
}

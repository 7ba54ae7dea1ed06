//! Drives, caches, volumes, mirrors and arrays in any order, with or without a loop between any two: all I/Os come back, there are no
//! leftovers, and ledgers add up.

use crate::common::stacks::{Stack, stacks};
use crate::common::text::{assert_adds_up, assert_reference_agrees, run};
use crate::ledger_law::told_and_done;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use std::collections::BTreeSet;

/// Runs a stack to its very end, which checks leftovers, and checks its I/Os, its ledgers, and the work of blocks.
fn check(stack: &Stack, ios: usize) -> Result<(), TestCaseError> {
    let result = run(&stack.text);
    prop_assert_eq!(result.ios.len(), ios);
    assert_adds_up(&result);
    prop_assert!(stack.fails || result.summary.failed_ios == 0, "{} failed", result.summary.failed_ios);
    for told in told_and_done(&stack.text) {
        told.is_at_most_what_was_done()?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(80), max_shrink_iters: 300, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_stacked_all_ios_come_back_and_ledgers_add_up(stack in stacks(100, false)) {
        check(&stack, 100)?;
    }

    #[test]
    fn so_they_do_when_a_drive_fails_and_is_repaired(stack in stacks(100, true)) {
        check(&stack, 100)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(25), max_shrink_iters: 100, ..ProptestConfig::default() })]

    #[test]
    fn stacks_with_loops_do_the_same_on_the_reference_loop(
        stack in stacks(40, true).prop_filter("no loop word by word", |stack| stack.in_words && stack.text.contains("arbitrated-loop"))
    ) {
        assert_reference_agrees(&stack.text);
    }
}

/// A test of the generator: each kind of layer comes before and behind each other kind, with and without a loop
/// between.
#[test]
fn the_stacks_have_each_kind_before_each_other_one_with_and_without_a_loop_between() {
    let mut pairs = BTreeSet::new();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for _ in 0..4_000 {
        let stack = stacks(1, false).new_tree(&mut runner).expect("a stack").current();
        let below = std::iter::once("drives").chain(stack.layers.iter().map(|layer| layer.0));
        pairs
            .extend(below.zip(stack.layers.clone()).map(|(below, (above, on_loop))| (above, below, on_loop)));
    }
    let kinds = ["cache", "volumes", "mirror", "raid"];
    for above in kinds {
        for below in ["drives", "cache", "volumes", "mirror", "raid"] {
            assert!(pairs.contains(&(above, below, false)), "{above} before {below}");
            // Mirrors are not on a loop: level 1 of the array is.
            let stands = above != "mirror" && below != "mirror";
            assert_eq!(pairs.contains(&(above, below, true)), stands, "{above} before {below} by a loop");
        }
    }
}

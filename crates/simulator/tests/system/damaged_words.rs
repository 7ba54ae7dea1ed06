//! Loops of which words are damaged (`word_loss`): what whole systems make of it. What each lost word costs is counted by hand in
//! `crates/fc/tests/initialisation/word_loss.rs`.

use crate::changing_loops::{figure, small};
use crate::common::text::{assert_adds_up, assert_same, run as run_well};
use crate::random_errors::{SYSTEMS, keys, run};
use proptest::prelude::*;
use sansim_component::NetworkModel;

/// The small loop, with a key of the loop.
fn lossy(word_loss: &str, host: &str) -> String {
    small("", host).replace("speed = \"2GFC\"", &format!("speed = \"2GFC\"\nword_loss = {word_loss}"))
}

#[test]
fn a_loop_without_damaged_words_gives_the_result_that_it_gives_without_the_key() {
    let without = run_well(&small("", ""));
    assert_same(&without, &run_well(&lossy("0.0", "")));
    // Fewer than one word of 1e16 is damaged, and the run has some 1e7; every port sees every word.
    assert_same(&without, &run_well(&lossy("1e-15", "")));
}

/// Each I/O of 4 KiB is a command of 17 words, two frames of 521 words and a response of 15 words, with a cable and a port more on the way
/// from the host than back. At three words in ten thousand most I/Os lose a frame, at one in a million few, and one that loses none takes
/// no longer.
#[test]
fn more_damaged_words_lose_more_frames_and_a_request_that_loses_none_takes_no_longer() {
    let host = "driver.time_out = \"20 ms\"\nadapter.abort_answer_time = \"300 ms\"";
    let shortest = |text: &str| run_well(text).summary.response_time_ns.min;
    assert_eq!(shortest(&lossy("1e-5", host)), shortest(&small("", host)));
    let mut before = 0.0;
    for word_loss in ["1e-6", "3e-5", "3e-4"] {
        let text = lossy(word_loss, host).replace("duration = \"100 ms\"", "duration = \"2 s\"");
        let result = run_well(&text);
        assert_adds_up(&result);
        let lost = figure(&result, "loop", "frames_lost");
        let share = lost / figure(&result, "loop", "frames");
        assert!(share > before, "{share} of the frames lost, {before} before");
        before = share;
    }
}

/// An R_RDY, an OPN or a CLS is lost in the long run, and the loop initialises by itself.
#[test]
fn a_loop_that_loses_a_signal_initialises_after_the_time_out_and_goes_on() {
    let host = "driver.time_out = \"20 ms\"\nadapter.abort_answer_time = \"300 ms\"\ndriver.retries = 1000";
    let text = lossy("1e-4", host).replace("duration = \"100 ms\"", "duration = \"60 s\"");
    let result = run_well(&text);
    assert_adds_up(&result);
    let initialisations = figure(&result, "loop", "initialisations");
    // At least E_D_TOV of 2 s lies before each.
    assert!((5.0..30.0).contains(&initialisations), "{initialisations} initialisations");
    assert_eq!(result.summary.failed_ios, 0);
}

fn check(system: usize, keys: &[(&str, String)], word_loss: &str, seed: u32) -> Result<(), TestCaseError> {
    let text = keys.iter().fold(SYSTEMS[system].to_owned(), |text, (key, value)| text.replace(key, value));
    let loss = format!("speed = \"2GFC\"\ninitialisation_hold_time = \"20 us\"\nword_loss = {word_loss}");
    let text = text.replace("speed = \"2GFC\"", &loss);
    // Otherwise ABTS would be repeated thousands of times while a loop hangs for E_D_TOV, and each of them may be lost again.
    let text = text.replace("\"900 us\"", "\"300 ms\"").replace("\"700 us\"", "\"300 ms\"");
    let text = format!("[run]\nseed = {seed}\nmeasured_ios = 150\nwarm_up = 0\n{text}");
    let result = run(&text, NetworkModel::Fast)?;
    assert_adds_up(&result);
    prop_assert_eq!(result.summary.ios, 150);
    if seed.is_multiple_of(3) {
        assert_same(&result, &run(&text, NetworkModel::Reference)?);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(300), max_shrink_iters: 20, ..ProptestConfig::default() })]
    #[test]
    fn nothing_is_lost_or_answered_twice_on_loops_of_which_words_are_damaged(
        // The systems with loops.
        system in 0usize..4,
        keys in keys(),
        word_loss in prop::sample::select(&["1e-6", "1e-5", "1e-4"]),
        seed in 0u32..100_000,
    ) {
        check(system, &keys, word_loss, seed)?;
    }
}

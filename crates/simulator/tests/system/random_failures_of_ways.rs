//! Paths fail and are repaired at random times: no request is lost or answered twice, or a run ends with an error; optimised paths come
//! first; and the results are the same with and without frame bursts.

use crate::changing_keys::change;
use crate::common::text::{assert_adds_up, assert_same};
use crate::common::ways::{behind_a_controller, by_loop, policies, two_ways};
use proptest::prelude::*;
use sansim_component::NetworkModel;
use sansim_kernel::{Span, Time};
use sansim_scenario::Scenario;
use sansim_simulator::run::RecordingOptions;
use sansim_simulator::{RunFlow, RunOptions, RunResult};
use std::fmt::Write as _;

/// The run is long enough for the largest requests to be answered that waited for the last repair: one of 1 MiB for each of two drives,
/// over one loop.
fn long_enough(text: &str) -> String {
    let longer = text
        .replace("duration = \"30 ms\"", "duration = \"70 ms\"")
        .replace("duration = \"40 ms\"", "duration = \"70 ms\"");
    assert_ne!(longer, text, "it says how long it is");
    longer
}

/// Failures and repairs of these ends at random times, in microseconds; in the end all of them work.
fn happenings(ends: &'static [&'static str]) -> impl Strategy<Value = Vec<(u64, bool, &'static str)>> {
    let one = (0u64..20_000_000, any::<bool>(), prop::sample::select(ends));
    prop::collection::vec(one, 0..14).prop_map(move |mut all| {
        all.extend(ends.iter().map(|&end| (21_000_000, false, end)));
        all.sort_by_key(|&(at, ..)| at);
        all
    })
}

fn written(happens: &[(u64, bool, &str)]) -> String {
    happens.iter().fold(String::new(), |mut text, (ns, fails, whom)| {
        let what = if *fails { "fail" } else { "repair" };
        let _ = writeln!(text, "[[event]]\nat = \"{ns} ns\"\ndo = \"{what}\"\nwhat = \"{whom}\"");
        text
    })
}

/// Changes of the access states of adapters at random times, in microseconds; in the end both are optimised.
fn access_changes(adapters: [&'static str; 2]) -> impl Strategy<Value = String> {
    let state = prop::sample::select(vec!["optimised", "non-optimised", "unavailable"]);
    let one = (0u64..20_000_000, prop::sample::select(adapters.to_vec()), state);
    prop::collection::vec(one, 0..8).prop_map(move |mut all| {
        all.extend(adapters.map(|adapter| (21_000_001, adapter, "optimised")));
        all.iter().fold(String::new(), |text, (ns, adapter, state)| {
            let (station, rest) = adapter.split_once('.').expect("a station and an adapter");
            text + &change(&format!("{ns} ns"), station, &format!("{rest}.access"), &format!("\"{state}\""))
        })
    })
}

/// The policy of a host or a controller, and its times of fail-over and fail-back in microseconds.
fn asking() -> impl Strategy<Value = (String, u64, Option<u64>)> {
    let policy = prop::sample::select(policies());
    let times: &'static [u64] = &[0, 0, 1, 700, 3_000];
    (policy, prop::sample::select(times), prop::sample::select(times), any::<bool>())
        .prop_map(|(policy, over, back, never)| {
            let shown = if never { "never".to_owned() } else { format!("{back} us") };
            let text = format!(
                "path = \"{policy}\"\nfail_over_time = \"{over} us\"\nfail_back_time = \"{shown}\"\nno_way_time = \"unlimited\"\n"
            );
            (text, over, if never { None } else { Some(back) })
        })
}

/// Whether the path through both of these ends may have been given up at some moment between two times, as far as the events
/// show.
fn was_given_up(
    happens: &[(u64, bool, &str)],
    ends: &[&str],
    (over, back): (u64, Option<u64>),
    from: Time,
    to: Time,
) -> bool {
    let at = |ns: u64| Time::ZERO + Span::from_ns(ns);
    let mut failed: Vec<&str> = Vec::new();
    let mut since = None;
    // The time until which the path was not used again after its last repair: a failure before that need not
    // be noticed.
    let mut spare = Time::ZERO;
    for &(ns, fails, whom) in happens.iter().filter(|(_, _, whom)| ends.contains(whom)) {
        failed.retain(|&other| other != whom);
        if fails {
            failed.push(whom);
        }
        match (failed.is_empty(), since) {
            (false, None) => since = Some(if at(ns) <= spare { at(ns) } else { at(ns + over * 1_000) }),
            (true, Some(begun)) => {
                spare = back.map_or(Time::HORIZON, |back| at(ns + back * 1_000));
                if begun <= to && from <= spare {
                    return true;
                }
                since = None;
            }
            _ => {}
        }
    }
    since.is_some_and(|begun| begun <= to)
}

/// Further keys of a driver's queues.
const LIMITS: &[&str] = &[
    "",
    "driver.outstanding_per_adapter = 2\n",
    "driver.outstanding_per_device = 1\ndriver.merge = \"64 KiB\"\n",
    "driver.outstanding_per_adapter = 1\ndriver.outstanding_limit = 3\ndriver.merge = \"1 MiB\"\n",
];

const ENDS: &[&str] = &["host.adapters.a", "host.adapters.b", "disks.adapters.a", "disks.adapters.b"];
const ENDS_BEHIND: &[&str] = &[
    "host.adapters.a",
    "host.adapters.b",
    "array.fronts.a",
    "array.fronts.b",
    "array.backs.a",
    "array.backs.b",
    "disks[1].adapters.a",
    "disks.adapters.b",
];

fn run(scenario: &Scenario, loop_model: NetworkModel) -> Result<RunResult, TestCaseError> {
    let options = RunOptions { loop_model, recording: RecordingOptions::IOS, ..RunOptions::default() };
    sansim_simulator::run(scenario, &options, &mut |_| RunFlow::Continue)
        .map_err(|error| TestCaseError::fail(error.to_string()))
}

fn checked(text: &str) -> Result<RunResult, TestCaseError> {
    let scenario =
        Scenario::parse_text(text, "random").map_err(|report| TestCaseError::fail(report.to_string()))?;
    let result = run(&scenario, NetworkModel::Fast)?;
    assert_same(&result, &run(&scenario, NetworkModel::Stepped)?);
    prop_assert_eq!(result.summary.failed_ios, 0, "no request is given up");
    assert_adds_up(&result);
    Ok(result)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(150), max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn random_failures_lose_nothing_and_optimised_ways_come_first(
        (host, over, back) in asking(),
        happens in happenings(ENDS),
        size in prop::sample::select(vec!["512 B", "5000 B", "16 KiB", "48 KiB", "256 KiB"]),
        stored in any::<bool>(),
        limits in prop::sample::select(LIMITS),
        seed in 0u32..1000,
    ) {
        let right = if stored { "access = \"non-optimised\"\nburst_done = \"stored\"" } else { "access = \"non-optimised\"" };
        let text = two_ways(&(host + limits), right, &[]).replace("16 KiB", size);
        // The requests are adjacent, and a driver merges some of them.
        let sequential = "read_fraction = 1.0\npattern = \"sequential\"";
        let text = if seed % 2 == 0 { text.replace("read_fraction = 0.5", sequential) } else { text };
        let text =
            long_enough(&text).replace("[run]", &format!("[run]\nseed = {seed}")) + &written(&happens);
        let result = checked(&text)?;
        for (begun, ended, on) in by_loop(&result) {
            let ends = ["host.adapters.a", "disks.adapters.a"];
            let by_the_other = on[1] && !was_given_up(&happens, &ends, (over, back), begun, ended);
            prop_assert!(!by_the_other, "from {begun} to {ended} the optimised way worked\n{text}");
        }
    }

    #[test]
    fn random_failures_around_a_controller_lose_nothing(
        (host, ..) in asking(),
        (array, ..) in asking(),
        happens in happenings(ENDS_BEHIND),
        size in prop::sample::select(vec!["512 B", "5000 B", "16 KiB", "48 KiB", "256 KiB"]),
        limits in prop::sample::select(LIMITS),
        seed in 0u32..1000,
    ) {
        let text = behind_a_controller(&(host + limits), &array, &written(&happens)).replace("16 KiB", size);
        checked(&long_enough(&text).replace("[run]", &format!("[run]\nseed = {seed}")))?;
    }
    #[test]
    fn random_changes_of_access_states_among_failures_lose_nothing(
        (host, ..) in asking(),
        happens in happenings(ENDS),
        changes in access_changes(["disks.adapters.a", "disks.adapters.b"]),
        limits in prop::sample::select(LIMITS),
        seed in 0u32..1000,
    ) {
        let text = two_ways(&(host + limits), "", &[]);
        checked(&(long_enough(&text).replace("[run]", &format!("[run]\nseed = {seed}")) + &written(&happens) + &changes))?;
    }

    #[test]
    fn random_changes_of_access_states_in_front_of_a_controller_lose_nothing(
        (host, ..) in asking(),
        (array, ..) in asking(),
        happens in happenings(ENDS_BEHIND),
        changes in access_changes(["array.fronts.a", "array.fronts.b"]),
        seed in 0u32..1000,
    ) {
        let text = behind_a_controller(&host, &array, &(written(&happens) + &changes));
        checked(&long_enough(&text).replace("[run]", &format!("[run]\nseed = {seed}")))?;
    }
}

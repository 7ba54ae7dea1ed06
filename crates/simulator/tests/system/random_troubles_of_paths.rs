//! Paths fail, slow down, fall silent and change their access states at random times, while hosts check them and time I/Os out: nothing is
//! lost or done twice, no I/O fails, ledgers add up, and the results are the same with and without frame bursts.

use crate::changing_keys::change;
use crate::common::text::{assert_adds_up, assert_same};
use crate::common::ways::{behind_a_controller, policies, two_ways};
use proptest::prelude::*;
use sansim_component::NetworkModel;
use sansim_scenario::Scenario;
use sansim_simulator::run::RecordingOptions;
use sansim_simulator::{RunFlow, RunOptions, RunResult};

/// An event at a random time in the first 20 ms, in nanoseconds.
#[derive(Clone, Debug)]
enum Trouble {
    Fails(&'static str),
    Silent(&'static str),
    Slow(&'static str, u32, u32),
    Access(&'static str, &'static str),
    Repaired(&'static str),
}

impl Trouble {
    fn written(&self, ns: u64) -> String {
        let event = |action: &str, what: &str, keys: &str| {
            format!("[[event]]\nat = \"{ns} ns\"\ndo = \"{action}\"\nwhat = \"{what}\"\n{keys}")
        };
        match self {
            Self::Fails(what) => event("fail", what, ""),
            Self::Silent(what) => event("silence", what, ""),
            Self::Slow(what, tenths, us) => {
                let factor = f64::from(*tenths) / 10.0;
                event("slow", what, &format!("factor = {factor:?}\ndelay = \"{us} us\"\n"))
            }
            Self::Access(adapter, state) => {
                let (station, rest) = adapter.split_once('.').expect("a station and an adapter");
                change(&format!("{ns} ns"), station, &format!("{rest}.access"), &format!("\"{state}\""))
            }
            Self::Repaired(what) => event("repair", what, ""),
        }
    }
}

/// Troubles of these ends, of which only those of the host's networks fall silent; in the end all of them work, and are optimised.
fn troubles(
    ends: &'static [&'static str],
    silent: &'static [&'static str],
    access: [&'static str; 2],
) -> impl Strategy<Value = String> {
    let states = vec!["optimised", "non-optimised", "unavailable"];
    let one = prop_oneof![
        1 => prop::sample::select(ends).prop_map(Trouble::Fails),
        3 => prop::sample::select(silent).prop_map(Trouble::Silent),
        2 => (prop::sample::select(ends), 10u32..60, prop::sample::select(vec![0u32, 0, 30, 800]))
            .prop_map(|(end, factor, delay)| Trouble::Slow(end, factor, delay)),
        2 => (prop::sample::select(access.to_vec()), prop::sample::select(states))
            .prop_map(|(end, state)| Trouble::Access(end, state)),
        4 => prop::sample::select(ends).prop_map(Trouble::Repaired),
    ];
    prop::collection::vec((0u64..20_000_000, one), 0..16).prop_map(move |all| {
        let mut text: String = all.iter().map(|(ns, trouble)| trouble.written(*ns)).collect();
        text.extend(ends.iter().map(|end| Trouble::Repaired(end).written(21_000_000)));
        text.extend(access.map(|end| Trouble::Access(end, "optimised").written(21_000_001)));
        text
    })
}

/// The keys of a host: its policy, its times, and its checkers, if it has any.
fn host() -> impl Strategy<Value = String> {
    let times: &'static [u64] = &[0, 0, 1, 700, 3_000];
    let checkers = (
        prop::sample::select(vec![300u64, 1_000, 2_500]),
        1u64..5,
        prop::sample::select(vec![200u64, 900, 4_000]),
        prop::sample::select(vec!["path", "adapters"]),
        prop::sample::select(vec!["wait", "abort"]),
        prop::sample::select(vec!["at-once", "answers"]),
    );
    let checkers = prop::option::weighted(0.8, checkers);
    (prop::sample::select(policies()), prop::sample::select(times), prop::sample::select(times), checkers)
        .prop_map(|(policy, over, back, checkers)| {
            let checker = checkers.map_or(String::new(), |(us, longest, out, each, in_flight, access)| {
                // A host that aborts everything when a check waits behind its own data may do so for ever, however long it goes on.
                let out = if in_flight == "abort" { 4_000 } else { out };
                format!(
                    "driver.path_checker = {{ interval = \"{us} us\", longest_interval = \"{} us\", failed_interval = \"{} us\", \
                     time_out = \"{out} us\", each = \"{each}\", in_flight = \"{in_flight}\", access = \"{access}\" }}\n",
                    us * longest,
                    us + 111,
                )
            });
            format!(
                "path = \"{policy}\"\nfail_over_time = \"{over} us\"\nfail_back_time = \"{back} us\"\nno_way_time = \"unlimited\"\n\
                 driver.time_out = \"9 ms\"\ndriver.retries = 1000000\n{checker}"
            )
        })
}

/// The keys of adapters of the host by which I/Os on a silent path come back.
fn giving_up(text: &str, explicit: bool) -> String {
    let keys = format!("logout_aborts = 2\nabort_answer_time = \"700 us\"\nexplicit_logout = {explicit}\n");
    ["a", "b"].iter().fold(text.to_owned(), |text, name| {
        let head = format!("[host.adapters.{name}]");
        assert!(text.contains(&head));
        text.replace(&head, &format!("{head}\n{keys}"))
    })
}

fn longer(text: &str, seed: u32) -> String {
    let longer = text
        .replace("duration = \"30 ms\"", "duration = \"80 ms\"")
        .replace("duration = \"40 ms\"", "duration = \"80 ms\"");
    assert_ne!(longer, text, "it says how long it is");
    longer.replace("[run]", &format!("[run]\nseed = {seed}"))
}

fn checked(text: &str) -> Result<(), TestCaseError> {
    let scenario =
        Scenario::parse_text(text, "random").map_err(|report| TestCaseError::fail(report.to_string()))?;
    let run = |loop_model| -> Result<RunResult, TestCaseError> {
        let options = RunOptions { loop_model, recording: RecordingOptions::IOS, ..RunOptions::default() };
        // All paths work again after 21 ms; a run that goes on for seconds waits for something that does not come.
        let mut goes_on_for_ever = false;
        let mut watch = |progress: &sansim_simulator::run::Progress| {
            goes_on_for_ever = progress.simulated_s > 5.0;
            if goes_on_for_ever { RunFlow::Stop } else { RunFlow::Continue }
        };
        let result = sansim_simulator::run(&scenario, &options, &mut watch);
        prop_assert!(!goes_on_for_ever, "the run does not end\n{}", text);
        result.map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))
    };
    let result = run(NetworkModel::Fast)?;
    assert_same(&result, &run(NetworkModel::Stepped)?);
    prop_assert_eq!(result.summary.failed_ios, 0, "no I/O is given up\n{}", text);
    assert_adds_up(&result);
    Ok(())
}

const ENDS: &[&str] = &["host.adapters.a", "host.adapters.b", "disks.adapters.a", "disks[0].adapters.b"];
const OF_FRONTS: &[&str] = &["host.adapters.a", "host.adapters.b", "array.fronts.a", "array.fronts.b"];

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(200), max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn two_loops_in_trouble_lose_nothing(
        host in host(),
        troubles in troubles(ENDS, ENDS, ["disks.adapters.a", "disks.adapters.b"]),
        size in prop::sample::select(vec!["512 B", "5000 B", "16 KiB"]),
        explicit in any::<bool>(),
        seed in 0u32..1000,
    ) {
        let text = giving_up(&two_ways(&host, "", &[]), explicit).replace("16 KiB", size);
        checked(&(longer(&text, seed) + &troubles))?;
    }

    #[test]
    fn a_controller_whose_fronts_are_in_trouble_loses_nothing(
        host in host(),
        troubles in troubles(OF_FRONTS, OF_FRONTS, ["array.fronts.a", "array.fronts.b"]),
        size in prop::sample::select(vec!["512 B", "5000 B", "16 KiB"]),
        nvme in any::<bool>(),
        seed in 0u32..1000,
    ) {
        let text = giving_up(&behind_a_controller(&host, "", ""), false).replace("16 KiB", size);
        let speaks = |text: String, name: &str| {
            text.replace(&format!("[{name}]"), &format!("[{name}]\nprotocol = \"nvme\""))
        };
        let text = if nvme { OF_FRONTS.iter().fold(text, |text, name| speaks(text, name)) } else { text };
        checked(&(longer(&text, seed) + &troubles))?;
    }
}

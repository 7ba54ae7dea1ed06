//! Loop switches in whole systems: the fast switch and the reference give the same run, nothing is lost, and the published findings about
//! switches and hubs hold.

use crate::common::{figure, random};
use proptest::prelude::*;
use sansim_component::NetworkModel;
use sansim_fc::observation::Observation;
use sansim_kernel::Time;
use sansim_observe::observer::{Observer, WantedCalls};
use sansim_pdu::PortSight;
use sansim_request::Requests;
use sansim_scenario::Scenario;
use sansim_simulator::{RunFlow, build, run::RecordingOptions};

/// An observer that keeps all observations at ports.
#[derive(Default)]
struct Recorder(Vec<(Time, usize, Observation)>);

impl Observer for Recorder {
    fn wants(&self) -> WantedCalls {
        WantedCalls { ports: true, repeaters: true, ..WantedCalls::default() }
    }

    fn at_port(&mut self, now: Time, station: usize, what: PortSight, _requests: &Requests) {
        let Some(what) = Observation::from_port_sight(what) else { return };
        self.0.push((now, station, what));
    }
}

fn seen(scenario: &Scenario, model: NetworkModel) -> (Vec<(Time, usize, Observation)>, String) {
    let plan = build::plan_system(scenario, None, model);
    let (result, recorder) =
        crate::common::watched(&plan, RecordingOptions::default(), Recorder::default()).expect("it ends");
    let mut seen = recorder.0;
    seen.sort_by_key(|(time, station, _)| (*time, *station));
    (seen, serde_json::to_string(&result.summary).expect("a summary is JSON"))
}

/// The position of a group of the system.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Near {
    /// The group is at ports of its own, as all groups are by default.
    Beside,
    /// The group is in an enclosure, at one port.
    Together,
    /// The group is at a switch of its own.
    Cascaded,
}

/// The same system on a switch, with these keys and these enclosures.
fn switched(text: &str, keys: &str, near: Near) -> String {
    let lines = text.lines().map(|line| match line.split_once(" = ") {
        Some(("login_credit", _)) => "login_credit = 0".to_owned(),
        _ => line.replace("\"arbitrated-loop\"", "\"loop-switch\""),
    });
    let mut text: String = lines.collect::<Vec<_>>().join("\n");
    text = text.replacen("[loop]\n", &format!("[loop]\n{keys}"), 1);
    if near == Near::Cascaded {
        text += "\n[loop.cascaded.second]\nholds = [\"near\"]\ncable = \"3 m\"\n";
    }
    if near == Near::Together {
        text += "\n[loop.enclosures.a]\nkind = \"mbod\"\nholds = [\"near\"]\n";
        // A port that keeps a shared segment from circuit to circuit blocks all other ports.
        text = text.replace("fair = false", "fair = true");
    }
    text
}

fn switches() -> impl Strategy<Value = String> {
    let policies = prop::sample::select(vec!["fair", "controller-first", "rotating", "priority"]);
    let keys = (policies, 1u32..9, 0u32..13).prop_map(|(policy, latency, look_up)| {
        format!("arbitration = \"{policy}\"\nlatency = \"{latency} words\"\nlook_up = \"{look_up} words\"\n")
    });
    let near = prop::sample::select(vec![Near::Beside, Near::Together, Near::Cascaded]);
    (random::scenarios(40), keys, near).prop_map(|(text, keys, near)| switched(&text, &keys, near))
}

fn check(text: &str) -> Result<(), TestCaseError> {
    let scenario =
        Scenario::parse_text(text, "random").map_err(|report| TestCaseError::fail(report.to_string()))?;
    let (reference, fast) = (seen(&scenario, NetworkModel::Reference), seen(&scenario, NetworkModel::Fast));
    for (r, f) in reference.0.iter().zip(&fast.0) {
        prop_assert_eq!(r, f);
    }
    prop_assert_eq!(reference.0.len(), fast.0.len());
    prop_assert_eq!(reference.1, fast.1);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(150), max_shrink_iters: 300, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn whole_systems_run_the_same_on_both_switches(text in switches()) {
        check(&text)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5_000, failure_persistence: None, ..ProptestConfig::default() })]
    /// This test is the long run of the comparison.
    #[test]
    #[ignore = "long"]
    fn whole_systems_run_the_same_on_both_switches_5_000(text in switches()) {
        check(&text)?;
    }
}

/// A number of drives in an enclosure, each with more requests than it can serve.
fn array(enclosure: &str, drives: u32, more: &str) -> String {
    let network = match enclosure {
        "mbod" => "kind = \"arbitrated-loop\"\nenclosures.a = { kind = \"mbod\", holds = [\"drives\"] }\n",
        _ => "kind = \"loop-switch\"\narbitration = \"controller-first\"\n",
    };
    format!(
        "[run]\nmeasured_ios = 4000\nwarm_up = 5\n[net]\nspeed = \"2GFC\"\nstations = [\"host\", \"drives\"]\n{network}\
         [host]\nkind = \"host\"\n[drives]\nkind = \"drives\"\ncount = {drives}\naccess_time = \"200 us\"\n\
         transfer_rate = \"500 MiB/s\"\n[load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"drives\"]\nqueue_depth = 8\n{more}"
    )
}

fn summary(text: &str) -> sansim_simulator::summary::Summary {
    let scenario = Scenario::parse_text(text, "test").unwrap_or_else(|report| panic!("{report}"));
    let options = sansim_simulator::RunOptions::default();
    sansim_simulator::run(&scenario, &options, &mut |_| RunFlow::Continue)
        .expect("no files are written")
        .summary
}

fn gain(drives: u32, size: &str) -> f64 {
    let more = format!("size = \"{size}\"\n");
    let iops = |enclosure| summary(&array(enclosure, drives, &more)).iops;
    iops("sbod") / iops("mbod")
}

/// The first finding of Storlite: the round trip of an SBOD does not grow with the drives, and matters more for smaller I/Os (H-R05,
/// H-R06).
#[test]
fn an_sbod_is_never_slower_than_an_mbod_and_gains_with_drives_and_with_small_ios() {
    let by_drives: Vec<f64> = [4, 8, 16, 30].map(|drives| gain(drives, "4 KiB")).to_vec();
    println!("gain by drives {by_drives:?}");
    assert!(by_drives.iter().all(|&gain| gain > 0.99), "{by_drives:?}");
    assert!(by_drives.windows(2).all(|pair| pair[1] >= pair[0] - 0.01), "{by_drives:?}");
    let by_size: Vec<f64> = ["4 KiB", "16 KiB", "64 KiB"].map(|size| gain(30, size)).to_vec();
    println!("gain by size {by_size:?}");
    assert!(by_size.windows(2).all(|pair| pair[1] <= pair[0] + 0.01), "{by_size:?}");
}

/// The round trip of a conversation covers two stations and the switch, however many stations there are.
#[test]
fn the_round_trip_of_a_switch_does_not_grow_with_its_stations() {
    let round =
        |drives| figure(&summary(&array("sbod", drives, "size = \"4 KiB\"\n")), "net", "round_trip_ns");
    assert_eq!(round(2), round(30));
    // Two stations and two passages of the switch take six words each.
    assert!((round(2) - 24.0 * 320.0 / 17.0).abs() < 0.01);
}

/// The ledger shows whether an I/O waits for the switch, or in it.
#[test]
fn the_ledger_names_the_switch_and_the_destination() {
    let summary = summary(&array("sbod", 12, "size = \"4 KiB\"\nread_fraction = 0.5\n"));
    let of = |line: &str| summary.ledger_ns.mean.value_named(line).copied().unwrap_or_default();
    assert!(of("net.switch") > 0.0, "{:?}", summary.ledger_ns.mean);
    assert!(of("net.destination") > 0.0, "{:?}", summary.ledger_ns.mean);
}

/// A slot of a hub delays every word, whether it holds a drive or not.
#[test]
fn slots_of_an_mbod_lengthen_the_way_round() {
    let round = |keys: &str| {
        let text = array("mbod", 10, "size = \"4 KiB\"\n").replace("holds", &format!("{keys}holds"));
        figure(&summary(&text), "net", "round_trip_ns")
    };
    let word = 320.0 / 17.0;
    assert!((round("slot_delay = \"0 words\", ") - 11.0 * 6.0 * word).abs() < 0.01);
    assert!((round("") - (11.0 * 6.0 + 10.0 * 2.0) * word).abs() < 0.01);
    assert!((round("empty_slots = 6, ") - (11.0 * 6.0 + 16.0 * 2.0) * word).abs() < 0.01);
}

#[test]
fn a_login_credit_is_refused_because_a_switch_has_no_memory() {
    let text = array("sbod", 3, "size = \"4 KiB\"\n") + "[drives.port]\nlogin_credit = 1\n";
    let report = Scenario::parse_text(&text, "test").expect_err("it has a login credit").to_string();
    assert!(report.contains("has no memory for the frames"), "{report}");
}

/// A star sends to one station at a time: with one host, which has one conversation at a time anyhow, it is as fast (H-R13), with half
/// of the drivers.
#[test]
fn a_star_is_as_fast_as_a_switch_where_there_is_one_host() {
    let run = |links: &str| {
        let text = array("sbod", 30, "size = \"8 KiB\"\n")
            .replace("arbitration", &format!("links = \"{links}\"\narbitration"));
        summary(&text)
    };
    let (star, switch) = (run("star"), run("point-to-point"));
    assert!((star.iops / switch.iops - 1.0).abs() < 0.01, "{} and {}", star.iops, switch.iops);
    assert_eq!((figure(&star, "net", "drivers"), figure(&switch, "net", "drivers")), (32.0, 62.0));
}

/// The path is longer by the splitter, there and back; only a star has a splitter.
#[test]
fn light_passes_the_splitter_of_a_star() {
    let text = |links: &str| {
        array("sbod", 10, "size = \"4 KiB\"\n")
            .replace("arbitration", &format!("links = {links}\narbitration"))
    };
    let round = |links: &str| figure(&summary(&text(links)), "net", "round_trip_ns");
    let plain = round("\"star\"");
    assert_eq!(plain, round("\"point-to-point\""));
    let word = 320.0 / 17.0;
    assert!((round("\"star\"\nsplitter_delay = \"3 words\"") - plain - 6.0 * word).abs() < 0.01);
    let (near, far) = (summary(&text("\"star\"")), summary(&text("\"star\"\nsplitter_delay = \"200 ns\"")));
    assert!(far.iops < near.iops, "{} and {}", far.iops, near.iops);
    let refused = Scenario::parse_text(&text("\"point-to-point\"\nsplitter_delay = \"3 words\""), "test");
    assert!(refused.expect_err("it has no splitter").to_string().contains("only a star has a splitter"));
}

/// Two hosts with drives of their own talk at the same time at a switch, so it carries twice the load of one wire; on a star, or with one
/// conversation at a time, they alternate, as at a hub.
#[test]
fn a_switch_carries_a_conversation_for_each_host() {
    let rate = |network: &str| {
        let ends = |half: &str| {
            format!(
                "[host-{half}]\nkind = \"host\"\n[drives-{half}]\nkind = \"drives\"\ncount = 8\naccess_time = \"100 us\"\n\
                 transfer_rate = \"800 MB/s\"\n[load-{half}]\nkind = \"closed\"\nfrom = \"host-{half}\"\nto = [\"drives-{half}\"]\n\
                 size = \"64 KiB\"\nread_fraction = 1.0\nqueue_depth = 4\n"
            )
        };
        let text = format!(
            "[run]\nmeasured_ios = 600\nwarm_up = 5\n[net]\nspeed = \"2GFC\"\n\
             stations = [\"host-a\", \"host-b\", \"drives-a\", \"drives-b\"]\n{network}\n{}{}",
            ends("a"),
            ends("b")
        );
        summary(&text).iops
    };
    let switch = "kind = \"loop-switch\"\narbitration = \"controller-first\"\n";
    let both = rate(switch);
    let [in_turns, star] =
        ["conversations = 1", "links = \"star\""].map(|limit| rate(&format!("{switch}{limit}")));
    let hub = rate("kind = \"arbitrated-loop\"");
    assert!((both / in_turns - 2.0).abs() < 0.1, "{both} and {in_turns}");
    assert_eq!(in_turns, star);
    assert!(in_turns > 0.98 * hub && in_turns < 1.1 * hub, "{in_turns} and {hub}");
    // Each of the two switches allows one conversation, and neither host needs the other's switch.
    let apart = "cascaded = { far = { holds = [\"host-b\", \"drives-b\"] } }\nconversations = 1";
    let apart = rate(&format!("{switch}{apart}"));
    assert!((apart / both - 1.0).abs() < 0.01, "{apart} and {both}");
    // All conversations use the one trunk.
    let across = ["", "conversations = 1"].map(|limit| {
        rate(&format!("{switch}cascaded = {{ far = {{ holds = [\"host-a\", \"drives-b\"] }} }}\n{limit}"))
    });
    assert_eq!(across[0], across[1]);
    assert!(across[0] < 0.6 * both, "{} and {both}", across[0]);
}

//! What `check` warns of: events that do nothing, and keys that mean nothing beside the others.

use sansim_describe::words::Word;
use sansim_kinds::Action;
use sansim_scenario::Scenario;

/// Two mirrored drives and one by itself, with two adapters each, in a run that ends after a second.
fn warnings(more: &str) -> Vec<String> {
    parsed(more).warnings()
}

fn parsed(more: &str) -> Scenario {
    let text = format!(
        r#"
        [run]
        duration = "900 ms"
        warm_up = "100 ms"
        [loop]
        kind = "arbitrated-loop"
        speed = "1GFC"
        stations = ["host", "drives"]
        [host]
        kind = "host"
        [drives]
        kind = "drives"
        count = 3
        access_time = "1 ms"
        transfer_rate = "50 MB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["drives"]
        size = "4 KiB"
        {more}
        "#
    );
    Scenario::parse(&text, "a test").unwrap_or_else(|report| panic!("{report}"))
}

fn event(at: &str, action: &str, what: &str) -> String {
    format!("[[event]]\nat = \"{at}\"\ndo = \"{action}\"\nwhat = \"{what}\"\n")
}

#[test]
fn an_event_behind_the_end_of_a_run_is_warned_of() {
    let late = warnings(&event("2 s", "fail", "drives[1]"));
    assert_eq!(late, ["the event `fail` of `drives[1]` at 2 s changes nothing: the run is over at 1 s"]);
    assert_eq!(warnings(&event("999 ms", "fail", "drives[1]")), Vec::<String>::new());
    assert_eq!(warnings(&event("1 s", "slow", "drives")).len(), 1, "at the very end");
}

#[test]
fn a_repair_of_what_never_failed_is_warned_of() {
    let fails = event("200 ms", "fail", "drives[1]");
    let never = "it has neither failed nor become slow before";
    for (events, says) in [
        (event("300 ms", "repair", "drives[1]"), Some(never)),
        // Another one failed, and this one fails later.
        (fails.clone() + &event("300 ms", "repair", "drives[0]"), Some(never)),
        (event("100 ms", "repair", "drives[1]") + &fails, Some(never)),
        // The file has the repair first.
        (event("300 ms", "repair", "drives[1]") + &fails, None),
        // All of the group are repaired, of which one failed; one is, of which all did.
        (fails.clone() + &event("300 ms", "repair", "drives"), None),
        (event("200 ms", "fail", "drives") + &event("300 ms", "repair", "drives[2]"), None),
        (event("200 ms", "slow", "drives[1]") + &event("300 ms", "repair", "drives[1]"), None),
        (event("300 ms", "repair", "drives[1].adapter"), Some(never)),
        (
            event("200 ms", "fail", "drives[1].adapter") + &event("300 ms", "repair", "drives[1].adapter"),
            None,
        ),
        // A drive does not work again because its adapter is repaired.
        (fails.clone() + &event("300 ms", "repair", "drives[1].adapter"), Some(never)),
        // Repaired already.
        (
            fails.clone() + &event("300 ms", "repair", "drives[1]") + &event("400 ms", "repair", "drives[1]"),
            Some(never),
        ),
        (
            fails.clone() + &event("300 ms", "fail", "drives[1]"),
            Some("it has failed before and was not repaired"),
        ),
        (fails.clone() + &event("300 ms", "fail", "drives"), None),
    ] {
        let said = warnings(&events);
        assert_eq!(said.len(), usize::from(says.is_some()), "{events}{said:?}");
        assert!(says.is_none_or(|says| said[0].ends_with(says)), "{events}{said:?}");
    }
}

#[test]
fn drives_that_fail_at_random_may_be_repaired() {
    let text = event("300 ms", "repair", "drives[1]") + "[drives.faults]\nfails_every = \"200 ms\"\n";
    assert_eq!(warnings(&text), Vec::<String>::new());
}

#[test]
fn a_key_that_means_nothing_beside_the_others_is_warned_of_if_it_is_given_another_value() {
    let burst = "`host.driver.limits.burst` means nothing here: there is neither a `rate` nor a `bandwidth`";
    assert_eq!(warnings("[host.driver.limits]\nburst = \"1 ms\""), [burst]);
    assert_eq!(warnings("[host.driver.limits]\nburst = \"0 ns\""), Vec::<String>::new());
    assert_eq!(warnings("[host.driver.limits]\nburst = \"1 ms\"\nrate = \"5/s\""), Vec::<String>::new());
    let factor = event("300 ms", "fail", "drives[1]") + "factor = 3.0\n";
    assert_eq!(warnings(&factor).len(), 1, "{:?}", warnings(&factor));
    assert!(warnings(&factor)[0].starts_with("`event[0].factor` means nothing here"));
}

#[test]
fn a_resolved_scenario_is_warned_of_no_more_than_the_one_that_it_comes_from() {
    let scenario = parsed("[host.driver.limits]\nburst = \"1 ms\"");
    let resolved = Scenario::parse(&scenario.to_toml(), "resolved").expect("it can be read");
    assert_eq!(resolved.warnings(), scenario.warnings());
    assert_eq!(scenario.warnings().len(), 1);
}

#[test]
fn every_action_that_is_offered_can_happen_to_something() {
    for (action, word, _) in Action::ALL {
        let before =
            if *action == Action::Repair { event("150 ms", "fail", "drives") } else { String::new() };
        let said = warnings(&(before + &event("300 ms", word, "drives")));
        assert_eq!(said, Vec::<String>::new(), "{word}");
    }
}

#[test]
fn no_shipped_scenario_has_a_key_that_means_nothing_or_an_event_that_does_nothing() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let (mut looked_at, mut said) = (0, Vec::new());
    for entry in std::fs::read_dir(&folder).expect("the shipped scenarios") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a scenario");
        let name = path.display().to_string();
        let scenario = Scenario::parse_in(&folder, &text, &name, &[], "a test")
            .unwrap_or_else(|report| panic!("{report}"));
        said.extend(scenario.idle().into_iter().map(|idle| format!("{name}: {}: {}", idle.key, idle.why)));
        said.extend(scenario.graph.vain_events);
        looked_at += 1;
    }
    assert!(said.is_empty() && looked_at > 30, "{looked_at}: {said:#?}");
}

//! The warnings of `check`: events without effect, and keys without effect beside the others.

use sansim_registry::EventAction;
use sansim_scenario::Scenario;
use sansim_schema::words::Word;

/// The warnings for two mirrored drives and a single one, with two adapters each, in a run that ends after a second.
fn warnings(more: &str) -> Vec<String> {
    parsed(more).setting_warnings()
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
    Scenario::parse_text(&text, "a test").unwrap_or_else(|report| panic!("{report}"))
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
    let never = "it has neither failed nor become slow or silent before";
    for (events, says) in [
        (event("300 ms", "repair", "drives[1]"), Some(never)),
        // Another drive failed before, and the repaired drive fails only later.
        (fails.clone() + &event("300 ms", "repair", "drives[0]"), Some(never)),
        (event("100 ms", "repair", "drives[1]") + &fails, Some(never)),
        // The repair is before the failure in the file, but not in time.
        (event("300 ms", "repair", "drives[1]") + &fails, None),
        // All drives of the group are repaired, of which one failed; or one drive is repaired, of a group that failed.
        (fails.clone() + &event("300 ms", "repair", "drives"), None),
        (event("200 ms", "fail", "drives") + &event("300 ms", "repair", "drives[2]"), None),
        (event("200 ms", "slow", "drives[1]") + &event("300 ms", "repair", "drives[1]"), None),
        (
            event("200 ms", "silence", "drives[1].adapter") + &event("300 ms", "repair", "drives[1].adapter"),
            None,
        ),
        (
            event("200 ms", "silence", "drives[1].adapter")
                + &event("300 ms", "silence", "drives[1].adapter"),
            Some("it is silent already and was not repaired"),
        ),
        (event("300 ms", "repair", "drives[1].adapter"), Some(never)),
        (
            event("200 ms", "fail", "drives[1].adapter") + &event("300 ms", "repair", "drives[1].adapter"),
            None,
        ),
        // A drive does not work again because its adapter is repaired.
        (fails.clone() + &event("300 ms", "repair", "drives[1].adapter"), Some(never)),
        // The drive has been repaired already.
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

/// The warnings for a controller with two adapters on each side, one network before it and another behind it.
fn warnings_of_a_controller(network: &str, controller: &str, more: &str) -> Vec<String> {
    let text = format!(
        r#"
        [front]
        kind = {network}
        speed = "1GFC"
        stations = ["host", "box.fronts.l", "box.fronts.r"]
        [behind]
        kind = "arbitrated-loop"
        speed = "1GFC"
        stations = ["box.backs.l", "box.backs.r", "drives"]
        [host]
        kind = "host"
        [box]
        kind = "controller"
        to = ["drives"]
        {controller}
        [box.fronts.l]
        [box.fronts.r]
        [box.backs.l]
        [box.backs.r]
        [drives]
        kind = "drives"
        count = 3
        access_time = "1 ms"
        transfer_rate = "50 MB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["box"]
        size = "4 KiB"
        "#
    );
    // The keys are inserted into tables that exist already.
    let set: Vec<(String, String)> = more
        .split("; ")
        .filter_map(|one| one.split_once(" = "))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    let scenario = Scenario::parse_in(std::path::Path::new("."), &text, "a test", &set, "a test");
    scenario.unwrap_or_else(|report| panic!("{report}")).setting_warnings()
}

#[test]
fn keys_of_adapters_that_mean_nothing_where_these_stand_are_warned_of() {
    let (on_loop, on_fabric) = (r#""arbitrated-loop""#, "\"fabric\"\ntopology = \"single-switch\"");
    let by_throughput = r#"path = "service-time""#;
    let pair = "pair.controllers = 2";
    let depth = "queue_depth = 4";
    for (network, controller, key, why) in [
        (on_loop, "", "box.backs.l.relative_throughput = 3", "ways are not chosen by it (`path`)"),
        (on_loop, by_throughput, "box.backs.l.relative_throughput = 3", ""),
        (on_loop, "", r#"box.fronts.l.access = "non-optimised""#, ""),
        (on_loop, "", "box.fronts.l.side = \"b\"", "there is no pair of controllers that it belongs to"),
        (on_loop, "", "box.backs.l.side = \"b\"", "there is no pair of controllers that it belongs to"),
        (on_loop, pair, "box.fronts.l.side = \"b\"", ""),
        (on_loop, pair, "box.side = \"b\"", "it is inside no pair of controllers"),
        (
            on_loop,
            "",
            r#"box.queue_depth_for = "each""#,
            "the device announces no queue depth (`queue_depth`)",
        ),
        (on_loop, depth, r#"box.queue_depth_for = "each""#, "only one asks it"),
        (on_loop, "", "box.fronts.l.fair = false", ""),
        (on_fabric, "", "box.fronts.l.fair = false", "it is attached to a fabric, and no loop"),
        (on_fabric, "", r#"host.schedule = "unfair""#, "it is attached to a fabric, and no loop"),
        (
            on_loop,
            "",
            r#"box.fronts.l.dma_order = "round-robin""#,
            "nothing that is moved is longer than a frame (`max_payload`)",
        ),
        (on_loop, "", r#"box.fronts.l.dma_order = "round-robin"; box.fronts.l.max_payload = 1024 B"#, ""),
        (on_loop, "", r#"host.adapter.dma_order = "round-robin"; host.adapter.request_bytes = 4096 B"#, ""),
    ] {
        let said = warnings_of_a_controller(network, controller, key);
        assert_eq!(said.len(), usize::from(!why.is_empty()), "{key} {controller} {said:?}");
        assert!(said.iter().all(|said| said.ends_with(why)), "{key} {controller} {said:?}");
    }
}

#[test]
fn keys_of_an_only_adapter_that_tell_it_from_others_are_warned_of() {
    let of_only = |key: &str| {
        let text = r#"
            [loop]
            kind = "arbitrated-loop"
            speed = "1GFC"
            stations = ["host", "box.front"]
            [host]
            kind = "host"
            [box]
            kind = "volumes"
            equal_volumes = 2
            to = ["drives"]
            [drives]
            kind = "ram-disks"
            bandwidth = "1 GB/s"
            [load]
            kind = "closed"
            from = "host"
            to = ["box"]
            size = "4 KiB"
        "#;
        Scenario::parse_text(&format!("{text}\n{key}"), "a test")
            .unwrap_or_else(|report| panic!("{report}"))
            .setting_warnings()
    };
    assert_eq!(
        of_only("[box.front]\naccess = \"non-optimised\""),
        ["`box.front.access` means nothing here: there is no other adapter beside it"]
    );
    assert_eq!(of_only("[box.front]\nside = \"b\"").len(), 1, "there is no pair");
}

#[test]
fn keys_of_what_an_appliance_or_a_metadata_controller_never_does_are_warned_of() {
    let cycles = ["set_up", "renewal", "lock", "map"].map(|what| format!("{what}_cycles = 1000")).join("\n");
    let of_metadata = format!("speed_mhz = 550\n{cycles}\nlease_time = \"1 s\"\ngrace_time = \"1 s\"");
    let volume = "volumes.one = { on = 0, size = \"1 MiB\", lock_range = \"64 KiB\" }";
    let of_metadata = format!("{of_metadata}\n{volume}");
    for (kind, others, key, why) in [
        ("appliance", "", "front.response_start = \"sent\"", "the software has said so"),
        ("metadata-controller", &of_metadata, "front.burst_done = \"stored\"", "write nothing"),
        ("metadata-controller", &of_metadata, "queue_depth = 4", "and no hosts"),
    ] {
        let back = if kind == "appliance" { "\"box.back\", " } else { "" };
        let text = format!(
            r#"
            [loop]
            kind = "arbitrated-loop"
            speed = "1GFC"
            stations = ["host", "box.front", {back}"drives"]
            [host]
            kind = "host"
            [box]
            kind = "{kind}"
            to = ["drives"]
            {key}
            {others}
            [drives]
            kind = "ram-disks"
            bandwidth = "1 GB/s"
            [load]
            kind = "closed"
            from = "host"
            to = ["drives"]
            size = "4 KiB"
            "#
        );
        let scenario = Scenario::parse_text(&text, "a test").unwrap_or_else(|report| panic!("{report}"));
        let said = scenario.setting_warnings();
        assert!(said.iter().any(|said| said.contains(why)), "{kind} {key} {said:?}");
    }
}

#[test]
fn a_resolved_scenario_is_warned_of_no_more_than_the_one_that_it_comes_from() {
    let scenario = parsed("[host.driver.limits]\nburst = \"1 ms\"");
    let resolved = Scenario::parse_text(&scenario.to_toml(), "resolved").expect("it can be read");
    assert_eq!(resolved.setting_warnings(), scenario.setting_warnings());
    assert_eq!(scenario.setting_warnings().len(), 1);
}

#[test]
fn a_port_that_is_removed_twice_is_warned_of() {
    let removed = event("200 ms", "remove", "drives[1]");
    let said = warnings(&format!("{removed}{}", event("300 ms", "remove", "drives[1]")));
    assert_eq!(
        said,
        [
            "the event `remove` of `drives[1]` at 300 ms changes nothing: it has been removed before and was not added again"
        ]
    );
    let added = event("250 ms", "add", "drives[1]");
    let again = format!("{removed}{added}{}", event("300 ms", "remove", "drives[1]"));
    assert_eq!(warnings(&again), Vec::<String>::new());
    // A drive that is only added was not there before.
    assert_eq!(warnings(&added), Vec::<String>::new());
}

#[test]
fn every_action_that_is_offered_can_happen_to_something() {
    for (action, word, _) in EventAction::ALL {
        let before =
            if *action == EventAction::Repair { event("150 ms", "fail", "drives") } else { String::new() };
        let (what, keys) = match action {
            EventAction::Initialise => ("loop", ""),
            EventAction::Change => ("loop", "key = \"cable\"\nvalue = \"3 m\"\n"),
            EventAction::Silence => ("drives.adapter", ""),
            _ => ("drives", ""),
        };
        let said = warnings(&(before + &event("300 ms", word, what) + keys));
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
        said.extend(
            scenario.idle_keys().into_iter().map(|idle| format!("{name}: {}: {}", idle.key, idle.why)),
        );
        said.extend(scenario.graph.vain_events);
        looked_at += 1;
    }
    assert!(said.is_empty() && looked_at > 30, "{looked_at}: {said:#?}");
}

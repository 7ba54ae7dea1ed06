//! The effect of a port failure on the others of its network, by the enclosure of the port.

use sansim_registry::EventAction;
use sansim_scenario::Scenario;
use sansim_scenario::graph::GraphEvent;

/// The events for three drives in this enclosure of a loop or a switch, of which one port fails at 1 s and is repaired at 2 s.
fn events(network: &str, what: &str) -> Vec<GraphEvent> {
    let text = format!(
        "[net]\nspeed = \"2GFC\"\nstations = [\"host\", \"drives\"]\n{network}\n[host]\nkind = \"host\"\n\
         [drives]\nkind = \"drives\"\ncount = 3\naccess_time = \"1 ms\"\ntransfer_rate = \"50 MiB/s\"\n\
         [load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"drives\"]\nsize = \"4 KiB\"\n\
         [[event]]\nat = \"1 s\"\ndo = \"fail\"\nwhat = \"{what}\"\n[[event]]\nat = \"2 s\"\ndo = \"repair\"\nwhat = \"{what}\"\n"
    );
    Scenario::parse_text(&text, "test").unwrap_or_else(|report| panic!("{report}")).graph.events
}

/// The time in ms, and the numbers of adapters and of paths that fail or work again.
fn told(network: &str, what: &str) -> Vec<(u64, EventAction, usize, usize)> {
    let told = |event: &GraphEvent| {
        (event.at.ticks() / 561_000_000, event.action, event.parts.len(), event.ways.len())
    };
    events(network, what).iter().map(told).collect()
}

const JBOD: &str = "kind = \"arbitrated-loop\"\nenclosures.a = { kind = \"jbod\", holds = [\"drives\"] }";
const MBOD: &str = "kind = \"arbitrated-loop\"\nenclosures.a = { kind = \"mbod\", holds = [\"drives\"], interruption = \"20 ms\" }";
const SBOD: &str = "kind = \"loop-switch\"\ninterruption = \"5 ms\"";

#[test]
fn a_port_of_a_jbod_takes_its_loop_down_until_it_is_repaired() {
    let expected = [(1_000, EventAction::Fail, 4, 3), (2_000, EventAction::Repair, 4, 3)];
    assert_eq!(told(JBOD, "drives[1].adapter"), expected);
}

#[test]
fn a_port_of_an_mbod_is_bypassed_after_an_interruption() {
    let expected = [
        (1_000, EventAction::Fail, 4, 3),
        (1_020, EventAction::Repair, 3, 2),
        (2_000, EventAction::Fail, 3, 2),
        (2_000, EventAction::Repair, 1, 0),
        (2_020, EventAction::Repair, 3, 3),
    ];
    assert_eq!(told(MBOD, "drives[1].adapter"), expected);
}

#[test]
fn a_port_of_a_switch_is_bypassed_and_by_default_interrupts_nobody() {
    assert_eq!(told(SBOD, "drives[1].adapter").len(), 5);
    let alone = [(1_000, EventAction::Fail, 1, 1), (2_000, EventAction::Repair, 1, 1)];
    assert_eq!(told("kind = \"loop-switch\"", "drives[1].adapter"), alone);
}

#[test]
fn the_cable_of_an_enclosure_fails_with_all_that_it_holds() {
    assert_eq!(
        told(JBOD, "net.enclosures.a"),
        [(1_000, EventAction::Fail, 4, 3), (2_000, EventAction::Repair, 4, 3)]
    );
    let told = told(MBOD, "net.enclosures.a");
    assert_eq!(told[0], (1_000, EventAction::Fail, 4, 3));
    assert_eq!(
        told[1],
        (1_020, EventAction::Repair, 1, 0),
        "the host can reach nobody: all its drives are behind the cable"
    );
}

/// In a chain of switches, the switches behind a failed trunk are cut off from the others.
#[test]
fn a_trunk_fails_with_all_that_is_behind_it() {
    let chain = |what: &str| {
        let text = "[net]\nkind = \"loop-switch\"\nspeed = \"2GFC\"\nstations = [\"host\", \"a\", \"b\", \"c\"]\n\
                    cascaded.third.holds = [\"c\"]\ncascaded.second.holds = [\"b\"]\n[host]\nkind = \"host\"\n"
            .to_owned();
        let drives = |name: &str, count: u32| {
            format!(
                "[{name}]\nkind = \"drives\"\ncount = {count}\naccess_time = \"1 ms\"\ntransfer_rate = \"50 MiB/s\"\n"
            )
        };
        let load =
            "[load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"a\", \"b\", \"c\"]\nsize = \"4 KiB\"\n";
        let event = format!("[[event]]\nat = \"1 s\"\ndo = \"fail\"\nwhat = \"net.cascaded.{what}\"\n");
        let text = text + &drives("a", 2) + &drives("b", 3) + &drives("c", 5) + load + &event;
        let events =
            Scenario::parse_text(&text, "test").unwrap_or_else(|report| panic!("{report}")).graph.events;
        events.iter().map(|event| (event.parts.len(), event.ways.len())).collect::<Vec<_>>()
    };
    assert_eq!(chain("second"), [(8, 8)]);
    assert_eq!(chain("third"), [(5, 5)]);
}

#[test]
fn outside_of_enclosures_a_port_fails_alone() {
    let alone = [(1_000, EventAction::Fail, 1, 1), (2_000, EventAction::Repair, 1, 1)];
    assert_eq!(told("kind = \"arbitrated-loop\"", "drives[1].adapter"), alone);
}

/// The error of cascaded switches with these keys.
fn cascaded_fault(keys: &str) -> String {
    let text = format!(
        "[net]\nkind = \"loop-switch\"\nspeed = \"2GFC\"\nstations = [\"host\", \"a\", \"b\"]\n{keys}\n[host]\nkind = \"host\"\n\
         [a]\nkind = \"drives\"\naccess_time = \"1 ms\"\ntransfer_rate = \"50 MiB/s\"\n[b]\nkind = \"drives\"\naccess_time = \"1 ms\"\n\
         transfer_rate = \"50 MiB/s\"\n[load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"a\", \"b\"]\nsize = \"4 KiB\"\n"
    );
    Scenario::parse_text(&text, "test").map_or_else(|report| report.to_string(), |_| String::new())
}

#[test]
fn what_stands_at_cascaded_switches_is_looked_at() {
    assert_eq!(cascaded_fault("cascaded.x.holds = [\"b\"]"), "");
    let nobody = cascaded_fault("cascaded.x.holds = [\"c\"]");
    assert!(nobody.contains("`c` is at a cascaded switch and is not attached to this network"), "{nobody}");
    let twice = cascaded_fault("cascaded.x.holds = [\"b\"]\ncascaded.y.holds = [\"b\"]");
    assert!(twice.contains("`b` is attached to two switches"), "{twice}");
    let parted = "cascaded.x.holds = [\"b\"]\nenclosures.e = { kind = \"mbod\", holds = [\"a\", \"b\"] }";
    let parted = cascaded_fault(parted);
    assert!(parted.contains("the enclosure `e` is at two switches"), "{parted}");
    assert_eq!(cascaded_fault("cascaded.x.holds = [\"b\"]\nconversations = 2"), "");
    let star = cascaded_fault("cascaded.x.holds = [\"b\"]\nlinks = \"star\"");
    assert!(star.contains("a star is not cascaded"), "{star}");
}

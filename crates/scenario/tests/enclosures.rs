//! What the failure of a port does to the others on its network: by the enclosure that it is in.

use sansim_kinds::Action;
use sansim_scenario::Scenario;
use sansim_scenario::graph::GraphEvent;

/// Three drives in this enclosure of a loop or a switch, of which one port fails at 1 s and is repaired at 2 s.
fn events(network: &str, what: &str) -> Vec<GraphEvent> {
    let text = format!(
        "[net]\nspeed = \"2GFC\"\nstations = [\"host\", \"drives\"]\n{network}\n[host]\nkind = \"host\"\n\
         [drives]\nkind = \"drives\"\ncount = 3\naccess_time = \"1 ms\"\ntransfer_rate = \"50 MiB/s\"\n\
         [load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"drives\"]\nsize = \"4 KiB\"\n\
         [[event]]\nat = \"1 s\"\ndo = \"fail\"\nwhat = \"{what}\"\n[[event]]\nat = \"2 s\"\ndo = \"repair\"\nwhat = \"{what}\"\n"
    );
    Scenario::parse(&text, "test").unwrap_or_else(|report| panic!("{report}")).graph.events
}

/// When, in ms, how many adapters fail or work again, and how many ways do.
fn told(network: &str, what: &str) -> Vec<(u64, Action, usize, usize)> {
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
    let expected = [(1_000, Action::Fail, 4, 3), (2_000, Action::Repair, 4, 3)];
    assert_eq!(told(JBOD, "drives[1].adapter"), expected);
}

#[test]
fn a_port_of_an_mbod_is_bypassed_after_an_interruption() {
    let expected = [
        (1_000, Action::Fail, 4, 3),
        (1_020, Action::Repair, 3, 2),
        (2_000, Action::Fail, 3, 2),
        (2_000, Action::Repair, 1, 0),
        (2_020, Action::Repair, 3, 3),
    ];
    assert_eq!(told(MBOD, "drives[1].adapter"), expected);
}

#[test]
fn a_port_of_a_switch_is_bypassed_and_by_default_interrupts_nobody() {
    assert_eq!(told(SBOD, "drives[1].adapter").len(), 5);
    let alone = [(1_000, Action::Fail, 1, 1), (2_000, Action::Repair, 1, 1)];
    assert_eq!(told("kind = \"loop-switch\"", "drives[1].adapter"), alone);
}

#[test]
fn the_cable_of_an_enclosure_fails_with_all_that_it_holds() {
    assert_eq!(told(JBOD, "net.enclosures.a"), [(1_000, Action::Fail, 4, 3), (2_000, Action::Repair, 4, 3)]);
    let told = told(MBOD, "net.enclosures.a");
    assert_eq!(told[0], (1_000, Action::Fail, 4, 3));
    assert_eq!(
        told[1],
        (1_020, Action::Repair, 1, 0),
        "the host can reach nobody: all its drives are behind the cable"
    );
}

#[test]
fn outside_of_enclosures_a_port_fails_alone() {
    let alone = [(1_000, Action::Fail, 1, 1), (2_000, Action::Repair, 1, 1)];
    assert_eq!(told("kind = \"arbitrated-loop\"", "drives[1].adapter"), alone);
}

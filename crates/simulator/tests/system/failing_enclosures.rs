//! A port or a cable fails during a run in each kind of enclosure: a JBOD is down until it is repaired, an MBOD continues after an
//! interruption, a switch continues, and in a chain of switches the part before the trunk continues. Nothing is lost in any enclosure, and
//! the ledger has the time that the failure cost.

use crate::common::text::{assert_adds_up, assert_reference_agrees, in_place_ns, run};
use crate::common::ways::{events, us};
use sansim_simulator::RunResult;

const JBOD: &str =
    "kind = \"arbitrated-loop\"\nenclosures.shelf = { kind = \"jbod\", holds = [\"a\", \"b\"] }";
const MBOD: &str = "kind = \"arbitrated-loop\"\nenclosures.shelf = { kind = \"mbod\", holds = [\"a\", \"b\"], interruption = \"3 ms\" }";
const TWO_MBODS: &str = "kind = \"arbitrated-loop\"\nenclosures.one = { kind = \"mbod\", holds = [\"a\"], interruption = \"3 ms\" }\n\
     enclosures.two = { kind = \"mbod\", holds = [\"b\"], interruption = \"3 ms\" }";
const SBOD: &str = "kind = \"loop-switch\"";
const STAR: &str = "kind = \"loop-switch\"\nlinks = \"star\"";
const INTERRUPTED: &str = "kind = \"loop-switch\"\ninterruption = \"3 ms\"";
const CASCADED: &str = "kind = \"loop-switch\"\ncascaded.second.holds = [\"b\"]";

/// Two groups of two drives each run for 40 ms; a part fails from 10 ms to 20 ms. Requests wait until there is a path
/// again.
fn text(network: &str, what: &str) -> String {
    let drives = "kind = \"drives\"\ncount = 2\naccess_time = \"100 us\"\ntransfer_rate = \"400 MB/s\"";
    format!(
        "[run]\nduration = \"40 ms\"\nwarm_up = \"0 ns\"\n[net]\nspeed = \"2GFC\"\nstations = [\"host\", \"a\", \"b\"]\n{network}\n\
         [host]\nkind = \"host\"\nno_way_time = \"unlimited\"\n[a]\n{drives}\n[b]\n{drives}\n\
         [load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"a\", \"b\"]\nsize = \"8 KiB\"\nqueue_depth = 2\nread_fraction = 0.5\n{}",
        events(&[(10_000, "fail", what), (20_000, "repair", what)])
    )
}

/// The run, in which nothing was lost, with either loop model.
fn checked(network: &str, what: &str) -> RunResult {
    let text = text(network, what);
    let result = run(&text);
    assert_adds_up(&result);
    assert_eq!(result.summary.failed_ios, 0);
    assert_reference_agrees(&text);
    result
}

/// The I/Os of each drive that end between two times, in microseconds.
fn ended(result: &RunResult, from: u64, to: u64) -> [usize; 4] {
    let mut ended = [0; 4];
    let rows = result.ios.rows.iter();
    for io in rows.filter(|io| io.completed >= us(from) && io.completed < us(to)) {
        ended[io.device as usize] += 1;
    }
    ended
}

/// For each drive: whether I/Os ended while the port was down, in the first 3 ms of the failure and later.
fn goes_on(network: &str, what: &str) -> [[bool; 4]; 2] {
    let result = checked(network, what);
    let before = ended(&result, 0, 10_000);
    assert!(before.iter().all(|&ios| ios > 20), "{before:?}");
    let after = ended(&result, 24_000, 40_000);
    assert!(after.iter().all(|&ios| ios > 20), "all is as before: {after:?}");
    // Frames in flight to the host when the port failed have arrived by then.
    [ended(&result, 10_500, 13_000), ended(&result, 13_500, 20_000)].map(|ended| ended.map(|ios| ios > 0))
}

const NONE: [bool; 4] = [false; 4];
const BUT_ONE: [bool; 4] = [true, false, true, true];

#[test]
fn a_jbod_is_down_until_its_port_is_repaired() {
    assert_eq!(goes_on(JBOD, "a[1].adapter"), [NONE, NONE]);
}

#[test]
fn an_mbod_goes_on_without_the_port_after_an_interruption() {
    assert_eq!(goes_on(MBOD, "a[1].adapter"), [NONE, BUT_ONE]);
}

#[test]
fn a_switch_or_a_star_goes_on_without_the_port() {
    assert_eq!(goes_on(SBOD, "a[1].adapter"), [BUT_ONE, BUT_ONE]);
    assert_eq!(goes_on(STAR, "a[1].adapter"), [BUT_ONE, BUT_ONE]);
    assert_eq!(goes_on(INTERRUPTED, "a[1].adapter"), [NONE, BUT_ONE]);
}

#[test]
fn the_cable_of_an_enclosure_takes_with_it_what_that_holds() {
    assert_eq!(goes_on(JBOD, "net.enclosures.shelf"), [NONE, NONE]);
    assert_eq!(goes_on(TWO_MBODS, "net.enclosures.two"), [NONE, [true, true, false, false]]);
    let before_the_trunk = [true, true, false, false];
    assert_eq!(goes_on(CASCADED, "net.cascaded.second"), [before_the_trunk, before_the_trunk]);
    assert_eq!(goes_on(CASCADED, "b[0].adapter"), [[true, true, false, true]; 2]);
    assert_eq!(goes_on(SBOD, "host.adapter"), [NONE, NONE], "nobody reaches anybody without the host");
}

/// The more an enclosure confines a failure, the fewer I/Os the failure costs, and the less time they wait for a path.
#[test]
fn a_failure_costs_most_in_a_jbod_and_least_at_a_switch() {
    let runs = [JBOD, MBOD, SBOD].map(|network| checked(network, "a[1].adapter"));
    let ios = runs.each_ref().map(|result| ended(result, 10_000, 40_000).iter().sum::<usize>());
    assert!(ios[0] < ios[1] && ios[1] < ios[2], "{ios:?}");
    let waited = runs.each_ref().map(|result| in_place_ns(result, "host"));
    assert!(waited[0] > waited[1] && waited[1] > waited[2], "{waited:?}");
    let all = checked(SBOD, "a[1].adapter");
    assert_eq!(ended(&all, 10_500, 20_000)[1], 0, "the drive itself is out in any");
}

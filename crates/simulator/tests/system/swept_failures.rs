//! Two controllers before arrays in a daisy chain and in SBODs: one part fails at every moment at which anything happens in a short run,
//! just before and just after it. An acknowledged write is lost only where nothing protects the cache that has it, and every request is
//! answered once.
//!
//! `mirrored_arrays.rs` tests several failures one after the other, at random.

use crate::common::figure;
use crate::common::text::scenario;
use crate::durability::Oracle;
use crate::mirrored_arrays::{Case, SBOD, TWO_SBODS};
use sansim_component::ComponentId;
use sansim_component::NetworkModel;
use sansim_fc::observation::Observation;
use sansim_kernel::{Span, Time};
use sansim_observe::observer::{Observer, RequestStep, WantedCalls};
use sansim_pdu::PortSight;
use sansim_request::{RequestId, Requests};
use sansim_simulator::build;
use sansim_simulator::run::RecordingOptions;
use std::collections::BTreeSet;

/// The parts are a controller, a drive, either loop as a whole, and cables; in addition the paths to them and
/// their protection.
const THINGS: &[&str] = &[
    "controller.a",
    "controller.b",
    "controller.link",
    "store-a[2]",
    // The whole daisy chain fails: by a port of it, and by its cable.
    "store-a[1].adapters.a",
    "chain.enclosures.shelf",
    // A port of the switch fails, and the trunk to the second switch.
    "store-a[3].adapters.b",
    "hub.cascaded.second",
    "disks-a.backs.b",
    "host.adapters.a",
    "controller.fronts.b",
    "cache-a.battery",
];

/// The moments at which something happens: a request takes a step, or a frame or signal leaves or arrives.
#[derive(Default)]
struct Moments(BTreeSet<Time>);

impl Observer for Moments {
    fn wants(&self) -> WantedCalls {
        WantedCalls { requests: true, ports: true, ..WantedCalls::default() }
    }

    fn at_port(&mut self, now: Time, _: usize, what: PortSight, _: &Requests) {
        let Some(what) = Observation::from_port_sight(what) else { return };
        if matches!(what, Observation::SentItem(_) | Observation::ReceivedItem(_)) {
            self.0.insert(now);
        }
    }

    fn at_request(&mut self, now: Time, _: ComponentId, _: RequestId, _: RequestStep, _: &Requests) {
        self.0.insert(now);
    }
}

fn system(second: &'static str, protected: &'static str) -> String {
    Case {
        failures: Vec::new(),
        second,
        protected,
        full: "wait",
        level: "5",
        size_kib: 8,
        depth: 4,
        change_us: 900,
        over_us: 700,
        ios: 120,
    }
    .system()
}

/// Every moment of the first milliseconds, in nanoseconds: the nanosecond at or before it, and the nanosecond
/// after it.
fn moments(text: &str) -> Vec<u64> {
    let plan = build::plan_system(&scenario(text), None, NetworkModel::Fast);
    let (_, Moments(seen)) =
        crate::common::watched(&plan, RecordingOptions::default(), Moments::default()).expect("it ends");
    let until = Time::ZERO + Span::from_ms(12);
    let ticks = Span::from_ns(1).ticks();
    let ns = seen.into_iter().filter(|&at| at < until).map(|at| at.ticks() / ticks);
    let both: BTreeSet<u64> = ns.flat_map(|ns| [ns, ns + 1]).collect();
    assert!(both.len() > 5_000, "{} moments", both.len());
    both.into_iter().collect()
}

/// The result of a run: the blocks lost in either cache, whether a warning reports the loss, and the number of I/Os
/// that ended.
struct Said {
    lost: [f64; 2],
    warned: bool,
    fetched: u64,
}

/// A part fails, and is repaired after a while; each I/O is answered once and successfully.
fn failing(text: &str, what: &str, at_ns: u64, is_protected: bool) -> Said {
    let again_ns = at_ns + 4_000_000;
    let text = format!(
        "{text}\n[[event]]\nat = \"{at_ns} ns\"\ndo = \"fail\"\nwhat = \"{what}\"\n\
         [[event]]\nat = \"{again_ns} ns\"\ndo = \"repair\"\nwhat = \"{what}\"\n"
    );
    let plan = build::plan_system(&scenario(&text), None, NetworkModel::Fast);
    let devices = plan.graph.devices.iter().map(|device| device.name.clone()).collect();
    let oracle = Oracle::new(&plan.observer_names(), devices);
    let oracle = if is_protected { oracle } else { oracle.of_answers_alone() };
    let (ended, oracle) = crate::common::watched(&plan, RecordingOptions::IOS, oracle)
        .unwrap_or_else(|error| panic!("{what} at {at_ns} ns: {error}"));
    assert_eq!(ended.summary.failed_ios, 0, "{what} at {at_ns} ns");
    assert!(oracle.answered.len() >= 120, "{what} at {at_ns} ns");
    assert!(oracle.answered.values().all(|&times| times == 1), "{what} at {at_ns} ns: answered once");
    let lost = ["cache-a", "cache-b"].map(|cache| figure(&ended.summary, cache, "lost_blocks"));
    let warned = ended.summary.warnings.iter().any(|warning| warning.contains("were lost"));
    Said { lost, warned, fetched: oracle.fetched }
}

/// Tests every `step`-th moment of each part, with a different offset for each part.
fn swept(second: &'static str, step: usize) {
    let text = system(second, "mirrored = true, battery = true");
    let moments = moments(&text);
    let mut fetched = 0;
    for (number, what) in THINGS.iter().enumerate() {
        if what.starts_with("hub.cascaded") && second != TWO_SBODS {
            continue;
        }
        for &at_ns in moments.iter().skip(number * 7 % step).step_by(step) {
            let said = failing(&text, what, at_ns, true);
            assert_eq!(said.lost, [0.0; 2], "{what} at {at_ns} ns");
            assert!(!said.warned);
            fetched += said.fetched;
        }
    }
    assert!(fetched > 20, "the oracle says something: {fetched}");
}

#[test]
fn nothing_is_lost_whenever_one_thing_fails_before_an_sbod() {
    swept(SBOD, 1_999);
}

#[test]
fn nothing_is_lost_whenever_one_thing_fails_before_cascaded_sbods() {
    swept(TWO_SBODS, 1_999);
}

/// The test uses every moment: `cargo test --release -p sansim-simulator --test system -- --ignored`.
#[test]
#[ignore = "long"]
fn nothing_is_lost_at_any_moment() {
    swept(TWO_SBODS, 1);
}

/// Without a copy the cache of the failing controller loses its dirty data, the other cache loses nothing, and the run reports it; whatever
/// else fails, nothing is lost.
fn unprotected(step: usize) {
    let text = system(SBOD, "mirrored = false, battery = true");
    let moments = moments(&text);
    let mut losing = 0;
    for (number, what) in THINGS.iter().enumerate() {
        if what.starts_with("hub.cascaded") {
            continue;
        }
        for &at_ns in moments.iter().skip(number * 7 % step).step_by(step) {
            let said = failing(&text, what, at_ns, false);
            let may_be = [*what == "controller.a", *what == "controller.b"];
            for (lost, may_be) in said.lost.iter().zip(may_be) {
                assert!(*lost == 0.0 || may_be, "{what} at {at_ns} ns: {:?}", said.lost);
            }
            let is_lost = said.lost != [0.0; 2];
            assert_eq!(said.warned, is_lost, "{what} at {at_ns} ns");
            losing += u32::from(is_lost);
        }
    }
    assert!(losing > 0, "something is lost, or this says nothing");
}

#[test]
fn without_a_copy_a_write_is_lost_with_its_controller_and_by_nothing_else() {
    unprotected(1_999);
}

#[test]
#[ignore = "long"]
fn without_a_copy_a_write_is_lost_with_its_controller_alone_at_any_moment() {
    unprotected(3);
}

//! Two nodes with mirrored caches, synchronous and asynchronous: one of them fails at every moment at which anything happens in a short
//! run, just before and just after it. With synchronous mirroring nothing is lost. With asynchronous mirroring exactly those writes are
//! lost that were answered and had not reached the partner, which this test computes from the times at which they were held and from the
//! time of the link; and never more than the lag allows.

use crate::common::figure;
use crate::common::text::{run, scenario};
use crate::durability::Oracle;
use sansim_component::ComponentId;
use sansim_component::NetworkModel;
use sansim_fc::observation::Observation;
use sansim_kernel::{Span, Time};
use sansim_observe::observer::{Observer, RequestStep, WantedCalls};
use sansim_pdu::PortSight;
use sansim_request::{LedgerLine, RequestId, Requests};
use sansim_simulator::build;
use sansim_simulator::run::RecordingOptions;
use std::collections::{BTreeSet, HashMap};

/// The link has a time per KiB, and a latency.
const KIB: Span = Span(1024 * 25 * Span::from_ns(1).0);
const LATENCY: Span = Span::from_us(150);

/// A host with a path to each node, and a volume of each node. The nodes are controllers, or appliances.
fn system(are_appliances: bool, mirroring: &str) -> String {
    let (kind, shared) = if are_appliances {
        (
            "appliance",
            "[controller.link]\nbandwidth = \"40 MB/s\"\nlatency = \"150 us\"\n[controller.processors]\nevaluated_every = \"300 us\"\n\
             [controller.stack]\ntarget_emulation = { cycles = 5000 }\ncache = { cycles = 2000 }\nhost_copy = { cycles_per_kib = 500 }\n\
             set_up = { cycles = 700 }\nfault_tolerance = { cycles = 900 }\nstatus = { cycles = 3000 }",
        )
    } else {
        (
            "controller",
            "[controller.resources]\nlink = { bandwidth = \"40 MB/s\" }\nlink_latency = \"150 us\"\ncommand = { time = \"8 us\" }\n\
             memory = { bandwidth = \"300 MB/s\" }",
        )
    };
    let mut text = format!(
        r#"
        [run]
        measured_ios = 150
        warm_up = 0
        [host]
        kind = "host"
        no_way_time = "unlimited"
        fail_over_time = "700 us"
        fail_back_time = "700 us"
        adapters = {{ a = {{}}, b = {{}} }}
        [controller]
        kind = "{kind}"
        to = ["cache-a", "cache-b"]
        pair = {{ controllers = 2, change_time = "900 us" }}
        fronts = {{ a = {{}}, b = {{ side = "b" }} }}
        {shared}
        [load]
        kind = "closed"
        from = "host"
        to = ["controller"]
        size = "4 KiB"
        queue_depth = 8
        read_fraction = 0.3
        think_time = "100 us"
        "#
    );
    for half in ["a", "b"] {
        text += &format!(
            r#"
            [link-{half}]
            kind = "arbitrated-loop"
            speed = "4GFC"
            stations = ["host.adapters.{half}", "controller.fronts.{half}"]
            [cache-{half}]
            kind = "cache"
            to = ["disks-{half}"]
            inside = "controller"
            side = "{half}"
            capacity = "128 KiB"
            retry_time = "2 ms"
            write = {{ mirrored = true, when_full = "wait", {mirroring} }}
            [disks-{half}]
            kind = "drives"
            concurrency = 8
            capacity = "256 KiB"
            access_time = {{ distribution = "uniform", low = "0.1 ms", high = "1 ms" }}
            transfer_rate = "100 MB/s"
            "#
        );
    }
    text
}

/// The observations of a run without failures: the times of all events, and for each write that a cache holds its
/// arrival and its answer.
#[derive(Default)]
struct Seen {
    moments: BTreeSet<Time>,
    /// The ledger lines in which a cache holds a write, and the first device of the second cache.
    holds: Vec<LedgerLine>,
    second: u32,
    held: Vec<Held>,
    open: HashMap<RequestId, usize>,
}

struct Held {
    by_second: bool,
    kib: u64,
    at: Time,
    answered: Option<Time>,
}

impl Observer for Seen {
    fn wants(&self) -> WantedCalls {
        WantedCalls { requests: true, ports: true, ..WantedCalls::default() }
    }

    fn at_port(&mut self, now: Time, _: usize, what: PortSight, _: &Requests) {
        let Some(what) = Observation::from_port_sight(what) else { return };
        if matches!(what, Observation::SentItem(_) | Observation::ReceivedItem(_)) {
            self.moments.insert(now);
        }
    }

    fn at_request(
        &mut self,
        now: Time,
        _: ComponentId,
        id: RequestId,
        what: RequestStep,
        requests: &Requests,
    ) {
        self.moments.insert(now);
        match what {
            RequestStep::Enters(line) if self.holds.contains(&line) => {
                let request = requests.request(id);
                let by_second = request.device >= self.second;
                self.open.insert(id, self.held.len());
                self.held.push(Held { by_second, kib: request.bytes / 1024, at: now, answered: None });
            }
            RequestStep::Completed { .. } => {
                if let Some(place) = self.open.remove(&id) {
                    self.held[place].answered = Some(now);
                }
            }
            _ => {}
        }
    }
}

fn seen(text: &str) -> Seen {
    let plan = build::plan_system(&scenario(text), None, NetworkModel::Fast);
    let names = plan.observer_names();
    let lines = names.places.iter().map(|place| place.first_line.0 + place.catalogue.segments.len() as u32);
    let holds = (0..lines.max().unwrap_or(0)).map(LedgerLine);
    let holds = holds.filter(|&line| {
        let name = names.line_name(line);
        name.starts_with("cache") && name.ends_with(".partner")
    });
    let second = plan.graph.devices.iter().position(|device| device.name.starts_with("cache-b"));
    let seen =
        Seen { holds: holds.collect(), second: second.expect("a second cache") as u32, ..Seen::default() };
    let (_, seen) = crate::common::watched(&plan, RecordingOptions::default(), seen).expect("it ends");
    assert!(
        seen.held.len() > 50 && seen.moments.len() > 2_000,
        "{}, {}",
        seen.held.len(),
        seen.moments.len()
    );
    seen
}

impl Seen {
    /// Every moment of the first milliseconds, in nanoseconds, rounded down and up. After the last moment the run is over, and no failure
    /// has an effect.
    fn moments_ns(&self) -> Vec<u64> {
        let end = self.moments.last().map_or(Time::ZERO, |&last| last.min(Time::ZERO + Span::from_ms(8)));
        let ticks = Span::from_ns(1).ticks();
        let ns = self.moments.iter().map(|at| at.ticks() / ticks).flat_map(|ns| [ns, ns + 1]);
        ns.filter(|ns| ns * ticks < end.ticks()).collect::<BTreeSet<u64>>().into_iter().collect()
    }

    /// The writes of either cache that have been answered at a time and have not reached the partner: copies are sent one after the
    /// other over the link.
    fn lacks(&self, at: Time) -> [f64; 2] {
        let (mut link_free, mut lacks) = (Time::ZERO, [0.0; 2]);
        for held in &self.held {
            link_free = link_free.max(held.at) + Span(KIB.ticks() * held.kib);
            let is_answered = held.answered.is_some_and(|answered| answered <= at);
            lacks[usize::from(held.by_second)] +=
                f64::from(u8::from(is_answered && link_free + LATENCY > at));
        }
        lacks
    }
}

pub(crate) struct Said {
    lost_writes: [f64; 2],
    pub(crate) lost_blocks: f64,
    pub(crate) warned: bool,
}

/// A node or the link fails, and is repaired after a while; each I/O is answered once and successfully.
fn failing(text: &str, what: &str, at_ns: u64, looks: bool) -> Said {
    all_failing(text, &[(what, at_ns, at_ns + 4_000_000)], looks)
}

/// Each of these parts fails and is repaired, at these times.
pub(crate) fn all_failing(text: &str, failures: &[(&str, u64, u64)], looks: bool) -> Said {
    let mut text = text.to_owned();
    for (what, at_ns, again_ns) in failures {
        text += &format!(
            "\n[[event]]\nat = \"{at_ns} ns\"\ndo = \"fail\"\nwhat = \"{what}\"\n\
             [[event]]\nat = \"{again_ns} ns\"\ndo = \"repair\"\nwhat = \"{what}\"\n"
        );
    }
    let plan = build::plan_system(&scenario(&text), None, NetworkModel::Fast);
    let oracle = Oracle::new(
        &plan.observer_names(),
        plan.graph.devices.iter().map(|device| device.name.clone()).collect(),
    );
    let oracle = if looks { oracle } else { oracle.of_answers_alone() };
    let (ended, oracle) = crate::common::watched(&plan, RecordingOptions::IOS, oracle)
        .unwrap_or_else(|error| panic!("{failures:?}: {error}"));
    assert_eq!(ended.summary.failed_ios, 0, "{failures:?}");
    assert!(
        oracle.answered.len() >= 150 && oracle.answered.values().all(|&times| times == 1),
        "{failures:?}"
    );
    // The two caches of a pair; clusters have others.
    let is_there = |cache: &str| ended.summary.components.value_named(cache).is_some();
    let figure =
        |cache: &str, name: &str| if is_there(cache) { figure(&ended.summary, cache, name) } else { 0.0 };
    let of = |name: &str| ["cache-a", "cache-b"].map(|cache| figure(cache, name));
    let lost_blocks =
        ended.summary.components.0.iter().filter_map(|(_, of)| of.figure_named("lost_blocks")).sum();
    let warned = ended.summary.warnings.iter().any(|warning| warning.contains("were lost"));
    Said { lost_writes: of("lost_writes"), lost_blocks, warned }
}

const THINGS: [&str; 3] = ["controller.a", "controller.b", "controller.link"];

/// With synchronous mirroring, tests every `step`-th moment.
fn synchronous(step: usize) {
    for are_appliances in [false, true] {
        let text = system(are_appliances, "mirroring = \"synchronous\"");
        let moments = seen(&text).moments_ns();
        for (number, what) in THINGS.iter().enumerate() {
            for &at_ns in moments.iter().skip(number * 7 % step).step_by(step) {
                let said = failing(&text, what, at_ns, true);
                assert_eq!((said.lost_writes, said.lost_blocks), ([0.0; 2], 0.0), "{what} at {at_ns} ns");
                assert!(!said.warned);
            }
        }
    }
}

/// With asynchronous mirroring and this bound: the nodes are controllers, so that only the link determines
/// when a copy has arrived.
fn asynchronous(step: usize, bound: Option<u32>) {
    let keys = bound.map(|bound| format!("lag_writes = {bound}, ")).unwrap_or_default();
    let text = system(false, &format!("{keys}mirroring = \"asynchronous\""));
    let seen = seen(&text);
    let (mut losing, mut most) = (0, 0.0_f64);
    for (number, what) in THINGS.iter().enumerate() {
        for &at_ns in seen.moments_ns().iter().skip(number * 7 % step).step_by(step) {
            let said = failing(&text, what, at_ns, false);
            let [first, second] = seen.lacks(Time::ZERO + Span::from_ns(at_ns));
            let expected = [[first, 0.0], [0.0, second], [0.0; 2]][number];
            assert_eq!(said.lost_writes, expected, "{what} at {at_ns} ns");
            let lost = expected.iter().sum::<f64>();
            assert_eq!(
                (said.lost_blocks > 0.0, said.warned),
                (lost > 0.0, lost > 0.0),
                "{what} at {at_ns} ns"
            );
            losing += u32::from(lost > 0.0);
            most = most.max(lost);
        }
    }
    assert!(losing > 0, "something is lost, or this says nothing");
    match bound {
        Some(bound) => assert!(most <= f64::from(bound), "{most}"),
        None => assert!(most > 2.0, "{most}"),
    }
}

#[test]
fn mirrored_synchronously_nothing_is_lost_whenever_a_node_fails() {
    synchronous(809);
}

#[test]
fn mirrored_asynchronously_just_what_the_partner_lacks_is_lost_whenever_a_node_fails() {
    asynchronous(401, None);
    asynchronous(401, Some(2));
}

/// The test uses every moment: `cargo test --release -p sansim-simulator --test system -- --ignored`.
#[test]
#[ignore = "long"]
fn mirrored_synchronously_nothing_is_lost_at_any_moment() {
    synchronous(1);
}

#[test]
#[ignore = "long"]
fn mirrored_asynchronously_just_what_the_partner_lacks_is_lost_at_any_moment() {
    asynchronous(1, None);
    asynchronous(1, Some(2));
}

#[test]
fn appliances_lose_no_more_than_the_lag_allows() {
    let text = system(true, "mirroring = \"asynchronous\", lag_bytes = \"12 KiB\"");
    let moments = seen(&text).moments_ns();
    let lost = |&at_ns: &u64| {
        let said = failing(&text, "controller.a", at_ns, false);
        assert_eq!(said.warned, said.lost_writes[0] > 0.0);
        assert_eq!(said.lost_writes[1], 0.0);
        said.lost_writes[0]
    };
    let most = moments.iter().step_by(151).map(lost).fold(0.0, f64::max);
    assert!((1.0..=3.0).contains(&most), "{most}");
}

#[test]
fn without_any_lag_a_write_is_answered_as_if_it_were_mirrored_synchronously() {
    for are_appliances in [false, true] {
        let mean = |mirroring: &str| run(&system(are_appliances, mirroring)).summary.response_time_ns.mean;
        let synchronous = mean("mirroring = \"synchronous\"");
        let none = mean("mirroring = \"asynchronous\", lag_writes = 0");
        let some = mean("mirroring = \"asynchronous\", lag_writes = 1");
        let any = mean("mirroring = \"asynchronous\"");
        assert!((none / synchronous - 1.0).abs() < 0.02, "{none}, {synchronous}");
        assert!(any < some && some < none, "{any}, {some}, {none}");
    }
}

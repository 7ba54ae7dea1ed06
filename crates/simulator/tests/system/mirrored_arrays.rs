//! Two controllers with mirrored caches before arrays, whose drives have a port on each of two loops: whatever fails at any moment, one
//! part after the other, no acknowledged data are lost, and every request is answered successfully, and once.
//!
//! The possible failures are: either controller, the link between them, the adapters of the host, of the controllers on either side, and
//! of drives, a drive (one of each array, and again), a battery; and failures of a whole loop: the cable of a daisy chain, which is a port
//! of a drive in it, and the enclosure with bypass, which is interrupted. Instead of a loop, the second ports of the drives may be at one
//! loop switch or at two.

use crate::common::figure;
use crate::common::text::scenario;
use crate::durability::Oracle;
use proptest::prelude::*;
use sansim_component::NetworkModel;
use sansim_simulator::build;
use sansim_simulator::run::RecordingOptions;
use std::fmt::Write as _;

/// The parts that can fail, one at a time.
const THINGS: &[&str] = &[
    "controller.a",
    "controller.b",
    "controller.link",
    "host.adapters.a",
    "host.adapters.b",
    "controller.fronts.a",
    "controller.fronts.b",
    "cache-a.battery",
    "cache-b.battery",
    // Half of the paths to the drives of an array.
    "disks-a.backs.a",
    "disks-a.backs.b",
    "disks-b.backs.a",
    // The adapter fails with the daisy chain in which it is: the whole loop.
    "store-a[1].adapters.a",
    // The adapter fails with its slot: the loop of a hub is interrupted, a switch continues.
    "store-a[3].adapters.b",
    "store-b[0].adapters.b",
    // The whole drive fails.
    "store-a[2]",
    "store-b[1]",
    "store-a[2]",
];

/// The network of the second ports of the drives, as keys.
pub(crate) const MBOD: &str = "kind = \"arbitrated-loop\"\nenclosures = { shelf = { kind = \"mbod\", \
    holds = [\"store-a.adapters.b\", \"store-b.adapters.b\"], interruption = \"2 ms\" } }";
pub(crate) const SBOD: &str = "kind = \"loop-switch\"\narbitration = \"controller-first\"";
/// There is a switch for each array.
pub(crate) const TWO_SBODS: &str = "kind = \"loop-switch\"\narbitration = \"controller-first\"\n\
    cascaded.second = { holds = [\"store-b.adapters.b\"], cable = \"2 m\" }";

/// A case of the test; settings that a case does not give keep their values.
pub(crate) struct Case {
    pub(crate) failures: Vec<(usize, u32, u32)>,
    pub(crate) second: &'static str,
    /// The protection of the caches.
    pub(crate) protected: &'static str,
    pub(crate) full: &'static str,
    pub(crate) level: &'static str,
    pub(crate) size_kib: u32,
    pub(crate) depth: u32,
    pub(crate) change_us: u32,
    pub(crate) over_us: u32,
    pub(crate) ios: u32,
}

impl Case {
    fn text(&self) -> String {
        let Self { change_us, over_us, .. } = *self;
        let mut events = String::new();
        let mut at = 0;
        for &(which, until, long) in &self.failures {
            let (fails, works) = (at + until, at + until + long);
            for (at, act) in [(fails, "fail"), (works, "repair")] {
                let what = THINGS[which % THINGS.len()];
                let _ = writeln!(events, "[[event]]\nat = \"{at} us\"\ndo = \"{act}\"\nwhat = \"{what}\"");
            }
            // The time until the paths are used again.
            at = works + 2 * over_us + change_us + 20_000;
        }
        self.system() + &events
    }

    /// The system without failures.
    pub(crate) fn system(&self) -> String {
        let Self { second, protected, full, level, size_kib, depth, change_us, over_us, ios, .. } = *self;
        let mut text = format!(
            r#"
            [run]
            measured_ios = {ios}
            warm_up = 0
            [front-a]
            kind = "arbitrated-loop"
            speed = "4GFC"
            stations = ["host.adapters.a", "controller.fronts.a"]
            [front-b]
            kind = "arbitrated-loop"
            speed = "4GFC"
            stations = ["host.adapters.b", "controller.fronts.b"]
            [chain]
            kind = "arbitrated-loop"
            speed = "4GFC"
            stations = ["disks-a.backs.a", "disks-b.backs.a", "store-a.adapters.a", "store-b.adapters.a"]
            enclosures = {{ shelf = {{ kind = "jbod", holds = ["store-a.adapters.a", "store-b.adapters.a"] }} }}
            [hub]
            speed = "4GFC"
            stations = ["disks-a.backs.b", "disks-b.backs.b", "store-a.adapters.b", "store-b.adapters.b"]
            {second}
            [host]
            kind = "host"
            fail_over_time = "{over_us} us"
            fail_back_time = "{over_us} us"
            no_way_time = "unlimited"
            adapters = {{ a = {{}}, b = {{}} }}
            [controller]
            kind = "controller"
            to = ["cache-a", "cache-b"]
            pair = {{ controllers = 2, change_time = "{change_us} us" }}
            resources = {{ link = {{ bandwidth = "100 MB/s" }}, link_latency = "20 us", command = {{ time = "8 us" }}, xor = {{ time = "5 us" }}, memory = {{ bandwidth = "300 MB/s" }} }}
            fronts = {{ a = {{}}, b = {{ side = "b" }} }}
            [load]
            kind = "closed"
            from = "host"
            to = ["controller"]
            size = "{size_kib} KiB"
            queue_depth = {depth}
            read_fraction = 0.5
            think_time = "300 us"
            "#
        );
        for half in ["a", "b"] {
            let _ = write!(
                text,
                r#"
                [cache-{half}]
                kind = "cache"
                to = ["disks-{half}"]
                inside = "controller"
                side = "{half}"
                capacity = "64 KiB"
                retry_time = "2 ms"
                write = {{ {protected}, when_full = "{full}", stripe_size = "16 KiB" }}
                [disks-{half}]
                kind = "raid"
                to = ["store-{half}"]
                inside = "controller"
                side = "{half}"
                stripe_unit = "8 KiB"
                fail_over_time = "{over_us} us"
                fail_back_time = "{over_us} us"
                no_way_time = "unlimited"
                layout = {{ level = "{level}" }}
                backs = {{ a = {{}}, b = {{ side = "b" }} }}
                [store-{half}]
                kind = "drives"
                count = 4
                capacity = "128 KiB"
                access_time = {{ distribution = "uniform", low = "0.1 ms", high = "2 ms" }}
                transfer_rate = "100 MB/s"
                adapters = {{ a = {{}}, b = {{}} }}
                "#
            );
        }
        text
    }

    fn check(&self) -> Result<(), TestCaseError> {
        let text = self.text();
        let plan = build::plan_system(&scenario(&text), None, NetworkModel::Fast);
        let devices = plan.graph.devices.iter().map(|device| device.name.clone()).collect();
        let oracle = Oracle::new(&plan.observer_names(), devices);
        let (ended, oracle) = crate::common::watched(&plan, RecordingOptions::IOS, oracle)
            .map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        let of = |name: &str, what: &str| figure(&ended.summary, name, what);
        for half in ["a", "b"] {
            prop_assert_eq!(of(&format!("cache-{half}"), "lost_blocks"), 0.0, "{}", text);
        }
        prop_assert_eq!(ended.summary.failed_ios, 0, "{}", text);
        let ios: u64 = oracle.answered.len() as u64;
        prop_assert!(
            ios >= u64::from(self.ios) && oracle.answered.values().all(|&times| times == 1),
            "answered once: {}",
            ios
        );
        prop_assert!(oracle.fetched > 10, "it says something: {}", oracle.fetched);
        Ok(())
    }
}

fn case(ios: u32, most: usize) -> impl Strategy<Value = Case> {
    let failures = prop::collection::vec((0..THINGS.len(), 1..50_000_u32, 1..60_000_u32), 0..most);
    let words = (
        prop::sample::select(vec!["wait", "through"]),
        prop::sample::select(vec!["5", "10", "6"]),
        prop::sample::select(vec![MBOD, SBOD, TWO_SBODS]),
    );
    let numbers = (1..5_u32, 1..6_u32);
    let times =
        (prop::sample::select(vec![0_u32, 1, 900, 20_000]), prop::sample::select(vec![0_u32, 1, 700, 5_000]));
    (failures, words, numbers, times).prop_map(
        move |(failures, (full, level, second), (size, depth), (change_us, over_us))| Case {
            failures,
            second,
            protected: "mirrored = true, battery = true",
            full,
            level,
            size_kib: size * 4,
            depth,
            change_us,
            over_us,
            ios,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, max_shrink_iters: 100, ..ProptestConfig::with_cases(sansim_trials::case_count(30)) })]

    #[test]
    fn nothing_is_lost_whatever_fails_of_controllers_ways_drives_and_enclosures(case in case(600, 5)) {
        case.check()?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, max_shrink_iters: 200, ..ProptestConfig::with_cases(400) })]

    #[test]
    #[ignore = "long"]
    fn nothing_is_lost_in_longer_runs_with_more_failures(case in case(1500, 12)) {
        case.check()?;
    }
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text())
    }
}

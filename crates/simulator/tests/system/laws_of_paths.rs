//! Laws of several paths in one network, over random systems: hosts with several adapters, devices with several ports, where every pair of
//! an adapter and a port that zones and access allow is a path.
//!
//! A run serves for each device a number of I/Os that is a multiple of its paths, one after another or several at a time, so round robin
//! has to split them evenly, to the I/O.

use crate::common::text::{assert_adds_up, run, scenario};
use proptest::prelude::*;
use sansim_simulator::RunResult;
use std::fmt::Write;

/// The number of rounds of all paths to each device.
const ROUNDS: usize = 3;

/// A host and devices in one network.
#[derive(Clone, Debug)]
struct System {
    network: &'static str,
    /// The number of adapters of the host, and of ports of each device.
    adapters: usize,
    ports: usize,
    devices: usize,
    /// Whether the devices are behind a controller, whose fronts are the ports.
    controller: bool,
    queue_depth: usize,
    policy: &'static str,
    /// By adapter and port, whether a zone contains both. The zones are used on a fabric only.
    zoned: Vec<bool>,
    /// By port, whether it is optimised.
    optimised: Vec<bool>,
    /// Whether each port, and each adapter with it, has a network of its own.
    apart: bool,
}

impl System {
    /// The pairs of an adapter and a port that are paths, by their numbers.
    fn paths(&self) -> Vec<(usize, usize)> {
        let all = (0..self.adapters).flat_map(|adapter| (0..self.ports).map(move |port| (adapter, port)));
        let allowed: Vec<_> = all
            .filter(|&(adapter, port)| self.zoned[adapter * self.ports + port])
            .filter(|&(adapter, port)| !self.apart || adapter == port)
            .collect();
        let best: Vec<_> = allowed.iter().copied().filter(|&(_, port)| self.optimised[port]).collect();
        if best.is_empty() { allowed } else { best }
    }

    fn server(&self) -> &'static str {
        if self.controller { "array.fronts" } else { "drives.adapters" }
    }

    fn text(&self) -> String {
        let Self { network, adapters, ports, devices, queue_depth, policy, .. } = self;
        let ios = self.paths().len() * ROUNDS * devices;
        let mut text = "[run]\nmeasured_ios = \"all\"\nwarm_up = 0\n".to_owned();
        let host: Vec<String> = (0..*adapters).map(|number| format!("host.adapters.a{number}")).collect();
        let servers: Vec<String> = (0..*ports).map(|number| format!("{}.p{number}", self.server())).collect();
        if self.apart {
            for (number, (asks, serves)) in host.iter().zip(&servers).enumerate() {
                let _ = write!(text, "[net{number}]\n{network}\nstations = {:?}\n", [asks, serves]);
            }
        } else {
            let stations: Vec<&String> = host.iter().chain(&servers).collect();
            let _ = write!(text, "[net]\n{network}\nstations = {stations:?}\n");
            for (place, _) in self.zoned.iter().enumerate().filter(|(_, is_zoned)| **is_zoned) {
                if self.zoned.iter().all(|is_zoned| *is_zoned) {
                    break;
                }
                let members = [&host[place / ports], &servers[place % ports]];
                let _ = writeln!(text, "zones.z{place}.members = {members:?}");
            }
        }
        let _ = write!(text, "[host]\nkind = \"host\"\npath = \"{policy}\"\n");
        (0..*adapters).for_each(|number| {
            let _ = writeln!(text, "[host.adapters.a{number}]");
        });
        if self.controller {
            text += "[array]\nkind = \"controller\"\nto = [\"drives\"]\n";
        }
        let _ = write!(
            text,
            "[drives]\nkind = \"drives\"\ncount = {devices}\naccess_time = \"10 us\"\ntransfer_rate = \"1 GB/s\"\nconcurrency = 4\n"
        );
        for (number, is_optimised) in self.optimised.iter().enumerate() {
            let access = if *is_optimised { "optimised" } else { "non-optimised" };
            let _ = write!(text, "[{}.p{number}]\naccess = \"{access}\"\n", self.server());
        }
        let to = if self.controller { "array" } else { "drives" };
        let _ = write!(
            text,
            "[load]\nkind = \"synthetic\"\nfrom = \"host\"\nto = [\"{to}\"]\nsize = \"4 KiB\"\nspread = \"turns\"\nios = {ios}\n\
             arrivals = {{ process = \"closed\", queue_depth = {queue_depth} }}\n"
        );
        text
    }
}

/// The number of commands on an adapter of the host, or on a port of the devices; where there is only one of the kind, the
/// number of all.
fn commands(result: &RunResult, table: &str, name: &str) -> u64 {
    let of =
        |name: &str| result.summary.components.value_named(name).and_then(|all| all.figure_named("commands"));
    of(&format!("{table}.{name}")).or_else(|| of(table.split('.').next()?)).unwrap_or(0.0) as u64
}

const NETWORKS: [&str; 4] = [
    "kind = \"fabric\"\nspeed = \"8GFC\"",
    "kind = \"arbitrated-loop\"\nspeed = \"4GFC\"",
    "kind = \"loop-switch\"\nspeed = \"4GFC\"",
    "kind = \"tcp\"\nrate = \"125 MB/s\"",
];

fn systems(policy: &'static str) -> impl Strategy<Value = System> {
    let shape = (0..NETWORKS.len(), 1..4_usize, 1..5_usize, 1..4_usize, any::<bool>(), 1..6_usize);
    let rules =
        (prop::collection::vec(prop::bool::weighted(0.7), 12), prop::collection::vec(any::<bool>(), 4));
    (shape, rules).prop_map(
        move |((network, adapters, ports, devices, controller, queue_depth), (zoned, optimised))| {
            let is_fabric = network == 0;
            let mut zoned: Vec<bool> = zoned[..adapters * ports].iter().map(|&is| is || !is_fabric).collect();
            if !zoned.contains(&true) {
                zoned[0] = true;
            }
            System {
                network: NETWORKS[network],
                adapters,
                ports,
                devices,
                controller,
                queue_depth,
                policy,
                zoned,
                optimised: optimised[..ports].to_vec(),
                apart: false,
            }
        },
    )
}

/// Each path that policies may use carries as many I/Os as any other, and no other path carries any.
fn assert_splits_evenly(system: &System) -> Result<(), TestCaseError> {
    let text = system.text();
    let result = run(&text);
    assert_adds_up(&result);
    prop_assert_eq!(result.summary.failed_ios, 0);
    let paths = system.paths();
    let each = (ROUNDS * system.devices) as u64;
    if system.ports > 1 {
        for port in 0..system.ports {
            let share = paths.iter().filter(|&&(_, to)| to == port).count() as u64 * each;
            let found = commands(&result, system.server(), &format!("p{port}"));
            prop_assert_eq!(found, share, "port {} of {:?}:\n{}", port, paths, text);
        }
    }
    if system.adapters > 1 {
        for adapter in 0..system.adapters {
            let share = paths.iter().filter(|&&(from, _)| from == adapter).count() as u64 * each;
            let found = commands(&result, "host.adapters", &format!("a{adapter}"));
            prop_assert_eq!(found, share, "adapter {} of {:?}:\n{}", adapter, paths, text);
        }
    }
    Ok(())
}

/// Whatever the policy, a path that is not optimised carries nothing while an optimised path can be reached, and each I/O is served
/// once.
fn assert_prefers_optimised(system: &System) -> Result<(), TestCaseError> {
    let result = run(&system.text());
    assert_adds_up(&result);
    let paths = system.paths();
    let mut all = 0;
    for port in 0..system.ports {
        let found = commands(&result, system.server(), &format!("p{port}"));
        prop_assert!(
            found == 0 || paths.iter().any(|&(_, to)| to == port),
            "{} of port {}\n{}",
            found,
            port,
            system.text()
        );
        all += found;
    }
    prop_assert!(system.ports == 1 || all == (paths.len() * ROUNDS * system.devices) as u64);
    Ok(())
}

/// The same ports with a separate network for each are used in the same proportions.
fn assert_same_apart(system: &System) -> Result<(), TestCaseError> {
    let (adapters, zoned) = (system.ports, vec![true; system.ports * system.ports]);
    let apart = System { adapters, zoned, apart: true, policy: "round-robin", ..system.clone() };
    assert_splits_evenly(&apart)
}

fn policies() -> impl Strategy<Value = System> {
    let words =
        ["first", "numa", "round-robin", "least-outstanding", "queue-depth", "queue-length", "service-time"];
    prop::sample::select(words.to_vec()).prop_flat_map(systems)
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, max_shrink_iters: 300, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn round_robin_splits_evenly_over_all_paths_that_zones_and_access_allow(system in systems("round-robin")) {
        assert_splits_evenly(&system)?;
    }

    #[test]
    fn paths_that_are_not_optimised_carry_nothing_while_one_that_is_works(system in policies()) {
        assert_prefers_optimised(&system)?;
    }
}

proptest! {
    #![proptest_config(config(50))]

    #[test]
    fn a_network_for_each_port_gives_the_same_split(system in systems("round-robin")) {
        assert_same_apart(&system)?;
    }
}

proptest! {
    #![proptest_config(config(10_000))]

    #[test]
    #[ignore = "long"]
    fn and_so_they_do_in_many_more_systems(system in systems("round-robin"), other in policies()) {
        assert_splits_evenly(&system)?;
        assert_prefers_optimised(&other)?;
        assert_same_apart(&other)?;
    }
}

#[test]
fn two_fronts_of_a_controller_in_one_fabric_are_two_paths() {
    let system = |optimised: [bool; 2]| System {
        network: NETWORKS[0],
        adapters: 1,
        ports: 2,
        devices: 1,
        controller: true,
        queue_depth: 4,
        policy: "round-robin",
        zoned: vec![true; 2],
        optimised: optimised.to_vec(),
        apart: false,
    };
    let split = |system: &System| {
        let result = run(&system.text());
        ["p0", "p1"].map(|port| commands(&result, "array.fronts", port))
    };
    assert_eq!(split(&system([true, false])), [3, 0]);
    assert_eq!(split(&system([false, true])), [0, 3]);
    assert_eq!(split(&system([true, true])), [3, 3]);
    assert_eq!(split(&system([false, false])), [3, 3]);
}

#[test]
fn every_pair_of_adapters_and_ports_is_a_path_with_a_port_of_its_own() {
    let system = System {
        network: NETWORKS[0],
        adapters: 2,
        ports: 4,
        devices: 3,
        controller: false,
        queue_depth: 1,
        policy: "round-robin",
        zoned: vec![true; 8],
        optimised: vec![true; 4],
        apart: false,
    };
    let graph = scenario(&system.text()).graph;
    for reach in &graph.reaches {
        assert_eq!(reach.ways.len(), 8);
        let mut ports: Vec<u32> = reach.ways.iter().map(|way| way.port).collect();
        ports.sort_unstable();
        ports.dedup();
        assert_eq!(ports.len(), 8, "each begins at a port of its own");
        let adapters: Vec<u32> = reach.ways.iter().map(|way| way.adapter).collect();
        assert_eq!(adapters, [0, 0, 0, 0, 1, 1, 1, 1], "in the order of the adapters of the host");
    }
}

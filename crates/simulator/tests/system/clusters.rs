//! Clusters of nodes that take over for each other: which node continues with the volumes of a failed node, that nothing is lost when a
//! node fails at any moment, and then another one, and that a new partner gets a copy of the dirty data.

use crate::common::figure;
use crate::common::text::{assert_adds_up, run, scenario};
use crate::swept_mirrors::all_failing;
use std::fmt::Write as _;

/// A cluster of nodes with a cache and one or several volumes at each home, and a host with paths to some of
/// the nodes.
struct Cluster {
    kind: &'static str,
    nodes: usize,
    takes_over: &'static str,
    /// The number of volumes at each home.
    volumes: usize,
    /// The nodes that the host reaches.
    ways: &'static str,
    link: &'static str,
    write: &'static str,
    run: &'static str,
    load: &'static str,
}

impl Default for Cluster {
    fn default() -> Self {
        Self {
            kind: "appliance",
            nodes: 3,
            takes_over: "next",
            volumes: 1,
            ways: "abc",
            link: "40 MB/s",
            write: "mirrored = true, when_full = \"wait\"",
            run: "measured_ios = 150\nwarm_up = 0",
            load: "size = \"4 KiB\"\nqueue_depth = 6\nread_fraction = 0.5\nthink_time = \"100 us\"",
        }
    }
}

impl Cluster {
    fn text(&self) -> String {
        let Self { kind, nodes, takes_over, volumes, ways, link, write, run, load } = *self;
        let names = &["a", "b", "c", "d", "e", "f", "g", "h"][..nodes];
        let homes = if takes_over == "spare" { nodes - 1 } else { nodes };
        let (mut fronts, mut adapters, mut rest, mut to) =
            (String::new(), String::new(), String::new(), Vec::new());
        for node in names {
            let _ = write!(fronts, "{node} = {{ side = \"{node}\" }}, ");
            let host =
                if ways.contains(node) { format!("\"host.adapters.{node}\", ") } else { String::new() };
            if !host.is_empty() {
                let _ = write!(adapters, "{node} = {{}}, ");
            }
            let _ = write!(
                rest,
                "[link-{node}]\nkind = \"arbitrated-loop\"\nspeed = \"4GFC\"\nstations = [{host}\"controller.fronts.{node}\"]\n"
            );
        }
        for volume in 0..homes * volumes {
            let half = names[volume % homes];
            to.push(format!("\"cache-{volume}\""));
            let _ = write!(
                rest,
                r#"
                [cache-{volume}]
                kind = "cache"
                to = ["disks-{volume}"]
                inside = "controller"
                side = "{half}"
                capacity = "128 KiB"
                retry_time = "2 ms"
                write = {{ {write} }}
                [disks-{volume}]
                kind = "drives"
                concurrency = 8
                capacity = "256 KiB"
                access_time = {{ distribution = "uniform", low = "0.1 ms", high = "1 ms" }}
                transfer_rate = "100 MB/s"
                "#
            );
        }
        let shared = if kind == "appliance" {
            format!(
                "[controller.link]\nbandwidth = \"{link}\"\nlatency = \"150 us\"\n[controller.processors]\nevaluated_every = \"300 us\"\n\
                 [controller.stack]\ntarget_emulation = {{ cycles = 5000 }}\ncache = {{ cycles = 2000 }}\nhost_copy = {{ cycles_per_kib = 500 }}\n\
                 fault_tolerance = {{ cycles = 900 }}\nstatus = {{ cycles = 3000 }}\n"
            )
        } else {
            format!(
                "[controller.resources]\nlink = {{ bandwidth = \"{link}\" }}\nlink_latency = \"150 us\"\ncommand = {{ time = \"8 us\" }}\n\
                 memory = {{ bandwidth = \"300 MB/s\" }}\n"
            )
        };
        format!(
            r#"
            [run]
            {run}
            [host]
            kind = "host"
            no_way_time = "unlimited"
            fail_over_time = "700 us"
            fail_back_time = "700 us"
            adapters = {{ {adapters} }}
            [controller]
            kind = "{kind}"
            to = [{}]
            pair = {{ controllers = {nodes}, takes_over = "{takes_over}", change_time = "900 us" }}
            fronts = {{ {fronts} }}
            {shared}
            {rest}
            [load]
            kind = "closed"
            from = "host"
            to = ["controller"]
            {load}
            "#,
            to.join(", ")
        )
    }
}

fn fails(what: &str, at_us: u32) -> String {
    format!("\n[[event]]\nat = \"{at_us} us\"\ndo = \"fail\"\nwhat = \"{what}\"\n")
}

/// The host reaches the first node and the third, and the first fails: volumes whose new owner the host does not reach directly are
/// forwarded.
#[test]
fn volumes_go_to_the_next_node_or_to_the_spare_or_to_the_others_in_turn() {
    for kind in ["appliance", "controller"] {
        // The forwarded volumes are the volumes owned by the second node.
        for (takes_over, volumes, forwarded) in [
            ("next", 1, &[0, 1][..]),
            ("spare", 1, &[1]),
            ("next", 2, &[0, 1, 3, 4]),
            // The first of the two volumes of the first node moves to the second node, and the other to the third, which the
            // host uses.
            ("others", 2, &[0, 1, 4]),
        ] {
            let load = "size = \"4 KiB\"\nqueue_depth = 2\nread_fraction = 1.0";
            let run_keys = "measured_ios = 1000\nwarm_up = 300";
            let cluster =
                Cluster { kind, takes_over, volumes, ways: "ac", load, run: run_keys, ..Cluster::default() };
            let result = run(&(cluster.text() + &fails("controller.a", 100)));
            assert_adds_up(&result);
            assert_eq!(result.summary.failed_ios, 0);
            let ios = |device: &i32| {
                let of = result.summary.devices.value_named(&format!("controller[{device}]"));
                of.expect("a volume").ios as f64
            };
            let expected: f64 = forwarded.iter().map(ios).sum();
            let counted = figure(&result.summary, "controller", "forwarded");
            // The counts exclude I/Os in flight at either end of the interval.
            assert!(
                (counted - expected).abs() < 20.0,
                "{kind}, {takes_over}, {volumes}: {counted}, {expected}"
            );
        }
    }
}

/// A node fails at every `step_us`-th microsecond, and another node when the first has been down for a while: by then a third node has
/// the copies.
fn swept(step_us: usize) {
    for (kind, nodes, takes_over) in [
        ("appliance", 3, "next"),
        ("appliance", 3, "spare"),
        ("appliance", 4, "others"),
        ("controller", 3, "next"),
        ("controller", 4, "spare"),
    ] {
        let text = Cluster { kind, nodes, takes_over, ways: "abcd", volumes: 2, ..Cluster::default() }.text();
        let text = text.as_str();
        for at_us in (200..4_200).step_by(step_us) {
            let at = 1_000 * at_us + 137;
            let one = all_failing(text, &[("controller.a", at, at + 4_000_000)], true);
            let both =
                [("controller.a", at, at + 16_000_000), ("controller.b", at + 8_000_000, at + 20_000_000)];
            let two = all_failing(text, &both, true);
            for said in [one, two] {
                assert_eq!(said.lost_blocks, 0.0, "{kind}, {nodes}, {takes_over}, at {at_us} us");
                assert!(!said.warned);
            }
        }
    }
}

#[test]
fn nothing_is_lost_when_a_node_fails_and_another_one_when_its_copies_are_made_again() {
    swept(997);
}

#[test]
#[ignore = "long"]
fn nothing_is_lost_at_any_moment_when_nodes_fail_one_after_the_other() {
    swept(3);
}

/// Until a new partner has the copy, the cache has none: a node that fails then loses acknowledged writes, and the run reports it. This
/// depends on the speed of the link and not on the cluster; with a pair there would be no third node at all.
#[test]
fn a_second_node_that_fails_before_a_third_one_has_the_copy_loses_what_is_dirty() {
    let text = |link: &'static str| {
        let write = "mirrored = true, flush_on_failure = false, destage = { when = \"watermarks\" }";
        let load = "size = \"4 KiB\"\nqueue_depth = 6\nread_fraction = 0.0\nthink_time = \"100 us\"";
        let run = "measured_ios = 600\nwarm_up = 0";
        Cluster { kind: "controller", link, write, load, run, ..Cluster::default() }.text()
    };
    // The two failures are 3 ms apart: 128 KiB of 1.6 MB take some tenths of a millisecond on the fast link, and a second on
    // the slow link.
    let both = [("controller.b", 6_000_000, 90_000_000), ("controller.a", 9_000_000, 90_000_000)];
    let fast = all_failing(&text("1 GB/s"), &both, false);
    assert_eq!((fast.lost_blocks, fast.warned), (0.0, false));
    let slow = all_failing(&text("1 MB/s"), &both, false);
    assert!(slow.lost_blocks > 0.0 && slow.warned, "{}", slow.lost_blocks);
}

#[test]
fn an_event_names_the_nodes_that_there_are_and_the_link() {
    let text = Cluster::default().text();
    for what in ["controller.a", "controller.c", "controller.link"] {
        scenario(&(text.clone() + &fails(what, 1)));
    }
    let none = text + &fails("controller.d", 1);
    let report = sansim_scenario::Scenario::parse_text(&none, "a test").expect_err("three nodes").to_string();
    assert!(report.contains("controller.d"), "{report}");
}

//! The graph of a scenario: parts and their order, links, devices, routes and paths.

use crate::common::told::{devices, links, parts, places, routes, ways};
use crate::common::{drives, host, load, network, owned, parse, stations};
use sansim_fc::loop_port::FcPort;
use sansim_fc::speed::Speed;
use sansim_scenario::Scenario;

#[test]
fn a_loop_with_a_host_and_drives_is_a_graph() {
    let graph = load("wang-2005-base.toml", &[("drives.count", "2")]).graph;
    let expected = [
        "controller: driver",
        "controller.adapter: initiator",
        "drives[0].adapter: target",
        "drives[0]: drive",
        "drives[1].adapter: target",
        "drives[1]: drive",
        "loop: loop",
        "workload: workload",
    ];
    assert_eq!(parts(&graph), expected);
    let expected = [
        "controller x 1",
        "controller.adapter x 1",
        "drives.adapter x 2",
        "drives x 2",
        "loop x 1",
        "workload x 1",
    ];
    assert_eq!(places(&graph), expected);
    let members: Vec<(usize, u32)> = graph.parts.iter().map(|part| (part.place, part.member)).collect();
    assert_eq!(members, [(0, 0), (1, 0), (2, 0), (3, 0), (2, 1), (3, 1), (4, 0), (5, 0)]);
    let expected = [
        "controller:0 -> controller.adapter:0",
        "drives[0].adapter:0 -> drives[0]:0",
        "drives[1].adapter:0 -> drives[1]:0",
        "workload:0 -> controller:0",
    ];
    assert_eq!(links(&graph), expected);
    assert_eq!(routes(&graph), ["workload by controller: drives[0] drives[1]"]);
    let expected = [
        "controller to drives[0]: 0 by loop from controller to drives[0] 02",
        "controller to drives[1]: 0 by loop from controller to drives[1] 04",
    ];
    assert_eq!(ways(&graph), expected);
    let blocks = (64u64 << 30) / 512;
    assert_eq!(
        devices(&graph),
        [format!("drives[0] 0 of drives[0]: {blocks}"), format!("drives[1] 0 of drives[1]: {blocks}")]
    );
}

#[test]
fn the_order_of_tables_in_a_file_means_nothing_to_the_parts() {
    let text = std::fs::read_to_string(crate::common::file("four-disks.toml")).expect("a file");
    let (head, rest) = text.split_once("\n[").expect("tables");
    let mut tables: Vec<String> = Vec::new();
    for table in rest.split("\n[") {
        // A table within a component belongs to the component before.
        match tables.last_mut() {
            Some(last) if table.split(']').next().is_some_and(|name| name.contains('.')) => {
                last.push_str(&format!("\n[{table}"));
            }
            _ => tables.push(format!("[{table}")),
        }
    }
    let there = parse(&format!("{head}\n{}\n", tables.join("\n")));
    tables.reverse();
    let back = parse(&format!("{head}\n{}\n", tables.join("\n")));
    assert_eq!(parts(&there.graph), parts(&back.graph));
    assert_eq!(ways(&there.graph), ways(&back.graph));
    assert_eq!(links(&there.graph), links(&back.graph));
}

#[test]
fn two_loops_have_addresses_and_words_of_their_own() {
    let scenario = load("two-loops.toml", &[("slow.port_delay", "2 words"), ("fast.port_delay", "2 words")]);
    let graph = &scenario.graph;
    assert_eq!(stations(&scenario, 0)[..2], [("fast-host", 0x01), ("fast-disks[0]", 0x02)]);
    assert_eq!(stations(&scenario, 1)[..2], [("slow-host", 0x01), ("slow-disks[0]", 0x02)]);
    let delay = |number: usize| {
        graph.loops[number].stations[1].port.keys_of_protocol::<FcPort>().expect("a loop's").port.delay.span
    };
    assert_eq!((delay(0), delay(1)), (Speed::G4.word_time() * 2, Speed::G1.word_time() * 2));
    assert_eq!(drives(&scenario, "fast-disks").port.delay.span, delay(0));
    assert_eq!((network(&scenario, "fast").speed, network(&scenario, "slow").speed), (Speed::G4, Speed::G1));
    assert_eq!(host(&scenario, "slow-host").port.delay.span, delay(1));
    let names = parts(graph);
    assert_eq!(
        names[names.len() - 4..],
        ["fast: loop", "slow: loop", "fast-load: workload", "slow-load: workload"]
    );
    assert_eq!(graph.reaches.len(), 4 + 8);
    assert!(graph.reaches.iter().all(|reach| reach.ways.len() == 1));
}

#[test]
fn words_follow_each_loop_even_in_the_resolved_file() {
    let resolved = load("two-loops.toml", &[]).to_toml();
    let set = owned(&[("slow.speed", "2GFC")]);
    let faster =
        Scenario::parse_with(&resolved, "resolved", &set).unwrap_or_else(|report| panic!("{report}"));
    assert_eq!(drives(&faster, "slow-disks").port.delay.span, Speed::G2.word_time() * 6);
    assert_eq!(drives(&faster, "fast-disks").port.delay.span, Speed::G4.word_time() * 6);
}

#[test]
fn a_controller_presents_a_device_for_each_drive_behind_it() {
    let graph = load("controller-two-loops.toml", &[("disks.count", "2"), ("disks.capacity", "1 MiB")]).graph;
    let expected = [
        "host: driver",
        "host.adapter: initiator",
        "bridge.front: target",
        "bridge: controller",
        "bridge.back: initiator",
        "disks[0].adapter: target",
        "disks[0]: drive",
        "disks[1].adapter: target",
        "disks[1]: drive",
        "front: loop",
        "back: loop",
        "workload: workload",
    ];
    assert_eq!(parts(&graph), expected);
    let expected = [
        "host:0 -> host.adapter:0",
        "bridge.front:0 -> bridge:0",
        "bridge:0 -> bridge.back:0",
        "disks[0].adapter:0 -> disks[0]:0",
        "disks[1].adapter:0 -> disks[1]:0",
        "workload:0 -> host:0",
    ];
    assert_eq!(links(&graph), expected);
    let expected = [
        "bridge[0] 0 of bridge: 2048",
        "bridge[1] 1 of bridge: 2048",
        "disks[0] 0 of disks[0]: 2048",
        "disks[1] 0 of disks[1]: 2048",
    ];
    assert_eq!(devices(&graph), expected);
    assert_eq!(routes(&graph), ["workload by host: bridge[0] bridge[1]"]);
    let expected = [
        "host to bridge[0]: 0 by front from host to bridge.front 02",
        "host to bridge[1]: 0 by front from host to bridge.front 02",
        "bridge to disks[0]: 0 by back from bridge.back to disks[0] 02",
        "bridge to disks[1]: 0 by back from bridge.back to disks[1] 04",
    ];
    assert_eq!(ways(&graph), expected);
}

#[test]
fn a_host_asks_a_mirror_and_the_mirror_its_disks_with_nothing_between() {
    let graph = load("mirror.toml", &[]).graph;
    let expected =
        ["host: driver", "mirror[0]: mirror", "disks[0]: drive", "disks[1]: drive", "workload: workload"];
    let mut found = parts(&graph);
    found.sort_by_key(|part| expected.iter().position(|other| other == part));
    assert_eq!(found, expected);
    assert_eq!(places(&graph).len(), 4);
    assert_eq!(routes(&graph), ["workload by host: mirror[0]"]);
    let expected = [
        "host to mirror[0]: 0 straight",
        "mirror[0] to disks[0]: 0 straight",
        "mirror[0] to disks[1]: 1 straight",
    ];
    assert_eq!(ways(&graph), expected);
    assert!(graph.loops.is_empty());
    let [event] = &graph.events[..] else { panic!("one event") };
    let names: Vec<&str> = event.parts.iter().map(|&part| graph.parts[part].name.as_str()).collect();
    assert_eq!((event.at, names), (sansim_kernel::Span::from_ms(5_000), vec!["disks[1]"]));
}

/// A redundant scenario: a host with two adapters, two loops, disks with two ports, and one disk that is also attached directly.
const TWO_WAYS: &str = r#"
[left]
kind = "arbitrated-loop"
speed = "1GFC"
stations = ["host.adapters.a", "disks.adapters.a"]

[right]
kind = "arbitrated-loop"
speed = "4GFC"
stations = ["disks.adapters.b", "host.adapters.b", "host.adapters.c"]

[host]
kind = "host"
path = "round-robin"
attached = "near"
[host.adapters.a]
command_time = "1 us"
[host.adapters.b]
command_time = "2 us"
[host.adapters.b.port]
delay = "3 words"
al_pa = "10"
[host.adapters.c]

[disks]
kind = "drives"
count = 2
access_time = "2 ms"
transfer_rate = "50 MiB/s"
[disks.adapters.a]
[disks.adapters.b.port]
delay = "3 words"

[near]
kind = "drives"
model = "ram"
transfer_rate = "50 MiB/s"

[workload]
kind = "closed"
from = "host"
to = ["disks", "near"]
size = "64 KiB"
"#;

#[test]
fn all_ways_between_a_host_and_a_device_are_found() {
    let scenario = parse(TWO_WAYS);
    let graph = &scenario.graph;
    let of_first: Vec<String> =
        ways(graph).into_iter().filter(|line| line.starts_with("host to disks[0]")).collect();
    let expected = "host to disks[0]: 0 by left from host.adapters.a to disks[0].adapters.a 02 \
                    1 by right from host.adapters.b to disks[0].adapters.b 02 \
                    2 by right from host.adapters.c to disks[0].adapters.b 02";
    assert_eq!(of_first, [expected]);
    let near: Vec<String> = ways(graph).into_iter().filter(|line| line.contains("near")).collect();
    assert_eq!(near, ["host to near[0]: 3 straight"]);
    assert_eq!(
        stations(&scenario, 1),
        [
            ("disks[0].adapters.b", 0x02),
            ("disks[1].adapters.b", 0x04),
            ("host.adapters.b", 0x10),
            ("host.adapters.c", 0x01)
        ]
    );
    let names = parts(graph);
    assert_eq!(
        names[..4],
        ["host: driver", "host.adapters.a: initiator", "disks[0].adapters.a: target", "disks[0]: drive"]
    );
    assert!(!names.iter().any(|name| name.contains(".adapter:")), "{names:?}");
    let drive = links(graph).into_iter().filter(|link| link.ends_with("disks[0]:1")).count();
    assert_eq!(drive, 1, "the second adapter of a drive asks it by its second port");
}

#[test]
fn the_words_of_a_port_are_those_of_the_loop_that_it_stands_on() {
    let scenario = parse(TWO_WAYS);
    let ports = &host(&scenario, "host").adapters;
    assert_eq!(ports[0].port.delay.span, Speed::G1.word_time() * 6);
    assert_eq!(ports[1].port.delay.span, Speed::G4.word_time() * 3);
    let resolved = scenario.to_toml();
    assert!(
        resolved.contains("[host.adapters.b.port]\nal_pa = \"10\"")
            && resolved.contains("delay = \"3 words\"")
    );
    assert!(!resolved.contains("[host.port]") && !resolved.contains("[near.adapter]"), "{resolved}");
    assert_eq!(
        Scenario::parse_text(&resolved, "resolved").map(|again| again.to_toml()),
        Ok(resolved.clone())
    );
}

#[test]
fn groups_are_joined_one_to_one_and_one_alone_to_all() {
    let drives = |name: &str, count: u32| {
        format!(
            "[{name}]\nkind = \"drives\"\ncount = {count}\nmodel = \"ram\"\ntransfer_rate = \"50 MiB/s\"\n"
        )
    };
    let text = format!(
        "[host]\nkind = \"host\"\nattached = \"pairs\"\n[pairs]\nkind = \"mirror\"\ncount = 2\nto = [\"a\", \"b\"]\n{}{}\
         [load]\nkind = \"closed\"\nfrom = \"host\"\nto = \"pairs\"\nsize = \"4 KiB\"\n",
        drives("a", 2),
        drives("b", 2)
    );
    let expected = [
        "host to pairs[0]: 0 straight",
        "host to pairs[1]: 1 straight",
        "pairs[0] to a[0]: 0 straight",
        "pairs[0] to b[0]: 1 straight",
        "pairs[1] to a[1]: 0 straight",
        "pairs[1] to b[1]: 1 straight",
    ];
    let mut found = ways(&parse(&text).graph);
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn sixteen_loops_of_two_thousand_ports_are_described() {
    let mut text = String::new();
    for number in 0..16 {
        text += &format!(
            "[l{number}]\nkind = \"arbitrated-loop\"\nspeed = \"2GFC\"\nstations = [\"h{number}\", \"d{number}\"]\n\
             [h{number}]\nkind = \"host\"\n[d{number}]\nkind = \"drives\"\ncount = 125\nmodel = \"ram\"\ntransfer_rate = \"50 MB/s\"\n\
             [w{number}]\nkind = \"closed\"\nfrom = \"h{number}\"\nto = \"d{number}\"\nsize = \"4 KiB\"\n"
        );
    }
    let graph = parse(&text).graph;
    assert_eq!(graph.loops.iter().map(|on_loop| on_loop.stations.len()).sum::<usize>(), 2_016);
    assert_eq!((graph.devices.len(), graph.reaches.len()), (2_000, 2_000));
}

#[test]
fn the_view_has_components_ports_and_links() {
    let view = load("controller-two-loops.toml", &[]).graph_for_display();
    let text = view.to_string();
    assert_eq!(view["components"].as_array().map(Vec::len), Some(6));
    assert!(text.contains(r#""name":"bridge","kind":"controller","members":1"#), "{text}");
    assert!(
        text.contains(r#"{"name":"bridge.front","flows":"frames","side":"target","on":"front"}"#),
        "{text}"
    );
    assert!(text.contains(r#"{"from":"bridge.back","to":"back","flows":"frames"}"#), "{text}");
    assert!(text.contains(r#"{"from":"workload","to":"host","flows":"requests"}"#), "{text}");
    let direct = load("mirror.toml", &[]).graph_for_display().to_string();
    assert!(direct.contains(r#"{"from":"mirror","to":"disks","flows":"requests"}"#), "{direct}");
}

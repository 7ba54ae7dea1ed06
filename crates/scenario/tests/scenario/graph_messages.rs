//! Tests of the messages about a graph whose components do not fit together, about events and about templates, compared with the files in
//! `tests/messages` as in `messages.rs`.

use crate::common::expect;
use sansim_scenario::Scenario;

/// A correct scenario: a host and a controller on one loop, the controller and its disks on another, a mirror behind the host.
const GOOD: &str = r#"[front]
kind = "arbitrated-loop"
speed = "2GFC"
stations = ["host", "bridge.front"]

[back]
kind = "arbitrated-loop"
speed = "1GFC"
stations = ["bridge.back", "disks"]

[host]
kind = "host"
attached = ["pair"]

[bridge]
kind = "controller"
to = ["disks"]

[disks]
kind = "drives"
count = 8
access_time = "2 ms"
transfer_rate = "50 MiB/s"

[pair]
kind = "mirror"
to = ["copies"]

[copies]
kind = "drives"
count = 2
model = "ram"
transfer_rate = "50 MiB/s"

[workload]
kind = "closed"
from = "host"
to = ["bridge", "pair"]
size = "64 KiB"
"#;

/// A client of a metadata controller, which grants it leases for disks.
const LEAVE: &str = r#"[san]
kind = "fabric"
speed = "1GFC"
topology = "single-switch"
stations = ["volumes.back", "metadata.front", "disks"]

[host]
kind = "host"
attached = ["volumes"]

[volumes]
kind = "metadata-client"
to = "metadata"
speed_mhz = 550
mapping_cycles = 1650
answer_time = "2 s"

[metadata]
kind = "metadata-controller"
to = ["disks"]
speed_mhz = 550
set_up_cycles = 275_000
renewal_cycles = 27_500
lock_cycles = 27_500
map_cycles = 27_500
lease_time = "30 s"

[metadata.volumes.all]
lock_range = "1 MiB"

[disks]
kind = "drives"
count = 2
capacity = "64 MiB"
access_time = "2 ms"
transfer_rate = "50 MiB/s"

[workload]
kind = "closed"
from = "host"
to = ["volumes"]
size = "64 KiB"
"#;

/// A scenario of two equal shelves.
const SHELVES: &str = r#"[templates.shelf.parameters]
disks = 15
speed = "2GFC"

[templates.shelf.loop]
kind = "arbitrated-loop"
speed = "$speed"
stations = ["host", "disks"]

[templates.shelf.host]
kind = "host"

[templates.shelf.disks]
kind = "drives"
count = "$disks"
access_time = "2 ms"
transfer_rate = "50 MiB/s"

[left]
kind = "shelf"

[right]
kind = "shelf"
disks = 30

[workload]
kind = "closed"
from = "left-host"
to = ["left-disks"]
size = "64 KiB"
"#;

/// A text with some of its texts replaced.
fn broken(good: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(good.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "the good scenario has no {from:?}");
        text.replacen(from, to, 1)
    })
}

/// Checks a case that is a change of the first scenario.
fn case(name: &str, changes: &[(&str, &str)]) {
    expect(name, Scenario::parse_text(&broken(GOOD, changes), "case.toml"));
}

/// Checks a case that is a change of the scenario with shelves.
fn shelf_case(name: &str, changes: &[(&str, &str)]) {
    expect(name, Scenario::parse_text(&broken(SHELVES, changes), "case.toml"));
}

/// The text before the first table.
fn with(text: &str) -> String {
    format!("{text}\n[front]")
}

#[test]
fn a_stripe_unit_that_is_larger_than_a_device_is_told_of() {
    let text = r#"
[host]
kind = "host"
attached = ["disks"]
[disks]
kind = "drives"
count = 2
capacity = "1 GB"
access_time = "2 ms"
transfer_rate = "50 MB/s"
[load]
kind = "synthetic"
from = "host"
to = ["disks"]
[load.streams.one]
spread = "concatenated"
stripe_unit = "2 GiB"
[load.streams.two]
spread = "concatenated"
stripe_unit = "64 KiB"
"#;
    expect("stripe_larger_than_a_device", Scenario::parse_text(text, "case.toml"));
}

#[test]
fn the_good_scenarios_are_good() {
    for text in [GOOD, SHELVES] {
        if let Err(report) = Scenario::parse_text(text, "good.toml") {
            panic!("{report}");
        }
    }
}

#[test]
fn ports_and_loops() {
    case("graph_port_twice", &[("\"bridge.front\"]", "\"bridge.front\", \"disks\"]")]);
    case("graph_named_port_twice", &[("\"bridge.front\"]", "\"bridge.front\", \"bridge.back\"]")]);
    case("graph_station_without_port", &[("\"bridge.front\"]", "\"bridge\"]")]);
    case("graph_station_with_wrong_port", &[("\"bridge.front\"]", "\"bridge.frnt\"]")]);
    case("graph_station_of_no_ports", &[("\"bridge.front\"]", "\"bridge.front\", \"pair\"]")]);
    case("graph_on_no_loop", &[("\"disks\"]\n\n[host]", "\"host\"]\n\n[host]"), ("\"host\", ", "")]);
    case(
        "graph_no_loop_at_all",
        &[
            (
                "[front]\nkind = \"arbitrated-loop\"\nspeed = \"2GFC\"\nstations = [\"host\", \"bridge.front\"]\n",
                "",
            ),
            (
                "[back]\nkind = \"arbitrated-loop\"\nspeed = \"1GFC\"\nstations = [\"bridge.back\", \"disks\"]\n",
                "",
            ),
        ],
    );
    case("graph_port_of_attached", &[("model = \"ram\"", "model = \"ram\"\nport.cable = \"1 m\"")]);
    case(
        "graph_adapter_beside_named",
        &[
            ("\"host\", \"bridge", "\"host.adapters.a\", \"bridge"),
            (
                "attached = [\"pair\"]",
                "attached = [\"pair\"]\nport.cable = \"1 m\"\nadapters.a.command_time = \"1 us\"",
            ),
        ],
    );
    case(
        "graph_named_adapter_on_no_loop",
        &[
            ("\"host\", \"bridge", "\"host.adapters.a\", \"bridge"),
            (
                "attached = [\"pair\"]",
                "attached = [\"pair\"]\nadapters.a.command_time = \"1 us\"\nadapters.b.command_time = \"1 us\"",
            ),
        ],
    );
    case(
        "graph_within_sequence_of_named",
        &[("[disks]", "[bridge.back.port]\nwithin_sequence = 20\n\n[disks]")],
    );
    case(
        "graph_al_pa_of_named",
        &[(
            "[disks]",
            "[bridge.back.port]\nal_pa = \"10\"\n\n[disks]\nport.al_pa = [\"01\", \"02\", \"04\", \"08\", \"0F\", \"10\", \"17\", \"18\"]",
        )],
    );
}

#[test]
fn keys_of_ports_of_fibre_channel_on_networks_without_them() {
    case(
        "graph_port_on_tcp",
        &[
            ("kind = \"arbitrated-loop\"\nspeed = \"2GFC\"", "kind = \"tcp\"\nrate = \"125 MB/s\""),
            ("kind = \"host\"", "kind = \"host\"\nport.incoming_buffers = 8\nport.cable = \"10 m\""),
        ],
    );
    case(
        "graph_port_on_scsi_bus",
        &[
            ("kind = \"arbitrated-loop\"\nspeed = \"1GFC\"", "kind = \"scsi-bus\"\nspeed = \"ultra160\""),
            ("[disks]", "[bridge.back.port]\nlogin_credit = 2\nal_pa = \"10\"\n\n[disks]"),
        ],
    );
}

#[test]
fn software_of_tcp_that_does_not_go_together_with_the_processors_of_its_node() {
    let lan = "kind = \"tcp\"\nrate = \"125 MB/s\"";
    let stacks = "\n\n[front.stacks.all]\nmembers = [\"host\"]\nspeed_mhz = 1000\ninterrupt_cycles = 3000\n";
    let on_tcp = [
        ("kind = \"arbitrated-loop\"\nspeed = \"2GFC\"", lan),
        ("\"bridge.front\"]", &format!("\"bridge.front\"]{stacks}")),
    ];
    let polls = ("[bridge]", "[host.processors]\nmodel = \"polling\"\npoll_time = \"2 us\"\n\n[bridge]");
    case("graph_tcp_interrupts_who_polls", &[on_tcp[0], on_tcp[1], polls]);
    let of_bridge = stacks.replace("\"host\"", "\"bridge.front\"");
    let speeds = format!("\"bridge.front\"]{of_bridge}");
    case(
        "graph_tcp_at_another_speed",
        &[
            on_tcp[0],
            ("\"bridge.front\"]", &speeds),
            (
                "kind = \"controller\"",
                "kind = \"appliance\"\nprocessors = { model = \"interrupts\", speed_mhz = 550 }",
            ),
        ],
    );
}

#[test]
fn who_asks_whom() {
    case("graph_no_way", &[("to = [\"bridge\", \"pair\"]", "to = [\"disks\", \"pair\"]")]);
    case("graph_no_way_behind", &[("\"bridge.back\", ", "")]);
    case("graph_attached_port", &[("attached = [\"pair\"]", "attached = [\"bridge.front\"]")]);
    case("graph_attached_loop", &[("attached = [\"pair\"]", "attached = [\"front\"]")]);
    case("graph_workload_to_host", &[("to = [\"bridge\", \"pair\"]", "to = [\"host\"]")]);
    case("graph_unequal_counts", &[("to = [\"copies\"]", "to = [\"copies\"]\ncount = 3")]);
    case("graph_two_owners", &[("to = [\"disks\"]", "to = [\"disks\", \"copies\"]")]);
    case(
        "graph_attached_on_a_loop",
        &[
            ("attached = [\"pair\"]", "attached = [\"pair\", \"disks\"]"),
            ("to = [\"disks\"]", "to = [\"copies\"]"),
            ("to = [\"copies\"]\n\n[copies]", "to = [\"disks\"]\n\n[copies]"),
        ],
    );
    case(
        "graph_mirror_of_drives_on_a_loop",
        &[
            ("to = [\"disks\"]", "to = [\"pair\"]"),
            ("attached = [\"pair\"]", ""),
            ("to = [\"copies\"]", "to = [\"disks\"]"),
            ("\"pair\"]\nsize", "\"bridge\"]\nsize"),
            ("to = [\"bridge\", ", "to = ["),
        ],
    );
    case(
        "graph_ring",
        &[
            ("to = [\"disks\"]", "to = [\"pair\"]"),
            ("to = [\"copies\"]", "to = [\"copies\", \"bridge\"]"),
            ("attached = [\"pair\"]\n", ""),
        ],
    );
    case(
        "graph_mirror_of_itself",
        &[("to = [\"copies\"]", "to = [\"pair\"]"), ("attached = [\"pair\"]\n", "")],
    );
    case("graph_mirror_of_one", &[("count = 2", "count = 1")]);
    case("graph_no_drives_behind", &[("count = 8", "count = 0"), ("\"bridge\", \"pair\"", "\"bridge\"")]);
    case("graph_too_many_members", &[("count = 2", "count = 1000000")]);
    case("graph_size_beyond_capacity_behind", &[("count = 8", "count = 8\ncapacity = \"32 KiB\"")]);
}

#[test]
fn events() {
    let event = |text: &str| with(&format!("[[event]]\nat = \"1 s\"\n{text}\n"));
    let event_case = |name: &str, text: &str| case(name, &[("[front]", &event(text))]);
    event_case("event_unknown_component", "do = \"fail\"\nwhat = \"disk\"");
    event_case("event_unknown_member", "do = \"fail\"\nwhat = \"disks[8]\"");
    event_case("event_member_of_one", "do = \"fail\"\nwhat = \"host[0]\"");
    event_case("event_not_possible", "do = \"unreadable\"\nwhat = \"bridge\"");
    event_case("event_not_built", "do = \"melt\"\nwhat = \"disks[0]\"");
    event_case("event_removes_what_is_on_no_network", "do = \"remove\"\nwhat = \"pair\"");
    event_case("event_initialises_a_group_of_drives", "do = \"initialise\"\nwhat = \"disks\"");
    let switched = with("[[event]]\nat = \"1 s\"\ndo = \"add\"\nwhat = \"bridge.front\"\n");
    case(
        "event_adds_to_a_switch",
        &[
            ("[front]\nkind = \"arbitrated-loop\"", "[front]\nkind = \"loop-switch\""),
            ("[back]", &switched.replace("[front]", "[back]")),
        ],
    );
    event_case("event_to_a_host", "do = \"fail\"\nwhat = \"host\"");
    event_case("event_unknown_adapter", "do = \"fail\"\nwhat = \"disks[2].adapters.b\"");
    event_case("event_to_an_adapter", "do = \"unreadable\"\nwhat = \"bridge.front\"");
    case(
        "path_checker_intervals",
        &[(
            "[back]",
            "[host.driver.path_checker]\ninterval = \"5 s\"\nlongest_interval = \"1 s\"\nfailed_interval = \"0 s\"\n[back]",
        )],
    );
    event_case("event_silence_of_drives", "do = \"silence\"\nwhat = \"disks[0]\"");
    event_case("event_delay_of_a_drive", "do = \"slow\"\nwhat = \"disks[0]\"\ndelay = \"1 ms\"");
    event_case("event_adapter_of_none", "do = \"fail\"\nwhat = \"pair.adapter\"");
    event_case("event_too_fast", "do = \"slow\"\nwhat = \"disks[0]\"\nfactor = 0.5");
    event_case(
        "event_behind_the_end",
        "do = \"unreadable\"\nwhat = \"disks[0]\"\nfirst_byte = \"1 TiB\"\nbytes = \"4 KiB\"",
    );
    event_case("event_unknown_action", "do = \"explode\"\nwhat = \"disks\"");
    event_case(
        "event_missing_keys",
        "do = \"fail\"\nwhat = \"disks\"\n[[event]]\nwhat = \"disks\"\nwhen = \"now\"",
    );
    case("event_as_a_table", &[("[front]", &with("[event]\nat = \"1 s\"\n"))]);
    case("event_without_unit", &[("[front]", &with("[[event]]\nat = 1\ndo = \"fail\"\nwhat = \"disks\"\n"))]);
}

#[test]
fn modules_of_controllers() {
    let mirror = "kind = \"mirror\"\nto = [\"copies\"]";
    let inside =
        |whom: &str| format!("kind = \"cache\"\ncapacity = \"1 GiB\"\nto = [\"copies\"]\ninside = {whom}");
    case("inside_without_resources", &[(mirror, &inside("\"bridge\""))]);
    case("inside_drives", &[(mirror, &inside("\"disks\""))]);
    case("inside_a_host", &[(mirror, &inside("\"host\""))]);
    let resources = "to = [\"disks\"]\nresources.command.time = \"1 us\"";
    case("inside_two", &[(mirror, &inside("[\"bridge\", \"pair\"]")), ("to = [\"disks\"]", resources)]);
    case("inside_with_resources", &[("to = [\"disks\"]", &format!("inside = \"bridge\"\n{resources}"))]);
}

#[test]
fn who_asks_by_leave() {
    let case = |name: &str, changes: &[(&str, &str)]| {
        expect(name, Scenario::parse_text(&broken(LEAVE, changes), "case.toml"));
    };
    assert!(Scenario::parse_text(LEAVE, "case.toml").is_ok());
    case("leave_of_disks", &[("to = \"metadata\"", "to = \"disks\"")]);
    case("leave_of_nobody", &[("to = \"metadata\"", "to = \"metdata\"")]);
    case("data_of_a_metadata_controller", &[("to = [\"volumes\"]", "to = [\"metadata\"]")]);
    case("leave_without_a_way", &[(", \"disks\"]\n\n[host]", "]\n\n[host]")]);
    case("no_room_for_a_volume", &[("lock_range = \"1 MiB\"", "size = \"129 MiB\"")]);
    case("no_device_for_a_volume", &[("lock_range = \"1 MiB\"", "on = 2")]);
    case("nowhere_to_move_a_volume", &[("lock_range = \"1 MiB\"", "on = 0\nmoves_to = 0")]);
    case(
        "too_many_locked_ranges",
        &[
            ("lock_range = \"1 MiB\"", "lock_range = \"512 B\""),
            ("capacity = \"64 MiB\"", "capacity = \"1 GiB\""),
        ],
    );
    let event = |what: &str| format!("[[event]]\nat = \"1 s\"\ndo = \"fail\"\nwhat = \"{what}\"\n\n[san]");
    case("no_place_to_fail", &[("[san]", &event("metadata.place[0]"))]);
}

#[test]
fn templates() {
    shelf_case(
        "template_in_itself",
        &[("[templates.shelf.host]\nkind = \"host\"", "[templates.shelf.host]\nkind = \"shelf\"")],
    );
    shelf_case(
        "template_in_another",
        &[(
            "[left]",
            "[templates.rack.top]\nkind = \"shelf\"\n\n[templates.shelf.more]\nkind = \"rack\"\n\n[left]",
        )],
    );
    shelf_case("template_unknown_parameter", &[("disks = 30", "disk = 30")]);
    shelf_case("template_parameter_not_declared", &[("\"$disks\"", "\"$disk\"")]);
    shelf_case("template_named_as_a_kind", &[("[left]", "[templates.host.a]\nkind = \"host\"\n\n[left]")]);
    shelf_case("template_with_a_value", &[("[left]", "[templates.rack]\ndisks = 3\n\n[left]")]);
    shelf_case("template_name_twice", &[("[workload]", "[left-host]\nkind = \"host\"\n\n[workload]")]);
    shelf_case("template_value_out_of_range", &[("disks = 30", "disks = 300")]);
    shelf_case("template_unknown_key_within", &[("access_time = \"2 ms\"", "acess_time = \"2 ms\"")]);
    shelf_case("template_misspelt", &[("kind = \"shelf\"\ndisks", "kind = \"shelve\"\ndisks")]);
    shelf_case("template_named_from_outside", &[("from = \"left-host\"", "from = \"left\"")]);
    expect(
        "template_as_a_value",
        Scenario::parse_text("templates = 3\n[host]\nkind = \"host\"\n", "case.toml"),
    );
}

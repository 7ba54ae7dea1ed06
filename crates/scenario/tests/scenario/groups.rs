//! Groups of hosts, controllers and workloads, chosen members, and templates that are used several times.

use crate::common::{owned, parse, told};
use sansim_scenario::Scenario;

/// This many hosts on a loop with eight drives, and a workload.
fn hosts(count: &str, workload: &str) -> String {
    format!(
        "[loop]\nkind = \"arbitrated-loop\"\nspeed = \"2GFC\"\nstations = [\"hosts\", \"drives\"]\n\
         [hosts]\nkind = \"host\"\n{count}\n\
         [drives]\nkind = \"drives\"\ncount = 8\naccess_time = \"2 ms\"\ntransfer_rate = \"50 MiB/s\"\n\
         [load]\nkind = \"closed\"\nfrom = \"hosts\"\nsize = \"64 KiB\"\n{workload}\n"
    )
}

fn routes(text: &str) -> Vec<String> {
    told::routes(&parse(text).graph)
}

fn refused(text: &str) -> String {
    Scenario::parse_text(text, "groups").expect_err("not possible").to_string()
}

#[test]
fn one_host_has_no_number_and_a_group_of_one_has() {
    assert_eq!(routes(&hosts("", "to = \"drives[0]\"")), ["load by hosts: drives[0]"]);
    assert_eq!(routes(&hosts("count = \"one\"", "to = \"drives[0]\"")), ["load by hosts: drives[0]"]);
    assert_eq!(routes(&hosts("count = 1", "to = \"drives[0]\"")), ["load[0] by hosts[0]: drives[0]"]);
}

#[test]
fn a_workload_from_a_group_of_hosts_goes_through_each_of_them() {
    let scenario = parse(&hosts("count = 2", "to = \"drives[6..]\""));
    assert_eq!(
        told::routes(&scenario.graph),
        ["load[0] by hosts[0]: drives[6] drives[7]", "load[1] by hosts[1]: drives[6] drives[7]"]
    );
    let names: Vec<&str> =
        scenario.graph.loops[0].stations.iter().map(|station| station.name.as_str()).collect();
    assert_eq!(names[..3], ["hosts[0]", "hosts[1]", "drives[0]"]);
    // The expanded text is the same scenario.
    assert_eq!(Scenario::parse_text(&scenario.to_toml(), "resolved"), Ok(scenario));
}

#[test]
fn each_host_has_as_many_workloads_as_their_count_says() {
    let found = routes(&hosts("count = 2", "to = \"drives\"\ncount = 2\ndevices_each = \"shares\""));
    assert_eq!(
        found,
        [
            "load[0] by hosts[0]: drives[0] drives[1]",
            "load[1] by hosts[0]: drives[2] drives[3]",
            "load[2] by hosts[1]: drives[4] drives[5]",
            "load[3] by hosts[1]: drives[6] drives[7]",
        ]
    );
    let found = routes(&hosts("", "to = \"drives\"\ncount = 2\ndevices_each = \"turns\""));
    assert_eq!(
        found,
        [
            "load[0] by hosts: drives[0] drives[2] drives[4] drives[6]",
            "load[1] by hosts: drives[1] drives[3] drives[5] drives[7]",
        ]
    );
    let found = routes(&hosts("count = 3", "to = [\"drives[0..2]\", \"drives[7]\"]\ndevices_each = \"one\""));
    assert_eq!(
        found,
        [
            "load[0] by hosts[0]: drives[0]",
            "load[1] by hosts[1]: drives[1]",
            "load[2] by hosts[2]: drives[7]",
        ]
    );
}

#[test]
fn members_that_there_are_not_and_those_named_twice_are_refused() {
    let text = refused(&hosts("", "to = \"drives[4..9]\""));
    assert!(text.contains("there is no member `drives[4..9]`"), "{text}");
    assert!(text.contains("the members of `drives` are drives[0] to drives[7]"), "{text}");
    let text = refused(&hosts("", "to = \"drives[4..4]\""));
    assert!(text.contains("the end is not among them"), "{text}");
    let text = refused(&hosts("", "to = [\"drives[0..4]\", \"drives[3..5]\"]"));
    assert!(text.contains("some members of `drives` are named twice"), "{text}");
    let text = refused(&hosts("", "to = [\"drives\", \"drives[3]\"]"));
    assert!(text.contains("some members of `drives` are named twice"), "{text}");
    let text = refused(&hosts("", "to = \"hosts[0]\""));
    assert!(text.contains("`hosts` is a host"), "{text}");
    let text = refused(&hosts("count = 0", "to = \"drives\""));
    assert!(text.contains("count"), "{text}");
    let text = refused(&hosts("count = 100", "to = \"drives\"\ncount = 1000"));
    assert!(text.contains("100000 workloads, but 10000 are the most"), "{text}");
}

#[test]
fn attached_devices_and_modules_are_shared_out_among_the_members() {
    let text = "[hosts]\nkind = \"host\"\ncount = 2\nattached = [\"controllers\"]\n\
         [controllers]\nkind = \"controller\"\ncount = 2\nto = [\"caches\"]\nresources.memory.bandwidth = \"1 GB/s\"\n\
         [caches]\nkind = \"cache\"\ncount = 4\ncapacity = \"1 MiB\"\nto = [\"drives\"]\ninside = [\"controllers\"]\n\
         [drives]\nkind = \"drives\"\ncount = 8\naccess_time = \"2 ms\"\ntransfer_rate = \"50 MiB/s\"\n\
         [load]\nkind = \"closed\"\nfrom = \"hosts\"\nto = \"controllers\"\nsize = \"64 KiB\"\n";
    // Each host has a controller of its own, so it cannot reach the other.
    let text_of_one = text.replace("size = ", "devices_each = \"shares\"\nsize = ");
    let graph = parse(&text_of_one).graph;
    assert_eq!(
        told::routes(&graph),
        [
            "load[0] by hosts[0]: controllers[0][0] controllers[0][1] controllers[0][2] controllers[0][3]",
            "load[1] by hosts[1]: controllers[1][0] controllers[1][1] controllers[1][2] controllers[1][3]",
        ]
    );
    let resources = |cache: &str| {
        let part = graph.parts.iter().position(|part| part.name == cache).expect("it is there");
        let links = graph.shared.iter().filter(|link| link.asker.part == part);
        links.map(|link| graph.parts[link.server.part].name.clone()).collect::<Vec<String>>()
    };
    assert_eq!(resources("caches[1]"), ["controllers[0].resources"]);
    assert_eq!(resources("caches[2]"), ["controllers[1].resources"]);
    let report = refused(text);
    assert!(report.contains("no path leads from `hosts[0]`"), "{report}");
    let report = refused(&text_of_one.replace("count = 4", "count = 3"));
    assert!(report.contains("not as many for each"), "{report}");
}

/// A rack of a host, its drives, and their load, used this many times.
fn racks(count: u32) -> String {
    format!(
        "[templates.rack.disks]\nkind = \"drives\"\ncount = 2\naccess_time = \"2 ms\"\ntransfer_rate = \"50 MiB/s\"\n\
         [templates.rack.host]\nkind = \"host\"\n\
         [racks]\nkind = \"rack\"\ncount = {count}\n\
         [loop]\nkind = \"arbitrated-loop\"\nspeed = \"2GFC\"\nstations = [\"racks-host\", \"racks-disks\"]\n\
         [load]\nkind = \"closed\"\nfrom = \"racks-host\"\nto = \"racks-disks[1]\"\nsize = \"64 KiB\"\n"
    )
}

#[test]
fn a_template_used_several_times_is_the_same_as_its_copies() {
    let copies = |name: &str, rest: &str| {
        let all: Vec<String> = (0..3).map(|copy| format!("\"racks-{copy}-{name}{rest}\"")).collect();
        format!("[{}]", all.join(", "))
    };
    let text = racks(3)
        .replace(
            "[racks]\nkind = \"rack\"\ncount = 3\n",
            "[racks-0]\nkind = \"rack\"\n[racks-1]\nkind = \"rack\"\n[racks-2]\nkind = \"rack\"\n",
        )
        .replace(
            "[\"racks-host\", \"racks-disks\"]",
            &format!("{}, {}", copies("host", "").trim_end_matches(']'), &copies("disks", "")[1..]),
        )
        .replace("from = \"racks-host\"", &format!("from = {}", copies("host", "")))
        .replace("to = \"racks-disks[1]\"", &format!("to = {}", copies("disks", "[1]")));
    let scenario = parse(&racks(3));
    assert_eq!(scenario, parse(&text));
    assert_eq!(
        told::routes(&scenario.graph)[2],
        "load[2] by racks-2-host: racks-0-disks[1] racks-1-disks[1] racks-2-disks[1]"
    );
}

#[test]
fn how_often_a_template_is_used_can_be_set_and_has_limits() {
    let set = |value: &str| {
        Scenario::parse_with(&racks(3), "racks", &owned(&[("racks.count", value)]))
            .map(|s| s.graph.routes.len())
    };
    assert_eq!(set("5"), Ok(5));
    let text = set("0").expect_err("not possible").to_string();
    assert!(text.contains("`racks.count` has to be a number from 1 to 10000"), "{text}");
    let one =
        Scenario::parse_with(&racks(3), "racks", &owned(&[("racks-1-disks.count", "7")])).expect("correct");
    assert_eq!(one.graph.devices.len(), 2 + 7 + 2);
}

#[test]
fn copies_within_copies_are_named_one_by_one_or_all_together() {
    let text = "[templates.shelf.disks]\nkind = \"drives\"\naccess_time = \"2 ms\"\ntransfer_rate = \"50 MiB/s\"\n\
         [templates.rack.host]\nkind = \"host\"\nattached = [\"shelves-disks\"]\n\
         [templates.rack.shelves]\nkind = \"shelf\"\ncount = 2\n\
         [racks]\nkind = \"rack\"\ncount = 2\n\
         [one]\nkind = \"closed\"\nfrom = \"racks-0-host\"\nto = \"racks-0-shelves-disks\"\nsize = \"64 KiB\"\n\
         [all]\nkind = \"closed\"\nfrom = \"racks-host\"\nto = \"racks-shelves-disks\"\ndevices_each = \"shares\"\nsize = \"64 KiB\"\n";
    let of = |rack: u32| format!("racks-{rack}-shelves-0-disks[0] racks-{rack}-shelves-1-disks[0]");
    assert_eq!(
        routes(text),
        [
            format!("all[0] by racks-0-host: {}", of(0)),
            format!("all[1] by racks-1-host: {}", of(1)),
            format!("one by racks-0-host: {}", of(0)),
        ]
    );
}

#[test]
fn a_group_that_does_not_divide_what_it_names_is_refused_on_a_network_too() {
    let text = |count: u32| {
        format!(
            "[loop]\nkind = \"arbitrated-loop\"\nspeed = \"2GFC\"\nstations = [\"host\", \"arrays.front\"]\n\
             [behind]\nkind = \"arbitrated-loop\"\nspeed = \"2GFC\"\nstations = [\"arrays.back\", \"drives\"]\n\
             [host]\nkind = \"host\"\n\
             [arrays]\nkind = \"raid\"\nlayout.level = \"0\"\ncount = {count}\nto = [\"drives\"]\n\
             [drives]\nkind = \"drives\"\ncount = 8\naccess_time = \"2 ms\"\ntransfer_rate = \"50 MiB/s\"\n\
             [load]\nkind = \"closed\"\nfrom = \"host\"\nto = \"arrays\"\nsize = \"64 KiB\"\n"
        )
    };
    assert_eq!(routes(&text(2)), ["load by host: arrays[0] arrays[1]"]);
    let report = refused(&text(3));
    assert!(report.contains("`arrays` has 3 members, `drives` 8: not as many for each"), "{report}");
}

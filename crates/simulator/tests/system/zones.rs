//! Zones of fabrics, and devices that are masked from a host: refusals, and their reports.

use crate::common::text::{assert_adds_up, run, scenario};
use sansim_simulator::RunResult;

/// Two hosts with two adapters each and three drives with two ports, over two fabrics; `left` and `first` are keys of one fabric and of one
/// host.
fn system(left: &str, first: &str) -> String {
    let mut text = "[run]\nmeasured_ios = 400\nwarm_up = 0\n".to_owned();
    for (side, keys) in [("left", left), ("right", "")] {
        text += &format!(
            "[{side}]\nkind = \"fabric\"\nspeed = \"8GFC\"\n\
             stations = [\"first.adapters.{side}\", \"second.adapters.{side}\", \"drives.adapters.{side}\"]\n{keys}\n"
        );
    }
    for (host, keys) in [("first", first), ("second", "")] {
        text += &format!(
            "[{host}]\nkind = \"host\"\npath = \"round-robin\"\n{keys}\n[{host}.adapters.left]\n[{host}.adapters.right]\n\
             [load-{host}]\nkind = \"closed\"\nfrom = \"{host}\"\nto = [\"drives\"]\nsize = \"4 KiB\"\nqueue_depth = 2\n"
        );
    }
    text + "[drives]\nkind = \"drives\"\ncount = 3\nmodel = \"ram\"\ntransfer_rate = \"1 GB/s\"\naccess_time = \"10 us\"\n\
            [drives.adapters.left]\n[drives.adapters.right]\n"
}

fn refused(result: &RunResult, host: &str) -> u64 {
    result.summary.errors.hosts.0.iter().find(|(name, _)| name == host).map_or(0, |(_, host)| host.refused)
}

fn told(text: &str) -> String {
    sansim_scenario::Scenario::parse_text(text, "test")
        .err()
        .map(|report| report.to_string())
        .unwrap_or_default()
}

#[test]
fn a_zone_on_one_fabric_takes_ways_and_leaves_those_by_the_other() {
    let zone = "zones.some.members = [\"first.adapters.left\", \"drives[0].adapters.left\"]";
    let graph = scenario(&system(zone, "")).graph;
    let ways: Vec<usize> = graph.reaches.iter().map(|reach| reach.ways.len()).collect();
    assert_eq!(
        ways,
        [2, 1, 1, 1, 1, 1],
        "the first host has two ways to the first drive, all else goes by the right one"
    );
    let result = run(&system(zone, ""));
    assert_adds_up(&result);
    assert_eq!((result.summary.failed_ios, refused(&result, "first")), (0, 0));
}

#[test]
fn what_is_in_no_zone_on_any_fabric_is_refused_and_counted() {
    let zone = "zones.some.members = [\"first.adapters.left\", \"drives[0].adapters.left\"]";
    let text = system(zone, "").replace(
        "\"drives.adapters.right\"]\n",
        "\"drives.adapters.right\"]\nzones.others.members = [\"first.adapters.right\", \"drives.adapters.right\"]\n",
    );
    let result = run(&text);
    assert_adds_up(&result);
    assert_eq!(refused(&result, "first"), 0);
    let all = result.summary.errors.hosts.0.iter().map(|(_, host)| host.refused).sum::<u64>();
    assert!(all > 0 && all == refused(&result, "second"), "the second host is in no zone: {all}");
    assert_eq!(result.ios.rows.iter().filter(|io| io.failed).count() as u64, result.summary.failed_ios);
    assert!(result.summary.failed_ios <= all);
    let retried: u64 = result.summary.errors.hosts.0.iter().map(|(_, host)| host.retries).sum();
    assert_eq!(retried, 0, "what is refused is not tried again");
}

#[test]
fn a_masked_device_is_refused_to_its_host_and_to_no_other() {
    let result = run(&system("", "masked = [\"drives[1]\"]"));
    assert_adds_up(&result);
    assert!(refused(&result, "first") > 0 && refused(&result, "second") == 0);
    assert!(result.ios.rows.iter().all(|io| io.failed == (io.workload == 0 && io.device == 1)));
}

#[test]
fn a_zone_of_everybody_changes_nothing() {
    let all =
        "zones.all.members = [\"first.adapters.left\", \"second.adapters.left\", \"drives.adapters.left\"]";
    let [one, other] = ["", all].map(|zone| run(&system(zone, "")));
    crate::common::text::assert_same(&one, &other);
}

#[test]
fn a_member_that_there_is_not_is_told() {
    let zone = told(&system("zones.some.members = [\"first.adapters.left\", \"drivs.adapters.left\"]", ""));
    assert!(
        zone.contains("there is no port `drivs.adapters.left` here") && zone.contains("did you mean"),
        "{zone}"
    );
    let elsewhere = told(&system("zones.some.members = [\"first.adapters.right\"]", ""));
    assert!(elsewhere.contains("no port `first.adapters.right`"), "a port of the other fabric: {elsewhere}");
    let masked = told(&system("", "masked = [\"drives[3]\"]"));
    assert!(masked.contains("there is no device `drives[3]` here"), "{masked}");
    let attached = "[host]\nkind = \"host\"\nattached = [\"disk\"]\nmasked = [\"disk\"]\n[disk]\nkind = \"drives\"\nmodel = \"ram\"\n\
                    transfer_rate = \"1 GB/s\"\n[load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"disk\"]\nsize = \"4 KiB\"\n";
    assert!(told(attached).contains("`disk` is attached to `host`"), "{}", told(attached));
}

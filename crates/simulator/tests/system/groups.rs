//! Groups of hosts, controllers and workloads behave as their members would if each were described by itself.

use crate::common::text::{assert_adds_up, assert_reference_agrees, run};
use sansim_simulator::RunResult;

/// Three hosts with a load each are on a loop with six drives; `hosts` and `loads` describe them.
fn three_hosts(stations: &str, hosts: &str, loads: &str) -> RunResult {
    let text = format!(
        "[run]\nmeasured_ios = 3000\n\
         [loop]\nkind = \"arbitrated-loop\"\nspeed = \"2GFC\"\nstations = [{stations}, \"drives\"]\n\
         [drives]\nkind = \"drives\"\ncount = 6\naccess_time = \"200 us\"\ntransfer_rate = \"50 MiB/s\"\n{hosts}{loads}"
    );
    assert_reference_agrees(&text);
    run(&text)
}

const LOAD: &str = "kind = \"closed\"\nsize = \"16 KiB\"\npattern = \"sequential\"\nqueue_depth = 2\n";

/// The figures of a run that do not depend on names: number, time and duration of its I/Os.
fn figures(result: &RunResult) -> Vec<(u64, u64)> {
    result.ios.rows.iter().map(|io| (io.io, io.response.ticks())).collect()
}

#[test]
fn a_group_of_hosts_does_what_hosts_of_their_own_do() {
    let group = three_hosts(
        "\"hosts\"",
        "[hosts]\nkind = \"host\"\ncount = 3\n",
        &format!("[load]\n{LOAD}from = \"hosts\"\nto = \"drives\"\ndevices_each = \"shares\"\n"),
    );
    let hosts: String = (0..3).map(|host| format!("[host-{host}]\nkind = \"host\"\n")).collect();
    let loads: String = (0..3)
        .map(|host| {
            let (first, end) = (2 * host, 2 * host + 2);
            format!("[load-{host}]\n{LOAD}from = \"host-{host}\"\nto = \"drives[{first}..{end}]\"\n")
        })
        .collect();
    let apart = three_hosts("\"host-0\", \"host-1\", \"host-2\"", &hosts, &loads);
    assert_eq!(figures(&group), figures(&apart));
    let [one, other] = [&group, &apart].map(|result| {
        let parts = &result.summary;
        let workloads = parts.workloads.0.iter().map(|(_, loaded)| loaded.part.ios);
        let hosts = parts.hosts.0.iter().map(|(_, host)| host.part.ios);
        workloads.chain(hosts).collect::<Vec<u64>>()
    });
    assert_eq!(one, other);
    let names: Vec<&str> = group.summary.hosts.0.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["hosts[0]", "hosts[1]", "hosts[2]"]);
}

#[test]
fn workloads_of_a_group_draw_numbers_of_their_own() {
    let result = run("[run]\nmeasured_ios = 2000\n\
         [host]\nkind = \"host\"\nattached = [\"drives\"]\n\
         [drives]\nkind = \"drives\"\ncount = 4\naccess_time = \"200 us\"\ntransfer_rate = \"50 MiB/s\"\n\
         [load]\nkind = \"synthetic\"\ncount = 2\nfrom = \"host\"\nto = \"drives\"\ndevices_each = \"turns\"\n\
         arrivals = { process = \"poisson\", rate = \"2000/s\" }\nsize = \"4 KiB\"\n");
    assert_adds_up(&result);
    let begins = |workload: u32| {
        let own = result.ios.rows.iter().filter(|io| io.workload == workload);
        own.take(50).map(|io| (io.completed - io.response).0).collect::<Vec<u64>>()
    };
    let shared = begins(0).iter().filter(|at| begins(1).contains(at)).count();
    assert!(shared < 3, "{shared} of 50 requests of both come at the same instant");
}

#[test]
fn the_pairs_of_a_group_of_controllers_fail_at_times_of_their_own() {
    let text = "[run]\nduration = \"2 s\"\nwarm_up = \"100 ms\"\n\
         [front]\nkind = \"fabric\"\nspeed = \"8GFC\"\nstations = [\"hosts\", \"pairs.fronts.a\", \"pairs.fronts.b\"]\n\
         [hosts]\nkind = \"host\"\ncount = 2\npath = \"least-outstanding\"\n\
         [pairs]\nkind = \"controller\"\ncount = 2\nto = [\"disks\"]\n\
         pair = { controllers = 2, fails_every = \"300 ms\", fails_for = \"50 ms\" }\nfronts.a = { side = \"a\" }\nfronts.b = { side = \"b\" }\n\
         [disks]\nkind = \"drives\"\ncount = 4\naccess_time = \"1 ms\"\ntransfer_rate = \"100 MB/s\"\n\
         [load]\nkind = \"closed\"\nfrom = \"hosts\"\nto = \"pairs\"\nsize = \"16 KiB\"\n";
    let result = run(text);
    assert_adds_up(&result);
    let graph = crate::common::text::scenario(text).graph;
    let streams: Vec<&str> = graph.outages.iter().map(|outages| outages.stream.as_str()).collect();
    assert_eq!(
        streams,
        ["pairs[0].a/outages", "pairs[1].a/outages", "pairs[0].b/outages", "pairs[1].b/outages"]
    );
    // Only the parts of the same member of a group fail with a controller.
    for outages in &graph.outages {
        let member = &outages.stream[..outages.stream.find('.').expect("a thing of a member")];
        let parts = outages.fails.iter().flat_map(|event| &event.parts);
        assert!(parts.clone().count() > 0);
        for &part in parts {
            assert!(
                graph.parts[part].name.starts_with(member),
                "{} falls with {member}",
                graph.parts[part].name
            );
        }
    }
}

//! The results of each host, each device and each host at a device: in every mode of measuring they cover the same I/Os, divided
//! differently.

use crate::common::text::{assert_near, ms, run};
use sansim_kernel::Time;
use sansim_simulator::RunResult;
use sansim_simulator::parts::{HostDeviceResult, ResultPart};

/// Three hosts use the same devices: one with two workloads, one that uses a mirror and a controller too, and one with a share
/// of the drives. `measured` are the keys of the run.
fn hosts(measured: &str, events: &str) -> String {
    format!(
        r#"
        [run]
        {measured}
        [loop]
        kind = "arbitrated-loop"
        speed = "2GFC"
        stations = ["one", "two", "three", "drives", "array.front"]
        [one]
        kind = "host"
        driver.merge = "64 KiB"
        [two]
        kind = "host"
        driver.outstanding_limit = 3
        driver.completion_time = "30 us"
        attached = ["mirror"]
        [three]
        kind = "host"
        driver.completion_time = "30 us"
        [drives]
        kind = "drives"
        count = 3
        access_time = {{ distribution = "uniform", low = "100 us", high = "900 us" }}
        transfer_rate = "60 MB/s"
        [array]
        kind = "controller"
        to = ["behind"]
        [behind]
        kind = "drives"
        count = 2
        access_time = "300 us"
        transfer_rate = "60 MB/s"
        [mirror]
        kind = "mirror"
        to = ["copies"]
        [copies]
        kind = "drives"
        count = 2
        access_time = "400 us"
        transfer_rate = "60 MB/s"
        [left]
        kind = "closed"
        from = "one"
        to = ["drives"]
        size = "16 KiB"
        pattern = "sequential"
        queue_depth = 2
        read_fraction = 0.6
        [right]
        kind = "synthetic"
        from = "one"
        to = ["drives", "array"]
        [right.streams.a]
        size = "8 KiB"
        read_fraction = 0.5
        arrivals = {{ process = "poisson", rate = "300/s" }}
        [right.streams.b]
        size = "4 KiB"
        arrivals = {{ process = "poisson", rate = "200/s" }}
        [both]
        kind = "closed"
        from = "two"
        to = ["drives", "mirror"]
        size = "4 KiB"
        queue_depth = 2
        read_fraction = 0.5
        [few]
        kind = "closed"
        from = "three"
        to = ["array"]
        size = "32 KiB"
        queue_depth = 1
        {events}
        "#
    )
}

/// All modes of measuring.
const MODES: [&str; 6] = [
    "measured_ios = 3000",
    "measured_ios = 3000\nwarm_up = 20",
    "measured_ios = 3000\nwarm_up = \"auto\"",
    "measured_ios = 1500\nprecision = \"5 %\"\nmost_ios = 4000",
    "duration = \"1.2 s\"\nwarm_up = \"0.1 s\"",
    "measured_ios = 2000\nwarm_up = \"0.1 s\"",
];

const FAILURES: &str = r#"
        [[event]]
        at = "200 ms"
        do = "fail"
        what = "drives[1]"
        [[event]]
        at = "600 ms"
        do = "repair"
        what = "drives[1]"
"#;

/// The numbers of I/Os, failed I/Os, and I/Os and bytes of either direction.
type Counts = [u64; 6];

fn counts(part: &ResultPart) -> Counts {
    let (reads, writes) = (&part.reads, &part.writes);
    [part.ios, part.failed_ios, reads.ios, reads.bytes, writes.ios, writes.bytes]
}

fn counts_at(part: &HostDeviceResult) -> Counts {
    let (reads, writes) = (&part.reads, &part.writes);
    [part.ios, part.failed_ios, reads.ios, reads.bytes, writes.ios, writes.bytes]
}

fn sum(all: impl Iterator<Item = Counts>) -> Counts {
    all.fold([0; 6], |sum, counts| std::array::from_fn(|place| sum[place] + counts[place]))
}

/// The rates, I/Os in flight and times of one part: each adds up over parts, and times do when they are weighted
/// by I/Os.
fn amounts(ios: u64, iops: f64, bytes: f64, under_way: Option<f64>, mean: Option<f64>) -> [f64; 4] {
    [iops, bytes, under_way.unwrap_or(0.0), mean.unwrap_or(0.0) * ios as f64]
}

fn amounts_of(part: &ResultPart) -> [f64; 4] {
    let mean = part.response_time_ns.as_ref().map(|times| times.mean);
    amounts(part.ios, part.iops, part.bytes_per_second, part.under_way, mean)
}

fn assert_same_amounts(what: &str, parts: impl Iterator<Item = [f64; 4]>, whole: [f64; 4]) {
    let found = parts.fold([0.0; 4], |sum, part| std::array::from_fn(|place| sum[place] + part[place]));
    for (place, name) in ["IOPS", "bytes/s", "under way", "response times"].iter().enumerate() {
        assert_near(&format!("{what}: {name}"), found[place], whole[place], 1e-12);
    }
}

fn check(result: &RunResult) {
    let summary = &result.summary;
    let whole: Counts = [
        summary.ios,
        summary.failed_ios,
        summary.reads.ios,
        summary.reads.bytes,
        summary.writes.ios,
        summary.writes.bytes,
    ];
    let all = amounts(
        summary.ios,
        summary.iops,
        summary.bytes_per_second,
        Some(*summary.under_way),
        Some(summary.response_time_ns.mean),
    );
    assert!(summary.unstable.is_empty(), "{:?}", summary.unstable);
    let (workloads, hosts, devices) = (&summary.workloads.0, &summary.hosts.0, &summary.devices.0);
    assert_eq!(sum(workloads.iter().map(|(_, part)| counts(part))), whole, "workloads");
    assert_eq!(sum(hosts.iter().map(|(_, part)| counts(part))), whole, "hosts");
    assert_eq!(sum(devices.iter().map(|(_, part)| counts(part))), whole, "devices");
    assert_same_amounts("workloads", workloads.iter().map(|(_, part)| amounts_of(part)), all);
    assert_same_amounts("hosts", hosts.iter().map(|(_, part)| amounts_of(part)), all);
    assert_same_amounts("devices", devices.iter().map(|(_, part)| amounts_of(part)), all);
    for (name, host) in hosts {
        let at = &host.devices.0;
        assert_eq!(sum(at.iter().map(|(_, part)| counts_at(part))), counts(host), "{name}");
        let amounts_at = |part: &HostDeviceResult| {
            let mean = part.response_time_ns.map(|times| times.mean);
            amounts(part.ios, part.iops, part.bytes_per_second, part.under_way, mean)
        };
        assert_same_amounts(name, at.iter().map(|(_, part)| amounts_at(part)), amounts_of(host));
        let times = host.response_time_ns.as_ref().expect("a host has I/Os");
        let [least, most] = [
            at.iter().filter_map(|(_, part)| Some(part.response_time_ns?.min)).min(),
            at.iter().filter_map(|(_, part)| Some(part.response_time_ns?.max)).max(),
        ];
        assert_eq!((Some(times.min), Some(times.max)), (least, most), "{name}");
        let of = workloads.iter().filter(|(workload, _)| host_of(workload) == name);
        assert_same_amounts(name, of.clone().map(|(_, part)| amounts_of(part)), amounts_of(host));
        assert_eq!(sum(of.map(|(_, part)| counts(part))), counts(host), "{name}");
    }
    for (name, device) in devices {
        let at = hosts.iter().filter_map(|(_, host)| host.devices.value_named(name));
        assert_eq!(sum(at.map(counts_at)), counts(device), "{name}");
    }
    for (name, group) in &summary.device_groups.0 {
        let members: Vec<&ResultPart> =
            devices.iter().filter(|(member, _)| member.starts_with(name)).map(|(_, part)| part).collect();
        assert_eq!(group.count, members.len() as u64, "{name}");
        assert_eq!(sum(members.iter().map(|part| counts(part))), counts(&group.part), "{name}");
    }
}

fn host_of(workload: &str) -> &'static str {
    match workload {
        "left" | "right" => "one",
        "both" => "two",
        _ => "three",
    }
}

#[test]
fn hosts_workloads_and_devices_add_up_to_the_same_in_every_mode() {
    for mode in MODES {
        let result = run(&hosts(mode, ""));
        check(&result);
        assert_eq!(result.summary.failed_ios, 0, "{mode}");
        let groups: Vec<&str> =
            result.summary.device_groups.0.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(groups, ["drives", "array", "mirror"], "{mode}");
        let asked: Vec<usize> = result.summary.hosts.0.iter().map(|(_, host)| host.devices.0.len()).collect();
        assert_eq!(asked, [5, 4, 2], "{mode}: devices that each host asks");
    }
}

#[test]
fn failed_ios_are_told_of_whoever_asked_and_of_the_device_that_failed() {
    for mode in MODES {
        let result = run(&hosts(mode, FAILURES));
        check(&result);
        let summary = &result.summary;
        assert!(summary.failed_ios > 0, "{mode}");
        assert_eq!(
            summary.devices.value_named("drives[1]").expect("a device").failed_ios,
            summary.failed_ios,
            "{mode}"
        );
        assert_eq!(summary.hosts.value_named("three").expect("a host").failed_ios, 0, "{mode}");
    }
}

#[test]
fn of_one_host_at_several_devices_nothing_is_told_twice() {
    let text = hosts("measured_ios = 500", "");
    let only = text.replace("from = \"two\"", "from = \"one\"").replace("from = \"three\"", "from = \"one\"");
    let only = only.replace("attached = [\"mirror\"]", "").replace("\"drives\", \"mirror\"", "\"drives\"");
    let cut = |text: &str, from: &str, to: &str| {
        let (begin, end) = (text.find(from).expect("there"), text.find(to).expect("there"));
        format!("{}{}", &text[..begin], &text[end..])
    };
    let only = cut(&only, "[mirror]", "[left]");
    let only = cut(&only, "[two]", "[drives]").replace("\"two\", \"three\", ", "");
    let result = run(&only);
    let host = &result.summary.hosts.0[0].1;
    assert!(host.devices.is_empty());
    let times = |part: &ResultPart| part.response_time_ns.as_ref().map(|times| (times.mean, times.ci95));
    let all = &result.summary.response_time_ns;
    assert_eq!(times(host).expect("times").1, all.ci95, "its I/Os are all there are");
}

#[test]
fn the_intervals_of_hosts_are_as_wide_as_those_of_runs_of_their_own() {
    // The two hosts share nothing, so each gives the figures that it gives alone.
    let host = |name: &str, gap: &str| {
        format!(
            r#"
            [{name}]
            kind = "host"
            attached = ["{name}-disk"]
            [{name}-disk]
            kind = "drives"
            count = 1
            access_time = "1 ms"
            transfer_rate = "60 MB/s"
            [{name}-load]
            kind = "synthetic"
            from = "{name}"
            to = ["{name}-disk"]
            size = "512 B"
            arrivals = {{ process = "poisson", rate = "{gap}" }}
            "#
        )
    };
    let both = "[run]\nduration = \"20 s\"\nwarm_up = \"1 s\"\n";
    let together = run(&format!("{both}{}{}", host("a", "500/s"), host("b", "300/s")));
    for (name, rate) in [("a", "500/s"), ("b", "300/s")] {
        let alone = run(&format!("{both}{}", host(name, rate)));
        let told = together
            .summary
            .hosts
            .value_named(name)
            .expect("a host")
            .response_time_ns
            .as_ref()
            .expect("times");
        let own = &alone.summary.response_time_ns;
        assert_eq!(told.mean, own.mean, "{name}: streams are drawn by names, so the runs are the same");
        assert_eq!(told.ci95, own.ci95, "{name}");
        assert!(told.ci95.is_some_and(|width| width > 0.0 && width < told.mean), "{name}");
        let workload =
            &together.summary.workloads.value_named(&format!("{name}-load")).expect("a workload").part;
        assert_eq!(workload.response_time_ns.as_ref().and_then(|times| times.ci95), own.ci95);
    }
}

/// The number of commands that an adapter counted.
fn commands(result: &RunResult, adapter: &str) -> u64 {
    let of = result
        .summary
        .components
        .value_named(adapter)
        .unwrap_or_else(|| panic!("{adapter} has no figures in the summary"));
    of.figure_named("commands").expect("an adapter counts its commands") as u64
}

/// The system has several adapters, buses and drivers.
const WAYS: &str = r#"
    [run]
    duration = "2 s"
    warm_up = "0 s"
    [left]
    kind = "arbitrated-loop"
    speed = "2GFC"
    stations = ["host.adapters.a", "disks.adapters.a"]
    [right]
    kind = "arbitrated-loop"
    speed = "2GFC"
    stations = ["host.adapters.b", "disks.adapters.b"]
    [host]
    kind = "host"
    path = "round-robin"
    MERGES
    [host.adapters.a]
    [host.adapters.b]
    command_time = "10 us"
    [disks]
    kind = "drives"
    count = 3
    access_time = "1 ms"
    transfer_rate = "50 MB/s"
    [disks.adapters.a]
    [disks.adapters.b]
    [load]
    kind = "closed"
    from = "host"
    to = ["disks"]
    size = "4 KiB"
    pattern = "sequential"
    queue_depth = 4
"#;

#[test]
fn each_adapter_of_a_host_tells_what_went_by_it_and_both_ends_count_the_same() {
    let result = run(&WAYS.replace("MERGES", ""));
    let names = ["host.adapters.a", "host.adapters.b", "disks.adapters.a", "disks.adapters.b"];
    let [a, b, to_a, to_b] = names.map(|name| commands(&result, name));
    assert!(a.abs_diff(b) <= 3, "round robin for each of three disks: {a} and {b}");
    // The difference is at most the number in flight.
    assert!((a + b).abs_diff(result.summary.ios) <= 12, "{a} and {b} of {}", result.summary.ios);
    assert!(a.abs_diff(to_a) <= 12 && b.abs_diff(to_b) <= 12, "{a} {to_a}, {b} {to_b}");
    let components = &result.summary.components;
    let host = components.value_named("host").expect("a host");
    assert_eq!(
        (host.figure_named("commands"), host.figure_named("utilisation")),
        (None, None),
        "its adapters say it by name"
    );
    let used = |name: &str| {
        components.value_named(name).and_then(|of| of.figure_named("processor")).expect("a figure")
    };
    assert_eq!(used("host.adapters.a"), 0.0);
    assert_near("10 us for each command", used("host.adapters.b"), b as f64 * 10e-6 / 2.0, 0.01);
    assert_eq!(components.value_named("disks.adapters.b").and_then(|of| of.figure_named("count")), Some(3.0));
}

#[test]
fn a_driver_tells_how_many_wait_and_are_outstanding_and_how_many_were_merged() {
    let result = run(&WAYS.replace("MERGES", "driver.outstanding_per_device = 1\ndriver.merge = \"64 KiB\""));
    let host = result.summary.components.value_named("host").expect("a host");
    let of = |name: &str| host.figure_named(name).expect("a figure");
    let commands = ["host.adapters.a", "host.adapters.b"].map(|name| commands(&result, name));
    let merged = of("merged");
    assert!(merged > 0.0);
    let passed_on = result.summary.ios as f64 - merged;
    assert!((commands.iter().sum::<u64>() as f64 - passed_on).abs() <= 12.0, "{commands:?}, {passed_on}");
    // Each of the twelve requests of the workload waits, or is in flight by itself or as a part of another.
    assert!(of("outstanding") > 2.9 && of("outstanding") <= 3.0, "{}", of("outstanding"));
    assert!(of("waiting") < 9.0);
    let without = run(&WAYS.replace("MERGES", "driver.outstanding_per_device = 1"));
    let host = without.summary.components.value_named("host").expect("a host");
    let of = |name: &str| host.figure_named(name).expect("a figure");
    assert_eq!(of("merged"), 0.0);
    assert_near("twelve in all", of("waiting") + of("outstanding"), 12.0, 1e-3);
    // Little's law, by the driver's own count and by the response times.
    assert_near("under way", *without.summary.under_way, of("waiting") + of("outstanding"), 0.01);
}

const TWO_HOSTS: &str = include_str!("../../../../scenarios/two-hosts-shared-drives.toml");

/// The mean response times in ms of orders, of statistics and of the whole host, in a run of the shipped example with some text
/// replaced.
fn of_sales(result: &RunResult) -> [f64; 3] {
    let mean = |part: &ResultPart| part.response_time_ns.as_ref().expect("times").mean / 1e6;
    let transactions = result.summary.workloads.value_named("transactions").expect("a workload");
    let stream = |name: &str| mean(transactions.streams.value_named(name).expect("a stream"));
    [stream("orders"), stream("statistics"), mean(result.summary.hosts.value_named("sales").expect("a host"))]
}

/// The test checks the claims of `docs/hosts.md` about the shipped example.
#[test]
fn the_order_of_a_hosts_queue_matters_where_its_requests_wait_and_leaves_the_mean_as_it_is() {
    let deep = run(TWO_HOSTS);
    let [orders, statistics, _] = of_sales(&deep);
    assert_near("nothing waits in the host", orders, statistics, 0.02);
    let component = |result: &RunResult, host: &str, name: &str| {
        result.summary.components.value_named(host).and_then(|of| of.figure_named(name)).expect("a figure")
    };
    assert!(component(&deep, "sales", "waiting") < 0.05 * component(&deep, "sales", "outstanding"));
    let shallow = TWO_HOSTS.replace("queue_depth = 8", "queue_depth = 4");
    assert_ne!(shallow, TWO_HOSTS);
    let [orders, statistics, by_priority] = of_sales(&run(&shallow));
    assert!(orders < 0.7 * statistics, "{orders} and {statistics}");
    let [orders, statistics, as_they_came] = of_sales(&run(&shallow.replace("\"priority\"", "\"fcfs\"")));
    assert_near("without priority", orders, statistics, 0.05);
    assert_near("a disk does the same work whatever is next", by_priority, as_they_came, 0.02);
}

/// The test checks claims of the same page, `docs/hosts.md`.
#[test]
fn a_host_that_has_fewer_commands_under_way_merges_more_and_both_hosts_are_faster() {
    let with = |commands: u64| {
        let keys = format!("outstanding_per_device = {commands}");
        let result = run(&TWO_HOSTS.replace("outstanding_per_device = 2", &keys));
        let mean = |host: &str| {
            let host = result.summary.hosts.value_named(host).expect("a host");
            host.response_time_ns.as_ref().expect("times").mean
        };
        let reports = result.summary.components.value_named("reports").expect("a host");
        let merged = reports.figure_named("merged").expect("a figure");
        // The closed load is 32 I/Os, whichever devices they use.
        let at = &result.summary.hosts.value_named("reports").expect("a host").devices;
        let under_way = at.0.iter().map(|(_, at)| at.under_way.expect("settled")).sum();
        assert_near("under way", under_way, 32.0, 0.005);
        (merged, mean("sales"), mean("reports"))
    };
    let [one, two, four] = [1, 2, 4].map(with);
    assert!(one.0 > two.0 && two.0 > four.0, "merged: {}, {}, {}", one.0, two.0, four.0);
    assert!(one.1 < two.1 && two.1 < four.1 && one.2 < two.2 && two.2 < four.2);
}

#[test]
fn each_adapter_of_the_shipped_example_tells_what_went_by_it_before_and_after_it_failed() {
    let result = run(include_str!("../../../../scenarios/two-paths.toml"));
    let [a, b] = ["host.adapters.a", "host.adapters.b"].map(|name| commands(&result, name));
    assert!((a + b).abs_diff(result.summary.ios) <= 16, "{a} and {b} of {}", result.summary.ios);
    // The adapter carries half of the I/Os before it failed and after it was used again, and none in between.
    let shared = |at: Time| at < ms(10_000) || at > ms(25_000);
    let both = result.ios.rows.iter().filter(|io| shared(io.completed)).count() as f64;
    assert_near("by the adapter that failed", a as f64, both / 2.0, 0.01);
    assert_eq!(result.summary.failed_ios, 0);
}

//! Queues in a host are compared with theory: queues of devices, priorities, limits that devices announce, classes of a closed
//! network.
//!
//! Random streams are fixed by their seeds, so a test that passes once always passes. An interval is a 99.9 % interval over all runs
//! of a test.

use crate::common::erlang::erlang_c;
use crate::common::text::{assert_near, scenario};
use sansim_simulator::summary::Summary;
use sansim_simulator::{RunFlow, RunOptions};

/// The mean service time.
const SERVICE_NS: f64 = 1e6;

/// The number of seeds that a test tries, and the 99.95 % point of Student's distribution with one degree of
/// freedom less.
fn seeds() -> (u64, f64) {
    match sansim_trials::case_count(40) {
        40 => (40, 3.558),
        fewer => {
            assert_eq!(fewer, 16, "Student's distribution is known for 15 degrees of freedom");
            (16, 4.073)
        }
    }
}

/// A host with keys of its driver, attached directly to a number of disks with exponential service times.
fn host(driver: &str, disks: u32, concurrency: u32, ios: u64, loads: &str) -> String {
    let names: Vec<String> = (0..disks).map(|disk| format!("\"disk{disk}\"")).collect();
    let disk = |number: u32| {
        format!(
            r#"
            [disk{number}]
            kind = "drives"
            access_time = {{ distribution = "exponential", mean = "1 ms" }}
            transfer_rate = "1 TB/s"
            concurrency = {concurrency}
            "#
        )
    };
    let disks: String = (0..disks).map(disk).collect();
    format!(
        r#"
        [run]
        measured_ios = {ios}
        warm_up = 2000
        [host]
        kind = "host"
        attached = [{}]
        [host.driver]
        outstanding_limit = 100000
        {driver}
        {disks}
        {loads}
        "#,
        names.join(", ")
    )
}

/// A stream of reads that arrive at random.
fn open(name: &str, rate_per_s: f64, more: &str) -> String {
    format!(
        r#"
        [{name}]
        kind = "synthetic"
        from = "host"
        to = ["disk0"]
        size = "512 B"
        outstanding = 65536
        arrivals = {{ process = "poisson", rate = "{rate_per_s}/s" }}
        {more}
        "#
    )
}

fn summary(text: &str, seed: u64) -> Summary {
    let options = RunOptions { seed: Some(seed), ..RunOptions::default() };
    sansim_simulator::run(&scenario(text), &options, &mut |_| RunFlow::Continue)
        .unwrap_or_else(|error| panic!("{error}"))
        .summary
}

/// Checks the mean response time of a workload, over runs with all seeds, against the true value: within the scatter of the runs,
/// and within a share of the value.
fn agrees(text: &str, workload: &str, truth_ns: f64, part: f64) {
    let mean = |seed| {
        let summary = summary(text, seed);
        let found = summary.workloads.value_named(workload).expect("the workload");
        found.part.response_time_ns.as_ref().expect("it is stable").mean
    };
    let (seeds, student) = seeds();
    let means: Vec<f64> = (1..=seeds).map(mean).collect();
    let mean_ns = means.iter().sum::<f64>() / seeds as f64;
    let variance = means.iter().map(|mean| (mean - mean_ns).powi(2)).sum::<f64>() / (seeds - 1) as f64;
    let half_ns = student * (variance / seeds as f64).sqrt();
    println!("{workload}: {mean_ns:.0} +- {half_ns:.0} ns, in truth {truth_ns:.0} ns");
    assert!((mean_ns - truth_ns).abs() <= half_ns, "{workload}: {mean_ns} +- {half_ns}, in truth {truth_ns}");
    assert_near(workload, mean_ns, truth_ns, part);
}

#[test]
fn a_device_that_takes_several_requests_is_an_m_m_c_queue_whose_line_is_in_the_host() {
    for servers in [1, 4] {
        let load = 0.7;
        let limit = format!("outstanding_per_device = {servers}");
        let rate = load * f64::from(servers) * 1e9 / SERVICE_NS;
        let text = host(&limit, 1, servers, 20_000, &open("load", rate, ""));
        let wait_ns = erlang_c(load, servers) * SERVICE_NS / (f64::from(servers) * (1.0 - load));
        agrees(&text, "load", SERVICE_NS + wait_ns, 0.02);
        let summary = summary(&text, 1);
        let in_host = summary.ledger_ns.mean.value_named("host.host_queue").copied().unwrap_or(0.0);
        assert_near("all waiting is in the host", in_host, wait_ns, 0.15);
    }
}

#[test]
fn the_order_of_a_queue_does_not_change_the_mean_where_times_of_service_do_not_depend_on_it() {
    for order in ["c-look", "look", "shortest-seek", "deadline", "priority", "round-robin"] {
        let driver = format!("outstanding_per_device = 1\nqueue.order = \"{order}\"");
        let text = host(&driver, 1, 1, 8_000, &open("load", 500.0, ""));
        agrees(&text, "load", SERVICE_NS / 0.5, 0.03);
    }
}

#[test]
fn the_urgent_overtake_the_others_as_in_a_queue_with_priorities() {
    // Cobham 1954: with W0 = load x service the wait of class k is W0 / ((1 - s[k-1]) (1 - s[k])), where s[k] is the load of classes
    // up to k.
    let loads = [0.25, 0.25, 0.25];
    let total: f64 = loads.iter().sum();
    let names = ["a", "b", "c"];
    let open = |(name, (load, priority)): (&&str, (f64, u8))| {
        open(name, load * 1e9 / SERVICE_NS, &format!("priority = {priority}"))
    };
    let text: String = names.iter().zip(loads.into_iter().zip([0, 4, 7])).map(open).collect();
    let text = host("outstanding_per_device = 1\nqueue.order = \"priority\"", 1, 1, 30_000, &text);
    let mut below = 0.0;
    for (name, load) in names.into_iter().zip(loads) {
        let wait_ns = total * SERVICE_NS / ((1.0 - below) * (1.0 - below - load));
        below += load;
        agrees(&text, name, SERVICE_NS + wait_ns, 0.03);
    }
}

/// The response times of each class of a closed network whose stations serve all classes alike in exponential times, first come,
/// first served, by mean value analysis over all populations. `visits` has the number of times that a request of a class is at each
/// station.
fn mean_values(visits: &[[f64; 2]; 2], population: [usize; 2], think_ns: [f64; 2]) -> [f64; 2] {
    let mut queue = vec![vec![[0.0; 2]; population[1] + 1]; population[0] + 1];
    let mut response = [0.0; 2];
    for first in 0..=population[0] {
        for second in 0..=population[1] {
            let now = [first, second];
            let mut length = [0.0; 2];
            for class in 0..2 {
                if now[class] == 0 {
                    continue;
                }
                let before = if class == 0 { queue[first - 1][second] } else { queue[first][second - 1] };
                let at = |station: usize| SERVICE_NS * (1.0 + before[station]);
                response[class] = (0..2).map(|station| visits[class][station] * at(station)).sum();
                let per_ns = now[class] as f64 / (response[class] + think_ns[class]);
                for station in 0..2 {
                    length[station] += per_ns * visits[class][station] * at(station);
                }
            }
            queue[first][second] = length;
        }
    }
    response
}

#[test]
fn two_workloads_on_two_disks_are_a_closed_network_of_two_classes() {
    // One class uses both disks at random, the other only the second disk; each has exponential think times.
    let closed = |name: &str, to: &str, depth: usize, think_ms: f64| {
        format!(
            r#"
            [{name}]
            kind = "synthetic"
            from = "host"
            to = [{to}]
            size = "512 B"
            [{name}.arrivals]
            process = "closed"
            queue_depth = {depth}
            think_time = {{ distribution = "exponential", mean = "{think_ms} ms" }}
            "#
        )
    };
    let loads = closed("both", "\"disk0\", \"disk1\"", 5, 3.0) + &closed("second", "\"disk1\"", 3, 2.0);
    let text = host("outstanding_per_device = 1", 2, 1, 30_000, &loads);
    let [both, second] = mean_values(&[[0.5, 0.5], [0.0, 1.0]], [5, 3], [3e6, 2e6]);
    agrees(&text, "both", both, 0.02);
    agrees(&text, "second", second, 0.02);
}

#[test]
fn a_device_gets_no_more_than_the_queue_depth_that_it_announces() {
    let closed = "
        [load]
        kind = \"closed\"
        from = \"host\"
        to = [\"disk0\"]
        size = \"512 B\"
        queue_depth = 16
        ";
    let text = |announced: &str| {
        let text = host("", 1, 16, 5_000, closed);
        text.replace("concurrency = 16", &format!("concurrency = 16\n{announced}"))
    };
    // There are 16 I/Os in flight at a time, or 4: a closed load without think times always has its depth in
    // service.
    let iops = |announced: &str| summary(&text(announced), 1).iops;
    assert_near("unlimited", iops(""), 16_000.0, 0.03);
    assert_near("4", iops("queue_depth = 4"), 4_000.0, 0.03);
}

#[test]
fn a_line_in_the_host_and_one_in_the_drive_are_the_same_line() {
    let text = |driver: &str| host(driver, 1, 1, 5_000, &open("load", 700.0, ""));
    let times = |driver: &str| {
        let result = crate::common::text::run(&text(driver));
        crate::common::text::assert_adds_up(&result);
        result.ios.rows.iter().map(|io| io.response).collect::<Vec<_>>()
    };
    assert_eq!(times("outstanding_per_device = 1"), times(""), "to the tick");
}

/// Sequential writes of 4 KiB, with 8 outstanding at a time, on a disk that takes 1 ms for each.
fn sequential(driver: &str) -> String {
    let load = r#"
        [load]
        kind = "synthetic"
        from = "host"
        to = ["disk0"]
        size = "4 KiB"
        read_fraction = 0.0
        location = { pattern = "sequential" }
        arrivals = { process = "closed", queue_depth = 8 }
        "#;
    host(driver, 1, 1, 4_000, load).replace("{ distribution = \"exponential\", mean = \"1 ms\" }", "\"1 ms\"")
}

#[test]
fn merged_requests_take_the_time_of_one_and_each_has_its_answer_and_its_ledger() {
    // The 8 requests alternate: one is in flight while 7 contiguous requests wait. The 7 requests are sent as one, and then the
    // request that was in flight alone.
    let merged = crate::common::text::run(&sequential("outstanding_per_device = 1\nmerge = \"1 MiB\""));
    let alone = crate::common::text::run(&sequential("outstanding_per_device = 1"));
    crate::common::text::assert_adds_up(&merged);
    assert_near("alone", alone.summary.iops, 1_000.0, 0.01);
    assert_near("merged", merged.summary.iops, 4_000.0, 0.02);
    assert_eq!(merged.ios.rows.len(), alone.ios.rows.len());
    assert!(
        merged.ios.rows.iter().all(|io| io.bytes == 4096),
        "what was merged are not the I/Os of the workload"
    );
    let work = |result: &sansim_simulator::RunResult| {
        result.summary.ledger_ns.mean.value_named("disk0.access").copied()
    };
    assert!(
        work(&merged).is_some_and(|ns| ns > 0.9e6),
        "all were at the disk: {:?}",
        merged.summary.ledger_ns.mean
    );
}

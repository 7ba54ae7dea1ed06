//! Controllers whose times are drawn, and whose processors have queues of their own: closed forms, and an order of the rules.

use crate::common::text::{assert_adds_up, assert_near, run};
use sansim_simulator::RunResult;

/// Poisson arrivals at a controller before a RAM disk that takes next to no time. `controller` has its keys.
fn controller(per_s: u32, controller: &str) -> RunResult {
    let text = format!(
        "[run]\nmeasured_ios = 60000\nwarm_up = 2000\n\
         [host]\nkind = \"host\"\nattached = [\"controller\"]\ndriver.outstanding_limit = 100000\n\
         [controller]\nkind = \"controller\"\nto = [\"ram\"]\n{controller}\
         [ram]\nkind = \"ram-disks\"\nlatency = \"0 ns\"\nbandwidth = \"10 TB/s\"\n\
         [load]\nkind = \"synthetic\"\nfrom = \"host\"\nto = \"controller\"\nsize = \"512 B\"\noutstanding = 60000\n\
         arrivals = {{ process = \"poisson\", rate = \"{per_s}/s\" }}\n"
    );
    let result = run(&text);
    assert_adds_up(&result);
    result
}

fn mean_us(result: &RunResult) -> f64 {
    result.summary.response_time_ns.mean / 1e3
}

/// The mean time in a queue of Poisson arrivals and exponential times at so many servers (Erlang C), in units of the service time.
fn erlang_c(servers: u32, utilisation: f64) -> f64 {
    let load = f64::from(servers) * utilisation;
    let mut blocked = 1.0;
    for server in 1..=servers {
        blocked = load * blocked / (f64::from(server) + load * blocked);
    }
    let waits = blocked / (1.0 - utilisation * (1.0 - blocked));
    1.0 + waits / (f64::from(servers) * (1.0 - utilisation))
}

#[test]
fn a_processor_with_exponential_times_is_an_m_m_1_queue() {
    let result =
        controller(6_000, "processor_time = { distribution = \"exponential\", mean = \"100 us\" }\n");
    assert_near("the mean response time", mean_us(&result), 100.0 / (1.0 - 0.6), 0.05);
    let fixed = controller(6_000, "processor_time = \"100 us\"\n");
    assert_near("with fixed times", mean_us(&fixed), 100.0 * (1.0 + 0.6 / (2.0 * 0.4)), 0.03);
}

/// Four processors at a utilisation of 0.7, with exponential times of 100 us, and this rule.
fn dealt(rule: &str) -> f64 {
    let keys = format!(
        "resources.processors = 4\nresources.processor_queues = \"{rule}\"\n\
         resources.command.time = {{ distribution = \"exponential\", mean = \"100 us\" }}\n"
    );
    mean_us(&controller(28_000, &keys))
}

#[test]
fn processors_with_one_queue_are_an_m_m_c_queue_and_those_with_their_own_are_m_m_1_queues() {
    let [shared, random] = ["shared", "random"].map(dealt);
    assert_near("one queue", shared, 100.0 * erlang_c(4, 0.7), 0.04);
    assert_near("queues of their own", random, 100.0 / (1.0 - 0.7), 0.05);
}

#[test]
fn better_rules_deal_jobs_out_so_that_they_wait_less() {
    let [shared, shortest, in_turn, random] = ["shared", "shortest", "in-turn", "random"].map(dealt);
    assert!(
        shared < shortest && shortest < in_turn && in_turn < random,
        "{shared} {shortest} {in_turn} {random}"
    );
}

#[test]
fn a_distribution_without_spread_is_the_same_as_its_time() {
    let [time, fixed] = ["\"100 us\"", "{ distribution = \"fixed\", value = \"100 us\" }"].map(|time| {
        let result =
            controller(5_000, &format!("processor_time = {time}\nresources.command.time = {time}\n"));
        result.ios.rows.iter().map(|io| (io.io, io.response)).collect::<Vec<_>>()
    });
    assert_eq!(time, fixed);
}

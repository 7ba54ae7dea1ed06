//! Task management after an abort without an answer: its cost by hand, the commands of other hosts, and both loop models.

use crate::common::text::{assert_adds_up, assert_reference_agrees, run};
use sansim_simulator::RunResult;
use sansim_simulator::errors::HostErrors;

fn met(result: &RunResult, host: &str) -> HostErrors {
    let none = || HostErrors::from(sansim_component::error_log::ErrorCounts::default());
    result.summary.errors.hosts.value_named(host).copied().unwrap_or_else(none)
}

/// The ticks from the first word of a frame alone to its last at the other end, on a switch of which every delay is a whole number of
/// nanoseconds: 25 ns for a word, 3 m to the switch, and 150 ns for routing, which begins when the first word, which has the destination, has come; a packet without a payload
/// is that word.
fn message(payload: u64) -> u64 {
    (2 * 15 + 25 + 150 + 25 * payload.div_ceil(4).max(1)) * 561
}

#[test]
fn each_function_costs_its_wait_and_its_frames_to_the_tick() {
    let adapter = "adapter.request_bytes = \"0 B\"\nadapter.dma_bandwidth = \"1 TB/s\"";
    let text = format!(
        "[run]\nmeasured_ios = 5000\nwarm_up = 0\n[san]\nkind = \"fabric\"\nprotocol = \"plain\"\nword_time = \"25 ns\"\nspeed = \"1GFC\"\n\
         cable = \"3 m\"\nswitch.buffers = 8\nswitch.routing_delay = \"150 ns\"\nstations = [\"host\", \"drives\"]\n\
         [host]\nkind = \"host\"\ndriver.time_out = \"1 ms\"\ndriver.retries = 1000\ndriver.escalation = [\"lun-reset\", \"target-reset\"]\n\
         driver.escalation_time = \"2 ms\"\n{adapter}\n\
         [drives]\nkind = \"drives\"\nmodel = \"ram\"\ntransfer_rate = \"100 GB/s\"\nadapter.frame_loss = 0.2\n{adapter}\n\
         [load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"drives\"]\nsize = \"2048 B\"\n"
    );
    let result = run(&text);
    assert_adds_up(&result);
    let mut all: Vec<u64> = result.ios.rows.iter().map(|io| io.response.ticks()).collect();
    all.sort_unstable();
    const MS: u64 = 1_000_000 * 561;
    // FCP_CMND was lost, so the target answers ABTS by BA_RJT, and the command is sent again.
    let abort = message(0) + message(4);
    // FCP_CMND with a flag, and FCP_RSP with response information; then ABTS is sent again at once.
    let function = message(32) + message(32) + abort;
    let clean = all[0];
    let by_hand = [0, MS + abort, MS + 2 * MS + function, MS + 2 * 2 * MS + function];
    let counts = by_hand.map(|cost| all.iter().filter(|&&ticks| ticks == clean + cost).count());
    // Of 5000 commands 4/5 arrive; of the others 4/5 of ABTS; then 4/5 of each function, and ABTS and the command again. The second function
    // follows if the first or the ABTS after it was lost.
    let expected = [5000.0 * 0.8, 5000.0 * 0.2 * 0.64, 5000.0 * 0.04 * 0.512, 5000.0 * 0.04 * 0.36 * 0.512];
    for (count, mean) in counts.into_iter().zip(expected) {
        assert!((count as f64 - mean).abs() <= 4.0 * mean.sqrt(), "{counts:?}, expected {expected:?}");
    }
    assert_eq!(result.summary.failed_ios, 0);
    assert!(met(&result, "host").task_management > 200);
}

/// Two hosts and two disks on a loop. Frames to one host are lost, which has these functions; the other host has no time-out.
fn shared(functions: &str, disk: &str) -> String {
    format!(
        r#"
        [run]
        measured_ios = 1500
        warm_up = 0
        [loop]
        kind = "arbitrated-loop"
        speed = "1GFC"
        stations = ["one", "other", "disks"]
        [one]
        kind = "host"
        driver.time_out = "12 ms"
        driver.retries = 1000
        driver.escalation = [{functions}]
        driver.escalation_time = "5 ms"
        adapter.frame_loss = 0.05
        adapter.abort_answer_time = "300 ms"
        [other]
        kind = "host"
        driver.retries = 1000
        [disks]
        kind = "drives"
        count = 2
        access_time = "1 ms"
        transfer_rate = "200 MB/s"
        adapter.command_time = "5 us"
        {disk}
        [load]
        kind = "closed"
        from = "one"
        to = ["disks"]
        size = "16 KiB"
        queue_depth = 3
        read_fraction = 0.5
        [more]
        kind = "closed"
        from = "other"
        to = ["disks"]
        size = "16 KiB"
        queue_depth = 3
        read_fraction = 0.5
        "#
    )
}

#[test]
fn commands_of_another_host_that_a_function_ends_come_back_and_are_sent_again() {
    for (functions, ends_others, resets) in [
        ("\"abort-task-set\"", false, false),
        ("\"clear-task-set\"", true, false),
        ("\"lun-reset\"", true, true),
        ("\"target-reset\"", true, true),
    ] {
        let result = run(&shared(functions, "adapter.unit_attention = true\nadapter.sense_data = \"18 B\""));
        assert_adds_up(&result);
        assert_eq!((result.summary.ios, result.summary.failed_ios), (1_500, 0));
        let [one, other] = ["one", "other"].map(|host| met(&result, host));
        assert!(one.task_management > 5, "{functions}: {one:?}");
        assert_eq!((other.task_management, other.time_outs), (0, 0));
        // Each retry of the other host is a command that was ended, or one that met with a unit attention condition.
        assert_eq!(other.retries > other.check_condition, ends_others, "{functions}: {other:?}");
        assert_eq!(other.check_condition > 0, resets, "{functions}: {other:?}");
        assert!(other.check_condition <= one.task_management, "{functions}: {other:?}");
    }
}

#[test]
fn both_loops_say_the_same_of_task_management() {
    for functions in ["\"abort-task-set\", \"target-reset\"", "\"clear-task-set\", \"lun-reset\""] {
        assert_reference_agrees(&shared(functions, "adapter.unit_attention = true"));
        assert_reference_agrees(&shared(functions, "adapter.response_circuit = \"own\"\nburst = \"8 KiB\""));
    }
}

#[test]
fn an_escalation_has_each_function_once_and_by_its_word() {
    let report = |functions: &str| {
        let read = sansim_scenario::Scenario::parse_text(&shared(functions, ""), "escalation");
        read.err().map(|report| report.to_string()).unwrap_or_default()
    };
    let twice = report("\"lun-reset\", \"target-reset\", \"lun-reset\"");
    assert!(twice.contains("\"lun-reset\" twice") && twice.contains("abort_answer_time"), "{twice}");
    let unknown = report("\"bus-reset\"");
    assert!(unknown.contains("bus-reset") && unknown.contains("target-reset"), "{unknown}");
    assert_eq!(report("\"lun-reset\", \"target-reset\""), "");
    let behind = report("\"adapter-reset\", \"target-reset\"");
    assert!(behind.contains("must end with \"adapter-reset\""), "{behind}");
    assert_eq!(report("\"lun-reset\", \"adapter-reset\""), "");
}

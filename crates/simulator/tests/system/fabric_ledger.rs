//! The ledger lines of an I/O on its path through a fabric.

use crate::common::text::{assert_adds_up, run};
use crate::common::{figure, mean_ns};
use sansim_simulator::RunResult;

/// A host and a drive of memory with one read of one frame in flight, with these keys of the fabric.
fn one_read(keys: &str) -> RunResult {
    // The response leaves when the data have arrived long before.
    reads_at("adapter.response_time = \"50 us\"", keys, "2 KiB", 1, 1)
}

/// A number of hosts that each read from a drive of memory.
fn reads(keys: &str, size: &str, hosts: usize, queue_depth: u32) -> RunResult {
    reads_at("", keys, size, hosts, queue_depth)
}

/// The same system with these keys of the drive.
fn reads_at(drive: &str, keys: &str, size: &str, hosts: usize, queue_depth: u32) -> RunResult {
    let fast =
        "port.incoming_buffers = 16\nadapter.outgoing_buffers = 16\nadapter.dma_bandwidth = \"100 GB/s\"";
    let stations: Vec<String> = (0..hosts).map(|host| format!("\"host{host}\"")).collect();
    let mut text = format!(
        "[run]\nmeasured_ios = 400\nwarm_up = 20\n[san]\nkind = \"fabric\"\nspeed = \"8GFC\"\nstations = [{}, \"drive\"]\n{keys}\n\
         [drive]\nkind = \"drives\"\nmodel = \"ram\"\ntransfer_rate = \"100 GB/s\"\n{fast}\n{drive}\n",
        stations.join(", ")
    );
    for host in 0..hosts {
        text += &format!(
            "[host{host}]\nkind = \"host\"\n{fast}\n[load{host}]\nkind = \"closed\"\nfrom = \"host{host}\"\nto = [\"drive\"]\nsize = \"{size}\"\n\
             read_fraction = 1.0\nqueue_depth = {queue_depth}\n"
        );
    }
    let result = run(&text);
    assert_adds_up(&result);
    result
}

/// The mean time of an I/O in a ledger line of the fabric.
fn line(result: &RunResult, name: &str) -> f64 {
    mean_ns(&result.summary, &format!("san.{name}"))
}

/// The mean time of an I/O in all ledger lines of the fabric whose names have this beginning.
fn lines(result: &RunResult, begin: &str) -> f64 {
    let begin = format!("san.{begin}");
    result
        .summary
        .ledger_ns
        .mean
        .0
        .iter()
        .filter(|(name, _)| name.starts_with(&begin))
        .map(|(_, ns)| ns)
        .sum()
}

/// The time of a word at 8GFC.
const WORD_NS: f64 = 640.0 / 17.0 / 8.0;
/// The number of words of FCP_CMND, FCP_RSP and a data frame of 2 KiB; and of SOF with the header.
const COMMAND: f64 = 17.0;
const RESPONSE: f64 = 15.0;
const DATA: f64 = 521.0;
const HEADER: f64 = 7.0;

#[track_caller]
fn assert_same(what: &str, found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6 * expected.max(1.0), "{what}: {found} ns, by hand {expected} ns");
}

#[test]
fn of_one_read_every_line_is_the_sum_by_hand() {
    let cable = 100.0 * 5.0;
    for (switches, keys) in [
        (1.0, "switch.routing_delay = \"200 ns\"\ncable = \"100 m\""),
        (
            2.0,
            "topology = \"given\"\nswitches.near.stations = [\"host0\"]\nswitches.far.stations = [\"drive\"]\n\
             links.one = { from = \"near\", to = \"far\", cable = \"100 m\" }\ncable = \"100 m\"\n\
             switch.routing_delay = \"200 ns\"",
        ),
    ] {
        let result = one_read(keys);
        for hop in 1..=switches as u32 {
            // A command and a response are control messages; there is one data frame.
            let link = cable + HEADER * WORD_NS;
            assert_same("link of control", line(&result, &format!("control_link_{hop}")), 2.0 * link);
            assert_same("link of data", line(&result, &format!("data_link_{hop}")), link);
            assert_same("routing of control", line(&result, &format!("control_routing_{hop}")), 400.0);
            assert_same("routing of data", line(&result, &format!("data_routing_{hop}")), 200.0);
            // An output sends in slots of a word.
            assert!(line(&result, &format!("data_output_{hop}")) < WORD_NS);
        }
        let last = line(&result, "control_last_link");
        assert_same("last link of control", last, 2.0 * cable + (COMMAND + RESPONSE) * WORD_NS);
        assert_same("last link of data", line(&result, "data_last_link"), cable + DATA * WORD_NS);
        assert_eq!(lines(&result, "control_switch_credit") + lines(&result, "data_switch_credit"), 0.0);
    }
}

#[test]
fn between_two_nodes_there_is_only_the_last_link() {
    let result = one_read("topology = \"point-to-point\"\ncable = \"1 km\"");
    assert_same("data", line(&result, "data_last_link"), 5_000.0 + DATA * WORD_NS);
    assert_eq!(
        lines(&result, "data_link") + lines(&result, "data_routing") + lines(&result, "control_link"),
        0.0
    );
}

#[test]
fn what_is_stored_whole_and_passed_on_is_routing_and_no_wait_for_the_output() {
    let through = one_read("switch.routing_delay = \"200 ns\"");
    let whole = one_read(
        "switch.routing_delay = \"200 ns\"\nswitch.switching = \"store-and-forward\"\nswitch.forwarding_delay = \"50 ns\"",
    );
    assert_same("through", line(&through, "data_routing_1"), 200.0);
    // The remaining words of the frame arrive meanwhile.
    assert_same("whole", line(&whole, "data_routing_1"), (DATA - HEADER) * WORD_NS + 50.0);
    assert!(line(&whole, "data_output_1") < WORD_NS);
    let longer = lines(&whole, "data_") - lines(&through, "data_");
    assert!((longer - (line(&whole, "data_routing_1") - 200.0)).abs() < 2.0 * WORD_NS, "and nowhere else");
}

#[test]
fn where_several_want_an_output_they_wait_for_it_and_with_slow_ways_back_for_credit() {
    let alone = reads("switch.buffers = 16", "2 KiB", 1, 1);
    let four = reads_at("count = 4", "switch.buffers = 16", "2 KiB", 1, 4);
    assert!(lines(&four, "data_output") > DATA * WORD_NS, "frames of other drives are before it");
    assert!(lines(&alone, "data_output") < WORD_NS);
    // All data of a slow node arrive by one link: their senders wait at the switch before it.
    let far = "topology = \"given\"\nswitches.near.stations = [\"host0\"]\nswitches.far.stations = [\"drive\"]\n\
               links.one = { from = \"near\", to = \"far\", cable = \"50 km\" }\nswitch.buffers = 2";
    let starved = reads(far, "64 KiB", 1, 1);
    assert!(line(&starved, "data_switch_credit") > 0.3 * starved.summary.response_time_ns.mean);
    assert!(figure(&starved.summary, "san", "credit_stalled") > 0.1);
    assert_eq!(line(&four, "data_switch_credit"), 0.0, "a node with as many buffers as it needs");
}

#[test]
fn behind_the_fifth_switch_all_is_in_its_lines() {
    let mut keys = "topology = \"given\"\nswitch.routing_delay = \"100 ns\"\n".to_owned();
    for switch in 0..8 {
        let station = match switch {
            0 => "\"host0\"",
            7 => "\"drive\"",
            _ => "",
        };
        keys += &format!("switches.s{switch}.stations = [{station}]\n");
        if switch > 0 {
            keys += &format!("links.l{switch} = {{ from = \"s{}\", to = \"s{switch}\" }}\n", switch - 1);
        }
    }
    let result = one_read(&keys);
    for hop in 1..5 {
        assert_same("routing", line(&result, &format!("data_routing_{hop}")), 100.0);
    }
    assert_same("the last four", line(&result, "data_routing_5"), 400.0);
}

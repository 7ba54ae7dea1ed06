//! Strategies for control messages in whole systems: with both protocols, with losses and time-outs, and with settings that
//! are refused.

use crate::common::figure;
use crate::common::text::{assert_adds_up, run};
use proptest::prelude::*;

const PLAIN: &str = "protocol = \"plain\"\nword_time = \"25 ns\"\nspeed = \"1GFC\"\ncable = \"3 m\"\nbackbone_cable = \"30 m\"\npacket_header = \"4 B\"";
const FIBRE_CHANNEL: &str = "speed = \"8GFC\"\ncable = \"10 m\"\nbackbone_cable = \"100 m\"";

/// Two hosts and four drives of memory on a fabric with these keys; the adapters have the keys `adapter`.
fn system(network: &str, adapter: &str, driver: &str, load: &str) -> String {
    let mut text = format!(
        "[run]\nmeasured_ios = 200\nwarm_up = 0\n[san]\nkind = \"fabric\"\n{network}\nstations = [\"host0\", \"host1\", \"drives\"]\n"
    );
    for host in 0..2 {
        text += &format!(
            "[host{host}]\nkind = \"host\"\n{driver}\n[host{host}.port]\nincoming_buffers = 8\n[host{host}.adapter]\n{adapter}\n\
             [load{host}]\nkind = \"closed\"\nfrom = \"host{host}\"\nto = [\"drives\"]\n{load}\n"
        );
    }
    text + &format!(
        "[drives]\nkind = \"drives\"\ncount = 4\nmodel = \"ram\"\ntransfer_rate = \"100 GB/s\"\n[drives.port]\nincoming_buffers = 8\n\
         [drives.adapter]\n{adapter}\n"
    )
}

fn control(routing_first: bool, transmission: &str, nodes: &str, buffers: u32) -> String {
    format!(
        "switch.control = {{ routing_first = {routing_first}, transmission = \"{transmission}\", nodes = \"{nodes}\", buffers = {buffers} }}"
    )
}

fn told(text: &str) -> String {
    let report = sansim_scenario::Scenario::parse_text(text, "test").err();
    report.map(|report| report.to_string()).unwrap_or_default()
}

const LOAD: &str = "size = \"8 KiB\"\nread_fraction = 0.5\nqueue_depth = 3";
const TWO: &str = "protocol = \"two-message\"\nrequest_bytes = \"0 B\"\ndma_bandwidth = \"1 TB/s\"";

#[test]
fn words_of_fibre_channel_frames_follow_one_another() {
    let fibre = system(&format!("{FIBRE_CHANNEL}\n{}", control(true, "preempts", "first", 2)), "", "", LOAD);
    assert!(told(&fibre).contains("no frame stops another"), "{}", told(&fibre));
    let plain = system(&format!("{PLAIN}\n{}", control(true, "preempts", "first", 2)), TWO, "", LOAD);
    assert_eq!(told(&plain), "");
    let header = system(&format!("{FIBRE_CHANNEL}\npacket_header = \"4 B\""), "", "", LOAD);
    assert!(told(&header).contains("the header of the standard"), "{}", told(&header));
}

#[test]
fn a_message_above_the_buffer_size_is_refused_unless_it_goes_in_packets() {
    let with = |adapter: &str, keys: &str| {
        told(&system(
            &format!("{PLAIN}\nswitch.buffer_size = \"1024 B\"\n{keys}"),
            &format!("{TWO}\n{adapter}"),
            "",
            LOAD,
        ))
    };
    let refused = with("", "");
    assert!(
        refused.contains("a message of 2048 bytes does not fit a buffer of `san`, which has 1024"),
        "{refused}"
    );
    assert!(refused.contains("in packets"), "{refused}");
    assert_eq!(with("max_payload = \"1024 B\"", ""), "");
    let small = with("max_payload = \"512 B\"", "switch.control = { buffers = 2, buffer_size = \"16 B\" }");
    assert!(small.contains("has 20 bytes, a buffer for it 16"), "{small}");
}

#[test]
fn latencies_of_control_messages_and_data_are_told_apart() {
    let load = "size = \"2 KiB\"\nread_fraction = 1.0\nqueue_depth = 1";
    let mut text = system(PLAIN, TWO, "", load);
    text = text
        .replace("count = 4", "count = 1")
        .replace("from = \"host1\"", "from = \"host1\"\nthink_time = \"1 s\"");
    let result = run(&text);
    assert_adds_up(&result);
    // The path has one switch: the header crosses a cable, routing takes 150 ns, and the whole message
    // crosses the next cable.
    let by_hand = |payload: f64| 25.0 + 15.0 + 150.0 + 15.0 + 25.0 * (1.0 + (payload / 4.0).ceil());
    let found = |name: &str| figure(&result.summary, "san", name);
    assert!((found("control_latency_ns") - by_hand(20.0)).abs() < 1.0, "{}", found("control_latency_ns"));
    assert!((found("data_latency_ns") - by_hand(2048.0)).abs() < 1.0, "{}", found("data_latency_ns"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(60), ..ProptestConfig::default() })]

    #[test]
    fn all_comes_to_an_end_and_adds_up_with_every_combination(
        plain in any::<bool>(),
        two in any::<bool>(),
        loses in any::<bool>(),
        topology in prop::sample::select(vec!["single-switch", "floors+", "tree", "mesh"]),
        routing in prop::sample::select(vec!["up-down", "up-down-adaptive", "adaptive-escape"]),
        (routing_first, transmission, nodes) in (any::<bool>(), 0..3_usize, 0..3_usize),
        (buffers, own) in (2..5_u32, 0..3_u32),
        payload in prop::sample::select(vec![256, 512, 2048]),
    ) {
        let words = ["in-turn", "first", if plain { "preempts" } else { "first" }];
        // A lost message loses its credit: there is enough credit for all losses.
        let enough = |buffers: u32| if loses { 100 * buffers } else { buffers };
        let (buffers, own, at_nodes) = (enough(buffers), enough(own), enough(8));
        let keys = format!(
            "topology = \"{topology}\"\nrouting = \"{routing}\"\nswitch.buffers = {buffers}\n{}\n{}",
            control(routing_first, words[transmission], words[nodes], own),
            if loses { "frame_loss = 0.002" } else { "" },
        );
        let adapter = format!("{}\nmax_payload = \"{payload} B\"\nabort_answer_time = \"3 ms\"", if two { TWO } else { "" });
        let network = format!("{}\n{keys}", if plain { PLAIN } else { FIBRE_CHANNEL });
        let text = system(&network, &adapter, "driver.time_out = \"5 ms\"\ndriver.retries = 100", LOAD)
            .replace("incoming_buffers = 8", &format!("incoming_buffers = {at_nodes}"));
        let result = run(&text);
        assert_adds_up(&result);
        prop_assert_eq!(result.summary.failed_ios, 0);
    }
}

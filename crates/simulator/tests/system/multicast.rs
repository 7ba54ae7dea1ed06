//! Multicast on fabrics: each member of a group has each datagram once, a copy is made where the paths part, and a slow member holds up the
//! others.

use crate::common::figure;
use crate::common::text::{assert_adds_up, run};
use proptest::prelude::*;
use sansim_simulator::RunResult;

/// IP ports: a sender at the first of three switches in a row, and members at all of them.
fn text(san: &str, ip: &str, more: &str) -> String {
    format!(
        "[run]\nmeasured_ios = 200\nwarm_up = 0\n[san]\nkind = \"fabric\"\nspeed = \"4GFC\"\ntopology = \"given\"\n\
         stations = [\"host\", \"drive\", \"from\", \"a\", \"b\", \"c\", \"d\"]\n\
         switches.one.stations = [\"host\", \"from\", \"a\"]\nswitches.two.stations = [\"b\"]\n\
         switches.three.stations = [\"drive\", \"c\", \"d\"]\n\
         links.left = {{ from = \"one\", to = \"two\" }}\nlinks.right = {{ from = \"two\", to = \"three\" }}\n{san}\n\
         [host]\nkind = \"host\"\n\
         [drive]\nkind = \"drives\"\nmodel = \"ram\"\ntransfer_rate = \"1 GB/s\"\n\
         [from]\nkind = \"ip-port\"\nto = [\"a\", \"b\", \"c\", \"d\"]\nmulticast = true\n{ip}\n\
         [a]\nkind = \"ip-port\"\n[b]\nkind = \"ip-port\"\n[c]\nkind = \"ip-port\"\n[d]\nkind = \"ip-port\"\n\
         [load]\nkind = \"closed\"\nfrom = \"host\"\nto = \"drive\"\nsize = \"16 KiB\"\nread_fraction = 0.5\nqueue_depth = 2\n{more}"
    )
}

fn count(result: &RunResult, port: &str, what: &str) -> f64 {
    figure(&result.summary, port, &format!("{what}_datagrams"))
}

#[test]
fn each_member_has_each_datagram_once_and_it_crosses_each_link_once() {
    let result = run(&text("", "rate = \"20 MB/s\"", ""));
    assert_adds_up(&result);
    let sent = count(&result, "from", "sent");
    assert!(sent > 50.0, "{sent}");
    for member in ["a", "b", "c", "d"] {
        // The count lacks the datagrams that are in flight at the end of the interval.
        let received = count(&result, member, "received");
        assert!(sent - received <= 2.0 && received <= sent, "{member}: {received} of {sent}");
    }
}

#[test]
fn a_group_takes_a_link_once_where_turns_take_it_once_for_each_member() {
    // Each datagram for the group arrives at four members; each datagram to one member in turn arrives once.
    let load = |multicast: bool| {
        let text = text("", "rate = \"100 MB/s\"\narrivals = \"deterministic\"", "");
        let result = run(&text.replace("multicast = true", &format!("multicast = {multicast}")));
        assert_adds_up(&result);
        let members = ["a", "b", "c", "d"].map(|member| count(&result, member, "received"));
        (count(&result, "from", "sent"), members.iter().sum::<f64>())
    };
    let (sent, received) = load(true);
    assert!((received / sent - 4.0).abs() < 0.05, "{received} of {sent}");
    let (sent, received) = load(false);
    assert!((received / sent - 1.0).abs() < 0.05, "{received} of {sent}");
}

#[test]
fn a_member_at_a_slow_link_holds_the_others_to_its_rate() {
    // A link of 1GFC carries 106.25 MB/s of words to the member; a datagram has 381 words of payload and headers and 15 words of overhead.
    let slow = "node_links.slow = { stations = [\"d\"], speed = \"1GFC\" }";
    let result = run(&text(slow, "rate = \"200 MB/s\"\narrivals = \"deterministic\"\nqueue = 8", ""));
    assert_adds_up(&result);
    let [quick, held] = ["a", "d"].map(|member| count(&result, member, "received"));
    let seconds = result.summary.simulated_s;
    let by_hand = 106.25e6 / 4.0 / (381.0 + 15.0) * seconds;
    assert!((held / by_hand - 1.0).abs() < 0.05, "{held}, by hand {by_hand}");
    // The buffers of the last switch are full of frames for the slow member, so the others have no more, but for those in buffers.
    assert!(quick - held <= 64.0 && quick >= held, "{quick} and {held}");
    assert!(count(&result, "from", "dropped") > 0.0);
    let alone = run(&text("", "rate = \"200 MB/s\"\narrivals = \"deterministic\"\nqueue = 8", ""));
    assert_eq!(count(&alone, "from", "dropped"), 0.0);
}

#[test]
fn groups_and_messages_that_stop_others_exclude_each_other() {
    let san = "protocol = \"plain\"\nswitch.control.transmission = \"preempts\"";
    let text = text(san, "", "");
    let report = sansim_scenario::Scenario::parse_text(&text, "case").expect_err("refused").to_string();
    assert!(report.contains("copies no frames"), "{report}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(200), max_shrink_iters: 100, ..ProptestConfig::default() })]
    #[test]
    fn copies_are_lost_or_arrive_and_leave_nothing_behind(
        rate in 1u32..80,
        buffers in 1u32..8,
        queueing in prop::sample::select(vec!["per-output", "fifo"]),
        crossbar in prop::sample::select(vec!["per-buffer", "per-port"]),
        loss in prop::sample::select(vec![0.0, 0.01]),
        hold in prop::option::of(20u32..200),
        routing in prop::sample::select(vec!["deterministic", "adaptive", "exchange"]),
        channels in 1u32..3,
        class in prop::sample::select(vec!["class-2", "class-3"]),
        change in prop::option::of((0usize..5, 0u64..4_000, 1u64..3_000)),
        seed in 0u32..100_000,
    ) {
        let hold = hold.map_or(String::new(), |us| format!("switch.hold_time = \"{us} us\"\n"));
        let buffers = buffers.max(channels);
        let answers = if class == "class-2" { "class_2.answer_time = \"2 ms\"\n" } else { "" };
        let san = format!(
            "class = \"{class}\"\n{answers}e_d_tov = \"2 ms\"\nframe_loss = {loss:?}\nrouting = \"{routing}\"\nswitch.queueing = \"{queueing}\"\n\
             switch.crossbar = \"{crossbar}\"\nswitch.buffers = {buffers}\nswitch.channels = {channels}\n{hold}\
             links.other = {{ from = \"one\", to = \"two\", cable = \"1 km\" }}\n"
        );
        let more = change.map_or(String::new(), |(what, at, back)| {
            let what = ["san.links.right", "san.links.left", "san.switches.two", "c", "from"][what];
            format!(
                "[[event]]\nat = \"{at} us\"\nwhat = \"{what}\"\ndo = \"remove\"\n\
                 [[event]]\nat = \"{} us\"\nwhat = \"{what}\"\ndo = \"add\"\n", at + back
            )
        });
        let whole = text(&san, &format!("rate = \"{rate} MB/s\""), &more)
            .replace("measured_ios = 200", &format!("seed = {seed}\nmeasured_ios = 60"))
            .replace("[host]\nkind = \"host\"\n", "[host]\nkind = \"host\"\ndriver.time_out = \"5 ms\"\nadapter.abort_answer_time = \"1 ms\"\n");
        // The run checks its leftovers at its end: frames sent and copied are received or lost, buffers are empty, credit is back.
        assert_adds_up(&run(&whole));
    }
}

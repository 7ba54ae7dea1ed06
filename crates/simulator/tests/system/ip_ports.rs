//! IP and FCP share a fabric: IP uses the remaining capacity of links, makes I/Os longer, and adds up at the end of
//! every run.

use crate::common::figure;
use crate::common::text::{assert_adds_up, run};
use proptest::prelude::*;
use sansim_scenario::Scenario;
use sansim_simulator::RunResult;

/// A host and a drive at two switches, with two IP ports in addition.
fn text(san: &str, ip: &str) -> String {
    format!(
        "[run]\nmeasured_ios = 400\nwarm_up = 20\n[san]\nkind = \"fabric\"\nspeed = \"4GFC\"\ntopology = \"given\"\n\
         stations = [\"host\", \"drive\", \"here\", \"there\"]\nswitches.near.stations = [\"host\", \"there\"]\n\
         switches.far.stations = [\"drive\", \"here\"]\nlinks.between = {{ from = \"near\", to = \"far\", cable = \"300 m\" }}\n{san}\n\
         [host]\nkind = \"host\"\n\
         [drive]\nkind = \"drives\"\nmodel = \"ram\"\ntransfer_rate = \"1 GB/s\"\n\
         [here]\nkind = \"ip-port\"\nto = [\"there\"]\n{ip}\n[there]\nkind = \"ip-port\"\n\
         [load]\nkind = \"closed\"\nfrom = \"host\"\nto = \"drive\"\nsize = \"32 KiB\"\nread_fraction = 1.0\nqueue_depth = 4\n"
    )
}

fn datagrams(result: &RunResult) -> [f64; 4] {
    [("here", "sent"), ("there", "received"), ("here", "dropped"), ("there", "sent")]
        .map(|(port, what)| figure(&result.summary, port, &format!("{what}_datagrams")))
}

#[test]
fn ip_takes_a_share_of_the_link_and_reads_have_the_rest() {
    let rates = ["1 B/s", "50 MB/s", "100 MB/s", "150 MB/s"].map(|rate| {
        let result = run(&text("", &format!("rate = \"{rate}\"\narrivals = \"deterministic\"")));
        assert_adds_up(&result);
        result.summary.iops * 32.0 * 1024.0 / 1e6
    });
    println!("reads with ever more IP beside them: {rates:.1?} MB/s");
    assert!(rates.windows(2).all(|pair| pair[1] < pair[0]), "{rates:?}");
    // Both flows leave by one output, in turn; more than 170 MB/s of IP would be more than its turns allow. The words of a datagram of
    // 1,500 bytes with its headers and gap, and of 16 data frames and a response, at 425 million bytes a second.
    let link = 425.0 / 4.0;
    let (datagram, read) = ((1_524_f64 / 4.0).ceil() + 15.0, 16.0 * 527.0 + 21.0);
    for (ip, found) in [(50.0, rates[1]), (100.0, rates[2]), (150.0, rates[3])] {
        let left = link - ip / 1_500.0 * datagram;
        let by_hand = left / read * 32.0 * 1_024.0;
        assert!((found / by_hand - 1.0).abs() < 0.02, "{ip}: {found}, by hand {by_hand}");
    }
}

#[test]
fn what_finds_the_queue_full_is_dropped_and_all_else_comes_in() {
    let result = run(&text("", "rate = \"1 GB/s\"\nqueue = 8"));
    assert_adds_up(&result);
    let [sent, received, dropped, none] = datagrams(&result);
    assert!(sent > 0.0 && dropped > sent && none == 0.0, "{sent}, {dropped}, {none}");
    // The difference is the datagrams in flight at the beginning and the end of the interval.
    assert!((sent - received).abs() < 40.0, "{sent}, {received}");
}

#[test]
fn ip_in_a_fabric_of_class_2_has_no_acks_and_what_is_discarded_is_gone() {
    let san = "class = \"class-2\"\nswitch.hold_time = \"60 us\"";
    let ip = "rate = \"400 MB/s\"\nsize = \"2000 B\"";
    let busy = text(san, ip)
        .replace("[host]\nkind = \"host\"\n", "[host]\nkind = \"host\"\ndriver.time_out = \"10 ms\"\n");
    let result = run(&busy);
    assert_adds_up(&result);
    assert!(figure(&result.summary, "san", "lost_frames") > 0.0);
}

#[test]
fn ip_ports_at_a_switch_that_stays_away_leave_nothing_behind() {
    let events = "[[event]]\nat = \"1 ms\"\nwhat = \"san.switches.near\"\ndo = \"fail\"\n\
                  [[event]]\nat = \"3 ms\"\nwhat = \"san.switches.near\"\ndo = \"repair\"\n\
                  [[event]]\nat = \"4 ms\"\nwhat = \"san.links.between\"\ndo = \"fail\"\n\
                  [[event]]\nat = \"5 ms\"\nwhat = \"san.links.between\"\ndo = \"repair\"\n";
    let both = text("", "rate = \"300 MB/s\"").replace(
        "[there]\nkind = \"ip-port\"",
        "[there]\nkind = \"ip-port\"\nto = [\"here\"]\nrate = \"200 MB/s\"",
    );
    let timed = both.replace(
        "[host]\nkind = \"host\"\n",
        "[host]\nkind = \"host\"\ndriver.time_out = \"5 ms\"\nadapter.abort_answer_time = \"1 ms\"\n",
    );
    let result = run(&format!("{}{events}", timed.replace("warm_up = 20", "warm_up = 0")));
    assert_adds_up(&result);
    let [sent, received, ..] = datagrams(&result);
    assert!(received < sent, "{sent}, {received}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(sansim_trials::case_count(25)))]

    #[test]
    fn a_run_adds_up_whatever_goes_beside_it(
        seed in 0_u64..1_000,
        megabytes in 1_u32..500,
        size in 20_u32..2_088,
        queue in 1_u32..40,
        poisson in any::<bool>(),
        class_2 in any::<bool>(),
        back in any::<bool>(),
    ) {
        let arrivals = if poisson { "poisson" } else { "deterministic" };
        let ip = format!("rate = \"{megabytes} MB/s\"\nsize = \"{size} B\"\nqueue = {queue}\narrivals = \"{arrivals}\"");
        let text = text(if class_2 { "class = \"class-2\"" } else { "" }, &ip);
        let text = if back { text.replace("[there]\nkind = \"ip-port\"", &format!("[there]\nkind = \"ip-port\"\nto = [\"here\"]\n{ip}")) } else { text };
        let result = run(&text.replace("[run]\n", &format!("[run]\nseed = {seed}\n")));
        assert_adds_up(&result);
    }
}

#[test]
fn an_ip_port_stands_where_ip_goes_and_sends_to_those_that_it_can_reach() {
    let told = |text: &str| Scenario::parse_text(text, "a test").expect_err("refused").to_string();
    let zones = "zones.one.members = [\"host\", \"drive\", \"here\"]\nzones.other.members = [\"there\"]";
    let refused = told(&text(zones, ""));
    assert!(refused.contains("`there` is in no zone together with `here`"), "{refused}");
    let nobody = told(&text("", "").replace("to = [\"there\"]", "to = [\"host\"]"));
    assert!(nobody.contains("`host` is a host, but an IP port is needed here"), "{nobody}");
    let elsewhere = |network: &str| {
        let stations = format!("[other]\n{network}\nstations = [\"here\"]\n[san]");
        let text = text("", "").replace("[san]", &stations);
        text.replace(", \"here\", \"there\"]", ", \"there\"]").replace("[\"drive\", \"here\"]", "[\"drive\"]")
    };
    let refused = told(&elsewhere("kind = \"arbitrated-loop\"\nspeed = \"4GFC\""));
    assert!(refused.contains("`there` is not on `other`"), "{refused}");
    let refused = told(&elsewhere("kind = \"scsi-bus\""));
    assert!(refused.contains("`here` is attached to `other`, which carries no IP"), "{refused}");
}

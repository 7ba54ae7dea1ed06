//! IP and FCP share a loop: a datagram takes a circuit, which is counted by hand to the word, and all loop models agree.

use crate::common::figure;
use crate::common::text::{assert_adds_up, assert_near, assert_reference_agrees, run, run_seen};
use proptest::prelude::*;
use sansim_fc::observation::Observation;
use sansim_fc::word::LinkItem;
use sansim_kernel::Time;
use sansim_observe::observer::{Observer, WantedCalls};
use sansim_pdu::PortSight;
use sansim_request::Requests;

/// The words of 2GFC in an interval of 30 us, at which datagrams of 1,500 bytes come at 50 MB/s.
const WORDS_OF_INTERVAL: f64 = 30_000.0 * 17.0 / 320.0;

/// Two IP ports, a host and a drive, whose ports have a delay of six words each and no cable.
fn text(network: &str, ip: &str, load: &str) -> String {
    format!(
        "[run]\nwarm_up = 0\n[loop]\nspeed = \"2GFC\"\nstations = [\"here\", \"there\", \"host\", \"drive\"]\n{network}\n\
         [host]\nkind = \"host\"\n[here]\nkind = \"ip-port\"\nto = [\"there\"]\n{ip}\n[there]\nkind = \"ip-port\"\n\
         [drive]\nkind = \"drives\"\n{load}\n[load]\nkind = \"closed\"\nfrom = \"host\"\nto = \"drive\"\nsize = \"32 KiB\"\nread_fraction = 1.0\nqueue_depth = 4\n"
    )
}

const LOOP: &str = "kind = \"arbitrated-loop\"";
const EVERY_30_US: &str = "rate = \"50 MB/s\"\narrivals = \"deterministic\"";
/// The drive answers no command during the run, so that datagrams have the loop for themselves.
const SILENT: &str = "access_time = \"50 ms\"\ntransfer_rate = \"100 MB/s\"";
const FAST: &str = "model = \"ram\"\ntransfer_rate = \"1 GB/s\"";

/// The signals and frames that ports send.
#[derive(Default)]
struct Sent(Vec<String>);

impl Observer for Sent {
    fn wants(&self) -> WantedCalls {
        WantedCalls { ports: true, ..WantedCalls::default() }
    }

    fn at_port(&mut self, now: Time, station: usize, what: PortSight, _requests: &Requests) {
        let slot = (now - Time::ZERO).ticks() / 10_560;
        match Observation::from_port_sight(what) {
            Some(Observation::SentItem(LinkItem::Signal(signal))) => {
                self.0.push(format!("{slot} {station} {signal}"));
            }
            Some(Observation::SentItem(LinkItem::Frame(frame))) => {
                self.0.push(format!("{slot} {station} frame of {} words", frame.length_in_words()));
            }
            _ => {}
        }
    }
}

#[test]
fn a_datagram_takes_a_circuit_of_452_words() {
    let text = text(LOOP, EVERY_30_US, SILENT).replace("warm_up = 0", "warm_up = 0\nmeasured_ios = 1");
    let (.., sent) = run_seen(&text, Sent::default());
    // The first datagram comes in word 1593.75. ARB(x) goes out in the next slot, and is back after a round of 24 words. OPN passes six
    // words to the next port, which sends three R_RDYs from the third word behind it on. ARB(F0) behind OPN is back at 1645, so the frame
    // waits for the two IDLEs from 1646 on. It has 1,524 bytes, so 390 words. Six words later CLS follows, and an R_RDY for the buffer,
    // which is free at once, six words after which the other CLS goes. This is back at 2069.
    let circuit = [
        "1619 0 OPN(04,04)",
        "1628 1 R_RDY",
        "1631 1 R_RDY",
        "1634 1 R_RDY",
        "1648 0 frame of 390 words",
        "2044 0 CLS",
        "2044 1 R_RDY",
        "2051 1 CLS",
    ];
    let within = |word: &&String| {
        let slot = word.split(' ').next().and_then(|slot| slot.parse::<u64>().ok());
        slot.is_some_and(|slot| (1_594..=2_070).contains(&slot))
    };
    let mut found: Vec<&str> = sent.0.iter().filter(within).map(String::as_str).collect();
    found.sort_unstable();
    assert_eq!(found, circuit);
}

#[test]
fn ip_alone_takes_the_share_of_the_loop_that_its_circuits_have() {
    let load = "access_time = \"5 ms\"\ntransfer_rate = \"100 MB/s\"";
    let text = text(LOOP, EVERY_30_US, load).replace("warm_up = 0", "warm_up = 0\nduration = \"100 ms\"");
    let result = run(&text.replace("32 KiB", "512 B").replace("queue_depth = 4", "queue_depth = 1"));
    assert_adds_up(&result);
    assert_near("owned", figure(&result.summary, "loop", "owned"), 452.0 / WORDS_OF_INTERVAL, 0.01);
    assert_near(
        "utilisation",
        figure(&result.summary, "loop", "utilisation"),
        390.0 / WORDS_OF_INTERVAL,
        0.01,
    );
}

#[test]
fn reads_have_the_less_of_the_loop_the_more_ip_there_is() {
    for network in [LOOP, "kind = \"loop-switch\"\nlinks = \"star\""] {
        let rates = ["1 B/s", "20 MB/s", "40 MB/s", "80 MB/s"].map(|rate| {
            let ip = format!("rate = \"{rate}\"\narrivals = \"deterministic\"");
            let result =
                run(&text(network, &ip, FAST).replace("warm_up = 0", "warm_up = 20\nmeasured_ios = 400"));
            assert_adds_up(&result);
            result.summary.iops * 32.0 * 1024.0 / 1e6
        });
        println!("reads with ever more IP beside them: {rates:.1?} MB/s");
        assert!(rates.windows(2).all(|pair| pair[1] < pair[0]), "{rates:?}");
    }
}

#[test]
fn datagrams_in_flight_are_lost_when_a_loop_is_initialised_or_their_receiver_leaves() {
    let events = "[[event]]\nat = \"1010 us\"\ndo = \"initialise\"\nwhat = \"loop\"\n\
                  [[event]]\nat = \"30 ms\"\ndo = \"remove\"\nwhat = \"there\"\n\
                  [[event]]\nat = \"60 ms\"\ndo = \"add\"\nwhat = \"there\"\n";
    let network = format!("{LOOP}\ninitialisation_hold_time = \"20 us\"");
    let text = text(&network, EVERY_30_US, SILENT)
        .replace("warm_up = 0", "warm_up = 0\nduration = \"120 ms\"")
        .replace("access_time = \"50 ms\"", "access_time = \"1 ms\"")
        .replace("[host]\nkind = \"host\"\n", "[host]\nkind = \"host\"\ndriver.time_out = \"20 ms\"\n");
    let result = run(&format!("{text}{events}"));
    assert_adds_up(&result);
    let [sent, received] = [("here", "sent"), ("there", "received")]
        .map(|(port, what)| figure(&result.summary, port, &format!("{what}_datagrams")));
    let lost = figure(&result.summary, "loop", "frames_lost");
    println!("{sent} datagrams were sent, {received} received, {lost} frames lost");
    assert!(lost > 500.0 && received > 500.0, "{received} received, {lost} lost");
    assert_reference_agrees(&format!("{text}{events}"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(sansim_trials::case_count(60)))]

    #[test]
    fn a_loop_adds_up_and_its_models_agree_whatever_ip_goes_beside_the_ios(
        seed in 0_u64..1_000,
        megabytes in 1_u32..250,
        size in 20_u32..2_088,
        queue in 1_u32..40,
        poisson in any::<bool>(),
        class_2 in any::<bool>(),
        back in any::<bool>(),
        is_switch in any::<bool>(),
        duplex in any::<bool>(),
        tenancy in 1_u32..6,
    ) {
        let arrivals = if poisson { "poisson" } else { "deterministic" };
        let ip = format!(
            "rate = \"{megabytes} MB/s\"\nsize = \"{size} B\"\nqueue = {queue}\narrivals = \"{arrivals}\"\n\
             port.full_duplex = {duplex}\nport.frames_per_tenancy = {tenancy}"
        );
        let network = match (is_switch, class_2) {
            (true, _) => "kind = \"loop-switch\"",
            (false, true) => "kind = \"arbitrated-loop\"\nclass = \"class-2\"",
            (false, false) => LOOP,
        };
        let mut text = text(network, &ip, FAST);
        if back {
            text = text.replace("[there]\nkind = \"ip-port\"", &format!("[there]\nkind = \"ip-port\"\nto = [\"here\"]\n{ip}"));
        }
        let text = text.replace("warm_up = 0", &format!("warm_up = 5\nmeasured_ios = 100\nseed = {seed}"));
        assert_adds_up(&run(&text));
        assert_reference_agrees(&text);
    }
}

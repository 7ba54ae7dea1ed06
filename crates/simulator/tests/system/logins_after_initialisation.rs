//! Logins after the initialisation of a loop: ADISC is counted by hand to the word, and on random systems at random moments nothing is lost or
//! answered twice, the ledgers add up, and all loop models agree.

use crate::changing_loops::small;
use crate::common::text::{assert_adds_up, assert_reference_agrees, assert_same, away, event, run, run_seen};
use crate::random_errors;
use proptest::prelude::*;
use sansim_component::NetworkModel;
use sansim_fc::observation::Observation;
use sansim_fc::word::LinkItem;
use sansim_kernel::Time;
use sansim_observe::observer::{Observer, WantedCalls};
use sansim_pdu::PortSight;
use sansim_request::Requests;

const LOGIN: &str = "adapter.login = true";

/// The signals and frames that ports send, from a word on.
struct Sent(u64, Vec<String>);

impl Observer for Sent {
    fn wants(&self) -> WantedCalls {
        WantedCalls { ports: true, ..WantedCalls::default() }
    }

    fn at_port(&mut self, now: Time, station: usize, what: PortSight, _requests: &Requests) {
        let slot = (now - Time::ZERO).ticks() / 10_560;
        if slot < self.0 {
            return;
        }
        match Observation::from_port_sight(what) {
            Some(Observation::SentItem(LinkItem::Signal(signal))) => {
                self.1.push(format!("{slot} {station} {signal}"));
            }
            Some(Observation::SentItem(LinkItem::Frame(frame))) => {
                let kind = frame.kind;
                self.1.push(format!("{slot} {station} {kind:?} of {} words", frame.length_in_words()));
            }
            _ => {}
        }
    }
}

fn initialised(at_us: u64, host: &str) -> String {
    small(&event(at_us, "initialise", "loop"), host).replace("[load]", "[load]\nthink_time = \"20 ms\"")
}

#[test]
fn adisc_and_its_answer_take_150_words() {
    let text = initialised(3_000, LOGIN);
    let (.., sent) = run_seen(&text, Sent(1_100_000, Vec::new()));
    // The next I/O comes in word 1118992, 20 words before the first OPN: ARB(x) goes out in the next slot and is back after a round of 18
    // words. OPN passes six words to the first drive, which sends three R_RDYs from the third word behind it on. ARB(F0) behind OPN is back
    // 20 words after OPN, and ADISC of 16 words waits for the two IDLEs behind it. CLS follows after six words, and the other CLS six words
    // after an R_RDY for the buffer. The answer of the drive comes in the same way; it passes twelve words, so its last R_RDY and its last CLS
    // are six words later. 20 words after that CLS the command has the loop: 72 + 78 words.
    let expected = [
        "1119012 0 OPN(02,02)",
        "1119021 1 R_RDY",
        "1119024 1 R_RDY",
        "1119027 1 R_RDY",
        "1119035 0 ServiceRequest of 16 words",
        "1119057 0 CLS",
        "1119057 1 R_RDY",
        "1119064 1 CLS",
        "1119084 1 OPN(01,01)",
        "1119099 0 R_RDY",
        "1119102 0 R_RDY",
        "1119105 0 R_RDY",
        "1119107 1 ServiceAccept of 16 words",
        "1119129 1 CLS",
        "1119135 0 R_RDY",
        "1119142 0 CLS",
        "1119162 0 OPN(02,02)",
    ];
    assert_eq!(sent.1[..expected.len()], expected);
    let words = |text: &str| {
        let result = run(text);
        assert_adds_up(&result);
        result.ios.rows.iter().map(|io| io.response.ticks() / 10_560).collect::<Vec<_>>()
    };
    let (with, without) = (words(&text), words(&initialised(3_000, "")));
    let later: Vec<u64> = with.iter().zip(&without).map(|(with, without)| with - without).collect();
    // Only the first I/O behind the initialisation waits.
    assert_eq!(later, [0, 150, 0, 0, 0]);
    // A run begins with all ports logged in.
    let calm = |host: &str| words(&small("", host));
    assert_eq!(calm(LOGIN), calm(""));
}

#[test]
fn an_open_exchange_goes_on_and_adisc_is_sent_at_once_beside_it() {
    // The drive works on the first I/O when the loop is initialised, and has its data when the loop works again.
    let text = initialised(500, LOGIN);
    let kinds = |text: &str| {
        let (.., sent) = run_seen(text, Sent(0, Vec::new()));
        sent.1.into_iter().filter(|what| what.contains(" of ")).take(6).collect::<Vec<String>>()
    };
    let found = kinds(&text);
    assert_eq!(found.iter().filter(|what| what.contains("ServiceRequest")).count(), 1, "{found:?}");
    assert_eq!(found.iter().filter(|what| what.contains("Command")).count(), 1, "{found:?}");
    let result = run(&text);
    assert_adds_up(&result);
    assert_eq!(result.summary.failed_ios, 0);
    assert_reference_agrees(&text);
    // The next I/O comes when the login is complete.
    let responses = |text: &str| run(text).ios.rows.iter().skip(1).map(|io| io.response).collect::<Vec<_>>();
    assert_eq!(responses(&text)[1..], responses(&initialised(500, ""))[1..]);
}

/// Loops with two hosts, on one loop and by two paths.
const SYSTEMS: [(&str, &[&str], &[&str]); 2] = [
    (
        r#"
        [loop]
        kind = "arbitrated-loop"
        speed = "2GFC"
        initialisation_hold_time = "20 us"
        class = CLASS
        WORDS
        stations = ["host", "other", "disks"]
        [host]
        kind = "host"
        driver.time_out = "25 ms"
        driver.escalation = ["lun-reset", "adapter-reset"]
        driver.escalation_time = "9 ms"
        adapter.login = true
        adapter.abort_answer_time = "5 ms"
        adapter.logout_aborts = 2
        adapter.reset_time = "4 ms"
        adapter.frame_loss = LOSS
        [other]
        kind = "host"
        driver.time_out = "30 ms"
        adapter.login = true
        adapter.abort_answer_time = "3 ms"
        [disks]
        kind = "drives"
        count = 3
        access_time = "300 us"
        transfer_rate = "200 MB/s"
        adapter.frame_loss = LOSS
        [load]
        kind = "closed"
        from = "host"
        to = ["disks"]
        size = "24 KiB"
        read_fraction = 0.5
        queue_depth = 3
        [load-of-other]
        kind = "closed"
        from = "other"
        to = ["disks"]
        size = "8 KiB"
        read_fraction = 0.5
        "#,
        &["loop"],
        &["host", "disks[0]", "disks"],
    ),
    (
        r#"
        [left]
        kind = "arbitrated-loop"
        speed = "2GFC"
        initialisation_hold_time = "20 us"
        class = CLASS
        WORDS
        stations = ["host.adapters.a", "disks.adapters.a"]
        [right]
        kind = "arbitrated-loop"
        speed = "4GFC"
        class = CLASS
        stations = ["host.adapters.b", "disks.adapters.b"]
        [host]
        kind = "host"
        path = "round-robin"
        driver.time_out = "25 ms"
        adapters.a.login = true
        adapters.a.abort_answer_time = "3 ms"
        adapters.b.login = true
        adapters.b.abort_answer_time = "3 ms"
        [disks]
        kind = "drives"
        adapters.a.frame_loss = LOSS
        adapters.b.frame_loss = 0.0
        count = 2
        access_time = "300 us"
        transfer_rate = "200 MB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["disks"]
        size = "24 KiB"
        read_fraction = 0.5
        queue_depth = 4
        "#,
        &["left", "right"],
        &["host.adapters.a", "disks[0].adapters.b", "disks[1]"],
    ),
];

#[derive(Clone, Debug)]
struct Case {
    system: usize,
    class: &'static str,
    loss: f64,
    words: &'static str,
    /// The moments at which a loop is initialised, in microseconds.
    initialised: Vec<u64>,
    /// The node that leaves: its place in the list, the time, the length of its absence, and whether LIP follows.
    removed: Option<(usize, u64, u64, bool)>,
    seed: u32,
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    let (text, loops, nodes) = SYSTEMS[case.system];
    let text = text
        .replace("CLASS", &format!("{:?}", case.class))
        .replace("LOSS", &format!("{:?}", case.loss))
        // In class 2 no words are damaged.
        .replace("WORDS", if case.class == "class-3" { case.words } else { "" });
    let mut text = format!("[run]\nseed = {}\nmeasured_ios = 120\nwarm_up = 0\n{text}\n", case.seed);
    for (number, &at) in case.initialised.iter().enumerate() {
        text += &event(at, "initialise", loops[number % loops.len()]);
    }
    if let Some((node, at, lasts, initialises)) = case.removed {
        let away = away(nodes[node % nodes.len()], at, lasts);
        text += &if initialises { away } else { away.replace("do = ", "initialise = false\ndo = ") };
    }
    let result = random_errors::run(&text, NetworkModel::Fast)?;
    assert_adds_up(&result);
    prop_assert_eq!(result.summary.ios, 120);
    assert_same(&result, &random_errors::run(&text, NetworkModel::Stepped)?);
    if case.seed.is_multiple_of(3) {
        assert_same(&result, &random_errors::run(&text, NetworkModel::Reference)?);
    }
    Ok(())
}

fn cases() -> impl Strategy<Value = Case> {
    let class = prop_oneof![Just("class-3"), Just("class-2")];
    let loss = prop_oneof![Just(0.0), 0.0f64..0.05];
    let words = prop_oneof![3 => Just(""), 1 => Just("word_loss = 1e-5")];
    // A second initialisation may come while the answers to the first are in flight.
    let initialised = prop::collection::vec(0u64..60_000, 1..5);
    let removed = prop::option::of((0usize..3, 0u64..40_000, 1u64..60_000, any::<bool>()));
    (0..SYSTEMS.len(), class, loss, words, initialised, removed, 0u32..100_000).prop_map(
        |(system, class, loss, words, initialised, removed, seed)| Case {
            system,
            class,
            loss,
            words,
            initialised,
            removed,
            seed,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(400), max_shrink_iters: 100, ..ProptestConfig::default() })]
    #[test]
    fn nothing_is_lost_or_answered_twice_when_ports_log_in_after_an_initialisation(case in cases()) {
        check(&case)?;
    }
}

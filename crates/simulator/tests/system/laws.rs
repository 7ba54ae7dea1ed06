//! A law of whole systems: no improvement makes an I/O slower, over random systems with one I/O in flight at a time.
//!
//! The improvements are more buffers, more login credit, less cable, fewer and quicker ports, a faster link, and every rate and processing
//! time of the adapters and drives. Two effects may still cost time, because they are races that a quicker system may lose: an I/O may use
//! other tenancies (its status just misses the circuit of the data, or a port that closes within a sequence runs out of frames earlier), or
//! wait for another access window. The cost of such a race is counted in trips round the loop, and the test reports every race.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sansim_component::ComponentId;
use sansim_component::NetworkModel;
use sansim_fc::loop_port::PortState;
use sansim_fc::observation::Observation;
use sansim_fc::word::LinkItem;
use sansim_kernel::{Span, Time};
use sansim_network::stations::fc_port_keys;
use sansim_observe::names::SystemNames;
use sansim_observe::observer::{Observer, RequestStep, WantedCalls};
use sansim_pdu::PortSight;
use sansim_request::{RequestId, Requests};
use sansim_scenario::{Part, Scenario};
use sansim_simulator::{build, run::RecordingOptions};
use std::cell::{Cell, RefCell};

/// A random system; the units are the units of [`System::text`].
#[derive(Clone, Debug)]
struct System {
    speed: u32,
    cable: u32,
    port_delay: u32,
    access_in_circuit: bool,
    stations: &'static str,
    schedule: &'static str,
    full_duplex: bool,
    within: &'static str,
    host_buffers: u32,
    host_login: u32,
    drive_buffers: u32,
    drive_login: u32,
    outgoing: u32,
    command_time: u32,
    dma: u32,
    dma_setup: u32,
    frame_time: u32,
    single_frame: u32,
    drive_command: u32,
    drive_frame: u32,
    transfer_ready: u32,
    response: u32,
    own_circuit: bool,
    access: u32,
    media: u32,
    drives: u32,
    passive: u32,
    size: u32,
    read: bool,
}

impl System {
    fn text(&self) -> String {
        let Self {
            speed, cable, port_delay, access_in_circuit, stations, schedule, full_duplex, within, ..
        } = self;
        format!(
            "[run]\nmeasured_ios = 4\nwarm_up = 0\n\
             [loop]\nkind = \"arbitrated-loop\"\nspeed = \"{speed}GFC\"\ncable = \"{cable} m\"\n\
             port_delay = \"{port_delay} words\"\nstations = {stations}\n\
             access_in_circuit = {access_in_circuit}\n\
             [h]\nkind = \"host\"\nschedule = \"{schedule}\"\n\
             [h.port]\nincoming_buffers = {}\nlogin_credit = {}\nfull_duplex = {full_duplex}\n\
             within_sequence = {within}\n\
             [h.adapter]\ncommand_time = \"{} ns\"\ndma_bandwidth = \"{} MB/s\"\ndma_setup_time = \"{} ns\"\n\
             frame_time = \"{} ns\"\nsingle_frame_time = \"{} ns\"\noutgoing_buffers = {}\n\
             xfer_rdy_time = \"{} ns\"\n\
             [d]\nkind = \"drives\"\ncount = {}\naccess_time = \"{} us\"\ntransfer_rate = \"{} MB/s\"\n\
             [d.port]\nincoming_buffers = {}\nlogin_credit = {}\nfull_duplex = {full_duplex}\n\
             within_sequence = {within}\n\
             [d.adapter]\ncommand_time = \"{} ns\"\ndma_bandwidth = \"{} MB/s\"\nframe_time = \"{} ns\"\n\
             outgoing_buffers = {}\nresponse_time = \"{} ns\"\nresponse_circuit = \"{}\"\n\
             [p]\nkind = \"passive\"\ncount = {}\n\
             [w]\nkind = \"closed\"\nfrom = \"h\"\nto = \"d\"\nsize = \"{} B\"\nread_fraction = {}\n\
             queue_depth = 1\nqueue_depth_per = \"all\"\n",
            self.host_buffers,
            self.host_login,
            self.command_time,
            self.dma,
            self.dma_setup,
            self.frame_time,
            self.single_frame,
            self.outgoing,
            self.transfer_ready,
            self.drives,
            self.access,
            self.media,
            self.drive_buffers,
            self.drive_login,
            self.drive_command,
            self.dma,
            self.drive_frame,
            self.outgoing,
            self.response,
            if self.own_circuit { "own" } else { "shared" },
            self.passive,
            self.size,
            if self.read { "1.0" } else { "0.0" },
        )
    }
}

/// An improvement: a name, and the change of the system.
type Improvement = (&'static str, fn(&mut System));

const IMPROVEMENTS: [Improvement; 24] = [
    ("speed", |s| s.speed = (2 * s.speed).min(8)),
    ("cable", |s| s.cable /= 2),
    ("port delay", |s| s.port_delay = (s.port_delay - 1).max(1)),
    ("passive ports", |s| s.passive /= 2),
    ("one more buffer of the host", |s| s.host_buffers += 1),
    ("128 buffers of the host", |s| s.host_buffers = 128),
    ("one more buffer of the drives", |s| s.drive_buffers += 1),
    ("128 buffers of the drives", |s| s.drive_buffers = 128),
    // A promised buffer must be free before a circuit is closed, so it is added to the existing buffers.
    ("login credit of the host", |s| (s.host_login, s.host_buffers) = (s.host_login + 1, s.host_buffers + 1)),
    ("login credit of the drives", |s| {
        (s.drive_login, s.drive_buffers) = (s.drive_login + 1, s.drive_buffers + 1)
    }),
    ("outgoing buffers", |s| s.outgoing += 3),
    ("command time", |s| s.command_time /= 2),
    ("DMA bandwidth", |s| s.dma *= 2),
    ("DMA setup time", |s| s.dma_setup /= 2),
    ("frame time", |s| s.frame_time /= 2),
    ("single frame time", |s| s.single_frame /= 2),
    ("command time of the drives", |s| s.drive_command /= 2),
    ("frame time of the drives", |s| s.drive_frame /= 2),
    ("time to handle transfer ready", |s| s.transfer_ready /= 2),
    ("time to make a response", |s| s.response /= 2),
    ("access time", |s| s.access /= 2),
    ("media rate", |s| s.media *= 2),
    ("all frame times", |s| (s.frame_time, s.drive_frame) = (0, 0)),
    ("all buffers", |s| (s.host_buffers, s.drive_buffers, s.outgoing) = (64, 64, 64)),
];

fn systems() -> impl Strategy<Value = System> {
    use prop::sample::select;
    let network = (
        select(vec![1u32, 2, 4, 8]),
        select(vec![0u32, 5, 50, 1000, 10_000]),
        select(vec![1u32, 2, 6]),
        select(vec!["[\"h\", \"d\", \"p\"]", "[\"h\", \"p\", \"d\"]", "[\"d\", \"h\", \"p\"]"]),
        select(vec!["fair", "unfair", "command-first"]),
        any::<[bool; 2]>(),
        select(vec!["\"hold\"", "\"hold\"", "1"]),
    );
    let buffers = (
        select(vec![1u32, 2, 3, 4, 8]),
        select(vec![0u32, 0, 1, 2]),
        select(vec![1u32, 2, 4]),
        select(vec![0u32, 1]),
        select(vec![1u32, 2, 4, 16]),
    );
    let adapters = (
        select(vec![0u32, 10_000, 43_900]),
        select(vec![133u32, 528, 1064, 4000]),
        select(vec![0u32, 15_500]),
        select(vec![0u32, 400, 6500]),
        select(vec![0u32, 20_200]),
        select(vec![0u32, 47_400]),
        select(vec![0u32, 400]),
        select(vec![0u32, 11_800]),
        select(vec![0u32, 500, 10_300]),
        any::<bool>(),
    );
    let drives = (
        select(vec![0u32, 50, 2000]),
        select(vec![50u32, 400, 4000]),
        select(vec![1u32, 2, 5]),
        select(vec![0u32, 1, 20]),
        select(vec![512u32, 1000, 2048, 4096, 16_384, 65_536, 262_144]),
        any::<bool>(),
    );
    (network, buffers, adapters, drives).prop_map(|(n, b, a, d)| System {
        speed: n.0,
        cable: n.1,
        port_delay: n.2,
        stations: n.3,
        schedule: n.4,
        full_duplex: n.5[0],
        access_in_circuit: n.5[1],
        within: n.6,
        host_buffers: b.0,
        host_login: b.1.min(b.0),
        drive_buffers: b.2,
        drive_login: b.3,
        outgoing: b.4,
        command_time: a.0,
        dma: a.1,
        dma_setup: a.2,
        frame_time: a.3,
        single_frame: a.4,
        drive_command: a.5,
        drive_frame: a.6,
        transfer_ready: a.7,
        response: a.8,
        own_circuit: a.9,
        access: d.0,
        media: d.1,
        drives: d.2,
        passive: d.3,
        size: d.4,
        read: d.5,
    })
}

/// The counts of a run for the law.
#[derive(Clone, Debug, Default)]
struct Count {
    names: SystemNames,
    /// For each I/O, the tenancies that it used, including TRANSFER: the number of frames of each.
    ios: Vec<Vec<u64>>,
    /// The tenancies of the I/O in flight.
    tenancies: Vec<u64>,
    /// The number of times that a frame had to wait for an access window.
    windows: u64,
}

impl Observer for Count {
    fn wants(&self) -> WantedCalls {
        WantedCalls { ports: true, requests: true, ..WantedCalls::default() }
    }

    fn at_port(&mut self, _now: Time, _station: usize, what: PortSight, _requests: &Requests) {
        let Some(what) = Observation::from_port_sight(what) else { return };
        match what {
            Observation::State(PortState::ArbitrationWon) => self.tenancies.push(0),
            Observation::SentItem(LinkItem::Frame(_)) => {
                self.tenancies.iter_mut().last().into_iter().for_each(|frames| *frames += 1);
            }
            _ => {}
        }
    }

    fn at_request(
        &mut self,
        _now: Time,
        _: ComponentId,
        _request: RequestId,
        what: RequestStep,
        _requests: &Requests,
    ) {
        match what {
            RequestStep::Enters(line) if self.names.place_and_segment(line).1.name == "access_window" => {
                self.windows += 1
            }
            RequestStep::Completed { .. } => self.ios.push(std::mem::take(&mut self.tenancies)),
            _ => {}
        }
    }
}

impl Count {
    fn tenancies(&self) -> u64 {
        self.ios.iter().map(|tenancies| tenancies.len() as u64).sum()
    }

    fn frames(&self) -> u64 {
        self.ios.iter().flatten().sum()
    }

    /// The number of tenancies by which the I/Os of two runs differ: tenancies that one I/O used and the other did not,
    /// and one where equally many carried other frames, so that the last of the frames may have been sent a tenancy later.
    fn differing(&self, other: &Self) -> u64 {
        let differ =
            |a: &Vec<u64>, b: &Vec<u64>| if a == b { 0 } else { a.len().abs_diff(b.len()).max(1) as u64 };
        self.ios.iter().zip(&other.ios).map(|(a, b)| differ(a, b)).sum()
    }
}

/// A run of a system.
struct Outcome {
    /// The sum of the response times.
    response: Span,
    count: Count,
    round: Span,
    word: Span,
    /// The longest time for which a port waits at the end of a circuit for the buffers that it promised at login (Wang
    /// 2005, figure 4.8).
    promised: Span,
}

fn run(system: &System) -> Outcome {
    let scenario = Scenario::parse_text(&system.text(), "law").unwrap_or_else(|report| panic!("{report}"));
    let plan = build::plan_system(&scenario, None, NetworkModel::Fast);
    let count = Count { names: plan.observer_names(), ..Count::default() };
    let (ended, count) = crate::common::watched(&plan, RecordingOptions::IOS, count).expect("it ends");
    let on_loop = &plan.graph.loops[0];
    let Part::ArbitratedLoop(network) = &plan.graph.parts[on_loop.part].part else { panic!("a loop") };
    let word = network.word_time();
    let sum = |spans: &mut dyn Iterator<Item = Span>| spans.fold(Span::ZERO, |sum, span| sum + span);
    let round = sum(&mut on_loop
        .stations
        .iter()
        .map(|s| &fc_port_keys(&s.port).port)
        .map(|port| network.propagation.propagation_time(port.cable) + port.delay.span));
    let promised = [(system.host_login, system.frame_time), (system.drive_login, system.drive_frame)]
        .map(|(buffers, frame_time_ns)| Span::from_ns(u64::from(buffers) * u64::from(frame_time_ns)))
        .into_iter()
        .max()
        .unwrap_or_default();
    Outcome { response: sum(&mut ended.ios.rows.iter().map(|io| io.response)), count, round, word, promised }
}

/// The number of trips round the loop of a tenancy: ARB(x), then OPN and the R_RDY that answers it, then both CLS (Ruwart
/// 1999, table 1).
const TRIPS_OF_A_TENANCY: u64 = 3;
/// The number of words of a tenancy in addition to its trips: reactions, OPN, R_RDY, both CLS and the gaps
/// before.
const WORDS_OF_A_TENANCY: u64 = 24;
/// The number of trips until an access window opens: the owner's ARB(F0), then IDLE.
const TRIPS_OF_A_WINDOW: u64 = 2;
/// The number of words of an R_RDY that was begun just before CLS came due: the R_RDY itself and the six fill
/// words before CLS.
const WORDS_BEFORE_CLOSE: u64 = 7;
/// The number of words of an R_RDY that was begun just before a frame came due: the R_RDY itself.
const WORDS_BEFORE_FRAME: u64 = 1;

/// The number of words by which an improvement made the I/Os slower than the law allows, and the race, if a race made
/// them slower.
fn beyond(before: &Outcome, after: &Outcome) -> (i64, Option<String>) {
    let (b, a) = (&before.count, &after.count);
    let (tenancies, windows) = (a.differing(b), a.windows.abs_diff(b.windows));
    let (round, word) = (before.round.max(after.round), before.word.max(after.word));
    let signals =
        word * (WORDS_BEFORE_CLOSE * b.tenancies().max(a.tenancies()) + WORDS_BEFORE_FRAME * b.frames());
    let promised = before.promised.max(after.promised);
    let races = (round * TRIPS_OF_A_TENANCY + word * WORDS_OF_A_TENANCY + promised) * tenancies
        + round * TRIPS_OF_A_WINDOW * windows;
    let slower = after.response.ticks() as i64 - before.response.ticks() as i64;
    let told = (slower > signals.ticks() as i64).then(|| {
        let share = 100.0 * slower as f64 / before.response.ticks() as f64;
        format!(
            "{share:.2} % slower: tenancies {} -> {} ({tenancies} differ), waits for a window {} -> {}",
            b.tenancies(),
            a.tenancies(),
            b.windows,
            a.windows
        )
    });
    ((slower - (signals + races).ticks() as i64) / word.ticks() as i64, told)
}

fn no_improvement_is_slower(cases: u32) {
    let (told, tried) = (RefCell::new(Vec::new()), Cell::new(0));
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let result = TestRunner::new(config).run(&systems(), |system| {
        let before = run(&system);
        for (name, improve) in IMPROVEMENTS {
            let mut better = system.clone();
            improve(&mut better);
            if better.text() == system.text() {
                continue;
            }
            tried.set(tried.get() + 1);
            let (words, race) = beyond(&before, &run(&better));
            prop_assert!(words <= 0, "{name}: {words} words that no race explains; {race:?}");
            told.borrow_mut()
                .extend(race.map(|race| format!("{name} (within_sequence = {}): {race}", system.within)));
        }
        Ok(())
    });
    for line in told.borrow().iter() {
        println!("{line}");
    }
    println!("{} of {} improvements lost a race", told.borrow().len(), tried.get());
    result.unwrap_or_else(|fault| panic!("{fault}"));
}

#[test]
fn no_improvement_makes_an_io_slower_but_by_tenancies_or_windows() {
    no_improvement_is_slower(sansim_trials::case_count(300));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(60), ..ProptestConfig::default() })]
    /// Credit that the other end cannot use costs no time: buffers beyond the number that fills the path change nothing
    /// but the words of some R_RDYs.
    #[test]
    fn a_thousand_buffers_are_as_quick_as_a_few(system in systems()) {
        let few = System { host_buffers: 64, drive_buffers: 64, ..system };
        let many = System { host_buffers: 1024, drive_buffers: 1024, ..few.clone() };
        let (few, many) = (run(&few), run(&many));
        let (words, race) = beyond(&few, &many);
        prop_assert!(words <= 0, "{} words that no race explains; {:?}", words, race);
    }
}

/// The test is the long run: `cargo test --release -p sansim-simulator --test system -- laws:: --ignored`.
#[test]
#[ignore = "long"]
fn no_improvement_makes_an_io_slower_but_by_tenancies_or_windows_3_000() {
    no_improvement_is_slower(3000);
}

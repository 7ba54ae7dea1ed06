//! A loop that is initialised while it runs, and ports that are bypassed and enabled: the steps counted by hand and by a model that goes
//! from word to word, and the two loop models on random loops with changes at random moments.

#[path = "../common/mod.rs"]
mod common;
mod word_by_word;
mod word_loss;

use common::{Case, Change, Job, Record, loop_of, run_changing, run_unseen, station, words};
use proptest::prelude::*;
use sansim_fc::arbitrated_loop::geometry::LoopGeometry;
use sansim_fc::arbitrated_loop::initialisation::{
    InitialisationSchedule, InitialisationStep, InitialisingPorts,
};
use sansim_fc::arbitrated_loop::{ArbitratedLoop, LoopModel, LoopParameters, LoopStation};
use sansim_fc::cable::CableLength;
use sansim_fc::initialisation_frame::{AL_TIME, ERROR_DETECT_TIME_OUT, InitialisationFrame};
use sansim_fc::loop_port::{ArbitrationSchedule, PortParameters};
use sansim_kernel::{Span, Time};

/// A word of 2GFC. AL_TIME has 796,875 of these words exactly.
const WORD: Span = Span(10_560);

fn slot(number: u64) -> Time {
    Time(WORD.ticks() * number)
}

/// The count by hand: three ports with a delay of six words each and no cable, so that a round takes 18 words. Port 0 sends LIP and is the
/// loop master, and no port keeps a frame.
#[test]
fn an_initialisation_of_three_ports_takes_as_many_words_as_a_count_by_hand() {
    assert_eq!(AL_TIME.ticks() % WORD.ticks(), 0);
    let al_time = AL_TIME.ticks() / WORD.ticks();
    assert_eq!(al_time, 796_875);
    let geometry = LoopGeometry::new(&[WORD * 6; 3], WORD);
    let ports = InitialisingPorts { takes_part: &[true; 3], begins: 0, master: 0 };
    let schedule = InitialisationSchedule::new(&geometry, WORD, &ports, Time(0), Span::ZERO);
    let at = |step: InitialisationStep| -> Vec<(u64, usize)> {
        let of_step = schedule.steps.iter().filter(|&&(_, _, other)| other == step);
        of_step.map(|&(at, port, _)| (at.ticks() / WORD.ticks(), port)).collect()
    };
    assert_eq!(at(InitialisationStep::Lip), [(0, 0), (6, 1), (12, 2)]);
    // Port 0 has its own LIPs back in the words 18, 19 and 20, and is in OPEN-INIT from word 21 on.
    assert_eq!(schedule.lip_is_back, slot(21));
    // Twelve LIPs, and IDLE for AL_TIME.
    let lism = 21 + 12 + al_time;
    let frame = |frame| at(InitialisationStep::Frame(frame));
    // LISM has 12 words; with six words between, one goes every 18 words. Port 1 began to send its own at 18 - 6 = 12 words before port 0.
    // It has the LISM of port 0 after 6 + 12 words, 30 words after its own first, and sends it from its next, the third, on: 36 - 12 words
    // later. Port 2 has it 18 words later, 24 + 18 + 6 = 48 words after its own first, and sends it 54 - 6 words after port 0.
    assert_eq!(frame(InitialisationFrame::SelectMaster), [(lism, 0), (lism + 24, 1), (lism + 48, 2)]);
    // It is back at port 0 after 18 more words. ARB(F0) goes round in 18 words, and port 0 answers it a word later.
    let master = lism + 48 + 18;
    assert_eq!(at(InitialisationStep::ArbF0), [(master, 0), (master + 6, 1), (master + 12, 2)]);
    let lifa = master + 18 + 1;
    // Frames of 14 words, each kept until it is complete: 6 + 14 words from port to port.
    assert_eq!(frame(InitialisationFrame::FabricAssigned), [(lifa, 0), (lifa + 20, 1), (lifa + 40, 2)]);
    assert_eq!(frame(InitialisationFrame::PreviouslyAcquired)[0], (lifa + 60, 0));
    let lirp = lifa + 4 * 60;
    // Frames of 42 words: 6 + 42 words from port to port.
    assert_eq!(frame(InitialisationFrame::ReportPosition), [(lirp, 0), (lirp + 48, 1), (lirp + 96, 2)]);
    let close = lirp + 2 * 3 * 48;
    assert_eq!(at(InitialisationStep::Close), [(close, 0), (close + 6, 1), (close + 12, 2)]);
    assert_eq!(schedule.ends, [slot(close + 18 + 1), slot(close + 6 + 1), slot(close + 12 + 1)]);
    assert_eq!(close + 19, 797_540);
}

#[test]
fn frames_have_the_lengths_and_identifiers_of_the_standard() {
    let described = InitialisationFrame::ALL.map(|frame| {
        (frame.name(), frame.identifier()[..2].to_vec(), frame.payload_bytes(), frame.length_in_words())
    });
    let expected = [
        ("LISM", 1, 12, 12),
        ("LIFA", 2, 20, 14),
        ("LIPA", 3, 20, 14),
        ("LIHA", 4, 20, 14),
        ("LISA", 5, 20, 14),
        ("LIRP", 6, 132, 42),
        ("LILP", 7, 132, 42),
    ];
    for (frame, (name, number, payload, words)) in described.into_iter().zip(expected) {
        assert_eq!(frame, (name, vec![0x11, number], payload, words));
    }
}

/// The time of an initialisation grows with each port by the hold time and by the words that the port adds to each of the seven frames
/// and to the four signals (LIP, ARB(F0), CLS and its own LIPs do not wait for a frame).
#[test]
fn each_port_more_costs_its_words_and_seven_times_its_hold_time() {
    let takes = |count: usize, hold: Span| {
        let geometry = LoopGeometry::new(&vec![WORD * 6; count], WORD);
        let takes_part = vec![true; count];
        let ports = InitialisingPorts { takes_part: &takes_part, begins: 0, master: 0 };
        let schedule = InitialisationSchedule::new(&geometry, WORD, &ports, Time(0), hold);
        schedule.ends_at().ticks() / WORD.ticks()
    };
    let hold = 53_125;
    assert_eq!(Span::from_ms(1).ticks(), WORD.ticks() * hold, "a hold time of 1 ms in words");
    // With a multiple of three ports a round is a multiple of the 18 words from LISM to LISM.
    for count in [3, 9, 63, 123] {
        let more = takes(count + 3, Span::ZERO) - takes(count, Span::ZERO);
        // LIP, ARB(F0) and CLS cost six words each, LISM 24 (count by hand above), four frames 20 words and two 48.
        assert_eq!(more, 3 * (3 * 6 + 24 + 4 * 20 + 2 * 48), "{count} ports");
        // With a hold time each frame waits at each port; a LISM waits for the next of the port's own, which come every 18 words.
        let held = takes(count, Span::from_ms(1)) - takes(count, Span::ZERO);
        let exact = 7 * count as u64 * hold;
        assert!((exact - 18 * count as u64..=exact + 18 * count as u64).contains(&held), "{held} words");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(60), ..ProptestConfig::default() })]
    /// The schedule is that of ports which know only the words that they receive.
    #[test]
    fn the_schedule_is_what_ports_do_from_word_to_word(
        delays in prop::collection::vec(1u64..30, 2..9),
        begins in 0usize..9,
        hold in 0u64..200,
    ) {
        let begins = begins % delays.len();
        // The master is port 0, which has the lowest name.
        let al_time = AL_TIME.ticks() / WORD.ticks();
        // `delays[i]` is the way into port i; hops are given by the port at which they begin.
        let hops: Vec<Span> = (0..delays.len()).map(|port| WORD * delays[(port + 1) % delays.len()]).collect();
        let geometry = LoopGeometry::new(&hops, WORD);
        let takes_part = vec![true; delays.len()];
        let ports = InitialisingPorts { takes_part: &takes_part, begins, master: 0 };
        let schedule = InitialisationSchedule::new(&geometry, WORD, &ports, Time(0), WORD * hold);
        // The steps at which a port receives something follow from the steps at which the others send it.
        let is_sent = |step: &InitialisationStep| !matches!(step, InitialisationStep::Received(_));
        let sent = schedule.steps.iter().filter(|(_, _, step)| is_sent(step));
        let mut expected: Vec<(u64, usize, InitialisationStep)> =
            sent.map(|&(at, port, step)| (at.ticks() / WORD.ticks(), port, step)).collect();
        let mut seen = word_by_word::steps(&delays, begins, hold, al_time);
        let key = |&(at, port, step): &(u64, usize, InitialisationStep)| (at, port, format!("{step:?}"));
        expected.sort_by_key(key);
        seen.sort_by_key(key);
        prop_assert_eq!(seen, expected);
    }
}

fn on_models(case: &Case, changes: &[(Time, Change)], model: LoopModel, sees: bool) -> Record {
    let mut on = ArbitratedLoop::new(&case.network, &case.stations, model);
    run_changing(&mut on, &case.stations, (case.processing, sees), (&case.jobs, changes), 2_000_000)
}

/// Loops of a few ports with jobs, and changes at random moments.
fn changing() -> impl Strategy<Value = (Case, Vec<(Time, Change)>)> {
    let schedule = prop_oneof![
        3 => Just(ArbitrationSchedule::FAIR),
        1 => Just(ArbitrationSchedule::UNFAIR),
        1 => Just(ArbitrationSchedule::COMMAND_FIRST),
    ];
    let port = (schedule, 0u64..2_000_000, 1u64..12, any::<[bool; 4]>(), 1u32..4, 0u32..2);
    (2usize..9).prop_flat_map(move |count| {
        let ranks = Just((0..count).collect::<Vec<_>>()).prop_shuffle();
        let ports = prop::collection::vec(port.clone(), count);
        // Most jobs come in bursts; the rest while the loop is initialised, and after it.
        let job = (0u64..4, 0u64..2_000_000, 0..count, 1..count.max(2), 0u16..2_112, any::<bool>(), 1u16..5);
        let jobs = prop::collection::vec(job, 1..40);
        let change = (0u64..4, 0u64..3_000_000, 0..count, 0u8..5);
        let changes = prop::collection::vec(change, 1..5);
        (ranks, ports, jobs, changes, 0u64..1_000_000).prop_map(
            move |(ranks, ports, jobs, changes, processing)| {
                let station = |(rank, (schedule, cable, delay, flags, buffers, login)): (
                    usize,
                    (_, _, _, _, u32, u32),
                )| {
                    let [full_duplex, close_after_frames, ready_between_frames, dynamic_half_duplex]: [bool;
                        4] = flags;
                    let one: LoopStation = station(rank, WORD);
                    let port = PortParameters {
                        cable: CableLength::from_um(cable),
                        delay: words(delay, WORD),
                        full_duplex,
                        close_after_frames,
                        ready_between_frames,
                        dynamic_half_duplex,
                        incoming_buffers: buffers,
                        login_credit: login.min(buffers),
                        ..one.port
                    };
                    LoopStation { schedule, port, ..one }
                };
                // A wave is a little longer than most initialisations.
                let wave = Span::from_ms(30).ticks();
                let job = |(number, later, from, step, payload, command, frames)| Job {
                    frames: if command { 1 } else { frames },
                    at: Time(number * wave + later),
                    from,
                    to: (from + step) % count,
                    payload,
                    command,
                };
                let mut bypassed = vec![false; count];
                let mut changes: Vec<(u64, usize, u8)> = changes
                    .into_iter()
                    .map(|(number, later, port, kind)| (number * wave + later, port, kind))
                    .collect();
                changes.sort_unstable();
                changes.dedup_by_key(|&mut (at, ..)| at);
                let change = |(at, port, kind): (u64, usize, u8)| {
                    let change = match (kind, bypassed[port]) {
                        (0, _) => Change::Initialise,
                        (_, true) => Change::Enable(port, kind % 2 == 0),
                        _ if bypassed.iter().filter(|&&away| !away).count() == 1 => Change::Initialise,
                        _ => Change::Bypass(port, kind % 2 == 0),
                    };
                    match change {
                        Change::Bypass(port, _) => bypassed[port] = true,
                        Change::Enable(port, _) => bypassed[port] = false,
                        Change::Initialise => {}
                    }
                    (Time(at), change)
                };
                let changes = changes.into_iter().map(change).collect();
                let stations = ranks.into_iter().zip(ports).map(station).collect();
                let jobs = jobs.into_iter().map(job).collect();
                let network = LoopParameters { initialisation_hold_time: Span::from_us(30), ..loop_of(WORD) };
                (Case { network, stations, processing: Span(processing), jobs }, changes)
            },
        )
    })
}

fn check(case: &Case, changes: &[(Time, Change)]) -> Result<(), TestCaseError> {
    // Where an observer sees every step, no step may be announced ahead: a change could prevent it.
    let [reference, fast] =
        [LoopModel::Reference, LoopModel::Stepped].map(|model| on_models(case, changes, model, true));
    for (r, f) in reference.observations.iter().zip(&fast.observations) {
        prop_assert_eq!(r, f);
    }
    prop_assert_eq!(reference.observations.len(), fast.observations.len());
    let unseen = on_models(case, changes, LoopModel::Fast, false);
    for other in [&fast, &unseen] {
        prop_assert_eq!(&reference.received, &other.received);
        prop_assert_eq!(&reference.lost, &other.lost);
        prop_assert_eq!(&reference.sent, &other.sent);
        prop_assert_eq!(&reference.works_at, &other.works_at);
        prop_assert!(other.quiet, "the loop did not come to rest");
    }
    // Each frame arrives or is lost, and none does both.
    let frames: usize = case.jobs.iter().map(|job| usize::from(job.frames)).sum();
    let mut ends: Vec<(u32, u16)> =
        fast.received.iter().chain(&fast.lost).map(|(_, _, frame)| (frame.tag.0, frame.part)).collect();
    prop_assert_eq!(ends.len(), frames);
    ends.sort_unstable();
    prop_assert!(ends.windows(2).all(|pair| pair[0] != pair[1]));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(600), max_shrink_iters: 4000, ..ProptestConfig::default() })]
    /// No frame is lost unseen or arrives twice, and the loop models agree to the tick, whatever changes at whatever moment.
    #[test]
    fn both_loop_models_agree_on_loops_that_change((case, changes) in changing()) {
        check(&case, &changes)?;
    }
}

/// A port that is bypassed within its circuit leaves its partner waiting for E_D_TOV; one that only repeats is missed by no other.
#[test]
fn a_port_that_is_bypassed_without_lip_stops_the_loop_only_if_it_has_a_part_in_it() {
    let stations: Vec<_> = (0..3).map(|rank| station(rank, WORD)).collect();
    let job = |at, from, to| Job { at, from, to, payload: 2_048, command: false, frames: 1 };
    let jobs = [job(Time(0), 0, 1), job(slot(2_000), 0, 1), job(slot(2_000), 2, 1)];
    let case = Case { network: loop_of(WORD), stations, processing: WORD * 40, jobs: jobs.to_vec() };
    // Port 2 only repeats the first frame.
    let beside = on_models(&case, &[(slot(100), Change::Bypass(2, false))], LoopModel::Fast, false);
    assert_eq!(beside.works_at, [slot(100)]);
    assert_eq!((beside.received.len(), beside.lost.len()), (2, 1), "the frame of port 2 is lost");
    assert_eq!(
        beside.received[0].0,
        run_unseen(&case.network, &case.stations, case.processing, &case.jobs, 10_000).0.received[0].0
    );
    // Port 1 receives the first frame at that moment.
    let within = on_models(&case, &[(slot(100), Change::Bypass(1, false))], LoopModel::Fast, false);
    assert!(within.works_at[0] > slot(100) + ERROR_DETECT_TIME_OUT);
    assert_eq!((within.received.len(), within.lost.len()), (0, 3));
}

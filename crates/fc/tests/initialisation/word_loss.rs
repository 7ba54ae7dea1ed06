//! A loop of which words are damaged: what each lost word costs, counted by hand, and what is kept whatever is lost.
//!
//! The counts are for three ports with a delay of six words each and no cable. Port 0 sends three frames of 521 words to port 1, whose two
//! buffers are free again 40 words after the end of a frame. Without a loss port 0 sends OPN in word 21, gets R_RDYs in words 42 and 45,
//! and sends its frames in words 44, 571 and 1098 and CLS in word 1625; port 1 sends R_RDY in words 611 and 1138. From port 0 to port 1
//! there are six words, back there are twelve.

use super::common::{Case, Change, Job, Record, loop_of, run_changing, station};
use super::{WORD, changing, slot};
use proptest::prelude::*;
use sansim_fc::arbitrated_loop::word_loss::DamagedWords;
use sansim_fc::arbitrated_loop::{ArbitratedLoop, LoopModel, LoopParameters, LoopStation, PortEvent};
use sansim_fc::initialisation_frame::ERROR_DETECT_TIME_OUT;
use sansim_fc::loop_port::PortParameters;
use sansim_fc::observation::Observation;
use sansim_fc::word::{LinkItem, PrimitiveSignal};
use sansim_kernel::{Span, Time};

/// The words of an initialisation of the three ports, counted in the tests of the initialisation.
const INITIALISATION_WORDS: u64 = 797_540;

fn time_out_words() -> u64 {
    assert_eq!(ERROR_DETECT_TIME_OUT.ticks() % WORD.ticks(), 0);
    ERROR_DETECT_TIME_OUT.ticks() / WORD.ticks()
}

fn run_with(change: impl Fn(&mut PortParameters), frames: u16, damaged: &[(usize, u64)]) -> Record {
    let mut stations: Vec<LoopStation> = (0..3).map(|rank| station(rank, WORD)).collect();
    stations.iter_mut().for_each(|station| change(&mut station.port));
    let network = LoopParameters { initialisation_hold_time: Span::ZERO, ..loop_of(WORD) };
    let jobs = [Job { at: slot(0), from: 0, to: 1, payload: 2_048, command: false, frames }];
    let damaged = damaged.iter().map(|&(port, word)| (port, slot(word))).collect();
    let on = ArbitratedLoop::new(&network, &stations, LoopModel::Fast);
    let mut on = on.with_damaged_words(DamagedWords::at(damaged));
    let record = run_changing(&mut on, &stations, (WORD * 40, true), (&jobs, &[]), 100_000);
    assert!(record.quiet, "the loop did not come to rest");
    record
}

/// The words in which a port begins to send a frame, and in which it sends CLS.
fn sent(record: &Record, by: usize) -> (Vec<u64>, Vec<u64>) {
    let (mut frames, mut closes) = (Vec::new(), Vec::new());
    for &(at, _, what) in record.observations.iter().filter(|&&(_, port, _)| port == by) {
        match what {
            Observation::SentItem(LinkItem::Frame(_)) => frames.push(at.ticks() / WORD.ticks()),
            Observation::SentItem(LinkItem::Signal(PrimitiveSignal::Close)) => {
                closes.push(at.ticks() / WORD.ticks());
            }
            _ => {}
        }
    }
    (frames, closes)
}

/// The words in which frames are lost, with their places in the sequence.
fn lost(record: &Record) -> Vec<(u64, u16)> {
    record.lost.iter().map(|(at, _, frame)| (at.ticks() / WORD.ticks(), frame.part)).collect()
}

/// The words in which ports initialise the loop after E_D_TOV, and in which it works again.
fn initialised(record: &Record) -> Vec<(u64, usize, u64)> {
    let by = |&(at, port, event): &(Time, usize, PortEvent)| match event {
        PortEvent::Initialises(works_at) => {
            Some((at.ticks() / WORD.ticks(), port, works_at.ticks() / WORD.ticks()))
        }
        _ => None,
    };
    record.upcalls.iter().filter_map(by).collect()
}

#[test]
fn without_a_damaged_word_the_loop_does_what_it_does_otherwise() {
    let record = run_with(|_| {}, 3, &[]);
    assert_eq!(sent(&record, 0), (vec![44, 571, 1098], vec![1625]));
    assert_eq!((lost(&record), initialised(&record)), (vec![], vec![]));
}

/// The second R_RDY is lost on either cable between port 1 and port 0. The credit for the second frame comes with the R_RDY of word 611, in
/// word 623, and that for the third 40 words after the end of the second.
#[test]
fn a_lost_r_rdy_is_missing_until_the_circuit_ends() {
    for damaged in [(2, 39), (0, 45)] {
        let record = run_with(|_| {}, 3, &[damaged]);
        let second = 611 + 12 + 1;
        let third = second + 6 + 521 + 40 + 12 + 1;
        assert_eq!(sent(&record, 0), (vec![44, second, third], vec![third + 521 + 6]));
        assert_eq!((record.received.len(), lost(&record), initialised(&record)), (3, vec![], vec![]));
    }
}

/// The first frame has no SOF at port 1, which keeps a buffer for it: the R_RDY for the third frame waits until the buffer of the second is
/// empty, 40 words after its end in word 571 + 6 + 521.
#[test]
fn a_frame_whose_sof_is_damaged_is_lost_with_its_credit() {
    let record = run_with(|_| {}, 3, &[(1, 50)]);
    let third = 571 + 6 + 521 + 40 + 12 + 1;
    assert_eq!(sent(&record, 0), (vec![44, 571, third], vec![third + 521 + 6]));
    assert_eq!((lost(&record), record.received.len()), (vec![(50, 0)], 2));
}

/// Any other word of the frame, from the first behind SOF to EOF.
#[test]
fn a_frame_that_is_damaged_behind_sof_costs_no_credit() {
    for word in [51, 300, 570] {
        let record = run_with(|_| {}, 3, &[(1, word)]);
        assert_eq!(sent(&record, 0), (vec![44, 571, 1098], vec![1625]));
        assert_eq!((lost(&record), record.received.len()), (vec![(571, 0)], 2));
    }
    // The word behind EOF is a fill word.
    assert_eq!(run_with(|_| {}, 3, &[(1, 571)]).received.len(), 3);
}

/// Port 0 waits for an R_RDY from its OPN in word 21 on. After the initialisation its ARB(x) need not wait for a second IDLE, as at the
/// beginning it did for two words.
#[test]
fn a_lost_opn_ends_with_an_initialisation_after_the_time_out() {
    let record = run_with(|_| {}, 3, &[(1, 27)]);
    let lip = 21 + time_out_words();
    let works_at = lip + INITIALISATION_WORDS;
    assert_eq!(initialised(&record), [(lip, 0, works_at)]);
    let frames = [44, 571, 1098].map(|word| works_at + word - 2);
    assert_eq!(sent(&record, 0).0, frames);
    assert_eq!((record.received.len(), lost(&record)), (3, vec![]));
}

/// With one buffer no other R_RDY can come.
#[test]
fn a_port_that_lacks_its_only_credit_initialises_the_loop() {
    let record = run_with(|port| port.incoming_buffers = 1, 1, &[(0, 42)]);
    assert_eq!(
        initialised(&record),
        [(21 + time_out_words(), 0, 21 + time_out_words() + INITIALISATION_WORDS)]
    );
    assert_eq!((record.received.len(), lost(&record)), (1, vec![]));
}

/// If the CLS of port 0 is lost, port 1 sends R_RDY for the buffer of the third frame, in word 1104 + 521 + 40, and waits from then on.
/// If the CLS of port 1 is lost, port 0 waits from its own CLS on.
#[test]
fn a_lost_cls_ends_with_an_initialisation_after_the_time_out() {
    for (damaged, begins, port) in [((1, 1631), 1665, 1), ((2, 1638), 1625, 0), ((0, 1644), 1625, 0)] {
        let record = run_with(|_| {}, 3, &[damaged]);
        let by: Vec<_> = initialised(&record).into_iter().map(|(at, port, _)| (at, port)).collect();
        assert_eq!(by, [(begins + time_out_words(), port)]);
        assert_eq!((record.received.len(), lost(&record)), (3, vec![]));
    }
}

/// With login credit port 0 sends its frames behind the OPN that no port has received. They come back after a round of 18 words, as does
/// its CLS, which it cannot tell from that of another port.
#[test]
fn frames_behind_a_lost_opn_come_back_to_their_sender_and_its_cls_ends_the_circuit() {
    let record = run_with(|port| port.login_credit = 2, 2, &[(1, 27)]);
    let frames = [21 + 1 + 6, 28 + 527];
    assert_eq!(sent(&record, 0), (frames.to_vec(), vec![555 + 527]));
    assert_eq!(lost(&record), [(28 + 18, 0), (555 + 18, 1)]);
    assert_eq!((record.received.len(), initialised(&record)), (0, vec![]));
}

fn run_case(case: &Case, changes: &[(Time, Change)], words: Option<DamagedWords>) -> Record {
    let model = if words.is_some() { LoopModel::Fast } else { LoopModel::Reference };
    let mut on = ArbitratedLoop::new(&case.network, &case.stations, model);
    if let Some(words) = words {
        on = on.with_damaged_words(words);
    }
    run_changing(&mut on, &case.stations, (case.processing, true), (&case.jobs, changes), 4_000_000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(600), max_shrink_iters: 400, ..ProptestConfig::default() })]
    /// Whatever words are damaged, and whatever changes besides: the loop comes to rest, and each frame arrives once or is lost once. The
    /// same words are damaged again.
    #[test]
    fn each_frame_arrives_or_is_lost_once_whatever_words_are_damaged(
        (case, changes) in changing(),
        tenths in 0u32..5,
        seed in any::<u64>(),
    ) {
        let words = DamagedWords::with_probability(0.1_f64.powi(1 + tenths as i32), seed);
        let record = run_case(&case, &changes, Some(words.clone()));
        prop_assert!(record.quiet, "the loop did not come to rest");
        let frames: usize = case.jobs.iter().map(|job| usize::from(job.frames)).sum();
        let mut ends: Vec<(u32, u16)> =
            record.received.iter().chain(&record.lost).map(|(_, _, frame)| (frame.tag.0, frame.part)).collect();
        prop_assert_eq!(ends.len(), frames);
        ends.sort_unstable();
        prop_assert!(ends.windows(2).all(|pair| pair[0] != pair[1]));
        prop_assert_eq!(&record.upcalls, &run_case(&case, &changes, Some(words)).upcalls);
    }

    /// Where no word happens to be damaged, the loop does at each tick what the reference loop does.
    #[test]
    fn a_loop_without_a_damaged_word_equals_the_reference_loop((case, changes) in changing()) {
        let record = run_case(&case, &changes, Some(DamagedWords::default()));
        let reference = run_case(&case, &changes, None);
        let times_out = record.upcalls.iter().any(|(_, _, event)| matches!(event, PortEvent::Initialises(_)));
        prop_assert!(!times_out);
        prop_assert_eq!(&record.observations, &reference.observations);
        prop_assert_eq!(&record.upcalls, &reference.upcalls);
    }
}

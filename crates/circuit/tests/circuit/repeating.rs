//! A course that is worked out in whole, in which frames repeat, is what it is frame by frame.

use crate::common::{BEGIN, PERIOD, Seen, WORD, ends, everything_before};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use sansim_circuit::course::{Course, Passed};
use sansim_fc::arbitrated_loop::train::Circuit;
use sansim_fc::loop_port::train::{Receiving, Sending};
use sansim_fc::slots::Slots;
use sansim_fcp::adapter::train::Storing;
use sansim_kernel::{Span, Time};

/// Words of a frame of 2048 bytes.
const LENGTH: u64 = PERIOD - 6;

/// Two ports in the middle of a circuit: what is under way, and what waits at either end.
#[derive(Clone, Debug)]
struct Begin {
    circuit: Circuit,
    storing: Storing,
    /// R_RDYs under way, by when they come, and frames, by when they are in.
    ready: Vec<Time>,
    coming: Vec<Time>,
}

/// A circuit that has just been opened.
fn opened(buffers: usize, ways_words: [u64; 2]) -> Begin {
    let (circuit, storing) = ends(buffers, ways_words, Span::ZERO, WORD);
    Begin { circuit, storing, ready: Vec::new(), coming: Vec::new() }
}

/// Times of blocks: any, or a whole number of words, as often as not about that of a frame.
fn times() -> impl Strategy<Value = Span> {
    prop_oneof![
        (0u64..1_200_000).prop_map(Span),
        (0u64..1_200).prop_map(|words| WORD * words),
        (PERIOD - 9..PERIOD + 9).prop_map(|words| WORD * words),
        Just(Span::ZERO),
    ]
}

/// Ways in words: short ones, and some of a few frames.
fn ways() -> impl Strategy<Value = u64> {
    prop_oneof![1u64..60, 1u64..900, 900u64..4_000]
}

/// Circuits in which something has happened already.
fn begins() -> impl Strategy<Value = Begin> {
    let loops = (1usize..10, 0usize..10, [ways(), ways()], 1u64..6, any::<bool>(), 0u64..1_000);
    let before = (0usize..4, 0usize..5, 0usize..4, 0usize..6, 0usize..30);
    let blocks = ([times(), times(), times()], [0u64..1_200_000, 0u64..1_200_000, 0u64..500]);
    let credit = (prop::option::of(0u64..500_000), 0usize..12);
    (loops, before, blocks, credit).prop_map(
        |(
            (buffers, login, ways, reaction, ready_between_frames, phase),
            (coming, under_way, incoming, storing, received),
            ([frame_time, first_takes, takes], [processed_at, stored_at, last]),
            (tells_credit, promised),
        )| {
            let mut begin = opened(buffers, ways);
            let Circuit { sending, receiving, there, back, .. } = &mut begin.circuit;
            let (there, back) = (*there, *back);
            // The frames that have been sent last, one behind the other, of which some are on their way.
            let incoming = incoming.min(buffers);
            let last_start = BEGIN - WORD * last;
            let starts = (0..coming.min(buffers - incoming))
                .rev()
                .map(|before| last_start - WORD * PERIOD * before as u64);
            begin.coming = starts.map(|at| at + there + WORD * LENGTH).filter(|&end| end > BEGIN).collect();
            let sent = received + begin.coming.len();
            // Of the buffers that are free some, or all, are promised.
            let most = received + buffers - incoming;
            let login = login.min(buffers).min(most);
            let promised = (sent + promised).clamp(sent.max(login), most.max(login));
            let ready_sent = if promised == login { login.min(received) } else { promised };
            let needed = if login >= sent { 0 } else { sent };
            let under_way = under_way.min(ready_sent.saturating_sub(needed));
            let came = ready_sent - under_way;
            let word = back.ticks() / (under_way as u64 + 1);
            begin.ready = (1..=under_way as u64).map(|number| BEGIN + Span(number * word)).collect();
            *sending = Sending {
                earliest: if begin.coming.is_empty() { BEGIN } else { BEGIN.max(last_start + WORD * PERIOD) },
                credit: login.max(came) - sent,
                to_discard: login.saturating_sub(came),
                reaction: WORD * reaction,
                tells_credit_at: tells_credit.map(|ticks| BEGIN + Span(ticks)),
                ..*sending
            };
            *receiving = Receiving {
                login_credit: login,
                ready_sent,
                received,
                occupied: incoming,
                ready_between_frames,
                ..*receiving
            };
            begin.circuit.slots = Slots::new(begin.circuit.word, Span(phase));
            begin.storing = Storing {
                incoming,
                processed_at: BEGIN + Span(processed_at).min(frame_time),
                storing,
                frame_time,
                stored_at: BEGIN + Span(stored_at).min(takes),
                first_takes: first_takes + Span(1),
                takes: takes + Span(1),
                ..begin.storing
            };
            begin
        },
    )
}

/// A train of so many frames in the queue of the port, if it is one.
fn course(begin: &Begin, frames: usize) -> Option<Course> {
    let Begin { mut circuit, storing, ready, coming } = begin.clone();
    (circuit.sending.queued, circuit.sending.most_of_queue) = (frames, Some(frames));
    let mut course = Course::new(circuit, storing);
    course.begin(circuit, None, storing, (&ready, &coming)).then_some(course)
}

/// Everything that anybody may ask of a course.
fn state(course: &mut Course, now: Time) -> impl PartialEq + std::fmt::Debug + use<> {
    let present = everything_before(now);
    let ready: Vec<Time> = course.ready_to_come().collect();
    let frames: Vec<(usize, Time)> = course.frames_to_come().collect();
    let times = [course.last_ready(), course.reacted(), course.processed_at(), course.stored_at()];
    let ends = (course.last_start(), course.is_receiving(&present), course.waits(Time::ZERO));
    let fill = course.around_fill();
    let told = (course.told_credit(), course.quiet_until(), course.bound(None).at, fill.last, fill.next);
    let passed = Passed { repeated: 0, ..course.passed() };
    (passed, course.new_starts().to_vec(), ready, frames, times, ends, told)
}

/// A train that is worked out by so many words at a time, and the same frame by frame: what is seen and what may be asked for are the same. Returns
/// how many frames of the first repeat what was before.
fn is_the_same_frame_by_frame(begin: &Begin, frames: usize, steps: &[u64]) -> u64 {
    let Some((mut whole, mut single)) = course(begin, frames).zip(course(begin, frames)) else { return 0 };
    let mut seen = Seen { again_before: Time::NEVER, ..Seen::default() };
    let mut by_one = Seen::default();
    let mut now = BEGIN;
    for &step in steps {
        now = (now + WORD * step).min(whole.bound(None).at);
        assert!(whole.advance(&everything_before(now), &mut seen));
        assert!(single.advance(&everything_before(now), &mut by_one));
        assert_eq!(state(&mut whole, now), state(&mut single, now), "{begin:?}");
    }
    assert_eq!((by_one.again, seen.again), (0, whole.passed().repeated as u64));
    let [whole, single] = [&mut seen, &mut by_one].map(|seen| seen.all().map(std::mem::take));
    assert_eq!(whole, single, "{begin:?}");
    seen.again
}

#[test]
fn frames_that_follow_each_other_are_worked_out_once() {
    let begin = opened(64, [6, 6]);
    let again = is_the_same_frame_by_frame(&begin, 1000, &[PERIOD * 998]);
    assert!(again > 900, "{again}");
}

#[test]
fn bursts_on_a_long_way_are_worked_out_once() {
    let begin = opened(7, [20_000, 30_000]);
    let again = is_the_same_frame_by_frame(&begin, 10_000, &[5_000_000]);
    assert!(again > 600, "{again}");
}

/// When frames start that are worked out in one go, in words: so many of a train that is far longer, as its bound is that of one at the pace of the link.
fn starts(begin: &Begin, frames: usize) -> Vec<u64> {
    let mut course = course(begin, 100 * frames).expect("a train");
    let mut seen = Seen { again_before: Time::NEVER, ..Seen::default() };
    let bound = course.bound(None).at;
    assert!(course.advance(&everything_before(bound), &mut seen));
    assert!(10 * seen.again > 9 * seen.starts.len() as u64, "{} of {} repeat", seen.again, seen.starts.len());
    let mut starts = seen.in_words().starts;
    assert!(starts.len() >= frames);
    starts.truncate(frames);
    starts
}

#[test]
fn what_repeats_keeps_to_the_pace_of_the_link() {
    let expected: Vec<u64> = (0..1000).map(|frame| 8 + 7 + frame * PERIOD).collect();
    // The R_RDY that is sent at once, one word to react to it, and the frames behind each other.
    let begin = opened(64, [6, 14]);
    assert_eq!(starts(&begin, 1000), expected);
}

#[test]
fn what_repeats_on_a_long_way_is_a_burst_for_each_way_round() {
    let (there, back, buffers) = (20_000, 30_000, 7);
    // R_RDY, which a frame may follow a word later; the frame takes its way, is gone when it is in, and the next R_RDY goes in that slot.
    let round = there + LENGTH + back + 1;
    let expected: Vec<u64> =
        (0..1_000).map(|frame| back + 1 + frame / buffers * round + frame % buffers * PERIOD).collect();
    assert_eq!(starts(&opened(buffers as usize, [there, back]), 1_000), expected);
}

#[test]
fn frames_on_login_credit_repeat_no_longer_than_that_lasts() {
    let mut begin = opened(20, [8_000, 8_000]);
    (begin.circuit.sending.credit, begin.circuit.sending.to_discard) = (20, 20);
    begin.circuit.receiving.login_credit = 20;
    assert_eq!(is_the_same_frame_by_frame(&begin, 1_000, &[PERIOD * 19]), 0);
    is_the_same_frame_by_frame(&begin, 1_000, &[PERIOD * 100]);
}

#[test]
fn of_random_circuits_some_come_to_a_pace() {
    let mut runner = TestRunner::deterministic();
    let begins = || begins().new_tree(&mut runner).expect("a value").current();
    let some = std::iter::repeat_with(begins)
        .take(300)
        .filter(|begin| is_the_same_frame_by_frame(begin, 300, &[250 * PERIOD]) > 0)
        .count();
    assert!(some > 60, "{some} of 300");
}

proptest! {
    #[test]
    fn frames_that_repeat_are_what_they_would_be_one_by_one(
        begin in begins(), frames in 2usize..600, steps in prop::collection::vec(1u64..200_000, 1..6)
    ) {
        is_the_same_frame_by_frame(&begin, frames, &steps);
    }
}

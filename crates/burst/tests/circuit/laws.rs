//! Laws of the schedule of a burst: times that must equal a closed form, times that may never become later, and times that no rule
//! allows.

use crate::common::{BEGIN, PERIOD, Seen, WORD, ends, everything_before};
use proptest::prelude::*;
use sansim_burst::schedule::BurstSchedule;
use sansim_fc::loop_port::burst::{ReceivingPortState, SendingPortState};
use sansim_fcp::adapter::burst::FrameSupply;
use sansim_kernel::Span;

/// The parameters of a burst's start.
#[derive(Clone, Copy, Debug)]
struct Start {
    buffers: usize,
    login_credit: usize,
    frame_words: u64,
    store_words: u64,
    there_words: u64,
    back_words: u64,
    reaction_words: u64,
    between_frames: bool,
}

/// A start from which frames wait for nothing but the link.
const PLAIN: Start = Start {
    buffers: 64,
    login_credit: 64,
    frame_words: 0,
    store_words: 1,
    there_words: 6,
    back_words: 6,
    reaction_words: 1,
    between_frames: false,
};

/// A burst of this number of frames in the queue of a port that has just opened a circuit, followed by other
/// frames.
fn course(start: &Start, frames: usize) -> BurstSchedule {
    supplied(start, frames, None)
}

/// The same burst, for which more frames are fetched as its frames leave, if there is a supply.
fn supplied(start: &Start, frames: usize, supply: Option<FrameSupply>) -> BurstSchedule {
    let times = [start.frame_words, start.store_words].map(|words| WORD * words);
    let (mut circuit, storing) =
        ends(start.buffers, [start.there_words, start.back_words], times[0], times[1]);
    circuit.sending = SendingPortState {
        queued: frames,
        most_of_queue: supply.is_none().then_some(frames),
        credit: start.login_credit,
        to_discard: start.login_credit,
        reaction: WORD * start.reaction_words,
        ..circuit.sending
    };
    circuit.receiving = ReceivingPortState {
        login_credit: start.login_credit,
        ready_between_frames: start.between_frames,
        ..circuit.receiving
    };
    let mut course = BurstSchedule::new(circuit, storing);
    assert!(course.begin(circuit, supply, storing, (&[], &[])), "{start:?}");
    course
}

/// Computes a burst until this number of frames have started, in as few calls as possible.
fn run(start: &Start, frames: usize) -> Seen {
    let (mut course, mut seen) = (course(start, frames + 1), Seen::default());
    while seen.starts.len() < frames {
        let next = course.no_visible_step_before() + Span(1);
        course.advance(&everything_before(next), &mut seen);
    }
    seen.in_words()
}

fn begins() -> impl Strategy<Value = Start> {
    let buffers = (1usize..8, 0usize..8);
    let times = (0u64..1200, 1u64..1200, 1u64..900, 1u64..900, 1u64..6, any::<bool>());
    (buffers, times).prop_map(|((buffers, login), (frame, store, there, back, reaction, between_frames))| {
        Start {
            buffers,
            login_credit: login.min(buffers),
            frame_words: frame,
            store_words: store,
            there_words: there,
            back_words: back,
            reaction_words: reaction,
            between_frames,
        }
    })
}

#[test]
fn with_credit_for_all_frames_follow_each_other_in_six_words() {
    let seen = run(&PLAIN, 20);
    let expected: Vec<u64> = (0..20).map(|frame| frame * PERIOD).collect();
    assert_eq!(seen.starts, expected);
    assert!(seen.credit.is_empty(), "{seen:?}");
    // The last word of each frame has arrived exactly when the next frame begins.
    assert_eq!(seen.ends[0], 6 + 521);
    assert_eq!(seen.empty, expected[1..]);
}

#[test]
fn with_one_buffer_a_frame_waits_for_the_way_there_its_processing_and_the_way_back() {
    let start =
        Start { buffers: 1, login_credit: 0, frame_words: 30, there_words: 100, back_words: 50, ..PLAIN };
    let seen = run(&start, 10);
    // The R_RDY is sent in the slot in which the buffer becomes empty and travels back; the port reacts a
    // word later.
    let period = 100 + 521 + 30 + 50 + 1;
    let first = 50 + 1;
    let expected: Vec<u64> = (0..10).map(|frame| first + frame * period).collect();
    assert_eq!(seen.starts, expected);
    let told: Vec<u64> = (0..9).map(|frame| first + frame * period + 521).collect();
    assert_eq!(seen.credit, told);
}

#[test]
fn a_receiver_that_is_slower_than_the_link_sets_the_pace() {
    let start = Start { buffers: 4, frame_words: 900, login_credit: 0, ..PLAIN };
    let seen = run(&start, 30);
    let late = &seen.starts[10..];
    assert!(late.windows(2).all(|pair| pair[1] - pair[0] == 900), "{late:?}");
}

#[test]
fn a_course_that_is_worked_out_past_its_last_frame_says_so_and_starts_no_other() {
    let (mut course, mut seen) = (course(&PLAIN, 20), Seen::default());
    let bound = course.horizon(None).at;
    assert!(course.advance(&everything_before(bound), &mut seen));
    assert!(!course.advance(&everything_before(bound + Span(1)), &mut seen));
    assert_eq!(seen.starts.len(), 20);
}

#[test]
fn a_course_that_is_shortened_starts_the_frames_that_are_in_the_queue_but_the_last() {
    let supply = FrameSupply { frames: 20, first: None, takes: WORD };
    let mut course = supplied(&PLAIN, 5, Some(supply));
    let after = |frames: u64| BEGIN + WORD * PERIOD * frames;
    // The last frame of the sequence is left to the ordinary events.
    assert_eq!(course.horizon(None).at, after(24));
    let mut seen = Seen::default();
    assert!(course.advance(&everything_before(after(6)), &mut seen));
    assert_eq!(seen.starts.len(), 6);
    assert!(!course.limit_to_queue(1), "the queue is empty");
    assert!(course.limit_to_queue(5));
    assert_eq!(course.horizon(None).at, after(9));
    assert!(course.advance(&everything_before(after(9)), &mut seen));
    assert_eq!(seen.starts.len(), 9);
}

proptest! {
    #[test]
    fn no_frame_starts_without_credit_and_each_finds_a_buffer(start in begins(), frames in 2usize..60) {
        let seen = run(&start, frames);
        for (number, &at) in seen.starts.iter().enumerate() {
            let came = seen.ready.iter().filter(|&&sent| sent + start.back_words <= at).count();
            prop_assert!(start.login_credit.max(came) > number, "frame {} of {:?}", number, start);
        }
        prop_assert!(seen.starts.windows(2).all(|pair| pair[1] - pair[0] >= PERIOD));
        let mut free = 0;
        let mut processed = Vec::new();
        for &end in &seen.ends {
            free = end.max(free) + start.frame_words;
            processed.push(free);
        }
        for (number, &end) in seen.ends.iter().enumerate() {
            let empty = processed.iter().take(number).filter(|&&at| at <= end).count();
            let taken = number + 1 - empty;
            prop_assert!(taken <= start.buffers, "{} frames in {} buffers", taken, start.buffers);
        }
    }

    #[test]
    fn nothing_gets_slower_by_more_buffers_a_shorter_way_or_a_faster_receiver(
        start in begins(), what in 0u8..5, frames in 2usize..40
    ) {
        // An R_RDY that waits for a gap between frames may be sent later because a frame arrived earlier.
        let slower = Start { between_frames: false, ..start };
        let faster = match what {
            0 => Start { buffers: slower.buffers + 1, ..slower },
            1 => Start { there_words: slower.there_words.div_ceil(2), ..slower },
            2 => Start { back_words: slower.back_words.div_ceil(2), ..slower },
            3 => Start { frame_words: slower.frame_words / 2, ..slower },
            _ => Start { reaction_words: 1, ..slower },
        };
        let (slow, fast) = (run(&slower, frames), run(&faster, frames));
        for (slow, fast) in slow.starts.iter().zip(&fast.starts) {
            prop_assert!(fast <= slow, "{:?} is slower than {:?}", faster, slower);
        }
    }

    #[test]
    fn it_does_not_matter_in_how_many_steps_a_train_is_worked_out(
        start in begins(), frames in 2usize..60, step in 1u64..3_000_000
    ) {
        let whole = run(&start, frames);
        let (mut course, mut seen) = (course(&start, frames + 1), Seen::default());
        let mut now = BEGIN;
        while seen.starts.len() < frames {
            now = (now + Span(step)).min(course.horizon(None).at);
            course.advance(&everything_before(now), &mut seen);
        }
        let seen = seen.in_words();
        prop_assert_eq!(&whole.starts, &seen.starts[..frames]);
        let both = whole.ready.len().min(seen.ready.len());
        prop_assert_eq!(&whole.ready[..both], &seen.ready[..both]);
        let both = whole.credit.len().min(seen.credit.len());
        prop_assert_eq!(&whole.credit[..both], &seen.credit[..both]);
    }
}

//! The start of a burst, and the observed part of its schedule.

use sansim_burst::schedule::{BurstStepReceiver, PresentByStepKind};
use sansim_fc::arbitrated_loop::burst::Circuit;
use sansim_fc::frame::{Frame, Pdu};
use sansim_fc::loop_port::burst::{ReceivingPortState, SendingPortState};
use sansim_fc::slots::WordSlots;
use sansim_fcp::adapter::AdapterBlock;
use sansim_fcp::adapter::burst::StoringEndState;
use sansim_fcp::exchange::ExchangeId;
use sansim_kernel::{Span, Time};

pub const WORD: Span = Span(1000);
/// The number of words from the first word of a frame of 2048 bytes to the first word of the next.
pub const PERIOD: u64 = 527;
/// The time at which the burst begins.
pub const BEGIN: Time = Time(10_000_000);

/// All steps of the burst, in ticks since the beginning, in the order of time for each kind.
#[derive(Debug, Default)]
pub struct Seen {
    pub starts: Vec<u64>,
    pub ends: Vec<u64>,
    pub ready: Vec<u64>,
    pub empty: Vec<u64>,
    pub credit: Vec<u64>,
}

impl Seen {
    /// The same steps in words, for a schedule in which all times are whole words.
    pub fn in_words(mut self) -> Self {
        for at in self.all().into_iter().flatten() {
            assert!(at.is_multiple_of(WORD.ticks()));
            *at /= WORD.ticks();
        }
        self
    }

    pub fn all(&mut self) -> [&mut Vec<u64>; 5] {
        [&mut self.starts, &mut self.ends, &mut self.ready, &mut self.empty, &mut self.credit]
    }
}

fn since_begin(at: Time) -> u64 {
    (at - BEGIN).ticks()
}

impl BurstStepReceiver for Seen {
    fn starts(&mut self, at: Time) {
        self.starts.push(since_begin(at));
    }
    fn ends(&mut self, at: Time) {
        self.ends.push(since_begin(at));
    }
    fn ready(&mut self, at: Time) {
        self.ready.push(since_begin(at));
    }
    fn wire_is_empty(&mut self, at: Time) {
        self.empty.push(since_begin(at));
    }
    fn waits_for_credit(&mut self, at: Time) {
        self.credit.push(since_begin(at));
    }
}

pub fn everything_before(at: Time) -> PresentByStepKind {
    PresentByStepKind {
        start: at,
        ready_comes: at,
        ready: at,
        begin: at,
        end: at,
        processed: at,
        stored: at,
        fetched: at,
    }
}

/// The two ends of a circuit that has just been opened, with this number of words from one end to the other and back; the adapter processes
/// and stores each frame for the given times.
pub fn ends(
    buffers: usize,
    [there_words, back_words]: [u64; 2],
    frame_time: Span,
    takes: Span,
) -> (Circuit, StoringEndState) {
    let sending = SendingPortState {
        first: Frame::from(Pdu { last_of_unit: false, last_of_data: false, ..Pdu::example() }),
        queued: 0,
        most_of_queue: None,
        earliest: BEGIN,
        credit: 0,
        to_discard: 0,
        reaction: WORD,
        most: usize::MAX,
        tells_credit_at: None,
    };
    let receiving = ReceivingPortState {
        earliest: BEGIN,
        buffers,
        login_credit: 0,
        ready_sent: 0,
        received: 0,
        occupied: 0,
        ready_between_frames: false,
    };
    let (there, back) = (WORD * there_words, WORD * back_words);
    let circuit = Circuit {
        from: 0,
        sending,
        to: 1,
        receiving,
        word: WORD,
        slots: WordSlots::new(WORD, Span::ZERO),
        there,
        back,
    };
    let storing = StoringEndState {
        id: ExchangeId(0),
        incoming: 0,
        processed_at: Time::ZERO,
        frame_time,
        storing: 0,
        stored_at: Time::ZERO,
        is_claimed: true,
        first_takes: takes,
        takes,
        block: AdapterBlock::DmaIn,
    };
    (circuit, storing)
}

//! The schedule of a frame burst: when each of its steps happens.
//!
//! For frame j, with the rules of `sansim_fc::loop_port::signalling`, `sansim_fcp::dma` and the incoming frame process:
//!
//! | step | not before |
//! |---|---|
//! | it starts | the frame before has ended and six words have passed; the R_RDY that it needs has come and the port has reacted |
//! | it ends | its first word has gone there and its length has passed |
//! | it is processed | it has ended, the one before is processed, and the time for one has passed |
//! | it is stored | it is processed, the one before is stored, and the time of a chunk has passed |
//! | R_RDY i is sent | the one before was, three words ago; a buffer is free that is not promised by another; no frame comes in, if that matters |
//!
//! The DMA of the sender does not change the schedule, as long as the next frame has been fetched in time.
//!
//! Steps are computed as far as they are asked for, and counted as far as they are before the present.

mod horizon;
mod passed;
mod steps;

pub use horizon::Horizon;
use sansim_fc::arbitrated_loop::burst::Circuit;
use sansim_fc::credit::frames_per_circuit;
use sansim_fc::loop_port::signalling::{FILL_BEFORE_READY, FRAME_GAP};
use sansim_fcp::adapter::burst::{FrameSupply, StoringEndState};
use sansim_kernel::{Span, Time};
use steps::Steps;
pub use steps::{FURTHEST, PassedStepCounts, PresentByStepKind};

/// The receiver of a burst's steps; each kind of step is reported in the order of time.
pub trait BurstStepReceiver {
    /// A frame starts.
    fn starts(&mut self, at: Time);
    /// The last word of a frame has arrived.
    fn ends(&mut self, at: Time);
    /// An R_RDY is sent.
    fn ready(&mut self, at: Time);
    /// Frames wait, and none is on the wire.
    fn wire_is_empty(&mut self, at: Time);
    /// The next frame begins to wait for credit.
    fn waits_for_credit(&mut self, at: Time);
}

/// The events between the starts of two frames.
#[derive(Clone, Copy, Debug)]
struct Gap {
    /// The time at which the next frame starts.
    until: Time,
    /// The time at which the last started frame has arrived, if it has by then, so that no frame is on the
    /// wire.
    empty_at: Option<Time>,
    /// The time at which the sender reports that the next frame waits for credit.
    credit_at: Option<Time>,
}

/// The schedule of a burst. The data structure is described in the module text.
#[derive(Clone, Debug)]
pub struct BurstSchedule {
    circuit: Circuit,
    storing: StoringEndState,
    /// The length of a frame, and the time from its start to the earliest start of the next.
    length: Span,
    period: Span,
    /// The number of frames that may start in the burst, and whether some of them are still to be fetched.
    most: usize,
    is_supplied: bool,
    /// The R_RDYs in flight when the burst began, by arrival time.
    under_way: Vec<Time>,
    /// The number of frames in flight when the burst began.
    coming: usize,
    starts: Steps,
    /// The ends of the frames that were in flight before the burst, followed by the ends of the frames of the
    /// burst.
    ends: Steps,
    /// The times at which frames are processed: first the frames that were at the incoming frame process at
    /// the start, then the frames of `ends`.
    processed: Steps,
    /// The times at which frames are stored: first the frames that were at the DMA at the start, then the
    /// frames of `processed`.
    stored: Steps,
    ready: Steps,
    /// The time of the next R_RDY, as far as it can be computed at present.
    ready_later: Option<Time>,
    /// The time until the next frame starts.
    gap: Option<Gap>,
    /// Whether the sender has reported that the next frame waits for credit.
    told_credit: bool,
    /// The first frame that has not arrived before the next R_RDY.
    coming_in: usize,
    /// The number of frames whose start has been reported to the sender.
    told_starts: usize,
    passed: PassedStepCounts,
}

impl BurstSchedule {
    /// An empty schedule, which is kept to reuse its memory.
    pub fn new(circuit: Circuit, storing: StoringEndState) -> Self {
        let steps = || Steps { times: Vec::with_capacity(2 * FURTHEST), forgotten: 0 };
        Self {
            circuit,
            storing,
            length: Span::ZERO,
            period: Span::ZERO,
            most: 0,
            is_supplied: false,
            under_way: Vec::with_capacity(FURTHEST),
            coming: 0,
            starts: steps(),
            ends: steps(),
            processed: steps(),
            stored: steps(),
            ready: steps(),
            ready_later: None,
            gap: None,
            told_credit: false,
            coming_in: 0,
            told_starts: 0,
            passed: PassedStepCounts::default(),
        }
    }

    /// Begins a burst between these ends. `ready` and `frames` are the arrival times of the items in flight, in order. Returns whether
    /// there is a burst with enough frames.
    pub fn begin(
        &mut self,
        circuit: Circuit,
        supply: Option<FrameSupply>,
        storing: StoringEndState,
        (ready, frames): (&[Time], &[Time]),
    ) -> bool {
        let Circuit { word, sending, there, .. } = circuit;
        (self.circuit, self.storing) = (circuit, storing);
        self.length = word * sending.first.length_in_words();
        self.period = self.length + word * FRAME_GAP;
        self.is_supplied = false;
        let in_queue = match sending.most_of_queue {
            Some(most) => most,
            // The last frame of a sequence is left to the ordinary events, and so is a queue that runs empty.
            None => match supply.filter(|supply| self.is_in_time(supply)) {
                Some(supply) => {
                    self.is_supplied = true;
                    sending.queued + supply.frames - 1
                }
                None => sending.queued - 1,
            },
        };
        // This check keeps every step within the longest possible span.
        let StoringEndState { frame_time, first_takes, takes, .. } = storing;
        let slowest = [frame_time, first_takes, takes, self.period + there + circuit.back + sending.reaction];
        let steps = storing.incoming + storing.storing + frames.len() + 2;
        let slowest = slowest.into_iter().fold(Span(1), Span::max) * 2;
        let furthest = ((Span::LONGEST / slowest) as usize).saturating_sub(steps);
        self.most = in_queue.min(sending.most).min(furthest);
        if self.most < LEAST || !self.looks_back_enough(there) {
            return false;
        }
        let all = [&mut self.starts, &mut self.ends, &mut self.processed, &mut self.stored];
        all.into_iter().chain([&mut self.ready]).for_each(Steps::clear);
        self.under_way.clear();
        self.under_way.extend(ready);
        self.coming = frames.len();
        (self.coming_in, self.told_starts) = (0, 0);
        (self.passed, self.told_credit) = (PassedStepCounts::default(), false);
        (0..storing.storing).for_each(|place| {
            self.stored.push(storing.stored_at + storing.takes * place as u64);
        });
        (0..storing.incoming).for_each(|place| {
            self.is_processed(storing.processed_at + storing.frame_time * place as u64);
        });
        frames.iter().for_each(|&end| self.comes_in(end));
        self.gap = self.next_gap();
        self.ready_later = self.next_ready();
        self.gap.is_some()
    }

    fn looks_back_enough(&self, there: Span) -> bool {
        let BurstSchedule { storing, circuit, .. } = self;
        let on_wire = (there + circuit.back) / self.period;
        let buffers = circuit.receiving.buffers + circuit.receiving.login_credit + storing.storing;
        buffers + self.under_way.len() < FURTHEST / 2 && on_wire < FURTHEST as u64 / 4
    }

    /// Whether the next frame is always in the queue when a frame has been sent, so that no circuit closes or is held for
    /// lack of a frame.
    fn is_in_time(&self, supply: &FrameSupply) -> bool {
        let sending = &self.circuit.sending;
        let sent = sending.earliest + self.period * (sending.queued as u64 - 1) + self.length;
        // A frame that joined the queue in the very slot in which the last frame has arrived at the receiver would
        // be too late.
        supply.takes < self.length && supply.first.is_none_or(|first| first < sent)
    }

    /// Limits the burst to the frames in the queue, which `came` frames have joined since the burst began. Returns whether the burst
    /// continues: a queue that runs empty is left to the ordinary events.
    pub fn limit_to_queue(&mut self, came: usize) -> bool {
        if !self.is_supplied {
            return true;
        }
        let most = self.most.min(self.circuit.sending.queued + came - 1);
        let goes_on = self.starts.len() <= most;
        if goes_on {
            (self.is_supplied, self.most) = (false, most);
        }
        goes_on
    }

    /// The number of frames in flight when the burst began.
    pub fn initial_frames_in_flight(&self) -> usize {
        self.coming
    }

    /// Whether frames of the burst are still to be fetched.
    pub fn has_frames_to_fetch(&self) -> bool {
        self.is_supplied
    }

    /// The length of a frame.
    pub fn frame_length(&self) -> Span {
        self.length
    }

    /// The steps of the burst that have happened.
    pub fn passed_steps(&self) -> PassedStepCounts {
        self.passed
    }

    /// Whether the sender has reported that the next frame waits for credit.
    pub fn credit_wait_reported(&self) -> bool {
        self.told_credit
    }

    // The functions that follow compute the steps.

    #[inline]
    fn comes_in(&mut self, end: Time) {
        self.ends.push(end);
        let free = self.processed.last().unwrap_or(Time::ZERO);
        self.is_processed(end.max(free) + self.storing.frame_time);
    }

    #[inline]
    fn is_processed(&mut self, at: Time) {
        let is_first = self.processed.len() == 0;
        self.processed.push(at);
        let free = self.stored.last().unwrap_or(Time::ZERO);
        let takes = if is_first { self.storing.first_takes } else { self.storing.takes };
        self.stored.push(at.max(free) + takes);
    }

    /// The time at which the next R_RDY is sent; none if no frame has started that would have to be processed
    /// before it.
    #[inline]
    fn next_ready(&mut self) -> Option<Time> {
        let receiving = &self.circuit.receiving;
        let mut at = match self.ready.len().checked_sub(1) {
            None => receiving.earliest,
            Some(before) => self.ready.at(before) + self.circuit.word * (1 + FILL_BEFORE_READY),
        };
        let needed = self.processed_before_ready();
        if needed > 0 {
            if needed > self.processed.len() {
                return None;
            }
            at = at.max(self.slot(self.processed.at(needed - 1)));
        }
        if receiving.ready_between_frames {
            while self.coming_in < self.ends.len() && self.ends.at(self.coming_in) <= at {
                self.coming_in += 1;
            }
            // Between two frames there is always room for one R_RDY.
            if self.coming_in < self.ends.len() && self.ends.at(self.coming_in) - self.length <= at {
                at = self.ends.at(self.coming_in);
            }
        }
        Some(at)
    }

    /// The number of frames that have to be processed before the next R_RDY.
    #[inline]
    fn processed_before_ready(&self) -> usize {
        let receiving = &self.circuit.receiving;
        let sent = receiving.ready_sent + self.ready.len() + 1;
        // The frames promised with this R_RDY, less the other frames in the buffers, must fit into the
        // buffers.
        let promised = frames_per_circuit(receiving.login_credit, sent) + receiving.occupied;
        promised.saturating_sub(receiving.received + receiving.buffers)
    }

    /// The slot of the receiver at or after a time.
    fn slot(&self, at: Time) -> Time {
        self.circuit.slots.first_slot_from(at)
    }

    /// The time at which an R_RDY reaches the sender, by its number counted from the first R_RDY in flight.
    #[inline]
    fn ready_comes(&mut self, number: usize) -> Option<Time> {
        if let Some(&at) = self.under_way.get(number) {
            return Some(at);
        }
        let number = number - self.under_way.len();
        while self.ready.len() <= number {
            let at = self.next_ready()?;
            self.ready.push(at);
        }
        Some(self.ready.at(number) + self.circuit.back)
    }

    /// The number of the R_RDY that the next frame needs, if it needs one.
    #[inline]
    fn needs(&self) -> Option<usize> {
        let sending = &self.circuit.sending;
        self.starts.len().checked_sub(sending.credit).map(|number| number + sending.to_discard)
    }

    /// The gap from now until the next frame starts.
    #[inline]
    fn next_gap(&mut self) -> Option<Gap> {
        let before = self.starts.last();
        let mut until = before.map_or(self.circuit.sending.earliest, |start| start + self.period);
        let mut credit_at = None;
        if let Some(number) = self.needs() {
            let comes = self.ready_comes(number)?;
            let sending = &self.circuit.sending;
            if before.is_none_or(|start| comes > start) {
                until = until.max(comes + sending.reaction);
            }
            let free = before.map_or(sending.tells_credit_at, |start| Some(start + self.length));
            credit_at = free.filter(|&free| comes > free);
        }
        let empty_at = self.ends.last().filter(|&end| end <= until);
        Some(Gap { until, empty_at, credit_at })
    }

    /// Carries out the steps of the gap that happen before the present.
    #[inline]
    fn pass_gap(&mut self, present: &PresentByStepKind, along: &mut impl BurstStepReceiver) {
        let Some(gap) = &mut self.gap else { return };
        if gap.empty_at.is_none() && gap.credit_at.is_none() {
            return;
        }
        let empty_at = gap.empty_at.take_if(|at| *at < present.end);
        let credit_at = gap.credit_at.take_if(|at| *at < present.start);
        match (empty_at, credit_at) {
            // An arrival is handled before a report by a port in the same slot.
            (Some(empty), Some(credit)) if empty <= credit => {
                along.wire_is_empty(empty);
                along.waits_for_credit(credit);
            }
            (empty, credit) => {
                credit.into_iter().for_each(|at| along.waits_for_credit(at));
                empty.into_iter().for_each(|at| along.wire_is_empty(at));
            }
        }
        self.told_credit |= credit_at.is_some();
    }

    /// Computes all steps before the present, a limited number of frames at a time. Returns whether no frame outside the burst starts
    /// before the present.
    pub fn advance(&mut self, present: &PresentByStepKind, along: &mut impl BurstStepReceiver) -> bool {
        loop {
            let upto = self.go_on(present, along, FURTHEST / 2);
            if self.starts.times.len() > FURTHEST {
                self.forget();
            }
            if upto.start == present.start {
                return self.gap.is_none_or(|gap| gap.until >= present.start);
            }
        }
    }

    /// Computes all steps before the present, but at most this number of frames. Returns the moment up to
    /// which all steps have been computed.
    fn go_on(
        &mut self,
        present: &PresentByStepKind,
        along: &mut impl BurstStepReceiver,
        frames: usize,
    ) -> PresentByStepKind {
        let upto = self.start_frames(present, along, frames);
        // An R_RDY that is later than the start of the next frame may have to wait for that frame.
        self.ready_later = self.next_ready();
        while let Some(at) = self.ready_later
            && at < upto.ready
        {
            self.ready.push(at);
            self.ready_later = self.next_ready();
        }
        self.count(&upto, along);
        upto
    }

    /// Starts the frames that start before the present, but at most this number of frames. Returns the moment up
    /// to which all starts have been computed.
    #[inline]
    fn start_frames(
        &mut self,
        present: &PresentByStepKind,
        along: &mut impl BurstStepReceiver,
        frames: usize,
    ) -> PresentByStepKind {
        let left = self.most - self.starts.len();
        for _ in 0..left.min(frames) {
            let until = self.gap.map_or(Time::NEVER, |gap| gap.until);
            self.pass_gap(present, along);
            if until >= present.start {
                return *present;
            }
            along.starts(until);
            self.told_credit = false;
            self.starts.push(until);
            self.comes_in(until + self.circuit.there + self.length);
            self.gap = self.next_gap();
        }
        match self.gap {
            Some(gap) if gap.until < present.start && self.starts.len() < self.most => {
                present.before(gap.until)
            }
            _ => {
                self.pass_gap(present, along);
                *present
            }
        }
    }

    #[inline]
    fn count(&mut self, present: &PresentByStepKind, along: &mut impl BurstStepReceiver) {
        let passed = &mut self.passed;
        passed.starts = self.starts.len();
        while self.ready.is_before(passed.ready, present.ready) {
            along.ready(self.ready.at(passed.ready));
            passed.ready += 1;
        }
        while self.ends.is_before(passed.ends, present.end) {
            along.ends(self.ends.at(passed.ends));
            passed.ends += 1;
        }
        while self.processed.is_before(passed.processed, present.processed) {
            passed.processed += 1;
        }
        while self.stored.is_before(passed.stored, present.stored) {
            passed.stored += 1;
        }
        while let Some(&at) = self.under_way.get(passed.ready_came)
            && at < present.ready_comes
        {
            passed.ready_came += 1;
        }
        let Some(mut came) = passed.ready_came.checked_sub(self.under_way.len()) else { return };
        let sent = Time(present.ready_comes.ticks().saturating_sub(self.circuit.back.ticks()));
        while came < passed.ready && self.ready.at(came) < sent {
            came += 1;
        }
        passed.ready_came = self.under_way.len() + came;
    }

    /// Removes steps that no rule looks back to any more.
    fn forget(&mut self) {
        let PassedStepCounts { starts, ready, ends, processed, stored, ready_came, .. } = self.passed;
        let not_ended = ends.saturating_sub(self.coming);
        self.starts.forget(not_ended.min(starts.saturating_sub(1)).min(self.told_starts));
        let waits_for_gaps = self.circuit.receiving.ready_between_frames;
        let coming_in = if waits_for_gaps { self.coming_in } else { ends };
        self.ends.forget(ends.saturating_sub(1).min(coming_in));
        self.processed
            .forget(processed.saturating_sub(1).min(self.processed_before_ready().saturating_sub(2)));
        self.stored.forget(stored.saturating_sub(1));
        let needs = self.needs().map_or(0, |number| number.saturating_sub(self.under_way.len()));
        let came = ready_came.saturating_sub(self.under_way.len());
        self.ready.forget(ready.saturating_sub(1).min(needs).min(came));
    }
}

/// The least number of frames of a burst; shorter runs are left to the ordinary events.
const LEAST: usize = 2;

//! A port at the start and at the end of a frame burst: a run of data frames of one sequence that goes in one direction through a circuit
//! while nothing else happens at either end.
//!
//! The times of the frames and R_RDYs of a burst are worked out elsewhere (`crates/burst`), by the rules of [`super::signalling`]. In this
//! file a port reports whether it could take part in a burst and what the times of the burst depend on, and is brought to its state after a
//! part of the burst has passed.

use super::fill::IDLES_AFTER_CHANGE;
use super::{CircuitFrames, LoopPort, PortEffectReceiver, PortState, QueueWait, WithinSequence};
use crate::al_pa::AlPa;
use crate::frame::{Frame, RequestTag};
use crate::word::FillWord;
use sansim_kernel::{Span, Time};

/// The state of the sending port on which the times of the next frames depend.
#[derive(Clone, Copy, Debug)]
pub struct SendingPortState {
    /// The first frame of the burst.
    pub first: Frame,
    /// The frames of the burst that are in the queue.
    pub queued: usize,
    /// If other frames follow in the queue, the number of burst frames that may leave until one of the other frames determines the
    /// reported wait.
    pub most_of_queue: Option<usize>,
    /// The earliest time at which the next frame may start.
    pub earliest: Time,
    /// Frames that may start without another R_RDY.
    pub credit: usize,
    /// The number of R_RDYs that do not allow another frame.
    pub to_discard: usize,
    /// The time from the slot of an R_RDY to the earliest frame on its credit.
    pub reaction: Span,
    /// Frames that may start before the port gives up the loop.
    pub most: usize,
    /// The time at which the port will report that the first frame waits for credit, unless credit arrives before.
    pub tells_credit_at: Option<Time>,
}

/// The state of the receiving port on which the times of the next R_RDYs depend.
#[derive(Clone, Copy, Debug)]
pub struct ReceivingPortState {
    /// The earliest time at which the next R_RDY may be sent.
    pub earliest: Time,
    /// The number of incoming buffers.
    pub buffers: usize,
    /// Login_BB_Credit.
    pub login_credit: usize,
    /// R_RDYs sent in this circuit.
    pub ready_sent: usize,
    /// Frames received in this circuit.
    pub received: usize,
    /// Buffers that hold a frame.
    pub occupied: usize,
    /// Whether the port sends no R_RDY while it receives a frame.
    pub ready_between_frames: bool,
}

/// The part of a burst that has passed at the sending port.
#[derive(Clone, Copy, Debug)]
pub struct SentBurstPart {
    /// The number of frames that have started.
    pub starts: usize,
    /// The last frame that has started, and the time at which it started.
    pub last: Option<(Frame, Time)>,
    /// The number of R_RDYs that have arrived, which are the R_RDYs before [`SentBurstPart::ready_before`].
    pub ready: usize,
    /// The time before which the R_RDYs in [`SentBurstPart::ready`] arrived.
    pub ready_before: Time,
    /// The earliest time at which the next frame may start.
    pub earliest: Time,
    /// Whether the next frame waits for credit: no credit was left when the last frame started, or when the next frame joined the
    /// queue.
    pub waits: bool,
    /// Whether the queue was empty when the last frame started.
    pub left_none: bool,
    /// Whether the port has reported that the next frame waits for credit.
    pub told_credit: bool,
    /// The first moment whose slot has not passed.
    pub slot: Time,
}

/// The part of a burst that has passed at the receiving port.
#[derive(Clone, Copy, Debug)]
pub struct ReceivedBurstPart {
    /// The number of R_RDYs that were sent.
    pub ready: usize,
    /// The time at which the last R_RDY was sent.
    pub last_ready: Time,
    /// The number of frames that have been received.
    pub ends: usize,
    /// The number of buffers that hold a frame.
    pub occupied: usize,
    /// Whether a frame is being received.
    pub receiving: bool,
    /// The first moment whose slot has not passed.
    pub slot: Time,
}

/// The R_RDYs before and after a fill word that comes to the receiving port of a burst.
#[derive(Clone, Copy, Debug)]
pub struct AroundFill {
    /// The time of the last R_RDY; zero if none was sent.
    pub last: Time,
    /// The time of the next R_RDY; never if it waits for a frame that has not started.
    pub next: Time,
}

impl LoopPort {
    /// The start of a burst, if the port could send a burst: the next frames are data frames of one sequence, and the port
    /// has nothing else to do.
    pub(crate) fn sending_burst(&mut self, now: Time) -> Option<SendingPortState> {
        self.take_in(now);
        let first = *self.row().next()?;
        let in_circuit = matches!(self.state, PortState::Open | PortState::Opened);
        // The wait of a command is reported as well.
        let goes =
            self.commands.is_empty() && self.cut_short.is_empty() && self.next_is_command() == Some(false);
        if !first.is_within_unit() || !in_circuit || !goes {
            return None;
        }
        let credit = self.circuit.sender.available_credit() as usize;
        let told = self.told == Some((first.tag, QueueWait::Credit));
        let told_or_will_be = credit > 0 || told || self.sending.is_some();
        // The end of the frame that is being sent will be reported.
        if self.sending.is_some_and(|frame| frame.last_of_data) {
            return None;
        }
        if self.current_fill != self.sent_fill || self.owes_ready() || !told_or_will_be {
            return None;
        }
        let queued = self.row().take_while(|f| f.is_within_unit() && f.tag == first.tag).count();
        let behind = self.row().nth(queued);
        let planned = if self.wake_at == Time::NEVER { Time::ZERO } else { self.wake_at };
        let free = self.free_at.max(self.act_at);
        let mut earliest = self.earliest.frame.max(free);
        if credit > 0 {
            earliest = earliest.max(planned);
        }
        let sent = u64::from(self.frames_in_tenancy);
        let most = self.parameters.frames_per_tenancy.filter(|_| self.circuit.owner);
        Some(SendingPortState {
            first,
            queued,
            most_of_queue: behind.map(|frame| if frame.tag == first.tag { queued } else { queued - 1 }),
            earliest,
            credit,
            to_discard: self.circuit.sender.readies_to_discard() as usize,
            reaction: self.frame_reaction,
            // The port wakes to close when the last allowed frame is sent.
            most: most.map_or(usize::MAX, |most| most.saturating_sub(sent + 1) as usize),
            tells_credit_at: (credit == 0 && !told).then(|| self.free_at.max(planned)),
        })
    }

    /// Whether the only frame in the queue follows a frame that is being sent.
    pub(crate) fn follows_another(&self) -> bool {
        self.sending.is_some() && self.frames.len() == 1 && self.commands.is_empty()
    }

    /// The number of frames of a request in the queues of the port.
    pub(crate) fn queued_frames_of_request(&self, tag: RequestTag) -> usize {
        self.commands.iter().chain(&self.frames).filter(|frame| frame.tag == tag).count()
    }

    /// The frames of the queue that are sent one after another; with `circuit_frames = "all"`, frames for
    /// other ports are passed over.
    fn row(&self) -> impl Iterator<Item = &Frame> {
        let passes = self.parameters.circuit_frames == CircuitFrames::All;
        self.frames
            .iter()
            .filter(move |frame| !passes || Some(self.towards(frame.destination)) == self.circuit.peer)
    }

    /// The state that a burst starts from, if the port could receive a burst: it does nothing but return
    /// R_RDYs.
    pub(crate) fn receiving_burst(&mut self, now: Time) -> Option<ReceivingPortState> {
        self.take_in(now);
        let grants = match self.state {
            PortState::Opened => !self.wants_to_close() && !self.preempted(),
            PortState::Open => self.circuit.relinquished,
            _ => false,
        };
        let quiet = self.next_is_command().is_none()
            && self.sending.is_none()
            && self.circuit.to_return == 0
            && self.current_fill == self.sent_fill;
        if !grants || !quiet {
            return None;
        }
        let mut earliest =
            self.next_word_slot(now).max(self.earliest.ready).max(self.free_at).max(self.act_at);
        if self.owes_ready() && self.wake_at < Time::NEVER {
            earliest = earliest.max(self.wake_at);
        }
        let (ready_sent, received) = self.circuit.receiver.ready_and_frame_counts();
        Some(ReceivingPortState {
            earliest,
            buffers: self.parameters.incoming_buffers as usize,
            login_credit: self.parameters.login_credit as usize,
            ready_sent: ready_sent as usize,
            received: received as usize,
            occupied: self.occupied_buffers as usize,
            ready_between_frames: self.parameters.ready_between_frames,
        })
    }

    /// Whether a frame that the node hands over while the port receives a burst waits until the burst is
    /// over.
    pub(crate) fn lets_frames_wait(&self) -> bool {
        let passes_fill = self.passes_fill < Time::NEVER;
        !self.circuit.owner
            && !self.circuit.may_send
            && !self.schedule.command_first_closes_opened
            && !passes_fill
    }

    /// A fill word reaches the port while it receives a burst. Returns the time at which the port passes the fill word on, if that delays
    /// no R_RDY: an IDLE needs two words of its own. The function changes nothing.
    pub(crate) fn passes_fill_at(&self, now: Time, around: &AroundFill) -> Option<Time> {
        if self.state != PortState::Opened {
            return None;
        }
        let at = self.fill_may_change_at().max(around.last + self.link.word).max(now + self.link.word);
        (at + self.words(IDLES_AFTER_CHANGE) <= around.next).then_some(at)
    }

    /// The port will pass on this fill word, after [`Self::passes_fill_at`] found out the slot. Returns the time at which the port must be
    /// called to pass on the fill word; none if it is called at that time anyway.
    pub(crate) fn will_pass_fill(
        &mut self,
        now: Time,
        word: FillWord,
        at: Time,
        effects: &mut impl PortEffectReceiver,
    ) -> Option<Time> {
        self.take_in_before(now);
        (self.received_fill, self.received_fill_since) = (word, now);
        self.fill_received(now, word, effects);
        // A fill word that came before may have a slot that is still to come, in which the new fill word goes
        // instead.
        if self.passes_fill > now && self.passes_fill < Time::NEVER {
            return None;
        }
        self.passes_fill = at;
        Some(at)
    }

    /// A fill word reaches the port that sends a burst, in which a frame is being sent until `end` (or a frame that the port began to send
    /// before the burst). Returns the slot in which the port answers the fill word, if that delays no frame: the gap after the frame begins
    /// with the two words that an IDLE needs. The function changes nothing.
    pub(crate) fn answers_fill_at(&self, now: Time, end: Option<Time>) -> Option<Time> {
        let at = match end {
            Some(end) => end,
            None if self.sending.is_some() => self.free_at,
            None => return None,
        };
        let is_owner = self.state == PortState::Open && self.circuit.owner;
        let stays = self.sent_fill_since + self.words(IDLES_AFTER_CHANGE);
        (is_owner && now + self.link.word <= at && stays <= at && self.act_at <= at).then_some(at)
    }

    /// The port will answer this fill word, after [`Self::answers_fill_at`] found out the slot. Returns the time at which
    /// the port must be called to answer the fill word; none if it need not be called.
    pub(crate) fn will_answer_fill(
        &mut self,
        now: Time,
        word: FillWord,
        at: Time,
        effects: &mut impl PortEffectReceiver,
    ) -> Option<Time> {
        (self.received_fill, self.received_fill_since) = (word, now);
        self.fill_received(now, word, effects);
        let has_slot = self.passes_fill >= now && self.passes_fill < Time::NEVER;
        if has_slot || self.current_fill == self.sent_fill {
            return None;
        }
        self.passes_fill = at;
        Some(at)
    }

    /// Whether the port passes on, in this slot, a fill word that came while it receives a burst, or answers a fill word that came
    /// while it sends a burst.
    pub(crate) fn passes_fill_now(&self, now: Time) -> bool {
        self.passes_fill == now
    }

    /// The port passes the fill word on, or answers it. Returns the time of the next fill word that the port sends: an
    /// IDLE of the owner may have to be followed by ARB(F0).
    pub(crate) fn pass_fill_on(&mut self, now: Time, effects: &mut impl PortEffectReceiver) -> Option<Time> {
        self.passes_fill = Time::NEVER;
        if now >= self.free_at {
            self.sending = None;
        }
        self.sync_fill(now, effects);
        if !self.circuit.owner || self.current_fill == self.sent_fill {
            return None;
        }
        self.passes_fill = self.fill_may_change_at();
        Some(self.passes_fill)
    }

    /// The other end of the circuit of the port, if the port knows it.
    pub(crate) fn peer(&self) -> Option<AlPa> {
        self.circuit.peer
    }

    /// Applies a part of a burst during which frames joined the queue; `came` are the frames that joined the queue and
    /// have not been sent.
    pub(crate) fn sent_of_burst(
        &mut self,
        now: Time,
        sent: &SentBurstPart,
        came: impl Iterator<Item = Frame>,
        effects: &mut impl PortEffectReceiver,
    ) {
        self.passes_fill = Time::NEVER;
        self.forget_ready(sent.ready_before);
        self.leave_queue(sent.starts);
        self.circuit.sender.catch_up(sent.ready as u32, sent.starts as u32);
        self.frames_in_tenancy += sent.starts as u32;
        self.serves_from(sent.slot);
        if let Some((frame, start)) = sent.last {
            self.wake_at = Time::NEVER;
            self.frame_starts(start, frame);
            if self.parameters.within_sequence == WithinSequence::Hold {
                self.circuit.unfinished = Some(frame.tag);
            }
            if sent.left_none {
                let at = self.next_to_do().max(start + self.link.word);
                self.is_served(at, sent.slot, effects);
            }
            if sent.waits {
                self.is_served(self.free_at, sent.slot, effects);
            }
            // The port was served behind the frame, for a fill word.
            if self.sent_fill_since >= self.free_at {
                self.sending = None;
            }
        }
        self.frames.extend(came);
        if sent.told_credit {
            self.sending = None;
            self.told = self.next_up().map(|frame| (frame.tag, QueueWait::Credit));
        }
        self.earliest.frame = self.earliest.frame.max(sent.earliest);
        self.plan(self.next_word_slot(now), effects);
    }

    /// When the port began to send a frame it asked to be served in the slot behind the frame; if that slot has passed, the
    /// port has been served.
    fn is_served(&mut self, at: Time, slot: Time, effects: &mut impl PortEffectReceiver) {
        if at >= slot {
            self.wake(at, effects);
        } else if self.free_at <= at {
            self.sending = None;
        }
    }

    /// Removes this many frames of a burst from the queue. Frames that arrived during the burst and have left
    /// were never in the queue.
    fn leave_queue(&mut self, starts: usize) {
        if self.parameters.circuit_frames == CircuitFrames::Head {
            self.frames.drain(..starts.min(self.frames.len()));
            return;
        }
        for _ in 0..starts {
            let Some(place) = self.circuit.peer.and_then(|peer| self.place_of_next(peer)) else { return };
            self.frames.remove(place);
        }
    }

    /// Applies a part of a burst to the receiving port.
    pub(crate) fn received_of_burst(
        &mut self,
        now: Time,
        received: &ReceivedBurstPart,
        effects: &mut impl PortEffectReceiver,
    ) {
        // A fill word that came during the burst has a slot in which it is passed on.
        let fill = Some(std::mem::replace(&mut self.passes_fill, Time::NEVER)).filter(|&at| at < Time::NEVER);
        self.circuit.receiver.catch_up(received.ready as u32, received.ends as u32);
        self.occupied_buffers = received.occupied as u32;
        self.forget_frames(received.ends, received.receiving);
        self.serves_from(received.slot);
        if received.ready > 0 {
            self.wake_at = Time::NEVER;
            self.space_after_ready(received.last_ready);
        }
        self.plan(fill.unwrap_or(now).max(self.next_word_slot(now)), effects);
    }

    /// Slots before `slot` have passed, and if the port was served in one of these slots it has nothing more
    /// to do there.
    fn serves_from(&mut self, slot: Time) {
        if self.wake_at < slot {
            if self.free_at <= self.wake_at {
                self.sending = None;
            }
            self.wake_at = Time::NEVER;
        }
    }
}

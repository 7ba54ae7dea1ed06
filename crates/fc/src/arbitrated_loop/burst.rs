//! A circuit of the fast loop at the start and at the end of a frame burst; see [`crate::loop_port::burst`].
//!
//! During a frame burst its frames and R_RDYs are not on the loop as single items. Items in flight when the burst starts arrive by events
//! that are already scheduled, and are only removed; items in flight when the burst ends are put on the loop then.

use super::fast::{Flight, PortSet};
use super::{Answer, ArbitratedLoop, Before, LoopEvent, LoopHost};
use crate::frame::{Frame, RequestTag};
use crate::loop_port::burst::{
    AroundFill, ReceivedBurstPart, ReceivingPortState, SendingPortState, SentBurstPart,
};
use crate::loop_port::queueing::QueueArrivals;
use crate::slots::WordSlots;
use crate::word::LinkItem;
use sansim_kernel::{Span, Time};

/// A circuit that could carry a frame burst.
#[derive(Clone, Copy, Debug)]
pub struct Circuit {
    /// The port that sends the burst, and the state from which it starts.
    pub from: usize,
    /// The state from which the port [`Circuit::from`] starts the burst.
    pub sending: SendingPortState,
    /// The port that receives the burst, and the state from which it starts.
    pub to: usize,
    /// The state from which the port [`Circuit::to`] starts the burst.
    pub receiving: ReceivingPortState,
    /// Time of a word.
    pub word: Span,
    /// The slots of the receiver.
    pub slots: WordSlots,
    /// The time from a slot of the sender to the corresponding slot of the receiver.
    pub there: Span,
    /// The time from a slot of the receiver to the corresponding slot of the sender.
    pub back: Span,
}

impl ArbitratedLoop {
    /// The circuit in which a port sends data frames, if it could carry a frame burst. Frame bursts exist
    /// only on the fast loop.
    pub fn circuit(&mut self, now: Time, from: usize) -> Option<Circuit> {
        // Frames for a port that is bypassed are lost one by one, and not with others.
        if !self.tells_ahead || self.known.is_going() || !self.bypassed.is_empty() {
            return None;
        }
        let sending = self.ports[from].sending_burst(now)?;
        let to = self.index_of(self.ports[from].peer()?)?;
        if self.fast.others_in_circuit(from) != PortSet::of(to) {
            return None;
        }
        let receiving = self.ports[to].receiving_burst(now)?;
        let there = self.geometry.slot_distance_time(from, to);
        let back = self.geometry.slot_distance_time(to, from);
        let slots = self.geometry.slots(to);
        Some(Circuit { from, sending, to, receiving, word: self.word, slots, there, back })
    }

    /// Whether the only frame in the queue of a port follows a frame that is being sent, which was the last frame in the queue
    /// when it started.
    pub fn follows_another(&self, port: usize) -> bool {
        self.tells_ahead && !self.known.is_going() && self.ports[port].follows_another()
    }

    /// Whether a frame that is handed to the receiving port leaves the frame burst unchanged.
    pub fn lets_frames_wait(&self, to: usize) -> bool {
        self.ports[to].lets_frames_wait()
    }

    /// Whether another frame that joins the queue of a port changes nothing else: the queue has frames, and none leaves while the port
    /// repeats.
    pub fn only_lengthens_queue(&self, port: usize) -> bool {
        !self.known.is_at(port) && self.ports[port].only_queues() && self.bypassed.is_empty()
    }

    /// Announces the times at which frames will join the queue of a port that only repeats.
    pub fn announce_queue_times(&mut self, port: usize, queueing: QueueArrivals) {
        self.ports[port].frames_will_queue(queueing);
    }

    /// Adds frames to the queue of a port that only repeats.
    pub fn queue_frames(&mut self, port: usize, frames: impl Iterator<Item = Frame>) {
        self.ports[port].queue_frames(frames);
    }

    /// From the time `from` on, frames are handed to the queue of the port one by one again.
    pub fn end_announced_queueing(&mut self, now: Time, port: usize, from: Time, around: &mut impl LoopHost) {
        self.ports[port].queues_no_more(now, from, &mut Answer::new(now, port, around));
    }

    /// The items that events carry to a port, in no order, with the time of arrival: for a frame that of its last word.
    pub fn in_flight(&self, to: usize) -> impl Iterator<Item = (LinkItem, Time)> {
        self.items.pending().filter(move |pending| pending.to == to).map(|pending| (pending.item, pending.at))
    }

    /// The number of frames of a request in the queue of a port and in flight to another port.
    pub fn frames_of_request(&self, from: usize, to: usize, tag: RequestTag) -> usize {
        let is_of_it =
            |(item, _): &(LinkItem, Time)| matches!(item, LinkItem::Frame(frame) if frame.tag == tag);
        self.ports[from].queued_frames_of_request(tag) + self.in_flight(to).filter(is_of_it).count()
    }

    /// The arrival times of the R_RDYs in flight to a port, in their order.
    pub fn ready_in_flight(&self, to: usize) -> impl ExactSizeIterator<Item = Time> {
        self.ports[to].ready_to_come()
    }

    /// Removes an event that is due at an end of a frame burst, because the burst has already accounted for
    /// the event.
    pub fn remove_accounted_event(&mut self, now: Time, port: usize, event: LoopEvent) {
        match event {
            LoopEvent::Item(id) | LoopEvent::FrameEnd(id) => self.items.remove(id),
            LoopEvent::Slot => _ = self.ports[port].slot_comes(now),
            LoopEvent::Fill | LoopEvent::Known(..) | LoopEvent::Initialisation(_) | LoopEvent::TimeOut => {}
        }
    }

    /// The next fill edge reaches the receiving port of a frame burst. Returns whether the fill edge leaves the burst unchanged; otherwise
    /// nothing has been done.
    pub fn fill_reaches_burst_receiver(
        &mut self,
        now: Time,
        to: usize,
        train: &AroundFill,
        around: &mut impl LoopHost,
    ) -> bool {
        let Some(at) = self.ports[to].passes_fill_at(now, train) else { return false };
        if let Some(word) = self.fast.next_fill(now, to, around)
            && let Some(at) = self.ports[to].will_pass_fill(now, word, at, &mut Answer::new(now, to, around))
        {
            around.schedule(at, to, LoopEvent::Slot);
        }
        true
    }

    /// The next fill edge reaches the sending port of a frame burst, whose last frame so far ends at `end`. Returns whether the fill edge
    /// leaves the burst unchanged; otherwise nothing has been done.
    pub fn fill_reaches_burst_sender(
        &mut self,
        now: Time,
        from: usize,
        end: Option<Time>,
        around: &mut impl LoopHost,
    ) -> bool {
        let Some(at) = self.ports[from].answers_fill_at(now, end) else { return false };
        if let Some(word) = self.fast.next_fill(now, from, around)
            && let Some(at) =
                self.ports[from].will_answer_fill(now, word, at, &mut Answer::new(now, from, around))
        {
            around.schedule(at, from, LoopEvent::Slot);
        }
        true
    }

    /// Whether a port at an end of a frame burst passes on or answers a fill word in this slot.
    pub fn passes_fill_now(&self, now: Time, port: usize) -> bool {
        self.ports[port].passes_fill_now(now)
    }

    /// The port passes the fill word on, or answers it.
    pub fn pass_fill_word(&mut self, now: Time, port: usize, around: &mut impl LoopHost) {
        let before = Before::of(&self.ports[port]);
        let mut answer = Answer::new(now, port, around);
        if let Some(again) = self.ports[port].pass_fill_on(now, &mut answer) {
            answer.around.schedule(again, port, LoopEvent::Slot);
        }
        let transmits = answer.transmits;
        self.conclude(now, port, before, transmits, around);
    }

    /// A frame of this length in a burst began to be sent at this time. This function is called for the
    /// frames in the order in which they were sent.
    pub fn frame_passes(&mut self, now: Time, circuit: &Circuit, sent: Time, length: Span) {
        if sent < self.has_passed_if_before(now, length) {
            return;
        }
        let flight = Flight { sent, length, from: circuit.from as u8, to: circuit.to as u8 };
        self.fast.note_flight(flight, circuit.there, self.geometry.round_trip_time());
    }

    /// An item that takes this long to send has passed every port of the loop by now if it began before this time, so no later event meets
    /// the item.
    pub fn has_passed_if_before(&self, now: Time, length: Span) -> Time {
        Time(now.ticks().saturating_sub((self.geometry.round_trip_time() + length).ticks()))
    }

    /// An R_RDY of a frame burst was sent at this time. This function is called for the R_RDYs in the order
    /// in which they were sent.
    pub fn ready_passes(&mut self, now: Time, circuit: &Circuit, sent: Time) {
        if sent < self.has_passed_if_before(now, circuit.word) {
            return;
        }
        let flight = Flight { sent, length: circuit.word, from: circuit.to as u8, to: circuit.from as u8 };
        self.fast.note_flight(flight, circuit.back, self.geometry.round_trip_time());
    }

    /// A frame sent at this time is in flight when the burst ends. Call this function after
    /// [`Self::end_burst`].
    pub fn put_frame(&mut self, circuit: &Circuit, (sent, frame): (Time, Frame), around: &mut impl LoopHost) {
        let begins = sent + circuit.there;
        let ends = begins + self.word * frame.length_in_words();
        self.ports[circuit.to].frame_comes(begins, ends);
        let id = self.items.put(LinkItem::Frame(frame), circuit.to, ends);
        around.schedule(ends, circuit.to, LoopEvent::FrameEnd(id));
    }

    /// An R_RDY is in flight when the burst ends, and arrives at this time. Call this function after
    /// [`Self::end_burst`].
    pub fn put_ready(&mut self, now: Time, circuit: &Circuit, at: Time, around: &mut impl LoopHost) {
        self.ports[circuit.from].ready_comes(at, &mut Answer::new(now, circuit.from, around));
    }

    /// Ends a frame burst of which the given part has passed; ordinary events continue from here. `came` are the frames that joined the
    /// sender's queue during the burst and have not been sent.
    pub fn end_burst(
        &mut self,
        now: Time,
        circuit: &Circuit,
        (sent, came): (&SentBurstPart, impl Iterator<Item = Frame>),
        received: &ReceivedBurstPart,
        around: &mut impl LoopHost,
    ) {
        self.ports[circuit.from].sent_of_burst(now, sent, came, &mut Answer::new(now, circuit.from, around));
        self.ports[circuit.to].received_of_burst(now, received, &mut Answer::new(now, circuit.to, around));
    }
}

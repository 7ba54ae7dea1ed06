//! A loop at the start, during and at the end of a frame burst: a run of data frames that goes through a circuit while nothing else happens
//! at either end (`crates/burst`).

use super::catalogue::segment;
use super::{LoopContext, LoopNetwork, event_of, kind_index};
use sansim_component::{Context, Timer};
use sansim_fc::arbitrated_loop::ArbitratedLoop;
use sansim_fc::arbitrated_loop::burst::Circuit;
use sansim_fc::frame::{Frame, Pdu, PduKind};
use sansim_fc::loop_port::burst::AroundFill;
use sansim_fc::loop_port::queueing::QueueArrivals;
use sansim_kernel::{Span, Time};

pub use segment::{CREDIT, QUEUE, WIRE};

impl LoopNetwork {
    /// The circuit in which a port sends data frames, if it could carry a frame burst.
    pub fn burst_circuit(&mut self, now: Time, from: u16) -> Option<Circuit> {
        self.arbitrated_loop.circuit(now, usize::from(from))
    }

    /// Whether an event is about a frame or an R_RDY in flight, or about an action of a port in a slot, and not about a fill
    /// word.
    pub fn is_burst_event(timer: Timer) -> bool {
        timer.what != super::what::FILL && !Self::is_change(timer)
    }

    /// Whether an event is about a change of the loop.
    pub fn is_change(timer: Timer) -> bool {
        timer.what >= super::what::INITIALISATION
    }

    /// Removes an event that is due at an end of a frame burst, because the burst has already accounted for
    /// the event.
    pub fn remove_accounted_event(&mut self, now: Time, timer: Timer) {
        self.arbitrated_loop.remove_accounted_event(now, usize::from(timer.place), event_of(timer));
    }

    /// Whether a timer is the slot in which the receiving port of a burst passes a fill word on.
    pub fn is_fill_passing_slot(&self, now: Time, timer: Timer) -> bool {
        timer.what == super::what::SLOT && self.arbitrated_loop.passes_fill_now(now, usize::from(timer.place))
    }

    /// Passes the fill word of that slot on, at a port (see [`Self::is_fill_passing_slot`]).
    pub fn pass_fill_word(&mut self, cx: &mut Context<'_>, to: u16) {
        self.react(cx, |arbitrated_loop, now, around| {
            arbitrated_loop.pass_fill_word(now, usize::from(to), around)
        });
    }

    /// A fill word reaches the receiving port of a burst. The rule is in
    /// [`ArbitratedLoop::fill_reaches_burst_receiver`].
    pub fn fill_reaches_burst_receiver(&mut self, cx: &mut Context<'_>, to: u16, train: &AroundFill) -> bool {
        let mut passes = false;
        self.react(cx, |arbitrated_loop, now, around| {
            passes = arbitrated_loop.fill_reaches_burst_receiver(now, usize::from(to), train, around);
        });
        passes
    }

    /// The next fill edge reaches the sending port of a burst; see [`ArbitratedLoop::fill_reaches_burst_sender`].
    pub fn fill_reaches_burst_sender(&mut self, cx: &mut Context<'_>, from: u16, end: Option<Time>) -> bool {
        let mut answers = false;
        self.react(cx, |arbitrated_loop, now, around| {
            answers = arbitrated_loop.fill_reaches_burst_sender(now, usize::from(from), end, around);
        });
        answers
    }

    /// Whether another frame in the queue of a port only lengthens the queue. The rule is in
    /// [`ArbitratedLoop::only_lengthens_queue`].
    pub fn only_lengthens_queue(&self, port: u16) -> bool {
        self.arbitrated_loop.only_lengthens_queue(usize::from(port))
    }

    /// Announces the times at which frames will join the queue of a port that only repeats.
    pub fn announce_queue_times(&mut self, port: u16, queueing: QueueArrivals) {
        self.arbitrated_loop.announce_queue_times(usize::from(port), queueing);
    }

    /// From the time `from` on frames are handed over one by one again.
    pub fn end_announced_queueing(&mut self, cx: &mut Context<'_>, port: u16, from: Time) {
        self.react(cx, |arbitrated_loop, now, around| {
            arbitrated_loop.end_announced_queueing(now, usize::from(port), from, around);
        });
    }

    /// Adds data units to the queue of a port that only repeats.
    pub fn queue_frames(&mut self, port: u16, units: impl Iterator<Item = Pdu>) {
        self.arbitrated_loop.queue_frames(usize::from(port), units.map(Frame::from));
    }

    /// A data frame of this length and payload starts in a burst.
    pub fn burst_frame_started(
        &mut self,
        now: Time,
        at: Time,
        circuit: &Circuit,
        length: Span,
        payload_bytes: u32,
    ) {
        self.account.balance.sent[kind_index(PduKind::Data)] += 1;
        self.account.balance.data[0] += u64::from(payload_bytes);
        self.account.usage.frame_begins(at, length);
        self.account.wire.begins(at);
        self.arbitrated_loop.frame_passes(now, circuit, at, length);
    }

    /// The last word of a data frame of this payload has arrived, in a burst.
    pub fn burst_frame_ended(&mut self, at: Time, payload_bytes: u32) {
        self.account.balance.received[kind_index(PduKind::Data)] += 1;
        self.account.balance.data[1] += u64::from(payload_bytes);
        self.account.wire.ends(at);
    }

    /// An R_RDY of a burst is sent.
    pub fn burst_ready_sent(&mut self, now: Time, at: Time, circuit: &Circuit) {
        self.arbitrated_loop.ready_passes(now, circuit, at);
    }

    /// Ends a burst with its items in flight, and with the states of the two ports. The work is done by
    /// [`ArbitratedLoop::end_burst`].
    pub fn end_burst(
        &mut self,
        cx: &mut Context<'_>,
        end: impl FnOnce(&mut ArbitratedLoop, &mut LoopContext<'_, '_>, Time),
    ) {
        self.react(cx, |arbitrated_loop, now, around| end(arbitrated_loop, around, now));
    }
}

//! A loop at the begin, along the way and at the end of a train: a run of data frames that goes through a circuit while nothing else
//! happens at either end (`crates/circuit`).

use super::catalogue::segment;
use super::{Around, Loop, event_of, kind_index};
use sansim_component::{Context, Timer};
use sansim_fc::arbitrated_loop::ArbitratedLoop;
use sansim_fc::arbitrated_loop::train::Circuit;
use sansim_fc::frame::FrameKind;
use sansim_kernel::{Span, Time};

pub use segment::{CREDIT, QUEUE, WIRE};

impl Loop {
    /// The circuit in which a port sends data frames, if it could carry a train.
    pub fn circuit(&mut self, now: Time, from: u16) -> Option<Circuit> {
        self.arbitrated_loop.circuit(now, usize::from(from))
    }

    /// Whether an event is about a frame or an R_RDY under way, or what a port would do in a slot; not about a fill word.
    pub fn is_of_train(timer: Timer) -> bool {
        timer.what != super::what::FILL
    }

    /// An event of an end of a train: what it is about has been worked out already.
    pub fn pass_over(&mut self, timer: Timer) {
        self.arbitrated_loop.pass_over(event_of(timer));
    }

    /// A data frame of a train of this length and payload starts.
    pub fn frame_starts(&mut self, at: Time, circuit: &Circuit, length: Span, payload_bytes: u32) {
        self.account.balance.sent[kind_index(FrameKind::Data)] += 1;
        self.account.balance.data[0] += u64::from(payload_bytes);
        self.account.usage.frame_begins(at, length);
        self.account.wire.begins(at);
        self.arbitrated_loop.note_passing(circuit.from, circuit.to, at, length);
    }

    /// The last word of a data frame of a train of this payload is in.
    pub fn frame_ends(&mut self, at: Time, payload_bytes: u32) {
        self.account.balance.received[kind_index(FrameKind::Data)] += 1;
        self.account.balance.data[1] += u64::from(payload_bytes);
        self.account.wire.ends(at);
    }

    /// An R_RDY of a train is sent.
    pub fn ready_starts(&mut self, at: Time, circuit: &Circuit) {
        self.arbitrated_loop.note_passing(circuit.to, circuit.from, at, circuit.word);
    }

    /// Ends a train with what of it is under way, and with where the two ports are. See [`ArbitratedLoop::end_train`].
    pub fn end_train(
        &mut self,
        cx: &mut Context<'_>,
        end: impl FnOnce(&mut ArbitratedLoop, &mut Around<'_, '_>, Time),
    ) {
        self.react(cx, |arbitrated_loop, now, around| end(arbitrated_loop, around, now));
    }
}

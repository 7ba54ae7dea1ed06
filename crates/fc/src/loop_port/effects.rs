//! The effects of a port in answer to an input, and the interface that receives them.

use crate::frame::{Frame, RequestTag};
use crate::word::{FillWord, LinkItem};
use sansim_kernel::Time;

/// The event for which the head of the outgoing queue waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueWait {
    /// The frame waits for the access window to open.
    AccessWindow,
    /// The frame waits for the loop: arbitration, or the end of a circuit.
    Loop,
    /// The frame waits for credit of the addressed port; OPN and R_RDY may be in flight.
    Credit,
    /// At a loop switch, the frame waits for the destination of its OPN, which is in another conversation.
    Destination,
    /// The frame does not wait: it is on the wire.
    Wire,
    /// The port holds the circuit open for the next frame of its sequence, which is still being fetched from memory.
    Held,
    /// The frame waits until enough frames of its sequence have come from memory; then the port arbitrates.
    Gathering,
}

/// An effect of a port in answer to an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PortEffect {
    /// From this slot on the port transmits another fill word. The slot may be ahead, by two words at most.
    Fill(Time, FillWord),
    /// The item starts in this slot, which may be the next slot.
    Send(Time, LinkItem),
    /// The port asks for a call of [`LoopPort::handle_slot`] in this slot. The request replaces an earlier
    /// request for a later time.
    Wake(Time),
    /// The frame has left the outgoing FIFO: its first word is on the wire.
    Started(Frame),
    /// The last data frame of an exchange, or an IP frame, has left the port entirely; an FL_Port reports this for any frame.
    Sent(Frame),
    /// A frame has been received into a buffer; return the buffer with [`LoopPort::buffer_freed`].
    Received(Frame),
    /// An ACK for a frame of the port has come; it occupies no buffer any more.
    Acknowledged(Frame),
    /// The first frame of this exchange now waits for this event.
    Waits(RequestTag, QueueWait),
    /// The port won the loop, or lost it again (`false`).
    Owns(bool),
    /// The circuit that the port was in is over.
    CircuitEnded,
    /// The loop has been initialised, and the port is in MONITORING.
    Initialised,
}

/// The receiver of a port's effects. The receiver is called while the port still answers, so no effect is stored
/// in between.
pub trait PortEffectReceiver {
    /// Receives the next effect. In answer to an input a port transmits at most one new fill word or item. Where the loop accepts certain
    /// transmissions ahead of their slot ([`LoopFacts::tells_ahead`](super::LoopFacts)), a fill word may follow an OPN.
    fn push(&mut self, effect: PortEffect);
}

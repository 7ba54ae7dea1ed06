//! What all networks have in common for the nodes at their ports, and what these tell each other before a run.

use sansim_fc::cable::Medium;
use sansim_fc::speed::Speed;
use sansim_kernel::Span;

/// What others ask about a network, whatever it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carrier {
    /// Time of a word, where links say nothing else.
    pub word: Span,
    /// Their speed.
    pub speed: Speed,
    /// What cables are made of.
    pub medium: Medium,
    /// Whether it takes all data of a sequence at once, and cuts them into no frames.
    pub whole_sequences: bool,
    /// Whether it could keep a frame for which no R_RDY has come, until its receiver has room.
    pub keeps_frames: bool,
    /// Whether it carries one circuit at a time, so that all who stand there share its bandwidth.
    pub one_circuit: bool,
    /// Most payload of a frame with data, and of one without, that its buffers take, where they limit it.
    pub buffer_sizes: Option<[u64; 2]>,
    /// Whether it is a fabric, at whose ports loops and IP may be, too.
    pub is_fabric: bool,
    /// Whether stations stand in a ring, in the order of the file, and have the addresses of a loop.
    pub is_loop: bool,
}

/// What stands behind a network port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// It sends commands. Such ports get the first of the addresses that nobody gave.
    Initiator,
    /// It receives them.
    Target,
    /// Nothing: the port only repeats.
    Passive,
    /// Another network: frames pass through. On a loop it is the FL_Port and has AL_PA 00.
    Crossing,
}

/// How a node makes frames and takes them. A network that carries whole sequences works out by this what their frames would do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pace {
    /// Largest payload of its frames, in bytes; nothing for a port without a node.
    pub payload_bytes: u64,
    /// Data frames that are ready to be sent, at most.
    pub ready_frames: u64,
    /// Time to have the data of a frame from memory.
    pub fetch: Span,
    /// Time to process a received frame, with which its buffer is empty.
    pub take: Span,
}

/// The first segments of every network, by number: what a node may say of a request whose frames are at its port.
pub mod segment {
    /// In the queue of the port.
    pub const QUEUE: usize = 0;
    /// Waiting for the network.
    pub const WAITS: usize = 1;
}

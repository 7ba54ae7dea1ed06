//! What all networks have in common for the nodes at their ports, and what these tell each other before a run.

use sansim_kernel::Span;

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

/// Which of the equal models of a network runs. All give the same result; the slower ones are there to check the faster ones, and to be watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NetworkModel {
    /// The fastest: steps that nobody can observe are left out.
    #[default]
    Fast,
    /// Everything that reaches a port reaches it by an event, to be observed then.
    Stepped,
    /// The plain model, without any shortcut.
    Reference,
}

/// How a node makes frames and takes them. A network that carries whole sequences works out by this what their frames would do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodePace {
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

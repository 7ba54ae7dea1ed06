//! The common parts of all networks: the interface to the nodes at their ports, and the login parameters that nodes exchange before a run.

use sansim_kernel::Span;

/// The role of the device at a network port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The port sends commands. Such ports get the first of the addresses that no key assigns.
    Initiator,
    /// The port receives commands.
    Target,
    /// Nothing: the port only repeats.
    Passive,
    /// Another network: frames pass through. On a loop it is the FL_Port and has AL_PA 00.
    Crossing,
}

/// The network model that runs. All give the same result; the slower ones serve to check the faster ones, and to be observed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NetworkModel {
    /// The fastest: it leaves out steps that cannot be observed.
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

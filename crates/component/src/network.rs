//! The common parts of all networks: the interface to the nodes at their ports, and the login parameters that nodes exchange before a run.

use sansim_kernel::Span;

/// The role of the device at a network port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NetworkPortRole {
    /// The port sends commands. Initiator ports get the first of the addresses that no key assigns.
    Initiator,
    /// The port receives commands.
    Target,
    /// The port only repeats, and has no device.
    Passive,
    /// The port leads to another network: frames pass through. On a loop a crossing is the FL_Port and has AL_PA 00.
    Crossing,
}

/// The network model that runs. All network models give the same result; the slower models serve to check the faster ones, and to be
/// observed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NetworkModel {
    /// The fastest model: it leaves out steps that cannot be observed.
    #[default]
    Fast,
    /// The model in which every arrival at a port is an event, so that it can be observed.
    Stepped,
    /// The plain model, without any shortcut.
    Reference,
}

/// The form in which a network carries the units of adapters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnitTransport {
    /// Each part of a unit is a frame of Fibre Channel, or of a network with the same units.
    #[default]
    Frames,
    /// The network accepts all data of a sequence at once; it has this word time.
    Sequences(Span),
    /// The units are bytes of a stream, with headers of their own (TCP).
    Stream,
    /// The units are messages of RDMA: capsules are sent, data are written into memory or read from it.
    Rdma,
    /// The units are transactions on the memory of the host (PCI Express). The network accepts all data of a sequence at once, and has this
    /// word time.
    Transactions(Span),
}

impl UnitTransport {
    /// Whether the units are transactions on the memory of the host.
    pub fn is_on_memory(self) -> bool {
        matches!(self, Self::Transactions(_))
    }

    /// Whether the network accepts all data of a sequence at once, and does not cut them into frames.
    pub fn takes_whole_sequences(self) -> bool {
        matches!(self, Self::Sequences(_) | Self::Transactions(_))
    }
}

/// The times in which a node builds frames and accepts them. A network that transmits whole sequences calculates from these times how their
/// frames would move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodePace {
    /// The largest payload of the node's frames, in bytes; 0 for a port without a node.
    pub payload_bytes: u64,
    /// The most data frames that are ready to be sent.
    pub ready_frames: u64,
    /// The time to fetch the data of a frame from memory.
    pub fetch: Span,
    /// The time to process a received frame, after which its buffer is empty.
    pub take: Span,
}

/// The first segments of every network, by number: a node may use them for a request whose frames are at its port.
pub mod segment {
    /// The request is in the queue of the port.
    pub const QUEUE: usize = 0;
    /// The request waits for the network.
    pub const WAITS: usize = 1;
}

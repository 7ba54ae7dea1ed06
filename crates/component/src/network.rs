//! What all networks have in common for the nodes at their ports.

/// The first segments of every network, by number: what a node may say of a request whose frames are at its port.
pub mod segment {
    /// In the queue of the port.
    pub const QUEUE: usize = 0;
    /// Waiting for the network.
    pub const WAITS: usize = 1;
}

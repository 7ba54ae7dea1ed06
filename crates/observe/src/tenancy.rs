//! A tenancy of a loop: its owner, from when to when.

use sansim_kernel::Time;

/// One tenancy: a port wins the arbitration, owns the loop and gives it up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tenancy {
    /// Station of the owner.
    pub station: usize,
    /// The time at which the port began to arbitrate.
    pub arbitration_began: Time,
    /// The time at which the port won.
    pub won: Time,
    /// The time at which the port gave the loop up.
    pub ended: Time,
    /// Circuits it opened (OPNs sent).
    pub circuits: u32,
    /// Station that it opened first.
    pub peer: Option<usize>,
    /// Frames that the owner sent.
    pub frames_out: u32,
    /// Frames that the owner received.
    pub frames_in: u32,
    /// Payload bytes of the data frames it sent.
    pub bytes_out: u64,
    /// Payload bytes of the data frames it received.
    pub bytes_in: u64,
}

//! A tenancy of a loop: its owner, from when to when.

use sansim_kernel::Time;

/// One tenancy: a port won the arbitration, and gave the loop up again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tenancy {
    /// Station of the owner.
    pub station: usize,
    /// When it began to arbitrate.
    pub arbitration_began: Time,
    /// When it won.
    pub won: Time,
    /// When it gave the loop up.
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

//! A tenancy of a loop: its owner, its begin and its end.

use sansim_kernel::Time;

/// A tenancy: a port wins the arbitration, owns the loop and gives it up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tenancy {
    /// The station of the owner.
    pub station: usize,
    /// The time at which the port began to arbitrate.
    pub arbitration_began: Time,
    /// The time at which the port won.
    pub won: Time,
    /// The time at which the port gave the loop up.
    pub ended: Time,
    /// The number of circuits that the owner opened (OPNs sent).
    pub circuits: u32,
    /// The station with which the owner opened the first circuit.
    pub peer: Option<usize>,
    /// The number of frames that the owner sent.
    pub frames_out: u32,
    /// The number of frames that the owner received.
    pub frames_in: u32,
    /// The payload bytes of the data frames that the owner sent.
    pub bytes_out: u64,
    /// The payload bytes of the data frames that the owner received.
    pub bytes_in: u64,
}

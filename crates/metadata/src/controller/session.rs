//! What a client has of a volume: a lease, locks, and what it is to be told.

use sansim_kernel::Time;
use sansim_request::RequestId;

/// What a client has of a volume. It stays when the session ends, so that late calls are known for what they are.
#[derive(Clone, Debug)]
pub(super) struct Session {
    pub client: u64,
    /// The number of the attempt by which it came to be.
    pub token: u64,
    pub live: bool,
    /// The end of its lease.
    pub expires: Time,
    /// It may not go on: it was revoked.
    pub denied: bool,
    /// The newest map by which alone anything of it is under way.
    pub settled: u64,
    /// The call by which it waits to be told something.
    pub watch: Option<RequestId>,
    /// The ranges on which it has locks.
    pub held: Vec<u64>,
    /// Those of which it is to be told that somebody wants them.
    pub recalls: Vec<Recall>,
    pub told_denied: bool,
    /// The map of which it was told that it comes.
    pub told_settle: u64,
    /// A timer is set for its end.
    pub has_timer: bool,
}

/// A lock is wanted back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recall {
    pub range: u64,
    pub told: bool,
}

impl Session {
    pub fn new(client: u64) -> Self {
        Self {
            client,
            token: 0,
            live: false,
            expires: Time::ZERO,
            denied: false,
            settled: 0,
            watch: None,
            held: Vec::with_capacity(64),
            recalls: Vec::with_capacity(64),
            told_denied: false,
            told_settle: 0,
            has_timer: false,
        }
    }
}

//! The state of a client at a volume: a lease, locks, and pending notifications.

use sansim_kernel::Time;
use sansim_request::RequestId;

/// The state of a client at a volume. It stays when the session ends, so that late calls are recognised.
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
    /// No access in flight uses a map older than the one of this number.
    pub settled: u64,
    /// The watch, a call that waits for a notification.
    pub watch: Option<RequestId>,
    /// The ranges on which it has locks.
    pub held: Vec<u64>,
    /// Locks to be recalled, because other clients want them.
    pub recalls: Vec<Recall>,
    pub told_denied: bool,
    /// The number of the map that it was notified of.
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

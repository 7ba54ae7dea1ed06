//! The state of a client at a volume: a lease, locks, and pending notifications.

use sansim_kernel::Time;
use sansim_request::RequestId;

/// The state of a client at a volume. The state of a client is kept after its session ends, so that late calls are recognised.
#[derive(Clone, Debug)]
pub(super) struct Session {
    pub client: u64,
    /// The number of the attempt by which the client opened the session.
    pub token: u64,
    pub live: bool,
    /// The end of the lease of the session.
    pub expires: Time,
    /// Whether access was revoked for the client.
    pub denied: bool,
    /// The number of the oldest map that accesses in flight may use.
    pub settled: u64,
    /// The watch of the client: a call that is answered by the next notification.
    pub watch: Option<RequestId>,
    /// The ranges on which the session has locks.
    pub held: Vec<u64>,
    /// The locks of the session to be recalled because other clients want them.
    pub recalls: Vec<Recall>,
    pub told_denied: bool,
    /// The number of the map of which the client was notified.
    pub told_settle: u64,
    /// Whether a timer is set for the end of the session.
    pub has_timer: bool,
}

/// A lock that is to be recalled.
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

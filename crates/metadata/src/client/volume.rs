//! A volume as a client knows it: its session, its locks, and its place.

use super::super::map::VolumeMap;
use sansim_kernel::Time;
use sansim_request::RequestId;
use std::collections::VecDeque;

/// The call about a lock that the client has in flight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Doing {
    /// No call about the lock is in flight.
    #[default]
    Nothing,
    /// The client is requesting the lock.
    Asking,
    /// The client is giving the lock back.
    Releasing,
}

/// The lock of a client on a range.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lock {
    /// The number of the lock; 0 if the client does not have the lock.
    pub grant: u64,
    pub exclusive: bool,
    /// The number of requests that use the lock.
    pub users: u32,
    /// Whether the lock has been recalled: no further request may use it, and it is given back as soon as no request uses it.
    pub recalled: bool,
    pub doing: Doing,
}

impl Lock {
    /// Whether a further request may use the lock.
    pub fn admits_request(&self, exclusive: bool) -> bool {
        self.grant != 0 && !self.recalled && (self.exclusive || !exclusive)
    }
}

/// The place of an extent, as far as the client knows it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    pub known: Option<(u32, u64)>,
    pub asked: bool,
}

/// The state of the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Session {
    /// No session is open.
    #[default]
    None,
    /// The client has sent a call to open a session.
    Opening,
    /// A session is open, and lasts as long as its lease is valid.
    Live,
}

/// A volume as a client knows it: session, locks, and place.
#[derive(Clone, Debug)]
pub(super) struct Volume {
    /// The capacity of the volume in bytes.
    pub bytes: u64,
    /// Whether the volume is translated by files.
    pub by_files: bool,
    pub session: Session,
    /// The number of the last attempt to open a session, which is the token of the session.
    pub token: u64,
    /// The end of the lease as the client computes it, counted from the time at which the client asked for the lease.
    pub lease_end: Time,
    /// The time at which the lease is to be renewed.
    pub renew_at: Time,
    /// The times for which timers of the lease are set.
    pub lease_timer: Option<Time>,
    pub renew_timer: Option<Time>,
    /// The number of calls in a row that were aborted because no answer came, and the time of the last abort. Calls that were sent before
    /// the last abort and are aborted later do not count separately.
    pub given_up: u32,
    pub given_up_at: Time,
    /// Whether no messages are sent for a while, because a message was just answered with an error.
    pub paused: bool,
    /// The calls in flight.
    pub renewal: Option<RequestId>,
    pub watch: Option<RequestId>,
    pub watched_since: Time,
    pub settling: bool,
    pub closing: bool,
    /// Whether access to the volume is revoked.
    pub revoked: bool,
    /// The number of the map for which the client waits: the volume is being moved, and no access begins before that map arrives.
    pub suspended: Option<u64>,
    /// The place of the volume.
    pub map: VolumeMap,
    /// The size of the lock ranges; 0 without locks.
    pub lock_range: u64,
    pub locks: Vec<Lock>,
    /// The ranges with a lock that is to be given back.
    pub recalled: Vec<u64>,
    /// The number of locks requested so far.
    pub serial: u64,
    pub extents: Vec<Extent>,
    /// The requests that wait for a session, a lock or an extent, in the order of their arrival.
    pub waiting: VecDeque<RequestId>,
    /// The number of requests in flight at devices.
    pub under_way: u32,
}

impl Volume {
    /// A volume without a session.
    pub fn new(bytes: u64, by_files: bool) -> Self {
        Self {
            bytes,
            by_files,
            session: Session::None,
            token: 0,
            lease_end: Time::ZERO,
            renew_at: Time::ZERO,
            lease_timer: None,
            renew_timer: None,
            given_up: 0,
            given_up_at: Time::ZERO,
            paused: false,
            renewal: None,
            watch: None,
            watched_since: Time::ZERO,
            settling: false,
            closing: false,
            revoked: false,
            suspended: None,
            map: VolumeMap::default(),
            lock_range: 0,
            locks: Vec::new(),
            recalled: Vec::with_capacity(64),
            serial: 0,
            extents: Vec::new(),
            waiting: VecDeque::with_capacity(64),
            under_way: 0,
        }
    }

    /// Whether the session permits an access to begin now.
    pub fn permits_access(&self, now: Time) -> bool {
        self.session == Session::Live && now < self.lease_end && !self.revoked && self.suspended.is_none()
    }

    /// A session has been opened, so all that was known from earlier sessions is dropped.
    pub fn session_opened(&mut self, lock_range: u64, map: VolumeMap) {
        self.session = Session::Live;
        self.lock_range = lock_range;
        let ranges = if lock_range == 0 { 0 } else { self.bytes.div_ceil(lock_range) };
        self.locks.clear();
        self.locks.resize(ranges as usize, Lock::default());
        self.volume_moved(map);
    }

    /// The volume has been moved to the place of this map.
    pub fn volume_moved(&mut self, map: VolumeMap) {
        self.map = map;
        self.suspended = None;
        let extents = if self.by_files { self.bytes.div_ceil(map.stripe.max(1)) } else { 0 };
        self.extents.clear();
        self.extents.resize(extents as usize, Extent::default());
    }

    /// The session has ended, and its locks and extents are dropped.
    pub fn session_ended(&mut self) {
        self.session = Session::None;
        self.lease_end = Time::ZERO;
        (self.renewal, self.watch) = (None, None);
        (self.settling, self.closing, self.revoked, self.suspended) = (false, false, false, None);
        self.locks.iter_mut().for_each(|lock| *lock = Lock::default());
        self.recalled.clear();
    }

    /// Marks a lock to be given back as soon as no request uses it.
    pub fn recall_lock(&mut self, range: u64) {
        if let Some(lock) = self.locks.get_mut(range as usize)
            && !std::mem::replace(&mut lock.recalled, true)
        {
            self.recalled.push(range);
        }
    }
}

//! A volume as a client knows it: its session, its locks, and where it is.

use super::super::map::Map;
use sansim_kernel::Time;
use sansim_request::RequestId;
use std::collections::VecDeque;

/// The call of a client about a lock or an extent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Doing {
    /// Nothing.
    #[default]
    Nothing,
    /// It asks for it.
    Asking,
    /// It gives it back.
    Releasing,
}

/// The lock of a client on a range.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lock {
    /// The number of its lock; 0 if it has none.
    pub grant: u64,
    pub exclusive: bool,
    /// Requests that need it.
    pub users: u32,
    /// It is given back as soon as no request uses it; no other request may.
    pub recalled: bool,
    pub doing: Doing,
}

impl Lock {
    /// Whether a request may use it from now on.
    pub fn serves(&self, exclusive: bool) -> bool {
        self.grant != 0 && !self.recalled && (self.exclusive || !exclusive)
    }
}

/// Where an extent is, as far as the client knows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    pub known: Option<(u32, u64)>,
    pub asked: bool,
}

/// Whether there is a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Session {
    /// There is none.
    #[default]
    None,
    /// It has been asked for.
    Opening,
    /// There is one, as long as its lease holds.
    Live,
}

/// See the text at the top of this file.
#[derive(Clone, Debug)]
pub(super) struct Volume {
    /// Bytes that it holds.
    pub bytes: u64,
    /// It is translated by files.
    pub by_files: bool,
    pub session: Session,
    /// The number of the last attempt, which is the token of the session that came of it.
    pub token: u64,
    /// The end of the lease, as the client has it: it counts from when it asked.
    pub lease_end: Time,
    /// When the lease is to be renewed.
    pub renew_at: Time,
    /// Timers are set, for these times.
    pub lease_timer: Option<Time>,
    pub renew_timer: Option<Time>,
    /// How often in a row calls were given up because no answer came, and when last. Calls sent before that and given up later count with it.
    pub given_up: u32,
    pub given_up_at: Time,
    /// No messages are sent: one got an error a moment ago.
    pub paused: bool,
    /// The calls in flight.
    pub renewal: Option<RequestId>,
    pub watch: Option<RequestId>,
    pub watched_since: Time,
    pub settling: bool,
    pub closing: bool,
    /// It may not go on.
    pub revoked: bool,
    /// It is moved: nothing begins before the map of this number is there.
    pub suspended: Option<u64>,
    /// Where it is.
    pub map: Map,
    /// Size of the ranges that are locked; 0 without locks.
    pub lock_range: u64,
    pub locks: Vec<Lock>,
    /// Ranges whose lock is to be given back.
    pub recalled: Vec<u64>,
    /// How many locks were asked for.
    pub serial: u64,
    pub extents: Vec<Extent>,
    /// Requests that wait for a session, a lock or an extent, in the order in which they came.
    pub waiting: VecDeque<RequestId>,
    /// Requests in flight at devices.
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
            map: Map::default(),
            lock_range: 0,
            locks: Vec::new(),
            recalled: Vec::with_capacity(64),
            serial: 0,
            extents: Vec::new(),
            waiting: VecDeque::with_capacity(64),
            under_way: 0,
        }
    }

    /// Whether an access may begin now, as far as the session goes.
    pub fn holds(&self, now: Time) -> bool {
        self.session == Session::Live && now < self.lease_end && !self.revoked && self.suspended.is_none()
    }

    /// There is a session: nothing of what was known before counts any more.
    pub fn opened(&mut self, lock_range: u64, map: Map) {
        self.session = Session::Live;
        self.lock_range = lock_range;
        let ranges = if lock_range == 0 { 0 } else { self.bytes.div_ceil(lock_range) };
        self.locks.clear();
        self.locks.resize(ranges as usize, Lock::default());
        self.moved(map);
    }

    /// It is there now.
    pub fn moved(&mut self, map: Map) {
        self.map = map;
        self.suspended = None;
        let extents = if self.by_files { self.bytes.div_ceil(map.stripe.max(1)) } else { 0 };
        self.extents.clear();
        self.extents.resize(extents as usize, Extent::default());
    }

    /// There is no session any more, and nothing of what came with it.
    pub fn ended(&mut self) {
        self.session = Session::None;
        self.lease_end = Time::ZERO;
        (self.renewal, self.watch) = (None, None);
        (self.settling, self.closing, self.revoked, self.suspended) = (false, false, false, None);
        self.locks.iter_mut().for_each(|lock| *lock = Lock::default());
        self.recalled.clear();
    }

    /// A lock is to be given back as soon as no request uses it.
    pub fn recall(&mut self, range: u64) {
        if let Some(lock) = self.locks.get_mut(range as usize)
            && !std::mem::replace(&mut lock.recalled, true)
        {
            self.recalled.push(range);
        }
    }
}

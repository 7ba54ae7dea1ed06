//! A volume at the metadata controller: its sessions, its locks, and its place. A volume determines the answers and notifications, but not
//! the times at which they are sent.
//!
//! The property tests check these rules:
//!
//! * a range has one exclusive lock or any number of shared locks, and locks are granted in the order of the calls;
//! * a lock that another client wants is recalled; the lock becomes free when its client gives it back, or when the session of the client
//!   is over;
//! * a session is over when its client closes it or opens another session, or when its lease and the time of grace have ended;
//! * a volume is moved when every session has reported that no access uses the old map, or is over; until then no client gets the new map.

use super::super::map::VolumeMap;
use super::super::message::{ClientCall, MetadataReply, SessionCall};
use super::parameters::VolumeLocation;
use super::session::Session;
use sansim_kernel::{Span, Time};
use sansim_request::RequestId;
use std::collections::VecDeque;

/// An answer to a call, with the number of the request.
pub(super) type Told = (RequestId, MetadataReply);

/// A session that holds a lock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Holder {
    pub session: usize,
    exclusive: bool,
    serial: u64,
    grant: u64,
}

/// The locks on a range.
#[derive(Clone, Debug, Default)]
pub(super) struct Range {
    pub holders: Vec<Holder>,
}

/// A client that waits for a lock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiter {
    pub id: RequestId,
    pub session: usize,
    pub range: u64,
    exclusive: bool,
    serial: u64,
}

/// The number of times that each kind of event happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub set_ups: u64,
    pub renewals: u64,
    pub locks: u64,
    pub recalls: u64,
    pub extents: u64,
    pub moves: u64,
    pub denied: u64,
    pub expired: u64,
}

/// A volume at the metadata controller: sessions, locks, and place.
#[derive(Clone, Debug)]
pub(super) struct Volume {
    pub placed: VolumeLocation,
    /// The present place of the volume.
    pub map: VolumeMap,
    /// Whether the volume should be at its other place, and whether it is there.
    wants_other: bool,
    at_other: bool,
    /// Whether the volume is being moved.
    pub moving: bool,
    /// Whether access to the volume is revoked for all clients.
    pub revoked: bool,
    pub sessions: Vec<Session>,
    pub ranges: Vec<Range>,
    pub waiting: VecDeque<Waiter>,
    /// The calls that are answered when the volume has been moved.
    unsettled: Vec<(RequestId, SessionCall)>,
    again: Vec<(RequestId, SessionCall)>,
    grants: u64,
    pub counts: Counts,
}

impl Volume {
    pub fn new(placed: VolumeLocation) -> Self {
        let ranges = if placed.lock_range == 0 { 0 } else { placed.bytes.div_ceil(placed.lock_range) };
        Self {
            placed,
            map: placed.home,
            wants_other: false,
            at_other: false,
            moving: false,
            revoked: false,
            sessions: Vec::new(),
            ranges: vec![Range::default(); ranges as usize],
            waiting: VecDeque::with_capacity(64),
            unsettled: Vec::with_capacity(16),
            again: Vec::with_capacity(16),
            grants: 0,
            counts: Counts::default(),
        }
    }

    /// Carries out a call. Answers to calls are added to `out`; a call that is not answered is held.
    pub fn execute_call(
        &mut self,
        id: RequestId,
        called: SessionCall,
        terms: (Time, Span),
        out: &mut Vec<Told>,
    ) {
        let SessionCall { client, token, call } = called;
        let (now, _) = terms;
        let session = self.session(now, client, token);
        let answer = match (call, session) {
            (ClientCall::Open | ClientCall::Extent { .. }, _) if self.moving => {
                self.unsettled.push((id, called));
                return;
            }
            (ClientCall::Open, _) => self.open(terms, client, token, out),
            (ClientCall::Close, _) => {
                let place = self.sessions.iter().position(|s| s.client == client && s.token == token);
                if let Some(place) = place.filter(|&place| self.sessions[place].live) {
                    self.end(place, out);
                }
                MetadataReply::Done
            }
            (_, None) => MetadataReply::NoSession,
            // A client whose access was revoked still gives back its locks; the answer to its watch reports that access was revoked.
            (ClientCall::Renew | ClientCall::Lock { .. } | ClientCall::Extent { .. }, Some(place))
                if self.sessions[place].denied =>
            {
                MetadataReply::Denied
            }
            (ClientCall::Renew, Some(place)) => self.renew(terms, place),
            (ClientCall::Watch, Some(place)) => {
                self.watch(id, place, out);
                return;
            }
            (ClientCall::Lock { range, exclusive, serial }, Some(session)) => {
                self.lock(Waiter { id, session, range, exclusive, serial }, out);
                return;
            }
            (ClientCall::Release { range, grant }, Some(place)) => {
                self.release(place, range, grant, out);
                MetadataReply::Done
            }
            (ClientCall::Extent { number }, Some(_)) => {
                self.counts.extents += 1;
                let (place, offset) = self.map.stripe_unit_location(number);
                MetadataReply::Extent { place, offset, version: self.map.version }
            }
            (ClientCall::Settled { version }, Some(place)) => {
                let session = &mut self.sessions[place];
                session.settled = session.settled.max(version);
                if self.moving {
                    self.unsettled.push((id, called));
                    self.move_on(terms, out);
                    return;
                }
                MetadataReply::Moved(self.map)
            }
        };
        out.push((id, answer));
        if let (ClientCall::Renew, Some(place)) = (call, session) {
            self.tell(place, out);
        }
        self.move_on(terms, out);
    }

    /// Handles a call for a lock on a range on which the client, as far as it knows, has no lock.
    fn lock(&mut self, waiter: Waiter, out: &mut Vec<Told>) {
        let Waiter { id, session, range, exclusive, serial } = waiter;
        let Some(locks) = self.ranges.get_mut(range as usize) else {
            out.push((id, MetadataReply::NoSession));
            return;
        };
        let own = locks.holders.iter().position(|holder| holder.session == session);
        if let Some(holder) = own.map(|own| locks.holders[own]) {
            if serial < holder.serial {
                out.push((id, MetadataReply::NoSession));
                return;
            }
            if holder.exclusive || !exclusive {
                // The session already has the lock: the answer that granted it was lost.
                out.push((id, MetadataReply::Granted { grant: holder.grant }));
                return;
            }
            self.release(session, range, holder.grant, out);
        }
        self.waiting.retain(|other| {
            let overtaken = other.session == session && other.range == range;
            if overtaken {
                out.push((other.id, MetadataReply::NoSession));
            }
            !overtaken
        });
        self.waiting.push_back(waiter);
        self.grant_locks(range, out);
    }

    /// Handles a lock that is given back, if the session has the lock.
    fn release(&mut self, session: usize, range: u64, grant: u64, out: &mut Vec<Told>) {
        let Some(locks) = self.ranges.get_mut(range as usize) else { return };
        let before = locks.holders.len();
        locks.holders.retain(|holder| !(holder.session == session && holder.grant == grant));
        if locks.holders.len() < before {
            let session = &mut self.sessions[session];
            session.held.retain(|&other| other != range);
            session.recalls.retain(|recall| recall.range != range);
            self.grant_locks(range, out);
        }
    }

    /// The number of the lock that a session has on a range.
    pub fn lock_number(&self, session: usize, range: u64) -> Option<u64> {
        let holders = &self.ranges.get(range as usize)?.holders;
        holders.iter().find(|holder| holder.session == session).map(|holder| holder.grant)
    }

    /// Grants locks on a range in the order in which they were requested, and recalls the locks that conflict with the next one.
    pub fn grant_locks(&mut self, range: u64, out: &mut Vec<Told>) {
        while let Some(first) = self.waiting.iter().position(|waiter| waiter.range == range) {
            let Waiter { id, session, exclusive, serial, .. } = self.waiting[first];
            let holders = &mut self.ranges[range as usize].holders;
            if holders.iter().any(|holder| holder.exclusive || exclusive) {
                for number in 0..holders.len() {
                    let Some(holder) = self.ranges[range as usize].holders.get(number) else { break };
                    self.recall(holder.session, range, out);
                }
                return;
            }
            self.grants += 1;
            self.counts.locks += 1;
            holders.push(Holder { session, exclusive, serial, grant: self.grants });
            self.sessions[session].held.push(range);
            self.waiting.remove(first);
            out.push((id, MetadataReply::Granted { grant: self.grants }));
        }
    }

    /// Sets whether the volume should be at its other place or at home.
    pub fn set_moved_away(&mut self, other: bool, terms: (Time, Span), out: &mut Vec<Told>) {
        self.wants_other = other && self.placed.other.is_some();
        self.move_on(terms, out);
    }

    /// Begins a move if the volume should be at its other place or back, and completes the move when no session uses the old map any more.
    fn move_on(&mut self, terms: (Time, Span), out: &mut Vec<Told>) {
        if !self.moving && self.wants_other != self.at_other {
            self.moving = true;
            (0..self.sessions.len()).for_each(|place| self.tell(place, out));
        }
        let next = self.map.version + 1;
        if !self.moving || self.sessions.iter().any(|session| session.live && session.settled < next) {
            return;
        }
        self.moving = false;
        self.at_other = !self.at_other;
        let map = if self.at_other { self.placed.other } else { None };
        self.map = VolumeMap { version: next, ..map.unwrap_or(self.placed.home) };
        self.counts.moves += 1;
        std::mem::swap(&mut self.unsettled, &mut self.again);
        while let Some((id, called)) = self.again.pop() {
            self.execute_call(id, called, terms, out);
        }
        if self.wants_other != self.at_other {
            self.move_on(terms, out);
        }
    }

    /// Revokes the access of all clients, or permits it again.
    pub fn set_access_revoked(&mut self, revoked: bool, out: &mut Vec<Told>) {
        self.revoked = revoked;
        if revoked {
            for place in 0..self.sessions.len() {
                self.sessions[place].denied |= self.sessions[place].live;
                self.tell(place, out);
            }
        }
    }

    /// The timer of a session is due. Whether the session is over is determined by [`Volume::expire`].
    pub fn handle_session_timer(
        &mut self,
        place: usize,
        grace: Span,
        terms: (Time, Span),
        out: &mut Vec<Told>,
    ) -> Option<Time> {
        let next = self.expire(terms.0, place, grace, out);
        self.move_on(terms, out);
        next
    }

    /// Removes a call that its client has aborted.
    pub fn remove_aborted_call(&mut self, id: RequestId, out: &mut Vec<Told>) {
        if let Some(place) = self.waiting.iter().position(|waiter| waiter.id == id) {
            let range = self.waiting[place].range;
            self.waiting.remove(place);
            self.grant_locks(range, out);
        }
        self.unsettled.retain(|&(other, _)| other != id);
        for session in self.sessions.iter_mut().filter(|session| session.watch == Some(id)) {
            session.watch = None;
        }
    }

    /// The calls that are held.
    pub fn held_calls(&self) -> impl Iterator<Item = RequestId> + '_ {
        let waiting = self.waiting.iter().map(|waiter| waiter.id);
        let watches = self.sessions.iter().filter_map(|session| session.watch);
        waiting.chain(self.unsettled.iter().map(|&(id, _)| id)).chain(watches)
    }

    /// The number of live sessions.
    pub fn live_session_count(&self) -> u32 {
        self.sessions.iter().filter(|session| session.live).count() as u32
    }
}

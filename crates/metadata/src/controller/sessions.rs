//! The sessions of a volume: their clients, leases, and pending notifications.

use super::super::message::MetadataReply;
use super::session::{Recall, Session};
use super::volume::{Told, Volume};
use sansim_kernel::{Span, Time};
use sansim_request::RequestId;

impl Volume {
    /// The session of a client, if it has this token and its lease is valid.
    pub(super) fn session(&self, now: Time, client: u64, token: u64) -> Option<usize> {
        let place = self.sessions.iter().position(|session| session.client == client)?;
        let session = &self.sessions[place];
        (session.live && session.token == token && now < session.expires).then_some(place)
    }

    /// Opens a session for a client. An earlier session of the client ends, because a client opens a session only when none of its accesses
    /// is in flight.
    pub(super) fn open(
        &mut self,
        (now, lease): (Time, Span),
        client: u64,
        token: u64,
        out: &mut Vec<Told>,
    ) -> MetadataReply {
        let known = self.sessions.iter().position(|session| session.client == client);
        let place = known.unwrap_or_else(|| {
            self.sessions.push(Session::new(client));
            self.sessions.len() - 1
        });
        let session = &self.sessions[place];
        if token < session.token || (token == session.token && !session.live) {
            return MetadataReply::NoSession;
        }
        if self.revoked {
            self.counts.denied += 1;
            return MetadataReply::Denied;
        }
        if token > session.token {
            self.end(place, out);
            self.counts.set_ups += 1;
        }
        let version = self.map.version;
        let session = &mut self.sessions[place];
        (session.token, session.live, session.expires) = (token, true, now + lease);
        (session.denied, session.told_denied) = (false, false);
        (session.settled, session.told_settle) = (version, 0);
        MetadataReply::Opened { lease, lock_range: self.placed.lock_range, map: self.map }
    }

    /// Renews the lease of a client. Pending notifications are repeated at a renewal, because they may have been lost.
    pub(super) fn renew(&mut self, (now, lease): (Time, Span), place: usize) -> MetadataReply {
        self.counts.renewals += 1;
        let session = &mut self.sessions[place];
        session.expires = now + lease;
        session.told_settle = 0;
        session.recalls.iter_mut().for_each(|recall| recall.told = false);
        MetadataReply::Renewed { lease, watched: session.watch.is_some() }
    }

    /// Accepts a watch of a client. A new watch replaces an earlier one of the same client.
    pub(super) fn watch(&mut self, id: RequestId, place: usize, out: &mut Vec<Told>) {
        if let Some(before) = self.sessions[place].watch.replace(id) {
            out.push((before, MetadataReply::Done));
        }
        self.tell(place, out);
    }

    /// Recalls a lock of a session.
    pub(super) fn recall(&mut self, place: usize, range: u64, out: &mut Vec<Told>) {
        let recalls = &mut self.sessions[place].recalls;
        if !recalls.iter().any(|recall| recall.range == range) {
            recalls.push(Recall { range, told: false });
            self.counts.recalls += 1;
            self.tell(place, out);
        }
    }

    /// Sends a client its next notification, if it has a watch.
    pub(super) fn tell(&mut self, place: usize, out: &mut Vec<Told>) {
        let comes = self.moving.then_some(self.map.version + 1);
        let session = &mut self.sessions[place];
        let Some(watch) = session.watch else { return };
        let notice = if session.denied && !session.told_denied {
            session.told_denied = true;
            MetadataReply::Denied
        } else if let Some(version) =
            comes.filter(|next| session.settled < *next && session.told_settle < *next)
        {
            session.told_settle = version;
            MetadataReply::Settle { version }
        } else if let Some(recall) = session.recalls.iter_mut().find(|recall| !recall.told) {
            recall.told = true;
            let range = recall.range;
            let Some(grant) = self.lock_number(place, range) else { return };
            MetadataReply::Recall { range, grant }
        } else {
            return;
        };
        self.sessions[place].watch = None;
        out.push((watch, notice));
    }

    /// Ends a session: its locks become free, and the calls that it waits with are dropped.
    pub(super) fn end(&mut self, place: usize, out: &mut Vec<Told>) {
        let session = &mut self.sessions[place];
        session.live = false;
        session.recalls.clear();
        out.extend(session.watch.take().map(|watch| (watch, MetadataReply::NoSession)));
        let waiting = &mut self.waiting;
        waiting.retain(|waiter| {
            let others = waiter.session != place;
            if !others {
                out.push((waiter.id, MetadataReply::NoSession));
            }
            others
        });
        while let Some(range) = self.sessions[place].held.pop() {
            self.ranges[range as usize].holders.retain(|holder| holder.session != place);
            self.grant_locks(range, out);
        }
        // Serves waiting calls that were blocked only by waiting calls of the ended session.
        let mut number = 0;
        while let Some(range) = self.waiting.get(number).map(|waiter| waiter.range) {
            let before = self.waiting.len();
            self.grant_locks(range, out);
            number = if self.waiting.len() < before { 0 } else { number + 1 };
        }
    }

    /// The timer of a session is due: the session is over if its lease and the time of grace have ended. If the session is not over,
    /// returns the time at which it will be.
    pub(super) fn expire(
        &mut self,
        now: Time,
        place: usize,
        grace: Span,
        out: &mut Vec<Told>,
    ) -> Option<Time> {
        let session = &mut self.sessions[place];
        session.has_timer = false;
        if !session.live {
            return None;
        }
        let ends = session.expires + grace;
        if now < ends {
            session.has_timer = true;
            return Some(ends);
        }
        self.counts.expired += 1;
        self.end(place, out);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::map::VolumeMap;
    use super::super::super::message::{ClientCall, SessionCall};
    use super::super::VolumeLocation;
    use super::*;

    #[test]
    fn a_client_that_begins_to_watch_is_told_at_once_what_came_up_before() {
        let home = VolumeMap { first: 0, lanes: 1, stripe: 65_536, offset: 0, version: 0 };
        let mut volume = Volume::new(VolumeLocation { bytes: 65_536, lock_range: 4096, home, other: None });
        let mut calls = 0;
        let mut says = |client, call| {
            calls += 1;
            let mut out = Vec::new();
            let terms = (Time(calls.into()), Span::from_us(1_000_000));
            volume.execute_call(RequestId(calls), SessionCall { client, token: 1, call }, terms, &mut out);
            out.into_iter().map(|(id, answer)| (id.0, answer)).collect::<Vec<_>>()
        };
        let lock = ClientCall::Lock { range: 0, exclusive: true, serial: 0 };
        for client in [7, 8] {
            assert!(matches!(says(client, ClientCall::Open)[..], [(_, MetadataReply::Opened { .. })]));
        }
        let [(3, MetadataReply::Granted { grant })] = says(7, lock)[..] else { panic!("no lock") };
        assert_eq!(says(8, lock), [], "it has to wait, and nobody can be told");
        assert_eq!(says(7, ClientCall::Watch), [(5, MetadataReply::Recall { range: 0, grant })]);
        assert_eq!(says(7, ClientCall::Watch), [], "once is enough");
    }
}

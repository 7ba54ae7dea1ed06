//! Calls of a client to the metadata controller, and its reaction to the answers.
//!
//! The client aborts and repeats a call that the controller does not answer within `answer_time`. After an error the client waits for
//! `answer_time` before it sends the next call. Each unanswered call in a row doubles the time limit of the next call. The call of a
//! watch has no time limit; the answer to every renewal says whether the controller has the watch.

use super::super::map::VolumeMap;
use super::super::message::{ClientCall, MetadataReply, SessionCall};
use super::volume::{Doing, Session};
use super::{MetadataClient, left, timer};
use sansim_component::{Context, EventTurn, Timer};
use sansim_kernel::{EventKey, Span, Time};
use sansim_request::{MessageWords, RequestId, Status};

/// How often the time for an answer is doubled at most, and the longest time for an answer: the upper limit of `answer_time`.
const MOST_DOUBLED: u32 = 20;
const LONGEST_ANSWER: Span = Span::from_s(3_600);

/// A call in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    volume: usize,
    token: u64,
    call: ClientCall,
    sent: Time,
    timer: Option<EventKey>,
    /// Whether the call was aborted because no answer came in time.
    late: bool,
}

impl MetadataClient {
    /// Sends a message, if messages are permitted now and a path to the controller exists.
    pub(super) fn call(
        &mut self,
        cx: &mut Context<'_>,
        volume: usize,
        call: ClientCall,
    ) -> Option<RequestId> {
        if self.volumes[volume].paused {
            return None;
        }
        self.counts.messages += 1;
        let (place, bytes) = (self.managed + volume as u32, 0..self.parameters.message);
        let sent = self.behind.read_detached(cx, self.counts.messages, place, bytes);
        let Some(id) = sent else {
            self.pause(cx, volume);
            return None;
        };
        let token = self.volumes[volume].token;
        cx.requests().set_message_words(id, SessionCall { client: self.name, token, call }.encode_words());
        let timer = (call != ClientCall::Watch).then(|| {
            let turn = EventTurn::turn_of_node(timer::timer_rank(timer::ANSWER, id.0));
            let at = cx.now + self.waits_for_answer(volume);
            cx.set_cancellable_timer(at, turn, Timer::new(timer::ANSWER, id.0))
        });
        self.calls.insert(id, Asked { volume, token, call, sent: cx.now, timer, late: false });
        Some(id)
    }

    /// The time that a call may remain without an answer. Where the answer takes longer than `answer_time`, as when many clients set up
    /// sessions at a time, each aborted call may have cost the controller as much work as an answered one, so the time is doubled for the
    /// next call: otherwise there might never be a session.
    fn waits_for_answer(&self, volume: usize) -> Span {
        let doubled = self.volumes[volume].given_up.min(MOST_DOUBLED);
        Span(self.parameters.answer_time.ticks().saturating_mul(1 << doubled)).min(LONGEST_ANSWER)
    }

    /// Sends no messages of the volume for a while.
    fn pause(&mut self, cx: &mut Context<'_>, volume: usize) {
        if !std::mem::replace(&mut self.volumes[volume].paused, true) {
            let turn = EventTurn::turn_of_node(timer::timer_rank(timer::AGAIN, volume as u32));
            let at = cx.now + self.parameters.answer_time;
            cx.set_timer(at, turn, Timer::new(timer::AGAIN, volume as u32));
        }
    }

    /// No answer to a call has come in time.
    pub(super) fn is_not_answered(&mut self, cx: &mut Context<'_>, id: RequestId) {
        if let Some(asked) = self.calls.get_mut(&id) {
            (asked.timer, asked.late) = (None, true);
            self.behind.abort_child(cx, id);
        }
    }

    /// Aborts the calls of a volume.
    pub(super) fn give_up_calls(&mut self, cx: &mut Context<'_>, volume: usize) {
        let of_it = self.calls.iter().filter(|(_, asked)| asked.volume == volume).map(|(&id, _)| id);
        let mut ids: Vec<RequestId> = of_it.collect();
        ids.sort_unstable();
        for id in ids {
            self.behind.abort_child(cx, id);
        }
    }

    /// A call has returned to the client.
    pub(super) fn heard(
        &mut self,
        cx: &mut Context<'_>,
        asked: Asked,
        status: Status,
        words: Option<MessageWords>,
    ) {
        if let Some(timer) = asked.timer {
            cx.cancel_timer(timer);
        }
        let volume = asked.volume;
        let of = &self.volumes[volume];
        // Answers to calls of an earlier session are ignored.
        if of.token == asked.token && of.session != Session::None {
            let answer = words.filter(|_| status == Status::Good).and_then(MetadataReply::decode_words);
            match answer {
                Some(answer) => self.answered(cx, &asked, answer),
                // The client is not permitted to access the controller, and asking again does not help.
                None if status == Status::Refused && asked.call == ClientCall::Open => {
                    self.answered(cx, &asked, MetadataReply::Denied);
                }
                None => self.unanswered(cx, &asked),
            }
        }
        self.go_on(cx, volume);
    }

    /// Handles a valid answer.
    fn answered(&mut self, cx: &mut Context<'_>, asked: &Asked, answer: MetadataReply) {
        let volume = asked.volume;
        let of = &mut self.volumes[volume];
        if asked.call != ClientCall::Watch {
            of.given_up = 0;
        }
        match (asked.call, answer) {
            (ClientCall::Open, MetadataReply::Opened { lease, lock_range, map }) => {
                self.opened(cx, asked, lease, (lock_range, map))
            }
            (ClientCall::Open, MetadataReply::Denied) => {
                of.session = Session::None;
                self.refuse(cx, volume);
            }
            (ClientCall::Open, _) => {
                of.session = Session::None;
                self.pause(cx, volume);
            }
            (_, MetadataReply::NoSession) => {
                self.counts.lapses += 1;
                self.end_session(cx, volume);
            }
            (ClientCall::Renew, MetadataReply::Renewed { lease, watched }) => {
                of.renewal = None;
                self.leased(cx, asked, lease);
                self.look_after_watch(cx, volume, watched);
            }
            (ClientCall::Lock { range, exclusive, .. }, MetadataReply::Granted { grant }) => {
                let lock = &mut of.locks[range as usize];
                (lock.grant, lock.exclusive, lock.doing) = (grant, exclusive, Doing::Nothing);
                // The requests that asked for the lock use it first, even if the controller has already recalled it.
                let recalled = std::mem::replace(&mut lock.recalled, false);
                self.let_go(cx, volume);
                self.volumes[volume].locks[range as usize].recalled |= recalled;
            }
            (ClientCall::Release { range, .. }, MetadataReply::Done) => {
                let users = of.locks[range as usize].users;
                of.locks[range as usize] = Default::default();
                of.recalled.retain(|&other| other != range);
                debug_assert!(users == 0, "a lock was given back that somebody needs");
            }
            (ClientCall::Extent { number }, MetadataReply::Extent { place, offset, version }) => {
                // An answer from the map before a move may arrive after the move, so it is used only if its version is that of the present
                // map.
                let known = (version == of.map.version).then_some((place, offset));
                if let Some(extent) = of.extents.get_mut(number as usize) {
                    (extent.known, extent.asked) = (known.or(extent.known), false);
                }
            }
            (ClientCall::Settled { .. }, MetadataReply::Moved(map)) => {
                of.settling = false;
                of.volume_moved(map);
            }
            (ClientCall::Watch, notice) => {
                of.watch = None;
                self.told(volume, notice);
            }
            (ClientCall::Close, MetadataReply::Done) => self.end_session(cx, volume),
            (_, MetadataReply::Denied) => {
                self.unanswered(cx, asked);
                self.volumes[volume].revoked = true;
            }
            _ => self.unanswered(cx, asked),
        }
    }

    /// Handles a notification of the controller.
    fn told(&mut self, volume: usize, notice: MetadataReply) {
        let of = &mut self.volumes[volume];
        match notice {
            MetadataReply::Recall { range, grant } => {
                let Some(lock) = of.locks.get_mut(range as usize) else { return };
                if lock.grant == 0 && lock.doing == Doing::Nothing {
                    // The answer that granted this lock was lost. The recall may be repeated while the lock is given back, so the client
                    // counts as holder of the lock until it has been given back.
                    (lock.grant, lock.exclusive) = (grant, false);
                }
                of.recall_lock(range);
            }
            MetadataReply::Settle { version } if version > of.map.version => of.suspended = Some(version),
            MetadataReply::Denied => of.revoked = true,
            _ => {}
        }
    }

    /// Handles a call without an answer, or with an invalid one.
    fn unanswered(&mut self, cx: &mut Context<'_>, asked: &Asked) {
        let of = &mut self.volumes[asked.volume];
        if asked.late && asked.call != ClientCall::Watch && asked.sent >= of.given_up_at {
            (of.given_up, of.given_up_at) = (of.given_up + 1, cx.now);
        }
        match asked.call {
            ClientCall::Open => of.session = Session::None,
            ClientCall::Renew => of.renewal = None,
            // The lock may have been granted although the answer is missing; the controller recalls the lock when another client wants it.
            ClientCall::Lock { range, .. } => {
                of.locks[range as usize] = Default::default();
                of.recalled.retain(|&other| other != range);
            }
            ClientCall::Release { range, .. } => of.locks[range as usize].doing = Doing::Nothing,
            ClientCall::Extent { number } => {
                if let Some(extent) = of.extents.get_mut(number as usize) {
                    extent.asked = false;
                }
            }
            ClientCall::Settled { .. } => of.settling = false,
            ClientCall::Watch => of.watch = None,
            ClientCall::Close => of.closing = false,
        }
        self.counts.unanswered += 1;
        if !asked.late {
            self.pause(cx, asked.volume);
        }
    }

    fn opened(
        &mut self,
        cx: &mut Context<'_>,
        asked: &Asked,
        lease: Span,
        (lock_range, map): (u64, VolumeMap),
    ) {
        self.volumes[asked.volume].session_opened(lock_range, map);
        self.leased(cx, asked, lease);
        if self.volumes[asked.volume].lease_end <= cx.now {
            // The call to open or renew the session took longer than the lease.
            self.counts.lapses += 1;
            self.end_session(cx, asked.volume);
            self.pause(cx, asked.volume);
        }
    }

    /// Starts or extends the lease, which counts from the time at which the client asked for it.
    fn leased(&mut self, cx: &mut Context<'_>, asked: &Asked, lease: Span) {
        let renewed_after = self.parameters.renewed_after(lease);
        let of = &mut self.volumes[asked.volume];
        of.lease_end = of.lease_end.max(asked.sent + lease);
        of.renew_at = asked.sent + renewed_after;
        set_timers(cx, asked.volume, of);
    }

    /// The timer for the end of a lease is due, although the lease may have been renewed since the timer was set.
    pub(super) fn lease_is_over(&mut self, cx: &mut Context<'_>, volume: usize) {
        let of = &mut self.volumes[volume];
        of.lease_timer = None;
        if of.session != Session::Live {
            return;
        }
        if left(cx.now, of.lease_end) > Span::ZERO {
            set_timers(cx, volume, of);
            return;
        }
        self.counts.lapses += 1;
        self.end_session(cx, volume);
        self.go_on(cx, volume);
    }

    pub(super) fn renewal_is_due(&mut self, cx: &mut Context<'_>, volume: usize) {
        self.volumes[volume].renew_timer = None;
        if self.volumes[volume].session == Session::Live {
            set_timers(cx, volume, &mut self.volumes[volume]);
            self.go_on(cx, volume);
        }
    }

    /// Checks whether the controller has the watch of the client. A watch that the controller does not have, although it was sent long
    /// enough ago, is lost and given up.
    fn look_after_watch(&mut self, cx: &mut Context<'_>, volume: usize, watched: bool) {
        let of = &self.volumes[volume];
        let should = of.watched_since + self.parameters.answer_time <= cx.now;
        if let Some(id) = of.watch.filter(|_| !watched && should)
            && let Some(asked) = self.calls.get_mut(&id)
        {
            asked.late = true;
            self.behind.abort_child(cx, id);
        }
    }

    /// Opens a session, continues requests and sends calls of the volume, as far as that is possible now.
    pub(super) fn go_on(&mut self, cx: &mut Context<'_>, volume: usize) {
        if self.volumes[volume].session == Session::Live {
            self.let_go(cx, volume);
            self.give_back(cx, volume);
            self.keep_up(cx, volume);
        }
        let of = &mut self.volumes[volume];
        if of.waiting.is_empty() {
            return;
        }
        // Accesses of an old session have to end before a new session is opened.
        if of.session == Session::None && of.under_way == 0 && !of.paused {
            of.token += 1;
            of.session = Session::Opening;
            if self.call(cx, volume, ClientCall::Open).is_none() {
                self.volumes[volume].session = Session::None;
            }
        }
    }

    /// Gives back recalled locks that no request uses.
    fn give_back(&mut self, cx: &mut Context<'_>, volume: usize) {
        let mut number = 0;
        while let Some(&range) = self.volumes[volume].recalled.get(number) {
            let lock = self.volumes[volume].locks[range as usize];
            number += 1;
            if lock.grant != 0
                && lock.users == 0
                && lock.doing == Doing::Nothing
                && self.call(cx, volume, ClientCall::Release { range, grant: lock.grant }).is_some()
            {
                self.volumes[volume].locks[range as usize].doing = Doing::Releasing;
            }
        }
    }

    /// Sends the calls that keep up a session and that no request causes: renewals, watches, the end of the session.
    fn keep_up(&mut self, cx: &mut Context<'_>, volume: usize) {
        let of = &self.volumes[volume];
        let idle = of.under_way == 0;
        // When all sources are exhausted the session ends, and with it the periodic calls of the session.
        if of.revoked || cx.background_requests().sources_exhausted() {
            if idle && !of.closing {
                let sent = self.call(cx, volume, ClientCall::Close).is_some();
                self.volumes[volume].closing = sent;
            }
            return;
        }
        if let Some(version) = of.suspended.filter(|_| idle && !of.settling) {
            let sent = self.call(cx, volume, ClientCall::Settled { version }).is_some();
            self.volumes[volume].settling = sent;
        }
        if self.volumes[volume].watch.is_none() {
            let watch = self.call(cx, volume, ClientCall::Watch);
            self.volumes[volume].watch = watch;
            self.volumes[volume].watched_since = cx.now;
        }
        if self.volumes[volume].renewal.is_none() && cx.now >= self.volumes[volume].renew_at {
            let renewal = self.call(cx, volume, ClientCall::Renew);
            self.volumes[volume].renewal = renewal;
        }
    }
}

/// Sets the timers of a lease that are not yet set.
fn set_timers(cx: &mut Context<'_>, number: usize, of: &mut super::Volume) {
    let number = number as u32;
    if of.lease_timer.is_none() && of.lease_end > cx.now {
        of.lease_timer = Some(of.lease_end);
        let turn = EventTurn::turn_of_node(timer::timer_rank(timer::LEASE, number));
        cx.set_timer(of.lease_end, turn, Timer::new(timer::LEASE, number));
    }
    if of.renew_timer.is_none() && of.renew_at > cx.now {
        of.renew_timer = Some(of.renew_at);
        let turn = EventTurn::turn_of_node(timer::timer_rank(timer::RENEW, number));
        cx.set_timer(of.renew_at, turn, Timer::new(timer::RENEW, number));
    }
}

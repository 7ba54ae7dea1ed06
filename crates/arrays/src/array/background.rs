//! Background work of an array: it rebuilds the content of failed members ([`rebuild`](super::rebuild)), checks whether failed devices work
//! again, and scrubs ([`scrub`](super::scrub)).
//!
//! * A failed device that works again is empty and becomes a spare, so a member without a spare is rebuilt in place.
//! * Pieces of background work begin no faster than the rate allows; the rate under load applies while hosts have requests and for a moment
//!   after the last one. Without that moment a piece could begin in every gap between two requests, and the next request would find it in
//!   progress.
//!
//! While background work is pending the array has a background request of its own, so a run with no other work ends.

use super::catalogue::segment;
use super::job::{LOOK, PartOf, Phase};
use super::{DiskArray, meter};
use sansim_component::{Context, EventTurn, Timer};
use sansim_kernel::{Span, Time};
use sansim_raid::MemberState;
use sansim_raid::layout::ErasureCode;
use sansim_request::{BLOCK_BYTES, Operation, Request, RequestId, Status};

/// The pace of background work: the time at which the next step may begin.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    /// The time and the bytes of the last step.
    pub last: Option<(Time, u64)>,
    /// The times of the timers for the next step, and for the end of `idle_after`.
    timers: [Option<Time>; 2],
}

impl Pace {
    /// Whether a step may begin now at this rate, which is valid until hosts count as idle. If a step may not begin now, a timer is set for
    /// the time at which it may.
    pub fn may_begin_step(
        &mut self,
        cx: &mut Context<'_>,
        (rate, until): (Option<u64>, Time),
        what: u8,
    ) -> bool {
        let (Some((last, bytes)), Some(rate)) = (self.last, rate) else { return true };
        let due = last + Span::to_move(bytes, rate).min(Span::LONGEST);
        if due > cx.now {
            let is_sooner = until > cx.now && until < due;
            for (timer, at) in self.timers.iter_mut().zip([Some(due), is_sooner.then_some(until)]) {
                if let Some(at) = at.filter(|_| *timer != at) {
                    *timer = Some(at);
                    cx.set_timer(at, EventTurn::turn_of_node(what.into()), Timer::new(what, 0));
                }
            }
        }
        due <= cx.now
    }
}

impl DiskArray {
    /// The rate of background work: the lower of two rates while there is load, and the time at which the load ends. Requests of hosts in
    /// flight count as load, and so do ended ones for the time `idle_after`.
    pub(super) fn rate(
        &self,
        now: Time,
        (full, under_load): (Option<u64>, Option<u64>),
        idle_after: Span,
    ) -> (Option<u64>, Time) {
        let last = self.last_load.map_or(now, |last| last + idle_after);
        let until = if self.load > 0 { Time::NEVER } else { last };
        match (full, under_load) {
            (Some(full), Some(less)) if until > now => (Some(full.min(less)), until),
            (None, Some(less)) if until > now => (Some(less), until),
            _ => (full, now),
        }
    }

    /// The background request of the array.
    pub(super) fn own_request(&self) -> Request {
        Request::background_request(0, Operation::Read, self.device, &(0..0))
    }

    /// Keeps a background request as long as there is work to do.
    pub(super) fn keep_up(&mut self, cx: &mut Context<'_>) {
        let is_wanted =
            !self.rebuilds.is_empty() || !self.due.is_empty() || self.parameters.scrub.every.is_some();
        match (is_wanted, self.upkeep) {
            (true, None) => {
                let own = self.own_request();
                self.upkeep = Some(cx.background_requests().begin_request(own, segment::UPKEEP));
            }
            (false, Some(id)) => {
                cx.close_request(id, Status::Good);
                self.upkeep = None;
            }
            _ => {}
        }
    }

    /// Handles the failure of the device at this index, a member or a spare, whether or not it has requests.
    pub(super) fn place_fails(&mut self, cx: &mut Context<'_>, place: u32) {
        if let Some(spare) = self.members.spares.iter().position(|&spare| spare == place) {
            self.members.spares.remove(spare);
            self.members.gone.push(place);
            self.looked_at = cx.now;
            return;
        }
        let is_there = |&member: &u32| self.members.member_device(member) == place;
        if let Some(member) = (0..self.array.layout.member_count()).find(is_there) {
            self.member_fails(cx, member, place);
        }
    }

    /// A device that is a member has failed.
    pub(super) fn member_fails(&mut self, cx: &mut Context<'_>, member: u32, place: u32) {
        let state = self.array.health.member_state(member);
        if self.members.member_device(member) != place
            || matches!(state, MemberState::Failed | MemberState::Spared { .. })
        {
            return;
        }
        if let MemberState::Returning { .. } = state {
            // The spare space of a returning member is given up: planned writes to it are strays until they end, and no other job gets the
            // space before.
            let is_planned =
                |job: &super::Job| !matches!(job.phase, Phase::Free | Phase::Locks | Phase::Held);
            let planned = self.jobs.iter().zip(0..).filter(|(job, _)| is_planned(job));
            self.strays.extend(planned.map(|(_, number)| number));
        }
        self.array.health.set_member_state(member, MemberState::Failed);
        self.members.gone.push(place);
        self.looked_at = cx.now;
        self.given_up.retain(|&other| other != member);
        self.count(meter::FAILURES, 1);
        if self.array.has_lost_data() {
            cx.failures().report_device_failure(self.device);
        }
        if let Some(place) = self.rebuilds.iter().position(|rebuild| rebuild.member == member) {
            self.stop_rebuild(cx, place);
        }
    }

    /// Checks whether failed devices work again, if the time for it has come.
    pub(super) fn look_for_replacements(&mut self, cx: &mut Context<'_>) {
        let Some(every) = self.parameters.rebuild.replacement_check else { return };
        let has_redundancy = self.array.layout.erasure_code() != ErasureCode::None;
        if self.members.gone.is_empty() || !has_redundancy || cx.now < self.looked_at + every {
            return;
        }
        self.looked_at = cx.now;
        for number in 0..self.members.gone.len() {
            let place = self.members.gone[number];
            self.asked += 1;
            let asked =
                self.behind.ask_device_in_background(cx, self.asked, place, Operation::Read, 0..BLOCK_BYTES);
            if let Some(part) = asked {
                self.part_of.insert(part, PartOf { job: LOOK, operation: 0, member: 0, place });
            }
        }
    }

    /// A test request to a failed device was answered.
    pub(super) fn looked(&mut self, place: u32, status: Status) {
        if matches!(status, Status::Good | Status::Unreadable)
            && let Some(number) = self.members.gone.iter().position(|&gone| gone == place)
        {
            self.members.gone.remove(number);
            self.members.spares.push_back(place);
        }
    }

    /// Requests in hand in the order of their numbers, because a map has no defined order.
    pub(super) fn in_hand_by_number(&self) -> Vec<RequestId> {
        let mut all: Vec<RequestId> = self.in_hand.keys().copied().collect();
        all.sort_unstable();
        all
    }
}

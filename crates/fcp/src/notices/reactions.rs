//! The reactions of an initiator to each notice, and the commands that wait.

use super::CongestionProfile;
use super::throttle::FlowThrottle;
use crate::adapter::{AdapterStage, NOTICE_TIMER};
use crate::exchange::{Exchange, ExchangeId};
use crate::initiator::{FIRST_TIMER, Initiator};
use sansim_component::{Context, EventTurn, LeftoverFindings, Message, Timer};
use sansim_kernel::{Span, Time};
use sansim_pdu::{Address, Notice, NoticeKind};
use sansim_request::Operation;
use std::collections::{BTreeMap, VecDeque};

/// The period of the driver's timer, in which it looks for notices.
const DRIVER_PERIOD: Span = Span::from_s(1);

/// The commands that one limit counts: the writes to a target, or all reads.
type Flow = Option<Address>;

/// The limits of the commands in flight of an initiator.
#[derive(Clone, Debug)]
pub(crate) struct CongestionThrottles {
    flows: BTreeMap<Flow, FlowThrottle>,
    /// The commands that have begun, each with its flow.
    begun: BTreeMap<ExchangeId, Flow>,
    /// The commands that wait, with the flow of each.
    waiting: VecDeque<(ExchangeId, Flow)>,
    /// The time at which the driver looks next, if it is to look.
    looks_at: Option<Time>,
}

impl CongestionThrottles {
    /// No flow is limited yet; none with a profile by which none ever is.
    pub(crate) fn of_profile(profile: CongestionProfile) -> Option<Box<Self>> {
        (profile != CongestionProfile::Monitor).then(|| {
            Box::new(Self {
                flows: BTreeMap::new(),
                begun: BTreeMap::new(),
                waiting: VecDeque::new(),
                looks_at: None,
            })
        })
    }

    /// Begins a command if its flow may have one more in flight; otherwise the command waits. Returns whether it begins.
    fn begins(&mut self, now: Time, id: ExchangeId, flow: Flow) -> bool {
        let throttle = self.flows.entry(flow).or_default();
        let begins = throttle.may_begin() && !self.waiting.iter().any(|&(_, other)| other == flow);
        if begins {
            throttle.command_begins(now);
            self.begun.insert(id, flow);
        } else {
            self.waiting.push_back((id, flow));
        }
        begins
    }

    /// The next waiting command that may begin now; it begins.
    fn next_to_begin(&mut self, now: Time) -> Option<ExchangeId> {
        let flows = &self.flows;
        let may_begin = |(_, flow): &(ExchangeId, Flow)| flows.get(flow).is_none_or(FlowThrottle::may_begin);
        let place = self.waiting.iter().position(may_begin)?;
        let (id, flow) = self.waiting.remove(place)?;
        self.flows.entry(flow).or_default().command_begins(now);
        self.begun.insert(id, flow);
        Some(id)
    }

    /// Removes a command from those that wait. Returns whether it waited.
    pub(crate) fn forget_command(&mut self, id: ExchangeId) -> bool {
        let place = self.waiting.iter().position(|&(waiting, _)| waiting == id);
        place.and_then(|place| self.waiting.remove(place)).is_some()
    }

    /// The commands that wait.
    pub(crate) fn waiting_commands(&self) -> Vec<ExchangeId> {
        self.waiting.iter().map(|&(id, _)| id).collect()
    }

    pub(crate) fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        leftovers.check_zero("commands left waiting because of congestion", self.waiting.len() as u64);
    }
}

impl Initiator {
    /// A command has come from the host: it begins, or waits because of congestion.
    #[inline]
    pub(crate) fn begin_unless_congested(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        if self.role.throttles.is_none() || self.begins_within_limit(cx, id) {
            self.command_issued(cx, id);
        }
    }

    #[cold]
    fn begins_within_limit(&mut self, cx: &mut Context<'_>, id: ExchangeId) -> bool {
        let Exchange { request, peer, .. } = self.exchanges[id];
        let flow = match cx.request(request).operation {
            Operation::Write => Some(peer),
            Operation::Read => None,
            Operation::Flush | Operation::Deallocate | Operation::CheckPath => return true,
        };
        let Some(throttles) = &mut self.role.throttles else { return true };
        let begins = throttles.begins(cx.now, id, flow);
        if !begins {
            self.tell(cx, id, AdapterStage::Throttled);
        }
        begins
    }

    /// A command is over: another of its flow may begin.
    #[inline]
    pub(crate) fn command_is_over(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        if self.role.throttles.is_some() {
            self.flow_has_one_less(cx, id);
        }
    }

    #[cold]
    fn flow_has_one_less(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let Some(throttles) = &mut self.role.throttles else { return };
        let Some(flow) = throttles.begun.remove(&id) else { return };
        throttles.flows.entry(flow).or_default().command_ends();
        self.begin_waiting(cx);
    }

    /// Begins the waiting commands that may begin.
    fn begin_waiting(&mut self, cx: &mut Context<'_>) {
        while let Some(id) = self.role.throttles.as_mut().and_then(|of| of.next_to_begin(cx.now)) {
            self.command_issued(cx, id);
        }
    }

    /// The fabric has sent a notice.
    #[cold]
    pub(crate) fn noticed(&mut self, cx: &mut Context<'_>, notice: &Notice) {
        let flow = match notice.kind {
            NoticeKind::LinkIntegrity => return self.report_damaged_frames(cx, notice.about),
            NoticeKind::PeerCongestion => Some(notice.about),
            NoticeKind::Congestion => None,
        };
        let is_known = |peer: Address| self.role.targets().any(|target| target == peer);
        if flow.is_some_and(|peer| !is_known(peer)) {
            return;
        }
        if let Some(throttles) = &mut self.role.throttles {
            throttles.flows.entry(flow).or_default().noticed(notice.period_ms);
            self.look_for_notices_next(cx);
        }
    }

    /// Reports to the host that frames come in damaged at one end of its paths to these devices: the end that the notice names is the target of a path, or
    /// this adapter, at which all its paths begin.
    fn report_damaged_frames(&self, cx: &mut Context<'_>, about: Address) {
        for (port, device, target) in self.role.devices_of_ports() {
            if target == about || about == self.address {
                cx.send(port, Message::PathDamaged(device));
            }
        }
    }

    /// Sets the timer for the next time at which the driver looks for notices.
    fn look_for_notices_next(&mut self, cx: &mut Context<'_>) {
        let Some(throttles) = &mut self.role.throttles else { return };
        if throttles.looks_at.is_none() {
            let at = Time((cx.now.ticks() / DRIVER_PERIOD.ticks() + 1) * DRIVER_PERIOD.ticks());
            throttles.looks_at = Some(at);
            cx.set_detached_timer(at, EventTurn::turn_of_node(FIRST_TIMER), Timer::new(NOTICE_TIMER, 0));
        }
    }

    /// Handles the timer of the driver: changes the limits.
    #[cold]
    pub(crate) fn notices_due(&mut self, cx: &mut Context<'_>) {
        let (profile, least) = (self.parameters.congestion_profile, self.parameters.congestion_least);
        let Some(throttles) = &mut self.role.throttles else { return };
        throttles.looks_at = None;
        for throttle in throttles.flows.values_mut() {
            throttle.look(cx.now, profile, u64::from(least));
        }
        let goes_on = throttles.flows.values().any(FlowThrottle::is_limited);
        self.begin_waiting(cx);
        if goes_on {
            self.look_for_notices_next(cx);
        }
    }
}

//! The initiator's end of logins, and the losses of a login that it causes itself: logout of a target, and reset of the adapter.

use crate::adapter::{AdapterStage, LOGIN_TIMER};
use crate::exchange::{Exchange, ExchangeId};
use crate::initiator::{FIRST_TIMER, Initiator, InitiatorState};
use crate::unit::login::{PORT_LOGIN_BYTES, PROCESS_LOGIN_BYTES};
use sansim_component::{Context, EventTurn, LeftoverFindings, Timer};
use sansim_kernel::{EventKey, Order, Time};
use sansim_pdu::{Address, Pdu, PduKind, RequestTag, link_service};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The service parameters of PRLI: initiator function, and no FCP_XFER_RDY for reads (FCP-4, 6.3).
const PROCESS_PARAMETERS: u32 = 0x22;
/// The service parameter of an initiator that has lost units sent again (RETRY).
const RETRY: u32 = 0x100;

/// A login that is not complete.
#[derive(Clone, Debug)]
struct Login {
    /// PLOGI or PRLI.
    service: u8,
    /// The exchange of a command for the target, about which the services are.
    carrier: ExchangeId,
    /// The service that has not been answered, and the timer after which it is sent again.
    asked: Option<RequestTag>,
    timer: EventKey,
    /// The commands that wait for the login.
    waiting: VecDeque<ExchangeId>,
}

/// The logins of an initiator.
#[derive(Clone, Debug)]
pub(crate) struct Logins {
    /// Whether the initiator is logged in with all targets but the exceptions, or with the exceptions alone.
    with_all: bool,
    exceptions: BTreeSet<Address>,
    under_way: BTreeMap<Address, Login>,
    /// The end of the last reset of the adapter.
    reset_until: Time,
}

impl Default for Logins {
    /// All ports are logged in.
    fn default() -> Self {
        Self {
            with_all: true,
            exceptions: BTreeSet::new(),
            under_way: BTreeMap::new(),
            reset_until: Time::ZERO,
        }
    }
}

impl Logins {
    /// Whether the initiator is logged in with a target.
    #[inline]
    pub(crate) fn is_logged_in(&self, target: Address) -> bool {
        self.with_all && self.exceptions.is_empty() || self.with_all != self.exceptions.contains(&target)
    }

    /// The initiator is logged in with a target, or is not any more.
    fn set_logged_in(&mut self, target: Address, is_logged_in: bool) {
        if is_logged_in == self.with_all {
            self.exceptions.remove(&target);
        } else {
            self.exceptions.insert(target);
        }
    }

    /// The initiator is not logged in with a target any more.
    pub(crate) fn lose(&mut self, target: Address) {
        self.set_logged_in(target, false);
    }

    /// The initiator is not logged in with any target any more.
    pub(crate) fn lose_all(&mut self) {
        self.with_all = false;
        self.exceptions.clear();
    }

    /// Removes a command from those that wait. Returns whether it waited.
    pub(crate) fn forget_command(&mut self, id: ExchangeId) -> bool {
        self.under_way.values_mut().any(|login| {
            let place = login.waiting.iter().position(|&waiting| waiting == id);
            place.and_then(|place| login.waiting.remove(place)).is_some()
        })
    }

    pub(crate) fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        let waiting = self.under_way.values().map(|login| login.waiting.len() as u64).sum();
        leftovers.check_zero("commands left waiting for a login", waiting);
    }
}

impl Initiator {
    /// A command waits until the initiator has logged in with its target.
    #[cold]
    pub(crate) fn log_in_first(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        self.tell(cx, id, AdapterStage::Login);
        self.log_in(cx, id);
        let peer = self.exchanges[id].peer;
        if let Some(login) = self.role.logins.under_way.get_mut(&peer) {
            login.waiting.push_back(id);
        }
    }

    /// Begins to log in with the target of an exchange, unless a login is in progress.
    fn log_in(&mut self, cx: &mut Context<'_>, carrier: ExchangeId) {
        let peer = self.exchanges[carrier].peer;
        if !self.role.logins.under_way.contains_key(&peer) {
            self.ask_for_login(cx, peer, link_service::PORT_LOGIN, carrier, VecDeque::new());
        }
    }

    /// Sends PLOGI or PRLI, after a reset of the adapter at its end.
    fn ask_for_login(
        &mut self,
        cx: &mut Context<'_>,
        peer: Address,
        service: u8,
        carrier: ExchangeId,
        waiting: VecDeque<ExchangeId>,
    ) {
        let is_reset = cx.now < self.role.logins.reset_until;
        let asked = (!is_reset).then(|| self.send_login(cx, service, carrier));
        let at =
            if is_reset { self.role.logins.reset_until } else { cx.now + self.parameters.abort_answer_time };
        let turn = EventTurn::turn_of_node(FIRST_TIMER + carrier.0 % (Order::UNITS - FIRST_TIMER));
        let timer = cx.set_cancellable_timer(at, turn, Timer::new(LOGIN_TIMER, peer.value()));
        self.role.logins.under_way.insert(peer, Login { service, carrier, asked, timer, waiting });
    }

    fn send_login(&mut self, cx: &mut Context<'_>, service: u8, carrier: ExchangeId) -> RequestTag {
        let is_port_login = service == link_service::PORT_LOGIN;
        let bytes = if is_port_login { PORT_LOGIN_BYTES } else { PROCESS_LOGIN_BYTES };
        let retry = if self.parameters.rec_time_out.is_some() { RETRY } else { 0 };
        let burst_bytes = if is_port_login { 0 } else { PROCESS_PARAMETERS | retry };
        let unit = self.service(cx, carrier, PduKind::ServiceRequest, bytes);
        let responder = ExchangeId::UNASSIGNED;
        self.send_service(cx, Pdu { status: service, burst_bytes, responder, ..unit });
        unit.tag
    }

    /// LS_ACC to PLOGI or PRLI has arrived; one to a service that has been sent again since has no effect.
    #[cold]
    pub(crate) fn login_answered(&mut self, cx: &mut Context<'_>, answer: &Pdu) {
        let peer = answer.source;
        let logins = &mut self.role.logins.under_way;
        if logins.get(&peer).is_none_or(|login| login.asked != Some(answer.tag)) {
            return;
        }
        let Some(Login { service, carrier, timer, waiting, .. }) = logins.remove(&peer) else { return };
        cx.cancel_timer(timer);
        if service == link_service::PORT_LOGIN {
            self.go_on_with_login(cx, peer, link_service::PROCESS_LOGIN, carrier, waiting);
            return;
        }
        self.role.logins.set_logged_in(peer, true);
        for id in waiting {
            if !InitiatorState::is_given_up(self, cx, id) {
                self.send_command(cx, id);
            }
        }
    }

    /// Goes on with a login, about another command if the first is over.
    fn go_on_with_login(
        &mut self,
        cx: &mut Context<'_>,
        peer: Address,
        service: u8,
        carrier: ExchangeId,
        waiting: VecDeque<ExchangeId>,
    ) {
        let is_there = self.exchanges.is_open(carrier) && self.exchanges[carrier].peer == peer;
        let another = || self.exchanges.open_with(peer).first().copied();
        // Without an exchange with the target the next command begins the login anew.
        if let Some(carrier) = Some(carrier).filter(|_| is_there).or_else(another) {
            self.ask_for_login(cx, peer, service, carrier, waiting);
        }
    }

    /// A service of a login was not answered in time, or the adapter has been reset: PLOGI is sent. A port that does not answer PRLI may not be
    /// logged in itself.
    #[cold]
    pub(crate) fn repeat_login(&mut self, cx: &mut Context<'_>, peer: Address) {
        if let Some(Login { carrier, waiting, .. }) = self.role.logins.under_way.remove(&peer) {
            self.go_on_with_login(cx, peer, link_service::PORT_LOGIN, carrier, waiting);
        }
    }

    /// The target of an exchange has not answered as many ABTS as `logout_aborts` says: the initiator logs it out, and in again.
    #[cold]
    pub(crate) fn log_out(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let peer = self.exchanges[id].peer;
        self.role.logins.lose(peer);
        self.log_in(cx, id);
        for other in self.exchanges.open_with(peer) {
            self.lose_exchange(cx, other);
        }
    }

    /// The driver resets the adapter: all exchanges are lost, and all logins.
    #[cold]
    pub(crate) fn reset(&mut self, cx: &mut Context<'_>) {
        if cx.now < self.role.logins.reset_until {
            return;
        }
        self.role.logins.lose_all();
        self.role.logins.reset_until = cx.now + self.parameters.reset_time;
        for (_, login) in std::mem::take(&mut self.role.logins.under_way) {
            cx.cancel_timer(login.timer);
            for id in login.waiting {
                self.exchanges[id].unwanted = true;
                InitiatorState::is_given_up(self, cx, id);
            }
        }
        for id in self.exchanges.open_ones() {
            let Exchange { sent, telling, .. } = self.exchanges[id];
            if sent && !telling {
                self.log_in(cx, id);
            }
        }
        for id in self.exchanges.open_ones() {
            self.lose_exchange(cx, id);
        }
        self.run_at_once(cx);
    }

    /// An exchange is over at this end without an answer of the target. Its host gets the request back when the target has ended it, too.
    fn lose_exchange(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let Exchange { telling, sent, .. } = self.exchanges[id];
        if telling || !self.exchanges.is_open(id) {
            return;
        }
        if !sent {
            self.exchanges[id].unwanted = true;
        }
        InitiatorState::end_exchange(self, cx, id);
    }
}

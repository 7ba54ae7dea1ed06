//! The initiator's end of logins, and the losses of a login that it causes itself: logout of a target, and reset of the adapter.

use crate::adapter::{AdapterStage, LOGIN_TIMER};
use crate::exchange::{Exchange, ExchangeId};
use crate::initiator::{FIRST_TIMER, Initiator, InitiatorState};
use crate::unit::login::{DISCOVERY_BYTES, LOGOUT_BYTES};
use sansim_component::{Context, EventTurn, LeftoverFindings, Timer};
use sansim_kernel::{EventKey, Order, Time};
use sansim_pdu::{Address, CommandSet, Pdu, PduKind, RequestTag, link_service};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The service parameters of PRLI: initiator function, and no FCP_XFER_RDY for reads (FCP-4, 6.3).
const PROCESS_PARAMETERS: u32 = 0x22;
/// The service parameters of PRLI of FC-NVMe: initiator function. Source: Linux, `drivers/scsi/lpfc/lpfc_hw4.h`, `lpfc_nvme_prli`.
const NVME_PROCESS_PARAMETERS: u32 = 0x20;
/// The service parameter of an initiator that has lost units sent again (RETRY).
const RETRY: u32 = 0x100;

/// A message of a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LoginService {
    /// LOGO.
    Logout,
    /// ADISC.
    Discovery,
    /// The step at this place among those by which the initiator logs in.
    Step(u32),
}

/// A login that is not complete.
#[derive(Clone, Debug)]
struct Login {
    service: LoginService,
    /// The exchange of a command for the target, about which the services are.
    carrier: ExchangeId,
    /// The service that has not been answered, and the timer after which it is sent again.
    asked: Option<RequestTag>,
    timer: EventKey,
    /// The commands that wait for the login.
    waiting: VecDeque<ExchangeId>,
}

/// A set of targets: the exceptions, or all but the exceptions.
#[derive(Clone, Debug, Default)]
struct Targets {
    all: bool,
    exceptions: BTreeSet<Address>,
}

impl Targets {
    #[inline]
    fn is_empty(&self) -> bool {
        !self.all && self.exceptions.is_empty()
    }

    fn contains(&self, target: Address) -> bool {
        self.all != self.exceptions.contains(&target)
    }

    fn set(&mut self, target: Address, is_in: bool) {
        if is_in == self.all {
            self.exceptions.remove(&target);
        } else {
            self.exceptions.insert(target);
        }
    }

    fn set_all(&mut self) {
        self.all = true;
        self.exceptions.clear();
    }
}

/// The logins of an initiator, which at first is logged in with all targets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Logins {
    /// The targets with which the initiator is not logged in.
    logged_out: Targets,
    /// The targets of which the initiator has to make sure, after an initialisation of the loop, that it is still logged in with them.
    unsure: Targets,
    /// The targets that do not know yet that the initiator has logged them out.
    untold: BTreeSet<Address>,
    under_way: BTreeMap<Address, Login>,
    /// The end of the last reset of the adapter.
    reset_until: Time,
}

impl Logins {
    /// Whether commands may go to a target: the initiator is logged in with it, and sure of that.
    #[inline]
    pub(crate) fn is_logged_in(&self, target: Address) -> bool {
        self.logged_out.is_empty() && self.unsure.is_empty()
            || !self.logged_out.contains(target) && !self.unsure.contains(target)
    }

    /// The initiator is logged in with a target, and sure of that.
    fn set_logged_in(&mut self, target: Address) {
        self.logged_out.set(target, false);
        self.unsure.set(target, false);
        self.untold.remove(&target);
    }

    /// The service by which the initiator begins to log in with a target, or makes sure that it is logged in.
    fn first_service(&self, target: Address) -> LoginService {
        if self.untold.contains(&target) {
            LoginService::Logout
        } else if self.logged_out.contains(target) {
            LoginService::Step(0)
        } else {
            LoginService::Discovery
        }
    }

    /// The initiator is not logged in with a target any more.
    pub(crate) fn lose(&mut self, target: Address) {
        self.logged_out.set(target, true);
    }

    /// The initiator is not logged in with any target any more.
    pub(crate) fn lose_all(&mut self) {
        self.logged_out.set_all();
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
    /// Whether the initiator logs in with a target that comes back.
    pub(crate) fn logs_in(&self) -> bool {
        self.parameters.login && self.rules.login.logs_in()
    }

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
            let service = self.role.logins.first_service(peer);
            self.ask_for_login(cx, peer, service, carrier, VecDeque::new());
        }
    }

    /// Sends LOGO, ADISC or a step of the login, after a reset of the adapter at its end.
    fn ask_for_login(
        &mut self,
        cx: &mut Context<'_>,
        peer: Address,
        service: LoginService,
        carrier: ExchangeId,
        waiting: VecDeque<ExchangeId>,
    ) {
        let is_reset = cx.now < self.role.logins.reset_until;
        if service == LoginService::Logout {
            self.role.logins.untold.remove(&peer);
        }
        let asked = (!is_reset).then(|| self.send_login(cx, service, carrier));
        let at =
            if is_reset { self.role.logins.reset_until } else { cx.now + self.parameters.abort_answer_time };
        let turn = EventTurn::turn_of_node(FIRST_TIMER + carrier.0 % (Order::UNITS - FIRST_TIMER));
        let timer = cx.set_cancellable_timer(at, turn, Timer::new(LOGIN_TIMER, peer.value()));
        self.role.logins.under_way.insert(peer, Login { service, carrier, asked, timer, waiting });
    }

    fn send_login(&mut self, cx: &mut Context<'_>, service: LoginService, carrier: ExchangeId) -> RequestTag {
        let (protocol, nvme) = (self.rules.login, self.parameters.nvme);
        let (status, payload_bytes) = match service {
            LoginService::Logout => (link_service::PORT_LOGOUT, LOGOUT_BYTES),
            LoginService::Discovery => (link_service::ADDRESS_DISCOVERY, DISCOVERY_BYTES),
            LoginService::Step(place) => {
                let step = protocol.step_at(place, &nvme);
                step.map_or((link_service::PORT_LOGIN, 0), |step| (step.code, step.bytes[0]))
            }
        };
        let retry = if self.parameters.rec_time_out.is_some() { RETRY } else { 0 };
        let is_process_login = status == link_service::PROCESS_LOGIN;
        let burst_bytes = match self.rules.command_set {
            _ if !is_process_login => 0,
            CommandSet::Nvme => NVME_PROCESS_PARAMETERS,
            CommandSet::Scsi => PROCESS_PARAMETERS | retry,
        };
        let unit = self.service(cx, carrier, PduKind::ServiceRequest, payload_bytes);
        let (responder, command_set) = (ExchangeId::UNASSIGNED, self.rules.command_set);
        self.send_service(cx, Pdu { status, burst_bytes, responder, command_set, ..unit });
        unit.tag
    }

    /// The answer to LOGO, ADISC or a step of the login has arrived; one to a message that has been sent again since has no effect.
    #[cold]
    pub(crate) fn login_answered(&mut self, cx: &mut Context<'_>, answer: &Pdu) {
        let peer = answer.source;
        let logins = &mut self.role.logins.under_way;
        if logins.get(&peer).is_none_or(|login| login.asked != Some(answer.tag)) {
            return;
        }
        let Some(Login { service, carrier, timer, waiting, .. }) = logins.remove(&peer) else { return };
        cx.cancel_timer(timer);
        let next = match service {
            LoginService::Logout => Some(0),
            LoginService::Discovery => None,
            LoginService::Step(place) => Some(place + 1),
        };
        let (protocol, nvme) = (self.rules.login, self.parameters.nvme);
        if let Some(next) = next.filter(|&next| protocol.step_at(next, &nvme).is_some()) {
            self.go_on_with_login(cx, peer, LoginService::Step(next), carrier, waiting);
            return;
        }
        self.role.logins.set_logged_in(peer);
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
        service: LoginService,
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

    /// The loop has been initialised: the initiator makes sure by ADISC that it is still logged in with its targets.
    #[cold]
    pub(crate) fn loop_initialised(&mut self, cx: &mut Context<'_>) {
        self.role.logins.unsure.set_all();
        // Services in flight have been lost.
        for (peer, login) in std::mem::take(&mut self.role.logins.under_way) {
            cx.cancel_timer(login.timer);
            let service = self.role.logins.first_service(peer);
            self.go_on_with_login(cx, peer, service, login.carrier, login.waiting);
        }
        for id in self.exchanges.open_ones() {
            let Exchange { sent, telling, peer, .. } = self.exchanges[id];
            if sent && !telling && !self.role.logins.logged_out.contains(peer) {
                self.log_in(cx, id);
            }
        }
        self.run_at_once(cx);
    }

    /// A service of a login was not answered in time, or the adapter has been reset: the login begins anew. A port that does not answer PRLI
    /// may not be logged in itself.
    #[cold]
    pub(crate) fn repeat_login(&mut self, cx: &mut Context<'_>, peer: Address) {
        if let Some(Login { carrier, waiting, .. }) = self.role.logins.under_way.remove(&peer) {
            let service = self.role.logins.first_service(peer);
            self.go_on_with_login(cx, peer, service, carrier, waiting);
        }
    }

    /// The target of an exchange has not answered as many ABTS as `logout_aborts` says: the initiator logs it out, and in again.
    #[cold]
    pub(crate) fn log_out(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let peer = self.exchanges[id].peer;
        self.role.logins.lose(peer);
        if self.parameters.explicit_logout {
            self.role.logins.untold.insert(peer);
        }
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

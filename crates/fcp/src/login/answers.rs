//! The target's end of logins: PLOGI and LOGO, or the first step of an association of NVMe, end the exchanges with the port that sends them, ADISC leaves
//! them as they are, and all services are accepted.

use crate::adapter::ExchangeUse;
use crate::target::{Target, TargetState};
use crate::unit::SERVICE_ACCEPT_BYTES;
use crate::unit::login::DISCOVERY_BYTES;
use sansim_component::Context;
use sansim_pdu::{Pdu, PduKind, link_service};

impl Target {
    /// A step of a login has arrived: LOGO, ADISC, or one by which an initiator logs in.
    #[cold]
    pub(crate) fn login_requested(&mut self, cx: &mut Context<'_>, frame: &Pdu) {
        let (protocol, nvme) = (self.rules.login, self.parameters.nvme);
        if frame.status == link_service::PORT_LOGOUT || protocol.begins_with(frame.status, &nvme) {
            for id in self.exchanges.open_with(frame.source) {
                TargetState::logged_out(self, cx, id);
            }
        }
        let answer_bytes = match frame.status {
            link_service::PORT_LOGOUT => SERVICE_ACCEPT_BYTES,
            link_service::ADDRESS_DISCOVERY => DISCOVERY_BYTES,
            code => protocol.answer_bytes(code, &nvme),
        };
        self.answer(cx, *frame, PduKind::ServiceAccept, answer_bytes);
    }
}

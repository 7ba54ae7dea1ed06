//! The target's end of logins: PLOGI and LOGO end the exchanges with the port that sends them, ADISC leaves them as they are, and all services
//! are accepted.

use super::payload_bytes;
use crate::adapter::ExchangeUse;
use crate::target::{Target, TargetState};
use crate::unit::SERVICE_ACCEPT_BYTES;
use sansim_component::Context;
use sansim_pdu::{Pdu, PduKind, link_service};

impl Target {
    /// PLOGI, LOGO, PRLI or ADISC has arrived.
    #[cold]
    pub(crate) fn login_requested(&mut self, cx: &mut Context<'_>, frame: &Pdu) {
        if matches!(frame.status, link_service::PORT_LOGIN | link_service::PORT_LOGOUT) {
            for id in self.exchanges.open_with(frame.source) {
                TargetState::logged_out(self, cx, id);
            }
        }
        let answer_bytes = match frame.status {
            link_service::PORT_LOGOUT => SERVICE_ACCEPT_BYTES,
            service => payload_bytes(service),
        };
        self.answer(cx, *frame, PduKind::ServiceAccept, answer_bytes);
    }
}

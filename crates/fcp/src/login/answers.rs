//! The target's end of logins: PLOGI ends the exchanges with the port that logs in, ADISC leaves them as they are, and all services are
//! accepted.

use super::payload_bytes;
use crate::adapter::ExchangeUse;
use crate::target::{Target, TargetState};
use sansim_component::Context;
use sansim_pdu::{Pdu, PduKind, link_service};

impl Target {
    /// PLOGI, PRLI or ADISC has arrived.
    #[cold]
    pub(crate) fn login_requested(&mut self, cx: &mut Context<'_>, frame: &Pdu) {
        if frame.status == link_service::PORT_LOGIN {
            for id in self.exchanges.open_with(frame.source) {
                TargetState::logged_out(self, cx, id);
            }
        }
        self.answer(cx, *frame, PduKind::ServiceAccept, payload_bytes(frame.status));
    }
}

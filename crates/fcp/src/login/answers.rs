//! The target's end of logins: PLOGI ends the exchanges with the port that logs in, and both services are accepted.

use crate::adapter::ExchangeUse;
use crate::target::{Target, TargetState};
use crate::unit::login::{PORT_LOGIN_BYTES, PROCESS_LOGIN_BYTES};
use sansim_component::Context;
use sansim_pdu::{Pdu, PduKind, link_service};

impl Target {
    /// PLOGI or PRLI has arrived.
    #[cold]
    pub(crate) fn login_requested(&mut self, cx: &mut Context<'_>, frame: &Pdu) {
        if frame.status == link_service::PORT_LOGIN {
            for id in self.exchanges.open_with(frame.source) {
                TargetState::logged_out(self, cx, id);
            }
            self.answer(cx, *frame, PduKind::ServiceAccept, PORT_LOGIN_BYTES);
        } else {
            self.answer(cx, *frame, PduKind::ServiceAccept, PROCESS_LOGIN_BYTES);
        }
    }
}

//! Implicit logout: a port has left the network, so all exchanges with it are over.
//!
//! Source: FCP-4, implicit logout terminates all exchanges with the port; PLDA 2.1 for loops, where an initiator finds out after an
//! initialisation. Nothing is sent, because no frame can reach the port. The initiator answers its host that the device is unreachable
//! through it; the target aborts the request at the device. Blocks finish the work that they have begun, as for an abort.

use super::{Adapter, ExchangeUse};
use sansim_component::Context;
use sansim_pdu::Address;

impl<R: ExchangeUse> Adapter<R> {
    /// The port at this address has left the network.
    #[cold]
    pub(super) fn port_left(&mut self, cx: &mut Context<'_>, address: Address) {
        for id in self.exchanges.open_with(address) {
            R::logged_out(self, cx, id);
        }
        R::peer_left(self, address);
        self.run_at_once(cx);
    }

    /// The adapter is not on its network any more.
    #[cold]
    pub(super) fn detached(&mut self, cx: &mut Context<'_>) {
        // A target gets no more commands; an initiator answers those of its host.
        if R::INITIATES {
            self.is_cut_off = true;
            self.exchanges.device_unreachable();
            R::failed(self, cx);
        }
    }
}

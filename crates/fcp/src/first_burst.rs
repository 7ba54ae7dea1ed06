//! The first burst of a write of FC-NVMe: data that an initiator sends right behind the command, unasked, up to a size on which both ends
//! have agreed. The target asks for the rest by XFER_RDY.
//!
//! Source: FC-NVMe, first burst; Linux, `drivers/scsi/lpfc/lpfc_attr.c` (`nvme_enable_fb`, off by default). Assumptions: a target passes the command on
//! when the first burst has come, as with data that come with a command; PRLI takes no other time for it; a gateway that accelerates writes
//! passes such a write on.

use crate::adapter::{Adapter, AdapterStage, ExchangeUse, NETWORK, Task};
use crate::exchange::{Exchange, ExchangeId};
use crate::initiator::Initiator;
use crate::target::Target;
use sansim_component::Context;
use sansim_component::context::RequestPlace;
use sansim_pdu::FIRST_BURST_UNIT;

impl<R: ExchangeUse> Adapter<R> {
    /// The bytes of the first burst of an exchange.
    pub(crate) fn first_burst_bytes(&self, id: ExchangeId) -> u64 {
        let Exchange { write, bytes, .. } = self.exchanges[id];
        if write { self.rules.first_burst.min(bytes) } else { 0 }
    }
}

impl Initiator {
    /// Sends the first burst of a write behind its command, if there is one.
    pub(crate) fn send_first_burst(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let bytes = self.first_burst_bytes(id);
        if bytes > 0 {
            let exchange = &mut self.exchanges[id];
            (exchange.sequence_end, exchange.sequence) = (bytes, FIRST_BURST_UNIT);
            self.fetch(cx, id, bytes);
        }
    }
}

impl Target {
    /// The command of an exchange has been taken. The target passes it on when its first burst has come.
    pub(crate) fn command_is_taken(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let exchange = &mut self.exchanges[id];
        exchange.command_in = true;
        let Exchange { request, data_in, received_bytes, sequence_end, storing, .. } = *exchange;
        if data_in == sequence_end {
            self.process(cx, Task::Command(id));
        } else if received_bytes < sequence_end {
            cx.ledger().locate_request(request, RequestPlace::Network(NETWORK));
        } else if storing {
            self.tell_storing(cx, id);
        } else {
            self.tell(cx, id, AdapterStage::Incoming);
        }
    }

    /// All data of the first burst have come.
    pub(crate) fn first_burst_is_in(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let exchange = &mut self.exchanges[id];
        exchange.data_in = exchange.sequence_end;
        if exchange.command_in {
            self.process(cx, Task::Command(id));
        } else {
            self.tell(cx, id, AdapterStage::SingleFrame);
        }
    }
}

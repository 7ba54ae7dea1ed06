//! The protocol of Molero et al. 2001: an I/O is two messages, a request and a reply.
//!
//! Source: Molero 2001, section 1. "Each I/O operation implies the transmission of two messages": to read, the server sends a short request
//! with the place of the data, and the device sends the data back; to write, the server sends the data with the place where they are to be
//! stored, and the device sends a short acknowledgement. One of the two messages is therefore a *control message* and the other carries
//! data, which is why there are as many control messages as data messages (his bimodal traffic).
//!
//! | | to the device | back |
//! |---|---|---|
//! | read | control (`Command`) | data (`Data`) |
//! | write, deallocation | data (`Data`) | control (`Response`) |
//! | flush | control (`Command`) | control (`Response`) |
//!
//! A message of more than `max_payload` is sent as several packets, "which travel through the network independently" (section 3); networks
//! in sansim keep the packets of an exchange in order. The first packet of a write opens the exchange at the device, which passes the
//! request to its server when all packets have arrived.
//!
//! Assumptions: a command that fails is answered by a control message with the failure, also for a read; an exchange that a host does not
//! want any more is aborted as in Fibre Channel (`adapter/aborts.rs`). The source gives adapters no cost; the scenario sets the costs of
//! the blocks of an adapter, by default DMA alone.
//!
//! Data that come with their command, and with which a status comes, are the same as in other protocols (`data_with_command`).

use crate::adapter::{Adapter, ExchangeUse};
use crate::protocol::Protocol;

impl<R: ExchangeUse> Adapter<R> {
    /// Whether the adapter has the protocol of two messages.
    #[inline]
    pub(crate) fn has_two_messages(&self) -> bool {
        self.parameters.protocol == Protocol::TwoMessage
    }

    /// The number of bytes of a control message, or of the corresponding unit in another protocol.
    pub(crate) fn control_payload(&self, unit: u64) -> u64 {
        if self.has_two_messages() { self.parameters.control_payload } else { unit }
    }
}

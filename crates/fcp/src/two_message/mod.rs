//! The protocol of Molero et al. 2001: an I/O is two messages, a request and a reply.
//!
//! Source: Molero 2001, section 1. "Each I/O operation implies the transmission of two messages": to read, the server sends a short request with the
//! place of the data, and the device sends the data back; to write, the server sends the data with the place where they are to be stored, and the
//! device sends a short acknowledgement. So one of the two is a *control message* and the other carries data, which is why control and data messages
//! are as many (his bimodal traffic).
//!
//! | | to the device | back |
//! |---|---|---|
//! | read | control (`Command`) | data (`Data`) |
//! | write | data (`Data`) | control (`Response`) |
//!
//! A message of more than `max_payload` goes as several packets, "which travel through the network independently" (section 3); networks here keep
//! those of an exchange in order. The first packet of a write opens the exchange at the device, which sends the request to its server when all are
//! in.
//!
//! Assumptions: a command that fails is answered by a control message that says so, a read too; an exchange that a host does not want any more is
//! aborted as in Fibre Channel (`adapter/aborts.rs`). The source gives adapters no cost; the scenario sets the costs of the blocks of an adapter, by
//! default DMA alone.
//!
//! [`asks`] has the differences at the initiator, [`serves`] those at the target; blocks, exchanges, failures and aborts are those of every adapter.

mod asks;
mod serves;

use crate::adapter::{Adapter, ExchangeRole};
use crate::protocol::Protocol;
use sansim_pdu::{Pdu, PduKind};

impl<R: ExchangeRole> Adapter<R> {
    /// Whether it speaks this protocol.
    #[inline]
    pub(crate) fn has_two_messages(&self) -> bool {
        self.parameters.protocol == Protocol::TwoMessage
    }

    /// Whether a received frame ends the data of a read, behind which nothing comes in this protocol.
    pub(crate) fn is_last_of_reply(&self, frame: &Pdu) -> bool {
        self.has_two_messages() && frame.kind == PduKind::Data && frame.last_of_data
    }

    /// Bytes of a control message, or of the corresponding information unit in FCP.
    pub(crate) fn control_payload(&self, fcp: u64) -> u64 {
        if self.has_two_messages() { self.parameters.control_payload } else { fcp }
    }
}

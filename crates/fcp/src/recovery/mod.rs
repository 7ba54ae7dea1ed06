//! Recovery of single lost frames: REC and SRR, and FCP_CONF, by which a target knows that it may forget an exchange.
//!
//! Sources: FCP-4, 4.5 (confirmed completion), 4.6 (retransmission of information units), 6.5 (REC), 8.2 (SRR) and annex C (examples); for
//! the decisions of an initiator and the sizes of the units Linux, `drivers/scsi/libfc/fc_fcp.c` and `include/uapi/scsi/fc/fc_els.h`.
//!
//! An initiator with `rec_time_out` asks the target by REC about an exchange of which no sequence has ended for that time, or whose FCP_RSP
//! came without all data. LS_ACC says how many bytes of data the target has sent or received, and whether the exchange is complete:
//!
//! | the target | the initiator |
//! |---|---|
//! | has the initiative: it works for the command | asks again after `rec_time_out` |
//! | is complete, and sent data that did not arrive | sends SRR for the data from the first missing byte on |
//! | is complete, and all data arrived | sends SRR for FCP_RSP |
//! | waits for data of a write | sends SRR for FCP_XFER_RDY from the first missing byte on |
//! | does not know the exchange (LS_RJT), and nothing of it came | sends FCP_CMND again, in a new exchange |
//! | does not know the exchange, or refuses SRR | aborts the exchange by ABTS, and answers its host |
//!
//! A receiver discards the data of an exchange behind a lost frame, so the data that it has are always the first (FC-FS, error policy
//! "abort, discard multiple sequences"). A target asks for FCP_CONF in FCP_RSP, and keeps an exchange, with the data of a read, until
//! FCP_CONF comes or `rr_time_out` is over. A REC or SRR without an answer is repeated, as REC, after `rec_time_out`, and after
//! `rec_retries` of them in turn the exchange is aborted.
//!
//! REC and SRR are exchanges of their own. Their frames pass the incoming frame process and change no ledger: the request remains where it
//! was lost until its own frames move it.
//!
//! Assumptions: link services take no time of the main processor; data that are sent again are fetched again by the DMA of the target, and
//! the device behind it has no part in that.

mod answers;
mod asks;

pub(crate) use answers::KeptExchanges;
pub(crate) use asks::Recoveries;

use crate::adapter::{Adapter, AdapterStage, ExchangeUse, NETWORK};
use crate::exchange::{Exchange, ExchangeId};
use sansim_component::context::UnitStep;
use sansim_component::{Context, Message};
use sansim_pdu::{Pdu, PduKind, RequestTag};
use sansim_request::RequestId;

/// The bits of E_STAT in the answer to REC. Source: FC-FS, exchange status block; Linux, `include/uapi/scsi/fc/fc_fs.h`.
pub(crate) mod exchange_status {
    /// The exchange is complete.
    pub const COMPLETE: u32 = 1 << 29;
    /// The port that answers has the sequence initiative.
    pub const INITIATIVE: u32 = 1 << 30;
    /// The port that answers is the responder of the exchange.
    pub const RESPONDER: u32 = 1 << 31;
}

impl<R: ExchangeUse> Adapter<R> {
    /// Notes that a frame of an exchange has come, and discards it if it has data that come behind lost ones. Returns whether the frame
    /// was discarded.
    pub(crate) fn is_discarded(&mut self, cx: &mut Context<'_>, id: ExchangeId, frame: &Pdu) -> bool {
        let exchange = &mut self.exchanges[id];
        // A frame burst has no last frame of a sequence, so the time does not depend on whether there was one.
        if R::INITIATES && frame.last_of_unit {
            exchange.since = cx.now;
        }
        if frame.kind != PduKind::Data || frame.offset == exchange.received_bytes as u32 {
            return false;
        }
        let request = RequestId(frame.tag.0);
        if frame.last_of_unit && frame.write {
            // A write goes on only when the missing data have been asked for.
            cx.ledger().locate_request(request, AdapterStage::FrameLost as usize);
        } else if frame.last_of_unit {
            cx.ledger().advance_unit(request, UnitStep::AllIn);
        }
        cx.send(NETWORK, Message::BufferFreed);
        true
    }

    /// Whether a lost frame is missed only when more frames of its sequence have come, as lost frames are asked for.
    pub(crate) fn comes_again(&self, frame: &Pdu) -> bool {
        let id = if R::INITIATES { frame.originator } else { frame.responder };
        frame.is_within_unit() && self.exchanges.is_open(id) && self.exchanges[id].retries
    }

    /// A unit of a link service about an exchange that this adapter originated, in an exchange of its own.
    pub(crate) fn service(
        &self,
        cx: &mut Context<'_>,
        id: ExchangeId,
        kind: PduKind,
        payload_bytes: usize,
    ) -> Pdu {
        let &Exchange { request, other, peer, write, .. } = &self.exchanges[id];
        Pdu {
            tag: RequestTag(cx.open_service(request).0),
            originator: id,
            responder: other,
            source: self.address,
            destination: peer,
            payload_bytes: payload_bytes as u32,
            kind,
            write,
            last_of_unit: true,
            ..Pdu::SERVICE
        }
    }

    /// Hands a unit of a link service to the port.
    pub(crate) fn send_service(&mut self, cx: &mut Context<'_>, unit: Pdu) {
        cx.ledger().advance_unit(RequestId(unit.tag.0), UnitStep::Queued(NETWORK));
        if self.rules.headers.is_some() {
            return self.hand_to_stream(cx, unit);
        }
        cx.send(NETWORK, Message::Send(unit));
    }
}

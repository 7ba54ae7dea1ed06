//! The frames that an adapter hands to its port.

use super::{Adapter, ExchangeUse, NETWORK};
use crate::exchange::ExchangeId;
use crate::stream_headers::SequencePart;
use crate::unit::{first_sequence_number, sense_of, status_byte};
use sansim_component::context::UnitStep;
use sansim_component::{Context, Message};
use sansim_pdu::{Pdu, PduKind, RequestTag, Sense, StreamPart};
use sansim_request::RequestId;

/// The contents of a frame before it has a header.
pub(crate) struct Draft {
    pub kind: PduKind,
    pub payload_bytes: u64,
    /// Whether the frame ends its sequence.
    pub ends: bool,
    /// For FCP_XFER_RDY: the bytes that it requests.
    pub burst_bytes: u64,
}

impl Draft {
    /// A frame that is a whole sequence.
    pub fn single_frame_sequence(kind: PduKind, payload_bytes: u64) -> Self {
        Self { kind, payload_bytes, ends: true, burst_bytes: 0 }
    }
}

impl<R: ExchangeUse> Adapter<R> {
    /// Builds a frame and hands it to the port.
    pub(crate) fn enqueue(&mut self, cx: &mut Context<'_>, id: ExchangeId, draft: Draft) {
        let mut frame = self.frame(id, &draft);
        if self.rules.completes_units {
            self.complete_unit(&mut frame);
        }
        cx.ledger().advance_unit(RequestId(frame.tag.0), UnitStep::Queued(NETWORK));
        if self.rules.completes_units && self.rules.headers.is_some() {
            return self.hand_to_stream(cx, frame);
        }
        if self.sends_train.is_some() && self.waits_behind_burst(&frame) {
            self.put_made(cx.now, frame);
        } else {
            cx.send(NETWORK, Message::Send(frame));
        }
    }

    /// Adds what the units of other protocols than FCP have: numbers in FC-NVMe, headers of data in a stream of bytes.
    fn complete_unit(&mut self, unit: &mut Pdu) {
        if self.rules.has_long_responses {
            self.submission_queues.number_unit(unit, &self.parameters.nvme);
        }
        if let Some(headers) = self.rules.headers.filter(|_| unit.kind == PduKind::Data) {
            let part = self.sequence_part(unit);
            // At most two headers with a digest each, and the command.
            let joins_response = self.rules.joins_response && !unit.write && unit.last_of_data;
            unit.stream_part = StreamPart::new(headers.bytes_of(part), joins_response);
        }
    }

    /// A part of data as one of its sequence.
    pub(super) fn sequence_part(&self, unit: &Pdu) -> SequencePart {
        SequencePart {
            begin: u64::from(unit.part) * self.parameters.max_payload,
            bytes: unit.payload_bytes.into(),
            ends: unit.last_of_unit,
            write: unit.write,
            with_command: unit.write && unit.unit == 0,
        }
    }

    /// The next frame of an exchange.
    pub(super) fn frame(&mut self, id: ExchangeId, draft: &Draft) -> Pdu {
        let exchange = &mut self.exchanges[id];
        let &Draft { kind, payload_bytes, ends, burst_bytes } = draft;
        let (mut offset, mut sequence, mut sequence_count) = (exchange.sequence_end, 0, 0);
        match kind {
            PduKind::Command => offset = 0,
            PduKind::TransferReady => {
                offset -= burst_bytes;
                sequence = first_sequence_number(exchange.bursts.wrapping_sub(1));
            }
            PduKind::Data => {
                (offset, sequence, sequence_count) =
                    (exchange.queued_bytes, exchange.sequence, exchange.sequence_count);
                exchange.queued_bytes += payload_bytes;
                // SEQ_CNT wraps.
                exchange.sequence_count = exchange.sequence_count.wrapping_add(1);
                if ends {
                    // For a read the next sequence begins; for a write FCP_XFER_RDY names the next sequence.
                    exchange.sequence = exchange.sequence.wrapping_add(2);
                    exchange.sequence_count = 0;
                }
            }
            PduKind::Response => sequence = first_sequence_number(exchange.bursts),
            // A link service is a sequence of its own, after all other sequences of the exchange.
            _ => {
                (offset, sequence) = (0, first_sequence_number(exchange.bursts).wrapping_add(2));
            }
        }
        let request = exchange.request;
        let (mine, other) = (id, exchange.other);
        let originates =
            matches!(kind, PduKind::Command | PduKind::Abort) || (kind == PduKind::Data && exchange.write);
        Pdu {
            tag: RequestTag(request.0),
            originator: if originates { mine } else { other },
            responder: if originates { other } else { mine },
            source: self.address,
            destination: exchange.peer,
            offset: offset as u32,
            burst_bytes: match kind {
                PduKind::Abort => exchange.queued_bytes,
                PduKind::Command if !exchange.write => exchange.bytes,
                PduKind::Response => u64::from(exchange.retries),
                // Data of a write before any request for data come with the command.
                PduKind::Data if exchange.write && sequence == 0 => exchange.sequence_end,
                _ => burst_bytes,
            } as u32,
            // A frame holds 2112 bytes at most.
            payload_bytes: payload_bytes as u32,
            unit: sequence,
            part: sequence_count,
            kind,
            write: exchange.write,
            status: match kind {
                PduKind::Response => status_byte(exchange.status),
                PduKind::Command => u8::from(exchange.retries),
                _ => 0,
            },
            sense: match kind {
                PduKind::Response => sense_of(exchange.status, exchange.unreachable),
                _ => Sense::None,
            },
            last_of_unit: ends,
            last_of_data: kind == PduKind::Data && exchange.queued_bytes == exchange.bytes,
            command_set: self.rules.command_set,
            stream_part: StreamPart::PLAIN,
        }
    }
}

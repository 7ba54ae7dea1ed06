//! What an adapter hands to its port: frames, and when FCP_RSP is one of them.

use super::stage::tell;
use super::{Adapter, AdapterEffect, ResponseCircuit};
use crate::exchange::{AdapterStage, ExchangeTable};
use sansim_fc::frame::{ExchangeId, Frame, FrameKind};

impl Adapter {
    /// FCP_RSP is ready. With a circuit of its own it waits until that of the data is over.
    pub(super) fn response_made(
        &mut self,
        id: ExchangeId,
        table: &mut ExchangeTable,
        out: &mut Vec<AdapterEffect>,
    ) {
        let exchange = &table[id];
        let own = self.parameters.response_circuit == ResponseCircuit::Own;
        if own && !exchange.write && !exchange.data_gone {
            self.held.push(id);
            tell(id, AdapterStage::Circuit, table, out);
        } else {
            self.send_response(id, table, out);
        }
    }

    /// The circuit that the port was in is over.
    pub fn circuit_ended(&mut self, table: &mut ExchangeTable, out: &mut Vec<AdapterEffect>) {
        let mut leaving = std::mem::take(&mut self.leaving);
        for id in leaving.drain(..) {
            table[id].data_gone = true;
            if let Some(place) = self.held.iter().position(|&held| held == id) {
                self.held.remove(place);
                self.send_response(id, table, out);
            }
        }
        debug_assert!(self.leaving.is_empty(), "no frame leaves while a circuit ends");
        // With what it has room for: the next circuit needs it again.
        self.leaving = leaving;
    }

    fn send_response(&mut self, id: ExchangeId, table: &mut ExchangeTable, out: &mut Vec<AdapterEffect>) {
        self.enqueue(id, FrameKind::Response, self.sizes.response_payload, table, out);
        out.push(AdapterEffect::StatusQueued(id));
    }

    /// Builds a frame and hands it to the port.
    pub(super) fn enqueue(
        &mut self,
        id: ExchangeId,
        kind: FrameKind,
        payload_bytes: u64,
        table: &mut ExchangeTable,
        out: &mut Vec<AdapterEffect>,
    ) {
        let exchange = &mut table[id];
        let destination = if self.end.target { exchange.initiator } else { exchange.target };
        let (mut sequence_count, mut last_of_sequence, mut last_of_data) = (0, true, false);
        // FCP_XFER_RDY asks for what follows the bursts that have come.
        let offset = exchange.queued_bytes as u32;
        if kind == FrameKind::Data {
            let in_sequence = exchange.queued_bytes % exchange.burst_bytes;
            sequence_count = (in_sequence / self.parameters.max_payload) as u16;
            exchange.queued_bytes += payload_bytes;
            last_of_sequence = exchange.queued_bytes.is_multiple_of(exchange.burst_bytes)
                || exchange.queued_bytes == exchange.bytes;
            last_of_data = exchange.queued_bytes == exchange.bytes;
        }
        if exchange.frames_under_way == 0 {
            out.push(AdapterEffect::Stage(id, AdapterStage::Port));
        }
        exchange.frames_under_way += 1;
        out.push(AdapterEffect::Enqueue(Frame {
            exchange: id,
            kind,
            source: self.end.al_pa,
            destination,
            // A frame holds 2112 bytes at most.
            payload_bytes: payload_bytes as u16,
            sequence_count,
            offset,
            last_of_sequence,
            last_of_data,
        }));
    }
}

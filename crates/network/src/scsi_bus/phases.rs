//! How long each phase of a connection takes.
//!
//! Sources: SPI-3 for the phases, SCSI-2 for messages. A byte of a message, a command or a status has a handshake of its own. In a data phase
//! bytes move at the rate that was agreed on, or as fast as the slower of the two nodes fetches or takes what fills a buffer.

use super::parameters::ScsiBusParameters;
use super::port::Port;
use sansim_kernel::Span;
use sansim_pdu::{Pdu, PduKind};

/// Bytes that begin a connection: IDENTIFY, and a queue tag message with its tag.
pub(super) const OPENING_BYTES: u64 = 3;
/// Bytes of a command: READ(10) and WRITE(10).
pub(super) const COMMAND_BYTES: u64 = 10;
/// Status, and COMMAND COMPLETE.
pub(super) const STATUS_BYTES: u64 = 2;
/// ABORT TAG.
pub(super) const ABORT_BYTES: u64 = 1;
/// DISCONNECT behind a command, and with SAVE DATA POINTER behind data.
pub(super) const DISCONNECT_BYTES: [u64; 2] = [1, 2];

/// What all connections have in common.
#[derive(Clone, Debug)]
pub(super) struct Times {
    pub arbitration: Span,
    pub clean_up: Span,
    control_byte: Span,
    parameters: ScsiBusParameters,
}

impl Times {
    pub fn new(parameters: &ScsiBusParameters) -> Self {
        let &ScsiBusParameters { arbitration, clean_up, control_byte, .. } = parameters;
        Self { arbitration, clean_up, control_byte, parameters: parameters.clone() }
    }

    /// Of so many bytes that go by a handshake each.
    pub fn control(&self, bytes: u64) -> Span {
        self.control_byte * bytes
    }

    /// Of a piece of data that fills a buffer, between two nodes.
    pub fn piece(&self, bytes: u64, from: &Port, to: &Port) -> Span {
        self.parameters.data(bytes).max(from.pace.fetch).max(to.pace.take)
    }

    /// Of a phase.
    pub fn phase(&self, frame: &Pdu, from: &Port, to: &Port) -> Span {
        match frame.kind {
            PduKind::Data => self.data(frame, from, to),
            PduKind::Command => self.control(COMMAND_BYTES),
            PduKind::Response => self.control(STATUS_BYTES),
            PduKind::Abort => self.control(ABORT_BYTES),
            // The target goes on to the data phase; the answer to an abort is that the bus is free.
            _ => Span::ZERO,
        }
    }

    fn data(&self, frame: &Pdu, from: &Port, to: &Port) -> Span {
        let (bytes, payload) = (u64::from(frame.payload_bytes), from.pace.payload_bytes);
        let by_rate = self.parameters.data(bytes);
        if payload == 0 {
            return by_rate;
        }
        // What is slower than the bus is so for each buffer but the last, which is there when it is handed over.
        let before = bytes.div_ceil(payload).max(1) - 1;
        let piece = self.piece(payload, from, to);
        by_rate.max(piece * before + self.parameters.data(bytes - before * payload))
    }
}

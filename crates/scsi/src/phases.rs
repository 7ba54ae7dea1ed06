//! How long each phase of a connection takes.
//!
//! Sources: SPI-3 for the phases, SCSI-2 for messages. A byte of a message, a command or a status has a handshake of its own. In a data phase
//! bytes move at the rate that was agreed on, or as fast as the slower of the two nodes fetches or takes what fills a buffer.

use crate::parameters::ScsiBusParameters;
use sansim_kernel::Span;
use sansim_pdu::{Pdu, PduKind};

/// Bytes that begin a connection: IDENTIFY, and a queue tag message with its tag.
pub const OPENING_BYTES: u64 = 3;
/// Bytes of a command: READ(10) and WRITE(10).
pub const COMMAND_BYTES: u64 = 10;
/// Status, and COMMAND COMPLETE.
pub const STATUS_BYTES: u64 = 2;
/// ABORT TAG.
pub const ABORT_BYTES: u64 = 1;
/// DISCONNECT behind a command, and with SAVE DATA POINTER behind data.
pub const DISCONNECT_BYTES: [u64; 2] = [1, 2];

/// The two nodes of a connection, as far as data phases depend on them.
#[derive(Clone, Copy, Debug)]
pub struct Nodes {
    /// Bytes of a buffer of the one that sends; nothing of one without buffers.
    pub payload_bytes: u64,
    /// The time that the sender takes to fetch the data of a buffer.
    pub fetch: Span,
    /// The time that the receiver takes to empty a buffer.
    pub take: Span,
}

/// The common times of all connections.
#[derive(Clone, Debug)]
pub struct Times {
    /// From a free bus to the first message.
    pub arbitration: Span,
    /// From the last message to a free bus.
    pub clean_up: Span,
    control_byte: Span,
    parameters: ScsiBusParameters,
}

impl Times {
    /// Those of a bus.
    pub fn new(parameters: &ScsiBusParameters) -> Self {
        let &ScsiBusParameters { arbitration, clean_up, control_byte, .. } = parameters;
        Self { arbitration, clean_up, control_byte, parameters: parameters.clone() }
    }

    /// The time of so many bytes with a handshake each.
    pub fn control(&self, bytes: u64) -> Span {
        self.control_byte * bytes
    }

    /// The time of a piece of data that fills a buffer, between two nodes.
    pub fn piece(&self, bytes: u64, nodes: &Nodes) -> Span {
        self.parameters.data(bytes).max(nodes.fetch).max(nodes.take)
    }

    /// The time of a phase.
    pub fn phase(&self, pdu: &Pdu, nodes: &Nodes) -> Span {
        match pdu.kind {
            PduKind::Data => self.data(pdu, nodes),
            PduKind::Command => self.control(COMMAND_BYTES),
            PduKind::Response => self.control(STATUS_BYTES),
            PduKind::Abort => self.control(ABORT_BYTES),
            // The target goes on to the data phase; the answer to an abort is that the bus is free.
            _ => Span::ZERO,
        }
    }

    fn data(&self, pdu: &Pdu, nodes: &Nodes) -> Span {
        let (bytes, payload) = (u64::from(pdu.payload_bytes), nodes.payload_bytes);
        let by_rate = self.parameters.data(bytes);
        if payload == 0 {
            return by_rate;
        }
        // A node slower than the bus delays each buffer but the last, which is there when it is handed over.
        let before = bytes.div_ceil(payload).max(1) - 1;
        let piece = self.piece(payload, nodes);
        by_rate.max(piece * before + self.parameters.data(bytes - before * payload))
    }
}
